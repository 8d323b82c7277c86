/* A ring-down: which part of a trace it is, how many modes are in it, how sure they are, and whether there is one at all. */
#include "study/ring_inner.h"

#include "linalg/blas.h"
#include "linalg/dense.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
enum { SAMPLES_MIN = 16, SAMPLES_MAX = 2000000 };
/* What a fit must show of a mode before it can be told from a drift, or from the image of a higher frequency. */
static const double PERIODS_MIN = 1.5, SAMPLES_A_PERIOD = 2.5;
/* Fits better than this of the largest displacement are exact: what is left then would not change a digit that matters. */
static const double FLOOR = 1e-5;

brn_ring_options brn_ring_options_default(void)
{
    return (brn_ring_options){.from = NAN, .to = NAN, .modes = BRN_RING_MODES, .near = NAN};
}

/* ---- the window ------------------------------------------------------------------------------------------------------- */

static int compare_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static brn_status median_of(brn_ctx *ctx, const double *v, int count, double *out)
{
    double *sorted = NULL;
    BRN_ALLOC(ctx, sorted, count);
    memcpy(sorted, v, (size_t)count * sizeof *v);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_reals);
    *out = sorted[count / 2];
    brn_free(ctx, sorted);
    return BRN_OK;
}

/* A trace that was held before it was let go is flat about its largest displacement: the window starts at the end of that. Of what is
   above 0.8 of the largest, a crest has less in its last third than before, a flat part as much; the very last sample may be on the way
   down. */
static int end_of_hold(const double *y, int count, double rest, int largest)
{
    const double level = 0.8 * fabs(y[largest] - rest), sign = y[largest] > rest ? 1.0 : -1.0;
    int first = largest;
    int last = largest;
    double early = 0.0;
    double late = 0.0;
    while (first > 0 && sign * (y[first - 1] - rest) >= level) {
        --first;
    }
    while (last < count - 1 && sign * (y[last + 1] - rest) >= level) {
        ++last;
    }
    const int third = (last - first + 1) / 3;
    if (third < 2) {
        return largest;
    }
    for (int i = first; i < last; ++i) {
        *(i > last - third ? &late : &early) += sign * (y[i] - rest);
    }
    early /= last - first + 1 - third;
    late /= third - 1;
    if (late < 0.97 * early) {
        return largest;
    }
    while (last > first && sign * (y[last] - rest) < 0.95 * early) {
        --last;
    }
    return last;
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
    BRN_TRY(median_of(ctx, y + (last + 1) / 2, last + 1 - (last + 1) / 2, &rest));
    int at = 0;
    for (int i = 1; i <= last; ++i) {
        at = fabs(y[i] - rest) > fabs(y[at] - rest) ? i : at;
    }
    at = start_of_long(y, last, rest, at);
    at = end_of_hold(y, last + 1, rest, at);
    *first = end_of_clipping(y, last, rest, at);
    *clipped = *first > at;
    return BRN_OK;
}

/* First and number of the samples to fit. */
static brn_status find_window(brn_ctx *ctx, const double *t, const double *y, int count,
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
    if (out->samples < SAMPLES_MIN) {
        return brn_fail(ctx, BRN_ERR_MISSING,
                        "too short: %d of the %d samples are in the window%s; a ring-down needs at least %d",
                        out->samples > 0 ? out->samples : 0, count,
                        clipped ? ", which starts after the last that is clipped or held at the largest value"
                        : isnan(options->from)
                            ? ", which starts at the largest displacement (choose another start)"
                            : "",
                        SAMPLES_MIN);
    }
    out->start = t[first];
    out->end = t[last];
    return BRN_OK;
}

/* ---- how many modes ----------------------------------------------------------------------------------------------------- */

typedef struct choice {
    brn_ring_model model;
    double score;
} choice;

/* Bayes' information criterion. A mode is the best of all frequencies and decays, a few thousand of which are independent: the 6 is for that (a false
   mode in about one white noise out of 4 n). */
