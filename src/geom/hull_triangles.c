/* The hull of points in space, one point after another: the triangles that see it go, and their rim is joined to it. A triangle
   sees a point that is strictly in front of its plane, by the exact sign. Thus no side of the rim is in line with the point,
   no triangle has area 0, and triangles in the plane of the point are continued by others in that plane. */
#include "geom/hull_inner.h"

#include "base/arena.h"
#include "geom/predicates.h"
#include "linalg/dense.h"

#include <math.h>

typedef struct builder {
    const double (*point)[3];
    brn_hull_tri *tri;
    int top;        /* triangles in use are below it */
    int *free_list; /* unused ones below it */
    int nfree;
    bool *seen;     /* of triangles, by the point in hand */
    int *at_vertex; /* new triangle whose side on the rim starts at a point */
} builder;

static bool sees(const builder *b, int t, const double p[3])
{
    const int *v = b->tri[t].vertex;
    return v[0] >= 0 && brn_orient3d(b->point[v[0]], b->point[v[1]], b->point[v[2]], p) > 0;
}

static int take_tri(builder *b)
{
    return b->nfree > 0 ? b->free_list[--b->nfree] : b->top++;
}

/* The side of `of` that borders on `beyond`, which starts at vertex w. */
static int side_from(const brn_hull_tri *of, int w)
{
    return of->vertex[0] == w ? 0 : of->vertex[1] == w ? 1 : 2;
}

/* One new triangle on every side of the rim of what is seen; then they are joined to each other. Returns a triangle of them, -1: nothing
   is seen. `rim` has room for 3 per seen triangle. */
static void add_point(builder *b, int p, int *rim)
{
    int nrim = 0;
    int nseen = 0;
    for (int t = 0; t < b->top; ++t) {
        b->seen[t] = sees(b, t, b->point[p]);
        nseen += b->seen[t];
    }
    if (nseen == 0) {
        return;
    }
    /* Sides of the rim first: start, end, triangle beyond. */
    for (int t = 0; t < b->top; ++t) {
        for (int i = 0; i < 3 && b->seen[t]; ++i) {
            const int beyond = b->tri[t].across[i];
            if (!b->seen[beyond]) {
                rim[3 * nrim] = b->tri[t].vertex[i];
                rim[3 * nrim + 1] = b->tri[t].vertex[(i + 1) % 3];
                rim[3 * nrim++ + 2] = beyond;
            }
        }
    }
    for (int t = 0; t < b->top; ++t) {
        if (b->seen[t]) {
            b->tri[t].vertex[0] = -1;
            b->free_list[b->nfree++] = t;
        }
    }
    for (int k = 0; k < nrim; ++k) {
        const int *side = rim + 3 * k;
        const int t = take_tri(b);
        brn_hull_tri *beyond = &b->tri[side[2]];
        b->tri[t] = (brn_hull_tri){{side[0], side[1], p}, {side[2], -1, -1}};
        beyond->across[side_from(beyond, side[1])] = t;
        b->at_vertex[side[0]] = t;
    }
    for (int k = 0; k < nrim; ++k) {
        const int t = b->at_vertex[rim[3 * k]];
        const int next = b->at_vertex[rim[3 * k + 1]];
        b->tri[t].across[1] = next;
        b->tri[next].across[2] = t;
    }
}

/* Four points that are far apart, by steps: farthest from the first, from their line, from their plane. False if all are in a plane. */
static bool first_four(const double (*point)[3], int n, int four[4])
{
    for (int k = 0; k < 4; ++k) {
        double most = -1.0;
        four[k] = 0;
        for (int i = 0; i < n; ++i) {
            double arm[3];
            double way[3];
            double c[3];
            double n3[3];
            double size = 0.0;
            for (int j = 0; j < 3; ++j) {
                arm[j] = point[i][j] - point[four[0]][j];
                way[j] = k > 1 ? point[four[1]][j] - point[four[0]][j] : 0.0;
                n3[j] = k > 2 ? point[four[2]][j] - point[four[0]][j] : 0.0;
            }
            brn_dense_cross3(way, k > 2 ? n3 : arm, c);
            size = k == 0   ? -point[i][0]
                   : k == 1 ? brn_dense_dot3(arm, arm)
                   : k == 2 ? brn_dense_dot3(c, c)
                            : fabs(brn_dense_dot3(arm, c));
            if (i == 0 || size > most) {
                most = size;
                four[k] = i;
            }
        }
    }
    const double *x[4] = {point[four[0]], point[four[1]], point[four[2]], point[four[3]]};
    int sign = brn_orient3d(x[0], x[1], x[2], x[3]);
    for (int i = 0; i < n && sign == 0; ++i) { /* thinner than rounding: any point that is out of the plane */
        sign = brn_orient3d(x[0], x[1], x[2], point[i]);
        four[3] = i;
    }
    if (sign > 0) { /* the fourth is to lie behind the first three */
        const int swap = four[1];
        four[1] = four[2];
        four[2] = swap;
    }
    return sign != 0;
}

brn_status brn_hull_triangles(brn_ctx *ctx, const double (*point)[3], int n, brn_hull_tri **out, int *ntri)
{
    static const int side[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    brn_arena *arena = brn_ctx_arena(ctx);
    const size_t most = 2 * (size_t)n + 8;
    builder b = {.point = point, .top = 4};
    int four[4];
    int *rim;
    BRN_TAKE(arena, b.tri, most);
    BRN_TAKE(arena, b.free_list, most);
    BRN_TAKE(arena, b.seen, most);
    BRN_TAKE(arena, b.at_vertex, n);
    BRN_TAKE(arena, rim, 3 * most);
    if (!first_four(point, n, four)) {
        return BRN_ERR_RANGE;
    }
    for (int t = 0; t < 4; ++t) {
        for (int i = 0; i < 3; ++i) {
            b.tri[t].vertex[i] = four[side[t][i]];
            b.tri[t].across[i] = across[t][i];
        }
    }
    for (int i = 0; i < n; ++i) {
        BRN_TRY(i % 256 == 0 ? brn_ctx_check(ctx) : BRN_OK);
        add_point(&b, i, rim);
    }
    *out = b.tri;
    *ntri = b.top;
    return BRN_OK;
}
