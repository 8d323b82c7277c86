/* trajectory.glb, read back by a small reader of JSON and GLB that shares nothing with the writer: what a glTF program
   would draw at the time of a frame is where the trajectory says. */
#define _GNU_SOURCE
#include "no_fsync.h"
#include "output_model.h"

#include "base/os.h"
#include "output/export/export.h"
#include "output/export/gltf_json.h"

#define DIR "gltf-files"

/* ---- JSON: values are pointers to their first character ------------------------------------------------------------- */

static const char *skip_text(const char *at)
{
    for (++at; *at != '"'; ++at) {
        assert_true(*at != '\0');
        at += *at == '\\';
    }
    return at + 1;
}

static const char *skip_value(const char *at)
{
    int depth = 0;
    do {
        assert_true(*at != '\0');
        if (*at == '"') {
            at = skip_text(at);
            continue;
        }
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        ++at;
    } while (depth > 0 || (*at != '\0' && strchr(",]}", *at) == NULL));
    return at;
}

/* NULL if there is none. */
static const char *member(const char *object, const char *name)
{
    assert_int_equal(*object, '{');
    for (const char *at = object + 1; *at == '"';) {
        const char *end = skip_text(at);
        const bool found = strlen(name) == (size_t)(end - at) - 2 && strncmp(at + 1, name, strlen(name)) == 0;
        assert_int_equal(*end, ':');
        if (found) {
            return end + 1;
        }
        at = skip_value(end + 1);
        at += *at == ',';
    }
    return NULL;
}

static const char *need(const char *object, const char *name)
{
    const char *value = member(object, name);
    if (value == NULL) {
        fail_msg("no member %s in %.60s", name, object);
    }
    return value;
}

static int length(const char *array)
{
    int n = 0;
    for (const char *at = array + 1; *at != ']'; ++n) {
        at = skip_value(at);
        at += *at == ',';
    }
    return n;
}

static const char *element(const char *array, int index)
{
    assert_int_equal(*array, '[');
    const char *at = array + 1;
    for (int i = 0; i < index; ++i) {
        assert_true(*at != ']');
        at = skip_value(at);
        at += *at == ',';
    }
    assert_true(*at != ']');
    return at;
}

static long integer(const char *object, const char *name)
{
    return strtol(need(object, name), NULL, 10);
}

static double number(const char *array, int index)
{
    return strtod(element(array, index), NULL);
}

/* ---- GLB ------------------------------------------------------------------------------------------------------------ */

typedef struct glb {
    brn_ctx *ctx;
    char *bytes;
    char *json;
    const char *binary;
    uint32_t binary_size;
} glb;

