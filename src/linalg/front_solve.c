/* Forward and backward substitution, front by front, over the same tasks and waves as the factorisation. Going up, a front adds
   what its children hand over, in their order, and hands its own rows below to its parent, so that nobody writes what
   another front reads. */
#include "linalg/front.h"

#include "base/parallel.h"
#include "linalg/blas.h"

#include <string.h>

typedef struct job {
    const brn_front_tree *tree;
    const double *value;
    int nrhs;
    double *x;       /* [nrhs][n*size] */
    double *handed;  /* [nrhs][row_start[nfront]*size] */
    int rows_max;    /* of all fronts */
    const int *wave; /* fronts of the wave that is at work */
} job;

/* A front's rows of all right-hand sides: own ones from x; those below 0. */
static void take_own(const job *w, int f, const brn_front_shape *shape, double *y)
{
    const size_t ndof = (size_t)w->tree->n * (size_t)w->tree->size;
    const double *x = w->x + (size_t)w->tree->first[f] * (size_t)w->tree->size;
    for (int k = 0; k < w->nrhs; ++k, x += ndof, y += shape->rows) {
        memcpy(y, x, (size_t)shape->own * sizeof *y);
        memset(y + shape->own, 0, (size_t)(shape->rows - shape->own) * sizeof *y);
    }
}

static void leave_own(const job *w, int f, const brn_front_shape *shape, const double *y)
{
    const size_t ndof = (size_t)w->tree->n * (size_t)w->tree->size;
    double *x = w->x + (size_t)w->tree->first[f] * (size_t)w->tree->size;
    for (int k = 0; k < w->nrhs; ++k, x += ndof, y += shape->rows) {
        memcpy(x, y, (size_t)shape->own * sizeof *y);
    }
}

/* Adds what a child left to its parent's rows. */
static void add_child(const job *w, int child, const brn_front_shape *shape, double *y)
{
    const brn_front_tree *t = w->tree;
    const size_t s = (size_t)t->size;
    const size_t stride = brn_front_solve_work(t);
    const size_t begin = t->row_start[child];
    const size_t end = t->row_start[child + 1];
    const int own = shape->own / t->size;
    for (int k = 0; k < w->nrhs; ++k, y += shape->rows) {
        const double *from = w->handed + (size_t)k * stride + begin * s;
        for (size_t r = begin; r < end; ++r, from += s) {
            const int at = t->above[r];
            double *to = y + (at < own ? (size_t)at * s : (size_t)shape->own_pad + (size_t)(at - own) * s);
            for (size_t i = 0; i < s; ++i) {
                to[i] += from[i];
            }
        }
    }
}

static void hand_over(const job *w, int f, const brn_front_shape *shape, const double *y)
{
    const brn_front_tree *t = w->tree;
    double *to = w->handed + t->row_start[f] * (size_t)t->size;
    for (int k = 0; k < w->nrhs; ++k, y += shape->rows, to += brn_front_solve_work(t)) {
        memcpy(to, y + shape->own_pad, (size_t)shape->below * sizeof *y);
    }
}

/* y1 = L11^-1 y1, y2 -= L21 y1 */
static void forward(const job *w, int f, double *y)
{
    const brn_front_tree *t = w->tree;
    const brn_front_shape shape = brn_front_shape_at(t, f);
    const double *panel = w->value + t->panel[f];
    const double one = 1.0;
    const double minus = -1.0;
    take_own(w, f, &shape, y);
    for (int c = t->child_start[f]; c < t->child_start[f + 1]; ++c) {
        add_child(w, t->child[c], &shape, y);
    }
    if (w->nrhs == 1) {
        brn_front_dense_forward(&shape, panel, y);
    } else {
        dtrsm_("L", "L", "N", "N", &shape.own, &w->nrhs, &one, panel, &shape.rows, y, &shape.rows);
        if (shape.below > 0) {
            dgemm_("N", "N", &shape.below, &w->nrhs, &shape.own, &minus, panel + shape.own_pad, &shape.rows,
                   y, &shape.rows, &one, y + shape.own_pad, &shape.rows);
        }
    }
    leave_own(w, f, &shape, y);
    hand_over(w, f, &shape, y);
}

