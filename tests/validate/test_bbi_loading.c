/* Static loading of mechanisms with method `bbi`: on runners that roll, by dead loads, with a rigid body aboard, in other increments, with slip; where there is
   no equilibrium; and where points stick that come together within an increment. */
#include "flow.h"

#include "linalg/dense.h"
#include "phys/rotation.h"
#include "step/bbi/bbi.h"
#include "step/newton_inner.h"
#include "step/sim.h"

#define HEAD                                                                               \
 "brunt: 1\nmethod: bbi\ntime: {step: 1.0e-3, end: 0.02}\n"                                \
 "materials:\n  print: {type: neo_hookean, young: 0.65e9, poisson: 0.45, density: 1205}\n" \
 "  steel: {type: linear, young: 2.0e11, poisson: 0.3, density: 7800}\n"

/* scenes/flipper without its finger. */
#define CLIP                                                                                       \
 HEAD "integrator: static\ncontact: {friction: 0.5, self: false}\n"                                \
      "meshes: {clip: {clip: {resolution: 0.003, frame: {length: 0.066, thickness: 0.0045}, arm: " \
      "{length: 0.06}, feet: {type: rocker, height: 0.006, width: 0.006, radius: 0.15}}}}\n"       \
      "bodies:\n  - {name: clip, type: deformable, mesh: clip, material: print}\n"                 \
      "  - {name: table, type: static, shape: {plane: {size: 0.4}}}\n"

/* scenes/catapult, to the end of its loading; its cube. */
#define CATAPULT                                                                                      \
 HEAD "stages: {body: cube, loading: {until: 0.02}}\ncontact: {friction: 0.4, self: false}\n"         \
      "meshes:\n  catapult: {clip: {resolution: 0.003, frame: {length: 0.066, thickness: 0.0045}, "   \
      "upright: {height: 0.024}, arm: {length: 0.072, width: 0.012}, basket: {length: 0.018, width: " \
      "0.018, wall: 0.003, rim: 0.003}}}\n"                                                           \
      "  cube: {box: {size: [0.009, 0.009, 0.009], cells: [3, 3, 3], element: hex8}}\n"               \
      "fixed: [{name: base, body: catapult, where: {group: frame}}]\n"                                \
      "bodies:\n  - {name: catapult, type: deformable, mesh: catapult, material: print}\n"            \
      "  - {name: finger, type: static, shape: {box: {size: [0.006, 0.02, 0.012]}}, position: "       \
      "[-0.0165, 0, 0.0391], motion: {table: [[0, 0, 0, 0], [0.02, 0, 0, -0.0022]]}}\n"               \
      "  - {name: cube, position: [-0.0312, 0, 0.0375], type: "

/* What a run ends with; its contact is in balance with its loads, and nothing pulls or penetrates. */
typedef struct loaded {
    brn_report report;
    int64_t iterations;
} loaded;

static loaded load(flow *f, bool slips)
{
    loaded out = {0};
    if (!f->model->stages.given) {
        ((brn_bbi *)f->sim->self)->no_slip = !slips;
    }
    while (!brn_sim_done(f->sim)) {
        assert_done(f->ctx, brn_sim_step(f->sim, &out.report));
        assert_near(out.report.penetration_max, 0.0, 1e-9);
        assert_true(slips || out.report.slipping == 0);
        out.iterations += out.report.iterations;
    }
    int count = 0;
    const brn_contact_point *p = brn_sim_contacts(f->sim, &count);
    for (int i = 0; i < count; ++i) {
        assert_true(p[i].normal_force >= 0.0);
        assert_true(brn_dense_length3(p[i].friction) <= p[i].mu * p[i].normal_force * (1.0 + 1e-6) + 1e-9);
    }
    return out;
}

