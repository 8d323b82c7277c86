/* The appended part of a VTK XML file: arrays cut into blocks, each compressed by zlib.

       UInt64 blocks, block size, size of the last block (0: a full one), compressed size of each block; the blocks */
#ifndef BRN_OUTPUT_VTU_PACK_H
#define BRN_OUTPUT_VTU_PACK_H

#include "base/text.h"

/* Appends `length` bytes, packed; blocks are compressed in parallel. The same bytes for any number of threads. */
brn_status brn_vtu_pack(brn_ctx *ctx, const void *bytes, size_t length, brn_text *out);

#endif
