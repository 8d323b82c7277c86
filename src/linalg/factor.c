/* CHOLMOD sees the matrix already permuted (natural ordering), so that a numeric call neither permutes nor copies it:
   the block values are written straight to their place in the lower triangle of P A P'. The permutation is postordered
   on the node graph, and so is its expansion: the dofs of a node form a chain in the elimination tree. */
#include "linalg/factor.h"

#include "base/parallel.h"
#include "linalg/blas.h"
#include "linalg/ordering.h"

#include <cholmod.h>
#include <limits.h>
#include <string.h>

enum { FILL_COLUMNS = 128 }; /* block columns of one parallel piece of the refill */

struct brn_factor {
    brn_ctx *ctx;
    int n, size;
    int nblocks;          /* of the matrix, all of them */
    int nkept;            /* of the analysed pattern: without the couplings of nodes that stand apart */
    unsigned char *apart; /* [n] node is held whole in every numeric call */
    int *node;            /* [n], node at each place of the elimination order */
    int *start;           /* [n + 1], blocks of the permuted lower triangle by columns */
    int *row;             /* [nkept] place of the row; ascending, the diagonal first */
    int *source;          /* [nkept] block of A, or ~block where its transpose is meant */
    unsigned char *held;  /* [n] bit c: component c of the node at this place is fixed */
    double *swap;         /* [n*size], right-hand side in elimination order */
    size_t swap_columns;
    cholmod_common cm;
    bool started;
    cholmod_sparse *matrix; /* permuted lower triangle, scalar */
    cholmod_factor *factor;
    cholmod_dense *x, *y, *e; /* workspaces of the solve, kept; x and y of a simplicial factor only */
    bool ready;               /* a numeric factor exists */
    brn_factor_stats stats;
};

/* ---- ordering --------------------------------------------------------------------------------------------------- */

/* Whether the block between two nodes is part of the analysed pattern. */
static bool is_kept(const brn_factor *f, int i, int j)
{
    return i == j || (!f->apart[i] && !f->apart[j]);
}

/* The kept part of the pattern, by rows of the upper triangle. */
static brn_status keep_pattern(brn_factor *f, const brn_block_matrix *a, int **start, int **column)
{
    brn_arena *arena = brn_ctx_arena(f->ctx);
    int *to_start = NULL;
    int *to_column = NULL;
    BRN_TAKE(arena, to_start, (size_t)f->n + 1);
    BRN_TAKE(arena, to_column, f->nblocks);
    f->nkept = 0;
    for (int i = 0; i < f->n; ++i) {
        to_start[i] = f->nkept;
        for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
            if (is_kept(f, i, a->column[k])) {
                to_column[f->nkept++] = a->column[k];
            }
        }
    }
    to_start[f->n] = f->nkept;
    *start = to_start;
    *column = to_column;
    return BRN_OK;
}

static brn_status order(brn_factor *f, const brn_block_matrix *a)
{
    int *start = NULL;
    int *column = NULL;
    BRN_TRY(keep_pattern(f, a, &start, &column));
    /* Our rows of the upper triangle are CHOLMOD's columns of the lower one. */
    cholmod_sparse graph = {0};
    graph.nrow = (size_t)f->n;
    graph.ncol = (size_t)f->n;
    graph.nzmax = (size_t)f->nkept;
    graph.p = start;
    graph.i = column;
    graph.stype = -1;
    graph.itype = CHOLMOD_INT;
    graph.xtype = CHOLMOD_PATTERN;
    graph.sorted = true;
    graph.packed = true;
    return brn_ordering_find(f->ctx, &f->cm, &graph, f->size, f->node, &f->stats.ordering);
}

/* ---- the permuted pattern ----------------------------------------------------------------------------------------- */

/* The permuted block pattern by columns of the lower triangle. Two transpositions sort it: rows are visited in
   ascending place, so every column receives its rows in order. */
