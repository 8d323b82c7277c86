/* A box about the origin: eight corners, twelve triangles; in 2D a rectangle. Its surface touches. */
#include "model/generate/generate.h"
#include "model/shapes/shape.h"
#include "scene/scene.h"

typedef struct box_params {
    brn_block block;
    brn_reals size; /* [m] */
} box_params;

static const brn_param params[] = {
    {.name = "size",
     .kind = BRN_REALS,
     .offset = offsetof(box_params, size),
     .unit = "m",
     .required = true,
     .hi = INFINITY,
     .bounds = BRN_OPEN,
     .help = "edge lengths, [x, y, z] or [x, y] in 2D"},
};

static void check(brn_scene *scene, int dimension, const void *value)
{
    const box_params *p = value;
    if (p->size.count != dimension) {
        brn_scene_add_problem(scene, p->block.path, "size: needs %d numbers in %dD, found %d", dimension,
                              dimension, p->size.count);
    }
}

static const brn_table table = {
    .name = "box",
    .help = "a box about the origin",
    .size = sizeof(box_params),
    .params = params,
    .nparams = BRN_COUNT(params),
    .check = check,
};

/* Corner c has its coordinates from the bits of c: x, y, z. */
static const int faces[12][3] = {
    {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5},
};
static const int halves[2][3] = {{0, 1, 3}, {0, 3, 2}};

static brn_status make(brn_ctx *ctx, const void *given, int dim, brn_shape_form *form)
{
    const box_params *p = given;
    *form = (brn_shape_form){.primitive = {.kind = BRN_PRIMITIVE_BOX, .dim = dim}, .axes = BRN_SHAPE_UPRIGHT};
    BRN_TRY(brn_generate_check(ctx, &table, p));
    if (p->size.count < dim) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.size: needs %d numbers, got %d", brn_generate_path(&table, p),
                        dim, p->size.count);
    }
    BRN_TRY(brn_mesh_create(ctx, dim == 3 ? 8 : 4, &form->mesh));
    const int ntri = dim == 3 ? 12 : 2;
    const brn_status status = brn_mesh_alloc_cells(form->mesh, BRN_TRI3, ntri);
    if (status < 0) {
        brn_mesh_destroy(form->mesh);
        form->mesh = NULL;
        return status;
    }
    for (int c = 0; c < form->mesh->nnode; ++c) {
        for (int i = 0; i < dim; ++i) {
            form->mesh->pos[c][i] = (c >> i & 1 ? 0.5 : -0.5) * p->size.v[i];
        }
    }
    for (int t = 0; t < ntri; ++t) {
        for (int k = 0; k < 3; ++k) {
            form->mesh->cell[BRN_TRI3][3 * t + k] = dim == 3 ? faces[t][k] : halves[t][k];
        }
    }
    for (int i = 0; i < dim; ++i) {
        form->primitive.size[i] = 0.5 * p->size.v[i];
    }
    return BRN_OK;
}

const brn_shape brn_shape_box = {&table, make};
