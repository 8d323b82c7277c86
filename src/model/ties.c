#include "model/model.h"

void brn_ties_clear(brn_ctx *ctx, brn_ties *ties)
{
    brn_free(ctx, ties->node);
    brn_free(ctx, ties->start);
    brn_free(ctx, ties->master);
    brn_free(ctx, ties->weight);
    brn_free(ctx, ties->of_node);
    *ties = (brn_ties){0};
}

/* v of a tied node from its masters'; entries of a node are `stride` apart. */
static void follow_tie(const brn_ties *ties, int tie, int dim, int stride, double *v)
{
    double sum[3] = {0.0, 0.0, 0.0};
    for (int k = ties->start[tie]; k < ties->start[tie + 1]; ++k) {
        const double *from = &v[ties->master[k] * stride];
        for (int i = 0; i < dim; ++i) {
            sum[i] += ties->weight[k] * from[i];
        }
    }
    for (int i = 0; i < dim; ++i) {
        v[ties->node[tie] * stride + i] = sum[i];
    }
}

void brn_model_follow(const brn_model *model, double *v)
{
    for (int tie = 0; tie < model->ties.count; ++tie) {
        follow_tie(&model->ties, tie, model->dim, model->dim, v);
    }
}

void brn_model_follow_nodes(const brn_model *model, double *v)
{
    for (int tie = 0; tie < model->ties.count; ++tie) {
        follow_tie(&model->ties, tie, model->dim, 3, v);
    }
}

void brn_model_lead(const brn_model *model, double *force)
{
    const brn_ties *ties = &model->ties;
    const int dim = model->dim;
    for (int tie = 0; tie < ties->count; ++tie) {
        double *from = &force[ties->node[tie] * dim];
        for (int k = ties->start[tie]; k < ties->start[tie + 1]; ++k) {
            for (int i = 0; i < dim; ++i) {
                force[ties->master[k] * dim + i] += ties->weight[k] * from[i];
            }
        }
        for (int i = 0; i < dim; ++i) {
            from[i] = 0.0;
        }
    }
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
