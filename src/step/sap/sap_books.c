/* What robots add to the books: work of drives, losses in joints, and what their bases take up. */
#include "linalg/dense.h"
#include "step/sap/sap.h"

#include <string.h>

/* [J] Work of the impulses of joint constraints from one up to another. */
static double impulses_work(const brn_sap *sap, int first, int end)
{
    double sum = 0.0;
    for (int i = first; i < end; ++i) {
        const brn_sap_constraint *c = &sap->constraint[i];
        for (int k = c->first; k < c->first + c->count; ++k) {
            for (int j = 0; j < 3 * c->rows; ++j) {
                sum +=
                    sap->impulse[3 * i + j / 3] * sap->block[k].j[j] * sap->u[3 * sap->block[k].row + j % 3];
            }
        }
    }
    return sum;
}

/* [J] Drives, springs, and what the inertia of drives takes; *lost: by damping. Weight is no work of theirs. */
static double smooth_work(const brn_sap *sap, const brn_sap_tree *t, const brn_state *in,
                          const brn_state *out, double *lost)
{
    const brn_tree *tree = t->robot->tree;
    const double *v0 = &in->joint_vel[t->robot->v_first];
    const double *v1 = &out->joint_vel[t->robot->v_first];
    double sum = 0.0;
    for (int link = 0; link < tree->nlink; ++link) {
        const brn_joint *joint = &tree->link[link].joint;
        for (int i = tree->v_first[link]; i < tree->v_first[link + 1]; ++i) {
            const double u = sap->u[3 * t->row + i];
            *lost += sap->h * joint->damping * u * u;
            sum += sap->h * t->force[i] * u - 0.5 * joint->armature * (v1[i] * v1[i] - v0[i] * v0[i]);
        }
    }
    for (int k = 0; k < t->robot->nspring; ++k) {
        const double u = sap->u[3 * t->row + tree->v_first[t->robot->spring[k].link]];
        sum -= sap->h * sap->h * t->robot->spring[k].stiffness * u * u;
    }
    return sum;
}

/* Adds sign m v of a node and its moment. */
static void add_momentum(double mass, const double *x, const double *v, double sign, double total[6])
{
    double turn[3];
    brn_dense_cross3(x, v, turn);
    for (int i = 0; i < 3; ++i) {
        total[i] += sign * mass * v[i];
        total[3 + i] += sign * mass * turn[i];
    }
}

/* What the momenta of the links gained and no force on them explains came through the joint on the world. */
static void add_base(const brn_sap *sap, const brn_sap_tree *t, const brn_state *in, const brn_state *out,
                     brn_books *books)
{
    const brn_model *model = sap->model;
    const brn_newton *n = sap->newton;
    for (int k = 0; k < sap->nrigid; ++k) {
        const brn_sap_rigid *r = &sap->rigid[k];
        for (int p = 0; p < 4 && r->tree == t->index; ++p) {
            const int node = model->body[r->body].handle + p;
            const double mass = model->node_mass[node];
            double x[3];
            double f[3];
            for (int i = 0; i < 3; ++i) {
                const int dof = 3 * (r->handle_row + p) + i;
                x[i] = books->place * out->node_pos[3 * node + i] +
                       (1.0 - books->place) * in->node_pos[3 * node + i];
                f[i] = n->inertia[dof] + mass * sap->system->controls->gravity[i];
            }
            add_momentum(mass, &out->node_pos[3 * node], &out->node_vel[3 * node], 1.0, books->base_impulse);
            add_momentum(mass, &in->node_pos[3 * node], &in->node_vel[3 * node], -1.0, books->base_impulse);
            add_momentum(sap->h, x, f, -1.0, books->base_impulse);
        }
    }
}

static bool floats(const brn_tree *tree)
{
    bool all = true;
    for (int i = 0; i < tree->nlink; ++i) {
        all = all && (tree->link[i].joint.parent >= 0 || tree->link[i].joint.kind == BRN_JOINT_FLOATING);
    }
    return all;
}

void brn_sap_book_joints(const brn_sap *sap, const brn_state *in, const brn_state *out, brn_books *books)
{
    for (int k = 0; k < sap->ntree; ++k) {
        const brn_sap_tree *t = &sap->tree[k];
        double lost = 0.0;
        const double driven = smooth_work(sap, t, in, out, &lost) +
                              impulses_work(sap, t->drive_first, t->drive_first + t->ndrive);
        lost -= impulses_work(sap, t->drive_first + t->ndrive, t->joint_end);
        books->drive_work += driven;
        books->dissipated += lost;
        books->moved += driven - lost;
        if (!floats(t->robot->tree)) {
            add_base(sap, t, in, out, books);
        }
    }
}
