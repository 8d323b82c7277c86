#include "geom/ccd_interval.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* F(t, u, v) = base + u side1 + v side2, each linear in t: [0] at t = 0, [1] at t = 1, componentwise. */
typedef struct map {
    double base[2][3], side1[2][3], side2[2][3];
    double rounding[3]; /* bound of the error of a computed corner, by component */
    double dmin2, tolerance, t_max;
    bool triangle; /* the domain is u + v <= 1 */
} map;

/* [lo, lo + 2^-level] in t, u, v; t in units of t_max. Level at most 50, so that all bounds are exact. */
typedef struct box {
    double lo[3];
    uint8_t level[3];
    bool small; /* the image is below the tolerance */
} box;

enum { LEVEL_MAX = 50 };

typedef struct heap {
    int count;
    box boxes[BRN_INTERVAL_BOXES];
} heap;

/* ---- the heap: earliest time first, then the smaller box, so that a contact is pinned down at once ------------- */

static bool before(const box *a, const box *b)
{
    if (a->lo[0] != b->lo[0]) {
        return a->lo[0] < b->lo[0];
    }
    return a->level[0] + a->level[1] + a->level[2] > b->level[0] + b->level[1] + b->level[2];
}

static void push(heap *h, const box *b)
{
    int i = h->count++;
    while (i > 0 && before(b, &h->boxes[(i - 1) / 2])) {
        h->boxes[i] = h->boxes[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->boxes[i] = *b;
}

static box pop(heap *h)
{
    const box first = h->boxes[0], last = h->boxes[--h->count];
    int i = 0;
    for (int child = 1; child < h->count; child = 2 * i + 1) {
        child += child + 1 < h->count && before(&h->boxes[child + 1], &h->boxes[child]);
        if (!before(&h->boxes[child], &last)) {
            break;
        }
        h->boxes[i] = h->boxes[child];
        i = child;
    }
    h->boxes[i] = last;
    return first;
}

/* ---- inclusion ------------------------------------------------------------------------------------------------- */

static inline double halved(double x, int times)
{
    const uint64_t bits = (uint64_t)(1023 - times) << 52; /* 2^-times; ldexp costs a call */
    double factor;
    memcpy(&factor, &bits, sizeof factor);
    return x * factor;
}

/* Bounds of one component of F over a box: at fixed t the extremes of u and v are taken apart. */
static void bound(const map *f, const box *b, int i, double *least, double *most)
{
    const double width[3] = {halved(1.0, b->level[0]), halved(1.0, b->level[1]), halved(1.0, b->level[2])};
    *least = INFINITY;
    *most = -INFINITY;
    for (int end = 0; end < 2; ++end) {
        const double t = f->t_max * (b->lo[0] + end * width[0]);
        const double r = (1.0 - t) * f->base[0][i] + t * f->base[1][i];
        const double p = (1.0 - t) * f->side1[0][i] + t * f->side1[1][i];
        const double q = (1.0 - t) * f->side2[0][i] + t * f->side2[1][i];
        const double p0 = p * b->lo[1], p1 = p * (b->lo[1] + width[1]);
        const double q0 = q * b->lo[2], q1 = q * (b->lo[2] + width[2]);
        const double low = r + fmin(p0, p1) + fmin(q0, q1), high = r + fmax(p0, p1) + fmax(q0, q1);
        *least = low < *least ? low : *least;
        *most = high > *most ? high : *most;
    }
    *least -= f->rounding[i];
    *most += f->rounding[i];
}

/* True if F may come within dmin of the origin in the box; also sets b->small. */
static bool may_touch(const map *f, box *b)
{
    double squared = 0.0;
    b->small = true;
    for (int i = 0; i < 3; ++i) {
        double least, most;
        bound(f, b, i, &least, &most);
        const double away = least > 0.0 ? least : most < 0.0 ? -most : 0.0;
        squared += away * away;
        b->small = b->small && !(most - least > f->tolerance + 2.0 * f->rounding[i]);
    }
    /* Three squares and two sums round by at most five units; 16 are allowed. */
    return !(squared * (1.0 - 0x1p-49) > f->dmin2);
}

/* The parameter whose width moves the image of this box most; -1 if none may be halved. */
static int widest(const map *f, const box *b)
{
    double extent[3] = {0.0, 0.0, 0.0}, lo[3], width[3];
    for (int k = 0; k < 3; ++k) {
        width[k] = halved(k == 0 ? f->t_max : 1.0, b->level[k]);
        lo[k] = k == 0 ? f->t_max * b->lo[0] : b->lo[k];
    }
    const double t = lo[0], s = t + width[0], u = lo[1] + 0.5 * width[1], v = lo[2] + 0.5 * width[2];
    for (int i = 0; i < 3; ++i) {
        const double p = f->side1[1][i] - f->side1[0][i], q = f->side2[1][i] - f->side2[0][i];
        const double rate = f->base[1][i] - f->base[0][i] + u * p + v * q;
        const double side1 = fmax(fabs(f->side1[0][i] + t * p), fabs(f->side1[0][i] + s * p));
        const double side2 = fmax(fabs(f->side2[0][i] + t * q), fabs(f->side2[0][i] + s * q));
        extent[0] = fmax(extent[0], fabs(rate) * width[0]);
        extent[1] = fmax(extent[1], side1 * width[1]);
        extent[2] = fmax(extent[2], side2 * width[2]);
    }
    int best = -1;
    for (int k = 0; k < 3; ++k) {
        if (b->level[k] < LEVEL_MAX && (best < 0 || extent[k] > extent[best])) {
            best = k;
        }
    }
    return best;
}

static brn_interval_hit search(const map *f)
{
    heap h;
    h.count = 0;
    brn_interval_hit hit = {0};
    box all = {0};
    hit.checks = 1;
    if (!may_touch(f, &all)) {
        return hit;
    }
    push(&h, &all);
    while (h.count > 0) {
        box b = pop(&h);
        const int axis = widest(f, &b);
        hit.exhausted = hit.checks >= BRN_INTERVAL_CHECKS || h.count + 2 > BRN_INTERVAL_BOXES;
        if (b.small || axis < 0 || hit.exhausted) {
            hit.collides = true;
            hit.time = f->t_max * b.lo[0]; /* as rounded in bound() */
            return hit;
        }
        b.level[axis]++;
        for (int half = 0; half < 2; ++half) {
            box child = b;
            child.lo[axis] += half * halved(1.0, b.level[axis]);
            if (f->triangle && child.lo[1] + child.lo[2] > 1.0) {
                continue;
            }
            hit.checks++;
            if (may_touch(f, &child)) {
                push(&h, &child);
            }
        }
    }
    return hit;
}

/* ---- the four pairs -------------------------------------------------------------------------------------------- */

/* Local nodes of base, side1, side2, each a difference; the same node twice gives no side. */
typedef struct layout {
    int count;
    bool triangle;
    uint8_t node[3][2];
} layout;

static double absolute_max(int count, const double x[][3])
{
    double most = 0.0;
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < 3; ++i) {
            const double a = fabs(x[k][i]);
            most = a <= most ? most : a;
            if (!(most <= 1.7e308)) {
                return INFINITY;
            }
        }
    }
    return most;
}

