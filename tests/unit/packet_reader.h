/* A reader of the viewer's packets, written from docs/viewer.md alone: it shares nothing with what writes them. */
#ifndef BRN_TESTS_UNIT_PACKET_READER_H
#define BRN_TESTS_UNIT_PACKET_READER_H

#include "test.h"

#include <zlib.h>

/* ---- JSON: pointers into the text ---------------------------------------------------------------------------------- */

static inline const char *json_blank(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* The end of the value at `at`. */
static inline const char *json_skip(const char *at)
{
    at = json_blank(at);
    if (*at == '"') {
        for (++at; *at != '"'; ++at) {
            assert_true(*at != '\0');
            at += *at == '\\';
        }
        return at + 1;
    }
    if (*at == '{' || *at == '[') {
        const char end = *at == '{' ? '}' : ']';
        const bool keyed = *at == '{';
        for (at = json_blank(at + 1); *at != end; at = json_blank(at)) {
            if (keyed) {
                at = json_blank(json_skip(at));
                assert_int_equal(*at, ':');
                ++at;
            }
            at = json_blank(json_skip(at));
            at += *at == ',';
        }
        return at + 1;
    }
    const size_t n = strspn(at, "+-.0123456789eEtrufalsn");
    assert_true(n > 0);
    return at + n;
}

/* A member of an object, NULL if there is none. */
static inline const char *json_get(const char *object, const char *key)
{
    const size_t n = strlen(key);
    const char *at = json_blank(object);
    assert_int_equal(*at, '{');
    for (at = json_blank(at + 1); *at != '}';) {
        const char *name = at;
        at = json_blank(json_skip(at));
        assert_int_equal(*at, ':');
        at = json_blank(at + 1);
        if (strncmp(name + 1, key, n) == 0 && name[n + 1] == '"') {
            return at;
        }
        at = json_blank(json_skip(at));
        at = json_blank(at + (*at == ','));
    }
    return NULL;
}

static inline int json_count(const char *list)
{
    int n = 0;
    const char *at = json_blank(list);
    assert_int_equal(*at, '[');
    for (at = json_blank(at + 1); *at != ']'; ++n) {
        at = json_blank(json_skip(at));
        at = json_blank(at + (*at == ','));
    }
    return n;
}

static inline const char *json_item(const char *list, int index)
{
    const char *at = json_blank(json_blank(list) + 1);
    for (int i = 0; i < index; ++i) {
        at = json_blank(json_skip(at));
        assert_int_equal(*at, ',');
        at = json_blank(at + 1);
    }
    assert_true(*at != ']');
    return at;
}

static inline double json_number(const char *value)
{
    char *end = NULL;
    assert_non_null(value);
    const double x = strtod(value, &end);
    assert_ptr_equal(end, json_skip(value));
    return x;
}

static inline bool json_is(const char *value, const char *text)
{
    return value != NULL && (size_t)(json_skip(value) - value) == strlen(text) &&
           strncmp(value, text, strlen(text)) == 0;
}

/* ---- packets ---------------------------------------------------------------------------------------------------------- */

typedef struct packet {
    char *json;
    const unsigned char *data;
    size_t ndata;
    unsigned char *bytes;
} packet;

static inline packet packet_open(const void *bytes, size_t size)
{
    packet p = {0};
    assert_true(size >= 8);
    p.bytes = malloc(size);
    memcpy(p.bytes, bytes, size);
    assert_memory_equal(p.bytes, "BRN1", 4);
    const size_t njson =
        p.bytes[4] | (size_t)p.bytes[5] << 8 | (size_t)p.bytes[6] << 16 | (size_t)p.bytes[7] << 24;
    assert_true(8 + njson <= size);
    assert_int_equal((8 + njson) % 8, 0);
    p.json = calloc(njson + 1, 1);
    memcpy(p.json, p.bytes + 8, njson);
    assert_int_equal(strlen(p.json), njson);
    assert_int_equal(*json_blank(json_skip(p.json)), '\0');
    p.data = p.bytes + 8 + njson;
    p.ndata = size - 8 - njson;
    return p;
}

static inline void packet_close(packet *p)
{
    free(p->json);
    free(p->bytes);
    *p = (packet){0};
}

static inline bool packet_has(const packet *p, const char *name)
{
    return json_get(json_get(p->json, "arrays"), name) != NULL;
}

/* An array's entries as doubles; freed by the caller. */
static inline double *packet_array(const packet *p, const char *name, const char *type, size_t *count)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"\"u8\"", 1},  {"\"i16\"", 2}, {"\"u16\"", 2},
                 {"\"u32\"", 4}, {"\"f32\"", 4}, {"\"f64\"", 8}};
    const char *entry = json_get(json_get(p->json, "arrays"), name);
    if (entry == NULL) {
        fail_msg("no array %s", name);
    }
    char quoted[16];
    (void)snprintf(quoted, sizeof quoted, "\"%s\"", type);
    assert_true(json_is(json_get(entry, "type"), quoted));
    int kind = 0;
    while (strcmp(types[kind].name, quoted) != 0) {
        ++kind;
    }
    const size_t n = (size_t)json_number(json_get(entry, "count"));
    const size_t offset = (size_t)json_number(json_get(entry, "offset"));
    assert_int_equal(offset % 8, 0);
    assert_true(offset + n * types[kind].size <= p->ndata);
    const unsigned char *at = p->data + offset;
    double *out = malloc((n + 1) * sizeof *out);
    const bool delta = json_get(entry, "code") != NULL;
    unsigned before = 0;
    for (size_t i = 0; i < n; ++i) {
        uint64_t word = 0;
        for (size_t b = 0; b < types[kind].size; ++b) {
            word |= (uint64_t)at[types[kind].size * i + b] << (8 * b);
        }
        if (delta) {
            assert_true(json_is(json_get(entry, "code"), "\"delta\"") && kind == 2);
            before = (before + at[i] + 256u * at[n + i]) & 0xffffu;
            word = before;
        }
        float f = 0.0f;
        uint32_t half = (uint32_t)word;
        memcpy(&f, &half, sizeof f);
        double d = 0.0;
        memcpy(&d, &word, sizeof d);
        out[i] = kind == 4 ? (double)f : kind == 5 ? d : kind == 1 ? (double)(int16_t)word : (double)word;
    }
    *count = n;
    return out;
}

