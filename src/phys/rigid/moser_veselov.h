/* Free rotation of a rigid body by the discrete equations of Moser and Veselov [1991]: symmetric, of second order, keeps angular momentum and
   kinetic energy to rounding. With the turn of a step as the unit quaternion (1, c)/sqrt(1 + |c|^2), they are one equation of a vector,

       I c + c x (I c) = h/2 (1 + |c|^2) y,        attitude <- attitude (1, c),   y <- turn' y,

   I the principal moments, y the angular momentum in the body's principal axes. */
#ifndef BRN_PHYS_RIGID_MOSER_VESELOV_H
#define BRN_PHYS_RIGID_MOSER_VESELOV_H

#include <stdbool.h>

typedef struct brn_spinning {
    double attitude[4]; /* unit quaternion w, x, y, z: from the principal axes to the world */
    double momentum[3]; /* [kg m^2/s] in principal axes */
} brn_spinning;

/* One step of the equations. False, and nothing changed, if it turns too far for a solution to be found: a step of h |y|/I below 1 does not. */
bool brn_moser_veselov_step(const double inertia[3], double h, brn_spinning *body);
/* As many equal steps as it takes for each to turn by at most `angle` [rad], below 1. */
void brn_moser_veselov(const double inertia[3], double h, double angle, brn_spinning *body);

/* [rad] The most that a body can turn in a time: with all its energy about the axis of least inertia. */
double brn_moser_veselov_turn(const double inertia[3], double h, const brn_spinning *body);

#endif
