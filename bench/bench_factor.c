/* Numeric factorisation of M/h^2 + K of a cube of tets: ours, and what a user gets from CHOLMOD with its defaults
   (analyse, then factorize) on the same scalar matrix, both with one BLAS thread; and DGEMM as the machine's ceiling. */
#include "bench.h"
#include "bench_cube.h"

#include "linalg/blas.h"

#include <cholmod.h>
#include <math.h>
#include <string.h>

typedef struct plain {
    cholmod_common common;
    cholmod_sparse *matrix;
    cholmod_factor *factor;
} plain;

typedef struct job {
    brn_bench_cube *cube;
    brn_factor *factor;
    plain peer;
    double *b, *x; /* [ndof] */
} job;

static brn_status ours(void *arg)
{
    job *j = arg;
    return brn_factor_numeric(j->factor, j->cube->system->matrix, j->cube->model->fixed);
}

static brn_status theirs(void *arg)
{
    job *j = arg;
    const brn_blas_threads threads = brn_blas_begin();
    const int done = cholmod_factorize(j->peer.matrix, j->peer.factor, &j->peer.common);
    brn_blas_end(threads);
    return done && j->peer.common.status == CHOLMOD_OK ? BRN_OK : BRN_ERR_SINGULAR;
}

static brn_status ours_solve(void *arg)
{
    job *j = arg;
    return brn_factor_solve(j->factor, j->b, j->x);
}

/* The upper triangle as scalars, column by column, with identity rows at the held dofs. */
static brn_status fill_peer(job *j)
{
    const brn_block_matrix *a = j->cube->system->matrix;
    const unsigned char *fixed = j->cube->model->fixed;
    const size_t n = (size_t)a->n * (size_t)a->size;
    const size_t most = (size_t)a->start[a->n] * (size_t)(a->size * a->size);
    cholmod_common *common = &j->peer.common;
    cholmod_triplet *t = cholmod_allocate_triplet(n, n, most, 1, CHOLMOD_REAL, common);
    if (t == NULL) {
        return BRN_ERR_MEMORY;
    }
    int *rows = t->i;
    int *columns = t->j;
    double *values = t->x;
    for (int row = 0; row < a->n; ++row) {
        for (int k = a->start[row]; k < a->start[row + 1]; ++k) {
            for (int e = 0; e < a->size * a->size; ++e) {
                const int r = row * a->size + e / a->size;
                const int c = a->column[k] * a->size + e % a->size;
                if (r > c || ((fixed[r] || fixed[c]) && r != c)) {
                    continue;
                }
                rows[t->nnz] = r;
                columns[t->nnz] = c;
                values[t->nnz++] =
                    fixed[r] ? 1.0 : a->value[(size_t)k * (size_t)(a->size * a->size) + (size_t)e];
            }
        }
    }
    j->peer.matrix = cholmod_triplet_to_sparse(t, 0, common);
    cholmod_free_triplet(&t, common);
    return j->peer.matrix != NULL ? BRN_OK : BRN_ERR_MEMORY;
}

static brn_status prepare(job *j)
{
    brn_system *s = j->cube->system;
    brn_block_matrix_zero(s->matrix);
    BRN_TRY(brn_system_elastic(s, j->cube->x, BRN_TANGENT_PROJECTED, NULL, NULL, s->matrix));
    brn_system_mass_add(s, 1e4, s->matrix);
    BRN_TRY(brn_factor_create(s->ctx, s->matrix, j->cube->model->fixed, &j->factor));
    BRN_ALLOC(s->ctx, j->b, s->ndof);
    BRN_ALLOC(s->ctx, j->x, s->ndof);
    for (int i = 0; i < s->ndof; ++i) {
        j->b[i] = j->cube->model->fixed[i] ? 0.0 : sin(0.37 * i);
    }
    BRN_TRY(fill_peer(j));
    j->peer.factor = cholmod_analyze(j->peer.matrix, &j->peer.common);
    return j->peer.factor != NULL ? BRN_OK : BRN_ERR_MEMORY;
}

