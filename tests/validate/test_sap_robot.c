/* Robots in method `sap`, against exact equations of motion and closed forms. */
#include "flow.h"

#include "step/sim.h"

#include <stdio.h>

#define HEAD "brunt: 1\nmethod: {type: sap}\n"
#define MASS(m, x, y, z)                                                \
 "<inertial><origin xyz=\"" x " " y " " z "\"/><mass value=\"" m "\"/>" \
 "<inertia ixx=\"0.02\" iyy=\"0.03\" izz=\"0.01\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"

static const double G = 9.81;

static brn_report run(flow *f)
{
    brn_report report = {0};
    while (!brn_sim_done(f->sim)) {
        assert_done(f->ctx, brn_sim_step(f->sim, &report));
    }
    return report;
}

static brn_joint_state joint(const flow *f, const char *name)
{
    brn_joint_state out;
    assert_done(f->ctx, brn_sim_get_joint(f->sim, brn_model_find_joint(f->model, name), &out));
    return out;
}

/* ---- free motion against the equations written out ---------------------------------------------------------------------------- */

/* Two rods on a common axis y, centres of mass at 0.5 and 0.4 m below their joints, the second joint 1 m below the first. */
static const char pendulum[] =
    "<robot name=\"p\"><link name=\"base\"/>"
    "<link name=\"upper\">" MASS(
        "2", "0", "0",
        "-0.5") "</link>"
                "<link name=\"lower\">" MASS(
                    "1", "0", "0",
                    "-0.4") "</link>"
                            "<joint name=\"a\" type=\"continuous\"><parent link=\"base\"/><child "
                            "link=\"upper\"/><axis xyz=\"0 1 0\"/></joint>"
                            "<joint name=\"b\" type=\"continuous\"><parent link=\"upper\"/><child "
                            "link=\"lower\"/>"
                            "<origin xyz=\"0 0 -1\"/><axis xyz=\"0 1 0\"/></joint></robot>";

/* y = a, b, a', b'; from the Lagrangian with the angle of the lower rod against the vertical c = a + b. */
static void pendulum_rate(const double y[4], double out[4])
{
    const double m1 = 2.0, m2 = 1.0, d1 = 0.5, d2 = 0.4, l = 1.0, i1 = 0.03, i2 = 0.03;
    const double a = y[0], c = y[0] + y[1], u = y[2], w = y[2] + y[3];
    const double m11 = i1 + m1 * d1 * d1 + m2 * l * l;
    const double m12 = m2 * l * d2 * cos(c - a);
    const double m22 = i2 + m2 * d2 * d2;
    const double f1 = m2 * l * d2 * sin(c - a) * w * w - (m1 * d1 + m2 * l) * G * sin(a);
    const double f2 = -m2 * l * d2 * sin(c - a) * u * u - m2 * d2 * G * sin(c);
    const double det = m11 * m22 - m12 * m12;
    const double du = (m22 * f1 - m12 * f2) / det;
    const double dw = (m11 * f2 - m12 * f1) / det;
    const double rate[4] = {u, w - u, du, dw - du};
    memcpy(out, rate, sizeof rate);
}

/* A cart of 1 kg on x, a pole of 0.5 kg with its centre 0.3 m above the hinge. y = x, angle, x', angle'. */
static const char cart[] =
    "<robot name=\"c\"><link name=\"base\"/>"
    "<link name=\"cart\">" MASS(
        "1", "0", "0", "0") "</link>"
                            "<link name=\"pole\">" MASS(
                                "0.5", "0", "0",
                                "0.3") "</link>"
                                       "<joint name=\"a\" type=\"prismatic\"><parent link=\"base\"/><child "
                                       "link=\"cart\"/><axis xyz=\"1 0 0\"/>"
                                       "<limit lower=\"-9\" upper=\"9\" effort=\"9\" velocity=\"9\"/></joint>"
                                       "<joint name=\"b\" type=\"continuous\"><parent link=\"cart\"/><child "
                                       "link=\"pole\"/><axis xyz=\"0 1 0\"/></joint></robot>";

