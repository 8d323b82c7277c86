/* The cells of VTK XML files: volume cells of all bodies by kind, then the boundary of bodies that have none. */
#ifndef BRN_OUTPUT_EXPORT_VTU_CELLS_H
#define BRN_OUTPUT_EXPORT_VTU_CELLS_H

#include "base/text.h"
#include "output/trajectory/trajectory.h"

typedef struct brn_vtu_cells {
    size_t nvolume, ncell; /* volume cells; with the obstacles' boundary cells after them */
    size_t connectivity, offsets, types, body; /* where each array starts in the appended part */
} brn_vtu_cells;

/* Appends the arrays, packed. */
brn_status brn_vtu_cells_pack(brn_ctx *ctx, const brn_playback_info *info, brn_text *data,
                              brn_vtu_cells *out);
void brn_vtu_cells_tags(const brn_vtu_cells *cells, brn_text *xml);     /* the element Cells */
void brn_vtu_cells_body_tag(const brn_vtu_cells *cells, brn_text *xml); /* for CellData: number of the body */

#endif
