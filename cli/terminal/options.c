#include "terminal/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 64, OPTIONS_MAX = 32, LINE_WIDTH = 100 };

/* ---- the nearest word ------------------------------------------------------------------------------------------ */

static int lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int min3(int a, int b, int c)
{
    const int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Optimal string alignment distance (a swap of neighbours counts once), upper and lower case alike. */
static int edit_distance(const char *a, const char *b)
{
    const int na = (int)strnlen(a, WORD_MAX), nb = (int)strnlen(b, WORD_MAX);
    if (na >= WORD_MAX || nb >= WORD_MAX) {
        return INT_MAX;
    }
    int row[3][WORD_MAX + 1];
    for (int j = 0; j <= nb; ++j) {
        row[0][j] = j;
    }
    for (int i = 1; i <= na; ++i) {
        int *now = row[i % 3];
        const int *above = row[(i + 2) % 3], *above2 = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; ++j) {
            const int change = lower(a[i - 1]) != lower(b[j - 1]);
            now[j] = min3(above[j] + 1, now[j - 1] + 1, above[j - 1] + change);
            const bool swapped =
                i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped && above2[j - 2] + 1 < now[j]) {
                now[j] = above2[j - 2] + 1;
            }
        }
    }
    return row[na % 3][nb];
}

int cli_nearest(const char *word, const char *const *words, int count)
{
    const int length = (int)strnlen(word, WORD_MAX);
    int best = -1, best_distance = INT_MAX;
    for (int i = 0; i < count; ++i) {
        int distance = edit_distance(word, words[i]);
        /* "thr" is a prefix of "threads": as good as one slip. */
        if (length >= 2 && strncmp(word, words[i], (size_t)length) == 0) {
            distance = 1;
        }
        /* A third of the letters may be wrong. */
        const int other = (int)strnlen(words[i], WORD_MAX);
        const int longest = length > other ? length : other;
        if (distance < best_distance && distance <= (longest + 1) / 3) {
            best = i;
            best_distance = distance;
        }
    }
    return best;
}

/* ---- help ------------------------------------------------------------------------------------------------------ */

static int print_wrapped(FILE *out, int column, int indent, const char *word)
{
    const int length = (int)strlen(word);
    if (column + 1 + length > LINE_WIDTH) {
        (void)fprintf(out, "\n%*s", indent, "");
        column = indent;
    }
    (void)fprintf(out, " %s", word);
    return column + 1 + length;
}

static void print_usage(const cli_syntax *syntax, FILE *out)
{
    int column = fprintf(out, "usage: brunt %s", syntax->command);
    const int indent = column < 0 ? 0 : column;
    char word[128];
    if (syntax->operand != NULL) {
        (void)snprintf(word, sizeof word, syntax->operands_min > 0 ? "%s" : "[%s]", syntax->operand);
        column = print_wrapped(out, column, indent, word);
    }
    for (int i = 0; i < syntax->option_count; ++i) {
        const cli_option *o = &syntax->options[i];
        (void)snprintf(word, sizeof word, "[--%s%s%s]%s", o->name, o->value != NULL ? " " : "",
                       o->value != NULL ? o->value : "", o->kind == CLI_LIST ? "..." : "");
        column = print_wrapped(out, column, indent, word);
    }
    (void)fputc('\n', out);
}

static void print_option(char letter, const char *name, const char *value, const char *help)
{
    char left[96];
    (void)snprintf(left, sizeof left, "%c%c%s --%s%s%s", letter != 0 ? '-' : ' ', letter != 0 ? letter : ' ',
                   letter != 0 ? "," : " ", name, value != NULL ? " " : "", value != NULL ? value : "");
    (void)printf("  %-26s  %s\n", left, help);
}

