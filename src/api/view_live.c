/* A simulation in progress as packets of the viewer: snapshots, taken by its thread and encoded by another. */
#include "api/registry.h"
#include "api/series_row.h"
#include "api/view.h"
#include "output/trajectory/fields.h"
#include "step/stages.h"

#include <math.h>
#include <string.h>

struct brn_snapshot {
    brn_ctx *ctx;
    const brn_model *model;
    brn_series_row columns;
    double time;
    int64_t step;
    double *pos, *vel; /* [nnode][3] */
    brn_contact_point *point;
    int npoint;
    size_t point_capacity;
    double *row; /* [columns] */
    brn_stage_result stage[BRN_STAGES];
    const char *stage_rule[BRN_STAGES];
    bool taken;
};

/* ---- snapshots -------------------------------------------------------------------------------------------------------- */

static brn_status make_room(brn_snapshot *s)
{
    BRN_TRY(brn_series_row_make(&s->columns, s->model, brn_method_of_table(s->model->method)));
    BRN_ALLOC(s->ctx, s->pos, 3 * (size_t)s->model->nnode);
    BRN_ALLOC(s->ctx, s->vel, 3 * (size_t)s->model->nnode);
    BRN_ALLOC(s->ctx, s->row, s->columns.count);
    return BRN_OK;
}

brn_status brn_snapshot_create(brn_ctx *ctx, const brn_model *model, brn_snapshot **out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, model);
    BRN_GIVEN(ctx, out);
    *out = NULL;
    brn_snapshot *s = NULL;
    BRN_ALLOC(ctx, s, 1);
    s->ctx = ctx;
    s->model = model;
    s->columns.ctx = ctx;
    const brn_status status = make_room(s);
    if (status < 0) {
        brn_snapshot_destroy(s);
        return status;
    }
    *out = s;
    return BRN_OK;
}

void brn_snapshot_destroy(brn_snapshot *s)
{
    if (s == NULL) {
        return;
    }
    brn_ctx *ctx = s->ctx;
    brn_series_row_clear(&s->columns);
    brn_free(ctx, s->pos);
    brn_free(ctx, s->vel);
    brn_free(ctx, s->point);
    brn_free(ctx, s->row);
    brn_free(ctx, s);
}

brn_status brn_snapshot_take(brn_snapshot *s, brn_sim *sim, const brn_report *report)
{
    BRN_GIVEN(NULL, s);
    BRN_GIVEN(s->ctx, sim);
    brn_report now = brn_sim_blank_report(sim);
    int npoint = 0;
    if (sim->model != s->model) {
        return brn_fail(s->ctx, BRN_ERR_RANGE, "snapshot: the simulation is of another model");
    }
    const brn_contact_point *point = brn_sim_contacts(sim, &npoint);
    BRN_GROW(s->ctx, s->point, s->point_capacity, npoint);
    if (report == NULL) {
        BRN_TRY(brn_sim_report(sim, &now));
        report = &now;
    }
    const size_t bytes = 3 * (size_t)s->model->nnode * sizeof *s->pos;
    memcpy(s->pos, brn_sim_positions(sim), bytes);
    memcpy(s->vel, brn_sim_velocities(sim), bytes);
    if (npoint > 0) {
        memcpy(s->point, point, (size_t)npoint * sizeof *point);
    }
    s->npoint = npoint;
    s->time = brn_sim_time(sim);
    s->step = brn_sim_step_count(sim);
    brn_series_row_fill(&s->columns, sim, report, s->row);
    brn_stages_tell(s->model, sim->state, s->stage, s->stage_rule);
    s->taken = true;
    return BRN_OK;
}

/* ---- the view --------------------------------------------------------------------------------------------------------- */

static brn_status copy_text(brn_ctx *ctx, const char *text, char **out)
{
    *out = brn_strdup(ctx, text != NULL ? text : "");
    return *out != NULL ? BRN_OK : BRN_ERR_MEMORY;
}

