/* The stages of a launch: loading, launch, flight, landing of the body that the scene's `stages` follow. The driver looks at every part of a
   step, whatever the method: when the load is over, when the body leaves the ground, when it is back, when it rests. A method asks
   which rule holds. */
#ifndef BRN_STEP_STAGES_H
#define BRN_STEP_STAGES_H

#include "step/method.h"

/* A state at the start of a run; nothing to do without stages. */
void brn_stages_start(const brn_system *system, brn_state *state);
/* After the part `in` -> `out` of h from time t, in which the points of info touched. *other: another rule holds from now on. */
brn_status brn_stages_follow(brn_system *system, const brn_state *in, brn_state *out, double t, double h,
                             const brn_step_info *info, bool *other);
/* The stages of a state and the rules that they go by, NULL for those that were not reached: [BRN_STAGES] both, blank without stages. */
void brn_stages_tell(const brn_model *model, const brn_state *state, brn_stage_result *result,
                     const char **rule);
/* Whether the run is over before its time: the body has come to rest. */
bool brn_stages_over(const brn_model *model, const brn_state *state);
/* BRN_STAGE_... of a state. */
static inline int brn_stages_now(const brn_state *state)
{
    return (int)state->story.stage;
}

#endif
