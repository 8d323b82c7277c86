/* Momenta and energy of a free cube, and what Newmark's rule (trapezoidal) keeps of the angular momentum.

   With chi(x, v) = (x + h/2 v, v + h/2 a(x)) the trapezoidal rule is chi^-1 o midpoint o chi (both are compositions of half
   steps of explicit and implicit Euler, in the other order [Hairer, Lubich & Wanner 2006, VI.8.3]). The midpoint rule
   keeps sum x x p exactly, so the trapezoidal rule keeps its value at chi(x, v):
       L + h/2 sum x x f + h^2/4 sum v x f  =  L + h^2/4 sum v x f,         f: elastic forces, whose torque is zero.
   L itself therefore swings with an amplitude of order h^2 and never drifts. */
#include "spin.h"

static void test_energy(void **state)
{
    spin_energy(*state, 10000);
}

/* Swing and trend of |L - L0|/L0 under Newmark, and the largest change of the invariant above. */
static void newmark_angular(const char *material, double step, double *swing, double *trend,
                            double *invariant)
{
    enum { STEPS_MAX = 8000 };
    static double along[STEPS_MAX + 1];
    stage s;
    spin_open(&s, material, "newmark", step);
    const int steps = (int)(0.25 / step);
    assert_in_range(steps, 10, STEPS_MAX);
    const brn_report first = stage_report(&s);
    const double scale = norm3(first.angular_momentum);
    double start[3] = {0.0, 0.0, 0.0};
    *invariant = 0.0;
    for (int n = 0; n <= steps; ++n) {
        const brn_report now = n > 0 ? stage_step(&s) : first;
        const double *elastic = NULL;
        const double *external = NULL;
        double kept[3];
        assert_done(s.ctx, brn_sim_forces(s.sim, &elastic, &external));
        memcpy(kept, now.angular_momentum, sizeof kept);
        for (int a = 0; a < s.model->nnode; ++a) {
            const double *v = &brn_sim_velocities(s.sim)[3 * a];
            const double *f = &elastic[3 * a];
            for (int i = 0; i < 3; ++i) {
                const int j = (i + 1) % 3, k = (i + 2) % 3;
                kept[i] += 0.25 * step * step * (v[j] * f[k] - v[k] * f[j]);
            }
        }
        if (n == 0) {
            memcpy(start, kept, sizeof start);
        }
        *invariant = fmax(*invariant, distance3(kept, start) / scale);
        /* The component along the first angular momentum: a drift would show here. */
        along[n] = 0.0;
        for (int i = 0; i < 3; ++i) {
            along[n] += now.angular_momentum[i] * first.angular_momentum[i] / (scale * scale);
        }
    }
    trend_and_swing(along, steps + 1, trend, swing);
    stage_close(&s);
}

static void test_newmark_angular(void **state)
{
    static const char *const materials[] = {"stvk", "neo_hookean"};
    for (int m = 0; m < 2; ++m) {
        const double omega = spin_omega_max(materials[m]);
        double swing[2];
        double trend[2];
        double invariant[2];
        for (int k = 0; k < 2; ++k) {
            newmark_angular(materials[m], 0.5 / omega / (1 << k), &swing[k], &trend[k], &invariant[k]);
        }
        char quantity[128];
        char note[128];
        (void)snprintf(quantity, sizeof quantity, "%s, newmark: L + h^2/4 sum v x f", materials[m]);
        validation_row(*state, quantity, 0.0, fmax(invariant[0], invariant[1]),
                       fmax(invariant[0], invariant[1]), "largest change, relative to L");
        (void)snprintf(quantity, sizeof quantity, "%s, newmark: swing of L, ratio at h and h/2",
                       materials[m]);
        (void)snprintf(note, sizeof note, "swings %.2g and %.2g of L, h omega_max = 0.5 and 0.25", swing[0],
                       swing[1]);
        validation_row(*state, quantity, 4.0, swing[0] / swing[1], fabs(swing[0] / swing[1] - 4.0), note);
        (void)snprintf(quantity, sizeof quantity, "%s, newmark: trend of L over the run / L", materials[m]);
        validation_row(*state, quantity, 0.0, trend[1], fabs(trend[1]), "beside a swing of the size above");
        assert_true(invariant[0] <= 1e-10 && invariant[1] <= 1e-10);
        /* Order h^2 up to the next term, (h omega)^2/12 of it for the modes that carry the swing. */
        assert_near(swing[0] / swing[1], 4.0, 0.4);
        assert_true(fabs(trend[0]) < swing[0] && fabs(trend[1]) < swing[1]);
    }
}

static int open_rows(void **state)
{
    *state = validation_open("spin", "A free spinning and vibrating cube",
                             "Side 0.1 m, E = 1 MPa, density 1000 kg/m^3, hex8, spinning at 22 rad/s, "
                             "stretched by 5 %, no forces. Linear momentum "
                             "must stay to 1e-12; angular momentum to 1e-10 with midpoint and symplectic "
                             "Euler. Newmark is the trapezoidal "
                             "rule, conjugate to the midpoint rule: it keeps L + h^2/4 sum v x f to rounding "
                             "(f the elastic forces), so that L "
                             "itself swings by O(h^2) (ratio 4 when the step is halved, tolerance 0.4) and "
                             "does not drift. Energy: the "
                             "least-squares trend over the run must stay below the swing about it.");
    return 0;
}

static int close_rows(void **state)
{
    validation_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_energy), cmocka_unit_test(test_newmark_angular)};
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
