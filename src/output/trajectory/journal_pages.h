/* Pages of a file that are kept in memory, over what the file holds. Part of the journal (output/trajectory/journal.h). */
#ifndef BRN_OUTPUT_TRAJECTORY_JOURNAL_PAGES_H
#define BRN_OUTPUT_TRAJECTORY_JOURNAL_PAGES_H

#include "base/ctx.h"

enum { BRN_JOURNAL_PAGE = 4096 };

typedef struct brn_journal_page {
    uint64_t number; /* of the file's bytes [number * BRN_JOURNAL_PAGE, (number + 1) * BRN_JOURNAL_PAGE) */
    unsigned char *bytes;
} brn_journal_page;

typedef struct brn_journal_pages {
    brn_ctx *ctx;
    int fd;
    brn_journal_page *page; /* [count] sorted by number; slots up to nslot keep their buffers */
    size_t count, nslot, capacity;
} brn_journal_pages;

/* Creates pages for a part of the file, filled from the file; false with errno set. */
bool brn_journal_pages_touch(brn_journal_pages *pages, uint64_t at, size_t size);
/* Copies between a buffer for the file's bytes [at, at + size) and the existing pages. */
void brn_journal_pages_read(const brn_journal_pages *pages, uint64_t at, size_t size, void *buffer);
void brn_journal_pages_write(brn_journal_pages *pages, uint64_t at, size_t size, const void *buffer);
void brn_journal_pages_clear(brn_journal_pages *pages); /* frees; the file stays open */

/* All of it, or false with errno set; bytes beyond the file's end read as zeros. */
bool brn_write_fully(int fd, const void *bytes, size_t size, uint64_t at);
bool brn_read_fully(int fd, void *bytes, size_t size, uint64_t at);

#endif
