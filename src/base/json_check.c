/* Whether a text is one JSON value. */
#include "base/json.h"

#include <string.h>

int brn_utf8_length(const unsigned char *c)
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
        const int n = brn_utf8_length(next);
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
