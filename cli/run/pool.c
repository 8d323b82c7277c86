#define _GNU_SOURCE 1 /* sched_getaffinity */
#include "run/pool.h"

#include "terminal/stop.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct slot {
    pid_t process; /* 0: free */
    int pipe_end;
    int64_t number;
    double began;
    size_t got; /* bytes of the answer */
    char answer[CLI_POOL_ANSWER_MAX];
} slot;

struct cli_pool {
    int slots;
    size_t answer;
    slot *slot;
};

static double clock_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int cli_cores(void)
{
    cpu_set_t set;
    const int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return count > 0 ? count : 1;
}

cli_pool *cli_pool_create(int slots, size_t answer)
{
    cli_pool *pool = calloc(1, sizeof *pool);
    slot *array = calloc((size_t)slots, sizeof *array);
    if (pool == NULL || array == NULL || answer > CLI_POOL_ANSWER_MAX) {
        free(pool);
        free(array);
        return NULL;
    }
    *pool = (cli_pool){slots, answer, array};
    return pool;
}

void cli_pool_destroy(cli_pool *pool)
{
    for (int i = 0; pool != NULL && i < pool->slots; ++i) {
        if (pool->slot[i].process > 0) {
            (void)kill(pool->slot[i].process, SIGKILL);
            while (waitpid(pool->slot[i].process, NULL, 0) < 0 && errno == EINTR) {}
            cli_stop_child_gone(pool->slot[i].process);
            (void)close(pool->slot[i].pipe_end);
        }
    }
    if (pool != NULL) {
        free(pool->slot);
    }
    free(pool);
}

/* ---- in the child ---------------------------------------------------------------------------------------------------- */

static _Noreturn void be_child(const cli_pool *pool, const cli_work *work, pid_t parent, int pipe_end)
{
    cli_stop_follow(parent, work->ends_with_parent);
    for (int i = 0; i < pool->slots; ++i) {
        if (pool->slot[i].process > 0) {
            (void)close(pool->slot[i].pipe_end);
        }
    }
    if (work->limit > 0.0) {
        struct rlimit limit;
        if (getrlimit(RLIMIT_CPU, &limit) == 0) {
            limit.rlim_cur = (rlim_t)fmin(ceil(work->limit), 1e9);
            (void)signal(SIGXCPU, SIG_DFL);
            (void)setrlimit(RLIMIT_CPU, &limit);
        }
    }
    _Alignas(max_align_t) char answer[CLI_POOL_ANSWER_MAX] = {0};
    const int code = work->call(work->user, answer);
    const bool told = write(pipe_end, answer, pool->answer) == (ssize_t)pool->answer;
    (void)close(pipe_end);
    exit(told ? code : EXIT_FAILURE);
}

/* ---- in the parent ----------------------------------------------------------------------------------------------------- */

bool cli_pool_start(cli_pool *pool, const cli_work *work)
{
    int ends[2], free_slot = 0;
    while (free_slot < pool->slots && pool->slot[free_slot].process != 0) {
        ++free_slot;
    }
    if (free_slot == pool->slots || pipe(ends) != 0) {
        return false;
    }
    (void)fflush(stdout); /* else the child would print it once more */
    (void)fflush(stderr);
    const pid_t parent = getpid(), process = fork();
    if (process == 0) {
        (void)close(ends[0]);
        be_child(pool, work, parent, ends[1]);
    }
    (void)close(ends[1]);
    if (process < 0) {
        (void)close(ends[0]);
        return false;
    }
    (void)cli_stop_child(process);
    slot *s = &pool->slot[free_slot];
    s->process = process;
    s->pipe_end = ends[0];
    s->number = work->number;
    s->began = clock_now();
    s->got = 0;
    return true;
}

/* Takes what is there; true when nothing more will come. */
static bool read_some(const cli_pool *pool, slot *s)
{
    const size_t left = pool->answer - s->got;
    const ssize_t n = left > 0 ? read(s->pipe_end, s->answer + s->got, left) : 0;
    if (n < 0 && errno == EINTR) {
        return false;
    }
    s->got += n > 0 ? (size_t)n : 0;
    return n <= 0;
}

static void collect(const cli_pool *pool, slot *s, cli_work_end *end, char *answer)
{
    int status = 0;
    struct rusage used = {0};
    while (wait4(s->process, &status, 0, &used) < 0 && errno == EINTR) {}
    cli_stop_child_gone(s->process);
    (void)close(s->pipe_end);
    *end = (cli_work_end){
        .number = s->number,
        .told = s->got == pool->answer,
        .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
        .code = WIFEXITED(status) ? WEXITSTATUS(status) : 0,
        .wall = clock_now() - s->began,
        .cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec),
    };
    for (size_t i = 0; i < pool->answer; ++i) {
        answer[i] = s->answer[i];
    }
    s->process = 0;
}

bool cli_pool_wait(cli_pool *pool, cli_work_end *end, void *answer)
{
    for (;;) {
        struct pollfd ends[CLI_POOL_SLOTS_MAX];
        int at[CLI_POOL_SLOTS_MAX], count = 0;
        for (int i = 0; i < pool->slots && count < CLI_POOL_SLOTS_MAX; ++i) {
            if (pool->slot[i].process > 0) {
                at[count] = i;
                ends[count++] = (struct pollfd){.fd = pool->slot[i].pipe_end, .events = POLLIN};
            }
        }
        if (count == 0) {
            return false;
        }
        if (poll(ends, (nfds_t)count, -1) < 0) {
            continue; /* a signal: the children hear of it, and end */
        }
        for (int i = 0; i < count; ++i) {
            if (ends[i].revents != 0 && read_some(pool, &pool->slot[at[i]])) {
                collect(pool, &pool->slot[at[i]], end, answer);
                return true;
            }
        }
    }
}
