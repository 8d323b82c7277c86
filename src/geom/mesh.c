#include "geom/mesh.h"

#include "geom/node_merge.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

brn_status brn_mesh_create(brn_ctx *ctx, int nnode, brn_mesh **out)
{
    *out = NULL;
    if (nnode < 0) {
        return brn_fail(ctx, BRN_ERR_RANGE, "a mesh of %d nodes: must be >= 0", nnode);
    }
    brn_mesh *mesh = NULL;
    BRN_ALLOC(ctx, mesh, 1);
    mesh->ctx = ctx;
    mesh->nnode = nnode;
    mesh->pos = brn_calloc(ctx, (size_t)nnode, sizeof *mesh->pos);
    if (mesh->pos == NULL) {
        brn_mesh_destroy(mesh);
        return BRN_ERR_MEMORY;
    }
    *out = mesh;
    return BRN_OK;
}

void brn_mesh_destroy(brn_mesh *mesh)
{
    if (mesh == NULL) {
        return;
    }
    brn_ctx *ctx = mesh->ctx;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        brn_free(ctx, mesh->cell[kind]);
    }
    for (int i = 0; i < mesh->ngroup; ++i) {
        brn_free(ctx, mesh->group[i].name);
        brn_free(ctx, mesh->group[i].node);
    }
    brn_free(ctx, mesh->group);
    brn_free(ctx, mesh->pos);
    brn_free(ctx, mesh);
}

brn_status brn_mesh_alloc_cells(brn_mesh *mesh, brn_cell kind, int ncell)
{
    const brn_cell_info *info = brn_cell_get(kind);
    const long long others = (long long)brn_mesh_cell_total(mesh) - mesh->ncell[kind];
    if (ncell < 0 || (long long)ncell * info->nnode > INT_MAX || others + ncell > INT_MAX) {
        return brn_fail(mesh->ctx, BRN_ERR_LIMIT, "%d %s cells are more than a mesh can hold", ncell,
                        info->name);
    }
    int *node = NULL;
    BRN_ALLOC(mesh->ctx, node, (size_t)ncell * (size_t)info->nnode);
    brn_free(mesh->ctx, mesh->cell[kind]);
    mesh->cell[kind] = node;
    mesh->ncell[kind] = ncell;
    return BRN_OK;
}

static int compare_ints(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Sorts and drops repeats; returns how many are left. */
static int sort_unique(int *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, compare_ints);
    int kept = 0;
    for (int i = 0; i < n; ++i) {
        if (kept == 0 || v[kept - 1] != v[i]) {
            v[kept++] = v[i];
        }
    }
    return kept;
}

/* The group of that name, or a new empty one at the end. */
static brn_status open_group(brn_mesh *mesh, const char *name, brn_group **out)
{
    for (int i = 0; i < mesh->ngroup; ++i) {
        if (strcmp(mesh->group[i].name, name) == 0) {
            *out = &mesh->group[i];
            return BRN_OK;
        }
    }
    brn_group *grown = brn_realloc(mesh->ctx, mesh->group, (size_t)mesh->ngroup + 1, sizeof *mesh->group);
    if (grown == NULL) {
        return BRN_ERR_MEMORY;
    }
    mesh->group = grown;
    brn_group *group = &grown[mesh->ngroup];
    *group = (brn_group){.name = brn_strdup(mesh->ctx, name)};
    if (group->name == NULL) {
        return BRN_ERR_MEMORY;
    }
    mesh->ngroup++;
    *out = group;
    return BRN_OK;
}

brn_status brn_mesh_add_group(brn_mesh *mesh, const char *name, const int *node, int nnode)
{
    for (int i = 0; i < nnode; ++i) {
        if (node[i] < 0 || node[i] >= mesh->nnode) {
            return brn_fail(mesh->ctx, BRN_ERR_MESH, "group '%s': node %d is not in 0..%d", name, node[i],
                            mesh->nnode - 1);
        }
    }
    /* The union is made first, so that a failed allocation leaves no half group behind. */
    const brn_group *old = brn_mesh_find_group(mesh, name);
    const int have = old != NULL ? old->nnode : 0;
    if (nnode < 0 || nnode > INT_MAX - have) {
        return brn_fail(mesh->ctx, BRN_ERR_LIMIT, "group '%s': too many nodes", name);
    }
    int *merged = NULL;
    BRN_ALLOC(mesh->ctx, merged, (size_t)have + (size_t)nnode);
    if (have > 0) {
        memcpy(merged, old->node, (size_t)have * sizeof *merged);
    }
    if (nnode > 0) {
        memcpy(merged + have, node, (size_t)nnode * sizeof *merged);
    }
    brn_group *group = NULL;
    const brn_status status = open_group(mesh, name, &group);
    if (status < 0) {
        brn_free(mesh->ctx, merged);
        return status;
    }
    brn_free(mesh->ctx, group->node);
    group->node = merged;
    group->nnode = sort_unique(merged, have + nnode);
    return BRN_OK;
}

