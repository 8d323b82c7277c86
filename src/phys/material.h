/* Materials. All are isotropic and hyperelastic: the energy density W depends on the (signed) principal stretches
   s1, s2, s3 of F = U diag(s) V^T alone, with det U = det V = 1, so that only s3 can be negative. From

       W,  W_i = dW/ds_i,  W_ij = d2W/ds_i ds_j,
       minus_k = (W_i - W_j)/(s_i - s_j),   plus_k = (W_i + W_j)/(s_i + s_j)      ({i,j,k} a permutation)

   stress and tangent follow for every material by the same code [Smith, de Goes, Kim 2019, "Analytic eigensystems for
   isotropic distortion energies"]: P = U diag(W_i) V^T, and dP/dF has the eigenvalues of the 3x3 matrix W_ij, plus_k
   and minus_k, so that its projection to a positive semi-definite matrix costs one 3x3 eigenproblem.
   A material must give minus and plus in a form that has no cancellation at equal stretches.

   Most materials are functions of invariants of F^T F and of J = det F. Those state W(a1, a2, J) and its derivatives
   once; energy and stress then need no singular values, and brn_stretches_of_invariants gives the rest.

   Plane strain is s3 = F33 = 1.

   A new material is one file in phys/materials/ plus one line in materials.def. */
#ifndef BRN_PHYS_MATERIAL_H
#define BRN_PHYS_MATERIAL_H

#include "base/lanes.h"
#include "base/param.h"

/* One batch of points. In: s. Out: the rest, as far as the order requires. Index pairs: [0] = (2,3), [1] = (1,3),
   [2] = (1,2) for minus, plus, and for the off-diagonal entries of the second derivative. */
typedef struct brn_stretch_batch {
    brn_lanes s[3];
    brn_lanes energy;   /* +inf outside the domain, so that a line search backs off */
    brn_lanes first[3]; /* W_1, W_2, W_3 */
    brn_lanes diag[3];  /* W_11, W_22, W_33 */
    brn_lanes off[3];   /* W_23, W_13, W_12 */
    brn_lanes minus[3];
    brn_lanes plus[3];
} brn_stretch_batch;

/* The same in invariants of A = F^T F - 1 (twice the Green strain), which vanish at rest: a1 = tr A,
   a2 = (tr(A)^2 - tr(A^2))/2. They and jac_minus_one carry no cancellation, so that the rounding error of W is of order
   |A|, not of order one. In: a1, a2, jac, jac_minus_one. Out: the rest. */
typedef struct brn_invariant_batch {
    brn_lanes a1, a2, jac, jac_minus_one;
    brn_lanes energy;
    brn_lanes d1, d2, dj;                   /* dW/da1, dW/da2, dW/dJ */
    brn_lanes d11, d12, d1j, d22, d2j, djj; /* second derivatives, order SECOND only */
} brn_invariant_batch;

/* How far to evaluate. */
typedef enum brn_order { BRN_ORDER_ENERGY, BRN_ORDER_FIRST, BRN_ORDER_SECOND } brn_order;

/* Elastic constants in the form that the kernels use, made once from the scene's parameters. */
typedef struct brn_moduli {
    double lambda, mu;   /* [Pa] Lame; any material's at small strains */
    double constants[6]; /* the material's own, e.g. C10, C01, K */
} brn_moduli;

typedef void (*brn_invariants_fn)(const brn_moduli *moduli, brn_order order, brn_invariant_batch *batch);

typedef struct brn_material {
    const brn_table *table; /* its struct starts with brn_material_common */
    const char *equation;   /* W in one line, for the reference */
    bool linear;  /* small-strain: energy is quadratic in F, tangent constant (does not use stretches) */
    bool lagged;  /* linear in F while its rotation is held: BRN_TANGENT_LAGGED */
    bool barrier; /* W -> inf as det F -> 0: inverted states are outside the domain */
    /* Checks and converts the parameters; false with a reason (for the scene's problem list) if they make no sense. */
    bool (*moduli)(const void *params, brn_moduli *out, const char **reason);
    /* NULL for a linear material. */
    void (*stretches)(const brn_moduli *moduli, brn_order order, brn_stretch_batch *batch);
    /* NULL where W is not a function of the invariants. */
    brn_invariants_fn invariants;
} brn_material;

/* Parameters that every material has. Elastic constants may be given as any one of the pairs young+poisson,
   lame_lambda+lame_mu, bulk+shear; NaN = not given. */
typedef struct brn_damping {
    brn_block block;
    double alpha, beta; /* Rayleigh: alpha M + beta K, K the viscous tangent of phys/solid.h; [1/s], [s] */
} brn_damping;

typedef struct brn_material_common {
    brn_block block;
    double density; /* [kg/m^3] */
    double young, poisson;
    double lame_lambda, lame_mu;
    double bulk, shear;
    brn_damping damping;
} brn_material_common;

int brn_material_count(void);
const brn_material *brn_material_get(int index);
const brn_material *brn_material_of_table(const brn_table *table);

/* ---- for the files in phys/materials/ ---------------------------------------------------------------------------- */

#define BRN_MATERIAL(name) extern const brn_material brn_material_##name;
#include "phys/materials/materials.def"
#undef BRN_MATERIAL

/* The parameters of a material with two elastic constants, described by a brn_material_common. */
enum { BRN_PAIR_PARAMS = 8 };
extern const brn_param brn_pair_params[BRN_PAIR_PARAMS];
extern const brn_table brn_damping_table;

/* Lame constants from the one pair that is given (young 1e6 Pa and poisson 0.4 if none is). */
bool brn_pair_moduli(const void *params, brn_moduli *out, const char **reason);

/* Stretches of a material that is given by its invariants. */
void brn_stretches_of_invariants(brn_invariants_fn invariants, const brn_moduli *moduli, brn_order order,
                                 brn_stretch_batch *batch);

/* The domain of a barrier: J at least the smallest normal number. Outside, J is replaced by 1 so that everything
   stays finite; the caller sets the energy to +inf where *inside is 0. */
BRN_LANES_INLINE void brn_barrier_domain(brn_invariant_batch *batch, brn_mask *inside)
{
    *inside = (brn_mask)(batch->jac >= DBL_MIN);
    batch->jac = brn_lanes_select(*inside, batch->jac, brn_lanes_all(1.0));
    batch->jac_minus_one = brn_lanes_select(*inside, batch->jac_minus_one, brn_lanes_all(0.0));
}

#endif
