/* Distances of contact pairs: derivatives against differences of the next lower derivative, classification against a
   brute-force minimisation, continuity across the boundaries of the cases, the mollifier. */
#include "test.h"

#include "ccd_queries.h"
#include "geom/mollifier.h"

enum { FORMS = 4 };

typedef struct form {
    const char *name;
    int count;
    brn_pair pair;
} form;

static const form forms[FORMS] = {{"point-point", 2, BRN_PAIR_PP},
                                  {"point-line", 3, BRN_PAIR_PE},
                                  {"point-plane", 4, BRN_PAIR_PT},
                                  {"line-line", 4, BRN_PAIR_EE}};

static brn_stencil whole(const form *f)
{
    return (brn_stencil){(uint8_t)f->pair, (uint8_t)f->count, {0, 1, 2, 3}};
}

static const double (*as_nodes(const double *x))[3]
{
    return (const double(*)[3])x;
}

static void fill(brn_rng *rng, double size, double x[12])
{
    for (int i = 0; i < 12; ++i) {
        x[i] = brn_rng_uniform(rng, -size, size);
    }
}

/* ---- derivatives ----------------------------------------------------------------------------------------------- */

typedef double (*value_fn)(const double *x, const void *arg, int order, double *g, double *h);

static double stencil_value(const double *x, const void *arg, int order, double *g, double *h)
{
    return brn_stencil_distance2(*(const brn_stencil *)arg, as_nodes(x), order, g, h);
}

static double mollifier_value(const double *x, const void *arg, int order, double *g, double *h)
{
    const double eps = *(const double *)arg;
    return order == 0   ? brn_mollifier(as_nodes(x), eps)
           : order == 1 ? brn_mollifier_gradient(as_nodes(x), eps, g)
                        : brn_mollifier_hessian(as_nodes(x), eps, g, h);
}

/* Fourth-order central differences with a step of 1e-3 `length`, the length over which the function changes:
   truncation some 1e-12 of the derivative's scale times a small number, rounding 1e-13. */
static void check_derivatives(value_fn fn, const void *arg, int n, const double *x, double length,
                              double tolerance)
{
    static const double at[4] = {-2.0, -1.0, 1.0, 2.0}, weight[4] = {1.0, -8.0, 8.0, -1.0};
    double g[12], g1[12], h[144], y[12], gradient_scale = 0.0, hessian_scale = 0.0;
    const double step = 1e-3 * length;
    /* Compiled apart, the same expressions may be fused apart; differences in them lose up to seven digits. */
    const double value = fn(x, arg, 2, g, h);
    assert_near(fn(x, arg, 0, NULL, NULL), value, 1e-9 * fabs(value));
    assert_near(fn(x, arg, 1, g1, NULL), value, 1e-9 * fabs(value));
    for (int i = 0; i < n; ++i) {
        assert_near(g1[i], g[i], 1e-9 * fabs(g[i]));
        gradient_scale = fmax(gradient_scale, fabs(g[i]));
        for (int j = 0; j < n; ++j) {
            assert_near(h[n * i + j], h[n * j + i], 0.0);
            hessian_scale = fmax(hessian_scale, fabs(h[n * i + j]));
        }
    }
    gradient_scale = fmax(gradient_scale, hessian_scale * length);
    for (int i = 0; i < n; ++i) {
        double slope = 0.0, row[12] = {0};
        for (int k = 0; k < 4; ++k) {
            double gk[12];
            memcpy(y, x, sizeof y);
            y[i] += at[k] * step;
            slope += weight[k] * fn(y, arg, 1, gk, NULL);
            for (int j = 0; j < n; ++j) {
                row[j] += weight[k] * gk[j];
            }
        }
        assert_near(slope / (12.0 * step), g[i], tolerance * gradient_scale);
        for (int j = 0; j < n; ++j) {
            assert_near(row[j] / (12.0 * step), h[n * i + j], tolerance * hessian_scale);
        }
    }
}

