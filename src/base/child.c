#define _GNU_SOURCE /* dladdr, environ, SOCK_CLOEXEC */
#include "base/child.h"

#include "base/os.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A running program and what has been said so far. */
typedef struct call {
    brn_ctx *ctx;
    int fd; /* our end of the socket */
    pid_t pid;
    bool ended; /* nothing to wait for any more */
    int status; /* as of waitpid; -1: somebody else has it */
    const char *request;
    size_t size, sent;
    uint64_t length; /* announced length of the answer, once got >= 8 */
    size_t got;      /* bytes read, the length's own included */
    size_t capacity, limit;
    brn_child_result *out;
} call;

/* ---- starting -------------------------------------------------------------------------------------------------------- */

/* The host's environment with our settings, which come first and so win in getenv. */
static brn_status make_environment(brn_ctx *ctx, char ***out)
{
    static char *const settings[] = {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"};
    const size_t nsetting = sizeof settings / sizeof *settings;
    size_t count = 0;
    while (environ != NULL && environ[count] != NULL) {
        ++count;
    }
    BRN_ALLOC(ctx, *out, count + nsetting + 1);
    size_t used = 0;
    for (size_t i = 0; i < nsetting; ++i) {
        (*out)[used++] = settings[i];
    }
    for (size_t i = 0; i < count; ++i) {
        bool ours = false;
        for (size_t k = 0; k < nsetting; ++k) {
            const size_t name = (size_t)(strchr(settings[k], '=') - settings[k]) + 1;
            ours = ours || strncmp(environ[i], settings[k], name) == 0;
        }
        if (!ours) {
            (*out)[used++] = environ[i];
        }
    }
    return BRN_OK;
}

/* posix_spawn with the socket as input and output, nowhere to print, and signals as a fresh program has them. An errno. */
static int spawn(const char *program, int fd, char **environment, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigset_t all;
    (void)sigemptyset(&none);
    (void)sigfillset(&all);
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return error;
    }
    error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        (void)posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setsigdefault(&attributes, &all);
    error = posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&actions, fd, STDOUT_FILENO);
    }
    if (error == 0) {
        error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    if (error == 0) {
        char *const arguments[] = {(char *)program, NULL};
        error = posix_spawn(pid, program, &actions, &attributes, arguments, environment);
    }
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    return error;
}

static brn_status start(call *c, const char *program)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return brn_fail(c->ctx, BRN_ERR_FILE, "%s: cannot talk to it: %s", program, strerror(errno));
    }
    char **environment = NULL;
    const brn_status status = make_environment(c->ctx, &environment);
    const int error = status >= 0 ? spawn(program, pair[1], environment, &c->pid) : 0;
    brn_free(c->ctx, environment);
    (void)close(pair[1]);
    c->fd = pair[0];
    if (status < 0 || error != 0) {
        (void)close(c->fd);
        return status < 0
                   ? status
                   : brn_fail(c->ctx, BRN_ERR_MISSING, "%s: cannot be started: %s", program, strerror(error));
    }
    return BRN_OK;
}

/* ---- ending ---------------------------------------------------------------------------------------------------------- */

/* Looks whether the program has ended; `options` as of waitpid. */
static void look(call *c, int options)
{
    pid_t got = -1;
    do {
        got = waitpid(c->pid, &c->status, options);
    } while (got < 0 && errno == EINTR);
    if (got < 0) { /* collected by the host's handler, or by the system because SIGCHLD is ignored */
        c->status = -1;
    }
    c->ended = got != 0;
}

/* Kills it if it still runs. It is our child and not yet waited for, so the number is its own. */
static void put_down(call *c)
{
    if (!c->ended) {
        look(c, WNOHANG);
    }
    if (!c->ended) {
        (void)kill(c->pid, SIGKILL);
        look(c, 0);
    }
}

/* The socket is closed: the program is about to end, unless it only closed its output. */
static brn_child_end how_it_ended(call *c)
{
    for (int i = 0; i < 1000 && !c->ended; ++i) {
        look(c, WNOHANG);
        if (!c->ended) {
            const struct timespec pause = {.tv_nsec = 1000000};
            (void)nanosleep(&pause, NULL);
        }
    }
    if (!c->ended) {
        return BRN_CHILD_MUTE;
    }
    if (c->status != -1 && WIFSIGNALED(c->status)) {
        c->out->code = WTERMSIG(c->status);
        return BRN_CHILD_KILLED;
    }
    c->out->code = c->status == -1 ? 0 : WEXITSTATUS(c->status);
    return c->status == -1 ? BRN_CHILD_GONE : BRN_CHILD_EXITED;
}

/* ---- talking --------------------------------------------------------------------------------------------------------- */

