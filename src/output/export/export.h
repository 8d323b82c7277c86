/* Exports of a recorded trajectory: VTU + PVD, OBJ sequence, CSV of node positions, glTF, STL. Contents in docs/output.md. */
#ifndef BRN_OUTPUT_EXPORT_EXPORT_H
#define BRN_OUTPUT_EXPORT_EXPORT_H

#include "output/trajectory/trajectory.h"

/* Each writes into the folder (made if absent) every n-th frame, from the first; *files counts the files written. Each
   file is written atomically; those of earlier frames stay on failure. */

/* frame_0000.vtu ..., contacts_0000.vtu ... where contacts were recorded, and trajectory.pvd with their times. */
brn_status brn_export_vtu(brn_ctx *ctx, brn_playback *playback, const char *dir, int every, int *files);
/* frame_0000.obj ...: boundary triangles, one object per body. */
brn_status brn_export_obj(brn_ctx *ctx, brn_playback *playback, const char *dir, int every, int *files);
/* nodes.csv (a row per node and frame), contacts.csv (a row per contact and frame) if recorded, and frames.csv. */
brn_status brn_export_csv(brn_ctx *ctx, brn_playback *playback, const char *dir, int every, int *files);
/* trajectory.glb: surfaces of all bodies, the frames as an animation. Nothing if there is no frame. */
brn_status brn_export_gltf(brn_ctx *ctx, brn_playback *playback, const char *dir, int every, int *files);
/* NAME.stl of every body but obstacles: its shape at rest in millimetres, whatever the frames. Not of plane scenes. */
brn_status brn_export_stl(brn_ctx *ctx, brn_playback *playback, const char *dir, int every, int *files);

#endif
