/* Method `bbi` and the conservation laws: momentum of all that touches, flies, is held or spins; rest; rigid bodies. */
#include "flow.h"
#include "sweep_scene.h"
#include "validate/rows.h"

#include "model/rigid_pose.h"
#include "step/sim.h"

#define HEAD  "brunt: 1\nmethod: {type: bbi}\n"
#define FLOOR "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"

/* ---- momentum ------------------------------------------------------------------------------------------------------------------- */

/* Bodies of any kind fall on a floor and on each other, slide, roll and spin; one is pushed down and leaves the floor. */
#define CLUTTER                                                                                             \
 "materials: {gum: {type: neo_hookean, young: 1.0e6, poisson: 0.3, density: 1000, damping: {alpha: 5, "     \
 "beta: "                                                                                                   \
 "1.0e-4}}}\n"                                                                                              \
 "meshes:\n  low: {box: {size: [0.08, 0.06, 0.02], cells: [4, 3, 1], element: hex8}}\n"                     \
 "  top: {box: {size: [0.03, 0.02, 0.02], cells: [3, 2, 2], element: hex8}}\n"                              \
 "bodies:\n  - {name: low, type: deformable, mesh: low, material: gum, position: [0, 0, 0.01]}\n"           \
 "  - {name: top, type: deformable, mesh: top, material: gum, position: [0, 0, 0.031],\n"                   \
 "     velocity: [0.5, 0.1, -0.2], angular_velocity: [3, 5, 8]}\n"                                          \
 "  - {name: box, type: rigid, shape: {box: {size: [0.04, 0.03, 0.02]}}, position: [0.01, 0, 0.07],\n"      \
 "     rotation: [{axis: [1, 2, 0], degrees: 20}], velocity: [-0.3, 0, -1], angular_velocity: [3, 5, 1]}\n" \
 "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.02}}, position: [0.1, 0, 0.0201],\n"             \
 "     velocity: [-1, 0, 0]}\n" FLOOR                                                                       \
 "loads:\n  - {body: low, where: {face: -x}, force: [0.5, 0, -9], ramp: {from: 0, to: 0.01}}\n"             \
 "  - {body: low, where: {face: -x}, force: [-0.5, 0, 9], ramp: {from: 0.01, to: 0.011}}\n"

/* Linear and angular momentum with the impulses of all forces, whatever the step and the projection. */
static void test_momentum(void **state)
{
    static const char *const sets[] = {"time.step=1e-3", "time.step=1e-3;method.impact=mass",
                                       "time.step=1e-3;integrator=midpoint", "time.step=2e-4;time.end=0.02"};
    FILE *rows = *state;
    for (int k = 0; k < BRN_COUNT(sets); ++k) {
        flow f =
            flow_open(1, HEAD "time: {step: 0.001, end: 0.05}\ncontact: {friction: 0.3}\n" CLUTTER, sets[k]);
        brn_report r = {0};
        double worst[2] = {0};
        int touching = 0;
        while (!brn_sim_done(f.sim)) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            assert_near(r.momentum_error, 0.0, 1e-12);
            assert_near(r.angular_momentum_error, 0.0, 1e-12); /* rounding */
            worst[0] = fmax(worst[0], r.momentum_error);
            worst[1] = fmax(worst[1], r.angular_momentum_error);
            touching += r.contacts > 0;
        }
        validation_row(rows, "momentum, bodies of all kinds", 0.0, worst[0], worst[0], sets[k]);
        validation_row(rows, "angular momentum, bodies of all kinds", 0.0, worst[1], worst[1], sets[k]);
        assert_true(touching > 10);
        flow_close(&f);
    }
}

/* What is held cannot be given a spin: linear momentum is exact with the holds' impulses, angular momentum of the order of h^2 by Newmark's rule. */
static void test_momentum_held(void **state)
{
    double error[2];
    FILE *rows = *state;
    for (int k = 0; k < 2; ++k) {
        flow f = flow_open(
            1,
            HEAD "time: {step: 0.001, end: 0.05}\ncontact: {friction: 0.3}\n"
                 "materials: {gum: {type: neo_hookean, young: 1.0e5, poisson: 0.3, density: 1000, damping: "
                 "{beta: 1.0e-4}}}\n"
                 "meshes: {beam: {box: {size: [0.1, 0.01, 0.01], cells: [10, 1, 1], element: hex8}}}\n"
                 "bodies:\n  - {name: beam, type: deformable, mesh: beam, material: gum, position: [0, 0, "
                 "0.007]}\n" FLOOR "fixed: [{name: end, body: beam, where: {face: -x}}]\n",
            k == 0 ? NULL : "time.step=1e-4");
        error[k] = 0.0;
        brn_report r = {0};
        while (!brn_sim_done(f.sim)) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            assert_near(r.momentum_error, 0.0, 1e-10); /* what Newton leaves, 1e-8 of the forces */
            error[k] = fmax(error[k], r.angular_momentum_error);
        }
        flow_close(&f);
    }
    validation_row(rows, "angular momentum, a beam that is held", 0.0, error[0], error[0], "1e-3 s");
    validation_row(rows, "angular momentum, a beam that is held", 0.0, error[1], error[1], "1e-4 s");
    assert_true(error[0] < 1e-5 && error[1] < 0.03 * error[0]);
}

