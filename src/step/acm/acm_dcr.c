/* Decomposition contact response [Cirak & West 2005], the explicit method that acm is compared with: all forces act at the shortest step h of an element, and
   contact is answered after every predictor

       v = v^n + h/2 M^-1 f(x^n),   x = x^n + h v

   in two parts that know nothing of each other. Places: of all places at which no pair is nearer than its clearance, those nearest to x in the norm of the
   masses. Momenta: p = M v is decomposed, orthogonally in the norm of M^-1, into p_norm = G lambda, p_slide and the rest, and jumps to

       p+ = p_rest + c p_slide - e p_norm,   G: gradients of the gaps of the pairs that x has penetrating, lambda = (G' M^-1 G)^-1 G' v.

   Then forces act at the new places. Where pairs are many they share nodes, and the inverse would let some of them pull. Here lambda <= 0 is the solution of
   the complementarity problem of which that formula is the case of pairs that all push: p_norm is the nearest momentum to p in the cone that is spanned by
   G, p_rest is what remains. The two are orthogonal, so that with e = 1 the jump takes no kinetic energy. It is solved by sweeps of projected Gauss-Seidel in
   the order of pairs and, in between, conjugate gradients on the pairs that push, to JUMP_TOL of the fastest approach; lambda need not be unique, p_norm
   is. Friction: p_slide is what stops the slip, as far as each pair's share of it is at most mu (1 + e) |lambda|; of one pair
   c = max(0, 1 - mu (1 + e) |p_norm| / |p_slide|).

   A pair penetrates if CCD from the last places to the predicted ones says so, and on the side that it then came from: sides are not lost in a step. If the
   projection does not end, places are left as they are and the exact test of the step counts what meets: nothing is promised here.

   What e < 1 and friction take in the jump is booked as dissipated, the former less what the projection has put into elements and weights. What places else
   gain or lose by their projection, and forces by acting half a step before the jump and half a step after it, is booked nowhere: it is the method's error.
   The same is the moment of momentum of what is displaced while it slides. */
#include "step/acm/acm.h"

#include "base/parallel.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Gap that the projection leaves, over the first layer that the pair would have: it tells one side from the other. */
static const double CLEARANCE = 1e-3;
/* Of the clearance: below the first a pair is in contact, and what the projection may miss. The first plus the second is below 1, so that what was
   projected is out of contact. */
static const double NEAR = 0.6, MISSED = 0.25;
/* Approach that the jump may leave, over the fastest before. */
static const double JUMP_TOL = 1e-12;
/* Of the parting that conjugate gradients find, they leave this. */
static const double FACE_TOL = 1e-10;
enum { SLIP_SWEEPS = 2000, PLACE_SWEEPS = 500, PASSES = 20 };
/* Gauss-Seidel and conjugate gradients take turns: so often, with so many sweeps each time. */
enum { TURNS = 200, SWEEPS = 5 };
enum { CANDIDATE_BLOCK = 256 };
/* Steps between two looks at whether to stop. */
enum { OFTEN = 64 };

typedef struct contact {
    brn_candidate pair;
    brn_acm_kick at;      /* weights, normal, distance */
    double clear;         /* [m] */
    double mu, e;         /* friction, restitution */
    double inverse;       /* [1/kg] of its masses, along the normal */
    double shift;         /* [kg m] multiplier of the projection */
    double push, rub[3];  /* [N s] of the jump, on the first side */
    double next, way;     /* [N s] of conjugate gradients: the push that they come to, their direction */
    double error, change; /* [m/s] parting that is wanted yet, and by `way` */
} contact;

struct brn_acm_dcr {
    contact *contact;
    int count, capacity;
    double residual;
    double taken; /* [J] by the impulses of a step so far */
};

brn_status brn_acm_dcr_create(brn_acm *acm)
{
    BRN_ALLOC(acm->ctx, acm->dcr, 1);
    return BRN_OK;
}

void brn_acm_dcr_free(brn_ctx *ctx, brn_acm_dcr *dcr)
{
    if (dcr != NULL) {
        brn_free(ctx, dcr->contact);
        brn_free(ctx, dcr);
    }
}