static void cart_rate(const double y[4], double out[4])
{
    const double m1 = 1.0, m2 = 0.5, d = 0.3, i2 = 0.03;
    const double s = sin(y[1]), c = cos(y[1]);
    const double m11 = m1 + m2, m12 = m2 * d * c, m22 = i2 + m2 * d * d;
    const double f1 = m2 * d * s * y[3] * y[3];
    const double f2 = m2 * d * G * s;
    const double det = m11 * m22 - m12 * m12;
    const double rate[4] = {y[2], y[3], (m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det};
    memcpy(out, rate, sizeof rate);
}

/* Classical Runge-Kutta with steps so small that its error is rounding. */
static void integrate(void (*rate)(const double[4], double[4]), double y[4], double time)
{
    const int steps = 20000;
    const double h = time / steps;
    for (int n = 0; n < steps; ++n) {
        double k[4][4];
        for (int s = 0; s < 4; ++s) {
            const double part = s == 0 ? 0.0 : s == 3 ? h : 0.5 * h;
            double at[4];
            for (int i = 0; i < 4; ++i) {
                at[i] = y[i] + (s > 0 ? part * k[s - 1][i] : 0.0);
            }
            rate(at, k[s]);
        }
        for (int i = 0; i < 4; ++i) {
            y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
        }
    }
}

/* With the midpoint rule the free motion is exact to the tolerance of its integration, 1e-10 a step, whatever the step; by Euler's rules
   of first order. */
static void test_free_motion(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        void (*rate)(const double[4], double[4]);
        double start[2];
    } cases[] = {{pendulum, pendulum_rate, {1.8, 0.7}}, {cart, cart_rate, {0.3, 0.4}}};
    for (int k = 0; k < 2; ++k) {
        double exact[4] = {cases[k].start[0], cases[k].start[1], 0.0, 0.0};
        double off[2] = {0.0, 0.0};
        integrate(cases[k].rate, exact, 1.5);
        test_write_file("sap_robot_free.urdf", cases[k].text);
        for (int e = 0; e < 3; ++e) {
            char text[600];
            (void)snprintf(
                text, sizeof text,
                HEAD "time: {step: %g, end: 1.5}\nintegrator: %s\nbodies:\n"
                     "  - {name: r, type: robot, file: sap_robot_free.urdf, joints: {a: {position: %g}, b: "
                     "{position: %g}}}\n",
                e == 0   ? 0.02
                : e == 1 ? 2e-3
                         : 1e-3,
                e == 0 ? "midpoint" : "turning_euler", cases[k].start[0], cases[k].start[1]);
            flow f = flow_open(1, text, "");
            const brn_report report = run(&f);
            const double error = fmax(fabs(joint(&f, "r/a").position[0] - exact[0]),
                                      fabs(joint(&f, "r/b").position[0] - exact[1]));
            if (e == 0) {
                assert_true(error < 1e-7);
                assert_true(fabs(report.energy_error) < 1e-8);
                assert_true(fabs(joint(&f, "r/b").velocity[0] - exact[3]) < 1e-6);
            } else {
                off[e - 1] = error;
            }
            flow_close(&f);
        }
        assert_near(log2(off[0] / off[1]), 1.0, 0.3); /* chaotic in the long run, so not by much */
        assert_true(off[1] < 0.1);
    }
    (void)remove("sap_robot_free.urdf");
}

