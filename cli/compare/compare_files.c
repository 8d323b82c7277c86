#include "compare/compare_files.h"

#include "compare/compare_table.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers and texts --------------------------------------------------------------------------------------------------- */

/* The shortest text that reads back to the same number, without exponent if six digits suffice; nothing if there is none. */
static void write_number(double value, FILE *out)
{
    char text[40];
    if (!isfinite(value)) {
        return;
    }
    for (int digits = 6; digits <= 17; ++digits) {
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    (void)fputs(text, out);
}

/* RFC 4180: always in quotes. */
static void write_csv_text(const char *text, FILE *out)
{
    (void)fputc('"', out);
    for (const char *c = text; *c != '\0'; ++c) {
        (void)fputs(*c == '"' ? "\"" : "", out);
        (void)fputc(*c == '\n' ? ' ' : *c, out);
    }
    (void)fputc('"', out);
}

/* ---- csv: a row per run ---------------------------------------------------------------------------------------------------- */

/* What all three are made from. */
typedef struct comparison {
    brn_ctx *ctx;
    const cli_columns *columns;
    const char *scene; /* what the user called it */
    cli_figures figures;
} comparison;

static bool write_csv(const comparison *c, FILE *out)
{
    const cli_columns *columns = c->columns;
    (void)fputs("name,method,status,reason", out);
    for (int k = 0; k < c->figures.count; ++k) {
        (void)fprintf(out, ",%s", c->figures.figure[k].info.name);
    }
    (void)fputs(",same_mesh\n", out);
    for (int i = 0; i < columns->count; ++i) {
        const cli_column *run = &columns->column[i];
        (void)fprintf(out, "%s,%s,%s,", run->name, run->outcome.method, run->outcome.status);
        write_csv_text(run->outcome.reason, out);
        for (int k = 0; k < c->figures.count; ++k) {
            (void)fputc(',', out);
            write_number(cli_figure_value(&c->figures.figure[k], run), out);
        }
        (void)fprintf(out, ",%s\n", !run->compared ? "" : run->difference.same_mesh ? "1" : "0");
    }
    return true;
}

/* ---- json -------------------------------------------------------------------------------------------------------------------- */

static void write_figure(brn_json *json, const cli_figure *figure, double value)
{
    if (figure->info.whole && isfinite(value)) {
        brn_json_int(json, figure->info.name, (int64_t)value);
    } else {
        brn_json_real(json, figure->info.name, value);
    }
}

static void write_run(brn_json *json, const cli_figures *figures, const cli_column *c)
{
    brn_json_open(json, NULL, '{');
    brn_json_text(json, "name", c->name);
    brn_json_text(json, "method", c->outcome.method);
    brn_json_open(json, "set", '[');
    for (int k = 0; k < c->nset; ++k) {
        brn_json_text(json, NULL, c->set[k]);
    }
    brn_json_close(json);
    brn_json_text(json, "status", c->outcome.status);
    brn_json_text(json, "reason", c->outcome.reason);
    for (int k = 0; k < figures->count; ++k) {
        const cli_figure *figure = &figures->figure[k];
        if (!figure->difference) {
            write_figure(json, figure, cli_figure_value(figure, c));
        }
    }
    brn_difference_write(json, "difference", c->compared ? &c->difference : NULL);
    brn_json_close(json);
}

/* Which runs are best, by figure. */
static void write_best(brn_json *json, const cli_figures *figures, const cli_columns *columns)
{
    brn_json_open(json, "best", '{');
    for (int k = 0; k < figures->count; ++k) {
        const cli_figure *figure = &figures->figure[k];
        bool any = false;
        for (int i = 0; i < columns->count; ++i) {
            if (cli_figure_is_best(figure, columns, i)) {
                if (!any) {
                    brn_json_open(json, figure->info.name, '[');
                }
                brn_json_text(json, NULL, columns->column[i].name);
                any = true;
            }
        }
        if (any) {
            brn_json_close(json);
        }
    }
    brn_json_close(json);
}

static void write_object(brn_json *json, const comparison *c)
{
    const cli_columns *columns = c->columns;
    brn_json_open(json, NULL, '{');
    brn_json_text(json, "scene", c->scene);
    brn_json_text(json, "reference", columns->column[columns->reference].name);
    brn_json_open(json, "runs", '[');
    for (int i = 0; i < columns->count; ++i) {
        write_run(json, &c->figures, &columns->column[i]);
    }
    brn_json_close(json);
    write_best(json, &c->figures, columns);
    brn_json_close(json);
}

static bool write_json(const comparison *c, FILE *out)
{
    brn_json *json = NULL;
    const char *text = "";
    size_t length = 0;
    if (brn_json_create(c->ctx, 2, &json) >= 0) {
        write_object(json, c);
        (void)brn_json_get(json, &text, &length);
    }
    (void)fwrite(text, 1, length, out);
    brn_json_destroy(json);
    return length > 0;
}

/* ---- files ------------------------------------------------------------------------------------------------------------------- */

typedef bool (*write_fn)(const comparison *c, FILE *out);

static bool write_markdown(const comparison *c, FILE *out)
{
    cli_compare_markdown(c->columns, c->scene, out);
    return true;
}

static bool write_file(const comparison *c, const char *path, write_fn write)
{
    FILE *out = fopen(path, "wb");
    const bool made = out != NULL && write(c, out);
    const bool failed = out == NULL || ferror(out) != 0;
    if ((out != NULL && fclose(out) != 0) || failed) {
        cli_error("%s: cannot write: %s", path, strerror(errno));
        return false;
    }
    if (!made) {
        cli_error("%s: %s", path, brn_ctx_message(c->ctx));
    }
    return made;
}

bool cli_compare_write(brn_ctx *ctx, const cli_columns *columns, const char *scene, const char *out)
{
    comparison c = {.ctx = ctx, .columns = columns, .scene = scene};
    cli_figures_list(columns, &c.figures);
    static const struct {
        const char *name;
        write_fn write;
    } files[] = {{"compare.csv", write_csv}, {"compare.json", write_json}, {"compare.md", write_markdown}};
    bool fine = true;
    for (int i = 0; i < CLI_COUNT(files); ++i) {
        char path[4096];
        const int length = snprintf(path, sizeof path, "%s/%s", out, files[i].name);
        if (length < 0 || length >= (int)sizeof path) {
            cli_error("%s: path too long", out);
            return false;
        }
        fine = write_file(&c, path, files[i].write) && fine;
    }
    return fine;
}