static uint32_t word(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static glb glb_open(brn_ctx *ctx, const char *path)
{
    glb g = {.ctx = ctx};
    size_t size = 0;
    assert_done(ctx, brn_file_read(ctx, path, 1 << 28, &g.bytes, &size));
    assert_memory_equal(g.bytes, "glTF", 4);
    assert_int_equal(word(g.bytes + 4), 2);
    assert_int_equal(word(g.bytes + 8), size);
    const uint32_t json = word(g.bytes + 12);
    assert_memory_equal(g.bytes + 16, "JSON", 4);
    assert_int_equal(json % 4, 0);
    g.json = strndup(g.bytes + 20, json);
    if (size > 20 + json) {
        g.binary_size = word(g.bytes + 20 + json);
        assert_memory_equal(g.bytes + 24 + json, "BIN\0", 4);
        g.binary = g.bytes + 28 + json;
        assert_int_equal(size, 28 + json + g.binary_size);
        assert_int_equal(integer(element(need(g.json, "buffers"), 0), "byteLength"), g.binary_size);
    }
    return g;
}

static void glb_close(glb *g)
{
    free(g->json);
    brn_free(g->ctx, g->bytes);
}

static const char *in_view(const glb *g, long view, long offset, long bytes)
{
    const char *v = element(need(g->json, "bufferViews"), (int)view);
    assert_true(offset + bytes <= integer(v, "byteLength"));
    assert_true(integer(v, "byteOffset") + integer(v, "byteLength") <= (long)g->binary_size);
    return g->binary + integer(v, "byteOffset") + offset;
}

/* All entries as doubles, [count][width]; free it. */
static double *read_accessor(const glb *g, long index, int width, bool floats, int *count)
{
    const char *a = element(need(g->json, "accessors"), (int)index);
    static const char *const types[5] = {NULL, "\"SCALAR\"", NULL, "\"VEC3\"", "\"VEC4\""};
    assert_memory_equal(need(a, "type"), types[width], strlen(types[width]));
    assert_int_equal(integer(a, "componentType"), floats ? 5126 : 5125);
    *count = (int)integer(a, "count");
    const long n = (long)*count * width;
    double *out = calloc((size_t)n, sizeof *out);
    if (member(a, "bufferView") != NULL) {
        const char *at = in_view(g, integer(a, "bufferView"), integer(a, "byteOffset"), 4 * n);
        for (long i = 0; i < n; ++i) {
            const uint32_t bits = word(at + 4 * i);
            float value;
            memcpy(&value, &bits, sizeof value);
            out[i] = floats ? (double)value : bits;
        }
    }
    const char *sparse = member(a, "sparse");
    for (long i = 0; sparse != NULL && i < integer(sparse, "count"); ++i) {
        const long where = integer(need(sparse, "indices"), "bufferView");
        const long what = integer(need(sparse, "values"), "bufferView");
        const uint32_t bits = word(in_view(g, what, 4 * i, 4));
        float value;
        memcpy(&value, &bits, sizeof value);
        out[word(in_view(g, where, 4 * i, 4))] = (double)value;
    }
    /* Boxes are exact. */
    for (int i = 0; member(a, "min") != NULL && i < width; ++i) {
        double low = INFINITY;
        double high = -INFINITY;
        for (int k = 0; k < *count; ++k) {
            low = fmin(low, out[k * width + i]);
            high = fmax(high, out[k * width + i]);
        }
        assert_true(low == number(need(a, "min"), i));
        assert_true(high == number(need(a, "max"), i));
    }
    return out;
}

/* Output of the channel of a node and path at keyframe f (width: numbers a keyframe), or NULL; free it. */
static double *channel(const glb *g, int node, const char *path, int width, int f)
{
    const char *animations = member(g->json, "animations");
    if (animations == NULL) {
        return NULL;
    }
    const char *a = element(animations, 0);
    const char *channels = need(a, "channels");
    for (int c = 0; c < length(channels); ++c) {
        const char *target = need(element(channels, c), "target");
        if (integer(target, "node") == node && strncmp(need(target, "path") + 1, path, strlen(path)) == 0) {
            const char *sampler = element(need(a, "samplers"), (int)integer(element(channels, c), "sampler"));
            assert_null(member(sampler, "interpolation")); /* linear */
            int frames = 0;
            int count = 0;
            free(read_accessor(g, integer(sampler, "input"), 1, true, &frames));
            const bool weights = strcmp(path, "weights") == 0;
            double *all = read_accessor(g, integer(sampler, "output"), weights ? 1 : width, true, &count);
            assert_int_equal(count, weights ? frames * width : frames);
            double *out = malloc((size_t)width * sizeof *out);
            memcpy(out, all + (size_t)f * (size_t)width, (size_t)width * sizeof *out);
            free(all);
            return out;
        }
    }
    return NULL;
}

static void turn(const double q[4], double v[3])
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    assert_near(x * x + y * y + z * z + w * w, 1.0, 1e-6);
    const double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    const double u[3] = {v[0], v[1], v[2]};
    for (int i = 0; i < 3; ++i) {
        v[i] = r[3 * i] * u[0] + r[3 * i + 1] * u[1] + r[3 * i + 2] * u[2];
    }
}

