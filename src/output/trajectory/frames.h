/* /frames of trajectory.h5, shared by writer and reader: one extendible dataset per field, one chunk per frame. */
#ifndef BRN_OUTPUT_TRAJECTORY_FRAMES_H
#define BRN_OUTPUT_TRAJECTORY_FRAMES_H

#include "output/trajectory/outline.h"

#define BRN_TRAJECTORY_FORMAT "brunt trajectory"
enum { BRN_TRAJECTORY_VERSION = 1 };

enum {
    BRN_SET_POSITION,
    BRN_SET_VELOCITY,
    BRN_SET_FORCE,
    BRN_SET_CELL_STRESS,
    BRN_SET_NODE_STRESS,
    BRN_SET_PRESSURE,
    BRN_SET_STEP,
    BRN_SET_TIME,
    BRN_SET_CONTACT, /* number of contact points up to the end of a frame, see contact_rows.h */
    BRN_SETS
};

typedef struct brn_frame_set {
    const char *name; /* "/frames/position" */
    H5T_class_t type; /* H5T_FLOAT or H5T_INTEGER */
    hid_t id;         /* < 0: not there */
    int rank;         /* 3: [nframe][n][width], 1: [nframe] */
    hsize_t n, width;
} brn_frame_set;

/* Names and shapes for a model's outline; ids are left invalid. */
void brn_frame_sets_init(brn_frame_set sets[BRN_SETS], const brn_playback_info *info);
/* Which sets this trajectory has: position, step and time always, the rest as info's has_... say. */
bool brn_frame_set_wanted(int set, const brn_playback_info *info);
/* Stress and pressure are derived and only for viewing: single precision halves their size. All else keeps its bits. */
bool brn_frame_set_single(const brn_frame_set *set);
brn_status brn_frame_set_create(brn_h5 *h5, brn_frame_set *set);
/* Opens, checks type, shape and chunks; *nframe becomes its number of frames if that is smaller. */
brn_status brn_frame_set_open(brn_h5 *h5, brn_frame_set *set, int *nframe);
brn_status brn_frame_set_write(brn_h5 *h5, brn_frame_set *set, int frame, const void *data);
brn_status brn_frame_set_read(brn_h5 *h5, const brn_frame_set *set, int frame, void *data);
brn_status brn_frame_set_cut(brn_h5 *h5, brn_frame_set *set, int nframe);
void brn_frame_sets_close(brn_frame_set sets[BRN_SETS]);

/* trajectory.xmf beside trajectory.h5, for ParaView; times [info->nframe]. */
brn_status brn_xdmf_write(brn_ctx *ctx, const char *h5_path, const brn_playback_info *info,
                          const double *times);

#endif
