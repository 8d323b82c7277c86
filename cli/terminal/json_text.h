/* A text that grows, for JSON. Running out of memory is remembered and told at the end. */
#ifndef CLI_JSON_TEXT_H
#define CLI_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_json {
    char *bytes; /* with a '\0' behind; NULL while empty */
    size_t size, room;
    bool failed; /* no memory: the text is not complete */
} cli_json;

void cli_json_add(cli_json *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* In quotes, escaped; what is not UTF-8 becomes U+FFFD, as browsers refuse a message that is not. */
void cli_json_string(cli_json *text, const char *string);
void cli_json_number(cli_json *text, double value); /* null where JSON has no number for it */
void cli_json_free(cli_json *text);

#endif
