/* Robot files: what is in them arrives, with its meaning; frames of bodies are where the formats put them; what has no effect is
   told; allocations that fail. */
#include "faulty.h"

#include "base/os.h"
#include "linalg/dense.h"
#include "model/read/robot.h"

#define DATA BRN_SOURCE_DIR "/tests/data/robots/"

static brn_robot *read_robot(brn_ctx *ctx, const char *name)
{
    brn_robot *robot = NULL;
    assert_done(ctx, brn_robot_read(ctx, name, &robot));
    return robot;
}

static brn_robot *read_text(brn_ctx *ctx, const char *text)
{
    brn_robot *robot = NULL;
    assert_done(ctx, (strstr(text, "<robot") != NULL ? brn_read_urdf : brn_read_mjcf)(ctx, text, strlen(text),
                                                                                      "t", &robot));
    return robot;
}

static void assert_vector(const double *got, double x, double y, double z, double tolerance)
{
    assert_near(got[0], x, tolerance);
    assert_near(got[1], y, tolerance);
    assert_near(got[2], z, tolerance);
}

static void assert_warned(const brn_robot *robot, const char *const *words, int count)
{
    for (int i = 0; i < robot->nwarning && robot->nwarning != count; ++i) {
        print_error("%s\n", robot->warning[i]);
    }
    assert_int_equal(robot->nwarning, count);
    for (int i = 0; i < count; ++i) {
        if (strstr(robot->warning[i], words[i]) == NULL) {
            fail_msg("'%s' is not in '%s'", words[i], robot->warning[i]);
        }
    }
}

/* ---- URDF ------------------------------------------------------------------------------------------------------------------- */

static void check_arm_links(const brn_robot *robot)
{
    const int base = brn_robot_link_named(robot, "base"), upper = brn_robot_link_named(robot, "upper"),
              tip = brn_robot_link_named(robot, "tip"), wheel = brn_robot_link_named(robot, "wheel");
    assert_int_equal(robot->nlink, 4);
    assert_int_equal(base, 0);
    assert_int_equal(upper, 1);
    assert_true(robot->link[0].joint.kind == BRN_JOINT_FIXED && robot->link[0].joint.parent == -1);
    assert_true(robot->link[0].inertia.mass == 0.0);
    /* inertia turned by 90 degrees about y: x -> -z, z -> x */
    const brn_inertia *inertia = &robot->link[upper].inertia;
    assert_true(inertia->mass == 3.0);
    assert_vector(inertia->centre, 0.0, 0.0, 0.25, 0.0);
    assert_near(inertia->about[0], 0.025, 1e-16);
    assert_near(inertia->about[4], 0.02, 1e-16);
    assert_near(inertia->about[8], 0.01, 1e-16);
    assert_near(inertia->about[5], -0.001, 1e-16);

    const brn_joint *joint = &robot->link[upper].joint;
    assert_int_equal(brn_robot_joint_named(robot, "shoulder"), upper);
    assert_true(joint->kind == BRN_JOINT_REVOLUTE && joint->parent == base);
    assert_vector(joint->frame.origin, 1.0, 2.0, 3.0, 0.0);
    const double x[3] = {1.0, 0.0, 0.0};
    double turned[3];
    brn_rigid_map_apply(&joint->frame, x, turned);
    assert_vector(turned, 1.0, 3.0, 3.0, 1e-15);
    assert_vector(joint->axis, 0.0, 0.0, 2.0, 0.0);
    assert_true(joint->limit[0] == -1.5 && joint->limit[1] == 2.5 && joint->effort == 80.0 &&
                joint->velocity == 3.0 && joint->damping == 0.5 && joint->friction == 0.1);

    joint = &robot->link[tip].joint;
    assert_true(joint->kind == BRN_JOINT_PRISMATIC && joint->parent == upper);
    assert_vector(joint->axis, 1.0, 0.0, 0.0, 0.0);
    assert_true(joint->limit[0] == 0.0 && joint->limit[1] == 0.1);
    assert_int_equal(robot->part[tip].mimic, upper);
    assert_true(robot->part[tip].factor == -2.0 && robot->part[tip].offset == 0.25);
    joint = &robot->link[wheel].joint;
    assert_true(joint->kind == BRN_JOINT_REVOLUTE && isinf(joint->limit[0]) && isinf(joint->effort));
    assert_int_equal(robot->part[wheel].mimic, -1);
    assert_int_equal(robot->part[wheel].joint_line, 50);
}

