/* How far a Newton step may go: nothing may touch (CCD) and no element may turn inside out. */
#include "step/ipc/ipc.h"

#include "step/inversion.h"
#include "step/newton_inner.h"

#include <string.h>

/* No step can be taken from x. */
static brn_status tell_why(brn_ipc *ipc, const double *x)
{
    brn_meetings meetings = {0};
    BRN_TRY(brn_ipc_find_meetings(ipc, x, &meetings));
    return meetings.count > 0
               ? brn_ipc_tell_stuck(ipc, x, &meetings)
               : brn_fail(ipc->ctx, BRN_ERR_CONVERGENCE,
                          "t = %g s: two parts touch or an element is flat: no step can be taken", ipc->t);
}

/* A direction so many times as long as the scene sweeps everything through everything: it costs as much as so many others, about. */
static const double FAR = 100.0;
static const double FAR_COST = 10.0;

brn_status brn_ipc_bound(void *self, const double *x, const double *step, double *fraction)
{
    brn_ipc *ipc = self;
    brn_model_move(ipc->model, x, step, ipc->far);
    ipc->system->effort +=
        brn_newton_most(step, ipc->system->ndof) > FAR * ipc->system->size ? FAR_COST - 1.0 : 0.0;
    BRN_TRY(brn_inversion_bound(ipc->ctx, ipc->model, x, ipc->far, fraction));
    BRN_TRY(brn_ipc_find_candidates(ipc, x, ipc->far));
    BRN_TRY(brn_pairs_free_step(ipc->candidates, x, ipc->far, ipc->dhat_most, fraction));
    return *fraction > 0.0 ? BRN_OK : tell_why(ipc, x);
}