/* ---- which pairs penetrate -------------------------------------------------------------------------------------------------- */

typedef struct seek_job {
    brn_acm *acm;
    brn_candidate_view view;
    double *time; /* of each candidate: when it meets on the way, as a fraction; 1: it does not */
} seek_job;

/* [m] At most, of a pair that is looked at. */
static double most_clear(const brn_candidate *c)
{
    return 0.5 * CLEARANCE * c->reach;
}

static double start_gap(const brn_acm *acm, const brn_candidate *c)
{
    double x[4][3] = {{0}};
    double weight[4];
    double normal[3];
    (void)brn_candidate_gather(c->node, acm->from, x);
    return brn_acm_gap(c, (const double(*)[3])x, c->offset, weight, normal);
}

static brn_status seek_block(void *arg, int block, brn_arena *scratch)
{
    const seek_job *job = arg;
    const brn_acm *acm = job->acm;
    (void)scratch;
    for (int i = block * CANDIDATE_BLOCK; i < brn_block_end(job->view.count, CANDIDATE_BLOCK, block); ++i) {
        const brn_candidate *c = &job->view.item[i];
        const double drift = brn_candidate_drift(c, job->view.step);
        const double clear = most_clear(c);
        job->time[i] = 1.0;
        if (brn_candidate_least(&job->view, i) - drift - c->offset > clear) {
            continue;
        }
        const double gap = start_gap(acm, c);
        if (gap - drift <= clear) {
            const double keep = 0.5 * fmin(1.0, clear / gap);
            job->time[i] = brn_pair_impact_time(c, acm->from, acm->nodes.place, keep, 1.0);
        }
    }
    return BRN_OK;
}

static int contact_order(const void *a, const void *b)
{
    const brn_candidate *p = &((const contact *)a)->pair, *q = &((const contact *)b)->pair;
    if (p->kind != q->kind) {
        return p->kind < q->kind ? -1 : 1;
    }
    for (int k = 0; k < 4; ++k) {
        if (p->node[k] != q->node[k]) {
            return p->node[k] < q->node[k] ? -1 : 1;
        }
    }
    return 0;
}

/* [1/kg] Velocity of the pair along a unit vector by an impulse along it; held axes do not give way. */
static double compliance(const brn_acm *acm, const contact *c, const double along[3])
{
    double sum = 0.0;
    for (int k = 0; k < brn_touch_count(c->pair.node); ++k) {
        const int a = c->pair.node[k];
        const double square = c->at.weight[k] * c->at.weight[k] * acm->inverse[a];
        for (int i = 0; i < 3; ++i) {
            sum += (acm->axes[a] >> i & 1u) != 0 ? 0.0 : square * along[i] * along[i];
        }
    }
    return sum;
}

/* [m] Gap along the normal of the contact at places x [nnode][3]; beyond the other side it is negative. */
static double linear_gap(const contact *c, const double *x)
{
    double d = -c->pair.offset;
    for (int k = 0; k < brn_touch_count(c->pair.node); ++k) {
        d += c->at.weight[k] * brn_dense_dot3(c->at.normal, &x[3 * c->pair.node[k]]);
    }
    return d;
}

/* A pair that meets at a fraction of the way, with the closest points there; false: it does not penetrate at the end, or has no side. */
static bool make_contact(brn_acm *acm, const brn_candidate *c, double time, contact *to)
{
    double x[4][3] = {{0}};
    const double *from = acm->from, *end = acm->nodes.place;
    const brn_acm_pair pair = brn_acm_pair_of(acm, c, -1);
    const double gap = start_gap(acm, c);
    *to = (contact){.pair = *c, .clear = CLEARANCE * pair.eta, .mu = pair.mu, .e = sqrt(pair.restored)};
    for (int k = 0; k < brn_touch_count(c->node); ++k) {
        for (int i = 0; i < 3; ++i) {
            const int at = 3 * c->node[k] + i;
            x[k][i] = from[at] + time * (end[at] - from[at]);
        }
    }
    to->at.distance = brn_acm_gap(c, (const double(*)[3])x, 0.0, to->at.weight, to->at.normal);
    to->inverse = compliance(acm, to, to->at.normal);
    const double near = NEAR * (gap > 0.0 ? fmin(gap, to->clear) : to->clear);
    return to->at.distance > 0.0 && to->inverse > 0.0 && linear_gap(to, end) < near;
}

