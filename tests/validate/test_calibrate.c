/* Calibration: simulated ring-downs of beams give back modulus and damping, with and without noise. */
#include "rows.h"
#include "stage.h"

#include "base/rng.h"

#include <brunt/study.h>

static const double PI = 3.14159265358979323846;
enum { ROOM = 8192, SEEDS = 100 };

typedef struct sampled {
    int count;
    double t[ROOM], y[ROOM];
} sampled;

/* A cantilever of 5 x 5 mm, 1205 kg/m^3, Poisson's ratio 0.45; of plain text, as a scene and as a stage. */
static void beam_text(char *out, size_t size, double length, double young, double beta, double step,
                      double end)
{
    (void)snprintf(
        out, size,
        "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: %.17g, end: %.17g}\n"
        "method: {type: none, tolerance: 1.0e-10}\nintegrator: newmark\n"
        "materials: {m: {type: linear, young: %.17g, poisson: 0.45, density: 1205, damping: {beta: %.17g}}}\n"
        "meshes: {beam: {box: {size: [%g, 0.005, 0.005], cells: [10, 1, 1], element: hex20}}}\n"
        "bodies: [{name: b, type: deformable, mesh: beam, material: m}]\n"
        "fixed: [{body: b, where: {face: -x}}]\n"
        "loads: [{body: b, where: {face: +x}, force: [0, 0, %.17g]}]\n",
        step, end, young, beta, length, 1e-12 * young);
}

/* A load sets in: the tip rings down about where it bends the beam to. */
static void simulate(double length, double young, double beta, double step, int steps, sampled *out)
{
    char text[2048];
    stage s;
    beam_text(text, sizeof text, length, young, beta, step, steps * step);
    stage_open(&s, "%s", text);
    const brn_load *load = &s.model->load[0];
    out->count = steps + 1;
    for (int k = 0; k <= steps; ++k) {
        double sum = 0.0;
        for (int i = 0; i < load->nnode; ++i) {
            const int node = load->node[i];
            sum += brn_sim_positions(s.sim)[3 * node + 2] - s.model->rest[node][2];
        }
        out->t[k] = k * step;
        out->y[k] = sum / load->nnode;
        if (k < steps) {
            (void)stage_step(&s);
        }
    }
    stage_close(&s);
}

/* The scene with values that are wrong by factors, calibrated. */
static void calibrate(brn_ctx *ctx, double length, double young, const brn_ring_mode *mode,
                      brn_calibration *out, double *found)
{
    char text[2048];
    brn_scene *scene = NULL;
    brn_calibrated_list *list = NULL;
    brn_calibrated value = {0};
    beam_text(text, sizeof text, length, young, 0.0, 1.0, 1.0);
    assert_done(ctx, brn_scene_parse(ctx, text, strlen(text), "beam.yaml", &scene));
    assert_done(ctx, brn_calibrate(ctx, scene, mode, NULL, out, &list));
    assert_done(ctx, brn_calibrated_get(list, 0, &value));
    assert_string_equal(value.path, "materials.m.young");
    *found = value.after;
    brn_calibrated_destroy(list);
    brn_scene_destroy(scene);
}

/* ---- the table of materials ------------------------------------------------------------------------------------------------ */

typedef struct specimen {
    const char *name;
    double young, beta, length; /* [Pa], [s], [m] */
    double omega;               /* [rad/s] about */
} specimen;

/* Printed materials. A foot of the softest is overdamped in a beam of 50 mm; in one of 160 mm it rings. */
static const specimen specimens[] = {
    {"rigid photopolymer, vertical", 1.66e9, 1.64e-4, 0.05, 2380.0},
    {"rigid photopolymer, horizontal", 2.06e9, 1.40e-4, 0.05, 2650.0},
    {"composite, horizontal", 1.57e9, 2.55e-4, 0.05, 2310.0},
    {"soft feet", 6.32e5, 9.10e-2, 0.16, 4.6},
};