static double score_of(const brn_ring_fit *fit, const brn_ring_model *model)
{
    const double n = fit->count;
    const double unknowns = 4.0 * model->modes + 2.0 * model->decays + model->drift;
    return n * log(fmax(fit->squares / n, FLOOR * FLOOR)) + unknowns * log(n) +
           6.0 * (model->modes + model->decays + model->drift);
}

/* Takes the model, refined, if it is better. */
static bool consider(brn_ring_fit *fit, brn_ring_model model, choice *best)
{
    if (!brn_ring_refine(fit, &model)) {
        return false;
    }
    const double score = score_of(fit, &model);
    if (!(score < best->score)) {
        return false;
    }
    *best = (choice){.model = model, .score = score};
    return true;
}

/* The two models of the pencil that look best as they are. */
static brn_status consider_pencil(brn_ring_fit *fit, double w, int modes_max, choice *best)
{
    brn_ring_model model[BRN_RING_RANKS];
    int found = 0;
    BRN_TRY(brn_ring_pencil(fit, w, modes_max, model, &found));
    double score[BRN_RING_RANKS];
    for (int k = 0; k < found; ++k) {
        score[k] = brn_ring_evaluate(fit, &model[k]) ? score_of(fit, &model[k]) : INFINITY;
    }
    for (int pass = 0; pass < 2; ++pass) {
        int first = -1;
        for (int k = 0; k < found; ++k) {
            first = score[k] < (first < 0 ? INFINITY : score[first]) ? k : first;
        }
        if (first >= 0) {
            (void)consider(fit, model[first], best);
            score[first] = INFINITY;
        }
    }
    return BRN_OK;
}

static void remove_rate(brn_ring_model *model, int index)
{
    const int wide = index < model->modes ? 2 : 1;
    const int at = index < model->modes ? 2 * index : index + model->modes;
    memmove(model->rate + at, model->rate + at + wide,
            (size_t)(brn_ring_rates(model) - at - wide) * sizeof *model->rate);
    *(wide == 2 ? &model->modes : &model->decays) -= 1;
}

/* The decay that, beside the model as it is, leaves least. */
static double find_decay(brn_ring_fit *fit, const brn_ring_model *base)
{
    brn_ring_model model = *base;
    double best = INFINITY;
    double decay = 1.0;
    double *rate = &model.rate[brn_ring_rates(base)];
    ++model.decays;
    for (*rate = 1.0; *rate < 0.5 * fit->count; *rate *= 2.0) {
        if (brn_ring_evaluate(fit, &model) && fit->squares < best) {
            best = fit->squares;
            decay = *rate;
        }
    }
    return decay;
}

/* One part more: the best of a mode, a decay and a drift. */
static brn_status grow(brn_ring_fit *fit, int modes_max, choice *best, bool *grown)
{
    const brn_ring_model base = best->model;
    double w = 0.0;
    double d = 0.0;
    *grown = false;
    if (!brn_ring_evaluate(fit, &base)) {
        return BRN_OK;
    }
    BRN_TRY(brn_ring_find_mode(fit, &w, &d));
    if (base.modes < modes_max) {
        brn_ring_model model = base;
        memmove(model.rate + 2 * base.modes + 2, model.rate + 2 * base.modes,
                (size_t)base.decays * sizeof *model.rate);
        model.rate[2 * base.modes] = w;
        model.rate[2 * base.modes + 1] = d;
        ++model.modes;
        *grown = consider(fit, model, best) || *grown;
    }
    if (base.decays < BRN_RING_DECAYS) {
        brn_ring_model model = base;
        model.rate[2 * base.modes + base.decays] = find_decay(fit, &base);
        ++model.decays;
        *grown = consider(fit, model, best) || *grown;
    }
    if (!base.drift) {
        brn_ring_model model = base;
        model.drift = true;
        *grown = consider(fit, model, best) || *grown;
    }
    return BRN_OK;
}

