#include "contact/past.h"

/* A collision test ends where little is left of the distance at its start, so that what starts far away and misses closely would count as met.
   It goes on from there: this often the distance may fall to a thousandth. */
enum { CLOSER = 4 };

bool brn_past(brn_past_fn ccd, const double x[2][4][3], int count, double apart)
{
    double from[4][3];
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < 3; ++i) {
            from[k][i] = x[0][k][i];
        }
    }
    for (int look = 0; look < CLOSER; ++look) {
        const double t = ccd((const double(*)[3])from, x[1], apart, 0.0, 1.0);
        if (t == 1.0) {
            return true;
        }
        if (t == 0.0) {
            return false;
        }
        for (int k = 0; k < count; ++k) {
            for (int i = 0; i < 3; ++i) {
                from[k][i] += t * (x[1][k][i] - from[k][i]);
            }
        }
    }
    return false;
}
