/* A whole run with its folder: scene.yaml, series.csv, trajectory.h5, checkpoint.h5, summary.json, report.html. */
#include "api/registry.h"
#include "api/report.h"
#include "api/run_series.h"
#include "api/start.h"
#include "base/lock.h"
#include "base/os.h"
#include "linalg/blas.h"
#include "output/drawing/node_pressure.h"
#include "output/figures/figure_table.h"
#include "output/figures/stage_figures.h"
#include "output/figures/summary.h"
#include "output/trajectory/trajectory.h"
#include "step/ledger.h"
#include "step/sim.h"
#include "step/stages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Running totals; saved with every checkpoint as plain numbers, so that a resumed run sums up the same. */
typedef struct totals {
    double frames, rows;
    double wall_s, cpu_s, peak_mb;
    double energy_initial, energy_final;
    double figure[BRN_RUN_FIGURES]; /* of the figures made from those of steps */
    double own[BRN_OWN_FIGURES];
} totals;

enum { TOTALS = sizeof(totals) / sizeof(double) };

typedef struct run {
    brn_ctx *ctx;
    brn_scene *scene;
    const brn_run_options *options;
    brn_lock *lock; /* of the folder */
    brn_model *model;
    brn_sim *sim;
    brn_run_series *series;
    brn_trajectory *trajectory;
    brn_node_pressure pressure;                      /* not made: contacts are not recorded */
    char choices[sizeof((brn_summary *)0)->choices]; /* of the method, in brief */
    char doubt[sizeof((brn_summary *)0)->reason];    /* why its end is not to be trusted; "": it is */
    totals sums;
    double wall_start, cpu_start; /* of this call, less what a checkpoint contributed */
    int64_t checkpoint_every;
    int stage; /* that stages.json tells of last */
} run;

brn_run_options brn_run_options_default(void)
{
    return (brn_run_options){.checkpoint_every = -1, .report_mb = -1.0};
}

/* ---- the folder ------------------------------------------------------------------------------------------------------- */

enum { PATH_SIZE = 4096 };

static const char *in_folder(const run *r, const char *name, char path[PATH_SIZE])
{
    (void)snprintf(path, PATH_SIZE, "%s/%s", r->options->out, name);
    return path;
}

/* Comments: what the method chose is not a part of the scene. */
static brn_status add_choices(const run *r, brn_text *to)
{
    char *text = NULL;
    BRN_TRY(brn_sim_choices(r->sim, false, &text));
    if (text[0] != '\0') {
        brn_text_add(to, "\n# Chosen by the method, where the scene leaves it open:\n");
    }
    for (const char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        brn_text_add(to, "#   %.*s\n", (int)length, line);
        line += line[length] == '\n' ? length + 1 : length;
    }
    brn_free(r->ctx, text);
    return BRN_OK;
}

static brn_status write_scene(run *r)
{
    char path[PATH_SIZE];
    char *text = NULL;
    brn_text all = {.ctx = r->ctx};
    BRN_TRY(brn_scene_write(r->scene, &text));
    brn_text_append(&all, text, strlen(text));
    brn_free(r->ctx, text);
    brn_status status = add_choices(r, &all);
    if (status < 0) {
        brn_text_clear(&all);
        return status;
    }
    BRN_TRY(brn_text_take(&all, &text));
    status = brn_file_write(r->ctx, in_folder(r, "scene.yaml", path), text, strlen(text));
    brn_free(r->ctx, text);
    return status;
}

/* A run leaves the scene with every default in its folder: not in the place of the one that a person wrote. */
static brn_status spare_scene(run *r)
{
    static const char *const own[] = {"trajectory.h5", "checkpoint.h5", "summary.json", "series.csv"};
    char path[PATH_SIZE];
    for (int i = 0; i < BRN_COUNT(own); ++i) {
        if (brn_file_exists(in_folder(r, own[i], path))) {
            return BRN_OK; /* that of an earlier run */
        }
    }
    return brn_file_same(in_folder(r, "scene.yaml", path), brn_scene_file(r->scene))
               ? brn_fail(r->ctx, BRN_ERR_FILE,
                          "%s: a run writes its scene to this name, and would replace the one that it is to "
                          "read: choose another folder",
                          path)
               : BRN_OK;
}

