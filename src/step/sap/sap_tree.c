/* Robots: a tree's joint velocities in block rows of three, the last padded. Links move as their joints do; contacts and elements act on
   the handles of their bodies and so, by the Jacobian of the handles, on the joints.

   Without forces a tree coasts (phys/rigid/tree_coast.h): at a mean rate to an end with a velocity. Impulses add to both,

       share M (u - rate) = impulses,    v^{n+1} = end + share (u - rate),

   with share 1, or 2 for the midpoint rule, where a force moves half as far as it speeds up. Inertia and the directions of forces are taken
   where the free motion ends, with the midpoint rule half-way. Weight is one of the forces, or part of the free motion with
   the midpoint rule. */
#include "linalg/dense.h"
#include "phys/rigid/tree_coast.h"
#include "step/sap/sap.h"

#include <string.h>

/* ---- making ----------------------------------------------------------------------------------------------------------------- */

void brn_sap_tree_destroy(brn_ctx *ctx, brn_sap_tree *t)
{
    brn_tree_motion_destroy(t->start);
    brn_tree_motion_destroy(t->now);
    void *arrays[] = {t->numbers, t->path_first, t->path};
    for (int i = 0; i < BRN_COUNT(arrays); ++i) {
        brn_free(ctx, arrays[i]);
    }
}

/* The blocks of joints that move each link, ascending. */
static brn_status list_paths(brn_ctx *ctx, brn_sap_tree *t)
{
    const brn_tree *tree = t->robot->tree;
    BRN_ALLOC(ctx, t->path_first, tree->nlink + 1);
    BRN_ALLOC(ctx, t->path, (size_t)tree->nlink * (size_t)t->nrow + 1);
    for (int i = 0; i < tree->nlink; ++i) {
        int *own = &t->path[t->path_first[i]];
        int count = 0;
        for (int k = 0; k < t->nrow; ++k) {
            bool on = false;
            for (int link = i; link >= 0 && !on; link = tree->link[link].joint.parent) {
                on = tree->v_first[link] < 3 * k + 3 && tree->v_first[link + 1] > 3 * k;
            }
            if (on) {
                own[count++] = k;
            }
        }
        if (count > BRN_SAP_PATH_MAX) {
            return brn_fail(ctx, BRN_ERR_LIMIT, "robot '%s': link '%s' hangs on more than %d joints",
                            t->robot->name, t->robot->link_name[i], 3 * (int)BRN_SAP_PATH_MAX);
        }
        t->path_first[i + 1] = t->path_first[i] + count;
    }
    return BRN_OK;
}

brn_status brn_sap_make_tree(brn_sap *sap, const brn_robot_model *robot, brn_sap_tree *t)
{
    const brn_tree *tree = robot->tree;
    const size_t nv = (size_t)tree->nv;
    t->robot = robot;
    t->nrow = (tree->nv + 2) / 3;
    BRN_TRY(brn_tree_motion_create(tree, &t->start));
    BRN_TRY(brn_tree_motion_create(tree, &t->now));
    BRN_TRY(list_paths(sap->ctx, t));
    BRN_ALLOC(sap->ctx, t->numbers, 2 * (size_t)tree->nq + nv * (5 + 6 + 2 * nv) + 1);
    double *at = t->numbers;
    double **const vectors[] = {&t->v0, &t->rate, &t->end, &t->force, &t->weight};
    t->q0 = at;
    t->q1 = t->q0 + tree->nq;
    at = t->q1 + tree->nq;
    for (int k = 0; k < BRN_COUNT(vectors); ++k, at += nv) {
        *vectors[k] = at;
    }
    t->row_of_j = at;
    t->row_of_j2 = at + 3 * nv;
    t->mass = at + 6 * nv;
    t->inertia = t->mass + nv * nv;
    return BRN_OK;
}

void brn_sap_make_link(const brn_sap *sap, const brn_sap_tree *t, brn_sap_rigid *r)
{
    const brn_body *body = &sap->model->body[r->body];
    brn_tree_place(t->robot->tree, t->robot->q0, t->start);
    for (int k = 0; k < 4; ++k) {
        brn_rigid_map_undo(&t->start->place[body->link], sap->model->rest[body->handle + k], r->rest[k]);
    }
}

/* ---- the free motion ---------------------------------------------------------------------------------------------------------- */

static bool any_speed(const double *v, int count)
{
    bool any = false;
    for (int i = 0; i < count; ++i) {
        any = any || v[i] != 0.0;
    }
    return any;
}

