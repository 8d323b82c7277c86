/* The clip of scenes/jump-over, coarsened, and its launch with the fine and the coarse mesh. The fine mesh has cells of 1.5 mm (5472): those
   of 0.75 mm take minutes a launch step. */
#include "flow.h"
#include "validate/rows.h"

#include <brunt/study.h>
#include <time.h>

typedef struct launch {
    double rise, turn, range, speed; /* of the flight until 0.3 s; speed at take-off */
    double seconds;                  /* of processor time */
} launch;

static launch run(brn_ctx *ctx, brn_scene *scene)
{
    brn_summary summary;
    const clock_t start = clock();
    assert_done(ctx, brn_scene_set(scene, "time.end=0.3")); /* in flight, past the apex */
    assert_done(ctx, brn_run(ctx, scene, NULL, &summary));
    const brn_stage_result *off = &summary.stage[BRN_STAGE_LAUNCH];
    const brn_stage_result *flight = &summary.stage[BRN_STAGE_FLIGHT];
    return (launch){.rise = flight->rise,
                    .turn = flight->turn[1],
                    .range = flight->range,
                    .speed = sqrt(off->velocity[0] * off->velocity[0] + off->velocity[2] * off->velocity[2]),
                    .seconds = (double)(clock() - start) / CLOCKS_PER_SEC};
}

static brn_scene *open_scene(brn_ctx *ctx, const char *resolution)
{
    brn_scene *scene = NULL;
    assert_done(ctx, brn_scene_load(ctx, BRN_SOURCE_DIR "/scenes/jump-over/scene.yaml", &scene));
    /* The moduli of the print, not those of a mesh. */
    assert_done(ctx, brn_scene_set(scene, "materials.photopolymer.young=1.66e9"));
    assert_done(ctx, brn_scene_set(scene, "materials.soft.young=6.32e5"));
    assert_done(ctx, brn_scene_set(scene, resolution));
    return scene;
}

static void compare(FILE *rows, const char *what, double fine, double coarse, double raw, double tolerance)
{
    char note[96];
    (void)snprintf(note, sizeof note, "before scaling %+.1f %%", 100.0 * (raw / fine - 1.0));
    validation_row(rows, what, fine, coarse, coarse / fine - 1.0, note);
    assert_near(coarse, fine, tolerance * fine);
}

/* The launch of the coarse mesh whose moduli are those of the load. */
static launch launch_by_load(brn_ctx *ctx, FILE *rows)
{
    brn_scene *scene = open_scene(ctx, "meshes.clip.clip.resolution=0.003");
    brn_coarsen_options options = brn_coarsen_options_default();
    options.limit = 10000;
    options.load = true;
    brn_coarsening *c = NULL;
    brn_coarsen_result r;
    assert_done(ctx, brn_coarsen(ctx, scene, &options, &c));
    assert_done(ctx, brn_coarsen_get(c, &r));
    validation_row(rows, "by the load: energy that the coarse mesh would store by the first frequency [J]",
                   r.load, (1.0 + r.load_error) * r.load, r.load_error, "");
    brn_coarsen_level coarse;
    assert_done(ctx, brn_coarsen_get_level(c, r.coarse, &coarse));
    validation_row(rows, "by the load: cells", NAN, coarse.cells, NAN, "");
    validation_row(rows, "by the load: mean error of ten frequencies", NAN, r.error_after, NAN,
                   "at most 0.05");
    assert_true(r.distance <= 0.05 && r.error_after <= 0.05);
    const launch out = run(ctx, scene);
    brn_coarsening_destroy(c);
    brn_scene_destroy(scene);
    return out;
}

static void test_clip(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    FILE *rows = validation_open(
        "coarsening", "Coarsening of a clip",
        "`brn_coarsen` on the clip of scenes/jump-over with the moduli of the print: 1.5 mm "
        "hex8 as the fine mesh (not converged: 0.75 mm "
        "changes its frequencies by 4.5 % more). \"exact\" is the fine mesh. With the first "
        "frequency right, launch speed, rotation and range must agree within 5 %; height goes with "
        "the square of the speed, so that the apex may be off by 10.25 %: the press does 8 % "
        "more work on the coarse mesh. With the energy of the press right (`--match load`) all four "
        "must agree within 5 %.");
    brn_scene *scene = open_scene(ctx, "meshes.clip.clip.resolution=0.003");
    brn_coarsen_options options = brn_coarsen_options_default();
    options.limit = 10000;
    brn_coarsening *c = NULL;
    brn_coarsen_result r;
    brn_coarsen_level fine, coarse;
    assert_done(ctx, brn_coarsen(ctx, scene, &options, &c));
    assert_done(ctx, brn_coarsen_get(c, &r));
    assert_done(ctx, brn_coarsen_get_level(c, r.fine, &fine));
    assert_done(ctx, brn_coarsen_get_level(c, r.coarse, &coarse));
    validation_row(rows, "cells", fine.cells, coarse.cells, NAN, "");
    validation_row(rows, "worst of four shapes (relative Hausdorff distance)", NAN, r.distance, NAN,
                   "at most 0.05");
    validation_row(rows, "mean error of ten frequencies, before", NAN, r.error_before, NAN, "");
    validation_row(rows, "mean error of ten frequencies, after", NAN, r.error_after, NAN, "");
    validation_row(rows, "operations of a linear solve, fine over coarse", NAN, r.flops_fine / r.flops_coarse,
                   NAN, "predicted");
    assert_true(coarse.cells < 1000 && r.distance <= 0.05);
    assert_true(r.error_after < 0.03 && r.error_before > 0.07);
    char raw_mesh[256];
    (void)snprintf(raw_mesh, sizeof raw_mesh, "%s", brn_coarsen_change(c, 0));
    brn_scene *whole = open_scene(ctx, "meshes.clip.clip.resolution=0.0015");
    brn_scene *raw = open_scene(ctx, raw_mesh);
    const launch a = run(ctx, whole);
    const launch b = run(ctx, scene);
    const launch d = run(ctx, raw);
    compare(rows, "launch speed [m/s]", a.speed, b.speed, d.speed, 0.05);
    compare(rows, "rotation in flight until 0.3 s [rad]", a.turn, b.turn, d.turn, 0.05);
    compare(rows, "range until then [m]", a.range, b.range, d.range, 0.05);
    compare(rows, "apex above take-off [m]", a.rise, b.rise, d.rise, 1.05 * 1.05 - 1.0);
    assert_true(fabs(b.rise - a.rise) < 0.5 * fabs(d.rise - a.rise));
    const launch pressed = launch_by_load(ctx, rows);
    compare(rows, "by the load: launch speed [m/s]", a.speed, pressed.speed, d.speed, 0.05);
    compare(rows, "by the load: rotation in flight until 0.3 s [rad]", a.turn, pressed.turn, d.turn, 0.05);
    compare(rows, "by the load: range until then [m]", a.range, pressed.range, d.range, 0.05);
    compare(rows, "by the load: apex above take-off [m]", a.rise, pressed.rise, d.rise, 0.05);
    validation_row(rows, "processor time of the run, fine over coarse", NAN, a.seconds / b.seconds, NAN, "");
    validation_row(rows, "by the load: processor time of the run, fine over coarse", NAN,
                   a.seconds / pressed.seconds, NAN, "");
    validation_close(rows);
    brn_coarsening_destroy(c);
    brn_scene_destroy(scene);
    brn_scene_destroy(whole);
    brn_scene_destroy(raw);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_clip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