/* What is drawn of a node at keyframe f: corners [count][3] of its triangles or lines. */
static double *drawn(const glb *g, int node, int f, int *count)
{
    const char *n = element(need(g->json, "nodes"), node);
    const char *mesh = element(need(g->json, "meshes"), (int)integer(n, "mesh"));
    const char *primitive = element(need(mesh, "primitives"), 0);
    int vertices = 0;
    double *index = read_accessor(g, integer(primitive, "indices"), 1, false, count);
    double *x = read_accessor(g, integer(need(primitive, "attributes"), "POSITION"), 3, true, &vertices);
    const char *targets = member(primitive, "targets");
    if (targets != NULL) {
        const int ntarget = length(targets);
        double *weight = channel(g, node, "weights", ntarget, f);
        assert_int_equal(length(need(need(mesh, "extras"), "targetNames")), ntarget);
        for (int t = 0; t < ntarget; ++t) {
            int same = 0;
            double *move = read_accessor(g, integer(element(targets, t), "POSITION"), 3, true, &same);
            assert_int_equal(same, vertices);
            for (int i = 0; i < 3 * vertices; ++i) {
                x[i] += weight[t] * move[i];
            }
            free(move);
        }
        free(weight);
    }
    double *turned = channel(g, node, "rotation", 4, f);
    double *place = channel(g, node, "translation", 3, f);
    for (int v = 0; v < vertices; ++v) {
        if (turned != NULL) {
            turn(turned, x + 3 * v);
        }
        for (int i = 0; i < 3; ++i) {
            x[3 * v + i] += place != NULL ? place[i] : number(need(n, "translation"), i);
        }
    }
    double *out = malloc((size_t)*count * 3 * sizeof *out);
    for (int c = 0; c < *count; ++c) {
        assert_true(index[c] < vertices);
        memcpy(out + 3 * (size_t)c, x + 3 * (size_t)index[c], 3 * sizeof *out);
    }
    free(index);
    free(x);
    free(turned);
    free(place);
    return out;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------- */

enum { FRAMES = 9 };

/* Body 0 turns by 100 degrees a frame about a slanted axis (in 2D about z) and flies far away; body 1 deforms; the last is
   shifted, or stands still if `still`. */
static void pose(const brn_model *model, brn_state *state, int f, bool still)
{
    const double angle = 100.0 * 3.14159265358979323846 / 180.0 * f;
    const double axis[3] = {model->dim == 3 ? 0.6 : 0.0, 0.0, model->dim == 3 ? 0.8 : 1.0};
    const double q[4] = {axis[0] * sin(angle / 2), axis[1] * sin(angle / 2), axis[2] * sin(angle / 2),
                         cos(angle / 2)};
    test_pose(model, state, f);
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        const bool waves = b == 1 && model->nbody == 3;
        for (int n = body->node_first; n < body->node_first + body->node_count && !waves; ++n) {
            double *x = state->node_pos + 3 * (size_t)n;
            memcpy(x, model->rest[n], 3 * sizeof *x);
            if (b == 0) {
                turn(q, x);
                x[0] += 30.0 * f;
            } else {
                x[1] += still ? 0.0 : 0.25 * f;
            }
        }
    }
}

static brn_playback *record(brn_ctx *ctx, const brn_model *model, const char *path, bool still,
                            const double *times)
{
    brn_trajectory *trajectory = NULL;
    brn_state *state = test_state(ctx, model);
    assert_done(ctx, brn_dir_make(ctx, DIR));
    assert_done(ctx, brn_trajectory_open(ctx, path, model, -1, &trajectory));
    for (int f = 0; f < FRAMES; ++f) {
        pose(model, state, f, still);
        assert_done(ctx, brn_trajectory_add(trajectory, state, times != NULL ? times[f] : 0.1 * f,
                                            state->node_vel, NULL, 0, state->node_pos));
    }
    assert_done(ctx, brn_trajectory_close(trajectory));
    brn_state_destroy(state);
    brn_playback *playback = NULL;
    assert_done(ctx, brn_playback_open(ctx, path, &playback));
    return playback;
}

/* Corners of the triangles (or edges) of a body in the trajectory, against what is drawn. */
static void check_body(const glb *g, brn_playback *playback, int b, int key, int every)
{
    const brn_playback_info *info = brn_playback_get(playback);
    double *pos = malloc((size_t)info->nnode * 3 * sizeof *pos);
    brn_frame frame = {.pos = pos};
    assert_int_equal(brn_playback_read(playback, key * every, &frame), BRN_OK);
    int count = 0;
    int corner = 0;
    double *got = drawn(g, b + 1, key, &count);
    const bool lines = info->dim == 2 && info->body_type[b] == BRN_BODY_STATIC;
    const int width = lines ? 2 : 3;
    for (int t = 0; t < (lines ? info->nedge : info->ntri); ++t) {
        if ((lines ? info->edge_body[t] : info->tri_body[t]) != b) {
            continue;
        }
        for (int i = 0; i < width; ++i, ++corner) {
            const double *want = pos + 3 * (size_t)(lines ? info->edge[t][i] : info->tri[t][i]);
            assert_true(corner < count);
            for (int k = 0; k < 3; ++k) {
                /* Single precision: 6e-8 of coordinates up to 240 for the place, of 5 for the rest, a few roundings. */
                assert_near(got[3 * corner + k], want[k], 3e-7 * (fabs(want[k]) + 5.0));
            }
        }
    }
    assert_int_equal(corner, count);
    free(got);
    free(pos);
}

static bool has_channel(const glb *g, int node, const char *path, int width)
{
    double *value = channel(g, node, path, width, 0);
    free(value);
    return value != NULL;
}

