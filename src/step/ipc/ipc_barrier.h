/* Barriers of a gap d, in Pa m: energy per area of surface; 0 beyond dhat, +inf at d <= 0. kappa is a pressure.

     c2       -kappa/dhat (d - dhat)^2 ln(d/dhat)            [Li et al. 2020, eq. 6]; twice differentiable at dhat,
                                                             b'(dhat/2) = -1.19 kappa
     lecture  kappa dhat/8 (s - 1) ln s,  s = d^2/dhat^2     pairs of parts; once differentiable at dhat
              kappa dhat/2 (s - 1) ln s,  s = d/dhat         half-spaces */
#ifndef BRN_STEP_IPC_IPC_BARRIER_H
#define BRN_STEP_IPC_IPC_BARRIER_H

#include <math.h>

enum { BRN_BARRIER_C2, BRN_BARRIER_LECTURE, BRN_BARRIER_LECTURE_PLANE };

typedef struct brn_barrier {
    double value;  /* [Pa m] */
    double first;  /* db/dd [Pa], <= 0 */
    double second; /* d2b/dd2 [Pa/m] */
} brn_barrier;

static inline brn_barrier brn_barrier_at(int kind, double kappa, double dhat, double d)
{
    if (!(d > 0.0)) {
        return (brn_barrier){.value = INFINITY};
    }
    if (d >= dhat) {
        return (brn_barrier){0};
    }
    const double log_ratio = log(d / dhat);
    if (kind == BRN_BARRIER_C2) {
        const double gap = d - dhat;
        const double ratio = gap / d;
        const double scale = kappa / dhat;
        return (brn_barrier){
            .value = -scale * gap * gap * log_ratio,
            .first = -scale * gap * (2.0 * log_ratio + ratio),
            .second = -scale * (2.0 * log_ratio + 4.0 * ratio - ratio * ratio),
        };
    }
    if (kind == BRN_BARRIER_LECTURE_PLANE) {
        const double s = d / dhat;
        return (brn_barrier){
            .value = 0.5 * kappa * dhat * (s - 1.0) * log_ratio,
            .first = 0.5 * kappa * (log_ratio + 1.0 - 1.0 / s),
            .second = 0.5 * kappa / dhat * (1.0 / s + 1.0 / (s * s)),
        };
    }
    const double s = d * d / (dhat * dhat);
    const double scale = kappa * dhat / 8.0;
    const double slope = 2.0 * log_ratio + 1.0 - 1.0 / s; /* of (s - 1) ln s */
    return (brn_barrier){
        .value = scale * (s - 1.0) * 2.0 * log_ratio,
        .first = scale * slope * 2.0 * d / (dhat * dhat),
        .second = scale * (slope * 2.0 / (dhat * dhat) + (1.0 / s + 1.0 / (s * s)) * 4.0 * s / (dhat * dhat)),
    };
}

#endif
