#include "step/scheme.h"

#include <math.h>
#include <string.h>

static const char ACCELERATION[] = "newmark.acceleration";
static const char PREVIOUS[] =
    "bdf2.previous"; /* [0] step, then the displacement of the last step and v before it, packed */

brn_status brn_scheme_create(brn_ctx *ctx, const brn_system *system, int integrator, brn_scheme **out)
{
    *out = NULL;
    brn_scheme *scheme = NULL;
    BRN_ALLOC(ctx, scheme, 1);
    scheme->system = system;
    scheme->integrator = integrator;
    double **arrays[] = {&scheme->target, &scheme->origin, &scheme->drift, &scheme->coast,
                         &scheme->ahead,  &scheme->held,   &scheme->accel};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        *arrays[i] = brn_calloc(ctx, (size_t)system->ndof, sizeof(double));
        if (*arrays[i] == NULL) {
            brn_scheme_destroy(ctx, scheme);
            return BRN_ERR_MEMORY;
        }
    }
    *out = scheme;
    return BRN_OK;
}

void brn_scheme_destroy(brn_ctx *ctx, brn_scheme *scheme)
{
    if (scheme == NULL) {
        return;
    }
    brn_free(ctx, scheme->target);
    brn_free(ctx, scheme->origin);
    brn_free(ctx, scheme->drift);
    brn_free(ctx, scheme->coast);
    brn_free(ctx, scheme->ahead);
    brn_free(ctx, scheme->held);
    brn_free(ctx, scheme->accel);
    brn_free(ctx, scheme);
}

static int kind_of(const brn_scheme *m, const brn_memory *previous)
{
    const bool two_steps = previous != NULL && previous->count > 0 && previous->value[0] == m->h;
    return m->integrator == BRN_BDF2 && !two_steps ? BRN_IMPLICIT_EULER : m->integrator;
}

brn_books brn_scheme_books(int integrator, int kind)
{
    const bool two_point = integrator == BRN_NEWMARK || integrator == BRN_STATIC;
    return (brn_books){
        .place = kind == BRN_MIDPOINT           ? 0.5
                 : kind == BRN_SYMPLECTIC_EULER ? 0.0
                                                : 1.0,
        .last = kind == BRN_NEWMARK ? 0.5
                : kind == BRN_BDF2  ? 1.0 / 3.0
                                    : 0.0,
        .carry = integrator == BRN_NEWMARK ? BRN_CARRY_FORCE
                 : integrator == BRN_BDF2  ? BRN_CARRY_MEAN
                                           : BRN_CARRY_NOTHING,
        .before = two_point ? 0.5 : 0.0,
        .inertia = integrator != BRN_STATIC,
        .weight_load = integrator == BRN_STATIC,
    };
}

