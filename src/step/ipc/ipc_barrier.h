/* The barrier of a gap [Li et al. 2020, eq. 6], in Pa m: energy per area of surface.

       b(d) = -kappa/dhat (d - dhat)^2 ln(d/dhat)   for 0 < d < dhat,   0 beyond,   +inf at d <= 0

   The factor 1/dhat makes kappa a pressure: b'(dhat/2) = -1.19 kappa. Twice differentiable at dhat. Distances are known
   squared, so the derivatives are with respect to D = d^2. */
#ifndef BRN_STEP_IPC_IPC_BARRIER_H
#define BRN_STEP_IPC_IPC_BARRIER_H

#include <math.h>

typedef struct brn_barrier {
    double value;  /* [Pa m] */
    double first;  /* db/dD */
    double second; /* d2b/dD2 */
    double force;  /* -db/dd >= 0 [Pa] */
} brn_barrier;

static inline brn_barrier brn_barrier_at(double kappa, double dhat, double d2)
{
    if (!(d2 > 0.0)) {
        return (brn_barrier){.value = INFINITY};
    }
    if (d2 >= dhat * dhat) {
        return (brn_barrier){0};
    }
    const double d = sqrt(d2);
    const double gap = d - dhat;
    const double ratio = gap / d;
    const double log_ratio = log(d / dhat);
    const double scale = kappa / dhat;
    const double slope = -scale * gap * (2.0 * log_ratio + ratio);
    const double curve = -scale * (2.0 * log_ratio + 4.0 * ratio - ratio * ratio);
    return (brn_barrier){
        .value = -scale * gap * gap * log_ratio,
        .first = slope / (2.0 * d),
        .second = (curve - slope / d) / (4.0 * d2),
        .force = -slope,
    };
}

#endif
