#include "state/hdf5_file.h"

#include "base/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void brn_h5_begin(brn_h5 *h5)
{
    /* Without this HDF5 registers an exit handler that would flush half-written files of a failed run again. Too
       late (and harmless) if the host program has used HDF5 before. */
    (void)H5dont_atexit();
    h5->silenced = H5Eget_auto2(H5E_DEFAULT, &h5->print, &h5->print_data) >= 0 &&
                   H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0;
}

void brn_h5_end(brn_h5 *h5)
{
    if (h5->silenced) {
        (void)H5Eset_auto2(H5E_DEFAULT, h5->print, h5->print_data);
        h5->silenced = false;
    }
}

typedef struct error_reason {
    char text[256];
    int error; /* of the operating system, which refused; 0: it did not */
} error_reason;

/* Keeps the innermost description; that of the file driver has the number of the operating system's error, and quotes it between two
   marks. */
static herr_t find_reason(unsigned depth, const H5E_error2_t *error, void *arg)
{
    static const char mark[] = "error message = '", number[] = "errno = ";
    error_reason *reason = arg;
    const char *text = error->desc != NULL ? error->desc : "";
    const char *system = strstr(text, mark);
    const char *error_at = strstr(text, number);
    if (system != NULL && error_at != NULL && reason->error == 0) {
        system += sizeof mark - 1;
        const char *end = strchr(system, '\'');
        const int length = end != NULL ? (int)(end - system) : (int)strlen(system);
        (void)snprintf(reason->text, sizeof reason->text, "%.*s", length, system);
        reason->error = atoi(error_at + sizeof number - 1);
    } else if (depth == 0) {
        (void)snprintf(reason->text, sizeof reason->text, "%s", text);
    }
    return 0;
}

brn_status brn_h5_fail(brn_h5 *h5, brn_status status, const char *what, const char *name)
{
    error_reason reason = {.text = "unknown HDF5 error"};
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_reason, &reason);
    status = reason.error != 0 ? brn_file_status(reason.error) : status;
    return brn_fail(h5->ctx, status, "%s: cannot %s %s: %s", h5->path, what, name, reason.text);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