/* The columns of its rows to come. */
static brn_status name_columns(brn_view *view)
{
    brn_ctx *ctx = view->ctx;
    brn_series_row columns = {.ctx = ctx};
    brn_plot_series *table = &view->series;
    brn_status status = brn_series_row_make(&columns, view->model, brn_method_of_table(view->model->method));
    table->name = status >= 0 ? brn_calloc(ctx, (size_t)columns.count, sizeof *table->name) : NULL;
    status = status >= 0 && table->name == NULL ? BRN_ERR_MEMORY : status;
    for (int i = 0; i < columns.count && status >= 0; ++i) {
        status = copy_text(ctx, columns.name[i], &table->name[i]);
        table->ncolumn += status >= 0;
    }
    brn_series_row_clear(&columns);
    return status;
}

static brn_status start(brn_view *view, const char *text)
{
    const brn_model *model = view->model;
    const brn_method *method = brn_method_of_table(model->method);
    brn_playback_info *info = &view->outline.info;
    BRN_TRY(copy_text(view->ctx, "live", &view->name));
    BRN_TRY(copy_text(view->ctx, text, &view->scene));
    BRN_TRY(copy_text(view->ctx, model->title, &view->title));
    BRN_TRY(copy_text(view->ctx, method != NULL ? method->table->name : "", &view->method));
    view->step = model->step;
    view->end = model->end;
    view->still = model->integrator == BRN_STATIC;
    BRN_TRY(name_columns(view));
    BRN_TRY(brn_outline_of_model(&view->outline, model));
    info->has_velocity = true;
    info->has_stress = true;
    info->has_contact = method != NULL && method->contact;
    BRN_TRY(brn_camera_make(&view->camera, info));
    BRN_ALLOC(view->ctx, view->sample_stress, 6 * view->camera.recovery.nsample);
    BRN_ALLOC(view->ctx, view->frame.node_stress, 6 * (size_t)info->nnode);
    /* It does not depend on what is recorded: nothing need be said about it. */
    view->camera.dropped = info->has_contact ? 0 : 1u << BRN_SHOWN_PRESSURE;
    return BRN_OK;
}

brn_status brn_view_live(brn_ctx *ctx, const brn_model *model, const char *text, brn_view **out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, model);
    BRN_GIVEN(ctx, out);
    *out = NULL;
    brn_view *view = NULL;
    BRN_TRY(brn_view_create(ctx, &view));
    view->model = model;
    const brn_status status = start(view, text);
    if (status < 0) {
        brn_view_close(view);
        return status;
    }
    *out = view;
    return BRN_OK;
}

/* Of the nodes that are seen. */
static brn_status find_stress(brn_view *view, const brn_snapshot *s)
{
    const brn_camera *c = &view->camera;
    double *stress = NULL;
    brn_arena *arena = brn_ctx_arena(view->ctx);
    BRN_TAKE(arena, stress, 6 * (size_t)c->surface.nvertex);
    BRN_TRY(brn_field_node_stress(view->ctx, view->model, &c->recovery, s->pos, view->sample_stress, stress));
    for (int v = 0; v < c->surface.nvertex; ++v) {
        memcpy(view->frame.node_stress + 6 * (size_t)c->surface.node[v], stress + 6 * (size_t)v,
               6 * sizeof *stress);
    }
    return BRN_OK;
}

brn_status brn_view_snapshot(brn_view *view, const brn_snapshot *s, int index, const void **bytes,
                             size_t *size)
{
    BRN_GIVEN(NULL, view);
    BRN_GIVEN(view->ctx, s);
    BRN_GIVEN(view->ctx, bytes);
    BRN_GIVEN(view->ctx, size);
    brn_shown_range span[BRN_SHOWN_COUNT];
    *bytes = NULL;
    *size = 0;
    if (view->model == NULL || s->model != view->model || !s->taken) {
        return brn_fail(view->ctx, BRN_ERR_RANGE,
                        "view: a snapshot must be taken first, and shown by a live view of its model");
    }
    brn_arena *arena = brn_ctx_arena(view->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = find_stress(view, s);
    brn_arena_rewind(arena, mark);
    BRN_TRY(status);
    const brn_instant moment = {.time = s->time,
                                .step = s->step,
                                .pos = s->pos,
                                .vel = s->vel,
                                .node_stress = view->frame.node_stress,
                                .point = s->point,
                                .npoint = s->npoint,
                                .row = s->row,
                                .nrow = s->columns.count,
                                .stage = s->stage,
                                .stage_rule = s->stage_rule};
    return brn_camera_shoot(&view->camera, &moment, index, false, span, bytes, size);
}