static void check_arm_shapes(const brn_robot *robot)
{
    assert_int_equal(robot->nshape, 5);
    const brn_robot_shape *s = robot->shape; /* by links, collision first */
    assert_true(s[0].link == 0 && s[0].touches && !s[0].seen && s[0].primitive.kind == BRN_PRIMITIVE_BOX);
    assert_vector(s[0].primitive.size, 0.1, 0.2, 0.05, 0.0);
    assert_true(!s[1].touches && s[1].seen && s[1].primitive.kind == BRN_PRIMITIVE_NONE);
    assert_string_equal(s[1].mesh, "package://arm/base.stl");
    assert_vector(s[1].scale, 0.001, 0.001, -0.001, 0.0);
    assert_vector(s[1].frame.origin, 0.0, 0.0, 0.1, 0.0);
    assert_vector(s[1].color, 0.0, 0.0, 1.0, 0.0);
    assert_true(s[1].color[3] == 0.5);
    assert_true(s[2].primitive.kind == BRN_PRIMITIVE_CYLINDER && s[2].primitive.size[1] == 0.25);
    /* R = Rz(0.3) Ry(0.2) Rx(0.1): its last row has no yaw in it */
    assert_vector(&s[2].frame.rotation[6], -sin(0.2), cos(0.2) * sin(0.1), cos(0.2) * cos(0.1), 1e-15);
    assert_near(s[2].frame.rotation[0], cos(0.3) * cos(0.2), 1e-15);
    assert_true(s[3].primitive.kind == BRN_PRIMITIVE_CAPSULE && s[3].color[0] == 1.0);
    assert_true(s[4].primitive.kind == BRN_PRIMITIVE_SPHERE && s[4].primitive.size[0] == 0.02);
    assert_string_equal(s[4].name, "pad");
}

static void test_urdf(void **state)
{
    (void)state;
    static const char *const words[] = {"arm.urdf:42: <safety_controller> in <joint> has no effect",
                                        "arm.urdf:55: <gazebo> in <robot> has no effect (2 times)"};
    brn_ctx *ctx = test_ctx(1);
    brn_robot *robot = read_robot(ctx, DATA "arm.urdf");
    brn_tree *tree = NULL;
    assert_string_equal(robot->name, "arm");
    check_arm_links(robot);
    check_arm_shapes(robot);
    assert_warned(robot, words, 2);
    assert_done(ctx, brn_tree_create(ctx, robot->link, robot->nlink, &tree));
    assert_int_equal(tree->nv, 3);
    brn_tree_destroy(tree);
    brn_robot_destroy(robot);
    brn_robot_destroy(NULL);
    brn_ctx_destroy(ctx);
}

/* ---- MJCF ------------------------------------------------------------------------------------------------------------------- */

