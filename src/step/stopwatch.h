/* Where the time of a step goes. The watch always runs for exactly one phase, so phases never overlap and their sum is the
   time between start and stop, failed attempts included. Used by the thread that drives the step; a switch costs one
   clock reading.

       double *was = brn_stopwatch_switch(watch, &watch->phases.ccd);
       ...
       brn_stopwatch_switch(watch, was);

   An early return may leave the phase as it is: the driver sets it again before every attempt. */
#ifndef BRN_STEP_STOPWATCH_H
#define BRN_STEP_STOPWATCH_H

#include <brunt/brunt.h>

#include "base/os.h"

#include <stddef.h>

typedef struct brn_stopwatch {
    brn_phases phases; /* [s] */
    double *phase;     /* the current one; NULL: stopped */
    double since;      /* [s] brn_wall_time of the last switch */
} brn_stopwatch;

/* Switches to another phase (NULL: stops) and returns the previous one. */
static inline double *brn_stopwatch_switch(brn_stopwatch *watch, double *phase)
{
    double *const was = watch->phase;
    const double now = brn_wall_time();
    if (was != NULL) {
        *was += now - watch->since;
    }
    watch->phase = phase;
    watch->since = now;
    return was;
}

/* From zero, in phase `other`. */
static inline void brn_stopwatch_start(brn_stopwatch *watch)
{
    watch->phases = (brn_phases){0};
    watch->phase = &watch->phases.other;
    watch->since = brn_wall_time();
}

#endif
