/* Method `ipc`: incremental potential contact [Li et al. 2020]. Every step minimises the incremental potential of
   step/scheme.h plus barriers of all gaps below dhat and the lagged friction potential, by Newton's method whose steps
   are bounded by conservative CCD: no accepted state has an intersection. */
#ifndef BRN_STEP_IPC_IPC_H
#define BRN_STEP_IPC_IPC_H

#include "contact/candidates.h"
#include "geom/distance.h"
#include "geom/intersect.h"
#include "step/newton.h"

typedef struct brn_ipc_params {
    brn_block block;
    double dhat;             /* [m]; NaN: 1e-3 of the model's size */
    double kappa;            /* [Pa]; NaN: a tenth of the stiffest body's Young's modulus */
    double friction_speed;   /* [m/s], eps_v: below it friction is viscous; NaN: 1e-3 model sizes a second */
    int friction_iterations; /* how often the friction's normal forces are renewed in a step */
    double tolerance; /* Newton stops when no node moves faster than this times the model's size a second */
    int iterations;
    int solver;
} brn_ipc_params;

/* A pair that is closer than dhat (barrier), or was at the last renewal (friction). */
typedef struct brn_ipc_contact {
    int candidate;
    brn_stencil stencil;
    double d2;
} brn_ipc_contact;

typedef struct brn_ipc_slide {
    int count, node[4];
    double weight[4]; /* the slip is sum_k weight_k (x_k - x_k^n), less its part along normal */
    double normal[3];
    double force; /* [N] mu times normal force */
} brn_ipc_slide;

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
    double dhat, kappa, speed;
    double *far;              /* [nnode][3] end of the step that is bounded */
    const double *from;       /* [nnode][3] x^n of this step */
    double slip_scale;        /* [m] eps_v h */
    brn_ipc_contact *contact; /* at the last positions looked at */
    int ncontact;
    size_t contact_capacity;
    brn_ipc_slide *slide;
    int nslide;
    size_t slide_capacity;
    brn_block_matrix *sum; /* elastic pattern and that of the contacts */
    int *pattern;          /* nodes of the contacts that sum was made for, 4 each, -1 where fewer */
    int npattern;
    size_t pattern_capacity;
} brn_ipc;

extern const brn_method brn_ipc_method;

/* The terms that Newton's method sees (ipc_terms.c). */
void brn_ipc_fill_terms(brn_ipc *ipc);
/* Pairs closer than dhat at x, among the candidates, into ipc->contact. */
brn_status brn_ipc_find_contacts(brn_ipc *ipc, const double *x);
/* Energy of a contact at x [J]; gradient [12] and Hessian [12][12] (not projected) over the candidate's nodes where not
   NULL; a Hessian wants the gradient too. */
double brn_ipc_barrier_term(const brn_ipc *ipc, const brn_ipc_contact *contact, const double *x, double *grad,
                            double *hess);
/* The Hessian with its negative eigenvalues replaced by 0. */
brn_status brn_ipc_barrier_projected(const brn_ipc *ipc, const brn_ipc_contact *contact, const double *x,
                                     double *hess);
/* Hessian [12][12] of a pair's friction potential over its nodes. */
void brn_ipc_friction_hessian(const brn_ipc *ipc, const brn_ipc_slide *slide, const double *x, double *hess);
/* Normal forces, normals and weights of friction from positions x. */
brn_status brn_ipc_renew_friction(brn_ipc *ipc, const double *x);
double brn_ipc_friction_energy(const brn_ipc *ipc, const double *x);
/* Adds the gradient of the friction potential, packed: minus the friction force. */
void brn_ipc_friction_gradient(const brn_ipc *ipc, const double *x, double *grad);
/* Where the mollifier of a pair of edges begins, from their rest shape [m^4]. */
double brn_ipc_mollifier_threshold(const brn_ipc *ipc, const brn_candidate *candidate);

#endif
