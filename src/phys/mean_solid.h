/* A solid whose volume ratio is averaged, so that nearly incompressible material does not lock. Points of quadrature that share a
   mean form a patch:

       energy = sum_q w_q W(Fbar_q),    Fbar = F (Jbar/J)^(1/dim),    Jbar = sum_q w_q J_q / sum_q w_q

   a function of all nodes of the patch, with its exact gradient and Hessian (phys/mean_eval.c). Linear triangles and tets have one point each;
   there a patch is the elements about an edge (phys/mean_patches.c). Every other element is a patch of its own. Of a linear material tr(F - 1)
   is averaged in place of J.

   A patch with a point of J <= 0 has infinite energy, whatever the material (but linear). Mass, volume and bound are those of the
   elements; stress is that of Fbar. */
#ifndef BRN_PHYS_MEAN_SOLID_H
#define BRN_PHYS_MEAN_SOLID_H

#include "phys/solid.h"

enum { BRN_PATCH_CELLS_MAX = 12, BRN_PATCH_NODES_MAX = 16 };

typedef struct brn_mean_solid {
    brn_solid solid; /* the elements; solid.group.patch are the patches */
    int npoint;      /* of a patch */
    /* of linear triangles and tets, else NULL: */
    int *patch_of;    /* [nelem] the patch of an element */
    int *cell;        /* [npatch][npoint] its elements; repeats its first where it has fewer */
    double *gradient; /* [nbatch][npoint][patch_width][dim][BRN_LANES] of shape functions at rest */
    double *volume;   /* [nbatch][npoint][BRN_LANES] at rest; 0 of repeated elements and in padding lanes */
} brn_mean_solid;

/* As brn_solid_create. */
brn_status brn_mean_solid_create(brn_ctx *ctx, brn_cell cell, const brn_material *material,
                                 const brn_moduli *moduli, const double (*rest)[3], const int *conn,
                                 int nelem, brn_mean_solid **out);
void brn_mean_solid_destroy(brn_mean_solid *mean);
extern const brn_group_kind brn_mean_solid_kind;

/* As eval of brn_group_kind. */
void brn_mean_solid_eval(const brn_mean_solid *mean, const double (*x)[3], int first, int count,
                         brn_tangent tangent, double *energy, double *grad, double *hess);

/* As resist of brn_group_kind. */
void brn_mean_solid_resist(const brn_mean_solid *mean, const double (*x)[3], const double (*v)[3], int first,
                           int count, double *out);

/* Divides simplices of `dim` + 1 nodes into patches, each simplex in one of them: of[nelem], patches numbered from 0 in the order of
   their first element, at most BRN_PATCH_CELLS_MAX elements with at most BRN_PATCH_NODES_MAX nodes. */
brn_status brn_mean_patches(brn_ctx *ctx, int dim, const double (*rest)[3], const int *conn, int nelem,
                            int *of, int *npatch);

#endif
