/* Shared by the files of a design study. */
#ifndef BRN_STUDY_DESIGN_INNER_H
#define BRN_STUDY_DESIGN_INNER_H

#include "api/registry.h"
#include "base/text.h"
#include "scene/bump.h"
#include "scene/scene.h"
#include "study/design_def.h"
#include "study/expression.h"

#include <brunt/design.h>

/* A path of the scene, and whether whole numbers are wanted there. */
typedef struct brn_design_path {
    const char *path;
    bool whole;
    const void *value; /* where it leads to in the scene as it was read: two paths may be one */
    int entry;
} brn_design_path;

typedef struct brn_design_axis {
    brn_design_parameter info;
    const brn_parameter_def *def;
    brn_design_path *path;
    int npath;
    bool log;
} brn_design_axis;

/* A value of `assign`. */
typedef struct brn_design_assign {
    brn_design_path to;
    brn_expression *value;
} brn_design_assign;

typedef struct brn_design_tolerance {
    const brn_tolerance_def *def;
    int axis; /* -1: a path */
    bool whole;
} brn_design_tolerance;

/* A figure of the table and of the log: a name in an expression, or an expression of `figures`. */
typedef struct brn_design_column {
    const char *name;
    const brn_expression *expression;
    int reference; /* -1: the expression itself */
} brn_design_column;

/* One simulation of a point. */
typedef struct brn_design_simulation {
    brn_status status;
    bool lost, stopped, value; /* value: objective and constraints are of a run that counts */
    char reason[512];
    double wall, cpu;
    double objective;
    double *constraint; /* [nconstraint] */
    bool success;
    char **figure; /* [ncolumn] JSON */
} brn_design_simulation;

/* One point. */
typedef struct brn_design_record {
    int64_t index;
    double *x;          /* [n] */
    double objective;   /* as written */
    double *constraint; /* [nconstraint] */
    double violation;
    int samples, succeeded;
    bool failed, lost;
    char *reason, *folder;
    char **figure; /* [ncolumn] JSON, of the first simulation */
    double wall, cpu;
} brn_design_record;

struct brn_design {
    brn_ctx *ctx;
    brn_design_kind kind;
    brn_scene *file; /* of the problem */
    const brn_design_def *def;
    char *scene_path;
    brn_scene *scene;
    brn_bump memory;
    char **set; /* [nset] of the caller */
    int nset, set_room;
    brn_registry registry;
    bool prepared;
    bool starved; /* memory ran out where nobody could return that */

    int n;
    brn_design_axis *axis;
    brn_expression *objective, *success;
    brn_expression **constraint, **figure;
    int nconstraint, nfigure;
    brn_design_assign *assign;
    int nassign;
    brn_design_tolerance *tolerance;
    int ntolerance;
    double *draw; /* [samples][ntolerance] in (-1, 1); zeros for the first */
    int samples;
    brn_known_name *known;
    int nknown, known_room;
    brn_design_column *column;
    int ncolumn;
    uint64_t hash; /* of problem and scene */

    /* of the last run */
    brn_design_record **used; /* [nused] in order */
    int64_t nused, used_room;
    /* [nlogged] by index: what the log holds and is not used yet; NULL: nothing */
    brn_design_record **logged;
    int64_t nlogged;
    int64_t repeated;
};

/* ---- names and columns (design_names.c); problems are added to those of the file ---- */

/* Path of a key below a block of the problem, for messages. */
const char *brn_design_where(brn_design *design, const brn_block *block, const char *key);
/* First the parameters, which are all that `assign` may use. */
brn_status brn_design_know_parameters(brn_design *design);
brn_status brn_design_know_figures(brn_design *design, const brn_model *model);
void brn_design_check_names(brn_design *design);
brn_status brn_design_list_columns(brn_design *design);

/* ---- points (design_point.c) ---- */

/* What a simulation of a point sets in the scene. */
typedef struct brn_design_settings {
    brn_ctx *ctx;
    char **item;
    int count, room;
} brn_design_settings;

void brn_design_settings_clear(brn_design_settings *settings);
/* value: as YAML. */
brn_status brn_design_settings_add(brn_design_settings *settings, const char *path, const char *value);
/* x [n]; sample 0 deviates in nothing. With deviations of paths the design's scene is set and resolved. drawn [ntolerance]: what was
   added to each; may be NULL. */
brn_status brn_design_point_settings(brn_design *design, const double *x, int sample,
                                     brn_design_settings *out, double *drawn);
/* Between the optimiser's coordinates and parameters: logarithms, whole numbers, bounds. */
double brn_design_to_search(const brn_design_axis *axis, double x);
double brn_design_from_search(const brn_design_axis *axis, double y);
brn_status brn_design_make_draws(brn_design *design);
/* All points of the sweep, *points [*count][n], freed with brn_free. seed < 0: that of the problem. */
brn_status brn_design_sweep_points(brn_design *design, int64_t seed, double **points, int64_t *count);

/* ---- records (design_record.c) ---- */

void brn_design_forget(brn_design *design);                            /* all records */
brn_design_record *brn_design_record_create(const brn_design *design); /* NULL: no memory */
void brn_design_record_destroy(const brn_design *design, brn_design_record *record);
void brn_design_record_view(const brn_design_record *record, brn_design_evaluation *out);
/* Is a better than b? Feasible before infeasible, then by objective; one without a value is never better. */
bool brn_design_record_better(const brn_design *design, const brn_design_record *a,
                              const brn_design_record *b);
const brn_design_record *
brn_design_best(const brn_design *design); /* of those used; NULL: none has a value */
/* From the simulations of a point. */
brn_status brn_design_record_sum_up(const brn_design *design, brn_design_record *record,
                                    brn_design_simulation *simulation);

brn_status brn_design_simulations_create(const brn_design *design,
                                         brn_design_simulation **out); /* [samples] */
void brn_design_simulations_destroy(const brn_design *design, brn_design_simulation *simulation);
/* The figures, objective, constraints and success of a run that has ended. */
brn_status brn_design_measure(const brn_design *design, const double *x, const char *folder,
                              brn_design_simulation *out);

/* ---- the log (design_log.c) ---- */

/* Begins a log, or reads one: what it holds goes to design->logged. seed: of optimiser or sweep. BRN_ERR_RANGE: it is of another
   problem. elapsed [s]: how long it took to get there. */
brn_status brn_design_log_begin(brn_design *design, const char *path, int64_t seed);
brn_status brn_design_log_read(brn_design *design, const char *path, int64_t seed, double *elapsed);
/* drawn [samples][ntolerance]. */
brn_status brn_design_log_add(const brn_design *design, const char *path, const brn_design_record *record,
                              const brn_design_simulation *simulation, const double *drawn, double elapsed);
/* Folder of a simulation, below the study's. Returns text. */
const char *brn_design_folder(const brn_design *design, int64_t index, int sample, char text[64]);

/* ---- the other files (design_files.c) ---- */

/* What the table has beside parameters and figures: the first, then constraints, then the others; ended by NULL. */
extern const char *const brn_design_own_columns[];
/* Frees the text. */
brn_status brn_design_write_text(const brn_design *design, const char *out, const char *name, brn_text *text);
brn_status brn_design_write_table(const brn_design *design, const char *out);
brn_status brn_design_write_best(brn_design *design, const char *out);
brn_status brn_design_write_summary(const brn_design *design, const char *out,
                                    const brn_design_result *result);
/* study.json in the folder of the run that is shown, report.html of it with the study, and of a design its shapes (design_page.c). */
brn_status brn_design_write_page(const brn_design *design, const char *out, const char *run);

#endif
