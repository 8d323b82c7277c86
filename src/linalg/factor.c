/* The node graph is ordered through CHOLMOD; the symbolic analysis (front_tree.c), the numeric factorisation (front_factor.c)
   and the solution (front_solve.c) are our own: they work on blocks and on several threads, without the detour through a
   scalar matrix. */
#include "linalg/factor.h"

#include "base/parallel.h"
#include "linalg/blas.h"
#include "linalg/front.h"

#include <limits.h>
#include <string.h>

enum { SCAN_BLOCKS = 4096 }; /* matrix blocks of one parallel piece of the check */

/* An order that was found for another pattern is kept while it costs at most this many times what it cost there. */
static const double KEEP_FLOPS = 1.5;
/* Changing nodes come last in the order where they are at most this share of all, and while a whole factorisation costs at most this many
   times what it costs else. */
static const double LAST_SHARE = 0.25;
static const double LAST_FLOPS = 2.0;

struct brn_factor {
    brn_ctx *ctx;
    int n, size;
    unsigned char *apart; /* [n] node is held whole in every numeric call */
    int *base_node;       /* [n] order of the pattern of create */
    double base_flops;
    const char *base_name;
    unsigned char *changing; /* [n] nodes whose blocks differ between numeric calls */
    int *start;              /* [n + 1], [start[n]]: the analysed pattern, by rows of the upper triangle */
    int *column;
    brn_front_tree *tree;
    double *value; /* of the factor, see linalg/front.h */
    size_t value_capacity;
    /* scratch of the factorisation; kept, because fresh pages cost more than the work on them */
    double *room;
    size_t room_capacity;
    brn_front_pack pack; /* the values in single precision, made when first asked for */
    bool packed;
    unsigned char *held; /* [n] bit c: component c of the node at this place is fixed */
    double *diagonal;    /* [n*size], of the matrix, in elimination order */
    double *swap;        /* workspace of the solution */
    size_t swap_capacity;
    cholmod_common cm;
    bool started;
    bool ready;  /* a numeric factor exists */
    bool filled; /* values, room and held fit the tree: the part that does not change can be kept */
    brn_factor_stats stats;
};

/* ---- analysis --------------------------------------------------------------------------------------------------- */

/* A pattern, by rows of the upper triangle. */
typedef struct graph {
    int *start, *column;
} graph;

/* A's pattern without the couplings of nodes that stand apart, on the arena. */
static brn_status keep_pattern(const brn_factor *f, const brn_block_matrix *a, graph *out)
{
    brn_arena *arena = brn_ctx_arena(f->ctx);
    BRN_TAKE(arena, out->start, (size_t)f->n + 1);
    BRN_TAKE(arena, out->column, a->start[f->n]);
    int count = 0;
    for (int i = 0; i < f->n; ++i) {
        out->start[i] = count;
        out->column[count++] = i;
        for (int k = a->start[i] + 1; !f->apart[i] && k < a->start[i + 1]; ++k) {
            out->column[count] = a->column[k];
            count += !f->apart[a->column[k]];
        }
    }
    out->start[f->n] = count;
    return BRN_OK;
}

/* Our rows of the upper triangle are CHOLMOD's columns of the lower one. */
static cholmod_sparse cholmod_view(const graph *g, int n)
{
    cholmod_sparse view = {0};
    view.nrow = (size_t)n;
    view.ncol = (size_t)n;
    view.nzmax = (size_t)g->start[n];
    view.p = g->start;
    view.i = g->column;
    view.stype = -1;
    view.itype = CHOLMOD_INT;
    view.xtype = CHOLMOD_PATTERN;
    view.sorted = true;
    view.packed = true;
    return view;
}

