#include "output/page/packet.h"

#include <string.h>

enum { ALIGN = 8, HEAD = 8 };

static const struct {
    const char *name;
    size_t size;
} types[] = {{"u8", 1}, {"i16", 2}, {"u16", 2}, {"u32", 4}, {"f32", 4}, {"f64", 8}};

static const bool little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

static size_t aligned(size_t n)
{
    return (n + ALIGN - 1) / ALIGN * ALIGN;
}

static void empty(brn_text *text)
{
    text->length = 0;
    text->failed = false;
}

void brn_packet_begin(brn_packet *packet)
{
    brn_text *text = &packet->json.text;
    packet->out.ctx = text->ctx = packet->ctx;
    empty(text);
    empty(&packet->out);
    packet->json = (brn_json){.text = *text, .lines = -1};
    brn_json_open(&packet->json, NULL, '{');
    packet->narray = 0;
    packet->used = 0;
    packet->failed = false;
}

void brn_packet_clear(brn_packet *packet)
{
    brn_ctx *ctx = packet->ctx;
    brn_text_clear(&packet->json.text);
    brn_text_clear(&packet->out);
    brn_free(ctx, packet->data);
    *packet = (brn_packet){.ctx = ctx};
}

void *brn_packet_add(brn_packet *packet, const char *name, brn_packet_type type, size_t count)
{
    const size_t bytes = aligned(count * types[type].size);
    if (packet->failed || packet->narray >= BRN_PACKET_ARRAYS) {
        packet->failed = true;
        return NULL;
    }
    if (packet->data == NULL || packet->capacity - packet->used < bytes) {
        const size_t capacity = 2 * (packet->used + bytes) + 64;
        unsigned char *grown = brn_realloc(packet->ctx, packet->data, capacity, 1);
        if (grown == NULL) {
            packet->failed = true;
            return NULL;
        }
        packet->data = grown;
        packet->capacity = capacity;
    }
    const int n = packet->narray++;
    packet->array[n].name = name;
    packet->array[n].type = type;
    packet->array[n].count = count;
    packet->array[n].offset = packet->used;
    unsigned char *room = packet->data + packet->used;
    memset(room + count * types[type].size, 0, bytes - count * types[type].size);
    packet->used += bytes;
    return room;
}

/* {"arrays": {...}}, padded with blanks to a multiple of 8. */
static void add_table(brn_packet *packet, bool delta)
{
    brn_json *json = &packet->json;
    brn_json_open(json, "arrays", '{');
    for (int i = 0; i < packet->narray; ++i) {
        brn_json_open(json, packet->array[i].name, '{');
        brn_json_text(json, "type", types[packet->array[i].type].name);
        brn_json_int(json, "count", (int64_t)packet->array[i].count);
        brn_json_int(json, "offset", (int64_t)packet->array[i].offset);
        if (delta && packet->array[i].type == BRN_PACKET_U16) {
            brn_json_text(json, "code", "delta");
        }
        brn_json_close(json);
    }
    brn_json_close(json);
    brn_json_close(json);
    static const char blanks[ALIGN] = "       ";
    const size_t length = json->text.length;
    brn_text_append(&json->text, blanks, aligned(HEAD + length) - HEAD - length);
}

/* Neighbours differ by little: the high bytes of their differences are mostly 0 or 255, and compress well side by side. */
static void code_delta(const uint16_t *value, size_t count, unsigned char *out)
{
    uint16_t before = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint16_t difference = (uint16_t)(value[i] - before);
        before = value[i];
        out[i] = (unsigned char)(difference & 0xffu);
        out[count + i] = (unsigned char)(difference >> 8);
    }
}

static void copy_little_endian(const unsigned char *from, size_t count, size_t size, unsigned char *out)
{
    if (little_endian) {
        memcpy(out, from, count * size);
        return;
    }
    for (size_t i = 0; i < count * size; ++i) {
        out[i] = from[i / size * size + (size - 1 - i % size)];
    }
}

brn_status brn_packet_end(brn_packet *packet, bool delta, const void **bytes, size_t *size)
{
    *bytes = NULL;
    *size = 0;
    add_table(packet, delta);
    if (packet->failed || packet->json.text.failed) {
        return BRN_ERR_MEMORY;
    }
    const size_t njson = packet->json.text.length;
    if (njson > UINT32_MAX) {
        return brn_fail(packet->ctx, BRN_ERR_LIMIT, "view: a JSON text of %zu bytes", njson);
    }
    const unsigned char head[HEAD] = {'B',
                                      'R',
                                      'N',
                                      '1',
                                      (unsigned char)(njson & 0xffu),
                                      (unsigned char)(njson >> 8 & 0xffu),
                                      (unsigned char)(njson >> 16 & 0xffu),
                                      (unsigned char)(njson >> 24)};
    brn_text_append(&packet->out, (const char *)head, HEAD);
    brn_text_append(&packet->out, packet->json.text.data, njson);
    brn_text_append(&packet->out, (const char *)packet->data, packet->used); /* room; coded below */
    if (packet->out.failed) {
        return BRN_ERR_MEMORY;
    }
    unsigned char *out = (unsigned char *)packet->out.data + HEAD + njson;
    for (int i = 0; i < packet->narray; ++i) {
        const size_t offset = packet->array[i].offset;
        const unsigned char *from = packet->data + offset;
        if (delta && packet->array[i].type == BRN_PACKET_U16) {
            code_delta((const uint16_t *)(const void *)from, packet->array[i].count, out + offset);
        } else if (!little_endian) {
            copy_little_endian(from, packet->array[i].count, types[packet->array[i].type].size, out + offset);
        }
    }
    *bytes = packet->out.data;
    *size = packet->out.length;
    return BRN_OK;
}
