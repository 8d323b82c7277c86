/* Ground truth for continuous collision detection in exact integer arithmetic (GMP): do the two sides of a query
   touch at some t in [0, T]?

   The vertices r_k(t) = A_k + t B_k of the difference of the sides (geom/difference.h) have integer coefficients
   after multiplication by a power of two, and T t replaces t, so that the question is asked on [0, 1]. The sides
   touch at t if the origin is in the hull of the r_k(t). The first time is either on an edge (or vertex) of the hull:
     r_i x r_j = 0 and r_i . r_j <= 0 for the ends i, j of an edge,
   or inside the face:  g = r_0 . N = 0, N = e1 x e2, with strict inequalities between polynomials of degree 4 in t
   for the place of the projection; or inside from the start. All are polynomials in t: common roots are divided out
   with greatest common divisors, the roots left are isolated by Descartes' rule in the Bernstein basis, halving
   until the signs of the conditions are certain at each. No rounding, no tolerance. */
#ifndef BRN_TESTS_UNIT_CCD_EXACT_H
#define BRN_TESTS_UNIT_CCD_EXACT_H

#include "ccd_queries.h"

#include <gmp.h>

enum { DEGREE = 4, CONDITIONS = 4 };

/* c[0] + c[1] t + ...; degree -1: zero. All DEGREE + 1 coefficients exist. */
typedef struct poly {
    int degree;
    mpz_t c[DEGREE + 1];
} poly;

typedef struct poly3 {
    poly x[3];
} poly3;

/* ---- polynomials ----------------------------------------------------------------------------------------------- */

static inline void poly_init(poly *p)
{
    p->degree = -1;
    for (int i = 0; i <= DEGREE; ++i) {
        mpz_init(p->c[i]);
    }
}

static inline void poly_clear(poly *p)
{
    for (int i = 0; i <= DEGREE; ++i) {
        mpz_clear(p->c[i]);
    }
}

static inline void poly3_init(poly3 *p)
{
    for (int i = 0; i < 3; ++i) {
        poly_init(&p->x[i]);
    }
}

static inline void poly3_clear(poly3 *p)
{
    for (int i = 0; i < 3; ++i) {
        poly_clear(&p->x[i]);
    }
}

static inline void poly_trim(poly *p)
{
    p->degree = DEGREE;
    while (p->degree >= 0 && mpz_sgn(p->c[p->degree]) == 0) {
        p->degree--;
    }
}

static inline void poly_copy(poly *p, const poly *q)
{
    for (int i = 0; i <= DEGREE; ++i) {
        mpz_set(p->c[i], q->c[i]);
    }
    p->degree = q->degree;
}

static inline void poly_zero(poly *p)
{
    for (int i = 0; i <= DEGREE; ++i) {
        mpz_set_ui(p->c[i], 0);
    }
    p->degree = -1;
}

/* p += sign a b; p is neither a nor b */
static inline void poly_add_product(poly *p, const poly *a, const poly *b, int sign)
{
    for (int i = 0; i <= a->degree; ++i) {
        for (int j = 0; j <= b->degree; ++j) {
            if (sign > 0) {
                mpz_addmul(p->c[i + j], a->c[i], b->c[j]);
            } else {
                mpz_submul(p->c[i + j], a->c[i], b->c[j]);
            }
        }
    }
    poly_trim(p);
}

static inline void poly_subtract(poly *p, const poly *a, const poly *b)
{
    for (int i = 0; i <= DEGREE; ++i) {
        mpz_sub(p->c[i], a->c[i], b->c[i]);
    }
    poly_trim(p);
}

static inline void poly_negate(poly *p)
{
    for (int i = 0; i <= DEGREE; ++i) {
        mpz_neg(p->c[i], p->c[i]);
    }
}

static inline void poly_dot(poly *p, const poly3 *a, const poly3 *b)
{
    poly_zero(p);
    for (int i = 0; i < 3; ++i) {
        poly_add_product(p, &a->x[i], &b->x[i], 1);
    }
}

