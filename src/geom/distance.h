/* Squared distances of the pairs of contact, their derivatives, and which smooth form applies where.

   Four forms are smooth functions of their nodes:
     point-point  p, q            |p - q|^2
     point-line   p, e0, e1       distance from the line through e0, e1
     point-plane  p, t0, t1, t2   distance from the plane through t0, t1, t2
     line-line    a0, a1, b0, b1  distance of the two lines
   The distance of a point and an edge, a point and a triangle, or two edges is always one of them on some of the
   nodes: brn_classify_* finds which one, as a stencil. It is continuous across the boundaries between the cases, and
   once differentiable except where edges are parallel (see geom/mollifier.h).

   With closest points written as n = sum_i w_i x_i (n: from one closest point to the other, w: barycentric weights
   with sign), d^2 = min |n|^2 over the free parameters, so that the gradient is 2 w_i n (envelope theorem) and
     H_ij = 2 (w_i w_j I - f_i G^-1 f_j'),  f_i = [w_i,u n + w_i n_u, w_i,v n + w_i n_v],  G = [n_u n_v]'[n_u n_v].

   Nodes are x[k][3] in [m]; 2D uses z = 0. Lengths between 1e-70 and 1e70 m are in range; 1e-6 to 1e6 is tested.
   Absolute error of d: a few roundings u of the largest
   difference L of two nodes, (u / sine)^2 L where sides meet at a sine below 1e-8, 1e-10 L below a sine of 1e-10. The forms of lines and planes are not
   finite where the line or plane is not defined; a stencil never leads there. */
#ifndef BRN_GEOM_DISTANCE_H
#define BRN_GEOM_DISTANCE_H

#include <stdint.h>

/* ---- the smooth forms: value; value and gradient; value, gradient and Hessian (row-major, symmetric) ----------- */

double brn_distance_point_point2(const double x[2][3]);
double brn_distance_point_point2_gradient(const double x[2][3], double g[6]);
double brn_distance_point_point2_hessian(const double x[2][3], double g[6], double h[36]);

double brn_distance_point_line2(const double x[3][3]);
double brn_distance_point_line2_gradient(const double x[3][3], double g[9]);
double brn_distance_point_line2_hessian(const double x[3][3], double g[9], double h[81]);

double brn_distance_point_plane2(const double x[4][3]);
double brn_distance_point_plane2_gradient(const double x[4][3], double g[12]);
double brn_distance_point_plane2_hessian(const double x[4][3], double g[12], double h[144]);

double brn_distance_line_line2(const double x[4][3]);
double brn_distance_line_line2_gradient(const double x[4][3], double g[12]);
double brn_distance_line_line2_hessian(const double x[4][3], double g[12], double h[144]);

/* ---- which form applies ---------------------------------------------------------------------------------------- */

typedef enum brn_pair { BRN_PAIR_PP, BRN_PAIR_PE, BRN_PAIR_PT, BRN_PAIR_EE } brn_pair;

/* A form and the local numbers of its nodes, in the form's order; `count` of them, the rest 0. */
typedef struct brn_stencil {
    uint8_t kind; /* brn_pair */
    uint8_t count;
    uint8_t node[4];
} brn_stencil;

/* Point-edge: p, e0, e1 -> PP (p, e0 or e1) or PE. */
brn_stencil brn_classify_point_edge(const double x[3][3]);
/* Point-triangle: p, t0, t1, t2 -> PP, PE or PT. A triangle whose sides at t0 meet at a sine below 1e-10 counts as
   its three edges. */
brn_stencil brn_classify_point_triangle(const double x[4][3]);
/* Edge-edge: a0, a1, b0, b1 -> PP, PE or EE. Below a sine of 1e-10 between the edges, PP or PE. */
brn_stencil brn_classify_edge_edge(const double x[4][3]);

/* The form of a stencil on nodes x (all local nodes, those of the stencil are picked). g and h have the size of the
   stencil, 3 count and (3 count)^2; order 0 ignores both, order 1 ignores h. */
double brn_stencil_distance2(brn_stencil stencil, const double x[][3], int order, double *g, double *h);
/* Weights w of the stencil's nodes, in its order, and n = sum_i w_i x_i between the closest points, |n|^2 = d^2:
   normal of contact, and the relative velocity of the closest points is sum_i w_i v_i. Returns d^2. */
double brn_stencil_closest(brn_stencil stencil, const double x[][3], double w[4], double n[3]);

/* True squared distances, and with their gradients in all nodes (0 for those that do not take part). */
double brn_distance_point_edge2(const double x[3][3]);
double brn_distance_point_triangle2(const double x[4][3]);
double brn_distance_edge_edge2(const double x[4][3]);
double brn_distance_point_edge2_gradient(const double x[3][3], double g[9]);
double brn_distance_point_triangle2_gradient(const double x[4][3], double g[12]);
double brn_distance_edge_edge2_gradient(const double x[4][3], double g[12]);

#endif
