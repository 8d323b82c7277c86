/* Multifrontal Cholesky factorisation and solution on a tree of fronts. Private to the factorisation. */
#ifndef BRN_LINALG_FRONT_H
#define BRN_LINALG_FRONT_H

#include "linalg/factor.h"
#include "linalg/front_pack.h"
#include "linalg/front_tree.h"

/* What is factored: A, symmetric, without the nodes that the tree lacks; dofs with a bit in held are replaced by identity
   rows and columns. */
typedef struct brn_front_input {
    const brn_block_matrix *a;
    const unsigned char *held; /* [n] by places; bit c: component c */
    /* late fronts alone: value and room are those of the call before, for an A that differs there only */
    bool again;
} brn_front_input;

/* The panel of front f starts at value[tree->panel[f]]: its own columns of L by columns, each as long as the front has
   rows, those of the own columns first (the part above the diagonal is not used). diagonal [n*size] in elimination order
   receives the diagonal of A. room [tree->room]: scratch. BRN_ERR_SINGULAR: *bad is the first column (in elimination order) whose pivot is not
   positive; BRN_ERR_RANGE: A has a block that the tree was not made for; BRN_ERR_MEMORY. No message is set. The bits do
   not depend on the number of threads. */
brn_status brn_front_factor(const brn_front_tree *tree, const brn_front_input *input, double *value,
                            double *diagonal, double *room, int *bad);

/* Substitution with what brn_front_factor left in value or, where pack is not NULL, with its rounded copy (one right-hand side
   only). b and x [nrhs][nodes*size] by nodes, may be the same array; x = b of nodes that the tree lacks; work: brn_front_solve_work doubles for each right-hand side. The
   bits do not depend on the number of threads. */
brn_status brn_front_solve(const brn_front_tree *tree, const double *value, const brn_front_pack *pack,
                           int nrhs, const double *b, double *x, double *work);

/* out [count][count] = B' A^-1 B. *room, of *capacity doubles: grows as needed. */
brn_status brn_front_compliance(const brn_front_tree *tree, const double *value, const brn_columns *b,
                                double **room, size_t *capacity, double *out);

/* The solution in elimination order, and what the fronts hand to their parents: a number for each of their rows below. */
static inline size_t brn_front_solve_work(const brn_front_tree *t)
{
    return ((size_t)t->n + t->row_start[t->nfront]) * (size_t)t->size;
}

#endif
