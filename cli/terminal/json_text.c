#include "terminal/json_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool grow(cli_json *text, size_t more)
{
    if (text->failed || more > ((size_t)1 << 30)) {
        text->failed = true;
        return false;
    }
    const size_t needed = text->size + more + 1;
    if (needed > text->room) {
        const size_t room = needed < 256 ? 256 : 2 * needed;
        char *bytes = realloc(text->bytes, room);
        if (bytes == NULL) {
            text->failed = true;
            return false;
        }
        text->bytes = bytes;
        text->room = room;
    }
    return true;
}

static void add_bytes(cli_json *text, const char *bytes, size_t size)
{
    if (grow(text, size)) {
        memcpy(text->bytes + text->size, bytes, size);
        text->size += size;
        text->bytes[text->size] = '\0';
    }
}

void cli_json_add(cli_json *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int length = vsnprintf(NULL, 0, format, args);
    if (length >= 0 && grow(text, (size_t)length)) {
        (void)vsnprintf(text->bytes + text->size, (size_t)length + 1, format, again);
        text->size += (size_t)length;
    }
    va_end(again);
    va_end(args);
}

/* Bytes of the character at p, which ends before a '\0'; 0: not UTF-8 (too long a form and surrogates included). */
static size_t utf8_length(const unsigned char *p)
{
    static const struct {
        unsigned char mask, lead;
        unsigned least;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t n = 0; n < sizeof forms / sizeof *forms; ++n) {
        if ((p[0] & forms[n].mask) != forms[n].lead) {
            continue;
        }
        unsigned code = p[0] & (unsigned char)~forms[n].mask;
        for (size_t k = 1; k <= n; ++k) {
            if ((p[k] & 0xc0) != 0x80) {
                return 0;
            }
            code = code << 6 | (p[k] & 0x3f);
        }
        return code < forms[n].least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : n + 1;
    }
    return 0;
}

void cli_json_string(cli_json *text, const char *string)
{
    add_bytes(text, "\"", 1);
    for (const unsigned char *p = (const unsigned char *)string; *p != '\0';) {
        const size_t length = utf8_length(p);
        if (length == 0) {
            add_bytes(text, "\xef\xbf\xbd", 3);
        } else if (*p == '"' || *p == '\\') {
            const char pair[2] = {'\\', (char)*p};
            add_bytes(text, pair, 2);
        } else if (*p < 0x20 || *p == 0x7f) {
            cli_json_add(text, "\\u%04x", *p);
        } else {
            add_bytes(text, (const char *)p, length);
        }
        p += length > 0 ? length : 1;
    }
    add_bytes(text, "\"", 1);
}

void cli_json_number(cli_json *text, double value)
{
    if (isfinite(value)) {
        cli_json_add(text, "%.9g", value);
    } else {
        add_bytes(text, "null", 4);
    }
}

void cli_json_free(cli_json *text)
{
    free(text->bytes);
    *text = (cli_json){0};
}
