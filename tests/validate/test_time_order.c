/* Orders of the integrators in the time step: a single mode of linear elasticity against q0 cos(omega t), and a
   stretched, spinning, vibrating cube of two nonlinear materials against a much finer run. */
#include "rows.h"
#include "stage.h"

static const struct {
    const char *name;
    double order;
} integrators[] = {
    {"implicit_euler", 1.0}, {"symplectic_euler", 1.0}, {"bdf2", 2.0}, {"newmark", 2.0}, {"midpoint", 2.0}};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators };

static void open_cube(stage *s, const char *material, const char *integrator, const char *fixed, double end,
                      int steps)
{
    stage_open(s,
               "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: %.17g, end: %.17g}\n"
               "method: {type: none, tolerance: 1.0e-12}\nintegrator: %s\n"
               "materials: {m: {type: %s, young: 1.0e6, poisson: 0.3, density: 1000}}\n"
               "meshes: {cube: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: hex8}}}\n"
               "bodies: [{name: b, type: deformable, mesh: cube, material: m}]\n%s",
               end / steps, end, integrator, material, fixed);
}

static double distance(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(sum / n);
}

/* The lowest mode of a cube held at its bottom, let go at amplitude q0: the error of the positions after 1.3 periods,
   relative to the largest displacement. */
static double mode_error(const char *integrator, int steps)
{
    const double pi = 3.14159265358979323846;
    static const char held[] = "fixed: [{body: b, where: {face: -z}}]\n";
    stage s;
    stage first;
    open_cube(&first, "linear", "newmark", held, 1.0, 1);
    brn_modes *modes = stage_modes(&first, 2);
    const double omega = sqrt(modes->lambda[0]);
    const double end = 1.3 * 2.0 * pi / omega;
    open_cube(&s, "linear", integrator, held, end, steps);
    const int n = 3 * s.model->nnode;
    double *x = calloc((size_t)n, sizeof *x);
    double *want = calloc((size_t)n, sizeof *want);
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        const double q = 1e-3 * modes->shape[i];
        x[i] = (&s.model->rest[0][0])[i] + q;
        want[i] = (&s.model->rest[0][0])[i] + q * cos(omega * end);
        most = fmax(most, fabs(q));
    }
    assert_done(s.ctx, brn_sim_edit(s.sim, x, NULL));
    stage_run(&s);
    const double error = distance(brn_sim_positions(s.sim), want, n) / most;
    free(x);
    free(want);
    stage_close(&s);
    brn_modes_destroy(modes);
    stage_close(&first);
    return error;
}

/* Final positions of the free cube; the caller frees them. */
static double *cube_end(const char *material, const char *integrator, int steps, int *n)
{
    static const double f[3][3] = {{1.2, 0.1, 0.0}, {0.0, 0.9, 0.05}, {0.0, 0.0, 1.05}};
    stage s;
    open_cube(&s, material, integrator, "", 0.02, steps);
    stage_place(&s, f, (const double[3]){0.1, 0.2, -0.3}, (const double[3]){20.0, -10.0, 30.0});
    stage_run(&s);
    *n = 3 * s.model->nnode;
    double *x = calloc((size_t)*n, sizeof *x);
    memcpy(x, brn_sim_positions(s.sim), (size_t)*n * sizeof *x);
    stage_close(&s);
    return x;
}

/* Orders seen between successive halvings must approach the theory's: the last one within 0.1 (first order) or 0.06. */
static void check(FILE *rows, const char *what, int integrator, const double *error, int count, int steps)
{
    char quantity[128];
    char note[96];
    const double want = integrators[integrator].order;
    const double order = log2(error[count - 2] / error[count - 1]);
    (void)snprintf(quantity, sizeof quantity, "%s, %s: order", integrators[integrator].name, what);
    (void)snprintf(note, sizeof note, "from %d and %d steps; error at the end %.2g", steps / 2, steps,
                   error[count - 1]);
    validation_row(rows, quantity, want, order, fabs(order - want), note);
    assert_near(order, want, want == 1.0 ? 0.1 : 0.06);
}

static void test_mode(void **state)
{
    for (int k = 0; k < INTEGRATORS; ++k) {
        double error[3];
        const int first = 256; /* stable for the explicit rule */
        for (int i = 0; i < 3; ++i) {
            error[i] = mode_error(integrators[k].name, first << i);
        }
        check(*state, "single mode", k, error, 3, first << 2);
    }
}

static void test_nonlinear(void **state)
{
    static const char *const materials[] = {"stvk", "neo_hookean"};
    for (int m = 0; m < 2; ++m) {
        int n = 0;
        /* Second order with 16 times the steps of the finest second-order run: 1/256 of its error. */
        double *reference = cube_end(materials[m], "midpoint", 16384, &n);
        for (int k = 0; k < INTEGRATORS; ++k) {
            double error[3];
            const int first = integrators[k].order == 1.0 ? 2048 : 256;
            for (int i = 0; i < 3; ++i) {
                double *x = cube_end(materials[m], integrators[k].name, first << i, &n);
                error[i] = distance(x, reference, n) / 0.1;
                free(x);
            }
            check(*state, materials[m], k, error, 3, first << 2);
        }
        free(reference);
    }
}

/* The damping matrix is made once a step; second-order rules must stay so. */
static void test_damped(void **state)
{
    static const char material[] = "neo_hookean, damping: {alpha: 5, beta: 2.0e-4}";
    int n = 0;
    double *reference = cube_end(material, "midpoint", 16384, &n);
    for (int k = 0; k < INTEGRATORS; ++k) {
        double error[3];
        const int first = integrators[k].order == 1.0 ? 2048 : 256;
        for (int i = 0; i < 3; ++i) {
            double *x = cube_end(material, integrators[k].name, first << i, &n);
            error[i] = distance(x, reference, n) / 0.1;
            free(x);
        }
        check(*state, "neo_hookean damped", k, error, 3, first << 2);
    }
    free(reference);
}

static int open_rows(void **state)
{
    *state = validation_open(
        "time_order", "Orders in the time step",
        "*single mode*: the lowest mode of a clamped cube of linear material, let go and followed for 1.3 "
        "periods, against "
        "q0 cos(omega t). *stvk*, *neo_hookean*: a free cube, stretched by up to 20 %, sheared and spinning "
        "at 37 rad/s, for "
        "0.02 s against a run of the midpoint rule with 16384 steps; *damped*: with alpha = 5 1/s, beta = "
        "2e-4 s. Order = log2 of the ratio of errors "
        "at the last halving of the step; errors are root mean squares of positions relative to the "
        "amplitude "
        "(single mode) or the cube's side. Tolerance 0.1 for first order, 0.06 for second: what the next "
        "term of the "
        "error still contributes at these steps.");
    return 0;
}

static int close_rows(void **state)
{
    validation_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mode), cmocka_unit_test(test_nonlinear),
                                       cmocka_unit_test(test_damped)};
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
