/* A factor that is kept from step to step. What flies and rings turns its tangent with it and changes it little otherwise: while nothing touches,
   a step starts where its last ones lead to and goes on with the factor H of an earlier one, turned with every node by R since then,

       step = P f,   P = R H^-1 R' corrected by what the last moves s and changes of force d told of the tangent,

   that is quasi-Newton's method in the form of Broyden, Fletcher, Goldfarb and Shanno by two loops over the pairs (s, d) [Nocedal 1980]. It goes on
   until the imbalance is as small as Newton's last step would leave it. H has elements and damping half-way through the step as it is expected: that
   of the step itself is made ahead along velocities that may turn round from step to step, and would be as wrong as can be in the next one.

   What meets something, or does not get on, starts the step again with factors of its own: the impact projection has H as its metric, and
   one of another step would be another law of impact, not a faster way to the same end.

   Other steps have factors of their own and start where the last ones lead to as well. One that stays in contact may start so, a little deep as it may be: its
   tangent is then that of where it ends instead of where it began. What comes from the air and meets something, or is deeper, starts where it is.

   Within a step with factors of its own, contact or not, iterations that keep one learn in the same way, from moves and changes of the forces beside
   those of contact; the contact problem has the compliance of the factor as it is, so that gaps close whatever was learned.

   So that a step depends on its state alone, the state remembers where the factor was made; a run that goes on from a checkpoint makes it again. */
#include "step/bbi/bbi.h"

#include "base/parallel.h"
#include "linalg/dense.h"
#include "linalg/factor_near.h"
#include "model/rigid_pose.h"
#include "phys/rotation.h"
#include "step/body_sums.h"
#include "step/newton_inner.h"

#include <math.h>
#include <string.h>

/* Of a state: what the factor is of, and the ways of the last steps. */
static const char FACTOR[] = "bbi.factor", WAYS[] = "bbi.ways";
/* The head of both; then the places [nnode][3] of elements and damping, half-way through a step; or ways, [ndof] each. */
enum { HEAD_BEST, HEAD_EXCESS, HEAD_H, HEAD_S, HEAD_RATE, HEAD_KIND, HEAD_PROJECTED, HEAD };
enum { WAYS_H, WAYS_FREE, WAYS_WAIT, WAYS_WAITED, WAYS_COAST, WAYS_HEAD };
/* Steps before the next try after one that was slow: one, and twice as many every time, up to this. */
enum { WAIT_MOST = 63 };
/* Iterations that cost as much as a factor, over those of brn_factor_near_cap: each has forces and energies beside its substitution. */
static const double WORN = 0.5;
/* Where it is less, a factor of its own for every iteration is as cheap. */
enum { CAP_LEAST = 8 };
/* Steps whose lengths differ by less, relative, are of the same length. */
static const double SAME = 1e-9;

static size_t made_count(const brn_bbi *bbi)
{
    return HEAD + 3 * (size_t)bbi->model->nnode;
}

brn_status brn_bbi_keep_create(brn_bbi *bbi)
{
    brn_bbi_kept *k = &bbi->kept;
    const size_t ndof = (size_t)bbi->system->ndof + 1;
    k->least = k->dear = CAP_LEAST;
    BRN_ALLOC(bbi->ctx, k->made, made_count(bbi));
    BRN_ALLOC(bbi->ctx, k->move, BRN_BBI_PAIRS * ndof);
    BRN_ALLOC(bbi->ctx, k->bend, BRN_BBI_PAIRS * ndof);
    BRN_ALLOC(bbi->ctx, k->start, ndof);
    BRN_ALLOC(bbi->ctx, k->guess, ndof);
    BRN_ALLOC(bbi->ctx, k->turn, 9 * ((size_t)bbi->model->nrow + 1));
    BRN_ALLOC(bbi->ctx, k->whole, 9 * ((size_t)bbi->model->nbody + 1));
    return BRN_OK;
}

void brn_bbi_keep_free(brn_ctx *ctx, brn_bbi_kept *k)
{
    double *arrays[] = {k->made, k->move, k->bend, k->start, k->guess, k->turn, k->whole};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(ctx, arrays[i]);
    }
}

/* ---- where a step starts ------------------------------------------------------------------------------------------------------- */