static inline void poly_cross(poly3 *p, const poly3 *a, const poly3 *b)
{
    for (int i = 0; i < 3; ++i) {
        poly_zero(&p->x[i]);
        poly_add_product(&p->x[i], &a->x[(i + 1) % 3], &b->x[(i + 2) % 3], 1);
        poly_add_product(&p->x[i], &a->x[(i + 2) % 3], &b->x[(i + 1) % 3], -1);
    }
}

static inline void poly_primitive(poly *p)
{
    mpz_t content;
    mpz_init(content);
    for (int i = 0; i <= p->degree; ++i) {
        mpz_gcd(content, content, p->c[i]);
    }
    for (int i = 0; i <= p->degree; ++i) {
        mpz_divexact(p->c[i], p->c[i], content);
    }
    mpz_clear(content);
}

/* a <- remainder of (a power of b's leading coefficient times a) / b; the quotient, up to a factor, to q unless
   NULL. */
static inline void poly_divide(poly *a, const poly *b, poly *q)
{
    mpz_t lead;
    mpz_init(lead);
    if (q != NULL) {
        poly_zero(q);
    }
    while (a->degree >= b->degree && a->degree >= 0) {
        const int shift = a->degree - b->degree;
        mpz_set(lead, a->c[a->degree]);
        for (int i = 0; i <= DEGREE; ++i) {
            mpz_mul(a->c[i], a->c[i], b->c[b->degree]);
            if (q != NULL) {
                mpz_mul(q->c[i], q->c[i], b->c[b->degree]);
            }
        }
        for (int i = 0; i <= b->degree; ++i) {
            mpz_submul(a->c[i + shift], lead, b->c[i]);
        }
        if (q != NULL) {
            mpz_set(q->c[shift], lead);
        }
        poly_trim(a);
    }
    if (q != NULL) {
        poly_trim(q);
        poly_primitive(q);
    }
    mpz_clear(lead);
}

/* p <- gcd(p, b), primitive */
static inline void poly_gcd(poly *p, const poly *b)
{
    poly r, s;
    poly_init(&r);
    poly_init(&s);
    poly_copy(&r, b);
    while (r.degree >= 0) {
        poly_copy(&s, p);
        poly_divide(&s, &r, NULL);
        poly_copy(p, &r);
        if (s.degree >= 0) {
            poly_primitive(&s);
        }
        poly_copy(&r, &s);
    }
    poly_clear(&r);
    poly_clear(&s);
}

/* Divides out of p all it has in common with b, with every multiplicity that p has once. */
static inline void poly_remove(poly *p, const poly *b)
{
    poly common, quotient;
    poly_init(&common);
    poly_init(&quotient);
    poly_copy(&common, p);
    poly_gcd(&common, b);
    if (common.degree > 0) {
        poly_divide(p, &common, &quotient);
        poly_copy(p, &quotient);
    }
    poly_clear(&common);
    poly_clear(&quotient);
}

static inline void poly_square_free(poly *p)
{
    poly slope;
    poly_init(&slope);
    for (int i = 1; i <= p->degree; ++i) {
        mpz_mul_si(slope.c[i - 1], p->c[i], i);
    }
    poly_trim(&slope);
    if (p->degree > 1) {
        poly_remove(p, &slope);
    }
    poly_clear(&slope);
}

/* ---- roots in [0, 1] where conditions hold --------------------------------------------------------------------- */

/* Bernstein coefficients over the current interval, up to a positive factor. */
static inline void poly_bernstein(poly *b, const poly *p)
{
    static const int choose[5][5] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};
    const int d = p->degree < 0 ? 0 : p->degree;
    for (int i = 0; i <= DEGREE; ++i) {
        mpz_set_ui(b->c[i], 0);
        for (int j = 0; j <= i && i <= d; ++j) {
            mpz_addmul_ui(b->c[i], p->c[j], (unsigned long)(choose[i][j] * (12 / choose[d][j])));
        }
    }
    b->degree = d;
}