static void test_materials(void **state)
{
    static sampled trace;
    brn_ctx *ctx = test_ctx(1);
    for (size_t k = 0; k < sizeof specimens / sizeof *specimens; ++k) {
        const specimen *p = &specimens[k];
        const double step = 2.0 * PI / p->omega / 200.0;
        char name[128];
        brn_ring_down fit;
        brn_calibration found;
        double young = 0.0;
        simulate(p->length, p->young, p->beta, step, 800, &trace);
        assert_done(ctx, brn_ring_down_fit(ctx, trace.t, trace.y, trace.count, NULL, &fit));
        brn_ring_mode mode = fit.mode[fit.chosen];
        brn_ring_mode_unshift(&mode, step);
        calibrate(ctx, p->length, 0.4 * p->young, &mode, &found, &young);
        (void)snprintf(name, sizeof name, "%s: E", p->name);
        validation_row(*state, name, p->young, young, fabs(young / p->young - 1.0),
                       "Pa; from 800 steps, 4 periods");
        (void)snprintf(name, sizeof name, "%s: beta", p->name);
        validation_row(*state, name, p->beta, found.beta, fabs(found.beta / p->beta - 1.0), "s");
        /* what is left of modes that are overdamped: 1e-5 of the displacement is not looked into */
        assert_near(young, p->young, 1e-3 * p->young);
        assert_near(found.beta, p->beta, 1e-3 * p->beta);
        assert_near(found.share, 1.0, 1e-5); /* from lambda to 1e-9, a step of 1e-3 apart */
        /* and the calibrated model has the measured mode */
        assert_near(found.frequency, mode.frequency, 1e-7 * mode.frequency);
        assert_near(found.decay, mode.decay, 1e-7 * mode.decay);
    }
    /* The soft one in the short beam has nothing to be found. */
    brn_ring_down fit;
    simulate(0.05, 6.32e5, 9.10e-2, 2e-3, 800, &trace);
    assert_int_equal(brn_ring_down_fit(ctx, trace.t, trace.y, trace.count, NULL, &fit), BRN_ERR_MISSING);
    assert_non_null(strstr(brn_ctx_message(ctx), "decays without one"));
    brn_ctx_destroy(ctx);
}

/* ---- noise -------------------------------------------------------------------------------------------------------------------- */

static double normal(brn_rng *rng)
{
    const double u = brn_rng_uniform(rng, 1e-300, 1.0), v = brn_rng_uniform(rng, 0.0, 1.0);
    return sqrt(-2.0 * log(u)) * cos(2.0 * PI * v);
}

typedef struct tally {
    double worst[2], sum[2], claimed[2]; /* of E and beta, relative */
} tally;

/* Root mean square of the oscillation over the window. */
static double size_of(const sampled *trace)
{
    double mean = 0.0;
    double sum = 0.0;
    for (int i = trace->count / 2; i < trace->count; ++i) {
        mean += trace->y[i] / (trace->count - trace->count / 2);
    }
    for (int i = 0; i < trace->count; ++i) {
        sum += pow(trace->y[i] - mean, 2) / trace->count;
    }
    return sqrt(sum);
}

static void test_noise(void **state)
{
    static sampled clean;
    static sampled trace;
    const specimen *p = &specimens[0];
    const double step = 2.0 * PI / p->omega / 1000.0; /* 4 periods, 4000 samples */
    const double from = 0.4 * p->young;
    brn_ctx *ctx = test_ctx(1);
    brn_calibration reference = {0};
    double young = 0.0;
    tally t = {0};
    simulate(p->length, p->young, p->beta, step, 4000, &clean);
    const double noise = 0.1 * size_of(&clean);
    for (int seed = 0; seed < SEEDS; ++seed) {
        brn_rng rng = {(uint64_t)seed};
        brn_ring_down fit;
        trace = clean;
        for (int i = 0; i < trace.count; ++i) {
            trace.y[i] += noise * normal(&rng);
        }
        assert_done(ctx, brn_ring_down_fit(ctx, trace.t, trace.y, trace.count, NULL, &fit));
        brn_ring_mode mode = fit.mode[fit.chosen];
        brn_ring_mode_unshift(&mode, step);
        const double lambda = pow(2.0 * PI * mode.frequency, 2) + mode.decay * mode.decay;
        if (seed < 3) {
            calibrate(ctx, p->length, from, &mode, &reference, &young);
            /* so that the others need no model */
            assert_near(young, from * lambda / reference.before, 1e-8 * young);
            assert_near(reference.beta, 2.0 * mode.decay / lambda, 1e-8 * reference.beta);
            t.claimed[0] = fmax(t.claimed[0], reference.factor_error);
            t.claimed[1] = fmax(t.claimed[1], reference.beta_error / reference.beta);
        }
        const double off[2] = {lambda / reference.before * from / p->young - 1.0,
                               2.0 * mode.decay / lambda / p->beta - 1.0};
        for (int k = 0; k < 2; ++k) {
            t.worst[k] = fmax(t.worst[k], fabs(off[k]));
            t.sum[k] += off[k] * off[k] / SEEDS;
        }
    }
    static const char *const names[2] = {"E", "beta"};
    for (int k = 0; k < 2; ++k) {
        char name[128];
        char note[160];
        (void)snprintf(name, sizeof name, "20 dB, worst of %d seeds: %s", SEEDS, names[k]);
        (void)snprintf(note, sizeof note, "relative; root mean square %.2g, standard error that is told %.2g",
                       sqrt(t.sum[k]), t.claimed[k]);
        validation_row(*state, name, 0.0, t.worst[k], t.worst[k], note);
        /* 100 normal numbers have a mean square of 1 +- 0.14, and none beyond 4 in 99 cases of 100 */
        assert_true(t.sum[k] < 1.6 * t.claimed[k] * t.claimed[k]);
        assert_true(t.worst[k] < 4.0 * t.claimed[k]);
    }
    assert_true(t.worst[0] < 0.01);
    brn_ctx_destroy(ctx);
}

