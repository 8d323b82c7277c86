#include "output/page/shot.h"

#include "base/parallel.h"
#include "output/figures/stage_figures.h"
#include "output/trajectory/fields.h"
#include "output/trajectory/outline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TENSOR(first, name, label, unit)                                          \
 [(first) + 1] = {name "_1", "largest principal " label, unit, NULL},             \
            [(first) + 2] = {name "_2", "middle principal " label, unit, NULL},   \
            [(first) + 3] = {name "_3", "smallest principal " label, unit, NULL}, \
            [(first) + 4] = {name "_xx", label " xx", unit, NULL},                \
            [(first) + 5] = {name "_yy", label " yy", unit, NULL},                \
            [(first) + 6] = {name "_zz", label " zz", unit, NULL},                \
            [(first) + 7] = {name "_yz", label " yz", unit, NULL},                \
            [(first) + 8] = {name "_xz", label " xz", unit, NULL},                \
            [(first) + 9] = {name "_xy", label " xy", unit, NULL}

const brn_shown_info brn_shown_table[BRN_SHOWN_COUNT] = {
    [BRN_SHOWN_VON_MISES] = {"von_mises", "von Mises stress", "Pa", "stress was not recorded"},
    TENSOR(BRN_SHOWN_VON_MISES, "stress", "stress", "Pa"),
    [BRN_SHOWN_STRAIN] = {"strain", "equivalent strain", "1", NULL},
    TENSOR(BRN_SHOWN_STRAIN, "strain", "strain", "1"),
    [BRN_SHOWN_SPEED] = {"speed", "speed", "m/s", "velocity was not recorded: no speed"},
    [BRN_SHOWN_DISPLACEMENT] = {"displacement", "displacement", "m", NULL},
    [BRN_SHOWN_PRESSURE] = {"pressure", "contact pressure", "Pa",
                            "contacts were not recorded: no contact pressure, no arrows"},
};

enum { LEVELS = 65535 };

static bool is_shown(const brn_camera *c, brn_shown field)
{
    return (c->shown >> field & 1u) != 0;
}

/* ---- made once --------------------------------------------------------------------------------------------------------- */

static unsigned choose_fields(const brn_playback_info *info)
{
    const unsigned all = (1u << BRN_SHOWN_PARTS) - 1u;
    /* In the plane yz and xz are 0, and the strain zz. */
    const unsigned stress = info->dim == 2 ? all & ~(1u << 7 | 1u << 8) : all;
    const unsigned strain = info->dim == 2 ? stress & ~(1u << 6) : all;
    const bool cells = brn_outline_cells(info) > 0;
    return (info->has_stress && cells ? stress << BRN_SHOWN_VON_MISES : 0) |
           (cells ? strain << BRN_SHOWN_STRAIN : 0) | (info->has_velocity ? 1u << BRN_SHOWN_SPEED : 0) |
           1u << BRN_SHOWN_DISPLACEMENT | (info->has_contact ? 1u << BRN_SHOWN_PRESSURE : 0);
}

brn_status brn_camera_make(brn_camera *c, const brn_playback_info *info)
{
    brn_ctx *ctx = c->ctx;
    c->info = info;
    c->surface.ctx = ctx;
    c->recovery.ctx = ctx;
    c->strain.ctx = ctx;
    c->pressure.ctx = ctx;
    c->packet.ctx = ctx;
    if (info->nbody > UINT16_MAX) {
        return brn_fail(ctx, BRN_ERR_LIMIT, "view: %d bodies; at most %d can be shown", info->nbody,
                        UINT16_MAX);
    }
    c->shown = choose_fields(info);
    c->contacts = info->has_contact;
    BRN_TRY(brn_drawing_make(&c->surface, info));
    BRN_TRY(brn_recovery_make(&c->recovery, info, c->surface.node, c->surface.nvertex));
    BRN_TRY(brn_strain_make(&c->strain, info, &c->recovery));
    BRN_TRY(brn_pressure_make(&c->pressure, &c->surface, info->dim));
    BRN_ALLOC(ctx, c->frame, info->nbody);
    BRN_ALLOC(ctx, c->movement, info->nbody);
    BRN_ALLOC(ctx, c->sample, 6 * c->recovery.nsample);
    BRN_ALLOC(ctx, c->tensor[0], 6 * (size_t)c->surface.nvertex);
    BRN_ALLOC(ctx, c->tensor[1], 6 * (size_t)c->surface.nvertex);
    BRN_ALLOC(ctx, c->value, c->surface.nvertex);
    for (int b = 0; b < info->nbody; ++b) {
        brn_movement_frame_make(&c->surface, b, info->rest, &c->frame[b]);
    }
    return BRN_OK;
}

