/* Values at nodes from values at the sample points of cells: superconvergent patch recovery [Zienkiewicz & Zhu 1992].

   A patch is the cells of one material around a corner node. A polynomial of the cells' own degree is fitted to its samples
   (patch_fit.h), which are the points of the cells where stress is best. The value of a node is that of the patches around the corners of its
   cells: of those with the most terms, so that a node of the surface gets that of patches inside, weighted by 1/leverage^2. A
   polynomial of degree 2 is then fitted anew with weights that favour the samples near the node.
   Where a value would be far from the samples (leverage above a bound), the polynomial is cut to a lower degree.
   All of that depends on the mesh at rest alone: a value of a node is a fixed sum of samples. A node between two materials has a value for
   each, and the one with the larger von Mises measure counts; nothing is averaged across. A node without cells has 0. */
#ifndef BRN_OUTPUT_TRAJECTORY_RECOVERY_H
#define BRN_OUTPUT_TRAJECTORY_RECOVERY_H

#include "output/trajectory/trajectory.h"

/* Zeroed but for ctx. */
typedef struct brn_recovery {
    brn_ctx *ctx;
    size_t sample_first[BRN_CELL_COUNT]; /* number of a kind's first sample; all cells are counted */
    size_t nsample;
    bool *used; /* [total cells] whose samples are used */
    int nvalue;
    int *row_first; /* [nvalue + 1] rows of each node: one a material */
    int nrow;
    size_t *entry_end; /* [nrow] the entries of a row end there; those of the first start at 0 */
    size_t nentry;
    int *sample;    /* [nentry] */
    double *weight; /* [nentry] a row's value is the sum of weight times sample */
    size_t row_capacity, sample_capacity, weight_capacity;
} brn_recovery;

/* Values of node[nvalue]; NULL: of all nodes, and nvalue is not used. After a failure it can (and must) still be cleared. */
brn_status brn_recovery_make(brn_recovery *recovery, const brn_playback_info *info, const int *node,
                             int nvalue);
void brn_recovery_clear(brn_recovery *recovery);
/* sample [nsample][6], those of unused cells are not read; out [nvalue][6]. */
brn_status brn_recovery_apply(const brn_recovery *recovery, const double *sample, double *out);

/* Samples of a cell of that kind, 0 where it is no element. */
int brn_recovery_samples(int kind);

#endif
