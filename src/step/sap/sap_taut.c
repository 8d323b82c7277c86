/* Connections that pull turn bodies back: with the force f on a point with arm a, a rotation by w meets the torque -K w,

       K = (f . a) 1 - (f a' + a f')/2,

   and a rope of length l with tension T a shift across it with T/l. SHAKE takes them at the start of the step, which is stable as long as
   q = h^2 K / inertia is below 4: light links that carry a heavy load need short steps. Where q is above 1 the part

       theta h^2 K,   theta = (1 - 1/q)/4,

   is added to the inertia against changes of velocity, Newmark's rule of constant acceleration in the limit: stable for every q, without loss.
   Forces are those of the last step. Of a rope theta is twice that: what it carries may double within a step. Each is a constraint with the
   impulse theta h^2 K (v0 - v). */
#include "linalg/dense.h"
#include "step/newton.h"
#include "step/sap/sap.h"

#include <math.h>
#include <string.h>

static const double TURNING = 0.25, SHIFT = 0.5;

void brn_sap_taut_room(const brn_sap *sap, size_t *constraints, size_t *blocks)
{
    if (sap->model->nconnect > 0) {
        *constraints += (size_t)sap->nrigid + (size_t)sap->model->nconnect;
        *blocks += (size_t)sap->nrigid + 4 * (size_t)sap->model->nconnect;
    }
}

/* The force of a point of a connection on its first body in the last step. */
static void last_force(const brn_sap *sap, int number, double force[3])
{
    for (int i = 0; i < 3; ++i) {
        force[i] = sap->pulled[3 * number + i] / sap->model->connect[number].npoint;
    }
}

/* The rigid body that moves freely and an anchor is on, and where; NULL: there is none. */
static brn_sap_rigid *body_of(const brn_sap *sap, const brn_anchor *anchor, double arm[3])
{
    const int row = anchor->count > 0 ? sap->model->node_row[anchor->node[0]] : -1;
    brn_sap_rigid *r = row >= 0 && sap->row_rigid[row] >= 0 ? &sap->rigid[sap->row_rigid[row]] : NULL;
    memset(arm, 0, 3 * sizeof *arm);
    if (r == NULL || r->tree >= 0) {
        return NULL;
    }
    for (int k = 0; k < anchor->count; ++k) {
        for (int i = 0; i < 3; ++i) {
            arm[i] += anchor->weight[k] * r->arm[k][i];
        }
    }
    return r;
}

/* Adds K of a point to those of the body that it is on. */
static void add_stiffness(brn_sap *sap, const brn_anchor *anchor, const double force[3])
{
    double arm[3];
    brn_sap_rigid *r = body_of(sap, anchor, arm);
    if (r == NULL) {
        return;
    }
    const double along = brn_dense_dot3(force, arm);
    for (int i = 0; i < 9; ++i) {
        const int a = i / 3;
        const int b = i % 3;
        r->taut[i] += (a == b ? along : 0.0) - 0.5 * (force[a] * arm[b] + force[b] * arm[a]);
    }
}

/* theta h^2 K for a stiffness and an inertia; theta: its limit. */
static double added(const brn_sap *sap, double theta, double stiffness, double inertia)
{
    const double q = sap->h * sap->h * stiffness / inertia;
    return q > 1.0 ? theta * (1.0 - 1.0 / q) * sap->h * sap->h * stiffness : 0.0;
}

/* The axes of K: rows with the square root of what is added there. Returns whether there is anything. */
static bool find_axes(const brn_sap *sap, const brn_sap_rigid *r, double rows[9])
{
    double k[9];
    double w[3] = {0.0};
    double q[9];
    memset(rows, 0, 9 * sizeof *rows);
    if (sap->model->dim == 2) {
        rows[0] = sqrt(added(sap, TURNING, r->taut[8], r->inertia[8]));
        return rows[0] > 0.0;
    }
    memcpy(k, r->taut, sizeof k);
    bool any = brn_dense_eigen_sym(3, k, w, q) >= 0;
    for (int n = 0; n < 3 && any; ++n) {
        const double axis[3] = {q[n], q[3 + n], q[6 + n]};
        double turned[3];
        brn_dense_apply3(r->inertia, axis, turned);
        const double more = sqrt(added(sap, TURNING, w[n], brn_dense_dot3(axis, turned)));
        for (int i = 0; i < 3; ++i) {
            rows[3 * n + i] = more * axis[i];
        }
    }
    any = false;
    for (int i = 0; i < 9; ++i) {
        any = any || rows[i] != 0.0;
    }
    return any;
}

static void add_turning(brn_sap *sap, const brn_sap_rigid *r)
{
    const int dim = sap->model->dim;
    double rows[9];
    if (!find_axes(sap, r, rows)) {
        return;
    }
    brn_sap_constraint *c = &sap->constraint[sap->nat + sap->njoint++];
    brn_sap_block *b = &sap->block[sap->nblock];
    *c = (brn_sap_constraint){
        .kind = BRN_SAP_EQUALITY, .rows = dim == 2 ? 1 : 3, .first = sap->nblock++, .count = 1, .r = 1.0};
    *b = (brn_sap_block){.row = r->row + 1};
    memcpy(b->j, rows, sizeof rows);
    for (int i = 0; i < c->rows; ++i) {
        c->target[i] = dim == 2 ? rows[0] * r->rate[5] : brn_dense_dot3(&rows[3 * i], r->rate + 3);
    }
}

