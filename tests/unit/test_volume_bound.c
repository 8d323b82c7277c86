/* The bounds of linear motions by volume and by distance from a plane, against exact rationals (GMP). */
#include "test.h"

#include "base/rng.h"
#include "geom/volume_bound.h"

#include <float.h>
#include <gmp.h>
#include <stdbool.h>

enum { TET, TRI, PLANE, LINE, KIND_COUNT, DEGREE = 6 };
static const char *const kind_names[KIND_COUNT] = {"tet", "tri", "plane", "line"};

typedef struct query {
    int kind;
    double x0[4][3], x1[4][3];
    double dmin, keep, t_max;
} query;

static double call(const query *q)
{
    const double(*x0)[3] = (const double(*)[3])q->x0, (*x1)[3] = (const double(*)[3])q->x1;
    return q->kind == TET     ? brn_bound_tet_volume(x0, x1, q->keep, q->t_max)
           : q->kind == TRI   ? brn_bound_tri_area(x0, x1, q->keep, q->t_max)
           : q->kind == PLANE ? brn_bound_plane(x0, x1, q->dmin, q->keep, q->t_max)
                              : brn_bound_line(x0, x1, q->dmin, q->keep, q->t_max);
}

/* ---- polynomials c[0] + c[1] t + ... over rationals ------------------------------------------------------------- */

typedef struct poly {
    mpq_t c[DEGREE + 1];
} poly;

static void poly_init(poly *p)
{
    for (int i = 0; i <= DEGREE; ++i) {
        mpq_init(p->c[i]);
    }
}

static void poly_clear(poly *p)
{
    for (int i = 0; i <= DEGREE; ++i) {
        mpq_clear(p->c[i]);
    }
}

/* p += sign a b */
static void poly_add_product(poly *p, const poly *a, const poly *b, int sign)
{
    mpq_t term;
    mpq_init(term);
    for (int i = 0; i <= DEGREE; ++i) {
        for (int k = 0; i + k <= DEGREE; ++k) {
            mpq_mul(term, a->c[i], b->c[k]);
            if (sign > 0) {
                mpq_add(p->c[i + k], p->c[i + k], term);
            } else {
                mpq_sub(p->c[i + k], p->c[i + k], term);
            }
        }
    }
    mpq_clear(term);
}

static double poly_value(const poly *p, double t, mpq_t out)
{
    mpq_t time;
    mpq_init(time);
    mpq_set_d(time, t);
    mpq_set_ui(out, 0, 1);
    for (int i = DEGREE; i >= 0; --i) {
        mpq_mul(out, out, time);
        mpq_add(out, out, p->c[i]);
    }
    mpq_clear(time);
    return mpq_get_d(out);
}

/* Nowhere negative over the interval with these Bernstein coefficients? Halving; a place not settled after 80 of them
   counts as negative. */
static bool bernstein_positive(const poly *b, int depth)
{
    bool positive = true;
    for (int i = 0; i <= DEGREE; ++i) {
        positive = positive && mpq_sgn(b->c[i]) >= 0;
    }
    if (positive || depth == 80 || mpq_sgn(b->c[0]) < 0 || mpq_sgn(b->c[DEGREE]) < 0) {
        return positive;
    }
    poly left, right;
    poly_init(&left);
    poly_init(&right);
    for (int i = 0; i <= DEGREE; ++i) {
        mpq_set(right.c[i], b->c[i]);
    }
    for (int level = 0; level <= DEGREE; ++level) {
        mpq_set(left.c[level], right.c[0]);
        for (int i = 0; i < DEGREE - level; ++i) {
            mpq_add(right.c[i], right.c[i], right.c[i + 1]);
            mpq_div_2exp(right.c[i], right.c[i], 1);
        }
    }
    positive = bernstein_positive(&left, depth + 1) && bernstein_positive(&right, depth + 1);
    poly_clear(&left);
    poly_clear(&right);
    return positive;
}

