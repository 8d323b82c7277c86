/* What the time integrators take from the energy, and what their books leave open, over the step. A cantilever of linear material
   swings in its lowest mode: implicit Euler takes 1 - (1 + omega^2 h^2)^-n in n steps, Newmark and midpoint nothing; BDF2 takes
   (omega h)^4/2 a step and, in its first step, which is one of implicit Euler, omega^2 h^2. What remains is the tolerance of Newton's
   method; for BDF2 the difference between its own energy, of two states, and that of one, which is of the order of h^2.
   A soft ball that bounces: what turning Euler takes falls with the step, and the books close. A pressure on a body that turns does no work. */
#include "rows.h"
#include "stage.h"

static const char *const rules[] = {"implicit_euler", "turning_euler", "newmark", "midpoint", "bdf2"};
enum { RULES = 5, FIRST_EULER = 2, BDF2 = 4, HALVINGS = 3 };

typedef struct balance {
    double loss, error; /* over the largest energy; the error the largest in the run */
    double start;       /* the loss of the first step */
    double omega_h;
} balance;

/* ---- a beam ------------------------------------------------------------------------------------------------------------- */

/* Four periods of the lowest mode of a beam, 1 m by 0.1 m by 0.1 m, let go at rest. */
static balance swing(const char *integrator, int steps)
{
    static const double end = 6.32; /* [s] */
    stage s;
    stage_open(&s,
               "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: %.17g, end: %g}\n"
               "method: {type: none, tolerance: 1.0e-9}\nintegrator: %s\n"
               "materials: {m: {type: linear, young: 1.0e6, poisson: 0.3, density: 1000}}\n"
               "meshes: {beam: {box: {size: [1, 0.1, 0.1], cells: [10, 1, 1], element: hex8}}}\n"
               "bodies: [{name: b, type: deformable, mesh: beam, material: m}]\n"
               "fixed: [{body: b, where: {face: -x}}]\n",
               end / steps, end, integrator);
    brn_modes *modes = stage_modes(&s, 1);
    const int n = 3 * s.model->nnode;
    double *x = calloc((size_t)n, sizeof *x);
    for (int i = 0; i < n; ++i) {
        x[i] = (&s.model->rest[0][0])[i] + 1e-3 * modes->shape[i];
    }
    brn_report r;
    assert_done(s.ctx, brn_sim_edit(s.sim, x, NULL));
    assert_done(s.ctx, brn_sim_report(s.sim, &r));
    const double scale = r.elastic;
    r = stage_step(&s);
    balance b = {.start = r.numerical_loss / scale, .error = fabs(r.energy_error)};
    while (!brn_sim_done(s.sim)) {
        r = stage_step(&s);
        b.error = fmax(b.error, fabs(r.energy_error));
    }
    b.loss = r.numerical_loss / scale;
    b.omega_h = sqrt(modes->lambda[0]) * end / steps;
    free(x);
    brn_modes_destroy(modes);
    stage_close(&s);
    return b;
}

static double order(double coarse, double fine)
{
    return log2(coarse / fine);
}

static void test_beam(void **state)
{
    for (int k = 0; k < RULES; ++k) {
        balance b[HALVINGS];
        char what[80];
        for (int i = 0; i < HALVINGS; ++i) {
            const int steps = 128 << i;
            b[i] = swing(rules[k], steps);
            /* Newton's method solves a linear problem to rounding, which adds up over the steps. */
            const double rounding = 1e-10;
            const double exact = k < FIRST_EULER ? 1.0 - pow(1.0 + b[i].omega_h * b[i].omega_h, -steps) : 0.0;
            if (k != BDF2) {
                (void)snprintf(what, sizeof what, "%s, %d steps: loss of a mode", rules[k], steps);
                validation_row(*state, what, exact, b[i].loss, fabs(b[i].loss - exact), "");
                /* the mode is good to 1e-8 */
                assert_near(b[i].loss, exact, 1e-7);
                assert_true(b[i].error < rounding);
            }
        }
        if (k == BDF2) {
            const balance *fine = &b[HALVINGS - 1];
            const double wh = fine->omega_h;
            const double taken = fine->loss - fine->start;
            const double exact = 0.5 * pow(wh, 4) * ((128 << (HALVINGS - 1)) - 1);
            validation_row(*state, "bdf2, 512 steps: loss after the first step", exact, taken,
                           fabs(taken / exact - 1.0), "relative error");
            validation_row(*state, "bdf2: order of that loss", 3.0, order(b[1].loss - b[1].start, taken), NAN,
                           "256 and 512 steps");
            validation_row(*state, "bdf2: order of the energy error", 2.0, order(b[1].error, fine->error),
                           NAN, "256 and 512 steps");
            /* the leading terms, at wh = 0.05 */
            assert_near(taken / exact, 1.0, 0.02);
            assert_near(order(b[1].loss - b[1].start, taken), 3.0, 0.06);
            assert_near(order(b[1].error, fine->error), 2.0, 0.1);
            assert_near(fine->start, wh * wh, 0.01 * wh * wh);
            assert_true(fine->error < wh * wh);
        }
    }
}

