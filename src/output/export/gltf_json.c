/* glTF 2.0. The scene is one root node (it turns z up to y up; 2D has y up already) with a node, a mesh and a material per body.
   One animation: the nodes of bodies that move as a whole have channels of translation and rotation, all deforming meshes
   share one sampler of weights. At frame k the weight of target k - 1 is 1 and all others are 0, so that linear
   interpolation shows exactly the frame at its time and straight lines between. The weights are a sparse accessor:
   8 bytes a frame instead of 4 (frames - 1) in the file. */
#include "output/export/gltf_json.h"

#include <inttypes.h>
#include <stdio.h>

enum { U32 = 5125, F32 = 5126, ARRAY_BUFFER = 34962, ELEMENT_BUFFER = 34963 };

/* Okabe and Ito's colours, which the colour-blind can tell apart, a little softened, as linear light; obstacles are grey. */
static const float palette[][3] = {
    {0.102f, 0.423f, 0.745f}, {0.823f, 0.356f, 0.045f}, {0.042f, 0.376f, 0.227f}, {0.723f, 0.153f, 0.045f},
    {0.047f, 0.212f, 0.479f}, {0.624f, 0.238f, 0.423f}, {0.815f, 0.694f, 0.107f},
};
static const float obstacle[3] = {0.503f, 0.546f, 0.597f};

/* ---- sizes ------------------------------------------------------------------------------------------------------------ */

int brn_gltf_index_count(const brn_gltf *g, int body)
{
    const brn_drawing *s = g->surface;
    const int ntri = s->tri_first[body + 1] - s->tri_first[body];
    return ntri > 0 ? 3 * ntri : 2 * (s->edge_first[body + 1] - s->edge_first[body]);
}

bool brn_gltf_shown(const brn_gltf *g, int body)
{
    return brn_gltf_index_count(g, body) > 0;
}

static bool moves(const brn_gltf *g, int body, brn_gltf_kind least)
{
    const brn_gltf_kind kind = g->motion->body[body].kind;
    return brn_gltf_shown(g, body) && kind >= least && kind < BRN_GLTF_MORPH;
}

static bool morphs(const brn_gltf *g, int body)
{
    return brn_gltf_shown(g, body) && g->motion->body[body].kind == BRN_GLTF_MORPH;
}

void brn_gltf_layout(brn_gltf *g)
{
    const brn_drawing *s = g->surface;
    const uint64_t nframe = (uint64_t)g->motion->nframe;
    bool animated = false;
    g->morph_vertices = 0;
    for (int part = 0; part < BRN_GLTF_PARTS; ++part) {
        g->words[part] = 0;
    }
    g->words[BRN_GLTF_BASE] = 3 * (uint64_t)s->nvertex;
    for (int b = 0; b < s->nbody; ++b) {
        g->words[BRN_GLTF_INDICES] += (uint64_t)brn_gltf_index_count(g, b);
        g->words[BRN_GLTF_PLACES] += moves(g, b, BRN_GLTF_SHIFT) ? 3 * nframe : 0;
        g->words[BRN_GLTF_TURNS] += moves(g, b, BRN_GLTF_TURN) ? 4 * nframe : 0;
        g->morph_vertices += morphs(g, b) ? s->vertex_first[b + 1] - s->vertex_first[b] : 0;
        animated = animated || moves(g, b, BRN_GLTF_SHIFT) || morphs(g, b);
    }
    g->words[BRN_GLTF_TIMES] = animated ? nframe : 0;
    if (g->morph_vertices > 0) {
        g->words[BRN_GLTF_TARGETS] = 3 * (nframe - 1) * (uint64_t)g->morph_vertices;
        g->words[BRN_GLTF_WEIGHT_AT] = g->words[BRN_GLTF_WEIGHT] = nframe - 1;
    }
}

uint64_t brn_gltf_bytes(const brn_gltf *g)
{
    uint64_t words = 0;
    for (int part = 0; part < BRN_GLTF_PARTS; ++part) {
        words += g->words[part];
    }
    return 4 * words;
}

/* The format's own limit is 4 GB; programs that keep sizes in signed numbers or in one array stop at 2 GB. Weights are
   frames times frames numbers once they are read. */