/* y1 = L11^-T (y1 - L21' y2), y2 from the ancestors' own columns */
static void backward(const job *w, int f, double *y)
{
    const brn_front_tree *t = w->tree;
    const size_t s = (size_t)t->size;
    const brn_front_shape shape = brn_front_shape_at(t, f);
    const double *panel = w->value + t->panel[f];
    const double one = 1.0;
    const double minus = -1.0;
    const int *row = t->row + t->row_start[f];
    take_own(w, f, &shape, y);
    for (int k = 0; k < w->nrhs; ++k) {
        const double *from = w->x + (size_t)k * (size_t)t->n * s;
        double *to = y + (size_t)k * (size_t)shape.rows + shape.own_pad;
        for (int r = 0; r < shape.below / t->size; ++r) {
            memcpy(to + (size_t)r * s, from + (size_t)row[r] * s, s * sizeof *to);
        }
    }
    if (w->nrhs == 1) {
        brn_front_dense_backward(&shape, panel, y);
    } else {
        if (shape.below > 0) {
            dgemm_("T", "N", &shape.own, &w->nrhs, &shape.below, &minus, panel + shape.own_pad, &shape.rows,
                   y + shape.own_pad, &shape.rows, &one, y, &shape.rows);
        }
        dtrsm_("L", "L", "T", "N", &shape.own, &w->nrhs, &one, panel, &shape.rows, y, &shape.rows);
    }
    leave_own(w, f, &shape, y);
}

/* ---- the tree --------------------------------------------------------------------------------------------------- */

static brn_status task_up(void *arg, int block, brn_arena *scratch)
{
    const job *w = arg;
    double *y = NULL;
    BRN_TAKE(scratch, y, (size_t)w->rows_max * (size_t)w->nrhs);
    for (int f = w->tree->task[block].begin; f < w->tree->task[block].end; ++f) {
        forward(w, f, y);
    }
    return BRN_OK;
}

static brn_status task_down(void *arg, int block, brn_arena *scratch)
{
    const job *w = arg;
    double *y = NULL;
    BRN_TAKE(scratch, y, (size_t)w->rows_max * (size_t)w->nrhs);
    for (int f = w->tree->task[block].end - 1; f >= w->tree->task[block].begin; --f) {
        backward(w, f, y);
    }
    return BRN_OK;
}

static brn_status crown_up(void *arg, int block, brn_arena *scratch)
{
    const job *w = arg;
    double *y = NULL;
    BRN_TAKE(scratch, y, (size_t)w->rows_max * (size_t)w->nrhs);
    forward(w, w->wave[block], y);
    return BRN_OK;
}

static brn_status crown_down(void *arg, int block, brn_arena *scratch)
{
    const job *w = arg;
    double *y = NULL;
    BRN_TAKE(scratch, y, (size_t)w->rows_max * (size_t)w->nrhs);
    backward(w, w->wave[block], y);
    return BRN_OK;
}

brn_status brn_front_solve(const brn_front_tree *t, const double *value, int nrhs, double *x, double *work)
{
    job w = {.tree = t, .value = value, .nrhs = nrhs, .x = x, .handed = work};
    for (int f = 0; f < t->nfront; ++f) {
        const int rows = brn_front_shape_at(t, f).rows;
        w.rows_max = rows > w.rows_max ? rows : w.rows_max;
    }
    BRN_TRY(brn_parallel_for(t->ctx, t->ntask, task_up, &w));
    for (int k = 0; k < t->nwave; ++k) {
        w.wave = t->wave + t->wave_start[k];
        BRN_TRY(brn_parallel_for(t->ctx, t->wave_start[k + 1] - t->wave_start[k], crown_up, &w));
    }
    for (int k = t->nwave - 1; k >= 0; --k) {
        w.wave = t->wave + t->wave_start[k];
        BRN_TRY(brn_parallel_for(t->ctx, t->wave_start[k + 1] - t->wave_start[k], crown_down, &w));
    }
    return brn_parallel_for(t->ctx, t->ntask, task_down, &w);
}
