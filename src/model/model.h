/* The model: what the scene means. Immutable flat arrays after compile; plain indices, names looked up once. */
#ifndef BRN_MODEL_MODEL_H
#define BRN_MODEL_MODEL_H

#include "geom/mesh.h"
#include "geom/primitive.h"
#include "linalg/assembly.h"
#include "linalg/block_matrix.h"
#include "model/body_types.h"
#include "model/plots.h"
#include "model/ties.h"
#include "phys/group.h"
#include "scene/scene.h"

/* Whether its elements are shown as cells; if not, its boundary is. */
static inline bool brn_body_has_cells(int type)
{
    return type == BRN_BODY_DEFORMABLE || type == BRN_BODY_SHELL;
}

/* What determines a dof: the equations, a hold, or the handles that its node is tied to. */
enum { BRN_DOF_FREE, BRN_DOF_HELD, BRN_DOF_TIED };

/* The shape of a static or rigid body that the scene gives instead of a mesh: exact where the triangles that show it are not.
   model/body_shape.h says where it is when nodes move. */
typedef struct brn_body_shape {
    brn_primitive primitive; /* kind none: the body has a mesh */
    brn_rigid_map rest;      /* its frame in the world at rest */
    /* dim + 1 nodes of the body whose combinations are all places that move with it: its handles, or nodes of its
       surface; for a half-space dim nodes of its plane. */
    int span, node[4];
} brn_body_shape;

typedef struct brn_body {
    char *name;
    char *materials; /* of a deformable body, with the number of elements: "steel 96, rubber 12" */
    int source;      /* the entry of the scene's `bodies` that it comes from */
    int kind; /* bodies of one kind have the same contact laws: copies, unless a pair names one of them */
    int type; /* BRN_BODY_... */
    int node_first, node_count; /* its nodes are contiguous, its handles the last dim + 1 of them */
    /* The handles of a rigid body, and of an obstacle with a radius: nodes of no cell that move with the body as a whole, so
       that any place on or near it is a combination of them. The first one; -1: it has none. */
    int handle;
    int group_first, group_count; /* its groups are contiguous; of a rigid body one element on the handles */
    int elem_count;               /* elements that are shown, cells; a rigid body has none */
    brn_boundary *boundary;       /* what is seen; node numbers of the model */
    /* What touches: the boundary itself; the core of a round shape (a point, an edge); nothing for a half-space. */
    brn_boundary *touch;
    bool solid; /* `boundary` encloses solid: other bodies cannot be inside, as they can in a static shell */
    /* [m] distance of the surface from `touch`: radius of a sphere or capsule, half of a sheet's thickness */
    double radius;
    /* Half-space: nodes of its plane, solid on the side away from (1-0) x (2-0), in 2D on the right of 0 -> 1;
       plane[0] = -1: it is not one. */
    int plane[3];
    brn_body_shape shape;
    brn_mesh_quality quality;
    double mass, volume, centre[3];
    int robot; /* that it is a part of; -1: of none */
    int link;  /* of the robot: the cluster that it moves with; -1: it does not move */
} brn_body;

/* x(t) = turn(t) (X - point) + point + shift(t), time clipped to `until`. */
typedef struct brn_motion {
    double velocity[3], angular_velocity, point[3], axis[3], until;
    int rows;      /* of table, 0: none */
    double *table; /* [rows][4]: t, x, y, z */
} brn_motion;

/* A body of the scene, and the model's bodies made from it. */
typedef struct brn_source {
    char *name;
    int first, count;
} brn_source;

/* A held (or moved) set of nodes: a `fixed` entry or a static body. */
typedef struct brn_hold {
    char *name;
    int nnode, *node;
    unsigned axes; /* bit 0 x, 1 y, 2 z */
    brn_motion motion;
    double release; /* [s] its nodes are free from then on; +inf: never */
} brn_hold;

/* A load, scaled by a linear ramp in time. Dead loads are a fixed pattern of nodal forces; a pressure follows its
   faces. */
typedef struct brn_load {
    char *name;
    double ramp_from, ramp_to; /* [s]; equal: a jump */
    double until;              /* [s] it ends */
    int nnode, *node;          /* dead: nodes and their full forces [N], [nnode][3] */
    double *force;
    double pressure;           /* [Pa] */
    int nface[BRN_CELL_COUNT]; /* pressure: boundary faces of each kind, oriented outwards */
    int *face[BRN_CELL_COUNT];
} brn_load;

typedef struct brn_probe {
    char *name;
    int nnode, *node;
} brn_probe;

/* A region of a body that is welded to another body. */
typedef struct brn_attachment {
    char *name;
    int body, to;
    int nnode, *node;
    double gap; /* [m] largest distance of a node from the body it is attached to */
} brn_attachment;

