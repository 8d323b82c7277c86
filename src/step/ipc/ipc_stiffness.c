/* The stiffness of the bodies' barriers: what a step needs (ipc_bodies.h), remembered in the state. */
#include "step/ipc/ipc.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* An adaptive stiffness is doubled while a gap shrinks below this fraction of dhat, up to this factor. */
static const double GAP_SMALL = 1e-4;
static const double STIFFEN_MOST = 1048576.0;

/* For every body: stiffness for the next step and of the last one [Pa], smallest gap in dhats, dhat [m]: a run that goes on
   with another end, and so other motions, keeps its barriers. */
static const char MEMORY[] = "ipc.barrier";
enum { MEMORY_NEXT, MEMORY_LAST, MEMORY_CLOSEST, MEMORY_DHAT, MEMORY_SIZE };

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
static bool look_ahead(const brn_ipc *ipc, const brn_candidate *c, const brn_state *in, double h,
                       approach *out)
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
        if (brn_candidate_least(&view, i) - brn_candidate_drift(c, view.step) >
                1.001 * (c->offset + c->reach) ||
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
        body->dhat = known && isnan(ipc->params->dhat) ? memory->value[MEMORY_SIZE * b + MEMORY_DHAT]
                                                       : body->dhat_start;
        body->near = body->dhat;
    }
    brn_ipc_set_reach(ipc);
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
        to[MEMORY_DHAT] = body->dhat;
    }
    return BRN_OK;
}

/* ---- when Newton's method may stop ------------------------------------------------------------------------------------------ */

/* The last step may change no force of a pair by more than this fraction of the largest on its body; it leaves about the square
   of that. */
static const double ACCURATE = 0.1, ACCURATE_STATIC = 0.02;
/* Nor may it be longer than this fraction of the smallest dhat that matters. */
static const double SHORT = 0.1;

void brn_ipc_allow_steps(brn_ipc *ipc, const double *x)
{
    const brn_model *model = ipc->model;
    const double share = model->integrator == BRN_STATIC ? ACCURATE_STATIC : ACCURATE;
    for (int b = 0; b < model->nbody; ++b) {
        ipc->body[b].force = ipc->body[b].stiffness = 0.0;
    }
    for (int i = 0; i < ipc->ncontact; ++i) {
        const brn_contact_pair *c = &ipc->contact[i];
        const int ends[2] = {c->node[0], c->node[brn_touch_count(c->node) - 1]};
        double at[4][3];
        (void)brn_candidate_gather(c->node, x, at);
        const double d2 = brn_stencil_distance2(c->stencil, (const double(*)[3])at, 0, NULL, NULL);
        const brn_barrier b = brn_ipc_barrier_of(ipc, c, d2); /* derivatives in d2 */
        for (int k = 0; k < 2; ++k) {
            brn_ipc_body *body = &ipc->body[ipc->skin->node_body[ends[k]]];
            body->force = fmax(body->force, -c->area * b.first * 2.0 * sqrt(d2));
            body->stiffness = fmax(body->stiffness, c->area * (4.0 * d2 * b.second + 2.0 * b.first));
        }
    }
    for (int i = 0; i < ipc->system->ndof; ++i) {
        const brn_ipc_body *body = &ipc->body[ipc->skin->node_body[model->row_node[i / model->dim]]];
        const double accurate = body->stiffness > 0.0 ? share * body->force / body->stiffness : INFINITY;
        ipc->allowed[i] =
            fmin(fmin(ipc->params->tolerance * body->size * ipc->h, SHORT * body->near), accurate);
    }
}
