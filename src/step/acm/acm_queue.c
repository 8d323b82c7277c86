/* The exact schedule: every element acts at the multiples of its own step, every layer of contact at those of h l^-3/2, in the order of a queue
   [Harmon et al. 2009, algorithm 1]. Steps are whole numbers of ticks, 2^-32 of the shortest one or less, so that times are exact and nothing but the
   present tick is needed to know what comes next: the queue is filled anew for every window. There is one clock for a layer of all pairs whose
   first layers have the same step. Events of one tick act in a fixed order: elements, what comes from outside, contact. */
#include "step/acm/acm.h"

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

typedef struct queue {
    brn_acm *acm;
    event *heap;
    int count;
    int *order; /* [npair] by the level of the first layer */
    layer_clock *clock;
    int nclock;
    int nkick; /* of the present tick */
} queue;

/* Events between two looks at whether to stop. */
enum { OFTEN = 4096 };

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

static brn_status order_pairs(queue *q, brn_arena *arena)
{
    const brn_acm *acm = q->acm;
    int at[BRN_ACM_LEVELS + 1] = {0};
    BRN_TAKE(arena, q->order, acm->npair + 1);
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

static brn_status make_clocks(queue *q, brn_arena *arena)
{
    const brn_acm *acm = q->acm;
    int total = 0;
    int end = 0;
    for (int first = 0; first < acm->npair; first = end) {
        total += layers_from(q, first, &end);
    }
    BRN_TAKE(arena, q->clock, total + 1);
    for (int first = 0; first < acm->npair; first = end) {
        const int layers = layers_from(q, first, &end);
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
    group->kind->eval(group, (const double(*)[3])acm->nodes.place, run->first, 1, BRN_TANGENT_EXACT, NULL,
                      &acm->forces.gradient[run->gradient], NULL);
    if (group->beta > 0.0) {
        const brn_arena_mark mark = brn_arena_now(arena);
        const brn_status status = brn_acm_damp_run(acm, which, arena);
        brn_arena_rewind(arena, mark);
        BRN_TRY(status);
    }
    push_element(acm, run, node, stencils.width, (double)acm->forces.ticks[run->step] * acm->tick);
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

static brn_status run_queue(queue *q, brn_tick end)
{
    brn_acm *acm = q->acm;
    brn_arena *arena = brn_ctx_arena(acm->ctx);
    BRN_TRY(order_pairs(q, arena));
    BRN_TRY(make_clocks(q, arena));
    const int count = acm->forces.nrun + 1 + q->nclock;
    BRN_TAKE(arena, q->heap, count);
    for (int id = 0; id < count; ++id) {
        add_event(q, id, ticks_of(q, id));
    }
    for (int at = count / 2; at >= 0; --at) {
        sink(q, at);
    }
    for (int64_t done = 1; q->heap[0].t <= end; ++done) {
        const event next = q->heap[0];
        if (done % OFTEN == 0) {
            BRN_TRY(brn_ctx_check(acm->ctx));
        }
        BRN_TRY(act(q, next));
        q->heap[0].t += ticks_of(q, next.id);
        sink(q, 0);
        if (q->heap[0].t != next.t) {
            strike_all(q, next.t);
        }
    }
    return BRN_OK;
}

brn_status brn_acm_queue_run(brn_acm *acm, brn_tick end)
{
    brn_arena *arena = brn_ctx_arena(acm->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = run_queue(&(queue){.acm = acm}, end);
    brn_arena_rewind(arena, mark);
    return status;
}
