#include "geom/hull.h"

#include "base/arena.h"
#include "geom/hull_inner.h"
#include "geom/predicates.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void brn_hull_destroy(brn_ctx *ctx, brn_hull *hull)
{
    if (hull == NULL) {
        return;
    }
    brn_free(ctx, (void *)hull->vertex);
    brn_free(ctx, (void *)hull->normal);
    brn_free(ctx, (void *)hull->offset);
    brn_free(ctx, (void *)hull->face_start);
    brn_free(ctx, (void *)hull->face_vertex);
    brn_free(ctx, (void *)hull->ring_start);
    brn_free(ctx, (void *)hull->ring);
    brn_free(ctx, (void *)hull->edge);
    brn_free(ctx, hull);
}

/* ---- in the plane ------------------------------------------------------------------------------------------------------------- */

static int left_first(const void *x, const void *y)
{
    const double *a = *(const double *const *)x;
    const double *b = *(const double *const *)y;
    return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : a < b ? -1 : a > b;
}

/* Andrew's monotone chain; then corners within `flat` of the line of their neighbours go. */
static brn_status polygon(brn_ctx *ctx, const double (*point)[3], int n, double flat, brn_hull_loops *out)
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

/* ---- from loops to the hull --------------------------------------------------------------------------------------------------- */

/* Of a polygon in space by the sum of cross products [Newell], of a side in the plane its right. */
static void face_normal(const double (*x)[3], const int *corner, int n, int dim, double normal[3])
{
    memset(normal, 0, 3 * sizeof *normal);
    for (int i = 1; i + 1 < n && dim == 3; ++i) {
        double u[3];
        double v[3];
        double c[3];
        for (int k = 0; k < 3; ++k) {
            u[k] = x[corner[i]][k] - x[corner[0]][k];
            v[k] = x[corner[i + 1]][k] - x[corner[0]][k];
        }
        brn_dense_cross3(u, v, c);
        for (int k = 0; k < 3; ++k) {
            normal[k] += c[k];
        }
    }
    if (dim == 2) {
        normal[0] = x[corner[1]][1] - x[corner[0]][1];
        normal[1] = x[corner[0]][0] - x[corner[1]][0];
    }
    const double length = sqrt(brn_dense_dot3(normal, normal));
    for (int k = 0; k < 3; ++k) {
        normal[k] /= length;
    }
}

/* The face, other than f, that has the side from w to v. */
static int beyond(const int *ring_start, const int *ring, const int *start, const int *corner, int v, int w)
{
    for (int r = ring_start[v]; r < ring_start[v + 1]; ++r) {
        const int *c = corner + start[ring[r]];
        const int n = start[ring[r] + 1] - start[ring[r]];
        for (int i = 0; i < n; ++i) {
            if (c[i] == w && c[(i + 1) % n] == v) {
                return ring[r];
            }
        }
    }
    return -1;
}

static brn_status set_edges(brn_ctx *ctx, brn_hull *hull)
{
    brn_hull_edge *edge;
    hull->nedge = 0;
    BRN_ALLOC(ctx, edge, hull->face_start[hull->nface]);
    hull->edge = edge;
    for (int f = 0; f < hull->nface && hull->dim == 3; ++f) {
        const int *c = hull->face_vertex + hull->face_start[f];
        const int n = hull->face_start[f + 1] - hull->face_start[f];
        for (int i = 0; i < n; ++i) {
            const int v = c[i];
            const int w = c[(i + 1) % n];
            const int g = beyond(hull->ring_start, hull->ring, hull->face_start, hull->face_vertex, v, w);
            if (g > f) {
                edge[hull->nedge++] = (brn_hull_edge){{v, w}, {f, g}};
            }
        }
    }
    return BRN_OK;
}

static brn_status set_rings(brn_ctx *ctx, brn_hull *hull)
{
    const int ncorner = hull->face_start[hull->nface];
    int *start;
    int *ring;
    BRN_ALLOC(ctx, start, hull->nvertex + 1);
    hull->ring_start = start;
    BRN_ALLOC(ctx, ring, ncorner);
    hull->ring = ring;
    for (int i = 0; i < ncorner; ++i) {
        start[hull->face_vertex[i] + 1]++;
    }
    for (int v = 0; v < hull->nvertex; ++v) {
        start[v + 1] += start[v];
    }
    for (int f = hull->nface - 1; f >= 0; --f) { /* start[v + 1] counts down to the start of v + 1's ring */
        for (int i = hull->face_start[f]; i < hull->face_start[f + 1]; ++i) {
            ring[--start[hull->face_vertex[i] + 1]] = f;
        }
    }
    memmove(start, start + 1, (size_t)hull->nvertex * sizeof *start);
    start[hull->nvertex] = ncorner;
    return BRN_OK;
}

