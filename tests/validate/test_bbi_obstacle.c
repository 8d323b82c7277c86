/* Method `bbi` and obstacles that are moved: one that rushes past leaves a body alone, and the books have what it does by impacts. */
#include "flow.h"

#include "model/rigid_pose.h"
#include "step/sim.h"

#define HEAD "brunt: 1\nmethod: {type: bbi, flight: 0}\n"
#define PRINT                                                                                           \
 "materials: {print: {type: neo_hookean, young: 0.65e9, poisson: 0.45, density: 1205, damping: {beta: " \
 "1.64e-4}}}\n"                                                                                         \
 "meshes: {cube: {box: {size: [0.009, 0.009, 0.009], cells: [3, 3, 3], element: hex8}}}\n"

/* A finger beside a cube goes up by ten times its length in one step, 2 mm from the cube: all the way past it, or until it is beside it. Planes
   through the edge that is nearest at first would be in its way. The cube falls freely. */
static void test_rush_past(void **state)
{
    (void)state;
    static const char *const ways[] = {"0, 0, 0.12", "0, 0, 0.011", "0, 0.13, 0.12"};
    static const char *const shapes[] = {"box: {size: [0.006, 0.02, 0.012]}",
                                         "cylinder: {radius: 0.003, height: 0.012}",
                                         "capsule: {radius: 0.003, height: 0.006}"};
    for (int i = 0; i < BRN_COUNT(ways) * BRN_COUNT(shapes); ++i) {
        char text[1500];
        double place[3];
        brn_report r = {0};
        (void)snprintf(text, sizeof text,
                       HEAD "time: {step: 1.0e-4, end: 4.0e-4}\ncontact: {friction: 0.4}\n" PRINT
                            "bodies:\n  - {name: cube, type: deformable, mesh: cube, material: print}\n"
                            "  - {name: finger, type: static, shape: {%s}, position: [0.0095, 0, -0.013],\n"
                            "     motion: {table: [[0, 0, 0, 0], [1.0e-4, 0, 0, 0], [2.0e-4, %s]]}}\n",
                       shapes[i / BRN_COUNT(ways)], ways[i % BRN_COUNT(ways)]);
        flow f = flow_open(1, text, NULL);
        while (!brn_sim_done(f.sim)) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            assert_int_equal(r.contacts, 0);
        }
        brn_body_mean(f.model, 0, f.sim->state->node_vel, place);
        assert_near(place[0], 0.0, 1e-12);
        assert_near(place[2], -9.81 * r.time, 1e-12);
        flow_close(&f);
    }
}

/* One that starts suddenly below a cube takes it along: its work through the impact is in the books. Newmark's rule has an error of order 2,
   which is 1e-4 here. */
static void test_sudden_start(void **state)
{
    (void)state;
    flow f = flow_open(
        1,
        HEAD
        "time: {step: 1.0e-4, end: 2.0e-3}\ncontact: {friction: 0.4}\n" PRINT
        "bodies:\n  - {name: cube, type: deformable, mesh: cube, material: print, position: [0, 0, 0.0045]}\n"
        "  - {name: table, type: static, shape: {box: {size: [0.05, 0.05, 0.01]}}, position: [0, 0, "
        "-0.005],\n"
        "     motion: {table: [[0, 0, 0, 0], [2.0e-3, 0, 0, 2.0e-3]]}}\n",
        NULL);
    brn_report r = {0};
    const double mass = 1205.0 * 0.009 * 0.009 * 0.009;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_near(r.energy_error, 0.0, 1e-3);
        assert_near(r.momentum_error, 0.0, 1e-10);
    }
    assert_true(r.work > 0.5 * mass); /* [J] at least what it has at 1 m/s */
    flow_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rush_past),
        cmocka_unit_test(test_sudden_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
