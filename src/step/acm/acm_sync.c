/* Between nodes with clocks of their own and a state, in which all are at one time. A force that acts every h has done, tau after its last impulse, h/2 - tau
   more than its share: synchronised velocities are without that. Nothing of it feeds back: places, velocities and clocks are remembered as they are. */
#include "step/acm/acm.h"

#include "contact/meetings.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

static const char PLACE[] = "acm.place", VELOCITY[] = "acm.velocity", LAG[] = "acm.lag",
                  CLOCK[] = "acm.clock", CARRIED[] = "acm.carried";

/* Impulse and its moment, and work, that the outside has done beyond its share: of loads (and weight), less that on held nodes. */
enum { CARRY = 7 };

brn_tick brn_acm_tick_at(const brn_acm *acm, double t)
{
    return (brn_tick)floor(t / acm->tick);
}

/* ---- what forces have done beyond their share ------------------------------------------------------------------------------- */

typedef struct excess {
    double *push;  /* [nnode][3] [N s] of elements and contact */
    double *outer; /* [nnode][3] [N s] of loads and weight */
    brn_tick now;  /* the last tick, and the time since [s] */
    double rest;
    double outer_work[CARRY];
} excess;

/* A pair at x: force and energy, and what its layers have in excess. */
typedef struct pair_push {
    double force, energy, excess; /* [N], [J], [N s] */
} pair_push;

static pair_push measure_pair(brn_acm *acm, const brn_acm_pair *pair, const double x[4][3], const excess *e,
                              double weight[4], double normal[3], double *gap)
{
    brn_acm_layers *layers = &acm->layers;
    pair_push sum = {0};
    *gap = brn_acm_gap(pair->candidate, x, pair->offset, weight, normal);
    const double relative = *gap / pair->eta;
    if (!(relative < 1.0 && relative > 0.0)) {
        return sum;
    }
    const int fine = brn_acm_layers_need(layers, relative);
    if (brn_acm_layers_grow(layers, fine) < 0) {
        return (pair_push){.energy = INFINITY};
    }
    const int reached = brn_acm_layers_reached(layers, relative, brn_acm_layers_within(fine));
    for (int l = 1; l <= reached; ++l) {
        const double force = pair->r * pair->eta * brn_acm_layers_force(layers, l, relative);
        sum.force += force;
        sum.excess +=
            e != NULL ? force * brn_acm_excess(acm, brn_acm_layer_ticks(acm, pair, l), e->now, e->rest) : 0.0;
    }
    sum.energy = pair->r * pair->eta * pair->eta * brn_acm_layers_energy(layers, reached, relative);
    acm->sums.deepest = reached > acm->sums.deepest ? reached : acm->sums.deepest;
    return sum;
}

static void add_point(brn_acm *acm, const brn_acm_pair *pair, const double *x, const double *v,
                      const double weight[4], const double normal[3], double force, double gap)
{
    const brn_candidate *c = pair->candidate;
    const int count = brn_touch_count(c->node);
    brn_contact_pair placed = {
        .kind = c->kind, .offset = c->offset, .d2 = (gap + c->offset) * (gap + c->offset)};
    brn_contact_point *to = &acm->point[acm->npoint++];
    double inverse = 0.0;
    memcpy(placed.node, c->node, sizeof placed.node);
    *to = (brn_contact_point){
        .body = {acm->skin->node_body[c->node[0]], acm->skin->node_body[c->node[count - 1]]},
        .gap = gap,
        .normal_force = force,
        .mu = pair->mu};
    memcpy(to->normal, normal, sizeof to->normal);
    brn_pair_place(acm->skin, &placed, x, weight, normal, to->place);
    for (int k = 0; k < count; ++k) {
        for (int i = 0; i < 3; ++i) {
            to->slip[i] += weight[k] * v[3 * c->node[k] + i];
        }
        inverse += weight[k] * weight[k] * acm->inverse[c->node[k]];
    }
    const double parting = brn_dense_dot3(to->slip, normal);
    for (int i = 0; i < 3; ++i) {
        to->slip[i] -= parting * normal[i];
    }
    /* As the impulses are: what stops the slip within the first layer's step, at most mu times the normal force. */
    const double speed = sqrt(brn_dense_dot3(to->slip, to->slip));
    const double stops = inverse > 0.0 ? speed / (inverse * acm->seconds[pair->level]) : 0.0;
    const double friction = fmin(stops, pair->mu * force);
    for (int i = 0; i < 3 && speed > 0.0; ++i) {
        to->friction[i] = -friction * to->slip[i] / speed;
    }
}

