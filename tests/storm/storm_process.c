#include "storm_process.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
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

/* ---- how slow the machine is ------------------------------------------------------------------------------------------------- */

/* [s] of processor time that the yardstick takes on the machine that budgets are for: products of small matrices, of which runs are full. It
   hardly depends on what else the machine does. */
static const double YARDSTICK = 0.033;
enum { ROUNDS = 3, PRODUCTS = 10000000 };

static double multiply(void)
{
    const double a[9] = {0.6, -0.8, 0.0, 0.8, 0.6, 0.0, 0.0, 0.0, 1.0};
    double b[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    for (int i = 0; i < PRODUCTS; ++i) {
        double c[9];
        for (int k = 0; k < 9; ++k) {
            c[k] =
                a[k / 3 * 3] * b[k % 3] + a[k / 3 * 3 + 1] * b[3 + k % 3] + a[k / 3 * 3 + 2] * b[6 + k % 3];
        }
        memcpy(b, c, sizeof b);
    }
    return b[0];
}

static double processor_time(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double storm_slowness(void)
{
    static volatile double result; /* so that the work is done */
    double shortest = INFINITY;
    for (int k = 0; k < ROUNDS; ++k) {
        const double before = processor_time();
        result = multiply();
        (void)result;
        shortest = fmin(shortest, processor_time() - before);
    }
    return fmax(1.0, shortest / YARDSTICK);
}

/* ---- runs --------------------------------------------------------------------------------------------------------------------- */

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

/* [s] so far; 0: not known */
static double processor_time_of(pid_t process)
{
    clockid_t clock;
    struct timespec t = {0};
    return clock_getcpuclockid(process, &clock) == 0 && clock_gettime(clock, &t) == 0
               ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec
               : 0.0;
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
    double used_last = 0.0, since = start;
    while (child > 0 && (ended = wait4(child, &status, WNOHANG, &used)) == 0) {
        const double used_now = processor_time_of(child);
        since = used_now > used_last ? now() : since;
        used_last = used_now;
        ran.hangs = now() - since > PATIENCE;
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
