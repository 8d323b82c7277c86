#include "model/plots.h"

#include <string.h>

static brn_status copy_plot(brn_ctx *ctx, const brn_plot_def *def, brn_plot *out)
{
    const size_t n = 2 * (size_t)def->points.rows;
    out->x = brn_strdup(ctx, def->x);
    out->y = brn_strdup(ctx, def->y);
    out->source = brn_strdup(ctx, def->source);
    if (out->x == NULL || out->y == NULL || out->source == NULL) {
        return BRN_ERR_MEMORY;
    }
    BRN_ALLOC(ctx, out->point, n);
    if (n > 0) {
        memcpy(out->point, def->points.v, n * sizeof *out->point);
    }
    out->npoint = def->points.rows;
    return BRN_OK;
}

brn_status brn_plots_copy(brn_ctx *ctx, const brn_output_def *def, brn_plots *out)
{
    const brn_plot_def *plots = def->plot.items;
    BRN_ALLOC(ctx, out->plot, def->plot.count);
    for (int i = 0; i < def->plot.count; ++i) {
        out->count = i + 1;
        BRN_TRY(copy_plot(ctx, &plots[i], &out->plot[i]));
    }
    return BRN_OK;
}

void brn_plots_clear(brn_ctx *ctx, brn_plots *plots)
{
    for (int i = 0; i < plots->count; ++i) {
        brn_free(ctx, plots->plot[i].x);
        brn_free(ctx, plots->plot[i].y);
        brn_free(ctx, plots->plot[i].source);
        brn_free(ctx, plots->plot[i].point);
    }
    brn_free(ctx, plots->plot);
    *plots = (brn_plots){0};
}
