/* What exports show at nodes beyond what was recorded: strain from positions, contact pressure from contact points. */
#ifndef BRN_OUTPUT_EXPORT_EXPORT_FIELDS_H
#define BRN_OUTPUT_EXPORT_EXPORT_FIELDS_H

#include "output/drawing/node_pressure.h"
#include "output/drawing/strain.h"

/* Zeroed but for ctx. */
typedef struct brn_export_fields {
    brn_ctx *ctx;
    brn_recovery recovery;
    brn_strain of_cells;
    double *sample;
    double *strain;             /* [nnode][6] of the frame found last; NULL: there are no cells */
    brn_node_pressure pressure; /* not made: contacts were not recorded */
} brn_export_fields;

/* info outlives it. After a failure it can (and must) still be cleared. */
brn_status brn_export_fields_make(brn_export_fields *fields, const brn_playback_info *info);
void brn_export_fields_clear(brn_export_fields *fields);
/* Of frame `index`, whose positions are pos [nnode][3]. */
brn_status brn_export_fields_find(brn_export_fields *fields, brn_playback *playback, int index,
                                  const double *pos);

#endif
