/* Fixed corotated: W = mu sum (s_i - 1)^2 + lambda/2 (J - 1)^2 [Stomakhin, Howes, Schroeder, Teran 2012,
   "Energetically consistent invertible elasticity"]. The classic linear corotated energy has the volume term
   lambda/2 (sum (s_i - 1))^2 instead; its derivative involves the rotation, so that its tangent, too, grows without
   bound as two stretches go to s_i + s_j = 0, and it hardly resists a collapse of volume.
   With (J - 1)^2 the volume term is a polynomial in F, and only the mu term keeps that singularity.

   Any F is in the domain. plus_k = 2 mu - 4 mu/(s_i + s_j) + lambda (J - 1) s_k is unbounded below where
   s_i + s_j -> 0 (the rotation is not unique there); the sum is held above 1e-12 so that the tangent is finite. */
#include "phys/material.h"

static void stretches(const brn_moduli *m, brn_order order, brn_stretch_batch *b)
{
    const brn_lanes *s = b->s;
    const double mu = m->mu, lambda = m->lambda;
    const brn_lanes e[3] = {s[0] - 1.0, s[1] - 1.0, s[2] - 1.0};
    const brn_lanes volume =
        e[0] + e[1] + e[2] + (e[1] * e[2] + e[0] * e[2] + e[0] * e[1]) + e[0] * e[1] * e[2]; /* J - 1 */
    const brn_lanes cofactor[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]};
    b->energy = mu * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) + 0.5 * lambda * volume * volume;
    if (order == BRN_ORDER_ENERGY) {
        return;
    }
    for (int i = 0; i < 3; ++i) {
        b->first[i] = 2.0 * mu * e[i] + lambda * volume * cofactor[i];
    }
    if (order == BRN_ORDER_FIRST) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const brn_lanes sum = brn_lanes_max(s[i] + s[j], brn_lanes_all(1e-12));
        const brn_lanes pressure = lambda * volume * s[k];
        b->diag[k] = 2.0 * mu + lambda * cofactor[k] * cofactor[k];
        b->off[k] = lambda * cofactor[i] * cofactor[j] + pressure;
        b->minus[k] = 2.0 * mu - pressure;
        b->plus[k] = 2.0 * mu - 4.0 * mu / sum + pressure;
    }
}

static const brn_table table = {
    .name = "corotated",
    .help = "fixed corotated: linear response to stretch, any rotation, survives inversion",
    .size = sizeof(brn_material_common),
    .params = brn_pair_params,
    .nparams = BRN_PAIR_PARAMS,
};

const brn_material brn_material_corotated = {
    .table = &table,
    .equation = "W = mu |F - R|^2 + lambda/2 (J - 1)^2,  F = R S",
    .moduli = brn_pair_moduli,
    .stretches = stretches,
};
