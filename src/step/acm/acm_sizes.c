/* What is chosen once: steps of elements, the tick, the first layer of each body. */
#include "step/acm/acm.h"

#include "base/lanes.h"
#include "phys/shells/spring.h"

#include <math.h>
#include <string.h>

/* Below the shortest step of an element there is room for layers this much finer: 2^32. */
enum { FINER = 32 };
/* Gravity, loads and motions act at steps 2^OUTER times the shortest, at most the longest of an element: they cost little. */
enum { OUTER = 3 };
/* And so often in the run and in each ramp of a load. */
static const double OUTER_RUN = 128.0, OUTER_RAMP = 32.0;
/* Forces act so often while something goes through the first layer that the phase in which it does so hardly matters: velocities between impulses are off by
   half of one, and a contact that is over sooner would reflect that. Of the layer's thickness, what is gone between two of them; and where
   layers do not give back all. */
static const double PASSING = 0.25, PASSING_LOSSY = 0.1;
/* But at most so many times as often as their own stability asks for: thin layers that something fast goes through do not stop the rest. */
static const double PASSING_MOST = 64.0, PASSING_MOST_LOSSY = 512.0;
/* A law with layers that lie close to the surface, or that spreads them (choose_power). */
static const double POWER_SLOW = 1.0, POWER_FAST = 0.25;
/* Step of a damped element times the rate at which damping slows it down; but at most so many times as many steps as without. */
static const double DAMPING = 0.5, DAMPING_MOST = 8.0;
/* Thickness of the first layer over the mean length of a body's edges. */
static const double ETA_EDGE = 0.05;
/* Of the smallest gap between two bodies at the start: what is apart is not pushed. */
static const double ETA_GAP = 0.9;
/* But not thinner than this of the edges: what is nearer is not known to be apart. */
static const double ETA_LEAST = 1e-8;
/* The largest eigenvalue is found from below: to this share, at least. */
static const double POWER_SLACK = 1.1, POWER_TOL = 1e-3;
enum { POWER_ITERATIONS = 40 };

/* ---- steps of elements -------------------------------------------------------------------------------------------------- */

/* y = M^-1/2 K M^-1/2 x, K as blocks a <= b of an element. */
static void multiply(const double *hess, const double *root, int width, int dim, const double *x, double *y)
{
    memset(y, 0, (size_t)(width * dim) * sizeof *y);
    for (int a = 0; a < width; ++a) {
        for (int b = a; b < width; ++b, hess += dim * dim) {
            for (int i = 0; i < dim * dim; ++i) {
                const int row = a * dim + i / dim;
                const int column = b * dim + i % dim;
                const double k = hess[i] * root[a] * root[b];
                y[row] += k * x[column];
                y[column] += a != b ? k * x[row] : 0.0;
            }
        }
    }
}

/* [1/s^2] Largest eigenvalue of an element with its share of the masses of its nodes; x, y: [width*dim] scratch. */
static double largest(const double *hess, const double *root, int width, int dim, double *x, double *y)
{
    const int n = width * dim;
    double value = 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] = 1.0 + 0.37 * ((i * 7) % 5) - 0.21 * ((i * 11) % 7); /* no symmetry of an element has it */
    }
    for (int iteration = 0; iteration < POWER_ITERATIONS; ++iteration) {
        double norm = 0.0;
        multiply(hess, root, width, dim, x, y);
        for (int i = 0; i < n; ++i) {
            norm += y[i] * y[i];
        }
        norm = sqrt(norm);
        if (!(norm > 0.0)) {
            return 0.0;
        }
        for (int i = 0; i < n; ++i) {
            x[i] = y[i] / norm;
        }
        if (fabs(norm - value) < POWER_TOL * norm) {
            return POWER_SLACK * norm;
        }
        value = norm;
    }
    return POWER_SLACK * value;
}

/* [1/s^2] Of a spring as stiff as it is when it pulls. */
static double slack_spring(const brn_spring *springs, int i, const double root[2])
{
    return springs->stiffness[i] * (root[0] * root[0] + root[1] * root[1]);
}

