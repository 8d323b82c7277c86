/* Robots that touch: a rigid gripper lifts and shakes a soft block; limits and efforts; what is welded to a link or lies on one. Fingers reach
   beyond the block on all sides, so that its nodes alone are the contact points. */
#include "flow.h"

#include "step/sim.h"

#include <stdio.h>

#define HEAD "brunt: 1\nmethod: {type: sap}\n"
#define MASS(m, i)                                                                \
 "<inertial><mass value=\"" m "\"/><inertia ixx=\"" i "\" iyy=\"" i "\" izz=\"" i \
 "\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
#define SLIDER(name, parent, child, at, axis, lower, upper, effort, more)                        \
 "<joint name=\"" name "\" type=\"prismatic\"><parent link=\"" parent "\"/><child link=\"" child \
 "\"/><origin xyz=\"" at "\"/><axis xyz=\"" axis "\"/><limit lower=\"" lower "\" upper=\"" upper \
 "\" effort=\"" effort "\" velocity=\"2\"/>" more "</joint>"
#define FINGER(name)                                                                                     \
 "<link name=\"" name                                                                                    \
 "\">" MASS("0.05", "5e-5") "<collision><geometry><box size=\"0.01 0.12 0.13\"/></geometry></collision>" \
                            "<collision><origin xyz=\"0 0 0.09\"/><geometry><box size=\"0.01 0.03 "      \
                            "0.05\"/></geometry></collision></link>"

static const double G = 9.81;
static const double STEP = 0.01;
static const double FINGER_MASS = 0.05, HAND_MASS = 0.2 + 0.989 + 2.0 * 0.05, BLOCK_MASS = 0.8;

/* The right finger follows the left one. */
static const char gripper[] =
    "<robot name=\"gripper\"><link name=\"rail\"/>"
    "<link name=\"wrist\">" MASS("0.2", "2e-4") "</link><link name=\"body\">" MASS(
        "0.989", "2e-3") "</link>" FINGER("left") FINGER("right")
        SLIDER("lift", "rail", "wrist", "0 0 0", "0 0 1", "-0.5", "0.6", "500", "")
            SLIDER("shake", "wrist", "body", "0 0 0", "0 1 0", "-0.3", "0.3", "500", "")
                SLIDER("left", "body", "left", "-0.1 0 -0.1", "1 0 0", "-0.01", "0.06", "100", "")
                    SLIDER("right", "body", "right", "0.1 0 -0.1", "-1 0 0", "-0.01", "0.06", "100",
                           "<mimic joint=\"left\"/>") "</robot>";

static const char scene[] =
    HEAD "time: {step: 0.01, end: 3}\ncontact: {friction: 0.9}\n"
         "materials:\n  jelly: {type: corotated_linear, young: 5.0e4, poisson: 0.4, density: 1000}\n"
         "meshes:\n  block: {box: {size: [0.1, 0.08, 0.1], cells: [4, 3, 4], element: tet4}}\n"
         "bodies:\n"
         "  - {name: post, type: static, shape: {box: {size: [0.04, 0.04, 0.05]}}, position: [0, 0, 0.025]}\n"
         "  - {name: block, type: deformable, mesh: block, material: jelly, position: [0, 0, 0.1]}\n"
         "  - {name: hand, type: robot, file: sap_grasp.urdf, position: [0, 0, 0.2], joints: {\n"
         "      lift: {kp: 2.0e4, kd: 400, table: [[0.8, 0], [1.3, 0.1]]},\n"
         "      shake: {kp: 2.0e4, kd: 400, table: [[1.5, 0], [1.6, 0.04], [1.8, -0.04], [2, 0.04], [2.2, "
         "-0.04], [2.3, 0]]},\n"
         "      left: {kp: 1.0e4, kd: 100, effort: 60, table: [[0, 0], [0.6, 0.055]]}}}\n";

