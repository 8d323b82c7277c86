/* Candidates: the pairs of skin parts that come within a distance of each other while nodes move linearly. */
#ifndef BRN_CONTACT_CANDIDATES_H
#define BRN_CONTACT_CANDIDATES_H

#include "contact/skin.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* The cores of round shapes meet as two points, or a point and an edge; everything meets half-spaces by its points. In 2D
   a half-space's plane is a line. */
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
    double reach;  /* [m] gap above which the pair does not matter (brn_skin.reach) */
} brn_candidate;

typedef struct brn_candidates brn_candidates;

brn_status brn_candidates_create(brn_ctx *ctx, const brn_skin *skin, brn_candidates **out);
void brn_candidates_destroy(brn_candidates *candidates);
/* Pairs whose parts, swept from x0 to x1 ([nnode][3]), have boxes within `distance`, or their reach if that is less, and
   others not much further apart.
   The order depends on the skin alone: by kind, then by the numbers of the two parts. A list is made for somewhat longer
   motions than asked for, and kept while it covers them: which extra pairs it holds depends on the past;
   brn_candidates_near does not. */
brn_status brn_candidates_find(brn_candidates *candidates, const double *x0, const double *x1,
                               double distance);
/* Whether the list holds all pairs that, at positions x, are within the distance it was last made for (or their reach);
   half-spaces are not considered. */
bool brn_candidates_cover(const brn_candidates *candidates, const double *x);
/* Where a point of the skin may be while the list holds all pairs, but for those with half-spaces: between lo and hi. */
void brn_candidates_room(const brn_candidates *candidates, int point, double lo[3], double hi[3]);
/* Whether the swept boxes of a candidate are within the distance or, if that is less, its reach; for a half-space, whether the point is at either end, or
   the plane turns. */
bool brn_candidates_near(const brn_candidates *candidates, const brn_candidate *candidate, const double *x0,
                         const double *x1, double distance);
int brn_candidates_count(const brn_candidates *candidates);
const brn_candidate *brn_candidates_get(const brn_candidates *candidates);

/* ---- distances without looking ------------------------------------------------------------------------------------- */

/* What shows that a pair is not near: how far apart it was when the list was made, and how its nodes have moved since. */
typedef struct brn_candidate_view {
    int count;
    const brn_candidate *item;
    const double *apart; /* [count] [m] lower bound of the nodes' distance at earlier positions; 0: unknown */
    const double (*moved)[4]; /* [nnode] [m] from there to x; the last of 4 is 0 */
    const double (*step)[4];  /* [nnode] [m] from x to `far`, if given */
} brn_candidate_view;

/* The candidates as seen from x on the way to `far` (or NULL). Valid until the next view or find. */
void brn_candidates_view(brn_candidates *candidates, const double *x, const double *far,
                         brn_candidate_view *out);

typedef double brn_quad __attribute__((vector_size(32)));
typedef int64_t brn_quad_mask __attribute__((vector_size(32)));

static inline brn_quad brn_quad_square(const double a[4], const double b[4])
{
    brn_quad x;
    brn_quad y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x - y) * (x - y);
}

static inline brn_quad brn_quad_max(brn_quad a, brn_quad b)
{
    const brn_quad_mask more = a > b;
    return (brn_quad)((more & (brn_quad_mask)a) | (~more & (brn_quad_mask)b));
}

/* Upper bound of the relative motion of any two points of the two parts [m]: it is largest for two vertices; the largest of
   each component is taken. */
static inline double brn_candidate_drift(const brn_candidate *c, const double (*u)[4])
{
    const int *n = c->node;
    brn_quad most;
    if (c->kind == BRN_TOUCH_EDGE_EDGE) {
        most =
            brn_quad_max(brn_quad_max(brn_quad_square(u[n[0]], u[n[2]]), brn_quad_square(u[n[0]], u[n[3]])),
                         brn_quad_max(brn_quad_square(u[n[1]], u[n[2]]), brn_quad_square(u[n[1]], u[n[3]])));
    } else {
        most = brn_quad_square(u[n[0]], u[n[1]]);
        for (int k = 2; k < 4 && n[k] >= 0; ++k) {
            most = brn_quad_max(most, brn_quad_square(u[n[0]], u[n[k]]));
        }
    }
    return sqrt(most[0] + most[1] + most[2]);
}

/* Lower bound of the distance of a pair's nodes at x [m]; may be negative. */
static inline double brn_candidate_least(const brn_candidate_view *view, int i)
{
    return view->apart[i] - brn_candidate_drift(&view->item[i], view->moved);
}

/* How many nodes a candidate's node list has: those before the first -1. */
static inline int brn_touch_count(const int node[4])
{
    return node[2] < 0 ? 2 : node[3] < 0 ? 3 : 4;
}

/* The nodes of a candidate at positions x, gathered; returns how many. */
int brn_candidate_gather(const int node[4], const double *x, double out[4][3]);

#endif
