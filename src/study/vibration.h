/* Inside study/: the modes that were found. */
#ifndef BRN_STUDY_VIBRATION_H
#define BRN_STUDY_VIBRATION_H

#include "base/ctx.h"

#include <brunt/study.h>

struct brn_vibration {
    brn_ctx *ctx;
    int count, nnode;
    int body;                 /* that vibrates alone; -1: all */
    bool free;                /* of what holds it */
    brn_vibration_mode *mode; /* [count] */
    double *shape;            /* [count][nnode][3] */
};

#endif
