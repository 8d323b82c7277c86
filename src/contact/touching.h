/* Where bodies touch, or could soon: points of vertices (contact/patches.h), of crossing edges (contact/crossings.h) and of convex bodies
   that do not deform (contact/manifolds.h), in one list, each with a frame and its lever. For methods that answer contact at points. */
#ifndef BRN_CONTACT_TOUCHING_H
#define BRN_CONTACT_TOUCHING_H

#include "contact/crossings.h"
#include "contact/manifolds.h"
#include "contact/patches.h"

/* What meets: a vertex of body[0] and body[1]; two edges; two convex bodies. */
enum { BRN_TOUCHING_VERTEX, BRN_TOUCHING_EDGES, BRN_TOUCHING_CONVEX };

typedef struct brn_touching_point {
    int kind; /* BRN_TOUCHING_... */
    int body[2];
    int node[4];     /* of the patch or crossing; -1: none */
    double place[3]; /* [m] middle between the two surfaces */
    double frame[9]; /* rows: across the normal, the last of dim the normal, out of body[1] */
    double gap;      /* [m] */
    double area;     /* [m^2], in 2D [m], that it stands for; +inf where convex bodies meet */
    bool bears;      /* it can carry a force, and no other point does so in its place */
    brn_lever lever;
} brn_touching_point;

typedef struct brn_touching {
    brn_ctx *ctx;
    const brn_model *model;
    brn_skin *skin;
    brn_patches *patches;
    brn_manifolds *manifolds;
    brn_crossings *crossings;
    /* [nbody] [m] of its elements, of sheets along them, of a rigid body as a whole; +inf: an obstacle */
    double *size;
    double extent;             /* [m] of all that can move */
    brn_touching_point *point; /* what was found last */
    int count;
    size_t capacity;
    brn_touching_point *aside; /* brn_touching_swap */
    int aside_count;
    size_t aside_capacity;
    bool begun;
    char start[300]; /* what speaks against the start; empty: nothing */
} brn_touching;

brn_status brn_touching_create(brn_ctx *ctx, const brn_model *model, double extent, brn_touching **out);
void brn_touching_destroy(brn_touching *touching);
/* All points at positions x, [nnode][3]: patches, crossings, then convex bodies. After a failure there are none. */
brn_status brn_touching_find(brn_touching *touching, const double *x, const brn_contact_reach *reach);
/* Lays the points aside, which another search then leaves alone, and takes those that lay there. */
void brn_touching_swap(brn_touching *touching);

/* Whether it is of something round, which meets each face of a mesh for itself, instead of a vertex, which meets the nearest. */
bool brn_touching_is_round(const brn_touching *touching, const brn_touching_point *point);

/* How deep a point is, over the size of the smaller of its bodies that can move: the cube root of its volume, in 2D the square root. */
double brn_touching_overlap(const brn_model *model, const int body[2], double gap);
/* Whether bodies that end as deep as that are not in contact but stuck in each other; then what to say of it. */
bool brn_touching_doubt(double overlap, const char *figure, char *text, size_t size);
/* Looks at the positions that a run starts from, once: bodies that are so deep in each other are there by mistake. Nothing that moves gets there, and
   what takes them out of each other throws them. */
brn_status brn_touching_begin(brn_touching *touching, const double *x);
/* What there is to say of them; false: nothing. */
bool brn_touching_warn(const brn_touching *touching, char *text, size_t size);
/* Looks at the surfaces at the end of a run. Overlap that contact points know is a matter of contact, of its stiffness and of time; what is
   twice as deep has gone past them, and nothing pushes it out: text says so, else it is empty. */
brn_status brn_touching_conclude(const brn_touching *touching, const double *x, double overlap, char *text,
                                 size_t size);

#endif
