#include "base/text.h"

#include "base/json.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(brn_text *text, size_t extra)
{
    const size_t need = text->length + extra + 1;
    if (need > text->capacity) {
        const size_t capacity = need > 2 * text->capacity ? need + 64 : 2 * text->capacity;
        char *grown = brn_realloc(text->ctx, text->data, capacity, 1);
        if (grown == NULL) {
            text->failed = true;
            return false;
        }
        text->data = grown;
        text->capacity = capacity;
    }
    return true;
}

void brn_text_append(brn_text *text, const char *bytes, size_t n)
{
    if (!reserve(text, n)) {
        return;
    }
    memcpy(text->data + text->length, bytes, n);
    text->length += n;
    text->data[text->length] = '\0';
}

void brn_text_add(brn_text *text, const char *format, ...)
{
    va_list args;
    va_list again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0) {
        text->failed = true;
    } else if (reserve(text, (size_t)n)) {
        (void)vsnprintf(text->data + text->length, (size_t)n + 1, format, again);
        text->length += (size_t)n;
    }
    va_end(again);
}

brn_status brn_text_take(brn_text *text, char **out)
{
    brn_text_append(text, "", 0); /* an empty text is "", not NULL */
    if (text->failed) {
        brn_text_clear(text);
        return brn_fail(text->ctx, BRN_ERR_MEMORY, "out of memory while writing text");
    }
    *out = text->data;
    text->data = NULL;
    brn_text_clear(text);
    return BRN_OK;
}

void brn_text_clear(brn_text *text)
{
    brn_free(text->ctx, text->data);
    *text = (brn_text){.ctx = text->ctx};
}

/* strtod follows the process locale, which belongs to the host program: replace our decimal point by the locale's. */
bool brn_parse_real(const char *text, double *out)
{
    char copy[400];
    const size_t n = strlen(text);
    if (n == 0 || n >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, n + 1);
    char point[8];
    (void)snprintf(point, sizeof point, "%.1f", 0.5);
    for (char *c = copy; *c != '\0'; ++c) {
        /* Only plain decimal numbers: no hexadecimal, no words (inf, nan). */
        if (!isdigit((unsigned char)*c) && strchr("+-.eE", *c) == NULL) {
            return false;
        }
        if (*c == '.') {
            *c = point[1];
        }
    }
    char *end = NULL;
    *out = strtod(copy, &end);
    return end == copy + n;
}

bool brn_parse_int(const char *text, long long *out)
{
    if (text[0] == '\0' || isspace((unsigned char)text[0])) {
        return false;
    }
    char *end = NULL;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return errno == 0 && *end == '\0';
}

enum { WORD_MAX = 64 };

/* Damerau-Levenshtein distance (adjacent swaps count one), ignoring case. */
static int edit_distance(const char *a, const char *b)
{
    const int n = (int)strlen(a);
    const int m = (int)strlen(b);
    if (n > WORD_MAX || m > WORD_MAX) {
        return WORD_MAX;
    }
    int rows[3][WORD_MAX + 1];
    for (int j = 0; j <= m; ++j) {
        rows[0][j] = j;
    }
    for (int i = 1; i <= n; ++i) {
        int *now = rows[i % 3];
        const int *up = rows[(i + 2) % 3];
        const int *up2 = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; ++j) {
            const int ca = tolower((unsigned char)a[i - 1]);
            const int cb = tolower((unsigned char)b[j - 1]);
            int best = up[j - 1] + (ca != cb);
            best = up[j] + 1 < best ? up[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                cb == tolower((unsigned char)a[i - 2]) && up2[j - 2] + 1 < best) {
                best = up2[j - 2] + 1;
            }
            now[j] = best;
        }
    }
    return rows[n % 3][m];
}

int brn_nearest_word(const char *word, const char *const *words, int count)
{
    int best = -1;
    int best_distance = WORD_MAX;
    for (int i = 0; i < count; ++i) {
        const int distance = edit_distance(word, words[i]);
        const int length = (int)fmax((double)strlen(word), (double)strlen(words[i]));
        /* A third of the letters may be wrong: `vtu` is not what `stl` was meant to be. */
        if (distance < best_distance && distance <= (length + 1) / 3) {
            best = i;
            best_distance = distance;
        }
    }
    return best;
}

void brn_text_make_plain(char *text)
{
    char *to = text;
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        const int n = brn_utf8_length(c);
        const bool control = (c[0] < 0x20 && c[0] != '\n' && c[0] != '\t') || c[0] == 0x7f ||
                             (c[0] == 0xc2 && c[1] < 0xa0); /* those of one byte, and of two */
        if (n == 0 || control) {
            *to++ = '?';
            c += n > 1 ? n : 1;
            continue;
        }
        memmove(to, c, (size_t)n);
        to += n;
        c += n;
    }
    *to = '\0';
}
