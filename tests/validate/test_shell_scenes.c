/* Shells and springs through scenes, models and integrators. */
#include "plate_cases.h"
#include "stage.h"

static FILE *file;
static const char *const pattern_name[3] = {"slash", "alternating", "cross"};

/* A strip of 40 x 4 cells from x = 0 to 0.5, clamped at 0 by two lines of nodes, with `more` keys. q L^3/EI = 5 under gravity. */
static void open_strip(stage *s, const char *head, const char *pattern, const char *keys)
{
    stage_open(s,
               "brunt: 1\nmethod: none\n%s\n"
               "materials: {m: {type: stvk, young: 2.943e9, poisson: 0, density: 1000}}\n"
               "meshes: {g: {grid: {size: [0.5125, 0.05], cells: [41, 4], pattern: %s}, position: [0.24375, "
               "0, 0]}}\n"
               "bodies: [{name: strip, type: shell, mesh: g, material: m, thickness: 1e-3%s}]\n"
               "fixed: [{body: strip, where: {box: {min: [-1, -1, -1], max: [1e-6, 1, 1]}}}]\n",
               head, pattern, keys);
}

/* Average place of the nodes of the free end. */
static void strip_tip(const stage *s, double tip[3])
{
    int count = 0;
    memset(tip, 0, 3 * sizeof *tip);
    for (int n = 0; n < s->model->nnode; ++n) {
        if (s->model->rest[n][0] > 0.5 - 1e-6) {
            ++count;
            for (int i = 0; i < 3; ++i) {
                tip[i] += s->sim->state->node_pos[3 * n + i];
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        tip[i] /= count;
    }
}

/* Static, to a deflection of half its length. */
static void test_heavy_strip(void **state)
{
    (void)state;
    double exact[2];
    elastica_tip(0.0, 5.0, exact);
    for (int k = 0; k < 3; ++k) {
        stage s;
        double tip[3];
        char text[128];
        open_strip(&s, "integrator: static\ntime: {step: 0.25, end: 1}", pattern_name[k], "");
        const brn_report report = stage_run(&s);
        strip_tip(&s, tip);
        const double error = hypot(tip[0] / 0.5 - exact[0], tip[2] / 0.5 - exact[1]);
        (void)snprintf(text, sizeof text, "heavy strip, static, pattern %s, 40 x 4 cells", pattern_name[k]);
        validation_row(file, text, -exact[1], -tip[2] / 0.5, error,
                       "deflection/L; error: distance of the tips/L");
        assert_near(error, 0.0, 0.003);
        assert_int_equal(report.inversions, 0);
        stage_close(&s);
    }
}

/* Lowest frequencies of the same strip: beta^2 sqrt(EI/(rho A))/L^2, for bending; consistent and lumped mass. */
static void test_strip_modes(void **state)
{
    (void)state;
    const double beta[3] = {1.87510407, 4.69409113, 7.85475744};
    const double unit = sqrt(2.943e9 * 1e-6 / (12.0 * 1000.0)) / 0.25;
    static const char *const mass[2] = {"consistent", "lumped"};
    for (int k = 0; k < 2; ++k) {
        stage s;
        char keys[64];
        (void)snprintf(keys, sizeof keys, ", mass: %s", mass[k]);
        open_strip(&s, "time: {step: 0.01, end: 1}", "alternating", keys);
        brn_modes *modes = stage_modes(&s, 6);
        for (int b = 0; b < 3; ++b) {
            /* torsion lies in between: take the nearest */
            const double exact = beta[b] * beta[b] * unit;
            double best = INFINITY;
            char text[128];
            for (int i = 0; i < 6; ++i) {
                const double omega = sqrt(modes->lambda[i]);
                best = fabs(omega - exact) < fabs(best - exact) ? omega : best;
            }
            (void)snprintf(text, sizeof text, "strip, %s mass: bending frequency %d", mass[k], b + 1);
            validation_row(file, text, exact, best, fabs(best / exact - 1.0), "rad/s, error relative");
            assert_near(best / exact, 1.0,
                        0.01); /* 16 cells a half wave of the third: mass alone (pi/16)^2/12, both ways */
        }
        brn_modes_destroy(modes);
        stage_close(&s);
    }
}

/* The strip rings in its first mode, small, by Newmark: the time from rest to rest on the other side is half a period; energy is
   kept. */
static void test_ringing(void **state)
{
    (void)state;
    stage s;
    const double unit = sqrt(2.943e9 * 1e-6 / (12.0 * 1000.0)) / 0.25, omega = 1.87510407 * 1.87510407 * unit;
    const double period = 2.0 * M_PI / omega, h = period / 100.0;
    char head[128];
    (void)snprintf(head, sizeof head,
                   "integrator: newmark\ngravity: [0, 0, 0]\ntime: {step: %.17g, end: %.17g}", h,
                   3.0 * period);
    open_strip(&s, head, "slash", "");
    brn_modes *modes = stage_modes(&s, 1);
    double *x = malloc((size_t)s.model->nnode * 3 * sizeof *x),
           *v = calloc((size_t)s.model->nnode * 3, sizeof *v), top = 0.0;
    for (int i = 0; i < 3 * s.model->nnode; ++i) {
        top = fmax(top, fabs(modes->shape[i]));
    }
    for (int i = 0; i < 3 * s.model->nnode; ++i) {
        x[i] = (&s.model->rest[0][0])[i] + 1e-5 * modes->shape[i] / top;
    }
    assert_done(s.ctx, brn_sim_edit(s.sim, x, v));
    double last = 0.0, crossing[8], tip[3];
    int count = 0;
    brn_report report = {0};
    while (!brn_sim_done(s.sim) && count < 5) {
        const double before = last;
        report = stage_step(&s);
        strip_tip(&s, tip);
        last = tip[2];
        if (before * last < 0.0) {
            crossing[count++] = report.time - h * last / (last - before);
        }
    }
    assert_int_equal(count, 5);
    const double got = 0.5 * (crossing[4] - crossing[0]);
    validation_row(file, "strip rings: period by Newmark, 100 steps a period", period, got,
                   fabs(got / period - 1.0), "s, error relative");
    assert_near(got / period, 1.0, 0.003); /* Newmark: (omega h)^2/12 = 3e-4; the mesh 1e-3 */
    brn_modes_destroy(modes);
    free(x);
    free(v);
    stage_close(&s);
}

/* ---- a balloon ------------------------------------------------------------------------------------------------------ */

/* Pressure that holds a neo-Hookean sphere (lambda = 1.5 mu = 6e5 Pa, radius 0.1, wall 1e-3) at the stretch s: p = t W'(s)/(R s^2),
   W(s) per rest volume with the thickness free, by central differences of W. */
static double balloon_energy(double s)
{
    const double lambda = 6e5, mu = 4e5;
    double lo = -5.0, hi = 2.0; /* ln of the stretch across */
    for (int i = 0; i < 200; ++i) {
        const double u = 0.5 * (lo + hi);
        *(mu * expm1(2.0 * u) + lambda * (2.0 * log(s) + u) < 0.0 ? &lo : &hi) = u;
    }
    const double ln = 2.0 * log(s) + lo;
    return 0.5 * mu * (2.0 * s * s + exp(2.0 * lo) - 3.0) - mu * ln + 0.5 * lambda * ln * ln;
}

static double balloon_excess(double s, void *pressure)
{
    const double h = 1e-4, slope = (balloon_energy(s + h) - balloon_energy(s - h)) / (2.0 * h);
    return 1e-3 * slope / (0.1 * s * s) - *(double *)pressure;
}

static void test_balloon(void **state)
{
    (void)state;
    double pressure = 3e3;
    const double exact = bisect(balloon_excess, &pressure, 1.0, 1.3);
    for (int level = 2; level <= 3; ++level) {
        stage s;
        stage_open(
            &s,
            "brunt: 1\nmethod: none\nintegrator: static\ngravity: [0, 0, 0]\ntime: {step: 0.25, end: 1}\n"
            "materials: {r: {type: neo_hookean, lame_lambda: 6e5, lame_mu: 4e5}}\n"
            "meshes: {s: {icosphere: {radius: 0.1, subdivisions: %d}}}\n"
            "bodies: [{name: b, type: shell, mesh: s, material: r, thickness: 1e-3, bending: 0}]\n"
            "fixed:\n  - {body: b, where: {nearest: [0, 0, -0.1]}}\n"
            "  - {body: b, where: {nearest: [0, 0, 0.1]}, axes: xy}\n"
            "  - {body: b, where: {nearest: [0.1, 0, 0]}, axes: y}\n"
            "loads: [{body: b, where: {all: true}, pressure: %g}]\n",
            level, -pressure);
        (void)stage_run(&s);
        double area[2] = {0.0, 0.0};
        const brn_boundary *surface = s.model->body[0].boundary;
        for (int t = 0; t < surface->ntri; ++t) {
            for (int now = 0; now < 2; ++now) {
                const double *x = now ? s.sim->state->node_pos : &s.model->rest[0][0];
                double u[3], v[3], normal[3];
                for (int i = 0; i < 3; ++i) {
                    u[i] = x[3 * surface->tri[t][1] + i] - x[3 * surface->tri[t][0] + i];
                    v[i] = x[3 * surface->tri[t][2] + i] - x[3 * surface->tri[t][0] + i];
                }
                brn_dense_cross3(u, v, normal);
                area[now] += sqrt(brn_dense_dot3(normal, normal));
            }
        }
        char text[128];
        const double stretch = sqrt(area[1] / area[0]);
        (void)snprintf(text, sizeof text, "balloon, neo_hookean, %d triangles: stretch", surface->ntri);
        validation_row(file, text, exact, stretch, fabs(stretch / exact - 1.0), "error relative");
        assert_near((stretch - 1.0) / (exact - 1.0), 1.0,
                    level == 2 ? 0.06 : 0.02); /* triangles of 320 lie 2 % inside */
        stage_close(&s);
    }
}

/* A plate on springs: omega = sqrt(n k/m), exactly, but for Newmark. */
static void test_spring_period(void **state)
{
    (void)state;
    const double omega = sqrt(4.0 * 1e4 / 100.0), period = 2.0 * M_PI / omega, h = period / 200.0;
    stage s;
    stage_open(
        &s,
        "brunt: 1\nmethod: none\nintegrator: newmark\ngravity: [0, 0, 0]\ntime: {step: %.17g, end: 10}\n"
        "materials: {c: {type: stvk, young: 1e9, poisson: 0.3, density: 1000}}\n"
        "meshes: {p: {box: {size: [1, 1, 0.1], cells: [1, 1, 1], element: hex8}}}\n"
        "bodies:\n  - {name: plate, type: deformable, mesh: p, material: c, velocity: [0, 0, -0.1]}\n"
        "  - {name: roof, type: static, mesh: p, position: [0, 0, 1]}\n"
        "springs: [{body: plate, where: {face: +z}, to: roof, at: {face: -z}, stiffness: 1e4}]\n",
        h);
    double last = -1.0, crossing[3];
    int count = 0;
    brn_report report = {0};
    while (count < 3 && report.time < 3.0 * period) {
        const double before = last;
        report = stage_step(&s);
        last = s.sim->state->node_pos[2] - s.model->rest[0][2];
        if (before * last < 0.0 && report.time > 2.0 * h) {
            crossing[count++] = report.time - h * last / (last - before);
        }
    }
    assert_int_equal(count, 3);
    const double got = crossing[2] - crossing[0];
    validation_row(file, "plate on springs: period", period, got, fabs(got / period - 1.0),
                   "s, error relative");
    assert_near(got / period, 1.0,
                1e-3); /* Newmark: (omega h)^2/12 = 8e-5; springs do not stretch alike as the plate bends */
    stage_close(&s);
}

int main(void)
{
    file =
        validation_open("shell_scenes", "Shells and springs in scenes",
                        "Method `none`. The *strip* is 0.5 m long, 50 mm wide, 1 mm thick, Poisson's ratio "
                        "0, with q L^3/EI = 5 "
                        "under its weight, clamped by two lines of held nodes. The *balloon* is a sphere of "
                        "0.1 m with a wall of 1 mm, "
                        "pressed from inside by 3 kPa; exact: the thin-walled sphere of the same material.");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heavy_strip),   cmocka_unit_test(test_strip_modes),
        cmocka_unit_test(test_ringing),       cmocka_unit_test(test_balloon),
        cmocka_unit_test(test_spring_period),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    validation_close(file);
    return failed;
}
