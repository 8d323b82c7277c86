/* What all VTK XML files share: head, tags, and the appended part, arrays cut into blocks, each compressed by zlib.

       UInt64 blocks, block size, size of the last block (0: a full one), compressed size of each block; the blocks */
#ifndef BRN_OUTPUT_EXPORT_VTU_PACK_H
#define BRN_OUTPUT_EXPORT_VTU_PACK_H

#include "base/text.h"

/* Appends `length` bytes, packed; blocks are compressed in parallel. The same bytes for any number of threads. */
brn_status brn_vtu_pack(brn_ctx *ctx, const void *bytes, size_t length, brn_text *out);

/* "LittleEndian" or "BigEndian" */
const char *brn_vtu_byte_order(void);
/* An unstructured grid up to the start of its one piece; time [s]. */
void brn_vtu_head(brn_text *xml, double time, size_t npoint, size_t ncell);
/* An array whose packed bytes start at `offset` of the appended part. */
void brn_vtu_tag(brn_text *xml, const char *type, const char *name, int width, size_t offset);
/* From the end of the piece to the end of the file, with the appended part. */
void brn_vtu_tail(brn_text *xml, const brn_text *data);

#endif