/* p >= 0 on [0, t]? */
static bool poly_positive(const poly *p, double t)
{
    static const unsigned long choose[DEGREE + 1][DEGREE + 1] = {{1},
                                                                 {1, 1},
                                                                 {1, 2, 1},
                                                                 {1, 3, 3, 1},
                                                                 {1, 4, 6, 4, 1},
                                                                 {1, 5, 10, 10, 5, 1},
                                                                 {1, 6, 15, 20, 15, 6, 1}};
    poly b;
    mpq_t power, term, time;
    poly_init(&b);
    mpq_inits(power, term, time, NULL);
    mpq_set_ui(power, 1, 1);
    mpq_set_d(time, t);
    for (int j = 0; j <= DEGREE; ++j) {
        for (int i = j; i <= DEGREE; ++i) {
            mpq_set_ui(term, choose[i][j], choose[DEGREE][j]);
            mpq_canonicalize(term);
            mpq_mul(term, term, power);
            mpq_mul(term, term, p->c[j]);
            mpq_add(b.c[i], b.c[i], term);
        }
        mpq_mul(power, power, time);
    }
    const bool positive = bernstein_positive(&b, 0);
    poly_clear(&b);
    mpq_clears(power, term, time, NULL);
    return positive;
}

/* ---- the exact motion ------------------------------------------------------------------------------------------ */

typedef struct motion {
    poly volume, normal2; /* V(t), |N(t)|^2 */
    double sums[3][2];    /* sums of the absolute components of the edges at t = 0 and 1 */
} motion;

static void edge_set(const query *q, int from, int to, poly e[3], double sums[2])
{
    mpq_t other;
    mpq_init(other);
    sums[0] = sums[1] = 0.0;
    const int dimensions = q->kind == TET || q->kind == PLANE ? 3 : 2;
    for (int i = 0; i < dimensions && to >= 0; ++i) {
        mpq_set_d(e[i].c[0], q->x0[to][i]);
        mpq_set_d(other, q->x0[from][i]);
        mpq_sub(e[i].c[0], e[i].c[0], other);
        mpq_set_d(e[i].c[1], q->x1[to][i]);
        mpq_set_d(other, q->x1[from][i]);
        mpq_sub(e[i].c[1], e[i].c[1], other);
        sums[0] += fabs(mpq_get_d(e[i].c[0]));
        sums[1] += fabs(mpq_get_d(e[i].c[1]));
        mpq_sub(e[i].c[1], e[i].c[1], e[i].c[0]);
    }
    if (to < 0) {
        mpq_set_ui(e[2].c[0], 1, 1);
        sums[0] = sums[1] = 1.0;
    }
    mpq_clear(other);
}

static void motion_set(const query *q, motion *m)
{
    static const int nodes[KIND_COUNT][4] = {{0, 1, 2, 3}, {0, 1, 2, -1}, {1, 0, 2, 3}, {1, 0, -1, 2}};
    poly e[3][3], n[3];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            poly_init(&e[k][i]);
        }
        edge_set(q, nodes[q->kind][0], nodes[q->kind][k + 1], e[k], m->sums[k]);
        poly_init(&n[k]);
    }
    poly_init(&m->volume);
    poly_init(&m->normal2);
    for (int i = 0; i < 3; ++i) {
        poly_add_product(&n[i], &e[1][(i + 1) % 3], &e[2][(i + 2) % 3], 1);
        poly_add_product(&n[i], &e[1][(i + 2) % 3], &e[2][(i + 1) % 3], -1);
        poly_add_product(&m->volume, &e[0][i], &n[i], 1);
        poly_add_product(&m->normal2, &n[i], &n[i], 1);
    }
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            poly_clear(&e[k][i]);
        }
        poly_clear(&n[k]);
    }
}

static void motion_clear(motion *m)
{
    poly_clear(&m->volume);
    poly_clear(&m->normal2);
}

