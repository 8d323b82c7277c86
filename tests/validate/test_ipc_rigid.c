/* Method ipc with rigid bodies and shapes against closed forms: sliding, rolling, spinning, impacts, weights, piles. */
#include "flow.h"
#include "validate/rows.h"

#include "contact/yardstick.h"
#include "linalg/dense.h"
#include "model/rigid_pose.h"
#include "step/ipc/ipc.h"
#include "step/sim.h"

/* A slope of tan 0.5 is a level plane under a turned gravity. */
#define SIN_G  4.387165371854576
#define COS_G  8.774330743709153
#define SLOPE3 "gravity: [4.387165371854576, 0, -8.774330743709153]\n"
#define SLOPE2 "gravity: [4.387165371854576, -8.774330743709153]\n"
#define METHOD "method: {type: ipc, dhat: 1e-3, friction_speed: 1e-4, tolerance: 1e-6}\n"

static FILE *rows;

static void row(const char *what, double exact, double measured, double within, const char *unit)
{
    char note[80];
    const double error = exact != 0.0 ? fabs(measured / exact - 1.0) : fabs(measured);
    (void)snprintf(note, sizeof note, "%s%s", unit, exact != 0.0 ? ", error relative" : "");
    validation_row(rows, what, exact, measured, error, note);
    if (!(error <= within)) {
        fail_msg("%s: measured %.10g, exact %.10g, allowed error %g", what, measured, exact, within);
    }
}

static brn_report step_clean(flow *f)
{
    brn_report r;
    assert_done(f->ctx, brn_sim_step(f->sim, &r));
    assert_int_equal(r.intersections, 0);
    assert_int_equal(r.inversions, 0);
    assert_true(r.gap_min > 0.0);
    return r;
}

/* Velocity of a rigid body's centre and the angular velocity of its affine map. */
typedef struct motion {
    double x[3], v[3], w[3];
} motion;

static motion motion_of(const flow *f, int body)
{
    const brn_model *model = f->model;
    const double *x = brn_sim_positions(f->sim);
    const double *v = brn_sim_velocities(f->sim);
    const int first = model->body[body].handle;
    brn_rigid_pose pose;
    double a[9] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
    double rate[9] = {0};
    double inverse[9];
    double l[9];
    brn_rigid_pose_of(model, body, x, v, &pose);
    for (int i = 0; i < model->dim; ++i) {
        for (int k = 0; k < model->dim; ++k) {
            a[3 * i + k] = x[3 * (first + 1 + k) + i] - x[3 * first + i];
            rate[3 * i + k] = v[3 * (first + 1 + k) + i] - v[3 * first + i];
        }
    }
    assert_true(brn_dense_inverse3(a, inverse) != 0.0);
    brn_dense_multiply3(rate, inverse, l);
    motion m = {.w = {0.5 * (l[7] - l[5]), 0.5 * (l[2] - l[6]), 0.5 * (l[3] - l[1])}};
    memcpy(m.x, pose.centre, sizeof m.x);
    memcpy(m.v, pose.velocity, sizeof m.v);
    return m;
}

/* Steps until t. */
static motion run_to(flow *f, double t, int body)
{
    while (brn_sim_time(f->sim) < t - 1e-9) {
        (void)step_clean(f);
    }
    return motion_of(f, body);
}

/* Accelerations of body 0 between two times: along x, and of the spin about an axis. */
static void accelerations(flow *f, double from, double to, int axis, double *a, double *alpha)
{
    const motion m = run_to(f, from, 0);
    const motion n = run_to(f, to, 0);
    *a = (n.v[0] - m.v[0]) / (to - from);
    *alpha = (n.w[axis] - m.w[axis]) / (to - from);
}

static const char box_on_slope[] =
    "brunt: 1\ntime: {step: 0.01, end: 1}\n" SLOPE3 METHOD
    "bodies:\n  - {name: box, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 0, 0.0509]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\n";

