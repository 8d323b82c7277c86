/* What the files of the crossings share. */
#ifndef BRN_CONTACT_CROSSINGS_INNER_H
#define BRN_CONTACT_CROSSINGS_INNER_H

#include "contact/crossings.h"
#include "geom/bvh.h"
#include "linalg/dense.h"

#include <math.h>

/* A sharp edge. Seen from outside, the first triangle is on its left and the second on its right. */
typedef struct brn_ridge {
    int node[2], opposite[2]; /* the third nodes of its triangles; -1: a rim */
    bool loose;               /* of a body that has no manifolds */
    bool near;                /* some other edge is; what follows is at positions x then */
    double along[3];
    double normal[2][3], area[2]; /* outward normals of the triangles, unit; of a rim both ways */
    double middle[3], least;      /* n is a normal of the edge if n . middle >= least */
} brn_ridge;

struct brn_crossings {
    brn_ctx *ctx;
    const brn_skin *skin;
    const brn_manifolds *manifolds;
    int nridge, nloose;
    brn_ridge *ridge;
    int *loose;                 /* [nloose] ridges of bodies that do not meet all others by manifolds */
    brn_box *box, *loose_box;   /* [nridge], [nloose] */
    brn_bvh *tree, *loose_tree; /* of all; of those */
    int old;                    /* how often they have been refitted; 0: they are to be built */
    brn_bvh_pairs *pairs;
    const double *x;
    brn_contact_reach reach;
    double depth;
    brn_patch *item; /* one for each pair, then only those found, whose area is not 0 */
    int count;
    size_t capacity;
};

/* The crossing of two edges (crossings_pair.c); area 0: there is none. */
void brn_crossings_meet(const brn_crossings *crossings, const brn_ridge *const ridge[2], brn_patch *out);

static inline void brn_ridge_subtract(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = a[i] - b[i];
    }
}

/* Returns the length before. */
static inline double brn_ridge_make_unit(double v[3])
{
    const double length = sqrt(brn_dense_dot3(v, v));
    for (int i = 0; i < 3; ++i) {
        v[i] /= length;
    }
    return length;
}

#endif
