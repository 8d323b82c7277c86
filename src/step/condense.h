/* Matrices as the masters of tied nodes see them. With x = T q the matrix of the equations is T' A T: every block of A in a row or
   column of a tied node with elements of its own is distributed, w_p w_q A_rc to the masters p of r and q of c, then zeroed. */
#ifndef BRN_STEP_CONDENSE_H
#define BRN_STEP_CONDENSE_H

#include "model/model.h"

typedef struct brn_condense brn_condense;

/* *joined: the pattern of `base`, whose rows are the model's, plus what condensing adds; its values are those of base. */
brn_status brn_condense_create(const brn_model *model, const brn_block_matrix *base,
                               brn_block_matrix **joined, brn_condense **out);
void brn_condense_destroy(brn_condense *condense);
/* a has the pattern of `joined` and blocks of any size. Idempotent. */
void brn_condense_apply(const brn_condense *condense, brn_block_matrix *a);

#endif
