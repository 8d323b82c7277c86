#include "step/scheme.h"

#include "linalg/dense.h"
#include "model/rigid_pose.h"

#include <math.h>
#include <string.h>

static const char PREVIOUS[] =
    "bdf2.previous"; /* [0] step, then the displacement of the last step and v before it, packed */

/* An element, such as a spring, between two bodies: neither is free. */
static void bind_joined(const brn_model *model, const int *node_body, bool *is_free)
{
    for (int g = 0; g < model->ngroup; ++g) {
        const brn_element_group *group = model->group[g];
        for (int i = 0; i < group->nelem * group->nnode; ++i) {
            const int one = node_body[group->conn[i - i % group->nnode]];
            const int other = node_body[group->conn[i]];
            if (one != other) {
                is_free[one] = is_free[other] = false;
            }
        }
    }
}

/* Bodies that no hold, no attachment and no spring guides. */
static brn_status find_free(brn_ctx *ctx, const brn_model *model, bool *is_free)
{
    int *node_body = NULL;
    BRN_ALLOC(ctx, node_body, (size_t)model->nnode + 1);
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        is_free[b] = body->type != BRN_BODY_STATIC;
        for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
            node_body[a] = b;
            const bool own =
                body->type != BRN_BODY_RIGID || (a >= body->handle && a <= body->handle + model->dim);
            for (int i = 0; i < model->dim && own && model->node_row[a] >= 0; ++i) {
                is_free[b] = is_free[b] && model->fixed[model->node_row[a] * model->dim + i] == BRN_DOF_FREE;
            }
        }
    }
    bind_joined(model, node_body, is_free);
    for (int i = 0; i < model->nattach; ++i) {
        const brn_attachment *attach = &model->attach[i];
        is_free[attach->body] = is_free[attach->to] = false;
    }
    brn_free(ctx, node_body);
    return BRN_OK;
}

brn_status brn_scheme_find_free(brn_ctx *ctx, brn_scheme *scheme)
{
    return find_free(ctx, scheme->system->model, scheme->free);
}

brn_status brn_scheme_create(brn_ctx *ctx, const brn_system *system, int integrator, brn_scheme **out)
{
    *out = NULL;
    brn_scheme *scheme = NULL;
    BRN_ALLOC(ctx, scheme, 1);
    scheme->system = system;
    scheme->integrator = integrator;
    scheme->free = brn_calloc(ctx, (size_t)system->model->nbody + 1, sizeof *scheme->free);
    if (scheme->free == NULL || find_free(ctx, system->model, scheme->free) < 0) {
        brn_scheme_destroy(ctx, scheme);
        return BRN_ERR_MEMORY;
    }
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
    brn_free(ctx, scheme->free);
    brn_free(ctx, scheme);
}

/* BDF2 needs two equal steps; a step that is repeated because it gained energy is an implicit Euler one, as is a turning one. */
static int kind_of(const brn_scheme *m, const brn_memory *previous)
{
    const bool two_steps = previous != NULL && previous->count > 0 && previous->value[0] == m->h;
    const bool first = m->integrator == BRN_BDF2 && !two_steps;
    return first || m->integrator == BRN_TURNING_EULER ||
                   (m->system->guard > 0 && m->integrator != BRN_STATIC)
               ? BRN_IMPLICIT_EULER
               : m->integrator;
}

brn_books brn_scheme_books(int integrator, int kind)
{
    return (brn_books){
        .place = kind == BRN_MIDPOINT || kind == BRN_NEWMARK ? 0.5
                 : kind == BRN_SYMPLECTIC_EULER              ? 0.0
                                                             : 1.0,
        .last = kind == BRN_BDF2 ? 1.0 / 3.0 : 0.0,
        .carries = integrator == BRN_BDF2,
        .before = kind == BRN_STATIC ? 0.5 : 0.0,
        .inertia = integrator != BRN_STATIC,
        .swings = kind == BRN_SYMPLECTIC_EULER,
        .weight_load = integrator == BRN_STATIC,
    };
}

/* D and D_v of a body (scheme.h). */
static void turn_targets(brn_scheme *m, const brn_state *in, int body)
{
    const brn_model *model = m->system->model;
    const brn_body *b = &model->body[body];
    const bool rigid = b->type == BRN_BODY_RIGID;
    const int first = rigid ? b->handle : b->node_first;
    const int count = rigid ? model->dim + 1 : b->node_count;
    brn_coasting c;
    brn_rigid_coast(model, body, in->node_pos, in->node_vel, m->h, &c);
    for (int a = first; a < first + count; ++a) {
        const double *x = &in->node_pos[3 * a];
        double way[3];
        double change[3];
        double pull[3];
        double line[3];
        if (model->node_row[a] < 0) {
            continue;
        }
        brn_coasting_swing(&c, x, way, change);
        const double r[3] = {x[0] - c.centre[0], x[1] - c.centre[1], x[2] - c.centre[2]};
        brn_dense_cross3(c.spin[0], r, line);
        brn_coasting_pull(&c, x, pull);
        for (int i = 0; i < model->dim; ++i) {
            const int dof = model->node_row[a] * model->dim + i;
            const double p = rigid ? 0.0 : pull[i];
            const double more = way[i] - m->h * line[i] - m->s * p;
            m->drift[dof] += more;
            m->target[dof] += more;
            m->coast[dof] += change[i] - m->s * m->c * p;
        }
    }
}

