/* Least squares for damped sinusoids by variable projection [Golub and Pereyra 1973]: the coefficients c of the basis B are eliminated, and
   r = y - B c = (1 - B B^+) y is a function of the rates alone. With B = Q R and D the derivative of B by a rate

       Q' dr = -[ R^-T D' r ;  lower rows of Q' D c ],    Q' r = [ 0 ;  lower rows of Q' y ]

   so that nothing has to be turned back. */
#include "study/ring_inner.h"

#include "linalg/blas.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static const int BLOCK = 32; /* of LAPACK's QR: work is rows of so many */

int brn_ring_columns(const brn_ring_model *model)
{
    return 1 + model->drift + 2 * model->modes + model->decays;
}

int brn_ring_rates(const brn_ring_model *model)
{
    return 2 * model->modes + model->decays;
}

brn_status brn_ring_fit_create(brn_ctx *ctx, const double *t, const double *y, int count, brn_ring_fit *out)
{
    *out = (brn_ring_fit){.ctx = ctx, .count = count, .t = t, .y = y};
    out->rate_max = 3.14159265358979323846 * (count - 1);
    const size_t n = (size_t)count;
    BRN_ALLOC(ctx, out->basis, n * BRN_RING_COLUMNS);
    BRN_ALLOC(ctx, out->factor, n * BRN_RING_COLUMNS);
    BRN_ALLOC(ctx, out->turned, n * (BRN_RING_RATES + 1));
    BRN_ALLOC(ctx, out->rest, n);
    BRN_ALLOC(ctx, out->work, (BRN_RING_COLUMNS + BRN_RING_RATES + 1) * (size_t)BLOCK * 3);
    return BRN_OK;
}

void brn_ring_fit_clear(brn_ring_fit *fit)
{
    brn_free(fit->ctx, fit->basis);
    brn_free(fit->ctx, fit->factor);
    brn_free(fit->ctx, fit->turned);
    brn_free(fit->ctx, fit->rest);
    brn_free(fit->ctx, fit->work);
}

/* ---- the basis and its projection ------------------------------------------------------------------------------------ */

/* Faster than a sample apart nothing is seen of a decay; growth beyond a factor of e^5 is no ring-down, and a decay that hardly bends is a
   drift. */
static bool in_range(const brn_ring_fit *fit, const brn_ring_model *model)
{
    bool good = true;
    for (int k = 0; k < model->modes; ++k) {
        const double w = model->rate[2 * k];
        good = good && w >= 0.1 && w <= fit->rate_max;
    }
    for (int k = 0; k < model->modes + model->decays; ++k) {
        const double d = k < model->modes ? model->rate[2 * k + 1] : model->rate[model->modes + k];
        good = good && d >= (k < model->modes ? -5.0 : 0.3) && d <= fit->rate_max;
    }
    return good;
}

static void fill_basis(brn_ring_fit *fit, const brn_ring_model *model)
{
    const size_t n = (size_t)fit->count;
    double *column = fit->basis;
    for (size_t i = 0; i < n; ++i) {
        column[i] = 1.0;
    }
    column += n;
    for (size_t i = 0; model->drift && i < n; ++i) {
        column[i] = fit->t[i] - 0.5;
    }
    column += model->drift ? n : 0;
    for (int k = 0; k < model->modes; ++k, column += 2 * n) {
        const double w = model->rate[2 * k], d = model->rate[2 * k + 1];
        for (size_t i = 0; i < n; ++i) {
            const double size = exp(-d * fit->t[i]);
            column[i] = size * cos(w * fit->t[i]);
            column[n + i] = size * sin(w * fit->t[i]);
        }
    }
    for (int k = 0; k < model->decays; ++k, column += n) {
        for (size_t i = 0; i < n; ++i) {
            column[i] = exp(-model->rate[2 * model->modes + k] * fit->t[i]);
        }
    }
}

static double squares_of(const double *v, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i) {
        sum += v[i] * v[i];
    }
    return sum;
}

