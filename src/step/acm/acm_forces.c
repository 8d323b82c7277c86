/* Forces of elements. Those of one tick are evaluated first, batch by batch and in parallel, then every node adds its share of their impulses in a fixed
   order: no colours, no atomics, the same bits for any number of threads. A batch of elements that are evaluated together acts at one step, the shortest of
   theirs. The bending of a sheet is evaluated as a whole, pass by pass, unless elements act one by one or are damped. */
#include "step/acm/acm.h"

#include "base/lanes.h"
#include "base/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Elements of a run, nodes of a block, batches of a pass over a sheet: pieces for threads. */
enum { RUN_ELEMENTS = 128, NODE_BLOCK = 128, PASS_BATCHES = 128 / BRN_LANES };

void brn_acm_forces_free(brn_ctx *ctx, brn_acm_forces *forces)
{
    for (int i = 0; i < forces->nsheet; ++i) {
        brn_folds_destroy(forces->sheet[i].folds);
    }
    void *arrays[] = {forces->ticks, forces->share, forces->run,      forces->sheet,  forces->node,
                      forces->start, forces->pull,  forces->gradient, forces->damping};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(ctx, arrays[i]);
    }
    *forces = (brn_acm_forces){0};
}

/* ---- making ---------------------------------------------------------------------------------------------------------------- */

static int run_order(const void *a, const void *b)
{
    const brn_acm_run *p = a, *q = b;
    return p->level != q->level ? (p->level > q->level) - (p->level < q->level)
                                : (p->gradient > q->gradient) - (p->gradient < q->gradient);
}

/* Elements of a level act. */
static void count_elements(brn_acm_forces *f, int level, int count)
{
    f->finest = level < f->finest ? level : f->finest;
    f->coarsest = level > f->coarsest ? level : f->coarsest;
    for (; level < BRN_ACM_LEVELS; ++level) {
        f->elements[level] += count;
    }
}

/* Undamped bending by levels becomes a sheet, if it can; *added says whether. */
static brn_status add_sheet(brn_acm *acm, const brn_element_group *group, const double *step,
                            size_t *gradient, bool *added)
{
    brn_acm_forces *f = &acm->forces;
    const brn_bending *bending = brn_bending_of_group(group);
    int *level = NULL;
    brn_folds *folds = NULL;
    *added = false;
    if (bending == NULL || group->beta > 0.0 || brn_acm_schedule(acm) == BRN_ACM_EXACT) {
        return BRN_OK;
    }
    BRN_TAKE(brn_ctx_arena(acm->ctx), level, brn_block_count(group->nelem, BRN_LANES) + 1);
    for (int i = 0; i < group->nelem; i += BRN_LANES) {
        double least = INFINITY;
        for (int e = i; e < brn_block_end(group->nelem, BRN_LANES, i / BRN_LANES); ++e) {
            least = fmin(least, step[e]);
        }
        level[i / BRN_LANES] = brn_acm_level_below(acm, least);
    }
    BRN_TRY(brn_folds_create(acm->ctx, bending, level, &folds));
    if (folds != NULL) {
        *added = true;
        f->sheet[f->nsheet++] = (brn_acm_sheet){folds, *gradient, 0};
        *gradient += 9 * (size_t)group->nelem;
        for (int e = 0; e < group->nelem; ++e) {
            count_elements(f, level[e / BRN_LANES], 1);
        }
    }
    return BRN_OK;
}

/* Batches of a group that follow each other and have the same level become runs, with an exact schedule every element; *step is at the
   group's first element. */
static brn_status add_runs(brn_acm *acm, const brn_element_group *group, const double *step, int *capacity,
                           int *steps, size_t *gradient)
{
    brn_acm_forces *f = &acm->forces;
    const brn_stencils stencils = brn_group_stencils(group);
    const bool exact = brn_acm_schedule(acm) == BRN_ACM_EXACT;
    const int width = exact ? 1 : BRN_LANES;
    for (int first = 0; first < stencils.count; first += width) {
        const int count = first + width < stencils.count ? width : stencils.count - first;
        double least = INFINITY;
        for (int i = first; i < first + count; ++i) {
            least = fmin(least, step[i]);
        }
        const int level = brn_acm_level_below(acm, least);
        brn_acm_run *last = f->nrun > 0 ? &f->run[f->nrun - 1] : NULL;
        const bool same = last != NULL && last->group == group && last->level == level;
        if (same && !exact && last->count < RUN_ELEMENTS) {
            last->count += count;
        } else {
            BRN_GROW(acm->ctx, f->run, *capacity, f->nrun + 1);
            f->run[f->nrun] = (brn_acm_run){group, first, count, level, level, *gradient};
            if (exact) {
                BRN_GROW(acm->ctx, f->ticks, *steps, f->nrun + 1);
                f->ticks[f->nrun] = (brn_tick)(least / acm->tick);
                f->run[f->nrun].step = f->nrun;
            }
            f->nrun++;
        }
        *gradient += (size_t)count * (size_t)brn_group_grad_size(group);
    }
    return BRN_OK;
}

