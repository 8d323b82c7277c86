/* A cylinder about the origin along z: a prism whose edges lie on the circle. The prism touches, so that a cylinder rolls
   over edges; its mass is that of the round one. */
#include "model/generate/generate.h"
#include "model/shapes/shape.h"
#include "scene/scene.h"

typedef struct cylinder_params {
    brn_block block;
    double radius, height; /* [m] */
    int segments;
} cylinder_params;

static const brn_param params[] = {
    BRN_P_LENGTH(cylinder_params, radius, "radius of the circle on which the prism's edges lie"),
    BRN_P_LENGTH(cylinder_params, height, "length along z"),
    BRN_P_INT(cylinder_params, segments, 48, BRN_SEGMENTS_LEAST, BRN_SEGMENTS_MOST, "sides of the prism"),
};

static void check(brn_scene *scene, int dimension, const void *value)
{
    const cylinder_params *p = value;
    if (dimension == 2) {
        brn_scene_add_problem(scene, p->block.path,
                              "a 2D scene has no cylinder: take sphere (a disc), capsule or box");
    }
}

static const brn_table table = {
    .name = "cylinder",
    .help = "a cylinder about the origin along z, in contact a prism of many sides; 3D only",
    .size = sizeof(cylinder_params),
    .params = params,
    .nparams = BRN_COUNT(params),
    .check = check,
};

static brn_status make(brn_ctx *ctx, const void *given, int dim, brn_shape_form *form)
{
    const cylinder_params *p = given;
    const double r = p->radius;
    const double h = p->height;
    *form = (brn_shape_form){
        .primitive = {.kind = BRN_PRIMITIVE_CYLINDER, .dim = dim, .size = {r, 0.5 * h}},
        .axes = BRN_SHAPE_UPRIGHT,
    };
    BRN_TRY(brn_generate_check(ctx, &table, p));
    if (dim != 3) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s: a 2D scene has no cylinder", brn_generate_path(&table, p));
    }
    const double profile[4][2] = {{0.0, -0.5 * h}, {r, -0.5 * h}, {r, 0.5 * h}, {0.0, 0.5 * h}};
    return brn_shape_lathe(ctx, profile, 4, p->segments, 0, &form->mesh);
}

const brn_shape brn_shape_cylinder = {&table, make};
