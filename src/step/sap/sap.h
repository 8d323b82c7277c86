/* Method `sap`: convex contact at velocity level [Han, Masterjohn, Castro 2023]. A step minimises the incremental potential of
   step/scheme.h, linearised, plus a convex cost of every contact over the mean velocities u = (x^{n+1} - x^n)/h: of nodes, and of
   rigid bodies, which are exactly rigid here.

   The rows of the problem are those of the model, with the handles of rigid bodies taken out, and two for each rigid body:
   velocity of its centre of mass, angular velocity. What acts on handles acts on the body: v_k = v + w x r_k. Robots have their joint
   velocities instead, which their links follow. */
#ifndef BRN_STEP_SAP_SAP_H
#define BRN_STEP_SAP_SAP_H

#include "contact/points.h"
#include "model/robot_model.h"
#include "step/ahead.h"
#include "step/newton.h"
#include "step/sap/sap_problem.h"

typedef struct brn_sap_params {
    brn_block block;
    int law;                    /* BRN_SAP_LAW_... */
    double near_rigid;          /* beta: stiffest contact, period over step */
    double slip_regularisation; /* sigma */
    double tolerance;           /* of the optimality */
    int iterations;             /* of the convex solver, and of the outer loops */
    int budget;
    int linearisations; /* 0: until the elements' forces are balanced */
} brn_sap_params;

enum { BRN_SAP_LAW_SAP, BRN_SAP_LAW_LAGGED };

/* The method's own figures. */
enum { BRN_SAP_OPTIMALITY, BRN_SAP_CONSTRAINTS, BRN_SAP_OVERLAP };

/* A link hangs on joints in so many block rows at most. */
enum { BRN_SAP_PATH_MAX = 20 };

/* A robot. */
typedef struct brn_sap_tree {
    const brn_robot_model *robot;
    int index;
    int row, nrow;          /* its block rows in the problem: joint velocities, padded with fixed ones */
    int *path_first, *path; /* [nlink + 1]: its block rows that move a link, counted from its first */
    brn_tree_motion *start, *now; /* at the start of the step, and where forces are evaluated */
    double *numbers;              /* memory of what follows */
    /* of the step */
    double *q0, *q1;         /* [nq] at the start, scratch */
    double *v0, *rate, *end; /* [nv] at the start; mean and end of the free motion */
    double *force,
        *weight; /* [nv] of weight, springs and motors before they move anything; of weight alone */
    double *inertia, *mass;             /* [nv][nv] share M; with h D + h^2 K of damping and springs */
    double *row_of_j, *row_of_j2;       /* [3][nv] scratch */
    int drive_first, ndrive, joint_end; /* constraints of its drives, and of its joints behind them */
} brn_sap_tree;

/* A rigid body. */
typedef struct brn_sap_rigid {
    int body;
    int tree; /* that it is a link of; -1: it moves freely */
    int path; /* of a link: block rows that move it */
    double *j_half,
        *j_now; /* of a link: Jacobian of its handles [4][path][9], half-way along the free motion, where it gives the
                   chord of their ways, and where forces are evaluated */
    int row;           /* of a free one: its first row in the problem */
    int handle_row;    /* of the model, the first of dim + 1 */
    bool welded;       /* elements of other bodies pull at it */
    double mass;       /* [kg] */
    double rest[4][3]; /* [m] handles about the centre of mass at rest; of a link in its frame */
    /* of the step */
    double centre[3], velocity[3]; /* at the start */
    double rotation[9];            /* from rest to the start */
    double momentum[3];            /* [N m s] angular, about the centre, at the start */
    double coasted[9];             /* from rest to where it would turn to without forces */
    double inertia[9];             /* [kg m^2] there */
    double arm[4][3]; /* [m] handles about the centre at the start, and where forces are evaluated */
    double arm_now[4][3];
    double rate[6];  /* [m/s], [rad/s] mean of the free motion */
    double taut[9];  /* [N m] torque against turning of the connections that pull at it */
    double force[6]; /* [N], [N m] of all but contact and inertia, about the centre */
} brn_sap_rigid;

