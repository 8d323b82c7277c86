/* The table of a comparison: which figures, their names, and which is best. */
#ifndef CLI_COMPARE_TABLE_H
#define CLI_COMPARE_TABLE_H

#include "compare/compare_columns.h"
#include "terminal/terminal.h"

#include <stdio.h>

/* A row of the table: a figure of the runs' summaries, or a difference from the reference. */
typedef struct cli_figure {
    brn_figure info;
    int index;       /* as brn_summary_figure numbers them; of a difference: its own number */
    bool difference; /* to the reference */
    bool own;        /* of the method that its group is named after */
    char label[80];  /* with its unit */
} cli_figure;

enum { CLI_FIGURES_MAX = 256 };

typedef struct cli_figures {
    int count;
    cli_figure figure[CLI_FIGURES_MAX];
} cli_figures;

/* All of them: those of every method by group, those of the methods' own, the differences. */
void cli_figures_list(const cli_columns *columns, cli_figures *out);
double cli_figure_value(const cli_figure *figure, const cli_column *column); /* NaN: not known */
/* As shown in the table, with three digits. */
void cli_figure_format(const cli_figure *figure, double value, char text[CLI_TEXT_SIZE]);
/* Does this column have the best value of its row, as shown? Unfinished runs do not compete; if all are
   alike, none is best. */
bool cli_figure_is_best(const cli_figure *figure, const cli_columns *columns, int column);

/* For the terminal: as many columns side by side as fit in `width`, the others below them. */
void cli_compare_print(const cli_columns *columns, FILE *out, int width);
/* The same as a table in Markdown. */
void cli_compare_markdown(const cli_columns *columns, const char *scene, FILE *out);
/* What the figures do not say: why runs failed, where differences are interpolated or not known. `bullet` before each. */
void cli_compare_notes(const cli_columns *columns, const char *bullet, FILE *out);

#endif
