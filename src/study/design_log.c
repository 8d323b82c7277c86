/* log.jsonl: a line that describes the problem, then a line an evaluation, each synced whole. */
#include "base/json.h"
#include "base/os.h"
#include "scene/yaml_tree.h"
#include "study/design_inner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOG_VERSION = 1, LINE_NODES_MAX = 5000000 };
static const size_t LOG_BYTES_MAX = (size_t)1 << 31;

/* ---- writing ------------------------------------------------------------------------------------------------------------------- */

static brn_status append(const brn_design *d, const char *path, brn_json *json)
{
    char *line = NULL;
    brn_text_append(&json->text, "\n", 1);
    BRN_TRY(brn_text_take(&json->text, &line));
    const brn_status status = brn_file_append(d->ctx, path, line, strlen(line));
    brn_free(d->ctx, line);
    return status;
}

static void write_parameters(const brn_design *d, brn_json *json)
{
    brn_json_open(json, "parameters", '[');
    for (int i = 0; i < d->n; ++i) {
        const brn_design_axis *a = &d->axis[i];
        brn_json_open(json, NULL, '{');
        brn_json_text(json, "name", a->info.name);
        brn_json_text(json, "unit", a->info.unit);
        brn_json_real(json, "min", a->info.min);
        brn_json_real(json, "max", a->info.max);
        brn_json_real(json, "start", a->info.start);
        brn_json_text(json, "scale", a->log ? "log" : "linear");
        brn_json_open(json, "paths", '[');
        for (int k = 0; k < a->npath; ++k) {
            brn_json_text(json, NULL, a->path[k].path);
        }
        brn_json_close(json);
        brn_json_close(json);
    }
    brn_json_close(json);
}

static void write_tolerances(const brn_design *d, brn_json *json)
{
    brn_json_open(json, "tolerances", '[');
    for (int i = 0; i < d->ntolerance; ++i) {
        const brn_tolerance_def *t = d->tolerance[i].def;
        brn_json_open(json, NULL, '{');
        brn_json_text(json, t->path != NULL ? "path" : "parameter", t->path != NULL ? t->path : t->parameter);
        brn_json_real(json, isfinite(t->by) ? "by" : "percent", isfinite(t->by) ? t->by : t->percent);
        brn_json_text(json, "distribution", t->distribution == BRN_DRAW_NORMAL ? "normal" : "uniform");
        brn_json_close(json);
    }
    brn_json_close(json);
}

static void write_texts(brn_json *json, const char *key, char *const *texts, int count)
{
    brn_json_open(json, key, '[');
    for (int i = 0; i < count; ++i) {
        brn_json_text(json, NULL, texts[i]);
    }
    brn_json_close(json);
}

static void hash_text(const brn_design *d, char text[20])
{
    (void)snprintf(text, 20, "%016" PRIx64, d->hash);
}

brn_status brn_design_log_begin(brn_design *design, const char *path, int64_t seed)
{
    const brn_design *d = design;
    char hash[20];
    brn_json json = {.text = {.ctx = d->ctx}};
    brn_json_open(&json, NULL, '{');
    brn_json_int(&json, "brunt_design", LOG_VERSION);
    brn_json_text(&json, "version", BRN_VERSION);
    brn_json_text(&json, "kind", d->kind == BRN_DESIGN_SWEEP ? "sweep" : "design");
    hash_text(d, hash);
    brn_json_text(&json, "hash", hash);
    brn_json_int(&json, "seed", seed);
    brn_json_text(&json, "title", d->def->title);
    brn_json_text(&json, "problem", brn_scene_file(d->file));
    brn_json_text(&json, "scene", d->scene_path);
    write_texts(&json, "set", d->set, d->nset);
    brn_json_text(&json, "objective", brn_design_objective(d));
    brn_json_bool(&json, "maximise", brn_design_maximises(d));
    brn_json_open(&json, "constraints", '[');
    for (int i = 0; i < d->nconstraint; ++i) {
        brn_json_text(&json, NULL, brn_expression_text(d->constraint[i]));
    }
    brn_json_close(&json);
    brn_json_text(&json, "success", d->success != NULL ? brn_expression_text(d->success) : NULL);
    brn_json_int(&json, "samples", d->samples);
    brn_json_text(&json, "mode", d->def->robustness.mode == BRN_ROBUST_WORST ? "worst" : "mean");
    write_tolerances(d, &json);
    write_parameters(d, &json);
    brn_json_open(&json, "figures", '[');
    for (int i = 0; i < d->ncolumn; ++i) {
        brn_json_text(&json, NULL, d->column[i].name);
    }
    brn_json_close(&json);
    brn_json_close(&json);
    return append(d, path, &json);
}

static void write_figures(const brn_design *d, brn_json *json, char *const *figure)
{
    brn_json_open(json, "figures", '{');
    for (int i = 0; i < d->ncolumn; ++i) {
        brn_json_raw(json, d->column[i].name, figure[i] != NULL ? figure[i] : "null");
    }
    brn_json_close(json);
}

