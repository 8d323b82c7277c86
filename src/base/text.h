/* Text: a growing buffer, reading and writing numbers independently of the process locale, and the word nearest to a misspelt
   one. */
#ifndef BRN_BASE_TEXT_H
#define BRN_BASE_TEXT_H

#include "base/ctx.h"

/* Set ctx and leave the rest zero. A failed append is remembered and reported by brn_text_take. */
typedef struct brn_text {
    brn_ctx *ctx;
    char *data;
    size_t length, capacity;
    bool failed;
} brn_text;

void brn_text_add(brn_text *text, const char *format, ...) BRN_PRINTF(2, 3);
void brn_text_append(brn_text *text, const char *bytes, size_t n);
/* Hands over the buffer (free with brn_free); BRN_ERR_MEMORY if any append failed. */
brn_status brn_text_take(brn_text *text, char **out);
void brn_text_clear(brn_text *text); /* frees */

/* Parses a whole string as a decimal number; false if anything is left over. Words such as nan and inf are refused. */
bool brn_parse_real(const char *text, double *out);
bool brn_parse_int(const char *text, long long *out);
/* Shortest decimal text that reads back to the same number and that every YAML reader takes for a number
   ("5.0e+5", "0.1", ".inf", "-.inf", ".nan"). Returns buffer. */
#define BRN_REAL_TEXT 40
char *brn_format_real(double value, char buffer[BRN_REAL_TEXT]);

/* Puts '?' for what is not to reach a terminal: control characters but line ends and tabs, and what is no UTF-8. Messages quote files. */
void brn_text_make_plain(char *text);

/* Index of the word nearest to `word` in edit distance, or -1 if none is near enough to suggest. */
int brn_nearest_word(const char *word, const char *const *words, int count);

#endif
