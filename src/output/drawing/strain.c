#include "output/drawing/strain.h"

#include "base/lanes.h"
#include "base/parallel.h"
#include "phys/solid.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = 32, /* batches */
    NUMBERS =
        10 /* of a quadrature point: the inverse Jacobian, row by row, and 1; 0 if the cell is degenerate */
};

typedef struct brn_strain_batch {
    int kind;
    int first, count; /* places in strain->cell */
    size_t rest;      /* where its numbers start */
} batch;

/* ---- cells --------------------------------------------------------------------------------------------------------- */

/* Positions of the nodes of a batch relative to each cell's first, which leaves gradients unchanged and loses no digits far
   from the origin. Lanes without a cell repeat the last one. */
static void gather(const brn_strain *s, const batch *b, int nnode, const double *pos, brn_lanes x[][3])
{
    for (int l = 0; l < BRN_LANES; ++l) {
        const int place = b->first + (l < b->count ? l : b->count - 1);
        const int *node = s->info->cell[b->kind] + (size_t)s->cell[place] * (size_t)nnode;
        const double *origin = pos + 3 * (size_t)node[0];
        for (int n = 0; n < nnode; ++n) {
            for (int i = 0; i < 3; ++i) {
                x[n][i][l] = pos[3 * (size_t)node[n] + (size_t)i] - origin[i];
            }
        }
    }
}

/* out[3 i + r] = sum_a x_a[i] dn_a[r]: the Jacobian of rest positions, its current image of current ones. */
BRN_LANES_INLINE void map_gradient(brn_lanes x[][3], int nnode, const double (*dn)[3], brn_lanes out[9])
{
    brn_lanes g[9] = {0};
    for (int n = 0; n < nnode; ++n) {
        /* Nine sums that stay in registers. */
#pragma GCC unroll 9
        for (int k = 0; k < 9; ++k) {
            g[k] += x[n][k / 3] * dn[n][k % 3];
        }
    }
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        out[k] = g[k];
    }
}

/* ---- at rest -------------------------------------------------------------------------------------------------------- */

/* Returns the determinant; the inverse of a plane cell is that of its 2 x 2 part, with zeros about it. */
static double invert(double j[3][3], int dim, double inv[9])
{
    memset(inv, 0, 9 * sizeof(double));
    if (dim == 2) {
        const double det = j[0][0] * j[1][1] - j[0][1] * j[1][0];
        const double plane[4] = {j[1][1] / det, -j[0][1] / det, -j[1][0] / det, j[0][0] / det};
        for (int k = 0; k < 4; ++k) {
            inv[3 * (k / 2) + k % 2] = plane[k];
        }
        return det;
    }
    for (int r = 0; r < 3; ++r) {
        for (int i = 0; i < 3; ++i) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, c = (r + 1) % 3, d = (r + 2) % 3;
            inv[3 * r + i] = j[a][c] * j[b][d] - j[a][d] * j[b][c];
        }
    }
    const double det = j[0][0] * inv[0] + j[0][1] * inv[3] + j[0][2] * inv[6];
    for (int k = 0; k < 9; ++k) {
        inv[k] /= det;
    }
    return det;
}

/* The third column of a Jacobian of surface cells in space: the unit normal, so that strains along it are 0. */
BRN_LANES_INLINE void add_normal(brn_lanes g[9])
{
    brn_lanes n[3], square = brn_lanes_all(0.0);
    for (int i = 0; i < 3; ++i) {
        const int a = 3 * ((i + 1) % 3), b = 3 * ((i + 2) % 3);
        n[i] = g[a] * g[b + 1] - g[b] * g[a + 1];
        square += n[i] * n[i];
    }
    for (int i = 0; i < 3; ++i) {
        for (int l = 0; l < BRN_LANES; ++l) {
            g[3 * i + 2][l] = n[i][l] / sqrt(square[l]);
        }
    }
}

