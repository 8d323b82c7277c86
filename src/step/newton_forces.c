/* Loads and weights as Newton's method sees them, and the forces of a state that was set from outside. */
#include "step/newton_inner.h"

#include "model/rigid_pose.h"

#include <math.h>
#include <string.h>

brn_status brn_newton_weigh(brn_newton *n)
{
    const double *gravity = n->system->controls->gravity;
    if (memcmp(n->weighed, gravity, sizeof n->weighed) == 0) {
        return BRN_OK;
    }
    for (int dof = 0; dof < n->system->ndof; ++dof) {
        n->scratch[dof] = gravity[dof % n->model->dim];
    }
    memcpy(n->weighed, gravity, sizeof n->weighed);
    return brn_system_mass_apply(n->system, n->scratch, n->gravity);
}

brn_status brn_newton_loads(brn_newton *n, const double *x, double t, double *force, brn_block_matrix *matrix)
{
    memset(force, 0, (size_t)n->system->ndof * sizeof *force);
    BRN_TRY(brn_system_loads(n->system, x, t, force, matrix));
    if (n->params.integrator == BRN_STATIC) {
        const double factor = brn_newton_stage(n, t).gravity;
        for (int dof = 0; dof < n->system->ndof; ++dof) {
            force[dof] += factor * n->gravity[dof];
        }
    }
    return BRN_OK;
}

/* What a tied node lacks for balance comes through the weld from its masters. */
void brn_newton_weld(brn_newton *n)
{
    const brn_model *model = n->model;
    for (int k = 0; k < model->nattach; ++k) {
        const brn_attachment *attach = &model->attach[k];
        memset(n->weld[k], 0, sizeof n->weld[k]);
        for (int a = 0; a < attach->nnode && brn_ties_has(&model->ties, attach->node[a]); ++a) {
            const double *force = &n->unbalanced[model->node_row[attach->node[a]] * model->dim];
            for (int i = 0; i < model->dim; ++i) {
                n->weld[k][i] -= force[i];
            }
        }
    }
    brn_model_lead(model, n->unbalanced);
}

/* The forces of attachments, those to obstacles from their reactions. */
static brn_status write_welds(const brn_newton *n, brn_state *out)
{
    const brn_model *model = n->model;
    double *memory = NULL;
    if (model->nattach == 0) {
        return BRN_OK;
    }
    BRN_TRY(brn_state_remember(out, BRN_ATTACH_FORCE, 3 * (size_t)model->nattach, &memory));
    for (int k = 0; k < model->nattach; ++k) {
        const brn_attachment *attach = &model->attach[k];
        memcpy(&memory[3 * k], n->weld[k], sizeof n->weld[k]);
        for (int a = 0; a < attach->nnode && !brn_ties_has(&model->ties, attach->node[a]); ++a) {
            for (int i = 0; i < 3; ++i) {
                memory[3 * k + i] += out->node_react[3 * attach->node[a] + i];
            }
        }
    }
    return BRN_OK;
}

brn_status brn_newton_write(const brn_newton *n, const double *load, const double *react,
                            const double *damping, brn_state *out)
{
    brn_rigid_states(n->model, out->node_pos, out->node_vel, out->rigid_pose, out->rigid_vel);
    double *const arrays[] = {out->node_load, out->node_react, out->node_damp};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) { /* z in 2D, and nodes without a row */
        memset(arrays[i], 0, (size_t)n->model->nnode * 3 * sizeof(double));
    }
    for (int dof = 0; dof < n->system->ndof; ++dof) {
        const int at = brn_model_at(n->model, dof);
        out->node_load[at] = load[dof];
        out->node_react[at] = n->model->fixed[dof] == BRN_DOF_HELD ? react[dof] : 0.0;
        out->node_damp[at] = damping[dof];
    }
    return write_welds(n, out);
}

double brn_newton_dissipated(const brn_newton *n, const brn_state *in, const brn_state *out,
                             const brn_books *books)
{
    double sum = 0.0;
    for (int dof = 0; dof < n->system->ndof; ++dof) {
        const int i = brn_model_at(n->model, dof);
        const double force = (1.0 - books->before) * out->node_damp[i] + books->before * in->node_damp[i];
        sum -= force * (out->node_pos[i] - in->node_pos[i]);
    }
    return sum;
}

double brn_newton_rigid_energy_of(const brn_newton *n, int body, const double *x)
{
    const brn_element_group *group = n->model->group[n->model->body[body].group_first];
    double energy = 0.0;
    group->kind->eval(group, (const double(*)[3])x, 0, 1, BRN_TANGENT_EXACT, &energy, NULL, NULL);
    return n->system->firm != NULL ? n->system->firm[body] * energy : energy;
}

double brn_newton_rigid_energy(const brn_newton *n, const double *x)
{
    double sum = 0.0;
    for (int b = 0; b < n->model->nbody; ++b) {
        sum += brn_scheme_coasts(n->scheme, b) ? brn_newton_rigid_energy_of(n, b, x) : 0.0;
    }
    return sum;
}

