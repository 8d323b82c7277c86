/* Continuous collision detection by inclusion [Wang et al. 2021]: the reference that the fast one (geom/ccd.h) is
   checked against, and a prover of separation.

   The nodes move linearly, x(t) = x0 + t (x1 - x0). The vector between a point of one side and a point of the other
   is F(t, u, v), linear in each of t, u, v alone, so that over a box of parameters it lies in the bounding box of
   its eight corner values, enlarged by their rounding error. Boxes whose image keeps farther than dmin from the
   origin are dropped, others halved along the parameter that moves the image most; always the box with the earliest
   time first.

   There is no false negative. `collides` is false only where every box was dropped, which proves that the distance
   exceeds dmin on all of [0, t_max]. Otherwise `time` bounds the first contact from below: none happens on [0,
   time). It is the start of a box whose image is smaller than `tolerance` [m] in every direction and comes within
   dmin, or, once BRN_INTERVAL_CHECKS boxes were looked at or BRN_INTERVAL_BOXES wait, the earliest time not excluded
   (`exhausted`). An argument that is not a number or is infinite: collides at time 0, exhausted. t_max is held in
   [0, 1]. */
#ifndef BRN_GEOM_CCD_INTERVAL_H
#define BRN_GEOM_CCD_INTERVAL_H

#include <stdbool.h>

enum { BRN_INTERVAL_BOXES = 2048, BRN_INTERVAL_CHECKS = 1 << 17 };

typedef struct brn_interval_hit {
    bool collides, exhausted;
    double time;
    int checks; /* boxes looked at */
} brn_interval_hit;

/* Nodes as in geom/ccd.h. Uses about 64 kB of stack and nothing else. */
brn_interval_hit brn_interval_point_point(const double x0[2][3], const double x1[2][3], double dmin,
                                          double tolerance, double t_max);
brn_interval_hit brn_interval_point_edge(const double x0[3][3], const double x1[3][3], double dmin,
                                         double tolerance, double t_max);
brn_interval_hit brn_interval_point_triangle(const double x0[4][3], const double x1[4][3], double dmin,
                                             double tolerance, double t_max);
brn_interval_hit brn_interval_edge_edge(const double x0[4][3], const double x1[4][3], double dmin,
                                        double tolerance, double t_max);

#endif
