/* Orientation of points, with the exact sign.

   Range: coordinates of magnitude up to 2^330 (2e99), and either 0 or at least 2^-305 (2e-92). Smaller ones are rounded
   to multiples of 2^-356 (7e-108) where the exact sum is needed, so that the sign may come out as 0 for points that are
   that near to a line or plane. For larger coordinates and NaN the sign is arbitrary. */
#ifndef BRN_GEOM_PREDICATES_H
#define BRN_GEOM_PREDICATES_H

#define BRN_PREDICATE_LARGEST 0x1p330

/* Sign of det [b - a, c - a] of the first two coordinates: 1 if a, b, c turn left, 0 if they are collinear. */
int brn_orient2d(const double a[2], const double b[2], const double c[2]);
/* Sign of det [b - a, c - a, d - a]: 1 if d lies on the side of the normal (b - a) x (c - a), 0 if they are coplanar. */
int brn_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);
/* The same without exact arithmetic: 0 if rounding errors may matter. */
int brn_orient3d_filter(const double a[3], const double b[3], const double c[3], const double d[3]);

#endif
