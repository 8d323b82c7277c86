#define _GNU_SOURCE /* fseeko */
#include "output/page/html.h"

#include "base/os.h"
#include "output/page/page.h"

#include <errno.h>
#include <string.h>

static const char run_head[] = "<script type=\"application/x-brunt\">\n";
static const char run_tail[] = "</script>\n";

size_t brn_html_frame_bytes(int nrun)
{
    size_t page = 0;
    (void)brn_page(&page);
    return page - strlen(BRN_PAGE_MARKER) + (size_t)nrun * (strlen(run_head) + strlen(run_tail));
}

static brn_status failed(brn_ctx *ctx, const char *path, const char *what)
{
    return brn_fail(ctx, brn_file_status(errno), "%s: cannot %s: %s", path, what, strerror(errno));
}

static brn_status put(brn_html *html, const char *bytes, size_t n)
{
    errno = 0;
    return fwrite(bytes, 1, n, html->file) == n ? BRN_OK : failed(html->ctx, html->temporary, "write");
}

/* path with a suffix */
static brn_status name_beside(brn_ctx *ctx, const char *path, const char *suffix, char **out)
{
    const size_t n = strlen(path) + strlen(suffix) + 1;
    BRN_ALLOC(ctx, *out, n);
    (void)snprintf(*out, n, "%s%s", path, suffix);
    return BRN_OK;
}

brn_status brn_html_open(brn_html *html, const char *path)
{
    brn_page_parts page;
    if (!brn_page_split(&page)) {
        return brn_fail(html->ctx, BRN_ERR_MISSING, "the viewer's page has no place for data");
    }
    BRN_TRY(name_beside(html->ctx, path, "", &html->path));
    BRN_TRY(name_beside(html->ctx, path, ".tmp", &html->temporary));
    html->file = fopen(html->temporary, "wb");
    if (html->file == NULL) {
        return failed(html->ctx, html->temporary, "create");
    }
    return put(html, page.before, page.nbefore);
}

brn_status brn_html_begin_run(brn_html *html)
{
    return put(html, run_head, strlen(run_head));
}

brn_status brn_html_line(brn_html *html, const char *line, size_t length)
{
    return put(html, line, length);
}

brn_status brn_html_end_run(brn_html *html)
{
    return put(html, run_tail, strlen(run_tail));
}

brn_status brn_html_close(brn_html *html)
{
    brn_page_parts page;
    (void)brn_page_split(&page);
    BRN_TRY(put(html, page.behind, page.nbehind));
    FILE *file = html->file;
    html->file = NULL;
    errno = 0;
    if (fclose(file) != 0) {
        return failed(html->ctx, html->temporary, "write");
    }
    return brn_file_replace(html->ctx, html->temporary, html->path);
}

void brn_html_discard(brn_html *html)
{
    if (html->file != NULL) {
        (void)fclose(html->file);
    }
    /* After a close no file has that name. */
    if (html->temporary != NULL) {
        (void)remove(html->temporary);
    }
    brn_free(html->ctx, html->path);
    brn_free(html->ctx, html->temporary);
    *html = (brn_html){.ctx = html->ctx};
}

/* ---- spool --------------------------------------------------------------------------------------------------------- */

brn_status brn_spool_open(brn_spool *spool, const char *path)
{
    BRN_TRY(name_beside(spool->ctx, path, ".frames.tmp", &spool->path));
    spool->file = fopen(spool->path, "w+b");
    return spool->file != NULL ? BRN_OK : failed(spool->ctx, spool->path, "create");
}

brn_status brn_spool_add(brn_spool *spool, const char *line, size_t length, int64_t *offset)
{
    errno = 0;
    if (fseeko(spool->file, (off_t)spool->end, SEEK_SET) != 0 ||
        fwrite(line, 1, length, spool->file) != length) {
        return failed(spool->ctx, spool->path, "write");
    }
    *offset = spool->end;
    spool->end += (int64_t)length;
    return BRN_OK;
}

brn_status brn_spool_copy(brn_spool *spool, int64_t offset, size_t length, brn_html *html)
{
    char block[1 << 16];
    errno = 0;
    if (fseeko(spool->file, (off_t)offset, SEEK_SET) != 0) {
        return failed(spool->ctx, spool->path, "read");
    }
    while (length > 0) {
        const size_t n = length < sizeof block ? length : sizeof block;
        if (fread(block, 1, n, spool->file) != n) {
            return failed(spool->ctx, spool->path, "read");
        }
        BRN_TRY(put(html, block, n));
        length -= n;
    }
    return BRN_OK;
}

void brn_spool_clear(brn_spool *spool)
{
    if (spool->file != NULL) {
        (void)fclose(spool->file);
    }
    if (spool->path != NULL) {
        (void)remove(spool->path);
    }
    brn_free(spool->ctx, spool->path);
    *spool = (brn_spool){.ctx = spool->ctx};
}
