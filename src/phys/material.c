#include "phys/material.h"

#define BRN_MATERIAL(name) &brn_material_##name,
static const brn_material *const materials[] = {
#include "phys/materials/materials.def"
};
#undef BRN_MATERIAL

int brn_material_count(void)
{
    return BRN_COUNT(materials);
}

const brn_material *brn_material_get(int index)
{
    return index >= 0 && index < BRN_COUNT(materials) ? materials[index] : NULL;
}

const brn_material *brn_material_of_table(const brn_table *table)
{
    for (int i = 0; i < BRN_COUNT(materials); ++i) {
        if (materials[i]->table == table) {
            return materials[i];
        }
    }
    return NULL;
}

/* ---- parameters ------------------------------------------------------------------------------------------------- */

static const brn_param damping_params[] = {
    BRN_P_REAL(brn_damping, alpha, "1/s", 0.0, 0.0, INFINITY, BRN_CLOSED, "mass-proportional part"),
    BRN_P_REAL(brn_damping, beta, "s", 0.0, 0.0, INFINITY, BRN_CLOSED, "stiffness-proportional part"),
};

const brn_table brn_damping_table = {
    .name = "damping",
    .help = "Rayleigh damping C = alpha M + beta K",
    .size = sizeof(brn_damping),
    .params = damping_params,
    .nparams = BRN_COUNT(damping_params),
};

/* NaN means "not given": what is given shows which pair the user chose. */
const brn_param brn_pair_params[BRN_PAIR_PARAMS] = {
    BRN_P_REAL(brn_material_common, density, "kg/m^3", 1000.0, 0.0, INFINITY, BRN_OPEN, "mass density"),
    BRN_P_REAL(brn_material_common, young, "Pa", NAN, 0.0, INFINITY, BRN_OPEN,
               "Young's modulus, with poisson (1e6 if no pair is given)"),
    BRN_P_REAL(brn_material_common, poisson, "1", NAN, -1.0, 0.5, BRN_OPEN,
               "Poisson's ratio, with young (0.4 if no pair is given)"),
    BRN_P_REAL(brn_material_common, lame_lambda, "Pa", NAN, -INFINITY, INFINITY, BRN_OPEN,
               "Lame's first constant, with lame_mu; more than -2/3 lame_mu"),
    BRN_P_REAL(brn_material_common, lame_mu, "Pa", NAN, 0.0, INFINITY, BRN_OPEN,
               "Lame's second constant, with lame_lambda"),
    BRN_P_REAL(brn_material_common, bulk, "Pa", NAN, 0.0, INFINITY, BRN_OPEN, "bulk modulus, with shear"),
    BRN_P_REAL(brn_material_common, shear, "Pa", NAN, 0.0, INFINITY, BRN_OPEN, "shear modulus, with bulk"),
    BRN_P_BLOCK(brn_material_common, damping, &brn_damping_table, "Rayleigh damping"),
};

static bool refuse(const char **reason, const char *text)
{
    *reason = text;
    return false;
}

bool brn_pair_moduli(const void *params, brn_moduli *out, const char **reason)
{
    const brn_material_common *p = params;
    const double given[3][2] = {{p->young, p->poisson}, {p->lame_lambda, p->lame_mu}, {p->bulk, p->shear}};
    static const char *const half[3] = {"young and poisson must be given together",
                                        "lame_lambda and lame_mu must be given together",
                                        "bulk and shear must be given together"};
    /* Exactly one pair, and complete. */
    int pair = -1;
    for (int i = 0; i < 3; ++i) {
        const bool first = !isnan(given[i][0]), second = !isnan(given[i][1]);
        if (!first && !second) {
            continue;
        }
        if (pair >= 0) {
            return refuse(reason, "elastic constants must be one pair: young + poisson, "
                                  "lame_lambda + lame_mu, or bulk + shear");
        }
        pair = i;
    }
    if (pair >= 0 && (isnan(given[pair][0]) || isnan(given[pair][1]))) {
        return refuse(reason, half[pair]);
    }
    const double a = pair < 0 ? 1e6 : given[pair][0];
    const double b = pair < 0 ? 0.4 : given[pair][1];
    double lambda, mu;
    if (pair <= 0) {
        mu = a / (2.0 * (1.0 + b));
        lambda = a * b / ((1.0 + b) * (1.0 - 2.0 * b));
    } else if (pair == 1) {
        lambda = a;
        mu = b;
    } else {
        lambda = a - 2.0 / 3.0 * b;
        mu = b;
    }
    /* The tables check each number alone; together they must make a stable solid with finite moduli. */
    if (!(mu > 0.0 && isfinite(mu) && isfinite(lambda))) {
        return refuse(reason, "the resulting shear modulus must be > 0 and all moduli finite");
    }
    if (!(lambda > -2.0 / 3.0 * mu)) {
        return refuse(reason, "the resulting bulk modulus (lambda + 2/3 mu) must be > 0");
    }
    *out = (brn_moduli){.lambda = lambda, .mu = mu};
    return true;
}

