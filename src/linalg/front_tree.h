/* The elimination tree of a sparse Cholesky factorisation, cut into fronts: sets of columns with (nearly) the same rows
   below, which are factored as dense matrices. Everything is counted in nodes (block rows); "place" is a node's position in
   the elimination order. Private to the factorisation. */
#ifndef BRN_LINALG_FRONT_TREE_H
#define BRN_LINALG_FRONT_TREE_H

#include "linalg/block_matrix.h"
#include "linalg/front_dense.h"
#include "linalg/ordering.h"

/* A run of fronts, closed under children, that one worker treats alone. */
typedef struct brn_front_task {
    int begin, end;
    size_t stack[2]; /* doubles that the contributions of fronts of even and of odd depth need at a time */
} brn_front_task;

typedef struct brn_front_tree {
    brn_ctx *ctx;
    int n, size; /* nodes that are eliminated: all but those apart */
    int nodes;   /* of the matrix */
    int nfront;
    int *node;         /* [n] node at each place */
    int *place;        /* [nodes] its inverse; -1: apart */
    int *first;        /* [nfront + 1] places of a front's own columns: first[f] .. first[f + 1] */
    size_t *row_start; /* [nfront + 1] */
    int *row;          /* places of the rows below, ascending; all belong to ancestors */
    int *above;        /* of each of these rows, its number in the parent's front, own columns first */
    int *parent;       /* [nfront], -1 at a root; parents come after their children */
    int *child_start;  /* [nfront + 1] */
    int *child;        /* [nfront], ascending in a front */
    int *depth;        /* [nfront] distance to the root */
    size_t *panel;     /* [nfront + 1] where a front's columns start in the values of the factor */
    /* The work: tasks that do not wait for anything, then the fronts above them ("crown"), wave by wave. The cut depends
       on the tree alone. */
    brn_front_task *task;
    int ntask;
    int *wave_start; /* [nwave + 1] */
    int *wave;       /* fronts of the crown, by waves */
    int nwave;
    bool *in_crown; /* [nfront] */
    /* Fronts that change from one factorisation to the next, and all above them, where that is the smaller part of the work: waves from
       late_wave on. What other fronts contribute to them is kept. */
    bool *late; /* [nfront] */
    int late_wave;
    /* Contributions that outlive their task or wave: where they wait for the parent in one common room. */
    size_t *hand; /* [nfront]; of others: nothing */
    size_t room;  /* doubles */
} brn_front_tree;

/* The tree of A's pattern without nodes apart [n]; the ordering, of all nodes, must be postordered for it, nodes apart without
   neighbours. changing [n], may be NULL: nodes whose columns change from one factorisation to the next. */
brn_status brn_front_tree_create(const brn_block_matrix *a, const unsigned char *apart,
                                 const unsigned char *changing, const brn_ordering *ordering,
                                 brn_front_tree **out);
void brn_front_tree_destroy(brn_front_tree *tree);

/* Rows of a front below its own columns, and its own columns, in nodes. */
static inline int brn_front_below(const brn_front_tree *t, int f)
{
    return (int)(t->row_start[f + 1] - t->row_start[f]);
}

static inline int brn_front_own(const brn_front_tree *t, int f)
{
    return t->first[f + 1] - t->first[f];
}

static inline brn_front_shape brn_front_shape_at(const brn_front_tree *t, int f)
{
    return brn_front_shape_of(brn_front_own(t, f) * t->size, brn_front_below(t, f) * t->size);
}

/* Doubles of its contribution to the parent. */
static inline size_t brn_front_update_size(const brn_front_tree *t, int f)
{
    const size_t below = (size_t)brn_front_below(t, f) * (size_t)t->size;
    return below * brn_front_pad(below);
}

#endif