/* Contact at x: adds the excess of its layers, and lists its points; v: NULL, without points. */
static brn_status add_contact(brn_acm *acm, const double *x, const double *v, excess *e, brn_step_info *info)
{
    if (acm->dcr != NULL) {
        return brn_acm_dcr_report(acm, x, v, info);
    }
    acm->npoint = 0;
    info->contact_energy = 0.0;
    info->contacts = 0;
    BRN_TRY(brn_candidates_find(acm->candidates, x, x, acm->distance));
    const brn_candidate *list = brn_candidates_get(acm->candidates);
    const int count = brn_candidates_count(acm->candidates);
    for (int i = 0; i < count; ++i) {
        double at[4][3] = {{0}};
        double weight[4];
        double normal[3];
        double gap;
        brn_contact_pair near;
        if (!brn_pair_measure(&list[i], x, 0.5 * list[i].reach, &near)) {
            continue;
        }
        const brn_acm_pair pair = brn_acm_pair_of(acm, &list[i], i);
        (void)brn_candidate_gather(list[i].node, x, at);
        const pair_push sum = measure_pair(acm, &pair, (const double(*)[3])at, e, weight, normal, &gap);
        info->gap_min = fmin(info->gap_min, gap);
        if (!(sum.force > 0.0)) {
            continue;
        }
        info->contact_energy += sum.energy;
        info->contacts++;
        info->complementarity = fmax(info->complementarity, gap);
        info->complementarity_offset = fmax(info->complementarity_offset, pair.eta);
        for (int k = 0; k < brn_touch_count(list[i].node) && e != NULL; ++k) {
            for (int d = 0; d < 3; ++d) {
                e->push[3 * list[i].node[k] + d] += sum.excess * weight[k] * normal[d];
            }
        }
        if (v != NULL) {
            BRN_GROW(acm->ctx, acm->point, acm->point_capacity, acm->npoint + 1);
            add_point(acm, &pair, x, v, weight, normal, sum.force, gap);
        }
    }
    info->point = acm->point;
    info->npoint = acm->npoint;
    return BRN_OK;
}

/* Everything at places x at time t, `rest` after tick now. */
static brn_status find_excess(brn_acm *acm, const double *x, const double *v, double t, brn_tick now,
                              double rest, excess *e)
{
    const brn_model *model = acm->model;
    const int dim = model->dim;
    brn_arena *arena = brn_ctx_arena(acm->ctx);
    BRN_TAKE(arena, e->push, 3 * (size_t)model->nnode + 1);
    BRN_TAKE(arena, e->outer, 3 * (size_t)model->nnode + 1);
    memset(e->outer, 0, 3 * (size_t)model->nnode * sizeof *e->outer);
    memset(e->outer_work, 0, sizeof e->outer_work);
    e->now = now;
    e->rest = rest;
    BRN_TRY(brn_acm_forces_sum(acm, x, now, rest, e->push));
    BRN_TRY(brn_acm_outer_force(acm, x, v, t, acm->force));
    const double share = brn_acm_excess(acm, (brn_tick)1 << acm->outer, now, rest);
    for (int row = 0; row < model->nrow; ++row) {
        const int a = model->row_node[row];
        for (int i = 0; i < dim && model->node_mass[a] > 0.0; ++i) {
            const double load = acm->force[row * dim + i];
            e->outer[3 * a + i] = share * (load + model->node_mass[a] * acm->system->controls->gravity[i]);
            e->outer_work[6] += share * load * v[3 * a + i];
        }
    }
    return BRN_OK;
}

