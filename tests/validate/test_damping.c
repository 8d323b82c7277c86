/* Rayleigh damping: decay of a mode, and what it takes from a rigid rotation. */
#include "rows.h"
#include "stage.h"
#include "stress.h"

static const double PI = 3.14159265358979323846;

static void open_damped(stage *s, const char *material, const char *integrator, double alpha, double beta,
                        double step, double end, const char *more)
{
    stage_open(
        s,
        "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: %.17g, end: %.17g}\n"
        "method: {type: none, tolerance: 1.0e-12}\nintegrator: %s\n"
        "materials: {m: {type: %s, young: 1.0e6, poisson: 0.3, density: 1000, damping: {alpha: %.17g, beta: "
        "%.17g}}}\n"
        "meshes: {cube: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: hex8}}}\n"
        "bodies: [{name: b, type: deformable, mesh: cube, material: m}]\n%s",
        step, end, integrator, material, alpha, beta, more);
}

/* The lowest mode of a clamped cube is let go; q and q' are its modal coordinate. With decay rate g the exact motion keeps
   ln sqrt(q^2 + ((q' + g q)/omega_d)^2) + g t constant; the slope of a line through the logarithm is the rate. */
static double measured_rate(const char *integrator, double alpha, double beta, double *exact)
{
    enum { STEPS = 2000 };
    static const char held[] = "fixed: [{body: b, where: {face: -z}}]\n";
    static double t[STEPS + 1];
    static double log_size[STEPS + 1];
    stage first;
    stage s;
    open_damped(&first, "linear", integrator, alpha, beta, 1.0, 1.0, held);
    brn_modes *modes = stage_modes(&first, 2);
    const double omega = sqrt(modes->lambda[0]);
    const double h = 2.0 * PI / omega / 200.0;
    *exact = 0.5 * (alpha + beta * omega * omega);
    const double omega_d = sqrt(omega * omega - *exact * *exact);
    open_damped(&s, "linear", integrator, alpha, beta, h, STEPS * h, held);
    const int n = 3 * s.model->nnode;
    const double *rest = &s.model->rest[0][0];
    double *x = calloc((unsigned)n, sizeof *x);
    double *weight = calloc((unsigned)n, sizeof *weight);
    for (int i = 0; i < n; ++i) {
        x[i] = rest[i] + 1e-4 * modes->shape[i];
    }
    assert_done(s.ctx, brn_sim_edit(s.sim, x, NULL));
    assert_done(s.ctx, brn_system_mass_apply(s.sim->system, modes->shape, weight));
    for (int k = 0; k <= STEPS; ++k) {
        double q = 0.0;
        double rate = 0.0;
        for (int i = 0; i < n; ++i) {
            q += weight[i] * (brn_sim_positions(s.sim)[i] - rest[i]);
            rate += weight[i] * brn_sim_velocities(s.sim)[i];
        }
        t[k] = k * h;
        log_size[k] = log(hypot(q, (rate + *exact * q) / omega_d));
        if (k < STEPS) {
            stage_step(&s);
        }
    }
    double offset = 0.0;
    const double slope = fit_line(t, log_size, STEPS + 1, &offset);
    free(x);
    free(weight);
    stage_close(&s);
    brn_modes_destroy(modes);
    stage_close(&first);
    return -slope;
}

static void test_mode(void **state)
{
    static const struct {
        const char *name;
        double alpha, beta;
    } cases[] = {{"alpha = 4 1/s", 4.0, 0.0},
                 {"beta = 1e-4 s", 0.0, 1e-4},
                 {"alpha = 2 1/s, beta = 5e-5 s", 2.0, 5e-5}};
    static const char *const integrators[] = {"newmark", "midpoint"};
    for (int i = 0; i < 2; ++i) {
        for (int c = 0; c < 3; ++c) {
            double exact = 0.0;
            char quantity[128];
            const double rate = measured_rate(integrators[i], cases[c].alpha, cases[c].beta, &exact);
            (void)snprintf(quantity, sizeof quantity, "%s, %s: decay rate", integrators[i], cases[c].name);
            validation_row(*state, quantity, exact, rate, fabs(rate / exact - 1.0), "1/s, error relative");
            /* Second order: (h omega)^2/4 = 2.5e-4 of the damping at 200 steps a period. */
            assert_near(rate, exact, 5e-4 * exact);
        }
    }
}

