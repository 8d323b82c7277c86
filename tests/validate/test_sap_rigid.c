/* Method `sap` with rigid bodies, against closed forms, at default settings but where a test is about one. */
#include "flow.h"

#include "model/rigid_pose.h"
#include "step/sim.h"

#define HEAD  "brunt: 1\nmethod: {type: sap}\n"
#define FLOOR "  - {name: floor, type: static, shape: {plane: {}}}\n"

static const char *const laws[] = {"method.law=lagged", "method.law=sap"};

static void run(flow *f)
{
    while (!brn_sim_done(f->sim)) {
        assert_done(f->ctx, brn_sim_step(f->sim, NULL));
    }
}

static brn_rigid_pose pose_of(const flow *f, int body)
{
    brn_rigid_pose pose;
    brn_rigid_pose_of(f->model, body, brn_sim_positions(f->sim), brn_sim_velocities(f->sim), &pose);
    return pose;
}

/* A crate on a slope (gravity tilted) sticks below the angle of friction and slides above it, at 1 % from it: sliding it would go
   1/2 0.01 mu g cos t^2 = 12 mm in a second; sticking it creeps by at most sigma h g t, 1 % of that. */
static void test_slope(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const double mu = 0.5;
        const double slope = mu * (k % 2 == 0 ? 0.99 : 1.01);
        const double angle = atan(slope);
        char sets[200];
        (void)snprintf(sets, sizeof sets, "gravity=[%.17g,0,%.17g];%s", 9.81 * sin(angle), -9.81 * cos(angle),
                       laws[k / 2]);
        flow f = flow_open(1,
                           HEAD "time: {step: 0.01, end: 1}\ncontact: {friction: 0.5}\nbodies:\n"
                                "  - {name: crate, type: rigid, shape: {box: {size: [0.2, 0.2, 0.1]}}, "
                                "position: [0, 0, 0.05]}\n" FLOOR,
                           sets);
        run(&f);
        const double slid = 0.5 * 9.81 * cos(angle) * (slope - mu);
        const double way = pose_of(&f, 0).centre[0];
        if (k % 2 == 0) {
            assert_true(way < 0.02 * fabs(slid));
        } else {
            /* Euler's t (t + h) instead of t^2; law `sap` rises to its gap first */
            assert_near(way, 1.01 * slid, (k < 2 ? 1e-3 : 1e-2) * slid);
        }
        flow_close(&f);
    }
}

/* A puck stops after v^2 / (2 mu g). */
static void test_stop(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        flow f = flow_open(1,
                           HEAD "time: {step: 0.002, end: 1}\ncontact: {friction: 0.3}\nbodies:\n"
                                "  - {name: puck, type: rigid, shape: {cylinder: {radius: 0.1, height: "
                                "0.04}}, position: [0, 0, 0.02],\n"
                                "     velocity: [2, 0, 0]}\n" FLOOR,
                           laws[k]);
        run(&f);
        const double way = 2.0 * 2.0 / (2.0 * 0.3 * 9.81);
        const brn_rigid_pose pose = pose_of(&f, 0);
        assert_near(pose.centre[0], way, 0.01 * way);
        assert_near(pose.velocity[0], 0.0, 1e-4);
        flow_close(&f);
    }
}

/* A ball that slides starts to roll after t = 2/7 v / (mu g), at 5/7 v, and keeps that speed. */
static void test_roll(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        flow f = flow_open(1,
                           HEAD "time: {step: 0.001, end: 1.2}\ncontact: {friction: 0.2}\nbodies:\n"
                                "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.1}}, position: [0, "
                                "0, 0.1], velocity: [2, 0, 0]}\n" FLOOR,
                           laws[k]);
        double rolls = 0.0;
        const double radius = 0.1;
        while (!brn_sim_done(f.sim)) {
            double spin[3];
            assert_done(f.ctx, brn_sim_step(f.sim, NULL));
            brn_rigid_spin(f.model, 0, brn_sim_positions(f.sim), brn_sim_velocities(f.sim), spin);
            const double slip = pose_of(&f, 0).velocity[0] - radius * spin[1];
            rolls = rolls == 0.0 && slip < 0.01 ? brn_sim_time(f.sim) : rolls;
        }
        assert_near(rolls, 2.0 / 7.0 * 2.0 / (0.2 * 9.81), 0.01 * rolls);
        assert_near(pose_of(&f, 0).velocity[0], 5.0 / 7.0 * 2.0, 0.01 * 2.0);
        flow_close(&f);
    }
}

