#include "output/figures/series_table.h"

#include "base/os.h"
#include "base/text.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Larger files cannot be ours: this is a million steps with a hundred columns. */
static const size_t size_limit = (size_t)2 << 30;

/* A text that is read cell by cell; cells are ended with '\0' in place. */
typedef struct reader {
    const char *path;
    char *at, *end; /* end: after the last line break */
    int line;
} reader;

static size_t count_bytes(const char *from, const char *end, char byte)
{
    size_t n = 0;
    for (const char *c = from; c < end; ++c) {
        n += *c == byte;
    }
    return n;
}

/* The cell at reader->at without its quotes; *last tells whether it ends its line. NULL: not RFC 4180. */
static char *take_cell(reader *r, bool *last)
{
    char *cell = r->at, *to = r->at, *from = r->at;
    const bool quoted = *from == '"';
    from += quoted;
    for (; quoted && *from != '\n'; ++from) {
        if (*from == '"' && from[1] != '"') {
            break;
        }
        from += *from == '"';
        *to++ = *from;
    }
    if (quoted && *from++ != '"') {
        return NULL;
    }
    while (!quoted && *from != ',' && *from != '\n') {
        to = ++from;
    }
    if (*from != ',' && *from != '\n') {
        return NULL;
    }
    *last = *from == '\n';
    *to = '\0';
    r->at = from + 1;
    return cell;
}

static brn_status read_names(brn_series_table *table, reader *r)
{
    const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    const size_t most = 1 + count_bytes(r->at, end, ',');
    BRN_ALLOC(table->ctx, table->name, most);
    bool last = false;
    while (!last) {
        char *cell = take_cell(r, &last);
        if (cell == NULL) {
            return brn_fail(table->ctx, BRN_ERR_FORMAT, "%s:1: a quotation mark inside a name", r->path);
        }
        table->name[table->ncolumn] = brn_strdup(table->ctx, cell);
        if (table->name[table->ncolumn++] == NULL) {
            return BRN_ERR_MEMORY;
        }
    }
    r->line = 2;
    return BRN_OK;
}

static bool parse_cell(const char *cell, double *out)
{
    static const struct {
        const char *text;
        double value;
    } words[] = {{"", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        if (strcmp(cell, words[i].text) == 0) {
            *out = words[i].value;
            return true;
        }
    }
    return brn_parse_real(cell, out);
}

static brn_status read_row(brn_series_table *table, reader *r, int row)
{
    bool last = false;
    for (int k = 0; k < table->ncolumn; ++k) {
        if (last) {
            return brn_fail(table->ctx, BRN_ERR_FORMAT, "%s:%d: %d cells, the header has %d", r->path,
                            r->line, k, table->ncolumn);
        }
        const char *cell = take_cell(r, &last);
        if (cell == NULL || !parse_cell(cell, &table->value[(size_t)k * (size_t)table->nrow + (size_t)row])) {
            return brn_fail(table->ctx, BRN_ERR_FORMAT, "%s:%d: cell %d is not a number", r->path, r->line,
                            k + 1);
        }
    }
    if (!last) {
        return brn_fail(table->ctx, BRN_ERR_FORMAT, "%s:%d: more cells than the header's %d", r->path,
                        r->line, table->ncolumn);
    }
    r->line++;
    return BRN_OK;
}

static brn_status read_rows(brn_series_table *table, reader *r)
{
    /* Each cell ends with a byte of its own, so the memory asked for is bounded by the size of the file. */
    const size_t rows = count_bytes(r->at, r->end, '\n'), length = (size_t)(r->end - r->at);
    if (rows >= INT_MAX || rows > length / (size_t)table->ncolumn) {
        return brn_fail(table->ctx, BRN_ERR_FORMAT, "%s: %zu lines do not hold %d cells each", r->path, rows,
                        table->ncolumn);
    }
    table->nrow = (int)rows;
    BRN_ALLOC(table->ctx, table->value, rows * (size_t)table->ncolumn);
    for (int row = 0; row < table->nrow; ++row) {
        BRN_TRY(read_row(table, r, row));
    }
    return BRN_OK;
}

static brn_status read_text(brn_series_table *table, const char *path, char *text, size_t length)
{
    /* Up to the last whole line. A '\0' would hide the rest of its line. */
    while (length > 0 && text[length - 1] != '\n') {
        --length;
    }
    if (length == 0 || memchr(text, '\0', length) != NULL) {
        return brn_fail(table->ctx, BRN_ERR_FORMAT, "%s: not a series: %s", path,
                        length == 0 ? "it has no header line" : "it is not text");
    }
    reader r = {.path = path, .at = text, .end = text + length, .line = 1};
    BRN_TRY(read_names(table, &r));
    return read_rows(table, &r);
}

brn_status brn_series_table_read(brn_ctx *ctx, const char *path, brn_series_table *out)
{
    *out = (brn_series_table){.ctx = ctx};
    char *text = NULL;
    size_t length = 0;
    BRN_TRY(brn_file_read(ctx, path, size_limit, &text, &length));
    const brn_status status = read_text(out, path, text, length);
    brn_free(ctx, text);
    if (status < 0) {
        brn_series_table_clear(out);
    }
    return status;
}

void brn_series_table_clear(brn_series_table *table)
{
    brn_ctx *ctx = table->ctx;
    for (int i = 0; i < table->ncolumn; ++i) {
        brn_free(ctx, table->name[i]);
    }
    brn_free(ctx, table->name);
    brn_free(ctx, table->value);
    *table = (brn_series_table){.ctx = ctx};
}

int brn_series_table_find(const brn_series_table *table, const char *name)
{
    for (int i = 0; i < table->ncolumn; ++i) {
        if (strcmp(table->name[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

const double *brn_series_table_column(const brn_series_table *table, int column)
{
    return table->value + (size_t)column * (size_t)table->nrow;
}
