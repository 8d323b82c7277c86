/* The viewer's page with runs in it, one file (docs/viewer.md). Written piece by piece to a temporary name; the file
   appears, or replaces an older one, when it is whole. */
#ifndef BRN_OUTPUT_PAGE_HTML_H
#define BRN_OUTPUT_PAGE_HTML_H

#include "output/page/packer.h"

#include <stdio.h>

/* Bytes of a file with n runs, apart from their lines. */
size_t brn_html_frame_bytes(int nrun);

typedef struct brn_html {
    brn_ctx *ctx;
    char *path, *temporary;
    FILE *file;
} brn_html;

/* Zeroed but for ctx. On failure of any of these: brn_html_discard. */
brn_status brn_html_open(brn_html *html, const char *path);
brn_status brn_html_begin_run(brn_html *html);
brn_status brn_html_line(brn_html *html, const char *line, size_t length); /* with its line break */
brn_status brn_html_end_run(brn_html *html);
brn_status brn_html_close(brn_html *html); /* the file is there */
void brn_html_discard(brn_html *html);     /* leaves no trace; fine after brn_html_close */

/* Lines set aside until it is known which are wanted, in a file of their own: there may be more than fit in memory. */
typedef struct brn_spool {
    brn_ctx *ctx;
    char *path;
    FILE *file;
    int64_t end;
} brn_spool;

/* Zeroed but for ctx. The file is beside `path`. */
brn_status brn_spool_open(brn_spool *spool, const char *path);
brn_status brn_spool_add(brn_spool *spool, const char *line, size_t length, int64_t *offset);
brn_status brn_spool_copy(brn_spool *spool, int64_t offset, size_t length, brn_html *html);
void brn_spool_clear(brn_spool *spool); /* removes the file */

#endif
