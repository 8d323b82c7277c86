/* brunt: design problems. A file names a scene, parameters of it, and an objective over the figures of its run; an optimiser or a
   sweep chooses points, a simulation or several are run for each, and a log keeps every value. docs/design.md has the format.

       brn_design *design;
       brn_design_load(ctx, "problem.yaml", BRN_DESIGN_SEARCH, &design);
       brn_design_prepare(design);
       brn_design_run(design, &options, &result);

   How simulations are run is the caller's: an evaluator starts jobs and hands back outcomes. The rules of brunt.h hold. */
#ifndef BRUNT_DESIGN_H
#define BRUNT_DESIGN_H

#include <brunt/brunt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the problem --------------------------------------------------------------------------------------------------------- */

typedef struct brn_design brn_design;

typedef enum brn_design_kind { BRN_DESIGN_SEARCH, BRN_DESIGN_SWEEP } brn_design_kind;

/* Reads the file and its scene. BRN_ERR_SCENE: *out is still created, so that its problems can be listed; destroy it. */
BRN_API brn_status brn_design_load(brn_ctx *ctx, const char *path, brn_design_kind kind, brn_design **out);
/* The same of a text; the scene is named relative to the folder of `name`. */
BRN_API brn_status brn_design_parse(brn_ctx *ctx, const char *text, size_t length, const char *name,
                                    brn_design_kind kind, brn_design **out);
/* A value of the scene, "time.end=0.5", after those of the problem's `set`; before brn_design_prepare. */
BRN_API brn_status brn_design_set(brn_design *design, const char *assignment);
/* Checks everything against the scene, whose model is compiled for that: paths, units, names of figures. BRN_ERR_SCENE as above. */
BRN_API brn_status brn_design_prepare(brn_design *design);
/* Problems of the file, then those of its scene. */
BRN_API int brn_design_problem_count(const brn_design *design);
BRN_API const char *brn_design_problem(const brn_design *design, int index);
BRN_API void brn_design_destroy(brn_design *design);

typedef struct brn_design_parameter {
    const char *name, *unit; /* unit "": a plain number, or none is known */
    double min, max, start;
    bool whole; /* takes whole numbers */
} brn_design_parameter;

BRN_API int brn_design_parameter_count(const brn_design *design);
BRN_API brn_status brn_design_get_parameter(const brn_design *design, int index, brn_design_parameter *out);
BRN_API const char *brn_design_scene(const brn_design *design); /* its file */
BRN_API const char *
brn_design_objective(const brn_design *design); /* as written; NULL: a sweep without one */
BRN_API bool brn_design_maximises(const brn_design *design);
/* The figures of its table, once it is prepared: those that it names, and whatever its expressions use. "" if there is none. */
BRN_API int brn_design_figure_count(const brn_design *design);
BRN_API const char *brn_design_figure(const brn_design *design, int index);
BRN_API int brn_design_constraint_count(const brn_design *design);
BRN_API const char *brn_design_constraint(const brn_design *design, int index);
/* Reference of the file, as brn_info. */
BRN_API brn_status brn_design_info(brn_ctx *ctx, char **text);

/* ---- simulations --------------------------------------------------------------------------------------------------------- */

/* One simulation. Pointers are valid until its outcome has been collected. */
typedef struct brn_design_job {
    int64_t number;         /* of the job, from 0 */
    const char *scene;      /* its file */
    const char *const *set; /* [nset] "path=value" */
    int nset;
    const char *folder; /* of the run: to be replaced */
    bool full;          /* with trajectory and report; else figures only */
    double limit;       /* [s] of processor time; 0: none */
} brn_design_job;

typedef struct brn_design_outcome {
    int64_t number;
    /* what brn_run returned; BRN_ERR_FULL ends everything, BRN_REMARK_STOPPED: it was stopped */
    brn_status status;
    /* nothing came back from it, by no fault of the design (its process was killed): a resume repeats it */
    bool lost;
    char reason[512]; /* of a failure */
    double wall, cpu; /* [s] */
} brn_design_outcome;

/* start: false if no job can be started at all. collect: waits for the end of one of those that were started; its status is negative
   if that cannot be known any more. */
typedef struct brn_evaluator {
    int slots; /* how many jobs may be under way */
    brn_status (*start)(void *user, const brn_design_job *job);
    brn_status (*collect)(void *user, brn_design_outcome *out);
    void *user;
} brn_evaluator;

/* ---- running it ---------------------------------------------------------------------------------------------------------- */

/* What is known of a point. Views, valid until the design is destroyed or run again. */
typedef struct brn_design_evaluation {
    int64_t index;
    const double *x;          /* [parameters] */
    double objective;         /* as the problem has it (not negated); NaN: none */
    const double *constraint; /* [constraints] lhs - rhs of each, at most 0 where it holds */
    const char *const *
        figure; /* [figures] of its first simulation, as JSON: a number, a word in quotes, null; NULL: null too */
    double violation; /* largest of them, at least 0; NaN: not known */
    int samples,
        succeeded; /* simulations, and how many of them worked; -1: the problem does not say what works */
    const char *status; /* "done", "failed" */
    const char *reason;
    const char *folder; /* of its (first) run, below the study's */
    double wall, cpu;   /* [s] */
} brn_design_evaluation;

typedef struct brn_design_progress {
    int64_t done, total;               /* evaluations */
    int running;                       /* simulations under way */
    double wall, cpu;                  /* [s] of this call; of all simulations */
    const brn_design_evaluation *last; /* just done; NULL: none, this is a sign of life */
    const brn_design_evaluation *best; /* NULL: none yet */
} brn_design_progress;

typedef struct brn_design_options {
    const char *out;        /* folder */
    bool resume, overwrite; /* a folder that holds a study: go on with it, or replace it */
    bool keep;              /* trajectories of all runs */
    bool no_rerun;          /* do not run the best once more for its trajectory */
    int64_t evaluations;    /* 0: what the problem says */
    int64_t seed;           /* of optimiser and sweep; < 0: what the problem says */
    double limit;           /* [s] of processor time a simulation; 0: what the problem says */
    brn_evaluator evaluator;
    /* Called when evaluations end; true stops, and everything is kept. May be NULL. */
    bool (*progress)(void *user, const brn_design_progress *progress);
    void *progress_user;
} brn_design_options;

typedef struct brn_design_result {
    /* why it ended: "budget", "tolerance", "target", "stalled"; "points" of a sweep; "stopped", "failed" */
    const char *end;
    int64_t evaluations;               /* in the table */
    int64_t repeated;                  /* of them, how many were in the log already */
    int64_t failed;                    /* without a value */
    brn_design_evaluation start, best; /* best: feasible if one was found; samples 0: there is none */
    double wall, cpu;                  /* [s], those of earlier calls included */
    bool feasible;                     /* there is a best, and it meets every constraint */
    bool rerun;                        /* the folder `best` holds a whole run of the best */
} brn_design_result;

BRN_API brn_design_options brn_design_options_default(void);
/* Writes log.jsonl as it goes; table.csv, best.yaml, summary.json and the folder best at its end, or when it stops (BRN_REMARK_STOPPED).
   BRN_ERR_FULL, ...: what was computed is in the log, and a resume goes on from there. */
BRN_API brn_status brn_design_run(brn_design *design, const brn_design_options *options,
                                  brn_design_result *out);
/* The evaluations of the last call, in order. */
BRN_API int64_t brn_design_evaluation_count(const brn_design *design);
BRN_API brn_status brn_design_get_evaluation(const brn_design *design, int64_t index,
                                             brn_design_evaluation *out);

#ifdef __cplusplus
}
#endif
#endif
