/* Robot files that are wrong: each is refused with file, line, what was found and what to do. */
#include "test.h"

#include "model/read/robot.h"

typedef struct wrong {
    const char *text;
    const char *message; /* from the line's number on */
} wrong;

static void refuse_all(const wrong *cases, size_t count, bool urdf)
{
    brn_ctx *ctx = test_ctx(1);
    for (size_t i = 0; i < count; ++i) {
        const size_t length = strlen(cases[i].text);
        char *copy = malloc(
            length > 0 ? length : 1); /* of this size: the address sanitizer sees a read past the end */
        char want[1000];
        brn_robot *robot = NULL;
        assert_non_null(copy);
        memcpy(copy, cases[i].text, length);
        const brn_status status = (urdf ? brn_read_urdf : brn_read_mjcf)(ctx, copy, length, "r.xml", &robot);
        free(copy);
        (void)snprintf(want, sizeof want, "r.xml:%s", cases[i].message);
        if (status != BRN_ERR_FORMAT || strcmp(brn_ctx_message(ctx), want) != 0) {
            fail_msg("case %zu: %s: %s\nwanted: %s", i, brn_status_name(status),
                     status < 0 ? brn_ctx_message(ctx) : "it was read", want);
        }
        assert_null(robot);
    }
    brn_ctx_destroy(ctx);
}

#define REFUSE(cases, urdf) refuse_all((cases), sizeof(cases) / sizeof *(cases), (urdf))

/* ---- XML -------------------------------------------------------------------------------------------------------------------- */

static void test_xml(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"", "1: not well-formed XML: no element found"},
        {"<robot>", "1: not well-formed XML: no element found"},
        {"<robot>\n<link></robot>", "2: not well-formed XML: mismatched tag"},
        {"<robot a=\"1\" a=\"2\"/>", "1: not well-formed XML: duplicate attribute"},
        {"<robot>&lol;</robot>", "1: not well-formed XML: undefined entity"},
        {"<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [<!ENTITY a \"b\">]>\n<robot/>",
         "2: a document type (<!DOCTYPE>) is refused, and entities with it: take it out"},
        {"<!DOCTYPE robot SYSTEM \"http://x/y\">\n<robot/>",
         "1: a document type (<!DOCTYPE>) is refused, and entities with it: take it out"},
        {"<?xml version=\"1.0\" encoding=\"klingon\"?><robot/>", "1: not well-formed XML: unknown encoding"},
        {"<mujoco/>", "1: <mujoco>: a URDF file begins with <robot>"},
        {"<robot/>", "1: <robot>: has no <link>"},
    };
    REFUSE(cases, true);
}

/* Too deep, too many, too large: refused without the memory that they would take. */
static void test_limits(void **state)
{
    (void)state;
    enum { SIZE = 2000000 };
    brn_ctx *ctx = test_ctx(1);
    brn_robot *robot = NULL;
    char *text = malloc(SIZE);
    assert_non_null(text);
    for (int i = 0; i < 201; ++i) {
        memcpy(text + 3 * i, "<a>", 3);
    }
    assert_int_equal(brn_read_urdf(ctx, text, 603, "r", &robot), BRN_ERR_FORMAT);
    assert_string_equal(brn_ctx_message(ctx),
                        "r:1: elements stand in each other 200 deep: more are not read");
    size_t at = (size_t)snprintf(text, SIZE, "<robot>");
    for (int i = 0; i < BRN_XML_ELEMENTS_MAX; ++i) {
        memcpy(text + at, "<a/>\n", 5);
        at += 5;
    }
    assert_int_equal(brn_read_urdf(ctx, text, at, "r", &robot), BRN_ERR_FORMAT);
    assert_string_equal(brn_ctx_message(ctx), "r:200000: more than 200000 elements: more are not read");
    at = (size_t)snprintf(text, SIZE, "<robot");
    for (int i = 0; i < 201; ++i) {
        at += (size_t)snprintf(text + at, SIZE - at, " a%d=''", i);
    }
    at += (size_t)snprintf(text + at, SIZE - at, "/>");
    assert_int_equal(brn_read_urdf(ctx, text, at, "r", &robot), BRN_ERR_FORMAT);
    assert_string_equal(brn_ctx_message(ctx),
                        "r:1: more than 200 attributes of one element: more are not read");
    at = (size_t)snprintf(text, SIZE, "<robot>");
    for (int i = 0; i <= BRN_ROBOT_LINKS_MAX; ++i) {
        at += (size_t)snprintf(text + at, SIZE - at, "\n<link name='%d'/>", i);
    }
    at += (size_t)snprintf(text + at, SIZE - at, "</robot>");
    assert_int_equal(brn_read_urdf(ctx, text, at, "r", &robot), BRN_ERR_FORMAT);
    assert_string_equal(brn_ctx_message(ctx),
                        "r:4002: <link name=\"4000\">: more than 4000 of them: more are not read");
    assert_null(robot);
    free(text);
    brn_ctx_destroy(ctx);
}