static bool is_transient(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

/* Sends what the socket takes. A program that has closed it may have answered all the same. */
static void say(call *c)
{
    const ssize_t n = send(c->fd, c->request + c->sent, c->size - c->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n >= 0) {
        c->sent += (size_t)n;
    } else if (!is_transient(errno)) {
        c->sent = c->size;
    }
}

/* Reads what is there: first the length, then the answer, whose room grows with what has come. *closed: nothing will. */
static brn_status listen_to(call *c, bool *closed)
{
    const size_t head = sizeof c->length;
    char *place = (char *)&c->length + c->got;
    size_t room = head - (c->got < head ? c->got : head);
    if (room == 0) {
        const size_t used = c->got - head;
        if (c->out->bytes == NULL || used == c->capacity) {
            const size_t first = c->length < 65536 ? (size_t)c->length : 65536;
            size_t wanted = c->out->bytes == NULL ? first : 2 * c->capacity;
            wanted = wanted > c->length ? (size_t)c->length : wanted;
            char *grown = brn_realloc(c->ctx, c->out->bytes, wanted + 1, 1);
            if (grown == NULL) {
                return BRN_ERR_MEMORY;
            }
            c->out->bytes = grown;
            c->capacity = wanted;
        }
        place = c->out->bytes + used;
        room = c->capacity - used;
    }
    const ssize_t n = recv(c->fd, place, room, MSG_DONTWAIT);
    if (n > 0) {
        c->got += (size_t)n;
    } else {
        *closed = n == 0 || !is_transient(errno);
    }
    return BRN_OK;
}

static bool is_answered(const call *c)
{
    return c->got >= sizeof c->length && c->got - sizeof c->length == c->length;
}

/* Sends and reads until the answer is whole or cannot come any more. */
static brn_status talk(call *c, double deadline)
{
    bool closed = false;
    while (!is_answered(c)) {
        BRN_TRY(brn_ctx_check(c->ctx));
        const double left = deadline - brn_wall_time();
        if (!(left > 0.0)) {
            c->out->end = BRN_CHILD_LATE;
            return BRN_OK;
        }
        if (closed) {
            c->out->end = how_it_ended(c);
            return BRN_OK;
        }
        /* A copy of the other end may live on in a process that the host forked meanwhile: look after the program itself. */
        struct pollfd one = {.fd = c->fd, .events = (short)(POLLIN | (c->sent < c->size ? POLLOUT : 0))};
        const int ready = poll(&one, 1, left < 0.2 ? 1 + (int)(1e3 * left) : 200);
        if (ready == 0) {
            if (c->ended) {
                closed = true;
            } else {
                look(c, WNOHANG); /* what it said before its end is read first */
            }
        }
        if (ready > 0 && (one.revents & POLLOUT) != 0) {
            say(c);
        }
        if (ready > 0 && (one.revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
            BRN_TRY(listen_to(c, &closed));
        }
        if (c->got >= sizeof c->length && c->length > c->limit) {
            c->out->end = BRN_CHILD_LONG;
            return BRN_OK;
        }
    }
    c->out->end = BRN_CHILD_ANSWERED;
    c->out->length = (size_t)c->length;
    return BRN_OK;
}

brn_status brn_child_call(brn_ctx *ctx, const char *program, const void *request, size_t size, double wall,
                          size_t limit, brn_child_result *out)
{
    memset(out, 0, sizeof *out);
    call c = {.ctx = ctx, .request = request, .size = size, .limit = limit, .out = out};
    const double deadline = brn_wall_time() + wall;
    BRN_TRY(start(&c, program));
    const brn_status status = talk(&c, deadline);
    put_down(&c);
    (void)close(c.fd);
    if (status < 0 || out->end != BRN_CHILD_ANSWERED) {
        brn_free(ctx, out->bytes);
        out->bytes = NULL;
    }
    return status;
}

/* ---- where programs are ---------------------------------------------------------------------------------------------- */

/* Cuts a path at its last slash. */
static void to_folder(char path[BRN_PATH_SIZE])
{
    char *slash = strrchr(path, '/');
    if (slash != NULL) {
        *slash = '\0';
    } else {
        path[0] = '\0';
    }
}

void brn_program_folder(char folder[BRN_PATH_SIZE])
{
    const ssize_t n = readlink("/proc/self/exe", folder, BRN_PATH_SIZE - 1);
    folder[n > 0 && n < BRN_PATH_SIZE - 1 ? n : 0] = '\0';
    to_folder(folder);
}

void brn_code_folder(char folder[BRN_PATH_SIZE])
{
    /* A relative name counts from where the host started, which need not be where it is now. */
    Dl_info info;
    static const char here = 0;
    const bool known = dladdr(&here, &info) != 0 && info.dli_fname != NULL && info.dli_fname[0] == '/' &&
                       strlen(info.dli_fname) < BRN_PATH_SIZE;
    (void)snprintf(folder, BRN_PATH_SIZE, "%s", known ? info.dli_fname : "");
    to_folder(folder);
}

bool brn_can_execute(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}
