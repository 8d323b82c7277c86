/* Damping by the stiffness of elements: at each of its events an element adds the impulse -h beta K v to that of its elasticity, K the viscous tangent
   (phys/group.h), which leaves every rigid motion alone, so that it takes no momentum. Strong damping would need steps far shorter than elasticity does;
   instead the impulse is at most the one along this direction that takes most energy,

       s = min(1, v.K v / (h beta K v . M^-1 K v)),

   M the share of the element in the masses of its nodes, equal for all damped elements of a node. What elements do at one tick then cannot add energy: the
   velocity of a node is the mean of what its shares would have, and the energy of a mean is at most the mean of energies. */
#include "step/acm/acm.h"

#include "base/lanes.h"

#include <math.h>
#include <string.h>

brn_status brn_acm_damping_create(brn_acm *acm)
{
    bool any = false;
    for (int i = 0; i < acm->system->npart; ++i) {
        any = any || acm->system->part[i]->beta > 0.0;
    }
    if (!any) {
        return BRN_OK;
    }
    BRN_ALLOC(acm->ctx, acm->damped, acm->model->nnode);
    BRN_ALLOC(acm->ctx, acm->forces.damping, acm->forces.gradients + BRN_ACM_SPARE);
    BRN_ALLOC(acm->ctx, acm->taken, 3 * ((size_t)acm->forces.nnode + 1));
    for (int i = 0; i < acm->system->npart; ++i) {
        const brn_element_group *group = acm->system->part[i];
        const brn_stencils stencils = brn_group_stencils(group);
        for (int k = 0; k < stencils.count * stencils.width && group->beta > 0.0; ++k) {
            acm->damped[stencils.node[k]]++;
        }
    }
    return BRN_OK;
}

/* y = K v, K as blocks a <= b. */
static void multiply(const double *hess, int width, int dim, const double *v, double *y)
{
    memset(y, 0, (size_t)(width * dim) * sizeof *y);
    for (int a = 0; a < width; ++a) {
        for (int b = a; b < width; ++b, hess += dim * dim) {
            for (int i = 0; i < dim; ++i) {
                for (int j = 0; j < dim; ++j) {
                    y[a * dim + i] += hess[i * dim + j] * v[b * dim + j];
                    if (a != b) {
                        y[b * dim + j] += hess[i * dim + j] * v[a * dim + i];
                    }
                }
            }
        }
    }
}

/* Damping of an element, as a gradient. */
static void damp(const brn_acm *acm, const brn_acm_run *run, const int *node, const double *v,
                 const double *kv, double *gradient)
{
    const double beta = run->group->beta;
    const double scale = beta * (double)acm->forces.ticks[run->step] * acm->tick;
    const int width = brn_group_stencils(run->group).width;
    const int dim = acm->model->dim;
    double rate = 0.0;
    double response = 0.0;
    for (int k = 0; k < width; ++k) {
        const double inverse = acm->inverse[node[k]] * acm->damped[node[k]];
        for (int i = 0; i < dim; ++i) {
            rate += v[k * dim + i] * kv[k * dim + i];
            response += inverse * kv[k * dim + i] * kv[k * dim + i];
        }
    }
    const double share = !(rate > 0.0) ? 0.0 : scale * response > rate ? rate / (scale * response) : 1.0;
    for (int i = 0; i < width * dim; ++i) {
        gradient[i] = share * beta * kv[i];
    }
}

/* y [elements][width * dim] = K v of elements of a batch. */
static void resist(const brn_acm *acm, const brn_element_group *group, int first, int count, double *hess,
                   double *v, double *y)
{
    const brn_stencils stencils = brn_group_stencils(group);
    const int width = stencils.width;
    const int dim = group->dim;
    const double(*x)[3] = (const double(*)[3])acm->nodes.place;
    const double(*velocity)[3] = (const double(*)[3])acm->nodes.velocity;
    if (group->kind->resist != NULL) {
        group->kind->resist(group, x, velocity, first, count, y);
        return;
    }
    group->kind->eval(group, x, first, count, BRN_TANGENT_VISCOUS, NULL, NULL, hess);
    for (int e = 0; e < count; ++e) {
        const int *node = &stencils.node[(size_t)(first + e) * (size_t)width];
        for (int k = 0; k < width; ++k) {
            memcpy(&v[k * dim], velocity[node[k]], (size_t)dim * sizeof *v);
        }
        multiply(&hess[e * brn_group_hess_size(group)], width, dim, v, &y[e * width * dim]);
    }
}

brn_status brn_acm_damp_run(const brn_acm *acm, int which, brn_arena *scratch)
{
    const brn_acm_run *run = &acm->forces.run[which];
    const brn_element_group *group = run->group;
    const brn_stencils stencils = brn_group_stencils(group);
    const int width = stencils.width;
    const int dim = group->dim;
    const int size = width * dim;
    double *hess = NULL;
    double *v = NULL;
    double *y = NULL;
    BRN_TAKE(scratch, hess, group->kind->resist == NULL ? BRN_LANES * brn_group_hess_size(group) : 1);
    BRN_TAKE(scratch, v, size);
    BRN_TAKE(scratch, y, BRN_LANES * size);
    for (int first = 0; first < run->count; first += BRN_LANES) {
        const int count = first + BRN_LANES < run->count ? BRN_LANES : run->count - first;
        const int skip =
            (run->first + first) % BRN_LANES; /* of a run of one element: its batch begins before it */
        resist(acm, group, run->first + first - skip, count + skip, hess, v, y);
        for (int e = 0; e < count; ++e) {
            const int *node = &stencils.node[(size_t)(run->first + first + e) * (size_t)width];
            double *gradient = &acm->forces.damping[run->gradient + (size_t)(first + e) * (size_t)size];
            for (int k = 0; k < width; ++k) {
                memcpy(&v[k * dim], &acm->nodes.velocity[3 * node[k]], (size_t)dim * sizeof *v);
            }
            damp(acm, run, node, v, &y[(e + skip) * size], gradient);
        }
    }
    return BRN_OK;
}
