/* The tables of a design problem: keys, units, defaults, ranges, help. */
#include "study/design_def.h"

#include "optimize/optimize.h"
#include "scene/scene.h"

#include <stddef.h>

#define TABLE(name_, help_, type_, params_) \
 .name = (name_), .help = (help_), .size = sizeof(type_), .params = (params_), .nparams = BRN_COUNT(params_)

static const char *const optimizer_words[] = {"cmaes", "cobyla", "bobyqa", "subplex", "gradient", NULL};
_Static_assert(BRN_COUNT(optimizer_words) == BRN_OPTIMIZERS + 1, "as brn_optimizer has them");
static const char *const mode_words[] = {"mean", "worst", NULL};
static const char *const draw_words[] = {"uniform", "normal", NULL};
static const char *const sweep_words[] = {"grid", "random", "latin_hypercube", NULL};
static const char *const scale_words[] = {"linear", "log", NULL};
static const char *const suspect_words[] = {"refuse", "accept", NULL};

/* ---- values of the scene ------------------------------------------------------------------------------------------------- */

static const brn_param setting_params[] = {
    {.name = "value",
     .kind = BRN_TEXT,
     .offset = offsetof(brn_setting_def, value),
     .required = true,
     .help = "number or word; a list in quotes, \"[0, 0, 1]\""},
};
static const brn_table set_table = {
    TABLE("value", "a value of the scene, after its path", brn_setting_def, setting_params),
    .shorthand = "value"};

static const brn_param assign_params[] = {
    {.name = "value",
     .kind = BRN_TEXT,
     .offset = offsetof(brn_setting_def, value),
     .required = true,
     .help = "expression of parameters"},
};
static const brn_table assign_table = {
    TABLE("expression", "a value of the scene, after its path", brn_setting_def, assign_params),
    .shorthand = "value"};

static const brn_param parameter_params[] = {
    {.name = "name",
     .kind = BRN_TEXT,
     .offset = offsetof(brn_parameter_def, name),
     .required = true,
     .help = "what expressions and tables call it"},
    BRN_P_TEXT(brn_parameter_def, path, "the value of the scene that it is, like materials.steel.young"),
    {.name = "paths",
     .kind = BRN_TEXTS,
     .offset = offsetof(brn_parameter_def, paths),
     .help = "several, which get the same value"},
    BRN_P_REAL(brn_parameter_def, min, NULL, NAN, 0.0, 0.0, BRN_CLOSED, "lowest value"),
    BRN_P_REAL(brn_parameter_def, max, NULL, NAN, 0.0, 0.0, BRN_CLOSED, "highest value"),
    BRN_P_REAL(brn_parameter_def, start, NULL, NAN, 0.0, 0.0, BRN_CLOSED,
               "where the search starts; not given: the scene's value if it lies within, else the middle"),
    BRN_P_CHOICE(brn_parameter_def, scale, BRN_SCALE_LINEAR, scale_words,
                 "log: steps are factors, for what ranges over powers of ten"),
    {.name = "values",
     .kind = BRN_REALS,
     .offset = offsetof(brn_parameter_def, values),
     .help = "of a grid: these instead of points between min and max"},
    BRN_P_INT(brn_parameter_def, points, 0, 0, 100000, "of a grid: how many; 0: as the sweep says"),
};
static const brn_table parameter_table = {
    TABLE("parameter", "what may change", brn_parameter_def, parameter_params)};

/* ---- tolerances --------------------------------------------------------------------------------------------------------------- */

static const brn_param tolerance_params[] = {
    BRN_P_TEXT(brn_tolerance_def, path, "a value of the scene"),
    BRN_P_TEXT(brn_tolerance_def, parameter, "or a parameter, by its name"),
    BRN_P_REAL(brn_tolerance_def, by, NULL, NAN, 0.0, INFINITY, BRN_OPEN, "it lies this much around"),
    BRN_P_REAL(brn_tolerance_def, percent, NULL, NAN, 0.0, INFINITY, BRN_OPEN, "or this part of it"),
    BRN_P_CHOICE(brn_tolerance_def, distribution, BRN_DRAW_UNIFORM, draw_words,
                 "uniform within that, or normal with it as twice the standard deviation"),
};
static const brn_table tolerance_table = {
    TABLE("tolerance", "what is not known or made exactly", brn_tolerance_def, tolerance_params)};

static const brn_param robustness_params[] = {
    BRN_P_INT(brn_robustness_def, samples, 8, 1, 10000,
              "simulations of a point; the first without any deviation"),
    BRN_P_CHOICE(brn_robustness_def, mode, BRN_ROBUST_MEAN, mode_words,
                 "what objective and constraints are of them"),
    {.name = "tolerances",
     .kind = BRN_BLOCKS,
     .offset = offsetof(brn_robustness_def, tolerances),
     .table = &tolerance_table,
     .required = true,
     .help = "what deviates; the same deviations at every point"},
    BRN_P_INT(brn_robustness_def, seed, 1, 0, INFINITY, "of the deviations"),
};
static const brn_table robustness_table = {
    TABLE("robustness", "simulations with deviations", brn_robustness_def, robustness_params)};

/* ---- searches -------------------------------------------------------------------------------------------------------------------- */

