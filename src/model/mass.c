#include "model/mass.h"

#include "base/lanes.h"
#include "model/body_types.h"

#include <string.h>

enum { PAIRS_MAX = BRN_GROUP_NODES_MAX * (BRN_GROUP_NODES_MAX + 1) / 2 };

/* Adds scale times an element to the values of the mass matrix, or of others like it; pairs: its m_ab for a <= b. */
static void add_element(const brn_model *model, const int *node, int nnode, const double *pairs,
                        bool consistent, double scale, double *value)
{
    double total = 0.0;
    double diagonal = 0.0;
    for (int a = 0, k = 0; a < nnode; ++a) {
        for (int b = a; b < nnode; ++b, ++k) {
            total += a == b ? pairs[k] : 2.0 * pairs[k];
            diagonal += a == b ? pairs[k] : 0.0;
        }
    }
    for (int a = 0, k = 0; a < nnode; ++a) {
        for (int b = a; b < nnode; ++b, ++k) {
            if (consistent) {
                const int row = model->node_row[node[a] < node[b] ? node[a] : node[b]];
                const int column = model->node_row[node[a] < node[b] ? node[b] : node[a]];
                value[brn_block_matrix_find(model->mass, row, column)] += scale * pairs[k];
            } else if (a == b) {
                value[model->mass->start[model->node_row[node[a]]]] += scale * (pairs[k] * total / diagonal);
            }
        }
    }
}

/* scale times the mass of a group's elements. */
static void add_group(const brn_model *model, const brn_element_group *group, bool consistent, double scale,
                      double *value)
{
    double pairs[BRN_LANES * PAIRS_MAX];
    const int nnode = group->nnode;
    const int npair = nnode * (nnode + 1) / 2;
    for (int first = 0; first < group->nelem && group->kind->mass != NULL; first += BRN_LANES) {
        const int count = group->nelem - first < BRN_LANES ? group->nelem - first : BRN_LANES;
        group->kind->mass(group, (const double(*)[3])model->rest, first, count, pairs);
        for (int e = 0; e < count; ++e) {
            add_element(model, &group->conn[(first + e) * nnode], nnode, &pairs[e * npair], consistent, scale,
                        value);
        }
    }
}

/* The mass of a body's elements, or with `damped` alpha times it. */
static void add_body(const brn_model *model, const brn_body *body, int kind, bool damped, double *value)
{
    for (int i = 0; i < body->group_count; ++i) {
        const brn_element_group *group = model->group[body->group_first + i];
        add_group(model, group, kind == BRN_MASS_CONSISTENT, damped ? group->alpha : 1.0, value);
    }
    if (kind == BRN_MASS_UNIFORM && body->group_count > 0) {
        double total = 0.0;
        for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
            total += value[model->mass->start[model->node_row[a]]];
        }
        for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
            value[model->mass->start[model->node_row[a]]] = total / body->node_count;
        }
    }
}

/* sum of alpha m over the elements: materials of a body may be damped differently. */
static brn_status add_damping(brn_model *model, const int *kind)
{
    bool damped = false;
    for (int i = 0; i < model->ngroup; ++i) {
        damped = damped || model->group[i]->alpha != 0.0;
    }
    if (!damped) {
        return BRN_OK;
    }
    BRN_ALLOC(model->ctx, model->mass_alpha, model->mass->start[model->nrow]);
    int row = 0;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        const double alpha = body->group_count > 0 ? model->group[body->group_first]->alpha : 0.0;
        const int first = model->mass->start[row];
        bool same = true;
        while (row < model->nrow && model->row_node[row] < body->node_first + body->node_count) {
            ++row;
        }
        for (int i = 1; i < body->group_count; ++i) {
            same = same && model->group[body->group_first + i]->alpha == alpha;
        }
        if (!same) {
            add_body(model, body, kind[b], true, model->mass_alpha);
            continue;
        }
        for (int k = first; k < model->mass->start[row]; ++k) {
            model->mass_alpha[k] = alpha * model->mass->value[k];
        }
    }
    return BRN_OK;
}

/* Row sums are each node's share of the mass; with them the centre of mass of a body is exact. */
static brn_status sum_rows(brn_model *model)
{
    double *sum = NULL; /* then ones */
    BRN_ALLOC(model->ctx, sum, 2 * (size_t)model->nrow);
    double *one = &sum[model->nrow];
    for (int row = 0; row < model->nrow; ++row) {
        one[row] = 1.0;
    }
    const brn_status status = brn_block_matrix_multiply(model->mass, one, sum);
    for (int row = 0; row < model->nrow && status >= 0; ++row) {
        model->node_mass[model->row_node[row]] = sum[row];
    }
    brn_free(model->ctx, sum);
    return status;
}

static void measure_body(brn_model *model, brn_body *body)
{
    body->mass = 0.0;
    body->volume = 0.0;
    memset(body->centre, 0, sizeof body->centre);
    for (int i = 0; i < body->group_count; ++i) {
        const brn_element_group *group = model->group[body->group_first + i];
        for (int e = 0; e < group->nelem; ++e) {
            body->volume += brn_group_volume(group, e);
        }
    }
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        body->mass += model->node_mass[a];
        for (int i = 0; i < 3; ++i) {
            body->centre[i] += model->node_mass[a] * model->rest[a][i];
        }
    }
    for (int i = 0; i < 3 && body->mass > 0.0; ++i) {
        body->centre[i] /= body->mass;
    }
}

/* The pattern of consistent masses. */
static brn_status create_matrix(brn_model *model, const int *kind)
{
    brn_stencils *lists = NULL;
    int *memory = NULL;
    int nlists = 0;
    BRN_ALLOC(model->ctx, lists, model->ngroup);
    for (int b = 0; b < model->nbody; ++b) {
        for (int i = 0; i < model->body[b].group_count && kind[b] == BRN_MASS_CONSISTENT; ++i) {
            const brn_element_group *group = model->group[model->body[b].group_first + i];
            if (group->kind->mass != NULL) {
                lists[nlists++] = brn_group_elements(group);
            }
        }
    }
    model->mass_diagonal = nlists == 0;
    brn_status status = brn_model_row_stencils(model, lists, nlists, lists, &memory);
    if (status >= 0) {
        status = brn_block_matrix_create(model->ctx, model->nrow, 1, lists, nlists, &model->mass);
    }
    brn_free(model->ctx, memory);
    brn_free(model->ctx, lists);
    return status;
}

brn_status brn_model_build_mass(brn_model *model, const int *kind)
{
    BRN_TRY(create_matrix(model, kind));
    BRN_ALLOC(model->ctx, model->node_mass, model->nnode);
    for (int b = 0; b < model->nbody; ++b) {
        add_body(model, &model->body[b], kind[b], false, model->mass->value);
    }
    BRN_TRY(add_damping(model, kind));
    BRN_TRY(sum_rows(model));
    for (int b = 0; b < model->nbody; ++b) {
        measure_body(model, &model->body[b]);
    }
    return BRN_OK;
}
