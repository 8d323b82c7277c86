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
    const brn_front_pack *pack; /* NULL: value is used */
    int nrhs;
    const double *b; /* [nrhs][nodes*size] by nodes, and the solution */
    double *x;
    /* [nrhs][n*size] in elimination order: what is between going up and going down, then the solution */
    double *middle;
    double *handed;  /* [nrhs][row_start[nfront]*size] */
    int rows_max;    /* of all fronts */
    const int *wave; /* fronts of the wave that is at work */
} job;

static size_t dofs(const brn_front_tree *t)
{
    return (size_t)t->n * (size_t)t->size;
}

/* Doubles of a right-hand side. */
static size_t all_dofs(const brn_front_tree *t)
{
    return (size_t)t->nodes * (size_t)t->size;
}

/* Doubles of what is handed over for one right-hand side. */
static size_t hands(const brn_front_tree *t)
{
    return t->row_start[t->nfront] * (size_t)t->size;
}

/* A front's own rows of the right-hand sides; those below and padding 0. */
static void take_right(const job *w, int f, const brn_front_shape *shape, double *y)
{
    const brn_front_tree *t = w->tree;
    const size_t s = (size_t)t->size;
    const int *node = t->node + t->first[f];
    const double *b = w->b;
    for (int k = 0; k < w->nrhs; ++k, b += all_dofs(t), y += shape->rows) {
        for (int i = 0; i < shape->own / t->size; ++i) {
            memcpy(y + (size_t)i * s, b + (size_t)node[i] * s, s * sizeof *y);
        }
        memset(y + shape->own, 0, (size_t)(shape->rows - shape->own) * sizeof *y);
    }
}

static void leave_middle(const job *w, int f, const brn_front_shape *shape, const double *y)
{
    double *to = w->middle + (size_t)w->tree->first[f] * (size_t)w->tree->size;
    for (int k = 0; k < w->nrhs; ++k, to += dofs(w->tree), y += shape->rows) {
        memcpy(to, y, (size_t)shape->own * sizeof *y);
    }
}

/* Own rows from the way up, those below from the ancestors' solutions; padding 0. */
static void take_middle(const job *w, int f, const brn_front_shape *shape, double *y)
{
    const brn_front_tree *t = w->tree;
    const size_t s = (size_t)t->size;
    const int *row = t->row + t->row_start[f];
    const double *from = w->middle;
    for (int k = 0; k < w->nrhs; ++k, from += dofs(t), y += shape->rows) {
        memcpy(y, from + (size_t)t->first[f] * s, (size_t)shape->own * sizeof *y);
        memset(y + shape->own, 0, (size_t)(shape->own_pad - shape->own) * sizeof *y);
        double *below = y + shape->own_pad;
        for (int r = 0; r < shape->below / t->size; ++r) {
            memcpy(below + (size_t)r * s, from + (size_t)row[r] * s, s * sizeof *y);
        }
        memset(below + shape->below, 0, (size_t)(shape->below_pad - shape->below) * sizeof *y);
    }
}

static void leave_solution(const job *w, int f, const brn_front_shape *shape, const double *y)
{
    const brn_front_tree *t = w->tree;
    const size_t s = (size_t)t->size;
    const int *node = t->node + t->first[f];
    double *x = w->x;
    leave_middle(w, f, shape, y);
    for (int k = 0; k < w->nrhs; ++k, x += all_dofs(t), y += shape->rows) {
        for (int i = 0; i < shape->own / t->size; ++i) {
            memcpy(x + (size_t)node[i] * s, y + (size_t)i * s, s * sizeof *y);
        }
    }
}

