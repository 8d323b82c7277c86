/* A capsule about the origin: everything within the radius of a segment of the z axis, in 2D of the y axis. The segment
   with the radius about it touches: exactly round, however many triangles show it. */
#include "model/generate/generate.h"
#include "model/shapes/shape.h"

typedef struct capsule_params {
    brn_block block;
    double radius, height; /* [m] */
    int segments;
} capsule_params;

static const brn_param params[] = {
    BRN_P_LENGTH(capsule_params, radius, "radius of the straight part and of the ends"),
    BRN_P_LENGTH(capsule_params, height, "length of the straight part, along z, in 2D along y"),
    BRN_P_INT(capsule_params, segments, 32, 4, BRN_SEGMENTS_MOST,
              "edges around it as drawn; exactly round in contact"),
};

static const brn_table table = {
    .name = "capsule",
    .help = "a rod with round ends about the origin along z, in 2D along y; exactly round in contact",
    .size = sizeof(capsule_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

/* One end after the other, quarter * 2 + 1 points each: {across, along}. In 2D round the whole of it, counter-clockwise
   from the right of the upper end; in 3D the right half, from the lower pole to the upper one. */
static brn_status show(brn_ctx *ctx, const capsule_params *p, int dim, brn_mesh **out)
{
    const int quarter = (p->segments + 3) / 4;
    const int each = dim == 3 ? quarter + 1 : 2 * quarter + 1;
    double(*outline)[2] = NULL;
    BRN_ALLOC(ctx, outline, 2 * each);
    for (int i = 0; i < 2 * each; ++i) {
        const bool second = i >= each;
        const bool upper = dim == 3 ? second : !second;
        /* From the right of the circle upwards. */
        const double start = dim == 3 ? (second ? 0.0 : -0.5 * M_PI) : (second ? M_PI : 0.0);
        const double angle = start + 0.5 * M_PI * (i % each) / quarter;
        const bool pole = dim == 3 && (i == 0 || i == 2 * each - 1);
        outline[i][0] = pole ? 0.0 : p->radius * cos(angle);
        outline[i][1] = (upper ? 0.5 : -0.5) * p->height + p->radius * sin(angle);
    }
    const brn_status status =
        dim == 3 ? brn_shape_lathe(ctx, (const double(*)[2])outline, 2 * each, p->segments, 2, out)
                 : brn_shape_fan(ctx, (const double(*)[2])outline, 2 * each, 2, out);
    brn_free(ctx, outline);
    BRN_TRY(status);
    (*out)->pos[(*out)->nnode - 2][dim - 1] = -0.5 * p->height;
    (*out)->pos[(*out)->nnode - 1][dim - 1] = 0.5 * p->height;
    return BRN_OK;
}

static brn_status make(brn_ctx *ctx, const void *given, int dim, brn_shape_form *form)
{
    const capsule_params *p = given;
    *form = (brn_shape_form){
        .ncore = 2,
        .radius = p->radius,
        .primitive = {.kind = BRN_PRIMITIVE_CAPSULE, .dim = dim, .size = {p->radius, 0.5 * p->height}},
        .axes = BRN_SHAPE_UPRIGHT,
    };
    BRN_TRY(brn_generate_check(ctx, &table, p));
    BRN_TRY(
        brn_generate_limit(ctx, &table, p, "segments", p->segments * (dim == 3 ? (double)p->segments : 1.0)));
    return show(ctx, p, dim, &form->mesh);
}

const brn_shape brn_shape_capsule = {&table, make};
