/* Shapes of bodies that no mesh describes (a table each, set BRN_SET_SHAPE). A shape says what is seen of it, a mesh of
   triangles, and what touches: its surface, or a core (a point, an edge) with a radius about it, or a half-space. */
#ifndef BRN_MODEL_SHAPES_SHAPE_H
#define BRN_MODEL_SHAPES_SHAPE_H

#include "base/param.h"
#include "geom/mesh.h"
#include "geom/primitive.h"

/* A shape about the origin, its axes those of the scene. */
typedef struct brn_shape_form {
    /* What is seen: in 3D a closed surface, outwards; in 2D an area. A half-space: a square patch of its plane about the
       origin, or in 2D an edge2. The last ncore nodes belong to no cell. */
    brn_mesh *mesh;
    int ncore;     /* 0: the surface touches; 1: a point; 2: an edge */
    double radius; /* [m] of the surface about the core */
    /* solid on the side away from the normal of nodes 0, 1, 3; in 2D on the right of 0 -> 1 */
    bool half_space;
    bool fit;                /* the patch is 2 m wide and may be given any size */
    brn_primitive primitive; /* the exact shape */
    double axes[9];          /* the primitive's own axes are the columns */
} brn_shape_form;

/* A shape: one file in model/shapes/ plus one line in shapes.def. params is the struct its table describes; dim: of the
   scene. After a failure form->mesh is NULL. */
typedef struct brn_shape {
    const brn_table *table;
    brn_status (*make)(brn_ctx *ctx, const void *params, int dim, brn_shape_form *form);
} brn_shape;

int brn_shape_count(void);
const brn_shape *brn_shape_get(int index);
const brn_shape *brn_shape_of_table(const brn_table *table);

/* The form of a primitive, as its shape makes it. After a failure form->mesh is NULL. */
brn_status brn_shape_of_primitive(brn_ctx *ctx, const brn_primitive *primitive, brn_shape_form *form);

#define BRN_SHAPE_UPRIGHT   \
 {                          \
  1, 0, 0, 0, 1, 0, 0, 0, 1 \
 } /* axes of a shape oriented like its primitive */

/* ---- what the shapes share ------------------------------------------------------------------------------------------ */

enum { BRN_SEGMENTS_LEAST = 3, BRN_SEGMENTS_MOST = 10000 };

/* The surface of revolution about z of a profile {radius, z}, [n][2], from the lower end to the upper one; both ends lie
   on the axis (radius 0), no other point does. ncore nodes at the origin follow those of the surface. */
brn_status brn_shape_lathe(brn_ctx *ctx, const double (*profile)[2], int n, int segments, int ncore,
                           brn_mesh **out);
/* A convex area of the xy plane: its outline {x, y}, [n][2], counter-clockwise about the origin, as a fan about a node
   there; ncore further nodes at the origin. */
brn_status brn_shape_fan(brn_ctx *ctx, const double (*outline)[2], int n, int ncore, brn_mesh **out);

#endif
