/* Line charts as SVG, for pages. */
#ifndef CLI_CALIBRATE_CHART_H
#define CLI_CALIBRATE_CHART_H

#include "terminal/grow_text.h"

typedef struct cli_chart {
    cli_text *out;
    const char *title, *x_name, *y_name;
    double x_min, x_max, y_min, y_max;
} cli_chart;

/* Frame, grid and axes; then lines; then the end. A range that is empty or not finite is widened. */
void cli_chart_begin(cli_chart *chart);
/* A line of this class through the points; more than a pixel can show become the range of each pixel. */
void cli_chart_line(const cli_chart *chart, const char *class, const double *x, const double *y, int count);
/* A line across the chart with a word at it: upright at x. */
void cli_chart_mark(const cli_chart *chart, double x, const char *word);
void cli_chart_end(const cli_chart *chart);
/* Text with what HTML would take for markup escaped. */
void cli_html_add(cli_text *out, const char *text);

#endif
