#include "model/generate/generate.h"

static size_t lattice_cells(const brn_voxels *v)
{
    return (size_t)v->n[0] * (size_t)v->n[1] * (size_t)v->n[2];
}

static size_t lattice_node(const brn_voxels *v, int i, int j, int k)
{
    return ((size_t)k * (size_t)(v->n[1] + 1) + (size_t)j) * (size_t)(v->n[0] + 1) + (size_t)i;
}

/* Corners of a cell in the order of hex8. */
static void cell_nodes(const brn_voxels *v, size_t cell, size_t out[8])
{
    const int i = (int)(cell % (size_t)v->n[0]), j = (int)(cell / (size_t)v->n[0] % (size_t)v->n[1]);
    const int k = (int)(cell / (size_t)v->n[0] / (size_t)v->n[1]);
    static const int step[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int a = 0; a < 8; ++a) {
        out[a] = lattice_node(v, i + step[a % 4][0], j + step[a % 4][1], k + a / 4);
    }
}

/* Numbers the nodes that solid cells use, in lattice order, and counts both. number: of all lattice nodes, -1: unused */
static void number_nodes(const brn_voxels *v, int *number, int *nnode, int *nsolid)
{
    const size_t nlattice = lattice_node(v, v->n[0], v->n[1], v->n[2]) + 1;
    *nnode = *nsolid = 0;
    for (size_t c = 0; c < lattice_cells(v); ++c) {
        size_t node[8];
        cell_nodes(v, c, node);
        for (int a = 0; v->part[c] && a < 8; ++a) {
            number[node[a]] = 1;
        }
        *nsolid += v->part[c] != 0;
    }
    for (size_t i = 0; i < nlattice; ++i) {
        number[i] = number[i] ? (*nnode)++ : -1;
    }
}

static void write_nodes(const brn_voxels *v, const int *number, brn_mesh *mesh)
{
    size_t at = 0;
    for (int k = 0; k <= v->n[2]; ++k) {
        for (int j = 0; j <= v->n[1]; ++j) {
            for (int i = 0; i <= v->n[0]; ++i, ++at) {
                const int node = number[at], index[3] = {i, j, k};
                for (int a = 0; node >= 0 && a < 3; ++a) {
                    v->index[node][a] = index[a];
                    mesh->pos[node][a] = v->plane[a][index[a]];
                }
            }
        }
    }
}

static void write_cells(const brn_voxels *v, const int *number, brn_mesh *mesh)
{
    int *hex = mesh->cell[BRN_HEX8];
    for (size_t c = 0; c < lattice_cells(v); ++c) {
        size_t node[8];
        cell_nodes(v, c, node);
        for (int a = 0; v->part[c] && a < 8; ++a) {
            *hex++ = number[node[a]];
        }
    }
}

static brn_status add_side_groups(const brn_voxels *v, brn_mesh *mesh, unsigned char *marked)
{
    static const char *const names[3][2] = {{"-x", "+x"}, {"-y", "+y"}, {"-z", "+z"}};
    for (int a = 0; a < 3; ++a) {
        int side[2] = {v->n[a], 0};
        for (int i = 0; i < mesh->nnode; ++i) {
            const int at = v->index[i][a];
            side[0] = at < side[0] ? at : side[0];
            side[1] = at > side[1] ? at : side[1];
        }
        for (int upper = 0; upper < 2; ++upper) {
            for (int i = 0; i < mesh->nnode; ++i) {
                marked[i] = v->index[i][a] == side[upper];
            }
            BRN_TRY(brn_generate_group(mesh, names[a][upper], marked));
        }
    }
    return BRN_OK;
}

static brn_status make_mesh(brn_ctx *ctx, brn_voxels *v, const int *number, int nnode, int nsolid,
                            brn_mesh **out)
{
    BRN_ALLOC(ctx, v->index, nnode);
    BRN_TRY(brn_mesh_create(ctx, nnode, out));
    BRN_TRY(brn_mesh_alloc_cells(*out, BRN_HEX8, nsolid));
    write_nodes(v, number, *out);
    write_cells(v, number, *out);
    unsigned char *marked = NULL;
    BRN_ALLOC(ctx, marked, nnode);
    const brn_status status = add_side_groups(v, *out, marked);
    brn_free(ctx, marked);
    return status;
}

brn_status brn_voxels_build(brn_ctx *ctx, brn_voxels *v, brn_mesh **out)
{
    int *number = NULL, nnode = 0, nsolid = 0;
    *out = NULL;
    BRN_ALLOC(ctx, number, lattice_node(v, v->n[0], v->n[1], v->n[2]) + 1);
    number_nodes(v, number, &nnode, &nsolid);
    const brn_status status = make_mesh(ctx, v, number, nnode, nsolid, out);
    brn_free(ctx, number);
    if (status < 0) {
        brn_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}

brn_status brn_voxels_part_group(const brn_voxels *v, brn_mesh *mesh, int part, const char *name)
{
    unsigned char *marked = NULL;
    BRN_ALLOC(mesh->ctx, marked, mesh->nnode);
    const int *hex = mesh->cell[BRN_HEX8];
    bool any = false;
    for (size_t c = 0; c < lattice_cells(v); ++c) {
        for (int a = 0; v->part[c] == part && a < 8; ++a) {
            marked[hex[a]] = 1;
        }
        any = any || v->part[c] == part;
        hex += v->part[c] != 0 ? 8 : 0;
    }
    const brn_status status = any ? brn_generate_group(mesh, name, marked) : BRN_OK;
    brn_free(mesh->ctx, marked);
    return status;
}

brn_status brn_voxels_convert(const brn_voxels *v, brn_mesh *mesh, brn_cell element)
{
    unsigned char *colour = NULL;
    BRN_ALLOC(mesh->ctx, colour, mesh->nnode);
    for (int i = 0; i < mesh->nnode; ++i) {
        colour[i] = (unsigned char)((v->index[i][0] + v->index[i][1] + v->index[i][2]) & 1);
    }
    const brn_status status = brn_hex_convert(mesh, colour, element);
    brn_free(mesh->ctx, colour);
    return status;
}

void brn_voxels_free(brn_ctx *ctx, brn_voxels *v)
{
    for (int a = 0; a < 3; ++a) {
        brn_free(ctx, v->plane[a]);
    }
    brn_free(ctx, v->part);
    brn_free(ctx, v->index);
}
