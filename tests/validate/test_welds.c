/* Attachments: two meshes welded against one, matching and not; forces of welds; balances of a compound of rigid and soft bodies. */
#include "rows.h"
#include "stage.h"

#include "state/state.h"
#include "step/newton.h"

#define BEAM                                                             \
 "brunt: 1\ndimension: 2\ntime: {step: 1, end: 1}\nintegrator: static\n" \
 "method: {type: none, tolerance: 1.0e-12}\n"                            \
 "materials: {s: {type: linear, young: 1e6, poisson: 0.3, density: 1000}}\n"

/* Mean deflection of the free end [m]. */
static double deflection(const stage *s)
{
    double sum = 0.0;
    for (int i = 0; i < s->model->probe[0].nnode; ++i) {
        const int a = s->model->probe[0].node[i];
        sum += s->sim->state->node_pos[3 * a + 1] - s->model->rest[a][1];
    }
    return sum / s->model->probe[0].nnode;
}

/* Of one mesh with 2 n cells over the height, and of two halves with 2 n and `across`. */
static double one_mesh(int n)
{
    stage s;
    stage_open(&s,
               BEAM "meshes: {b: {box: {size: [0.4, 0.1], cells: [%d, %d], element: tri6}}}\n"
                    "bodies: [{name: a, type: deformable, mesh: b, material: s}]\n"
                    "fixed: [{body: a, where: {face: -x}}]\n"
                    "output: {probes: [{name: tip, body: a, where: {face: +x}}]}\n",
               8 * n, 2 * n);
    stage_run(&s);
    const double mean = deflection(&s);
    stage_close(&s);
    return mean;
}

static double two_meshes(int n, int across)
{
    stage s;
    stage_open(&s,
               BEAM "meshes:\n"
                    "  b: {box: {size: [0.2, 0.1], cells: [%d, %d], element: tri6}}\n"
                    "  c: {box: {size: [0.2, 0.1], cells: [%d, %d], element: tri6}}\n"
                    "bodies: [{name: l, type: deformable, mesh: b, material: s},\n"
                    "  {name: a, type: deformable, mesh: c, material: s, position: [0.2, 0]}]\n"
                    "fixed: [{body: l, where: {face: -x}}]\n"
                    "attach: [{body: a, where: {face: -x}, to: l}]\n"
                    "output: {probes: [{name: tip, body: a, where: {face: +x}}]}\n",
               4 * n, 2 * n, 4 * n, across);
    stage_run(&s);
    const double mean = deflection(&s);
    stage_close(&s);
    return mean;
}

static void test_one_body(void **state)
{
    const double one = one_mesh(2);
    const double two = two_meshes(2, 4);
    validation_row(*state, "halves that match: deflection of the end", one, two, fabs(two / one - 1.0),
                   "m, error relative to one mesh");
    assert_near(two, one,
                1e-9 *
                    fabs(one)); /* the solver's 1e-12 of the largest force, times the stiffness' condition */
}

static void test_halves(void **state)
{
    const double exact = one_mesh(16);
    double last = 0.0;
    for (int n = 1; n <= 4; n *= 2) {
        char quantity[96];
        const double off = fabs(two_meshes(n, 3 * n) / exact - 1.0);
        const double own = fabs(one_mesh(n) / exact - 1.0);
        (void)snprintf(quantity, sizeof quantity, "%d and %d cells across: error of the deflection", 2 * n,
                       3 * n);
        validation_row(*state, quantity, own, off, fabs(off - own),
                       "relative; exact: that of one mesh of the coarser cells");
        assert_true(off <= 1.05 * own); /* a weld costs nothing that the coarser half has not lost already */
        if (last > 0.0) {
            const double order = log2(last / off);
            validation_row(*state, "order of that error", NAN, order, NAN,
                           "singular corners of the wall: 1.7 for one mesh");
            assert_true(order > 1.5);
        }
        last = off;
    }
}

