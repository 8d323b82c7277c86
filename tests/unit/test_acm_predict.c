/* Method `acm`: what `brunt check` predicts of a run against what the run measures, over random impacts; runs that take far more than was predicted; bad
   parameters. */
#include "draw.h"
#include "flow.h"

#include "base/ctx.h"
#include "step/acm/acm.h"
#include "step/sim.h"

#define HEAD "brunt: 1\nmethod: {type: acm}\n"

/* ---- random impacts ------------------------------------------------------------------------------------------------------------- */

/* Own figures of a run, in the order of the method's table. */
enum { EVENTS, CONTACT_EVENTS, DEEPEST, STEP_LEAST, MEASURED };
static const char *const names[MEASURED] = {"acm.events", "acm.contact_events", "acm.deepest",
                                            "acm.step_least"};

static double predicted(const brn_prediction *p, const char *name)
{
    for (int i = 0; i < p->line_count; ++i) {
        if (strcmp(p->line[i].name, name) == 0) {
            assert_true(p->line[i].lo <= p->line[i].hi);
            assert_true(strlen(p->line[i].label) > 0 && strlen(p->line[i].meaning) > 0);
            return p->line[i].hi;
        }
    }
    return NAN;
}

/* A body of size L of any stiffness and density flies a tenth of its size and hits a plane, a block or its like, at a thousandth to a thirtieth of the speed of
   waves in it. */
static void write_scene(unsigned seed, char *text, size_t size)
{
    brn_rng rng = {seed};
    const double l = pick_decade(&rng, -3.0, 1.0);
    const double young = pick_decade(&rng, 4.0, 11.3);
    const double density = pick_decade(&rng, 2.0, 4.0);
    const double wave = sqrt(young / density);
    const double speed = wave * pick_decade(&rng, -2.5, -1.5);
    const bool soft = pick_one(&rng, 2) == 0;
    const double stiffness = young * l * pick_decade(&rng, -5.0, -1.0);
    const int kind = pick_one(&rng, 3);
    const int against = pick_one(&rng, 3);
    const double end = 0.2 * l / speed + 8.0 * l / wave;
    text[0] = '\0';
    add(text, size, "brunt: 1\ngravity: [0, 0, 0]\ncontact: {friction: 0}\ntime: {step: %.9g, end: %.9g}\n",
        end / 20.0, end);
    add(text, size, "materials: {m: {type: stable_neo_hookean, young: %.9g, poisson: 0.3, density: %.9g}}\n",
        young, density);
    add(text, size, "method: {type: acm, stiffness: %.9g}\n", soft ? stiffness : 0.0);
    if (kind == 0) {
        add(text, size, "meshes: {a: {sphere: {radius: %.9g, resolution: %.9g}}}\n", 0.5 * l, 0.3 * l);
    } else {
        add(text, size, "meshes: {a: {box: {size: [%.9g, %.9g, %.9g], cells: [%d, %d, %d], element: %s}}}\n",
            l, l, l, kind + 1, kind + 1, kind + 1, kind == 1 ? "hex8" : "tet4");
    }
    add(text, size,
        "bodies:\n  - {name: flier, type: deformable, mesh: a, material: m, position: [0, 0, %.9g], "
        "velocity: [0, 0, %.9g]}\n",
        0.6 * l, -speed);
    if (against == 0) {
        add(text, size, "  - {name: ground, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n");
    } else if (against == 1) {
        add(text, size,
            "  - {name: ground, type: static, position: [0, 0, %.9g], shape: {box: {size: [%.9g, %.9g, "
            "%.9g]}}}\n",
            -0.25 * l, 2.0 * l, 2.0 * l, 0.5 * l);
    } else {
        add(text, size,
            "  - {name: other, type: deformable, mesh: a, material: m, position: [%.9g, %.9g, %.9g]}\n",
            0.1 * l, 0.07 * l, -0.5 * l);
    }
}

static void run_scene(unsigned seed, double expected[MEASURED], double found[MEASURED])
{
    char text[2000];
    brn_prediction p;
    brn_report r;
    write_scene(seed, text, sizeof text);
    flow f = flow_open(1, text, NULL);
    assert_done(f.ctx, brn_model_predict(f.ctx, f.model, &p));
    assert_true(p.seconds > 0.0 && p.step_min > 0.0);
    memset(found, 0, MEASURED * sizeof *found);
    found[STEP_LEAST] = INFINITY;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        found[EVENTS] += r.own[EVENTS];
        found[CONTACT_EVENTS] += r.own[CONTACT_EVENTS];
        found[DEEPEST] = fmax(found[DEEPEST], r.own[DEEPEST]);
        found[STEP_LEAST] = fmin(found[STEP_LEAST], r.own[STEP_LEAST]);
    }
    for (int i = 0; i < MEASURED; ++i) {
        expected[i] = predicted(&p, names[i]);
    }
    flow_close(&f);
}

