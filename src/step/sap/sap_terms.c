/* A + J' G J, block by block: each block of the matrix has a list of the terms that constraints add to it, so that blocks are found in
   parallel and every sum has the order of the constraints. G is symmetric: the transpose of a pair's block is that of the pair the
   other way round, and terms are listed so that none is transposed. */
#include "step/sap/sap_inner.h"

#include "base/parallel.h"

#include <string.h>

enum { CONSTRAINTS = 64, TARGETS = 128 }; /* of one parallel block */
enum { PARTS = BRN_SAP_ROW / BRN_LANES }; /* registers of a row */

/* ---- which terms ------------------------------------------------------------------------------------------------------------ */

/* Of all pairs of blocks of constraint i, whose places are `place`: counts them by target, or puts them where they belong. */
static void visit_pairs(const brn_sap_problem *p, int i, const int *place, int *first, brn_sap_term *term)
{
    const int count = p->constraint[i].count;
    for (int k = 0; k < count; ++k) {
        for (int l = k; l < count; ++l, ++place) {
            const bool turned = *place < 0;
            const int at = turned ? ~*place : *place;
            if (term == NULL) {
                first[at + 1]++;
            } else {
                term[first[at]++] = (brn_sap_term){i, (short)(turned ? l : k), (short)(turned ? k : l)};
            }
        }
    }
}

/* Places of one width follow each other, in the order of the constraints. */
static void visit_constraints(const brn_sap_work *w, const brn_stencils *lists, int *first,
                              brn_sap_term *term)
{
    const int *place[BRN_SAP_WIDTH_MAX + 1];
    const int *next = w->solver->place;
    for (int width = 1; width <= BRN_SAP_WIDTH_MAX; ++width) {
        place[width] = next;
        if (lists[width].count > 0) { /* else there may be no list to go on in */
            next += (size_t)lists[width].count * (size_t)(width * (width + 1) / 2);
        }
    }
    for (int i = 0; i < w->p->nconstraint; ++i) {
        const int width = w->p->constraint[i].count;
        if (w->listed[i]) {
            visit_pairs(w->p, i, place[width], first, term);
            place[width] += width * (width + 1) / 2;
        }
    }
}

static brn_status list_terms(brn_sap_work *w, const brn_stencils *lists)
{
    brn_sap_solver *solver = w->solver;
    const int nblock = w->matrix->start[w->matrix->n];
    int *first = NULL; /* of each block of the matrix */
    BRN_TAKE(brn_ctx_arena(solver->ctx), first, nblock + 1);
    memset(first, 0, (size_t)(nblock + 1) * sizeof *first);
    visit_constraints(w, lists, first, NULL);
    for (int at = 0; at < nblock; ++at) {
        first[at + 1] += first[at];
    }
    BRN_GROW(solver->ctx, solver->term, solver->term_capacity, (size_t)first[nblock]);
    BRN_GROW(solver->ctx, solver->target, solver->target_capacity, (size_t)nblock);
    BRN_GROW(solver->ctx, solver->target_first, solver->first_capacity, (size_t)nblock + 1);
    solver->ntarget = 0;
    for (int at = 0; at < nblock; ++at) {
        if (first[at + 1] > first[at]) {
            solver->target_first[solver->ntarget] = first[at];
            solver->target[solver->ntarget++] = at;
        }
    }
    solver->target_first[solver->ntarget] = first[nblock];
    visit_constraints(w, lists, first, solver->term);
    return BRN_OK;
}

