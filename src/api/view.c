/* A recorded run as packets of the viewer. */
#include "api/view.h"

#include "api/registry.h"
#include "base/os.h"
#include "output/page/page.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

enum { SUMMARY_BYTES_MAX = 1 << 20, STUDY_BYTES_MAX = 1 << 26 };

/* Ranges of the fields are looked up in a few frames, so that a long run opens at once: the page widens them as it goes. */
enum { LOOKED_AT_MAX = 24 };
static const double look_seconds = 0.25;

/* ---- the texts of a folder --------------------------------------------------------------------------------------------- */

/* *out stays NULL if there is no such file. */
static brn_status read_text(brn_ctx *ctx, const char *dir, const char *name, size_t limit, char **out,
                            size_t *length)
{
    *length = 0;
    char *path = brn_path_join(ctx, dir, name);
    if (path == NULL) {
        return BRN_ERR_MEMORY;
    }
    const brn_status status = brn_file_exists(path) ? brn_file_read(ctx, path, limit, out, length) : BRN_OK;
    brn_free(ctx, path);
    return status;
}

/* Title, method and times as the scene says. A scene of another version may have problems; what can be read is used. */
static brn_status read_scene(brn_view *view, size_t length)
{
    brn_scene *scene = NULL;
    brn_registry registry;
    brn_registry_fill(&registry);
    brn_status status = brn_scene_parse(view->ctx, view->scene, length, "scene.yaml", &scene);
    status = status >= 0 || status == BRN_ERR_SCENE ? brn_scene_resolve(scene, &registry.schema) : status;
    const brn_scene_def *def = scene != NULL ? brn_scene_get_def(scene) : NULL;
    if (def != NULL) {
        view->title = brn_strdup(view->ctx, def->title != NULL ? def->title : "");
        view->method = brn_strdup(view->ctx, def->method.table != NULL ? def->method.table->name : "");
        view->step = def->time.step;
        view->end = def->time.end;
        view->still = def->integrator == BRN_STATIC;
        status = view->title == NULL || view->method == NULL ? BRN_ERR_MEMORY : BRN_OK;
        /* A scene with problems may have plots without columns. */
        if (status >= 0 && brn_scene_problem_count(scene) == 0) {
            status = brn_plots_copy(view->ctx, &def->output, &view->plots);
        }
    }
    brn_scene_destroy(scene);
    return status == BRN_ERR_SCENE ? BRN_OK : status;
}

/* The same of JSON; *out stays NULL too if it is none. */
static brn_status read_json(brn_ctx *ctx, const char *dir, const char *name, size_t limit, char **out)
{
    size_t length = 0;
    BRN_TRY(read_text(ctx, dir, name, limit, out, &length));
    if (*out != NULL && !brn_json_valid(*out, length)) {
        brn_free(ctx, *out);
        *out = NULL;
    }
    return BRN_OK;
}

static brn_status read_texts(brn_view *view, const char *dir)
{
    size_t length = 0;
    BRN_TRY(read_json(view->ctx, dir, "summary.json", SUMMARY_BYTES_MAX, &view->summary));
    if (view->summary == NULL) {
        BRN_TRY(read_json(view->ctx, dir, "stages.json", SUMMARY_BYTES_MAX, &view->stages));
    }
    BRN_TRY(read_json(view->ctx, dir, "study.json", STUDY_BYTES_MAX, &view->study));
    BRN_TRY(read_text(view->ctx, dir, "scene.yaml", BRN_SCENE_BYTES_MAX, &view->scene, &length));
    return view->scene != NULL ? read_scene(view, length) : BRN_OK;
}

/* The folder's own name, also for "out/run/"; "run" if it has none. */
static brn_status name_run(brn_view *view, const char *dir)
{
    size_t n = strlen(dir);
    while (n > 0 && dir[n - 1] == '/') {
        --n;
    }
    size_t first = n;
    while (first > 0 && dir[first - 1] != '/') {
        --first;
    }
    const bool named =
        n > first && strncmp(dir + first, ".", n - first) != 0 && strncmp(dir + first, "..", n - first) != 0;
    BRN_ALLOC(view->ctx, view->name, n - first + 4);
    memcpy(view->name, named ? dir + first : "run", named ? n - first : 3);
    return BRN_OK;
}