void brn_camera_clear(brn_camera *c)
{
    brn_ctx *ctx = c->ctx;
    brn_packet_clear(&c->packet);
    brn_pressure_clear(&c->pressure);
    brn_strain_clear(&c->strain);
    brn_recovery_clear(&c->recovery);
    brn_drawing_clear(&c->surface);
    brn_free(ctx, c->frame);
    brn_free(ctx, c->movement);
    brn_free(ctx, c->finite);
    brn_free(ctx, c->sample);
    brn_free(ctx, c->tensor[0]);
    brn_free(ctx, c->tensor[1]);
    brn_free(ctx, c->value);
    brn_free(ctx, c->order);
    *c = (brn_camera){.ctx = ctx};
}

/* ---- positions ---------------------------------------------------------------------------------------------------------- */

/* A damaged file may hold anything: positions that are not numbers stay at rest. */
static brn_status make_finite(brn_camera *c, const double **pos)
{
    const size_t n = 3 * (size_t)c->info->nnode;
    const double *rest = c->info->nnode > 0 ? c->info->rest[0] : NULL;
    bool finite = true;
    for (size_t i = 0; i < n; ++i) {
        finite = finite && fabs((*pos)[i]) < 1e30;
    }
    if (finite) {
        return BRN_OK;
    }
    if (c->finite == NULL) {
        BRN_ALLOC(c->ctx, c->finite, n);
    }
    for (size_t i = 0; i < n; ++i) {
        c->finite[i] = fabs((*pos)[i]) < 1e30 ? (*pos)[i] : fabs(rest[i]) < 1e30 ? rest[i] : 0.0;
    }
    *pos = c->finite;
    return BRN_OK;
}

typedef struct movement_job {
    brn_camera *camera;
    const double *pos;
} movement_job;

static brn_status movement_block(void *arg, int body, brn_arena *scratch)
{
    (void)scratch;
    const movement_job *job = arg;
    brn_camera *c = job->camera;
    brn_movement_find(&c->surface, body, c->info->rest, &c->frame[body], job->pos, &c->movement[body]);
    return BRN_OK;
}

static uint16_t quantise(double value, double low, double scale)
{
    const double q = (value - low) * scale + 0.5;
    return q >= LEVELS ? LEVELS : q > 0.0 ? (uint16_t)q : 0;
}

/* The u16 of one body, all x first; the planes of x, y and z are `stride` apart. */
static void add_free(const brn_camera *c, int body, const double *pos, uint16_t *out, size_t stride)
{
    const brn_drawing *s = &c->surface;
    const brn_movement *movement = &c->movement[body];
    for (int i = 0; i < 3; ++i) {
        const double size = movement->size[i];
        const double scale = size > 0.0 ? LEVELS / size : 0.0;
        const int first = s->vertex_first[body];
        for (int v = first; v < s->vertex_first[body + 1]; ++v) {
            out[(size_t)i * stride + (size_t)(v - first)] =
                quantise(pos[3 * (size_t)s->node[v] + (size_t)i], movement->low[i], scale);
        }
    }
}