/* [s] With damping by beta an element is slowed down at the rate beta lambda, which impulses have to resolve; where that asks for much more of
   them the fastest vibrations are damped less than asked for (acm_damping.c). */
static double element_step(const brn_acm *acm, double lambda, double beta)
{
    if (!(lambda > 0.0)) {
        return INFINITY;
    }
    const double elastic = acm->params->safety * 2.0 / sqrt(lambda);
    const double viscous = beta > 0.0 ? DAMPING / (beta * lambda) : INFINITY;
    return fmax(elastic / DAMPING_MOST, fmin(elastic, viscous));
}

static brn_status group_steps(const brn_acm *acm, const brn_element_group *group, double *step)
{
    const brn_model *model = acm->model;
    const brn_stencils stencils = brn_group_stencils(group);
    const brn_spring *springs = brn_spring_of_group(group);
    brn_arena *arena = brn_ctx_arena(acm->ctx);
    const int size = brn_group_hess_size(group);
    int *shared = NULL;
    double *hess = NULL;
    double *root = NULL;
    double *scratch = NULL;
    BRN_TAKE(arena, shared, model->nnode);
    BRN_TAKE(arena, hess, BRN_LANES * size);
    BRN_TAKE(arena, root, stencils.width);
    BRN_TAKE(arena, scratch, 6 * stencils.width);
    memset(shared, 0, (size_t)model->nnode * sizeof *shared);
    for (int i = 0; i < stencils.count * stencils.width; ++i) {
        shared[stencils.node[i]]++;
    }
    for (int first = 0; first < stencils.count; first += BRN_LANES) {
        const int count = first + BRN_LANES < stencils.count ? BRN_LANES : stencils.count - first;
        group->kind->eval(group, (const double(*)[3])model->rest, first, count, BRN_TANGENT_EXACT, NULL, NULL,
                          hess);
        for (int e = 0; e < count; ++e) {
            for (int k = 0; k < stencils.width; ++k) {
                const int a = stencils.node[(first + e) * stencils.width + k];
                root[k] = sqrt((double)shared[a] * acm->inverse[a]);
            }
            const double lambda = springs != NULL ? slack_spring(springs, first + e, root)
                                                  : largest(&hess[e * size], root, stencils.width, group->dim,
                                                            scratch, &scratch[3 * stencils.width]);
            step[first + e] = element_step(acm, lambda, springs != NULL ? 0.0 : group->beta);
        }
    }
    return BRN_OK;
}

brn_status brn_acm_stable_steps(brn_acm *acm, double *step)
{
    brn_arena *arena = brn_ctx_arena(acm->ctx);
    for (int i = 0; i < acm->system->npart; ++i) {
        const brn_arena_mark mark = brn_arena_now(arena);
        const brn_status status = group_steps(acm, acm->system->part[i], step);
        brn_arena_rewind(arena, mark);
        BRN_TRY(status);
        step += brn_group_stencils(acm->system->part[i]).count;
    }
    return BRN_OK;
}

int brn_acm_level_below(const brn_acm *acm, double h)
{
    int level = 0;
    while (level + 1 < BRN_ACM_LEVELS && acm->seconds[level + 1] <= h) {
        ++level;
    }
    return level;
}

/* Elements that move nothing, or are not stiff, act with the slowest of the others; in a synchronous run all with the fastest. */
static void limit_steps(const brn_acm *acm, double *step, size_t count)
{
    double most = 0.0;
    double least = INFINITY;
    for (size_t i = 0; i < count; ++i) {
        most = isfinite(step[i]) ? fmax(most, step[i]) : most;
        least = fmin(least, step[i]);
    }
    most = brn_acm_schedule(acm) == BRN_ACM_SYNCHRONOUS && most > 0.0 ? least : most;
    for (size_t i = 0; i < count; ++i) {
        step[i] = fmin(step[i], most > 0.0 ? most : acm->model->step);
    }
}

