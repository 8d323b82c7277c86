/* Where the shape of a body is once its nodes have moved. */
#ifndef BRN_MODEL_BODY_SHAPE_H
#define BRN_MODEL_BODY_SHAPE_H

#include "model/model.h"

/* The frame of a body's shape at positions x, [nnode][3]. A rigid body's is turned by the rotation nearest to its affine map,
   a static one's by its motion; the origin goes with the nodes. For bodies with a shape only. */
void brn_body_shape_frame(const brn_model *model, int body, const double *x, brn_rigid_map *out);

/* Nodes that move with the body as a whole, as in brn_body_shape: its handles, or those of its shape. Returns how many; 0: it
   deforms, or has none. */
int brn_body_span(const brn_model *model, int body, int node[4]);
/* The edges from the first such node to the others at positions x, as columns: they turn barycentric coordinates into a
   place. For a half-space the last column is a normal of its plane; in 2D the third is the z axis. */
void brn_body_span_edges(int dim, int span, const int *node, const double *x, double edges[9]);

#endif