static void test_box_on_slope(void **state)
{
    (void)state;
    double a = 0.0;
    double alpha = 0.0;
    flow f = flow_open(2, box_on_slope, "contact.friction=0.3");
    accelerations(&f, 0.4, 1.0, 1, &a, &alpha);
    row("box slides, mu 0.3: acceleration", SIN_G - 0.3 * COS_G, a, 0.01, "m/s^2");
    flow_close(&f);
    f = flow_open(2, box_on_slope, "contact.friction=0.49");
    accelerations(&f, 0.4, 1.0, 1, &a, &alpha);
    row("box slides, mu 0.49: acceleration", SIN_G - 0.49 * COS_G, a, 0.05, "m/s^2");
    flow_close(&f);
    f = flow_open(2, box_on_slope, "contact.friction=0.51");
    const motion m = run_to(&f, 1.0, 0);
    row("box sticks, mu 0.51: speed after 1 s", 0.0, fabs(m.v[0]), 1e-4, "m/s, sticks below 1e-4");
    flow_close(&f);
}

static const char ball_on_slope[] =
    "brunt: 1\ntime: {step: 0.005, end: 1}\nintegrator: bdf2\n" SLOPE3 METHOD
    "bodies:\n  - {name: ball, type: rigid, shape: {sphere: {radius: 0.25}}, position: [0, 0, 0.2509]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\n";

static const char disc_on_slope[] =
    "brunt: 1\ndimension: 2\ntime: {step: 0.005, end: 1}\nintegrator: bdf2\n" SLOPE2 METHOD
    "bodies:\n  - {name: disc, type: rigid, shape: {sphere: {radius: 0.25}}, position: [0, 0.2509]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\n";

static const char rod_on_slope[] = "brunt: 1\ntime: {step: 0.005, end: 1}\nintegrator: bdf2\n" SLOPE3 METHOD
                                   "bodies:\n  - {name: rod, type: rigid, shape: {capsule: {radius: 0.25, "
                                   "height: 0.5}}, position: [0, 0, 0.2509],\n"
                                   "     rotation: {axis: [1, 0, 0], degrees: 90}}\n"
                                   "  - {name: floor, type: static, shape: {plane: {}}}\n";

static void test_rolling(void **state)
{
    (void)state;
    double a = 0.0;
    double alpha = 0.0;
    flow f = flow_open(2, ball_on_slope, "contact.friction=0.8");
    accelerations(&f, 0.2, 0.6, 1, &a, &alpha);
    row("ball rolls, mu 0.8: acceleration 5/7 g sin", 5.0 / 7.0 * SIN_G, a, 0.01, "m/s^2");
    row("ball rolls, mu 0.8: angular acceleration", 5.0 / 7.0 * SIN_G / 0.25, alpha, 0.01, "rad/s^2");
    flow_close(&f);
    f = flow_open(2, ball_on_slope, "contact.friction=0.1");
    accelerations(&f, 0.2, 0.6, 1, &a, &alpha);
    row("ball slides and spins, mu 0.1: acceleration", SIN_G - 0.1 * COS_G, a, 0.01, "m/s^2");
    row("ball slides and spins, mu 0.1: angular acceleration 5/2 mu g cos / r", 2.5 * 0.1 * COS_G / 0.25,
        alpha, 0.01, "rad/s^2");
    flow_close(&f);
    f = flow_open(2, disc_on_slope, "contact.friction=0.8");
    accelerations(&f, 0.2, 0.6, 2, &a, &alpha);
    row("2D disc rolls: acceleration 2/3 g sin", 2.0 / 3.0 * SIN_G, a, 0.01, "m/s^2");
    row("2D disc rolls: angular acceleration", -2.0 / 3.0 * SIN_G / 0.25, alpha, 0.01, "rad/s^2");
    flow_close(&f);
    /* m (r^2/2 of the straight part, 2/5 r^2 of the ball) */
    const double rod = 0.5;
    const double ball = 4.0 / 3.0 * 0.25;
    const double inertia = (0.5 * rod + 0.4 * ball) / (rod + ball);
    f = flow_open(2, rod_on_slope, "contact.friction=0.8");
    accelerations(&f, 0.2, 0.6, 1, &a, &alpha);
    row("capsule rolls: acceleration g sin / (1 + I/(m r^2))", SIN_G / (1.0 + inertia), a, 0.01, "m/s^2");
    row("capsule rolls: angular acceleration", SIN_G / (1.0 + inertia) / 0.25, alpha, 0.01, "rad/s^2");
    flow_close(&f);
}

