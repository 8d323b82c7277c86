#define _GNU_SOURCE /* pread, pwrite, ftruncate, flock */
#include "output/journal.h"

#include "base/hash.h"
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, PATH_BYTES = 4096 };

typedef struct page {
    uint64_t number; /* of the file's bytes [number * PAGE, (number + 1) * PAGE) */
    unsigned char *bytes;
} page;

/* An open file. */
typedef struct journal {
    H5FD_t head; /* HDF5's part: first */
    brn_ctx *ctx;
    int fd, log;       /* the file and its journal (-1: not yet made) */
    haddr_t eoa;       /* end of what HDF5 has given out */
    haddr_t size;      /* end of what has been written, to the file or to pages */
    haddr_t committed; /* nothing behind this is referred to by the file's last whole state */
    page *pages;       /* [npage] sorted by number; slots up to nslot keep their buffers */
    size_t npage, nslot, slot_capacity;
    bool dead;            /* nothing more is written */
    unsigned char *image; /* of a journal */
    size_t image_capacity;
    char log_path[PATH_BYTES + 16];
} journal;

/* PATH.journal starts with this; then the page numbers, then the pages. */
typedef struct log_head {
    uint64_t magic, npage;
    uint64_t size; /* of the file after the commit */
    uint64_t hash; /* of all that follows, and of npage and size */
} log_head;

#define LOG_MAGIC UINT64_C(0x316c6e6a746e7262) /* "brntjnl1" */

/* For brn_h5_fail, which looks for these words. */
static herr_t system_error(void)
{
    const int error = errno;
    (void)H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_VFL, H5E_WRITEERROR,
                   "error message = '%s'", strerror(error));
    errno = error;
    return -1;
}

static bool write_fully(int fd, const void *bytes, size_t size, haddr_t at)
{
    const unsigned char *p = bytes;
    while (size > 0) {
        const ssize_t n = pwrite(fd, p, size, (off_t)at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            errno = n == 0 ? ENOSPC : errno;
            return false;
        }
        p += n;
        at += (haddr_t)n;
        size -= (size_t)n;
    }
    return true;
}

/* What lies behind the file's end reads as zeros. */
static bool read_fully(int fd, void *bytes, size_t size, haddr_t at)
{
    unsigned char *p = bytes;
    while (size > 0) {
        const ssize_t n = pread(fd, p, size, (off_t)at);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return false;
        }
        if (n == 0) {
            memset(p, 0, size);
            return true;
        }
        p += n;
        at += (haddr_t)n;
        size -= (size_t)n;
    }
    return true;
}

/* ---- pages --------------------------------------------------------------------------------------------------------- */