/* A place that moves with a body: a combination of nodes, whose weights sum to 1. Of an obstacle and of the world there are none: what is
   held moves a place as it does its nodes. */
enum { BRN_ANCHOR_NODES = 20 };
typedef struct brn_anchor {
    int body;       /* -1: the world */
    int hold;       /* of an obstacle; -1: it is none */
    double rest[3]; /* [m] at rest */
    int count, node[BRN_ANCHOR_NODES];
    double weight[BRN_ANCHOR_NODES];
} brn_anchor;

/* Two bodies of which points coincide: one of a ball, two of a hinge, enough of a weld that nothing else is free; or one of each
   that stay at a distance. */
typedef struct brn_connection {
    char *name;
    int type; /* BRN_CONNECT_... */
    int npoint;
    brn_anchor point[3][2];
    double length;     /* [m] of a distance */
    bool slack;        /* of a distance: it may be shorter */
    double stiffness;  /* [N/m] +inf: as stiff as the step allows */
    double relaxation; /* [s] */
} brn_connection;

/* Loading, launch, flight and landing of a body, and how each is stepped. */
typedef struct brn_model_stages {
    bool given;
    int body;                   /* that is followed */
    bool loads;                 /* it begins with loading */
    double until;               /* [s] of that */
    bool slip;                  /* while it lasts: by the friction of the scene; else nothing slips */
    int integrator[BRN_STAGES]; /* BRN_IMPLICIT_EULER ... */
    double step[BRN_STAGES];    /* [s] at most, of what deforms */
    bool stop;                  /* the run ends when the body has come to rest */
} brn_model_stages;

/* A field that affects how a run goes belongs in model_parts.c too: a checkpoint is refused if it differs. */
struct brn_model {
    brn_ctx *ctx;
    char *title;
    int dim; /* 2 or 3: dofs a node, block size of matrices */
    double gravity[3];
    double step, end; /* [s] */
    int64_t nstep;    /* steps of the run: the first n with n * step >= end, to rounding */
    int integrator;   /* BRN_IMPLICIT_EULER ... */
    brn_model_stages stages;
    const brn_table *method;
    void *method_params;    /* a copy of the struct that method describes */
    const char *method_why; /* why it was chosen; NULL: the scene names it */

    int nnode;
    double (*rest)[3]; /* [m] positions at which the material is unstrained, placed in the world */
    double (*vel0)[3]; /* [m/s] initial velocities */
    int nelem;         /* the ones shown */
    int ngroup;
    brn_element_group **group; /* in the order of bodies */
    int nbody;
    brn_body *body;
    int nsource;
    brn_source *source; /* in the scene's order */

    int nrobot;
    struct brn_robot_model **robot;
    int njoint; /* positions of all joints of robots */
    int ndrive; /* of all robots */
    int nlink;  /* of all robots */

    brn_ties ties;
    /* Block rows: the nodes that have an equation or whose force is needed, in ascending order. Nodes that only show a shape
       have none, nor do tied nodes without an element. Packed vectors are [nrow][dim]. */
    int nrow;
    int *row_node; /* [nrow] */
    int *node_row; /* [nnode] -1: none */

    /* Mass: one number a pair of block rows, the same for each axis. Lumped and uniform masses are a diagonal matrix. */
    brn_block_matrix *mass; /* block size 1 */
    bool mass_diagonal;
    double *node_mass; /* [nnode] row sums, 0 where there is no row */
    /* [1/s times kg] entries of the mass, each element's times its alpha of Rayleigh damping; NULL: all 0 */
    double *mass_alpha;

    int nhold;
    brn_hold *hold;
    unsigned char
        *fixed; /* [nrow*dim] BRN_DOF_..., with all holds; a simulation has its own where some are released */

    int nattach;
    brn_attachment *attach;
    /* [nnode] body that the node is attached to, -1: none; NULL: there are no attachments */
    int *attached_to;
    int nconnect;
    brn_connection *connect;
    int njoined;
    int (*joined)
        [2]; /* [njoined] ascending: bodies that connections keep together, so that they do not touch; smaller number first */
    int nload;
    brn_load *load;
    int nprobe;
    brn_probe *probe;
    brn_plots plots;

    /* Laws of each pair of kinds of bodies, [nkind][nkind], symmetric: see brn_model_pair. */
    int nkind;
    double *friction;
    double *contact_key[BRN_CONTACT_KEY_COUNT]; /* NaN: the method's own; NULL: NaN for all pairs */
    bool contact_self;
    bool *apart; /* [nkind][nkind] pairs that do not touch; NULL: none */

