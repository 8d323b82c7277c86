/* Places, velocities and Jacobians of a tree. With c the root's origin, fixed in space at the moment that is looked at, and arm the
   way from c to the link's origin, a unit of a velocity about or along the axis e moves the link's points at c by

       (e, arm x e)   turning about the link's origin,        (0, e)   moving it. */
#include "linalg/dense.h"
#include "phys/rigid/tree.h"
#include "phys/rotation.h"

#include <string.h>

static brn_status motion_arrays(const brn_tree *tree, brn_tree_motion *m)
{
    BRN_ALLOC(m->ctx, m->place, tree->nlink);
    BRN_ALLOC(m->ctx, m->arm, tree->nlink);
    BRN_ALLOC(m->ctx, m->column, tree->nv);
    BRN_ALLOC(m->ctx, m->velocity, tree->nlink);
    BRN_ALLOC(m->ctx, m->matter, tree->nlink);
    BRN_ALLOC(m->ctx, m->joined, tree->nlink);
    BRN_ALLOC(m->ctx, m->change, tree->nlink);
    BRN_ALLOC(m->ctx, m->force, tree->nlink);
    return BRN_OK;
}

brn_status brn_tree_motion_create(const brn_tree *tree, brn_tree_motion **out)
{
    *out = NULL;
    brn_tree_motion *m = NULL;
    BRN_ALLOC(tree->ctx, m, 1);
    m->ctx = tree->ctx;
    const brn_status status = motion_arrays(tree, m);
    if (status < 0) {
        brn_tree_motion_destroy(m);
        return status;
    }
    *out = m;
    return BRN_OK;
}

void brn_tree_motion_destroy(brn_tree_motion *m)
{
    if (m == NULL) {
        return;
    }
    brn_ctx *ctx = m->ctx;
    brn_free(ctx, m->place);
    brn_free(ctx, m->arm);
    brn_free(ctx, m->column);
    brn_free(ctx, m->velocity);
    brn_free(ctx, m->matter);
    brn_free(ctx, m->joined);
    brn_free(ctx, m->change);
    brn_free(ctx, m->force);
    brn_free(ctx, m);
}

/* ---- places ------------------------------------------------------------------------------------------------------------------- */