static const char backspin[] =
    "brunt: 1\ntime: {step: 0.002, end: 1}\nintegrator: bdf2\n" METHOD
    "bodies:\n  - {name: ball, type: rigid, shape: {sphere: {radius: 0.25}}, position: [0, 0, 0.2509],\n"
    "     velocity: [0.3, 0, 0], angular_velocity: [0, -3.6, 0]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\ncontact: {friction: 0.2}\n";

static void test_backspin(void **state)
{
    (void)state;
    flow f = flow_open(2, backspin, NULL);
    const motion m = run_to(&f, 0.3, 0);
    row("backspin: the ball comes back at (5 v - 2 r w)/7", (5.0 * 0.3 - 2.0 * 0.9) / 7.0, m.v[0], 0.02,
        "m/s");
    row("backspin: and rolls, w r = v", m.v[0], 0.25 * m.w[1], 0.005, "m/s");
    flow_close(&f);
}

/* A ball that rolls on a turntable goes in a circle at 2/7 of its angular velocity, whatever its start. */
static const char turntable[] =
    "brunt: 1\ntime: {step: 0.005, end: 2}\nintegrator: bdf2\n" METHOD
    "bodies:\n  - {name: ball, type: rigid, shape: {sphere: {radius: 0.25}}, position: [1, 0, 0.25094],\n"
    "     velocity: [0.5, 0, 0], angular_velocity: [4, 2, 0]}\n"
    "  - {name: table, type: static, shape: {plane: {}}, motion: {angular_velocity: 1, about: {axis: [0, 0, "
    "1]}}}\n"
    "contact: {friction: 1}\n";

static void test_turntable(void **state)
{
    (void)state;
    flow f = flow_open(2, turntable, NULL);
    const motion m = run_to(&f, 0.5, 0);
    const motion n = run_to(&f, 2.0, 0);
    const double turn = atan2(n.v[1], n.v[0]) - atan2(m.v[1], m.v[0]);
    row("ball on a turntable: turns at 2/7 of its speed", 2.0 / 7.0, turn / 1.5, 0.01, "rad/s");
    row("ball on a turntable: at constant speed", hypot(m.v[0], m.v[1]), hypot(n.v[0], n.v[1]), 0.01, "m/s");
    flow_close(&f);
}

/* On top of a large roller that turns below: the ball slips and is dragged along by mu g. */
static const char roller3[] =
    "brunt: 1\ntime: {step: 0.002, end: 1}\n" METHOD
    "bodies:\n  - {name: ball, type: rigid, shape: {sphere: {radius: 0.25}}, position: [0, 0, 0.25094]}\n"
    "  - {name: roller, type: static, shape: {capsule: {radius: 20, height: 1}}, position: [0, 0, -20],\n"
    "     rotation: {axis: [1, 0, 0], degrees: 90}, motion: {angular_velocity: 1, about: {point: [0, 0, "
    "-20], axis: "
    "[0, 1, 0]}}}\ncontact: {friction: 0.1}\n";