/* What of it came from outside. */
static void find_carried(const brn_acm *acm, const excess *e, const double *x, const double *v,
                         double carried[CARRY])
{
    memset(carried, 0, CARRY * sizeof *carried);
    carried[6] = e->outer_work[6];
    for (int a = 0; a < acm->model->nnode; ++a) {
        double f[3];
        double turn[3];
        for (int i = 0; i < 3; ++i) {
            const bool held = (acm->axes[a] >> i & 1u) != 0;
            const double inner = e->push[3 * a + i] + e->outer[3 * a + i];
            f[i] = e->outer[3 * a + i] - (held ? inner : 0.0);
            carried[6] -= held ? inner * v[3 * a + i] : 0.0;
        }
        brn_dense_cross3(&x[3 * a], f, turn);
        for (int i = 0; i < 3; ++i) {
            carried[i] += f[i];
            carried[3 + i] += turn[i];
        }
    }
}

/* v += sign times the excess over the mass, along free axes. */
static void add_excess(const brn_acm *acm, const excess *e, double sign, double *v)
{
    for (int i = 0; i < 3 * acm->model->nnode; ++i) {
        if ((acm->axes[i / 3] >> i % 3 & 1u) == 0) {
            v[i] += sign * acm->inverse[i / 3] * (e->push[i] + e->outer[i]);
        }
    }
}

/* ---- memory ----------------------------------------------------------------------------------------------------------------- */

static brn_status remember(const brn_acm *acm, const double carried[CARRY], brn_state *state)
{
    static const double HALF = 0x1p32;
    const size_t n = (size_t)acm->model->nnode;
    double *place = NULL;
    double *velocity = NULL;
    double *lag = NULL;
    double *clock = NULL;
    double *carry = NULL;
    BRN_TRY(brn_state_remember(state, PLACE, 3 * n, &place));
    BRN_TRY(brn_state_remember(state, VELOCITY, 3 * n, &velocity));
    BRN_TRY(brn_state_remember(state, LAG, n, &lag));
    BRN_TRY(brn_state_remember(state, CLOCK, 2, &clock));
    BRN_TRY(brn_state_remember(state, CARRIED, CARRY, &carry));
    memcpy(brn_state_recall(state, PLACE)->value, acm->nodes.place, 3 * n * sizeof *place);
    memcpy(brn_state_recall(state, VELOCITY)->value, acm->nodes.velocity, 3 * n * sizeof *velocity);
    memcpy(brn_state_recall(state, CARRIED)->value, carried, CARRY * sizeof *carry);
    lag = brn_state_recall(state, LAG)->value;
    for (size_t a = 0; a < n; ++a) {
        lag[a] = (double)(acm->now - acm->nodes.clock[a]);
    }
    clock = brn_state_recall(state, CLOCK)->value;
    clock[0] = floor((double)acm->now / HALF);
    clock[1] = (double)(acm->now & 0xffffffffu);
    return BRN_OK;
}

brn_status brn_acm_load(brn_acm *acm, const brn_state *in, double t)
{
    const size_t n = (size_t)acm->model->nnode;
    const brn_memory *memory[] = {brn_state_recall(in, PLACE), brn_state_recall(in, VELOCITY),
                                  brn_state_recall(in, LAG), brn_state_recall(in, CLOCK)};
    const size_t count[] = {3 * n, 3 * n, n, 2};
    for (int i = 0; i < 4; ++i) {
        if (memory[i] == NULL || memory[i]->count != count[i]) {
            return brn_fail(acm->ctx, BRN_ERR_FILE, "t = %g s: the state is not one of method acm", t);
        }
    }
    memcpy(acm->nodes.place, memory[0]->value, 3 * n * sizeof(double));
    memcpy(acm->nodes.velocity, memory[1]->value, 3 * n * sizeof(double));
    acm->now = ((brn_tick)memory[3]->value[0] << 32) + (brn_tick)memory[3]->value[1];
    for (size_t a = 0; a < n; ++a) {
        acm->nodes.clock[a] = acm->now - (brn_tick)memory[2]->value[a];
    }
    memset(acm->nodes.received, 0, BRN_ACM_RECEIVED * (size_t)acm->nheld * sizeof(double));
    acm->sums = (brn_acm_sums){.finest = BRN_ACM_LEVELS - 1};
    return BRN_OK;
}

/* ---- states ----------------------------------------------------------------------------------------------------------------- */

