/* A part of a tube about the z axis, from one angle to another; 360 degrees close it. Nodes of its two round sides,
   mid-edge ones too, lie on the cylinders. */
#include "model/generate/generate.h"

typedef struct sector_params {
    brn_block block;
    double inner_radius, outer_radius, width; /* [m] */
    double from, to;                          /* [degrees] */
    brn_ints cells;
    int element;
} sector_params;

static const char *const elements[] = {"tet4", "tet10", "hex8", "hex20", NULL};
static const brn_cell element_cell[] = {BRN_TET4, BRN_TET10, BRN_HEX8, BRN_HEX20};

static const brn_param params[] = {
    BRN_P_LENGTH(sector_params, inner_radius, "of the hole"),
    BRN_P_LENGTH(sector_params, outer_radius, "of the outer side"),
    BRN_P_LENGTH(sector_params, width, "along z"),
    BRN_P_REAL(sector_params, from, "degrees", 0.0, -360.0, 360.0, BRN_CLOSED,
               "first angle, from x towards y"),
    BRN_P_REAL(sector_params, to, "degrees", 360.0, -360.0, 720.0, BRN_CLOSED,
               "last angle; 360 degrees after the first: a closed tube"),
    {.name = "cells",
     .kind = BRN_INTS,
     .offset = offsetof(sector_params, cells),
     .unit = "1",
     .required = true,
     .lo = 1,
     .hi = BRN_GENERATE_CELLS_MAX,
     .count = 3,
     .help = "cells across the wall, around, along z; around a closed tube of tets an even number"},
    BRN_P_CHOICE(sector_params, element, 0, elements, "kind of element"),
};

static const brn_table table = {
    .name = "sector",
    .help = "a part of a tube along z about the origin; groups inner, outer, -z, +z, from, to",
    .size = sizeof(sector_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

static void place_nodes(const sector_params *p, const brn_hex_frame *frame, brn_mesh *mesh)
{
    for (int i = 0; i < mesh->nnode; ++i) {
        const int *at = frame->index[i];
        double *x = mesh->pos[i];
        const double degrees = p->from + (p->to - p->from) * ((double)at[2] / frame->n[2]);
        const double share = (double)at[1] / frame->n[1];
        const double r = (1.0 - share) * p->inner_radius + share * p->outer_radius;
        x[0] = r * cos(degrees * (M_PI / 180.0));
        x[1] = r * sin(degrees * (M_PI / 180.0));
        x[2] = p->width * ((double)(2LL * at[0] - frame->n[0]) / (2.0 * frame->n[0]));
    }
}

static void round_side(brn_mesh *mesh, const char *name, double radius)
{
    const brn_group *side = brn_mesh_find_group(mesh, name);
    for (int i = 0; i < side->nnode; ++i) {
        double *x = mesh->pos[side->node[i]];
        const double scale = radius / hypot(x[0], x[1]);
        x[0] *= scale;
        x[1] *= scale;
    }
}

static brn_status fill(brn_ctx *ctx, const sector_params *p, brn_hex_frame *frame, brn_mesh **out)
{
    /* The frame's axes are z, outwards, around: right-handed. */
    static const char *const names[3][2] = {{"-z", "+z"}, {"inner", "outer"}, {"from", "to"}};
    BRN_TRY(brn_hex_frame_build(ctx, frame, out));
    place_nodes(p, frame, *out);
    BRN_TRY(brn_hex_frame_named_groups(frame, *out, names));
    BRN_TRY(brn_hex_frame_convert(frame, *out, element_cell[p->element]));
    round_side(*out, "inner", p->inner_radius);
    round_side(*out, "outer", p->outer_radius);
    const brn_cell cell = element_cell[p->element];
    return cell == BRN_TET10 || cell == BRN_HEX20
               ? brn_generate_sound(*out, &table, p, "cells",
                                    "curved cells are too few around for their height; take more")
               : BRN_OK;
}

/* Conditions on several keys at once. */
static brn_status check_shape(brn_ctx *ctx, const sector_params *p, bool closed)
{
    const char *path = brn_generate_path(&table, p);
    if (p->cells.count != 3) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.cells: needs 3 numbers, got %d", path, p->cells.count);
    }
    if (!(p->outer_radius > p->inner_radius)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.outer_radius = %g: must be more than inner_radius, %g", path,
                        p->outer_radius, p->inner_radius);
    }
    const double span = p->to - p->from;
    if (!(span > 0.0 && span <= 360.0)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.to = %g: must be up to 360 degrees more than from, %g", path,
                        p->to, p->from);
    }
    /* A cell with straight edges must stay clear of the axis: less than 180 degrees each. */
    if (!(span / p->cells.v[1] < 180.0)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.cells: %d around %g degrees are too few, at least %d", path,
                        p->cells.v[1], span, (int)floor(span / 180.0) + 1);
    }
    if (closed && brn_hex_pieces(element_cell[p->element]) > 1 && p->cells.v[1] % 2 != 0) {
        return brn_fail(ctx, BRN_ERR_RANGE,
                        "%s.cells: a closed tube of %s needs an even number around, got %d", path,
                        elements[p->element], p->cells.v[1]);
    }
    return BRN_OK;
}

static brn_status generate(brn_ctx *ctx, const void *given, brn_mesh **out)
{
    const sector_params *p = given;
    *out = NULL;
    BRN_TRY(brn_generate_check(ctx, &table, p));
    const bool closed = p->to - p->from == 360.0;
    BRN_TRY(check_shape(ctx, p, closed));
    brn_hex_frame frame = {.n = {p->cells.v[2], p->cells.v[0], p->cells.v[1]}, .wrapped = closed};
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

static double volume(const void *given)
{
    const sector_params *p = given;
    return (p->to - p->from) * M_PI / 360.0 * p->width *
           (p->outer_radius * p->outer_radius - p->inner_radius * p->inner_radius);
}

const brn_generator brn_generator_sector = {&table, generate, volume};
