/* Rest. A mode of frequency w and damping d that is too fast for the step, w h and d h/m far above 1, keeps its place by Newmark's rule and turns its velocity
   round in every step, v' = -(1 - small) v, so that a stiff body on a floor shakes it for long after it has come to rest. Nothing that a step
   could resolve is in such a motion: where bodies that touch each other all touch something, go on slower than gravity would make them in a
   step, and come back in the next, their step is one of implicit Euler, which brings these modes to rest at once. */
#include "step/bbi/bbi.h"

#include "linalg/dense.h"
#include "model/rigid_pose.h"

#include <math.h>
#include <string.h>

/* Energies of the mean velocity of a step over that of its end: velocities turn round within a tenth. */
static const double TURNED = 0.01;
/* Of the energy of what is slow: less is rounding. */
static const double STILL = 1e-12;

/* Of a cluster, and then of the bodies that touch each other, at the first of them. */
typedef struct calm {
    double mass, now, mean; /* [J] at the end of the step, and of the mean velocity */
    bool touched;
    int island; /* the first of the clusters that touch each other */
    bool loud;  /* one of them moves too much to be at rest */
    bool turns; /* one of them comes back in every step */
} calm;

static bool moves(const brn_bbi *bbi, const calm *of, int b)
{
    return of[b].mass > 0.0 && bbi->model->body[b].type != BRN_BODY_STATIC && !brn_bbi_flies(bbi, b);
}

/* Energies with the masses of nodes: good enough to judge by. */
static void measure(const brn_bbi *bbi, const brn_state *out, calm *of)
{
    const brn_newton *n = bbi->newton;
    const brn_model *model = bbi->model;
    for (int row = 0; row < model->nrow; ++row) {
        calm *to = &of[bbi->row_cluster[row]];
        const int a = model->row_node[row];
        const double mass = model->node_mass[a];
        to->mass += mass;
        for (int i = 0; i < model->dim; ++i) {
            const double now = out->node_vel[3 * a + i];
            const double mean = n->y[row * model->dim + i] / n->scheme->h;
            to->now += 0.5 * mass * now * now;
            to->mean += 0.5 * mass * mean * mean;
        }
    }
}

/* The clusters on both sides of a point that carries force; false: there is none. */
static bool sides_of(const brn_bbi *bbi, const brn_bbi_point *p, int cluster[2])
{
    for (int side = 0; side < 2; ++side) {
        cluster[side] = bbi->cluster[p->touch.body[side]];
    }
    return p->force[0] > 0.0;
}

/* Obstacles join nothing: what lies on the same floor goes its own way. */
static void join_islands(const brn_bbi *bbi, calm *of)
{
    const int nbody = bbi->model->nbody;
    for (int b = 0; b < nbody; ++b) {
        of[b].island = b;
    }
    for (int i = 0; i < bbi->npoint; ++i) {
        int at[2];
        if (!sides_of(bbi, &bbi->point[i], at)) {
            continue;
        }
        of[at[0]].touched = of[at[1]].touched = true;
        const int one = of[at[0]].island;
        const int other = of[at[1]].island;
        const bool joined = moves(bbi, of, at[0]) && moves(bbi, of, at[1]) && one != other;
        for (int b = 0; b < nbody && joined; ++b) {
            of[b].island =
                of[b].island == one || of[b].island == other ? (one < other ? one : other) : of[b].island;
        }
    }
}

/* bbi->apart: the bodies that come to rest. */
static int mark(brn_bbi *bbi, calm *of)
{
    const brn_model *model = bbi->model;
    const double slow = bbi->newton->scheme->h * brn_dense_length3(bbi->system->controls->gravity);
    bool loud = false;
    bool any = false;
    for (int b = 0; b < model->nbody; ++b) {
        if (moves(bbi, of, b)) {
            const double most = 0.5 * of[b].mass * slow * slow;
            calm *to = &of[of[b].island];
            to->loud = to->loud ||
                       !((of[b].touched || bbi->spin[b].held) && of[b].now <= most && of[b].mean <= most);
            to->turns = to->turns || (of[b].now > STILL * most && of[b].mean <= TURNED * of[b].now);
            loud = loud || to->loud;
        }
    }
    for (int b = 0; b < model->nbody; ++b) {
        const int cluster = bbi->cluster[b];
        const calm *island = &of[of[cluster].island];
        bbi->apart[b] = moves(bbi, of, cluster) && !island->loud && island->turns;
        any = any || bbi->apart[b];
    }
    return !any ? BRN_BBI_NONE_REST : loud ? BRN_BBI_SOME_REST : BRN_BBI_ALL_REST;
}

