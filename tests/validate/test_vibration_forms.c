/* Frequencies of brn_vibration_find against closed forms. */
#include "flow.h"
#include "validate/rows.h"

#include <brunt/study.h>

static const double pi = 3.14159265358979323846;

static brn_vibration *find(flow *f, const char *text, int modes)
{
    const brn_vibration_options o = {.modes = modes};
    brn_vibration *v = NULL;
    *f = flow_open(1, text, NULL);
    assert_done(f->ctx, brn_vibration_find(f->ctx, f->model, &o, &v));
    return v;
}

/* Elastic mode, from 0. */
static brn_vibration_mode elastic(const brn_vibration *v, int index)
{
    brn_vibration_mode mode = {.rigid = true};
    int at = 0;
    while (mode.rigid) {
        assert_int_equal(brn_vibration_get(v, at++, &mode), BRN_OK);
    }
    assert_int_equal(brn_vibration_get(v, at - 1 + index, &mode), BRN_OK);
    return mode;
}

/* ---- a bar along x: only that axis is free, so that it is a chain ---------------------------------------------------------- */

#define BAR                                                                                    \
 "brunt: 1\ntime: {step: 0.01, end: 0.01}\nmethod: none\n"                                     \
 "materials: {m: {type: neo_hookean, young: 1e6, poisson: 0, density: 1000}}\n"                \
 "meshes: {a: {box: {size: [1, 0.1, 0.1], cells: [%d, 1, 1], element: hex8}}}\n"               \
 "bodies:\n  - {name: bar, type: deformable, mesh: a, material: m, position: [0.5, 0, 0]}\n%s" \
 "fixed:\n  - {name: rail, body: bar, where: {all: true}, axes: yz}\n%s"

/* Linear elements with consistent mass: lambda = 6 c^2/h^2 (1 - cos kh)/(2 + cos kh), k = n pi/L of a free bar. */
static void test_bar(void **state)
{
    (void)state;
    FILE *rows = validation_open(
        "vibration_bar", "Vibration of a bar",
        "Free bar, modes along it, `brn_vibration_find`; 10 and 20 hex8 against the eigenvalues of the "
        "discrete chain (to 1e-9) and n c/(2 L): second order.");
    double error[2];
    for (int refined = 0; refined < 2; ++refined) {
        const int cells = 10 << refined;
        char text[1200];
        (void)snprintf(text, sizeof text, BAR, cells, "", "");
        flow f;
        brn_vibration *v = find(&f, text, 5);
        brn_vibration_mode rigid;
        assert_int_equal(brn_vibration_count(v), 6); /* it slides */
        assert_int_equal(brn_vibration_get(v, 0, &rigid), BRN_OK);
        assert_near(rigid.effective_mass[0], 10.0, 1e-9);
        for (int n = 1; n <= 5; ++n) {
            const double h = 1.0 / cells;
            const double kh = n * pi * h;
            const double chain = 6.0 * 1000.0 / (h * h) * (1.0 - cos(kh)) / (2.0 + cos(kh));
            assert_near(elastic(v, n - 1).lambda, chain, 1e-9 * chain);
        }
        const double exact = sqrt(1000.0) / 2.0;
        error[refined] = elastic(v, 0).frequency / exact - 1.0;
        validation_row(rows, "first frequency [Hz]", exact, elastic(v, 0).frequency, error[refined],
                       refined ? "20 elements" : "10 elements");
        brn_vibration_destroy(v);
        flow_close(&f);
    }
    /* (kh)^2/24: 0.41 % and 0.10 % */
    assert_near(log2(error[0] / error[1]), 2.0, 0.01);
    validation_close(rows);
}

