#include "geom/intersect.h"

#include "geom/predicates.h"

#include <math.h>

/* ---- plane ---------------------------------------------------------------------------------------------------------------- */

/* Closed intervals [a, b] and [c, d], ends in any order. */
static bool intervals_meet(double a, double b, double c, double d)
{
    const double lo1 = a < b ? a : b, hi1 = a < b ? b : a, lo2 = c < d ? c : d, hi2 = c < d ? d : c;
    return lo1 <= hi2 && lo2 <= hi1;
}

/* The boxes meet, and neither segment lies strictly on one side of the other's line. If all four points are collinear,
   the boxes decide; a segment that is a point has orientation 0 and leaves the decision to the other one. */
bool brn_intersect_segments2d(const double a[2], const double b[2], const double c[2], const double d[2])
{
    return intervals_meet(a[0], b[0], c[0], d[0]) && intervals_meet(a[1], b[1], c[1], d[1]) &&
           brn_orient2d(a, b, c) * brn_orient2d(a, b, d) <= 0 &&
           brn_orient2d(c, d, a) * brn_orient2d(c, d, b) <= 0;
}

bool brn_intersect_point_triangle2d(const double p[2], const double a[2], const double b[2],
                                    const double c[2])
{
    if (brn_orient2d(a, b, c) == 0) {
        return brn_intersect_segments2d(p, p, a, b) || brn_intersect_segments2d(p, p, b, c) ||
               brn_intersect_segments2d(p, p, c, a);
    }
    const int u = brn_orient2d(a, b, p), v = brn_orient2d(b, c, p), w = brn_orient2d(c, a, p);
    return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

static bool segment_triangle2d(const double p[2], const double q[2], const double a[2], const double b[2],
                               const double c[2])
{
    return brn_intersect_point_triangle2d(p, a, b, c) || brn_intersect_segments2d(p, q, a, b) ||
           brn_intersect_segments2d(p, q, b, c) || brn_intersect_segments2d(p, q, c, a);
}

/* ---- space ---------------------------------------------------------------------------------------------------------------- */

/* Leaves coordinate `drop` out. */
static void project(const double x[3], int drop, double out[2])
{
    out[0] = x[(drop + 1) % 3];
    out[1] = x[(drop + 2) % 3];
}

/* A coordinate that may be left out such that a, b, c stay a triangle (their plane is then mapped one to one); -1 if they
   are collinear. */
static int find_projection(const double a[3], const double b[3], const double c[3])
{
    for (int drop = 2; drop >= 0; --drop) {
        double p[2], q[2], r[2];
        project(a, drop, p);
        project(b, drop, q);
        project(c, drop, r);
        if (brn_orient2d(p, q, r) != 0) {
            return drop;
        }
    }
    return -1;
}

bool brn_intersect_segments3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    if (brn_orient3d(a, b, c, d) != 0) {
        return false;
    }
    /* Any three of the points that are not collinear span the plane. */
    const double *point[4] = {a, b, c, d};
    int drop = -1;
    for (int skip = 0; skip < 4 && drop < 0; ++skip) {
        drop = find_projection(point[(skip + 1) % 4], point[(skip + 2) % 4], point[(skip + 3) % 4]);
    }
    if (drop < 0) {
        /* One line: the boxes decide. */
        return intervals_meet(a[0], b[0], c[0], d[0]) && intervals_meet(a[1], b[1], c[1], d[1]) &&
               intervals_meet(a[2], b[2], c[2], d[2]);
    }
    double flat[4][2];
    for (int i = 0; i < 4; ++i) {
        project(point[i], drop, flat[i]);
    }
    return brn_intersect_segments2d(flat[0], flat[1], flat[2], flat[3]);
}

/* p, q in the plane of a, b, c, or a, b, c on one line. */
static bool segment_triangle_flat(const double p[3], const double q[3], const double a[3], const double b[3],
                                  const double c[3])
{
    const int drop = find_projection(a, b, c);
    if (drop < 0) {
        return brn_intersect_segments3d(p, q, a, b) || brn_intersect_segments3d(p, q, b, c) ||
               brn_intersect_segments3d(p, q, c, a);
    }
    const double *point[5] = {p, q, a, b, c};
    double flat[5][2];
    for (int i = 0; i < 5; ++i) {
        project(point[i], drop, flat[i]);
    }
    return segment_triangle2d(flat[0], flat[1], flat[2], flat[3], flat[4]);
}

