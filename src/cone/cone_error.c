/* What is wrong with a solution. */
#include "cone/cone_inner.h"

#include "base/parallel.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void add_block(int dim, const double *w, const double *r, double *u)
{
    if (dim == 3) {
        u[0] += w[0] * r[0] + w[1] * r[1] + w[2] * r[2];
        u[1] += w[3] * r[0] + w[4] * r[1] + w[5] * r[2];
        u[2] += w[6] * r[0] + w[7] * r[1] + w[8] * r[2];
    } else {
        u[0] += w[0] * r[0] + w[1] * r[1];
        u[1] += w[2] * r[0] + w[3] * r[1];
    }
}

static bool is_zero(int dim, const double *r)
{
    return r[0] == 0.0 && r[1] == 0.0 && (dim == 2 || r[2] == 0.0);
}

/* W r of contact i. Contacts that carry nothing, often most of them, cost no more than a look. */
static void product(const brn_cone_problem *p, int i, const double *r, double u[3])
{
    const int dim = p->dim;
    u[0] = u[1] = u[2] = 0.0;
    for (int k = p->first[i]; k < p->first[i + 1]; ++k) {
        const double *x = r + (size_t)p->column[k] * (size_t)dim;
        if (!is_zero(dim, x)) {
            add_block(dim, p->w + (size_t)k * (size_t)(dim * dim), x, u);
        }
    }
}

/* Contacts whose products are worked on together. */
enum { TOGETHER = 64 };

typedef struct product_job {
    const brn_cone_problem *p;
    const double *r;
    const double *plus; /* NULL: nothing */
    double *u;
} product_job;

static brn_status multiply_block(void *arg, int block, brn_arena *scratch)
{
    const product_job *w = arg;
    const int dim = w->p->dim;
    (void)scratch;
    for (int i = block * TOGETHER; i < brn_block_end(w->p->contacts, TOGETHER, block); ++i) {
        double sum[3];
        product(w->p, i, w->r, sum);
        for (int k = i * dim; k < (i + 1) * dim; ++k) {
            w->u[k] = sum[k - i * dim] + (w->plus != NULL ? w->plus[k] : 0.0);
        }
    }
    return BRN_OK;
}

void brn_cone_product(brn_ctx *ctx, const brn_cone_problem *p, const double *r, double *u)
{
    product_job w = {p, r, NULL, u};
    (void)brn_parallel_for(ctx, brn_block_count(p->contacts, TOGETHER), multiply_block, &w);
}

void brn_cone_velocities(brn_ctx *ctx, const brn_cone_problem *p, const double *r, double *u)
{
    product_job w = {p, r, p->q, u};
    (void)brn_parallel_for(ctx, brn_block_count(p->contacts, TOGETHER), multiply_block, &w);
}

void brn_cone_velocity(const brn_cone_problem *p, int i, const double *r, double *u)
{
    double sum[3];
    product(p, i, r, sum);
    for (int d = 0; d < p->dim; ++d) {
        u[d] = sum[d] + p->q[(size_t)i * (size_t)p->dim + (size_t)d];
    }
}

/* The radius of friction times the own compliance. In the limit of infinite mu what touches sticks, and a contact that carries nothing
   keeps what friction it has. */
static double radius_of(double tangent, double mu, double rn, double length, bool touches)
{
    if (isinf(mu)) {
        return touches ? INFINITY : tangent * length;
    }
    return tangent * mu * fmax(0.0, rn);
}

brn_cone_miss brn_cone_miss_of(int dim, const brn_cone_own *own, double mu, const double *r, const double *u)
{
    const double rt[2] = {r[1], dim == 3 ? r[2] : 0.0};
    const double ut[2] = {u[1], dim == 3 ? u[2] : 0.0};
    const double w = own->tangent;
    const double x[2] = {w * rt[0] - ut[0], w * rt[1] - ut[1]};
    const double length = hypot(x[0], x[1]);
    const bool touches = own->normal * r[0] > u[0];
    const double radius = radius_of(w, mu, r[0], hypot(rt[0], rt[1]), touches);
    brn_cone_miss miss = {.normal = fmin(u[0], own->normal * r[0]), .share = 1.0};
    if (length > radius) {
        miss.state = BRN_CONE_SLIDES;
        miss.share = radius / length;
        for (int d = 0; d < 2; ++d) {
            miss.pointer[d] = x[d] / length;
            miss.tangent[d] = w * rt[d] - miss.share * x[d];
        }
    } else {
        miss.state = BRN_CONE_STICKS;
        miss.tangent[0] = ut[0];
        miss.tangent[1] = ut[1];
    }
    if (!touches) {
        miss.state = BRN_CONE_OPEN;
    }
    return miss;
}

