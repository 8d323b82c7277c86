/* Green-Lagrange strain E = (F^T F - 1)/2, from rest and current positions alone: nothing need be recorded. Components xx, yy, zz,
   yz, xz, xy (tensor, not engineering, shear), at the sample points of cells, from where a recovery carries it to the nodes. In 2D
   zz, yz and xz are 0 (plane strain); for a sheet in space those along its normal at rest are.
   Equivalent strain: sqrt(2/3 e:e), e the deviator: the axial strain of a bar that keeps its volume; rigid motions have none. */
#ifndef BRN_OUTPUT_DRAWING_STRAIN_H
#define BRN_OUTPUT_DRAWING_STRAIN_H

#include "output/trajectory/recovery.h"

/* Factor on brn_von_mises of a strain: sqrt(3/2 e:e) -> sqrt(2/3 e:e). */
#define BRN_STRAIN_SCALE (2.0 / 3.0)

/* The cells that a recovery uses, in batches of one kind, so that the compiler vectorises over cells. Zeroed but for ctx. */
typedef struct brn_strain {
    brn_ctx *ctx;
    const brn_playback_info *info;
    const brn_recovery *recovery;
    double *reference[BRN_CELL_COUNT]; /* [nquad][nnode][3] shape gradients */
    int ncell;
    int *cell; /* [ncell] numbers within their kind, by kind */
    int nbatch;
    struct brn_strain_batch *batch;
    double *rest; /* of each batch [nquad][10][lanes]: inverse Jacobian; 1, or 0 if the cell is degenerate */
} brn_strain;

/* info and recovery outlive it. A cell that is degenerate at rest has no strain. After a failure it must still be cleared. */
brn_status brn_strain_make(brn_strain *strain, const brn_playback_info *info, const brn_recovery *recovery);
void brn_strain_clear(brn_strain *strain);
/* out [recovery->nsample][6] from pos [nnode][3]; samples of cells that are not used are left unchanged. */
brn_status brn_strain_samples(const brn_strain *strain, const double *pos, double *out);

#endif