/* Coefficients of one integrator, and target and origin of every dof as if it were free. */
static brn_status set_targets(brn_scheme *m, const brn_state *in)
{
    const brn_model *model = m->system->model;
    const int dim = model->dim;
    const double h = m->h;
    const brn_memory *previous = brn_state_recall(in, PREVIOUS);
    const brn_memory *acceleration = brn_state_recall(in, ACCELERATION);
    m->kind = kind_of(m, previous);
    m->inertia = m->kind != BRN_STATIC;
    m->forward = m->kind == BRN_MIDPOINT ? 2.0 : 1.0;
    m->t_eval = m->kind == BRN_MIDPOINT ? m->t + 0.5 * h : m->t + h;
    for (int dof = 0; dof < m->system->ndof; ++dof) {
        const int from = brn_model_at(model, dof);
        const double v = in->node_vel[from];
        m->coast[dof] = v;
        m->ahead[dof] = 0.5 * h * v;
        switch (m->kind) {
        case BRN_BDF2: {
            const double last = previous->value[1 + dof]; /* x - x_ */
            const double v_ = previous->value[1 + m->system->ndof + dof];
            m->s = 4.0 / 9.0 * h * h;
            m->c = 1.5 / h;
            m->origin[dof] = last / 3.0;
            m->drift[dof] = m->origin[dof] + 2.0 / 9.0 * h * (4.0 * v - v_);
            m->coast[dof] = (4.0 * v - v_) / 3.0;
            m->ahead[dof] = 0.5 * h * (3.0 * v - v_);
            m->target[dof] = m->drift[dof];
            break;
        }
        case BRN_NEWMARK: {
            const double a = acceleration != NULL && acceleration->count > 0 ? acceleration->value[dof] : 0.0;
            m->s = 0.25 * h * h;
            m->c = 2.0 / h;
            m->origin[dof] = 0.5 * h * v;
            m->drift[dof] = h * v;
            m->target[dof] = m->drift[dof] + m->s * a;
            m->ahead[dof] = h * v + 0.5 * h * h * a;
            break;
        }
        case BRN_MIDPOINT:
            m->s = 0.25 * h * h;
            m->c = 2.0 / h;
            m->origin[dof] = 0.0;
            m->drift[dof] = 0.5 * h * v;
            m->target[dof] = m->drift[dof];
            break;
        case BRN_STATIC:
            m->s = 1.0;
            m->c = 0.0;
            m->origin[dof] = 0.0;
            m->drift[dof] = 0.0;
            m->coast[dof] = 0.0;
            m->target[dof] = 0.0;
            break;
        default:
            m->s = h * h;
            m->c = 1.0 / h;
            m->origin[dof] = 0.0;
            m->drift[dof] = h * v;
            m->target[dof] = m->drift[dof];
            break;
        }
        m->target[dof] += m->inertia ? m->s * m->system->controls->gravity[dof % dim] : 0.0;
    }
    return BRN_OK;
}

/* Held dofs: where y must be, and a target that makes M (y - target)/s the inertia of their given motion. */
static void set_held(brn_scheme *m, const brn_state *in)
{
    const brn_model *model = m->system->model;
    const brn_controls *controls = m->system->controls;
    const int dim = model->dim;
    const bool half = m->kind == BRN_IMPLICIT_EULER || m->kind == BRN_MIDPOINT;
    for (int n = 0; n < model->nhold; ++n) {
        const brn_hold *hold = &model->hold[n];
        for (int k = 0; k < hold->nnode; ++k) {
            const int a = hold->node[k];
            if (model->node_row[a] < 0) {
                continue; /* place_shown puts it there */
            }
            double pos[3];
            double vel[3];
            brn_controls_place(controls, n, a, m->t + m->h, pos, vel);
            for (int i = 0; i < dim; ++i) {
                if ((hold->axes >> i & 1u) == 0) {
                    continue;
                }
                const int dof = model->node_row[a] * dim + i;
                const double x = in->node_pos[3 * a + i];
                m->held[dof] = (pos[i] - x) / m->forward;
                m->ahead[dof] = half ? 0.5 * (pos[i] - x) : pos[i] - x;
                m->accel[dof] = (vel[i] - in->node_vel[3 * a + i]) / m->h;
                m->target[dof] = m->held[dof] - m->s * (m->accel[dof] - controls->gravity[i]);
            }
        }
    }
}

brn_status brn_scheme_begin(brn_scheme *m, const brn_state *in, double t, double h)
{
    m->t = t;
    m->h = h;
    m->from = in->node_pos;
    m->reach = 0.0;
    for (int dof = 0; dof < m->system->ndof; ++dof) {
        m->reach = fmax(m->reach, fabs(in->node_pos[brn_model_at(m->system->model, dof)]));
    }
    BRN_TRY(set_targets(m, in));
    set_held(m, in);
    double *const ways[] = {m->target, m->origin, m->ahead};
    for (int i = 0; i < BRN_COUNT(ways); ++i) {
        brn_model_follow(m->system->model, ways[i]);
    }
    return BRN_OK;
}

void brn_scheme_place(const brn_scheme *m, const double *way, double *x)
{
    brn_model_move(m->system->model, m->from, way, x);
}