/* Square root, rounded down or up by a relative 1e-150. */
static void root(mpq_t x, bool up)
{
    mpf_t f;
    mpq_t factor;
    mpf_init2(f, 640);
    mpq_init(factor);
    mpf_set_q(f, x);
    mpf_sqrt(f, f);
    mpq_set_f(x, f);
    mpq_set_ui(factor, 1, 1);
    mpq_div_2exp(factor, factor, 500);
    mpq_mul(factor, factor, x);
    if (up) {
        mpq_add(x, x, factor);
    } else {
        mpq_sub(x, x, factor);
    }
    mpf_clear(f);
    mpq_clear(factor);
}

/* keep V(0), or the wanted distance rounded up; also what V(0), or d0 - dmin, is. */
static void wanted(const query *q, const motion *m, mpq_t want, double *start)
{
    mpq_t keep, dmin;
    mpq_inits(keep, dmin, NULL);
    mpq_set_d(keep, q->keep);
    mpq_set(want, m->volume.c[0]);
    if (q->kind >= PLANE) {
        mpq_t length;
        mpq_init(length);
        mpq_set(length, m->normal2.c[0]);
        root(length, false);
        if (mpq_sgn(length) > 0) {
            mpq_div(want, want, length);
        }
        mpq_set_d(dmin, q->dmin);
        mpq_sub(want, want, dmin);
        mpq_clear(length);
    }
    *start = mpq_get_d(want);
    mpq_mul(want, want, keep);
    mpq_add(want, want, dmin);
    mpq_clears(keep, dmin, NULL);
}

/* V >= want |N|^(0 or 1) on all of [0, t], exactly? */
static bool holds(const query *q, const motion *m, const mpq_t want, double t)
{
    poly p;
    poly_init(&p);
    bool good = true;
    if (q->kind >= PLANE) {
        mpq_t term;
        mpq_init(term);
        good = poly_positive(&m->volume, t);
        poly_add_product(&p, &m->volume, &m->volume, 1);
        for (int i = 0; i <= DEGREE; ++i) {
            mpq_mul(term, m->normal2.c[i], want);
            mpq_mul(term, term, want);
            mpq_sub(p.c[i], p.c[i], term);
        }
        mpq_clear(term);
    } else {
        for (int i = 0; i <= DEGREE; ++i) {
            mpq_set(p.c[i], m->volume.c[i]);
        }
        mpq_sub(p.c[0], p.c[0], want);
    }
    good = good && poly_positive(&p, t);
    poly_clear(&p);
    return good;
}

/* What rounding may take of V (or of V / |N|) at t. */
static double rounding_at(const query *q, const motion *m, double t, double want, double length)
{
    const double s = t / q->t_max; /* errors belong to the ends of [0, t_max] */
    double p = 1.0, n = 1.0;
    for (int k = 0; k < 3; ++k) {
        const double end =
            q->t_max == 1.0 ? m->sums[k][1] : m->sums[k][0] + q->t_max * (m->sums[k][0] + m->sums[k][1]);
        const double at = (1.0 - s) * m->sums[k][0] + s * end;
        p *= at;
        n *= k > 0 ? at : 1.0;
    }
    return q->kind >= PLANE ? 128.0 * DBL_EPSILON * (p + want * n) / length
                            : 128.0 * DBL_EPSILON * (p + want);
}

typedef struct tally {
    long queries, stopped, refused, loose;
} tally;

