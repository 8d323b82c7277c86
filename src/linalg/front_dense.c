/* Small fronts (most of them on thin bodies) would spend their time in the overhead of BLAS calls. They are factored by one
   kernel instead: a strip of up to 6 columns and a few vectors of rows stays in registers while all columns to its left
   are subtracted; large fronts go to BLAS. */
#include "linalg/front_dense.h"

#include "base/lanes.h"
#include "linalg/blas.h"

#include <math.h>
#include <string.h>

enum {
    STRIP = BRN_FRONT_STRIP,
    STACK = 2, /* vectors of rows at a time: what the registers hold */
    SWEEP = 4, /* columns at a time in a substitution: y is read once for all of them */
};

_Static_assert(BRN_FRONT_LANES % BRN_LANES == 0, "rows are padded to whole vectors");

/* The strip of `width` columns that is worked on. */
typedef struct strip {
    double *to;         /* its first column */
    size_t to_rows;     /* length of a column there */
    const double *left; /* columns to the left: their rows that match those of `to` */
    const double *own;  /* columns to the left: their rows that match the columns of the strip */
    size_t left_rows;
    int depth; /* how many */
    /* Diagonal block, below the diagonal, and the inverse of its diagonal; to be divided by if solve is set. */
    double l[STRIP][STRIP];
    double inverse[STRIP];
} strip;

/* Rows [row, row + count * BRN_LANES): to -= left own', then, with solve, to = to L^-T. */
BRN_LANES_INLINE void strip_rows(const strip *s, size_t row, const int count, const int width,
                                 const int solve)
{
    brn_lanes x[STACK][STRIP];
    for (int v = 0; v < count; ++v) {
        for (int c = 0; c < width; ++c) {
            x[v][c] = brn_lanes_load(s->to + (size_t)c * s->to_rows + row + (size_t)(v * BRN_LANES));
        }
    }
    const double *left = s->left + row;
    const double *own = s->own;
    for (int p = 0; p < s->depth; ++p, left += s->left_rows, own += s->left_rows) {
        brn_lanes a[STACK];
        for (int v = 0; v < count; ++v) {
            a[v] = brn_lanes_load(left + v * BRN_LANES);
        }
        for (int c = 0; c < width; ++c) {
            for (int v = 0; v < count; ++v) {
                x[v][c] -= a[v] * own[c];
            }
        }
    }
    for (int c = 0; solve && c < width; ++c) {
        for (int v = 0; v < count; ++v) {
            for (int p = 0; p < c; ++p) {
                x[v][c] -= x[v][p] * s->l[c][p];
            }
            x[v][c] *= s->inverse[c];
        }
    }
    for (int v = 0; v < count; ++v) {
        for (int c = 0; c < width; ++c) {
            brn_lanes_store(s->to + (size_t)c * s->to_rows + row + (size_t)(v * BRN_LANES), x[v][c]);
        }
    }
}

/* Rows [row, end), multiples of BRN_LANES. */
BRN_LANES_INLINE void strip_update(const strip *s, size_t row, size_t end, const int width, const int solve)
{
    for (; row + STACK * BRN_LANES <= end; row += STACK * BRN_LANES) {
        strip_rows(s, row, STACK, width, solve);
    }
    for (; row < end; row += BRN_LANES) {
        strip_rows(s, row, 1, width, solve);
    }
}

/* Cholesky factor of the diagonal block at row j of the strip, in place; returns its first bad column, or -1. */
BRN_LANES_INLINE int strip_pivots(strip *s, size_t j, const int width)
{
    for (int c = 0; c < width; ++c) {
        for (int r = c; r < width; ++r) {
            double *x = s->to + (size_t)c * s->to_rows + j + (size_t)r;
            double value = *x;
            for (int p = 0; p < c; ++p) {
                value -= s->l[r][p] * s->l[c][p];
            }
            if (r > c) {
                s->l[r][c] = value * s->inverse[c];
            } else if (value > 0.0) {
                s->l[c][c] = sqrt(value);
                s->inverse[c] = 1.0 / s->l[c][c];
            } else {
                return c; /* NaN too */
            }
        }
    }
    return -1;
}

