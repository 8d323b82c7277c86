/* A factor rounded to single precision, in the order in which substitution reads it. What a substitution costs is reading the
   factor: this is less than half of it. Good enough as a preconditioner. Private to the factorisation. */
#ifndef BRN_LINALG_FRONT_PACK_H
#define BRN_LINALG_FRONT_PACK_H

#include "linalg/front_tree.h"

typedef struct brn_front_pack {
    size_t *start; /* [nfront + 1] where a front's columns start in value */
    size_t start_capacity;
    float *value;
    size_t value_capacity;
} brn_front_pack;

/* Rounds the values of brn_front_factor; the arrays of the pack are kept and grow as needed. What is too large for single
   precision becomes infinite. */
brn_status brn_front_pack_fill(const brn_front_tree *tree, const double *value, brn_front_pack *pack);
void brn_front_pack_free(brn_ctx *ctx, brn_front_pack *pack);

/* As brn_front_dense_forward and brn_front_dense_backward, in double precision with the rounded columns; going down, these are
   read from their end. */
void brn_front_pack_forward(const brn_front_shape *shape, const float *packed, double *y);
void brn_front_pack_backward(const brn_front_shape *shape, const float *packed_end, double *y);

#endif
