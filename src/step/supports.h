/* What holds the bodies of a static run: the rigid motions that their holds, welds and springs leave free. */
#ifndef BRN_STEP_SUPPORTS_H
#define BRN_STEP_SUPPORTS_H

#include "model/model.h"

typedef struct brn_freedom {
    int body;      /* the first of those that move together; -1: everything is held */
    int motions;   /* independent rigid motions that are free */
    bool along[3]; /* a shift along this axis is one of them */
} brn_freedom;

/* The first free motions found. Bodies that are welded or sprung together move together as far as that lets them. */
brn_status brn_supports_find(brn_ctx *ctx, const brn_model *model, brn_freedom *out);
/* BRN_ERR_SCENE if a static run could float away: without contact if any motion is free, with contact if nothing is there to
   lean on. *leaning: contact has to hold something. */
brn_status brn_supports_check(brn_ctx *ctx, const brn_model *model, bool contact, bool *leaning);

#endif
