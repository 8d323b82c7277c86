/* How a run starts: what is worth saying before its first step. */
#ifndef BRN_API_START_H
#define BRN_API_START_H

#include "step/sim.h"

/* The contact of the present state, against the weights of the bodies. */
void brn_start_measure(const brn_sim *sim, brn_start *out);
/* Logs the choice of the method, obstacles that a method without contact ignores, and bodies that contact will throw. */
void brn_start_tell(const brn_sim *sim, const brn_start *start);

#endif
