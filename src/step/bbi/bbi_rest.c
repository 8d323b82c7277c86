/* Rest. A mode of frequency w and damping d that is too fast for the step, w h and d h/m far above 1, keeps its place by Newmark's rule and turns its velocity
   round in every step, v' = -(1 - small) v, so that a stiff body on a floor shakes it for long after it has come to rest. Nothing that a step
   could resolve is in such a motion: where all that moves touches something, goes on slower than gravity would make it in a step, and comes
   back in the next, the step is one of implicit Euler, which brings these modes to rest at once. */
#include "step/bbi/bbi.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Energies of the mean velocity of a step over that of its end: velocities turn round within a tenth. */
static const double TURNED = 0.01;
/* Of the energy of what is slow: less is rounding. */
static const double STILL = 1e-12;

/* Per cluster. */
typedef struct calm {
    double mass, now, mean; /* [J] at the end of the step, and of the mean velocity */
    bool touched;
} calm;

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
    for (int i = 0; i < bbi->npoint; ++i) {
        for (int side = 0; side < 2 && bbi->point[i].force[0] > 0.0; ++side) {
            of[bbi->cluster[bbi->point[i].touch.body[side]]].touched = true;
        }
    }
}

brn_status brn_bbi_rests(brn_bbi *bbi, const brn_state *out, bool *rests)
{
    const brn_scheme *m = bbi->newton->scheme;
    const brn_model *model = bbi->model;
    const double slow = m->h * brn_dense_length3(bbi->system->controls->gravity);
    brn_arena *arena = brn_ctx_arena(bbi->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    calm *of = NULL;
    bool all = true;
    bool any = false;
    *rests = false;
    if ((m->kind != BRN_NEWMARK && m->kind != BRN_MIDPOINT) || bbi->npoint == 0 || slow == 0.0) {
        return BRN_OK;
    }
    BRN_TAKE(arena, of, model->nbody);
    memset(of, 0, (size_t)model->nbody * sizeof *of);
    measure(bbi, out, of);
    for (int b = 0; b < model->nbody; ++b) {
        const bool moves = of[b].mass > 0.0 && model->body[b].type != BRN_BODY_STATIC;
        if (moves) {
            const double most = 0.5 * of[b].mass * slow * slow;
            all = all && (of[b].touched || bbi->spin[b].held) && of[b].now <= most && of[b].mean <= most;
            any = any || (of[b].now > STILL * most && of[b].mean <= TURNED * of[b].now);
        }
    }
    brn_arena_rewind(arena, mark);
    *rests = all && any;
    return BRN_OK;
}
