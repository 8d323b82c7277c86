/* Dense part of a front. Private to the factorisation. */
#ifndef BRN_LINALG_FRONT_DENSE_H
#define BRN_LINALG_FRONT_DENSE_H

#include <stddef.h>

/* Rows are padded to whole vectors of this many doubles: own rows and rows below, each for itself. */
enum { BRN_FRONT_LANES = 8 };
/* Columns that are factored together: two nodes in 3D. */
enum { BRN_FRONT_STRIP = 6 };
/* Fronts with more own columns go to BLAS. */
enum { BRN_FRONT_BLAS = 192 };

static inline size_t brn_front_pad(size_t rows)
{
    return (rows + BRN_FRONT_LANES - 1) / BRN_FRONT_LANES * BRN_FRONT_LANES;
}

/* Sizes of a front in scalars. */
typedef struct brn_front_shape {
    int own, below;    /* columns, and rows below */
    int own_pad, rows; /* where the rows below start in a column, and the length of a column */
    int below_pad;     /* length of a column of the contribution */
} brn_front_shape;

static inline brn_front_shape brn_front_shape_of(int own, int below)
{
    brn_front_shape s = {own, below, (int)brn_front_pad((size_t)own), 0, (int)brn_front_pad((size_t)below)};
    s.rows = s.own_pad + s.below_pad;
    return s;
}

/* Factors the own columns in place (panel [own][rows], by columns). Padding rows are 0 and stay so; what is above the diagonal
   is overwritten. Returns the first column whose pivot is not positive, or -1. */
int brn_front_dense_panel(const brn_front_shape *shape, double *panel);
/* Subtracts L21 L21' from the lower triangle of columns [first, end) of update [below][below_pad]; first is a multiple of
   BRN_FRONT_STRIP. */
void brn_front_dense_update(const brn_front_shape *shape, const double *panel, double *update, int first,
                            int end);

/* Substitution with the own columns, one right-hand side; y has a front's rows, padding 0. Forward: y1 = L11^-1 y1,
   y2 -= L21 y1. Backward: y1 = L11^-T (y1 - L21' y2). */
void brn_front_dense_forward(const brn_front_shape *shape, const double *panel, double *y);
void brn_front_dense_backward(const brn_front_shape *shape, const double *panel, double *y);

#endif