static void check_walker_joints(const brn_robot *robot)
{
    const int torso = brn_robot_link_named(robot, "torso"), hip_y = brn_robot_joint_named(robot, "hip_y"),
              thigh = brn_robot_link_named(robot, "thigh"), shin = brn_robot_link_named(robot, "shin"),
              ball = brn_robot_link_named(robot, "ball");
    assert_int_equal(robot->nlink, 5);
    assert_true(torso == 0 && hip_y == 1 && thigh == 2 && shin == 3 && ball == 4);
    assert_true(robot->link[torso].joint.kind == BRN_JOINT_FLOATING &&
                robot->link[torso].joint.armature == 0.0);
    assert_vector(robot->link[torso].joint.frame.origin, 0.0, 0.0, 1.5, 0.0);
    assert_true(robot->link[torso].inertia.mass == 10.0 && robot->link[torso].inertia.centre[2] == 0.1);
    /* a body with two joints: a link without matter, then the one that has it */
    const brn_joint *joint = &robot->link[hip_y].joint;
    assert_true(joint->parent == torso && robot->link[hip_y].inertia.mass == 0.0);
    assert_vector(joint->frame.origin, 0.0, 0.2, -0.2, 1e-16);
    assert_vector(joint->axis, 0.0, 1.0, 0.0, 0.0);
    assert_true(joint->damping == 2.0 && joint->armature == 0.01);
    assert_near(joint->limit[0], -M_PI / 6.0, 1e-16);
    assert_near(joint->limit[1], M_PI / 3.0, 1e-15);
    joint = &robot->link[thigh].joint;
    assert_true(joint->parent == hip_y);
    assert_vector(joint->frame.origin, 0.0, 0.0, -0.05, 1e-16);
    assert_near(joint->limit[0], -15.0 * M_PI / 180.0, 1e-16);
    assert_near(joint->limit[1], 5.0 * M_PI / 180.0, 1e-16);
    assert_near(robot->part[thigh].reference, 5.0 * M_PI / 180.0, 1e-16);
    assert_vector(robot->part[thigh].origin, 0.0, 0.0, -0.05, 0.0);
    joint = &robot->link[shin].joint;
    assert_true(joint->parent == thigh && joint->damping == 1.0 && joint->friction == 0.2 &&
                isinf(joint->limit[1]));
    assert_vector(joint->frame.origin, 0.0, 0.0, -0.45, 1e-16);
    joint = &robot->link[ball].joint;
    assert_true(joint->parent == -1 && joint->kind == BRN_JOINT_BALL);
    assert_near(joint->frame.rotation[0], -1.0, 0.0); /* half a turn about z */
}

/* Shapes and the matter that they give. */
static void check_walker_shapes(const brn_robot *robot)
{
    const brn_robot_shape *s = robot->shape;
    assert_int_equal(robot->nshape, 7);
    assert_true(s[0].link == -1 && s[0].primitive.kind == BRN_PRIMITIVE_PLANE && s[0].touches);
    assert_true(s[1].link == 0 && s[1].primitive.kind == BRN_PRIMITIVE_BOX && s[1].color[0] == 0.2);
    assert_true(!s[2].touches && s[2].seen && !s[2].weighs && s[2].scale[0] == 0.5);
    assert_string_equal(s[2].mesh, "parts/shell.stl");
    /* the thigh's frame stands 0.05 below the origin of its link */
    assert_true(s[3].link == 2 && s[3].primitive.kind == BRN_PRIMITIVE_CAPSULE &&
                s[3].primitive.size[0] == 0.05);
    assert_near(s[3].primitive.size[1], 0.2, 1e-16);
    assert_vector(s[3].frame.origin, 0.0, 0.0, -0.25, 1e-16);
    assert_near(robot->link[2].inertia.mass, 500.0 * M_PI * 0.0025 * (0.4 + 4.0 / 3.0 * 0.05), 1e-13);
    assert_vector(robot->link[2].inertia.centre, 0.0, 0.0, -0.25, 1e-15);
    const double foot = 500.0 * 4.0 / 3.0 * M_PI * 0.06 * 0.06 * 0.06;
    assert_true(s[5].primitive.kind == BRN_PRIMITIVE_SPHERE && s[5].friction == 0.8 &&
                s[5].primitive.size[0] == 0.06);
    assert_near(robot->link[3].inertia.mass, 2.0 + foot, 1e-14);
    assert_near(robot->link[3].inertia.centre[2], -(2.0 * 0.2 + foot * 0.4) / (2.0 + foot), 1e-15);
}