/* Where two bodies can touch in this step. */
typedef struct brn_sap_point {
    const brn_touching_point *touch;
    double stiffness;  /* [N/m]; +inf: as stiff as the step allows */
    double relaxation; /* [s] */
    double mu;
    double drift[3]; /* [m/s] velocity of what is held, in the frame */
} brn_sap_point;

typedef struct brn_sap {
    brn_ctx *ctx;
    const brn_model *model;
    brn_system *system;
    const brn_sap_params *params;
    brn_newton *newton;
    brn_newton_terms terms;
    brn_touching *touching;
    brn_ahead *ahead;
    brn_sap_solver *solver;
    int ntree;
    brn_sap_tree *tree;
    double *link_numbers; /* Jacobians of links */
    double share;         /* inertia of a mean velocity: 1, or 2 for the midpoint rule */
    int nrigid;
    brn_sap_rigid *rigid;
    int *row_rigid; /* [model rows] the rigid body whose handle it is; -1: none */
    /* all that deforms is linear while its rotations are held: one linearisation a step is exact */
    bool lagged;
    bool soft;           /* something deforms */
    brn_block_matrix *a; /* of the problem */
    int *place;          /* [blocks of the system's matrix] where they go in a; -1: by way of rigid bodies */
    unsigned char *fixed;
    double t, h;
    const double *from, *speed;   /* [nnode][3] x^n, v^n */
    double *u, *start, *gradient; /* [rows*dim] of the problem */
    double *pushed;               /* [rows*dim] J' gamma */
    double *push;                 /* [ndof] force of contact where it acts, on the model's rows */
    int64_t spent;                /* iterations of the step before this attempt */
    brn_sap_point *at;
    int nat, njoint;      /* constraints of contact, and of joints and a hand behind them */
    int hand;             /* the hand's; -1: none */
    int taut_first;       /* those of sap_taut.c, behind them */
    const double *pulled; /* [connections][3] [N] their forces in the last step; NULL: there was none */
    int connect_first;    /* those of connections, a constraint a point */
    double *carried;      /* [connections] [kg] the heaviest body of all that is connected with theirs */
    double (*towards)[3]; /* [connections] of a distance: the way its impulse acts on the first body */
    size_t at_capacity;
    brn_sap_constraint *constraint;
    size_t constraint_capacity;
    brn_sap_block *block;
    int nblock;
    size_t block_capacity;
    double *impulse;
    size_t impulse_capacity;
    brn_contact_point *point;
    int npoint;
    size_t point_capacity;
} brn_sap;

extern const brn_method brn_sap_method;

/* ---- sap_rows.c: the rows of the problem ---- */

brn_status brn_sap_make_rows(brn_sap *sap);
/* u at the start: nodes go on as they did, rigid bodies coast. The mean velocity of the last step is nearer to that of the next one than
   the velocity at its end, which turning Euler corrects: to stiff bodies at rest a millionth of it is a force. */
brn_status brn_sap_start(brn_sap *sap, const brn_state *in);
brn_status brn_sap_remember(const brn_sap *sap, brn_state *out);
/* n->y of all rows from u: nodes h u, rigid bodies turned; arms where forces act. */
void brn_sap_place(brn_sap *sap);
/* a = h^2 Hessian and gradient = -h unbalanced at n->y, on the problem's rows. */
brn_status brn_sap_linearise(brn_sap *sap, brn_tangent tangent);
/* Adds weight times the velocity of a row of the model to a constraint of dim rows, with arms of rigid bodies as they are at the start
   of the step (along: 0), where forces are evaluated (1), or between. */
void brn_sap_add_row(brn_sap *sap, brn_sap_constraint *c, int row, double along, double weight);
/* The same with elements as they are at the start of the step, and u set to 0 for nodes and all that elements can pull at: a link that
   moved ahead of the nodes welded to it would strain them. */
brn_status brn_sap_linearise_start(brn_sap *sap);
/* The gradient alone. */
brn_status brn_sap_unbalanced(brn_sap *sap);

