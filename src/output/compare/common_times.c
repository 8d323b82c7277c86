#include "output/compare/common_times.h"

#include <math.h>

static brn_status check_times(brn_ctx *ctx, const brn_recording_times *times)
{
    const double *time = times->time;
    for (int i = 0; i < times->count; ++i) {
        if (!isfinite(time[i]) || (i > 0 && !(time[i] > time[i - 1]))) {
            return brn_fail(ctx, BRN_ERR_FORMAT, "%s: time %d is %g: times must rise", times->path, i,
                            time[i]);
        }
    }
    return BRN_OK;
}

/* Where t is in a recording that covers it; the search continues from `at`, so that a walk through all moments is linear. */
static brn_mix locate(const double *time, int count, int at, double t, double slack)
{
    while (at + 1 < count && time[at + 1] <= t + slack) {
        ++at;
    }
    const bool there = t <= time[at] + slack || at + 1 == count;
    return (brn_mix){.at = at, .weight = there ? 0.0 : (t - time[at]) / (time[at + 1] - time[at])};
}

brn_status brn_common_times_create(brn_ctx *ctx, const brn_recording_times times[2], brn_common_time **out,
                                   int *n)
{
    *out = NULL;
    *n = 0;
    BRN_TRY(check_times(ctx, &times[0]));
    BRN_TRY(check_times(ctx, &times[1]));
    const double *const time[2] = {times[0].time, times[1].time};
    const int count[2] = {times[0].count, times[1].count};
    if (count[0] == 0 || count[1] == 0) {
        return BRN_OK;
    }

    /* The range that both cover, and how many entries each has there. */
    const double first = fmax(time[0][0], time[1][0]);
    const double last = fmin(time[0][count[0] - 1], time[1][count[1] - 1]);
    const double slack = 1e-12 * fmax(fabs(first), fabs(last));
    int begin[2], inside[2];
    for (int r = 0; r < 2; ++r) {
        begin[r] = inside[r] = 0;
        while (begin[r] < count[r] && time[r][begin[r]] < first - slack) {
            ++begin[r];
        }
        while (begin[r] + inside[r] < count[r] && time[r][begin[r] + inside[r]] <= last + slack) {
            ++inside[r];
        }
    }
    if (last < first - slack) {
        return BRN_OK;
    }

    const int lead = inside[1] < inside[0] ? 1 : 0;
    brn_common_time *list = NULL;
    BRN_ALLOC(ctx, list, inside[lead] + 1);
    int at[2] = {0, 0};
    for (int i = 0; i <= inside[lead]; ++i) {
        const double t = i < inside[lead] ? time[lead][begin[lead] + i] : last;
        if (i == inside[lead] && *n > 0 && t <= list[*n - 1].time + slack) {
            break; /* the last common time is already included */
        }
        list[*n].time = t;
        for (int r = 0; r < 2; ++r) {
            list[*n].of[r] = locate(time[r], count[r], at[r], t, slack);
            at[r] = list[*n].of[r].at;
        }
        ++*n;
    }
    *out = list;
    return BRN_OK;
}

int brn_common_times_mixed(const brn_common_time *moment, int n)
{
    int mixed = 0;
    for (int i = 0; i < n; ++i) {
        mixed += moment[i].of[0].weight > 0.0 || moment[i].of[1].weight > 0.0;
    }
    return mixed;
}
