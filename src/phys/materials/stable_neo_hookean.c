/* Stable neo-Hookean [Smith, de Goes, Kim 2018, "Stable neo-Hookean flesh simulation"]:
       W = m/2 (I - 3) + l/2 (J - alpha)^2 - m/2 ln(I + 1) + constant,  I = tr F^T F,  alpha = 1 + 3 m/(4 l)
   with m = 4/3 mu, l = lambda + 5/6 mu, which linearises to lambda and mu, and the constant that makes W = 0 at rest.
   With a1 = I - 3 and l (1 - alpha) = -3/4 m this is
       W = m/2 (a1 - ln(1 + a1/4)) - 3/4 m (J - 1) + l/2 (J - 1)^2.
   Any F is in the domain; rest is the only stress-free state up to rotations, inverted elements recover. */
#include "phys/material.h"

static void invariants(const brn_moduli *moduli, brn_order order, brn_invariant_batch *b)
{
    const double m = moduli->constants[0], l = moduli->constants[1];
    const brn_lanes quarter = 0.25 * b->a1;
    const brn_lanes ln = brn_lanes_log_near_one(1.0 + quarter, quarter);
    const brn_lanes volume = b->jac_minus_one;
    b->energy = 0.5 * m * (b->a1 - ln) - 0.75 * m * volume + 0.5 * l * volume * volume;
    const brn_lanes inverse = 1.0 / (b->a1 + 4.0);
    b->d1 = 0.5 * m * (1.0 - inverse);
    b->d2 = brn_lanes_all(0.0);
    b->dj = l * volume - 0.75 * m;
    if (order == BRN_ORDER_SECOND) {
        b->d11 = 0.5 * m * inverse * inverse;
        b->djj = brn_lanes_all(l);
        b->d12 = b->d1j = b->d22 = b->d2j = brn_lanes_all(0.0);
    }
}

static void stretches(const brn_moduli *m, brn_order order, brn_stretch_batch *b)
{
    brn_stretches_of_invariants(invariants, m, order, b);
}

static bool moduli(const void *params, brn_moduli *out, const char **reason)
{
    if (!brn_pair_moduli(params, out, reason)) {
        return false;
    }
    out->constants[0] = 4.0 / 3.0 * out->mu;
    out->constants[1] = out->lambda + 5.0 / 6.0 * out->mu;
    return true;
}

static const brn_table table = {
    .name = "stable_neo_hookean",
    .help = "neo-Hookean that is defined, and recovers, for inverted elements too",
    .size = sizeof(brn_material_common),
    .params = brn_pair_params,
    .nparams = BRN_PAIR_PARAMS,
};

const brn_material brn_material_stable_neo_hookean = {
    .table = &table,
    .equation = "W = m/2 (tr F^T F - 3 - ln((tr F^T F + 1)/4)) - 3/4 m (J - 1) + l/2 (J - 1)^2,  m = 4/3 mu, "
                "l = lambda + 5/6 mu",
    .moduli = moduli,
    .stretches = stretches,
    .invariants = invariants,
};
