/* The gradient of a sheet's bending with every edge's angle found once. An element of bending (bending.h) knows the angles of up to nine edges, and an edge
   belongs to up to six of them: evaluated one by one they find each angle, and its gradient, six times. Here

       theta_e of every edge;   moments R^T (R theta - R theta0) of every triangle, times a factor of its own;
       M_e, their sum at an edge;   sum_e M_e grad theta_e,

   the last triangle by triangle: at an edge of length L and moment M, q = M/L, a triangle with unit normal n has the gradient

       q (cot at a + cot at b) n  at its third node,   -q (cot at b) n  at a,   -q (cot at a) n  at b.

   Elements may act in part: those of levels up to `last`. What they need is then found, and nothing else. */
#ifndef BRN_PHYS_SHELLS_FOLDS_H
#define BRN_PHYS_SHELLS_FOLDS_H

#include "phys/shells/bending.h"

/* One after the other, each in any order. */
typedef enum brn_folds_pass {
    BRN_FOLDS_FACES,   /* normals and cotangents of triangles */
    BRN_FOLDS_ANGLES,  /* of edges */
    BRN_FOLDS_MOMENTS, /* of elements */
    BRN_FOLDS_COUPLES, /* moments of edges, over their lengths */
    BRN_FOLDS_FORCES,  /* gradients of triangles */
    BRN_FOLDS_PASSES
} brn_folds_pass;

/* Items are batches of BRN_LANES triangles, those of the bending's, or edges. */
typedef struct brn_folds {
    brn_ctx *ctx;
    const brn_bending *bending;
    int nbatch, nedge_batch, nslot;
    int coarsest;     /* largest level */
    int *level;       /* [nelem] of triangles: the least of those elements that know one of their edges */
    int *by_element;  /* [nbatch] batches by the level of their elements */
    int *by_face;     /* [nbatch] by the least level of their triangles */
    int *element_end; /* [coarsest + 2] how many batches have elements of levels below */
    int *face_end;    /* [coarsest + 2] triangles */
    int *edge_end;    /* [coarsest + 2] batches of edges, which are in that order */
    int *batch_level; /* [nbatch] of elements */

    int *node;           /* [nbatch][3][BRN_LANES] */
    double (*normal)[3]; /* [nbatch * BRN_LANES] */
    double *cotangent;   /* [nbatch][3][BRN_LANES] */
    int *angle_of;       /* [nbatch][nangle][BRN_LANES] which edge; the last: none */
    double *rest;        /* [nbatch][3][BRN_LANES] R theta0 */
    double *moment;      /* [nbatch][nangle][BRN_LANES], and a 0 */
    double *couple;      /* [nbatch][3][BRN_LANES] at edges opposite to nodes, and one that nobody reads */
    signed char *couple_level; /* [nbatch][3][BRN_LANES] */

    int *ends; /* [nedge_batch][2][BRN_LANES] nodes */
    int *side; /* [nedge_batch][2][BRN_LANES] triangles, the first has the edge from end 0 to end 1 */
    int *slot; /* [nedge_batch][nslot][BRN_LANES] of moments at it */
    signed char *slot_level; /* [nedge_batch][nslot][BRN_LANES] */
    int *target;             /* [nedge_batch][2][BRN_LANES] of couples */
    double *inverse;         /* [nedge_batch][BRN_LANES] [1/m] 1/L */
    double *angle;           /* [nedge_batch * BRN_LANES + 1] */
} brn_folds;

/* level: of each batch of elements, 0 to 126. *out is NULL if neighbours are not oriented alike (a Moebius strip): then elements go one by one.
   The bending must outlive it. */
brn_status brn_folds_create(brn_ctx *ctx, const brn_bending *bending, const int *level, brn_folds **out);
void brn_folds_destroy(brn_folds *folds);
/* How many batches a pass has at a level. */
int brn_folds_count(const brn_folds *folds, brn_folds_pass pass, int last);
/* Batches [first, end) of a pass. share[level]: factor of elements of a level.
   gradient [nelem][9]: of nodes 0, 1, 2 of the triangles whose level is not above last. */
void brn_folds_run(brn_folds *folds, brn_folds_pass pass, int first, int end, const double (*x)[3],
                   const double *share, int last, double *gradient);

#endif
