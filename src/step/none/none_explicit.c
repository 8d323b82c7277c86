/* Symplectic Euler: v' = v + h M^-1 (loads + M g - gradient - D v) at x, then x' = x + h v'. Held dofs follow their
   motion; with a consistent mass their acceleration (v_held(t+h) - v)/h pulls on the free ones. */
#include "step/none/none.h"

#include <math.h>
#include <string.h>

/* n->step = accelerations; n->unbalanced = what the holds must supply. */
static brn_status accelerations(brn_newton *n, const brn_state *in, double t, double h)
{
    brn_system *s = n->system;
    const brn_model *model = n->model;
    const int dim = model->dim;
    const size_t bytes = (size_t)s->ndof * sizeof(double);
    brn_stopwatch *watch = &s->watch;
    double *was = brn_stopwatch_switch(watch, &watch->phases.assembly);
    memset(n->elastic, 0, bytes);
    memset(n->damping, 0, bytes);
    memset(n->step, 0, bytes);
    BRN_TRY(brn_system_elastic(s, in->node_pos, BRN_TANGENT_EXACT, NULL, n->elastic, NULL));
    BRN_TRY(brn_newton_weigh(n));
    BRN_TRY(brn_newton_loads(n, in->node_pos, brn_model_after(n->model, t, h), n->load, NULL));
    brn_system_drag(s, in->node_pos, in->node_vel, n->load);
    if (s->damping != NULL) {
        BRN_TRY(brn_system_damping_update(s, in->node_pos));
        brn_system_pack(s, in->node_vel, n->scratch);
        BRN_TRY(brn_block_matrix_multiply(s->damping, n->scratch, n->damping));
    }
    for (int which = 0; which < model->nhold; ++which) {
        const brn_hold *hold = &model->hold[which];
        for (int k = 0; k < hold->nnode; ++k) {
            const int a = hold->node[k];
            const int row = model->node_row[a];
            double vel[3];
            brn_controls_place(s->controls, which, a, t + h, NULL, vel);
            for (int i = 0; i < dim && row >= 0; ++i) {
                if ((hold->axes >> i & 1u) != 0 && model->fixed[row * dim + i] == BRN_DOF_HELD) {
                    n->step[row * dim + i] = (vel[i] - in->node_vel[3 * a + i]) / h;
                }
            }
        }
    }
    for (int i = 0; i < s->ndof; ++i) {
        n->damping[i] *= -1.0;
        n->scratch[i] = n->load[i] + n->gravity[i] + n->damping[i] - n->elastic[i];
    }
    (void)brn_stopwatch_switch(watch, &watch->phases.solve);
    BRN_TRY(brn_system_mass_solve(s, n->scratch, n->step));
    BRN_TRY(brn_system_mass_apply(s, n->step, n->inertia));
    (void)brn_stopwatch_switch(watch, was);
    for (int i = 0; i < s->ndof; ++i) {
        n->unbalanced[i] = n->scratch[i] - n->inertia[i];
    }
    brn_newton_weld(n);
    for (int i = 0; i < s->ndof; ++i) {
        n->unbalanced[i] *= -1.0;
    }
    return BRN_OK;
}

/* Tied nodes go where their masters went. */
static void place_tied(const brn_model *model, const brn_state *in, brn_state *out)
{
    const brn_ties *ties = &model->ties;
    for (int tie = 0; tie < ties->count; ++tie) {
        for (int i = 0; i < model->dim; ++i) {
            double way = 0.0;
            for (int k = ties->start[tie]; k < ties->start[tie + 1]; ++k) {
                const int at = 3 * ties->master[k] + i;
                way += ties->weight[k] * (out->node_pos[at] - in->node_pos[at]);
            }
            out->node_pos[3 * ties->node[tie] + i] = in->node_pos[3 * ties->node[tie] + i] + way;
        }
    }
    brn_model_follow_nodes(model, out->node_vel);
}

/* Held dofs: exactly where their motion puts them. */
static void place_held(const brn_newton *n, double t, brn_state *out)
{
    const brn_model *model = n->model;
    for (int which = 0; which < model->nhold; ++which) {
        const brn_hold *hold = &model->hold[which];
        for (int k = 0; k < hold->nnode; ++k) {
            const int a = hold->node[k];
            double pos[3];
            double vel[3];
            brn_controls_place(n->system->controls, which, a, t, pos, vel);
            for (int i = 0; i < model->dim; ++i) {
                const int row = model->node_row[a];
                const bool free = row >= 0 && model->fixed[row * model->dim + i] == BRN_DOF_FREE;
                if ((hold->axes >> i & 1u) != 0 && !free) {
                    out->node_pos[3 * a + i] = pos[i];
                }
                if (model->node_row[a] < 0) { /* it has no acceleration that brought it there */
                    out->node_vel[3 * a + i] = vel[i];
                }
            }
        }
    }
}

brn_status brn_none_step_explicit(brn_newton *n, const brn_state *in, double t, double h, brn_state *out,
                                  brn_step_info *info)
{
    BRN_TRY(accelerations(n, in, t, h));
    const size_t bytes = (size_t)n->model->nnode * 3 * sizeof(double);
    memcpy(out->node_pos, in->node_pos, bytes);
    memcpy(out->node_vel, in->node_vel, bytes);
    double fastest = 0.0;
    for (int dof = 0; dof < n->system->ndof; ++dof) {
        const int at = brn_model_at(n->model, dof);
        out->node_vel[at] += h * n->step[dof];
        out->node_pos[at] += h * out->node_vel[at];
        fastest = fmax(fastest, fabs(out->node_vel[at]));
    }
    place_held(n, t + h, out);
    place_tied(n->model, in, out);
    /* A node that crosses the model many times in a step means instability, not physics. Shorter parts would be stable
       but a thousand times slower than the user expects: say what to do instead. */
    if (!(fastest * h < 1e3 * n->system->size)) {
        return brn_fail(
            n->ctx, BRN_ERR_RANGE,
            "t = %g s: symplectic_euler is unstable at this step (a node moved by %g m): `brunt check` "
            "prints the largest stable step",
            t, fastest * h);
    }
    BRN_TRY(brn_newton_write(n, n->load, n->unbalanced, n->damping, out));
    info->books = brn_scheme_books(BRN_SYMPLECTIC_EULER, BRN_SYMPLECTIC_EULER);
    info->books.dissipated = brn_newton_dissipated(n, in, out, &info->books);
    info->iterations = 1;
    return BRN_OK;
}