typedef struct tagged_pull {
    int node, level;
    brn_acm_pull pull;
} tagged_pull;

static int pull_order(const void *a, const void *b)
{
    const tagged_pull *p = a, *q = b;
    if (p->node != q->node) {
        return (p->node > q->node) - (p->node < q->node);
    }
    return p->level != q->level
               ? (p->level > q->level) - (p->level < q->level)
               : (p->pull.gradient > q->pull.gradient) - (p->pull.gradient < q->pull.gradient);
}

static int list_pulls(const brn_acm_forces *f, tagged_pull *to)
{
    int count = 0;
    for (int s = 0; s < f->nsheet; ++s) {
        const brn_folds *folds = f->sheet[s].folds;
        const brn_element_group *group = &folds->bending->group;
        for (int i = 0; i < 3 * group->nelem; ++i) {
            const int level = folds->level[i / 3];
            if (level > folds->coarsest) {
                continue;
            }
            if (to != NULL) {
                const int node = group->conn[(size_t)(i / 3) * (size_t)group->nnode + (size_t)(i % 3)];
                const size_t at = f->sheet[s].gradient + 3 * (size_t)i;
                to[count] = (tagged_pull){node, level, {(uint32_t)at, (unsigned)level, 1}};
            }
            ++count;
        }
    }
    for (int r = 0; r < f->nrun; ++r) {
        const brn_acm_run *run = &f->run[r];
        const brn_stencils stencils = brn_group_stencils(run->group);
        for (int i = 0; i < run->count * stencils.width; ++i) {
            if (to != NULL) {
                const int node = stencils.node[(size_t)run->first * (size_t)stencils.width + (size_t)i];
                const size_t at = run->gradient + (size_t)i * (size_t)run->group->dim;
                to[count] = (tagged_pull){node, run->level, {(uint32_t)at, (unsigned)run->step, 0}};
            }
            ++count;
        }
    }
    return count;
}

/* Nodes by level and number, with their pulls. */
static brn_status sort_nodes(brn_acm *acm, const tagged_pull *pull, int npull)
{
    brn_acm_forces *f = &acm->forces;
    const int nnode = acm->model->nnode;
    int *first = NULL;
    BRN_ALLOC(acm->ctx, f->node, nnode + 1);
    BRN_ALLOC(acm->ctx, f->start, nnode + 2);
    BRN_ALLOC(acm->ctx, f->pull, npull + 1);
    BRN_TAKE(brn_ctx_arena(acm->ctx), first, nnode + 1);
    memset(first, -1, (size_t)nnode * sizeof *first);
    for (int i = npull - 1; i >= 0; --i) {
        first[pull[i].node] = i;
    }
    int count = 0;
    for (int level = f->finest; level <= f->coarsest; ++level) {
        for (int a = 0; a < nnode; ++a) {
            if (first[a] < 0 || pull[first[a]].level != level) {
                continue;
            }
            for (int i = first[a]; i < npull && pull[i].node == a; ++i) {
                f->pull[count++] = pull[i].pull;
            }
            f->node[f->nnode++] = a;
            f->start[f->nnode] = count;
            acm->node_level[a] = level;
        }
        for (int above = level; above < BRN_ACM_LEVELS; ++above) {
            f->node_end[above] = f->nnode;
        }
    }
    return BRN_OK;
}

static brn_status fill_nodes(brn_acm *acm)
{
    brn_acm_forces *f = &acm->forces;
    tagged_pull *pull = NULL;
    const int npull = list_pulls(f, NULL);
    BRN_TAKE(brn_ctx_arena(acm->ctx), pull, npull + 1);
    (void)list_pulls(f, pull);
    qsort(pull, (size_t)npull, sizeof *pull, pull_order);
    return sort_nodes(acm, pull, npull);
}

/* Of levels, or of every run. */
static brn_status set_steps(brn_acm *acm, int *capacity)
{
    brn_acm_forces *f = &acm->forces;
    f->nstep = f->nrun;
    if (brn_acm_schedule(acm) != BRN_ACM_EXACT) {
        f->nstep = BRN_ACM_LEVELS;
        BRN_GROW(acm->ctx, f->ticks, *capacity, f->nstep);
        for (int level = 0; level < f->nstep; ++level) {
            f->ticks[level] = (brn_tick)1 << level;
        }
    }
    BRN_ALLOC(acm->ctx, f->share, f->nstep + 1);
    return BRN_OK;
}

