/* Green-Lagrange strain E = (F^T F - 1)/2 of cells, from rest and current positions alone: nothing need be recorded.
   For a cell: averaged over its rest volume by the quadrature of its element, components xx, yy, zz, yz, xz, xy (tensor, not
   engineering, shear). In 2D zz, yz and xz are 0 (plane strain); for a sheet in space those along its normal are.
   Equivalent strain: sqrt(2/3 e:e), e the deviator of the
   averaged tensor: the axial strain of a bar that keeps its volume; rigid motions have none. */
#ifndef BRN_OUTPUT_DRAWING_STRAIN_H
#define BRN_OUTPUT_DRAWING_STRAIN_H

#include "output/drawing/averages.h"

/* Factor on brn_von_mises of a strain: sqrt(3/2 e:e) -> sqrt(2/3 e:e). */
#define BRN_STRAIN_SCALE (2.0 / 3.0)

/* The cells that touch a surface, in batches of one kind, so that the compiler vectorises over cells. Zeroed but for ctx. */
typedef struct brn_strain {
    brn_ctx *ctx;
    const brn_averages *averages;
    double *reference[BRN_CELL_COUNT]; /* [nquad][nnode][3] shape gradients */
    int nbatch;
    struct brn_strain_batch *batch;
    double *rest; /* of each batch [nquad][10][lanes]: inverse Jacobian, share of the cell's volume */
} brn_strain;

/* averages outlives it. A cell that is degenerate at rest has no strain. After a failure it must still be cleared. */
brn_status brn_strain_make(brn_strain *strain, const brn_averages *averages);
void brn_strain_clear(brn_strain *strain);
/* out [averages->ncell][6] from pos [nnode][3] */
brn_status brn_strain_cells(const brn_strain *strain, const double *pos, double *out);

#endif
