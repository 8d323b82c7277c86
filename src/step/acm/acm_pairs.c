/* Pairs and their layers. The gap of a pair is the distance of its closest points, over all regions of its two parts, less what its surfaces are
   away from its nodes; its gradient, by the envelope theorem, is the normal times the weights of the closest points, so that impulses of a pair have
   neither a sum nor a moment. */
#include "step/acm/acm.h"

#include "base/parallel.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIR_BLOCK = 64 };

/* Neighbours in a body: of their gap at rest, so that nothing pushes there. */
static const double SELF = 0.5;

/* ---- making ----------------------------------------------------------------------------------------------------------------- */

/* The masses that move, and the steps of the elements at them. */
static void weigh(const brn_acm *acm, const brn_candidate *c, double *mass, int *level)
{
    *mass = INFINITY;
    *level = BRN_ACM_LEVELS;
    for (int k = 0; k < brn_touch_count(c->node); ++k) {
        const int a = c->node[k];
        *mass = acm->inverse[a] > 0.0 ? fmin(*mass, 1.0 / acm->inverse[a]) : *mass;
        *level = acm->node_level[a] < *level ? acm->node_level[a] : *level;
    }
    *level = *level == BRN_ACM_LEVELS ? acm->outer : *level;
}

brn_acm_pair brn_acm_pair_of(const brn_acm *acm, const brn_candidate *c, int index)
{
    const brn_model *model = acm->model;
    const brn_acm_params *given = acm->params;
    const int body = acm->skin->node_body[c->node[0]];
    const int other = acm->skin->node_body[c->node[brn_touch_count(c->node) - 1]];
    const size_t law = brn_model_pair(model, body, other);
    brn_acm_pair pair = {.candidate = c,
                         .index = index,
                         .fine = -1,
                         .offset = c->offset,
                         .eta = fmin(acm->eta[body], acm->eta[other]),
                         .r = given->stiffness,
                         .mu = acm->system->controls->friction[law],
                         .restored = 1.0};
    weigh(acm, c, &pair.mass, &pair.level);
    if (body == other) {
        double x[4][3];
        double weight[4];
        double normal[3];
        (void)brn_candidate_gather(c->node, model->rest[0], x);
        pair.eta = fmin(pair.eta, SELF * brn_acm_gap(c, (const double(*)[3])x, c->offset, weight, normal));
    }
    /* h sqrt(r/m) is the same for all pairs, unless both are given. What comes together is stopped within the first few layers by the depth
       law, n^(2 - power) ~ v h / (resolution eta), and does not cross one in a step. */
    const int passing = brn_acm_level_below(acm, given->resolution * pair.eta / acm->speed);
    pair.level = passing < pair.level ? passing : pair.level;
    if (given->step > 0.0) {
        pair.level = brn_acm_level_below(acm, given->step);
    } else if (given->stiffness > 0.0) {
        pair.level = brn_acm_level_below(acm, given->resolution * sqrt(pair.mass / pair.r));
    }
    if (!(given->stiffness > 0.0)) {
        const double rate = given->resolution / acm->seconds[pair.level];
        pair.r = pair.mass * rate * rate;
    }
    const double *restitution = model->contact_key[BRN_CONTACT_RESTITUTION];
    if (restitution != NULL && !isnan(restitution[law])) {
        pair.restored = restitution[law] * restitution[law];
    }
    return pair;
}

static int finest_of(const brn_acm_pair *pair)
{
    return pair->level - pair->fine;
}

/* By levels, each in the order of pairs. */
static brn_status sort_buckets(brn_acm *acm)
{
    int count[BRN_ACM_LEVELS + 1] = {0};
    BRN_GROW(acm->ctx, acm->bucket, acm->bucket_capacity, acm->npair + 1);
    for (int i = 0; i < acm->npair; ++i) {
        count[finest_of(&acm->pair[i]) + 1]++;
    }
    for (int level = 0; level < BRN_ACM_LEVELS; ++level) {
        count[level + 1] += count[level];
        acm->bucket_end[level] = count[level + 1];
    }
    for (int i = 0; i < acm->npair; ++i) {
        acm->bucket[count[finest_of(&acm->pair[i])]++] = i;
    }
    return BRN_OK;
}