/* One part less, where that is better. */
static bool shrink(brn_ring_fit *fit, choice *best)
{
    const brn_ring_model base = best->model;
    bool shrunk = false;
    for (int k = 0; k < base.modes + base.decays; ++k) {
        brn_ring_model model = base;
        remove_rate(&model, k);
        shrunk = consider(fit, model, best) || shrunk;
    }
    if (base.drift) {
        brn_ring_model model = base;
        model.drift = false;
        shrunk = consider(fit, model, best) || shrunk;
    }
    return shrunk;
}

/* The model with the best score; the fit is evaluated at it. */
static brn_status select_model(brn_ring_fit *fit, int modes_max, brn_ring_model *out)
{
    enum { ROUNDS = 30 };
    choice best = {.score = INFINITY};
    double w = 0.0;
    double d = 0.0;
    (void)consider(fit, (brn_ring_model){0}, &best);
    BRN_TRY(brn_ring_find_mode(fit, &w, &d));
    BRN_TRY(consider_pencil(fit, w, modes_max, &best));
    bool going = true;
    for (int round = 0; going && round < ROUNDS; ++round) {
        BRN_TRY(brn_ctx_check(fit->ctx));
        BRN_TRY(grow(fit, modes_max, &best, &going));
        going = shrink(fit, &best) || going;
    }
    *out = best.model;
    return brn_ring_evaluate(fit, out)
               ? BRN_OK
               : brn_fail(fit->ctx, BRN_ERR_NOT_FINITE, "ring-down: the samples cannot be fitted");
}

/* ---- how sure --------------------------------------------------------------------------------------------------------------- */

/* Samples that the rest is correlated over: 1 + 2 sum of its autocorrelations up to the first that noise alone would show. */
static double correlation_of(const brn_ring_fit *fit)
{
    const int n = fit->count;
    double sum = 1.0;
    for (int lag = 1; lag < n / 4; ++lag) {
        double product = 0.0;
        for (int i = 0; i < n - lag; ++i) {
            product += fit->rest[i] * fit->rest[i + lag];
        }
        if (!(product / fit->squares > 2.5 / sqrt(n))) {
            break;
        }
        sum += 2.0 * product / fit->squares;
    }
    return sum;
}

/* Covariance [rates][rates] of the rates in scaled units; false if it cannot be found. */
static bool covariance_of(brn_ring_fit *fit, const brn_ring_model *model, double variance, double *out)
{
    const int rates = brn_ring_rates(model), columns = brn_ring_columns(model);
    double scale[BRN_RING_RATES];
    double matrix[BRN_RING_RATES * BRN_RING_RATES];
    brn_ring_derivatives(fit, model);
    for (int i = 0; i < rates; ++i) {
        for (int j = 0; j <= i; ++j) {
            const double *a = fit->turned + (size_t)i * (size_t)fit->count;
            const double *b = fit->turned + (size_t)j * (size_t)fit->count;
            double sum = 0.0;
            for (int k = columns; k < fit->count; ++k) {
                sum += a[k] * b[k];
            }
            out[i * rates + j] = out[j * rates + i] = sum;
        }
    }
    for (int i = 0; i < rates; ++i) {
        scale[i] = 1.0 / sqrt(out[i * rates + i]);
    }
    for (int i = 0; i < rates * rates; ++i) {
        matrix[i] = out[i] * scale[i / rates] * scale[i % rates];
    }
    for (int i = 0; i < rates; ++i) {
        double a[BRN_RING_RATES * BRN_RING_RATES];
        double column[BRN_RING_RATES] = {0.0};
        column[i] = variance * scale[i];
        memcpy(a, matrix, (size_t)(rates * rates) * sizeof *a);
        if (brn_dense_solve_spd(rates, a, column) < 0) {
            return false;
        }
        for (int j = 0; j < rates; ++j) {
            out[j * rates + i] = column[j] * scale[j];
        }
    }
    return true;
}

