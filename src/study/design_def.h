/* The file of a design problem as structs. */
#ifndef BRN_STUDY_DESIGN_DEF_H
#define BRN_STUDY_DESIGN_DEF_H

#include "base/param.h"

/* path: value, of `set` and `assign`; the path is the block's name. */
typedef struct brn_setting_def {
    brn_block block;
    const char *value;
} brn_setting_def;

enum { BRN_SCALE_LINEAR, BRN_SCALE_LOG };

typedef struct brn_parameter_def {
    brn_block block;
    const char *name, *path;
    brn_texts paths;
    double min, max, start;
    int scale;
    brn_reals values;
    int points;
} brn_parameter_def;

enum { BRN_DRAW_UNIFORM, BRN_DRAW_NORMAL };

typedef struct brn_tolerance_def {
    brn_block block;
    const char *path, *parameter;
    double by, percent;
    int distribution;
} brn_tolerance_def;

enum { BRN_ROBUST_MEAN, BRN_ROBUST_WORST };

typedef struct brn_robustness_def {
    brn_block block;
    int samples, mode, seed;
    brn_blocks tolerances;
} brn_robustness_def;

typedef struct brn_optimizer_def {
    brn_block block;
    int type, evaluations, population, restarts, seed;
    double spread, tolerance, target, slack;
} brn_optimizer_def;

enum { BRN_SWEEP_GRID, BRN_SWEEP_RANDOM, BRN_SWEEP_LATIN };

typedef struct brn_sweep_def {
    brn_block block;
    int type, points, samples, seed;
} brn_sweep_def;

typedef struct brn_design_def {
    brn_block block;
    int brunt;
    const char *title, *scene;
    brn_blocks set, parameters, assign;
    const char *objective, *maximise, *success;
    brn_texts constraints, figures;
    int suspect;
    double limit;
    brn_robustness_def robustness;
    brn_optimizer_def optimizer;
    brn_sweep_def sweep;
} brn_design_def;

extern const brn_table brn_design_table;

#endif
