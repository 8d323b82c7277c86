/* Traces from text: rows of cells, of which two columns are wanted. */
#include "base/os.h"
#include "base/scanner.h"
#include "base/text.h"

#include <brunt/study.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A million rows of a hundred columns. */
static const size_t SIZE_LIMIT = (size_t)2 << 30;

struct brn_trace {
    brn_ctx *ctx;
    int count, room;
    double *time, *value;
    char *column;
};

/* The text, how its cells are separated, and the columns that are wanted. */
typedef struct table {
    brn_scan scan;
    char separator; /* ' ': any number of blanks and tabs */
    char **name;    /* of the columns; NULL: they have none */
    int columns;
    int time, value;
    double unit; /* [s] of the times */
} table;

enum { COLUMNS_MAX = 10000, UNIT_LINES = 3 };

/* ---- cells ---------------------------------------------------------------------------------------------------------------- */

/* The next line that has something on it, without its comment; false at the end. */
static bool take_line(brn_scan *scan, brn_span *out)
{
    while (scan->at < scan->end) {
        scan->mark = scan->at;
        *out = brn_scan_line(scan);
        for (size_t i = 0; i < out->length; ++i) {
            if (out->at[i] == '#' || out->at[i] == '%') {
                out->length = i;
            }
        }
        *out = brn_span_trim(*out);
        if (out->length > 0) {
            return true;
        }
    }
    return false;
}

static char find_separator(brn_span line)
{
    static const char candidates[] = ";\t,";
    for (const char *c = candidates; *c != '\0'; ++c) {
        if (memchr(line.at, *c, line.length) != NULL) {
            return *c;
        }
    }
    return ' ';
}

/* Takes the first cell off the rest of a line, without blanks and quotation marks about it; false if there is none left. `more` goes with the line: a
   cell, perhaps empty, follows. */
static bool take_cell(char separator, brn_span *rest, bool *more, brn_span *cell)
{
    if (!*more) {
        return false;
    }
    size_t end = 0;
    bool quoted = false;
    for (; end < rest->length; ++end) {
        const char c = rest->at[end];
        quoted = quoted != (c == '"');
        if (!quoted && (c == separator || (separator == ' ' && c == '\t'))) {
            break;
        }
    }
    *cell = brn_span_trim((brn_span){rest->at, end});
    *more = end < rest->length;
    rest->at += end + *more;
    rest->length -= end + *more;
    while (separator == ' ' && rest->length > 0 && (*rest->at == ' ' || *rest->at == '\t')) {
        ++rest->at;
        --rest->length;
    }
    if (cell->length >= 2 && cell->at[0] == '"' && cell->at[cell->length - 1] == '"') {
        *cell = (brn_span){cell->at + 1, cell->length - 2};
    }
    return true;
}

/* A number, with a decimal comma where commas do not separate; NaN for an empty cell and for `nan`. */
static bool read_number(char separator, brn_span cell, double *out)
{
    char text[64];
    *out = NAN;
    if (cell.length == 0 || brn_span_is(cell, "nan")) {
        return true;
    }
    char *comma = NULL;
    if (separator != ',' && cell.length < sizeof text) {
        memcpy(text, cell.at, cell.length);
        comma = memchr(text, ',', cell.length);
    }
    if (comma != NULL && memchr(text, '.', cell.length) == NULL) {
        *comma = '.';
        cell.at = text;
    }
    return brn_span_real(cell, out) && isfinite(*out);
}

/* ---- the header ------------------------------------------------------------------------------------------------------------ */

/* Number of cells, and how many of them are numbers. */
static int count_cells(char separator, brn_span line, int *numbers)
{
    brn_span cell;
    bool more = true;
    double value = 0.0;
    int count = 0;
    *numbers = 0;
    while (count < COLUMNS_MAX && take_cell(separator, &line, &more, &cell)) {
        *numbers += cell.length > 0 && read_number(separator, cell, &value);
        ++count;
    }
    return count;
}