/* The Jacobian of the handles of a link's body, [4][path][9]. */
static void handle_jacobians(const brn_sap *sap, const brn_sap_tree *t, const brn_tree_motion *motion,
                             const brn_sap_rigid *r, double *out)
{
    const brn_tree *tree = t->robot->tree;
    const int link = sap->model->body[r->body].link;
    const int count = t->path_first[link + 1] - t->path_first[link];
    for (int p = 0; p < 4; ++p) {
        double point[3];
        brn_rigid_map_apply(&motion->place[link], r->rest[p], point);
        brn_tree_jacobian(tree, motion, link, point, t->row_of_j, NULL);
        for (int k = 0; k < count; ++k) {
            double *to = &out[(p * count + k) * 9];
            const int first = 3 * t->path[t->path_first[link] + k];
            for (int i = 0; i < 9; ++i) {
                const int dof = first + i % 3;
                to[i] = dof < tree->nv ? t->row_of_j[i / 3 * tree->nv + dof] : 0.0;
            }
        }
    }
}

/* Forces of weight, springs and motors that do not depend on u, and what does linearly: t->force and t->mass = share M + h D + h^2 K. */
static void smooth_forces(brn_sap *sap, brn_sap_tree *t, const double gravity[3])
{
    const brn_tree *tree = t->robot->tree;
    const int nv = tree->nv;
    const double share = sap->share;
    memset(t->force, 0, (size_t)nv * sizeof *t->force);
    brn_tree_move(tree, t->force, t->now); /* the bias of a tree at rest is its weight */
    brn_tree_inverse(tree, t->now, NULL, gravity, t->weight);
    for (int i = 0; i < nv; ++i) {
        t->weight[i] = -t->weight[i];
        t->force[i] = t->weight[i];
    }
    brn_tree_mass(tree, t->now, t->inertia);
    for (int i = 0; i < nv * nv; ++i) {
        t->inertia[i] *= share;
        t->mass[i] = t->inertia[i];
    }
    for (int link = 0; link < tree->nlink; ++link) {
        for (int i = tree->v_first[link]; i < tree->v_first[link + 1]; ++i) {
            t->mass[i * (nv + 1)] += sap->h * tree->link[link].joint.damping;
        }
    }
    for (int k = 0; k < t->robot->nspring; ++k) {
        const brn_joint_spring *spring = &t->robot->spring[k];
        const int i = tree->v_first[spring->link];
        t->mass[i * (nv + 1)] += sap->h * sap->h * spring->stiffness;
        t->force[i] += spring->stiffness * (spring->rest - t->q0[tree->q_first[spring->link]]);
    }
    for (int k = 0; k < t->robot->ndrive; ++k) {
        t->force[tree->v_first[t->robot->drive[k].link]] += brn_sap_drive_force(sap, t, k);
    }
}

brn_status brn_sap_coast_tree(brn_sap *sap, const brn_state *in, brn_sap_tree *t)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    const brn_robot_model *robot = t->robot;
    const brn_tree *tree = robot->tree;
    const size_t bytes = (size_t)tree->nv * sizeof(double);
    const bool midpoint = sap->share != 1.0;
    const double *gravity = sap->system->controls->gravity;
    memcpy(t->q0, &in->joint_pos[robot->q_first], (size_t)tree->nq * sizeof *t->q0);
    memcpy(t->v0, &in->joint_vel[robot->v_first], bytes);
    memcpy(t->end, t->v0, bytes);
    memset(t->rate, 0, bytes);
    if (midpoint || any_speed(t->v0, tree->nv)) {
        BRN_TRY(brn_tree_coast(tree, t->now, t->q0, t->v0, midpoint ? gravity : none, sap->h, t->q1, t->end));
        brn_tree_between(tree, t->q0, t->q1, sap->h, t->rate);
    }
    brn_tree_place(tree, t->q0, t->start);
    brn_tree_advance(tree, t->q0, t->rate, 0.5 * sap->h, t->q1);
    brn_tree_place(tree, t->q1, t->now);
    for (int k = 0; k < sap->nrigid; ++k) {
        brn_sap_rigid *r = &sap->rigid[k];
        if (r->tree == t->index) {
            handle_jacobians(sap, t, t->now, r, r->j_half);
        }
    }
    if (!midpoint) {
        brn_tree_advance(tree, t->q0, t->rate, sap->h, t->q1);
        brn_tree_place(tree, t->q1, t->now);
    }
    smooth_forces(sap, t, midpoint ? none : gravity);
    return BRN_OK;
}

/* ---- in the problem ------------------------------------------------------------------------------------------------------------ */

void brn_sap_write_tree(const brn_sap_tree *t, const double *v, double *u)
{
    for (int i = 0; i < 3 * t->nrow; ++i) {
        u[3 * t->row + i] = i < t->robot->tree->nv ? v[i] : 0.0;
    }
}

void brn_sap_place_tree(brn_sap *sap, brn_sap_tree *t)
{
    const brn_tree *tree = t->robot->tree;
    brn_tree_advance(tree, t->q0, &sap->u[3 * t->row], sap->h, t->q1);
    brn_tree_place(tree, t->q1, t->now);
    for (int k = 0; k < sap->nrigid; ++k) {
        const brn_sap_rigid *r = &sap->rigid[k];
        const brn_body *body = &sap->model->body[r->body];
        if (r->tree != t->index) {
            continue;
        }
        handle_jacobians(sap, t, t->now, r, r->j_now);
        for (int p = 0; p < 4; ++p) {
            double x[3];
            brn_rigid_map_apply(&t->now->place[body->link], r->rest[p], x);
            for (int i = 0; i < 3; ++i) {
                sap->newton->y[(r->handle_row + p) * 3 + i] = x[i] - sap->from[3 * (body->handle + p) + i];
            }
        }
    }
}

