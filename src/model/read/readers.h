/* The readers of every format, for the table in reader.c. */
#ifndef BRN_MODEL_READ_READERS_H
#define BRN_MODEL_READ_READERS_H

#include "model/mesh_source.h"

brn_status brn_read_msh(brn_ctx *ctx, const char *bytes, size_t length, const char *name, brn_mesh **out);
brn_status brn_read_inp(brn_ctx *ctx, const char *bytes, size_t length, const char *name, brn_mesh **out);
brn_status brn_read_obj(brn_ctx *ctx, const char *bytes, size_t length, const char *name, brn_mesh **out);
brn_status brn_read_stl(brn_ctx *ctx, const char *bytes, size_t length, const char *name, brn_mesh **out);
brn_status brn_read_vtk(brn_ctx *ctx, const char *bytes, size_t length, const char *name, brn_mesh **out);
brn_status brn_read_tetgen(brn_ctx *ctx, const char *bytes, size_t length, const char *name, brn_mesh **out);

#endif
