#include "optimize/cmaes.h"

#include "linalg/blas.h"

#include <math.h>
#include <string.h>

/* Weights by rank, eq. 49 to 53; the negative ones keep the covariance positive definite and are as large as that allows. */
static void set_weights(brn_cmaes *c)
{
    const double n = c->n;
    double sum[2] = {0.0, 0.0}, square[2] = {0.0, 0.0};
    for (int i = 0; i < c->lambda; ++i) {
        const double w = log(0.5 * (c->lambda + 1.0)) - log(i + 1.0);
        const int side = i < c->mu ? 0 : 1;
        c->weight[i] = w;
        sum[side] += fabs(w);
        square[side] += w * w;
    }
    c->mueff = sum[0] * sum[0] / square[0];
    const double mueff_negative = sum[1] * sum[1] / square[1];
    /* Rates, eq. 55 to 58. */
    c->cc = (4.0 + c->mueff / n) / (n + 4.0 + 2.0 * c->mueff / n);
    c->c1 = 2.0 / ((n + 1.3) * (n + 1.3) + c->mueff);
    c->cmu = fmin(1.0 - c->c1,
                  2.0 * (0.25 + c->mueff + 1.0 / c->mueff - 2.0) / ((n + 2.0) * (n + 2.0) + c->mueff));
    c->cs = (c->mueff + 2.0) / (n + c->mueff + 5.0);
    c->ds = 1.0 + 2.0 * fmax(0.0, sqrt((c->mueff - 1.0) / (n + 1.0)) - 1.0) + c->cs;
    c->chi = sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
    const double most = fmin(fmin(1.0 + c->c1 / c->cmu, 1.0 + 2.0 * mueff_negative / (c->mueff + 2.0)),
                             (1.0 - c->c1 - c->cmu) / (n * c->cmu));
    for (int i = 0; i < c->lambda; ++i) {
        c->weight[i] *= i < c->mu ? 1.0 / sum[0] : most / sum[1];
    }
}

brn_status brn_cmaes_create(brn_ctx *ctx, int n, int lambda, double sigma, const double *mean, brn_cmaes *out)
{
    *out = (brn_cmaes){.ctx = ctx, .n = n, .lambda = lambda, .mu = lambda / 2, .sigma = sigma};
    const size_t size = (size_t)n;
    const size_t samples = (size_t)lambda * size;
    out->lwork = 66 * n;
    BRN_ALLOC(ctx, out->memory, (size_t)lambda + 71 * size + 2 * size * size + 3 * samples);
    double **const part[] = {&out->weight, &out->mean, &out->ps, &out->pc, &out->d, &out->step,
                             &out->work,   &out->c,    &out->b,  &out->z,  &out->y, &out->x};
    const size_t length[] = {(size_t)lambda, size,        size,        size,    size,    size,
                             66 * size,      size * size, size * size, samples, samples, samples};
    double *next = out->memory;
    for (size_t i = 0; i < sizeof part / sizeof *part; ++i) {
        *part[i] = next;
        next += length[i];
    }
    set_weights(out);
    memcpy(out->mean, mean, size * sizeof *mean);
    for (size_t i = 0; i < size; ++i) {
        out->d[i] = 1.0;
        out->c[i * size + i] = 1.0;
        out->b[i * size + i] = 1.0;
    }
    return BRN_OK;
}

void brn_cmaes_destroy(brn_cmaes *c)
{
    if (c->ctx != NULL) {
        brn_free(c->ctx, c->memory);
    }
    *c = (brn_cmaes){0};
}

/* Two normal numbers at a time [Box & Muller 1958]. */
static void draw_normal(brn_rng *rng, int count, double *z)
{
    for (int i = 0; i < count; i += 2) {
        const double radius = sqrt(-2.0 * log(1.0 - brn_rng_uniform(rng, 0.0, 1.0)));
        const double angle = brn_rng_uniform(rng, 0.0, 2.0 * M_PI);
        z[i] = radius * cos(angle);
        if (i + 1 < count) {
            z[i + 1] = radius * sin(angle);
        }
    }
}

/* to = b (scale z), scale NULL: 1 */
static void turn(const brn_cmaes *c, const double *scale, const double *z, double *to)
{
    const int n = c->n;
    memset(to, 0, (size_t)n * sizeof *to);
    for (int j = 0; j < n; ++j) {
        const double *b = c->b + (size_t)j * (size_t)n;
        const double length = scale != NULL ? scale[j] * z[j] : z[j];
        for (int i = 0; i < n; ++i) {
            to[i] += b[i] * length;
        }
    }
}

void brn_cmaes_sample(brn_cmaes *c, brn_rng *rng, bool centre)
{
    const int n = c->n;
    for (int k = 0; k < c->lambda; ++k) {
        const size_t at = (size_t)k * (size_t)n;
        draw_normal(rng, n, c->z + at);
        if (centre && k == 0) {
            memset(c->z, 0, (size_t)n * sizeof *c->z);
        }
        turn(c, c->d, c->z + at, c->y + at);
        for (int i = 0; i < n; ++i) {
            c->x[at + (size_t)i] = c->mean[i] + c->sigma * c->y[at + (size_t)i];
        }
    }
}