/* Columns [j, j + width) of the panel. Returns the first bad column, or -1. */
BRN_LANES_INLINE int panel_strip(double *panel, size_t rows, size_t j, const int width)
{
    strip s = {.to = panel + j * rows,
               .to_rows = rows,
               .left = panel,
               .own = panel + j,
               .left_rows = rows,
               .depth = (int)j};
    const size_t first = j / BRN_FRONT_LANES * BRN_FRONT_LANES;
    const size_t middle = brn_front_pad(j + (size_t)width);
    strip_update(&s, first, middle, width, 0);
    const int bad = strip_pivots(&s, j, width);
    if (bad >= 0) {
        return (int)j + bad;
    }
    strip_update(&s, middle, rows, width, 1);
    /* What shares a vector with the diagonal block: solved without the update that it has, then the block put in. */
    s.depth = 0;
    strip_update(&s, first, middle, width, 1);
    for (int c = 0; c < width; ++c) {
        for (int r = c; r < width; ++r) {
            s.to[(size_t)c * rows + j + (size_t)r] = s.l[r][c];
        }
    }
    return -1;
}

/* Columns [j, j + width) of the contribution. */
BRN_LANES_INLINE void update_strip(const brn_front_shape *shape, const double *panel, double *update,
                                   size_t j, const int width)
{
    const double *below = panel + shape->own_pad;
    const strip s = {.to = update + j * (size_t)shape->below_pad,
                     .to_rows = (size_t)shape->below_pad,
                     .left = below,
                     .own = below + j,
                     .left_rows = (size_t)shape->rows,
                     .depth = shape->own};
    strip_update(&s, j / BRN_FRONT_LANES * BRN_FRONT_LANES, (size_t)shape->below_pad, width, 0);
}

/* Columns of the strip that begins with as many columns left. */
static int strip_width(int left)
{
    return left >= STRIP ? STRIP : left >= 3 ? 3 : 1;
}

static int panel_small(const brn_front_shape *shape, double *panel)
{
    const size_t rows = (size_t)shape->rows;
    int bad = -1;
    for (int j = 0, width = 0; j < shape->own && bad < 0; j += width) {
        width = strip_width(shape->own - j);
        bad = width == STRIP ? panel_strip(panel, rows, (size_t)j, STRIP)
              : width == 3   ? panel_strip(panel, rows, (size_t)j, 3)
                             : panel_strip(panel, rows, (size_t)j, 1);
    }
    return bad;
}

static int panel_large(const brn_front_shape *shape, double *panel)
{
    const double one = 1.0;
    int info = 0;
    dpotrf_("L", &shape->own, panel, &shape->rows, &info);
    if (info != 0) {
        return info > 0 ? info - 1 : 0;
    }
    if (shape->below > 0) {
        dtrsm_("R", "L", "T", "N", &shape->below, &shape->own, &one, panel, &shape->rows,
               panel + shape->own_pad, &shape->rows);
    }
    return -1;
}

int brn_front_dense_panel(const brn_front_shape *shape, double *panel)
{
    return shape->own <= BRN_FRONT_BLAS ? panel_small(shape, panel) : panel_large(shape, panel);
}

static void update_small(const brn_front_shape *shape, const double *panel, double *update, int first,
                         int end)
{
    for (int j = first, width = 0; j < end; j += width) {
        width = strip_width(end - j);
        if (width == STRIP) {
            update_strip(shape, panel, update, (size_t)j, STRIP);
        } else if (width == 3) {
            update_strip(shape, panel, update, (size_t)j, 3);
        } else {
            update_strip(shape, panel, update, (size_t)j, 1);
        }
    }
}

