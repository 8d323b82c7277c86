/* /model of trajectory.h5. What is read is not trusted: shapes must match the bytes in the file, indices their ranges. */
#include "output/trajectory/outline.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 4096, SET_NAME = 64 };

/* ---- write ------------------------------------------------------------------------------------------------------- */

static brn_status put_ints(brn_h5 *h5, const char *name, int n, int width, const int *values)
{
    const hsize_t dims[2] = {(hsize_t)n, (hsize_t)width};
    return brn_h5_put(h5, name, H5T_STD_I32LE, width > 1 ? 2 : 1, dims, H5T_NATIVE_INT, values);
}

static brn_status put_reals(brn_h5 *h5, const char *name, int n, int width, const double *values)
{
    const hsize_t dims[2] = {(hsize_t)n, (hsize_t)width};
    return brn_h5_put(h5, name, H5T_IEEE_F64LE, width > 1 ? 2 : 1, dims, H5T_NATIVE_DOUBLE, values);
}

static hid_t text_type(size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && (H5Tset_size(type, size) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        (void)H5Tclose(type);
        return H5I_INVALID_HID;
    }
    return type;
}

/* Names as an array of equally long texts, which every reader of HDF5 understands. */
static brn_status put_names(brn_h5 *h5, const brn_playback_info *info)
{
    size_t size = 1;
    for (int b = 0; b < info->nbody; ++b) {
        const size_t n = strlen(info->body_name[b]) + 1;
        size = n > size ? n : size;
    }
    if (size > NAME_MAX_BYTES) {
        return brn_fail(h5->ctx, BRN_ERR_LIMIT, "%s: a body's name is longer than %d bytes", h5->path,
                        NAME_MAX_BYTES - 1);
    }
    char *table = NULL;
    BRN_ALLOC(h5->ctx, table, (size_t)info->nbody * size);
    for (int b = 0; b < info->nbody; ++b) {
        (void)snprintf(table + (size_t)b * size, size, "%s", info->body_name[b]);
    }
    const hid_t type = text_type(size);
    const brn_status status = type < 0 ? brn_h5_fail(h5, BRN_ERR_FILE, "write", "the names")
                                       : brn_h5_put(h5, "/model/bodies/name", type, 1,
                                                    (hsize_t[]){(hsize_t)info->nbody}, type, table);
    (void)H5Tclose(type);
    brn_free(h5->ctx, table);
    return status;
}

static brn_status put_cells(brn_h5 *h5, const brn_playback_info *info, int kind)
{
    char name[SET_NAME];
    const brn_cell_info *cell = brn_cell_get((brn_cell)kind);
    const int n = info->ncell[kind];
    (void)snprintf(name, sizeof name, "/model/cells/%s", cell->name);
    BRN_TRY(put_ints(h5, name, n, cell->nnode, info->cell[kind]));
    (void)snprintf(name, sizeof name, "/model/cells/%s_body", cell->name);
    BRN_TRY(put_ints(h5, name, n, 1, info->cell_body[kind]));
    (void)snprintf(name, sizeof name, "/model/cells/%s_material", cell->name);
    BRN_TRY(put_ints(h5, name, n, 1, info->cell_material[kind]));
    (void)snprintf(name, sizeof name, "/model/cells/%s_volume", cell->name);
    return put_reals(h5, name, n, 1, info->cell_volume[kind]);
}

brn_status brn_outline_write(const brn_outline *outline, brn_h5 *h5)
{
    const brn_playback_info *info = &outline->info;
    BRN_TRY(brn_h5_put_int(h5, "/", "dim", info->dim));
    BRN_TRY(put_reals(h5, "/model/rest", info->nnode, 3, info->rest[0]));
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        if (info->ncell[kind] > 0) {
            BRN_TRY(put_cells(h5, info, kind));
        }
    }
    BRN_TRY(put_ints(h5, "/model/boundary/tri", info->ntri, 3, info->tri[0]));
    BRN_TRY(put_ints(h5, "/model/boundary/tri_body", info->ntri, 1, info->tri_body));
    BRN_TRY(put_ints(h5, "/model/boundary/edge", info->nedge, 2, info->edge[0]));
    BRN_TRY(put_ints(h5, "/model/boundary/edge_body", info->nedge, 1, info->edge_body));
    BRN_TRY(put_names(h5, info));
    BRN_TRY(put_ints(h5, "/model/bodies/type", info->nbody, 1, info->body_type));
    BRN_TRY(put_ints(h5, "/model/bodies/plane", info->nbody, 1, info->body_plane));
    BRN_TRY(put_ints(h5, "/model/bodies/node_first", info->nbody, 1, info->body_first));
    return put_ints(h5, "/model/bodies/node_count", info->nbody, 1, info->body_nnode);
}

