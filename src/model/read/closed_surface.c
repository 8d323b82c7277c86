#include "model/read/closed_surface.h"

#include "base/hash.h"
#include "model/read/draft.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void brn_closed_surface_destroy(brn_closed_surface *surface)
{
    if (surface == NULL) {
        return;
    }
    brn_ctx *ctx = surface->ctx;
    brn_free(ctx, surface->pos);
    brn_free(ctx, surface->tri);
    brn_free(ctx, surface->solid);
    brn_free(ctx, surface);
}

/* ---- triangles ----------------------------------------------------------------------------------------------------- */

/* Nodes at the same place become one; map[node of the mesh] = node of the surface. */
static brn_status weld(brn_closed_surface *s, const brn_mesh *mesh, int *map)
{
    brn_idmap places = {0};
    brn_status status = BRN_OK;
    for (int i = 0; i < mesh->nnode && status >= 0; ++i) {
        double pos[3];
        for (int k = 0; k < 3; ++k) {
            pos[k] = mesh->pos[i][k] == 0.0 ? 0.0 : mesh->pos[i][k]; /* -0 is 0 */
        }
        int64_t key = (int64_t)brn_hash_bytes(BRN_HASH_START, pos, sizeof pos);
        for (;; key = (int64_t)((uint64_t)key + 1)) {
            status = brn_idmap_put(s->ctx, &places, key, s->nnode, &map[i]);
            if (status < 0 || map[i] == s->nnode || memcmp(s->pos[map[i]], pos, sizeof pos) == 0) {
                break;
            }
        }
        if (status >= 0 && map[i] == s->nnode) {
            memcpy(s->pos[s->nnode++], pos, sizeof pos);
        }
    }
    brn_idmap_clear(s->ctx, &places);
    return status;
}

static void add_triangle(brn_closed_surface *s, int a, int b, int c)
{
    if (a != b && b != c && c != a) {
        s->tri[s->ntri][0] = a;
        s->tri[s->ntri][1] = b;
        s->tri[s->ntri][2] = c;
        ++s->ntri;
    }
}

static brn_status take_triangles(brn_closed_surface *s, const brn_mesh *mesh)
{
    brn_ctx *ctx = s->ctx;
    const int ntri = mesh->ncell[BRN_TRI3];
    const int nquad = mesh->ncell[BRN_QUAD4];
    if (ntri + (long long)2 * nquad > INT_MAX / 8 || ntri + nquad != brn_mesh_cell_total(mesh) ||
        ntri + nquad == 0) {
        return brn_fail(ctx, BRN_ERR_MESH,
                        "surface: must consist of triangles (tri3) or quadrangles (quad4)");
    }
    s->node_capacity = (size_t)mesh->nnode;
    s->tri_capacity = (size_t)ntri + 2 * (size_t)nquad;
    s->solid_capacity = s->tri_capacity;
    BRN_ALLOC(ctx, s->pos, s->node_capacity);
    BRN_ALLOC(ctx, s->tri, s->tri_capacity);
    BRN_ALLOC(ctx, s->solid, s->solid_capacity);
    int *map = NULL;
    BRN_ALLOC(ctx, map, mesh->nnode);
    const brn_status status = weld(s, mesh, map);
    for (int i = 0; i < ntri && status >= 0; ++i) {
        const int *n = mesh->cell[BRN_TRI3] + 3 * (size_t)i;
        add_triangle(s, map[n[0]], map[n[1]], map[n[2]]);
    }
    for (int i = 0; i < nquad && status >= 0; ++i) {
        const int *n = mesh->cell[BRN_QUAD4] + 4 * (size_t)i;
        add_triangle(s, map[n[0]], map[n[1]], map[n[2]]);
        add_triangle(s, map[n[0]], map[n[2]], map[n[3]]);
    }
    brn_free(ctx, map);
    return status;
}

/* ---- edges --------------------------------------------------------------------------------------------------------- */

/* An edge of a triangle; from < to after sorting its ends, forward tells whether the triangle runs that way. */
typedef struct side {
    int from, to;
    int tri;
    bool forward;
} side;

