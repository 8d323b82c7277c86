/* Columns j, j + 1 share a front if j + 1 is j's parent in the elimination tree and has the same rows below. Such fronts are
   tiny on thin bodies, so a child is merged into its parent where a model of the machine says that the dense work on some
   zeros costs less than another front; merging needs only the sizes, since a child's rows below are among its parent's
   columns and rows. */
#include "linalg/front_tree.h"

#include "base/arena.h"
#include "linalg/sort.h"

#include <stdint.h>
#include <string.h>

/* What a front costs [s]: a start-up, its operations, the memory traffic of its columns (in the factorisation and twice in a
   solution) and that of its contribution to the parent. Tuned on thin mats and a ball with cores of 50 GFLOP/s; the optimum
   is flat, and only ratios matter. */
static const double TIME_FRONT = 0.6e-6;
static const double TIME_FLOP = 4.0e-11;
static const double TIME_PANEL = 2.5e-9;
static const double TIME_UPDATE = 1.0e-9;
/* A task is a 24th of the whole work, unless it would be too short to be worth waking a thread for [s]. */
enum { TASKS = 24 };
static const double TASK_TIME_MIN = 1e-4;
/* Of the operations: what changes and all above it is told apart from the rest up to this share. */
static const double LATE_MOST = 0.5;

/* Scratch of the construction, on the arena. */
typedef struct builder {
    const brn_block_matrix *a;
    const brn_ordering *ordering;
    brn_front_tree *tree;
    int *node, *column; /* [n] the ordering's nodes and counts without those apart */
    int *near;          /* [n] places of a node's neighbours */
    int *parent;        /* [n] elimination tree of the columns */
    int *late;          /* [n] columns that change and those above them */
    int *work;          /* [n] */
    /* Fronts before they are merged, at most n. */
    int count;
    int *begin; /* [count + 1] first column */
    int *super; /* [count] parent, -1: none */
    int *own;   /* columns, and columns and rows */
    int *all;
    int *into; /* front it is merged into, -1: stays */
    int *head; /* children as a linked list, -1 ends it */
    int *next;
} builder;

/* Places of the kept neighbours of the node at place j, in no order; returns their number. */
static int neighbours(const builder *b, const int *node, int j)
{
    const brn_block_matrix *a = b->a;
    const int *place = b->tree->place;
    const int i = node[j];
    int count = 0;
    for (int k = a->start[i] + 1; k < a->start[i + 1]; ++k) {
        b->near[count] = place[a->column[k]];
        count += b->near[count] >= 0;
    }
    for (int l = a->lower_start[i]; l < a->lower_start[i + 1]; ++l) {
        b->near[count] = place[a->lower_row[l]];
        count += b->near[count] >= 0;
    }
    return count;
}

/* Elimination tree, with path compression [Liu 1990]. */
static void find_parents(builder *b)
{
    int *ancestor = b->work;
    for (int j = 0; j < b->tree->n; ++j) {
        b->parent[j] = -1;
        ancestor[j] = -1;
        const int count = neighbours(b, b->node, j);
        for (int k = 0; k < count; ++k) {
            for (int r = b->near[k]; r >= 0 && r < j;) {
                const int up = ancestor[r];
                ancestor[r] = j;
                if (up < 0) {
                    b->parent[r] = j;
                }
                r = up;
            }
        }
    }
}

/* Columns of changing nodes and all above them in the tree. */
static void find_late(builder *b, const unsigned char *changing)
{
    double some = 0.0;
    double total = 0.0;
    memset(b->late, 0, (size_t)b->tree->n * sizeof *b->late);
    for (int j = 0; changing != NULL && j < b->tree->n; ++j) {
        const double square = (double)b->column[j] * b->column[j];
        b->late[j] |= changing[b->node[j]] != 0;
        if (b->late[j] && b->parent[j] >= 0) {
            b->late[b->parent[j]] = 1;
        }
        some += b->late[j] ? square : 0.0;
        total += square;
    }
    if (some > LATE_MOST * total) {
        memset(b->late, 0, (size_t)b->tree->n * sizeof *b->late);
    }
}

