/* Boundary faces under load: shape functions and quadrature of the face kinds (edges in 2D, triangles and quads in 3D),
   consistent nodal forces of a dead traction, and the follower pressure with its tangent.

   Pressure p (positive pushes into the body) on a face x(xi, eta) = sum N_a x_a, oriented outwards:
       f_a = -p int N_a (x,xi x x,eta) dxi deta
       df_a/dx_b = -p int N_a (N_b,eta [x,xi]x - N_b,xi [x,eta]x) dxi deta
   In 2D (unit depth, solid on the left of the edge) the area vector of x(xi) is (y,xi, -x,xi).
   The tangent of a patch is symmetric only if the patch is closed or its rim is held; callers that need a symmetric
   matrix take the symmetric part. */
#ifndef BRN_PHYS_FORCES_FACE_H
#define BRN_PHYS_FORCES_FACE_H

#include "geom/cell.h"

enum { BRN_FACE_NODES_MAX = 8 };

/* Nodal forces [nnode][3] of the traction (force per rest area) on the face with corner positions x[nnode][3]. */
void brn_face_traction(brn_cell face, const double (*x)[3], const double traction[3], double (*force)[3]);

/* Area (3D) or length (2D) of the face. */
double brn_face_area(brn_cell face, const double (*x)[3]);

/* Follower pressure: force [nnode][dim] and, where not NULL, its symmetrised stiffness -(df/dx + df/dx^T)/2 as blocks
   a <= b of size dim x dim, ordered by a then b. dim is 3 for triangles and quads, 2 for edges. */
void brn_face_pressure(brn_cell face, const double (*x)[3], double pressure, double *force,
                       double *stiffness);
/* The same without symmetrisation: tangent[nnode*dim][nnode*dim] = df/dx. For checks. */
void brn_face_pressure_tangent(brn_cell face, const double (*x)[3], double pressure, double *tangent);

#endif