/* The factor of the basis; false if a column is a combination of those before it, to 1e-9 of its length. */
static bool factor_basis(brn_ring_fit *fit, int columns)
{
    const size_t n = (size_t)fit->count;
    const int room = 3 * BLOCK * (BRN_RING_COLUMNS + BRN_RING_RATES + 1);
    int info = 0;
    memcpy(fit->factor, fit->basis, n * (size_t)columns * sizeof *fit->factor);
    dgeqrf_(&fit->count, &columns, fit->factor, &fit->count, fit->tau, fit->work, &room, &info);
    bool good = info == 0;
    for (int k = 0; good && k < columns; ++k) {
        const double length = sqrt(squares_of(fit->basis + (size_t)k * n, n));
        good = fabs(fit->factor[(size_t)k * n + (size_t)k]) > 1e-9 * length;
    }
    return good;
}

/* v = Q' v or Q v, for `count` vectors. */
static void turn(brn_ring_fit *fit, int columns, const char *how, double *v, int count)
{
    const int room = 3 * BLOCK * (BRN_RING_COLUMNS + BRN_RING_RATES + 1);
    int info = 0;
    dormqr_("L", how, &fit->count, &count, &columns, fit->factor, &fit->count, fit->tau, v, &fit->count,
            fit->work, &room, &info);
}

bool brn_ring_evaluate(brn_ring_fit *fit, const brn_ring_model *model)
{
    const int columns = brn_ring_columns(model), one = 1;
    const size_t n = (size_t)fit->count, m = (size_t)columns;
    if (!in_range(fit, model) || fit->count <= columns + brn_ring_rates(model)) {
        return false;
    }
    fill_basis(fit, model);
    if (!factor_basis(fit, columns)) {
        return false;
    }
    double *turned = fit->turned + (size_t)BRN_RING_RATES * n;
    memcpy(turned, fit->y, n * sizeof *turned);
    turn(fit, columns, "T", turned, 1);
    memcpy(fit->size, turned, m * sizeof *turned);
    dtrsv_("U", "N", "N", &columns, fit->factor, &fit->count, fit->size, &one);
    memset(turned, 0, m * sizeof *turned);
    memcpy(fit->rest, turned, n * sizeof *turned);
    turn(fit, columns, "N", fit->rest, 1);
    fit->squares = squares_of(turned, n);
    return isfinite(fit->squares);
}

void brn_ring_derivatives(brn_ring_fit *fit, const brn_ring_model *model)
{
    const int columns = brn_ring_columns(model), rates = brn_ring_rates(model), one = 1;
    const size_t n = (size_t)fit->count;
    double top[BRN_RING_RATES][BRN_RING_COLUMNS] = {{0.0}};
    /* D c, and D' r, which has entries for the columns of the mode alone. */
    for (int k = 0; k < model->modes; ++k) {
        const int first = 1 + model->drift + 2 * k;
        const double *c = fit->basis + (size_t)first * n, *s = c + n;
        const double a = fit->size[first], b = fit->size[first + 1];
        double *by_w = fit->turned + (size_t)(2 * k) * n, *by_d = by_w + n;
        double sum_c = 0.0;
        double sum_s = 0.0;
        for (size_t i = 0; i < n; ++i) {
            by_w[i] = fit->t[i] * (b * c[i] - a * s[i]);
            by_d[i] = -fit->t[i] * (a * c[i] + b * s[i]);
            sum_c += fit->t[i] * c[i] * fit->rest[i];
            sum_s += fit->t[i] * s[i] * fit->rest[i];
        }
        top[2 * k][first] = -sum_s;
        top[2 * k][first + 1] = sum_c;
        top[2 * k + 1][first] = -sum_c;
        top[2 * k + 1][first + 1] = -sum_s;
    }
    for (int k = 0; k < model->decays; ++k) {
        const int first = 1 + model->drift + 2 * model->modes + k, rate = 2 * model->modes + k;
        const double *x = fit->basis + (size_t)first * n;
        double *by_d = fit->turned + (size_t)rate * n;
        for (size_t i = 0; i < n; ++i) {
            by_d[i] = -fit->t[i] * fit->size[first] * x[i];
            top[rate][first] -= fit->t[i] * x[i] * fit->rest[i];
        }
    }
    turn(fit, columns, "T", fit->turned, rates);
    for (int k = 0; k < rates; ++k) {
        dtrsv_("U", "T", "N", &columns, fit->factor, &fit->count, top[k], &one);
        memcpy(fit->turned + (size_t)k * n, top[k], (size_t)columns * sizeof(double));
        for (size_t i = 0; i < n; ++i) {
            fit->turned[(size_t)k * n + i] = -fit->turned[(size_t)k * n + i];
        }
    }
}

