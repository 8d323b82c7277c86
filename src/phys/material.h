/* Materials. All are isotropic and hyperelastic: the energy density W depends on the (signed) principal stretches
   s1, s2, s3 of F = U diag(s) V^T alone, with det U = det V = 1, so that only s3 can be negative. From

       W,  W_i = dW/ds_i,  W_ij = d2W/ds_i ds_j,
       minus_k = (W_i - W_j)/(s_i - s_j),   plus_k = (W_i + W_j)/(s_i + s_j)      ({i,j,k} a permutation)

   stress and tangent follow for every material by the same code [Smith, de Goes, Kim 2019, "Analytic eigensystems for
   isotropic distortion energies"]: P = U diag(W_i) V^T, and dP/dF has the eigenvalues of the 3x3 matrix W_ij, plus_k
   and minus_k, so that its projection to a positive semi-definite matrix costs one 3x3 eigenproblem.
   A material must give minus and plus in a form that has no cancellation at equal stretches.

   A new material is one file in phys/materials/ plus one line in materials.def. */
#ifndef BRN_PHYS_MATERIAL_H
#define BRN_PHYS_MATERIAL_H

#include "base/param.h"

/* Lanes of a batch: the width that the kernels vectorise over. 8 doubles fill one AVX-512 register. */
enum { BRN_LANES = 8 };

/* One batch of points, structure of arrays. In: s. Out: the rest. Index pairs: [0] = (2,3), [1] = (1,3), [2] = (1,2)
   for minus, plus, and for the off-diagonal entries of the second derivative. */
typedef struct brn_stretch_batch {
    double s[3][BRN_LANES];
    double energy[BRN_LANES];   /* +inf outside the domain, so that a line search backs off */
    double first[3][BRN_LANES]; /* W_1, W_2, W_3 */
    double diag[3][BRN_LANES];  /* W_11, W_22, W_33 */
    double off[3][BRN_LANES];   /* W_23, W_13, W_12 */
    double minus[3][BRN_LANES];
    double plus[3][BRN_LANES];
} brn_stretch_batch;

/* How far to evaluate. */
typedef enum brn_order { BRN_ORDER_ENERGY, BRN_ORDER_FIRST, BRN_ORDER_SECOND } brn_order;

/* Elastic constants in the form that the kernels use, made once from the scene's parameters. */
typedef struct brn_moduli {
    double lambda, mu;   /* [Pa] Lame; what linear theory sees of any material */
    double constants[6]; /* the material's own, e.g. C10, C01, K */
} brn_moduli;

typedef struct brn_material {
    const brn_table *table; /* its struct starts with brn_material_common */
    const char *equation;   /* W in one line, for the reference */
    bool linear;  /* small-strain: energy is quadratic in F, tangent constant (does not use stretches) */
    bool barrier; /* W -> inf as det F -> 0: inverted states are outside the domain */
    /* Checks and converts the parameters; false with a reason (for the scene's problem list) if they make no sense. */
    bool (*moduli)(const void *params, brn_moduli *out, const char **reason);
    void (*stretches)(const brn_moduli *moduli, brn_order order, brn_stretch_batch *batch);
} brn_material;

/* Parameters that every material has. Elastic constants may be given as any one of the pairs young+poisson,
   lame_lambda+lame_mu, bulk+shear; NaN = not given. */
typedef struct brn_damping {
    brn_block block;
    double alpha, beta; /* Rayleigh: C = alpha M + beta K(x^n); [1/s], [s] */
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

#endif