/* A rigid weight at the end: kL tan(kL) = m/M. */
static void test_bar_with_weight(void **state)
{
    (void)state;
    char text[1600];
    (void)snprintf(text, sizeof text, BAR, 40,
                   "  - {name: weight, type: rigid, shape: {box: {size: [0.1, 0.2, 0.2]}}, mass: 10, "
                   "position: [1.05, 0, 0]}\n",
                   "  - {name: wall, body: bar, where: {face: -x}}\n"
                   "attach: [{body: bar, where: {face: +x}, to: weight}]\n");
    /* The end follows the weight, which has six freedoms: rails would hold the end twice. */
    char *rail = strstr(text, "where: {all: true}");
    memcpy(rail, "where: {face: -x} ", strlen("where: {face: -x} "));
    flow f;
    brn_vibration *v = find(&f, text, 8);
    double lo = 0.0;
    double hi = 1.5;
    for (int i = 0; i < 60; ++i) { /* m = M = 10 kg */
        const double x = 0.5 * (lo + hi);
        *(x * tan(x) < 1.0 ? &lo : &hi) = x;
    }
    const double exact = lo * sqrt(1000.0) / (2.0 * pi);
    /* Among bending and twisting modes it is the one that moves most of the mass along x. */
    int best = 0;
    for (int i = 0; i < 8; ++i) {
        best = elastic(v, i).effective_mass[0] > elastic(v, best).effective_mass[0] ? i : best;
    }
    const brn_vibration_mode mode = elastic(v, best);
    /* (kL/40)^2/24 is 2e-5; what the weight's face holds of the bar's width (nu = 0: nothing). */
    assert_near(mode.frequency, exact, 1e-4 * exact);
    /* The bar's end and the whole weight move as one, and farthest; the weight is as stiff as the stiffest element, not more. */
    brn_body_info weight;
    assert_done(f.ctx, brn_model_get_body(f.model, 1, &weight));
    assert_near(fabs(mode.shape[3 * weight.node_first]), 1.0, 1e-4);
    brn_vibration_destroy(v);
    flow_close(&f);
}

/* ---- a rigid cube on springs ---------------------------------------------------------------------------------------------------- */

static void test_springs(void **state)
{
    (void)state;
    static const char text[] =
        "brunt: 1\ntime: {step: 0.01, end: 0.01}\nmethod: ipc\ngravity: [0, 0, 0]\n"
        "meshes: {c: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\n"
        "bodies:\n"
        "  - {name: cube, type: rigid, mesh: c, mass: 2, position: [0, 0, 2]}\n"
        "  - {name: base, type: static, mesh: c}\n"
        "springs: [{body: cube, where: {face: -z}, to: base, stiffness: 50, damping: 0.2}]\n";
    flow f;
    brn_vibration *v = find(&f, text, 50);
    /* Four vertical springs of 50 N/m: one mode up and down, two that rock about x and y. Sideways and about z nothing resists. The
       strains of a rigid body are no modes. */
    const int count = brn_vibration_count(v);
    int best = -1;
    for (int i = 0; i < count; ++i) {
        brn_vibration_mode mode;
        assert_int_equal(brn_vibration_get(v, i, &mode), BRN_OK);
        best = !mode.rigid && mode.effective_mass[2] > 1.0 ? i : best;
    }
    assert_int_equal(count, 6);
    brn_vibration_mode up;
    assert_int_equal(brn_vibration_get(v, best, &up), BRN_OK);
    /* k = 200 N/m, m = 2 kg, c = 0.8 N s/m; the cube itself gives by 1e-6 or so. */
    assert_near(up.lambda, 100.0, 1e-3);
    assert_near(up.ratio, 0.8 / (2.0 * 2.0 * 10.0), 1e-6);
    brn_vibration_destroy(v);
    flow_close(&f);
}

/* ---- beams ---------------------------------------------------------------------------------------------------------------------- */

/* Shapes of a beam of length 1 [Euler and Bernoulli]: w = cosh bx -+ cos bx - s (sinh bx -+ sin bx), clamped and free, and both free. */
static double beam_slope(double b, bool clamped, int derivative, double x)
{
    const double s =
        clamped ? (cosh(b) + cos(b)) / (sinh(b) + sin(b)) : (cosh(b) - cos(b)) / (sinh(b) - sin(b));
    const double sign = clamped ? -1.0 : 1.0;
    const double circle = b * x + 0.5 * pi * derivative;
    const double h = derivative % 2 == 0 ? cosh(b * x) : sinh(b * x);
    const double g = derivative % 2 == 0 ? sinh(b * x) : cosh(b * x);
    return pow(b, derivative) * (h + sign * cos(circle) - s * (g + sign * sin(circle)));
}

