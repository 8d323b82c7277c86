/* brn_coarsen on beams of few cells: what it finds, what it changes, what it refuses. The clip is in validate/slow_coarsen.c. */
#include "flow.h"
#include "unit/faulty.h"

#include <brunt/study.h>

static const double pi = 3.14159265358979323846;

#define HEAD                                                                                             \
 "brunt: 1\n"                                                                                            \
 "time: {step: 0.01, end: 0.01}\n"                                                                       \
 "method: {type: none}\n"                                                                                \
 "materials:\n"                                                                                          \
 "  m: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000, damping: {alpha: 1, beta: 1e-3}} # " \
 "soft\n"                                                                                                \
 "  n: {type: neo_hookean, lame_lambda: 1e6, lame_mu: 5e5, density: 1000}\n"
#define MESH "meshes: {a: {box: {size: [1, 0.13, 0.2], cells: [10, 2, 3], element: hex8}}}\n"
static const char beam[] = HEAD MESH "bodies: [{name: beam, type: deformable, mesh: a, material: m}]\n"
                                     "fixed: [{name: wall, body: beam, where: {face: -x}}]\n";

static brn_coarsen_options few(void)
{
    brn_coarsen_options o = brn_coarsen_options_default();
    o.limit = 500;
    return o;
}

static brn_coarsening *coarsen(flow *f, const char *text, const char *sets, const brn_coarsen_options *o,
                               brn_coarsen_result *r)
{
    brn_coarsening *c = NULL;
    *f = (flow){.ctx = test_ctx(1)};
    assert_done(f->ctx, flow_scene(f->ctx, text, sets, &f->scene));
    assert_done(f->ctx, brn_coarsen(f->ctx, f->scene, o, &c));
    assert_done(f->ctx, brn_coarsen_get(c, r));
    return c;
}

/* [Hz] first elastic mode of the scene as it is now. */
static double first_frequency(flow *f, bool held, double *ratio)
{
    const brn_vibration_options o = {.modes = 1, .body = "beam", .free = !held};
    brn_model *model = NULL;
    brn_vibration *v = NULL;
    brn_vibration_mode mode;
    assert_done(f->ctx, brn_model_compile(f->ctx, f->scene, &model));
    assert_done(f->ctx, brn_vibration_find(f->ctx, model, &o, &v));
    assert_done(f->ctx, brn_vibration_get(v, brn_vibration_count(v) - 1, &mode));
    const double frequency = mode.frequency;
    *ratio = mode.ratio;
    brn_vibration_destroy(v);
    brn_model_destroy(model);
    return frequency;
}