/* NULL, or what is wrong with the answer to q. */
static const char *check(const query *q, tally *sum)
{
    const char *problem = NULL;
    const double t = call(q);
    motion m;
    mpq_t want, value, length;
    double start;
    mpq_inits(want, value, length, NULL);
    motion_set(q, &m);
    wanted(q, &m, want, &start);
    const double length0 = sqrt(mpq_get_d(m.normal2.c[0]));
    const double limit = rounding_at(q, &m, 0.0, mpq_get_d(want), length0) / (1.0 - q->keep);
    sum->queries++;
    sum->stopped += t < q->t_max;
    if (!(t >= 0.0 && t <= q->t_max)) {
        problem = "not in [0, t_max]";
    } else if (t == 0.0) {
        sum->refused++;
        problem = start > limit ? "0 for a good start" : NULL;
    } else if (!(start > 0.0)) {
        problem = "not 0 for a bad start";
    } else if (!holds(q, &m, want, t)) {
        problem = "broken before t";
    } else if (t < q->t_max) {
        double now = poly_value(&m.volume, t, value), area = 1.0;
        if (q->kind >= PLANE) {
            area = sqrt(poly_value(&m.normal2, t, length));
            now = now / area - q->dmin;
        }
        /* At a stop the value is low, or the wanted one is broken within the last width looked at (1e-6 t and more
           for safety), or the plane is lost at t_max, where its normal vanishes. */
        const double enough =
            (q->keep + 0.0011) * start + rounding_at(q, &m, t, mpq_get_d(want), area) + 1e-12 * start;
        if (now > enough && t < q->t_max * (1.0 - 1e-12) &&
            holds(q, &m, want, fmin(q->t_max, t * (1.0 + 1e-4)))) {
            sum->loose++;
        }
    }
    motion_clear(&m);
    mpq_clears(want, value, length, NULL);
    return problem;
}

/* ---- made-up motions ------------------------------------------------------------------------------------------- */

static double power(brn_rng *rng, double low, double high)
{
    return pow(10.0, brn_rng_uniform(rng, low, high));
}

enum {
    FAMILY_RANDOM,
    FAMILY_SMALL_STEP, /* most end at t_max */
    FAMILY_HUGE_STEP,  /* up to 1e12 sizes */
    FAMILY_SLIVER,     /* 1e-1 to 1e-15 of a full volume */
    FAMILY_SIZES,      /* edges of sizes 1e-6 to 1e6 */
    FAMILY_LINEAR,     /* one node moves: V is linear */
    FAMILY_GRID,       /* small integers: double roots, coefficients that vanish */
    FAMILY_GRAZE,      /* touches the wanted volume in the middle, up to rounding */
    FAMILY_SCALED,     /* uniform growth or collapse to a point: a triple root */
    FAMILY_RIGID,      /* translation, or rotation by up to half a turn */
    FAMILY_FAR,        /* carried far away */
    FAMILY_COUNT
};

static void noise(brn_rng *rng, double size, double x[4][3])
{
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < 3; ++i) {
            x[k][i] += brn_rng_uniform(rng, -size, size);
        }
    }
}

/* Motion of the family from x0, which is set. */
static void move(brn_rng *rng, int family, query *q)
{
    memcpy(q->x1, q->x0, sizeof q->x1);
    double shift[3], angle = brn_rng_uniform(rng, -3.2, 3.2);
    const double growth = brn_rng_next(rng) % 2 ? 0.0 : brn_rng_uniform(rng, -2.0, 2.0);
    for (int i = 0; i < 3; ++i) {
        shift[i] = brn_rng_uniform(rng, -1.0, 1.0) * (family == FAMILY_FAR ? power(rng, 0.0, 8.0) : 1.0);
    }
    const int node = (int)(brn_rng_next(rng) % 4);
    angle = brn_rng_next(rng) % 2 ? angle : 0.0;
    for (int k = 0; k < 4; ++k) {
        const double *x = q->x0[k];
        double *y = q->x1[k];
        if (family == FAMILY_SCALED) {
            for (int i = 0; i < 3; ++i) {
                y[i] = growth * x[i];
            }
        } else if (family == FAMILY_RIGID || family == FAMILY_FAR) {
            y[0] = cos(angle) * x[0] - sin(angle) * x[1] + shift[0];
            y[1] = sin(angle) * x[0] + cos(angle) * x[1] + shift[1];
            y[2] = x[2] + shift[2];
        } else if (family == FAMILY_LINEAR && k == node) {
            for (int i = 0; i < 3; ++i) {
                y[i] += 3.0 * shift[i];
            }
        }
    }
    if (family == FAMILY_FAR || (family == FAMILY_RIGID && brn_rng_next(rng) % 4 == 0)) {
        for (int i = 0; i < 3; ++i) {
            q->x1[0][i] += brn_rng_uniform(rng, -1.0, 1.0);
        }
    }
}

