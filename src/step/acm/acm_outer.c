/* What comes from outside: gravity, loads, a dragging hand, damping by mass, and motions. They act together. */
#include "step/acm/acm.h"

#include "linalg/dense.h"

#include <math.h>
#include <string.h>

void brn_acm_push_held(brn_acm *acm, int a, const double impulse[3])
{
    double *v = &acm->nodes.velocity[3 * a];
    double *received = &acm->nodes.received[BRN_ACM_RECEIVED * acm->held_of[a]];
    double held[3] = {0.0, 0.0, 0.0};
    double turn[3];
    for (int i = 0; i < 3; ++i) {
        if ((acm->axes[a] >> i & 1u) == 0) {
            v[i] += acm->inverse[a] * impulse[i];
        } else {
            held[i] = impulse[i];
        }
    }
    brn_dense_cross3(&acm->nodes.place[3 * a], held, turn);
    for (int i = 0; i < 3; ++i) {
        received[i] += held[i];
        received[3 + i] += turn[i];
    }
    received[6] += brn_dense_dot3(held, v);
}

/* Along axes that are held, straight to where the motion will be. */
static void steer_node(brn_acm *acm, int hold, int a, unsigned axes, brn_tick next)
{
    double to[3];
    brn_controls_place(acm->system->controls, hold, a, (double)next * acm->tick, to, NULL);
    const double time = (double)(next - acm->nodes.clock[a]) * acm->tick;
    for (int i = 0; i < acm->model->dim; ++i) {
        if ((axes & acm->axes[a]) >> i & 1u) {
            acm->nodes.velocity[3 * a + i] = (to[i] - acm->nodes.place[3 * a + i]) / time;
        }
    }
}

void brn_acm_steer(brn_acm *acm, brn_tick t)
{
    const brn_model *model = acm->model;
    const brn_tick step = (brn_tick)1 << acm->outer;
    const brn_tick next = (t / step + 1) * step;
    for (int i = 0; i < model->nhold; ++i) {
        const brn_hold *hold = &model->hold[i];
        for (int k = 0; k < hold->nnode; ++k) {
            brn_acm_advance(acm, hold->node[k], t);
            steer_node(acm, i, hold->node[k], hold->axes, next);
        }
        brn_acm_kds_kicked(acm, hold->node, hold->nnode);
    }
}

brn_status brn_acm_outer_force(brn_acm *acm, const double *x, const double *v, double t, double *force)
{
    memset(force, 0, (size_t)acm->system->ndof * sizeof *force);
    BRN_TRY(brn_system_loads(acm->system, x, t, force, NULL));
    brn_system_drag(acm->system, x, v, force);
    return BRN_OK;
}

/* Adds the impulse of loads and weight, and of damping, on a node at x. */
static void kick_node(brn_acm *acm, int a, const double load[3], double h)
{
    brn_acm_sums *sums = &acm->sums;
    double *v = &acm->nodes.velocity[3 * a];
    const double mass = acm->model->node_mass[a];
    const double *before = &acm->nodes.before[3 * a];
    double impulse[3];
    double turn[3];
    for (int i = 0; i < 3; ++i) {
        impulse[i] = h * (load[i] + mass * acm->system->controls->gravity[i]);
    }
    brn_acm_push(acm, a, impulse);
    for (int i = 0; i < 3; ++i) {
        sums->work += 0.5 * h * load[i] * (before[i] + v[i]);
    }
    if (acm->slowing != NULL && acm->slowing[a] > 0.0) {
        const double kept = exp(-acm->slowing[a] * h);
        for (int i = 0; i < 3; ++i) {
            if ((acm->axes[a] >> i & 1u) == 0) {
                sums->dissipated += 0.5 * mass * v[i] * v[i] * (1.0 - kept * kept);
                impulse[i] += mass * (kept - 1.0) * v[i];
                v[i] *= kept;
            }
        }
    }
    brn_dense_cross3(&acm->nodes.place[3 * a], impulse, turn);
    for (int i = 0; i < 3; ++i) {
        sums->impulse[i] += impulse[i];
        sums->impulse[3 + i] += turn[i];
    }
}

bool brn_acm_outer_acts(const brn_acm *acm)
{
    const double *g = acm->system->controls->gravity;
    return brn_dense_dot3(g, g) > 0.0 || acm->model->nload > 0 || acm->slowing != NULL ||
           acm->system->controls->drag.node >= 0;
}

brn_status brn_acm_outer_act(brn_acm *acm, brn_tick t)
{
    const brn_model *model = acm->model;
    brn_acm_steer(acm, t);
    if (!brn_acm_outer_acts(acm)) {
        return BRN_OK;
    }
    for (int a = 0; a < model->nnode; ++a) {
        brn_acm_advance(acm, a, t);
    }
    BRN_TRY(
        brn_acm_outer_force(acm, acm->nodes.place, acm->nodes.velocity, (double)t * acm->tick, acm->force));
    for (int row = 0; row < model->nrow; ++row) {
        const int a = model->row_node[row];
        double load[3] = {0.0, 0.0, 0.0};
        memcpy(load, &acm->force[row * model->dim], (size_t)model->dim * sizeof *load);
        if (model->node_mass[a] > 0.0) { /* of what is held, the hold bears the weight */
            kick_node(acm, a, load, acm->seconds[acm->outer]);
        }
    }
    brn_acm_kds_kicked(acm, model->row_node, model->nrow);
    acm->sums.events += model->nrow;
    return BRN_OK;
}
