/* Listing pairs of parts: all of them, or the unlisted ones of some parts. */
#include "contact/candidates_inner.h"

#include "base/parallel.h"
#include "base/radix.h"
#include "geom/separation.h"

#include <limits.h>

enum { FILL_BLOCK = 512 };

const brn_pairing brn_pairings[BRN_PAIRINGS] = {
    {BRN_TOUCH_POINT_EDGE, 2, BRN_POINTS, BRN_EDGES},
    {BRN_TOUCH_POINT_EDGE, 3, BRN_LONE_POINTS, BRN_LONE_EDGES},
    /* The mollifier removes parallel edges: two rods side by side meet by their ends. */
    {BRN_TOUCH_POINT_EDGE, 3, BRN_LONE_ENDS, BRN_LONE_EDGES},
    {BRN_TOUCH_POINT_TRIANGLE, 3, BRN_POINTS, BRN_TRIS},
    {BRN_TOUCH_EDGE_EDGE, 3, BRN_EDGES, BRN_EDGES},
    {BRN_TOUCH_POINT_POINT, 0, BRN_LONE_POINTS, BRN_LONE_POINTS},
};

/* ---- trees ------------------------------------------------------------------------------------------------------------ */

/* Distance that matters to the body of a node [m]. */
static double node_distance(const brn_skin *skin, int node, double distance)
{
    return fmin(distance, skin->reach[skin->node_body[node]]);
}

/* The boxes of a list of parts. Trees are searched within the least distance of all bodies; boxes have half of what their body
   needs beyond it, which for two bodies is at least what the one with the smaller reach needs. */
static brn_status make_boxes(brn_candidates *c, const brn_part_list *list, double distance)
{
    const brn_skin *skin = c->skin;
    const brn_box_sweep sweep = {.count = list->count,
                                 .width = list->width,
                                 .node = list->node,
                                 .x0 = (const double(*)[3])c->lo,
                                 .x1 = (const double(*)[3])c->hi};
    BRN_TRY(brn_box_sweep_all(c->ctx, &sweep, c->box));
    for (int i = 0; i < list->count && (skin->round || c->least < distance); ++i) {
        const int node = list->node[i * list->width];
        const double more = node_distance(skin, node, distance) - c->least;
        const double margin = skin->radius[node] + 0.5 * more;
        for (int k = 0; k < 3; ++k) {
            c->box[i].lo[k] -= margin;
            c->box[i].hi[k] += margin;
        }
    }
    return BRN_OK;
}

/* Refits a list's tree and makes one of the parts with a grown node. */
static brn_status refit(brn_candidates *c, brn_part_list *list, double distance)
{
    BRN_TRY(make_boxes(c, list, distance));
    BRN_TRY(brn_bvh_refit(list->tree, c->box));
    list->nfresh = 0;
    for (int i = 0; i < list->count; ++i) {
        int grown = 0;
        for (int k = 0; k < list->width; ++k) {
            grown |= c->grown[list->node[i * list->width + k]];
        }
        if (grown) {
            c->fresh_box[list->nfresh] = c->box[i];
            list->fresh[list->nfresh++] = i;
        }
    }
    return brn_bvh_build(list->fresh_tree, c->fresh_box, list->nfresh);
}

/* ---- what to list ----------------------------------------------------------------------------------------------------- */

/* Lists to search; where only some parts of one are searched again, its numbers are those of the parts. */
typedef struct pair_query {
    const brn_candidates *candidates;
    const brn_part_list *a, *b;
    const int *number_a, *number_b; /* NULL: all parts */
    bool same;                      /* one list */
    double distance;
} pair_query;

