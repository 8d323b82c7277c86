/* Where a rigid body is: centre of mass, its velocity, and the rotation nearest to its affine map. */
#ifndef BRN_MODEL_RIGID_POSE_H
#define BRN_MODEL_RIGID_POSE_H

#include "model/model.h"

typedef struct brn_rigid_pose {
    double centre[3], velocity[3]; /* [m], [m/s] */
    double rotation[3];            /* [rad] axis times angle in [0, pi], from the start; in 2D along z */
} brn_rigid_pose;

/* body: the number of a rigid body; pos, vel: [nnode][3]. */
void brn_rigid_pose_of(const brn_model *model, int body, const double *pos, const double *vel,
                       brn_rigid_pose *out);

/* Poses [nrigid][7] and velocities [nrigid][6] of all rigid bodies in their order, as in state.h. The angular velocity is the
   one that gives the body the angular momentum of its handles. */
int brn_rigid_count(const brn_model *model);
void brn_rigid_states(const brn_model *model, const double *pos, const double *vel, double *pose,
                      double *velocity);

/* Changes steps (packed, from pos) that turn the handles of rigid bodies along straight lines into steps that end in a truly
   rotated body: the same to first order. Returns the largest turn [rad]. */
double brn_rigid_turn_steps(const brn_model *model, const double *pos, double *step);

#endif