/* What the next step of a multistep integrator needs. */
static brn_status write_memory(const brn_scheme *m, const brn_state *in, const double *way, brn_state *out)
{
    const brn_model *model = m->system->model;
    const int ndof = m->system->ndof;
    double *memory = NULL;
    if (m->integrator == BRN_NEWMARK) {
        const brn_memory *old = brn_state_recall(in, ACCELERATION);
        BRN_TRY(brn_state_remember(out, ACCELERATION, (size_t)ndof, &memory));
        for (int dof = 0; dof < ndof; ++dof) {
            const int at = brn_model_at(model, dof);
            const double before = old != NULL && old->count > 0 ? old->value[dof] : 0.0;
            memory[dof] = model->fixed[dof] ? m->accel[dof]
                                            : 2.0 / m->h * (out->node_vel[at] - in->node_vel[at]) - before;
        }
        brn_model_follow(model, memory);
    } else if (m->integrator == BRN_BDF2) {
        BRN_TRY(brn_state_remember(out, PREVIOUS, 1 + 2 * (size_t)ndof, &memory));
        memory[0] = m->h;
        memcpy(&memory[1], way, (size_t)ndof * sizeof *way);
        brn_system_pack(m->system, in->node_vel, &memory[1 + ndof]);
    }
    return BRN_OK;
}

/* What only shows an obstacle. */
static void place_shown(const brn_scheme *m, brn_state *out)
{
    const brn_model *model = m->system->model;
    for (int n = 0; n < model->nhold; ++n) {
        const brn_hold *hold = &model->hold[n];
        for (int k = 0; k < hold->nnode; ++k) {
            const int a = hold->node[k];
            double pos[3];
            double vel[3];
            if (model->node_row[a] >= 0) {
                continue;
            }
            brn_controls_place(m->system->controls, n, a, m->t + m->h, pos, vel);
            for (int i = 0; i < model->dim; ++i) {
                out->node_pos[3 * a + i] = pos[i];
                out->node_vel[3 * a + i] = m->inertia ? vel[i] : 0.0;
            }
        }
    }
}

brn_status brn_scheme_finish(const brn_scheme *m, const brn_state *in, const double *way, brn_state *out)
{
    const brn_model *model = m->system->model;
    memcpy(out->node_pos, in->node_pos, (size_t)model->nnode * 3 * sizeof(double));
    memset(out->node_vel, 0, (size_t)model->nnode * 3 * sizeof(double));
    for (int dof = 0; dof < m->system->ndof; ++dof) {
        const int at = brn_model_at(model, dof);
        const double v = in->node_vel[at];
        out->node_pos[at] = in->node_pos[at] + m->forward * way[dof];
        /* c (y - origin) written as the free flight's velocity plus a correction, so that a body without forces keeps its
           velocity to the last bit. For held dofs accel is the mean acceleration of the given motion over the step. */
        out->node_vel[at] = model->fixed[dof]
                                ? (m->inertia ? v + m->h * m->accel[dof] : 0.0)
                                : m->coast[dof] + m->forward * m->c * (way[dof] - m->drift[dof]);
    }
    brn_model_move_tied(model, in->node_pos, way, m->forward, out->node_pos);
    brn_model_follow_nodes(model, out->node_vel);
    place_shown(m, out);
    return write_memory(m, in, way, out);
}

brn_status brn_scheme_accelerate(brn_state *state, const double *acceleration, int ndof)
{
    double *memory = NULL;
    BRN_TRY(brn_state_remember(state, ACCELERATION, (size_t)ndof, &memory));
    memcpy(memory, acceleration, (size_t)ndof * sizeof *memory);
    return BRN_OK;
}

void brn_scheme_jolt(const brn_system *s, const double *change, brn_state *state)
{
    const brn_memory *acceleration = brn_state_recall(state, ACCELERATION);
    for (int dof = 0; dof < s->ndof && acceleration != NULL && acceleration->count > 0; ++dof) {
        acceleration->value[dof] += s->model->fixed[dof] ? 0.0 : change[dof];
    }
    brn_state_forget(state, PREVIOUS);
}
