/* How far apart two runs are; the parts of brn_compare_runs (brunt.h). */
#ifndef BRN_OUTPUT_COMPARE_RUN_DIFFERENCE_H
#define BRN_OUTPUT_COMPARE_RUN_DIFFERENCE_H

#include "output/figures/series_table.h"
#include "output/trajectory/trajectory.h"

/* Both fill their part of *out and leave the rest alone. Paths are for messages. */

/* Positions of the nodes that both have, at common times. */
brn_status brn_difference_positions(brn_ctx *ctx, brn_playback *const playback[2], char *const path[2],
                                    brn_difference *out);
/* Probes and rigid bodies that both series have: columns NAME.x, NAME.y and, in 3D, NAME.z. */
brn_status brn_difference_probes(brn_ctx *ctx, const brn_series_table *const series[2], char *const path[2],
                                 brn_difference *out);

#endif