static brn_status read_names(table *t, brn_span line)
{
    brn_ctx *ctx = t->scan.ctx;
    brn_span cell;
    bool more = true;
    BRN_ALLOC(ctx, t->name, t->columns);
    for (int k = 0; k < t->columns && take_cell(t->separator, &line, &more, &cell); ++k) {
        t->name[k] = brn_span_dup(ctx, cell);
        if (t->name[k] == NULL) {
            return BRN_ERR_MEMORY;
        }
    }
    return BRN_OK;
}

static bool same_word(const char *a, const char *b)
{
    return brn_span_is((brn_span){a, strlen(a)}, b);
}

/* "a, b, c" for messages, as many as fit. */
static void list_names(const table *t, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int k = 0; k < t->columns; ++k) {
        const int n = snprintf(out + used, size - used, "%s%s", k > 0 ? ", " : "", t->name[k]);
        if (n < 0 || (size_t)n + 5 >= size - used) {
            (void)snprintf(out + used, size - used, "...");
            return;
        }
        used += (size_t)n;
    }
}

/* A column by its name or number. */
static brn_status find_column(const table *t, const char *wanted, int *out)
{
    char names[800];
    for (int k = 0; t->name != NULL && k < t->columns; ++k) {
        if (same_word(t->name[k], wanted)) {
            *out = k;
            return BRN_OK;
        }
    }
    long long number = 0;
    if (brn_parse_int(wanted, &number)) {
        if (number < 1 || number > t->columns) {
            return brn_scan_fail(&t->scan, "there is no column %s, the columns are 1 to %d", wanted,
                                 t->columns);
        }
        *out = (int)number - 1;
        return BRN_OK;
    }
    if (t->name == NULL) {
        return brn_scan_fail(&t->scan,
                             "there is no column '%s': the columns have no names, only numbers 1 to %d",
                             wanted, t->columns);
    }
    const int near = brn_nearest_word(wanted, (const char *const *)t->name, t->columns);
    list_names(t, names, sizeof names);
    return near >= 0
               ? brn_scan_fail(&t->scan, "there is no column '%s': did you mean '%s'?", wanted, t->name[near])
               : brn_scan_fail(&t->scan, "there is no column '%s'; the columns are %s", wanted, names);
}

/* What stands in brackets at the end of a name, "ms" of "Time [ms]"; empty: there are none. *word: the name without. */
static brn_span unit_of(const char *name, brn_span *word)
{
    const size_t length = strlen(name);
    size_t open = length;
    *word = (brn_span){name, length};
    const char last = length > 0 ? name[length - 1] : '\0';
    while (open > 0 && (last == ']' || last == ')') && name[open - 1] != (last == ']' ? '[' : '(')) {
        --open;
    }
    if (open == 0 || open == length) {
        return (brn_span){0};
    }
    *word = brn_span_trim((brn_span){name, open - 1});
    return brn_span_trim((brn_span){name + open, length - 1 - open});
}

/* Seconds of a unit of time; false: it is none. */
static bool seconds_of(brn_span text, double *unit)
{
    static const struct {
        const char *word;
        double seconds;
    } known[] = {{"s", 1.0},   {"sec", 1.0},        {"seconds", 1.0},    {"ms", 1e-3},
                 {"us", 1e-6}, {"\xc2\xb5s", 1e-6}, {"\xce\xbcs", 1e-6}, {"ns", 1e-9}};
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        if (brn_span_is(text, known[k].word)) {
            *unit = known[k].seconds;
            return true;
        }
    }
    return false;
}

/* The first that is called time or t, whatever its unit. */
static int usual_time(const table *t)
{
    for (int k = 0; t->name != NULL && k < t->columns; ++k) {
        brn_span word;
        (void)unit_of(t->name[k], &word);
        if (brn_span_is(word, "time") || brn_span_is(word, "t")) {
            return k;
        }
    }
    return 0;
}