/* Integral of the square of exp(-d t)(a cos w t + b sin w t) from 0 to `length`. */
static double energy_of(double w, double d, double a, double b, double length)
{
    /* the real part of A exp(s t), A = a - i b: |A|^2/2 int exp(-2 d t) + Re(A^2/2 int exp(2 s t)) */
    const double complex size = a - I * b, s = -d + I * w;
    const double complex whole = 0.5 * size * size * (cexp(2.0 * s * length) - 1.0) / (2.0 * s);
    const double plain = fabs(d * length) > 1e-8 ? -expm1(-2.0 * d * length) / (2.0 * d) : length;
    return 0.5 * (a * a + b * b) * plain + creal(whole);
}

typedef struct scaling {
    double length; /* [s] of the window */
    double middle, size;
} scaling;

static int compare_modes(const void *a, const void *b)
{
    return compare_reals(&((const brn_ring_mode *)a)->frequency, &((const brn_ring_mode *)b)->frequency);
}

static void describe_mode(const brn_ring_fit *fit, const brn_ring_model *model, const scaling *scale,
                          const double *covariance, int k, brn_ring_mode *out)
{
    const int rates = brn_ring_rates(model), column = 1 + model->drift + 2 * k, w = 2 * k, d = w + 1;
    const double unit = 1.0 / scale->length;
    const double *c = covariance;
    *out = (brn_ring_mode){
        .frequency = model->rate[w] * unit / (2.0 * PI),
        .decay = model->rate[d] * unit,
        .frequency_error = c != NULL ? sqrt(c[w * rates + w]) * unit / (2.0 * PI) : INFINITY,
        .decay_error = c != NULL ? sqrt(c[d * rates + d]) * unit : INFINITY,
        .covariance = c != NULL ? c[w * rates + d] * unit * unit / (2.0 * PI) : 0.0,
        .cosine = fit->size[column] * scale->size,
        .sine = fit->size[column + 1] * scale->size,
    };
    out->amplitude = hypot(out->cosine, out->sine);
    out->energy = energy_of(2.0 * PI * out->frequency, out->decay, out->cosine, out->sine, scale->length);
}

static void count_periods(brn_ring_down *out)
{
    const double length = out->end - out->start;
    for (int k = 0; k < out->mode_count; ++k) {
        brn_ring_mode *m = &out->mode[k];
        double seen = length;
        if (m->decay > 0.0) {
            seen = fmin(seen, log(fmax(m->amplitude / out->noise, 1.0)) / m->decay);
        }
        m->periods = seen * m->frequency;
    }
}

static void describe(brn_ring_fit *fit, const brn_ring_model *model, const scaling *scale, brn_ring_down *out)
{
    const int unknowns = brn_ring_rates(model) + brn_ring_columns(model);
    double covariance[BRN_RING_RATES * BRN_RING_RATES];
    out->correlation = correlation_of(fit);
    /* Rounding of the samples is the least of errors. */
    const double variance = fmax(fit->squares / (fit->count - unknowns), 1e-30) * out->correlation;
    const bool sure = covariance_of(fit, model, variance, covariance);
    out->mode_count = model->modes;
    for (int k = 0; k < model->modes; ++k) {
        describe_mode(fit, model, scale, sure ? covariance : NULL, k, &out->mode[k]);
    }
    qsort(out->mode, (size_t)out->mode_count, sizeof *out->mode, compare_modes);
    out->decay_count = model->decays;
    for (int k = 0; k < model->decays; ++k) {
        out->decay[k] = model->rate[2 * model->modes + k] / scale->length;
        out->decay_size[k] = fit->size[1 + model->drift + 2 * model->modes + k] * scale->size;
    }
    out->drifts = model->drift;
    out->drift = model->drift ? fit->size[1] * scale->size / scale->length : 0.0;
    out->offset = scale->middle + fit->size[0] * scale->size - 0.5 * out->drift * scale->length;
    out->noise = sqrt(fit->squares / fit->count) * scale->size;
    count_periods(out);
}

