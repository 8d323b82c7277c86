/* Where a state has intersections: surfaces that meet, points inside half-spaces, overlapping round parts, and bodies inside
   others. */
#ifndef BRN_CONTACT_MEETINGS_H
#define BRN_CONTACT_MEETINGS_H

#include "contact/pair.h"
#include "geom/intersect.h"

/* How many places meet; for the first, a node of each side and where it is. */
typedef struct brn_meetings {
    const int *between; /* [2] only those of these bodies count; NULL: all do */
    size_t count;
    int node[2];
    double place[3]; /* [m] */
} brn_meetings;

/* Adds the pairs of the skin that touch or intersect at x. pair: all pairs near there, for round parts, which have no exact
   test, and for what touches to rounding. */
brn_status brn_meetings_add_surfaces(brn_intersect *check, const brn_skin *skin, const double *x,
                                     const brn_contact_pair *pair, int npair, brn_meetings *meetings);
/* The edges and triangles (2D: edges) of the skin that meet at x and may touch, as brn_intersect_surface lists them. */
brn_status brn_meetings_list(brn_intersect *check, const brn_skin *skin, const double *x,
                             brn_intersection *found, int room, size_t *count);
/* Adds the bodies inside others, whose surfaces need not meet (contact/inside.c). */
void brn_meetings_add_inside(const brn_skin *skin, const double *x, brn_meetings *meetings);
/* BRN_ERR_SCENE with names and place if there are any, for the start of a method that needs gaps. advice: what to do, "": none
   is known. */
brn_status brn_meetings_refuse(const brn_skin *skin, const brn_meetings *meetings, const char *advice);

/* BRN_ERR_CONVERGENCE: by time t [s] a motion has taken a held part of a body into a half-space, from `before` to `after`. Parts that are held are not
   kept apart; of surfaces, neighbours that are free would tell, but only points see a half-space. size: of the system [m] (contact/driven.c). */
brn_status brn_meetings_check_driven(const brn_skin *skin, double size, double t, const double *before,
                                     const double *after);
/* BRN_ERR_CONVERGENCE, by names and place, if there are any of parts that are held. */
brn_status brn_meetings_refuse_driven(const brn_skin *skin, const brn_meetings *meetings, double t);

/* Adds one, if its bodies count; stores its nodes and place if it is the first. */
void brn_meetings_add(const brn_skin *skin, brn_meetings *meetings, int a, int b, const double place[3]);
/* The box about what touches of a body at x; inside out if it has nothing. */
brn_box brn_body_touch_box(const brn_body *body, const double *x);
/* How often the surface of a body, which must be closed, winds about p: 1 inside, 0 outside, to rounding. */
double brn_body_winding(const brn_body *body, int dim, const double *x, const double p[3]);
/* Whether a point of the skin is inside a half-space or on its plane; exact unless the point is round. */
bool brn_skin_inside_plane(const brn_skin *skin, const int *plane, int point, const double *x);

#endif
