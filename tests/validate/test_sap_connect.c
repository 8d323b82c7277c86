/* Connections of bodies with `sap`: balls, hinges, welds, rods and ropes, against closed forms and against trees of joints. */
#include "flow.h"

#include "model/rigid_pose.h"
#include "step/newton.h"
#include "step/sim.h"

#define HEAD "brunt: 1\nmethod: {type: sap}\n"

static brn_report step(flow *f)
{
    brn_report report;
    assert_done(f->ctx, brn_sim_step(f->sim, &report));
    return report;
}

static brn_report run(flow *f)
{
    brn_report report = {0};
    while (!brn_sim_done(f->sim)) {
        report = step(f);
    }
    return report;
}

static brn_rigid_pose pose_of(const flow *f, int body)
{
    brn_rigid_pose pose;
    brn_rigid_pose_of(f->model, body, brn_sim_positions(f->sim), brn_sim_velocities(f->sim), &pose);
    return pose;
}

static const double *force_of(const flow *f, int connection)
{
    const brn_memory *memory = brn_state_recall(f->sim->state, BRN_CONNECT_FORCE);
    assert_non_null(memory);
    return &memory->value[3 * connection];
}

/* Distance of the first points of a connection, less its length. */
static double error_of(const flow *f, int connection, int point)
{
    const brn_connection *connect = &f->model->connect[connection];
    double end[2][3];
    double sum = 0.0;
    for (int k = 0; k < 2; ++k) {
        brn_controls_anchor(f->sim->system->controls, &connect->point[point][k], brn_sim_positions(f->sim),
                            brn_sim_time(f->sim), end[k]);
    }
    for (int i = 0; i < 3; ++i) {
        sum += (end[0][i] - end[1][i]) * (end[0][i] - end[1][i]);
    }
    return fabs(sqrt(sum) - connect->length);
}