static bool is_analysed(const brn_factor *f, const graph *g, const unsigned char *changing)
{
    const size_t n = (size_t)f->n;
    bool same = f->tree != NULL;
    for (size_t i = 0; i < n && same; ++i) {
        same = f->changing[i] == (changing != NULL ? changing[i] : BRN_NODE_PLAIN);
    }
    return same && memcmp(f->start, g->start, (n + 1) * sizeof(int)) == 0 &&
           memcmp(f->column, g->column, (size_t)g->start[n] * sizeof(int)) == 0;
}

/* Entries and operations of the factor, with its blocks expanded. */
static void count_work(brn_factor *f, const brn_ordering *ordering)
{
    f->stats.nonzeros = 0.0;
    f->stats.flops = 0.0;
    for (int j = 0; j < f->n; ++j) {
        for (int c = 0; c < f->size; ++c) {
            const double entries = (double)ordering->count[j] * f->size - c;
            f->stats.nonzeros += entries;
            f->stats.flops += entries * entries;
        }
    }
    f->stats.ordering = ordering->name;
    const size_t n = (size_t)f->tree->nfront;
    f->stats.fronts = f->tree->nfront;
    f->stats.late = 0;
    for (int i = 0; i < f->tree->nfront; ++i) {
        f->stats.late += f->tree->late[i];
    }
    f->stats.bytes = (double)f->tree->panel[n] * sizeof(double) + (double)f->tree->row_start[n] * sizeof(int);
}

/* Room for so many doubles; what was there is not kept. */
static brn_status make_room(brn_ctx *ctx, double **at, size_t *capacity, size_t need)
{
    if (need > *capacity) {
        brn_free(ctx, *at); /* nothing to keep, so no copy */
        *capacity = 0;
        *at = brn_realloc(ctx, NULL, need + need / 8, sizeof **at);
        if (*at == NULL) {
            return BRN_ERR_MEMORY;
        }
        *capacity = need + need / 8;
    }
    return BRN_OK;
}

/* Fronts, and room for their values. */
static brn_status reserve_blas(const brn_factor *f)
{
    bool large = false;
    for (int i = 0; i < f->tree->nfront; ++i) {
        large = large || brn_front_shape_at(f->tree, i).own > BRN_FRONT_BLAS;
    }
    return large ? brn_blas_reserve(f->ctx) : BRN_OK;
}

static brn_status make_tree(brn_factor *f, const brn_block_matrix *a, const graph *g,
                            const unsigned char *changing, const brn_ordering *ordering)
{
    brn_ctx *ctx = f->ctx;
    const size_t n = (size_t)f->n;
    brn_front_tree_destroy(f->tree);
    f->tree = NULL;
    f->filled = false;
    BRN_TRY(brn_front_tree_create(a, f->apart, changing, ordering, &f->tree));
    BRN_TRY(reserve_blas(f));
    BRN_TRY(make_room(ctx, &f->value, &f->value_capacity, f->tree->panel[f->tree->nfront]));
    BRN_TRY(make_room(ctx, &f->room, &f->room_capacity, f->tree->room + 1));
    brn_free(ctx, f->column);
    f->column = brn_realloc(ctx, NULL, (size_t)g->start[n], sizeof *f->column);
    if (f->column == NULL) {
        return BRN_ERR_MEMORY;
    }
    for (size_t i = 0; i < n; ++i) {
        f->changing[i] = changing != NULL ? changing[i] : BRN_NODE_PLAIN;
    }
    memcpy(f->start, g->start, (n + 1) * sizeof *f->start);
    memcpy(f->column, g->column, (size_t)g->start[n] * sizeof *f->column);
    count_work(f, ordering);
    return BRN_OK;
}

static brn_status take_ordering(const brn_factor *f, brn_ordering *out)
{
    brn_arena *arena = brn_ctx_arena(f->ctx);
    BRN_TAKE(arena, out->node, f->n);
    BRN_TAKE(arena, out->count, f->n);
    return BRN_OK;
}

