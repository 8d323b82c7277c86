/* What the files of the manifold share. All happens in the frame of b, so that large coordinates cost no digits.

   A core is a shape without its radius: a point (sphere), a segment (capsule), a polytope (box, hull) or a cylinder. */
#ifndef BRN_GEOM_MANIFOLD_INNER_H
#define BRN_GEOM_MANIFOLD_INNER_H

#include "geom/manifold.h"
#include "linalg/dense.h"

enum {
    BRN_SPOTS_MOST = 80, /* candidates of a manifold */
    BRN_FACE_MOST = 32   /* corners of a face that are looked at; larger ones are thinned */
};

typedef struct brn_core {
    brn_hull hull;       /* a view: of the hull, or of the numbers below; no vertices for a cylinder */
    double vertex[8][3]; /* [m], of a box, segment or point */
    double offset[6];    /* [m], of a box */
    double size[2];      /* [m], radius and half the height of a cylinder */
    double radius;       /* [m], of the ball that is swept over the core */
    double extent;       /* [m], about the size, for tolerances */
    double rotation[9], origin[3]; /* from its own frame to the one of work */
    const brn_primitive *shape;    /* NULL for a hull */
} brn_core;

typedef struct brn_axis {
    double n[3]; /* unit, out of b */
    double s;    /* [m], separation of the cores along n */
    int edge[2]; /* of a and b, whose cross product it is; -1: the normal of a face */
} brn_axis;

/* A place of the overlap: both cores' points there. */
typedef struct brn_spot {
    double a[3], b[3]; /* [m] */
    double n[3];       /* unit */
    double gap;        /* [m], along n, of the cores until they are shown */
} brn_spot;

typedef struct brn_spots {
    int count;
    brn_spot spot[BRN_SPOTS_MOST];
} brn_spots;

/* ---- manifold_core.c ---- */
void brn_core_set(brn_core *core, const brn_convex *shape, const brn_rigid_map *frame,
                  const brn_rigid_map *base);
void brn_core_place(const brn_core *core, const double own[3], double out[3]);
void brn_core_turn_back(const brn_core *core, const double direction[3], double own[3]);
/* Farthest along d: the point, and its vertex, or 0 for a cylinder. */
int brn_core_support(const brn_core *core, const double d[3], double out[3]);
/* The edge that goes on from the support along d with the least slope. Returns the number of ends: 1 for a point. */
int brn_core_edge(const brn_core *core, const double d[3], double ends[2][3]);
/* Of the faces around a vertex the one that goes on with the least slope, and of those that share an edge of that slope the one
   that faces d best; -1: none. d in the hull's frame; slope: sine. next: the other end of that edge. */
int brn_hull_facing(const brn_hull *hull, int vertex, const double d[3], double *slope, int *next);
double brn_unit3(double v[3]); /* its length; v is then a unit vector unless it was 0 */

/* ---- manifold_axis.c ---- */
/* The axis of the largest separation of two polytopes (segments and points among them) over normals of faces and cross products of
   edges: of shapes in each other that is the shortest way out. Any axis whose separation is above `enough` ends the search. */
brn_axis brn_axis_of_hulls(const brn_core *a, const brn_core *b, double enough);
brn_axis brn_axis_of_boxes(const brn_core *a, const brn_core *b, double enough);

/* ---- manifold_near.c ---- */
/* Distance of two cores by GJK [Gilbert, Johnson, Keerthi 1988], the normal and the nearest points; 0 if they meet. */
double brn_core_near(const brn_core *a, const brn_core *b, const double start[3], double n[3], double pa[3],
                     double pb[3]);

/* ---- manifold_cylinder.c ---- */
/* The gap of two cores of which one is a cylinder, the normal, and a point of each that has it. */
double brn_axis_of_cylinders(brn_core *a, const brn_core *b, double enough, double n[3], double pa[3],
                             double pb[3]);
double brn_core_separation(const brn_core *a, const brn_core *b, const double n[3]);

/* ---- manifold_overlap.c ---- */
/* What of a core faces sign n, as corners (u, v, w) in a basis whose last row is n: a face, on the plane
   w = level + slope . (u, v), where it is seen flat enough; an edge, a segment or the line of a mantle; a vertex. */
typedef struct brn_part {
    int count;
    double at[2 * BRN_FACE_MOST][3];
    double slope[2], level;
} brn_part;

void brn_part_basis(const double n[3], int dim, double basis[9]);
void brn_part_set(const brn_core *core, const double basis[9], double sign, brn_part *out);
/* Corners of the overlap of the two faces that face each other along n. */
void brn_overlap_faces(const brn_core *a, const brn_core *b, const double n[3], brn_spots *out);

/* Corners of the face of a over the half-space below 0 of the last axis. */
void brn_overlap_plane(const brn_core *a, int dim, brn_spots *out);

/* ---- manifold_rim.c ---- */
/* Where the end of a cylinder, or the ends of two, lie over what faces them along n. */
void brn_overlap_rims(const brn_core *a, const brn_core *b, const double n[3], brn_spots *out);
/* Four points of the rim of a over the half-space below 0 of z. */
void brn_rim_over_plane(const brn_core *a, brn_spots *out);

/* ---- manifold_lines.c ---- */
/* Adds the nearest points of two segments, and the ends of the stretch along which they lie side by side, each with its own normal. */
void brn_lines_near(const double p[2][3], const double q[2][3], brn_spots *out);

#endif
