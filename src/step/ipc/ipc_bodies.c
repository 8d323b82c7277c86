#include "step/ipc/ipc_bodies.h"

#include "linalg/dense.h"
#include "step/ipc/ipc.h"

#include <math.h>
#include <string.h>

/* dhat over size: a thousandth of the strain to be expected, within these bounds; of rigid bodies. */
static const double PER_STRAIN = 1e-3, LEAST = 5e-6, MOST = 1e-3, RIGID = 1e-4;
/* A gap at the start makes dhat a little smaller than itself, but not below this fraction of the size, nor this one of the
   coordinates, whose rounding is 1e-16. */
static const double WITHIN_GAP = 0.99, FLOOR = 1e-8, FLOOR_PLACE = 1e-11;
/* eps_v in sizes a second. */
static const double SPEED = 1e-3;

/* An adaptive stiffness is doubled while a gap shrinks below this fraction of dhat, up to this factor. */
static const double GAP_SMALL = 1e-4;
static const double STIFFEN_MOST = 1048576.0;

/* For every body: stiffness for the next step and of the last one [Pa], smallest gap in dhats. */
static const char MEMORY[] = "ipc.barrier";
enum { MEMORY_NEXT, MEMORY_LAST, MEMORY_CLOSEST, MEMORY_SIZE };

/* ---- sizes -------------------------------------------------------------------------------------------------------------- */

/* Diagonal of a body's box at rest [m]; *place: its largest coordinate. */
static double measure_size(const brn_model *model, const brn_body *body, double *place)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY};
    double hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int n = 0; n < body->boundary->nnode; ++n) {
        const double *x = model->rest[body->boundary->node[n]];
        for (int i = 0; i < 3; ++i) {
            lo[i] = fmin(lo[i], x[i]);
            hi[i] = fmax(hi[i], x[i]);
            *place = fmax(*place, fabs(x[i]));
        }
    }
    return hypot(hypot(hi[0] - lo[0], hi[1] - lo[1]), hi[2] - lo[2]);
}

/* Young's modulus, the largest, and the strain to be expected, also the largest. */
static double measure_strain(const brn_model *model, const brn_body *body, double size, double *young)
{
    const double *g = model->gravity;
    const double weight = sqrt(brn_dense_dot3(g, g)) * size;
    double speed2 = 0.0;
    double strain = 0.0;
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        speed2 = fmax(speed2, brn_dense_dot3(model->vel0[a], model->vel0[a]));
    }
    for (int i = 0; i < body->group_count; ++i) {
        const brn_element_group *group = model->group[body->group_first + i];
        const double bend = body->type == BRN_BODY_SHELL ? fmin(1.0, 2.0 * body->radius / size) : 1.0;
        const double soft = group->density / (group->young * bend);
        *young = fmax(*young, group->young);
        if (group->young > 0.0) {
            strain = fmax(strain, fmax(soft * weight, sqrt(soft * speed2)));
        }
    }
    return strain;
}

static void choose_body(const brn_ipc *ipc, int number, brn_ipc_body *to)
{
    const brn_model *model = ipc->model;
    const brn_body *body = &model->body[number];
    const brn_ipc_params *p = ipc->params;
    *to = (brn_ipc_body){.size = INFINITY, .dhat = INFINITY, .speed = INFINITY, .kappa_start = INFINITY};
    if (body->type != BRN_BODY_STATIC) {
        double place = 0.0;
        double young = 0.0;
        const double size = measure_size(model, body, &place);
        const double strain = measure_strain(model, body, size, &young);
        const double share =
            body->type == BRN_BODY_RIGID ? RIGID : fmin(fmax(PER_STRAIN * strain, LEAST), MOST);
        to->size = size > 0.0 ? size : ipc->system->size;
        to->dhat = fmax(share * to->size, FLOOR_PLACE * place);
        to->speed = SPEED * to->size;
        to->kappa_start = young > 0.0 ? 0.1 * young : 1.0;
    }
    to->dhat = isnan(p->dhat) ? to->dhat : p->dhat;
    to->speed = isnan(p->friction_speed) ? to->speed : p->friction_speed;
    to->kappa_start = isnan(p->kappa) ? to->kappa_start : p->kappa;
    to->kappa = to->kappa_start;
}