static void check_walker_rest(const brn_robot *robot)
{
    const brn_robot_drive *d = robot->drive;
    assert_int_equal(robot->ndrive, 3);
    assert_true(d[0].kind == BRN_DRIVE_MOTOR && d[0].link == 1 && d[0].gear == 20.0 &&
                d[0].control[1] == 1.0 && isinf(d[0].force[0]));
    assert_true(d[1].kind == BRN_DRIVE_POSITION && d[1].stiffness == 50.0 && d[1].damping == 3.0 &&
                d[1].force[0] == -30.0 && isinf(d[1].control[0]));
    assert_true(d[2].kind == BRN_DRIVE_VELOCITY && d[2].link == 2 && d[2].damping == 1.0);
    const brn_robot_equality *e = robot->equality;
    assert_int_equal(robot->nequality, 3);
    assert_true(e[0].kind == BRN_EQUALITY_WELD && !e[0].active && e[0].placed && e[0].link[0] == 0 &&
                e[0].link[1] == 4);
    assert_true(e[0].frame.origin[0] == 1.0 && e[0].frame.rotation[0] == -1.0);
    assert_true(e[1].kind == BRN_EQUALITY_CONNECT && e[1].active && e[1].link[0] == 3 && e[1].link[1] == -1);
    assert_true(e[1].anchor[2] == -0.4);
    assert_true(e[2].kind == BRN_EQUALITY_JOINT && e[2].link[0] == 1 && e[2].link[1] == 3 &&
                e[2].poly[0] == 0.1 && e[2].poly[1] == -0.5 && e[2].poly[2] == 0.0);
    assert_int_equal(robot->nexclude, 1);
    assert_true(robot->exclude[0][0] == 0 && robot->exclude[0][1] == 2);
}

static void test_mjcf(void **state)
{
    (void)state;
    static const char *const words[] = {"walker.xml:3: <option> in <mujoco>",
                                        "'group' of <geom>",
                                        "<texture> in <asset>",
                                        "<light> in <worldbody>",
                                        "<site> in <body>",
                                        "<general> in <actuator>"};
    brn_ctx *ctx = test_ctx(1);
    brn_robot *robot = read_robot(ctx, DATA "walker.xml");
    brn_tree *tree = NULL;
    assert_string_equal(robot->name, "walker");
    check_walker_joints(robot);
    check_walker_shapes(robot);
    check_walker_rest(robot);
    assert_warned(robot, words, 6);
    assert_done(ctx, brn_tree_create(ctx, robot->link, robot->nlink, &tree));
    assert_int_equal(tree->nv, 6 + 3 + 3);
    brn_tree_destroy(tree);
    brn_robot_destroy(robot);
    brn_ctx_destroy(ctx);
}

/* Bodies at rest are where the file puts their frames, whatever their joints; the five forms of a rotation agree. */
static void test_frames(void **state)
{
    (void)state;
    static const char *const forms[] = {"quat=\"0.5 0.5 0.5 0.5\"", "axisangle=\"1 1 1 120\"",
                                        "xyaxes=\"0 2 0 0 1 3\"", "euler=\"90 0 90\"", "zaxis=\"1 0 0\""};
    brn_ctx *ctx = test_ctx(1);
    for (int form = 0; form < 5; ++form) {
        char text[1000];
        (void)snprintf(text, sizeof text,
                       "<mujoco><compiler eulerseq=\"%s\"/><worldbody><body name=\"a\" pos=\"1 2 3\" "
                       "%s><joint pos=\"0.3 0.1 0.2\"/>"
                       "<joint type=\"slide\" pos=\"5 5 5\"/><geom size=\"1\"/>"
                       "<body name=\"b\" pos=\"0 0 1\"><joint type=\"ball\" pos=\"1 1 1\"/><geom pos=\"0 0 "
                       "1\" size=\"1\"/></body>"
                       "</body></worldbody></mujoco>",
                       "XYZ", forms[form]);
        brn_robot *robot = read_text(ctx, text);
        brn_tree *tree = NULL;
        brn_tree_motion *motion = NULL;
        double q[16], x[3];
        assert_done(ctx, brn_tree_create(ctx, robot->link, robot->nlink, &tree));
        assert_done(ctx, brn_tree_motion_create(tree, &motion));
        brn_tree_rest(tree, q);
        brn_tree_place(tree, q, motion);
        brn_rigid_map_apply(&motion->place[1], robot->part[1].origin, x);
        assert_vector(x, 1.0, 2.0, 3.0, 1e-14);
        brn_rigid_map_apply(&motion->place[2], robot->part[2].origin, x);
        assert_vector(x, 2.0, 2.0, 3.0, 1e-14); /* z of the body points along x */
        brn_rigid_map_apply(&motion->place[2], robot->shape[1].frame.origin, x);
        assert_vector(x, 3.0, 2.0, 3.0, 1e-14);
        if (form < 4) { /* x -> y, y -> z */
            assert_near(motion->place[1].rotation[3], 1.0, 1e-14);
            assert_near(motion->place[1].rotation[7], 1.0, 1e-14);
        }
        brn_tree_motion_destroy(motion);
        brn_tree_destroy(tree);
        brn_robot_destroy(robot);
    }
    brn_ctx_destroy(ctx);
}

