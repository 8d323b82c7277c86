#include "geom/ccd.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define DIFFERENCE_REAL       double
#define DIFFERENCE_NAME(x)    x
#define DIFFERENCE_FLAT_SINE2 1e-20
#define CCD_ROUNDING          0x1p-53
#define CCD_TINY              0x1p-900
#define CCD_ITERATIONS        200
#define CCD_CAREFUL           0
#define CCD_INLINE            inline __attribute__((always_inline)) /* one copy for each shape */
#define CCD_SQRT(x)           sqrt(x)
#include "geom/ccd_loop.h"

#include "geom/ccd_wide.h"

/* Largest absolute coordinate; infinity or NaN if there is one that is not finite. */
static double largest(int count, const double x[][3])
{
    double most = 0.0;
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < 3; ++i) {
            const double a = fabs(x[k][i]);
            most = a <= most ? most : a; /* a NaN is taken, and kept: */
            if (!(most <= 1.7e308)) {
                return INFINITY;
            }
        }
    }
    return most;
}

/* Starts that double cannot certify: searches in wide numbers, and goes on in double once that can. */
static double very_close(const sweep *q, const double x0[][3], const double x1[][3], double dmin, double keep,
                         double t_max)
{
    brn_ccd_goal goal;
    const double t = brn_ccd_wide(q->shape, x0, x1, dmin, keep, t_max, &goal);
    return goal.wanted > 0.0 ? advance(q, dmin, keep, t_max, &goal) : t;
}

static CCD_INLINE double ccd(int shape, const double x0[][3], const double x1[][3], double dmin, double keep,
                             double t_max)
{
    const int count = shape == BRN_SHAPE_RHOMBOID ? 4 : shape + 2;
    const double most = fmax(fmax(largest(count, x0), largest(count, x1)), dmin);
    if (!(most <= 1.7e308) || !(dmin >= 0.0) || !(keep == keep) || !(t_max > 0.0)) {
        return 0.0;
    }
    keep = fmin(fmax(keep, 1e-3), 0.9);
    /* Fourth powers of lengths must stay in range; a power of two changes no digit. */
    double scaled[2][4][3];
    if (most > 0x1p120 || most < 0x1p-120) {
        int exponent;
        (void)frexp(most, &exponent);
        const double scale = ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
        for (int k = 0; k < count; ++k) {
            for (int i = 0; i < 3; ++i) {
                scaled[0][k][i] = scale * x0[k][i];
                scaled[1][k][i] = scale * x1[k][i];
            }
        }
        dmin *= scale;
        x0 = (const double(*)[3])scaled[0];
        x1 = (const double(*)[3])scaled[1];
    }
    sweep q;
    sweep_set(shape, x0, x1, &q);
    brn_ccd_goal start = {0.0, 0.0, 0.0};
    const double t = advance(&q, dmin, keep, t_max, &start);
    return t >= 0.0 ? t : very_close(&q, x0, x1, dmin, keep, t_max);
}

double brn_ccd_point_point(const double x0[2][3], const double x1[2][3], double dmin, double keep,
                           double t_max)
{
    return ccd(BRN_SHAPE_POINT, x0, x1, dmin, keep, t_max);
}

double brn_ccd_point_edge(const double x0[3][3], const double x1[3][3], double dmin, double keep,
                          double t_max)
{
    return ccd(BRN_SHAPE_SEGMENT, x0, x1, dmin, keep, t_max);
}

double brn_ccd_point_triangle(const double x0[4][3], const double x1[4][3], double dmin, double keep,
                              double t_max)
{
    return ccd(BRN_SHAPE_TRIANGLE, x0, x1, dmin, keep, t_max);
}

double brn_ccd_edge_edge(const double x0[4][3], const double x1[4][3], double dmin, double keep, double t_max)
{
    return ccd(BRN_SHAPE_RHOMBOID, x0, x1, dmin, keep, t_max);
}
