/* A force-displacement curve: one scene, edited in a loop, and a table. A bar is pulled at one end by a traction p, once with a
   linear material and once with a rubber-like one; for the linear bar with Poisson's ratio 0 the answer is u = p L / E, and the
   program fails if it is not. */
#include <brunt/brunt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define YOUNG  1e6    /* [Pa] */
#define LENGTH 0.2    /* [m] */
#define AREA   0.0016 /* [m^2] */

static const char text[] = "brunt: 1\n"
                           "title: A bar under tension\n"
                           "gravity: [0, 0, 0]\n"
                           "time: {step: 1, end: 1}\n"
                           "method: {type: none}\n"
                           "integrator: static\n"
                           "materials:\n"
                           "  bar: {type: linear, young: 1e6, poisson: 0, density: 1000}\n"
                           "meshes:\n"
                           "  bar: {box: {size: [0.2, 0.04, 0.04], cells: [10, 2, 2], element: hex8}}\n"
                           "bodies:\n"
                           "  - {name: bar, type: deformable, mesh: bar, material: bar}\n"
                           "fixed:\n"
                           "  - {body: bar, where: {face: -x}, axes: xyz}\n"
                           "loads:\n"
                           "  - {body: bar, where: {face: +x}, traction: [0, 0, 0]}\n";

/* Where the loaded end is [m]: the largest x of all nodes. */
static double largest_x(const brn_model *model, const brn_sim *sim)
{
    brn_model_info info;
    brn_model_get_info(model, &info);
    const double *x = brn_sim_positions(sim);
    double largest = -INFINITY;
    for (int i = 0; i < info.nodes; ++i) {
        largest = fmax(largest, x[3 * i]);
    }
    return largest;
}

/* Solves the scene as it stands; *moved is what the end moved [m]. */
static brn_status solve(brn_ctx *ctx, brn_scene *scene, double *moved)
{
    brn_model *model = NULL;
    brn_sim *sim = NULL;
    brn_status status = brn_model_compile(ctx, scene, &model);
    if (status >= 0) {
        status = brn_sim_create(ctx, model, &sim);
    }
    if (status >= 0) {
        const double before = largest_x(model, sim);
        while (status >= 0 && !brn_sim_done(sim)) {
            brn_report report;
            status = brn_sim_step(sim, &report);
        }
        *moved = largest_x(model, sim) - before;
    }
    brn_sim_destroy(sim);
    brn_model_destroy(model);
    return status;
}

/* Sets one material and one traction by their paths, then solves. */
static brn_status solve_with(brn_ctx *ctx, brn_scene *scene, const char *material, double traction,
                             double *moved)
{
    char assignment[128];
    (void)snprintf(assignment, sizeof assignment, "materials.bar.type=%s", material);
    brn_status status = brn_scene_set(scene, assignment);
    if (status >= 0) {
        (void)snprintf(assignment, sizeof assignment, "loads[0].traction=[%.17g, 0, 0]", traction);
        status = brn_scene_set(scene, assignment);
    }
    return status >= 0 ? solve(ctx, scene, moved) : status;
}

static brn_status print_curve(brn_ctx *ctx, brn_scene *scene, double *error_max)
{
    printf("%12s %12s %14s %14s %14s\n", "traction Pa", "force N", "linear mm", "neo-Hooke mm", "p L / E mm");
    for (int i = 0; i <= 5; ++i) {
        const double traction = 5e4 * i, exact = traction * LENGTH / YOUNG;
        double linear = 0.0, rubber = 0.0;
        brn_status status = solve_with(ctx, scene, "linear", traction, &linear);
        if (status >= 0) {
            status = solve_with(ctx, scene, "neo_hookean", traction, &rubber);
        }
        if (status < 0) {
            return status;
        }
        printf("%12g %12.4g %14.6f %14.6f %14.6f\n", traction, traction * AREA, 1e3 * linear, 1e3 * rubber,
               1e3 * exact);
        *error_max = fmax(*error_max, fabs(linear - exact));
    }
    return BRN_OK;
}

int main(void)
{
    brn_ctx *ctx = NULL;
    brn_scene *scene = NULL;
    double error_max = 0.0;
    brn_status status = brn_ctx_create(NULL, &ctx);
    if (status >= 0) {
        status = brn_scene_parse(ctx, text, strlen(text), "force_displacement", &scene);
    }
    if (status >= 0) {
        status = print_curve(ctx, scene, &error_max);
    }
    for (int i = 0; status < 0 && scene != NULL && i < brn_scene_problem_count(scene); ++i) {
        fprintf(stderr, "%s\n", brn_scene_problem(scene, i));
    }
    if (status < 0 && ctx != NULL) {
        fprintf(stderr, "%s: %s\n", brn_status_name(status), brn_ctx_message(ctx));
    }
    /* The exact solution is linear in x, which the elements represent: only the solver's tolerance is left. */
    const bool wrong = !(error_max <= 1e-6 * LENGTH);
    if (status >= 0 && wrong) {
        fprintf(stderr, "the linear bar is off by %g m\n", error_max);
    }
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
    return status < 0 || wrong ? 1 : 0;
}
