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

/* The node table may be larger than memory: frame by frame into the file. */
static brn_status write_frames(brn_ctx *ctx, brn_playback *playback, int every, FILE *file, const char *path,
                               brn_text frames_and_nodes[2])
{
    const brn_playback_info *info = brn_playback_get(playback);
    brn_text *frames = &frames_and_nodes[0];
    brn_text *nodes = &frames_and_nodes[1];
    brn_frame frame = {0};
    brn_text_add(frames, "frame,step,time\n");
    brn_text_add(nodes, "frame,time,body,node,x,y,z%s%s\n", info->has_velocity ? ",vx,vy,vz" : "",
                 info->has_force ? ",fx,fy,fz" : "");
    brn_status status = brn_export_begin(ctx, info, ".", every, false, &frame);
    status = status >= 0 ? flush(ctx, nodes, file, path) : status;
    for (int f = 0; f < info->nframe && status >= 0; f += every < info->nframe ? every : info->nframe) {
        status = brn_playback_read(playback, f, &frame);
        if (status >= 0) {
            brn_text_add(frames, "%d,%" PRId64, f, frame.step);
            add_real(frames, frame.time);
            brn_text_append(frames, "\n", 1);
            add_frame(nodes, info, &frame, f);
            status = flush(ctx, nodes, file, path);
        }
    }
    brn_export_end(ctx, &frame);
    return status;
}

/* Into a temporary name, replaced when it is whole. */
static brn_status write_nodes(brn_ctx *ctx, brn_playback *playback, int every, const char *path,
                              brn_text texts[2])
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.tmp", path) >= (int)sizeof temporary) {
        return brn_fail(ctx, BRN_ERR_FILE, "%s: path too long", path);
    }
    FILE *file = fopen(temporary, "wb");
    if (file == NULL) {
        return brn_fail(ctx, BRN_ERR_FILE, "%s: cannot create: %s", temporary, strerror(errno));
    }
    brn_status status = write_frames(ctx, playback, every, file, temporary, texts);
    if (fclose(file) != 0 && status >= 0) {
        status = brn_fail(ctx, BRN_ERR_FILE, "%s: cannot write: %s", temporary, strerror(errno));
    }
    if (status < 0) {
        (void)remove(temporary);
        return status;
    }
    return brn_file_replace(ctx, temporary, path);
}

brn_status brn_export_csv(brn_ctx *ctx, brn_playback *playback, const char *dir, int every, int *files)
{
    *files = 0;
    if (every < 1) {
        return brn_fail(ctx, BRN_ERR_RANGE, "export: every = %d: must be >= 1", every);
    }
    BRN_TRY(brn_dir_make(ctx, dir));
    brn_text texts[2] = {{.ctx = ctx}, {.ctx = ctx}};
    char *path = brn_path_join(ctx, dir, "nodes.csv");
    brn_status status = path != NULL ? write_nodes(ctx, playback, every, path, texts) : BRN_ERR_MEMORY;
    if (status >= 0) {
        ++*files;
        status = texts[0].failed ? brn_fail(ctx, BRN_ERR_MEMORY, "%s: out of memory while writing", dir)
                                 : brn_export_file(ctx, dir, "frames.csv", texts[0].data, texts[0].length);
    }
    *files += status >= 0;
    brn_free(ctx, path);
    brn_text_clear(&texts[0]);
    brn_text_clear(&texts[1]);
    return status;
}