brn_status brn_gltf_check(brn_ctx *ctx, const brn_gltf *g, size_t json, int every)
{
    static const uint64_t bytes_max = 0x7fffff00;
    static const uint64_t frames_max = 16384;
    const uint64_t total = json + brn_gltf_bytes(g);
    const uint64_t frames = g->morph_vertices > 0 ? (uint64_t)g->motion->nframe : 0;
    if (total <= bytes_max && frames <= frames_max) {
        return BRN_OK;
    }
    const uint64_t by_bytes = total / bytes_max + 1;
    const uint64_t by_frames = frames / frames_max + 1;
    return brn_fail(ctx, BRN_ERR_LIMIT,
                    "export: trajectory.glb would have %.1f GB and %d frames; programs read 2 GB and, where "
                    "bodies deform, "
                    "%" PRIu64 " frames at most: take fewer frames, --every %" PRIu64,
                    1e-9 * (double)total, g->motion->nframe, frames_max,
                    (uint64_t)every * (by_bytes > by_frames ? by_bytes : by_frames));
}

/* ---- numbers ----------------------------------------------------------------------------------------------------------- */

static void add_floats(brn_json *json, const char *name, const float *value, int n)
{
    brn_json_open(json, name, '[');
    for (int i = 0; i < n; ++i) {
        brn_json_real(json, NULL, (double)value[i]);
    }
    brn_json_close(json);
}

/* Lists of this format must not be empty: one begins with its first entry. */
static void open_list(brn_json *json, const char *name, int *count)
{
    if ((*count)++ == 0) {
        brn_json_open(json, name, '[');
    }
}

static void close_list(brn_json *json, int count)
{
    if (count > 0) {
        brn_json_close(json);
    }
}

/* ---- views and accessors ------------------------------------------------------------------------------------------------ */

/* Empty parts have no view. */
static int view_of(const brn_gltf *g, brn_gltf_part part)
{
    int view = 0;
    for (int p = 0; p < (int)part; ++p) {
        view += g->words[p] > 0;
    }
    return view;
}

static void add_views(const brn_gltf *g, brn_json *json)
{
    static const int target[BRN_GLTF_PARTS] = {[BRN_GLTF_INDICES] = ELEMENT_BUFFER,
                                               [BRN_GLTF_BASE] = ARRAY_BUFFER,
                                               [BRN_GLTF_TARGETS] = ARRAY_BUFFER};
    int count = 0;
    uint64_t offset = 0;
    for (int p = 0; p < BRN_GLTF_PARTS; ++p) {
        if (g->words[p] == 0) {
            continue;
        }
        open_list(json, "bufferViews", &count);
        brn_json_open(json, NULL, '{');
        brn_json_int(json, "buffer", 0);
        brn_json_int(json, "byteOffset", (int64_t)offset);
        brn_json_int(json, "byteLength", (int64_t)(4 * g->words[p]));
        if (target[p] == ARRAY_BUFFER) {
            brn_json_int(json, "byteStride", 12);
        }
        if (target[p] != 0) {
            brn_json_int(json, "target", target[p]);
        }
        brn_json_close(json);
        offset += 4 * g->words[p];
    }
    close_list(json, count);
}

/* An accessor up to its end; word: where it starts in its part. */
static void add_accessor(const brn_gltf *g, brn_json *json, brn_gltf_part part, uint64_t word,
                         const char *type, uint64_t count)
{
    brn_json_open(json, NULL, '{');
    brn_json_int(json, "bufferView", view_of(g, part));
    brn_json_int(json, "byteOffset", (int64_t)(4 * word));
    brn_json_int(json, "componentType", part == BRN_GLTF_INDICES ? U32 : F32);
    brn_json_text(json, "type", type);
    brn_json_int(json, "count", (int64_t)count);
}

static void add_box(const brn_gltf_body *body, int frame, brn_json *json)
{
    add_floats(json, "min", body->low[frame], 3);
    add_floats(json, "max", body->high[frame], 3);
    brn_json_close(json);
}

/* Accessors come in this order: for each body those it has of indices, base, places, turns, targets; then the times; then
   the weights. Places in the parts advance with them. */