static brn_status factor_fill(brn_factor *f, const brn_block_matrix *a, const unsigned char *held)
{
    brn_ctx *ctx = f->ctx;
    f->stats.ordering = "amd";
    f->stats.pivot_dof = -1;
    if ((long long)f->n * f->size > INT_MAX - 1) {
        return brn_fail(ctx, BRN_ERR_LIMIT, "a matrix of %d x %d dofs cannot be factored", f->n, f->size);
    }
    cholmod_start(&f->cm);
    f->started = true;
    f->cm.print = 0;
    f->cm.error_handler = NULL;
    if (f->n == 0) {
        return BRN_OK;
    }
    BRN_ALLOC(ctx, f->apart, f->n);
    BRN_ALLOC(ctx, f->changing, f->n); /* none */
    BRN_ALLOC(ctx, f->base_node, f->n);
    BRN_ALLOC(ctx, f->start, (size_t)f->n + 1);
    BRN_ALLOC(ctx, f->held, f->n);
    BRN_ALLOC(ctx, f->diagonal, (size_t)f->n * (size_t)f->size);
    for (int i = 0; i < f->n; ++i) {
        f->apart[i] = held != NULL;
        for (int c = 0; c < f->size && f->apart[i]; ++c) {
            f->apart[i] = held[(size_t)i * (size_t)f->size + (size_t)c] != 0;
        }
    }
    graph g;
    brn_ordering ordering;
    BRN_TRY(keep_pattern(f, a, &g));
    BRN_TRY(take_ordering(f, &ordering));
    cholmod_sparse view = cholmod_view(&g, f->n);
    BRN_TRY(brn_ordering_find(ctx, &f->cm, &view, f->size, &ordering));
    memcpy(f->base_node, ordering.node, (size_t)f->n * sizeof *f->base_node);
    f->base_flops = ordering.flops;
    f->base_name = ordering.name;
    return make_tree(f, a, &g, NULL, &ordering);
}

brn_status brn_factor_create(brn_ctx *ctx, const brn_block_matrix *a, const unsigned char *held,
                             brn_factor **out)
{
    *out = NULL;
    brn_factor *f = NULL;
    BRN_ALLOC(ctx, f, 1);
    f->ctx = ctx;
    f->n = a->n;
    f->size = a->size;
    const brn_arena_mark mark = brn_arena_now(brn_ctx_arena(ctx));
    const brn_blas_threads threads = brn_blas_begin();
    const brn_status status = factor_fill(f, a, held);
    brn_blas_end(threads);
    brn_arena_rewind(brn_ctx_arena(ctx), mark);
    if (status < 0) {
        brn_factor_destroy(f);
        return status;
    }
    *out = f;
    return BRN_OK;
}

/* Marked nodes that are eliminated. */
static int count_marked(const brn_factor *f, const unsigned char *changing)
{
    int count = 0;
    for (int i = 0; i < f->n; ++i) {
        count += !f->apart[i] && changing[i];
    }
    return count;
}

static int count_free(const brn_factor *f)
{
    int count = 0;
    for (int i = 0; i < f->n; ++i) {
        count += !f->apart[i];
    }
    return count;
}

/* An order with marked nodes behind all others, if it is not much dearer. */
static brn_status move_last(brn_factor *f, cholmod_sparse *view, const unsigned char *changing,
                            brn_ordering *ordering)
{
    brn_ordering moved;
    BRN_TRY(take_ordering(f, &moved));
    BRN_TRY(brn_ordering_last(f->ctx, &f->cm, view, changing, &moved));
    *ordering = moved.flops <= LAST_FLOPS * ordering->flops ? moved : *ordering;
    return BRN_OK;
}

/* Whether it is worth trying. */
static bool may_move(const brn_factor *f, const unsigned char *changing)
{
    const int count = changing != NULL ? count_marked(f, changing) : 0;
    return count > 0 && count <= LAST_SHARE * count_free(f);
}