/* sum = weighted mean of the parents' rows of `from`; weights of points without value go to the others. */
static void recombine(const brn_cmaes *c, const int *order, int ranked, const double *from, double *sum)
{
    const int parents = ranked < c->mu ? ranked : c->mu;
    double whole = 0.0;
    memset(sum, 0, (size_t)c->n * sizeof *sum);
    for (int k = 0; k < parents; ++k) {
        const double *row = from + (size_t)order[k] * (size_t)c->n;
        whole += c->weight[k];
        for (int i = 0; i < c->n; ++i) {
            sum[i] += c->weight[k] * row[i];
        }
    }
    for (int i = 0; i < c->n; ++i) {
        sum[i] /= whole;
    }
}

static double norm_square(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sum;
}

/* c += weight y y' */
static void add_outer(brn_cmaes *c, double weight, const double *y)
{
    for (int i = 0; i < c->n; ++i) {
        for (int j = 0; j < c->n; ++j) {
            c->c[(size_t)i * (size_t)c->n + (size_t)j] += weight * (y[i] * y[j]);
        }
    }
}

/* Rank one and rank mu, negative weights included, eq. 46 and 47. */
static void update_covariance(brn_cmaes *c, const int *order, int ranked, bool still)
{
    const int n = c->n;
    double keep = 1.0 - c->c1 + (still ? c->c1 * c->cc * (2.0 - c->cc) : 0.0);
    double whole = 0.0;
    for (int k = 0; k < c->mu && k < ranked; ++k) {
        whole += c->weight[k];
    }
    for (int k = 0; k < c->lambda; ++k) {
        keep -= k < c->mu ? (k < ranked ? c->cmu * c->weight[k] / whole : 0.0) : c->cmu * c->weight[k];
    }
    for (int i = 0; i < n * n; ++i) {
        c->c[i] *= keep;
    }
    add_outer(c, c->c1, c->pc);
    for (int k = 0; k < c->lambda; ++k) {
        const size_t at = (size_t)order[k] * (size_t)n;
        if (k < c->mu && k < ranked) {
            add_outer(c, c->cmu * c->weight[k] / whole, c->y + at);
        } else if (k >= c->mu) {
            /* Every bad sample counts as one of mean length: a long one must not make the matrix indefinite. */
            const double length = norm_square(n, c->z + at);
            add_outer(c, length > 0.0 ? c->cmu * c->weight[k] * n / length : 0.0, c->y + at);
        }
    }
}

static brn_status update_axes(brn_cmaes *c)
{
    const int n = c->n;
    /* As rarely as it makes no difference, sec. B.2. */
    if ((double)(c->generation - c->turned) < 1.0 / ((c->c1 + c->cmu) * n * 10.0)) {
        return BRN_OK;
    }
    c->turned = c->generation;
    memcpy(c->b, c->c, (size_t)n * (size_t)n * sizeof *c->b);
    int info = 0;
    const brn_blas_threads threads = brn_blas_begin();
    dsyev_("V", "U", &n, c->b, &n, c->d, c->work, &c->lwork, &info);
    brn_blas_end(threads);
    if (info != 0 || !(c->d[0] > 0.0) || !isfinite(c->d[n - 1])) {
        return BRN_ERR_SINGULAR;
    }
    for (int i = 0; i < n; ++i) {
        c->d[i] = sqrt(c->d[i]);
    }
    return BRN_OK;
}

brn_status brn_cmaes_update(brn_cmaes *c, const int *order, int ranked)
{
    const int n = c->n;
    c->generation += 1;
    if (ranked == 0) {
        return BRN_OK;
    }
    /* The path of the steps, as they would be were the distribution round, eq. 43 (work: of LAPACK, free here). */
    recombine(c, order, ranked, c->z, c->step);
    turn(c, NULL, c->step, c->work);
    for (int i = 0; i < n; ++i) {
        c->ps[i] = (1.0 - c->cs) * c->ps[i] + sqrt(c->cs * (2.0 - c->cs) * c->mueff) * c->work[i];
    }
    const double length = sqrt(norm_square(n, c->ps));
    const double settled = sqrt(1.0 - pow(1.0 - c->cs, 2.0 * c->generation));
    const bool still = length / settled >= (1.4 + 2.0 / (n + 1.0)) * c->chi;
    /* The mean and the path of the covariance, eq. 42 and 45. */
    recombine(c, order, ranked, c->y, c->step);
    for (int i = 0; i < n; ++i) {
        c->mean[i] += c->sigma * c->step[i];
        c->pc[i] =
            (1.0 - c->cc) * c->pc[i] + (still ? 0.0 : sqrt(c->cc * (2.0 - c->cc) * c->mueff) * c->step[i]);
    }
    update_covariance(c, order, ranked, still);
    c->sigma *= exp(fmin(1.0, c->cs / c->ds * (length / c->chi - 1.0)));
    return update_axes(c);
}

double brn_cmaes_reach(const brn_cmaes *c)
{
    double most = 0.0;
    for (int i = 0; i < c->n; ++i) {
        most = fmax(most, c->c[(size_t)i * (size_t)(c->n + 1)]);
    }
    return c->sigma * sqrt(most);
}

double brn_cmaes_condition(const brn_cmaes *c)
{
    const double ratio = c->d[c->n - 1] / c->d[0];
    return ratio * ratio;
}
