#include "linalg/block_matrix.h"

#include "base/parallel.h"
#include "linalg/sort.h"

#include <limits.h>
#include <string.h>

enum { PATTERN_ROWS = 512 }; /* rows of one parallel block */

/* What the pattern builder shares between its row blocks. */
typedef struct pattern {
    brn_ctx *ctx;
    int n;
    const brn_stencils *lists;
    int nlists;
    int *first;        /* [nlists + 1], number of the first stencil of each list */
    size_t *incident;  /* [n + 1], start of each node's stencils */
    int *stencil;      /* stencil numbers, ascending for each node */
    int *start;        /* [n + 1]; while building, start[i + 1] is the length of row i */
    int **piece;       /* [blocks], the columns of each block of rows */
    size_t *piece_len; /* [blocks] */
    int *column;
} pattern;

/* ---- node -> stencil incidence ------------------------------------------------------------------------------ */

brn_status brn_stencils_check(brn_ctx *ctx, int n, const brn_stencils *lists, int nlists)
{
    for (int l = 0; l < nlists; ++l) {
        if (lists[l].count < 0 || lists[l].width < 0) {
            return brn_fail(ctx, BRN_ERR_RANGE, "stencil list %d: negative size", l);
        }
        const size_t entries = (size_t)lists[l].count * (size_t)lists[l].width;
        for (size_t k = 0; k < entries; ++k) {
            const int node = lists[l].node[k];
            if (node < 0 || node >= n) {
                return brn_fail(ctx, BRN_ERR_RANGE, "stencil list %d, stencil %zu: node %d is not in [0, %d)",
                                l, k / (size_t)lists[l].width, node, n);
            }
        }
    }
    return BRN_OK;
}

static brn_status incidence_build(pattern *p)
{
    BRN_ALLOC(p->ctx, p->first, (size_t)p->nlists + 1);
    BRN_ALLOC(p->ctx, p->incident, (size_t)p->n + 2);
    for (int l = 0; l < p->nlists; ++l) {
        if (__builtin_add_overflow(p->first[l], p->lists[l].count, &p->first[l + 1])) {
            return brn_fail(p->ctx, BRN_ERR_LIMIT, "more than %d stencils", INT_MAX);
        }
        const size_t entries = (size_t)p->lists[l].count * (size_t)p->lists[l].width;
        for (size_t k = 0; k < entries; ++k) {
            p->incident[p->lists[l].node[k] + 2]++;
        }
    }
    for (int i = 0; i < p->n; ++i) {
        p->incident[i + 2] += p->incident[i + 1];
    }
    BRN_ALLOC(p->ctx, p->stencil, p->incident[p->n + 1]);
    /* incident[i + 1] is the fill position of node i and ends as the start of node i + 1. */
    for (int l = 0; l < p->nlists; ++l) {
        const int *node = p->lists[l].node;
        for (int e = 0; e < p->lists[l].count; ++e) {
            for (int a = 0; a < p->lists[l].width; ++a) {
                p->stencil[p->incident[*node++ + 1]++] = p->first[l] + e;
            }
        }
    }
    return BRN_OK;
}

/* ---- rows of the pattern ------------------------------------------------------------------------------------- */

/* A set of node numbers: open addressing, emptied through the list of its members. */
typedef struct node_set {
    int *slot; /* [mask + 1], -1: free */
    int *item; /* [mask + 1] members in order of arrival */
    unsigned mask;
    int count;
} node_set;

static void set_insert(node_set *set, int node)
{
    unsigned h = (unsigned)node * 2654435769u;
    h ^= h >> 15;
    for (;; ++h) {
        const int found = set->slot[h & set->mask];
        if (found == node) {
            return;
        }
        if (found < 0) {
            set->slot[h & set->mask] = node;
            set->item[set->count++] = node;
            return;
        }
    }
}

static int list_of(const pattern *p, int stencil, int guess)
{
    if (stencil >= p->first[guess] && stencil < p->first[guess + 1]) {
        return guess;
    }
    int low = 0;
    int high = p->nlists - 1;
    while (low < high) {
        const int mid = low + (high - low + 1) / 2;
        if (p->first[mid] <= stencil) {
            low = mid;
        } else {
            high = mid - 1;
        }
    }
    return low;
}

