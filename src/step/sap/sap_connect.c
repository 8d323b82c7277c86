/* Connections of bodies (model/model.h): points that coincide or stay at a distance, constraints that hold. About the velocities u0 that the
   problem starts from, with the offset g0 of the points where these lead,

       gamma = -(g + tau dg/dt) h k,    g = g0 + h J (u - u0),    dg/dt = J u,

   or as stiff as the step allows. J and the direction of the impulse are those of the start of the step, g0 is that of its end: this is SHAKE
   [Ryckaert, Ciccotti, Berendsen 1977], which keeps momenta exactly and lets energy swing about the right one, by half of what
   gravity does in a step, but not drift. A step that gains more than it may is repeated with J as of the end, which takes energy.

   For the midpoint rule J is that of half-way. With it the rate at which an offset grows changes its sign in every step, so that what is
   stiff never comes to rest. Instead of g = 0 at the end, J u = -g/(2 h) + (dg/dt)/4 at the start is asked for, which takes both to 0 in
   two steps. */
#include "linalg/dense.h"
#include "step/newton_inner.h"
#include "step/sap/sap.h"

#include <math.h>
#include <string.h>

/* Of the length: points nearer than this have no direction. */
static const double TINY = 1e-9;

/* Light bodies that carry a heavy one: a connection gives as if they were no lighter than 1/LIGHT of the heaviest that is connected with them, so
   that it stretches by no more than h^2 g/4 under its weight; but no less than by STIFF of what they are, which rounding allows. */
static const double LIGHT = 1000.0;
static const double STIFF = 1e-7;

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

/* The body of an anchor if it can move; -1: it cannot. */
static int mover_of(const brn_sap *sap, const brn_anchor *anchor)
{
    return anchor->count > 0 && anchor->body >= 0 && sap->model->body[anchor->body].type != BRN_BODY_STATIC
               ? anchor->body
               : -1;
}

/* Spreads the largest mass over all that is connected: forwards and backwards along the list until nothing changes. */
static void spread(brn_sap *sap, double *heaviest)
{
    const int count = sap->model->nconnect;
    bool changed = true;
    for (int pass = 0; changed && pass <= sap->model->nbody; ++pass) {
        changed = false;
        for (int k = 0; k < 2 * count; ++k) {
            const brn_connection *connect = &sap->model->connect[k < count ? k : 2 * count - 1 - k];
            const int a = mover_of(sap, &connect->point[0][0]);
            const int b = mover_of(sap, &connect->point[0][1]);
            if (a >= 0 && b >= 0 && heaviest[a] != heaviest[b]) {
                heaviest[a] = heaviest[b] = fmax(heaviest[a], heaviest[b]);
                changed = true;
            }
        }
    }
}

