/* The kinds of mesh cells, their corners, edges and faces. Node order is VTK's (hex20 mid-edge nodes in VTK's order),
   positive volume = corners of a face seen from outside run counter-clockwise. */
#ifndef BRN_GEOM_CELL_H
#define BRN_GEOM_CELL_H

typedef enum brn_cell {
    BRN_EDGE2, /* faces of 2D cells */
    BRN_EDGE3,
    BRN_TRI3, /* 2D elements, surfaces, faces of tet4 */
    BRN_TRI6,
    BRN_QUAD4, /* faces of hex8 */
    BRN_QUAD8, /* faces of hex20 */
    BRN_TET4,
    BRN_TET10,
    BRN_HEX8,
    BRN_HEX20,
    BRN_CELL_COUNT
} brn_cell;

typedef struct brn_cell_info {
    const char *name; /* "tet10" */
    int dim;          /* topological */
    int nnode, ncorner;
    int nface;
    brn_cell face;   /* kind of every face; BRN_CELL_COUNT for edges, which have none */
    int faces[6][8]; /* local node numbers of each face, oriented outwards: corners, then mid-edge nodes */
    int nedge;
    int edges[12][2]; /* corner pairs; the mid-edge node of edges[e] is number ncorner + e */
    int vtk;          /* VTK cell type number */
} brn_cell_info;

const brn_cell_info *brn_cell_get(brn_cell cell);
int brn_cell_find(const char *name); /* -1 if there is none */

/* Reference coordinates of a cell's nodes: triangles and tets on the unit simplex, the others on [-1, 1]^dim. */
void brn_cell_nodes(brn_cell cell, double out[20][3]);
/* Derivatives of the shape functions [1] in reference coordinates at xi, [nnode][dim]; unused entries are 0. */
void brn_cell_gradients(brn_cell cell, const double xi[3], double out[20][3]);

#endif
