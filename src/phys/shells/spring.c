#include "phys/shells/spring.h"

#include "base/hash.h"
#include "linalg/dense.h"

#include <string.h>

static brn_status fill(brn_spring *spring, const double (*rest)[3], const int *conn, const double *stiffness,
                       const double *length)
{
    brn_element_group *group = &spring->group;
    const size_t n = (size_t)group->nelem;
    BRN_ALLOC(group->ctx, group->conn, 2 * n);
    BRN_ALLOC(group->ctx, spring->stiffness, n);
    BRN_ALLOC(group->ctx, spring->length, n);
    for (size_t e = 0; e < n; ++e) {
        const int *node = conn + 2 * e;
        double along[3];
        for (int i = 0; i < 3; ++i) {
            along[i] = rest[node[1]][i] - rest[node[0]][i];
        }
        group->conn[2 * e] = node[0];
        group->conn[2 * e + 1] = node[1];
        spring->stiffness[e] = stiffness[e];
        spring->length[e] = length != NULL ? length[e] : sqrt(brn_dense_dot3(along, along));
        if (node[0] == node[1] || !(stiffness[e] > 0.0) || !isfinite(stiffness[e]) ||
            !(spring->length[e] >= 0.0) || !isfinite(spring->length[e])) {
            return brn_fail(
                group->ctx, BRN_ERR_RANGE,
                "spring %zu between nodes %d and %d, %g N/m, %g m long: needs two nodes, a stiffness > 0 "
                "and a length >= 0",
                e, node[0], node[1], stiffness[e], spring->length[e]);
        }
    }
    return BRN_OK;
}

brn_status brn_spring_create(brn_ctx *ctx, const double (*rest)[3], const int *conn, const double *stiffness,
                             const double *length, bool pull_only, int nelem, brn_spring **out)
{
    *out = NULL;
    if (nelem < 0) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%d springs: must be >= 0", nelem);
    }
    brn_spring *spring = NULL;
    BRN_ALLOC(ctx, spring, 1);
    *spring = (brn_spring){
        .group = {.kind = &brn_spring_group_kind,
                  .ctx = ctx,
                  .dim = 3,
                  .nnode = 2,
                  .nelem = nelem,
                  .cell = -1,
                  .density = 1.0},
        .pull_only = pull_only,
    };
    const brn_status status = fill(spring, rest, conn, stiffness, length);
    if (status < 0) {
        brn_spring_destroy(spring);
        return status;
    }
    *out = spring;
    return BRN_OK;
}

void brn_spring_destroy(brn_spring *spring)
{
    if (spring == NULL) {
        return;
    }
    brn_ctx *ctx = spring->group.ctx;
    brn_free(ctx, spring->group.conn);
    brn_free(ctx, spring->stiffness);
    brn_free(ctx, spring->length);
    brn_free(ctx, spring);
}

/* along: k of u u^T; across: of the rest. */
static void write_hessian(const double u[3], double along, double across, double *hess)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const double value = (along - across) * u[i] * u[j] + (i == j ? across : 0.0);
            hess[3 * i + j] = hess[18 + 3 * i + j] = value;
            hess[9 + 3 * i + j] = -value;
        }
    }
}

void brn_spring_eval(const brn_spring *spring, const double (*x)[3], int first, int count,
                     brn_tangent tangent, double *energy, double *grad, double *hess)
{
    for (int e = 0; e < count; ++e) {
        const size_t number = (size_t)first + (size_t)e;
        const int *node = spring->group.conn + 2 * number;
        double u[3];
        for (int i = 0; i < 3; ++i) {
            u[i] = x[node[1]][i] - x[node[0]][i];
        }
        const double l = sqrt(brn_dense_dot3(u, u)), stretch = l - spring->length[number];
        const bool slack = spring->pull_only && stretch < 0.0;
        const double k = slack ? 0.0 : spring->stiffness[number];
        /* coincident ends: the force has no direction, and a spring of rest length 0 needs none */
        for (int i = 0; i < 3; ++i) {
            u[i] = l > 0.0 ? u[i] / l : 0.0;
        }
        if (energy != NULL) {
            energy[e] = 0.5 * k * stretch * stretch;
        }
        if (grad != NULL) {
            for (int i = 0; i < 3; ++i) {
                grad[6 * (size_t)e + 3 + (size_t)i] = k * stretch * u[i];
                grad[6 * (size_t)e + (size_t)i] = -k * stretch * u[i];
            }
        }
        if (hess != NULL) {
            double across = spring->length[number] == 0.0 ? k : l > 0.0 ? k * stretch / l : 0.0;
            across = tangent == BRN_TANGENT_VISCOUS                  ? 0.0
                     : brn_tangent_projects(tangent) && across < 0.0 ? 0.0
                                                                     : across;
            write_hessian(u, k, across, hess + 27 * (size_t)e);
        }
    }
}

/* ---- the group ------------------------------------------------------------------------------------------------------ */

static void group_destroy(brn_element_group *group)
{
    brn_spring_destroy((brn_spring *)group);
}

static void group_eval(const brn_element_group *group, const double (*x)[3], int first, int count,
                       brn_tangent tangent, double *energy, double *grad, double *hess)
{
    brn_spring_eval((const brn_spring *)group, x, first, count, tangent, energy, grad, hess);
}

static uint64_t group_hash(const brn_element_group *group, uint64_t hash)
{
    const brn_spring *spring = (const brn_spring *)group;
    const size_t bytes = (size_t)group->nelem * sizeof(double);
    hash = brn_hash_bytes(hash, spring->stiffness, bytes);
    hash = brn_hash_bytes(hash, spring->length, bytes);
    return brn_hash_bytes(hash, &spring->pull_only, sizeof spring->pull_only);
}

const brn_group_kind brn_spring_group_kind = {
    .name = "spring",
    .destroy = group_destroy,
    .eval = group_eval,
    .hash = group_hash,
};

const brn_spring *brn_spring_of_group(const brn_element_group *group)
{
    return group->kind == &brn_spring_group_kind ? (const brn_spring *)group : NULL;
}