/* ---- URDF ------------------------------------------------------------------------------------------------------------------- */

#define MASS \
 "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"
#define A               "<robot>\n<link name='a'>" MASS "</link>\n"
#define AB              A "<link name='b'>" MASS "</link>\n"
#define ENDS            "<parent link='a'/><child link='b'/>"
#define J(type, inner)  AB "<joint name='j' type='" type "'>" ENDS "\n" inner "</joint></robot>"
#define INERTIAL(inner) "<robot><link name='a'><inertial>\n" inner "</inertial></link></robot>"
#define SHAPE(inner) \
 "<robot><link name='a'><collision><geometry>\n" inner "</geometry></collision></link></robot>"

static void test_urdf_trees(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"<robot><link/></robot>", "1: <link>: the attribute 'name' is missing"},
        {"<robot><link name=''/></robot>", "1: <link name=\"\">: the attribute 'name' must not be empty"},
        {A "<link name='a'/></robot>",
         "3: <link name=\"a\">: the name is taken by the link on line 2: rename one"},
        {AB "</robot>",
         "3: <link name=\"b\">: is the child of no joint, and neither is link 'a' (line 2): only one link "
         "may be the root; join the others to it"},
        {AB "<joint name='j' type='fixed'>\n<parent link='a'/>\n<child link='c'/></joint></robot>",
         "6: <child>: there is no link 'c'"},
        {AB "<joint name='j' type='fixed'>\n<parent link='b'/></joint></robot>",
         "4: <joint name=\"j\">: has no <child>"},
        {AB "<joint name='j' type='fixed'>\n<parent/><child link='b'/></joint></robot>",
         "5: <parent>: the attribute 'link' is missing"},
        {AB "<joint name='j' type='fixed'><parent link='b'/><child link='b'/></joint></robot>",
         "4: <joint name=\"j\">: parent and child are the same link 'b'"},
        {AB "<joint name='j' type='fixed'>" ENDS "</joint>\n<joint name='k' type='fixed'>" ENDS
            "</joint></robot>",
         "5: <joint name=\"k\">: link 'b' is already the child of joint 'j' (line 4): the links must be a "
         "tree"},
        {AB "<joint name='j' type='fixed'>" ENDS "</joint>\n"
            "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
         "2: <link name=\"a\">: the links are joined in a loop: one must be the child of no joint"},
        {AB "<link name='c'/><joint name='j' type='fixed'>" ENDS "</joint>\n"
            "<link name='d'/><joint name='k' type='fixed'><parent link='c'/><child link='d'/></joint>\n"
            "<joint name='l' type='fixed'><parent link='d'/><child link='c'/></joint></robot>",
         "6: <joint name=\"l\">: link 'c' hangs on itself: the links from it upwards are joined in a loop"},
        {AB "<joint name='j'>" ENDS "</joint></robot>",
         "4: <joint name=\"j\">: the attribute 'type' is missing"},
        {J("revolut", ""),
         "4: <joint name=\"j\">: type=\"revolut\": must be one of revolute, continuous, prismatic, fixed, "
         "floating, planar; did you mean 'revolute'?"},
        {"<robot>\n<xacro:macro name='m'/></robot>",
         "2: <xacro:macro name=\"m\">: this is a xacro file: expand it first (xacro in.xacro > out.urdf)"},
        {"<robot><link name='a'/><link name='b'/>\n<joint name='j' type='floating'>" ENDS "</joint></robot>",
         "2: joint 'j': nothing that it moves has mass: give link 'b' inertia, or make the joint fixed"},
    };
    REFUSE(cases, true);
}