brn_status brn_sap_make_connections(brn_sap *sap)
{
    const brn_model *model = sap->model;
    double *heaviest = NULL;
    BRN_ALLOC(sap->ctx, sap->towards, model->nconnect + 1);
    BRN_ALLOC(sap->ctx, sap->carried, model->nconnect + 1);
    BRN_ALLOC(sap->ctx, heaviest, model->nbody + 1);
    for (int b = 0; b < model->nbody; ++b) {
        heaviest[b] = model->body[b].mass;
    }
    spread(sap, heaviest);
    for (int n = 0; n < model->nconnect; ++n) {
        for (int side = 0; side < 2; ++side) {
            const int body = mover_of(sap, &model->connect[n].point[0][side]);
            sap->carried[n] = body >= 0 ? fmax(sap->carried[n], heaviest[body]) : sap->carried[n];
        }
    }
    brn_free(sap->ctx, heaviest);
    return BRN_OK;
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

void brn_sap_add_anchor(brn_sap *sap, brn_sap_constraint *c, const brn_anchor *anchor, double sign)
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

/* Offset of the first anchor from the second: at the start, its rate there, and where u leads. */
typedef struct offset {
    double start[3], rate[3], end[3];
} offset;

static void add_offset(const brn_sap *sap, const brn_anchor *anchor, double sign, offset *out)
{
    const brn_controls *controls = sap->system->controls;
    double start[3];
    double end[3];
    double rate[3] = {0.0};
    brn_controls_anchor(controls, anchor, sap->from, sap->t, start);
    brn_controls_anchor(controls, anchor, sap->from, sap->t + sap->h, end); /* as obstacles move it */
    if (anchor->hold >= 0) {
        brn_controls_carry(controls, anchor->hold, anchor->rest, sap->t, NULL, rate);
    }
    for (int k = 0; k < anchor->count; ++k) {
        const double *y = &sap->newton->y[sap->model->node_row[anchor->node[k]] * sap->model->dim];
        for (int i = 0; i < sap->model->dim; ++i) {
            end[i] += anchor->weight[k] * y[i];
            rate[i] += anchor->weight[k] * sap->speed[3 * anchor->node[k] + i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        out->start[i] += sign * start[i];
        out->rate[i] += sign * rate[i];
        out->end[i] += sign * end[i];
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

/* The length and its rates instead of the offset, times sign. */
static void measure(const brn_connection *connect, double towards[3], offset *o)
{
    const double length = sqrt(brn_dense_dot3(o->start, o->start));
    const bool lost = !(length > TINY * connect->length);
    const double sign = connect->slack ? -1.0 : 1.0;
    for (int i = 0; i < 3; ++i) {
        towards[i] = sign * (lost ? i == 0 : o->start[i] / length);
    }
    o->start[0] = sign * (length - connect->length);
    o->rate[0] = brn_dense_dot3(towards, o->rate);
    o->end[0] = sign * (sqrt(brn_dense_dot3(o->end, o->end)) - connect->length);
}

/* What is left of the law once J and the offset are known. */
static void set_law(brn_sap *sap, int number, brn_sap_constraint *c, const offset *o)
{
    const brn_connection *connect = &sap->model->connect[number];
    const double h = sap->h;
    const double lag = h + (connect->slack && o->end[0] > 0.0 ? 0.0 : connect->relaxation);
    const bool settles = sap->share > 1.0 && !connect->slack && isinf(connect->stiffness);
    double w = 0.0;
    for (int r = 0; r < c->rows; ++r) {
        c->target[r] = (h * speed_of(sap, c, r) - o->end[r]) / lag;
        c->target[r] += settles ? 0.5 * o->start[r] / h + 0.25 * o->rate[r] : 0.0;
        w += brn_sap_weight_of(sap, c, r) / c->rows;
    }
    const double light = fmax(STIFF * w, fmin(w, LIGHT / sap->carried[number]));
    c->r = fmax(brn_sap_held(light), 1.0 / (h * lag * connect->stiffness));
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
    brn_sap_constraint *c = &sap->constraint[sap->nat + sap->njoint++];
    offset o = {.start = {0.0}};
    *c = (brn_sap_constraint){.kind = BRN_SAP_EQUALITY, .rows = sap->model->dim, .first = sap->nblock};
    for (int k = 0; k < 2; ++k) {
        brn_sap_add_anchor(sap, c, &connect->point[point][k], k == 0 ? 1.0 : -1.0);
        add_offset(sap, &connect->point[point][k], k == 0 ? 1.0 : -1.0, &o);
    }
    sap->nblock += c->count;
    if (connect->type == BRN_CONNECT_DISTANCE) {
        measure(connect, sap->towards[number], &o);
        contract(sap, c, sap->towards[number]);
        c->kind = connect->slack ? BRN_SAP_LIMIT : BRN_SAP_EQUALITY;
    }
    set_law(sap, number, c, &o);
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

double brn_sap_connections_store(const brn_sap *sap, const brn_state *state, double t)
{
    double sum = 0.0;
    for (int n = 0; n < sap->model->nconnect; ++n) {
        const brn_connection *connect = &sap->model->connect[n];
        for (int k = 0; k < connect->npoint && !isinf(connect->stiffness); ++k) {
            double end[2][3];
            double off[3];
            for (int side = 0; side < 2; ++side) {
                brn_controls_anchor(sap->system->controls, &connect->point[k][side], state->node_pos, t,
                                    end[side]);
            }
            for (int i = 0; i < 3; ++i) {
                off[i] = end[0][i] - end[1][i];
            }
            const double longer = sqrt(brn_dense_dot3(off, off)) - connect->length;
            sum += connect->slack && longer < 0.0 ? 0.0 : 0.5 * connect->stiffness * longer * longer;
        }
    }
    return sum;
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
    const int end = sap->hand >= 0 ? sap->hand : sap->nat + sap->njoint;
    for (at = sap->taut_first; at < end; ++at) {
        for (int r = 0; r < sap->constraint[at].rows; ++r) {
            more += sap->impulse[3 * at + r] * speed_of(sap, &sap->constraint[at], r);
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
