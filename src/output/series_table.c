#include "output/series_table.h"

#include "base/arena.h"
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1 << 22, COLUMNS_MAX = 1 << 16 };

typedef struct reader {
    brn_ctx *ctx;
    const char *path;
    FILE *file;
    char *line; /* without its line break */
    size_t capacity;
} reader;

/* *more is false at the end of the file: a last line without a line break is torn and does not count. */
static brn_status next_line(reader *r, bool *more)
{
    size_t n = 0;
    *more = false;
    for (;;) {
        const int c = getc(r->file);
        if (c == EOF) {
            return ferror(r->file)
                       ? brn_fail(r->ctx, BRN_ERR_FILE, "%s: cannot read: %s", r->path, strerror(errno))
                       : BRN_OK;
        }
        if (n >= LINE_MAX_BYTES) {
            return brn_fail(r->ctx, BRN_ERR_FORMAT, "%s: a line of more than %d bytes", r->path,
                            LINE_MAX_BYTES);
        }
        BRN_GROW(r->ctx, r->line, r->capacity, n + 2);
        if (c == '\n') {
            break;
        }
        r->line[n++] = (char)c;
    }
    r->line[n] = '\0';
    *more = true;
    return BRN_OK;
}

/* The next cell of a header, quotes resolved in place; NULL: there is none. */
static char *next_name(char **at)
{
    char *from = *at;
    if (from == NULL) {
        return NULL;
    }
    if (*from != '"') {
        char *comma = strchr(from, ',');
        *at = comma != NULL ? comma + 1 : NULL;
        if (comma != NULL) {
            *comma = '\0';
        }
        return from;
    }
    char *to = from;
    char *c = from + 1;
    for (; *c != '\0' && (*c != '"' || c[1] == '"'); ++c) {
        c += *c == '"';
        *to++ = *c;
    }
    *at = *c == '"' && c[1] == ',' ? c + 2 : NULL;
    *to = '\0';
    return from;
}

static brn_status read_header(reader *r, brn_series_table *t)
{
    bool more = false;
    size_t capacity = 0;
    BRN_TRY(next_line(r, &more));
    char *at = more ? r->line : NULL;
    for (char *name = next_name(&at); name != NULL; name = next_name(&at)) {
        if (t->ncolumn >= COLUMNS_MAX) {
            return brn_fail(t->ctx, BRN_ERR_FORMAT, "%s: more than %d columns", r->path, COLUMNS_MAX);
        }
        BRN_GROW(t->ctx, t->name, capacity, t->ncolumn + 1);
        t->name[t->ncolumn] = brn_strdup(t->ctx, name);
        if (t->name[t->ncolumn] == NULL) {
            return BRN_ERR_MEMORY;
        }
        t->ncolumn++;
    }
    return BRN_OK;
}

/* false: not a row of this table. */
static bool parse_row(char *line, int ncolumn, double *row)
{
    char *at = line;
    for (int i = 0; i < ncolumn; ++i) {
        char *comma = strchr(at, ',');
        if ((comma == NULL) != (i + 1 == ncolumn)) {
            return false;
        }
        if (comma != NULL) {
            *comma = '\0';
        }
        row[i] = NAN;
        const bool known = *at != '\0' && strcmp(at, "inf") != 0 && strcmp(at, "-inf") != 0;
        if (known && !brn_parse_real(at, &row[i])) {
            return false;
        }
        at = comma != NULL ? comma + 1 : at;
    }
    return true;
}

/* What two rows show of a run of rows of one column. */
typedef struct extremes {
    double first, second; /* the smaller and the larger, in the order in which they came */
} extremes;

static void widen(extremes *e, double value)
{
    if (isnan(value)) {
        return;
    }
    if (isnan(e->first)) {
        *e = (extremes){value, value};
        return;
    }
    const double low = fmin(e->first, e->second);
    const double high = fmax(e->first, e->second);
    if (value < low) {
        *e = (extremes){high, value};
    } else if (value > high) {
        *e = (extremes){low, value};
    }
}

static float as_float(double value)
{
    return (float)fmax(-3.4e38, fmin(3.4e38, value)); /* fmax and fmin would drop a NaN */
}

static void store(brn_series_table *t, int row, const extremes *e, int pick)
{
    for (int i = 0; i < t->ncolumn; ++i) {
        const double value = pick == 0 ? e[i].first : e[i].second;
        t->value[(size_t)i * (size_t)t->rows + (size_t)row] = isnan(value) ? NAN : as_float(value);
    }
}

static void start_run(extremes *e, int n)
{
    for (int i = 0; i < n; ++i) {
        e[i] = (extremes){NAN, NAN};
    }
}

/* The file is read a second time: how many rows there are decides how they are joined. */
static brn_status read_rows(reader *r, brn_series_table *t, double *row, extremes *run)
{
    const bool thin = t->of > BRN_SERIES_ROWS_MAX;
    const int64_t nrun = thin ? BRN_SERIES_ROWS_MAX / 2 : t->of;
    t->rows = thin ? BRN_SERIES_ROWS_MAX : (int)t->of;
    BRN_ALLOC(t->ctx, t->value, (size_t)t->ncolumn * (size_t)t->rows);
    bool more = false;
    BRN_TRY(next_line(r, &more));
    int64_t number = 0;
    for (int64_t k = 0; k < nrun; ++k) {
        start_run(run, t->ncolumn);
        for (; number < (k + 1) * t->of / nrun; ++number) {
            BRN_TRY(next_line(r, &more));
            if (!more || !parse_row(r->line, t->ncolumn, row)) {
                return brn_fail(t->ctx, BRN_ERR_FORMAT, "%s: changed while it was read", r->path);
            }
            for (int i = 0; i < t->ncolumn; ++i) {
                widen(&run[i], row[i]);
            }
        }
        const int at = (int)(thin ? 2 * k : k);
        store(t, at, run, 0);
        if (thin) {
            store(t, at + 1, run, 1);
        }
    }
    return BRN_OK;
}

static brn_status read_file(reader *r, brn_series_table *t)
{
    BRN_TRY(read_header(r, t));
    brn_arena *arena = brn_ctx_arena(t->ctx);
    double *row = brn_arena_take(arena, (size_t)t->ncolumn, sizeof *row);
    extremes *run = brn_arena_take(arena, (size_t)t->ncolumn, sizeof *run);
    if (row == NULL || run == NULL) {
        return BRN_ERR_MEMORY;
    }
    for (bool more = t->ncolumn > 0; more;) {
        BRN_TRY(next_line(r, &more));
        more = more && parse_row(r->line, t->ncolumn, row);
        t->of += more;
    }
    rewind(r->file);
    return read_rows(r, t, row, run);
}

brn_status brn_series_table_read(brn_series_table *t, const char *path)
{
    reader r = {.ctx = t->ctx, .path = path, .file = fopen(path, "rb")};
    if (r.file == NULL) {
        return errno == ENOENT ? BRN_OK
                               : brn_fail(t->ctx, BRN_ERR_FILE, "%s: cannot open: %s", path, strerror(errno));
    }
    brn_arena *arena = brn_ctx_arena(t->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = read_file(&r, t);
    brn_arena_rewind(arena, mark);
    (void)fclose(r.file);
    brn_free(t->ctx, r.line);
    return status;
}

void brn_series_table_clear(brn_series_table *t)
{
    brn_ctx *ctx = t->ctx;
    for (int i = 0; i < t->ncolumn; ++i) {
        brn_free(ctx, t->name[i]);
    }
    brn_free(ctx, t->name);
    brn_free(ctx, t->value);
    *t = (brn_series_table){.ctx = ctx};
}
