/* How far apart two convex parts are at least: a lower bound that holds in spite of rounding. */
#ifndef BRN_GEOM_SEPARATION_H
#define BRN_GEOM_SEPARATION_H

/* A lower bound [m] of the distance of a pair, by the nodes of geom/distance.h: p, q | p, e0, e1 | p, t0, t1, t2 | a0, a1,
   b0, b1 (edges). It is the width of a slab between the two parts, less rounding: within a few roundings of the distance,
   except for narrow shapes, where it may be less. 0 where no bound is certain. */
double brn_separation(const double x[][3], int count, int edges);

#endif
