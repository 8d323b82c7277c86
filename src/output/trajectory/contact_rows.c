#include "output/trajectory/contact_rows.h"

#include <stddef.h>
#include <string.h>

enum { STICK_SPEED = 8 };  /* may be absent from a file: 0 */
enum { ROW_CHUNK = 1024 }; /* rows per chunk: the last chunk is rewritten with every frame */

/* Quantities as they lie in brn_contact_point; the body numbers are the only integers. */
typedef struct quantity {
    const char *name;
    size_t offset;
    int width;
} quantity;

static const quantity quantities[BRN_CONTACT_ROWS] = {
    {"/frames/contact/body", offsetof(brn_contact_point, body), 2},
    {"/frames/contact/place", offsetof(brn_contact_point, place), 3},
    {"/frames/contact/normal", offsetof(brn_contact_point, normal), 3},
    {"/frames/contact/gap", offsetof(brn_contact_point, gap), 1},
    {"/frames/contact/normal_force", offsetof(brn_contact_point, normal_force), 1},
    {"/frames/contact/friction", offsetof(brn_contact_point, friction), 3},
    {"/frames/contact/slip", offsetof(brn_contact_point, slip), 3},
    {"/frames/contact/mu", offsetof(brn_contact_point, mu), 1},
    {"/frames/contact/stick_speed", offsetof(brn_contact_point, stick_speed), 1},
};

static bool is_integer(const quantity *q)
{
    return q->width == 2;
}

/* [n] or [n][width] */
static int rank_of(const quantity *q)
{
    return q->width == 1 ? 1 : 2;
}

void brn_contact_rows_init(brn_contact_rows *rows)
{
    *rows = (brn_contact_rows){0};
    for (int i = 0; i < BRN_CONTACT_ROWS; ++i) {
        rows->id[i] = H5I_INVALID_HID;
    }
}

static brn_status create_one(brn_h5 *h5, const quantity *q, hid_t *id)
{
    const hsize_t width = (hsize_t)q->width;
    const int rank = rank_of(q);
    const hid_t space = H5Screate_simple(rank, (hsize_t[]){0, width}, (hsize_t[]){H5S_UNLIMITED, width});
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    const hid_t type = is_integer(q) ? H5T_STD_I32LE : H5T_IEEE_F64LE;
    brn_status status = BRN_OK;
    if (space < 0 || plist < 0 || links < 0 || H5Pset_create_intermediate_group(links, 1) < 0 ||
        H5Pset_chunk(plist, rank, (hsize_t[]){ROW_CHUNK, width}) < 0 || H5Pset_shuffle(plist) < 0 ||
        H5Pset_deflate(plist, 1) < 0 ||
        (*id = H5Dcreate2(h5->file, q->name, type, space, links, plist, H5P_DEFAULT)) < 0) {
        status = brn_h5_fail(h5, BRN_ERR_FILE, "create", q->name);
    }
    (void)H5Pclose(links);
    (void)H5Pclose(plist);
    (void)H5Sclose(space);
    return status;
}

brn_status brn_contact_rows_create(brn_h5 *h5, brn_contact_rows *rows)
{
    for (int i = 0; i < BRN_CONTACT_ROWS; ++i) {
        BRN_TRY(create_one(h5, &quantities[i], &rows->id[i]));
    }
    return BRN_OK;
}

/* Chunks of another shape could ask for any amount of memory; other layouts could point to other files. */
static bool chunks_fit(const quantity *q, hid_t id)
{
    hsize_t chunk[2] = {0};
    const int rank = rank_of(q);
    const hid_t plist = H5Dget_create_plist(id);
    const bool fits = plist >= 0 && H5Pget_layout(plist) == H5D_CHUNKED &&
                      H5Pget_chunk(plist, 2, chunk) == rank && chunk[0] == ROW_CHUNK &&
                      (rank == 1 || chunk[1] == (hsize_t)q->width);
    (void)H5Pclose(plist);
    return fits;
}

brn_status brn_contact_rows_open(brn_h5 *h5, brn_contact_rows *rows)
{
    rows->total = INT64_MAX;
    for (int i = 0; i < BRN_CONTACT_ROWS; ++i) {
        const quantity *q = &quantities[i];
        hsize_t dims[2] = {0, (hsize_t)q->width};
        if (i == STICK_SPEED && H5Lexists(h5->file, q->name, H5P_DEFAULT) == 0) {
            continue;
        }
        BRN_TRY(brn_h5_shape(h5, q->name, is_integer(q) ? H5T_INTEGER : H5T_FLOAT, rank_of(q), dims));
        rows->id[i] = H5Dopen2(h5->file, q->name, H5P_DEFAULT);
        if (rows->id[i] < 0) {
            return brn_h5_fail(h5, BRN_ERR_FORMAT, "open", q->name);
        }
        if (dims[1] != (hsize_t)q->width || !chunks_fit(q, rows->id[i])) {
            return brn_fail(h5->ctx, BRN_ERR_FORMAT, "%s: %s has an unexpected shape", h5->path, q->name);
        }
        rows->total = dims[0] < (hsize_t)rows->total ? (int64_t)dims[0] : rows->total;
    }
    return BRN_OK;
}

