/* The driver: points from an optimiser or a sweep, simulations by the evaluator, values into the log. */
#include "base/json.h"
#include "base/lock.h"
#include "base/os.h"
#include "optimize/optimize.h"
#include "study/design_inner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct study {
    brn_design *design;
    brn_ctx *ctx;
    const brn_design_options *options;
    char *log, *out;
    int64_t total;
    int64_t jobs;   /* numbers given out */
    brn_status end; /* not BRN_OK: no further job is started */
    double began;   /* [s] wall */
    double elapsed; /* [s] of earlier calls */
    double limit;   /* [s] of a simulation */
} study;

/* One simulation under way or to come. */
typedef struct job {
    struct task *task;
    int sample;
    char *folder;
    brn_design_settings settings;
    bool started, ended;
} job;

/* A point whose simulations are run. */
typedef struct task {
    brn_design_record *record;
    brn_design_simulation *simulation; /* [samples] */
    double *drawn;                     /* [samples][ntolerance] */
    int left;                          /* simulations that have not ended */
} task;

brn_design_options brn_design_options_default(void)
{
    return (brn_design_options){.seed = -1};
}

const char *brn_design_folder(const brn_design *design, int64_t index, int sample, char text[64])
{
    if (design->samples > 1) {
        (void)snprintf(text, 64, "runs/%04" PRId64 "-%d", index, sample);
    } else {
        (void)snprintf(text, 64, "runs/%04" PRId64, index);
    }
    return text;
}

static double elapsed(const study *s)
{
    return s->elapsed + brn_wall_time() - s->began;
}

static double cpu_total(const brn_design *d)
{
    double sum = 0.0;
    for (int64_t i = 0; i < d->nused; ++i) {
        sum += d->used[i]->cpu;
    }
    return sum;
}

/* ---- points that are known ---------------------------------------------------------------------------------------------------- */

static bool same_point(const brn_design *d, const double *a, const double *b)
{
    return memcmp(a, b, (size_t)d->n * sizeof *a) == 0;
}

static brn_design_record *find_used(const brn_design *d, const double *x)
{
    for (int64_t i = 0; i < d->nused; ++i) {
        if (same_point(d, d->used[i]->x, x)) {
            return d->used[i];
        }
    }
    return NULL;
}

/* The record of a point: one of this run, one of the log, or a new one, which is pending (samples 0). */
static brn_status request(study *s, const double *x, brn_design_record **out)
{
    brn_design *d = s->design;
    *out = find_used(d, x);
    if (*out != NULL) {
        return BRN_OK;
    }
    BRN_GROW(s->ctx, d->used, d->used_room, d->nused + 1);
    const int64_t index = d->nused;
    brn_design_record **logged = index < d->nlogged ? &d->logged[index] : NULL;
    if (logged != NULL && *logged != NULL && !(*logged)->lost && same_point(d, (*logged)->x, x)) {
        *out = *logged;
        *logged = NULL;
        ++d->repeated;
    } else {
        char folder[64];
        *out = brn_design_record_create(d);
        if (*out == NULL) {
            return BRN_ERR_MEMORY;
        }
        memcpy((*out)->x, x, (size_t)d->n * sizeof *x);
        (*out)->index = index;
        (*out)->folder = brn_strdup(s->ctx, brn_design_folder(d, index, 0, folder));
        (*out)->objective = (*out)->violation = NAN;
    }
    d->used[d->nused++] = *out;
    return (*out)->folder != NULL ? BRN_OK : BRN_ERR_MEMORY;
}

/* ---- telling ---------------------------------------------------------------------------------------------------------------------- */

static void tell(study *s, const brn_design_record *last, int running)
{
    const brn_design *d = s->design;
    if (s->options->progress == NULL) {
        return;
    }
    brn_design_evaluation view = {0}, best_view = {0};
    const brn_design_record *best = brn_design_best(d);
    int64_t done = 0;
    for (int64_t i = 0; i < d->nused; ++i) {
        done += d->used[i]->samples > 0;
    }
    if (last != NULL) {
        brn_design_record_view(last, &view);
    }
    if (best != NULL) {
        brn_design_record_view(best, &best_view);
    }
    const brn_design_progress progress = {
        .done = done,
        .total = s->total,
        .running = running,
        .wall = brn_wall_time() - s->began,
        .cpu = cpu_total(d),
        .last = last != NULL ? &view : NULL,
        .best = best != NULL ? &best_view : NULL,
    };
    if (s->options->progress(s->options->progress_user, &progress) && s->end == BRN_OK) {
        s->end = BRN_REMARK_STOPPED;
    }
}