/* Root mean square of the modes over the samples. */
static double signal_of(const brn_ring_down *out, const double *t)
{
    brn_ring_down bare = *out;
    double sum = 0.0;
    bare.offset = bare.drift = 0.0;
    bare.decay_count = 0;
    for (int i = 0; i < out->samples; ++i) {
        const double value = brn_ring_down_at(&bare, t[out->first + i]);
        sum += value * value;
    }
    return sqrt(sum / out->samples);
}

/* ---- which, and whether ------------------------------------------------------------------------------------------------------ */

/* How much a mode is the wanted one; the largest is taken. */
static double preference(const brn_ring_mode *m, const brn_ring_options *options)
{
    switch (options->pick) {
    case BRN_RING_LOWEST:
        return -m->frequency;
    case BRN_RING_NEAREST:
        return -fabs(m->frequency - options->near);
    case BRN_RING_STRONGEST:
        break;
    }
    return m->energy;
}

/* A mode that can be told from a drift and from an image. */
static bool is_seen(const brn_ring_mode *m, const brn_ring_down *out)
{
    return m->frequency * (out->end - out->start) >= PERIODS_MIN &&
           m->frequency * out->spacing * SAMPLES_A_PERIOD <= 1.0;
}

static int choose(const brn_ring_down *out, const brn_ring_options *options, bool seen)
{
    int best = -1;
    for (int k = 0; k < out->mode_count; ++k) {
        if ((!seen || is_seen(&out->mode[k], out)) &&
            (best < 0 || preference(&out->mode[k], options) > preference(&out->mode[best], options))) {
            best = k;
        }
    }
    return best;
}

static brn_status refuse_none(brn_ctx *ctx, const brn_ring_down *out)
{
    if (out->decay_count > 0) {
        return brn_fail(
            ctx, BRN_ERR_MISSING,
            "no oscillation: the trace decays without one, at a rate of %.4g 1/s (time constant %.4g s)",
            out->decay[0], 1.0 / out->decay[0]);
    }
    return brn_fail(ctx, BRN_ERR_MISSING,
                    "no oscillation: %s and noise of %.3g (root mean square) explain the trace as well",
                    out->drifts ? "a straight line" : "a constant", out->noise);
}

static brn_status refuse_unseen(brn_ctx *ctx, const brn_ring_down *out, const brn_ring_mode *m)
{
    const double length = out->end - out->start;
    if (m->frequency * length < PERIODS_MIN) {
        return brn_fail(
            ctx, BRN_ERR_MISSING,
            "too short: the window of %.4g s holds %.2f periods of %.4g Hz; %.1f are needed to tell an "
            "oscillation from a drift",
            length, m->frequency * length, m->frequency, PERIODS_MIN);
    }
    return brn_fail(
        ctx, BRN_ERR_MISSING,
        "under-sampled: %.4g Hz has %.2f samples a period, and may be the image of a higher frequency; "
        "%.1f are needed",
        m->frequency, 1.0 / (m->frequency * out->spacing), SAMPLES_A_PERIOD);
}

static brn_status judge(brn_ctx *ctx, brn_ring_down *out, const brn_ring_options *options)
{
    if (out->mode_count == 0) {
        return refuse_none(ctx, out);
    }
    out->chosen = choose(out, options, true);
    if (out->chosen < 0) {
        return refuse_unseen(ctx, out, &out->mode[choose(out, options, false)]);
    }
    const brn_ring_mode *m = &out->mode[out->chosen];
    if (!(m->frequency_error <= 0.1 * m->frequency)) {
        return brn_fail(
            ctx, BRN_ERR_MISSING,
            "too little of an oscillation: %.4g Hz is uncertain by %.2g Hz (signal to noise %.1f dB)",
            m->frequency, m->frequency_error, out->signal_noise);
    }
    if (m->decay < -3.0 * m->decay_error) {
        return brn_fail(
            ctx, BRN_ERR_MISSING,
            "no ring-down: the oscillation of %.4g Hz grows, by %.3g 1/s; choose a window after its "
            "largest displacement",
            m->frequency, -m->decay);
    }
    return BRN_OK;
}