static brn_status add_positions(brn_camera *c, const double *pos)
{
    const brn_drawing *s = &c->surface;
    movement_job job = {c, pos};
    BRN_TRY(brn_parallel_for(c->ctx, s->nbody, movement_block, &job));
    size_t count[3] = {0}; /* bodies of each kind */
    size_t nfree = 0;      /* vertices */
    unsigned char *motion = brn_packet_add(&c->packet, "motion", BRN_PACKET_U8, (size_t)s->nbody);
    for (int b = 0; motion != NULL && b < s->nbody; ++b) {
        motion[b] = (unsigned char)c->movement[b].kind;
        count[c->movement[b].kind]++;
        nfree += c->movement[b].kind == BRN_MOVEMENT_FREE
                     ? (size_t)(s->vertex_first[b + 1] - s->vertex_first[b])
                     : 0;
    }
    float *affine = brn_packet_add(&c->packet, "affine", BRN_PACKET_F32, 12 * count[BRN_MOVEMENT_AFFINE]);
    for (int b = 0; affine != NULL && b < s->nbody; ++b) {
        if (c->movement[b].kind == BRN_MOVEMENT_AFFINE) {
            memcpy(affine, c->movement[b].affine, 12 * sizeof *affine);
            affine += 12;
        }
    }
    float *box = brn_packet_add(&c->packet, "box", BRN_PACKET_F32, 6 * count[BRN_MOVEMENT_FREE]);
    for (int b = 0; box != NULL && b < s->nbody; ++b) {
        if (c->movement[b].kind == BRN_MOVEMENT_FREE) {
            memcpy(box, c->movement[b].low, 3 * sizeof *box);
            memcpy(box + 3, c->movement[b].size, 3 * sizeof *box);
            box += 6;
        }
    }
    uint16_t *position = brn_packet_add(&c->packet, "position", BRN_PACKET_U16, 3 * nfree);
    for (int b = 0; position != NULL && b < s->nbody; ++b) {
        if (c->movement[b].kind == BRN_MOVEMENT_FREE) {
            add_free(c, b, pos, position, nfree);
            position += s->vertex_first[b + 1] - s->vertex_first[b];
        }
    }
    return BRN_OK;
}

/* ---- fields -------------------------------------------------------------------------------------------------------------- */

static void find_lengths(const brn_camera *c, const double *vector, const double *minus, float *out)
{
    for (int v = 0; v < c->surface.nvertex; ++v) {
        const size_t n = 3 * (size_t)c->surface.node[v];
        double sum = 0.0;
        for (size_t i = 0; i < 3; ++i) {
            const double d = vector[n + i] - (minus != NULL ? minus[n + i] : 0.0);
            sum += d * d;
        }
        out[v] = brn_drawing_float(sqrt(sum));
    }
}

/* Stress and strain at the vertices, where they are shown. */
static brn_status find_tensors(brn_camera *c, const brn_instant *m, const double *pos)
{
    for (int v = 0; v < c->surface.nvertex && is_shown(c, BRN_SHOWN_VON_MISES); ++v) {
        memcpy(c->tensor[0] + 6 * (size_t)v, m->node_stress + 6 * (size_t)c->surface.node[v],
               6 * sizeof(double));
    }
    if (!is_shown(c, BRN_SHOWN_STRAIN)) {
        return BRN_OK;
    }
    BRN_TRY(brn_strain_samples(&c->strain, pos, c->sample));
    return brn_recovery_apply(&c->recovery, c->sample, c->tensor[1]);
}

static void find_part(const brn_camera *c, brn_shown field, float *out)
{
    const int of = field / BRN_SHOWN_PARTS, part = field % BRN_SHOWN_PARTS;
    const double scale = of == 0 ? 1.0 : BRN_STRAIN_SCALE;
    for (int v = 0; v < c->surface.nvertex; ++v) {
        const double *t = c->tensor[of] + 6 * (size_t)v;
        double value = part == 0 ? scale * brn_von_mises(t) : part >= 4 ? t[part - 4] : 0.0;
        if (brn_shown_is_derived((int)field)) {
            double principal[3];
            brn_principals(t, principal);
            value = principal[part - 1];
        }
        out[v] = brn_drawing_float(value);
    }
}