/* ---- jobs --------------------------------------------------------------------------------------------------------------------------- */

static brn_status make_job(study *s, job *j)
{
    char name[64];
    const brn_design *d = s->design;
    j->folder = brn_path_join(s->ctx, s->out, brn_design_folder(d, j->task->record->index, j->sample, name));
    return j->folder != NULL ? BRN_OK : BRN_ERR_MEMORY;
}

/* A point whose last simulation has ended. */
static brn_status finish_task(study *s, task *t, int running)
{
    brn_status status = brn_design_record_sum_up(s->design, t->record, t->simulation);
    if (status >= 0) {
        status = brn_design_log_add(s->design, s->log, t->record, t->simulation, t->drawn, elapsed(s));
    }
    if (status < 0) {
        t->record->samples = 0; /* not in the log: it does not count */
        return status;
    }
    tell(s, t->record, running);
    return BRN_OK;
}

static void fail_simulation(brn_design_simulation *sim, brn_status status, const char *reason)
{
    sim->status = status;
    sim->value = false;
    (void)snprintf(sim->reason, sizeof sim->reason, "%s", reason);
}

/* The settings of a job, and its start. A point that cannot be set in the scene has failed. */
static brn_status start_job(study *s, job *j, int64_t number)
{
    brn_design *d = s->design;
    brn_design_simulation *sim = &j->task->simulation[j->sample];
    j->settings.ctx = s->ctx;
    const brn_status set =
        brn_design_point_settings(d, j->task->record->x, j->sample, &j->settings,
                                  j->task->drawn + (size_t)j->sample * (size_t)d->ntolerance);
    if (set == BRN_ERR_SCENE || set == BRN_ERR_RANGE) {
        fail_simulation(sim, set, brn_ctx_message(s->ctx));
        j->ended = true;
        return BRN_OK;
    }
    BRN_TRY(set);
    const brn_design_job description = {
        .number = number,
        .scene = d->scene_path,
        .set = (const char *const *)j->settings.item,
        .nset = j->settings.count,
        .folder = j->folder,
        .full = s->options->keep,
        .limit = s->limit,
    };
    BRN_TRY(s->options->evaluator.start(s->options->evaluator.user, &description));
    j->started = true;
    return BRN_OK;
}

/* What came back of a job. */
static brn_status end_job(study *s, job *j, const brn_design_outcome *outcome)
{
    brn_design_simulation *sim = &j->task->simulation[j->sample];
    sim->status = outcome->status;
    sim->wall = outcome->wall;
    sim->cpu = outcome->cpu;
    sim->lost = outcome->lost;
    j->ended = true;
    if (outcome->status == BRN_ERR_FULL) {
        return brn_fail(s->ctx, BRN_ERR_FULL, "%s", outcome->reason);
    }
    if (outcome->status == BRN_REMARK_STOPPED) {
        sim->stopped = true;
        return BRN_REMARK_STOPPED;
    }
    if (outcome->status < 0 || outcome->lost) {
        fail_simulation(sim, outcome->status, outcome->reason);
        return BRN_OK;
    }
    return brn_design_measure(s->design, j->task->record->x, j->folder, sim);
}

static bool was_stopped(const study *s, const task *t)
{
    bool stopped = false;
    for (int i = 0; i < s->design->samples; ++i) {
        stopped = stopped || t->simulation[i].stopped;
    }
    return stopped;
}

/* The first reason to end stays. */
static void note_end(study *s, brn_status status)
{
    if (status != BRN_OK && (s->end == BRN_OK || (status < 0 && s->end > 0))) {
        s->end = status;
    }
}

static void close_job(study *s, job *j, int running)
{
    brn_design_settings_clear(&j->settings);
    if (--j->task->left == 0 && !was_stopped(s, j->task) && s->end >= 0) {
        note_end(s, finish_task(s, j->task, running));
    }
}

