/* One contact, against what can be seen without the solver: the laws themselves, a scan over all directions of sliding, and closed forms in
   the plane. */
#include "test.h"

#include "base/rng.h"
#include "cone/cone_inner.h"

#include <float.h>

enum { BLOCKS = 1000000, SCANS = 20000, DIRECTIONS = 720 };

typedef struct single {
    int dim;
    double w[9], q[3], mu;
} single;

static double draw(brn_rng *rng)
{
    return brn_rng_uniform(rng, -1.0, 1.0);
}

/* W = B B' with columns of any size, of rank `rank`; skew adds a part without symmetry. */
static single make_single(brn_rng *rng, int dim, int rank, double spread, double skew)
{
    single s = {.dim = dim};
    double b[3][3] = {{0.0}};
    for (int c = 0; c < rank; ++c) {
        const double size = pow(spread, -brn_rng_uniform(rng, 0.0, 1.0));
        for (int d = 0; d < dim; ++d) {
            b[d][c] = size * draw(rng);
        }
    }
    b[0][0] += 0.1; /* W_nn > 0 */
    for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < dim; ++j) {
            for (int c = 0; c < rank; ++c) {
                s.w[dim * i + j] += b[i][c] * b[j][c];
            }
        }
    }
    for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < i; ++j) {
            const double turn = skew * draw(rng) * sqrt(s.w[dim * i + i] * s.w[dim * j + j]);
            s.w[dim * i + j] += turn;
            s.w[dim * j + i] -= turn;
        }
        s.q[i] = draw(rng);
    }
    return s;
}

static void velocity(const single *s, const double *r, double *u)
{
    const int dim = s->dim == 3 ? 3 : 2; /* so that the compiler knows it, too */
    for (int i = 0; i < dim; ++i) {
        u[i] = s->q[i];
        for (int j = 0; j < dim; ++j) {
            u[i] += s->w[dim * i + j] * r[j];
        }
    }
}

/* The largest breach of the laws over what rounding explains: the sizes of what u is the sum of. */
static double breach(const single *s, const double *r)
{
    double u[3] = {0.0, 0.0, 0.0};
    double size = 0.0;
    velocity(s, r, u);
    for (int i = 0; i < s->dim; ++i) {
        double sum = fabs(s->q[i]);
        for (int j = 0; j < s->dim; ++j) {
            sum += fabs(s->w[s->dim * i + j] * r[j]);
        }
        size = fmax(size, sum);
    }
    const double friction = s->dim == 3 ? hypot(r[1], r[2]) : fabs(r[1]);
    const double slip = s->dim == 3 ? hypot(u[1], u[2]) : fabs(u[1]);
    const double along = r[1] * u[1] + (s->dim == 3 ? r[2] * u[2] : 0.0);
    size = fmax(size, s->w[0] * friction); /* impulses count as velocities below */
    double worst = fmax(-r[0] * s->w[0], -u[0]);
    worst = fmax(worst, fmin(fabs(r[0] * s->w[0]), fabs(u[0])));
    if (!isinf(s->mu)) {
        const double within = s->mu * r[0] - friction; /* how far from the cone's surface */
        worst = fmax(worst, -within * s->w[0]);
        if (within > 1e-9 * friction) {
            worst = fmax(worst, slip); /* sticks */
        } else if (friction > 0.0) {
            worst = fmax(worst, slip + along / friction); /* slides against its friction */
        }
    } else if (r[0] > 0.0) {
        worst = fmax(worst, slip);
    } else if (friction > 0.0) {
        worst = fmax(worst, slip + along / friction);
    }
    return worst / size;
}

static double pick_mu(brn_rng *rng, uint64_t k)
{
    switch (k % 7) {
    case 0:
        return 0.0;
    case 1:
        return INFINITY;
    case 2:
        return pow(10.0, brn_rng_uniform(rng, -12.0, 6.0));
    default:
        return brn_rng_uniform(rng, 0.0, 2.0);
    }
}