    double frame_every; /* [s] */
    bool fields[BRN_FIELD_COUNT];
    bool write_vtu;
    double report_mb;     /* [MB] largest report.html; 0: none */
    int checkpoint_every; /* steps */
};

/* Position at time t of a point that was at `rest` at t = 0, and its velocity just before t (a motion may start and
   stop with a jump). Either output may be NULL. */
void brn_motion_place(const brn_motion *motion, const double rest[3], double t, double pos[3], double vel[3]);
/* The same for a motion whose own time tau runs `rate` times as fast: at tau, coming from smaller tau or, if rate < 0, from
   larger ones. Before its start it rests. */
void brn_motion_run(const brn_motion *motion, const double rest[3], double tau, double rate, double pos[3],
                    double vel[3]);
/* Whether it moves anything at all, and the own time at which it ends; +inf: never. */
bool brn_motion_moves(const brn_motion *motion);
double brn_motion_end(const brn_motion *motion);
/* The hold of a motion, numbered as brn_model_motion_count does; the hold of a static body. -1: there is none. */
int brn_model_motion_hold(const brn_model *model, int motion);
int brn_model_body_hold(const brn_model *model, int body);
/* [m] of a body's box at rest. */
double brn_body_diagonal(const brn_model *model, const brn_body *body);
static inline bool brn_body_has_node(const brn_body *body, int node)
{
    return node >= body->node_first && node < body->node_first + body->node_count;
}
/* Index in a [nnode][3] vector of an entry of a packed one. */
static inline int brn_model_at(const brn_model *model, int dof)
{
    return 3 * model->row_node[dof / model->dim] + dof % model->dim;
}
/* Packed vectors. Follow: entries of tied nodes are set from their masters' (positions, velocities, steps). Lead, its
   transpose: they are added to their masters' and set to 0 (forces). Only nodes with rows take part. */
void brn_model_follow(const brn_model *model, double *v);
void brn_model_lead(const brn_model *model, double *force);
/* Follow for a [nnode][3] vector, all tied nodes. */
void brn_model_follow_nodes(const brn_model *model, double *v);
/* Adds scale * force at a node to a packed vector: to its own row, or to its masters' if it has none. */
void brn_model_add_force(const brn_model *model, int node, double scale, const double *force, double *packed);
/* x = from + way (packed): all rows, and all tied nodes that elements and contact use; x, from [nnode][3] may be the same
   array. Entries of x that stay as they are: z in 2D, and nodes that only show a shape. */
void brn_model_move(const brn_model *model, const double *from, const double *way, double *x);
/* x = from + way for all tied nodes without a row, including those that only show a shape: once a step. */
void brn_model_move_tied(const brn_model *model, const double *from, const double *way, double *x);
/* Stencils in rows instead of nodes, all of which must have rows; rows and nodes may be the same array. *memory holds them;
   free it after use. */
brn_status brn_model_row_stencils(const brn_model *model, const brn_stencils *nodes, int count,
                                  brn_stencils *rows, int **memory);
/* What a node stands for in the equations: its masters, or itself; nothing if it is not tied and has no row. */
typedef struct brn_masters {
    int count;
    const int *node; /* [count] ascending */
    const double *weight;
} brn_masters;
brn_masters brn_model_masters(const brn_model *model, int node);
/* The attachment of a node, among those numbered below `end`; NULL: none. */
const brn_attachment *brn_model_attachment_of(const brn_model *model, int node, int end);
/* Index of the law of two bodies in friction and contact_key. */
static inline size_t brn_model_pair(const brn_model *model, int body, int other)
{
    return (size_t)model->body[body].kind * (size_t)model->nkind + (size_t)model->body[other].kind;
}
/* Whether two bodies never touch each other: neighbours in a robot, pairs that its file or the scene takes out, and those that share a
   point by a connection. */
bool brn_model_apart(const brn_model *model, int body, int other);
/* The last of these alone. */
bool brn_model_joined(const brn_model *model, int body, int other);
/* 0..1 */
double brn_load_factor(const brn_load *load, double t);
/* [s] What a step of h from t begins with: t, or just after it where a load ends. */
double brn_model_after(const brn_model *model, double t, double h);
/* [s] Until when equilibrium is sought, if it is: gravity and loads without a ramp grow until then. */
double brn_model_ramp_end(const brn_model *model);

/* Adds problems for names that refer to nothing; also in a scene that has problems already, so that all are listed at once. */
void brn_model_check_names(brn_scene *scene);

/* Compile proper; the public brn_model_compile (api) resolves the scene first. */
brn_status brn_model_build(brn_ctx *ctx, brn_scene *scene, brn_model **out);

#endif
