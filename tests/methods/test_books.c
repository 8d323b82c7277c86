/* The ledger with methods that have no single integrator: one that sums its books over ticks, one that goes from equilibrium to
   motion in mid-run. */
#include "flow.h"

#include "api/registry.h"
#include "step/ledger.h"
#include "step/sim.h"

static const char beam[] =
    "brunt: 1\ntime: {step: 1e-3, end: 0.08}\n"
    "materials: {a: {type: neo_hookean, young: 1e6, poisson: 0.4, density: 1000}}\n"
    "meshes: {m: {box: {size: [0.4, 0.05, 0.05], cells: [8, 1, 1], element: hex8}}}\n"
    "bodies: [{name: a, type: deformable, mesh: m, material: a}]\n"
    "fixed: [{name: wall, body: a, where: {face: -x}}]\n"
    "loads: [{body: a, where: {face: +x}, force: [0, 0, 0.5], ramp: {from: 0, to: 0.04}}]\n";

static void test_methods_of_the_tests_are_there(void **state)
{
    (void)state;
    int found = 0;
    for (int i = 0; i < brn_method_count(); ++i) {
        const char *name = brn_method_get(i)->table->name;
        found += strcmp(name, "ticks") == 0 || strcmp(name, "launch") == 0;
    }
    assert_int_equal(found, 2);
}

/* Three ticks of a step are three steps of a third of its length. */
static void test_summed_books(void **state)
{
    (void)state;
    static const int booked[] = {BRN_LEDGER_WORK, BRN_LEDGER_DISSIPATED, BRN_LEDGER_IMPULSE,
                                 BRN_LEDGER_IMPULSE + 2, BRN_LEDGER_IMPULSE + 4};
    const char *damped = "materials.a.damping={alpha: 2};time.end=0.0009;integrator=symplectic_euler;";
    char sets[2][300];
    (void)snprintf(sets[0], sizeof sets[0], "%smethod.type=ticks;time.step=9e-5", damped);
    (void)snprintf(sets[1], sizeof sets[1], "%smethod.type=none;time.step=3e-5", damped);
    flow f = flow_open(1, beam, sets[0]);
    flow g = flow_open(1, beam, sets[1]);
    for (int n = 1; n <= 3; ++n) { /* the fourth step is cut */
        brn_report r;
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_int_equal(r.substeps, 1);
        for (int k = 0; k < 3; ++k) {
            assert_done(g.ctx, brn_sim_step(g.sim, NULL));
        }
        assert_true(f.sim->state->joint_pos[0] == brn_sim_time(f.sim));
    }
    const double *a = f.sim->state->ledger;
    const double *b = g.sim->state->ledger;
    for (size_t i = 0; i < sizeof booked / sizeof *booked; ++i) {
        assert_true(b[booked[i]] != 0.0);
        assert_near(a[booked[i]], b[booked[i]],
                    1e-11 * fabs(b[booked[i]])); /* times and sums round differently */
    }
    /* and a step of a window that ends early is whole again after another */
    brn_report r;
    assert_done(f.ctx, brn_sim_step(f.sim, &r));
    assert_int_equal(r.substeps, 2);
    assert_true(brn_sim_time(f.sim) == 4 * 9e-5);
    assert_near(f.sim->state->joint_pos[0], 4 * 9e-5, 1e-18);
    assert_near(r.momentum_error, 0.0, 1e-12);
    assert_near(r.angular_momentum_error, 0.0, 1e-12);
    flow_close(&f);
    flow_close(&g);
}

/* A loaded beam is let go by its weight, which acts whole at once; what it does with it is an oscillation whose energy and
   momentum stay booked across the change. Work of loads is a sum of trapezoids and Newmark keeps energy to h^2: halving the
   step quarters the error. */
static void test_stages(void **state)
{
    (void)state;
    double worst[2] = {0};
    for (int run = 0; run < 2; ++run) {
        flow f = flow_open(1, beam,
                           run == 0 ? "method.type=launch;integrator=newmark"
                                    : "method.type=launch;integrator=newmark;time.step=5e-4");
        double kinetic = 0.0;
        double before = 0.0;
        while (!brn_sim_done(f.sim)) {
            brn_report r;
            const bool rested = f.sim->state->ledger[BRN_LEDGER_RESTS] != 0.0;
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            const bool rests = f.sim->state->ledger[BRN_LEDGER_RESTS] != 0.0;
            assert_true(rests == (r.time < 0.04 * (1.0 - 1e-9)));
            if (rested && !rests) { /* the balance goes on without a jump */
                assert_near(r.energy_error, before, 0.1 * fabs(before) + 1e-9);
                assert_true(r.gravity != 0.0);
            }
            before = r.energy_error;
            worst[run] = fmax(worst[run], fabs(r.energy_error));
            kinetic = fmax(kinetic, r.kinetic);
            if (!rests) {
                assert_near(r.momentum_error, 0.0, 1e-7); /* Newton's tolerance */
                assert_near(r.angular_momentum_error, 0.0, 1e-7);
            }
        }
        assert_true(kinetic > 1e-5); /* it moves */
        flow_close(&f);
    }
    print_message("energy error %g, with half the step %g\n", worst[0], worst[1]);
    assert_true(worst[0] < 5e-3);
    assert_true(worst[1] < 0.35 * worst[0]);
}

/* ---- poses ---------------------------------------------------------------------------------------------------------------- */

static void test_rigid_states(void **state)
{
    (void)state;
    static const char top[] = "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: 1e-3, end: 0.1}\nintegrator: "
                              "newmark\nmethod: {type: none}\n"
                              "bodies:\n"
                              "  - {name: a, type: rigid, shape: {box: {size: [0.1, 0.2, 0.3]}}, density: "
                              "500, position: [1, 2, 3],\n"
                              "     rotation: {axis: [1, 1, 0], degrees: 40}, velocity: [0.1, 0.2, 0.3], "
                              "angular_velocity: [1, -2, 3]}\n"
                              "  - {name: b, type: rigid, shape: {sphere: {radius: 0.1}}, density: 500, "
                              "angular_velocity: [0, 0, 5]}\n";
    flow f = flow_open(1, top, NULL);
    const brn_state *s = f.sim->state;
    const double pose[] = {1, 2, 3, 1, 0, 0, 0};
    const double vel[] = {0.1, 0.2, 0.3, 1, -2, 3};
    assert_int_equal(s->sizes.nrigid, 2);
    for (int i = 0; i < 7; ++i) {
        assert_near(s->rigid_pose[i], pose[i], 1e-14);
        assert_near(s->rigid_vel[i % 6], vel[i % 6], 1e-13);
    }
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    }
    s = f.sim->state;
    /* a ball turns by 5 rad/s * 0.1 s about z; Newmark's angle is off by some (omega h)^2 of it, 2.5e-5 */
    assert_near(s->rigid_pose[7 + 3], cos(0.25), 6e-6);
    assert_near(s->rigid_pose[7 + 6], sin(0.25), 6e-6);
    assert_near(s->rigid_vel[6 + 5], 5.0, 1e-4);
    for (int i = 0; i < 3; ++i) {
        assert_near(s->rigid_pose[i], pose[i] + 0.1 * vel[i], 1e-12);
    }
    flow_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods_of_the_tests_are_there),
        cmocka_unit_test(test_summed_books),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_rigid_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