/* A body of three different inertias spins freely: momenta to rounding, energy to what the integration of the turn leaves. */
static void test_spin(void **state)
{
    (void)state;
    flow f = flow_open(1,
                       HEAD "time: {step: 0.01, end: 5}\ngravity: [0, 0, 0]\nbodies:\n"
                            "  - {name: top, type: rigid, shape: {box: {size: [0.3, 0.2, 0.1]}}, "
                            "angular_velocity: [0.1, 12, 0.2], velocity: [0.3, 0, 0]}\n",
                       NULL);
    brn_report r;
    assert_done(f.ctx, brn_sim_step(f.sim, &r));
    const double energy = r.kinetic;
    double before[3];
    memcpy(before, r.angular_momentum, sizeof before);
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
    }
    for (int i = 0; i < 3; ++i) {
        assert_near(r.angular_momentum[i], before[i], 1e-10 * fabs(before[1]));
    }
    assert_near(r.kinetic, energy, 1e-7 * energy);
    flow_close(&f);
}

/* The contact force on every body is what its momentum lacks: m dv = h (m g + F), body by body, while boxes tumble into each other. */
static void test_forces(void **state)
{
    (void)state;
    flow f = flow_open(2,
                       HEAD "time: {step: 0.005, end: 0.6}\ncontact: {friction: 0.4}\nbodies:\n" FLOOR
                            "  - {name: box, type: rigid, shape: {box: {size: [0.2, 0.15, 0.1]}}, position: "
                            "[0, 0, 0.3], velocity: [0.2, 0, 0],\n"
                            "     rotation: {axis: [1, 2, 3], degrees: 40}, repeat: {count: [2, 2, 2], "
                            "spacing: [0.3, 0.3, 0.3]}}\n",
                       NULL);
    double most = 0.0;
    while (!brn_sim_done(f.sim)) {
        double was[16][3];
        for (int b = 1; b < f.model->nbody; ++b) {
            memcpy(was[b], pose_of(&f, b).velocity, sizeof was[b]);
        }
        brn_report r;
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        if (r.substeps > 1) {
            continue; /* the forces are those of the last part */
        }
        for (int b = 1; b < f.model->nbody; ++b) {
            const brn_rigid_pose pose = pose_of(&f, b);
            const double mass = f.model->body[b].mass;
            for (int i = 0; i < 3; ++i) {
                const double force = mass * ((pose.velocity[i] - was[b][i]) / 0.005 + (i == 2 ? 9.81 : 0.0));
                assert_near(brn_sim_contact_forces(f.sim)[3 * b + i], force, 1e-7 * mass * 1000.0);
                most = fmax(most, fabs(force));
            }
        }
    }
    assert_true(most > 100.0); /* they hit the floor */
    flow_close(&f);
}

/* A tower of 100 boxes stands for 5 s; at rest the solver has nothing to do. */
static void test_tower(void **state)
{
    (void)state;
    flow f = flow_open(
        2,
        HEAD "time: {step: 0.005, end: 5}\ncontact: {friction: 0.5}\nbodies:\n" FLOOR
             "  - {name: box, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 0, 0.05],\n"
             "     repeat: {count: [1, 1, 100], spacing: [1, 1, 0.1]}}\n",
        NULL);
    brn_report r = {0};
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
    }
    const brn_rigid_pose top = pose_of(&f, 100);
    assert_near(top.centre[0], 0.0, 1e-3);
    assert_near(top.centre[1], 0.0, 1e-3);
    /* A joint that carries F = k m g yields by h^2 F/4 w 0.3^2 / (4 pi^2); at a corner of a cube between two cubes
       w = 2 (1 + 6 / 4 + 6 / 4) / m. Summed over k = 1 .. 100. */
    const double sunk = 0.005 * 0.005 * 9.81 * (100.0 * 101.0 / 2.0) / 4.0 * 8.0 * 0.09 / (4.0 * M_PI * M_PI);
    assert_near(9.95 - top.centre[2], sunk, 0.02 * sunk);
    assert_int_equal(r.contacts, 400);
    assert_true(r.iterations <= 1);
    flow_close(&f);
}

/* A hand and a spring act on rigid bodies as implicitly as elements do: a ball goes to where it is pulled, in steps as long as the hand's
   period, and two balls on a spring go round each other as they do with ipc. */