/* Coefficients of one integrator, and target and origin of every dof as if it were free. */
static void set_targets(brn_scheme *m, const brn_state *in)
{
    const brn_model *model = m->system->model;
    const int dim = model->dim;
    const double h = m->h;
    const brn_memory *previous = brn_state_recall(in, PREVIOUS);
    m->kind = kind_of(m, previous);
    const bool chord = m->kind == BRN_NEWMARK || m->kind == BRN_MIDPOINT;
    m->inertia = m->kind != BRN_STATIC;
    m->t_eval = m->kind == BRN_MIDPOINT ? m->t + 0.5 * h : m->t + h;
    m->share = m->kind == BRN_NEWMARK ? 0.5 : 1.0;
    m->place = m->kind == BRN_MIDPOINT ? 0.5 : 1.0;
    m->turns = chord || (m->system->guard == 0 ? m->integrator == BRN_TURNING_EULER
                                               : m->inertia && m->system->guard < BRN_GUARDS);
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
        case BRN_NEWMARK:
        case BRN_MIDPOINT:
            m->s = 0.5 * h * h;
            m->c = 2.0 / h;
            m->origin[dof] = 0.0;
            m->drift[dof] = h * v;
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
    }
    m->rate = chord ? 1.0 / h : m->c;
    for (int b = 0; b < model->nbody && m->turns; ++b) {
        if (m->free[b] && (!chord || model->body[b].type == BRN_BODY_RIGID)) {
            turn_targets(m, in, b);
        }
    }
    for (int dof = 0; dof < m->system->ndof && m->inertia; ++dof) {
        m->target[dof] += m->s * m->system->controls->gravity[dof % dim];
    }
}

/* Held dofs: where y must be, and a target that makes M (y - target)/s the inertia of their given motion. */
static void set_held(brn_scheme *m, const brn_state *in)
{
    const brn_model *model = m->system->model;
    const brn_controls *controls = m->system->controls;
    const int dim = model->dim;
    const bool half = m->kind != BRN_BDF2;
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
                const int dof = model->node_row[a] * dim + i;
                if ((hold->axes >> i & 1u) == 0 || model->fixed[dof] != BRN_DOF_HELD) {
                    continue;
                }
                const double x = in->node_pos[3 * a + i];
                m->held[dof] = pos[i] - x;
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
    set_targets(m, in);
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

bool brn_scheme_coasts(const brn_scheme *m, int body)
{
    return m->turns && m->free[body] && m->system->model->body[body].type == BRN_BODY_RIGID;
}

void brn_scheme_see(const brn_scheme *m, const double *x, double *z)
{
    const brn_model *model = m->system->model;
    for (int i = 0; i < 3 * model->nnode; ++i) {
        z[i] = m->from[i] + m->place * (x[i] - m->from[i]);
    }
    for (int b = 0; b < model->nbody; ++b) {
        if (brn_scheme_coasts(m, b)) {
            const int first = 3 * model->body[b].handle;
            memcpy(&z[first], &x[first], 3 * ((size_t)model->dim + 1) * sizeof *z);
        }
    }
}

/* What the next step of a multistep integrator needs. */
static brn_status write_memory(const brn_scheme *m, const brn_state *in, const double *way, brn_state *out)
{
    const int ndof = m->system->ndof;
    double *memory = NULL;
    if (m->integrator != BRN_BDF2) {
        return BRN_OK;
    }
    BRN_TRY(brn_state_remember(out, PREVIOUS, 1 + 2 * (size_t)ndof, &memory));
    memory[0] = m->h;
    memcpy(&memory[1], way, (size_t)ndof * sizeof *way);
    brn_system_pack(m->system, in->node_vel, &memory[1 + ndof]);
    return BRN_OK;
}

void brn_scheme_bend(const brn_scheme *m, const brn_state *in, const brn_state *out, double *dx, double *dv)
{
    const double *last = brn_state_recall(in, PREVIOUS)->value + 1;
    for (int dof = 0; dof < m->system->ndof; ++dof) {
        const int at = brn_model_at(m->system->model, dof);
        dx[dof] = out->node_pos[at] - in->node_pos[at] - last[dof];
        dv[dof] = out->node_vel[at] - 2.0 * in->node_vel[at] + last[m->system->ndof + dof];
    }
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
        out->node_pos[at] = in->node_pos[at] + way[dof];
        /* c (y - origin) written as the free flight's velocity plus a correction, so that a body without forces keeps its
           velocity to the last bit. For held dofs accel is the mean acceleration of the given motion over the step. */
        out->node_vel[at] = model->fixed[dof] ? (m->inertia ? v + m->h * m->accel[dof] : 0.0)
                                              : m->coast[dof] + m->c * (way[dof] - m->drift[dof]);
    }
    if (m->turns) {
        brn_rigid_velocities(model, m->free, out->node_pos, out->node_vel);
    }
    brn_model_move_tied(model, in->node_pos, way, out->node_pos);
    brn_model_follow_nodes(model, out->node_vel);
    place_shown(m, out);
    return write_memory(m, in, way, out);
}

void brn_scheme_restart(brn_state *state)
{
    brn_state_forget(state, PREVIOUS);
}
