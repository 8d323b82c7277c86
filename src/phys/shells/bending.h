/* Bending of a triangle mesh by the angles between neighbouring triangles. The shape operator of a triangle is constant; with its
   edges i of length l_i, their outward normals n_i in the plane and the angle phi_i by which the surface turns from the middle of
   the triangle to the middle of edge i (Morley's element; Grinspun, Gingold, Reisman, Zorin 2006, "Computing discrete shape
   operators on general meshes"),

       kappa = 1/area sum_i l_i phi_i n_i n_i^T,        energy = area/2 kappa : D kappa.

   At an edge with neighbours T, T' the two parts make up the angle between the normals: phi + phi' = theta. How they share it
   decides whether the plate converges. Half and half (6 nodes: T and its neighbours) it does only on regular meshes, where any
   two neighbours form a parallelogram; elsewhere the surface cannot follow a constant curvature and is too stiff by any factor,
   however fine the mesh. Here phi_i = sum c theta over the edge and the four other edges of T and T', with c closest to
   (1/2, 0, 0, 0, 0) among those that are exact for every quadratic surface. The energy is that of Morley's element for
   some choice of its edge slopes, hence never below it (stable); constant curvature costs what it should, and constant moments
   are in equilibrium, as every edge has one slope (consistent): it converges, with order 2. A triangle then has 12 nodes: its
   own, its neighbours' and theirs; 6 if its own three angles suffice. docs/validation.md has the measurements.

   Edges without a neighbour are free: their phi makes the moment across them vanish. A triangle marked as clamped
   stays flat, and its edges have its slope: nodes held along a line of triangles clamp the plate at that line.

   In total E = 1/2 |R (theta - theta0)|^2 with a constant 3 x 9 (or 3 x 3) matrix R for each triangle and the exact angles
   theta in (-pi, pi] of the current shape, so that rotating the shell costs nothing and bends may be large. PROJECTED and VISCOUS
   leave out the second derivatives of the angles (Gauss-Newton). */
#ifndef BRN_PHYS_SHELLS_BENDING_H
#define BRN_PHYS_SHELLS_BENDING_H

#include "phys/group.h"

enum { BRN_BENDING_NODES = 12, BRN_BENDING_ANGLES = 9 };

typedef struct brn_bending_options {
    double stiffness[6];     /* [N m] D: 11, 22, 33, 23, 13, 12 as in brn_membrane_law; C t^3/12 of a plate */
    const double (*warp)[3]; /* [nelem][3], as in brn_membrane_create; NULL: first edges */
    const unsigned char *clamped; /* [nelem], nonzero: stays flat; NULL: none */
    bool flat;                    /* unbent when flat, whatever the shape at rest */
    bool hinge; /* angles are shared half and half: 6 nodes, cheap, right only on regular meshes */
} brn_bending_options;

typedef struct brn_bending {
    brn_element_group group; /* nnode: 6 or 12; an existing node stands in for a missing neighbour */
    int nangle;              /* 3 or 9 */
    double *factor;     /* R, [nbatch][3][nangle][BRN_LANES]; 0 in padding lanes and for missing angles */
    double *rest_angle; /* [rad], [nbatch][nangle][BRN_LANES] */
    double *back;       /* from R (theta - theta0) to moments, [nbatch][3][3][BRN_LANES] */
} brn_bending;

/* conn [nelem][3]: all triangles of a surface. BRN_ERR_MESH names a degenerate triangle or an edge of three triangles. */
brn_status brn_bending_create(brn_ctx *ctx, const brn_bending_options *options, const double (*rest)[3],
                              const int *conn, int nelem, brn_bending **out);
void brn_bending_destroy(brn_bending *bending);
extern const brn_group_kind brn_bending_group_kind;
/* The group as a bending; NULL if it is of another kind. */
const brn_bending *brn_bending_of_group(const brn_element_group *group);

/* As eval of brn_group_kind. */
void brn_bending_eval(const brn_bending *bending, const double (*x)[3], int first, int count,
                      brn_tangent tangent, double *energy, double *grad, double *hess);
void brn_bending_resist(const brn_bending *bending, const double (*x)[3], const double (*v)[3], int first,
                        int count, double *out);
/* Moments m = D kappa a length [N], [count][3]: 11, 22, 12 in the axes of the warp at rest. What they stretch on one side of the
   sheet they press on the other. */
void brn_bending_moments(const brn_bending *bending, const double (*x)[3], int first, int count,
                         double *moment);
/* The angles of triangle `element`, [nangle]. */
void brn_bending_angles(const brn_bending *bending, const double (*x)[3], int element, double *angle);

/* Nodes of a triangle's stencil: 0, 1, 2 its own; 3 + i beyond its edge i (the edge opposite to node i), with i1 = i + 1 and
   i2 = i + 2 modulo 3; 6 + 2i beyond edge (3 + i, i2) of that neighbour, 7 + 2i beyond its edge (i1, 3 + i). The angles: i at edge i;
   3 + 2i and 4 + 2i at those two edges. For each: ends a, b of its edge, node c of the triangle on whose left the edge
   runs from a to b, node d beyond. */
extern const unsigned char brn_bending_hinge[BRN_BENDING_ANGLES][4];

#endif
