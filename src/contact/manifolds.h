/* Contact points between convex bodies that do not deform, by the manifolds of geom/manifold.h: bodies with a shape, and rigid bodies whose
   mesh is its own convex hull. What they have with others is in contact/patches.h. */
#ifndef BRN_CONTACT_MANIFOLDS_H
#define BRN_CONTACT_MANIFOLDS_H

#include "contact/skin.h"
#include "geom/manifold.h"

typedef struct brn_meeting_point {
    int body[2];
    brn_manifold_point point; /* its normal is out of body[1] */
} brn_meeting_point;

typedef struct brn_manifolds brn_manifolds;

brn_status brn_manifolds_create(brn_ctx *ctx, const brn_skin *skin, brn_manifolds **out);
void brn_manifolds_destroy(brn_manifolds *manifolds);
/* Whether a body is among them. */
bool brn_manifolds_has(const brn_manifolds *manifolds, int body);
/* All points at positions x, [nnode][3], of pairs with a gap below the sum of both bodies' reach [nbody] [m] >= 0; of those that pass
   each other on the way to the positions ahead, where they meet then (brn_manifold_pass). In the order of pairs of bodies. Valid until the
   next find; after a failure there are none. */
brn_status brn_manifolds_find(brn_manifolds *manifolds, const double *x, const double *ahead,
                              const double *reach);
int brn_manifolds_count(const brn_manifolds *manifolds);
const brn_meeting_point *brn_manifolds_get(const brn_manifolds *manifolds);

#endif
