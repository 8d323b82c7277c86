/* trajectory.h5 (layout in docs/output.md, with an XDMF sidecar): what a run looked like at its frames. `earliest`
   HDF5 format, committed through a journal after every frame (output/trajectory/journal.h): readable after a kill at any time. */
#ifndef BRN_OUTPUT_TRAJECTORY_TRAJECTORY_H
#define BRN_OUTPUT_TRAJECTORY_TRAJECTORY_H

#include "contact/points.h"
#include "model/model.h"
#include "state/state.h"

typedef struct brn_trajectory brn_trajectory;

/* keep_frames < 0: a new file; else an existing one of the same model is opened and cut back to that many frames. */
brn_status brn_trajectory_open(brn_ctx *ctx, const char *path, const brn_model *model, int keep_frames,
                               brn_trajectory **out);
/* Adds a frame: positions, and the model's chosen fields. time [s]. node_force [nnode][3] (elastic, [N]) may be NULL
   if the model does not ask for forces; point [npoint] and node_pressure [nnode] [Pa] likewise for contacts. On failure (full disk) the frames before it
   stay; no further one is taken. */
brn_status brn_trajectory_add(brn_trajectory *trajectory, const brn_state *state, double time,
                              const double *node_force, const brn_contact_point *point, int npoint,
                              const double *node_pressure);
int brn_trajectory_frames(const brn_trajectory *trajectory);
/* At a checkpoint: all frames so far reach the disk (fsync), the sidecar lists them. */
brn_status brn_trajectory_sync(brn_trajectory *trajectory);
/* Nothing more is written, by close neither: the file is another's now. */
void brn_trajectory_abandon(brn_trajectory *trajectory);
brn_status brn_trajectory_close(brn_trajectory *trajectory); /* syncs; frees also on failure; NULL is fine */

/* Reading back, for exports: everything needed without the scene. Cells are numbered by kind, then in order of bodies. */
typedef struct brn_playback brn_playback;
typedef struct brn_playback_info {
    int dim, nnode, nbody, nframe;
    int ncell[BRN_CELL_COUNT];       /* volume cells of all bodies by kind */
    const int *cell[BRN_CELL_COUNT]; /* [ncell][nodes] */
    const int *cell_body[BRN_CELL_COUNT];
    const int *cell_material[BRN_CELL_COUNT];  /* stresses may jump between two; NULL: an older file */
    const double *cell_volume[BRN_CELL_COUNT]; /* [m^3] at rest (2D: [m^2]) */
    int ntri;
    const int (*tri)[3]; /* boundary triangles of all bodies (2D: the cells themselves), body by body */
    const int *tri_body;
    int nedge;
    const int (*edge)[2]; /* 2D only: boundary edges of all bodies, body by body */
    const int *edge_body;
    const char *const *body_name;
    const int *body_type; /* BRN_BODY_... */
    /* 1: a half-space, whose boundary is a patch of it; NULL: an older file that does not say */
    const int *body_plane;
    const int *body_first, *body_nnode; /* its nodes are [first, first + nnode) */
    const double (*rest)[3];
    bool has_velocity, has_stress, has_force, has_contact;
    bool has_pressure; /* with contacts; older files do not have it */
} brn_playback_info;

/* Of a file that is being written. */
const brn_playback_info *brn_trajectory_get(const brn_trajectory *trajectory);

/* BRN_ERR_FORMAT if the file is damaged or not ours; an incomplete frame does not count. */
brn_status brn_playback_open(brn_ctx *ctx, const char *path, brn_playback **out);
void brn_playback_close(brn_playback *playback); /* NULL is fine */
const brn_playback_info *brn_playback_get(const brn_playback *playback);
/* Buffers of the caller; NULL skips; asking for a field that was not recorded is BRN_ERR_MISSING. cell_stress
   [total cells][6] in order of kinds, node_stress [nnode][6], components xx, yy, zz, yz, xz, xy [Pa]. */
typedef struct brn_frame {
    double time;
    int64_t step;
    double *pos, *vel, *force; /* [nnode][3] */
    double *cell_stress;       /* Cauchy, volume average of an element */
    double *node_stress;       /* Cauchy, recovered at the nodes */
    double *pressure;          /* [nnode] of contact [Pa], 0 inside */
} brn_frame;
brn_status brn_playback_read(brn_playback *playback, int index, brn_frame *frame);
/* Times [s] and steps of all frames, [nframe]; either may be NULL. */
brn_status brn_playback_times(brn_playback *playback, double *time, int64_t *step);
/* The contact points of a frame: a view, valid until the next call. BRN_ERR_MISSING if they were not recorded. */
brn_status brn_playback_contacts(brn_playback *playback, int index, const brn_contact_point **point,
                                 int *npoint);

#endif
