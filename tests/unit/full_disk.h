/* A disk that is full for one process: a child whose files may not grow beyond a limit (no root needed). */
#ifndef BRN_TESTS_UNIT_FULL_DISK_H
#define BRN_TESTS_UNIT_FULL_DISK_H

#include "test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs check(arg) in a child whose files end at `bytes`; it returns 0 if all is as it should be. The child leaves
   without exit handlers: what a library still holds there is its own business. */
static inline int with_full_disk(size_t bytes, int (*check)(void *arg), void *arg)
{
    (void)fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)signal(SIGXFSZ, SIG_IGN);
        const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = bytes};
        _exit(setrlimit(RLIMIT_FSIZE, &limit) == 0 ? check(arg) : 99);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

#endif