/* The order of create, or a new one if that has become too expensive. */
static brn_status analyse_again(brn_factor *f, const brn_block_matrix *a, const unsigned char *changing)
{
    graph g;
    brn_ordering ordering;
    BRN_TRY(keep_pattern(f, a, &g));
    if (is_analysed(f, &g, changing)) {
        return BRN_OK;
    }
    f->ready = false;
    BRN_TRY(take_ordering(f, &ordering));
    cholmod_sparse view = cholmod_view(&g, f->n);
    ordering.name = f->base_name;
    BRN_TRY(brn_ordering_keep(f->ctx, &f->cm, &view, f->base_node, &ordering));
    const bool moved = may_move(f, changing);
    if (moved) {
        BRN_TRY(move_last(f, &view, changing, &ordering));
    }
    if (ordering.flops > (moved ? LAST_FLOPS : 1.0) * KEEP_FLOPS * f->base_flops) {
        brn_ordering fresh;
        BRN_TRY(take_ordering(f, &fresh));
        BRN_TRY(brn_ordering_find_quick(f->ctx, &f->cm, &view, f->size, &fresh));
        ordering = fresh.flops < ordering.flops ? fresh : ordering;
    }
    return make_tree(f, a, &g, changing, &ordering);
}

brn_status brn_factor_update_changing(brn_factor *f, const brn_block_matrix *a, const unsigned char *changing)
{
    if (a->n != f->n || a->size != f->size) {
        return brn_fail(f->ctx, BRN_ERR_RANGE, "a matrix of %d x %d dofs, not %d x %d", a->n, a->size, f->n,
                        f->size);
    }
    if (f->n == 0) {
        return BRN_OK;
    }
    const brn_arena_mark mark = brn_arena_now(brn_ctx_arena(f->ctx));
    const brn_blas_threads threads = brn_blas_begin();
    const brn_status status = analyse_again(f, a, changing);
    brn_blas_end(threads);
    brn_arena_rewind(brn_ctx_arena(f->ctx), mark);
    if (status < 0) {
        brn_front_tree_destroy(f->tree); /* an incomplete analysis does not count */
        f->tree = NULL;
        f->filled = false;
    }
    return status;
}

brn_status brn_factor_update(brn_factor *f, const brn_block_matrix *a)
{
    return brn_factor_update_changing(f, a, NULL);
}

void brn_factor_destroy(brn_factor *f)
{
    if (f == NULL) {
        return;
    }
    if (f->started) {
        cholmod_finish(&f->cm);
    }
    brn_front_tree_destroy(f->tree);
    brn_front_pack_free(f->ctx, &f->pack);
    void *const arrays[] = {f->apart, f->base_node, f->start,    f->column, f->value,
                            f->room,  f->held,      f->diagonal, f->swap,   f->changing};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        brn_free(f->ctx, arrays[i]);
    }
    brn_free(f->ctx, f);
}

/* ---- numeric --------------------------------------------------------------------------------------------------------- */

/* True if an entry is infinite or NaN (all exponent bits set). */
static bool any_not_finite(const double *x, size_t count)
{
    uint64_t bad = 0;
    for (size_t i = 0; i < count; ++i) {
        uint64_t bits = 0;
        memcpy(&bits, &x[i], sizeof bits);
        bad |= (bits >> 52 & 0x7ff) == 0x7ff;
    }
    return bad != 0;
}

static brn_status blocks_scan(void *arg, int piece, brn_arena *scratch)
{
    (void)scratch;
    const brn_block_matrix *a = arg;
    const size_t bb = (size_t)(a->size * a->size);
    const size_t first = (size_t)piece * SCAN_BLOCKS;
    const size_t end = (size_t)brn_block_end(a->start[a->n], SCAN_BLOCKS, piece);
    return any_not_finite(a->value + first * bb, (end - first) * bb) ? BRN_ERR_NOT_FINITE : BRN_OK;
}

