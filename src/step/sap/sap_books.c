/* What contact does to the energy. A point that gives by d under the force F holds F d / 2, and takes up F d more at most while it is pressed
   further: Euler's rule dissipates. So whatever contact gives back beyond what it held comes from nowhere: a point found deep inside that
   was never pressed there. Vertices that slip over a rim give a little of it all the time, and the rule loses it again; beyond what was
   lost since the start the ledger must see it as a gain, not as dissipation below 0. */
#include "step/ledger.h"
#include "step/sap/sap.h"

#include <math.h>

/* [J] F d / 2 = R gamma^2 / 2 of all points at the end of the step. */
static double held_by(const brn_sap *sap)
{
    const int normal = sap->model->dim - 1;
    double sum = 0.0;
    for (int i = 0; i < sap->nat; ++i) {
        const double impulse = sap->impulse[3 * i + normal];
        sum += 0.5 * sap->constraint[i].r * impulse * impulse;
    }
    return sum + brn_sap_connections_hold(sap);
}

/* [J] done by contact on the bodies. */
static double work_of(const brn_sap *sap, const brn_state *in, const brn_state *out)
{
    double sum = 0.0;
    for (int dof = 0; dof < sap->system->ndof; ++dof) {
        const int at = brn_model_at(sap->model, dof);
        sum += sap->push[dof] * (out->node_pos[at] - in->node_pos[at]);
    }
    return sum;
}

void brn_sap_book(const brn_sap *sap, const brn_state *in, const brn_state *out, brn_step_info *info)
{
    const double straight = work_of(sap, in, out); /* among what the books call dissipated */
    const double work = straight + brn_sap_book_connections(sap, in, out, &info->books);
    const double taken = held_by(sap) - in->ledger[BRN_LEDGER_CONTACT];
    const double lost = in->ledger[BRN_LEDGER_DISSIPATED] + in->ledger[BRN_LEDGER_LOSS];
    info->books.dissipated += straight + fmax(-lost, -work - taken);
    info->books.stored += taken;
    info->contact_energy = in->ledger[BRN_LEDGER_CONTACT] + taken;
}
