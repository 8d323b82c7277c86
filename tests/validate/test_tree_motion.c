/* Motion of kinematic trees against closed equations: a double pendulum of two bars, the free asymmetric top by Jacobi's elliptic
   functions, and energy and momentum of free trees under the implicit midpoint rule. */
#include "rows.h"
#include "tree_fixture.h"

static const double still[3] = {0.0, 0.0, 0.0};

/* ---- double pendulum ------------------------------------------------------------------------------------------------------------ */

/* Two bars that swing in the xz plane under gravity, angles a from the vertical (the second's from the vertical too): */
enum { BARS = 2 };
static const double bar_mass[BARS] = {1.3, 0.7}, bar_length[BARS] = {0.8, 0.6},
                    bar_centre[BARS] = {0.5, 0.25}, bar_inertia[BARS] = {0.09, 0.03};
static const double g = 9.81;

/* The equations of motion as textbooks have them, s = (a1, a2, a1', a2'):
     (I1 + m1 c1^2 + m2 l1^2) a1'' + m2 l1 c2 cos(a1 - a2) a2'' = -m2 l1 c2 sin(a1 - a2) a2'^2 - (m1 c1 + m2 l1) g sin a1
     m2 l1 c2 cos(a1 - a2) a1'' + (I2 + m2 c2^2) a2''           =  m2 l1 c2 sin(a1 - a2) a1'^2 - m2 c2 g sin a2 */
static void pendulum_rate(const double s[4], double rate[4])
{
    const double k = bar_mass[1] * bar_length[0] * bar_centre[1];
    const double m11 = bar_inertia[0] + bar_mass[0] * bar_centre[0] * bar_centre[0] +
                       bar_mass[1] * bar_length[0] * bar_length[0];
    const double m12 = k * cos(s[0] - s[1]);
    const double m22 = bar_inertia[1] + bar_mass[1] * bar_centre[1] * bar_centre[1];
    const double f1 = -k * sin(s[0] - s[1]) * s[3] * s[3] -
                      (bar_mass[0] * bar_centre[0] + bar_mass[1] * bar_length[0]) * g * sin(s[0]);
    const double f2 = k * sin(s[0] - s[1]) * s[2] * s[2] - bar_mass[1] * bar_centre[1] * g * sin(s[1]);
    const double det = m11 * m22 - m12 * m12;
    rate[0] = s[2];
    rate[1] = s[3];
    rate[2] = (m22 * f1 - m12 * f2) / det;
    rate[3] = (m11 * f2 - m12 * f1) / det;
}

/* Extrapolated midpoint rule [Gragg 1965; Hairer, Norsett, Wanner II.9]: order 8 in a basic step. */
static void pendulum_step(double s[4], double h)
{
    double table[4][4];
    for (int k = 0; k < 4; ++k) {
        const int parts = 2 * (k + 1);
        const double d = h / parts;
        double before[4], now[4], rate[4];
        memcpy(before, s, sizeof before);
        pendulum_rate(s, rate);
        for (int i = 0; i < 4; ++i) {
            now[i] = s[i] + d * rate[i];
        }
        for (int n = 1; n < parts; ++n) {
            pendulum_rate(now, rate);
            for (int i = 0; i < 4; ++i) {
                const double next = before[i] + 2.0 * d * rate[i];
                before[i] = now[i];
                now[i] = next;
            }
        }
        pendulum_rate(now, rate);
        for (int i = 0; i < 4; ++i) { /* Gragg's smoothing */
            table[k][i] = 0.5 * (before[i] + now[i] + d * rate[i]);
        }
        for (int j = k - 1; j >= 0; --j) {
            const double ratio = (double)parts / (2 * (j + 1));
            for (int i = 0; i < 4; ++i) {
                table[j][i] = table[j + 1][i] + (table[j + 1][i] - table[j][i]) / (ratio * ratio - 1.0);
            }
        }
    }
    memcpy(s, table[0], 4 * sizeof *s);
}

/* Bars hang along -z and turn about -y. */
static brn_tree *pendulum_tree(brn_ctx *ctx)
{
    brn_link link[BARS];
    brn_tree *tree = NULL;
    for (int i = 0; i < BARS; ++i) {
        /* only the moment about y matters */
        const double I = bar_inertia[i];
        link[i] = (brn_link){{bar_mass[i], {0.0, 0.0, -bar_centre[i]}, {I, 0, 0, 0, I, 0, 0, 0, 0.1 * I}},
                             brn_joint_default(BRN_JOINT_REVOLUTE, i - 1)};
        link[i].joint.axis[1] = -1.0;
        link[i].joint.axis[2] = 0.0;
        link[i].joint.frame.origin[2] = i == 0 ? 0.0 : -bar_length[i - 1];
    }
    assert_done(ctx, brn_tree_create(ctx, link, BARS, &tree));
    return tree;
}

