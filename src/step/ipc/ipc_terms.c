/* What Newton's method needs from contact: energy, gradient and Hessian of barriers and friction. Terms are computed in
   parallel and added in order, so any number of threads gives the same bits. */
#include "step/ipc/ipc.h"

#include "base/parallel.h"
#include "step/ipc/ipc_scatter.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 12, CORE = 9, TERM_BLOCK = 64, CHUNK = 2048, NARROW = 4, WIDE = 8, COUPLE = 2 };

typedef struct term_job {
    const brn_ipc *ipc;
    const double *x;
    int first, end;
    double *to; /* energies, gradients [12] or Hessians [144] of contacts first... */
} term_job;

static brn_status energy_block(void *arg, int block, brn_arena *scratch)
{
    const term_job *job = arg;
    (void)scratch;
    const int end = brn_block_end(job->end, TERM_BLOCK, block);
    double sum = 0.0;
    for (int i = block * TERM_BLOCK; i < end; ++i) {
        sum += brn_ipc_barrier_term(job->ipc, &job->ipc->contact[i], job->x, NULL, NULL);
    }
    job->to[block] = sum;
    return BRN_OK;
}

static brn_status gradient_block(void *arg, int block, brn_arena *scratch)
{
    const term_job *job = arg;
    (void)scratch;
    const int end = brn_block_end(job->end, TERM_BLOCK, block);
    for (int i = block * TERM_BLOCK; i < end; ++i) {
        (void)brn_ipc_barrier_term(job->ipc, &job->ipc->contact[i], job->x, &job->to[WIDTH * i], NULL);
    }
    return BRN_OK;
}

static brn_status hessian_block(void *arg, int block, brn_arena *scratch)
{
    const term_job *job = arg;
    (void)scratch;
    const int end = brn_block_end(job->end - job->first, TERM_BLOCK, block);
    for (int i = block * TERM_BLOCK; i < end; ++i) {
        BRN_TRY(brn_ipc_barrier_projected(job->ipc, &job->ipc->contact[job->first + i], job->x,
                                          &job->to[WIDTH * WIDTH * i]));
    }
    return BRN_OK;
}

static brn_status ipc_energy(void *self, const double *x, double *value)
{
    brn_ipc *ipc = self;
    BRN_TRY(brn_ipc_find_contacts(ipc, x));
    const int nblocks = brn_block_count(ipc->ncontact, TERM_BLOCK);
    BRN_GROW(ipc->ctx, ipc->local, ipc->local_capacity, nblocks);
    term_job job = {ipc, x, 0, ipc->ncontact, ipc->local};
    BRN_TRY(brn_parallel_for(ipc->ctx, nblocks, energy_block, &job));
    double sum = 0.0;
    for (int b = 0; b < nblocks; ++b) {
        sum += ipc->local[b];
    }
    *value = sum + brn_ipc_friction_energy(ipc, x);
    return BRN_OK;
}

static brn_status ipc_gradient(void *self, const double *x, double *grad)
{
    brn_ipc *ipc = self;
    BRN_TRY(brn_ipc_find_contacts(ipc, x));
    brn_ipc_friction_gradient(ipc, x, grad);
    BRN_GROW(ipc->ctx, ipc->local, ipc->local_capacity, (size_t)ipc->ncontact * WIDTH);
    term_job job = {ipc, x, 0, ipc->ncontact, ipc->local};
    BRN_TRY(brn_parallel_for(ipc->ctx, brn_block_count(ipc->ncontact, TERM_BLOCK), gradient_block, &job));
    for (int n = 0; n < ipc->ncontact; ++n) {
        const int *node = ipc->contact[n].node;
        for (int k = 0; k < brn_touch_count(node); ++k) {
            brn_model_add_force(ipc->model, node[k], 1.0, &ipc->local[WIDTH * n + 3 * k], grad);
        }
    }
    return BRN_OK;
}

/* ---- Hessian --------------------------------------------------------------------------------------------------------------- */

