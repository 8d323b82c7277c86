/* The command as a process, with a limit of processor time, killed at a given moment if wanted. */
#ifndef BRN_TESTS_STORM_STORM_PROCESS_H
#define BRN_TESTS_STORM_STORM_PROCESS_H

#include <stdbool.h>

typedef struct storm_ran {
    int code;         /* exit code; -1: ended by a signal */
    int signal;       /* 0: none */
    bool hangs;       /* ended after STORM_PATIENCE */
    double cpu, wall; /* [s] */
} storm_ran;

/* argv ends with NULL. What it prints goes to the file `log`. budget: processor time [s]; kill: moment of SIGKILL [s]; 0: none. */
storm_ran storm_run(const char *const argv[], const char *log, double budget, double kill);

/* How many times as much processor time as on the machine that budgets are for; at least 1. Measured anew with each call. */
double storm_slowness(void);

#endif
