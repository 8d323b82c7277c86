/* What the mesh generators share: limits, grading, and the block-structured hexahedral frame behind the solid ones. */
#ifndef BRN_MODEL_GENERATE_GENERATE_H
#define BRN_MODEL_GENERATE_GENERATE_H

#include "base/ctx.h"
#include "model/mesh_source.h"

#define BRN_GENERATE_CELLS_MAX 50000000

/* Range check of every number of a described struct, for callers that did not come through the parser. */
brn_status brn_generate_check(brn_ctx *ctx, const brn_table *table, const void *params);
/* "meshes.ball.sphere" of a block, or the table's name. */
const char *brn_generate_path(const brn_table *table, const void *params);
/* BRN_ERR_RANGE naming the parameter if there are too many cells (a real product, so that it cannot overflow). */
brn_status brn_generate_limit(brn_ctx *ctx, const brn_table *table, const void *params, const char *param,
                              double cells);
/* BRN_ERR_RANGE naming the parameter, with `remedy`, if cells are inverted or the boundary meets itself: curved cells of few
   nodes, corners that a person gave. */
brn_status brn_generate_sound(const brn_mesh *mesh, const brn_table *table, const void *params,
                              const char *param, const char *remedy);
/* Number of parts of at most `size` that make up `length`, at least `least`; capped beyond what the limit allows. */
int brn_generate_parts(double length, double size, int least);
/* A group of all nodes for which the mark is set. marked: [nnode] */
brn_status brn_generate_group(brn_mesh *mesh, const char *name, const unsigned char *marked);

/* ---- grading -------------------------------------------------------------------------------------------------------- */

typedef struct brn_grading {
    brn_block block;
    double point[3]; /* [m] */
    double ratio;    /* largest over smallest cell */
} brn_grading;

extern const brn_table brn_grading_table;

/* n + 1 node positions from -length/2 to length/2, cells shrinking geometrically towards `point`; ratio 1: uniform. */
void brn_grading_axis(double length, int n, double point, double ratio, double *out);
/* Moves a point of the ball about the origin; the sphere goes to itself. */
void brn_grading_ball(const brn_grading *grading, double radius, double x[3]);

/* ---- triangles on a lattice ------------------------------------------------------------------------------------------- */

enum { BRN_PATTERN_ALTERNATING, BRN_PATTERN_CROSS, BRN_PATTERN_SLASH };

/* tri3 cells in the xy plane on the lattice x[nx + 1] times y[ny + 1], groups "-x", "+x", "-y", "+y". */
brn_status brn_plane_lattice(brn_ctx *ctx, const double *x, int nx, const double *y, int ny, int pattern,
                             brn_mesh **out);

/* ---- hexahedral frame ------------------------------------------------------------------------------------------------ */

/* A lattice of hexahedra (the core), and shells of further layers on both sides of the blown axes. Neighbouring shells
   share their nodes along the edges of the core. */
typedef struct brn_hex_frame {
    int n[3];        /* core cells along x, y, z */
    int layers;      /* cells across a shell */
    bool blown[3];   /* axes whose two sides carry a shell */
    bool half;       /* only on their upper sides; the lower ones are flat */
    bool wrapped;    /* the nodes of the last level along z are those of the first: a ring */
    int (*index)[4]; /* [nnode] i, j, k of the core node (of the one below, in a shell) and the layer */
} brn_hex_frame;

double brn_hex_frame_cells(const brn_hex_frame *frame); /* count; real, so that it cannot overflow */
/* Makes the hex8 mesh (positions are left 0) and frame->index; the caller checked the limit. */
brn_status brn_hex_frame_build(brn_ctx *ctx, brn_hex_frame *frame, brn_mesh **out);
void brn_hex_frame_free(brn_ctx *ctx, brn_hex_frame *frame);
/* Groups "-x", "+x", ... of the axes that are not blown, nor wrapped; of half blown ones the lower. */
brn_status brn_hex_frame_side_groups(const brn_hex_frame *frame, brn_mesh *mesh);
/* The same under other names, [axis][lower, upper]. */
brn_status brn_hex_frame_named_groups(const brn_hex_frame *frame, brn_mesh *mesh,
                                      const char *const names[3][2]);
/* The outermost layer of the shells. */
brn_status brn_hex_frame_outer_group(const brn_hex_frame *frame, brn_mesh *mesh, const char *name);
/* Place in the unit disc of a node, by its index, in a frame blown along x and y: an o-grid (a square core blown half-way
   to a circle, and the shell from it to the rim); with no layers the core is the whole disc. */
void brn_hex_frame_disc(const brn_hex_frame *frame, const int at[4], double out[2]);
/* Mean thickness of the o-grid's shell, of radius 1. */
double brn_hex_frame_disc_shell(void);

/* Turns a hex8 mesh into the wanted cells: tets by five a hexahedron, quadratic cells by mid-edge nodes. The ends of
   every edge have different colours (0, 1); the inner tet of a hexahedron stands on its corners of colour 0, so every
   face is cut along the diagonal of colour 0 and neighbours agree. Five tets alternating have no preferred direction
   and better shapes (0.84, 1) than six along one diagonal (0.76). A wrapped frame has such colours only with an even
   number of cells around. */
brn_status brn_hex_convert(brn_mesh *mesh, const unsigned char *colour, brn_cell element);
/* The same with the colours of a frame. */
brn_status brn_hex_frame_convert(const brn_hex_frame *frame, brn_mesh *mesh, brn_cell element);
/* How many tets a hexahedron is split into. */
int brn_hex_pieces(brn_cell element);

/* ---- voxels -------------------------------------------------------------------------------------------------------- */

/* Hexahedra on some cells of a rectilinear lattice, each of a numbered part. */
typedef struct brn_voxels {
    int n[3];            /* lattice cells along x, y, z */
    double *plane[3];    /* [n + 1] where its planes are [m], ascending */
    unsigned char *part; /* [nz][ny][nx] part of a cell, from 1 on; 0: empty */
    int (*index)[3];     /* [nnode] made by build: the planes that meet in a node */
} brn_voxels;

/* Makes the hex8 mesh of the cells with a part, in lattice order, and groups "-x", "+x", ... on their bounding box. */
brn_status brn_voxels_build(brn_ctx *ctx, brn_voxels *voxels, brn_mesh **out);
/* A group of the nodes of a part; none if no cell has it. Before convert. */
brn_status brn_voxels_part_group(const brn_voxels *voxels, brn_mesh *mesh, int part, const char *name);
brn_status brn_voxels_convert(const brn_voxels *voxels, brn_mesh *mesh, brn_cell element);
void brn_voxels_free(brn_ctx *ctx, brn_voxels *voxels);

enum { BRN_BRICKS_MAX = 16 };

/* A solid put together from boxes: each takes its place from those before it; part 0 leaves a hole. */
typedef struct brn_brick {
    double lo[3], hi[3]; /* [m] */
    int part;
} brn_brick;

typedef struct brn_bricks {
    double resolution; /* [m] */
    int count;
    brn_brick brick[BRN_BRICKS_MAX];
} brn_bricks;

/* Cells of the lattice of bricks; real, so that it cannot overflow. */
double brn_bricks_cells(const brn_bricks *bricks);
/* The lattice with a plane at every face of a brick, and between them the number that brings distances nearest to the
   resolution: the solid has its exact size at any resolution. Faces nearer to each other than a thousandth of the
   resolution share a plane. The caller checked the limit. */
brn_status brn_bricks_voxels(brn_ctx *ctx, const brn_bricks *bricks, brn_voxels *out);

#endif
