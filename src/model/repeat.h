/* Copies of a body (`repeat`): how many, what they are called, where they stand.

   Copy (i, j, k) of `wall` is called wall_i_j_k, counted from 0; copies along one line wall_i. They follow each other with
   the first axis fastest, so a wall is counted layer by layer. */
#ifndef BRN_MODEL_REPEAT_H
#define BRN_MODEL_REPEAT_H

#include "scene/scene.h"

/* Where a body stands: x = rotation X + position, X in the coordinates of its mesh. */
typedef struct brn_body_place {
    double rotation[9], position[3];
} brn_body_place;

enum { BRN_REPEAT_NAME_MAX = 200 }; /* longest name of a repeated body */

/* 1 without `repeat`. */
int brn_repeat_count(const brn_body_common *body);
/* The copy that a word names; -1: none. A body without `repeat` has no copies. */
int brn_repeat_find(const brn_body_common *body, const char *word);
/* Name of a copy, or of the body itself without `repeat`; truncated to size. */
void brn_repeat_name(const brn_body_common *body, int copy, char *name, size_t size);
/* Place of a copy, jitter included: a function of the scene's seed and the copy's name alone, so that it does not change with the
   number of copies or with other bodies. */
void brn_repeat_pose(brn_scene *scene, const brn_body_common *body, int copy, brn_body_place *out);

#endif
