/* Barriers of the pairs in contact. A pair with share of surface A has E = A m b(d), d = sqrt(D) - offset, D the squared
   distance of its parts, m the mollifier of nearly parallel edges (1 for others). With b' and b'' taken in D,
       grad = A (b grad m + m b' grad D),
       H = A (b H_m + b' (grad m grad D' + grad D grad m') + m (b'' grad D grad D' + b' H_D)). */
#include "step/ipc/ipc.h"

#include "geom/mollifier.h"
#include "linalg/dense.h"
#include "step/ipc/ipc_barrier.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 12 };

/* ---- the pairs in contact ----------------------------------------------------------------------------------------------- */

brn_status brn_ipc_find_candidates(brn_ipc *ipc, const double *x0, const double *x1)
{
    brn_stopwatch *watch = &ipc->system->watch;
    double *was = brn_stopwatch_switch(watch, &watch->phases.candidates);
    const brn_status status = brn_candidates_find(ipc->candidates, x0, x1, ipc->dhat_most);
    (void)brn_stopwatch_switch(watch, was);
    return status;
}

/* Contacts in the order of the candidates. */
static brn_status list_contacts(brn_ipc *ipc, const double *x)
{
    if (!brn_candidates_cover(ipc->candidates, x)) {
        BRN_TRY(brn_candidates_find(ipc->candidates, x, x, ipc->dhat_most));
    }
    BRN_GROW(ipc->ctx, ipc->contact, ipc->contact_capacity, brn_candidates_count(ipc->candidates));
    BRN_TRY(brn_pairs_find(ipc->candidates, x, ipc->dhat_most, ipc->contact, &ipc->ncontact));
    return ipc->params->convergent ? brn_ipc_merge_contacts(ipc, x) : BRN_OK;
}

/* Positions of the last search for contacts: compares them with x, or stores x. Returns whether they are the same. */
static bool visit_places(brn_ipc *ipc, const double *x, bool write)
{
    const brn_skin *skin = ipc->skin;
    const int *plane = (const int *)skin->plane;
    bool same = true;
    for (int i = 0; i < skin->npoint + 3 * skin->nplane && (same || write); ++i) {
        const int node = i < skin->npoint ? skin->point[i] : plane[i - skin->npoint];
        double *place = &ipc->looked_at[3 * i];
        same = node < 0 || memcmp(place, &x[3 * node], 3 * sizeof *x) == 0;
        if (write && node >= 0) {
            memcpy(place, &x[3 * node], 3 * sizeof *x);
        }
    }
    return same;
}

