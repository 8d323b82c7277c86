/* Steps that Newton's method finds hard: how they end, and after how much work. */
#include "flow.h"

/* A cup that would be flat at rest, held at one side: its walls are pressed, and the projected tangent is a hundred times as stiff
   as the potential. */
static const char cup[] =
    "brunt: 1\n"
    "time: {step: 0.124, end: 1.24}\n"
    "integrator: implicit_euler\n"
    "materials:\n"
    "  sheet: {type: stvk, density: 24, young: 1.9e5, poisson: 0.16}\n"
    "meshes:\n"
    "  cup: {lathe: {profile: [[2.5e-3, -4e-3], [6.3e-3, 0], [5e-3, 4e-3]], segments: 7}}\n"
    "bodies:\n"
    "  - {name: cup, type: shell, mesh: cup, material: sheet, thickness: 1.6e-4, bending: 1.24,\n"
    "     rest: flat, rotation: {axis: [1, 2, 3], degrees: 40}, angular_velocity: [0, -1.2, 0]}\n"
    "fixed:\n"
    "  - {body: cup, where: {face: +y}}\n"
    "contact: {self: true}\n";

static void test_creeping_ends(void **state)
{
    (void)state;
    flow f = flow_open(1, cup, NULL);
    int iterations = 0;
    for (int i = 0; i < 10; ++i) {
        brn_report r;
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        iterations += r.iterations;
    }
    flow_close(&f);
    if (iterations > 600) { /* with the projected tangent alone three times as many */
        fail_msg("%d iterations", iterations);
    }
}

/* Two blocks, each held at its right half, one of which is moved into the other. */
static const char blocks[] =
    "brunt: 1\n"
    "time: {step: 0.01, end: 0.2}\n"
    "integrator: static\n"
    "materials:\n"
    "  soft: {type: neo_hookean, density: 1000, young: 1e5, poisson: 0.3}\n"
    "meshes:\n"
    "  block: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}\n"
    "bodies:\n"
    "  - {name: lower, type: deformable, mesh: block, material: soft}\n"
    "  - {name: upper, type: deformable, mesh: block, material: soft, position: [0, 0, 0.105]}\n"
    "fixed:\n"
    "  - {body: lower, where: {box: {min: [-0.01, -1, -1], max: [1, 1, 1]}}}\n"
    "  - {body: upper, where: {box: {min: [-0.01, -1, -1], max: [1, 1, 1]}},\n"
    "     motion: {velocity: [0.001, 0, -0.1]}}\n"
    "contact: {friction: 0}\n";

/* Steps until it fails, which it must, with a message that has these words. */
static void expect_failure(const char *scene, const char *const words[3])
{
    flow f = flow_open(1, scene, NULL);
    brn_status status = BRN_OK;
    while (status >= 0 && brn_sim_step_count(f.sim) < 20) {
        status = brn_sim_step(f.sim, NULL);
    }
    assert_int_equal(status, BRN_ERR_CONVERGENCE);
    for (int i = 0; i < 3; ++i) {
        if (strstr(brn_ctx_message(f.ctx), words[i]) == NULL) {
            fail_msg("%s", brn_ctx_message(f.ctx));
        }
    }
    flow_close(&f);
}

static void test_held_parts_meet(void **state)
{
    (void)state;
    expect_failure(blocks, (const char *const[3]){"both are held", "'lower'", "'upper'"});
}

/* A block with its right half held, over a half-space. Its free half could stay above whatever the motion does. */
static const char over_floor[] =
    "brunt: 1\n"
    "time: {step: 0.01, end: 0.2}\n"
    "integrator: static\n"
    "materials:\n"
    "  soft: {type: neo_hookean, density: 1000, young: 1e5, poisson: 0.3}\n"
    "meshes:\n"
    "  block: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}}\n"
    "bodies:\n"
    "  - {name: block, type: deformable, mesh: block, material: soft, position: [0, 0, %s]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\n"
    "fixed:\n"
    "  - {body: block, where: {box: {min: [%s, -1, -1], max: [1, 1, 1]}}, motion: {velocity: [0.1, 0, "
    "%s]}}\n";

static void test_held_part_meets_half_space(void **state)
{
    (void)state;
    char scene[900];
    (void)snprintf(scene, sizeof scene, over_floor, "0.0505", "-0.01", "-0.1");
    expect_failure(scene, (const char *const[3]){"'block' is moved into 'floor'", "held", "hold less"});
    /* All of it held, on the floor, and moved along it. */
    (void)snprintf(scene, sizeof scene, over_floor, "0.05", "-1", "0");
    flow f = flow_open(1, scene, NULL);
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    }
    flow_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creeping_ends),
        cmocka_unit_test(test_held_parts_meet),
        cmocka_unit_test(test_held_part_meets_half_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
