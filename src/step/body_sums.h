/* Sums over a body's rows: moments and inertia about its centre of mass. */
#ifndef BRN_STEP_BODY_SUMS_H
#define BRN_STEP_BODY_SUMS_H

#include "model/model.h"

/* sum r x q of a packed vector, r from the centre to places x, [nnode][3]. */
void brn_body_moments(const brn_model *model, int body, const double *x, const double centre[3],
                      const double *q, double out[3]);
/* The inertia of angular momentum, sum r x (w x M r) = (sum r . M r) w - sum (M r) (r . w): the mass of a pair of nodes is a number.
   mass_r: M r, packed. */
void brn_body_inertia(const brn_model *model, int body, const double *x, const double centre[3],
                      const double *mass_r, double out[9]);
/* The rotation nearest to the map from places at rest about `rest` to x about `centre`, weighted by mass. */
void brn_body_turn(const brn_model *model, int body, const double *x, const double centre[3],
                   const double rest[3], double turn[9]);

#endif
