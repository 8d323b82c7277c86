/* Columns of the compliance H^-1 at the rows of contact points. They are kept as long as the factor is: iterations after the first and the impact
   projection mostly ask for the same points. */
#include "step/bbi/bbi.h"

#include "base/hash.h"

#include <string.h>

/* Right-hand sides that are solved for together: as many as make substitution run at the speed of matrix products. */
enum { TOGETHER = 48 };

void brn_bbi_columns_free(brn_ctx *ctx, brn_bbi_columns *c)
{
    brn_free(ctx, c->watch);
    brn_free(ctx, c->place);
    brn_free(ctx, c->key);
    brn_free(ctx, c->value);
}

static bool is_free_row(const brn_model *model, int row)
{
    bool any = false;
    for (int i = 0; i < model->dim; ++i) {
        any = any || model->fixed[row * model->dim + i] == BRN_DOF_FREE;
    }
    return any;
}

void brn_bbi_columns_clear(brn_bbi *bbi)
{
    bool any = false;
    bbi->columns.nwatch = bbi->columns.count = 0;
    memset(bbi->changing, 0, (size_t)bbi->model->nrow);
    for (int k = 0; k < bbi->nrow; ++k) {
        const bool moves = is_free_row(bbi->model, bbi->row[k]);
        bbi->changing[bbi->row[k]] = moves ? BRN_NODE_SOLVED : BRN_NODE_PLAIN;
        any = any || moves;
    }
    bbi->newton->changing = any ? bbi->changing : NULL;
}

/* Whether all rows that are watched are last in the factor's order. */
static bool is_late(const brn_bbi *bbi)
{
    bool all = bbi->newton->changing != NULL;
    for (int w = 0; w < bbi->columns.nwatch && all; ++w) {
        all = bbi->changing[bbi->columns.watch[w]];
    }
    return all;
}

/* What the columns of a point depend on: the rows that can move, their weights, its frame. */
static uint64_t key_of(const brn_bbi *bbi, const brn_bbi_point *p)
{
    uint64_t key = brn_hash_bytes(BRN_HASH_START, p->touch.frame, sizeof p->touch.frame);
    for (int k = p->first; k < p->first + p->count; ++k) {
        if (is_free_row(bbi->model, bbi->row[k])) {
            key = brn_hash_bytes(key, &bbi->row[k], sizeof bbi->row[k]);
            key = brn_hash_bytes(key, &bbi->weight[k], sizeof bbi->weight[k]);
        }
    }
    return key;
}

/* Watches the rows of all points; starts over if there are new ones among them. */
static brn_status watch_all(brn_bbi *bbi)
{
    brn_bbi_columns *c = &bbi->columns;
    const int before = c->nwatch;
    if (c->place == NULL) {
        BRN_ALLOC(bbi->ctx, c->place, bbi->model->nrow + 1);
        BRN_ALLOC(bbi->ctx, c->watch, bbi->model->nrow + 1);
    }
    if (before == 0) {
        memset(c->place, -1, (size_t)bbi->model->nrow * sizeof *c->place);
    }
    for (int k = 0; k < bbi->nrow; ++k) {
        const int row = bbi->row[k];
        if (c->place[row] < 0 && is_free_row(bbi->model, row)) {
            c->place[row] = c->nwatch;
            c->watch[c->nwatch++] = row;
        }
    }
    if (c->nwatch != before) {
        c->count = 0;
    }
    return BRN_OK;
}

