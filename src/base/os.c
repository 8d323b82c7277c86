#define _GNU_SOURCE /* fileno, flock, realpath, fsync, sched_getaffinity */
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    return clock_gettime(clock, &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0.0;
}

double brn_wall_time(void)
{
    return seconds(CLOCK_MONOTONIC);
}

int brn_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) {
        return CPU_COUNT(&set);
    }
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

double brn_cpu_time(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

double brn_thread_time(void)
{
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}

double brn_peak_mb(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024.0 : 0.0;
}

bool brn_memory_has(size_t bytes)
{
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, bytes) == 0;
}

double brn_memory_limit_mb(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
               ? (double)limit.rlim_cur / 1048576.0
               : INFINITY;
}

brn_status brn_file_status(int error)
{
    const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
    return error == ENOMEM ? BRN_ERR_MEMORY : full ? BRN_ERR_FULL : BRN_ERR_FILE;
}

static brn_status file_error(brn_ctx *ctx, const char *path, const char *what)
{
    return brn_fail(ctx, brn_file_status(errno), "%s: cannot %s: %s", path, what, strerror(errno));
}

/* What is there instead of a regular file, "" for one. */
static const char *other_kind(mode_t mode)
{
    return S_ISREG(mode)    ? ""
           : S_ISDIR(mode)  ? "a folder"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

static brn_status check_kind(brn_ctx *ctx, const char *path, mode_t mode)
{
    const char *other = other_kind(mode);
    return other[0] == '\0' ? BRN_OK
                            : brn_fail(ctx, BRN_ERR_FILE, "%s: is %s, not a file%s", path, other,
                                       S_ISDIR(mode) ? "" : ": only regular files are read");
}

brn_status brn_file_check(brn_ctx *ctx, const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? check_kind(ctx, path, info.st_mode) : file_error(ctx, path, "open");
}

/* Looked at before it is opened, which can wait (a pipe) or do something (a device), and once more when it is open. */
static brn_status open_file(brn_ctx *ctx, const char *path, int *fd, size_t *size)
{
    struct stat info;
    BRN_TRY(brn_file_check(ctx, path));
    *fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*fd < 0) {
        return file_error(ctx, path, "open");
    }
    brn_status status =
        fstat(*fd, &info) == 0 ? check_kind(ctx, path, info.st_mode) : file_error(ctx, path, "read");
    if (status < 0) {
        (void)close(*fd);
    }
    *size = info.st_size > 0 ? (size_t)info.st_size : 0;
    return status;
}

static double memory_bytes(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (double)pages * (double)page : (double)SIZE_MAX;
}

/* [bytes] read at once; after that many it is asked whether somebody still waits for the file. */
static const size_t PIECE = (size_t)16 << 20;

brn_status brn_file_read(brn_ctx *ctx, const char *path, size_t limit, char **out, size_t *length)
{
    *out = NULL;
    *length = 0;
    int fd = -1;
    size_t size = 0;
    BRN_TRY(open_file(ctx, path, &fd, &size));
    char *data = NULL;
    size_t used = 0;
    size_t capacity = 0;
    brn_status status = BRN_OK;
    if ((double)size > memory_bytes()) {
        status = brn_fail(ctx, BRN_ERR_MEMORY, "%s: %zu bytes, more than this machine's memory", path, size);
    }
    /* A file may be longer than it says (those of /proc), or grow. */
    while (status >= 0) {
        if (size > limit || used > limit) {
            status = brn_fail(ctx, BRN_ERR_LIMIT, "%s: larger than the limit of %zu bytes", path, limit);
            break;
        }
        if (capacity - used < 2) {
            const size_t wanted = capacity == 0 ? size + 2 : 2 * capacity;
            char *grown = brn_realloc(ctx, data, wanted, 1);
            if (grown == NULL) {
                status = brn_fail(ctx, BRN_ERR_MEMORY, "%s: out of memory while reading", path);
                break;
            }
            data = grown;
            capacity = wanted;
        }
        const size_t room = capacity - used - 1;
        const ssize_t got = read(fd, data + used, room < PIECE ? room : PIECE);
        if (got == 0) {
            break;
        }
        if (got < 0 && errno != EINTR) {
            status = file_error(ctx, path, "read");
        } else if (got == (ssize_t)PIECE) {
            status = brn_ctx_check(ctx);
        }
        used += got > 0 ? (size_t)got : 0;
    }
    (void)close(fd);
    if (status < 0) {
        brn_free(ctx, data);
        return status;
    }
    data[used] = '\0';
    *out = data;
    *length = used;
    return BRN_OK;
}

