/* Parts of Newton's method that stand in files of their own. */
#ifndef BRN_STEP_NEWTON_INNER_H
#define BRN_STEP_NEWTON_INNER_H

#include "step/newton.h"

/* Time goes to that phase from now on; returns the one before. */
double *brn_newton_watch(brn_newton *n, double *phase);
/* Largest magnitude; NaN if one is. */
double brn_newton_most(const double *v, int n);
/* n->noise, and that of each part, of the positions at n->y. */
void brn_newton_set_noise(brn_newton *n);
/* Largest unbalanced force of a free dof, as a multiple of what the stopping test allows; *residual: relative to the largest force. */
double brn_newton_imbalance(const brn_newton *n, double *residual);
/* Counts an iteration; an error when the step has cost more than its budget. */
brn_status brn_newton_spend(brn_newton *n);
/* Name of the body that n->step moves most. */
const char *brn_newton_moving(const brn_newton *n);
/* The error of a solve that did not converge. */
brn_status brn_newton_give_up(const brn_newton *n, int iterations, double residual);
/* Largest remaining distance of a held dof; 0 when all are in place. */
double brn_newton_remaining(const brn_newton *n);

/* ---- newton_potential.c ---- */

/* The spring of a hand at y; false: nothing is dragged. */
bool brn_newton_pull(const brn_newton *n, const double *y, brn_pull *out);
/* The positions that elements see, from n->x. */
const double *brn_newton_seen(brn_newton *n);
static inline int brn_newton_parts(const brn_newton *n)
{
    return n->part != NULL ? n->model->nbody : 1;
}

static inline int brn_newton_part(const brn_newton *n, int dof)
{
    return n->part != NULL ? n->part[dof / n->model->dim] : 0;
}

/* [m] */
static inline double brn_newton_noise(const brn_newton *n, int dof)
{
    return n->part != NULL ? n->part_noise[n->part[dof / n->model->dim]] : n->noise;
}

/* The potentials of all parts at y without their loads and what is carried. */
brn_status brn_newton_potential(brn_newton *n, const double *y, brn_newton_energy *out);
/* Forces at n->y; n->unbalanced follows. tangent, may be NULL: that of the elements goes into the system's matrix in the same pass, for
   brn_newton_complete. */
brn_status brn_newton_forces(brn_newton *n, const brn_tangent *tangent);
/* n->unbalanced from the forces as they stand. */
void brn_newton_sum(brn_newton *n);
/* n->carried: the share of loads and elements at x^n. */
brn_status brn_newton_carry(brn_newton *n, const brn_state *in);

/* ---- newton_tangent.c ---- */

/* n->matrix: the Hessian of the potential at n->x, condensed. */
brn_status brn_newton_assemble(brn_newton *n, brn_tangent tangent);
/* The same where the system's matrix has the elements' tangent already. */
brn_status brn_newton_complete(brn_newton *n, brn_tangent tangent);
/* n->step = Newton's direction with the exact tangent or the projected one. If the exact one is indefinite and the parameters do not
   insist on it, the projected one is used and *projected becomes true. */
brn_status brn_newton_direction(brn_newton *n, bool *projected, brn_step_info *info);

/* There is none any more, until it is wanted again. */
void brn_newton_drop_factor(brn_newton *n);
/* The factor is there, without values: what it will cost is known. */
brn_status brn_newton_analyse(brn_newton *n);
/* The factor for elements and damping at z [nnode][3] by the scheme's rule, whose own damping is there again afterwards. Without hands, and loads that
   have a stiffness. */
brn_status brn_newton_remake(brn_newton *n, const double *z, bool projected);
/* n->step by the factor of an earlier iteration as it is. */
brn_status brn_newton_again(brn_newton *n);

/* ---- newton_turn.c ---- */

/* Changes a step (packed, from positions x [nnode][3]) that turns deformable bodies along straight lines into one that ends with them truly turned: the
   same to first order. Held dofs go as they did. Returns the largest turn [rad]. */
double brn_newton_turn(const brn_newton *n, const double *x, double *step);

/* ---- newton_search.c ---- */

/* Moves y along the step, which is the last one or not; here: the potentials of all parts at y, in and out; *length [m]: of the largest
   move. */
brn_status brn_newton_search(brn_newton *n, bool last, brn_newton_energy *here, double *length);

#endif
