#include "output/trajectory/fields.h"

#include "base/parallel.h"
#include "output/trajectory/outline.h"
#include "phys/lanes.h"

#include <string.h>

enum { BLOCK = 256 }; /* elements; a multiple of BRN_LANES */

typedef struct stress_job {
    const brn_element_group **group; /* those that are shown, in the order of bodies */
    int ngroup;
    const double (*x)[3];
    double *out;
    const bool *wanted; /* [total cells]; NULL: all */
    int *offset;        /* [ngroup] number of each group's first cell */
} stress_job;

/* Is any element wanted of the batch that starts at `first`? */
static bool is_wanted(const stress_job *job, size_t offset, int first, int end)
{
    bool wanted = job->wanted == NULL;
    for (int e = first; e < end && e < first + BRN_LANES && !wanted; ++e) {
        wanted = job->wanted[offset + (size_t)e];
    }
    return wanted;
}

/* Blocks run through the groups in order; no block spans two of them. */
static brn_status stress_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const stress_job *job = arg;
    int g = 0;
    while (block >= brn_block_count(job->group[g]->nelem, BLOCK)) {
        block -= brn_block_count(job->group[g]->nelem, BLOCK);
        g++;
    }
    const brn_element_group *group = job->group[g];
    const size_t offset = (size_t)job->offset[g];
    const int end = brn_block_end(group->nelem, BLOCK, block);
    for (int first = block * BLOCK, last; first < end; first = last) {
        /* a run of consecutive batches that are all wanted, or all not */
        const bool wanted = is_wanted(job, offset, first, end);
        for (last = first; last < end && is_wanted(job, offset, last, end) == wanted;) {
            last = last + BRN_LANES < end ? last + BRN_LANES : end;
        }
        if (wanted) {
            group->kind->stress(group, job->x, first, last - first, job->out + 6 * (offset + (size_t)first),
                                NULL, NULL);
        }
    }
    return BRN_OK;
}

/* The groups whose elements are cells, and the number of each one's first cell: by kind, then in order of groups. */
static brn_status list_groups(const brn_model *model, brn_arena *arena, stress_job *job)
{
    BRN_TAKE(arena, job->group, model->ngroup);
    BRN_TAKE(arena, job->offset, model->ngroup);
    for (int g = 0; g < model->ngroup; ++g) {
        if (model->group[g]->cell >= 0) {
            job->group[job->ngroup++] = model->group[g];
        }
    }
    int next = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        for (int g = 0; g < job->ngroup; ++g) {
            if (job->group[g]->cell == kind) {
                job->offset[g] = next;
                next += job->group[g]->nelem;
            }
        }
    }
    return BRN_OK;
}

brn_status brn_field_cell_stress(brn_ctx *ctx, const brn_model *model, const double *x, double *cell_stress)
{
    return brn_field_some_stress(ctx, model, x, NULL, cell_stress);
}

brn_status brn_field_some_stress(brn_ctx *ctx, const brn_model *model, const double *x, const bool *wanted,
                                 double *cell_stress)
{
    brn_arena *arena = brn_ctx_arena(ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    stress_job job = {.x = (const double(*)[3])x, .out = cell_stress, .wanted = wanted};
    brn_status status = list_groups(model, arena, &job);
    int nblocks = 0;
    for (int g = 0; g < job.ngroup && status >= 0; ++g) {
        nblocks += brn_block_count(job.group[g]->nelem, BLOCK);
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
