/* A solid between eight corners, which need not be square: a lattice laid into it by the trilinear map

     x(u, v, w) = sum over the corners (1 +- u)(1 +- v)(1 +- w) / 8 x_corner,   u, v, w in [-1, 1]

   Neighbours that share four corners share the face between them whatever their other corners are (a masonry arch). */
#include "model/generate/generate.h"

typedef struct hexahedron_params {
    brn_block block;
    brn_rows corners; /* [m] */
    brn_ints cells;
    int element;
} hexahedron_params;

static const char *const elements[] = {"tet4", "tet10", "hex8", "hex20", NULL};
static const brn_cell element_cell[] = {BRN_TET4, BRN_TET10, BRN_HEX8, BRN_HEX20};
static const int one_cell[] = {1, 1, 1};

static const brn_param params[] = {
    {.name = "corners",
     .kind = BRN_ROWS,
     .offset = offsetof(hexahedron_params, corners),
     .unit = "m",
     .required = true,
     .count = 3,
     .help = "eight points: the lower four counter-clockwise seen from above, from -x -y on, then the upper "
             "four"},
    {.name = "cells",
     .kind = BRN_INTS,
     .offset = offsetof(hexahedron_params, cells),
     .unit = "1",
     .lo = 1,
     .hi = BRN_GENERATE_CELLS_MAX,
     .count = 3,
     .help = "cells along x, y, z; [1, 1, 1] if not given"},
    BRN_P_CHOICE(hexahedron_params, element, 0, elements, "kind of element"),
};

static const brn_table table = {
    .name = "hexahedron",
    .help = "a solid between eight corners; groups -x, +x, -y, +y, -z, +z",
    .size = sizeof(hexahedron_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

static void place_nodes(const hexahedron_params *p, const brn_hex_frame *frame, brn_mesh *mesh)
{
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int i = 0; i < mesh->nnode; ++i) {
        for (int c = 0; c < 8; ++c) {
            double weight = 1.0;
            for (int a = 0; a < 3; ++a) {
                const int n = frame->n[a], k = frame->index[i][a];
                weight *= (double)(corner[c][a] ? k : n - k) / n;
            }
            for (int k = 0; k < 3; ++k) {
                mesh->pos[i][k] += weight * p->corners.v[3 * c + k];
            }
        }
    }
}

static brn_status fill(brn_ctx *ctx, const hexahedron_params *p, brn_hex_frame *frame, brn_mesh **out)
{
    BRN_TRY(brn_hex_frame_build(ctx, frame, out));
    place_nodes(p, frame, *out);
    BRN_TRY(brn_hex_frame_side_groups(frame, *out));
    BRN_TRY(brn_hex_frame_convert(frame, *out, element_cell[p->element]));
    return brn_generate_sound(
        *out, &table, p, "corners",
        "the solid between them is folded, or their order is not the one that is asked for");
}

static brn_status generate(brn_ctx *ctx, const void *given, brn_mesh **out)
{
    const hexahedron_params *p = given;
    *out = NULL;
    BRN_TRY(brn_generate_check(ctx, &table, p));
    const int *n = p->cells.count > 0 ? p->cells.v : one_cell;
    if (p->corners.rows != 8) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.corners: needs 8 points, got %d",
                        brn_generate_path(&table, p), p->corners.rows);
    }
    brn_hex_frame frame = {.n = {n[0], n[1], n[2]}};
    const double count = brn_hex_frame_cells(&frame) * brn_hex_pieces(element_cell[p->element]);
    BRN_TRY(brn_generate_limit(ctx, &table, p, "cells", count));
    const brn_status status = fill(ctx, p, &frame, out);
    brn_hex_frame_free(ctx, &frame);
    if (status < 0) {
        brn_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}

const brn_generator brn_generator_hexahedron = {&table, generate, NULL};
