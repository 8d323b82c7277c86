/* Windows: events are run ahead without looking for contact, and then it is proved that no pair has come nearer than the layers that were looked at
   cover. If one may have, the window is run again, with more layers or cut in half.

   The proof. Between impulses nodes move in straight lines; within a window node a stays within strayed[a] of the straight line that its velocity at the
   start leads along. So the gap of a pair is at least that of the straight motion, which conservative CCD bounds from below, less what the nodes of its two
   sides stray. A pair that is not among the candidates is more than twice its first layer away from the other's straight motion, and may not stray by
   more than one. At the shortest window nothing strays, and layers go on to any depth: it always ends. */
#include "step/acm/acm.h"

#include "base/parallel.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* A pair looks at this many times as many layers as straight lines lead into. */
static const double AHEAD = 1.4;
/* And a window is so short that these are at most this many times as many as before. */
static const double CLOSE = 2.0;
/* Nodes may stray by this share of a pair's gap before a shorter window is better than more layers; below the second a longer one is
   tried. */
static const double STRAY_MOST = 0.25, STRAY_LITTLE = 0.05;
/* In lengths of the thinnest first layer: how far two nodes may move against each other in a window, so that lists of candidates stay
   short; farther where there are few of them for each node of the skin, but not where there are many. */
static const double SPREAD = 4.0;
enum { FEW = 4, MANY = 32 };
/* Share of a gap that CCD may leave. */
static const double KEEP = 1e-3;
enum { CANDIDATE_BLOCK = 256 };
/* Windows that are proved at once before a longer one is tried. */
enum { PATIENCE = 4 };
/* Runs of a window with more and more layers: then a pair comes from where its velocity at the start does not tell, and a shorter one is better. */
enum { DEEPER = 2 };
/* Ticks with events between two looks at whether to stop. */
enum { OFTEN = 256 };

/* ---- straight lines --------------------------------------------------------------------------------------------------------- */

static void save(brn_acm *acm)
{
    const size_t n = (size_t)acm->model->nnode;
    memcpy(acm->saved.place, acm->nodes.place, 3 * n * sizeof(double));
    memcpy(acm->saved.velocity, acm->nodes.velocity, 3 * n * sizeof(double));
    memcpy(acm->saved.clock, acm->nodes.clock, n * sizeof(brn_tick));
    memcpy(acm->saved.received, acm->nodes.received, BRN_ACM_RECEIVED * (size_t)acm->nheld * sizeof(double));
    acm->saved_sums = acm->sums;
}

/* Work that was done in vain is work done. */
static void restore(brn_acm *acm)
{
    const size_t n = (size_t)acm->model->nnode;
    const brn_acm_sums done = acm->sums;
    memcpy(acm->nodes.place, acm->saved.place, 3 * n * sizeof(double));
    memcpy(acm->nodes.velocity, acm->saved.velocity, 3 * n * sizeof(double));
    memcpy(acm->nodes.clock, acm->saved.clock, n * sizeof(brn_tick));
    memcpy(acm->nodes.received, acm->saved.received, BRN_ACM_RECEIVED * (size_t)acm->nheld * sizeof(double));
    acm->sums = acm->saved_sums;
    acm->sums.events = done.events;
    acm->sums.contact_events = done.contact_events;
    acm->sums.rollbacks = done.rollbacks + 1.0;
}

void brn_acm_aim(brn_acm *acm, brn_tick end)
{
    const double time = (double)(end - acm->now) * acm->tick;
    for (int a = 0; a < acm->model->nnode; ++a) {
        if (acm->touches[a]) {
            double *from = &acm->from[3 * a];
            brn_acm_at(acm, a, acm->now, from);
            for (int i = 0; i < 3; ++i) {
                acm->ahead[3 * a + i] = from[i] + time * acm->nodes.velocity[3 * a + i];
            }
            acm->strayed[a] = 0.0;
        }
    }
}

/* [m] The farthest that a node strayed until tick `end`. */
static double measure_stray(brn_acm *acm, brn_tick end)
{
    double most = 0.0;
    for (int a = 0; a < acm->model->nnode; ++a) {
        if (acm->touches[a]) {
            double x[3];
            brn_acm_at(acm, a, end, x);
            const double *to = &acm->ahead[3 * a];
            const double off = (x[0] - to[0]) * (x[0] - to[0]) + (x[1] - to[1]) * (x[1] - to[1]) +
                               (x[2] - to[2]) * (x[2] - to[2]);
            acm->strayed[a] = sqrt(fmax(acm->strayed[a], off));
            most = fmax(most, acm->strayed[a]);
        }
    }
    return most;
}

