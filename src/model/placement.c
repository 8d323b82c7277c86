#include "model/placement.h"

#include "base/os.h"
#include "linalg/dense.h"
#include "model/mesh_source.h"

#include <string.h>

static const double DEGREE = 3.14159265358979323846 / 180.0;

void brn_placement_rotation(brn_scene *scene, const brn_blocks *list, int dim, double out[9])
{
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(out, identity, sizeof identity);
    const brn_rotation_def *rotations = list->items;
    const double z[3] = {0.0, 0.0, 1.0};
    for (int n = 0; n < list->count; ++n) {
        double r[9];
        double product[9];
        if (!brn_dense_rotation(dim == 3 ? rotations[n].axis : z, rotations[n].degrees * DEGREE, r)) {
            brn_scene_add_problem(scene, rotations[n].block.path, "axis: must not be zero");
            return;
        }
        brn_dense_multiply3(r, out, product);
        memcpy(out, product, sizeof product);
    }
}

/* Reads a file named relative to the scene's folder. */
static brn_status read_beside(brn_scene *scene, brn_ctx *ctx, const char *name, brn_mesh **out)
{
    char *path = brn_path_beside(ctx, brn_scene_file(scene), name);
    if (path == NULL) {
        return BRN_ERR_MEMORY;
    }
    const brn_status status = brn_mesh_read(ctx, path, out);
    brn_free(ctx, path);
    return status;
}

/* One number for all axes, or one an axis (two in 2D). */
static void scale_of(const brn_mesh_def *def, double scale[3])
{
    for (int i = 0; i < 3; ++i) {
        scale[i] = def->scale.count == 1 ? def->scale.v[0] : i < def->scale.count ? def->scale.v[i] : 1.0;
    }
}

/* A surface is scaled before it is filled, so that the resolution is a length of the scene. */
static brn_status fill(const brn_mesh_def *def, brn_ctx *ctx, brn_mesh *surface, brn_mesh **out)
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double here[3] = {0.0, 0.0, 0.0};
    double scale[3];
    scale_of(def, scale);
    brn_mesh_transform(surface, scale, identity, here);
    return brn_mesh_fill_surface(ctx, surface, def->resolution, def->element == 0 ? BRN_TET4 : BRN_TET10,
                                 out);
}

static brn_status make(brn_scene *scene, const brn_mesh_def *def, brn_ctx *ctx, brn_mesh **out)
{
    if (def->generator.table != NULL) {
        return brn_generator_of_table(def->generator.table)->generate(ctx, def->generator.value, out);
    }
    if (def->file != NULL) {
        return read_beside(scene, ctx, def->file, out);
    }
    brn_mesh *surface = NULL;
    BRN_TRY(read_beside(scene, ctx, def->surface, &surface));
    const brn_status status = fill(def, ctx, surface, out);
    brn_mesh_destroy(surface);
    return status;
}

brn_status brn_placement_mesh(brn_scene *scene, const brn_mesh_def *def, brn_ctx *ctx, brn_mesh **out)
{
    *out = NULL;
    brn_status status = make(scene, def, ctx, out);
    if (status >= 0) {
        double scale[3] = {1.0, 1.0, 1.0};
        double rotation[9];
        if (def->surface == NULL) {
            scale_of(def, scale);
        }
        brn_placement_rotation(scene, &def->rotation, brn_scene_get_def(scene)->dimension, rotation);
        brn_mesh_transform(*out, scale, rotation, def->position);
    }
    if (status >= 0 && def->merge >= 0.0) {
        status = brn_mesh_clean(*out, def->merge);
    }
    if (status < 0) {
        brn_mesh_destroy(*out);
        *out = NULL;
        if (status != BRN_ERR_MEMORY && status != BRN_ERR_CANCELLED) {
            brn_scene_add_problem(scene, def->block.path, "%s", brn_ctx_message(ctx));
            status = BRN_OK;
        }
    }
    return status;
}