/* The columns >= row of one row, ascending, into set->item. */
static void row_collect(const pattern *p, int row, node_set *set)
{
    set->count = 0;
    set_insert(set, row);
    int l = 0;
    for (size_t k = p->incident[row]; k < p->incident[row + 1]; ++k) {
        l = list_of(p, p->stencil[k], l);
        const int width = p->lists[l].width;
        const int *node = p->lists[l].node + (size_t)(p->stencil[k] - p->first[l]) * (size_t)width;
        for (int a = 0; a < width; ++a) {
            if (node[a] > row) {
                set_insert(set, node[a]);
            }
        }
    }
    /* Empty the table: slots of a cluster may free in any order, since no look-up comes in between. */
    for (int i = 0; i < set->count; ++i) {
        unsigned h = (unsigned)set->item[i] * 2654435769u;
        h ^= h >> 15;
        while (set->slot[h & set->mask] != set->item[i]) {
            ++h;
        }
        set->slot[h & set->mask] = -1;
    }
    brn_sort_ints(set->item, set->count);
}

/* A table twice as large as the longest row of the block can become. */
static brn_status set_create(const pattern *p, int first, int end, brn_arena *scratch, node_set *set)
{
    size_t bound = 1;
    int width_max = 1;
    for (int l = 0; l < p->nlists; ++l) {
        width_max = p->lists[l].width > width_max ? p->lists[l].width : width_max;
    }
    for (int i = first; i < end; ++i) {
        const size_t members = (p->incident[i + 1] - p->incident[i]) * (size_t)width_max + 1;
        bound = members > bound ? members : bound;
    }
    bound = bound < (size_t)p->n ? bound : (size_t)p->n;
    size_t slots = 16;
    while (slots < 2 * bound) {
        slots *= 2;
    }
    BRN_TAKE(scratch, set->slot, slots);
    BRN_TAKE(scratch, set->item, slots);
    memset(set->slot, 0xff, slots * sizeof *set->slot);
    set->mask = (unsigned)(slots - 1);
    return BRN_OK;
}

static brn_status rows_build(void *arg, int block, brn_arena *scratch)
{
    pattern *p = arg;
    const int first = block * PATTERN_ROWS;
    const int end = brn_block_end(p->n, PATTERN_ROWS, block);
    node_set set = {0};
    BRN_TRY(set_create(p, first, end, scratch, &set));
    size_t cap = 0;
    for (int row = first; row < end; ++row) {
        row_collect(p, row, &set);
        const size_t len = p->piece_len[block];
        BRN_GROW(p->ctx, p->piece[block], cap, len + (size_t)set.count);
        memcpy(p->piece[block] + len, set.item, (size_t)set.count * sizeof(int));
        p->piece_len[block] = len + (size_t)set.count;
        p->start[row + 1] = set.count;
    }
    return BRN_OK;
}

static brn_status rows_join(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    pattern *p = arg;
    memcpy(p->column + p->start[block * PATTERN_ROWS], p->piece[block], p->piece_len[block] * sizeof(int));
    return BRN_OK;
}

static brn_status pattern_build(pattern *p, brn_block_matrix *a)
{
    const int blocks = brn_block_count(p->n, PATTERN_ROWS);
    BRN_TRY(incidence_build(p));
    BRN_ALLOC(p->ctx, p->piece, blocks);
    BRN_ALLOC(p->ctx, p->piece_len, blocks);
    p->start = a->start;
    if (brn_parallel_for(p->ctx, blocks, rows_build, p) < 0) {
        return brn_fail(p->ctx, BRN_ERR_MEMORY, "out of memory for a matrix pattern of %d rows", p->n);
    }
    for (int i = 0; i < p->n; ++i) {
        if (__builtin_add_overflow(a->start[i], a->start[i + 1], &a->start[i + 1])) {
            return brn_fail(p->ctx, BRN_ERR_LIMIT, "more than %d matrix blocks", INT_MAX);
        }
    }
    a->column = brn_realloc(p->ctx, NULL, (size_t)a->start[p->n], sizeof *a->column);
    if (a->column == NULL) {
        return BRN_ERR_MEMORY;
    }
    p->column = a->column;
    return brn_parallel_for(p->ctx, blocks, rows_join, p);
}

