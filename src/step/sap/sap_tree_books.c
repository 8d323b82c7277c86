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
            sum += sap->h * (t->force[i] - t->weight[i]) * u -
                   0.5 * joint->armature * (v1[i] * v1[i] - v0[i] * v0[i]);
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

/* wrench [nlink][6] of each link, about the origin: what its bodies gained in momentum and no force on them explains, and what hangs on it
   needs, came through its joint. Of a cluster the first link's alone. */
static void find_wrenches(const brn_sap *sap, const brn_sap_tree *t, const brn_state *in,
                          const brn_state *out, double place, double *wrench)
{
    const brn_model *model = sap->model;
    const brn_newton *n = sap->newton;
    const brn_tree *tree = t->robot->tree;
    memset(wrench, 0, 6 * (size_t)tree->nlink * sizeof *wrench);
    for (int k = 0; k < sap->nrigid; ++k) {
        const brn_sap_rigid *r = &sap->rigid[k];
        for (int p = 0; p < 4 && r->tree == t->index; ++p) {
            const int node = model->body[r->body].handle + p;
            const double rate = model->node_mass[node] / sap->h;
            double *to = &wrench[6 * model->body[r->body].link];
            double x[3];
            double f[3];
            for (int i = 0; i < 3; ++i) {
                const int dof = 3 * (r->handle_row + p) + i;
                x[i] = place * out->node_pos[3 * node + i] + (1.0 - place) * in->node_pos[3 * node + i];
                f[i] = n->inertia[dof] + model->node_mass[node] * sap->system->controls->gravity[i];
            }
            add_momentum(rate, &out->node_pos[3 * node], &out->node_vel[3 * node], 1.0, to);
            add_momentum(rate, &in->node_pos[3 * node], &in->node_vel[3 * node], -1.0, to);
            add_momentum(1.0, x, f, -1.0, to);
        }
    }
    for (int link = tree->nlink - 1; link >= 0; --link) {
        const int parent = tree->link[link].joint.parent;
        const int on = parent >= 0 ? t->robot->cluster[parent] : -1;
        for (int i = 0; i < 6 && on >= 0 && t->robot->cluster[link] == link; ++i) {
            wrench[6 * on + i] += wrench[6 * link + i];
        }
    }
}

/* What links need through joints on the world comes from there; a floating one gives nothing. */
static void add_base(const brn_sap *sap, const brn_sap_tree *t, const double *wrench, brn_books *books)
{
    const brn_tree *tree = t->robot->tree;
    for (int link = 0; link < tree->nlink; ++link) {
        const int parent = tree->link[link].joint.parent;
        const bool hangs = t->robot->cluster[link] == link && (parent < 0 || t->robot->cluster[parent] < 0);
        for (int i = 0; i < 6 && hangs && tree->link[link].joint.kind != BRN_JOINT_FLOATING; ++i) {
            books->base_impulse[i] += sap->h * wrench[6 * link + i];
        }
    }
}

/* Forces of the drives, for each velocity. */
static void find_efforts(const brn_sap *sap, const brn_sap_tree *t, double *effort)
{
    const brn_robot_model *robot = t->robot;
    int at = t->drive_first;
    memset(effort, 0, (size_t)robot->tree->nq * sizeof *effort);
    for (int k = 0; k < robot->ndrive; ++k) {
        const brn_drive *drive = &robot->drive[k];
        double *to = &effort[robot->tree->v_first[drive->link]];
        if (brn_sap_drive_constrains(sap, drive)) {
            *to += sap->impulse[3 * at++] / sap->h;
        }
        *to += brn_sap_drive_force(sap, t, k);
    }
}

brn_status brn_sap_remember_joints(const brn_sap *sap, brn_state *out, double **effort, double **wrench)
{
    if (sap->ntree == 0) {
        return BRN_OK;
    }
    BRN_TRY(brn_state_remember(out, BRN_ROBOT_EFFORT, (size_t)sap->model->njoint, effort));
    return brn_state_remember(out, BRN_ROBOT_WRENCH, 6 * (size_t)sap->model->nlink, wrench);
}

brn_status brn_sap_book_joints(const brn_sap *sap, const brn_state *in, brn_state *out, brn_books *books)
{
    double *effort = NULL;
    double *wrench = NULL;
    BRN_TRY(brn_sap_remember_joints(sap, out, &effort, &wrench));
    for (int k = 0; k < sap->ntree; ++k) {
        const brn_sap_tree *t = &sap->tree[k];
        double lost = 0.0;
        const double driven = smooth_work(sap, t, in, out, &lost) +
                              impulses_work(sap, t->drive_first, t->drive_first + t->ndrive);
        lost -= impulses_work(sap, t->drive_first + t->ndrive, t->joint_end);
        books->drive_work += driven;
        books->dissipated += lost;
        books->moved += driven - lost;
        double *own = &wrench[6 * t->robot->link_first];
        find_wrenches(sap, t, in, out, books->place, own);
        find_efforts(sap, t, &effort[t->robot->v_first]);
        add_base(sap, t, own, books);
    }
    return BRN_OK;
}
