/* Method `bbi` and no settings: what is far away, or heavy elsewhere, changes nothing for what is small and near; what only rests is not said to gain energy;
   nor has it more contact points for it; a rigid body under something heavy is not pressed through it; a motion into a half-space is named. */
#include "flow.h"
#include "sweep_scene.h"

#include "model/rigid_pose.h"
#include "step/bbi/bbi.h"
#include "step/ledger.h"
#include "step/sim.h"

/* A ball of 5 mm that slides over a mesh near its rim, and a block of jelly on it: their places after some steps. */
static void roll_beside(const char *far, double place[2][3])
{
    char text[2000];
    brn_report r = {0};
    (void)snprintf(
        text, sizeof text,
        "brunt: 1\nmethod: {type: bbi}\ntime: {step: 4.74441392e-5, end: 1.9e-3}\n"
        "contact: {friction: 0.786102}\n"
        "materials: {jelly: {type: corotated, young: 1e5, poisson: 0.3, density: 811}}\n"
        "meshes:\n"
        "  floor: {box: {size: [0.168527, 0.066496, 0.0110827], cells: [8, 3, 1], element: hex8}}\n"
        "  block: {box: {size: [0.01, 0.01, 0.006], cells: [2, 2, 1], element: hex8}}\n"
        "  far: {box: {size: [1, 1, 1], cells: [1, 1, 1], element: hex8}}\n"
        "bodies:\n"
        "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.00554133488}}, density: 811.11, "
        "position: [0, -0.03, 0.00554133488], velocity: [0.699183912, 0, 0]}\n"
        "  - {name: block, type: deformable, mesh: block, material: jelly, position: [-0.04, 0, 0.00305], "
        "velocity: [0.5, 0.2, -0.3]}\n"
        "  - {name: floor, type: static, mesh: floor, position: [0, 0, -0.00554133487894]}\n%s",
        far);
    flow f = flow_open(1, text, NULL);
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
    }
    for (int b = 0; b < 2; ++b) {
        brn_body_mean(f.model, b, f.sim->state->node_pos, place[b]);
    }
    flow_close(&f);
}

/* Newton stops at 1e-8 of the forces of each: 1e-9 m is a thousandth of what a looser balance would leave. */
static void test_far(void **state)
{
    static const char *const far[] = {
        "  - {name: rock, type: rigid, shape: {box: {size: [1, 1, 1]}}, density: 3000, position: [0, 200, "
        "199.5]}\n  - {name: ledge, type: static, shape: {box: {size: [4, 4, 1]}}, position: [0, 200, "
        "198.5]}\n",
        "  - {name: falls, type: deformable, mesh: far, material: jelly, position: [0, 202.5, 202.5], "
        "velocity: [3, 0, -3]}\n"};
    double alone[2][3];
    (void)state;
    roll_beside("", alone);
    for (int k = 0; k < BRN_COUNT(far); ++k) {
        double place[2][3];
        roll_beside(far[k], place);
        for (int i = 0; i < 6; ++i) {
            assert_near(place[i / 3][i % 3], alone[i / 3][i % 3], 1e-9);
        }
    }
}

/* [1] Most contact points that a step of a scene reckons with. */
static double most_points(const char *more)
{
    char text[2000];
    brn_report r = {0};
    double most = 0.0;
    (void)snprintf(
        text, sizeof text,
        "brunt: 1\nmethod: {type: bbi, flight: 0}\ngravity: [0, 0, 0]\ntime: {step: 1.0e-3, end: 0.02}\n"
        "contact: {self: true}\n"
        "materials: {jelly: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000}}\n"
        "meshes: {m: {box: {size: [0.04, 0.04, 0.02], cells: [4, 4, 2], element: hex8}}}\n"
        "bodies:\n"
        "  - {name: low, type: deformable, mesh: m, material: jelly, position: [0, 0, 0.012]}\n"
        "  - {name: high, type: deformable, mesh: m, material: jelly, position: [0, 0, 0.034]}\n%s"
        "  - {name: floor, type: static, shape: {plane: {}}}\n",
        more);
    flow f = flow_open(1, text, NULL);
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        most = fmax(most, r.own[BRN_BBI_POINTS]);
    }
    flow_close(&f);
    return most;
}

