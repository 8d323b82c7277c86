/* Free fall of an elastic cube: every node falls as a point mass does under the same integrator. */
#include "rows.h"
#include "stage.h"

static const double G = 9.81, Y0 = 1.3, V0 = 0.7;

static void open_fall(stage *s, const char *integrator, double step, double end)
{
    stage_open(
        s,
        "brunt: 1\ngravity: [0, 0, -9.81]\ntime: {step: %.17g, end: %.17g}\nmethod: none\nintegrator: %s\n"
        "materials: {m: {type: neo_hookean, young: 5.0e5, poisson: 0.4, density: 1100}}\n"
        "meshes: {cube: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: hex8}}}\n"
        "bodies: [{name: b, type: deformable, mesh: cube, material: m, position: [0, 0, %g], "
        "velocity: [0.3, -0.2, %g]}]\n",
        step, end, integrator, Y0, V0);
}

/* Largest error of a height, drift sideways and change of shape included, against the height of the centre. */
static double height_error(const stage *s, double centre)
{
    const double *x = brn_sim_positions(s->sim);
    const double t = brn_sim_time(s->sim);
    double worst = 0.0;
    for (int a = 0; a < s->model->nnode; ++a) {
        const double want[3] = {s->model->rest[a][0] + 0.3 * t, s->model->rest[a][1] - 0.2 * t,
                                s->model->rest[a][2] - Y0 + centre};
        for (int i = 0; i < 3; ++i) {
            worst = fmax(worst, fabs(x[3 * a + i] - want[i]));
        }
    }
    return worst;
}

static void test_one_step_rules(void **state)
{
    FILE *rows = *state;
    static const struct {
        const char *name;
        bool exact;
        double step; /* [s]; the explicit rule needs a stable one */
    } cases[] = {{"newmark", true, 0.01},
                 {"midpoint", true, 0.01},
                 {"implicit_euler", false, 0.01},
                 {"symplectic_euler", false, 2e-4}};
    for (int c = 0; c < 4; ++c) {
        enum { STEPS = 200 };
        const double h = cases[c].step;
        stage s;
        double worst = 0.0;
        double centre = 0.0;
        open_fall(&s, cases[c].name, h, STEPS * h);
        for (int n = 1; n <= STEPS; ++n) {
            stage_step(&s);
            const double t = n * h;
            centre = Y0 + V0 * t - (cases[c].exact ? 0.5 * G * t * t : 0.5 * G * h * h * n * (n + 1.0));
            worst = fmax(worst, height_error(&s, centre));
        }
        char quantity[96];
        (void)snprintf(quantity, sizeof quantity, "%s, height after %d steps of %g s", cases[c].name, STEPS,
                       h);
        validation_row(rows, quantity, centre, centre + height_error(&s, centre), worst,
                       cases[c].exact ? "m; y0 + v0 t - g t^2/2" : "m; y0 + n h v0 - g h^2 n(n+1)/2");
        /* Positions of up to 18 m are rounded to 4e-15 m in each of 200 steps: 7e-13 m if all went one way. */
        assert_true(worst <= 1e-12);
        stage_close(&s);
    }
}

static void test_bdf2(void **state)
{
    FILE *rows = *state;
    double error[3];
    double centre = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double h = 0.02 / (1 << k);
        stage s;
        open_fall(&s, "bdf2", h, 1.0);
        stage_run(&s);
        centre = Y0 + V0 - 0.5 * G;
        error[k] = height_error(&s, centre);
        stage_close(&s);
    }
    const double order = log2(error[1] / error[2]);
    validation_row(rows, "bdf2, height after 1 s, h = 0.005 s", centre, centre + error[2], error[2], "m");
    validation_row(rows, "bdf2, order from h = 0.01 and 0.005 s", 2.0, order, fabs(order - 2.0), "");
    /* The velocity is exact, the start by implicit Euler puts the position off by g h^2/2, a third of which each further
       step takes back: the error is C h^2 exactly. */
    assert_near(order, 2.0, 1e-3);
}

static int open_rows(void **state)
{
    *state = validation_open("free_fall", "Free fall",
                             "An elastic cube (neo-Hookean, hex8) thrown upwards; worst error of any node's "
                             "position over the run. Newmark and "
                             "midpoint are exact for a constant acceleration; implicit and symplectic Euler "
                             "follow their closed form; both "
                             "to rounding (tolerance 1e-12 m: 200 roundings of a position of 18 m). BDF2 "
                             "starts with one step of implicit Euler and has order 2.");
    return 0;
}

static int close_rows(void **state)
{
    validation_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_step_rules), cmocka_unit_test(test_bdf2)};
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
