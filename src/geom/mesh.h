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

/* Non-finite positions, indices out of range, repeated nodes in a cell, inverted or degenerate cells (signed volume
   at every corner, curved cells at their quadrature-like sample points), unused nodes, coincident nodes. The error
   names the first offender of each sort by cell and node number; `who` (body or file name) starts the message. */
brn_status brn_mesh_check(const brn_mesh *mesh, const char *who);

typedef struct brn_mesh_quality {
    double volume;        /* [m^3] (area of 2D or surface cells) */
    double smallest_edge; /* [m] */
    int worst_cell;       /* number in order of kinds, then cells; -1 if none */
    double worst;         /* 1 = equilateral tet/triangle or cube, 0 = degenerate, < 0 inverted */
} brn_mesh_quality;

void brn_mesh_measure(const brn_mesh *mesh, brn_mesh_quality *out);

/* ---- boundary ---------------------------------------------------------------------------------------------------- */

/* Faces that belong to one cell only, in order of cells, and the same cut into linear triangles (3D) or edges (2D):
   quad4 along its shorter-index diagonal by a fixed rule, tri6 into four, quad8 into six, edge3 into two. */
typedef struct brn_boundary {
    brn_ctx *ctx;
    int nface[BRN_CELL_COUNT]; /* by face kind */
    int *face[BRN_CELL_COUNT]; /* node numbers, [nface][nodes of the kind], oriented outwards */
    int ntri, (*tri)[3];       /* 3D (for a surface mesh: its own triangles) */
    int nedge,
        (*edge)
            [2]; /* 3D: unique edges of tri, ascending pairs; 2D: oriented boundary edges, solid on the left */
    int nnode, *node; /* boundary nodes, ascending */
} brn_boundary;

brn_status brn_boundary_create(const brn_mesh *mesh, brn_boundary **out);
void brn_boundary_destroy(brn_boundary *boundary);

#endif