/* How far apart the rooms of some nodes and of others are: along each axis, negative where they overlap. */
static void measure_rooms(const brn_candidates *c, const int *a, int na, const int *b, int nb,
                          double apart[3])
{
    for (int k = 0; k < 3; ++k) {
        double lo_a = INFINITY, hi_a = -INFINITY, lo_b = INFINITY, hi_b = -INFINITY;
        for (int n = 0; n < na; ++n) {
            lo_a = c->lo[a[n]][k] < lo_a ? c->lo[a[n]][k] : lo_a;
            hi_a = c->hi[a[n]][k] > hi_a ? c->hi[a[n]][k] : hi_a;
        }
        for (int n = 0; n < nb; ++n) {
            lo_b = c->lo[b[n]][k] < lo_b ? c->lo[b[n]][k] : lo_b;
            hi_b = c->hi[b[n]][k] > hi_b ? c->hi[b[n]][k] : hi_b;
        }
        apart[k] = lo_b - hi_a > lo_a - hi_b ? lo_b - hi_a : lo_a - hi_b;
    }
}

/* Whether two parts of one sheet come near enough, given that boxes with its full thickness do: half the distance of two of
   their nodes at rest is an upper bound of their offset. Most neighbours in a thick sheet end here. */
static bool may_reach_sheet(const pair_query *q, const int *a, int na, const int *b, int nb)
{
    const brn_skin *skin = q->candidates->skin;
    const double *rest_a = skin->model->rest[a[0]], *rest_b = skin->model->rest[b[0]];
    double apart[3];
    double square = 0.0;
    double gap = 0.0; /* squared, as the boxes are */
    measure_rooms(q->candidates, a, na, b, nb, apart);
    for (int k = 0; k < 3; ++k) {
        gap += apart[k] > 0.0 ? apart[k] * apart[k] : 0.0;
        square += (rest_a[k] - rest_b[k]) * (rest_a[k] - rest_b[k]);
    }
    const double reach =
        node_distance(skin, a[0], q->distance) + fmin(2.0 * skin->radius[a[0]], 0.5 * sqrt(square));
    return !(gap > reach * reach);
}

/* Whether two parts come near enough, given that their boxes do: those of bodies with different reach are larger than the
   smaller reach needs. */
static bool may_reach(const pair_query *q, const int *a, int na, const int *b, int nb)
{
    const brn_candidates *c = q->candidates;
    const brn_skin *skin = c->skin;
    if (skin->node_body[a[0]] == skin->node_body[b[0]]) {
        return !skin->round || skin->radius[a[0]] == 0.0 || may_reach_sheet(q, a, na, b, nb);
    }
    const double near_a = node_distance(skin, a[0], q->distance);
    const double near_b = node_distance(skin, b[0], q->distance);
    if (near_a == near_b) {
        return true;
    }
    double apart[3];
    measure_rooms(c, a, na, b, nb, apart);
    const double reach = fmin(near_a, near_b) + skin->radius[a[0]] + skin->radius[b[0]];
    return !(fmax(fmax(apart[0], apart[1]), apart[2]) > reach);
}

/* Most near boxes share a node: that is tested first, without branches. */
static bool keep_edges(const void *arg, int i, int j)
{
    const pair_query *q = arg;
    const int *a = &q->a->node[2 * i], *b = &q->b->node[2 * j];
    return !((a[0] == b[0]) | (a[0] == b[1]) | (a[1] == b[0]) | (a[1] == b[1])) &&
           brn_skin_may_touch(q->candidates->skin, a, 2, b, 2) && may_reach(q, a, 2, b, 2);
}

static bool keep_point_triangle(const void *arg, int i, int j)
{
    const pair_query *q = arg;
    const int *a = &q->a->node[i], *b = &q->b->node[3 * j];
    return !((a[0] == b[0]) | (a[0] == b[1]) | (a[0] == b[2])) &&
           brn_skin_may_touch(q->candidates->skin, a, 1, b, 3) && may_reach(q, a, 1, b, 3);
}

static bool keep_pair(const void *arg, int i, int j)
{
    const pair_query *q = arg;
    const int *a = &q->a->node[i * q->a->width], *b = &q->b->node[j * q->b->width];
    return brn_skin_may_touch(q->candidates->skin, a, q->a->width, b, q->b->width) &&
           may_reach(q, a, q->a->width, b, q->b->width);
}

static bool keep_fresh(const void *arg, int i, int j)
{
    const pair_query *q = arg;
    return keep_pair(arg, q->number_a != NULL ? q->number_a[i] : i, q->number_b != NULL ? q->number_b[j] : j);
}