/* Solves for the columns of the points in `missing`. */
static brn_status solve_for(brn_bbi *bbi, const int *missing, int count, double *b)
{
    brn_bbi_columns *c = &bbi->columns;
    const int dim = bbi->model->dim;
    const size_t ndof = (size_t)bbi->system->ndof;
    const size_t length = (size_t)(c->nwatch * dim);
    const bool late = is_late(bbi);
    for (int at = 0; at < count * dim; at += TOGETHER) {
        const int n = count * dim - at < TOGETHER ? count * dim - at : TOGETHER;
        BRN_TRY(brn_ctx_check(bbi->ctx));
        memset(b, 0, (size_t)n * ndof * sizeof *b);
        for (int k = 0; k < n; ++k) {
            double unit[3] = {0};
            unit[(at + k) % dim] = 1.0;
            brn_bbi_pull(bbi, &bbi->point[missing[(at + k) / dim]], unit, &b[(size_t)k * ndof]);
        }
        BRN_TRY(late ? brn_factor_solve_changing(bbi->newton->factor, n, b, b)
                     : brn_factor_solve_many(bbi->newton->factor, n, b, b));
        for (int k = 0; k < n; ++k) {
            const int first = bbi->point[missing[(at + k) / dim]].column;
            double *to = &c->value[((size_t)first * (size_t)dim + (size_t)((at + k) % dim)) * length];
            for (int w = 0; w < c->nwatch; ++w) {
                memcpy(&to[w * dim], &b[(size_t)k * ndof + (size_t)(c->watch[w] * dim)],
                       (size_t)dim * sizeof *to);
            }
        }
    }
    return BRN_OK;
}

/* The columns that a point has already; -1: none. */
static int find_column(const brn_bbi_columns *c, uint64_t key, int near)
{
    for (int k = 0; k < c->count; ++k) {
        const int at = (near + k) % c->count;
        if (c->key[at] == key) {
            return at;
        }
    }
    return -1;
}

static brn_status add_missing(brn_bbi *bbi, int *missing, double *b)
{
    brn_bbi_columns *c = &bbi->columns;
    const int dim = bbi->model->dim;
    int count = 0;
    for (int i = 0; i < bbi->nchosen; ++i) {
        brn_bbi_point *p = &bbi->point[bbi->chosen[i]];
        const uint64_t key = key_of(bbi, p);
        p->column = find_column(c, key, i);
        if (p->column < 0) {
            BRN_GROW(bbi->ctx, c->key, c->key_capacity, c->count + 1);
            c->key[c->count] = key;
            p->column = c->count++;
            missing[count++] = bbi->chosen[i];
        }
    }
    BRN_GROW(bbi->ctx, c->value, c->value_capacity,
             (size_t)c->count * (size_t)dim * (size_t)c->nwatch * (size_t)dim);
    return count > 0 ? solve_for(bbi, missing, count, b) : BRN_OK;
}

brn_status brn_bbi_columns_need(brn_bbi *bbi)
{
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    int *missing = NULL;
    double *b = NULL;
    BRN_TRY(watch_all(bbi));
    BRN_TAKE(arena, missing, bbi->nchosen + 1);
    BRN_TAKE(arena, b, (size_t)TOGETHER * (size_t)bbi->system->ndof);
    const brn_status status = add_missing(bbi, missing, b);
    brn_arena_rewind(arena, mark);
    if (status < 0) {
        bbi->columns.count = 0;
    }
    return status;
}

void brn_bbi_columns_look(const brn_bbi *bbi, const brn_bbi_point *at, const brn_bbi_point *from, double w[9])
{
    const brn_bbi_columns *c = &bbi->columns;
    const int dim = bbi->model->dim;
    const size_t length = (size_t)(c->nwatch * dim);
    for (int j = 0; j < dim; ++j) {
        const double *column = &c->value[((size_t)from->column * (size_t)dim + (size_t)j) * length];
        double sum[3] = {0};
        for (int k = at->first; k < at->first + at->count; ++k) {
            const int place = c->place[bbi->row[k]];
            for (int i = 0; i < dim && place >= 0; ++i) {
                sum[i] += bbi->weight[k] * column[place * dim + i];
            }
        }
        for (int i = 0; i < dim; ++i) {
            const double *axis = &at->touch.frame[dim * (i == 0 ? dim - 1 : i - 1)];
            w[i * dim + j] = 0.0;
            for (int s = 0; s < dim; ++s) {
                w[i * dim + j] += axis[s] * sum[s];
            }
        }
    }
}
