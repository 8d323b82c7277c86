#include "bench_cube.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void brn_bench_cube_scene(const char *element, int elements, char *text, size_t size)
{
    /* The box generator cuts a cell into five tets. */
    const double cells = strcmp(element, "tet4") == 0 ? elements / 5.0 : elements;
    const int n = (int)lround(cbrt(cells));
    (void)snprintf(text, size,
                   "brunt: 1\ntime: {step: 0.01, end: 0.1}\nmethod: none\nintegrator: implicit_euler\n"
                   "materials: {rubber: {type: neo_hookean, young: 5e5, poisson: 0.4, density: 1000}}\n"
                   "meshes: {cube: {box: {size: [0.1, 0.1, 0.1], cells: [%d, %d, %d], element: %s}}}\n"
                   "bodies: [{name: cube, type: deformable, mesh: cube, material: rubber}]\n"
                   "fixed: [{body: cube, where: {face: -x}}]\n",
                   n, n, n, element);
}

brn_status brn_bench_cube_create(brn_ctx *ctx, const char *element, int elements, brn_bench_cube *out)
{
    char text[1024];
    *out = (brn_bench_cube){.ctx = ctx};
    brn_bench_cube_scene(element, elements, text, sizeof text);
    brn_status status = brn_scene_parse(ctx, text, strlen(text), "bench", &out->scene);
    if (status >= 0) {
        status = brn_model_compile(ctx, out->scene, &out->model);
    }
    if (status >= 0) {
        status = brn_system_create(ctx, out->model, &out->system);
    }
    if (status >= 0) {
        out->x = brn_calloc(ctx, (size_t)out->model->nnode * 3, sizeof *out->x);
        status = out->x != NULL ? BRN_OK : BRN_ERR_MEMORY;
    }
    if (status < 0) {
        brn_bench_cube_destroy(out);
        return status;
    }
    /* Strains of up to about 20 %, so that some tangents need projection. */
    for (int a = 0; a < out->model->nnode; ++a) {
        const double *rest = out->model->rest[a];
        for (int i = 0; i < 3; ++i) {
            out->x[3 * a + i] =
                rest[i] + 4e-3 * sin(40.0 * rest[(i + 1) % 3] + i) - 0.1 * (i == 0 ? rest[0] : 0.0);
        }
    }
    return BRN_OK;
}

void brn_bench_cube_destroy(brn_bench_cube *cube)
{
    brn_free(cube->ctx, cube->x);
    brn_system_destroy(cube->system);
    brn_model_destroy(cube->model);
    brn_scene_destroy(cube->scene);
    *cube = (brn_bench_cube){.ctx = cube->ctx};
}
