/* The exact schedule: every element acts at the multiples of its own step, every layer of contact at those of h l^-3/2, in the order of a queue
   [Harmon et al. 2009, algorithm 1]. Steps are whole numbers of ticks, 2^-32 of the shortest one or less, so that times are exact and nothing but the
   present tick is needed to know what comes next: the queue is filled anew for every window. There is one clock for a layer of all pairs whose
   first layers have the same step. Events of one tick act in a fixed order: elements, what comes from outside, contact. */
#include "step/acm/acm.h"

#include "base/lanes.h"

#include <stdlib.h>
#include <string.h>

typedef struct event {
    brn_tick t;
    int id; /* run of an element; then the outside; then clocks of layers */
} event;

/* Layer l of pairs [first, end) of the order. */
typedef struct layer_clock {
    int first, end, layer;
    brn_tick ticks;
} layer_clock;

struct brn_acm_queue {
    brn_acm *acm;
    event *heap;
    int count, heap_capacity;
    int *order, order_capacity; /* [npair] by the level of the first layer */
    layer_clock *clock;
    int nclock, clock_capacity;
    int nkick; /* of the present tick */
};
typedef struct brn_acm_queue queue;

brn_status brn_acm_queue_create(brn_acm *acm)
{
    BRN_ALLOC(acm->ctx, acm->queue, 1);
    acm->queue->acm = acm;
    return BRN_OK;
}

void brn_acm_queue_destroy(brn_ctx *ctx, brn_acm_queue *q)
{
    if (q != NULL) {
        brn_free(ctx, q->heap);
        brn_free(ctx, q->order);
        brn_free(ctx, q->clock);
        brn_free(ctx, q);
    }
}

/* ---- the queue -------------------------------------------------------------------------------------------------------------- */

static bool sooner(event a, event b)
{
    return a.t != b.t ? a.t < b.t : a.id < b.id;
}

static void sink(queue *q, int at)
{
    const event moved = q->heap[at];
    for (int child = 2 * at + 1; child < q->count; child = 2 * at + 1) {
        child += child + 1 < q->count && sooner(q->heap[child + 1], q->heap[child]);
        if (!sooner(q->heap[child], moved)) {
            break;
        }
        q->heap[at] = q->heap[child];
        at = child;
    }
    q->heap[at] = moved;
}

static void add_event(queue *q, int id, brn_tick ticks)
{
    q->heap[q->count++] = (event){(q->acm->now / ticks + 1) * ticks, id};
}

static brn_tick ticks_of(const queue *q, int id)
{
    const brn_acm_forces *f = &q->acm->forces;
    return id < f->nrun    ? f->ticks[f->run[id].step]
           : id == f->nrun ? (brn_tick)1 << q->acm->outer
                           : q->clock[id - f->nrun - 1].ticks;
}

/* ---- clocks of layers ------------------------------------------------------------------------------------------------------- */

static brn_status order_pairs(queue *q)
{
    const brn_acm *acm = q->acm;
    int at[BRN_ACM_LEVELS + 1] = {0};
    BRN_GROW(acm->ctx, q->order, q->order_capacity, acm->npair + 1);
    for (int i = 0; i < acm->npair; ++i) {
        at[acm->pair[i].level + 1]++;
    }
    for (int level = 0; level < BRN_ACM_LEVELS; ++level) {
        at[level + 1] += at[level];
    }
    for (int i = 0; i < acm->npair; ++i) {
        q->order[at[acm->pair[i].level]++] = i;
    }
    return BRN_OK;
}

/* As many as the deepest of the pairs that begin at `first` and have its level looks at. */
static int layers_from(const queue *q, int first, int *end)
{
    const brn_acm_pair *pair = q->acm->pair;
    const int level = pair[q->order[first]].level;
    int most = 0;
    int i = first;
    for (; i < q->acm->npair && pair[q->order[i]].level == level; ++i) {
        const int layers = pair[q->order[i]].layers;
        most = layers > most ? layers : most;
    }
    *end = i;
    return most;
}

static brn_status make_clocks(queue *q)
{
    const brn_acm *acm = q->acm;
    int end = 0;
    q->nclock = 0;
    for (int first = 0; first < acm->npair; first = end) {
        const int layers = layers_from(q, first, &end);
        BRN_GROW(acm->ctx, q->clock, q->clock_capacity, q->nclock + layers);
        for (int l = 1; l <= layers; ++l) {
            const brn_tick ticks = brn_acm_layer_ticks(acm, &acm->pair[q->order[first]], l);
            q->clock[q->nclock++] = (layer_clock){first, end, l, ticks};
        }
    }
    return BRN_OK;
}

/* ---- acting ----------------------------------------------------------------------------------------------------------------- */

