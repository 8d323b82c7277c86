/* Convergent contact [Li et al. 2023]: the barrier of a point stands for the nearest place of a surface, but a place on an
   edge is seen through both triangles of the edge, and a node through all of its. By inclusion and exclusion over the
   sides (2D: edges, 3D: triangles) that a point is in contact with, with m_e of them at an edge e and m_v at a node v,

       3D:  sum over triangles - sum_e (m_e - 1) + sum_v (1 - m_v + sum of (m_e - 1) over the edges at v)
       2D:  sum over edges + sum_v (1 - m_v)

   counts every nearest place once, whatever the mesh: at the rim of an open surface, where more than two triangles meet at
   an edge, and where sides that share a node with the point take no part. Sides count when nearer than dhat: all that meet at
   an edge or node are, if the edge or node is, so the sum is continuous. Terms of the same nodes are merged; the result has a
   positive share except in hollows, where a point sees several sides and their common edge is subtracted. The share is the
   point's own: it must not depend on the side that sees it. Pairs of edges stay as they are: the edges of a mesh overlap each
   other's surroundings without bounding anything, and subtracting nodes could make their sum negative; they carry a bounded
   share of the pressure and vanish from the force with the gap. */
#include "step/ipc/ipc.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_nodes(const void *a, const void *b)
{
    const brn_contact_pair *x = a;
    const brn_contact_pair *y = b;
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    for (int k = 0; k < 4; ++k) {
        if (x->node[k] != y->node[k]) {
            return x->node[k] < y->node[k] ? -1 : 1;
        }
    }
    return 0;
}

/* Appends the term of point node[0] and a side, an edge or a node, reduced to the nodes of its stencil. */
static brn_status append(brn_ipc *ipc, int kind, const int node[4], double share,
                         const brn_contact_pair *like, const double *x)
{
    double at[4][3];
    (void)brn_candidate_gather(node, x, at);
    const double(*nodes)[3] = (const double(*)[3])at;
    const brn_stencil s = brn_pair_classify(kind, node, nodes);
    const double d2 = brn_stencil_distance2(s, nodes, 0, NULL, NULL);
    const double reach = like->reach + like->offset;
    if (share == 0.0 || !(d2 < reach * reach)) {
        return BRN_OK;
    }
    brn_contact_pair c = {
        .kind = s.count == 4   ? BRN_TOUCH_POINT_TRIANGLE
                : s.count == 3 ? BRN_TOUCH_POINT_EDGE
                               : BRN_TOUCH_POINT_POINT,
        .node = {-1, -1, -1, -1},
        .stencil = {s.kind, s.count, {0, 1, s.count > 2 ? 2 : 0, s.count > 3 ? 3 : 0}},
        .area = share,
        .offset = like->offset,
        .reach = like->reach,
        .d2 = d2,
    };
    for (int k = 0; k < s.count; ++k) {
        c.node[k] = node[s.node[k]];
    }
    if (s.count == 3 && c.node[1] > c.node[2]) {
        const int swap = c.node[1];
        c.node[1] = c.node[2];
        c.node[2] = swap;
    }
    BRN_GROW(ipc->ctx, ipc->contact, ipc->contact_capacity, (size_t)ipc->ncontact + 1);
    ipc->contact[ipc->ncontact++] = c;
    return BRN_OK;
}

/* A node, or an edge (other >= 0), of a side and its count. */
typedef struct share {
    int node, other;
    int count;
} share;

static int by_part(const void *a, const void *b)
{
    const share *x = a;
    const share *y = b;
    if (x->node != y->node) {
        return x->node < y->node ? -1 : 1;
    }
    return (x->other > y->other) - (x->other < y->other);
}

/* Adds up the counts of equal parts; returns how many different ones there are. */
static int join_shares(share *part, int count)
{
    int joined = 0;
    qsort(part, (size_t)count, sizeof *part, by_part);
    for (int i = 0; i < count; ++i) {
        if (joined > 0 && by_part(&part[joined - 1], &part[i]) == 0) {
            part[joined - 1].count += part[i].count;
        } else {
            part[joined++] = part[i];
        }
    }
    return joined;
}