/* How many ways a state has of steps as long as this one. */
static int ways_of(const brn_bbi *bbi, const brn_memory *memory)
{
    const double h = bbi->newton->scheme->h;
    const size_t ndof = (size_t)bbi->system->ndof;
    if (memory == NULL || memory->count <= WAYS_HEAD || fabs(memory->value[WAYS_H] - h) > SAME * h) {
        return 0;
    }
    const size_t count = (memory->count - WAYS_HEAD) / ndof;
    return count <= BRN_BBI_WAYS && memory->count == WAYS_HEAD + count * ndof ? (int)count : 0;
}

/* [m^2] A way less others, squared, of the dofs that are free; others: NULL, or some as a state has them. */
static double square(const brn_bbi *bbi, const double *way, const double *others, const double *weight)
{
    const size_t ndof = (size_t)bbi->system->ndof;
    double sum = 0.0;
    for (size_t i = 0; i < ndof; ++i) {
        double off = way[i];
        for (int w = 0; others != NULL && w < BRN_BBI_WAYS; ++w) {
            off -= weight[w] != 0.0 ? weight[w] * others[(size_t)w * ndof + i] : 0.0;
        }
        sum += bbi->model->fixed[i] == BRN_DOF_FREE ? off * off : 0.0;
    }
    return sum;
}

/* Where a step may start beside x^n: where it would coast to; where the last one went to; or where trends and what alternates from step to step
   lead to. */
static const double AGAIN[BRN_BBI_WAYS] = {1}, TRENDS[BRN_BBI_WAYS] = {2, 0, -2, 1},
                    TRENDS_SHORT[BRN_BBI_WAYS] = {1, 1, -1};

/* Squared, of what x^n was off by: what is not much nearer is no better. */
static const double NEARER = 0.1;

/* kept.guess: the one of them that was, or would have been, nearest to the end of the last step; false: that is x^n, or nothing is known. */
static bool guess(brn_bbi *bbi, const brn_state *in)
{
    const brn_newton *n = bbi->newton;
    const int dim = bbi->model->dim;
    const size_t ndof = (size_t)bbi->system->ndof;
    brn_bbi_kept *k = &bbi->kept;
    const brn_memory *memory = brn_state_recall(in, WAYS);
    const int count = ways_of(bbi, memory);
    if (count == 0) {
        return false;
    }
    const double *way = &memory->value[WAYS_HEAD];
    const double *weight = NULL; /* coast */
    double least = memory->value[WAYS_COAST];
    const double again = count > 1 ? square(bbi, way, way + ndof, AGAIN) : INFINITY;
    if (again < least) {
        least = again;
        weight = AGAIN;
    }
    const double trends = count == BRN_BBI_WAYS ? square(bbi, way, way + ndof, TRENDS_SHORT) : INFINITY;
    if (trends < least) {
        least = trends;
        weight = TRENDS;
    }
    if (!(least < NEARER * square(bbi, way, NULL, NULL))) {
        return false;
    }
    memcpy(k->start, n->y, ndof * sizeof *k->start);
    for (size_t i = 0; i < ndof; ++i) {
        const bool given =
            bbi->model->fixed[i] != BRN_DOF_FREE || (n->given != NULL && n->given[i / (size_t)dim]);
        k->guess[i] = given ? n->y[i] : weight == NULL ? n->scheme->target[i] : 0.0;
        for (int w = 0; w < count && !given && weight != NULL; ++w) {
            k->guess[i] += weight[w] * way[(size_t)w * ndof + i];
        }
    }
    brn_model_follow(bbi->model, k->guess);
    return true;
}

/* ---- what the factor is of -------------------------------------------------------------------------------------------------- */

/* Of a body as a whole: what is added to the fit of a node whose neighbours lie on a line, and do not say how it turned about that. */
static const double WHOLE = 1e-3;
enum { ROWS = 256 }; /* of a parallel block */

/* The rotation of a body as a whole from the factor's places to x; the unit of obstacles. */
static void turn_whole(const brn_bbi *bbi, int b, const double *x, double turn[9])
{
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double *const at[2] = {&bbi->kept.made[HEAD], x};
    double centre[3];
    double ends[2][9];
    memcpy(turn, unit, sizeof unit);
    if (!(bbi->model->body[b].mass > 0.0) || bbi->model->body[b].type == BRN_BODY_STATIC) {
        return;
    }
    for (int e = 0; e < 2; ++e) {
        brn_body_mean(bbi->model, b, at[e], centre);
        brn_body_turn(bbi->model, b, at[e], centre, bbi->flier[b].centre, ends[e]);
    }
    brn_dense_multiply3_nt(ends[1], ends[0], turn);
}