/* All jobs, as many at once as the evaluator takes. What is under way when it has to end is waited for. */
static brn_status run_jobs(study *s, job *jobs, int64_t count)
{
    const brn_evaluator *evaluator = &s->options->evaluator;
    const int64_t first = s->jobs;
    int64_t next = 0;
    int running = 0;
    s->jobs += count;
    while (running > 0 || (next < count && s->end == BRN_OK)) {
        while (next < count && s->end == BRN_OK && running < evaluator->slots) {
            job *j = &jobs[next];
            note_end(s, start_job(s, j, first + next));
            ++next;
            running += j->started;
            if (j->ended) {
                close_job(s, j, running);
            }
        }
        if (running == 0) {
            continue;
        }
        brn_design_outcome outcome = {0};
        BRN_TRY(evaluator->collect(evaluator->user, &outcome));
        const int64_t at = outcome.number - first;
        if (at < 0 || at >= count || !jobs[at].started || jobs[at].ended) {
            return brn_fail(s->ctx, BRN_ERR_RANGE,
                            "the evaluator ended job %" PRId64 ", which was not under way", outcome.number);
        }
        --running;
        note_end(s, end_job(s, &jobs[at], &outcome));
        close_job(s, &jobs[at], running);
    }
    return s->end < 0 ? s->end : BRN_OK;
}

/* ---- a batch of points ------------------------------------------------------------------------------------------------------------- */

static void free_tasks(study *s, task *tasks, int64_t ntask, job *jobs, int64_t njob)
{
    for (int64_t i = 0; jobs != NULL && i < njob; ++i) {
        brn_design_settings_clear(&jobs[i].settings);
        brn_free(s->ctx, jobs[i].folder);
    }
    for (int64_t i = 0; tasks != NULL && i < ntask; ++i) {
        brn_design_simulations_destroy(s->design, tasks[i].simulation);
        brn_free(s->ctx, tasks[i].drawn);
    }
    brn_free(s->ctx, tasks);
    brn_free(s->ctx, jobs);
}

static brn_status make_tasks(study *s, task *tasks, int64_t ntask, job *jobs)
{
    const brn_design *d = s->design;
    for (int64_t i = 0; i < ntask; ++i) {
        task *t = &tasks[i];
        BRN_TRY(brn_design_simulations_create(d, &t->simulation));
        BRN_ALLOC(s->ctx, t->drawn, (size_t)d->samples * (size_t)d->ntolerance);
        t->left = d->samples;
        for (int k = 0; k < d->samples; ++k) {
            job *j = &jobs[i * d->samples + k];
            *j = (job){.task = t, .sample = k, .settings = {.ctx = s->ctx}};
            BRN_TRY(make_job(s, j));
        }
    }
    return BRN_OK;
}

/* x [count][n]; records [count]. */
static brn_status evaluate_points(study *s, int64_t count, const double *x, brn_design_record **records)
{
    brn_design *d = s->design;
    task *tasks = NULL;
    job *jobs = NULL;
    BRN_ALLOC(s->ctx, tasks, count);
    int64_t ntask = 0;
    brn_status status = BRN_OK;
    for (int64_t i = 0; status >= 0 && i < count; ++i) {
        const int64_t before = d->nused;
        status = request(s, x + i * d->n, &records[i]);
        if (status >= 0 && d->nused > before) {
            if (records[i]->samples == 0) {
                tasks[ntask++].record = records[i];
            } else {
                tell(s, records[i], 0);
            }
        }
    }
    const int64_t njob = ntask * d->samples;
    if (status >= 0 && ntask > 0) {
        jobs = brn_calloc(s->ctx, (size_t)njob, sizeof *jobs);
        status = jobs != NULL ? make_tasks(s, tasks, ntask, jobs) : BRN_ERR_MEMORY;
        status = status >= 0 && s->end == BRN_OK ? run_jobs(s, jobs, njob) : status;
    }
    free_tasks(s, tasks, ntask, jobs, njob);
    return status;
}

/* ---- the search --------------------------------------------------------------------------------------------------------------------- */

