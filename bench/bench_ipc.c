/* One row of the contact table: seconds and iterations per step, the profile of a step, and the reference beside them, on
   one thread and on two.

   A run does the same work every time, so step k of every repeat is the same step: its times are the medians over the
   repeats, which a busy machine hardly affects; then median and mean are taken over the steps. The profile is a share of
   the sum over all steps, so that what happens in only a few of them (a new pattern to analyse) is not lost. */
#include "bench_ipc.h"

#include "base/ctx.h"
#include "base/os.h"
#include "base/parallel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PHASES = sizeof(brn_phases) / sizeof(double), STEPS_LEAST = 3 };

/* [s] after which no further repeat begins, and after which a run counts no further steps. */
static const double REPEAT_UNTIL = 40.0;
static const double RUN_UNTIL = 240.0;

/* In the order of brn_phases. */
static const char *const phase_names[] = {"assembly",      "candidates", "CCD",    "intersection checks",
                                          "contact terms", "symbolic",   "factor", "solve",
                                          "line search",   "other"};
_Static_assert(sizeof phase_names / sizeof *phase_names == PHASES, "a name a phase");

typedef struct sample {
    double wall, cpu; /* [s] */
    double phase[PHASES];
} sample;

enum { SAMPLE_WIDTH = sizeof(sample) / sizeof(double), SAMPLE_TIMES = SAMPLE_WIDTH - PHASES };

/* What is the same in every repeat of the counted steps. */
typedef struct course {
    int steps, iterations, retries, contacts_max, intersections, inversions;
    double contacts; /* summed over the steps */
    double handled;  /* summed over the iterations, as if a step had those of its end in all of them */
    double gap_min, momentum_error;
    uint64_t hash;
    brn_model_info info;
} course;

typedef struct run {
    brn_ctx *ctx;
    brn_scene *scene;
    brn_model *model;
    brn_sim *sim;
} run;

static void run_close(run *r)
{
    brn_sim_destroy(r->sim);
    brn_model_destroy(r->model);
    brn_scene_destroy(r->scene);
}

static brn_status run_open(brn_ctx *ctx, const char *path, const brn_ipc_row *row, run *r)
{
    *r = (run){.ctx = ctx};
    brn_status status = brn_scene_load(ctx, path, &r->scene);
    for (int i = 0; i < BRN_IPC_SETS && row->sets[i] != NULL && status >= 0; ++i) {
        status = brn_scene_set(r->scene, row->sets[i]);
    }
    if (status >= 0) {
        status = brn_model_compile(ctx, r->scene, &r->model);
    }
    if (status >= 0) {
        status = brn_sim_create(ctx, r->model, &r->sim);
    }
    if (status < 0) {
        run_close(r);
    }
    return status;
}

static void count_step(const brn_report *report, course *c)
{
    c->steps++;
    c->iterations += report->iterations;
    c->retries += report->retries;
    c->contacts += report->contacts;
    c->handled += (double)report->contacts * report->iterations;
    c->intersections += report->intersections;
    c->inversions += report->inversions;
    c->contacts_max = report->contacts > c->contacts_max ? report->contacts : c->contacts_max;
    c->gap_min = fmin(c->gap_min, report->gap_min);
    c->momentum_error = fmax(c->momentum_error, report->momentum_error);
}

/* On one thread, the caller's time: libraries have threads of their own that spin for a while after loading. */
static double time_used(const run *r)
{
    return brn_pool_workers(brn_ctx_pool(r->ctx)) == 1 ? brn_thread_time() : brn_cpu_time();
}

/* Steps through the window; at most `most` steps are counted. */
static brn_status run_steps(run *r, const brn_ipc_row *row, int most, sample *samples, course *c)
{
    const double started = brn_wall_time();
    bool counting = row->window != BRN_WINDOW_IMPACT;
    *c = (course){.gap_min = INFINITY};
    brn_model_get_info(r->model, &c->info);
    while (c->steps < most && !brn_sim_done(r->sim)) {
        brn_report report;
        const double cpu = time_used(r);
        BRN_TRY(brn_sim_step(r->sim, &report));
        const double cpu_used = time_used(r) - cpu;
        counting = counting || report.contacts > 0;
        if (row->window == BRN_WINDOW_FREE && report.contacts > 0) {
            break;
        }
        if (counting) {
            sample *s = &samples[c->steps];
            s->wall = report.wall;
            s->cpu = cpu_used;
            memcpy(s->phase, &report.phases, sizeof s->phase);
            count_step(&report, c);
            c->hash = brn_sim_hash(r->sim);
        }
        if (brn_wall_time() - started > RUN_UNTIL && c->steps >= STEPS_LEAST) {
            break;
        }
    }
    return BRN_OK;
}