static void test_pulled(void **state)
{
    (void)state;
    flow f = flow_open(1,
                       HEAD "time: {step: 0.02, end: 3}\ngravity: [0, 0, 0]\nbodies:\n"
                            "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.1}}, mass: 1}\n",
                       NULL);
    const double to[3] = {0.5, 0.2, 0.1};
    const double *x = brn_sim_positions(f.sim);
    assert_done(f.ctx, brn_sim_drag(f.sim, 0, to, 0.0));
    double far = 0.0;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
        x = brn_sim_positions(f.sim);
        far = fmax(far, fabs(x[0]) + fabs(x[1]) + fabs(x[2]));
    }
    for (int i = 0; i < 3; ++i) { /* it still swings about the node: w^2 r over the hand's (2 pi / 0.2 s)^2 */
        assert_near(x[i], to[i], 5e-3);
    }
    assert_true(far < 1.2);
    flow_close(&f);
    double end[2][3];
    for (int k = 0; k < 2; ++k) {
        f = flow_open(1,
                      "brunt: 1\ntime: {step: 0.002, end: 1}\ngravity: [0, 0, 0]\nbodies:\n"
                      "  - {name: a, type: rigid, shape: {sphere: {radius: 0.1}}, mass: 1}\n"
                      "  - {name: b, type: rigid, shape: {sphere: {radius: 0.1}}, mass: 1, position: [1, 0, "
                      "0], velocity: [0, 0.5, 0]}\n"
                      "springs: [{body: a, where: {nearest: [0.1, 0, 0]}, to: b, stiffness: 200}]\n",
                      k == 0 ? "method={type: sap}" : "method={type: ipc, tolerance: 1e-6}");
        run(&f);
        memcpy(end[k], pose_of(&f, 1).centre, sizeof end[k]);
        flow_close(&f);
    }
    for (int i = 0; i < 3; ++i) { /* ipc's bodies stretch a little as they turn, and both are Euler's */
        assert_near(end[0][i], end[1][i], 1e-4);
    }
}

/* Nothing tunnels: balls, boxes and capsules at 30 m/s against a thin plate, steps in which they cross it many times over. */
static void test_tunnel(void **state)
{
    (void)state;
    static const char *const shapes[] = {"sphere: {radius: 0.02}", "box: {size: [0.04, 0.05, 0.03]}",
                                         "capsule: {radius: 0.02, height: 0.06}",
                                         "cylinder: {radius: 0.02, height: 0.03}"};
    for (int k = 0; k < 4; ++k) {
        char text[600];
        (void)snprintf(text, sizeof text,
                       HEAD "time: {step: 0.02, end: 0.2}\ngravity: [0, 0, 0]\nbodies:\n"
                            "  - {name: plate, type: static, shape: {box: {size: [2, 2, 0.002]}}}\n"
                            "  - {name: shot, type: rigid, shape: {%s}, position: [0.1, 0.05, 1], velocity: "
                            "[1, 0, -30], angular_velocity: [3, 4, 5]}\n",
                       shapes[k]);
        flow f = flow_open(1, text, NULL);
        run(&f);
        assert_true(pose_of(&f, 1).centre[2] > 0.0);
        flow_close(&f);
    }
}

/* An obstacle that starts at once at 5 m/s, 1 mm from a free block, takes it along from the first step on; it would be half inside of it else. */
static void test_sudden(void **state)
{
    (void)state;
    flow f = flow_open(
        1,
        HEAD
        "time: {step: 0.01, end: 0.05}\ngravity: [0, 0, 0]\nbodies:\n"
        "  - {name: block, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0.101, 0, 0]}\n"
        "  - {name: ram, type: static, shape: {box: {size: [0.1, 0.2, 0.2]}}, motion: {velocity: [5, 0, "
        "0]}}\n",
        "");
    while (!brn_sim_done(f.sim)) {
        brn_report r;
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_true(r.penetration_max < 1e-3);
        assert_near(pose_of(&f, 0).centre[0], 0.1 + 5.0 * brn_sim_time(f.sim), 1e-3);
    }
    assert_near(pose_of(&f, 0).velocity[0], 5.0, 0.05);
    flow_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sudden), cmocka_unit_test(test_slope),  cmocka_unit_test(test_stop),
        cmocka_unit_test(test_roll),   cmocka_unit_test(test_spin),   cmocka_unit_test(test_forces),
        cmocka_unit_test(test_tower),  cmocka_unit_test(test_pulled), cmocka_unit_test(test_tunnel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
