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
    int n[3]; /* lattice cells */
    int nsolid;
    unsigned char *solid;  /* [nz][ny][nx] */
    int *number;           /* [nz + 1][ny + 1][nx + 1] node numbers, -1 unused */
    int (*index)[3];       /* [nnode] */
    int low[3], high[3];   /* node indices of the solid's bounding box */
    unsigned char *marked; /* [nnode] colours, then group membership */
    brn_mesh *mesh;
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
    w->n[0] = (int)nx;
    w->n[1] = (int)ny;
    w->n[2] = layers->count;
    return BRN_OK;
}

static brn_status read_layer(voxel_work *w, int k)
{
    const char *path = brn_generate_path(&table, w->p), *text = w->p->layers.v[k];
    for (int row = 0; row < w->n[1]; ++row) {
        for (int i = 0; i < w->n[0]; ++i, ++text) {
            const bool full = *text == '#' || *text == '1', empty = *text == '.' || *text == '0';
            if (*text == '\0' || *text == '/') {
                return brn_fail(w->ctx, BRN_ERR_RANGE, "%s.layers[%d]: row %d has %d cells, expected %d",
                                path, k, row, i, w->n[0]);
            }
            if (!full && !empty) {
                return brn_fail(w->ctx, BRN_ERR_RANGE, "%s.layers[%d]: row %d has a '%c', expected # or .",
                                path, k, row, *text);
            }
            const size_t j = (size_t)(w->n[1] - 1 - row);
            w->solid[((size_t)k * (size_t)w->n[1] + j) * (size_t)w->n[0] + (size_t)i] = full;
            w->nsolid += full;
        }
        const char end = row + 1 < w->n[1] ? '/' : '\0';
        if (*text != end) {
            return brn_fail(w->ctx, BRN_ERR_RANGE,
                            "%s.layers[%d]: %s after row %d, expected %d rows of %d cells", path, k,
                            *text == '\0' ? "nothing comes" : "more comes", row, w->n[1], w->n[0]);
        }
        text += end != '\0';
    }
    return BRN_OK;
}

static size_t lattice_node(const voxel_work *w, int i, int j, int k)
{
    return ((size_t)k * (size_t)(w->n[1] + 1) + (size_t)j) * (size_t)(w->n[0] + 1) + (size_t)i;
}

/* Corners of cube c in the order of hex8. */
static void cube_nodes(const voxel_work *w, size_t c, size_t out[8])
{
    const int i = (int)(c % (size_t)w->n[0]), j = (int)(c / (size_t)w->n[0] % (size_t)w->n[1]);
    const int k = (int)(c / (size_t)w->n[0] / (size_t)w->n[1]);
    static const int step[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int v = 0; v < 8; ++v) {
        out[v] = lattice_node(w, i + step[v % 4][0], j + step[v % 4][1], k + v / 4);
    }
}

/* Numbers the nodes that solid cubes use, in lattice order; returns how many. */
static int number_nodes(voxel_work *w)
{
    const size_t nlattice = lattice_node(w, w->n[0], w->n[1], w->n[2]) + 1;
    const size_t ncube = (size_t)w->n[0] * (size_t)w->n[1] * (size_t)w->n[2];
    for (size_t c = 0; c < ncube; ++c) {
        size_t node[8];
        cube_nodes(w, c, node);
        for (int v = 0; w->solid[c] && v < 8; ++v) {
            w->number[node[v]] = 1;
        }
    }
    int count = 0;
    for (size_t i = 0; i < nlattice; ++i) {
        w->number[i] = w->number[i] ? count++ : -1;
    }
    return count;
}

static void write_nodes(voxel_work *w)
{
    for (int a = 0; a < 3; ++a) {
        w->low[a] = w->n[a];
    }
    size_t at = 0;
    for (int k = 0; k <= w->n[2]; ++k) {
        for (int j = 0; j <= w->n[1]; ++j) {
            for (int i = 0; i <= w->n[0]; ++i, ++at) {
                const int node = w->number[at], index[3] = {i, j, k};
                for (int a = 0; node >= 0 && a < 3; ++a) {
                    w->index[node][a] = index[a];
                    w->mesh->pos[node][a] = w->p->cell * (index[a] - 0.5 * w->n[a]);
                    w->low[a] = index[a] < w->low[a] ? index[a] : w->low[a];
                    w->high[a] = index[a] > w->high[a] ? index[a] : w->high[a];
                }
            }
        }
    }
}

static void write_cells(voxel_work *w)
{
    const size_t ncube = (size_t)w->n[0] * (size_t)w->n[1] * (size_t)w->n[2];
    int *hex = w->mesh->cell[BRN_HEX8];
    for (size_t c = 0; c < ncube; ++c) {
        size_t node[8];
        cube_nodes(w, c, node);
        for (int v = 0; w->solid[c] && v < 8; ++v) {
            *hex++ = w->number[node[v]];
        }
    }
}

static brn_status add_groups(voxel_work *w)
{
    static const char *const names[3][2] = {{"-x", "+x"}, {"-y", "+y"}, {"-z", "+z"}};
    for (int a = 0; a < 3; ++a) {
        for (int upper = 0; upper < 2; ++upper) {
            for (int i = 0; i < w->mesh->nnode; ++i) {
                w->marked[i] = w->index[i][a] == (upper ? w->high[a] : w->low[a]);
            }
            BRN_TRY(brn_generate_group(w->mesh, names[a][upper], w->marked));
        }
    }
    return BRN_OK;
}

static brn_status build(voxel_work *w)
{
    BRN_TRY(measure(w));
    BRN_ALLOC(w->ctx, w->solid, (size_t)w->n[0] * (size_t)w->n[1] * (size_t)w->n[2]);
    for (int k = 0; k < w->n[2]; ++k) {
        BRN_TRY(read_layer(w, k));
    }
    if (w->nsolid == 0) {
        return brn_fail(w->ctx, BRN_ERR_RANGE, "%s.layers: no cell is solid",
                        brn_generate_path(&table, w->p));
    }
    BRN_ALLOC(w->ctx, w->number, lattice_node(w, w->n[0], w->n[1], w->n[2]) + 1);
    const int nnode = number_nodes(w);
    BRN_ALLOC(w->ctx, w->index, nnode);
    BRN_ALLOC(w->ctx, w->marked, nnode);
    BRN_TRY(brn_mesh_create(w->ctx, nnode, &w->mesh));
    BRN_TRY(brn_mesh_alloc_cells(w->mesh, BRN_HEX8, w->nsolid));
    write_nodes(w);
    write_cells(w);
    BRN_TRY(add_groups(w));
    for (int i = 0; i < nnode; ++i) {
        w->marked[i] = (unsigned char)((w->index[i][0] + w->index[i][1] + w->index[i][2]) & 1);
    }
    return brn_hex_convert(w->mesh, w->marked, element_cell[w->p->element]);
}

static brn_status generate(brn_ctx *ctx, const void *given, brn_mesh **out)
{
    voxel_work w = {.ctx = ctx, .p = given};
    *out = NULL;
    BRN_TRY(brn_generate_check(ctx, &table, given));
    const brn_status status = build(&w);
    brn_free(ctx, w.solid);
    brn_free(ctx, w.number);
    brn_free(ctx, w.index);
    brn_free(ctx, w.marked);
    if (status < 0) {
        brn_mesh_destroy(w.mesh);
        return status;
    }
    *out = w.mesh;
    return BRN_OK;
}

const brn_generator brn_generator_voxel = {&table, generate, NULL};