brn_status brn_sap_list_terms(brn_sap_work *w, const brn_stencils *lists)
{
    brn_arena *arena = brn_ctx_arena(w->solver->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = list_terms(w, lists);
    brn_arena_rewind(arena, mark);
    return status;
}

/* ---- their sums ------------------------------------------------------------------------------------------------------------- */

/* A row of a block, filled up with 0. */
BRN_LANES_INLINE void load_row(const double *from, const int size, brn_lanes row[PARTS])
{
    for (int k = 0; k < PARTS; ++k) {
        row[k] = brn_lanes_all(0.0);
    }
    for (int k = 0; k < size; ++k) {
        row[k / BRN_LANES][k % BRN_LANES] = from[k];
    }
}

/* weighed = G J of one block. */
BRN_LANES_INLINE void weigh(const double *g, const double *j, const int rows, const int size, double *weighed)
{
    brn_lanes row[3][PARTS];
    for (int q = 0; q < rows; ++q) {
        load_row(&j[q * size], size, row[q]);
    }
    for (int r = 0; r < rows; ++r) {
        for (int k = 0; k < PARTS; ++k) {
            brn_lanes sum = g[r * rows] * row[0][k];
            for (int q = 1; q < rows; ++q) {
                sum += g[r * rows + q] * row[q][k];
            }
            brn_lanes_store(&weighed[(r * PARTS + k) * BRN_LANES], sum);
        }
    }
}

static brn_status weigh_block(void *arg, int block, brn_arena *scratch)
{
    brn_sap_work *w = arg;
    const brn_sap_problem *p = w->p;
    (void)scratch;
    for (int i = block * CONSTRAINTS; i < brn_block_end(p->nconstraint, CONSTRAINTS, block); ++i) {
        const brn_sap_constraint *c = &p->constraint[i];
        const double *g = &w->g[9 * i];
        bool any = false;
        for (int k = 0; k < c->rows * c->rows; ++k) {
            any = any || g[k] != 0.0;
        }
        w->active[i] = any;
        for (int k = c->first; k < c->first + c->count && any; ++k) {
            if (p->size == 3 && c->rows == 3) {
                weigh(g, p->block[k].j, 3, 3, w->weighed[k]);
            } else {
                weigh(g, p->block[k].j, c->rows, p->size, w->weighed[k]);
            }
        }
    }
    return BRN_OK;
}

/* sum[a] += sum_r left[r][a] right[r] */
BRN_LANES_INLINE void add_term(const double *left, const double *right, const int rows, const int size,
                               brn_lanes sum[3][PARTS])
{
    for (int r = 0; r < rows; ++r) {
        for (int k = 0; k < PARTS; ++k) {
            const brn_lanes row = brn_lanes_load(&right[(r * PARTS + k) * BRN_LANES]);
            for (int a = 0; a < size; ++a) {
                sum[a][k] += left[r * size + a] * row;
            }
        }
    }
}

BRN_LANES_INLINE void add_terms(const brn_sap_work *w, int target, const int size)
{
    const brn_sap_solver *solver = w->solver;
    double *to = &w->matrix->value[(size_t)solver->target[target] * (size_t)(size * size)];
    brn_lanes sum[3][PARTS];
    for (int a = 0; a < size; ++a) {
        load_row(&to[a * size], size, sum[a]);
    }
    for (int k = solver->target_first[target]; k < solver->target_first[target + 1]; ++k) {
        const brn_sap_term *term = &solver->term[k];
        const brn_sap_constraint *c = &w->p->constraint[term->constraint];
        if (!w->active[term->constraint]) {
            continue;
        }
        const double *left = w->p->block[c->first + term->left].j;
        const double *right = w->weighed[c->first + term->right];
        if (c->rows == 3) {
            add_term(left, right, 3, size, sum);
        } else {
            add_term(left, right, c->rows, size, sum);
        }
    }
    for (int i = 0; i < size * size; ++i) {
        to[i] = sum[i / size][i % size / BRN_LANES][i % size % BRN_LANES];
    }
}

static brn_status target_block(void *arg, int block, brn_arena *scratch)
{
    const brn_sap_work *w = arg;
    (void)scratch;
    for (int t = block * TARGETS; t < brn_block_end(w->solver->ntarget, TARGETS, block); ++t) {
        if (w->p->size == 3) {
            add_terms(w, t, 3);
        } else {
            add_terms(w, t, 2);
        }
    }
    return BRN_OK;
}

void brn_sap_add_constraints(brn_sap_work *w)
{
    brn_ctx *ctx = w->solver->ctx;
    const int nblock = brn_block_count(w->p->nconstraint, CONSTRAINTS);
    (void)brn_parallel_for(ctx, nblock, weigh_block, w); /* cannot fail */
    (void)brn_parallel_for(ctx, brn_block_count(w->solver->ntarget, TARGETS), target_block, w);
}