static brn_status find_field(brn_camera *c, const brn_instant *m, const double *pos, brn_shown field)
{
    switch (field) {
    case BRN_SHOWN_SPEED:
        find_lengths(c, m->vel, NULL, c->value);
        return BRN_OK;
    case BRN_SHOWN_DISPLACEMENT:
        find_lengths(c, pos, c->info->nnode > 0 ? c->info->rest[0] : NULL, c->value);
        return BRN_OK;
    case BRN_SHOWN_PRESSURE:
        return brn_pressure_find(&c->pressure, pos, m->point, m->npoint, c->value);
    default:
        find_part(c, field, c->value);
        return BRN_OK;
    }
}

static void add_field(brn_camera *c, brn_shown field, brn_shown_range *span)
{
    const int n = c->surface.nvertex;
    float low = n > 0 ? c->value[0] : 0.0f;
    float high = low;
    for (int v = 1; v < n; ++v) {
        low = c->value[v] < low ? c->value[v] : low;
        high = c->value[v] > high ? c->value[v] : high;
    }
    low = low > 0.0f && low < 1e-6f * high ? 0.0f
                                           : low; /* a scale that starts with a rounding error reads badly */
    *span = (brn_shown_range){low, high};
    if (brn_shown_is_derived((int)field)) {
        return;
    }
    uint16_t *out = brn_packet_add(&c->packet, brn_shown_table[field].name, BRN_PACKET_U16, (size_t)n);
    const double scale = high > low ? LEVELS / ((double)high - (double)low) : 0.0;
    for (int v = 0; out != NULL && v < n; ++v) {
        out[v] = quantise(c->value[v], low, scale);
    }
}

/* ---- contacts -------------------------------------------------------------------------------------------------------------- */

typedef struct ranked {
    double force;
    int point;
} ranked;

/* Strongest first; ties in their own order. */
static int compare(const void *a, const void *b)
{
    const ranked *p = a;
    const ranked *q = b;
    return p->force > q->force ? -1 : p->force < q->force ? 1 : p->point < q->point ? -1 : 1;
}

