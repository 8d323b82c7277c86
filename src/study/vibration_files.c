/* The folder of a vibration: a table, a summary, shapes for ParaView, and the page that plays them. */
#include "base/lock.h"
#include "base/os.h"
#include "output/export/export.h"
#include "output/page/html.h"
#include "output/page/run_packet.h"
#include "output/trajectory/outline.h"
#include "study/vibration.h"

#include <stdio.h>
#include <string.h>

typedef struct folder {
    brn_ctx *ctx;
    const brn_model *model;
    const brn_vibration *vibration;
    const char *scene, *dir;
    double mb; /* of the page; 0: none */
    brn_outline outline;
} folder;

static brn_status write_file(const folder *f, const char *name, const brn_text *text)
{
    if (text->failed) {
        return BRN_ERR_MEMORY;
    }
    char *path = brn_path_join(f->ctx, f->dir, name);
    if (path == NULL) {
        return BRN_ERR_MEMORY;
    }
    const brn_status status = brn_file_write(f->ctx, path, text->data, text->length);
    brn_free(f->ctx, path);
    return status;
}

/* A file of an earlier search must not stand beside the new ones. */
static brn_status remove_file(const folder *f, const char *name)
{
    char *path = brn_path_join(f->ctx, f->dir, name);
    if (path == NULL) {
        return BRN_ERR_MEMORY;
    }
    const brn_status status = brn_file_remove(f->ctx, path);
    brn_free(f->ctx, path);
    return status;
}

/* ---- tables ---------------------------------------------------------------------------------------------------------------- */

static brn_status write_csv(const folder *f)
{
    const brn_vibration *v = f->vibration;
    brn_text csv = {.ctx = f->ctx};
    brn_text_add(&csv, "mode,rigid,frequency,damped,ratio,lambda,mass,effective_mass_x,effective_mass_y,"
                       "effective_mass_z\n");
    for (int i = 0; i < v->count; ++i) {
        const brn_vibration_mode *m = &v->mode[i];
        const double value[] = {
            m->frequency,         m->damped,           m->ratio, m->lambda, m->mass, m->effective_mass[0],
            m->effective_mass[1], m->effective_mass[2]};
        brn_text_add(&csv, "%d,%d", i + 1, m->rigid ? 1 : 0);
        for (size_t k = 0; k < sizeof value / sizeof *value; ++k) {
            char number[BRN_REAL_TEXT];
            brn_text_add(&csv, ",%s", brn_format_real(value[k], number));
        }
        brn_text_add(&csv, "\n");
    }
    const brn_status status = write_file(f, "modes.csv", &csv);
    brn_text_clear(&csv);
    return status;
}

static void add_mode(brn_json *json, const brn_vibration_mode *m, int number)
{
    brn_json_open(json, NULL, '{');
    brn_json_int(json, "mode", number);
    brn_json_bool(json, "rigid", m->rigid);
    brn_json_real(json, "frequency", m->frequency);
    brn_json_real(json, "damped", m->damped);
    brn_json_real(json, "ratio", m->ratio);
    brn_json_real(json, "lambda", m->lambda);
    brn_json_real(json, "mass", m->mass);
    brn_json_reals(json, "effective_mass", m->effective_mass, 3);
    brn_json_close(json);
}

static int count_rigid(const brn_vibration *v)
{
    int rigid = 0;
    for (int i = 0; i < v->count; ++i) {
        rigid += v->mode[i].rigid;
    }
    return rigid;
}

static brn_status write_json(const folder *f)
{
    const brn_vibration *v = f->vibration;
    brn_json json = {.text = {.ctx = f->ctx}, .lines = 2};
    brn_json_open(&json, NULL, '{');
    brn_json_text(&json, "version", BRN_VERSION);
    brn_json_text(&json, "title", f->model->title);
    brn_json_text(&json, "body", v->body >= 0 ? f->model->body[v->body].name : NULL);
    brn_json_bool(&json, "free", v->free);
    brn_json_int(&json, "dimension", f->model->dim);
    brn_json_int(&json, "nodes", v->nnode);
    brn_json_int(&json, "rigid", count_rigid(v));
    brn_json_int(&json, "elastic", v->count - count_rigid(v));
    brn_json_open(&json, "modes", '[');
    for (int i = 0; i < v->count; ++i) {
        add_mode(&json, &v->mode[i], i + 1);
    }
    brn_json_close(&json);
    brn_json_close(&json);
    brn_text_add(&json.text, "\n");
    const brn_status status = write_file(f, "modes.json", &json.text);
    brn_text_clear(&json.text);
    return status;
}

/* ---- the page --------------------------------------------------------------------------------------------------------------- */

typedef struct page {
    const folder *folder;
    brn_camera camera;
    brn_packet packet;
    brn_packer packer;
    brn_text lines; /* shapes, a line each */
    int count;      /* of them */
    brn_html html;
    char name[128], thinned[128];
} page;

/* The folder's own name, also of "out/modes/". */
static void name_page(page *p)
{
    const char *dir = p->folder->dir;
    size_t n = strlen(dir);
    while (n > 0 && dir[n - 1] == '/') {
        --n;
    }
    size_t first = n;
    while (first > 0 && dir[first - 1] != '/') {
        --first;
    }
    const bool named = n > first && strspn(dir + first, ".") < n - first;
    (void)snprintf(p->name, sizeof p->name, "%.*s", named ? (int)(n - first) : 5,
                   named ? dir + first : "modes");
}

static brn_status pack(page *p, const void *bytes, size_t size, const char **line, size_t *length)
{
    const brn_status status = brn_packer_line(&p->packer, bytes, size, line, length);
    return status == BRN_ERR_LIMIT ? brn_fail(p->folder->ctx, status, "report: over 4 GB") : status;
}

