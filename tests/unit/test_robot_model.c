/* Robots in a scene: bodies, names, starts and drives, and what is refused. */
#include "flow.h"

#include "model/robot_model.h"
#include "step/sim.h"

#include <stdio.h>

static const char arm[] =
    "<robot name=\"arm\">\n"
    "<link name=\"base\"><inertial><mass value=\"5\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" "
    "ixz=\"0\" iyz=\"0\"/></inertial>\n"
    "<collision><geometry><cylinder radius=\"0.1\" length=\"0.1\"/></geometry></collision></link>\n"
    "<link name=\"upper\"><inertial><origin xyz=\"0 0 0.2\"/><mass value=\"2\"/>"
    "<inertia ixx=\"0.02\" iyy=\"0.02\" izz=\"0.005\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>\n"
    "<collision><origin xyz=\"0 0 0.2\"/><geometry><box size=\"0.05 0.05 0.4\"/></geometry></collision>\n"
    "<collision><origin xyz=\"0 0 0.4\"/><geometry><sphere radius=\"0.04\"/></geometry></collision></link>\n"
    "<link name=\"plate\"><inertial><mass value=\"0.5\"/>"
    "<inertia ixx=\"0.001\" iyy=\"0.001\" izz=\"0.002\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n"
    "<link name=\"tool\"/>\n"
    "<link name=\"finger\"><inertial><mass value=\"0.1\"/>"
    "<inertia ixx=\"1e-4\" iyy=\"1e-4\" izz=\"1e-4\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>\n"
    "<visual><geometry><box size=\"0.01 0.02 0.1\"/></geometry></visual></link>\n"
    "<joint name=\"lift\" type=\"revolute\"><parent link=\"base\"/><child link=\"upper\"/><axis xyz=\"0 1 "
    "0\"/>"
    "<limit lower=\"-1\" upper=\"1\" effort=\"30\" velocity=\"3\"/></joint>\n"
    "<joint name=\"mount\" type=\"fixed\"><parent link=\"upper\"/><child link=\"plate\"/><origin xyz=\"0 0 "
    "0.45\"/></joint>\n"
    "<joint name=\"flange\" type=\"fixed\"><parent link=\"plate\"/><child link=\"tool\"/><origin xyz=\"0 0 "
    "0.05\"/></joint>\n"
    "<joint name=\"grip\" type=\"prismatic\"><parent link=\"tool\"/><child link=\"finger\"/><axis xyz=\"1 0 "
    "0\"/>"
    "<limit lower=\"0.01\" upper=\"0.05\" effort=\"10\" velocity=\"1\"/></joint>\n"
    "</robot>\n";

#define FILE_NAME "robot_model_arm.urdf"
#define HEAD      "brunt: 1\nmethod: {type: sap}\ntime: {step: 0.01, end: 0.1}\nbodies:\n"

static double body_mass(const brn_model *model, const char *name)
{
    brn_body_info info;
    const int body = brn_model_find_body(model, name);
    assert_true(body >= 0);
    assert_int_equal(brn_model_get_body(model, body, &info), BRN_OK);
    return info.mass;
}

