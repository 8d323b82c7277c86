/* The table of figures (figures.def) as arrays, and how figures of steps become one of the run. */
#ifndef BRN_OUTPUT_FIGURES_FIGURE_TABLE_H
#define BRN_OUTPUT_FIGURES_FIGURE_TABLE_H

#include "base/json.h"

typedef struct brn_chart {
    const char *id, *title;
    bool log;   /* at first */
    bool first; /* shown before a person chooses */
} brn_chart;

typedef struct brn_figure_row {
    brn_figure figure;
    size_t offset, size; /* of its member in brn_report or brn_summary */
    bool gap;            /* +infinity: not known */
    int of;              /* of a run: number of the step's figure it is made from; -1: none */
} brn_figure_row;

/* Of all methods: BRN_STEP_kinetic and so on, and their numbers. */
enum {
#define STEP(name, ...) BRN_STEP_##name,
#include "output/figures/figures.def"
    BRN_STEP_FIGURES
};
enum {
#define REDUCED(name, ...) BRN_RUN_##name,
#define WHOLE(name, ...)   BRN_RUN_##name,
#include "output/figures/figures.def"
    BRN_RUN_FIGURES
};
enum {
#define CHART(...) +1
    BRN_CHARTS = 0
#include "output/figures/figures.def"
};

extern const brn_figure_row brn_step_table[BRN_STEP_FIGURES];
extern const brn_figure_row brn_run_table[BRN_RUN_FIGURES];
extern const brn_chart brn_chart_table[BRN_CHARTS];

/* A figure of the run, with the unit and meaning of the step's figure it is made from. */
brn_figure brn_run_figure(int index);
/* The run's figure made from a method's own figure of a step: NAME, or NAME_max, NAME_min, NAME_mean. own outlives it. */
brn_figure brn_own_run_figure(const brn_figure *own);

double brn_step_value(const brn_report *report, int index); /* NaN: not known */
double brn_run_value(const brn_summary *summary, int index);
void brn_run_set(brn_summary *summary, int index, double value);
/* As a member of an object; whole numbers keep their 64 bits. */
void brn_run_write(brn_json *json, const brn_summary *summary, int index);

/* What a total starts from, how a value is added, and its value after n of them. The smallest of none is +infinity. */
double brn_reduce_start(brn_reduction reduction);
double brn_reduce(brn_reduction reduction, double total, double value);
double brn_reduce_end(brn_reduction reduction, double total, int64_t n);

#endif
