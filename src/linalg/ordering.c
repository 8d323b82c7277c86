#define _GNU_SOURCE /* sigaction */
#include "linalg/ordering.h"

#include "base/arena.h"
#include "base/rng.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

/* METIS takes about 7 us a node, and saves a third to three quarters of AMD's operations on 3D meshes. With 10
   refactorisations at 10 GFLOP/s that pays from about 2e4 operations a node on; thin and small graphs stay below. */
#define METIS_FLOPS_PER_NODE 2e4
/* Nested dissection depends on luck: with its nodes relabelled at random the same graph comes out up to 15 % cheaper. Above
   this cost a few more attempts (8 us a node each) pay off within ten refactorisations. */
#define THROWS_FLOPS_PER_NODE 4e5
/* The same for a pattern that is factored once or twice: METIS must pay off at once. On a thin mat with contacts it took 90
   ms to save 49 ms. */
#define METIS_ONCE_FLOPS_PER_NODE 4e5

brn_status brn_cholmod_fail(brn_ctx *ctx, const cholmod_common *cm, const char *what, int n, int size)
{
    switch (cm->status) {
    case CHOLMOD_OUT_OF_MEMORY:
        return brn_fail(ctx, BRN_ERR_MEMORY, "out of memory in the %s of a matrix of %d x %d dofs", what, n,
                        size);
    case CHOLMOD_TOO_LARGE:
        return brn_fail(ctx, BRN_ERR_LIMIT, "the %s of a matrix of %d x %d dofs needs 2^31 or more entries",
                        what, n, size);
    default:
        return brn_fail(ctx, BRN_ERR_SINGULAR,
                        "the %s of a matrix of %d x %d dofs failed (CHOLMOD status %d)", what, n, size,
                        cm->status);
    }
}

/* ---- METIS as a guest ------------------------------------------------------------------------------------------------ */

/* METIS takes over what belongs to the whole process. It seeds and draws from the C library's generator (srand, rand), so that the order is
   the same for every run unless another thread draws at the same time; and it catches SIGTERM and SIGABRT while it runs, to jump out of
   itself: a request to end the process would be lost, and two of these at a time would leave its handler behind for good. So it
   runs in one thread at a time, requests to end wait in that thread (the workers of a ctx take no signals), and what the process does
   about them is put back whole. */
static pthread_mutex_t metis_turn = PTHREAD_MUTEX_INITIALIZER;

enum { CAUGHT = 2 };
static const int caught[CAUGHT] = {SIGTERM, SIGABRT};

typedef struct guest {
    sigset_t mask;
    struct sigaction action[CAUGHT];
} guest;

static void let_in(guest *g)
{
    sigset_t wait;
    (void)pthread_mutex_lock(&metis_turn);
    (void)sigemptyset(&wait);
    for (int i = 0; i < CAUGHT; ++i) {
        (void)sigaddset(&wait, caught[i]);
    }
    (void)pthread_sigmask(SIG_BLOCK, &wait, &g->mask);
    for (int i = 0; i < CAUGHT; ++i) {
        (void)sigaction(caught[i], NULL, &g->action[i]);
    }
}

static void see_off(const guest *g)
{
    for (int i = 0; i < CAUGHT; ++i) {
        (void)sigaction(caught[i], &g->action[i], NULL);
    }
    (void)pthread_sigmask(SIG_SETMASK, &g->mask, NULL);
    (void)pthread_mutex_unlock(&metis_turn);
}

static cholmod_factor *analyse(cholmod_sparse *graph, int method, int *given, cholmod_common *cm)
{
    guest g;
    const bool metis = method == CHOLMOD_METIS || method == CHOLMOD_NESDIS;
    if (metis) {
        let_in(&g);
    }
    cholmod_factor *l = cholmod_analyze_p(graph, given, NULL, 0, cm);
    if (metis) {
        see_off(&g);
    }
    return l;
}

/* ---- orders ---------------------------------------------------------------------------------------------------------- */

/* Orders the node graph by one method, or as `given` says. With `label` the graph is seen with its nodes renumbered:
   node label[i] as number i. */
static brn_status order_by(brn_ctx *ctx, cholmod_common *cm, cholmod_sparse *graph, int method, int *given,
                           const int *label, brn_ordering *out)
{
    cholmod_sparse *seen = graph;
    if (label != NULL) {
        seen = cholmod_ptranspose(graph, 0, (int *)label, NULL, 0, cm);
        if (seen == NULL) {
            return brn_cholmod_fail(ctx, cm, "ordering", (int)graph->nrow, 1);
        }
    }
    cm->nmethods = 1;
    cm->method[0].ordering = method;
    cm->postorder = true;
    cm->supernodal = CHOLMOD_SIMPLICIAL;
    cholmod_factor *l = analyse(seen, method, given, cm);
    if (l != NULL) {
        const int *order = l->Perm;
        const int *count = l->ColCount;
        for (int i = 0; i < (int)graph->nrow; ++i) {
            out->node[i] = label != NULL ? label[order[i]] : order[i];
            out->count[i] = count[i];
        }
        out->flops = cm->fl;
    }
    if (label != NULL) {
        cholmod_free_sparse(&seen, cm);
    }
    if (l == NULL) {
        return brn_cholmod_fail(ctx, cm, "ordering", (int)graph->nrow, 1);
    }
    cholmod_free_factor(&l, cm);
    return BRN_OK;
}

