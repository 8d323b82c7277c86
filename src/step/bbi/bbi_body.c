/* Energies and momenta of single bodies, and the books of a step after which bodies are put elsewhere. */
#include "step/bbi/bbi.h"

#include "step/body_sums.h"

#include <math.h>

/* A part of a body that has no waves of its own. */
static const double CREEPING = 5.0;

/* Whether a group is damped so strongly that it creeps back to its shape: half the damping of a wave as long as the body is above CREEPING of
   the critical one. */
static bool creeps(const brn_model *model, const brn_body *body, const brn_element_group *group)
{
    const double wave = sqrt(group->young / group->density) / brn_body_diagonal(model, body); /* [1/s] */
    return 0.5 * group->beta * wave > CREEPING;
}

/* The elements whose first node is the body's. */
static void add_elastic(const brn_bbi *bbi, const brn_body *body, const double *x, brn_bbi_sums *to)
{
    enum { BLOCK = 64 };
    double energy[BLOCK];
    for (int g = 0; g < bbi->model->ngroup; ++g) {
        const brn_element_group *group = bbi->model->group[g];
        const brn_stencils stencils = brn_group_stencils(group);
        double sum = 0.0;
        if (stencils.count == 0 || !brn_body_has_node(body, group->conn[0])) {
            continue;
        }
        for (int first = 0; first < stencils.count; first += BLOCK) {
            const int count = stencils.count - first < BLOCK ? stencils.count - first : BLOCK;
            group->kind->eval(group, (const double(*)[3])x, first, count, BRN_TANGENT_EXACT, energy, NULL,
                              NULL);
            for (int i = 0; i < count; ++i) {
                sum += energy[i];
            }
        }
        to->elastic += sum;
        to->creeping += creeps(bbi->model, body, group) ? sum : 0.0;
    }
}

brn_bbi_sums brn_bbi_measure(const brn_bbi *bbi, int b, const brn_state *state, const double *mv)
{
    static const double origin[3] = {0};
    const brn_model *model = bbi->model;
    const brn_body *body = &model->body[b];
    brn_bbi_sums out = {0};
    add_elastic(bbi, body, state->node_pos, &out);
    brn_body_moments(model, b, state->node_pos, origin, mv, &out.momentum[3]);
    for (int a = body->node_first; a < body->node_first + body->node_count; ++a) {
        for (int i = 0; i < model->dim && model->node_row[a] >= 0; ++i) {
            const double momentum = mv[model->node_row[a] * model->dim + i];
            out.momentum[i] += momentum;
            out.kinetic += 0.5 * state->node_vel[3 * a + i] * momentum;
            out.gravity -=
                model->node_mass[a] * bbi->system->controls->gravity[i] * state->node_pos[3 * a + i];
        }
    }
    return out;
}

brn_status brn_bbi_rebook(brn_bbi *bbi, const brn_state *out, double sign, brn_books *books)
{
    brn_newton *n = bbi->newton;
    brn_system_pack(bbi->system, out->node_vel, n->scratch);
    BRN_TRY(brn_system_mass_apply(bbi->system, n->scratch, n->trial));
    for (int b = 0; b < bbi->model->nbody; ++b) {
        if (!bbi->apart[b]) {
            continue;
        }
        const brn_bbi_sums now = brn_bbi_measure(bbi, b, out, n->trial);
        books->dissipated -= sign * (now.kinetic + now.elastic + now.gravity);
        books->moved += sign * now.kinetic;
        books->stored += books->elastic_loss ? sign * now.elastic : 0.0;
        for (int i = 0; i < 6; ++i) {
            books->base_impulse[i] += sign * now.momentum[i];
        }
    }
    return BRN_OK;
}