void cli_print_help(const cli_syntax *syntax)
{
    print_usage(syntax, stdout);
    (void)printf("\n%s\n\n", syntax->summary);
    if (syntax->operand != NULL) {
        (void)printf("  %-26s  %s\n\n", syntax->operand, syntax->operand_help);
    }
    (void)printf("options:\n");
    for (int i = 0; i < syntax->option_count; ++i) {
        const cli_option *o = &syntax->options[i];
        print_option(o->letter, o->name, o->value, o->help);
    }
    print_option('h', "help", NULL, "print this text");
    if (syntax->examples != NULL) {
        (void)printf("\nexamples:\n%s", syntax->examples);
    }
}

/* ---- errors: what is wrong, what is allowed, where to read more --------------------------------------------------- */

static int fail_usage(const cli_syntax *syntax)
{
    print_usage(syntax, stderr);
    (void)fprintf(stderr, "'brunt %s --help' explains them\n", syntax->command);
    return CLI_USAGE;
}

static int fail_unknown(const cli_syntax *syntax, const char *word, size_t length)
{
    const char *names[OPTIONS_MAX + 1];
    int count = 0;
    for (; count < syntax->option_count && count < OPTIONS_MAX; ++count) {
        names[count] = syntax->options[count].name;
    }
    names[count++] = "help";
    (void)fprintf(stderr, "brunt %s: unknown option '%.*s'", syntax->command, (int)length, word);
    char bare[WORD_MAX + 1];
    const size_t dashes = strspn(word, "-");
    (void)snprintf(bare, sizeof bare, "%.*s", (int)(length - dashes), word + dashes);
    const int near = cli_nearest(bare, names, count);
    if (near >= 0) {
        (void)fprintf(stderr, ": did you mean '--%s'?", names[near]);
    }
    (void)fputc('\n', stderr);
    return fail_usage(syntax);
}

static int fail_choice(const cli_syntax *syntax, const cli_option *o, const char *text)
{
    int count = 0;
    while (o->choices[count] != NULL) {
        ++count;
    }
    (void)fprintf(stderr, "brunt %s: --%s %s: must be one of", syntax->command, o->name, text);
    for (int i = 0; i < count; ++i) {
        (void)fprintf(stderr, "%s %s", i > 0 ? "," : "", o->choices[i]);
    }
    const int near = cli_nearest(text, o->choices, count);
    if (near >= 0) {
        (void)fprintf(stderr, "; did you mean '%s'?", o->choices[near]);
    } else {
        (void)fprintf(stderr, " (%s)", o->help);
    }
    (void)fputc('\n', stderr);
    return CLI_USAGE;
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

static int set_int(const cli_syntax *syntax, const cli_option *o, const char *text)
{
    char *end = NULL;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < o->lo || value > o->hi) {
        (void)fprintf(stderr, "brunt %s: --%s %s: must be a whole number from %d to %d\n", syntax->command,
                      o->name, text, o->lo, o->hi);
        return CLI_USAGE;
    }
    *(int *)o->target = (int)value;
    return CLI_PARSED;
}

static int set_value(const cli_syntax *syntax, const cli_option *o, const char *text, int capacity)
{
    switch (o->kind) {
    case CLI_FLAG:
        *(bool *)o->target = true;
        return CLI_PARSED;
    case CLI_TEXT:
        *(const char **)o->target = text;
        return CLI_PARSED;
    case CLI_INT:
        return set_int(syntax, o, text);
    case CLI_CHOICE:
        for (int i = 0; o->choices[i] != NULL; ++i) {
            if (strcmp(o->choices[i], text) == 0) {
                *(const char **)o->target = o->choices[i];
                return CLI_PARSED;
            }
        }
        return fail_choice(syntax, o, text);
    case CLI_LIST: {
        /* There cannot be more values than words. */
        cli_list *list = o->target;
        if (list->items == NULL) {
            list->items = calloc((size_t)capacity, sizeof *list->items);
        }
        if (list->items == NULL) {
            (void)fprintf(stderr, "brunt %s: out of memory\n", syntax->command);
            return CLI_FAILED;
        }
        list->items[list->count++] = text;
        return CLI_PARSED;
    }
    }
    return CLI_USAGE;
}