brn_status brn_ordering_keep(brn_ctx *ctx, cholmod_common *cm, cholmod_sparse *graph, const int *node,
                             brn_ordering *out)
{
    return order_by(ctx, cm, graph, CHOLMOD_GIVEN, (int *)node, NULL, out);
}

brn_status brn_ordering_last(brn_ctx *ctx, cholmod_common *cm, cholmod_sparse *graph,
                             const unsigned char *last, brn_ordering *out)
{
    brn_arena *arena = brn_ctx_arena(ctx);
    const int n = (int)graph->nrow;
    int *group = NULL;
    int *node = NULL;
    BRN_TAKE(arena, group, n);
    BRN_TAKE(arena, node, n);
    for (int i = 0; i < n; ++i) {
        group[i] = last[i] != 0;
    }
    if (!cholmod_camd(graph, NULL, 0, group, node, cm)) {
        return brn_cholmod_fail(ctx, cm, "ordering", n, 1);
    }
    out->name = "camd";
    return order_by(ctx, cm, graph, CHOLMOD_GIVEN, node, NULL, out);
}

/* A random order of the nodes, the same for every run. */
static void shuffle(int *label, int n, brn_rng *rng)
{
    for (int i = 0; i < n; ++i) {
        label[i] = i;
    }
    for (int i = n - 1; i > 0; --i) {
        const int k = (int)(brn_rng_next(rng) % (uint64_t)(i + 1));
        const int kept = label[i];
        label[i] = label[k];
        label[k] = kept;
    }
}

typedef struct attempt {
    const char *name;
    int method;
    bool shuffled;
    double worth; /* flops a node from which on it is tried */
} attempt;

static brn_status find_cheapest(brn_ctx *ctx, cholmod_common *cm, cholmod_sparse *graph, int size,
                                const attempt *tries, int ntries, brn_ordering *out)
{
    const int n = (int)graph->nrow;
    const double scale = (double)(size * size * size) / (double)n;
    brn_arena *arena = brn_ctx_arena(ctx);
    brn_rng rng = {1};
    int *label = NULL;
    brn_ordering candidate = {0};
    BRN_TAKE(arena, label, n);
    BRN_TAKE(arena, candidate.node, n);
    BRN_TAKE(arena, candidate.count, n);
    out->flops = INFINITY;
    for (int i = 0; i < ntries && out->flops * scale > tries[i].worth; ++i) {
        shuffle(label, n, &rng);
        BRN_TRY(brn_ctx_check(ctx));
        BRN_TRY(
            order_by(ctx, cm, graph, tries[i].method, NULL, tries[i].shuffled ? label : NULL, &candidate));
        if (candidate.flops < out->flops) {
            out->flops = candidate.flops;
            out->name = tries[i].name;
            memcpy(out->node, candidate.node, (size_t)n * sizeof *out->node);
            memcpy(out->count, candidate.count, (size_t)n * sizeof *out->count);
        }
    }
    return BRN_OK;
}

brn_status brn_ordering_find(brn_ctx *ctx, cholmod_common *cm, cholmod_sparse *graph, int size,
                             brn_ordering *out)
{
    static const attempt tries[] = {
        {"amd", CHOLMOD_AMD, false, 0.0},
        {"metis", CHOLMOD_METIS, false, METIS_FLOPS_PER_NODE},
        {"nested dissection", CHOLMOD_NESDIS, true, THROWS_FLOPS_PER_NODE},
        {"nested dissection", CHOLMOD_NESDIS, true, THROWS_FLOPS_PER_NODE},
        {"metis", CHOLMOD_METIS, true, THROWS_FLOPS_PER_NODE},
    };
    return find_cheapest(ctx, cm, graph, size, tries, sizeof tries / sizeof *tries, out);
}

brn_status brn_ordering_find_quick(brn_ctx *ctx, cholmod_common *cm, cholmod_sparse *graph, int size,
                                   brn_ordering *out)
{
    static const attempt tries[] = {
        {"amd", CHOLMOD_AMD, false, 0.0},
        {"metis", CHOLMOD_METIS, false, METIS_ONCE_FLOPS_PER_NODE},
    };
    return find_cheapest(ctx, cm, graph, size, tries, sizeof tries / sizeof *tries, out);
}