/* Forces of elements are counted, and what is run again when a window is not proved comes on top. Of the rest the worst of 60 such scenes is off by 3 (deepest
   layer), 8 (shortest step: a power of two by the 3/2 power of the layer) and 8 (contact events). */
static void test_random_impacts(void **state)
{
    (void)state;
    enum { SCENES = 24 };
    double off[MEASURED] = {0};
    int deep = 0;
    for (unsigned seed = 1; seed <= SCENES; ++seed) {
        double expected[MEASURED];
        double found[MEASURED];
        run_scene(seed, expected, found);
        for (int i = 0; i < MEASURED; ++i) {
            off[i] += fabs(log(found[i] / expected[i])) / SCENES;
        }
        deep += found[DEEPEST] > 10.0;
        assert_true(found[EVENTS] >= expected[EVENTS] && found[EVENTS] < 1.5 * expected[EVENTS]);
        assert_true(fabs(log(found[DEEPEST] / expected[DEEPEST])) < log(4.0));
        assert_true(fabs(log(found[STEP_LEAST] / expected[STEP_LEAST])) < log(17.0));
        assert_true(fabs(log(found[CONTACT_EVENTS] / expected[CONTACT_EVENTS])) < log(20.0));
    }
    assert_true(deep > 3);
    assert_true(exp(off[DEEPEST]) < 2.0);
    assert_true(exp(off[STEP_LEAST]) < 3.0);
    assert_true(exp(off[CONTACT_EVENTS]) < 3.0);
}

/* ---- runs that take more ----------------------------------------------------------------------------------------------------------- */

#define DROP                                                                                          \
 HEAD "gravity: [0, 0, -9.81]\ntime: {step: 0.005, end: 0.1}\n"                                       \
      "materials: {m: {type: stable_neo_hookean, young: 1.0e5, poisson: 0.3, density: 1000}}\n"       \
      "meshes: {ball: {sphere: {radius: 0.05, resolution: 0.04}}}\n"                                  \
      "bodies:\n  - {name: ball, type: deformable, mesh: ball, material: m, position: [0, 0, 0.06], " \
      "velocity: [0, 0, -0.5]}\n"                                                                     \
      "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\ncontact: {friction: 0.2}\n"

static brn_status run_folder(const char *out, const char *sets, bool resume, brn_summary *summary, char *why)
{
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = NULL;
    brn_run_options options = brn_run_options_default();
    options.out = out;
    options.resume = resume;
    options.report_mb = 0.0;
    assert_done(ctx, flow_scene(ctx, DROP, sets, &scene));
    const brn_status status = brn_run(ctx, scene, &options, summary);
    (void)snprintf(why, 600, "%s", brn_ctx_message(ctx));
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
    return status;
}

/* A limit below what the impact takes, and above what the fall does: the run ends there, says why, and goes on with the bits of one that had no limit. */
static void test_stops_and_resumes(void **state)
{
    (void)state;
    static const char out[] = "acm-runaway";
    brn_summary whole;
    brn_summary part;
    char why[600];
    char sets[100];
    flow_clear_folder(out);
    assert_int_equal(run_folder(out, "method.stiffness=0.1", false, &whole, why), BRN_OK);
    flow f = flow_open(1, DROP, "method.stiffness=0.1");
    brn_report r;
    assert_done(f.ctx, brn_sim_step(f.sim, &r));
    const double falling = r.own[EVENTS] + r.own[CONTACT_EVENTS];
    flow_close(&f);
    flow_clear_folder(out);
    (void)snprintf(sets, sizeof sets, "method.stiffness=0.1;method.events=%.17g", falling);
    assert_int_equal(run_folder(out, sets, false, &part, why), BRN_ERR_LIMIT);
    assert_string_equal(part.status, "stopped");
    assert_true(part.steps > 0 && part.steps < whole.steps);
    assert_non_null(strstr(why, "(method.events)"));
    assert_non_null(strstr(why, "method.events and resume"));
    /* A limit that is still too low; then one that is not. */
    assert_int_equal(run_folder(out, sets, true, &part, why), BRN_ERR_LIMIT);
    assert_true(run_folder(out, "method.stiffness=0.2;method.events=1e9", true, &part, why) < 0);
    assert_non_null(strstr(why, "(method.stiffness)"));
    assert_int_equal(run_folder(out, "method.stiffness=0.1;method.events=1e9", true, &part, why), BRN_OK);
    assert_int_equal(part.steps, whole.steps);
    assert_int_equal(part.state_hash, whole.state_hash);
    flow_clear_folder(out);
}

