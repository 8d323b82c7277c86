/* A free cube that spins, drifts and vibrates: what the integrators conserve. Shared by the short and the long run. */
#ifndef BRN_TESTS_VALIDATE_SPIN_H
#define BRN_TESTS_VALIDATE_SPIN_H

#include "rows.h"
#include "stage.h"

static inline void spin_open(stage *s, const char *material, const char *integrator, double step)
{
    /* Stretched by 5 %, sheared, drifting at 0.4 m/s, spinning at 22 rad/s (3.5 turns a second). */
    static const double f[3][3] = {{1.05, 0.03, 0.0}, {0.0, 0.97, 0.02}, {0.01, 0.0, 1.02}};
    /* A tolerance below the rounding of the positions: Newton goes on until it cannot improve. */
    stage_open(s,
               "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: %.17g, end: 1}\n"
               "method: {type: none, tolerance: 1.0e-15}\nintegrator: %s\n"
               "materials: {m: {type: %s, young: 1.0e6, poisson: 0.3, density: 1000}}\n"
               "meshes: {cube: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: hex8}}}\n"
               "bodies: [{name: b, type: deformable, mesh: cube, material: m}]\n",
               step, integrator, material);
    stage_place(s, f, (const double[3]){0.2, -0.3, 0.1}, (const double[3]){5.0, 20.0, -8.0});
}

/* Highest angular frequency of the cube at rest [rad/s]. */
static inline double spin_omega_max(const char *material)
{
    stage s;
    spin_open(&s, material, "midpoint", 1e-4);
    const double omega = stage_omega_max(&s);
    stage_close(&s);
    return omega;
}

static inline double norm3(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

static inline double distance3(const double a[3], const double b[3])
{
    return norm3((const double[3]){a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

/* Of y over equally spaced times: the change along the least-squares line over the whole run, and half the range of what
   is left beside the line. */
static inline void trend_and_swing(const double *y, int n, double *trend, double *swing)
{
    double *t = calloc((unsigned)n, sizeof *t);
    double lo = INFINITY;
    double hi = -INFINITY;
    double offset = 0.0;
    for (int i = 0; i < n; ++i) {
        t[i] = i;
    }
    const double slope = fit_line(t, y, n, &offset);
    for (int i = 0; i < n; ++i) {
        lo = fmin(lo, y[i] - offset - slope * i);
        hi = fmax(hi, y[i] - offset - slope * i);
    }
    *trend = slope * (n - 1);
    *swing = 0.5 * (hi - lo);
    free(t);
}

/* Momenta to rounding and the energy's trend over `steps` steps, for each material and integrator. */
static inline void spin_energy(FILE *rows, int steps)
{
    static const char *const materials[] = {"stvk", "neo_hookean"};
    static const struct {
        const char *name;
        double step; /* h omega_max */
    } integrators[] = {{"symplectic_euler", 0.5}, {"midpoint", 1.0}, {"newmark", 1.0}};
    double *energy = calloc((unsigned)steps + 1, sizeof *energy);
    for (int m = 0; m < 2; ++m) {
        const double omega = spin_omega_max(materials[m]);
        for (int k = 0; k < 3; ++k) {
            stage s;
            spin_open(&s, materials[m], integrators[k].name, integrators[k].step / omega);
            const brn_report first = stage_report(&s);
            brn_report last = first;
            double worst = 0.0;
            double worst_angular = 0.0;
            energy[0] = first.kinetic + first.elastic;
            for (int n = 1; n <= steps; ++n) {
                last = stage_step(&s);
                assert_int_equal(last.retries, 0);
                energy[n] = last.kinetic + last.elastic;
                worst = fmax(worst, distance3(last.momentum, first.momentum));
                worst_angular = fmax(worst_angular, distance3(last.angular_momentum, first.angular_momentum));
            }
            double trend = 0.0;
            double swing = 0.0;
            trend_and_swing(energy, steps + 1, &trend, &swing);
            worst /= norm3(first.momentum);
            worst_angular /= norm3(first.angular_momentum);
            char quantity[128];
            char note[160];
            const double turns =
                norm3((const double[3]){5.0, 20.0, -8.0}) * steps * s.model->step / 6.283185307;
            (void)snprintf(quantity, sizeof quantity, "%s, %s: energy trend over the run / E0", materials[m],
                           integrators[k].name);
            (void)snprintf(note, sizeof note, "swing / E0 %.2g; h omega_max = %g, %d steps, %.1f turns",
                           swing / energy[0], integrators[k].step, steps, turns);
            validation_row(rows, quantity, 0.0, trend / energy[0], fabs(trend / energy[0]), note);
            (void)snprintf(quantity, sizeof quantity, "%s, %s: linear momentum", materials[m],
                           integrators[k].name);
            validation_row(rows, quantity, 0.0, worst, worst, "largest change, relative");
            if (k != 2) {
                (void)snprintf(quantity, sizeof quantity, "%s, %s: angular momentum", materials[m],
                               integrators[k].name);
                validation_row(rows, quantity, 0.0, worst_angular, worst_angular, "largest change, relative");
                assert_true(worst_angular <= 1e-10);
            }
            assert_true(worst <= 1e-12);
            assert_true(fabs(trend) < swing);
            stage_close(&s);
        }
    }
    free(energy);
}

#endif
