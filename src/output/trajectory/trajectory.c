#include "output/trajectory/trajectory.h"

#include "base/os.h"
#include "output/trajectory/contact_rows.h"
#include "output/trajectory/fields.h"
#include "output/trajectory/journal.h"
#include "output/trajectory/recovery.h"

#include <limits.h>

struct brn_trajectory {
    brn_ctx *ctx;
    const brn_model *model;
    char *path;
    brn_h5 h5;
    brn_outline outline;
    brn_frame_set sets[BRN_SETS];
    brn_contact_rows rows;
    double *cell_stress;   /* [total cells][6], NULL where no stress is recorded */
    double *sample_stress; /* [samples][6] */
    double *node_stress;   /* [nnode][6] */
    brn_recovery recovery;
    bool failed; /* a frame could not be written */
};

static brn_status create_file(brn_trajectory *t)
{
    const hid_t access = brn_journal_access(t->ctx);
    t->h5.file = H5Fcreate(t->path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    const brn_status status =
        t->h5.file >= 0 ? BRN_OK : brn_h5_fail(&t->h5, BRN_ERR_FILE, "create", "the trajectory");
    (void)H5Pclose(access);
    BRN_TRY(status);
    BRN_TRY(brn_h5_put_text(&t->h5, "/", "format", BRN_TRAJECTORY_FORMAT));
    BRN_TRY(brn_h5_put_int(&t->h5, "/", "version", BRN_TRAJECTORY_VERSION));
    BRN_TRY(brn_h5_put_text(&t->h5, "/", "brunt", BRN_VERSION));
    BRN_TRY(brn_outline_write(&t->outline, &t->h5));
    for (int i = 0; i < BRN_SETS; ++i) {
        if (brn_frame_set_wanted(i, &t->outline.info)) {
            BRN_TRY(brn_frame_set_create(&t->h5, &t->sets[i]));
        }
    }
    if (t->outline.info.has_contact) {
        BRN_TRY(brn_contact_rows_create(&t->h5, &t->rows));
    }
    return brn_journal_sync(&t->h5);
}

/* The rows of the frames kept. */
static brn_status reopen_rows(brn_trajectory *t, int keep_frames)
{
    int64_t end = 0;
    BRN_TRY(brn_contact_rows_open(&t->h5, &t->rows));
    if (keep_frames > 0) {
        BRN_TRY(brn_frame_set_read(&t->h5, &t->sets[BRN_SET_CONTACT], keep_frames - 1, &end));
    }
    if (!(end >= 0 && end <= t->rows.total)) {
        return brn_fail(t->ctx, BRN_ERR_FORMAT, "%s: holds %lld contact points, expected at least %lld",
                        t->path, (long long)t->rows.total, (long long)end);
    }
    return brn_contact_rows_cut(&t->h5, &t->rows, end);
}

/* A frame has all fields of the file, so they cannot change when a run is resumed. */
static brn_status check_fields(brn_trajectory *t)
{
    for (int i = 0; i < BRN_SETS; ++i) {
        const bool wanted = brn_frame_set_wanted(i, &t->outline.info);
        const bool there = brn_h5_has(&t->h5, t->sets[i].name);
        if (wanted != there) {
            return brn_fail(t->ctx, BRN_ERR_FORMAT,
                            "%s: holds %s%s, which output.fields %s: fields cannot change when a run goes on",
                            t->path, there ? "" : "no ", t->sets[i].name,
                            there ? "does not ask for" : "asks for");
        }
    }
    return BRN_OK;
}

/* The file must hold the frames that the checkpoint counted, with this model's shapes. */
static brn_status reopen_file(brn_trajectory *t, int keep_frames)
{
    BRN_TRY(brn_file_check(t->ctx, t->path));
    BRN_TRY(brn_journal_recover(t->ctx, t->path));
    const hid_t access = brn_journal_access(t->ctx);
    t->h5.file = H5Fopen(t->path, H5F_ACC_RDWR, access);
    const brn_status status =
        t->h5.file >= 0 ? BRN_OK : brn_h5_fail(&t->h5, BRN_ERR_FORMAT, "open", "the trajectory");
    (void)H5Pclose(access);
    BRN_TRY(status);
    /* A run of an earlier version goes on without. */
    t->outline.info.has_pressure &= brn_h5_has(&t->h5, t->sets[BRN_SET_PRESSURE].name);
    BRN_TRY(check_fields(t));
    int found = INT_MAX;
    for (int i = 0; i < BRN_SETS; ++i) {
        if (brn_frame_set_wanted(i, &t->outline.info)) {
            BRN_TRY(brn_frame_set_open(&t->h5, &t->sets[i], &found));
        }
    }
    if (found < keep_frames) {
        return brn_fail(t->ctx, BRN_ERR_FORMAT, "%s: holds %d frames, expected at least %d", t->path, found,
                        keep_frames);
    }
    if (t->outline.info.has_contact) {
        BRN_TRY(reopen_rows(t, keep_frames));
    }
    for (int i = 0; i < BRN_SETS; ++i) {
        if (t->sets[i].id >= 0) {
            BRN_TRY(brn_frame_set_cut(&t->h5, &t->sets[i], keep_frames));
        }
    }
    t->outline.info.nframe = keep_frames;
    /* Before any new frame can take the place of the removed ones. */
    return brn_journal_sync(&t->h5);
}

static brn_status prepare(brn_trajectory *t, const char *path)
{
    brn_playback_info *info = &t->outline.info;
    t->path = brn_strdup(t->ctx, path);
    if (t->path == NULL) {
        return BRN_ERR_MEMORY;
    }
    t->h5.path = t->path;
    BRN_TRY(brn_outline_of_model(&t->outline, t->model));
    info->has_velocity = t->model->fields[BRN_FIELD_VELOCITY];
    info->has_force = t->model->fields[BRN_FIELD_FORCE];
    info->has_stress = t->model->fields[BRN_FIELD_STRESS];
    info->has_contact = info->has_pressure = t->model->fields[BRN_FIELD_CONTACT];
    brn_frame_sets_init(t->sets, info);
    if (info->has_stress) {
        BRN_TRY(brn_recovery_make(&t->recovery, info, NULL, 0));
        BRN_ALLOC(t->ctx, t->cell_stress, 6 * (size_t)brn_outline_cells(info));
        BRN_ALLOC(t->ctx, t->sample_stress, 6 * t->recovery.nsample);
        BRN_ALLOC(t->ctx, t->node_stress, 6 * (size_t)info->nnode);
    }
    return BRN_OK;
}

/* The times are read back from the file, so that only existing frames are listed. */
static brn_status write_sidecar(brn_trajectory *t)
{
    const int n = t->outline.info.nframe;
    double *times = NULL;
    BRN_ALLOC(t->ctx, times, n);
    brn_status status =
        brn_h5_get(&t->h5, t->sets[BRN_SET_TIME].name, 1, (hsize_t[]){(hsize_t)n}, H5T_NATIVE_DOUBLE, times);
    status = status >= 0 ? brn_xdmf_write(t->ctx, t->path, &t->outline.info, times) : status;
    brn_free(t->ctx, times);
    return status;
}

brn_status brn_trajectory_open(brn_ctx *ctx, const char *path, const brn_model *model, int keep_frames,
                               brn_trajectory **out)
{
    *out = NULL;
    brn_trajectory *t = NULL;
    BRN_ALLOC(ctx, t, 1);
    t->ctx = ctx;
    t->model = model;
    t->h5 = (brn_h5){.ctx = ctx, .path = path, .file = H5I_INVALID_HID};
    t->outline.ctx = ctx;
    t->recovery.ctx = ctx;
    brn_frame_sets_init(t->sets, &t->outline.info);
    brn_contact_rows_init(&t->rows);
    brn_status status = prepare(t, path);
    if (status >= 0) {
        brn_h5_begin(&t->h5);
        status = keep_frames < 0 ? create_file(t) : reopen_file(t, keep_frames);
        status = status >= 0 ? write_sidecar(t) : status;
        brn_h5_end(&t->h5);
    }
    if (status < 0) {
        t->failed = true;
        (void)brn_trajectory_close(t);
        return status;
    }
    *out = t;
    return BRN_OK;
}

static brn_status write_frame(brn_trajectory *t, const brn_state *state, double time,
                              const double *node_force, const brn_contact_point *point, int npoint,
                              const double *node_pressure)
{
    const int frame = t->outline.info.nframe;
    if (t->outline.info.has_contact) {
        BRN_TRY(brn_contact_rows_append(&t->h5, &t->rows, point, npoint));
    }
    const void *data[BRN_SETS] = {
        [BRN_SET_POSITION] = state->node_pos,   [BRN_SET_VELOCITY] = state->node_vel,
        [BRN_SET_FORCE] = node_force,           [BRN_SET_CELL_STRESS] = t->cell_stress,
        [BRN_SET_NODE_STRESS] = t->node_stress, [BRN_SET_PRESSURE] = node_pressure,
        [BRN_SET_STEP] = &state->step,          [BRN_SET_TIME] = &time,
        [BRN_SET_CONTACT] = &t->rows.total,
    };
    for (int i = 0; i < BRN_SETS; ++i) {
        if (t->sets[i].id >= 0) {
            BRN_TRY(brn_frame_set_write(&t->h5, &t->sets[i], frame, data[i]));
        }
    }
    return brn_journal_commit(&t->h5);
}

brn_status brn_trajectory_add(brn_trajectory *t, const brn_state *state, double time,
                              const double *node_force, const brn_contact_point *point, int npoint,
                              const double *node_pressure)
{
    brn_playback_info *info = &t->outline.info;
    if (t->failed) {
        return brn_fail(t->ctx, BRN_ERR_FILE, "%s: an earlier frame could not be written", t->path);
    }
    if (state->sizes.nnode != info->nnode || (info->has_force && node_force == NULL) ||
        info->nframe == INT_MAX || npoint < 0 || (npoint > 0 && point == NULL) ||
        (info->has_pressure && node_pressure == NULL)) {
        return brn_fail(t->ctx, BRN_ERR_RANGE,
                        "%s: a frame of %d nodes %s forces does not fit this trajectory", t->path,
                        state->sizes.nnode, node_force != NULL ? "with" : "without");
    }
    if (info->has_stress) {
        BRN_TRY(brn_field_cell_stress(t->ctx, t->model, state->node_pos, t->cell_stress));
        BRN_TRY(brn_field_node_stress(t->ctx, t->model, &t->recovery, state->node_pos, t->sample_stress,
                                      t->node_stress));
    }
    brn_h5_begin(&t->h5);
    const brn_status status = write_frame(t, state, time, node_force, point, npoint, node_pressure);
    if (status < 0) {
        t->failed = true;
        brn_journal_abandon(&t->h5);
    }
    brn_h5_end(&t->h5);
    if (status < 0) {
        return brn_fail(t->ctx, status, "%s; the %d frames before it are kept", brn_ctx_message(t->ctx),
                        info->nframe);
    }
    info->nframe++;
    return BRN_OK;
}

const brn_playback_info *brn_trajectory_get(const brn_trajectory *t)
{
    return &t->outline.info;
}

int brn_trajectory_frames(const brn_trajectory *t)
{
    return t->outline.info.nframe;
}

static brn_status sync_all(brn_trajectory *t)
{
    BRN_TRY(brn_journal_sync(&t->h5));
    return write_sidecar(t);
}

brn_status brn_trajectory_sync(brn_trajectory *t)
{
    if (t->failed) {
        return brn_fail(t->ctx, BRN_ERR_FILE, "%s: an earlier frame could not be written", t->path);
    }
    brn_h5_begin(&t->h5);
    const brn_status status = sync_all(t);
    brn_h5_end(&t->h5);
    return status;
}

void brn_trajectory_abandon(brn_trajectory *t)
{
    t->failed = true;
}

brn_status brn_trajectory_close(brn_trajectory *t)
{
    if (t == NULL) {
        return BRN_OK;
    }
    brn_status status = BRN_OK;
    brn_h5_begin(&t->h5);
    if (t->h5.file >= 0) {
        /* A failure has been reported already. */
        status = t->failed ? BRN_OK : sync_all(t);
        if (t->failed || status < 0) {
            brn_journal_abandon(&t->h5);
        }
        brn_frame_sets_close(t->sets);
        brn_contact_rows_close(t->ctx, &t->rows);
        if (H5Fclose(t->h5.file) < 0 && status >= 0 && !t->failed) {
            status = brn_h5_fail(&t->h5, BRN_ERR_FILE, "close", "the trajectory");
        }
    }
    brn_h5_end(&t->h5);
    brn_ctx *ctx = t->ctx;
    brn_outline_clear(&t->outline);
    brn_recovery_clear(&t->recovery);
    brn_free(ctx, t->cell_stress);
    brn_free(ctx, t->sample_stress);
    brn_free(ctx, t->node_stress);
    brn_free(ctx, t->path);
    brn_free(ctx, t);
    return status;
}