/* fit += (x_j - x_i) (z_j - z_i)' */
static void add_neighbour(const brn_bbi *bbi, int row, int other, double fit[9])
{
    const double *const at[2] = {bbi->kept.place, &bbi->kept.made[HEAD]};
    const int a = 3 * bbi->model->row_node[row];
    const int b = 3 * bbi->model->row_node[other];
    double side[2][3];
    for (int e = 0; e < 2; ++e) {
        for (int i = 0; i < 3; ++i) {
            side[e][i] = i < bbi->model->dim ? at[e][b + i] - at[e][a + i] : 0.0;
        }
    }
    for (int k = 0; k < 9; ++k) {
        fit[k] += side[0][k / 3] * side[1][k % 3];
    }
}

/* Nodes with an equation for every axis turn with their neighbours, the others not. */
static brn_status turn_rows(void *arg, int block, brn_arena *scratch)
{
    const brn_bbi *bbi = arg;
    const brn_model *model = bbi->model;
    const brn_block_matrix *a = bbi->system->matrix;
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    (void)scratch;
    for (int row = block * ROWS; row < brn_block_end(model->nrow, ROWS, block); ++row) {
        const double *whole = &bbi->kept.whole[9 * bbi->touching->skin->node_body[model->row_node[row]]];
        double *turn = &bbi->kept.turn[9 * row];
        double fit[9] = {0};
        bool loose = true;
        for (int i = 0; i < model->dim; ++i) {
            loose = loose && model->fixed[row * model->dim + i] == BRN_DOF_FREE;
        }
        for (int k = a->start[row] + 1; k < a->start[row + 1] && loose; ++k) {
            add_neighbour(bbi, row, a->column[k], fit);
        }
        for (int k = a->lower_start[row]; k < a->lower_start[row + 1] && loose; ++k) {
            add_neighbour(bbi, row, a->lower_row[k], fit);
        }
        const double size =
            brn_dense_length3(&fit[0]) + brn_dense_length3(&fit[3]) + brn_dense_length3(&fit[6]);
        memcpy(turn, unit, sizeof unit);
        if (loose && size > 0.0) {
            for (int k = 0; k < 9; ++k) {
                fit[k] += WHOLE * size * whole[k];
            }
            if (model->dim == 2) {
                fit[2] = fit[5] = fit[6] = fit[7] = 0.0;
                fit[8] = fabs(fit[0]) + fabs(fit[4]);
            }
            brn_rotation_nearest(fit, turn);
        }
    }
    return BRN_OK;
}

/* R of every node, from the factor's places to x. */
static brn_status find_turns(brn_bbi *bbi, const double *x)
{
    brn_bbi_kept *k = &bbi->kept;
    for (int b = 0; b < bbi->model->nbody; ++b) {
        turn_whole(bbi, b, x, &k->whole[9 * b]);
    }
    k->place = x;
    k->turned = true;
    return brn_parallel_for(bbi->ctx, brn_block_count(bbi->model->nrow, ROWS), turn_rows, bbi);
}

/* packed = R packed, or R' packed. */
static void turn_all(const brn_bbi *bbi, bool back, double *packed)
{
    const brn_model *model = bbi->model;
    const int dim = model->dim;
    for (int row = 0; row < model->nrow && bbi->kept.turned; ++row) {
        const double *turn = &bbi->kept.turn[9 * row];
        double *v = &packed[row * dim];
        double out[3] = {0};
        for (int i = 0; i < dim; ++i) {
            for (int j = 0; j < dim; ++j) {
                out[i] += (back ? turn[3 * j + i] : turn[3 * i + j]) * v[j];
            }
        }
        memcpy(v, out, (size_t)dim * sizeof *v);
    }
}

/* The factor that kept.made tells of. */
static brn_status make(brn_bbi *bbi)
{
    brn_newton *n = bbi->newton;
    brn_scheme *m = n->scheme;
    brn_bbi_kept *k = &bbi->kept;
    const double s = m->s;
    const double rate = m->rate;
    k->of = NULL;
    brn_bbi_columns_clear(bbi);
    m->s = k->made[HEAD_S];
    m->rate = k->made[HEAD_RATE];
    const brn_status status = brn_newton_remake(n, &k->made[HEAD], k->made[HEAD_PROJECTED] != 0.0);
    m->s = s;
    m->rate = rate;
    BRN_TRY(status);
    k->of = n;
    return BRN_OK;
}