/* Runs of columns with the same rows below, late or not, their sizes and their tree. */
static void find_fronts(builder *b)
{
    const int n = b->tree->n;
    const int *count = b->column;
    int *front = b->work;
    b->count = 0;
    for (int j = 0; j < n; ++j) {
        const bool same =
            j > 0 && b->parent[j - 1] == j && count[j - 1] == count[j] + 1 && b->late[j - 1] == b->late[j];
        if (!same) {
            b->begin[b->count] = j;
            b->all[b->count] = count[j];
            b->own[b->count++] = 0;
        }
        front[j] = b->count - 1;
        b->own[b->count - 1]++;
    }
    b->begin[b->count] = n;
    for (int s = 0; s < b->count; ++s) {
        const int up = b->parent[b->begin[s + 1] - 1];
        b->super[s] = up >= 0 ? front[up] : -1;
        b->into[s] = -1;
        b->head[s] = -1;
    }
    for (int s = b->count - 1; s >= 0; --s) {
        if (b->super[s] >= 0) {
            b->next[s] = b->head[b->super[s]];
            b->head[b->super[s]] = s;
        }
    }
}

/* Seconds for a front of `own` columns and `all` rows, in nodes. */
static double front_time(int own, int all, int size)
{
    const double k = (double)own * size;
    const double m = (double)all * size;
    const double flops = k * m * m - k * k * m + k * k * k / 3.0;
    return TIME_FRONT + TIME_FLOP * flops + TIME_PANEL * k * m + TIME_UPDATE * (m - k) * (m - k);
}

/* Decides for each front which children to merge, from the leaves up. The children of a merged child have been decided on
   already. */
static void merge_fronts(builder *b)
{
    const int size = b->tree->size;
    for (int p = 0; p < b->count; ++p) {
        for (int c = b->head[p]; c >= 0; c = b->next[c]) {
            const int own = b->own[p] + b->own[c];
            const int all = b->all[p] + b->own[c];
            const double apart =
                front_time(b->own[p], b->all[p], size) + front_time(b->own[c], b->all[c], size);
            if (b->late[b->begin[c]] == b->late[b->begin[p]] && front_time(own, all, size) <= apart) {
                b->own[p] = own;
                b->all[p] = all;
                b->into[c] = p;
            }
        }
    }
}

/* Numbers what is left by the topmost member (a postorder again: the members' descendants lie in one run that ends
   there) and lists the columns of a front in their old order. */
static brn_status number_fronts(builder *b)
{
    brn_front_tree *t = b->tree;
    int *front = b->next; /* number of the merged front */
    t->nfront = 0;
    for (int s = 0; s < b->count; ++s) {
        t->nfront += b->into[s] < 0;
    }
    BRN_ALLOC(t->ctx, t->first, (size_t)t->nfront + 2);
    BRN_ALLOC(t->ctx, t->parent, t->nfront);
    BRN_ALLOC(t->ctx, t->late, t->nfront);
    int last = t->nfront;
    for (int s = b->count - 1; s >= 0; --s) {
        front[s] = b->into[s] < 0 ? --last : front[b->into[s]];
        t->first[front[s] + 2] += b->begin[s + 1] - b->begin[s];
    }
    for (int f = 0; f < t->nfront; ++f) {
        t->first[f + 2] += t->first[f + 1];
    }
    /* first[f + 1] is where front f is filled, and ends as the start of front f + 1. */
    for (int s = 0; s < b->count; ++s) {
        for (int j = b->begin[s]; j < b->begin[s + 1]; ++j) {
            t->node[t->first[front[s] + 1]++] = b->node[j];
        }
        if (b->into[s] < 0) {
            t->late[front[s]] = b->late[b->begin[s]] != 0;
            t->parent[front[s]] = b->super[s] < 0 ? -1 : front[b->super[s]];
        }
    }
    for (int j = 0; j < t->n; ++j) {
        t->place[t->node[j]] = j;
    }
    return BRN_OK;
}

static brn_status list_children(brn_front_tree *t)
{
    BRN_ALLOC(t->ctx, t->child_start, (size_t)t->nfront + 2);
    BRN_ALLOC(t->ctx, t->child, t->nfront);
    BRN_ALLOC(t->ctx, t->depth, t->nfront);
    for (int f = t->nfront - 1; f >= 0; --f) {
        t->depth[f] = t->parent[f] < 0 ? 0 : t->depth[t->parent[f]] + 1;
        if (t->parent[f] >= 0) {
            t->child_start[t->parent[f] + 2]++;
        }
    }
    for (int f = 0; f < t->nfront; ++f) {
        t->child_start[f + 2] += t->child_start[f + 1];
    }
    for (int f = 0; f < t->nfront; ++f) {
        if (t->parent[f] >= 0) {
            t->child[t->child_start[t->parent[f] + 1]++] = f;
        }
    }
    return BRN_OK;
}