/* Mean share of surface of some nodes. */
static double mean_area(const brn_skin *skin, const int *node, int count)
{
    double sum = 0.0;
    for (int k = 0; k < count; ++k) {
        sum += skin->node_area[node[k]];
    }
    return sum / count;
}

/* Distance of the nodes of a pair at which the surfaces touch [m]: the sum of the two radii. Neighbours in a sheet are nearer
   than its thickness from the start and must not repel each other: within a body, the offset is at most half the distance of
   the two parts at rest. So a sheet may be bent to a radius of about half its thickness and shortened by half, and parts
   more than twice its thickness apart along it keep all of it between them. */
static double offset_of(const brn_skin *skin, const brn_candidate *of, int first, int second)
{
    const double offset = skin->radius[first] + skin->radius[second];
    if (offset == 0.0 || skin->node_body[first] != skin->node_body[second]) {
        return offset;
    }
    double x[4][3];
    const int count = brn_candidate_gather(of->node, &skin->model->rest[0][0], x);
    return fmin(offset, 0.5 * brn_separation((const double(*)[3])x, count, of->kind == BRN_TOUCH_EDGE_EDGE));
}

/* Shares: every piece of surface is seen from both sides (1/2), and in 3D by points and by edges (1/2 each). Of two parts
   of different size the smaller one counts: a small body on a large plate touches it with its own area. A half-space
   sees nothing: points meet it with all they have. */
