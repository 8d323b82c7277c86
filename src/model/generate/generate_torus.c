/* A ring in the xy plane about the origin, round or (with straight parts along x between two half circles) the link of a
   chain: an o-grid in the cross-section (see brn_hex_frame_disc), carried around. Surface nodes, mid-edge ones too, lie at
   minor_radius from the centre line. */
#include "model/generate/generate.h"

typedef struct torus_params {
    brn_block block;
    double major_radius, minor_radius, straight; /* [m] */
    int around, across;
    int element;
} torus_params;

static const char *const elements[] = {"tet4", "tet10", "hex8", "hex20", NULL};
static const brn_cell element_cell[] = {BRN_TET4, BRN_TET10, BRN_HEX8, BRN_HEX20};

static const brn_param params[] = {
    BRN_P_LENGTH(torus_params, major_radius, "of the centre line, in its half circles"),
    BRN_P_LENGTH(torus_params, minor_radius, "of the round section, less than major_radius"),
    BRN_P_REAL(torus_params, straight, "m", 0.0, 0.0, INFINITY, BRN_OPEN_HIGH,
               "length of the straight parts of a chain link, along x; 0: a round ring"),
    BRN_P_INT(torus_params, around, 24, 6, BRN_GENERATE_CELLS_MAX, "cells along the centre line, even"),
    BRN_P_INT(torus_params, across, 4, 2, 10000, "cells across the section; quadratic elements need 4"),
    BRN_P_CHOICE(torus_params, element, 0, elements, "kind of element"),
};

static const brn_table table = {
    .name = "torus",
    .help = "a solid ring about z, or a chain link along x, about the origin; group surface",
    .size = sizeof(torus_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

/* Cells along one straight part; the half circles have the others, two at least. */
static int straight_cells(const torus_params *p)
{
    const int half = p->around / 2;
    if (!(p->straight > 0.0)) {
        return 0;
    }
    const double share = p->straight / (p->straight + M_PI * p->major_radius);
    return (int)fmax(1.0, fmin(round(half * share), half - 2));
}

/* Station k of the centre line, counter-clockwise from the start of the half circle at +x, and the direction outwards. */
static void station(const torus_params *p, int k, double centre[2], double outwards[2])
{
    const int half = p->around / 2, flat = straight_cells(p), bend = half - flat;
    const int side = k / half, at = k % half;
    const double sign = side == 0 ? 1.0 : -1.0;
    const double angle = M_PI * (fmin((double)at / bend, 1.0) - 0.5);
    const double along = at > bend ? (double)(at - bend) / flat : 0.0;
    outwards[0] = sign * cos(angle);
    outwards[1] = sign * sin(angle);
    centre[0] = sign * p->straight * (0.5 - along) + p->major_radius * outwards[0];
    centre[1] = p->major_radius * outwards[1];
}

static void place_nodes(const torus_params *p, const brn_hex_frame *frame, brn_mesh *mesh)
{
    for (int i = 0; i < mesh->nnode; ++i) {
        const int *at = frame->index[i];
        double *x = mesh->pos[i], centre[2], outwards[2], disc[2];
        station(p, at[2], centre, outwards);
        /* Axes of the section: z, outwards; with the way around they are right-handed. */
        brn_hex_frame_disc(frame, at, disc);
        x[0] = centre[0] + p->minor_radius * disc[1] * outwards[0];
        x[1] = centre[1] + p->minor_radius * disc[1] * outwards[1];
        x[2] = p->minor_radius * disc[0];
    }
}

/* Moves surface nodes away from the nearest point of the centre line, to minor_radius from it. */
static void round_surface(const torus_params *p, brn_mesh *mesh)
{
    const brn_group *surface = brn_mesh_find_group(mesh, "surface");
    for (int i = 0; i < surface->nnode; ++i) {
        double *x = mesh->pos[surface->node[i]];
        const double middle = fmax(-0.5 * p->straight, fmin(x[0], 0.5 * p->straight));
        const double to_x = x[0] - middle, r = hypot(to_x, x[1]);
        const double centre[3] = {middle + p->major_radius * to_x / r, p->major_radius * x[1] / r, 0.0};
        const double d[3] = {x[0] - centre[0], x[1] - centre[1], x[2]};
        const double scale = p->minor_radius / sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        for (int k = 0; k < 3; ++k) {
            x[k] = centre[k] + scale * d[k];
        }
    }
}

static brn_status fill(brn_ctx *ctx, const torus_params *p, brn_hex_frame *frame, brn_mesh **out)
{
    BRN_TRY(brn_hex_frame_build(ctx, frame, out));
    place_nodes(p, frame, *out);
    BRN_TRY(brn_hex_frame_outer_group(frame, *out, "surface"));
    BRN_TRY(brn_hex_frame_convert(frame, *out, element_cell[p->element]));
    round_surface(p, *out);
    const brn_cell cell = element_cell[p->element];
    return cell == BRN_TET10 || cell == BRN_HEX20
               ? brn_generate_sound(*out, &table, p, "around",
                                    "curved cells are too few for their width; take more")
               : BRN_OK;
}

/* Conditions on several keys at once. */
static brn_status check_shape(brn_ctx *ctx, const torus_params *p)
{
    const char *path = brn_generate_path(&table, p);
    const brn_cell cell = element_cell[p->element];
    if (!(p->minor_radius < p->major_radius)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.minor_radius = %g: must be less than major_radius, %g", path,
                        p->minor_radius, p->major_radius);
    }
    if (p->around % 2 != 0) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.around = %d: must be even", path, p->around);
    }
    /* Without a shell some inner edges join surface nodes, and their mid nodes would count as surface ones. */
    if ((cell == BRN_TET10 || cell == BRN_HEX20) && p->across < 4) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.across = %d: %s needs at least 4", path, p->across,
                        elements[p->element]);
    }
    return BRN_OK;
}

static brn_status generate(brn_ctx *ctx, const void *given, brn_mesh **out)
{
    const torus_params *p = given;
    *out = NULL;
    BRN_TRY(brn_generate_check(ctx, &table, p));
    BRN_TRY(check_shape(ctx, p));
    /* So many layers on either side that the shell's cells are as thick as the core's. */
    const int layers =
        p->across < 4 ? 0 : (int)fmax(1.0, round(0.5 * brn_hex_frame_disc_shell() * p->across));
    const int core = p->across - 2 * layers;
    brn_hex_frame frame = {
        .n = {core, core, p->around}, .layers = layers, .blown = {true, true, false}, .wrapped = true};
    const double count = brn_hex_frame_cells(&frame) * brn_hex_pieces(element_cell[p->element]);
    BRN_TRY(brn_generate_limit(ctx, &table, p, "around", count));
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
    const torus_params *p = given;
    return M_PI * p->minor_radius * p->minor_radius * 2.0 * (M_PI * p->major_radius + p->straight);
}

const brn_generator brn_generator_torus = {&table, generate, volume};