/* ---- read -------------------------------------------------------------------------------------------------------- */

static brn_status damaged(brn_h5 *h5, const char *name, const char *what)
{
    return brn_fail(h5->ctx, BRN_ERR_FORMAT, "%s: %s: %s", h5->path, name, what);
}

/* Length of a stored array [n] or [n][width]; n must fit an int. */
static brn_status get_length(brn_h5 *h5, const char *name, H5T_class_t kind, int width, int *n)
{
    hsize_t dims[2] = {0, (hsize_t)width};
    BRN_TRY(brn_h5_stored_shape(h5, name, kind, width > 1 ? 2 : 1, dims));
    if (dims[0] > INT_MAX || (width > 1 && dims[1] != (hsize_t)width)) {
        return damaged(h5, name, "unexpected shape");
    }
    *n = (int)dims[0];
    return BRN_OK;
}

/* Reads [*n][width] integers, all in [0, limit); *n < 0: any length. The array belongs to the outline at once. */
static brn_status get_ints(brn_h5 *h5, const char *name, int *n, int width, int limit, const int **out)
{
    int length = 0;
    int *values = NULL;
    BRN_TRY(get_length(h5, name, H5T_INTEGER, width, &length));
    if (*n >= 0 && length != *n) {
        return damaged(h5, name, "unexpected length");
    }
    BRN_ALLOC(h5->ctx, values, (size_t)length * (size_t)width);
    *out = values;
    const hsize_t dims[2] = {(hsize_t)length, (hsize_t)width};
    BRN_TRY(brn_h5_get(h5, name, width > 1 ? 2 : 1, dims, H5T_NATIVE_INT, values));
    for (size_t i = 0; i < (size_t)length * (size_t)width; ++i) {
        if (values[i] < 0 || values[i] >= limit) {
            return damaged(h5, name, "an index is out of range");
        }
    }
    *n = length;
    return BRN_OK;
}

static brn_status get_reals(brn_h5 *h5, const char *name, int *n, int width, const double **out)
{
    int length = 0;
    double *values = NULL;
    BRN_TRY(get_length(h5, name, H5T_FLOAT, width, &length));
    if (*n >= 0 && length != *n) {
        return damaged(h5, name, "unexpected length");
    }
    BRN_ALLOC(h5->ctx, values, (size_t)length * (size_t)width);
    *out = values;
    const hsize_t dims[2] = {(hsize_t)length, (hsize_t)width};
    BRN_TRY(brn_h5_get(h5, name, width > 1 ? 2 : 1, dims, H5T_NATIVE_DOUBLE, values));
    *n = length;
    return BRN_OK;
}

/* Bytes of each text of a dataset of texts, 0 if they are not of one fixed length. */
static size_t text_size(brn_h5 *h5, const char *name)
{
    const hid_t set = H5Dopen2(h5->file, name, H5P_DEFAULT);
    const hid_t type = set >= 0 ? H5Dget_type(set) : H5I_INVALID_HID;
    const size_t size = type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0
                            ? H5Tget_size(type)
                            : 0;
    (void)H5Tclose(type);
    (void)H5Dclose(set);
    return size;
}

static brn_status get_names(brn_outline *outline, brn_h5 *h5)
{
    static const char set[] = "/model/bodies/name";
    brn_playback_info *info = &outline->info;
    int n = 0;
    BRN_TRY(get_length(h5, set, H5T_STRING, 1, &n));
    const size_t size = text_size(h5, set);
    if (size == 0 || size > NAME_MAX_BYTES) {
        return damaged(h5, set, "not texts of a fixed length");
    }
    const char **name = NULL;
    BRN_ALLOC(h5->ctx, outline->names, ((size_t)n + 1) * size);
    BRN_ALLOC(h5->ctx, name, n);
    info->body_name = name;
    const hid_t type = text_type(size);
    const brn_status status = type < 0
                                  ? brn_h5_fail(h5, BRN_ERR_FORMAT, "read", set)
                                  : brn_h5_get(h5, set, 1, (hsize_t[]){(hsize_t)n}, type, outline->names);
    (void)H5Tclose(type);
    BRN_TRY(status);
    for (int b = 0; b < n; ++b) {
        char *text = outline->names + (size_t)b * size;
        text[size - 1] = '\0';
        name[b] = text;
    }
    info->nbody = n;
    return BRN_OK;
}