/* Smallest height of the figure: shorter than every length over which the form changes. */
static double narrowness(const form *f, const double *x)
{
    double a[3], b[3], c[3], aa = 0.0, bb = 0.0, cc = 0.0;
    const int first = f->pair == BRN_PAIR_EE ? 0 : 1, from = f->pair == BRN_PAIR_EE ? 2 : 1;
    if (f->pair == BRN_PAIR_PP) {
        return 1.0;
    }
    for (int i = 0; i < 3; ++i) {
        a[i] = x[3 * (first + 1) + i] - x[3 * first + i];
        b[i] = f->count == 4 ? x[9 + i] - x[3 * from + i] : 0.0;
        aa += a[i] * a[i];
        bb += b[i] * b[i];
    }
    for (int i = 0; i < 3; ++i) {
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
        cc += c[i] * c[i];
    }
    return f->count == 4 ? sqrt(cc / fmax(aa, bb)) : sqrt(aa);
}

static void test_forms_have_right_derivatives(void **state)
{
    (void)state;
    brn_rng rng = {1};
    for (int i = 0; i < FORMS; ++i) {
        const brn_stencil stencil = whole(&forms[i]);
        for (int repeat = 0; repeat < 300; ++repeat) {
            double x[12];
            const double size = pow(10.0, brn_rng_uniform(&rng, -6.0, 6.0));
            fill(&rng, size, x);
            if (repeat % 3 == 0) { /* thousand times closer than large */
                for (int k = 0; k < 3; ++k) {
                    x[k] = 0.3 * x[3 + k] + 0.7 * x[3 * (forms[i].count - 1) + k] + 1e-3 * x[k];
                }
            }
            const double narrow = fmin(narrowness(&forms[i], x), size);
            if (narrow > 0.05 * size) {
                /* Rounding: 1e-16 / 1e-3 of a step, times (size / narrow)^4 at most; measured worst 2e-9. */
                check_derivatives(stencil_value, &stencil, 3 * forms[i].count, x, narrow, 1e-7);
            }
        }
    }
}

/* Exact derivatives of quadratic parts and known values. */
static void test_known_values(void **state)
{
    (void)state;
    const double x[4][3] = {{0.25, 0.25, 2.0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    assert_near(brn_distance_point_plane2(x), 4.0, 0.0);
    assert_near(brn_distance_point_triangle2(x), 4.0, 0.0);
    const double y[4][3] = {{-1, 0, 3}, {1, 0, 3}, {0, -1, 0}, {0, 1, 0}};
    assert_near(brn_distance_line_line2(y), 9.0, 0.0);
    assert_near(brn_distance_edge_edge2(y), 9.0, 0.0);
    const double z[3][3] = {{5, 4, 0}, {0, 0, 0}, {2, 0, 0}};
    assert_near(brn_distance_point_line2(z), 16.0, 0.0);
    assert_near(brn_distance_point_edge2(z), 25.0, 0.0);
    assert_near(brn_distance_point_point2(z), 41.0, 0.0);
}

static void test_closest_points_agree_with_gradient(void **state)
{
    (void)state;
    brn_rng rng = {2};
    for (int repeat = 0; repeat < 1000; ++repeat) {
        double x[12], w[4], n[3], g[12];
        fill(&rng, 1.0, x);
        const brn_stencil s =
            repeat % 2 ? brn_classify_point_triangle(as_nodes(x)) : brn_classify_edge_edge(as_nodes(x));
        const double squared = brn_stencil_closest(s, as_nodes(x), w, n);
        assert_near(brn_stencil_distance2(s, as_nodes(x), 1, g, NULL), squared, 1e-14);
        double sum = 0.0, back[3] = {0};
        for (int i = 0; i < s.count; ++i) {
            sum += w[i];
            assert_true(fabs(w[i]) <= 1.0 + 1e-12); /* closest points lie on the sides */
            for (int k = 0; k < 3; ++k) {
                assert_near(g[3 * i + k], 2.0 * w[i] * n[k], 1e-14);
                back[k] += w[i] * x[3 * s.node[i] + k];
            }
        }
        assert_near(sum, 0.0, 1e-13);
        for (int k = 0; k < 3; ++k) {
            /* through the weights, which narrow figures make less certain */
            assert_near(back[k], n[k], 1e-9);
        }
    }
}

/* ---- classification -------------------------------------------------------------------------------------------- */

typedef enum sides { POINT_EDGE, POINT_TRIANGLE, EDGE_EDGE, SIDES } sides;

static double true_distance2(sides kind, const double *x)
{
    return kind == POINT_EDGE       ? brn_distance_point_edge2(as_nodes(x))
           : kind == POINT_TRIANGLE ? brn_distance_point_triangle2(as_nodes(x))
                                    : brn_distance_edge_edge2(as_nodes(x));
}

static double true_gradient(sides kind, const double *x, double g[12])
{
    return kind == POINT_EDGE       ? brn_distance_point_edge2_gradient(as_nodes(x), g)
           : kind == POINT_TRIANGLE ? brn_distance_point_triangle2_gradient(as_nodes(x), g)
                                    : brn_distance_edge_edge2_gradient(as_nodes(x), g);
}

static brn_stencil classify(sides kind, const double *x)
{
    return kind == POINT_EDGE       ? brn_classify_point_edge(as_nodes(x))
           : kind == POINT_TRIANGLE ? brn_classify_point_triangle(as_nodes(x))
                                    : brn_classify_edge_edge(as_nodes(x));
}

static double blend2(sides kind, const double *x, double u, double v)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        double d;
        if (kind == EDGE_EDGE) {
            d = (1.0 - u) * x[i] + u * x[3 + i] - (1.0 - v) * x[6 + i] - v * x[9 + i];
        } else if (kind == POINT_TRIANGLE) {
            d = x[i] - (1.0 - u) * x[3 + i] - u * ((1.0 - v) * x[6 + i] + v * x[9 + i]);
        } else {
            d = x[i] - (1.0 - u) * x[3 + i] - u * x[6 + i];
        }
        sum += d * d;
    }
    return sum;
}

