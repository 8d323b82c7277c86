/* Angular momentum of free bodies. The rule's own error in it is of the order of its step, and a body that spins for long
   feels nothing else: so what the step's forces leave, L + h sum r x F about the centre of mass, is what it gets. */
#include "step/body_sums.h"
#include "step/newton.h"

#include "linalg/dense.h"
#include "model/rigid_pose.h"

#include <math.h>
#include <string.h>

static bool takes_part(const brn_newton *n, int b)
{
    const brn_body *body = &n->model->body[b];
    return n->scheme->free[b] && body->type != BRN_BODY_RIGID && body->mass > 0.0;
}

/* Places about the centres of all bodies that take part; packed. */
static void place_all(const brn_newton *n, const double *x, const double (*centre)[3], double *r)
{
    const brn_model *model = n->model;
    memset(r, 0, (size_t)n->system->ndof * sizeof *r);
    for (int b = 0; b < model->nbody; ++b) {
        const brn_body *body = &model->body[b];
        for (int a = body->node_first; a < body->node_first + body->node_count && takes_part(n, b); ++a) {
            for (int i = 0; i < model->dim && model->node_row[a] >= 0; ++i) {
                r[model->node_row[a] * model->dim + i] = x[3 * a + i] - centre[b][i];
            }
        }
    }
}

/* What is missing, the inertia that it acts on, and the centre at the end, of all bodies. */
typedef struct spin_sums {
    double (*missing)[3], (*inertia)[9], (*centre)[3];
} spin_sums;

static brn_status measure(brn_newton *n, const brn_state *in, const brn_state *out, spin_sums *sums)
{
    const brn_model *model = n->model;
    const struct {
        const brn_state *state;
        double sign;
    } ends[2] = {{in, 1.0}, {out, -1.0}};
    for (int e = 0; e < 2; ++e) {
        brn_system_pack(n->system, ends[e].state->node_vel, n->step);
        BRN_TRY(brn_system_mass_apply(n->system, n->step, n->scratch));
        for (int b = 0; b < model->nbody; ++b) {
            const double *x = ends[e].state->node_pos;
            double *centre = sums->centre[b];
            double moment[3];
            double torque[3] = {0};
            if (!takes_part(n, b)) {
                continue;
            }
            brn_body_mean(model, b, x, centre);
            brn_body_moments(model, b, x, centre, n->scratch, moment);
            if (e == 1) { /* all forces but gravity, which has no moment */
                brn_body_moments(model, b, x, centre, n->inertia, torque);
            }
            if (n->terms != NULL && n->terms->before) { /* of these, contact's act at the start */
                double contact[3];
                brn_body_moments(model, b, x, centre, n->contact, contact);
                for (int i = 0; i < 3; ++i) {
                    torque[i] -= ends[e].sign * contact[i];
                }
            }
            for (int i = 0; i < 3; ++i) {
                sums->missing[b][i] += ends[e].sign * moment[i] + n->scheme->h * torque[i];
            }
        }
    }
    place_all(n, out->node_pos, (const double(*)[3])sums->centre, n->step);
    BRN_TRY(brn_system_mass_apply(n->system, n->step, n->scratch));
    for (int b = 0; b < model->nbody; ++b) {
        if (takes_part(n, b)) {
            brn_body_inertia(model, b, out->node_pos, sums->centre[b], n->scratch, sums->inertia[b]);
        }
    }
    return BRN_OK;
}

static void correct(const brn_model *model, int number, const spin_sums *sums, brn_state *out)
{
    const double *inertia = sums->inertia[number];
    const double *missing = sums->missing[number];
    const double *centre = sums->centre[number];
    const brn_body *body = &model->body[number];
    double inverse[9];
    double w[3] = {0};
    if (model->dim == 2) {
        w[2] = inertia[8] > 0.0 ? missing[2] / inertia[8] : 0.0;
    } else {
        const double size = inertia[0] + inertia[4] + inertia[8];
        if (!(brn_dense_det3(inertia) > 1e-9 * size * size * size)) {
            return;
        }
        (void)brn_dense_inverse3(inertia, inverse);
        brn_dense_apply3(inverse, missing, w);
    }
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        double r[3] = {0};
        double turn[3];
        for (int i = 0; i < model->dim; ++i) {
            r[i] = out->node_pos[3 * a + i] - centre[i];
        }
        brn_dense_cross3(w, r, turn);
        for (int i = 0; i < model->dim; ++i) {
            out->node_vel[3 * a + i] += turn[i];
        }
    }
}

brn_status brn_newton_keep_spin(brn_newton *n, const brn_state *in, brn_state *out)
{
    const brn_model *model = n->model;
    bool any = false;
    for (int b = 0; b < model->nbody; ++b) {
        any = any || takes_part(n, b);
    }
    if (!any || !n->scheme->turns || n->scheme->kind != BRN_IMPLICIT_EULER) {
        return BRN_OK;
    }
    spin_sums sums = {0};
    brn_arena *arena = brn_ctx_arena(n->ctx);
    const brn_arena_mark mark = brn_arena_now(arena);
    BRN_TAKE(arena, sums.missing, model->nbody);
    BRN_TAKE(arena, sums.inertia, model->nbody);
    BRN_TAKE(arena, sums.centre, model->nbody);
    memset(sums.missing, 0, (size_t)model->nbody * sizeof *sums.missing);
    const brn_status status = measure(n, in, out, &sums);
    for (int b = 0; b < model->nbody && status >= 0; ++b) {
        if (takes_part(n, b)) {
            correct(model, b, &sums, out);
        }
    }
    brn_arena_rewind(arena, mark);
    return status;
}
