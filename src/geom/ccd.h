/* Continuous collision detection of nodes that move linearly, x(t) = x0 + t (x1 - x0): how far may they go?

   Additive CCD [Li, Kaufman, Jiang 2021]: step by a lower bound of the time of impact, measure again,
   add. The bound here follows the current normal instead of the speeds alone [Mirtich 1996]: a direction n separates
   the pair by min_k n.r_k(t) over the vertices r_k of their difference (geom/difference.h), a linear function of t
   for each k, so the time at which the first of them falls to the wanted distance is exact for that n and never
   shorter than the bound by speeds. Only differences of nodes enter: a common motion has no effect but its rounding.

   Guarantee. Let d0 be the distance at t = 0. On all of [0, t], t the returned value, the distance of the exact
   linear motion is at least dmin + keep (d0 - dmin). Either t = t_max, or going on would soon break it: at t the
   distance is below dmin + 1.3 keep (d0 - dmin), or 200 iterations (12 of the 113-bit ones below) were spent, or
   rounding (1e-14 of the largest difference of two nodes) allows no better. There is no false negative: n may be
   wrong without harm, as every step is certified by dot products with rounding bounds (ccd_loop.h has them).
   t > 0 whenever d0 - dmin > 1e-29 of the largest difference at t = 0 (below about 1e-14 the certificate is
   computed in 113-bit arithmetic, where the platform has it; else the limit is 1e-17); not so for
   triangles and pairs of edges whose sides meet at a smaller sine than 1e-27.
   t = 0: the start is not separated (d0 <= dmin up to that limit), or an argument is not a number, infinite, dmin < 0
   or t_max <= 0.
   A caller that computes x0 + t (x1 - x0) rounds; it is safe while the kept gap exceeds rounding of its coordinates.

   keep is held in [1e-3, 0.9], dmin >= 0 [m]. Any scale: numbers up to 1e308, down to 1e-290; 2D uses z = 0. */
#ifndef BRN_GEOM_CCD_H
#define BRN_GEOM_CCD_H

/* Nodes: p, q | p, e0, e1 | p, t0, t1, t2 | a0, a1, b0, b1. */
double brn_ccd_point_point(const double x0[2][3], const double x1[2][3], double dmin, double keep,
                           double t_max);
double brn_ccd_point_edge(const double x0[3][3], const double x1[3][3], double dmin, double keep,
                          double t_max);
double brn_ccd_point_triangle(const double x0[4][3], const double x1[4][3], double dmin, double keep,
                              double t_max);
double brn_ccd_edge_edge(const double x0[4][3], const double x1[4][3], double dmin, double keep,
                         double t_max);

#endif