static int compare_sides(const void *a, const void *b)
{
    const side *x = a;
    const side *y = b;
    if (x->from != y->from) {
        return x->from < y->from ? -1 : 1;
    }
    if (x->to != y->to) {
        return x->to < y->to ? -1 : 1;
    }
    return (x->tri > y->tri) - (x->tri < y->tri);
}

static brn_status sorted_sides(const brn_closed_surface *s, side **out)
{
    BRN_ALLOC(s->ctx, *out, 3 * (size_t)s->ntri);
    for (int t = 0; t < s->ntri; ++t) {
        for (int e = 0; e < 3; ++e) {
            const int a = s->tri[t][e];
            const int b = s->tri[t][(e + 1) % 3];
            (*out)[3 * (size_t)t + (size_t)e] = (side){a < b ? a : b, a < b ? b : a, t, a < b};
        }
    }
    qsort(*out, 3 * (size_t)s->ntri, sizeof **out, compare_sides);
    return BRN_OK;
}

static double edge_length(const brn_closed_surface *s, int a, int b)
{
    const double *p = s->pos[a];
    const double *q = s->pos[b];
    return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                (p[2] - q[2]) * (p[2] - q[2]));
}

static int find_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* Where an edge is, for messages. */
#define EDGE_FORMAT "the edge from (%.9g, %.9g, %.9g) to (%.9g, %.9g, %.9g)"
#define EDGE_ARGS(s, e)                                                                        \
 (s)->pos[(e)->from][0], (s)->pos[(e)->from][1], (s)->pos[(e)->from][2], (s)->pos[(e)->to][0], \
     (s)->pos[(e)->to][1], (s)->pos[(e)->to][2]

/* Every edge belongs to two triangles that run along it in opposite directions; joins those triangles' parts. */
static brn_status check_sides(brn_closed_surface *s, const side *sides, int *part)
{
    const size_t count = 3 * (size_t)s->ntri;
    const side *open = NULL;
    int nopen = 0;
    s->shortest = INFINITY;
    s->longest = 0.0;
    for (size_t i = 0, n = 0; i < count; i += n) {
        const side *e = &sides[i];
        for (n = 1; i + n < count && sides[i + n].from == e->from && sides[i + n].to == e->to;) {
            ++n;
        }
        const double length = edge_length(s, e->from, e->to);
        s->shortest = fmin(s->shortest, length);
        s->longest = fmax(s->longest, length);
        if (n == 1) {
            open = open == NULL ? e : open;
            ++nopen;
        } else if (n > 2) {
            return brn_fail(s->ctx, BRN_ERR_MESH,
                            "surface: " EDGE_FORMAT " belongs to %zu triangles: must be 2", EDGE_ARGS(s, e),
                            n);
        } else if (e[0].forward == e[1].forward) {
            return brn_fail(s->ctx, BRN_ERR_MESH,
                            "surface: the two triangles at " EDGE_FORMAT
                            " face opposite ways: orient all normals outwards",
                            EDGE_ARGS(s, e));
        } else {
            part[find_root(part, e[0].tri)] = find_root(part, e[1].tri);
        }
    }
    if (nopen > 0) {
        return brn_fail(s->ctx, BRN_ERR_MESH,
                        "surface: not closed: " EDGE_FORMAT " belongs to one triangle only (%d such edges)",
                        EDGE_ARGS(s, open), nopen);
    }
    return BRN_OK;
}

/* ---- solids -------------------------------------------------------------------------------------------------------- */

/* A connected part of the surface. */
typedef struct shell {
    int first;     /* a triangle of it */
    double volume; /* signed: > 0 if its normals point outwards */
    double lo[3], hi[3];
    int depth;  /* how many other shells are around it */
    int around; /* the innermost of them, -1 if none */
    int solid;
} shell;

/* Volume of the tetrahedron over a triangle with its tip at o. */
static double tip_volume(const brn_closed_surface *s, int t, const double o[3])
{
    double e[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            e[i][k] = s->pos[s->tri[t][i]][k] - o[k];
        }
    }
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
            e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6.0;
}