/* A field of a frame at its vertices. */
static inline double *packet_field(const packet *p, const char *name, size_t nvertex)
{
    size_t n = 0;
    const char *range = json_get(json_get(p->json, "ranges"), name);
    assert_non_null(range);
    const double low = json_number(json_item(range, 0));
    const double high = json_number(json_item(range, 1));
    double *value = packet_array(p, name, "u16", &n);
    assert_int_equal(n, nvertex);
    for (size_t i = 0; i < n; ++i) {
        value[i] = low + (high - low) * value[i] / 65535.0;
    }
    return value;
}

/* Positions of a frame, [vertices][3], and in motion[] (may be NULL) how each body moved. half [vertices][3] (may be NULL): half a
   step of the quantisation there, 0 for what is not quantised. */
static inline double *packet_positions(const packet *run, const packet *frame, int *motion, double *half)
{
    size_t nvertex3, nbody, naffine, nbox, nposition;
    double *x = packet_array(run, "rest", "f32", &nvertex3);
    double *kind = packet_array(frame, "motion", "u8", &nbody);
    double *affine = packet_array(frame, "affine", "f32", &naffine);
    double *box = packet_array(frame, "box", "f32", &nbox);
    double *position = packet_array(frame, "position", "u16", &nposition);
    const char *bodies = json_get(run->json, "bodies");
    assert_int_equal(json_count(bodies), nbody);
    size_t a = 0, b = 0, q = 0;
    for (int body = 0; body < (int)nbody; ++body) {
        const char *entry = json_item(bodies, body);
        const size_t first = (size_t)json_number(json_get(entry, "vertex_first"));
        const size_t count = (size_t)json_number(json_get(entry, "vertex_count"));
        if (motion != NULL) {
            motion[body] = (int)kind[body];
        }
        for (size_t v = first; v < first + count; ++v) {
            const double rest[3] = {x[3 * v], x[3 * v + 1], x[3 * v + 2]};
            for (size_t i = 0; i < 3; ++i) {
                const double *row = affine + 12 * a + 4 * i;
                if (kind[body] == 1.0) {
                    x[3 * v + i] = row[0] * rest[0] + row[1] * rest[1] + row[2] * rest[2] + row[3];
                } else if (kind[body] == 2.0) {
                    x[3 * v + i] =
                        box[6 * b + i] + box[6 * b + 3 + i] * position[i * (nposition / 3) + q] / 65535.0;
                }
                if (half != NULL) {
                    half[3 * v + i] = kind[body] == 2.0 ? box[6 * b + 3 + i] / 131070.0 : 0.0;
                }
            }
            q += kind[body] == 2.0;
        }
        a += kind[body] == 1.0;
        b += kind[body] == 2.0;
    }
    assert_int_equal(12 * a, naffine);
    assert_int_equal(6 * b, nbox);
    assert_int_equal(3 * q, nposition);
    free(kind);
    free(affine);
    free(box);
    free(position);
    return x;
}