static brn_status evaluate_batch(study *s, int count, const double *y, double *value, double *constraint)
{
    const brn_design *d = s->design;
    double *x = NULL;
    brn_design_record **records = NULL;
    BRN_ALLOC(s->ctx, x, (size_t)count * (size_t)d->n);
    records = brn_calloc(s->ctx, (size_t)count, sizeof(void *));
    for (int i = 0; i < count * d->n; ++i) {
        x[i] = brn_design_from_search(&d->axis[i % d->n], y[i]);
    }
    brn_status status = records != NULL ? evaluate_points(s, count, x, records) : BRN_ERR_MEMORY;
    if (status >= 0 && s->end != BRN_OK) {
        status = BRN_ERR_CANCELLED;
    }
    for (int i = 0; status >= 0 && i < count; ++i) {
        const brn_design_record *r = records[i];
        value[i] = brn_design_maximises(d) ? -r->objective : r->objective;
        memcpy(constraint + (size_t)i * (size_t)d->nconstraint, r->constraint,
               (size_t)d->nconstraint * sizeof *constraint);
    }
    brn_free(s->ctx, (void *)records);
    brn_free(s->ctx, x);
    return status;
}

static brn_status evaluate_call(void *user, int count, const double *y, double *value, double *constraint)
{
    return evaluate_batch(user, count, y, value, constraint);
}

static brn_status search_from(study *s, int64_t seed, double *lower, double *upper, double *start,
                              const char **end)
{
    const brn_design *d = s->design;
    const brn_optimizer_def *def = &d->def->optimizer;
    const brn_optimize_problem problem = {
        .n = d->n,
        .constraints = d->nconstraint,
        .lower = lower,
        .upper = upper,
        .start = start,
        .evaluate = evaluate_call,
        .user = s,
    };
    brn_optimize_options options = brn_optimize_options_default();
    options.type = (brn_optimizer)def->type;
    options.seed = (uint64_t)seed;
    options.evaluations = s->total; /* every optimiser begins with the start */
    options.population = def->population;
    options.restarts = def->restarts;
    options.slack = def->slack;
    options.spread = def->spread;
    options.tolerance = def->tolerance;
    const bool maximise = brn_design_maximises(d);
    options.target = isnan(def->target) ? -INFINITY : maximise ? -def->target : def->target;
    double *x = NULL;
    BRN_ALLOC(s->ctx, x, d->n);
    brn_optimize_result result = {.x = x};
    const brn_status status = brn_optimize(s->ctx, &problem, &options, &result);
    brn_free(s->ctx, x);
    *end = status >= 0 ? brn_optimize_end_names[result.end] : "stopped";
    return status;
}

static brn_status search(study *s, int64_t seed, const char **end)
{
    const brn_design *d = s->design;
    double *room = NULL;
    BRN_ALLOC(s->ctx, room, 3 * (size_t)d->n);
    double *lower = room, *upper = room + d->n, *start = room + 2 * d->n;
    for (int i = 0; i < d->n; ++i) {
        lower[i] = brn_design_to_search(&d->axis[i], d->axis[i].info.min);
        upper[i] = brn_design_to_search(&d->axis[i], d->axis[i].info.max);
        start[i] = fmin(fmax(brn_design_to_search(&d->axis[i], d->axis[i].info.start), lower[i]), upper[i]);
    }
    const brn_status status = search_from(s, seed, lower, upper, start, end);
    brn_free(s->ctx, room);
    return status;
}

/* All points are known beforehand: one batch. */
static brn_status sweep(study *s, int64_t seed, const char **end)
{
    double *points = NULL;
    int64_t count = 0;
    BRN_TRY(brn_design_sweep_points(s->design, seed, &points, &count));
    count = s->options->evaluations > 0 && s->options->evaluations < count ? s->options->evaluations : count;
    s->total = count;
    brn_design_record **records = brn_calloc(s->ctx, (size_t)count, sizeof(void *));
    brn_status status = records != NULL ? evaluate_points(s, count, points, records) : BRN_ERR_MEMORY;
    status = status >= 0 && s->end != BRN_OK ? BRN_ERR_CANCELLED : status;
    *end = "points";
    brn_free(s->ctx, (void *)records);
    brn_free(s->ctx, points);
    return status;
}

/* ---- the end ---------------------------------------------------------------------------------------------------------------------------- */

