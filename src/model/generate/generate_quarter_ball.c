/* A quarter (x >= 0, y >= 0) of the lower half of a ball about the origin, fine at its lowest point: for contact with
   two planes of symmetry, such as a ball pressed onto something.

   It is made as an eighth of a ball of radius 2 R about the origin of a half-space, coordinates (x, y, depth): a core of
   n x n x n cells, blown half-way to a ball, and three shells out of it whose layers grow geometrically, so that cells keep
   their shape while their size grows with the distance. The inversion about the top of the ball with the radius 2 R
   takes the half-space to the ball, its origin to the lowest point and the sphere of radius 2 R about it to the plane of the
   equator. It is conformal, with the scale 1 at the lowest point and 1/2 at the equator, so shapes of small cells stay. Surface nodes,
   mid-edge ones too, lie on the sphere. */
#include "model/generate/generate.h"

/* Where the core's corners are, its faces' middles at 1: as in generate_sphere.c. */
static const double core_corner = 1.3;

typedef struct quarter_params {
    brn_block block;
    double radius, core; /* [m] */
    int cells, layers;
    int element;
} quarter_params;

static const char *const elements[] = {"tet4", "tet10", "hex8", "hex20", NULL};
static const brn_cell element_cell[] = {BRN_TET4, BRN_TET10, BRN_HEX8, BRN_HEX20};

static const brn_param params[] = {
    BRN_P_LENGTH(quarter_params, radius, "radius"),
    BRN_P_LENGTH(quarter_params, core,
                 "how far from the lowest point the smallest cells reach; less than the radius"),
    BRN_P_INT(quarter_params, cells, 8, 1, 10000, "cells along the core"),
    BRN_P_INT(quarter_params, layers, 0, 0, 100000,
              "layers from the core to the equator; 0: so many that cells are as thick as wide"),
    BRN_P_CHOICE(quarter_params, element, 0, elements, "kind of element"),
};

static const brn_table table = {
    .name = "quarter_ball",
    .help = "a quarter, x >= 0 and y >= 0, of the lower half of a ball about the origin, fine at its lowest "
            "point; "
            "groups surface, equator, -x, -y",
    .size = sizeof(quarter_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

/* Place in the half-space of lattice point u in [0, 1]^3, at the share t of the way through the shells. [m] */
static void place(const quarter_params *p, const double u[3], double t, double out[3])
{
    const double cube = (core_corner - 1.0) / (sqrt(3.0) - 1.0), ball = 1.0 - cube;
    const double m = fmax(u[0], fmax(u[1], u[2]));
    double direction[3];
    double size = 0.0;
    for (int k = 0; k < 3; ++k) {
        direction[k] = m > 0.0 ? tan(M_PI_4 * (u[k] / m)) : 0.0;
        size += direction[k] * direction[k];
    }
    size = size > 0.0 ? sqrt(size) : 1.0;
    /* Distances grow by the same factor with every layer. */
    const double grown = 2.0 * p->radius / p->core;
    const double share = expm1(t * log(grown)) / (grown - 1.0);
    for (int k = 0; k < 3; ++k) {
        const double along = direction[k] / size;
        out[k] = (1.0 - share) * p->core * (cube * u[k] + ball * m * along) + share * 2.0 * p->radius * along;
    }
}

/* The inversion about [0, 0, R]; depth is downwards before and upwards after it. */
static void invert(double radius, double x[3])
{
    const double below = 2.0 * radius + x[2];
    const double scale = 4.0 * radius * radius / (x[0] * x[0] + x[1] * x[1] + below * below);
    x[0] *= scale;
    x[1] *= scale;
    x[2] = radius - scale * below;
}

static void place_nodes(const quarter_params *p, const brn_hex_frame *frame, brn_mesh *mesh)
{
    for (int i = 0; i < mesh->nnode; ++i) {
        const int *at = frame->index[i];
        const double u[3] = {(double)at[0] / frame->n[0], (double)at[1] / frame->n[1],
                             (double)at[2] / frame->n[2]};
        place(p, u, (double)at[3] / frame->layers, mesh->pos[i]);
        invert(p->radius, mesh->pos[i]);
    }
}

/* Nodes of the round and the flat side onto them to the last bits: mid-edge nodes, and what rounding moved. */
static void finish_sides(const quarter_params *p, brn_mesh *mesh)
{
    const brn_group *equator = brn_mesh_find_group(mesh, "equator");
    for (int i = 0; i < equator->nnode; ++i) {
        mesh->pos[equator->node[i]][2] = 0.0;
    }
    const brn_group *surface = brn_mesh_find_group(mesh, "surface");
    for (int i = 0; i < surface->nnode; ++i) {
        double *x = mesh->pos[surface->node[i]];
        const double scale = p->radius / sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        for (int k = 0; k < 3; ++k) {
            x[k] *= scale;
        }
    }
}

static brn_status fill(brn_ctx *ctx, const quarter_params *p, brn_hex_frame *frame, brn_mesh **out)
{
    static const char *const names[3][2] = {{"-x", NULL}, {"-y", NULL}, {"surface", NULL}};
    BRN_TRY(brn_hex_frame_build(ctx, frame, out));
    place_nodes(p, frame, *out);
    BRN_TRY(brn_hex_frame_named_groups(frame, *out, names));
    BRN_TRY(brn_hex_frame_outer_group(frame, *out, "equator"));
    BRN_TRY(brn_hex_frame_convert(frame, *out, element_cell[p->element]));
    finish_sides(p, *out);
    return BRN_OK;
}

static brn_status generate(brn_ctx *ctx, const void *given, brn_mesh **out)
{
    const quarter_params *p = given;
    *out = NULL;
    BRN_TRY(brn_generate_check(ctx, &table, p));
    if (!(p->core < p->radius)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.core = %g: must be less than radius, %g",
                        brn_generate_path(&table, p), p->core, p->radius);
    }
    brn_hex_frame frame = {.n = {p->cells, p->cells, p->cells}, .blown = {true, true, true}, .half = true};
    const double even = round(p->cells * log(2.0 * p->radius / p->core));
    frame.layers = p->layers > 0 ? p->layers : (int)fmax(1.0, fmin(even, BRN_GENERATE_CELLS_MAX));
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
    const quarter_params *p = given;
    return M_PI / 6.0 * p->radius * p->radius * p->radius;
}

const brn_generator brn_generator_quarter_ball = {&table, generate, volume};