/* Runs as often as requested, or as time allows; samples is [repeats][row->steps]. */
static brn_status repeat_runs(brn_ctx *ctx, const char *path, const brn_ipc_row *row, int repeats,
                              sample *samples, course *c, int *done)
{
    const double started = brn_wall_time();
    int most = row->steps;
    for (*done = 0; *done < repeats && (*done == 0 || brn_wall_time() - started < REPEAT_UNTIL); ++*done) {
        run r;
        BRN_TRY(run_open(ctx, path, row, &r));
        const uint64_t hash = c->hash;
        const brn_status status = run_steps(&r, row, most, samples + (size_t)*done * (size_t)row->steps, c);
        run_close(&r);
        BRN_TRY(status);
        if (c->steps == 0) {
            return brn_fail(ctx, BRN_ERR_RANGE, "no step of %s is in the window", path);
        }
        if (*done > 0 && (c->steps != most || c->hash != hash)) {
            return brn_fail(ctx, BRN_ERR_RANGE, "%s: two runs on the same number of threads differ", path);
        }
        most = c->steps;
    }
    return BRN_OK;
}

/* In the first repeat's samples, every time of every step becomes its median over the repeats; that of a phase the
   shortest, because other programs on the processor can only add to it. */
static void reduce(sample *samples, int stride, int steps, int repeats)
{
    double values[BRN_BENCH_REPEATS_MAX];
    for (int k = 0; k < steps; ++k) {
        for (int i = 0; i < SAMPLE_WIDTH; ++i) {
            for (int n = 0; n < repeats; ++n) {
                values[n] = ((const double *)&samples[(size_t)n * (size_t)stride + (size_t)k])[i];
            }
            const double middle = brn_bench_median(values, repeats); /* sorts */
            ((double *)&samples[k])[i] = i < SAMPLE_TIMES ? middle : values[0];
        }
    }
}

typedef struct times {
    double median[2], mean[2]; /* [s] a step: wall, CPU */
    double share[PHASES];      /* of 1 */
} times;

static brn_status sum_up(brn_ctx *ctx, const sample *samples, int steps, times *t)
{
    *t = (times){0};
    double *values = NULL;
    BRN_ALLOC(ctx, values, steps);
    for (int which = 0; which < 2; ++which) {
        for (int k = 0; k < steps; ++k) {
            values[k] = which == 0 ? samples[k].wall : samples[k].cpu;
            t->mean[which] += values[k] / steps;
        }
        t->median[which] = brn_bench_median(values, steps);
    }
    double sum = 0.0;
    for (int k = 0; k < steps; ++k) {
        for (int i = 0; i < PHASES; ++i) {
            t->share[i] += samples[k].phase[i];
            sum += samples[k].phase[i];
        }
    }
    for (int i = 0; i < PHASES; ++i) {
        t->share[i] /= sum;
    }
    brn_free(ctx, values);
    return BRN_OK;
}

/* The reference for this thread count and how many times faster we are; nothing if unknown. It was measured on an idle
   machine: on one thread its wall time is CPU time, and is compared with ours, which a busy machine hardly changes. */
static brn_status add_reference(brn_bench *bench, const brn_ipc_row *row, int threads, const times *t)
{
    const double wall = threads == 1 || threads == 2 ? row->wall[threads - 1] : 0.0;
    const double reference = wall > 0.0 ? wall : row->cpu;
    const int which = wall > 0.0 && threads > 1 ? 0 : 1;
    if (!(reference > 0.0)) {
        return BRN_OK;
    }
    const char *clock = which == 0 ? "wall" : "CPU";
    BRN_TRY(brn_bench_add(bench, reference, "s/step", "%d thr, reference %s", threads, clock));
    BRN_TRY(brn_bench_add(bench, reference / t->median[which], "times faster", "%d thr, ratio by median",
                          threads));
    return brn_bench_add(bench, reference / t->mean[which], "times faster", "%d thr, ratio by mean", threads);
}

static brn_status add_times(brn_bench *bench, const brn_ipc_row *row, int threads, int repeats,
                            const times *t)
{
    static const char *const clocks[] = {"wall", "CPU"};
    for (int which = 0; which < 2; ++which) {
        BRN_TRY(
            brn_bench_add(bench, t->median[which], "s/step", "%d thr, %s median", threads, clocks[which]));
        BRN_TRY(brn_bench_add(bench, t->mean[which], "s/step", "%d thr, %s mean", threads, clocks[which]));
    }
    BRN_TRY(brn_bench_add(bench, repeats, "runs", "%d thr, repeats", threads));
    if (threads == 1) { /* 1 on an idle machine */
        BRN_TRY(brn_bench_add(bench, t->median[0] / t->median[1], "", "wall by CPU on 1 thr"));
    }
    BRN_TRY(add_reference(bench, row, threads, t));
    for (int i = 0; i < PHASES; ++i) {
        BRN_TRY(brn_bench_add(bench, 100.0 * t->share[i], "%", "%d thr, %s", threads, phase_names[i]));
    }
    /* Candidates, CCD and intersection checks. */
    const double collision = t->share[1] + t->share[2] + t->share[3];
    return brn_bench_add(bench, 100.0 * collision, "%", "%d thr, collision queries", threads);
}