/* A free robot of three links that tumbles: momenta and energy stay, for 10 s. */
static void test_tumbling(void **state)
{
    (void)state;
    test_write_file(
        "sap_robot_tumble.urdf",
        "<robot name=\"t\"><link name=\"body\">" MASS(
            "3", "0.1", "0", "0.05") "</link>"
                                     "<link name=\"arm\">" MASS(
                                         "1", "0", "0.2",
                                         "-0.3") "</link>"
                                                 "<link name=\"hand\">" MASS(
                                                     "0.5", "0.1", "0",
                                                     "-0.2") "</link>"
                                                             "<joint name=\"a\" type=\"continuous\"><parent "
                                                             "link=\"body\"/><child link=\"arm\"/>"
                                                             "<origin xyz=\"0.2 0.1 0\" rpy=\"0.3 0.2 "
                                                             "0.1\"/><axis xyz=\"1 1 0\"/></joint>"
                                                             "<joint name=\"b\" type=\"continuous\"><parent "
                                                             "link=\"arm\"/><child link=\"hand\"/>"
                                                             "<origin xyz=\"0 0 -0.5\"/><axis xyz=\"0 0.2 "
                                                             "1\"/></joint></robot>");
    flow f = flow_open(
        1,
        HEAD "time: {step: 0.02, end: 10}\nintegrator: midpoint\ngravity: [0, 0, 0]\nbodies:\n"
             "  - {name: r, type: robot, file: sap_robot_tumble.urdf, base: free, velocity: [0.2, 0, 1],\n"
             "     angular_velocity: [3, -2, 1], joints: {a: {velocity: 4}, b: {velocity: -3}}}\n",
        "");
    double energy = 0.0;
    brn_report report = {0};
    double start[6] = {0};
    for (int n = 0; !brn_sim_done(f.sim); ++n) {
        assert_done(f.ctx, brn_sim_step(f.sim, &report));
        if (n == 0) {
            energy = report.kinetic;
            memcpy(start, report.momentum, sizeof report.momentum);
            memcpy(start + 3, report.angular_momentum, sizeof report.angular_momentum);
        }
    }
    assert_near(report.kinetic, energy, 1e-8 * energy);
    for (int i = 0; i < 3; ++i) {
        assert_near(report.momentum[i], start[i], 1e-8);
        assert_near(report.angular_momentum[i], start[3 + i], 1e-8);
    }
    flow_close(&f);
    (void)remove("sap_robot_tumble.urdf");
}

/* ---- forces of joints ----------------------------------------------------------------------------------------------------------- */

/* A drive holds the pendulum: where it rests its torque is that of the weight, in the drive, in the joint and by the gain. A weaker one gives
   all it can and lets it fall to the limit; friction holds it if it is stronger than the weight. */
static void test_hold(void **state)
{
    (void)state;
    static const char arm[] = "<robot name=\"arm\"><link name=\"base\"/><link name=\"rod\">" MASS(
        "2", "0.5", "0", "0") "</link>"
                              "<joint name=\"a\" type=\"revolute\"><parent link=\"base\"/><child "
                              "link=\"rod\"/><axis xyz=\"0 -1 0\"/>"
                              "<limit lower=\"-0.5\" upper=\"1\" effort=\"%s\" velocity=\"9\"/><dynamics "
                              "friction=\"%s\" damping=\"1\"/></joint></robot>";
    static const struct {
        const char *effort, *friction;
    } cases[] = {{"50", "0"}, {"5", "0"}, {"5", "9"}};
    for (int k = 0; k < 3; ++k) {
        char text[1000];
        (void)snprintf(text, sizeof text, arm, cases[k].effort, cases[k].friction);
        test_write_file("sap_robot_hold.urdf", text);
        flow f = flow_open(
            1,
            HEAD "time: {step: 0.01, end: 3}\nbodies:\n"
                 "  - {name: r, type: robot, file: sap_robot_hold.urdf, joints: {a: {kp: 500, kd: 20}}}\n",
            "");
        const brn_report report = run(&f);
        const brn_joint_state a = joint(&f, "r/a");
        const double weight = 2.0 * G * 0.5 * cos(a.position[0]);
        assert_near(a.velocity[0], 0.0,
                    k < 2 ? 1e-5 : 1e-3); /* friction creeps: by sigma h torque / inertia */
        assert_near(a.force[2], 2.0 * G, 1e-3);
        assert_true(fabs(report.energy_error) < 1e-2);
        if (k == 0) {
            assert_near(a.effort, weight, 1e-4 * weight);
            assert_near(a.effort, -500.0 * a.position[0], 1e-4 * weight);
            assert_near(-a.torque[1], weight, 1e-3 * weight); /* about -y */
        } else if (k == 1) { /* 5 N m is not enough: it lies on its limit, pressed in by 1e-6 */
            assert_near(a.effort, 5.0, 1e-9);
            assert_near(a.position[0], -0.5, 1e-5);
        } else { /* 5 + 9 N m is: it creeps by sigma at most */
            assert_true(fabs(a.position[0]) < 1e-2);
        }
        flow_close(&f);
    }
    (void)remove("sap_robot_hold.urdf");
}

