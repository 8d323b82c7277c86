/* Barriers of the pairs in contact. A pair with share of surface A has E = A m b(d), d = sqrt(D) - offset, D the squared
   distance of its parts, m the mollifier of nearly parallel edges (1 for others). With b' and b'' meant by D,
       grad = A (b grad m + m b' grad D),
       H = A (b H_m + b' (grad m grad D' + grad D grad m') + m (b'' grad D grad D' + b' H_D)). */
#include "step/ipc/ipc.h"

#include "base/parallel.h"
#include "geom/mollifier.h"
#include "linalg/dense.h"
#include "step/ipc/ipc_barrier.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 12, FIND_BLOCK = 512 };

static const double SURE = 1.0 + 1e-9;

/* ---- the pairs in contact ----------------------------------------------------------------------------------------------- */

/* A half-space is met by its plane wherever that is. */
static brn_stencil classify(int kind, const int node[4], const double x[4][3])
{
    switch (kind) {
    case BRN_TOUCH_POINT_EDGE:
        return brn_classify_point_edge(x);
    case BRN_TOUCH_POINT_TRIANGLE:
        return brn_classify_point_triangle(x);
    case BRN_TOUCH_EDGE_EDGE:
        return brn_classify_edge_edge(x);
    case BRN_TOUCH_POINT_POINT:
        return (brn_stencil){BRN_PAIR_PP, 2, {0, 1, 0, 0}};
    default:
        return node[3] < 0 ? (brn_stencil){BRN_PAIR_PE, 3, {0, 1, 2, 0}}
                           : (brn_stencil){BRN_PAIR_PT, 4, {0, 1, 2, 3}};
    }
}

typedef struct find_job {
    const brn_ipc *ipc;
    brn_candidate_view view;
    const double *x;
    brn_ipc_contact *to; /* [view.count], each block from its first candidate's place on */
    int *found;          /* by block */
} find_job;

/* Whether a candidate is in contact. */
static bool in_contact(const find_job *job, const brn_candidate *c, brn_ipc_contact *to)
{
    double at[4][3];
    (void)brn_candidate_gather(c->node, job->x, at);
    const brn_stencil stencil = classify(c->kind, c->node, (const double(*)[3])at);
    const double d2 = brn_stencil_distance2(stencil, (const double(*)[3])at, 0, NULL, NULL);
    const double reach = job->ipc->dhat + c->offset;
    if (!(d2 < reach * reach && c->area > 0.0)) {
        return false;
    }
    *to = (brn_ipc_contact){
        .kind = c->kind, .stencil = stencil, .area = c->area, .offset = c->offset, .d2 = d2};
    memcpy(to->node, c->node, sizeof to->node);
    return true;
}

static brn_status find_block(void *arg, int block, brn_arena *scratch)
{
    const find_job *job = arg;
    (void)scratch;
    const int first = block * FIND_BLOCK;
    const int end = brn_block_end(job->view.count, FIND_BLOCK, block);
    int count = 0;
    for (int i = first; i < end; ++i) {
        const brn_candidate *c = &job->view.item[i];
        /* Most are further apart, which is seen from how far they were before; rounding is far below SURE - 1. */
        if (brn_candidate_least(&job->view, i) > SURE * (job->ipc->dhat + c->offset)) {
            continue;
        }
        count += in_contact(job, c, &job->to[first + count]);
    }
    job->found[block] = count;
    return BRN_OK;
}

brn_status brn_ipc_find_candidates(brn_ipc *ipc, const double *x0, const double *x1)
{
    brn_stopwatch *watch = &ipc->system->watch;
    double *was = brn_stopwatch_switch(watch, &watch->phases.candidates);
    const brn_status status = brn_candidates_find(ipc->candidates, x0, x1, ipc->dhat);
    (void)brn_stopwatch_switch(watch, was);
    return status;
}

/* Contacts in the order of the candidates. */
static brn_status list_contacts(brn_ipc *ipc, const double *x)
{
    find_job job = {.ipc = ipc, .x = x};
    if (!brn_candidates_cover(ipc->candidates, x)) {
        BRN_TRY(brn_candidates_find(ipc->candidates, x, x, ipc->dhat));
    }
    brn_candidates_view(ipc->candidates, x, NULL, &job.view);
    BRN_GROW(ipc->ctx, ipc->contact, ipc->contact_capacity, job.view.count);
    const int nblocks = brn_block_count(job.view.count, FIND_BLOCK);
    job.to = ipc->contact;
    BRN_TAKE(brn_ctx_arena(ipc->ctx), job.found, nblocks);
    BRN_TRY(brn_parallel_for(ipc->ctx, nblocks, find_block, &job));
    ipc->ncontact = 0;
    for (int b = 0; b < nblocks; ++b) {
        memmove(&ipc->contact[ipc->ncontact], &ipc->contact[b * FIND_BLOCK],
                (size_t)job.found[b] * sizeof *ipc->contact);
        ipc->ncontact += job.found[b];
    }
    return ipc->params->convergent ? brn_ipc_merge_contacts(ipc, x) : BRN_OK;
}

/* Where contacts were looked for last: compares with x, or writes x there. Returns whether they are the same. */
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

double brn_ipc_gap(const brn_ipc_contact *contact)
{
    return sqrt(contact->d2) - contact->offset;
}

/* ---- one barrier ------------------------------------------------------------------------------------------------------------ */

brn_barrier brn_ipc_barrier_of(const brn_ipc *ipc, const brn_ipc_contact *c, double d2)
{
    const bool plane = c->kind == BRN_TOUCH_POINT_PLANE;
    const int kind = ipc->params->barrier == BRN_BARRIER_C2 ? BRN_BARRIER_C2
                     : plane                                ? BRN_BARRIER_LECTURE_PLANE
                                                            : BRN_BARRIER_LECTURE;
    const double d = sqrt(d2);
    const brn_barrier b = brn_barrier_at(kind, ipc->kappa, ipc->dhat, d - c->offset);
    return (brn_barrier){b.value, b.first / (2.0 * d), (b.second - b.first / d) / (4.0 * d2)};
}

double brn_ipc_mollifier_threshold(const brn_ipc *ipc, const brn_ipc_contact *c)
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

double brn_ipc_barrier_term(const brn_ipc *ipc, const brn_ipc_contact *c, const double *x, double *grad,
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

double brn_ipc_normal_force(const brn_ipc *ipc, const brn_ipc_contact *c, const double *x, double weight[4],
                            double normal[3])
{
    double at[4][3];
    double w[4];
    (void)brn_candidate_gather(c->node, x, at);
    const double(*nodes)[3] = (const double(*)[3])at;
    const double d2 = brn_stencil_closest(c->stencil, nodes, w, normal);
    const double d = sqrt(d2);
    memset(weight, 0, 4 * sizeof *weight);
    for (int k = 0; k < c->stencil.count; ++k) {
        weight[c->stencil.node[k]] = w[k];
    }
    const double side = weight[0] + (c->kind == BRN_TOUCH_EDGE_EDGE ? weight[1] : 0.0); /* 1 or -1 */
    for (int i = 0; i < 3; ++i) {
        normal[i] *= (side < 0.0 ? -1.0 : 1.0) / d;
    }
    for (int k = 0; k < 4; ++k) {
        weight[k] = side < 0.0 ? -weight[k] : weight[k];
    }
    const double m =
        c->kind == BRN_TOUCH_EDGE_EDGE ? brn_mollifier(nodes, brn_ipc_mollifier_threshold(ipc, c)) : 1.0;
    return -c->area * m * brn_ipc_barrier_of(ipc, c, d2).first * 2.0 * d;
}