static void test_laws_hold(void **state)
{
    (void)state;
    brn_rng rng = {1};
    double worst = 0.0;
    int sliding = 0;
    for (uint64_t k = 0; k < BLOCKS; ++k) {
        const double spread = pow(10.0, brn_rng_uniform(&rng, 0.0, k % 3 == 0 ? 6.0 : 1.0));
        const int dim = k % 4 == 0 ? 2 : 3;
        single s = make_single(&rng, dim, dim, spread, k % 5 == 0 ? 0.1 : 0.0);
        s.mu = pick_mu(&rng, k);
        double r[3] = {NAN, NAN, NAN};
        const brn_cone_block block = brn_cone_block_make(dim, s.w);
        assert_true(brn_cone_block_solve(&block, s.q, s.mu, r));
        const double now = breach(&s, r);
        worst = now <= worst ? worst : now;
        sliding +=
            !isinf(s.mu) && r[0] > 0.0 && hypot(r[1], dim == 3 ? r[2] : 0.0) > (1.0 - 1e-9) * s.mu * r[0];
    }
    /* some hundred operations on numbers of the size that breach divides by */
    assert_near(worst, 0.0, 1e-12);
    assert_true(sliding > BLOCKS / 20);
    print_message("laws hold to %.1e, %d of %d slide\n", worst, sliding, BLOCKS);
}

/* Sizes of units: r scales with q over W, whatever the magnitudes. */
static void test_any_unit(void **state)
{
    (void)state;
    brn_rng rng = {2};
    for (int k = 0; k < 1000; ++k) {
        single s = make_single(&rng, 3, 3, 10.0, 0.0);
        double r[3] = {0.0}, scaled[3] = {0.0};
        s.mu = 0.6;
        brn_cone_block block = brn_cone_block_make(3, s.w);
        assert_true(brn_cone_block_solve(&block, s.q, s.mu, r));
        const double big = ldexp(1.0, k % 2 == 0 ? 200 : -200), small = ldexp(1.0, k % 3 == 0 ? 90 : -90);
        for (int i = 0; i < 9; ++i) {
            s.w[i] *= big;
        }
        for (int i = 0; i < 3; ++i) {
            s.q[i] *= small;
        }
        block = brn_cone_block_make(3, s.w);
        assert_true(brn_cone_block_solve(&block, s.q, s.mu, scaled));
        for (int i = 0; i < 3; ++i) {
            /* powers of two: only hypot and roots may round otherwise */
            assert_near(scaled[i] * big / small, r[i], 1e-13 * (fabs(r[0]) + fabs(r[1]) + fabs(r[2])));
        }
    }
}

/* ---- the scan ------------------------------------------------------------------------------------------------------------- */

/* Friction of full size along (cos a, sin a): r with u_n = 0. False: no such normal impulse. */
static bool slide_along(const single *s, double a, double r[3])
{
    const double d[2] = {cos(a), sin(a)};
    const double bottom = s->w[0] + s->mu * (s->w[1] * d[0] + s->w[2] * d[1]);
    if (!(bottom > 0.0)) {
        return false;
    }
    r[0] = -s->q[0] / bottom;
    r[1] = s->mu * r[0] * d[0];
    r[2] = s->mu * r[0] * d[1];
    return true;
}

/* Slip across that direction: 0 where friction and slip are on one line. along: the slip on it. */
static double slip_across(const single *s, double a, double *along)
{
    double r[3] = {0.0}, u[3];
    if (!slide_along(s, a, r)) {
        return NAN;
    }
    velocity(s, r, u);
    *along = u[1] * cos(a) + u[2] * sin(a);
    return u[2] * cos(a) - u[1] * sin(a);
}

/* The distance from r to the nearest solution that slides, by bisection between neighbours of a dense scan, over |r|. */
static double scan_distance(const single *s, const double *r, int *found)
{
    const double size = hypot(r[0], hypot(r[1], r[2]));
    double nearest = INFINITY;
    *found = 0;
    for (int k = 0; k < DIRECTIONS; ++k) {
        double lo = 2.0 * M_PI * k / DIRECTIONS, hi = 2.0 * M_PI * (k + 1) / DIRECTIONS, along = 0.0;
        double at_lo = slip_across(s, lo, &along);
        const double at_hi = slip_across(s, hi, &along);
        if (!(at_lo * at_hi <= 0.0)) {
            continue;
        }
        for (int i = 0; i < 60; ++i) {
            const double middle = 0.5 * (lo + hi), at = slip_across(s, middle, &along);
            if (at * at_lo > 0.0) {
                lo = middle;
                at_lo = at;
            } else {
                hi = middle;
            }
        }
        double other[3];
        if (slide_along(s, lo, other) && along <= 0.0) {
            ++*found;
            nearest = fmin(nearest, hypot(other[0] - r[0], hypot(other[1] - r[1], other[2] - r[2])) / size);
        }
    }
    return nearest;
}

