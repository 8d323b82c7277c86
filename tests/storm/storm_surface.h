/* Whether bodies went through each other or themselves, by looking at every pair of edge and triangle of the last frame with exact
   rationals: nothing of the library takes part but the file that it wrote. */
#ifndef BRN_TESTS_STORM_STORM_SURFACE_H
#define BRN_TESTS_STORM_STORM_SURFACE_H

#include "storm_scene.h"

/* Pairs that meet, or nodes behind a half-space; where: two bodies of them. < 0: no trajectory. */
int storm_meetings(const char *trajectory, const storm_scene *scene, char where[100]);

#endif
