/* Method `ipc`: incremental potential contact [Li et al. 2020]. Every step minimises the incremental potential of
   step/scheme.h plus barriers of all gaps below dhat and the lagged friction potential, by Newton's method with steps
   bounded by conservative CCD: no accepted state has an intersection. */
#ifndef BRN_STEP_IPC_IPC_H
#define BRN_STEP_IPC_IPC_H

#include "contact/lever.h"
#include "contact/meetings.h"
#include "contact/points.h"
#include "step/ipc/ipc_barrier.h"
#include "step/ipc/ipc_bodies.h"
#include "step/newton.h"

typedef struct brn_ipc_params {
    brn_block block;
    double dhat;             /* [m]; NaN: by body (ipc_bodies.h) */
    double kappa;            /* [Pa]; NaN: by body, adaptive */
    int barrier;             /* BRN_BARRIER_C2 or _LECTURE */
    bool convergent;         /* points seen by several sides of one surface count once */
    double friction_speed;   /* [m/s], eps_v: below it friction is viscous; NaN: by body */
    int friction_iterations; /* renewals of friction's normal forces in a step; 0: until they settle */
    double tolerance; /* Newton stops when no node moves faster than this times its body's size per second */
    int iterations, budget;
    int solver;
} brn_ipc_params;

/* Friction of a pair that was in contact at the last renewal. Its nodes have block rows. */
typedef struct brn_ipc_slide {
    int kind, pair[4]; /* of the contact it comes from */
    brn_lever lever;   /* the slip is sum_k weight_k (x_k - x_k^n), across normal */
    double normal[3];  /* unit, towards pair[0]'s side */
    double force;      /* [N] mu times normal force */
    double scale;      /* [m] eps_v h: less slip is sticking */
} brn_ipc_slide;

/* The block rows of pairs, padded by repeating the last: up to 4 rows, up to 8, and more, taken two by two. */
enum { BRN_IPC_PATTERNS = 3 };
typedef struct brn_ipc_pattern {
    int count, *row;
    size_t capacity;
} brn_ipc_pattern;

typedef struct brn_ipc {
    brn_ctx *ctx;
    const brn_model *model;
    brn_system *system;
    const brn_ipc_params *params;
    brn_newton *newton;
    brn_newton_terms terms;
    brn_skin *skin;
    brn_candidates *candidates;
    brn_intersect *intersect;
    brn_ipc_body *body;           /* [nbody] */
    double dhat_least, dhat_most; /* [m] of all bodies */
    double speed_most, size_most; /* [m/s], [m] of all bodies but obstacles */
    double t, h;                  /* [s] of this step */
    double *allowed;              /* [ndof] [m] a Newton step that is no longer is the last */
    double *far;                  /* [nnode][3] end of the step that is bounded */
    const double *from;           /* [nnode][3] x^n of this step; NULL: nothing has moved */
    /* Pairs closer than dhat at the last positions examined. Negative area: subtracts what others count twice. */
    brn_contact_pair *contact;
    int ncontact;
    size_t contact_capacity;
    double *looked_at; /* [npoint + 3 nplane][3] those positions, of the skin's points and planes */
    bool looked;
    double *local; /* scratch of the parallel terms */
    size_t local_capacity;
    brn_ipc_slide *slide;
    int nslide;
    size_t slide_capacity;
    brn_block_matrix *sum;                     /* pattern of elements and contacts */
    brn_ipc_pattern pattern[BRN_IPC_PATTERNS]; /* the contacts that sum was made for */
    brn_contact_point *point;                  /* of the last step */
    int npoint;
    size_t point_capacity;
} brn_ipc;

extern const brn_method brn_ipc_method;

/* Chooses lengths and stiffnesses of all bodies from the model; the skin's reach becomes dhat. */
brn_status brn_ipc_choose(brn_ipc *ipc);
/* The skin's reach after a body's dhat has changed. */
void brn_ipc_set_reach(brn_ipc *ipc);
/* As brn_method requires. */
brn_status brn_ipc_tell_choices(const void *self, bool brief, brn_text *to);
/* The stiffnesses for a step of length h: what the state remembers, or more if an impact needs it. *work: the energy [J] added
   by their change since the end of the last step. Finds the candidates of the motion that nodes would go on with. */
brn_status brn_ipc_choose_stiffness(brn_ipc *ipc, const brn_state *in, double h, double *work);
/* How far the last Newton step may go, from x with its contacts, into ipc->allowed: less than the tolerance times the body's
   size a second, and so little that forces of contact are accurate. */
void brn_ipc_allow_steps(brn_ipc *ipc, const double *x);
/* A body's stiffness doubles when its smallest gap is tiny and still shrinking. */
brn_status brn_ipc_remember_stiffness(brn_ipc *ipc, const brn_state *in, brn_state *out);
/* Stiffness of a pair [Pa] and its eps_v [m/s], by a node of each side. */
static inline double brn_ipc_kappa(const brn_ipc *ipc, int a, int b)
{
    return fmin(ipc->body[ipc->skin->node_body[a]].kappa, ipc->body[ipc->skin->node_body[b]].kappa);
}
static inline double brn_ipc_speed(const brn_ipc *ipc, int a, int b)
{
    return fmin(ipc->body[ipc->skin->node_body[a]].speed, ipc->body[ipc->skin->node_body[b]].speed);
}