/* Whatever slides is among the solutions of the scan, and nothing that the solver calls impossible is. */
static void test_scan(void **state)
{
    (void)state;
    brn_rng rng = {3};
    int slid = 0, several = 0;
    for (int k = 0; k < SCANS; ++k) {
        single s = make_single(&rng, 3, 3, 10.0, k % 5 == 0 ? 0.1 : 0.0);
        s.mu = brn_rng_uniform(&rng, 0.01, 2.0);
        s.q[0] = -fabs(s.q[0]);
        double r[3] = {0.0}, u[3];
        int found = 0;
        const brn_cone_block block = brn_cone_block_make(3, s.w);
        assert_true(brn_cone_block_solve(&block, s.q, s.mu, r));
        velocity(&s, r, u);
        if (hypot(u[1], u[2]) < 1e-9) { /* sticks: W r = -q by the laws test */
            continue;
        }
        const double distance = scan_distance(&s, r, &found);
        ++slid;
        several += found > 1;
        /* the scan's roots are exact to rounding times the condition of the root, which two roots close to each other spoil */
        if (!(distance <= 1e-6) && found > 0) {
            assert_true(breach(&s, r) < 1e-13);
        }
        assert_true(distance <= 1e-3 || found == 0);
    }
    assert_true(slid > SCANS / 10);
    print_message("%d slide, %d of them with a choice\n", slid, several);
}

/* W = v v' of a contact on a rail: either the laws hold or there is no solution, and the scan finds none then. */
static void test_rails(void **state)
{
    (void)state;
    brn_rng rng = {4};
    int solved = 0, jammed = 0;
    for (int k = 0; k < SCANS; ++k) {
        single s = make_single(&rng, 3, 1, 1.0, 0.0);
        s.mu = brn_rng_uniform(&rng, 0.01, 5.0);
        s.q[0] = -fabs(s.q[0]);
        double r[3] = {0.0};
        int found = 0;
        const brn_cone_block block = brn_cone_block_make(3, s.w);
        if (brn_cone_block_solve(&block, s.q, s.mu, r)) {
            ++solved;
            assert_true(breach(&s, r) <
                        1e-9); /* A is rounding alone, and friction far from it as well determined as W */
        } else {
            ++jammed;
            (void)scan_distance(&s, (const double[]){1.0, 0.0, 0.0}, &found);
            assert_int_equal(found, 0);
        }
    }
    assert_true(solved > SCANS / 4 && jammed > SCANS / 100);
}

/* A node that is held in one tangent or in both. */
static void test_held_tangents(void **state)
{
    (void)state;
    brn_rng rng = {5};
    for (int k = 0; k < 20000; ++k) {
        single s = {.dim = 3, .mu = pick_mu(&rng, (uint64_t)k)};
        s.w[0] = brn_rng_uniform(&rng, 0.1, 2.0);
        s.w[4] = k % 2 == 0 ? 0.0 : brn_rng_uniform(&rng, 0.1, 2.0);
        s.q[0] = draw(&rng);
        s.q[1] = k % 2 == 0 && isinf(s.mu) ? 0.0 : draw(&rng);
        s.q[2] = isinf(s.mu) ? 0.0 : k % 3 == 0 ? 0.0 : draw(&rng);
        double r[3] = {0.0};
        const brn_cone_block block = brn_cone_block_make(3, s.w);
        assert_true(brn_cone_block_solve(&block, s.q, s.mu, r));
        assert_true(breach(&s, r) < 1e-12);
    }
}