brn_status brn_acm_pairs_gather(brn_acm *acm)
{
    const brn_candidate *list = brn_candidates_get(acm->candidates);
    const int count = brn_candidates_count(acm->candidates);
    acm->npair = 0;
    acm->pair_finest = BRN_ACM_LEVELS;
    for (int i = 0; i < count; ++i) {
        if (acm->fine[i] < 0) {
            continue;
        }
        brn_acm_pair pair = brn_acm_pair_of(acm, &list[i], i);
        pair.fine = acm->fine[i];
        if (pair.fine > pair.level || pair.fine > BRN_ACM_FINEST) {
            return brn_fail(
                acm->ctx, BRN_ERR_LIMIT,
                "contact gets to layer %.3g, of steps of %.3g s: what comes together is too fast for its "
                "layers; method.stiffness or method.thickness can be raised",
                (double)brn_acm_layers_within(pair.level < BRN_ACM_FINEST ? pair.level : BRN_ACM_FINEST),
                acm->tick);
        }
        BRN_TRY(brn_acm_layers_grow(&acm->layers, pair.fine));
        pair.layers = brn_acm_layers_within(pair.fine);
        BRN_GROW(acm->ctx, acm->pair, acm->pair_capacity, acm->npair + 1);
        acm->pair[acm->npair++] = pair;
        const int finest = finest_of(&pair);
        acm->pair_finest = finest < acm->pair_finest ? finest : acm->pair_finest;
    }
    BRN_GROW(acm->ctx, acm->kick, acm->kick_capacity, acm->npair + 1);
    return sort_buckets(acm);
}

double brn_acm_gap(const brn_candidate *c, const double x[4][3], double offset, double weight[4],
                   double normal[3])
{
    brn_contact_pair pair = {.kind = c->kind, .stencil = brn_pair_classify(c->kind, c->node, x)};
    return sqrt(brn_pair_frame(&pair, x, weight, normal)) - offset;
}

brn_tick brn_acm_layer_ticks(const brn_acm *acm, const brn_acm_pair *pair, int layer)
{
    const brn_tick first = (brn_tick)1 << pair->level;
    if (acm->params->schedule == BRN_ACM_EXACT) {
        const double h = (double)first / ((double)layer * sqrt((double)layer));
        return h < 1.0 ? 1 : (brn_tick)h;
    }
    const int fine = brn_acm_layers_fine(layer);
    return fine < pair->level ? first >> fine : 1;
}

/* ---- acting ----------------------------------------------------------------------------------------------------------------- */

typedef struct pairs_job {
    brn_acm *acm;
    brn_tick t;
    int level, count;
} pairs_job;

/* The gap of a pair at tick t, over the thickness of its first layer; *to without an impulse yet. */
static double measure_gap(const brn_acm *acm, int which, brn_tick t, brn_acm_kick *to)
{
    const brn_acm_pair *pair = &acm->pair[which];
    const int *node = pair->candidate->node;
    double x[4][3] = {{0}};
    for (int k = 0; k < brn_touch_count(node); ++k) {
        brn_acm_at(acm, node[k], t, x[k]);
    }
    const double gap =
        brn_acm_gap(pair->candidate, (const double(*)[3])x, pair->offset, to->weight, to->normal);
    to->pair = which;
    to->impulse = 0.0;
    to->distance = gap + pair->offset;
    return gap / pair->eta;
}