static void test_forces(void **state)
{
    stage s;
    stage_open(
        &s,
        "brunt: 1\nmethod: none\ntime: {step: 0.02, end: 4}\n"
        "materials: {s: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000, damping: {alpha: 6, "
        "beta: "
        "0.02}}}\n"
        "meshes: {rope: {box: {size: [0.05, 0.05, 0.3], cells: [1, 1, 4], element: tet10}}}\n"
        "bodies:\n"
        "  - {name: hook, type: static, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 0, 0.2]}\n"
        "  - {name: rope, type: deformable, mesh: rope, material: s}\n"
        "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.05}}, mass: 0.25, position: [0, 0, -0.2]}\n"
        "attach:\n"
        "  - {name: top, body: rope, where: {face: +z}, to: hook}\n"
        "  - {name: end, body: rope, where: {face: -z}, to: ball}\n");
    stage_run(&s);
    const double *force = brn_state_recall(s.sim->state, BRN_ATTACH_FORCE)->value;
    const double ball = 9.81 * 0.25;
    const double rope = 9.81 * 0.75;
    validation_row(*state, "ball on a rope on a hook: force of the hook", ball + rope, force[2],
                   fabs(force[2] / (ball + rope) - 1.0), "N, error relative");
    validation_row(*state, "ball on a rope on a hook: force of the ball", -ball, force[5],
                   fabs(force[5] / -ball - 1.0), "N, error relative");
    assert_near(force[2], ball + rope, 1e-6 * ball); /* it has swung out */
    assert_near(force[5], -ball, 1e-6 * ball);
    stage_close(&s);
}

static void test_compound(void **state)
{
    static const char *const integrators[] = {"midpoint", "symplectic_euler"};
    for (int k = 0; k < 2; ++k) {
        stage s;
        char quantity[96];
        brn_report r = {0};
        stage_open(&s,
                   "brunt: 1\ntime: {step: %s, end: 1}\nintegrator: %s\n"
                   "method: {type: none, tolerance: 1.0e-12}\n"
                   "materials: {s: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}}\n"
                   "meshes: {h: {box: {size: [0.2, 0.1, 0.1], cells: [4, 2, 2], element: tet4}}}\n"
                   "bodies:\n"
                   "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.08}}, position: [-0.18, 0, 0], "
                   "velocity: "
                   "[0, 0.5, 0], angular_velocity: [0, 3, 1]}\n"
                   "  - {name: a, type: deformable, mesh: h, material: s, angular_velocity: [1, 2, 3]}\n"
                   "attach: [{body: a, where: {face: -x}, to: ball}]\n",
                   k == 0 ? "1e-3" : "2e-5", integrators[k]);
        for (int n = 0; n < 100; ++n) {
            assert_done(s.ctx, brn_sim_step(s.sim, &r));
        }
        (void)snprintf(quantity, sizeof quantity, "ball and block in flight, %s: momentum", integrators[k]);
        validation_row(*state, quantity, 0.0, r.momentum_error, r.momentum_error, "relative");
        assert_near(r.momentum_error, 0.0, 1e-13); /* 100 roundings */
        (void)snprintf(quantity, sizeof quantity, "ball and block in flight, %s: angular momentum",
                       integrators[k]);
        validation_row(*state, quantity, 0.0, r.angular_momentum_error, r.angular_momentum_error, "relative");
        assert_near(r.angular_momentum_error, 0.0,
                    1e-11); /* midpoint: the solver's tolerance, times the steps */
        stage_close(&s);
    }
}

static int open_rows(void **state)
{
    *state = validation_open("welds", "Attachments",
                             "A beam of linear material under its weight (plane strain, 0.4 m by 0.1 m, "
                             "tri6), clamped at one end, as one mesh and as two "
                             "halves of which one is attached to the other: with meshes that match it is the "
                             "same beam to the solver's tolerance; with 2 n and 3 n "
                             "cells over the height it converges to it as one mesh does. A ball of 0.25 kg "
                             "hangs on a rope of 0.75 kg, which hangs on a static "
                             "box: the forces of the two attachments are the weights (1e-6, it has swung "
                             "out). A rigid ball welded to a soft block flies and "
                             "turns: the balances of momentum (1e-13, roundings) and, for the integrators "
                             "that keep it, of angular momentum (1e-11).");
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
        cmocka_unit_test(test_one_body),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_forces),
        cmocka_unit_test(test_compound),
    };
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
