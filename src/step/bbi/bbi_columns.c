/* The compliance J H^-1 J' at contact points, in world axes: frames may turn without a change of it. It is kept as long as the factor is:
   iterations after the first and the impact projection mostly ask for the same points. */
#include "step/bbi/bbi.h"

#include "base/hash.h"

#include <string.h>

void brn_bbi_columns_free(brn_ctx *ctx, brn_bbi_columns *c)
{
    brn_free(ctx, c->key);
    brn_free(ctx, c->value);
}

void brn_bbi_columns_clear(brn_bbi *bbi)
{
    bbi->columns.count = 0;
    bbi->cone_key = 0;
}

static bool is_free_row(const brn_model *model, int row)
{
    bool any = false;
    for (int i = 0; i < model->dim; ++i) {
        any = any || model->fixed[row * model->dim + i] == BRN_DOF_FREE;
    }
    return any;
}

/* What the columns of a point depend on: the rows that can move, and their weights. */
static uint64_t key_of(const brn_bbi *bbi, const brn_bbi_point *p)
{
    uint64_t key = BRN_HASH_START;
    for (int k = p->first; k < p->first + p->count; ++k) {
        if (is_free_row(bbi->model, bbi->row[k])) {
            key = brn_hash_bytes(key, &bbi->row[k], sizeof bbi->row[k]);
            key = brn_hash_bytes(key, &bbi->weight[k], sizeof bbi->weight[k]);
        }
    }
    return key;
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

/* Whether all chosen points have columns, which are set. */
static bool find_all(brn_bbi *bbi)
{
    bool all = true;
    for (int i = 0; i < bbi->nchosen && all; ++i) {
        brn_bbi_point *p = &bbi->point[bbi->chosen[i]];
        p->column = find_column(&bbi->columns, key_of(bbi, p), i);
        all = p->column >= 0;
    }
    return all;
}

/* Columns of their own for the chosen, shared by those that are the same; owner [count]: a point of each. */
static brn_status number_all(brn_bbi *bbi, int *owner)
{
    brn_bbi_columns *c = &bbi->columns;
    BRN_GROW(bbi->ctx, c->key, c->key_capacity, bbi->nchosen);
    for (int i = 0; i < bbi->nchosen; ++i) {
        brn_bbi_point *p = &bbi->point[bbi->chosen[i]];
        const uint64_t key = key_of(bbi, p);
        p->column = find_column(c, key, c->count > 0 ? c->count - 1 : 0);
        if (p->column < 0) {
            owner[c->count] = bbi->chosen[i];
            c->key[c->count] = key;
            p->column = c->count++;
        }
    }
    return BRN_OK;
}

/* The columns of J' of the points that own some: a unit force along each axis. */
static brn_status list_columns(const brn_bbi *bbi, const int *owner, int count, brn_columns *out)
{
    const brn_model *model = bbi->model;
    const int dim = model->dim;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    size_t entries = 0;
    int *start = NULL;
    int *node = NULL;
    double *value = NULL;
    for (int i = 0; i < count; ++i) {
        entries += (size_t)bbi->point[owner[i]].count * (size_t)dim;
    }
    BRN_TAKE(arena, start, count * dim + 1);
    BRN_TAKE(arena, node, entries + 1);
    BRN_TAKE(arena, value, (entries + 1) * (size_t)dim);
    memset(value, 0, entries * (size_t)dim * sizeof *value);
    int at = 0;
    for (int c = 0; c < count * dim; ++c) {
        const brn_bbi_point *p = &bbi->point[owner[c / dim]];
        start[c] = at;
        for (int k = p->first; k < p->first + p->count; ++k) {
            const int dof = bbi->row[k] * dim + c % dim;
            if (model->fixed[dof] == BRN_DOF_FREE) {
                node[at] = bbi->row[k];
                value[at++ * dim + c % dim] = bbi->weight[k];
            }
        }
    }
    start[count * dim] = at;
    *out = (brn_columns){count * dim, start, node, value};
    return BRN_OK;
}

static brn_status make_all(brn_bbi *bbi)
{
    brn_bbi_columns *c = &bbi->columns;
    int *owner = NULL;
    brn_columns columns;
    BRN_TAKE(brn_ctx_arena(bbi->ctx), owner, bbi->nchosen + 1);
    BRN_TRY(number_all(bbi, owner));
    BRN_TRY(list_columns(bbi, owner, c->count, &columns));
    BRN_GROW(bbi->ctx, c->value, c->value_capacity, (size_t)columns.count * (size_t)columns.count);
    return brn_factor_compliance(bbi->newton->factor, &columns, c->value);
}

brn_status brn_bbi_columns_need(brn_bbi *bbi)
{
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    if (find_all(bbi)) {
        return BRN_OK;
    }
    brn_bbi_columns_clear(bbi);
    const brn_status status = make_all(bbi);
    brn_arena_rewind(arena, mark);
    if (status < 0) {
        brn_bbi_columns_clear(bbi);
    }
    return status;
}

void brn_bbi_columns_look(const brn_bbi *bbi, const brn_bbi_point *at, const brn_bbi_point *from, double w[9])
{
    const brn_bbi_columns *c = &bbi->columns;
    const int dim = bbi->model->dim;
    const size_t length = (size_t)c->count * (size_t)dim;
    const double *world = &c->value[(size_t)(at->column * dim) * length + (size_t)(from->column * dim)];
    for (int i = 0; i < dim; ++i) {
        const double *axis = &at->touch.frame[dim * (i == 0 ? dim - 1 : i - 1)];
        double row[3] = {0};
        for (int s = 0; s < dim; ++s) {
            for (int k = 0; k < dim; ++k) {
                row[k] += axis[s] * world[(size_t)s * length + (size_t)k];
            }
        }
        for (int j = 0; j < dim; ++j) {
            const double *other = &from->touch.frame[dim * (j == 0 ? dim - 1 : j - 1)];
            w[i * dim + j] = 0.0;
            for (int k = 0; k < dim; ++k) {
                w[i * dim + j] += row[k] * other[k];
            }
        }
    }
}