/* Rows below: of the front's own columns in A, and of its children. */
static brn_status find_rows(builder *b)
{
    brn_front_tree *t = b->tree;
    int *seen = b->work;
    size_t capacity = 0;
    BRN_GROW(t->ctx, t->row, capacity, 1); /* a list even where no front has rows */
    memset(seen, 0xff, (size_t)t->n * sizeof *seen);
    BRN_ALLOC(t->ctx, t->row_start, (size_t)t->nfront + 1);
    BRN_ALLOC(t->ctx, t->panel, (size_t)t->nfront + 1);
    for (int f = 0; f < t->nfront; ++f) {
        const int end = t->first[f + 1];
        size_t at = t->row_start[f];
        for (int j = t->first[f]; j < end; ++j) {
            const int count = neighbours(b, t->node, j);
            BRN_GROW(t->ctx, t->row, capacity, at + (size_t)count);
            for (int k = 0; k < count; ++k) {
                if (b->near[k] >= end && seen[b->near[k]] != f) {
                    seen[b->near[k]] = f;
                    t->row[at++] = b->near[k];
                }
            }
        }
        for (int c = t->child_start[f]; c < t->child_start[f + 1]; ++c) {
            const int child = t->child[c];
            BRN_GROW(t->ctx, t->row, capacity, at + (size_t)brn_front_below(t, child));
            for (size_t r = t->row_start[child]; r < t->row_start[child + 1]; ++r) {
                if (t->row[r] >= end && seen[t->row[r]] != f) {
                    seen[t->row[r]] = f;
                    t->row[at++] = t->row[r];
                }
            }
        }
        brn_sort_ints(t->row + t->row_start[f], (int)(at - t->row_start[f]));
        t->row_start[f + 1] = at;
        const brn_front_shape shape = brn_front_shape_at(t, f);
        t->panel[f + 1] = t->panel[f] + (size_t)shape.own * (size_t)shape.rows;
    }
    return BRN_OK;
}

/* Where a front finds its rows in its parent, whose rows are ascending too. */
static brn_status find_above(brn_front_tree *t)
{
    BRN_ALLOC(t->ctx, t->above, t->row_start[t->nfront]);
    for (int f = 0; f < t->nfront; ++f) {
        const int p = t->parent[f];
        size_t at = p >= 0 ? t->row_start[p] : 0;
        for (size_t r = t->row_start[f]; p >= 0 && r < t->row_start[f + 1]; ++r) {
            if (t->row[r] < t->first[p + 1]) {
                t->above[r] = t->row[r] - t->first[p];
                continue;
            }
            while (t->row[at] < t->row[r]) {
                ++at;
            }
            t->above[r] = brn_front_own(t, p) + (int)(at - t->row_start[p]);
        }
    }
    return BRN_OK;
}

/* ---- the cut into tasks ----------------------------------------------------------------------------------------- */

/* Room for the contributions that wait inside a task. Those of even depth and of odd depth lie on two stacks: a front
   pushes on one and then drops its children's, which are on top of the other. */
static void measure_stacks(const brn_front_tree *t, brn_front_task *task)
{
    size_t used[2] = {0, 0};
    for (int f = task->begin; f < task->end; ++f) {
        const int side = t->depth[f] & 1;
        if (t->parent[f] >= task->begin && t->parent[f] < task->end) {
            used[side] += brn_front_update_size(t, f);
        }
        task->stack[side] = used[side] > task->stack[side] ? used[side] : task->stack[side];
        for (int c = t->child_start[f]; c < t->child_start[f + 1]; ++c) {
            used[!side] -= brn_front_update_size(t, t->child[c]);
        }
    }
}

/* Runs of fronts between those of the crown, as long as their time stays below the limit. */
static brn_status cut_tasks(brn_front_tree *t, const double *time, double limit)
{
    size_t capacity = 0;
    double sum = 0.0;
    bool open = false;
    for (int f = 0; f < t->nfront; ++f) {
        const bool top = !t->in_crown[f] && (t->parent[f] < 0 || t->in_crown[t->parent[f]]);
        if (t->in_crown[f]) {
            open = false;
            continue;
        }
        if (!open) {
            BRN_GROW(t->ctx, t->task, capacity, (size_t)t->ntask + 1);
            t->task[t->ntask++] = (brn_front_task){f, f, {0, 0}};
            open = true;
            sum = 0.0;
        }
        t->task[t->ntask - 1].end = f + 1;
        sum += top ? time[f] : 0.0;
        /* Subtrees are not split; a task that is half full is full enough. */
        open = !top || sum < 0.5 * limit;
    }
    for (int k = 0; k < t->ntask; ++k) {
        measure_stacks(t, &t->task[k]);
    }
    return BRN_OK;
}