typedef struct cursor {
    uint64_t index, place, turn, target;
} cursor;

static void add_body_accessors(const brn_gltf *g, brn_json *json, int b, cursor *at)
{
    const brn_drawing *s = g->surface;
    const uint64_t nframe = (uint64_t)g->motion->nframe;
    const brn_gltf_body *body = &g->motion->body[b];
    const uint64_t first = (uint64_t)s->vertex_first[b];
    const uint64_t count = (uint64_t)s->vertex_first[b + 1] - first;
    const uint64_t indices = (uint64_t)brn_gltf_index_count(g, b);
    add_accessor(g, json, BRN_GLTF_INDICES, at->index, "SCALAR", indices);
    brn_json_close(json);
    at->index += indices;
    add_accessor(g, json, BRN_GLTF_BASE, 3 * first, "VEC3", count);
    add_box(body, 0, json);
    if (moves(g, b, BRN_GLTF_SHIFT)) {
        add_accessor(g, json, BRN_GLTF_PLACES, at->place, "VEC3", nframe);
        brn_json_close(json);
        at->place += 3 * nframe;
    }
    if (moves(g, b, BRN_GLTF_TURN)) {
        add_accessor(g, json, BRN_GLTF_TURNS, at->turn, "VEC4", nframe);
        brn_json_close(json);
        at->turn += 4 * nframe;
    }
    if (morphs(g, b)) {
        for (uint64_t f = 1; f < nframe; ++f) {
            add_accessor(g, json, BRN_GLTF_TARGETS, 3 * (f - 1) * (uint64_t)g->morph_vertices + at->target,
                         "VEC3", count);
            add_box(body, (int)f, json);
        }
        at->target += 3 * count;
    }
}

static int body_accessor_count(const brn_gltf *g, int b)
{
    return !brn_gltf_shown(g, b) ? 0
                                 : 2 + moves(g, b, BRN_GLTF_SHIFT) + moves(g, b, BRN_GLTF_TURN) +
                                       (morphs(g, b) ? g->motion->nframe - 1 : 0);
}

/* The weights of all frames, ones where a frame is its own target, in the sparse form. */
static void add_weights_accessor(const brn_gltf *g, brn_json *json)
{
    const int64_t nframe = g->motion->nframe;
    brn_json_open(json, NULL, '{');
    brn_json_int(json, "componentType", F32);
    brn_json_text(json, "type", "SCALAR");
    brn_json_int(json, "count", nframe * (nframe - 1));
    brn_json_open(json, "sparse", '{');
    brn_json_int(json, "count", nframe - 1);
    brn_json_open(json, "indices", '{');
    brn_json_int(json, "bufferView", view_of(g, BRN_GLTF_WEIGHT_AT));
    brn_json_int(json, "componentType", U32);
    brn_json_close(json);
    brn_json_open(json, "values", '{');
    brn_json_int(json, "bufferView", view_of(g, BRN_GLTF_WEIGHT));
    brn_json_close(json);
    brn_json_close(json);
    brn_json_close(json);
}

static void add_accessors(const brn_gltf *g, brn_json *json)
{
    const uint64_t nframe = (uint64_t)g->motion->nframe;
    int count = 0;
    cursor at = {0};
    for (int b = 0; b < g->surface->nbody; ++b) {
        if (brn_gltf_shown(g, b)) {
            open_list(json, "accessors", &count);
            add_body_accessors(g, json, b, &at);
        }
    }
    if (g->words[BRN_GLTF_TIMES] > 0) {
        open_list(json, "accessors", &count);
        add_accessor(g, json, BRN_GLTF_TIMES, 0, "SCALAR", nframe);
        add_floats(json, "min", g->motion->time, 1);
        add_floats(json, "max", g->motion->time + nframe - 1, 1);
        brn_json_close(json);
    }
    if (g->words[BRN_GLTF_WEIGHT] > 0) {
        open_list(json, "accessors", &count);
        add_weights_accessor(g, json);
    }
    close_list(json, count);
}

/* ---- nodes, meshes, materials --------------------------------------------------------------------------------------------- */