/* Least squared distance over the parameters: nested ternary search (convex in v at fixed u, and the minimum over v
   convex in u for these maps, as the sides are convex). */
static double least_over_v(sides kind, const double *x, double u)
{
    double lo = 0.0, hi = 1.0;
    for (int i = 0; i < 60 && kind != POINT_EDGE; ++i) {
        const double a = lo + (hi - lo) / 3.0, b = hi - (hi - lo) / 3.0;
        if (blend2(kind, x, u, a) < blend2(kind, x, u, b)) {
            hi = b;
        } else {
            lo = a;
        }
    }
    return blend2(kind, x, u, 0.5 * (lo + hi));
}

static double brute_force(sides kind, const double *x)
{
    double lo = 0.0, hi = 1.0;
    for (int i = 0; i < 60; ++i) {
        const double a = lo + (hi - lo) / 3.0, b = hi - (hi - lo) / 3.0;
        if (least_over_v(kind, x, a) < least_over_v(kind, x, b)) {
            hi = b;
        } else {
            lo = a;
        }
    }
    return least_over_v(kind, x, 0.5 * (lo + hi));
}

/* Flattens, aligns or merges nodes, so that degenerate cases come up. */
static void degrade(brn_rng *rng, sides kind, double x[12])
{
    const int first = kind == EDGE_EDGE ? 0 : 3, from = kind == EDGE_EDGE ? 6 : 3;
    const double angle = pow(10.0, brn_rng_uniform(rng, -16.0, -4.0)),
                 ratio = brn_rng_uniform(rng, -2.0, 2.0);
    switch (brn_rng_next(rng) % 6) {
    case 0: /* parallel */
    case 1: /* nearly */
        for (int i = 0; i < 3; ++i) {
            x[9 + i] = x[from + i] + ratio * (x[first + 3 + i] - x[first + i]) +
                       (kind == EDGE_EDGE || ratio > 0.0 ? angle * brn_rng_uniform(rng, -1.0, 1.0) : 0.0);
        }
        break;
    case 2: /* nodes in common */
        memcpy(x + 3 * (brn_rng_next(rng) % 4), x + 3 * (brn_rng_next(rng) % 4), 3 * sizeof *x);
        break;
    case 3: /* a coarse grid: ties, coplanar, touching */
        for (int i = 0; i < 12; ++i) {
            x[i] = 0.5 * (double)((int)(brn_rng_next(rng) % 5) - 2);
        }
        break;
    default:
        break;
    }
}

