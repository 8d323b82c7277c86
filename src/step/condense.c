#include "step/condense.h"

#include <string.h>

/* Block `to` gains weight times block `from`, or its transpose where from < 0 (then it is ~from). */
typedef struct move {
    int from, to;
    double weight;
} move;

struct brn_condense {
    brn_ctx *ctx;
    int count;
    move *list;
    int ncleared, *cleared; /* blocks of tied rows and columns */
};

/* While moves are collected: pairs[2i], pairs[2i + 1] are row and column of the destination of move i. */
typedef struct finder {
    const brn_model *model;
    brn_condense *out;
    size_t capacity, pair_capacity, clear_capacity;
    int *pair;
} finder;

static bool is_tied(const brn_model *model, int row)
{
    return model->fixed[row * model->dim] == BRN_DOF_TIED;
}

static brn_status add_move(finder *f, int from, bool turned, int row, int column, double weight)
{
    brn_condense *c = f->out;
    BRN_GROW(c->ctx, c->list, f->capacity, c->count + 1);
    BRN_GROW(c->ctx, f->pair, f->pair_capacity, 2 * (size_t)(c->count + 1));
    c->list[c->count] = (move){turned ? ~from : from, -1, weight};
    f->pair[2 * c->count] = row;
    f->pair[2 * c->count + 1] = column;
    c->count++;
    return BRN_OK;
}

/* Block (r, c) of the upper triangle stands for (c, r) as well, unless it is on the diagonal. */
static brn_status share_block(finder *f, int block, int r, int c)
{
    const brn_model *model = f->model;
    const brn_masters row = brn_model_masters(model, model->row_node[r]);
    const brn_masters column = brn_model_masters(model, model->row_node[c]);
    BRN_GROW(f->out->ctx, f->out->cleared, f->clear_capacity, f->out->ncleared + 1);
    f->out->cleared[f->out->ncleared++] = block;
    for (int i = 0; i < row.count; ++i) {
        for (int j = 0; j < column.count; ++j) {
            const int p = model->node_row[row.node[i]];
            const int q = model->node_row[column.node[j]];
            const double weight = row.weight[i] * column.weight[j];
            if (p <= q) {
                BRN_TRY(add_move(f, block, false, p, q, weight));
            }
            if (r != c && p >= q) {
                BRN_TRY(add_move(f, block, true, q, p, weight));
            }
        }
    }
    return BRN_OK;
}

static brn_status find_moves(finder *f, const brn_block_matrix *base)
{
    for (int row = 0; row < base->n; ++row) {
        for (int k = base->start[row]; k < base->start[row + 1]; ++k) {
            if (is_tied(f->model, row) || is_tied(f->model, base->column[k])) {
                BRN_TRY(share_block(f, k, row, base->column[k]));
            }
        }
    }
    return BRN_OK;
}

/* From blocks of base to blocks of the joined matrix. */
static void renumber(finder *f, const brn_block_matrix *base, const brn_block_matrix *joined)
{
    brn_condense *c = f->out;
    int next = 0;
    for (int row = 0, n = 0; row < base->n; ++row) {
        for (int k = base->start[row]; k < base->start[row + 1] && n < c->ncleared; ++k) {
            if (c->cleared[n] != k) {
                continue;
            }
            const int at = brn_block_matrix_find(joined, row, base->column[k]);
            for (; next < c->count && (c->list[next].from == k || c->list[next].from == ~k); ++next) {
                c->list[next].from = c->list[next].from < 0 ? ~at : at;
                c->list[next].to = brn_block_matrix_find(joined, f->pair[2 * next], f->pair[2 * next + 1]);
            }
            c->cleared[n++] = at;
        }
    }
}

static brn_status create(finder *f, const brn_block_matrix *base, brn_block_matrix **joined)
{
    BRN_TRY(find_moves(f, base));
    const brn_stencils pairs = {f->out->count, 2, f->pair};
    BRN_TRY(brn_block_matrix_join(base, &pairs, 1, joined));
    renumber(f, base, *joined);
    return brn_block_matrix_load(*joined, base);
}

brn_status brn_condense_create(const brn_model *model, const brn_block_matrix *base,
                               brn_block_matrix **joined, brn_condense **out)
{
    *joined = NULL;
    *out = NULL;
    finder f = {.model = model};
    BRN_ALLOC(model->ctx, f.out, 1);
    f.out->ctx = model->ctx;
    const brn_status status = create(&f, base, joined);
    brn_free(model->ctx, f.pair);
    if (status < 0) {
        brn_block_matrix_destroy(*joined);
        *joined = NULL;
        brn_condense_destroy(f.out);
        return status;
    }
    *out = f.out;
    return BRN_OK;
}

void brn_condense_destroy(brn_condense *c)
{
    if (c != NULL) {
        brn_free(c->ctx, c->list);
        brn_free(c->ctx, c->cleared);
        brn_free(c->ctx, c);
    }
}

void brn_condense_apply(const brn_condense *c, brn_block_matrix *a)
{
    const int n = a->size;
    const size_t entries = (size_t)n * (size_t)n;
    for (int m = 0; m < c->count; ++m) {
        const move *way = &c->list[m];
        const bool turned = way->from < 0;
        const double *from = &a->value[(size_t)(turned ? ~way->from : way->from) * entries];
        double *to = &a->value[(size_t)way->to * entries];
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                to[i * n + j] += way->weight * from[turned ? j * n + i : i * n + j];
            }
        }
    }
    for (int k = 0; k < c->ncleared; ++k) {
        memset(&a->value[(size_t)c->cleared[k] * entries], 0, entries * sizeof *a->value);
    }
}