/* The smaller of two bodies gives way to a gap at the start; both, if they are alike. */
static void fit_gap(const brn_ipc *ipc, const brn_contact_pair *pair)
{
    const double gap = WITHIN_GAP * brn_pair_gap(pair);
    const int last = pair->node[brn_touch_count(pair->node) - 1];
    brn_ipc_body *a = &ipc->body[ipc->skin->node_body[pair->node[0]]];
    brn_ipc_body *b = &ipc->body[ipc->skin->node_body[last]];
    const double dhat = fmin(a->dhat, b->dhat);
    double least = fmin(FLOOR * fmin(a->size, b->size), dhat);
    for (int k = 0; k < brn_touch_count(pair->node); ++k) {
        const double *x = ipc->model->rest[pair->node[k]];
        least = fmax(least, FLOOR_PLACE * fmax(fmax(fabs(x[0]), fabs(x[1])), fabs(x[2])));
    }
    const double fitting = fmin(dhat, fmax(gap, least));
    a->dhat = a->dhat == dhat ? fitting : a->dhat;
    b->dhat = b->dhat == dhat ? fitting : b->dhat;
}

static void set_reach(brn_ipc *ipc)
{
    ipc->dhat_most = 0.0;
    for (int b = 0; b < ipc->model->nbody; ++b) {
        const double dhat = ipc->body[b].dhat;
        ipc->skin->reach[b] = dhat;
        ipc->dhat_most = isfinite(dhat) ? fmax(ipc->dhat_most, dhat) : ipc->dhat_most;
    }
}

static brn_status fit_gaps(brn_ipc *ipc, brn_candidates *candidates)
{
    const double *x = &ipc->model->rest[0][0];
    BRN_TRY(brn_candidates_find(candidates, x, x, ipc->dhat_most));
    BRN_GROW(ipc->ctx, ipc->contact, ipc->contact_capacity, brn_candidates_count(candidates));
    BRN_TRY(brn_pairs_find(candidates, x, ipc->dhat_most, ipc->contact, &ipc->ncontact));
    for (int i = 0; i < ipc->ncontact; ++i) {
        fit_gap(ipc, &ipc->contact[i]);
    }
    ipc->ncontact = 0;
    return BRN_OK;
}

brn_status brn_ipc_choose(brn_ipc *ipc)
{
    BRN_ALLOC(ipc->ctx, ipc->body, ipc->model->nbody);
    for (int b = 0; b < ipc->model->nbody; ++b) {
        choose_body(ipc, b, &ipc->body[b]);
    }
    set_reach(ipc);
    if (isnan(ipc->params->dhat)) {
        brn_candidates *candidates = NULL;
        BRN_TRY(brn_candidates_create(ipc->ctx, ipc->skin, &candidates));
        const brn_status status = fit_gaps(ipc, candidates);
        brn_candidates_destroy(candidates);
        BRN_TRY(status);
        set_reach(ipc);
    }
    return BRN_OK;
}

/* ---- stiffness ------------------------------------------------------------------------------------------------------------ */

/* A pair that may come within its reach in a step. */
typedef struct approach {
    int body[2];
    double area, speed, dhat;
    double sigma; /* [kg/m^2], in 2D [kg/m]: areal mass of the lighter side; +inf: both are rigid or still */
} approach;

/* Areal mass of the nodes of one side that deforms. */
static double areal_mass(const brn_ipc *ipc, const int *node, int count)
{
    const brn_body *body = &ipc->model->body[ipc->skin->node_body[node[0]]];
    double sigma = brn_body_has_cells(body->type) ? 0.0 : INFINITY;
    for (int k = 0; k < count && isfinite(sigma); ++k) {
        const double area = ipc->skin->node_area[node[k]];
        sigma = fmax(sigma, area > 0.0 ? ipc->model->node_mass[node[k]] / area : 0.0);
    }
    return sigma;
}