/* ---- all together -------------------------------------------------------------------------------------------------------------- */

static brn_status check_samples(brn_ctx *ctx, const double *t, const double *y, int count,
                                const brn_ring_options *options)
{
    if (count < 1 || count > SAMPLES_MAX) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%d samples: must be 1 to %d", count, SAMPLES_MAX);
    }
    if (options->modes < 1 || options->modes > BRN_RING_MODES) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%d modes: must be 1 to %d", options->modes, BRN_RING_MODES);
    }
    if (options->pick == BRN_RING_NEAREST && !(options->near > 0.0 && options->near < INFINITY)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "the mode near %g Hz: must be > 0", options->near);
    }
    for (int i = 0; i < count; ++i) {
        if (!isfinite(t[i]) || !isfinite(y[i])) {
            return brn_fail(ctx, BRN_ERR_RANGE, "sample %d is not finite", i + 1);
        }
        if (i > 0 && !(t[i] > t[i - 1])) {
            return brn_fail(ctx, BRN_ERR_RANGE, "sample %d: time %.9g does not come after %.9g", i + 1, t[i],
                            t[i - 1]);
        }
    }
    return BRN_OK;
}

/* The samples of the window about their middle, scaled. A trace that does not change is refused. */
static brn_status scale_samples(brn_ctx *ctx, const double *t, const double *y, const brn_ring_down *out,
                                scaling *scale, double *st, double *sy)
{
    double lo = y[out->first];
    double hi = lo;
    for (int i = 0; i < out->samples; ++i) {
        lo = fmin(lo, y[out->first + i]);
        hi = fmax(hi, y[out->first + i]);
    }
    *scale = (scaling){
        .length = out->end - out->start, .middle = 0.5 * lo + 0.5 * hi, .size = 0.5 * hi - 0.5 * lo};
    if (!(scale->size > 1e-12 * fmax(fabs(lo), fabs(hi)))) {
        return brn_fail(ctx, BRN_ERR_MISSING, "no oscillation: the trace is constant, %g", lo);
    }
    for (int i = 0; i < out->samples; ++i) {
        st[i] = (t[out->first + i] - out->start) / scale->length;
        sy[i] = (y[out->first + i] - scale->middle) / scale->size;
    }
    return BRN_OK;
}

/* st, sy: room for the scaled samples. */
static brn_status fit_window(brn_ctx *ctx, const double *t, const double *y, const brn_ring_options *options,
                             double *st, double *sy, brn_ring_down *out)
{
    scaling scale;
    brn_ring_model model;
    BRN_TRY(scale_samples(ctx, t, y, out, &scale, st, sy));
    for (int i = 0; i + 1 < out->samples; ++i) {
        sy[out->samples + i] = st[i + 1] - st[i];
    }
    double spacing = 0.0;
    BRN_TRY(median_of(ctx, sy + out->samples, out->samples - 1, &spacing));
    out->spacing = spacing * scale.length;
    brn_ring_fit fit;
    brn_status status = brn_ring_fit_create(ctx, st, sy, out->samples, &fit);
    fit.rate_max = PI / spacing;
    if (status >= 0) {
        status = select_model(&fit, options->modes, &model);
    }
    if (status >= 0) {
        describe(&fit, &model, &scale, out);
        out->signal_noise = 20.0 * log10(signal_of(out, t) / out->noise);
        status = judge(ctx, out, options);
    }
    brn_ring_fit_clear(&fit);
    return status;
}

