/* Which part of a trace is a ring-down: from where it was let go. */
#include "study/ring_inner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

brn_status brn_ring_median(brn_ctx *ctx, const double *v, int count, double *out)
{
    double *sorted = NULL;
    BRN_ALLOC(ctx, sorted, count);
    memcpy(sorted, v, (size_t)count * sizeof *v);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_reals);
    *out = sorted[count / 2];
    brn_free(ctx, sorted);
    return BRN_OK;
}

/* Standard deviation of the noise, by third differences, which see little of an oscillation: those of a sine with 25 samples a period are 0.016
   of it. */
static brn_status noise_of(brn_ctx *ctx, const double *y, int count, double *out)
{
    double *third = NULL;
    *out = 0.0;
    if (count < BRN_RING_SAMPLES) {
        return BRN_OK;
    }
    BRN_ALLOC(ctx, third, count - 3);
    for (int i = 0; i < count - 3; ++i) {
        third[i] = fabs(y[i + 3] - 3.0 * y[i + 2] + 3.0 * y[i + 1] - y[i]);
    }
    const brn_status status = brn_ring_median(ctx, third, count - 3, out);
    *out /= 0.6745 * sqrt(20.0); /* of a normal distribution */
    brn_free(ctx, third);
    return status;
}

/* A lobe as part of a cosine: whole from `first` to `let_go`, falling to a half at `last`; or, where let_go < 0, a crest that rises from a half and
   falls to a half. Sum of the squares that are left of the samples. */
static double lobe_misfit(const double *y, double rest, int first, int last, int let_go)
{
    const double third = 1.0471975511965976; /* cos = 1/2 */
    double vs = 0.0;
    double ss = 0.0;
    double vv = 0.0;
    for (int i = first; i <= last; ++i) {
        const double place = let_go < 0    ? 2.0 * (i - first) / (last - first) - 1.0
                             : i <= let_go ? 0.0
                                           : (double)(i - let_go) / (last - let_go);
        const double v = y[i] - rest;
        const double shape = cos(third * place);
        vs += v * shape;
        ss += shape * shape;
        vv += v * v;
    }
    return vv - vs * vs / ss;
}

/* A trace that was held before it was let go is flat about its largest displacement, and the window starts at the end of that. What is
   about the largest and above a half of it, noise left out, is a lobe: flat and then falling, or a crest. The window of a hold starts where 0.95
   of it is left: a little late does no harm, a little early does. */
static int end_of_hold(const double *y, int count, double rest, double noise, int largest)
{
    enum { STEPS = 24 };
    const double size = fabs(y[largest] - rest);
    const double level = 0.5 * fmax(size - 2.0 * noise, 0.5 * size);
    const double sign = y[largest] > rest ? 1.0 : -1.0;
    int first = largest;
    int last = largest;
    while (first > 0 && sign * (y[first - 1] - rest) >= level) {
        --first;
    }
    while (last < count - 1 && sign * (y[last + 1] - rest) >= level) {
        ++last;
    }
    if (last - first < 5) {
        return largest;
    }
    /* Where it was let go: coarse, then fine. */
    int best = first;
    double least = INFINITY;
    int lo = first;
    int hi = last - 1;
    while (hi - lo >= 1) {
        const int step = (hi - lo) / STEPS + 1;
        for (int i = lo; i <= hi; i += step) {
            const double misfit = lobe_misfit(y, rest, first, last, i);
            best = misfit < least ? i : best;
            least = fmin(least, misfit);
        }
        if (step == 1) {
            break;
        }
        lo = best - step > first ? best - step : first;
        hi = best + step < last - 1 ? best + step : last - 1;
    }
    const bool held = best - first > 1 + (last - first) / 10 && least < lobe_misfit(y, rest, first, last, -1);
    return held ? best + (int)(0.3 * (last - best)) : largest;
}

/* Half of what the samples from `first` on span. */
static double swing(const double *y, int first, int last)
{
    double lo = y[first];
    double hi = lo;
    for (int i = first; i <= last; ++i) {
        lo = fmin(lo, y[i]);
        hi = fmax(hi, y[i]);
    }
    return 0.5 * (hi - lo);
}

/* A trace that swings at its end as at its beginning has its largest displacement anywhere, by noise or drift: it starts with the first
   displacement of half that size from which it has swung to the other side since. */
