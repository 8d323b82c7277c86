/* Patches of triangles or tets. A mesh has about 2 triangles or 5 to 6 tets for each node, so that one volume ratio for each of them leaves the dim
   unknowns of a node too little freedom, or none; with patches of two triangles or five to six tets there is one for each node. A patch is
   two triangles with a common edge; the tets about an edge; a tet and its neighbours. They are small and as round as can be, and the
   pattern of the matrix grows little: averages around nodes would join all nodes that are two elements apart.

   The roundest are taken first: in a lattice of squares or cubes cut into triangles or tets these are the squares and cubes. Elements that
   are left over join the smallest patch next to them. */
#include "base/radix.h"
#include "geom/tuple.h"
#include "phys/mean_solid.h"

#include <limits.h>

enum { NONE = -1 };

/* By dimension: elements and nodes of a patch at most, elements at least. */
static const int CELLS_MAX[4] = {0, 0, 4, BRN_PATCH_CELLS_MAX};
static const int NODES_MAX[4] = {0, 0, 6, BRN_PATCH_NODES_MAX};
static const int CELLS_MIN[4] = {0, 0, 2, 4};

typedef struct workshop {
    brn_ctx *ctx;
    int dim, nelem, nnode; /* nnode: largest node number + 1 */
    const int *conn;
    const double (*rest)[3];
    int *next;                                /* [nelem][dim+1] elements on the other side of its sides */
    int npatch, *of;                          /* [nelem] */
    int *cells;                               /* [npatch] number of elements */
    int (*node)[BRN_PATCH_NODES_MAX], *nodes; /* [npatch] nodes, and how many */
    int nedge;
    brn_tuple *edge; /* [nelem*dim*(dim+1)/2], id: element; equal keys follow each other */
} workshop;

static void order(int *key, int count)
{
    for (int i = 1; i < count; ++i) {
        for (int j = i; j > 0 && key[j] < key[j - 1]; --j) {
            const int swap = key[j];
            key[j] = key[j - 1];
            key[j - 1] = swap;
        }
    }
}

/* ---- neighbours --------------------------------------------------------------------------------------------------------- */

static brn_status list_edges(workshop *w)
{
    const int corners = w->dim + 1;
    BRN_ALLOC(w->ctx, w->edge, (size_t)w->nelem * (size_t)(corners * w->dim / 2));
    for (int e = 0; e < w->nelem; ++e) {
        const int *node = &w->conn[e * corners];
        for (int a = 0; a < corners; ++a) {
            for (int b = a + 1; b < corners; ++b) {
                brn_tuple edge = {.key = {node[a], node[b], -1, -1}, .id = e};
                order(edge.key, 2);
                w->edge[w->nedge++] = edge;
            }
            w->nnode = node[a] >= w->nnode ? node[a] + 1 : w->nnode;
        }
    }
    return brn_tuple_sort(w->ctx, w->edge, w->nedge, w->nnode);
}

static brn_status find_neighbours(workshop *w)
{
    const int corners = w->dim + 1;
    const int count = w->nelem * corners;
    brn_tuple *side = NULL;
    BRN_ALLOC(w->ctx, w->next, count);
    BRN_ALLOC(w->ctx, side, count);
    for (int i = 0; i < count; ++i) {
        side[i] = (brn_tuple){.key = {-1, -1, -1, -1}, .id = i};
        w->next[i] = NONE;
        for (int b = 0, n = 0; b < corners; ++b) {
            if (b != i % corners) {
                side[i].key[n++] = w->conn[i - i % corners + b];
            }
        }
        order(side[i].key, w->dim);
    }
    const brn_status status = brn_tuple_sort(w->ctx, side, count, w->nnode);
    for (int i = 0; status >= 0 && i + 1 < count; ++i) {
        if (brn_tuple_same(&side[i], &side[i + 1])) {
            w->next[side[i].id] = side[i + 1].id / corners;
            w->next[side[i + 1].id] = side[i].id / corners;
        }
    }
    brn_free(w->ctx, side);
    return status;
}

/* ---- candidates ------------------------------------------------------------------------------------------------------- */