/* Index of the first page with at least this number. */
static size_t page_index(const journal *j, uint64_t number)
{
    size_t lo = 0;
    size_t hi = j->npage;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (j->pages[mid].number < number) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

static brn_status reserve_slot(journal *j)
{
    if (j->npage == j->nslot) {
        BRN_GROW(j->ctx, j->pages, j->slot_capacity, j->nslot + 1);
        unsigned char *bytes = brn_realloc(j->ctx, NULL, PAGE, 1);
        if (bytes == NULL) {
            return BRN_ERR_MEMORY;
        }
        j->pages[j->nslot++].bytes = bytes;
    }
    return BRN_OK;
}

/* The page of that number, read from the file if it is not there yet; NULL on failure with errno set. */
static page *touch_page(journal *j, uint64_t number)
{
    const size_t at = page_index(j, number);
    if (at < j->npage && j->pages[at].number == number) {
        return &j->pages[at];
    }
    if (reserve_slot(j) < 0) {
        errno = ENOMEM;
        return NULL;
    }
    unsigned char *bytes = j->pages[j->npage].bytes;
    if (!read_fully(j->fd, bytes, PAGE, number * PAGE)) {
        return NULL;
    }
    memmove(j->pages + at + 1, j->pages + at, (j->npage - at) * sizeof *j->pages);
    j->pages[at] = (page){.number = number, .bytes = bytes};
    j->npage++;
    return &j->pages[at];
}

/* Copies between a buffer at `at` and those pages that are held. */
static void exchange(journal *j, haddr_t at, size_t size, unsigned char *buffer, bool into_pages)
{
    for (size_t i = page_index(j, at / PAGE); i < j->npage && j->pages[i].number * PAGE < at + size; ++i) {
        const haddr_t start = j->pages[i].number * PAGE;
        const haddr_t from = start > at ? start : at;
        const haddr_t to = start + PAGE < at + size ? start + PAGE : at + size;
        unsigned char *in_page = j->pages[i].bytes + (from - start);
        unsigned char *in_buffer = buffer + (from - at);
        if (into_pages) {
            memcpy(in_page, in_buffer, to - from);
        } else {
            memcpy(in_buffer, in_page, to - from);
        }
    }
}

/* ---- what HDF5 calls ----------------------------------------------------------------------------------------------- */

typedef struct driver_info {
    brn_ctx *ctx;
} driver_info;

static void release(journal *j)
{
    for (size_t i = 0; i < j->nslot; ++i) {
        brn_free(j->ctx, j->pages[i].bytes);
    }
    brn_free(j->ctx, j->pages);
    brn_free(j->ctx, j->image);
    if (j->log >= 0) {
        (void)close(j->log);
    }
    if (j->fd >= 0) {
        (void)close(j->fd);
    }
    brn_free(j->ctx, j);
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr)
{
    (void)maxaddr;
    const driver_info *info = H5Pget_driver_info(fapl);
    journal *j = info != NULL ? brn_calloc(info->ctx, 1, sizeof *j) : NULL;
    if (j == NULL) {
        errno = ENOMEM;
        (void)system_error();
        return NULL;
    }
    j->ctx = info->ctx;
    j->log = -1;
    const int mode =
        ((flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY) | ((flags & H5F_ACC_TRUNC) != 0 ? O_TRUNC : 0) |
        ((flags & H5F_ACC_CREAT) != 0 ? O_CREAT : 0) | ((flags & H5F_ACC_EXCL) != 0 ? O_EXCL : 0);
    j->fd = open(name, mode | O_CLOEXEC, 0666);
    struct stat status;
    const bool fits = snprintf(j->log_path, sizeof j->log_path, "%s.journal", name) < (int)sizeof j->log_path;
    if (j->fd < 0 || fstat(j->fd, &status) != 0 || !fits) {
        (void)system_error();
        release(j);
        return NULL;
    }
    j->size = (haddr_t)status.st_size;
    j->committed = j->size;
    return &j->head;
}

static int driver_cmp(const H5FD_t *a, const H5FD_t *b)
{
    struct stat sa;
    struct stat sb;
    if (fstat(((const journal *)a)->fd, &sa) != 0 || fstat(((const journal *)b)->fd, &sb) != 0) {
        return a < b ? -1 : a > b;
    }
    return sa.st_dev != sb.st_dev ? (sa.st_dev < sb.st_dev ? -1 : 1)
                                  : (sa.st_ino < sb.st_ino ? -1 : sa.st_ino > sb.st_ino);
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
             H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const journal *)file)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t eoa)
{
    (void)type;
    ((journal *)file)->eoa = eoa;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const journal *)file)->size;
}

static herr_t driver_get_handle(H5FD_t *file, hid_t fapl, void **handle)
{
    (void)fapl;
    *handle = file;
    return 0;
}

static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t at, size_t size, void *buffer)
{
    (void)type;
    (void)dxpl;
    journal *j = (journal *)file;
    if (!read_fully(j->fd, buffer, size, at)) {
        return system_error();
    }
    exchange(j, at, size, buffer, false);
    return 0;
}

static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t at, size_t size,
                           const void *buffer)
{
    (void)dxpl;
    journal *j = (journal *)file;
    if (j->dead || size == 0) {
        return 0;
    }
    if (type == H5FD_MEM_DRAW && at >= j->committed) {
        if (!write_fully(j->fd, buffer, size, at)) {
            return system_error();
        }
    } else {
        for (uint64_t number = at / PAGE; number * PAGE < at + size; ++number) {
            if (touch_page(j, number) == NULL) {
                return system_error();
            }
        }
    }
    exchange(j, at, size, (unsigned char *)(uintptr_t)buffer, true);
    j->size = at + size > j->size ? at + size : j->size;
    return 0;
}