/* A torque turns a damped wheel to the speed torque / damping, with the time constant inertia / damping. */
static void test_torque(void **state)
{
    (void)state;
    test_write_file(
        "sap_robot_wheel.urdf",
        "<robot name=\"w\"><link name=\"base\"/><link name=\"wheel\">" MASS(
            "2", "0", "0", "0") "</link>"
                                "<joint name=\"a\" type=\"continuous\"><parent link=\"base\"/><child "
                                "link=\"wheel\"/><axis xyz=\"0 0 1\"/>"
                                "<dynamics damping=\"0.1\" friction=\"0\"/></joint></robot>");
    flow f = flow_open(
        1,
        HEAD
        "time: {step: 1e-4, end: 0.2}\nbodies:\n"
        "  - {name: r, type: robot, file: sap_robot_wheel.urdf, joints: {a: {drive: torque, target: 0.3}}}\n",
        "");
    const brn_report report = run(&f);
    assert_near(joint(&f, "r/a").velocity[0], 3.0 * (1.0 - exp(-0.2 / 0.1)), 3e-3);
    assert_near(report.energy_error, 0.0, 1e-9);
    /* by hand: backwards, to the same speed */
    const int index = brn_model_find_joint(f.model, "r/a");
    assert_done(f.ctx, brn_sim_set_joint_target(f.sim, index, -0.3));
    for (int n = 0; n < 20000; ++n) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    }
    assert_near(joint(&f, "r/a").velocity[0], -3.0, 1e-6);
    assert_int_equal(brn_sim_set_joint_target(f.sim, index, INFINITY), BRN_ERR_RANGE);
    assert_int_equal(brn_sim_set_joint_target(f.sim, 7, 0.0), BRN_ERR_RANGE);
    flow_close(&f);
    (void)remove("sap_robot_wheel.urdf");
}

/* ---- couplings -------------------------------------------------------------------------------------------------------------------- */

/* A four-bar linkage: a tree of three bars whose end is connected to the world. The bars form a parallelogram, so that the coupler stays
   level, and swing as one pendulum. */
static void test_linkage(void **state)
{
    (void)state;
    test_write_file("sap_robot_bars.xml",
                    "<mujoco><worldbody>"
                    "<body name=\"left\" pos=\"0 0 2\"><joint name=\"a\" type=\"hinge\" axis=\"0 1 0\"/>"
                    "<inertial pos=\"0 0 -0.5\" mass=\"1\" diaginertia=\"0.08 0.08 0.01\"/>"
                    "<body name=\"coupler\" pos=\"0 0 -1\"><joint name=\"b\" type=\"hinge\" axis=\"0 1 0\"/>"
                    "<inertial pos=\"0.4 0 0\" mass=\"2\" diaginertia=\"0.01 0.1 0.1\"/>"
                    "<body name=\"right\" pos=\"0.8 0 0\"><joint name=\"c\" type=\"hinge\" axis=\"0 1 0\"/>"
                    "<inertial pos=\"0 0 0.5\" mass=\"1\" diaginertia=\"0.08 0.08 0.01\"/>"
                    "</body></body></body></worldbody>"
                    "<equality><connect body1=\"right\" anchor=\"0 0 1\"/></equality></mujoco>");
    flow f = flow_open(
        1,
        HEAD
        "time: {step: 1e-3, end: 2}\nintegrator: midpoint\nbodies:\n"
        "  - {name: r, type: robot, file: sap_robot_bars.xml, joints: {a: {velocity: 0.5}, b: {velocity: "
        "-0.5}, c: {velocity: 0.5}}}\n",
        "");
    /* angle of the bars: (2 (0.08 + 1/4) + 2) a'' = -(2 1/2 + 2) g sin a; small swings have this period */
    const double rate = sqrt(3.0 * G / 2.66);
    double crossing = 0.0;
    double before = 0.0;
    double most = 0.0;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
        const double now = joint(&f, "r/a").position[0];
        if (before > 0.0 && now <= 0.0 && crossing == 0.0) {
            crossing = brn_sim_time(f.sim);
        }
        before = now;
        most = fmax(most, fabs(now + joint(&f, "r/b").position[0]));
    }
    assert_true(most < 1e-3); /* level */
    /* half a period, with its growth by amplitude: 1 + (A/4)^2, A = 0.5 / rate */
    assert_near(crossing, M_PI / rate * (1.0 + 0.0625 * 0.25 / (rate * rate)), 3e-3);
    flow_close(&f);
    (void)remove("sap_robot_bars.xml");
}

