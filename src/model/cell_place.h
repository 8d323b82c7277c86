/* Where a place is in a cell. */
#ifndef BRN_MODEL_CELL_PLACE_H
#define BRN_MODEL_CELL_PLACE_H

#include "phys/solid.h"

typedef struct brn_cell_place {
    double distance; /* [m] from the nearest place found in the cell; +inf: none found */
    double residual; /* [m] from where the weights put it: 0 to rounding, unless beside a sheet */
    double weight[BRN_ELEMENT_NODES_MAX]; /* values of the shape functions there; they sum to 1 */
} brn_cell_place;

/* x: [nnode] nodes of a cell of this kind, p: a place, in 2D with z = 0. Outside the cell the weights come from
   the same shape functions, extended: they follow every affine motion of the cell, rotations included. */
void brn_cell_place_find(const brn_element *element, const double (*x)[3], const double p[3],
                         brn_cell_place *out);

#endif