static void pattern_free(pattern *p)
{
    const int blocks = p->piece != NULL ? brn_block_count(p->n, PATTERN_ROWS) : 0;
    for (int i = 0; i < blocks; ++i) {
        brn_free(p->ctx, p->piece[i]);
    }
    brn_free(p->ctx, p->piece);
    brn_free(p->ctx, p->piece_len);
    brn_free(p->ctx, p->stencil);
    brn_free(p->ctx, p->incident);
    brn_free(p->ctx, p->first);
}

/* ---- the matrix ------------------------------------------------------------------------------------------------ */

void brn_block_matrix_index_lower(brn_block_matrix *a)
{
    for (int i = 0; i < a->n; ++i) {
        for (int k = a->start[i] + 1; k < a->start[i + 1]; ++k) {
            a->lower_start[a->column[k] + 2]++;
        }
    }
    for (int i = 0; i < a->n; ++i) {
        a->lower_start[i + 2] += a->lower_start[i + 1];
    }
    for (int i = 0; i < a->n; ++i) {
        for (int k = a->start[i] + 1; k < a->start[i + 1]; ++k) {
            const int t = a->lower_start[a->column[k] + 1]++;
            a->lower_row[t] = i;
            a->lower_block[t] = k;
        }
    }
}

static brn_status matrix_fill(brn_block_matrix *a, const brn_stencils *lists, int nlists)
{
    BRN_TRY(brn_stencils_check(a->ctx, a->n, lists, nlists));
    BRN_ALLOC(a->ctx, a->start, (size_t)a->n + 1);
    pattern p = {.ctx = a->ctx, .n = a->n, .lists = lists, .nlists = nlists};
    const brn_status status = pattern_build(&p, a);
    pattern_free(&p);
    BRN_TRY(status);
    const size_t lower = (size_t)(a->start[a->n] - a->n);
    BRN_ALLOC(a->ctx, a->lower_start, (size_t)a->n + 2);
    BRN_ALLOC(a->ctx, a->lower_row, lower);
    BRN_ALLOC(a->ctx, a->lower_block, lower);
    brn_block_matrix_index_lower(a);
    BRN_ALLOC(a->ctx, a->value, (size_t)a->start[a->n] * (size_t)(a->size * a->size));
    return BRN_OK;
}

brn_status brn_block_matrix_create(brn_ctx *ctx, int n, int size, const brn_stencils *lists, int nlists,
                                   brn_block_matrix **out)
{
    *out = NULL;
    if (n < 0 || n > INT_MAX - 16384 || size < 1 || size > 3) {
        return brn_fail(ctx, BRN_ERR_RANGE, "matrix of %d rows of %d x %d blocks", n, size, size);
    }
    brn_block_matrix *a = NULL;
    BRN_ALLOC(ctx, a, 1);
    a->ctx = ctx;
    a->n = n;
    a->size = size;
    const brn_status status = matrix_fill(a, lists, nlists);
    if (status < 0) {
        brn_block_matrix_destroy(a);
        return status;
    }
    *out = a;
    return BRN_OK;
}

static void *duplicate(brn_ctx *ctx, const void *from, size_t count, size_t size)
{
    void *copy = brn_realloc(ctx, NULL, count, size);
    if (copy != NULL) {
        memcpy(copy, from, count * size);
    }
    return copy;
}

brn_status brn_block_matrix_copy(const brn_block_matrix *a, brn_block_matrix **out)
{
    *out = NULL;
    brn_block_matrix *b = NULL;
    BRN_ALLOC(a->ctx, b, 1);
    b->ctx = a->ctx;
    b->n = a->n;
    b->size = a->size;
    const size_t rows = (size_t)a->n + 1;
    const size_t blocks = (size_t)a->start[a->n];
    const size_t lower = blocks - (size_t)a->n;
    b->start = duplicate(a->ctx, a->start, rows, sizeof(int));
    b->column = duplicate(a->ctx, a->column, blocks, sizeof(int));
    b->value = duplicate(a->ctx, a->value, blocks, (size_t)(a->size * a->size) * sizeof(double));
    b->lower_start = duplicate(a->ctx, a->lower_start, rows, sizeof(int));
    b->lower_row = duplicate(a->ctx, a->lower_row, lower, sizeof(int));
    b->lower_block = duplicate(a->ctx, a->lower_block, lower, sizeof(int));
    if (b->start == NULL || b->column == NULL || b->value == NULL || b->lower_start == NULL ||
        b->lower_row == NULL || b->lower_block == NULL) {
        brn_block_matrix_destroy(b);
        return BRN_ERR_MEMORY;
    }
    *out = b;
    return BRN_OK;
}

