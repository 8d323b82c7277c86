/* W = B' A^-1 B of sparse columns B. With A = L L' this is Y' Y of Y = L^-1 B: the way up alone, and a column has entries only in the fronts
   of its nodes and those above them. What the fronts have of Y is kept, and W is added up from it front by front, a few columns of W at
   a time. The columns are numbered by the places of their first nodes, so that those in a front mostly follow each other. */
#include "linalg/front.h"

#include "base/parallel.h"
#include "linalg/blas.h"

#include <limits.h>
#include <string.h>

/* Columns that are treated together, the same for any number of threads. */
enum { TOGETHER = 96 };

/* An entry of a column at a node of a front. */
typedef struct entry {
    int column; /* number */
    int at;     /* in the columns' lists */
} entry;

/* Some columns of a front. */
typedef struct piece {
    int front, begin, end;
} piece;

typedef struct job {
    const brn_front_tree *tree;
    const double *value;
    const brn_columns *b;
    int *number;        /* [columns] by first places */
    int *column;        /* [columns] its inverse */
    int *entry_start;   /* [nfront + 1] */
    entry *entry;       /* by fronts */
    size_t *list_start; /* [nfront + 1] */
    int *list;          /* numbers of the columns in a front, ascending */
    size_t *y_start;    /* [nfront + 1] */
    double *y;          /* [columns in the front][rows of the front] */
    double *out;
    const piece *piece;
} job;

static int count_in(const job *w, int f)
{
    return (int)(w->list_start[f + 1] - w->list_start[f]);
}