/* Without a limit of the scene: far above what is foreseen. The message names what takes the events. */
static void test_far_above_prediction(void **state)
{
    (void)state;
    flow f = flow_open(1, DROP, "method.stiffness=1e-3;bodies[0].position=[0, 0, 0.0502]");
    brn_acm *acm = f.sim->self;
    const double foreseen = acm->outlook.events + acm->outlook.contact_events;
    brn_report r;
    assert_true(foreseen > 1e3 && foreseen < 1e7);
    assert_true(acm->limit == fmax(100.0 * foreseen, 1e10));
    acm->limit = 100.0;
    assert_int_equal(brn_sim_step(f.sim, &r), BRN_ERR_LIMIT);
    assert_non_null(strstr(brn_ctx_message(f.ctx), "forces of elements act every"));
    /* As if contact had taken them. */
    while (acm->npair == 0) {
        acm->limit = 1e10;
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
    }
    acm->limit = 100.0;
    acm->sums.contact_events = 1e9;
    assert_int_equal(brn_acm_check(acm), BRN_ERR_LIMIT);
    assert_non_null(strstr(brn_ctx_message(f.ctx), "contact of 'ball' and 'floor'"));
    assert_non_null(strstr(brn_ctx_message(f.ctx), "times what was foreseen"));
    assert_non_null(strstr(brn_ctx_message(f.ctx), "raise method.stiffness (now 0.001 N/m)"));
    flow_close(&f);
}

/* ---- warnings and bad parameters ----------------------------------------------------------------------------------------------------- */

static bool warns(const char *sets, char *text, size_t size)
{
    flow f = flow_open(1, DROP, sets);
    const bool any = f.sim->method->warn(f.sim->self, text, size);
    flow_close(&f);
    return any;
}

static void test_warnings(void **state)
{
    (void)state;
    char text[400];
    assert_false(warns(NULL, text, sizeof text));
    assert_false(warns("method.stiffness=1e3;method.step=1e-5", text, sizeof text));
    assert_true(warns("materials.m.young=1e9;meshes.ball.sphere.resolution=0.015;time.step=50;time.end=50",
                      text, sizeof text));
    assert_non_null(strstr(text, "elements act every"));
    assert_true(warns("method.stiffness=1e-16;bodies[0].velocity=[0, 0, -100]", text, sizeof text));
    assert_non_null(strstr(text, "contact of 'ball' and 'floor' at 100 m/s needs some"));
    /* As if contact were to take hours. */
    flow f = flow_open(1, DROP, NULL);
    brn_acm *acm = f.sim->self;
    acm->outlook.contact_events = acm->outlook.all_contact_events = 1e12;
    assert_true(f.sim->method->warn(acm, text, sizeof text));
    assert_non_null(strstr(text, "contact of 'ball' and 'floor' gets to layer"));
    flow_close(&f);
}

static void test_bad_parameters(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"method.events=-1", "method.events = -1: must be >= 0"},
        {"method.thickness=-1e-3", "method.thickness = -1e-3: must be >= 0 m"},
        {"method.stiffness=-2", "method.stiffness = -2: must be >= 0"},
        {"method.power=3", "method.power = 3: must be in [0, 2]"},
        {"method.safety=1", "method.safety = 1: must be in (0, 1)"},
        {"method.resolution=0", "method.resolution = 0: must be in (0, 1)"},
    };
    for (int k = 0; k < BRN_COUNT(bad); ++k) {
        flow f;
        assert_true(flow_try(1, DROP, bad[k][0], &f) < 0);
        assert_true(brn_scene_problem_count(f.scene) > 0);
        if (strstr(brn_scene_problem(f.scene, 0), bad[k][1]) == NULL) {
            fail_msg("%s: %s", bad[k][0], brn_scene_problem(f.scene, 0));
        }
        flow_close(&f);
    }
    flow f;
    assert_int_equal(flow_try(1, DROP, "method.step=1e-12", &f), BRN_ERR_LIMIT);
    assert_non_null(strstr(brn_ctx_message(f.ctx), "2^30 of method.step = 1e-12 s"));
    flow_close(&f);
}

/* What the scene leaves open, of bodies that move; a step that is given is told as the power of two that it became. */
static void test_choices(void **state)
{
    (void)state;
    static const char *const sets[] = {
        NULL, "method.thickness=1e-3;method.stiffness=100;method.step=1e-5;method.power=1"};
    static const char *const words[] = {"thickness", "stiffness", "step", "power"};
    for (int k = 0; k < 2; ++k) {
        flow f = flow_open(1, DROP, sets[k]);
        char *text = NULL;
        assert_done(f.ctx, brn_sim_choices(f.sim, true, &text));
        assert_int_equal(strncmp(text, "ball: ", 6), 0);
        assert_null(strstr(text, "floor"));
        for (int i = 0; i < BRN_COUNT(words); ++i) {
            assert_int_equal(strstr(text, words[i]) != NULL, k == 0 || i == 2);
        }
        if (k == 1) {
            assert_non_null(strstr(text, "step 7.63e-06 s"));
        }
        brn_ctx_free(f.ctx, text);
        flow_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_impacts),       cmocka_unit_test(test_stops_and_resumes),
        cmocka_unit_test(test_far_above_prediction), cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_bad_parameters),       cmocka_unit_test(test_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
