/* Where the fit of a ring-down starts: matched filters by FFT, and the matrix pencil. They work on samples that are spaced evenly, which others are interpolated to; the fit
   itself is of the samples as they are. */
#include "study/ring_inner.h"

#include "linalg/blas.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* v on the grid i/(m - 1) by linear interpolation. */
static void space_evenly(const brn_ring_fit *fit, const double *v, double *out, int m)
{
    int k = 0;
    for (int i = 0; i < m; ++i) {
        const double t = (double)i / (m - 1);
        while (k < fit->count - 2 && fit->t[k + 1] < t) {
            ++k;
        }
        const double part = (t - fit->t[k]) / (fit->t[k + 1] - fit->t[k]);
        out[i] = (1.0 - part) * v[k] + part * v[k + 1];
    }
}

/* ---- matched filters ------------------------------------------------------------------------------------------------------ */

/* In place, n a power of 2: sum v[j] exp(-2 pi i j k/n). */
static void transform(double complex *v, size_t n)
{
    for (size_t i = 1, j = 0; i < n; ++i) {
        size_t bit = n >> 1;
        for (; (j & bit) != 0; bit >>= 1) {
            j ^= bit;
        }
        j ^= bit;
        if (i < j) {
            const double complex swap = v[i];
            v[i] = v[j];
            v[j] = swap;
        }
    }
    for (size_t half = 1; half < n; half *= 2) {
        for (size_t k = 0; k < half; ++k) {
            const double angle = -PI * (double)k / (double)half;
            const double complex turn = cos(angle) + I * sin(angle);
            for (size_t i = k; i < n; i += 2 * half) {
                const double complex odd = turn * v[i + half];
                v[i + half] = v[i] - odd;
                v[i] += odd;
            }
        }
    }
}

/* What exp(-d t) exp(-i w t) takes of the samples is largest, over its length, where w and d are those of the signal. */
static void match(const double *even, int count, double complex *v, size_t size, double *w, double *d)
{
    double best = -1.0;
    for (double decay = 0.0; decay<0.5 * count; decay = decay> 0.0 ? 1.7 * decay : 1.0) {
        double length = 0.0;
        for (int i = 0; i < count; ++i) {
            const double weight = exp(-decay * i / (count - 1));
            v[i] = weight * even[i];
            length += weight * weight;
        }
        memset(v + count, 0, (size - (size_t)count) * sizeof *v);
        transform(v, size);
        for (size_t k = 1; k < size / 2; ++k) {
            const double rate = 2.0 * PI * (double)k / (double)size * (count - 1);
            const double score = (creal(v[k]) * creal(v[k]) + cimag(v[k]) * cimag(v[k])) / length;
            /* less than half a period is no oscillation */
            if (rate >= PI && score > best) {
                best = score;
                *w = rate;
                *d = decay;
            }
        }
    }
}

brn_status brn_ring_find_mode(const brn_ring_fit *fit, double *w, double *d)
{
    brn_ctx *ctx = fit->ctx;
    size_t size = 64;
    while (size < 2 * (size_t)fit->count) {
        size *= 2;
    }
    *w = 2.0 * PI;
    *d = 0.0;
    double *even = brn_calloc(ctx, (size_t)fit->count, sizeof *even);
    double complex *v = brn_calloc(ctx, size, sizeof *v);
    const bool room = even != NULL && v != NULL;
    if (room) {
        space_evenly(fit, fit->rest, even, fit->count);
        match(even, fit->count, v, size, w, d);
    }
    brn_free(ctx, even);
    brn_free(ctx, v);
    return room ? BRN_OK : BRN_ERR_MEMORY;
}

/* ---- the matrix pencil ------------------------------------------------------------------------------------------------------ */

/* Rows of the Hankel matrix H[i][j] = v[i + j] lie in the space of (1, z, z^2, ...) of all poles z; of its leading right singular vectors V the part
   without the first row is that without the last one times a matrix whose eigenvalues are the z. */
typedef struct pencil {
    int count, lag;  /* samples; columns of H are lag + 1 */
    double spacing;  /* of the samples, in units of the window */
    double *hankel;  /* [lag + 1][count - lag] columns */
    double *vectors; /* [lag + 1][lag + 1] LAPACK's VT: entry of vector r at j is [j * (lag + 1) + r] */
    double *values, *work;
    int room;
} pencil;

enum { PENCIL_SAMPLES = 240 };

static brn_status pencil_create(brn_ctx *ctx, pencil *p)
{
    const size_t wide = (size_t)p->lag + 1, high = (size_t)(p->count - p->lag);
    p->room = 64 * PENCIL_SAMPLES;
    BRN_ALLOC(ctx, p->hankel, wide * high);
    BRN_ALLOC(ctx, p->vectors, wide * wide);
    BRN_ALLOC(ctx, p->values, wide);
    BRN_ALLOC(ctx, p->work, p->room);
    return BRN_OK;
}

