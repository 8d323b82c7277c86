/* The contact points of a state, as a method hands them over: the same numbers that its solver used. What is measured from
   them (cone and dissipation errors, forces by body and by pair) is the same whatever the method. */
#ifndef BRN_CONTACT_POINTS_H
#define BRN_CONTACT_POINTS_H

#include "model/model.h"

typedef struct brn_contact_point {
    int body[2];         /* numbers; the forces act on body[0], their opposites on body[1] */
    double place[3];     /* [m] between the closest points */
    double normal[3];    /* unit, from body[1] to body[0] */
    double gap;          /* [m] */
    double normal_force; /* [N] >= 0, along normal */
    double friction[3];  /* [N] on body[0], across normal */
    double slip[3];      /* [m/s] of body[0] against body[1], across normal */
    double mu;           /* coefficient of friction of the pair */
} brn_contact_point;

#endif
