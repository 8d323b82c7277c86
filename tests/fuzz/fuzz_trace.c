/* Any bytes as a trace: an error or samples whose times ascend, and a fit that ends; never a crash, a leak or a large allocation. */
#include "read_fuzz.h"

#include <brunt/study.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    brn_ctx *ctx = fuzz_ctx();
    brn_trace *trace = NULL;
    const double *t = NULL;
    const double *y = NULL;
    /* the first byte chooses columns */
    static const char *const value[] = {NULL, "2", "3", "x"};
    const brn_trace_options options = {.value = size > 0 ? value[data[0] % 4] : NULL};
    const brn_status status = brn_trace_parse(ctx, (const char *)data, size, "fuzz", &options, &trace);
    if ((status == BRN_OK) != (trace != NULL) || (status < 0 && brn_ctx_message(ctx)[0] == '\0')) {
        abort();
    }
    const int count = brn_trace_samples(trace, &t, &y);
    for (int i = 0; i < count; ++i) {
        if (!isfinite(t[i]) || !isfinite(y[i]) || (i > 0 && !(t[i] > t[i - 1]))) {
            abort();
        }
    }
    brn_ring_down fit;
    if (count > 0 && count < 200 && brn_ring_down_fit(ctx, t, y, count, NULL, &fit) >= 0 &&
        !(fit.mode[fit.chosen].frequency > 0.0 && isfinite(fit.mode[fit.chosen].decay))) {
        abort();
    }
    brn_trace_close(trace);
    return 0;
}