/* A joint that mimics another follows it and pulls it with its weight. */
static void test_mimic(void **state)
{
    (void)state;
    test_write_file(
        "sap_robot_mimic.urdf",
        "<robot name=\"m\"><link name=\"base\"/><link name=\"one\">" MASS(
            "1", "0", "0",
            "0") "</link>"
                 "<link name=\"two\">" MASS(
                     "3", "0", "0",
                     "0") "</link>"
                          "<joint name=\"a\" type=\"prismatic\"><parent link=\"base\"/><child "
                          "link=\"one\"/><axis xyz=\"0 0 1\"/>"
                          "<limit lower=\"-9\" upper=\"9\" effort=\"100\" velocity=\"9\"/></joint>"
                          "<joint name=\"b\" type=\"prismatic\"><parent link=\"base\"/><child "
                          "link=\"two\"/><axis xyz=\"0 0 1\"/>"
                          "<limit lower=\"-9\" upper=\"9\" effort=\"100\" velocity=\"9\"/><mimic "
                          "joint=\"a\" multiplier=\"-2\" offset=\"0.1\"/>"
                          "</joint></robot>");
    flow f = flow_open(
        1,
        HEAD
        "time: {step: 1e-3, end: 0.5}\nbodies:\n  - {name: r, type: robot, file: sap_robot_mimic.urdf}\n",
        "");
    run(&f);
    /* (1 + 4 * 3) a'' = -1 g + 2 * 3 g */
    const double way = 0.5 * 5.0 / 13.0 * G * 0.25;
    assert_near(joint(&f, "r/a").position[0], way, 3e-3 * way);
    assert_near(joint(&f, "r/b").position[0], 0.1 - 2.0 * joint(&f, "r/a").position[0], 1e-5);
    flow_close(&f);
    (void)remove("sap_robot_mimic.urdf");
}

/* ---- contact ------------------------------------------------------------------------------------------------------------------------ */

/* A robot of one free link is a rigid body: both slide down, tip over and come to rest alike; and the contact carries its weight. */
static void test_one_link(void **state)
{
    (void)state;
    test_write_file(
        "sap_robot_box.urdf",
        "<robot name=\"b\"><link name=\"box\"><inertial><mass value=\"6\"/>"
        "<inertia ixx=\"0.05\" iyy=\"0.05\" izz=\"0.04\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
        "<collision><geometry><box size=\"0.2 0.2 "
        "0.2449489742783178\"/></geometry></collision></link></robot>");
    flow f = flow_open(
        1,
        HEAD "time: {step: 2e-3, end: 1.5}\ncontact: {friction: 0.4}\nbodies:\n"
             "  - {name: floor, type: static, shape: {plane: {}}}\n"
             "  - {name: rigid, type: rigid, shape: {box: {size: [0.2, 0.2, 0.2449489742783178]}}, mass: 6,\n"
             "     position: [0, 0, 0.3], rotation: {axis: [1, 2, 0], degrees: 25}, velocity: [1, 0, 0]}\n"
             "  - {name: robot, type: robot, file: sap_robot_box.urdf, base: free, position: [0, 5, 0.3],\n"
             "     rotation: {axis: [1, 2, 0], degrees: 25}, velocity: [1, 0, 0]}\n",
        "");
    const double *rigid = f.sim->state->rigid_pose;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
        rigid = f.sim->state->rigid_pose;
        if (brn_sim_time(f.sim) < 0.2) { /* in flight and at the first impact */
            for (int i = 0; i < 7; ++i) {
                assert_near(rigid[7 + i] - (i == 1 ? 5.0 : 0.0), rigid[i], 1e-3);
            }
        }
    }
    /* tumbling magnifies the difference of the integrators; both lie on a face, and both weigh 6 g */
    const double *force = brn_sim_contact_forces(f.sim);
    for (int b = 1; b < 3; ++b) {
        assert_near(force[3 * b + 2], 6.0 * G, 0.01 * 6.0 * G);
        assert_true(rigid[7 * (b - 1) + 2] < 0.13);
    }
    flow_close(&f);
    (void)remove("sap_robot_box.urdf");
}

/* Fingers with soft pads close on a soft cube: the same bits on one and two threads, and after a checkpoint in the middle. Fingers are
   stopped by the cube, and their drives give what it withstands. */
