/* Products with the constraints' Jacobian. The loops are written once and compiled for blocks of 2 and of 3, all rows of a constraint
   included: rows that a constraint lacks are 0. */
#include "step/sap/sap_inner.h"

#include "base/parallel.h"

#include <string.h>

enum { CONSTRAINTS = 128, ROWS = 64 }; /* of one parallel block */

static inline void apply_one(const brn_sap_problem *p, const brn_sap_constraint *c, int rows, int size,
                             const double *v, double *vc)
{
    double sum[3] = {0.0, 0.0, 0.0};
    for (int k = c->first; k < c->first + c->count; ++k) {
        const double *x = &v[p->block[k].row * size];
        for (int r = 0; r < rows; ++r) {
            for (int s = 0; s < size; ++s) {
                sum[r] += p->block[k].j[r * size + s] * x[s];
            }
        }
    }
    memcpy(vc, sum, sizeof sum);
}

void brn_sap_apply(const brn_sap_problem *p, int first, int end, const double *v, double *vc)
{
    for (int i = first; i < end; ++i) {
        const brn_sap_constraint *c = &p->constraint[i];
        if (p->size == 3 && c->rows == 3) {
            apply_one(p, c, 3, 3, v, &vc[3 * i]);
        } else {
            apply_one(p, c, c->rows, p->size, v, &vc[3 * i]);
        }
    }
}

typedef struct product {
    const brn_sap_work *w;
    const double *from;
    double *to;
} product;

static brn_status apply_block(void *arg, int block, brn_arena *scratch)
{
    const product *job = arg;
    const brn_sap_problem *p = job->w->p;
    (void)scratch;
    brn_sap_apply(p, block * CONSTRAINTS, brn_block_end(p->nconstraint, CONSTRAINTS, block), job->from,
                  job->to);
    return BRN_OK;
}

void brn_sap_apply_all(const brn_sap_work *w, const double *v, double *vc)
{
    product job = {w, v, vc};
    const int nblock = brn_block_count(w->p->nconstraint, CONSTRAINTS);
    (void)brn_parallel_for(w->solver->ctx, nblock, apply_block, &job); /* cannot fail */
}

/* ---- J' ----------------------------------------------------------------------------------------------------------------------- */

brn_status brn_sap_list_rows(brn_arena *arena, brn_sap_work *w)
{
    const brn_sap_problem *p = w->p;
    size_t total = 0;
    BRN_TAKE(arena, w->row_first, p->nrow + 2);
    memset(w->row_first, 0, (size_t)(p->nrow + 2) * sizeof *w->row_first);
    int *next = w->row_first + 1; /* ends as the firsts */
    for (int i = 0; i < p->nconstraint; ++i) {
        const brn_sap_constraint *c = &p->constraint[i];
        total += (size_t)c->count;
        for (int k = c->first; k < c->first + c->count; ++k) {
            next[p->block[k].row + 1]++;
        }
    }
    for (int row = 0; row < p->nrow; ++row) {
        next[row + 1] += next[row];
    }
    BRN_TAKE(arena, w->part, total + 1);
    for (int i = 0; i < p->nconstraint; ++i) {
        const brn_sap_constraint *c = &p->constraint[i];
        for (int k = c->first; k < c->first + c->count; ++k) {
            w->part[next[p->block[k].row]++] = (brn_sap_part){i, k};
        }
    }
    return BRN_OK;
}

static inline void add_part(const double *j, const double *y, int rows, int size, double sum[3])
{
    for (int r = 0; r < rows; ++r) {
        for (int s = 0; s < size; ++s) {
            sum[s] += j[r * size + s] * y[r];
        }
    }
}

static inline void push_row(const product *job, int row, int size)
{
    const brn_sap_work *w = job->w;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int k = w->row_first[row]; k < w->row_first[row + 1]; ++k) {
        const double *y = &job->from[3 * w->part[k].constraint];
        const double *j = w->p->block[w->part[k].block].j;
        const int rows = w->p->constraint[w->part[k].constraint].rows;
        if (y[0] == 0.0 && y[1] == 0.0 && y[2] == 0.0) { /* what is open, or does not slide: most of all */
            continue;
        }
        if (rows == 3) {
            add_part(j, y, 3, size, sum);
        } else {
            add_part(j, y, rows, size, sum);
        }
    }
    for (int s = 0; s < size; ++s) {
        job->to[row * size + s] = sum[s];
    }
}

static brn_status push_block(void *arg, int block, brn_arena *scratch)
{
    const product *job = arg;
    const brn_sap_problem *p = job->w->p;
    (void)scratch;
    for (int row = block * ROWS; row < brn_block_end(p->nrow, ROWS, block); ++row) {
        if (p->size == 3) {
            push_row(job, row, 3);
        } else {
            push_row(job, row, 2);
        }
    }
    return BRN_OK;
}

void brn_sap_apply_back(const brn_sap_work *w, const double *impulse, double *push)
{
    product job = {w, impulse, push};
    (void)brn_parallel_for(w->solver->ctx, brn_block_count(w->p->nrow, ROWS), push_block, &job);
}
