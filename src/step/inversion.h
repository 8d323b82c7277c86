/* How much of a step may be taken before an element turns inside out. */
#ifndef BRN_STEP_INVERSION_H
#define BRN_STEP_INVERSION_H

#include "model/model.h"

/* *fraction in (0, 1]: while the nodes go from x0 to x0 + *fraction (x1 - x0), both [nnode][3] [m], every element
   keeps a tenth of the volume it has at x0, or the whole step does and *fraction = 1.
   tet4, tri3: certified, rounding included (geom/volume_bound.h). tet10, hex8, hex20, tri6: the determinant of
   d(current)/d(reference) is looked at where their energy is, at the quadrature points, and is a cubic in the
   fraction there too; it is bounded by the same function, from columns that are rounded before. Between these points
   it may be negative.
   An element (or quadrature point) that is not positive at x0 beyond rounding, which some materials allow, sets no
   bound. A position that is not a number or infinite: *fraction = 0. The same bits for any number of threads. */
brn_status brn_inversion_bound(brn_ctx *ctx, const brn_model *model, const double *x0, const double *x1,
                               double *fraction);

#endif