/* Forces and moments on the clip, contact and holds against loads and weight: each within 1e-6 of the sum of magnitudes. */
static void assert_balance(const flow *f)
{
    const brn_state *s = f->sim->state;
    int count = 0;
    const brn_contact_point *p = brn_sim_contacts(f->sim, &count);
    double force[3] = {0};
    double moment[3] = {0};
    double size = 0.0;
    for (int i = 0; i < count + f->model->body[0].node_count; ++i) {
        const bool contact = i < count;
        const int a = i - count;
        const double *x = contact ? p[i].place : &s->node_pos[3 * a];
        double part[3];
        double turn[3];
        for (int k = 0; k < 3; ++k) {
            part[k] = contact ? p[i].normal_force * p[i].normal[k] + p[i].friction[k]
                              : s->node_load[3 * a + k] + s->node_react[3 * a + k];
            size += fabs(part[k]);
        }
        brn_dense_cross3(x, part, turn);
        for (int k = 0; k < 3; ++k) {
            force[k] += part[k];
            moment[k] += turn[k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        assert_near(force[k], 0.0, 1e-6 * size);
        assert_near(moment[k], 0.0, 1e-6 * size * 0.06);
    }
}

/* ---- rolling runners ---------------------------------------------------------------------------------------------------------- */

#define LINE "where: {box: {min: [-0.001, -1, 0.0365], max: [0.001, 1, 1]}}"

/* Pressed by a line of the arm that is held along z only: it rolls until that is above where it stands. Half the increments find the same. */
static void test_rolls(void **state)
{
    static const char text[] = CLIP "fixed: [{name: tip, body: clip, " LINE ", axes: z, motion: {table: [[0, "
                                    "0, 0, 0], [0.02, 0, 0, -0.002]]}}]\n";
    double energy[2];
    (void)state;
    for (int k = 0; k < 2; ++k) {
        flow f = flow_open(1, text, k == 0 ? NULL : "time.step=5.0e-4");
        const loaded end = load(&f, false);
        print_message("elastic %.6g J, %d iterations\n", end.report.elastic, (int)end.iterations);
        assert_balance(&f);
        assert_near(brn_sim_contact_forces(f.sim)[0], 0.0, 1e-6 * brn_sim_contact_forces(f.sim)[2]);
        energy[k] = end.report.elastic;
        assert_true(end.iterations < (k + 1) * 200); /* measured 77 and 150; 50 an increment are allowed */
        flow_close(&f);
    }
    /* on which of the runners' edges it comes to stand depends on the increments: 1 % */
    assert_near(energy[1], energy[0], 0.01 * energy[0]);
}

/* The same by dead loads: above where it stands; and at the tip, obliquely, so that it rolls by 0.2 rad in the first increment. */
static void test_dead_load(void **state)
{
    static const char *const loads[] = {
        CLIP "loads: [{name: push, body: clip, " LINE ", force: [0, 0, -15]}]\n",
        CLIP "loads: [{name: push, body: clip, where: {group: tip}, force: [3, 0, -10]}]\n"};
    static const double down[] = {15.0, 10.0};
    (void)state;
    for (int k = 0; k < 2; ++k) {
        flow f = flow_open(1, loads[k], NULL);
        const loaded end = load(&f, false);
        const double weight = f.model->body[0].mass * 9.81;
        print_message("elastic %.6g J, %d iterations\n", end.report.elastic, (int)end.iterations);
        assert_near(brn_sim_contact_forces(f.sim)[2], down[k] + weight, 1e-5 * down[k]);
        assert_near(brn_sim_contact_forces(f.sim)[0], k == 0 ? 0.0 : -3.0, 1e-5 * down[k]);
        assert_balance(&f);
        flow_close(&f);
    }
}

/* Straight down at the tip it goes over the end of its runners: there is no equilibrium, and the run says what does that and where. */
static void test_tips_over(void **state)
{
    (void)state;
    flow f = flow_open(1, CLIP "loads: [{name: push, body: clip, where: {group: tip}, force: [0, 0, -15]}]\n",
                       NULL);
    brn_status status = BRN_OK;
    ((brn_bbi *)f.sim->self)->no_slip = true;
    while (!brn_sim_done(f.sim) && status >= 0) {
        status = brn_sim_step(f.sim, NULL);
    }
    assert_int_equal(status, BRN_ERR_CONVERGENCE);
    assert_non_null(strstr(brn_ctx_message(f.ctx), "'clip' has no equilibrium on its contacts"));
    assert_non_null(strstr(brn_ctx_message(f.ctx), "hold it"));
    flow_close(&f);
}

/* ---- a cube in the basket ------------------------------------------------------------------------------------------------------ */

/* The cube only lies there: printed, of steel or rigid, in any increments, what the finger stores in the arm is the same (0.2 %; the steel one weighs
   6 g more). */
static void test_aboard(void **state)
{
    static const struct {
        const char *cube, *sets;
    } cases[] = {
        {"deformable, mesh: cube, material: print", NULL},
        {"deformable, mesh: cube, material: print", "time.step=5.0e-4"},
        {"deformable, mesh: cube, material: print", "time.step=2.5e-4"},
        {"rigid, shape: {box: {size: [0.009, 0.009, 0.009]}}, density: 1205", NULL},
        {"deformable, mesh: cube, material: steel", NULL},
    };
    double energy[BRN_COUNT(cases)];
    (void)state;
    for (int k = 0; k < BRN_COUNT(cases); ++k) {
        char text[3000];
        (void)snprintf(text, sizeof text, "%s%s}\n", CATAPULT, cases[k].cube);
        flow f = flow_open(1, text, cases[k].sets);
        const loaded end =
            load(&f, k == 4); /* some points of the steel one bear, and would pull if they stuck */
        energy[k] = end.report.elastic;
        print_message("%s, %s: elastic %.6g J, %d iterations\n", cases[k].cube,
                      cases[k].sets != NULL ? cases[k].sets : "", energy[k], (int)end.iterations);
        assert_near(energy[k], energy[0], 2e-3 * energy[0]);
        flow_close(&f);
    }
    /* increments: the first order of what meets within them is gone */
    assert_near(energy[2], energy[1], 2e-4 * energy[1]);
}

/* With slip: the finger slides on the arm and the cube in the basket, which for a friction of 0.05 goes to the wall as the arm bends by 0.07 rad. */
static void test_slides(void **state)
{
    static const char *const sets[] = {"stages.loading.slip=true",
                                       "stages.loading.slip=true;contact.friction=0.05"};
    double last = 8.2e-3; /* without slip */
    (void)state;
    for (int k = 0; k < BRN_COUNT(sets); ++k) {
        flow f = flow_open(1, CATAPULT "deformable, mesh: cube, material: print}\n", sets[k]);
        const loaded end = load(&f, true);
        const double *x = brn_sim_positions(f.sim);
        const brn_body *cube = &f.model->body[2];
        double way = 0.0;
        for (int a = cube->node_first; a < cube->node_first + cube->node_count; ++a) {
            way += (x[3 * a] - f.model->rest[a][0]) / cube->node_count;
        }
        print_message("%s: elastic %.6g J, cube %.3g m, %d iterations\n", sets[k], end.report.elastic, way,
                      (int)end.iterations);
        assert_true(end.report.slipping > 0 && end.report.dissipated > 0.0);
        assert_true(end.report.elastic < last); /* the finger holds the arm back less */
        assert_true(k == 0 ? fabs(way) < 6e-4 : way < -7e-4);
        last = end.report.elastic;
        flow_close(&f);
    }
}

/* ---- where points stick ----------------------------------------------------------------------------------------------------------- */

/* A plate comes down on a block obliquely, from a gap: what it takes along is what it moves after it touches, in one increment or in many. */
static void test_meets(void **state)
{
    static const char text[] =
        "brunt: 1\nmethod: bbi\ngravity: [0, 0, 0]\ntime: {step: 0.01, end: 0.01}\n"
        "stages: {body: block, loading: {until: 0.01}}\ncontact: {friction: 0.5}\n"
        "materials: {gum: {type: neo_hookean, young: 1.0e6, poisson: 0.3, density: 1000}}\n"
        "meshes: {block: {box: {size: [0.04, 0.04, 0.02], cells: [4, 4, 2], element: hex8}}}\n"
        "fixed: [{name: base, body: block, where: {face: -z}}]\n"
        "bodies:\n  - {name: block, type: deformable, mesh: block, material: gum, position: [0, 0, 0.01]}\n"
        "  - {name: plate, type: static, shape: {box: {size: [0.1, 0.1, 0.01]}}, position: [0, 0, 0.0255], "
        "motion: {velocity: [0.02, 0, -0.1]}}\n";
    static const char *const sets[] = {NULL, "time.step=1.0e-3"};
    (void)state;
    for (int k = 0; k < BRN_COUNT(sets); ++k) {
        flow f = flow_open(1, text, sets[k]);
        (void)load(&f, false);
        const double *x = brn_sim_positions(f.sim);
        int top = 0;
        for (int a = 0; a < f.model->body[0].node_count; ++a) {
            if (f.model->rest[a][2] > 0.0199) {
                ++top;
                /* a gap of 0.5 mm, half of the way down */
                assert_near(x[3 * a] - f.model->rest[a][0], 0.1e-3, 1e-8);
                assert_near(x[3 * a + 1] - f.model->rest[a][1], 0.0, 1e-8);
                assert_near(x[3 * a + 2] - f.model->rest[a][2], -0.5e-3, 1e-8);
            }
        }
        assert_int_equal(top, 25);
        flow_close(&f);
    }
}

/* ---- steps along arcs ---------------------------------------------------------------------------------------------------------------- */

/* A straight step that turns a body becomes one that keeps its shape, and its axis; to first order, and in what deforms, it is the same. */
static void test_arcs(void **state)
{
    static const double axis[3] = {0.3, -0.5, 0.8};
    static const double through[3] = {0.01, 0.02, -0.01};
    (void)state;
    flow f = flow_open(1, CLIP "loads: [{name: push, body: clip, " LINE ", force: [0, 0, -15]}]\n", NULL);
    const brn_newton *n = ((brn_bbi *)f.sim->self)->solver[BRN_STAGE_LOADING];
    const brn_model *model = f.model;
    const int count = model->body[0].node_count;
    const double *x = brn_sim_positions(f.sim);
    double *step = malloc((size_t)n->system->ndof * sizeof *step);
    double *straight = malloc((size_t)n->system->ndof * sizeof *step);
    assert_true(step != NULL && straight != NULL);
    for (int k = 0; k < 2; ++k) {
        const double angle = k == 0 ? 0.3 : 3e-4;
        memset(step, 0, (size_t)n->system->ndof * sizeof *step);
        for (int a = 0; a < count; ++a) {
            const double r[3] = {x[3 * a] - through[0], x[3 * a + 1] - through[1], x[3 * a + 2] - through[2]};
            const double w[3] = {angle * axis[0], angle * axis[1], angle * axis[2]};
            brn_dense_cross3(w, r, &step[3 * model->node_row[a]]);
        }
        memcpy(straight, step, (size_t)n->system->ndof * sizeof *step);
        assert_near(brn_newton_turn(n, x, step), angle * brn_dense_length3(axis), 1e-12);
        for (int a = 0; a < count; ++a) {
            const int b = (a * 7 + 3) % count;
            double before[3];
            double after[3];
            for (int i = 0; i < 3; ++i) {
                before[i] = x[3 * a + i] - x[3 * b + i];
                after[i] = before[i] + step[3 * model->node_row[a] + i] - step[3 * model->node_row[b] + i];
                assert_near(step[3 * model->node_row[a] + i], straight[3 * model->node_row[a] + i],
                            angle * angle * 0.1);
            }
            assert_near(brn_dense_length3(after), brn_dense_length3(before), 1e-14);
            /* along the axis nothing moves, nor does the distance from it change */
            assert_near(brn_dense_dot3(&step[3 * model->node_row[a]], axis), 0.0, 1e-15);
            for (int i = 0; i < 3; ++i) {
                before[i] = x[3 * a + i] - through[i];
                after[i] = before[i] + step[3 * model->node_row[a] + i];
            }
            assert_near(brn_dense_length3(after), brn_dense_length3(before), 1e-14);
        }
    }
    free(step);
    free(straight);
    flow_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rolls),  cmocka_unit_test(test_dead_load), cmocka_unit_test(test_tips_over),
        cmocka_unit_test(test_aboard), cmocka_unit_test(test_slides),    cmocka_unit_test(test_meets),
        cmocka_unit_test(test_arcs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
