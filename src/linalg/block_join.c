/* Adds a few pairs to a pattern: those that it lacks are sorted by rows, then merged into each row. */
#include "base/parallel.h"
#include "linalg/block_matrix.h"
#include "linalg/sort.h"

#include <limits.h>
#include <string.h>

enum { LOAD_ROWS = 1024, LOCATE_STENCILS = 512 }; /* of one parallel block */

/* Pairs (row, column), row < column, that the base lacks: columns by rows, on the arena. */
typedef struct extra {
    size_t *start; /* [n + 1] */
    int *count;    /* [n], of different columns */
    int *column;   /* ascending in a row, the different ones first */
} extra;

/* ---- the pairs ------------------------------------------------------------------------------------------------- */

/* With column NULL: counts the pairs of every row at start[row + 2]; else puts them at start[row + 1]++. */
static void visit_pairs(const brn_block_matrix *base, const brn_stencils *lists, int nlists, size_t *start,
                        int *column)
{
    for (int l = 0; l < nlists; ++l) {
        const int width = lists[l].width;
        const int *node = lists[l].node;
        for (int e = 0; e < lists[l].count; ++e, node += width) {
            for (int p = 0; p < width; ++p) {
                for (int q = 0; q < p; ++q) {
                    const int low = node[p] < node[q] ? node[p] : node[q];
                    const int high = node[p] < node[q] ? node[q] : node[p];
                    if (low == high || brn_block_matrix_find(base, low, high) >= 0) {
                        continue;
                    }
                    if (column == NULL) {
                        start[low + 2]++;
                    } else {
                        column[start[low + 1]++] = high;
                    }
                }
            }
        }
    }
}

static brn_status find_extra(const brn_block_matrix *base, const brn_stencils *lists, int nlists, extra *x)
{
    brn_arena *arena = brn_ctx_arena(base->ctx);
    const size_t n = (size_t)base->n;
    BRN_TAKE(arena, x->start, n + 2);
    BRN_TAKE(arena, x->count, n);
    memset(x->start, 0, (n + 2) * sizeof *x->start);
    visit_pairs(base, lists, nlists, x->start, NULL);
    for (size_t i = 0; i < n; ++i) {
        x->start[i + 2] += x->start[i + 1];
    }
    BRN_TAKE(arena, x->column, x->start[n + 1]);
    visit_pairs(base, lists, nlists, x->start, x->column);
    for (size_t i = 0; i < n; ++i) {
        int *column = x->column + x->start[i];
        const int all = (int)(x->start[i + 1] - x->start[i]);
        int kept = 0;
        if (all > 0) {
            brn_sort_ints(column, all);
        }
        for (int k = 0; k < all; ++k) {
            if (k == 0 || column[k] != column[k - 1]) {
                column[kept++] = column[k];
            }
        }
        x->count[i] = kept;
    }
    return BRN_OK;
}

/* ---- the pattern ------------------------------------------------------------------------------------------------- */

/* Rows and room for the blocks. */
static brn_status make_room(brn_block_matrix *a, const brn_block_matrix *base, const extra *x)
{
    brn_ctx *ctx = a->ctx;
    a->start[0] = 0;
    for (int i = 0; i < a->n; ++i) {
        const int row = base->start[i + 1] - base->start[i];
        int length = 0;
        if (__builtin_add_overflow(row, x->count[i], &length) ||
            __builtin_add_overflow(a->start[i], length, &a->start[i + 1])) {
            return brn_fail(ctx, BRN_ERR_LIMIT, "more than %d matrix blocks", INT_MAX);
        }
    }
    const size_t need = (size_t)a->start[a->n];
    if (need > a->capacity) {
        const size_t room = need + need / 8; /* leaves some room: the next pattern may be a little larger */
        brn_free(ctx, a->column);
        brn_free(ctx, a->lower_row);
        brn_free(ctx, a->lower_block);
        brn_free(ctx, a->value);
        a->column = brn_realloc(ctx, NULL, room, sizeof *a->column);
        a->lower_row = brn_realloc(ctx, NULL, room, sizeof *a->lower_row);
        a->lower_block = brn_realloc(ctx, NULL, room, sizeof *a->lower_block);
        a->value = brn_realloc(ctx, NULL, room, (size_t)(a->size * a->size) * sizeof *a->value);
        if (a->column == NULL || a->lower_row == NULL || a->lower_block == NULL || a->value == NULL) {
            return BRN_ERR_MEMORY;
        }
        a->capacity = room;
    }
    return BRN_OK;
}

static void merge_rows(brn_block_matrix *a, const brn_block_matrix *base, const extra *x)
{
    int *to = a->column;
    for (int i = 0; i < a->n; ++i) {
        const int *from = base->column + base->start[i];
        const int *const end = base->column + base->start[i + 1];
        const int *more = x->column + x->start[i];
        const int *const more_end = more + x->count[i];
        while (more < more_end) {
            *to++ = from < end && *from < *more ? *from++ : *more++;
        }
        memcpy(to, from, (size_t)(end - from) * sizeof *to);
        to += end - from;
    }
}

