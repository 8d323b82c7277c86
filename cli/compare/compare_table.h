/* The table of a comparison: which figures, what they are called, and which of them is best. */
#ifndef CLI_COMPARE_TABLE_H
#define CLI_COMPARE_TABLE_H

#include "compare/compare_columns.h"
#include "terminal/terminal.h"

#include <stdio.h>

typedef enum cli_better { CLI_BETTER_NONE, CLI_BETTER_LOW, CLI_BETTER_HIGH } cli_better;
typedef enum cli_group {
    CLI_GROUP_RUN,
    CLI_GROUP_SPEED,
    CLI_GROUP_CONTACT,
    CLI_GROUP_BALANCE,
    CLI_GROUP_DIFFERENCE
} cli_group;

typedef struct cli_figure {
    cli_group group;
    const char *key;                         /* in files; of a run's summary: as there */
    const char *label;                       /* in the table, with its unit */
    cli_better better;                       /* NONE: more is neither better nor worse */
    bool whole;                              /* a whole number */
    double (*get)(const cli_column *column); /* NaN: not known */
} cli_figure;

int cli_figure_count(void);
const cli_figure *cli_figure_get(int index);
/* As it stands in the table, where three digits do. */
void cli_figure_format(const cli_figure *figure, double value, char text[CLI_TEXT_SIZE]);
/* Has this column the best value of its row, as it stands there? Runs that were not finished do not compete; where all are
   alike, none is best. */
bool cli_figure_is_best(const cli_figure *figure, const cli_columns *columns, int column);

/* For the terminal: as many columns side by side as fit into `width`, the others below them. */
void cli_compare_print(const cli_columns *columns, FILE *out, int width);
/* The same as a table in Markdown. */
void cli_compare_markdown(const cli_columns *columns, const char *scene, FILE *out);
/* What the figures do not say: why runs failed, where differences are interpolated or not known. `bullet` before each. */
void cli_compare_notes(const cli_columns *columns, const char *bullet, FILE *out);

#endif
