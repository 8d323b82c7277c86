/* Do segments and triangles meet? Exact for coordinates in the range of geom/predicates.h. Sets are closed: touching
   counts. Segments may be points, triangles may be segments or points: what is tested is the hull of the given points. */
#ifndef BRN_GEOM_INTERSECT_H
#define BRN_GEOM_INTERSECT_H

#include "geom/bvh.h"

bool brn_intersect_segments2d(const double a[2], const double b[2], const double c[2], const double d[2]);
bool brn_intersect_segments3d(const double a[3], const double b[3], const double c[3], const double d[3]);
/* The point p and the triangle t (columns ignored beyond the second for 2d). */
bool brn_intersect_point_triangle2d(const double p[2], const double a[2], const double b[2],
                                    const double c[2]);
bool brn_intersect_point_triangle3d(const double p[3], const double a[3], const double b[3],
                                    const double c[3]);
bool brn_intersect_segment_triangle(const double p[3], const double q[3], const double a[3],
                                    const double b[3], const double c[3]);
bool brn_intersect_triangles(const double s[3][3], const double t[3][3]);

/* ---- whole surfaces ------------------------------------------------------------------------------------------------------ */

/* A surface meets itself if an edge meets a triangle that shares no node with it (3D), or an edge meets an edge that shares
   no node with it (2D). Nodes are identified by number: different nodes at the same place touch. */
typedef struct brn_surface {
    int dim; /* 2: edges, z is ignored; 3: edges against triangles */
    int nnode;
    const double (*pos)[3]; /* [m], [nnode][3] */
    int nedge;
    const int (*edge)[2]; /* [nedge][2] */
    int ntri;
    const int (*tri)[3]; /* [ntri][3], 3D */
    /* whether (edge, triangle), or (edge, edge) in 2D, shall be looked at; NULL: every pair */
    brn_bvh_keep_fn keep;
    const void *keep_arg;
} brn_surface;

typedef struct brn_intersection {
    int edge;        /* number in the surface's edges */
    int other;       /* triangle (3D), edge (2D) */
    double point[3]; /* [m] near a common point, for messages: rounded */
} brn_intersection;

/* Checks surfaces for intersections. Owns trees and lists that are reused: in the steady state nothing is allocated. */
typedef struct brn_intersect brn_intersect;

brn_status brn_intersect_create(brn_ctx *ctx, brn_intersect **out);
void brn_intersect_destroy(brn_intersect *check);
/* count: all pairs that meet; the first `room` of them, in ascending order of (edge, other), go to found.
   BRN_ERR_NOT_FINITE, BRN_ERR_RANGE for positions that are not finite or beyond BRN_PREDICATE_LARGEST, BRN_ERR_MESH for
   node numbers out of range. */
brn_status brn_intersect_surface(brn_intersect *check, const brn_surface *surface, brn_intersection *found,
                                 int room, size_t *count);

#endif