/* [m/s] Largest difference of two velocities, component by component. */
static double spread(const brn_acm *acm)
{
    double most = 0.0;
    for (int i = 0; i < acm->model->dim; ++i) {
        double lo = INFINITY;
        double hi = -INFINITY;
        for (int a = 0; a < acm->model->nnode; ++a) {
            if (acm->touches[a]) {
                lo = fmin(lo, acm->nodes.velocity[3 * a + i]);
                hi = fmax(hi, acm->nodes.velocity[3 * a + i]);
            }
        }
        most = fmax(most, hi - lo);
    }
    return most;
}

/* ---- pairs ------------------------------------------------------------------------------------------------------------------ */

typedef struct look_job {
    brn_acm *acm;
    brn_candidate_view view;
    double time;   /* [s] */
    double *spare; /* [m] of each candidate: how much farther apart it stays on straight lines than matters */
    int *raise;    /* of each candidate: layers that it should have looked at; -1: as they were */
    int *longest;  /* of each block: level of the longest window */
    int *shortens; /* of each block: the window is too long */
    double *stray; /* of each block: largest share of a gap that its nodes strayed by */
} look_job;

/* [m] How much nearer straight lines may bring the parts of a pair: not known of half-spaces, which have no end. */
static double drift(const look_job *job, int i)
{
    const brn_candidate *c = &job->view.item[i];
    return c->kind == BRN_TOUCH_POINT_PLANE ? INFINITY : brn_candidate_drift(c, job->view.step);
}

/* Where a pair stands at the start, and how fast it closes in. */
typedef struct standing {
    double gap, closing; /* [m], [m/s] */
} standing;

static standing stand(const brn_acm *acm, const brn_candidate *c)
{
    double x[4][3];
    double weight[4];
    double normal[3];
    standing s = {0};
    (void)brn_candidate_gather(c->node, acm->from, x);
    s.gap = brn_acm_gap(c, (const double(*)[3])x, c->offset, weight, normal);
    for (int k = 0; k < brn_touch_count(c->node); ++k) {
        s.closing -= weight[k] * brn_dense_dot3(normal, &acm->saved.velocity[3 * c->node[k]]);
    }
    return s;
}

/* What is left of a gap when it has gone that many times as many layers deep. */
static double left(const brn_acm *acm, double layers)
{
    return pow(layers, -acm->layers.power);
}

/* Layers to look at in a window: those that the gap may reach on straight lines and as far beside them. */
static int layers_ahead(const brn_acm *acm, const brn_acm_pair *pair, const standing *s, double time,
                        double beside)
{
    const double closer = fmax(0.0, s->closing) * time + beside;
    const double then = fmax(s->gap - closer, left(acm, CLOSE) * s->gap);
    return brn_acm_layers_need(&acm->layers, fmin(1.0, left(acm, AHEAD) * then / pair->eta));
}

/* The longest window in which the pair closes its gap by no more than a share, but not shorter than the step of its finest layer. */
static int longest_window(const brn_acm *acm, const brn_acm_pair *pair, const standing *s, int fine)
{
    const int finest = pair->level > fine ? pair->level - fine : 0;
    const int level = s->closing > 0.0
                          ? brn_acm_level_below(acm, (1.0 - left(acm, CLOSE)) * s->gap / s->closing)
                          : BRN_ACM_LEVELS;
    return level > finest ? level : finest;
}