/* What those elements were to take up by the rule, less what they did. They have no history, so what they take is lost. */
static double rigid_loss(const brn_newton *n, const brn_state *in, const brn_state *out)
{
    const brn_model *model = n->model;
    const int dim = model->dim;
    double sum = brn_newton_rigid_energy(n, in->node_pos) - brn_newton_rigid_energy(n, out->node_pos);
    for (int b = 0; b < model->nbody; ++b) {
        const int handle = model->body[b].handle;
        for (int k = 0; k < dim * (dim + 1) && brn_scheme_coasts(n->scheme, b); ++k) {
            const int at = 3 * (handle + k / dim) + k % dim;
            sum += n->elastic[model->node_row[handle] * dim + k] * (out->node_pos[at] - in->node_pos[at]);
        }
    }
    return sum;
}

/* The inertia of the held dofs, that of what is attached to them included, works along the mean of their two velocities
   (step/ledger.c): what that adds to it times the way they went. Not accelerated, they go the way of their velocity. */
static double held_difference(brn_newton *n, const brn_state *in, const brn_state *out)
{
    const brn_scheme *m = n->scheme;
    double sum = 0.0;
    bool any = false;
    memcpy(n->scratch, n->inertia, (size_t)n->system->ndof * sizeof *n->scratch);
    brn_model_lead(n->model, n->scratch);
    for (int dof = 0; dof < n->system->ndof; ++dof) {
        const int at = brn_model_at(n->model, dof);
        const bool held = n->model->fixed[dof] == BRN_DOF_HELD;
        const double mean = 0.5 * m->h * (in->node_vel[at] + out->node_vel[at]);
        any = any || (held && m->accel[dof] != 0.0);
        sum += held ? n->scratch[dof] * (mean - (out->node_pos[at] - in->node_pos[at])) : 0.0;
    }
    return any ? sum : 0.0;
}

/* What BDF2's books need of the last two states: gradients of the elements, packed. */
static const char ELASTIC[] = "bdf2.elastic";

static brn_status write_elastic(const brn_newton *n, const brn_state *in, brn_state *out)
{
    const size_t ndof = (size_t)n->system->ndof;
    const brn_memory *before = in != NULL ? brn_state_recall(in, ELASTIC) : NULL;
    double *memory = NULL;
    if (n->params.integrator != BRN_BDF2) {
        return BRN_OK;
    }
    BRN_TRY(brn_state_remember(out, ELASTIC, 2 * ndof, &memory));
    memcpy(memory, n->elastic, ndof * sizeof *memory);
    memcpy(memory + ndof, before != NULL ? before->value : n->elastic, ndof * sizeof *memory);
    return BRN_OK;
}

/* What a BDF2 step takes (books.h). */
static brn_status losses_between(brn_newton *n, const brn_state *in, const brn_state *out, brn_books *books)
{
    const int ndof = n->system->ndof;
    const brn_memory *before = brn_state_recall(in, ELASTIC);
    double *bend[2] = {NULL, NULL};
    if (before == NULL) {
        return BRN_OK;
    }
    for (int i = 0; i < 2; ++i) {
        BRN_TAKE(brn_ctx_arena(n->system->ctx), bend[i], ndof);
    }
    brn_scheme_bend(n->scheme, in, out, bend[0], bend[1]);
    BRN_TRY(brn_system_mass_apply(n->system, bend[1], n->scratch));
    for (int dof = 0; dof < ndof; ++dof) {
        const double force = n->elastic[dof] - 2.0 * before->value[dof] + before->value[ndof + dof];
        books->taken += 0.25 * (bend[1][dof] * n->scratch[dof] + bend[0][dof] * force);
    }
    return BRN_OK;
}

/* `turned` of rules that take pressures at the end of the step. */
static brn_status turn_pressure(brn_newton *n, const brn_state *in, const brn_state *out, brn_books *books)
{
    const brn_model *model = n->model;
    double *middle = NULL;
    if (n->system->pressure == NULL ||
        (n->scheme->kind != BRN_IMPLICIT_EULER && n->scheme->kind != BRN_BDF2)) {
        return BRN_OK;
    }
    BRN_TAKE(brn_ctx_arena(n->system->ctx), middle, 3 * model->nnode);
    for (int i = 0; i < 3 * model->nnode; ++i) {
        middle[i] = 0.5 * (in->node_pos[i] + out->node_pos[i]);
    }
    BRN_TRY(brn_newton_loads(n, middle, n->scheme->t_eval, n->scratch, NULL));
    for (int dof = 0; dof < n->system->ndof; ++dof) {
        const int at = brn_model_at(model, dof);
        books->turned += (n->scratch[dof] - n->load[dof]) * (out->node_pos[at] - in->node_pos[at]);
    }
    return BRN_OK;
}