brn_status brn_ipc_find_contacts(brn_ipc *ipc, const double *x)
{
    if (ipc->looked && visit_places(ipc, x, false)) {
        return BRN_OK;
    }
    brn_stopwatch *watch = &ipc->system->watch;
    double *was = brn_stopwatch_switch(watch, &watch->phases.candidates);
    brn_arena *arena = brn_ctx_arena(ipc->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    ipc->looked = false;
    const brn_status status = list_contacts(ipc, x);
    brn_arena_rewind(arena, mark);
    (void)brn_stopwatch_switch(watch, was);
    BRN_TRY(status);
    (void)visit_places(ipc, x, true);
    ipc->looked = true;
    return BRN_OK;
}

/* ---- one barrier ------------------------------------------------------------------------------------------------------------ */

brn_barrier brn_ipc_barrier_of(const brn_ipc *ipc, const brn_contact_pair *c, double d2)
{
    const bool plane = c->kind == BRN_TOUCH_POINT_PLANE;
    const int kind = ipc->params->barrier == BRN_BARRIER_C2 ? BRN_BARRIER_C2
                     : plane                                ? BRN_BARRIER_LECTURE_PLANE
                                                            : BRN_BARRIER_LECTURE;
    const double d = sqrt(d2);
    const double kappa = brn_ipc_kappa(ipc, c->node[0], c->node[brn_touch_count(c->node) - 1]);
    const brn_barrier b = brn_barrier_at(kind, kappa, c->reach, d - c->offset);
    return (brn_barrier){b.value, b.first / (2.0 * d), (b.second - b.first / d) / (4.0 * d2)};
}

double brn_ipc_mollifier_threshold(const brn_ipc *ipc, const brn_contact_pair *c)
{
    double rest[4][3];
    (void)brn_candidate_gather(c->node, &ipc->model->rest[0][0], rest);
    return brn_mollifier_threshold((const double(*)[3])rest);
}

/* Spreads a stencil's gradient and Hessian over the candidate's nodes. */
static void spread(brn_stencil s, const double *g, const double *h, double *to_g, double *to_h)
{
    const int n = 3 * s.count;
    memset(to_g, 0, WIDTH * sizeof *to_g);
    if (to_h != NULL) {
        memset(to_h, 0, WIDTH * WIDTH * sizeof *to_h);
    }
    for (int i = 0; i < n; ++i) {
        const int row = 3 * s.node[i / 3] + i % 3;
        to_g[row] = g[i];
        for (int j = 0; j < n && to_h != NULL; ++j) {
            to_h[row * WIDTH + 3 * s.node[j / 3] + j % 3] = h[i * n + j];
        }
    }
}

double brn_ipc_barrier_term(const brn_ipc *ipc, const brn_contact_pair *c, const double *x, double *grad,
                            double *hess)
{
    double at[4][3];
    double g[WIDTH];
    double h[WIDTH * WIDTH];
    double gd[WIDTH];
    double hd[WIDTH * WIDTH];
    double gm[WIDTH] = {0};
    double hm[WIDTH * WIDTH];
    (void)brn_candidate_gather(c->node, x, at);
    const double(*nodes)[3] = (const double(*)[3])at;
    const int order = hess != NULL ? 2 : grad != NULL ? 1 : 0;
    const double d2 = brn_stencil_distance2(c->stencil, nodes, order, g, h);
    const brn_barrier b = brn_ipc_barrier_of(ipc, c, d2);
    double m = 1.0;
    bool mollified = false;
    if (c->kind == BRN_TOUCH_EDGE_EDGE) {
        const double eps = brn_ipc_mollifier_threshold(ipc, c);
        m = brn_mollifier(nodes, eps);
        mollified = m < 1.0;
        if (mollified && order == 2) {
            (void)brn_mollifier_hessian(nodes, eps, gm, hm);
        } else if (mollified && order == 1) {
            (void)brn_mollifier_gradient(nodes, eps, gm);
        }
    }
    if (order == 0) {
        return c->area * m * b.value;
    }
    spread(c->stencil, g, h, gd, order == 2 ? hd : NULL);
    for (int i = 0; i < WIDTH; ++i) {
        grad[i] = c->area * (b.value * gm[i] + m * b.first * gd[i]);
        for (int j = 0; j < WIDTH && order == 2; ++j) {
            const int at_ij = i * WIDTH + j;
            hess[at_ij] = c->area * m * (b.second * gd[i] * gd[j] + b.first * hd[at_ij]);
            if (mollified) {
                hess[at_ij] += c->area * (b.value * hm[at_ij] + b.first * (gm[i] * gd[j] + gd[i] * gm[j]));
            }
        }
    }
    return c->area * m * b.value;
}

double brn_ipc_normal_force(const brn_ipc *ipc, const brn_contact_pair *c, const double *x, double weight[4],
                            double normal[3])
{
    double at[4][3];
    (void)brn_candidate_gather(c->node, x, at);
    const double(*nodes)[3] = (const double(*)[3])at;
    const double d2 = brn_pair_frame(c, nodes, weight, normal);
    const double m =
        c->kind == BRN_TOUCH_EDGE_EDGE ? brn_mollifier(nodes, brn_ipc_mollifier_threshold(ipc, c)) : 1.0;
    return -c->area * m * brn_ipc_barrier_of(ipc, c, d2).first * 2.0 * sqrt(d2);
}
