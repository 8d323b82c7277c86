/* One mesh of a body with its modes, and comparisons of two of them. */
#ifndef BRN_STUDY_SAMPLE_H
#define BRN_STUDY_SAMPLE_H

#include "model/model.h"

#include <brunt/study.h>

typedef struct brn_sample {
    brn_ctx *ctx;
    brn_model *model;
    int body;
    brn_vibration *vibration;
    int rigid, elastic; /* modes */
} brn_sample;

/* Of the scene as it is. */
brn_status brn_sample_make(brn_ctx *ctx, brn_scene *scene, const char *body, int modes, bool held,
                           brn_sample **out);
void brn_sample_destroy(brn_sample *sample);
/* Elastic mode; its shape is [nnode][3] of the whole model. */
brn_vibration_mode brn_sample_mode(const brn_sample *sample, int index);
static inline const brn_body *brn_sample_body(const brn_sample *sample)
{
    return &sample->model->body[sample->body];
}

/* What became of modes of a fine mesh on a coarse one. */
typedef struct brn_match {
    brn_ctx *ctx;
    int modes, nnode;
    double *lambda; /* [modes] of the coarse mesh; NaN: it has no such mode */
    double *alike;  /* [modes] modal assurance criterion */
    /* [modes][nnode][3] of the coarse body's nodes, in sense and size as the fine one; 0 where there is no such mode */
    double *shape;
} brn_match;

/* The first `modes` of the fine one. */
brn_status brn_match_find(const brn_sample *fine, const brn_sample *coarse, int modes, brn_match **out);
void brn_match_destroy(brn_match *match);

/* Relative Hausdorff distance of the body's surfaces in a mode. scale: [m] of a displacement of 1. */
brn_status brn_sample_distance(const brn_sample *fine, const brn_sample *coarse, const brn_match *match,
                               int mode, double scale, double *out);

#endif
