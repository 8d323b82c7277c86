#include "compare/compare_table.h"

#include <math.h>
#include <string.h>

enum { CELL_SIZE = 96, LABEL_WIDTH = 24 };

/* ---- what stands in a cell ------------------------------------------------------------------------------------------- */

/* A line of the table: a figure, or one of the texts before them. */
typedef struct line {
    const cli_figure *figure; /* NULL: a text */
    const char *label;
    const char *(*text)(const cli_column *column);
} line;

static const char *status_text(const cli_column *column)
{
    return column->outcome.status;
}

static const char *method_text(const cli_column *column)
{
    return column->outcome.method[0] != '\0' ? column->outcome.method : "-";
}

static const line texts[] = {{NULL, "status", status_text}, {NULL, "method", method_text}};

static line line_at(int index)
{
    const int ntext = CLI_COUNT(texts);
    if (index < ntext) {
        return texts[index];
    }
    const cli_figure *figure = cli_figure_get(index - ntext);
    return (line){figure, figure->label, NULL};
}

static int line_count(void)
{
    return CLI_COUNT(texts) + cli_figure_count();
}

static bool any_contact(const cli_columns *columns)
{
    for (int i = 0; i < columns->count; ++i) {
        const cli_outcome *o = &columns->column[i].outcome;
        if (o->started && (o->summary.contacts_max > 0 || isfinite(o->summary.gap_min))) {
            return true;
        }
    }
    return false;
}

static bool other_mesh(const cli_column *column)
{
    return column->compared && !column->difference.same_mesh;
}

/* Left out: contact where there is none, probes where positions say more, differences where there is no run for them. */
static bool is_shown(const cli_columns *columns, const line *l)
{
    if (l->figure == NULL) {
        return true;
    }
    bool compared = false, other = false;
    for (int i = 0; i < columns->count; ++i) {
        compared = compared || columns->column[i].compared;
        other = other || other_mesh(&columns->column[i]);
    }
    switch (l->figure->group) {
    case CLI_GROUP_CONTACT:
        return any_contact(columns);
    case CLI_GROUP_DIFFERENCE:
        return strcmp(l->figure->key, "difference_probe_max") == 0 ? other : compared;
    default:
        return true;
    }
}

static void format_figure(const cli_columns *columns, const cli_figure *figure, int column,
                          char cell[CELL_SIZE])
{
    const cli_column *c = &columns->column[column];
    const double value = figure->get(c);
    const bool difference = figure->group == CLI_GROUP_DIFFERENCE;
    if (!isnan(value)) {
        char text[CLI_TEXT_SIZE];
        cli_figure_format(figure, value, text);
        (void)snprintf(cell, CELL_SIZE, "%s", text);
    } else if (difference && column == columns->reference) {
        (void)snprintf(cell, CELL_SIZE, "reference");
    } else if (difference && other_mesh(c)) {
        (void)snprintf(cell, CELL_SIZE, "other mesh");
    } else {
        (void)snprintf(cell, CELL_SIZE, "-");
    }
}

static void format_cell(const cli_columns *columns, const line *l, int column, char cell[CELL_SIZE])
{
    if (l->figure == NULL) {
        (void)snprintf(cell, CELL_SIZE, "%s", l->text(&columns->column[column]));
    } else {
        format_figure(columns, l->figure, column, cell);
    }
}

static bool is_best(const cli_columns *columns, const line *l, int column)
{
    return l->figure != NULL && cli_figure_is_best(l->figure, columns, column);
}

/* Heading of the group that begins with this line; NULL if none does. */
static const char *heading(const cli_columns *columns, cli_group group, char text[CELL_SIZE])
{
    static const char *const names[] = {"run", "speed", "contact", "balance"};
    if (group != CLI_GROUP_DIFFERENCE) {
        return names[group];
    }
    (void)snprintf(text, CELL_SIZE, "difference to %s", columns->column[columns->reference].name);
    return text;
}

/* ---- the terminal --------------------------------------------------------------------------------------------------------- */

/* Room of a column: its widest cell, two blanks before it and the mark of the best behind it. */
static int column_width(const cli_columns *columns, int column)
{
    size_t width = strlen(columns->column[column].name);
    for (int i = 0; i < line_count(); ++i) {
        const line l = line_at(i);
        char cell[CELL_SIZE];
        if (is_shown(columns, &l)) {
            format_cell(columns, &l, column, cell);
            width = strlen(cell) > width ? strlen(cell) : width;
        }
    }
    return (int)width + 3;
}

static void print_line(const cli_columns *columns, const line *l, int first, int end, FILE *out)
{
    (void)fprintf(out, "%-*s", LABEL_WIDTH, l->label);
    for (int i = first; i < end; ++i) {
        char cell[CELL_SIZE];
        format_cell(columns, l, i, cell);
        const bool best = is_best(columns, l, i);
        const bool wrong = l->figure == NULL && l->text == status_text && strcmp(cell, "done") != 0;
        (void)fprintf(out, "%s%*s%c%s",
                      cli_paint(out, best    ? CLI_GREEN
                                     : wrong ? CLI_RED
                                             : CLI_PLAIN),
                      column_width(columns, i) - 1, cell, best ? '*' : ' ', cli_paint(out, CLI_PLAIN));
    }
    (void)fputc('\n', out);
}

