/* The incremental potential, and the forces that are its gradient. */
#include "step/newton_inner.h"

#include <math.h>
#include <string.h>

double *brn_newton_watch(brn_newton *n, double *phase)
{
    return brn_stopwatch_switch(&n->system->watch, phase);
}

double brn_newton_most(const double *v, int n)
{
    /* Magnitudes are ordered as their bits are, with NaN above all: a loop without branches. */
    int64_t most = 0;
    for (int i = 0; i < n; ++i) {
        int64_t bits;
        memcpy(&bits, &v[i], sizeof bits);
        bits &= INT64_MAX;
        most = bits > most ? bits : most;
    }
    double value;
    memcpy(&value, &most, sizeof value);
    return value;
}

double brn_newton_remaining(const brn_newton *n)
{
    double most = 0.0;
    for (int i = 0; i < n->system->ndof; ++i) {
        if (n->model->fixed[i] == BRN_DOF_HELD) {
            most = fmax(most, fabs(n->scheme->held[i] - n->y[i]));
        }
    }
    return most;
}

bool brn_newton_pull(const brn_newton *n, const double *y, brn_pull *out)
{
    const brn_scheme *m = n->scheme;
    const brn_drag *drag = &n->system->controls->drag;
    const int dim = n->model->dim;
    double x[3];
    double v[3] = {0.0, 0.0, 0.0};
    if (drag->node < 0 || (n->terms != NULL && n->terms->hand)) {
        return false;
    }
    memcpy(x, &m->from[3 * drag->node], sizeof x);
    for (int k = 0; k < drag->on.count; ++k) {
        const int first = n->model->node_row[drag->on.node[k]] * dim;
        for (int i = 0; i < dim; ++i) {
            x[i] += drag->on.weight[k] * y[first + i];
            v[i] += drag->on.weight[k] * m->rate * (y[first + i] - m->origin[first + i]);
        }
    }
    brn_drag_pull(drag, n->hand, x, v, m->rate, out);
    return true;
}

const double *brn_newton_seen(brn_newton *n)
{
    if (n->scheme->place == 1.0) {
        return n->x;
    }
    brn_scheme_see(n->scheme, n->x, n->middle);
    return n->middle;
}

/* Sums of every part. */
typedef struct sums {
    double elastic, inertia, damping, extra;
} sums;

static brn_status add_elastic(brn_newton *n, sums *of)
{
    const double *z = brn_newton_seen(n);
    if (n->part == NULL || n->elastic_part >= 0) {
        return brn_system_elastic(n->system, z, BRN_TANGENT_EXACT,
                                  &of[n->part != NULL ? n->elastic_part : 0].elastic, NULL, NULL);
    }
    double *energy = NULL;
    BRN_TAKE(brn_ctx_arena(n->ctx), energy, n->model->nbody);
    memset(energy, 0, (size_t)n->model->nbody * sizeof *energy);
    BRN_TRY(brn_system_elastic_parts(n->system, z, n->part, energy));
    for (int b = 0; b < n->model->nbody; ++b) {
        of[b].elastic = energy[b];
    }
    return BRN_OK;
}

/* Where elements are seen half-way, those of rigid bodies are at y. */
static void place_rigid(const brn_newton *n, sums *of)
{
    const double place = n->scheme->place;
    for (int b = 0; b < n->model->nbody; ++b) {
        const int row = n->model->body[b].node_count > 0 && brn_scheme_coasts(n->scheme, b)
                            ? n->model->node_row[n->model->body[b].handle]
                            : -1;
        if (row >= 0) {
            of[brn_newton_part(n, row * n->model->dim)].elastic -=
                (1.0 - place) * brn_newton_rigid_energy_of(n, b, n->x);
        }
    }
    for (int part = 0; part < brn_newton_parts(n); ++part) {
        of[part].elastic /= place;
    }
}

static brn_status add_terms(brn_newton *n, sums *of)
{
    double *extra = NULL;
    if (n->terms == NULL) {
        return BRN_OK;
    }
    BRN_TAKE(brn_ctx_arena(n->ctx), extra, brn_newton_parts(n));
    double *was = brn_newton_watch(n, &n->system->watch.phases.contact);
    BRN_TRY(n->terms->energy(n->terms->self, n->x, extra));
    (void)brn_newton_watch(n, was);
    for (int part = 0; part < brn_newton_parts(n); ++part) {
        of[part].extra += extra[part];
    }
    return BRN_OK;
}

static brn_status add_sums(brn_newton *n, const double *y, sums *of)
{
    const brn_scheme *m = n->scheme;
    const int ndof = n->system->ndof;
    brn_scheme_place(m, y, n->x);
    BRN_TRY(add_elastic(n, of));
    if (m->place != 1.0) {
        place_rigid(n, of);
    }
    if (m->inertia) {
        for (int i = 0; i < ndof; ++i) {
            n->scratch[i] = y[i] - m->target[i];
        }
        BRN_TRY(brn_system_mass_apply(n->system, n->scratch, n->inertia));
        for (int i = 0; i < ndof; ++i) {
            of[brn_newton_part(n, i)].inertia += 0.5 / m->s * n->scratch[i] * n->inertia[i];
        }
    }
    if (n->system->damping != NULL && m->inertia) {
        for (int i = 0; i < ndof; ++i) {
            n->scratch[i] = m->rate * (y[i] - m->origin[i]);
        }
        BRN_TRY(brn_block_matrix_multiply(n->system->damping, n->scratch, n->damping));
        for (int i = 0; i < ndof; ++i) {
            of[brn_newton_part(n, i)].damping += 0.5 / m->rate * n->scratch[i] * n->damping[i];
        }
    }
    BRN_TRY(add_terms(n, of));
    brn_pull pull;
    if (brn_newton_pull(n, y, &pull)) {
        of[brn_newton_part(n, n->model->node_row[n->system->controls->drag.on.node[0]] * n->model->dim)]
            .extra += pull.energy;
    }
    return BRN_OK;
}

