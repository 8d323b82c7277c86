/* Whether a method takes what a scene asks of it: integrator, body types, keys of contact. */
#ifndef BRN_API_CHECK_METHOD_H
#define BRN_API_CHECK_METHOD_H

#include "scene/scene.h"
#include "step/method.h"

/* Everything it does not take becomes a problem that names what it takes, and the methods that take this. NULL: the method
   itself is a problem already. */
void brn_check_method(brn_scene *scene, const brn_method *method);

#endif
