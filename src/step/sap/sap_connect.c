/* Connections of bodies (model/model.h): points that coincide or stay at a distance, constraints that hold. About the velocities u0 that the
   problem starts from, with the offset g0 of the points where these lead,

       gamma = -(g + tau dg/dt) h k,    g = g0 + h J (u - u0),    dg/dt = J u,

   or as stiff as the step allows. J and the direction of the impulse are those of the start of the step, g0 is that of its end: this is SHAKE
   [Ryckaert, Ciccotti, Berendsen 1977], which keeps momenta exactly and lets energy swing about the right one, by half of what
   gravity does in a step, but not drift. For the midpoint rule J is that of half-way. A step that gains more than it may is repeated
   with J as of the end, which takes energy. */
#include "linalg/dense.h"
#include "step/newton_inner.h"
#include "step/sap/sap.h"

#include <math.h>
#include <string.h>

/* Of the length: points nearer than this have no direction. */
static const double TINY = 1e-9;

/* At most so many blocks. */
static size_t width_of(const brn_sap *sap, const brn_anchor *anchor)
{
    size_t count = 0;
    for (int k = 0; k < anchor->count; ++k) {
        const brn_masters on = brn_model_masters(sap->model, anchor->node[k]);
        for (int m = 0; m < on.count; ++m) {
            const int rigid = sap->row_rigid[sap->model->node_row[on.node[m]]];
            count += rigid < 0 ? 1 : sap->rigid[rigid].tree < 0 ? 2 : (size_t)sap->rigid[rigid].path;
        }
    }
    return count;
}

void brn_sap_connect_room(const brn_sap *sap, size_t *constraints, size_t *blocks)
{
    for (int n = 0; n < sap->model->nconnect; ++n) {
        const brn_connection *connect = &sap->model->connect[n];
        *constraints += (size_t)connect->npoint;
        for (int k = 0; k < 2 * connect->npoint; ++k) {
            *blocks += width_of(sap, &connect->point[k / 2][k % 2]);
        }
    }
}

static void add_side(brn_sap *sap, brn_sap_constraint *c, const brn_anchor *anchor, double sign)
{
    const double along = sap->system->guard > 0 ? 1.0 : 1.0 - 1.0 / sap->share;
    for (int k = 0; k < anchor->count; ++k) {
        const brn_masters on = brn_model_masters(sap->model, anchor->node[k]);
        for (int m = 0; m < on.count; ++m) {
            brn_sap_add_row(sap, c, sap->model->node_row[on.node[m]], along,
                            sign * anchor->weight[k] * on.weight[m]);
        }
    }
}

/* Where an anchor is at the start of the step, and where u leads it. */
static void look(const brn_sap *sap, const brn_anchor *anchor, double start[3], double end[3])
{
    const brn_controls *controls = sap->system->controls;
    brn_controls_anchor(controls, anchor, sap->from, sap->t, start);
    brn_controls_anchor(controls, anchor, sap->from, sap->t + sap->h, end); /* as obstacles move it */
    for (int k = 0; k < anchor->count; ++k) {
        const double *y = &sap->newton->y[sap->model->node_row[anchor->node[k]] * sap->model->dim];
        for (int i = 0; i < sap->model->dim; ++i) {
            end[i] += anchor->weight[k] * y[i];
        }
    }
}

/* J u of a row. */
static double speed_of(const brn_sap *sap, const brn_sap_constraint *c, int row)
{
    const int dim = sap->model->dim;
    double sum = 0.0;
    for (int k = c->first; k < c->first + c->count; ++k) {
        for (int s = 0; s < dim; ++s) {
            sum += sap->block[k].j[row * dim + s] * sap->u[sap->block[k].row * dim + s];
        }
    }
    return sum;
}

/* The rows along the axes become one along `towards`. */
static void contract(brn_sap *sap, brn_sap_constraint *c, const double towards[3])
{
    const int dim = sap->model->dim;
    for (int k = c->first; k < c->first + c->count; ++k) {
        double *j = sap->block[k].j;
        for (int s = 0; s < dim; ++s) {
            double sum = 0.0;
            for (int i = 0; i < dim; ++i) {
                sum += towards[i] * j[i * dim + s];
            }
            j[s] = sum;
        }
        memset(j + dim, 0, (size_t)(9 - dim) * sizeof *j);
    }
    c->rows = 1;
}

/* What is left of the law once J and the offset g0 where u leads are known. */
static void set_law(brn_sap *sap, const brn_connection *connect, brn_sap_constraint *c, const double off[3])
{
    const double h = sap->h;
    const double lag = h + (connect->slack && off[0] > 0.0 ? 0.0 : connect->relaxation);
    double w = 0.0;
    for (int r = 0; r < c->rows; ++r) {
        c->target[r] = (h * speed_of(sap, c, r) - off[r]) / lag;
        w += brn_sap_weight_of(sap, c, r) / c->rows;
    }
    c->r = fmax(brn_sap_held(w), 1.0 / (h * lag * connect->stiffness));
    if (!(w > 0.0)) { /* held on both sides: nothing gives way */
        c->r = 1.0;
        memset(c->target, 0, sizeof c->target);
        for (int k = c->first; k < c->first + c->count; ++k) {
            memset(sap->block[k].j, 0, sizeof sap->block[k].j);
        }
    }
}

