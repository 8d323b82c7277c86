/* Compressible neo-Hookean [Bonet & Wood 2008, chapter 6]: W = mu/2 (tr F^T F - 3) - mu ln J + lambda/2 ln(J)^2.
   In plane strain (F33 = 1) that is mu/2 (tr F2^T F2 - 2) - mu ln J + lambda/2 ln(J)^2 of the 2x2 part.
   J <= 0 is outside the domain: the energy is +inf there, so that a line search backs off. */
#include "phys/material.h"

static void invariants(const brn_moduli *m, brn_order order, brn_invariant_batch *b)
{
    const double mu = m->mu, lambda = m->lambda;
    brn_mask inside;
    brn_barrier_domain(b, &inside);
    const brn_lanes ln = brn_lanes_log_near_one(b->jac, b->jac_minus_one);
    const brn_lanes energy = 0.5 * mu * (b->a1 - 2.0 * ln) + 0.5 * lambda * ln * ln;
    b->energy = brn_lanes_select(inside, energy, brn_lanes_all(INFINITY));
    const brn_lanes inverse = 1.0 / b->jac;
    b->d1 = brn_lanes_all(0.5 * mu);
    b->d2 = brn_lanes_all(0.0);
    b->dj = (lambda * ln - mu) * inverse;
    if (order == BRN_ORDER_SECOND) {
        b->djj = (lambda * (1.0 - ln) + mu) * inverse * inverse;
        b->d11 = b->d12 = b->d1j = b->d22 = b->d2j = brn_lanes_all(0.0);
    }
}

static void stretches(const brn_moduli *m, brn_order order, brn_stretch_batch *b)
{
    brn_stretches_of_invariants(invariants, m, order, b);
}

static const brn_table table = {
    .name = "neo_hookean",
    .help = "compressible neo-Hookean with a logarithmic barrier: elements never invert",
    .size = sizeof(brn_material_common),
    .params = brn_pair_params,
    .nparams = BRN_PAIR_PARAMS,
};

const brn_material brn_material_neo_hookean = {
    .table = &table,
    .equation = "W = mu/2 (tr F^T F - 3) - mu ln J + lambda/2 ln(J)^2,  J > 0",
    .barrier = true,
    .moduli = brn_pair_moduli,
    .stretches = stretches,
    .invariants = invariants,
};
