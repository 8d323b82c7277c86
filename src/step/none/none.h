/* Method `none`: elasticity without contact. Implicit and static integrators by Newton's method, symplectic Euler
   explicitly. */
#ifndef BRN_STEP_NONE_NONE_H
#define BRN_STEP_NONE_NONE_H

#include "step/newton.h"

extern const brn_method brn_none_method;

/* One step of symplectic Euler, using the solver's vectors as workspace; fills out's positions, velocities and forces. */
brn_status brn_none_step_explicit(brn_newton *newton, const brn_state *in, double t, double h, brn_state *out,
                                  brn_step_info *info);

#endif
