/* The skin of a model: everything that can touch. Points, edges and triangles of the surfaces of all bodies, obstacles
   included, with the share of surface that belongs to each at rest; and half-spaces, which have none. */
#ifndef BRN_CONTACT_SKIN_H
#define BRN_CONTACT_SKIN_H

#include "model/model.h"

typedef struct brn_skin {
    brn_ctx *ctx;
    const brn_model *model;
    int dim;
    int npoint, *point;    /* node numbers, ascending */
    int nedge, (*edge)[2]; /* 2D: oriented boundary edges; 3D: edges of triangles, each once, and lone ones */
    int ntri, (*tri)[3];   /* 3D */
    /* The cores of round shapes: points without an edge; edges without a triangle and their ends (3D). */
    int nlone_point, *lone_point;
    int nlone_edge, (*lone_edge)[2];
    int nlone_end, *lone_end;
    int nplane, (*plane)[3]; /* half-spaces, as in brn_body.plane */
    int *node_body;          /* [nnode] */
    unsigned char *held;     /* [nnode] every dof is held: two such nodes cannot be pushed apart */
    double *radius;          /* [nnode] [m] how far the surface is from the node */
    bool round;              /* some radius is not 0 */
    /* [nbody] [m] how near others must come to matter to a body; a pair has the smaller of its two. +inf at first: whoever
       searches gives a distance for all. A method may set it once, before the first search. */
    double *reach;
    /* 2D: half the adjacent lengths [m]; 3D: a third of the adjacent areas [m^2]; for a core: its shape's surface */
    double *node_area; /* [nnode] */
    double *edge_area; /* [nedge] 3D: a third of the adjacent areas; for a core: its shape's surface */
    /* How many sides (2D: edges, 3D: triangles) meet at a node or an edge, and how many edges at a node. */
    int *node_sides, *node_edges; /* [nnode] */
    int *edge_sides;              /* [nedge] 3D */
} brn_skin;

brn_status brn_skin_create(brn_ctx *ctx, const brn_model *model, brn_skin **out);
void brn_skin_destroy(brn_skin *skin);
/* Whether two sets of nodes may be in contact: no common node, not both held throughout, not of the same rigid body, not of
   the same body if self-contact is off, and no node of one attached to the other's body. */
bool brn_skin_may_touch(const brn_skin *skin, const int *a, int na, const int *b, int nb);
/* Reach of a pair of nodes [m]: of their two bodies' the smaller one. */
static inline double brn_skin_reach(const brn_skin *skin, int a, int b)
{
    const double first = skin->reach[skin->node_body[a]], second = skin->reach[skin->node_body[b]];
    return first < second ? first : second;
}
/* Number of the edge between two nodes (3D); -1 if there is none. */
int brn_skin_find_edge(const brn_skin *skin, int a, int b);
/* Unit normal of a half-space's plane at positions x, out of the solid, and the signed distance of a point p from it. */
void brn_skin_plane_normal(const brn_skin *skin, const int *plane, const double *x, double n[3]);
double brn_skin_plane_distance(const brn_skin *skin, const int *plane, const double p[3], const double *x);

#endif
