#include "terminal/grow_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool grow(cli_text *text, size_t more)
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

void cli_text_add(cli_text *text, const char *format, ...)
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

void cli_text_free(cli_text *text)
{
    free(text->bytes);
    *text = (cli_text){0};
}