/* ---- the step ------------------------------------------------------------------------------------------------------------------- */

static void test_step(void **state)
{
    static sampled trace;
    const specimen *p = &specimens[0];
    brn_ctx *ctx = test_ctx(1);
    static const int a_period[] = {20, 50, 200};
    for (int k = 0; k < 3; ++k) {
        const double step = 2.0 * PI / p->omega / a_period[k];
        brn_ring_down fit;
        brn_calibration found;
        char name[128];
        char note[128];
        double young[2] = {0.0, 0.0};
        simulate(p->length, p->young, p->beta, step, 4 * a_period[k], &trace);
        assert_done(ctx, brn_ring_down_fit(ctx, trace.t, trace.y, trace.count, NULL, &fit));
        for (int pass = 0; pass < 2; ++pass) {
            brn_ring_mode mode = fit.mode[fit.chosen];
            brn_ring_mode_unshift(&mode, pass == 1 ? step : 0.0);
            calibrate(ctx, p->length, p->young, &mode, &found, &young[pass]);
        }
        (void)snprintf(name, sizeof name, "%d steps a period: E, shift of the steps taken out", a_period[k]);
        (void)snprintf(note, sizeof note, "Pa; as it is: %+.2g relative", young[0] / p->young - 1.0);
        validation_row(*state, name, p->young, young[1], fabs(young[1] / p->young - 1.0), note);
        assert_near(young[1], p->young, 2e-3 * p->young);
        assert_true(k > 0 || young[0] < 0.99 * p->young); /* (omega h)^2/6 is 1.6 % */
    }
    brn_ctx_destroy(ctx);
}

/* ---- two materials ------------------------------------------------------------------------------------------------------------ */

static brn_scene *two_materials(brn_ctx *ctx, double core, double beta)
{
    char text[2048];
    brn_scene *scene = NULL;
    (void)snprintf(
        text, sizeof text,
        "brunt: 1\ntime: {step: 1, end: 1}\nmethod: none\n"
        "materials:\n"
        "  core: {type: stvk, young: %.17g, poisson: 0.3, density: 1000, damping: {beta: %.17g}}\n"
        "  skin: {type: stvk, bulk: 4e9, shear: 1e9, density: 1500, damping: {alpha: 3, beta: 2e-5}}\n"
        "meshes: {beam: {box: {size: [0.1, 0.01, 0.01], cells: [10, 2, 2], element: hex20}}}\n"
        "bodies: [{name: b, type: deformable, mesh: beam, material: core, materials: [{where: {box: "
        "{min: [-1, -1, 0], max: [1, 1, 1]}}, material: skin}]}]\n"
        "fixed: [{body: b, where: {face: -x}}]\n",
        core, beta);
    assert_done(ctx, brn_scene_parse(ctx, text, strlen(text), "two.yaml", &scene));
    return scene;
}

/* One material of two is found while the other stays, by its share of the mode; and a mode that cannot be reached is refused, with the scene
   as it was. */