/* Solid angle of a triangle seen from o [Van Oosterom & Strackee 1983]. */
static double solid_angle(const brn_closed_surface *s, int t, const double o[3])
{
    double e[3][3];
    double len[3];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            e[i][k] = s->pos[s->tri[t][i]][k] - o[k];
        }
        len[i] = sqrt(e[i][0] * e[i][0] + e[i][1] * e[i][1] + e[i][2] * e[i][2]);
    }
    double dot[3];
    for (int i = 0; i < 3; ++i) {
        const double *a = e[i];
        const double *b = e[(i + 1) % 3];
        dot[i] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }
    const double below = len[0] * len[1] * len[2] + dot[0] * len[2] + dot[1] * len[0] + dot[2] * len[1];
    return 2.0 * atan2(6.0 * tip_volume(s, t, o), below);
}

/* True if the point is inside the shell, whichever way its normals point. */
static bool is_inside(const brn_closed_surface *s, const int *shell_of, int which, const double point[3])
{
    double sum = 0.0;
    for (int t = 0; t < s->ntri; ++t) {
        sum += shell_of[t] == which ? solid_angle(s, t, point) : 0.0;
    }
    return fabs(sum) > 2.0 * M_PI; /* 4 pi inside, 0 outside */
}

static void measure_shells(const brn_closed_surface *s, const int *shell_of, shell *shells, int nshell)
{
    for (int i = 0; i < nshell; ++i) {
        shells[i] = (shell){.first = -1, .around = -1};
        for (int k = 0; k < 3; ++k) {
            shells[i].lo[k] = INFINITY;
            shells[i].hi[k] = -INFINITY;
        }
    }
    for (int t = 0; t < s->ntri; ++t) {
        shell *h = &shells[shell_of[t]];
        h->first = h->first < 0 ? t : h->first;
        h->volume += tip_volume(s, t, s->pos[s->tri[h->first][0]]);
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) {
                h->lo[k] = fmin(h->lo[k], s->pos[s->tri[t][i]][k]);
                h->hi[k] = fmax(h->hi[k], s->pos[s->tri[t][i]][k]);
            }
        }
    }
}

/* Which shells are inside which: shells do not cross, so one corner of each tells. */
static void nest_shells(const brn_closed_surface *s, const int *shell_of, shell *shells, int nshell)
{
    for (int pass = 0; pass < 2; ++pass) { /* depths first, then the innermost shell around */
        for (int i = 0; i < nshell; ++i) {
            const double *point = s->pos[s->tri[shells[i].first][0]];
            for (int j = 0; j < nshell; ++j) {
                bool boxed = i != j;
                for (int k = 0; k < 3; ++k) {
                    boxed = boxed && shells[j].lo[k] <= shells[i].lo[k] && shells[i].hi[k] <= shells[j].hi[k];
                }
                if (!boxed || (pass == 1 && shells[j].depth != shells[i].depth - 1) ||
                    !is_inside(s, shell_of, j, point)) {
                    continue;
                }
                if (pass == 0) {
                    ++shells[i].depth;
                } else {
                    shells[i].around = j;
                }
            }
        }
    }
}

/* Even depth: a solid. Odd depth: a cavity of the shell around it, which must face the other way. */
static brn_status orient_shells(brn_closed_surface *s, const int *shell_of, shell *shells, int nshell)
{
    for (int i = 0; i < nshell; ++i) {
        shell *h = &shells[i];
        const double *at = s->pos[s->tri[h->first][0]];
        if (h->volume == 0.0) {
            return brn_fail(s->ctx, BRN_ERR_MESH,
                            "surface: the part at (%.9g, %.9g, %.9g) encloses no volume", at[0], at[1],
                            at[2]);
        }
        h->solid = h->depth % 2 == 0 ? s->nsolid++ : -1;
    }
    for (int i = 0; i < nshell; ++i) {
        shell *h = &shells[i];
        const double *at = s->pos[s->tri[h->first][0]];
        if (h->solid >= 0) {
            s->volume += fabs(h->volume);
            continue;
        }
        const shell *outer = &shells[h->around];
        if ((h->volume > 0.0) == (outer->volume > 0.0)) {
            return brn_fail(
                s->ctx, BRN_ERR_MESH,
                "surface: the part at (%.9g, %.9g, %.9g) lies inside another and faces the same way: a "
                "cavity faces inwards, and solids must not overlap",
                at[0], at[1], at[2]);
        }
        h->solid = outer->solid;
        s->volume -= fabs(h->volume);
    }
    for (int t = 0; t < s->ntri; ++t) {
        const shell *h = &shells[shell_of[t]];
        s->solid[t] = h->solid;
        if ((h->volume > 0.0) != (h->depth % 2 == 0)) {
            const int swap = s->tri[t][1];
            s->tri[t][1] = s->tri[t][2];
            s->tri[t][2] = swap;
        }
    }
    return BRN_OK;
}

