/* Two segments in space: the nearest points, and where they lie side by side. */
#include "geom/manifold_inner.h"

#include <math.h>
#include <string.h>

static const double parallel = 1e-18; /* square of the sine below which segments have no crossing */
static const double nearly =
    1e-12; /* below which the difference of the points is better than the cross product */
static const double rounding = 1e-14; /* by which a crossing must be nearer than the ends, in the distance */
static const double hair = 1e-12;     /* of the ends, in lengths */
static const double side_by_side = 0.9; /* cosine of the normals of an end and of the nearest place */

static void point_along(const double p[2][3], double t, double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = t <= 0.5 ? p[0][i] + t * (p[1][i] - p[0][i]) : p[1][i] + (1.0 - t) * (p[0][i] - p[1][i]);
    }
}

/* The nearest place of a segment to x; true if it is a foot, not an end beyond which that would be. */
static bool foot(const double q[2][3], const double x[3], double at[3])
{
    const double way[3] = {q[1][0] - q[0][0], q[1][1] - q[0][1], q[1][2] - q[0][2]};
    const double arm[3] = {x[0] - q[0][0], x[1] - q[0][1], x[2] - q[0][2]};
    const double t = brn_dense_dot3(arm, way) / brn_dense_dot3(way, way);
    point_along(q, fmin(1.0, fmax(0.0, t)), at);
    return t >= -hair && t <= 1.0 + hair;
}

static void set_spot(brn_spot *spot)
{
    for (int i = 0; i < 3; ++i) {
        spot->n[i] = spot->a[i] - spot->b[i];
    }
    spot->gap = brn_unit3(spot->n);
}

/* A distance below which roundings of the coordinates make its direction meaningless. */
static double noise(const double p[2][3], const double q[2][3])
{
    double most = 0.0;
    for (int i = 0; i < 6; ++i) {
        most = fmax(most, fmax(fabs(p[i / 3][i % 3]), fabs(q[i / 3][i % 3])));
    }
    return 10.0 * rounding * most;
}

/* Where both lines are nearest, if that is inside of both segments. The normal is the cross product, which stays exact where the segments
   meet. */
static bool crossing(const double p[2][3], const double q[2][3], brn_spot *out)
{
    double n[3];
    double u[3];
    double v[3];
    double w[3];
    double c[3];
    for (int i = 0; i < 3; ++i) {
        u[i] = p[1][i] - p[0][i];
        v[i] = q[1][i] - q[0][i];
        w[i] = q[0][i] - p[0][i];
    }
    brn_dense_cross3(u, v, n);
    const double square = brn_dense_dot3(n, n);
    const double unit = brn_dense_dot3(u, u) * brn_dense_dot3(v, v);
    if (!(square > parallel * unit)) {
        return false;
    }
    brn_dense_cross3(w, v, c);
    const double s = brn_dense_dot3(c, n) / square;
    brn_dense_cross3(w, u, c);
    const double t = brn_dense_dot3(c, n) / square;
    if (!(s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0)) {
        return false;
    }
    point_along(p, s, out->a);
    point_along(q, t, out->b);
    set_spot(out);
    if (square < nearly * unit && out->gap > noise(p, q)) {
        return true;
    }
    (void)brn_unit3(n);
    const double gap = -brn_dense_dot3(w, n);
    for (int i = 0; i < 3; ++i) {
        out->n[i] = gap < 0.0 ? -n[i] : n[i];
    }
    out->gap = fabs(gap);
    return true;
}

/* A direction across segments that meet in an end or along a stretch: their cross product, or some one across a line. */
static void any_normal(const double p[2][3], const double q[2][3], double n[3])
{
    double u[3];
    double v[3];
    for (int i = 0; i < 3; ++i) {
        u[i] = p[1][i] - p[0][i];
        v[i] = q[1][i] - q[0][i];
    }
    brn_dense_cross3(u, v, n);
    if (brn_dense_dot3(n, n) > nearly * brn_dense_dot3(u, u) * brn_dense_dot3(v, v)) {
        (void)brn_unit3(n);
        return;
    }
    const double *way = brn_dense_dot3(u, u) > brn_dense_dot3(v, v) ? u : v;
    int k = fabs(way[1]) < fabs(way[2]) ? 1 : 2;
    k = fabs(way[0]) < fabs(way[k]) ? 0 : k;
    double e[3] = {0.0, 0.0, 0.0};
    e[k] = 1.0;
    const double along = brn_dense_dot3(way, e) / brn_dense_dot3(way, way);
    for (int i = 0; i < 3; ++i) {
        n[i] = e[i] - along * way[i];
    }
    (void)brn_unit3(n);
}

void brn_lines_near(const double p[2][3], const double q[2][3], brn_spots *out)
{
    brn_spot end[4];
    bool over[4];
    brn_spot nearest;
    int best = 0;
    for (int i = 0; i < 2; ++i) {
        memcpy(end[i].a, p[i], sizeof end[i].a);
        over[i] = foot(q, p[i], end[i].b);
        memcpy(end[2 + i].b, q[i], sizeof end[i].b);
        over[2 + i] = foot(p, q[i], end[2 + i].a);
    }
    for (int i = 0; i < 4; ++i) {
        set_spot(&end[i]);
        best = end[i].gap < end[best].gap ? i : best;
    }
    const bool crosses = crossing(p, q, &nearest) && nearest.gap < end[best].gap * (1.0 - rounding);
    if (!crosses) {
        nearest = end[best];
        if (!(nearest.gap > noise(p, q))) {
            any_normal(p, q, nearest.n);
        }
    }
    out->spot[out->count++] = nearest;
    for (int i = 0; i < 4; ++i) {
        if ((crosses || i != best) && over[i] && brn_dense_dot3(end[i].n, nearest.n) > side_by_side) {
            out->spot[out->count++] = end[i];
        }
    }
}