/* The impulse of one element; what its damping takes is along the mean of the velocities before and after. */
static void push_element(brn_acm *acm, const brn_acm_run *run, const int *node, int width, double h)
{
    const brn_acm_forces *f = &acm->forces;
    const int dim = acm->model->dim;
    const bool damps = f->damping != NULL && run->group->beta > 0.0;
    for (int k = 0; k < width; ++k) {
        const double *v = &acm->nodes.velocity[3 * node[k]];
        double impulse[3] = {0.0, 0.0, 0.0};
        double damping[3] = {0.0, 0.0, 0.0};
        double twice = 0.0;
        for (int i = 0; i < dim; ++i) {
            const size_t at = run->gradient + (size_t)(k * dim + i);
            damping[i] = damps ? -h * f->damping[at] : 0.0;
            impulse[i] = damping[i] - h * f->gradient[at];
            twice -= damping[i] * v[i];
        }
        brn_acm_push(acm, node[k], impulse);
        for (int i = 0; i < dim; ++i) {
            twice -= damping[i] * v[i];
        }
        acm->sums.dissipated += 0.5 * twice;
    }
}

static brn_status act_element(brn_acm *acm, int which, brn_tick t)
{
    const brn_acm_run *run = &acm->forces.run[which];
    const brn_element_group *group = run->group;
    const brn_stencils stencils = brn_group_stencils(group);
    const int *node = &stencils.node[(size_t)run->first * (size_t)stencils.width];
    brn_arena *arena = brn_ctx_arena(acm->ctx);
    for (int k = 0; k < stencils.width; ++k) {
        brn_acm_advance(acm, node[k], t);
    }
    /* From the beginning of its batch: gradients of the others there are made anew before they are used. */
    const int skip = run->first % BRN_LANES;
    const size_t before = (size_t)skip * (size_t)brn_group_grad_size(group);
    group->kind->eval(group, (const double(*)[3])acm->nodes.place, run->first - skip, 1 + skip,
                      BRN_TANGENT_EXACT, NULL, &acm->forces.gradient[run->gradient - before], NULL);
    if (group->beta > 0.0) {
        const brn_arena_mark mark = brn_arena_now(arena);
        const brn_status status = brn_acm_damp_run(acm, which, arena);
        brn_arena_rewind(arena, mark);
        BRN_TRY(status);
    }
    push_element(acm, run, node, stencils.width, (double)acm->forces.ticks[run->step] * acm->tick);
    brn_acm_kds_kicked(acm, node, stencils.width);
    acm->sums.events += 1.0;
    return BRN_OK;
}

static brn_status look_at(queue *q, const layer_clock *clock, brn_tick t)
{
    brn_acm *acm = q->acm;
    for (int i = clock->first; i < clock->end; ++i) {
        const int pair = q->order[i];
        if (acm->pair[pair].layers < clock->layer) {
            continue;
        }
        BRN_GROW(acm->ctx, acm->kick, acm->kick_capacity, q->nkick + 1);
        brn_acm_look_at_layer(acm, pair, clock->layer, t, &acm->kick[q->nkick]);
        acm->sums.contact_events += 1.0;
        if (acm->kick[q->nkick].impulse > 0.0) {
            const int level = 63 - __builtin_clzll(clock->ticks);
            acm->sums.finest = level < acm->sums.finest ? level : acm->sums.finest;
            ++q->nkick;
        }
    }
    return BRN_OK;
}

/* By pairs; layers of a pair by their impulses. */
static int kick_order(const void *a, const void *b)
{
    const brn_acm_kick *p = a, *q = b;
    return p->pair != q->pair ? (p->pair > q->pair) - (p->pair < q->pair)
                              : (p->impulse > q->impulse) - (p->impulse < q->impulse);
}

static void strike_all(queue *q, brn_tick t)
{
    if (q->nkick > 1) {
        qsort(q->acm->kick, (size_t)q->nkick, sizeof *q->acm->kick, kick_order);
    }
    brn_acm_pairs_strike(q->acm, t, q->acm->kick, q->nkick);
    q->nkick = 0;
}

static brn_status act(queue *q, event e)
{
    brn_acm *acm = q->acm;
    const int elements = acm->forces.nrun;
    brn_phases *phases = &acm->system->watch.phases;
    brn_acm_time(acm, e.id <= elements ? &phases->assembly : &phases->contact);
    return e.id < elements    ? act_element(acm, e.id, e.t)
           : e.id == elements ? brn_acm_outer_act(acm, e.t)
                              : look_at(q, &q->clock[e.id - elements - 1], e.t);
}

brn_status brn_acm_queue_fill(brn_acm_queue *q)
{
    brn_acm *acm = q->acm;
    BRN_TRY(order_pairs(q));
    BRN_TRY(make_clocks(q));
    const int count = acm->forces.nrun + 1 + q->nclock;
    BRN_GROW(acm->ctx, q->heap, q->heap_capacity, count);
    q->count = 0;
    q->nkick = 0;
    for (int id = 0; id < count; ++id) {
        add_event(q, id, ticks_of(q, id));
    }
    for (int at = count / 2; at >= 0; --at) {
        sink(q, at);
    }
    return BRN_OK;
}

brn_tick brn_acm_queue_next(const brn_acm_queue *q)
{
    return q->heap[0].t;
}

brn_status brn_acm_queue_act(brn_acm_queue *q)
{
    const brn_tick t = q->heap[0].t;
    while (q->heap[0].t == t) {
        const event next = q->heap[0];
        BRN_TRY(act(q, next));
        q->heap[0].t += ticks_of(q, next.id);
        sink(q, 0);
    }
    strike_all(q, t);
    return BRN_OK;
}