/* Surfaces that meet at x, by exact predicates. */
static brn_status find_meetings(brn_acm *acm, const double *x, brn_meetings *meetings)
{
    brn_contact_pair *near = NULL;
    int count = 0;
    BRN_TRY(brn_candidates_find(acm->candidates, x, x, acm->distance));
    BRN_TAKE(brn_ctx_arena(acm->ctx), near, brn_candidates_count(acm->candidates) + 1);
    BRN_TRY(brn_pairs_find(acm->candidates, x, INFINITY, near, &count));
    return brn_meetings_add_surfaces(acm->intersect, acm->skin, x, near, count, meetings);
}

static brn_status start(brn_acm *acm, brn_state *state, double t, brn_step_info *info)
{
    const size_t n = (size_t)acm->model->nnode;
    brn_meetings meetings = {0};
    excess e;
    double carried[CARRY];
    BRN_TRY(find_meetings(acm, state->node_pos, &meetings));
    brn_meetings_add_inside(acm->skin, state->node_pos, &meetings);
    BRN_TRY(brn_meetings_refuse(acm->skin, &meetings, ""));
    brn_state_forget_all(state);
    acm->now = brn_acm_tick_at(acm, t);
    const double rest = t - (double)acm->now * acm->tick;
    memset(acm->nodes.received, 0, BRN_ACM_RECEIVED * (size_t)acm->nheld * sizeof(double));
    BRN_TRY(find_excess(acm, state->node_pos, state->node_vel, t, acm->now, rest, &e));
    BRN_TRY(add_contact(acm, state->node_pos, state->node_vel, &e, info));
    find_carried(acm, &e, state->node_pos, state->node_vel, carried);
    memcpy(acm->nodes.velocity, state->node_vel, 3 * n * sizeof(double));
    add_excess(acm, &e, 1.0, acm->nodes.velocity);
    for (size_t i = 0; i < 3 * n; ++i) {
        acm->nodes.place[i] = state->node_pos[i] - rest * acm->nodes.velocity[i];
    }
    for (size_t a = 0; a < n; ++a) {
        acm->nodes.clock[a] = acm->now;
    }
    memcpy(acm->from, acm->nodes.place, 3 * n * sizeof(double));
    brn_acm_steer(acm, acm->now);
    memset(state->node_load, 0, 3 * n * sizeof(double));
    memset(state->node_react, 0, 3 * n * sizeof(double));
    memset(state->node_damp, 0, 3 * n * sizeof(double));
    info->intersections = (int)meetings.count;
    info->books = (brn_books){.inertia = true, .summed = true};
    return remember(acm, carried, state);
}