static brn_status choose_block(void *arg, int block, brn_arena *scratch)
{
    const look_job *job = arg;
    brn_acm *acm = job->acm;
    (void)scratch;
    job->longest[block] = BRN_ACM_LEVELS;
    for (int i = block * CANDIDATE_BLOCK; i < brn_block_end(job->view.count, CANDIDATE_BLOCK, block); ++i) {
        const brn_candidate *c = &job->view.item[i];
        const double room = 0.5 * c->reach + 2.0 * acm->stray;
        acm->fine[i] = -1;
        /* from how it was when the list was made */
        const double spare = brn_candidate_least(&job->view, i) - drift(job, i) - c->offset - 0.5 * c->reach;
        job->spare[i] = spare;
        if (spare > 2.0 * acm->stray) {
            continue;
        }
        const standing s = stand(acm, c);
        if (s.gap - drift(job, i) > room) {
            continue;
        }
        const brn_acm_pair pair = brn_acm_pair_of(acm, c, i);
        if (s.gap - drift(job, i) - 2.0 * acm->stray <= pair.eta) {
            acm->fine[i] = layers_ahead(acm, &pair, &s, job->time, acm->stray);
            const int longest = longest_window(acm, &pair, &s, acm->fine[i]);
            job->longest[block] = longest < job->longest[block] ? longest : job->longest[block];
        }
    }
    return BRN_OK;
}

/* [m] How much nearer than straight lines say the two sides of a pair may have come. */
static double strayed(const brn_acm *acm, const brn_candidate *c)
{
    double most[2] = {0.0, 0.0};
    for (int k = 0; k < brn_touch_count(c->node); ++k) {
        double *side = &most[k >= brn_pair_first_side(c->kind)];
        *side = fmax(*side, acm->strayed[c->node[k]]);
    }
    return most[0] + (c->kind == BRN_TOUCH_POINT_PLANE ? acm->lever : 1.0) * most[1];
}

/* Whether straight lines keep a distance, by CCD. */
static bool keeps(const brn_acm *acm, const brn_candidate *c, double distance)
{
    brn_candidate wide = *c;
    wide.offset += distance;
    return brn_pair_impact_time(&wide, acm->from, acm->ahead, KEEP, 1.0) >= 1.0;
}

static brn_status prove_block(void *arg, int block, brn_arena *scratch)
{
    const look_job *job = arg;
    const brn_acm *acm = job->acm;
    (void)scratch;
    job->shortens[block] = 0;
    job->stray[block] = 0.0;
    for (int i = block * CANDIDATE_BLOCK; i < brn_block_end(job->view.count, CANDIDATE_BLOCK, block); ++i) {
        const brn_candidate *c = &job->view.item[i];
        job->raise[i] = -1;
        if (acm->fine[i] < 0 && job->spare[i] > (1.0 + acm->lever) * acm->stray) {
            continue;
        }
        const double stray = strayed(acm, c);
        if (acm->fine[i] < 0 && job->spare[i] > stray) {
            continue;
        }
        const brn_acm_pair pair = brn_acm_pair_of(acm, c, i);
        const int covered = acm->fine[i] < 0 ? 0 : brn_acm_layers_within(acm->fine[i]);
        const double need = pair.eta * acm->layers.eta[covered + 1];
        const standing s = stand(acm, c);
        job->stray[block] = fmax(job->stray[block], stray / s.gap);
        if (s.gap - drift(job, i) - stray > need || keeps(acm, c, need + stray)) {
            continue;
        }
        if (stray > STRAY_MOST * s.gap) {
            job->shortens[block] = 1;
        }
        const int ahead = layers_ahead(acm, &pair, &s, job->time, stray);
        const int next = brn_acm_layers_fine(covered + 1); /* the least that has another layer */
        job->raise[i] = ahead > next ? ahead : next;
    }
    return BRN_OK;
}

/* ---- events ----------------------------------------------------------------------------------------------------------------- */

brn_tick brn_acm_next_tick(const brn_acm *acm, brn_tick t)
{
    if (acm->queue != NULL) {
        return brn_acm_queue_next(acm->queue);
    }
    int finest = acm->outer;
    finest = acm->forces.finest < finest ? acm->forces.finest : finest;
    finest = acm->pair_finest < finest ? acm->pair_finest : finest;
    return ((t >> finest) + 1) << finest;
}

brn_status brn_acm_act(brn_acm *acm, brn_tick t)
{
    brn_phases *phases = &acm->system->watch.phases;
    const int level = brn_acm_level_of(t);
    if (acm->queue != NULL) {
        return brn_acm_queue_act(acm->queue);
    }
    if (level >= acm->forces.finest || level >= acm->outer) {
        brn_acm_time(acm, &phases->assembly);
    }
    if (level >= acm->forces.finest) {
        BRN_TRY(brn_acm_forces_act(acm, t, level));
    }
    if (level >= acm->outer) {
        BRN_TRY(brn_acm_outer_act(acm, t));
    }
    if (level >= acm->pair_finest) {
        brn_acm_time(acm, &phases->contact);
        BRN_TRY(brn_acm_pairs_act(acm, t, level));
    }
    if (level >= acm->forces.finest) {
        brn_acm_book_damping(acm, level);
    }
    return BRN_OK;
}