/* Heights of the crown's fronts, late or not, above the tasks, or above `first` waves. */
static void find_heights(brn_front_tree *t, bool late, int first, int *height)
{
    for (int f = 0; f < t->nfront; ++f) {
        if (!t->in_crown[f] || t->late[f] != late) {
            continue;
        }
        height[f] = first;
        for (int c = t->child_start[f]; c < t->child_start[f + 1]; ++c) {
            const int child = t->child[c];
            const int above = t->in_crown[child] ? height[child] + 1 : 0;
            height[f] = above > height[f] ? above : height[f];
        }
        t->nwave = height[f] >= t->nwave ? height[f] + 1 : t->nwave;
    }
}

/* Fronts of the crown by their height above the tasks, late ones after all others. */
static brn_status cut_waves(brn_front_tree *t, int *height)
{
    t->nwave = 0;
    find_heights(t, false, 0, height);
    t->late_wave = t->nwave;
    find_heights(t, true, t->late_wave, height);
    BRN_ALLOC(t->ctx, t->wave_start, (size_t)t->nwave + 2);
    BRN_ALLOC(t->ctx, t->wave, t->nfront);
    for (int f = 0; f < t->nfront; ++f) {
        if (t->in_crown[f]) {
            t->wave_start[height[f] + 2]++;
        }
    }
    for (int w = 0; w < t->nwave; ++w) {
        t->wave_start[w + 2] += t->wave_start[w + 1];
    }
    for (int f = 0; f < t->nfront; ++f) {
        if (t->in_crown[f]) {
            t->wave[t->wave_start[height[f] + 1]++] = f;
        }
    }
    return BRN_OK;
}

/* Unused parts of the room, ascending; the last one has no end. */
typedef struct gaps {
    struct gap {
        size_t begin, end;
    } * list;
    int count;
} gaps;

static size_t gap_take(gaps *g, size_t size)
{
    int i = 0;
    while (g->list[i].end - g->list[i].begin < size) {
        ++i;
    }
    const size_t at = g->list[i].begin;
    g->list[i].begin += size;
    if (g->list[i].begin == g->list[i].end) {
        memmove(&g->list[i], &g->list[i + 1], (size_t)(--g->count - i) * sizeof *g->list);
    }
    return at;
}

static void gap_give(gaps *g, size_t begin, size_t size)
{
    int i = 0;
    while (g->list[i].begin < begin) {
        ++i;
    }
    const bool joins = i > 0 && g->list[i - 1].end == begin;
    if (joins && g->list[i].begin == begin + size) {
        g->list[i - 1].end = g->list[i].end;
        memmove(&g->list[i], &g->list[i + 1], (size_t)(--g->count - i) * sizeof *g->list);
    } else if (joins) {
        g->list[i - 1].end += size;
    } else if (g->list[i].begin == begin + size) {
        g->list[i].begin = begin;
    } else {
        memmove(&g->list[i + 1], &g->list[i], (size_t)(g->count++ - i) * sizeof *g->list);
        g->list[i] = (struct gap){begin, begin + size};
    }
}

static void hand_over(brn_front_tree *t, gaps *g, int f)
{
    const size_t size = brn_front_update_size(t, f);
    t->hand[f] = size > 0 ? gap_take(g, size) : 0;
    t->room = t->hand[f] + size > t->room ? t->hand[f] + size : t->room;
}

