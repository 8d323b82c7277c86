#include "model/shapes/shape.h"

#include <string.h>

#define SHAPE(name) extern const brn_shape brn_shape_##name;
#include "model/shapes/shapes.def"
#undef SHAPE

static const brn_shape *const shapes[] = {
#define SHAPE(name) &brn_shape_##name,
#include "model/shapes/shapes.def"
#undef SHAPE
};

int brn_shape_count(void)
{
    return BRN_COUNT(shapes);
}

const brn_shape *brn_shape_get(int index)
{
    return index >= 0 && index < BRN_COUNT(shapes) ? shapes[index] : NULL;
}

const brn_shape *brn_shape_of_table(const brn_table *table)
{
    for (int i = 0; i < BRN_COUNT(shapes); ++i) {
        if (shapes[i]->table == table) {
            return shapes[i];
        }
    }
    return NULL;
}

static brn_status make_mesh(brn_ctx *ctx, int nnode, int ntri, brn_mesh **out)
{
    BRN_TRY(brn_mesh_create(ctx, nnode, out));
    const brn_status status = brn_mesh_alloc_cells(*out, BRN_TRI3, ntri);
    if (status < 0) {
        brn_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}

static int *put_triangle(int *tri, int a, int b, int c)
{
    tri[0] = a;
    tri[1] = b;
    tri[2] = c;
    return tri + 3;
}

/* Node 0 is the lower end, 1 the upper one, then ring after ring upwards. */
brn_status brn_shape_lathe(brn_ctx *ctx, const double (*profile)[2], int n, int segments, int ncore,
                           brn_mesh **out)
{
    const int rings = n - 2;
    BRN_TRY(make_mesh(ctx, 2 + rings * segments + ncore, 2 * rings * segments, out));
    brn_mesh *mesh = *out;
    mesh->pos[0][2] = profile[0][1];
    mesh->pos[1][2] = profile[n - 1][1];
    for (int j = 0; j < rings; ++j) {
        for (int i = 0; i < segments; ++i) {
            const double angle = 2.0 * M_PI * i / segments;
            double *x = mesh->pos[2 + j * segments + i];
            x[0] = profile[j + 1][0] * cos(angle);
            x[1] = profile[j + 1][0] * sin(angle);
            x[2] = profile[j + 1][1];
        }
    }
    int *tri = mesh->cell[BRN_TRI3];
    const int top = 2 + (rings - 1) * segments;
    for (int i = 0; i < segments; ++i) {
        const int next = (i + 1) % segments;
        tri = put_triangle(tri, 0, 2 + next, 2 + i);
        tri = put_triangle(tri, 1, top + i, top + next);
        for (int j = 0; j + 1 < rings; ++j) {
            const int low = 2 + j * segments;
            const int high = low + segments;
            tri = put_triangle(tri, low + i, low + next, high + next);
            tri = put_triangle(tri, low + i, high + next, high + i);
        }
    }
    return BRN_OK;
}

brn_status brn_shape_fan(brn_ctx *ctx, const double (*outline)[2], int n, int ncore, brn_mesh **out)
{
    BRN_TRY(make_mesh(ctx, 1 + n + ncore, n, out));
    int *tri = (*out)->cell[BRN_TRI3];
    for (int i = 0; i < n; ++i) {
        (*out)->pos[1 + i][0] = outline[i][0];
        (*out)->pos[1 + i][1] = outline[i][1];
        tri = put_triangle(tri, 0, 1 + i, 1 + (i + 1) % n);
    }
    return BRN_OK;
}

/* Sets a number of a shape's struct by its key. */
static void set_real(const brn_table *table, void *value, const char *key, double number)
{
    const brn_param *param = brn_table_find(table, key);
    memcpy((char *)value + param->offset, &number, sizeof number);
}

brn_status brn_shape_of_primitive(brn_ctx *ctx, const brn_primitive *primitive, brn_shape_form *form)
{
    static const struct {
        const char *name, *key[2];
        double factor[2];
    } kinds[] = {
        [BRN_PRIMITIVE_PLANE] = {"plane", {NULL}, {0}},
        [BRN_PRIMITIVE_SPHERE] = {"sphere", {"radius"}, {1.0}},
        [BRN_PRIMITIVE_BOX] = {"box", {NULL}, {0}},
        [BRN_PRIMITIVE_CYLINDER] = {"cylinder", {"radius", "height"}, {1.0, 2.0}},
        [BRN_PRIMITIVE_CAPSULE] = {"capsule", {"radius", "height"}, {1.0, 2.0}},
    };
    const brn_shape *shape = NULL;
    for (int i = 0; i < BRN_COUNT(shapes); ++i) {
        shape = strcmp(shapes[i]->table->name, kinds[primitive->kind].name) == 0 ? shapes[i] : shape;
    }
    void *value = brn_calloc(ctx, 1, shape->table->size);
    if (value == NULL) {
        return BRN_ERR_MEMORY;
    }
    double edges[3];
    brn_table_defaults(shape->table, value);
    for (int k = 0; k < 2 && kinds[primitive->kind].key[k] != NULL; ++k) {
        set_real(shape->table, value, kinds[primitive->kind].key[k],
                 kinds[primitive->kind].factor[k] * primitive->size[k]);
    }
    if (primitive->kind == BRN_PRIMITIVE_BOX) {
        const brn_reals size = {primitive->dim, edges};
        for (int k = 0; k < 3; ++k) {
            edges[k] = 2.0 * primitive->size[k];
        }
        memcpy((char *)value + brn_table_find(shape->table, "size")->offset, &size, sizeof size);
    }
    const brn_status status = shape->make(ctx, value, primitive->dim, form);
    brn_free(ctx, value);
    return status;
}