static brn_status fill(brn_ctx *ctx, const double (*point)[3], int n, const brn_hull_loops *loops,
                       brn_hull *hull)
{
    const int ncorner = loops->start[loops->nface];
    int *number;
    double(*vertex)[3];
    double(*normal)[3];
    double *offset;
    int *start;
    int *corner;
    BRN_TAKE(brn_ctx_arena(ctx), number, n);
    hull->nface = loops->nface;
    BRN_ALLOC(ctx, vertex, ncorner);
    hull->vertex = (const double(*)[3])vertex;
    BRN_ALLOC(ctx, normal, hull->nface);
    hull->normal = (const double(*)[3])normal;
    BRN_ALLOC(ctx, offset, hull->nface);
    hull->offset = offset;
    BRN_ALLOC(ctx, start, hull->nface + 1);
    hull->face_start = start;
    BRN_ALLOC(ctx, corner, ncorner);
    hull->face_vertex = corner;
    memcpy(start, loops->start, ((size_t)hull->nface + 1) * sizeof *start);
    for (int i = 0; i < n; ++i) {
        number[i] = -1;
    }
    for (int i = 0; i < ncorner; ++i) {
        const int p = loops->corner[i];
        if (number[p] < 0) {
            number[p] = hull->nvertex++;
            memcpy(vertex[number[p]], point[p], (size_t)hull->dim * sizeof(double));
        }
        corner[i] = number[p];
    }
    for (int f = 0; f < hull->nface; ++f) {
        face_normal(hull->vertex, corner + start[f], start[f + 1] - start[f], hull->dim, normal[f]);
        offset[f] = -INFINITY;
        for (int v = 0; v < hull->nvertex; ++v) {
            offset[f] = fmax(offset[f], brn_dense_dot3(normal[f], vertex[v]));
        }
    }
    BRN_TRY(set_rings(ctx, hull));
    return set_edges(ctx, hull);
}

static brn_status build(brn_ctx *ctx, const double (*point)[3], int n, brn_hull *hull)
{
    brn_hull_loops loops;
    brn_hull_tri *tri;
    int ntri;
    double size = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < hull->dim; ++k) {
            const double at = fabs(point[i][k] - point[0][k]);
            if (!(at < BRN_PREDICATE_LARGEST)) {
                return brn_fail(ctx, BRN_ERR_RANGE, "convex hull: point %d is not finite or too far", i);
            }
            size = fmax(size, at);
        }
    }
    const double flat = BRN_HULL_FLAT * size;
    brn_status status = n > 0 ? BRN_OK : BRN_ERR_RANGE;
    if (status == BRN_OK && hull->dim == 2) {
        status = polygon(ctx, point, n, flat, &loops);
    } else if (status == BRN_OK) {
        status = brn_hull_triangles(ctx, point, n, &tri, &ntri);
        if (status == BRN_OK) {
            status = brn_hull_merge(ctx, point, n, tri, ntri, flat, &loops);
        }
        status = status == BRN_OK && loops.nface < 4 ? BRN_ERR_RANGE : status;
    }
    if (status == BRN_ERR_RANGE) {
        return brn_fail(ctx, BRN_ERR_RANGE, "convex hull: the %d points lie in one %s", n,
                        hull->dim == 2 ? "line" : "plane");
    }
    BRN_TRY(status);
    return fill(ctx, point, n, &loops, hull);
}

brn_status brn_hull_create(brn_ctx *ctx, int dim, const double (*point)[3], int n, brn_hull **out)
{
    brn_arena *arena = brn_ctx_arena(ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    brn_hull *hull;
    *out = NULL;
    BRN_ALLOC(ctx, hull, 1);
    hull->dim = dim;
    const brn_status status = build(ctx, point, n, hull);
    brn_arena_rewind(arena, mark);
    if (status < 0) {
        brn_hull_destroy(ctx, hull);
        return status;
    }
    *out = hull;
    return BRN_OK;
}

/* ---- measures ----------------------------------------------------------------------------------------------------------------- */

double brn_hull_depth(const brn_hull *hull, const double p[3])
{
    double depth = INFINITY;
    for (int f = 0; f < hull->nface; ++f) {
        depth = fmin(depth, hull->offset[f] - brn_dense_dot3(hull->normal[f], p));
    }
    return depth;
}

double brn_hull_departure(const brn_hull *hull, const double (*point)[3], const int *side, int nside)
{
    double most = 0.0;
    for (int s = 0; s < nside; ++s) {
        double middle[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < hull->dim; ++i) {
            const double *x = point[side[hull->dim * s + i]];
            most = fmax(most, brn_hull_depth(hull, x));
            for (int k = 0; k < hull->dim; ++k) {
                middle[k] += x[k] / hull->dim;
            }
        }
        most = fmax(most, brn_hull_depth(hull, middle));
    }
    return most;
}