/* What a pair does at tick t: impulse 0 if none of its layers that act there is reached. */
static void look(const brn_acm *acm, int which, brn_tick t, int level, brn_acm_kick *to)
{
    const brn_acm_pair *pair = &acm->pair[which];
    const brn_acm_layers *layers = &acm->layers;
    const int first = layers->first[level < pair->level ? pair->level - level : 0];
    const double gap = measure_gap(acm, which, t, to);
    if (gap < layers->eta[first]) {
        const int reached = brn_acm_layers_reached(layers, gap, pair->layers);
        to->reached = reached;
        to->impulse = pair->r * pair->eta * acm->seconds[pair->level] *
                      brn_acm_layers_impulse(layers, first, reached, gap);
    }
}

void brn_acm_look_at_layer(const brn_acm *acm, int which, int layer, brn_tick t, brn_acm_kick *to)
{
    const brn_acm_pair *pair = &acm->pair[which];
    const double gap = measure_gap(acm, which, t, to);
    const double h = (double)brn_acm_layer_ticks(acm, pair, layer) * acm->tick;
    if (gap < acm->layers.eta[layer]) {
        to->reached = brn_acm_layers_reached(&acm->layers, gap, pair->layers);
        to->impulse = pair->r * pair->eta * h * brn_acm_layers_force(&acm->layers, layer, gap);
    }
}

static brn_status look_block(void *arg, int block, brn_arena *scratch)
{
    const pairs_job *job = arg;
    (void)scratch;
    for (int i = block * PAIR_BLOCK; i < brn_block_end(job->count, PAIR_BLOCK, block); ++i) {
        look(job->acm, job->acm->bucket[i], job->t, job->level, &job->acm->kick[i]);
    }
    return BRN_OK;
}

static int kick_order(const void *a, const void *b)
{
    const brn_acm_kick *p = a, *q = b;
    return (p->pair > q->pair) - (p->pair < q->pair);
}

/* Velocity of the pair's first side against its second. */
static void relative(const brn_acm *acm, const brn_acm_kick *kick, const int node[4], double u[3])
{
    u[0] = u[1] = u[2] = 0.0;
    for (int k = 0; k < brn_touch_count(node); ++k) {
        for (int i = 0; i < 3; ++i) {
            u[i] += kick->weight[k] * acm->nodes.velocity[3 * node[k] + i];
        }
    }
}

static void push_pair(brn_acm *acm, const brn_acm_kick *kick, const int node[4], double size,
                      const double along[3])
{
    for (int k = 0; k < brn_touch_count(node); ++k) {
        if (kick->weight[k] != 0.0) {
            double impulse[3];
            for (int i = 0; i < 3; ++i) {
                impulse[i] = size * kick->weight[k] * along[i];
            }
            brn_acm_push(acm, node[k], impulse);
        }
    }
}

/* The two impulses of friction act at places apart. If one side is held, its hold takes the couple; between two bodies that move it stays. */
static void book_couple(brn_acm *acm, const brn_acm_kick *kick, const int node[4], const double friction[3])
{
    const int count = brn_touch_count(node);
    const double lever[3] = {kick->distance * kick->normal[0], kick->distance * kick->normal[1],
                             kick->distance * kick->normal[2]};
    const int last[] = {node[0], node[count - 1]};
    double couple[3];
    brn_dense_cross3(lever, friction, couple);
    for (int side = 0; side < 2; ++side) {
        const int held = acm->held_of[last[side]];
        if (held >= 0 && acm->inverse[last[side]] == 0.0) {
            for (int i = 0; i < 3; ++i) {
                acm->nodes.received[BRN_ACM_RECEIVED * held + 3 + i] += couple[i];
            }
            return;
        }
    }
}

