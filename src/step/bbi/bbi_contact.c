/* Contact points of a step, the rows they act on, and their forces. */
#include "step/bbi/bbi.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Whether two points are the same place of the same bodies: a vertex at a body, an edge at an edge. Points of convex bodies have no
   nodes; those follow in order. */
static bool is_same(const brn_touching_point *a, const brn_touching_point *b)
{
    return a->body[0] == b->body[0] && a->body[1] == b->body[1] && a->node[0] == b->node[0] &&
           (a->node[0] < 0 || isinf(a->area) == isinf(b->area)) &&
           (a->node[0] < 0 || a->lever.node[0] == b->lever.node[0]);
}

/* The rows of a point: what the nodes of its lever stand for. */
static void add_rows(brn_bbi *bbi, brn_bbi_point *p)
{
    p->first = bbi->nrow;
    p->count = 0;
    for (int k = 0; k < p->touch.lever.count; ++k) {
        const brn_masters of = brn_model_masters(bbi->model, p->touch.lever.node[k]);
        for (int m = 0; m < of.count; ++m) {
            const int row = bbi->model->node_row[of.node[m]];
            const double weight = p->touch.lever.weight[k] * of.weight[m];
            int at = p->first;
            while (at < bbi->nrow && bbi->row[at] != row) {
                ++at;
            }
            if (at == bbi->nrow) {
                bbi->row[bbi->nrow] = row;
                bbi->weight[bbi->nrow++] = 0.0;
                ++p->count;
            }
            bbi->weight[at] += weight;
        }
    }
}

static size_t rows_at_most(const brn_bbi *bbi)
{
    size_t count = 0;
    for (int i = 0; i < bbi->touching->count; ++i) {
        const brn_lever *lever = &bbi->touching->point[i].lever;
        for (int k = 0; k < lever->count; ++k) {
            count += (size_t)brn_model_masters(bbi->model, lever->node[k]).count;
        }
    }
    return count;
}

/* Whether a force on it can move anything. */
static bool is_movable(const brn_bbi *bbi, const brn_bbi_point *p)
{
    const int dim = bbi->model->dim;
    const double *normal = &p->touch.frame[dim * (dim - 1)];
    bool any = false;
    for (int k = p->first; k < p->first + p->count; ++k) {
        for (int i = 0; i < dim; ++i) {
            any = any || (bbi->model->fixed[bbi->row[k] * dim + i] == BRN_DOF_FREE &&
                          normal[i] * bbi->weight[k] != 0.0);
        }
    }
    return any;
}

/* Forces go on from the same points of the last search. Both lists are in the order of the search, so the next one is near. */
static void recall_forces(brn_bbi *bbi)
{
    int next = 0;
    for (int i = 0; i < bbi->npoint; ++i) {
        brn_bbi_point *p = &bbi->point[i];
        for (int k = 0; k < bbi->nbefore; ++k) {
            const int at = (next + k) % bbi->nbefore;
            brn_bbi_point *old = &bbi->before[at];
            if (is_same(&old->touch, &p->touch)) {
                memcpy(p->force, old->force, sizeof p->force);
                old->touch.body[0] = -1; /* once */
                next = at + 1;
                break;
            }
        }
    }
}

brn_status brn_bbi_find(brn_bbi *bbi, const brn_touching_reach *reach)
{
    BRN_TRY(brn_touching_find(bbi->touching, bbi->newton->x, reach));
    const int count = bbi->touching->count;
    const size_t rows = rows_at_most(bbi);
    brn_bbi_point *old = bbi->before;
    const size_t capacity = bbi->before_capacity;
    bbi->before = bbi->point;
    bbi->before_capacity = bbi->point_capacity;
    bbi->nbefore = bbi->npoint;
    bbi->point = old;
    bbi->point_capacity = capacity;
    bbi->npoint = bbi->nrow = 0;
    BRN_GROW(bbi->ctx, bbi->point, bbi->point_capacity, count);
    BRN_GROW(bbi->ctx, bbi->row, bbi->row_capacity, rows);
    BRN_GROW(bbi->ctx, bbi->weight, bbi->weight_capacity, rows);
    for (int i = 0; i < count; ++i) {
        const brn_touching_point *touch = &bbi->touching->point[i];
        const size_t law = brn_model_pair(bbi->model, touch->body[0], touch->body[1]);
        brn_bbi_point *p = &bbi->point[bbi->npoint];
        if (!touch->bears) {
            continue;
        }
        *p = (brn_bbi_point){.touch = *touch, .mu = bbi->system->controls->friction[law], .chosen = -1};
        add_rows(bbi, p);
        bbi->npoint += is_movable(bbi, p);
    }
    recall_forces(bbi);
    return BRN_OK;
}