/* ---- sap_rigid.c: rigid bodies ---- */

void brn_sap_make_rigid(const brn_sap *sap, int body, brn_sap_rigid *r);
/* A rigid body at the start of a step, and how it would go on without forces. */
void brn_sap_coast(const brn_sap *sap, const brn_state *in, brn_sap_rigid *r);
/* Its entries in a vector of the problem: velocity [3], angular velocity [3]. */
void brn_sap_read(const brn_sap *sap, const brn_sap_rigid *r, const double *u, double out[6]);
void brn_sap_write(const brn_sap *sap, const brn_sap_rigid *r, const double in[6], double *u);
/* n->y of its handles from u; their arms where forces act. */
void brn_sap_place_rigid(const brn_sap *sap, brn_sap_rigid *r);
/* [N] On a handle of a rigid body, a dof of the model: all but contact, inertia and weight. */
double brn_sap_handle_force(const brn_sap *sap, const brn_sap_rigid *r, int dof);
/* r->force from the forces on the handles. */
void brn_sap_gather(const brn_sap *sap, brn_sap_rigid *r);
/* Inertia times what u adds to the free motion, as impulses. */
void brn_sap_inertia(const brn_sap *sap, const brn_sap_rigid *r, double out[6]);
/* [J] Inertia and weight of rigid bodies in the cost of u. */
double brn_sap_rigid_cost(const brn_sap *sap);
/* Positions and velocities of rigid bodies at the end. */
void brn_sap_finish_rigid(brn_sap *sap, brn_state *out);

/* ---- sap_tree.c: robots ---- */

brn_status brn_sap_make_tree(brn_sap *sap, const brn_robot_model *robot, brn_sap_tree *t);
void brn_sap_tree_destroy(brn_ctx *ctx, brn_sap_tree *t);
/* Handles of a link's body in the link's frame. */
void brn_sap_make_link(const brn_sap *sap, const brn_sap_tree *t, brn_sap_rigid *r);
/* The start of a step, its free motion and its forces. */
brn_status brn_sap_coast_tree(brn_sap *sap, const brn_state *in, brn_sap_tree *t);
void brn_sap_write_tree(const brn_sap_tree *t, const double *v, double *u);
/* n->y of handles from u, and their Jacobians there. */
void brn_sap_place_tree(brn_sap *sap, brn_sap_tree *t);
void brn_sap_tree_gradient(brn_sap *sap, brn_sap_tree *t);
void brn_sap_tree_matrix(brn_sap *sap, const brn_sap_tree *t);
double brn_sap_tree_cost(const brn_sap *sap, const brn_sap_tree *t);
/* Handles of a robot's links where its joints in the state put them. */
void brn_sap_pose_tree(const brn_sap *sap, brn_sap_tree *t, brn_state *state);
/* Joints and handles at the end. */
void brn_sap_finish_tree(brn_sap *sap, brn_sap_tree *t, brn_state *out);
/* The block rows of its tree that move a link, [r->path]. */
static inline const int *brn_sap_path(const brn_sap *sap, const brn_sap_rigid *r)
{
    const brn_sap_tree *t = &sap->tree[r->tree];
    return &t->path[t->path_first[sap->model->body[r->body].link]];
}

/* ---- sap_joints.c: constraints of robots ---- */

/* Adds how many constraints and blocks there can be. */
void brn_sap_joint_room(const brn_sap *sap, size_t *constraints, size_t *blocks);
void brn_sap_constrain_joints(brn_sap *sap);
/* Whether a drive is a constraint: it has gains. */
bool brn_sap_drive_constrains(const brn_sap *sap, const brn_drive *drive);
/* [N m] or [N] of a motor; of others half the sum of their bounds, which acts whatever their gains say. */
double brn_sap_drive_force(const brn_sap *sap, const brn_sap_tree *t, int drive);

/* Diagonal of J diag(A)^-1 J' of a row [1/kg]. */
double brn_sap_weight_of(const brn_sap *sap, const brn_sap_constraint *c, int row);
/* [1/kg] The regularisation of a constraint that holds: of its period of oscillation over the step. */
double brn_sap_held(double weight);

