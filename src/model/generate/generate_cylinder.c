/* A cylinder about the z axis, centred at the origin: an o-grid in the cross-section (see brn_hex_frame_disc),
   extruded along z. Side nodes, mid-edge ones too, lie on the cylinder. */
#include "model/generate/generate.h"

typedef struct cylinder_params {
    brn_block block;
    double radius, height, resolution; /* [m] */
    int element;
} cylinder_params;

static const char *const elements[] = {"tet4", "tet10", "hex8", "hex20", NULL};
static const brn_cell element_cell[] = {BRN_TET4, BRN_TET10, BRN_HEX8, BRN_HEX20};

static const brn_param params[] = {
    BRN_P_LENGTH(cylinder_params, radius, "radius"),
    BRN_P_LENGTH(cylinder_params, height, "length along z"),
    BRN_P_LENGTH(cylinder_params, resolution, "typical edge length"),
    BRN_P_CHOICE(cylinder_params, element, 0, elements, "kind of element"),
};

static const brn_table table = {
    .name = "cylinder",
    .help = "a solid cylinder along z about the origin; groups -z, +z, side",
    .size = sizeof(cylinder_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

static void place_nodes(const cylinder_params *p, const brn_hex_frame *frame, brn_mesh *mesh)
{
    for (int i = 0; i < mesh->nnode; ++i) {
        const int *at = frame->index[i], nz = frame->n[2];
        double *x = mesh->pos[i];
        brn_hex_frame_disc(frame, at, x);
        x[0] *= p->radius;
        x[1] *= p->radius;
        x[2] = p->height * ((double)(2LL * at[2] - nz) / (2.0 * nz));
    }
}

static void round_side(const cylinder_params *p, brn_mesh *mesh)
{
    const brn_group *side = brn_mesh_find_group(mesh, "side");
    for (int i = 0; i < side->nnode; ++i) {
        double *x = mesh->pos[side->node[i]];
        const double scale = p->radius / hypot(x[0], x[1]);
        x[0] *= scale;
        x[1] *= scale;
    }
}

static brn_status fill(brn_ctx *ctx, const cylinder_params *p, brn_hex_frame *frame, brn_mesh **out)
{
    BRN_TRY(brn_hex_frame_build(ctx, frame, out));
    place_nodes(p, frame, *out);
    BRN_TRY(brn_hex_frame_side_groups(frame, *out));
    BRN_TRY(brn_hex_frame_outer_group(frame, *out, "side"));
    BRN_TRY(brn_hex_frame_convert(frame, *out, element_cell[p->element]));
    round_side(p, *out);
    return BRN_OK;
}

static brn_status generate(brn_ctx *ctx, const void *given, brn_mesh **out)
{
    const cylinder_params *p = given;
    *out = NULL;
    BRN_TRY(brn_generate_check(ctx, &table, p));
    const int n = brn_generate_parts(1.35 * p->radius, p->resolution, 2);
    const double shell = brn_hex_frame_disc_shell() * p->radius;
    brn_hex_frame frame = {.n = {n, n, brn_generate_parts(p->height, p->resolution, 1)},
                           .blown = {true, true, false}};
    frame.layers = (int)fmax(1.0, fmin(round(shell / p->resolution), n));
    const double count = brn_hex_frame_cells(&frame) * brn_hex_pieces(element_cell[p->element]);
    BRN_TRY(brn_generate_limit(ctx, &table, p, "resolution", count));
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
    const cylinder_params *p = given;
    return M_PI * p->radius * p->radius * p->height;
}

const brn_generator brn_generator_cylinder = {&table, generate, volume};
