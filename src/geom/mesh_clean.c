/* Drops unused nodes and merges close ones. A node is merged into the lowest-numbered kept node within the tolerance; if
   there is none, it is kept itself. So the result does not depend on chains of near neighbours, and kept nodes are more than
   the tolerance apart. They are found in a hash of cubes 8 times as wide as the tolerance: a node mostly looks at its own
   cube, at 8 at most, and a cube holds a bounded number of kept nodes, so the whole is O(n). */
#include "base/hash.h"
#include "geom/node_merge.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct merge_grid {
    const brn_mesh *mesh;
    double tolerance, width; /* of a cube; width 0: the key is the position itself */
    uint32_t mask;
    int *head; /* [mask + 1] first kept node of a hash value, -1 if none */
    int *next; /* [nnode] */
} merge_grid;

/* The same key for 0 and -0. */
static uint32_t hash_key(const double key[3], uint32_t mask)
{
    const double clean[3] = {key[0] + 0.0, key[1] + 0.0, key[2] + 0.0};
    const uint64_t hash = brn_hash_bytes(BRN_HASH_START, clean, sizeof clean);
    return (uint32_t)(hash ^ (hash >> 32)) & mask;
}

/* Cube of a coordinate. Shifted by the golden section, since round coordinates would sit on the sides of cubes. */
static double cube_of(const merge_grid *grid, double x)
{
    return floor(x / grid->width + 0.38196601125010515);
}

static bool close_enough(const merge_grid *grid, int a, int b)
{
    const double *x = grid->mesh->pos[a], *y = grid->mesh->pos[b];
    if (!(grid->tolerance > 0.0)) {
        return x[0] == y[0] && x[1] == y[1] && x[2] == y[2];
    }
    const double d[3] = {fabs(x[0] - y[0]), fabs(x[1] - y[1]), fabs(x[2] - y[2])};
    const double t = grid->tolerance;
    return d[0] <= t && d[1] <= t && d[2] <= t && hypot(hypot(d[0], d[1]), d[2]) <= t;
}

/* Lowest kept node of one hash value that is close, or `best`. */
static int search(const merge_grid *grid, const double key[3], int node, int best)
{
    for (int i = grid->head[hash_key(key, grid->mask)]; i >= 0; i = grid->next[i]) {
        if (i < best && close_enough(grid, i, node)) {
            best = i;
        }
    }
    return best;
}

static int find_kept(const merge_grid *grid, int node)
{
    const double *x = grid->mesh->pos[node];
    if (!(grid->width > 0.0)) {
        return search(grid, x, node, INT_MAX);
    }
    double low[3], high[3];
    const double reach = grid->tolerance * (1.0 + 1e-6); /* covers the rounding of the quotient */
    for (int k = 0; k < 3; ++k) {
        low[k] = cube_of(grid, x[k] - reach);
        high[k] = cube_of(grid, x[k] + reach);
    }
    int best = INT_MAX;
    for (int corner = 0; corner < 8; ++corner) {
        double key[3];
        bool fresh = true;
        for (int k = 0; k < 3; ++k) {
            const bool up = (corner >> k & 1) != 0;
            key[k] = up ? high[k] : low[k];
            fresh = fresh && !(up && high[k] == low[k]);
        }
        best = fresh ? search(grid, key, node, best) : best;
    }
    return best;
}

static void keep(merge_grid *grid, int node)
{
    const double *x = grid->mesh->pos[node];
    double key[3];
    for (int k = 0; k < 3; ++k) {
        key[k] = grid->width > 0.0 ? cube_of(grid, x[k]) : x[k];
    }
    const uint32_t slot = hash_key(key, grid->mask);
    grid->next[node] = grid->head[slot];
    grid->head[slot] = node;
}

brn_status brn_node_merge(const brn_mesh *mesh, double tolerance, int *same)
{
    merge_grid grid = {.mesh = mesh, .tolerance = tolerance, .width = 8.0 * tolerance};
    uint32_t slots = 16;
    while (slots < (uint32_t)mesh->nnode && slots < UINT32_C(1) << 30) {
        slots *= 2;
    }
    grid.mask = slots - 1;
    grid.head = brn_calloc(mesh->ctx, slots, sizeof *grid.head);
    grid.next = brn_calloc(mesh->ctx, (size_t)mesh->nnode, sizeof *grid.next);
    const bool ready = grid.head != NULL && grid.next != NULL;
    if (ready) {
        memset(grid.head, -1, slots * sizeof *grid.head);
    }
    for (int i = 0; ready && i < mesh->nnode; ++i) {
        if (same[i] < 0) {
            continue;
        }
        const int kept = find_kept(&grid, i);
        same[i] = kept < i ? kept : i;
        if (same[i] == i) {
            keep(&grid, i);
        }
    }
    brn_free(mesh->ctx, grid.head);
    brn_free(mesh->ctx, grid.next);
    return ready ? BRN_OK : BRN_ERR_MEMORY;
}

/* same[i] = 0 for nodes that a cell uses, -1 for the others. */
static brn_status mark_used(const brn_mesh *mesh, int *same)
{
    BRN_TRY(brn_mesh_check_indices(mesh));
    for (int i = 0; i < mesh->nnode; ++i) {
        same[i] = -1;
    }
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const size_t n = (size_t)mesh->ncell[kind] * (size_t)brn_cell_get((brn_cell)kind)->nnode;
        for (size_t i = 0; i < n; ++i) {
            same[mesh->cell[kind][i]] = 0;
        }
    }
    return BRN_OK;
}

/* Renumbers in place; number[i] is node i's new number, -1 if it is removed. New numbers of kept nodes ascend. */
static void renumber(brn_mesh *mesh, const int *number)
{
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const size_t n = (size_t)mesh->ncell[kind] * (size_t)brn_cell_get((brn_cell)kind)->nnode;
        for (size_t i = 0; i < n; ++i) {
            mesh->cell[kind][i] = number[mesh->cell[kind][i]];
        }
    }
}

brn_status brn_mesh_clean(brn_mesh *mesh, double merge_tolerance)
{
    if (!(merge_tolerance >= 0.0) || !isfinite(8.0 * merge_tolerance)) {
        return brn_fail(mesh->ctx, BRN_ERR_RANGE, "merge tolerance %g m: must be >= 0", merge_tolerance);
    }
    int *same = NULL, *number = NULL;
    BRN_ALLOC(mesh->ctx, same, mesh->nnode);
    number = brn_calloc(mesh->ctx, (size_t)mesh->nnode, sizeof *number);
    brn_status status = number != NULL ? mark_used(mesh, same) : BRN_ERR_MEMORY;
    status = status < 0 ? status : brn_node_merge(mesh, merge_tolerance, same);
    if (status >= 0) {
        int count = 0;
        for (int i = 0; i < mesh->nnode; ++i) {
            number[i] = same[i] < 0 ? -1 : same[i] == i ? count : number[same[i]];
            if (same[i] == i) {
                memmove(mesh->pos[count++], mesh->pos[i], sizeof *mesh->pos);
            }
        }
        renumber(mesh, number);
        mesh->nnode = count;
        brn_mesh_renumber_groups(mesh, number);
    }
    brn_free(mesh->ctx, number);
    brn_free(mesh->ctx, same);
    return status;
}