/* The coordinate along which the normal of a, b, c is longest, by rounded arithmetic. */
static int steepest(const double a[3], const double b[3], const double c[3])
{
    double normal[3];
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        normal[k] = fabs((b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]));
    }
    return normal[0] > normal[1] ? (normal[0] > normal[2] ? 0 : 2) : (normal[1] > normal[2] ? 1 : 2);
}

/* True if the shadows on a coordinate plane are strictly apart: the line of the segment has the whole triangle on one
   side, or the line of an edge has the segment outside. */
static bool shadows_apart(const double p[3], const double q[3], const double a[3], const double b[3],
                          const double c[3])
{
    const int drop = steepest(a, b, c);
    const double *corner[3] = {a, b, c};
    double s[2], t[2], flat[3][2];
    project(p, drop, s);
    project(q, drop, t);
    for (int i = 0; i < 3; ++i) {
        project(corner[i], drop, flat[i]);
    }
    int side[3];
    for (int i = 0; i < 3; ++i) {
        side[i] = brn_orient2d(s, t, flat[i]);
    }
    if (side[0] * side[1] > 0 && side[0] * side[2] > 0) {
        return true;
    }
    const int turn = brn_orient2d(flat[0], flat[1], flat[2]);
    for (int i = 0; i < 3 && turn != 0; ++i) {
        const double *u = flat[i], *v = flat[(i + 1) % 3];
        if (brn_orient2d(u, v, s) == -turn && brn_orient2d(u, v, t) == -turn) {
            return true;
        }
    }
    return false;
}

bool brn_intersect_segment_triangle(const double p[3], const double q[3], const double a[3],
                                    const double b[3], const double c[3])
{
    int side_p = brn_orient3d_filter(a, b, c, p), side_q = brn_orient3d_filter(a, b, c, q);
    if (side_p * side_q > 0) {
        return false;
    }
    /* (Nearly) in one plane: most pairs of a flat mesh are apart there, which costs no exact arithmetic. */
    if (side_p == 0 || side_q == 0) {
        if (shadows_apart(p, q, a, b, c)) {
            return false;
        }
        side_p = side_p != 0 ? side_p : brn_orient3d(a, b, c, p);
        side_q = side_q != 0 ? side_q : brn_orient3d(a, b, c, q);
        if (side_p * side_q > 0) {
            return false;
        }
    }
    if (side_p == 0 && side_q == 0) {
        return segment_triangle_flat(p, q, a, b, c);
    }
    /* The line through p and q meets the plane in one point, which lies in the segment; it lies in the triangle if the
       line passes all edges on the same side, or meets them. */
    const int u = brn_orient3d(p, q, a, b), v = brn_orient3d(p, q, b, c);
    if (u * v < 0) {
        return false;
    }
    const int w = brn_orient3d(p, q, c, a);
    return u * w >= 0 && v * w >= 0;
}

bool brn_intersect_point_triangle3d(const double p[3], const double a[3], const double b[3],
                                    const double c[3])
{
    return brn_intersect_segment_triangle(p, p, a, b, c);
}

/* All corners of s strictly on one side of t's plane. */
static bool one_side(const double s[3][3], const double t[3][3])
{
    const int u = brn_orient3d(t[0], t[1], t[2], s[0]), v = brn_orient3d(t[0], t[1], t[2], s[1]);
    return u * v > 0 && u * brn_orient3d(t[0], t[1], t[2], s[2]) > 0;
}

/* Where two triangles meet, an edge of one meets the other: the ends of what they share lie on edges. */
bool brn_intersect_triangles(const double s[3][3], const double t[3][3])
{
    if (one_side(s, t) || one_side(t, s)) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        if (brn_intersect_segment_triangle(s[i], s[(i + 1) % 3], t[0], t[1], t[2]) ||
            brn_intersect_segment_triangle(t[i], t[(i + 1) % 3], s[0], s[1], s[2])) {
            return true;
        }
    }
    return false;
}