/* Appends a stencil of `width` rows to a pattern, repeating the last of its n rows; sets *anew if it differs from the old one. */
static brn_status append_stencil(brn_ipc *ipc, int which, int width, const int *rows, int n, bool *anew)
{
    brn_ipc_pattern *p = &ipc->pattern[which];
    BRN_GROW(ipc->ctx, p->row, p->capacity, (size_t)(p->count + 1) * (size_t)width);
    for (int k = 0; k < width; ++k) {
        int *to = &p->row[p->count * width + k];
        const int value = rows[k < n ? k : n - 1];
        *anew = *anew || *to != value;
        *to = value;
    }
    p->count++;
    return BRN_OK;
}

/* Every pair of the rows that the nodes stand for: parts near an attachment have many masters. */
static brn_status append_couples(brn_ipc *ipc, const int *node, int count, bool *anew)
{
    const brn_model *model = ipc->model;
    for (int p = 0; p < count; ++p) {
        const brn_masters a = brn_model_masters(model, node[p]);
        for (int q = p; q < count; ++q) {
            const brn_masters b = brn_model_masters(model, node[q]);
            for (int i = 0; i < a.count; ++i) {
                for (int j = 0; j < b.count; ++j) {
                    const int couple[2] = {model->node_row[a.node[i]], model->node_row[b.node[j]]};
                    BRN_TRY(append_stencil(ipc, 2, COUPLE, couple, 2, anew));
                }
            }
        }
    }
    return BRN_OK;
}

/* Appends one pair's rows, without repetition, to the pattern of its width. */
static brn_status append_pattern(brn_ipc *ipc, const int *node, int count, bool *anew)
{
    int rows[WIDE];
    int n = 0;
    for (int k = 0; k < count; ++k) {
        const brn_masters on = brn_model_masters(ipc->model, node[k]);
        for (int r = 0; r < on.count; ++r) {
            const int row = ipc->model->node_row[on.node[r]];
            int at = 0;
            while (at < n && rows[at] != row) {
                ++at;
            }
            if (at == WIDE) {
                return append_couples(ipc, node, count, anew);
            }
            rows[at] = row;
            n = at == n ? n + 1 : n;
        }
    }
    return append_stencil(ipc, n > NARROW, n > NARROW ? WIDE : NARROW, rows, n, anew);
}

static brn_status read_pattern(brn_ipc *ipc, bool *anew)
{
    int before[BRN_IPC_PATTERNS];
    *anew = ipc->sum == NULL;
    for (int k = 0; k < BRN_IPC_PATTERNS; ++k) {
        before[k] = ipc->pattern[k].count;
        ipc->pattern[k].count = 0;
    }
    for (int i = 0; i < ipc->ncontact; ++i) {
        const int *node = ipc->contact[i].node;
        BRN_TRY(append_pattern(ipc, node, brn_touch_count(node), anew));
    }
    for (int i = 0; i < ipc->nslide; ++i) {
        BRN_TRY(append_pattern(ipc, ipc->slide[i].lever.node, ipc->slide[i].lever.count, anew));
    }
    for (int k = 0; k < BRN_IPC_PATTERNS; ++k) {
        *anew = *anew || before[k] != ipc->pattern[k].count;
    }
    return BRN_OK;
}

static brn_status friction_block(void *arg, int block, brn_arena *scratch)
{
    const term_job *job = arg;
    (void)scratch;
    for (int i = block * TERM_BLOCK; i < brn_block_end(job->end, TERM_BLOCK, block); ++i) {
        brn_ipc_friction_core(job->ipc, &job->ipc->slide[i], job->x, &job->to[CORE * i]);
    }
    return BRN_OK;
}

/* Adds barriers first..end to the sum, from their matrices. */
static brn_status scatter_barriers(brn_ipc *ipc, int first, int end)
{
    brn_ipc_term *term = NULL;
    BRN_TAKE(brn_ctx_arena(ipc->ctx), term, end - first);
    for (int i = 0; i < end - first; ++i) {
        const int *node = ipc->contact[first + i].node;
        term[i] = (brn_ipc_term){.node = node,
                                 .count = brn_touch_count(node),
                                 .block = &ipc->local[(size_t)i * WIDTH * WIDTH],
                                 .down = 3 * WIDTH,
                                 .right = 3,
                                 .stride = WIDTH};
    }
    return brn_ipc_scatter(ipc->model, term, end - first, ipc->sum);
}

