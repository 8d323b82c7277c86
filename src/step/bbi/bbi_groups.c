/* What the impacts of a step connect. Bodies are in one group if points that carry force lead from one to the other, or attachments and springs do.
   What cannot move at all, such as an obstacle, joins nothing: no force goes through it. H and M know no entries between two groups, so that each is
   projected as if it were alone, and judged by its own energies: what one has lost must not pay for what another gains. */
#include "step/bbi/bbi.h"

#include <math.h>
#include <string.h>

static int root_of(const int *parent, int b)
{
    while (parent[b] != b) {
        b = parent[b];
    }
    return b;
}

/* The cluster of a side of a point that can move; -1: it cannot. */
static int moving_cluster(const brn_bbi *bbi, const brn_bbi_point *p, int side, const bool *moving)
{
    const int body = p->touch.body[side];
    return bbi->movable[body] || (moving != NULL && moving[body]) ? bbi->cluster[body] : -1;
}

brn_status brn_bbi_groups_find(brn_bbi *bbi, const bool *moving)
{
    const int nbody = bbi->model->nbody;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    int *parent = NULL;
    int *number = NULL;
    BRN_TAKE(arena, parent, nbody);
    BRN_TAKE(arena, number, nbody);
    for (int b = 0; b < nbody; ++b) {
        parent[b] = b;
        number[b] = -1;
    }
    for (int i = 0; i < bbi->npoint; ++i) {
        const int one = moving_cluster(bbi, &bbi->point[i], 0, moving);
        const int other = moving_cluster(bbi, &bbi->point[i], 1, moving);
        if (bbi->point[i].force[0] > 0.0 && one >= 0 && other >= 0) {
            parent[root_of(parent, one)] = root_of(parent, other);
        }
    }
    bbi->ngroup = 0;
    for (int b = 0; b < nbody; ++b) {
        int *to = &number[root_of(parent, bbi->cluster[b])];
        *to = *to >= 0 ? *to : bbi->ngroup++;
        bbi->group[b] = *to;
    }
    for (int i = 0; i < bbi->npoint; ++i) {
        brn_bbi_point *p = &bbi->point[i];
        const int one = moving_cluster(bbi, p, 0, NULL);
        const int cluster = one >= 0 ? one : moving_cluster(bbi, p, 1, NULL);
        p->group = p->force[0] > 0.0 && cluster >= 0 ? bbi->group[cluster] : -1;
    }
    brn_arena_rewind(arena, mark);
    return BRN_OK;
}

void brn_bbi_groups_bind(brn_bbi *bbi)
{
    const brn_model *model = bbi->model;
    const int *node_body = bbi->touching->skin->node_body;
    for (int b = 0; b < model->nbody; ++b) {
        bbi->movable[b] = false;
    }
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        bool *movable = &bbi->movable[node_body[model->row_node[dof / model->dim]]];
        *movable = *movable || model->fixed[dof] != BRN_DOF_HELD;
    }
}

/* ---- energies --------------------------------------------------------------------------------------------------------------- */

/* energy += scale times the elastic energies of the groups at x, [nnode][3]. */
static brn_status add_elastic(const brn_bbi *bbi, const double *x, double scale, double *energy)
{
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double *of = NULL; /* [nbody] clusters */
    BRN_TAKE(arena, of, bbi->model->nbody);
    memset(of, 0, (size_t)bbi->model->nbody * sizeof *of);
    BRN_TRY(brn_system_elastic_parts(bbi->system, x, bbi->row_cluster, of));
    for (int b = 0; b < bbi->model->nbody; ++b) {
        energy[bbi->group[b]] += scale * of[b];
    }
    brn_arena_rewind(arena, mark);
    return BRN_OK;
}

/* energy += scale times the kinetic energies of the groups with velocities v, [ndof]; mass [ndof]: M v. */
static brn_status add_kinetic(const brn_bbi *bbi, const double *v, double scale, double *mass, double *energy)
{
    BRN_TRY(brn_system_mass_apply(bbi->system, v, mass));
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        energy[bbi->group[bbi->row_cluster[dof / bbi->model->dim]]] += scale * 0.5 * v[dof] * mass[dof];
    }
    return BRN_OK;
}

