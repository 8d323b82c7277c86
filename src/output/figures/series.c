#define _GNU_SOURCE /* strerror, setvbuf */
#include "output/figures/series.h"

#include "base/os.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct brn_series {
    brn_ctx *ctx;
    char *path;
    int ncolumn;
    FILE *file;
    size_t length; /* bytes of the file up to its last whole row */
    char *line;    /* [ncolumn * BRN_REAL_TEXT + 2] */
    bool failed;   /* a row could not be written; nothing is added after it */
};

/* A cell of the header after RFC 4180: quoted where it must be. */
static void add_name(brn_text *header, const char *name)
{
    if (strpbrk(name, ",\"") == NULL) {
        brn_text_append(header, name, strlen(name));
        return;
    }
    brn_text_append(header, "\"", 1);
    for (const char *c = name; *c != '\0'; ++c) {
        brn_text_append(header, "\"\"", *c == '"' ? 2 : 0);
        if (*c != '"') {
            brn_text_append(header, c, 1);
        }
    }
    brn_text_append(header, "\"", 1);
}

static brn_status make_header(brn_ctx *ctx, const char *const *columns, int ncolumn, char **out)
{
    brn_text header = {.ctx = ctx};
    for (int i = 0; i < ncolumn; ++i) {
        if (strpbrk(columns[i], "\r\n") != NULL) {
            brn_text_clear(&header);
            return brn_fail(ctx, BRN_ERR_RANGE, "series: a column name with a line break: '%s'", columns[i]);
        }
        brn_text_append(&header, ",", i > 0 ? 1 : 0);
        add_name(&header, columns[i]);
    }
    brn_text_append(&header, "\n", 1);
    return brn_text_take(&header, out);
}

static brn_status write_error(brn_series *series, int error)
{
    series->failed = true;
    /* Half a row would pass for a whole one when the run is resumed or read. */
    (void)brn_file_truncate(series->ctx, series->path, series->length);
    return brn_fail(series->ctx, brn_file_status(error), "%s: cannot write: %s; the rows before it are kept",
                    series->path, strerror(error));
}

/* The stream has no buffer of its own, so a line goes to the system whole. */
static brn_status write_line(brn_series *series, const char *line, size_t n)
{
    errno = 0;
    if (fwrite(line, 1, n, series->file) != n || fflush(series->file) != 0) {
        return write_error(series, errno);
    }
    series->length += n;
    return BRN_OK;
}

/* Length of the header plus keep_rows rows of an existing file; a torn last line does not count. */
static brn_status find_cut(brn_series *series, FILE *file, const char *header, int64_t keep_rows)
{
    char block[1 << 14];
    const size_t nheader = strlen(header);
    size_t at = 0;
    int64_t lines = 0; /* the header's included */
    size_t got;
    while (lines <= keep_rows && (got = fread(block, 1, sizeof block, file)) > 0) {
        for (size_t i = 0; i < got && lines <= keep_rows; ++i, ++at) {
            if (at < nheader && block[i] != header[at]) {
                return brn_fail(series->ctx, BRN_ERR_FORMAT,
                                "%s: its columns are not those of this run (byte %zu of the header)",
                                series->path, at);
            }
            lines += block[i] == '\n';
            series->length = block[i] == '\n' ? at + 1 : series->length;
        }
    }
    if (ferror(file)) {
        return brn_fail(series->ctx, BRN_ERR_FILE, "%s: cannot read: %s", series->path, strerror(errno));
    }
    if (lines <= keep_rows) {
        return brn_fail(series->ctx, BRN_ERR_FORMAT,
                        "%s: holds %" PRId64 " whole rows, expected at least %" PRId64, series->path,
                        lines > 0 ? lines - 1 : 0, keep_rows);
    }
    return BRN_OK;
}

static brn_status cut_back(brn_series *series, const char *header, int64_t keep_rows)
{
    BRN_TRY(brn_file_check(series->ctx, series->path));
    FILE *file = fopen(series->path, "rb");
    if (file == NULL) {
        return brn_fail(series->ctx, brn_file_status(errno), "%s: cannot open: %s", series->path,
                        strerror(errno));
    }
    const brn_status status = find_cut(series, file, header, keep_rows);
    (void)fclose(file);
    BRN_TRY(status);
    return brn_file_truncate(series->ctx, series->path, series->length);
}

static brn_status start(brn_series *series, const char *path, const char *header, int64_t keep_rows)
{
    series->path = brn_strdup(series->ctx, path);
    if (series->path == NULL) {
        return BRN_ERR_MEMORY;
    }
    BRN_ALLOC(series->ctx, series->line, (size_t)series->ncolumn * BRN_REAL_TEXT + 2);
    if (keep_rows >= 0) {
        BRN_TRY(cut_back(series, header, keep_rows));
    }
    series->file = fopen(path, keep_rows >= 0 ? "ab" : "wb");
    if (series->file == NULL || setvbuf(series->file, NULL, _IONBF, 0) != 0) {
        return brn_fail(series->ctx, brn_file_status(errno), "%s: cannot open for writing: %s", path,
                        strerror(errno));
    }
    return keep_rows >= 0 ? BRN_OK : write_line(series, header, strlen(header));
}

brn_status brn_series_open(brn_ctx *ctx, const char *path, const char *const *columns, int ncolumn,
                           int64_t keep_rows, brn_series **out)
{
    *out = NULL;
    if (ncolumn < 1) {
        return brn_fail(ctx, BRN_ERR_RANGE, "%s: %d columns: must be >= 1", path, ncolumn);
    }
    char *header = NULL;
    BRN_TRY(make_header(ctx, columns, ncolumn, &header));
    brn_series *series = brn_calloc(ctx, 1, sizeof *series);
    brn_status status = BRN_ERR_MEMORY;
    if (series != NULL) {
        series->ctx = ctx;
        series->ncolumn = ncolumn;
        status = start(series, path, header, keep_rows);
    }
    brn_free(ctx, header);
    if (status < 0) {
        (void)brn_series_close(series);
        return status;
    }
    *out = series;
    return BRN_OK;
}

/* An empty cell says "not known"; `inf` is what spreadsheets, numpy and pandas read. */
static size_t format_cell(double value, char *out)
{
    if (isnan(value)) {
        return 0;
    }
    if (isinf(value)) {
        const char *word = value > 0.0 ? "inf" : "-inf";
        memcpy(out, word, strlen(word));
        return strlen(word);
    }
    return strlen(brn_format_real(value, out));
}

brn_status brn_series_add(brn_series *series, const double *values)
{
    if (series->failed) {
        return brn_fail(series->ctx, BRN_ERR_FILE, "%s: an earlier row could not be written", series->path);
    }
    size_t n = 0;
    for (int i = 0; i < series->ncolumn; ++i) {
        n += format_cell(values[i], series->line + n);
        series->line[n++] = i + 1 < series->ncolumn ? ',' : '\n';
    }
    return write_line(series, series->line, n);
}

brn_status brn_series_close(brn_series *series)
{
    if (series == NULL) {
        return BRN_OK;
    }
    brn_status status = BRN_OK;
    if (series->file != NULL && fclose(series->file) != 0 && !series->failed) {
        status = write_error(series, errno);
    }
    brn_ctx *ctx = series->ctx;
    brn_free(ctx, series->path);
    brn_free(ctx, series->line);
    brn_free(ctx, series);
    return status;
}