/* The root: z up becomes y up, all bodies are its children. */
static void add_root(const brn_gltf *g, brn_json *json)
{
    brn_json_open(json, NULL, '{');
    brn_json_text(json, "name", "brunt");
    if (g->info->dim == 3) {
        /* A quarter turn about x. */
        const float quarter = 0.70710678f;
        add_floats(json, "rotation", (const float[4]){-quarter, 0, 0, quarter}, 4);
    }
    int shown = 0;
    for (int b = 0; b < g->surface->nbody; ++b) {
        if (brn_gltf_shown(g, b)) {
            open_list(json, "children", &shown);
            brn_json_int(json, NULL, shown);
        }
    }
    close_list(json, shown);
    brn_json_close(json);
}

static void add_nodes(const brn_gltf *g, brn_json *json)
{
    brn_json_int(json, "scene", 0);
    brn_json_open(json, "scenes", '[');
    brn_json_open(json, NULL, '{');
    brn_json_open(json, "nodes", '[');
    brn_json_int(json, NULL, 0);
    brn_json_close(json);
    brn_json_close(json);
    brn_json_close(json);
    brn_json_open(json, "nodes", '[');
    add_root(g, json);
    int mesh = 0;
    for (int b = 0; b < g->surface->nbody; ++b) {
        if (brn_gltf_shown(g, b)) {
            brn_json_open(json, NULL, '{');
            brn_json_text(json, "name", g->info->body_name[b]);
            brn_json_int(json, "mesh", mesh++);
            add_floats(json, "translation", g->motion->body[b].origin, 3);
            brn_json_close(json);
        }
    }
    brn_json_close(json);
}

static void add_targets(const brn_gltf *g, int first_accessor, brn_json *json)
{
    brn_json_open(json, "targets", '[');
    for (int f = 1; f < g->motion->nframe; ++f) {
        brn_json_open(json, NULL, '{');
        brn_json_int(json, "POSITION", first_accessor + f - 1);
        brn_json_close(json);
    }
    brn_json_close(json);
}

/* The name that programs show for a target: the frame's number in the trajectory. */
static void add_target_names(const brn_gltf *g, brn_json *json)
{
    brn_json_open(json, "extras", '{');
    brn_json_open(json, "targetNames", '[');
    for (int f = 1; f < g->motion->nframe; ++f) {
        char name[32];
        (void)snprintf(name, sizeof name, "frame %d", g->motion->frame[f]);
        brn_json_text(json, NULL, name);
    }
    brn_json_close(json);
    brn_json_close(json);
}

static void add_primitive(const brn_gltf *g, int b, int material, int accessor, brn_json *json)
{
    const bool lines = g->surface->tri_first[b + 1] == g->surface->tri_first[b];
    brn_json_open(json, "primitives", '[');
    brn_json_open(json, NULL, '{');
    brn_json_int(json, "mode", lines ? 1 : 4);
    brn_json_int(json, "material", material);
    brn_json_int(json, "indices", accessor);
    brn_json_open(json, "attributes", '{');
    brn_json_int(json, "POSITION", accessor + 1);
    brn_json_close(json);
    if (morphs(g, b)) {
        add_targets(g, accessor + 2, json);
    }
    brn_json_close(json);
    brn_json_close(json);
}

static void add_meshes(const brn_gltf *g, brn_json *json)
{
    int count = 0;
    int accessor = 0;
    for (int b = 0; b < g->surface->nbody; ++b) {
        if (brn_gltf_shown(g, b)) {
            open_list(json, "meshes", &count);
            brn_json_open(json, NULL, '{');
            brn_json_text(json, "name", g->info->body_name[b]);
            add_primitive(g, b, count - 1, accessor, json);
            if (morphs(g, b)) {
                add_target_names(g, json);
            }
            brn_json_close(json);
        }
        accessor += body_accessor_count(g, b);
    }
    close_list(json, count);
}