/* Whether a candidate may come within its reach if its nodes go on as they move. */
static bool look_ahead(const brn_ipc *ipc, const brn_candidate *c, const brn_state *in, double h, approach *out)
{
    brn_contact_pair pair;
    double at[4][3];
    double weight[4];
    double normal[3];
    double closing = 0.0;
    if (!brn_candidates_near(ipc->candidates, c, in->node_pos, ipc->far, c->reach)) {
        return false;
    }
    brn_candidate open = *c;
    open.reach = INFINITY;
    const int count = brn_candidate_gather(c->node, in->node_pos, at);
    if (!brn_pair_measure(&open, in->node_pos, INFINITY, &pair) || !(pair.d2 > 0.0)) {
        return false;
    }
    (void)brn_pair_frame(&pair, (const double(*)[3])at, weight, normal);
    for (int k = 0; k < count; ++k) {
        closing -= weight[k] * brn_dense_dot3(&in->node_vel[3 * c->node[k]], normal);
    }
    if (!(brn_pair_gap(&pair) - fmax(closing, 0.0) * h < c->reach)) {
        return false;
    }
    const int first = brn_pair_first_side(c->kind);
    *out = (approach){
        .body = {ipc->skin->node_body[c->node[0]], ipc->skin->node_body[c->node[count - 1]]},
        .area = c->area,
        .speed = fmax(closing, 0.0),
        .dhat = c->reach,
        .sigma = fmin(areal_mass(ipc, c->node, first), areal_mass(ipc, c->node + first, count - first)),
    };
    return true;
}

/* What an impact asks of the stiffness of a pair's bodies. */
static void demand(brn_ipc *ipc, const approach *a, double sigma)
{
    const double kappa = 0.25 * sigma * a->speed * a->speed / a->dhat;
    for (int k = 0; k < 2 && isfinite(kappa) && isnan(ipc->params->kappa); ++k) {
        brn_ipc_body *body = &ipc->body[a->body[k]];
        body->kappa = fmax(body->kappa, kappa);
    }
}

/* All pairs that may be in contact in a step: what they demand. Rigid bodies: the surface that may hit, all of it. */
static brn_status look_around(brn_ipc *ipc, const brn_state *in, double h)
{
    const brn_model *model = ipc->model;
    brn_arena *arena = brn_ctx_arena(ipc->ctx);
    brn_candidate_view view;
    double *area = NULL;
    approach *hard = NULL; /* between rigid or still bodies */
    int nhard = 0;
    BRN_TAKE(arena, area, model->nbody);
    BRN_TAKE(arena, hard, brn_candidates_count(ipc->candidates) + 1);
    memset(area, 0, (size_t)model->nbody * sizeof *area);
    brn_candidates_view(ipc->candidates, in->node_pos, ipc->far, &view);
    for (int i = 0; i < view.count; ++i) {
        const brn_candidate *c = &view.item[i];
        approach a;
        if (brn_candidate_least(&view, i) - brn_candidate_drift(c, view.step) > 1.001 * (c->offset + c->reach) ||
            !look_ahead(ipc, c, in, h, &a)) {
            continue;
        }
        for (int k = 0; k < 2; ++k) {
            ipc->body[a.body[k]].near = fmin(ipc->body[a.body[k]].near, a.dhat);
            area[a.body[k]] += a.area;
        }
        if (isinf(a.sigma)) {
            hard[nhard++] = a;
        } else {
            demand(ipc, &a, a.sigma);
        }
    }
    for (int i = 0; i < nhard; ++i) {
        double sigma = INFINITY;
        for (int k = 0; k < 2; ++k) {
            const brn_body *body = &model->body[hard[i].body[k]];
            const double areal = body->mass / area[hard[i].body[k]];
            sigma = body->type == BRN_BODY_STATIC ? sigma : fmin(sigma, areal);
        }
        demand(ipc, &hard[i], sigma);
    }
    return BRN_OK;
}

/* Energy of the barriers at x with the bodies' present stiffness [J]. */
static brn_status stored_energy(brn_ipc *ipc, const double *x, double *energy)
{
    ipc->nslide = 0;
    return ipc->terms.energy(ipc, x, energy);
}