static void shape(brn_rng *rng, int family, query *q)
{
    memset(q->x0, 0, sizeof q->x0);
    noise(rng, 1.0, q->x0);
    if (family == FAMILY_SLIVER) {
        const int axis = q->kind == TET || q->kind == PLANE ? 2 : 1;
        const double flat = power(rng, -15.0, -1.0);
        for (int k = 0; k < 4; ++k) {
            q->x0[k][axis] *= flat;
        }
    } else if (family == FAMILY_SIZES) {
        for (int k = 0; k < 4; ++k) {
            const double size = power(rng, -6.0, 6.0);
            for (int i = 0; i < 3; ++i) {
                q->x0[k][i] *= size;
            }
        }
    }
    move(rng, family, q);
    if (family == FAMILY_RANDOM || family == FAMILY_SIZES) {
        noise(rng, 1.0, q->x1);
    } else if (family == FAMILY_SMALL_STEP || family == FAMILY_SLIVER) {
        noise(rng, power(rng, -6.0, -0.5), q->x1);
    } else if (family == FAMILY_HUGE_STEP) {
        noise(rng, power(rng, 1.0, 12.0), q->x1);
    } else if (family == FAMILY_GRID) {
        for (int k = 0; k < 24; ++k) {
            (k < 12 ? q->x0 : q->x1)[k % 12 / 3][k % 3] = (double)((int)(brn_rng_next(rng) % 5) - 2);
        }
    } else if (family == FAMILY_GRAZE) {
        /* Scaling by s(t)^3 is no linear motion; a volume (1 - t)(1 - t) h: two edges come in and go out again. */
        const double turn = brn_rng_uniform(rng, 0.2, 0.8);
        for (int k = 1; k < 3; ++k) {
            for (int i = 0; i < 3; ++i) {
                q->x1[k][i] = q->x0[0][i] + (q->x0[k][i] - q->x0[0][i]) * (turn - 1.0) / turn;
            }
        }
    }
}

/* Node order so that the start is positive; sometimes left as it is. */
static void query_make(brn_rng *rng, int kind, int family, query *q)
{
    static const double keeps[4] = {0.1, 0.0, 0.5, 0.9}, ends[4] = {1.0, 1.0, 0.3, 2.5};
    memset(q, 0, sizeof *q);
    q->kind = kind;
    q->keep = keeps[brn_rng_next(rng) % 4];
    q->t_max = ends[brn_rng_next(rng) % 4];
    shape(rng, family, q);
    motion m;
    motion_set(q, &m);
    const int last = kind == TET || kind == PLANE ? 3 : 2, other = kind >= PLANE ? 1 : 0;
    if (mpq_sgn(m.volume.c[0]) < 0 && brn_rng_next(rng) % 16 != 0) {
        for (int i = 0; i < 3; ++i) {
            double swap = q->x0[last][i];
            q->x0[last][i] = q->x0[other][i];
            q->x0[other][i] = swap;
            swap = q->x1[last][i];
            q->x1[last][i] = q->x1[other][i];
            q->x1[other][i] = swap;
        }
    }
    const double scale = brn_rng_next(rng) % 2 ? 1.0 : power(rng, -6.0, 6.0);
    for (int k = 0; k < 24; ++k) {
        (k < 12 ? q->x0 : q->x1)[k % 12 / 3][k % 3] *= scale;
    }
    motion_clear(&m);
    if (kind >= PLANE && brn_rng_next(rng) % 2) {
        motion_set(q, &m);
        const double d0 = mpq_get_d(m.volume.c[0]) / sqrt(mpq_get_d(m.normal2.c[0]));
        q->dmin = d0 > 0.0 ? d0 * (1.0 - power(rng, -14.0, 0.1)) : 0.0;
        q->dmin = q->dmin > 0.0 ? q->dmin : 0.0;
        motion_clear(&m);
    }
}

