/* summary.json: one flat object of figures, written atomically at the end of a run. */
#ifndef BRN_OUTPUT_FIGURES_SUMMARY_H
#define BRN_OUTPUT_FIGURES_SUMMARY_H

#include "base/ctx.h"

/* Keys in the order of docs/output.md. NaN and infinities are written as null, the state hash as 16 hexadecimal digits
   in a string (JSON numbers hold 53 bits). method and blas: NULL is written as null. own [nown]: the method's own figures
   of a run. */
brn_status brn_summary_write(brn_ctx *ctx, const char *path, const brn_summary *summary, const char *method,
                             const char *blas, const brn_figure *own, int nown);

#endif
