/* Makes a PNG smaller without changing a pixel: browsers write them fast, not small. */
#ifndef CLI_PNG_H
#define CLI_PNG_H

#include <stdbool.h>
#include <stddef.h>

/* 8 bits a channel, RGB or RGBA, not interlaced: what browsers write. The new file is in *out (free it). False: the bytes
   are something else, damaged or already as small, or there is no memory; then keep the old ones. */
bool cli_png_pack(const void *png, size_t size, void **out, size_t *out_size);

#endif