static brn_status prepare_folder(run *r, bool *resuming)
{
    char path[PATH_SIZE];
    *resuming = false;
    if (r->options->out == NULL) {
        return BRN_OK;
    }
    if (strlen(r->options->out) > PATH_SIZE - 64) {
        return brn_fail(r->ctx, BRN_ERR_FILE, "%s: path too long", r->options->out);
    }
    BRN_TRY(brn_lock_take(r->ctx, r->options->out, &r->lock));
    BRN_TRY(spare_scene(r));
    *resuming = r->options->resume && !r->options->figures_only &&
                brn_file_exists(in_folder(r, "checkpoint.h5", path));
    const bool occupied = brn_file_exists(in_folder(r, "trajectory.h5", path));
    if (occupied && !r->options->resume && !r->options->overwrite) {
        return brn_fail(r->ctx, BRN_ERR_FILE,
                        "%s already holds a run: choose another folder, or ask to resume or to overwrite it",
                        r->options->out);
    }
    return BRN_OK;
}

/* What a run writes; scene.yaml is replaced as a whole. The first STATEMENTS say how a run ended, so they are removed first and
   are absent during a run: whatever happens to it, nothing in its folder says that it is done. */
static const char *const run_files[] = {
    "summary.json",          "report.html",    "checkpoint.h5",      "series.csv",  "trajectory.h5",
    "trajectory.h5.journal", "trajectory.xmf", "vtu/trajectory.pvd", "stages.json",
};
enum { STATEMENTS = 2 };

static brn_status remove_files(run *r, int count)
{
    char path[PATH_SIZE];
    for (int i = 0; i < count; ++i) {
        BRN_TRY(brn_file_remove(r->ctx, in_folder(r, run_files[i], path)));
    }
    return BRN_OK;
}

static brn_status open_outputs(run *r, bool resuming)
{
    if (r->options->out == NULL) {
        return BRN_OK;
    }
    char path[PATH_SIZE];
    if (resuming) {
        BRN_TRY(brn_sim_load_with(r->sim, in_folder(r, "checkpoint.h5", path), (double *)&r->sums, TOTALS));
        r->wall_start -= r->sums.wall_s;
        r->cpu_start -= r->sums.cpu_s;
    } else {
        BRN_TRY(remove_files(r, BRN_COUNT(run_files)));
        BRN_TRY(write_scene(r));
    }
    BRN_TRY(brn_run_series_open(r->sim, in_folder(r, "series.csv", path),
                                resuming ? (int64_t)r->sums.rows : -1, &r->series));
    if (r->options->figures_only) {
        return BRN_OK;
    }
    BRN_TRY(brn_trajectory_open(r->ctx, in_folder(r, "trajectory.h5", path), r->model,
                                resuming ? (int)r->sums.frames : -1, &r->trajectory));
    if (brn_trajectory_get(r->trajectory)->has_pressure) {
        BRN_TRY(brn_node_pressure_make(&r->pressure, brn_trajectory_get(r->trajectory)));
    }
    /* Everything has been accepted: from here on the folder belongs to the resumed run. */
    if (resuming && !brn_sim_done(r->sim)) {
        BRN_TRY(remove_files(r, STATEMENTS));
        BRN_TRY(write_scene(r));
    }
    return BRN_OK;
}

/* ---- one step's output --------------------------------------------------------------------------------------------------- */

static double energy(const brn_report *report)
{
    return report->kinetic + report->elastic + report->gravity + report->contact;
}

static void start_totals(run *r)
{
    const brn_method *method = r->sim->method;
    for (int i = 0; i < BRN_RUN_FIGURES; ++i) {
        r->sums.figure[i] = brn_reduce_start(brn_run_table[i].figure.reduction);
    }
    for (int i = 0; i < method->nfigures; ++i) {
        r->sums.own[i] = brn_reduce_start(method->figures[i].figure.reduction);
    }
}

static void add_up(run *r, const brn_report *report)
{
    totals *sums = &r->sums;
    const brn_method *method = r->sim->method;
    for (int i = 0; i < BRN_RUN_FIGURES; ++i) {
        const int of = brn_run_table[i].of;
        if (of >= 0) {
            sums->figure[i] =
                brn_reduce(brn_run_table[i].figure.reduction, sums->figure[i], brn_step_value(report, of));
        }
    }
    for (int i = 0; i < method->nfigures; ++i) {
        sums->own[i] = brn_reduce(method->figures[i].figure.reduction, sums->own[i], report->own[i]);
    }
    sums->energy_final = energy(report);
}