static void print_query(const query *q)
{
    print_error("%s, dmin %a, keep %a, t_max %a -> %a\n", kind_names[q->kind], q->dmin, q->keep, q->t_max,
                call(q));
    for (int k = 0; k < 4; ++k) {
        print_error("  {%a, %a, %a} -> {%a, %a, %a}\n", q->x0[k][0], q->x0[k][1], q->x0[k][2], q->x1[k][0],
                    q->x1[k][1], q->x1[k][2]);
    }
}

static void test_against_exact(void **state)
{
    (void)state;
    static const char *const names[FAMILY_COUNT] = {"random", "small step", "huge step", "sliver",
                                                    "sizes",  "linear",     "grid",      "graze",
                                                    "scaled", "rigid",      "far"};
    const long each = 200;
    brn_rng rng = {5};
    long wrong = 0, loose = 0;
    for (int family = 0; family < FAMILY_COUNT; ++family) {
        for (int kind = 0; kind < KIND_COUNT; ++kind) {
            tally sum = {0};
            for (long i = 0; i < each; ++i) {
                query q;
                query_make(&rng, kind, family, &q);
                const char *problem = check(&q, &sum);
                if (problem != NULL && ++wrong <= 5) {
                    print_error("%s, query %ld: %s\n", names[family], i, problem);
                    print_query(&q);
                }
            }
            print_message("%-10s %-5s %6ld queries, %6ld stopped, %6ld refused, %4ld loose\n", names[family],
                          kind_names[kind], sum.queries, sum.stopped, sum.refused, sum.loose);
            loose += sum.loose;
        }
    }
    assert_int_equal(wrong, 0);
    /* A plane whose normal vanishes on the way, with dmin nearly the whole distance, may spend the 100 intervals: 8 in
       220000 of these. */
    assert_true(loose <= 2);
}

/* Where the answer is known. */
static void test_plain_cases(void **state)
{
    (void)state;
    query q = {.kind = TET,
               .x0 = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
               .x1 = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -1}},
               .keep = 0.1,
               .t_max = 1.0};
    /* V = 1 - 2 t falls to 0.1; linear motions are met within rounding */
    assert_near(call(&q), 0.45, 1e-13);
    assert_true(call(&q) < 0.45);
    q.kind = PLANE; /* node 0 in the way of the plane of 1, 2, 3: on its negative side */
    assert_true(call(&q) == 0.0);
    /* the plane z = 0 rises with 1 m, the point at 10 m and far aside falls with 2 m: 10 - 3 t */
    const double far[2][4][3] = {{{1e3, -2e3, 10}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                                 {{1e3, -2e3, 8}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}}};
    memcpy(q.x0, far[0], sizeof q.x0);
    memcpy(q.x1, far[1], sizeof q.x1);
    assert_true(call(&q) == 1.0);
    q.t_max = 4.0;
    /* down to 1 m; error 64 u L^3 / |N| at t_max with L^3 = 3e3 9^3 m^3, over 3 m/s */
    assert_near(call(&q), 3.0, 1e-8);
    q.dmin = 4.0;
    assert_near(call(&q), 1.8, 1e-8); /* 4.6 m */
    q.dmin = 10.0;
    assert_true(call(&q) == 0.0);
    /* the same in 2D, z is not a number */
    query line = {.kind = LINE,
                  .x0 = {{1e3, 10, NAN}, {0, 0, NAN}, {1, 0, NAN}},
                  .x1 = {{1e3, 8, NAN}, {0, 1, NAN}, {1, 1, NAN}},
                  .dmin = 4.0,
                  .keep = 0.1,
                  .t_max = 4.0};
    assert_near(call(&line), 1.8, 1e-8);
    line.x0[0][1] = -10.0;
    assert_true(call(&line) == 0.0);
    /* a triangle that collapses evenly: (1 - t)^2 falls to 0.25, or below 0.251 a little before */
    query tri = {.kind = TRI, .x0 = {{0, 0, NAN}, {1, 0, NAN}, {0, 1, NAN}}, .keep = 0.25, .t_max = 1.0};
    assert_true(call(&tri) <= 0.5 && call(&tri) > 0.499);
    /* rigid rotation by a quarter turn: the square of the sides falls to a half at t = 1/2 */
    const double turned[3][3] = {{0, 0, NAN}, {0, 1, NAN}, {-1, 0, NAN}};
    memcpy(tri.x1, turned, sizeof turned);
    assert_true(call(&tri) == 1.0);
    tri.keep = 0.5 - 1e-9;
    assert_true(call(&tri) > 0.45); /* 0.501 is enough to stop */
    tri.keep = 0.6;
    assert_true(call(&tri) < 0.5);
    /* no motion at all */
    memcpy(tri.x1, tri.x0, sizeof tri.x1);
    assert_true(call(&tri) == 1.0);
}

