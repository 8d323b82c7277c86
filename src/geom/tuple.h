/* Sorting of node tuples (the corners of edges and faces), which finds equal ones without hashing. */
#ifndef BRN_GEOM_TUPLE_H
#define BRN_GEOM_TUPLE_H

#include "base/ctx.h"

typedef struct brn_tuple {
    int key[4]; /* key[0] in 0..nbucket-1; unused ones equal, -1 by custom */
    int id;
} brn_tuple;

/* Ascending by key, then id. In place; O(n log n) at worst, O(n) where few tuples share their first key. */
brn_status brn_tuple_sort(brn_ctx *ctx, brn_tuple *tuple, int n, int nbucket);
bool brn_tuple_same(const brn_tuple *a, const brn_tuple *b); /* equal keys */

#endif
