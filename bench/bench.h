/* brunt bench: a table of cases (bench/cases.def), each a function that measures something and adds named figures.
   A new case is one file bench/bench_NAME.c plus one line in cases.def. */
#ifndef BRN_BENCH_BENCH_H
#define BRN_BENCH_BENCH_H

#include <brunt/brunt.h>

enum { BRN_BENCH_REPEATS_MAX = 1000, BRN_BENCH_SETS = 3 };

/* A case that is running. */
typedef struct brn_bench brn_bench;

/* Work to be timed; must do the same work on every call. */
typedef brn_status (*brn_bench_fn)(void *arg);

/* Medians over the repeats, the first (warm-up) call excluded. */
typedef struct brn_bench_timing {
    double wall, cpu;          /* [s] per call; cpu counts all threads */
    double wall_min, wall_max; /* [s], to show how quiet the machine was */
    int repeats;
} brn_bench_timing;

typedef struct brn_bench_case {
    const char *name;        /* "parallel-for" */
    const char *description; /* one line */
    brn_status (*run)(brn_bench *bench);
} brn_bench_case;

/* The ctx of the case, with the threads the user asked for. */
brn_ctx *brn_bench_ctx(brn_bench *bench);
int brn_bench_repeats(const brn_bench *bench);
int brn_bench_threads(const brn_bench *bench);        /* 0: the user did not say */
const char *brn_bench_scenes(const brn_bench *bench); /* folder of the gallery */
/* Sorts; the mean of the two middle values if the count is even. */
double brn_bench_median(double *values, int count);
/* Warms up once, then calls fn as often as --repeat says and gives the medians. */
brn_status brn_bench_measure(brn_bench *bench, brn_bench_fn fn, void *arg, brn_bench_timing *out);
/* A scene that is simulated in a ctx of its own: of a folder of the gallery, or a text; what to set in it (NULL ends it); and what is done with the simulation. */
typedef struct brn_bench_scene {
    const char *folder, *text; /* one of them is NULL */
    const char *set[BRN_BENCH_SETS];
    int threads;
    brn_status (*run)(brn_sim *sim, const brn_model_info *info, void *arg);
    void *arg;
} brn_bench_scene;
brn_status brn_bench_simulate(brn_bench *bench, const brn_bench_scene *scene);
/* Adds a named figure: "tet4 10k, 1 thread", 1.6e6, "elements/s". The name is copied and cut at 63 characters; a value that is
   not finite becomes null in JSON. */
brn_status brn_bench_add(brn_bench *bench, double value, const char *unit, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The cases. */
#define BENCH_CASE(suffix, name, description) brn_status brn_bench_##suffix(brn_bench *bench);
#include "cases.def"
#undef BENCH_CASE

/* Parses the words after `brunt bench`, runs the cases, prints; returns the exit code. */
int brn_bench_main(int argc, char **argv);

#endif