/* How many columns of a front have smaller numbers. */
static int before(const job *w, int f, int number)
{
    const int *list = w->list + w->list_start[f];
    int low = 0;
    int high = count_in(w, f);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (list[middle] < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* ---- which columns are where ------------------------------------------------------------------------------------ */

/* Numbers the columns by their first places: a counting sort. Columns without a node that is eliminated come last. */
static brn_status number_columns(job *w, brn_arena *arena)
{
    const brn_front_tree *t = w->tree;
    const int count = w->b->count;
    int *first = NULL;
    int *start = NULL;
    BRN_TAKE(arena, first, count);
    BRN_TAKE(arena, start, t->n + 2);
    memset(start, 0, ((size_t)t->n + 2) * sizeof *start);
    for (int c = 0; c < count; ++c) {
        first[c] = t->n;
        for (int k = w->b->start[c]; k < w->b->start[c + 1]; ++k) {
            const int place = t->place[w->b->node[k]];
            first[c] = place >= 0 && place < first[c] ? place : first[c];
        }
        start[first[c] + 1]++;
    }
    for (int p = 0; p <= t->n; ++p) {
        start[p + 1] += start[p];
    }
    for (int c = 0; c < count; ++c) {
        w->number[c] = start[first[c]]++;
        w->column[w->number[c]] = c;
    }
    return BRN_OK;
}

/* Entries by fronts. */
static brn_status sort_entries(job *w, brn_arena *arena)
{
    const brn_front_tree *t = w->tree;
    int *front_of = NULL;
    BRN_TAKE(arena, front_of, t->n);
    memset(w->entry_start, 0, ((size_t)t->nfront + 1) * sizeof *w->entry_start);
    for (int f = 0; f < t->nfront; ++f) {
        for (int p = t->first[f]; p < t->first[f + 1]; ++p) {
            front_of[p] = f;
        }
    }
    for (int k = 0; k < w->b->start[w->b->count]; ++k) {
        const int place = t->place[w->b->node[k]];
        if (place >= 0) {
            w->entry_start[front_of[place] + 1]++;
        }
    }
    for (int f = 0; f < t->nfront; ++f) {
        w->entry_start[f + 1] += w->entry_start[f];
    }
    for (int c = 0; c < w->b->count; ++c) {
        for (int k = w->b->start[c]; k < w->b->start[c + 1]; ++k) {
            const int place = t->place[w->b->node[k]];
            if (place >= 0) {
                w->entry[w->entry_start[front_of[place]]++] = (entry){w->number[c], k};
            }
        }
    }
    memmove(w->entry_start + 1, w->entry_start, (size_t)t->nfront * sizeof *w->entry_start);
    w->entry_start[0] = 0;
    return BRN_OK;
}

/* The columns of front f, its own entries' and its children's, in `seen`; returns how many there are, *low and *high: their range. */
static int gather(const job *w, int f, int *seen, int *low, int *high)
{
    const brn_front_tree *t = w->tree;
    int count = 0;
    *low = INT_MAX;
    *high = -1;
    for (int c = t->child_start[f] - 1; c < t->child_start[f + 1]; ++c) {
        const bool own = c < t->child_start[f];
        const int many = own ? w->entry_start[f + 1] - w->entry_start[f] : count_in(w, t->child[c]);
        for (int k = 0; k < many; ++k) {
            const int number = own ? w->entry[w->entry_start[f] + k].column
                                   : w->list[w->list_start[t->child[c]] + (size_t)k];
            count += seen[number] != f;
            seen[number] = f;
            *low = number < *low ? number : *low;
            *high = number > *high ? number : *high;
        }
    }
    return count;
}

/* The lists of all fronts: first their lengths, then, where there is a list, themselves. */
static brn_status list_columns(brn_ctx *ctx, job *w, brn_arena *arena, size_t *capacity)
{
    const brn_front_tree *t = w->tree;
    int *seen = NULL;
    BRN_TAKE(arena, seen, w->b->count);
    memset(seen, -1, (size_t)w->b->count * sizeof *seen);
    w->list_start[0] = w->y_start[0] = 0;
    for (int f = 0; f < t->nfront; ++f) {
        int low;
        int high;
        const int count = gather(w, f, seen, &low, &high);
        size_t at = w->list_start[f];
        BRN_GROW(ctx, w->list, *capacity, at + (size_t)count + 1);
        for (int k = low; k <= high; ++k) {
            if (seen[k] == f) {
                w->list[at++] = k;
            }
        }
        w->list_start[f + 1] = at;
        w->y_start[f + 1] = w->y_start[f] + (size_t)count * (size_t)brn_front_shape_at(t, f).rows;
    }
    return BRN_OK;
}

/* ---- the way up ------------------------------------------------------------------------------------------------- */

/* Adds what a child left to columns [begin, end) of its parent. */
static void add_child(const job *w, int child, const piece *p, const brn_front_shape *shape)
{
    const brn_front_tree *t = w->tree;
    const size_t s = (size_t)t->size;
    const brn_front_shape below = brn_front_shape_at(t, child);
    const int *list = w->list + w->list_start[p->front];
    const int own = shape->own / t->size;
    const int *above = t->above + t->row_start[child];
    int at = p->begin;
    for (int k = before(w, child, list[p->begin]); k < count_in(w, child) && at < p->end; ++k) {
        const int number = w->list[w->list_start[child] + (size_t)k];
        while (at < p->end && list[at] < number) {
            ++at;
        }
        if (at == p->end) {
            break;
        }
        const double *from = w->y + w->y_start[child] + (size_t)k * (size_t)below.rows + below.own_pad;
        double *to = w->y + w->y_start[p->front] + (size_t)at * (size_t)shape->rows;
        for (int r = 0; r < below.below / t->size; ++r, from += s) {
            double *row = to + (above[r] < own ? (size_t)above[r] * s
                                               : (size_t)shape->own_pad + (size_t)(above[r] - own) * s);
            for (size_t i = 0; i < s; ++i) {
                row[i] += from[i];
            }
        }
    }
}

/* y1 = L11^-1 y1, y2 -= L21 y1 of some columns of a front. */
static void forward(const job *w, const piece *p)
{
    const brn_front_tree *t = w->tree;
    const size_t s = (size_t)t->size;
    const brn_front_shape shape = brn_front_shape_at(t, p->front);
    const double *panel = w->value + t->panel[p->front];
    const int n = p->end - p->begin;
    const double one = 1.0;
    const double minus = -1.0;
    double *all = w->y + w->y_start[p->front];
    double *y = all + (size_t)p->begin * (size_t)shape.rows;
    memset(y, 0, (size_t)n * (size_t)shape.rows * sizeof *y);
    for (int k = w->entry_start[p->front]; k < w->entry_start[p->front + 1]; ++k) {
        const int column = before(w, p->front, w->entry[k].column);
        const int node = w->b->node[w->entry[k].at];
        double *to =
            all + (size_t)column * (size_t)shape.rows + (size_t)(t->place[node] - t->first[p->front]) * s;
        for (size_t i = 0; i < s && column >= p->begin && column < p->end; ++i) {
            to[i] += w->b->value[(size_t)w->entry[k].at * s + i];
        }
    }
    for (int c = t->child_start[p->front]; c < t->child_start[p->front + 1]; ++c) {
        add_child(w, t->child[c], p, &shape);
    }
    dtrsm_("L", "L", "N", "N", &shape.own, &n, &one, panel, &shape.rows, y, &shape.rows);
    if (shape.below > 0) {
        dgemm_("N", "N", &shape.below, &n, &shape.own, &minus, panel + shape.own_pad, &shape.rows, y,
               &shape.rows, &one, y + shape.own_pad, &shape.rows);
    }
}

static brn_status task_up(void *arg, int block, brn_arena *scratch)
{
    const job *w = arg;
    (void)scratch;
    for (int f = w->tree->task[block].begin; f < w->tree->task[block].end; ++f) {
        if (count_in(w, f) > 0) {
            forward(w, &(piece){f, 0, count_in(w, f)});
        }
    }
    return BRN_OK;
}

static brn_status piece_up(void *arg, int block, brn_arena *scratch)
{
    const job *w = arg;
    (void)scratch;
    forward(w, &w->piece[block]);
    return BRN_OK;
}

static brn_status pass_up(job *w, brn_arena *arena)
{
    const brn_front_tree *t = w->tree;
    BRN_TRY(brn_parallel_for(t->ctx, t->ntask, task_up, w));
    for (int k = 0; k < t->nwave; ++k) {
        const brn_arena_mark mark = brn_arena_now(arena);
        const int fronts = t->wave_start[k + 1] - t->wave_start[k];
        int count = 0;
        piece *pieces = NULL;
        BRN_TAKE(arena, pieces, fronts * (w->b->count / TOGETHER + 1));
        for (int i = t->wave_start[k]; i < t->wave_start[k + 1]; ++i) {
            const int columns = count_in(w, t->wave[i]);
            for (int at = 0; at < columns; at += TOGETHER) {
                pieces[count++] = (piece){t->wave[i], at, columns - at < TOGETHER ? columns : at + TOGETHER};
            }
        }
        w->piece = pieces;
        BRN_TRY(brn_parallel_for(t->ctx, count, piece_up, w));
        brn_arena_rewind(arena, mark);
    }
    return BRN_OK;
}

/* ---- the product -------------------------------------------------------------------------------------------------- */

/* Some columns of W by numbers, up to the last of them: rows [end], columns [begin, end). */
typedef struct strip {
    int begin, end;
    double *w;    /* [end - begin][end] */
    double *room; /* the same */
} strip;

/* Adds a front's part of the strip: columns [a, b) of its list. */
static void add_front(const job *w, int f, int a, int b, const strip *to)
{
    const brn_front_shape shape = brn_front_shape_at(w->tree, f);
    const int *list = w->list + w->list_start[f];
    const double *y = w->y + w->y_start[f];
    const double *right = y + (size_t)a * (size_t)shape.rows;
    const size_t length = (size_t)to->end;
    const int width = b - a;
    const double zero = 0.0;
    const double one = 1.0;
    if (list[b - 1] - list[0] == b - 1) { /* they follow each other */
        dgemm_("T", "N", &b, &width, &shape.own, &one, y, &shape.rows, right, &shape.rows, &one,
               to->w + (size_t)(list[a] - to->begin) * length + (size_t)list[0], &to->end);
        return;
    }
    dgemm_("T", "N", &b, &width, &shape.own, &one, y, &shape.rows, right, &shape.rows, &zero, to->room, &b);
    for (int j = 0; j < width; ++j) {
        double *column = to->w + (size_t)(list[a + j] - to->begin) * length;
        for (int i = 0; i < b; ++i) {
            column[list[i]] += to->room[(size_t)j * (size_t)b + (size_t)i];
        }
    }
}

/* Both halves of a strip, in the order of the columns as they were given. */
static void spread(const job *w, const strip *from)
{
    const size_t n = (size_t)w->b->count;
    const size_t length = (size_t)from->end;
    for (int i = 0; i < from->end; ++i) {
        double *row = w->out + (size_t)w->column[i] * n;
        for (int j = i > from->begin ? i : from->begin; j < from->end; ++j) {
            const double value = from->w[(size_t)(j - from->begin) * length + (size_t)i];
            row[w->column[j]] = value;
            w->out[(size_t)w->column[j] * n + (size_t)w->column[i]] = value;
        }
    }
}

static brn_status multiply(void *arg, int block, brn_arena *scratch)
{
    const job *w = arg;
    const size_t n = (size_t)w->b->count;
    strip to = {.begin = block * TOGETHER, .end = brn_block_end(w->b->count, TOGETHER, block)};
    BRN_TAKE(scratch, to.w, n * TOGETHER);
    BRN_TAKE(scratch, to.room, n * TOGETHER);
    memset(to.w, 0, (size_t)(to.end - to.begin) * (size_t)to.end * sizeof *to.w);
    for (int f = 0; f < w->tree->nfront; ++f) {
        const int a = before(w, f, to.begin);
        const int b = before(w, f, to.end);
        if (a < b) {
            add_front(w, f, a, b, &to);
        }
    }
    spread(w, &to);
    return BRN_OK;
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static brn_status take(job *w, brn_arena *arena)
{
    const size_t fronts = (size_t)w->tree->nfront + 1;
    BRN_TAKE(arena, w->number, w->b->count);
    BRN_TAKE(arena, w->column, w->b->count);
    BRN_TAKE(arena, w->entry, w->b->start[w->b->count]);
    BRN_TAKE(arena, w->entry_start, fronts);
    BRN_TAKE(arena, w->list_start, fronts);
    BRN_TAKE(arena, w->y_start, fronts);
    return BRN_OK;
}

static brn_status work(brn_ctx *ctx, job *w, double **room, size_t *capacity, size_t *list_capacity)
{
    brn_arena *arena = brn_ctx_arena(ctx);
    BRN_TRY(take(w, arena));
    BRN_TRY(number_columns(w, arena));
    BRN_TRY(sort_entries(w, arena));
    BRN_TRY(list_columns(ctx, w, arena, list_capacity));
    BRN_GROW(ctx, *room, *capacity, w->y_start[w->tree->nfront]);
    w->y = *room;
    BRN_TRY(pass_up(w, arena));
    return brn_parallel_for(ctx, brn_block_count(w->b->count, TOGETHER), multiply, w);
}

brn_status brn_front_compliance(const brn_front_tree *tree, const double *value, const brn_columns *b,
                                double **room, size_t *capacity, double *out)
{
    brn_ctx *ctx = tree->ctx;
    job w = {.tree = tree, .value = value, .b = b, .out = out};
    size_t list_capacity = 0;
    const brn_arena_mark mark = brn_arena_now(brn_ctx_arena(ctx));
    const brn_status status = work(ctx, &w, room, capacity, &list_capacity);
    brn_free(ctx, w.list);
    brn_arena_rewind(brn_ctx_arena(ctx), mark);
    return status;
}
