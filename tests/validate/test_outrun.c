/* Bodies at rest that a load, a drive or an impact takes farther within one step than velocity and gravity tell beforehand: what is in
   their way stops them all the same. */
#include "flow.h"

#include "model/rigid_pose.h"
#include "step/sim.h"

#define HEAD  "brunt: 1\ntime: {step: 0.01, end: 0.1}\n"
#define FLOOR "  - {name: floor, type: static, shape: {plane: {}}}\n"
#define BOX   "  - {name: box, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, density: 1000, position: "
#define ALL   "where: {all: true}"

static const char *const methods[] = {"method.type=sap", "method.type=bbi"};

/* [m] How deep anything was within anything else after any step. */
static double run(flow *f)
{
    double deepest = 0.0;
    while (!brn_sim_done(f->sim)) {
        brn_report r;
        assert_done(f->ctx, brn_sim_step(f->sim, &r));
        deepest = fmax(deepest, r.penetration_max);
    }
    return deepest;
}

static brn_rigid_pose pose_of(const flow *f, int body)
{
    brn_rigid_pose pose;
    brn_rigid_pose_of(f->model, body, brn_sim_positions(f->sim), brn_sim_velocities(f->sim), &pose);
    return pose;
}

/* A box of 1 kg 1.1 mm above a floor under 60 N would go 7 mm in the first step, and is known to fall 1 mm. Under its load sap gives by
   less than h^2 F/m / (4 pi^2) = 0.18 mm. */
static void test_load(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        flow f = flow_open(1,
                           HEAD "method: {type: sap}\nbodies:\n" BOX "[0, 0, 0.0511]}\n" FLOOR
                                "loads:\n  - {body: box, " ALL ", force: [0, 0, -60]}\n",
                           methods[k]);
        assert_true(run(&f) < 1.8e-4);
        assert_near(pose_of(&f, 0).centre[2], 0.05, 1.8e-4);
        flow_close(&f);
    }
}

/* Under 20 kN it would go by 2 m, past a plate of 10 mm, and end far from all that is near it. sap gives by less than 50 mm, so that its
   centre stays above the plate. */
static void test_thin(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        flow f = flow_open(1,
                           HEAD "method: {type: sap}\nbodies:\n" BOX "[0, 0, 0.0511]}\n"
                                "  - {name: plate, type: static, shape: {box: {size: [1, 1, 0.01]}}, "
                                "position: [0, 0, -0.005]}\n"
                                "loads:\n  - {body: box, " ALL ", force: [0, 0, -20000]}\n",
                           methods[k]);
        (void)run(&f);
        assert_true(pose_of(&f, 0).centre[2] > 0.0);
        flow_close(&f);
    }
}

/* A link at rest, 5 mm above a floor, whose motor turns it by 100 N m: its end would go 0.4 m. */
static void test_motor(void **state)
{
    (void)state;
    test_write_file("outrun.urdf",
                    "<robot name=\"r\"><link name=\"base\"/><link name=\"one\"><inertial><origin xyz=\"0.2 0 "
                    "0\"/><mass value=\"1\"/><inertia ixx=\"0.001\" iyy=\"0.014\" izz=\"0.014\" ixy=\"0\" "
                    "ixz=\"0\" iyz=\"0\"/></inertial><collision><origin xyz=\"0.2 0 0\"/><geometry><box "
                    "size=\"0.4 0.05 0.05\"/></geometry></collision></link><joint name=\"a\" "
                    "type=\"revolute\"><parent link=\"base\"/><child link=\"one\"/><axis xyz=\"0 1 0\"/>"
                    "<limit lower=\"-3\" upper=\"3\" effort=\"200\" velocity=\"30\"/></joint></robot>");
    flow f = flow_open(1,
                       HEAD "method: {type: sap}\nbodies:\n  - {name: r, type: robot, file: outrun.urdf, "
                            "position: [0, 0, 0.03], joints: {a: {target: 1, kp: 100, kd: 1}}}\n" FLOOR,
                       NULL);
    assert_true(
        run(&f) <
        1e-3); /* the give of a contact under 250 N on 0.35 kg, 0.2 mm, and the way it turns in a step */
    flow_close(&f);
    (void)remove("outrun.urdf");
}

/* A soft block 4 mm above a floor, pressed down by 200 N on 0.1 kg: 0.2 m in a step. */
static void test_traction(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        flow f = flow_open(
            1,
            HEAD "method: {type: sap}\n"
                 "materials: {m: {type: corotated_linear, young: 1.0e6, poisson: 0.3, density: 100}}\n"
                 "meshes: {c: {box: {size: [0.1, 0.1, 0.1], cells: [3, 3, 3]}}}\nbodies:\n"
                 "  - {name: s, type: deformable, mesh: c, material: m, position: [0, 0, 0.054]}\n" FLOOR
                 "loads:\n  - {body: s, where: {group: \"+z\"}, traction: [0, 0, -20000]}\n",
            methods[k]);
        assert_true(run(&f) < 1e-4); /* of elements of 33 mm; sap's give is 1 um */
        flow_close(&f);
    }
}

/* A heavy box at 10 m/s hits a light one, which meets a wall 20 mm behind it within the same step: it must not be driven into that. The
   heavy one stops, too. */
static void test_impact(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        flow f =
            flow_open(1,
                      HEAD "gravity: [0, 0, 0]\nmethod: {type: sap}\nbodies:\n"
                           "  - {name: heavy, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, density: "
                           "2000, position: [-0.15, 0, 0], velocity: [10, 0, 0]}\n" BOX "[0, 0, 0]}\n"
                           "  - {name: wall, type: static, shape: {box: {size: [0.01, 1, 1]}}, "
                           "position: [0.075, 0, 0]}\n",
                      methods[k]);
        assert_true(run(&f) < 1e-3); /* of 100 mm */
        assert_true(pose_of(&f, 1).centre[0] < 0.0201);
        assert_true(pose_of(&f, 0).centre[0] < -0.0799);
        flow_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_load),     cmocka_unit_test(test_thin),   cmocka_unit_test(test_motor),
        cmocka_unit_test(test_traction), cmocka_unit_test(test_impact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