/* Points that were asked for and never ended. */
static void drop_pending(brn_design *d)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < d->nused; ++i) {
        if (d->used[i]->samples > 0) {
            d->used[kept++] = d->used[i];
        } else {
            brn_design_record_destroy(d, d->used[i]);
        }
    }
    d->nused = kept;
}

static void sum_up(const study *s, const char *end, brn_design_result *out)
{
    const brn_design *d = s->design;
    *out = (brn_design_result){.end = end, .evaluations = d->nused, .repeated = d->repeated};
    for (int64_t i = 0; i < d->nused; ++i) {
        out->failed += d->used[i]->failed;
    }
    if (d->kind == BRN_DESIGN_SEARCH && d->nused > 0 && d->used[0]->index == 0) {
        brn_design_record_view(d->used[0], &out->start);
    }
    const brn_design_record *best = brn_design_best(d);
    if (best != NULL) {
        brn_design_record_view(best, &out->best);
        out->feasible = best->violation <= d->def->optimizer.slack;
    }
    out->wall = elapsed(s);
    out->cpu = cpu_total(d);
}

/* The run that is shown goes by the title of the problem: the scene's own may be that of the start. */
static brn_status add_title(const brn_design *d, brn_design_settings *settings)
{
    char *title = NULL;
    if (d->def->title == NULL) {
        return BRN_OK;
    }
    brn_json json = {.text = {.ctx = d->ctx}, .lines = -1};
    brn_json_text(&json, NULL, d->def->title);
    BRN_TRY(brn_text_take(&json.text, &title));
    const brn_status status = brn_design_settings_add(settings, "title", title);
    brn_free(d->ctx, title);
    return status;
}

/* Once more with everything that is to be looked at: the best or, if nothing is sought, the first. */
static brn_status run_shown(study *s, bool *done)
{
    brn_design *d = s->design;
    const brn_design_record *best = brn_design_best(d);
    const brn_design_record *shown = best != NULL                           ? best
                                     : d->objective == NULL && d->nused > 0 ? d->used[0]
                                                                            : NULL;
    const brn_evaluator *evaluator = &s->options->evaluator;
    char *folder = shown != NULL ? brn_path_join(s->ctx, s->out, best != NULL ? "best" : "first") : NULL;
    *done = false;
    if (folder == NULL) {
        return shown != NULL ? BRN_ERR_MEMORY : BRN_OK;
    }
    brn_design_settings settings = {.ctx = s->ctx};
    brn_status status = brn_design_point_settings(d, shown->x, 0, &settings, NULL);
    status = status >= 0 ? add_title(d, &settings) : status;
    const brn_design_job description = {
        .number = s->jobs++,
        .scene = d->scene_path,
        .set = (const char *const *)settings.item,
        .nset = settings.count,
        .folder = folder,
        .full = true,
    };
    brn_design_outcome outcome = {0};
    status = status >= 0 ? evaluator->start(evaluator->user, &description) : status;
    status = status >= 0 ? evaluator->collect(evaluator->user, &outcome) : status;
    brn_design_settings_clear(&settings);
    if (status >= 0 && (outcome.status < 0 || outcome.lost)) {
        brn_log(s->ctx, BRN_LOG_WARNING, "the run of the best failed: %s", outcome.reason);
    }
    *done = status >= 0 && outcome.status == BRN_OK && !outcome.lost;
    status = status < 0 ? status : outcome.status == BRN_REMARK_STOPPED ? BRN_REMARK_STOPPED : BRN_OK;
    if (*done) {
        status = brn_design_write_page(d, s->out, folder);
    }
    brn_free(s->ctx, folder);
    return status;
}

static brn_status write_files(study *s, const brn_design_result *result)
{
    BRN_TRY(brn_design_write_table(s->design, s->out));
    BRN_TRY(brn_design_write_best(s->design, s->out));
    return brn_design_write_summary(s->design, s->out, result);
}

