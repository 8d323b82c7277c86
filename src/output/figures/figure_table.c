#include "output/figures/figure_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define IS_WHOLE(type, member) _Generic(((type *)0)->member, int : true, int64_t : true, double : false)
#define PLACE(type, member)    offsetof(type, member), sizeof(((type *)0)->member)

/* The order of brn_figure's members, then of the row's. */
#define STEP_ROW(name, member, chart, unit, label, meaning, column, gap)             \
 {{#name, label, unit, meaning, NULL, chart, NULL, BRN_REDUCE_NONE, BRN_BETTER_NONE, \
   IS_WHOLE(brn_report, member), column},                                            \
  PLACE(brn_report, member),                                                         \
  gap,                                                                               \
  -1},

const brn_figure_row brn_step_table[BRN_STEP_FIGURES] = {
#define STEP(name, member, chart, unit, label, meaning) \
 STEP_ROW(name, member, chart, unit, label, meaning, true, false)
#define GAP(name, member, chart, unit, label, meaning) \
 STEP_ROW(name, member, chart, unit, label, meaning, true, true)
#define PART(name, member, chart, unit, label, meaning) \
 STEP_ROW(name, member, chart, unit, label, meaning, false, false)
#include "output/figures/figures.def"
};

#define RUN_ROW(name, group, label, unit, meaning, of, reduction, better, number)                        \
 {{#name, label, unit, meaning, group, NULL, of, reduction, better, IS_WHOLE(brn_summary, name), false}, \
  PLACE(brn_summary, name),                                                                              \
  false,                                                                                                 \
  number},

const brn_figure_row brn_run_table[BRN_RUN_FIGURES] = {
#define REDUCED(name, of, reduction, group, better, label) \
 RUN_ROW(name, group, label, NULL, NULL, #of, BRN_REDUCE_##reduction, BRN_BETTER_##better, BRN_STEP_##of)
#define WHOLE(name, group, better, unit, label, meaning) \
 RUN_ROW(name, group, label, unit, meaning, NULL, BRN_REDUCE_NONE, BRN_BETTER_##better, -1)
#include "output/figures/figures.def"
};

const brn_chart brn_chart_table[BRN_CHARTS] = {
#define CHART(id, title, log, first) {id, title, log, first},
#include "output/figures/figures.def"
};

brn_figure brn_run_figure(int index)
{
    brn_figure figure = brn_run_table[index].figure;
    const int of = brn_run_table[index].of;
    if (of >= 0) {
        figure.unit = brn_step_table[of].figure.unit;
        figure.meaning = brn_step_table[of].figure.meaning;
    }
    return figure;
}

brn_figure brn_own_run_figure(const brn_figure *own)
{
    static const char *const names[] = {
        [BRN_REDUCE_NONE] = "",      [BRN_REDUCE_LAST] = "",    [BRN_REDUCE_SUM] = "",
        [BRN_REDUCE_MEAN] = "_mean", [BRN_REDUCE_MAX] = "_max", [BRN_REDUCE_MIN] = "_min"};
    static const char *const labels[] = {
        [BRN_REDUCE_NONE] = "",       [BRN_REDUCE_LAST] = "",      [BRN_REDUCE_SUM] = "",
        [BRN_REDUCE_MEAN] = ", mean", [BRN_REDUCE_MAX] = ", most", [BRN_REDUCE_MIN] = ", least"};
    brn_figure figure = *own;
    (void)snprintf(figure.name, sizeof figure.name, "%s%s", own->name, names[own->reduction]);
    (void)snprintf(figure.label, sizeof figure.label, "%s%s", own->label, labels[own->reduction]);
    figure.of = own->name;
    figure.whole = own->whole && own->reduction != BRN_REDUCE_MEAN;
    return figure;
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

static int64_t whole_at(const brn_figure_row *row, const void *from)
{
    const char *at = (const char *)from + row->offset;
    int64_t wide = 0;
    int narrow = 0;
    memcpy(row->size == sizeof wide ? (void *)&wide : &narrow, at, row->size);
    return wide + narrow;
}

static double value_at(const brn_figure_row *row, const void *from)
{
    if (row->figure.whole) {
        return (double)whole_at(row, from);
    }
    double value;
    memcpy(&value, (const char *)from + row->offset, sizeof value);
    return row->gap && isinf(value) ? NAN : value;
}

double brn_step_value(const brn_report *report, int index)
{
    return value_at(&brn_step_table[index], report);
}

double brn_run_value(const brn_summary *summary, int index)
{
    return value_at(&brn_run_table[index], summary);
}

void brn_run_set(brn_summary *summary, int index, double value)
{
    const brn_figure_row *row = &brn_run_table[index];
    const int64_t wide = row->figure.whole ? (int64_t)value : 0;
    const int narrow = (int)wide;
    const void *from = &value;
    if (row->figure.whole) {
        from = row->size == sizeof wide ? (const void *)&wide : &narrow;
    }
    memcpy((char *)summary + row->offset, from, row->size);
}

void brn_run_write(brn_json *json, const brn_summary *summary, int index)
{
    const brn_figure_row *row = &brn_run_table[index];
    if (row->figure.whole) {
        brn_json_int(json, row->figure.name, whole_at(row, summary));
    } else {
        brn_json_real(json, row->figure.name, value_at(row, summary));
    }
}

/* ---- many values become one ------------------------------------------------------------------------------------------ */

double brn_reduce_start(brn_reduction reduction)
{
    return reduction == BRN_REDUCE_MIN ? INFINITY : 0.0;
}

double brn_reduce(brn_reduction reduction, double total, double value)
{
    switch (reduction) {
    case BRN_REDUCE_LAST:
        return value;
    case BRN_REDUCE_SUM:
    case BRN_REDUCE_MEAN:
        return total + value;
    case BRN_REDUCE_MAX:
        return fmax(total, fabs(value));
    case BRN_REDUCE_MIN:
        return fmin(total, value);
    case BRN_REDUCE_NONE:
        break;
    }
    return total;
}

double brn_reduce_end(brn_reduction reduction, double total, int64_t n)
{
    return reduction == BRN_REDUCE_MEAN ? (n > 0 ? total / (double)n : 0.0) : total;
}
