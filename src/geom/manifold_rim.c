/* The end of a cylinder over what faces it. All is laid along n into the plane of the end, where its rim is a circle: corners of
   the other part within it, crossings of sides with it, and four points of the rim itself. These stand at right angles, the
   first where the gap is least: springs at them have the same stiffness against tilting whatever the way of the tilt
   (sum x x' = 2 r^2 I), so that nothing jumps where that way is undefined, and the first carries a cylinder that stands on its rim. */
#include "geom/manifold_inner.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 32 };

static const double steep = 0.1;  /* cosine below which an end is seen from its side */
static const double hair = 1e-12; /* of a border, in extents */

/* The end of a cylinder that faces the other core, and the plane of what faces it: the gap at (x, y) is gap + slope . (x, y). */
typedef struct end_disc {
    double centre[3], e[2][3], axis[3], n[3];
    double radius;
    double sign;   /* -1: of a, 1: of b */
    double border; /* [m] */
    double gap, slope[2];
} end_disc;

static bool rim_set(const brn_core *core, const double n[3], double sign, double border, end_disc *out)
{
    const double *r = core->rotation;
    const double along = n[0] * r[2] + n[1] * r[5] + n[2] * r[8];
    const double up = sign * along < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; ++i) {
        out->e[0][i] = r[3 * i];
        out->e[1][i] = r[3 * i + 1];
        out->axis[i] = r[3 * i + 2];
        out->centre[i] = core->origin[i] + up * core->size[1] * r[3 * i + 2];
    }
    memcpy(out->n, n, sizeof out->n);
    out->radius = core->size[0];
    out->sign = sign;
    out->border = border;
    return fabs(along) > steep;
}

/* x, led along n into the plane of the end, and the gap there if x is a point of the other part. */
static double lead(const end_disc *rim, const double x[3], double at[2])
{
    const double way[3] = {rim->centre[0] - x[0], rim->centre[1] - x[1], rim->centre[2] - x[2]};
    const double t = brn_dense_dot3(way, rim->axis) / brn_dense_dot3(rim->n, rim->axis);
    for (int k = 0; k < 2; ++k) {
        at[k] = -brn_dense_dot3(way, rim->e[k]) + t * brn_dense_dot3(rim->n, rim->e[k]);
    }
    return -rim->sign * t;
}

/* The gap over the end, from the plane through p with normal f. */
static void face_plane(end_disc *rim, const double f[3], const double p[3])
{
    const double along = brn_dense_dot3(f, rim->n);
    const double way[3] = {p[0] - rim->centre[0], p[1] - rim->centre[1], p[2] - rim->centre[2]};
    rim->gap = rim->sign * brn_dense_dot3(f, way) / along;
    for (int k = 0; k < 2; ++k) {
        rim->slope[k] = -rim->sign * brn_dense_dot3(f, rim->e[k]) / along;
    }
}

static void add(const end_disc *rim, const double at[2], double gap, brn_spots *out)
{
    if (out->count == BRN_SPOTS_MOST) {
        return;
    }
    brn_spot *spot = &out->spot[out->count++];
    for (int i = 0; i < 3; ++i) {
        const double own = rim->centre[i] + at[0] * rim->e[0][i] + at[1] * rim->e[1][i];
        const double other = own + rim->sign * gap * rim->n[i];
        spot->a[i] = rim->sign < 0.0 ? own : other;
        spot->b[i] = rim->sign < 0.0 ? other : own;
    }
    memcpy(spot->n, rim->n, sizeof spot->n);
    spot->gap = gap;
}

static void add_by_plane(const end_disc *rim, const double at[2], brn_spots *out)
{
    add(rim, at, rim->gap + rim->slope[0] * at[0] + rim->slope[1] * at[1], out);
}

/* Point k of the four. */
static void quarter(const end_disc *rim, int k, double at[2])
{
    const double slope = hypot(rim->slope[0], rim->slope[1]);
    const double c = slope > hair ? -rim->slope[0] / slope : 1.0;
    const double s = slope > hair ? -rim->slope[1] / slope : 0.0;
    const double turned[4][2] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};
    at[0] = rim->radius * turned[k][0];
    at[1] = rim->radius * turned[k][1];
}

/* Where the way from p to q goes into and out of the circle, as far as that is between them; with gaps given at both. */
static void cross_circle(const end_disc *rim, const double p[3], const double q[3], bool plane,
                         brn_spots *out)
{
    const double d[2] = {q[0] - p[0], q[1] - p[1]};
    const double square = d[0] * d[0] + d[1] * d[1];
    const double foot = -(p[0] * d[0] + p[1] * d[1]) / square;
    const double nearest = (p[0] * d[1] - p[1] * d[0]) * (p[0] * d[1] - p[1] * d[0]) / square;
    const double half = rim->radius * rim->radius - nearest;
    if (!(square > 0.0) || !(half > 0.0)) {
        return;
    }
    for (int k = 0; k < 2; ++k) {
        const double t = foot + (k == 0 ? -1.0 : 1.0) * sqrt(half / square);
        if (t > 0.0 && t < 1.0) {
            const double at[2] = {p[0] + t * d[0], p[1] + t * d[1]};
            if (plane) {
                add_by_plane(rim, at, out);
            } else {
                add(rim, at, p[2] + t * (q[2] - p[2]), out);
            }
        }
    }
}

