/* Progress of a run on stderr: a bar that redraws itself on a terminal, plain lines now and then otherwise. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <brunt/brunt.h>
#include <stdbool.h>

typedef struct cli_progress {
    bool quiet;          /* show nothing */
    bool terminal;       /* stderr is one */
    bool line_shown;     /* the bar stands on the current line */
    bool started;        /* `last_*` hold a report */
    double last_wall;    /* [s] of the last report shown */
    double last_done;    /* fraction done at the last report shown */
    double last_time;    /* [s] simulated, then */
    double rate_time;    /* simulated s per wall s, smoothed */
    double rate_steps;   /* steps per wall s, smoothed */
    int64_t iterations;  /* since the last report shown */
    int64_t steps_since; /* likewise */
} cli_progress;

cli_progress cli_progress_start(bool quiet);
void cli_progress_show(cli_progress *p, const brn_progress *now);
/* Likewise for counted things, "picture 3/20"; total 0: not known. wall [s] since the start. note: what else to say, "": nothing. */
void cli_progress_count(cli_progress *p, const char *noun, int done, int total, double wall, const char *note);
/* Clears the bar, so that something else can be printed there. */
void cli_progress_clear(cli_progress *p);

#endif
