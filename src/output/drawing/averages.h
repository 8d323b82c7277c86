/* Values of cells at the vertices of a surface: the average of the cells around a vertex, weighted by their rest volumes,
   as in brn_field_node_stress for all nodes. A vertex in the middle of an edge has fewer cells around it than the ends, and
   colours would zigzag along the edges, so it gets the mean of theirs. Only cells that touch the surface are used. */
#ifndef BRN_OUTPUT_DRAWING_AVERAGES_H
#define BRN_OUTPUT_DRAWING_AVERAGES_H

#include "output/drawing/drawing.h"

/* Zeroed but for ctx. */
typedef struct brn_averages {
    brn_ctx *ctx;
    const brn_playback_info *info;
    int nvertex;
    int ncell;      /* that touch the surface */
    int *cell;      /* [ncell] numbers in order of kinds, ascending */
    int *cell_kind; /* [ncell] */
    int *first;     /* [nvertex + 1] into around */
    int *around;    /* places in `cell`, ascending for each vertex */
    double *weight; /* share of each entry of around; they sum to 1 per vertex */
    int (*ends)
        [2]; /* [nvertex] for a vertex in the middle of a cell's edge the vertices at its ends, else -1 */
} brn_averages;

/* info and surface outlive it. After a failure it can (and must) still be cleared. */
brn_status brn_averages_make(brn_averages *averages, const brn_playback_info *info,
                             const brn_drawing *surface);
void brn_averages_clear(brn_averages *averages);

/* out [nvertex]: von Mises measure of the averaged tensor times `scale`. tensor: six components xx, yy, zz, yz, xz, xy of
   every cell of the trajectory (listed false), or of the cells that touch the surface, in their order. */
brn_status brn_averages_von_mises(const brn_averages *averages, const double *tensor, bool listed,
                                  double scale, float *out);

#endif