static int by_number(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* order [at most the limit]: the points to show, in their own order. */
static brn_status choose_contacts(brn_camera *c, const brn_instant *m, int *count)
{
    *count = m->npoint < BRN_SHOT_CONTACTS_MAX ? m->npoint : BRN_SHOT_CONTACTS_MAX;
    BRN_GROW(c->ctx, c->order, c->order_capacity, *count);
    for (int i = 0; i < *count; ++i) {
        c->order[i] = i;
    }
    if (m->npoint == *count) {
        return BRN_OK;
    }
    brn_arena *arena = brn_ctx_arena(c->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    ranked *list = brn_arena_take(arena, (size_t)m->npoint, sizeof *list);
    if (list == NULL) {
        return BRN_ERR_MEMORY;
    }
    for (int i = 0; i < m->npoint; ++i) {
        const double force = m->point[i].normal_force;
        list[i] = (ranked){isnan(force) ? -INFINITY : force, i};
    }
    qsort(list, (size_t)m->npoint, sizeof *list, compare);
    for (int i = 0; i < *count; ++i) {
        c->order[i] = list[i].point;
    }
    qsort(c->order, (size_t)*count, sizeof *c->order, by_number);
    brn_arena_rewind(arena, mark);
    return BRN_OK;
}

static void add_contacts(brn_camera *c, const brn_instant *m, int count)
{
    const size_t n = (size_t)count;
    float *data = brn_packet_add(&c->packet, "contact", BRN_PACKET_F32, 9 * n);
    for (int i = 0; data != NULL && i < count; ++i, data += 9) {
        const brn_contact_point *p = &m->point[c->order[i]];
        double slip = 0.0;
        for (int k = 0; k < 3; ++k) {
            data[k] = brn_drawing_float(p->place[k]);
            data[3 + k] = brn_drawing_float(p->friction[k]);
            slip += p->slip[k] * p->slip[k];
        }
        data[6] = brn_drawing_float(p->normal_force);
        data[7] = brn_drawing_float(p->gap);
        data[8] = brn_drawing_float(sqrt(slip));
    }
    int16_t *normal = brn_packet_add(&c->packet, "contact_normal", BRN_PACKET_I16, 3 * n);
    for (int i = 0; normal != NULL && i < 3 * count; ++i) {
        const double value = m->point[c->order[i / 3]].normal[i % 3];
        normal[i] = (int16_t)lrint(32767.0 * fmax(-1.0, fmin(1.0, isnan(value) ? 0.0 : value)));
    }
    uint16_t *body = brn_packet_add(&c->packet, "contact_body", BRN_PACKET_U16, 2 * n);
    for (int i = 0; body != NULL && i < 2 * count; ++i) {
        body[i] = (uint16_t)m->point[c->order[i / 2]].body[i % 2];
    }
    unsigned char *stick = brn_packet_add(&c->packet, "contact_stick", BRN_PACKET_U8, n);
    for (int i = 0; stick != NULL && i < count; ++i) {
        const brn_contact_point *p = &m->point[c->order[i]];
        stick[i] = p->normal_force > 0.0 && brn_contact_sticks(p);
    }
}

/* ---- the packet -------------------------------------------------------------------------------------------------------------- */

static void add_head(brn_camera *c, const brn_instant *m, int index, const brn_shown_range *span,
                     int contacts)
{
    brn_json *json = &c->packet.json;
    brn_json_text(json, "kind", "frame");
    brn_json_int(json, "index", index);
    brn_json_real(json, "time", m->time);
    brn_json_int(json, "step", m->step);
    brn_json_open(json, "ranges", '{');
    for (int f = 0; f < BRN_SHOWN_COUNT; ++f) {
        if (is_shown(c, (brn_shown)f)) {
            brn_json_reals(json, brn_shown_table[f].name, (const double[2]){span[f].low, span[f].high}, 2);
        }
    }
    brn_json_close(json);
    brn_json_int(json, "contacts", contacts);
    brn_json_int(json, "contacts_total", c->contacts ? m->npoint : 0);
    if (m->row != NULL) {
        brn_json_reals(json, "row", m->row, m->nrow);
        brn_json_open(json, "stages", '{');
        brn_stage_figures_write(json, m->stage_rule, m->stage);
        brn_json_close(json);
    }
}

brn_status brn_camera_shoot(brn_camera *c, const brn_instant *m, int index, bool delta, brn_shown_range *span,
                            const void **bytes, size_t *size)
{
    const double *pos = m->pos;
    int contacts = 0;
    *bytes = NULL;
    *size = 0;
    brn_packet_begin(&c->packet);
    BRN_TRY(make_finite(c, &pos));
    BRN_TRY(add_positions(c, pos));
    BRN_TRY(find_tensors(c, m, pos));
    for (int f = 0; f < BRN_SHOWN_COUNT; ++f) {
        span[f] = (brn_shown_range){INFINITY, -INFINITY};
        if (is_shown(c, (brn_shown)f)) {
            BRN_TRY(find_field(c, m, pos, (brn_shown)f));
            add_field(c, (brn_shown)f, &span[f]);
        }
    }
    if (c->contacts) {
        BRN_TRY(choose_contacts(c, m, &contacts));
    }
    add_contacts(c, m, contacts);
    add_head(c, m, index, span, contacts);
    return brn_packet_end(&c->packet, delta, bytes, size);
}
