#define _GNU_SOURCE /* nftw, mkdtemp */
#include "picture/process.h"

#include "terminal/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
# include <sys/prctl.h>
#endif

static void pause_for(double seconds)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * seconds)}, NULL);
}

/* ---- finding ---------------------------------------------------------------------------------------------------------- */

static bool can_run(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

bool cli_program_find(const char *name, char *path, size_t size)
{
    if (strchr(name, '/') != NULL) {
        return snprintf(path, size, "%s", name) < (int)size && can_run(path);
    }
    const char *at = getenv("PATH");
    while (at != NULL) {
        const int length = (int)strcspn(at, ":");
        if (length > 0 && snprintf(path, size, "%.*s/%s", length, at, name) < (int)size && can_run(path)) {
            return true;
        }
        at = at[length] == ':' ? at + length + 1 : NULL;
    }
    return false;
}

/* ---- starting --------------------------------------------------------------------------------------------------------- */

/* In the child, where only what is safe after a fork with threads may be called. */
static void become(char *const argv[], char *const environment[], int in, int log, pid_t parent)
{
    enum { FILES_MAX = 1024 };
    (void)setpgid(0, 0);
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) {
        _exit(127);
    }
    (void)dup2(in, 0);
    (void)dup2(log, 1);
    (void)dup2(log, 2);
    for (int file = 3; file < FILES_MAX; ++file) {
        (void)close(file);
    }
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGXFSZ, SIG_DFL);
    (void)execve(argv[0], argv, environment);
    _exit(127);
}

/* Our environment with another TMPDIR, which `place` holds. Free the array only. */
static char **change_environment(char *place, size_t size, const char *tmp)
{
    static const char name[] = "TMPDIR=";
    size_t count = 0;
    while (environ[count] != NULL) {
        ++count;
    }
    char **changed = calloc(count + 2, sizeof *changed);
    if (changed != NULL) {
        size_t kept = 0;
        for (size_t i = 0; i < count; ++i) {
            if (tmp == NULL || strncmp(environ[i], name, sizeof name - 1) != 0) {
                changed[kept++] = environ[i];
            }
        }
        if (tmp != NULL) {
            (void)snprintf(place, size, "%s%s", name, tmp);
            changed[kept] = place;
        }
    }
    return changed;
}

bool cli_process_start(cli_process *process, char *const argv[], const char *log, const char *tmp, bool piped)
{
    *process = (cli_process){.in = -1};
    int ends[2] = {-1, -1};
    const int out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (piped) {
        if (pipe(ends) != 0) {
            ends[0] = ends[1] = -1;
        }
    } else {
        ends[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
    char place[CLI_SCRATCH_SIZE + 16];
    char **environment = change_environment(place, sizeof place, tmp);
    const pid_t parent = getpid();
    const pid_t child = out >= 0 && ends[0] >= 0 && environment != NULL ? fork() : -1;
    if (child == 0) {
        become(argv, environment, ends[0], out, parent);
    }
    const int problem = errno;
    free(environment);
    if (out >= 0) {
        (void)close(out);
    }
    if (ends[0] >= 0) {
        (void)close(ends[0]);
    }
    if (child < 0) {
        if (ends[1] >= 0) {
            (void)close(ends[1]);
        }
        cli_error("cannot start %s: %s", argv[0], strerror(problem));
        return false;
    }
    (void)setpgid(child, child); /* whoever of the two comes first */
    if (ends[1] >= 0) {
        (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    }
    process->pid = child;
    process->in = ends[1];
    return true;
}

/* ---- ending ------------------------------------------------------------------------------------------------------------- */

bool cli_process_running(cli_process *process)
{
    if (process->pid == 0) {
        return false;
    }
    int status = 0;
    const pid_t ended = waitpid(process->pid, &status, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR)) {
        return true;
    }
    process->code = ended < 0             ? -1
                    : WIFEXITED(status)   ? WEXITSTATUS(status)
                    : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                          : -1;
    /* Its leftover children go too. */
    (void)kill(-process->pid, SIGKILL);
    process->pid = 0;
    return false;
}

static void close_input(cli_process *process)
{
    if (process->in >= 0) {
        (void)close(process->in);
        process->in = -1;
    }
}

static bool wait_for(cli_process *process, double seconds)
{
    const double step = 0.01;
    for (double waited = 0.0; cli_process_running(process); waited += step) {
        if (waited >= seconds) {
            return false;
        }
        pause_for(step);
    }
    return true;
}

bool cli_process_finish(cli_process *process, double seconds)
{
    close_input(process);
    return wait_for(process, seconds);
}

void cli_process_kill(cli_process *process)
{
    if (cli_process_running(process)) {
        (void)kill(-process->pid, SIGTERM);
        if (!wait_for(process, 2.0)) {
            (void)kill(-process->pid, SIGKILL);
            (void)wait_for(process, 10.0);
        }
    }
    /* Last: its end wakes up anyone still writing. */
    close_input(process);
}

/* ---- temporary files -------------------------------------------------------------------------------------------------------- */

bool cli_scratch_make(char folder[CLI_SCRATCH_SIZE])
{
    const char *where = getenv("TMPDIR");
    const int length = snprintf(folder, CLI_SCRATCH_SIZE, "%s/brunt-XXXXXX",
                                where != NULL && where[0] == '/' ? where : "/tmp");
    if (length >= CLI_SCRATCH_SIZE || mkdtemp(folder) == NULL) {
        cli_error("cannot make a temporary folder %s: %s", folder, strerror(errno));
        folder[0] = '\0';
        return false;
    }
    return true;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    (void)remove(path);
    return 0;
}

void cli_scratch_remove(const char *folder)
{
    /* Ending processes may still write there: try again. */
    for (int attempt = 0; attempt < 20 && folder[0] != '\0'; ++attempt) {
        (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
        if (access(folder, F_OK) != 0) {
            return;
        }
        pause_for(0.05);
    }
}
