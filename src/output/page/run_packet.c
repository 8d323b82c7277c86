#include "output/page/run_packet.h"

#include "output/trajectory/outline.h"

#include <math.h>
#include <string.h>

static double finite_or_0(double value)
{
    return isfinite(value) ? value : 0.0;
}

static void add_frames(brn_json *json, const brn_run_card *card)
{
    brn_json_int(json, "recorded", card->recorded);
    brn_json_open(json, "frames", '[');
    for (int i = 0; i < card->nframe; ++i) {
        const int f = card->frame != NULL ? card->frame[i] : i;
        brn_json_open(json, NULL, '{');
        brn_json_real(json, "time", finite_or_0(card->time[f]));
        brn_json_int(json, "step", card->frame_step[f]);
        brn_json_close(json);
    }
    brn_json_close(json);
    brn_json_text(json, "thinned", card->thinned);
}

static void add_bodies(brn_json *json, const brn_camera *c)
{
    const brn_drawing *s = &c->surface;
    brn_json_open(json, "bodies", '[');
    for (int b = 0; b < s->nbody; ++b) {
        const int type = c->info->body_type[b];
        brn_json_open(json, NULL, '{');
        brn_json_text(json, "name", c->info->body_name[b]);
        brn_json_text(json, "type",
                      brn_body_tables[type >= 0 && type < BRN_BODY_TYPE_COUNT ? type : 0]->name);
        brn_json_bool(json, "plane", s->plane[b]);
        brn_json_int(json, "vertex_first", s->vertex_first[b]);
        brn_json_int(json, "vertex_count", s->vertex_first[b + 1] - s->vertex_first[b]);
        brn_json_int(json, "tri_first", s->tri_first[b]);
        brn_json_int(json, "tri_count", s->tri_first[b + 1] - s->tri_first[b]);
        brn_json_int(json, "edge_first", s->edge_first[b]);
        brn_json_int(json, "edge_count", s->edge_first[b + 1] - s->edge_first[b]);
        brn_json_close(json);
    }
    brn_json_close(json);
}

static void add_fields(brn_json *json, const brn_camera *c, const brn_shown_range *span)
{
    brn_json_open(json, "fields", '[');
    for (int f = 0; f < BRN_SHOWN_COUNT; ++f) {
        const brn_shown_info *info = &brn_shown_table[f];
        if ((c->shown >> f & 1u) != 0) {
            const bool any = span != NULL && span[f].low <= span[f].high;
            const double range[2] = {any ? span[f].low : 0.0, any ? span[f].high : 0.0};
            brn_json_open(json, NULL, '{');
            brn_json_text(json, "name", info->name);
            brn_json_text(json, "label", info->label);
            brn_json_text(json, "unit", info->unit);
            brn_json_reals(json, "range", range, 2);
            brn_json_bool(json, "derived", brn_shown_is_derived(f));
            brn_json_close(json);
        }
    }
    brn_json_close(json);
    brn_json_bool(json, "contacts", c->contacts);
}

static void add_series(brn_json *json, const brn_plot_series *series)
{
    brn_json_open(json, "series", '{');
    brn_json_open(json, "columns", '[');
    for (int i = 0; i < series->ncolumn; ++i) {
        brn_json_text(json, NULL, series->name[i]);
    }
    brn_json_close(json);
    brn_json_int(json, "rows", series->rows);
    brn_json_int(json, "of", series->of);
    brn_json_int(json, "together", series->together);
    brn_json_close(json);
}

static void add_plots(brn_json *json, const brn_plots *plots)
{
    brn_json_open(json, "plots", '[');
    for (int i = 0; i < plots->count; ++i) {
        const brn_plot *plot = &plots->plot[i];
        brn_json_open(json, NULL, '{');
        brn_json_text(json, "x", plot->x);
        brn_json_text(json, "y", plot->y);
        brn_json_text(json, "source", plot->source);
        brn_json_open(json, "points", '[');
        for (int k = 0; k < plot->npoint; ++k) {
            brn_json_reals(json, NULL, &plot->point[2 * k], 2);
        }
        brn_json_close(json);
        brn_json_close(json);
    }
    brn_json_close(json);
}

static void open_figure(brn_json *json, const brn_figure *figure)
{
    brn_json_open(json, NULL, '{');
    brn_json_text(json, "name", figure->name);
    brn_json_text(json, "label", figure->label);
    brn_json_text(json, "unit", figure->unit);
    brn_json_text(json, "group", figure->group);
    brn_json_bool(json, "whole", figure->whole);
}

static void add_step_figure(brn_json *json, const brn_figure *figure)
{
    open_figure(json, figure);
    brn_json_text(json, "chart", figure->chart);
    brn_json_close(json);
}

static void add_run_figure(brn_json *json, const brn_figure *figure)
{
    static const char *const words[] = {
        [BRN_BETTER_NONE] = NULL, [BRN_BETTER_LOW] = "low", [BRN_BETTER_HIGH] = "high"};
    open_figure(json, figure);
    brn_json_text(json, "better", words[figure->better]);
    brn_json_close(json);
}

