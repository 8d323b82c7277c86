#include "compare/compare_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- differences ----------------------------------------------------------------------------------------------------- */

static const struct {
    const char *key, *label;
    size_t offset; /* of a double in brn_difference */
} differences[] = {
    {"difference_max", "largest distance [m]", offsetof(brn_difference, max)},
    {"difference_rms", "RMS distance [m]", offsetof(brn_difference, rms)},
    {"difference_end_max", "at the end: largest", offsetof(brn_difference, end_max)},
    {"difference_end_rms", "at the end: RMS", offsetof(brn_difference, end_rms)},
    {"difference_probe_max", "probes: largest [m]", offsetof(brn_difference, probe_max)},
};

/* ---- the list -------------------------------------------------------------------------------------------------------- */

static cli_figure *next(cli_figures *out)
{
    cli_figure *figure = &out->figure[out->count];
    out->count += out->count < CLI_FIGURES_MAX - 1;
    *figure = (cli_figure){0};
    return figure;
}

static void add_figure(cli_figures *out, const brn_figure *info, int index, bool own)
{
    const bool plain = info->unit[0] == '\0' || strcmp(info->unit, "1") == 0;
    cli_figure *figure = next(out);
    figure->info = *info;
    figure->index = index;
    figure->own = own;
    (void)snprintf(figure->label, sizeof figure->label, plain ? "%s" : "%s [%s]", info->label, info->unit);
}

static void add_group(cli_figures *out, const char *group)
{
    for (int i = 0; i < brn_figure_count(BRN_OF_RUN, NULL); ++i) {
        brn_figure info;
        if (brn_figure_get(BRN_OF_RUN, NULL, i, &info) >= 0 && strcmp(info.group, group) == 0) {
            add_figure(out, &info, i, false);
        }
    }
}

static void add_own(cli_figures *out, const char *method)
{
    const int common = brn_figure_count(BRN_OF_RUN, NULL);
    for (int i = 0; i < out->count; ++i) {
        if (out->figure[i].own && strcmp(out->figure[i].info.group, method) == 0) {
            return; /* another column has it */
        }
    }
    for (int i = common; i < brn_figure_count(BRN_OF_RUN, method); ++i) {
        brn_figure info;
        if (brn_figure_get(BRN_OF_RUN, method, i, &info) >= 0) {
            add_figure(out, &info, i, true);
        }
    }
}

void cli_figures_list(const cli_columns *columns, cli_figures *out)
{
    static const char *const groups[] = {"run", "speed", "contact", "balance"};
    out->count = 0;
    for (int i = 0; i < CLI_COUNT(groups); ++i) {
        add_group(out, groups[i]);
    }
    for (int i = 0; i < columns->count; ++i) {
        add_own(out, columns->column[i].outcome.method);
    }
    for (int i = 0; i < CLI_COUNT(differences); ++i) {
        cli_figure *figure = next(out);
        figure->difference = true;
        figure->index = i;
        figure->info = (brn_figure){.unit = "m", .group = "difference", .better = BRN_BETTER_LOW};
        (void)snprintf(figure->info.name, sizeof figure->info.name, "%s", differences[i].key);
        (void)snprintf(figure->label, sizeof figure->label, "%s", differences[i].label);
    }
}

double cli_figure_value(const cli_figure *figure, const cli_column *column)
{
    double value = NAN;
    if (figure->difference) {
        if (column->compared) {
            memcpy(&value, (const char *)&column->difference + differences[figure->index].offset,
                   sizeof value);
        }
        return value;
    }
    if (column->outcome.started &&
        (!figure->own || strcmp(column->outcome.method, figure->info.group) == 0)) {
        value = brn_summary_figure(&column->outcome.summary, figure->index);
    }
    return isfinite(value) ? value : NAN;
}

/* ---- best of a row --------------------------------------------------------------------------------------------------- */

void cli_figure_format(const cli_figure *figure, double value, char text[CLI_TEXT_SIZE])
{
    (void)snprintf(text, CLI_TEXT_SIZE, figure->info.whole ? "%.0f" : "%.3g", value);
}

/* As it is shown, low is good; NaN for those that do not compete. */
static double rank(const cli_figure *figure, const cli_column *column)
{
    const double value = cli_figure_value(figure, column);
    if (isnan(value) || strcmp(column->outcome.status, "done") != 0) {
        return NAN;
    }
    char text[CLI_TEXT_SIZE];
    cli_figure_format(figure, value, text);
    return (figure->info.better == BRN_BETTER_LOW ? 1.0 : -1.0) * strtod(text, NULL);
}

bool cli_figure_is_best(const cli_figure *figure, const cli_columns *columns, int column)
{
    if (figure->info.better == BRN_BETTER_NONE) {
        return false;
    }
    double best = NAN, worst = NAN;
    for (int i = 0; i < columns->count; ++i) {
        best = fmin(best, rank(figure, &columns->column[i])); /* these drop NaN */
        worst = fmax(worst, rank(figure, &columns->column[i]));
    }
    return best < worst && rank(figure, &columns->column[column]) == best;
}