/* 4 K(sin(a/2)) / w0 by the arithmetic-geometric mean. */
static double period_of(double w0, double amplitude)
{
    double a = 1.0;
    double b = cos(0.5 * amplitude);
    for (int k = 0; k < 20; ++k) {
        const double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return 2.0 * M_PI / (w0 * a);
}

#define ROD                                                                                               \
 "bodies:\n  - {name: rod, type: rigid, shape: {box: {size: [1, 0.05, 0.05]}}, density: 1000, position: " \
 "[0.5, 0, 0]}\n"

/* A rod swings from the horizontal, by a ball and by a hinge: period, energy and the pin over 10 s. */
static void test_pendulum(void **state)
{
    (void)state;
    static const struct {
        const char *pin, *set;
        double period, energy, pin_error;
    } cases[] = {
        {"{name: pin, type: ball, between: [rod], at: [0, 0, 0]}", "time.step=0.002", 1e-4, 5e-3, 1e-5},
        {"{name: pin, type: ball, between: [rod], at: [0, 0, 0]}", "time.step=0.01", 5e-3, 3e-2, 1e-4},
        {"{name: pin, type: hinge, between: [rod], at: [0, 0, 0], axis: [0, 1, 0]}", "time.step=0.01", 5e-3,
         3e-2, 1e-4},
        {"{name: pin, type: ball, between: [rod], at: [0, 0, 0]}", "time.step=0.01;integrator=midpoint", 2e-4,
         2e-3, 1e-4},
    };
    const double inertia = 1.0 / 3.0 + 0.05 * 0.05 / 12.0;
    const double exact = period_of(sqrt(9.81 * 0.5 / inertia), M_PI / 2.0);
    for (int k = 0; k < 4; ++k) {
        char text[600];
        (void)snprintf(text, sizeof text, HEAD "time: {step: 0.01, end: 10}\n" ROD "connect:\n  - %s\n",
                       cases[k].pin);
        flow f = flow_open(1, text, cases[k].set);
        const double scale = 1000.0 * 0.05 * 0.05 * 9.81 * 0.5;
        double last = 0.5;
        double time = 0.0;
        double first = 0.0;
        double latest = 0.0;
        int count = 0;
        while (!brn_sim_done(f.sim)) {
            const brn_report report = step(&f);
            const double x = pose_of(&f, 0).centre[0];
            const double now = brn_sim_time(f.sim);
            if (last > 0.0 && x <= 0.0) {
                latest = time + (now - time) * last / (last - x);
                first = count++ == 0 ? latest : first;
            }
            last = x;
            time = now;
            assert_true(fabs(report.kinetic + report.gravity) < cases[k].energy * scale);
            assert_true(error_of(&f, 0, 0) < cases[k].pin_error);
        }
        print_message("%s %s: period %.3g off\n", cases[k].pin, cases[k].set,
                      (latest - first) / (count - 1) / exact - 1.0);
        assert_near((latest - first) / (count - 1), exact, cases[k].period * exact);
        flow_close(&f);
    }
}

/* ---- against the same thing as a tree ------------------------------------------------------------------------------------------- */

#define LINK(name)                                                                                           \
 "<link name=\"" name "\"><inertial><origin xyz=\"0.5 0 0\"/><mass value=\"1\"/>"                            \
 "<inertia ixx=\"2.6666666666666667e-4\" iyy=\"0.083466666666666667\" izz=\"0.083466666666666667\" "         \
 "ixy=\"0\" "                                                                                                \
 "ixz=\"0\" iyz=\"0\"/></inertial><collision><origin xyz=\"0.5 0 0\"/><geometry><box size=\"1 0.04 0.04\"/>" \
 "</geometry></collision></link>"
#define JOINT(name, parent, child, x)                                                             \
 "<joint name=\"" name "\" type=\"continuous\"><parent link=\"" parent "\"/><child link=\"" child \
 "\"/><origin xyz=\"" x " 0 0\"/><axis xyz=\"0 1 0\"/></joint>"

static const char tree[] = "<robot name=\"p\"><link name=\"base\"/>" LINK("upper") LINK("lower")
    JOINT("a", "base", "upper", "0") JOINT("b", "upper", "lower", "1") "</robot>";

#define RODS                                                                                               \
 "bodies:\n"                                                                                               \
 "  - {name: upper, type: rigid, shape: {box: {size: [1, 0.04, 0.04]}}, mass: 1, position: [0.5, 0, 0]}\n" \
 "  - {name: lower, type: rigid, shape: {box: {size: [1, 0.04, 0.04]}}, mass: 1, position: [1.5, 0, 0]}\n"

/* Two rods fall from the horizontal, by balls and by hinges, and as links of a robot: after a second, when both have swung through, they are
   where the tree has them; forces of its joints are those of the connections. What differs goes with the square of the step. */
static void test_double_pendulum(void **state)
{
    (void)state;
    test_write_file("connect_tree.urdf", tree);
    static const char *const sets[2] = {"time.step=0.002", "time.step=0.001"};
    static const char *const types[2] = {"ball", "hinge"};
    double off[2][2];
    for (int n = 0; n < 4; ++n) {
        const char *axis = n / 2 == 0 ? "" : ", axis: [0, 1, 0]";
        char text[900];
        flow links =
            flow_open(1,
                      HEAD "integrator: midpoint\ntime: {step: 0.01, end: 1}\nbodies: [{name: p, type: "
                           "robot, file: connect_tree.urdf, self: false}]\n",
                      sets[n % 2]);
        (void)snprintf(text, sizeof text,
                       HEAD "integrator: midpoint\ntime: {step: 0.01, end: 1}\n" RODS
                            "connect:\n  - {type: %s, between: [upper], at: [0, 0, 0]%s}\n"
                            "  - {type: %s, between: [lower, upper], at: [1, 0, 0]%s}\n",
                       types[n / 2], axis, types[n / 2], axis);
        flow free = flow_open(1, text, sets[n % 2]);
        (void)run(&links);
        (void)run(&free);
        off[n / 2][n % 2] = 0.0;
        for (int b = 0; b < 2; ++b) {
            const brn_rigid_pose left = pose_of(&links, b);
            const brn_rigid_pose right = pose_of(&free, b);
            for (int i = 0; i < 3; ++i) {
                off[n / 2][n % 2] = fmax(off[n / 2][n % 2], fabs(left.centre[i] - right.centre[i]));
            }
        }
        brn_joint_state joint;
        assert_done(links.ctx, brn_sim_get_joint(links.sim, 1, &joint));
        for (int i = 0; i < 3; ++i) {
            assert_near(force_of(&free, 1)[i], joint.force[i], 1e-3 * 9.81);
        }
        flow_close(&links);
        flow_close(&free);
    }
    for (int k = 0; k < 2; ++k) {
        print_message("double pendulum, %s: %.3g m, %.3g m with half the step\n", types[k], off[k][0],
                      off[k][1]);
        assert_true(off[k][0] < 5e-5 && off[k][1] < 0.3 * off[k][0]);
    }
}

/* ---- statics ----------------------------------------------------------------------------------------------------------------------- */

/* Twenty boxes hang on each other: each ball carries what is below it, whatever the dimension; the same connection twice shares it. */
static void test_chain(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        const bool flat = k == 2;
        char text[900];
        (void)snprintf(
            text, sizeof text,
            HEAD "dimension: %d\ngravity: %s\ntime: {step: 0.01, end: 1}\nbodies:\n"
                 "  - {name: link, type: rigid, shape: {%s}, mass: 0.25, position: %s, repeat: {count: 20, "
                 "spacing: %s}}\n"
                 "  - {name: hook, type: static, shape: {%s}}\n"
                 "connect:\n  - {type: ball, between: [link_0, hook], at: %s}\n"
                 "  - {type: ball, between: [link, link], at: %s}\n%s",
            flat ? 2 : 3, flat ? "[0, -9.81]" : "[0, 0, -9.81]",
            flat ? "box: {size: [0.05, 0.1]}" : "box: {size: [0.05, 0.05, 0.1]}",
            flat ? "[0, -0.05]" : "[0, 0, -0.05]", flat ? "[0, -0.1]" : "[0, 0, -0.1]",
            flat ? "sphere: {radius: 0.02}" : "sphere: {radius: 0.02}", flat ? "[0, 0]" : "[0, 0, 0]",
            flat ? "[0, -0.1]" : "[0, 0, -0.1]",
            k == 1 ? "  - {type: ball, between: [link, link], at: [0, 0, -0.1]}\n" : "");
        flow f = flow_open(1, text, NULL);
        const brn_report report = run(&f);
        const int up = flat ? 1 : 2;
        const double share = k == 1 ? 0.5 : 1.0;
        const double weight = 0.25 * 9.81;
        assert_int_equal(f.model->nconnect, k == 1 ? 39 : 20);
        assert_near(force_of(&f, 0)[up], 20.0 * weight, 1e-6 * 20.0 * weight);
        for (int n = 1; n < f.model->nconnect; ++n) {
            const double carried = share * weight * (19 - (n - 1) % 19);
            assert_near(force_of(&f, n)[up], -carried, 1e-6 * 20.0 * weight);
            assert_near(force_of(&f, n)[0], 0.0, 1e-6 * weight);
        }
        assert_true(report.energy_error < 1e-7 && report.momentum_error < 1e-9);
        flow_close(&f);
    }
}

