/* The yardstick: what is measured from contact points, the same for every method. Coulomb's law demands of a point with
   normal force N, friction f and slip v

       |f| <= mu N                 (cone)                   error max(0, |f| - mu N)        [N]
       f . v = -mu N |v|           (maximum dissipation)    error mu N |v| + f . v >= 0     [W]
       N > 0 only where gap = 0    (complementarity)        error: the gap of a point with N > 0   [m]

   The second is >= 0 inside the cone: friction cannot take more power than mu N |v|. Outside it may be negative, and its
   magnitude counts. A point with N < 0 corrects others: it counts in sums of forces but means nothing alone. */
#ifndef BRN_CONTACT_YARDSTICK_H
#define BRN_CONTACT_YARDSTICK_H

#include "contact/points.h"

typedef struct brn_yardstick {
    int sticking, slipping;   /* points that carry force, see brn_contact_point */
    double gap_min;           /* [m] +inf without points */
    double penetration_max;   /* [m] */
    double cone_error;        /* [N] */
    double dissipation_error; /* [W] */
    double complementarity;   /* [m] */
} brn_yardstick;

/* A NaN in any point makes the figures it enters NaN. */
void brn_yardstick_measure(const brn_contact_point *point, int npoint, brn_yardstick *out);
/* Total contact force on each body [N], force [nbody][3]. What a body does to itself cancels. */
void brn_yardstick_bodies(const brn_contact_point *point, int npoint, int nbody, double (*force)[3]);
/* What body b does to body a, whichever of them comes first in a point. */
void brn_yardstick_pair(const brn_contact_point *point, int npoint, int a, int b, brn_contact_total *out);

#endif