/* The start is not a step, but smallest and largest values count from there. */
static void add_start(run *r, const brn_report *report)
{
    r->sums.energy_initial = r->sums.energy_final = energy(report);
    for (int i = 0; i < BRN_RUN_FIGURES; ++i) {
        if (brn_run_table[i].figure.reduction == BRN_REDUCE_MIN) {
            r->sums.figure[i] =
                brn_reduce(BRN_REDUCE_MIN, r->sums.figure[i], brn_step_value(report, brn_run_table[i].of));
        }
    }
}

/* A frame is due at every multiple of frame_every that the last step reached or passed, and at the end. */
static bool frame_due(const run *r)
{
    const double every = r->model->frame_every;
    const double now = brn_sim_time(r->sim);
    const double slack = 1e-9 * r->model->step;
    const double before = now - r->model->step;
    return floor((now + slack) / every) > floor((before + slack) / every) || brn_sim_done(r->sim);
}

static brn_status add_frame(run *r)
{
    if (r->trajectory == NULL) {
        return BRN_OK;
    }
    const double *elastic = NULL;
    const double *external = NULL;
    if (r->model->fields[BRN_FIELD_FORCE]) {
        BRN_TRY(brn_sim_forces(r->sim, &elastic, &external));
    }
    const brn_step_info *info = &r->sim->info;
    if (r->pressure.node != NULL) {
        BRN_TRY(brn_node_pressure_find(&r->pressure, r->sim->state->node_pos, info->point, info->npoint));
    }
    BRN_TRY(brn_trajectory_add(r->trajectory, r->sim->state, brn_sim_time(r->sim), elastic, info->point,
                               info->npoint, r->pressure.node));
    r->sums.frames += 1.0;
    return BRN_OK;
}

static brn_status add_row(run *r, const brn_report *report)
{
    if (r->series == NULL) {
        return BRN_OK;
    }
    BRN_TRY(brn_run_series_add(r->series, report));
    r->sums.rows += 1.0;
    return BRN_OK;
}

/* The stages so far, for those who look at the run before it has a summary, or after it was killed. */
static brn_status tell_stages(run *r)
{
    char path[PATH_SIZE];
    brn_stage_result result[BRN_STAGES];
    const char *rule[BRN_STAGES];
    if (r->options->out == NULL || r->options->figures_only || !r->model->stages.given) {
        return BRN_OK;
    }
    r->stage = brn_stages_now(r->sim->state);
    brn_stages_tell(r->model, r->sim->state, result, rule);
    return brn_stages_write(r->ctx, in_folder(r, "stages.json", path), rule, result);
}

static brn_status checkpoint(run *r)
{
    if (r->options->out == NULL || r->options->figures_only) {
        return BRN_OK;
    }
    char path[PATH_SIZE];
    BRN_TRY(brn_lock_check(r->lock));
    /* The frames that the checkpoint counts must reach the disk before it. */
    BRN_TRY(brn_trajectory_sync(r->trajectory));
    r->sums.wall_s = brn_wall_time() - r->wall_start;
    r->sums.cpu_s = brn_cpu_time() - r->cpu_start;
    r->sums.peak_mb = fmax(r->sums.peak_mb, brn_peak_mb()); /* also of the processes before a resume */
    BRN_TRY(tell_stages(r));
    return brn_sim_save_with(r->sim, in_folder(r, "checkpoint.h5", path), (const double *)&r->sums, TOTALS);
}

/* ---- the loop -------------------------------------------------------------------------------------------------------------- */

static brn_status first_output(run *r)
{
    brn_report report = brn_sim_blank_report(r->sim);
    BRN_TRY(brn_sim_report(r->sim, &report));
    add_start(r, &report);
    BRN_TRY(add_row(r, &report));
    return add_frame(r);
}

static bool tell_progress(const run *r, const brn_report *report)
{
    const brn_progress progress = {
        .step = brn_sim_step_count(r->sim),
        .steps = r->model->nstep,
        .time = brn_sim_time(r->sim),
        .end = r->model->end,
        .wall = brn_wall_time() - r->wall_start,
        .report = report,
    };
    return r->options->progress != NULL && r->options->progress(r->options->progress_user, &progress);
}

