/* Kinematic trees of rigid links in joint coordinates.

   Every link hangs by one joint on a link with a smaller number or on the world; several may hang on the world. The joint's frame
   is fixed in the parent; where all its positions are 0 (quaternions 1) the link's frame coincides with it.

     kind        positions q                          velocities v
     fixed       none                                 none
     revolute    angle about the axis                 its rate
     prismatic   way along the axis                   its rate
     planar      x, y, angle                          their rates; x and y along two directions across the axis (of z: x and y)
     ball        unit quaternion w, x, y, z           angular velocity of the link
     floating    x, y, z, then the quaternion         velocity of the link's origin, then the link's angular velocity

   q turns and moves the link's frame from the joint's. All velocities are those against the parent, in the axes of the joint's
   frame. These are the parent's, not the world's or the link's own: rates of x, y, z are velocities, q advances without knowing
   where the parent is, forces that belong to v act between the two links, and for a body that floats in the world they are the
   world's axes. A revolute joint without limits is a continuous one. In the plane links move by planar, revolute and prismatic
   joints about and across z.

   Angular parts stand before linear ones in pairs [6]. Lengths in m, angles in rad, SI units throughout.
   Calls on a motion allocate nothing; one motion belongs to one thread, a tree to any number.

   The equations of motion are M(q) dv/dt + bias(q, v) = tau, where bias holds Coriolis and centrifugal forces and gravity, and tau
   forces and torques of the joints, one for each velocity. Armature is the inertia of a drive, seen by the joint alone. */
#ifndef BRN_PHYS_RIGID_TREE_H
#define BRN_PHYS_RIGID_TREE_H

#include "phys/rigid/inertia.h"

typedef enum brn_joint_kind {
    BRN_JOINT_FIXED,
    BRN_JOINT_REVOLUTE,
    BRN_JOINT_PRISMATIC,
    BRN_JOINT_PLANAR,
    BRN_JOINT_BALL,
    BRN_JOINT_FLOATING,
    BRN_JOINT_KINDS
} brn_joint_kind;

/* Name of a kind, and how many positions and velocities it has. */
typedef struct brn_joint_info {
    const char *name;
    int nq, nv;
} brn_joint_info;
const brn_joint_info *brn_joint_info_of(brn_joint_kind kind);

typedef struct brn_joint {
    brn_joint_kind kind;
    int parent;          /* link, -1: the world */
    brn_rigid_map frame; /* of the joint in the parent */
    /* in the joint's frame, any length > 0: revolute, prismatic; normal of the plane: planar */
    double axis[3];
    double damping;  /* [N s/m] or [N m s] of each velocity, >= 0 */
    double friction; /* [N] or [N m] of each velocity, >= 0 */
    double armature; /* [kg] or [kg m^2] of each velocity, >= 0 */
    /* least and largest position of revolute and prismatic joints; -INFINITY, INFINITY: none */
    double limit[2];
    double effort;   /* [N] or [N m], largest of a drive; INFINITY: no limit */
    double velocity; /* [m/s] or [rad/s], largest of a drive; INFINITY: no limit */
} brn_joint;

/* A joint of a kind at the parent's origin: axis z, no losses, no limits. */
brn_joint brn_joint_default(brn_joint_kind kind, int parent);

typedef struct brn_link {
    brn_inertia inertia; /* in the link's frame; mass 0 with inertia 0: a frame without matter */
    brn_joint joint;     /* on which it hangs */
} brn_link;

typedef struct brn_tree {
    brn_ctx *ctx;
    int nlink, nq, nv;
    brn_link *link;    /* [nlink] */
    int *root;         /* [nlink]: the link on the world from which it descends */
    int *q_first;      /* [nlink + 1] */
    int *v_first;      /* [nlink + 1] */
    double (*axis)[3]; /* [nv] unit vectors in the joint's frame */
    bool *angular;     /* [nv]: turns about the link's origin, or moves it */
} brn_tree;

/* BRN_ERR_RANGE names a link and what is wrong with it: parents that do not stand before it, numbers out of range, an inertia that no
   body has, limits reversed, a joint that moves nothing that has mass. */
