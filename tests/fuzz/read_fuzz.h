/* What the fuzz targets of the mesh readers share. */
#ifndef BRN_TESTS_FUZZ_READ_FUZZ_H
#define BRN_TESTS_FUZZ_READ_FUZZ_H

#include "model/read/readers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A small file cannot need much memory, whatever its counts say. */
static inline void *fuzz_realloc(void *user, void *block, size_t size)
{
    (void)user;
    if (size == 0) {
        free(block);
        return NULL;
    }
    if (size > (size_t)64 << 20) {
        abort();
    }
    return realloc(block, size);
}

/* The mesh keeps the promises of geom/mesh.h: indices in range, finite positions, groups sorted and unique. */
static inline void fuzz_check(const brn_mesh *mesh)
{
    bool good = mesh->nnode > 0 && brn_mesh_dim(mesh) > 0;
    for (int i = 0; i < mesh->nnode; ++i) {
        good = good && isfinite(mesh->pos[i][0]) && isfinite(mesh->pos[i][1]) && isfinite(mesh->pos[i][2]);
    }
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const int n = mesh->ncell[kind] * brn_cell_get((brn_cell)kind)->nnode;
        good = good && (n == 0 || brn_cell_get((brn_cell)kind)->dim == brn_mesh_dim(mesh));
        for (int i = 0; i < n; ++i) {
            good = good && mesh->cell[kind][i] >= 0 && mesh->cell[kind][i] < mesh->nnode;
        }
    }
    for (int g = 0; g < mesh->ngroup; ++g) {
        const brn_group *group = &mesh->group[g];
        for (int i = 0; i < group->nnode; ++i) {
            good = good && group->node[i] >= 0 && group->node[i] < mesh->nnode &&
                   (i == 0 || group->node[i - 1] < group->node[i]);
        }
        good = good && brn_mesh_find_group(mesh, group->name) == group;
    }
    if (!good) {
        abort();
    }
}

/* One ctx, kept between inputs, so that leaks show up as such. */
static inline brn_ctx *fuzz_ctx(void)
{
    static brn_ctx *ctx = NULL;
    if (ctx == NULL) {
        brn_ctx_options options = brn_ctx_options_default();
        options.threads = 1;
        options.realloc = fuzz_realloc;
        if (brn_ctx_create(&options, &ctx) < 0) {
            abort();
        }
    }
    return ctx;
}

static inline int read_fuzz(brn_reader_fn read, const uint8_t *data, size_t size)
{
    brn_ctx *ctx = fuzz_ctx();
    brn_mesh *mesh = NULL;
    const brn_status status = read(ctx, (const char *)data, size, "fuzz", &mesh);
    if ((status == BRN_OK) != (mesh != NULL) || (status < 0 && brn_ctx_message(ctx)[0] == '\0')) {
        abort();
    }
    if (mesh != NULL) {
        fuzz_check(mesh);
        brn_mesh_destroy(mesh);
    }
    return 0;
}

#endif
