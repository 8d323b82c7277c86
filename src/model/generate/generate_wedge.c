/* A knife: a triangle in the yz plane, its sharp corner up, drawn along x. The triangle is cut into across^2 similar ones,
   and each prism between two layers of them into three tets whose diagonals run from lower to higher node numbers of the
   layer, so that neighbours agree. */
#include "model/generate/generate.h"

typedef struct wedge_params {
    brn_block block;
    brn_reals size; /* [m] */
    int along, across;
    int element;
} wedge_params;

static const char *const elements[] = {"tet4", "tet10", NULL};

static const brn_param params[] = {
    {.name = "size",
     .kind = BRN_REALS,
     .offset = offsetof(wedge_params, size),
     .unit = "m",
     .required = true,
     .hi = INFINITY,
     .bounds = BRN_OPEN,
     .count = 3,
     .help = "length along x, width of the back along y, height along z"},
    BRN_P_INT(wedge_params, along, 1, 1, BRN_GENERATE_CELLS_MAX, "layers of cells along x"),
    BRN_P_INT(wedge_params, across, 1, 1, 10000, "parts of each side of the triangle"),
    BRN_P_CHOICE(wedge_params, element, 0, elements, "kind of element"),
};

static const brn_table table = {
    .name = "wedge",
    .help =
        "a three-sided prism along x about the origin, its sharp edge up; groups edge, -x, +x, -y, +y, -z",
    .size = sizeof(wedge_params),
    .params = params,
    .nparams = BRN_COUNT(params),
};

/* Nodes of a layer come in rows from the back to the edge: n + 1, n, ..., 1 of them. */
static int layer_node(int n, int row, int i)
{
    return row * (n + 1) - row * (row - 1) / 2 + i;
}

static int layer_size(int n)
{
    return (n + 1) * (n + 2) / 2;
}

enum { EDGE, FRONT, BACK, LEFT, RIGHT, BASE, GROUPS };
static const char *const group_name[GROUPS] = {"edge", "-x", "+x", "-y", "+y", "-z"};

static bool in_group(const wedge_params *p, int group, int layer, int row, int i)
{
    const int n = p->across;
    const bool in[GROUPS] = {row == n, layer == 0, layer == p->along, i == 0, i == n - row, row == 0};
    return in[group];
}

static void place_nodes(const wedge_params *p, brn_mesh *mesh)
{
    const int n = p->across;
    int node = 0;
    for (int layer = 0; layer <= p->along; ++layer) {
        for (int row = 0; row <= n; ++row) {
            for (int i = 0; i <= n - row; ++i, ++node) {
                mesh->pos[node][0] = p->size.v[0] * ((double)(2LL * layer - p->along) / (2.0 * p->along));
                mesh->pos[node][1] = p->size.v[1] * ((double)(2 * i + row - n) / (2.0 * n));
                mesh->pos[node][2] = p->size.v[2] * ((double)(2 * row - n) / (2.0 * n));
            }
        }
    }
}

static brn_status add_groups(const wedge_params *p, brn_mesh *mesh)
{
    unsigned char *marked = NULL;
    BRN_ALLOC(mesh->ctx, marked, mesh->nnode);
    brn_status status = BRN_OK;
    for (int group = 0; status >= 0 && group < GROUPS; ++group) {
        int node = 0;
        for (int layer = 0; layer <= p->along; ++layer) {
            for (int row = 0; row <= p->across; ++row) {
                for (int i = 0; i <= p->across - row; ++i, ++node) {
                    marked[node] = in_group(p, group, layer, row, i);
                }
            }
        }
        status = brn_generate_group(mesh, group_name[group], marked);
    }
    brn_free(mesh->ctx, marked);
    return status;
}

/* Three tets of the prism over a triangle a < b < c; up: from a node to the one above it; even: a, b, c run
   counter-clockwise seen against x. */
static int *write_prism(int *tet, int a, int b, int c, int up, bool even)
{
    const int nodes[3][4] = {{a, b, c, c + up}, {a, b, c + up, b + up}, {a, a + up, b + up, c + up}};
    for (int t = 0; t < 3; ++t) {
        for (int k = 0; k < 4; ++k) {
            /* The mirrored order swaps the last two. */
            *tet++ = nodes[t][even || k < 2 ? k : 5 - k];
        }
    }
    return tet;
}

static void connect(const wedge_params *p, brn_mesh *mesh)
{
    const int n = p->across, up = layer_size(n);
    int *tet = mesh->cell[BRN_TET4];
    for (int layer = 0; layer < p->along; ++layer) {
        const int first = layer * up;
        for (int row = 0; row < n; ++row) {
            for (int i = 0; i < n - row; ++i) {
                const int a = first + layer_node(n, row, i), c = first + layer_node(n, row + 1, i);
                tet = write_prism(tet, a, a + 1, c, up, true);
                if (i < n - row - 1) {
                    tet = write_prism(tet, a + 1, c, c + 1, up, false);
                }
            }
        }
    }
}

static brn_status fill(const wedge_params *p, brn_mesh *mesh)
{
    BRN_TRY(brn_mesh_alloc_cells(mesh, BRN_TET4, 3 * p->across * p->across * p->along));
    place_nodes(p, mesh);
    connect(p, mesh);
    BRN_TRY(add_groups(p, mesh));
    return p->element == 1 ? brn_mesh_raise_order(mesh) : BRN_OK;
}

static brn_status generate(brn_ctx *ctx, const void *given, brn_mesh **out)
{
    const wedge_params *p = given;
    *out = NULL;
    BRN_TRY(brn_generate_check(ctx, &table, p));
    if (p->size.count != 3) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s.size: needs 3 numbers, got %d", brn_generate_path(&table, p),
                        p->size.count);
    }
    BRN_TRY(brn_generate_limit(ctx, &table, p, "along", 3.0 * p->across * p->across * p->along));
    /* At most two nodes a cell (a single prism), so far below INT_MAX. */
    BRN_TRY(brn_mesh_create(ctx, layer_size(p->across) * (p->along + 1), out));
    const brn_status status = fill(p, *out);
    if (status < 0) {
        brn_mesh_destroy(*out);
        *out = NULL;
    }
    return status;
}

const brn_generator brn_generator_wedge = {&table, generate, NULL};