/* A tick, so that there are FINER levels below the shortest step and the end of the run can be counted. */
static brn_status choose_tick(brn_acm *acm, double *step, size_t count)
{
    const brn_model *model = acm->model;
    double least = model->step;
    limit_steps(acm, step, count);
    for (size_t i = 0; i < count; ++i) {
        least = fmin(least, step[i]);
    }
    least = acm->params->step > 0.0 ? fmin(least, acm->params->step) : least;
    if (!(least > 0.0)) {
        return brn_fail(acm->ctx, BRN_ERR_RANGE, "method acm: an element has no stable step");
    }
    acm->tick = exp2(floor(log2(least)) - FINER);
    for (int level = 0; level < BRN_ACM_LEVELS; ++level) {
        acm->seconds[level] = ldexp(acm->tick, level);
    }
    if (!((model->end + model->step) / acm->tick < 0x1p62) && least == acm->params->step) {
        return brn_fail(
            acm->ctx, BRN_ERR_LIMIT,
            "time.end = %g s is more than 2^30 of method.step = %.3g s: stop earlier, or make it longer",
            model->end, least);
    }
    if (!((model->end + model->step) / acm->tick < 0x1p62)) {
        return brn_fail(
            acm->ctx, BRN_ERR_LIMIT,
            "time.end = %g s is more than 2^30 of the shortest step, %.3g s: stop earlier, or make the "
            "smallest or stiffest elements larger or softer",
            model->end, least);
    }
    return BRN_OK;
}

/* [s] The shortest in which a node can be bounced off in its first layer, v^2 m / 2 = r d^2 / 2 for the depth d, if that is given stiff or by a short step. */
static double bouncing_time(const brn_acm *acm, double mass)
{
    const brn_acm_params *given = acm->params;
    return given->stiffness > 0.0 ? sqrt(mass / given->stiffness)
           : given->step > 0.0    ? given->step / given->resolution
                                  : INFINITY;
}

/* Whether a layer of any pair gives back less than it took. */
static bool restitution_loses(const brn_acm *acm)
{
    const double *restitution = acm->model->contact_key[BRN_CONTACT_RESTITUTION];
    const int nbody = acm->model->nbody;
    for (int a = 0; a < nbody && restitution != NULL; ++a) {
        for (int b = 0; b <= a; ++b) {
            if (restitution[brn_model_pair(acm->model, a, b)] < 1.0) {
                return true;
            }
        }
    }
    return false;
}

/* [s] The longest step of forces on what may touch, given its mass. Layers that do not give back all take what forces have given since their last
   impulse, h^2 f^2 / 2m, before nodes have moved, and these would give it again: energy from nowhere, in every step of what rests. So steps of
   forces are hardly longer than theirs. */
static double passing_step(const brn_acm *acm, double mass)
{
    const double through = acm->eta_least / acm->speed;
    const double time = bouncing_time(acm, mass);
    if (acm->loses) {
        return PASSING_LOSSY * fmin(through, time);
    }
    /* A force that sets in smoothly stops it later, r d^3 / 6 w for r d^2 / 2. */
    const double power = acm->params->power > 0.0 ? acm->params->power : POWER_FAST;
    const double width = acm->eta_least * (1.0 - exp2(-power));
    const bool smooth = acm->params->layers == BRN_ACM_CUBIC && acm->speed * time < width;
    return PASSING * fmin(through, smooth ? cbrt(3.0 * width * time * time / acm->speed) : time);
}

/* [kg] The least of nodes that touch and move. */
static double least_mass(const brn_acm *acm, const int *node, int count)
{
    double least = INFINITY;
    for (int k = 0; k < count; ++k) {
        const double inverse = acm->touches[node[k]] ? acm->inverse[node[k]] : 0.0;
        least = inverse > 0.0 ? fmin(least, 1.0 / inverse) : least;
    }
    return least;
}

/* [s] Of an element at the skin whose own step would be that long. Where layers do not give back all, it acts at their ticks whatever the schedule, so that
   what it gives is answered before nodes have moved. */