static int start_of_long(const double *y, int last, double rest, int largest)
{
    if (swing(y, last - last / 4, last) < 0.5 * swing(y, 0, last)) {
        return largest;
    }
    const double level = 0.5 * fabs(y[largest] - rest);
    int found = largest;
    bool crossed = false; /* between i and the largest, or found there */
    for (int i = largest; i >= 0; --i) {
        crossed = crossed || (y[i] - rest) * (y[largest] - rest) < 0.0;
        found = crossed && fabs(y[i] - rest) >= level ? i : found;
    }
    return found;
}

/* How many samples have the largest value (the smallest, where sign < 0), how many the next one, and where the last of the first is. */
typedef struct extreme {
    double value, next;
    int count, next_count, last;
} extreme;

static extreme find_extreme(const double *y, int last, double sign)
{
    extreme e = {.value = -INFINITY, .next = -INFINITY};
    for (int i = 0; i <= last; ++i) {
        const double v = sign * y[i];
        if (v > e.value) {
            e = (extreme){.value = v, .next = e.value, .next_count = e.count};
        } else if (v > e.next && v < e.value) {
            e.next = v;
            e.next_count = 0;
        }
        e.count += v == e.value;
        e.next_count += v == e.next;
        e.last = v == e.value ? i : e.last;
    }
    e.value *= sign;
    return e;
}

/* An instrument at its end, or what was held, gives one value again and again: the window starts after the last of it. The digits of an
   instrument repeat the value of a crest too, but hardly more than twice as often as the next one. */
static int end_of_clipping(const double *y, int last, double rest, int first)
{
    const double size = fabs(y[first] - rest);
    int start = first;
    for (int side = -1; side <= 1; side += 2) {
        const extreme e = find_extreme(y, last, side);
        if (e.count >= 3 && e.count >= 4 * e.next_count && fabs(e.value - rest) >= 0.5 * size &&
            e.last > start) {
            start = e.last;
        }
    }
    return start;
}

/* Where the window starts by itself. */
static brn_status find_start(brn_ctx *ctx, const double *y, int last, int *first, bool *clipped)
{
    double rest = 0.0; /* where it comes to rest: about the middle of what the second half sees */
    double noise = 0.0;
    BRN_TRY(brn_ring_median(ctx, y + (last + 1) / 2, last + 1 - (last + 1) / 2, &rest));
    int at = 0;
    for (int i = 1; i <= last; ++i) {
        at = fabs(y[i] - rest) > fabs(y[at] - rest) ? i : at;
    }
    at = start_of_long(y, last, rest, at);
    BRN_TRY(noise_of(ctx, y, last + 1, &noise));
    at = end_of_hold(y, last + 1, rest, noise, at);
    *first = end_of_clipping(y, last, rest, at);
    *clipped = *first > at;
    return BRN_OK;
}

brn_status brn_ring_find_window(brn_ctx *ctx, const double *t, const double *y, int count,
                                const brn_ring_options *options, brn_ring_down *out)
{
    int first = 0;
    int last = count - 1;
    bool clipped = false;
    while (!isnan(options->to) && last >= 0 && t[last] > options->to) {
        --last;
    }
    while (!isnan(options->from) && first <= last && t[first] < options->from) {
        ++first;
    }
    if (isnan(options->from) && last >= 0) {
        BRN_TRY(find_start(ctx, y, last, &first, &clipped));
    }
    out->first = first;
    out->samples = last - first + 1;
    if (last >= 0 && !(swing(y, 0, last) > 1e-12 * fabs(y[0]))) {
        return brn_fail(ctx, BRN_ERR_MISSING, "no oscillation: the trace is constant, %g", y[0]);
    }
    if (out->samples < BRN_RING_SAMPLES) {
        return brn_fail(ctx, BRN_ERR_MISSING,
                        "too short: %d of the %d samples are in the window%s; a ring-down needs at least %d",
                        out->samples > 0 ? out->samples : 0, count,
                        clipped ? ", which starts after the last that is clipped or held at the largest value"
                        : isnan(options->from)
                            ? ", which starts at the largest displacement (choose another start)"
                            : "",
                        BRN_RING_SAMPLES);
    }
    out->start = t[first];
    out->end = t[last];
    return BRN_OK;
}
