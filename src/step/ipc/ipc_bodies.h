/* Lengths and stiffnesses of contact. Each body has its own; a pair uses the smaller of its two bodies', an obstacle has
   none. They depend on the body alone and on the gaps that it starts with, eps_v on motions too: a body far away changes nothing.

     size L   diagonal of the body's box at rest
     dhat     c L, c = 1e-3 e between 5e-6 and 1e-3, where the strain e = max(rho g L/E, v/sqrt(E/rho), d/L) is what its weight,
              its initial speed or holds that move apart or together by d will do to it: a thousandth of the deflection. E is
              Young's modulus, of a sheet E (t/L)^2, by which it resists bending. Rigid bodies have no deflection: c = 1e-4. Not above the gap that a pair starts with.
     eps_v    1e-3 L a second, or a thousandth of the speed of the slowest motion, if that is less (but 1e-6 L a second)
     kappa    a tenth of E, of a sheet E t/L, of a rigid body its `stiffness`; raised by impacts:

   an areal mass sigma (of a node: its mass over its surface, of a rigid body: its mass over the surface that may hit) that
   arrives at speed v must be stopped within dhat. To a twelfth of dhat the barrier takes 2 kappa dhat, so

     kappa >= sigma v^2/(4 dhat),

   whatever the time step. */
#ifndef BRN_STEP_IPC_IPC_BODIES_H
#define BRN_STEP_IPC_IPC_BODIES_H

#include "contact/candidates.h"
#include "state/state.h"

typedef struct brn_ipc_body {
    double size;             /* [m] */
    double dhat_start;       /* [m] what was chosen */
    double dhat;             /* [m] of this step: what was chosen when the run began */
    double speed;            /* [m/s] eps_v */
    double kappa_start;      /* [Pa] before any impact */
    double kappa, was;       /* [Pa] of this step; scratch */
    double near;             /* [m] smallest dhat of the pairs that may be in contact in this step */
    double force, stiffness; /* [N], [N/m] largest of its pairs at the last Newton iteration */
    double closest;          /* smallest gap at the end of the step, in dhats of its pair; +inf: none */
} brn_ipc_body;

#endif
