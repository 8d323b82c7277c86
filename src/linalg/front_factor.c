/* A front collects its columns of A and the contributions of its children, factors its own columns
       [ F11  .  ]   [ L11     ] [ L11' L21' ]
       [ F21 F22 ] = [ L21  I  ] [       U   ],   U = F22 - L21 L21'
   and leaves U to its parent [Duff & Reid 1983]. Children are added in their order, so every sum has one order whoever
   works on it. */
#include "linalg/front.h"

#include "base/parallel.h"
#include "linalg/front_dense.h"

#include <math.h>
#include <string.h>

enum { PIECE = 96 }; /* columns of a contribution that are worked on together in the crown: whole strips */
_Static_assert(PIECE % BRN_FRONT_STRIP == 0 && PIECE % BRN_FRONT_LANES == 0, "pieces begin with a strip");

/* Columns of a front's contribution. */
typedef struct piece {
    int front, first, end;
} piece;

typedef struct job {
    const brn_front_tree *tree;
    const brn_front_input *input;
    double *value;
    double *diagonal;
    double *room;
    double **update; /* [nfront] contribution to the parent, by columns, lower triangle */
    int *bad;        /* [nfront] column without a positive pivot, -1: none */
    const int *wave; /* fronts of the wave that is at work */
    piece *pieces;   /* of their contributions */
} job;

/* A front at work. */
typedef struct front {
    int number;
    int own, all; /* nodes */
    brn_front_shape shape;
    int *index; /* [n] position in the front of each place that is in it; anything elsewhere */
    double *panel;
    double *update; /* [shape.below][shape.below_pad] */
} front;

/* ---- collecting ------------------------------------------------------------------------------------------------- */

static int place_of(const brn_front_tree *t, const front *f, int k)
{
    return k < f->own ? t->first[f->number] + k : t->row[t->row_start[f->number] + (size_t)(k - f->own)];
}

/* Row of the panel where the k-th node of the front starts. */
static int row_of(const front *f, int k, int size)
{
    return k < f->own ? k * size : f->shape.own_pad + (k - f->own) * size;
}

static void index_rows(const brn_front_tree *t, front *f)
{
    for (int k = 0; k < f->own; ++k) {
        f->index[t->first[f->number] + k] = k;
    }
    const int *row = t->row + t->row_start[f->number];
    for (int k = f->own; k < f->all; ++k) {
        f->index[row[k - f->own]] = k;
    }
}

/* The block of A between column place j and row place q; row_step, column_step: strides of its entries. */
static bool add_block(const job *w, const front *f, int j, int q, const double *v, int row_step,
                      int column_step)
{
    const brn_front_tree *t = w->tree;
    const int s = t->size;
    const int k = f->index[q];
    if (k < 0 || k >= f->all || place_of(t, f, k) != q) {
        return false;
    }
    const size_t rows = (size_t)f->shape.rows;
    double *to = f->panel + (size_t)((j - t->first[f->number]) * s) * rows + (size_t)row_of(f, k, s);
    const unsigned row_held = w->input->held[q];
    const unsigned column_held = w->input->held[j];
    for (int c = 0; c < s; ++c) {
        for (int r = 0; r < s; ++r) {
            const bool held = (row_held >> r & 1u) || (column_held >> c & 1u);
            to[(size_t)c * rows + (size_t)r] = held ? 0.0 : v[r * row_step + c * column_step];
        }
    }
    return true;
}

/* The diagonal block of place j. */
static void add_diagonal(const job *w, const front *f, int j, const double *v)
{
    const int s = w->tree->size;
    const size_t rows = (size_t)f->shape.rows;
    const int k = j - w->tree->first[f->number];
    double *to = f->panel + (size_t)(k * s) * (rows + 1);
    const unsigned held = w->input->held[j];
    for (int c = 0; c < s; ++c) {
        for (int r = c; r < s; ++r) {
            const bool out = (held >> r & 1u) || (held >> c & 1u);
            to[(size_t)c * rows + (size_t)r] = !out ? v[r * s + c] : r == c ? 1.0 : 0.0;
        }
        w->diagonal[j * s + c] = to[(size_t)c * (rows + 1)];
    }
}

/* The front's columns of A, without nodes apart (place -1); false if one of them has a row that is not in the front. */
static bool add_matrix(const job *w, const front *f)
{
    const brn_front_tree *t = w->tree;
    const brn_block_matrix *a = w->input->a;
    const int s = t->size;
    const size_t bb = (size_t)(s * s);
    bool known = true;
    for (int j = t->first[f->number]; j < t->first[f->number + 1]; ++j) {
        const int i = t->node[j];
        add_diagonal(w, f, j, a->value + (size_t)a->start[i] * bb);
        /* Stored as block (i, column): its transpose is meant. */
        for (int k = a->start[i] + 1; k < a->start[i + 1]; ++k) {
            const int q = t->place[a->column[k]];
            if (q > j) {
                known &= add_block(w, f, j, q, a->value + (size_t)k * bb, 1, s);
            }
        }
        for (int l = a->lower_start[i]; l < a->lower_start[i + 1]; ++l) {
            const int q = t->place[a->lower_row[l]];
            if (q > j) {
                known &= add_block(w, f, j, q, a->value + (size_t)a->lower_block[l] * bb, s, 1);
            }
        }
    }
    return known;
}