static void update_large(const brn_front_shape *shape, const double *panel, double *update, int first,
                         int end)
{
    const double one = 1.0;
    const double minus = -1.0;
    const int width = end - first;
    const int rest = shape->below - end;
    const double *below = panel + shape->own_pad;
    double *to = update + (size_t)first * (size_t)shape->below_pad;
    dsyrk_("L", "N", &width, &shape->own, &minus, below + first, &shape->rows, &one, to + first,
           &shape->below_pad);
    if (rest > 0) {
        dgemm_("N", "T", &rest, &width, &shape->own, &minus, below + end, &shape->rows, below + first,
               &shape->rows, &one, to + end, &shape->below_pad);
    }
}

void brn_front_dense_update(const brn_front_shape *shape, const double *panel, double *update, int first,
                            int end)
{
    if (shape->own <= BRN_FRONT_BLAS) {
        update_small(shape, panel, update, first, end);
    } else if (end > first) {
        update_large(shape, panel, update, first, end);
    }
}

/* ---- substitution ----------------------------------------------------------------------------------------------- */

/* Columns [j, j + width): first among themselves, then the rows below them. */
BRN_LANES_INLINE void forward_strip(const double *panel, size_t rows, size_t j, const int width, double *y)
{
    const double *column = panel + j * rows;
    double x[SWEEP];
    for (int c = 0; c < width; ++c) {
        double value = y[j + (size_t)c];
        for (int p = 0; p < c; ++p) {
            value -= column[(size_t)p * rows + j + (size_t)c] * x[p];
        }
        y[j + (size_t)c] = x[c] = value / column[(size_t)c * (rows + 1) + j];
    }
    size_t r = j + (size_t)width;
    for (; r % BRN_LANES != 0; ++r) {
        for (int c = 0; c < width; ++c) {
            y[r] -= column[(size_t)c * rows + r] * x[c];
        }
    }
    for (; r < rows; r += BRN_LANES) {
        brn_lanes sum = brn_lanes_load(y + r);
        for (int c = 0; c < width; ++c) {
            sum -= brn_lanes_load(column + (size_t)c * rows + r) * x[c];
        }
        brn_lanes_store(y + r, sum);
    }
}

BRN_LANES_INLINE void backward_strip(const double *panel, size_t rows, size_t j, const int width, double *y)
{
    const double *column = panel + j * rows;
    double sum[SWEEP] = {0.0};
    brn_lanes part[SWEEP];
    memset(part, 0, sizeof part);
    size_t r = j + (size_t)width;
    for (; r % BRN_LANES != 0; ++r) {
        for (int c = 0; c < width; ++c) {
            sum[c] += column[(size_t)c * rows + r] * y[r];
        }
    }
    for (; r < rows; r += BRN_LANES) {
        const brn_lanes from = brn_lanes_load(y + r);
        for (int c = 0; c < width; ++c) {
            part[c] += brn_lanes_load(column + (size_t)c * rows + r) * from;
        }
    }
    for (int c = width - 1; c >= 0; --c) {
        double value = y[j + (size_t)c] - sum[c];
        for (int l = 0; l < BRN_LANES; ++l) {
            value -= part[c][l];
        }
        for (int p = c + 1; p < width; ++p) {
            value -= column[(size_t)c * rows + j + (size_t)p] * y[j + (size_t)p];
        }
        y[j + (size_t)c] = value / column[(size_t)c * (rows + 1) + j];
    }
}

void brn_front_dense_forward(const brn_front_shape *shape, const double *panel, double *y)
{
    const size_t own = (size_t)shape->own;
    size_t j = 0;
    for (; j + SWEEP <= own; j += SWEEP) {
        forward_strip(panel, (size_t)shape->rows, j, SWEEP, y);
    }
    for (; j < own; ++j) {
        forward_strip(panel, (size_t)shape->rows, j, 1, y);
    }
}

void brn_front_dense_backward(const brn_front_shape *shape, const double *panel, double *y)
{
    size_t j = (size_t)shape->own;
    for (; j % SWEEP != 0; --j) {
        backward_strip(panel, (size_t)shape->rows, j - 1, 1, y);
    }
    for (; j > 0; j -= SWEEP) {
        backward_strip(panel, (size_t)shape->rows, j - SWEEP, SWEEP, y);
    }
}
