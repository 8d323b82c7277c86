/* nodes.csv: frame,time,body,node,x,y,z and, if recorded, vx,vy,vz and fx,fy,fz, stress, strain and contact pressure; a row per
   node and frame.
   contacts.csv, if recorded: a row per contact and frame, columns below. frames.csv: frame,step,time.
   Numbers read back to the same bits. */
#include "base/os.h"
#include "base/text.h"
#include "output/export/export_fields.h"
#include "output/export/export_frame.h"
#include "output/trajectory/fields.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_real(brn_text *text, double value)
{
    char number[BRN_REAL_TEXT];
    if (isfinite(value)) {
        brn_text_add(text, ",%s", brn_format_real(value, number));
    } else {
        brn_text_add(text, ",%s", isnan(value) ? "" : value > 0.0 ? "inf" : "-inf");
    }
}

static void add_reals(brn_text *text, const double *values, int count)
{
    for (int i = 0; i < count; ++i) {
        add_real(text, values[i]);
    }
}

static void add_vector(brn_text *text, const double *values, int node)
{
    if (values != NULL) {
        add_reals(text, values + 3 * (size_t)node, 3);
    }
}

/* RFC 4180; a name with a line break in it is quoted as well. */
static void add_name(brn_text *text, const char *name)
{
    const bool quoted = strpbrk(name, ",\"\r\n") != NULL;
    brn_text_append(text, ",\"", quoted ? 2 : 1);
    for (const char *c = name; *c != '\0'; ++c) {
        if (*c == '"') {
            brn_text_append(text, "\"", 1);
        }
        brn_text_append(text, c, 1);
    }
    brn_text_append(text, "\"", quoted ? 1 : 0);
}

/* Components, equivalent, principal values. */
static void add_tensor(brn_text *text, const double *tensor, double factor, int node)
{
    if (tensor != NULL) {
        double principal[3];
        const double *t = tensor + 6 * (size_t)node;
        brn_principals(t, principal);
        add_reals(text, t, 6);
        add_real(text, factor * brn_von_mises(t));
        add_reals(text, principal, 3);
    }
}

static void name_tensor(brn_text *text, const char *name, const char *equivalent)
{
    for (int k = 0; k < 6; ++k) {
        brn_text_add(text, ",%s_%s", name, brn_component_names[k]);
    }
    brn_text_add(text, ",%s,%s_1,%s_2,%s_3", equivalent, name, name, name);
}

static void add_frame(brn_text *text, const brn_playback_info *info, const brn_frame *frame,
                      const brn_export_fields *fields, int number)
{
    for (int b = 0; b < info->nbody; ++b) {
        for (int n = info->body_first[b]; n < info->body_first[b] + info->body_nnode[b]; ++n) {
            brn_text_add(text, "%d", number);
            add_real(text, frame->time);
            add_name(text, info->body_name[b]);
            brn_text_add(text, ",%d", n);
            add_vector(text, frame->pos, n);
            add_vector(text, frame->vel, n);
            add_vector(text, frame->force, n);
            add_tensor(text, frame->node_stress, 1.0, n);
            add_tensor(text, fields->strain, BRN_STRAIN_SCALE, n);
            if (fields->pressure.node != NULL) {
                add_real(text, fields->pressure.node[n]);
            }
            brn_text_append(text, "\n", 1);
        }
    }
}

static void add_contacts(brn_text *text, const brn_playback_info *info, const brn_contact_point *point,
                         int npoint, const brn_frame *frame, int number)
{
    for (int i = 0; i < npoint; ++i) {
        const brn_contact_point *p = &point[i];
        brn_text_add(text, "%d", number);
        add_real(text, frame->time);
        add_name(text, info->body_name[p->body[0]]);
        add_name(text, info->body_name[p->body[1]]);
        add_reals(text, p->place, 3);
        add_reals(text, p->normal, 3);
        add_real(text, p->gap);
        add_real(text, p->normal_force);
        add_reals(text, p->friction, 3);
        add_reals(text, p->slip, 3);
        add_real(text, p->mu);
        add_real(text, p->stick_speed);
        brn_text_append(text, "\n", 1);
    }
}

/* Writes and empties the text. */
static brn_status flush(brn_ctx *ctx, brn_text *text, FILE *file, const char *path)
{
    if (text->failed) {
        return brn_fail(ctx, BRN_ERR_MEMORY, "%s: out of memory while writing", path);
    }
    if (fwrite(text->data, 1, text->length, file) != text->length) {
        return brn_fail(ctx, brn_file_status(errno), "%s: cannot write: %s", path, strerror(errno));
    }
    text->length = 0;
    return BRN_OK;
}

/* What the tables are written from and to. */
typedef struct tables {
    brn_ctx *ctx;
    brn_playback *playback;
    int every;
    brn_frame frame;
    brn_export_fields fields;
    brn_text frames, rows;
} tables;

/* Writes all of a table into an open file. */
typedef brn_status (*table_fn)(tables *t, FILE *file, const char *path);

