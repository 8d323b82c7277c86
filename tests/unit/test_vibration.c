/* brn_vibration_find: what is rigid, what is held, who moves with whom, masses, damping. Frequencies against closed forms are in
   validate/test_vibration_forms.c. */
#include "flow.h"
#include "unit/faulty.h"

#include <brunt/study.h>

static const double pi = 3.14159265358979323846;

#define HEAD                                                                                             \
 "brunt: 1\n"                                                                                            \
 "time: {step: 0.01, end: 0.01}\n"                                                                       \
 "method: {type: none}\n"                                                                                \
 "materials:\n"                                                                                          \
 "  m: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000, damping: {alpha: 2, beta: 1e-3}}\n"  \
 "  n: {type: neo_hookean, young: 4e6, poisson: 0.3, density: 1000}\n"                                   \
 "meshes: {a: {box: {size: [1, 1, 1], cells: [3, 3, 3]}}, b: {box: {size: [0.2, 0.2, 1], cells: [1, 1, " \
 "5]}}}\n"
static const char cube[] =
    HEAD "bodies:\n"
         "  - {name: cube, type: deformable, mesh: a, material: m, position: [5, 0, 2]}\n";

static brn_vibration *find(flow *f, const char *text, const char *sets, const brn_vibration_options *options)
{
    *f = flow_open(1, text, sets);
    brn_vibration *v = NULL;
    assert_done(f->ctx, brn_vibration_find(f->ctx, f->model, options, &v));
    return v;
}

static brn_vibration_mode get(const brn_vibration *v, int index)
{
    brn_vibration_mode mode;
    assert_int_equal(brn_vibration_get(v, index, &mode), BRN_OK);
    return mode;
}

static int count_rigid(const brn_vibration *v)
{
    int rigid = 0;
    for (int i = 0; i < brn_vibration_count(v); ++i) {
        rigid += get(v, i).rigid;
    }
    return rigid;
}