static brn_status permute_pattern(brn_factor *f, const brn_block_matrix *a, int *place)
{
    for (int i = 0; i < f->n; ++i) {
        place[f->node[i]] = i;
    }
    BRN_ALLOC(f->ctx, f->start, (size_t)f->n + 2);
    BRN_ALLOC(f->ctx, f->row, f->nkept);
    BRN_ALLOC(f->ctx, f->source, f->nkept);
    for (int i = 0; i < f->n; ++i) {
        for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
            const int p = place[i];
            const int q = place[a->column[k]];
            f->start[(p < q ? p : q) + 2] += is_kept(f, i, a->column[k]);
        }
    }
    for (int i = 0; i < f->n; ++i) {
        f->start[i + 2] += f->start[i + 1];
    }
    for (int q = 0; q < f->n; ++q) {
        /* Row q of P A P': the neighbours of its node, those with a smaller place are columns of the lower triangle. */
        const int i = f->node[q];
        for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
            const int p = place[a->column[k]];
            if (p <= q && is_kept(f, i, a->column[k])) {
                const int t = f->start[p + 1]++;
                f->row[t] = q;
                f->source[t] = k; /* A(i, j) as stored: row i is the row of the permuted block */
            }
        }
        for (int l = a->lower_start[i]; l < a->lower_start[i + 1]; ++l) {
            const int p = place[a->lower_row[l]];
            if (p < q && is_kept(f, i, a->lower_row[l])) {
                const int t = f->start[p + 1]++;
                f->row[t] = q;
                f->source[t] = ~a->lower_block[l];
            }
        }
    }
    return BRN_OK;
}

/* The scalar pattern of the lower triangle: column (J, c) holds rows c.. of the diagonal block, then whole blocks. */
static brn_status expand_pattern(brn_factor *f)
{
    const int s = f->size;
    const long long entries = (long long)(f->nkept - f->n) * s * s + (long long)f->n * (s * (s + 1) / 2);
    if (entries > INT_MAX || (long long)f->n * s > INT_MAX - 1) {
        return brn_fail(f->ctx, BRN_ERR_LIMIT, "a matrix of %lld entries cannot be factored", entries);
    }
    f->matrix = cholmod_allocate_sparse((size_t)f->n * (size_t)s, (size_t)f->n * (size_t)s, (size_t)entries,
                                        true, true, -1, CHOLMOD_REAL, &f->cm);
    if (f->matrix == NULL) {
        return brn_cholmod_fail(f->ctx, &f->cm, "storage", f->n, f->size);
    }
    int *p = f->matrix->p;
    int *index = f->matrix->i;
    int next = 0;
    for (int j = 0; j < f->n; ++j) {
        for (int c = 0; c < s; ++c) {
            p[j * s + c] = next;
            for (int r = c; r < s; ++r) {
                index[next++] = j * s + r;
            }
            for (int t = f->start[j] + 1; t < f->start[j + 1]; ++t) {
                for (int r = 0; r < s; ++r) {
                    index[next++] = f->row[t] * s + r;
                }
            }
        }
    }
    p[f->n * s] = next;
    return BRN_OK;
}

static brn_status analyse(brn_factor *f)
{
    f->cm.nmethods = 1;
    f->cm.method[0].ordering = CHOLMOD_NATURAL;
    f->cm.postorder = false;
    f->cm.supernodal = CHOLMOD_AUTO;
    f->cm.final_ll = true;
    f->cm.quick_return_if_not_posdef = true;
    f->factor = cholmod_analyze(f->matrix, &f->cm);
    if (f->factor == NULL) {
        return brn_cholmod_fail(f->ctx, &f->cm, "analysis", f->n, f->size);
    }
    f->stats.nonzeros = f->cm.lnz;
    f->stats.flops = f->cm.fl;
    f->stats.supernodal = f->factor->is_super;
    const double entries = f->factor->is_super ? (double)f->factor->xsize : f->cm.lnz * 1.5;
    const double indices = f->factor->is_super ? (double)f->factor->ssize : 4.0 * (double)f->factor->n;
    f->stats.bytes = entries * sizeof(double) + indices * sizeof(int);
    return BRN_OK;
}

