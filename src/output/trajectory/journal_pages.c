#define _GNU_SOURCE /* pread, pwrite */
#include "output/trajectory/journal_pages.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool brn_write_fully(int fd, const void *bytes, size_t size, uint64_t at)
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
        at += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

bool brn_read_fully(int fd, void *bytes, size_t size, uint64_t at)
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
        at += (uint64_t)n;
        size -= (size_t)n;
    }
    return true;
}

/* Index of the first page with at least this number. */
static size_t page_index(const brn_journal_pages *pages, uint64_t number)
{
    size_t lo = 0;
    size_t hi = pages->count;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (pages->page[mid].number < number) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

static brn_status reserve_slot(brn_journal_pages *pages)
{
    if (pages->count == pages->nslot) {
        BRN_GROW(pages->ctx, pages->page, pages->capacity, pages->nslot + 1);
        unsigned char *bytes = brn_realloc(pages->ctx, NULL, BRN_JOURNAL_PAGE, 1);
        if (bytes == NULL) {
            return BRN_ERR_MEMORY;
        }
        pages->page[pages->nslot++].bytes = bytes;
    }
    return BRN_OK;
}

static bool touch_page(brn_journal_pages *pages, uint64_t number)
{
    const size_t at = page_index(pages, number);
    if (at < pages->count && pages->page[at].number == number) {
        return true;
    }
    if (reserve_slot(pages) < 0) {
        errno = ENOMEM;
        return false;
    }
    unsigned char *bytes = pages->page[pages->count].bytes;
    if (!brn_read_fully(pages->fd, bytes, BRN_JOURNAL_PAGE, number * BRN_JOURNAL_PAGE)) {
        return false;
    }
    memmove(pages->page + at + 1, pages->page + at, (pages->count - at) * sizeof *pages->page);
    pages->page[at] = (brn_journal_page){.number = number, .bytes = bytes};
    pages->count++;
    return true;
}

bool brn_journal_pages_touch(brn_journal_pages *pages, uint64_t at, size_t size)
{
    for (uint64_t number = at / BRN_JOURNAL_PAGE; number * BRN_JOURNAL_PAGE < at + size; ++number) {
        if (!touch_page(pages, number)) {
            return false;
        }
    }
    return true;
}

/* The part that page i shares with [at, at + size): *start in the page, *offset in the buffer; returns its length. */
static size_t overlap(const brn_journal_pages *pages, size_t i, uint64_t at, size_t size, size_t *start,
                      size_t *offset)
{
    const uint64_t first = pages->page[i].number * BRN_JOURNAL_PAGE;
    const uint64_t from = first > at ? first : at;
    const uint64_t to = first + BRN_JOURNAL_PAGE < at + size ? first + BRN_JOURNAL_PAGE : at + size;
    *start = (size_t)(from - first);
    *offset = (size_t)(from - at);
    return to > from ? (size_t)(to - from) : 0;
}

void brn_journal_pages_read(const brn_journal_pages *pages, uint64_t at, size_t size, void *buffer)
{
    size_t start;
    size_t offset;
    size_t n;
    for (size_t i = page_index(pages, at / BRN_JOURNAL_PAGE);
         i < pages->count && (n = overlap(pages, i, at, size, &start, &offset)) > 0; ++i) {
        memcpy((unsigned char *)buffer + offset, pages->page[i].bytes + start, n);
    }
}

void brn_journal_pages_write(brn_journal_pages *pages, uint64_t at, size_t size, const void *buffer)
{
    size_t start;
    size_t offset;
    size_t n;
    for (size_t i = page_index(pages, at / BRN_JOURNAL_PAGE);
         i < pages->count && (n = overlap(pages, i, at, size, &start, &offset)) > 0; ++i) {
        memcpy(pages->page[i].bytes + start, (const unsigned char *)buffer + offset, n);
    }
}

void brn_journal_pages_clear(brn_journal_pages *pages)
{
    for (size_t i = 0; i < pages->nslot; ++i) {
        brn_free(pages->ctx, pages->page[i].bytes);
    }
    brn_free(pages->ctx, pages->page);
    *pages = (brn_journal_pages){.ctx = pages->ctx, .fd = pages->fd};
}