/* Some entry is not finite: reports the first such block that matters, or finds that none matters. */
static brn_status check_blocks(const brn_factor *f, const brn_block_matrix *a)
{
    const int s = f->size;
    for (int i = 0; i < f->n; ++i) {
        for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
            const int j = a->column[k];
            for (int e = 0; e < s * s; ++e) {
                /* The upper half of a diagonal block is not read. */
                const bool used = !f->apart[i] && !f->apart[j] && (i != j || e % s <= e / s) &&
                                  !(f->held[f->tree->place[i]] >> (e / s) & 1) &&
                                  !(f->held[f->tree->place[j]] >> (e % s) & 1);
                if (used && any_not_finite(&a->value[(size_t)k * (size_t)(s * s) + (size_t)e], 1)) {
                    return brn_fail(f->ctx, BRN_ERR_NOT_FINITE,
                                    "matrix block (%d, %d) holds a number that is not finite", i, j);
                }
            }
        }
    }
    return BRN_OK;
}

static brn_status fail_singular(brn_factor *f, int column)
{
    f->stats.pivot_min = 0.0;
    f->stats.pivot_dof = f->tree->node[column / f->size] * f->size + column % f->size;
    return brn_fail(f->ctx, BRN_ERR_SINGULAR,
                    "the matrix is not positive definite: block row %d, component %d",
                    f->tree->node[column / f->size], column % f->size);
}

/* Smallest pivot relative to the diagonal entry it started from. */
static brn_status check_pivots(brn_factor *f)
{
    const brn_front_tree *t = f->tree;
    const int s = f->size;
    double least = 2.0;
    int where = -1;
    for (int front = 0; front < t->nfront; ++front) {
        const size_t rows = (size_t)brn_front_shape_at(t, front).rows;
        const double *pivot = f->value + t->panel[front];
        for (int j = t->first[front] * s; j < t->first[front + 1] * s; ++j, pivot += rows + 1) {
            const double ratio = *pivot * *pivot / f->diagonal[j];
            /* Also true for NaN: the factorisation overflowed. */
            if (!(ratio > 0.0)) {
                return fail_singular(f, j);
            }
            if (ratio < least && !(f->held[j / s] >> (j % s) & 1)) {
                least = ratio;
                where = t->node[j / s] * s + j % s;
            }
        }
    }
    f->stats.pivot_min = where >= 0 ? least : 1.0;
    f->stats.pivot_dof = where;
    return BRN_OK;
}

static brn_status read_held(brn_factor *f, const unsigned char *fixed)
{
    const int *place = f->tree->place;
    for (int i = 0; i < f->n; ++i) {
        unsigned bits = 0;
        for (int c = 0; fixed != NULL && c < f->size; ++c) {
            bits |= (fixed[(size_t)i * (size_t)f->size + (size_t)c] != 0) << c;
        }
        if (place[i] >= 0) {
            f->held[place[i]] = (unsigned char)bits;
        } else if (bits != (1u << f->size) - 1u) {
            return brn_fail(f->ctx, BRN_ERR_RANGE, "node %d was held in the analysis and must stay so", i);
        }
    }
    return BRN_OK;
}

