/* A half-space: everything below a plane through the origin. A square patch of it (a line in 2D) is shown; what touches is
   the whole plane, beyond the patch too. */
#include "linalg/dense.h"
#include "model/shapes/shape.h"
#include "scene/scene.h"

#include <string.h>

typedef struct plane_params {
    brn_block block;
    brn_reals normal; /* none: upwards */
    double size;      /* [m] */
} plane_params;

static const brn_param params[] = {
    {.name = "normal",
     .kind = BRN_REALS,
     .offset = offsetof(plane_params, normal),
     .unit = "1",
     .help = "away from the solid side, of any length; +z by default, in 2D +y"},
    BRN_P_REAL(plane_params, size, "m", NAN, 0.0, INFINITY, BRN_OPEN,
               "width of the square shown; not given: six times as far as the other bodies reach"),
};

static void check(brn_scene *scene, int dimension, const void *value)
{
    const plane_params *p = value;
    if (p->normal.count != 0 && p->normal.count != dimension) {
        brn_scene_add_problem(scene, p->block.path, "normal: needs %d numbers in %dD, found %d", dimension,
                              dimension, p->normal.count);
    } else if (p->normal.count != 0 && !(brn_dense_length3(p->normal.v) > 0.0)) {
        brn_scene_add_problem(scene, p->block.path, "normal: must not be zero");
    }
}

static const brn_table table = {
    .name = "plane",
    .help = "an unbounded half-space: solid below the plane through the origin, on the side away from its "
            "normal",
    .size = sizeof(plane_params),
    .params = params,
    .nparams = BRN_COUNT(params),
    .check = check,
};

/* The last axis is the normal. */
static void set_axes(const double n[3], int dim, double axes[9])
{
    double u[3] = {n[1], -n[0], 0.0};
    double v[3] = {n[0], n[1], 0.0};
    double w[3] = {0.0, 0.0, 1.0};
    if (dim == 3) {
        brn_dense_across3(n, u, v);
        memcpy(w, n, sizeof w);
    }
    for (int i = 0; i < 3; ++i) {
        axes[3 * i] = u[i];
        axes[3 * i + 1] = v[i];
        axes[3 * i + 2] = w[i];
    }
}

static void place_patch(const double n[3], double half, brn_mesh *mesh)
{
    static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    static const int tri[6] = {0, 1, 2, 0, 2, 3};
    double u[3];
    double v[3];
    brn_dense_across3(n, u, v);
    for (int a = 0; a < 4; ++a) {
        for (int i = 0; i < 3; ++i) {
            mesh->pos[a][i] = half * (corner[a][0] * u[i] + corner[a][1] * v[i]);
        }
    }
    memcpy(mesh->cell[BRN_TRI3], tri, sizeof tri);
}

/* 0 -> 1 has the normal on its left. The cell runs the other way, solid on its left as in every plane body. */
static void place_line(const double n[3], double half, brn_mesh *mesh)
{
    const double along[2] = {n[1], -n[0]};
    for (int i = 0; i < 2; ++i) {
        mesh->pos[0][i] = -half * along[i];
        mesh->pos[1][i] = half * along[i];
    }
    mesh->cell[BRN_EDGE2][0] = 1;
    mesh->cell[BRN_EDGE2][1] = 0;
}

static brn_status make(brn_ctx *ctx, const void *given, int dim, brn_shape_form *form)
{
    const plane_params *p = given;
    *form = (brn_shape_form){
        .half_space = true,
        .fit = isnan(p->size),
        .primitive = {.kind = BRN_PRIMITIVE_PLANE, .dim = dim},
    };
    double n[3] = {0.0, dim == 2 ? 1.0 : 0.0, dim == 2 ? 0.0 : 1.0};
    const double length = p->normal.count > 0 ? brn_dense_length3(p->normal.v) : 1.0;
    for (int i = 0; i < 3 && p->normal.count > 0; ++i) {
        n[i] = i < p->normal.count ? p->normal.v[i] / length : 0.0;
    }
    set_axes(n, dim, form->axes);
    BRN_TRY(brn_mesh_create(ctx, dim == 3 ? 4 : 2, &form->mesh));
    const brn_status status =
        brn_mesh_alloc_cells(form->mesh, dim == 3 ? BRN_TRI3 : BRN_EDGE2, dim == 3 ? 2 : 1);
    if (status < 0) {
        brn_mesh_destroy(form->mesh);
        form->mesh = NULL;
        return status;
    }
    (dim == 3 ? place_patch : place_line)(n, form->fit ? 1.0 : 0.5 * p->size, form->mesh);
    return BRN_OK;
}

const brn_shape brn_shape_plane = {&table, make};