/* A candidate is an edge (by its first place in the list) or, from nedge on, a tet. Its elements; 0: none, or too many. */
static int members(const workshop *w, int candidate, int out[BRN_PATCH_CELLS_MAX])
{
    int count = 0;
    if (candidate >= w->nedge) {
        const int e = candidate - w->nedge;
        out[count++] = e;
        for (int a = 0; a <= w->dim; ++a) {
            const int other = w->next[e * (w->dim + 1) + a];
            if (other != NONE) {
                out[count++] = other;
            }
        }
        return count;
    }
    if (candidate > 0 && brn_tuple_same(&w->edge[candidate], &w->edge[candidate - 1])) {
        return 0;
    }
    for (int i = candidate; i < w->nedge && brn_tuple_same(&w->edge[i], &w->edge[candidate]); ++i) {
        if (count == CELLS_MAX[w->dim]) {
            return 0;
        }
        out[count++] = w->edge[i].id;
    }
    return count;
}

/* Second moment about the centre over V^(1 + 2/dim), the smaller the rounder: 1/6 for a square, 1/4 for a cube. Of a simplex,
   int |x|^2 = V/((d+1)(d+2)) (sum |x_a|^2 + |sum x_a|^2); about a node of the first one. */
static double roundness(const workshop *w, const int *cell, int count)
{
    const int dim = w->dim;
    const double *origin = w->rest[w->conn[cell[0] * (dim + 1)]];
    double volume = 0.0, first[3] = {0.0, 0.0, 0.0}, second = 0.0;
    for (int c = 0; c < count; ++c) {
        double x[4][3] = {{0.0}}, sum[3] = {0.0, 0.0, 0.0}, square = 0.0;
        for (int a = 0; a <= dim; ++a) {
            for (int i = 0; i < dim; ++i) {
                x[a][i] = w->rest[w->conn[cell[c] * (dim + 1) + a]][i] - origin[i];
                sum[i] += x[a][i];
                square += x[a][i] * x[a][i];
            }
        }
        double m[3][3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
        for (int a = 0; a < dim; ++a) {
            for (int i = 0; i < dim; ++i) {
                m[a][i] = x[a + 1][i] - x[0][i];
            }
        }
        const double size = (m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                             m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                             m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])) /
                            (dim == 3 ? 6.0 : 2.0);
        volume += size;
        second +=
            size / ((dim + 1) * (dim + 2)) * (square + sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
        for (int i = 0; i < dim; ++i) {
            first[i] += size / (dim + 1) * sum[i];
        }
    }
    second -= (first[0] * first[0] + first[1] * first[1] + first[2] * first[2]) / volume;
    return second / (volume * (dim == 3 ? cbrt(volume * volume) : volume));
}

/* ---- patches ------------------------------------------------------------------------------------------------------------ */

/* Adds an element to a patch, or the patch stays as it is and the answer is no. */
static bool join(workshop *w, int patch, int e)
{
    const int *node = &w->conn[e * (w->dim + 1)];
    int count = w->nodes[patch];
    for (int a = 0; a <= w->dim; ++a) {
        bool known = false;
        for (int b = 0; b < w->nodes[patch] && !known; ++b) {
            known = w->node[patch][b] == node[a];
        }
        if (!known && count == NODES_MAX[w->dim]) {
            return false;
        }
        if (!known) {
            w->node[patch][count++] = node[a];
        }
    }
    if (w->cells[patch] == CELLS_MAX[w->dim]) {
        return false;
    }
    w->nodes[patch] = count;
    w->cells[patch]++;
    w->of[e] = patch;
    return true;
}

/* Those elements of a candidate that are in no patch become one: all of them, or with `part` enough of them. */
static void take(workshop *w, int candidate, bool part)
{
    int cell[BRN_PATCH_CELLS_MAX];
    const int count = members(w, candidate, cell);
    int free = 0;
    for (int i = 0; i < count; ++i) {
        free += w->of[cell[i]] == NONE;
    }
    if (free < CELLS_MIN[w->dim] || (free < count && !part)) {
        return;
    }
    for (int i = 0; i < count; ++i) {
        if (w->of[cell[i]] == NONE) {
            (void)join(w, w->npatch, cell[i]);
        }
    }
    w->npatch++;
}