static brn_status factor_fill(brn_factor *f, const brn_block_matrix *a, const unsigned char *held)
{
    brn_ctx *ctx = f->ctx;
    f->stats.ordering = "amd";
    f->stats.pivot_dof = -1;
    cholmod_start(&f->cm);
    f->started = true;
    f->cm.print = 0;
    f->cm.error_handler = NULL;
    if (f->n == 0) {
        return BRN_OK;
    }
    BRN_ALLOC(ctx, f->node, f->n);
    BRN_ALLOC(ctx, f->held, f->n);
    BRN_ALLOC(ctx, f->apart, f->n);
    for (int i = 0; i < f->n; ++i) {
        f->apart[i] = held != NULL;
        for (int c = 0; c < f->size && f->apart[i]; ++c) {
            f->apart[i] = held[(size_t)i * (size_t)f->size + (size_t)c] != 0;
        }
    }
    int *scratch = NULL;
    BRN_TAKE(brn_ctx_arena(ctx), scratch, f->n);
    BRN_TRY(order(f, a));
    BRN_TRY(permute_pattern(f, a, scratch));
    BRN_TRY(expand_pattern(f));
    return analyse(f);
}

brn_status brn_factor_create(brn_ctx *ctx, const brn_block_matrix *a, const unsigned char *held,
                             brn_factor **out)
{
    *out = NULL;
    brn_factor *f = NULL;
    BRN_ALLOC(ctx, f, 1);
    f->ctx = ctx;
    f->n = a->n;
    f->size = a->size;
    f->nblocks = a->start[a->n];
    const brn_arena_mark mark = brn_arena_now(brn_ctx_arena(ctx));
    const brn_blas_threads threads = brn_blas_begin();
    const brn_status status = factor_fill(f, a, held);
    brn_blas_end(threads);
    brn_arena_rewind(brn_ctx_arena(ctx), mark);
    if (status < 0) {
        brn_factor_destroy(f);
        return status;
    }
    *out = f;
    return BRN_OK;
}

void brn_factor_destroy(brn_factor *f)
{
    if (f == NULL) {
        return;
    }
    if (f->started) {
        cholmod_free_sparse(&f->matrix, &f->cm);
        cholmod_free_factor(&f->factor, &f->cm);
        cholmod_free_dense(&f->x, &f->cm);
        cholmod_free_dense(&f->y, &f->cm);
        cholmod_free_dense(&f->e, &f->cm);
        cholmod_finish(&f->cm);
    }
    brn_free(f->ctx, f->node);
    brn_free(f->ctx, f->start);
    brn_free(f->ctx, f->row);
    brn_free(f->ctx, f->source);
    brn_free(f->ctx, f->held);
    brn_free(f->ctx, f->apart);
    brn_free(f->ctx, f->swap);
    brn_free(f->ctx, f);
}

/* ---- numeric --------------------------------------------------------------------------------------------------------- */

typedef struct refill {
    brn_factor *factor;
    const brn_block_matrix *a;
} refill;

/* Entry (r, c) of the block at t. */
static inline double block_entry(const brn_factor *f, const double *value, int t, int r, int c)
{
    const int k = f->source[t];
    const int s = f->size;
    const double *v = value + (size_t)(k < 0 ? ~k : k) * (size_t)(s * s);
    return k < 0 ? v[c * s + r] : v[r * s + c];
}

/* Scalar column c of block column j. */
static inline void column_fill(const brn_factor *f, const double *value, int j, int c, double *x)
{
    const int s = f->size;
    const bool column_held = f->held[j] >> c & 1;
    for (int r = c; r < s; ++r) {
        const bool held = column_held || (f->held[j] >> r & 1);
        *x++ = !held ? block_entry(f, value, f->start[j], r, c) : r == c ? 1.0 : 0.0;
    }
    for (int t = f->start[j] + 1; t < f->start[j + 1]; ++t) {
        const unsigned char held = f->held[f->row[t]];
        for (int r = 0; r < s; ++r) {
            *x++ = column_held || (held >> r & 1) ? 0.0 : block_entry(f, value, t, r, c);
        }
    }
}

/* True if an entry is infinite or NaN (all exponent bits set). */
static bool any_not_finite(const double *x, int count)
{
    uint64_t bad = 0;
    for (int i = 0; i < count; ++i) {
        uint64_t bits = 0;
        memcpy(&bits, &x[i], sizeof bits);
        bad |= (bits >> 52 & 0x7ff) == 0x7ff;
    }
    return bad != 0;
}

