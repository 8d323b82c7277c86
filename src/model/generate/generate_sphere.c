/* A ball about the origin: a core of n x n x n hexahedra and six shells from it to the sphere (cubed sphere). The core is
   a cube blown half-way to a ball: its faces' middles lie at 0.55, its corners at 1.3 * 0.55 of the radius, where the
   worst scaled Jacobian over core and shells is near its best for every n. Equal angles along the edges of each shell
   (directions tan(pi/4 u)) [Ronchi, Iacono, Paolucci 1996]. Surface nodes, mid-edge ones too, lie on the sphere. */
#include "model/generate/generate.h"

#include <string.h>

static const double core_middle = 0.55, core_corner = 1.3 * 0.55;

typedef struct sphere_params {
    brn_block block;
    double radius, resolution; /* [m] */
    int element;
    brn_grading grading;
} sphere_params;

static const char *const elements[] = {"tet4", "tet10", "hex8", "hex20", NULL};
static const brn_cell element_cell[] = {BRN_TET4, BRN_TET10, BRN_HEX8, BRN_HEX20};

static const brn_param params[] = {
    BRN_P_LENGTH(sphere_params, radius, "radius"),
    BRN_P_LENGTH(sphere_params, resolution, "typical edge length"),
    BRN_P_CHOICE(sphere_params, element, 0, elements, "kind of element"),
    BRN_P_BLOCK(sphere_params, grading, &brn_grading_table, "cells shrink towards a point of the ball"),
};

static const brn_table table = {
    .name = "sphere",
    .help = "a solid ball about the origin; group surface",
    .size = sizeof(sphere_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

/* x <- x of that length (a zero vector stays). */
static void rescale(double x[3], double length)
{
    const double now = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int k = 0; now > 0.0 && k < 3; ++k) {
        x[k] *= length / now;
    }
}

/* Position in the unit ball of lattice point u in [-1, 1]^3, at the share t of the way from the core to the sphere. */
static void place(const double u[3], double t, double out[3])
{
    /* The share of the plain cube and of the ball in the core. */
    const double cube = (core_corner - core_middle) / (sqrt(3.0) - 1.0), ball = core_middle - cube;
    const double m = fmax(fabs(u[0]), fmax(fabs(u[1]), fabs(u[2])));
    double direction[3];
    for (int k = 0; k < 3; ++k) {
        direction[k] = m > 0.0 ? tan(M_PI_4 * (u[k] / m)) : 0.0;
    }
    rescale(direction, 1.0);
    for (int k = 0; k < 3; ++k) {
        out[k] = (1.0 - t) * (cube * u[k] + ball * m * direction[k]) + t * direction[k];
    }
}

static void place_nodes(const sphere_params *p, const brn_hex_frame *frame, brn_mesh *mesh)
{
    for (int i = 0; i < mesh->nnode; ++i) {
        const int *at = frame->index[i];
        double u[3];
        for (int k = 0; k < 3; ++k) {
            u[k] = (double)(2 * at[k] - frame->n[k]) / frame->n[k];
        }
        double *x = mesh->pos[i];
        place(u, (double)at[3] / frame->layers, x);
        for (int k = 0; k < 3; ++k) {
            x[k] *= p->radius;
        }
        if (p->grading.block.line != 0) {
            brn_grading_ball(&p->grading, p->radius, x);
        }
    }
}

/* Surface nodes onto the sphere: mid-edge nodes, and the others to the last bit. */
static void round_surface(const sphere_params *p, brn_mesh *mesh)
{
    const brn_group *surface = brn_mesh_find_group(mesh, "surface");
    for (int i = 0; i < surface->nnode; ++i) {
        rescale(mesh->pos[surface->node[i]], p->radius);
    }
}

static brn_status fill(brn_ctx *ctx, const sphere_params *p, brn_hex_frame *frame, brn_mesh **out)
{
    BRN_TRY(brn_hex_frame_build(ctx, frame, out));
    place_nodes(p, frame, *out);
    BRN_TRY(brn_hex_frame_outer_group(frame, *out, "surface"));
    BRN_TRY(brn_hex_frame_convert(frame, *out, element_cell[p->element]));
    round_surface(p, *out);
    if (p->grading.block.line != 0) {
        brn_mesh_quality quality;
        brn_mesh_measure(*out, &quality);
        if (!(quality.worst > 0.0)) {
            return brn_fail(ctx, BRN_ERR_RANGE,
                            "%s.grading.ratio = %g: too strong for cells of this resolution",
                            brn_generate_path(&table, p), p->grading.ratio);
        }
    }
    return BRN_OK;
}

static brn_status generate(brn_ctx *ctx, const void *given, brn_mesh **out)
{
    const sphere_params *p = given;
    *out = NULL;
    BRN_TRY(brn_generate_check(ctx, &table, p));
    /* Edges along the core and along the sphere are about 1.2 and 1.57 radii over n. */
    const int n = brn_generate_parts(1.35 * p->radius, p->resolution, 2);
    const double shell = (1.0 - 0.5 * (core_middle + core_corner)) * p->radius;
    brn_hex_frame frame = {.n = {n, n, n}, .blown = {true, true, true}};
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
    const sphere_params *p = given;
    return 4.0 / 3.0 * M_PI * p->radius * p->radius * p->radius;
}

const brn_generator brn_generator_sphere = {&table, generate, volume};