/* In the plane sliding has a closed form: r_n = -q_n / (W_nn - sign mu W_nt). */
static void test_plane(void **state)
{
    (void)state;
    brn_rng rng = {6};
    for (int k = 0; k < 100000; ++k) {
        single s = make_single(&rng, 2, 2, 10.0, 0.0);
        s.mu = brn_rng_uniform(&rng, 0.0, 2.0);
        double r[3] = {0.0}, want[2] = {0.0, 0.0};
        const brn_cone_block block = brn_cone_block_make(2, s.w);
        assert_true(brn_cone_block_solve(&block, s.q, s.mu, r));
        if (s.q[0] < 0.0) {
            const double det = s.w[0] * s.w[3] - s.w[1] * s.w[2];
            want[0] = -(s.w[3] * s.q[0] - s.w[1] * s.q[1]) / det;
            want[1] = -(s.w[0] * s.q[1] - s.w[2] * s.q[0]) / det;
            if (!(fabs(want[1]) <= s.mu * want[0])) {
                const double sign = s.q[1] - s.w[2] * s.q[0] / s.w[0] > 0.0 ? 1.0 : -1.0;
                want[0] = -s.q[0] / (s.w[0] - sign * s.mu * s.w[1]);
                want[1] = -sign * s.mu * want[0];
            }
        }
        /* rounding of a nearly singular W, and of a bottom that is a difference */
        const double spoilt = s.w[0] * s.w[3] / (s.w[0] * s.w[3] - s.w[1] * s.w[2]);
        const double size = fabs(want[0]) + fabs(want[1]) + 1.0;
        assert_near(r[0], want[0], 1e-13 * spoilt * size);
        assert_near(r[1], want[1], 1e-13 * spoilt * size);
    }
}

/* ---- slopes --------------------------------------------------------------------------------------------------------------- */

static void test_slope_of_slide(void **state)
{
    (void)state;
    brn_rng rng = {7};
    for (int k = 0; k < 1000; ++k) {
        const single s = make_single(&rng, 3, 3, 10.0, k % 2 == 0 ? 0.1 : 0.0);
        const double mu = k % 3 == 0 ? INFINITY : brn_rng_uniform(&rng, 0.1, 3.0);
        const brn_cone_block block = brn_cone_block_make(3, s.w);
        const double rest[2] = {draw(&rng), draw(&rng)}, l = brn_rng_uniform(&rng, 0.2, 2.0), step = 1e-5;
        const brn_cone_slide at = brn_cone_slide_at(&block, l, -1.0, rest, mu);
        const double difference = (brn_cone_slide_at(&block, l + step, -1.0, rest, mu).h -
                                   brn_cone_slide_at(&block, l - step, -1.0, rest, mu).h) /
                                  (2.0 * step);
        /* step^2 of the third derivative and rounding over step */
        assert_near(at.slope, difference, 1e-6 * (1.0 + fabs(at.slope) + fabs(at.h)));
    }
}

static void error_of(int dim, const brn_cone_own *own, double mu, const double *x, double e[3])
{
    const brn_cone_miss miss = brn_cone_miss_of(dim, own, mu, x, x + 3);
    e[0] = miss.normal;
    e[1] = miss.tangent[0];
    e[2] = miss.tangent[1];
}

static void test_slope_of_law(void **state)
{
    (void)state;
    brn_rng rng = {8};
    int seen[3] = {0, 0, 0};
    for (int k = 0; k < 3000; ++k) {
        const int dim = k % 4 == 0 ? 2 : 3;
        const brn_cone_own own = {brn_rng_uniform(&rng, 0.5, 2.0), brn_rng_uniform(&rng, 0.5, 2.0)};
        const double mu = brn_rng_uniform(&rng, 0.1, 2.0), step = 1e-6;
        double x[6]; /* r, u */
        for (int i = 0; i < 6; ++i) {
            x[i] = draw(&rng) + (i == 0 ? 1.2 : 0.0); /* r_n > 0 */
        }
        const brn_cone_miss miss = brn_cone_miss_of(dim, &own, mu, x, x + 3);
        ++seen[miss.state];
        /* no difference across a kink */
        const double length = hypot(own.tangent * x[1] - x[4], dim == 3 ? own.tangent * x[2] - x[5] : 0.0);
        if (miss.state == BRN_CONE_OPEN || fabs(length - own.tangent * mu * x[0]) < 1e-3 ||
            fabs(own.normal * x[0] - x[3]) < 1e-3) {
            continue;
        }
        const brn_cone_slope slope = brn_cone_slope_of(dim, &own, mu, &miss);
        for (int j = 0; j < 2 * 3; ++j) {
            if (j % 3 >= dim) {
                continue;
            }
            double up[6], down[6], e_up[3], e_down[3];
            memcpy(up, x, sizeof up);
            memcpy(down, x, sizeof down);
            up[j] += step;
            down[j] -= step;
            error_of(dim, &own, mu, up, e_up);
            error_of(dim, &own, mu, down, e_down);
            for (int i = 0; i < dim; ++i) {
                const double got = j < 3 ? slope.r[i][j] : slope.u[i][j - 3];
                assert_near(got, (e_up[i] - e_down[i]) / (2.0 * step),
                            1e-6); /* |x| > 0.05 bounds the curvature */
            }
        }
    }
    assert_true(seen[BRN_CONE_STICKS] > 200 && seen[BRN_CONE_SLIDES] > 200);
}