/* A box hangs by a ball on a soft block that is held at its top: the ball carries its weight, the hold both. */
static void test_soft(void **state)
{
    (void)state;
    static const char *const elements[] = {"tet4", "hex8", "hex20"};
    for (int k = 0; k < 3; ++k) {
        char text[900];
        (void)snprintf(
            text, sizeof text,
            HEAD "time: {step: 0.02, end: 4}\n"
                 "materials: {rubber: {type: %s, young: 1e5, poisson: 0.3, density: 1000, damping: {beta: "
                 "0.05}}}\n"
                 "meshes: {block: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: %s}}}\n"
                 "bodies:\n  - {name: block, type: deformable, mesh: block, material: rubber}\n"
                 "  - {name: box, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 0.5, position: "
                 "[0, 0, -0.101]}\n"
                 "fixed: [{name: top, body: block, where: {face: +z}}]\n"
                 "connect: [{type: ball, between: [box, block], at: [0, 0, -0.05]}]\n",
            k == 0 ? "corotated_linear" : "neo_hookean", elements[k]);
        flow f = flow_open(1, text, NULL);
        const brn_report report = run(&f);
        double top = 0.0;
        for (int a = 0; a < f.model->nnode; ++a) {
            top += f.sim->state->node_react[3 * a + 2];
        }
        assert_near(force_of(&f, 0)[2], 0.5 * 9.81, 1e-4 * 9.81); /* it has come to rest */
        assert_near(top, 1.5 * 9.81, 1e-3 * 9.81);
        assert_true(report.energy_error < 1e-2);
        flow_close(&f);
    }
}

