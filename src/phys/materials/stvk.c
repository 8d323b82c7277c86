/* Saint Venant-Kirchhoff: W = mu tr(E^2) + lambda/2 tr(E)^2 with the Green strain E = (F^T F - 1)/2 = A/2
   [Bonet & Wood 2008, chapter 6]. In the invariants of A: tr E = a1/2, tr(E^2) = (a1^2 - 2 a2)/4.
   Any F is in the domain, but the material softens and collapses when compressed below about 0.58 of its length. */
#include "phys/material.h"

static void invariants(const brn_moduli *m, brn_order order, brn_invariant_batch *b)
{
    const double square = 0.25 * m->mu + 0.125 * m->lambda;
    b->energy = square * b->a1 * b->a1 - 0.5 * m->mu * b->a2;
    b->d1 = 2.0 * square * b->a1;
    b->d2 = brn_lanes_all(-0.5 * m->mu);
    b->dj = brn_lanes_all(0.0);
    if (order == BRN_ORDER_SECOND) {
        b->d11 = brn_lanes_all(2.0 * square);
        b->d12 = b->d1j = b->d22 = b->d2j = b->djj = brn_lanes_all(0.0);
    }
}

static void stretches(const brn_moduli *m, brn_order order, brn_stretch_batch *b)
{
    brn_stretches_of_invariants(invariants, m, order, b);
}

static const brn_table table = {
    .name = "stvk",
    .help =
        "Saint Venant-Kirchhoff: linear in the Green strain; moderate strains, weak under strong compression",
    .size = sizeof(brn_material_common),
    .params = brn_pair_params,
    .nparams = BRN_PAIR_PARAMS,
};

const brn_material brn_material_stvk = {
    .table = &table,
    .equation = "W = mu tr(E^2) + lambda/2 tr(E)^2,  E = (F^T F - 1)/2",
    .moduli = brn_pair_moduli,
    .stretches = stretches,
    .invariants = invariants,
};