void brn_mesh_renumber_groups(brn_mesh *mesh, const int *number)
{
    for (int g = 0; g < mesh->ngroup; ++g) {
        brn_group *group = &mesh->group[g];
        int kept = 0;
        for (int i = 0; i < group->nnode; ++i) {
            const int to = number[group->node[i]];
            if (to >= 0) {
                group->node[kept++] = to;
            }
        }
        group->nnode = sort_unique(group->node, kept);
    }
}

const brn_group *brn_mesh_find_group(const brn_mesh *mesh, const char *name)
{
    for (int i = 0; i < mesh->ngroup; ++i) {
        if (strcmp(mesh->group[i].name, name) == 0) {
            return &mesh->group[i];
        }
    }
    return NULL;
}

brn_status brn_mesh_check_indices(const brn_mesh *mesh)
{
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const brn_cell_info *info = brn_cell_get((brn_cell)kind);
        const size_t n = (size_t)mesh->ncell[kind] * (size_t)info->nnode;
        for (size_t i = 0; i < n; ++i) {
            const int node = mesh->cell[kind][i];
            if (node < 0 || node >= mesh->nnode) {
                return brn_fail(mesh->ctx, BRN_ERR_MESH, "%s %zu: node %d is not in 0..%d", info->name,
                                i / (size_t)info->nnode, node, mesh->nnode - 1);
            }
        }
    }
    return BRN_OK;
}

int brn_mesh_cell_total(const brn_mesh *mesh)
{
    int total = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        total += mesh->ncell[kind];
    }
    return total;
}

int brn_mesh_dim(const brn_mesh *mesh)
{
    int dim = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const int d = brn_cell_get((brn_cell)kind)->dim;
        dim = mesh->ncell[kind] > 0 && d > dim ? d : dim;
    }
    return dim;
}

/* ---- transform ----------------------------------------------------------------------------------------------------- */

/* Node order of the mirror image of a cell, which keeps its volume positive; entry i: which old node comes i-th. */
static const int mirror[BRN_CELL_COUNT][20] = {
    [BRN_EDGE2] = {1, 0},
    [BRN_EDGE3] = {1, 0, 2},
    [BRN_TRI3] = {0, 2, 1},
    [BRN_TRI6] = {0, 2, 1, 5, 4, 3},
    [BRN_QUAD4] = {0, 3, 2, 1},
    [BRN_QUAD8] = {0, 3, 2, 1, 7, 6, 5, 4},
    [BRN_TET4] = {0, 2, 1, 3},
    [BRN_TET10] = {0, 2, 1, 3, 6, 5, 4, 7, 9, 8},
    [BRN_HEX8] = {4, 5, 6, 7, 0, 1, 2, 3},
    [BRN_HEX20] = {4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11, 16, 17, 18, 19},
};

static void mirror_cells(brn_mesh *mesh)
{
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const size_t width = (size_t)brn_cell_get((brn_cell)kind)->nnode;
        for (int c = 0; c < mesh->ncell[kind]; ++c) {
            int *node = mesh->cell[kind] + (size_t)c * width;
            int old[20];
            memcpy(old, node, width * sizeof *old);
            for (size_t i = 0; i < width; ++i) {
                node[i] = old[mirror[kind][i]];
            }
        }
    }
}

/* True for a mesh of the xy plane that the transform keeps there: then only the plane's part counts as a mirror. */
static bool stays_plane(const brn_mesh *mesh, const double r[9])
{
    bool flat = brn_mesh_dim(mesh) < 3 && r[2] == 0.0 && r[5] == 0.0 && r[6] == 0.0 && r[7] == 0.0;
    for (int i = 0; flat && i < mesh->nnode; ++i) {
        flat = mesh->pos[i][2] == 0.0;
    }
    return flat;
}

void brn_mesh_transform(brn_mesh *mesh, const double scale[3], const double rotation[9],
                        const double translation[3])
{
    const double *r = rotation;
    const double plane = r[0] * r[4] - r[1] * r[3];
    const double full =
        r[2] * (r[3] * r[7] - r[4] * r[6]) - r[5] * (r[0] * r[7] - r[1] * r[6]) + r[8] * plane;
    const double turn =
        stays_plane(mesh, r) ? plane * scale[0] * scale[1] : full * scale[0] * scale[1] * scale[2];
    if (turn < 0.0) {
        mirror_cells(mesh);
    }
    for (int i = 0; i < mesh->nnode; ++i) {
        double *x = mesh->pos[i];
        const double s[3] = {scale[0] * x[0], scale[1] * x[1], scale[2] * x[2]};
        for (int k = 0; k < 3; ++k) {
            x[k] = r[3 * k] * s[0] + r[3 * k + 1] * s[1] + r[3 * k + 2] * s[2] + translation[k];
        }
    }
}
