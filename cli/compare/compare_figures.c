#include "compare/compare_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a column's summary s; a run that never started has none. */
#define SUMMARY_FIGURES(FIGURE)                                              \
 FIGURE(RUN, steps, "steps", NONE, true)                                     \
 FIGURE(RUN, time_end, "simulated [s]", NONE, false)                         \
 FIGURE(RUN, nodes, "nodes", NONE, true)                                     \
 FIGURE(RUN, dofs, "unknowns", NONE, true)                                   \
 FIGURE(SPEED, wall_s, "wall time [s]", LOW, false)                          \
 FIGURE(SPEED, cpu_s, "CPU time [s]", LOW, false)                            \
 FIGURE(SPEED, realtime_rate, "real-time rate", HIGH, false)                 \
 FIGURE(SPEED, iterations_per_step, "iterations a step", LOW, false)         \
 FIGURE(SPEED, peak_mb, "peak memory [MB]", LOW, false)                      \
 FIGURE(CONTACT, contacts_max, "contacts, most", NONE, true)                 \
 FIGURE(CONTACT, contacts_mean, "contacts, mean", NONE, false)               \
 FIGURE(CONTACT, gap_min, "smallest gap [m]", NONE, false)                   \
 FIGURE(CONTACT, penetration_max, "penetration [m]", LOW, false)             \
 FIGURE(CONTACT, intersections, "intersections", LOW, true)                  \
 FIGURE(CONTACT, cone_error_max, "cone error [N]", LOW, false)               \
 FIGURE(CONTACT, dissipation_error_max, "dissipation error [W]", LOW, false) \
 FIGURE(CONTACT, complementarity_max, "complementarity [m]", LOW, false)     \
 FIGURE(BALANCE, inversions, "inverted elements", LOW, true)                 \
 FIGURE(BALANCE, energy_error_max, "energy error", LOW, false)               \
 FIGURE(BALANCE, momentum_error_max, "momentum error", LOW, false)           \
 FIGURE(BALANCE, angular_momentum_error_max, "angular momentum error", LOW, false)

/* Of its difference d to the reference; the reference has none. */
#define DIFFERENCE_FIGURES(FIGURE)      \
 FIGURE(max, "largest distance [m]")    \
 FIGURE(rms, "RMS distance [m]")        \
 FIGURE(end_max, "at the end: largest") \
 FIGURE(end_rms, "at the end: RMS")     \
 FIGURE(probe_max, "probes: largest [m]")

#define FIGURE(group, key, label, better, whole)                   \
 static double get_##key(const cli_column *column)                 \
 {                                                                 \
  const double value = (double)column->outcome.summary.key;        \
  return column->outcome.started && isfinite(value) ? value : NAN; \
 }
SUMMARY_FIGURES(FIGURE)
#undef FIGURE

#define FIGURE(key, label)                                    \
 static double get_difference_##key(const cli_column *column) \
 {                                                            \
  return column->compared ? column->difference.key : NAN;     \
 }
DIFFERENCE_FIGURES(FIGURE)
#undef FIGURE

static const cli_figure figures[] = {
#define FIGURE(group, key, label, better, whole) \
 {CLI_GROUP_##group, #key, label, CLI_BETTER_##better, whole, get_##key},
    SUMMARY_FIGURES(FIGURE)
#undef FIGURE
#define FIGURE(key, label) \
 {CLI_GROUP_DIFFERENCE, "difference_" #key, label, CLI_BETTER_LOW, false, get_difference_##key},
        DIFFERENCE_FIGURES(FIGURE)
#undef FIGURE
};

int cli_figure_count(void)
{
    return CLI_COUNT(figures);
}

const cli_figure *cli_figure_get(int index)
{
    return &figures[index];
}

void cli_figure_format(const cli_figure *figure, double value, char text[CLI_TEXT_SIZE])
{
    (void)snprintf(text, CLI_TEXT_SIZE, figure->whole ? "%.0f" : "%.3g", value);
}

/* As it is shown, low is good; NaN for those that do not compete. */
static double rank(const cli_figure *figure, const cli_column *column)
{
    const double value = figure->get(column);
    if (isnan(value) || strcmp(column->outcome.status, "done") != 0) {
        return NAN;
    }
    char text[CLI_TEXT_SIZE];
    cli_figure_format(figure, value, text);
    return (figure->better == CLI_BETTER_LOW ? 1.0 : -1.0) * strtod(text, NULL);
}

bool cli_figure_is_best(const cli_figure *figure, const cli_columns *columns, int column)
{
    if (figure->better == CLI_BETTER_NONE) {
        return false;
    }
    double best = NAN, worst = NAN;
    for (int i = 0; i < columns->count; ++i) {
        best = fmin(best, rank(figure, &columns->column[i])); /* these drop NaN */
        worst = fmax(worst, rank(figure, &columns->column[i]));
    }
    return best < worst && rank(figure, &columns->column[column]) == best;
}