/* The link in its joint's frame. */
static void joint_map(const brn_tree *tree, int i, const double *q, brn_rigid_map *out)
{
    const brn_joint_kind kind = tree->link[i].joint.kind;
    const int nv = tree->v_first[i + 1] - tree->v_first[i];
    const double(*axis)[3] = (const double(*)[3]) & tree->axis[tree->v_first[i]];
    *out = (brn_rigid_map){.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (kind == BRN_JOINT_REVOLUTE || kind == BRN_JOINT_PLANAR) {
        (void)brn_dense_rotation(axis[nv - 1], q[nv - 1], out->rotation);
    } else if (kind == BRN_JOINT_BALL || kind == BRN_JOINT_FLOATING) {
        brn_rotation_less_one(&q[nv - 3], out->rotation);
        for (int k = 0; k < 9; k += 4) {
            out->rotation[k] += 1.0;
        }
    }
    for (int k = 0; k < nv && !tree->angular[tree->v_first[i] + k]; ++k) {
        for (int j = 0; j < 3; ++j) {
            out->origin[j] += q[k] * axis[k][j];
        }
    }
}

/* A link's matter about the root's origin. */
static void set_matter(const brn_inertia *inertia, const double rotation[9], const double arm[3],
                       brn_tree_matter *out)
{
    double half[9];
    double d[3];
    brn_dense_apply3(rotation, inertia->centre, d);
    brn_dense_multiply3(rotation, inertia->about, half);
    brn_dense_multiply3_nt(half, rotation, out->about);
    out->mass = inertia->mass;
    for (int k = 0; k < 3; ++k) {
        d[k] += arm[k];
        out->first[k] = inertia->mass * d[k];
    }
    const double square = brn_dense_dot3(d, d);
    for (int k = 0; k < 9; ++k) {
        out->about[k] += inertia->mass * ((k % 4 == 0 ? square : 0.0) - d[k / 3] * d[k % 3]);
    }
}

void brn_tree_place(const brn_tree *tree, const double *q, brn_tree_motion *m)
{
    for (int i = 0; i < tree->nlink; ++i) {
        const brn_link *link = &tree->link[i];
        const int parent = link->joint.parent;
        double joint[9]; /* axes of the joint's frame in the world */
        double foot[3];  /* its origin: from the root's origin, for a root in the world */
        double step[3];
        brn_rigid_map own;
        memcpy(joint, link->joint.frame.rotation, sizeof joint);
        memcpy(foot, link->joint.frame.origin, sizeof foot);
        if (parent >= 0) {
            brn_dense_multiply3(m->place[parent].rotation, link->joint.frame.rotation, joint);
            brn_dense_apply3(m->place[parent].rotation, link->joint.frame.origin, foot);
        }
        joint_map(tree, i, &q[tree->q_first[i]], &own);
        brn_dense_multiply3(joint, own.rotation, m->place[i].rotation);
        brn_dense_apply3(joint, own.origin, step);
        for (int k = 0; k < 3; ++k) {
            const double way = foot[k] + step[k];
            m->arm[i][k] = parent >= 0 ? m->arm[parent][k] + way : 0.0;
            m->place[i].origin[k] = parent >= 0 ? m->place[tree->root[i]].origin[k] + m->arm[i][k] : way;
        }
        for (int d = tree->v_first[i]; d < tree->v_first[i + 1]; ++d) {
            double *column = m->column[d];
            double e[3];
            brn_dense_apply3(joint, tree->axis[d], e);
            memset(column, 0, 3 * sizeof *column);
            memcpy(&column[3], e, sizeof e);
            if (tree->angular[d]) {
                memcpy(column, e, sizeof e);
                brn_dense_cross3(m->arm[i], e, &column[3]);
            }
        }
        set_matter(&link->inertia, m->place[i].rotation, m->arm[i], &m->matter[i]);
    }
}

void brn_tree_move(const brn_tree *tree, const double *v, brn_tree_motion *m)
{
    for (int i = 0; i < tree->nlink; ++i) {
        const int parent = tree->link[i].joint.parent;
        double *to = m->velocity[i];
        for (int k = 0; k < 6; ++k) {
            to[k] = parent >= 0 ? m->velocity[parent][k] : 0.0;
        }
        for (int d = tree->v_first[i]; d < tree->v_first[i + 1]; ++d) {
            for (int k = 0; k < 6; ++k) {
                to[k] += v[d] * m->column[d][k];
            }
        }
    }
}

/* ---- points ------------------------------------------------------------------------------------------------------------------- */

static void arm_of(const brn_tree *tree, const brn_tree_motion *m, int link, const double point[3],
                   double out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = point[k] - m->place[tree->root[link]].origin[k];
    }
}

/* out = linear part + angular part x arm */
static void shift(const double pair[6], const double arm[3], double out[3])
{
    brn_dense_cross3(pair, arm, out);
    for (int k = 0; k < 3; ++k) {
        out[k] += pair[3 + k];
    }
}

void brn_tree_jacobian(const brn_tree *tree, const brn_tree_motion *m, int link, const double point[3],
                       double *linear, double *angular)
{
    double arm[3];
    const int nv = tree->nv;
    arm_of(tree, m, link, point, arm);
    memset(linear, 0, 3 * (size_t)nv * sizeof *linear);
    if (angular != NULL) {
        memset(angular, 0, 3 * (size_t)nv * sizeof *angular);
    }
    for (int i = link; i >= 0; i = tree->link[i].joint.parent) {
        for (int d = tree->v_first[i]; d < tree->v_first[i + 1]; ++d) {
            double u[3];
            shift(m->column[d], arm, u);
            for (int k = 0; k < 3; ++k) {
                linear[k * nv + d] = u[k];
                if (angular != NULL) {
                    angular[k * nv + d] = m->column[d][k];
                }
            }
        }
    }
}

void brn_tree_push(const brn_tree *tree, const brn_tree_motion *m, int link, const double point[3],
                   const double force[3], const double *torque, double *tau)
{
    double arm[3];
    double turn[3];
    arm_of(tree, m, link, point, arm);
    brn_dense_cross3(arm, force, turn);
    for (int k = 0; k < 3 && torque != NULL; ++k) {
        turn[k] += torque[k];
    }
    for (int i = link; i >= 0; i = tree->link[i].joint.parent) {
        for (int d = tree->v_first[i]; d < tree->v_first[i + 1]; ++d) {
            tau[d] += brn_dense_dot3(m->column[d], turn) + brn_dense_dot3(&m->column[d][3], force);
        }
    }
}

void brn_tree_velocity_at(const brn_tree *tree, const brn_tree_motion *m, int link, const double point[3],
                          double out[3])
{
    double arm[3];
    arm_of(tree, m, link, point, arm);
    shift(m->velocity[link], arm, out);
}