static void write_simulation(const brn_design *d, brn_json *json, const brn_design_record *record, int sample,
                             const brn_design_simulation *s, const double *drawn)
{
    char folder[64];
    brn_json_open(json, NULL, '{');
    brn_json_int(json, "sample", sample);
    brn_json_int(json, "seed", d->def->robustness.seed);
    brn_json_open(json, "deviations", '[');
    for (int i = 0; i < d->ntolerance; ++i) {
        brn_json_real(json, NULL, drawn[i]);
    }
    brn_json_close(json);
    brn_json_text(json, "status", s->value ? "done" : "failed");
    brn_json_text(json, "reason", s->reason);
    brn_json_bool(json, "lost", s->lost);
    brn_json_real(json, "objective", s->objective);
    brn_json_reals(json, "constraints", s->constraint, d->nconstraint);
    if (d->success != NULL) {
        brn_json_bool(json, "success", s->success);
    }
    write_figures(d, json, s->figure);
    brn_json_real(json, "wall_s", s->wall);
    brn_json_real(json, "cpu_s", s->cpu);
    brn_json_text(json, "folder", brn_design_folder(d, record->index, sample, folder));
    brn_json_close(json);
}

brn_status brn_design_log_add(const brn_design *design, const char *path, const brn_design_record *record,
                              const brn_design_simulation *simulation, const double *drawn, double elapsed)
{
    const brn_design *d = design;
    brn_json json = {.text = {.ctx = d->ctx}};
    brn_json_open(&json, NULL, '{');
    brn_json_int(&json, "index", record->index);
    brn_json_open(&json, "parameters", '{');
    for (int i = 0; i < d->n; ++i) {
        brn_json_real(&json, d->axis[i].info.name, record->x[i]);
    }
    brn_json_close(&json);
    brn_json_text(&json, "status", record->failed ? "failed" : "done");
    brn_json_text(&json, "reason", record->reason != NULL ? record->reason : "");
    brn_json_bool(&json, "lost", record->lost);
    brn_json_real(&json, "objective", record->objective);
    brn_json_reals(&json, "constraints", record->constraint, d->nconstraint);
    brn_json_real(&json, "violation", record->violation);
    brn_json_int(&json, "samples", record->samples);
    brn_json_int(&json, "succeeded", record->succeeded);
    write_figures(d, &json, record->figure);
    brn_json_real(&json, "wall_s", record->wall);
    brn_json_real(&json, "cpu_s", record->cpu);
    brn_json_text(&json, "folder", record->folder);
    brn_json_real(&json, "elapsed_s", elapsed);
    brn_json_open(&json, "simulations", '[');
    for (int i = 0; i < record->samples; ++i) {
        write_simulation(d, &json, record, i, &simulation[i], drawn + (size_t)i * (size_t)d->ntolerance);
    }
    brn_json_close(&json);
    brn_json_close(&json);
    return append(d, path, &json);
}

/* ---- reading --------------------------------------------------------------------------------------------------------------------- */

typedef struct reader {
    brn_design *design;
    const char *path;
    int64_t seed;
    double elapsed;
} reader;

static void ignore_problem(void *user, int line, const char *path, const char *text)
{
    (void)user, (void)line, (void)path, (void)text;
}

static const brn_yaml *child(const brn_yaml *map, const char *key)
{
    return map != NULL ? brn_yaml_child(map, key, strlen(key)) : NULL;
}

static double real_of(const brn_yaml *node)
{
    double value = NAN;
    if (node == NULL || node->kind != BRN_YAML_SCALAR || !brn_parse_real(node->text, &value)) {
        return NAN;
    }
    return value;
}

static bool is_text(const brn_yaml *node, const char *text)
{
    return node != NULL && node->kind == BRN_YAML_SCALAR && strcmp(node->text, text) == 0;
}

static brn_status check_header(const reader *r, const brn_yaml *line)
{
    brn_ctx *ctx = r->design->ctx;
    char hash[20], seed[32];
    hash_text(r->design, hash);
    (void)snprintf(seed, sizeof seed, "%" PRId64, r->seed);
    if (real_of(child(line, "brunt_design")) != LOG_VERSION) {
        return brn_fail(ctx, BRN_ERR_FORMAT, "%s: not the log of a design study", r->path);
    }
    if (!is_text(child(line, "hash"), hash)) {
        return brn_fail(ctx, BRN_ERR_RANGE,
                        "%s is of another problem or another scene: what changed would mix values that do not "
                        "belong together (evaluations, target, tolerance, limit and title may change)",
                        r->path);
    }
    if (!is_text(child(line, "seed"), seed)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s was begun with another seed than %s", r->path, seed);
    }
    return BRN_OK;
}

static brn_status copy_text(brn_ctx *ctx, const brn_yaml *node, char **out)
{
    *out = brn_strdup(ctx, node != NULL && node->kind == BRN_YAML_SCALAR ? node->text : "");
    return *out != NULL ? BRN_OK : BRN_ERR_MEMORY;
}