/* Fraction of its angular momentum that a cube loses in one turn, steadily spinning: the first turn lets it find its
   stretched shape. */
static double lost_in_a_turn(const char *material, const char *integrator, double beta, double omega,
                             int steps)
{
    static const double one[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const double turn = 2.0 * PI / omega;
    stage s;
    open_damped(&s, material, integrator, 0.0, beta, turn / steps, 2.0 * turn, "");
    stage_place(&s, one, (const double[3]){0.0, 0.0, 0.0}, (const double[3]){0.0, 0.0, omega});
    double before = 0.0;
    brn_report report = {0};
    for (int n = 0; n < 2 * steps; ++n) {
        report = stage_step(&s);
        before = n + 1 == steps ? report.angular_momentum[2] : before;
    }
    stage_close(&s);
    return 1.0 - report.angular_momentum[2] / before;
}

/* Loss per turn, omega = 10 rad/s, beta = 1e-3 s, and its order in h; the integrator's own
   loss is that of beta = 0. */
static void test_rotation(void **state)
{
    static const char *const materials[] = {"stvk", "neo_hookean"};
    static const struct {
        const char *name;
        double order; /* of the loss with damping; 0: no loss */
        int steps;    /* a turn, on the finest run */
        const char *note;
    } integrators[] = {
        {"midpoint", 0.0, 400, "keeps it to rounding"},
        {"newmark", 0.0, 400, "keeps it to rounding"},
        {"bdf2", 3.0, 400, "its own"},
        {"implicit_euler", 1.0, 3200, "its own"},
    };
    for (int m = 0; m < 2; ++m) {
        for (int i = 0; i < 4; ++i) {
            double lost[2];
            const int steps = integrators[i].steps;
            char quantity[128];
            char note[160];
            for (int k = 0; k < 2; ++k) {
                lost[k] = lost_in_a_turn(materials[m], integrators[i].name, 1e-3, 10.0, steps / 2 << k);
            }
            const double bare = lost_in_a_turn(materials[m], integrators[i].name, 0.0, 10.0, steps);
            (void)snprintf(quantity, sizeof quantity, "%s, %s: angular momentum lost in a turn", materials[m],
                           integrators[i].name);
            (void)snprintf(note, sizeof note, "%d steps a turn; %.2g with half as many; without damping %.2g",
                           steps, lost[0], bare);
            validation_row(*state, quantity, 0.0, lost[1], fabs(lost[1]), note);
            if (integrators[i].order == 0.0) {
                assert_near(lost[1], 0.0, 1e-12);
                continue;
            }
            const double order = log2(lost[0] / lost[1]);
            (void)snprintf(quantity, sizeof quantity, "%s, %s: order of that loss in h", materials[m],
                           integrators[i].name);
            validation_row(*state, quantity, integrators[i].order, order, fabs(order - integrators[i].order),
                           integrators[i].note);
            assert_near(order, integrators[i].order, 0.1);
            if (integrators[i].order <= 3.0) {
                assert_near(lost[1], bare, 0.02 * bare);
            }
        }
    }
}

/* Largest |D v| of a rigid velocity over that of a stretching of the same size, in a strongly deformed state. */
static double rigid_force(stage *s, double beta, double *at_rest)
{
    brn_system *system = s->sim->system;
    const int dim = s->model->dim, n = system->ndof;
    double *x = calloc((unsigned)s->model->nnode * 3, sizeof *x);
    double *v = calloc((unsigned)n, sizeof *v);
    double *force = calloc((unsigned)n, sizeof *force);
    double worst[2] = {0.0, 0.0};
    /* At rest D is beta times the exact tangent. */
    double most = 0.0;
    *at_rest = 0.0;
    brn_block_matrix_zero(system->matrix);
    assert_done(s->ctx, brn_system_elastic(system, &s->model->rest[0][0], BRN_TANGENT_EXACT, NULL, NULL,
                                           system->matrix));
    assert_done(s->ctx, brn_system_damping_update(system, &s->model->rest[0][0]));
    for (int i = 0; i < system->matrix->start[system->matrix->n] * dim * dim; ++i) {
        most = fmax(most, beta * fabs(system->matrix->value[i]));
        *at_rest = fmax(*at_rest, fabs(system->damping->value[i] - beta * system->matrix->value[i]));
    }
    *at_rest /= most;
    for (int a = 0; a < s->model->nnode; ++a) {
        const double *r = s->model->rest[a];
        x[3 * a] = 1.3 * r[0] - 0.4 * r[1] + 2.0 * r[0] * r[1];
        x[3 * a + 1] = 0.5 * r[0] + 0.8 * r[1] - 1.0 * r[1] * r[1];
        x[3 * a + 2] = dim == 3 ? 0.9 * r[2] + 0.2 * r[0] + 3.0 * r[2] * r[1] : 0.0;
    }
    assert_done(s->ctx, brn_system_damping_update(system, x));
    for (int kind = 0; kind < 2; ++kind) {
        for (int a = 0; a < s->model->nnode; ++a) {
            const double *y = &x[3 * a];
            const double rigid[3] = {0.3 - 2.0 * y[1] + (dim == 3 ? 1.5 * y[2] : 0.0),
                                     -0.1 + 2.0 * y[0] - (dim == 3 ? 0.7 * y[2] : 0.0),
                                     0.2 - 1.5 * y[0] + 0.7 * y[1]};
            for (int i = 0; i < dim; ++i) {
                v[a * dim + i] = kind == 0 ? rigid[i] : 2.0 * y[i];
            }
        }
        assert_done(s->ctx, brn_block_matrix_multiply(system->damping, v, force));
        for (int i = 0; i < n; ++i) {
            worst[kind] = fmax(worst[kind], fabs(force[i]));
        }
    }
    free(x);
    free(v);
    free(force);
    return worst[0] / worst[1];
}

static void test_matrix(void **state)
{
    static const char *const elements[] = {"tri3", "tri6", "tet4", "tet10", "hex8", "hex20"};
    double rigid = 0.0;
    double rest = 0.0;
    for (int e = 0; e < 6; ++e) {
        for (int m = 1; m < TEST_MATERIALS; ++m) {
            stage s;
            double at_rest = 0.0;
            stage_open(&s,
                       "brunt: 1\ndimension: %d\ntime: {step: 1, end: 1}\nmethod: none\n"
                       "materials: {m: {type: %s, %s, damping: {beta: 0.01}}}\n"
                       "meshes: {box: {box: {size: %s, cells: %s, element: %s}}}\n"
                       "bodies: [{name: b, type: deformable, mesh: box, material: m}]\n",
                       e < 2 ? 2 : 3, test_materials[m].name, test_materials[m].constants,
                       e < 2 ? "[0.1, 0.2]" : "[0.1, 0.2, 0.1]", e < 2 ? "[2, 2]" : "[2, 2, 2]", elements[e]);
            rigid = fmax(rigid, rigid_force(&s, 0.01, &at_rest));
            rest = fmax(rest, at_rest);
            stage_close(&s);
        }
    }
    validation_row(*state, "damping force of a rigid velocity, strained state", 0.0, rigid, rigid,
                   "relative to that of a stretching; worst element and material");
    validation_row(*state, "D - beta K at rest", 0.0, rest, rest,
                   "relative to the largest entry; worst element and material");
    assert_true(rigid <= 1e-13 && rest <= 1e-12);
}

static int open_rows(void **state)
{
    *state = validation_open("damping", "Rayleigh damping",
                             "D = alpha M + beta K. *decay rate*: the lowest mode of a clamped cube (linear "
                             "material, 200 steps a period) against "
                             "(alpha + beta omega^2)/2, tolerance 5e-4 ((h omega)^2/4 of the rate). K is the "
                             "part of the stiffness that resists a "
                             "change of strain, with the moduli at rest: equal to the tangent at rest, zero "
                             "for every rigid velocity in any "
                             "state (the whole tangent would brake a body that spins with omega at the rate "
                             "beta omega^2 through its "
                             "centrifugal stress, for any step). *lost in a turn*: a free cube (E = 1 MPa, "
                             "0.1 m, 1000 kg/m^3) spins at 10 rad/s "
                             "with beta = 1e-3 s; what it loses of its angular momentum in the second turn, "
                             "and the order of that in the step. "
                             "Midpoint loses nothing (1e-12); Newmark O(h^6); BDF2 and implicit Euler no "
                             "more than they lose without damping.");
    return 0;
}

static int close_rows(void **state)
{
    validation_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mode), cmocka_unit_test(test_matrix),
                                       cmocka_unit_test(test_rotation)};
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
