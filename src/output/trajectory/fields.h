/* Derived fields, with their definitions.

   Cauchy stress: sigma = P F^T / det F, [Pa], components xx, yy, zz, yz, xz, xy. Plane strain has its zz. Damping stress is not
   part of it. Of a cell: averaged over its rest volume by its quadrature. Of a node: recovered from the sample points of the cells
   around it (recovery.h); 0 at a node without cells (obstacles).
   Von Mises stress: sqrt(3/2 s:s) with s the deviator. Principal values: eigenvalues, the largest first. */
#ifndef BRN_OUTPUT_TRAJECTORY_FIELDS_H
#define BRN_OUTPUT_TRAJECTORY_FIELDS_H

#include "output/trajectory/trajectory.h"

#include <math.h>

/* Stress of every cell, [total cells][6] in order of kinds (as brn_playback_info numbers them). x [nnode][3]. */
brn_status brn_field_cell_stress(brn_ctx *ctx, const brn_model *model, const double *x, double *cell_stress);
/* At the sample points of the wanted cells, [total cells] (NULL: all), and of some of their neighbours; the others are left
   unchanged. sample_stress [samples of all cells][6], as brn_recovery numbers them. */
brn_status brn_field_sample_stress(brn_ctx *ctx, const brn_model *model, const double *x, const bool *wanted,
                                   double *sample_stress);

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
