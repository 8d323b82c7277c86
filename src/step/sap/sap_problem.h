/* The convex problem of a step [Castro, Permenter, Han 2022; Han, Masterjohn, Castro 2023, eq. 13 regularised]: velocities v minimise

       smooth(v) + sum_i l_i(v_i),    v_i = J_i v,

   smooth quadratic with the Hessian A, symmetric positive definite; each constraint's l_i convex, with impulse
   gamma_i = -dl_i/dv_i and G_i = d^2 l_i/dv_i^2 >= 0. Velocities come in block rows of 2 or 3: nodes, rigid bodies, joints. The
   solver knows nothing of what they stand for. */
#ifndef BRN_STEP_SAP_SAP_PROBLEM_H
#define BRN_STEP_SAP_SAP_PROBLEM_H

#include "linalg/factor.h"
#include "step/stopwatch.h"

typedef enum brn_sap_kind {
    BRN_SAP_CONTACT,  /* rows 0 .. rows - 2 along the surface, the last along the normal */
    BRN_SAP_EQUALITY, /* any impulse */
    BRN_SAP_LIMIT,    /* impulse >= 0, one row */
    BRN_SAP_DRIVE,    /* |impulse| <= most, one row */
    BRN_SAP_PULL,     /* |impulse| <= most, all rows together */
} brn_sap_kind;

typedef struct brn_sap_constraint {
    brn_sap_kind kind;
    int rows;         /* 1 .. 3 */
    int first, count; /* its Jacobian: blocks of the problem */
    double target[3]; /* [m/s] vhat - b: velocity at which its impulse vanishes */
    double r;         /* [1/kg] regularisation; of a contact: along the normal */
    double r_slip;    /* [1/kg] of a contact along the surface */
    double mu;        /* of a contact */
    /* Of a drive and a pull the largest impulse; of a contact the bound of friction that is taken as given (law `lagged`), below 0: the cone's. [N s] */
    double most;
    double softening; /* [N s] of a contact: impulses along the surface below it have no direction */
} brn_sap_constraint;

/* A block [rows][size] of a constraint's Jacobian. */
typedef struct brn_sap_block {
    int row;
    double j[9];
} brn_sap_block;

typedef struct brn_sap_problem {
    int nrow, size;
    const brn_block_matrix *a;
    const unsigned char *fixed; /* [nrow*size] dofs that keep their start; NULL: none */
    const double *start;        /* [nrow*size] where it starts */
    const double *gradient;     /* [nrow*size] of the smooth part there */
    int nconstraint;
    brn_sap_constraint *constraint;
    int nblock;
    brn_sap_block *block;
} brn_sap_problem;

typedef struct brn_sap_result {
    int iterations;    /* of Newton's method: directions */
    int renewals;      /* convex problems whose solutions gave new bounds of friction */
    double optimality; /* |D gradient| / max(|D A v|, |D J' gamma|), D = diag(A)^-1/2 */
} brn_sap_result;

/* Keeps memory and symbolic analysis from problem to problem. */
typedef struct brn_sap_solver brn_sap_solver;

typedef struct brn_sap_goal {
    double tolerance; /* of the optimality */
    int iterations;   /* at most, of a convex problem; BRN_ERR_CONVERGENCE beyond */
    /* Contacts have Coulomb's law: bounds of friction, mu times the normal impulse, are found with the solution and left in the constraints. */
    bool coulomb;
} brn_sap_goal;

brn_status brn_sap_solver_create(brn_ctx *ctx, brn_sap_solver **out);
void brn_sap_solver_destroy(brn_sap_solver *solver);
/* v [nrow*size] and the impulses [3 nconstraint]. watch: where its time goes. Deterministic: depends on the problem alone, not
   on those before it. */
brn_status brn_sap_solve(brn_sap_solver *solver, const brn_sap_problem *problem, const brn_sap_goal *goal,
                         brn_stopwatch *watch, double *v, double *impulse, brn_sap_result *result);

/* Its measure of what is left, |D unbalanced| / max(|D momentum|, |D push|) over the free dofs, all [nrow*size]: momentum = A v, push = J' gamma. */
double brn_sap_optimality(const brn_block_matrix *a, const unsigned char *fixed, const double *unbalanced,
                          const double *momentum, const double *push);

/* The impulse of a constraint at velocity v [rows], and G [rows][rows] if not NULL (sap_law.c). Returns its cost l. */
double brn_sap_impulse(const brn_sap_constraint *c, const double *v, double *impulse, double *g);
/* Derivative of its cost along d at v, -gamma . d; *second += d' G d. */
double brn_sap_slope(const brn_sap_constraint *c, const double *v, const double *d, double *second);

#endif
