/* Products with the constraints' Jacobian. The loops are written once and compiled for blocks of 2 and of 3, all rows of a constraint
   included: rows that a constraint lacks are 0. */
#include "step/sap/sap_inner.h"

#include <string.h>

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

static inline void push_one(const brn_sap_problem *p, const brn_sap_constraint *c, int rows, int size,
                            const double *impulse, double *push)
{
    for (int k = c->first; k < c->first + c->count; ++k) {
        double *to = &push[p->block[k].row * size];
        for (int r = 0; r < rows; ++r) {
            for (int s = 0; s < size; ++s) {
                to[s] += p->block[k].j[r * size + s] * impulse[r];
            }
        }
    }
}

void brn_sap_apply_back(const brn_sap_problem *p, const double *impulse, double *push)
{
    memset(push, 0, (size_t)(p->nrow * p->size) * sizeof *push);
    for (int i = 0; i < p->nconstraint; ++i) {
        const brn_sap_constraint *c = &p->constraint[i];
        const double *y = &impulse[3 * i];
        if (y[0] == 0.0 && y[1] == 0.0 && y[2] == 0.0) {
            continue;
        }
        if (p->size == 3 && c->rows == 3) {
            push_one(p, c, 3, 3, y, push);
        } else {
            push_one(p, c, c->rows, p->size, y, push);
        }
    }
}

/* Adds J_k' G J_l to the matrix for all pairs of blocks of a constraint. */
static inline void add_one(const brn_sap_work *w, int i, int rows, int size)
{
    const brn_sap_constraint *c = &w->p->constraint[i];
    const brn_sap_block *block = &w->p->block[c->first];
    const double *g = &w->g[9 * i];
    const int *place = w->place[i];
    double weighed[BRN_SAP_WIDTH_MAX][9]; /* G J_l */
    for (int l = 0; l < c->count; ++l) {
        const double *j = block[l].j;
        for (int r = 0; r < rows; ++r) {
            for (int s = 0; s < size; ++s) {
                double sum = 0.0;
                for (int q = 0; q < rows; ++q) {
                    sum += g[r * rows + q] * j[q * size + s];
                }
                weighed[l][r * size + s] = sum;
            }
        }
    }
    for (int k = 0; k < c->count; ++k) {
        for (int l = k; l < c->count; ++l, ++place) {
            const bool turned = *place < 0;
            /* the transpose of a block is that of the pair the other way round: G is symmetric */
            const double *left = turned ? weighed[l] : block[k].j;
            const double *right = turned ? block[k].j : weighed[l];
            double *to = &w->matrix->value[(size_t)(turned ? ~*place : *place) * (size_t)(size * size)];
            for (int a = 0; a < size; ++a) {
                for (int b = 0; b < size; ++b) {
                    double sum = 0.0;
                    for (int r = 0; r < rows; ++r) {
                        sum += left[r * size + a] * right[r * size + b];
                    }
                    to[a * size + b] += sum;
                }
            }
        }
    }
}

void brn_sap_add_constraints(const brn_sap_work *w)
{
    for (int i = 0; i < w->p->nconstraint; ++i) {
        const int rows = w->p->constraint[i].rows;
        const double *g = &w->g[9 * i];
        bool any = false;
        for (int k = 0; k < rows * rows; ++k) {
            any = any || g[k] != 0.0;
        }
        if (any && w->p->size == 3 && rows == 3) {
            add_one(w, i, 3, 3);
        } else if (any) {
            add_one(w, i, rows, w->p->size);
        }
    }
}
