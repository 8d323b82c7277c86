/* Numeric factorisation of M/h^2 + K of cubes, thin mats and a ball of tets: ours, and what a user gets from CHOLMOD with
   its defaults (analyse, then factorize) on the same scalar matrix, both with one thread; and DGEMM as the machine's
   ceiling. For the mats and the ball also the cost of a new pattern, when one part of the body touches another. */
#include "bench.h"
#include "bench_cube.h"

#include "linalg/blas.h"
#include "phys/solid.h"

#include <cholmod.h>
#include <math.h>
#include <stdio.h>
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

static void close_job(brn_ctx *ctx, job *j)
{
    cholmod_free_factor(&j->peer.factor, &j->peer.common);
    cholmod_free_sparse(&j->peer.matrix, &j->peer.common);
    cholmod_finish(&j->peer.common);
    brn_factor_destroy(j->factor);
    brn_free(ctx, j->b);
    brn_free(ctx, j->x);
}

/* ---- a body that touches itself --------------------------------------------------------------------------------- */

typedef struct touch {
    job *job;
    int *node; /* stencils of 4: a node of one element and three of another */
    brn_stencils list;
    brn_block_matrix *joined;
    brn_factor *factor;
} touch;

static brn_status create_again(void *arg)
{
    touch *t = arg;
    const brn_system *s = t->job->cube->system;
    brn_factor_destroy(t->factor);
    return brn_factor_create(s->ctx, s->matrix, s->model->fixed, &t->factor);
}

static brn_status join(void *arg)
{
    touch *t = arg;
    return brn_block_matrix_join(t->job->cube->system->matrix, &t->list, 1, &t->joined);
}

static brn_status load(void *arg)
{
    touch *t = arg;
    return brn_block_matrix_load(t->joined, t->job->cube->system->matrix);
}

/* There and back: two analyses. */
static brn_status update_twice(void *arg)
{
    touch *t = arg;
    BRN_TRY(brn_factor_update(t->factor, t->joined));
    return brn_factor_update(t->factor, t->job->cube->system->matrix);
}

static brn_status numeric_joined(void *arg)
{
    touch *t = arg;
    return brn_factor_numeric(t->factor, t->joined, t->job->cube->model->fixed);
}

/* Every element of the first tenth touches its mirror image about the middle: neighbours touch neighbours. */
static brn_status fill_touch(touch *t)
{
    const brn_system *s = t->job->cube->system;
    const brn_solid *solid = brn_solid_of_group(s->model->group[0]);
    const int width = solid->element->nnode;
    const int count = solid->group.nelem / 10;
    BRN_ALLOC(s->ctx, t->node, 4 * (size_t)count);
    for (int e = 0; e < count; ++e) {
        t->node[4 * e] = solid->group.conn[(size_t)(solid->group.nelem - 1 - e) * (size_t)width];
        for (int k = 0; k < 3; ++k) {
            t->node[4 * e + 1 + k] = solid->group.conn[(size_t)e * (size_t)width + (size_t)k];
        }
    }
    t->list = (brn_stencils){count, 4, t->node};
    return BRN_OK;
}

static brn_status measure_touch(brn_bench *bench, touch *t, const char *name)
{
    static const struct {
        const char *what;
        brn_bench_fn fn;
    } parts[] = {
        {"first analysis", create_again},
        {"pattern with contacts", join},
        {"its values", load},
        {"contacts come and go: two analyses", update_twice},
        {"factor with contacts", numeric_joined},
    };
    BRN_TRY(fill_touch(t));
    for (size_t k = 0; k < sizeof parts / sizeof *parts; ++k) {
        brn_bench_timing timing;
        if (parts[k].fn == numeric_joined) {
            BRN_TRY(brn_factor_update(t->factor, t->joined));
        }
        BRN_TRY(brn_bench_measure(bench, parts[k].fn, t, &timing));
        BRN_TRY(brn_bench_add(bench, timing.cpu, "s", "%s, %s", name, parts[k].what));
    }
    brn_factor_stats alone;
    brn_factor_stats touched;
    brn_factor_get_stats(t->job->factor, &alone);
    brn_factor_get_stats(t->factor, &touched);
    return brn_bench_add(bench, touched.flops / alone.flops, "x", "%s, operations, touching / alone", name);
}

/* ---- the bodies --------------------------------------------------------------------------------------------------- */

static brn_status open_body(brn_ctx *ctx, const char *mesh, brn_bench_cube *out)
{
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "brunt: 1\ntime: {step: 0.01, end: 0.1}\nmethod: none\nintegrator: implicit_euler\n"
                   "materials: {rubber: {type: neo_hookean, young: 5e5, poisson: 0.4, density: 1000}}\n"
                   "meshes: {body: {%s, element: tet4}}}\n"
                   "bodies: [{name: body, type: deformable, mesh: body, material: rubber}]\n",
                   mesh);
    *out = (brn_bench_cube){.ctx = ctx};
    BRN_TRY(brn_scene_parse(ctx, text, strlen(text), "bench", &out->scene));
    BRN_TRY(brn_model_compile(ctx, out->scene, &out->model));
    BRN_TRY(brn_system_create(ctx, out->model, &out->system));
    BRN_ALLOC(ctx, out->x, (size_t)out->model->nnode * 3);
    memcpy(out->x, out->model->rest, (size_t)out->model->nnode * 3 * sizeof *out->x);
    return BRN_OK;
}

static brn_status measure_body(brn_bench *bench, brn_ctx *ctx, const char *name, const char *mesh)
{
    brn_bench_cube body;
    job j = {.cube = &body};
    touch t = {.job = &j};
    cholmod_start(&j.peer.common);
    brn_status status = open_body(ctx, mesh, &body);
    if (status >= 0) {
        status = measure(bench, &j);
    }
    if (status >= 0) {
        status = measure_touch(bench, &t, name);
    }
    brn_factor_destroy(t.factor);
    brn_block_matrix_destroy(t.joined);
    brn_free(ctx, t.node);
    close_job(ctx, &j);
    brn_bench_cube_destroy(&body);
    return status;
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
        close_job(ctx, &j);
        brn_bench_cube_destroy(&cube);
    }
    static const struct {
        const char *name, *mesh;
    } bodies[] = {
        {"mat 40 x 40", "box: {size: [0.4, 0.4, 0.01], cells: [40, 40, 1]"},
        {"mat 100 x 100", "box: {size: [1, 1, 0.01], cells: [100, 100, 1]"},
        {"ball", "sphere: {radius: 0.1, resolution: 0.0095"},
    };
    for (int k = 0; k < 3 && status >= 0; ++k) {
        status = measure_body(bench, ctx, bodies[k].name, bodies[k].mesh);
    }
    brn_ctx_destroy(ctx);
    return status;
}
