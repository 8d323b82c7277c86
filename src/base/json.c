#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Bytes of the well-formed UTF-8 sequence at c, 0 if there is none (RFC 3629: no overlong forms, no surrogates). The text
   ends with a '\0', which no sequence goes on with. */
static int utf8_length(const unsigned char *c)
{
    const int n = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < n; ++i) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    const bool beyond = (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f);
    return overlong || beyond ? 0 : n;
}

static bool is_separator(const unsigned char *c)
{
    return c[0] == 0xe2 && c[1] == 0x80 && (c[2] == 0xa8 || c[2] == 0xa9);
}

void brn_json_text(brn_text *json, const char *value)
{
    if (value == NULL) {
        brn_text_append(json, "null", 4);
        return;
    }
    brn_text_append(json, "\"", 1);
    const unsigned char *c = (const unsigned char *)value;
    const unsigned char *plain = c; /* start of the bytes that go as they are */
    while (*c != '\0') {
        const int n = utf8_length(c);
        const bool odd = n == 0 || *c == '"' || *c == '\\' || *c < 0x20 || *c == 0x7f || is_separator(c);
        if (odd) {
            brn_text_append(json, (const char *)plain, (size_t)(c - plain));
            const unsigned code = n == 0 ? 0xfffdu : n == 3 ? 0x2000u + (c[2] & 0x3fu) : *c;
            brn_text_add(json, *c == '"' || *c == '\\' ? "\\%c" : "\\u%04x", code);
        }
        c += n > 0 ? n : 1;
        plain = odd ? c : plain;
    }
    brn_text_append(json, (const char *)plain, (size_t)(c - plain));
    brn_text_append(json, "\"", 1);
}

void brn_json_real(brn_text *json, double value)
{
    char text[BRN_REAL_TEXT];
    const char *word = isfinite(value) ? brn_format_real(value, text) : "null";
    brn_text_append(json, word, strlen(word));
}

void brn_json_int(brn_text *json, int64_t value)
{
    brn_text_add(json, "%" PRId64, value);
}

/* ---- is it one? -------------------------------------------------------------------------------------------------- */

typedef struct reader {
    const unsigned char *at, *end;
} reader;

static void skip_blanks(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) {
        r->at++;
    }
}

static bool take(reader *r, char c)
{
    const bool found = r->at < r->end && *r->at == (unsigned char)c;
    r->at += found;
    return found;
}

static int take_digits(reader *r)
{
    int n = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; ++n) {
        r->at++;
    }
    return n;
}

static bool take_number(reader *r)
{
    (void)take(r, '-');
    const bool zero = take(r, '0');
    if (!zero && take_digits(r) == 0) {
        return false;
    }
    if (take(r, '.') && take_digits(r) == 0) {
        return false;
    }
    if (take(r, 'e') || take(r, 'E')) {
        (void)(take(r, '+') || take(r, '-'));
        return take_digits(r) > 0;
    }
    return true;
}

static bool take_escape(reader *r)
{
    if (take(r, 'u')) {
        for (int i = 0; i < 4; ++i, r->at++) {
            if (r->at >= r->end || strchr("0123456789abcdefABCDEF", *r->at) == NULL || *r->at == '\0') {
                return false;
            }
        }
        return true;
    }
    const bool known = r->at < r->end && *r->at != '\0' && strchr("\"\\/bfnrt", *r->at) != NULL;
    r->at += known;
    return known;
}

static bool take_string(reader *r)
{
    if (!take(r, '"')) {
        return false;
    }
    while (r->at < r->end && *r->at != '"') {
        if (take(r, '\\')) {
            if (!take_escape(r)) {
                return false;
            }
            continue;
        }
        unsigned char next[5] = {0};
        const size_t left = (size_t)(r->end - r->at);
        memcpy(next, r->at, left < 4 ? left : 4);
        const int n = utf8_length(next);
        if (n == 0 || next[0] < 0x20) {
            return false;
        }
        r->at += n;
    }
    return take(r, '"');
}

static bool take_word(reader *r)
{
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; ++i) {
        const size_t n = strlen(words[i]);
        if ((size_t)(r->end - r->at) >= n && memcmp(r->at, words[i], n) == 0) {
            r->at += n;
            return true;
        }
    }
    return false;
}

/* A value, or the part of one up to the first thing inside it: an opened bracket is pushed. */
static bool take_value(reader *r, char *stack, int *depth)
{
    skip_blanks(r);
    if (take(r, '{') || take(r, '[')) {
        if (*depth >= BRN_JSON_DEPTH_MAX) {
            return false;
        }
        stack[(*depth)++] = r->at[-1] == '{' ? '}' : ']';
        return true;
    }
    if (r->at < r->end && *r->at == '"') {
        return take_string(r);
    }
    return take_word(r) || take_number(r);
}

static bool take_key(reader *r)
{
    skip_blanks(r);
    if (!take_string(r)) {
        return false;
    }
    skip_blanks(r);
    return take(r, ':');
}

bool brn_json_valid(const char *text, size_t length)
{
    reader r = {(const unsigned char *)text, (const unsigned char *)text + length};
    char stack[BRN_JSON_DEPTH_MAX];
    int depth = 0;
    if (!take_value(&r, stack, &depth)) {
        return false;
    }
    bool fresh = depth > 0; /* nothing is in the innermost bracket yet */
    /* Every round consumes a bracket or a value. */
    while (depth > 0) {
        skip_blanks(&r);
        if (take(&r, stack[depth - 1])) {
            depth--;
            fresh = false;
            continue;
        }
        if (!fresh && !take(&r, ',')) {
            return false;
        }
        const int before = depth;
        if ((stack[depth - 1] == '}' && !take_key(&r)) || !take_value(&r, stack, &depth)) {
            return false;
        }
        fresh = depth > before;
    }
    skip_blanks(&r);
    return r.at == r.end;
}
