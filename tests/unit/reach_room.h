/* How far the tests look for points. */
#ifndef BRN_TESTS_REACH_ROOM_H
#define BRN_TESTS_REACH_ROOM_H

#include "base/rng.h"
#include "contact/reach.h"

#include <math.h>

enum { REACH_BODIES = 64 };

typedef struct reach_room {
    double body[REACH_BODIES], own[REACH_BODIES];
} reach_room;

/* The same for every pair. */
static inline brn_contact_reach reach_everywhere(reach_room *room, const double *x, double within)
{
    for (int b = 0; b < REACH_BODIES; ++b) {
        room->body[b] = 0.5 * within;
        room->own[b] = within;
    }
    return (brn_contact_reach){x, room->body, room->own};
}

/* Some for every body, for a third of them none. */
static inline brn_contact_reach reach_random(reach_room *room, const double *x, double most, brn_rng *rng)
{
    for (int b = 0; b < REACH_BODIES; ++b) {
        room->body[b] = fmax(0.0, brn_rng_uniform(rng, -0.5 * most, most));
        room->own[b] = brn_rng_uniform(rng, 0.0, most);
    }
    return (brn_contact_reach){x, room->body, room->own};
}

#endif
