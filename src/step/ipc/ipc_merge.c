/* Convergent contact [Li et al. 2023]: the barrier of a point stands for the nearest place of a surface, but a place on an
   edge is seen through both triangles of the edge, and a node through all of its. By inclusion and exclusion

       sum over triangles - sum over edges + sum over nodes   (2D: edges - nodes)

   counts every nearest place once, whatever the mesh; at the rim of an open surface less is taken off. Terms of the same
   nodes are joined, so what remains has a positive share. The share is the point's own: it must not depend on the side that
   sees it. Pairs of edges stay as they are: the edges of a mesh overlap each other's surroundings without bounding anything,
   and taking off nodes could turn their sum negative; they carry a bounded share of the pressure and vanish from the force
   with the gap. */
#include "step/ipc/ipc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_nodes(const void *a, const void *b)
{
    const brn_ipc_contact *x = a;
    const brn_ipc_contact *y = b;
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

/* Appends the term of point node[0] and an edge, or a side, reduced to the nodes of its stencil. */
static brn_status append(brn_ipc *ipc, int kind, const int node[4], double share, double offset,
                         const double *x)
{
    double at[4][3];
    (void)brn_candidate_gather(node, x, at);
    const double(*nodes)[3] = (const double(*)[3])at;
    const brn_stencil s = kind == BRN_TOUCH_POINT_TRIANGLE ? brn_classify_point_triangle(nodes)
                          : kind == BRN_TOUCH_POINT_EDGE   ? brn_classify_point_edge(nodes)
                                                           : (brn_stencil){BRN_PAIR_PP, 2, {0, 1, 0, 0}};
    const double d2 = brn_stencil_distance2(s, nodes, 0, NULL, NULL);
    const double reach = ipc->dhat + offset;
    if (share == 0.0 || !(d2 < reach * reach)) {
        return BRN_OK;
    }
    brn_ipc_contact c = {
        .kind = s.count == 4   ? BRN_TOUCH_POINT_TRIANGLE
                : s.count == 3 ? BRN_TOUCH_POINT_EDGE
                               : BRN_TOUCH_POINT_POINT,
        .node = {-1, -1, -1, -1},
        .stencil = {s.kind, s.count, {0, 1, s.count > 2 ? 2 : 0, s.count > 3 ? 3 : 0}},
        .area = share,
        .offset = offset,
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

/* Every term that a point and a side bring: each of k sides brings a kth part of what is to be taken off (or added) at
   their common edge or node; all of them are in contact where that is. */
static brn_status append_terms(brn_ipc *ipc, const brn_ipc_contact *c, const double *x)
{
    const brn_skin *skin = ipc->skin;
    const int p = c->node[0];
    const bool flat = c->kind == BRN_TOUCH_POINT_EDGE;
    const double area = (flat ? 0.5 : 0.25) * skin->node_area[p];
    const int corners = flat ? 2 : 3;
    BRN_TRY(append(ipc, c->kind, c->node, area, c->offset, x));
    for (int k = 0; k < corners; ++k) {
        const int v = c->node[1 + k];
        const int w = c->node[1 + (k + 1) % corners];
        const double sides = skin->node_sides[v];
        double off_edges = 0.0; /* what the edges at v take off there, by all sides */
        if (!flat) {
            const int edge = brn_skin_find_edge(skin, v, w);
            const double shared = edge >= 0 ? skin->edge_sides[edge] : 1.0;
            const int pair[4] = {p, v, w, -1};
            BRN_TRY(append(ipc, BRN_TOUCH_POINT_EDGE, pair, -area * (shared - 1.0) / shared, c->offset, x));
            /* Inside a surface every edge at v has two sides: node_edges of them; at a rim two edges have one. */
            off_edges = skin->node_edges[v] == skin->node_sides[v] ? sides : sides - 1.0;
        }
        const int single[4] = {p, v, -1, -1};
        BRN_TRY(append(ipc, BRN_TOUCH_POINT_POINT, single, area * (1.0 - sides + off_edges) / sides,
                       c->offset, x));
    }
    return BRN_OK;
}

brn_status brn_ipc_merge_contacts(brn_ipc *ipc, const double *x)
{
    const int found = ipc->ncontact;
    for (int i = 0; i < found; ++i) {
        const brn_ipc_contact c = ipc->contact[i];
        const bool lone = ipc->skin->node_sides[c.node[0]] == 0;
        const bool side =
            c.kind == BRN_TOUCH_POINT_TRIANGLE || (c.kind == BRN_TOUCH_POINT_EDGE && ipc->skin->dim == 2);
        if (lone || !side) {
            BRN_GROW(ipc->ctx, ipc->contact, ipc->contact_capacity, (size_t)ipc->ncontact + 1);
            ipc->contact[ipc->ncontact++] = c;
        } else {
            BRN_TRY(append_terms(ipc, &c, x));
        }
    }
    brn_ipc_contact *all = ipc->contact + found;
    const int count = ipc->ncontact - found;
    qsort(all, (size_t)count, sizeof *all, by_nodes);
    ipc->ncontact = 0;
    for (int i = 0; i < count;) {
        brn_ipc_contact sum = all[i];
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
    return BRN_OK;
}