/* Rows of a child that are neighbours in the front too. */
typedef struct run {
    int from, to, count; /* scalars */
} run;

/* What a child leaves to columns [begin, end) of the front, counted as its rows are. */
static void add_child(const job *w, const front *f, int child, run *runs, int begin, int end)
{
    const brn_front_tree *t = w->tree;
    const int s = t->size;
    const int below = brn_front_below(t, child);
    const int *above = t->above + t->row_start[child];
    int nrun = 0;
    for (int k = 0; k < below; ++k) {
        const int to = row_of(f, above[k], s);
        if (nrun > 0 && runs[nrun - 1].to + runs[nrun - 1].count == to) {
            runs[nrun - 1].count += s;
        } else {
            runs[nrun++] = (run){k * s, to, s};
        }
    }
    const size_t length = brn_front_pad((size_t)(below * s));
    const double *from = w->update[child];
    for (int i = 0, r = 0; i < below * s; ++i, from += length) {
        r += i == runs[r].from + runs[r].count;
        const int column = runs[r].to + i - runs[r].from;
        if (column < begin) {
            continue;
        }
        if (column >= end) {
            break;
        }
        const bool own = column < f->shape.own_pad;
        const int top = own ? 0 : f->shape.own_pad; /* row of the front that the target column starts with */
        double *to = own ? f->panel + (size_t)column * (size_t)f->shape.rows
                         : f->update + (size_t)(column - top) * (size_t)f->shape.below_pad;
        int at = i - runs[r].from;
        for (int q = r; q < nrun; ++q, at = 0) {
            const double *restrict source = from + runs[q].from;
            double *restrict target = to + (runs[q].to - top);
            for (int k = at; k < runs[q].count; ++k) {
                target[k] += source[k];
            }
        }
    }
}

/* ---- a front ---------------------------------------------------------------------------------------------------- */

/* The part that is used: the lower triangle, from the vector on in which the column's strip begins. */
static void clear_update(const brn_front_shape *shape, double *update, int first, int end)
{
    const size_t rows = (size_t)shape->below_pad;
    for (size_t j = (size_t)first; j < (size_t)end; ++j) {
        const size_t strip = j < BRN_FRONT_STRIP ? 0 : j + 1 - BRN_FRONT_STRIP; /* at the earliest */
        const size_t top = strip / BRN_FRONT_LANES * BRN_FRONT_LANES;
        memset(update + j * rows + top, 0, (rows - top) * sizeof *update);
    }
}

static void open_front(const job *w, front *f, int number, double *update)
{
    const brn_front_tree *t = w->tree;
    f->number = number;
    f->own = brn_front_own(t, number);
    f->all = f->own + brn_front_below(t, number);
    f->panel = w->value + t->panel[number];
    f->update = update;
    f->shape = brn_front_shape_at(t, number);
}

static void add_children(const job *w, const front *f, run *runs, int begin, int end)
{
    const brn_front_tree *t = w->tree;
    for (int c = t->child_start[f->number]; c < t->child_start[f->number + 1]; ++c) {
        add_child(w, f, t->child[c], runs, begin, end);
    }
}

/* The own columns. */
static brn_status work_panel(const job *w, front *f, run *runs)
{
    const brn_front_tree *t = w->tree;
    memset(f->panel, 0, (t->panel[f->number + 1] - t->panel[f->number]) * sizeof *f->panel);
    index_rows(t, f);
    if (!add_matrix(w, f)) {
        return BRN_ERR_RANGE;
    }
    add_children(w, f, runs, 0, f->shape.own_pad);
    w->update[f->number] = f->update;
    const int bad = brn_front_dense_panel(&f->shape, f->panel);
    if (bad >= 0) {
        w->bad[f->number] = t->first[f->number] * t->size + bad;
        return BRN_ERR_SINGULAR;
    }
    return BRN_OK;
}

/* Columns of the contribution, once the own ones are done. */
static void work_update(const job *w, const front *f, run *runs, int first, int end)
{
    clear_update(&f->shape, f->update, first, end);
    add_children(w, f, runs, f->shape.own_pad + first, f->shape.own_pad + end);
    brn_front_dense_update(&f->shape, f->panel, f->update, first, end);
}

/* ---- the tree ----------------------------------------------------------------------------------------------------- */

static brn_status take_front(const job *w, brn_arena *scratch, front *f, run **runs)
{
    BRN_TAKE(scratch, f->index, w->tree->n);
    BRN_TAKE(scratch, *runs, w->tree->n);
    return BRN_OK;
}

