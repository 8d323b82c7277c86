/* Equal cubes where a mask is set, centred at the origin (the mask's lattice, not its solid part). A layer is a text of
   rows separated by '/', '#' or '1' solid, '.' or '0' empty: a picture seen from above, x to the right, y upwards, so the
   first row has the largest y. Layers go from the lowest z to the highest. */
#include "model/generate/generate.h"

#include <string.h>

typedef struct voxel_params {
    brn_block block;
    double cell; /* [m] */
    brn_texts layers;
    int element;
} voxel_params;

static const char *const elements[] = {"hex8", "hex20", "tet4", "tet10", NULL};
static const brn_cell element_cell[] = {BRN_HEX8, BRN_HEX20, BRN_TET4, BRN_TET10};

static const brn_param params[] = {
    BRN_P_LENGTH(voxel_params, cell, "edge length of a cube"),
    {.name = "layers",
     .kind = BRN_TEXTS,
     .offset = offsetof(voxel_params, layers),
     .required = true,
     .help =
         "one text a z layer, lowest first: rows of # (solid) and . (empty) separated by /, top row first"},
    BRN_P_CHOICE(voxel_params, element, 0, elements, "kind of element"),
};

static const brn_table table = {
    .name = "voxel",
    .help = "equal cubes where a mask of text rows is set; groups -x, +x, ... on the solid's bounding box",
    .size = sizeof(voxel_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

typedef struct voxel_work {
    brn_ctx *ctx;
    const voxel_params *p;
    int nsolid;
    brn_voxels voxels;
} voxel_work;

/* Size of the mask from its first layer. */
static brn_status measure(voxel_work *w)
{
    const brn_texts *layers = &w->p->layers;
    const char *path = brn_generate_path(&table, w->p);
    if (layers->count < 1) {
        return brn_fail(w->ctx, BRN_ERR_RANGE, "%s.layers: at least one layer is needed", path);
    }
    const char *text = layers->v[0];
    const double nx = (double)strcspn(text, "/");
    double ny = 1.0;
    for (; *text != '\0'; ++text) {
        ny += *text == '/';
    }
    const double cells = nx * ny * layers->count * brn_hex_pieces(element_cell[w->p->element]);
    BRN_TRY(brn_generate_limit(w->ctx, &table, w->p, "layers", fmax(cells, fmax(nx, ny))));
    if (!(nx >= 1.0)) {
        return brn_fail(w->ctx, BRN_ERR_RANGE, "%s.layers[0]: the first row is empty", path);
    }
    w->voxels.n[0] = (int)nx;
    w->voxels.n[1] = (int)ny;
    w->voxels.n[2] = layers->count;
    return BRN_OK;
}

static brn_status read_layer(voxel_work *w, int k)
{
    const char *path = brn_generate_path(&table, w->p), *text = w->p->layers.v[k];
    for (int row = 0; row < w->voxels.n[1]; ++row) {
        for (int i = 0; i < w->voxels.n[0]; ++i, ++text) {
            const bool full = *text == '#' || *text == '1', empty = *text == '.' || *text == '0';
            if (*text == '\0' || *text == '/') {
                return brn_fail(w->ctx, BRN_ERR_RANGE, "%s.layers[%d]: row %d has %d cells, expected %d",
                                path, k, row, i, w->voxels.n[0]);
            }
            if (!full && !empty) {
                return brn_fail(w->ctx, BRN_ERR_RANGE, "%s.layers[%d]: row %d has a '%c', expected # or .",
                                path, k, row, *text);
            }
            const size_t j = (size_t)(w->voxels.n[1] - 1 - row);
            w->voxels.part[((size_t)k * (size_t)w->voxels.n[1] + j) * (size_t)w->voxels.n[0] + (size_t)i] =
                full;
            w->nsolid += full;
        }
        const char end = row + 1 < w->voxels.n[1] ? '/' : '\0';
        if (*text != end) {
            return brn_fail(
                w->ctx, BRN_ERR_RANGE, "%s.layers[%d]: %s after row %d, expected %d rows of %d cells", path,
                k, *text == '\0' ? "nothing comes" : "more comes", row, w->voxels.n[1], w->voxels.n[0]);
        }
        text += end != '\0';
    }
    return BRN_OK;
}

static brn_status build(voxel_work *w, brn_mesh **out)
{
    brn_voxels *v = &w->voxels;
    BRN_TRY(measure(w));
    BRN_ALLOC(w->ctx, v->part, (size_t)v->n[0] * (size_t)v->n[1] * (size_t)v->n[2]);
    for (int k = 0; k < v->n[2]; ++k) {
        BRN_TRY(read_layer(w, k));
    }
    if (w->nsolid == 0) {
        return brn_fail(w->ctx, BRN_ERR_RANGE, "%s.layers: no cell is solid",
                        brn_generate_path(&table, w->p));
    }
    for (int a = 0; a < 3; ++a) {
        BRN_ALLOC(w->ctx, v->plane[a], (size_t)v->n[a] + 1);
        for (int i = 0; i <= v->n[a]; ++i) {
            v->plane[a][i] = w->p->cell * (i - 0.5 * v->n[a]);
        }
    }
    BRN_TRY(brn_voxels_build(w->ctx, v, out));
    return brn_voxels_convert(v, *out, element_cell[w->p->element]);
}

static brn_status generate(brn_ctx *ctx, const void *given, brn_mesh **out)
{
    voxel_work w = {.ctx = ctx, .p = given};
    *out = NULL;
    BRN_TRY(brn_generate_check(ctx, &table, given));
    const brn_status status = build(&w, out);
    brn_voxels_free(ctx, &w.voxels);
    if (status < 0) {
        brn_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}

const brn_generator brn_generator_voxel = {&table, generate, NULL};