void cli_list_free(cli_list *list)
{
    free(list->items);
    *list = (cli_list){0};
}

static const cli_option *find_option(const cli_syntax *syntax, const char *word, size_t length)
{
    for (int i = 0; i < syntax->option_count; ++i) {
        const cli_option *o = &syntax->options[i];
        const bool by_letter = length >= 2 && word[0] == '-' && word[1] != '-' && word[1] == o->letter;
        const bool by_name = length > 2 && word[1] == '-' && strlen(o->name) == length - 2 &&
                             strncmp(o->name, word + 2, length - 2) == 0;
        if (by_letter || by_name) {
            return o;
        }
    }
    return NULL;
}

/* One option at argv[*at]; advances *at over a separate value. */
static int parse_option(const cli_syntax *syntax, int argc, char **argv, int *at)
{
    const char *word = argv[*at];
    const bool is_long = word[1] == '-';
    const size_t length = is_long ? strcspn(word, "=") : strlen(word);
    const cli_option *o = find_option(syntax, word, length);
    if (o == NULL) {
        return fail_unknown(syntax, word, length);
    }

    /* A value that is part of the same word. */
    const char *attached = NULL;
    if (is_long) {
        attached = word[length] == '=' ? word + length + 1 : NULL;
    } else {
        attached = word[2] != '\0' ? word + 2 : NULL;
    }
    if (o->kind == CLI_FLAG) {
        if (attached != NULL) {
            (void)fprintf(stderr, "brunt %s: --%s takes no value ('%s' given)\n", syntax->command, o->name,
                          attached);
            return fail_usage(syntax);
        }
        return set_value(syntax, o, NULL, argc);
    }
    if (attached == NULL) {
        const char *next = *at + 1 < argc ? argv[*at + 1] : NULL;
        if (next == NULL || strncmp(next, "--", 2) == 0) {
            (void)fprintf(stderr, "brunt %s: --%s needs a value: --%s %s, %s\n", syntax->command, o->name,
                          o->name, o->value, o->help);
            return fail_usage(syntax);
        }
        attached = next;
        ++*at;
    }
    return set_value(syntax, o, attached, argc);
}

static int take_operand(const cli_syntax *syntax, const char *word, const char **operand)
{
    if (syntax->operand == NULL) {
        (void)fprintf(stderr, "brunt %s: takes no operand ('%s' given)\n", syntax->command, word);
        return fail_usage(syntax);
    }
    if (*operand != NULL) {
        (void)fprintf(stderr, "brunt %s: takes one %s ('%s' and '%s' given)\n", syntax->command,
                      syntax->operand, *operand, word);
        return fail_usage(syntax);
    }
    *operand = word;
    return CLI_PARSED;
}

int cli_parse(const cli_syntax *syntax, int argc, char **argv, const char **operand)
{
    *operand = NULL;
    bool options_ended = false;

    /* Help wins over every error elsewhere on the line. */
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; ++i) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            cli_print_help(syntax);
            return CLI_DONE;
        }
    }
    for (int i = 0; i < argc; ++i) {
        int code = CLI_PARSED;
        if (!options_ended && strcmp(argv[i], "--") == 0) {
            options_ended = true;
        } else if (!options_ended && argv[i][0] == '-' && argv[i][1] != '\0') {
            code = parse_option(syntax, argc, argv, &i);
        } else {
            code = take_operand(syntax, argv[i], operand);
        }
        if (code != CLI_PARSED) {
            return code;
        }
    }
    if (*operand == NULL && syntax->operands_min > 0) {
        (void)fprintf(stderr, "brunt %s: %s is missing: %s\n", syntax->command, syntax->operand,
                      syntax->operand_help);
        return fail_usage(syntax);
    }
    return CLI_PARSED;
}