/* Where y leads half-way through the step, in n->x. */
static void go_half(brn_bbi *bbi, const double *y)
{
    brn_newton *n = bbi->newton;
    for (int i = 0; i < bbi->system->ndof; ++i) {
        n->scratch[i] = 0.5 * y[i];
    }
    brn_scheme_place(n->scheme, n->scratch, n->x);
}

brn_status brn_bbi_keep_make(brn_bbi *bbi, double error)
{
    brn_newton *n = bbi->newton;
    const brn_scheme *m = n->scheme;
    brn_bbi_kept *k = &bbi->kept;
    k->turned = k->noted = false;
    k->fresh = true;
    k->first = error;
    k->pairs = k->tries = 0;
    k->made[HEAD_BEST] = k->made[HEAD_EXCESS] = 0.0;
    k->made[HEAD_H] = m->h;
    k->made[HEAD_S] = m->s;
    k->made[HEAD_RATE] = m->rate;
    k->made[HEAD_KIND] = m->kind;
    k->made[HEAD_PROJECTED] = 0.0;
    go_half(bbi, n->y);
    memcpy(&k->made[HEAD], n->x, 3 * (size_t)bbi->model->nnode * sizeof *n->x);
    const brn_status status = make(bbi);
    if (status != BRN_ERR_SINGULAR) {
        return status;
    }
    k->made[HEAD_PROJECTED] = 1.0;
    return make(bbi);
}

brn_status brn_bbi_keep_begin(brn_bbi *bbi, const brn_state *in, bool first)
{
    brn_newton *n = bbi->newton;
    const brn_scheme *m = n->scheme;
    brn_bbi_kept *k = &bbi->kept;
    const brn_memory *memory = brn_state_recall(in, FACTOR);
    k->pairs = k->tries = k->total = 0;
    k->guesses = k->noted = k->fresh = k->learns = false;
    k->tried = k->tried && !first;
    k->turned = false;
    const brn_memory *ways = brn_state_recall(in, WAYS);
    const bool known = first && !k->never && m->inertia && ways_of(bbi, ways) > 0 &&
                       bbi->system->pressure == NULL && bbi->system->controls->drag.node < 0 &&
                       brn_newton_remaining(n) == 0.0;
    k->loose = known && ways->value[WAYS_FREE] != 0.0 && ways->value[WAYS_WAIT] == 0.0;
    k->stays = known && ways->value[WAYS_FREE] == 0.0;
    k->guesses = known && guess(bbi, in);
    if (!k->loose) {
        return BRN_OK;
    }
    BRN_TRY(brn_newton_analyse(n));
    k->cap = brn_factor_near_cap(n->factor);
    k->loose = k->tried = k->cap >= k->least;
    k->cap = k->cap > CAP_LEAST ? k->cap : CAP_LEAST;
    if (!k->loose || memory == NULL || memory->count != made_count(bbi) ||
        memory->value[HEAD_KIND] != m->kind || fabs(memory->value[HEAD_H] - m->h) > SAME * m->h) {
        return BRN_OK;
    }
    const bool there = k->of == n && memcmp(&k->made[HEAD_H], &memory->value[HEAD_H],
                                            (memory->count - HEAD_H) * sizeof *k->made) == 0;
    memcpy(k->made, memory->value, memory->count * sizeof *k->made);
    if (!there) {
        BRN_TRY(make(bbi));
    }
    n->factored = true;
    go_half(bbi, k->guesses ? k->guess : n->y);
    return find_turns(bbi, n->x);
}

/* ---- directions ----------------------------------------------------------------------------------------------------------------- */

static double dot(const brn_bbi *bbi, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < bbi->system->ndof; ++i) {
        sum += bbi->model->fixed[i] == BRN_DOF_FREE ? a[i] * b[i] : 0.0;
    }
    return sum;
}

/* The pair of that number, 0 the oldest. */
static int slot_of(const brn_bbi_kept *k, int pair)
{
    return (k->oldest + pair) % BRN_BBI_PAIRS;
}

/* [N] on a dof, without those of contact: a tangent knows nothing of them. */
static double inner_force(const brn_bbi *bbi, size_t dof)
{
    return bbi->newton->unbalanced[dof] - bbi->push[dof];
}

