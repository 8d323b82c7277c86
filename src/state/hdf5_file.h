/* What brunt asks of HDF5: whole datasets and attributes by path, errors as statuses with a readable reason, no printing
   and no exit handler. Used by checkpoints and trajectories. */
#ifndef BRN_STATE_HDF5_FILE_H
#define BRN_STATE_HDF5_FILE_H

#include "base/ctx.h"

#include <hdf5.h>

/* An open file and the ctx that its errors go to. HDF5 prints its errors by default; between begin and end it does not, and
   end restores the host program's setting. */
typedef struct brn_h5 {
    brn_ctx *ctx;
    const char *path; /* for messages and for opening */
    hid_t file;       /* < 0: not open */
    bool silenced;
    H5E_auto2_t print;
    void *print_data;
} brn_h5;

/* Call at the head of every function that uses HDF5, and end before returning to the caller. */
void brn_h5_begin(brn_h5 *h5);
void brn_h5_end(brn_h5 *h5);

/* Records "PATH: cannot WHAT: reason" with the innermost reason on HDF5's stack; must follow the failed call at once. An
   error of the operating system (full disk, ...) makes the status BRN_ERR_FILE or BRN_ERR_MEMORY, whatever `status` says. */
brn_status brn_h5_fail(brn_h5 *h5, brn_status status, const char *what, const char *name);

/* Creates a contiguous dataset (missing groups of its path are made) and writes all of it. */
brn_status brn_h5_put(brn_h5 *h5, const char *name, hid_t type, int rank, const hsize_t *dims,
                      hid_t memory_type, const void *data);
/* Scalar attributes of an object ("/" or a dataset's path). */
brn_status brn_h5_put_text(brn_h5 *h5, const char *object, const char *name, const char *text);
brn_status brn_h5_put_int(brn_h5 *h5, const char *object, const char *name, int64_t value);
brn_status brn_h5_put_hash(brn_h5 *h5, const char *object, const char *name, uint64_t value);
/* capacity counts the final '\0'; a longer text, a missing attribute or one of another type is BRN_ERR_FORMAT. */
brn_status brn_h5_get_text(brn_h5 *h5, const char *object, const char *name, char *out, size_t capacity);
brn_status brn_h5_get_int(brn_h5 *h5, const char *object, const char *name, int64_t *out);
brn_status brn_h5_get_hash(brn_h5 *h5, const char *object, const char *name, uint64_t *out);

/* Shape of a dataset of exactly this rank (at most 4) and class (H5T_FLOAT, H5T_INTEGER, H5T_STRING). */
brn_status brn_h5_shape(brn_h5 *h5, const char *name, H5T_class_t kind, int rank, hsize_t *dims);
/* Like brn_h5_shape, for a dataset written by brn_h5_put: checks that its bytes really are in the file, so that a damaged
   shape cannot ask for more memory than the size of the file. */
brn_status brn_h5_stored_shape(brn_h5 *h5, const char *name, H5T_class_t kind, int rank, hsize_t *dims);
/* Reads all of a dataset whose shape is exactly dims. */
brn_status brn_h5_get(brn_h5 *h5, const char *name, int rank, const hsize_t *dims, hid_t memory_type,
                      void *data);
bool brn_h5_has(brn_h5 *h5, const char *name); /* takes an absolute path and checks every link of it */

#endif
