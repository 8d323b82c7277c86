/* Loads and weights as Newton's method sees them, and the forces of a state that was set from outside. */
#include "step/newton.h"

#include <string.h>

brn_status brn_newton_weigh(brn_newton *n)
{
    const double *gravity = n->system->controls->gravity;
    if (memcmp(n->weighed, gravity, sizeof n->weighed) == 0) {
        return BRN_OK;
    }
    for (int dof = 0; dof < n->system->ndof; ++dof) {
        n->trial[dof] = gravity[dof % n->model->dim];
    }
    memcpy(n->weighed, gravity, sizeof n->weighed);
    return brn_system_mass_apply(n->system, n->trial, n->gravity);
}

brn_status brn_newton_loads(brn_newton *n, const double *x, double t, double *force, brn_block_matrix *matrix)
{
    memset(force, 0, (size_t)n->system->ndof * sizeof *force);
    BRN_TRY(brn_system_loads(n->system, x, t, force, matrix));
    if (n->model->integrator == BRN_STATIC) {
        const double factor = brn_system_gravity_share(n->system, t);
        for (int dof = 0; dof < n->system->ndof; ++dof) {
            force[dof] += factor * n->gravity[dof];
        }
    }
    brn_model_lead(n->model, force);
    return BRN_OK;
}

void brn_newton_write_forces(const brn_newton *n, const double *load, const double *react,
                             const double *damping, brn_state *out)
{
    const int dim = n->model->dim;
    double *const arrays[] = {out->node_load, out->node_react, out->node_damp};
    for (int i = 0; i < BRN_COUNT(arrays) && dim == 2; ++i) {
        memset(arrays[i], 0, (size_t)n->model->nnode * 3 * sizeof(double)); /* z */
    }
    for (int dof = 0; dof < n->system->ndof; ++dof) {
        const int at = dof / dim * 3 + dof % dim;
        out->node_load[at] = load[dof];
        out->node_react[at] = n->model->fixed[dof] == BRN_DOF_HELD ? react[dof] : 0.0;
        out->node_damp[at] = damping[dof];
    }
}

/* Initial accelerations M a = loads + M g - gradient - D v, for Newmark, and the forces of the initial state. Held
   dofs start without acceleration: a sudden start of their motion belongs to the first step. */
brn_status brn_newton_reset(brn_newton *n, brn_state *state, double t)
{
    brn_system *s = n->system;
    const int ndof = s->ndof;
    brn_state_forget_all(state);
    memset(n->elastic, 0, (size_t)ndof * sizeof(double));
    memset(n->damping, 0, (size_t)ndof * sizeof(double));
    memset(n->step, 0, (size_t)ndof * sizeof(double));
    BRN_TRY(brn_system_elastic(s, state->node_pos, BRN_TANGENT_EXACT, NULL, n->elastic, NULL));
    BRN_TRY(brn_newton_weigh(n));
    BRN_TRY(brn_newton_loads(n, state->node_pos, t, n->load, NULL));
    brn_system_drag(s, state->node_pos, state->node_vel, n->load);
    const bool dynamic = n->model->integrator != BRN_STATIC;
    if (s->damping != NULL && dynamic) {
        BRN_TRY(brn_system_damping_update(s, state->node_pos));
        brn_system_pack(s, state->node_vel, n->trial);
        BRN_TRY(brn_block_matrix_multiply(s->damping, n->trial, n->damping));
    }
    memset(n->extra, 0, (size_t)ndof * sizeof(double));
    if (n->terms != NULL) {
        BRN_TRY(n->terms->gradient(n->terms->self, state->node_pos, n->extra));
        brn_model_lead(n->model, n->extra);
    }
    for (int dof = 0; dof < ndof; ++dof) {
        n->damping[dof] *= -1.0;
        n->rhs[dof] = n->load[dof] + n->damping[dof] - n->elastic[dof] - n->extra[dof] +
                      (dynamic ? n->gravity[dof] : 0.0);
    }
    memset(n->inertia, 0, (size_t)ndof * sizeof(double));
    if (n->model->integrator == BRN_NEWMARK) {
        double *acceleration = NULL;
        BRN_TRY(brn_system_mass_solve(s, n->rhs, n->step));
        BRN_TRY(brn_state_remember(state, "newmark.acceleration", (size_t)ndof, &acceleration));
        memcpy(acceleration, n->step, (size_t)ndof * sizeof(double));
        BRN_TRY(brn_system_mass_apply(s, n->step, n->inertia));
    }
    for (int dof = 0; dof < ndof; ++dof) {
        n->rhs[dof] = n->inertia[dof] - n->rhs[dof]; /* what the holds must supply */
    }
    brn_newton_write_forces(n, n->load, n->rhs, n->damping, state);
    return BRN_OK;
}