/* inertia (u - rate) */
static double kick(const brn_sap *sap, const brn_sap_tree *t, int i)
{
    const int nv = t->robot->tree->nv;
    double sum = 0.0;
    for (int j = 0; j < nv; ++j) {
        sum += t->inertia[i * nv + j] * (sap->u[3 * t->row + j] - t->rate[j]);
    }
    return sum;
}

void brn_sap_tree_gradient(brn_sap *sap, brn_sap_tree *t)
{
    const int nv = t->robot->tree->nv;
    const double *u = &sap->u[3 * t->row];
    double *to = &sap->gradient[3 * t->row];
    memset(to, 0, 3 * (size_t)t->nrow * sizeof *to);
    for (int i = 0; i < nv; ++i) {
        to[i] = kick(sap, t, i) - sap->h * t->force[i] +
                (t->mass[i * (nv + 1)] - t->inertia[i * (nv + 1)]) * u[i];
    }
    for (int k = 0; k < sap->nrigid; ++k) { /* what acts on handles, but inertia and weight */
        const brn_sap_rigid *r = &sap->rigid[k];
        if (r->tree != t->index) {
            continue;
        }
        const int *path = brn_sap_path(sap, r);
        for (int p = 0; p < 4; ++p) {
            const int dof = (r->handle_row + p) * 3;
            for (int c = 0; c < r->path; ++c) {
                const double *j = &r->j_now[(p * r->path + c) * 9];
                for (int i = 0; i < 9; ++i) {
                    to[3 * path[c] + i % 3] -= sap->h * j[i] * brn_sap_handle_force(sap, r, dof + i / 3);
                }
            }
        }
    }
}

void brn_sap_tree_matrix(brn_sap *sap, const brn_sap_tree *t)
{
    const int nv = t->robot->tree->nv;
    for (int k = 0; k < t->nrow; ++k) {
        for (int l = k; l < t->nrow; ++l) {
            const int at = brn_block_matrix_find(sap->a, t->row + k, t->row + l);
            double *to = &sap->a->value[(size_t)at * 9];
            for (int i = 0; i < 9; ++i) {
                const int a = 3 * k + i / 3;
                const int b = 3 * l + i % 3;
                to[i] += a < nv && b < nv ? t->mass[a * nv + b] : a == b ? 1.0 : 0.0;
            }
        }
    }
}

double brn_sap_tree_cost(const brn_sap *sap, const brn_sap_tree *t)
{
    const int nv = t->robot->tree->nv;
    const double *u = &sap->u[3 * t->row];
    double sum = 0.0;
    for (int i = 0; i < nv; ++i) {
        const double loss = t->mass[i * (nv + 1)] - t->inertia[i * (nv + 1)];
        sum += 0.5 * (u[i] - t->rate[i]) * kick(sap, t, i) - sap->h * t->force[i] * u[i] +
               0.5 * loss * u[i] * u[i];
    }
    return sum;
}

/* ---- the end -------------------------------------------------------------------------------------------------------------------- */

void brn_sap_pose_tree(const brn_sap *sap, brn_sap_tree *t, brn_state *state)
{
    const brn_robot_model *robot = t->robot;
    const brn_tree *tree = robot->tree;
    brn_tree_place(tree, &state->joint_pos[robot->q_first], t->now);
    brn_tree_move(tree, &state->joint_vel[robot->v_first], t->now);
    for (int k = 0; k < sap->nrigid; ++k) {
        const brn_sap_rigid *r = &sap->rigid[k];
        const brn_body *body = &sap->model->body[r->body];
        for (int p = 0; p < 4 && r->tree == t->index; ++p) {
            double *x = &state->node_pos[3 * (body->handle + p)];
            brn_rigid_map_apply(&t->now->place[body->link], r->rest[p], x);
            brn_tree_velocity_at(tree, t->now, body->link, x, &state->node_vel[3 * (body->handle + p)]);
        }
    }
}

void brn_sap_finish_tree(brn_sap *sap, brn_sap_tree *t, brn_state *out)
{
    const brn_robot_model *robot = t->robot;
    const brn_tree *tree = robot->tree;
    double *v = &out->joint_vel[robot->v_first];
    brn_tree_advance(tree, t->q0, &sap->u[3 * t->row], sap->h, &out->joint_pos[robot->q_first]);
    memset(v, 0, (size_t)tree->nq * sizeof *v);
    for (int i = 0; i < tree->nv; ++i) {
        v[i] = t->end[i] + sap->share * (sap->u[3 * t->row + i] - t->rate[i]);
    }
    brn_sap_pose_tree(sap, t, out);
}