brn_status brn_tree_create(brn_ctx *ctx, const brn_link *link, int nlink, brn_tree **out);
void brn_tree_destroy(brn_tree *tree);

/* Positions [nq] with all links in their joints' frames. */
void brn_tree_rest(const brn_tree *tree, double *q);
/* out = q moved with constant velocities v for h; quaternions keep their length. out may be q. */
void brn_tree_advance(const brn_tree *tree, const double *q, const double *v, double h, double *out);

/* Mass, first moments and inertia of matter about a point: sums of these are those of the bodies joined. */
typedef struct brn_tree_matter {
    double mass;
    double first[3]; /* [kg m] */
    double about[9]; /* [kg m^2] */
} brn_tree_matter;

/* Where the links are and how they move, and scratch of the calls below. Pairs [6] are taken about the origin of the link's root:
   one point for a whole tree, so that nothing is transformed on the way, and near it, so that little cancels. */
typedef struct brn_tree_motion {
    brn_ctx *ctx;
    brn_rigid_map *place; /* [nlink] of the links in the world */
    double (*arm)[3];     /* [nlink] world axes, from the root's origin to the link's */
    double (*column)[6];  /* [nv] motion of the link for a unit of the velocity */
    double (*velocity)
        [6]; /* [nlink] angular velocity, velocity of the link's point that is at the root's origin */
    brn_tree_matter *matter; /* [nlink] of the links about the root's origin */
    brn_tree_matter *joined; /* [nlink] scratch: of a link with all that hangs on it */
    double (*change)[6];     /* [nlink] scratch: accelerations */
    double (*force)[6];      /* [nlink] scratch */
} brn_tree_motion;

brn_status brn_tree_motion_create(const brn_tree *tree, brn_tree_motion **out);
void brn_tree_motion_destroy(brn_tree_motion *motion);

/* Places, columns and inertias for positions q [nq]; needed before all that follows. */
void brn_tree_place(const brn_tree *tree, const double *q, brn_tree_motion *motion);
/* Velocities of the links for v [nv]; needed by what depends on velocities: inverse, velocity_at, kinetic, momentum. */
void brn_tree_move(const brn_tree *tree, const double *v, brn_tree_motion *motion);

/* M [nv][nv], both triangles; composite rigid bodies [Featherstone 2008, chapter 6]. */
void brn_tree_mass(const brn_tree *tree, brn_tree_motion *motion, double *mass);
/* tau [nv] that gives the accelerations a = dv/dt [nv]; the bias for a NULL. Recursive Newton-Euler [Featherstone 2008,
   chapter 5]. gravity: acceleration of free fall [m/s^2]. */
void brn_tree_inverse(const brn_tree *tree, brn_tree_motion *motion, const double *a, const double gravity[3],
                      double *tau);

/* Velocity of the point of a link that is at `point` is linear v, the link's angular velocity is angular v: [3][nv] each; angular
   may be NULL. */
void brn_tree_jacobian(const brn_tree *tree, const brn_tree_motion *motion, int link, const double point[3],
                       double *linear, double *angular);
/* tau += J' force: a force [N] at a point of a link and a torque [N m] on it, in the world. torque may be NULL. */
void brn_tree_push(const brn_tree *tree, const brn_tree_motion *motion, int link, const double point[3],
                   const double force[3], const double *torque, double *tau);
/* Velocity of the point of a link that is at `point`. */
void brn_tree_velocity_at(const brn_tree *tree, const brn_tree_motion *motion, int link,
                          const double point[3], double out[3]);

/* 1/2 v' M v [J], armature included: v as brn_tree_move got it. */
double brn_tree_kinetic(const brn_tree *tree, const brn_tree_motion *motion, const double *v);
/* -sum m g . x [J] */
double brn_tree_potential(const brn_tree *tree, const brn_tree_motion *motion, const double gravity[3]);
/* Linear momentum [kg m/s] and angular momentum about a point [kg m^2/s] of the links; armature has none. */
void brn_tree_momentum(const brn_tree *tree, const brn_tree_motion *motion, const double about[3],
                       double linear[3], double angular[3]);

#endif
