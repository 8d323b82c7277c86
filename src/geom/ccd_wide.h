/* Inside geom/: additive CCD in the widest arithmetic of the platform, for starts so close that double precision cannot tell
   whether they are apart. Arguments as checked and scaled by ccd.c; 0 if the start is not certified here either. */
#ifndef BRN_GEOM_CCD_WIDE_H
#define BRN_GEOM_CCD_WIDE_H

#include <float.h>

/* The widest arithmetic, and half the distance of 1 and the next number in it. */
#if LDBL_MANT_DIG < 113 && defined(__SIZEOF_FLOAT128__)
typedef __float128 brn_wide;
# define BRN_WIDE_ROUNDING 0x1p-113
#else
typedef long double brn_wide;
# define BRN_WIDE_ROUNDING (0.5L * LDBL_EPSILON)
#endif

/* What a search holds to: from the safe time t on [0, t], distances above wanted [m]; it ends below enough. */
typedef struct brn_ccd_goal {
    double t, wanted, enough;
} brn_ccd_goal;

/* goal: where the search may go on in double, as the separation has grown enough for it; wanted = 0: nowhere. */
double brn_ccd_wide(int shape, const double x0[][3], const double x1[][3], double dmin, double keep,
                    double t_max, brn_ccd_goal *goal);

#endif