/* A rename would put a file in the place of a device or a pipe. */
static brn_status check_target(brn_ctx *ctx, const char *path)
{
    struct stat info;
    const char *other = stat(path, &info) == 0 ? other_kind(info.st_mode) : "";
    return other[0] == '\0'
               ? BRN_OK
               : brn_fail(ctx, BRN_ERR_FILE, "%s: is %s, not a file: nothing is written there", path, other);
}

brn_status brn_file_replace(brn_ctx *ctx, const char *temporary, const char *path)
{
    BRN_TRY(check_target(ctx, path));
    const int fd = open(temporary, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return file_error(ctx, temporary, "open");
    }
    const int synced = fsync(fd);
    (void)close(fd);
    if (synced != 0) {
        return file_error(ctx, temporary, "sync");
    }
    return rename(temporary, path) == 0 ? BRN_OK : file_error(ctx, path, "replace");
}

/* How often a temporary file may be gone again, because whoever wrote it has just put it in its place. */
enum { TRIES = 100 };

/* Opens the temporary file and locks it, as two that write to one name would mix what they write; where the system has no locks it
   goes without. Without a stream: another one has just finished with it. */
static brn_status open_alone(brn_file_out *out)
{
    struct stat ours, now;
    const char *path = out->temporary;
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (fd < 0) {
        return file_error(out->ctx, path, "create");
    }
    brn_status status = BRN_OK;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        status = brn_fail(out->ctx, BRN_ERR_BUSY,
                          "%s: another process is writing it: wait for its end, or "
                          "choose another name",
                          out->path);
    } else if (fstat(fd, &ours) != 0) {
        status = file_error(out->ctx, path, "create");
    } else if (stat(path, &now) == 0 && now.st_dev == ours.st_dev && now.st_ino == ours.st_ino) {
        const bool empty = S_ISREG(ours.st_mode) && ftruncate(fd, 0) == 0;
        out->stream = empty ? fdopen(fd, "wb") : NULL;
        status = out->stream != NULL ? BRN_OK : file_error(out->ctx, path, "create");
    }
    if (out->stream == NULL) {
        (void)close(fd);
    }
    return status;
}

brn_status brn_file_begin(brn_ctx *ctx, const char *path, brn_file_out *out)
{
    out->ctx = ctx;
    out->stream = NULL;
    if (snprintf(out->path, sizeof out->path, "%s", path) >= (int)sizeof out->path) {
        return brn_fail(ctx, BRN_ERR_FILE, "%s: path too long", path);
    }
    BRN_TRY(check_target(ctx, path));
    (void)snprintf(out->temporary, sizeof out->temporary, "%s.tmp", path);
    for (int i = 0; out->stream == NULL && i < TRIES; ++i) {
        BRN_TRY(open_alone(out));
    }
    return out->stream != NULL ? BRN_OK : file_error(ctx, out->temporary, "create");
}

void brn_file_drop(brn_file_out *out)
{
    if (out->stream != NULL) {
        (void)remove(out->temporary); /* while it is locked: later it may be another's */
        (void)fclose(out->stream);
        out->stream = NULL;
    }
}

brn_status brn_file_add(brn_file_out *out, const void *bytes, size_t length)
{
    if (fwrite(bytes, 1, length, out->stream) == length) {
        return BRN_OK;
    }
    const brn_status status = file_error(out->ctx, out->temporary, "write");
    brn_file_drop(out);
    return status;
}

