/* Whether a method supports what a scene asks for: integrator, body types, keys of contact. */
#ifndef BRN_API_CHECK_METHOD_H
#define BRN_API_CHECK_METHOD_H

#include "scene/scene.h"
#include "step/method.h"

/* The method of a scene that names none: the first one with contact where bodies may touch. */
brn_status brn_choose_method(brn_scene *scene, const brn_schema *schema);

/* Everything unsupported becomes a problem that names what the method supports, and the methods that support this. NULL: the
   method itself is a problem already. */
void brn_check_method(brn_scene *scene, const brn_method *method);

#endif