/* Against the slip, at most mu times the normal impulse, at most what stops it. */
static void rub(brn_acm *acm, brn_acm_kick *kick, const int node[4], double most)
{
    double u[3];
    double inverse = 0.0;
    relative(acm, kick, node, u);
    const double normal = brn_dense_dot3(u, kick->normal);
    for (int i = 0; i < 3; ++i) {
        u[i] -= normal * kick->normal[i];
    }
    for (int k = 0; k < brn_touch_count(node); ++k) {
        inverse += kick->weight[k] * kick->weight[k] * acm->inverse[node[k]];
    }
    const double speed = sqrt(brn_dense_dot3(u, u));
    if (!(speed > 0.0 && inverse > 0.0)) {
        return;
    }
    const double size = fmin(most, speed / inverse);
    for (int i = 0; i < 3; ++i) {
        u[i] /= speed;
    }
    push_pair(acm, kick, node, -size, u);
    for (int i = 0; i < 3; ++i) {
        u[i] *= size;
        kick->lost[i] += u[i];
    }
    book_couple(acm, kick, node, u);
}

static void strike(brn_acm *acm, brn_acm_kick *kick, brn_tick t)
{
    const brn_acm_pair *pair = &acm->pair[kick->pair];
    const int *node = pair->candidate->node;
    double impulse = kick->impulse;
    memset(kick->lost, 0, sizeof kick->lost);
    for (int k = 0; k < brn_touch_count(node); ++k) {
        if (kick->weight[k] != 0.0) {
            brn_acm_advance(acm, node[k], t);
        }
    }
    if (pair->restored < 1.0) {
        double u[3];
        relative(acm, kick, node, u);
        const double parting = brn_dense_dot3(u, kick->normal);
        if (parting > 0.0) {
            for (int i = 0; i < 3; ++i) {
                kick->lost[i] = (1.0 - pair->restored) * impulse * kick->normal[i];
            }
            impulse *= pair->restored;
        }
    }
    push_pair(acm, kick, node, impulse, kick->normal);
    if (pair->mu > 0.0) {
        rub(acm, kick, node, pair->mu * impulse);
    }
    brn_acm_kds_kicked(acm, node, brn_touch_count(node));
}

/* [J] What friction takes, and layers do not give back: along the mean of the velocities before and after all impulses of the tick. Where
   elements pull at what friction holds, that is nothing. */
static double lost(const brn_acm *acm, const brn_acm_kick *kick)
{
    const int *node = acm->pair[kick->pair].candidate->node;
    double sum = 0.0;
    for (int k = 0; k < brn_touch_count(node); ++k) {
        for (int i = 0; i < 3 && kick->weight[k] != 0.0; ++i) {
            const int at = 3 * node[k] + i;
            sum += 0.5 * kick->lost[i] * kick->weight[k] * (acm->nodes.before[at] + acm->nodes.velocity[at]);
        }
    }
    return sum;
}

void brn_acm_pairs_strike(brn_acm *acm, brn_tick t, brn_acm_kick *kick, int count)
{
    for (int i = 0; i < count; ++i) {
        strike(acm, &kick[i], t);
    }
    for (int i = 0; i < count; ++i) {
        acm->sums.dissipated += lost(acm, &kick[i]);
        acm->sums.deepest = kick[i].reached > acm->sums.deepest ? kick[i].reached : acm->sums.deepest;
    }
}

/* Impulses of one tick are added in the order of candidates, whatever levels they come from. */
brn_status brn_acm_pairs_act(brn_acm *acm, brn_tick t, int level)
{
    pairs_job job = {acm, t, level, acm->bucket_end[level]};
    bool sorted = true;
    int count = 0;
    BRN_TRY(brn_parallel_for(acm->ctx, brn_block_count(job.count, PAIR_BLOCK), look_block, &job));
    acm->sums.contact_events += job.count;
    for (int i = 0; i < job.count; ++i) {
        if (acm->kick[i].impulse > 0.0) {
            sorted = sorted && (count == 0 || acm->kick[count - 1].pair < acm->kick[i].pair);
            acm->kick[count++] = acm->kick[i];
        }
    }
    if (!sorted) {
        qsort(acm->kick, (size_t)count, sizeof *acm->kick, kick_order);
    }
    brn_acm_pairs_strike(acm, t, acm->kick, count);
    if (count > 0) {
        acm->sums.finest = level < acm->sums.finest ? level : acm->sums.finest;
    }
    return BRN_OK;
}
