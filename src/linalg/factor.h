/* Sparse Cholesky. The node graph is ordered by CHOLMOD (AMD, and METIS where it can pay; the one that predicts fewer
   operations is taken); the factorisation is multifrontal on blocks, on the ctx's threads, with the same bits for any number of
   them. The symbolic analysis is reused as long as the pattern lasts. BLAS is held at one thread during the call and
   given back as it was. */
#ifndef BRN_LINALG_FACTOR_H
#define BRN_LINALG_FACTOR_H

#include "linalg/block_matrix.h"

typedef struct brn_factor brn_factor;

/* Sparse columns of as many rows as the matrix has: column c has values at the nodes start[c] .. start[c + 1] of its list, no node twice. */
typedef struct brn_columns {
    int count;
    const int *start;    /* [count + 1] */
    const int *node;     /* [start[count]] */
    const double *value; /* [start[count]][size] */
} brn_columns;

typedef struct brn_factor_stats {
    double nonzeros; /* of the factor */
    double flops;    /* of one numeric factorisation */
    double bytes;    /* of the factor */
    /* Smallest pivot relative to its diagonal entry of A, over the free dofs, of the last numeric factorisation (0 if
       there is none): rounding-sized (below about 1e-13) means singular to working precision, e.g. a body nobody holds. */
    double pivot_min;
    int pivot_dof;        /* where that is, or where A is not positive definite; -1 if there is no free dof */
    const char *ordering; /* "amd" | "metis" | "nested dissection" */
    int fronts;           /* dense matrices that it is made of */
    int late;             /* of these, those that brn_factor_renew works on; 0: all */
} brn_factor_stats;

/* Symbolic analysis of the pattern. Nodes all of whose dofs are marked in held ([n*size], may be NULL) are taken out of
   it: every numeric call must hold them too. */
brn_status brn_factor_create(brn_ctx *ctx, const brn_block_matrix *a, const unsigned char *held,
                             brn_factor **out);
void brn_factor_destroy(brn_factor *factor);
/* Analysis of another pattern of the same size, with the nodes held at create. The elimination order of create's pattern is
   kept, unless it would cost more than 1.5 times what it costs there; the order is then found anew, in a quick way. The
   outcome depends on the two patterns alone, not on updates in between, so that a resumed run has the same bits.
   Couplings with held nodes are no part of a pattern, and a pattern that is analysed already costs a comparison. After a
   failure there is no analysis: update again before the next numeric call. */
brn_status brn_factor_update(brn_factor *factor, const brn_block_matrix *a);
/* What is said of a node: nothing; blocks between such nodes will differ from matrix to matrix. */
enum { BRN_NODE_PLAIN, BRN_NODE_CHANGES };
/* The same with nodes marked in changing ([n], may be NULL: none is): they come last in the order if that costs little more. */
brn_status brn_factor_update_changing(brn_factor *factor, const brn_block_matrix *a,
                                      const unsigned char *changing);
/* Numeric factorisation of A with the scalar dofs marked in fixed ([n*size], may be NULL) replaced by identity rows and
   columns; A has the analysed pattern or a part of it (BRN_ERR_RANGE otherwise). BRN_ERR_SINGULAR if A is not positive definite, BRN_ERR_NOT_FINITE if an entry
   is not (the message names the place); there is no factor to solve with then. */
brn_status brn_factor_numeric(brn_factor *factor, const brn_block_matrix *a, const unsigned char *fixed);
/* The same where only blocks between changing nodes differ from the matrix of the last numeric call, and fixed is as it was there: what is
   not above them in the tree is kept. Same bits as brn_factor_numeric. */
brn_status brn_factor_renew(brn_factor *factor, const brn_block_matrix *a);
/* Solves A x = b; b and x ([n*size]) may be the same array. Fixed dofs: x = b. */
brn_status brn_factor_solve(brn_factor *factor, const double *b, double *x);
/* nrhs right-hand sides, column by column. */
brn_status brn_factor_solve_many(brn_factor *factor, int nrhs, const double *b, double *x);
/* w [count][count] = B' A^-1 B, exactly symmetric. Costs what the columns need on their way to the root of the elimination tree, and much less
   than solves for them. Fixed dofs: B is 0 there. */
brn_status brn_factor_compliance(brn_factor *factor, const brn_columns *b, double *w);
/* With the factor rounded to single precision, at less than half of the cost: x is B^-1 b of a symmetric positive definite B
   near A, for preconditioning. Not finite where the factor exceeds single precision. */
brn_status brn_factor_solve_rounded(brn_factor *factor, const double *b, double *x);
void brn_factor_get_stats(const brn_factor *factor, brn_factor_stats *out);

#endif