static void test_urdf_joints(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {J("revolute", ""),
         "4: <joint name=\"j\">: has no <limit lower=... upper=... effort=... velocity=...>; a joint that "
         "turns without end is of type continuous"},
        {J("revolute", "<limit lower='1' upper='-1'/>"),
         "5: <limit>: lower=1 is above upper=-1: exchange them"},
        {J("prismatic", "<limit upper='-1'/>"), "5: <limit>: lower=0 is above upper=-1: exchange them"},
        {J("revolute", "<limit effort='-1'/>"), "5: <limit>: effort and velocity must be >= 0"},
        {J("revolute", "<limit upper='1m'/>"), "5: <limit>: upper=\"1m\": '1m' is not a finite number"},
        {J("revolute", "<limit upper='nan'/>"), "5: <limit>: upper=\"nan\": 'nan' is not a finite number"},
        {J("revolute", "<limit upper='1e999'/>"),
         "5: <limit>: upper=\"1e999\": '1e999' is not a finite number"},
        {J("revolute", "<limit upper=''/>"), "5: <limit>: upper=\"\": needs 1 number, found 0"},
        {J("continuous", "<axis xyz='0 0 0'/>"), "5: <axis>: the axis is zero: give it a direction"},
        {J("continuous", "<axis xyz='1 0'/>"), "5: <axis>: xyz=\"1 0\": needs 3 numbers, found 2"},
        {J("continuous", "<origin rpy='1 0 0 0'/>"),
         "5: <origin>: rpy=\"1 0 0 0\": needs 3 numbers, found at least 4"},
        {J("continuous", "<axis/>\n<axis/>"),
         "4: <joint name=\"j\">: has two <axis>, on lines 5 and 6: keep one"},
        {J("continuous", "<dynamics damping='-1'/>"), "5: <dynamics>: damping and friction must be >= 0"},
        {J("continuous", "<mimic/>"), "5: <mimic>: the attribute 'joint' is missing"},
        {J("continuous", "<mimic joint='k'/>"), "5: <mimic>: there is no joint 'k' to follow"},
        {J("floating", "<mimic joint='j'/>"),
         "5: <mimic>: joint 'j' cannot follow 'j': both must be revolute, continuous or prismatic"},
        {J("continuous", "<mimic joint='j'/>"),
         "4: <joint name=\"j\">: <mimic> leads back to the joint itself: one of the loop "
         "must not follow another"},
        {AB "<link name='c'>" MASS "</link><joint name='j' type='continuous'>" ENDS
            "<mimic joint='k'/></joint>\n"
            "<joint name='k' type='continuous'><parent link='b'/><child link='c'/><mimic "
            "joint='j'/></joint></robot>",
         "4: <joint name=\"j\">: <mimic> leads back to the joint itself: one of the loop must not follow "
         "another"},
    };
    REFUSE(cases, true);
}

