/* Small spectral problems on batches of lanes: singular values with rotations, and the nearest positive semi-definite
   matrix. Matrices are row-major: m[3 i + j] (or m[2 i + j]). */
#ifndef BRN_PHYS_SVD_H
#define BRN_PHYS_SVD_H

#include "base/lanes.h"

/* F = U diag(s) V^T with rotations U, V (det +1) and s1 >= s2 >= |s3|: s3 has the sign of det F. Any finite F whose
   entries are at most 1e300, zero and singular ones included: residual and loss of orthogonality are a few ulp. */
void brn_svd3(const brn_lanes f[9], brn_lanes u[9], brn_lanes s[3], brn_lanes v[9]);
/* The same in the plane: s1 >= |s2|. */
void brn_svd2(const brn_lanes f[4], brn_lanes u[4], brn_lanes s[2], brn_lanes v[4]);

/* Replaces a symmetric matrix (diag: 11, 22, 33; off: 23, 13, 12) by the nearest positive semi-definite one in the
   Frobenius norm: negative eigenvalues become 0. A positive definite matrix is left untouched. */
void brn_psd3(brn_lanes diag[3], brn_lanes off[3]);

#endif