/* Places for what tasks leave to the crown and the crown to itself, each from its wave to its parent's. */
static brn_status plan_room(brn_front_tree *t)
{
    gaps g = {NULL, 1};
    BRN_TAKE(brn_ctx_arena(t->ctx), g.list, (size_t)t->nfront + 2);
    BRN_ALLOC(t->ctx, t->hand, t->nfront);
    g.list[0] = (struct gap){0, SIZE_MAX};
    for (int f = 0; f < t->nfront; ++f) {
        if (!t->in_crown[f] && t->parent[f] >= 0 && t->in_crown[t->parent[f]]) {
            hand_over(t, &g, f);
        }
    }
    for (int w = 0; w < t->nwave; ++w) {
        for (int k = t->wave_start[w]; k < t->wave_start[w + 1]; ++k) {
            hand_over(t, &g, t->wave[k]);
        }
        for (int k = t->wave_start[w]; k < t->wave_start[w + 1]; ++k) {
            for (int c = t->child_start[t->wave[k]]; c < t->child_start[t->wave[k] + 1]; ++c) {
                const size_t size = brn_front_update_size(t, t->child[c]);
                const bool kept = t->late[t->wave[k]] && !t->late[t->child[c]];
                if (size > 0 && !kept) {
                    gap_give(&g, t->hand[t->child[c]], size);
                }
            }
        }
    }
    return BRN_OK;
}

static brn_status cut_work(builder *b)
{
    brn_front_tree *t = b->tree;
    double *time = NULL; /* [nfront] of the whole subtree */
    double total = 0.0;
    BRN_TAKE(brn_ctx_arena(t->ctx), time, t->nfront);
    BRN_ALLOC(t->ctx, t->in_crown, t->nfront);
    for (int f = 0; f < t->nfront; ++f) {
        const double own =
            front_time(brn_front_own(t, f), brn_front_own(t, f) + brn_front_below(t, f), t->size);
        time[f] = own;
        total += own;
        for (int c = t->child_start[f]; c < t->child_start[f + 1]; ++c) {
            time[f] += time[t->child[c]];
        }
    }
    const double limit = total / TASKS > TASK_TIME_MIN ? total / TASKS : TASK_TIME_MIN;
    for (int f = 0; f < t->nfront; ++f) {
        t->in_crown[f] = time[f] > limit || t->late[f];
    }
    BRN_TRY(cut_tasks(t, time, limit));
    BRN_TRY(cut_waves(t, b->work));
    return plan_room(t);
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

static brn_status tree_fill(builder *b, const unsigned char *apart, const unsigned char *changing)
{
    brn_front_tree *t = b->tree;
    brn_arena *arena = brn_ctx_arena(t->ctx);
    BRN_ALLOC(t->ctx, t->node, t->nodes);
    BRN_ALLOC(t->ctx, t->place, t->nodes);
    int **const scratch[] = {&b->near, &b->parent, &b->work, &b->begin,  &b->super, &b->own, &b->all,
                             &b->into, &b->head,   &b->next, &b->column, &b->node,  &b->late};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; ++i) {
        BRN_TAKE(arena, *scratch[i], (size_t)t->nodes + 1);
    }
    t->n = 0;
    for (int j = 0; j < t->nodes; ++j) {
        const int node = b->ordering->node[j];
        t->place[node] = apart[node] ? -1 : t->n;
        b->node[t->n] = node;
        b->column[t->n] = b->ordering->count[j];
        t->n += !apart[node];
    }
    find_parents(b);
    find_late(b, changing);
    find_fronts(b);
    merge_fronts(b);
    BRN_TRY(number_fronts(b));
    BRN_TRY(list_children(t));
    BRN_TRY(find_rows(b));
    BRN_TRY(find_above(t));
    return cut_work(b);
}

brn_status brn_front_tree_create(const brn_block_matrix *a, const unsigned char *apart,
                                 const unsigned char *changing, const brn_ordering *ordering,
                                 brn_front_tree **out)
{
    *out = NULL;
    brn_front_tree *t = NULL;
    BRN_ALLOC(a->ctx, t, 1);
    t->ctx = a->ctx;
    t->nodes = a->n;
    t->size = a->size;
    builder b = {.a = a, .ordering = ordering, .tree = t};
    const brn_arena_mark mark = brn_arena_now(brn_ctx_arena(a->ctx));
    const brn_status status = tree_fill(&b, apart, changing);
    brn_arena_rewind(brn_ctx_arena(a->ctx), mark);
    if (status < 0) {
        brn_front_tree_destroy(t);
        return status;
    }
    *out = t;
    return BRN_OK;
}

void brn_front_tree_destroy(brn_front_tree *t)
{
    if (t == NULL) {
        return;
    }
    void *const arrays[] = {t->node,   t->place,       t->first,      t->row_start, t->row,   t->above,
                            t->parent, t->child_start, t->child,      t->depth,     t->panel, t->task,
                            t->wave,   t->in_crown,    t->wave_start, t->hand,      t->late};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        brn_free(t->ctx, arrays[i]);
    }
    brn_free(t->ctx, t);
}
