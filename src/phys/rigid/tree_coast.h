/* Free motion of trees: what inertia and a constant field make of positions and velocities. */
#ifndef BRN_PHYS_RIGID_TREE_COAST_H
#define BRN_PHYS_RIGID_TREE_COAST_H

#include "phys/rigid/tree.h"

/* v with out = brn_tree_advance(from, v, h) = to; turns by at most half a revolution where joints turn about three axes. */
void brn_tree_between(const brn_tree *tree, const double *from, const double *to, double h, double *v);

/* Integrates M dv/dt + bias = 0 over h from q, v to the ends q_end, v_end, with steps of its own that keep the error of the velocities near
   1e-10 of them: Dormand and Prince's pair of orders 5 and 4, on rotation vectors where joints turn about three axes [Munthe-Kaas 1999].
   `motion` is used as scratch. BRN_ERR_CONVERGENCE if it takes more than a thousand steps. */
brn_status brn_tree_coast(const brn_tree *tree, brn_tree_motion *motion, const double *q, const double *v,
                          const double gravity[3], double h, double *q_end, double *v_end);

#endif