/* It stays open, and locked, until it has its name. */
brn_status brn_file_end(brn_file_out *out)
{
    brn_status status = BRN_OK;
    if (fflush(out->stream) != 0 || fsync(fileno(out->stream)) != 0) {
        status = file_error(out->ctx, out->temporary, "write");
    } else if (rename(out->temporary, out->path) != 0) {
        status = file_error(out->ctx, out->path, "replace");
    }
    if (status < 0) {
        brn_file_drop(out);
        return status;
    }
    (void)fclose(out->stream);
    out->stream = NULL;
    return BRN_OK;
}

brn_status brn_file_write(brn_ctx *ctx, const char *path, const char *bytes, size_t length)
{
    brn_file_out out;
    BRN_TRY(brn_file_begin(ctx, path, &out));
    BRN_TRY(brn_file_add(&out, bytes, length));
    return brn_file_end(&out);
}

static bool write_all(int fd, const char *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        const ssize_t n = write(fd, bytes + done, length - done);
        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

brn_status brn_file_append(brn_ctx *ctx, const char *path, const char *bytes, size_t length)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        return file_error(ctx, path, "open");
    }
    const off_t end = lseek(fd, 0, SEEK_END);
    brn_status status = BRN_OK;
    if (end < 0 || !write_all(fd, bytes, length) || fsync(fd) != 0) {
        status = file_error(ctx, path, "write");
        if (end >= 0 && ftruncate(fd, end) != 0) {
            status = file_error(ctx, path, "cut");
        }
    }
    (void)close(fd);
    return status;
}

brn_status brn_file_truncate(brn_ctx *ctx, const char *path, size_t length)
{
    return truncate(path, (off_t)length) == 0 ? BRN_OK : file_error(ctx, path, "cut");
}

bool brn_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool brn_file_same(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

brn_status brn_file_remove(brn_ctx *ctx, const char *path)
{
    const bool gone = unlink(path) == 0 || errno == ENOENT || errno == ENOTDIR || errno == EISDIR;
    return gone ? BRN_OK : file_error(ctx, path, "remove");
}

brn_status brn_dir_make(brn_ctx *ctx, const char *path)
{
    char copy[4096];
    const size_t n = strlen(path);
    if (n == 0 || n >= sizeof copy) {
        return brn_fail(ctx, BRN_ERR_FILE, "'%s': not a folder name", path);
    }
    memcpy(copy, path, n + 1);
    for (char *c = copy + 1;; ++c) {
        if (*c == '/' || *c == '\0') {
            const char saved = *c;
            *c = '\0';
            if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
                return file_error(ctx, copy, "create");
            }
            *c = saved;
            if (saved == '\0') {
                break;
            }
        }
    }
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
        return brn_fail(ctx, BRN_ERR_FILE, "%s: is not a folder", path);
    }
    return BRN_OK;
}

char *brn_path_full(brn_ctx *ctx, const char *path)
{
    char full[PATH_MAX];
    return realpath(path, full) != NULL ? brn_strdup(ctx, full) : NULL;
}

char *brn_path_join(brn_ctx *ctx, const char *dir, const char *name)
{
    const size_t n = strlen(dir) + strlen(name) + 2;
    char *joined = brn_calloc(ctx, n, 1);
    if (joined != NULL) {
        const bool plain = name[0] == '/' || dir[0] == '\0';
        (void)snprintf(joined, n, "%s%s%s", plain ? "" : dir, plain ? "" : "/", name);
    }
    return joined;
}

char *brn_path_beside(brn_ctx *ctx, const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    char dir[4096] = ".";
    if (slash != NULL) {
        (void)snprintf(dir, sizeof dir, "%.*s", (int)(slash - path), path);
    }
    return brn_path_join(ctx, slash == path ? "/" : dir, name);
}

const char *brn_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const char *brn_path_extension(const char *path)
{
    const char *base = brn_path_base(path);
    const char *dot = strrchr(base, '.');
    return dot != NULL && dot != base ? dot + 1 : "";
}