/* Any scale: a power of two changes nothing but the range of exponents. */
static void test_any_scale(void **state)
{
    (void)state;
    brn_rng rng = {17};
    for (int i = 0; i < 4000; ++i) {
        static const double scales[] = {0x1p-1000, 0x1p-700, 0x1p-300, 0x1p-121, 0x1p-20,
                                        0x1p20,    0x1p121,  0x1p700,  0x1p1015};
        query q;
        query_make(&rng, i % KIND_COUNT, i % 3 ? FAMILY_RANDOM : FAMILY_SMALL_STEP, &q);
        double most = 0.0;
        for (int k = 0; k < 12; ++k) {
            most = fmax(most, fmax(fabs(q.x0[k / 3][k % 3]), fabs(q.x1[k / 3][k % 3])));
        }
        const double unit = 1.0 / exp2(floor(log2(most)) + 1.0), t = call(&q), dmin = q.dmin;
        query other = q;
        for (int s = 0; s < (int)(sizeof scales / sizeof scales[0]); ++s) {
            for (int k = 0; k < 24; ++k) {
                const int node = k % 12 / 3;
                (k < 12 ? other.x0 : other.x1)[node][k % 3] =
                    (k < 12 ? q.x0 : q.x1)[node][k % 3] * unit * scales[s];
            }
            other.dmin = dmin * unit * scales[s];
            assert_near(call(&other), t, s == 0 ? 1e-6 : 0.0); /* 2^-1000: some components are subnormal */
        }
    }
}

/* Not a number, infinite, empty, degenerate: 0, or t_max where the bad number does not count. */
static void test_bad_arguments(void **state)
{
    (void)state;
    brn_rng rng = {3};
    for (int i = 0; i < 400; ++i) {
        query good;
        do {
            query_make(&rng, i % KIND_COUNT, FAMILY_RANDOM, &good);
        } while (!(call(&good) > 0.0));
        const int nodes = i % KIND_COUNT == TRI || i % KIND_COUNT == LINE ? 3 : 4;
        const double bad[] = {NAN, INFINITY, -INFINITY};
        for (int b = 0; b < 3; ++b) {
            for (int k = 0; k < 2 * nodes * (nodes - 1); ++k) {
                query q = good;
                const int node = k / 2 / (nodes - 1), axis = k / 2 % (nodes - 1);
                (k % 2 ? q.x1 : q.x0)[node][axis] = bad[b];
                assert_true(call(&q) == 0.0);
            }
            query q = good;
            q.t_max = bad[b];
            const double t = call(&q);
            assert_true(b == 1 ? t > 0.0 && t <= 1e6 : t == 0.0);
            q = good;
            q.keep = bad[b];
            assert_true(b == 0 ? call(&q) == 0.0 : call(&q) >= 0.0);
            q = good;
            q.dmin = bad[b];
            assert_true(q.kind < PLANE || call(&q) == 0.0);
        }
        query q = good;
        q.t_max = 0.0;
        assert_true(call(&q) == 0.0);
        q = good;
        memcpy(q.x0[1], q.x0[2], sizeof q.x0[1]);
        assert_true(call(&q) == 0.0);
        memset(q.x0, 0, sizeof q.x0);
        assert_true(call(&q) == 0.0);
        memset(q.x1, 0, sizeof q.x1);
        assert_true(call(&q) == 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_cases),
        cmocka_unit_test(test_any_scale),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_against_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
