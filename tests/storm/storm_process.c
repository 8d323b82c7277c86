#include "storm_process.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A process that takes no processor time for so long waits for something that never comes; machines may be busy. */
static const double PATIENCE = 1200.0; /* [s] */

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void become(const char *const argv[], const char *log, double budget)
{
    const struct rlimit limit = {(rlim_t)ceil(budget), (rlim_t)ceil(budget) + 1};
    const struct rlimit no_core = {0, 0};
    const int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const int in = open("/dev/null", O_RDONLY);
    if (out >= 0 && in >= 0 && dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2 &&
        setrlimit(RLIMIT_CPU, &limit) == 0 && setrlimit(RLIMIT_CORE, &no_core) == 0) {
        (void)execv(argv[0], (char *const *)argv);
    }
    _exit(127);
}

storm_ran storm_run(const char *const argv[], const char *log, double budget, double kill_at)
{
    storm_ran ran = {.code = -1};
    const double start = now();
    const pid_t child = fork();
    if (child == 0) {
        become(argv, log, budget);
    }
    int status = 0;
    struct rusage used = {0};
    pid_t ended = 0;
    while (child > 0 && (ended = wait4(child, &status, WNOHANG, &used)) == 0) {
        ran.hangs = now() - start > PATIENCE;
        if (ran.hangs || (kill_at > 0.0 && now() - start > kill_at)) {
            (void)kill(child, SIGKILL);
        }
        (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    ran.wall = now() - start;
    ran.cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
              1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    ran.code = ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ran.signal = ended == child && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return ran;
}
