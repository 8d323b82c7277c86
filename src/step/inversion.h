/* How much of a step may be taken before an element turns inside out and so leaves its energy's domain. */
#ifndef BRN_STEP_INVERSION_H
#define BRN_STEP_INVERSION_H

#include "model/model.h"

/* *fraction in (0, 1]: while the nodes go from x0 to x0 + *fraction (x1 - x0), both [nnode][3] [m], every element
   stays inside its energy's domain, by the bound of its group's kind (phys/group.h; for solids brn_solid_bound); 1 if the
   whole step does. A position that is not finite: *fraction = 0. The same bits for any number of threads. */
brn_status brn_inversion_bound(brn_ctx *ctx, const brn_model *model, const double *x0, const double *x1,
                               double *fraction);

#endif