/* The pairs that penetrate on the way from `from` to the nodes' places: known ones with closest points as they are now, others are added. *found: their
   number. */
static brn_status seek(brn_acm *acm, int *found)
{
    brn_acm_dcr *dcr = acm->dcr;
    const int known = dcr->count;
    seek_job job = {.acm = acm};
    *found = 0;
    BRN_TRY(brn_candidates_find(acm->candidates, acm->from, acm->nodes.place, acm->distance));
    brn_candidates_view(acm->candidates, acm->from, acm->nodes.place, &job.view);
    BRN_TAKE(brn_ctx_arena(acm->ctx), job.time, job.view.count + 1);
    BRN_TRY(brn_parallel_for(acm->ctx, brn_block_count(job.view.count, CANDIDATE_BLOCK), seek_block, &job));
    for (int i = 0; i < job.view.count; ++i) {
        contact now;
        if (!(job.time[i] < 1.0) || !make_contact(acm, &job.view.item[i], job.time[i], &now)) {
            continue;
        }
        ++*found;
        contact *old =
            known > 0 ? bsearch(&now, dcr->contact, (size_t)known, sizeof now, contact_order) : NULL;
        if (old != NULL) {
            *old = now;
        } else {
            BRN_GROW(acm->ctx, dcr->contact, dcr->capacity, dcr->count + 1);
            dcr->contact[dcr->count++] = now;
        }
    }
    if (dcr->count > known) {
        qsort(dcr->contact, (size_t)dcr->count, sizeof *dcr->contact, contact_order);
    }
    return BRN_OK;
}

/* ---- places ------------------------------------------------------------------------------------------------------------------- */

static void displace(brn_acm *acm, const contact *c, double shift)
{
    for (int k = 0; k < brn_touch_count(c->pair.node); ++k) {
        const int a = c->pair.node[k];
        const double size = shift * c->at.weight[k] * acm->inverse[a];
        for (int i = 0; i < 3; ++i) {
            if ((acm->axes[a] >> i & 1u) == 0) {
                acm->nodes.place[3 * a + i] += size * c->at.normal[i];
            }
        }
    }
}

/* The nearest places at which all contacts are clear, by gaps along their normals: Hildreth's method. */
static void clear_places(brn_acm *acm)
{
    brn_acm_dcr *dcr = acm->dcr;
    bool missed = true;
    for (int i = 0; i < dcr->count; ++i) {
        dcr->contact[i].shift = 0.0;
    }
    for (int sweep = 0; sweep < PLACE_SWEEPS && missed; ++sweep) {
        missed = false;
        for (int i = 0; i < dcr->count; ++i) {
            contact *c = &dcr->contact[i];
            const double lack = c->clear - linear_gap(c, acm->nodes.place);
            const double shift = fmax(0.0, c->shift + lack / c->inverse);
            missed = missed || lack > MISSED * c->clear;
            displace(acm, c, shift - c->shift);
            c->shift = shift;
        }
    }
}

/* Closest points where the pair is now, so that impulses along its normal have no moment; if it is still on its side. */
static void renew(brn_acm *acm, contact *c)
{
    double x[4][3] = {{0}};
    brn_acm_kick at = c->at;
    (void)brn_candidate_gather(c->pair.node, acm->nodes.place, x);
    at.distance = brn_acm_gap(&c->pair, (const double(*)[3])x, 0.0, at.weight, at.normal);
    if (at.distance > 0.0 && brn_dense_dot3(at.normal, c->at.normal) > 0.0) {
        c->at = at;
        c->inverse = compliance(acm, c, at.normal);
    }
}

/* ---- momenta ------------------------------------------------------------------------------------------------------------------ */