static const char roller2[] =
    "brunt: 1\ndimension: 2\ntime: {step: 0.002, end: 1}\n" METHOD
    "bodies:\n  - {name: ball, type: rigid, shape: {sphere: {radius: 0.25}}, position: [0, 0.25094]}\n"
    "  - {name: roller, type: static, shape: {sphere: {radius: 20}}, position: [0, -20],\n"
    "     motion: {angular_velocity: -1, about: {point: [0, -20]}}}\ncontact: {friction: 0.1}\n";

static void test_roller(void **state)
{
    (void)state;
    double a = 0.0;
    double alpha = 0.0;
    flow f = flow_open(2, roller3, NULL);
    accelerations(&f, 0.05, 0.15, 1, &a, &alpha);
    row("ball on a roller: dragged at mu g", 0.1 * 9.81, a, 0.01, "m/s^2");
    row("ball on a roller: spun at 5/2 mu g / r", -2.5 * 0.1 * 9.81 / 0.25, alpha, 0.01, "rad/s^2");
    const brn_report r = step_clean(&f);
    row("ball on a roller: energy balance", 0.0, fabs(r.energy_error), 0.02, "relative, h = 2 ms");
    row("ball on a roller: angular momentum balance", 0.0, r.angular_momentum_error, 1e-3, "relative");
    flow_close(&f);
    f = flow_open(2, roller2, NULL);
    accelerations(&f, 0.05, 0.15, 2, &a, &alpha);
    row("2D disc on a roller: dragged at mu g", 0.1 * 9.81, a, 0.01, "m/s^2");
    row("2D disc on a roller: spun at 2 mu g / r", 2.0 * 0.1 * 9.81 / 0.25, alpha, 0.01, "rad/s^2");
    flow_close(&f);
}

static const char impact[] =
    "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: %s, end: 0.1}\nintegrator: %s\n"
    "method: {type: ipc, dhat: 1e-2, tolerance: 1e-8}\n"
    "bodies:\n  - {name: a, type: rigid, shape: {sphere: {radius: 0.1}}, velocity: [1, 0, 0]}\n"
    "  - {name: b, type: rigid, shape: {sphere: {radius: 0.1}}, position: [0.25, 0.05, 0.02], velocity: [-1, "
    "0, 0], "
    "density: 3000}\ncontact: {friction: 0}\n";

/* Smooth balls that collide: momentum along every axis is kept and the velocities across the normal are untouched. The barrier
   is elastic and contact takes energy of the order of the step: the restitution rises to 1 as the step resolves the impact. */
static void test_impact(void **state)
{
    (void)state;
    static const struct {
        const char *name, *step;
    } rules[] = {{"turning_euler", "1e-3"}, {"newmark", "1e-3"}, {"newmark", "1e-4"}, {"newmark", "1e-5"}};
    double last = 0.0;
    for (int n = 0; n < 4; ++n) {
        char text[1000];
        char name[120];
        (void)snprintf(text, sizeof text, impact, rules[n].step, rules[n].name);
        flow f = flow_open(2, text, NULL);
        const motion a0 = motion_of(&f, 0);
        const motion b0 = motion_of(&f, 1);
        const double ma = f.model->body[0].mass;
        const double mb = f.model->body[1].mass;
        int contacts = 0;
        double worst = 0.0;
        double energy[2] = {0};
        double normal[3] = {0};
        while (!brn_sim_done(f.sim)) {
            const brn_report r = step_clean(&f);
            contacts += r.contacts;
            worst = fmax(worst, r.momentum_error);
            energy[brn_sim_step_count(f.sim) > 1] = r.kinetic + r.elastic + r.contact;
        }
        assert_true(contacts > 0);
        const motion a = motion_of(&f, 0);
        const motion b = motion_of(&f, 1);
        double change = 0.0;
        for (int i = 0; i < 3; ++i) {
            normal[i] = a.v[i] - a0.v[i];
            change += normal[i] * normal[i];
            assert_near(ma * (a.v[i] - a0.v[i]) + mb * (b.v[i] - b0.v[i]), 0.0, 1e-8 * ma);
        }
        double before = 0.0;
        double after = 0.0;
        for (int i = 0; i < 3; ++i) {
            before += (a0.v[i] - b0.v[i]) * normal[i] / sqrt(change);
            after += (a.v[i] - b.v[i]) * normal[i] / sqrt(change);
        }
        (void)snprintf(name, sizeof name, "impact of balls, %s, h = %s s: linear momentum", rules[n].name,
                       rules[n].step);
        row(name, 0.0, worst, 1e-8, "relative");
        (void)snprintf(name, sizeof name, "impact of balls, %s, h = %s s: restitution", rules[n].name,
                       rules[n].step);
        const double restitution = -after / before;
        validation_row(rows, name, 1.0, restitution, fabs(1.0 - restitution), "its limit");
        assert_true(restitution <= 1.001 && restitution > last && (n < 3 || restitution > 0.9));
        last = restitution;
        assert_true(energy[1] <= energy[0] * 1.001);
        flow_close(&f);
    }
}

