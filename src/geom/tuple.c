#include "geom/tuple.h"

#include <stdlib.h>

enum { SMALL = 24 }; /* below this insertion sort wins */

static int compare(const void *a, const void *b)
{
    const brn_tuple *s = a, *t = b;
    for (int k = 1; k < 4; ++k) {
        if (s->key[k] != t->key[k]) {
            return s->key[k] < t->key[k] ? -1 : 1;
        }
    }
    return (s->id > t->id) - (s->id < t->id);
}

bool brn_tuple_same(const brn_tuple *a, const brn_tuple *b)
{
    return a->key[0] == b->key[0] && a->key[1] == b->key[1] && a->key[2] == b->key[2] &&
           a->key[3] == b->key[3];
}

static void sort_bucket(brn_tuple *v, int n)
{
    if (n > SMALL) {
        qsort(v, (size_t)n, sizeof *v, compare);
        return;
    }
    for (int i = 1; i < n; ++i) {
        const brn_tuple item = v[i];
        int j = i;
        for (; j > 0 && compare(&item, &v[j - 1]) < 0; --j) {
            v[j] = v[j - 1];
        }
        v[j] = item;
    }
}

brn_status brn_tuple_sort(brn_ctx *ctx, brn_tuple *tuple, int n, int nbucket)
{
    int *next = NULL;
    BRN_ALLOC(ctx, next, 2 * (size_t)nbucket);
    int *end = next + nbucket;
    for (int i = 0; i < n; ++i) {
        end[tuple[i].key[0]]++;
    }
    for (int b = 0, start = 0; b < nbucket; ++b) {
        next[b] = start;
        start += end[b];
        end[b] = start;
    }
    /* Each tuple is carried to the next free place of its bucket (American flag sort). */
    for (int b = 0; b < nbucket; ++b) {
        while (next[b] < end[b]) {
            const int to = tuple[next[b]].key[0];
            if (to == b) {
                next[b]++;
                continue;
            }
            const brn_tuple moved = tuple[next[b]];
            tuple[next[b]] = tuple[next[to]];
            tuple[next[to]++] = moved;
        }
    }
    for (int b = 0; b < nbucket; ++b) {
        const int start = b > 0 ? end[b - 1] : 0;
        sort_bucket(tuple + start, end[b] - start);
    }
    brn_free(ctx, next);
    return BRN_OK;
}
