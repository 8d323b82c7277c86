/* From linear to quadratic cells by mid-edge nodes. New nodes follow the old ones, in ascending order of their edge's
   (lower, higher) corner pair, so that the numbering depends on the mesh alone. */
#include "geom/node_merge.h"
#include "geom/tuple.h"

#include <limits.h>
#include <string.h>

static const int raised[BRN_CELL_COUNT] = {
    [BRN_EDGE2] = BRN_EDGE3, [BRN_TRI3] = BRN_TRI6,  [BRN_QUAD4] = BRN_QUAD8,
    [BRN_TET4] = BRN_TET10,  [BRN_HEX8] = BRN_HEX20,
};

typedef struct order_work {
    brn_mesh *mesh;
    int nslot;        /* edges of all cells, shared ones counted each time */
    brn_tuple *tuple; /* [nslot], id: slot */
    int *mid;         /* [nslot] number of the edge's mid node */
    int nedge;        /* different edges */
    double (*pos)[3];
    int *cell[BRN_CELL_COUNT]; /* raised cells */
    unsigned char *in;         /* [nnode] membership in one group */
    int **group_node;          /* [ngroup] extended lists */
    int *group_count;
} order_work;

static bool is_linear(int kind)
{
    return raised[kind] != 0;
}

/* Lists every edge of every linear cell, sorts them, and numbers the mid nodes. */
static brn_status find_edges(order_work *work)
{
    brn_mesh *mesh = work->mesh;
    BRN_TRY(brn_mesh_check_indices(mesh));
    long long nslot = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        nslot += is_linear(kind) ? (long long)mesh->ncell[kind] * brn_cell_get((brn_cell)kind)->nedge : 0;
    }
    if (nslot > INT_MAX) {
        return brn_fail(mesh->ctx, BRN_ERR_LIMIT, "%lld cell edges are too many for quadratic cells", nslot);
    }
    work->nslot = (int)nslot;
    BRN_ALLOC(mesh->ctx, work->tuple, nslot);
    BRN_ALLOC(mesh->ctx, work->mid, nslot);
    int slot = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const brn_cell_info *info = brn_cell_get((brn_cell)kind);
        for (int c = 0; is_linear(kind) && c < mesh->ncell[kind]; ++c) {
            const int *node = mesh->cell[kind] + (size_t)c * (size_t)info->nnode;
            for (int e = 0; e < info->nedge; ++e, ++slot) {
                const int a = node[info->edges[e][0]], b = node[info->edges[e][1]];
                work->tuple[slot] = (brn_tuple){{a < b ? a : b, a < b ? b : a, -1, -1}, slot};
            }
        }
    }
    BRN_TRY(brn_tuple_sort(mesh->ctx, work->tuple, work->nslot, mesh->nnode));
    for (int i = 0; i < work->nslot; ++i) {
        work->nedge += i == 0 || !brn_tuple_same(&work->tuple[i], &work->tuple[i - 1]);
        work->mid[work->tuple[i].id] = mesh->nnode + work->nedge - 1;
    }
    if (work->nedge > INT_MAX - mesh->nnode) {
        return brn_fail(mesh->ctx, BRN_ERR_LIMIT, "quadratic cells: too many nodes");
    }
    return BRN_OK;
}

static brn_status place_mid_nodes(order_work *work)
{
    const brn_mesh *mesh = work->mesh;
    BRN_ALLOC(mesh->ctx, work->pos, (size_t)mesh->nnode + (size_t)work->nedge);
    memcpy(work->pos, mesh->pos, (size_t)mesh->nnode * sizeof *work->pos);
    for (int i = 0; i < work->nslot; ++i) {
        const brn_tuple *edge = &work->tuple[i];
        double *x = work->pos[work->mid[edge->id]];
        for (int k = 0; k < 3; ++k) {
            x[k] = 0.5 * (mesh->pos[edge->key[0]][k] + mesh->pos[edge->key[1]][k]);
        }
    }
    return BRN_OK;
}

