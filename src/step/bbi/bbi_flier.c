/* A body as a rigid one: its axes, how it takes off, goes on and is placed, whether it is calm enough (bbi_flight.c). */
#include "step/bbi/bbi.h"

#include "linalg/dense.h"
#include "model/rigid_pose.h"
#include "phys/rotation.h"
#include "step/body_sums.h"

#include <math.h>
#include <string.h>

/* Turn of a step of the equations [rad]: their error, of second order, is then about 5e-6 after ten turns. */
static const double ANGLE = 1e-3;
/* Steps of a body that turns before it may fly; how its largest vibration fades in one: to half in twenty. */
static const double AGE = 20.0, FADING = 0.966;
/* How much more than a bar along its radius a body may stretch when it turns: thin parts of it bend. */
static const double BENDING = 100.0;
/* Of the kinetic energy: taking off must not add any. */
static const double ROUNDING = 1e-12;

/* Principal axes of the inertia about the centre at rest. In 2D a body turns about z alone. */
static brn_status set_axes(brn_bbi *bbi, int b, const double *mass_r)
{
    const brn_model *model = bbi->model;
    brn_bbi_flier *f = &bbi->flier[b];
    double about[9];
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    brn_body_inertia(model, b, model->rest[0], f->centre, mass_r, about);
    if (model->dim == 2) {
        memcpy(f->axes, unit, sizeof f->axes);
        f->inertia[0] = f->inertia[1] = f->inertia[2] = about[8];
        return BRN_OK;
    }
    BRN_TRY(brn_dense_eigen_sym(3, about, f->inertia, f->axes));
    if (brn_dense_det3(f->axes) < 0.0) {
        for (int i = 0; i < 3; ++i) {
            f->axes[3 * i] *= -1.0;
        }
    }
    return BRN_OK;
}

brn_status brn_bbi_flier_create(brn_bbi *bbi)
{
    const brn_model *model = bbi->model;
    double *r = bbi->newton->step;
    double *mass_r = bbi->newton->trial;
    BRN_ALLOC(bbi->ctx, bbi->flier, model->nbody + 1);
    memset(r, 0, (size_t)bbi->system->ndof * sizeof *r);
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        double *centre = bbi->flier[b].centre;
        if (body->mass > 0.0 && body->type != BRN_BODY_STATIC) {
            brn_body_mean(model, b, model->rest[0], centre);
        }
        for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
            for (int i = 0; i < model->dim && model->node_row[a] >= 0; ++i) {
                r[model->node_row[a] * model->dim + i] = model->rest[a][i] - centre[i];
            }
        }
    }
    BRN_TRY(brn_system_mass_apply(bbi->system, r, mass_r));
    for (int b = 0; b < model->nbody; ++b) {
        if (model->body[b].mass > 0.0 && model->body[b].type != BRN_BODY_STATIC) {
            BRN_TRY(set_axes(bbi, b, mass_r));
        }
    }
    return BRN_OK;
}

void brn_bbi_flier_take_off(const brn_bbi *bbi, int b, const brn_state *in, const double *mv,
                            brn_bbi_flight *out)
{
    const brn_model *model = bbi->model;
    const brn_bbi_flier *f = &bbi->flier[b];
    double turn[9];
    double frame[9];
    double spin[3];
    brn_body_mean(model, b, in->node_pos, out->centre);
    brn_body_mean(model, b, in->node_vel, out->velocity);
    brn_body_turn(model, b, in->node_pos, out->centre, f->centre, turn);
    brn_dense_multiply3(turn, f->axes, frame);
    brn_rotation_quaternion(frame, out->spin.attitude);
    brn_body_moments(model, b, in->node_pos, out->centre, mv, spin);
    brn_dense_apply3_t(frame, spin, out->spin.momentum);
}

void brn_bbi_flier_put(const brn_bbi *bbi, int b, const brn_bbi_flight *at, double *pos, double *vel)
{
    const brn_model *model = bbi->model;
    const brn_body *body = &model->body[b];
    const brn_bbi_flier *f = &bbi->flier[b];
    double frame[9];
    double turn[9];
    double slow[3];
    double spin[3];
    brn_rotation_less_one(at->spin.attitude, frame);
    for (int i = 0; i < 3; ++i) {
        frame[4 * i] += 1.0;
        slow[i] = at->spin.momentum[i] / f->inertia[i];
    }
    brn_dense_multiply3_nt(frame, f->axes, turn);
    brn_dense_apply3(frame, slow, spin);
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        const double rest[3] = {model->rest[a][0] - f->centre[0], model->rest[a][1] - f->centre[1],
                                model->rest[a][2] - f->centre[2]};
        double r[3];
        double swing[3];
        brn_dense_apply3(turn, rest, r);
        brn_dense_cross3(spin, r, swing);
        for (int i = 0; i < model->dim; ++i) {
            pos[3 * a + i] = at->centre[i] + r[i];
            if (vel != NULL) {
                vel[3 * a + i] = at->velocity[i] + swing[i];
            }
        }
    }
}

void brn_bbi_flier_fly(const brn_bbi *bbi, int b, double h, brn_bbi_flight *flight)
{
    const double *g = bbi->system->controls->gravity;
    for (int i = 0; i < bbi->model->dim; ++i) {
        flight->centre[i] += h * flight->velocity[i] + 0.5 * h * h * g[i];
        flight->velocity[i] += h * g[i];
    }
    brn_moser_veselov(bbi->flier[b].inertia, h, ANGLE, &flight->spin);
}

static double spin_energy(const brn_bbi_flier *f, const brn_spinning *spin)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        sum += 0.5 * spin->momentum[i] * spin->momentum[i] / f->inertia[i];
    }
    return sum;
}

/* [J] that its rotation may stretch it by: rho (w r)^2 / E of its energy for a bar. */
static double stretch(const brn_bbi *bbi, int b, double turning)
{
    const brn_body *body = &bbi->model->body[b];
    double young = INFINITY;
    for (int g = body->group_first; g < body->group_first + body->group_count; ++g) {
        young = fmin(young, bbi->model->group[g]->young);
    }
    return turning > 0.0 ? BENDING * turning * turning / (young * body->volume) : 0.0;
}

bool brn_bbi_flier_calm(const brn_bbi *bbi, int b, const brn_state *in, const double *mv, double h,
                        brn_bbi_flight *rigid, double *loss)
{
    const double mass = bbi->model->body[b].mass;
    const double *g = bbi->system->controls->gravity;
    const brn_bbi_sums now = brn_bbi_measure(bbi, b, in, mv);
    const double turning = spin_energy(&bbi->flier[b], &rigid->spin);
    const double kinetic = 0.5 * mass * brn_dense_dot3(rigid->velocity, rigid->velocity) + turning;
    const double falling = 0.5 * mass * h * h * brn_dense_dot3(g, g); /* at the end of the step, from rest */
    const double allowed = bbi->params->flight * fmax(kinetic, falling);
    const double vibration = fabs(now.kinetic - kinetic) + now.elastic - now.creeping;
    rigid->peak = fmax(vibration, FADING * rigid->peak);
    rigid->age += 1.0;
    *loss = now.kinetic + now.elastic - kinetic;
    return rigid->peak <= allowed && *loss >= -ROUNDING * kinetic &&
           (stretch(bbi, b, turning) <= allowed || (rigid->age >= AGE && vibration < rigid->peak));
}