/* One lane of a batch. If a cell is degenerate its numbers, and so its strain, are 0. */
static void measure_lane(const brn_element *element, int dim, const double (*dn)[3], brn_lanes x[][3],
                         int lane, double (*out)[BRN_LANES])
{
    bool whole = true;
    for (int q = 0; q < element->nquad; ++q) {
        brn_lanes g[9];
        double j[3][3];
        double inv[9];
        map_gradient(x, element->nnode, dn + (size_t)q * (size_t)element->nnode, g);
        if (element->dim < dim) {
            add_normal(g);
        }
        for (int k = 0; k < 9; ++k) {
            j[k / 3][k % 3] = g[k][lane];
        }
        const double det = invert(j, dim, inv);
        for (int k = 0; k < 9; ++k) {
            out[NUMBERS * q + k][lane] = inv[k];
        }
        out[NUMBERS * q + 9][lane] = 1.0;
        whole = whole && det > 0.0 && isfinite(1.0 / det);
    }
    for (int k = 0; k < NUMBERS * element->nquad && !whole; ++k) {
        out[k][lane] = 0.0;
    }
}

static void measure_batch(const brn_strain *s, const batch *b)
{
    const brn_element *element = brn_element_of_cell((brn_cell)b->kind);
    brn_lanes x[BRN_ELEMENT_NODES_MAX][3];
    gather(s, b, element->nnode, s->info->rest[0], x);
    for (int l = 0; l < BRN_LANES; ++l) {
        measure_lane(element, s->info->dim, (const double(*)[3])s->reference[b->kind], x, l,
                     (double(*)[BRN_LANES])(s->rest + b->rest));
    }
}

/* The used cells of a kind and their batches. Arrays may be NULL: only counts. *size: of all numbers. */
static void cut_batches(brn_strain *s, int kind, const bool *used, size_t *size)
{
    const brn_element *element = brn_element_of_cell((brn_cell)kind);
    batch *last = NULL;
    int room = 0; /* of the last batch */
    for (int c = 0; element != NULL && c < s->info->ncell[kind]; ++c) {
        if (!used[c]) {
            continue;
        }
        if (room == 0) {
            last = s->batch != NULL ? &s->batch[s->nbatch] : NULL;
            if (last != NULL) {
                *last = (batch){kind, s->ncell, 0, *size};
            }
            s->nbatch++;
            *size += (size_t)element->nquad * NUMBERS * BRN_LANES;
            room = BRN_LANES;
        }
        if (last != NULL) {
            s->cell[s->ncell] = c;
            last->count++;
        }
        s->ncell++;
        room--;
    }
}

static size_t cut_all(brn_strain *s)
{
    size_t size = 0;
    const bool *used = s->recovery->used;
    s->ncell = 0;
    s->nbatch = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; used += s->info->ncell[kind++]) {
        cut_batches(s, kind, used, &size);
    }
    return size;
}

static brn_status find_gradients(brn_strain *s, int kind)
{
    const brn_element *element = brn_element_of_cell((brn_cell)kind);
    if (s->info->ncell[kind] == 0 || element == NULL) {
        return BRN_OK;
    }
    BRN_ALLOC(s->ctx, s->reference[kind], 3 * (size_t)element->nquad * (size_t)element->nnode);
    double(*dn)[3] = (double(*)[3])s->reference[kind];
    for (int q = 0; q < element->nquad; ++q) {
        element->gradient(element->point + 3 * (size_t)q, dn + (size_t)q * (size_t)element->nnode);
    }
    return BRN_OK;
}

brn_status brn_strain_make(brn_strain *s, const brn_playback_info *info, const brn_recovery *recovery)
{
    s->info = info;
    s->recovery = recovery;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        BRN_TRY(find_gradients(s, kind));
    }
    const size_t size = cut_all(s);
    BRN_ALLOC(s->ctx, s->cell, s->ncell);
    BRN_ALLOC(s->ctx, s->rest, size);
    BRN_ALLOC(s->ctx, s->batch, s->nbatch);
    (void)cut_all(s);
    for (int i = 0; i < s->nbatch; ++i) {
        measure_batch(s, &s->batch[i]);
    }
    return BRN_OK;
}