/* ---- ropes --------------------------------------------------------------------------------------------------------------------------- */

/* A ball on a slack rope of 1 m falls from 0.6 m beside its hook: free until the rope is taut, then without the speed along it. */
static void test_rope(void **state)
{
    (void)state;
    flow f = flow_open(
        1,
        HEAD
        "time: {step: 0.0005, end: 0.45}\nbodies:\n"
        "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.01}}, mass: 1, position: [0.6, 0, 0]}\n"
        "connect: [{type: distance, between: [ball], from: [0.6, 0, 0], to: [0, 0, 0], length: 1, slack: "
        "true}]\n",
        NULL);
    const double taut = sqrt(2.0 * 0.8 / 9.81); /* at (0.6, -0.8) */
    const double speed = sqrt(2.0 * 9.81 * 0.8) * 0.6;
    bool was = false;
    while (!brn_sim_done(f.sim)) {
        (void)step(&f);
        const brn_rigid_pose pose = pose_of(&f, 0);
        const double t = brn_sim_time(f.sim);
        const double length = sqrt(pose.centre[0] * pose.centre[0] + pose.centre[2] * pose.centre[2]);
        const double along = (pose.velocity[0] * pose.centre[0] + pose.velocity[2] * pose.centre[2]) / length;
        assert_true(length < 1.0 + 1e-5);
        if (t < taut - 0.002) {
            assert_near(force_of(&f, 0)[0], 0.0, 0.0);
        } else if (t > taut + 0.002 && !was) { /* half a step of the speed and of gravity is Euler's */
            was = true;
            assert_near(along, 0.0, 0.02);
            assert_near(sqrt(pose.velocity[0] * pose.velocity[0] + pose.velocity[2] * pose.velocity[2]),
                        speed, 0.01 * speed);
        }
    }
    assert_true(was);
    flow_close(&f);
}

/* An elastic rope: a mass on a spring without damping, f = sqrt(k/m) / 2 pi, with the midpoint rule; and with relaxation, which is c = k tau. */
static void test_elastic(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        flow f = flow_open(
            1,
            HEAD
            "gravity: [0, 0, 0]\nintegrator: midpoint\ntime: {step: 0.001, end: 1}\nbodies:\n"
            "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.01}}, mass: 2, position: [0.6, 0, 0]}\n"
            "connect: [{name: s, type: distance, between: [ball], from: [0.6, 0, 0], to: [0, 0, 0], length: "
            "0.5, "
            "stiffness: 200}]\n",
            k == 0 ? NULL : "connect.s.relaxation=0.02");
        (void)run(&f);
        const double damping = k == 0 ? 0.0 : 200.0 * 0.02 / (2.0 * 2.0);
        const double w = sqrt(100.0 - damping * damping);
        const double x = exp(-damping) * (cos(w) + damping / w * sin(w));
        assert_near(pose_of(&f, 0).centre[0] - 0.5, 0.1 * x, 0.1 * 0.06);
        flow_close(&f);
    }
}

/* ---- momenta, moving obstacles, welds -------------------------------------------------------------------------------------------- */

/* Two rods on a ball fly and turn without gravity: momenta stay, and energy but for what the first step takes off what does not fit. */
static void test_flight(void **state)
{
    (void)state;
    flow f = flow_open(
        1,
        HEAD "gravity: [0, 0, 0]\ntime: {step: 0.01, end: 10}\nbodies:\n"
             "  - {name: a, type: rigid, shape: {box: {size: [1, 0.1, 0.05]}}, density: 1000, position: "
             "[0.5, 0, 0], velocity: [0, 1, 0.5], angular_velocity: [0.1, 0.3, 2]}\n"
             "  - {name: b, type: rigid, shape: {box: {size: [1, 0.1, 0.05]}}, density: 500, position: "
             "[-0.5, 0, 0], velocity: [0, -1, 0.2], angular_velocity: [0.1, 0.3, 2]}\n"
             "connect: [{type: ball, between: [a, b], at: [0, 0, 0]}]\n",
        NULL);
    const double start = step(&f).kinetic;
    while (!brn_sim_done(f.sim)) {
        const brn_report report = step(&f);
        assert_true(report.momentum_error < 1e-12 && report.angular_momentum_error < 2e-6);
        assert_near(report.kinetic, start, 1e-3 * start);
        assert_true(fabs(report.energy_error) < 2e-4);
        assert_true(error_of(&f, 0, 0) < 1e-4);
    }
    flow_close(&f);
}

