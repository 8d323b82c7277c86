/* Method `acm`, its books: a spring that pulls at damped elements gives no more energy than it has; what lifts a body bears all of its weight. */
#include "flow.h"

/* A cloth, strongly damped and held at one side, is pulled at a corner by a thread whose other end moves away. The thread's own step is eight times that of the
   triangles: with it a seventh of the energy would come from nowhere, and be taken by damping. */
static void pull_thread(const char *sets, double most)
{
    flow f = flow_open(
        1,
        "brunt: 1\nmethod: acm\ngravity: [0, 0, 0]\ntime: {step: 0.01, end: 0.1}\n"
        "materials: {cotton: {type: stvk, young: 8.0e5, poisson: 0.3, density: 400, damping: {beta: "
        "2.0e-3}}}\n"
        "meshes: {cloth: {grid: {size: [0.4, 0.4], cells: [8, 8]}}}\n"
        "bodies:\n  - {name: cloth, type: shell, mesh: cloth, material: cotton, thickness: 1.0e-3, plate: "
        "hinge}\n"
        "  - {name: hand, type: static, shape: {sphere: {radius: 0.01}}, position: [0.5, 0.5, 0], motion: "
        "{velocity: [1, 1, 0]}}\n"
        "fixed: [{body: cloth, where: {face: -x}}]\n"
        "springs: [{body: cloth, where: {nearest: [0.2, 0.2, 0]}, to: hand, stiffness: 200, pull_only: "
        "true}]\n",
        sets);
    brn_report r = {0};
    double error = 0.0;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        error = fmax(error, fabs(r.energy_error));
    }
    assert_true(r.elastic > 1.0);      /* it is stretched */
    assert_true(r.dissipated > 0.005); /* and damped */
    assert_true(error < most);         /* 7e-6; 0.15 with the thread's own step */
    flow_close(&f);
}

static void test_thread(void **state)
{
    (void)state;
    pull_thread(NULL, 1e-3);
    pull_thread("method.schedule=exact",
                0.02); /* 0.009: impulses of elements and thread at times of their own, one after the other */
}

/* A spring that is long stretched pulls at a corner of a light block that nothing damps. With impulses as far apart as its own step, many vibrations of the
   block, these leave 7 % of the energy of motion too little. */
static void test_strong_spring(void **state)
{
    (void)state;
    flow f = flow_open(1,
                       "brunt: 1\nmethod: acm\ngravity: [0, 0, 0]\ntime: {step: 1e-5, end: 1e-4}\n"
                       "materials: {light: {type: neo_hookean, young: 1e11, poisson: 0.3, density: 20}}\n"
                       "meshes: {block: {box: {size: [1, 1, 1], cells: [2, 2, 2], element: hex8}}}\n"
                       "bodies:\n  - {name: block, type: deformable, mesh: block, material: light}\n"
                       "  - {name: hook, type: static, shape: {sphere: {radius: 0.1}}, position: [4, 3, 2]}\n"
                       "springs: [{body: block, where: {nearest: [0.5, 0.5, 0.5]}, to: hook, stiffness: 1e8, "
                       "length: 1}]\n",
                       NULL);
    brn_report r = {0};
    double error = 0.0;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        error = fmax(error, fabs(r.energy_error));
    }
    assert_true(r.kinetic > 3e7); /* [J] it is pulled */
    assert_true(error < 1e-4);    /* 2e-6; 2.7e-3 with the spring's own step */
    flow_close(&f);
}

/* Damped elements with a mean dilatation, one by one from the queue: the rest of the block's batch is beside them. */
static void test_exact_patches(void **state)
{
    (void)state;
    flow f =
        flow_open(1,
                  "brunt: 1\nmethod: {type: acm, schedule: exact}\ntime: {step: 0.005, end: 0.05}\n"
                  "materials: {m: {type: neo_hookean, young: 1.0e5, poisson: 0.3, density: 1000, damping: "
                  "{beta: 1.0e-3}}}\n"
                  "meshes: {block: {box: {size: [0.1, 0.1, 0.2], cells: [2, 2, 3], element: tet4}}}\n"
                  "bodies: [{name: block, type: deformable, mesh: block, material: m, dilatation: mean}]\n"
                  "fixed: [{name: hand, body: block, where: {face: +z}}]\n",
                  NULL);
    brn_report r = {0};
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_true(fabs(r.energy_error) < 1e-2); /* it hangs and swings */
    }
    assert_true(r.dissipated > 0.0);
    flow_close(&f);
}

/* A block is lifted by its upper half: the work is what its potential energy grows by, that of the half that is held included. */
static void test_lift(void **state)
{
    (void)state;
    flow f = flow_open(
        1,
        "brunt: 1\nmethod: acm\ntime: {step: 0.005, end: 0.2}\n"
        "materials: {m: {type: stvk, young: 1.0e5, poisson: 0.3, density: 1000}}\n"
        "meshes: {block: {box: {size: [0.1, 0.1, 0.2], cells: [1, 1, 4], element: hex8}}}\n"
        "bodies: [{name: block, type: deformable, mesh: block, material: m}]\n"
        "fixed: [{name: hand, body: block, where: {box: {min: [-1, -1, -0.001], max: [1, 1, 1]}}, motion: "
        "{velocity: [0, 0, 0.5]}}]\n",
        NULL);
    brn_report r = {0};
    double error = 0.0;
    double start = NAN;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        error = fmax(error, fabs(r.energy_error));
        start = isnan(start) ? r.gravity : start;
    }
    assert_true(r.gravity - start > 1.0); /* 2 kg, 0.1 m */
    assert_true(
        error <
        1e-2); /* 3e-3, where it begins to move at once; the weight of what is held is more than half of the work */
    flow_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_thread), cmocka_unit_test(test_strong_spring),
                                       cmocka_unit_test(test_exact_patches), cmocka_unit_test(test_lift)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
