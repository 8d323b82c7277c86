/* A hand that drags (step/drag.h) is a constraint: its force is bounded, and convex in the velocity of the node that it holds, so that the
   solver finds it as exactly as that of contact, even where all else is linearised once. About the velocities u0 that the problem starts
   from, with the node's J and stretch r0 there,

       gamma = h f,    f = -k min(1, force/(k |r|)) r,    r = r0 + h (1 + lag c) J (u - u0). */
#include "step/newton_inner.h"
#include "step/sap/sap.h"

#include <string.h>

static const brn_drag *drag_of(const brn_sap *sap)
{
    return &sap->system->controls->drag;
}

void brn_sap_hand_room(const brn_sap *sap, size_t *constraints, size_t *blocks)
{
    const brn_drag *drag = drag_of(sap);
    if (drag->node >= 0) {
        *constraints += 1;
        *blocks += (size_t)drag->on.count * BRN_SAP_PATH_MAX;
    }
}

/* r0 and J u0. */
static void look(const brn_sap *sap, const brn_sap_constraint *c, double stretch[3], double speed[3])
{
    const brn_newton *n = sap->newton;
    const brn_scheme *m = n->scheme;
    const brn_drag *drag = drag_of(sap);
    const int dim = sap->model->dim;
    memset(speed, 0, 3 * sizeof *speed);
    for (int k = c->first; k < c->first + c->count; ++k) {
        const brn_sap_block *b = &sap->block[k];
        for (int j = 0; j < dim * dim; ++j) {
            speed[j / dim] += b->j[j] * sap->u[b->row * dim + j % dim];
        }
    }
    for (int i = 0; i < dim; ++i) {
        stretch[i] = m->from[3 * drag->node + i] - n->hand[i];
    }
    for (int k = 0; k < drag->on.count; ++k) {
        const int first = sap->model->node_row[drag->on.node[k]] * dim;
        for (int i = 0; i < dim; ++i) {
            const double y = n->y[first + i];
            stretch[i] += drag->on.weight[k] * (y + drag->lag * m->rate * (y - m->origin[first + i]));
        }
    }
}

void brn_sap_constrain_hand(brn_sap *sap)
{
    const brn_drag *drag = drag_of(sap);
    sap->hand = -1;
    if (drag->node < 0) {
        return;
    }
    sap->hand = sap->nat + sap->njoint++;
    brn_sap_constraint *c = &sap->constraint[sap->hand];
    const double slope = 1.0 + drag->lag * sap->newton->scheme->rate;
    double stretch[3];
    double speed[3];
    brn_sap_place(sap); /* elements may have been linearised elsewhere */
    *c = (brn_sap_constraint){.kind = BRN_SAP_PULL, .rows = sap->model->dim, .first = sap->nblock};
    for (int k = 0; k < drag->on.count; ++k) {
        brn_sap_add_row(sap, c, sap->model->node_row[drag->on.node[k]], 1.0, drag->on.weight[k]);
    }
    sap->nblock += c->count;
    look(sap, c, stretch, speed);
    c->r = 1.0 / (sap->h * sap->h * drag->stiffness * slope);
    c->most = sap->h * drag->force;
    for (int i = 0; i < c->rows; ++i) {
        c->target[i] = speed[i] - stretch[i] / (sap->h * slope);
    }
}

void brn_sap_book_hand(const brn_sap *sap, const brn_state *in, const brn_state *out, brn_books *books)
{
    const brn_drag *drag = drag_of(sap);
    if (sap->hand < 0) {
        return;
    }
    const brn_sap_constraint *c = &sap->constraint[sap->hand];
    const int dim = sap->model->dim;
    double more = 0.0;
    for (int k = c->first; k < c->first + c->count; ++k) {
        const brn_sap_block *b = &sap->block[k];
        for (int j = 0; j < dim * dim; ++j) {
            more += sap->impulse[3 * sap->hand + j / dim] * b->j[j] * sap->u[b->row * dim + j % dim];
        }
    }
    for (int k = 0; k < drag->on.count; ++k) {
        const int at = 3 * drag->on.node[k];
        for (int i = 0; i < dim; ++i) {
            more -= drag->on.weight[k] * sap->newton->pull.force[i] *
                    (out->node_pos[at + i] - in->node_pos[at + i]);
        }
    }
    books->drive_work += more;
    books->moved += more;
}

void brn_sap_settle_hand(brn_sap *sap)
{
    brn_newton *n = sap->newton;
    if (sap->hand < 0) {
        return;
    }
    memset(n->pull.force, 0, sizeof n->pull.force);
    for (int i = 0; i < sap->model->dim; ++i) {
        n->pull.force[i] = sap->impulse[3 * sap->hand + i] / sap->h;
    }
    brn_drag_add_force(drag_of(sap), sap->model, n->pull.force, -1.0, n->contact);
}
