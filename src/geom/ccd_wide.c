#include "geom/ccd_wide.h"

#include <math.h>
#include <stddef.h>

typedef brn_wide wide;
#define CCD_ROUNDING BRN_WIDE_ROUNDING
/* Squares of any double are far inside the exponents of a wide number, unless it is a double itself. */
#if LDBL_MIN_EXP < -10000
# define CCD_TINY ((wide)0x1p-1000 * 0x1p-1000 * 0x1p-200)
#else
# define CCD_TINY 0x1p-900
#endif

/* One Newton step from the root in double, which may lie outside its range of exponents for squares of tiny lengths.
   */
static wide root(wide x)
{
    wide scale = 1;
    while (x > 0 && x < 0x1p-600 && scale > 0x1p-900) {
        x *= 0x1p600;
        scale *= 0x1p-300;
    }
    const wide y = sqrt((double)x);
    return y > 0 ? scale * (y + x / y) / 2 : 0;
}

#define DIFFERENCE_REAL       wide
#define DIFFERENCE_NAME(x)    wide_##x
#define DIFFERENCE_FLAT_SINE2 (CCD_ROUNDING * CCD_ROUNDING * 1e12)
#define CCD_SQRT(x)           root(x)
#define CCD_INLINE
#define CCD_ITERATIONS 12 /* some 3 us each where it is emulated */
#define CCD_CAREFUL    1
#include "geom/ccd_loop.h"

double brn_ccd_wide(int shape, const double x0[][3], const double x1[][3], double dmin, double keep,
                    double t_max, brn_ccd_goal *goal)
{
    wide_sweep q;
    wide_sweep_set(shape, x0, x1, &q);
    *goal = (brn_ccd_goal){0.0, 0.0, 0.0};
    const double t = wide_advance(&q, dmin, keep, t_max, goal);
    return t > 0.0 ? t : 0.0;
}
