/* Region selectors: from a scene's `where` to nodes and boundary faces of a body, all at rest. */
#ifndef BRN_MODEL_REGION_H
#define BRN_MODEL_REGION_H

#include "model/model.h"

/* Nodes (model numbers, ascending) that `where` selects in `count` bodies from `first` on, with the mesh of each (for its groups):
   in each separately, except that the nearest node is the nearest of all. Errors become problems of the scene at path; *nnode
   is then 0. Free *node with brn_free. */
brn_status brn_region_nodes(brn_scene *scene, const brn_model *model, int first, int count,
                            const brn_mesh *const *mesh, const brn_where_def *where, int **node, int *nnode);

/* Boundary faces of one kind, of `count` bodies, with all nodes in the (ascending) list. Free *face with brn_free. */
brn_status brn_region_faces(const brn_model *model, int first, int count, brn_cell kind, const int *node,
                            int nnode, int **face, int *nface);

#endif
