/* Whether bodies went through each other or themselves, by looking at every pair of edge and triangle with exact rationals, in the last
   frame and, with methods that promise that nothing meets, in others: nothing of the library takes part but the file that it wrote. */
#ifndef BRN_TESTS_STORM_STORM_SURFACE_H
#define BRN_TESTS_STORM_STORM_SURFACE_H

#include "storm_scene.h"

typedef struct storm_met {
    int count;       /* edges that meet a face, nodes behind a half-space */
    double depth;    /* [m] the shortest way out of one of them, the longest of these */
    char where[100]; /* the two bodies there */
} storm_met;

/* false: no trajectory. */
bool storm_meetings(const char *trajectory, const storm_scene *scene, storm_met *out);

#endif