static void add_materials(const brn_gltf *g, brn_json *json)
{
    int count = 0;
    int next = 0;
    for (int b = 0; b < g->surface->nbody; ++b) {
        const bool fixed = g->info->body_type[b] == BRN_BODY_STATIC;
        const float *colour = fixed ? obstacle : palette[next % BRN_COUNT(palette)];
        next += !fixed;
        if (brn_gltf_shown(g, b)) {
            open_list(json, "materials", &count);
            brn_json_open(json, NULL, '{');
            brn_json_text(json, "name", g->info->body_name[b]);
            brn_json_bool(json, "doubleSided", true);
            brn_json_open(json, "pbrMetallicRoughness", '{');
            brn_json_int(json, "metallicFactor", 0);
            brn_json_real(json, "roughnessFactor", 0.6);
            add_floats(json, "baseColorFactor", (const float[4]){colour[0], colour[1], colour[2], 1}, 4);
            brn_json_close(json);
            brn_json_close(json);
        }
    }
    close_list(json, count);
}

/* ---- the animation ---------------------------------------------------------------------------------------------------------- */

static void add_sampler(int input, int output, brn_json *json)
{
    brn_json_open(json, NULL, '{');
    brn_json_int(json, "input", input);
    brn_json_int(json, "output", output);
    brn_json_close(json);
}

/* Samplers: those of each body, then the one of weights. Returns how many are of bodies. */
static int add_samplers(const brn_gltf *g, int times, brn_json *json)
{
    int accessor = 0;
    int sampler = 0;
    brn_json_open(json, "samplers", '[');
    for (int b = 0; b < g->surface->nbody; ++b) {
        const int count = moves(g, b, BRN_GLTF_SHIFT) + moves(g, b, BRN_GLTF_TURN);
        for (int k = 0; k < count; ++k, ++sampler) {
            add_sampler(times, accessor + 2 + k, json);
        }
        accessor += body_accessor_count(g, b);
    }
    if (g->morph_vertices > 0) {
        add_sampler(times, times + 1, json);
    }
    brn_json_close(json);
    return sampler;
}

static void add_channel(int sampler, int node, const char *path, brn_json *json)
{
    brn_json_open(json, NULL, '{');
    brn_json_int(json, "sampler", sampler);
    brn_json_open(json, "target", '{');
    brn_json_int(json, "node", node);
    brn_json_text(json, "path", path);
    brn_json_close(json);
    brn_json_close(json);
}

static void add_animation(const brn_gltf *g, brn_json *json)
{
    static const char *const path[2] = {"translation", "rotation"};
    int times = 0;
    for (int b = 0; b < g->surface->nbody; ++b) {
        times += body_accessor_count(g, b);
    }
    brn_json_open(json, "animations", '[');
    brn_json_open(json, NULL, '{');
    brn_json_text(json, "name", "run");
    const int weights = add_samplers(g, times, json);
    int sampler = 0;
    int node = 0;
    brn_json_open(json, "channels", '[');
    for (int b = 0; b < g->surface->nbody; ++b) {
        node += brn_gltf_shown(g, b);
        const int count = moves(g, b, BRN_GLTF_SHIFT) + moves(g, b, BRN_GLTF_TURN);
        for (int k = 0; k < count; ++k) {
            add_channel(sampler++, node, path[k], json);
        }
        if (morphs(g, b)) {
            add_channel(weights, node, "weights", json);
        }
    }
    brn_json_close(json);
    brn_json_close(json);
    brn_json_close(json);
}

void brn_gltf_json(const brn_gltf *g, brn_json *json)
{
    brn_json_open(json, NULL, '{');
    brn_json_open(json, "asset", '{');
    brn_json_text(json, "version", "2.0");
    brn_json_text(json, "generator", "brunt " BRN_VERSION);
    brn_json_close(json);
    add_nodes(g, json);
    add_meshes(g, json);
    add_materials(g, json);
    if (g->words[BRN_GLTF_TIMES] > 0) {
        add_animation(g, json);
    }
    add_accessors(g, json);
    add_views(g, json);
    if (brn_gltf_bytes(g) > 0) {
        brn_json_open(json, "buffers", '[');
        brn_json_open(json, NULL, '{');
        brn_json_int(json, "byteLength", (int64_t)brn_gltf_bytes(g));
        brn_json_close(json);
        brn_json_close(json);
    }
    brn_json_close(json);
}