static brn_status add_barriers(brn_ipc *ipc, const double *x)
{
    brn_arena *arena = brn_ctx_arena(ipc->ctx);
    for (int first = 0; first < ipc->ncontact; first += CHUNK) {
        const int end = first + CHUNK < ipc->ncontact ? first + CHUNK : ipc->ncontact;
        BRN_GROW(ipc->ctx, ipc->local, ipc->local_capacity, (size_t)(end - first) * WIDTH * WIDTH);
        term_job job = {ipc, x, first, end, ipc->local};
        BRN_TRY(brn_parallel_for(ipc->ctx, brn_block_count(end - first, TERM_BLOCK), hessian_block, &job));
        const brn_arena_mark mark = brn_arena_now(arena);
        const brn_status status = scatter_barriers(ipc, first, end);
        brn_arena_rewind(arena, mark);
        BRN_TRY(status);
    }
    return BRN_OK;
}

static brn_status scatter_friction(brn_ipc *ipc)
{
    brn_ipc_term *term = NULL;
    BRN_TAKE(brn_ctx_arena(ipc->ctx), term, ipc->nslide);
    for (int i = 0; i < ipc->nslide; ++i) {
        const brn_lever *lever = &ipc->slide[i].lever;
        term[i] = (brn_ipc_term){.node = lever->node,
                                 .count = lever->count,
                                 .weight = lever->weight,
                                 .block = &ipc->local[(size_t)i * CORE],
                                 .stride = 3};
    }
    return brn_ipc_scatter(ipc->model, term, ipc->nslide, ipc->sum);
}

static brn_status add_friction(brn_ipc *ipc, const double *x)
{
    if (ipc->nslide == 0) {
        return BRN_OK;
    }
    brn_arena *arena = brn_ctx_arena(ipc->ctx);
    BRN_GROW(ipc->ctx, ipc->local, ipc->local_capacity, (size_t)ipc->nslide * CORE);
    term_job job = {ipc, x, 0, ipc->nslide, ipc->local};
    BRN_TRY(brn_parallel_for(ipc->ctx, brn_block_count(ipc->nslide, TERM_BLOCK), friction_block, &job));
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = scatter_friction(ipc);
    brn_arena_rewind(arena, mark);
    return status;
}

/* Contacts a node that cost as much as everything else in an iteration, about. */
static const double CONTACTS_HEAVY = 10.0;

static brn_status ipc_hessian(void *self, const double *x, brn_block_matrix *base, brn_block_matrix **sum)
{
    brn_ipc *ipc = self;
    bool anew = false;
    BRN_TRY(brn_ipc_find_contacts(ipc, x));
    brn_ipc_allow_steps(ipc, x);
    ipc->system->effort += ipc->ncontact / (CONTACTS_HEAVY * ipc->model->nnode);
    *sum = base;
    if (ipc->ncontact + ipc->nslide == 0) {
        return BRN_OK;
    }
    BRN_TRY(read_pattern(ipc, &anew));
    if (anew) {
        const brn_stencils lists[BRN_IPC_PATTERNS] = {
            {ipc->pattern[0].count, NARROW, ipc->pattern[0].row},
            {ipc->pattern[1].count, WIDE, ipc->pattern[1].row},
            {ipc->pattern[2].count, COUPLE, ipc->pattern[2].row},
        };
        double *was = brn_stopwatch_switch(&ipc->system->watch, &ipc->system->watch.phases.symbolic);
        BRN_TRY(brn_block_matrix_join(base, lists, BRN_IPC_PATTERNS, &ipc->sum));
        (void)brn_stopwatch_switch(&ipc->system->watch, was);
    }
    BRN_TRY(brn_block_matrix_load(ipc->sum, base));
    BRN_TRY(add_barriers(ipc, x));
    BRN_TRY(add_friction(ipc, x));
    *sum = ipc->sum;
    return BRN_OK;
}

/* Friction; what the barrier takes is stored. */
static void ipc_dissipative(void *self, const double *x, double *grad)
{
    brn_ipc_friction_gradient(self, x, grad);
}

void brn_ipc_fill_terms(brn_ipc *ipc)
{
    ipc->terms = (brn_newton_terms){
        .self = ipc,
        .energy = ipc_energy,
        .gradient = ipc_gradient,
        .dissipative = ipc_dissipative,
        .hessian = ipc_hessian,
        .bound = brn_ipc_bound,
    };
}
