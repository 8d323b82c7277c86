#include "base/os.h"
#include "output/trajectory/contact_rows.h"
#include "output/trajectory/journal.h"
#include "output/trajectory/trajectory.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

struct brn_playback {
    brn_ctx *ctx;
    char *path;
    brn_h5 h5;
    brn_outline outline;
    brn_frame_set sets[BRN_SETS];
    brn_contact_rows rows;
    brn_contact_point *point; /* of the frame read last */
    size_t point_capacity;
};

/* A reader takes no lock, so that a running simulation can be viewed. */
static brn_status open_file(brn_playback *p)
{
    BRN_TRY(brn_file_check(p->ctx, p->path));
    BRN_TRY(brn_journal_recover(p->ctx, p->path));
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    brn_status status = BRN_OK;
    if (access < 0 || H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0 ||
        H5Pset_file_locking(access, 0, 1) < 0 ||
        (p->h5.file = H5Fopen(p->path, H5F_ACC_RDONLY, access)) < 0) {
        status = brn_h5_fail(&p->h5, BRN_ERR_FORMAT, "open", "the trajectory");
    }
    (void)H5Pclose(access);
    return status;
}

static brn_status check_head(brn_h5 *h5)
{
    char format[32];
    int64_t version = 0;
    BRN_TRY(brn_h5_get_text(h5, "/", "format", format, sizeof format));
    if (strcmp(format, BRN_TRAJECTORY_FORMAT) != 0) {
        return brn_fail(h5->ctx, BRN_ERR_FORMAT, "%s: not a brunt trajectory", h5->path);
    }
    BRN_TRY(brn_h5_get_int(h5, "/", "version", &version));
    if (version != BRN_TRAJECTORY_VERSION) {
        return brn_fail(h5->ctx, BRN_ERR_FORMAT,
                        "%s: trajectory format %" PRId64 "; this version reads format %d", h5->path, version,
                        BRN_TRAJECTORY_VERSION);
    }
    return BRN_OK;
}

static brn_status open_sets(brn_playback *p)
{
    brn_playback_info *info = &p->outline.info;
    brn_frame_sets_init(p->sets, info);
    info->has_velocity = brn_h5_has(&p->h5, p->sets[BRN_SET_VELOCITY].name);
    info->has_force = brn_h5_has(&p->h5, p->sets[BRN_SET_FORCE].name);
    /* Files of early versions have that of cells alone, which says too little about the surface. */
    info->has_stress = brn_h5_has(&p->h5, p->sets[BRN_SET_NODE_STRESS].name);
    info->has_contact = brn_h5_has(&p->h5, p->sets[BRN_SET_CONTACT].name);
    info->has_pressure = brn_h5_has(&p->h5, p->sets[BRN_SET_PRESSURE].name);
    int nframe = INT_MAX;
    for (int i = 0; i < BRN_SETS; ++i) {
        if (brn_frame_set_wanted(i, info)) {
            BRN_TRY(brn_frame_set_open(&p->h5, &p->sets[i], &nframe));
        }
    }
    info->nframe = nframe;
    return info->has_contact ? brn_contact_rows_open(&p->h5, &p->rows) : BRN_OK;
}

static brn_status start(brn_playback *p)
{
    BRN_TRY(open_file(p));
    BRN_TRY(check_head(&p->h5));
    BRN_TRY(brn_outline_read(&p->outline, &p->h5));
    return open_sets(p);
}

brn_status brn_playback_open(brn_ctx *ctx, const char *path, brn_playback **out)
{
    *out = NULL;
    brn_playback *p = NULL;
    BRN_ALLOC(ctx, p, 1);
    p->ctx = ctx;
    p->h5 = (brn_h5){.ctx = ctx, .file = H5I_INVALID_HID};
    p->outline.ctx = ctx;
    brn_frame_sets_init(p->sets, &p->outline.info);
    brn_contact_rows_init(&p->rows);
    p->path = brn_strdup(ctx, path);
    brn_status status = BRN_ERR_MEMORY;
    if (p->path != NULL) {
        p->h5.path = p->path;
        brn_h5_begin(&p->h5);
        status = start(p);
        brn_h5_end(&p->h5);
    }
    if (status < 0) {
        brn_playback_close(p);
        return status;
    }
    *out = p;
    return BRN_OK;
}

void brn_playback_close(brn_playback *p)
{
    if (p == NULL) {
        return;
    }
    brn_h5_begin(&p->h5);
    brn_frame_sets_close(p->sets);
    brn_contact_rows_close(p->ctx, &p->rows);
    if (p->h5.file >= 0) {
        (void)H5Fclose(p->h5.file);
    }
    brn_h5_end(&p->h5);
    brn_ctx *ctx = p->ctx;
    brn_outline_clear(&p->outline);
    brn_free(ctx, p->point);
    brn_free(ctx, p->path);
    brn_free(ctx, p);
}