static void test_material(void **state)
{
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = two_materials(ctx, 2.0e9, 1e-4);
    brn_model *model = NULL;
    brn_vibration *vibration = NULL;
    brn_vibration_mode exact = {0};
    assert_done(ctx, brn_model_compile(ctx, scene, &model));
    assert_done(ctx, brn_vibration_find(ctx, model, NULL, &vibration));
    assert_done(ctx, brn_vibration_get(vibration, 2, &exact));
    assert_false(exact.rigid);
    brn_ring_mode mode = {.frequency = exact.damped, .decay = exact.ratio * 2.0 * PI * exact.frequency};
    brn_vibration_destroy(vibration);
    brn_model_destroy(model);
    brn_scene_destroy(scene);
    brn_calibrate_options options = brn_calibrate_options_default();
    brn_calibration found;
    brn_calibrated_list *list = NULL;
    brn_calibrated value = {0};
    options.mode = 3;
    options.material = "core";
    scene = two_materials(ctx, 0.7e9, 0.0);
    assert_done(ctx, brn_calibrate(ctx, scene, &mode, &options, &found, &list));
    assert_int_equal(brn_calibrated_count(list), 3);
    assert_done(ctx, brn_calibrated_get(list, 0, &value));
    validation_row(*state, "one material of two, from mode 3: E", 2.0e9, value.after,
                   fabs(value.after / 2.0e9 - 1.0), "Pa; the other stays");
    validation_row(*state, "one material of two, from mode 3: beta", 1e-4, found.beta,
                   fabs(found.beta / 1e-4 - 1.0), "s; the other's damping stays");
    /* lambda is met to 1e-8, of which this is the share */
    assert_near(value.after, 2.0e9, 1e-6 * 2.0e9);
    assert_near(found.beta, 1e-4, 1e-5 * 1e-4);
    assert_true(found.share > 0.2 && found.share < 0.8);
    brn_calibrated_destroy(list);
    brn_scene_destroy(scene);
    /* out of reach: the skin stays as soft as it is, and damps more */
    scene = two_materials(ctx, 0.7e9, 0.0);
    char *before = NULL;
    char *after = NULL;
    assert_done(ctx, brn_scene_set(scene, "materials.core.damping.alpha=0"));
    assert_done(ctx, brn_scene_write(scene, &before));
    const brn_ring_mode fast = {.frequency = 1e6, .decay = 0.1};
    assert_int_equal(brn_calibrate(ctx, scene, &fast, &options, &found, NULL), BRN_ERR_RANGE);
    assert_non_null(strstr(brn_ctx_message(ctx), "hardly depends on material core"));
    brn_ring_mode quiet = mode;
    quiet.decay = 0.01;
    assert_int_equal(brn_calibrate(ctx, scene, &quiet, &options, &found, NULL), BRN_ERR_RANGE);
    assert_non_null(strstr(brn_ctx_message(ctx), "without any damping of core"));
    options.material = "cork";
    assert_int_equal(brn_calibrate(ctx, scene, &mode, &options, &found, NULL), BRN_ERR_RANGE);
    assert_done(ctx, brn_scene_write(scene, &after));
    assert_string_equal(after, before);
    brn_ctx_free(ctx, before);
    brn_ctx_free(ctx, after);
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
}

static int open_rows(void **state)
{
    *state =
        validation_open("calibrate", "Calibration from a ring-down",
                        "Beams (5 x 5 mm, 50 mm long, the soft one 160 mm; 1205 kg/m^3, Poisson's ratio "
                        "0.45, linear, hex20) are simulated with "
                        "Newmark's rule after a load at the tip sets in, and `brn_ring_down_fit` and "
                        "`brn_calibrate` find modulus and damping again, "
                        "starting from others. *Without noise*: tolerance 1e-3 (overdamped modes beside the "
                        "one that rings). *20 dB*: white noise "
                        "of a tenth of the signal's root mean square over 4 periods, 4000 samples; tolerance "
                        "1 % of E and 4 standard errors of both. *Steps*: what their length shifts, "
                        "and what is left of that when it is taken out. *One of two materials*: target from "
                        "the model itself, tolerance 1e-6 and 1e-5.");
    return 0;
}

static int close_rows(void **state)
{
    validation_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_materials), cmocka_unit_test(test_noise),
                                       cmocka_unit_test(test_step), cmocka_unit_test(test_material)};
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
