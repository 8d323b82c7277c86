/* The times at which two recordings can be compared: those of the one with fewer in the common range, and the last time of
   that range. Where the other has none, its two neighbours are interpolated linearly in time. */
#ifndef BRN_OUTPUT_COMPARE_COMMON_TIMES_H
#define BRN_OUTPUT_COMPARE_COMMON_TIMES_H

#include "base/ctx.h"

/* The entry `at` of a recording, or (1 - weight) of it + weight of the next one; weight is in [0, 1). */
typedef struct brn_mix {
    int at;
    double weight;
} brn_mix;

typedef struct brn_common_time {
    double time;   /* [s] */
    brn_mix of[2]; /* of the two recordings */
} brn_common_time;

/* The times of a recording; path is for messages. */
typedef struct brn_recording_times {
    const char *path;
    const double *time; /* [count], [s] */
    int count;
} brn_recording_times;

/* Times must rise strictly, else BRN_ERR_FORMAT. *out [*n] is freed with brn_free; none if the ranges do not
   overlap. Times that differ only by rounding, 1e-12 of the last, are the same. */
brn_status brn_common_times_create(brn_ctx *ctx, const brn_recording_times times[2], brn_common_time **out,
                                   int *n);
/* How many are interpolated in either recording. */
int brn_common_times_mixed(const brn_common_time *moment, int n);

#endif