static void test_double_pendulum(void **state)
{
    const double down[3] = {0.0, 0.0, -g};
    const double end = 3.0;
    brn_ctx *ctx = test_ctx(1);
    brn_tree *tree = pendulum_tree(ctx);
    double s[4] = {2.0, 2.5, 0.0, 0.0}; /* high up: it turns over */
    double error[2];
    for (int n = 0; n < 6000; ++n) {
        pendulum_step(s, end / 6000);
    }
    for (int k = 0; k < 2; ++k) {
        const int steps = 15000 << k;
        free_tree f = free_open(tree, down);
        f.q[0] = 2.0;
        f.q[1] = 0.5;
        for (int n = 0; n < steps; ++n) {
            free_runge_kutta(&f, end / steps);
        }
        error[k] = fmax(fmax(fabs(f.q[0] - s[0]), fabs(f.q[0] + f.q[1] - s[1])),
                        fmax(fabs(f.v[0] - s[2]), fabs(f.v[0] + f.v[1] - s[3])));
        free_close(&f);
    }
    validation_row(*state, "double pendulum: largest error of angles and rates after 3 s", 0.0, error[1],
                   error[1], "Runge-Kutta of order 4, h = 0.1 ms [rad, rad/s]");
    assert_true(error[1] <= 1e-9);
    brn_tree_destroy(tree);
    brn_ctx_destroy(ctx);
}

/* ---- free top ------------------------------------------------------------------------------------------------------------------- */

/* sn, cn, dn of u for the parameter m by descending Landen transformations [Abramowitz & Stegun 16.4]. */
static void jacobi(double u, double m, double *sn, double *cn, double *dn)
{
    double a[16] = {1.0}, c[16] = {sqrt(m)};
    double b = sqrt(1.0 - m);
    int n = 0;
    for (; n < 15 && fabs(c[n]) > 1e-17; ++n) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
    }
    double angle = ldexp(a[n], n) * u, before = angle;
    for (; n > 0; --n) {
        before = angle;
        angle = 0.5 * (angle + asin(c[n] / a[n] * sin(angle)));
    }
    *sn = sin(angle);
    *cn = cos(angle);
    *dn = fabs(cos(before - angle)) > 0.1 ? cos(angle) / cos(before - angle) : sqrt(1.0 - m * *sn * *sn);
}

/* Spin of the torque-free top in its principal axes, I1 > I2 > I3 and L^2 > 2 E I2, started with w2 = 0, w1 and w3 > 0
   [Landau & Lifshitz, Mechanics, section 37 with the axes renamed]:
     w1 = A dn(p t), w2 = -B sn(p t), w3 = C cn(p t). */
static void euler_spin(const double I[3], const double start[3], double t, double w[3])
{
    const double energy = I[0] * start[0] * start[0] + I[2] * start[2] * start[2]; /* 2 E */
    const double square = pow(I[0] * start[0], 2) + pow(I[2] * start[2], 2);       /* L^2 */
    const double p = sqrt((I[0] - I[1]) * (square - energy * I[2]) / (I[0] * I[1] * I[2]));
    const double m = (I[1] - I[2]) * (energy * I[0] - square) / ((I[0] - I[1]) * (square - energy * I[2]));
    double sn, cn, dn;
    assert_true(m > 0.0 && m < 1.0);
    jacobi(p * t, m, &sn, &cn, &dn);
    w[0] = start[0] * dn;
    w[1] = -sqrt((energy * I[0] - square) / (I[1] * (I[0] - I[1]))) * sn;
    w[2] = start[2] * cn;
}

