/* Deterministic parallel assembly of element gradients and Hessians. The element work is cut into slabs of constant
   size; a slab's dense results go to a buffer that stays in cache, then every destination (node or matrix block) adds
   its contributions in element order. Same bits for any number of threads, no atomics, no colours. */
#ifndef BRN_LINALG_ASSEMBLY_H
#define BRN_LINALG_ASSEMBLY_H

#include "base/arena.h"
#include "linalg/block_matrix.h"

typedef struct brn_assembly brn_assembly;

/* Writes the results of elements [first, first+count) of list `list`; first is a multiple of 8. energy [count],
   grad [count][width*size], hess [count][width*(width+1)/2][size*size] (blocks a <= b, by a then b); any may be NULL. */
typedef brn_status (*brn_element_fn)(void *arg, int list, int first, int count, double *energy, double *grad,
                                     double *hess, brn_arena *scratch);

/* Learns where each element's results go. The matrix must contain the stencils' pattern; NULL: gradients only. */
brn_status brn_assembly_create(brn_ctx *ctx, int nnode, int size, const brn_stencils *lists, int nlists,
                               const brn_block_matrix *matrix, brn_assembly **out);
void brn_assembly_destroy(brn_assembly *assembly);
/* energy += sum (compensated, in element order); grad [nnode][size] += ..., matrix->value += ... Each may be NULL. */
brn_status brn_assembly_add(brn_assembly *assembly, brn_element_fn fn, void *arg, double *energy,
                            double *grad, brn_block_matrix *matrix);

#endif
