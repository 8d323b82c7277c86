#include "output/trajectory/frames.h"

#include <limits.h>

enum { SCALAR_CHUNK = 512 }; /* entries of time and step per chunk: a page of the file */

void brn_frame_sets_init(brn_frame_set sets[BRN_SETS], const brn_playback_info *info)
{
    const hsize_t nnode = (hsize_t)info->nnode;
    const hsize_t ncell = (hsize_t)brn_outline_cells(info);
    const hid_t none = H5I_INVALID_HID;
    sets[BRN_SET_POSITION] = (brn_frame_set){"/frames/position", H5T_FLOAT, none, 3, nnode, 3};
    sets[BRN_SET_VELOCITY] = (brn_frame_set){"/frames/velocity", H5T_FLOAT, none, 3, nnode, 3};
    sets[BRN_SET_FORCE] = (brn_frame_set){"/frames/force", H5T_FLOAT, none, 3, nnode, 3};
    sets[BRN_SET_CELL_STRESS] = (brn_frame_set){"/frames/cell_stress", H5T_FLOAT, none, 3, ncell, 6};
    sets[BRN_SET_NODE_STRESS] = (brn_frame_set){"/frames/node_stress", H5T_FLOAT, none, 3, nnode, 6};
    sets[BRN_SET_PRESSURE] = (brn_frame_set){"/frames/pressure", H5T_FLOAT, none, 3, nnode, 1};
    sets[BRN_SET_STEP] = (brn_frame_set){"/frames/step", H5T_INTEGER, none, 1, 1, 1};
    sets[BRN_SET_TIME] = (brn_frame_set){"/frames/time", H5T_FLOAT, none, 1, 1, 1};
    sets[BRN_SET_CONTACT] = (brn_frame_set){"/frames/contact/end", H5T_INTEGER, none, 1, 1, 1};
}

bool brn_frame_set_wanted(int set, const brn_playback_info *info)
{
    switch (set) {
    case BRN_SET_VELOCITY:
        return info->has_velocity;
    case BRN_SET_FORCE:
        return info->has_force;
    case BRN_SET_CELL_STRESS:
    case BRN_SET_NODE_STRESS:
        return info->has_stress;
    case BRN_SET_PRESSURE:
        return info->has_pressure;
    case BRN_SET_CONTACT:
        return info->has_contact;
    default:
        return true;
    }
}

static hid_t memory_type(const brn_frame_set *set)
{
    return set->type == H5T_INTEGER ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
}

bool brn_frame_set_single(const brn_frame_set *set)
{
    return set->rank == 3 && set->width != 3;
}

static hid_t file_type(const brn_frame_set *set)
{
    return set->type == H5T_INTEGER    ? H5T_STD_I64LE
           : brn_frame_set_single(set) ? H5T_IEEE_F32LE
                                       : H5T_IEEE_F64LE;
}

/* One frame per chunk (no chunk may be empty, even if there is nothing to store). */
static void chunk_dims(const brn_frame_set *set, hsize_t chunk[3])
{
    chunk[0] = set->rank == 1 ? SCALAR_CHUNK : 1;
    chunk[1] = set->n > 0 ? set->n : 1;
    chunk[2] = set->width;
}

/* A chunk is written once and whole, so nothing is gained by keeping it. */
static hid_t access_list(const brn_frame_set *set)
{
    const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    if (access >= 0 && set->rank == 3 && H5Pset_chunk_cache(access, 0, 0, 1.0) < 0) {
        (void)H5Pclose(access);
        return H5I_INVALID_HID;
    }
    return access;
}

brn_status brn_frame_set_create(brn_h5 *h5, brn_frame_set *set)
{
    hsize_t chunk[3];
    chunk_dims(set, chunk);
    const hsize_t dims[3] = {0, set->n, set->width};
    const hsize_t most[3] = {H5S_UNLIMITED, set->n, set->width};
    const hid_t space = H5Screate_simple(set->rank, dims, most);
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    const hid_t access = access_list(set);
    brn_status status = BRN_OK;
    if (space < 0 || plist < 0 || links < 0 || access < 0 || H5Pset_create_intermediate_group(links, 1) < 0 ||
        H5Pset_chunk(plist, set->rank, chunk) < 0 ||
        (set->rank == 3 && (H5Pset_shuffle(plist) < 0 || H5Pset_deflate(plist, 1) < 0)) ||
        (set->id = H5Dcreate2(h5->file, set->name, file_type(set), space, links, plist, access)) < 0) {
        status = brn_h5_fail(h5, BRN_ERR_FILE, "create", set->name);
    }
    (void)H5Pclose(access);
    (void)H5Pclose(links);
    (void)H5Pclose(plist);
    (void)H5Sclose(space);
    return status;
}

