/* What the parts of the model build share. Private to model/. */
#ifndef BRN_MODEL_BUILDER_H
#define BRN_MODEL_BUILDER_H

#include "model/model.h"
#include "model/repeat.h"
#include "model/shapes/shape.h"
#include "phys/material.h"
#include "phys/rigid/inertia.h"

/* The handles of a rigid body: x_i = centre + axes u_i in the coordinates of its mesh; see model_rigid.c. */
typedef struct brn_rigid_frame {
    int handle; /* node number of the first */
    double centre[3], axes[9], inverse[9];
} brn_rigid_frame;

/* A node is tied to others: a master and its weight, and the masters of a node. */
typedef struct brn_tie_part {
    int node;
    double weight;
} brn_tie_part;

typedef struct brn_tie_draft {
    int node;
    int attachment; /* that ties it; -1: the node is a rigid body's */
    int first, count;
} brn_tie_draft;

typedef struct brn_tie_drafts {
    brn_tie_draft *tie;
    int count;
    size_t capacity;
    brn_tie_part *part;
    int used;
    size_t part_capacity;
} brn_tie_drafts;

/* Consecutive bodies of the model: those that a name in the scene stands for. */
typedef struct brn_body_range {
    int first, count;
} brn_body_range;

/* "Bodies" below are the model's unless noted: one or more for each body of the scene. */
typedef struct brn_builder {
    brn_ctx *ctx;
    brn_scene *scene;
    const brn_scene_def *def;
    brn_model *model;
    brn_mesh **mesh;               /* [meshes], made at first use */
    bool *tried;                   /* [meshes] */
    brn_shape_form *form;          /* [scene bodies], mesh NULL where the body has no shape */
    struct brn_robot_draft *robot; /* [scene bodies], empty where the body is none */
    bool copy;                     /* the body being added copies one without problems */
    const brn_mesh **body_mesh;    /* [bodies], NULL where the body has a problem */
    brn_body_place *pose;          /* [bodies] */
    brn_rigid_frame *rigid;        /* [bodies] */
    int *mass_kind;                /* [bodies] */
    brn_tie_drafts ties;           /* requests to tie so far */
    unsigned char *fixed;          /* [nnode*dim] BRN_DOF_... */
    unsigned char *released;       /* likewise: 1 where all its holds let go some time */
} brn_builder;

/* Adds a problem at BLOCK.KEY. */
void brn_builder_problem(brn_builder *b, const brn_block *block, const char *key, const char *format, ...)
    BRN_PRINTF(4, 5);

/* Index of `word` among the scene's materials, meshes or bodies (for a copy: that of its body); -1 after adding a problem at
   BLOCK.KEY that suggests the nearest name or lists all. */
typedef enum brn_noun { BRN_NOUN_MATERIAL, BRN_NOUN_MESH, BRN_NOUN_BODY } brn_noun;
int brn_builder_find(brn_builder *b, const brn_block *block, const char *key, brn_noun noun,
                     const char *word);

/* The model's bodies that a word names: all copies of a body of the scene, or one of them. {0, 0} after adding a problem. */
brn_body_range brn_builder_find_bodies(brn_builder *b, const brn_block *block, const char *key,
                                       const char *word);

/* What the scene says about a body. */
const brn_variant *brn_builder_def(const brn_builder *b, int body);
const brn_body_common *brn_builder_body(const brn_builder *b, int body);
brn_shape_form *brn_builder_form(const brn_builder *b, int body);

/* Nodes, boundary and contact surface of a body with this mesh (its own, or that of its form). */
brn_status brn_builder_add_frame(brn_builder *b, int index, const brn_mesh *mesh);
/* A boundary of nothing (0 nodes), a point (1) or an edge (2), numbered from `first`; *out is set also after a failure. */
brn_status brn_builder_make_core(brn_ctx *ctx, int first, int nnode, brn_boundary **out);
/* The handles of an obstacle with a radius: corners of its box. */
brn_status brn_builder_add_corners(brn_builder *b, int index);
/* Adds nodes, their positions unset. */
brn_status brn_builder_grow_nodes(brn_builder *b, int count);
/* Hands a group over to the model (destroyed if there is no room), for this body, the last that has any so far; -1: for none,
   after those of all bodies. */
brn_status brn_builder_push_group(brn_builder *b, int index, brn_element_group *group);
/* Frame, handles and their element of a rigid body; errors become problems of the scene. */
brn_status brn_builder_add_rigid(brn_builder *b, int index, const brn_mesh *mesh);
/* The same for a body whose matter is given: `matter` in the coordinates of the mesh, which may have no nodes. */
brn_status brn_builder_add_firm(brn_builder *b, int index, const brn_mesh *mesh, const brn_inertia *matter);
/* Bodies of a copy of a robot, the first of them `index`; velocities of their nodes, once all have their places. */
brn_status brn_builder_add_robot(brn_builder *b, int source, int copy, int index);
brn_status brn_builder_move_robots(brn_builder *b);
/* The bodies of a robot that ROBOT/LINK names; {0, 0}: it names none. */
brn_body_range brn_builder_robot_link(const brn_builder *b, const char *word);
/* Shapes of one link move as one: the first stands for all. */
brn_body_range brn_builder_shapes_as_one(const brn_model *model, brn_body_range range);
/* How the shapes of all bodies are placed and which nodes they move with, once every node has its place. */
void brn_builder_add_shapes(brn_builder *b);
/* Whether a shell can be made of this mesh and material; if not, a problem says why. */
bool brn_builder_check_shell(brn_builder *b, const brn_shell_def *def, const brn_mesh *mesh,
                             const brn_material *material);
/* The membrane of a shell whose frame is done. */
brn_status brn_builder_add_sheet(brn_builder *b, int index, const brn_material *material,
                                 const brn_moduli *moduli, const brn_material_common *params);
/* Elastic constants of a body's material; NULL after adding a problem. */
const brn_material *brn_builder_material(brn_builder *b, const brn_deformable_def *def, brn_moduli *moduli,
                                         const brn_material_common **params);
/* Requests a tie; the masters may be tied themselves. */
brn_status brn_builder_tie(brn_builder *b, int node, int attachment, const brn_tie_part *part, int count);
/* A place in the world in terms of the handles of a rigid body: dim + 1 parts. */
void brn_builder_rigid_parts(const brn_builder *b, int body, const double place[3], brn_tie_part part[4]);
/* Half-spaces without a given size are shown wide enough for the bodies above them. */
void brn_builder_fit_planes(brn_builder *b);

/* Warns of bodies that weigh less than what their meshes stand for; masses are known. */
void brn_builder_tell_round(const brn_builder *b);

/* The parts, in this order. */
brn_status brn_builder_add_bodies(brn_builder *b);
brn_status brn_builder_add_springs(brn_builder *b);
brn_status brn_builder_add_laws(brn_builder *b);
brn_status brn_builder_add_attachments(brn_builder *b);
brn_status brn_builder_add_holds(brn_builder *b);
brn_status brn_builder_add_connections(brn_builder *b);
brn_status brn_builder_bend_sheets(brn_builder *b);
brn_status brn_builder_add_loads(brn_builder *b);
brn_status brn_builder_add_probes(brn_builder *b);
/* Times and rules of the stages; later, the body that they are of. */
void brn_builder_begin_stages(brn_builder *b);
void brn_builder_follow_body(brn_builder *b);
/* Ties and block rows of the model. */
brn_status brn_builder_close_ties(brn_builder *b);
/* After the mass. */
brn_status brn_builder_add_velocities(brn_builder *b);

#endif
