/* What ties a checkpoint to its scene: a named hash of every part of the model that affects how a run goes, so that a
   refused checkpoint can say why. */
#ifndef BRN_MODEL_MODEL_PARTS_H
#define BRN_MODEL_MODEL_PARTS_H

#include "model/model.h"

/* The part of a line that holds the bits of the step instead of a hash: a resume may change it. */
#define BRN_PART_STEP "time.step"

/* One line per part: 16 hexadecimal digits, a blank, its name ("method.dhat", "material of body 'ball'"). Omits what a
   resume may change: the end (except in a static run, which ramps gravity over its whole length), the title, parameters of a method that are limits (brn_param.resumable) and all output.
   Free with brn_free. */
brn_status brn_model_parts(const brn_model *model, char **out);

#endif
