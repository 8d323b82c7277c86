/* What ties a checkpoint to its scene: a hash of every part of the model that decides how a run goes, by name, so that a
   checkpoint that does not fit can say why. */
#ifndef BRN_MODEL_MODEL_PARTS_H
#define BRN_MODEL_MODEL_PARTS_H

#include "model/model.h"

/* One line a part: 16 hexadecimal digits, a blank, its name ("method.dhat", "material of body 'ball'"). Left out is what a
   resume may change: the end (but of a static run, which ramps gravity over its whole length), the title and all output. Free
   with brn_free. */
brn_status brn_model_parts(const brn_model *model, char **out);

#endif
