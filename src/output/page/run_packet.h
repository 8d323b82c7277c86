/* A run as a packet for the viewer's page: all that does not change in time (docs/viewer.md). */
#ifndef BRN_OUTPUT_PAGE_RUN_PACKET_H
#define BRN_OUTPUT_PAGE_RUN_PACKET_H

#include "model/plots.h"
#include "output/figures/figure_table.h"
#include "output/figures/plot_series.h"
#include "output/page/shot.h"

/* What the page is told about a run besides its shape; nothing is owned. */
typedef struct brn_run_card {
    const char *name, *title, *method;
    double step, end; /* [s] */
    bool live;
    bool still;          /* a sequence of equilibria, without dynamics */
    const char *scene;   /* its text */
    const char *summary; /* JSON; NULL: none */
    const char *stages;  /* JSON, of a run that has no summary; NULL: none */
    const char *study;   /* JSON, of the run to look at of a design or sweep; NULL: none */
    const char *thinned; /* NULL: nothing is left out */
    int recorded;        /* frames in all */
    int nframe;
    const int *frame;            /* [nframe] the available ones; NULL: the first nframe */
    const double *time;          /* [recorded] [s] */
    const int64_t *frame_step;   /* [recorded] */
    const brn_shown_range *span; /* [BRN_SHOWN_COUNT] */
    const brn_plot_series *series;
    const brn_plots *plots;             /* that the scene asks for */
    brn_figure own[2][BRN_OWN_FIGURES]; /* [brn_scope][nown] the method's own figures */
    int nown;
    const char *const *note; /* [nnote] */
    int nnote;
    const brn_difference *difference; /* to the first run of a page; NULL: not known */
} brn_run_card;

/* The bytes belong to the packet, valid until it begins again. */
brn_status brn_run_packet(const brn_camera *camera, const brn_run_card *card, brn_packet *packet,
                          const void **bytes, size_t *size);

#endif
