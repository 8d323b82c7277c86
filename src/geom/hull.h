/* Convex hulls of points: vertices, planar faces with outward normals, edges. In 2D a face is a side of a polygon and there are no
   edges; z is 0.

   The hull of a mesh is made once. The sign of every decision of the construction is exact (geom/predicates.h), so that it
   does not fail on grids of coplanar and collinear points; then triangles that lie in one plane to BRN_HULL_FLAT of the
   size become one polygon, and vertices within a straight edge go. Cost: points x faces, so that it is meant for some 1e4 vertices. */
#ifndef BRN_GEOM_HULL_H
#define BRN_GEOM_HULL_H

#include "base/ctx.h"

#define BRN_HULL_FLAT 1e-6 /* coordinates in single precision, as STL has them, are good to 1e-7 */

typedef struct brn_hull_edge {
    int vertex[2];
    int face[2]; /* -1: none, as of a segment */
} brn_hull_edge;

typedef struct brn_hull {
    int dim, nvertex, nface, nedge;
    const double (*vertex)[3]; /* [m] */
    const double (*normal)[3]; /* of faces, unit, outward */
    const double *offset;      /* [m]: normal . x <= offset */
    const int *face_start;     /* [nface + 1] into face_vertex */
    const int *face_vertex;    /* counterclockwise seen from outside */
    const int *ring_start;     /* [nvertex + 1] into ring */
    const int *ring;           /* faces around a vertex */
    const brn_hull_edge *edge; /* 3D only */
} brn_hull;

/* The hull of n points in a plane (dim 2) or in space. BRN_ERR_RANGE, with a message, if they lie in a line or plane or are
   not finite. */
brn_status brn_hull_create(brn_ctx *ctx, int dim, const double (*point)[3], int n, brn_hull **out);
void brn_hull_destroy(brn_ctx *ctx, brn_hull *hull);

/* How deep p lies below the hull's surface [m]; negative: outside, at least so far. */
double brn_hull_depth(const brn_hull *hull, const double p[3]);
/* The largest depth of the sides of a mesh (dim corners each) below the surface of their hull [m]: 0 but for rounding and
   BRN_HULL_FLAT where the mesh is convex. Of a side that leaves the hull's surface it is at least a 1 / dim of its largest depth: that is
   concave on a side, and the middles are looked at. */
double brn_hull_departure(const brn_hull *hull, const double (*point)[3], const int *side, int nside);

#endif
