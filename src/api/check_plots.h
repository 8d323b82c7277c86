/* Whether a run will have the columns that its scene wants to see plotted. */
#ifndef BRN_API_CHECK_PLOTS_H
#define BRN_API_CHECK_PLOTS_H

#include "model/model.h"
#include "scene/scene.h"

/* Every column that the run of this model will not have becomes a problem that suggests another. */
brn_status brn_check_plots(brn_scene *scene, const brn_model *model);

#endif
