#include "model/model.h"

#include <string.h>

void brn_ties_clear(brn_ctx *ctx, brn_ties *ties)
{
    brn_free(ctx, ties->node);
    brn_free(ctx, ties->start);
    brn_free(ctx, ties->master);
    brn_free(ctx, ties->weight);
    brn_free(ctx, ties->of_node);
    *ties = (brn_ties){0};
}

/* Of tie number `tie`: sum of w v over its masters, in a packed vector. */
static void packed_sum(const brn_model *model, int tie, const double *v, double sum[3])
{
    const brn_ties *ties = &model->ties;
    const int dim = model->dim;
    sum[0] = sum[1] = sum[2] = 0.0;
    for (int k = ties->start[tie]; k < ties->start[tie + 1]; ++k) {
        const double *from = &v[model->node_row[ties->master[k]] * dim];
        for (int i = 0; i < dim; ++i) {
            sum[i] += ties->weight[k] * from[i];
        }
    }
}

void brn_model_follow(const brn_model *model, double *v)
{
    for (int tie = 0; tie < model->ties.inner; ++tie) {
        double sum[3];
        packed_sum(model, tie, v, sum);
        memcpy(&v[model->node_row[model->ties.node[tie]] * model->dim], sum,
               (size_t)model->dim * sizeof *sum);
    }
}

void brn_model_follow_nodes(const brn_model *model, double *v)
{
    const brn_ties *ties = &model->ties;
    for (int tie = 0; tie < ties->count; ++tie) {
        double sum[3] = {0.0, 0.0, 0.0};
        for (int k = ties->start[tie]; k < ties->start[tie + 1]; ++k) {
            for (int i = 0; i < model->dim; ++i) {
                sum[i] += ties->weight[k] * v[3 * ties->master[k] + i];
            }
        }
        memcpy(&v[3 * ties->node[tie]], sum, (size_t)model->dim * sizeof *sum);
    }
}

/* force += scale * weight * from of every master's row. */
static void add_to_masters(const brn_model *model, brn_masters on, double scale, const double *from,
                           double *force)
{
    const int dim = model->dim;
    for (int k = 0; k < on.count; ++k) {
        double *to = &force[model->node_row[on.node[k]] * dim];
        for (int i = 0; i < dim; ++i) {
            to[i] += scale * on.weight[k] * from[i];
        }
    }
}

void brn_model_lead(const brn_model *model, double *force)
{
    for (int tie = 0; tie < model->ties.inner; ++tie) {
        const int node = model->ties.node[tie];
        double *from = &force[model->node_row[node] * model->dim];
        add_to_masters(model, brn_model_masters(model, node), 1.0, from, force);
        memset(from, 0, (size_t)model->dim * sizeof *from);
    }
}

void brn_model_add_force(const brn_model *model, int node, double scale, const double *force, double *packed)
{
    const int row = model->node_row[node];
    if (row < 0) {
        add_to_masters(model, brn_model_masters(model, node), scale, force, packed);
        return;
    }
    for (int i = 0; i < model->dim; ++i) {
        packed[row * model->dim + i] += scale * force[i];
    }
}

static void move_ties(const brn_model *model, int first, int end, const double *from, const double *way,
                      double *x)
{
    for (int tie = first; tie < end; ++tie) {
        const int at = 3 * model->ties.node[tie];
        double sum[3];
        packed_sum(model, tie, way, sum);
        for (int i = 0; i < model->dim; ++i) {
            x[at + i] = from[at + i] + sum[i];
        }
    }
}

void brn_model_move(const brn_model *model, const double *from, const double *way, double *x)
{
    for (int row = 0; row < model->nrow; ++row) {
        const int at = 3 * model->row_node[row];
        for (int i = 0; i < model->dim; ++i) {
            x[at + i] = from[at + i] + way[row * model->dim + i];
        }
    }
    move_ties(model, model->ties.inner, model->ties.live, from, way, x);
}

void brn_model_move_tied(const brn_model *model, const double *from, const double *way, double *x)
{
    move_ties(model, model->ties.inner, model->ties.count, from, way, x);
}

brn_status brn_model_row_stencils(const brn_model *model, const brn_stencils *nodes, int count,
                                  brn_stencils *rows, int **memory)
{
    size_t total = 0;
    for (int n = 0; n < count; ++n) {
        total += (size_t)nodes[n].count * (size_t)nodes[n].width;
    }
    BRN_ALLOC(model->ctx, *memory, total);
    int *to = *memory;
    for (int n = 0; n < count; ++n) {
        const brn_stencils from = nodes[n];
        rows[n] = (brn_stencils){from.count, from.width, to};
        for (size_t i = 0; i < (size_t)from.count * (size_t)from.width; ++i) {
            *to++ = model->node_row[from.node[i]];
        }
    }
    return BRN_OK;
}

brn_masters brn_model_masters(const brn_model *model, int node)
{
    static const double one = 1.0;
    const brn_ties *ties = &model->ties;
    if (brn_ties_has(ties, node)) {
        const int first = ties->start[ties->of_node[node]];
        return (brn_masters){ties->start[ties->of_node[node] + 1] - first, &ties->master[first],
                             &ties->weight[first]};
    }
    const int row = model->node_row[node];
    return (brn_masters){row >= 0, row >= 0 ? &model->row_node[row] : NULL, &one};
}
