/* Inside geom/: which nodes of a mesh coincide, groups after a renumbering, node numbers of cells. */
#ifndef BRN_GEOM_NODE_MERGE_H
#define BRN_GEOM_NODE_MERGE_H

#include "geom/mesh.h"

/* For every node with same[i] >= 0 writes the lowest kept node within tolerance [m], itself if it is kept. Nodes with
   same[i] < 0 are left out. Non-finite positions coincide with nothing. */
brn_status brn_node_merge(const brn_mesh *mesh, double tolerance, int *same);

/* BRN_ERR_MESH that names the cell if a cell refers to a node that does not exist. */
brn_status brn_mesh_check_indices(const brn_mesh *mesh);

/* Nodes i of groups become number[i]; those with number < 0 are removed. */
void brn_mesh_renumber_groups(brn_mesh *mesh, const int *number);

#endif
