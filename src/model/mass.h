/* The mass matrix of a model: consistent, lumped (HRZ: the consistent diagonal scaled to the element's mass
   [Hinton, Rock, Zienkiewicz 1976]; positive also for quadratic elements) or uniform, body by body. */
#ifndef BRN_MODEL_MASS_H
#define BRN_MODEL_MASS_H

#include "model/model.h"

/* kind: BRN_MASS_... of each body, [nbody]. Fills mass, mass_diagonal, mass_alpha, node_mass and each body's mass, volume, centre. */
brn_status brn_model_build_mass(brn_model *model, const int *kind);

#endif
