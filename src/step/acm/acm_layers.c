#include "step/acm/acm_layers.h"

#include "base/param.h"

#include <math.h>

int brn_acm_layers_within(int fine)
{
    const double most = exp2(2.0 * fine); /* l^3 <= 4^fine */
    int64_t l = (int64_t)cbrt(most);
    while ((double)(l + 1) * (double)(l + 1) * (double)(l + 1) <= most) {
        ++l;
    }
    while ((double)l * (double)l * (double)l > most) {
        --l;
    }
    return (int)l;
}

int brn_acm_layers_fine(int layer)
{
    const double cube = (double)layer * layer * layer;
    int fine = 0;
    while (exp2(2.0 * fine) < cube) {
        ++fine;
    }
    return fine;
}

brn_status brn_acm_layers_create(brn_ctx *ctx, int kind, double power, brn_acm_layers *out)
{
    *out = (brn_acm_layers){.ctx = ctx, .kind = kind, .power = power, .fine = -1};
    out->first[0] = 1;
    for (int fine = 1; fine < BRN_COUNT(out->first); ++fine) {
        out->first[fine] = brn_acm_layers_within(fine - 1) + 1;
    }
    return brn_acm_layers_grow(out, 6);
}

void brn_acm_layers_free(brn_acm_layers *layers)
{
    brn_free(layers->ctx, layers->eta);
    brn_free(layers->ctx, layers->rate);
    brn_free(layers->ctx, layers->moment);
    *layers = (brn_acm_layers){.fine = -1};
}

static double thickness(const brn_acm_layers *layers, int layer)
{
    return pow(layer, -layers->power);
}

/* The gap below which the force of a layer is linear, continued to 0. */
static double onset(const brn_acm_layers *layers, int layer)
{
    const double own = layers->eta[layer];
    return layers->kind == BRN_ACM_CUBIC ? 0.5 * (own + layers->eta[layer + 1]) : own;
}

brn_status brn_acm_layers_grow(brn_acm_layers *layers, int fine)
{
    if (fine <= layers->fine) {
        return BRN_OK;
    }
    if (fine > BRN_ACM_FINEST) {
        return brn_fail(layers->ctx, BRN_ERR_LIMIT, "layer %.3g of a contact is reached: more are not built",
                        (double)brn_acm_layers_within(BRN_ACM_FINEST));
    }
    const int count = brn_acm_layers_within(fine);
    double **arrays[] = {&layers->eta, &layers->rate, &layers->moment};
    for (int i = 0; i < 3; ++i) {
        double *grown = brn_realloc(layers->ctx, *arrays[i], (size_t)count + 2, sizeof **arrays);
        if (grown == NULL) {
            return BRN_ERR_MEMORY;
        }
        *arrays[i] = grown;
    }
    layers->eta[0] = INFINITY;
    layers->rate[0] = layers->moment[0] = 0.0;
    for (int l = layers->count + 1; l <= count + 1; ++l) {
        layers->eta[l] = thickness(layers, l);
    }
    for (int l = layers->count + 1; l <= count; ++l) {
        const double rate = (double)l * l * l * exp2(-brn_acm_layers_fine(l));
        layers->rate[l] = layers->rate[l - 1] + rate;
        layers->moment[l] = layers->moment[l - 1] + rate * onset(layers, l);
    }
    layers->fine = fine;
    layers->count = count;
    return BRN_OK;
}

/* Contacts are shallow as a rule: a short walk, then halves. */
int brn_acm_layers_reached(const brn_acm_layers *layers, double gap, int most)
{
    enum { WALK = 8 };
    int l = 0;
    while (l < most && l < WALK && layers->eta[l + 1] > gap) {
        ++l;
    }
    if (l < WALK || l == most) {
        return l;
    }
    int beyond = most + 1;
    while (beyond - l > 1) {
        const int middle = l + (beyond - l) / 2;
        *(layers->eta[middle] > gap ? &l : &beyond) = middle;
    }
    return l;
}

double brn_acm_layers_impulse(const brn_acm_layers *layers, int first, int reached, double gap)
{
    if (reached < first) {
        return 0.0;
    }
    if (layers->kind == BRN_ACM_QUADRATIC) {
        return layers->moment[reached] - layers->moment[first - 1] -
               gap * (layers->rate[reached] - layers->rate[first - 1]);
    }
    const double width = layers->eta[reached] - layers->eta[reached + 1];
    const double depth = layers->eta[reached] - gap;
    const double last = layers->rate[reached] - layers->rate[reached - 1];
    const double force = depth < width ? 0.5 * depth * depth / width : depth - 0.5 * width;
    return last * force + layers->moment[reached - 1] - layers->moment[first - 1] -
           gap * (layers->rate[reached - 1] - layers->rate[first - 1]);
}

double brn_acm_layers_force(const brn_acm_layers *layers, int layer, double gap)
{
    const double r = (double)layer * layer * layer;
    const double depth = layers->eta[layer] - gap;
    const double width = layers->eta[layer] - layers->eta[layer + 1];
    if (!(depth > 0.0)) {
        return 0.0;
    }
    return layers->kind == BRN_ACM_QUADRATIC ? r * depth
           : depth < width                   ? r * 0.5 * depth * depth / width
                                             : r * (depth - 0.5 * width);
}

double brn_acm_layers_energy(const brn_acm_layers *layers, int reached, double gap)
{
    double sum = 0.0;
    for (int l = 1; l <= reached; ++l) {
        const double r = (double)l * l * l;
        const double depth = layers->eta[l] - gap;
        const double width = layers->eta[l] - layers->eta[l + 1];
        const double linear = depth - 0.5 * width;
        sum += layers->kind == BRN_ACM_QUADRATIC ? r * 0.5 * depth * depth
               : depth < width                   ? r * depth * depth * depth / (6.0 * width)
                                                 : r * (0.5 * linear * linear + width * width / 24.0);
    }
    return sum;
}

int brn_acm_layers_need(const brn_acm_layers *layers, double gap)
{
    /* eta(n + 1) <= gap */
    const double least = pow(gap, -1.0 / layers->power) - 1.0;
    int fine = 0;
    while (fine <= BRN_ACM_FINEST && !(brn_acm_layers_within(fine) >= least)) {
        ++fine;
    }
    return fine;
}

/* Sum of l^3 (l^-p - n^-p)^2 / 2 as an integral: K n^(4 - 2p) + ..., the depth law. */
double brn_acm_layers_depth(const brn_acm_layers *layers, double energy)
{
    const double p = layers->power;
    const double k = 0.5 * (1.0 / (4.0 - 2.0 * p) - 2.0 / (4.0 - p) + 0.25);
    return fmax(1.0, pow(energy / k, 1.0 / (4.0 - 2.0 * p)));
}