static double skin_step(const brn_acm *acm, double step, double mass)
{
    const double most = passing_step(acm, mass);
    if (!(step > most)) {
        return step;
    }
    return acm->loses ? exp2(floor(log2(fmax(most, step / PASSING_MOST_LOSSY))))
                      : fmax(most, step / PASSING_MOST);
}

/* Elements at the skin act often enough for contact; what layers are compared with answers contact in another way. */
static void keep_up(const brn_acm *acm, double *step)
{
    for (int p = 0; p < acm->system->npart; ++p) {
        const brn_stencils stencils = brn_group_stencils(acm->system->part[p]);
        for (int e = 0; e < stencils.count; ++e, ++step) {
            const int *node = &stencils.node[(size_t)e * (size_t)stencils.width];
            bool touches = false;
            for (int k = 0; k < stencils.width; ++k) {
                touches = touches || acm->touches[node[k]] != 0;
            }
            if (touches && acm->params->response == BRN_ACM_LAYERS) {
                *step = skin_step(acm, *step, least_mass(acm, node, stencils.width));
            }
        }
    }
}

/* [s] Of each node the shortest step of an element at it; of a damped one. */
static void least_steps(const brn_acm *acm, const double *step, bool damped, double *least)
{
    for (int a = 0; a < acm->model->nnode; ++a) {
        least[a] = INFINITY;
    }
    for (int i = 0; i < acm->system->npart; ++i) {
        const brn_stencils stencils = brn_group_stencils(acm->system->part[i]);
        const bool counts = !damped || acm->system->part[i]->beta > 0.0;
        for (int k = 0; k < stencils.count * stencils.width && counts; ++k) {
            const int a = stencils.node[k];
            least[a] = fmin(least[a], step[k / stencils.width]);
        }
        step += stencils.count;
    }
}

/* A spring or an element at damped ones acts as often as they do. Between two impulses of a longer step they would take what it gives, h^2 f^2 / 2m each
   time, and it, whose nodes have hardly moved, would give it again: energy from nowhere. A spring at any elements does, for what it gives in a longer step
   stays in their vibrations. */
static brn_status join_steps(const brn_acm *acm, double *step)
{
    double *damped = NULL;
    double *any = NULL;
    BRN_TAKE(brn_ctx_arena(acm->ctx), damped, acm->model->nnode + 1);
    BRN_TAKE(brn_ctx_arena(acm->ctx), any, acm->model->nnode + 1);
    least_steps(acm, step, true, damped);
    least_steps(acm, step, false, any);
    for (int i = 0; i < acm->system->npart; ++i) {
        const brn_stencils stencils = brn_group_stencils(acm->system->part[i]);
        const double *least = brn_spring_of_group(acm->system->part[i]) != NULL ? any : damped;
        for (int k = 0; k < stencils.count * stencils.width; ++k) {
            step[k / stencils.width] = fmin(step[k / stencils.width], least[stencils.node[k]]);
        }
        step += stencils.count;
    }
    return BRN_OK;
}

/* [s] The longest step of gravity, loads and motions that the run's length and ramps of loads allow: places between two impulses are off by h^2 f / 8m. */
static double outer_step(const brn_acm *acm)
{
    double h = acm->model->end / OUTER_RUN;
    for (int i = 0; i < acm->model->nload; ++i) {
        const double ramp = acm->model->load[i].ramp_to - acm->model->load[i].ramp_from;
        h = ramp > 0.0 ? fmin(h, ramp / OUTER_RAMP) : h;
    }
    return h;
}

