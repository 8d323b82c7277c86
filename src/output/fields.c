#include "output/fields.h"

#include "base/parallel.h"
#include "output/outline.h"

#include <string.h>

enum { BLOCK = 256 }; /* elements; a multiple of BRN_LANES */

typedef struct stress_job {
    const brn_solid **solid; /* those that have cells, in the order of bodies */
    int nsolid;
    const double (*x)[3];
    double *out;
    int *offset; /* [nsolid] number of each solid's first cell */
} stress_job;

/* Blocks run through the solids in order; no block spans two of them. */
static brn_status stress_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const stress_job *job = arg;
    int s = 0;
    while (block >= brn_block_count(job->solid[s]->nelem, BLOCK)) {
        block -= brn_block_count(job->solid[s]->nelem, BLOCK);
        s++;
    }
    const brn_solid *solid = job->solid[s];
    const int first = block * BLOCK;
    const int count = brn_block_end(solid->nelem, BLOCK, block) - first;
    brn_solid_stress(solid, job->x, first, count, job->out + 6 * ((size_t)job->offset[s] + (size_t)first),
                     NULL, NULL);
    return BRN_OK;
}

/* The solids whose elements are cells, and the number of each one's first cell: by kind, then in order of solids. */
static brn_status list_solids(const brn_model *model, brn_arena *arena, stress_job *job)
{
    BRN_TAKE(arena, job->solid, model->nsolid);
    BRN_TAKE(arena, job->offset, model->nsolid);
    for (int b = 0; b < model->nbody; ++b) {
        for (int i = 0; i < brn_outline_solids(&model->body[b]); ++i) {
            job->solid[job->nsolid++] = model->solid[model->body[b].solid_first + i];
        }
    }
    int next = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        for (int s = 0; s < job->nsolid; ++s) {
            if ((int)job->solid[s]->element->cell == kind) {
                job->offset[s] = next;
                next += job->solid[s]->nelem;
            }
        }
    }
    return BRN_OK;
}

brn_status brn_field_cell_stress(brn_ctx *ctx, const brn_model *model, const double *x, double *cell_stress)
{
    brn_arena *arena = brn_ctx_arena(ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    stress_job job = {.x = (const double(*)[3])x, .out = cell_stress};
    brn_status status = list_solids(model, arena, &job);
    int nblocks = 0;
    for (int s = 0; s < job.nsolid && status >= 0; ++s) {
        nblocks += brn_block_count(job.solid[s]->nelem, BLOCK);
    }
    status = status >= 0 ? brn_parallel_for(ctx, nblocks, stress_block, &job) : status;
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