/* ---- open and close ------------------------------------------------------------------------------------------------------ */

static brn_status open_files(brn_view *view, const char *dir)
{
    brn_ctx *ctx = view->ctx;
    char *path = brn_path_join(ctx, dir, "trajectory.h5");
    if (path == NULL) {
        return BRN_ERR_MEMORY;
    }
    brn_status status = brn_playback_open(ctx, path, &view->playback);
    brn_free(ctx, path);
    BRN_TRY(status);
    path = brn_path_join(ctx, dir, "series.csv");
    if (path == NULL) {
        return BRN_ERR_MEMORY;
    }
    status = brn_plot_series_read(&view->series, path);
    brn_free(ctx, path);
    return status;
}

static brn_status open_run(brn_view *view, const char *dir)
{
    brn_ctx *ctx = view->ctx;
    BRN_TRY(name_run(view, dir));
    BRN_TRY(open_files(view, dir));
    BRN_TRY(read_texts(view, dir));
    const brn_playback_info *info = brn_playback_get(view->playback);
    BRN_TRY(brn_camera_make(&view->camera, info));
    BRN_ALLOC(ctx, view->time, info->nframe);
    BRN_ALLOC(ctx, view->frame_step, info->nframe);
    BRN_TRY(brn_playback_times(view->playback, view->time, view->frame_step));
    BRN_ALLOC(ctx, view->frame.pos, 3 * (size_t)info->nnode);
    if (info->has_velocity) {
        BRN_ALLOC(ctx, view->frame.vel, 3 * (size_t)info->nnode);
    }
    if (info->has_stress) {
        BRN_ALLOC(ctx, view->frame.node_stress, 6 * (size_t)info->nnode);
    }
    return BRN_OK;
}

brn_status brn_view_create(brn_ctx *ctx, brn_view **out)
{
    brn_view *view = NULL;
    BRN_ALLOC(ctx, view, 1);
    view->ctx = ctx;
    view->camera.ctx = ctx;
    view->run.ctx = ctx;
    view->series.ctx = ctx;
    view->outline.ctx = ctx;
    for (int f = 0; f < BRN_SHOWN_COUNT; ++f) {
        view->span[f] = (brn_shown_range){INFINITY, -INFINITY};
    }
    *out = view;
    return BRN_OK;
}

brn_status brn_view_open(brn_ctx *ctx, const char *run_dir, brn_view **out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, run_dir);
    BRN_GIVEN(ctx, out);
    *out = NULL;
    brn_view *view = NULL;
    BRN_TRY(brn_view_create(ctx, &view));
    const brn_status status = open_run(view, run_dir);
    if (status < 0) {
        brn_view_close(view);
        return status;
    }
    *out = view;
    return BRN_OK;
}

void brn_view_close(brn_view *view)
{
    if (view == NULL) {
        return;
    }
    brn_ctx *ctx = view->ctx;
    brn_camera_clear(&view->camera);
    brn_packet_clear(&view->run);
    brn_plot_series_clear(&view->series);
    brn_plots_clear(ctx, &view->plots);
    brn_outline_clear(&view->outline);
    brn_playback_close(view->playback);
    void *const blocks[] = {view->name,
                            view->scene,
                            view->summary,
                            view->stages,
                            view->study,
                            view->title,
                            view->method,
                            view->time,
                            view->frame_step,
                            view->sample_stress,
                            view->frame.pos,
                            view->frame.vel,
                            view->frame.node_stress};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) {
        brn_free(ctx, blocks[i]);
    }
    brn_free(ctx, view);
}

int brn_view_frames(const brn_view *view)
{
    if (view == NULL) {
        return 0;
    }
    return view->playback != NULL ? brn_playback_get(view->playback)->nframe : 0;
}

double brn_view_time(const brn_view *view, int index)
{
    return index >= 0 && index < brn_view_frames(view) ? view->time[index] : NAN;
}

const char *brn_view_page(size_t *size)
{
    size_t scratch;
    return brn_page(size != NULL ? size : &scratch);
}

/* ---- packets --------------------------------------------------------------------------------------------------------------- */