/* Two halves that are welded fall and turn as one; pulled along by an obstacle they go with it, and it does the work. */
static void test_weld(void **state)
{
    (void)state;
    for (int flat = 0; flat < 2; ++flat) {
        char text[900];
        const char *shape = flat ? "box: {size: [0.1, 0.1]}" : "box: {size: [0.1, 0.1, 0.1]}";
        (void)snprintf(
            text, sizeof text,
            HEAD "dimension: %d\ngravity: [0, 0%s]\ntime: {step: 0.01, end: 3}\nbodies:\n"
                 "  - {name: a, type: rigid, shape: {%s}, mass: 1, position: [0, 0%s], velocity: [0, 1%s]}\n"
                 "  - {name: b, type: rigid, shape: {%s}, mass: 1, position: [0.1, 0%s]}\n"
                 "connect: [{type: weld, between: [a, b], at: [0.05, 0%s]}]\n",
            flat ? 2 : 3, flat ? "" : ", 0", shape, flat ? "" : ", 0", flat ? "" : ", 0", shape,
            flat ? "" : ", 0", flat ? "" : ", 0");
        flow f = flow_open(1, text, NULL);
        (void)run(&f);
        const brn_rigid_pose a = pose_of(&f, 0);
        const brn_rigid_pose b = pose_of(&f, 1);
        /* angular momentum 0.05 about the common centre, inertia 2 (0.1^2/6 + 0.05^2) */
        const double angle = fmod(3.0 * 0.05 / (2.0 * (0.01 / 6.0 + 0.0025)), 2.0 * M_PI);
        const double turned = -(angle > M_PI ? angle - 2.0 * M_PI : angle);
        assert_near(0.5 * (a.centre[1] + b.centre[1]), 1.5, 1e-9);
        assert_near(hypot(a.centre[0] - b.centre[0], a.centre[1] - b.centre[1]), 0.1, 1e-4);
        assert_near(a.rotation[2], b.rotation[2], 1e-3);
        assert_near(a.rotation[2], turned, 2e-2); /* the first step brakes what does not fit */
        flow_close(&f);
    }
}

static void test_crane(void **state)
{
    (void)state;
    flow f = flow_open(
        1,
        HEAD "time: {step: 0.005, end: 3}\nbodies:\n"
             "  - {name: load, type: rigid, shape: {sphere: {radius: 0.05}}, mass: 2, position: [0, 0, "
             "-0.5]}\n"
             "  - {name: crane, type: static, shape: {plane: {}}, position: [0, 0, 0.3], rotation: {axis: "
             "[1, 0, 0], degrees: 180}, motion: {table: [[0, 0, 0, 0], [2, 0, 0, 0.2]]}}\n"
             "connect: [{type: distance, between: [crane, load], from: [0, 0, 0], to: [0, 0, -0.45]}]\n",
        NULL);
    const brn_report report = run(&f);
    assert_near(force_of(&f, 0)[2], -2.0 * 9.81, 1e-6 * 2.0 * 9.81);
    assert_near(pose_of(&f, 0).centre[2], -0.3, 1e-5);
    assert_near(report.work, 2.0 * 9.81 * 0.2 + 2.0 * 0.1 * 0.1, 1e-6); /* and m v^2 at the jerk */
    assert_true(fabs(report.energy_error) < 1e-6);
    flow_close(&f);
}

/* Half a ton on a chain of links of 1.6 kg swings from 60 degrees: taut links that turn are stable in steps of 10 ms, q = 10 and more, and
   what the crane carries below it is m g + m v^2 / L. */
