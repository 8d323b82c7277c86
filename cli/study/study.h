/* A study from the command line: what `design` and `sweep` share. */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "run/pool.h"
#include "terminal/options.h"

#include <brunt/design.h>
#include <limits.h>

typedef struct cli_study_args {
    const char *operand; /* as given: for messages */
    const char *path;    /* of the problem's file; NULL: text */
    const char *text;    /* of a problem made from options, which the scene `name` is relative to */
    const char *name;
    const char *out; /* NULL: out/NAME-design or out/NAME-sweep */
    cli_list set;
    int jobs, threads, evaluations, seed, limit; /* 0 or -1: not given */
    bool resume, overwrite, keep, quiet, mpi;
    brn_design_kind kind;
} cli_study_args;

/* The options of both, for a table of cli_option: a is the cli_study_args, the texts are what differs. */
#define CLI_STUDY_OPTIONS(a, out_help, evaluations_help, seed_help)                                   \
 {"out", 'o', CLI_TEXT, "DIR", out_help, &(a).out, 0, 0, NULL},                                       \
     {"jobs",                                                                                         \
      'j',                                                                                            \
      CLI_INT,                                                                                        \
      "N",                                                                                            \
      "simulations at once (default: one per core); results do not depend on it",                     \
      &(a).jobs,                                                                                      \
      1,                                                                                              \
      CLI_POOL_SLOTS_MAX,                                                                             \
      NULL},                                                                                          \
     {"mpi",    0, CLI_FLAG, NULL, "under mpirun: simulations in all ranks, --jobs of them in each",  \
      &(a).mpi, 0, 0,        NULL},                                                                   \
     {"threads",    0, CLI_INT, "N", "worker threads of each simulation (default 1)",                 \
      &(a).threads, 1, 1024,    NULL},                                                                \
     {"evaluations", 0, CLI_INT, "N", evaluations_help, &(a).evaluations, 1, INT_MAX, NULL},          \
     {"seed", 0, CLI_INT, "S", seed_help, &(a).seed, 0, INT_MAX, NULL},                               \
     {"limit",    0, CLI_INT, "S", "seconds of processor time, beyond which a simulation has failed", \
      &(a).limit, 1, INT_MAX, NULL},                                                                  \
     {"set",    0, CLI_LIST, "PATH=VALUE", "override one value of the scene; may be repeated",        \
      &(a).set, 0, 0,        NULL},                                                                   \
     {"keep", 0, CLI_FLAG, NULL, "keep the trajectories of all simulations", &(a).keep, 0, 0, NULL},  \
     {"resume", 0, CLI_FLAG, NULL, "go on with the study in the folder", &(a).resume, 0, 0, NULL},    \
     {"overwrite", 0, CLI_FLAG, NULL, "replace the study in the folder", &(a).overwrite, 0, 0, NULL}, \
 {                                                                                                    \
  "quiet", 'q', CLI_FLAG, NULL, "print errors only", &(a).quiet, 0, 0, NULL                           \
 }

/* Exit code. */
int cli_study_run(const cli_study_args *args);

#endif