static brn_status fit_samples(brn_ctx *ctx, const double *t, const double *y, const brn_ring_options *options,
                              brn_ring_down *out)
{
    double *st = NULL;
    BRN_ALLOC(ctx, st, out->samples);
    double *sy = brn_calloc(ctx, 2 * (size_t)out->samples, sizeof *sy);
    const brn_blas_threads threads = brn_blas_begin();
    const brn_status status = sy != NULL ? fit_window(ctx, t, y, options, st, sy, out) : BRN_ERR_MEMORY;
    brn_blas_end(threads);
    brn_free(ctx, st);
    brn_free(ctx, sy);
    return status;
}

/* With damping beta K higher modes of a heavily damped body creep back, at rates of 1/beta and more. Beside noise they cannot be told from the
   first part of the mode, and would shift its decay: after 2 beta they are gone, and little of the mode. */
static int end_of_creep(const double *t, const brn_ring_down *fit)
{
    const brn_ring_mode *m = &fit->mode[fit->chosen];
    const double w = 2.0 * PI * m->frequency, d = m->decay;
    const double until = fmin(4.0 * d / (w * w + d * d), 0.2 / d);
    int first = fit->first;
    while (d > 0.02 * w && first < fit->first + fit->samples - 1 && t[first] - fit->start < until) {
        ++first;
    }
    return first;
}

brn_status brn_ring_down_fit(brn_ctx *ctx, const double *t, const double *y, int count,
                             const brn_ring_options *options, brn_ring_down *out)
{
    const brn_ring_options usual = brn_ring_options_default();
    BRN_GIVEN(ctx, out);
    *out = (brn_ring_down){0};
    BRN_GIVEN(ctx, ctx);
    BRN_GIVEN(ctx, t);
    BRN_GIVEN(ctx, y);
    options = options != NULL ? options : &usual;
    BRN_TRY(check_samples(ctx, t, y, count, options));
    brn_ring_down found = {0};
    BRN_TRY(find_window(ctx, t, y, count, options, &found));
    BRN_TRY(brn_blas_reserve(ctx));
    const brn_ring_down window = found;
    BRN_TRY(fit_samples(ctx, t, y, options, &found));
    const int later = isnan(options->from) ? end_of_creep(t, &found) : found.first;
    const int left = found.first + found.samples - later;
    *out = found;
    if (later == found.first || left < SAMPLES_MIN) {
        return BRN_OK;
    }
    found = window;
    found.first = later;
    found.samples = left;
    found.start = t[later];
    const brn_status status = fit_samples(ctx, t, y, options, &found);
    if (status >= 0) {
        *out = found;
    } else if (status != BRN_ERR_MISSING) {
        *out = (brn_ring_down){0};
    }
    return status == BRN_ERR_MISSING ? BRN_OK : status;
}

double brn_ring_down_at(const brn_ring_down *fit, double time)
{
    if (fit == NULL) {
        return NAN;
    }
    const double t = time - fit->start;
    double sum = fit->offset + fit->drift * t;
    for (int k = 0; k < fit->mode_count && k < BRN_RING_MODES; ++k) {
        const brn_ring_mode *m = &fit->mode[k];
        const double angle = 2.0 * PI * m->frequency * t;
        sum += exp(-m->decay * t) * (m->cosine * cos(angle) + m->sine * sin(angle));
    }
    for (int k = 0; k < fit->decay_count && k < BRN_RING_DECAYS; ++k) {
        sum += fit->decay_size[k] * exp(-fit->decay[k] * t);
    }
    return sum;
}

void brn_ring_mode_unshift(brn_ring_mode *mode, double step)
{
    if (mode == NULL || !(step > 0.0)) {
        return;
    }
    const double complex s = -mode->decay + 2.0 * PI * I * mode->frequency;
    const double complex exact = 2.0 / step * ctanh(0.5 * step * s);
    mode->decay = -creal(exact);
    mode->frequency = cimag(exact) / (2.0 * PI);
}
