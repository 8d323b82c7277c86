/* From spots between cores to the points of a manifold. */
#include "geom/manifold_inner.h"

#include <math.h>
#include <string.h>

static const double same = 1e-5;  /* distance of two points that are one, in extents of the smaller shape */
static const double blur = 1e-12; /* that by rounding, in extents of both */

/* Twice the area of the triangle of three spots, across the normal of the second. */
static double corner_area(const brn_spot *p, const brn_spot *q, const brn_spot *r)
{
    double u[3];
    double v[3];
    double c[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = p->b[k] - q->b[k];
        v[k] = r->b[k] - q->b[k];
    }
    brn_dense_cross3(u, v, c);
    return fabs(brn_dense_dot3(c, q->n));
}

void brn_spots_straighten(const brn_core *a, const brn_core *b, brn_spots *spots)
{
    const double least = same * fmin(a->extent, b->extent);
    for (int i = 0; i < spots->count && spots->count > 4;) {
        const int n = spots->count;
        const brn_spot *before = &spots->spot[(i + n - 1) % n];
        const brn_spot *after = &spots->spot[(i + 1) % n];
        const double way[3] = {after->b[0] - before->b[0], after->b[1] - before->b[1],
                               after->b[2] - before->b[2]};
        const double area = corner_area(before, &spots->spot[i], after);
        if (area * area < least * least * brn_dense_dot3(way, way)) {
            memmove(&spots->spot[i], &spots->spot[i + 1], (size_t)(n - 1 - i) * sizeof *spots->spot);
            spots->count--;
        } else {
            ++i;
        }
    }
}

/* The spot among the first `count` that is within `least` of one; -1: none. */
static int twin(const brn_spots *spots, int count, const brn_spot *of, double least)
{
    for (int j = 0; j < count; ++j) {
        const brn_spot *other = &spots->spot[j];
        double way[3];
        for (int k = 0; k < 3; ++k) {
            way[k] = 0.5 * (of->a[k] + of->b[k] - other->a[k] - other->b[k]);
        }
        if (brn_dense_dot3(way, way) <= least * least) {
            return j;
        }
    }
    return -1;
}

void brn_spots_show(const brn_core *a, const brn_core *b, double within, brn_spots *spots)
{
    const double smaller = b->extent > 0.0 ? fmin(a->extent, b->extent) : a->extent;
    const double least = same * smaller + blur * (a->extent + b->extent);
    int kept = 0;
    for (int i = 0; i < spots->count; ++i) {
        brn_spot spot = spots->spot[i];
        spot.gap -= a->radius + b->radius;
        if (!(spot.gap <= within)) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            spot.a[k] -= a->radius * spot.n[k];
            spot.b[k] += b->radius * spot.n[k];
        }
        const int j = twin(spots, kept, &spot, least);
        if (j < 0) {
            spots->spot[kept++] = spot;
        } else if (spot.gap < spots->spot[j].gap) {
            spots->spot[j] = spot;
        }
    }
    spots->count = kept;
}

/* Around their middle, counterclockwise seen along the normal of the first. */
static void sort_around(brn_spots *spots)
{
    double middle[3] = {0.0, 0.0, 0.0};
    double angle[BRN_SPOTS_MOST + 8];
    double basis[9];
    brn_part_basis(spots->spot[0].n, 3, basis);
    for (int i = 0; i < spots->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            middle[k] += spots->spot[i].b[k] / spots->count;
        }
    }
    for (int i = 0; i < spots->count; ++i) {
        const brn_spot spot = spots->spot[i];
        const double arm[3] = {spot.b[0] - middle[0], spot.b[1] - middle[1], spot.b[2] - middle[2]};
        const double own = atan2(brn_dense_dot3(basis + 3, arm), brn_dense_dot3(basis, arm));
        int at = i;
        for (; at > 0 && angle[at - 1] > own; --at) {
            angle[at] = angle[at - 1];
            spots->spot[at] = spots->spot[at - 1];
        }
        angle[at] = own;
        spots->spot[at] = spot;
    }
}

/* Of the corners of a convex overlap, those that leave the least area go, never the nearest. */
void brn_spots_thin(brn_spots *spots)
{
    if (spots->count > BRN_MANIFOLD_MOST) {
        sort_around(spots);
    }
    while (spots->count > BRN_MANIFOLD_MOST) {
        const int n = spots->count;
        int nearest = 0;
        int least = -1;
        double area = INFINITY;
        for (int i = 1; i < n; ++i) {
            nearest = spots->spot[i].gap < spots->spot[nearest].gap ? i : nearest;
        }
        for (int i = 0; i < n; ++i) {
            const double own =
                corner_area(&spots->spot[(i + n - 1) % n], &spots->spot[i], &spots->spot[(i + 1) % n]);
            if (i != nearest && own < area) {
                least = i;
                area = own;
            }
        }
        least = least < 0 ? n - 1 : least;
        memmove(&spots->spot[least], &spots->spot[least + 1], (size_t)(n - 1 - least) * sizeof *spots->spot);
        spots->count--;
    }
}

/* From the frame of b to the world. */
void brn_spots_put(const brn_spots *spots, const brn_rigid_map *fb, brn_manifold *out)
{
    for (int i = 0; i < spots->count; ++i) {
        const brn_spot *spot = &spots->spot[i];
        brn_manifold_point *point = &out->point[i];
        const double middle[3] = {0.5 * (spot->a[0] + spot->b[0]), 0.5 * (spot->a[1] + spot->b[1]),
                                  0.5 * (spot->a[2] + spot->b[2])};
        brn_rigid_map_apply(fb, middle, point->place);
        brn_dense_apply3(fb->rotation, spot->n, point->normal);
        point->gap = spot->gap;
    }
    out->count = spots->count;
}