static brn_status pack_run(page *p, const char **line, size_t *length)
{
    const folder *f = p->folder;
    const brn_plot_series no_series = {.ctx = f->ctx};
    const brn_plots no_plots = {0};
    const brn_run_card card = {.name = p->name,
                               .title = f->model->title,
                               .scene = f->scene,
                               .thinned = p->thinned[0] != '\0' ? p->thinned : NULL,
                               .recorded = f->vibration->count,
                               .series = &no_series,
                               .plots = &no_plots,
                               .mode = f->vibration->mode,
                               .nmode = p->count};
    const void *bytes = NULL;
    size_t size = 0;
    BRN_TRY(brn_run_packet(&p->camera, &card, &p->packet, &bytes, &size));
    return pack(p, bytes, size, line, length);
}

/* As many as the budget has room for, one at least. */
static brn_status pack_shapes(page *p)
{
    const brn_vibration *v = p->folder->vibration;
    const char *line = NULL;
    size_t length = 0;
    p->count = v->count;
    BRN_TRY(pack_run(p, &line, &length)); /* it will not be longer, but for a remark */
    const double room = 1e6 * p->folder->mb - (double)(brn_html_frame_bytes(1) + length + sizeof p->thinned);
    for (p->count = 0; p->count < v->count; ++p->count) {
        const void *bytes = NULL;
        size_t size = 0;
        BRN_TRY(brn_shape_packet(&p->camera.surface, v->mode[p->count].shape, p->count, &p->packet, &bytes,
                                 &size));
        BRN_TRY(pack(p, bytes, size, &line, &length));
        if (p->count > 0 && (double)(p->lines.length + length) > room) {
            (void)snprintf(p->thinned, sizeof p->thinned, "the first %d of %d modes: the budget is %g MB",
                           p->count, v->count, p->folder->mb);
            break;
        }
        brn_text_append(&p->lines, line, length);
    }
    return p->lines.failed ? BRN_ERR_MEMORY : BRN_OK;
}

static brn_status compose_page(page *p, const char *path)
{
    const char *line = NULL;
    size_t length = 0;
    BRN_TRY(brn_camera_make(&p->camera, &p->folder->outline.info));
    /* Nothing was recorded, and nothing need be said about it. */
    p->camera.shown = 0;
    p->camera.dropped = ~0u;
    name_page(p);
    BRN_TRY(pack_shapes(p));
    BRN_TRY(pack_run(p, &line, &length));
    BRN_TRY(brn_html_open(&p->html, path));
    BRN_TRY(brn_html_begin_run(&p->html));
    BRN_TRY(brn_html_line(&p->html, line, length));
    BRN_TRY(brn_html_line(&p->html, p->lines.data, p->lines.length));
    BRN_TRY(brn_html_end_run(&p->html));
    return brn_html_close(&p->html);
}

static brn_status write_page(const folder *f)
{
    brn_ctx *ctx = f->ctx;
    page p = {.folder = f,
              .camera = {.ctx = ctx},
              .packet = {.ctx = ctx},
              .packer = {.ctx = ctx},
              .lines = {.ctx = ctx},
              .html = {.ctx = ctx}};
    char *path = brn_path_join(ctx, f->dir, "report.html");
    const brn_status status = path != NULL ? compose_page(&p, path) : BRN_ERR_MEMORY;
    brn_html_discard(&p.html);
    brn_text_clear(&p.lines);
    brn_packer_clear(&p.packer);
    brn_packet_clear(&p.packet);
    brn_camera_clear(&p.camera);
    brn_free(ctx, path);
    return status;
}

/* ---- the folder ---------------------------------------------------------------------------------------------------------------- */

/* The summary last: a folder that has it is whole. */
static brn_status write_files(folder *f)
{
    const brn_vibration *v = f->vibration;
    BRN_TRY(remove_file(f, "modes.json"));
    BRN_TRY(remove_file(f, "report.html"));
    if (f->scene != NULL) {
        brn_text text = {.ctx = f->ctx};
        brn_text_append(&text, f->scene, strlen(f->scene));
        const brn_status status = write_file(f, "scene.yaml", &text);
        brn_text_clear(&text);
        BRN_TRY(status);
    }
    BRN_TRY(write_csv(f));
    BRN_TRY(brn_outline_of_model(&f->outline, f->model));
    BRN_TRY(brn_export_modes(f->ctx, &f->outline.info, v->mode, v->count, f->dir, "modes.vtu"));
    if (f->mb > 0.0) {
        BRN_TRY(write_page(f));
    }
    return write_json(f);
}

brn_status brn_vibration_write(brn_ctx *ctx, const brn_model *model, const brn_vibration *vibration,
                               const char *scene, const char *dir, double report_mb)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, model);
    BRN_GIVEN(ctx, vibration);
    BRN_GIVEN(ctx, dir);
    if (model->nnode != vibration->nnode || vibration->body >= model->nbody) {
        return brn_fail(ctx, BRN_ERR_RANGE, "vibration: it is of another model");
    }
    const double mb = report_mb < 0.0 ? model->report_mb : report_mb;
    if (!(mb >= 0.0 && mb < 1e9)) {
        return brn_fail(ctx, BRN_ERR_RANGE, "vibration: a report of %g MB: must be below 1e9", mb);
    }
    brn_lock *lock = NULL;
    BRN_TRY(brn_lock_take(ctx, dir, &lock));
    folder f = {.ctx = ctx,
                .model = model,
                .vibration = vibration,
                .scene = scene,
                .dir = dir,
                .mb = mb,
                .outline = {.ctx = ctx}};
    const brn_status status = write_files(&f);
    brn_outline_clear(&f.outline);
    brn_lock_release(lock);
    return status;
}