/* ---- loads ---------------------------------------------------------------------------------------------------------------- */

static const char stack[] =
    "brunt: 1\ntime: {step: 0.01, end: 1.5}\nmethod: {type: ipc, dhat: 1e-3}\n"
    "materials: {a: {type: neo_hookean, young: 2e5, poisson: 0.4, density: 1000, damping: {beta: 0.02}}}\n"
    "meshes: {block: {box: {size: [0.2, 0.2, 0.1], cells: [4, 4, 2], element: tet4}}}\n"
    "bodies:\n  - {name: block, type: deformable, mesh: block, material: a, position: [0, 0, 0.051]}\n"
    "  - {name: box, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, density: 3000, position: [0.01, "
    "0.02, 0.152]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\ncontact: {friction: 0.4}\n";

static void test_stack(void **state)
{
    (void)state;
    flow f = flow_open(2, stack, NULL);
    (void)run_to(&f, 1.5, 1);
    const brn_ipc *ipc = f.sim->self;
    double force[3][3];
    brn_yardstick_bodies(ipc->point, ipc->npoint, 3, force);
    row("rigid box on a soft block: the floor carries both", -(3.0 + 4.0) * 9.81, force[2][2], 0.005, "N");
    row("rigid box on a soft block: the box is carried", 3.0 * 9.81, force[1][2], 0.005, "N");
    flow_close(&f);
}

/* Two rails and a cross-bar far away, one wire of an OBJ file: the ball lies between them. */
static void test_rails(void **state)
{
    (void)state;
    FILE *file = fopen("rails.obj", "w");
    assert_non_null(file);
    fprintf(file, "v -1 -0.06 0\nv 0.1 -0.06 0\nv 1 -0.06 0\nv 1 0.06 0\nv -1 0.06 0\nl 1 2 3 4 5\n");
    fclose(file);
    static const char text[] =
        "brunt: 1\ntime: {step: 0.01, end: 1}\n" METHOD "meshes: {rails: {file: rails.obj}}\n"
        "bodies:\n  - {name: ball, type: rigid, shape: {sphere: {radius: 0.09}}, position: [0, 0, 0.0812]}\n"
        "  - {name: rails, type: static, mesh: rails, thickness: 0.02}\n"
        "contact: {friction: 0.3}\n";
    flow f = flow_open(2, text, NULL);
    const motion m = run_to(&f, 1.0, 0);
    row("ball on two wires: height", 0.08, m.x[2], 1.25e-3 / 0.08, "m, dhat 1 mm higher at most");
    row("ball on two wires: speed", 0.0, hypot(hypot(m.v[0], m.v[1]), m.v[2]), 1e-4, "m/s");
    flow_close(&f);
}

