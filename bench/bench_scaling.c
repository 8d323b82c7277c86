/* Cost against size: the mean of a few implicit Euler steps of a falling, held cube, by phase, and the exponent p of
   time ~ elements^p between the last two sizes. */
#include "bench.h"
#include "bench_cube.h"

#include <math.h>
#include <string.h>

enum { STEPS = 3, SIZES = 6, PHASES = 5 };

static const int sizes[SIZES] = {1000, 3000, 10000, 30000, 100000, 300000};
static const char *const names[PHASES] = {"assembly", "factor", "solve", "line search", "whole step"};

/* Seconds per iteration of each phase, and of the whole. */
static brn_status run(brn_ctx *ctx, int size, int *elements, double seconds[PHASES], double *momentum_error)
{
    char text[1024];
    brn_scene *scene = NULL;
    brn_model *model = NULL;
    brn_sim *sim = NULL;
    brn_model_info info = {0};
    double iterations = 0.0;
    memset(seconds, 0, PHASES * sizeof *seconds);
    brn_bench_cube_scene("tet4", size, text, sizeof text);
    brn_status status = brn_scene_parse(ctx, text, strlen(text), "bench", &scene);
    if (status >= 0) {
        status = brn_model_compile(ctx, scene, &model);
    }
    if (status >= 0) {
        status = brn_sim_create(ctx, model, &sim);
    }
    /* The first step also orders and analyses the matrix: it is the warm-up. */
    for (int i = 0; i <= STEPS && status >= 0; ++i) {
        brn_report r;
        status = brn_sim_step(sim, &r);
        if (status >= 0 && i > 0) {
            const double phases[PHASES] = {r.phases.assembly, r.phases.factor, r.phases.solve,
                                           r.phases.search, r.wall};
            for (int k = 0; k < PHASES; ++k) {
                seconds[k] += phases[k];
            }
            iterations += r.iterations;
            *momentum_error = r.momentum_error;
        }
    }
    if (status >= 0) {
        brn_model_get_info(model, &info);
    }
    *elements = info.elements;
    for (int k = 0; k < PHASES; ++k) {
        seconds[k] /= fmax(1.0, iterations);
    }
    brn_sim_destroy(sim);
    brn_model_destroy(model);
    brn_scene_destroy(scene);
    return status;
}

brn_status brn_bench_scaling(brn_bench *bench)
{
    double last[PHASES] = {0};
    int last_elements = 0;
    for (int i = 0; i < SIZES; ++i) {
        double seconds[PHASES];
        double momentum_error = 0.0;
        int elements = 0;
        BRN_TRY(run(brn_bench_ctx(bench), sizes[i], &elements, seconds, &momentum_error));
        for (int k = 0; k < PHASES; ++k) {
            BRN_TRY(
                brn_bench_add(bench, 1e3 * seconds[k], "ms/iteration", "%d tets, %s", elements, names[k]));
            if (i == SIZES - 1) {
                const double p = log(seconds[k] / last[k]) / log((double)elements / last_elements);
                BRN_TRY(brn_bench_add(bench, p, "", "exponent of %s, %d to %d tets", names[k], last_elements,
                                      elements));
            }
            last[k] = seconds[k];
        }
        BRN_TRY(brn_bench_add(bench, momentum_error, "", "%d tets, momentum error", elements));
        last_elements = elements;
    }
    return BRN_OK;
}
