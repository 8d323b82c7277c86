/* The only place that talks to gmsh: tets of every solid of a closed surface. */
#ifndef BRN_FILL_GMSH_FILL_H
#define BRN_FILL_GMSH_FILL_H

#include "model/read/fill_wire.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct fill_surface {
    brn_fill_request head;
    double *pos;     /* [nnode][3] */
    uint32_t *tri;   /* [ntri][3], normals point out of the material */
    uint32_t *solid; /* [ntri] which solid a triangle bounds */
} fill_surface;

typedef struct fill_mesh {
    size_t nnode, ntet;
    double *pos;                      /* [nnode][3] */
    uint32_t *tet;                    /* [ntet][4] */
    char text[BRN_FILL_TEXT_MAX + 1]; /* what went wrong */
} fill_mesh;

/* anew: the surface is remeshed at the resolution (gmsh finds its smooth pieces and parametrises them); otherwise its triangles
   become the boundary as they are. False: the text says why. */
bool fill_with_gmsh(const fill_surface *surface, fill_mesh *out);

#endif
