/* Where a list of pairs is valid: every node has a room that it may move in. Loops over all points, in parallel; what they reduce
   to is a maximum, a number or a yes, so the order does not matter. */
#include "contact/candidates_inner.h"

#include "base/parallel.h"

/* How far a node may stray from the motion that a list was made for, in its lengths. If some node moves by more than FAST
   of them, the list will not last for another step but should for the rest of this one's Newton steps: the spare is a part
   of the first. Otherwise it should last for some more steps like this one. */
static const double SPARE = 0.1, SPARE_LEAST = 0.03, SPARE_STEPS = 8.0;
static const double FAST = 0.05, SPARE_FAST = 0.05;

/* The search is repeated if more than one in ANEW points has left its room. */
enum { ANEW = 4 };

typedef struct room_job {
    brn_candidates *c;
    const brn_spare_rule *rule;
} room_job;

static int first_of(int block)
{
    return block * BRN_CANDIDATE_POINTS;
}

static int end_of(const brn_candidates *c, int block)
{
    return brn_block_end(c->skin->npoint, BRN_CANDIDATE_POINTS, block);
}

static int blocks_of(const brn_candidates *c)
{
    return brn_block_count(c->skin->npoint, BRN_CANDIDATE_POINTS);
}

static double most_part(const brn_candidates *c)
{
    double most = 0.0;
    for (int b = 0; b < blocks_of(c); ++b) {
        most = fmax(most, c->part[b]);
    }
    return most;
}

/* How far a node moves [m]: the longest of its components. */
static double way(const double *a, const double *b)
{
    return fmax(fmax(fabs(b[0] - a[0]), fabs(b[1] - a[1])), fabs(b[2] - a[2]));
}

static bool inside(const brn_candidates *c, int p, const double *x)
{
    bool in = true;
    for (int k = 0; k < 3; ++k) {
        in &= (c->lo[p][k] <= x[3 * p + k]) & (x[3 * p + k] <= c->hi[p][k]);
    }
    return in;
}

static brn_status way_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const room_job *job = arg;
    const brn_candidates *c = job->c;
    double most = 0.0;
    for (int i = first_of(block); i < end_of(c, block); ++i) {
        const int p = c->skin->point[i];
        const double moved = way(&job->rule->x0[3 * p], &job->rule->x1[3 * p]);
        most = c->length[p] > 0.0 ? fmax(most, moved / c->length[p]) : most;
    }
    c->part[block] = most;
    return BRN_OK;
}

brn_spare_rule brn_candidates_rule(brn_candidates *c, const double *x0, const double *x1)
{
    brn_spare_rule rule = {.x0 = x0, .x1 = x1};
    room_job job = {c, &rule};
    (void)brn_parallel_for(c->ctx, blocks_of(c), way_block, &job);
    rule.most = most_part(c);
    rule.fast = rule.most > FAST;
    rule.share = rule.fast ? SPARE_LEAST : fmin(SPARE, SPARE_LEAST + SPARE_STEPS * rule.most);
    return rule;
}

/* A node may be anywhere on its path, or its spare length beyond. */
static void choose_room(const brn_candidates *c, const brn_spare_rule *rule, int p, double lo[3],
                        double hi[3])
{
    const double *x0 = &rule->x0[3 * p], *x1 = &rule->x1[3 * p];
    const double spare = rule->share * c->length[p] + (rule->fast ? SPARE_FAST * way(x0, x1) : 0.0);
    for (int k = 0; k < 3; ++k) {
        lo[k] = (x0[k] < x1[k] ? x0[k] : x1[k]) - spare;
        hi[k] = (x0[k] < x1[k] ? x1[k] : x0[k]) + spare;
    }
}

static brn_status make_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const room_job *job = arg;
    brn_candidates *c = job->c;
    double most = 0.0;
    for (int i = first_of(block); i < end_of(c, block); ++i) {
        const int p = c->skin->point[i];
        choose_room(c, job->rule, p, c->lo[p], c->hi[p]);
        memcpy(c->reference[p], &job->rule->x0[3 * p], sizeof c->reference[p]);
        for (int k = 0; k < 3; ++k) {
            most = fmax(most, fmax(fabs(c->lo[p][k]), fabs(c->hi[p][k])));
        }
    }
    c->part[block] = most;
    return BRN_OK;
}

void brn_candidates_make_room(brn_candidates *c, const brn_spare_rule *rule)
{
    room_job job = {c, rule};
    (void)brn_parallel_for(c->ctx, blocks_of(c), make_block, &job);
    c->largest = most_part(c);
}

static brn_status leave_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const room_job *job = arg;
    brn_candidates *c = job->c;
    int outside = 0;
    for (int i = first_of(block); i < end_of(c, block); ++i) {
        const int p = c->skin->point[i];
        c->grown[p] = !(inside(c, p, job->rule->x0) && inside(c, p, job->rule->x1));
        outside += c->grown[p];
    }
    c->part[block] = outside;
    return BRN_OK;
}

/* Fails where a room would grow too far. */
static brn_status grow_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const room_job *job = arg;
    brn_candidates *c = job->c;
    for (int i = first_of(block); i < end_of(c, block); ++i) {
        const int p = c->skin->point[i];
        double lo[3];
        double hi[3];
        choose_room(c, job->rule, p, lo, hi);
        for (int k = 0; k < 3 && c->grown[p]; ++k) {
            if (!(lo[k] >= -2.0 * c->largest && hi[k] <= 2.0 * c->largest)) {
                return BRN_ERR_RANGE;
            }
            c->lo[p][k] = fmin(c->lo[p][k], lo[k]);
            c->hi[p][k] = fmax(c->hi[p][k], hi[k]);
        }
    }
    return BRN_OK;
}

bool brn_candidates_grow_room(brn_candidates *c, const brn_spare_rule *rule)
{
    room_job job = {c, rule};
    double outside = 0.0;
    (void)brn_parallel_for(c->ctx, blocks_of(c), leave_block, &job);
    for (int b = 0; b < blocks_of(c); ++b) {
        outside += c->part[b];
    }
    return outside <= c->skin->npoint / ANEW && brn_parallel_for(c->ctx, blocks_of(c), grow_block, &job) >= 0;
}

typedef struct cover_job {
    const brn_candidates *c;
    const double *x;
} cover_job;

/* Fails where a point is outside of its room. */
static brn_status cover_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const cover_job *job = arg;
    bool all = true;
    for (int i = first_of(block); i < end_of(job->c, block) && all; ++i) {
        all = inside(job->c, job->c->skin->point[i], job->x);
    }
    return all ? BRN_OK : BRN_ERR_RANGE;
}

bool brn_candidates_cover(const brn_candidates *c, const double *x)
{
    cover_job job = {c, x};
    return c->distance >= 0.0 && brn_parallel_for(c->ctx, blocks_of(c), cover_block, &job) >= 0;
}

void brn_candidates_room(const brn_candidates *c, int point, double lo[3], double hi[3])
{
    memcpy(lo, c->lo[point], sizeof c->lo[point]);
    memcpy(hi, c->hi[point], sizeof c->hi[point]);
}
