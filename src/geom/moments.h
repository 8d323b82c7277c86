/* Volume, centre and second moments of what a surface encloses and of primitive shapes. In 2D the volume is an area. */
#ifndef BRN_GEOM_MOMENTS_H
#define BRN_GEOM_MOMENTS_H

#include "geom/primitive.h"

typedef struct brn_moments {
    double volume;    /* [m^3], 2D [m^2] */
    double centre[3]; /* [m] */
    double second[9]; /* integral of (x - centre)(x - centre)', row-major */
} brn_moments;

/* Of a shape in its own frame, exact. False for a half-space, which has no end, and for none. */
bool brn_moments_of_primitive(const brn_primitive *shape, brn_moments *out);

/* Integrals of 1, x and x x' about `origin`, a point near the body, so that little cancels; start with zeros. */
typedef struct brn_moment_sums {
    double origin[3];
    double one, first[3], second[9];
} brn_moment_sums;

/* Adds what a closed surface of triangles [ntri][3] that face outwards encloses: the tetrahedra of every triangle with the
   origin, signed. For a linear tetrahedron of volume V the integrals are V/4 sum x_a and V/20 (sum x_a x_a' + (sum x_a)(sum x_b)'). */
void brn_moment_sums_add_surface(brn_moment_sums *sums, const double (*pos)[3], const int (*tri)[3],
                                 int ntri);
/* False if the volume is not a number > 0. */
bool brn_moments_of_sums(const brn_moment_sums *sums, brn_moments *out);

#endif