/* What moves together shares its matter; what does not move is an obstacle; a link that is only seen touches nothing. */
static void test_bodies(void **state)
{
    (void)state;
    test_write_file(FILE_NAME, arm);
    flow f = flow_open(
        1,
        HEAD "  - {name: r, type: robot, file: " FILE_NAME
             ", position: [1, 2, 3], rotation: {axis: [0, 0, 1], "
             "degrees: 90},\n     joints: {lift: {position: 0.5, velocity: 2, kp: 100}, all: {kd: 3}}}\n"
             "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.1}}, position: [5, 5, 5]}\n",
        "");
    const brn_model *model = f.model;
    assert_int_equal(model->nbody, 5);
    assert_near(body_mass(model, "r/base"), 0.0, 0.0);
    assert_near(body_mass(model, "r/upper"), 1.25, 1e-12); /* half of 2 + 0.5 kg */
    assert_near(body_mass(model, "r/upper/2"), 1.25, 1e-12);
    assert_near(body_mass(model, "r/finger"), 0.1, 1e-12);
    const brn_robot_model *robot = model->robot[0];
    assert_int_equal(robot->cluster[2], 1); /* plate and tool go with the upper arm */
    assert_int_equal(robot->cluster[3], 1);
    /* neighbours and parts of one cluster do not touch; the ball does */
    assert_true(
        brn_model_apart(model, brn_model_find_body(model, "r/base"), brn_model_find_body(model, "r/upper")));
    assert_true(brn_model_apart(model, brn_model_find_body(model, "r/upper"),
                                brn_model_find_body(model, "r/upper/2")));
    assert_false(
        brn_model_apart(model, brn_model_find_body(model, "r/base"), brn_model_find_body(model, "r/finger")));
    assert_false(
        brn_model_apart(model, brn_model_find_body(model, "ball"), brn_model_find_body(model, "r/upper")));
    assert_int_equal(model->body[brn_model_find_body(model, "r/finger")].touch->nnode, 0);
    /* joints and drives */
    brn_joint_facts facts;
    brn_joint_state joint;
    brn_link_state link;
    assert_int_equal(brn_model_joint_count(model), 2);
    assert_done(f.ctx, brn_model_get_joint(model, brn_model_find_joint(model, "r/grip"), &facts));
    assert_string_equal(facts.kind, "prismatic");
    assert_string_equal(facts.unit, "m");
    assert_string_equal(facts.drive, "position");
    assert_near(facts.limit[1], 0.05, 0.0);
    assert_done(f.ctx, brn_sim_get_joint(f.sim, brn_model_find_joint(model, "r/grip"), &joint));
    assert_near(joint.position[0], 0.01, 0.0); /* 0 is outside of its limits */
    assert_near(joint.target, 0.01, 0.0);
    assert_done(f.ctx, brn_sim_get_joint(f.sim, brn_model_find_joint(model, "r/lift"), &joint));
    assert_near(joint.position[0], 0.5, 0.0);
    assert_near(joint.velocity[0], 2.0, 0.0);
    /* the tool is 0.5 m along the arm, which leans towards the robot's x: the world's y */
    assert_done(f.ctx, brn_sim_get_link(f.sim, brn_model_find_link(model, "r/tool"), &link));
    assert_near(link.position[0], 1.0, 1e-12);
    assert_near(link.position[1], 2.0 + 0.5 * sin(0.5), 1e-12);
    assert_near(link.position[2], 3.0 + 0.5 * cos(0.5), 1e-12);
    assert_near(link.velocity[1], 2.0 * 0.5 * cos(0.5), 1e-12);
    assert_near(link.angular_velocity[0], -2.0, 1e-12);
    assert_int_equal(brn_model_find_link(model, "r/none"), -1);
    assert_int_equal(brn_model_find_joint(model, "lift"), -1);
    assert_null(brn_model_link_name(model, 99));
    assert_int_equal(brn_sim_get_link(f.sim, -1, &link), BRN_ERR_RANGE);
    assert_int_equal(brn_sim_get_joint(f.sim, 2, &joint), BRN_ERR_RANGE);
    assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    flow_close(&f);
    (void)remove(FILE_NAME);
}

/* Copies have bodies and names of their own, and do not touch themselves as the first does not. */
static void test_copies(void **state)
{
    (void)state;
    test_write_file(FILE_NAME, arm);
    flow f = flow_open(1,
                       HEAD "  - {name: r, type: robot, file: " FILE_NAME
                            ", repeat: {count: [3], spacing: [2, 0, 0]}}\n"
                            "contact: {pairs: [{between: [r_0/finger, r_2], touch: false}]}\n",
                       "");
    assert_int_equal(f.model->nrobot, 3);
    assert_int_equal(f.model->nbody, 12);
    assert_true(brn_model_find_body(f.model, "r_2/upper/2") >= 0);
    assert_true(brn_model_find_joint(f.model, "r_1/grip") == 3);
    const int finger = brn_model_find_body(f.model, "r_0/finger");
    assert_true(brn_model_apart(f.model, finger, brn_model_find_body(f.model, "r_2/base")));
    assert_false(brn_model_apart(f.model, finger, brn_model_find_body(f.model, "r_1/base")));
    for (int n = 0; n < 3; ++n) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    }
    flow_close(&f);
    (void)remove(FILE_NAME);
}

