/* A run folder as a service: its packets, for any number of threads. */
#ifndef CLI_RECORDED_H
#define CLI_RECORDED_H

#include "server/server.h"

#include <brunt/brunt.h>
#include <pthread.h>
#include <sys/stat.h>

/* HDF5 is not thread-safe: one at a time. */
typedef struct cli_recorded {
    pthread_mutex_t lock;
    brn_ctx *ctx;
    brn_view *view;
    const char *dir;
    struct stat seen; /* the trajectory's file when it was opened */
} cli_recorded;

/* CLI_DONE, or the exit code with the reason on stderr; then there is nothing to close. dir stays the caller's. New
   frames are seen when the run's packet is requested again: reloading the page shows them. */
int cli_recorded_open(cli_recorded *run, brn_ctx *ctx, const char *dir);
void cli_recorded_close(cli_recorded *run);
/* Calls of a service whose user is the cli_recorded. */
void cli_recorded_run(void *user, cli_answer *answer);
void cli_recorded_frame(void *user, int index, cli_answer *answer);

#endif