/* ---- a ball --------------------------------------------------------------------------------------------------------------- */

/* It falls by its diameter and flies up again. */
static balance bounce(const char *integrator, double step)
{
    stage s;
    stage_open(
        &s,
        "brunt: 1\ntime: {step: %g, end: 0.32}\nintegrator: %s\n"
        "materials: {m: {type: neo_hookean, young: 2.0e5, poisson: 0.3, density: 1000}}\n"
        "meshes: {ball: {sphere: {radius: 0.05, resolution: 0.03}}}\n"
        "bodies:\n  - {name: ball, type: deformable, mesh: ball, material: m, position: [0, 0, 0.15]}\n"
        "  - {name: floor, type: static, shape: {plane: {}}}\n",
        step, integrator);
    balance b = {0};
    brn_report r = {0};
    double most = 0.0;
    while (!brn_sim_done(s.sim)) {
        r = stage_step(&s);
        most = fmax(most, r.kinetic);
        b.error = fmax(b.error, fabs(r.energy_error));
        assert_true(r.energy_gain < 0.01 * most); /* what the driver allows */
    }
    stage_close(&s);
    b.loss = r.numerical_loss / most;
    return b;
}

static void test_ball(void **state)
{
    /* Newton's tolerance of 1e-4 sizes a second beside an impact at 1.4 m/s, squared, over the steps in contact. Newmark and midpoint
       know only what contact takes; elements of large strain swing with the square of the step. */
    static const double error_most[RULES] = {1e-5, 1e-5, 2e-3, 2e-3, 0.1};
    for (int k = 0; k < RULES; ++k) {
        balance b[HALVINGS];
        char what[80], note[80];
        for (int i = 0; i < HALVINGS; ++i) {
            const double h = 2e-3 / (1 << i);
            b[i] = bounce(rules[k], h);
            (void)snprintf(what, sizeof what, "%s, h = %g ms: loss of a bounce", rules[k], 1e3 * h);
            (void)snprintf(note, sizeof note, "largest error %.2g", b[i].error);
            validation_row(*state, what, NAN, b[i].loss, NAN, note);
            assert_true(b[i].error < error_most[k]);
        }
        if (k < FIRST_EULER) { /* towards one half */
            assert_true(b[1].loss < 0.7 * b[0].loss && b[2].loss < 0.7 * b[1].loss);
        }
        if (k >= FIRST_EULER && k != BDF2) {
            assert_true(b[2].error < 0.5 * b[0].error);
        }
    }
}

static int setup(void **state)
{
    *state = validation_open("energies", "Energy: what the integrators take, and what the books leave open",
                             "A cantilever of `linear` material in its lowest mode for four periods: the "
                             "loss as a part of its energy against the closed "
                             "form `1 - (1 + w^2 h^2)^-n` of implicit Euler, 0 of Newmark and midpoint "
                             "(within 1e-7; `energy_error` below 1e-10), and "
                             "`(w h)^4/2` a step of BDF2 after its first (its leading term, within 2 %). A "
                             "soft ball that falls by its diameter and "
                             "bounces: what the first-order rules take falls with the step; what their books "
                             "leave open is the solver's tolerance "
                             "(below 1e-5 of the largest energy).");
    return 0;
}

static int teardown(void **state)
{
    validation_close(*state);
    return 0;
}

/* ---- pressure on what turns --------------------------------------------------------------------------------------------- */

/* A body that is held by one face, so that it swings about it, under a pressure on all of it that is constant after a few steps. From then
   on it does no work but by the volume, which does not change: W = p V a^2 for a turn by a would be 40 times the elastic energy in each
   step. Gravity is off, so that what is left of the motion is only that of the start. */