/* One quantity of n points between their structs and the buffer, whose entries are doubles or ints. */
static void gather(const quantity *q, const brn_contact_point *point, int n, void *buffer)
{
    const size_t size = (size_t)q->width * (is_integer(q) ? sizeof(int) : sizeof(double));
    for (int k = 0; k < n; ++k) {
        memcpy((char *)buffer + (size_t)k * size, (const char *)&point[k] + q->offset, size);
    }
}

static void scatter(const quantity *q, const void *buffer, int n, brn_contact_point *point)
{
    const size_t size = (size_t)q->width * (is_integer(q) ? sizeof(int) : sizeof(double));
    for (int k = 0; k < n; ++k) {
        memcpy((char *)&point[k] + q->offset, (const char *)buffer + (size_t)k * size, size);
    }
}

/* Reads or writes n rows of one quantity from `first`. */
static bool transfer(const quantity *q, hid_t id, int64_t first, int n, void *buffer, bool write)
{
    const hsize_t start[2] = {(hsize_t)first, 0};
    const hsize_t count[2] = {(hsize_t)n, (hsize_t)q->width};
    const hid_t type = is_integer(q) ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE;
    const hid_t file_space = H5Dget_space(id);
    const hid_t memory_space = H5Screate_simple(rank_of(q), count, NULL);
    const bool done = file_space >= 0 && memory_space >= 0 &&
                      H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                      (write ? H5Dwrite(id, type, memory_space, file_space, H5P_DEFAULT, buffer)
                             : H5Dread(id, type, memory_space, file_space, H5P_DEFAULT, buffer)) >= 0;
    (void)H5Sclose(file_space);
    (void)H5Sclose(memory_space);
    return done;
}

brn_status brn_contact_rows_append(brn_h5 *h5, brn_contact_rows *rows, const brn_contact_point *point, int n)
{
    const int64_t first = rows->total;
    if (n == 0) {
        return BRN_OK;
    }
    BRN_GROW(h5->ctx, rows->buffer, rows->capacity, 3 * (size_t)n);
    BRN_TRY(brn_contact_rows_cut(h5, rows, first + n));
    for (int i = 0; i < BRN_CONTACT_ROWS; ++i) {
        if (rows->id[i] < 0) {
            continue;
        }
        gather(&quantities[i], point, n, rows->buffer);
        if (!transfer(&quantities[i], rows->id[i], first, n, rows->buffer, true)) {
            return brn_h5_fail(h5, BRN_ERR_FILE, "write", quantities[i].name);
        }
    }
    return BRN_OK;
}

brn_status brn_contact_rows_read(brn_h5 *h5, brn_contact_rows *rows, int64_t first, int n,
                                 brn_contact_point *point)
{
    if (n == 0) {
        return BRN_OK;
    }
    BRN_GROW(h5->ctx, rows->buffer, rows->capacity, 3 * (size_t)n);
    for (int i = 0; i < BRN_CONTACT_ROWS; ++i) {
        if (rows->id[i] < 0) {
            memset(rows->buffer, 0, (size_t)n * sizeof *rows->buffer);
        } else if (!transfer(&quantities[i], rows->id[i], first, n, rows->buffer, false)) {
            return brn_h5_fail(h5, BRN_ERR_FORMAT, "read", quantities[i].name);
        }
        scatter(&quantities[i], rows->buffer, n, point);
    }
    return BRN_OK;
}

brn_status brn_contact_rows_cut(brn_h5 *h5, brn_contact_rows *rows, int64_t total)
{
    for (int i = 0; i < BRN_CONTACT_ROWS; ++i) {
        const hsize_t dims[2] = {(hsize_t)total, (hsize_t)quantities[i].width};
        if (rows->id[i] >= 0 && H5Dset_extent(rows->id[i], dims) < 0) {
            return brn_h5_fail(h5, BRN_ERR_FILE, "resize", quantities[i].name);
        }
    }
    rows->total = total;
    return BRN_OK;
}

bool brn_contact_rows_plausible(const brn_contact_rows *rows, int64_t n)
{
    /* Deflate packs at most 1032 bytes into one [zlib's documentation]; a gap takes 8. */
    const hsize_t stored = H5Dget_storage_size(rows->id[3]);
    return n >= 0 && n <= rows->total && (hsize_t)n / 129 <= stored;
}

void brn_contact_rows_close(brn_ctx *ctx, brn_contact_rows *rows)
{
    for (int i = 0; i < BRN_CONTACT_ROWS; ++i) {
        if (rows->id[i] >= 0) {
            (void)H5Dclose(rows->id[i]);
            rows->id[i] = H5I_INVALID_HID;
        }
    }
    brn_free(ctx, rows->buffer);
    rows->buffer = NULL;
    rows->capacity = 0;
}