/* Roundest first, equally round ones in the order of the mesh: what differs by rounding alone is equal. */
static brn_status take_candidates(workshop *w)
{
    const int total = w->nedge + (w->dim == 3 ? w->nelem : 0);
    uint64_t *key = NULL;
    size_t count = 0;
    BRN_ALLOC(w->ctx, key, 2 * (size_t)total);
    for (int c = 0; c < total; ++c) {
        int cell[BRN_PATCH_CELLS_MAX];
        const int size = members(w, c, cell);
        if (size >= CELLS_MIN[w->dim]) {
            const double scaled = 1e6 * roundness(w, cell, size) + 0.5;
            key[count++] = (uint64_t)c | (uint64_t)fmin(scaled, UINT32_MAX) << 32;
        }
    }
    const brn_status status = brn_radix_sort(w->ctx, key, key + total, count, 32, 64);
    for (int part = 0; status >= 0 && part < 2; ++part) {
        for (size_t i = 0; i < count; ++i) {
            take(w, (int)(key[i] & UINT32_MAX), part == 1);
        }
    }
    brn_free(w->ctx, key);
    return status;
}

/* The smallest patch next to an element that can take it. */
static bool join_neighbour(workshop *w, int e)
{
    int best = NONE;
    for (int a = 0; a <= w->dim; ++a) {
        const int other = w->next[e * (w->dim + 1) + a];
        const int patch = other != NONE ? w->of[other] : NONE;
        if (patch != NONE && w->cells[patch] < CELLS_MAX[w->dim] &&
            (best == NONE || w->cells[patch] < w->cells[best])) {
            best = patch;
        }
    }
    return best != NONE && join(w, best, e);
}

static void take_rest(workshop *w)
{
    for (bool again = true; again;) {
        again = false;
        for (int e = 0; e < w->nelem; ++e) {
            again = (w->of[e] == NONE && join_neighbour(w, e)) || again;
        }
    }
    for (int e = 0; e < w->nelem; ++e) {
        if (w->of[e] == NONE) {
            (void)join(w, w->npatch++, e);
        }
    }
}

/* Patches in the order of their first elements, so that neighbours are near each other in memory. */
static brn_status renumber(workshop *w)
{
    int *number = NULL;
    BRN_ALLOC(w->ctx, number, w->npatch);
    for (int p = 0; p < w->npatch; ++p) {
        number[p] = NONE;
    }
    int next = 0;
    for (int e = 0; e < w->nelem; ++e) {
        int *to = &number[w->of[e]];
        *to = *to == NONE ? next++ : *to;
        w->of[e] = *to;
    }
    brn_free(w->ctx, number);
    return BRN_OK;
}

static brn_status make(workshop *w)
{
    /* of edges, the largest list */
    if (w->nelem > INT_MAX / 7) {
        return brn_fail(w->ctx, BRN_ERR_LIMIT, "%d elements are too many for patches", w->nelem);
    }
    for (int e = 0; e < w->nelem; ++e) {
        w->of[e] = NONE;
    }
    BRN_ALLOC(w->ctx, w->cells, w->nelem);
    BRN_ALLOC(w->ctx, w->nodes, w->nelem);
    BRN_ALLOC(w->ctx, w->node, w->nelem);
    BRN_TRY(list_edges(w));
    BRN_TRY(find_neighbours(w));
    BRN_TRY(take_candidates(w));
    take_rest(w);
    return renumber(w);
}

brn_status brn_mean_patches(brn_ctx *ctx, int dim, const double (*rest)[3], const int *conn, int nelem,
                            int *of, int *npatch)
{
    workshop w = {.ctx = ctx, .dim = dim, .nelem = nelem, .conn = conn, .rest = rest, .of = of};
    const brn_status status = make(&w);
    *npatch = w.npatch;
    brn_free(ctx, w.cells);
    brn_free(ctx, w.nodes);
    brn_free(ctx, w.node);
    brn_free(ctx, w.next);
    brn_free(ctx, w.edge);
    return status;
}
