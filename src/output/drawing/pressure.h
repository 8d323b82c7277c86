/* Contact pressure at the vertices of the surface, from contact points.

   A point's normal force acts on each of its two bodies at the place of the surface nearest to it: the corners of that
   triangle (2D: the ends of that edge) share it by barycentric weights. A vertex's pressure is its force over its area,
   a third of the triangles around it (half of the edges) as they are now. So pressure times area sums to the normal forces.
   Half-spaces have none: they are touched beyond their patch. [Pa] */
#ifndef BRN_OUTPUT_DRAWING_PRESSURE_H
#define BRN_OUTPUT_DRAWING_PRESSURE_H

#include "geom/bvh.h"
#include "output/drawing/drawing.h"

/* Zeroed but for ctx. */
typedef struct brn_pressure {
    brn_ctx *ctx;
    const brn_drawing *surface;
    int width;                    /* nodes of a facet: 3 triangles, 2 edges */
    brn_bvh **tree;               /* [nbody] over the facets of a body; NULL: not yet needed */
    double (*pos)[3];             /* [nvertex] */
    double *force;                /* [nvertex] */
    double *area;                 /* [nvertex] */
    bool *touched;                /* [nbody] in this frame */
    brn_box *box;                 /* [facets of the largest body] */
    struct brn_pressure_hit *hit; /* [2 points] */
    size_t hit_capacity;
} brn_pressure;

/* dim 2: pressure on edges. surface outlives it. After a failure it can (and must) still be cleared. */
brn_status brn_pressure_make(brn_pressure *pressure, const brn_drawing *surface, int dim);
void brn_pressure_clear(brn_pressure *pressure);
/* pos [nnode][3], out [nvertex] */
brn_status brn_pressure_find(brn_pressure *pressure, const double *pos, const brn_contact_point *point,
                             int npoint, float *out);

#endif