static void check_shapes(const brn_coarsening *c, const brn_coarsen_result *r)
{
    for (int i = 0; i < r->modes; ++i) {
        double most[2] = {0.0, 0.0};
        double tenth = 0.0;
        for (int coarse = 0; coarse < 2; ++coarse) {
            brn_coarsen_shape s;
            assert_int_equal(brn_coarsen_get_shape(c, i, coarse, &s), BRN_OK);
            for (int n = 0; n < s.nodes; ++n) {
                const double *u = &s.moved[3 * n];
                most[coarse] = fmax(most[coarse], sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
            }
            tenth = 0.1 * sqrt(1.0 + 0.13 * 0.13 + 0.2 * 0.2);
            assert_true(s.triangles > 0);
            for (int t = 0; t < 3 * s.triangles; ++t) {
                assert_true(s.triangle[t] >= 0 && s.triangle[t] < s.nodes);
            }
        }
        assert_near(most[0], tenth, 1e-9);
        assert_true(i >= BRN_COARSEN_SHAPES ||
                    fabs(most[1] / most[0] - 1.0) < 0.1); /* shapes fit within 5 % */
    }
}

/* The first frequency becomes that of the fine mesh; what is reported is what a look at the scene says. */
static void test_beam(void **state)
{
    (void)state;
    flow f;
    brn_coarsen_result r;
    const brn_coarsen_options o = few();
    brn_coarsening *c = coarsen(&f, beam, NULL, &o, &r);
    brn_coarsen_level fine, coarse;
    brn_coarsen_mode first;
    assert_done(f.ctx, brn_coarsen_get_level(c, r.fine, &fine));
    assert_done(f.ctx, brn_coarsen_get_level(c, r.coarse, &coarse));
    assert_done(f.ctx, brn_coarsen_get_mode(c, 0, &first));
    assert_string_equal(r.body, "beam");
    assert_int_equal(fine.cells, 480);
    assert_false(r.converged); /* the limit allows one refinement */
    assert_true(fine.change > 0.01);
    assert_true(coarse.cells < 480 && coarse.fits && !coarse.refining);
    assert_true(r.distance <= 0.05 && r.error_after <= 0.05 && r.error_after < r.error_before);
    /* Coarser is stiffer, so that the moduli go down, and cells of no size are softer still. */
    assert_true(r.scale < 1.0 && first.before > first.fine && first.extrapolated < first.fine);
    assert_near(first.after, first.fine, 1e-9 * first.fine);
    double ratio = 0.0;
    /* The moduli are written with five digits. */
    assert_near(first_frequency(&f, false, &ratio), fine.frequency[0], 5e-5 * fine.frequency[0]);
    assert_true(isnan(r.beta));
    check_shapes(c, &r);
    /* No candidate that fits has fewer cells. */
    for (int i = 0; i < r.levels; ++i) {
        brn_coarsen_level level;
        assert_done(f.ctx, brn_coarsen_get_level(c, i, &level));
        assert_true(!level.fits || level.cells >= coarse.cells);
    }
    brn_coarsening_destroy(c);
    flow_close(&f);
}

/* A square beam bends alike in two planes: the pairs are matched as a whole, whichever way the solver has turned them. */
static void test_twins(void **state)
{
    (void)state;
    flow f;
    brn_coarsen_result r;
    const brn_coarsen_options o = few();
    brn_coarsening *c =
        coarsen(&f, beam, "meshes.a.box.size=[1, 0.15, 0.15];meshes.a.box.cells=[10, 2, 2]", &o, &r);
    brn_coarsen_mode mode[2];
    for (int i = 0; i < 2; ++i) {
        assert_done(f.ctx, brn_coarsen_get_mode(c, i, &mode[i]));
        assert_true(mode[i].alike > 0.999);
        assert_true(mode[i].distance < 0.05);
    }
    assert_near(mode[0].fine, mode[1].fine, 1e-6 * mode[0].fine);
    brn_coarsening_destroy(c);
    flow_close(&f);
}

/* A measured ring-down: the body as it is held has that frequency and decay afterwards. */
static void test_measured(void **state)
{
    (void)state;
    flow f;
    brn_coarsen_result r;
    brn_coarsen_options o = few();
    o.frequency = 5.0;
    o.decay = 3.0;
    o.held = true;
    brn_coarsening *c = coarsen(&f, beam, NULL, &o, &r);
    const double lambda = 100.0 * pi * pi + 9.0;
    assert_near(r.lambda, lambda, 1e-9 * lambda);
    assert_near(r.beta, 6.0 / lambda, 1e-12);
    double ratio = 0.0;
    const double undamped = first_frequency(&f, true, &ratio);
    assert_near(2.0 * pi * undamped, sqrt(lambda), 1e-4 * sqrt(lambda));
    assert_near(undamped * sqrt(1.0 - ratio * ratio), 5.0, 5e-4);
    assert_near(ratio * 2.0 * pi * undamped, 3.0, 3e-4);
    brn_coarsening_destroy(c);
    flow_close(&f);
}

/* [J] at the end of a static run of the scene. */
static double static_energy(brn_ctx *ctx, brn_scene *scene)
{
    brn_model *model = NULL;
    brn_sim *sim = NULL;
    brn_report report = {0};
    assert_done(ctx, brn_model_compile(ctx, scene, &model));
    assert_done(ctx, brn_sim_create(ctx, model, &sim));
    while (!brn_sim_done(sim)) {
        assert_done(ctx, brn_sim_step(sim, &report));
    }
    brn_sim_destroy(sim);
    brn_model_destroy(model);
    return report.elastic;
}

/* Moduli by the load: by a force, whose energy falls with the modulus, and by a motion, whose energy rises. */
static void test_load(void **state)
{
    (void)state;
    static const char *const loads[2] = {
        "integrator: static\nloads: [{name: pull, body: beam, where: {face: +x}, force: [0, 0, -1]}]\n",
        "integrator: static\nfixed:\n  - {name: wall, body: beam, where: {face: -x}}\n"
        "  - {name: finger, body: beam, where: {face: +x}, axes: z, motion: {table: [[0, 0, 0, 0], [0.01, 0, "
        "0, -0.05]]}}\n"};
    for (int i = 0; i < 2; ++i) {
        char text[2000];
        (void)snprintf(text, sizeof text, "%.*s%s",
                       (int)(i == 0 ? strlen(beam) : (size_t)(strstr(beam, "fixed") - beam)), beam, loads[i]);
        flow f;
        brn_coarsen_result r;
        brn_coarsen_options o = few();
        o.load = true;
        brn_coarsening *c = coarsen(&f, text, NULL, &o, &r);
        brn_coarsen_level fine;
        assert_done(f.ctx, brn_coarsen_get_level(c, r.fine, &fine));
        brn_scene *whole = NULL;
        char set[100];
        (void)snprintf(set, sizeof set, "meshes.a.box.cells=[%d, %d, %d]", (int)lround(10 / fine.size),
                       (int)lround(2 / fine.size), (int)lround(3 / fine.size));
        assert_done(f.ctx, flow_scene(f.ctx, text, set, &whole));
        const double want = static_energy(f.ctx, whole);
        assert_near(r.load, want, 1e-9 * want);
        assert_near(static_energy(f.ctx, f.scene), want, 1.1e-3 * want); /* sought within 1e-3 */
        assert_true(fabs(r.load_error) > 2e-3); /* the first frequency alone would not do */
        brn_coarsen_mode first;
        assert_done(f.ctx, brn_coarsen_get_mode(c, 0, &first));
        assert_near(first.after, first.before * sqrt(r.scale), 1e-9 * first.before);
        brn_scene_destroy(whole);
        brn_coarsening_destroy(c);
        flow_close(&f);
    }
}

/* Changes on the scene's text give the scene that brn_coarsen leaves; all moduli of all materials are among them. */
static void test_changes(void **state)
{
    (void)state;
    static const char text[] =
        HEAD MESH "bodies:\n"
                  "  - {name: beam, type: deformable, mesh: a, material: m,\n"
                  "     materials: [{where: {box: {min: [0, -1, -1], max: [1, 1, 1]}}, material: n}]}\n";
    flow f;
    brn_coarsen_result r;
    const brn_coarsen_options o = few();
    brn_coarsening *c = coarsen(&f, text, NULL, &o, &r);
    assert_int_equal(r.changes, 4);
    char *now = NULL;
    for (int i = 0; i < r.changes; ++i) {
        char *next = NULL;
        assert_done(f.ctx, brn_scene_edit(f.ctx, now != NULL ? now : text, brn_coarsen_change(c, i), &next));
        brn_ctx_free(f.ctx, now);
        now = next;
    }
    assert_non_null(strstr(now, "# soft"));
    brn_scene *edited = NULL;
    char *a = NULL;
    char *b = NULL;
    assert_done(f.ctx, brn_scene_parse(f.ctx, now, strlen(now), "flow.yaml", &edited));
    assert_done(f.ctx, brn_scene_write(edited, &a));
    assert_done(f.ctx, brn_scene_write(f.scene, &b));
    assert_string_equal(a, b);
    brn_ctx_free(f.ctx, a);
    brn_ctx_free(f.ctx, b);
    brn_ctx_free(f.ctx, now);
    brn_scene_destroy(edited);
    brn_coarsening_destroy(c);
    flow_close(&f);
}

static bool stop_second(void *user, const brn_coarsen_level *level)
{
    (void)level;
    return ++*(int *)user == 2;
}

static void expect_refusal(const char *text, const char *sets, const brn_coarsen_options *o, brn_status want,
                           const char *words)
{
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = NULL;
    brn_coarsening *c = NULL;
    char *before = NULL;
    char *after = NULL;
    assert_done(ctx, flow_scene(ctx, text, sets, &scene));
    assert_done(ctx, brn_scene_write(scene, &before));
    assert_int_equal(brn_coarsen(ctx, scene, o, &c), want);
    assert_null(c);
    if (strstr(brn_ctx_message(ctx), words) == NULL) {
        fail_msg("'%s' does not say '%s'", brn_ctx_message(ctx), words);
    }
    /* The scene is as it was. */
    assert_done(ctx, brn_scene_write(scene, &after));
    assert_string_equal(before, after);
    brn_ctx_free(ctx, before);
    brn_ctx_free(ctx, after);
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    brn_coarsen_options o = few();
    o.limit = 50;
    expect_refusal(beam, NULL, &o, BRN_ERR_LIMIT, "60 cells");
    o = few();
    o.shape = 1e-6;
    expect_refusal(beam, NULL, &o, BRN_ERR_CONVERGENCE, "within 1e-06");
    o = few();
    o.decay = 1.0;
    expect_refusal(beam, NULL, &o, BRN_ERR_RANGE, "decay");
    o = few();
    o.load = true;
    expect_refusal(beam, NULL, &o, BRN_ERR_SCENE, "no load in equilibrium");
    expect_refusal(beam, "integrator=static;gravity=[0, 0, 0]", &o, BRN_ERR_SCENE, "stores no energy");
    o.frequency = 5.0;
    expect_refusal(beam, NULL, &o, BRN_ERR_RANGE, "not both");
    o = few();
    int calls = 0;
    o.progress = stop_second;
    o.progress_user = &calls;
    expect_refusal(beam, NULL, &o, BRN_ERR_CANCELLED, "stopped");
    o = few();
    o.body = "roof";
    expect_refusal(beam, NULL, &o, BRN_ERR_SCENE, "no deformable body 'roof'");
    static const char two[] =
        HEAD MESH "  \n"
                  "bodies:\n"
                  "  - {name: beam, type: deformable, mesh: a, material: m}\n"
                  "  - {name: other, type: deformable, mesh: a, material: m, position: [0, 1, 0]}\n";
    expect_refusal(two, NULL, NULL, BRN_ERR_SCENE, "2 deformable bodies");
    static const char shared[] =
        HEAD "meshes: {a: {box: {size: [1, 0.2, 0.2], cells: [4, 1, 1]}}, b: {box: {size: [1, 0.2, 0.2], "
             "cells: [4, 1, 1]}}}\n"
             "bodies:\n"
             "  - {name: beam, type: deformable, mesh: a, material: m}\n"
             "  - {name: other, type: deformable, mesh: b, material: m, position: [0, 1, 0]}\n";
    o = few();
    o.body = "beam";
    expect_refusal(shared, NULL, &o, BRN_ERR_SCENE, "also of body 'other'");
    static const char voxels[] = HEAD "meshes: {a: {voxel: {cell: 0.1, layers: ['##/##']}}}\n"
                                      "bodies: [{name: beam, type: deformable, mesh: a, material: m}]\n";
    expect_refusal(voxels, NULL, NULL, BRN_ERR_SCENE, "neither 'resolution' nor 'cells'");
}

static brn_status every_allocation(brn_ctx *ctx, void *arg)
{
    (void)arg;
    brn_scene *scene = NULL;
    brn_coarsening *c = NULL;
    brn_coarsen_options o = brn_coarsen_options_default();
    o.limit = 8;
    o.shape = 10.0;
    o.spread = 10.0;
    o.load = true;
    brn_status status = flow_scene(ctx, beam, "meshes.a.box.cells=[1, 1, 1];integrator=static", &scene);
    status = status >= 0 ? brn_coarsen(ctx, scene, &o, &c) : status;
    brn_coarsening_destroy(c);
    brn_scene_destroy(scene);
    return status;
}

static void test_allocations(void **state)
{
    (void)state;
    assert_true(faulty_run(every_allocation, NULL, 0) > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beam),        cmocka_unit_test(test_twins),   cmocka_unit_test(test_measured),
        cmocka_unit_test(test_load),        cmocka_unit_test(test_changes), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
