#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

brn_status brn_json_create(brn_ctx *ctx, int lines, brn_json **out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, out);
    *out = NULL;
    brn_json *json = NULL;
    BRN_ALLOC(ctx, json, 1);
    json->text.ctx = ctx;
    json->lines = lines;
    *out = json;
    return BRN_OK;
}

void brn_json_destroy(brn_json *json)
{
    if (json != NULL) {
        brn_ctx *ctx = json->text.ctx;
        brn_text_clear(&json->text);
        brn_free(ctx, json);
    }
}

brn_status brn_json_get(const brn_json *json, const char **text, size_t *length)
{
    BRN_GIVEN(NULL, json);
    BRN_GIVEN(NULL, text);
    BRN_GIVEN(NULL, length);
    const bool whole = !json->text.failed && json->depth == 0 && json->more;
    *text = whole ? json->text.data : "";
    *length = whole ? json->text.length : 0;
    return json->text.failed ? BRN_ERR_MEMORY : whole ? BRN_OK : BRN_ERR_RANGE;
}

/* ---- between values ------------------------------------------------------------------------------------------------ */

static void word(brn_json *json, const char *text)
{
    brn_text_append(&json->text, text, strlen(text));
}

static void new_line(brn_json *json)
{
    word(json, "\n");
    for (int i = 0; i < json->depth; ++i) {
        word(json, "  ");
    }
}

static bool is_separator(const unsigned char *c)
{
    return c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9);
}

static void quote(brn_json *json, const char *value)
{
    word(json, "\"");
    const unsigned char *c = (const unsigned char *)value;
    const unsigned char *plain = c; /* start of the bytes that go as they are */
    while (*c != '\0') {
        const int n = brn_utf8_length(c);
        const bool odd = n == 0 || *c == '"' || *c == '\\' || *c < 0x20 || *c == 0x7f || is_separator(c);
        if (odd) {
            brn_text_append(&json->text, (const char *)plain, (size_t)(c - plain));
            const unsigned code = n == 0 ? 0xfffdu : n == 3 ? 0x2000u + (c[2] & 0x3fu) : *c;
            brn_text_add(&json->text, *c == '"' || *c == '\\' ? "\\%c" : "\\u%04x", code);
        }
        c += n > 0 ? n : 1;
        plain = odd ? c : plain;
    }
    brn_text_append(&json->text, (const char *)plain, (size_t)(c - plain));
    word(json, "\"");
}

/* What stands before a value: a comma, a line break or a blank, its key. */
static void lead(brn_json *json, const char *key)
{
    word(json, json->depth > 0 && json->more ? "," : "");
    if (json->depth > 0 && json->depth <= json->lines) {
        new_line(json);
    } else if (json->depth > 0 && json->more && json->lines >= 0) {
        word(json, " ");
    }
    if (key != NULL) {
        quote(json, key);
        word(json, json->lines >= 0 ? ": " : ":");
    }
    json->more = true;
}

void brn_json_open(brn_json *json, const char *key, char bracket)
{
    if (json == NULL) {
        return;
    }
    lead(json, key);
    if (json->depth >= BRN_JSON_DEPTH_MAX) {
        json->text.failed = true; /* nobody could read it */
        return;
    }
    brn_text_append(&json->text, &bracket, 1);
    json->list[json->depth++] = bracket == '[';
    json->more = false;
}

void brn_json_close(brn_json *json)
{
    if (json == NULL) {
        return;
    }
    if (json->depth == 0) {
        return;
    }
    json->depth--;
    if (json->depth < json->lines) {
        new_line(json);
    }
    word(json, json->list[json->depth] ? "]" : "}");
    word(json, json->depth == 0 && json->lines > 0 ? "\n" : "");
    json->more = true;
}

/* ---- values ---------------------------------------------------------------------------------------------------------- */

void brn_json_text(brn_json *json, const char *key, const char *value)
{
    if (json == NULL) {
        return;
    }
    lead(json, key);
    if (value != NULL) {
        quote(json, value);
    } else {
        word(json, "null");
    }
}

void brn_json_real(brn_json *json, const char *key, double value)
{
    if (json == NULL) {
        return;
    }
    char text[BRN_REAL_TEXT];
    lead(json, key);
    word(json, isfinite(value) ? brn_format_real(value, text) : "null");
}

void brn_json_int(brn_json *json, const char *key, int64_t value)
{
    if (json == NULL) {
        return;
    }
    lead(json, key);
    brn_text_add(&json->text, "%" PRId64, value);
}

void brn_json_bool(brn_json *json, const char *key, bool value)
{
    if (json == NULL) {
        return;
    }
    lead(json, key);
    word(json, value ? "true" : "false");
}

void brn_json_raw(brn_json *json, const char *key, const char *value)
{
    lead(json, key);
    word(json, value);
}

void brn_json_reals(brn_json *json, const char *key, const double *value, int n)
{
    brn_json_open(json, key, '[');
    for (int i = 0; i < n; ++i) {
        brn_json_real(json, NULL, value[i]);
    }
    brn_json_close(json);
}
