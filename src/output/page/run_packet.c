#include "output/page/run_packet.h"

#include "output/trajectory/outline.h"

#include <math.h>
#include <string.h>

static void add_words(brn_text *json, const char *key, const char *value)
{
    brn_text_add(json, "\"%s\":", key);
    brn_json_text(json, value);
    brn_text_append(json, ",", 1);
}

static void add_number(brn_text *json, const char *key, double value)
{
    brn_text_add(json, "\"%s\":", key);
    brn_json_real(json, value);
    brn_text_append(json, ",", 1);
}

static void add_frames(brn_text *json, const brn_run_card *card)
{
    brn_text_add(json, "\"recorded\":%d,\"frames\":[", card->recorded);
    for (int i = 0; i < card->nframe; ++i) {
        const int f = card->frame != NULL ? card->frame[i] : i;
        brn_text_add(json, "%s{\"time\":", i > 0 ? "," : "");
        brn_json_real(json, isfinite(card->time[f]) ? card->time[f] : 0.0);
        brn_text_add(json, ",\"step\":%lld}", (long long)card->frame_step[f]);
    }
    brn_text_add(json, "],");
    add_words(json, "thinned", card->thinned);
}

static void add_bodies(brn_text *json, const brn_camera *c)
{
    static const char *const types[] = {
        [BRN_BODY_DEFORMABLE] = "deformable", [BRN_BODY_STATIC] = "static", [BRN_BODY_RIGID] = "rigid"};
    const brn_drawing *s = &c->surface;
    brn_text_add(json, "\"bodies\":[");
    for (int b = 0; b < s->nbody; ++b) {
        const int type = c->info->body_type[b];
        brn_text_add(json, "%s{\"name\":", b > 0 ? "," : "");
        brn_json_text(json, c->info->body_name[b]);
        brn_text_add(json,
                     ",\"type\":\"%s\",\"plane\":%s,\"vertex_first\":%d,\"vertex_count\":%d,\"tri_first\":%d,"
                     "\"tri_count\":%d,\"edge_first\":%d,\"edge_count\":%d}",
                     types[type >= 0 && type < (int)(sizeof types / sizeof *types) ? type : 0],
                     s->plane[b] ? "true" : "false", s->vertex_first[b],
                     s->vertex_first[b + 1] - s->vertex_first[b], s->tri_first[b],
                     s->tri_first[b + 1] - s->tri_first[b], s->edge_first[b],
                     s->edge_first[b + 1] - s->edge_first[b]);
    }
    brn_text_add(json, "],");
}

static void add_fields(brn_text *json, const brn_camera *c, const brn_shown_range *span)
{
    const char *comma = "";
    brn_text_add(json, "\"fields\":[");
    for (int f = 0; f < BRN_SHOWN_COUNT; ++f) {
        const brn_shown_info *info = &brn_shown_table[f];
        if ((c->shown >> f & 1u) != 0) {
            const bool any = span != NULL && span[f].low <= span[f].high;
            brn_text_add(json, "%s{\"name\":\"%s\",\"label\":\"%s\",\"unit\":\"%s\",\"range\":[", comma,
                         info->name, info->label, info->unit);
            brn_json_real(json, any ? span[f].low : 0.0);
            brn_text_append(json, ",", 1);
            brn_json_real(json, any ? span[f].high : 0.0);
            brn_text_add(json, "]}");
            comma = ",";
        }
    }
    brn_text_add(json, "],\"contacts\":%s,", c->contacts ? "true" : "false");
}

static void add_series(brn_text *json, const brn_plot_series *series)
{
    brn_text_add(json, "\"series\":{\"columns\":[");
    for (int i = 0; i < series->ncolumn; ++i) {
        brn_text_append(json, ",", i > 0 ? 1 : 0);
        brn_json_text(json, series->name[i]);
    }
    brn_text_add(json, "],\"rows\":%d,\"of\":%lld},", series->rows, (long long)series->of);
}

/* What a person would look for and not find. */
static void add_notes(brn_text *json, const brn_camera *c, const brn_run_card *card)
{
    const bool cells = brn_outline_cells(c->info) > 0;
    const char *comma = "";
    brn_text_add(json, "\"notes\":[");
    for (int f = 0; f < BRN_SHOWN_COUNT; ++f) {
        const bool told = !cells && (f == BRN_SHOWN_VON_MISES || f == BRN_SHOWN_STRAIN);
        if ((c->shown >> f & 1u) == 0 && brn_shown_table[f].missing != NULL && !told &&
            !(c->dropped >> f & 1u)) {
            brn_text_append(json, comma, strlen(comma));
            brn_json_text(json, brn_shown_table[f].missing);
            comma = ",";
        }
    }
    for (int i = 0; i < card->nnote; ++i) {
        brn_text_append(json, comma, strlen(comma));
        brn_json_text(json, card->note[i]);
        comma = ",";
    }
    brn_text_add(json, "],");
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
}

brn_status brn_run_packet(const brn_camera *c, const brn_run_card *card, brn_packet *packet,
                          const void **bytes, size_t *size)
{
    brn_text *json = &packet->json;
    brn_packet_begin(packet);
    brn_text_add(json, "{\"kind\":\"run\",\"version\":1,");
    add_words(json, "brunt", BRN_VERSION);
    add_words(json, "name", card->name);
    add_words(json, "title", card->title != NULL ? card->title : "");
    add_words(json, "method", card->method != NULL ? card->method : "");
    brn_text_add(json, "\"dimension\":%d,", c->info->dim);
    add_number(json, "end", isfinite(card->end) ? card->end : 0.0);
    add_number(json, "step", isfinite(card->step) ? card->step : 0.0);
    brn_text_add(json, "\"live\":%s,", card->live ? "true" : "false");
    add_frames(json, card);
    add_bodies(json, c);
    add_fields(json, c, card->span);
    add_words(json, "scene", card->scene != NULL ? card->scene : "");
    brn_text_add(json, "\"summary\":");
    const char *summary = card->summary != NULL ? card->summary : "null";
    brn_text_append(json, summary, strlen(summary));
    brn_text_append(json, ",", 1);
    add_series(json, card->series);
    add_notes(json, c, card);
    add_arrays(c, card->series, packet);
    return brn_packet_end(packet, false, bytes, size);
}