static void relative(const brn_acm *acm, const contact *c, double u[3])
{
    u[0] = u[1] = u[2] = 0.0;
    for (int k = 0; k < brn_touch_count(c->pair.node); ++k) {
        for (int i = 0; i < 3; ++i) {
            u[i] += c->at.weight[k] * acm->nodes.velocity[3 * c->pair.node[k] + i];
        }
    }
}

static double parting(const brn_acm *acm, const contact *c)
{
    double u[3];
    relative(acm, c, u);
    return brn_dense_dot3(u, c->at.normal);
}

/* An impulse, size along a unit vector, and what it takes from the energy: along the mean of the velocities before and after. */
static void push(brn_acm *acm, contact *c, double size, const double along[3])
{
    double u[3];
    if (size == 0.0) {
        return;
    }
    relative(acm, c, u);
    acm->dcr->taken -= size * (brn_dense_dot3(u, along) + 0.5 * size * compliance(acm, c, along));
    brn_acm_push_pair(acm, &c->at, c->pair.node, size, along);
}

/* A sweep towards no pair approaching, by impulses that push: [m/s] the largest change. */
static double sweep_approach(brn_acm *acm)
{
    brn_acm_dcr *dcr = acm->dcr;
    double left = 0.0;
    for (int i = 0; i < dcr->count; ++i) {
        contact *c = &dcr->contact[i];
        const double size = fmax(0.0, c->push - parting(acm, c) / c->inverse);
        left = fmax(left, fabs(size - c->push) * c->inverse);
        push(acm, c, size - c->push, c->at.normal);
        c->push = size;
    }
    return left;
}

/* change = G' M^-1 G way of the contacts of the face, next > 0, by the nodes' velocities in acm->ahead. */
static void apply_face(brn_acm *acm)
{
    brn_acm_dcr *dcr = acm->dcr;
    double *v = acm->ahead;
    for (int pass = 0; pass < 3; ++pass) { /* zero, add, gather */
        for (int i = 0; i < dcr->count; ++i) {
            contact *c = &dcr->contact[i];
            c->change = pass == 2 ? 0.0 : c->change;
            for (int k = 0; k < brn_touch_count(c->pair.node) && c->next > 0.0; ++k) {
                const int a = c->pair.node[k];
                for (int d = 0; d < 3; ++d) {
                    const double gradient = c->at.weight[k] * c->at.normal[d];
                    const double inverse = (acm->axes[a] >> d & 1u) != 0 ? 0.0 : acm->inverse[a];
                    v[3 * a + d] =
                        pass == 0 ? 0.0 : v[3 * a + d] + (pass == 1 ? c->way * inverse * gradient : 0.0);
                    c->change += pass == 2 ? gradient * v[3 * a + d] : 0.0;
                }
            }
        }
    }
}

/* Directions of steepest descent in the face: error' D^-1 error, D the diagonal. */
static double start_face(brn_acm_dcr *dcr)
{
    double dot = 0.0;
    for (int i = 0; i < dcr->count; ++i) {
        contact *c = &dcr->contact[i];
        c->way = c->next > 0.0 ? c->error / c->inverse : 0.0;
        dot += c->error * c->way;
    }
    return dot;
}

/* One step of conjugate gradients, or to the first pair that would pull, which leaves the face, and they start anew. *dot: as start_face has it. */
static bool step_face(brn_acm *acm, double *dot)
{
    brn_acm_dcr *dcr = acm->dcr;
    double energy = 0.0;
    double room = INFINITY;
    double after = 0.0;
    int first = -1;
    apply_face(acm);
    for (int i = 0; i < dcr->count; ++i) {
        const contact *c = &dcr->contact[i];
        energy += c->way * c->change;
        if (c->way < 0.0 && c->next < -c->way * room) {
            room = c->next / -c->way;
            first = i;
        }
    }
    if (!(energy > 0.0)) {
        return false;
    }
    const double size = fmin(*dot / energy, room);
    for (int i = 0; i < dcr->count; ++i) {
        contact *c = &dcr->contact[i];
        c->next = fmax(0.0, c->next + size * c->way);
        c->error -= size * c->change;
        after += c->next > 0.0 ? c->error * c->error / c->inverse : 0.0;
    }
    if (first >= 0 && !(size < room)) {
        dcr->contact[first].next = 0.0;
        *dot = start_face(dcr);
        return *dot > 0.0;
    }
    for (int i = 0; i < dcr->count; ++i) {
        contact *c = &dcr->contact[i];
        c->way = c->next > 0.0 ? c->error / c->inverse + after / *dot * c->way : 0.0;
    }
    *dot = after;
    return after > 0.0;
}

