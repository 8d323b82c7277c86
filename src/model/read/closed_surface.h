/* A closed surface of triangles, checked and sorted into solids, ready to be filled. */
#ifndef BRN_MODEL_READ_CLOSED_SURFACE_H
#define BRN_MODEL_READ_CLOSED_SURFACE_H

#include "geom/mesh.h"

typedef struct brn_closed_surface {
    brn_ctx *ctx;
    int nnode;
    size_t node_capacity;
    double (*pos)[3]; /* [m], coincident nodes merged */
    int ntri;
    size_t tri_capacity, solid_capacity;
    int (*tri)[3];            /* normals point out of the material */
    int *solid;               /* [ntri] which solid a triangle bounds */
    int nsolid;               /* outer shells; cavities belong to the shell around them */
    double volume;            /* [m^3] of all solids */
    double shortest, longest; /* edges [m] */
} brn_closed_surface;

/* Welds, checks that every edge joins exactly two triangles of the same orientation, flips inside-out shells,
   finds cavities. Takes tri3 and quad4. */
brn_status brn_closed_surface_create(const brn_mesh *mesh, brn_closed_surface **out);
void brn_closed_surface_destroy(brn_closed_surface *surface);

/* Halves edges longer than `length` until there are none, or for this many rounds: the same shape in smaller
   triangles. Length 0 and one round: every triangle into four. */
brn_status brn_closed_surface_refine(brn_closed_surface *surface, double length, int rounds);
enum { BRN_REFINE_ROUNDS = 60 }; /* more than enough for any length: edges are halved in each */

#endif
