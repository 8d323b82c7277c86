/* The whole flow in ten calls: a soft cube falls for half a second. The scene is written here, so that the program needs no
   file; with an argument it takes that scene file instead.

       cc minimal.c $(pkg-config --cflags --libs brunt) -o minimal && ./minimal */
#include <brunt/brunt.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "brunt: 1\n"
    "title: A falling cube\n"
    "time: {step: 0.01, end: 0.5}\n"
    "method: {type: none}\n"
    "integrator: implicit_euler\n"
    "materials:\n"
    "  rubber: {type: neo_hookean, young: 5e5, poisson: 0.4, density: 1100}\n"
    "meshes:\n"
    "  cube: {box: {size: [0.1, 0.1, 0.1], cells: [3, 3, 3], element: hex8}}\n"
    "bodies:\n"
    "  - {name: cube, type: deformable, mesh: cube, material: rubber, position: [0, 0, 2]}\n";

/* Every problem of the scene, or the last error. */
static int fail(const brn_ctx *ctx, const brn_scene *scene)
{
    const int problems = scene != NULL ? brn_scene_problem_count(scene) : 0;
    for (int i = 0; i < problems; ++i) {
        fprintf(stderr, "%s\n", brn_scene_problem(scene, i));
    }
    if (problems == 0) {
        fprintf(stderr, "%s\n", ctx != NULL ? brn_ctx_message(ctx) : "out of memory");
    }
    return 1;
}

static int simulate(brn_ctx *ctx, brn_sim *sim)
{
    while (!brn_sim_done(sim)) {
        brn_report report;
        if (brn_sim_step(sim, &report) < 0) {
            return fail(ctx, NULL);
        }
        const double *x = brn_sim_positions(sim); /* [nodes][3] */
        if (report.step % 10 == 0) {
            printf("step %3lld  t %.2f s  first node at z = %.4f m  kinetic %.4f J  %lld iterations\n",
                   (long long)report.step, report.time, x[2], report.kinetic, (long long)report.iterations);
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    brn_ctx *ctx = NULL;
    brn_scene *scene = NULL;
    brn_model *model = NULL;
    brn_sim *sim = NULL;
    brn_status status = brn_ctx_create(NULL, &ctx);
    if (status >= 0) {
        status = argc > 1 ? brn_scene_load(ctx, argv[1], &scene)
                          : brn_scene_parse(ctx, text, strlen(text), "minimal", &scene);
    }
    if (status >= 0) {
        status = brn_model_compile(ctx, scene, &model);
    }
    if (status >= 0) {
        status = brn_sim_create(ctx, model, &sim);
    }
    const int code = status >= 0 ? simulate(ctx, sim) : fail(ctx, scene);

    /* NULL is fine everywhere. */
    brn_sim_destroy(sim);
    brn_model_destroy(model);
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
    return code;
}
