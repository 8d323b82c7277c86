#include "model/generate/generate.h"

/* Nodes of the lattice row by row, then (pattern cross) the centres. */
static void place(brn_mesh *mesh, const double *x, int nx, const double *y, int ny)
{
    int node = 0;
    for (int j = 0; j <= ny; ++j) {
        for (int i = 0; i <= nx; ++i, ++node) {
            mesh->pos[node][0] = x[i];
            mesh->pos[node][1] = y[j];
        }
    }
    for (int j = 0; node < mesh->nnode && j < ny; ++j) {
        for (int i = 0; i < nx; ++i, ++node) {
            mesh->pos[node][0] = 0.5 * (x[i] + x[i + 1]);
            mesh->pos[node][1] = 0.5 * (y[j] + y[j + 1]);
        }
    }
}

static void connect(brn_mesh *mesh, int nx, int ny, int pattern)
{
    int *tri = mesh->cell[BRN_TRI3];
    for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) {
            const int a = j * (nx + 1) + i, b = a + 1, c = b + nx + 1, d = a + nx + 1;
            const int quad[4] = {a, b, c, d};
            if (pattern == BRN_PATTERN_CROSS) {
                const int centre = (nx + 1) * (ny + 1) + j * nx + i;
                for (int t = 0; t < 4; ++t) {
                    *tri++ = quad[t];
                    *tri++ = quad[(t + 1) % 4];
                    *tri++ = centre;
                }
                continue;
            }
            /* The diagonal a-c, or b-d in every second cell of the alternating pattern. */
            const int s = pattern == BRN_PATTERN_ALTERNATING && ((i + j) & 1) != 0;
            for (int t = 0; t < 2; ++t) {
                *tri++ = quad[s];
                *tri++ = quad[(s + 1 + t) % 4];
                *tri++ = quad[(s + 2 + t) % 4];
            }
        }
    }
}

static brn_status add_sides(brn_mesh *mesh, int nx, int ny)
{
    static const char *const names[4] = {"-x", "+x", "-y", "+y"};
    unsigned char *marked = NULL;
    BRN_ALLOC(mesh->ctx, marked, mesh->nnode);
    brn_status status = BRN_OK;
    for (int side = 0; status >= 0 && side < 4; ++side) {
        const int value = side == 1 ? nx : side == 3 ? ny : 0;
        for (int i = 0; i < (nx + 1) * (ny + 1); ++i) {
            marked[i] = (side < 2 ? i % (nx + 1) : i / (nx + 1)) == value;
        }
        status = brn_generate_group(mesh, names[side], marked);
    }
    brn_free(mesh->ctx, marked);
    return status;
}

brn_status brn_plane_lattice(brn_ctx *ctx, const double *x, int nx, const double *y, int ny, int pattern,
                             brn_mesh **out)
{
    const int centres = pattern == BRN_PATTERN_CROSS ? nx * ny : 0;
    brn_mesh *mesh = NULL;
    *out = NULL;
    BRN_TRY(brn_mesh_create(ctx, (nx + 1) * (ny + 1) + centres, &mesh));
    brn_status status = brn_mesh_alloc_cells(mesh, BRN_TRI3, (centres > 0 ? 4 : 2) * nx * ny);
    if (status >= 0) {
        place(mesh, x, nx, y, ny);
        connect(mesh, nx, ny, pattern);
        status = add_sides(mesh, nx, ny);
    }
    if (status < 0) {
        brn_mesh_destroy(mesh);
        return status;
    }
    *out = mesh;
    return BRN_OK;
}