static brn_status loop(run *r)
{
    while (!brn_sim_done(r->sim)) {
        brn_report report;
        const brn_status status = brn_sim_step(r->sim, &report);
        if (status < 0) {
            /* The state is the one before the failed or cancelled step: keep it, so that the run can be resumed. */
            char why[512];
            (void)snprintf(why, sizeof why, "%s", brn_ctx_message(r->ctx));
            BRN_TRY(checkpoint(r));
            return brn_fail(r->ctx, status, "%s", why);
        }
        add_up(r, &report);
        BRN_TRY(add_row(r, &report));
        if (frame_due(r)) {
            BRN_TRY(add_frame(r));
        }
        const bool stop = tell_progress(r, &report);
        const bool due = r->checkpoint_every > 0 && brn_sim_step_count(r->sim) % r->checkpoint_every == 0;
        if (due || stop || brn_sim_done(r->sim)) {
            BRN_TRY(checkpoint(r));
        } else if (brn_stages_now(r->sim->state) != r->stage) {
            BRN_TRY(tell_stages(r));
        }
        if (stop && !brn_sim_done(r->sim)) {
            return BRN_REMARK_STOPPED;
        }
    }
    return BRN_OK;
}

static void choose_checkpoints(run *r)
{
    const int64_t tenth = r->model->nstep / 10 > 0 ? r->model->nstep / 10 : 1;
    const int64_t standard = tenth < 100 ? tenth : 100;
    r->checkpoint_every = r->options->checkpoint_every >= 0 ? r->options->checkpoint_every
                          : r->model->checkpoint_every > 0  ? r->model->checkpoint_every
                                                            : standard;
}

/* Lines that do not fit are left out as a whole. */
static brn_status keep_choices(run *r)
{
    char *text = NULL;
    BRN_TRY(brn_sim_choices(r->sim, true, &text));
    size_t length = strlen(text);
    while (length >= sizeof r->choices || (length > 0 && text[length - 1] != '\n')) {
        --length;
    }
    memcpy(r->choices, text, length);
    r->choices[length] = '\0';
    brn_free(r->ctx, text);
    return BRN_OK;
}

/* What the method makes of the last state, given the figures of the run. */
static brn_status conclude(run *r)
{
    const brn_method *method = r->sim->method;
    double own[BRN_OWN_FIGURES] = {0};
    for (int i = 0; i < method->nfigures; ++i) {
        own[i] =
            brn_reduce_end(method->figures[i].figure.reduction, r->sums.own[i], brn_sim_step_count(r->sim));
    }
    return method->conclude == NULL
               ? BRN_OK
               : method->conclude(r->sim->self, r->sim->state, own, r->doubt, sizeof r->doubt);
}

static brn_status whole_run(run *r)
{
    bool resuming = false;
    BRN_TRY(brn_model_compile(r->ctx, r->scene, &r->model));
    BRN_TRY(prepare_folder(r, &resuming));
    BRN_TRY(brn_sim_create(r->ctx, r->model, &r->sim));
    BRN_TRY(keep_choices(r));
    start_totals(r);
    BRN_TRY(open_outputs(r, resuming));
    choose_checkpoints(r);
    r->stage = -1;
    if (!resuming) {
        brn_start start;
        brn_start_measure(r->sim, &start);
        brn_start_tell(r->sim, &start);
        BRN_TRY(first_output(r));
    }
    const brn_status status = loop(r);
    return status == BRN_OK ? conclude(r) : status;
}

/* ---- the summary ------------------------------------------------------------------------------------------------------------ */

/* More energy from nowhere than this, of the largest so far, and a run is not to be trusted. The driver keeps it below half
   of this where it can. */
static const double SUSPECT_GAIN = 0.02;

static void doubt(const run *r, brn_status status, brn_summary *out)
{
    const double scale = r->sim->state->ledger[BRN_LEDGER_ENERGY_SCALE];
    const unsigned integrators = r->sim->method->integrators;
    const char *remedy = integrators == 1u << BRN_VARIATIONAL ? "take a smaller method.safety"
                         : (integrators & 1u << BRN_TURNING_EULER) != 0
                             ? "take a smaller time.step, or integrator: turning_euler"
                             : "take a smaller time.step, or integrator: implicit_euler";
    if (status == BRN_OK && r->doubt[0] != '\0') {
        out->status = "suspect";
        (void)snprintf(out->reason, sizeof out->reason, "%s", r->doubt);
    }
    if (status == BRN_OK && out->energy_gain_max > SUSPECT_GAIN * scale) {
        out->status = "suspect";
        (void)snprintf(out->reason, sizeof out->reason,
                       "energy came from nowhere, up to %.2g of the largest in the run: %s",
                       out->energy_gain_max / scale, remedy);
    }
}