/* Kinds of joints that let a body turn freely. */
static void test_euler_top(void **state)
{
    static const double I[3] = {0.05, 0.04, 0.02}, start[3] = {4.0, 0.0, 3.0};
    static const double end = 20.0;
    static const struct {
        brn_joint_kind kind;
        double centre[3]; /* of mass in the link: its origin need not be there */
        const char *name;
    } cases[] = {{BRN_JOINT_BALL, {0}, "ball joint at the centre of mass"},
                 {BRN_JOINT_FLOATING, {0}, "floating, origin at the centre of mass"},
                 {BRN_JOINT_FLOATING, {0.1, -0.2, 0.15}, "floating, origin 0.27 m away from it"}};
    brn_ctx *ctx = test_ctx(1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        brn_link link = {{2.0, {0}, {I[0], 0, 0, 0, I[1], 0, 0, 0, I[2]}},
                         brn_joint_default(cases[c].kind, -1)};
        brn_tree *tree = NULL;
        double momentum[2][3], error = 0.0, drift = 0.0, w[3], own[3], p[3], speed[3];
        memcpy(link.inertia.centre, cases[c].centre, sizeof w);
        assert_done(ctx, brn_tree_create(ctx, &link, 1, &tree));
        free_tree f = free_open(tree, still);
        const int first = tree->nv - 3;
        memcpy(&f.v[first], start, sizeof start);
        brn_dense_cross3(link.inertia.centre, start, speed); /* the centre of mass stands still */
        memcpy(f.v, speed, (size_t)first * sizeof *speed);
        memcpy(&f.v[first], start, sizeof start);
        const double energy = free_energy(&f, p, momentum[0]);
        for (int n = 1; n <= 80000; ++n) {
            free_runge_kutta(&f, end / 80000);
            if (n % 2000 == 0) {
                const double change = free_energy(&f, p, momentum[1]) - energy;
                drift = fmax(drift, fabs(change / energy));
                euler_spin(I, start, end * n / 80000, w);
                brn_dense_apply3_t(f.motion->place[0].rotation, &f.v[first], own);
                for (int k = 0; k < 3; ++k) {
                    error = fmax(error, fabs(own[k] - w[k]));
                    drift = fmax(drift, fabs(momentum[1][k] - momentum[0][k]) / (5.0 * I[0]));
                }
            }
        }
        char quantity[120];
        (void)snprintf(quantity, sizeof quantity, "free top, %s: largest error of the spin", cases[c].name);
        validation_row(*state, quantity, 0.0, error, error,
                       "20 s at 5 rad/s, Runge-Kutta of order 4, h = 0.25 ms [rad/s]");
        (void)snprintf(quantity, sizeof quantity, "free top, %s: drift of energy and angular momentum",
                       cases[c].name);
        validation_row(*state, quantity, 0.0, drift, drift, "relative");
        assert_true(error <= 1e-9);
        assert_true(drift <= 1e-10);
        free_close(&f);
        brn_tree_destroy(tree);
    }
    brn_ctx_destroy(ctx);
}

/* ---- energy and momentum ---------------------------------------------------------------------------------------------------------- */

/* Errors of energy in parts of the largest kinetic energy: mean and largest of each quarter of a run, and largest of a short start. */
typedef struct energy_error {
    double mean[4], worst[4], early;
} energy_error;

static energy_error energy_run(free_tree *f, void (*step)(free_tree *f, double h), double end, int steps)
{
    energy_error out = {.early = 0.0};
    const double start = free_energy(f, NULL, NULL);
    double most = 0.0;
    for (int n = 0; n < steps; ++n) {
        step(f, end / steps);
        const double off = free_energy(f, NULL, NULL) - start;
        const int quarter = (int)(4LL * n / steps);
        out.mean[quarter] += 4.0 * off / steps;
        out.worst[quarter] = fmax(out.worst[quarter], fabs(off));
        out.early = n < steps / 80 ? fmax(out.early, fabs(off)) : out.early;
        most = fmax(most, brn_tree_kinetic(f->tree, f->motion, f->v));
    }
    out.early /= most;
    for (int i = 0; i < 4; ++i) {
        out.mean[i] /= most;
        out.worst[i] /= most;
    }
    return out;
}

static void energy_row(FILE *file, const char *what, double h, const energy_error *e)
{
    char quantity[160], note[160];
    (void)snprintf(quantity, sizeof quantity, "%s, h = %g ms: largest error of energy", what, 1e3 * h);
    (void)snprintf(note, sizeof note, "means of four quarters: %.1e, %.1e, %.1e, %.1e", e->mean[0],
                   e->mean[1], e->mean[2], e->mean[3]);
    const double worst = fmax(fmax(e->worst[0], e->worst[1]), fmax(e->worst[2], e->worst[3]));
    validation_row(file, quantity, 0.0, worst, worst, note);
}

/* Energy stays near its start for any time: its mean over the last quarter of a run is as near as the largest error of the first
   quarter, for a chain in chaotic motion as for a top. While runs with different steps stay together, the error goes with h^2. */