static brn_joint_state joint(const flow *f, const char *name)
{
    brn_joint_state out;
    assert_done(f->ctx, brn_sim_get_joint(f->sim, brn_model_find_joint(f->model, name), &out));
    return out;
}

static int body(const flow *f, const char *name)
{
    for (int b = 0; b < f->model->nbody; ++b) {
        if (strcmp(f->model->body[b].name, name) == 0) {
            return b;
        }
    }
    fail_msg("no body %s", name);
    return -1;
}

static void centre_of(const flow *f, const char *name, double out[3])
{
    const brn_body *b = &f->model->body[body(f, name)];
    const double *x = brn_sim_positions(f->sim);
    memset(out, 0, 3 * sizeof *out);
    for (int a = b->node_first; a < b->node_first + b->node_count; ++a) {
        for (int i = 0; i < 3; ++i) {
            out[i] += f->model->node_mass[a] * x[3 * a + i] / b->mass;
        }
    }
}

/* Forces of the hand that holds the block at rest. Tolerance 1 %: the block still swings a little. */
static void check_balance(const flow *f)
{
    const double squeeze = joint(f, "hand/left").effort;
    brn_contact_total left;
    brn_contact_total right;
    assert_done(f->ctx, brn_sim_contact_between(f->sim, body(f, "block"), body(f, "hand/left"), &left));
    assert_done(f->ctx, brn_sim_contact_between(f->sim, body(f, "block"), body(f, "hand/right"), &right));
    assert_near(joint(f, "hand/lift").effort, (HAND_MASS + BLOCK_MASS) * G,
                0.01 * (HAND_MASS + BLOCK_MASS) * G);
    /* one drive moves both fingers */
    assert_near(left.normal[0], 0.5 * squeeze, 0.01 * squeeze);
    assert_near(right.normal[0], -0.5 * squeeze, 0.01 * squeeze);
    assert_near(left.friction[2] + right.friction[2], BLOCK_MASS * G, 0.01 * BLOCK_MASS * G);
}

static void test_grasp(void **state)
{
    (void)state;
    test_write_file("sap_grasp.urdf", gripper);
    flow f = flow_open(1, scene, NULL);
    double held[3] = {0};
    double off = 0.0;
    brn_report r = {0};
    assert_near(f.model->body[body(&f, "block")].mass, BLOCK_MASS, 1e-12);
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        const double t = brn_sim_time(f.sim);
        const double q = joint(&f, "hand/left").position[0];
        off = fmax(off, fabs(joint(&f, "hand/right").position[0] - q));
        assert_true(q < 0.06);
        assert_true(fabs(joint(&f, "hand/left").effort) <= 60.0 * (1.0 + 1e-12));
        if (fabs(t - 1.5) < 0.5 * STEP) {
            centre_of(&f, "block", held);
            check_balance(&f);
        }
    }
    check_balance(&f);
    /* The follower is held as stiffly as the step allows, a period of a tenth of it: it lags by h^2 F w / (4 pi^2) 0.1^2,
       1.5e-5 m with F = 30 N and w = 2 / 0.05 kg. */
    assert_true(off < 1e-4);
    /* Shaken sideways by up to 4 cm and held for 0.7 s more: 0.1 mm/s, a tenth of what a grasp may slip. */
    double after[3];
    centre_of(&f, "block", after);
    for (int i = 0; i < 3; ++i) {
        assert_near(after[i], held[i], 1.5e-4);
    }
    flow_close(&f);
}

/* A drive that pushes against the end of its joint with all its effort passes it by what the stiffest limit gives, and no more; the one
   that follows stops there too. */