/* Cells of the raised kind: those that were there before, then the raised ones. */
static brn_status raise_cells(order_work *work)
{
    const brn_mesh *mesh = work->mesh;
    int slot = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        if (!is_linear(kind) || mesh->ncell[kind] == 0) {
            continue;
        }
        const brn_cell_info *info = brn_cell_get((brn_cell)kind);
        const int to = raised[kind];
        const size_t low = (size_t)info->nnode, high = (size_t)brn_cell_get((brn_cell)to)->nnode;
        const size_t had = (size_t)mesh->ncell[to], add = (size_t)mesh->ncell[kind];
        if ((had + add) * high > INT_MAX) {
            return brn_fail(mesh->ctx, BRN_ERR_LIMIT, "%zu %s cells are more than a mesh can hold", had + add,
                            brn_cell_get((brn_cell)to)->name);
        }
        int *node = NULL;
        BRN_ALLOC(mesh->ctx, node, (had + add) * high);
        work->cell[to] = node;
        if (had > 0) {
            memcpy(node, mesh->cell[to], had * high * sizeof *node);
        }
        for (size_t c = 0; c < add; ++c) {
            int *into = node + (had + c) * high;
            memcpy(into, mesh->cell[kind] + c * low, low * sizeof *node);
            for (int e = 0; e < info->nedge; ++e, ++slot) {
                into[low + (size_t)e] = work->mid[slot];
            }
        }
    }
    return BRN_OK;
}

/* A group gets the mid node of every edge whose two ends it holds. */
static brn_status extend_groups(order_work *work)
{
    const brn_mesh *mesh = work->mesh;
    BRN_ALLOC(mesh->ctx, work->in, mesh->nnode);
    BRN_ALLOC(mesh->ctx, work->group_node, mesh->ngroup);
    BRN_ALLOC(mesh->ctx, work->group_count, mesh->ngroup);
    for (int g = 0; g < mesh->ngroup; ++g) {
        const brn_group *group = &mesh->group[g];
        memset(work->in, 0, (size_t)mesh->nnode);
        for (int i = 0; i < group->nnode; ++i) {
            work->in[group->node[i]] = 1;
        }
        /* Once to count, once to fill; edges come in the order of their mid nodes. */
        int count = group->nnode;
        for (int fill = 0; fill < 2; ++fill) {
            count = group->nnode;
            for (int i = 0; i < work->nslot; ++i) {
                const brn_tuple *edge = &work->tuple[i];
                const bool first = i == 0 || !brn_tuple_same(edge, edge - 1);
                if (first && work->in[edge->key[0]] && work->in[edge->key[1]]) {
                    if (fill) {
                        work->group_node[g][count] = work->mid[edge->id];
                    }
                    count++;
                }
            }
            if (!fill) {
                BRN_ALLOC(mesh->ctx, work->group_node[g], count);
                memcpy(work->group_node[g], group->node, (size_t)group->nnode * sizeof *group->node);
            }
        }
        work->group_count[g] = count;
    }
    return BRN_OK;
}

/* Nothing can fail any more: the new arrays take the place of the old ones. */
static void adopt(order_work *work)
{
    brn_mesh *mesh = work->mesh;
    brn_free(mesh->ctx, mesh->pos);
    mesh->pos = work->pos;
    work->pos = NULL;
    mesh->nnode += work->nedge;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        if (!is_linear(kind) || mesh->ncell[kind] == 0) {
            continue;
        }
        const int to = raised[kind];
        brn_free(mesh->ctx, mesh->cell[to]);
        mesh->cell[to] = work->cell[to];
        work->cell[to] = NULL;
        mesh->ncell[to] += mesh->ncell[kind];
        brn_free(mesh->ctx, mesh->cell[kind]);
        mesh->cell[kind] = NULL;
        mesh->ncell[kind] = 0;
    }
    for (int g = 0; g < mesh->ngroup; ++g) {
        brn_free(mesh->ctx, mesh->group[g].node);
        mesh->group[g].node = work->group_node[g];
        mesh->group[g].nnode = work->group_count[g];
        work->group_node[g] = NULL;
    }
}

brn_status brn_mesh_raise_order(brn_mesh *mesh)
{
    order_work work = {.mesh = mesh};
    brn_status status = find_edges(&work);
    status = status < 0 ? status : place_mid_nodes(&work);
    status = status < 0 ? status : raise_cells(&work);
    status = status < 0 ? status : extend_groups(&work);
    if (status >= 0) {
        adopt(&work);
    }
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        brn_free(mesh->ctx, work.cell[kind]);
    }
    for (int g = 0; work.group_node != NULL && g < mesh->ngroup; ++g) {
        brn_free(mesh->ctx, work.group_node[g]);
    }
    brn_free(mesh->ctx, work.group_node);
    brn_free(mesh->ctx, work.group_count);
    brn_free(mesh->ctx, work.in);
    brn_free(mesh->ctx, work.pos);
    brn_free(mesh->ctx, work.mid);
    brn_free(mesh->ctx, work.tuple);
    return status;
}