static brn_status factor_values(brn_factor *f, const brn_block_matrix *a, bool again)
{
    const brn_front_input input = {a, f->held, again};
    brn_arena *arena = brn_ctx_arena(f->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_blas_threads threads = brn_blas_begin();
    int bad = -1;
    const brn_status status = brn_front_factor(f->tree, &input, f->value, f->diagonal, f->room, &bad);
    brn_blas_end(threads);
    brn_arena_rewind(arena, mark);
    switch (status) {
    case BRN_ERR_SINGULAR:
        return fail_singular(f, bad);
    case BRN_ERR_MEMORY:
        return brn_fail(f->ctx, status, "out of memory in the factorisation of a matrix of %d x %d dofs",
                        f->n, f->size);
    case BRN_ERR_RANGE:
        return brn_fail(f->ctx, status, "a matrix of another pattern than the analysed one");
    default:
        return status;
    }
}

/* The factor of A with the dofs that are held. */
static brn_status fill(brn_factor *f, const brn_block_matrix *a, bool again)
{
    f->ready = false;
    f->packed = false;
    f->filled = again; /* what is kept stays, whatever comes */
    f->stats.pivot_min = 0.0;
    if (brn_parallel_for(f->ctx, brn_block_count(a->start[a->n], SCAN_BLOCKS), blocks_scan, (void *)a) < 0) {
        BRN_TRY(check_blocks(f, a));
    }
    BRN_TRY(factor_values(f, a, again));
    f->filled = true;
    BRN_TRY(check_pivots(f));
    f->ready = true;
    return BRN_OK;
}

brn_status brn_factor_numeric(brn_factor *f, const brn_block_matrix *a, const unsigned char *fixed)
{
    if (a->n != f->n || a->size != f->size || (f->n > 0 && f->tree == NULL)) {
        return brn_fail(f->ctx, BRN_ERR_RANGE, "a matrix of another pattern than the analysed one");
    }
    f->filled = false;
    f->ready = f->n == 0;
    if (f->n == 0) {
        return BRN_OK;
    }
    BRN_TRY(read_held(f, fixed));
    return fill(f, a, false);
}

brn_status brn_factor_renew(brn_factor *f, const brn_block_matrix *a)
{
    if (f->n == 0) {
        return BRN_OK;
    }
    if (!f->filled || a->n != f->n || a->size != f->size) {
        return brn_fail(f->ctx, BRN_ERR_RANGE, "there is no factor of such a matrix to renew");
    }
    return fill(f, a, f->stats.late > 0);
}

/* ---- solve ------------------------------------------------------------------------------------------------------------ */

/* With the rounded factor: one right-hand side only. */
static brn_status substitute(brn_factor *f, const brn_front_pack *pack, int nrhs, const double *b, double *x)
{
    /* Kept, so that a steady state allocates nothing. */
    BRN_GROW(f->ctx, f->swap, f->swap_capacity, brn_front_solve_work(f->tree) * (size_t)nrhs);
    const brn_blas_threads threads = brn_blas_begin();
    const brn_status status = brn_front_solve(f->tree, f->value, pack, nrhs, b, x, f->swap);
    brn_blas_end(threads);
    return status;
}

brn_status brn_factor_solve_many(brn_factor *f, int nrhs, const double *b, double *x)
{
    if (!f->ready) {
        return brn_fail(f->ctx, BRN_ERR_RANGE, "solve without a numeric factor");
    }
    return nrhs > 0 && f->n > 0 ? substitute(f, NULL, nrhs, b, x) : BRN_OK;
}

brn_status brn_factor_compliance(brn_factor *f, const brn_columns *b, double *w)
{
    if (!f->ready) {
        return brn_fail(f->ctx, BRN_ERR_RANGE, "compliance without a numeric factor");
    }
    if (b->count == 0 || f->n == 0) {
        return BRN_OK;
    }
    BRN_TRY(brn_blas_reserve(f->ctx));
    const brn_blas_threads threads = brn_blas_begin();
    const brn_status status = brn_front_compliance(f->tree, f->value, b, &f->swap, &f->swap_capacity, w);
    brn_blas_end(threads);
    return status;
}

brn_status brn_factor_solve(brn_factor *f, const double *b, double *x)
{
    return brn_factor_solve_many(f, 1, b, x);
}

brn_status brn_factor_solve_rounded(brn_factor *f, const double *b, double *x)
{
    if (!f->ready) {
        return brn_fail(f->ctx, BRN_ERR_RANGE, "solve without a numeric factor");
    }
    if (f->n == 0) {
        return BRN_OK;
    }
    if (!f->packed) {
        BRN_TRY(brn_front_pack_fill(f->tree, f->value, &f->pack));
        f->packed = true;
    }
    return substitute(f, &f->pack, 1, b, x);
}

void brn_factor_get_stats(const brn_factor *f, brn_factor_stats *out)
{
    *out = f->stats;
}