/* Inertia by geoms although it is given, not at all, or left to meshes. */
static void test_weighing(void **state)
{
    (void)state;
    static const char format[] = "<mujoco><compiler inertiafromgeom=\"%s\"/><asset><mesh "
                                 "file=\"a/b.c.stl\"/></asset><worldbody><body><joint armature=\"1\"/>"
                                 "<inertial pos=\"0 0 0\" mass=\"7\" diaginertia=\"1 1 1\"/><geom size=\"1\" "
                                 "mass=\"2\"/><geom mesh=\"b.c\"/>"
                                 "<geom size=\"1\" mass=\"0\"/></body></worldbody></mujoco>";
    static const struct {
        const char *word;
        double mass;
        bool open;
    } cases[] = {{"auto", 7.0, false}, {"true", 2.0, true}, {"false", 7.0, false}};
    brn_ctx *ctx = test_ctx(1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        char text[800];
        (void)snprintf(text, sizeof text, format, cases[c].word);
        brn_robot *robot = read_text(ctx, text);
        assert_near(robot->link[0].inertia.mass, cases[c].mass, 1e-15);
        assert_int_equal(robot->part[0].open, cases[c].open);
        assert_int_equal(robot->shape[1].weighs, cases[c].open);
        assert_string_equal(robot->shape[1].mesh, "a/b.c.stl");
        brn_robot_destroy(robot);
    }
    brn_ctx_destroy(ctx);
}

/* More kinds of leftovers than are told one by one. */
static void test_many_warnings(void **state)
{
    (void)state;
    char text[8000] = "<robot><link name=\"a\">\n";
    for (int i = 0; i < 150; ++i) {
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "<e%d/>\n", i);
    }
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), "words</link></robot>");
    brn_ctx *ctx = test_ctx(1);
    brn_robot *robot = read_text(ctx, text);
    assert_int_equal(robot->nwarning, BRN_XML_WARNINGS_MAX);
    assert_string_equal(robot->warning[0], "t:1: the text in <link> has no effect");
    assert_string_equal(robot->warning[1], "t:2: <e0> in <link> has no effect");
    assert_string_equal(robot->warning[99], "and 52 more elements and attributes have no effect");
    brn_robot_destroy(robot);
    brn_ctx_destroy(ctx);
}

static brn_status read_again(brn_ctx *ctx, void *path)
{
    brn_robot *robot = NULL;
    const brn_status status = brn_robot_read(ctx, path, &robot);
    brn_robot_destroy(robot);
    return status;
}

static void test_allocations(void **state)
{
    (void)state;
    static char arm[] = DATA "arm.urdf", walker[] = DATA "walker.xml";
    assert_true(faulty_run(read_again, arm, 0) > 10);
    assert_true(faulty_run(read_again, walker, 0) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_urdf),          cmocka_unit_test(test_mjcf),
        cmocka_unit_test(test_frames),        cmocka_unit_test(test_weighing),
        cmocka_unit_test(test_many_warnings), cmocka_unit_test(test_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