static brn_status make_forces(brn_acm *acm)
{
    size_t count = 0;
    double *step = NULL;
    for (int i = 0; i < acm->system->npart; ++i) {
        count += (size_t)brn_group_stencils(acm->system->part[i]).count;
    }
    BRN_TAKE(brn_ctx_arena(acm->ctx), step, count + 1);
    BRN_TRY(brn_acm_stable_steps(acm, step));
    keep_up(acm, step);
    BRN_TRY(join_steps(acm, step));
    BRN_TRY(choose_tick(acm, step, count));
    BRN_TRY(brn_acm_forces_create(acm, step));
    const brn_acm_forces *f = &acm->forces;
    const int often = f->finest + OUTER < f->coarsest ? f->finest + OUTER : f->coarsest;
    acm->outer = f->nrun > 0 ? often : brn_acm_level_below(acm, acm->model->step);
    if (acm->params->response == BRN_ACM_LAYERS) {
        const int slowly = brn_acm_level_below(acm, outer_step(acm));
        acm->outer = slowly < acm->outer ? slowly : acm->outer;
        const double mass = least_mass(acm, acm->skin->point, acm->skin->npoint);
        const int passing = brn_acm_level_below(acm, passing_step(acm, mass));
        const int least = f->nrun > 0 && passing < f->finest ? f->finest : passing;
        acm->outer = least < acm->outer ? least : acm->outer;
    }
    return BRN_OK;
}

/* ---- layers ---------------------------------------------------------------------------------------------------------------- */

/* [m] Mean length of the edges of a body's skin; of a core its radius. */
static brn_status edge_lengths(const brn_acm *acm, double *mean)
{
    const brn_skin *skin = acm->skin;
    int *count = NULL;
    BRN_TAKE(brn_ctx_arena(acm->ctx), count, acm->model->nbody);
    memset(count, 0, (size_t)acm->model->nbody * sizeof *count);
    for (int e = 0; e < skin->nedge; ++e) {
        const double *a = acm->model->rest[skin->edge[e][0]], *b = acm->model->rest[skin->edge[e][1]];
        const int body = skin->node_body[skin->edge[e][0]];
        mean[body] += hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
        count[body]++;
    }
    for (int b = 0; b < acm->model->nbody; ++b) {
        const bool moves = acm->model->body[b].type != BRN_BODY_STATIC;
        mean[b] = moves && count[b] > 0 ? mean[b] / count[b] : INFINITY;
    }
    return BRN_OK;
}

/* What is apart at the start is not pushed, however near it is. */
static void respect_gaps(brn_acm *acm, const brn_candidates *candidates, const double *mean)
{
    const double *x = acm->model->rest[0];
    for (int i = 0; i < brn_candidates_count(candidates); ++i) {
        const brn_candidate *c = &brn_candidates_get(candidates)[i];
        const int body[2] = {acm->skin->node_body[c->node[0]],
                             acm->skin->node_body[c->node[brn_touch_count(c->node) - 1]]};
        brn_contact_pair pair;
        if (body[0] == body[1] || !brn_pair_measure(c, x, INFINITY, &pair)) {
            continue;
        }
        for (int side = 0; side < 2; ++side) {
            double *eta = &acm->eta[body[side]];
            const double gap = fmax(ETA_GAP * brn_pair_gap(&pair), ETA_LEAST * mean[body[side]]);
            *eta = fmin(*eta, gap);
        }
    }
}

/* Thin enough for the meshes and for gaps at the start. Pairs are looked for within twice the first layer: within a window they may come
   nearer than straight lines say by one. */
static brn_status choose_eta(brn_acm *acm)
{
    const brn_model *model = acm->model;
    const bool given = acm->params->thickness > 0.0;
    double widest = 0.0;
    double *mean = NULL;
    BRN_ALLOC(acm->ctx, acm->eta, model->nbody + 1);
    BRN_TAKE(brn_ctx_arena(acm->ctx), mean, model->nbody + 1);
    memset(mean, 0, (size_t)model->nbody * sizeof *mean);
    BRN_TRY(edge_lengths(acm, mean));
    for (int b = 0; b < model->nbody; ++b) {
        acm->eta[b] = given ? acm->params->thickness : ETA_EDGE * mean[b];
        acm->skin->reach[b] = acm->eta[b];
        widest = isfinite(acm->eta[b]) ? fmax(widest, acm->eta[b]) : widest;
    }
    acm->distance = 2.0 * widest;
    if (!given) {
        brn_candidates *first = NULL;
        BRN_TRY(brn_candidates_create(acm->ctx, acm->skin, &first));
        const brn_status status = brn_candidates_find(first, model->rest[0], model->rest[0], widest);
        if (status >= 0) {
            respect_gaps(acm, first, mean);
        }
        brn_candidates_destroy(first);
        BRN_TRY(status);
    }
    acm->eta_least = INFINITY;
    for (int b = 0; b < model->nbody; ++b) {
        acm->skin->reach[b] = 2.0 * acm->eta[b];
        acm->eta_least = fmin(acm->eta_least, acm->eta[b]);
    }
    acm->eta_least = isfinite(acm->eta_least) ? acm->eta_least : 1.0;
    return brn_candidates_create(acm->ctx, acm->skin, &acm->candidates);
}