static brn_status work_task(void *arg, int block, brn_arena *scratch)
{
    const job *w = arg;
    const brn_front_tree *t = w->tree;
    const brn_front_task *task = &t->task[block];
    front f = {0};
    run *runs = NULL;
    double *stack[2];
    size_t used[2] = {0, 0};
    BRN_TRY(take_front(w, scratch, &f, &runs));
    BRN_TAKE(scratch, stack[0], task->stack[0]);
    BRN_TAKE(scratch, stack[1], task->stack[1]);
    for (int number = task->begin; number < task->end; ++number) {
        const int side = t->depth[number] & 1;
        double *update = stack[side] + used[side];
        if (t->parent[number] >= task->end) {
            update = w->room + t->hand[number];
        } else {
            used[side] += brn_front_update_size(t, number);
        }
        BRN_TRY(brn_ctx_check(t->ctx));
        open_front(w, &f, number, update);
        BRN_TRY(work_panel(w, &f, runs));
        work_update(w, &f, runs, 0, f.shape.below);
        for (int c = t->child_start[number]; c < t->child_start[number + 1]; ++c) {
            used[!side] -= brn_front_update_size(t, t->child[c]);
        }
    }
    return BRN_OK;
}

static brn_status crown_panel(void *arg, int block, brn_arena *scratch)
{
    const job *w = arg;
    front f = {0};
    run *runs = NULL;
    BRN_TRY(brn_ctx_check(w->tree->ctx));
    BRN_TRY(take_front(w, scratch, &f, &runs));
    open_front(w, &f, w->wave[block], w->room + w->tree->hand[w->wave[block]]);
    return work_panel(w, &f, runs);
}

static brn_status crown_update(void *arg, int block, brn_arena *scratch)
{
    const job *w = arg;
    const piece *p = &w->pieces[block];
    front f = {0};
    run *runs = NULL;
    BRN_TAKE(scratch, runs, w->tree->n);
    open_front(w, &f, p->front, w->room + w->tree->hand[p->front]);
    work_update(w, &f, runs, p->first, p->end);
    return BRN_OK;
}

/* The fronts of a wave, then their contributions: near the root there are fewer fronts than threads. */
static brn_status work_wave(job *w, int wave)
{
    const brn_front_tree *t = w->tree;
    const int count = t->wave_start[wave + 1] - t->wave_start[wave];
    int npiece = 0;
    w->wave = t->wave + t->wave_start[wave];
    BRN_TRY(brn_parallel_for(t->ctx, count, crown_panel, w));
    for (int k = 0; k < count; ++k) {
        const int below = brn_front_below(t, w->wave[k]) * t->size;
        for (int first = 0; first < below; first += PIECE) {
            w->pieces[npiece++] = (piece){w->wave[k], first, first + PIECE < below ? first + PIECE : below};
        }
    }
    return brn_parallel_for(t->ctx, npiece, crown_update, w);
}

/* Where the contributions to late fronts were left. */
static void find_kept(const job *w)
{
    const brn_front_tree *t = w->tree;
    for (int f = 0; f < t->nfront; ++f) {
        if (!t->late[f] && t->parent[f] >= 0 && t->late[t->parent[f]]) {
            w->update[f] = w->room + t->hand[f];
        }
    }
}

static brn_status work_tree(job *w)
{
    const brn_front_tree *t = w->tree;
    size_t pieces = 0;
    for (int f = 0; f < t->nfront; ++f) {
        pieces += t->in_crown[f] ? (size_t)(brn_front_below(t, f) * t->size) / PIECE + 1 : 0;
    }
    BRN_TAKE(brn_ctx_arena(t->ctx), w->pieces, pieces);
    if (w->input->again) {
        find_kept(w);
    } else {
        BRN_TRY(brn_parallel_for(t->ctx, t->ntask, work_task, w));
    }
    for (int k = w->input->again ? t->late_wave : 0; k < t->nwave; ++k) {
        BRN_TRY(work_wave(w, k));
    }
    return BRN_OK;
}

brn_status brn_front_factor(const brn_front_tree *t, const brn_front_input *input, double *value,
                            double *diagonal, double *room, int *bad)
{
    job w = {.tree = t, .input = input, .value = value, .diagonal = diagonal, .room = room};
    brn_arena *arena = brn_ctx_arena(t->ctx);
    BRN_TAKE(arena, w.update, t->nfront);
    BRN_TAKE(arena, w.bad, t->nfront);
    for (int f = 0; f < t->nfront; ++f) {
        w.bad[f] = -1;
    }
    const brn_status status = work_tree(&w);
    *bad = -1;
    for (int f = 0; f < t->nfront; ++f) {
        *bad = *bad < 0 ? w.bad[f] : *bad;
    }
    return status;
}