/* 1 - f / f_EB to first order in (t/L)^2: rotary inertia takes r^2 int w'^2 / int w^2 off lambda, shear
   E/(kappa G) r^2 int w'''^2 / int w''^2 [Timoshenko 1921], r^2 = t^2/12. */
static double beam_correction(double b, bool clamped, double t, double poisson)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < 20000; ++i) {
        for (int d = 0; d < 4; ++d) {
            const double w = beam_slope(b, clamped, d, (i + 0.5) / 20000);
            sum[d] += w * w;
        }
    }
    const double kappa = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson); /* Cowper 1966 */
    const double shear = 2.0 * (1.0 + poisson) / kappa;
    return 0.5 * t * t / 12.0 * (sum[1] / sum[0] + shear * sum[3] / sum[2]);
}

static void test_beams(void **state)
{
    (void)state;
    static const double root[2][2] = {{4.730040745, 7.853204624}, {1.875104069, 4.694091133}};
    const double t = 0.04;
    FILE *rows = validation_open(
        "vibration_beam", "Vibration of beams",
        "Beams 1 x 0.04 x 0.04 m, E 1e6 Pa, of 40 x 2 x 2 hex20, free (nu 0.3) and clamped at one end (nu 0: "
        "else the "
        "wall holds the width too): bending frequencies "
        "against Euler and Bernoulli with Timoshenko's corrections to first order in (t/L)^2. The "
        "second order is about the square of the first: tolerance 2e-3.");
    for (int clamped = 0; clamped < 2; ++clamped) {
        char text[1200];
        const double poisson = clamped ? 0.0 : 0.3;
        (void)snprintf(text, sizeof text,
                       "brunt: 1\ntime: {step: 0.01, end: 0.01}\nmethod: none\n"
                       "materials: {m: {type: neo_hookean, young: 1e6, poisson: %g, density: 1000}}\n"
                       "meshes: {a: {box: {size: [1, 0.04, 0.04], cells: [40, 2, 2], element: hex20}}}\n"
                       "bodies: [{name: beam, type: deformable, mesh: a, material: m}]\n%s",
                       poisson, clamped ? "fixed: [{body: beam, where: {face: -x}}]\n" : "");
        flow f;
        brn_vibration *v = find(&f, text, 6);
        for (int n = 0; n < 2; ++n) {
            /* Twins: the second plane is the same. */
            const double got = elastic(v, 2 * n).frequency;
            assert_near(elastic(v, 2 * n + 1).frequency, got, 1e-6 * got);
            const double b = root[clamped][n];
            const double euler = b * b * t / sqrt(12.0) * sqrt(1000.0) / (2.0 * pi);
            const double exact = euler * (1.0 - beam_correction(b, clamped, t, poisson));
            char name[64];
            (void)snprintf(name, sizeof name, "%s beam, mode %d [Hz]", clamped ? "clamped" : "free", n + 1);
            validation_row(rows, name, exact, got, got / exact - 1.0, "");
            assert_near(got, exact, 2e-3 * exact);
        }
        brn_vibration_destroy(v);
        flow_close(&f);
    }
    validation_close(rows);
}

/* ---- a plate of shells ------------------------------------------------------------------------------------------------------------ */