static void pencil_clear(brn_ctx *ctx, pencil *p)
{
    brn_free(ctx, p->hankel);
    brn_free(ctx, p->vectors);
    brn_free(ctx, p->values);
    brn_free(ctx, p->work);
}

static bool pencil_decompose(pencil *p, const double *v)
{
    const int high = p->count - p->lag, wide = p->lag + 1, one = 1;
    int info = 0;
    for (int j = 0; j < wide; ++j) {
        memcpy(p->hankel + (size_t)j * (size_t)high, v + j, (size_t)high * sizeof *v);
    }
    dgesvd_("N", "S", &high, &wide, p->hankel, &high, p->values, NULL, &one, p->vectors, &wide, p->work,
            &p->room, &info);
    return info == 0;
}

/* The poles of a rank; false if they cannot be found. */
static bool pencil_poles(pencil *p, int rank, double *re, double *im)
{
    const int lag = p->lag, one = 1;
    double *left = p->hankel, *right = left + (size_t)rank * (size_t)lag;
    double matrix[BRN_RING_RANKS * BRN_RING_RANKS];
    int info = 0;
    for (int r = 0; r < rank; ++r) {
        for (int j = 0; j < lag; ++j) {
            left[r * lag + j] = p->vectors[(size_t)j * (size_t)(lag + 1) + (size_t)r];
            right[r * lag + j] = p->vectors[(size_t)(j + 1) * (size_t)(lag + 1) + (size_t)r];
        }
    }
    dgels_("N", &lag, &rank, &rank, left, &lag, right, &lag, p->work, &p->room, &info);
    for (int r = 0; r < rank; ++r) {
        memcpy(matrix + r * rank, right + (size_t)r * (size_t)lag, (size_t)rank * sizeof(double));
    }
    if (info == 0) {
        dgeev_("N", "N", &rank, matrix, &rank, re, im, NULL, &one, NULL, &one, p->work, &p->room, &info);
    }
    return info == 0;
}

/* Poles as modes and decays; those that hardly change within the window are offset and drift. */
static brn_ring_model model_of(const double *re, const double *im, int rank, double spacing, int modes_max)
{
    brn_ring_model model = {0};
    double decay[BRN_RING_DECAYS];
    for (int r = 0; r < rank; ++r) {
        const double d = -log(hypot(re[r], im[r])) / spacing, w = fabs(atan2(im[r], re[r])) / spacing;
        if (im[r] > 0.0 && w >= 0.5 && model.modes < modes_max) {
            model.rate[2 * model.modes] = w;
            model.rate[2 * model.modes + 1] = fmax(d, -1.0);
            ++model.modes;
        } else if (im[r] == 0.0 && re[r] > 0.0 && fabs(d) > 1.0 && model.decays < BRN_RING_DECAYS) {
            decay[model.decays++] = d;
        }
    }
    memcpy(model.rate + 2 * model.modes, decay, (size_t)model.decays * sizeof *decay);
    return model;
}

/* Means of `block` samples have the poles of the samples, and less noise. */
static void average(const double *v, int block, double *out, int count)
{
    for (int i = 0; i < count; ++i) {
        out[i] = 0.0;
        for (int k = 0; k < block; ++k) {
            out[i] += v[i * block + k] / block;
        }
    }
}

brn_status brn_ring_pencil(const brn_ring_fit *fit, double w, int modes_max,
                           brn_ring_model model[BRN_RING_RANKS], int *found)
{
    brn_ctx *ctx = fit->ctx;
    /* A dozen samples a period of w or more, and the first of them. */
    const int whole = fit->count / PENCIL_SAMPLES > 1 ? fit->count / PENCIL_SAMPLES : 1;
    const int block = (int)fmin(whole, fmax(1.0, floor(2.0 * PI / w * (fit->count - 1) / 12.0)));
    const int most = fit->count / block;
    pencil p = {.count = most < PENCIL_SAMPLES ? most : PENCIL_SAMPLES};
    p.lag = p.count / 3;
    p.spacing = (double)block / (fit->count - 1);
    double re[BRN_RING_RANKS];
    double im[BRN_RING_RANKS];
    double mean[PENCIL_SAMPLES];
    double *even = NULL;
    *found = 0;
    if (p.count < 12) {
        return BRN_OK;
    }
    BRN_ALLOC(ctx, even, fit->count);
    space_evenly(fit, fit->y, even, fit->count);
    average(even, block, mean, p.count);
    brn_free(ctx, even);
    const brn_status status = pencil_create(ctx, &p);
    const bool good = status >= 0 && pencil_decompose(&p, mean);
    for (int rank = 1; good && rank <= BRN_RING_RANKS && 2 * rank <= p.lag; ++rank) {
        if (pencil_poles(&p, rank, re, im)) {
            model[(*found)++] = model_of(re, im, rank, p.spacing, modes_max);
        }
    }
    pencil_clear(ctx, &p);
    return status;
}
