/* FOLDER/brunt.lock, locked by flock: the system lets go when the last descriptor of the open file is closed, so the end of
   the process releases it however it comes. The descriptor is not inherited by programs that the process starts; a plain
   fork shares it. On NFS Linux turns flock into a lock at the server. The file says who holds the lock; where the system has
   no locks this text is all there is, and decides. */
#define _GNU_SOURCE /* flock, gethostname, gmtime_r */
#include "base/lock.h"

#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, NAME_SIZE = 128, TRIES = 1000 };

struct brn_lock {
    brn_ctx *ctx;
    int fd;
    struct stat file, folder; /* as they were when it was taken */
    char folder_path[PATH_SIZE], path[PATH_SIZE + 16];
};

/* Who holds a lock, as its file says. */
typedef struct holder {
    long process; /* 0: not known */
    char host[NAME_SIZE], since[NAME_SIZE];
} holder;

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static brn_status lock_error(const brn_lock *lock, const char *what)
{
    return brn_fail(lock->ctx, brn_file_status(errno), "%s: cannot %s: %s", lock->path, what,
                    strerror(errno));
}

/* ---- who ----------------------------------------------------------------------------------------------------------- */

static void own_host(char host[NAME_SIZE])
{
    if (gethostname(host, NAME_SIZE) != 0 || host[0] == '\0') {
        (void)snprintf(host, NAME_SIZE, "unknown");
    }
    host[NAME_SIZE - 1] = '\0';
}

static bool write_holder(int fd)
{
    char text[3 * NAME_SIZE], host[NAME_SIZE], since[NAME_SIZE] = "?";
    const time_t now = time(NULL);
    struct tm utc;
    own_host(host);
    if (gmtime_r(&now, &utc) != NULL) {
        (void)strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S UTC", &utc);
    }
    const int length =
        snprintf(text, sizeof text, "process %ld on %s since %s\n", (long)getpid(), host, since);
    return pwrite(fd, text, (size_t)length, 0) == length && ftruncate(fd, length) == 0;
}

static holder read_holder(int fd)
{
    char text[3 * NAME_SIZE];
    holder who = {0};
    const ssize_t got = pread(fd, text, sizeof text - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    if (sscanf(text, "process %ld on %127s since %127[^\n]", &who.process, who.host, who.since) != 3 ||
        who.process <= 0) {
        who = (holder){0};
    }
    return who;
}

static brn_status busy(const brn_lock *lock, bool sure)
{
    const holder who = read_holder(lock->fd);
    char name[3 * NAME_SIZE] = "another process";
    if (who.process > 0) {
        (void)snprintf(name, sizeof name, "process %ld on %s, since %s", who.process, who.host, who.since);
    }
    return brn_fail(lock->ctx, BRN_ERR_BUSY,
                    "%s: %s is writing there: wait for its end%s%s%s, or choose another folder",
                    lock->folder_path, name, sure ? "" : ", or delete ", sure ? "" : lock->path,
                    sure ? "" : " if it has ended");
}

/* ---- taking -------------------------------------------------------------------------------------------------------- */

/* Without locks of the system: the process named in the file holds it, unless this machine knows that it is gone. */
static brn_status take_by_name(const brn_lock *lock)
{
    const holder who = read_holder(lock->fd);
    char host[NAME_SIZE];
    own_host(host);
    if (who.process > 0 &&
        (strcmp(who.host, host) != 0 || kill((pid_t)who.process, 0) == 0 || errno != ESRCH)) {
        return busy(lock, false);
    }
    return write_holder(lock->fd) ? BRN_OK : lock_error(lock, "write");
}

/* *again: a holder removed the file between its being opened and locked. */
static brn_status try_once(brn_lock *lock, bool *again)
{
    struct stat now;
    *again = false;
    /* O_NONBLOCK: whatever bears that name, opening it does not wait. */
    lock->fd = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (lock->fd < 0 || fstat(lock->fd, &lock->file) != 0) {
        return lock_error(lock, "create");
    }
    if (!S_ISREG(lock->file.st_mode)) {
        return brn_fail(lock->ctx, BRN_ERR_FILE, "%s: is not a regular file: remove it", lock->path);
    }
    int locked = flock(lock->fd, LOCK_EX | LOCK_NB);
    for (int i = 0; locked != 0 && errno == EINTR && i < TRIES; ++i) {
        locked = flock(lock->fd, LOCK_EX | LOCK_NB);
    }
    if (locked != 0 && errno == EWOULDBLOCK) {
        return busy(lock, true);
    }
    if (stat(lock->path, &now) != 0 || !same_file(&now, &lock->file)) {
        *again = true;
        return BRN_OK;
    }
    if (locked != 0) {
        return take_by_name(lock);
    }
    (void)write_holder(lock->fd); /* a full disk is met by what is written next */
    return BRN_OK;
}

brn_status brn_lock_take(brn_ctx *ctx, const char *folder, brn_lock **out)
{
    BRN_GIVEN(NULL, ctx);
    BRN_GIVEN(ctx, folder);
    BRN_GIVEN(ctx, out);
    *out = NULL;
    if (strlen(folder) >= PATH_SIZE) {
        return brn_fail(ctx, BRN_ERR_FILE, "%s: path too long", folder);
    }
    BRN_TRY(brn_dir_make(ctx, folder));
    brn_lock *lock = NULL;
    BRN_ALLOC(ctx, lock, 1);
    lock->ctx = ctx;
    (void)snprintf(lock->folder_path, sizeof lock->folder_path, "%s", folder);
    (void)snprintf(lock->path, sizeof lock->path, "%s/brunt.lock", folder);
    brn_status status = BRN_OK;
    bool again = true;
    for (int i = 0; again && i < TRIES; ++i) {
        status = try_once(lock, &again);
        if (again || status < 0) {
            (void)close(lock->fd);
        }
    }
    if (again) {
        errno = EAGAIN;
        status = lock_error(lock, "lock");
    } else if (status >= 0 && stat(folder, &lock->folder) != 0) {
        status = lock_error(lock, "lock");
        (void)close(lock->fd);
    }
    if (status < 0) {
        brn_free(ctx, lock);
        return status;
    }
    *out = lock;
    return BRN_OK;
}

brn_status brn_lock_check(const brn_lock *lock)
{
    struct stat folder, file;
    const bool here = stat(lock->folder_path, &folder) == 0 && same_file(&folder, &lock->folder);
    const bool replaced = stat(lock->path, &file) == 0 && !same_file(&file, &lock->file);
    return here && !replaced
               ? BRN_OK
               : brn_fail(lock->ctx, BRN_ERR_FILE,
                          "%s: the folder was removed, moved or taken by another run while this "
                          "one was writing there",
                          lock->folder_path);
}

void brn_lock_release(brn_lock *lock)
{
    if (lock == NULL) {
        return;
    }
    /* Removed while it is still locked: whoever has opened it in the meantime sees that it is gone. */
    struct stat now;
    if (stat(lock->path, &now) == 0 && same_file(&now, &lock->file)) {
        (void)unlink(lock->path);
    }
    (void)close(lock->fd);
    brn_free(lock->ctx, lock);
}
