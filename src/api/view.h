/* Inside api/: what the calls brn_view_... share. */
#ifndef BRN_API_VIEW_H
#define BRN_API_VIEW_H

#include "output/page/run_packet.h"
#include "output/trajectory/outline.h"
#include "output/trajectory/trajectory.h"

struct brn_view {
    brn_ctx *ctx;
    brn_camera camera;
    brn_packet run;         /* of the run */
    brn_plot_series series; /* of a recorded run; of a live one its columns alone */
    brn_shown_range span[BRN_SHOWN_COUNT];
    bool measured; /* span is known */
    char *name, *scene, *summary;
    char *stages; /* JSON, if there is no summary */
    char *study;  /* JSON: what came of a design or sweep of which this is the run to look at; NULL: none */
    char *title, *method;
    brn_plots plots;                  /* of a recorded run: a live one has those of its model */
    double step, end;                 /* [s] */
    bool still;                       /* integrator: static */
    const brn_difference *difference; /* to the first run of a page; NULL: not known */

    /* A recorded run. */
    brn_playback *playback;
    brn_frame frame;
    double *time;        /* [nframe] */
    int64_t *frame_step; /* [nframe] */

    /* A live one. */
    const brn_model *model;
    brn_outline outline;
    /* [samples][6] of the cells near the surface; the stress of others is never seen */
    double *sample_stress;
};

brn_status brn_view_create(brn_ctx *ctx, brn_view **out);                       /* of nothing */
void brn_shown_range_widen(brn_shown_range *span, const brn_shown_range *more); /* [BRN_SHOWN_COUNT] both */
/* Frame `index` of the trajectory. span [BRN_SHOWN_COUNT]. */
brn_status brn_view_shoot(brn_view *view, int index, bool delta, brn_shown_range *span, const void **bytes,
                          size_t *size);
/* What the page is told about the run; every frame is available, spans are not known. */
void brn_view_card(const brn_view *view, brn_run_card *card);

#endif
