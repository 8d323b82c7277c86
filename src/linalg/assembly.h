/* Deterministic parallel assembly of element gradients and Hessians. The elements are cut into slabs of constant size
   (a function of the stencil only); a slab's dense results go to a buffer that stays in cache, every destination of the
   slab (node or matrix block) adds its contributions there, and the slabs' sums are added in slab order. Same bits for
   any number of threads, no atomics, no colours. */
#ifndef BRN_LINALG_ASSEMBLY_H
#define BRN_LINALG_ASSEMBLY_H

#include "base/arena.h"
#include "linalg/block_matrix.h"

typedef struct brn_assembly brn_assembly;

/* Writes the results of elements [first, first+count) of list `list`; first is a multiple of 8. energy [count],
   grad [count][width*size], hess [count][width*(width+1)/2][size*size] (blocks a <= b, by a then b); any may be NULL.
   Called from several threads at once, with scratch the calling worker's. */
typedef brn_status (*brn_element_fn)(void *arg, int list, int first, int count, double *energy, double *grad,
                                     double *hess, brn_arena *scratch);

/* Learns where each element's results go. The matrix must contain the stencils' pattern; NULL: gradients only. The
   stencils are not kept, the matrix is not kept. A node may occur more than once in a stencil. */
brn_status brn_assembly_create(brn_ctx *ctx, int nnode, int size, const brn_stencils *lists, int nlists,
                               const brn_block_matrix *matrix, brn_assembly **out);
void brn_assembly_destroy(brn_assembly *assembly);
/* energy += sum (compensated, in element order; not finite if a term is not); grad [nnode][size] += ...,
   matrix->value += ... Each may be NULL, and what is NULL is not asked of fn. matrix has the pattern of create.
   If fn fails, its status is returned and the targets hold a part of the sum. Allocates nothing after the first call
   but what fn takes from its scratch. */
brn_status brn_assembly_add(brn_assembly *assembly, brn_element_fn fn, void *arg, double *energy,
                            double *grad, brn_block_matrix *matrix);
/* Bytes held by the assembly itself. */
size_t brn_assembly_bytes(const brn_assembly *assembly);

#endif