static const char drop[] =
    "brunt: 1\ntime: {step: 0.01, end: 0.6}\nmethod: {type: ipc, dhat: 1e-3}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4, density: 1000, damping: {beta: 0.01}}}\n"
    "meshes:\n  cube: {box: {size: [0.1, 0.1, 0.1], cells: [5, 5, 5], element: tet4}}\n"
    "  sheet: {grid: {size: [0.4, 0.4], cells: [2, 2]}}\n"
    "bodies:\n  - {name: cube, type: deformable, mesh: cube, material: a, position: [0, 0, 0.08]}\n";

/* A soft cube dropped on something that it may hang over: no node comes nearer than its surface. */
enum { BALL, ROD, SHEET };

static void drop_on(const char *what, const char *body, int shape, double radius)
{
    char text[2000];
    (void)snprintf(text, sizeof text, "%s%s", drop, body);
    flow f = flow_open(2, text, NULL);
    const brn_body *cube = &f.model->body[0];
    double nearest = INFINITY;
    double speed = 0.0;
    int contacts = 0;
    while (!brn_sim_done(f.sim)) {
        const brn_report r = step_clean(&f);
        contacts = r.contacts;
        nearest = fmin(nearest, r.gap_min);
        speed = sqrt(2.0 * r.kinetic / cube->mass);
        for (int a = cube->node_first; a < cube->node_first + cube->node_count; ++a) {
            const double *x = &brn_sim_positions(f.sim)[3 * a];
            const double away = shape == BALL  ? hypot(hypot(x[0], x[1]), x[2])
                                : shape == ROD ? hypot(x[0], x[2])
                                               : x[2];
            assert_true(away > radius);
        }
    }
    print_message("%s: smallest gap %g m, speed at the end %g m/s, %d contacts\n", what, nearest, speed,
                  contacts);
    assert_true(shape == BALL || (contacts > 0 && speed < 0.05));
    flow_close(&f);
}

static void test_drops(void **state)
{
    (void)state;
    drop_on("soft cube on a ball",
            "  - {name: ball, type: static, shape: {sphere: {radius: 0.025}}}\ncontact: {friction: 0.8}\n",
            BALL, 0.025);
    drop_on("soft cube on a rod",
            "  - {name: rod, type: static, shape: {capsule: {radius: 0.025, height: 0.3}}, rotation: {axis: "
            "[1, 0, 0], "
            "degrees: 90}}\ncontact: {friction: 0.8}\n",
            ROD, 0.025);
    drop_on("soft cube on a thick sheet", "  - {name: sheet, type: static, mesh: sheet, thickness: 0.03}\n",
            SHEET, 0.015);
}

/* ---- a pile ---------------------------------------------------------------------------------------------------------------- */

