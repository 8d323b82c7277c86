/* Robots of the model: a tree of links (phys/rigid/tree.h), the drives of its joints and what couples them.

   Links that are fixed to each other move as one, a cluster, which is named by its first link; those fixed to the world are
   static bodies. Every shape of a cluster is a rigid body of the model that has an equal share of the cluster's matter: handles at the same
   places, so that together they have its mass and inertia, and each follows every motion of it. */
#ifndef BRN_MODEL_ROBOT_MODEL_H
#define BRN_MODEL_ROBOT_MODEL_H

#include "model/read/robot.h"

/* A drive of a joint with one velocity. Its control c stands, by kind, for the force f = scale c, for the position q* = scale c + shift or
   for the velocity v* = scale c; the joint gets clamp(f), clamp(stiffness (q* - q) - damping v) or clamp(damping (v* - v)). */
typedef struct brn_drive {
    brn_drive_kind kind;
    int link; /* whose joint it drives */
    double scale, shift;
    double stiffness, damping; /* [N m/rad], [N m s], or of lengths */
    double effort[2];          /* [N m] or [N], least and largest */
    double range[2];           /* of the control */
    int rows;
    double *table; /* [rows][2]: t, control; linear between, held outside */
} brn_drive;

/* q[link] = factor q[leader] + offset, both of one velocity; leader -1: offset alone. */
typedef struct brn_mimic {
    int link, leader;
    double factor, offset;
} brn_mimic;

/* Two links, or a link and the world (-1), that share a point (connect) or a frame (weld), given in each. */
typedef struct brn_coupling {
    bool weld;
    int link[2];
    brn_rigid_map frame[2];
} brn_coupling;

typedef struct brn_joint_spring {
    int link;
    double stiffness, rest; /* of q */
} brn_joint_spring;

typedef struct brn_robot_model {
    brn_ctx *ctx;
    char *name;
    int index;
    int source; /* the scene's body */
    brn_rigid_map base;
    brn_tree *tree;
    int nlink;
    char **link_name;  /* [nlink] */
    char **joint_name; /* [nlink] of the joint on which it hangs; "" where it is fixed */
    double *reference; /* [nlink] what the file and the scene call the position 0 */
    int *cluster;      /* [nlink] its first link; -1: fixed to the world */
    int body_first, body_count;
    bool *apart;                 /* [body_count][body_count] bodies that do not touch each other */
    int q_first, v_first;        /* in the state's joint_pos and joint_vel */
    double *q0, *v0;             /* [nq], [nv] */
    int drive_first, link_first; /* among those of all robots */
    int ndrive, nmimic, ncoupling, nspring;
    brn_drive *drive;
    brn_mimic *mimic;
    brn_coupling *coupling;
    brn_joint_spring *spring;
} brn_robot_model;

/* What a method leaves in the state's memory about the last step: effort of the drives of every joint velocity (as joint_vel), and force and
   torque on every link through its joint, [6] about the origin of the world. */
#define BRN_ROBOT_EFFORT "robot.effort"
#define BRN_ROBOT_WRENCH "robot.wrench"

void brn_robot_model_destroy(brn_robot_model *robot);
/* The control of a drive as its table has it at a time. */
double brn_drive_control(const brn_drive *drive, double t);

#endif
