#include "output/drawing/averages.h"

#include "base/parallel.h"
#include "output/trajectory/fields.h"

enum { BLOCK = 1024 }; /* vertices */

static const int *cell_nodes(const brn_playback_info *info, int kind, int cell, int *width)
{
    *width = brn_cell_get((brn_cell)kind)->nnode;
    return info->cell[kind] + (size_t)cell * (size_t)*width;
}

/* Counts what is to be stored: *ncell, and in first[v + 1] the cells around vertex v. */
static void count(brn_averages *a, const brn_drawing *surface, size_t *nentry)
{
    const brn_playback_info *info = a->info;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        for (int c = 0; c < info->ncell[kind]; ++c) {
            int width = 0;
            int touched = 0;
            const int *node = cell_nodes(info, kind, c, &width);
            for (int i = 0; i < width; ++i) {
                const int v = surface->vertex[node[i]];
                if (v >= 0) {
                    a->first[v + 1]++;
                    touched++;
                }
            }
            a->ncell += touched > 0;
            *nentry += (size_t)touched;
        }
    }
}

static void find_ends(brn_averages *a, const brn_drawing *surface, int kind, const int *node)
{
    const brn_cell_info *cell = brn_cell_get((brn_cell)kind);
    for (int e = 0; e < cell->nedge && cell->ncorner + e < cell->nnode; ++e) {
        const int v = surface->vertex[node[cell->ncorner + e]];
        const int from = surface->vertex[node[cell->edges[e][0]]];
        const int to = surface->vertex[node[cell->edges[e][1]]];
        if (v >= 0 && from >= 0 && to >= 0) {
            a->ends[v][0] = from;
            a->ends[v][1] = to;
        }
    }
}

/* next [nvertex]: where to store the next cell of a vertex. */
static void fill(brn_averages *a, const brn_drawing *surface, int *next)
{
    const brn_playback_info *info = a->info;
    int number = 0;
    int place = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        for (int c = 0; c < info->ncell[kind]; ++c, ++number) {
            int width = 0;
            bool touched = false;
            const int *node = cell_nodes(info, kind, c, &width);
            for (int i = 0; i < width; ++i) {
                const int v = surface->vertex[node[i]];
                if (v >= 0) {
                    a->around[next[v]] = place;
                    a->weight[next[v]++] = info->cell_volume[kind][c];
                    touched = true;
                }
            }
            if (touched) {
                find_ends(a, surface, kind, node);
                a->cell[place] = number;
                a->cell_kind[place++] = kind;
            }
        }
    }
}

static void normalise(brn_averages *a)
{
    for (int v = 0; v < a->nvertex; ++v) {
        double sum = 0.0;
        for (int i = a->first[v]; i < a->first[v + 1]; ++i) {
            sum += a->weight[i];
        }
        for (int i = a->first[v]; i < a->first[v + 1]; ++i) {
            a->weight[i] = sum > 0.0 ? a->weight[i] / sum : 0.0;
        }
    }
}

brn_status brn_averages_make(brn_averages *a, const brn_playback_info *info, const brn_drawing *surface)
{
    brn_ctx *ctx = a->ctx;
    size_t nentry = 0;
    a->info = info;
    a->nvertex = surface->nvertex;
    BRN_ALLOC(ctx, a->first, a->nvertex + 1);
    count(a, surface, &nentry);
    if (nentry > INT32_MAX) {
        return brn_fail(ctx, BRN_ERR_LIMIT, "view: the surface has too many cells");
    }
    for (int v = 0; v < a->nvertex; ++v) {
        a->first[v + 1] += a->first[v];
    }
    BRN_ALLOC(ctx, a->cell, a->ncell);
    BRN_ALLOC(ctx, a->cell_kind, a->ncell);
    BRN_ALLOC(ctx, a->around, nentry);
    BRN_ALLOC(ctx, a->weight, nentry);
    BRN_ALLOC(ctx, a->ends, a->nvertex);
    for (int v = 0; v < a->nvertex; ++v) {
        a->ends[v][0] = a->ends[v][1] = -1;
    }
    brn_arena *arena = brn_ctx_arena(ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    int *next = brn_arena_take(arena, (size_t)a->nvertex, sizeof *next);
    if (next == NULL) {
        return BRN_ERR_MEMORY;
    }
    for (int v = 0; v < a->nvertex; ++v) {
        next[v] = a->first[v];
    }
    fill(a, surface, next);
    brn_arena_rewind(arena, mark);
    normalise(a);
    return BRN_OK;
}

void brn_averages_clear(brn_averages *a)
{
    brn_ctx *ctx = a->ctx;
    brn_free(ctx, a->cell);
    brn_free(ctx, a->cell_kind);
    brn_free(ctx, a->first);
    brn_free(ctx, a->around);
    brn_free(ctx, a->weight);
    brn_free(ctx, a->ends);
    *a = (brn_averages){.ctx = ctx};
}

typedef struct job {
    const brn_averages *averages;
    const double *tensor;
    bool listed;
    double scale;
    float *out;
} job;

static brn_status average_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const job *j = arg;
    const brn_averages *a = j->averages;
    const int end = brn_block_end(a->nvertex, BLOCK, block);
    for (int v = block * BLOCK; v < end; ++v) {
        double sum[6] = {0};
        for (int i = a->first[v]; i < a->first[v + 1]; ++i) {
            const int place = a->around[i];
            const double *t = j->tensor + 6 * (size_t)(j->listed ? place : a->cell[place]);
            for (int k = 0; k < 6; ++k) {
                sum[k] += a->weight[i] * t[k];
            }
        }
        j->out[v] = brn_drawing_float(j->scale * brn_von_mises(sum));
    }
    return BRN_OK;
}

brn_status brn_averages_von_mises(const brn_averages *a, const double *tensor, bool listed, double scale,
                                  float *out)
{
    job j = {a, tensor, listed, scale, out};
    BRN_TRY(brn_parallel_for(a->ctx, brn_block_count(a->nvertex, BLOCK), average_block, &j));
    for (int v = 0; v < a->nvertex; ++v) {
        if (a->ends[v][0] >= 0) {
            out[v] = 0.5f * out[a->ends[v][0]] + 0.5f * out[a->ends[v][1]];
        }
    }
    return BRN_OK;
}