brn_cone_slope brn_cone_slope_of(int dim, const brn_cone_own *own, double mu, const brn_cone_miss *miss)
{
    const double w = own->tangent;
    const bool slides = miss->state == BRN_CONE_SLIDES;
    brn_cone_slope out = {.u = {{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
    for (int i = 1; i < dim; ++i) {
        for (int j = 1; j < dim; ++j) {
            const double one = i == j ? 1.0 : 0.0;
            /* in 2D P is 0 */
            const double across = dim == 3 ? one - miss->pointer[i - 1] * miss->pointer[j - 1] : 0.0;
            out.u[i][j] = slides ? miss->share * across : one;
            out.r[i][j] = slides ? w * (one - miss->share * across) : 0.0;
        }
        out.r[i][0] = slides ? -w * mu * miss->pointer[i - 1] : 0.0;
    }
    return out;
}

double brn_cone_smooth_speed(int size, double mu, const double *u)
{
    return size == 3 ? hypot(u[0], mu * hypot(u[1], u[2])) : size == 2 ? hypot(u[0], mu * u[1]) : u[0];
}

void brn_cone_smooth_error(int size, double mu, double c, const double *r, const double *u, double e[3])
{
    const double rho = brn_cone_smooth_speed(size, mu, u);
    e[0] = r[0] * u[0] - c;
    for (int d = 1; d < size; ++d) {
        e[d] = rho * r[d] / mu + mu * r[0] * u[d];
    }
}

brn_cone_slope brn_cone_smooth_slope(int size, double mu, const double *r, const double *u)
{
    const double rho = brn_cone_smooth_speed(size, mu, u);
    brn_cone_slope out = {.r = {{u[0], 0.0, 0.0}}, .u = {{r[0], 0.0, 0.0}}};
    for (int i = 1; i < size; ++i) {
        out.r[i][0] = mu * u[i];
        out.r[i][i] = rho / mu;
        out.u[i][0] = r[i] * u[0] / (mu * rho);
        for (int j = 1; j < size; ++j) {
            out.u[i][j] = r[i] * mu * u[j] / rho + (i == j ? mu * r[0] : 0.0);
        }
    }
    return out;
}

/* What rounding may leave of the velocity of contact i. */
static double rounding_of(const brn_cone_problem *p, int i, const double *r)
{
    const int dim = p->dim;
    double most = 0.0;
    for (int d = 0; d < dim; ++d) {
        double sum = fabs(p->q[(size_t)i * (size_t)dim + (size_t)d]);
        for (int k = p->first[i]; k < p->first[i + 1]; ++k) {
            const double *w = p->w + (size_t)k * (size_t)(dim * dim) + (size_t)(dim * d);
            const double *x = r + (size_t)p->column[k] * (size_t)dim;
            for (int c = 0; c < dim && !is_zero(dim, x); ++c) {
                sum += fabs(w[c] * x[c]);
            }
        }
        most = fmax(most, sum);
    }
    return DBL_EPSILON * most;
}

double brn_cone_rounding(const brn_cone_problem *p, const double *r)
{
    double most = 0.0;
    for (int i = 0; i < p->contacts; ++i) {
        most = fmax(most, rounding_of(p, i, r));
    }
    return most;
}

void brn_cone_measure(const brn_cone_work *w, const double *r, const double *u, brn_cone_report *report)
{
    const brn_cone_problem *p = w->p;
    const int dim = p->dim;
    double relative = 0.0;
    brn_cone_report out = {
        .sweeps = report->sweeps, .newton = report->newton, .path = report->path, .scale = w->scale};
    for (int i = 0; i < p->contacts; ++i) {
        const double *ri = r + (size_t)i * (size_t)dim;
        const double *ui = u + (size_t)i * (size_t)dim;
        const brn_cone_miss miss = brn_cone_miss_of(dim, &w->own[i], p->mu[i], ri, ui);
        const double friction = dim == 3 ? hypot(ri[1], ri[2]) : fabs(ri[1]);
        const double slip = hypot(miss.tangent[0], miss.tangent[1]);
        out.open += miss.state == BRN_CONE_OPEN;
        out.sticking += miss.state == BRN_CONE_STICKS;
        out.sliding += miss.state == BRN_CONE_SLIDES;
        out.penetration = fmax(out.penetration, -ui[0]);
        out.pull = fmax(out.pull, -ri[0]);
        out.cone = fmax(out.cone, isinf(p->mu[i]) ? 0.0 : friction - p->mu[i] * fmax(0.0, ri[0]));
        out.complementarity = fmax(out.complementarity, fabs(ri[0] * ui[0]));
        out.slip = fmax(out.slip, slip);
        /* written so that NaN stays */
        const double worst = hypot(miss.normal, slip);
        relative = worst <= relative ? relative : worst;
    }
    out.relative = relative > 0.0 || isnan(relative) ? relative / w->scale : 0.0;
    *report = out;
}
