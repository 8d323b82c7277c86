/* A disc in the xy plane about the origin: rings of 6, 12, 18, ... equally spaced nodes, which give nearly equilateral
   triangles throughout. Rim nodes, mid-edge ones too, lie on the circle. Between rings r - 1 and r each of six sectors
   has r triangles that stand on the outer ring and r - 1 that stand on the inner one. */
#include "model/generate/generate.h"

typedef struct disc_params {
    brn_block block;
    double radius, resolution; /* [m] */
    int element;
} disc_params;

static const char *const elements[] = {"tri3", "tri6", NULL};

static const brn_param params[] = {
    BRN_P_LENGTH(disc_params, radius, "radius"),
    BRN_P_LENGTH(disc_params, resolution, "typical edge length"),
    BRN_P_CHOICE(disc_params, element, 0, elements, "kind of element"),
};

static const brn_table table = {
    .name = "disc",
    .help = "a disc in the xy plane about the origin; group rim",
    .size = sizeof(disc_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

/* Number of node i of a ring (counted round and round). */
static int ring_node(int ring, int i)
{
    return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + i % (6 * ring);
}

static void place_nodes(const disc_params *p, int rings, brn_mesh *mesh)
{
    for (int r = 1; r <= rings; ++r) {
        for (int i = 0; i < 6 * r; ++i) {
            const double angle = 2.0 * M_PI * i / (6.0 * r), radius = p->radius * ((double)r / rings);
            double *x = mesh->pos[ring_node(r, i)];
            x[0] = radius * cos(angle);
            x[1] = radius * sin(angle);
        }
    }
}

static void connect(int rings, brn_mesh *mesh)
{
    int *tri = mesh->cell[BRN_TRI3];
    for (int r = 1; r <= rings; ++r) {
        for (int sector = 0; sector < 6; ++sector) {
            for (int i = 0; i < r; ++i) {
                const int outer = sector * r + i, inner = sector * (r - 1) + i;
                *tri++ = ring_node(r, outer);
                *tri++ = ring_node(r, outer + 1);
                *tri++ = ring_node(r - 1, inner);
                if (i + 1 < r) {
                    *tri++ = ring_node(r - 1, inner);
                    *tri++ = ring_node(r, outer + 1);
                    *tri++ = ring_node(r - 1, inner + 1);
                }
            }
        }
    }
}

static brn_status add_rim(int rings, brn_mesh *mesh)
{
    unsigned char *marked = NULL;
    BRN_ALLOC(mesh->ctx, marked, mesh->nnode);
    for (int i = 0; i < 6 * rings; ++i) {
        marked[ring_node(rings, i)] = 1;
    }
    const brn_status status = brn_generate_group(mesh, "rim", marked);
    brn_free(mesh->ctx, marked);
    return status;
}

static void round_rim(const disc_params *p, brn_mesh *mesh)
{
    const brn_group *rim = brn_mesh_find_group(mesh, "rim");
    for (int i = 0; i < rim->nnode; ++i) {
        double *x = mesh->pos[rim->node[i]];
        const double scale = p->radius / hypot(x[0], x[1]);
        x[0] *= scale;
        x[1] *= scale;
    }
}

static brn_status fill(const disc_params *p, int rings, brn_mesh *mesh)
{
    BRN_TRY(brn_mesh_alloc_cells(mesh, BRN_TRI3, 6 * rings * rings));
    place_nodes(p, rings, mesh);
    connect(rings, mesh);
    BRN_TRY(add_rim(rings, mesh));
    if (p->element == 1) {
        BRN_TRY(brn_mesh_raise_order(mesh));
        round_rim(p, mesh);
    }
    return BRN_OK;
}

static brn_status generate(brn_ctx *ctx, const void *given, brn_mesh **out)
{
    const disc_params *p = given;
    *out = NULL;
    BRN_TRY(brn_generate_check(ctx, &table, p));
    const int rings = brn_generate_parts(p->radius, p->resolution, 1);
    BRN_TRY(brn_generate_limit(ctx, &table, p, "resolution", 6.0 * rings * rings));
    BRN_TRY(brn_mesh_create(ctx, 1 + 3 * rings * (rings + 1), out));
    const brn_status status = fill(p, rings, *out);
    if (status < 0) {
        brn_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}

static double volume(const void *given)
{
    const disc_params *p = given;
    return M_PI * p->radius * p->radius;
}

const brn_generator brn_generator_disc = {&table, generate, volume};