/* What is said beside the others. */
static void add_warning(const run *r, brn_summary *out, const char *text)
{
    const size_t used = strlen(out->warnings);
    (void)snprintf(out->warnings + used, sizeof out->warnings - used, "%s%s", used > 0 ? "; " : "", text);
    brn_log(r->ctx, BRN_LOG_WARNING, "%s", text);
}

/* Of the largest energy: what a rule that keeps it may lose in steps that were repeated with another. */
static const double GUARDED_LOSS = 0.05;

static void doubt_guard(const run *r, brn_status status, brn_summary *out)
{
    const double share = out->numerical_loss / r->sim->state->ledger[BRN_LEDGER_ENERGY_SCALE];
    const int integrator = r->model->integrator;
    char text[256];
    if (status == BRN_OK && out->guarded > 0 && share > GUARDED_LOSS &&
        (integrator == BRN_NEWMARK || integrator == BRN_MIDPOINT)) {
        (void)snprintf(text, sizeof text,
                       "steps that gained energy were repeated with a rule that takes some (guarded: %lld), "
                       "%.2g of the largest in the run: a smaller step",
                       (long long)out->guarded, share);
        add_warning(r, out, text);
    }
}

/* A launch that has not come about by the end of the run. */
static void doubt_launch(const run *r, brn_status status, brn_summary *out)
{
    const brn_model_stages *stages = &r->model->stages;
    const brn_stage_result *launch = &out->stage[BRN_STAGE_LAUNCH];
    char text[256];
    if (status != BRN_OK || !stages->given || isnan(launch->begin) || !isnan(launch->end)) {
        return;
    }
    (void)snprintf(text, sizeof text,
                   out->contacts_max > 0
                       ? "'%s' has not left what it stands on by the end of the run: a longer time.end, or "
                         "let go what presses it (release, until) at the end of the loading"
                       : "'%s' touches nothing in the whole run: there is nothing that it could leave",
                   r->model->body[stages->body].name);
    add_warning(r, out, text);
}

static void sum_up(const run *r, brn_status status, brn_summary *out)
{
    const totals *sums = &r->sums;
    *out = (brn_summary){.status = status == BRN_OK ? "done" : "stopped", .gap_min = INFINITY};
    (void)snprintf(out->reason, sizeof out->reason, "%s",
                   status == BRN_OK ? ""
                   : status < 0     ? brn_ctx_message(r->ctx)
                                    : "stopped on request");
    (void)snprintf(out->choices, sizeof out->choices, "%s", r->choices);
    out->threads = brn_ctx_threads(r->ctx);
    out->peak_mb = fmax(sums->peak_mb, brn_peak_mb());
    if (r->sim == NULL) {
        return;
    }
    brn_model_info info;
    brn_model_get_info(r->model, &info);
    out->nodes = info.nodes;
    out->elements = info.elements;
    out->dofs = info.dofs;
    out->steps = brn_sim_step_count(r->sim);
    /* A resume may have changed the step: means are over the steps that were taken, a row each after the first. */
    const int64_t taken = sums->rows > 0.0 ? (int64_t)sums->rows - 1 : out->steps;
    out->time_end = brn_sim_time(r->sim);
    out->wall_s = brn_wall_time() - r->wall_start;
    out->cpu_s = brn_cpu_time() - r->cpu_start;
    out->realtime_rate = out->wall_s > 0.0 ? out->time_end / out->wall_s : 0.0;
    out->energy_initial = sums->energy_initial;
    out->energy_final = sums->energy_final;
    for (int i = 0; i < BRN_RUN_FIGURES; ++i) {
        if (brn_run_table[i].of >= 0) {
            brn_run_set(out, i, brn_reduce_end(brn_run_table[i].figure.reduction, sums->figure[i], taken));
        }
    }
    const brn_method *method = r->sim->method;
    for (int i = 0; i < method->nfigures; ++i) {
        out->own[i] = brn_reduce_end(method->figures[i].figure.reduction, sums->own[i], taken);
    }
    if (method->doubt != NULL && method->doubt(out->own, out->warnings, sizeof out->warnings)) {
        brn_log(r->ctx, BRN_LOG_WARNING, "%s", out->warnings);
    }
    brn_stages_tell(r->model, r->sim->state, out->stage, out->stage_rule);
    doubt_launch(r, status, out);
    doubt_guard(r, status, out);
    out->state_hash = brn_sim_hash(r->sim);
    doubt(r, status, out);
}