brn_status brn_acm_start(brn_acm *acm, brn_state *state, double t, brn_step_info *info)
{
    brn_arena *arena = brn_ctx_arena(acm->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = start(acm, state, t, info);
    brn_arena_rewind(arena, mark);
    return status;
}

/* Places at a time `rest` after tick now; velocities that are not synchronised yet, but of held axes as the motion has them. */
static void place_nodes(const brn_acm *acm, double t, double rest, brn_state *out)
{
    const brn_model *model = acm->model;
    memcpy(out->node_vel, acm->nodes.velocity, 3 * (size_t)model->nnode * sizeof(double));
    for (int a = 0; a < model->nnode; ++a) {
        const double ahead = (double)(acm->now - acm->nodes.clock[a]) * acm->tick + rest;
        for (int i = 0; i < 3; ++i) {
            out->node_pos[3 * a + i] = acm->nodes.place[3 * a + i] + ahead * acm->nodes.velocity[3 * a + i];
        }
    }
    for (int which = 0; which < model->nhold; ++which) {
        const brn_hold *hold = &model->hold[which];
        for (int k = 0; k < hold->nnode; ++k) {
            const int a = hold->node[k];
            double vel[3];
            brn_controls_place(acm->system->controls, which, a, t, NULL, vel);
            for (int i = 0; i < model->dim; ++i) {
                if ((hold->axes & acm->axes[a]) >> i & 1u) {
                    out->node_vel[3 * a + i] = vel[i];
                }
            }
        }
    }
}

/* Forces of the step, means of it; what holds put in. */
static void book_holds(const brn_acm *acm, const brn_state *in, double h, brn_state *out, brn_books *books)
{
    const size_t bytes = 3 * (size_t)acm->model->nnode * sizeof(double);
    memset(out->node_react, 0, bytes);
    memset(out->node_damp, 0, bytes);
    memset(out->node_load, 0, bytes);
    for (int row = 0; row < acm->model->nrow; ++row) {
        for (int i = 0; i < acm->model->dim; ++i) {
            const int dof = row * acm->model->dim + i;
            out->node_load[brn_model_at(acm->model, dof)] = acm->force[dof];
        }
    }
    for (int which = 0; which < acm->nheld; ++which) {
        const int a = acm->held[which];
        const double *received = &acm->nodes.received[BRN_ACM_RECEIVED * which];
        const double mass = acm->model->node_mass[a];
        double momentum[2][3] = {{0}};
        double turn[2][3];
        const brn_state *at[] = {in, out};
        for (int side = 0; side < 2; ++side) {
            for (int i = 0; i < 3; ++i) {
                const bool held = (acm->axes[a] >> i & 1u) != 0;
                const double v = at[side]->node_vel[3 * a + i];
                momentum[side][i] = held ? mass * v : 0.0;
                books->work += (side == 0 ? -0.5 : 0.5) * (held ? mass * v * v : 0.0);
            }
            brn_dense_cross3(&at[side]->node_pos[3 * a], momentum[side], turn[side]);
        }
        for (int i = 0; i < 3; ++i) {
            const double put = momentum[1][i] - momentum[0][i] - received[i];
            books->impulse[i] += put;
            books->impulse[3 + i] += turn[1][i] - turn[0][i] - received[3 + i];
            out->node_react[3 * a + i] = put / h;
        }
        books->work -= received[6];
    }
}

static brn_status write(brn_acm *acm, const brn_state *in, double t, double h, brn_state *out,
                        brn_step_info *info)
{
    const double rest = t - (double)acm->now * acm->tick;
    const brn_memory *before = brn_state_recall(in, CARRIED);
    double carried[CARRY];
    excess e;
    brn_meetings meetings = {0};
    brn_phases *phases = &acm->system->watch.phases;
    place_nodes(acm, t, rest, out);
    brn_acm_time(acm, &phases->assembly);
    BRN_TRY(find_excess(acm, out->node_pos, out->node_vel, t, acm->now, rest, &e));
    brn_acm_time(acm, &phases->contact);
    BRN_TRY(add_contact(acm, out->node_pos, out->node_vel, &e, info));
    find_carried(acm, &e, out->node_pos, out->node_vel, carried);
    add_excess(acm, &e, -1.0, out->node_vel);
    brn_acm_time(acm, &phases->intersection);
    BRN_TRY(find_meetings(acm, out->node_pos, &meetings));
    brn_acm_time(acm, &phases->other);
    info->intersections = (int)meetings.count;
    if (acm->dcr == NULL) { /* of all else it is proved */
        BRN_TRY(brn_meetings_refuse_driven(acm->skin, &meetings, t));
        BRN_TRY(brn_meetings_check_driven(acm->skin, acm->system->size, t, in->node_pos, out->node_pos));
    }

    info->books = (brn_books){.inertia = true, .summed = true};
    brn_books *books = &info->books;
    book_holds(acm, in, h, out, books);
    books->work += acm->sums.work;
    books->dissipated = acm->sums.dissipated;
    for (int i = 0; i < CARRY; ++i) {
        const double was = before != NULL && before->count == CARRY ? before->value[i] : 0.0;
        *(i < 6 ? &books->impulse[i] : &books->work) +=
            was - carried[i] + (i < 6 ? acm->sums.impulse[i] : 0.0);
    }
    return remember(acm, carried, out);
}

brn_status brn_acm_write(brn_acm *acm, const brn_state *in, double t, double h, brn_state *out,
                         brn_step_info *info)
{
    brn_arena *arena = brn_ctx_arena(acm->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const brn_status status = write(acm, in, t, h, out, info);
    brn_arena_rewind(arena, mark);
    return status;
}
