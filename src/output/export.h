/* Exports of a recorded trajectory: VTU + PVD, OBJ sequence, CSV of node positions. */
#ifndef BRN_OUTPUT_EXPORT_H
#define BRN_OUTPUT_EXPORT_H

#include "output/trajectory.h"

/* Each writes into the folder (made if absent) every n-th frame; *files counts the files written. */
brn_status brn_export_vtu(brn_ctx *ctx, brn_playback *playback, const char *dir, int every, int *files);
brn_status brn_export_obj(brn_ctx *ctx, brn_playback *playback, const char *dir, int every, int *files);
brn_status brn_export_csv(brn_ctx *ctx, brn_playback *playback, const char *dir, int every, int *files);

#endif