static brn_status join_fill(brn_block_matrix *a, const brn_block_matrix *base, const brn_stencils *lists,
                            int nlists)
{
    extra x;
    BRN_TRY(brn_stencils_check(base->ctx, base->n, lists, nlists));
    BRN_TRY(find_extra(base, lists, nlists, &x));
    if (a->start == NULL) {
        BRN_ALLOC(a->ctx, a->start, (size_t)a->n + 1);
        BRN_ALLOC(a->ctx, a->lower_start, (size_t)a->n + 2);
    }
    BRN_TRY(make_room(a, base, &x));
    merge_rows(a, base, &x);
    memset(a->lower_start, 0, ((size_t)a->n + 2) * sizeof *a->lower_start);
    brn_block_matrix_index_lower(a);
    return BRN_OK;
}

brn_status brn_block_matrix_join(const brn_block_matrix *base, const brn_stencils *lists, int nlists,
                                 brn_block_matrix **joined)
{
    brn_block_matrix *a = *joined;
    *joined = NULL;
    if (a != NULL && (a->n != base->n || a->size != base->size)) {
        brn_block_matrix_destroy(a);
        a = NULL;
    }
    if (a == NULL) {
        BRN_ALLOC(base->ctx, a, 1);
        a->ctx = base->ctx;
        a->n = base->n;
        a->size = base->size;
    }
    const brn_arena_mark mark = brn_arena_now(brn_ctx_arena(base->ctx));
    const brn_status status = join_fill(a, base, lists, nlists);
    brn_arena_rewind(brn_ctx_arena(base->ctx), mark);
    if (status < 0) {
        brn_block_matrix_destroy(a);
        return status;
    }
    *joined = a;
    return BRN_OK;
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

typedef struct loading {
    brn_block_matrix *a;
    const brn_block_matrix *b;
} loading;

static brn_status rows_load(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const loading *job = arg;
    brn_block_matrix *a = job->a;
    const brn_block_matrix *b = job->b;
    const size_t bb = (size_t)(a->size * a->size);
    const int end = brn_block_end(a->n, LOAD_ROWS, block);
    for (int i = block * LOAD_ROWS; i < end; ++i) {
        /* Both rows ascend: one walk, whole runs at a time. */
        int kb = b->start[i];
        for (int ka = a->start[i]; ka < a->start[i + 1];) {
            int run = 0;
            while (ka + run < a->start[i + 1] && kb + run < b->start[i + 1] &&
                   a->column[ka + run] == b->column[kb + run]) {
                ++run;
            }
            memcpy(a->value + (size_t)ka * bb, b->value + (size_t)kb * bb,
                   (size_t)run * bb * sizeof *a->value);
            ka += run;
            kb += run;
            if (ka < a->start[i + 1]) {
                memset(a->value + (size_t)ka++ * bb, 0, bb * sizeof *a->value);
            }
        }
        if (kb < b->start[i + 1]) {
            return BRN_ERR_RANGE;
        }
    }
    return BRN_OK;
}

brn_status brn_block_matrix_load(brn_block_matrix *a, const brn_block_matrix *b)
{
    if (a->n != b->n || a->size != b->size) {
        return brn_fail(a->ctx, BRN_ERR_RANGE, "load of a matrix of %d rows of size %d into %d of size %d",
                        b->n, b->size, a->n, a->size);
    }
    loading job = {a, b};
    if (brn_parallel_for(a->ctx, brn_block_count(a->n, LOAD_ROWS), rows_load, &job) < 0) {
        return brn_fail(a->ctx, BRN_ERR_RANGE, "load of a matrix with blocks that are not in the target");
    }
    return BRN_OK;
}

/* ---- places of stencils ---------------------------------------------------------------------------------------- */

typedef struct locating {
    const brn_block_matrix *a;
    const brn_stencils *list;
    int *block;
} locating;

static brn_status stencils_locate(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const locating *job = arg;
    const int width = job->list->width;
    const size_t pairs = (size_t)width * ((size_t)width + 1) / 2;
    const int first = block * LOCATE_STENCILS;
    const int end = brn_block_end(job->list->count, LOCATE_STENCILS, block);
    int *to = job->block + (size_t)first * pairs;
    for (int e = first; e < end; ++e) {
        const int *node = job->list->node + (size_t)e * (size_t)width;
        for (int p = 0; p < width; ++p) {
            for (int q = p; q < width; ++q) {
                const bool turned = node[p] > node[q];
                const int at = turned ? brn_block_matrix_find(job->a, node[q], node[p])
                                      : brn_block_matrix_find(job->a, node[p], node[q]);
                if (at < 0) {
                    return BRN_ERR_RANGE;
                }
                *to++ = turned ? ~at : at;
            }
        }
    }
    return BRN_OK;
}

brn_status brn_block_matrix_locate(const brn_block_matrix *a, const brn_stencils *list, int *block)
{
    locating job = {a, list, block};
    BRN_TRY(brn_stencils_check(a->ctx, a->n, list, 1));
    if (brn_parallel_for(a->ctx, brn_block_count(list->count, LOCATE_STENCILS), stencils_locate, &job) < 0) {
        return brn_fail(a->ctx, BRN_ERR_RANGE, "a stencil has a pair that is not in the matrix");
    }
    return BRN_OK;
}