/* Adds what a child left to its parent's rows. */
static void add_child(const job *w, int child, const brn_front_shape *shape, double *y)
{
    const brn_front_tree *t = w->tree;
    const size_t s = (size_t)t->size;
    const size_t stride = hands(t);
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
    for (int k = 0; k < w->nrhs; ++k, y += shape->rows, to += hands(t)) {
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
    take_right(w, f, &shape, y);
    for (int c = t->child_start[f]; c < t->child_start[f + 1]; ++c) {
        add_child(w, t->child[c], &shape, y);
    }
    if (w->pack != NULL) {
        brn_front_pack_forward(&shape, w->pack->value + w->pack->start[f], y);
    } else if (w->nrhs == 1) {
        brn_front_dense_forward(&shape, panel, y);
    } else {
        dtrsm_("L", "L", "N", "N", &shape.own, &w->nrhs, &one, panel, &shape.rows, y, &shape.rows);
        if (shape.below > 0) {
            dgemm_("N", "N", &shape.below, &w->nrhs, &shape.own, &minus, panel + shape.own_pad, &shape.rows,
                   y, &shape.rows, &one, y + shape.own_pad, &shape.rows);
        }
    }
    leave_middle(w, f, &shape, y);
    hand_over(w, f, &shape, y);
}

/* y1 = L11^-T (y1 - L21' y2), y2 from the ancestors' own columns */
static void backward(const job *w, int f, double *y)
{
    const brn_front_tree *t = w->tree;
    const brn_front_shape shape = brn_front_shape_at(t, f);
    const double *panel = w->value + t->panel[f];
    const double one = 1.0;
    const double minus = -1.0;
    take_middle(w, f, &shape, y);
    if (w->pack != NULL) {
        brn_front_pack_backward(&shape, w->pack->value + w->pack->start[f + 1], y);
    } else if (w->nrhs == 1) {
        brn_front_dense_backward(&shape, panel, y);
    } else {
        if (shape.below > 0) {
            dgemm_("T", "N", &shape.own, &w->nrhs, &shape.below, &minus, panel + shape.own_pad, &shape.rows,
                   y + shape.own_pad, &shape.rows, &one, y, &shape.rows);
        }
        dtrsm_("L", "L", "T", "N", &shape.own, &w->nrhs, &one, panel, &shape.rows, y, &shape.rows);
    }
    leave_solution(w, f, &shape, y);
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

/* x = b of nodes that the tree lacks. */
static void copy_apart(const job *w)
{
    const brn_front_tree *t = w->tree;
    const size_t s = (size_t)t->size;
    for (int i = 0; i < t->nodes && t->n < t->nodes && w->x != w->b; ++i) {
        for (int k = 0; k < w->nrhs && t->place[i] < 0; ++k) {
            const size_t at = (size_t)k * all_dofs(t) + (size_t)i * s;
            memcpy(w->x + at, w->b + at, s * sizeof *w->x);
        }
    }
}

static int most_rows(const brn_front_tree *t)
{
    int most = 0;
    for (int f = 0; f < t->nfront; ++f) {
        const int rows = brn_front_shape_at(t, f).rows;
        most = rows > most ? rows : most;
    }
    return most;
}

/* The crown: up and down again. */
static brn_status pass_waves(job *w)
{
    const brn_front_tree *t = w->tree;
    for (int k = 0; k < t->nwave; ++k) {
        w->wave = t->wave + t->wave_start[k];
        BRN_TRY(brn_parallel_for(t->ctx, t->wave_start[k + 1] - t->wave_start[k], crown_up, w));
    }
    for (int k = t->nwave - 1; k >= 0; --k) {
        w->wave = t->wave + t->wave_start[k];
        BRN_TRY(brn_parallel_for(t->ctx, t->wave_start[k + 1] - t->wave_start[k], crown_down, w));
    }
    return BRN_OK;
}

brn_status brn_front_solve(const brn_front_tree *t, const double *value, const brn_front_pack *pack, int nrhs,
                           const double *b, double *x, double *work)
{
    job w = {.tree = t,
             .value = value,
             .pack = pack,
             .nrhs = nrhs,
             .b = b,
             .x = x,
             .middle = work,
             .handed = work + dofs(t) * (size_t)nrhs};
    copy_apart(&w);
    w.rows_max = most_rows(t);
    BRN_TRY(brn_parallel_for(t->ctx, t->ntask, task_up, &w));
    BRN_TRY(pass_waves(&w));
    return brn_parallel_for(t->ctx, t->ntask, task_down, &w);
}
