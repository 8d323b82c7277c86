/* Symplectic Euler: v' = v + h M^-1 (loads + M g - gradient - D v) at x, then x' = x + h v'. Held dofs follow their
   motion; with a consistent mass their acceleration (v_held(t+h) - v)/h pulls on the free ones. */
#include "step/none/none.h"

#include "base/os.h"

#include <math.h>
#include <string.h>

/* none->step = accelerations; none->rhs = reactions of the holds. */
static brn_status accelerations(brn_none *none, const brn_state *in, double t, double h, brn_step_info *info)
{
    brn_system *s = none->system;
    const brn_model *model = none->model;
    const int dim = model->dim;
    const size_t bytes = (size_t)s->ndof * sizeof(double);
    const double started = brn_wall_time();
    memset(none->elastic, 0, bytes);
    memset(none->damping, 0, bytes);
    memset(none->step, 0, bytes);
    BRN_TRY(brn_system_elastic(s, in->node_pos, BRN_TANGENT_EXACT, NULL, none->elastic, NULL));
    BRN_TRY(brn_none_loads(none, in->node_pos, t, none->load, NULL));
    if (s->damping != NULL) {
        BRN_TRY(brn_system_damping_update(s, in->node_pos));
        brn_system_pack(s, in->node_vel, none->trial);
        BRN_TRY(brn_block_matrix_multiply(s->damping, none->trial, none->damping));
    }
    info->phases.assembly += brn_wall_time() - started;
    for (int n = 0; n < model->nhold; ++n) {
        const brn_hold *hold = &model->hold[n];
        for (int k = 0; k < hold->nnode; ++k) {
            const int a = hold->node[k];
            double vel[3];
            brn_motion_place(&hold->motion, model->rest[a], t + h, NULL, vel);
            for (int i = 0; i < dim; ++i) {
                if (hold->axes >> i & 1u) {
                    none->step[a * dim + i] = (vel[i] - in->node_vel[3 * a + i]) / h;
                }
            }
        }
    }
    for (int i = 0; i < s->ndof; ++i) {
        none->damping[i] *= -1.0;
        none->trial[i] = none->load[i] + none->gravity[i] + none->damping[i] - none->elastic[i];
    }
    const double assembled = brn_wall_time();
    BRN_TRY(brn_system_mass_solve(s, none->trial, none->step));
    BRN_TRY(brn_system_mass_apply(s, none->step, none->inertia));
    info->phases.solve += brn_wall_time() - assembled;
    for (int i = 0; i < s->ndof; ++i) {
        none->rhs[i] = none->inertia[i] - none->trial[i];
    }
    return BRN_OK;
}

/* Held dofs: exactly where their motion puts them. */
static void place_held(const brn_none *none, double t, brn_state *out)
{
    const brn_model *model = none->model;
    for (int n = 0; n < model->nhold; ++n) {
        const brn_hold *hold = &model->hold[n];
        for (int k = 0; k < hold->nnode; ++k) {
            const int a = hold->node[k];
            double pos[3];
            brn_motion_place(&hold->motion, model->rest[a], t, pos, NULL);
            for (int i = 0; i < model->dim; ++i) {
                if (hold->axes >> i & 1u) {
                    out->node_pos[3 * a + i] = pos[i];
                }
            }
        }
    }
}

brn_status brn_none_step_explicit(brn_none *none, const brn_state *in, double t, double h, brn_state *out,
                                  brn_step_info *info)
{
    const int dim = none->model->dim;
    BRN_TRY(accelerations(none, in, t, h, info));
    const size_t bytes = (size_t)none->model->nnode * 3 * sizeof(double);
    memcpy(out->node_pos, in->node_pos, bytes);
    memcpy(out->node_vel, in->node_vel, bytes);
    double fastest = 0.0;
    for (int dof = 0; dof < none->system->ndof; ++dof) {
        const int at = dof / dim * 3 + dof % dim;
        out->node_vel[at] += h * none->step[dof];
        out->node_pos[at] += h * out->node_vel[at];
        fastest = fmax(fastest, fabs(out->node_vel[at]));
    }
    place_held(none, t + h, out);
    /* A node that crosses the model many times in a step is an unstable step, not physics. Shorter parts would be
       stable but a thousand times slower than the user expects: say what to do instead. */
    if (!(fastest * h < 1e3 * none->system->size)) {
        return brn_fail(
            none->ctx, BRN_ERR_RANGE,
            "t = %g s: symplectic_euler is unstable at this step (a node moved by %g m): `brunt check` "
            "prints the largest stable step",
            t, fastest * h);
    }
    brn_none_write_forces(none, none->load, none->rhs, none->damping, out);
    info->iterations = 1;
    return BRN_OK;
}