static brn_status get_bodies(brn_outline *outline, brn_h5 *h5)
{
    brn_playback_info *info = &outline->info;
    BRN_TRY(get_names(outline, h5));
    int n = info->nbody;
    BRN_TRY(get_ints(h5, "/model/bodies/type", &n, 1, INT_MAX, &info->body_type));
    if (brn_h5_has(h5, "/model/bodies/plane")) {
        BRN_TRY(get_ints(h5, "/model/bodies/plane", &n, 1, 2, &info->body_plane));
    }
    BRN_TRY(get_ints(h5, "/model/bodies/node_first", &n, 1, INT_MAX, &info->body_first));
    BRN_TRY(get_ints(h5, "/model/bodies/node_count", &n, 1, INT_MAX, &info->body_nnode));
    for (int b = 0; b < n; ++b) {
        if (info->body_first[b] > info->nnode || info->body_nnode[b] > info->nnode - info->body_first[b]) {
            return damaged(h5, "/model/bodies", "a body's nodes are out of range");
        }
    }
    return BRN_OK;
}

static brn_status get_cells(brn_outline *outline, brn_h5 *h5, int kind, int *total)
{
    char name[SET_NAME];
    brn_playback_info *info = &outline->info;
    const brn_cell_info *cell = brn_cell_get((brn_cell)kind);
    (void)snprintf(name, sizeof name, "/model/cells/%s", cell->name);
    if (!brn_h5_has(h5, name)) {
        return BRN_OK;
    }
    int n = -1;
    BRN_TRY(get_ints(h5, name, &n, cell->nnode, info->nnode, &info->cell[kind]));
    (void)snprintf(name, sizeof name, "/model/cells/%s_body", cell->name);
    BRN_TRY(get_ints(h5, name, &n, 1, info->nbody, &info->cell_body[kind]));
    (void)snprintf(name, sizeof name, "/model/cells/%s_material", cell->name);
    if (brn_h5_has(h5, name)) {
        BRN_TRY(get_ints(h5, name, &n, 1, INT_MAX, &info->cell_material[kind]));
    }
    (void)snprintf(name, sizeof name, "/model/cells/%s_volume", cell->name);
    BRN_TRY(get_reals(h5, name, &n, 1, &info->cell_volume[kind]));
    for (int i = 0; i < n; ++i) {
        if (!(info->cell_volume[kind][i] >= 0.0) || isinf(info->cell_volume[kind][i])) {
            return damaged(h5, name, "a volume is negative or not finite");
        }
    }
    if (__builtin_add_overflow(*total, n, total)) {
        return damaged(h5, name, "too many cells");
    }
    info->ncell[kind] = n;
    return BRN_OK;
}

static brn_status get_boundary(brn_playback_info *info, brn_h5 *h5)
{
    const int *nodes = NULL;
    int n = -1;
    brn_status status = get_ints(h5, "/model/boundary/tri", &n, 3, info->nnode, &nodes);
    info->tri = (const int(*)[3])nodes;
    BRN_TRY(status);
    BRN_TRY(get_ints(h5, "/model/boundary/tri_body", &n, 1, info->nbody, &info->tri_body));
    info->ntri = n;
    n = -1;
    nodes = NULL;
    status = get_ints(h5, "/model/boundary/edge", &n, 2, info->nnode, &nodes);
    info->edge = (const int(*)[2])nodes;
    BRN_TRY(status);
    BRN_TRY(get_ints(h5, "/model/boundary/edge_body", &n, 1, info->nbody, &info->edge_body));
    info->nedge = n;
    return BRN_OK;
}

brn_status brn_outline_read(brn_outline *outline, brn_h5 *h5)
{
    brn_playback_info *info = &outline->info;
    int64_t dim = 0;
    BRN_TRY(brn_h5_get_int(h5, "/", "dim", &dim));
    if (dim != 2 && dim != 3) {
        return damaged(h5, "dim", "must be 2 or 3");
    }
    info->dim = (int)dim;
    const double *rest = NULL;
    info->nnode = -1;
    const brn_status status = get_reals(h5, "/model/rest", &info->nnode, 3, &rest);
    info->rest = (const double(*)[3])rest;
    BRN_TRY(status);
    BRN_TRY(get_bodies(outline, h5));
    int total = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        BRN_TRY(get_cells(outline, h5, kind, &total));
    }
    return get_boundary(info, h5);
}