/* part[t]: union-find over triangles -> shells numbered in order of their first triangle. */
static brn_status sort_solids(brn_closed_surface *s, int *part)
{
    enum { MAX_SHELLS = 20000 };
    brn_ctx *ctx = s->ctx;
    int nshell = 0;
    int *shell_of = NULL;
    BRN_ALLOC(ctx, shell_of, s->ntri);
    for (int t = 0; t < s->ntri; ++t) {
        shell_of[t] = -1;
    }
    for (int t = 0; t < s->ntri; ++t) {
        const int root = find_root(part, t);
        shell_of[root] = shell_of[root] < 0 ? nshell++ : shell_of[root];
    }
    for (int t = 0; t < s->ntri; ++t) {
        shell_of[t] = shell_of[find_root(part, t)];
    }
    brn_status status = BRN_OK;
    shell *shells = NULL;
    if (nshell > MAX_SHELLS) {
        status = brn_fail(ctx, BRN_ERR_LIMIT, "surface: %d separate parts: at most %d are supported", nshell,
                          MAX_SHELLS);
    } else {
        shells = brn_calloc(ctx, (size_t)nshell, sizeof *shells);
        status = shells != NULL ? BRN_OK : BRN_ERR_MEMORY;
    }
    if (status >= 0) {
        measure_shells(s, shell_of, shells, nshell);
        nest_shells(s, shell_of, shells, nshell);
        status = orient_shells(s, shell_of, shells, nshell);
    }
    brn_free(ctx, shells);
    brn_free(ctx, shell_of);
    return status;
}

static brn_status build(brn_closed_surface *s, const brn_mesh *mesh)
{
    BRN_TRY(take_triangles(s, mesh));
    if (s->ntri == 0) {
        return brn_fail(s->ctx, BRN_ERR_MESH, "surface: all its triangles are degenerate");
    }
    int *part = NULL;
    side *sides = NULL;
    BRN_ALLOC(s->ctx, part, s->ntri);
    for (int t = 0; t < s->ntri; ++t) {
        part[t] = t;
    }
    brn_status status = sorted_sides(s, &sides);
    if (status >= 0) {
        status = check_sides(s, sides, part);
    }
    if (status >= 0) {
        status = sort_solids(s, part);
    }
    brn_free(s->ctx, sides);
    brn_free(s->ctx, part);
    return status;
}

brn_status brn_closed_surface_create(const brn_mesh *mesh, brn_closed_surface **out)
{
    *out = NULL;
    brn_closed_surface *s = NULL;
    BRN_ALLOC(mesh->ctx, s, 1);
    s->ctx = mesh->ctx;
    const brn_status status = build(s, mesh);
    if (status < 0) {
        brn_closed_surface_destroy(s);
        return status;
    }
    *out = s;
    return BRN_OK;
}

/* ---- refinement ---------------------------------------------------------------------------------------------------- */

