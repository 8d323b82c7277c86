/* What the parts of the model build share. Private to model/. */
#ifndef BRN_MODEL_BUILDER_H
#define BRN_MODEL_BUILDER_H

#include "model/model.h"
#include "model/repeat.h"
#include "model/shapes/shape.h"

/* The handles of a rigid body: x_i = centre + axes u_i in the coordinates of its mesh; see model_rigid.c. */
typedef struct brn_rigid_frame {
    int handle; /* node number of the first */
    double centre[3], axes[9], inverse[9];
} brn_rigid_frame;

/* Some of the model's bodies that follow each other: those that a name of the scene stands for. */
typedef struct brn_body_range {
    int first, count;
} brn_body_range;

/* "Bodies" below are the model's where it does not say otherwise: one or more for each body of the scene. */
typedef struct brn_builder {
    brn_ctx *ctx;
    brn_scene *scene;
    const brn_scene_def *def;
    brn_model *model;
    brn_mesh **mesh;            /* [meshes], made at first use */
    bool *tried;                /* [meshes] */
    brn_shape_form *form;       /* [scene bodies], mesh NULL where the body has no shape */
    bool copy;                  /* the body being added is a copy of one without problems */
    const brn_mesh **body_mesh; /* [bodies], NULL where the body has a problem */
    brn_body_place *pose;       /* [bodies] */
    brn_rigid_frame *rigid;     /* [bodies] */
    int *mass_kind;             /* [bodies] */
} brn_builder;

/* Adds a problem at BLOCK.KEY. */
void brn_builder_problem(brn_builder *b, const brn_block *block, const char *key, const char *format, ...)
    BRN_PRINTF(4, 5);

/* Index of `word` among the scene's materials, meshes or bodies (of a copy: that of the body it is of); -1 after adding a problem at BLOCK.KEY that suggests
   the nearest name or lists them. */
typedef enum brn_noun { BRN_NOUN_MATERIAL, BRN_NOUN_MESH, BRN_NOUN_BODY } brn_noun;
int brn_builder_find(brn_builder *b, const brn_block *block, const char *key, brn_noun noun,
                     const char *word);

/* The model's bodies that a word names: all copies of a body of the scene, or one of them. {0, 0} after adding a problem. */
brn_body_range brn_builder_find_bodies(brn_builder *b, const brn_block *block, const char *key,
                                       const char *word);

/* What the scene says of a body. */
const brn_variant *brn_builder_def(const brn_builder *b, int body);
const brn_body_common *brn_builder_body(const brn_builder *b, int body);
brn_shape_form *brn_builder_form(const brn_builder *b, int body);

/* Nodes, boundary and what touches of a body with this mesh (its own, or that of its form). */
brn_status brn_builder_add_frame(brn_builder *b, int index, const brn_mesh *mesh);
/* The handles of an obstacle with a radius: corners of its box. */
brn_status brn_builder_add_corners(brn_builder *b, int index);
/* So many more nodes, their positions unset. */
brn_status brn_builder_grow_nodes(brn_builder *b, int count);
/* Adds a group, which is the model's from then on (or destroyed, if there is no room), to the last body. */
brn_status brn_builder_push_group(brn_builder *b, int index, brn_element_group *group);
/* Frame, handles and their element of a rigid body; what is wrong with it becomes a problem. */
brn_status brn_builder_add_rigid(brn_builder *b, int index, const brn_mesh *mesh);
/* Ties of all rigid bodies, once every node is there. */
brn_status brn_builder_add_ties(brn_builder *b);
/* Half-spaces that leave their size open are shown wide enough for the bodies above them. */
void brn_builder_fit_planes(brn_builder *b);

/* The parts, in this order. */
brn_status brn_builder_add_bodies(brn_builder *b);
brn_status brn_builder_add_velocities(brn_builder *b);
brn_status brn_builder_add_laws(brn_builder *b);
brn_status brn_builder_add_holds(brn_builder *b);
brn_status brn_builder_add_loads(brn_builder *b);
brn_status brn_builder_add_probes(brn_builder *b);

#endif