/* Every term of one point: contacts first .. first + count - 1 are with its sides. */
static brn_status append_point(brn_ipc *ipc, int first, int count, const double *x)
{
    const brn_contact_pair start = ipc->contact[first];
    const int p = start.node[0];
    const bool flat = start.kind == BRN_TOUCH_POINT_EDGE;
    const int corners = flat ? 2 : 3;
    const double area = (flat ? 0.5 : 0.25) * ipc->skin->node_area[p];
    brn_arena *arena = brn_ctx_arena(ipc->ctx);
    share *edge = NULL;
    share *node = NULL;
    BRN_TAKE(arena, edge, 3 * (size_t)count);
    BRN_TAKE(arena, node, 9 * (size_t)count);
    int nedge = 0;
    int nnode = 0;
    for (int i = 0; i < count; ++i) {
        const brn_contact_pair c = ipc->contact[first + i];
        BRN_TRY(append(ipc, c.kind, c.node, area, &c, x));
        for (int k = 0; k < corners; ++k) {
            const int v = c.node[1 + k];
            const int w = c.node[1 + (k + 1) % corners];
            node[nnode++] = (share){v, -1, -1};
            if (!flat) {
                edge[nedge++] = (share){v < w ? v : w, v < w ? w : v, 1};
            }
        }
    }
    nedge = join_shares(edge, nedge);
    for (int e = 0; e < nedge; ++e) {
        const int more = edge[e].count - 1;
        const int pair[4] = {p, edge[e].node, edge[e].other, -1};
        BRN_TRY(append(ipc, BRN_TOUCH_POINT_EDGE, pair, -area * more, &start, x));
        node[nnode++] = (share){edge[e].node, -1, more};
        node[nnode++] = (share){edge[e].other, -1, more};
    }
    nnode = join_shares(node, nnode);
    for (int v = 0; v < nnode; ++v) {
        const int single[4] = {p, node[v].node, -1, -1};
        BRN_TRY(append(ipc, BRN_TOUCH_POINT_POINT, single, area * (1 + node[v].count), &start, x));
    }
    return BRN_OK;
}

/* How many contacts from `first` on belong to the same point and sides; 0: not a point with a share of a surface. */
static int run_length(const brn_ipc *ipc, int first, int found)
{
    const brn_contact_pair *c = &ipc->contact[first];
    const bool lone = ipc->skin->node_sides[c->node[0]] == 0;
    const bool side =
        c->kind == BRN_TOUCH_POINT_TRIANGLE || (c->kind == BRN_TOUCH_POINT_EDGE && ipc->skin->dim == 2);
    int count = 0;
    while (side && !lone && first + count < found && c[count].kind == c->kind &&
           c[count].node[0] == c->node[0] && c[count].offset == c->offset && c[count].reach == c->reach) {
        ++count;
    }
    return count;
}

/* Merges terms of the same nodes. */
static void join_terms(brn_ipc *ipc, int first)
{
    const int count = ipc->ncontact - first;
    ipc->ncontact = 0;
    if (count == 0) { /* there may be no list at all */
        return;
    }
    brn_contact_pair *all = ipc->contact + first;
    qsort(all, (size_t)count, sizeof *all, by_nodes);
    for (int i = 0; i < count;) {
        brn_contact_pair sum = all[i];
        double size = fabs(sum.area);
        int next = i + 1;
        for (; next < count && by_nodes(&all[i], &all[next]) == 0; ++next) {
            sum.area += all[next].area;
            size += fabs(all[next].area);
        }
        if (fabs(sum.area) > 1e-9 * size) { /* else they cancel to rounding */
            ipc->contact[ipc->ncontact++] = sum;
        }
        i = next;
    }
}

brn_status brn_ipc_merge_contacts(brn_ipc *ipc, const double *x)
{
    const int found = ipc->ncontact;
    brn_arena *arena = brn_ctx_arena(ipc->ctx);
    for (int i = 0; i < found;) {
        const int count = run_length(ipc, i, found);
        if (count == 0) {
            const brn_contact_pair c = ipc->contact[i++];
            BRN_GROW(ipc->ctx, ipc->contact, ipc->contact_capacity, (size_t)ipc->ncontact + 1);
            ipc->contact[ipc->ncontact++] = c;
            continue;
        }
        const brn_arena_mark mark = brn_arena_now(arena);
        const brn_status status = append_point(ipc, i, count, x);
        brn_arena_rewind(arena, mark);
        BRN_TRY(status);
        i += count;
    }
    join_terms(ipc, found);
    return BRN_OK;
}