void brn_block_matrix_destroy(brn_block_matrix *a)
{
    if (a == NULL) {
        return;
    }
    brn_free(a->ctx, a->start);
    brn_free(a->ctx, a->column);
    brn_free(a->ctx, a->value);
    brn_free(a->ctx, a->lower_start);
    brn_free(a->ctx, a->lower_row);
    brn_free(a->ctx, a->lower_block);
    brn_free(a->ctx, a);
}

/* Blocks, or rows, of a parallel piece of a sum. */
enum { ZERO_BLOCKS = 8192, ADD_ROWS = 512 };

static brn_status zero_piece(void *arg, int piece, brn_arena *scratch)
{
    (void)scratch;
    brn_block_matrix *a = arg;
    const size_t bb = (size_t)(a->size * a->size);
    const size_t first = (size_t)piece * ZERO_BLOCKS;
    const size_t end = (size_t)brn_block_end(a->start[a->n], ZERO_BLOCKS, piece);
    memset(a->value + first * bb, 0, (end - first) * bb * sizeof *a->value);
    return BRN_OK;
}

void brn_block_matrix_zero(brn_block_matrix *a)
{
    (void)brn_parallel_for(a->ctx, brn_block_count(a->start[a->n], ZERO_BLOCKS), zero_piece, a);
}

void brn_block_matrix_scale(brn_block_matrix *a, double factor)
{
    const size_t n = (size_t)a->start[a->n] * (size_t)(a->size * a->size);
    for (size_t i = 0; i < n; ++i) {
        a->value[i] *= factor;
    }
}