/* Steps that gained energy are repeated by (turning) implicit Euler, whose own error in angular momentum is of first order: up to 1e-3 here. */
static void test_momentum_guarded(void **state)
{
    static const int scenes[] = {20, 22, 26};
    FILE *rows = *state;
    double worst = 0.0;
    for (int k = 0; k < BRN_COUNT(scenes); ++k) {
        char *text = draw_scene(scenes[k], false);
        flow f = flow_open(1, text, "method={type: bbi}");
        brn_report r = {0};
        int guarded = 0;
        while (!brn_sim_done(f.sim)) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            guarded += r.guarded;
            worst = fmax(worst, r.angular_momentum_error);
        }
        assert_true(guarded > 0);
        flow_close(&f);
        free(text);
    }
    validation_row(rows, "angular momentum, steps that are repeated", 0.0, worst, worst, "random scenes");
    assert_near(worst, 0.0, 1e-12);
}

/* A soft body that spins and swings in flight: Newmark's rule by itself would be off by 8e-6 at this step. */
static void test_flight(void **state)
{
    FILE *rows = *state;
    flow f =
        flow_open(1,
                  HEAD "gravity: [0, 0, -9.81]\ntime: {step: 0.001, end: 0.1}\n"
                       "materials: {gum: {type: neo_hookean, young: 1.0e5, poisson: 0.3, density: 1000}}\n"
                       "meshes: {block: {box: {size: [0.04, 0.03, 0.02], cells: [4, 3, 2], element: "
                       "hex8}}}\nbodies:\n  - {name: block, type: deformable, mesh: block, material: gum, "
                       "position: [0, 0, 1], velocity: [1, 0, 0], angular_velocity: [10, 20, 30]}\n" FLOOR,
                  NULL);
    brn_report r = {0};
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_int_equal(r.contacts, 0);
        assert_near(r.angular_momentum_error, 0.0, 1e-13);
        assert_near(r.energy_error, 0.0, 1e-5);
    }
    validation_row(rows, "angular momentum, a soft block in flight", 0.0, r.angular_momentum_error,
                   r.angular_momentum_error, "1e-3 s, at the end");
    flow_close(&f);
}

/* ---- rest and rigid bodies ---------------------------------------------------------------------------------------------------------- */

/* A stiff block lands on a floor, at times beside another body; the floor's force at the end, least and most, and where the block is then. */
static void land_block(const char *others, const char *fixed, double force[2], double place[3])
{
    char scene[2048];
    (void)snprintf(
        scene, sizeof scene,
        HEAD "time: {step: 1.0e-4, end: 0.03}\ncontact: {friction: 0.4}\n"
             "materials: {print: {type: neo_hookean, young: 0.65e9, poisson: 0.45, density: 1205, damping: "
             "{beta: 1.64e-4}}, gum: {type: neo_hookean, young: 1.0e6, poisson: 0.3, density: 1000}}\n"
             "meshes: {block: {box: {size: [0.03, 0.03, 0.03], cells: [3, 3, 3], element: hex8}},\n"
             "  bar: {box: {size: [0.1, 0.01, 0.01], cells: [8, 1, 1], element: hex8}}}\n"
             "bodies:\n  - {name: block, type: deformable, mesh: block, material: print, position: [0, 0, "
             "0.015], velocity: [0, 0, -0.1]}\n" FLOOR "%s%s",
        others, fixed);
    flow f = flow_open(1, scene, NULL);
    brn_report r = {0};
    force[0] = INFINITY;
    force[1] = 0.0;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        if (r.time > 0.025) {
            const double *on_block = brn_sim_contact_forces(f.sim);
            force[0] = fmin(force[0], on_block[2]);
            force[1] = fmax(force[1], on_block[2]);
        }
    }
    assert_near(r.momentum_error, 0.0, 1e-11);
    brn_body_mean(f.model, 0, f.sim->state->node_pos, place);
    flow_close(&f);
}

