/* How far bodies can go within a step, for methods that look for contact before it happens. */
#ifndef BRN_STEP_AHEAD_H
#define BRN_STEP_AHEAD_H

#include "contact/touching.h"
#include "state/state.h"
#include "step/system.h"

typedef struct brn_ahead {
    brn_ctx *ctx;
    const brn_system *system;
    int *hold;     /* [nnode] hold of a node of an obstacle; -1: none */
    double *place; /* [nnode][3] [m] where nodes would be at its end if they went on as they do */
    double *reach; /* [nbody] [m] gaps of a body that could close within the step */
    double *
        own; /* [nbody] [m] the same between its own parts: what moves and turns as a whole does not meet itself */
    double *last, *last_own; /* of the look before, if there is one */
} brn_ahead;

brn_status brn_ahead_create(brn_ctx *ctx, const brn_system *system, brn_ahead **out);
void brn_ahead_destroy(brn_ahead *ahead);
/* For a step of h from the state at time t: what each body moves and what gravity adds. */
brn_contact_reach brn_ahead_look(brn_ahead *ahead, const brn_state *in, double t, double h);
/* So many times what each body went from -> x, and no less than `least` [m], as reach and own, [nbody]. */
void brn_ahead_around(const brn_ahead *ahead, const double *from, const double *x, double times, double least,
                      double *reach, double *own);
/* Loads, drives, elements and impacts are not in that. Whether bodies that went from -> x in the step have gone farther than was looked;
   then *further is where to look again. */
bool brn_ahead_outrun(brn_ahead *ahead, const double *from, const double *x, brn_contact_reach *further);
/* Whether a point of the second look lay beyond the first one and has closed. */
bool brn_ahead_missed(const brn_ahead *ahead, const double *from, const brn_touching_point *point);

#endif