/* The middle node of an edge, created at first use; -1 if the edge is short enough. */
static brn_status middle_of(brn_closed_surface *s, brn_idmap *middles, double length, int a, int b, int *node)
{
    *node = -1;
    if (!(edge_length(s, a, b) > length)) {
        return BRN_OK;
    }
    const int64_t key = (int64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
    BRN_TRY(brn_idmap_put(s->ctx, middles, key, s->nnode, node));
    if (*node == s->nnode) {
        BRN_GROW(s->ctx, s->pos, s->node_capacity, (size_t)s->nnode + 1);
        for (int k = 0; k < 3; ++k) {
            s->pos[s->nnode][k] = 0.5 * (s->pos[a][k] + s->pos[b][k]);
        }
        ++s->nnode;
    }
    return BRN_OK;
}

static brn_status append(brn_closed_surface *s, int solid, int a, int b, int c)
{
    BRN_GROW(s->ctx, s->tri, s->tri_capacity, (size_t)s->ntri + 1);
    BRN_GROW(s->ctx, s->solid, s->solid_capacity, (size_t)s->ntri + 1);
    s->solid[s->ntri] = solid;
    s->tri[s->ntri][0] = a;
    s->tri[s->ntri][1] = b;
    s->tri[s->ntri++][2] = c;
    return BRN_OK;
}

/* Cuts a triangle along the middles of its long edges: into 2, 3 or 4. The first piece takes its place. */
static brn_status cut_triangle(brn_closed_surface *s, int t, const int middle[3])
{
    const int marked = (middle[0] >= 0) + (middle[1] >= 0) + (middle[2] >= 0);
    int turn = 0; /* so that edge 0 is cut, and if two are, edge 2 is not */
    for (; turn < 3; ++turn) {
        const bool last_free = marked != 2 || middle[(turn + 2) % 3] < 0;
        if (middle[turn] >= 0 && last_free) {
            break;
        }
    }
    const int c[3] = {s->tri[t][turn % 3], s->tri[t][(turn + 1) % 3], s->tri[t][(turn + 2) % 3]};
    const int m[3] = {middle[turn % 3], middle[(turn + 1) % 3], middle[(turn + 2) % 3]};
    int(*own)[3] = s->tri;
    const int solid = s->solid[t];
    if (marked == 1) {
        memcpy(own[t], (const int[3]){c[0], m[0], c[2]}, sizeof own[t]);
        return append(s, solid, m[0], c[1], c[2]);
    }
    memcpy(own[t], (const int[3]){m[0], c[1], m[1]}, sizeof own[t]);
    if (marked == 3) {
        BRN_TRY(append(s, solid, c[0], m[0], m[2]));
        BRN_TRY(append(s, solid, m[2], m[1], c[2]));
        return append(s, solid, m[0], m[1], m[2]);
    }
    /* The quadrangle that is left is cut along its shorter diagonal. */
    if (edge_length(s, c[0], m[1]) < edge_length(s, m[0], c[2])) {
        BRN_TRY(append(s, solid, c[0], m[0], m[1]));
        return append(s, solid, c[0], m[1], c[2]);
    }
    BRN_TRY(append(s, solid, c[0], m[0], c[2]));
    return append(s, solid, m[0], m[1], c[2]);
}

brn_status brn_closed_surface_refine(brn_closed_surface *surface, double length, int rounds)
{
    enum { MAX_TRIANGLES = 20000000 };
    bool cut = true;
    for (int round = 0; cut && round < rounds; ++round) {
        brn_idmap middles = {0};
        brn_status status = BRN_OK;
        cut = false;
        const int ntri = surface->ntri;
        for (int t = 0; t < ntri && status >= 0; ++t) {
            int middle[3] = {-1, -1, -1};
            const int corner[3] = {surface->tri[t][0], surface->tri[t][1], surface->tri[t][2]};
            for (int e = 0; e < 3 && status >= 0; ++e) {
                status = middle_of(surface, &middles, length, corner[e], corner[(e + 1) % 3], &middle[e]);
            }
            if (status >= 0 && (middle[0] >= 0 || middle[1] >= 0 || middle[2] >= 0)) {
                cut = true;
                status = cut_triangle(surface, t, middle);
            }
        }
        brn_idmap_clear(surface->ctx, &middles);
        BRN_TRY(status);
        if (surface->ntri > MAX_TRIANGLES) {
            return brn_fail(surface->ctx, BRN_ERR_LIMIT,
                            "surface: more than %d triangles of edge length %g m", MAX_TRIANGLES, length);
        }
    }
    return BRN_OK;
}
