/* The ledger: energies, momenta and their balance, measured the same way for every method. Totals live in the state
   (state->ledger), so that a resumed run continues with the same bits. */
#ifndef BRN_STEP_LEDGER_H
#define BRN_STEP_LEDGER_H

#include "step/method.h"

/* Places in state->ledger. */
enum {
    BRN_LEDGER_WORK,           /* [J] by loads and holds since the start */
    BRN_LEDGER_DISSIPATED,     /* [J] by damping and friction */
    BRN_LEDGER_ENERGY0,        /* [J] at the start */
    BRN_LEDGER_ENERGY_SCALE,   /* [J] largest energy so far */
    BRN_LEDGER_MOMENTUM_SCALE, /* [kg m/s] largest sum of |p_a| so far */
    BRN_LEDGER_ANGULAR_SCALE,
    BRN_LEDGER_GRAVITY0,
    BRN_LEDGER_STIFFNESS_WORK, /* [J] by changes of the contacts' stiffness since the start */
    BRN_LEDGER_IMPULSE = 8,    /* [3] [N s], then [3] angular [N m s], of all external forces */
    BRN_LEDGER_START = 14,     /* [3] momentum, then [3] angular momentum at the start */
    BRN_LEDGER_RATE = 20,      /* [3] force, [3] torque on the free dofs that the last step carried over */
    BRN_LEDGER_CONTACT = 26,   /* [J] stored in the contacts now */
    BRN_LEDGER_EXCHANGED, /* [N s] sum of |impulse| of gravity, loads and holds, node by node, since the start */
    BRN_LEDGER_EXCHANGED_TURN, /* [N m s] the same times each node's distance from the origin */
    BRN_LEDGER_FIELD_WORK,     /* [J] of the work, that of changes of gravity */
    BRN_LEDGER_RESTS,          /* 1: the last step had no inertia, and momentum is not conserved */
    BRN_LEDGER_WEIGHT_LOAD,    /* 1: gravity was a load in the last step, and has no potential */
    BRN_LEDGER_KINETIC,        /* [J] now */
    BRN_LEDGER_ELASTIC,        /* [J] now */
    BRN_LEDGER_LOSS,           /* [J] taken by the integrators' own identities since the start */
    BRN_LEDGER_SWINGS,         /* 1: the energy of the last step's rule swings about the right one */
    BRN_LEDGER_GAIN,           /* [J] energy that nothing accounts for: what is there less what should be */
};

/* Sets the totals of a fresh state at time t, whose forces are filled in; info: from the reset. */
brn_status brn_ledger_start(brn_system *system, brn_state *state, const brn_step_info *info);
/* Books the step `in` -> `out` of length h: `out`'s totals. */
brn_status brn_ledger_book(brn_system *system, const brn_state *in, brn_state *out, double h,
                           const brn_step_info *info);
/* A state enters another stage, whose forces are filled in. */
brn_status brn_ledger_enter(brn_system *system, brn_state *state, const brn_books *books);
/* Books a change of gravity [m/s^2]. */
void brn_ledger_book_gravity(const brn_system *system, const double change[3], brn_state *state);
/* Whether the step `in` -> `out` made energy from nothing, noticeably and on top of none lost before. */
bool brn_ledger_gains(const brn_state *in, const brn_state *out);
/* Whether the rule lost as much in it as a run may gain. */
bool brn_ledger_loses(const brn_state *in, const brn_state *out);
/* Fills the energies, momenta and balance errors of a report. */
brn_status brn_ledger_report(brn_system *system, const brn_state *state, brn_report *report);

#endif
