/* JSON: the writer behind brn_json_... of brunt.h, and a check whether a text is valid JSON. */
#ifndef BRN_BASE_JSON_H
#define BRN_BASE_JSON_H

#include "base/text.h"

enum { BRN_JSON_DEPTH_MAX = 64 };

/* Zeroed but for text.ctx and lines, it is an empty one. */
struct brn_json {
    brn_text text;
    int lines; /* as brn_json_create has it; < 0: no blanks at all */
    int depth;
    bool list[BRN_JSON_DEPTH_MAX]; /* [depth] is the bracket one of a list? */
    bool more;                     /* something stands in the innermost bracket */
};

/* A value that is JSON already. */
void brn_json_raw(brn_json *json, const char *key, const char *value);
/* A list of n numbers. */
void brn_json_reals(brn_json *json, const char *key, const double *value, int n);

/* Is this one JSON value and nothing else (RFC 8259, UTF-8), nested no deeper than the limit? */
bool brn_json_valid(const char *text, size_t length);

/* Bytes of the well-formed UTF-8 sequence at c, 0 if there is none (RFC 3629: no overlong forms, no surrogates). The text
   ends with a '\0', which no sequence goes on with. */
int brn_utf8_length(const unsigned char *c);

#endif