/* What is wrong is told with the place and the remedy. */
static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *scene, *says;
    } cases[] = {
        {HEAD "  - {name: r, type: robot, file: none.urdf}\n", "none.urdf"},
        {HEAD "  - {name: r, type: robot, file: " FILE_NAME ", joints: {lyft: {position: 0}}}\n",
         "did you mean 'lift'"},
        {HEAD "  - {name: r, type: robot, file: " FILE_NAME ", joints: {lift: {position: 2}}}\n",
         "outside of the limits"},
        {HEAD "  - {name: r, type: robot, file: " FILE_NAME ", joints: {lift: {table: [[0, 1], [0, 2]]}}}\n",
         "times must rise"},
        {HEAD "  - {name: r, type: robot, file: " FILE_NAME
              ", joints: {lift: {target: 1, table: [[0, 1]]}}}\n",
         "keep one"},
        {HEAD "  - {name: r, type: robot, file: " FILE_NAME
              ", mesh: m}\nmeshes: {m: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\n",
         "from its file"},
        {"brunt: 1\ndimension: 2\nmethod: {type: sap}\ntime: {step: 0.01, end: 1}\nbodies:\n  - {name: r, "
         "type: robot, "
         "file: " FILE_NAME "}\n",
         "3D"},
        {"brunt: 1\nmethod: {type: ipc}\ntime: {step: 0.01, end: 1}\nbodies:\n  - {name: r, type: robot, "
         "file: " FILE_NAME "}\n",
         "sap"},
        {HEAD "  - {name: r, type: robot, file: " FILE_NAME
              "}\ncontact: {pairs: [{between: [r/nothing, r], friction: 1}]}\n",
         "no such link"},
        {HEAD "  - {name: r, type: robot, file: " FILE_NAME
              "}\ncontact: {pairs: [{between: [q/upper, r], friction: 1}]}\n",
         "no such body"},
    };
    test_write_file(FILE_NAME, arm);
    for (int k = 0; k < BRN_COUNT(cases); ++k) {
        flow f;
        assert_true(flow_try(1, cases[k].scene, "", &f) < 0);
        bool told = strstr(brn_ctx_message(f.ctx), cases[k].says) != NULL;
        for (int i = 0; f.scene != NULL && i < brn_scene_problem_count(f.scene); ++i) {
            told = told || strstr(brn_scene_problem(f.scene, i), cases[k].says) != NULL;
        }
        if (!told) {
            print_error("case %d: '%s' is not in: %s\n", k, cases[k].says, brn_ctx_message(f.ctx));
        }
        assert_true(told);
        flow_close(&f);
    }
    /* a moving link with a shape but no mass; a mesh that is not there: with the line of the file */
    test_write_file(
        FILE_NAME,
        "<robot name=\"x\"><link name=\"a\"/><link name=\"b\">\n<collision><geometry><sphere "
        "radius=\"1\"/></geometry></collision>"
        "</link><link name=\"c\"><inertial><mass value=\"1\"/>"
        "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
        "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>"
        "<joint name=\"k\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/></joint></robot>");
    flow f;
    assert_true(flow_try(1, HEAD "  - {name: r, type: robot, file: " FILE_NAME "}\n", "", &f) < 0);
    assert_non_null(strstr(brn_ctx_message(f.ctx), FILE_NAME ":2"));
    assert_non_null(strstr(brn_ctx_message(f.ctx), "no mass"));
    flow_close(&f);
    test_write_file(FILE_NAME, "<robot name=\"x\"><link name=\"a\">\n<collision><geometry><mesh "
                               "filename=\"package://p/q/none.stl\"/></geometry></collision>"
                               "</link></robot>");
    assert_true(flow_try(1, HEAD "  - {name: r, type: robot, file: " FILE_NAME "}\n", "", &f) < 0);
    assert_non_null(strstr(brn_ctx_message(f.ctx), FILE_NAME ":2"));
    assert_non_null(strstr(brn_ctx_message(f.ctx), "none.stl"));
    flow_close(&f);
    (void)remove(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