static void test_pile(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    fprintf(file, "brunt: 1\ntime: {step: 0.01, end: 2}\nmethod: {type: ipc, dhat: 1e-3}\ncontact: "
                  "{friction: 0.4}\nbodies:\n"
                  "  - {name: floor, type: static, shape: {plane: {}}}\n");
    static const double walls[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (int i = 0; i < 4; ++i) {
        fprintf(file,
                "  - {name: wall%d, type: static, shape: {plane: {normal: [%g, %g, 0]}}, position: [%g, %g, "
                "0]}\n",
                i, walls[i][0], walls[i][1], -0.2 * walls[i][0], -0.2 * walls[i][1]);
    }
    unsigned seed = 12345;
    for (int i = 0; i < 30; ++i) {
        double r[6];
        for (int k = 0; k < 6; ++k) {
            seed = seed * 1664525u + 1013904223u;
            r[k] = (double)(seed >> 8) / 16777216.0;
        }
        const double x = -0.1 + 0.2 * (i % 2) + 0.02 * r[0];
        const double y = -0.1 + 0.2 * (i / 2 % 2) + 0.02 * r[1];
        const double z = 0.12 + 0.18 * (i / 4);
        if (i % 3 == 0) {
            fprintf(file,
                    "  - {name: b%d, type: rigid, shape: {sphere: {radius: %g, segments: 8}}, position: [%g, "
                    "%g, %g]}\n",
                    i, 0.04 + 0.03 * r[2], x, y, z);
        } else {
            fprintf(file,
                    "  - {name: b%d, type: rigid, shape: {box: {size: [%g, %g, %g]}}, position: [%g, %g, "
                    "%g], rotation: {axis: "
                    "[%g, %g, 1], degrees: %g}}\n",
                    i, 0.06 + 0.04 * r[2], 0.06 + 0.04 * r[3], 0.06 + 0.04 * r[4], x, y, z, r[2], r[3],
                    360 * r[5]);
        }
    }
    fclose(file);
    flow f = flow_open(2, text, NULL);
    free(text);
    brn_report r = {0};
    double most = 0.0;
    long iterations = 0;
    double wall = 0.0;
    while (!brn_sim_done(f.sim)) {
        r = step_clean(&f);
        most = fmax(most, r.kinetic);
        iterations += r.iterations;
        wall += r.wall;
    }
    print_message(
        "pile: %.1f iterations a step, %.1f s, %d contacts at the end, kinetic energy %g J, most %g J\n",
        (double)iterations / (double)brn_sim_step_count(f.sim), wall, r.contacts, r.kinetic, most);
    assert_true(r.kinetic < 1e-3 * most);
    flow_close(&f);
}

/* A plate that is moved tilts under 2 t: what it presses gives way while its motion waits. Without that it takes 868 iterations, with it 577; 720 is
   between. */
static void test_tilted(void **state)
{
    (void)state;
    flow f = flow_open(
        1,
        "brunt: 1\ntime: {step: 5e-3, end: 0.08}\nintegrator: newmark\n"
        "materials: {sheet: {type: stvk, density: 3000, young: 8.5e7, poisson: 0.18}}\n"
        "meshes: {m: {disc: {radius: 0.3, resolution: 0.12}}}\nbodies:\n"
        "  - {name: plate, type: shell, mesh: m, material: sheet, thickness: 2.7e-3}\n"
        "  - {name: box, type: rigid, shape: {box: {size: [1.1, 1.1, 0.25]}}, mass: 572, position: [0, 0.03, "
        "0.12645]}\n"
        "  - {name: top, type: rigid, shape: {cylinder: {radius: 0.54, height: 0.757, segments: 4}}, "
        "density: "
        "3196, position: [0, 0.05, 0.6301]}\n"
        "fixed: [{body: plate, where: {all: true}, motion: {angular_velocity: 0.7, about: {axis: [1, 0, "
        "0]}}}]\ncontact: {friction: 0}\n",
        NULL);
    int iterations = 0;
    while (brn_sim_time(f.sim) < 0.08 - 1e-9) {
        iterations += step_clean(&f).iterations;
    }
    print_message("tilted plate: %d iterations\n", iterations);
    assert_true(iterations < 720);
    flow_close(&f);
}

int main(void)
{
    rows = validation_open(
        "ipc_rigid", "Method ipc: rigid bodies and shapes",
        "Rigid bodies (affine, 0.1 to 0.5 m) on half-spaces and round obstacles, dhat = 1 mm, eps_v = 1e-4 "
        "m/s, adaptive "
        "stiffness; the slope has tan 0.5. Rolling bodies run with BDF2, because implicit Euler brakes a "
        "spin at the rate "
        "w^2 h. Accelerations are differences of velocities between two times after the body has settled.");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_on_slope), cmocka_unit_test(test_rolling), cmocka_unit_test(test_backspin),
        cmocka_unit_test(test_turntable),    cmocka_unit_test(test_roller),  cmocka_unit_test(test_impact),
        cmocka_unit_test(test_stack),        cmocka_unit_test(test_rails),   cmocka_unit_test(test_drops),
        cmocka_unit_test(test_pile),         cmocka_unit_test(test_tilted),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    validation_close(rows);
    return failed;
}
