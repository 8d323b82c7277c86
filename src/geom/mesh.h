/* A mesh: nodes, cells by kind, named groups of nodes. What generators and readers make and the model compiles. */
#ifndef BRN_GEOM_MESH_H
#define BRN_GEOM_MESH_H

#include "base/ctx.h"
#include "geom/cell.h"

typedef struct brn_group {
    char *name; /* a Gmsh physical group, an Abaqus NSET, ... */
    int nnode;
    int *node; /* [nnode], ascending, no duplicates */
} brn_group;

typedef struct brn_mesh {
    brn_ctx *ctx;
    int nnode;
    double (*pos)[3];          /* [m], [nnode][3] */
    int ncell[BRN_CELL_COUNT]; /* cells of each kind; only the mesh's own dimension, not its boundary cells */
    int *cell[BRN_CELL_COUNT]; /* node numbers, [ncell][nodes of the kind] */
    int ngroup;
    brn_group *group; /* [ngroup] */
} brn_mesh;

brn_status brn_mesh_create(brn_ctx *ctx, int nnode, brn_mesh **out); /* no cells yet */
void brn_mesh_destroy(brn_mesh *mesh);
/* Room for ncell cells of a kind (replaces what was there). BRN_ERR_LIMIT beyond INT_MAX node numbers of a kind. */
brn_status brn_mesh_alloc_cells(brn_mesh *mesh, brn_cell kind, int ncell);
/* Adds a group, or adds to the one of that name; node numbers are checked, copied, sorted, made unique. */
brn_status brn_mesh_add_group(brn_mesh *mesh, const char *name, const int *node, int nnode);
const brn_group *brn_mesh_find_group(const brn_mesh *mesh, const char *name);
int brn_mesh_cell_total(const brn_mesh *mesh);
int brn_mesh_dim(const brn_mesh *mesh); /* of its highest cells, 0 if it has none */

/* x <- rotation * (scale * x) + translation; rotation is row-major. A mirroring transform also turns the node order
   of the cells over, so that their volumes stay positive. */
void brn_mesh_transform(brn_mesh *mesh, const double scale[3], const double rotation[9],
                        const double translation[3]);
/* Removes nodes that no cell uses, merges nodes closer than tolerance (>= 0; 0: identical positions only). Groups follow. */
brn_status brn_mesh_clean(brn_mesh *mesh, double merge_tolerance);
/* tet4 -> tet10, tri3 -> tri6, hex8 -> hex20 by mid-edge nodes (groups get the mid-edge nodes of their edges). */
brn_status brn_mesh_raise_order(brn_mesh *mesh);

/* ---- checks ---------------------------------------------------------------------------------------------------- */

/* No cells, cells of mixed dimension, non-finite positions, indices out of range, repeated nodes in a cell, inverted or
   degenerate cells (Jacobian at every node and at the quadrature points of the volume), unused nodes, coincident nodes
   (1e-12 of the mesh's size). The error (BRN_ERR_MESH) names the first offender of each sort by cell and node number
   from 0, cells counted in order of kinds, and how many there are; `who` (body or file name) starts the message.
   2D cells count as a plane body where z = 0 everywhere: then they must run counter-clockwise. */
brn_status brn_mesh_check(const brn_mesh *mesh, const char *who);

/* Quality of a cell: 1 = equilateral tet/triangle or cube/square, 0 = degenerate, < 0 inverted.
     tri3  4 sqrt(3) A / sum l^2,   tet4  12 (3 V)^(2/3) / sum l^2          (mean ratio, sums over the edges)
     tri6, tet10  the same of the straight cell, times min(det J) / det J of the straight cell where that is below 1
     hex8, hex20  smallest det J / product of the lengths of J's columns over the nodes (scaled Jacobian) */
typedef struct brn_mesh_quality {
    double volume;        /* [m^3] (area of 2D or surface cells) */
    double smallest_edge; /* [m] */
    int worst_cell;       /* number in order of kinds, then cells; -1 if none */
    double worst;         /* its quality */
} brn_mesh_quality;

void brn_mesh_measure(const brn_mesh *mesh, brn_mesh_quality *out);

/* ---- boundary ---------------------------------------------------------------------------------------------------- */

/* Faces that belong to one cell only, in order of cells, and the same cut into linear triangles (3D) or edges (2D).
   The cuts depend on node numbers alone, so that whoever cuts the same face gets the same triangles: quad4 along the
   diagonal through its lowest-numbered corner; tri6 into four by its mid-edge nodes; quad8 into its four corner
   triangles and the quad of its mid-edge nodes, cut as a quad4; edge3 into two. */
typedef struct brn_boundary {
    brn_ctx *ctx;
    int nface[BRN_CELL_COUNT]; /* by face kind */
    int *face[BRN_CELL_COUNT]; /* node numbers, [nface][nodes of the kind], oriented outwards */
    int ntri, (*tri)[3];       /* 3D: boundary, outwards; a mesh of 2D cells: its own triangles */
    /* 3D and surfaces: unique edges of tri, ascending pairs in ascending order; plane bodies: oriented boundary edges,
       solid on the left */
    int nedge, (*edge)[2];
    int nnode, *node; /* boundary nodes, ascending */
} brn_boundary;

/* A mesh of 2D cells counts as a plane body where z = 0 everywhere, else as a surface in space. A face that three or
   more cells share, or whose two cells disagree on its mid-edge nodes, is an error that names it. */
brn_status brn_boundary_create(const brn_mesh *mesh, brn_boundary **out);
/* The boundary of a surface in space (2D cells, also flat ones at z = 0): its own triangles, their edges and nodes. */
brn_status brn_boundary_of_surface(const brn_mesh *mesh, brn_boundary **out);
/* Of wires (1D cells): the cells themselves, in their order and direction. */
brn_status brn_boundary_of_lines(const brn_mesh *mesh, brn_boundary **out);
void brn_boundary_destroy(brn_boundary *boundary);

#endif