brn_status brn_view_shoot(brn_view *view, int index, bool delta, brn_shown_range *span, const void **bytes,
                          size_t *size)
{
    brn_instant moment = {0};
    if (view->playback == NULL) {
        return brn_fail(view->ctx, BRN_ERR_RANGE, "view: a live run has no recorded frames");
    }
    BRN_TRY(brn_playback_read(view->playback, index, &view->frame));
    if (view->camera.contacts) {
        BRN_TRY(brn_playback_contacts(view->playback, index, &moment.point, &moment.npoint));
    }
    moment.time = view->frame.time;
    moment.step = view->frame.step;
    moment.pos = view->frame.pos;
    moment.vel = view->frame.vel;
    moment.node_stress = view->frame.node_stress;
    return brn_camera_shoot(&view->camera, &moment, index, delta, span, bytes, size);
}

void brn_shown_range_widen(brn_shown_range *span, const brn_shown_range *more)
{
    for (int f = 0; f < BRN_SHOWN_COUNT; ++f) {
        span[f].low = fmin(span[f].low, more[f].low);
        span[f].high = fmax(span[f].high, more[f].high);
    }
}

/* The ends, then quarters, eighths ... as a van der Corput sequence: however many are read, they are spread evenly. */
static int frame_to_look_at(int k, int nframe)
{
    if (k < 2) {
        return k == 0 ? nframe - 1 : 0;
    }
    double place = 0.0;
    double digit = 0.5;
    for (int n = k - 1; n > 0; n /= 2, digit /= 2.0) {
        place += n % 2 == 1 ? digit : 0.0;
    }
    return (int)(place * (nframe - 1));
}

static brn_status measure(brn_view *view)
{
    const int nframe = brn_view_frames(view);
    const double until = brn_wall_time() + look_seconds;
    for (int k = 0; k < LOOKED_AT_MAX && k < nframe && (k < 2 || brn_wall_time() < until); ++k) {
        brn_shown_range span[BRN_SHOWN_COUNT];
        const void *bytes = NULL;
        size_t size = 0;
        BRN_TRY(brn_view_shoot(view, frame_to_look_at(k, nframe), false, span, &bytes, &size));
        brn_shown_range_widen(view->span, span);
    }
    view->measured = true;
    return BRN_OK;
}

void brn_view_card(const brn_view *view, brn_run_card *card)
{
    *card = (brn_run_card){.name = view->name,
                           .title = view->title,
                           .method = view->method,
                           .step = view->step,
                           .end = view->end,
                           .live = view->playback == NULL,
                           .still = view->still,
                           .difference = view->difference,
                           .scene = view->scene,
                           .summary = view->summary,
                           .stages = view->stages,
                           .study = view->study,
                           .recorded = brn_view_frames(view),
                           .nframe = brn_view_frames(view),
                           .time = view->time,
                           .frame_step = view->frame_step,
                           .series = &view->series,
                           .plots = view->model != NULL ? &view->model->plots : &view->plots};
    const brn_method *method = brn_method_find(view->method);
    for (int scope = BRN_OF_STEP; scope <= BRN_OF_RUN; ++scope) {
        card->nown = brn_method_figures(method, (brn_scope)scope, card->own[scope]);
    }
}

brn_status brn_view_run(brn_view *view, const void **bytes, size_t *size)
{
    BRN_GIVEN(NULL, view);
    BRN_GIVEN(view->ctx, bytes);
    BRN_GIVEN(view->ctx, size);
    brn_run_card card;
    *bytes = NULL;
    *size = 0;
    if (!view->measured && view->playback != NULL) {
        BRN_TRY(measure(view));
    }
    brn_view_card(view, &card);
    card.span = view->span;
    return brn_run_packet(&view->camera, &card, &view->run, bytes, size);
}

brn_status brn_view_frame(brn_view *view, int index, const void **bytes, size_t *size)
{
    BRN_GIVEN(NULL, view);
    BRN_GIVEN(view->ctx, bytes);
    BRN_GIVEN(view->ctx, size);
    brn_shown_range span[BRN_SHOWN_COUNT];
    *bytes = NULL;
    *size = 0;
    return brn_view_shoot(view, index, false, span, bytes, size);
}