/* The unit that the column of times has by its name. */
static brn_status find_unit(table *t)
{
    brn_span word;
    t->unit = 1.0;
    const brn_span unit = t->name != NULL ? unit_of(t->name[t->time], &word) : (brn_span){0};
    return unit.length == 0 || seconds_of(unit, &t->unit)
               ? BRN_OK
               : brn_scan_fail(&t->scan, "column '%s': times are wanted in s, ms, us or ns",
                               t->name[t->time]);
}

/* ... or by a line of units below the names. */
static void read_unit(table *t, brn_span line)
{
    brn_span cell = {0};
    bool more = true;
    for (int k = 0; k <= t->time; ++k) {
        if (!take_cell(t->separator, &line, &more, &cell)) {
            return;
        }
    }
    if (cell.length > 2 && (cell.at[0] == '[' || cell.at[0] == '(')) {
        cell = (brn_span){cell.at + 1, cell.length - 2};
    }
    (void)seconds_of(cell, &t->unit);
}

static brn_status find_columns(table *t, const brn_trace_options *options)
{
    char names[800];
    t->time = usual_time(t);
    if (t->columns < 2) {
        return brn_scan_fail(&t->scan, "one column: a trace has two, time and value");
    }
    if (options->time != NULL) {
        BRN_TRY(find_column(t, options->time, &t->time));
    }
    t->value = 1 - t->time;
    if (options->value != NULL) {
        BRN_TRY(find_column(t, options->value, &t->value));
    } else if (t->columns > 2 && t->name != NULL) {
        list_names(t, names, sizeof names);
        return brn_scan_fail(&t->scan, "%d columns: say which of them holds the samples: %s", t->columns,
                             names);
    } else if (t->columns > 2) {
        return brn_scan_fail(&t->scan, "%d columns: say which of them holds the samples, by its number",
                             t->columns);
    }
    if (t->value == t->time) {
        return brn_scan_fail(&t->scan, "time and value are the same column, %d", t->time + 1);
    }
    return BRN_OK;
}

