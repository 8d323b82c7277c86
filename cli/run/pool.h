/* Work in processes of their own, several at once: whatever happens to one leaves the others alone. Shared by `compare`, `design` and
   `sweep`. Call cli_stop_share and cli_stop_catch before. */
#ifndef CLI_POOL_H
#define CLI_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cli_pool cli_pool;

enum { CLI_POOL_SLOTS_MAX = 256, CLI_POOL_ANSWER_MAX = 16384 }; /* an answer fits in a pipe: no child waits for its reader */

typedef struct cli_work {
    int64_t number;
    /* In the child: fills the answer; its exit code. */
    int (*call)(void *user, void *answer);
    void *user;
    double limit;          /* [s] of processor time, rounded up; 0: none */
    bool ends_with_parent; /* killed when this process ends; else it is told, and stops in its own way */
} cli_work;

/* How a child ended. */
typedef struct cli_work_end {
    int64_t number;
    bool told;        /* its answer came */
    int signal, code; /* else: the signal that ended it (0: none), or its exit code */
    double wall, cpu; /* [s] */
} cli_work_end;

/* answer: bytes of it. NULL: no memory. */
cli_pool *cli_pool_create(int slots, size_t answer);
/* Kills what is still under way. */
void cli_pool_destroy(cli_pool *pool);
/* False, with errno: there is no process to be had. A free slot is the caller's affair. */
bool cli_pool_start(cli_pool *pool, const cli_work *work);
/* Waits until one has ended; false: none is under way. */
bool cli_pool_wait(cli_pool *pool, cli_work_end *end, void *answer);
/* Cores that this process may run on. */
int cli_cores(void);

#endif
