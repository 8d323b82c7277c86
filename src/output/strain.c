#include "output/strain.h"

#include "base/parallel.h"
#include "phys/solid.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 256, SHARE = 10 }; /* cells a block; numbers a quadrature point: nine and a share */

static const brn_element *element_of(int kind)
{
    return brn_element_of_cell((brn_cell)kind);
}

/* out[i][r] = sum_a x_a[i] dn_a[r] of a cell's nodes: the Jacobian of rest positions, its current image of current ones. */
static void map_gradient(const double *pos, const int *node, int nnode, const double (*dn)[3],
                         double out[3][3])
{
    memset(out, 0, 9 * sizeof(double));
    for (int a = 0; a < nnode; ++a) {
        const double *x = pos + 3 * (size_t)node[a];
        for (int i = 0; i < 3; ++i) {
            for (int r = 0; r < 3; ++r) {
                out[i][r] += x[i] * dn[a][r];
            }
        }
    }
}

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

static const int *nodes_of(const brn_averages *a, int place, const int *kind_first, int nnode)
{
    const int kind = a->cell_kind[place];
    return a->info->cell[kind] + (size_t)(a->cell[place] - kind_first[kind]) * (size_t)nnode;
}

static void first_of_kinds(const brn_playback_info *info, int first[BRN_CELL_COUNT])
{
    for (int kind = 0, next = 0; kind < BRN_CELL_COUNT; ++kind) {
        first[kind] = next;
        next += info->ncell[kind];
    }
}

/* Where a cell's volume is not positive its shares are 0, and with them its strain. */
static void measure_cell(const brn_strain *s, const brn_element *element, const int *node, double *out)
{
    const double(*dn)[3] = (const double(*)[3])s->reference[element->cell];
    const double *rest = s->averages->info->rest[0];
    double volume = 0.0;
    bool whole = true;
    for (int q = 0; q < element->nquad; ++q) {
        double j[3][3];
        map_gradient(rest, node, element->nnode, dn + (size_t)q * (size_t)element->nnode, j);
        const double det = invert(j, element->dim, out + SHARE * q);
        out[SHARE * q + 9] = element->weight[q] * det;
        volume += element->weight[q] * det;
        whole = whole && det > 0.0;
    }
    whole = whole && isfinite(volume);
    for (int q = 0; q < element->nquad; ++q) {
        out[SHARE * q + 9] = whole ? out[SHARE * q + 9] / volume : 0.0;
        if (!whole) {
            memset(out + SHARE * q, 0, SHARE * sizeof *out);
        }
    }
}

brn_status brn_strain_make(brn_strain *s, const brn_averages *averages)
{
    brn_ctx *ctx = s->ctx;
    s->averages = averages;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const brn_element *element = element_of(kind);
        if (averages->info->ncell[kind] == 0 || element == NULL) {
            continue;
        }
        BRN_ALLOC(ctx, s->reference[kind], 3 * (size_t)element->nquad * (size_t)element->nnode);
        double(*dn)[3] = (double(*)[3])s->reference[kind];
        for (int q = 0; q < element->nquad; ++q) {
            element->gradient(element->point + 3 * (size_t)q, dn + (size_t)q * (size_t)element->nnode);
        }
    }
    size_t total = 0;
    BRN_ALLOC(ctx, s->place, averages->ncell);
    for (int c = 0; c < averages->ncell; ++c) {
        const brn_element *element = element_of(averages->cell_kind[c]);
        s->place[c] = total;
        total += element != NULL ? SHARE * (size_t)element->nquad : 0;
    }
    BRN_ALLOC(ctx, s->inverse, total);
    int kind_first[BRN_CELL_COUNT];
    first_of_kinds(averages->info, kind_first);
    for (int c = 0; c < averages->ncell; ++c) {
        const brn_element *element = element_of(averages->cell_kind[c]);
        if (element != NULL) {
            measure_cell(s, element, nodes_of(averages, c, kind_first, element->nnode),
                         s->inverse + s->place[c]);
        }
    }
    return BRN_OK;
}

void brn_strain_clear(brn_strain *s)
{
    brn_ctx *ctx = s->ctx;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        brn_free(ctx, s->reference[kind]);
    }
    brn_free(ctx, s->place);
    brn_free(ctx, s->inverse);
    *s = (brn_strain){.ctx = ctx};
}

typedef struct job {
    const brn_strain *strain;
    const double *pos;
    double *out;
    int kind_first[BRN_CELL_COUNT];
} job;

/* F = (current gradient) (rest Jacobian)^-1; its third column is the unit vector in 2D. */
static void add_strain(double g[3][3], const double *inv, int dim, double share, double out[6])
{
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    double f[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            f[i][k] = g[i][0] * inv[k] + g[i][1] * inv[3 + k] + g[i][2] * inv[6 + k];
        }
    }
    f[2][2] = dim == 2 ? 1.0 : f[2][2];
    for (int k = 0; k < 6; ++k) {
        const int a = pairs[k][0], b = pairs[k][1];
        const double c = f[0][a] * f[0][b] + f[1][a] * f[1][b] + f[2][a] * f[2][b];
        out[k] += share * 0.5 * (c - (a == b ? 1.0 : 0.0));
    }
}

static brn_status strain_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const job *j = arg;
    const brn_strain *s = j->strain;
    const brn_averages *a = s->averages;
    const int end = brn_block_end(a->ncell, BLOCK, block);
    for (int c = block * BLOCK; c < end; ++c) {
        const brn_element *element = element_of(a->cell_kind[c]);
        double *out = j->out + 6 * (size_t)c;
        memset(out, 0, 6 * sizeof *out);
        for (int q = 0; element != NULL && q < element->nquad; ++q) {
            const double *inv = s->inverse + s->place[c] + SHARE * (size_t)q;
            double g[3][3];
            map_gradient(j->pos, nodes_of(a, c, j->kind_first, element->nnode), element->nnode,
                         (const double(*)[3])s->reference[element->cell] + (size_t)q * (size_t)element->nnode,
                         g);
            add_strain(g, inv, element->dim, inv[9], out);
        }
    }
    return BRN_OK;
}

brn_status brn_strain_cells(const brn_strain *s, const double *pos, double *out)
{
    job j = {.strain = s, .pos = pos, .out = out};
    first_of_kinds(s->averages->info, j.kind_first);
    return brn_parallel_for(s->ctx, brn_block_count(s->averages->ncell, BLOCK), strain_block, &j);
}