static void test_urdf_links(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {INERTIAL(""), "1: <inertial>: has no <mass>"},
        {INERTIAL("<mass/>"), "2: <mass>: the attribute 'value' is missing"},
        {INERTIAL("<mass value='1'/>"), "1: <inertial>: has no <inertia>"},
        {INERTIAL("<mass value='1'/><inertia/>"), "2: <inertia>: the attribute 'ixx' is missing"},
        {INERTIAL("<mass value='-1'/>\n<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"),
         "2: <mass>: mass is -1 kg: must be > 0"},
        {INERTIAL("<mass value='0'/>\n<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/>"),
         "2: <mass>: mass is 0 kg: must be > 0"},
        {INERTIAL("<mass value='1'/>\n<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='3'/>"),
         "3: <inertia>: principal moments of inertia are 1, 1, 3 kg m^2: the largest exceeds the sum of the "
         "others, which no "
         "body can; give moments about the centre of mass"},
        {INERTIAL("<mass value='1'/>\n<inertia ixx='1' ixy='2' ixz='0' iyy='1' iyz='0' izz='1'/>"),
         "3: <inertia>: principal moments of inertia are -1, 1, 3 kg m^2: all must be > 0"},
        {SHAPE(""), "1: <geometry>: needs one of <box>, <cylinder>, <sphere>, <capsule>, <mesh>"},
        {SHAPE("<box size='1 1 1'/><sphere radius='1'/>"),
         "1: <geometry>: has two shapes: give each its own <visual> or <collision>"},
        {SHAPE("<box size='1 1 0'/>"), "2: <box>: size=\"1 1 0\": must be > 0 m"},
        {SHAPE("<sphere radius='-1'/>"), "2: <sphere>: radius=\"-1\": must be > 0 m"},
        {SHAPE("<cylinder radius='1'/>"), "2: <cylinder>: the attribute 'length' is missing"},
        {SHAPE("<mesh/>"), "2: <mesh>: the attribute 'filename' is missing"},
        {SHAPE("<mesh filename='a.stl' scale='1 0 1'/>"),
         "2: <mesh>: scale has a 0: a mesh needs an extent in every direction"},
        {SHAPE("<mesh filename='a.stl' scale='1 1'/>"), "2: <mesh>: scale: needs 1 number or 3, found 2"},
        {"<robot><link name='a'>\n<visual name='v'/></link></robot>",
         "2: <visual name=\"v\">: has no <geometry>"},
    };
    REFUSE(cases, true);
}

/* ---- MJCF ------------------------------------------------------------------------------------------------------------------- */

#define W(inner)  "<mujoco>\n<worldbody>" inner "</worldbody></mujoco>"
#define B(inner)  W("<body name='b'>\n" inner "</body>")
#define BG(inner) B("<geom size='1'/>\n" inner)
#define TAIL(tail)                                                            \
 "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='1'/></body>" \
 "<body name='f'><freejoint name='free'/><geom size='1'/></body></worldbody>\n" tail "</mujoco>"

