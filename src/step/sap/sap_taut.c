/* Connections that pull turn bodies back: with the force f on a point with arm a, a rotation by w meets the torque -K w,

       K = (f . a) 1 - (f a' + a f')/2,

   and a rope of length l with tension T a shift across it with T/l. SHAKE takes them at the start of the step, which is stable as long as
   q = h^2 K / inertia is below 4: light links that carry a heavy load need short steps. Where q is above 1 the part

       theta h^2 K,   theta = (1 - 1/q)/4,

   is added to the inertia against changes of velocity, Newmark's rule of constant acceleration in the limit: stable for every q, without loss.
   Forces are those of the last step. Each is a constraint with the impulse theta h^2 K (v0 - v). */
#include "linalg/dense.h"
#include "step/newton.h"
#include "step/sap/sap.h"

#include <math.h>
#include <string.h>

void brn_sap_taut_room(const brn_sap *sap, size_t *constraints, size_t *blocks)
{
    if (sap->model->nconnect > 0) {
        *constraints += (size_t)sap->nrigid;
        *blocks += (size_t)sap->nrigid;
    }
}

/* The force of a point of a connection on its first body in the last step. */
static void last_force(const brn_sap *sap, int number, double force[3])
{
    for (int i = 0; i < 3; ++i) {
        force[i] = sap->pulled[3 * number + i] / sap->model->connect[number].npoint;
    }
}

/* Adds K of a point to those of the body that it is on. */
static void add_stiffness(brn_sap *sap, const brn_anchor *anchor, const double force[3])
{
    const int row = anchor->count > 0 ? sap->model->node_row[anchor->node[0]] : -1;
    brn_sap_rigid *r = row >= 0 && sap->row_rigid[row] >= 0 ? &sap->rigid[sap->row_rigid[row]] : NULL;
    double arm[3] = {0.0};
    if (r == NULL || r->tree >= 0) {
        return;
    }
    for (int k = 0; k < anchor->count; ++k) {
        for (int i = 0; i < 3; ++i) {
            arm[i] += anchor->weight[k] * r->arm[k][i];
        }
    }
    const double along = brn_dense_dot3(force, arm);
    for (int i = 0; i < 9; ++i) {
        const int a = i / 3;
        const int b = i % 3;
        r->taut[i] += (a == b ? along : 0.0) - 0.5 * (force[a] * arm[b] + force[b] * arm[a]);
    }
}

/* theta h^2 K for a stiffness and an inertia. */
static double added(const brn_sap *sap, double stiffness, double inertia)
{
    const double q = sap->h * sap->h * stiffness / inertia;
    return q > 1.0 ? 0.25 * (1.0 - 1.0 / q) * sap->h * sap->h * stiffness : 0.0;
}

/* The axes of K: rows with the square root of what is added there. Returns whether there is anything. */
static bool find_axes(const brn_sap *sap, const brn_sap_rigid *r, double rows[9])
{
    double k[9];
    double w[3] = {0.0};
    double q[9];
    memset(rows, 0, 9 * sizeof *rows);
    if (sap->model->dim == 2) {
        rows[0] = sqrt(added(sap, r->taut[8], r->inertia[8]));
        return rows[0] > 0.0;
    }
    memcpy(k, r->taut, sizeof k);
    bool any = brn_dense_eigen_sym(3, k, w, q) >= 0;
    for (int n = 0; n < 3 && any; ++n) {
        const double axis[3] = {q[n], q[3 + n], q[6 + n]};
        double turned[3];
        brn_dense_apply3(r->inertia, axis, turned);
        const double more = sqrt(added(sap, w[n], brn_dense_dot3(axis, turned)));
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
}