brn_status brn_h5_put(brn_h5 *h5, const char *name, hid_t type, int rank, const hsize_t *dims,
                      hid_t memory_type, const void *data)
{
    brn_status status = BRN_OK;
    const hid_t space = H5Screate_simple(rank, dims, NULL);
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    hid_t set = H5I_INVALID_HID;
    hsize_t count = 1;
    for (int i = 0; i < rank; ++i) {
        count *= dims[i];
    }
    if (space < 0 || links < 0 || H5Pset_create_intermediate_group(links, 1) < 0 ||
        (set = H5Dcreate2(h5->file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT)) < 0 ||
        (count > 0 && H5Dwrite(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)) {
        status = brn_h5_fail(h5, BRN_ERR_FILE, "write", name);
    }
    if (set >= 0 && H5Dclose(set) < 0 && status >= 0) {
        status = brn_h5_fail(h5, BRN_ERR_FILE, "write", name);
    }
    (void)H5Pclose(links);
    (void)H5Sclose(space);
    return status;
}

static brn_status put_attribute(brn_h5 *h5, const char *object, const char *name, hid_t type,
                                hid_t memory_type, const void *value)
{
    brn_status status = BRN_OK;
    const hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5I_INVALID_HID;
    if (space < 0 ||
        (attribute = H5Acreate_by_name(h5->file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT,
                                       H5P_DEFAULT)) < 0 ||
        H5Awrite(attribute, memory_type, value) < 0) {
        status = brn_h5_fail(h5, BRN_ERR_FILE, "write attribute", name);
    }
    if (attribute >= 0) {
        (void)H5Aclose(attribute);
    }
    (void)H5Sclose(space);
    return status;
}

brn_status brn_h5_put_text(brn_h5 *h5, const char *object, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    brn_status status = BRN_OK;
    if (type < 0 || H5Tset_size(type, strlen(text) + 1) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0) {
        status = brn_h5_fail(h5, BRN_ERR_FILE, "write attribute", name);
    } else {
        status = put_attribute(h5, object, name, type, type, text);
    }
    (void)H5Tclose(type);
    return status;
}

brn_status brn_h5_put_int(brn_h5 *h5, const char *object, const char *name, int64_t value)
{
    return put_attribute(h5, object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

brn_status brn_h5_put_hash(brn_h5 *h5, const char *object, const char *name, uint64_t value)
{
    return put_attribute(h5, object, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Opens a scalar attribute of the given class; the caller closes *out and *type where they are >= 0. */
static brn_status open_attribute(brn_h5 *h5, const char *object, const char *name, H5T_class_t kind,
                                 hid_t *out, hid_t *type)
{
    *type = H5I_INVALID_HID;
    *out = H5Aopen_by_name(h5->file, object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (*out < 0 || (*type = H5Aget_type(*out)) < 0) {
        return brn_h5_fail(h5, BRN_ERR_FORMAT, "read attribute", name);
    }
    const hid_t space = H5Aget_space(*out);
    const bool scalar = space >= 0 && H5Sget_simple_extent_type(space) == H5S_SCALAR;
    (void)H5Sclose(space);
    if (!scalar || H5Tget_class(*type) != kind) {
        return brn_fail(h5->ctx, BRN_ERR_FORMAT, "%s: attribute %s has an unexpected type", h5->path, name);
    }
    return BRN_OK;
}

static void close_attribute(hid_t attribute, hid_t type)
{
    if (type >= 0) {
        (void)H5Tclose(type);
    }
    if (attribute >= 0) {
        (void)H5Aclose(attribute);
    }
}

brn_status brn_h5_get_text(brn_h5 *h5, const char *object, const char *name, char *out, size_t capacity)
{
    hid_t attribute;
    hid_t type;
    brn_status status = open_attribute(h5, object, name, H5T_STRING, &attribute, &type);
    memset(out, 0, capacity);
    if (status >= 0 && (H5Tis_variable_str(type) != 0 || H5Tget_size(type) >= capacity)) {
        status = brn_fail(h5->ctx, BRN_ERR_FORMAT, "%s: attribute %s is too long", h5->path, name);
    }
    if (status >= 0 && H5Aread(attribute, type, out) < 0) {
        status = brn_h5_fail(h5, BRN_ERR_FORMAT, "read attribute", name);
    }
    close_attribute(attribute, type);
    return status;
}

static brn_status get_integer(brn_h5 *h5, const char *object, const char *name, hid_t memory_type, void *out)
{
    hid_t attribute;
    hid_t type;
    brn_status status = open_attribute(h5, object, name, H5T_INTEGER, &attribute, &type);
    if (status >= 0 && H5Aread(attribute, memory_type, out) < 0) {
        status = brn_h5_fail(h5, BRN_ERR_FORMAT, "read attribute", name);
    }
    close_attribute(attribute, type);
    return status;
}

brn_status brn_h5_get_int(brn_h5 *h5, const char *object, const char *name, int64_t *out)
{
    *out = 0;
    return get_integer(h5, object, name, H5T_NATIVE_INT64, out);
}

brn_status brn_h5_get_hash(brn_h5 *h5, const char *object, const char *name, uint64_t *out)
{
    *out = 0;
    return get_integer(h5, object, name, H5T_NATIVE_UINT64, out);
}

/* Class, rank and shape of an open dataset. */
static brn_status set_shape(brn_h5 *h5, hid_t set, const char *name, H5T_class_t kind, int rank,
                            hsize_t *dims)
{
    const hid_t type = H5Dget_type(set);
    const hid_t space = H5Dget_space(set);
    const bool fits = type >= 0 && space >= 0 && H5Tget_class(type) == kind &&
                      H5Sget_simple_extent_ndims(space) == rank &&
                      H5Sget_simple_extent_dims(space, dims, NULL) == rank;
    (void)H5Tclose(type);
    (void)H5Sclose(space);
    return fits ? BRN_OK
                : brn_fail(h5->ctx, BRN_ERR_FORMAT, "%s: %s has an unexpected type or rank", h5->path, name);
}

/* A contiguous dataset has the bytes that its shape needs, and no more than the file holds. */
static bool bytes_are_there(brn_h5 *h5, hid_t set, int rank, const hsize_t *dims)
{
    const hid_t type = H5Dget_type(set);
    const hid_t plist = H5Dget_create_plist(set);
    hsize_t bytes = type >= 0 ? H5Tget_size(type) : 0;
    bool fits = bytes > 0 && plist >= 0 && H5Pget_layout(plist) == H5D_CONTIGUOUS &&
                H5Pget_external_count(plist) == 0;
    for (int i = 0; i < rank; ++i) {
        fits = !__builtin_mul_overflow(bytes, dims[i], &bytes) && fits;
    }
    hsize_t file_size = 0;
    fits = fits && H5Fget_filesize(h5->file, &file_size) >= 0 && bytes <= file_size &&
           (bytes == 0 || H5Dget_storage_size(set) == bytes);
    (void)H5Tclose(type);
    (void)H5Pclose(plist);
    return fits;
}

static brn_status shape(brn_h5 *h5, const char *name, H5T_class_t kind, int rank, hsize_t *dims, bool stored)
{
    const hid_t set = H5Dopen2(h5->file, name, H5P_DEFAULT);
    if (set < 0) {
        return brn_h5_fail(h5, BRN_ERR_FORMAT, "read", name);
    }
    brn_status status = set_shape(h5, set, name, kind, rank, dims);
    if (status >= 0 && stored && !bytes_are_there(h5, set, rank, dims)) {
        status = brn_fail(h5->ctx, BRN_ERR_FORMAT, "%s: %s is damaged: its shape and its bytes disagree",
                          h5->path, name);
    }
    (void)H5Dclose(set);
    return status;
}

brn_status brn_h5_shape(brn_h5 *h5, const char *name, H5T_class_t kind, int rank, hsize_t *dims)
{
    return shape(h5, name, kind, rank, dims, false);
}

brn_status brn_h5_stored_shape(brn_h5 *h5, const char *name, H5T_class_t kind, int rank, hsize_t *dims)
{
    return shape(h5, name, kind, rank, dims, true);
}

brn_status brn_h5_get(brn_h5 *h5, const char *name, int rank, const hsize_t *dims, hid_t memory_type,
                      void *data)
{
    const hid_t set = H5Dopen2(h5->file, name, H5P_DEFAULT);
    if (set < 0) {
        return brn_h5_fail(h5, BRN_ERR_FORMAT, "read", name);
    }
    hsize_t found[4] = {0};
    brn_status status = set_shape(h5, set, name, H5Tget_class(memory_type), rank, found);
    hsize_t count = 1;
    for (int i = 0; i < rank && status >= 0; ++i) {
        count *= dims[i];
        if (found[i] != dims[i]) {
            status = brn_fail(h5->ctx, BRN_ERR_FORMAT, "%s: %s has length %llu on axis %d, expected %llu",
                              h5->path, name, (unsigned long long)found[i], i, (unsigned long long)dims[i]);
        }
    }
    if (status >= 0 && count > 0 && H5Dread(set, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
        status = brn_h5_fail(h5, BRN_ERR_FORMAT, "read", name);
    }
    (void)H5Dclose(set);
    return status;
}

bool brn_h5_has(brn_h5 *h5, const char *name)
{
    /* HDF5 wants each link on the way to be checked on its own. */
    char part[256];
    for (size_t i = 1; i < sizeof part; ++i) {
        if (name[i] == '/' || name[i] == '\0') {
            memcpy(part, name, i);
            part[i] = '\0';
            if (H5Lexists(h5->file, part, H5P_DEFAULT) <= 0) {
                return false;
            }
            if (name[i] == '\0') {
                return true;
            }
        }
    }
    return false;
}