static brn_status run_events(brn_acm *acm, brn_tick end)
{
    int count = 0;
    for (brn_tick t = brn_acm_next_tick(acm, acm->now); t <= end; t = brn_acm_next_tick(acm, t)) {
        if (++count % OFTEN == 0) {
            BRN_TRY(brn_acm_check(acm));
        }
        BRN_TRY(brn_acm_act(acm, t));
    }
    brn_acm_time(acm, &acm->system->watch.phases.other);
    return BRN_OK;
}

/* ---- windows ---------------------------------------------------------------------------------------------------------------- */

/* The next multiple of the window's length, but not beyond the end of the step. */
static brn_tick window_end(const brn_acm *acm, brn_tick end)
{
    const brn_tick length = (brn_tick)1 << acm->window;
    const brn_tick next = (acm->now / length + 1) * length;
    return next < end ? next : end;
}

brn_status brn_acm_find_candidates(brn_acm *acm, double *time)
{
    const double *to = acm->ahead;
    if (!brn_candidates_cover(acm->candidates, acm->from) ||
        !brn_candidates_cover(acm->candidates, acm->ahead)) {
        double most = 0.0;
        for (int i = 0; i < 3 * acm->model->nnode; ++i) {
            most = acm->touches[i / 3] ? fmax(most, fabs(acm->nodes.velocity[i])) : most;
        }
        const double far = SPREAD * acm->eta_least / most;
        if (far > *time && far < INFINITY) {
            double *x = NULL;
            BRN_TAKE(brn_ctx_arena(acm->ctx), x, 3 * (size_t)acm->model->nnode);
            for (int i = 0; i < 3 * acm->model->nnode; ++i) {
                x[i] = acm->from[i] + far * acm->nodes.velocity[i];
            }
            to = x;
            *time = far;
        }
    }
    return brn_candidates_find(acm->candidates, acm->from, to, acm->distance);
}

/* Where straight lines lead in a window, and the pairs that may touch in it; *most: the longest that is good for them. */
static brn_status look_ahead(brn_acm *acm, brn_tick end, look_job *job, int *most)
{
    brn_phases *phases = &acm->system->watch.phases;
    double time = (double)(end - acm->now) * acm->tick;
    brn_acm_time(acm, &phases->candidates);
    brn_acm_aim(acm, end);
    BRN_TRY(brn_acm_find_candidates(acm, &time));
    const int count = brn_candidates_count(acm->candidates);
    const int blocks = brn_block_count(count, CANDIDATE_BLOCK);
    brn_arena *arena = brn_ctx_arena(acm->ctx);
    *job = (look_job){.acm = acm, .time = (double)(end - acm->now) * acm->tick};
    BRN_TAKE(arena, job->spare, count + 1);
    BRN_TAKE(arena, job->raise, count + 1);
    BRN_TAKE(arena, job->longest, blocks + 1);
    BRN_TAKE(arena, job->shortens, blocks + 1);
    BRN_TAKE(arena, job->stray, blocks + 1);
    BRN_GROW(acm->ctx, acm->fine, acm->fine_capacity, count + 1);
    brn_candidates_view(acm->candidates, acm->from, acm->ahead, &job->view);
    BRN_TRY(brn_parallel_for(acm->ctx, blocks, choose_block, job));
    *most = BRN_ACM_LEVELS;
    for (int b = 0; b < blocks; ++b) {
        *most = job->longest[b] < *most ? job->longest[b] : *most;
    }
    brn_acm_time(acm, &phases->other);
    return BRN_OK;
}

/* *end: of the step, then of the window. */
static brn_status begin(brn_acm *acm, brn_tick *end, look_job *job)
{
    const brn_tick last = *end;
    int most;
    *end = window_end(acm, last);
    BRN_TRY(look_ahead(acm, *end, job, &most));
    if (most < acm->window) {
        acm->window = most;
        *end = window_end(acm, last);
        return look_ahead(acm, *end, job, &most);
    }
    return BRN_OK;
}