static double largest(const flow *f, const brn_vibration_mode *mode)
{
    double most = 0.0;
    for (int a = 0; a < flow_nodes(f); ++a) {
        const double *u = &mode->shape[3 * a];
        most = fmax(most, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
    }
    return most;
}

/* Six rigid motions, which carry all of the mass; elastic modes in order, each with the damping of Rayleigh's formula. */
static void test_free_cube(void **state)
{
    (void)state;
    flow f;
    brn_vibration *v = find(&f, cube, NULL, NULL);
    assert_int_equal(brn_vibration_count(v), 16);
    assert_int_equal(count_rigid(v), 6);
    double mass[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 16; ++i) {
        const brn_vibration_mode mode = get(v, i);
        assert_int_equal(mode.rigid, i < 6);
        assert_near(largest(&f, &mode), 1.0, 1e-12);
        assert_true(mode.mass > 0.0);
        for (int k = 0; k < 3; ++k) {
            mass[k] += mode.effective_mass[k];
            /* Elastic modes are M-orthogonal to translations. */
            assert_true(i < 6 || mode.effective_mass[k] < 1e-9);
        }
        if (i < 6) {
            assert_true(mode.lambda == 0.0 && mode.frequency == 0.0 && mode.damped == 0.0 &&
                        mode.ratio == 0.0);
            continue;
        }
        assert_true(i == 6 || mode.lambda >= get(v, i - 1).lambda);
        const double omega = sqrt(mode.lambda);
        assert_near(mode.frequency, omega / (2.0 * pi), 1e-12 * omega);
        assert_near(mode.ratio, 0.5 * (2.0 / omega + 1e-3 * omega), 1e-9);
        assert_near(mode.damped, mode.frequency * sqrt(1.0 - mode.ratio * mode.ratio), 1e-12 * omega);
    }
    for (int k = 0; k < 3; ++k) {
        assert_near(mass[k], 1000.0, 1e-6);
    }
    brn_vibration_destroy(v);
    flow_close(&f);
}

/* Beyond critical damping nothing swings. */
static void test_overdamped(void **state)
{
    (void)state;
    flow f;
    brn_vibration *v = find(&f, cube, "materials.m.damping.beta=1", NULL);
    assert_true(get(v, 6).ratio > 1.0);
    assert_true(get(v, 6).damped == 0.0 && get(v, 6).frequency > 0.0);
    brn_vibration_destroy(v);
    flow_close(&f);
}

static void test_held(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "bodies:\n"
             "  - {name: post, type: deformable, mesh: b, material: n}\n"
             "  - {name: cube, type: deformable, mesh: a, material: m, position: [5, 0, 2]}\n"
             "  - {name: floor, type: static, shape: {plane: {}}}\n"
             "fixed: [{name: foot, body: post, where: {face: -z}}]\n";
    flow f;
    brn_vibration_options o = brn_vibration_options_default();
    o.modes = 3;
    brn_vibration *all = find(&f, text, NULL, &o);
    assert_int_equal(count_rigid(all), 6); /* of the cube */
    assert_int_equal(brn_vibration_count(all), 9);
    /* The post alone has the lowest modes of both, and the cube does not move in them. */
    o.body = "post";
    brn_vibration *post = NULL;
    assert_done(f.ctx, brn_vibration_find(f.ctx, f.model, &o, &post));
    assert_int_equal(count_rigid(post), 0);
    const brn_vibration_mode bend = get(post, 0);
    assert_near(get(all, 6).lambda, bend.lambda, 1e-8 * bend.lambda);
    for (int a = 0; a < flow_nodes(&f); ++a) {
        const double *x = &brn_sim_positions(f.sim)[3 * a];
        const double *u = &bend.shape[3 * a];
        if (x[0] > 2.0 || x[2] < -0.49) {
            assert_true(u[0] == 0.0 && u[1] == 0.0 && u[2] == 0.0);
        }
    }
    /* Let go it has six rigid modes, and stiffer elastic ones. */
    o.free = true;
    brn_vibration *free_post = NULL;
    assert_done(f.ctx, brn_vibration_find(f.ctx, f.model, &o, &free_post));
    assert_int_equal(count_rigid(free_post), 6);
    assert_true(get(free_post, 6).lambda > 20.0 * bend.lambda);
    brn_vibration_destroy(free_post);
    brn_vibration_destroy(post);
    brn_vibration_destroy(all);
    flow_close(&f);
}

/* A flat sheet without bending stiffness: nothing resists what goes across it, all the rest does. One with a little of it bends. */
static void test_membrane(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "bodies:\n"
             "  - {name: sheet, type: shell, mesh: s, material: m, thickness: 1.0e-5, bending: 0}\n"
             "fixed: [{name: edge, body: sheet, where: {face: -x}}]\n";
    const char *sheet = "meshes.s.grid={size: [1, 1], cells: [6, 6]}";
    flow f;
    brn_vibration_options o = brn_vibration_options_default();
    o.modes = 6;
    brn_vibration *loose = find(&f, text, sheet, &o);
    assert_int_equal(count_rigid(loose), 42); /* one for every node that is not held */
    assert_int_equal(brn_vibration_count(loose), 48);
    assert_true(get(loose, 42).frequency > 1.0);
    brn_vibration_destroy(loose);
    double stable = 0.0, resolving = 0.0;
    assert_done(f.ctx, brn_model_estimate_steps(f.ctx, f.model, &stable, &resolving));
    assert_true(stable > 1e-4 && stable < 1e-2);
    assert_true(resolving > 1.0 / 100.0 && (resolving < 1.0 || isinf(resolving)));
    flow_close(&f);
    char both[200];
    (void)snprintf(both, sizeof both, "%s;bodies[0].bending=1", sheet);
    brn_vibration *bends = find(&f, text, both, &o);
    assert_int_equal(count_rigid(bends), 1); /* the edge is a hinge */
    /* f = 6.64/(2 pi) sqrt(D/(rho t)), D = E t^3/(12 (1 - nu^2)), of a square plate on one simply supported edge [Leissa] */
    const double f1 = 6.64 / (2.0 * pi) * sqrt(1e6 * 1e-10 / (12.0 * 0.91 * 1000.0));
    assert_near(get(bends, 1).frequency, f1, 0.05 * f1);
    brn_vibration_destroy(bends);
    flow_close(&f);
}

static void test_plane(void **state)
{
    (void)state;
    static const char text[] =
        "brunt: 1\n"
        "dimension: 2\n"
        "time: {step: 0.01, end: 0.01}\n"
        "method: {type: none}\n"
        "materials: {m: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000}}\n"
        "meshes: {a: {grid: {size: [1, 1], cells: [4, 4]}}}\n"
        "bodies: [{name: a, type: deformable, mesh: a, material: m}]\n";
    flow f;
    brn_vibration *v = find(&f, text, NULL, NULL);
    assert_int_equal(count_rigid(v), 3);
    assert_int_equal(brn_vibration_count(v), 13);
    const brn_vibration_mode mode = get(v, 3);
    assert_true(mode.effective_mass[2] == 0.0);
    for (int a = 0; a < flow_nodes(&f); ++a) {
        assert_true(mode.shape[3 * a + 2] == 0.0);
    }
    brn_vibration_destroy(v);
    flow_close(&f);
}

/* Corners of quadratic elements have lumped masses below 0 and move all the same. */
static void test_quadratic(void **state)
{
    (void)state;
    static const char *const elements[] = {"meshes.a.box.element=hex20", "meshes.a.box.element=tet10"};
    for (int e = 0; e < 2; ++e) {
        flow f;
        brn_vibration *v = find(&f, cube, elements[e], NULL);
        assert_int_equal(count_rigid(v), 6);
        double mass = 0.0;
        for (int i = 0; i < 6; ++i) {
            mass += get(v, i).effective_mass[0];
        }
        assert_near(mass, 1000.0, 1e-6);
        brn_vibration_destroy(v);
        flow_close(&f);
    }
}

/* Fewer dofs than modes: as many as there are. */
static void test_few(void **state)
{
    (void)state;
    flow f;
    brn_vibration_options o = brn_vibration_options_default();
    o.modes = 1000;
    brn_vibration *v = find(&f, cube, "meshes.a.box.cells=[1, 1, 1]", &o);
    assert_int_equal(brn_vibration_count(v), 24);
    assert_int_equal(count_rigid(v), 6);
    brn_vibration_destroy(v);
    flow_close(&f);
}

static brn_status every_allocation(brn_ctx *ctx, void *arg)
{
    (void)arg;
    brn_scene *scene = NULL;
    brn_model *model = NULL;
    brn_vibration *v = NULL;
    brn_status status = flow_scene(ctx, cube, "meshes.a.box.cells=[1, 1, 1]", &scene);
    status = status >= 0 ? brn_model_compile(ctx, scene, &model) : status;
    status = status >= 0 ? brn_vibration_find(ctx, model, NULL, &v) : status;
    brn_vibration_destroy(v);
    brn_model_destroy(model);
    brn_scene_destroy(scene);
    return status;
}

static void test_allocations(void **state)
{
    (void)state;
    assert_true(faulty_run(every_allocation, NULL, 0) > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_cube),   cmocka_unit_test(test_overdamped), cmocka_unit_test(test_held),
        cmocka_unit_test(test_membrane),    cmocka_unit_test(test_plane),      cmocka_unit_test(test_few),
        cmocka_unit_test(test_allocations), cmocka_unit_test(test_quadratic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