/* ---- sap_connect.c: connections of bodies ---- */

brn_status brn_sap_make_connections(brn_sap *sap);
/* As for joints. */
void brn_sap_connect_room(const brn_sap *sap, size_t *constraints, size_t *blocks);
void brn_sap_constrain_connections(brn_sap *sap);
/* Adds sign times the velocity of an anchor to a constraint of dim rows. */
void brn_sap_add_anchor(brn_sap *sap, brn_sap_constraint *c, const brn_anchor *anchor, double sign);
/* Adds their forces to sap->push. */
void brn_sap_push_connections(const brn_sap *sap);
/* [J] held by them in a state that no step has led to; at the end of the step. */
double brn_sap_connections_store(const brn_sap *sap, const brn_state *state, double t);
double brn_sap_connections_hold(const brn_sap *sap);
/* [J] What their impulses did beyond what their forces do along the straight ways of nodes; the part that obstacles put in is
   booked here. */
double brn_sap_book_connections(const brn_sap *sap, const brn_state *in, const brn_state *out,
                                brn_books *books);
/* Their forces in the state. */
brn_status brn_sap_remember_connections(const brn_sap *sap, brn_state *out);

/* ---- sap_taut.c: the inertia that keeps taut connections stable ---- */

/* As for joints. */
void brn_sap_taut_room(const brn_sap *sap, size_t *constraints, size_t *blocks);
void brn_sap_constrain_taut(brn_sap *sap);

/* ---- sap_hand.c: a hand that drags ---- */

/* As for joints. */
void brn_sap_hand_room(const brn_sap *sap, size_t *constraints, size_t *blocks);
void brn_sap_constrain_hand(brn_sap *sap);
/* Its force, for the books: n->pull, and in n->contact. */
void brn_sap_settle_hand(brn_sap *sap);
/* What its impulse does beyond what its force does along the straight way of the node: of a body that turns they differ. */
void brn_sap_book_hand(const brn_sap *sap, const brn_state *in, const brn_state *out, brn_books *books);

/* ---- sap_books.c ---- */

brn_status brn_sap_book_joints(const brn_sap *sap, const brn_state *in, brn_state *out, brn_books *books);
/* Room in the state for efforts and wrenches of the step (model/robot_model.h); zeros at first. */
brn_status brn_sap_remember_joints(const brn_sap *sap, brn_state *out, double **effort, double **wrench);

/* ---- sap_balance.c ---- */

/* u and the impulses of the step, contacts known. */
brn_status brn_sap_balance(brn_sap *sap, brn_step_info *info);

/* ---- sap_contact.c: where bodies can touch, and their constraints ---- */

brn_status brn_sap_find_contacts(brn_sap *sap, const brn_state *in);
/* Once the step is solved: whether bodies went farther than that and through something there (missed). Then the points are those of a
   look as far as they went, and the step is to be solved again. */
brn_status brn_sap_look_again(brn_sap *sap, const brn_state *in, bool *missed);
/* The block of a constraint for a row, made if it is not there yet. */
brn_sap_block *brn_sap_block_for(brn_sap *sap, brn_sap_constraint *c, int row);
/* Jacobians, regularisation and targets, once a is known. first: of the step; later ones keep the bounds of friction. */
brn_status brn_sap_constrain(brn_sap *sap, bool first);
/* [J] of all constraints at u; their impulses there. */
double brn_sap_contact_cost(const brn_sap *sap);
void brn_sap_find_impulses(brn_sap *sap);
/* sap->pushed and sap->push from the impulses. */
void brn_sap_push(brn_sap *sap);
/* The contact points at the end of the step, and their figures. */
brn_status brn_sap_report(brn_sap *sap, brn_step_info *info);

/* ---- sap_books.c ---- */

/* Energy held and dissipated by contact, once the rest is booked. */
void brn_sap_book(const brn_sap *sap, const brn_state *in, const brn_state *out, brn_step_info *info);

#endif