static void add_point(brn_sap *sap, int number, int point)
{
    const brn_connection *connect = &sap->model->connect[number];
    const brn_anchor *anchor = connect->point[point];
    brn_sap_constraint *c = &sap->constraint[sap->nat + sap->njoint++];
    double *towards = sap->towards[number];
    double start[2][3];
    double end[2][3];
    double was[3];
    double off[3];
    *c = (brn_sap_constraint){.kind = BRN_SAP_EQUALITY, .rows = sap->model->dim, .first = sap->nblock};
    for (int k = 0; k < 2; ++k) {
        add_side(sap, c, &anchor[k], k == 0 ? 1.0 : -1.0);
        look(sap, &anchor[k], start[k], end[k]);
    }
    sap->nblock += c->count;
    for (int i = 0; i < 3; ++i) {
        was[i] = start[0][i] - start[1][i];
        off[i] = end[0][i] - end[1][i];
    }
    if (connect->type == BRN_CONNECT_DISTANCE) {
        const double length = sqrt(brn_dense_dot3(was, was));
        const bool lost = !(length > TINY * connect->length);
        const double sign = connect->slack ? -1.0 : 1.0;
        for (int i = 0; i < 3; ++i) {
            towards[i] = sign * (lost ? i == 0 : was[i] / length);
        }
        contract(sap, c, towards);
        off[0] = sign * (sqrt(brn_dense_dot3(off, off)) - connect->length);
        c->kind = connect->slack ? BRN_SAP_LIMIT : BRN_SAP_EQUALITY;
    }
    set_law(sap, connect, c, off);
}

void brn_sap_constrain_connections(brn_sap *sap)
{
    sap->connect_first = sap->nat + sap->njoint;
    if (sap->model->nconnect > 0) {
        brn_sap_place(sap); /* elements may have been linearised elsewhere */
    }
    for (int n = 0; n < sap->model->nconnect; ++n) {
        for (int k = 0; k < sap->model->connect[n].npoint; ++k) {
            add_point(sap, n, k);
        }
    }
}

/* ---- what they did --------------------------------------------------------------------------------------------------------- */

/* [N] On the first body, of a point. */
static void force_of(const brn_sap *sap, int number, int constraint, double force[3])
{
    const double *impulse = &sap->impulse[3 * constraint];
    const bool one = sap->model->connect[number].type == BRN_CONNECT_DISTANCE;
    for (int i = 0; i < 3; ++i) {
        force[i] = (one                   ? impulse[0] * sap->towards[number][i]
                    : i < sap->model->dim ? impulse[i]
                                          : 0.0) /
                   sap->h;
    }
}

void brn_sap_push_connections(const brn_sap *sap)
{
    int at = sap->connect_first;
    for (int n = 0; n < sap->model->nconnect; ++n) {
        const brn_connection *connect = &sap->model->connect[n];
        for (int k = 0; k < connect->npoint; ++k, ++at) {
            double force[3];
            force_of(sap, n, at, force);
            for (int side = 0; side < 2; ++side) {
                const brn_anchor *anchor = &connect->point[k][side];
                for (int m = 0; m < anchor->count; ++m) {
                    brn_model_add_force(sap->model, anchor->node[m],
                                        side == 0 ? anchor->weight[m] : -anchor->weight[m], force, sap->push);
                }
            }
        }
    }
}

double brn_sap_connections_hold(const brn_sap *sap)
{
    int at = sap->connect_first;
    double sum = 0.0;
    for (int n = 0; n < sap->model->nconnect; ++n) {
        for (int k = 0; k < sap->model->connect[n].npoint; ++k, ++at) {
            const brn_sap_constraint *c = &sap->constraint[at];
            for (int r = 0; r < c->rows; ++r) {
                sum += 0.5 * c->r * sap->impulse[3 * at + r] * sap->impulse[3 * at + r];
            }
        }
    }
    return sum;
}

double brn_sap_book_connections(const brn_sap *sap, const brn_state *in, const brn_state *out,
                                brn_books *books)
{
    const brn_controls *controls = sap->system->controls;
    int at = sap->connect_first;
    double more = 0.0;
    double put_in = 0.0;
    for (int n = 0; n < sap->model->nconnect; ++n) {
        const brn_connection *connect = &sap->model->connect[n];
        for (int k = 0; k < connect->npoint; ++k, ++at) {
            const brn_sap_constraint *c = &sap->constraint[at];
            double force[3];
            force_of(sap, n, at, force);
            for (int r = 0; r < c->rows; ++r) {
                more += sap->impulse[3 * at + r] * speed_of(sap, c, r);
            }
            for (int side = 0; side < 2; ++side) {
                const brn_anchor *anchor = &connect->point[k][side];
                double start[3];
                double end[3];
                brn_controls_anchor(controls, anchor, in->node_pos, sap->t, start);
                brn_controls_anchor(controls, anchor, out->node_pos, sap->t + sap->h, end);
                for (int i = 0; i < 3; ++i) {
                    const double work = (side == 0 ? force[i] : -force[i]) * (end[i] - start[i]);
                    more -= anchor->count > 0 ? work : 0.0;
                    put_in -= anchor->count > 0 ? 0.0 : work;
                }
            }
        }
    }
    books->drive_work += put_in;
    books->moved += more;
    return more - put_in;
}

brn_status brn_sap_remember_connections(const brn_sap *sap, brn_state *out)
{
    double *memory = NULL;
    int at = sap->connect_first;
    if (sap->model->nconnect == 0) {
        return BRN_OK;
    }
    BRN_TRY(brn_state_remember(out, BRN_CONNECT_FORCE, 3 * (size_t)sap->model->nconnect, &memory));
    memset(memory, 0, 3 * (size_t)sap->model->nconnect * sizeof *memory);
    for (int n = 0; n < sap->model->nconnect; ++n) {
        for (int k = 0; k < sap->model->connect[n].npoint; ++k, ++at) {
            double force[3];
            force_of(sap, n, at, force);
            for (int i = 0; i < 3; ++i) {
                memory[3 * n + i] += force[i];
            }
        }
    }
    return BRN_OK;
}