static void set_map(const layout *l, const double x0[][3], const double x1[][3], double scale, map *f)
{
    double(*parts[3])[3] = {f->base, f->side1, f->side2};
    for (int i = 0; i < 3; ++i) {
        double sum = 0.0;
        for (int part = 0; part < 3; ++part) {
            const int a = l->node[part][0], b = l->node[part][1];
            const double start = scale * x0[a][i] - scale * x0[b][i],
                         end = scale * x1[a][i] - scale * x1[b][i];
            parts[part][0][i] = start;
            parts[part][1][i] = end;
            sum += fmax(fabs(start), fabs(end));
        }
        /* Each part is a difference (one rounding), a blend in t (four: t itself, 1 - t, products, sum), a product
           with u or v, and a sum of three: at most nine roundings of numbers that add up to `sum`. 32 are allowed,
           and the smallest number for products that underflow. */
        f->rounding[i] = 32.0 * 0x1p-53 * sum + 1e-300;
    }
}

static brn_interval_hit detect(const layout *l, const double x0[][3], const double x1[][3],
                               const double limits[3])
{
    const double dmin = limits[0], tolerance = limits[1];
    const double most = fmax(fmax(absolute_max(l->count, x0), absolute_max(l->count, x1)), dmin);
    if (!(most <= 1.7e308) || !(dmin >= 0.0) || !(tolerance >= 0.0) || !(limits[2] == limits[2])) {
        return (brn_interval_hit){.collides = true, .exhausted = true};
    }
    /* Squares must stay in range; a power of two changes no digit. */
    int exponent;
    (void)frexp(most, &exponent);
    const double scale = most > 0.0 ? ldexp(1.0, exponent < -1000 ? 1000 : -exponent) : 1.0;
    map f = {.dmin2 = scale * dmin * (scale * dmin) * (1.0 + 0x1p-50), .tolerance = scale * tolerance};
    f.t_max = fmin(fmax(limits[2], 0.0), 1.0);
    f.triangle = l->triangle;
    set_map(l, x0, x1, scale, &f);
    return search(&f);
}

brn_interval_hit brn_interval_point_point(const double x0[2][3], const double x1[2][3], double dmin,
                                          double tolerance, double t_max)
{
    static const layout l = {2, false, {{0, 1}, {0, 0}, {0, 0}}};
    return detect(&l, x0, x1, (const double[3]){dmin, tolerance, t_max});
}

brn_interval_hit brn_interval_point_edge(const double x0[3][3], const double x1[3][3], double dmin,
                                         double tolerance, double t_max)
{
    static const layout l = {3, false, {{0, 1}, {1, 2}, {0, 0}}};
    return detect(&l, x0, x1, (const double[3]){dmin, tolerance, t_max});
}

brn_interval_hit brn_interval_point_triangle(const double x0[4][3], const double x1[4][3], double dmin,
                                             double tolerance, double t_max)
{
    static const layout l = {4, true, {{0, 1}, {1, 2}, {1, 3}}};
    return detect(&l, x0, x1, (const double[3]){dmin, tolerance, t_max});
}

brn_interval_hit brn_interval_edge_edge(const double x0[4][3], const double x1[4][3], double dmin,
                                        double tolerance, double t_max)
{
    static const layout l = {4, false, {{0, 2}, {1, 0}, {2, 3}}};
    return detect(&l, x0, x1, (const double[3]){dmin, tolerance, t_max});
}