/* Chunks of another shape could ask for any amount of memory; other layouts could point to other files. */
static bool chunks_fit(const brn_frame_set *set)
{
    hsize_t want[3];
    hsize_t chunk[3] = {0};
    chunk_dims(set, want);
    const hid_t plist = H5Dget_create_plist(set->id);
    bool fits =
        plist >= 0 && H5Pget_layout(plist) == H5D_CHUNKED && H5Pget_chunk(plist, 3, chunk) == set->rank;
    for (int i = 0; i < set->rank; ++i) {
        fits = fits && chunk[i] == want[i];
    }
    (void)H5Pclose(plist);
    return fits;
}

brn_status brn_frame_set_open(brn_h5 *h5, brn_frame_set *set, int *nframe)
{
    hsize_t dims[3] = {0, set->n, set->width};
    BRN_TRY(brn_h5_shape(h5, set->name, set->type, set->rank, dims));
    if (set->rank == 3 && (dims[1] != set->n || dims[2] != set->width)) {
        return brn_fail(h5->ctx, BRN_ERR_FORMAT, "%s: %s is [%llu][%llu] a frame, expected [%llu][%llu]",
                        h5->path, set->name, (unsigned long long)dims[1], (unsigned long long)dims[2],
                        (unsigned long long)set->n, (unsigned long long)set->width);
    }
    const hid_t access = access_list(set);
    set->id = H5Dopen2(h5->file, set->name, access);
    const brn_status status = set->id >= 0 ? BRN_OK : brn_h5_fail(h5, BRN_ERR_FORMAT, "open", set->name);
    (void)H5Pclose(access);
    BRN_TRY(status);
    if (!chunks_fit(set)) {
        return brn_fail(h5->ctx, BRN_ERR_FORMAT, "%s: %s is not chunked by frame", h5->path, set->name);
    }
    if (dims[0] < (hsize_t)*nframe) {
        *nframe = (int)dims[0];
    }
    return BRN_OK;
}

/* The part of the file that is one frame, and as much memory; both are closed by the caller where >= 0. */
static bool select_frame(const brn_frame_set *set, int frame, hid_t *file_space, hid_t *memory_space)
{
    const hsize_t start[3] = {(hsize_t)frame, 0, 0};
    const hsize_t count[3] = {1, set->n, set->width};
    *file_space = H5Dget_space(set->id);
    *memory_space = H5Screate_simple(set->rank, count, NULL);
    return *file_space >= 0 && *memory_space >= 0 &&
           H5Sselect_hyperslab(*file_space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
}

brn_status brn_frame_set_write(brn_h5 *h5, brn_frame_set *set, int frame, const void *data)
{
    BRN_TRY(brn_frame_set_cut(h5, set, frame + 1));
    if (set->n == 0) {
        return BRN_OK;
    }
    hid_t file_space;
    hid_t memory_space;
    brn_status status = BRN_OK;
    if (!select_frame(set, frame, &file_space, &memory_space) ||
        H5Dwrite(set->id, memory_type(set), memory_space, file_space, H5P_DEFAULT, data) < 0) {
        status = brn_h5_fail(h5, BRN_ERR_FILE, "write", set->name);
    }
    (void)H5Sclose(file_space);
    (void)H5Sclose(memory_space);
    return status;
}

brn_status brn_frame_set_read(brn_h5 *h5, const brn_frame_set *set, int frame, void *data)
{
    if (set->n == 0) {
        return BRN_OK;
    }
    hid_t file_space;
    hid_t memory_space;
    brn_status status = BRN_OK;
    if (!select_frame(set, frame, &file_space, &memory_space) ||
        H5Dread(set->id, memory_type(set), memory_space, file_space, H5P_DEFAULT, data) < 0) {
        status = brn_h5_fail(h5, BRN_ERR_FORMAT, "read", set->name);
    }
    (void)H5Sclose(file_space);
    (void)H5Sclose(memory_space);
    return status;
}

brn_status brn_frame_set_cut(brn_h5 *h5, brn_frame_set *set, int nframe)
{
    const hsize_t dims[3] = {(hsize_t)nframe, set->n, set->width};
    return H5Dset_extent(set->id, dims) >= 0 ? BRN_OK : brn_h5_fail(h5, BRN_ERR_FILE, "resize", set->name);
}

void brn_frame_sets_close(brn_frame_set sets[BRN_SETS])
{
    for (int i = 0; i < BRN_SETS; ++i) {
        if (sets[i].id >= 0) {
            (void)H5Dclose(sets[i].id);
            sets[i].id = H5I_INVALID_HID;
        }
    }
}
