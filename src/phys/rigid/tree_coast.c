#include "phys/rigid/tree_coast.h"

#include "base/arena.h"
#include "linalg/dense.h"
#include "phys/rotation.h"

#include <string.h>

enum { STAGES = 7, STEPS_MAX = 1000 };
static const double TOLERANCE = 1e-10; /* of the velocities, in a step */

/* [Dormand, Prince 1980] */
static const double stage_weight[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
/* Of the fifth order less those of the fourth. */
static const double error_weight[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                            -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

/* The first of three velocities about the axes of a joint; -1: it has none. */
static int turns_at(const brn_tree *tree, int link)
{
    const brn_joint_kind kind = tree->link[link].joint.kind;
    return kind == BRN_JOINT_BALL       ? tree->v_first[link]
           : kind == BRN_JOINT_FLOATING ? tree->v_first[link] + 3
                                        : -1;
}

void brn_tree_between(const brn_tree *tree, const double *from, const double *to, double h, double *v)
{
    for (int i = 0; i < tree->nlink; ++i) {
        const int q = tree->q_first[i];
        const int turn = turns_at(tree, i);
        const int plain = (turn >= 0 ? turn : tree->v_first[i + 1]) - tree->v_first[i];
        for (int k = 0; k < plain; ++k) {
            v[tree->v_first[i] + k] = (to[q + k] - from[q + k]) / h;
        }
        if (turn < 0) {
            continue;
        }
        double r[2][9];
        double relative[9];
        const double *end[2] = {&from[q + plain], &to[q + plain]};
        for (int k = 0; k < 2; ++k) {
            brn_rotation_less_one(end[k], r[k]);
            for (int d = 0; d < 9; d += 4) {
                r[k][d] += 1.0;
            }
        }
        brn_dense_multiply3_nt(r[1], r[0], relative);
        brn_rotation_vector(relative, &v[turn]);
        for (int k = 0; k < 3; ++k) {
            v[turn + k] /= h;
        }
    }
}

/* Vectors [nv], [nq] and a matrix of a step. */
typedef struct work {
    const brn_tree *tree;
    brn_tree_motion *motion;
    const double *gravity;
    const double *q, *v;                 /* at its start */
    double *way, *speed;                 /* of a stage */
    double *rate[STAGES], *pull[STAGES]; /* their rates in the stages */
    double *q_stage, *mass;
} work;

/* d xi/dt of a rotation vector for the angular velocity w: w - 1/2 xi x w + c xi x (xi x w). */
static void vector_rate(const double xi[3], const double w[3], double out[3])
{
    const double angle = sqrt(brn_dense_dot3(xi, xi));
    const double c = angle < 1e-3 ? 1.0 / 12.0 + angle * angle / 720.0
                                  : (1.0 - 0.5 * angle / tan(0.5 * angle)) / (angle * angle);
    double once[3];
    double twice[3];
    brn_dense_cross3(xi, w, once);
    brn_dense_cross3(xi, once, twice);
    for (int k = 0; k < 3; ++k) {
        out[k] = w[k] - 0.5 * once[k] + c * twice[k];
    }
}

/* Rates of way and speed at way and speed. */
static brn_status evaluate(const work *w, int stage)
{
    const brn_tree *tree = w->tree;
    double *pull = w->pull[stage];
    brn_tree_advance(tree, w->q, w->way, 1.0, w->q_stage);
    brn_tree_place(tree, w->q_stage, w->motion);
    brn_tree_move(tree, w->speed, w->motion);
    brn_tree_inverse(tree, w->motion, NULL, w->gravity, pull);
    brn_tree_mass(tree, w->motion, w->mass);
    for (int i = 0; i < tree->nv; ++i) {
        pull[i] = -pull[i];
    }
    memcpy(w->rate[stage], w->speed, (size_t)tree->nv * sizeof *w->speed);
    for (int i = 0; i < tree->nlink; ++i) {
        const int turn = turns_at(tree, i);
        if (turn >= 0) {
            vector_rate(&w->way[turn], &w->speed[turn], &w->rate[stage][turn]);
        }
    }
    return brn_dense_solve_spd(tree->nv, w->mass, pull);
}

/* A step of h; returns its error over what is tolerated. The mass at its end weighs the velocities. */
static brn_status try_step(work *w, double h, double *error)
{
    const int nv = w->tree->nv;
    for (int stage = 0; stage < STAGES; ++stage) {
        for (int i = 0; i < nv; ++i) {
            double way = 0.0;
            double speed = 0.0;
            for (int k = 0; k < stage; ++k) {
                way += stage_weight[stage][k] * w->rate[k][i];
                speed += stage_weight[stage][k] * w->pull[k][i];
            }
            w->way[i] = h * way;
            w->speed[i] = w->v[i] + h * speed;
        }
        BRN_TRY(evaluate(w, stage));
    }
    brn_tree_mass(w->tree, w->motion, w->mass);
    double off = 0.0;
    double all = 0.0;
    for (int i = 0; i < nv; ++i) {
        double e = 0.0;
        double change = 0.0;
        for (int k = 0; k < STAGES; ++k) {
            e += h * error_weight[k] * w->pull[k][i];
            change = fmax(change, fabs(h * w->pull[k][i]));
        }
        off += w->mass[i * (nv + 1)] * e * e;
        all += w->mass[i * (nv + 1)] * (w->v[i] * w->v[i] + change * change);
    }
    *error = all > 0.0 ? sqrt(off / all) / TOLERANCE : 0.0;
    return isfinite(*error) ? BRN_OK : BRN_ERR_NOT_FINITE;
}

static brn_status coast(work *w, double h, double *q_end, double *v_end)
{
    const brn_tree *tree = w->tree;
    double done = 0.0;
    double step = h;
    for (int n = 0; n < STEPS_MAX && done < h; ++n) {
        double error;
        const bool last = done + step >= h;
        BRN_TRY(try_step(w, last ? h - done : step, &error));
        const double factor = fmin(5.0, fmax(0.1, 0.9 * pow(fmax(error, 1e-10), -0.2)));
        if (error <= 1.0) { /* the last stage stands at the end */
            brn_tree_advance(tree, w->q, w->way, 1.0, q_end);
            memcpy(v_end, w->speed, (size_t)tree->nv * sizeof *v_end);
            w->q = q_end;
            w->v = v_end;
            done = last ? h : done + step;
        }
        step = (last ? fmin(step, h) : step) * factor;
    }
    return done < h ? BRN_ERR_CONVERGENCE : BRN_OK;
}

brn_status brn_tree_coast(const brn_tree *tree, brn_tree_motion *motion, const double *q, const double *v,
                          const double gravity[3], double h, double *q_end, double *v_end)
{
    brn_arena *arena = brn_ctx_arena(tree->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    const size_t nv = (size_t)tree->nv;
    const size_t each = nv * (2 * STAGES + 2 + nv) + (size_t)tree->nq + 1;
    double *memory = brn_arena_take(arena, each, sizeof *memory);
    brn_status status = BRN_ERR_MEMORY;
    if (memory != NULL) {
        work w = {.tree = tree, .motion = motion, .gravity = gravity, .q = q_end, .v = v_end};
        w.way = memory;
        w.speed = w.way + nv;
        for (int k = 0; k < STAGES; ++k) {
            w.rate[k] = w.speed + nv * (size_t)(1 + 2 * k);
            w.pull[k] = w.rate[k] + nv;
        }
        w.mass = w.pull[STAGES - 1] + nv;
        w.q_stage = w.mass + nv * nv;
        memmove(q_end, q, (size_t)tree->nq * sizeof *q);
        memmove(v_end, v, nv * sizeof *v);
        status = coast(&w, h, q_end, v_end);
    }
    brn_arena_rewind(arena, mark);
    return status;
}
