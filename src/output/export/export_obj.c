/* frame_NNNN.obj: the boundary triangles of every body as one object `o NAME`, with its own vertices in order of node
   numbers, so that topology and numbering are the same in every frame. */
#include "base/text.h"
#include "output/export/export_frame.h"

#include <ctype.h>

/* An OBJ name ends at the first blank. */
static void add_name(brn_text *text, const char *name)
{
    brn_text_append(text, "o ", 2);
    for (const char *c = name; *c != '\0'; ++c) {
        const bool plain = !isspace((unsigned char)*c) && !iscntrl((unsigned char)*c) && *c != '#';
        brn_text_append(text, plain ? c : "_", 1);
    }
    brn_text_append(text, "\n", 1);
}

/* Number of each boundary node in the file, from 1, 0 elsewhere; the same for all frames. */
static void number_vertices(const brn_playback_info *info, int *vertex)
{
    int next = 1;
    for (int first = 0, last; first < info->ntri; first = last) {
        for (last = first; last < info->ntri && info->tri_body[last] == info->tri_body[first]; ++last) {
            for (int i = 0; i < 3; ++i) {
                vertex[info->tri[last][i]] = -1;
            }
        }
        const int body = info->tri_body[first];
        for (int n = info->body_first[body]; n < info->body_first[body] + info->body_nnode[body]; ++n) {
            vertex[n] = vertex[n] == -1 ? next++ : vertex[n];
        }
    }
}

static void add_body(brn_text *text, const brn_playback_info *info, const int *vertex, const double *pos,
                     int *tri)
{
    char number[3][BRN_REAL_TEXT];
    const int body = info->tri_body[*tri];
    add_name(text, info->body_name[body]);
    for (int n = info->body_first[body]; n < info->body_first[body] + info->body_nnode[body]; ++n) {
        if (vertex[n] > 0) {
            const double *x = pos + 3 * (size_t)n;
            brn_text_add(text, "v %s %s %s\n", brn_format_real(x[0], number[0]),
                         brn_format_real(x[1], number[1]), brn_format_real(x[2], number[2]));
        }
    }
    for (; *tri < info->ntri && info->tri_body[*tri] == body; ++*tri) {
        const int *node = info->tri[*tri];
        brn_text_add(text, "f %d %d %d\n", vertex[node[0]], vertex[node[1]], vertex[node[2]]);
    }
}

static brn_status write_frames(brn_ctx *ctx, brn_playback *playback, const char *dir, int every,
                               brn_frame *frame, const int *vertex, int *files)
{
    const brn_playback_info *info = brn_playback_get(playback);
    char name[BRN_FRAME_NAME];
    for (int f = 0; f < info->nframe; f += every < info->nframe ? every : info->nframe) {
        BRN_TRY(brn_playback_read(playback, f, frame));
        brn_text text = {.ctx = ctx};
        for (int tri = 0; tri < info->ntri;) {
            add_body(&text, info, vertex, frame->pos, &tri);
        }
        const size_t length = text.length;
        char *bytes = NULL;
        BRN_TRY(brn_text_take(&text, &bytes));
        brn_export_name(info, "frame", f, "obj", name);
        const brn_status status = brn_export_file(ctx, dir, name, bytes, length);
        brn_free(ctx, bytes);
        BRN_TRY(status);
        ++*files;
    }
    return BRN_OK;
}

/* Vertices are numbered body by body, so bodies must come in runs and own their nodes. */
static bool runs_are_plain(const brn_playback_info *info)
{
    for (int t = 0; t < info->ntri; ++t) {
        const int body = info->tri_body[t];
        for (int i = 0; i < 3; ++i) {
            const int n = info->tri[t][i] - info->body_first[body];
            if (n < 0 || n >= info->body_nnode[body]) {
                return false;
            }
        }
        if (t > 0 && body < info->tri_body[t - 1]) {
            return false;
        }
    }
    return true;
}

brn_status brn_export_obj(brn_ctx *ctx, brn_playback *playback, const char *dir, int every, int *files)
{
    const brn_playback_info *info = brn_playback_get(playback);
    *files = 0;
    if (!runs_are_plain(info)) {
        return brn_fail(ctx, BRN_ERR_FORMAT,
                        "export: the boundary triangles of the trajectory are not sorted by body");
    }
    brn_frame frame;
    brn_status status = brn_export_begin(ctx, info, dir, every, 0, &frame);
    int *vertex = status >= 0 ? brn_calloc(ctx, (size_t)info->nnode, sizeof *vertex) : NULL;
    if (status >= 0) {
        status = vertex != NULL ? BRN_OK : BRN_ERR_MEMORY;
    }
    if (status >= 0) {
        number_vertices(info, vertex);
        status = write_frames(ctx, playback, dir, every, &frame, vertex, files);
    }
    brn_free(ctx, vertex);
    brn_export_end(ctx, &frame);
    return status;
}