/* [N] in the world, on body[0], of components (normal, tangents). */
static void to_world(int dim, const double frame[9], const double f[3], double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < dim; ++i) {
        out[i] = f[0] * frame[dim * (dim - 1) + i];
        for (int k = 1; k < dim; ++k) {
            out[i] += f[k] * frame[dim * (k - 1) + i];
        }
    }
}

void brn_bbi_push(brn_bbi *bbi)
{
    memset(bbi->push, 0, (size_t)bbi->system->ndof * sizeof *bbi->push);
    for (int i = 0; i < bbi->npoint; ++i) {
        const brn_bbi_point *p = &bbi->point[i];
        double force[3];
        if (p->force[0] == 0.0) {
            continue;
        }
        to_world(bbi->model->dim, p->touch.frame, p->force, force);
        for (int k = 0; k < p->touch.lever.count; ++k) {
            brn_model_add_force(bbi->model, p->touch.lever.node[k], p->touch.lever.weight[k], force,
                                bbi->push);
        }
    }
}

void brn_bbi_look(const brn_bbi *bbi, const brn_bbi_point *p, const double *v, double out[3])
{
    const int dim = bbi->model->dim;
    double sum[3] = {0};
    for (int k = p->first; k < p->first + p->count; ++k) {
        for (int i = 0; i < dim; ++i) {
            sum[i] += bbi->weight[k] * v[bbi->row[k] * dim + i];
        }
    }
    for (int k = 0; k < dim; ++k) {
        const double *axis = &p->touch.frame[dim * (k == 0 ? dim - 1 : k - 1)];
        out[k] = 0.0;
        for (int i = 0; i < dim; ++i) {
            out[k] += axis[i] * sum[i];
        }
    }
}

void brn_bbi_pull(const brn_bbi *bbi, const brn_bbi_point *p, const double force[3], double *packed)
{
    const int dim = bbi->model->dim;
    double f[3];
    to_world(dim, p->touch.frame, force, f);
    for (int k = p->first; k < p->first + p->count; ++k) {
        for (int i = 0; i < dim; ++i) {
            const int dof = bbi->row[k] * dim + i;
            packed[dof] += bbi->model->fixed[dof] == BRN_DOF_FREE ? bbi->weight[k] * f[i] : 0.0;
        }
    }
}

brn_status brn_bbi_report(brn_bbi *bbi, brn_step_info *info)
{
    const int dim = bbi->model->dim;
    const double c = bbi->newton->scheme->c;
    BRN_GROW(bbi->ctx, bbi->report, bbi->report_capacity, bbi->npoint);
    info->npoint = 0;
    for (int i = 0; i < bbi->npoint; ++i) {
        const brn_bbi_point *p = &bbi->point[i];
        double mean[3];
        double force[3];
        double slip[3] = {0};
        for (int k = 0; k < 3; ++k) {
            mean[k] = p->force[k] + 0.5 * p->impact[k];
            slip[k] = k > 0 ? c * p->u[k] : 0.0;
        }
        if (!(p->force[0] > 0.0) && p->touch.gap > 0.0) {
            continue;
        }
        brn_contact_point *to = &bbi->report[info->npoint++];
        *to = (brn_contact_point){.body = {p->touch.body[0], p->touch.body[1]},
                                  .gap = p->touch.gap,
                                  .normal_force = mean[0],
                                  .mu = p->mu};
        memcpy(to->place, p->touch.place, sizeof to->place);
        memcpy(to->normal, &p->touch.frame[dim * (dim - 1)], (size_t)dim * sizeof *to->normal);
        to_world(dim, p->touch.frame, slip, to->slip);
        mean[0] = 0.0;
        to_world(dim, p->touch.frame, mean, force);
        memcpy(to->friction, force, sizeof force);
        info->gap_min = fmin(info->gap_min, p->touch.gap);
        if (p->force[0] > 0.0) {
            info->complementarity = fmax(info->complementarity, p->touch.gap);
        }
    }
    info->point = bbi->report;
    info->contacts = info->npoint;
    return BRN_OK;
}