static brn_status finish(study *s, brn_status status, const char *end, brn_design_result *out)
{
    drop_pending(s->design);
    const bool stopped = status == BRN_ERR_CANCELLED && s->end == BRN_REMARK_STOPPED;
    sum_up(s, stopped ? "stopped" : status < 0 ? "failed" : end, out);
    char why[1024];
    (void)snprintf(why, sizeof why, "%s", brn_ctx_message(s->ctx));
    const brn_status written = write_files(s, out);
    if (status < 0 && !stopped) { /* what went wrong first */
        return brn_fail(s->ctx, status, "%s", why);
    }
    BRN_TRY(written);
    if (stopped || s->options->no_rerun) {
        return stopped ? BRN_REMARK_STOPPED : BRN_OK;
    }
    return run_shown(s, &out->rerun);
}

/* ---- the folder ---------------------------------------------------------------------------------------------------------------------------- */

static const char *const files[] = {"log.jsonl", "table.csv", "best.yaml", "summary.json"};

/* A file that a study begins without. Without a log beside it, it is of somebody else. */
static brn_status may_go(const study *s, const char *path)
{
    if (brn_file_same(path, brn_design_scene(s->design))) {
        return brn_fail(
            s->ctx, BRN_ERR_FILE,
            "%s: a study writes to this name, and would replace the scene that it is to simulate: "
            "take another folder",
            path);
    }
    return brn_file_exists(path) && !s->options->overwrite
               ? brn_fail(s->ctx, BRN_ERR_FILE,
                          "%s: is there already, and is not of a study: take another folder, or overwrite it",
                          path)
               : BRN_OK;
}

static brn_status open_log(study *s, int64_t seed)
{
    const brn_design_options *o = s->options;
    if (brn_file_exists(s->log) && !o->resume && !o->overwrite) {
        return brn_fail(s->ctx, BRN_ERR_FILE,
                        "%s already holds a study: resume it, overwrite it, or take another folder", s->out);
    }
    if (brn_file_exists(s->log) && o->resume) {
        return brn_design_log_read(s->design, s->log, seed, &s->elapsed);
    }
    for (int look = 1; look >= 0; --look) { /* at all of them before the first goes */
        for (int i = 0; i < BRN_COUNT(files); ++i) {
            char *path = brn_path_join(s->ctx, s->out, files[i]);
            const brn_status status = path == NULL ? BRN_ERR_MEMORY
                                      : look != 0  ? may_go(s, path)
                                                   : brn_file_remove(s->ctx, path);
            brn_free(s->ctx, path);
            BRN_TRY(status);
        }
    }
    return brn_design_log_begin(s->design, s->log, seed);
}

static brn_status run_in(study *s, brn_design_result *out)
{
    brn_design *d = s->design;
    const bool sweeps = d->kind == BRN_DESIGN_SWEEP;
    const int64_t seed = s->options->seed >= 0 ? s->options->seed
                         : sweeps              ? d->def->sweep.seed
                                               : d->def->optimizer.seed;
    const char *end = "";
    BRN_TRY(open_log(s, seed));
    s->total = s->options->evaluations > 0 ? s->options->evaluations : d->def->optimizer.evaluations;
    s->limit = s->options->limit > 0.0 ? s->options->limit : d->def->limit;
    const brn_status status = sweeps ? sweep(s, seed, &end) : search(s, seed, &end);
    return finish(s, status, end, out);
}

brn_status brn_design_run(brn_design *design, const brn_design_options *options, brn_design_result *out)
{
    BRN_GIVEN(NULL, design);
    BRN_GIVEN(design->ctx, options);
    BRN_GIVEN(design->ctx, out);
    brn_ctx *ctx = design->ctx;
    *out = (brn_design_result){.end = ""};
    if (!design->prepared || options->out == NULL || options->evaluator.start == NULL ||
        options->evaluator.collect == NULL || options->evaluator.slots < 1) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s",
                        design->prepared ? "a folder and an evaluator with slots must be given"
                                         : "the design must be prepared first");
    }
    brn_design_forget(design);
    study s = {.design = design, .ctx = ctx, .options = options, .began = brn_wall_time()};
    brn_lock *lock = NULL;
    BRN_TRY(brn_lock_take(ctx, options->out, &lock));
    s.out = brn_strdup(ctx, options->out);
    s.log = brn_path_join(ctx, options->out, "log.jsonl");
    const brn_status status = s.out != NULL && s.log != NULL ? run_in(&s, out) : BRN_ERR_MEMORY;
    brn_free(ctx, s.out);
    brn_free(ctx, s.log);
    brn_lock_release(lock);
    return status;
}
