/* A rectangle of tri3 cells in the xy plane about the origin, for shells and 2D bodies. Alternating diagonals (the
   default) bend alike in both directions; cross has a node in the middle of each cell and the full symmetry of the
   square; slash has all diagonals parallel. */
#include "model/generate/generate.h"

typedef struct grid_params {
    brn_block block;
    brn_reals size; /* [m] */
    brn_ints cells;
    int pattern;
} grid_params;

static const char *const patterns[] = {"alternating", "cross", "slash", NULL}; /* as BRN_PATTERN_... */

static const brn_param params[] = {
    {.name = "size",
     .kind = BRN_REALS,
     .offset = offsetof(grid_params, size),
     .unit = "m",
     .required = true,
     .count = 2,
     .hi = INFINITY,
     .bounds = BRN_OPEN,
     .help = "edge lengths [x, y]"},
    {.name = "cells",
     .kind = BRN_INTS,
     .offset = offsetof(grid_params, cells),
     .unit = "1",
     .required = true,
     .count = 2,
     .lo = 1,
     .hi = BRN_GENERATE_CELLS_MAX,
     .help = "cells along each edge, each 2 or 4 triangles"},
    BRN_P_CHOICE(grid_params, pattern, BRN_PATTERN_ALTERNATING, patterns, "how a cell is cut into triangles"),
};

static const brn_table table = {
    .name = "grid",
    .help = "a rectangle of triangles in the xy plane about the origin; groups -x, +x, -y, +y",
    .size = sizeof(grid_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

static brn_status generate(brn_ctx *ctx, const void *given, brn_mesh **out)
{
    const grid_params *p = given;
    *out = NULL;
    BRN_TRY(brn_generate_check(ctx, &table, p));
    if (p->size.count != 2 || p->cells.count != 2) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.%s: needs 2 numbers", brn_generate_path(&table, p),
                        p->size.count != 2 ? "size" : "cells");
    }
    const int nx = p->cells.v[0], ny = p->cells.v[1];
    const double pieces = p->pattern == BRN_PATTERN_CROSS ? 4.0 : 2.0;
    BRN_TRY(brn_generate_limit(ctx, &table, p, "cells", pieces * nx * ny));
    double *x = NULL;
    BRN_ALLOC(ctx, x, (size_t)nx + (size_t)ny + 2);
    double *y = x + nx + 1;
    brn_grading_axis(p->size.v[0], nx, 0.0, 1.0, x);
    brn_grading_axis(p->size.v[1], ny, 0.0, 1.0, y);
    const brn_status status = brn_plane_lattice(ctx, x, nx, y, ny, p->pattern, out);
    brn_free(ctx, x);
    return status;
}

const brn_generator brn_generator_grid = {&table, generate, NULL};
