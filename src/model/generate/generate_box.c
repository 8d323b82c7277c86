/* A box about the origin on a lattice, uniform or graded along each axis: hexahedra, five alternating tets a cell
   (see brn_hex_convert), or triangles with alternating diagonals in 2D. Groups: "-x", "+x", ... */
#include "model/generate/generate.h"

typedef struct box_params {
    brn_block block;
    brn_reals size; /* [m] */
    brn_ints cells;
    int element;
    brn_grading grading;
} box_params;

static const char *const elements[] = {"tet4", "tet10", "hex8", "hex20", "tri3", "tri6", NULL};
static const brn_cell element_cell[] = {BRN_TET4, BRN_TET10, BRN_HEX8, BRN_HEX20, BRN_TRI3, BRN_TRI6};

static const brn_param params[] = {
    {.name = "size",
     .kind = BRN_REALS,
     .offset = offsetof(box_params, size),
     .unit = "m",
     .required = true,
     .hi = INFINITY,
     .bounds = BRN_OPEN,
     .help = "edge lengths, [x, y, z] or [x, y] in 2D"},
    {.name = "cells",
     .kind = BRN_INTS,
     .offset = offsetof(box_params, cells),
     .unit = "1",
     .required = true,
     .lo = 1,
     .hi = BRN_GENERATE_CELLS_MAX,
     .help = "cells along each edge, as many numbers as size"},
    BRN_P_CHOICE(box_params, element, 0, elements, "kind of element; tri3 and tri6 in 2D"),
    BRN_P_BLOCK(box_params, grading, &brn_grading_table, "cells shrink towards a point"),
};

static const brn_table table = {
    .name = "box",
    .help = "a box about the origin; groups -x, +x, -y, +y, -z, +z",
    .size = sizeof(box_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

/* Node coordinates along the axes, one array after the other. */
static brn_status make_axes(brn_ctx *ctx, const box_params *p, double **out, double *axis[3])
{
    size_t total = 0;
    for (int a = 0; a < p->size.count; ++a) {
        total += (size_t)p->cells.v[a] + 1;
    }
    BRN_ALLOC(ctx, *out, total);
    double *at = *out;
    for (int a = 0; a < p->size.count; ++a) {
        axis[a] = at;
        const bool graded = p->grading.block.line != 0;
        brn_grading_axis(p->size.v[a], p->cells.v[a], p->grading.point[a], graded ? p->grading.ratio : 1.0,
                         at);
        at += p->cells.v[a] + 1;
    }
    return BRN_OK;
}

static brn_status solid(brn_ctx *ctx, const box_params *p, double *const axis[3], brn_mesh **out)
{
    brn_hex_frame frame = {.n = {p->cells.v[0], p->cells.v[1], p->cells.v[2]}};
    BRN_TRY(brn_hex_frame_build(ctx, &frame, out));
    for (int i = 0; i < (*out)->nnode; ++i) {
        for (int a = 0; a < 3; ++a) {
            (*out)->pos[i][a] = axis[a][frame.index[i][a]];
        }
    }
    brn_status status = brn_hex_frame_side_groups(&frame, *out);
    status = status < 0 ? status : brn_hex_frame_convert(&frame, *out, element_cell[p->element]);
    brn_hex_frame_free(ctx, &frame);
    return status;
}

static brn_status plane(brn_ctx *ctx, const box_params *p, double *const axis[3], brn_mesh **out)
{
    BRN_TRY(
        brn_plane_lattice(ctx, axis[0], p->cells.v[0], axis[1], p->cells.v[1], BRN_PATTERN_ALTERNATING, out));
    return element_cell[p->element] == BRN_TRI6 ? brn_mesh_raise_order(*out) : BRN_OK;
}

static brn_status generate(brn_ctx *ctx, const void *given, brn_mesh **out)
{
    const box_params *p = given;
    *out = NULL;
    BRN_TRY(brn_generate_check(ctx, &table, p));
    const brn_cell cell = element_cell[p->element];
    const int dim = brn_cell_get(cell)->dim;
    if (p->size.count != dim || p->cells.count != dim) {
        const bool size = p->size.count != dim;
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.%s: %s needs %d numbers, got %d",
                        brn_generate_path(&table, p), size ? "size" : "cells", elements[p->element], dim,
                        size ? p->size.count : p->cells.count);
    }
    double count = dim == 2 ? 2.0 : brn_hex_pieces(cell);
    for (int a = 0; a < dim; ++a) {
        count *= p->cells.v[a];
    }
    BRN_TRY(brn_generate_limit(ctx, &table, p, "cells", count));
    double *coordinates = NULL, *axis[3] = {NULL};
    BRN_TRY(make_axes(ctx, p, &coordinates, axis));
    const brn_status status = dim == 2 ? plane(ctx, p, axis, out) : solid(ctx, p, axis, out);
    brn_free(ctx, coordinates);
    if (status < 0) {
        brn_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}

const brn_generator brn_generator_box = {&table, generate, NULL};
