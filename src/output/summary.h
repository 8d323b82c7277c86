/* summary.json: one flat object of figures, written atomically at the end of a run and at every checkpoint. */
#ifndef BRN_OUTPUT_SUMMARY_H
#define BRN_OUTPUT_SUMMARY_H

#include "base/ctx.h"

/* NaN and infinities are written as null. extra: further "key": value pairs, keys and JSON values, may be NULL. */
brn_status brn_summary_write(brn_ctx *ctx, const char *path, const brn_summary *summary, const char *method,
                             const char *blas);

#endif