static void fill(const brn_candidates *c, const brn_pairing *pairing, int i, int j, brn_candidate *to)
{
    const brn_skin *skin = c->skin;
    const brn_touch kind = pairing->kind;
    const brn_part_list *first = &c->list[pairing->first], *second = &c->list[pairing->second];
    const int *a = &first->node[i * first->width];
    const int *b = &second->node[j * second->width];
    *to = (brn_candidate){.kind = kind, .node = {-1, -1, -1, -1}};
    memcpy(to->node, a, (size_t)first->width * sizeof *a);
    memcpy(&to->node[first->width], b, (size_t)second->width * sizeof *b);
    to->offset = offset_of(skin, to, a[0], b[0]);
    to->reach = brn_skin_reach(skin, a[0], b[0]);
    if (kind == BRN_TOUCH_EDGE_EDGE) {
        to->area = 0.5 * fmin(skin->edge_area[i], skin->edge_area[j]);
    } else {
        const double area = fmin(skin->node_area[a[0]], mean_area(skin, b, second->width));
        to->area = (kind == BRN_TOUCH_POINT_TRIANGLE ? 0.25 : 0.5) * area;
    }
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

typedef struct fill_job {
    brn_candidates *c;
    const brn_pairing *pairing;
    int first; /* of the new candidates */
} fill_job;

/* Motions are differences of positions, accurate to the rounding of the largest. */
static double separation(const brn_candidates *c, const brn_candidate *of)
{
    double x[4][3];
    const int count = brn_candidate_gather(of->node, &c->reference[0][0], x);
    return brn_separation((const double(*)[3])x, count, of->kind == BRN_TOUCH_EDGE_EDGE) -
           0x1p-45 * c->largest;
}

static brn_status fill_block(void *arg, int block, brn_arena *scratch)
{
    (void)scratch;
    const fill_job *job = arg;
    brn_candidates *c = job->c;
    const int end = brn_block_end((int)c->pairs->count, FILL_BLOCK, block);
    BRN_TRY(brn_ctx_check(c->ctx));
    for (int i = block * FILL_BLOCK; i < end; ++i) {
        const int *pair = c->pairs->pair[i];
        const int at = job->first + i;
        fill(c, job->pairing, pair[0], pair[1], &c->item[at]);
        c->apart[at] = separation(c, &c->item[at]);
        c->key[at] = (uint64_t)pair[0] << 32 | (uint64_t)pair[1];
    }
    return BRN_OK;
}

static brn_status reserve(brn_candidates *c, size_t more)
{
    if (more > (size_t)(INT_MAX - FILL_BLOCK - c->npair)) {
        return brn_fail(c->ctx, BRN_ERR_LIMIT, "more than %d pairs are near each other", INT_MAX);
    }
    BRN_GROW(c->ctx, c->item, c->capacity, (size_t)c->npair + more);
    BRN_GROW(c->ctx, c->apart, c->apart_capacity, (size_t)c->npair + more);
    BRN_GROW(c->ctx, c->key, c->key_capacity, (size_t)c->npair + more);
    return BRN_OK;
}

/* Whether two lists meet at all. */
static bool takes_part(const brn_candidates *c, const brn_pairing *p)
{
    return (p->dim == 0 || p->dim == c->skin->dim) && c->list[p->first].count > 0 &&
           c->list[p->second].count > 0;
}

/* Appends the pairs of two lists (or of one with itself) that are near. */
static brn_status append(brn_candidates *c, const brn_pairing *pairing, double distance)
{
    const pair_query q = {
        .candidates = c, .a = &c->list[pairing->first], .b = &c->list[pairing->second], .distance = distance};
    const brn_bvh_query query = {.within = c->least,
                                 .keep = pairing->kind == BRN_TOUCH_EDGE_EDGE        ? keep_edges
                                         : pairing->kind == BRN_TOUCH_POINT_TRIANGLE ? keep_point_triangle
                                                                                     : keep_pair,
                                 .keep_arg = &q};
    BRN_TRY(pairing->first == pairing->second ? brn_bvh_query_self(q.a->tree, &query, c->pairs)
                                              : brn_bvh_query_pairs(q.a->tree, q.b->tree, &query, c->pairs));
    BRN_TRY(reserve(c, c->pairs->count));
    fill_job job = {c, pairing, c->npair};
    c->npair += (int)c->pairs->count;
    return brn_parallel_for(c->ctx, brn_block_count((int)c->pairs->count, FILL_BLOCK), fill_block, &job);
}

brn_status brn_candidates_list(brn_candidates *c, double distance)
{
    c->npair = 0;
    c->least = distance;
    for (int b = 0; b < c->skin->model->nbody; ++b) {
        c->least = fmin(c->least, c->skin->reach[b]);
    }
    for (int i = 0; i < BRN_PART_LISTS; ++i) {
        BRN_TRY(make_boxes(c, &c->list[i], distance));
        BRN_TRY(brn_bvh_build(c->list[i].tree, c->box, c->list[i].count));
    }
    for (int i = 0; i < BRN_PAIRINGS; ++i) {
        if (takes_part(c, &brn_pairings[i])) {
            BRN_TRY(append(c, &brn_pairings[i], distance));
        }
        c->end[i] = c->npair;
    }
    c->npair_first = c->npair;
    return BRN_OK;
}

/* ---- more --------------------------------------------------------------------------------------------------------------- */

/* Adds the pairs found to the keys of new ones. */
static brn_status take_keys(brn_candidates *c, const pair_query *q, size_t *count)
{
    BRN_GROW(c->ctx, c->fresh, c->fresh_capacity, *count + c->pairs->count);
    for (size_t n = 0; n < c->pairs->count; ++n) {
        const int *pair = c->pairs->pair[n];
        const int i = q->number_a != NULL ? q->number_a[pair[0]] : pair[0];
        const int j = q->number_b != NULL ? q->number_b[pair[1]] : pair[1];
        const bool swap = q->same && j < i;
        c->fresh[(*count)++] = (uint64_t)(swap ? j : i) << 32 | (uint64_t)(swap ? i : j);
    }
    return BRN_OK;
}

/* Removes keys that occur twice or are listed already. */
static size_t drop_known(const brn_candidates *c, uint64_t *key, size_t count, int at, int end)
{
    size_t left = 0;
    for (size_t n = 0; n < count; ++n) {
        while (at < end && c->key[at] < key[n]) {
            ++at;
        }
        const bool known = (at < end && c->key[at] == key[n]) || (left > 0 && key[left - 1] == key[n]);
        key[left] = key[n];
        left += !known;
    }
    return left;
}

/* Keys of a pairing's unlisted pairs, sorted, after the `start` ones already there. */
static brn_status find_fresh(brn_candidates *c, int number, double distance, size_t start, size_t *end)
{
    const brn_pairing *pairing = &brn_pairings[number];
    const brn_part_list *a = &c->list[pairing->first], *b = &c->list[pairing->second];
    pair_query q = {
        .candidates = c, .a = a, .b = b, .number_a = a->fresh, .same = a == b, .distance = distance};
    const brn_bvh_query query = {.within = c->least, .keep = keep_fresh, .keep_arg = &q};
    *end = start;
    BRN_TRY(brn_bvh_query_pairs(a->fresh_tree, b->tree, &query, c->pairs));
    BRN_TRY(take_keys(c, &q, end));
    if (a != b) {
        q.number_a = NULL;
        q.number_b = b->fresh;
        BRN_TRY(brn_bvh_query_pairs(a->tree, b->fresh_tree, &query, c->pairs));
        BRN_TRY(take_keys(c, &q, end));
    }
    if (*end == start) { /* there may be no list at all */
        return BRN_OK;
    }
    BRN_GROW(c->ctx, c->temp, c->temp_capacity, *end - start);
    const int high = 32 + brn_radix_bits((uint64_t)a->count), low = brn_radix_bits((uint64_t)b->count);
    BRN_TRY(brn_radix_sort(c->ctx, c->fresh + start, c->temp, *end - start, 0, low));
    BRN_TRY(brn_radix_sort(c->ctx, c->fresh + start, c->temp, *end - start, 32, high));
    *end = start +
           drop_known(c, c->fresh + start, *end - start, number > 0 ? c->end[number - 1] : 0, c->end[number]);
    return BRN_OK;
}

/* Merges new pairs in, from the back so that nothing is overwritten before it is read. */
static void merge(brn_candidates *c, const size_t fresh_end[BRN_PAIRINGS])
{
    int from = c->npair;
    int to = c->npair + (int)fresh_end[BRN_PAIRINGS - 1];
    c->npair = to;
    for (int number = BRN_PAIRINGS - 1; number >= 0; --number) {
        const int start = number > 0 ? c->end[number - 1] : 0;
        const size_t first = number > 0 ? fresh_end[number - 1] : 0;
        size_t fresh = fresh_end[number];
        c->end[number] = to;
        while (fresh > first) {
            --to;
            if (from > start && c->key[from - 1] > c->fresh[fresh - 1]) {
                --from;
                c->key[to] = c->key[from];
                c->item[to] = c->item[from];
                c->apart[to] = c->apart[from];
                continue;
            }
            const uint64_t key = c->fresh[--fresh];
            c->key[to] = key;
            fill(c, &brn_pairings[number], (int)(key >> 32), (int)(uint32_t)key, &c->item[to]);
            c->apart[to] = separation(c, &c->item[to]);
        }
        /* The rest of the pairing moves as it is. */
        const size_t rest = (size_t)(from - start);
        to -= from - start;
        from = start;
        if (rest > 0 && to != from) {
            memmove(&c->key[to], &c->key[from], rest * sizeof *c->key);
            memmove(&c->item[to], &c->item[from], rest * sizeof *c->item);
            memmove(&c->apart[to], &c->apart[from], rest * sizeof *c->apart);
        }
    }
}

brn_status brn_candidates_extend(brn_candidates *c, double distance)
{
    size_t fresh_end[BRN_PAIRINGS];
    size_t total = 0;
    for (int i = 0; i < BRN_PART_LISTS; ++i) {
        BRN_TRY(refit(c, &c->list[i], distance));
    }
    for (int i = 0; i < BRN_PAIRINGS; ++i) {
        if (takes_part(c, &brn_pairings[i])) {
            BRN_TRY(find_fresh(c, i, distance, total, &total));
        }
        fresh_end[i] = total;
    }
    BRN_TRY(reserve(c, total));
    merge(c, fresh_end);
    return BRN_OK;
}