/* Names if there are any, columns, and the first row of numbers as the next line. */
static brn_status read_header(table *t, const brn_trace_options *options)
{
    brn_span line = {0};
    int numbers = 0;
    if (!take_line(&t->scan, &line)) {
        t->scan.mark = t->scan.start;
        return brn_scan_fail(&t->scan, "there is nothing in it");
    }
    t->separator = find_separator(line);
    t->columns = count_cells(t->separator, line, &numbers);
    if (t->columns >= COLUMNS_MAX) {
        return brn_scan_fail(&t->scan, "%d columns or more", COLUMNS_MAX);
    }
    if (numbers > 0) {
        t->scan.at = t->scan.mark;
        return find_columns(t, options);
    }
    BRN_TRY(read_names(t, line));
    BRN_TRY(find_columns(t, options));
    BRN_TRY(find_unit(t));
    /* Lines of units. */
    for (int k = 0; k <= UNIT_LINES && take_line(&t->scan, &line); ++k) {
        (void)count_cells(t->separator, line, &numbers);
        if (numbers > 0 || k == UNIT_LINES) {
            t->scan.at = t->scan.mark;
            break;
        }
        read_unit(t, line);
    }
    return BRN_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------------------------------- */

static brn_status add_row(brn_trace *trace, table *t, brn_span line)
{
    brn_ctx *ctx = trace->ctx;
    brn_span cell = {0};
    double found[2] = {NAN, NAN};
    bool more = true;
    for (int k = 0; k <= t->time || k <= t->value; ++k) {
        if (!take_cell(t->separator, &line, &more, &cell)) {
            return brn_scan_fail(&t->scan, "%d column%s, column %d is wanted", k, k == 1 ? "" : "s",
                                 (t->time > t->value ? t->time : t->value) + 1);
        }
        if (k != t->time && k != t->value) {
            continue;
        }
        if (!read_number(t->separator, cell, &found[k == t->value])) {
            return brn_scan_fail(&t->scan, "column %d: expected a number, found '%.*s'", k + 1,
                                 brn_span_shown(cell), cell.at);
        }
    }
    if (isnan(found[0]) || isnan(found[1])) {
        return BRN_OK;
    }
    found[0] *= t->unit;
    if (trace->count > 0 && !(found[0] > trace->time[trace->count - 1])) {
        return brn_scan_fail(&t->scan, "time %.9g does not come after %.9g", found[0],
                             trace->time[trace->count - 1]);
    }
    int room = trace->room;
    BRN_GROW(ctx, trace->time, room, trace->count + 1);
    BRN_GROW(ctx, trace->value, trace->room, trace->count + 1);
    trace->time[trace->count] = found[0];
    trace->value[trace->count++] = found[1];
    return BRN_OK;
}

static brn_status read_rows(brn_trace *trace, table *t, const brn_trace_options *options)
{
    brn_span line;
    BRN_TRY(read_header(t, options));
    while (take_line(&t->scan, &line)) {
        if (trace->count >= INT_MAX / 4) {
            return brn_scan_fail(&t->scan, "more than %d rows", INT_MAX / 4);
        }
        BRN_TRY(add_row(trace, t, line));
    }
    trace->column = brn_strdup(trace->ctx, t->name != NULL ? t->name[t->value] : "");
    return trace->column != NULL ? BRN_OK : BRN_ERR_MEMORY;
}

/* ---- the calls -------------------------------------------------------------------------------------------------------------- */

brn_trace_options brn_trace_options_default(void)
{
    return (brn_trace_options){.time = NULL, .value = NULL};
}

brn_status brn_trace_parse(brn_ctx *ctx, const char *text, size_t length, const char *name,
                           const brn_trace_options *options, brn_trace **out)
{
    const brn_trace_options usual = brn_trace_options_default();
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, out);
    *out = NULL;
    BRN_GIVEN(ctx, text);
    if (length > SIZE_LIMIT) {
        return brn_fail(ctx, BRN_ERR_LIMIT, "%s: larger than %zu bytes", name != NULL ? name : "trace",
                        SIZE_LIMIT);
    }
    brn_trace *trace = NULL;
    BRN_ALLOC(ctx, trace, 1);
    trace->ctx = ctx;
    table t = {.scan = brn_scan_open(ctx, text, length, name != NULL ? name : "trace"), .unit = 1.0};
    /* a byte order mark */
    t.scan.at += length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    const brn_status status = read_rows(trace, &t, options != NULL ? options : &usual);
    for (int k = 0; t.name != NULL && k < t.columns; ++k) {
        brn_free(ctx, t.name[k]);
    }
    brn_free(ctx, t.name);
    if (status < 0) {
        brn_trace_close(trace);
        return status;
    }
    *out = trace;
    return BRN_OK;
}

brn_status brn_trace_read(brn_ctx *ctx, const char *path, const brn_trace_options *options, brn_trace **out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, path);
    BRN_GIVEN(ctx, out);
    *out = NULL;
    char *text = NULL;
    size_t length = 0;
    char *series = brn_path_join(ctx, path, "series.csv");
    if (series == NULL) {
        return BRN_ERR_MEMORY;
    }
    const char *file = brn_file_exists(series) ? series : path;
    brn_status status = brn_file_read(ctx, file, SIZE_LIMIT, &text, &length);
    if (status >= 0) {
        status = brn_trace_parse(ctx, text, length, file, options, out);
    }
    brn_free(ctx, text);
    brn_free(ctx, series);
    return status;
}

int brn_trace_samples(const brn_trace *trace, const double **time, const double **value)
{
    if (time != NULL) {
        *time = trace != NULL ? trace->time : NULL;
    }
    if (value != NULL) {
        *value = trace != NULL ? trace->value : NULL;
    }
    return trace != NULL ? trace->count : 0;
}

const char *brn_trace_column(const brn_trace *trace)
{
    return trace != NULL ? trace->column : "";
}

void brn_trace_close(brn_trace *trace)
{
    if (trace != NULL) {
        brn_ctx *ctx = trace->ctx;
        brn_free(ctx, trace->time);
        brn_free(ctx, trace->value);
        brn_free(ctx, trace->column);
        brn_free(ctx, trace);
    }
}
