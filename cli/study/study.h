/* A study from the command line: what `design` and `sweep` share. */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "terminal/options.h"

#include <brunt/design.h>

typedef struct cli_study_args {
    const char *operand; /* as given: for messages */
    const char *path;    /* of the problem's file; NULL: text */
    const char *text;    /* of a problem made from options, which the scene `name` is relative to */
    const char *name;
    const char *out; /* NULL: out/NAME-design or out/NAME-sweep */
    cli_list set;
    int jobs, threads, evaluations, seed, limit; /* 0 or -1: not given */
    bool resume, overwrite, keep, quiet;
    brn_design_kind kind;
} cli_study_args;

/* Exit code. */
int cli_study_run(const cli_study_args *args);

#endif
