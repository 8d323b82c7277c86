/* A sphere about the origin, in 2D a disc. What touches is its centre with the radius about it: exactly round, however
   many triangles show it. */
#include "model/generate/generate.h"
#include "model/shapes/shape.h"

typedef struct sphere_params {
    brn_block block;
    double radius; /* [m] */
    int segments;
} sphere_params;

static const brn_param params[] = {
    BRN_P_LENGTH(sphere_params, radius, "radius"),
    BRN_P_INT(sphere_params, segments, 32, 4, BRN_SEGMENTS_MOST,
              "edges around its equator as drawn; exactly round in contact"),
};

static const brn_table table = {
    .name = "sphere",
    .help = "a sphere about the origin, in 2D a disc; exactly round in contact",
    .size = sizeof(sphere_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

static brn_status show(brn_ctx *ctx, const sphere_params *p, int dim, brn_mesh **out)
{
    /* In 3D the meridian from pole to pole, in 2D the whole circle. */
    const int n = dim == 3 ? p->segments / 2 + 1 : p->segments;
    double(*outline)[2] = NULL;
    BRN_ALLOC(ctx, outline, n);
    for (int i = 0; i < n; ++i) {
        const double angle = dim == 3 ? M_PI * i / (n - 1) : 2.0 * M_PI * i / n;
        const bool pole = dim == 3 && (i == 0 || i == n - 1);
        outline[i][0] = pole ? 0.0 : p->radius * (dim == 3 ? sin(angle) : cos(angle));
        outline[i][1] = p->radius * (dim == 3 ? -cos(angle) : sin(angle));
    }
    const brn_status status = dim == 3
                                  ? brn_shape_lathe(ctx, (const double(*)[2])outline, n, p->segments, 1, out)
                                  : brn_shape_fan(ctx, (const double(*)[2])outline, n, 1, out);
    brn_free(ctx, outline);
    return status;
}

static brn_status make(brn_ctx *ctx, const void *given, int dim, brn_shape_form *form)
{
    const sphere_params *p = given;
    const double r = p->radius;
    *form = (brn_shape_form){
        .ncore = 1,
        .radius = r,
        .primitive = {.kind = BRN_PRIMITIVE_SPHERE, .dim = dim, .size = {r}},
        .axes = BRN_SHAPE_UPRIGHT,
    };
    BRN_TRY(brn_generate_check(ctx, &table, p));
    BRN_TRY(
        brn_generate_limit(ctx, &table, p, "segments", p->segments * (dim == 3 ? (double)p->segments : 1.0)));
    return show(ctx, p, dim, &form->mesh);
}

const brn_shape brn_shape_sphere = {&table, make};
