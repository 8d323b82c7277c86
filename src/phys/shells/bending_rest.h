/* The matrix R of a triangle, made once from the mesh at rest. Private to bending.c. */
#ifndef BRN_PHYS_SHELLS_BENDING_REST_H
#define BRN_PHYS_SHELLS_BENDING_REST_H

#include "phys/shells/bending.h"

/* What surrounds a triangle. */
typedef struct brn_bending_patch {
    const int *node;                  /* [BRN_BENDING_NODES], in the order of bending.h */
    bool present[BRN_BENDING_ANGLES]; /* which angles exist */
    bool stiff[4];                    /* neighbours 0, 1, 2 and the triangle itself that stay flat */
} brn_bending_patch;

/* The matrices of a triangle. */
typedef struct brn_bending_matrices {
    double factor[3][BRN_BENDING_ANGLES]; /* R */
    double back[3][3];                    /* from y = R (theta - theta0) to moments */
} brn_bending_matrices;

/* False if triangle `element` is degenerate at rest or its warp is its normal. */
bool brn_bending_factor(const brn_bending_options *options, const brn_bending_patch *patch,
                        const double (*rest)[3], int element, brn_bending_matrices *out);

#endif