static void test_heavy_load(void **state)
{
    (void)state;
    flow f = flow_open(
        1,
        HEAD "time: {step: 0.01, end: 2}\nbodies:\n"
             "  - {name: link, type: rigid, shape: {capsule: {radius: 0.02, height: 0.14}}, density: 7800, "
             "position: [-0.08660254037844387, 0, -0.05], rotation: {axis: [0, 1, 0], degrees: 60}, repeat: "
             "{count: 10, spacing: [-0.17320508075688773, 0, -0.1]}}\n"
             "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.25}}, density: 7800, position: "
             "[-1.948557158514987, 0, -1.125]}\n"
             "connect:\n  - {type: ball, between: [link_0], at: [0, 0, 0]}\n"
             "  - {type: ball, between: [link, link], at: [-0.17320508075688773, 0, -0.1]}\n"
             "  - {type: ball, between: [ball, link_9], at: [-1.7320508075688772, 0, -1]}\n",
        NULL);
    double last = 0.0;
    bool passed = false;
    while (!brn_sim_done(f.sim)) {
        const brn_report report = step(&f);
        const brn_rigid_pose ball = pose_of(&f, 10);
        const double *force = force_of(&f, 10);
        assert_true(fabs(report.energy_error) < 1e-2 && report.retries == 0 && report.guarded == 0);
        assert_near(hypot(ball.centre[0], ball.centre[2]), 2.25, 0.03); /* each ball gives by a mm at 10 kN */
        if (brn_sim_time(f.sim) > 0.3) {
            assert_true(force[0] * force[0] + force[2] * force[2] > 1.5e3 * 1.5e3);
        }
        if (last < 0.0 && ball.centre[0] >= 0.0) {
            const double mass = f.model->body[10].mass;
            const double want = mass * (9.81 + ball.velocity[0] * ball.velocity[0] / 2.25);
            assert_near(force[2], want, 0.05 * want); /* links swing a little about the line */
            passed = true;
        }
        last = ball.centre[0];
    }
    assert_true(passed);
    flow_close(&f);
}

/* 100 kg on rods between nine beads of 1 g: they hang still, each rod longer by less than h^2 g/4, and let go at 30 degrees swing as a pendulum, with
   m g (3 - 2 cos 30) below. Steps of 10 ms are 80 times what the beads' own swings across the rods, q = 1e5 h^2 T/l, would allow. */
static void test_beads(void **state)
{
    (void)state;
    static const double angle[2] = {0.0, M_PI / 6.0};
    for (int k = 0; k < 2; ++k) {
        const double x = 0.1 * sin(angle[k]);
        const double z = -0.1 * cos(angle[k]);
        char scene[1500];
        assert_true(
            snprintf(scene, sizeof scene,
                     HEAD
                     "time: {step: 0.01, end: 1}\nbodies:\n"
                     "  - {name: bead, type: rigid, shape: {sphere: {radius: 0.01}}, mass: 0.001, position: "
                     "[%.17g, 0, %.17g], repeat: {count: 9, spacing: [%.17g, 0, %.17g]}}\n"
                     "  - {name: load, type: rigid, shape: {sphere: {radius: 0.05}}, mass: 100, position: "
                     "[%.17g, 0, %.17g]}\nconnect:\n"
                     "  - {type: distance, between: [bead_0], from: [%.17g, 0, %.17g], to: [0, 0, 0]}\n"
                     "  - {type: distance, between: [bead, bead], from: [%.17g, 0, %.17g], to: [%.17g, 0, "
                     "%.17g]}\n"
                     "  - {type: distance, between: [load, bead_8], from: [%.17g, 0, %.17g], to: [%.17g, 0, "
                     "%.17g]}\n",
                     x, z, x, z, 10.0 * x, 10.0 * z, x, z, x, z, 2.0 * x, 2.0 * z, 10.0 * x, 10.0 * z,
                     9.0 * x, 9.0 * z) < (int)sizeof scene);
        flow f = flow_open(1, scene, NULL);
        double last = 1.0;
        bool passed = false;
        while (!brn_sim_done(f.sim)) {
            const brn_report report = step(&f);
            const brn_rigid_pose load = pose_of(&f, 9);
            const double *force = force_of(&f, 0);
            assert_true(fabs(report.energy_error) < 1e-2);
            /* ten rods under at most 1.27 m g, and beads that sway by millimetres */
            assert_near(hypot(load.centre[0], load.centre[2]), 1.0, 10.0 * 1.27 * 1e-4 * 9.81 / 4.0 + 1e-3);
            if (k == 1 && last > 0.0 && load.centre[0] <= 0.0) {
                const double want = 981.0 * (3.0 - 2.0 * cos(angle[k]));
                assert_near(hypot(force[0], force[2]), want,
                            0.02 * want);                      /* beads swing a little about the line */
                assert_near(brn_sim_time(f.sim), 0.51, 0.015); /* a quarter of 2 pi sqrt(L/g) (1 + a^2/16) */
                passed = true;
            }
            last = load.centre[0];
        }
        assert_near(force_of(&f, 0)[2], 981.09, k == 0 ? 0.1 : 500.0);
        assert_true(passed || k == 0);
        flow_close(&f);
    }
}

