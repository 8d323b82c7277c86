/* The plots that a scene asks for: one column of its series over another, and points to compare the curve with. */
#ifndef BRN_MODEL_PLOTS_H
#define BRN_MODEL_PLOTS_H

#include "base/ctx.h"
#include "scene/scene_def.h"

typedef struct brn_plot {
    char *x, *y;   /* columns */
    char *source;  /* what the points are */
    double *point; /* [npoint][2] in the units of the columns */
    int npoint;
} brn_plot;

typedef struct brn_plots {
    int count;
    brn_plot *plot; /* [count] */
} brn_plots;

/* What the scene says. After a failure it can (and must) still be cleared. */
brn_status brn_plots_copy(brn_ctx *ctx, const brn_output_def *def, brn_plots *out);
void brn_plots_clear(brn_ctx *ctx, brn_plots *plots);

#endif