brn_status brn_newton_potential(brn_newton *n, const double *y, brn_newton_energy *out)
{
    brn_arena *arena = brn_ctx_arena(n->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    sums *of = NULL;
    BRN_TAKE(arena, of, brn_newton_parts(n));
    memset(of, 0, (size_t)brn_newton_parts(n) * sizeof *of);
    BRN_TRY(add_sums(n, y, of));
    for (int part = 0; part < brn_newton_parts(n); ++part) {
        const double elastic = n->scheme->share * of[part].elastic;
        out[part] = (brn_newton_energy){elastic + of[part].inertia + of[part].damping + of[part].extra,
                                        fabs(elastic) + fabs(of[part].inertia) + fabs(of[part].damping) +
                                            fabs(of[part].extra)};
    }
    brn_arena_rewind(arena, mark);
    return BRN_OK;
}

brn_status brn_newton_forces(brn_newton *n, const brn_tangent *tangent)
{
    const brn_scheme *m = n->scheme;
    brn_system *s = n->system;
    const size_t bytes = (size_t)s->ndof * sizeof(double);
    brn_scheme_place(m, n->y, n->x);
    const double *z = brn_newton_seen(n);
    memset(n->elastic, 0, bytes);
    memset(n->inertia, 0, bytes);
    memset(n->damping, 0, bytes);
    if (tangent != NULL) {
        brn_block_matrix_zero(s->matrix);
        BRN_TRY(brn_system_elastic(s, z, *tangent, NULL, n->elastic, s->matrix));
    } else {
        BRN_TRY(brn_system_elastic(s, z, BRN_TANGENT_EXACT, NULL, n->elastic, NULL));
    }
    BRN_TRY(brn_newton_loads(n, z, m->t_eval, n->load, NULL));
    for (int i = 0; i < s->ndof && m->share != 1.0; ++i) {
        n->elastic[i] *= m->share;
        n->load[i] *= m->share;
    }
    if (m->inertia) {
        for (int i = 0; i < s->ndof; ++i) {
            n->scratch[i] = (n->y[i] - m->target[i]) / m->s;
        }
        BRN_TRY(brn_system_mass_apply(s, n->scratch, n->inertia));
    }
    if (s->damping != NULL && m->inertia) {
        for (int i = 0; i < s->ndof; ++i) {
            n->scratch[i] = m->rate * (n->y[i] - m->origin[i]);
        }
        BRN_TRY(brn_block_matrix_multiply(s->damping, n->scratch, n->damping));
    }
    memset(n->contact, 0, bytes);
    if (n->terms != NULL) {
        double *was = brn_newton_watch(n, &s->watch.phases.contact);
        BRN_TRY(n->terms->gradient(n->terms->self, n->x, n->contact));
        (void)brn_newton_watch(n, was);
    }
    if (brn_newton_pull(n, n->y, &n->pull)) {
        brn_drag_add_force(&s->controls->drag, n->model, n->pull.force, -1.0, n->contact);
    }
    brn_newton_sum(n);
    return BRN_OK;
}

/* Rows whose way is given. */
static void leave_out(const brn_newton *n, double *force)
{
    const int dim = n->model->dim;
    for (int i = 0; i < n->system->ndof && n->given != NULL; ++i) {
        force[i] = n->given[i / dim] ? 0.0 : force[i];
    }
}

void brn_newton_sum(brn_newton *n)
{
    leave_out(n, n->damping);
    for (int i = 0; i < n->system->ndof; ++i) {
        n->unbalanced[i] =
            n->load[i] + n->carried[i] - n->inertia[i] - n->elastic[i] - n->damping[i] - n->contact[i];
    }
    leave_out(n, n->unbalanced);
    brn_newton_weld(n);
}

/* The element that keeps a rigid body rigid has no history. */
brn_status brn_newton_carry(brn_newton *n, const brn_state *in)
{
    const brn_model *model = n->model;
    const double share = 1.0 - n->scheme->share;
    const int ndof = n->system->ndof;
    memset(n->carried, 0, (size_t)ndof * sizeof *n->carried);
    if (share == 0.0) {
        return BRN_OK;
    }
    memset(n->scratch, 0, (size_t)ndof * sizeof *n->scratch);
    BRN_TRY(brn_system_elastic(n->system, in->node_pos, BRN_TANGENT_EXACT, NULL, n->scratch, NULL));
    for (int b = 0; b < model->nbody; ++b) {
        if (brn_scheme_coasts(n->scheme, b)) {
            memset(&n->scratch[model->node_row[model->body[b].handle] * model->dim], 0,
                   (size_t)(model->dim * (model->dim + 1)) * sizeof *n->scratch);
        }
    }
    const double t = brn_model_after(model, n->scheme->t, n->scheme->h);
    BRN_TRY(brn_newton_loads(n, in->node_pos, t, n->carried, NULL));
    for (int i = 0; i < ndof; ++i) {
        n->carried[i] = share * (n->carried[i] - n->scratch[i]);
    }
    return BRN_OK;
}