static void test_bits(void **state)
{
    (void)state;
    test_write_file(
        "sap_robot_grip.urdf",
        "<robot name=\"g\"><link name=\"palm\"/>"
        "<link name=\"left\"><inertial><mass value=\"0.2\"/>"
        "<inertia ixx=\"1e-4\" iyy=\"1e-4\" izz=\"1e-4\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
        "<collision><geometry><box size=\"0.02 0.06 0.06\"/></geometry></collision></link>"
        "<link name=\"right\"><inertial><mass value=\"0.2\"/>"
        "<inertia ixx=\"1e-4\" iyy=\"1e-4\" izz=\"1e-4\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
        "<collision><geometry><box size=\"0.02 0.06 0.06\"/></geometry></collision></link>"
        "<joint name=\"l\" type=\"prismatic\"><parent link=\"palm\"/><child link=\"left\"/><origin "
        "xyz=\"-0.1 0 0\"/>"
        "<axis xyz=\"1 0 0\"/><limit lower=\"0\" upper=\"0.09\" effort=\"20\" velocity=\"1\"/></joint>"
        "<joint name=\"r\" type=\"prismatic\"><parent link=\"palm\"/><child link=\"right\"/><origin "
        "xyz=\"0.1 0 0\"/>"
        "<axis xyz=\"-1 0 0\"/><limit lower=\"0\" upper=\"0.09\" effort=\"20\" velocity=\"1\"/><mimic "
        "joint=\"l\"/>"
        "</joint></robot>");
    static const char scene[] =
        HEAD "time: {step: 0.01, end: 0.5}\ngravity: [0, 0, 0]\n"
             "materials: {jelly: {type: neo_hookean, young: 5e4, poisson: 0.3, density: 1000}}\n"
             "meshes:\n  cube: {box: {size: [0.06, 0.06, 0.06], cells: [3, 3, 3], element: tet4}}\n"
             "  pad: {box: {size: [0.02, 0.04, 0.04], cells: [1, 2, 2], element: tet4}}\nbodies:\n"
             "  - {name: hand, type: robot, file: sap_robot_grip.urdf, joints: {l: {table: [[0, 0], [0.3, "
             "0.08]]}}}\n"
             "  - {name: cube, type: deformable, mesh: cube, material: jelly}\n"
             "  - {name: pad, type: deformable, mesh: pad, material: jelly, position: [-0.08, 0, 0]}\n"
             "attach:\n  - {body: pad, where: {face: -x}, to: hand/left}\n";
    uint64_t hash[3];
    for (int k = 0; k < 3; ++k) {
        flow f = flow_open(k == 1 ? 2 : 1, scene, "");
        for (int n = 0; n < 50; ++n) {
            assert_done(f.ctx, brn_sim_step(f.sim, NULL));
            if (k == 2 && n == 29) {
                assert_done(f.ctx, brn_sim_save(f.sim, "sap_robot.h5"));
                flow_close(&f);
                f = flow_open(1, scene, "");
                assert_done(f.ctx, brn_sim_load(f.sim, "sap_robot.h5"));
            }
        }
        hash[k] = brn_sim_hash(f.sim);
        /* the pad of 20 mm and the cube of 60 are pressed into 100 - 2 (q + 10) mm */
        const brn_joint_state l = joint(&f, "hand/l");
        assert_true(l.position[0] > 0.05 && l.position[0] < 0.0799);
        assert_true(l.effort > 2.0 && l.effort <= 20.0);
        const double *force = brn_sim_contact_forces(f.sim);
        const int cube = brn_model_find_body(f.model, "cube");
        const int right = brn_model_find_body(f.model, "hand/right");
        assert_true(force[3 * right] > 1.0);                        /* the finger is pushed outwards */
        assert_near(force[3 * cube], 0.0, 0.05 * force[3 * right]); /* the cube from both sides */
        flow_close(&f);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] == hash[2]);
    (void)remove("sap_robot_grip.urdf");
    (void)remove("sap_robot.h5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_motion), cmocka_unit_test(test_tumbling), cmocka_unit_test(test_hold),
        cmocka_unit_test(test_torque),      cmocka_unit_test(test_linkage),  cmocka_unit_test(test_mimic),
        cmocka_unit_test(test_one_link),    cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