brn_status brn_ipc_choose_stiffness(brn_ipc *ipc, const brn_state *in, double h, double *work)
{
    const int nbody = ipc->model->nbody;
    const brn_memory *memory = brn_state_recall(in, MEMORY);
    const bool known = memory != NULL && memory->count == (size_t)MEMORY_SIZE * (size_t)nbody;
    bool changed = false;
    for (int b = 0; b < nbody; ++b) {
        brn_ipc_body *body = &ipc->body[b];
        body->kappa = known ? memory->value[MEMORY_SIZE * b + MEMORY_NEXT] : body->kappa_start;
        body->near = body->dhat;
    }
    for (int i = 0; i < 3 * ipc->model->nnode; ++i) {
        ipc->far[i] = in->node_pos[i] + h * in->node_vel[i];
    }
    BRN_TRY(brn_ipc_find_candidates(ipc, in->node_pos, ipc->far));
    if (isnan(ipc->params->kappa) || isnan(ipc->params->dhat)) {
        brn_arena *arena = brn_ctx_arena(ipc->ctx);
        const brn_arena_mark mark = brn_arena_now(arena);
        const brn_status status = look_around(ipc, in, h);
        brn_arena_rewind(arena, mark);
        BRN_TRY(status);
    }
    *work = 0.0;
    for (int b = 0; b < nbody && known; ++b) {
        changed = changed || ipc->body[b].kappa != memory->value[MEMORY_SIZE * b + MEMORY_LAST];
    }
    if (changed) {
        double after = 0.0;
        BRN_TRY(stored_energy(ipc, in->node_pos, &after));
        double before = 0.0;
        for (int b = 0; b < nbody; ++b) {
            ipc->body[b].was = ipc->body[b].kappa;
            ipc->body[b].kappa = memory->value[MEMORY_SIZE * b + MEMORY_LAST];
        }
        const brn_status status = stored_energy(ipc, in->node_pos, &before);
        for (int b = 0; b < nbody; ++b) {
            ipc->body[b].kappa = ipc->body[b].was;
        }
        BRN_TRY(status);
        *work = after - before;
    }
    return BRN_OK;
}

brn_status brn_ipc_remember_stiffness(brn_ipc *ipc, const brn_state *in, brn_state *out)
{
    const int nbody = ipc->model->nbody;
    const size_t count = (size_t)MEMORY_SIZE * (size_t)nbody;
    const brn_memory *before = brn_state_recall(in, MEMORY);
    const bool known = before != NULL && before->count == count;
    double *memory = NULL;
    for (int b = 0; b < nbody; ++b) {
        ipc->body[b].closest = INFINITY;
    }
    for (int i = 0; i < ipc->ncontact; ++i) {
        const brn_contact_pair *c = &ipc->contact[i];
        const int ends[2] = {c->node[0], c->node[brn_touch_count(c->node) - 1]};
        for (int k = 0; k < 2; ++k) {
            brn_ipc_body *body = &ipc->body[ipc->skin->node_body[ends[k]]];
            body->closest = fmin(body->closest, brn_pair_gap(c) / c->reach);
        }
    }
    BRN_TRY(brn_state_remember(out, MEMORY, count, &memory));
    for (int b = 0; b < nbody; ++b) {
        const brn_ipc_body *body = &ipc->body[b];
        double *to = &memory[MEMORY_SIZE * b];
        const double last = known ? before->value[MEMORY_SIZE * b + MEMORY_CLOSEST] : INFINITY;
        const bool shrinks = body->closest < GAP_SMALL && body->closest < last;
        const bool stiffen =
            isnan(ipc->params->kappa) && shrinks && body->kappa < STIFFEN_MOST * body->kappa_start;
        to[MEMORY_NEXT] = stiffen ? 2.0 * body->kappa : body->kappa;
        to[MEMORY_LAST] = body->kappa;
        to[MEMORY_CLOSEST] = body->closest;
    }
    return BRN_OK;
}
