/* Contact points where sharp edges cross, beside those of vertices in contact/patches.h: the corners of the area that two bodies have
   in common may be crossings of their rims, with no vertex near. 3D only.

   Sharp are edges that are convex and whose two sides differ by more than 30 degrees at rest, and rims of sheets; not those where more
   than two sides meet. Rounded shapes have none, and two bodies that meet by their manifold are left to that.

   Two edges of different bodies cross at the nearest places of their lines, if those are inside both. The normal n is across both, and
   must be one that both edges can have: between the outward normals of the sides at the second edge, and -n between those at the
   first; at the rim of a sheet, any outwards of it. A few degrees more are allowed, for faces that lie on each other. Sheets that lie on
   each other have two such normals: the side on which the first is decides.

   Ends. A crossing near the end of an edge (BRN_PATCHES_RIM) is left to the vertex there if the faces lie on each other, since patches
   then count the vertex as on the face; else it is a point of its own, ends included. Where the end of an edge is below a face of the
   other body that goes off at an angle, by less than the crossing is deep along n, or within the rim above or below it, the vertex has the
   shorter way out: what stands on a body, by a hair too low or high, does not run into its wall. */
#ifndef BRN_CONTACT_CROSSINGS_H
#define BRN_CONTACT_CROSSINGS_H

#include "contact/manifolds.h"
#include "contact/patches.h"

typedef struct brn_crossings brn_crossings;

/* manifolds: pairs of its bodies are left out; NULL: none are. */
brn_status brn_crossings_create(brn_ctx *ctx, const brn_skin *skin, const brn_manifolds *manifolds,
                                brn_crossings **out);
void brn_crossings_destroy(brn_crossings *crossings);
/* All crossings at positions x, [nnode][3], with a gap below the reach of the two bodies and above minus the larger of that and
   depth >= 0 [m]. In the order of the skin's edges. Valid until the next find; after a failure there are none. */
brn_status brn_crossings_find(brn_crossings *crossings, const double *x, const brn_contact_reach *reach,
                              double depth);
int brn_crossings_count(const brn_crossings *crossings);
/* Nodes 0 and 1 are the first edge's, with positive weights; 2 and 3 the second's. Area: a quarter of the smaller of the two areas
   beside the edges, as far as they face the other; never 0. */
const brn_patch *brn_crossings_get(const brn_crossings *crossings);

#endif
