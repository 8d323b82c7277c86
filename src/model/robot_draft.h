/* Robots while the model is built. Private to model/. */
#ifndef BRN_MODEL_ROBOT_DRAFT_H
#define BRN_MODEL_ROBOT_DRAFT_H

#include "model/builder.h"
#include "model/robot_model.h"

/* A body of a robot: a shape of its file, or the matter of a cluster without shapes. */
typedef struct brn_robot_piece {
    int link;    /* that has the shape; -1: the world */
    int cluster; /* -1: does not move */
    int shape;   /* of the file; -1: none */
} brn_robot_piece;

/* A robot of the scene: its file, and the bodies that every copy of it becomes, in the order of clusters. */
typedef struct brn_robot_draft {
    brn_robot *file;
    int *cluster; /* [nlink] */
    int npiece;
    brn_robot_piece *piece;
    brn_shape_form *form; /* [npiece] */
    brn_mesh *nothing;    /* without nodes, of pieces without a shape */
} brn_robot_draft;

/* Reads the file of a robot of the scene; problems are the scene's, and then there are no pieces. */
brn_status brn_robot_draft_make(brn_builder *b, int source);
void brn_robot_draft_clear(brn_ctx *ctx, brn_robot_draft *draft);

/* Start, drives, springs and couplings of a robot of the model, tree and names made (robot_drives.c). */
brn_status brn_robot_add_joints(brn_builder *b, const brn_robot_draft *draft, brn_robot_model *robot);

#endif
