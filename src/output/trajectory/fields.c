#include "output/trajectory/fields.h"

#include "base/lanes.h"
#include "base/parallel.h"
#include "output/trajectory/recovery.h"
#include "phys/shells/bending.h"
#include "phys/shells/membrane.h"

#include <string.h>

enum { BLOCK = 256 }; /* elements; a multiple of BRN_LANES */

typedef struct stress_job {
    const brn_element_group **group; /* those that are shown, in the order of bodies */
    int ngroup;
    const double (*x)[3];
    double *cell_out, *sample_out; /* one of them, the other is NULL */
    const bool *wanted;            /* [total cells]; NULL: all */
    int *offset;                   /* [ngroup] number of each group's first cell */
    size_t *sample;                /* [ngroup] number of its first sample */
    const brn_bending **bending;   /* [ngroup] of a shell, else NULL */
    double side;                   /* of shells: 1 or -1 */
    bool bent_only;                /* groups without bending are left unchanged */
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

/* Samples of elements, at most BLOCK. */
static void sample_range(const stress_job *job, int g, int first, int count)
{
    const brn_element_group *group = job->group[g];
    const size_t samples = (size_t)brn_recovery_samples(group->cell);
    double *out = job->sample_out + 6 * (job->sample[g] + (size_t)first * samples);
    if (job->bending[g] != NULL) {
        double moment[3 * BLOCK];
        brn_bending_moments(job->bending[g], job->x, first, count, moment);
        brn_membrane_face_stress(brn_membrane_of_group(group), job->x, first, count, moment, job->side, out);
    } else if (!job->bent_only) {
        group->kind->samples(group, job->x, first, count, out);
    }
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
        const size_t done = (size_t)first;
        if (wanted && job->cell_out != NULL) {
            group->kind->stress(group, job->x, first, last - first, job->cell_out + 6 * (offset + done), NULL,
                                NULL);
        } else if (wanted) {
            sample_range(job, g, first, last - first);
        }
    }
    return BRN_OK;
}

/* The bending of a shell's membrane: it has the same triangles. */
static const brn_bending *bending_of(const brn_model *model, const brn_element_group *membrane)
{
    for (int g = 0; g < model->ngroup && brn_membrane_of_group(membrane) != NULL; ++g) {
        const brn_bending *bending = brn_bending_of_group(model->group[g]);
        if (bending != NULL && bending->group.nelem == membrane->nelem && membrane->nelem > 0 &&
            memcmp(bending->group.conn, membrane->conn, 3 * sizeof(int)) == 0) {
            return bending;
        }
    }
    return NULL;
}

/* The groups whose elements are cells, and the number of each one's first cell: by kind, then in order of groups. */
static brn_status list_groups(const brn_model *model, brn_arena *arena, stress_job *job)
{
    BRN_TAKE(arena, job->group, model->ngroup);
    BRN_TAKE(arena, job->offset, model->ngroup);
    BRN_TAKE(arena, job->sample, model->ngroup);
    BRN_TAKE(arena, job->bending, model->ngroup);
    for (int g = 0; g < model->ngroup; ++g) {
        if (model->group[g]->cell >= 0) {
            job->bending[job->ngroup] = bending_of(model, model->group[g]);
            job->group[job->ngroup++] = model->group[g];
        }
    }
    int next = 0;
    size_t sample = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        for (int g = 0; g < job->ngroup; ++g) {
            if (job->group[g]->cell == kind) {
                job->offset[g] = next;
                job->sample[g] = sample;
                next += job->group[g]->nelem;
                sample += (size_t)job->group[g]->nelem * (size_t)brn_recovery_samples(kind);
            }
        }
    }
    return BRN_OK;
}

static brn_status run(brn_ctx *ctx, const brn_model *model, stress_job *job)
{
    brn_arena *arena = brn_ctx_arena(ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    brn_status status = list_groups(model, arena, job);
    int nblocks = 0;
    for (int g = 0; g < job->ngroup && status >= 0; ++g) {
        nblocks += brn_block_count(job->group[g]->nelem, BLOCK);
    }
    status = status >= 0 ? brn_parallel_for(ctx, nblocks, stress_block, job) : status;
    brn_arena_rewind(arena, mark);
    return status;
}

brn_status brn_field_cell_stress(brn_ctx *ctx, const brn_model *model, const double *x, double *cell_stress)
{
    stress_job job = {.x = (const double(*)[3])x, .cell_out = cell_stress};
    return run(ctx, model, &job);
}

brn_status brn_field_sample_stress(brn_ctx *ctx, const brn_model *model, const double *x, const bool *wanted,
                                   double *sample_stress)
{
    stress_job job = {.x = (const double(*)[3])x, .sample_out = sample_stress, .wanted = wanted, .side = 1.0};
    return run(ctx, model, &job);
}

static bool has_bending(const brn_model *model)
{
    bool found = false;
    for (int g = 0; g < model->ngroup && !found; ++g) {
        found = brn_bending_of_group(model->group[g]) != NULL;
    }
    return found;
}

/* Where the other face of a shell has more, its stress. */
static brn_status look_behind(brn_ctx *ctx, const brn_model *model, const brn_recovery *recovery,
                              const double *x, double *sample, double *out)
{
    double *other = NULL;
    stress_job job = {.x = (const double(*)[3])x,
                      .sample_out = sample,
                      .wanted = recovery->used,
                      .side = -1.0,
                      .bent_only = true};
    BRN_TAKE(brn_ctx_arena(ctx), other, 6 * (size_t)recovery->nvalue);
    BRN_TRY(run(ctx, model, &job));
    BRN_TRY(brn_recovery_apply(recovery, sample, other));
    for (int v = 0; v < recovery->nvalue; ++v) {
        if (brn_von_mises(other + 6 * (size_t)v) > brn_von_mises(out + 6 * (size_t)v)) {
            memcpy(out + 6 * (size_t)v, other + 6 * (size_t)v, 6 * sizeof *out);
        }
    }
    return BRN_OK;
}

brn_status brn_field_node_stress(brn_ctx *ctx, const brn_model *model, const brn_recovery *recovery,
                                 const double *x, double *sample, double *out)
{
    BRN_TRY(brn_field_sample_stress(ctx, model, x, recovery->used, sample));
    BRN_TRY(brn_recovery_apply(recovery, sample, out));
    if (!has_bending(model)) {
        return BRN_OK;
    }
    brn_arena *arena = brn_ctx_arena(ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = look_behind(ctx, model, recovery, x, sample, out);
    brn_arena_rewind(arena, mark);
    return status;
}

const char *const brn_component_names[6] = {"xx", "yy", "zz", "yz", "xz", "xy"};

void brn_principals(const double s[6], double out[3])
{
    static const double third = 2.0943951023931953; /* of a turn */
    const double mean = (s[0] + s[1] + s[2]) / 3.0;
    const double a = s[0] - mean, b = s[1] - mean, c = s[2] - mean;
    const double p = brn_von_mises(s) / 3.0; /* von Mises = sqrt(3/2 d:d) = 3 p */
    const double det =
        a * (b * c - s[3] * s[3]) - s[5] * (s[5] * c - s[3] * s[4]) + s[4] * (s[5] * s[3] - b * s[4]);
    const double ratio = p > 0.0 ? det / (2.0 * p * p * p) : 1.0;
    const double phi = acos(ratio < -1.0 ? -1.0 : ratio > 1.0 ? 1.0 : ratio) / 3.0;
    out[0] = mean + 2.0 * p * cos(phi);
    out[2] = mean + 2.0 * p * cos(phi + third);
    out[1] = 3.0 * mean - out[0] - out[2];
}