brn_status brn_bbi_groups_work(const brn_bbi *bbi, bool booked, double *work)
{
    const brn_newton *n = bbi->newton;
    const int dim = bbi->model->dim;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double *pushed = NULL; /* [ndof] by contact, on what is held */
    BRN_TAKE(arena, pushed, bbi->system->ndof);
    memset(pushed, 0, (size_t)bbi->system->ndof * sizeof *pushed);
    for (int i = 0; i < bbi->npoint; ++i) {
        const brn_bbi_point *p = &bbi->point[i];
        double force[3];
        brn_bbi_to_world(bbi, p, p->force, force);
        for (int k = p->first; k < p->first + p->count && p->group >= 0; ++k) {
            for (int axis = 0; axis < dim; ++axis) {
                const int dof = bbi->row[k] * dim + axis;
                if (bbi->model->fixed[dof] == BRN_DOF_HELD) {
                    pushed[dof] += bbi->weight[k] * force[axis];
                    work[p->group] -= bbi->weight[k] * force[axis] * n->y[dof];
                }
            }
        }
    }
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        const bool held = bbi->model->fixed[dof] == BRN_DOF_HELD;
        const double load = booked ? n->load[dof] : n->load[dof] / n->scheme->share;
        const double supplied = (booked ? n->unbalanced[dof] : -n->unbalanced[dof]) + pushed[dof];
        work[bbi->group[bbi->row_cluster[dof / dim]]] +=
            (load + n->gravity[dof] + (held ? supplied : 0.0)) * n->y[dof];
    }
    brn_arena_rewind(arena, mark);
    return BRN_OK;
}

brn_status brn_bbi_groups_measure(const brn_bbi *bbi, const brn_state *in, const brn_state *out,
                                  const double *v, double *taken, double *size)
{
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double *before = NULL; /* velocities */
    double *mass = NULL;
    double *elastic = NULL;
    BRN_TAKE(arena, before, bbi->system->ndof);
    BRN_TAKE(arena, mass, bbi->system->ndof);
    BRN_TAKE(arena, elastic, bbi->ngroup);
    for (int g = 0; g < bbi->ngroup; ++g) {
        taken[g] = size[g] = elastic[g] = 0.0;
    }
    BRN_TRY(add_kinetic(bbi, v, 1.0, mass, size));
    BRN_TRY(add_elastic(bbi, in->node_pos, 1.0, elastic));
    for (int g = 0; g < bbi->ngroup; ++g) {
        taken[g] = elastic[g] - size[g];
        size[g] += fabs(elastic[g]);
    }
    brn_system_pack(bbi->system, in->node_vel, before);
    BRN_TRY(add_kinetic(bbi, before, 1.0, mass, taken));
    BRN_TRY(add_elastic(bbi, out->node_pos, -1.0, taken));
    BRN_TRY(brn_bbi_groups_work(bbi, false, taken));
    brn_arena_rewind(arena, mark);
    return BRN_OK;
}

brn_status brn_bbi_groups_gain(const brn_bbi *bbi, const double *v, const double *change, double *gain)
{
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double *mean = NULL;
    double *momentum = NULL;
    BRN_TAKE(arena, mean, bbi->system->ndof);
    BRN_TAKE(arena, momentum, bbi->system->ndof);
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        mean[dof] = v[dof] + 0.5 * change[dof];
    }
    const brn_status status = brn_system_mass_apply(bbi->system, mean, momentum);
    for (int g = 0; g < bbi->ngroup; ++g) {
        gain[g] = 0.0;
    }
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        gain[bbi->group[bbi->row_cluster[dof / bbi->model->dim]]] += change[dof] * momentum[dof];
    }
    brn_arena_rewind(arena, mark);
    return status;
}
