/* Linear corotated: W = mu |E|^2 + lambda/2 tr(E)^2 with E = sym(R'F) - 1, F = R S: Hooke's law in the frame that turns with the
   material, W = mu sum (s_i - 1)^2 + lambda/2 (sum (s_i - 1))^2. With the rotation held at R0, as `sap` does through a step, the
   stress P = 2 mu R0 E + lambda tr(E) R0 is linear in F, its tangent constant and positive semi-definite [Han, Masterjohn, Castro
   2023, proposition 1]: spins of the material (plus) meet no resistance.

   Any F is in the domain. It hardly resists a collapse of volume, and its exact tangent has no bound where s_i + s_j -> 0. */
#include "phys/material.h"

static void stretches(const brn_moduli *m, brn_order order, brn_stretch_batch *b)
{
    const brn_lanes *s = b->s;
    const double mu = m->mu, lambda = m->lambda;
    const brn_lanes e[3] = {s[0] - 1.0, s[1] - 1.0, s[2] - 1.0};
    const brn_lanes volume = e[0] + e[1] + e[2];
    b->energy = mu * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) + 0.5 * lambda * volume * volume;
    if (order == BRN_ORDER_ENERGY) {
        return;
    }
    for (int i = 0; i < 3; ++i) {
        b->first[i] = 2.0 * mu * e[i] + lambda * volume;
    }
    if (order == BRN_ORDER_FIRST) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const brn_lanes sum = brn_lanes_max(s[i] + s[j], brn_lanes_all(1e-12));
        b->diag[k] = brn_lanes_all(2.0 * mu + lambda);
        b->off[k] = brn_lanes_all(lambda);
        b->minus[k] = brn_lanes_all(2.0 * mu);
        b->plus[k] = 2.0 * mu + (2.0 * lambda * volume - 4.0 * mu) / sum;
    }
}

static const brn_table table = {
    .name = "corotated_linear",
    .help =
        "Hooke's law in a frame that turns with the material; `sap` needs one linear system a step for it",
    .size = sizeof(brn_material_common),
    .params = brn_pair_params,
    .nparams = BRN_PAIR_PARAMS,
};

const brn_material brn_material_corotated_linear = {
    .table = &table,
    .equation = "W = mu |E|^2 + lambda/2 tr(E)^2,  E = sym(R'F) - 1,  F = R S",
    .lagged = true,
    .moduli = brn_pair_moduli,
    .stretches = stretches,
};