/* Before a move from n->y. */
static void note(brn_bbi *bbi)
{
    brn_bbi_kept *k = &bbi->kept;
    const brn_newton *n = bbi->newton;
    const size_t ndof = (size_t)bbi->system->ndof;
    k->oldest = k->pairs == 0 ? 0 : k->pairs == BRN_BBI_PAIRS ? (k->oldest + 1) % BRN_BBI_PAIRS : k->oldest;
    k->pairs = k->pairs == BRN_BBI_PAIRS ? k->pairs - 1 : k->pairs;
    const size_t at = (size_t)slot_of(k, k->pairs) * ndof;
    memcpy(&k->move[at], n->y, ndof * sizeof *k->move);
    for (size_t i = 0; i < ndof; ++i) {
        k->bend[at + i] = inner_force(bbi, i);
    }
    k->noted = true;
}

void brn_bbi_keep_learn(brn_bbi *bbi)
{
    brn_bbi_kept *k = &bbi->kept;
    const brn_newton *n = bbi->newton;
    const size_t ndof = (size_t)bbi->system->ndof;
    if (!k->noted) {
        return;
    }
    const int slot = slot_of(k, k->pairs);
    double *move = &k->move[(size_t)slot * ndof];
    double *bend = &k->bend[(size_t)slot * ndof];
    for (size_t i = 0; i < ndof; ++i) {
        move[i] = n->y[i] - move[i];
        bend[i] -= inner_force(bbi, i);
    }
    k->along[slot] = dot(bbi, move, bend);
    k->noted = false;
    if (k->along[slot] > 0.0 && isfinite(k->along[slot])) {
        ++k->pairs;
    }
}

/* n->step = P f. */
static brn_status quasi(brn_bbi *bbi)
{
    brn_bbi_kept *k = &bbi->kept;
    brn_newton *n = bbi->newton;
    const size_t ndof = (size_t)bbi->system->ndof;
    double share[BRN_BBI_PAIRS];
    double *q = n->scratch;
    for (size_t i = 0; i < ndof; ++i) {
        q[i] = bbi->model->fixed[i] == BRN_DOF_FREE ? n->unbalanced[i] : 0.0;
    }
    for (int p = k->pairs - 1; p >= 0; --p) {
        const int slot = slot_of(k, p);
        const double *bend = &k->bend[(size_t)slot * ndof];
        share[p] = dot(bbi, &k->move[(size_t)slot * ndof], q) / k->along[slot];
        for (size_t i = 0; i < ndof; ++i) {
            q[i] -= bbi->model->fixed[i] == BRN_DOF_FREE ? share[p] * bend[i] : 0.0;
        }
    }
    turn_all(bbi, true, q);
    if (k->loose) { /* near enough, as all of P is; for a step's own factor rounding it would not pay */
        BRN_TRY(brn_factor_solve_rounded(n->factor, q, n->step));
    }
    if (!k->loose || !isfinite(brn_newton_most(n->step, bbi->system->ndof))) {
        BRN_TRY(brn_factor_solve(n->factor, q, n->step));
    }
    turn_all(bbi, false, n->step);
    for (int p = 0; p < k->pairs; ++p) {
        const int slot = slot_of(k, p);
        const double *move = &k->move[(size_t)slot * ndof];
        const double more = share[p] - dot(bbi, &k->bend[(size_t)slot * ndof], n->step) / k->along[slot];
        for (size_t i = 0; i < ndof; ++i) {
            n->step[i] += bbi->model->fixed[i] == BRN_DOF_FREE ? more * move[i] : 0.0;
        }
    }
    brn_model_follow(bbi->model, n->step);
    return BRN_OK;
}

bool brn_bbi_keep_slow(brn_bbi *bbi, double error, double goal)
{
    brn_bbi_kept *k = &bbi->kept;
    k->first = k->tries == 0 ? error : k->first;
    if (k->tries < 2) {
        return false;
    }
    const double rate = log(k->first / error) / k->tries; /* digits an iteration */
    return !(rate > 0.0) || k->tries + log(error / goal) / rate > k->cap;
}

/* Whether a factor, which has been analysed, costs so much that it is worth to go on with one. Nothing is to be learned from a move in which holds
   move too: part of the change of forces comes from theirs. */
static bool pays(const brn_bbi *bbi)
{
    return !bbi->newton->rolls && brn_newton_remaining(bbi->newton) == 0.0 &&
           brn_factor_near_cap(bbi->newton->factor) >= bbi->kept.dear;
}

