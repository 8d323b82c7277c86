/* Patches of triangles or tets: those about an edge, two triangles or a ring of tets. A mesh of triangles has about as many edge patches as nodes,
   one of tets about one for each node as well; with dim unknowns a node the volume of patches can be kept without locking, while one
   constraint for each element (2 or 5 to 6 a node) cannot. The patch is small and convex or nearly so, and the pattern of the matrix
   grows little: averages around nodes would join nodes that are two elements apart.

   Edges are taken from the longest to the shortest. In a lattice of squares or cubes cut into triangles or Kuhn tets the longest edges are the
   diagonals, and the patches are the squares and cubes. Elements that are left over join a neighbour. */
#include "base/radix.h"
#include "geom/tuple.h"
#include "phys/mean_solid.h"

#include <limits.h>

enum { NONE = -1 };

typedef struct workshop {
    brn_ctx *ctx;
    int dim, nelem, nnode; /* nnode: largest node number + 1 */
    const int *conn;
    const double (*rest)[3];
    int npatch, *of;                          /* [nelem] */
    int *cells;                               /* [npatch] number of elements */
    int (*node)[BRN_PATCH_NODES_MAX], *nodes; /* [npatch] nodes, and how many */
    int nside, nedge;
    brn_tuple *side,
        *edge; /* [nelem*(dim+1)], [nelem*dim*(dim+1)/2], id: element; equal keys follow each other */
} workshop;

/* By dimension: elements and nodes of a patch at most; elements of the first patches at least. */
static const int CELLS_MAX[4] = {0, 0, 4, BRN_PATCH_CELLS_MAX};
static const int NODES_MAX[4] = {0, 0, 6, BRN_PATCH_NODES_MAX};
static const int CELLS_LEAST[4] = {0, 0, 2, 4};

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

/* Sides and edges of all elements. */
static brn_status list_tuples(workshop *w)
{
    const int corners = w->dim + 1;
    if ((double)w->nelem * 6.0 > INT_MAX) {
        return brn_fail(w->ctx, BRN_ERR_LIMIT, "%d elements are too many for patches", w->nelem);
    }
    BRN_ALLOC(w->ctx, w->side, (size_t)w->nelem * (size_t)corners);
    BRN_ALLOC(w->ctx, w->edge, (size_t)w->nelem * (size_t)(corners * w->dim / 2));
    for (int e = 0; e < w->nelem; ++e) {
        const int *node = &w->conn[e * corners];
        for (int a = 0; a < corners; ++a) {
            brn_tuple side = {.key = {-1, -1, -1, -1}, .id = e};
            for (int b = 0, n = 0; b < corners; ++b) {
                if (b != a) {
                    side.key[n++] = node[b];
                }
            }
            order(side.key, w->dim);
            w->side[w->nside++] = side;
            for (int b = a + 1; b < corners; ++b) {
                brn_tuple edge = {.key = {node[a], node[b], -1, -1}, .id = e};
                order(edge.key, 2);
                w->edge[w->nedge++] = edge;
            }
            w->nnode = node[a] + 1 > w->nnode ? node[a] + 1 : w->nnode;
        }
    }
    BRN_TRY(brn_tuple_sort(w->ctx, w->side, w->nside, w->nnode));
    return brn_tuple_sort(w->ctx, w->edge, w->nedge, w->nnode);
}

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

/* The edge with its elements edge[first..end) makes a patch of those that have none, if they are enough. */
static void take_edge(workshop *w, int first, int least)
{
    int free = 0;
    int end = first;
    for (; end < w->nedge && brn_tuple_same(&w->edge[end], &w->edge[first]); ++end) {
        free += w->of[w->edge[end].id] == NONE;
    }
    if (free < least) {
        return;
    }
    for (int i = first; i < end; ++i) {
        if (w->of[w->edge[i].id] == NONE) {
            (void)join(w, w->npatch, w->edge[i].id);
        }
    }
    w->npatch++;
}

/* Longest edges first, equal ones in the order of their nodes: lengths that differ by rounding alone are equal. */
static brn_status take_edges(workshop *w)
{
    uint64_t *key = NULL;
    BRN_ALLOC(w->ctx, key, 2 * (size_t)w->nedge);
    double longest = 0.0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < w->nedge; ++i) {
            const double *a = w->rest[w->edge[i].key[0]];
            const double *b = w->rest[w->edge[i].key[1]];
            const double length = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                                       (a[2] - b[2]) * (a[2] - b[2]));
            longest = fmax(longest, length);
            key[i] = (uint64_t)i | (uint64_t)(1e6 * (1.0 - length / longest) + 0.5) << 32;
        }
    }
    brn_status status = brn_radix_sort(w->ctx, key, key + w->nedge, (size_t)w->nedge, 32, 64);
    for (int least = CELLS_LEAST[w->dim]; status >= 0 && least >= 2; least -= 2) {
        for (int i = 0; i < w->nedge; ++i) {
            const int first = (int)(key[i] & UINT32_MAX);
            if (first == 0 || !brn_tuple_same(&w->edge[first], &w->edge[first - 1])) {
                take_edge(w, first, least);
            }
        }
    }
    brn_free(w->ctx, key);
    return status;
}

/* What is left joins the smallest patch on the other side of one of its sides; true if something did. */
static bool join_neighbours(workshop *w, const int *wish)
{
    bool done = false;
    for (int e = 0; e < w->nelem; ++e) {
        if (w->of[e] == NONE && wish[e] != NONE) {
            done = join(w, wish[e], e) || done;
        }
    }
    return done;
}

static brn_status take_rest(workshop *w)
{
    int *wish = NULL;
    BRN_ALLOC(w->ctx, wish, w->nelem);
    bool again = true;
    while (again) {
        for (int e = 0; e < w->nelem; ++e) {
            wish[e] = NONE;
        }
        for (int i = 0; i + 1 < w->nside; ++i) {
            for (int turn = 0; turn < 2 && brn_tuple_same(&w->side[i], &w->side[i + 1]); ++turn) {
                const int e = w->side[i + turn].id;
                const int patch = w->of[w->side[i + 1 - turn].id];
                const bool better = patch != NONE && w->cells[patch] < CELLS_MAX[w->dim] &&
                                    (wish[e] == NONE || w->cells[patch] < w->cells[wish[e]]);
                wish[e] = better ? patch : wish[e];
            }
        }
        again = join_neighbours(w, wish);
    }
    for (int e = 0; e < w->nelem; ++e) {
        if (w->of[e] == NONE) {
            (void)join(w, w->npatch++, e);
        }
    }
    brn_free(w->ctx, wish);
    return BRN_OK;
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
    for (int e = 0; e < w->nelem; ++e) {
        w->of[e] = NONE;
    }
    BRN_ALLOC(w->ctx, w->cells, w->nelem);
    BRN_ALLOC(w->ctx, w->nodes, w->nelem);
    BRN_ALLOC(w->ctx, w->node, w->nelem);
    BRN_TRY(list_tuples(w));
    BRN_TRY(take_edges(w));
    BRN_TRY(take_rest(w));
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
    brn_free(ctx, w.side);
    brn_free(ctx, w.edge);
    return status;
}
