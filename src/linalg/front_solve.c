/* Forward and backward substitution, front by front. */
#include "linalg/front.h"

#include "linalg/blas.h"

#include <string.h>

/* x1 = L11^-1 x1, x2 -= L21 x1 */
static void forward(const brn_front_tree *t, const double *value, int f, int nrhs, double *x, double *work)
{
    const int s = t->size;
    const int k = brn_front_own(t, f) * s;
    const int below = brn_front_below(t, f) * s;
    const int m = k + below;
    const int ndof = t->n * s;
    const int unit = 1;
    const double one = 1.0;
    const double zero = 0.0;
    const double *panel = value + t->panel[f];
    double *own = x + (size_t)t->first[f] * (size_t)s;
    const int *row = t->row + t->row_start[f];
    if (nrhs == 1) {
        dtrsv_("L", "N", "N", &k, panel, &m, own, &unit);
    } else {
        dtrsm_("L", "L", "N", "N", &k, &nrhs, &one, panel, &m, own, &ndof);
    }
    if (below == 0) {
        return;
    }
    if (nrhs == 1) {
        dgemv_("N", &below, &k, &one, panel + k, &m, own, &unit, &zero, work, &unit);
    } else {
        dgemm_("N", "N", &below, &nrhs, &k, &one, panel + k, &m, own, &ndof, &zero, work, &below);
    }
    for (int c = 0; c < nrhs; ++c) {
        double *to = x + (size_t)c * (size_t)ndof;
        const double *from = work + (size_t)c * (size_t)below;
        for (int r = 0; r < below; ++r) {
            to[row[r / s] * s + r % s] -= from[r];
        }
    }
}

/* x1 = L11^-T (x1 - L21' x2) */
static void backward(const brn_front_tree *t, const double *value, int f, int nrhs, double *x, double *work)
{
    const int s = t->size;
    const int k = brn_front_own(t, f) * s;
    const int below = brn_front_below(t, f) * s;
    const int m = k + below;
    const int ndof = t->n * s;
    const int unit = 1;
    const double one = 1.0;
    const double minus = -1.0;
    const double *panel = value + t->panel[f];
    double *own = x + (size_t)t->first[f] * (size_t)s;
    const int *row = t->row + t->row_start[f];
    for (int c = 0; c < nrhs; ++c) {
        const double *from = x + (size_t)c * (size_t)ndof;
        double *to = work + (size_t)c * (size_t)below;
        for (int r = 0; r < below; ++r) {
            to[r] = from[row[r / s] * s + r % s];
        }
    }
    if (nrhs == 1) {
        if (below > 0) {
            dgemv_("T", &below, &k, &minus, panel + k, &m, work, &unit, &one, own, &unit);
        }
        dtrsv_("L", "T", "N", &k, panel, &m, own, &unit);
    } else {
        if (below > 0) {
            dgemm_("T", "N", &k, &nrhs, &below, &minus, panel + k, &m, work, &below, &one, own, &ndof);
        }
        dtrsm_("L", "L", "T", "N", &k, &nrhs, &one, panel, &m, own, &ndof);
    }
}

void brn_front_solve(const brn_front_tree *t, const double *value, int nrhs, double *x, double *work)
{
    for (int f = 0; f < t->nfront; ++f) {
        forward(t, value, f, nrhs, x, work);
    }
    for (int f = t->nfront - 1; f >= 0; --f) {
        backward(t, value, f, nrhs, x, work);
    }
}
