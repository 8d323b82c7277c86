/* Derived fields, with their definitions.

   Cauchy stress of a cell: sigma = P F^T / det F averaged over the cell's rest volume by its quadrature, [Pa],
   components xx, yy, zz, yz, xz, xy. Plane strain has its zz. Damping stress is not part of it.
   Stress of a node: average of the cells around it, weighted by their rest volumes; 0 at a node without cells (obstacles).
   Von Mises stress of either: sqrt(3/2 s:s) with s the deviator of that averaged tensor. */
#ifndef BRN_OUTPUT_TRAJECTORY_FIELDS_H
#define BRN_OUTPUT_TRAJECTORY_FIELDS_H

#include "output/trajectory/trajectory.h"

#include <math.h>

/* Stress of every cell, [total cells][6] in order of kinds (as brn_playback_info numbers them). x [nnode][3]. */
brn_status brn_field_cell_stress(brn_ctx *ctx, const brn_model *model, const double *x, double *cell_stress);
/* Only of the wanted cells, [total cells], and some of their neighbours; the others are left unchanged. */
brn_status brn_field_some_stress(brn_ctx *ctx, const brn_model *model, const double *x, const bool *wanted,
                                 double *cell_stress);
/* [nnode][6] from [total cells][6] */
brn_status brn_field_node_stress(brn_ctx *ctx, const brn_playback_info *info, const double *cell_stress,
                                 double *node_stress);

static inline double brn_von_mises(const double s[6])
{
    const double a = s[0] - s[1];
    const double b = s[1] - s[2];
    const double c = s[2] - s[0];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

#endif