brn_status brn_bbi_rests(brn_bbi *bbi, const brn_state *out, int *rests)
{
    const brn_scheme *m = bbi->newton->scheme;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark at = brn_arena_now(arena);
    calm *of = NULL;
    *rests = BRN_BBI_NONE_REST;
    if ((m->kind != BRN_NEWMARK && m->kind != BRN_MIDPOINT) || bbi->npoint == 0 ||
        brn_dense_length3(bbi->system->controls->gravity) == 0.0) {
        return BRN_OK;
    }
    BRN_TAKE(arena, of, bbi->model->nbody);
    memset(of, 0, (size_t)bbi->model->nbody * sizeof *of);
    measure(bbi, out, of);
    join_islands(bbi, of);
    *rests = mark(bbi, of);
    brn_arena_rewind(arena, at);
    return BRN_OK;
}

brn_status brn_bbi_solve_still(brn_bbi *bbi, const brn_state *in, double t, double h, brn_step_info *info)
{
    bbi->system->guard = 1;
    const brn_status status = brn_bbi_solve(bbi, in, t, h, info);
    bbi->system->guard = 0;
    return status;
}

/* Whether what comes to rest touches none of what goes on. */
static bool is_alone(const brn_bbi *bbi)
{
    const brn_body *body = bbi->model->body;
    bool alone = true;
    for (int i = 0; i < bbi->npoint; ++i) {
        const brn_bbi_point *p = &bbi->point[i];
        const int one = p->touch.body[0];
        const int other = p->touch.body[1];
        alone = alone && (p->force[0] == 0.0 || bbi->apart[one] == bbi->apart[other] ||
                          body[one].type == BRN_BODY_STATIC || body[other].type == BRN_BODY_STATIC);
    }
    return alone;
}

/* Bodies that come to rest go by n->y, all others have what they had: pos and vel [nnode][3]. */
static brn_status replace(brn_bbi *bbi, const brn_state *in, const double *pos, const double *vel,
                          brn_state *out)
{
    const brn_model *model = bbi->model;
    BRN_TRY(brn_scheme_finish(bbi->newton->scheme, in, bbi->newton->y, out));
    BRN_TRY(brn_newton_keep_spin(bbi->newton, in, out));
    for (int b = 0; b < model->nbody; ++b) {
        const size_t first = 3 * (size_t)model->body[b].node_first;
        const size_t bytes = 3 * (size_t)model->body[b].node_count * sizeof(double);
        if (!bbi->apart[b]) {
            memcpy(&out->node_pos[first], &pos[first], bytes);
            memcpy(&out->node_vel[first], &vel[first], bytes);
        }
    }
    brn_rigid_states(model, out->node_pos, out->node_vel, out->rigid_pose, out->rigid_vel);
    return BRN_OK;
}

static brn_status rest(brn_bbi *bbi, const brn_state *in, double t, double h, brn_state *out,
                       brn_step_info *info)
{
    const size_t count = 3 * (size_t)bbi->model->nnode;
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    double *pos = NULL;
    double *vel = NULL;
    const brn_status status = brn_bbi_solve_still(bbi, in, t, h, info);
    /* What moves may be too much for the other rule, whose answer is not asked for: then all stays as it is. */
    if (status == BRN_ERR_CONVERGENCE || status == BRN_ERR_SINGULAR || status == BRN_ERR_NOT_FINITE) {
        return BRN_OK;
    }
    BRN_TRY(status);
    if (!is_alone(bbi)) {
        return BRN_OK;
    }
    BRN_TAKE(arena, pos, count);
    BRN_TAKE(arena, vel, count);
    memcpy(pos, out->node_pos, count * sizeof *pos);
    memcpy(vel, out->node_vel, count * sizeof *vel);
    BRN_TRY(brn_bbi_rebook(bbi, out, -1.0, &info->books));
    BRN_TRY(replace(bbi, in, pos, vel, out));
    return brn_bbi_rebook(bbi, out, 1.0, &info->books);
}

brn_status brn_bbi_rest(brn_bbi *bbi, const brn_state *in, double t, double h, brn_state *out,
                        brn_step_info *info)
{
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark at = brn_arena_now(arena);
    const brn_status status = rest(bbi, in, t, h, out, info);
    brn_arena_rewind(arena, at);
    return status;
}
