/* The hull of points in the plane. */
#include "geom/hull_inner.h"

#include "base/arena.h"
#include "geom/predicates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int left_first(const void *x, const void *y)
{
    const double *a = *(const double *const *)x;
    const double *b = *(const double *const *)y;
    return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : a < b ? -1 : a > b;
}

/* Andrew's monotone chain; then corners within `flat` of the line of their neighbours go. */
brn_status brn_hull_polygon(brn_ctx *ctx, const double (*point)[3], int n, double flat, brn_hull_loops *out)
{
    brn_arena *arena = brn_ctx_arena(ctx);
    const double **order;
    const double **loop;
    int count = 0;
    BRN_TAKE(arena, order, n);
    BRN_TAKE(arena, loop, 2 * (size_t)n + 2);
    BRN_TAKE(arena, out->start, n + 1);
    BRN_TAKE(arena, out->corner, 2 * (size_t)n);
    for (int i = 0; i < n; ++i) {
        order[i] = point[i];
    }
    qsort(order, (size_t)n, sizeof *order, left_first);
    for (int half = 0; half < 2; ++half) {
        const int base = count;
        for (int i = 0; i < n; ++i) {
            const double *p = order[half == 0 ? i : n - 1 - i];
            while (count >= base + 2 && brn_orient2d(loop[count - 2], loop[count - 1], p) <= 0) {
                --count;
            }
            loop[count++] = p;
        }
        --count; /* the last is the first of the other half */
    }
    for (int i = 0; i < count && count > 2;) {
        const double *before = loop[(i + count - 1) % count];
        const double *after = loop[(i + 1) % count];
        const double way[2] = {after[0] - before[0], after[1] - before[1]};
        const double arm[2] = {loop[i][0] - before[0], loop[i][1] - before[1]};
        if (fabs(way[0] * arm[1] - way[1] * arm[0]) <= flat * hypot(way[0], way[1])) {
            memmove(loop + i, loop + i + 1, (size_t)(count - 1 - i) * sizeof *loop);
            --count;
        } else {
            ++i;
        }
    }
    out->nface = count;
    for (int i = 0; i < count; ++i) {
        out->start[i] = 2 * i;
        out->corner[2 * i] = (int)((const double(*)[3])loop[i] - point);
        out->corner[2 * i + 1] = (int)((const double(*)[3])loop[(i + 1) % count] - point);
    }
    out->start[count] = 2 * count;
    return count > 2 ? BRN_OK : BRN_ERR_RANGE;
}