static void test_limit(void **state)
{
    (void)state;
    test_write_file("sap_grasp.urdf", gripper);
    flow f = flow_open(
        1,
        HEAD "time: {step: 0.01, end: 1}\nbodies:\n"
             "  - {name: hand, type: robot, file: sap_grasp.urdf, joints: {all: {kp: 1.0e4, kd: 100},\n"
             "      left: {kp: 1.0e4, kd: 100, table: [[0, 0], [0.5, 0.3]]}}}\n",
        NULL);
    const double near_rigid = 0.3;
    const double give = 100.0 * STEP * STEP * near_rigid * near_rigid / (4.0 * M_PI * M_PI * FINGER_MASS);
    double most = 0.0;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
        most = fmax(most, joint(&f, "hand/left").position[0]);
        assert_true(fabs(joint(&f, "hand/left").effort) <= 100.0 * (1.0 + 1e-12));
    }
    assert_true(most > 0.06);
    assert_true(most < 0.06 + give);
    assert_near(joint(&f, "hand/left").effort, 100.0, 1e-9);
    flow_close(&f);
}

/* A soft pad welded to a finger, a link of two shapes, of a hand that moves is not strained by that: the lift carries both, and momenta add up to what one
   linearisation a step leaves, 6e-5 in this fall. */
static void test_pad(void **state)
{
    (void)state;
    test_write_file("sap_grasp.urdf", gripper);
    flow f = flow_open(
        1,
        HEAD "time: {step: 0.02, end: 1}\n"
             "materials:\n  jelly: {type: corotated_linear, young: 5.0e4, poisson: 0.3, density: 1000}\n"
             "meshes:\n  pad: {box: {size: [0.04, 0.08, 0.1], cells: [2, 3, 3], element: tet4}}\n"
             "bodies:\n"
             "  - {name: hand, type: robot, file: sap_grasp.urdf, joints: {all: {kp: 1.0e4, kd: 100},\n"
             "      lift: {kp: 2.0e4, kd: 400, table: [[0, 0], [0.6, -0.3]]}}}\n"
             "  - {name: pad, type: deformable, mesh: pad, material: jelly, position: [-0.075, 0, -0.1]}\n"
             "attach:\n  - {body: pad, where: {face: -x}, to: hand/left}\n",
        NULL);
    brn_report r = {0};
    double error = 0.0;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        error = fmax(error, fmax(r.momentum_error, fabs(r.energy_error)));
    }
    assert_true(error < 1e-3);
    const double weight = (HAND_MASS + 0.32) * G;
    assert_near(joint(&f, "hand/lift").effort, weight, 1e-3 * weight);
    flow_close(&f);
}

/* A crate on a turntable stays where it is: contact moves it along the chord of the arc. Along the tangent it would be out by
   (w h)^2 r / 2 = 0.1 mm after every step, a centimetre in the end. */
static void test_turntable(void **state)
{
    (void)state;
    test_write_file("sap_grasp_table.urdf",
                    "<robot name=\"t\"><link name=\"base\"/><link name=\"disc\">" MASS(
                        "10", "2") "<collision><geometry><cylinder radius=\"0.7\" "
                                   "length=\"0.05\"/></geometry></collision></link>"
                                   "<joint name=\"turn\" type=\"continuous\"><parent link=\"base\"/><child "
                                   "link=\"disc\"/><axis xyz=\"0 0 1\"/></joint></robot>");
    flow f = flow_open(1,
                       HEAD "time: {step: 0.01, end: 1}\ncontact: {friction: 0.8}\nbodies:\n"
                            "  - {name: table, type: robot, file: sap_grasp_table.urdf, joints: {turn: "
                            "{drive: velocity, kd: 1000, velocity: 2, target: 2}}}\n"
                            "  - {name: crate, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, "
                            "position: [0.5, 0, 0.075],\n"
                            "     velocity: [0, 1, 0], angular_velocity: [0, 0, 2]}\n",
                       NULL);
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    }
    double x[3];
    centre_of(&f, "crate", x);
    assert_near(sqrt(x[0] * x[0] + x[1] * x[1]), 0.5, 1e-3);
    assert_near(atan2(x[1], x[0]), joint(&f, "table/turn").position[0], 2e-3);
    flow_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_grasp), cmocka_unit_test(test_limit),
                                       cmocka_unit_test(test_pad), cmocka_unit_test(test_turntable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
