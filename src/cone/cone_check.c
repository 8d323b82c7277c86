/* A problem that the solver may take at its word. */
#include "cone/cone_inner.h"

#include "cone/cone.h"

#include <limits.h>
#include <math.h>

static brn_status check_row(brn_ctx *ctx, const brn_cone_problem *p, int i)
{
    const int begin = p->first[i];
    const int end = p->first[i + 1];
    const int size = p->dim * p->dim;
    bool diagonal = false;
    if (end < begin) {
        return brn_fail(ctx, BRN_ERR_RANGE, "contact problem: first[%d] = %d is below first[%d] = %d", i + 1,
                        end, i, begin);
    }
    for (int k = begin; k < end; ++k) {
        const int j = p->column[k];
        if (!(j >= 0 && j < p->contacts) || (k > begin && j <= p->column[k - 1])) {
            return brn_fail(ctx, BRN_ERR_RANGE,
                            "contact problem: column[%d] = %d: columns of row %d must ascend from 0 to %d", k,
                            j, i, p->contacts - 1);
        }
        const double *w = p->w + (size_t)k * (size_t)size;
        for (int d = 0; d < size; ++d) {
            if (!isfinite(w[d])) {
                return brn_fail(ctx, BRN_ERR_NOT_FINITE,
                                "contact problem: W of contacts %d and %d is not finite", i, j);
            }
        }
        if (i == j) {
            diagonal = true;
            if (!(w[0] > 0.0)) {
                return brn_fail(ctx, BRN_ERR_RANGE,
                                "contact problem: the normal entry of W of contact %d is %g: must be > 0", i,
                                w[0]);
            }
        }
    }
    return diagonal ? BRN_OK
                    : brn_fail(ctx, BRN_ERR_RANGE, "contact problem: row %d has no block on the diagonal", i);
}

brn_status brn_cone_check(brn_ctx *ctx, const brn_cone_problem *p)
{
    if (p->dim != 2 && p->dim != 3) {
        return brn_fail(ctx, BRN_ERR_RANGE, "contact problem: dim = %d: must be 2 or 3", p->dim);
    }
    if (p->contacts < 0 || p->contacts > INT_MAX / 3) {
        return brn_fail(ctx, BRN_ERR_RANGE, "contact problem: contacts = %d: must be in [0, %d]", p->contacts,
                        INT_MAX / 3);
    }
    if (p->contacts == 0) {
        return BRN_OK;
    }
    BRN_GIVEN(ctx, p->first);
    BRN_GIVEN(ctx, p->column);
    BRN_GIVEN(ctx, p->w);
    BRN_GIVEN(ctx, p->q);
    BRN_GIVEN(ctx, p->mu);
    if (p->first[0] != 0) {
        return brn_fail(ctx, BRN_ERR_RANGE, "contact problem: first[0] = %d: must be 0", p->first[0]);
    }
    for (int i = 0; i < p->contacts; ++i) {
        BRN_TRY(check_row(ctx, p, i));
        for (int d = 0; d < p->dim; ++d) {
            if (!isfinite(p->q[(size_t)i * (size_t)p->dim + (size_t)d])) {
                return brn_fail(ctx, BRN_ERR_NOT_FINITE, "contact problem: q of contact %d is not finite", i);
            }
        }
        if (!(p->mu[i] >= 0.0)) {
            return brn_fail(ctx, BRN_ERR_RANGE, "contact problem: mu of contact %d is %g: must be >= 0", i,
                            p->mu[i]);
        }
    }
    return BRN_OK;
}
