#include "compare/compare_files.h"

#include "compare/compare_table.h"
#include "terminal/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers and texts --------------------------------------------------------------------------------------------------- */

/* The shortest text that reads back to the same number, no exponent where six digits do; `absent` where there is none. */
static void write_number(double value, const char *absent, FILE *out)
{
    char text[40];
    if (!isfinite(value)) {
        (void)fputs(absent, out);
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

static void write_json_text(const char *text, FILE *out)
{
    (void)fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; ++c) {
        if (*c == '"' || *c == '\\') {
            (void)fprintf(out, "\\%c", *c);
        } else if (*c < 0x20 || *c == 0x7f) {
            (void)fprintf(out, "\\u%04x", (unsigned)*c);
        } else {
            (void)fputc(*c, out);
        }
    }
    (void)fputc('"', out);
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

/* ---- csv: a row a run ------------------------------------------------------------------------------------------------------ */

static void write_csv(const cli_columns *columns, const char *scene, FILE *out)
{
    (void)scene;
    (void)fputs("name,method,status,reason", out);
    for (int k = 0; k < cli_figure_count(); ++k) {
        (void)fprintf(out, ",%s", cli_figure_get(k)->key);
    }
    (void)fputs(",same_mesh\n", out);
    for (int i = 0; i < columns->count; ++i) {
        const cli_column *c = &columns->column[i];
        (void)fprintf(out, "%s,%s,%s,", c->name, c->outcome.method, c->outcome.status);
        write_csv_text(c->outcome.reason, out);
        for (int k = 0; k < cli_figure_count(); ++k) {
            (void)fputc(',', out);
            write_number(cli_figure_get(k)->get(c), "", out);
        }
        (void)fprintf(out, ",%s\n", !c->compared ? "" : c->difference.same_mesh ? "1" : "0");
    }
}

/* ---- json -------------------------------------------------------------------------------------------------------------------- */

static void write_member(const char *key, double value, FILE *out)
{
    (void)fprintf(out, ", \"%s\": ", key);
    write_number(value, "null", out);
}

static void write_difference(const cli_column *c, FILE *out)
{
    const brn_difference *d = &c->difference;
    if (!c->compared) {
        (void)fputs("null", out);
        return;
    }
    (void)fprintf(out, "{\"same_mesh\": %s", d->same_mesh ? "true" : "false");
    const struct {
        const char *key;
        double value;
    } members[] = {{"nodes", d->nodes},
                   {"moments", d->moments},
                   {"interpolated", d->interpolated},
                   {"time_end", d->time_end},
                   {"max", d->max},
                   {"rms", d->rms},
                   {"max_time", d->max_time},
                   {"end_max", d->end_max},
                   {"end_rms", d->end_rms},
                   {"probes", d->probes},
                   {"probe_max", d->probe_max},
                   {"probe_max_time", d->probe_max_time}};
    for (int k = 0; k < CLI_COUNT(members); ++k) {
        write_member(members[k].key, members[k].value, out);
    }
    (void)fputs(", \"max_body\": ", out);
    write_json_text(d->max_body, out);
    (void)fputs(", \"probe_max_name\": ", out);
    write_json_text(d->probe_max_name, out);
    (void)fputc('}', out);
}

static void write_run(const cli_column *c, FILE *out)
{
    (void)fprintf(out, "    {\"name\": \"%s\", \"method\": \"%s\", \"set\": [", c->name, c->outcome.method);
    for (int k = 0; k < c->nset; ++k) {
        (void)fputs(k > 0 ? ", " : "", out);
        write_json_text(c->set[k], out);
    }
    (void)fprintf(out, "], \"status\": \"%s\", \"reason\": ", c->outcome.status);
    write_json_text(c->outcome.reason, out);
    for (int k = 0; k < cli_figure_count(); ++k) {
        const cli_figure *figure = cli_figure_get(k);
        if (figure->group != CLI_GROUP_DIFFERENCE) {
            write_member(figure->key, figure->get(c), out);
        }
    }
    (void)fputs(", \"difference\": ", out);
    write_difference(c, out);
    (void)fputc('}', out);
}

/* Which runs are best, by figure. */
static void write_best(const cli_columns *columns, FILE *out)
{
    const char *comma = "";
    for (int k = 0; k < cli_figure_count(); ++k) {
        const cli_figure *figure = cli_figure_get(k);
        bool any = false;
        for (int i = 0; i < columns->count; ++i) {
            if (cli_figure_is_best(figure, columns, i)) {
                if (any) {
                    (void)fprintf(out, ", \"%s\"", columns->column[i].name);
                } else {
                    (void)fprintf(out, "%s\n    \"%s\": [\"%s\"", comma, figure->key,
                                  columns->column[i].name);
                }
                any = true;
            }
        }
        if (any) {
            (void)fputc(']', out);
            comma = ",";
        }
    }
}

static void write_json(const cli_columns *columns, const char *scene, FILE *out)
{
    (void)fputs("{\n  \"scene\": ", out);
    write_json_text(scene, out);
    (void)fprintf(out, ",\n  \"reference\": \"%s\",\n  \"runs\": [\n",
                  columns->column[columns->reference].name);
    for (int i = 0; i < columns->count; ++i) {
        write_run(&columns->column[i], out);
        (void)fputs(i + 1 < columns->count ? ",\n" : "\n", out);
    }
    (void)fputs("  ],\n  \"best\": {", out);
    write_best(columns, out);
    (void)fputs("\n  }\n}\n", out);
}

/* ---- files ------------------------------------------------------------------------------------------------------------------- */

typedef void (*write_fn)(const cli_columns *columns, const char *scene, FILE *out);

static bool write_file(const cli_columns *columns, const char *scene, const char *path, write_fn write)
{
    FILE *out = fopen(path, "wb");
    if (out != NULL) {
        write(columns, scene, out);
    }
    const bool failed = out == NULL || ferror(out) != 0;
    if ((out != NULL && fclose(out) != 0) || failed) {
        cli_error("%s: cannot write: %s", path, strerror(errno));
        return false;
    }
    return true;
}

bool cli_compare_write(const cli_columns *columns, const char *scene, const char *out)
{
    static const struct {
        const char *name;
        write_fn write;
    } files[] = {
        {"compare.csv", write_csv}, {"compare.json", write_json}, {"compare.md", cli_compare_markdown}};
    bool fine = true;
    for (int i = 0; i < CLI_COUNT(files); ++i) {
        char path[4096];
        const int length = snprintf(path, sizeof path, "%s/%s", out, files[i].name);
        if (length < 0 || length >= (int)sizeof path) {
            cli_error("%s: path too long", out);
            return false;
        }
        fine = write_file(columns, scene, path, files[i].write) && fine;
    }
    return fine;
}