/* The report is a picture of the run, not a part of it: if it cannot be written a warning says so, and the run's own message
   stays. */
static void write_report(const run *r)
{
    const double mb = r->options->report_mb >= 0.0 ? r->options->report_mb : r->model->report_mb;
    if (!(mb > 0.0) || !(r->sums.frames > 0.0)) {
        return;
    }
    char why[4096];
    (void)snprintf(why, sizeof why, "%s", brn_ctx_message(r->ctx));
    char path[PATH_SIZE];
    brn_view *view = NULL;
    brn_status status = brn_view_open(r->ctx, r->options->out, &view);
    status =
        status >= 0 ? brn_page_write(r->ctx, &view, 1, in_folder(r, "report.html", path), 1, mb) : status;
    brn_view_close(view);
    if (status < 0) {
        brn_log(r->ctx, BRN_LOG_WARNING, "report.html was not written: %s", brn_ctx_message(r->ctx));
    }
    (void)brn_fail(r->ctx, BRN_OK, "%s", why);
}

/* Someone may be exporting the same frames at this moment: that is no failure of the run. */
static brn_status write_vtu(const run *r)
{
    int files = 0;
    const brn_export_options options = brn_export_options_default();
    const brn_status status = brn_export(r->ctx, r->options->out, &options, &files);
    if (status == BRN_ERR_BUSY) {
        brn_log(r->ctx, BRN_LOG_WARNING, "vtu was not written: %s", brn_ctx_message(r->ctx));
        return BRN_OK;
    }
    return status;
}

/* Closes everything; the first error counts, and its message is kept. */
static brn_status finish(run *r, brn_status status, brn_summary *out)
{
    char path[PATH_SIZE];
    const bool started = r->trajectory != NULL || (r->options->figures_only && r->series != NULL);
    const brn_status lost = started ? brn_lock_check(r->lock) : BRN_OK;
    if (lost < 0) {
        if (r->trajectory != NULL) {
            brn_trajectory_abandon(r->trajectory);
        }
        status = lost;
    }
    const brn_status closed[] = {brn_run_series_close(r->series), brn_trajectory_close(r->trajectory)};
    for (int i = 0; i < BRN_COUNT(closed); ++i) {
        status = status >= 0 && closed[i] < 0 ? closed[i] : status;
    }
    sum_up(r, status, out);
    /* A run that never started leaves no summary: the folder may belong to another run. */
    if (started && lost >= 0) {
        brn_figure own[BRN_OWN_FIGURES];
        const int nown = brn_method_figures(r->sim->method, BRN_OF_RUN, own);
        char why[sizeof out->reason];
        (void)snprintf(why, sizeof why, "%s", status < 0 ? brn_ctx_message(r->ctx) : "");
        const brn_status written =
            brn_summary_write(r->ctx, in_folder(r, "summary.json", path), out, r->model->method->name,
                              openblas_get_config(), own, nown);
        if (status < 0) {
            (void)brn_fail(r->ctx, status, "%s", why);
        }
        status = status >= 0 && written < 0 ? written : status;
        if (written >= 0) {
            (void)brn_file_remove(r->ctx, in_folder(r, "stages.json", path));
        }
        write_report(r);
    }
    if (status == BRN_OK && r->options->out != NULL && !r->options->figures_only && r->model->write_vtu) {
        status = write_vtu(r);
    }
    brn_lock_release(r->lock);
    brn_node_pressure_clear(&r->pressure);
    brn_sim_destroy(r->sim);
    brn_model_destroy(r->model);
    return status;
}

brn_status brn_run(brn_ctx *ctx, brn_scene *scene, const brn_run_options *options, brn_summary *out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, scene);
    const brn_run_options standard = brn_run_options_default();
    run r = {
        .ctx = ctx, .pressure.ctx = ctx, .scene = scene, .options = options != NULL ? options : &standard};
    r.wall_start = brn_wall_time();
    r.cpu_start = brn_cpu_time();
    brn_summary scratch;
    const brn_status status = whole_run(&r);
    return finish(&r, status == BRN_ERR_CANCELLED ? BRN_REMARK_STOPPED : status,
                  out != NULL ? out : &scratch);
}
