/* Volume, centre and second moments of what a mesh encloses. */
#ifndef BRN_MODEL_MASS_MOMENTS_H
#define BRN_MODEL_MASS_MOMENTS_H

#include "geom/mesh.h"
#include "geom/moments.h"

/* Of a mesh of tets and hexes (3D) or triangles (2D): its cells. Of a surface in 3D (tri3, quad4): of what it encloses;
   BRN_ERR_MESH names a place where it is not closed; shells that face inwards are flipped. */
brn_status brn_moments_of_mesh(const brn_mesh *mesh, int dim, brn_moments *out);

#endif