/* What a proof says. */
typedef enum verdict { PROVED, MORE_LAYERS, SHORTER } verdict;

static brn_status prove(brn_acm *acm, brn_tick end, look_job *job, verdict *out, double *share)
{
    const int blocks = brn_block_count(job->view.count, CANDIDATE_BLOCK);
    bool raised = false;
    bool shortens = false;
    *share = 0.0;
    brn_acm_time(acm, &acm->system->watch.phases.ccd);
    acm->stray = measure_stray(acm, end);
    shortens = acm->stray > 0.5 * acm->eta_least;
    BRN_TRY(brn_parallel_for(acm->ctx, blocks, prove_block, job));
    for (int i = 0; i < job->view.count; ++i) {
        raised = raised || job->raise[i] >= 0;
        acm->fine[i] = job->raise[i] >= 0 ? job->raise[i] : acm->fine[i];
    }
    for (int b = 0; b < blocks; ++b) {
        shortens = shortens || job->shortens[b];
        *share = fmax(*share, job->stray[b]);
    }
    *out = shortens ? SHORTER : raised ? MORE_LAYERS : PROVED;
    brn_acm_time(acm, &acm->system->watch.phases.other);
    return BRN_OK;
}

/* The shortest window in which something may stray. */
static int least_window(const brn_acm *acm)
{
    const int least = acm->forces.finest < acm->outer ? acm->forces.finest : acm->outer;
    return acm->pair_finest < least ? acm->pair_finest : least;
}

/* Whether lists of candidates would stay short in a window that is longer: things move little against each other, or are few on the way. */
static bool short_lists(const brn_acm *acm, int candidates)
{
    return candidates <= FEW * acm->skin->npoint ||
           spread(acm) * acm->seconds[acm->window + 1] < SPREAD * acm->eta_least;
}

static void adapt(brn_acm *acm, bool again, double share, int candidates)
{
    acm->good = again ? 0 : acm->good + 1;
    const bool room = acm->window + 2 < BRN_ACM_LEVELS && acm->window < acm->outer + 10;
    if (acm->good >= PATIENCE && room && share < STRAY_LITTLE && acm->stray < STRAY_LITTLE * acm->eta_least &&
        short_lists(acm, candidates)) {
        acm->window++;
        acm->good = 0;
    } else if (candidates > MANY * acm->skin->npoint && acm->window > least_window(acm) &&
               spread(acm) * acm->seconds[acm->window] > SPREAD * acm->eta_least) {
        acm->window--;
    }
}

static brn_status run_window(brn_acm *acm, brn_tick last)
{
    brn_tick end = last;
    look_job job;
    bool again = false;
    int deeper = 0; /* runs with more layers than the one before */
    verdict found = SHORTER;
    double share = 0.0;
    save(acm);
    BRN_TRY(begin(acm, &end, &job));
    while (true) {
        BRN_TRY(brn_acm_check(acm));
        BRN_TRY(brn_acm_pairs_gather(acm));
        BRN_TRY(acm->queue != NULL ? brn_acm_queue_fill(acm->queue) : BRN_OK);
        BRN_TRY(run_events(acm, end));
        BRN_TRY(prove(acm, end, &job, &found, &share));
        if (found == PROVED) {
            break;
        }
        again = true;
        restore(acm);
        deeper += found == MORE_LAYERS;
        if ((found == SHORTER || deeper > DEEPER) && acm->window > least_window(acm)) {
            acm->window--;
            deeper = 0;
            end = last;
            BRN_TRY(begin(acm, &end, &job));
        } else {
            for (int a = 0; a < acm->model->nnode; ++a) {
                acm->strayed[a] = 0.0;
            }
        }
    }
    acm->now = end;
    acm->sums.windows += 1.0;
    adapt(acm, again, share, job.view.count);
    return BRN_OK;
}

brn_status brn_acm_run_until(brn_acm *acm, brn_tick end)
{
    if (acm->kds != NULL) {
        return brn_acm_kds_run(acm, end);
    }
    brn_arena *arena = brn_ctx_arena(acm->ctx);
    while (acm->now < end) {
        const brn_arena_mark mark = brn_arena_now(arena);
        const brn_status status = run_window(acm, end);
        brn_arena_rewind(arena, mark);
        BRN_TRY(status);
    }
    return BRN_OK;
}