static void test_classification_finds_the_minimum(void **state)
{
    (void)state;
    brn_rng rng = {3};
    int seen[SIDES][4] = {{0}};
    for (int repeat = 0; repeat < 6000; ++repeat) {
        const sides kind = (sides)(repeat % 3);
        double x[12], copy[12];
        fill(&rng, 1.0, x);
        degrade(&rng, kind, x);
        memcpy(copy, x, sizeof copy);
        const brn_stencil s = classify(kind, x);
        const double got = sqrt(true_distance2(kind, x)), want = sqrt(brute_force(kind, x));
        seen[kind][s.kind]++;
        /* A squared distance cannot be told from 0 below 1e-16 by the search, so its root is good to 1e-8 there; flat
           figures (sine 1e-10) may be off by their width. */
        assert_near(got, want, 1e-8 + 1e-9 * want);
        assert_near(sqrt(brn_stencil_distance2(s, as_nodes(x), 0, NULL, NULL)), got, 1e-9);
        /* the gradient in all nodes is that of the stencil, where the closest points are unique */
        double g[12] = {0}, part[12], full[12] = {0};
        assert_near(true_gradient(kind, x, g), got * got, 1e-14);
        (void)brn_stencil_distance2(s, as_nodes(x), 1, part, NULL);
        for (int i = 0; i < 3 * s.count; ++i) {
            full[3 * s.node[i / 3] + i % 3] = part[i];
        }
        const bool flat = kind != POINT_EDGE && !(narrowness(&forms[kind + 1], x) > 1e-6);
        /* weights of a figure of sine 1e-10 are good to 1e-6 */
        for (int i = 0; i < 12 && !flat; ++i) {
            assert_near(g[i], full[i], 1e-5);
        }
        /* the same at other scales, to the digit where the scale is a power of two */
        const double scale = repeat % 2 ? 0x1p20 : 0x1p-20;
        for (int i = 0; i < 12; ++i) {
            copy[i] *= scale;
        }
        assert_near(sqrt(true_distance2(kind, copy)), scale * got, 0.0);
    }
    for (int kind = 0; kind < SIDES; ++kind) {
        for (int pair = 0; pair < 4; ++pair) {
            const bool possible = pair < BRN_PAIR_PT || pair == (kind == POINT_TRIANGLE ? BRN_PAIR_PT : -1) ||
                                  pair == (kind == EDGE_EDGE ? BRN_PAIR_EE : -1);
            assert_int_equal(seen[kind][pair] > 50, possible);
        }
    }
}

/* Narrow figures and touching ones against wide arithmetic: the error stays at rounding down to a sine of 1e-8, and below
   1e-10 of the size beyond. */
static void test_accuracy_of_narrow_figures(void **state)
{
    (void)state;
    brn_rng rng = {6};
    int faces = 0;
    for (int repeat = 0; repeat < 20000; ++repeat) {
        const int pair = repeat % 2 ? PAIR_TRIANGLE : PAIR_EDGES, first = repeat % 2 ? 1 : 0,
                  from = repeat % 2 ? 1 : 2;
        const double angle = ccd_power(&rng, -12.0, 0.0), ratio = brn_rng_uniform(&rng, -2.0, 2.0);
        double x[4][3] = {{0}}, sine2;
        ccd_noise(&rng, 1.0, x);
        for (int i = 0; i < 3; ++i) {
            x[3][i] = x[from][i] + ratio * (x[first + 1][i] - x[first][i]) +
                      angle * brn_rng_uniform(&rng, -1.0, 1.0);
        }
        ccd_touch(&rng, pair, ccd_power(&rng, -12.0, 0.0), x);
        const double(*nodes)[3] = (const double(*)[3])x;
        const double want = ccd_wide_distance(pair, nodes, &sine2);
        const double got =
            sqrt(pair == PAIR_EDGES ? brn_distance_edge_edge2(nodes) : brn_distance_point_triangle2(nodes));
        const brn_stencil s =
            pair == PAIR_EDGES ? brn_classify_edge_edge(nodes) : brn_classify_point_triangle(nodes);
        const double smooth = sqrt(brn_stencil_distance2(s, nodes, 0, NULL, NULL));
        faces += s.kind >= BRN_PAIR_PT;
        /* lengths up to 5; measured worst 9e-16 above a sine of 1e-7, 1e-12 above 1e-9 */
        const double allowed = sine2 > 1e-14 ? 1e-14 : sine2 > 1e-19 ? 1e-11 : 5e-10;
        assert_near(got, want, allowed);
        assert_near(smooth, want, allowed);
    }
    assert_true(faces > 1000);
}