/* |b - A x| / |b| on the free dofs. */
static brn_status residual(job *j, double *out)
{
    brn_system *s = j->cube->system;
    double *ax = brn_calloc(s->ctx, (size_t)s->ndof, sizeof *ax);
    if (ax == NULL) {
        return BRN_ERR_MEMORY;
    }
    const brn_status status = brn_block_matrix_multiply(s->matrix, j->x, ax);
    double off = 0.0;
    double size = 0.0;
    for (int i = 0; i < s->ndof; ++i) {
        off += j->cube->model->fixed[i] ? 0.0 : (j->b[i] - ax[i]) * (j->b[i] - ax[i]);
        size += j->b[i] * j->b[i];
    }
    brn_free(s->ctx, ax);
    *out = sqrt(off / size);
    return status;
}

static brn_status measure(brn_bench *bench, job *j)
{
    brn_factor_stats stats;
    brn_bench_timing mine;
    brn_bench_timing peer;
    brn_bench_timing solve;
    double off = 0.0;
    const int dofs = j->cube->system->ndof;
    BRN_TRY(prepare(j));
    BRN_TRY(brn_bench_measure(bench, ours, j, &mine));
    BRN_TRY(brn_bench_measure(bench, ours_solve, j, &solve));
    BRN_TRY(residual(j, &off));
    BRN_TRY(brn_bench_measure(bench, theirs, j, &peer));
    brn_factor_get_stats(j->factor, &stats);
    BRN_TRY(brn_bench_add(bench, mine.cpu, "s", "%d dofs, factor", dofs));
    BRN_TRY(brn_bench_add(bench, mine.cpu / peer.cpu, "x", "%d dofs, factor, ours / plain CHOLMOD", dofs));
    BRN_TRY(brn_bench_add(bench, stats.flops / j->peer.common.fl, "x", "%d dofs, operations, ours / plain",
                          dofs));
    BRN_TRY(brn_bench_add(bench, stats.flops / mine.cpu * 1e-9, "GFLOP/s", "%d dofs, factor rate (%s)", dofs,
                          stats.ordering));
    BRN_TRY(brn_bench_add(bench, stats.nonzeros / dofs, "", "%d dofs, factor entries a dof", dofs));
    BRN_TRY(brn_bench_add(bench, solve.cpu, "s", "%d dofs, solve", dofs));
    return brn_bench_add(bench, off, "", "%d dofs, relative residual", dofs);
}

enum { GEMM = 1000 };

static brn_status gemm(void *arg)
{
    double *m = arg;
    const int n = GEMM;
    const double one = 1.0;
    const double zero = 0.0;
    const brn_blas_threads threads = brn_blas_begin();
    dgemm_("N", "N", &n, &n, &n, &one, m, &n, m + n * n, &n, &zero, m + 2 * n * n, &n);
    brn_blas_end(threads);
    return BRN_OK;
}

static brn_status measure_gemm(brn_bench *bench, brn_ctx *ctx)
{
    double *m = NULL;
    brn_bench_timing t;
    BRN_ALLOC(ctx, m, 3 * GEMM * GEMM);
    for (int i = 0; i < 2 * GEMM * GEMM; ++i) {
        m[i] = (double)(i % 97) * 0.01;
    }
    brn_status status = brn_bench_measure(bench, gemm, m, &t);
    if (status >= 0) {
        status = brn_bench_add(bench, 2e-9 * GEMM * GEMM * GEMM / t.cpu, "GFLOP/s", "DGEMM of %d x %d", GEMM,
                               GEMM);
    }
    brn_free(ctx, m);
    return status;
}

brn_status brn_bench_factor(brn_bench *bench)
{
    static const int sizes[] = {1000, 10000, 100000};
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    brn_ctx *ctx = NULL;
    BRN_TRY(brn_ctx_create(&options, &ctx));
    brn_status status = measure_gemm(bench, ctx);
    for (int k = 0; k < 3 && status >= 0; ++k) {
        brn_bench_cube cube;
        status = brn_bench_cube_create(ctx, "tet4", sizes[k], &cube);
        if (status < 0) {
            break;
        }
        job j = {.cube = &cube};
        cholmod_start(&j.peer.common);
        status = measure(bench, &j);
        cholmod_free_factor(&j.peer.factor, &j.peer.common);
        cholmod_free_sparse(&j.peer.matrix, &j.peer.common);
        cholmod_finish(&j.peer.common);
        brn_factor_destroy(j.factor);
        brn_free(ctx, j.b);
        brn_free(ctx, j.x);
        brn_bench_cube_destroy(&cube);
    }
    brn_ctx_destroy(ctx);
    return status;
}
