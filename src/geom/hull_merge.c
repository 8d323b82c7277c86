/* From the triangles of a hull to its faces. A face grows from the largest triangle left, over neighbours whose corners are in its
   plane; its border is a loop of sides. Corners at which only two faces meet lie within a straight edge and go. */
#include "geom/hull_inner.h"

#include "base/arena.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct ranked {
    double area;
    int tri;
} ranked;

typedef struct merger {
    const double (*point)[3];
    const brn_hull_tri *tri;
    int ntri;
    double flat;         /* [m] */
    double (*normal)[3]; /* of triangles, unit */
    double *height;      /* [m], least of a triangle's */
    ranked *order;
    int *region; /* of triangles */
    int *next;   /* of points: the next along the border of the region in hand, -1: not on it */
    int *stack;
} merger;

static int larger_first(const void *x, const void *y)
{
    const ranked *a = x;
    const ranked *b = y;
    return a->area > b->area ? -1 : a->area < b->area ? 1 : a->tri - b->tri;
}

static void measure(merger *m, int t)
{
    const int *v = m->tri[t].vertex;
    double u[3];
    double w[3];
    double longest = 0.0;
    for (int i = 0; i < 3; ++i) {
        double way[3];
        for (int k = 0; k < 3; ++k) {
            way[k] = m->point[v[(i + 1) % 3]][k] - m->point[v[i]][k];
        }
        longest = fmax(longest, sqrt(brn_dense_dot3(way, way)));
        memcpy(i == 0 ? u : w, way, sizeof way);
    }
    /* u is the first side, w the last one: from the third corner to the first. */
    double *n = m->normal[t];
    brn_dense_cross3(w, u, n);
    const double area = sqrt(brn_dense_dot3(n, n));
    for (int k = 0; k < 3; ++k) {
        n[k] = area > 0.0 ? n[k] / area : 0.0;
    }
    m->height[t] = area / longest;
    m->order[t] = (ranked){area, t};
}

/* A triangle's corners are in the plane of the seed, and it faces the same way unless it is too thin to say. */
static bool fits(const merger *m, int seed, int t)
{
    const double *n = m->normal[seed];
    const double *base = m->point[m->tri[seed].vertex[0]];
    if (m->height[t] > m->flat && brn_dense_dot3(n, m->normal[t]) < 0.5) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        const double *x = m->point[m->tri[t].vertex[i]];
        const double way[3] = {x[0] - base[0], x[1] - base[1], x[2] - base[2]};
        if (!(fabs(brn_dense_dot3(n, way)) <= m->flat)) {
            return false;
        }
    }
    return true;
}

static int grow(merger *m, int seed, int region)
{
    int count = 0;
    int done = 0;
    m->stack[count++] = seed;
    m->region[seed] = region;
    while (done < count) {
        const int t = m->stack[done++];
        for (int i = 0; i < 3; ++i) {
            const int beyond = m->tri[t].across[i];
            if (m->region[beyond] < 0 && fits(m, seed, beyond)) {
                m->region[beyond] = region;
                m->stack[count++] = beyond;
            }
        }
    }
    return count;
}

/* Writes the border of the region's triangles, the first `count` of the stack, as a loop; 0 corners if it is not one loop. */
static int border(merger *m, int count, int *corner)
{
    int sides = 0;
    int first = -1;
    bool simple = true;
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < count; ++k) {
            const brn_hull_tri *t = &m->tri[m->stack[k]];
            for (int i = 0; i < 3; ++i) {
                const int v = t->vertex[i];
                const bool rim = m->region[t->across[i]] != m->region[m->stack[k]];
                if (pass == 0) {
                    m->next[v] = -1;
                } else if (rim) {
                    simple = simple && m->next[v] < 0;
                    m->next[v] = t->vertex[(i + 1) % 3];
                    first = v;
                    ++sides;
                }
            }
        }
    }
    int n = 0;
    for (int v = first; simple && n < sides; v = m->next[v]) {
        corner[n++] = v;
        if (m->next[v] == first) {
            break;
        }
    }
    return simple && n == sides ? n : 0;
}

static void faces_of(merger *m, brn_hull_loops *out)
{
    for (int k = 0; k < m->ntri; ++k) {
        const int seed = m->order[k].tri;
        if (m->tri[seed].vertex[0] < 0 || m->region[seed] >= 0) {
            continue;
        }
        const int count = grow(m, seed, out->nface);
        int n = border(m, count, out->corner + out->start[out->nface]);
        if (n == 0) { /* not a disc: its other triangles are looked at again, each for itself */
            for (int i = 1; i < count; ++i) {
                m->region[m->stack[i]] = -1;
            }
            memcpy(out->corner + out->start[out->nface], m->tri[seed].vertex, 3 * sizeof(int));
            n = 3;
        }
        out->start[out->nface + 1] = out->start[out->nface] + n;
        out->nface++;
    }
}

/* Drops the corners at which fewer than three faces meet, unless a face would be left with fewer than three. */
static void straighten(const int *faces_at, brn_hull_loops *loops)
{
    int at = 0;
    for (int f = 0; f < loops->nface; ++f) {
        int kept = 0;
        for (int i = loops->start[f]; i < loops->start[f + 1]; ++i) {
            kept += faces_at[loops->corner[i]] > 2;
        }
        if (kept < 3) {
            return;
        }
    }
    for (int f = 0; f < loops->nface; ++f) {
        const int from = loops->start[f];
        loops->start[f] = at;
        for (int i = from; i < loops->start[f + 1]; ++i) {
            if (faces_at[loops->corner[i]] > 2) {
                loops->corner[at++] = loops->corner[i];
            }
        }
    }
    loops->start[loops->nface] = at;
}

brn_status brn_hull_merge(brn_ctx *ctx, const double (*point)[3], int n, const brn_hull_tri *tri, int ntri,
                          double flat, brn_hull_loops *out)
{
    brn_arena *arena = brn_ctx_arena(ctx);
    merger m = {.point = point, .tri = tri, .ntri = ntri, .flat = flat};
    int *faces_at;
    BRN_TAKE(arena, m.normal, ntri);
    BRN_TAKE(arena, m.height, ntri);
    BRN_TAKE(arena, m.order, ntri);
    BRN_TAKE(arena, m.region, ntri);
    BRN_TAKE(arena, m.stack, ntri);
    BRN_TAKE(arena, m.next, n);
    BRN_TAKE(arena, faces_at, n);
    BRN_TAKE(arena, out->start, (size_t)ntri + 1);
    BRN_TAKE(arena, out->corner, 3 * (size_t)ntri);
    for (int t = 0; t < ntri; ++t) {
        m.region[t] = -1;
        m.order[t] = (ranked){0.0, t};
        if (tri[t].vertex[0] >= 0) {
            measure(&m, t);
        }
    }
    qsort(m.order, (size_t)ntri, sizeof *m.order, larger_first);
    out->nface = 0;
    out->start[0] = 0;
    faces_of(&m, out);
    memset(faces_at, 0, (size_t)n * sizeof *faces_at);
    for (int i = 0; i < out->start[out->nface]; ++i) {
        faces_at[out->corner[i]]++;
    }
    straighten(faces_at, out);
    return BRN_OK;
}