/* What rests 2 mm from others has no points because something else is fast, and what is fast, or turns by 0.2 rad in a step, has none with itself. */
static void test_fast_elsewhere(void **state)
{
    (void)state;
    assert_true(most_points("") == 0.0);
    assert_true(
        most_points("  - {name: fast, type: deformable, mesh: m, material: jelly, position: [1, 0, 1], "
                    "velocity: [100, 0, 0]}\n") == 0.0);
    assert_true(
        most_points("  - {name: turns, type: deformable, mesh: m, material: jelly, position: [1, 0, 1], "
                    "angular_velocity: [20, 0, 200]}\n") == 0.0);
}

/* A rigid block that rests by friction has next to no energy, and its contact takes out an overlap by rounding: nothing is gained by that, and
   no step is repeated. */
static void test_rests(void **state)
{
    (void)state;
    flow f =
        flow_open(1,
                  "brunt: 1\nmethod: {type: bbi}\ngravity: [1.90075036006862, 0, -9.62409725993555]\n"
                  "time: {step: 0.000516129595, end: 0.026}\ncontact: {friction: 0.394998}\n"
                  "bodies:\n  - {name: block, type: rigid, shape: {box: {size: [0.00663272409, "
                  "0.00379058719, 0.00324592673]}}, density: 492.113, position: [0, 0, 0.00162296336408]}\n"
                  "  - {name: floor, type: static, shape: {plane: {}}}\n",
                  NULL);
    brn_report r = {0};
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_int_equal(r.guarded, 0);
        assert_true(r.energy_gain <= 0.01 * f.sim->state->ledger[BRN_LEDGER_ENERGY_SCALE]);
    }
    flow_close(&f);
}

/* A capsule between the ground and a block of ten times its mass that falls on it, in steps a hundred times as long as sound takes through both: an impact of
   slow_point_sweep that pressed the block 8 mm into the capsule. */
static void test_pressed(void **state)
{
    (void)state;
    char *text = draw_scene(83, true);
    flow f = flow_open(1, text, "method={type: bbi}");
    brn_report r = {0};
    double most = 0.0;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        most = fmax(most, r.penetration_max);
    }
    print_message("a capsule below a block: penetration %.3g m\n", most);
    assert_true(most < 2e-4); /* a thousandth of the capsule's width */
    flow_close(&f);
    free(text);
}

static void test_driven(void **state)
{
    (void)state;
    flow f =
        flow_open(1,
                  "brunt: 1\nmethod: {type: bbi}\ntime: {step: 1.0e-3, end: 0.02}\n"
                  "materials: {jelly: {type: neo_hookean, young: 1e5, poisson: 0.4, density: 1000}}\n"
                  "meshes: {block: {box: {size: [0.01, 0.01, 0.01], cells: [2, 2, 2], element: hex8}}}\n"
                  "bodies:\n  - {name: block, type: deformable, mesh: block, material: jelly, position: "
                  "[0, 0, 0.006]}\n  - {name: floor, type: static, shape: {plane: {}}}\n"
                  "fixed:\n  - {name: press, body: block, where: {face: -z}, axes: z, motion: {velocity: "
                  "[0, 0, -0.1]}}\n",
                  NULL);
    brn_report r = {0};
    brn_status status = BRN_OK;
    while (!brn_sim_done(f.sim) && status >= 0) {
        status = brn_sim_step(f.sim, &r);
    }
    assert_true(status < 0);
    assert_non_null(strstr(brn_ctx_message(f.ctx), "'block' is moved into 'floor'"));
    assert_near(brn_sim_time(f.sim), 0.01, 1.5e-3);
    flow_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_far), cmocka_unit_test(test_fast_elsewhere),
                                       cmocka_unit_test(test_rests), cmocka_unit_test(test_pressed),
                                       cmocka_unit_test(test_driven)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