/* As JSON again. */
static brn_status copy_figure(brn_ctx *ctx, const brn_yaml *node, char **out)
{
    brn_json json = {.text = {.ctx = ctx}, .lines = -1};
    if (node != NULL && node->kind == BRN_YAML_SCALAR && node->quoted) {
        brn_json_text(&json, NULL, node->text);
    } else {
        brn_json_real(&json, NULL, real_of(node));
    }
    return brn_text_take(&json.text, out);
}

static brn_status fill_record(const brn_design *d, const brn_yaml *line, brn_design_record *out)
{
    const brn_yaml *x = child(line, "parameters"), *c = child(line, "constraints");
    const brn_yaml *figures = child(line, "figures");
    for (int i = 0; i < d->n; ++i) {
        out->x[i] = real_of(child(x, d->axis[i].info.name));
    }
    for (int i = 0; i < d->nconstraint; ++i) {
        out->constraint[i] =
            c != NULL && c->kind == BRN_YAML_LIST && i < c->count ? real_of(c->items[i]) : NAN;
    }
    for (int i = 0; i < d->ncolumn; ++i) {
        BRN_TRY(copy_figure(d->ctx, child(figures, d->column[i].name), &out->figure[i]));
    }
    out->index = (int64_t)real_of(child(line, "index"));
    out->objective = real_of(child(line, "objective"));
    out->violation = real_of(child(line, "violation"));
    out->samples = (int)real_of(child(line, "samples"));
    out->succeeded = (int)real_of(child(line, "succeeded"));
    out->failed = !is_text(child(line, "status"), "done");
    out->lost = is_text(child(line, "lost"), "true");
    out->wall = real_of(child(line, "wall_s"));
    out->cpu = real_of(child(line, "cpu_s"));
    BRN_TRY(copy_text(d->ctx, child(line, "reason"), &out->reason));
    return copy_text(d->ctx, child(line, "folder"), &out->folder);
}

/* The last line of an index counts. */
static brn_status keep_record(reader *r, const brn_yaml *line)
{
    brn_design *d = r->design;
    const double index = real_of(child(line, "index"));
    if (!(index >= 0.0 && index < 1e9)) {
        return brn_fail(d->ctx, BRN_ERR_FORMAT, "%s: a line without the index of an evaluation", r->path);
    }
    const int64_t need = (int64_t)index + 1;
    if (need > d->nlogged) {
        int64_t room = d->nlogged;
        BRN_GROW(d->ctx, d->logged, room, need > 2 * d->nlogged ? need : 2 * d->nlogged);
        memset((void *)(d->logged + d->nlogged), 0, (size_t)(room - d->nlogged) * sizeof *d->logged);
        d->nlogged = room;
    }
    brn_design_record *record = brn_design_record_create(d);
    const brn_status status = record != NULL ? fill_record(d, line, record) : BRN_ERR_MEMORY;
    if (status < 0) {
        brn_design_record_destroy(d, record);
        return status;
    }
    brn_design_record_destroy(d, d->logged[need - 1]);
    d->logged[need - 1] = record;
    r->elapsed = fmax(r->elapsed, real_of(child(line, "elapsed_s")));
    return BRN_OK;
}

static brn_status read_line(reader *r, const char *text, size_t length, int number)
{
    brn_bump memory = {.ctx = r->design->ctx};
    const brn_yaml_options options = {.depth_max = 16, .nodes_max = LINE_NODES_MAX, .problem = ignore_problem};
    brn_yaml *line = NULL;
    brn_status status = brn_yaml_parse(&memory, text, length, &options, &line);
    if (status == BRN_ERR_SCENE || (status >= 0 && line->kind != BRN_YAML_MAP)) {
        status = brn_fail(r->design->ctx, BRN_ERR_FORMAT, "%s:%d: not a line of a design log", r->path, number);
    } else if (status >= 0) {
        status = number == 1 ? check_header(r, line) : keep_record(r, line);
    }
    brn_bump_clear(&memory);
    return status;
}

brn_status brn_design_log_read(brn_design *design, const char *path, int64_t seed, double *elapsed)
{
    reader r = {.design = design, .path = path, .seed = seed};
    char *text = NULL;
    size_t length = 0;
    BRN_TRY(brn_file_read(design->ctx, path, LOG_BYTES_MAX, &text, &length));
    brn_status status = BRN_OK;
    size_t at = 0;
    for (int number = 1; status >= 0 && at < length; ++number) {
        const char *end = memchr(text + at, '\n', length - at);
        if (end == NULL) { /* torn: whoever wrote it was killed */
            status = brn_file_truncate(design->ctx, path, at);
            break;
        }
        const size_t n = (size_t)(end - text) - at;
        status = read_line(&r, text + at, n, number);
        at += n + 1;
    }
    brn_free(design->ctx, text);
    *elapsed = r.elapsed;
    if (status >= 0 && at == 0) { /* not even the first line */
        status = brn_design_log_begin(design, path, seed);
    }
    return status;
}
