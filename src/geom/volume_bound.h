/* How far may nodes move linearly, x(t) = x0 + t (x1 - x0), before a signed volume, or the distance of a point from a
   moving plane, falls below a wanted part of what it was? For elements that must not turn inside out, and half-spaces.

   The volume V(t) is a cubic. In the Bernstein basis of an interval it lies above the lower hull of its coefficients,
   which are lowered by a bound of their rounding: an interval is proved by four signs, and else the place where the
   hull falls to zero is reached safely. Most calls end at the first four signs, over all of [0, t_max].

   Guarantee. On all of [0, t], t the returned value, the exact linear motion has V >= keep V(0) (distance >= dmin +
   keep (d0 - dmin)). There is no false negative. Either t = t_max, or going on would soon break it: at t the volume
   is below (keep + 0.001) V(0) (the distance below dmin + (keep + 0.001) (d0 - dmin)), or a lower hull over the next
   1e-6 t could not prove it, or 100 intervals were looked at.
   t > 0 whenever (1 - keep) V(0) > 1e-14 L^3, L^3 the product of the sums of absolute components of the three edges
   from node 0 (area: L^2 of two edges; plane and line: (1 - keep) (d0 - dmin) |N| > 1e-14 (L^3 + 2 dmin L^2), N the
   cross product of the edges from node 1, or the edge, L^2 the product of theirs). Where the edges of one element
   differ by more than 1e80 in size the limit is higher. Rounding grows with t_max^3 beyond t_max = 1.
   t = 0: V(0) <= 0 (d0 <= dmin) up to that limit, or an argument is not a number or infinite, or t_max <= 0.

   keep is held in [0, 0.99], t_max in (0, 1e6], dmin >= 0 [m]. Any scale: numbers up to 1e308. */
#ifndef BRN_GEOM_VOLUME_BOUND_H
#define BRN_GEOM_VOLUME_BOUND_H

/* det [x_1 - x_0, x_2 - x_0, x_3 - x_0] and, of the first two coordinates, det [x_1 - x_0, x_2 - x_0]. */
double brn_bound_tet_volume(const double x0[4][3], const double x1[4][3], double keep, double t_max);
double brn_bound_tri_area(const double x0[3][3], const double x1[3][3], double keep, double t_max);

/* Distance of node 0 from the infinite plane through the nodes 1, 2, 3, positive on the side of
   (x_2 - x_1) x (x_3 - x_1). Linear in t, and met within rounding, while that normal stays the same. */
double brn_bound_plane(const double x0[4][3], const double x1[4][3], double dmin, double keep, double t_max);
/* 2D, first two coordinates: of node 0 from the line through the nodes 1, 2, positive on the left of 1 -> 2. */
double brn_bound_line(const double x0[3][3], const double x1[3][3], double dmin, double keep, double t_max);

#endif
