/* Whether a vertex and a side, or two edges, go past each other without meeting. */
#ifndef BRN_CONTACT_PAST_H
#define BRN_CONTACT_PAST_H

#include <stdbool.h>

/* One of geom/ccd.h. */
typedef double (*brn_past_fn)(const double x0[][3], const double x1[][3], double dmin, double keep,
                              double t_max);

/* Nodes on their straight ways x[0] -> x[1], `count` of them, never as near as `apart` [m]. */
bool brn_past(brn_past_fn ccd, const double x[2][4][3], int count, double apart);

#endif
