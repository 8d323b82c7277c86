/* Distance of two convex cores: the nearest point to the origin of the differences x_a - x_b [Gilbert, Johnson, Keerthi 1988]. A
   simplex of such points is held; its nearest point v gives a direction, whose support is either not nearer, and v is the
   answer, or joins the simplex. Every direction gives a bound of the distance from below; the best one is returned. */
#include "geom/manifold_inner.h"

#include <math.h>
#include <string.h>

enum { TURNS_MOST = 200 };

typedef struct knot {
    double w[3], a[3], b[3]; /* w = a - b */
    double weight;
} knot;

typedef struct simplex {
    int count;
    knot at[4];
} simplex;

static void difference(const double x[3], const double y[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = x[i] - y[i];
    }
}

static void keep(simplex *s, int n, const int *index, const double *weight)
{
    const simplex old = *s;
    s->count = n;
    for (int i = 0; i < n; ++i) {
        s->at[i] = old.at[index[i]];
        s->at[i].weight = weight[i];
    }
}

/* Nearest place of the segment of knots i, j: the weight of j. */
static double segment_weight(const simplex *s, int i, int j)
{
    double way[3];
    difference(s->at[j].w, s->at[i].w, way);
    const double square = brn_dense_dot3(way, way);
    const double t = square > 0.0 ? -brn_dense_dot3(s->at[i].w, way) / square : 0.0;
    return fmin(1.0, fmax(0.0, t));
}

static double square_of(const simplex *s, int n, const int *index, const double *weight)
{
    double v[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) {
            v[k] += weight[i] * s->at[index[i]].w[k];
        }
    }
    return brn_dense_dot3(v, v);
}

typedef struct choice {
    double square;
    int n, index[3];
    double weight[3];
} choice;

static void choose(const simplex *s, int n, const int *index, const double *weight, choice *best)
{
    const double square = square_of(s, n, index, weight);
    if (square < best->square) {
        best->square = square;
        best->n = 0;
        for (int i = 0; i < n; ++i) {
            if (weight[i] > 0.0) {
                best->index[best->n] = index[i];
                best->weight[best->n++] = weight[i];
            }
        }
    }
}

/* The nearest places of a triangle's sides, and of its inside where the origin is above that. */
static void choose_triangle(const simplex *s, const int t[3], choice *best)
{
    double u[3];
    double v[3];
    double n[3];
    double c[3];
    double weight[3];
    bool inside = true;
    for (int i = 0; i < 3; ++i) {
        const int side[2] = {t[i], t[(i + 1) % 3]};
        const double at = segment_weight(s, side[0], side[1]);
        choose(s, 2, side, (const double[2]){1.0 - at, at}, best);
    }
    difference(s->at[t[1]].w, s->at[t[0]].w, u);
    difference(s->at[t[2]].w, s->at[t[0]].w, v);
    brn_dense_cross3(u, v, n);
    const double square = brn_dense_dot3(n, n);
    for (int i = 0; i < 3; ++i) {
        brn_dense_cross3(s->at[t[(i + 1) % 3]].w, s->at[t[(i + 2) % 3]].w, c);
        weight[i] = brn_dense_dot3(c, n) / square;
        inside = inside && weight[i] > 0.0;
    }
    if (inside && square > 0.0) {
        choose(s, 3, t, weight, best);
    }
}

/* True if the origin is inside the tetrahedron. A flat one has no inside: its triangles say the same. */
static bool encloses(const simplex *s)
{
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    for (int f = 0; f < 4; ++f) {
        double u[3];
        double v[3];
        double w[3];
        double n[3];
        difference(s->at[face[f][1]].w, s->at[face[f][0]].w, u);
        difference(s->at[face[f][2]].w, s->at[face[f][0]].w, v);
        difference(s->at[face[f][3]].w, s->at[face[f][0]].w, w);
        brn_dense_cross3(u, v, n);
        const double fourth = brn_dense_dot3(n, w);
        const double origin = -brn_dense_dot3(n, s->at[face[f][0]].w);
        const double flat = 1e-13 * sqrt(brn_dense_dot3(n, n) * brn_dense_dot3(w, w));
        if (!(fourth * origin > 0.0 && fabs(fourth) > flat)) {
            return false;
        }
    }
    return true;
}

/* Reduces the simplex to what carries its nearest point to the origin. False if it contains the origin. */
static bool reduce(simplex *s)
{
    static const int face[4][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    choice best = {.square = INFINITY};
    if (s->count == 1) {
        s->at[0].weight = 1.0;
        return true;
    }
    if (s->count == 2) {
        const double at = segment_weight(s, 0, 1);
        choose(s, 2, face[0], (const double[2]){1.0 - at, at}, &best);
    }
    if (s->count == 4 && encloses(s)) {
        return false;
    }
    for (int f = 0; f < (s->count == 4 ? 4 : 1) && s->count > 2; ++f) {
        choose_triangle(s, face[f], &best);
    }
    keep(s, best.n, best.index, best.weight);
    return true;
}

static void sum(const simplex *s, double v[3], double pa[3], double pb[3])
{
    memset(v, 0, 3 * sizeof *v);
    memset(pa, 0, 3 * sizeof *pa);
    memset(pb, 0, 3 * sizeof *pb);
    for (int i = 0; i < s->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            v[k] += s->at[i].weight * s->at[i].w[k];
            pa[k] += s->at[i].weight * s->at[i].a[k];
            pb[k] += s->at[i].weight * s->at[i].b[k];
        }
    }
}

static bool has(const simplex *s, const knot *k)
{
    for (int i = 0; i < s->count; ++i) {
        if (memcmp(s->at[i].w, k->w, sizeof k->w) == 0) {
            return true;
        }
    }
    return false;
}

double brn_core_near(const brn_core *a, const brn_core *b, const double start[3], double n[3], double pa[3],
                     double pb[3])
{
    const double small = 1e-15 * (a->extent + b->extent);
    simplex s = {.count = 0};
    double v[3] = {start[0], start[1], start[2]};
    double best = -INFINITY;
    double length = INFINITY;
    double way[3] = {start[0], start[1], start[2]};
    memcpy(n, way, sizeof way);
    for (int turn = 0; turn < TURNS_MOST; ++turn) {
        knot k;
        (void)brn_unit3(way);
        (void)brn_core_support(a, (const double[3]){-way[0], -way[1], -way[2]}, k.a);
        (void)brn_core_support(b, way, k.b);
        difference(k.a, k.b, k.w);
        const double bound = brn_dense_dot3(way, k.w);
        if (bound > best) {
            best = bound;
            memcpy(n, way, sizeof way);
        }
        if ((turn > 0 && length - bound <= small + 1e-15 * length) || has(&s, &k)) {
            break;
        }
        const simplex old = s;
        s.at[s.count++] = k;
        const bool outside = reduce(&s);
        if (!outside && !(best > small)) {
            return 0.0;
        }
        if (!outside) { /* of rounding: a direction has shown that the origin is outside */
            s = old;
            sum(&s, v, pa, pb);
            break;
        }
        sum(&s, v, pa, pb);
        memcpy(way, v, sizeof v);
        const double now = sqrt(brn_dense_dot3(v, v));
        if (!(now < length)) { /* no nearer: rounding */
            s = old;
            sum(&s, v, pa, pb);
            break;
        }
        length = now;
        if (length <= small) {
            return 0.0;
        }
    }
    return fmax(best, 0.0);
}
