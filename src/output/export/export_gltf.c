/* trajectory.glb: one glTF 2.0 file with all frames as an animation (gltf_json.h has its contents). The frames are read
   twice, once to see how each body moves and once to write, so that the file need not fit in memory. */
#include "base/os.h"
#include "output/export/export_frame.h"
#include "output/export/gltf_json.h"

#include <string.h>

enum { GLB_MAGIC = 0x46546c67, GLB_JSON = 0x4e4f534a, GLB_BIN = 0x004e4942, HEAD = 12, CHUNK_HEAD = 8 };

/* ---- bytes ----------------------------------------------------------------------------------------------------------- */

/* GLB is little-endian. */
static brn_status add_words(brn_file_out *out, const void *words, size_t count)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    uint32_t word;
    for (size_t i = 0; i < count; ++i) {
        memcpy(&word, (const char *)words + 4 * i, sizeof word);
        word = __builtin_bswap32(word);
        BRN_TRY(brn_file_add(out, &word, sizeof word));
    }
    return BRN_OK;
#else
    return brn_file_add(out, words, 4 * count);
#endif
}

static brn_status add_indices(const brn_gltf *g, brn_file_out *out)
{
    const brn_drawing *s = g->surface;
    for (int b = 0; b < s->nbody; ++b) {
        const bool lines = s->tri_first[b + 1] == s->tri_first[b];
        const int count = brn_gltf_index_count(g, b);
        for (int i = 0; i < count; ++i) {
            const int vertex =
                lines ? s->edge[s->edge_first[b] + i / 2][i % 2] : s->tri[s->tri_first[b] + i / 3][i % 3];
            const uint32_t local = (uint32_t)(vertex - s->vertex_first[b]);
            BRN_TRY(add_words(out, &local, 1));
        }
    }
    return BRN_OK;
}

static brn_status add_targets(const brn_gltf *g, brn_playback *playback, brn_frame *frame, brn_file_out *out)
{
    const brn_drawing *s = g->surface;
    const brn_gltf_motion *motion = g->motion;
    for (int f = 1; f < motion->nframe && g->morph_vertices > 0; ++f) {
        BRN_TRY(brn_playback_read(playback, motion->frame[f], frame));
        for (int b = 0; b < s->nbody; ++b) {
            if (!brn_gltf_shown(g, b) || motion->body[b].kind != BRN_GLTF_MORPH) {
                continue;
            }
            for (int v = s->vertex_first[b]; v < s->vertex_first[b + 1]; ++v) {
                float move[3];
                brn_gltf_displacement(&motion->body[b], motion->base[v], frame->pos + 3 * (size_t)s->node[v],
                                      move);
                BRN_TRY(add_words(out, move, 3));
            }
        }
    }
    return BRN_OK;
}

static brn_status add_animation(const brn_gltf *g, brn_file_out *out)
{
    const brn_gltf_motion *motion = g->motion;
    const size_t nframe = (size_t)motion->nframe;
    BRN_TRY(add_words(out, motion->time, (size_t)g->words[BRN_GLTF_TIMES]));
    for (int turns = 0; turns < 2; ++turns) {
        for (int b = 0; b < motion->nbody; ++b) {
            const brn_gltf_body *body = &motion->body[b];
            const brn_gltf_kind least = turns == 0 ? BRN_GLTF_SHIFT : BRN_GLTF_TURN;
            if (brn_gltf_shown(g, b) && body->kind >= least && body->kind < BRN_GLTF_MORPH) {
                BRN_TRY(turns == 0 ? add_words(out, body->place, 3 * nframe)
                                   : add_words(out, body->turn, 4 * nframe));
            }
        }
    }
    /* Weight f - 1 of the nframe - 1 of frame f. */
    for (uint32_t f = 1; f <= g->words[BRN_GLTF_WEIGHT_AT]; ++f) {
        const uint32_t at = f * (uint32_t)(nframe - 1) + f - 1;
        BRN_TRY(add_words(out, &at, 1));
    }
    for (uint64_t f = 0; f < g->words[BRN_GLTF_WEIGHT]; ++f) {
        BRN_TRY(add_words(out, &(const float){1.0f}, 1));
    }
    return BRN_OK;
}

/* ---- the file ---------------------------------------------------------------------------------------------------------- */

static brn_status write_bytes(const brn_gltf *g, brn_playback *playback, brn_frame *frame,
                              const brn_text *json, brn_file_out *out)
{
    const uint32_t binary = (uint32_t)brn_gltf_bytes(g);
    const uint32_t total =
        HEAD + CHUNK_HEAD + (uint32_t)json->length + (binary > 0 ? CHUNK_HEAD + binary : 0);
    BRN_TRY(add_words(out, (const uint32_t[5]){GLB_MAGIC, 2, total, (uint32_t)json->length, GLB_JSON}, 5));
    BRN_TRY(brn_file_add(out, json->data, json->length));
    if (binary == 0) {
        return BRN_OK;
    }
    BRN_TRY(add_words(out, (const uint32_t[2]){binary, GLB_BIN}, 2));
    BRN_TRY(add_indices(g, out));
    BRN_TRY(add_words(out, g->motion->base, 3 * (size_t)g->surface->nvertex));
    BRN_TRY(add_targets(g, playback, frame, out));
    return add_animation(g, out);
}

static brn_status write_file(brn_ctx *ctx, const brn_gltf *g, brn_playback *playback, brn_frame *frame,
                             const char *dir, int every)
{
    brn_json json = {.text.ctx = ctx, .lines = -1};
    brn_text *text = &json.text;
    BRN_TRY(brn_gltf_check(ctx, g, 0, every));
    brn_gltf_json(g, &json);
    while (text->length % 4 != 0 && !text->failed) {
        brn_text_append(text, " ", 1);
    }
    brn_status status = text->failed ? BRN_ERR_MEMORY : brn_gltf_check(ctx, g, text->length, every);
    char *path = status >= 0 ? brn_path_join(ctx, dir, "trajectory.glb") : NULL;
    if (status >= 0 && path == NULL) {
        status = BRN_ERR_MEMORY;
    }
    if (status >= 0) {
        brn_file_out out;
        status = brn_file_begin(ctx, path, &out);
        status = status >= 0 ? write_bytes(g, playback, frame, text, &out) : status;
        status = status >= 0 ? brn_file_end(&out) : status;
        brn_file_drop(&out);
    }
    brn_free(ctx, path);
    brn_text_clear(text);
    return status;
}

brn_status brn_export_gltf(brn_ctx *ctx, brn_playback *playback, const char *dir, int every, int *files)
{
    const brn_playback_info *info = brn_playback_get(playback);
    brn_drawing surface = {.ctx = ctx};
    brn_gltf_motion motion = {.ctx = ctx};
    brn_frame frame;
    *files = 0;
    brn_status status = brn_export_begin(ctx, info, dir, every, 0, &frame);
    status = status >= 0 ? brn_drawing_make(&surface, info) : status;
    status = status >= 0 ? brn_gltf_motion_find(&motion, playback, &surface, every, &frame) : status;
    if (status >= 0 && motion.nframe > 0) {
        brn_gltf gltf = {.info = info, .surface = &surface, .motion = &motion};
        brn_gltf_layout(&gltf);
        status = write_file(ctx, &gltf, playback, &frame, dir, every);
        *files = status >= 0;
    }
    brn_gltf_motion_clear(&motion);
    brn_drawing_clear(&surface);
    brn_export_end(ctx, &frame);
    return status;
}
