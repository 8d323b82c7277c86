/* checkpoint.h5: an HDF5 file behind a user block of 512 bytes (h5py, Julia and MATLAB skip it) that starts with one line

       brunt checkpoint 2 BYTES HASH

   BYTES and HASH are those of all that follows the block. They are checked before HDF5 sees anything, so a cut or damaged
   file is always recognised. HDF5 works in memory only and the bytes are written by brn_file_write: a full
   disk is reported as such, and the old checkpoint stays until the new one is complete. Layout in docs/output.md. */
#include "base/hash.h"
#include "base/os.h"
#include "base/text.h"
#include "model/model_parts.h"
#include "state/hdf5_file.h"
#include "state/state.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    USER_BLOCK = 512, /* the smallest that HDF5 allows */
    FORMAT = 4,
    MEMORIES_MAX = 10000,
    DIGITS = 16,   /* of a part's hash */
    NAMED_MAX = 8, /* parts that a message names */
    LEDGER = sizeof((brn_state *)NULL)->ledger / sizeof(double),
    STORY = sizeof(brn_story) / sizeof(double),
};

/* A file is held in memory while it is read or written; no state comes close to this limit. */
#define FILE_MAX ((size_t)1 << 38)

static const char magic[] = "brunt checkpoint";

/* ---- save -------------------------------------------------------------------------------------------------------- */

static brn_status put_reals(brn_h5 *h5, const char *name, int rank, hsize_t n, hsize_t width,
                            const double *values)
{
    return brn_h5_put(h5, name, H5T_IEEE_F64LE, rank, (hsize_t[]){n, width}, H5T_NATIVE_DOUBLE, values);
}

static brn_status put_memories(brn_h5 *h5, const brn_state *state)
{
    BRN_TRY(brn_h5_put_int(h5, "/", "memories", state->nmemory));
    for (int i = 0; i < state->nmemory; ++i) {
        const brn_memory *memory = &state->memory[i];
        char name[32];
        (void)snprintf(name, sizeof name, "/memory/%04d", i);
        BRN_TRY(put_reals(h5, name, 1, memory->count, 0, memory->value));
        BRN_TRY(brn_h5_put_text(h5, name, "name", memory->name));
    }
    return BRN_OK;
}