/* Directions across a unit vector; in 2D one. */
static void find_across(int dim, const double e[3], double across[2][3])
{
    int least = 0;
    double axis[3] = {0.0};
    for (int i = 1; i < 3; ++i) {
        least = fabs(e[i]) < fabs(e[least]) ? i : least;
    }
    axis[dim == 2 ? 2 : least] = 1.0;
    brn_dense_cross3(e, axis, across[0]);
    const double length = sqrt(brn_dense_dot3(across[0], across[0]));
    for (int i = 0; i < 3; ++i) {
        across[0][i] /= length;
    }
    brn_dense_cross3(e, across[0], across[1]);
}

/* The rows along the axes become those across; target: the velocities there of the free motion, sum of those of both anchors. */
static void turn_rows(const brn_sap *sap, brn_sap_constraint *c, double across[2][3], const double free[3])
{
    const int dim = sap->model->dim;
    c->rows = dim - 1;
    for (int k = c->first; k < c->first + c->count; ++k) {
        double j[9] = {0.0};
        for (int i = 0; i < c->rows * dim * dim; ++i) {
            const int r = i / (dim * dim);
            const int a = i / dim % dim;
            j[r * dim + i % dim] += across[r][a] * sap->block[k].j[a * dim + i % dim];
        }
        memcpy(sap->block[k].j, j, sizeof j);
    }
    for (int r = 0; r < c->rows; ++r) {
        c->target[r] = brn_dense_dot3(across[r], free);
    }
}

/* Of a rope or rod that pulls, between rigid bodies or one and what is fixed: light beads on it would swing faster than steps can follow. */
static void add_shift(brn_sap *sap, int number)
{
    const brn_connection *connect = &sap->model->connect[number];
    const double *force = &sap->pulled[3 * number];
    double free[3] = {0.0};
    double e[3] = {0.0};
    bool rigid = connect->type == BRN_CONNECT_DISTANCE;
    for (int side = 0; side < 2 && rigid; ++side) {
        const brn_anchor *anchor = &connect->point[0][side];
        const double sign = side == 0 ? 1.0 : -1.0;
        double arm[3];
        double place[3];
        const brn_sap_rigid *r = body_of(sap, anchor, arm);
        brn_controls_anchor(sap->system->controls, anchor, sap->from, sap->t, place);
        rigid = r != NULL || anchor->count == 0;
        for (int i = 0; i < 3; ++i) {
            e[i] += sign * place[i];
        }
        if (r != NULL) {
            double turned[3];
            brn_dense_cross3(r->rate + 3, arm, turned);
            for (int i = 0; i < 3; ++i) {
                free[i] += sign * (r->rate[i] + turned[i]);
            }
        }
    }
    const double length = sqrt(brn_dense_dot3(e, e));
    const double tension = -brn_dense_dot3(force, e) / length;
    if (!rigid || !(tension > 0.0)) {
        return;
    }
    brn_sap_constraint *c = &sap->constraint[sap->nat + sap->njoint];
    double across[2][3];
    double w = 0.0;
    *c = (brn_sap_constraint){
        .kind = BRN_SAP_EQUALITY, .rows = sap->model->dim, .first = sap->nblock, .count = 0};
    brn_sap_add_anchor(sap, c, &connect->point[0][0], 1.0);
    brn_sap_add_anchor(sap, c, &connect->point[0][1], -1.0);
    for (int i = 0; i < 3; ++i) {
        e[i] /= length;
    }
    find_across(sap->model->dim, e, across);
    turn_rows(sap, c, across, free);
    for (int r = 0; r < c->rows; ++r) {
        w += brn_sap_weight_of(sap, c, r) / c->rows;
    }
    const double more = w > 0.0 ? added(sap, SHIFT, tension / length, 1.0 / w) : 0.0;
    if (more > 0.0) {
        c->r = 1.0 / more;
        sap->nblock += c->count;
        sap->njoint++;
    }
}

void brn_sap_constrain_taut(brn_sap *sap)
{
    sap->taut_first = sap->nat + sap->njoint;
    if (sap->pulled == NULL) {
        return;
    }
    for (int k = 0; k < sap->nrigid; ++k) {
        memset(sap->rigid[k].taut, 0, sizeof sap->rigid[k].taut);
    }
    for (int n = 0; n < sap->model->nconnect; ++n) {
        const brn_connection *connect = &sap->model->connect[n];
        double force[3];
        last_force(sap, n, force);
        for (int k = 0; k < connect->npoint; ++k) {
            const double back[3] = {-force[0], -force[1], -force[2]};
            add_stiffness(sap, &connect->point[k][0], force);
            add_stiffness(sap, &connect->point[k][1], back);
        }
    }
    for (int k = 0; k < sap->nrigid; ++k) {
        if (sap->rigid[k].tree < 0) {
            add_turning(sap, &sap->rigid[k]);
        }
    }
    for (int n = 0; n < sap->model->nconnect; ++n) {
        add_shift(sap, n);
    }
}
