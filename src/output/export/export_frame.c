#include "output/export/export_frame.h"

#include "base/os.h"
#include "output/trajectory/outline.h"

#include <stdio.h>

brn_status brn_export_begin(brn_ctx *ctx, const brn_playback_info *info, const char *dir, int every,
                            unsigned want, brn_frame *frame)
{
    *frame = (brn_frame){0};
    if (every < 1) {
        return brn_fail(ctx, BRN_ERR_RANGE, "export: every = %d: must be >= 1", every);
    }
    const size_t nnode = (size_t)info->nnode;
    BRN_TRY(brn_dir_make(ctx, dir));
    BRN_ALLOC(ctx, frame->pos, 3 * nnode);
    if (info->has_velocity && (want & BRN_WANT_MOTION) != 0) {
        BRN_ALLOC(ctx, frame->vel, 3 * nnode);
    }
    if (info->has_force && (want & BRN_WANT_MOTION) != 0) {
        BRN_ALLOC(ctx, frame->force, 3 * nnode);
    }
    if (info->has_stress && (want & BRN_WANT_STRESS) != 0) {
        BRN_ALLOC(ctx, frame->cell_stress, 6 * (size_t)brn_outline_cells(info));
        BRN_ALLOC(ctx, frame->node_stress, 6 * nnode);
    }
    return BRN_OK;
}

void brn_export_end(brn_ctx *ctx, brn_frame *frame)
{
    brn_free(ctx, frame->pos);
    brn_free(ctx, frame->vel);
    brn_free(ctx, frame->force);
    brn_free(ctx, frame->cell_stress);
    brn_free(ctx, frame->node_stress);
    *frame = (brn_frame){0};
}

void brn_export_name(const brn_playback_info *info, const char *stem, int frame, const char *extension,
                     char name[BRN_FRAME_NAME])
{
    int digits = 4;
    for (int n = 10000; n < info->nframe && digits < 10; n *= 10) {
        digits++;
        if (n > 100000000) {
            break; /* the next power of ten would not fit an int */
        }
    }
    (void)snprintf(name, BRN_FRAME_NAME, "%.16s_%0*d.%s", stem, digits, frame, extension);
}

brn_status brn_export_file(brn_ctx *ctx, const char *dir, const char *name, const char *bytes, size_t length)
{
    char *path = brn_path_join(ctx, dir, name);
    if (path == NULL) {
        return BRN_ERR_MEMORY;
    }
    const brn_status status = brn_file_write(ctx, path, bytes, length);
    brn_free(ctx, path);
    return status;
}