/* CPU time of an iteration, and of a contact in it: how the cost grows, whatever the number of iterations. */
static brn_status add_rates(brn_bench *bench, int threads, const course *c, const times *t)
{
    const double cpu = t->mean[1] * c->steps;
    if (c->iterations == 0 || c->handled == 0.0) {
        return BRN_OK;
    }
    BRN_TRY(brn_bench_add(bench, cpu / c->iterations, "s", "%d thr, CPU an iteration", threads));
    return brn_bench_add(bench, cpu / c->handled, "s", "%d thr, CPU an iteration and contact", threads);
}

static brn_status add_course(brn_bench *bench, const brn_ipc_row *row, const course *c)
{
    BRN_TRY(brn_bench_add(bench, c->info.elements, "", "elements"));
    BRN_TRY(brn_bench_add(bench, c->info.nodes, "", "nodes"));
    BRN_TRY(brn_bench_add(bench, c->steps, "", "steps counted"));
    BRN_TRY(brn_bench_add(bench, (double)c->iterations / c->steps, "/step", "iterations"));
    if (row->iterations > 0.0) {
        BRN_TRY(brn_bench_add(bench, row->iterations, "/step", "reference iterations"));
    }
    if (row->goal > 0.0) {
        BRN_TRY(brn_bench_add(bench, row->goal, "times faster", "goal"));
    }
    BRN_TRY(brn_bench_add(bench, c->retries, "", "retries"));
    BRN_TRY(brn_bench_add(bench, c->contacts / c->steps, "/step", "contacts"));
    BRN_TRY(brn_bench_add(bench, c->contacts_max, "", "contacts, most"));
    BRN_TRY(brn_bench_add(bench, c->gap_min, "m", "smallest gap"));
    BRN_TRY(brn_bench_add(bench, c->intersections, "", "intersections"));
    BRN_TRY(brn_bench_add(bench, c->inversions, "", "inversions"));
    return brn_bench_add(bench, c->momentum_error, "", "momentum error");
}

static brn_status measure_threads(brn_bench *bench, const brn_ipc_row *row, const char *path, int threads,
                                  course *c, times *t, int *repeats)
{
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = threads;
    brn_ctx *ctx = NULL;
    BRN_TRY(brn_ctx_create(&options, &ctx));
    const int most = brn_bench_repeats(bench);
    sample *samples = brn_calloc(ctx, (size_t)most * (size_t)row->steps, sizeof *samples);
    brn_status status = samples != NULL ? BRN_OK : BRN_ERR_MEMORY;
    if (status >= 0) {
        status = repeat_runs(ctx, path, row, most, samples, c, repeats);
    }
    if (status >= 0) {
        reduce(samples, row->steps, c->steps, *repeats);
        status = sum_up(ctx, samples, c->steps, t);
    }
    if (status < 0) {
        (void)brn_fail(brn_bench_ctx(bench), status, "%s", brn_ctx_message(ctx));
    }
    brn_free(ctx, samples);
    brn_ctx_destroy(ctx);
    return status;
}

brn_status brn_bench_ipc_measure(brn_bench *bench, const brn_ipc_row *row)
{
    char path[4096];
    const int asked = brn_bench_threads(bench);
    const int threads[] = {asked > 0 ? asked : 1, 2};
    const int count = asked > 0 ? 1 : 2;
    course first = {0};
    (void)snprintf(path, sizeof path, "%s/%s/%s", brn_bench_scenes(bench), row->scene,
                   row->file != NULL ? row->file : "scene.yaml");
    if (!brn_file_exists(path)) {
        return brn_bench_add(bench, NAN, "absent", "scene %s", path);
    }
    for (int n = 0; n < count; ++n) {
        course c = {0};
        times t;
        int repeats = 0;
        const brn_status status = measure_threads(bench, row, path, threads[n], &c, &t, &repeats);
        if (status < 0) {
            BRN_TRY(brn_bench_add(bench, NAN, "failed", "scene %s, %d thr", row->scene, threads[n]));
            return status;
        }
        if (n == 0) {
            first = c;
            BRN_TRY(add_course(bench, row, &c));
        }
        BRN_TRY(add_times(bench, row, threads[n], repeats, &t));
        BRN_TRY(add_rates(bench, threads[n], &c, &t));
        if (n > 0 && first.steps == c.steps) {
            BRN_TRY(brn_bench_add(bench, c.hash == first.hash, "", "same bits on 1 and 2 thr"));
        }
    }
    return BRN_OK;
}
