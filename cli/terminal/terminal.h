/* What the commands know of the terminal: colours, width, and numbers fit for reading. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef enum cli_colour { CLI_BOLD, CLI_RED, CLI_YELLOW, CLI_GREEN, CLI_DIM, CLI_PLAIN } cli_colour;

/* The escape sequence, or "" unless the stream is a terminal that wants colours (NO_COLOR unset, TERM not dumb). */
const char *cli_paint(FILE *stream, cli_colour colour);
bool cli_is_terminal(FILE *stream);
int cli_terminal_width(FILE *stream); /* columns, 80 if it cannot be known */

/* "error: ..." or "warning: ..." on stderr, one line. */
void cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "0.52 s", "1 min 05 s", "3 h 12 min"; "?" if it is not finite. Returns buffer. */
#define CLI_TEXT_SIZE 48
char *cli_duration(double seconds, char buffer[CLI_TEXT_SIZE]);
/* A number with an SI prefix and its unit, three digits: "12.5 mm", "1.2 kg", "0 m". Returns buffer. */
char *cli_quantity(double value, const char *unit, char buffer[CLI_TEXT_SIZE]);
char *cli_file_size(double bytes, char buffer[CLI_TEXT_SIZE]); /* "1.3 MB" */

/* The lines of a text (NULL: none) on stdout, behind a column of `width` that names the first of them. */
void cli_print_lines(const char *name, int width, const char *text);

#endif
