/* A packet as a line of text: zlib, then base64 (RFC 4648, with padding), then a line break. */
#ifndef BRN_OUTPUT_PAGE_PACKER_H
#define BRN_OUTPUT_PAGE_PACKER_H

#include "base/ctx.h"

#include <zlib.h>

/* Zeroed but for ctx; its memory is kept from line to line. */
typedef struct brn_packer {
    brn_ctx *ctx;
    z_stream stream;
    bool ready;
    unsigned char *packed;
    size_t packed_capacity;
    char *line;
    size_t line_capacity;
} brn_packer;

/* The line belongs to the packer, valid until the next one. Any thread, so no message is set. BRN_ERR_LIMIT: over 4 GB. */
brn_status brn_packer_line(brn_packer *packer, const void *bytes, size_t size, const char **line,
                           size_t *length);
void brn_packer_clear(brn_packer *packer);

#endif