void brn_bbi_keep_own(brn_bbi *bbi, double error)
{
    brn_bbi_kept *k = &bbi->kept;
    k->pairs = k->tries = 0;
    k->turned = k->noted = false;
    k->learns = pays(bbi);
    if (k->learns) {
        k->cap = brn_factor_near_cap(bbi->newton->factor);
        k->cap = k->cap > CAP_LEAST ? k->cap : CAP_LEAST;
        k->first = error;
        k->tries = 1;
        note(bbi);
    }
}

brn_status brn_bbi_keep_direction(brn_bbi *bbi)
{
    note(bbi);
    ++bbi->kept.tries;
    ++bbi->kept.total;
    return quasi(bbi);
}

/* ---- from step to step ----------------------------------------------------------------------------------------------------------- */

/* Whether trying was not worth it in this step. */
static bool is_slow(const brn_bbi_kept *k)
{
    return k->tried && (!k->loose || k->total > k->cap);
}

static brn_status remember_way(const brn_bbi *bbi, const brn_state *in, bool free, brn_state *out)
{
    const brn_newton *n = bbi->newton;
    const size_t ndof = (size_t)bbi->system->ndof;
    const brn_memory *before = brn_state_recall(in, WAYS);
    const int had = ways_of(bbi, before);
    const bool slow = free && is_slow(&bbi->kept);
    const double wait = had > 0 && free ? before->value[WAYS_WAIT] : 0.0;
    const double waited = had > 0 && free ? before->value[WAYS_WAITED] : 0.0;
    const int count = had < BRN_BBI_WAYS ? had + 1 : BRN_BBI_WAYS;
    double *memory = NULL;
    BRN_TRY(brn_state_remember(out, WAYS, WAYS_HEAD + (size_t)count * ndof, &memory));
    memory[WAYS_H] = n->scheme->h;
    memory[WAYS_FREE] = free;
    memory[WAYS_COAST] = square(bbi, n->y, n->scheme->target, AGAIN);
    memory[WAYS_WAIT] = slow ? fmin(WAIT_MOST, 2.0 * waited + 1.0) : fmax(0.0, wait - 1.0);
    memory[WAYS_WAITED] = slow ? memory[WAYS_WAIT] : bbi->kept.loose ? 0.0 : waited;
    memcpy(&memory[WAYS_HEAD], n->y, ndof * sizeof *memory);
    if (count > 1) {
        memcpy(&memory[WAYS_HEAD + ndof], &before->value[WAYS_HEAD],
               (size_t)(count - 1) * ndof * sizeof *memory);
    }
    return BRN_OK;
}

void brn_bbi_keep_forget(brn_state *state)
{
    brn_state_forget(state, FACTOR);
    brn_state_forget(state, WAYS);
}

/* Whether factors are so dear that states remember what saves some. */
static bool is_dear(const brn_bbi *bbi)
{
    const brn_newton *n = bbi->newton;
    return n->scheme->inertia && !bbi->kept.never && n->factor != NULL &&
           brn_factor_near_cap(n->factor) >= bbi->kept.least;
}

/* Whether the step was one without contact, in which a factor can be kept. */
static bool is_free(const brn_bbi *bbi)
{
    bool any = false;
    for (int i = 0; i < bbi->npoint && !any; ++i) {
        any = bbi->point[i].force[0] > 0.0;
    }
    return !any;
}

/* Whether the iterations that the factor took more than in its first step have cost as much as a new one. */
static bool is_worn(brn_bbi_kept *k)
{
    double *best = &k->made[HEAD_BEST];
    *best = *best == 0.0 ? k->tries : fmin(*best, k->tries);
    k->made[HEAD_EXCESS] += k->tries - *best;
    return k->made[HEAD_EXCESS] > WORN * k->cap;
}

brn_status brn_bbi_keep_end(brn_bbi *bbi, const brn_state *in, bool moved, brn_state *out)
{
    brn_bbi_kept *k = &bbi->kept;
    double *memory = NULL;
    const bool free = is_free(bbi);
    if (!moved || !is_dear(bbi)) {
        brn_bbi_keep_forget(out);
        return BRN_OK;
    }
    BRN_TRY(remember_way(bbi, in, free, out));
    if (!free || !k->loose || is_slow(k) || is_worn(k)) {
        brn_state_forget(out, FACTOR);
        return BRN_OK;
    }
    BRN_TRY(brn_state_remember(out, FACTOR, made_count(bbi), &memory));
    memcpy(memory, k->made, made_count(bbi) * sizeof *memory);
    return BRN_OK;
}
