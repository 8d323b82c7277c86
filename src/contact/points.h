/* The contact points of a state (brn_contact_point of brunt.h), as a method hands them over: the very numbers its solver
   used. What is measured from them (contact/yardstick.h) is the same for every method. */
#ifndef BRN_CONTACT_POINTS_H
#define BRN_CONTACT_POINTS_H

#include <brunt/brunt.h>

#include <math.h>

/* Friction this close to the cone, relatively, is on it: a normalised slip direction is off by some 1e-16. */
#define BRN_CONE_SLACK 1e-9

/* For points with a force. Without friction a point slips. A method with a threshold calls slower slip sticking: lagged
   friction may be off the cone in either direction. Else Coulomb's law: inside the cone it sticks, on it it slips. */
static inline bool brn_contact_sticks(const brn_contact_point *point)
{
    const double *f = point->friction;
    const double *v = point->slip;
    if (point->stick_speed > 0.0) {
        return point->mu > 0.0 && sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) < point->stick_speed;
    }
    return sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]) <
           point->mu * point->normal_force * (1.0 - BRN_CONE_SLACK);
}

/* [N] normal and friction force on body[0] */
static inline void brn_contact_force(const brn_contact_point *point, double force[3])
{
    for (int i = 0; i < 3; ++i) {
        force[i] = point->normal_force * point->normal[i] + point->friction[i];
    }
}

#endif