/* Square, simply supported: f_mn = pi/2 (m^2 + n^2)/a^2 sqrt(D/(rho t)). */
static void test_plate(void **state)
{
    (void)state;
    FILE *rows = validation_open("vibration_plate", "Vibration of a plate of shells",
                                 "Square plate 1 x 1 x 0.01 m, E 1e9 Pa, nu 0.3, its rim held against "
                                 "displacement, of shells: frequencies "
                                 "against those of Kirchhoff's plate.");
    double error[2];
    for (int refined = 0; refined < 2; ++refined) {
        char text[1200];
        const int cells = 12 << refined;
        (void)snprintf(text, sizeof text,
                       "brunt: 1\ntime: {step: 0.01, end: 0.01}\nmethod: none\n"
                       "materials: {m: {type: stvk, young: 1e9, poisson: 0.3, density: 1000}}\n"
                       "meshes: {a: {grid: {size: [1, 1], cells: [%d, %d]}}}\n"
                       "bodies: [{name: plate, type: shell, mesh: a, material: m, thickness: 0.01}]\n"
                       "fixed:\n"
                       "  - {body: plate, where: {group: -x}}\n  - {body: plate, where: {group: +x}}\n"
                       "  - {body: plate, where: {group: -y}}\n  - {body: plate, where: {group: +y}}\n",
                       cells, cells);
        flow f;
        brn_vibration *v = find(&f, text, 3);
        const double rigidity = 1e9 * 1e-6 / (12.0 * 0.91);
        const double exact = 0.5 * pi * 2.0 * sqrt(rigidity / 10.0);
        error[refined] = elastic(v, 0).frequency / exact - 1.0;
        validation_row(rows, "first frequency [Hz]", exact, elastic(v, 0).frequency, error[refined],
                       refined ? "24 x 24 cells" : "12 x 12 cells");
        const double second = 2.5 * exact; /* (1, 2) and (2, 1) */
        validation_row(rows, "second frequency [Hz]", second, elastic(v, 1).frequency,
                       elastic(v, 1).frequency / second - 1.0, refined ? "24 x 24 cells" : "12 x 12 cells");
        if (refined) {
            assert_near(elastic(v, 1).frequency, second, 0.02 * second);
            assert_near(elastic(v, 2).frequency, second, 0.02 * second);
        }
        brn_vibration_destroy(v);
        flow_close(&f);
    }
    /* Second order or so, with a constant that depends on the pattern of triangles. */
    assert_true(fabs(error[1]) < 0.01 && fabs(error[1]) < 0.5 * fabs(error[0]));
    validation_close(rows);
}

/* ---- attachments ------------------------------------------------------------------------------------------------------------------ */

/* Two halves welded together are the whole, mode by mode. */
static void test_welded_halves(void **state)
{
    (void)state;
#define BLOCKS                                                                                            \
 "brunt: 1\ntime: {step: 0.01, end: 0.01}\nmethod: none\n"                                                \
 "materials: {m: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000, damping: {alpha: 3, beta: " \
 "1e-3}}}\n"
    static const char whole[] =
        BLOCKS "meshes: {a: {box: {size: [2, 0.4, 0.4], cells: [8, 2, 2], element: hex8}}}\n"
               "bodies: [{name: a, type: deformable, mesh: a, material: m, position: [0.5, 0, 0]}]\n";
    static const char halves[] =
        BLOCKS "meshes: {a: {box: {size: [1, 0.4, 0.4], cells: [4, 2, 2], element: hex8}}}\n"
               "bodies:\n  - {name: a, type: deformable, mesh: a, material: m}\n"
               "  - {name: b, type: deformable, mesh: a, material: m, position: [1, 0, 0]}\n"
               "attach: [{body: b, where: {face: -x}, to: a}]\n";
    flow f, g;
    brn_vibration *v = find(&f, whole, 8);
    brn_vibration *w = find(&g, halves, 8);
    assert_int_equal(brn_vibration_count(w), 14); /* six rigid motions, not twelve */
    for (int i = 0; i < 8; ++i) {
        const brn_vibration_mode a = elastic(v, i);
        const brn_vibration_mode b = elastic(w, i);
        assert_near(b.lambda, a.lambda, 1e-7 * a.lambda);
        assert_near(b.ratio, a.ratio, 1e-7 * a.ratio);
    }
    /* Alone it is half as long, and free where it was attached. */
    const brn_vibration_options o = {.modes = 1, .body = "b"};
    brn_vibration *alone = NULL;
    assert_done(g.ctx, brn_vibration_find(g.ctx, g.model, &o, &alone));
    assert_int_equal(brn_vibration_count(alone), 7);
    assert_true(elastic(alone, 0).lambda > 4.0 * elastic(w, 0).lambda);
    brn_vibration_destroy(alone);
    brn_vibration_destroy(v);
    brn_vibration_destroy(w);
    flow_close(&f);
    flow_close(&g);
}

