/* Mollifier of edge-edge terms [Li et al. 2020]: the distance of two edges has no gradient where they are
   parallel, so a term of theirs is multiplied by m, which falls to 0 there with a bounded slope.
   Nodes a0, a1, b0, b1; c = |a x b|^2 with a = x[1] - x[0], b = x[3] - x[2] in [m^4]. */
#ifndef BRN_GEOM_MOLLIFIER_H
#define BRN_GEOM_MOLLIFIER_H

/* eps = 1e-3 |a|^2 |b|^2 of the rest shape [m^4]. */
double brn_mollifier_threshold(const double rest[4][3]);
/* m = (c/eps) (2 - c/eps) where c < eps, else 1; eps = 0: m = 1. Value; with gradient; with gradient and Hessian
   (row-major, symmetric). */
double brn_mollifier(const double x[4][3], double eps);
double brn_mollifier_gradient(const double x[4][3], double eps, double g[12]);
double brn_mollifier_hessian(const double x[4][3], double eps, double g[12], double h[144]);

#endif