static void test_chain_energy(void **state)
{
    const double down[3] = {0.0, 0.0, -9.81};
    enum { LINKS = 4 };
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {7};
    brn_link link[LINKS];
    brn_tree *tree = NULL;
    energy_error error[2];
    for (int i = 0; i < LINKS; ++i) {
        link[i] = random_link(&rng, BRN_JOINT_REVOLUTE, i - 1);
    }
    assert_done(ctx, brn_tree_create(ctx, link, LINKS, &tree));
    for (int k = 0; k < 2; ++k) {
        free_tree f = free_open(tree, down);
        error[k] = energy_run(&f, free_symplectic, 40.0, 20000 << k);
        energy_row(*state, "chain of four revolute joints, midpoint rule in momenta, 40 s", 2e-3 / (1 << k),
                   &error[k]);
        free_close(&f);
        assert_true(fabs(error[k].mean[3]) <= error[k].worst[0]);
    }
    const double order = log2(error[0].early / error[1].early);
    validation_row(*state, "chain of four revolute joints: order of that in 0.5 s", 2.0, order,
                   fabs(order - 2.0), "errors are parts of the largest kinetic energy");
    assert_near(order, 2.0, 0.1);
    brn_tree_destroy(tree);
    brn_ctx_destroy(ctx);
}

static void test_top_energy(void **state)
{
    const double down[3] = {0.0, 0.0, -9.81};
    brn_ctx *ctx = test_ctx(1);
    brn_link link = {{2.0, {0.0, 0.0, 0.2}, {0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.01}},
                     brn_joint_default(BRN_JOINT_BALL, -1)};
    brn_tree *tree = NULL;
    energy_error error[2];
    assert_done(ctx, brn_tree_create(ctx, &link, 1, &tree));
    for (int k = 0; k < 2; ++k) {
        const double tilt[3] = {0.5, 0.0, 0.0};
        free_tree f = free_open(tree, down);
        brn_tree_advance(tree, f.q, tilt, 1.0, f.q);
        f.v[1] = -sin(0.5) * 60.0; /* about its own axis */
        f.v[2] = cos(0.5) * 60.0;
        error[k] = energy_run(&f, free_midpoint, 40.0, 20000 << k);
        energy_row(*state, "heavy top on a ball joint, midpoint rule in velocities, 40 s", 2e-3 / (1 << k),
                   &error[k]);
        free_close(&f);
        assert_true(fabs(error[k].mean[3]) <= error[k].worst[0]);
    }
    assert_near(log2(error[0].early / error[1].early), 2.0, 0.1);
    brn_tree_destroy(tree);
    brn_ctx_destroy(ctx);
}

/* A tree that floats without gravity keeps both momenta, and its energy, with a rule of order 4 and small steps. */
static void test_momentum(void **state)
{
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {8};
    enum { LINKS = 8 };
    brn_link link[LINKS];
    brn_tree *tree = NULL;
    double before[2][3], after[2][3], drift = 0.0;
    for (int i = 0; i < LINKS; ++i) {
        link[i] = random_link(
            &rng, i == 0 ? BRN_JOINT_FLOATING : (brn_joint_kind)pick_one(&rng, BRN_JOINT_FLOATING),
            i == 0 ? -1 : pick_one(&rng, i));
        link[i].joint.armature = 0.0; /* its momentum is nobody's */
    }
    assert_done(ctx, brn_tree_create(ctx, link, LINKS, &tree));
    free_tree f = free_open(tree, still);
    random_state(tree, &rng, f.q, f.v);
    const double energy = free_energy(&f, before[0], before[1]);
    for (int n = 0; n < 4000; ++n) {
        free_runge_kutta(&f, 2.5e-4);
    }
    drift = fabs(free_energy(&f, after[0], after[1]) / energy - 1.0);
    for (int part = 0; part < 2; ++part) {
        for (int k = 0; k < 3; ++k) {
            drift = fmax(drift, fabs(after[part][k] - before[part][k]) /
                                    (sqrt(brn_dense_dot3(before[part], before[part]))));
        }
    }
    validation_row(*state, "floating tree of eight links: drift of energy and both momenta in 1 s", 0.0,
                   drift, drift, "relative; Runge-Kutta of order 4, h = 0.25 ms");
    assert_true(drift <= 1e-10);
    free_close(&f);
    brn_tree_destroy(tree);
    brn_ctx_destroy(ctx);
}

static int open_rows(void **state)
{
    *state = validation_open("tree_motion", "Kinematic trees in joint coordinates",
                             "Mass matrix and bias of `phys/rigid` integrated by rules of the test. A double "
                             "pendulum of two bars that turns over, against "
                             "its closed equations by extrapolation of order 8, to 1e-9; a free asymmetric "
                             "top against Jacobi's elliptic functions, to "
                             "1e-9, with its origin at and away from its centre of mass; a chain and a top "
                             "under gravity with the implicit midpoint "
                             "rule: the error of energy must not grow and must go with h^2; a floating tree "
                             "must keep its momenta to 1e-10.");
    return 0;
}

static int close_rows(void **state)
{
    validation_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_double_pendulum),
                                       cmocka_unit_test(test_euler_top), cmocka_unit_test(test_chain_energy),
                                       cmocka_unit_test(test_top_energy), cmocka_unit_test(test_momentum)};
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
