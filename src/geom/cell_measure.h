/* Inside geom/: volume, smallest Jacobian and shape quality of one cell. */
#ifndef BRN_GEOM_CELL_MEASURE_H
#define BRN_GEOM_CELL_MEASURE_H

#include "geom/mesh.h"

enum { BRN_CELL_POINTS = 27 + 20 };

/* Where a kind of cell is measured: first the quadrature points of its volume, then its nodes. */
typedef struct brn_cell_rule {
    brn_cell kind;
    int nvolume, npoint;
    double weight[BRN_CELL_POINTS];
    double grad[BRN_CELL_POINTS][20][3];
} brn_cell_rule;

typedef struct brn_cell_measure {
    double volume; /* [m^dim], signed */
    /* smallest determinant over all points, as the volume of a straight cell of that determinant */
    double jacobian;
    int point;                 /* where: index into the rule */
    double quality;            /* see brn_mesh_quality */
    double edge_min, edge_max; /* [m], between corners */
} brn_cell_measure;

void brn_cell_rule_make(brn_cell kind, brn_cell_rule *out);
/* plane: 2D cells of the xy plane, negative if clockwise; otherwise their sign is relative to their mean normal. */
void brn_cell_measure_of(const brn_cell_rule *rule, const double (*pos)[3], const int *node, bool plane,
                         brn_cell_measure *out);
/* True for a mesh of 2D cells with z = 0 everywhere: a plane body. */
bool brn_mesh_is_plane(const brn_mesh *mesh);

#endif
