/* A text that grows. Running out of memory is remembered and reported at the end. */
#ifndef CLI_GROW_TEXT_H
#define CLI_GROW_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_text {
    char *bytes; /* ended by '\0'; NULL while empty */
    size_t size, room;
    bool failed; /* no memory: the text is not complete */
} cli_text;

void cli_text_add(cli_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_text_free(cli_text *text);

#endif
