/* The kinetic detector [Harmon et al. 2009, section 4]. Two parts of a pair are apart by more than the layers that are looked at cover as long as there is a
   slab between them, of that width and a fixed normal n:

       s(t) = min over the first side of n.x - max over the second of n.x >= offset + eta(l + 1).

   Nodes move in straight lines between impulses, so that the time at which a slab fails is known; an impulse on one of its nodes moves it. When a slab fails
   there is another one, along the line between the closest points, or the next layers are looked at from then on. What fails first is on top of a heap. A
   list of candidates is good while every node stays in its room; half-spaces are in it by straight lines from its start, from which nodes may not stray by
   more than half a first layer. */
#include "step/acm/acm.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static const brn_tick NEVER = UINT64_MAX;
/* A slab is wider than a layer begins by this share: rounding of gaps is far below. */
static const double WIDER = 1e-6;
/* Of a gap: what layers are looked at when a slab fails. */
static const double NEAR = 0.7;
/* Of the thinnest first layer: how far nodes may stray from straight lines, if there are half-spaces. */
static const double STRAY = 0.5;
/* Ticks with events between two looks at whether to stop. */
enum { OFTEN = 256 };

/* Things that fail: pairs in the order of candidates, then nodes. */
struct brn_acm_kds {
    int npair, nthing;
    brn_tick end;      /* the list is good until then */
    brn_tick *fails;   /* [nthing] */
    int *heap, *where; /* [nthing] in the order of a heap, and the place of each in it */
    int fails_capacity, heap_capacity, where_capacity;
    double (*normal)[3], *eta; /* [npair] */
    int normal_capacity, eta_capacity;
    int *start, *incident, incident_capacity; /* [nnode + 1]: pairs at a node */
    double *speed;                            /* [nnode][3] at the start of the list */
    int *kicked, nkicked;                     /* nodes, of the present tick */
    unsigned char *marked, *stale;            /* [nnode], [npair]: is among them; has to be looked at */
    int stale_capacity;
    bool deeper; /* pairs look at more layers than are gathered */
};
typedef struct brn_acm_kds detector;

brn_status brn_acm_kds_create(brn_acm *acm)
{
    const size_t n = (size_t)acm->model->nnode + 2;
    BRN_ALLOC(acm->ctx, acm->kds, 1);
    BRN_ALLOC(acm->ctx, acm->kds->start, n);
    BRN_ALLOC(acm->ctx, acm->kds->speed, 3 * n);
    BRN_ALLOC(acm->ctx, acm->kds->kicked, n);
    BRN_ALLOC(acm->ctx, acm->kds->marked, n);
    return BRN_OK;
}

void brn_acm_kds_destroy(brn_ctx *ctx, brn_acm_kds *d)
{
    if (d == NULL) {
        return;
    }
    void *arrays[] = {d->fails,    d->heap,  d->where,  d->normal, d->eta,  d->start,
                      d->incident, d->speed, d->kicked, d->marked, d->stale};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(ctx, arrays[i]);
    }
    brn_free(ctx, d);
}

void brn_acm_kds_kicked(brn_acm *acm, const int *node, int count)
{
    detector *d = acm->kds;
    for (int k = 0; k < count && d != NULL; ++k) {
        if (!d->marked[node[k]]) {
            d->marked[node[k]] = 1;
            d->kicked[d->nkicked++] = node[k];
        }
    }
}

/* ---- the heap --------------------------------------------------------------------------------------------------------------- */

static void put(detector *d, int at, int thing)
{
    d->heap[at] = thing;
    d->where[thing] = at;
}

static void sink(detector *d, int at)
{
    const int thing = d->heap[at];
    for (int child = 2 * at + 1; child < d->nthing; child = 2 * at + 1) {
        child += child + 1 < d->nthing && d->fails[d->heap[child + 1]] < d->fails[d->heap[child]];
        if (d->fails[d->heap[child]] >= d->fails[thing]) {
            break;
        }
        put(d, at, d->heap[child]);
        at = child;
    }
    put(d, at, thing);
}