/* No parting and no approach of the pairs that push, without those that would come to pull. */
static void solve_face(brn_acm *acm)
{
    brn_acm_dcr *dcr = acm->dcr;
    for (int i = 0; i < dcr->count; ++i) {
        contact *c = &dcr->contact[i];
        c->next = c->push;
        c->error = -parting(acm, c);
    }
    double dot = start_face(dcr);
    const double end = FACE_TOL * FACE_TOL * dot;
    bool goes_on = dot > 0.0;
    for (int step = 0; step < 3 * dcr->count + 10 && goes_on; ++step) {
        goes_on = step_face(acm, &dot) && dot > end;
    }
    for (int i = 0; i < dcr->count; ++i) {
        contact *c = &dcr->contact[i];
        push(acm, c, c->next - c->push, c->at.normal);
        c->push = c->next;
    }
}

/* [m/s] What is left of the approach. */
static double stop_approach(brn_acm *acm, double fastest)
{
    double left = fastest;
    for (int turn = 0; turn < TURNS; ++turn) {
        for (int sweep = 0; sweep < SWEEPS; ++sweep) {
            left = sweep_approach(acm);
            if (!(left > JUMP_TOL * fastest)) {
                return left;
            }
        }
        solve_face(acm);
    }
    return left;
}

/* Slip is stopped by impulses of at most mu times the normal one: [m/s] the last change of a slip. */
static double stop_slip(brn_acm *acm, double fastest)
{
    brn_acm_dcr *dcr = acm->dcr;
    double left = fastest;
    for (int sweep = 0; sweep < SLIP_SWEEPS && left > JUMP_TOL * fastest; ++sweep) {
        left = 0.0;
        for (int i = 0; i < dcr->count; ++i) {
            contact *c = &dcr->contact[i];
            double u[3];
            double change[3];
            double size = 0.0;
            double most = 0.0;
            if (!(c->mu * c->push > 0.0)) {
                continue;
            }
            relative(acm, c, u);
            const double normal = brn_dense_dot3(u, c->at.normal);
            for (int k = 0; k < brn_touch_count(c->pair.node); ++k) {
                most += c->at.weight[k] * c->at.weight[k] * acm->inverse[c->pair.node[k]];
            }
            for (int d = 0; d < 3; ++d) {
                change[d] = c->rub[d] - (u[d] - normal * c->at.normal[d]) / most;
            }
            const double length = sqrt(brn_dense_dot3(change, change));
            const double kept = length > c->mu * c->push ? c->mu * c->push / length : 1.0;
            for (int d = 0; d < 3; ++d) {
                change[d] = kept * change[d] - c->rub[d];
            }
            size = sqrt(brn_dense_dot3(change, change));
            left = fmax(left, size * most);
            if (size > 0.0) {
                double along[3];
                double lost[3];
                for (int d = 0; d < 3; ++d) {
                    along[d] = change[d] / size;
                    lost[d] = -change[d];
                    c->rub[d] += change[d];
                }
                push(acm, c, size, along);
                brn_acm_book_couple(acm, &c->at, c->pair.node, lost);
            }
        }
    }
    return left;
}