/* ---- ring-down ------------------------------------------------------------------------------------------------------------------ */

/* A clamped beam let go in its first shape: zero crossings and peaks of its tip against the predicted frequency and damping. */
static void test_ring_down(void **state)
{
    (void)state;
    static const char text[] =
        "brunt: 1\ntime: {step: 0.002, end: 2.2}\nmethod: none\nintegrator: newmark\ngravity: [0, 0, 0]\n"
        "materials: {m: {type: neo_hookean, young: 1e8, poisson: 0.3, density: 1000, damping: {alpha: 0.4, "
        "beta: 2e-3}}}\n"
        "meshes: {a: {box: {size: [1, 0.1, 0.15], cells: [8, 1, 2], element: hex20}}}\n"
        "bodies: [{name: beam, type: deformable, mesh: a, material: m}]\n"
        "fixed: [{body: beam, where: {face: -x}}]\n";
    flow f;
    brn_vibration *v = find(&f, text, 1);
    const brn_vibration_mode mode = elastic(v, 0);
    const int nodes = flow_nodes(&f);
    double *pos = calloc(3 * (size_t)nodes, sizeof *pos);
    int tip = 0;
    int axis = 0;
    for (int i = 0; i < 3 * nodes; ++i) {
        pos[i] = brn_sim_positions(f.sim)[i] + 1e-5 * mode.shape[i];
        if (fabs(mode.shape[i]) > fabs(mode.shape[3 * tip + axis])) {
            tip = i / 3;
            axis = i % 3;
        }
    }
    const double rest = brn_sim_positions(f.sim)[3 * tip + axis];
    assert_done(f.ctx, brn_sim_edit(f.sim, pos, NULL));
    /* Crossings of the same sense are a period apart; between the first and the last, amplitudes fall as predicted. */
    double first = NAN, last = NAN, before = 1.0, time = 0.0, energy[2] = {0.0, 0.0};
    int periods = -1;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
        const double u = brn_sim_positions(f.sim)[3 * tip + axis] - rest;
        const double now = brn_sim_time(f.sim);
        if (before > 0.0 && u <= 0.0) {
            last = time + (now - time) * before / (before - u);
            first = isnan(first) ? last : first;
            /* The speed there is that of the envelope. */
            const double speed = fabs(u - before) / (now - time);
            energy[periods < 0 ? 0 : 1] = speed;
            ++periods;
        }
        before = u;
        time = now;
    }
    assert_true(periods >= 3);
    const double period = (last - first) / periods;
    const double decay = log(energy[0] / energy[1]) / (last - first);
    FILE *rows = validation_open("vibration_ring_down", "Ring-down of a beam",
                                 "A clamped beam, let go in its first shape, Rayleigh damping by mass and "
                                 "stiffness, Newmark's rule with 100 or "
                                 "more steps a period: frequency and decay of its tip against those that "
                                 "`brn_vibration_find` predicts. "
                                 "Tolerance 0.5 % and 2 %: the step, and speeds by differences.");
    validation_row(rows, "damped frequency [Hz]", mode.damped, 1.0 / period, 1.0 / period / mode.damped - 1.0,
                   "");
    const double want = mode.ratio * 2.0 * pi * mode.frequency;
    validation_row(rows, "decay [1/s]", want, decay, decay / want - 1.0, "");
    validation_close(rows);
    assert_near(1.0 / period, mode.damped, 5e-3 * mode.damped);
    assert_near(decay, want, 0.02 * want);
    free(pos);
    brn_vibration_destroy(v);
    flow_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bar),       cmocka_unit_test(test_bar_with_weight),
        cmocka_unit_test(test_springs),   cmocka_unit_test(test_beams),
        cmocka_unit_test(test_plate),     cmocka_unit_test(test_welded_halves),
        cmocka_unit_test(test_ring_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
