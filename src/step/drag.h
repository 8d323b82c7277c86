/* A hand that drags a body by one of its nodes: a damped spring from the node to a point, with a bounded force

       f = -k min(1, force/(k |r|)) r,    r = x - p + lag v,

   lag = 2/omega: critical damping of the body's whole mass, k = m omega^2. Within a step v = c (y - origin), so r is linear in y
   and f has a convex potential; it is added to the one that Newton's method minimises (step/newton.h).

   p is where the hand is or, if that is further from x^n than `reach`, the point that far along the way to it: the spring
   pulls a body at no more than reach/lag, a speed from which the bounded force can stop it again. */
#ifndef BRN_STEP_DRAG_H
#define BRN_STEP_DRAG_H

#include "model/model.h"

typedef struct brn_drag {
    int node; /* -1: nothing is dragged */
    double target[3];
    double asked;     /* [N/m] requested stiffness; 0: chosen here */
    double stiffness; /* [N/m] k */
    double lag;       /* [s] */
    double force;     /* [N] bound */
    double reach;     /* [m] */
    brn_masters on;   /* the nodes that the node stands for: itself, or its masters */
} brn_drag;

/* The spring at one place. */
typedef struct brn_pull {
    double energy;       /* [J] potential in y */
    double force[3];     /* [N] on the node */
    double stiffness[9]; /* [N/m] -d force/d y, symmetric, positive semi-definite */
} brn_pull;

/* Fills everything but `asked`, `target` and `node`, which are given. gravity [m/s^2] and size [m] of the scene; forward: the
   force at the start of a step moves the node, so its damping must be bounded. */
void brn_drag_choose(brn_drag *drag, const brn_model *model, const double gravity[3], double size,
                     bool forward);
/* Where the spring ends in a step that starts with the node at x. */
void brn_drag_point(const brn_drag *drag, const double x[3], double point[3]);
/* At position x and velocity v of the node; c = dv/dx within the step [1/s]. In 2D all third entries are 0. */
void brn_drag_pull(const brn_drag *drag, const double point[3], const double x[3], const double v[3],
                   double c, brn_pull *out);
/* Adds factor * force to a packed vector, at the nodes that have the dofs. */
void brn_drag_add_force(const brn_drag *drag, const brn_model *model, const double force[3], double factor,
                        double *packed);
/* Adds the stiffness to a matrix whose pattern has the elements. */
void brn_drag_add_stiffness(const brn_drag *drag, const brn_model *model, const brn_pull *pull,
                            brn_block_matrix *matrix);

#endif