/* [m/s] The fastest that motions move a node, as far as a number of moments show. */
static double fastest_motion(const brn_acm *acm)
{
    enum { MOMENTS = 64 };
    double most = 0.0;
    for (int i = 0; i < acm->model->nhold; ++i) {
        const brn_hold *hold = &acm->model->hold[i];
        for (int k = 0; k < hold->nnode; ++k) {
            for (int m = 1; m <= MOMENTS; ++m) {
                double v[3];
                const double t = acm->model->end * m / MOMENTS;
                brn_controls_place(acm->system->controls, i, hold->node[k], t, NULL, v);
                most = fmax(most, hypot(hypot(v[0], v[1]), v[2]));
            }
        }
    }
    return most;
}

/* [m/s] How fast things may come together: as they move at the start, or will by a motion, or fall, through the scene or as long as the run
   lasts. */
static double greatest_speed(const brn_acm *acm)
{
    const brn_model *model = acm->model;
    const double g = hypot(hypot(model->gravity[0], model->gravity[1]), model->gravity[2]);
    double most = fmin(sqrt(2.0 * g * acm->system->size), g * model->end);
    for (int a = 0; a < model->nnode; ++a) {
        most = fmax(most, hypot(hypot(model->vel0[a][0], model->vel0[a][1]), model->vel0[a][2]));
    }
    return 2.0 * fmax(most, fastest_motion(acm));
}

/* A law with layers that lie close to the surface costs fewer events in slow contact, one that spreads them in fast impact: by the depth
   law they cost the same at v h / (resolution eta) = 3. */
static double choose_power(const brn_acm *acm)
{
    static const double EVEN = 3.0;
    const double h = acm->params->step > 0.0 ? acm->params->step
                     : acm->forces.nrun > 0  ? acm->seconds[acm->forces.coarsest]
                                             : acm->model->step;
    const double ratio = acm->speed * h / (acm->params->resolution * acm->eta_least);
    return acm->params->power > 0.0 ? acm->params->power : ratio > EVEN ? POWER_FAST : POWER_SLOW;
}

/* ---- nodes ----------------------------------------------------------------------------------------------------------------- */

brn_status brn_acm_hold(brn_acm *acm)
{
    const brn_model *model = acm->model;
    const unsigned all = model->dim == 3 ? 7u : 3u;
    acm->nheld = 0;
    for (int a = 0; a < model->nnode; ++a) {
        const int row = model->node_row[a];
        unsigned axes = row < 0 ? all : 0u;
        for (int i = 0; i < model->dim && row >= 0; ++i) {
            axes |= model->fixed[row * model->dim + i] == BRN_DOF_FREE ? 0u : 1u << i;
        }
        acm->axes[a] = (unsigned char)axes;
        acm->inverse[a] = axes != all && model->node_mass[a] > 0.0 ? 1.0 / model->node_mass[a] : 0.0;
        acm->held_of[a] = axes != 0 ? acm->nheld : -1;
        if (axes != 0) {
            acm->held[acm->nheld++] = a;
        }
    }
    return BRN_OK;
}