/* Whoever writes holds the lock as long as the file is open. */
static herr_t driver_lock(H5FD_t *file, hbool_t exclusive)
{
    const int fd = ((journal *)file)->fd;
    return flock(fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 || errno == ENOSYS || errno == ENOLCK
               ? 0
               : system_error();
}

static herr_t driver_unlock(H5FD_t *file)
{
    return flock(((journal *)file)->fd, LOCK_UN) == 0 || errno == ENOSYS ? 0 : system_error();
}

/* ---- commit -------------------------------------------------------------------------------------------------------- */

/* A page's part of the file. */
static size_t page_size(const page *p, haddr_t end)
{
    const haddr_t start = p->number * PAGE;
    return end - start < PAGE ? (size_t)(end - start) : PAGE;
}

static bool write_page(int fd, const page *p, haddr_t end)
{
    return write_fully(fd, p->bytes, page_size(p, end), p->number * PAGE);
}

static uint64_t log_hash(const log_head *head, const unsigned char *rest)
{
    const uint64_t hash = brn_hash_bytes(BRN_HASH_START, &head->npage, 2 * sizeof head->npage);
    return brn_hash_bytes(hash, rest, head->npage * (sizeof(uint64_t) + PAGE));
}

/* The first `count` pages to the journal. */
static bool write_log(journal *j, size_t count, haddr_t end)
{
    const size_t length = sizeof(log_head) + count * (sizeof(uint64_t) + PAGE);
    if (j->image_capacity < length) {
        unsigned char *grown = brn_realloc(j->ctx, j->image, 2 * length, 1);
        if (grown == NULL) {
            errno = ENOMEM;
            return false;
        }
        j->image = grown;
        j->image_capacity = 2 * length;
    }
    unsigned char *numbers = j->image + sizeof(log_head);
    unsigned char *bytes = numbers + count * sizeof(uint64_t);
    for (size_t i = 0; i < count; ++i) {
        memcpy(numbers + i * sizeof(uint64_t), &j->pages[i].number, sizeof(uint64_t));
        memcpy(bytes + i * PAGE, j->pages[i].bytes, PAGE);
    }
    log_head head = {.magic = LOG_MAGIC, .npage = count, .size = end};
    head.hash = log_hash(&head, numbers);
    memcpy(j->image, &head, sizeof head);
    if (j->log < 0) {
        j->log = open(j->log_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    return j->log >= 0 && write_fully(j->log, j->image, length, 0);
}

static bool extend(int fd, haddr_t end)
{
    struct stat status;
    return fstat(fd, &status) == 0 && ((haddr_t)status.st_size >= end || ftruncate(fd, (off_t)end) == 0);
}

/* The four steps above; false with errno set. */
static bool commit_pages(journal *j)
{
    if (j->dead || j->npage == 0) {
        return true;
    }
    const haddr_t end = j->eoa > j->size ? j->eoa : j->size;
    size_t old = 0; /* pages that overlap the last whole state: the first ones, as they are sorted */
    while (old < j->npage && j->pages[old].number * PAGE < j->committed) {
        old++;
    }
    bool done = extend(j->fd, end);
    for (size_t i = old; i < j->npage && done; ++i) {
        done = write_page(j->fd, &j->pages[i], end);
    }
    done = done && write_log(j, old, end);
    for (size_t i = 0; i < old && done; ++i) {
        done = write_page(j->fd, &j->pages[i], end);
    }
    if (!done || ftruncate(j->log, 0) != 0) {
        return false;
    }
    j->npage = 0;
    j->size = end;
    j->committed = end;
    return true;
}

static herr_t driver_close(H5FD_t *file)
{
    journal *j = (journal *)file;
    const herr_t result = commit_pages(j) ? 0 : system_error();
    /* A journal that a failed commit left behind is kept for recover. */
    if (result == 0 && j->log >= 0 && !j->dead) {
        (void)unlink(j->log_path);
    }
    release(j);
    return result;
}

static const H5FD_class_t driver_class = {
#if H5_VERSION_GE(1, 13, 2)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, /* of the range that HDF5 leaves to others */
#endif
    .name = "brunt_journal",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(driver_info),
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_cmp,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .get_handle = driver_get_handle,
    .read = driver_read,
    .write = driver_write,
    .lock = driver_lock,
    .unlock = driver_unlock,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t brn_journal_access(brn_ctx *ctx)
{
    const driver_info info = {.ctx = ctx};
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const hid_t driver = H5FDregister(&driver_class);
    const bool made = access >= 0 && driver >= 0 && H5Pset_driver(access, driver, &info) >= 0 &&
                      H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18) >= 0 &&
                      H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0;
    if (driver >= 0) {
        (void)H5FDunregister(driver); /* the access list and the file keep it alive */
    }
    if (!made && access >= 0) {
        (void)H5Pclose(access);
    }
    return made ? access : H5I_INVALID_HID;
}

static journal *journal_of(brn_h5 *h5)
{
    void *handle = NULL;
    return H5Fget_vfd_handle(h5->file, H5P_DEFAULT, &handle) >= 0 ? handle : NULL;
}

brn_status brn_journal_commit(brn_h5 *h5)
{
    if (H5Fflush(h5->file, H5F_SCOPE_LOCAL) < 0) {
        return brn_h5_fail(h5, BRN_ERR_FILE, "write", "the file");
    }
    journal *j = journal_of(h5);
    if (j == NULL || !commit_pages(j)) {
        return brn_fail(h5->ctx, errno == ENOMEM ? BRN_ERR_MEMORY : BRN_ERR_FILE, "%s: cannot write: %s",
                        h5->path, strerror(errno));
    }
    return BRN_OK;
}

brn_status brn_journal_sync(brn_h5 *h5)
{
    BRN_TRY(brn_journal_commit(h5));
    const journal *j = journal_of(h5);
    return j != NULL && fsync(j->fd) == 0
               ? BRN_OK
               : brn_fail(h5->ctx, BRN_ERR_FILE, "%s: cannot sync: %s", h5->path, strerror(errno));
}

void brn_journal_abandon(brn_h5 *h5)
{
    journal *j = journal_of(h5);
    if (j != NULL) {
        j->dead = true;
    }
}

/* ---- recover ------------------------------------------------------------------------------------------------------- */

/* A journal that was cut short by the kill counts for nothing. */
static bool log_is_whole(const unsigned char *log, size_t length, log_head *head)
{
    if (length < sizeof *head) {
        return false;
    }
    memcpy(head, log, sizeof *head);
    return head->magic == LOG_MAGIC && head->npage <= (length - sizeof *head) / (sizeof(uint64_t) + PAGE) &&
           head->size <= INT64_MAX && head->hash == log_hash(head, log + sizeof *head);
}

static brn_status apply_log(brn_ctx *ctx, const char *path, int fd, const unsigned char *log,
                            const log_head *head)
{
    const unsigned char *numbers = log + sizeof *head;
    const unsigned char *bytes = numbers + head->npage * sizeof(uint64_t);
    bool done = extend(fd, head->size);
    for (uint64_t i = 0; i < head->npage && done; ++i) {
        page p = {.bytes = (unsigned char *)(uintptr_t)(bytes + i * PAGE)};
        memcpy(&p.number, numbers + i * sizeof(uint64_t), sizeof p.number);
        if (p.number >= head->size / PAGE + 1 || p.number * PAGE >= head->size) {
            return brn_fail(ctx, BRN_ERR_FORMAT, "%s.journal: a page lies outside the file", path);
        }
        done = write_page(fd, &p, head->size);
    }
    done = done && fsync(fd) == 0;
    return done ? BRN_OK : brn_fail(ctx, BRN_ERR_FILE, "%s: cannot repair: %s", path, strerror(errno));
}

brn_status brn_journal_recover(brn_ctx *ctx, const char *path)
{
    char log_path[PATH_BYTES + 16];
    if (snprintf(log_path, sizeof log_path, "%s.journal", path) >= (int)sizeof log_path ||
        !brn_file_exists(log_path)) {
        return BRN_OK;
    }
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return errno == ENOENT
                   ? BRN_OK
                   : brn_fail(ctx, BRN_ERR_FILE, "%s: its writer was killed, and it cannot be repaired: %s",
                              path, strerror(errno));
    }
    brn_status status = BRN_OK;
    /* The writer has locked the file as long as it lives. */
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno == ENOSYS) {
        char *log = NULL;
        size_t length = 0;
        log_head head;
        status = brn_file_read(ctx, log_path, (size_t)1 << 32, &log, &length);
        if (status >= 0 && log_is_whole((const unsigned char *)log, length, &head)) {
            status = apply_log(ctx, path, fd, (const unsigned char *)log, &head);
        }
        brn_free(ctx, log);
        if (status >= 0) {
            (void)unlink(log_path);
        }
    }
    (void)close(fd);
    return status;
}