/* *normal: [J] what the normal part takes; friction's is booked. */
static void jump(brn_acm *acm, double *normal)
{
    brn_acm_dcr *dcr = acm->dcr;
    double fastest = 0.0;
    double slip = 0.0;
    *normal = 0.0;
    dcr->taken = 0.0;
    for (int i = 0; i < dcr->count; ++i) {
        fastest = fmax(fastest, -parting(acm, &dcr->contact[i]));
    }
    if (!(fastest > 0.0)) {
        return;
    }
    const double left = stop_approach(acm, fastest);
    dcr->residual = fmax(dcr->residual, left / fastest);
    for (int i = 0; i < dcr->count; ++i) {
        contact *c = &dcr->contact[i];
        const double back = c->e * c->push;
        double u[3];
        push(acm, c, back, c->at.normal);
        c->push += back;
        relative(acm, c, u);
        slip = c->mu > 0.0 ? fmax(slip, sqrt(brn_dense_dot3(u, u))) : slip;
    }
    *normal = dcr->taken;
    if (slip > 0.0) {
        dcr->taken = 0.0;
        dcr->residual = fmax(dcr->residual, stop_slip(acm, slip) / slip);
        acm->sums.dissipated += dcr->taken;
    }
}

/* ---- steps -------------------------------------------------------------------------------------------------------------------- */

/* Keeps the predicted places in saved.place, and velocities after the jump in saved.velocity. */
static brn_status respond(brn_acm *acm, double *normal)
{
    brn_acm_dcr *dcr = acm->dcr;
    const size_t bytes = 3 * (size_t)acm->model->nnode * sizeof(double);
    int found = 0;
    dcr->count = 0;
    BRN_TRY(seek(acm, &found));
    if (found == 0) {
        return BRN_OK;
    }
    memcpy(acm->saved.place, acm->nodes.place, bytes);
    for (int pass = 0; pass < PASSES && found > 0; ++pass) {
        clear_places(acm);
        BRN_TRY(seek(acm, &found));
    }
    for (int i = 0; i < dcr->count; ++i) {
        renew(acm, &dcr->contact[i]);
    }
    jump(acm, normal);
    memcpy(acm->saved.velocity, acm->nodes.velocity, bytes);
    acm->sums.contact_events += dcr->count;
    return BRN_OK;
}

/* [J] What the projection has put into elements and weights, by the forces that have acted since, for h. */
static double gained(const brn_acm *acm, double h)
{
    double sum = 0.0;
    for (int a = 0; a < acm->model->nnode; ++a) {
        for (int i = 3 * a; i < 3 * a + 3 && acm->inverse[a] > 0.0; ++i) {
            sum -= (acm->nodes.place[i] - acm->saved.place[i]) *
                   (acm->nodes.velocity[i] - acm->saved.velocity[i]) / (acm->inverse[a] * h);
        }
    }
    return sum;
}

/* A body at rest falls by h v in every step, is put back, and the jump takes what it fell with: that is no loss. */
static void book_normal(brn_acm *acm, double normal)
{
    const double given = fmax(0.0, gained(acm, acm->seconds[acm->outer]));
    acm->sums.dissipated += normal > 0.0 ? fmax(0.0, normal - given) : normal;
}

static brn_status step_to(brn_acm *acm, brn_tick t)
{
    const int n = acm->model->nnode;
    double normal = 0.0;
    memcpy(acm->from, acm->nodes.place, 3 * (size_t)n * sizeof(double));
    for (int a = 0; a < n; ++a) {
        brn_acm_at(acm, a, t, &acm->nodes.place[3 * a]);
        acm->nodes.clock[a] = t;
    }
    BRN_TRY(respond(acm, &normal));
    memcpy(acm->nodes.before, acm->nodes.velocity, 3 * (size_t)n * sizeof(double));
    acm->now = t;
    if (acm->forces.nrun > 0) {
        BRN_TRY(brn_acm_forces_act(acm, t, acm->forces.finest));
    }
    BRN_TRY(brn_acm_outer_act(acm, t));
    if (acm->forces.nrun > 0) {
        brn_acm_book_damping(acm, acm->forces.finest);
    }
    if (acm->dcr->count > 0) {
        book_normal(acm, normal);
    }
    return BRN_OK;
}