static void test_mjcf_bodies(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {"<robot/>", "1: <robot>: a robot file begins with <robot> (URDF) or <mujoco> (MJCF)"},
        {"<mujoco/>", "1: <mujoco>: has no <body> in a <worldbody>"},
        {"<mujoco>\n<include file='x'/></mujoco>",
         "2: <include>: is not read: write what it stands for into this file"},
        {B("<joint/>"),
         "3: joint '': nothing that it moves has mass: give link 'b' inertia, or make the joint fixed"},
        {BG("<joint type='hing'/>"),
         "4: <joint>: type=\"hing\": must be one of hinge, slide, ball, free; did you mean 'hinge'?"},
        {BG("<joint axis='0 0 0'/>"), "4: <joint>: the axis is zero: give it a direction"},
        {BG("<joint range='1 -1'/>"), "4: <joint>: range=\"1 -1\": the lower comes first"},
        {BG("<joint limited='true'/>"), "4: <joint>: limited=\"true\", but there is no range: give it"},
        {BG("<joint limited='maybe'/>"), "4: <joint>: limited=\"maybe\": must be one of false, true, auto"},
        {BG("<joint damping='-1'/>"),
         "4: <joint>: damping, frictionloss, armature and stiffness must be >= 0"},
        {BG("<joint/><freejoint/>"),
         "4: <freejoint>: a free joint must be the only one of a body of the <worldbody>"},
        {BG("<freejoint/><joint/>"), "4: <joint>: the body has a free joint already: it moves freely"},
        {BG("<body><freejoint/></body>"),
         "4: <freejoint>: a free joint must be the only one of a body of the <worldbody>"},
        {BG("<joint class='c'/>"), "4: <joint>: class=\"c\": there is no <default> of that class"},
        {BG("<body name='b'/>"), "4: 'b' is the name of two links (the other is on line 2): rename one"},
        {BG("<joint name='j'/><body><geom size='1'/>\n<joint name='j'/></body>"),
         "5: 'j' is the name of two joints (the other is on line 4): rename one"},
        {B("<inertial mass='1' diaginertia='1 1 1'/>"), "3: <inertial>: the attribute 'pos' is missing"},
        {B("<inertial pos='0 0 0' mass='1'/>"), "3: <inertial>: needs diaginertia or fullinertia"},
        {B("<inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/>"),
         "3: <inertial>: mass is -1 kg: must be > 0"},
        {B("<inertial pos='0 0 0' mass='1' diaginertia='1 1 5'/>"),
         "3: <inertial>: principal moments of inertia are 1, 1, 5 kg m^2: the largest exceeds the sum of the "
         "others, which no "
         "body can; give moments about the centre of mass"},
        {"<mujoco>\n<compiler autolimits='false'/>\n<worldbody><body><joint range='0 "
         "1'/></body></worldbody></mujoco>",
         "3: <joint>: range is given without limited, and the compiler's autolimits is false: say "
         "limited=\"true\" or "
         "\"false\""},
        {"<mujoco>\n<compiler eulerseq='xyw'/></mujoco>",
         "2: <compiler>: eulerseq=\"xyw\": must be three of x, y, z, X, Y, Z"},
        {"<mujoco>\n<compiler coordinate='global'/></mujoco>",
         "2: <compiler>: coordinate=\"global\": must be local"},
        {"<mujoco>\n<default>\n<default/></default></mujoco>",
         "3: <default>: the attribute 'class' is missing: only the outermost may do without"},
        {"<mujoco>\n<default>\n<default class='a'/><default class='a'/></default></mujoco>",
         "3: <default>: class 'a' is there already: rename one"},
        {"<mujoco>\n<default>\n<joint "
         "damping='x'/></default>\n<worldbody><body><joint/></body></worldbody></mujoco>",
         "3: <joint>: damping=\"x\": 'x' is not a finite number"},
    };
    REFUSE(cases, false);
}

static void test_mjcf_geoms(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {B("<geom/>"), "3: <geom>: size: needs 1 number, found 0"},
        {B("<geom type='box' size='1 1'/>"), "3: <geom>: size: needs 3 numbers, found 2"},
        {B("<geom size='-1'/>"), "3: <geom>: size: -1: must be > 0 m"},
        {B("<geom size='1' mass='-1'/>"), "3: <geom>: mass and density must be >= 0"},
        {B("<geom size='1' friction='-1'/>"), "3: <geom>: friction: -1: must be >= 0"},
        {B("<geom size='1' quat='0 0 0 0'/>"), "3: <geom>: quat gives no direction"},
        {B("<geom size='1' zaxis='0 0 0'/>"), "3: <geom>: zaxis gives no direction"},
        {B("<geom size='1' xyaxes='1 0 0 2 0 0'/>"), "3: <geom>: xyaxes gives no direction"},
        {B("<geom size='1' axisangle='0 0 0 1'/>"), "3: <geom>: axisangle gives no direction"},
        {B("<geom size='1' quat='1 0 0 0' euler='0 0 0'/>"), "3: <geom>: has both quat and euler: keep one"},
        {B("<geom size='1' fromto='0 0 0 1 0 0'/>"),
         "3: <geom>: fromto is for capsules, cylinders and boxes"},
        {B("<geom type='capsule' size='1' fromto='1 0 0 1 0 0'/>"),
         "3: <geom>: fromto: both points are the same"},
        {B("<geom type='capsule' fromto='0 0 0 1 0 0'/>"),
         "3: <geom>: size: must be > 0 m: the radius, or half the width of a box"},
        {B("<geom type='ellipsoid' size='1 1 1'/>"), "3: <geom>: type=\"ellipsoid\" is not read: take a box, "
                                                     "sphere, capsule, cylinder or mesh in its place"},
        {B("<geom type='plane'/>"), "3: <geom>: a plane can stand in the <worldbody> only"},
        {B("<geom type='mesh'/>"), "3: <geom>: the attribute 'mesh' is missing"},
        {B("<geom mesh='m'/>"), "3: <geom>: mesh=\"m\": there is no such <mesh> in an <asset>"},
        {"<mujoco>\n<asset><mesh file='a' scale='0 1 1'/></asset></mujoco>",
         "2: <mesh>: scale has a 0: a mesh needs an extent in every direction"},
        {"<mujoco>\n<asset><mesh name='a'/></asset></mujoco>",
         "2: <mesh name=\"a\">: the attribute 'file' is missing"},
    };
    REFUSE(cases, false);
}