void brn_strain_clear(brn_strain *s)
{
    brn_ctx *ctx = s->ctx;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        brn_free(ctx, s->reference[kind]);
    }
    brn_free(ctx, s->cell);
    brn_free(ctx, s->batch);
    brn_free(ctx, s->rest);
    *s = (brn_strain){.ctx = ctx};
}

/* ---- now ------------------------------------------------------------------------------------------------------------- */

typedef struct job {
    const brn_strain *strain;
    const double *pos;
    double *out;
} job;

/* F = (current gradient) (rest Jacobian)^-1; in 2D its third column is the unit vector. */
BRN_LANES_INLINE void find_strain(const brn_lanes g[9], const double *numbers, int dim, brn_lanes e[6])
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    brn_lanes rest[NUMBERS];
    brn_lanes f[3][3];
#pragma GCC unroll 10
    for (int k = 0; k < NUMBERS; ++k) {
        rest[k] = brn_lanes_load(numbers + BRN_LANES * k);
    }
#pragma GCC unroll 9
    for (int k = 0; k < 9; ++k) {
        const int i = 3 * (k / 3), c = k % 3;
        f[k / 3][c] = g[i] * rest[c] + g[i + 1] * rest[3 + c] + g[i + 2] * rest[6 + c];
    }
    f[2][2] = dim == 2 ? brn_lanes_all(1.0) : f[2][2];
#pragma GCC unroll 6
    for (int k = 0; k < 6; ++k) {
        const int a = pairs[k][0], b = pairs[k][1];
        const brn_lanes c = f[0][a] * f[0][b] + f[1][a] * f[1][b] + f[2][a] * f[2][b];
        e[k] = rest[9] * 0.5 * (c - (a == b ? 1.0 : 0.0));
    }
}

static void strain_batch(const job *j, const batch *b)
{
    const brn_strain *s = j->strain;
    const brn_element *element = brn_element_of_cell((brn_cell)b->kind);
    const double(*dn)[3] = (const double(*)[3])s->reference[b->kind];
    const double *rest = s->rest + b->rest;
    const int dim = s->info->dim, width = 6 * element->nsample;
    brn_lanes x[BRN_ELEMENT_NODES_MAX][3], out[6 * BRN_ELEMENT_SAMPLES_MAX] = {0};
    brn_sampling share;
    brn_element_sampling(element, share);
    gather(s, b, element->nnode, j->pos, x);
    for (int q = 0; q < element->nquad; ++q, dn += element->nnode, rest += NUMBERS * BRN_LANES) {
        brn_lanes g[9], e[6];
        map_gradient(x, element->nnode, dn, g);
        if (element->dim < dim) {
            add_normal(g);
        }
        find_strain(g, rest, dim, e);
        for (int k = 0; k < width; ++k) {
            out[k] += share[k / 6][q] * e[k % 6];
        }
    }
    for (int l = 0; l < b->count; ++l) {
        double *to =
            j->out + 6 * s->recovery->sample_first[b->kind] + (size_t)s->cell[b->first + l] * (size_t)width;
        for (int k = 0; k < width; ++k) {
            to[k] = out[k][l];
        }
    }
}

static brn_status strain_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const job *j = arg;
    const int end = brn_block_end(j->strain->nbatch, BLOCK, block);
    for (int i = block * BLOCK; i < end; ++i) {
        strain_batch(j, &j->strain->batch[i]);
    }
    return BRN_OK;
}

brn_status brn_strain_samples(const brn_strain *s, const double *pos, double *out)
{
    job j = {s, pos, out};
    return brn_parallel_for(s->ctx, brn_block_count(s->nbatch, BLOCK), strain_block, &j);
}