static brn_status make_damping(brn_acm *acm)
{
    const brn_model *model = acm->model;
    if (model->mass_alpha == NULL) {
        return BRN_OK;
    }
    BRN_ALLOC(acm->ctx, acm->slowing, model->nnode);
    for (int row = 0; row < model->nrow; ++row) {
        const int a = model->row_node[row];
        acm->slowing[a] = model->node_mass[a] > 0.0
                              ? model->mass_alpha[model->mass->start[row]] / model->node_mass[a]
                              : 0.0;
    }
    return BRN_OK;
}

/* [m] How far from a place nodes may be: where they are at rest, and as far again. */
static double plane_reach(const brn_acm *acm, const double place[3])
{
    double most = 0.0;
    for (int i = 0; i < acm->skin->npoint; ++i) {
        const double *x = acm->model->rest[acm->skin->point[i]];
        most = fmax(most, hypot(hypot(x[0] - place[0], x[1] - place[1]), x[2] - place[2]));
    }
    return 2.0 * most;
}

static brn_status make_nodes(brn_acm *acm)
{
    const size_t n = (size_t)acm->model->nnode + 1;
    brn_acm_nodes *nodes[] = {&acm->nodes, &acm->saved};
    for (int i = 0; i < 2; ++i) {
        BRN_ALLOC(acm->ctx, nodes[i]->place, 3 * n);
        BRN_ALLOC(acm->ctx, nodes[i]->velocity, 3 * n);
        BRN_ALLOC(acm->ctx, nodes[i]->before, 3 * n);
        BRN_ALLOC(acm->ctx, nodes[i]->clock, n);
        BRN_ALLOC(acm->ctx, nodes[i]->received, BRN_ACM_RECEIVED * n);
    }
    BRN_ALLOC(acm->ctx, acm->from, 3 * n);
    BRN_ALLOC(acm->ctx, acm->ahead, 3 * n);
    BRN_ALLOC(acm->ctx, acm->strayed, n);
    BRN_ALLOC(acm->ctx, acm->inverse, n);
    BRN_ALLOC(acm->ctx, acm->axes, n);
    BRN_ALLOC(acm->ctx, acm->held, n);
    BRN_ALLOC(acm->ctx, acm->held_of, n);
    BRN_ALLOC(acm->ctx, acm->touches, n);
    BRN_ALLOC(acm->ctx, acm->node_level, n);
    BRN_ALLOC(acm->ctx, acm->force, (size_t)acm->system->ndof + 1);
    for (int a = 0; a < acm->model->nnode; ++a) {
        acm->node_level[a] = BRN_ACM_LEVELS;
    }
    for (int i = 0; i < acm->skin->npoint; ++i) {
        acm->touches[acm->skin->point[i]] = BRN_ACM_POINT;
    }
    acm->lever = 1.0;
    for (int i = 0; i < acm->skin->nplane; ++i) {
        const double *a = acm->model->rest[acm->skin->plane[i][0]],
                     *b = acm->model->rest[acm->skin->plane[i][1]];
        const double apart = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
        acm->lever = fmax(acm->lever, 1.0 + 2.0 * plane_reach(acm, a) / apart);
        for (int k = 0; k < acm->model->dim; ++k) {
            acm->touches[acm->skin->plane[i][k]] = BRN_ACM_PLANE;
        }
    }
    BRN_TRY(brn_acm_hold(acm));
    return make_damping(acm);
}

static brn_status create(brn_acm *acm)
{
    BRN_TRY(make_nodes(acm));
    BRN_TRY(choose_eta(acm));
    acm->speed = greatest_speed(acm);
    acm->loses = restitution_loses(acm);
    BRN_TRY(make_forces(acm));
    BRN_TRY(brn_acm_damping_create(acm));
    acm->window = acm->outer;
    return brn_acm_layers_create(acm->ctx, acm->params->layers, choose_power(acm), &acm->layers);
}

brn_status brn_acm_sizes_create(brn_acm *acm)
{
    brn_arena *arena = brn_ctx_arena(acm->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = create(acm);
    brn_arena_rewind(arena, mark);
    return status;
}
