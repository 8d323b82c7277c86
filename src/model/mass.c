#include "model/mass.h"

#include "model/body_types.h"
#include "phys/lanes.h"

#include <string.h>

enum { PAIRS_MAX = BRN_GROUP_NODES_MAX * (BRN_GROUP_NODES_MAX + 1) / 2 };

/* Adds one element; pairs: m_ab for a <= b. */
static void add_element(brn_model *model, const int *node, int nnode, const double *pairs, bool consistent)
{
    brn_block_matrix *mass = model->mass;
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
                mass->value[brn_block_matrix_find(mass, row, column)] += pairs[k];
            } else if (a == b) {
                mass->value[mass->start[model->node_row[node[a]]]] += pairs[k] * total / diagonal;
            }
        }
    }
}

static void add_group(brn_model *model, const brn_element_group *group, bool consistent)
{
    double pairs[BRN_LANES * PAIRS_MAX];
    const int nnode = group->nnode;
    const int npair = nnode * (nnode + 1) / 2;
    for (int first = 0; first < group->nelem && group->kind->mass != NULL; first += BRN_LANES) {
        const int count = group->nelem - first < BRN_LANES ? group->nelem - first : BRN_LANES;
        group->kind->mass(group, (const double(*)[3])model->rest, first, count, pairs);
        for (int e = 0; e < count; ++e) {
            add_element(model, &group->conn[(first + e) * nnode], nnode, &pairs[e * npair], consistent);
        }
    }
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
                lists[nlists++] = brn_group_stencils(group);
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

/* The same mass at every node of a body. */
static void make_uniform(brn_model *model, const brn_body *body)
{
    brn_block_matrix *mass = model->mass;
    double total = 0.0;
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        total += mass->value[mass->start[model->node_row[a]]];
    }
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        mass->value[mass->start[model->node_row[a]]] = total / body->node_count;
    }
}

brn_status brn_model_build_mass(brn_model *model, const int *kind)
{
    BRN_TRY(create_matrix(model, kind));
    BRN_ALLOC(model->ctx, model->node_mass, model->nnode);
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        for (int i = 0; i < body->group_count; ++i) {
            add_group(model, model->group[body->group_first + i], kind[b] == BRN_MASS_CONSISTENT);
        }
        if (kind[b] == BRN_MASS_UNIFORM && body->group_count > 0) {
            make_uniform(model, body);
        }
    }
    BRN_TRY(sum_rows(model));
    for (int b = 0; b < model->nbody; ++b) {
        measure_body(model, &model->body[b]);
    }
    return BRN_OK;
}
