#include "step/ipc/ipc_scatter.h"

#include "base/parallel.h"

#include <string.h>

enum { ROWS = 64 }; /* of one parallel block */

/* What a term's node adds to a row. */
typedef struct share {
    int term, node; /* the node's number in the term */
    double weight;  /* of the row among its masters */
} share;

typedef struct scatter {
    const brn_model *model;
    const brn_ipc_term *term;
    int count;
    brn_block_matrix *a;
    int *start; /* [n + 1], the shares of each row, in the order of the terms */
    share *list;
} scatter;

/* With list NULL: counts the shares of every row at start[row + 2]; else puts them at start[row + 1]++. */
static void visit_shares(scatter *w)
{
    for (int t = 0; t < w->count; ++t) {
        for (int p = 0; p < w->term[t].count; ++p) {
            const brn_masters on = brn_model_masters(w->model, w->term[t].node[p]);
            for (int r = 0; r < on.count; ++r) {
                int *at = &w->start[w->model->node_row[on.node[r]] + 1];
                if (w->list == NULL) {
                    at[1]++;
                } else {
                    w->list[at[0]++] = (share){t, p, on.weight[r]};
                }
            }
        }
    }
}

static brn_status list_shares(scatter *w)
{
    brn_arena *arena = brn_ctx_arena(w->a->ctx);
    const size_t n = (size_t)w->a->n;
    BRN_TAKE(arena, w->start, n + 2);
    memset(w->start, 0, (n + 2) * sizeof *w->start);
    visit_shares(w);
    for (size_t i = 0; i < n; ++i) {
        w->start[i + 2] += w->start[i + 1];
    }
    BRN_TAKE(arena, w->list, w->start[n + 1]);
    visit_shares(w);
    return BRN_OK;
}

/* Blocks below the diagonal belong to the transposed pair. */
static void add_share(const scatter *w, int row, const share *s)
{
    const brn_ipc_term *t = &w->term[s->term];
    brn_block_matrix *a = w->a;
    const int dim = a->size;
    for (int q = 0; q < t->count; ++q) {
        const brn_masters on = brn_model_masters(w->model, t->node[q]);
        const double *from = t->block + s->node * t->down + q * t->right;
        const double both = (t->weight != NULL ? t->weight[s->node] * t->weight[q] : 1.0) * s->weight;
        for (int c = 0; c < on.count; ++c) {
            const int column = w->model->node_row[on.node[c]];
            if (column < row) {
                continue;
            }
            double *to = &a->value[(size_t)brn_block_matrix_find(a, row, column) * (size_t)(dim * dim)];
            const double weight = both * on.weight[c];
            for (int i = 0; i < dim; ++i) {
                for (int j = 0; j < dim; ++j) {
                    to[i * dim + j] += weight * from[i * t->stride + j];
                }
            }
        }
    }
}

static brn_status add_rows(void *arg, int piece, brn_arena *scratch)
{
    (void)scratch;
    const scatter *w = arg;
    for (int row = piece * ROWS; row < brn_block_end(w->a->n, ROWS, piece); ++row) {
        for (int k = w->start[row]; k < w->start[row + 1]; ++k) {
            add_share(w, row, &w->list[k]);
        }
    }
    return BRN_OK;
}

brn_status brn_ipc_scatter(const brn_model *model, const brn_ipc_term *term, int count, brn_block_matrix *a)
{
    brn_arena *arena = brn_ctx_arena(a->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    scatter w = {.model = model, .term = term, .count = count, .a = a};
    brn_status status = list_shares(&w);
    if (status >= 0) {
        status = brn_parallel_for(a->ctx, brn_block_count(a->n, ROWS), add_rows, &w);
    }
    brn_arena_rewind(arena, mark);
    return status;
}
