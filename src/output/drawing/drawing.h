/* What is drawn of a trajectory: the nodes on the surface as vertices, body by body, in order of node numbers, and the
   triangles and edges between them. Numbering is the same in every frame. */
#ifndef BRN_OUTPUT_DRAWING_DRAWING_H
#define BRN_OUTPUT_DRAWING_DRAWING_H

#include "output/trajectory/trajectory.h"

/* Zeroed but for ctx. */
typedef struct brn_drawing {
    brn_ctx *ctx;
    int nbody, nvertex, ntri, nedge;
    int *node;                                  /* [nvertex] */
    int *vertex;                                /* [nnode], -1: inside */
    int *vertex_first, *tri_first, *edge_first; /* [nbody + 1] */
    int (*tri)[3];                              /* [ntri] vertices */
    int (*edge)[2];                             /* [nedge] vertices */
    bool *plane; /* [nbody] a half-space, whose triangles only show where it is */
} brn_drawing;

/* BRN_ERR_FORMAT if triangles or edges are not sorted by body, or use nodes of another body. After a failure the
   surface can (and must) still be cleared. */
brn_status brn_drawing_make(brn_drawing *surface, const brn_playback_info *info);
void brn_drawing_clear(brn_drawing *surface);

/* As f32: clamped to its range, 0 for NaN. */
float brn_drawing_float(double value);

#endif