static glb export(brn_ctx *ctx, brn_playback *playback, int every)
{
    int files = 0;
    assert_done(ctx, brn_export_gltf(ctx, playback, DIR, every, &files));
    assert_int_equal(files, 1);
    return glb_open(ctx, DIR "/trajectory.glb");
}

/* ---- tests -------------------------------------------------------------------------------------------------------------- */

static void check_run(bool still, int every)
{
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_3d(ctx, 3);
    brn_playback *playback = record(ctx, model, DIR "/run.h5", still, NULL);
    glb g = export(ctx, playback, every);
    const int keys = (FRAMES + every - 1) / every;
    for (int key = 0; key < keys; ++key) {
        for (int b = 0; b < 3; ++b) {
            check_body(&g, playback, b, key, every);
        }
    }
    /* Each body is written as it moves. */
    const char *meshes = need(g.json, "meshes");
    for (int b = 0; b < 3; ++b) {
        assert_int_equal(has_channel(&g, b + 1, "rotation", 4), b == 0);
        assert_int_equal(has_channel(&g, b + 1, "translation", 3), b == 0 || (b == 2 && !still));
        const char *targets = member(element(need(element(meshes, b), "primitives"), 0), "targets");
        assert_int_equal(targets != NULL, b == 1);
        assert_true(targets == NULL || length(targets) == keys - 1);
    }
    /* Only what is on the surface: 4^3 nodes without the 2^3 inside. */
    int vertices = 0;
    const char *primitive = element(need(element(meshes, 0), "primitives"), 0);
    free(read_accessor(&g, integer(need(primitive, "attributes"), "POSITION"), 3, true, &vertices));
    assert_int_equal(vertices, 56);
    glb_close(&g);
    brn_playback_close(playback);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

static void test_frames_are_shown(void **unused)
{
    (void)unused;
    check_run(false, 1);
    check_run(true, 1);
    check_run(false, 3);
    check_run(true, 4);
}

/* Names, colours, axes, times, and quaternions that take the short way. */
static void test_parts(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_3d(ctx, 1);
    brn_playback *playback = record(ctx, model, DIR "/parts.h5", true, NULL);
    glb g = export(ctx, playback, 1);
    const char *nodes = need(g.json, "nodes");
    assert_int_equal(length(nodes), 4);
    assert_memory_equal(need(element(nodes, 1), "name"), "\"tets\"", 6);
    assert_memory_equal(need(element(nodes, 2), "name"), "\"a \\\"bar\\\", odd\"", 16);
    assert_int_equal(length(need(element(nodes, 0), "children")), 3);
    double up[3] = {0, 0, 1};
    double q[4];
    for (int i = 0; i < 4; ++i) {
        q[i] = number(need(element(nodes, 0), "rotation"), i);
    }
    turn(q, up);
    assert_near(up[1], 1.0, 1e-6); /* z up becomes y up */
    double along[3] = {1, 0, 0};
    turn(q, along);
    assert_near(along[0], 1.0, 1e-6);
    const char *materials = need(g.json, "materials");
    assert_int_equal(length(materials), 3);
    for (int b = 0; b < 3; ++b) {
        const char *colour = need(need(element(materials, b), "pbrMetallicRoughness"), "baseColorFactor");
        const double spread = fabs(number(colour, 0) - number(colour, 2));
        assert_int_equal(spread < 0.15, b == 2); /* obstacles are grey */
        assert_memory_equal(need(element(materials, b), "doubleSided"), "true", 4);
    }
    const char *sampler = element(need(element(need(g.json, "animations"), 0), "samplers"), 0);
    int frames = 0;
    double *time = read_accessor(&g, integer(sampler, "input"), 1, true, &frames);
    assert_int_equal(frames, FRAMES);
    for (int f = 0; f < FRAMES; ++f) {
        assert_near(time[f], 0.1 * f, 1e-7);
    }
    free(time);
    for (int f = 1; f < FRAMES; ++f) {
        double *a = channel(&g, 1, "rotation", 4, f - 1);
        double *b = channel(&g, 1, "rotation", 4, f);
        assert_near(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3],
                    cos(50.0 * 3.14159265358979 / 180.0), 1e-6);
        free(a);
        free(b);
    }
    glb_close(&g);
    brn_playback_close(playback);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

static void test_flat(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_2d(ctx);
    brn_playback *playback = record(ctx, model, DIR "/flat.h5", false, NULL);
    glb g = export(ctx, playback, 1);
    assert_null(member(element(need(g.json, "nodes"), 0), "rotation")); /* y is up already */
    for (int f = 0; f < FRAMES; ++f) {
        check_body(&g, playback, 0, f, 1);
        check_body(&g, playback, 1, f, 1);
    }
    const char *meshes = need(g.json, "meshes");
    assert_int_equal(integer(element(need(element(meshes, 0), "primitives"), 0), "mode"), 4);
    assert_int_equal(integer(element(need(element(meshes, 1), "primitives"), 0), "mode"), 1);
    assert_true(has_channel(&g, 1, "rotation", 4));
    glb_close(&g);
    brn_playback_close(playback);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* One frame: no animation. Times that single precision cannot tell apart: one of them. Places that are no numbers: refused. */
static void test_odd_frames(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_3d(ctx, 1);
    brn_playback *playback = record(ctx, model, DIR "/odd.h5", false, NULL);
    glb g = export(ctx, playback, FRAMES);
    assert_null(member(g.json, "animations"));
    check_body(&g, playback, 1, 0, 1);
    glb_close(&g);
    brn_playback_close(playback);

    static const double times[FRAMES] = {1e6,     1e6 + 1e-3, 1e6 + 2e-3, 1e6 + 1, 1e6 + 2,
                                         1e6 + 2, 1e6 + 3,    1e6 + 4,    1e6 + 5};
    playback = record(ctx, model, DIR "/late.h5", false, times);
    g = export(ctx, playback, 1);
    const char *sampler = element(need(element(need(g.json, "animations"), 0), "samplers"), 0);
    int frames = 0;
    free(read_accessor(&g, integer(sampler, "input"), 1, true, &frames));
    assert_int_equal(frames, 6);
    glb_close(&g);
    brn_playback_close(playback);

    model->rest[0][1] = NAN; /* body 0 moves from its rest */
    playback = record(ctx, model, DIR "/nan.h5", false, NULL);
    int files = 0;
    assert_int_equal(brn_export_gltf(ctx, playback, DIR "/nan", 1, &files), BRN_ERR_FORMAT);
    assert_non_null(strstr(brn_ctx_message(ctx), "node 0 of body 'tets'"));
    assert_int_equal(files, 0);
    assert_false(brn_file_exists(DIR "/nan/trajectory.glb"));
    brn_playback_close(playback);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* Sizes that no memory here holds: a run that is only told of. */
static void test_limits(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    int first[2] = {0, 1000000};
    int none[2] = {0, 0};
    int tris[2] = {0, 2000000};
    brn_gltf_body body = {.kind = BRN_GLTF_MORPH};
    brn_gltf_motion motion = {.nframe = 1001, .nbody = 1, .body = &body};
    const brn_drawing surface = {
        .nbody = 1, .nvertex = 1000000, .vertex_first = first, .tri_first = tris, .edge_first = none};
    brn_gltf gltf = {.surface = &surface, .motion = &motion};
    brn_gltf_layout(&gltf);
    const uint64_t bytes = 4ull * (6000000 + 3000000 + 3000000ull * 1000 + 1001 + 2 * 1000);
    assert_true(brn_gltf_bytes(&gltf) == bytes);
    assert_int_equal(brn_gltf_check(ctx, &gltf, 0, 2), BRN_ERR_LIMIT);
    assert_non_null(strstr(brn_ctx_message(ctx), "12.0 GB"));
    assert_non_null(strstr(brn_ctx_message(ctx), "--every 12"));
    motion.nframe = 170;
    brn_gltf_layout(&gltf);
    assert_done(ctx, brn_gltf_check(ctx, &gltf, 1000, 1));
    assert_int_equal(brn_gltf_check(ctx, &gltf, 200000000, 1), BRN_ERR_LIMIT);
    /* Few vertices, but weights by the square of the frames; places have no such limit. */
    first[1] = 1;
    motion.nframe = 40000;
    brn_gltf_layout(&gltf);
    assert_int_equal(brn_gltf_check(ctx, &gltf, 0, 1), BRN_ERR_LIMIT);
    assert_non_null(strstr(brn_ctx_message(ctx), "--every 3"));
    body.kind = BRN_GLTF_TURN;
    brn_gltf_layout(&gltf);
    assert_done(ctx, brn_gltf_check(ctx, &gltf, 0, 1));
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_are_shown), cmocka_unit_test(test_parts),  cmocka_unit_test(test_flat),
        cmocka_unit_test(test_odd_frames),       cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