static brn_status columns_refill(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const refill *job = arg;
    const brn_factor *f = job->factor;
    const int s = f->size;
    const int *p = f->matrix->p;
    double *x = f->matrix->x;
    const int first = block * FILL_COLUMNS;
    const int end = brn_block_end(f->n, FILL_COLUMNS, block);
    for (int j = first; j < end; ++j) {
        for (int c = 0; c < s; ++c) {
            column_fill(f, job->a->value, j, c, x + p[j * s + c]);
        }
    }
    return any_not_finite(x + p[first * s], p[end * s] - p[first * s]) ? BRN_ERR_NOT_FINITE : BRN_OK;
}

/* Names the first block that is not finite. */
static brn_status fail_not_finite(brn_factor *f)
{
    const int *p = f->matrix->p;
    for (int j = 0; j < f->n * f->size; ++j) {
        for (int t = p[j]; t < p[j + 1]; ++t) {
            if (any_not_finite((double *)f->matrix->x + t, 1)) {
                const int i = ((int *)f->matrix->i)[t];
                return brn_fail(f->ctx, BRN_ERR_NOT_FINITE,
                                "matrix block (%d, %d) holds a number that is not finite",
                                f->node[i / f->size], f->node[j / f->size]);
            }
        }
    }
    return BRN_ERR_NOT_FINITE;
}

static brn_status fail_singular(brn_factor *f, size_t column)
{
    const int j = (int)column;
    return brn_fail(f->ctx, BRN_ERR_SINGULAR,
                    "the matrix is not positive definite: block row %d, component %d", f->node[j / f->size],
                    j % f->size);
}

/* Smallest pivot relative to the diagonal entry it started from. */
static brn_status check_pivots(brn_factor *f)
{
    const cholmod_factor *l = f->factor;
    const int *p = f->matrix->p;
    const double *diagonal = f->matrix->x;
    const double *lx = l->x;
    double least = 2.0;
    int where = -1;
    for (size_t s = 0, j = 0; j < l->n; ++j) {
        size_t t = 0;
        if (l->is_super) {
            const int *super = l->super;
            while ((size_t)super[s + 1] <= j) {
                ++s;
            }
            const size_t rows = (size_t)(((int *)l->pi)[s + 1] - ((int *)l->pi)[s]);
            t = (size_t)((int *)l->px)[s] + (j - (size_t)super[s]) * (rows + 1);
        } else {
            t = (size_t)((int *)l->p)[j];
        }
        const size_t size = (size_t)f->size;
        const double ratio = lx[t] * lx[t] / diagonal[p[j]];
        /* Also true for NaN: the factorisation overflowed. */
        if (!(ratio > 0.0)) {
            return fail_singular(f, j);
        }
        if (ratio < least && !(f->held[j / size] >> (j % size) & 1)) {
            least = ratio;
            where = f->node[j / size] * f->size + (int)(j % size);
        }
    }
    f->stats.pivot_min = where >= 0 ? least : 1.0;
    f->stats.pivot_dof = where;
    return BRN_OK;
}

brn_status brn_factor_numeric(brn_factor *f, const brn_block_matrix *a, const unsigned char *fixed)
{
    if (a->n != f->n || a->size != f->size || a->start[a->n] != f->nblocks) {
        return brn_fail(f->ctx, BRN_ERR_RANGE, "a matrix of another pattern than the analysed one");
    }
    f->ready = false;
    f->stats.pivot_min = 0.0;
    if (f->n == 0) {
        f->ready = true;
        return BRN_OK;
    }
    for (int j = 0; j < f->n; ++j) {
        unsigned bits = 0;
        for (int c = 0; fixed != NULL && c < f->size; ++c) {
            bits |= (fixed[(size_t)f->node[j] * (size_t)f->size + (size_t)c] != 0) << c;
        }
        f->held[j] = (unsigned char)bits;
        if (f->apart[f->node[j]] && bits != (1u << f->size) - 1u) {
            return brn_fail(f->ctx, BRN_ERR_RANGE, "node %d was held in the analysis and must stay so",
                            f->node[j]);
        }
    }
    refill job = {f, a};
    if (brn_parallel_for(f->ctx, brn_block_count(f->n, FILL_COLUMNS), columns_refill, &job) < 0) {
        return fail_not_finite(f);
    }
    const brn_blas_threads threads = brn_blas_begin();
    const bool done = cholmod_factorize(f->matrix, f->factor, &f->cm);
    brn_blas_end(threads);
    if (!done && f->cm.status != CHOLMOD_NOT_POSDEF) {
        return brn_cholmod_fail(f->ctx, &f->cm, "factorisation", f->n, f->size);
    }
    if (f->factor->minor < f->factor->n) {
        return fail_singular(f, f->factor->minor);
    }
    BRN_TRY(check_pivots(f));
    f->ready = true;
    return BRN_OK;
}

