/* What a solve of the convex problem works with. Private to the solver. */
#ifndef BRN_STEP_SAP_SAP_INNER_H
#define BRN_STEP_SAP_SAP_INNER_H

#include "base/lanes.h"
#include "step/sap/sap_problem.h"

enum { BRN_SAP_WIDTH_MAX = 48, BRN_SAP_KRYLOV_MAX = 15 };

/* Room of a row of a block in whole registers. */
enum { BRN_SAP_ROW = BRN_LANES < 4 ? 4 : BRN_LANES };

/* Two blocks of a constraint, counted from its first: J_left' G J_right is a term of a block of the matrix. */
typedef struct brn_sap_term {
    int constraint;
    short left, right;
} brn_sap_term;

/* A block of the Jacobian, and whose it is. */
typedef struct brn_sap_part {
    int constraint, block;
} brn_sap_part;

struct brn_sap_solver {
    brn_ctx *ctx;
    brn_block_matrix *joined; /* pattern of A and the constraints */
    brn_factor *factor;
    int factor_rows, factor_size;
    unsigned char *changing; /* [factor_rows] rows of the listed constraints */
    int *stencil, *place; /* rows of the constraints by width; blocks of the joined matrix that they add to */
    size_t stencil_capacity, place_capacity;
    /* Blocks of the joined matrix that constraints add to, and the terms of each, by constraint. */
    int ntarget, *target, *target_first; /* [ntarget], [ntarget + 1] */
    brn_sap_term *term;
    size_t target_capacity, first_capacity, term_capacity;
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
    bool prepared;         /* matrix, terms and factor fit the listed constraints, and A's part is factored */
    bool many;             /* iterations to come: its order has rows of constraints last */
    unsigned char *listed; /* [nconstraint] has terms in the matrix: those that act, or have acted */
    brn_block_matrix *matrix; /* of the current iteration */
    int n, first;   /* dofs, and the first one that is free: handles of rigid bodies come before all others */
    double *weight; /* [n] diagonal of A; 0 where fixed */
    double *v;
    double *smooth;          /* gradient of the smooth part */
    double *momentum;        /* A v */
    double *push, *gradient; /* J' gamma; smooth - push, 0 where fixed */
    double left;             /* |D gradient| */
    double *step, *curve;    /* A step */
    double *vc, *dvc;        /* [3 nconstraint] J v, J step */
    int *row_first;          /* [nrow + 1] blocks of J in each row: part[row_first[row]] ... */
    brn_sap_part *part;
    double *impulse, *g;                /* [3 nconstraint], [9 nconstraint] */
    double (*weighed)[3 * BRN_SAP_ROW]; /* [nblock] G J, its rows filled up with 0 */
    bool *active;                       /* [nconstraint] G is not 0 */
    double (*slope)[2];                 /* of parts of the cost along a line */
    double *kept;                       /* [4 n] v, smooth, momentum and a step to come back to */
    double *basis;                      /* [BRN_SAP_KRYLOV_MAX + 1][n]; NULL until needed */
} brn_sap_work;

/* ---- sap_pattern.c ---- */

/* The matrix of A and the listed constraints, where each adds to it, and its symbolic analysis. */
brn_status brn_sap_prepare(brn_sap_work *w);

/* ---- sap_jacobian.c ---- */

/* vc = J v of constraints [first, end); push = J' impulse. */
void brn_sap_apply(const brn_sap_problem *p, int first, int end, const double *v, double *vc);
void brn_sap_apply_all(const brn_sap_work *w, const double *v, double *vc);
void brn_sap_apply_back(const brn_sap_work *w, const double *impulse, double *push);
/* The blocks of J by their rows, in the order of the constraints: sums over them are the same whoever adds them up. */
brn_status brn_sap_list_rows(brn_arena *arena, brn_sap_work *w);

/* ---- sap_terms.c ---- */

/* Lists the terms of the matrix, places of the constraints' pairs known; lists: their stencils by width. */
brn_status brn_sap_list_terms(brn_sap_work *w, const brn_stencils *lists);
/* matrix += J' G J */
void brn_sap_add_constraints(brn_sap_work *w);

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

/* Whether friction of any contact is at its bound. */
bool brn_sap_slides(const brn_sap_work *w);
/* Solves with Coulomb's law. */
brn_status brn_sap_solve_coulomb(brn_sap_work *w);
/* With the bounds that the constraints have until the optimality is reached. */
brn_status brn_sap_solve_convex(brn_sap_work *w, brn_sap_bounds bounds, double tolerance);

#endif