/* ---- from invariants to stretches ------------------------------------------------------------------------------- */

/* With A_i = s_i^2 - 1 and J_i = dJ/ds_i = s_j s_k:
       da1/ds_i = 2 s_i,   da2/ds_i = 2 s_i (A_j + A_k),   d2a2/ds_i^2 = 2 (A_j + A_k),   d2a2/ds_i ds_j = 4 s_i s_j
   and the divided differences of s_i, s_i (A_j + A_k) and J_i are 1, A_k -+ s_i s_j - 1 and -+s_k for minus, plus. */
void brn_stretches_of_invariants(brn_invariants_fn invariants, const brn_moduli *moduli, brn_order order,
                                 brn_stretch_batch *b)
{
    const brn_lanes *s = b->s;
    const brn_lanes e[3] = {s[0] - 1.0, s[1] - 1.0, s[2] - 1.0};
    const brn_lanes a[3] = {e[0] * (e[0] + 2.0), e[1] * (e[1] + 2.0), e[2] * (e[2] + 2.0)};
    brn_invariant_batch in;
    in.a1 = a[0] + a[1] + a[2];
    in.a2 = a[1] * a[2] + a[0] * a[2] + a[0] * a[1];
    in.jac = s[0] * s[1] * s[2];
    in.jac_minus_one = e[0] + e[1] + e[2] + (e[1] * e[2] + e[0] * e[2] + e[0] * e[1]) + e[0] * e[1] * e[2];
    invariants(moduli, order, &in);
    b->energy = in.energy;
    if (order == BRN_ORDER_ENERGY) {
        return;
    }
    brn_lanes g2[3], gj[3]; /* gradients of a2 and J; that of a1 is 2 s */
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        g2[i] = 2.0 * s[i] * (a[j] + a[k]);
        gj[i] = s[j] * s[k];
        b->first[i] = 2.0 * s[i] * in.d1 + g2[i] * in.d2 + gj[i] * in.dj;
    }
    if (order == BRN_ORDER_FIRST) {
        return;
    }
    brn_lanes h1[3], h2[3], hj[3]; /* second derivatives times the gradients */
    for (int i = 0; i < 3; ++i) {
        const brn_lanes g1 = 2.0 * s[i];
        h1[i] = in.d11 * g1 + in.d12 * g2[i] + in.d1j * gj[i];
        h2[i] = in.d12 * g1 + in.d22 * g2[i] + in.d2j * gj[i];
        hj[i] = in.d1j * g1 + in.d2j * g2[i] + in.djj * gj[i];
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        b->diag[k] =
            2.0 * s[k] * h1[k] + g2[k] * h2[k] + gj[k] * hj[k] + 2.0 * in.d1 + 2.0 * (a[i] + a[j]) * in.d2;
        b->off[k] =
            2.0 * s[i] * h1[j] + g2[i] * h2[j] + gj[i] * hj[j] + 4.0 * s[i] * s[j] * in.d2 + s[k] * in.dj;
        b->minus[k] = 2.0 * (in.d1 + in.d2 * (a[k] - gj[k] - 1.0)) - s[k] * in.dj;
        b->plus[k] = 2.0 * (in.d1 + in.d2 * (a[k] + gj[k] - 1.0)) + s[k] * in.dj;
    }
}