/* ---- solve ------------------------------------------------------------------------------------------------------------ */

/* Solves in place, in elimination order. The supernodal half-solves are called directly: cholmod_solve2 would copy the
   vectors twice more, and reads a null pointer when its first workspace cannot be allocated but the second can. */
static bool solve_permuted(brn_factor *f, cholmod_dense *rhs)
{
    if (f->factor->is_super) {
        if (cholmod_ensure_dense(&f->e, rhs->ncol, f->factor->maxesize, rhs->ncol, CHOLMOD_REAL, &f->cm) ==
            NULL) {
            return false;
        }
        return cholmod_super_lsolve(f->factor, rhs, f->e, &f->cm) &&
               cholmod_super_ltsolve(f->factor, rhs, f->e, &f->cm);
    }
    if (!cholmod_solve2(CHOLMOD_A, f->factor, rhs, NULL, &f->x, NULL, &f->y, &f->e, &f->cm)) {
        return false;
    }
    memcpy(rhs->x, f->x->x, rhs->nzmax * sizeof(double));
    return true;
}

/* Room for the right-hand sides in elimination order; kept, so that a steady state allocates nothing. */
static brn_status ensure_swap(brn_factor *f, int nrhs)
{
    if (f->swap_columns < (size_t)nrhs) {
        double *swap =
            brn_realloc(f->ctx, f->swap, (size_t)f->n * (size_t)f->size * (size_t)nrhs, sizeof *swap);
        if (swap == NULL) {
            return BRN_ERR_MEMORY;
        }
        f->swap = swap;
        f->swap_columns = (size_t)nrhs;
    }
    return BRN_OK;
}

brn_status brn_factor_solve_many(brn_factor *f, int nrhs, const double *b, double *x)
{
    if (!f->ready) {
        return brn_fail(f->ctx, BRN_ERR_RANGE, "solve without a numeric factor");
    }
    if (nrhs <= 0 || f->n == 0) {
        return BRN_OK;
    }
    BRN_TRY(ensure_swap(f, nrhs));
    const size_t s = (size_t)f->size;
    const size_t ndof = (size_t)f->n * s;
    for (size_t k = 0; k < (size_t)nrhs; ++k) {
        for (size_t j = 0; j < (size_t)f->n; ++j) {
            memcpy(f->swap + k * ndof + j * s, b + k * ndof + (size_t)f->node[j] * s, s * sizeof *b);
        }
    }
    cholmod_dense rhs = {0};
    rhs.nrow = ndof;
    rhs.ncol = (size_t)nrhs;
    rhs.nzmax = ndof * (size_t)nrhs;
    rhs.d = ndof;
    rhs.x = f->swap;
    rhs.xtype = CHOLMOD_REAL;
    rhs.dtype = CHOLMOD_DOUBLE;
    const brn_blas_threads threads = brn_blas_begin();
    const bool done = solve_permuted(f, &rhs);
    brn_blas_end(threads);
    if (!done) {
        return brn_cholmod_fail(f->ctx, &f->cm, "solution", f->n, f->size);
    }
    for (size_t k = 0; k < (size_t)nrhs; ++k) {
        for (size_t j = 0; j < (size_t)f->n; ++j) {
            memcpy(x + k * ndof + (size_t)f->node[j] * s, f->swap + k * ndof + j * s, s * sizeof *x);
        }
    }
    return BRN_OK;
}

brn_status brn_factor_solve(brn_factor *f, const double *b, double *x)
{
    return brn_factor_solve_many(f, 1, b, x);
}

void brn_factor_get_stats(const brn_factor *f, brn_factor_stats *out)
{
    *out = f->stats;
}
