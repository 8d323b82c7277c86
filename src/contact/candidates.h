/* Candidates: the pairs of skin parts that come within a distance of each other while nodes move linearly. */
#ifndef BRN_CONTACT_CANDIDATES_H
#define BRN_CONTACT_CANDIDATES_H

#include "contact/skin.h"

/* Two cores of round shapes meet as points, or a point and an edge; everything meets half-spaces by its points. In 2D a
   half-space's plane is a line. */
typedef enum brn_touch {
    BRN_TOUCH_POINT_EDGE,
    BRN_TOUCH_POINT_TRIANGLE,
    BRN_TOUCH_EDGE_EDGE,
    BRN_TOUCH_POINT_POINT,
    BRN_TOUCH_POINT_PLANE
} brn_touch;

/* Nodes p, e0, e1 | p, t0, t1, t2 | a0, a1, b0, b1 | p, q | p, and the plane's two or three; -1 where fewer. */
typedef struct brn_candidate {
    int kind; /* brn_touch */
    int node[4];
    double area;   /* [m] in 2D, [m^2]: share of surface that the pair stands for */
    double offset; /* [m] distance of the nodes at which the surfaces touch */
} brn_candidate;

typedef struct brn_candidates brn_candidates;

brn_status brn_candidates_create(brn_ctx *ctx, const brn_skin *skin, brn_candidates **out);
void brn_candidates_destroy(brn_candidates *candidates);
/* Pairs whose parts, swept from x0 to x1 ([nnode][3]), have boxes within `distance`. In an order that depends on the
   skin alone: by kind, then by the numbers of the two parts. */
brn_status brn_candidates_find(brn_candidates *candidates, const double *x0, const double *x1,
                               double distance);
int brn_candidates_count(const brn_candidates *candidates);
const brn_candidate *brn_candidates_get(const brn_candidates *candidates);

/* How many nodes a node list of a candidate has: those before the first -1. */
static inline int brn_touch_count(const int node[4])
{
    return node[2] < 0 ? 2 : node[3] < 0 ? 3 : 4;
}

/* The nodes of a candidate at positions x, gathered; returns how many. */
int brn_candidate_gather(const int node[4], const double *x, double out[4][3]);

#endif