brn_status brn_acm_dcr_run(brn_acm *acm, brn_tick end)
{
    brn_arena *arena = brn_ctx_arena(acm->ctx);
    const brn_tick step = (brn_tick)1 << acm->outer;
    acm->dcr->count = 0;
    acm->dcr->residual = 0.0;
    for (brn_tick t = (acm->now / step + 1) * step; t <= end; t += step) {
        const brn_arena_mark mark = brn_arena_now(arena);
        const brn_status status = step_to(acm, t);
        brn_arena_rewind(arena, mark);
        BRN_TRY(status);
        if (t / step % OFTEN == 0) {
            BRN_TRY(brn_ctx_check(acm->ctx));
        }
        if (acm->params->events > 0.0 && acm->sums.events + acm->sums.contact_events > acm->params->events) {
            return brn_fail(acm->ctx, BRN_ERR_LIMIT,
                            "t = %g s: more than %g events in a step (method.events)", (double)t * acm->tick,
                            acm->params->events);
        }
    }
    acm->now = end;
    return BRN_OK;
}

/* ---- what is told ------------------------------------------------------------------------------------------------------------- */

static void fill_point(const brn_acm *acm, const contact *c, const double *x, const double *v,
                       brn_contact_point *to)
{
    const int *node = c->pair.node;
    const double h = acm->seconds[acm->outer];
    brn_contact_pair placed = {
        .kind = c->pair.kind, .offset = c->pair.offset, .d2 = c->at.distance * c->at.distance};
    memcpy(placed.node, node, sizeof placed.node);
    *to = (brn_contact_point){
        .body = {acm->skin->node_body[node[0]], acm->skin->node_body[node[brn_touch_count(node) - 1]]},
        .gap = linear_gap(c, x),
        .normal_force = c->push / h,
        .mu = c->mu};
    memcpy(to->normal, c->at.normal, sizeof to->normal);
    brn_pair_place(acm->skin, &placed, x, c->at.weight, c->at.normal, to->place);
    for (int i = 0; i < 3; ++i) {
        to->friction[i] = c->rub[i] / h;
        for (int k = 0; k < brn_touch_count(node); ++k) {
            to->slip[i] += c->at.weight[k] * v[3 * node[k] + i];
        }
    }
    const double normal = brn_dense_dot3(to->slip, to->normal);
    for (int i = 0; i < 3; ++i) {
        to->slip[i] -= normal * to->normal[i];
    }
}

brn_status brn_acm_dcr_report(brn_acm *acm, const double *x, const double *v, brn_step_info *info)
{
    brn_acm_dcr *dcr = acm->dcr;
    acm->npoint = 0;
    info->contact_energy = 0.0;
    info->residual = dcr->residual;
    BRN_TRY(brn_candidates_find(acm->candidates, x, x, acm->distance));
    for (int i = 0; i < brn_candidates_count(acm->candidates); ++i) {
        const brn_candidate *c = &brn_candidates_get(acm->candidates)[i];
        brn_contact_pair near;
        if (!brn_pair_measure(c, x, 0.5 * c->reach, &near)) {
            continue;
        }
        const double gap = brn_pair_gap(&near);
        info->gap_min = fmin(info->gap_min, gap);
        if (gap < 0.0) { /* it will be answered at the next step */
            double at[4][3] = {{0}};
            contact deep = {.pair = *c};
            (void)brn_candidate_gather(c->node, x, at);
            deep.at.distance =
                sqrt(brn_pair_frame(&near, (const double(*)[3])at, deep.at.weight, deep.at.normal));
            BRN_GROW(acm->ctx, acm->point, acm->point_capacity, acm->npoint + 1);
            fill_point(acm, &deep, x, v, &acm->point[acm->npoint++]);
        }
    }
    BRN_GROW(acm->ctx, acm->point, acm->point_capacity, acm->npoint + dcr->count + 1);
    for (int i = 0; i < dcr->count; ++i) {
        const contact *c = &dcr->contact[i];
        if (c->push > 0.0) {
            brn_contact_point *to = &acm->point[acm->npoint++];
            fill_point(acm, c, x, v, to);
            info->complementarity = fmax(info->complementarity, to->gap);
            info->complementarity_offset = fmax(info->complementarity_offset, c->clear);
        }
    }
    info->contacts = acm->npoint;
    info->point = acm->point;
    info->npoint = acm->npoint;
    dcr->count = 0; /* a state that is set by hand has none */
    dcr->residual = 0.0;
    return BRN_OK;
}
