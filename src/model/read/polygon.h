/* A polygon in space cut into triangles. */
#ifndef BRN_MODEL_READ_POLYGON_H
#define BRN_MODEL_READ_POLYGON_H

#include "model/read/draft.h"

/* Adds the triangles of a polygon of draft nodes to the draft: a fan where it is convex, by ear clipping where it is not
   [Meisters 1975], seen along its mean normal (Newell's method). Repeated corners are skipped; fewer than three
   corners add nothing. A polygon that crosses itself is an error at the scanner's mark. */
brn_status brn_polygon_add(brn_draft *draft, const brn_scan *scan, const int *node, int count);

#endif
