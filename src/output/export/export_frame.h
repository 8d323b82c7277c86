/* What the exports share: buffers of one frame, file names. */
#ifndef BRN_OUTPUT_EXPORT_EXPORT_FRAME_H
#define BRN_OUTPUT_EXPORT_EXPORT_FRAME_H

#include "output/export/export.h"

/* What to read of a frame besides its positions. */
enum { BRN_WANT_MOTION = 1, BRN_WANT_STRESS = 2 };

/* Checks `every`, makes the folder, allocates the frame's buffers for what is wanted and was recorded. After a failure the
   frame can (and must) still be cleared. */
brn_status brn_export_begin(brn_ctx *ctx, const brn_playback_info *info, const char *dir, int every,
                            unsigned want, brn_frame *frame);
void brn_export_end(brn_ctx *ctx, brn_frame *frame);
/* "frame_0012.vtu" of "frame"; as many digits as the last frame needs, at least 4. */
enum { BRN_FRAME_NAME = 40 };
void brn_export_name(const brn_playback_info *info, const char *stem, int frame, const char *extension,
                     char name[BRN_FRAME_NAME]);
/* Writes dir/name. */
brn_status brn_export_file(brn_ctx *ctx, const char *dir, const char *name, const char *bytes, size_t length);

#endif