static void rise(detector *d, int at)
{
    const int thing = d->heap[at];
    while (at > 0 && d->fails[d->heap[(at - 1) / 2]] > d->fails[thing]) {
        put(d, at, d->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(d, at, thing);
}

static void set_failure(detector *d, int thing, brn_tick t)
{
    d->fails[thing] = t;
    rise(d, d->where[thing]);
    sink(d, d->where[thing]);
}

/* ---- when things fail ------------------------------------------------------------------------------------------------------- */

/* The tick at which `time` [s] from tick t is over, not later. */
static brn_tick tick_after(const brn_acm *acm, brn_tick t, double time)
{
    const double ticks = floor(time / acm->tick);
    return ticks < 0x1p62 ? t + (ticks > 0.0 ? (brn_tick)ticks : 0) : NEVER;
}

/* [s] Until a + b t leaves [lo, hi]. */
static double leaves(double a, double b, double lo, double hi)
{
    return b > 0.0 ? (hi - a) / b : b < 0.0 ? (lo - a) / b : INFINITY;
}

static brn_tick node_fails(const brn_acm *acm, int a, brn_tick t)
{
    double x[3];
    double lo[3];
    double hi[3];
    double time = INFINITY;
    const double *v = &acm->nodes.velocity[3 * a];
    if (!acm->touches[a]) {
        return NEVER;
    }
    brn_acm_at(acm, a, t, x);
    brn_candidates_room(acm->candidates, a, lo, hi);
    for (int i = 0; i < 3; ++i) {
        time = acm->touches[a] == BRN_ACM_POINT ? fmin(time, leaves(x[i], v[i], lo[i], hi[i])) : time;
        if (acm->skin->nplane > 0) {
            const double *v0 = &acm->kds->speed[3 * a];
            const double off = x[i] - acm->from[3 * a + i] - (double)(t - acm->now) * acm->tick * v0[i];
            const double lever = acm->touches[a] == BRN_ACM_PLANE ? acm->lever : 1.0;
            const double most = STRAY / sqrt(3.0) * acm->eta_least / lever;
            time = fmin(time, leaves(off, v[i] - v0[i], -most, most));
        }
    }
    return tick_after(acm, t, time);
}

/* [m] Width that the slab of a pair needs. */
static double width_of(const brn_acm *acm, int i)
{
    const int covered = acm->fine[i] < 0 ? 0 : brn_acm_layers_within(acm->fine[i]);
    return brn_candidates_get(acm->candidates)[i].offset +
           (1.0 + WIDER) * acm->kds->eta[i] * acm->layers.eta[covered + 1];
}

static bool turns(const brn_acm *acm, const brn_candidate *c)
{
    const double *v = acm->nodes.velocity;
    bool same = true;
    for (int k = 2; k < brn_touch_count(c->node); ++k) {
        same = same && memcmp(&v[3 * c->node[k]], &v[3 * c->node[1]], 3 * sizeof *v) == 0;
    }
    return c->kind == BRN_TOUCH_POINT_PLANE && !same;
}

/* A half-space that turns has no slab: by CCD, until its velocity changes at the latest. */
static brn_tick turning_fails(const brn_acm *acm, int i, brn_tick t)
{
    brn_candidate c = brn_candidates_get(acm->candidates)[i];
    const brn_tick step = (brn_tick)1 << acm->outer;
    double x[2][4][3];
    double flat[2][12];
    for (int k = 0; k < 4; ++k) {
        brn_acm_at(acm, c.node[k], t, x[0][k]);
        brn_acm_at(acm, c.node[k], t + step, x[1][k]);
        c.node[k] = k;
    }
    memcpy(flat, x, sizeof flat);
    c.offset = width_of(acm, i);
    const double share = brn_pair_impact_time(&c, flat[0], flat[1], 1e-3, 1.0);
    return tick_after(acm, t, share * (double)step * acm->tick);
}

/* While the slab is as wide as it must be: each node of the first side against each of the second. */
static brn_tick pair_fails(const brn_acm *acm, int i, brn_tick t)
{
    const brn_candidate *c = &brn_candidates_get(acm->candidates)[i];
    const double *n = acm->kds->normal[i];
    const int count = brn_touch_count(c->node);
    const int first = brn_pair_first_side(c->kind);
    const double width = width_of(acm, i);
    double at[4];
    double rate[4];
    double time = INFINITY;
    if (c->kind == BRN_TOUCH_POINT_PLANE && turns(acm, c)) {
        return turning_fails(acm, i, t);
    }
    for (int k = 0; k < count; ++k) {
        double x[3];
        brn_acm_at(acm, c->node[k], t, x);
        at[k] = brn_dense_dot3(n, x);
        rate[k] = brn_dense_dot3(n, &acm->nodes.velocity[3 * c->node[k]]);
    }
    for (int a = 0; a < first; ++a) {
        for (int b = first; b < count; ++b) {
            const double apart = at[a] - at[b] - width;
            const double closing = rate[b] - rate[a];
            time = !(apart >= 0.0) ? 0.0 : closing > 0.0 ? fmin(time, apart / closing) : time;
        }
    }
    return tick_after(acm, t, time);
}

/* ---- slabs ------------------------------------------------------------------------------------------------------------------ */

/* Along the line between the closest points at tick t; if there is no room for one, more layers are looked at. */
static brn_status renew(brn_acm *acm, int i, brn_tick t)
{
    detector *d = acm->kds;
    const brn_candidate *c = &brn_candidates_get(acm->candidates)[i];
    double x[4][3] = {{0}};
    double weight[4];
    for (int k = 0; k < brn_touch_count(c->node); ++k) {
        brn_acm_at(acm, c->node[k], t, x[k]);
    }
    const double gap = brn_acm_gap(c, (const double(*)[3])x, c->offset, weight, d->normal[i]);
    brn_tick fails = pair_fails(acm, i, t);
    while (fails <= t) {
        const int need = brn_acm_layers_need(&acm->layers, fmin(1.0, NEAR * gap / d->eta[i]));
        if (need > BRN_ACM_FINEST || acm->fine[i] >= BRN_ACM_FINEST) {
            return brn_fail(acm->ctx, BRN_ERR_LIMIT,
                            "t = %g s: a gap of %.3g m is left of a contact: more layers are not built",
                            (double)t * acm->tick, gap);
        }
        acm->fine[i] = need > acm->fine[i] ? need : acm->fine[i] + 1;
        d->deeper = true;
        BRN_TRY(brn_acm_layers_grow(&acm->layers, acm->fine[i]));
        fails = pair_fails(acm, i, t);
    }
    set_failure(d, i, fails);
    return BRN_OK;
}

/* ---- lists ------------------------------------------------------------------------------------------------------------------ */

static brn_status find_incident(brn_acm *acm)
{
    detector *d = acm->kds;
    const brn_candidate *list = brn_candidates_get(acm->candidates);
    const int nnode = acm->model->nnode;
    int total = 0;
    memset(d->start, 0, ((size_t)nnode + 2) * sizeof *d->start);
    for (int i = 0; i < d->npair; ++i) {
        for (int k = 0; k < brn_touch_count(list[i].node); ++k) {
            d->start[list[i].node[k] + 2]++;
            ++total;
        }
    }
    for (int a = 0; a < nnode; ++a) {
        d->start[a + 2] += d->start[a + 1];
    }
    BRN_GROW(acm->ctx, d->incident, d->incident_capacity, total + 1);
    for (int i = 0; i < d->npair; ++i) {
        for (int k = 0; k < brn_touch_count(list[i].node); ++k) {
            d->incident[d->start[list[i].node[k] + 1]++] = i;
        }
    }
    return BRN_OK;
}

static brn_status make_room(brn_acm *acm, int npair)
{
    detector *d = acm->kds;
    d->npair = npair;
    d->nthing = npair + acm->model->nnode;
    BRN_GROW(acm->ctx, d->fails, d->fails_capacity, d->nthing + 1);
    BRN_GROW(acm->ctx, d->heap, d->heap_capacity, d->nthing + 1);
    BRN_GROW(acm->ctx, d->where, d->where_capacity, d->nthing + 1);
    BRN_GROW(acm->ctx, d->normal, d->normal_capacity, npair + 1);
    BRN_GROW(acm->ctx, d->eta, d->eta_capacity, npair + 1);
    BRN_GROW(acm->ctx, d->stale, d->stale_capacity, npair + 1);
    BRN_GROW(acm->ctx, acm->fine, acm->fine_capacity, npair + 1);
    memset(d->stale, 0, (size_t)npair + 1);
    for (int i = 0; i < d->nthing; ++i) {
        d->fails[i] = NEVER;
        put(d, i, i);
    }
    return BRN_OK;
}

/* Candidates from tick now on, with a slab each. */
static brn_status list_pairs(brn_acm *acm, brn_tick end)
{
    detector *d = acm->kds;
    double time = (double)(end - acm->now) * acm->tick;
    brn_acm_time(acm, &acm->system->watch.phases.candidates);
    brn_acm_aim(acm, end);
    BRN_TRY(brn_acm_find_candidates(acm, &time));
    BRN_TRY(make_room(acm, brn_candidates_count(acm->candidates)));
    BRN_TRY(find_incident(acm));
    memcpy(d->speed, acm->nodes.velocity, 3 * (size_t)acm->model->nnode * sizeof *d->speed);
    d->end = tick_after(acm, acm->now, time);
    for (int i = 0; i < d->npair; ++i) {
        acm->fine[i] = -1;
        d->eta[i] = brn_acm_pair_of(acm, &brn_candidates_get(acm->candidates)[i], i).eta;
        BRN_TRY(renew(acm, i, acm->now));
    }
    for (int a = 0; a < acm->model->nnode; ++a) {
        set_failure(d, d->npair + a, node_fails(acm, a, acm->now));
    }
    d->deeper = true;
    acm->sums.windows += 1.0;
    return BRN_OK;
}

/* ---- running ---------------------------------------------------------------------------------------------------------------- */

/* What the impulses of tick t have moved. */
static void reschedule(brn_acm *acm, brn_tick t)
{
    detector *d = acm->kds;
    brn_acm_time(acm, &acm->system->watch.phases.ccd);
    for (int k = 0; k < d->nkicked; ++k) {
        const int a = d->kicked[k];
        d->marked[a] = 0;
        set_failure(d, d->npair + a, node_fails(acm, a, t));
        for (int j = d->start[a]; j < d->start[a + 1]; ++j) {
            d->stale[d->incident[j]] = 1;
        }
    }
    for (int k = 0; k < d->nkicked; ++k) {
        const int a = d->kicked[k];
        for (int j = d->start[a]; j < d->start[a + 1]; ++j) {
            const int i = d->incident[j];
            if (d->stale[i]) {
                d->stale[i] = 0;
                set_failure(d, i, pair_fails(acm, i, t));
            }
        }
    }
    d->nkicked = 0;
}

/* Slabs that fail at tick t; *leaves: a node is at the end of its room. */
static brn_status mend(brn_acm *acm, brn_tick t, bool *left)
{
    detector *d = acm->kds;
    brn_acm_time(acm, &acm->system->watch.phases.ccd);
    while (d->fails[d->heap[0]] <= t && !*left) {
        *left = d->heap[0] >= d->npair;
        if (!*left) {
            BRN_TRY(renew(acm, d->heap[0], t));
        }
    }
    return BRN_OK;
}

/* The pairs that look at layers, and when these act, after tick t. */
static brn_status gather(brn_acm *acm, brn_tick t)
{
    const brn_tick now = acm->now;
    BRN_TRY(brn_acm_pairs_gather(acm));
    acm->now = t; /* for the queue */
    const brn_status status = acm->queue != NULL ? brn_acm_queue_fill(acm->queue) : BRN_OK;
    acm->now = now;
    acm->kds->deeper = false;
    return status;
}

/* With one list, until the end, or until it is not good any more. */
static brn_status run_list(brn_acm *acm, brn_tick end)
{
    detector *d = acm->kds;
    brn_tick t = acm->now;
    bool left = false;
    int count = 0;
    BRN_TRY(list_pairs(acm, end));
    end = d->end < end ? d->end : end;
    while (true) {
        if (++count % OFTEN == 0) {
            BRN_TRY(brn_ctx_check(acm->ctx));
        }
        BRN_TRY(d->deeper ? gather(acm, t) : BRN_OK);
        const brn_tick next = brn_acm_next_tick(acm, t);
        const brn_tick fails = d->fails[d->heap[0]];
        if (fails < next && fails <= end) {
            t = fails > t ? fails : t;
            BRN_TRY(mend(acm, t, &left));
            if (left) {
                break;
            }
        } else if (next <= end) {
            t = next;
            BRN_TRY(brn_acm_act(acm, t));
            reschedule(acm, t);
        } else {
            t = end;
            break;
        }
    }
    acm->now = t;
    brn_acm_time(acm, &acm->system->watch.phases.other);
    return BRN_OK;
}

brn_status brn_acm_kds_run(brn_acm *acm, brn_tick end)
{
    brn_arena *arena = brn_ctx_arena(acm->ctx);
    while (acm->now < end) {
        const brn_tick before = acm->now;
        const brn_arena_mark mark = brn_arena_now(arena);
        const brn_status status = run_list(acm, end);
        brn_arena_rewind(arena, mark);
        BRN_TRY(status);
        if (acm->now == before) {
            return brn_fail(acm->ctx, BRN_ERR_LIMIT,
                            "t = %g s: nodes are too fast for the kinetic detector: use `detector: window`",
                            (double)before * acm->tick);
        }
    }
    return BRN_OK;
}