brn_status brn_acm_forces_create(brn_acm *acm, const double *step)
{
    brn_acm_forces *f = &acm->forces;
    size_t gradient = 0;
    int capacity = 0;
    int steps = 0;
    f->finest = BRN_ACM_LEVELS;
    f->coarsest = -1;
    BRN_ALLOC(acm->ctx, f->sheet, acm->system->npart + 1);
    for (int i = 0; i < acm->system->npart; ++i) {
        const brn_element_group *group = acm->system->part[i];
        bool added = false;
        BRN_TRY(add_sheet(acm, group, step, &gradient, &added));
        BRN_TRY(added ? BRN_OK : add_runs(acm, group, step, &capacity, &steps, &gradient));
        step += brn_group_stencils(group).count;
    }
    if (gradient > UINT32_MAX) {
        return brn_fail(acm->ctx, BRN_ERR_LIMIT, "the forces of all elements are %.3g numbers: at most %.3g",
                        (double)gradient, (double)UINT32_MAX);
    }
    BRN_TRY(set_steps(acm, &steps));
    f->gradients = gradient;
    BRN_ALLOC(acm->ctx, f->gradient, gradient + BRN_ACM_SPARE);
    if (f->nrun > 0) {
        qsort(f->run, (size_t)f->nrun, sizeof *f->run, run_order);
    }
    for (int r = 0; r < f->nrun; ++r) {
        count_elements(f, f->run[r].level, f->run[r].count);
        for (int level = f->run[r].level; level < BRN_ACM_LEVELS; ++level) {
            f->run_end[level] = r + 1;
        }
    }
    brn_arena *arena = brn_ctx_arena(acm->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = fill_nodes(acm);
    brn_arena_rewind(arena, mark);
    return status;
}

/* ---- acting ----------------------------------------------------------------------------------------------------------------- */

typedef struct act_job {
    brn_acm *acm;
    const double *x; /* [nnode][3] */
    brn_tick t;
    int nnode;
    const double *share; /* [s] of each step */
    int last;            /* step that acts */
    double *force;
    bool damps;
    int nrun; /* that act */
    brn_folds_pass pass;
    int blocks; /* of the pass */
} act_job;

static brn_status advance_block(void *arg, int block, brn_arena *scratch)
{
    const act_job *job = arg;
    (void)scratch;
    for (int i = block * NODE_BLOCK; i < brn_block_end(job->nnode, NODE_BLOCK, block); ++i) {
        brn_acm_advance(job->acm, job->acm->forces.node[i], job->t);
    }
    return BRN_OK;
}

/* A piece of a pass over the sheets. */
static brn_status pass_block(void *arg, int block, brn_arena *scratch)
{
    const act_job *job = arg;
    const brn_acm_forces *f = &job->acm->forces;
    const brn_acm_sheet *sheet = &f->sheet[f->nsheet - 1];
    (void)scratch;
    while (sheet->start > block) {
        --sheet;
    }
    const int first = (block - sheet->start) * PASS_BATCHES;
    const int count = brn_folds_count(sheet->folds, job->pass, job->last);
    brn_folds_run(sheet->folds, job->pass, first, brn_block_end(count, PASS_BATCHES, first / PASS_BATCHES),
                  (const double(*)[3])job->x, job->share, job->last, &f->gradient[sheet->gradient]);
    return BRN_OK;
}

/* A run; or, beyond them, a piece of the first pass over the sheets. */
static brn_status eval_block(void *arg, int block, brn_arena *scratch)
{
    const act_job *job = arg;
    if (block >= job->nrun) {
        return pass_block(arg, block - job->nrun, scratch);
    }
    const brn_acm_run *run = &job->acm->forces.run[block];
    run->group->kind->eval(run->group, (const double(*)[3])job->x, run->first, run->count, BRN_TANGENT_EXACT,
                           NULL, &job->acm->forces.gradient[run->gradient], NULL);
    return job->damps && run->group->beta > 0.0 ? brn_acm_damp_run(job->acm, block, scratch) : BRN_OK;
}

static void begin_pass(act_job *job, brn_folds_pass pass)
{
    const brn_acm_forces *f = &job->acm->forces;
    job->pass = pass;
    job->blocks = 0;
    for (int i = 0; i < f->nsheet; ++i) {
        f->sheet[i].start = job->blocks;
        job->blocks += brn_block_count(brn_folds_count(f->sheet[i].folds, pass, job->last), PASS_BATCHES);
    }
}

/* The gradients of all that acts. */
static brn_status evaluate(act_job *job, int nrun)
{
    brn_ctx *ctx = job->acm->ctx;
    job->nrun = nrun;
    begin_pass(job, BRN_FOLDS_FACES);
    BRN_TRY(brn_parallel_for(ctx, nrun + job->blocks, eval_block, job));
    for (int pass = BRN_FOLDS_FACES + 1; pass < BRN_FOLDS_PASSES && job->acm->forces.nsheet > 0; ++pass) {
        begin_pass(job, (brn_folds_pass)pass);
        BRN_TRY(brn_parallel_for(ctx, job->blocks, pass_block, job));
    }
    return BRN_OK;
}

/* Whole registers are read: what is beyond the pull's own components is left out of the sum. */
static inline void add_pulls(const act_job *job, const double *gradient, int i, double sum[3])
{
    const brn_acm_forces *f = &job->acm->forces;
    brn_quad total = {0.0, 0.0, 0.0, 0.0};
    for (int k = f->start[i]; k < f->start[i + 1] && (int)f->pull[k].step <= job->last; ++k) {
        const double share = f->pull[k].shared ? 1.0 : job->share[f->pull[k].step];
        brn_quad g;
        memcpy(&g, &gradient[f->pull[k].gradient], sizeof g);
        total -= share * g;
    }
    sum[0] = total[0];
    sum[1] = total[1];
    sum[2] = job->acm->model->dim == 3 ? total[2] : 0.0;
}

/* The impulse of elasticity with that of damping, which is kept for the books. */
static void push_damped(const act_job *job, int i, const double elastic[3])
{
    double *damping = &job->acm->taken[3 * (size_t)i];
    double impulse[3];
    add_pulls(job, job->acm->forces.damping, i, damping);
    for (int d = 0; d < 3; ++d) {
        impulse[d] = elastic[d] + damping[d];
    }
    brn_acm_push(job->acm, job->acm->forces.node[i], impulse);
}

static brn_status kick_block(void *arg, int block, brn_arena *scratch)
{
    const act_job *job = arg;
    const brn_acm_forces *f = &job->acm->forces;
    (void)scratch;
    for (int i = block * NODE_BLOCK; i < brn_block_end(job->nnode, NODE_BLOCK, block); ++i) {
        const int a = f->node[i];
        double impulse[3];
        add_pulls(job, f->gradient, i, impulse);
        if (job->acm->damped == NULL || job->acm->damped[a] == 0) {
            brn_acm_push(job->acm, a, impulse);
        } else {
            push_damped(job, i, impulse);
        }
    }
    return BRN_OK;
}

static brn_status sum_block(void *arg, int block, brn_arena *scratch)
{
    const act_job *job = arg;
    (void)scratch;
    for (int i = block * NODE_BLOCK; i < brn_block_end(job->nnode, NODE_BLOCK, block); ++i) {
        add_pulls(job, job->acm->forces.gradient, i, &job->force[3 * job->acm->forces.node[i]]);
    }
    return BRN_OK;
}

brn_status brn_acm_forces_act(brn_acm *acm, brn_tick t, int level)
{
    const brn_acm_forces *f = &acm->forces;
    act_job job = {.acm = acm,
                   .x = acm->nodes.place,
                   .t = t,
                   .nnode = f->node_end[level],
                   .share = acm->seconds,
                   .last = level,
                   .damps = true};
    const int blocks = brn_block_count(job.nnode, NODE_BLOCK);
    BRN_TRY(brn_parallel_for(acm->ctx, blocks, advance_block, &job));
    BRN_TRY(evaluate(&job, f->run_end[level]));
    BRN_TRY(brn_parallel_for(acm->ctx, blocks, kick_block, &job));
    brn_acm_kds_kicked(acm, f->node, job.nnode);
    acm->sums.events += f->elements[level];
    return BRN_OK;
}

void brn_acm_book_damping(brn_acm *acm, int level)
{
    const brn_acm_forces *f = &acm->forces;
    for (int i = 0; i < f->node_end[level] && acm->damped != NULL; ++i) {
        const int a = f->node[i];
        for (int d = 0; d < 3 && acm->damped[a] > 0; ++d) {
            const int at = 3 * a + d;
            acm->sums.dissipated -= 0.5 * acm->taken[3 * (size_t)i + (size_t)d] *
                                    (acm->nodes.before[at] + acm->nodes.velocity[at]);
        }
    }
}

brn_status brn_acm_forces_sum(brn_acm *acm, const double *x, brn_tick now, double rest, double *force)
{
    const brn_acm_forces *f = &acm->forces;
    act_job job = {
        .acm = acm, .x = x, .nnode = f->nnode, .share = f->share, .last = f->nstep, .force = force};
    memset(force, 0, 3 * (size_t)acm->model->nnode * sizeof *force);
    for (int i = 0; i < f->nstep; ++i) {
        f->share[i] = brn_acm_excess(acm, f->ticks[i], now, rest);
    }
    BRN_TRY(evaluate(&job, f->nrun));
    return brn_parallel_for(acm->ctx, brn_block_count(f->nnode, NODE_BLOCK), sum_block, &job);
}