/* ---- pages -------------------------------------------------------------------------------------------------------------- */

#define PAGE_HEAD "<script type=\"application/x-brunt\">\n"
#define PAGE_TAIL "</script>\n"

/* A line of base64, unpacked; freed by the caller. */
static inline unsigned char *page_unpack(const char *line, size_t length, size_t *size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char *packed = malloc(length);
    size_t n = 0;
    assert_int_equal(length % 4, 0);
    for (size_t i = 0; i < length; i += 4) {
        unsigned word = 0;
        int known = 0;
        for (size_t k = 0; k < 4; ++k) {
            const char *digit = line[i + k] == '=' ? NULL : memchr(digits, line[i + k], 64);
            assert_true(digit != NULL || (line[i + k] == '=' && i + 4 == length && k >= 2));
            word = word << 6 | (unsigned)(digit != NULL ? digit - digits : 0);
            known += digit != NULL;
        }
        for (int k = 0; k < known - 1; ++k) {
            packed[n++] = (unsigned char)(word >> (16 - 8 * k) & 0xffu);
        }
    }
    unsigned char *out = NULL;
    int status = Z_BUF_ERROR;
    for (uLongf room = 4 * n + 1024; status == Z_BUF_ERROR && room < (uLongf)1 << 28; room *= 2) {
        uLongf got = room;
        free(out);
        out = malloc(room);
        status = uncompress(out, &got, packed, n);
        *size = got;
    }
    assert_int_equal(status, Z_OK);
    free(packed);
    return out;
}

/* Where the lines of a run of a page start; NULL: there is no such run. */
static inline const char *page_run(const char *html, int run)
{
    const char *at = strstr(html, PAGE_HEAD);
    for (int i = 0; i < run && at != NULL; ++i) {
        at = strstr(at + 1, PAGE_HEAD);
    }
    return at != NULL ? at + strlen(PAGE_HEAD) : NULL;
}

/* The packet of the line at *at, which becomes the next one; false: there is none. The first one is the run, then come
   its frames. */
static inline bool page_next(const char **at, packet *out)
{
    size_t size = 0;
    if (*at == NULL || **at == '<') {
        return false;
    }
    const size_t length = strcspn(*at, "\n");
    unsigned char *bytes = page_unpack(*at, length, &size);
    *out = packet_open(bytes, size);
    *at += length + 1;
    free(bytes);
    return true;
}

#endif
