/* What contact, friction and impacts take in a step.

   Of nodes: minus the work of the contact forces along the means of their velocities, what the projection took from the kinetic energy, and
   what moved holds and obstacles did through its forces.
   A rigid body that coasts (step/scheme.h) turns before forces act on it, and its element, which has no history, takes part in every impact: what
   it lost by contact is what its energies have lost beyond weight and loads. */
#include "step/bbi/bbi.h"

#include "step/ledger.h"

#include <math.h>

/* Of the largest energy so far: what contact may give back in a step. Steps that are right stay far below. */
static const double GIVEN_BACK = 0.05;

/* Marks the rows of rigid bodies that coast. */
static void mark_rigid(brn_bbi *bbi)
{
    const brn_model *model = bbi->model;
    bbi->coasting = false;
    for (int row = 0; row < model->nrow; ++row) {
        bbi->coasts[row] = 0;
    }
    for (int b = 0; b < model->nbody; ++b) {
        for (int k = 0;
             k <= model->dim && brn_scheme_coasts(bbi->newton->scheme, b) && !brn_bbi_flies(bbi, b); ++k) {
            bbi->coasts[model->node_row[model->body[b].handle + k]] = 1;
            bbi->coasting = true;
        }
    }
}

/* [J] of the rows that coast and of all others. */
static brn_status kinetic(brn_bbi *bbi, const double *velocities, double out[2])
{
    const brn_newton *n = bbi->newton;
    double *v = n->step; /* scratch from here on */
    brn_system_pack(bbi->system, velocities, v);
    BRN_TRY(brn_system_mass_apply(bbi->system, v, n->scratch));
    out[0] = out[1] = 0.0;
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        out[bbi->coasts[dof / bbi->model->dim]] += 0.5 * v[dof] * n->scratch[dof];
    }
    return BRN_OK;
}

/* [J] Done by contact on what does not coast. */
static double work_of(const brn_bbi *bbi, const brn_state *in, const brn_state *out)
{
    const brn_scheme *m = bbi->newton->scheme;
    const bool chord = m->kind == BRN_NEWMARK || m->kind == BRN_MIDPOINT;
    double sum = 0.0;
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        const int at = brn_model_at(bbi->model, dof);
        const double mean = 0.5 * m->h * (in->node_vel[at] + out->node_vel[at]);
        const bool held = bbi->model->fixed[dof] == BRN_DOF_HELD;
        if (!bbi->coasts[dof / bbi->model->dim]) {
            sum += bbi->push[dof] * (chord && !held ? mean : out->node_pos[at] - in->node_pos[at]);
        }
    }
    return sum;
}

/* [J] Done by holds, obstacles included; sign -1 before n->unbalanced is what they supply. */
static double held_work(const brn_bbi *bbi, const brn_state *in, const brn_state *out, double sign)
{
    double sum = 0.0;
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        const int at = brn_model_at(bbi->model, dof);
        sum += bbi->model->fixed[dof] == BRN_DOF_HELD
                   ? sign * bbi->newton->unbalanced[dof] * (out->node_pos[at] - in->node_pos[at])
                   : 0.0;
    }
    return sum;
}

brn_status brn_bbi_books_begin(brn_bbi *bbi, const brn_state *in, const brn_state *out, brn_bbi_books *books)
{
    mark_rigid(bbi);
    books->work = work_of(bbi, in, out);
    books->held = held_work(bbi, in, out, -1.0);
    return kinetic(bbi, out->node_vel, books->kinetic);
}

/* [J] What bodies that coast have gained beyond weight and loads; `moved` and `stored` of brn_books as far as they are theirs. */
static brn_status rigid_gain(brn_bbi *bbi, const brn_state *in, const brn_state *out,
                             const double kinetic_now[2], double *gain, double *moved, double *stored)
{
    const brn_newton *n = bbi->newton;
    double kinetic_before[2];
    *gain = *moved = *stored = 0.0;
    if (!bbi->coasting) {
        return BRN_OK;
    }
    BRN_TRY(kinetic(bbi, in->node_vel, kinetic_before));
    const double elastic =
        brn_newton_rigid_energy(n, out->node_pos) - brn_newton_rigid_energy(n, in->node_pos);
    *gain = kinetic_now[1] - kinetic_before[1] + elastic;
    *moved = -(kinetic_now[1] - kinetic_before[1]);
    *stored = -elastic;
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        const int at = brn_model_at(bbi->model, dof);
        const double way = out->node_pos[at] - in->node_pos[at];
        if (bbi->coasts[dof / bbi->model->dim]) {
            *gain -= (n->load[dof] + n->gravity[dof]) * way;
            *moved += (n->inertia[dof] + n->gravity[dof]) * way;
            *stored += n->elastic[dof] * way;
        }
    }
    return BRN_OK;
}

/* What contact gives beyond all that was lost, damping in this step included, or in one step beyond a share of the largest energy, comes from
   nowhere: the ledger must see it as a gain. */
void brn_bbi_dissipate(const brn_state *in, double energy, brn_books *books)
{
    const double before = in->ledger[BRN_LEDGER_DISSIPATED] + in->ledger[BRN_LEDGER_LOSS];
    const double most = fmin(before, GIVEN_BACK * in->ledger[BRN_LEDGER_ENERGY_SCALE]);
    books->dissipated = fmax(-most, books->dissipated + energy);
}

brn_status brn_bbi_books_end(brn_bbi *bbi, const brn_state *in, const brn_state *out,
                             const brn_bbi_books *books, brn_step_info *info)
{
    double now[2];
    double gain;
    double moved;
    double stored;
    double booked = 0.0; /* as minus dissipated */
    BRN_TRY(kinetic(bbi, out->node_vel, now));
    BRN_TRY(rigid_gain(bbi, in, out, now, &gain, &moved, &stored));
    for (int dof = 0; dof < bbi->system->ndof; ++dof) {
        const int at = brn_model_at(bbi->model, dof);
        booked += bbi->push[dof] * (out->node_pos[at] - in->node_pos[at]);
    }
    const double lost = books->kinetic[0] - now[0];
    const double pushed = held_work(bbi, in, out, 1.0) - books->held;
    brn_bbi_dissipate(in, booked + lost + pushed - books->work - gain, &info->books);
    info->books.moved -= lost + moved;
    info->books.stored -= stored;
    info->own[BRN_BBI_IMPACT_LOSS] = books->kinetic[0] + books->kinetic[1] - now[0] - now[1];
    return BRN_OK;
}