/* The table of figures: the page has no names, units and plots of its own. */
static void add_figures(brn_json *json, const brn_run_card *card)
{
    brn_json_open(json, "charts", '[');
    for (int i = 0; i < BRN_CHARTS; ++i) {
        const brn_chart *chart = &brn_chart_table[i];
        brn_json_open(json, NULL, '{');
        brn_json_text(json, "id", chart->id);
        brn_json_text(json, "title", chart->title);
        brn_json_bool(json, "log", chart->log);
        brn_json_bool(json, "first", chart->first);
        brn_json_close(json);
    }
    brn_json_close(json);
    brn_json_open(json, "step_figures", '[');
    for (int i = 0; i < BRN_STEP_FIGURES + card->nown; ++i) {
        add_step_figure(json, i < BRN_STEP_FIGURES ? &brn_step_table[i].figure
                                                   : &card->own[BRN_OF_STEP][i - BRN_STEP_FIGURES]);
    }
    brn_json_close(json);
    brn_json_open(json, "run_figures", '[');
    for (int i = 0; i < BRN_RUN_FIGURES + card->nown; ++i) {
        const brn_figure figure =
            i < BRN_RUN_FIGURES ? brn_run_figure(i) : card->own[BRN_OF_RUN][i - BRN_RUN_FIGURES];
        add_run_figure(json, &figure);
    }
    brn_json_close(json);
}

/* The values are keys of the summary, "launch.speed"; of a live run frames carry them. */
static void add_stage_figures(brn_json *json)
{
    brn_json_open(json, "stage_names", '[');
    for (int i = 0; i < BRN_STAGES; ++i) {
        brn_json_text(json, NULL, brn_stage_name(i));
    }
    brn_json_close(json);
    brn_json_open(json, "stage_figures", '[');
    for (int i = 0; i < brn_stage_figure_count(); ++i) {
        brn_figure figure;
        (void)brn_stage_figure_get(i, &figure);
        brn_json_open(json, NULL, '{');
        brn_json_text(json, "name", figure.name);
        brn_json_text(json, "label", figure.label);
        brn_json_text(json, "unit", figure.unit);
        brn_json_close(json);
    }
    brn_json_close(json);
}

/* What a person would look for in vain. */
static void add_notes(brn_json *json, const brn_camera *c, const brn_run_card *card)
{
    const bool cells = brn_outline_cells(c->info) > 0;
    brn_json_open(json, "notes", '[');
    for (int f = 0; f < BRN_SHOWN_COUNT; ++f) {
        const bool told = !cells && f < BRN_SHOWN_SPEED;
        if ((c->shown >> f & 1u) == 0 && brn_shown_table[f].missing != NULL && !told &&
            !(c->dropped >> f & 1u)) {
            brn_json_text(json, NULL, brn_shown_table[f].missing);
        }
    }
    for (int i = 0; i < card->nnote; ++i) {
        brn_json_text(json, NULL, card->note[i]);
    }
    brn_json_close(json);
}

static void copy_numbers(brn_packet *packet, const char *name, const int *from, size_t n)
{
    uint32_t *out = brn_packet_add(packet, name, BRN_PACKET_U32, n);
    for (size_t i = 0; out != NULL && i < n; ++i) {
        out[i] = (uint32_t)from[i];
    }
}

static void add_arrays(const brn_camera *c, const brn_plot_series *series, brn_packet *packet)
{
    const brn_drawing *s = &c->surface;
    const size_t nvertex = (size_t)s->nvertex;
    float *rest = brn_packet_add(packet, "rest", BRN_PACKET_F32, 3 * nvertex);
    for (size_t i = 0; rest != NULL && i < 3 * nvertex; ++i) {
        rest[i] = brn_drawing_float(c->info->rest[s->node[i / 3]][i % 3]);
    }
    copy_numbers(packet, "node", s->node, nvertex);
    copy_numbers(packet, "tri", s->tri[0], 3 * (size_t)s->ntri);
    copy_numbers(packet, "edge", s->edge[0], 2 * (size_t)s->nedge);
    const size_t nvalue = (size_t)series->ncolumn * (size_t)series->rows;
    float *value = brn_packet_add(packet, "series", BRN_PACKET_F32, nvalue);
    if (value != NULL && nvalue > 0) {
        memcpy(value, series->value, nvalue * sizeof *value);
    }
    const size_t nwhole = (size_t)series->ncolumn * (size_t)series->together;
    float *whole = nwhole > 0 ? brn_packet_add(packet, "together", BRN_PACKET_F32, nwhole) : NULL;
    if (whole != NULL) {
        memcpy(whole, series->whole, nwhole * sizeof *whole);
    }
}

brn_status brn_run_packet(const brn_camera *c, const brn_run_card *card, brn_packet *packet,
                          const void **bytes, size_t *size)
{
    brn_json *json = &packet->json;
    brn_packet_begin(packet);
    brn_json_text(json, "kind", "run");
    brn_json_int(json, "version", 1);
    brn_json_text(json, "brunt", BRN_VERSION);
    brn_json_text(json, "name", card->name);
    brn_json_text(json, "title", card->title != NULL ? card->title : "");
    brn_json_text(json, "method", card->method != NULL ? card->method : "");
    brn_json_int(json, "dimension", c->info->dim);
    brn_json_real(json, "end", finite_or_0(card->end));
    brn_json_real(json, "step", finite_or_0(card->step));
    brn_json_bool(json, "live", card->live);
    brn_json_bool(json, "static", card->still);
    add_frames(json, card);
    add_bodies(json, c);
    add_fields(json, c, card->span);
    brn_json_text(json, "scene", card->scene != NULL ? card->scene : "");
    brn_json_raw(json, "summary", card->summary != NULL ? card->summary : "null");
    brn_json_raw(json, "stages", card->stages != NULL ? card->stages : "null");
    brn_json_raw(json, "study", card->study != NULL ? card->study : "null");
    add_series(json, card->series);
    add_plots(json, card->plots);
    add_figures(json, card);
    add_stage_figures(json);
    add_notes(json, c, card);
    brn_difference_write(json, "difference", card->difference);
    add_arrays(c, card->series, packet);
    return brn_packet_end(packet, false, bytes, size);
}
