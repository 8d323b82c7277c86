/* Elements a second on one core: the element kernel alone (results to a buffer that stays in cache) and assembled into
   the global gradient and matrix. */
#include "bench.h"
#include "bench_cube.h"

#include "phys/solid.h"

#include <string.h>

typedef struct job {
    brn_bench_cube *cube;
    double *grad;                  /* [ndof] */
    double *elem_grad, *elem_hess; /* one block of elements */
    bool want_grad, want_hess;
} job;

enum { BLOCK = 128 };

static brn_status assembled(void *arg)
{
    job *j = arg;
    brn_system *system = j->cube->system;
    double energy = 0.0;
    if (j->want_grad) {
        memset(j->grad, 0, (size_t)system->ndof * sizeof *j->grad);
    }
    if (j->want_hess) {
        brn_block_matrix_zero(system->matrix);
    }
    return brn_system_elastic(system, j->cube->x, BRN_TANGENT_PROJECTED, &energy,
                              j->want_grad ? j->grad : NULL, j->want_hess ? system->matrix : NULL);
}

static brn_status kernel(void *arg)
{
    job *j = arg;
    const brn_solid *solid = brn_solid_of_group(j->cube->model->group[0]);
    double energy[BLOCK];
    for (int first = 0; first < solid->group.nelem; first += BLOCK) {
        const int count = solid->group.nelem - first < BLOCK ? solid->group.nelem - first : BLOCK;
        brn_solid_eval(solid, (const double(*)[3])j->cube->x, first, count, BRN_TANGENT_PROJECTED, energy,
                       j->elem_grad, j->elem_hess);
    }
    return BRN_OK;
}

static brn_status measure(brn_bench *bench, brn_bench_cube *cube, const char *name)
{
    const brn_solid *solid = brn_solid_of_group(cube->model->group[0]);
    job j = {.cube = cube};
    BRN_ALLOC(cube->ctx, j.grad, cube->system->ndof);
    BRN_ALLOC(cube->ctx, j.elem_grad, (size_t)BLOCK * (size_t)brn_group_grad_size(&solid->group));
    BRN_ALLOC(cube->ctx, j.elem_hess, (size_t)BLOCK * (size_t)brn_group_hess_size(&solid->group));
    static const struct {
        const char *what;
        bool grad, hess;
    } parts[] = {
        {"energy", false, false}, {"energy + gradient", true, false}, {"all, assembled", true, true}};
    brn_bench_timing t;
    brn_status status = brn_bench_measure(bench, kernel, &j, &t);
    if (status >= 0) {
        status = brn_bench_add(bench, solid->group.nelem / t.cpu, "elements/s", "%s %d, all, kernel", name,
                               solid->group.nelem);
    }
    for (int i = 0; i < 3 && status >= 0; ++i) {
        j.want_grad = parts[i].grad;
        j.want_hess = parts[i].hess;
        status = brn_bench_measure(bench, assembled, &j, &t);
        if (status >= 0) {
            status = brn_bench_add(bench, solid->group.nelem / t.cpu, "elements/s", "%s %d, %s", name,
                                   solid->group.nelem, parts[i].what);
        }
    }
    brn_free(cube->ctx, j.grad);
    brn_free(cube->ctx, j.elem_grad);
    brn_free(cube->ctx, j.elem_hess);
    return status;
}

brn_status brn_bench_assembly(brn_bench *bench)
{
    static const char *const kinds[] = {"tet4", "hex8"};
    static const int sizes[] = {10000, 100000};
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    brn_ctx *ctx = NULL;
    BRN_TRY(brn_ctx_create(&options, &ctx));
    brn_status status = BRN_OK;
    for (int k = 0; k < 4 && status >= 0; ++k) {
        brn_bench_cube cube;
        status = brn_bench_cube_create(ctx, kinds[k / 2], sizes[k % 2], &cube);
        if (status >= 0) {
            status = measure(bench, &cube, kinds[k / 2]);
            brn_bench_cube_destroy(&cube);
        }
    }
    brn_ctx_destroy(ctx);
    return status;
}
