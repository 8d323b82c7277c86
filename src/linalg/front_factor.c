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

typedef struct job {
    const brn_front_tree *tree;
    const brn_front_input *input;
    double *value;
    double *diagonal;
    double *room;
    double **update; /* [nfront] contribution to the parent, by columns, lower triangle */
    int *bad;        /* [nfront] column without a positive pivot, -1: none */
    const int *wave; /* fronts of the wave that is at work */
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

/* The front's columns of A; false if one of them has a row that is not in the front. */
static bool add_matrix(const job *w, const front *f)
{
    const brn_front_tree *t = w->tree;
    const brn_block_matrix *a = w->input->a;
    const unsigned char *apart = w->input->apart;
    const int s = t->size;
    const size_t bb = (size_t)(s * s);
    bool known = true;
    for (int j = t->first[f->number]; j < t->first[f->number + 1]; ++j) {
        const int i = t->node[j];
        add_diagonal(w, f, j, a->value + (size_t)a->start[i] * bb);
        if (apart[i]) {
            continue;
        }
        /* Stored as block (i, column): its transpose is meant. */
        for (int k = a->start[i] + 1; k < a->start[i + 1]; ++k) {
            const int q = t->place[a->column[k]];
            if (q > j && !apart[a->column[k]]) {
                known &= add_block(w, f, j, q, a->value + (size_t)k * bb, 1, s);
            }
        }
        for (int l = a->lower_start[i]; l < a->lower_start[i + 1]; ++l) {
            const int q = t->place[a->lower_row[l]];
            if (q > j && !apart[a->lower_row[l]]) {
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

static void add_child(const job *w, const front *f, int child, run *runs)
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
static void clear_update(const brn_front_shape *shape, double *update)
{
    const size_t rows = (size_t)shape->below_pad;
    for (size_t j = 0; j < (size_t)shape->below; ++j) {
        const size_t strip = j < BRN_FRONT_STRIP ? 0 : j + 1 - BRN_FRONT_STRIP; /* at the earliest */
        const size_t first = strip / BRN_FRONT_LANES * BRN_FRONT_LANES;
        memset(update + j * rows + first, 0, (rows - first) * sizeof *update);
    }
}

static brn_status work_front(const job *w, front *f, int number, double *update, run *runs)
{
    const brn_front_tree *t = w->tree;
    const int s = t->size;
    f->number = number;
    f->own = brn_front_own(t, number);
    f->all = f->own + brn_front_below(t, number);
    f->panel = w->value + t->panel[number];
    f->update = update;
    f->shape = brn_front_shape_of(f->own * s, (f->all - f->own) * s);
    memset(f->panel, 0, (t->panel[number + 1] - t->panel[number]) * sizeof *f->panel);
    clear_update(&f->shape, update);
    index_rows(t, f);
    if (!add_matrix(w, f)) {
        return BRN_ERR_RANGE;
    }
    for (int c = t->child_start[number]; c < t->child_start[number + 1]; ++c) {
        add_child(w, f, t->child[c], runs);
    }
    w->update[number] = update;
    const int bad = brn_front_dense_factor(&f->shape, f->panel, f->update);
    if (bad >= 0) {
        w->bad[number] = t->first[number] * s + bad;
        return BRN_ERR_SINGULAR;
    }
    return BRN_OK;
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
        BRN_TRY(work_front(w, &f, number, update, runs));
        for (int c = t->child_start[number]; c < t->child_start[number + 1]; ++c) {
            used[!side] -= brn_front_update_size(t, t->child[c]);
        }
    }
    return BRN_OK;
}

static brn_status work_crown(void *arg, int block, brn_arena *scratch)
{
    const job *w = arg;
    const brn_front_tree *t = w->tree;
    const int number = w->wave[block];
    front f = {0};
    run *runs = NULL;
    BRN_TRY(brn_ctx_check(t->ctx));
    BRN_TRY(take_front(w, scratch, &f, &runs));
    return work_front(w, &f, number, w->room + t->hand[number], runs);
}

static brn_status work_tree(job *w)
{
    const brn_front_tree *t = w->tree;
    BRN_TRY(brn_parallel_for(t->ctx, t->ntask, work_task, w));
    for (int k = 0; k < t->nwave; ++k) {
        w->wave = t->wave + t->wave_start[k];
        BRN_TRY(brn_parallel_for(t->ctx, t->wave_start[k + 1] - t->wave_start[k], work_crown, w));
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
