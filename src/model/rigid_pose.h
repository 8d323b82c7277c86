/* Where a rigid body is: centre of mass, its velocity, and the rotation nearest to its affine map. */
#ifndef BRN_MODEL_RIGID_POSE_H
#define BRN_MODEL_RIGID_POSE_H

#include "model/model.h"

typedef struct brn_rigid_pose {
    double centre[3], velocity[3]; /* [m], [m/s] */
    double rotation[3];            /* [rad] axis times angle in [0, pi], from the start; in 2D along z */
} brn_rigid_pose;

/* Mean of a body's entries of [nnode][3], weighted by mass: the centre of mass, its velocity. Sums are taken from the first node,
   so that equal entries have themselves as their mean. */
void brn_body_mean(const brn_model *model, int body, const double *entry, double out[3]);

/* body: the number of a rigid body; pos, vel: [nnode][3]. */
void brn_rigid_pose_of(const brn_model *model, int body, const double *pos, const double *vel,
                       brn_rigid_pose *out);

/* Poses [nrigid][7] and velocities [nrigid][6] of all rigid bodies in their order, as in state.h. The angular velocity is the
   one that gives the body the angular momentum of its handles. */
int brn_rigid_count(const brn_model *model);
void brn_rigid_states(const brn_model *model, const double *pos, const double *vel, double *pose,
                      double *velocity);

/* The angular velocity of a rigid body that has the angular momentum of its handles. */
void brn_rigid_spin(const brn_model *model, int body, const double *pos, const double *vel, double spin[3]);
/* How a body would go on for a time without forces if it were rigid: straight on and turning freely, linear and angular
   momentum kept. [0] at the start, [1] at the end. */
typedef struct brn_coasting {
    double centre[3], velocity[3];
    double turn[9];    /* R - 1 */
    double spin[2][3]; /* [rad/s] */
    double rate[3];    /* [rad/s^2] at the end */
} brn_coasting;
/* Any body that moves; pos, vel: [nnode][3]. */
void brn_rigid_coast(const brn_model *model, int body, const double *pos, const double *vel, double h,
                     brn_coasting *out);
/* What turning adds to the way and to the velocity of a point that starts at x, besides those of the centre. */
void brn_coasting_swing(const brn_coasting *coasting, const double x[3], double way[3], double change[3]);
/* The acceleration that this takes at its end. */
void brn_coasting_pull(const brn_coasting *coasting, const double x[3], double a[3]);
/* Velocities ([nnode][3]) of the handles of the chosen rigid bodies become those of the rigid motion with the same linear and
   angular momentum. */
void brn_rigid_velocities(const brn_model *model, const bool *chosen, const double *pos, double *vel);

/* Changes steps (packed, from pos) that turn the handles of rigid bodies along straight lines into steps that end in a truly
   rotated body: the same to first order. Returns the largest turn [rad]. */
double brn_rigid_turn_steps(const brn_model *model, const double *pos, double *step);

#endif
