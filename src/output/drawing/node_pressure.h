/* Contact pressure at the nodes of a trajectory, 0 inside of bodies. */
#ifndef BRN_OUTPUT_DRAWING_NODE_PRESSURE_H
#define BRN_OUTPUT_DRAWING_NODE_PRESSURE_H

#include "output/drawing/pressure.h"

/* Zeroed but for ctx. */
typedef struct brn_node_pressure {
    brn_ctx *ctx;
    brn_drawing surface;
    brn_pressure of_surface;
    float *vertex; /* [nvertex] */
    double *node;  /* [nnode] [Pa] of what was found last; NULL: not made */
} brn_node_pressure;

/* After a failure it can (and must) still be cleared. */
brn_status brn_node_pressure_make(brn_node_pressure *pressure, const brn_playback_info *info);
void brn_node_pressure_clear(brn_node_pressure *pressure);
/* pos [nnode][3] */
brn_status brn_node_pressure_find(brn_node_pressure *pressure, const double *pos,
                                  const brn_contact_point *point, int npoint);

#endif