static void test_slope_of_smooth_law(void **state)
{
    (void)state;
    brn_rng rng = {9};
    for (int k = 0; k < 3000; ++k) {
        const int size = 1 + k % 3;
        const double mu = brn_rng_uniform(&rng, 0.1, 2.0), step = 1e-6;
        double x[6]; /* r, u */
        for (int i = 0; i < 6; ++i) {
            x[i] = draw(&rng) + (i % 3 == 0 ? 1.2 : 0.0); /* r_n, u_n > 0 */
        }
        const brn_cone_slope slope = brn_cone_smooth_slope(size, mu, x, x + 3);
        for (int j = 0; j < 6; ++j) {
            double up[6], down[6], e_up[3], e_down[3];
            if (j % 3 >= size) {
                continue;
            }
            memcpy(up, x, sizeof up);
            memcpy(down, x, sizeof down);
            up[j] += step;
            down[j] -= step;
            brn_cone_smooth_error(size, mu, 0.3, up, up + 3, e_up);
            brn_cone_smooth_error(size, mu, 0.3, down, down + 3, e_down);
            for (int i = 0; i < size; ++i) {
                const double got = j < 3 ? slope.r[i][j] : slope.u[i][j - 3];
                assert_near(got, (e_up[i] - e_down[i]) / (2.0 * step),
                            1e-8); /* rho > 0.2 bounds the third derivative */
            }
        }
    }
}

/* Without the constant, and with r_n = 0 or u_n = 0, the smoothed law is the law. */
static void test_smooth_law_is_the_law(void **state)
{
    (void)state;
    const double mu = 0.5;
    const struct {
        double r[3], u[3];
    } cases[] = {
        {{0.0, 0.0, 0.0}, {1.0, 2.0, -1.0}},  /* open */
        {{2.0, 0.3, -0.4}, {0.0, 0.0, 0.0}},  /* sticks */
        {{2.0, -0.6, 0.8}, {0.0, 0.3, -0.4}}, /* slides */
    };
    const brn_cone_own own = {1.0, 1.0};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        double e[3];
        brn_cone_smooth_error(3, mu, 0.0, cases[k].r, cases[k].u, e);
        const brn_cone_miss miss = brn_cone_miss_of(3, &own, mu, cases[k].r, cases[k].u);
        assert_near(hypot(miss.normal, hypot(miss.tangent[0], miss.tangent[1])), 0.0, 1e-15);
        assert_near(hypot(e[0], hypot(e[1], e[2])), 0.0, 1e-15);
    }
    /* more friction than there may be is an error of both */
    double e[3];
    const double r[3] = {2.0, -1.2, 1.6}, u[3] = {0.0, 0.3, -0.4};
    brn_cone_smooth_error(3, mu, 0.0, r, u, e);
    assert_true(hypot(e[1], e[2]) > 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws_hold),
        cmocka_unit_test(test_any_unit),
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_rails),
        cmocka_unit_test(test_held_tangents),
        cmocka_unit_test(test_plane),
        cmocka_unit_test(test_slope_of_slide),
        cmocka_unit_test(test_slope_of_law),
        cmocka_unit_test(test_slope_of_smooth_law),
        cmocka_unit_test(test_smooth_law_is_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
