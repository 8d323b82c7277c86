/* Compressible Mooney-Rivlin, isochoric form [Holzapfel 2000, chapter 6]:
       W = c10 (J^(-2/3) I1 - 3) + c01 (J^(-4/3) I2 - 3) + K/2 ln(J)^2
   with I1 = tr C = a1 + 3 and I2 = (tr(C)^2 - tr(C^2))/2 = a2 + 2 a1 + 3. Rest is stress-free for any constants;
   mu = 2 (c10 + c01), bulk modulus K. The volume term is ln(J)^2, not (J - 1)^2: only then does W go to infinity
   however J -> 0, even uniformly. J <= 0 is outside the domain (energy +inf). */
#include "phys/material.h"

typedef struct mooney_rivlin {
    brn_material_common common; /* density, bulk and damping are used */
    double c10, c01;
} mooney_rivlin;

static void invariants(const brn_moduli *m, brn_order order, brn_invariant_batch *b)
{
    const double c10 = m->constants[0], c01 = m->constants[1], bulk = m->constants[2];
    brn_mask inside;
    brn_barrier_domain(b, &inside);
    const brn_lanes ln = brn_lanes_log_near_one(b->jac, b->jac_minus_one);
    brn_lanes a; /* J^(-2/3) - 1 */
    for (int i = 0; i < BRN_LANES; ++i) {
        a[i] = expm1(-2.0 / 3.0 * ln[i]);
    }
    const brn_lanes bb = a * (a + 2.0);       /* J^(-4/3) - 1 */
    const brn_lanes i2 = b->a2 + 2.0 * b->a1; /* I2 - 3 */
    const brn_lanes w1 = c10 * (a + 1.0), w2 = c01 * (bb + 1.0);
    const brn_lanes energy = w1 * b->a1 + 3.0 * c10 * a + w2 * i2 + 3.0 * c01 * bb + 0.5 * bulk * ln * ln;
    b->energy = brn_lanes_select(inside, energy, brn_lanes_all(INFINITY));
    const brn_lanes inverse = 1.0 / b->jac;
    const brn_lanes w1_i1 = w1 * (b->a1 + 3.0), w2_i2 = w2 * (i2 + 3.0);
    b->d1 = w1 + 2.0 * w2;
    b->d2 = w2;
    b->dj = (bulk * ln - 2.0 / 3.0 * w1_i1 - 4.0 / 3.0 * w2_i2) * inverse;
    if (order == BRN_ORDER_SECOND) {
        b->d11 = b->d12 = b->d22 = brn_lanes_all(0.0);
        b->d1j = (-2.0 / 3.0 * w1 - 8.0 / 3.0 * w2) * inverse;
        b->d2j = -4.0 / 3.0 * w2 * inverse;
        b->djj = (10.0 / 9.0 * w1_i1 + 28.0 / 9.0 * w2_i2 + bulk * (1.0 - ln)) * inverse * inverse;
    }
}

static void stretches(const brn_moduli *m, brn_order order, brn_stretch_batch *b)
{
    brn_stretches_of_invariants(invariants, m, order, b);
}

static bool moduli(const void *params, brn_moduli *out, const char **reason)
{
    const mooney_rivlin *p = params;
    const double mu = 2.0 * (p->c10 + p->c01), bulk = p->common.bulk;
    if (!(mu > 0.0 && isfinite(mu))) {
        *reason = "c10 + c01 must be > 0";
        return false;
    }
    if (!(bulk > 0.0 && isfinite(bulk))) {
        *reason = "bulk must be > 0";
        return false;
    }
    *out = (brn_moduli){.lambda = bulk - 2.0 / 3.0 * mu, .mu = mu, .constants = {p->c10, p->c01, bulk}};
    return true;
}

static const brn_param params[] = {
    BRN_P_REAL(brn_material_common, density, "kg/m^3", 1000.0, 0.0, INFINITY, BRN_OPEN, "mass density"),
    BRN_P_REAL(mooney_rivlin, c10, "Pa", 1.5e5, 0.0, INFINITY, BRN_OPEN_HIGH,
               "factor of the first isochoric invariant; small-strain shear modulus is 2 (c10 + c01)"),
    BRN_P_REAL(mooney_rivlin, c01, "Pa", 3e4, 0.0, INFINITY, BRN_OPEN_HIGH,
               "factor of the second isochoric invariant"),
    BRN_P_REAL(brn_material_common, bulk, "Pa", 1.7e6, 0.0, INFINITY, BRN_OPEN, "bulk modulus"),
    BRN_P_BLOCK(brn_material_common, damping, &brn_damping_table, "Rayleigh damping"),
};

static const brn_table table = {
    .name = "mooney_rivlin",
    .help = "compressible Mooney-Rivlin: rubber at large stretch; elements never invert",
    .size = sizeof(mooney_rivlin),
    .params = params,
    .nparams = BRN_COUNT(params),
};

const brn_material brn_material_mooney_rivlin = {
    .table = &table,
    .equation = "W = c10 (J^(-2/3) I1 - 3) + c01 (J^(-4/3) I2 - 3) + bulk/2 ln(J)^2,  J > 0",
    .barrier = true,
    .moduli = moduli,
    .stretches = stretches,
    .invariants = invariants,
};
