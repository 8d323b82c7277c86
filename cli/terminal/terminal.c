#include "terminal/terminal.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool cli_is_terminal(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

const char *cli_paint(FILE *stream, cli_colour colour)
{
    static const char *const sequence[] = {"\033[1m",  "\033[31m", "\033[33m",
                                           "\033[32m", "\033[2m",  "\033[0m"};
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    const bool refused = no_color != NULL && no_color[0] != '\0';
    const bool dumb = term == NULL || strcmp(term, "dumb") == 0;
    return refused || dumb || !cli_is_terminal(stream) ? "" : sequence[colour];
}

int cli_terminal_width(FILE *stream)
{
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    const char *columns = getenv("COLUMNS");
    const int width = columns != NULL ? atoi(columns) : 0;
    return width > 0 && width < 10000 ? width : 80;
}

static void say(cli_colour colour, const char *word, const char *format, va_list args)
{
    (void)fprintf(stderr, "%s%s:%s ", cli_paint(stderr, colour), word, cli_paint(stderr, CLI_PLAIN));
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
}

void cli_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(CLI_RED, "error", format, args);
    va_end(args);
}

void cli_warning(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(CLI_YELLOW, "warning", format, args);
    va_end(args);
}

void cli_note(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(CLI_BOLD, "note", format, args);
    va_end(args);
}

char *cli_duration(double seconds, char buffer[CLI_TEXT_SIZE])
{
    if (!(seconds >= 0.0 && seconds < 1e12)) {
        (void)snprintf(buffer, CLI_TEXT_SIZE, "?");
        return buffer;
    }
    if (seconds < 60.0) {
        (void)snprintf(buffer, CLI_TEXT_SIZE, seconds < 9.995 ? "%.2f s" : "%.0f s", seconds);
        return buffer;
    }
    const long long whole = (long long)(seconds + 0.5);
    if (whole < 3600) {
        (void)snprintf(buffer, CLI_TEXT_SIZE, "%lld min %02lld s", whole / 60, whole % 60);
    } else {
        (void)snprintf(buffer, CLI_TEXT_SIZE, "%lld h %02lld min", whole / 3600, whole / 60 % 60);
    }
    return buffer;
}

char *cli_quantity(double value, const char *unit, char buffer[CLI_TEXT_SIZE])
{
    static const char *const prefix[] = {"p", "n", "u", "m", "", "k", "M", "G", "T"};
    enum { NONE = 4, LAST = 8 };
    if (!isfinite(value)) {
        (void)snprintf(buffer, CLI_TEXT_SIZE, "-");
        return buffer;
    }
    /* Beyond the prefixes, an exponent. */
    const double size = fabs(value);
    if (size != 0.0 && (size < 1e-12 || size >= 9.995e14)) {
        (void)snprintf(buffer, CLI_TEXT_SIZE, "%.2e %s", value, unit);
        return buffer;
    }
    int at = NONE;
    double scaled = value;
    while (fabs(scaled) >= 999.5 && at < LAST) {
        scaled /= 1000.0;
        ++at;
    }
    while (scaled != 0.0 && fabs(scaled) < 0.9995 && at > 0) {
        scaled *= 1000.0;
        --at;
    }
    (void)snprintf(buffer, CLI_TEXT_SIZE, "%.3g %s%s", scaled, prefix[at], unit);
    return buffer;
}

char *cli_file_size(double bytes, char buffer[CLI_TEXT_SIZE])
{
    return cli_quantity(bytes, "B", buffer);
}

void cli_print_lines(const char *name, int width, const char *text)
{
    for (const char *line = text; line != NULL && *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        (void)printf("  %-*s%.*s\n", width, line == text ? name : "", (int)length, line);
        line += length + (line[length] == '\n');
    }
}