brn_status brn_newton_losses(brn_newton *n, const brn_state *in, brn_state *out, brn_books *books)
{
    const brn_scheme *m = n->scheme;
    const int ndof = n->system->ndof;
    books->known_loss = m->kind == BRN_IMPLICIT_EULER || m->kind == BRN_NEWMARK || m->kind == BRN_MIDPOINT;
    books->elastic_loss = m->kind == BRN_IMPLICIT_EULER;
    brn_arena *arena = brn_ctx_arena(n->system->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    brn_status status = m->kind == BRN_BDF2 ? losses_between(n, in, out, books) : BRN_OK;
    status = status >= 0 ? turn_pressure(n, in, out, books) : status;
    brn_arena_rewind(arena, mark);
    BRN_TRY(status);
    BRN_TRY(write_elastic(n, in, out));
    if (!books->known_loss) {
        return BRN_OK;
    }
    books->moved = held_difference(n, in, out);
    memset(n->scratch, 0, (size_t)ndof * sizeof *n->scratch);
    if (n->terms != NULL && n->terms->dissipative != NULL) {
        n->terms->dissipative(n->terms->self, n->x, n->scratch);
    }
    if (n->system->controls->drag.node >= 0) { /* in n->contact with the other sign */
        brn_drag_add_force(&n->system->controls->drag, n->model, n->pull.force, -1.0, n->scratch);
    }
    books->stored = books->elastic_loss ? books->turned : rigid_loss(n, in, out);
    for (int dof = 0; dof < ndof; ++dof) {
        const int at = brn_model_at(n->model, dof);
        const double way = out->node_pos[at] - in->node_pos[at];
        books->moved += (n->inertia[dof] + n->gravity[dof]) * way;
        books->stored += (n->contact[dof] - n->scratch[dof]) * way;
        books->stored += books->elastic_loss ? n->elastic[dof] * way : 0.0;
    }
    return BRN_OK;
}

/* The forces of the initial state. A sudden start of a motion belongs to the first step. */
brn_status brn_newton_reset(brn_newton *n, brn_state *state, double t, brn_books *books)
{
    brn_system *s = n->system;
    const int ndof = s->ndof;
    brn_state_forget_all(state);
    memset(n->elastic, 0, (size_t)ndof * sizeof(double));
    memset(n->damping, 0, (size_t)ndof * sizeof(double));
    memset(n->step, 0, (size_t)ndof * sizeof(double));
    BRN_TRY(brn_system_elastic(s, state->node_pos, BRN_TANGENT_EXACT, NULL, n->elastic, NULL));
    BRN_TRY(brn_newton_weigh(n));
    BRN_TRY(
        brn_newton_loads(n, state->node_pos, brn_model_after(n->model, t, n->model->step), n->load, NULL));
    const bool dynamic = n->params.integrator != BRN_STATIC;
    brn_system_drag(s, state->node_pos, dynamic ? state->node_vel : NULL, n->load);
    if (s->damping != NULL && dynamic) {
        BRN_TRY(brn_system_damping_update(s, state->node_pos));
        brn_system_pack(s, state->node_vel, n->scratch);
        BRN_TRY(brn_block_matrix_multiply(s->damping, n->scratch, n->damping));
    }
    memset(n->contact, 0, (size_t)ndof * sizeof(double));
    if (n->terms != NULL) {
        BRN_TRY(n->terms->gradient(n->terms->self, state->node_pos, n->contact));
    }
    for (int dof = 0; dof < ndof; ++dof) {
        n->damping[dof] *= -1.0;
        n->unbalanced[dof] = n->load[dof] + n->damping[dof] - n->elastic[dof] - n->contact[dof] +
                             (dynamic ? n->gravity[dof] : 0.0);
    }
    brn_newton_weld(n);
    for (int dof = 0; dof < ndof; ++dof) {
        n->unbalanced[dof] *= -1.0; /* what the holds must supply */
    }
    BRN_TRY(brn_newton_write(n, n->load, n->unbalanced, n->damping, state));
    *books = brn_scheme_books(n->params.integrator, n->params.integrator);
    return write_elastic(n, NULL, state);
}

brn_stage brn_newton_stage(const brn_newton *n, double t)
{
    const bool still = n->params.integrator == BRN_STATIC;
    return (brn_stage){.inertia = !still,
                       .gravity = still ? fmin(1.0, t / brn_model_ramp_end(n->model)) : 1.0};
}

brn_status brn_newton_changed(brn_newton *n, brn_state *state, const brn_change *change)
{
    if ((change->what & BRN_CHANGED_HOLDS) != 0) {
        brn_newton_drop_factor(n); /* its analysis leaves held rows out */
        BRN_TRY(brn_scheme_find_free(n->ctx, n->scheme));
    }
    if ((change->what & BRN_CHANGED_GRAVITY) != 0) {
        brn_scheme_restart(state);
    }
    return BRN_OK;
}

/* One factorisation of the elastic pattern; an explicit step solves with the mass alone. */
brn_status brn_newton_predict(const brn_model *model, brn_system *system, brn_prediction *out)
{
    *out = (brn_prediction){.step_min = model->step, .steps = (double)model->nstep};
    if (model->integrator == BRN_SYMPLECTIC_EULER) {
        return BRN_OK;
    }
    brn_factor *factor = NULL;
    brn_factor_stats stats;
    BRN_TRY(brn_factor_create(system->ctx, system->matrix, model->fixed, &factor));
    brn_factor_get_stats(factor, &stats);
    brn_factor_destroy(factor);
    out->flops = stats.flops;
    out->bytes = stats.bytes;
    return BRN_OK;
}