/* De Casteljau's halving. */
static inline void poly_halve(const poly *b, poly *left, poly *right)
{
    const int d = b->degree;
    poly_copy(right, b);
    left->degree = d;
    for (int level = 0; level <= d; ++level) {
        mpz_mul_2exp(left->c[level], right->c[0], (mp_bitcnt_t)(d - level));
        for (int i = 0; i < d - level; ++i) {
            mpz_add(right->c[i], right->c[i], right->c[i + 1]);
        }
        /* right->c[d - level] is final: 2^level times too large, against 2^d of the others */
        mpz_mul_2exp(right->c[d - level], right->c[d - level], (mp_bitcnt_t)(d - level));
    }
}

static inline int poly_variations(const poly *b)
{
    int count = 0, last = 0;
    for (int i = 0; i <= b->degree; ++i) {
        const int sign = mpz_sgn(b->c[i]);
        count += sign != 0 && last != 0 && sign != last;
        last = sign != 0 ? sign : last;
    }
    return count;
}

/* 1: positive on the open interval, -1: nowhere positive, 0: not known. */
static inline int poly_sign(const poly *b)
{
    int positive = 0, negative = 0;
    for (int i = 0; i <= b->degree; ++i) {
        positive += mpz_sgn(b->c[i]) > 0;
        negative += mpz_sgn(b->c[i]) < 0;
    }
    return positive == 0 ? -1 : negative == 0 ? 1 : 0;
}

/* A root of b[0] in the open interval with all of b[1 .. n] positive? They share no root with b[0], which is square
   free. */
static inline bool root_inside(const poly *b, int n)
{
    if (poly_variations(&b[0]) == 0) {
        return false;
    }
    bool certain = poly_variations(&b[0]) == 1;
    for (int k = 1; k <= n; ++k) {
        const int sign = poly_sign(&b[k]);
        if (sign < 0) {
            return false;
        }
        certain = certain && sign > 0;
    }
    if (certain) {
        return true;
    }
    poly left[CONDITIONS + 1], right[CONDITIONS + 1];
    bool at_middle = true, found = false;
    for (int k = 0; k <= n; ++k) {
        poly_init(&left[k]);
        poly_init(&right[k]);
        poly_halve(&b[k], &left[k], &right[k]);
        at_middle =
            at_middle && (mpz_sgn(right[k].c[0]) > 0) == (k > 0) && (k > 0 || mpz_sgn(right[k].c[0]) == 0);
    }
    found = at_middle || root_inside(left, n) || root_inside(right, n);
    for (int k = 0; k <= n; ++k) {
        poly_clear(&left[k]);
        poly_clear(&right[k]);
    }
    return found;
}

/* A root of p (not zero; destroyed) in [0, 1] with all of w[0 .. n - 1] positive? */
static inline bool root_exists(poly *p, const poly *w, int n)
{
    poly b[CONDITIONS + 1];
    bool found = false;
    for (int k = 0; k <= n; ++k) {
        poly_init(&b[k]);
        poly_bernstein(&b[k], k == 0 ? p : &w[k - 1]);
    }
    /* the ends */
    for (int end = 0; end < 2; ++end) {
        bool here = mpz_sgn(b[0].c[end * b[0].degree]) == 0;
        for (int k = 1; k <= n; ++k) {
            here = here && mpz_sgn(b[k].c[end * b[k].degree]) > 0;
        }
        found = found || here;
    }
    if (!found && poly_variations(&b[0]) > 0) {
        poly_square_free(p);
        for (int k = 0; k < n; ++k) {
            poly_remove(p, &w[k]);
        }
        poly_bernstein(&b[0], p);
        found = root_inside(b, n);
    }
    for (int k = 0; k <= n; ++k) {
        poly_clear(&b[k]);
    }
    return found;
}

/* ---- the origin in a moving hull ------------------------------------------------------------------------------- */

