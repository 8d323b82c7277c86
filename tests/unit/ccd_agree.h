/* Additive CCD against the interval reference, which proves what the additive one promises: on [0, t] the distance
   stays above dmin + keep (d0 - dmin). */
#ifndef BRN_TESTS_UNIT_CCD_AGREE_H
#define BRN_TESTS_UNIT_CCD_AGREE_H

#include "ccd_queries.h"

typedef struct agree_tally {
    long queries, stopped, proved, too_close, exhausted, broken, stuck, loose;
} agree_tally;

static inline void ccd_agree(const ccd_query *q, double dmin, double keep, agree_tally *sum)
{
    const double d0 = ccd_distance_at(q, 0.0), size = ccd_size(q), gap = d0 - dmin;
    const double t = ccd_additive(q, dmin, keep, 1.0);
    sum->queries++;
    sum->stopped += t < 1.0;
    /* distances are good to a few roundings of the size */
    sum->stuck += gap > 1e-14 * size && !(t > 0.0);
    sum->loose +=
        gap > 1e-9 * size && t < 1.0 && ccd_distance_at(q, t) > dmin + 1.3 * keep * gap + 1e-13 * size;
    const double floor = dmin + keep * gap;
    if (!(gap > 0.0) || !(keep * gap > 1e-11 * size)) {
        /* boxes of the size of the rounding error prove nothing; the exact test covers these */
        sum->too_close++;
        return;
    }
    /* A box is reported within 0.9 floor if it is that near or smaller than the tolerance, so that the true distance
       there is below 0.9 floor + sqrt(3) (tolerance + rounding) < floor. */
    const brn_interval_hit hit = ccd_interval(q, dmin + 0.9 * (floor - dmin), 0.05 * keep * gap, t);
    sum->exhausted += hit.exhausted;
    sum->proved += !hit.collides;
    sum->broken += hit.collides && !hit.exhausted;
}

#endif
