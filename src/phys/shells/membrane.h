/* A membrane: a run of triangles of constant strain in space, of one thickness and one law, stored in batches of BRN_LANES.
   F = dx/dX is 3x2, X in the plane of the triangle at rest, its first axis along the warp; A = F^T F - 1 is twice the Green
   strain. Stresses across the thickness vanish (plane stress), so that every law depends on A alone: energy per rest
   volume W, stress S = dW/dE and tangent C = dS/dE, E = A/2, in the order 11, 22, 12.

   QUADRATIC: W = 1/2 E : C E with constant C. Isotropic: Saint Venant-Kirchhoff in plane stress, C11 = Y/(1 - nu^2),
       C12 = nu C11, C33 = mu; orthotropic: the law of woven cloth, with moduli along warp and weft.
   NEO_HOOKEAN: W = mu/2 (tr F^T F + y - 3) - mu ln J + lambda/2 ln(J)^2 as in phys/materials/neo_hookean.c, where the squared
       stretch across the thickness y makes the stress in it vanish: mu (y - 1) + lambda ln J = 0, J = j sqrt(y),
       j^2 = det F^T F. Since W is stationary in y,

           S = mu (1 - y G),   G = (F^T F)^-1,
           C = 2 mu y (G x G) + 2 lambda mu y / (2 mu y + lambda) G (x) G,   (G x G) E = G E G.

   LIMIT (option): + b(c1) + b(c2) with the squares c of the principal stretches, b = -k r^2 ln(1 - r), r = (c - c_on) / (c_max - c_on):
       zero below c_on, infinite at the limit, C2, convex. Both stretches count, so that it is smooth where they are equal
       (after the strain limit of Li, Kaufman, Jiang 2021, "Codimensional incremental potential contact").

   The Hessian of an element is V (F C F^T-part + S-part): C is positive semi-definite in all laws, and S has a negative
   eigenvalue exactly when the Hessian has one (moving a node out of the plane), so the projection takes the positive part of S. */
#ifndef BRN_PHYS_SHELLS_MEMBRANE_H
#define BRN_PHYS_SHELLS_MEMBRANE_H

#include "phys/group.h"

typedef enum brn_membrane_kind { BRN_MEMBRANE_QUADRATIC, BRN_MEMBRANE_NEO_HOOKEAN } brn_membrane_kind;

typedef struct brn_membrane_law {
    brn_membrane_kind kind;
    double lambda, mu;      /* [Pa] Lame, of the neo-Hookean law */
    double stiffness[6];    /* [Pa] C at rest: 11, 22, 33, 23, 13, 12; 3 = shear, of the angle 2 E12 */
    double limit;           /* largest principal stretch, > 1; 0: none */
    double limit_stiffness; /* [Pa] k of the limit, > 0 */
} brn_membrane_law;

/* The plane stress law from Lame's constants (mu > 0, 3 lambda + 2 mu > 0), without a limit. */
brn_membrane_law brn_membrane_isotropic(brn_membrane_kind kind, double lambda, double mu);
/* Young's moduli of warp and weft, shear modulus [Pa], Poisson's ratio of the weft as the warp is pulled. False unless the law
   is positive definite: poisson^2 weft < warp. */
bool brn_membrane_orthotropic(double warp, double weft, double shear, double poisson, brn_membrane_law *out);

typedef struct brn_membrane {
    brn_element_group group;
    brn_membrane_law law;
    double thickness; /* [m] */
    double limit_on;  /* stretch at which the limit sets in */
    /* of d(rest)/d(reference), [nbatch][2][2][BRN_LANES]; padding lanes repeat the last triangle */
    double *inverse;
    double *volume; /* [m^3], [nbatch][BRN_LANES]; 0 in padding lanes */
} brn_membrane;

/* conn [nelem][3]; warp [nelem][3]: direction of the warp at rest, projected into the plane of its triangle; NULL: the first
   edge. BRN_ERR_MESH names a degenerate triangle, or one whose warp is its normal. */
brn_status brn_membrane_create(brn_ctx *ctx, const brn_membrane_law *law, double thickness,
                               const double (*rest)[3], const int *conn, const double (*warp)[3], int nelem,
                               brn_membrane **out);
void brn_membrane_destroy(brn_membrane *membrane);
extern const brn_group_kind brn_membrane_group_kind;
/* The group as a membrane; NULL if it is of another kind. */
const brn_membrane *brn_membrane_of_group(const brn_element_group *group);

/* As in brn_group_kind. The stress is that of 3D, averaged over the thickness; a quadratic law uses the thickness at rest.
   jacobian: area over rest area, always positive. */
void brn_membrane_eval(const brn_membrane *membrane, const double (*x)[3], int first, int count,
                       brn_tangent tangent, double *energy, double *grad, double *hess);
void brn_membrane_resist(const brn_membrane *membrane, const double (*x)[3], const double (*v)[3], int first,
                         int count, double *out);
void brn_membrane_stress(const brn_membrane *membrane, const double (*x)[3], int first, int count,
                         double *cauchy, double *jacobian, double *energy_density);
/* At a face of the sheet: with moments [count][3] as brn_bending_moments gives them the stress there is that of the membrane
   + side 6 m/t^2, side 1 or -1. */
void brn_membrane_face_stress(const brn_membrane *membrane, const double (*x)[3], int first, int count,
                              const double *moment, double side, double *cauchy);
/* 1 without a limit; else such that at least a tenth of the room to the limit at x0 is left. */
double brn_membrane_bound(const brn_membrane *membrane, const double (*x0)[3], const double (*x1)[3],
                          int first, int count);

/* Triangle geometry at rest, for bending too: edges 1 and 2 from node 0 in the plane, first axis along the warp (NULL: edge
   1), row-major; false if the triangle is degenerate or the warp its normal. */
bool brn_triangle_flatten(const double (*rest)[3], const int node[3], const double *warp, double edge[4]);

#endif
