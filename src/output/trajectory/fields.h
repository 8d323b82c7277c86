/* Derived fields, with their definitions.

   Cauchy stress: sigma = P F^T / det F, [Pa], components xx, yy, zz, yz, xz, xy. Plane strain has its zz. Damping stress is not
   part of it. Of a cell: averaged over its rest volume by its quadrature. Of a node: recovered from the sample points of the cells
   around it (recovery.h); 0 at a node without cells (obstacles). Of a shell's cell: of its membrane; of a shell's node: with the
   part of bending, at the face where von Mises stress is larger.
   Von Mises stress: sqrt(3/2 s:s) with s the deviator. Principal values: eigenvalues, the largest first. */
#ifndef BRN_OUTPUT_TRAJECTORY_FIELDS_H
#define BRN_OUTPUT_TRAJECTORY_FIELDS_H

#include "output/trajectory/recovery.h"

#include <math.h>

/* Stress of every cell, [total cells][6] in order of kinds (as brn_playback_info numbers them). x [nnode][3]. */
brn_status brn_field_cell_stress(brn_ctx *ctx, const brn_model *model, const double *x, double *cell_stress);
/* At the sample points of the wanted cells, [total cells] (NULL: all), and of some of their neighbours; the others are left
   unchanged. sample_stress [samples of all cells][6], as brn_recovery numbers them. Of shells at one of their faces. */
brn_status brn_field_sample_stress(brn_ctx *ctx, const brn_model *model, const double *x, const bool *wanted,
                                   double *sample_stress);

/* Of the nodes of a recovery, out [nvalue][6]; of a shell at the face where von Mises is larger. sample as above: scratch. */
brn_status brn_field_node_stress(brn_ctx *ctx, const brn_model *model, const brn_recovery *recovery,
                                 const double *x, double *sample, double *out);

static inline double brn_von_mises(const double s[6])
{
    const double a = s[0] - s[1];
    const double b = s[1] - s[2];
    const double c = s[2] - s[0];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

/* Principal values, the largest first; exact to a few 1e-8 of the largest magnitude. With p^2 = tr(d^2)/6 of the deviator d they
   are mean + 2 p cos(phi + 2 pi k/3), cos(3 phi) = det(d)/(2 p^3) [Smith 1961]. */
void brn_principals(const double s[6], double out[3]);

/* "xx", "yy", ... in the order of components. */
extern const char *const brn_component_names[6];

#endif