static void test_mjcf_rest(void **state)
{
    (void)state;
    static const wrong cases[] = {
        {TAIL("<actuator><motor/></actuator>"),
         "2: <motor>: the attribute 'joint' is missing: only drives of joints are read"},
        {TAIL("<actuator><motor joint='k'/></actuator>"), "2: <motor>: there is no joint 'k'"},
        {TAIL("<actuator><motor joint='free'/></actuator>"),
         "2: <motor>: joint 'free' has more than one velocity: only hinges and slides are driven"},
        {TAIL("<actuator><position joint='j' kp='-1'/></actuator>"), "2: <position>: kp and kv must be >= 0"},
        {TAIL("<actuator><motor joint='j' ctrlrange='1 0'/></actuator>"),
         "2: <motor>: ctrlrange=\"1 0\": the lower comes first"},
        {TAIL("<equality><weld/></equality>"),
         "2: <weld>: the attribute 'body1' is missing: only bodies are read here"},
        {TAIL("<equality><weld body1='x'/></equality>"), "2: <weld>: body1: there is no body 'x'"},
        {TAIL("<equality><weld body1='b' body2='b'/></equality>"),
         "2: <weld>: ties a thing to itself: give two different ones"},
        {TAIL("<equality><weld body1='world'/></equality>"),
         "2: <weld>: ties a thing to itself: give two different ones"},
        {TAIL("<equality><connect body1='b'/></equality>"),
         "2: <connect>: the attribute 'anchor' is missing"},
        {TAIL("<equality><joint joint1='x'/></equality>"), "2: <joint>: joint1: there is no joint 'x'"},
        {TAIL("<equality><joint joint1='free'/></equality>"),
         "2: <joint>: joint1: joint 'free' is neither a hinge nor a slide"},
        {TAIL("<equality><joint joint1='j' polycoef='1 2 3 4 5 6'/></equality>"),
         "2: <joint>: polycoef=\"1 2 3 4 5 6\": needs 1 to 5 numbers, found at least 6"},
        {TAIL("<contact><exclude body1='b'/></contact>"),
         "2: <exclude>: the attribute 'body2' is missing: only bodies are read here"},
    };
    REFUSE(cases, false);
}

static void test_files(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_robot *robot = NULL;
    assert_int_equal(brn_robot_read(ctx, "no-such.urdf", &robot), BRN_ERR_FILE);
    assert_null(robot);
    assert_int_equal(brn_robot_read(ctx, BRN_SOURCE_DIR "/tests/data", &robot), BRN_ERR_FILE);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_xml),        cmocka_unit_test(test_limits),
                                       cmocka_unit_test(test_urdf_trees), cmocka_unit_test(test_urdf_joints),
                                       cmocka_unit_test(test_urdf_links), cmocka_unit_test(test_mjcf_bodies),
                                       cmocka_unit_test(test_mjcf_geoms), cmocka_unit_test(test_mjcf_rest),
                                       cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
