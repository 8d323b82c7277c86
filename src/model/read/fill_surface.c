#include "model/mesh_source.h"
brn_status brn_mesh_fill_surface(brn_ctx *ctx, const brn_mesh *surface, double resolution, brn_cell cell,
                                 brn_mesh **out)
{
    (void)surface;
    (void)resolution;
    (void)cell;
    *out = NULL;
    return brn_fail(ctx, BRN_ERR_MISSING, "built without gmsh");
}
