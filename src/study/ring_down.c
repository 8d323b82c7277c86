/* A ring-down: how sure its modes are, which of them is meant, and whether there is one at all. */
#include "study/ring_inner.h"

#include "linalg/blas.h"
#include "linalg/dense.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
enum { SAMPLES_MAX = 2000000 };
/* What a fit must show of a mode before it can be told from a drift, or from the image of a higher frequency. */
static const double PERIODS_MIN = 1.5, SAMPLES_A_PERIOD = 2.5;

brn_ring_options brn_ring_options_default(void)
{
    return (brn_ring_options){.from = NAN, .to = NAN, .modes = BRN_RING_MODES, .near = NAN};
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
    const double x = ((const brn_ring_mode *)a)->frequency;
    const double y = ((const brn_ring_mode *)b)->frequency;
    return (x > y) - (x < y);
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

/* A drift that wanders, a pulse, a square wave: as many oscillations as there may be leave a rest that is no noise, and none of them is what
   the trace is about. One that goes on for ten periods, or has nine tenths of the energy, is. */
static bool is_makeshift(const brn_ring_down *out, const brn_ring_mode *m)
{
    double energy = 0.0;
    for (int k = 0; k < out->mode_count; ++k) {
        energy += out->mode[k].energy;
    }
    return out->mode_count == BRN_RING_MODES && out->correlation > 1.4 && m->periods < 10.0 &&
           m->energy < 0.9 * energy;
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
    if (is_makeshift(out, m)) {
        return brn_fail(ctx, BRN_ERR_MISSING,
                        "no ring-down: %d oscillations do not explain the trace (what they leave is "
                        "correlated over %.0f samples), and "
                        "none of them stands out; choose a window, or how many modes there are",
                        out->mode_count, out->correlation);
    }
    /* Surely, or by a half within the window. */
    if (m->decay < -3.0 * m->decay_error || m->decay * (out->end - out->start) < -log(1.5)) {
        return brn_fail(
            ctx, BRN_ERR_MISSING,
            "no ring-down: the oscillation of %.4g Hz grows, by %.3g +- %.2g 1/s; choose a window after its "
            "largest displacement",
            m->frequency, -m->decay, m->decay_error);
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
    BRN_TRY(brn_ring_median(ctx, sy + out->samples, out->samples - 1, &spacing));
    out->spacing = spacing * scale.length;
    brn_ring_fit fit;
    brn_status status = brn_ring_fit_create(ctx, st, sy, out->samples, &fit);
    fit.rate_max = PI / spacing;
    if (status >= 0) {
        status = brn_ring_select(&fit, options->modes, &model);
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
    BRN_TRY(brn_ring_find_window(ctx, t, y, count, options, &found));
    BRN_TRY(brn_blas_reserve(ctx));
    const brn_ring_down window = found;
    BRN_TRY(fit_samples(ctx, t, y, options, &found));
    const int later = isnan(options->from) ? end_of_creep(t, &found) : found.first;
    const int left = found.first + found.samples - later;
    *out = found;
    if (later == found.first || left < BRN_RING_SAMPLES) {
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
