/* The part of a trajectory that does not change in time: bodies, cells, boundary, rest positions. Made from a model when
   a run starts, read from the file when it is played back; /model in docs/output.md. */
#ifndef BRN_OUTPUT_TRAJECTORY_OUTLINE_H
#define BRN_OUTPUT_TRAJECTORY_OUTLINE_H

#include "output/trajectory/trajectory.h"
#include "state/hdf5_file.h"

typedef struct brn_outline {
    brn_ctx *ctx;
    brn_playback_info info; /* owns its arrays; the caller sets nframe and has_... */
    char *names;            /* the text that body_name points into */
} brn_outline;

/* The outline must be zeroed but for ctx. After a failure it can (and must) still be cleared. */
brn_status brn_outline_of_model(brn_outline *outline, const brn_model *model);
brn_status brn_outline_read(brn_outline *outline, brn_h5 *h5);
brn_status brn_outline_write(const brn_outline *outline, brn_h5 *h5);
void brn_outline_clear(brn_outline *outline);

int brn_outline_cells(const brn_playback_info *info); /* of all kinds */

#endif
