#define _GNU_SOURCE /* pread, pwrite, ftruncate, flock */
#include "output/trajectory/journal.h"

#include "base/hash.h"
#include "base/os.h"
#include "output/trajectory/journal_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

/* An open file. */
typedef struct journal {
    H5FD_t head; /* HDF5's part: first */
    brn_ctx *ctx;
    int log;                 /* the journal, -1: not yet made */
    haddr_t eoa;             /* end of what HDF5 has given out */
    haddr_t size;            /* end of what has been written, to the file or to pages */
    haddr_t committed;       /* the file's last whole state refers to nothing beyond this */
    brn_journal_pages pages; /* not yet committed, and the open file */
    bool dead;               /* nothing more is written */
    unsigned char *image;    /* of a journal */
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
                   "errno = %d, error message = '%s'", error, strerror(error));
    errno = error;
    return -1;
}

/* ---- what HDF5 calls ----------------------------------------------------------------------------------------------- */

typedef struct driver_info {
    brn_ctx *ctx;
} driver_info;

static void release(journal *j)
{
    brn_journal_pages_clear(&j->pages);
    brn_free(j->ctx, j->image);
    if (j->log >= 0) {
        (void)close(j->log);
    }
    if (j->pages.fd >= 0) {
        (void)close(j->pages.fd);
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
    j->pages = (brn_journal_pages){.ctx = info->ctx, .fd = -1};
    j->log = -1;
    const int mode =
        ((flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY) | ((flags & H5F_ACC_TRUNC) != 0 ? O_TRUNC : 0) |
        ((flags & H5F_ACC_CREAT) != 0 ? O_CREAT : 0) | ((flags & H5F_ACC_EXCL) != 0 ? O_EXCL : 0);
    struct stat status;
    const bool fits = snprintf(j->log_path, sizeof j->log_path, "%s.journal", name) < (int)sizeof j->log_path;
    if (fits && (flags & H5F_ACC_TRUNC) != 0) {
        (void)unlink(j->log_path); /* it belongs to the file that is about to be overwritten */
    }
    j->pages.fd = open(name, mode | O_CLOEXEC, 0666);
    if (j->pages.fd < 0 || fstat(j->pages.fd, &status) != 0 || !fits) {
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
    if (fstat(((const journal *)a)->pages.fd, &sa) != 0 || fstat(((const journal *)b)->pages.fd, &sb) != 0) {
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
    if (!brn_read_fully(j->pages.fd, buffer, size, at)) {
        return system_error();
    }
    brn_journal_pages_read(&j->pages, at, size, buffer);
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
        if (!brn_write_fully(j->pages.fd, buffer, size, at)) {
            return system_error();
        }
    } else {
        if (!brn_journal_pages_touch(&j->pages, at, size)) {
            return system_error();
        }
    }
    brn_journal_pages_write(&j->pages, at, size, buffer);
    j->size = at + size > j->size ? at + size : j->size;
    return 0;
}

/* The writer holds the lock as long as the file is open. */
static herr_t driver_lock(H5FD_t *file, hbool_t exclusive)
{
    const int fd = ((journal *)file)->pages.fd;
    return flock(fd, (exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0 || errno == ENOSYS || errno == ENOLCK
               ? 0
               : system_error();
}

static herr_t driver_unlock(H5FD_t *file)
{
    return flock(((journal *)file)->pages.fd, LOCK_UN) == 0 || errno == ENOSYS ? 0 : system_error();
}

/* ---- commit -------------------------------------------------------------------------------------------------------- */

/* A page's part of the file. */
static size_t page_size(const brn_journal_page *p, haddr_t end)
{
    const haddr_t start = p->number * BRN_JOURNAL_PAGE;
    return end - start < BRN_JOURNAL_PAGE ? (size_t)(end - start) : BRN_JOURNAL_PAGE;
}

static bool write_page(int fd, const brn_journal_page *p, haddr_t end)
{
    return brn_write_fully(fd, p->bytes, page_size(p, end), p->number * BRN_JOURNAL_PAGE);
}

static uint64_t log_hash(const log_head *head, const unsigned char *rest)
{
    const uint64_t hash = brn_hash_bytes(BRN_HASH_START, &head->npage, 2 * sizeof head->npage);
    return brn_hash_bytes(hash, rest, head->npage * (sizeof(uint64_t) + BRN_JOURNAL_PAGE));
}

/* The first `count` pages to the journal. */
static bool write_log(journal *j, size_t count, haddr_t end)
{
    const size_t length = sizeof(log_head) + count * (sizeof(uint64_t) + BRN_JOURNAL_PAGE);
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
        memcpy(numbers + i * sizeof(uint64_t), &j->pages.page[i].number, sizeof(uint64_t));
        memcpy(bytes + i * BRN_JOURNAL_PAGE, j->pages.page[i].bytes, BRN_JOURNAL_PAGE);
    }
    log_head head = {.magic = LOG_MAGIC, .npage = count, .size = end};
    head.hash = log_hash(&head, numbers);
    memcpy(j->image, &head, sizeof head);
    if (j->log < 0) {
        j->log = open(j->log_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    return j->log >= 0 && brn_write_fully(j->log, j->image, length, 0);
}

static bool extend(int fd, haddr_t end)
{
    struct stat status;
    return fstat(fd, &status) == 0 && ((haddr_t)status.st_size >= end || ftruncate(fd, (off_t)end) == 0);
}

/* The four steps above; false with errno set. */
static bool commit_pages(journal *j)
{
    if (j->dead || j->pages.count == 0) {
        return true;
    }
    const haddr_t end = j->eoa > j->size ? j->eoa : j->size;
    size_t old = 0; /* pages that overlap the last whole state: the first ones, as they are sorted */
    while (old < j->pages.count && j->pages.page[old].number * BRN_JOURNAL_PAGE < j->committed) {
        old++;
    }
    bool done = extend(j->pages.fd, end);
    for (size_t i = old; i < j->pages.count && done; ++i) {
        done = write_page(j->pages.fd, &j->pages.page[i], end);
    }
    done = done && write_log(j, old, end);
    for (size_t i = 0; i < old && done; ++i) {
        done = write_page(j->pages.fd, &j->pages.page[i], end);
    }
    if (!done || ftruncate(j->log, 0) != 0) {
        return false;
    }
    j->pages.count = 0;
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
        return brn_fail(h5->ctx, brn_file_status(errno), "%s: cannot write: %s", h5->path, strerror(errno));
    }
    return BRN_OK;
}

brn_status brn_journal_sync(brn_h5 *h5)
{
    BRN_TRY(brn_journal_commit(h5));
    const journal *j = journal_of(h5);
    return j != NULL && fsync(j->pages.fd) == 0
               ? BRN_OK
               : brn_fail(h5->ctx, brn_file_status(errno), "%s: cannot sync: %s", h5->path, strerror(errno));
}

void brn_journal_abandon(brn_h5 *h5)
{
    journal *j = journal_of(h5);
    if (j != NULL) {
        j->dead = true;
    }
}

/* ---- recover ------------------------------------------------------------------------------------------------------- */

/* A journal that was cut short by the kill is ignored. */
static bool log_is_whole(const unsigned char *log, size_t length, log_head *head)
{
    if (length < sizeof *head) {
        return false;
    }
    memcpy(head, log, sizeof *head);
    return head->magic == LOG_MAGIC &&
           head->npage <= (length - sizeof *head) / (sizeof(uint64_t) + BRN_JOURNAL_PAGE) &&
           head->size <= INT64_MAX && head->hash == log_hash(head, log + sizeof *head);
}

static brn_status apply_log(brn_ctx *ctx, const char *path, int fd, const unsigned char *log,
                            const log_head *head)
{
    const unsigned char *numbers = log + sizeof *head;
    const unsigned char *bytes = numbers + head->npage * sizeof(uint64_t);
    bool done = extend(fd, head->size);
    for (uint64_t i = 0; i < head->npage && done; ++i) {
        brn_journal_page p = {.bytes = (unsigned char *)(uintptr_t)(bytes + i * BRN_JOURNAL_PAGE)};
        memcpy(&p.number, numbers + i * sizeof(uint64_t), sizeof p.number);
        if (p.number >= head->size / BRN_JOURNAL_PAGE + 1 || p.number * BRN_JOURNAL_PAGE >= head->size) {
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
    /* A living writer keeps the file locked. */
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