static brn_status put_state(brn_h5 *h5, const brn_state *state, const char *parts, const double *extra,
                            int nextra)
{
    BRN_TRY(brn_h5_put_text(h5, "/", "format", magic));
    BRN_TRY(brn_h5_put_int(h5, "/", "version", FORMAT));
    BRN_TRY(brn_h5_put_text(h5, "/", "brunt", BRN_VERSION));
    BRN_TRY(brn_h5_put(h5, "/scene", H5T_STD_U8LE, 1, (hsize_t[]){strlen(parts)}, H5T_NATIVE_UCHAR, parts));
    BRN_TRY(brn_h5_put_int(h5, "/", "step", state->step));
    BRN_TRY(brn_h5_put_int(h5, "/", "nnode", state->sizes.nnode));
    BRN_TRY(brn_h5_put_int(h5, "/", "nrigid", state->sizes.nrigid));
    BRN_TRY(brn_h5_put_int(h5, "/", "njoint", state->sizes.njoint));
    BRN_TRY(put_reals(h5, "/ledger", 1, LEDGER, 0, state->ledger));
    BRN_TRY(put_reals(h5, "/story", 1, STORY, 0, (const double *)&state->story));
    BRN_TRY(put_reals(h5, "/extra", 1, (hsize_t)nextra, 0, extra));
#define PUT(name, count, width, what) \
 BRN_TRY(put_reals(h5, "/" #name, 2, (hsize_t)state->sizes.count, (width), state->name));
    BRN_STATE_ARRAYS(PUT)
#undef PUT
    return put_memories(h5, state);
}

/* A new file in memory (never on the disk) with room for the user block. */
static brn_status create_in_memory(brn_h5 *h5)
{
    const hid_t create = H5Pcreate(H5P_FILE_CREATE);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    brn_status status = BRN_OK;
    if (create < 0 || access < 0 || H5Pset_userblock(create, USER_BLOCK) < 0 ||
        H5Pset_fapl_core(access, 1 << 20, 0) < 0 ||
        H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18) < 0 ||
        (h5->file = H5Fcreate(h5->path, H5F_ACC_TRUNC, create, access)) < 0) {
        status = brn_h5_fail(h5, BRN_ERR_FILE, "create", "a file in memory");
    }
    (void)H5Pclose(create);
    (void)H5Pclose(access);
    return status;
}

/* The user block and the file's bytes behind it. */
static brn_status take_image(brn_h5 *h5, char **out, size_t *length)
{
    if (H5Fflush(h5->file, H5F_SCOPE_LOCAL) < 0) {
        return brn_h5_fail(h5, BRN_ERR_FILE, "write", "the file");
    }
    const ssize_t size = H5Fget_file_image(h5->file, NULL, 0);
    if (size < 0) {
        return brn_h5_fail(h5, BRN_ERR_FILE, "write", "the file");
    }
    char *image = NULL;
    BRN_ALLOC(h5->ctx, image, (size_t)size + USER_BLOCK);
    if (H5Fget_file_image(h5->file, image + USER_BLOCK, (size_t)size) != size) {
        brn_free(h5->ctx, image);
        return brn_h5_fail(h5, BRN_ERR_FILE, "write", "the file");
    }
    (void)snprintf(image, USER_BLOCK, "%s %d %zu %016" PRIx64 "\n", magic, FORMAT, (size_t)size,
                   brn_hash_bytes(BRN_HASH_START, image + USER_BLOCK, (size_t)size));
    *out = image;
    *length = (size_t)size + USER_BLOCK;
    return BRN_OK;
}

brn_status brn_state_save(const brn_state *state, const char *path, const char *parts, const double *extra,
                          int nextra)
{
    brn_h5 h5 = {.ctx = state->ctx, .path = path, .file = H5I_INVALID_HID};
    char *image = NULL;
    size_t length = 0;
    brn_h5_begin(&h5);
    brn_status status = create_in_memory(&h5);
    if (status >= 0) {
        status = put_state(&h5, state, parts, extra, nextra);
        status = status >= 0 ? take_image(&h5, &image, &length) : status;
        (void)H5Fclose(h5.file);
    }
    brn_h5_end(&h5);
    if (status >= 0) {
        status = brn_file_write(state->ctx, path, image, length);
    }
    brn_free(state->ctx, image);
    return status;
}

/* ---- load -------------------------------------------------------------------------------------------------------- */

/* Reads the file and checks the line in its user block. */
static brn_status read_checked(brn_ctx *ctx, const char *path, char **out, size_t *length)
{
    char *bytes = NULL;
    BRN_TRY(brn_file_read(ctx, path, FILE_MAX, &bytes, length));
    size_t size = 0;
    uint64_t hash = 0;
    int format = 0;
    brn_status status = BRN_OK;
    if (*length < USER_BLOCK || memcmp(bytes, magic, sizeof magic - 1) != 0) {
        status = brn_fail(ctx, BRN_ERR_FORMAT, "%s: not a brunt checkpoint", path);
    } else {
        bytes[USER_BLOCK - 1] = '\0';
        const int found = sscanf(bytes + sizeof magic - 1, "%d %zu %" SCNx64, &format, &size, &hash);
        if (found >= 1 && format != FORMAT) {
            status = brn_fail(ctx, BRN_ERR_FORMAT,
                              "%s: a checkpoint of format %d, written by %s version of brunt; this one reads "
                              "format %d: resume it with the version that wrote it, or start the run again",
                              path, format, format < FORMAT ? "an older" : "a newer", FORMAT);
        } else if (found != 3 || size != *length - USER_BLOCK ||
                   hash != brn_hash_bytes(BRN_HASH_START, bytes + USER_BLOCK, size)) {
            status = brn_fail(ctx, BRN_ERR_FORMAT,
                              "%s: the checkpoint is damaged (length or checksum do not match)", path);
        }
    }
    if (status < 0) {
        brn_free(ctx, bytes);
        return status;
    }
    *out = bytes;
    return BRN_OK;
}

static brn_status open_image(brn_h5 *h5, char *bytes, size_t length)
{
    /* HDF5 refuses an image if a file of that name exists; below the path of a file nothing can exist. */
    char name[4200];
    (void)snprintf(name, sizeof name, "%s/image", h5->path);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    brn_status status = BRN_OK;
    if (access < 0 || H5Pset_fapl_core(access, 1 << 20, 0) < 0 ||
        H5Pset_file_image(access, bytes, length) < 0 ||
        (h5->file = H5Fopen(name, H5F_ACC_RDONLY, access)) < 0) {
        status = brn_h5_fail(h5, BRN_ERR_FORMAT, "open", "the checkpoint");
    }
    (void)H5Pclose(access);
    return status;
}

static brn_status check_size(brn_h5 *h5, const char *name, int expected)
{
    int64_t value = 0;
    BRN_TRY(brn_h5_get_int(h5, "/", name, &value));
    if (value != expected) {
        return brn_fail(h5->ctx, BRN_ERR_FORMAT, "%s: %s = %" PRId64 " in the checkpoint, %d in the model",
                        h5->path, name, value, expected);
    }
    return BRN_OK;
}

/* ---- does it belong to the scene? -------------------------------------------------------------------------------- */

static size_t line_length(const char *line)
{
    const size_t n = strcspn(line, "\n");
    return n + (line[n] == '\n');
}

/* Whether a line of `parts` has these bytes after its first `skip` ones. */
static bool has_line(const char *parts, size_t skip, const char *bytes, size_t n)
{
    for (const char *line = parts; *line != '\0'; line += line_length(line)) {
        if (line_length(line) == skip + n && memcmp(line + skip, bytes, n) == 0) {
            return true;
        }
    }
    return false;
}

/* The step in a line of parts; false: the line is another. */
static bool read_step(const char *line, double *step)
{
    uint64_t bits = 0;
    const size_t n = strlen(BRN_PART_STEP);
    if (line_length(line) != DIGITS + n + 2 || memcmp(line + DIGITS + 1, BRN_PART_STEP, n) != 0 ||
        sscanf(line, "%16" SCNx64, &bits) != 1) {
        return false;
    }
    memcpy(step, &bits, sizeof *step);
    return true;
}

/* Adds the names of lines that `other` lacks: present with another hash, or (absent) not at all. */
static void add_missing(const char *parts, const char *other, bool absent, brn_text *names, int *count)
{
    const size_t skip = absent ? DIGITS + 1 : 0;
    for (const char *line = parts; *line != '\0'; line += line_length(line)) {
        const size_t n = line_length(line);
        double step = 0.0; /* another one is no fault */
        if (n <= DIGITS + 1 || has_line(other, skip, line + skip, n - skip) || read_step(line, &step)) {
            continue;
        }
        if (++*count <= NAMED_MAX) {
            brn_text_add(names, "%s%.*s", *count > 1 ? ", " : "", (int)strcspn(line + DIGITS + 1, "\n"),
                         line + DIGITS + 1);
        }
    }
}

static brn_status refuse_parts(brn_h5 *h5, const char *stored, const char *parts)
{
    brn_text names = {.ctx = h5->ctx};
    int count = 0;
    char *text = NULL;
    add_missing(parts, stored, false, &names, &count);
    add_missing(stored, parts, true, &names, &count);
    if (count > NAMED_MAX) {
        brn_text_add(&names, " and %d more", count - NAMED_MAX);
    }
    brn_text_append(&names, "", 1); /* parts in another order: none is named */
    BRN_TRY(brn_text_take(&names, &text));
    const brn_status status =
        brn_fail(h5->ctx, BRN_ERR_FORMAT,
                 "%s: this checkpoint belongs to another scene (%s); on resume only title, time.step, "
                 "time.end, method.events of acm, and output.every, .report, .vtu and .checkpoint may change",
                 h5->path, count > 0 ? text : "its parts are in another order");
    brn_free(h5->ctx, text);
    return status;
}

/* The steps of two lists of parts that agree in all else; false: they do not. */
static bool compare_parts(const char *stored, const char *parts, double *stored_step, double *step)
{
    while (*stored != '\0' && *parts != '\0') {
        const size_t n = line_length(stored);
        const bool steps = read_step(stored, stored_step) && read_step(parts, step);
        if (!steps && (n != line_length(parts) || memcmp(stored, parts, n) != 0)) {
            return false;
        }
        stored += n;
        parts += line_length(parts);
    }
    return *stored == '\0' && *parts == '\0';
}

/* steps[2]: of the checkpoint and of the scene. */
static brn_status check_parts(brn_h5 *h5, const char *parts, double steps[2])
{
    hsize_t length = 0;
    char *stored = NULL;
    BRN_TRY(brn_h5_stored_shape(h5, "/scene", H5T_INTEGER, 1, &length));
    BRN_ALLOC(h5->ctx, stored, (size_t)length + 1);
    brn_status status = brn_h5_get(h5, "/scene", 1, &length, H5T_NATIVE_UCHAR, stored);
    if (status >= 0 && !compare_parts(stored, parts, &steps[0], &steps[1])) {
        status = refuse_parts(h5, stored, parts);
    }
    brn_free(h5->ctx, stored);
    return status;
}

/* Time is step * h: with another h the number of steps done changes, and it must stay whole. */
static brn_status renumber(brn_h5 *h5, const double steps[2], brn_state *state)
{
    if (steps[0] == steps[1]) {
        return BRN_OK;
    }
    const double reached = (double)state->step * steps[0];
    const double count = round(reached / steps[1]);
    if (!(fabs(count * steps[1] - reached) <= 1e-9 * reached && count < 9e15)) {
        return brn_fail(h5->ctx, BRN_ERR_RANGE,
                        "%s: time.step = %g s does not divide the %g s that are done: %.10g s would",
                        h5->path, steps[1], reached, reached / fmax(1.0, ceil(reached / steps[1])));
    }
    state->step = (int64_t)count;
    return BRN_OK;
}

static brn_status check_head(brn_h5 *h5, const brn_state *state, const char *parts, double steps[2])
{
    char format[32];
    BRN_TRY(brn_h5_get_text(h5, "/", "format", format, sizeof format));
    if (strcmp(format, magic) != 0) {
        return brn_fail(h5->ctx, BRN_ERR_FORMAT, "%s: not a brunt checkpoint", h5->path);
    }
    BRN_TRY(check_size(h5, "version", FORMAT));
    BRN_TRY(check_parts(h5, parts, steps));
    BRN_TRY(check_size(h5, "nnode", state->sizes.nnode));
    BRN_TRY(check_size(h5, "nrigid", state->sizes.nrigid));
    return check_size(h5, "njoint", state->sizes.njoint);
}

/* ---- its numbers --------------------------------------------------------------------------------------------------- */

static brn_status get_reals(brn_h5 *h5, const char *name, int rank, hsize_t n, hsize_t width, double *values)
{
    return brn_h5_get(h5, name, rank, (hsize_t[]){n, width}, H5T_NATIVE_DOUBLE, values);
}

static brn_status get_memories(brn_h5 *h5, brn_state *state)
{
    int64_t count = 0;
    BRN_TRY(brn_h5_get_int(h5, "/", "memories", &count));
    if (count < 0 || count > MEMORIES_MAX) {
        return brn_fail(h5->ctx, BRN_ERR_FORMAT, "%s: %" PRId64 " memories: must be 0 to %d", h5->path, count,
                        MEMORIES_MAX);
    }
    for (int i = 0; i < count; ++i) {
        char set[32];
        char name[sizeof state->memory->name];
        hsize_t length = 0;
        double *value = NULL;
        (void)snprintf(set, sizeof set, "/memory/%04d", i);
        BRN_TRY(brn_h5_get_text(h5, set, "name", name, sizeof name));
        BRN_TRY(brn_h5_stored_shape(h5, set, H5T_FLOAT, 1, &length));
        if (brn_state_recall(state, name) != NULL) {
            return brn_fail(h5->ctx, BRN_ERR_FORMAT, "%s: memory '%s' occurs twice", h5->path, name);
        }
        BRN_TRY(brn_state_remember(state, name, length, &value));
        BRN_TRY(get_reals(h5, set, 1, length, 0, value));
    }
    return BRN_OK;
}

static brn_status get_state(brn_h5 *h5, brn_state *state, double *extra, int nextra)
{
    BRN_TRY(brn_h5_get_int(h5, "/", "step", &state->step));
    BRN_TRY(get_reals(h5, "/ledger", 1, LEDGER, 0, state->ledger));
    BRN_TRY(get_reals(h5, "/story", 1, STORY, 0, (double *)&state->story));
    BRN_TRY(get_reals(h5, "/extra", 1, (hsize_t)nextra, 0, extra));
#define GET(name, count, width, what) \
 BRN_TRY(get_reals(h5, "/" #name, 2, (hsize_t)state->sizes.count, (width), state->name));
    BRN_STATE_ARRAYS(GET)
#undef GET
    return get_memories(h5, state);
}

/* Loads into a separate state and array, so that the caller's stay as they are on failure. */
static brn_status load_aside(brn_h5 *h5, brn_state *aside, const char *parts, double *extra, int nextra)
{
    char *bytes = NULL;
    size_t length = 0;
    BRN_TRY(read_checked(h5->ctx, h5->path, &bytes, &length));
    brn_status status = open_image(h5, bytes, length);
    brn_free(h5->ctx, bytes);
    BRN_TRY(status);
    double steps[2] = {0.0, 0.0};
    status = check_head(h5, aside, parts, steps);
    status = status >= 0 ? get_state(h5, aside, extra, nextra) : status;
    status = status >= 0 ? renumber(h5, steps, aside) : status;
    (void)H5Fclose(h5->file);
    return status;
}

brn_status brn_state_load(brn_state *state, const char *path, const char *parts, double *extra, int nextra)
{
    brn_h5 h5 = {.ctx = state->ctx, .path = path, .file = H5I_INVALID_HID};
    double *numbers = NULL;
    brn_state *aside = NULL;
    BRN_ALLOC(state->ctx, numbers, nextra);
    brn_status status = brn_state_create(state->ctx, &state->sizes, &aside);
    if (status >= 0) {
        brn_h5_begin(&h5);
        status = load_aside(&h5, aside, parts, numbers, nextra);
        brn_h5_end(&h5);
    }
    if (status >= 0) {
        const brn_state old = *state;
        *state = *aside;
        *aside = old;
        if (nextra > 0) {
            memcpy(extra, numbers, (size_t)nextra * sizeof *extra);
        }
    }
    brn_state_destroy(aside);
    brn_free(state->ctx, numbers);
    return status;
}