/* Every feature is found, by its nodes. */
static void test_all_cases_by_name(void **state)
{
    (void)state;
    double x[4][3] = {{0, 0, 1}, {0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    static const struct {
        double at[2];
        brn_stencil want;
    } triangle[] = {
        {{-1, -1}, {BRN_PAIR_PP, 2, {0, 1}}},     {{6, -1}, {BRN_PAIR_PP, 2, {0, 2}}},
        {{-1, 6}, {BRN_PAIR_PP, 2, {0, 3}}},      {{2, -1}, {BRN_PAIR_PE, 3, {0, 1, 2}}},
        {{3, 3}, {BRN_PAIR_PE, 3, {0, 2, 3}}},    {{-1, 2}, {BRN_PAIR_PE, 3, {0, 1, 3}}},
        {{1, 1}, {BRN_PAIR_PT, 4, {0, 1, 2, 3}}},
    };
    for (size_t i = 0; i < sizeof triangle / sizeof *triangle; ++i) {
        x[0][0] = triangle[i].at[0];
        x[0][1] = triangle[i].at[1];
        const brn_stencil s = brn_classify_point_triangle((const double(*)[3])x);
        assert_int_equal(s.kind, triangle[i].want.kind);
        assert_memory_equal(s.node, triangle[i].want.node, s.count);
    }
    /* edge a of length 2 along x around (at), at height 1 over edge b of length 2 along y */
    static const uint8_t want[3][3][4] = {
        {{1, 2}, {1, 2, 3}, {1, 3}}, {{2, 0, 1}, {0, 1, 2, 3}, {3, 0, 1}}, {{0, 2}, {0, 2, 3}, {0, 3}}};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double cx = 3.0 * (i - 1), cy = 3.0 * (j - 1);
            const double y[4][3] = {{cx - 1, cy, 1}, {cx + 1, cy, 1}, {0, -1, 0}, {0, 1, 0}};
            const brn_stencil s = brn_classify_edge_edge(y);
            assert_int_equal(s.count, 2 + (i == 1) + (j == 1));
            assert_memory_equal(s.node, want[i][j], s.count);
        }
    }
    /* no length, no direction: still a stencil, and never a line or plane that is not defined */
    const double same[4][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    assert_int_equal(brn_classify_point_triangle(same).kind, BRN_PAIR_PP);
    assert_int_equal(brn_classify_edge_edge(same).kind, BRN_PAIR_PP);
    assert_int_equal(brn_classify_point_edge(same).kind, BRN_PAIR_PP);
    /* parallel within a sine of 1e-11: not line-line; 1e-9: line-line */
    double p[4][3] = {{-1, 0, 0}, {1, 0, 0}, {-1, -1e-11, 1}, {1, 1e-11, 1}};
    assert_true(brn_classify_edge_edge((const double(*)[3])p).kind != BRN_PAIR_EE);
    p[2][1] = -1e-9;
    p[3][1] = 1e-9;
    assert_int_equal(brn_classify_edge_edge((const double(*)[3])p).kind, BRN_PAIR_EE);
}

/* Across a boundary of cases value and gradient are continuous, on a step of 1e-9 they change by no more than that
   times the curvature; next to it the derivatives of the case hold. */
static void test_continuous_across_boundaries(void **state)
{
    (void)state;
    brn_rng rng = {4};
    int crossed = 0;
    for (int repeat = 0; repeat < 3000; ++repeat) {
        const sides kind = (sides)(repeat % 3);
        double a[12], b[12];
        fill(&rng, 1.0, a);
        fill(&rng, 1.0, b);
        brn_stencil sa = classify(kind, a), sb = classify(kind, b);
        if (sa.kind == sb.kind) {
            continue;
        }
        /* bisect for the boundary between two cases on the way from a to b */
        for (int i = 0; i < 30; ++i) {
            double middle[12];
            for (int k = 0; k < 12; ++k) {
                middle[k] = 0.5 * (a[k] + b[k]);
            }
            const brn_stencil sm = classify(kind, middle);
            const bool left = sm.kind == sa.kind && memcmp(sm.node, sa.node, sm.count) == 0;
            memcpy(left ? a : b, middle, sizeof middle);
            sb = left ? sb : sm;
        }
        double ga[12], gb[12], full_a[12] = {0}, full_b[12] = {0};
        const double va = brn_stencil_distance2(sa, as_nodes(a), 1, ga, NULL);
        const double vb = brn_stencil_distance2(sb, as_nodes(b), 1, gb, NULL);
        for (int i = 0; i < 3 * sa.count; ++i) {
            full_a[3 * sa.node[i / 3] + i % 3] = ga[i];
        }
        for (int i = 0; i < 3 * sb.count; ++i) {
            full_b[3 * sb.node[i / 3] + i % 3] = gb[i];
        }
        assert_near(va, vb, 1e-7);
        /* 4e-9 apart, curvature up to (distance / narrowness)^2 */
        const double narrow = narrowness(&forms[kind + 1], a), bend = 1.0 + va / (narrow * narrow);
        for (int i = 0; i < 12; ++i) {
            assert_near(full_a[i], full_b[i], 1e-7 * bend);
        }
        ++crossed;
    }
    assert_true(crossed > 500);
}

/* ---- mollifier ------------------------------------------------------------------------------------------------- */

static void test_mollifier(void **state)
{
    (void)state;
    brn_rng rng = {5};
    for (int repeat = 0; repeat < 300; ++repeat) {
        const double size = pow(10.0, brn_rng_uniform(&rng, -6.0, 6.0)),
                     bend = pow(10.0, brn_rng_uniform(&rng, -6.0, -1.6));
        double x[12];
        fill(&rng, size, x);
        for (int i = 0; i < 3; ++i) {
            x[9 + i] = x[6 + i] + 1.3 * (x[3 + i] - x[i]) + bend * size * brn_rng_uniform(&rng, -1.0, 1.0);
        }
        const double eps = brn_mollifier_threshold(as_nodes(x)), m = brn_mollifier(as_nodes(x), eps);
        assert_true(m >= 0.0 && m <= 1.0);
        /* The function changes over the part of the size that makes c = eps: sqrt(1e-3). Differences that reach
           across c = eps, where the third derivative jumps, are left out. */
        if (m < 0.9) {
            check_derivatives(mollifier_value, &eps, 12, x, 0.02 * size, 1e-6);
        }
    }
    /* Continuous with its slope at c = eps; 1 beyond; 0 for parallel edges; 1 where the rest edge has no length. */
    const double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 1}}; /* c = 1 */
    double g[12];
    assert_near(brn_mollifier_gradient(x, 1.0 + 1e-9, g), 1.0, 1e-15);
    for (int i = 0; i < 12; ++i) {
        assert_near(g[i], 0.0, 1e-8);
    }
    assert_near(brn_mollifier(x, 1.0), 1.0, 0.0);
    assert_near(brn_mollifier(x, 0.0), 1.0, 0.0);
    assert_near(brn_mollifier(x, 2.0), 0.75, 1e-15);
    const double parallel[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {2, 0, 1}};
    assert_near(brn_mollifier(parallel, 1e-3), 0.0, 0.0);
    assert_near(brn_mollifier_threshold(parallel), 4e-3, 1e-18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms_have_right_derivatives),
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_closest_points_agree_with_gradient),
        cmocka_unit_test(test_classification_finds_the_minimum),
        cmocka_unit_test(test_accuracy_of_narrow_figures),
        cmocka_unit_test(test_all_cases_by_name),
        cmocka_unit_test(test_continuous_across_boundaries),
        cmocka_unit_test(test_mollifier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