/* The node table may be larger than memory: frame by frame into the file. */
static brn_status write_frames(tables *t, FILE *file, const char *path)
{
    const brn_playback_info *info = brn_playback_get(t->playback);
    brn_text_add(&t->frames, "frame,step,time\n");
    brn_text_add(&t->rows, "frame,time,body,node,x,y,z%s%s", info->has_velocity ? ",vx,vy,vz" : "",
                 info->has_force ? ",fx,fy,fz" : "");
    if (t->frame.node_stress != NULL) {
        name_tensor(&t->rows, "stress", "von_mises");
    }
    if (t->fields.strain != NULL) {
        name_tensor(&t->rows, "strain", "equivalent_strain");
    }
    brn_text_add(&t->rows, "%s\n", t->fields.pressure.node != NULL ? ",pressure" : "");
    BRN_TRY(flush(t->ctx, &t->rows, file, path));
    for (int f = 0; f < info->nframe; f += t->every < info->nframe ? t->every : info->nframe) {
        BRN_TRY(brn_playback_read(t->playback, f, &t->frame));
        BRN_TRY(brn_export_fields_find(&t->fields, t->playback, f, t->frame.pos));
        brn_text_add(&t->frames, "%d,%" PRId64, f, t->frame.step);
        add_real(&t->frames, t->frame.time);
        brn_text_append(&t->frames, "\n", 1);
        add_frame(&t->rows, info, &t->frame, &t->fields, f);
        BRN_TRY(flush(t->ctx, &t->rows, file, path));
    }
    return BRN_OK;
}

static brn_status write_contacts(tables *t, FILE *file, const char *path)
{
    const brn_playback_info *info = brn_playback_get(t->playback);
    brn_text_add(&t->rows,
                 "frame,time,body,other,x,y,z,normal_x,normal_y,normal_z,gap,normal_force,friction_x,"
                 "friction_y,friction_z,slip_x,slip_y,slip_z,mu,stick_speed\n");
    BRN_TRY(flush(t->ctx, &t->rows, file, path));
    for (int f = 0; f < info->nframe; f += t->every < info->nframe ? t->every : info->nframe) {
        const brn_contact_point *point = NULL;
        int npoint = 0;
        brn_frame frame = {0};
        BRN_TRY(brn_playback_read(t->playback, f, &frame));
        BRN_TRY(brn_playback_contacts(t->playback, f, &point, &npoint));
        add_contacts(&t->rows, info, point, npoint, &frame, f);
        BRN_TRY(flush(t->ctx, &t->rows, file, path));
    }
    return BRN_OK;
}

/* Into a temporary name, replaced when it is whole. */
static brn_status write_table(tables *t, const char *path, table_fn write)
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.tmp", path) >= (int)sizeof temporary) {
        return brn_fail(t->ctx, BRN_ERR_FILE, "%s: path too long", path);
    }
    FILE *file = fopen(temporary, "wb");
    if (file == NULL) {
        return brn_fail(t->ctx, brn_file_status(errno), "%s: cannot create: %s", temporary, strerror(errno));
    }
    brn_status status = write(t, file, temporary);
    if (fclose(file) != 0 && status >= 0) {
        status = brn_fail(t->ctx, brn_file_status(errno), "%s: cannot write: %s", temporary, strerror(errno));
    }
    if (status < 0) {
        (void)remove(temporary);
        return status;
    }
    return brn_file_replace(t->ctx, temporary, path);
}

static brn_status add_file(tables *t, const char *dir, const char *name, table_fn write, int *files)
{
    char *path = brn_path_join(t->ctx, dir, name);
    const brn_status status = path != NULL ? write_table(t, path, write) : BRN_ERR_MEMORY;
    brn_free(t->ctx, path);
    *files += status >= 0;
    return status;
}

static brn_status write_tables(tables *t, const char *dir, int *files)
{
    const brn_playback_info *info = brn_playback_get(t->playback);
    BRN_TRY(brn_export_begin(t->ctx, info, dir, t->every, BRN_WANT_MOTION | BRN_WANT_STRESS, &t->frame));
    BRN_TRY(brn_export_fields_make(&t->fields, info));
    BRN_TRY(add_file(t, dir, "nodes.csv", write_frames, files));
    if (info->has_contact) {
        BRN_TRY(add_file(t, dir, "contacts.csv", write_contacts, files));
    }
    if (t->frames.failed) {
        return brn_fail(t->ctx, BRN_ERR_MEMORY, "%s/frames.csv: out of memory while writing", dir);
    }
    BRN_TRY(brn_export_file(t->ctx, dir, "frames.csv", t->frames.data, t->frames.length));
    ++*files;
    return BRN_OK;
}

brn_status brn_export_csv(brn_ctx *ctx, brn_playback *playback, const char *dir, int every, int *files)
{
    *files = 0;
    tables t = {.ctx = ctx,
                .playback = playback,
                .every = every,
                .fields = {.ctx = ctx},
                .frames = {.ctx = ctx},
                .rows = {.ctx = ctx}};
    const brn_status status = write_tables(&t, dir, files);
    brn_export_end(ctx, &t.frame);
    brn_export_fields_clear(&t.fields);
    brn_text_clear(&t.frames);
    brn_text_clear(&t.rows);
    return status;
}
