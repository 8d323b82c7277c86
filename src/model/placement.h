/* Rotations and scales as the scene writes them. */
#ifndef BRN_MODEL_PLACEMENT_H
#define BRN_MODEL_PLACEMENT_H

#include "geom/mesh.h"
#include "scene/scene.h"

/* The product of a list of rotations, applied in order, row-major. A zero axis is a problem of the scene; in 2D every
   axis is z. */
void brn_placement_rotation(brn_scene *scene, const brn_blocks *list, int dim, double out[9]);

/* Makes the mesh of a scene's mesh block: generated, read or filled, then scaled, rotated, shifted. If that
   fails it is a problem of the scene and *out stays NULL; a negative status only when memory runs out. */
brn_status brn_placement_mesh(brn_scene *scene, const brn_mesh_def *def, brn_ctx *ctx, brn_mesh **out);

#endif