static void print_block(const cli_columns *columns, int first, int end, FILE *out)
{
    (void)fprintf(out, "%s%-*s", cli_paint(out, CLI_BOLD), LABEL_WIDTH, "");
    for (int i = first; i < end; ++i) {
        (void)fprintf(out, "%*s ", column_width(columns, i) - 1, columns->column[i].name);
    }
    (void)fprintf(out, "%s\n", cli_paint(out, CLI_PLAIN));
    int group = CLI_GROUP_RUN;
    for (int i = 0; i < line_count(); ++i) {
        const line l = line_at(i);
        if (!is_shown(columns, &l)) {
            continue;
        }
        if (l.figure != NULL && (int)l.figure->group != group) {
            char text[CELL_SIZE];
            group = (int)l.figure->group;
            (void)fprintf(out, "%s%s%s\n", cli_paint(out, CLI_DIM), heading(columns, l.figure->group, text),
                          cli_paint(out, CLI_PLAIN));
        }
        print_line(columns, &l, first, end, out);
    }
}

/* The column behind the block that begins with `first`: as many as fit, `most` at most, one at least. */
static int block_end(const cli_columns *columns, int first, int width, int most)
{
    int used = LABEL_WIDTH + column_width(columns, first), end = first + 1;
    while (end < columns->count && end - first < most && used + column_width(columns, end) <= width) {
        used += column_width(columns, end++);
    }
    return end;
}

void cli_compare_print(const cli_columns *columns, FILE *out, int width)
{
    /* As many blocks as it takes, with as many columns each: a last one alone would look forgotten. */
    int blocks = 0;
    for (int first = 0; first < columns->count; ++blocks) {
        first = block_end(columns, first, width, columns->count);
    }
    const int most = (columns->count + blocks - 1) / blocks;
    for (int first = 0; first < columns->count;) {
        const int end = block_end(columns, first, width, most);
        (void)fputs(first > 0 ? "\n" : "", out);
        print_block(columns, first, end, out);
        first = end;
    }
    (void)fputs("\n* the best finished run of its row\n", out);
}

/* ---- Markdown --------------------------------------------------------------------------------------------------------------- */

void cli_compare_markdown(const cli_columns *columns, const char *scene, FILE *out)
{
    (void)fprintf(out, "# %s, compared\n\n|", scene);
    for (int i = -1; i < columns->count; ++i) {
        (void)fprintf(out, " %s |", i < 0 ? "" : columns->column[i].name);
    }
    (void)fputs("\n|---|", out);
    for (int i = 0; i < columns->count; ++i) {
        (void)fputs("---:|", out);
    }
    (void)fputc('\n', out);
    int group = CLI_GROUP_RUN;
    for (int k = 0; k < line_count(); ++k) {
        const line l = line_at(k);
        if (!is_shown(columns, &l)) {
            continue;
        }
        if (l.figure != NULL && (int)l.figure->group != group) {
            char text[CELL_SIZE];
            group = (int)l.figure->group;
            (void)fprintf(out, "| *%s* |", heading(columns, l.figure->group, text));
            for (int i = 0; i < columns->count; ++i) {
                (void)fputs(" |", out);
            }
            (void)fputc('\n', out);
        }
        (void)fprintf(out, "| %s |", l.label);
        for (int i = 0; i < columns->count; ++i) {
            char cell[CELL_SIZE];
            format_cell(columns, &l, i, cell);
            const char *mark = is_best(columns, &l, i) ? "**" : "";
            (void)fprintf(out, " %s%s%s |", mark, cell, mark);
        }
        (void)fputc('\n', out);
    }
    (void)fputs("\n**Bold**: the best finished run of its row.\n\n", out);
    for (int i = 0; i < columns->count; ++i) {
        const cli_column *c = &columns->column[i];
        (void)fprintf(out, "- `%s`: %s", c->name, c->nset == 0 ? "the scene as it is" : "");
        for (int k = 0; k < c->nset; ++k) {
            (void)fprintf(out, "%s`%s`", k > 0 ? ", " : "", c->set[k]);
        }
        (void)fputc('\n', out);
    }
    cli_compare_notes(columns, "- ", out);
}

/* ---- notes -------------------------------------------------------------------------------------------------------------------- */

static void note_difference(const cli_columns *columns, const cli_column *c, const char *bullet, FILE *out)
{
    const char *reference = columns->column[columns->reference].name;
    const brn_difference *d = &c->difference;
    if (other_mesh(c)) {
        (void)fprintf(out, "%s%s: its mesh is not that of %s; %s\n", bullet, c->name, reference,
                      d->probes > 0 ? "probes and rigid bodies are compared by how they moved since the start"
                                    : "there is no probe that both have (output.probes of the scene)");
        return;
    }
    const double end = columns->column[columns->reference].outcome.summary.time_end;
    if (fabs(c->outcome.summary.time_end - end) > 1e-9 * end) {
        (void)fprintf(out, "%s%s: compared up to %g s, as far as both runs go\n", bullet, c->name,
                      d->time_end);
    }
    if (d->interpolated > 0) {
        (void)fprintf(
            out,
            "%s%s: %d of %d times lie between frames of one of the runs; positions are interpolated there\n",
            bullet, c->name, d->interpolated, d->moments);
    }
}

void cli_compare_notes(const cli_columns *columns, const char *bullet, FILE *out)
{
    for (int i = 0; i < columns->count; ++i) {
        const cli_column *c = &columns->column[i];
        if (strcmp(c->outcome.status, "failed") == 0) {
            (void)fprintf(out, "%s%s: failed: %s\n", bullet, c->name, c->outcome.reason);
        }
        if (c->compared) {
            note_difference(columns, c, bullet, out);
        }
    }
}