/* ---- Levenberg-Marquardt ----------------------------------------------------------------------------------------------- */

/* The normal equations of the derivatives: matrix [rates][rates] and J' r. */
static void normal_equations(const brn_ring_fit *fit, int rates, double *matrix, double *gradient)
{
    const size_t n = (size_t)fit->count;
    const double *rest = fit->turned + (size_t)BRN_RING_RATES * n;
    for (int i = 0; i < rates; ++i) {
        const double *a = fit->turned + (size_t)i * n;
        gradient[i] = 0.0;
        for (size_t k = 0; k < n; ++k) {
            gradient[i] += a[k] * rest[k];
        }
        for (int j = 0; j <= i; ++j) {
            const double *b = fit->turned + (size_t)j * n;
            double sum = 0.0;
            for (size_t k = 0; k < n; ++k) {
                sum += a[k] * b[k];
            }
            matrix[i * rates + j] = matrix[j * rates + i] = sum;
        }
    }
}

/* The step for a damping; false if the matrix cannot be factored. */
static bool damped_step(const double *matrix, const double *gradient, int rates, double damping, double *step)
{
    double a[BRN_RING_RATES * BRN_RING_RATES];
    double scale[BRN_RING_RATES];
    for (int i = 0; i < rates; ++i) {
        scale[i] = sqrt(matrix[i * rates + i]);
        if (!(scale[i] > 0.0)) {
            return false;
        }
    }
    for (int i = 0; i < rates; ++i) {
        step[i] = -gradient[i] / scale[i];
        for (int j = 0; j < rates; ++j) {
            a[i * rates + j] = matrix[i * rates + j] / (scale[i] * scale[j]) + (i == j ? damping : 0.0);
        }
    }
    if (brn_dense_solve_spd(rates, a, step) < 0) {
        return false;
    }
    for (int i = 0; i < rates; ++i) {
        step[i] /= scale[i];
    }
    return true;
}

bool brn_ring_refine(brn_ring_fit *fit, brn_ring_model *model)
{
    enum { STEPS = 100 };
    const int rates = brn_ring_rates(model);
    double matrix[BRN_RING_RATES * BRN_RING_RATES];
    double gradient[BRN_RING_RATES];
    double step[BRN_RING_RATES];
    double damping = 1e-3;
    bool renew = true;
    if (!brn_ring_evaluate(fit, model)) {
        return false;
    }
    double best = fit->squares;
    for (int k = 0; k < STEPS && rates > 0 && damping < 1e12; ++k) {
        if (renew) {
            brn_ring_derivatives(fit, model);
            normal_equations(fit, rates, matrix, gradient);
        }
        brn_ring_model tried = *model;
        const bool solved = damped_step(matrix, gradient, rates, damping, step);
        double promised = 0.0; /* the decrease, to first order */
        for (int i = 0; solved && i < rates; ++i) {
            tried.rate[i] += step[i];
            promised -= step[i] * gradient[i];
        }
        renew = solved && brn_ring_evaluate(fit, &tried) && fit->squares < best;
        damping = renew ? fmax(0.1 * damping, 1e-12) : 10.0 * damping;
        if (renew) {
            *model = tried;
            best = fit->squares;
        }
        if (solved && !(promised > 1e-13 * best)) {
            break;
        }
    }
    return brn_ring_evaluate(fit, model);
}
