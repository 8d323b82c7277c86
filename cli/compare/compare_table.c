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

/* What is printed: the runs and the figures that are worth a line. */
typedef struct sheet {
    const cli_columns *columns;
    cli_figures figures;
    int label_width;
} sheet;

static const char *status_text(const cli_column *column)
{
    return column->outcome.status;
}

static const char *method_text(const cli_column *column)
{
    return column->outcome.method[0] != '\0' ? column->outcome.method : "-";
}

static const line texts[] = {{NULL, "status", status_text}, {NULL, "method", method_text}};

static line line_at(const sheet *s, int index)
{
    const int ntext = CLI_COUNT(texts);
    if (index < ntext) {
        return texts[index];
    }
    const cli_figure *figure = &s->figures.figure[index - ntext];
    return (line){figure, figure->label, NULL};
}

static int line_count(const sheet *s)
{
    return CLI_COUNT(texts) + s->figures.count;
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
static bool is_shown(const cli_columns *columns, const cli_figure *figure)
{
    bool compared = false, other = false;
    for (int i = 0; i < columns->count; ++i) {
        compared = compared || columns->column[i].compared;
        other = other || other_mesh(&columns->column[i]);
    }
    if (figure->difference) {
        return strcmp(figure->info.name, "difference_probe_max") == 0 ? other : compared;
    }
    return strcmp(figure->info.group, "contact") != 0 || any_contact(columns);
}

static void make_sheet(const cli_columns *columns, sheet *s)
{
    cli_figures_list(columns, &s->figures);
    s->columns = columns;
    s->label_width = LABEL_WIDTH;
    int kept = 0;
    for (int i = 0; i < s->figures.count; ++i) {
        if (is_shown(columns, &s->figures.figure[i])) {
            s->figures.figure[kept++] = s->figures.figure[i];
            const int width = (int)strlen(s->figures.figure[kept - 1].label) + 1;
            s->label_width = width > s->label_width ? width : s->label_width;
        }
    }
    s->figures.count = kept;
}

static void format_figure(const cli_columns *columns, const cli_figure *figure, int column,
                          char cell[CELL_SIZE])
{
    const cli_column *c = &columns->column[column];
    const double value = cli_figure_value(figure, c);
    const bool difference = figure->difference;
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

/* Heading of the group that begins with a line; NULL if none does. Figures of the run itself need none. */
static const char *heading(const sheet *s, int index, char text[CELL_SIZE])
{
    const line l = line_at(s, index), before = line_at(s, index > 0 ? index - 1 : 0);
    const char *last = before.figure != NULL ? before.figure->info.group : "run";
    if (l.figure == NULL || strcmp(l.figure->info.group, last) == 0) {
        return NULL;
    }
    if (!l.figure->difference) {
        return l.figure->info.group;
    }
    (void)snprintf(text, CELL_SIZE, "difference to %s", s->columns->column[s->columns->reference].name);
    return text;
}

/* ---- the terminal --------------------------------------------------------------------------------------------------------- */

/* Width of a column: its widest cell, two blanks before it and the mark of the best after it. */
static int column_width(const sheet *s, int column)
{
    size_t width = strlen(s->columns->column[column].name);
    for (int i = 0; i < line_count(s); ++i) {
        const line l = line_at(s, i);
        char cell[CELL_SIZE];
        format_cell(s->columns, &l, column, cell);
        width = strlen(cell) > width ? strlen(cell) : width;
    }
    return (int)width + 3;
}

static void print_line(const sheet *s, const line *l, int first, int end, FILE *out)
{
    (void)fprintf(out, "%-*s", s->label_width, l->label);
    for (int i = first; i < end; ++i) {
        char cell[CELL_SIZE];
        format_cell(s->columns, l, i, cell);
        const bool best = is_best(s->columns, l, i);
        const bool wrong = l->figure == NULL && l->text == status_text && strcmp(cell, "done") != 0;
        (void)fprintf(out, "%s%*s%c%s",
                      cli_paint(out, best    ? CLI_GREEN
                                     : wrong ? CLI_RED
                                             : CLI_PLAIN),
                      column_width(s, i) - 1, cell, best ? '*' : ' ', cli_paint(out, CLI_PLAIN));
    }
    (void)fputc('\n', out);
}

static void print_block(const sheet *s, int first, int end, FILE *out)
{
    (void)fprintf(out, "%s%-*s", cli_paint(out, CLI_BOLD), s->label_width, "");
    for (int i = first; i < end; ++i) {
        (void)fprintf(out, "%*s ", column_width(s, i) - 1, s->columns->column[i].name);
    }
    (void)fprintf(out, "%s\n", cli_paint(out, CLI_PLAIN));
    for (int i = 0; i < line_count(s); ++i) {
        char text[CELL_SIZE];
        const line l = line_at(s, i);
        const char *head = heading(s, i, text);
        if (head != NULL) {
            (void)fprintf(out, "%s%s%s\n", cli_paint(out, CLI_DIM), head, cli_paint(out, CLI_PLAIN));
        }
        print_line(s, &l, first, end, out);
    }
}

/* The column after the block that begins with `first`: as many as fit, `most` at most, one at least. */
static int block_end(const sheet *s, int first, int width, int most)
{
    int used = s->label_width + column_width(s, first), end = first + 1;
    while (end < s->columns->count && end - first < most && used + column_width(s, end) <= width) {
        used += column_width(s, end++);
    }
    return end;
}

void cli_compare_print(const cli_columns *columns, FILE *out, int width)
{
    sheet s;
    make_sheet(columns, &s);
    /* As many blocks as it takes, with as many columns each: a last one alone would look forgotten. */
    int blocks = 0;
    for (int first = 0; first < columns->count; ++blocks) {
        first = block_end(&s, first, width, columns->count);
    }
    const int most = (columns->count + blocks - 1) / blocks;
    for (int first = 0; first < columns->count;) {
        const int end = block_end(&s, first, width, most);
        (void)fputs(first > 0 ? "\n" : "", out);
        print_block(&s, first, end, out);
        first = end;
    }
    (void)fputs("\n* the best finished run of its row\n", out);
}

/* ---- Markdown --------------------------------------------------------------------------------------------------------------- */

static void write_rows(const sheet *s, FILE *out)
{
    for (int k = 0; k < line_count(s); ++k) {
        char text[CELL_SIZE];
        const line l = line_at(s, k);
        const char *head = heading(s, k, text);
        if (head != NULL) {
            (void)fprintf(out, "| *%s* |", head);
            for (int i = 0; i < s->columns->count; ++i) {
                (void)fputs(" |", out);
            }
            (void)fputc('\n', out);
        }
        (void)fprintf(out, "| %s |", l.label);
        for (int i = 0; i < s->columns->count; ++i) {
            char cell[CELL_SIZE];
            format_cell(s->columns, &l, i, cell);
            const char *mark = is_best(s->columns, &l, i) ? "**" : "";
            (void)fprintf(out, " %s%s%s |", mark, cell, mark);
        }
        (void)fputc('\n', out);
    }
}

void cli_compare_markdown(const cli_columns *columns, const char *scene, FILE *out)
{
    sheet s;
    make_sheet(columns, &s);
    (void)fprintf(out, "# %s, compared\n\n|", scene);
    for (int i = -1; i < columns->count; ++i) {
        (void)fprintf(out, " %s |", i < 0 ? "" : columns->column[i].name);
    }
    (void)fputs("\n|---|", out);
    for (int i = 0; i < columns->count; ++i) {
        (void)fputs("---:|", out);
    }
    (void)fputc('\n', out);
    write_rows(&s, out);
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
        (void)fprintf(out, "%s%s: its mesh differs from that of %s; %s\n", bullet, c->name, reference,
                      d->probes > 0 ? "probes and rigid bodies are compared by how they moved since the start"
                                    : "they have no probe in common (output.probes of the scene)");
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
