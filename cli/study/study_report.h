/* What a study says: its progress, and its result. */
#ifndef CLI_STUDY_REPORT_H
#define CLI_STUDY_REPORT_H

#include "terminal/progress.h"

#include <brunt/design.h>

typedef struct cli_study_report {
    const brn_design *design;
    cli_progress progress;
    bool quiet;
    int64_t best; /* index of the best that was told; -1: none */
} cli_study_report;

cli_study_report cli_study_report_start(const brn_design *design, bool quiet);
/* For brn_design_options.progress: user is the report. True when a signal asks to stop. */
bool cli_study_report_show(void *user, const brn_design_progress *progress);
void cli_study_report_clear(cli_study_report *report);
/* On stdout: the best values, before and after, and the files. */
void cli_study_report_print(const brn_design *design, const brn_design_result *result, const char *out);
/* The exit code, CLI_FAILED with a reason on stderr if no evaluation had a value. */
int cli_study_report_verdict(const brn_design *design, const brn_design_result *result);

#endif
