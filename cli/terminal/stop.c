#include "terminal/stop.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t own_signal;
static volatile sig_atomic_t *told = &own_signal; /* shared with the child after cli_stop_share */
enum { CHILDREN_MAX = 256 };
static volatile sig_atomic_t child_process[CHILDREN_MAX]; /* 0: free */
static pid_t parent_process; /* not 0: this is a child */
static _Atomic(brn_ctx *) stepping;

static const double TWICE = 0.2; /* [s] */

static void cancel(int number)
{
    (void)number;
    brn_ctx_cancel(atomic_load(&stepping), true);
}

/* [s] by a clock that only goes on */
static double clock_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void tell_children(int number)
{
    for (int i = 0; i < CHILDREN_MAX; ++i) {
        if (child_process[i] > 0) {
            (void)kill((pid_t)child_process[i], number);
        }
    }
}

static void on_signal(int number)
{
    /* timeout(1) and job systems send to the process and to its group: one wish, two signals. */
    static double first;
    if (*told != 0 && clock_now() - first < TWICE) {
        return;
    }
    if (*told != 0) {
        tell_children(SIGKILL);
        (void)signal(number, SIG_DFL);
        (void)raise(number);
    }
    *told = number;
    first = clock_now();
    cancel(number);
    tell_children(SIGUSR1); /* they may be in a long step */
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

static void handle_all(void (*handler)(int))
{
    handle(SIGINT, handler);
    handle(SIGTERM, handler);
    /* A closed terminal, unless nohup asked to outlive it. */
    struct sigaction old;
    if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
        handle(SIGHUP, handler);
    }
}

void cli_stop_catch(void)
{
    /* A child obeys its parent's signal. */
    if (parent_process == 0) {
        handle_all(on_signal);
    }
}

void cli_stop_cancels(brn_ctx *ctx)
{
    atomic_store(&stepping, ctx);
}

int cli_stop_signal(void)
{
    if (*told == 0 && parent_process != 0 && getppid() != parent_process) {
        return SIGHUP;
    }
    return (int)*told;
}

bool cli_stop_share(void)
{
    void *page = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return false;
    }
    told = page; /* zeroed by the system */
    return true;
}

bool cli_stop_child(pid_t child)
{
    for (int i = 0; i < CHILDREN_MAX; ++i) {
        if (child_process[i] == 0) {
            child_process[i] = (sig_atomic_t)child;
            /* A signal between the fork and here did not reach it. */
            if (*told != 0) {
                (void)kill(child, SIGUSR1);
            }
            return true;
        }
    }
    return false;
}

void cli_stop_child_gone(pid_t child)
{
    for (int i = 0; i < CHILDREN_MAX; ++i) {
        if (child_process[i] == (sig_atomic_t)child) {
            child_process[i] = 0;
        }
    }
}

void cli_stop_follow(pid_t parent, bool at_once)
{
    parent_process = parent;
    handle_all(SIG_IGN);
    handle(SIGUSR1, cancel);
    /* Its siblings are none of its own. */
    for (int i = 0; i < CHILDREN_MAX; ++i) {
        child_process[i] = 0;
    }
    if (at_once) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) { /* gone before that was asked for */
            _exit(1);
        }
    }
}