static const brn_param optimizer_params[] = {
    BRN_P_CHOICE(brn_optimizer_def, type, BRN_OPTIMIZER_CMAES, optimizer_words,
                 "cmaes searches widely and runs generations at once; the others are local"),
    BRN_P_INT(brn_optimizer_def, evaluations, 60, 1, INFINITY, "at most, the start included"),
    BRN_P_INT(brn_optimizer_def, population, 0, 0, 100000,
              "of cmaes: points of a generation, 4 or more; 0: 4 + 3 ln n"),
    BRN_P_INT(brn_optimizer_def, restarts, 0, 0, 20,
              "of cmaes: how often it starts again elsewhere, with twice the population"),
    BRN_P_REAL(brn_optimizer_def, spread, "1", 0.3, 0.0, 1.0, BRN_OPEN_LOW,
               "first step, as a part of max - min"),
    BRN_P_REAL(brn_optimizer_def, tolerance, "1", 1e-3, 0.0, 1.0, BRN_OPEN,
               "it ends when steps are shorter than this part of max - min"),
    BRN_P_REAL(brn_optimizer_def, target, NULL, NAN, 0.0, 0.0, BRN_CLOSED,
               "or when the objective is as good as this, with every constraint met"),
    BRN_P_REAL(brn_optimizer_def, slack, NULL, 1e-6, 0.0, INFINITY, BRN_CLOSED,
               "a constraint that is missed by no more than this counts as met"),
    BRN_P_INT(brn_optimizer_def, seed, 1, 0, INFINITY, "of what is random in it"),
};
static const brn_table optimizer_table = {
    TABLE("optimizer", "how points are chosen by `brunt design`", brn_optimizer_def, optimizer_params),
    .shorthand = "type"};

static const brn_param sweep_params[] = {
    BRN_P_CHOICE(brn_sweep_def, type, BRN_SWEEP_GRID, sweep_words, "how points are chosen by `brunt sweep`"),
    BRN_P_INT(brn_sweep_def, points, 5, 1, 100000, "of a grid: how many for each parameter"),
    BRN_P_INT(brn_sweep_def, samples, 20, 1, 1000000, "of random and latin_hypercube: how many in all"),
    BRN_P_INT(brn_sweep_def, seed, 1, 0, INFINITY, "of random and latin_hypercube"),
};
static const brn_table sweep_table = {
    TABLE("sweep", "how points are chosen by `brunt sweep`", brn_sweep_def, sweep_params),
    .shorthand = "type"};

/* ---- the file ----------------------------------------------------------------------------------------------------------------------- */

static const brn_param design_params[] = {
    {.name = "brunt",
     .kind = BRN_INT,
     .offset = offsetof(brn_design_def, brunt),
     .required = true,
     .standard = BRN_SCENE_VERSION,
     .lo = 1,
     .hi = INFINITY,
     .help = "version of the format, 1"},
    BRN_P_TEXT(brn_design_def, title, "one line"),
    {.name = "scene",
     .kind = BRN_TEXT,
     .offset = offsetof(brn_design_def, scene),
     .required = true,
     .help = "file of the scene, relative to this one"},
    {.name = "set",
     .kind = BRN_NAMED,
     .offset = offsetof(brn_design_def, set),
     .table = &set_table,
     .help = "values of the scene that are other than there: {time.end: 0.5}"},
    {.name = "parameters",
     .kind = BRN_BLOCKS,
     .offset = offsetof(brn_design_def, parameters),
     .table = &parameter_table,
     .required = true,
     .help = "what may change"},
    {.name = "assign",
     .kind = BRN_NAMED,
     .offset = offsetof(brn_design_def, assign),
     .table = &assign_table,
     .help = "values of the scene that follow from parameters: {bodies.lid.position[2]: \"height + 0.01\"}"},
    BRN_P_TEXT(brn_design_def, objective, "expression of figures; the lowest is sought"),
    BRN_P_TEXT(brn_design_def, maximise, "the same, but the highest"),
    {.name = "constraints",
     .kind = BRN_TEXTS,
     .offset = offsetof(brn_design_def, constraints),
     .help = "comparisons that must hold, \"landing.tilt < 0.2\""},
    BRN_P_TEXT(brn_design_def, success, "whether a simulation counts as working; reported, not sought"),
    {.name = "figures",
     .kind = BRN_TEXTS,
     .offset = offsetof(brn_design_def, figures),
     .help = "further expressions for the table"},
    BRN_P_CHOICE(brn_design_def, suspect, 0, suspect_words,
                 "runs that ended with the status suspect: without a value, or taken as they are"),
    BRN_P_REAL(brn_design_def, limit, "s", 0.0, 0.0, INFINITY, BRN_CLOSED,
               "processor time of a simulation, beyond which it has failed; 0: none"),
    BRN_P_BLOCK(brn_design_def, robustness, &robustness_table,
                "several simulations of a point, with deviations; not given: one"),
    BRN_P_BLOCK(brn_design_def, optimizer, &optimizer_table, "how points are chosen by `brunt design`"),
    BRN_P_BLOCK(brn_design_def, sweep, &sweep_table, "how points are chosen by `brunt sweep`"),
};

static const brn_hint design_hints[] = {
    {"minimise", "objective"},   {"minimize", "objective"},    {"maximize", "maximise"},
    {"optimiser", "optimizer"},  {"tolerances", "robustness: {tolerances: [...]}"},
    {"bodies", "scene: FILE: a design problem names a scene, this file is one"},
    {NULL, NULL},
};

const brn_table brn_design_table = {
    TABLE("design", "a design problem: the whole file", brn_design_def, design_params),
    .hints = design_hints};