/* A slack rope with the midpoint rule: a ball flies freely until the rope is taut, and then neither further away than it is long nor with more
   energy than it had. */
static void test_midpoint_rope(void **state)
{
    (void)state;
    flow f =
        flow_open(1,
                  HEAD "integrator: midpoint\ntime: {step: 0.005, end: 2}\nbodies:\n"
                       "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.05}}, mass: 1, position: "
                       "[0.6, 0, 0]}\n"
                       "connect: [{type: distance, between: [ball], from: [0.6, 0, 0], to: [0, 0, 0], "
                       "length: 1, slack: true}]\n",
                  NULL);
    const double energy = 0.0; /* at the height of the hook, at rest */
    bool taut = false;
    while (!brn_sim_done(f.sim)) {
        const brn_report report = step(&f);
        const brn_rigid_pose ball = pose_of(&f, 0);
        const double away = hypot(ball.centre[0], ball.centre[2]);
        const double t = brn_sim_time(f.sim);
        assert_true(report.kinetic + 9.81 * ball.centre[2] < energy + 0.05);
        assert_true(
            away <
            1.0 +
                5e-3); /* what it overshoots in the step that makes the rope taut: h v = 20 mm, a quarter of that */
        if (!taut && away < 0.999) {
            assert_near(ball.centre[2], -0.5 * 9.81 * t * t,
                        1e-9); /* the midpoint rule is exact for a fall */
            assert_near(force_of(&f, 0)[2], 0.0, 1e-9);
        }
        taut = taut || away >= 0.999;
        assert_true(fabs(report.energy_error) < 1e-2);
    }
    assert_true(taut);
    flow_close(&f);
}

/* The same bits with any number of threads, and after a checkpoint. */
static void test_bits(void **state)
{
    (void)state;
    static const char scene[] = HEAD
        "time: {step: 0.01, end: 0.5}\nbodies:\n"
        "  - {name: link, type: rigid, shape: {capsule: {radius: 0.02, height: 0.06}}, density: 1000, "
        "position: [0, 0, 1], "
        "rotation: {axis: [0, 1, 0], degrees: 90}, repeat: {count: 12, spacing: [0.1, 0, 0]}}\n"
        "  - {name: floor, type: static, shape: {plane: {}}}\n"
        "connect:\n  - {type: ball, between: [link_0], at: [-0.05, 0, 1]}\n"
        "  - {type: distance, between: [link, link], from: [0.03, 0, 1], to: [0.07, 0, 1], slack: true}\n";
    double end[3] = {0};
    for (int k = 0; k < 3; ++k) {
        flow f = flow_open(k == 1 ? 3 : 1, scene, NULL);
        while (!brn_sim_done(f.sim)) {
            (void)step(&f);
            if (k == 2 && f.sim->state->step == 20) {
                assert_done(f.ctx, brn_sim_save(f.sim, "connect_resume.h5"));
                flow_close(&f);
                f = flow_open(1, scene, NULL);
                assert_done(f.ctx, brn_sim_load(f.sim, "connect_resume.h5"));
            }
        }
        end[k] = pose_of(&f, 11).centre[2];
        assert_true(end[k] == end[0]);
        flow_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum), cmocka_unit_test(test_double_pendulum),
        cmocka_unit_test(test_chain),    cmocka_unit_test(test_soft),
        cmocka_unit_test(test_rope),     cmocka_unit_test(test_elastic),
        cmocka_unit_test(test_flight),   cmocka_unit_test(test_weld),
        cmocka_unit_test(test_crane),    cmocka_unit_test(test_heavy_load),
        cmocka_unit_test(test_beads),    cmocka_unit_test(test_midpoint_rope),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
