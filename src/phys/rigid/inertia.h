/* Mass, centre of mass and inertia of a rigid body in a frame of its own. */
#ifndef BRN_PHYS_RIGID_INERTIA_H
#define BRN_PHYS_RIGID_INERTIA_H

#include "base/ctx.h"
#include "geom/moments.h"

typedef struct brn_inertia {
    double mass;      /* [kg] */
    double centre[3]; /* [m] */
    double about[9];  /* [kg m^2] about the centre, symmetric, row-major: integral of |r|^2 1 - r r' */
} brn_inertia;

/* Of a body of constant density [kg/m^3] that fills the moments; in 2D density is that of the area and the body a thin plate. */
brn_inertia brn_inertia_of_moments(const brn_moments *moments, double density);
/* Of a primitive shape in its own frame. False for a shape without an end. */
bool brn_inertia_of_primitive(const brn_primitive *shape, double density, brn_inertia *out);

/* The same body seen from the frame in which its own stands at `place`. */
brn_inertia brn_inertia_placed(const brn_inertia *body, const brn_rigid_map *place);
/* Two bodies of one frame as one (parallel axes: I + I' + m m'/(m + m') (|d|^2 1 - d d'), d from centre to centre). */
brn_inertia brn_inertia_sum(const brn_inertia *a, const brn_inertia *b);

enum { BRN_INERTIA_WHY = 240 };
/* Is it one that matter can have: finite, mass > 0, principal moments > 0, none larger than the sum of the others? A part in a
   thousand is allowed, so that the inertia of a thin plate may be written with four digits. Else `why` says what is wrong and what
   to write instead, as the rest of a message that names the place. */
bool brn_inertia_check(const brn_inertia *body, char why[BRN_INERTIA_WHY]);

#endif
