/* The overlap of the two faces that face each other along n, in coordinates (u, v) across n and the height w along it. Within it
   the gap is linear, so that its corners say all. */
#include "geom/manifold_inner.h"

#include <math.h>
#include <string.h>

enum { CORNERS_MOST = 2 * BRN_FACE_MOST };

static const double hair = 1e-12; /* of a border, in extents */

/* Cuts a polygon, a segment or a point by the line through p and q: what is on the left of it stays. Sutherland and Hodgman. */
static void cut(brn_part *part, const double p[3], const double q[3], double side, double border)
{
    brn_part next;
    double left[CORNERS_MOST];
    bool all = true;
    const double way[2] = {side * (q[0] - p[0]), side * (q[1] - p[1])};
    const double margin = border * sqrt(way[0] * way[0] + way[1] * way[1]);
    for (int i = 0; i < part->count; ++i) {
        left[i] = way[0] * (part->at[i][1] - p[1]) - way[1] * (part->at[i][0] - p[0]);
        all = all && left[i] >= -margin;
    }
    if (all) {
        return;
    }
    const int sides = part->count > 2 ? part->count : part->count - 1;
    next.count = 0;
    for (int i = 0; i < part->count; ++i) {
        const int j = (i + 1) % part->count;
        if (left[i] >= -margin && next.count < CORNERS_MOST) {
            memcpy(next.at[next.count++], part->at[i], sizeof *next.at);
        }
        if (i < sides && (left[i] >= -margin) != (left[j] >= -margin) && next.count < CORNERS_MOST) {
            /* Clamped: of a corner within the border's hair the crossing may lie behind it. */
            const double t = fmin(1.0, fmax(0.0, left[i] / (left[i] - left[j])));
            for (int k = 0; k < 3; ++k) {
                next.at[next.count][k] = part->at[i][k] + t * (part->at[j][k] - part->at[i][k]);
            }
            next.count++;
        }
    }
    part->count = next.count;
    memcpy(part->at, next.at, (size_t)next.count * sizeof *next.at);
}

static void add(brn_spots *out, const double basis[9], const double at[2], double wa, double wb)
{
    if (out->count == BRN_SPOTS_MOST) {
        return;
    }
    brn_spot *spot = &out->spot[out->count++];
    brn_dense_apply3_t(basis, (const double[3]){at[0], at[1], wa}, spot->a);
    brn_dense_apply3_t(basis, (const double[3]){at[0], at[1], wb}, spot->b);
    memcpy(spot->n, basis + 6, sizeof spot->n);
    spot->gap = wa - wb;
}

/* What of `part` lies over the face. */
static void over_face(brn_part *part, const brn_part *face, double sign, bool part_is_a, double border,
                      const double basis[9], brn_spots *out)
{
    for (int i = 0; i < face->count && part->count > 0; ++i) {
        cut(part, face->at[i], face->at[(i + 1) % face->count], sign, border);
    }
    for (int i = 0; i < part->count; ++i) {
        const double *x = part->at[i];
        const double w = face->level + face->slope[0] * x[0] + face->slope[1] * x[1];
        add(out, basis, x, part_is_a ? x[2] : w, part_is_a ? w : x[2]);
    }
}

/* Ends of p over q, both segments along u: in the plane. */
static void over_segment(const brn_part *p, const brn_part *q, bool p_is_a, double border,
                         const double basis[9], brn_spots *out)
{
    const double length = q->at[1][0] - q->at[0][0];
    for (int i = 0; i < p->count; ++i) {
        const double *x = p->at[i];
        const double beyond =
            fmax(fmin(q->at[0][0], q->at[1][0]) - x[0], x[0] - fmax(q->at[0][0], q->at[1][0]));
        if (beyond <= border) {
            const double t = fabs(length) > 0.0 ? (x[0] - q->at[0][0]) / length : 0.0;
            const double w = q->at[0][2] + t * (q->at[1][2] - q->at[0][2]);
            add(out, basis, x, p_is_a ? x[2] : w, p_is_a ? w : x[2]);
        }
    }
}

/* Two segments that cross, seen along n. */
static void crossing(const brn_part *a, const brn_part *b, double border, const double basis[9],
                     brn_spots *out)
{
    const double p[2] = {a->at[1][0] - a->at[0][0], a->at[1][1] - a->at[0][1]};
    const double q[2] = {b->at[1][0] - b->at[0][0], b->at[1][1] - b->at[0][1]};
    const double r[2] = {b->at[0][0] - a->at[0][0], b->at[0][1] - a->at[0][1]};
    const double det = p[0] * q[1] - p[1] * q[0];
    const double s = (r[0] * q[1] - r[1] * q[0]) / det;
    const double t = (r[0] * p[1] - r[1] * p[0]) / det;
    const double allowed = border / (hypot(p[0], p[1]) + hypot(q[0], q[1]));
    if (s >= -allowed && s <= 1.0 + allowed && t >= -allowed && t <= 1.0 + allowed) {
        const double at[2] = {a->at[0][0] + s * p[0], a->at[0][1] + s * p[1]};
        add(out, basis, at, a->at[0][2] + s * (a->at[1][2] - a->at[0][2]),
            b->at[0][2] + t * (b->at[1][2] - b->at[0][2]));
    }
}

void brn_overlap_faces(const brn_core *a, const brn_core *b, const double n[3], brn_spots *out)
{
    brn_part pa;
    brn_part pb;
    double basis[9];
    const int dim = b->hull.dim;
    const double border = hair * (a->extent + b->extent);
    brn_part_basis(n, dim, basis);
    brn_part_set(a, basis, -1.0, &pa);
    brn_part_set(b, basis, 1.0, &pb);
    if (dim == 2) {
        const int before = out->count;
        if (pb.count == 2) {
            over_segment(&pa, &pb, true, border, basis, out);
        }
        if (pa.count == 2) {
            over_segment(&pb, &pa, false, border, basis, out);
        }
        /* Ends above each other come twice. */
        for (int i = before; i < out->count; ++i) {
            for (int j = out->count - 1; j > i; --j) {
                const double *x = out->spot[i].a;
                const double *y = out->spot[j].a;
                if (hypot(x[0] - y[0], x[1] - y[1]) <= 4.0 * border) {
                    out->spot[j] = out->spot[--out->count];
                }
            }
        }
    } else if (pb.count > 2) {
        over_face(&pa, &pb, 1.0, true, border, basis, out);
    } else if (pa.count > 2) {
        over_face(&pb, &pa, -1.0, false, border, basis, out);
    } else if (pa.count == 2 && pb.count == 2) {
        crossing(&pa, &pb, border, basis, out);
    }
}

void brn_overlap_plane(const brn_core *a, int dim, brn_spots *out)
{
    brn_part pa;
    double basis[9];
    double n[3] = {0.0, 0.0, 0.0};
    n[dim - 1] = 1.0;
    brn_part_basis(n, dim, basis);
    brn_part_set(a, basis, -1.0, &pa);
    if (a->hull.nvertex == 0) {
        brn_rim_over_plane(a, out);
    }
    for (int i = 0; i < pa.count; ++i) {
        add(out, basis, pa.at[i], pa.at[i][2], 0.0);
    }
}