/* Candidates of a motion from x0 to x1. */
brn_status brn_ipc_find_candidates(brn_ipc *ipc, const double *x0, const double *x1);
/* Pairs closer than their dhat (brn_contact_pair.reach) at x, among the candidates, into ipc->contact. */
brn_status brn_ipc_find_contacts(brn_ipc *ipc, const double *x);
/* Energy of a contact at x [J]; gradient [12] and Hessian [12][12] (not projected) over the contact's nodes where not
   NULL; a Hessian needs the gradient too. */
double brn_ipc_barrier_term(const brn_ipc *ipc, const brn_contact_pair *contact, const double *x,
                            double *grad, double *hess);
/* The barrier of a contact at squared distance d2, derivatives with respect to d2. */
brn_barrier brn_ipc_barrier_of(const brn_ipc *ipc, const brn_contact_pair *contact, double d2);
/* Where the mollifier of a pair of edges begins, from their rest shape [m^4]. */
double brn_ipc_mollifier_threshold(const brn_ipc *ipc, const brn_contact_pair *contact);
/* A positive semi-definite Hessian of a contact, not below the exact one (ipc_project.c). */
brn_status brn_ipc_barrier_projected(const brn_ipc *ipc, const brn_contact_pair *contact, const double *x,
                                     double *hess);
/* Normal force of a contact [N]; where it acts (weights of the contact's nodes, in order) and its unit normal, towards the
   side of the first node. */
double brn_ipc_normal_force(const brn_ipc *ipc, const brn_contact_pair *contact, const double *x,
                            double weight[4], double normal[3]);

/* In convergent mode: merges contacts that see the same place of a surface through several of its sides (inclusion and
   exclusion of shared edges and nodes). */
brn_status brn_ipc_merge_contacts(brn_ipc *ipc, const double *x);

/* Everything that touches or intersects at x. */
brn_status brn_ipc_find_meetings(brn_ipc *ipc, const double *x, brn_meetings *meetings);
/* How far to move one of the two bodies that meet first, and where: "lift 'crate' by 1.2 mm along z"; "" if nothing helps
   (ipc_advise.c). */
enum { BRN_IPC_ADVICE = 200 };
brn_status brn_ipc_advise(brn_ipc *ipc, const double *x, const brn_meetings *meetings,
                          char advice[BRN_IPC_ADVICE]);

/* BRN_ERR_CONVERGENCE: a step ended at x, where these touch to rounding; says which, and whether they could give way (ipc_stuck.c). */
brn_status brn_ipc_tell_stuck(const brn_ipc *ipc, const double *x, const brn_meetings *meetings);
/* Normal forces, normals and weights of friction from positions x. */
brn_status brn_ipc_renew_friction(brn_ipc *ipc, const double *x);
/* After a renewal: forces become `share` of the new plus 1 - share of the old ones (which are reordered); a pair that has
   parted keeps its old frame. */
brn_status brn_ipc_blend_friction(brn_ipc *ipc, brn_ipc_slide *old, int nold, double share);
/* Orders slides by the pair they come from, for qsort and bsearch. */
int brn_ipc_slide_order(const void *a, const void *b);
double brn_ipc_friction_energy(const brn_ipc *ipc, const double *x);
/* Friction force of a pair on the side of its first node [N]. */
void brn_ipc_friction_force(const brn_ipc *ipc, const brn_ipc_slide *slide, const double *x, double force[3]);
/* Adds the gradient of the friction potential, packed: minus the friction force. */
void brn_ipc_friction_gradient(const brn_ipc *ipc, const double *x, double *grad);
/* The Hessian of a pair's friction potential is weight_p weight_q core for its nodes p, q. */
void brn_ipc_friction_core(const brn_ipc *ipc, const brn_ipc_slide *slide, const double *x, double core[9]);
/* Slip of a pair since x^n [m]. */
void brn_ipc_slip(const brn_ipc *ipc, const brn_ipc_slide *slide, const double *x, double u[3]);

/* What Newton's method sees (ipc_terms.c). */
void brn_ipc_fill_terms(brn_ipc *ipc);
/* Largest fraction of a step that CCD and the elements' volumes allow (ipc_bound.c). */
brn_status brn_ipc_bound(void *self, const double *x, const double *step, double *fraction);
/* The contact points at the end of a step (ipc_points.c). */
brn_status brn_ipc_find_points(brn_ipc *ipc, const double *x);
/* After that: the largest gap that carries force over the largest elastic deflection, when contact pressed a body hardest so
   far, of the body where that is most; 0: on no body that deforms contact has pressed harder than weights and loads
   (ipc_thickness.c). `in`: the state before the step, NULL at the start; `out` remembers. */
brn_status brn_ipc_measure_thickness(brn_ipc *ipc, const brn_state *in, brn_state *out, double *thickness);

#endif
