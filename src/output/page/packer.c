#include "output/page/packer.h"

#include <limits.h>

/* A frame of 50 000 vertices and four fields, 699 kB: level 1 130 kB in 3.2 ms, 4 113 kB in 4.6 ms, 6 107 kB in 7.6 ms,
   9 104 kB in 25 ms. Frames of tangled surfaces differ less in size. */
enum { LEVEL = 4 };

static voidpf take(voidpf ctx, uInt count, uInt size)
{
    return brn_calloc(ctx, count, size);
}

static void drop(voidpf ctx, voidpf block)
{
    brn_free(ctx, block);
}

static brn_status start(brn_packer *p)
{
    if (p->ready) {
        return deflateReset(&p->stream) == Z_OK ? BRN_OK : BRN_ERR_MEMORY;
    }
    p->stream = (z_stream){.zalloc = take, .zfree = drop, .opaque = p->ctx};
    if (deflateInit(&p->stream, LEVEL) != Z_OK) {
        return BRN_ERR_MEMORY;
    }
    p->ready = true;
    return BRN_OK;
}

static brn_status pack(brn_packer *p, const void *bytes, size_t size, size_t *packed)
{
    BRN_TRY(start(p));
    const size_t bound = deflateBound(&p->stream, (uLong)size);
    if (size > UINT_MAX || bound > UINT_MAX) {
        return BRN_ERR_LIMIT;
    }
    BRN_GROW(p->ctx, p->packed, p->packed_capacity, bound);
    p->stream.next_in = (z_const Bytef *)(uintptr_t)bytes;
    p->stream.avail_in = (uInt)size;
    p->stream.next_out = p->packed;
    p->stream.avail_out = (uInt)bound;
    if (deflate(&p->stream, Z_FINISH) != Z_STREAM_END) {
        return BRN_ERR_LIMIT;
    }
    *packed = bound - p->stream.avail_out;
    return BRN_OK;
}

/* Returns the number of characters, a multiple of 4. */
static size_t write_base64(const unsigned char *bytes, size_t n, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *at = out;
    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const uint32_t word = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                              (left > 2 ? bytes[i + 2] : 0u);
        *at++ = digits[word >> 18];
        *at++ = digits[word >> 12 & 63u];
        *at++ = left > 1 ? digits[word >> 6 & 63u] : '=';
        *at++ = left > 2 ? digits[word & 63u] : '=';
    }
    return (size_t)(at - out);
}

brn_status brn_packer_line(brn_packer *p, const void *bytes, size_t size, const char **line, size_t *length)
{
    size_t packed = 0;
    BRN_TRY(pack(p, bytes, size, &packed));
    BRN_GROW(p->ctx, p->line, p->line_capacity, (packed + 2) / 3 * 4 + 1);
    *length = write_base64(p->packed, packed, p->line);
    p->line[(*length)++] = '\n';
    *line = p->line;
    return BRN_OK;
}

void brn_packer_clear(brn_packer *p)
{
    if (p->ready) {
        (void)deflateEnd(&p->stream);
    }
    brn_free(p->ctx, p->packed);
    brn_free(p->ctx, p->line);
    *p = (brn_packer){.ctx = p->ctx};
}