/* The floor's force is the weight, and the same in every step. */
static void test_rest(void **state)
{
    FILE *rows = *state;
    const double weight = 1205.0 * 0.03 * 0.03 * 0.03 * 9.81;
    double force[2];
    double place[3];
    land_block("", "", force, place);
    validation_row(rows, "a floor's force at rest, least", weight, force[0], fabs(force[0] / weight - 1.0),
                   "N, error relative");
    validation_row(rows, "a floor's force at rest, most", weight, force[1], fabs(force[1] / weight - 1.0),
                   "N, error relative");
    assert_near(force[0], weight, 1e-6 * weight);
    assert_near(force[1], weight, 1e-6 * weight);
}

/* What goes on elsewhere does not matter to it: a bar swings by its end, or falls, half a metre away. Both solve for their balance together,
   to 1e-8 of the larger force, which is 1e-13 m of this block. */
static void test_rest_beside(void **state)
{
    FILE *rows = *state;
    static const char bar[] =
        "  - {name: bar, type: deformable, mesh: bar, material: gum, position: [0, 0.5, 0.3]}\n";
    static const char *const fixed[] = {"fixed: [{body: bar, where: {face: -x}}]\n", ""};
    const double weight = 1205.0 * 0.03 * 0.03 * 0.03 * 9.81;
    double force[2];
    double alone[3];
    land_block("", "", force, alone);
    for (int i = 0; i < 2; ++i) {
        double place[3];
        land_block(bar, fixed[i], force, place);
        const double off = fmax(fabs(force[0] / weight - 1.0), fabs(force[1] / weight - 1.0));
        validation_row(rows,
                       i == 0 ? "the same beside a bar that swings" : "the same beside a bar that falls",
                       weight, force[1], off, "N, largest error relative");
        assert_near(off, 0.0, 1e-6);
        for (int k = 0; k < 3; ++k) {
            assert_near(place[k], alone[k], 1e-12);
        }
    }
}

/* Boxes of 60 and 350 kg land on each other: with a soft element their energies grew threefold. */
static void test_rigid_stack(void **state)
{
    FILE *rows = *state;
    flow f = flow_open(
        1,
        HEAD "time: {step: 0.00025536, end: 0.05}\ncontact: {friction: 0.4}\nbodies:\n"
             "  - {name: low, type: rigid, density: 400, shape: {box: {size: [0.76, 0.55, 0.37]}}, position: "
             "[0.09, -0.03, 0.1865]}\n"
             "  - {name: top, type: rigid, density: 400, shape: {box: {size: [1.2, 1.03, 0.71]}}, position: "
             "[0, 0, "
             "0.732]}\n" FLOOR,
        NULL);
    brn_report r = {0};
    assert_done(f.ctx, brn_sim_report(f.sim, &r));
    const double start = r.gravity;
    double rise = 0.0;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        rise = fmax(rise, (r.kinetic + r.elastic + r.gravity) / start - 1.0);
        assert_near(r.angular_momentum_error, 0.0, 1e-12);
    }
    validation_row(rows, "rise of energy, rigid boxes on each other", 0.0, rise, rise, "of the initial one");
    assert_near(rise, 0.0, 1e-12);
    assert_true(r.contacts >= 8);
    flow_close(&f);
}

static int open_rows(void **state)
{
    *state =
        validation_open("bbi_momentum", "Method bbi: momentum, rest and rigid bodies",
                        "Errors of linear and angular momentum as the report has them: what is there less "
                        "what was there and the impulses of all forces, over the sum of "
                        "magnitudes. *Bodies of all kinds*: two soft blocks, one with a load that ends, a "
                        "rigid box and a ball, which fall, slide, roll and leave a floor and each "
                        "other; rounding, tolerance 1e-12. *Steps that are repeated* by implicit Euler since "
                        "they had gained energy: "
                        "three random scenes of thrown bodies, tolerance 1e-12. *A beam that is held* falls "
                        "on a floor: Newmark's "
                        "rule has an error of order 2 there, tolerance 1e-5 and a fall by 30 from step to "
                        "step. *At rest*: a printed block (E 0.65 GPa) after it has landed, the last 50 "
                        "steps of 1e-4 s, alone and beside a bar that swings or falls, tolerance 1e-6. "
                        "*Rigid boxes* of 60 and 350 kg: kinetic, "
                        "elastic and potential energy never exceed what was there, tolerance 1e-12 of it.");
    return 0;
}

static int close_rows(void **state)
{
    validation_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_momentum_held),
        cmocka_unit_test(test_momentum_guarded),
        cmocka_unit_test(test_flight),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_rest_beside),
        cmocka_unit_test(test_rigid_stack),
    };
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
