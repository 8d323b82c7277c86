#include "output/fields.h"

#include "base/parallel.h"

#include <string.h>

enum { BLOCK = 256 }; /* elements; a multiple of BRN_LANES */

typedef struct stress_job {
    const brn_model *model;
    const double (*x)[3];
    double *out;
    const int *offset; /* [nsolid] number of each solid's first cell */
} stress_job;

/* Blocks run through the solids in order; no block spans two of them. */
static brn_status stress_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const stress_job *job = arg;
    int s = 0;
    while (block >= brn_block_count(job->model->solid[s]->nelem, BLOCK)) {
        block -= brn_block_count(job->model->solid[s]->nelem, BLOCK);
        s++;
    }
    const brn_solid *solid = job->model->solid[s];
    const int first = block * BLOCK;
    const int count = brn_block_end(solid->nelem, BLOCK, block) - first;
    brn_solid_stress(solid, job->x, first, count, job->out + 6 * ((size_t)job->offset[s] + (size_t)first),
                     NULL, NULL);
    return BRN_OK;
}

brn_status brn_field_cell_stress(brn_ctx *ctx, const brn_model *model, const double *x, double *cell_stress)
{
    brn_arena *arena = brn_ctx_arena(ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    int *offset = brn_arena_take(arena, (size_t)model->nsolid, sizeof *offset);
    if (offset == NULL) {
        return BRN_ERR_MEMORY;
    }
    /* Cells are numbered by kind, then in order of solids. */
    int next = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        for (int s = 0; s < model->nsolid; ++s) {
            if ((int)model->solid[s]->element->cell == kind) {
                offset[s] = next;
                next += model->solid[s]->nelem;
            }
        }
    }
    int nblocks = 0;
    for (int s = 0; s < model->nsolid; ++s) {
        nblocks += brn_block_count(model->solid[s]->nelem, BLOCK);
    }
    stress_job job = {.model = model, .x = (const double(*)[3])x, .out = cell_stress, .offset = offset};
    const brn_status status = brn_parallel_for(ctx, nblocks, stress_block, &job);
    brn_arena_rewind(arena, mark);
    return status;
}

brn_status brn_field_node_stress(brn_ctx *ctx, const brn_playback_info *info, const double *cell_stress,
                                 double *node_stress)
{
    brn_arena *arena = brn_ctx_arena(ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    double *weight = brn_arena_take(arena, (size_t)info->nnode, sizeof *weight);
    if (weight == NULL) {
        return BRN_ERR_MEMORY;
    }
    memset(weight, 0, (size_t)info->nnode * sizeof *weight);
    memset(node_stress, 0, (size_t)info->nnode * 6 * sizeof *node_stress);
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const int width = brn_cell_get((brn_cell)kind)->nnode;
        for (int c = 0; c < info->ncell[kind]; ++c, cell_stress += 6) {
            const double volume = info->cell_volume[kind][c];
            for (int i = 0; i < width; ++i) {
                const size_t node = (size_t)info->cell[kind][(size_t)c * (size_t)width + (size_t)i];
                weight[node] += volume;
                for (int k = 0; k < 6; ++k) {
                    node_stress[6 * node + (size_t)k] += volume * cell_stress[k];
                }
            }
        }
    }
    for (size_t n = 0; n < (size_t)info->nnode; ++n) {
        const double scale = weight[n] > 0.0 ? 1.0 / weight[n] : 0.0;
        for (size_t k = 0; k < 6; ++k) {
            node_stress[6 * n + k] *= scale;
        }
    }
    brn_arena_rewind(arena, mark);
    return BRN_OK;
}
