/* nodes.csv: frame,time,body,node,x,y,z and, where recorded, vx,vy,vz and fx,fy,fz; a row a node a frame.
   frames.csv: frame,step,time. Numbers read back to the same bits. */
#include "base/os.h"
#include "base/text.h"
#include "output/export_frame.h"

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

static void add_vector(brn_text *text, const double *values, int node)
{
    for (size_t i = 0; i < 3 && values != NULL; ++i) {
        add_real(text, values[3 * (size_t)node + i]);
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

static void add_frame(brn_text *text, const brn_playback_info *info, const brn_frame *frame, int number)
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
            brn_text_append(text, "\n", 1);
        }
    }
}

/* Writes and empties the text. */
static brn_status flush(brn_ctx *ctx, brn_text *text, FILE *file, const char *path)
{
    if (text->failed) {
        return brn_fail(ctx, BRN_ERR_MEMORY, "%s: out of memory while writing", path);
    }
    if (fwrite(text->data, 1, text->length, file) != text->length) {
        return brn_fail(ctx, BRN_ERR_FILE, "%s: cannot write: %s", path, strerror(errno));
    }
    text->length = 0;
    return BRN_OK;
}

/* What the two tables are written from and to. */
typedef struct tables {
    brn_ctx *ctx;
    brn_playback *playback;
    int every;
    brn_frame frame;
    brn_text frames, nodes;
} tables;

/* The node table may be larger than memory: frame by frame into the file. */
static brn_status write_frames(tables *t, FILE *file, const char *path)
{
    const brn_playback_info *info = brn_playback_get(t->playback);
    brn_text_add(&t->frames, "frame,step,time\n");
    brn_text_add(&t->nodes, "frame,time,body,node,x,y,z%s%s\n", info->has_velocity ? ",vx,vy,vz" : "",
                 info->has_force ? ",fx,fy,fz" : "");
    BRN_TRY(flush(t->ctx, &t->nodes, file, path));
    for (int f = 0; f < info->nframe; f += t->every < info->nframe ? t->every : info->nframe) {
        BRN_TRY(brn_playback_read(t->playback, f, &t->frame));
        brn_text_add(&t->frames, "%d,%" PRId64, f, t->frame.step);
        add_real(&t->frames, t->frame.time);
        brn_text_append(&t->frames, "\n", 1);
        add_frame(&t->nodes, info, &t->frame, f);
        BRN_TRY(flush(t->ctx, &t->nodes, file, path));
    }
    return BRN_OK;
}

/* Into a temporary name, replaced when it is whole. */
static brn_status write_nodes(tables *t, const char *path)
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.tmp", path) >= (int)sizeof temporary) {
        return brn_fail(t->ctx, BRN_ERR_FILE, "%s: path too long", path);
    }
    FILE *file = fopen(temporary, "wb");
    if (file == NULL) {
        return brn_fail(t->ctx, BRN_ERR_FILE, "%s: cannot create: %s", temporary, strerror(errno));
    }
    brn_status status = write_frames(t, file, temporary);
    if (fclose(file) != 0 && status >= 0) {
        status = brn_fail(t->ctx, BRN_ERR_FILE, "%s: cannot write: %s", temporary, strerror(errno));
    }
    if (status < 0) {
        (void)remove(temporary);
        return status;
    }
    return brn_file_replace(t->ctx, temporary, path);
}

static brn_status write_tables(tables *t, const char *dir, int *files)
{
    BRN_TRY(
        brn_export_begin(t->ctx, brn_playback_get(t->playback), dir, t->every, BRN_WANT_MOTION, &t->frame));
    char *path = brn_path_join(t->ctx, dir, "nodes.csv");
    const brn_status status = path != NULL ? write_nodes(t, path) : BRN_ERR_MEMORY;
    brn_free(t->ctx, path);
    BRN_TRY(status);
    ++*files;
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
    tables t = {
        .ctx = ctx, .playback = playback, .every = every, .frames = {.ctx = ctx}, .nodes = {.ctx = ctx}};
    const brn_status status = write_tables(&t, dir, files);
    brn_export_end(ctx, &t.frame);
    brn_text_clear(&t.frames);
    brn_text_clear(&t.nodes);
    return status;
}