/* A face, an edge or a point over the end. Corners are (x, y, gap). */
static void over_part(end_disc *rim, const brn_part *part, const double basis[9], brn_spots *out)
{
    double at[2 * BRN_FACE_MOST][3];
    const bool plane = part->count > 2;
    double area = 0.0;
    if (plane) {
        const double f[3] = {-part->slope[0], -part->slope[1], 1.0};
        double normal[3];
        double p[3];
        brn_dense_apply3_t(basis, f, normal);
        brn_dense_apply3_t(basis, part->at[0], p);
        face_plane(rim, normal, p);
    }
    for (int i = 0; i < part->count; ++i) {
        double x[3];
        brn_dense_apply3_t(basis, part->at[i], x);
        at[i][2] = lead(rim, x, at[i]);
        if (hypot(at[i][0], at[i][1]) <= rim->radius + rim->border) {
            add(rim, at[i], at[i][2], out);
        }
    }
    for (int i = 0; i < part->count && part->count > 1; ++i) {
        const int j = (i + 1) % part->count;
        area += at[i][0] * at[j][1] - at[i][1] * at[j][0];
        if (plane || i == 0) {
            cross_circle(rim, at[i], at[j], plane, out);
        }
    }
    for (int k = 0; k < 4 && plane; ++k) {
        double p[2];
        bool inside = true;
        quarter(rim, k, p);
        for (int i = 0; i < part->count; ++i) {
            const double *q = at[i];
            const double *r = at[(i + 1) % part->count];
            const double side = (r[0] - q[0]) * (p[1] - q[1]) - (r[1] - q[1]) * (p[0] - q[0]);
            inside = inside && copysign(1.0, area) * side >= -rim->border * hypot(r[0] - q[0], r[1] - q[1]);
        }
        if (inside) {
            add_by_plane(rim, p, out);
        }
    }
}

static void place_of(const end_disc *rim, const double at[2], double x[3])
{
    for (int i = 0; i < 3; ++i) {
        x[i] = rim->centre[i] + at[0] * rim->e[0][i] + at[1] * rim->e[1][i];
    }
}

/* How far a point of one rim is outside of the other one, along n; within a hair it is not. */
static double beyond(const end_disc *rim, double angle, const end_disc *other, double at[2])
{
    double x[3];
    double there[2];
    at[0] = rim->radius * cos(angle);
    at[1] = rim->radius * sin(angle);
    place_of(rim, at, x);
    (void)lead(other, x, there);
    return hypot(there[0], there[1]) - other->radius - rim->border;
}

/* Two ends: the four of each that are over the other one, and where the rims cross. */
static void over_end(end_disc *a, end_disc *b, brn_spots *out)
{
    const double turn = 6.283185307179586 / SAMPLES;
    face_plane(a, b->axis, b->centre);
    face_plane(b, a->axis, a->centre);
    for (int k = 0; k < 8; ++k) {
        const end_disc *own = k < 4 ? a : b;
        double at[2];
        double there[2];
        double x[3];
        quarter(own, k % 4, at);
        place_of(own, at, x);
        (void)lead(k < 4 ? b : a, x, there);
        if (hypot(there[0], there[1]) <= (k < 4 ? b : a)->radius + a->border) {
            add_by_plane(own, at, out);
        }
    }
    double at[2];
    double last = beyond(a, 0.0, b, at);
    for (int k = 1; k <= SAMPLES; ++k) {
        const double now = beyond(a, k * turn, b, at);
        if ((last > 0.0) != (now > 0.0)) {
            double lo = (k - 1) * turn;
            double hi = k * turn;
            for (int i = 0; i < 50; ++i) {
                const double middle = 0.5 * (lo + hi);
                *((beyond(a, middle, b, at) > 0.0) == (last > 0.0) ? &lo : &hi) = middle;
            }
            add_by_plane(a, at, out);
        }
        last = now;
    }
}

void brn_overlap_rims(const brn_core *a, const brn_core *b, const double n[3], brn_spots *out)
{
    end_disc ra;
    end_disc rb;
    brn_part part;
    double basis[9];
    const double border = hair * (a->extent + b->extent);
    const bool end_a = a->hull.nvertex == 0 && rim_set(a, n, -1.0, border, &ra);
    const bool end_b = b->hull.nvertex == 0 && rim_set(b, n, 1.0, border, &rb);
    brn_part_basis(n, 3, basis);
    if (end_a && end_b) {
        over_end(&ra, &rb, out);
    }
    if (end_a) {
        brn_part_set(b, basis, 1.0, &part);
        over_part(&ra, &part, basis, out);
    }
    if (end_b) {
        brn_part_set(a, basis, -1.0, &part);
        over_part(&rb, &part, basis, out);
    }
}

void brn_rim_over_plane(const brn_core *a, brn_spots *out)
{
    static const double up[3] = {0.0, 0.0, 1.0};
    static const double ground[3] = {0.0, 0.0, 0.0};
    end_disc rim;
    if (rim_set(a, up, -1.0, hair * a->extent, &rim)) {
        face_plane(&rim, up, ground);
        for (int k = 0; k < 4; ++k) {
            double at[2];
            quarter(&rim, k, at);
            add_by_plane(&rim, at, out);
        }
    }
}
