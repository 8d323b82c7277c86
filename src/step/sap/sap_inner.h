/* What a solve of the convex problem works with. Private to the solver. */
#ifndef BRN_STEP_SAP_SAP_INNER_H
#define BRN_STEP_SAP_SAP_INNER_H

#include "step/sap/sap_problem.h"

enum { BRN_SAP_WIDTH_MAX = 48, BRN_SAP_KRYLOV_MAX = 15 };

struct brn_sap_solver {
    brn_ctx *ctx;
    brn_block_matrix *joined; /* pattern of A and the constraints */
    brn_factor *factor;
    int factor_rows, factor_size;
    unsigned char *changing; /* [factor_rows] rows of the listed constraints */
    int *stencil, *place; /* rows of the constraints by width; blocks of the joined matrix that they add to */
    size_t stencil_capacity, place_capacity;
    /* All that decides the pattern, of the one that is prepared [nsketch] and of the problem at hand. */
    int *sketch, *fresh;
    size_t nsketch, sketch_capacity, fresh_capacity;
};

/* How bounds of friction are chosen. */
typedef enum brn_sap_bounds {
    BRN_SAP_BOUNDS_CONE,    /* none: the convex law */
    BRN_SAP_BOUNDS_GIVEN,   /* those of the constraints */
    BRN_SAP_BOUNDS_RENEWED, /* mu times the normal impulse at v: Coulomb's law, which has no potential */
} brn_sap_bounds;

typedef struct brn_sap_work {
    brn_sap_solver *solver;
    const brn_sap_problem *p;
    const brn_sap_goal *goal;
    brn_stopwatch *watch;
    brn_sap_result *result;
    bool prepared;         /* matrix, place and factor fit the listed constraints, and A's part is factored */
    bool many;             /* iterations to come: its order has rows of constraints last */
    unsigned char *listed; /* [nconstraint] has a place in the matrix: those that act, or have acted */
    brn_block_matrix *matrix; /* of the current iteration */
    const int **place;        /* [nconstraint] places of a listed constraint's pairs in the matrix */
    int n, first;   /* dofs, and the first one that is free: handles of rigid bodies come before all others */
    double *weight; /* [n] diagonal of A; 0 where fixed */
    double *v;
    double *smooth;          /* gradient of the smooth part */
    double *momentum;        /* A v */
    double *push, *gradient; /* J' gamma; smooth - push, 0 where fixed */
    double left;             /* |D gradient| */
    double *step, *curve;    /* A step */
    double *vc, *dvc;        /* [3 nconstraint] J v, J step */
    double *impulse, *g;     /* [3 nconstraint], [9 nconstraint] */
    double (*slope)[2];      /* of parts of the cost along a line */
    double *kept;            /* [4 n] v, smooth, momentum and a step to come back to */
    double *basis;           /* [BRN_SAP_KRYLOV_MAX + 1][n]; NULL until needed */
} brn_sap_work;

/* ---- sap_pattern.c ---- */

/* The matrix of A and the listed constraints, where each adds to it, and its symbolic analysis. */
brn_status brn_sap_prepare(brn_sap_work *w);

/* ---- sap_jacobian.c ---- */

/* vc = J v of constraints [first, end); push = J' impulse. */
void brn_sap_apply(const brn_sap_problem *p, int first, int end, const double *v, double *vc);
void brn_sap_apply_back(const brn_sap_problem *p, const double *impulse, double *push);
/* matrix += J' G J */
void brn_sap_add_constraints(const brn_sap_work *w);

/* ---- sap_solve.c ---- */

/* Impulses, G, gradient and optimality at v. */
brn_status brn_sap_look(brn_sap_work *w, brn_sap_bounds bounds);
/* w->step = -(A + J' G J)^-1 gradient */
brn_status brn_sap_direct(brn_sap_work *w);
/* v += alpha step. */
void brn_sap_move(brn_sap_work *w, double alpha);
/* Along a step of descent to where the cost with the given bounds is least. */
brn_status brn_sap_descend(brn_sap_work *w);

/* ---- sap_coulomb.c ---- */

/* Solves with Coulomb's law. */
brn_status brn_sap_solve_coulomb(brn_sap_work *w);
/* With the bounds that the constraints have until the optimality is reached. */
brn_status brn_sap_solve_convex(brn_sap_work *w, brn_sap_bounds bounds, double tolerance);

#endif