int brn_block_matrix_find(const brn_block_matrix *a, int row, int column)
{
    if (row < 0 || row >= a->n || column < row) {
        return -1;
    }
    int low = a->start[row];
    int high = a->start[row + 1] - 1;
    while (low < high) {
        const int mid = low + (high - low) / 2;
        if (a->column[mid] < column) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return a->column[low] == column ? low : -1;
}

typedef struct addition {
    brn_block_matrix *a;
    const brn_block_matrix *b;
    double factor;
} addition;

/* Adds row i of B to that of A; returns the column of B that A does not have, or -1. */
static int add_row(const addition *w, int i)
{
    const brn_block_matrix *a = w->a;
    const brn_block_matrix *b = w->b;
    const size_t bb = (size_t)(a->size * a->size);
    /* Both rows ascend, so one walk along A's row finds every block of B's. */
    int ka = a->start[i];
    for (int kb = b->start[i]; kb < b->start[i + 1]; ++kb) {
        while (ka < a->start[i + 1] && a->column[ka] < b->column[kb]) {
            ++ka;
        }
        if (ka == a->start[i + 1] || a->column[ka] != b->column[kb]) {
            return b->column[kb];
        }
        for (size_t c = 0; c < bb; ++c) {
            a->value[(size_t)ka * bb + c] += w->factor * b->value[(size_t)kb * bb + c];
        }
    }
    return -1;
}

static brn_status add_rows(void *arg, int piece, brn_arena *scratch)
{
    (void)scratch;
    const addition *w = arg;
    for (int i = piece * ADD_ROWS; i < brn_block_end(w->b->n, ADD_ROWS, piece); ++i) {
        if (add_row(w, i) >= 0) {
            return BRN_ERR_RANGE;
        }
    }
    return BRN_OK;
}

brn_status brn_block_matrix_add(brn_block_matrix *a, double factor, const brn_block_matrix *b)
{
    if (a->n != b->n || a->size != b->size) {
        return brn_fail(a->ctx, BRN_ERR_RANGE, "sum of matrices of %d and %d rows, block sizes %d and %d",
                        a->n, b->n, a->size, b->size);
    }
    addition w = {a, b, factor};
    if (brn_parallel_for(a->ctx, brn_block_count(b->n, ADD_ROWS), add_rows, &w) >= 0) {
        return BRN_OK;
    }
    /* Once more, for the message: the sum is of no use. */
    int row = 0;
    int column = -1;
    while (row < b->n && (column = add_row(&w, row)) < 0) {
        ++row;
    }
    return brn_fail(a->ctx, BRN_ERR_RANGE, "block (%d, %d) is not in the matrix added to", row, column);
}

/* ---- product ----------------------------------------------------------------------------------------------------- */

/* Rows are cut into chunks. Inside a chunk a block serves its row and, transposed, its column while it is at hand;
   blocks that reach from an earlier chunk are read again through the lower index. Large chunks read less, small ones
   feed more threads. The cut depends on the matrix only, and so does the order of every sum. */
typedef struct product {
    const brn_block_matrix *a;
    const double *x;
    double *y;
    int rows; /* of a chunk */
} product;

static int chunk_rows(int n)
{
    const int rows = n / 16;
    return rows < 1024 ? 1024 : rows > 16384 ? 16384 : rows;
}

/* sum += V x */
static inline __attribute__((always_inline)) void block_apply(const double *v, const double *x, double *sum,
                                                              const int s)
{
    for (int r = 0; r < s; ++r) {
        for (int c = 0; c < s; ++c) {
            sum[r] += v[r * s + c] * x[c];
        }
    }
}

/* sum += V' x */
static inline __attribute__((always_inline)) void block_apply_t(const double *v, const double *x, double *sum,
                                                                const int s)
{
    for (int c = 0; c < s; ++c) {
        double add = 0.0;
        for (int r = 0; r < s; ++r) {
            add += v[r * s + c] * x[r];
        }
        sum[c] += add;
    }
}

/* Inlined for each block size. */
static inline __attribute__((always_inline)) void rows_multiply(const product *p, int first, int end,
                                                                const int s)
{
    const brn_block_matrix *a = p->a;
    const size_t bb = (size_t)(s * s);
    memset(p->y + (size_t)first * (size_t)s, 0, (size_t)(end - first) * (size_t)s * sizeof *p->y);
    for (int i = first; i < end; ++i) {
        double own[3] = {0.0, 0.0, 0.0};
        double sum[3] = {0.0, 0.0, 0.0};
        memcpy(own, p->x + (size_t)i * (size_t)s, (size_t)s * sizeof *own);
        for (int t = a->lower_start[i]; t < a->lower_start[i + 1] && a->lower_row[t] < first; ++t) {
            block_apply_t(a->value + (size_t)a->lower_block[t] * bb,
                          p->x + (size_t)a->lower_row[t] * (size_t)s, sum, s);
        }
        int k = a->start[i];
        block_apply(a->value + (size_t)k * bb, own, sum, s);
        for (++k; k < a->start[i + 1] && a->column[k] < end; ++k) {
            const size_t at = (size_t)a->column[k] * (size_t)s;
            block_apply(a->value + (size_t)k * bb, p->x + at, sum, s);
            block_apply_t(a->value + (size_t)k * bb, own, p->y + at, s);
        }
        for (; k < a->start[i + 1]; ++k) {
            block_apply(a->value + (size_t)k * bb, p->x + (size_t)a->column[k] * (size_t)s, sum, s);
        }
        for (int r = 0; r < s; ++r) {
            p->y[(size_t)i * (size_t)s + (size_t)r] += sum[r];
        }
    }
}

static brn_status multiply_chunk(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const product *p = arg;
    const int first = block * p->rows;
    const int end = brn_block_end(p->a->n, p->rows, block);
    switch (p->a->size) {
    case 1:
        rows_multiply(p, first, end, 1);
        break;
    case 2:
        rows_multiply(p, first, end, 2);
        break;
    default:
        rows_multiply(p, first, end, 3);
        break;
    }
    return BRN_OK;
}

brn_status brn_block_matrix_multiply(const brn_block_matrix *a, const double *x, double *y)
{
    product p = {a, x, y, chunk_rows(a->n)};
    return brn_parallel_for(a->ctx, brn_block_count(a->n, p.rows), multiply_chunk, &p);
}