/* On the segment from a to b at some time? */
static inline bool touches_edge(const poly3 *a, const poly3 *b)
{
    poly3 cross;
    poly common, q, shared;
    poly3_init(&cross);
    poly_init(&common);
    poly_init(&q);
    poly_init(&shared);
    poly_cross(&cross, a, b);
    poly_dot(&q, a, b);
    for (int i = 0; i < 3; ++i) {
        poly_gcd(&common, &cross.x[i]);
    }
    bool found;
    if (common.degree < 0) {
        /* on one line all the time: somewhere q <= 0? */
        poly_copy(&common, &q);
        poly_negate(&q);
        poly_bernstein(&shared, &q);
        found = mpz_sgn(shared.c[0]) >= 0 || mpz_sgn(shared.c[shared.degree]) >= 0 ||
                root_exists(&common, NULL, 0);
    } else {
        poly_copy(&shared, &common);
        poly_gcd(&shared, &q);
        found = shared.degree > 0 && root_exists(&shared, NULL, 0);
        poly_negate(&q);
        found = found || root_exists(&common, &q, 1);
    }
    poly3_clear(&cross);
    poly_clear(&common);
    poly_clear(&q);
    poly_clear(&shared);
    return found;
}

/* Inside the face of r[0], r[1], r[2] (and r[3]) at some time, given that no edge is touched? */
static inline bool touches_face(const poly3 *r, bool triangle)
{
    poly3 e1, e2, n, m;
    poly g, w[CONDITIONS], nn;
    poly3 *const vectors[] = {&e1, &e2, &n, &m};
    for (int k = 0; k < 4; ++k) {
        poly3_init(vectors[k]);
        poly_init(&w[k]);
    }
    poly_init(&g);
    poly_init(&nn);
    for (int i = 0; i < 3; ++i) {
        poly_subtract(&e1.x[i], &r[1].x[i], &r[0].x[i]);
        poly_subtract(&e2.x[i], &r[2].x[i], &r[0].x[i]);
    }
    poly_cross(&n, &e1, &e2);
    poly_dot(&g, &r[0], &n);
    poly_dot(&nn, &n, &n);
    /* u, v of the projection times N.N; then what is left of them to the other side */
    poly_cross(&m, &r[0], &e2);
    poly_dot(&w[0], &m, &n);
    poly_negate(&w[0]);
    poly_cross(&m, &e1, &r[0]);
    poly_dot(&w[1], &m, &n);
    poly_negate(&w[1]);
    poly_subtract(&w[2], &nn, &w[0]);
    if (triangle) {
        poly_subtract(&w[2], &w[2], &w[1]);
    } else {
        poly_subtract(&w[3], &nn, &w[1]);
    }
    const int conditions = triangle ? 3 : 4;
    bool found = true;
    if (g.degree < 0) {
        for (int k = 0; k < conditions; ++k) {
            found = found && mpz_sgn(w[k].c[0]) > 0;
        }
    } else {
        found = root_exists(&g, w, conditions);
    }
    for (int k = 0; k < 4; ++k) {
        poly3_clear(vectors[k]);
        poly_clear(&w[k]);
    }
    poly_clear(&g);
    poly_clear(&nn);
    return found;
}

/* Integer x 2^-exponent of a double; 0 has any exponent. */
static inline void exact_set(mpz_t z, double x, int exponent)
{
    int e;
    const double mantissa = frexp(x, &e);
    mpz_set_d(z, ldexp(mantissa, 53));
    if (x != 0.0) {
        mpz_mul_2exp(z, z, (mp_bitcnt_t)(e - 53 + exponent));
    }
}

static inline int exact_exponent(double x, int exponent)
{
    int e;
    (void)frexp(x, &e);
    return x != 0.0 && 53 - e > exponent ? 53 - e : exponent;
}