const brn_playback_info *brn_playback_get(const brn_playback *p)
{
    return &p->outline.info;
}

static brn_status read_set(brn_playback *p, int set, int index, void *data)
{
    if (data == NULL) {
        return BRN_OK;
    }
    if (p->sets[set].id < 0) {
        return brn_fail(p->ctx, BRN_ERR_MISSING, "%s: %s was not recorded (output.fields of the scene)",
                        p->path, p->sets[set].name + sizeof "/frames/" - 1);
    }
    return brn_frame_set_read(&p->h5, &p->sets[set], index, data);
}

static brn_status read_frame(brn_playback *p, int index, brn_frame *frame)
{
    BRN_TRY(read_set(p, BRN_SET_TIME, index, &frame->time));
    BRN_TRY(read_set(p, BRN_SET_STEP, index, &frame->step));
    BRN_TRY(read_set(p, BRN_SET_POSITION, index, frame->pos));
    BRN_TRY(read_set(p, BRN_SET_VELOCITY, index, frame->vel));
    BRN_TRY(read_set(p, BRN_SET_FORCE, index, frame->force));
    BRN_TRY(read_set(p, BRN_SET_CELL_STRESS, index, frame->cell_stress));
    BRN_TRY(read_set(p, BRN_SET_NODE_STRESS, index, frame->node_stress));
    return read_set(p, BRN_SET_PRESSURE, index, frame->pressure);
}

static brn_status check_index(const brn_playback *p, int index)
{
    const int nframe = p->outline.info.nframe;
    return index >= 0 && index < nframe
               ? BRN_OK
               : brn_fail(p->ctx, BRN_ERR_RANGE, "%s: frame %d of %d", p->path, index, nframe);
}

brn_status brn_playback_read(brn_playback *p, int index, brn_frame *frame)
{
    BRN_TRY(check_index(p, index));
    brn_h5_begin(&p->h5);
    const brn_status status = read_frame(p, index, frame);
    brn_h5_end(&p->h5);
    return status;
}

brn_status brn_playback_times(brn_playback *p, double *time, int64_t *step)
{
    brn_h5_begin(&p->h5);
    brn_status status = BRN_OK;
    for (int f = 0; f < p->outline.info.nframe && status >= 0; ++f) {
        status = read_set(p, BRN_SET_TIME, f, time != NULL ? &time[f] : NULL);
        status = status >= 0 ? read_set(p, BRN_SET_STEP, f, step != NULL ? &step[f] : NULL) : status;
    }
    brn_h5_end(&p->h5);
    return status;
}

/* What is read is not trusted: the rows must be there, the bodies must exist. */
static brn_status read_contacts(brn_playback *p, int index, int *npoint)
{
    int64_t first = 0;
    int64_t end = 0;
    if (index > 0) {
        BRN_TRY(read_set(p, BRN_SET_CONTACT, index - 1, &first));
    }
    BRN_TRY(read_set(p, BRN_SET_CONTACT, index, &end));
    if (!(0 <= first && first <= end && end <= p->rows.total && end - first <= INT_MAX &&
          brn_contact_rows_plausible(&p->rows, end - first))) {
        return brn_fail(p->ctx, BRN_ERR_FORMAT, "%s: contact points %" PRId64 " to %" PRId64 " of %" PRId64,
                        p->path, first, end, p->rows.total);
    }
    const int n = (int)(end - first);
    BRN_GROW(p->ctx, p->point, p->point_capacity, n);
    BRN_TRY(brn_contact_rows_read(&p->h5, &p->rows, first, n, p->point));
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < 2; ++i) {
            const int body = p->point[k].body[i];
            if (body < 0 || body >= p->outline.info.nbody) {
                return brn_fail(p->ctx, BRN_ERR_FORMAT, "%s: a contact of body %d of %d", p->path, body,
                                p->outline.info.nbody);
            }
        }
    }
    *npoint = n;
    return BRN_OK;
}

brn_status brn_playback_contacts(brn_playback *p, int index, const brn_contact_point **point, int *npoint)
{
    *point = NULL;
    *npoint = 0;
    BRN_TRY(check_index(p, index));
    brn_h5_begin(&p->h5);
    const brn_status status = read_contacts(p, index, npoint);
    brn_h5_end(&p->h5);
    BRN_TRY(status);
    *point = p->point;
    return BRN_OK;
}
