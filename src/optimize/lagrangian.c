#include "optimize/lagrangian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The constants of the source: when penalties grow, and how slowly multipliers follow. */
#define GROW_VALUE 3.0
#define GROW_STEP  5.0
#define DAMP       5.0

brn_status brn_lagrangian_create(brn_ctx *ctx, int n, int constraints, int lambda, brn_lagrangian *out)
{
    *out = (brn_lagrangian){.ctx = ctx, .n = n, .m = constraints, .value_before = NAN};
    const size_t m = (size_t)constraints;
    BRN_ALLOC(ctx, out->memory, 4 * m + (size_t)lambda);
    out->multiplier = out->memory;
    out->penalty = out->multiplier + m;
    out->now = out->penalty + m;
    out->before = out->now + m;
    out->sorted = out->before + m;
    return BRN_OK;
}

void brn_lagrangian_destroy(brn_lagrangian *l)
{
    if (l->ctx != NULL) {
        brn_free(l->ctx, l->memory);
    }
    *l = (brn_lagrangian){0};
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Distance of the quartiles of what is in `sorted`, or of its ends where half of it is one number. */
static double spread(brn_lagrangian *l, int count)
{
    qsort(l->sorted, (size_t)count, sizeof *l->sorted, compare);
    const double quartiles = l->sorted[3 * count / 4] - l->sorted[count / 4];
    return quartiles > 0.0 ? quartiles : l->sorted[count - 1] - l->sorted[0];
}

void brn_lagrangian_begin(brn_lagrangian *l, int count, const double *value, const double *constraint)
{
    for (int i = 0; i < l->m; ++i) {
        if (l->penalty[i] > 0.0) {
            continue;
        }
        int valid = 0;
        double most = 0.0;
        for (int k = 0; k < count; ++k) {
            if (value[k] < INFINITY) {
                l->sorted[valid++] = constraint[(size_t)k * (size_t)l->m + (size_t)i];
                most = fmax(most, l->sorted[valid - 1]);
            }
        }
        if (valid < 2 || most == 0.0) {
            continue;
        }
        const double g = spread(l, valid);
        valid = 0;
        for (int k = 0; k < count; ++k) {
            if (value[k] < INFINITY) {
                l->sorted[valid++] = value[k];
            }
        }
        const double f = spread(l, valid);
        /* What breaks it by as much as constraints differ costs as much as values differ. */
        const double scale = g > 0.0 ? g : most;
        l->penalty[i] = fmin(fmax(2.0 * (f > 0.0 ? f : 1.0) / scale / scale, 1e-200), 1e200);
    }
}

double brn_lagrangian_cost(const brn_lagrangian *l, double value, const double *constraint)
{
    double cost = value;
    for (int i = 0; i < l->m; ++i) {
        const double multiplier = l->multiplier[i];
        const double penalty = l->penalty[i];
        const double g = constraint[i];
        if (penalty == 0.0) {
            continue;
        }
        cost += multiplier + penalty * g >= 0.0 ? (multiplier + 0.5 * penalty * g) * g
                                                : -0.5 * multiplier * multiplier / penalty;
    }
    return cost;
}

void brn_lagrangian_update(brn_lagrangian *l, int parents, const int *order, const double *weight,
                           const double *value, const double *constraint)
{
    if (l->m == 0 || parents == 0) {
        return;
    }
    double whole = 0.0;
    double mean = 0.0;
    memset(l->now, 0, (size_t)l->m * sizeof *l->now);
    for (int k = 0; k < parents; ++k) {
        whole += weight[k];
        mean += weight[k] * value[order[k]];
        for (int i = 0; i < l->m; ++i) {
            l->now[i] += weight[k] * constraint[(size_t)order[k] * (size_t)l->m + (size_t)i];
        }
    }
    mean /= whole;
    for (int i = 0; i < l->m; ++i) {
        l->now[i] /= whole;
    }
    if (!isnan(l->value_before)) {
        const double change =
            fabs(brn_lagrangian_cost(l, mean, l->now) - brn_lagrangian_cost(l, l->value_before, l->before));
        for (int i = 0; i < l->m; ++i) {
            const double g = l->now[i];
            const bool grow = l->penalty[i] * g * g < GROW_VALUE * change / l->n ||
                              GROW_STEP * fabs(g - l->before[i]) < fabs(l->before[i]);
            l->penalty[i] *= exp2((grow ? 0.25 : -1.0) / l->n);
            l->multiplier[i] = fmax(0.0, l->multiplier[i] + l->penalty[i] * g / DAMP);
        }
    }
    l->value_before = mean;
    memcpy(l->before, l->now, (size_t)l->m * sizeof *l->now);
}