/* r_k(T t) of all vertices, times a power of two. */
static inline void exact_vertices(const ccd_query *q, double t_max, poly3 *r)
{
    int exponent = 0, t_exponent = exact_exponent(t_max, 0);
    for (int k = 0; k < ccd_nodes(q->pair); ++k) {
        for (int i = 0; i < 3; ++i) {
            exponent = exact_exponent(q->x0[k][i], exact_exponent(q->x1[k][i], exponent));
        }
    }
    mpz_t a, t;
    mpz_init(a);
    mpz_init(t);
    exact_set(t, t_max, t_exponent);
    for (int k = 0; k < q->pair + 1; ++k) {
        const int plus = q->pair == PAIR_EDGES ? (k & 1) : 0,
                  minus = q->pair == PAIR_EDGES ? 2 + (k >> 1) : k + 1;
        for (int i = 0; i < 3; ++i) {
            poly *p = &r[k].x[i];
            exact_set(p->c[0], q->x0[plus][i], exponent);
            exact_set(a, q->x0[minus][i], exponent);
            mpz_sub(p->c[0], p->c[0], a);
            exact_set(p->c[1], q->x1[plus][i], exponent);
            exact_set(a, q->x1[minus][i], exponent);
            mpz_sub(p->c[1], p->c[1], a);
            mpz_sub(p->c[1], p->c[1], p->c[0]);
            mpz_mul(p->c[1], p->c[1], t);
            mpz_mul_2exp(p->c[0], p->c[0], (mp_bitcnt_t)t_exponent);
            poly_trim(p);
        }
    }
    mpz_clear(a);
    mpz_clear(t);
}

/* Do the two sides touch at some time in [0, t_max]? Finite numbers only. */
static inline bool ccd_exact_touches(const ccd_query *q, double t_max)
{
    static const int edges[4][4][2] = {
        {{0, 0}}, {{0, 1}}, {{0, 1}, {1, 2}, {0, 2}}, {{0, 1}, {2, 3}, {0, 2}, {1, 3}}};
    static const int edge_count[4] = {1, 1, 3, 4};
    poly3 r[4];
    for (int k = 0; k < 4; ++k) {
        poly3_init(&r[k]);
    }
    exact_vertices(q, t_max, r);
    bool found = false;
    for (int k = 0; k < edge_count[q->pair] && !found; ++k) {
        /* a point is an edge from itself to itself: r x r = 0, r.r <= 0 */
        found = touches_edge(&r[edges[q->pair][k][0]], &r[edges[q->pair][k][1]]);
    }
    if (!found && q->pair >= PAIR_TRIANGLE) {
        found = touches_face(r, q->pair == PAIR_TRIANGLE);
    }
    for (int k = 0; k < 4; ++k) {
        poly3_clear(&r[k]);
    }
    return found;
}

/* ---- the comparison -------------------------------------------------------------------------------------------- */

typedef struct exact_tally {
    long queries, touching_start, collisions, extra_additive, extra_interval, exhausted;
} exact_tally;

/* What is wrong with the answers to a query, or NULL. */
static inline const char *ccd_exact_check(const ccd_query *q, exact_tally *sum)
{
    const bool start = ccd_exact_touches(q, 0.0), collides = start || ccd_exact_touches(q, 1.0);
    const double t = ccd_additive(q, 0.0, 0.1, 1.0);
    const brn_interval_hit hit = ccd_interval(q, 0.0, 1e-6 * ccd_size(q), 1.0);
    sum->queries++;
    sum->touching_start += start;
    sum->collisions += collides;
    sum->extra_additive += !collides && t < 1.0;
    sum->extra_interval += !collides && hit.collides;
    sum->exhausted += hit.exhausted;
    if (start && t != 0.0) {
        return "additive: touching at the start, yet free to move";
    }
    if (!start && !(t > 0.0)) {
        return "additive: separated at the start, yet stuck";
    }
    if (!start && (t >= 1.0 ? collides : ccd_exact_touches(q, t))) {
        return "additive: touches before the returned time";
    }
    if (collides && !hit.collides) {
        return "interval: missed";
    }
    if (hit.time > 0.0 && ccd_exact_touches(q, nextafter(hit.time, 0.0))) {
        return "interval: touches before the returned time";
    }
    return NULL;
}

#endif