static void turn_under_pressure(const char *method, const char *integrator, int dim)
{
    stage s;
    stage_open(&s,
               "brunt: 1\ndimension: %d\ngravity: %s\ntime: {step: 2.0e-4, end: 6.0e-3}\n"
               "method: {type: %s}\nintegrator: %s\n"
               "materials: {m: {type: neo_hookean, young: 4.5e10, poisson: 0.4, density: 2660}}\n"
               "meshes: {b: {box: {size: %s, cells: %s, element: %s}}}\n"
               "bodies: [{name: b, type: deformable, mesh: b, material: m, angular_velocity: %s}]\n"
               "fixed: [{body: b, where: {nearest: %s}}]\n"
               "loads: [{body: b, where: {all: true}, pressure: 2.3e7, ramp: {from: 0, to: 1.0e-3}}]\n",
               dim, dim == 2 ? "[0, 0]" : "[0, 0, 0]", method, integrator,
               dim == 2 ? "[3.0e-3, 2.0e-3]" : "[3.0e-3, 2.0e-3, 2.0e-3]", dim == 2 ? "[3, 2]" : "[3, 2, 2]",
               dim == 2 ? "tri3" : "hex8", dim == 2 ? "[500]" : "[0, 0, 500]",
               dim == 2 ? "[0, 1.0e-3]" : "[0, 1.0e-3, 0]");
    brn_report r = {0};
    double ramped = NAN;
    for (int k = 0; !brn_sim_done(s.sim); ++k) {
        r = stage_step(&s);
        ramped = k == 5 ? r.work : ramped;
        assert_int_equal(r.guarded, 0);
        assert_true(k == 0 || r.retries == 0); /* the first step stops what the hold does not let turn */
    }
    print_message("%s %s in %dD: work %.6g and then %.3g more, elastic %.3g, kinetic %.3g J, error %.2g\n",
                  method, integrator, dim, ramped, r.work - ramped, r.elastic, r.kinetic, r.energy_error);
    /* The middle of a way is exact to the third order of the turn, which is 0.05 a step. */
    assert_true(r.kinetic > 0.0 && fabs(r.work - ramped) < 0.01 * r.elastic);
    /* What sap leaves unbalanced within its tolerance, over 30 steps; bdf2's error is below 0, a loss that it does not know. */
    assert_true(r.energy_error < 3e-3);
    stage_close(&s);
}

static void test_pressure(void **state)
{
    static const char *const integrators[] = {"implicit_euler", "turning_euler", "bdf2"};
    static const char *const methods[] = {"none", "ipc", "sap"};
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        for (int i = 0; i < 9; ++i) {
            if (i != 8) { /* sap has no bdf2 */
                turn_under_pressure(methods[i / 3], integrators[i % 3], dim);
            }
        }
    }
}

/* ---- what is attached to what stops ------------------------------------------------------------------------------------- */

/* A block that flies, half of it held from the first step on, and another attached to it on both sides of where it is held: what the hold
   takes from the second counts as its work too, and not as energy from nowhere. */
static void test_attached(void **state)
{
    (void)state;
    for (int k = 0; k < RULES; ++k) {
        stage s;
        stage_open(
            &s,
            "brunt: 1\ndimension: 2\nmethod: {type: none}\nintegrator: %s\ntime: {step: 2.0e-3, end: 0.02}\n"
            "materials: {m: {type: neo_hookean, young: 5.0e8, poisson: 0.2, density: 500}}\n"
            "meshes: {b: {box: {size: [2, 1], cells: [4, 2], element: tri3}}}\n"
            "bodies:\n"
            "  - {name: a, type: deformable, mesh: b, material: m, velocity: [0, -40]}\n"
            "  - {name: b, type: deformable, mesh: b, material: m, position: [0.1, 1], velocity: [0, -40]}\n"
            "fixed: [{body: a, where: {box: {min: [0, -1], max: [2, 1]}}}]\n"
            "attach: [{body: b, where: {face: -y}, to: a}]\n",
            rules[k]);
        brn_report r = {0};
        double most = -INFINITY;
        int parts = 0;
        while (!brn_sim_done(s.sim)) {
            r = stage_step(&s);
            most = fmax(most, r.energy_error);
            parts += r.substeps - 1;
        }
        print_message("%s: work %.4g, loss %.4g, error at most %.2g, %d parts more\n", rules[k], r.work,
                      r.numerical_loss, most, parts);
        assert_true(most < 1e-2); /* what the driver allows */
        stage_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_beam), cmocka_unit_test(test_ball),
                                       cmocka_unit_test(test_pressure), cmocka_unit_test(test_attached)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
