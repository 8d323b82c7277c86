/* What the files of the hull's construction share. */
#ifndef BRN_GEOM_HULL_INNER_H
#define BRN_GEOM_HULL_INNER_H

#include "geom/hull.h"

/* A triangle of the hull of points in space, counterclockwise seen from outside. */
typedef struct brn_hull_tri {
    int vertex[3]; /* the first is -1 for an unused one */
    int across[3]; /* triangle beyond the side of vertices i, i + 1 */
} brn_hull_tri;

/* Arrays in scratch memory: faces as loops of points, [nface + 1] and corners. */
typedef struct brn_hull_loops {
    int nface, *start, *corner;
} brn_hull_loops;

/* The hull as triangles, in scratch memory; BRN_ERR_RANGE without words if all points lie in one plane. */
brn_status brn_hull_triangles(brn_ctx *ctx, const double (*point)[3], int n, brn_hull_tri **out, int *ntri);
/* Triangles in one plane to `flat` [m] become polygons, straight edges one edge. */
brn_status brn_hull_merge(brn_ctx *ctx, const double (*point)[3], int n, const brn_hull_tri *tri, int ntri,
                          double flat, brn_hull_loops *out);

#endif
