/* How deep bodies are in each other, by their surfaces alone: what a method that allows penetration is checked with, whatever its own
   contact points know. */
#ifndef BRN_CONTACT_OVERLAP_H
#define BRN_CONTACT_OVERLAP_H

#include "contact/skin.h"

typedef struct brn_overlap {
    /* depth of the deepest over the size of the smaller body, brn_body_size; 0: nothing overlaps */
    double share;
    double depth;    /* [m] */
    int body[2];     /* of it */
    double place[3]; /* [m] */
} brn_overlap;

/* The deepest of the vertices of a body inside another and, where surfaces cross without them (coarse meshes, sheets, a body and itself),
   of edges in triangles, in 2D in edges. Half-spaces and round bodies hold nothing: their distance is known everywhere. Too dear for
   every step. */
brn_status brn_overlap_find(const brn_skin *skin, const double *x, brn_overlap *out);

/* [m] Cube root of the volume of a body that can move, in 2D square root; infinite for an obstacle. */
double brn_body_size(const brn_model *model, int body);

#endif
