#include "phys/rigid/tree.h"

#include "linalg/dense.h"
#include "phys/rotation.h"

#include <limits.h>
#include <string.h>

static const brn_joint_info infos[BRN_JOINT_KINDS] = {
    [BRN_JOINT_FIXED] = {"fixed", 0, 0},         [BRN_JOINT_REVOLUTE] = {"revolute", 1, 1},
    [BRN_JOINT_PRISMATIC] = {"prismatic", 1, 1}, [BRN_JOINT_PLANAR] = {"planar", 3, 3},
    [BRN_JOINT_BALL] = {"ball", 4, 3},           [BRN_JOINT_FLOATING] = {"floating", 7, 6},
};

const brn_joint_info *brn_joint_info_of(brn_joint_kind kind)
{
    return &infos[kind];
}

brn_joint brn_joint_default(brn_joint_kind kind, int parent)
{
    return (brn_joint){
        .kind = kind,
        .parent = parent,
        .frame = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}},
        .axis = {0.0, 0.0, 1.0},
        .limit = {-INFINITY, INFINITY},
        .effort = INFINITY,
        .velocity = INFINITY,
    };
}

/* ---- checks ------------------------------------------------------------------------------------------------------------------- */

static bool is_frame(const brn_rigid_map *frame)
{
    double square[9];
    double off = 0.0;
    brn_dense_multiply3_nt(frame->rotation, frame->rotation, square);
    for (int i = 0; i < 9; ++i) {
        off += fabs(square[i] - (i % 4 == 0 ? 1.0 : 0.0));
    }
    return off <= 1e-9 && brn_dense_det3(frame->rotation) > 0.0 &&
           isfinite(frame->origin[0] + frame->origin[1] + frame->origin[2]);
}

/* What is wrong with a joint, NULL if nothing. */
static const char *joint_fault(const brn_joint *joint)
{
    const bool one = joint->kind == BRN_JOINT_REVOLUTE || joint->kind == BRN_JOINT_PRISMATIC;
    const double length = brn_dense_length3(joint->axis);
    if (!is_frame(&joint->frame)) {
        return "its frame must be a rotation and a finite origin";
    }
    if ((one || joint->kind == BRN_JOINT_PLANAR) && !(length > 0.0 && isfinite(length))) {
        return "its axis must be finite and not zero";
    }
    if (!(joint->damping >= 0.0 && joint->friction >= 0.0 && joint->armature >= 0.0) ||
        !isfinite(joint->damping + joint->friction + joint->armature)) {
        return "damping, friction and armature must be finite and >= 0";
    }
    if (!(joint->effort >= 0.0 && joint->velocity >= 0.0)) {
        return "effort and velocity must be >= 0";
    }
    if (!(joint->limit[0] <= joint->limit[1])) {
        return "its limits are reversed: the lower comes first";
    }
    return NULL;
}

static bool is_massless(const brn_inertia *inertia)
{
    bool none = inertia->mass == 0.0;
    for (int i = 0; i < 9; ++i) {
        none = none && inertia->about[i] == 0.0;
    }
    return none && isfinite(inertia->centre[0] + inertia->centre[1] + inertia->centre[2]);
}

static brn_status check_links(brn_ctx *ctx, const brn_link *link, int nlink)
{
    for (int i = 0; i < nlink; ++i) {
        const brn_joint *joint = &link[i].joint;
        char why[BRN_INERTIA_WHY];
        if (joint->kind < 0 || joint->kind >= BRN_JOINT_KINDS) {
            return brn_fail(ctx, BRN_ERR_RANGE, "link %d: no such kind of joint: %d", i, (int)joint->kind);
        }
        if (joint->parent < -1 || joint->parent >= i) {
            return brn_fail(ctx, BRN_ERR_RANGE,
                            "link %d: its parent is %d: must be -1 (the world) or a link before it", i,
                            joint->parent);
        }
        const char *fault = joint_fault(joint);
        if (fault != NULL) {
            return brn_fail(ctx, BRN_ERR_RANGE, "link %d: joint (%s): %s", i, infos[joint->kind].name, fault);
        }
        if (!is_massless(&link[i].inertia) && !brn_inertia_check(&link[i].inertia, why)) {
            return brn_fail(ctx, BRN_ERR_RANGE, "link %d: %s", i, why);
        }
    }
    return BRN_OK;
}

/* Every joint must move matter: its link, one that hangs on it, or its drive. */
static brn_status check_mass(const brn_tree *tree)
{
    double *mass = NULL;
    BRN_ALLOC(tree->ctx, mass, tree->nlink);
    int bare = -1;
    for (int i = tree->nlink - 1; i >= 0; --i) {
        const brn_joint *joint = &tree->link[i].joint;
        mass[i] += tree->link[i].inertia.mass;
        if (joint->parent >= 0) {
            mass[joint->parent] += mass[i];
        }
        bare = infos[joint->kind].nv > 0 && !(mass[i] + joint->armature > 0.0) ? i : bare;
    }
    brn_free(tree->ctx, mass);
    if (bare >= 0) {
        return brn_fail(
            tree->ctx, BRN_ERR_RANGE,
            "link %d: nothing that its joint moves has mass: give it inertia, or make the joint fixed", bare);
    }
    return BRN_OK;
}

/* ---- the tree ----------------------------------------------------------------------------------------------------------------- */

/* Unit vectors of the joint's velocities. */
static void set_axes(brn_tree *tree, int i)
{
    const brn_joint *joint = &tree->link[i].joint;
    double(*axis)[3] = &tree->axis[tree->v_first[i]];
    bool *angular = &tree->angular[tree->v_first[i]];
    const int nv = infos[joint->kind].nv;
    double n[3] = {0.0, 0.0, 1.0};
    const double length = brn_dense_length3(joint->axis);
    for (int k = 0; k < 3 && length > 0.0; ++k) {
        n[k] = joint->axis[k] / length;
    }
    switch (joint->kind) {
    case BRN_JOINT_REVOLUTE:
    case BRN_JOINT_PRISMATIC:
        memcpy(axis[0], n, sizeof n);
        angular[0] = joint->kind == BRN_JOINT_REVOLUTE;
        break;
    case BRN_JOINT_PLANAR:
        brn_dense_across3(n, axis[0], axis[1]);
        memcpy(axis[2], n, sizeof n);
        angular[2] = true;
        break;
    default: /* ball and floating: three axes each */
        for (int k = 0; k < nv; ++k) {
            axis[k][k % 3] = 1.0;
            angular[k] = k >= nv - 3;
        }
    }
}

static brn_status build(brn_tree *tree, const brn_link *link)
{
    const int nlink = tree->nlink;
    BRN_ALLOC(tree->ctx, tree->link, nlink);
    BRN_ALLOC(tree->ctx, tree->root, nlink);
    BRN_ALLOC(tree->ctx, tree->q_first, nlink + 1);
    BRN_ALLOC(tree->ctx, tree->v_first, nlink + 1);
    memcpy(tree->link, link, (size_t)nlink * sizeof *link);
    for (int i = 0; i < nlink; ++i) {
        const brn_joint *joint = &link[i].joint;
        tree->root[i] = joint->parent < 0 ? i : tree->root[joint->parent];
        tree->q_first[i + 1] = tree->q_first[i] + infos[joint->kind].nq;
        tree->v_first[i + 1] = tree->v_first[i] + infos[joint->kind].nv;
    }
    tree->nq = tree->q_first[nlink];
    tree->nv = tree->v_first[nlink];
    BRN_ALLOC(tree->ctx, tree->axis, tree->nv);
    BRN_ALLOC(tree->ctx, tree->angular, tree->nv);
    for (int i = 0; i < nlink; ++i) {
        set_axes(tree, i);
    }
    return check_mass(tree);
}

brn_status brn_tree_create(brn_ctx *ctx, const brn_link *link, int nlink, brn_tree **out)
{
    *out = NULL;
    if (nlink < 1 || nlink > INT_MAX / 8) {
        return brn_fail(ctx, BRN_ERR_RANGE, "a tree of %d links: must have at least one", nlink);
    }
    BRN_TRY(check_links(ctx, link, nlink));
    brn_tree *tree = NULL;
    BRN_ALLOC(ctx, tree, 1);
    tree->ctx = ctx;
    tree->nlink = nlink;
    const brn_status status = build(tree, link);
    if (status < 0) {
        brn_tree_destroy(tree);
        return status;
    }
    *out = tree;
    return BRN_OK;
}

void brn_tree_destroy(brn_tree *tree)
{
    if (tree == NULL) {
        return;
    }
    brn_ctx *ctx = tree->ctx;
    brn_free(ctx, tree->link);
    brn_free(ctx, tree->root);
    brn_free(ctx, tree->q_first);
    brn_free(ctx, tree->v_first);
    brn_free(ctx, tree->axis);
    brn_free(ctx, tree->angular);
    brn_free(ctx, tree);
}

/* ---- positions ---------------------------------------------------------------------------------------------------------------- */

void brn_tree_rest(const brn_tree *tree, double *q)
{
    memset(q, 0, (size_t)tree->nq * sizeof *q);
    for (int i = 0; i < tree->nlink; ++i) {
        const brn_joint_kind kind = tree->link[i].joint.kind;
        if (kind == BRN_JOINT_BALL || kind == BRN_JOINT_FLOATING) {
            q[tree->q_first[i + 1] - 4] = 1.0;
        }
    }
}

void brn_tree_advance(const brn_tree *tree, const double *q, const double *v, double h, double *out)
{
    for (int i = 0; i < tree->nlink; ++i) {
        const brn_joint_kind kind = tree->link[i].joint.kind;
        const bool turns = kind == BRN_JOINT_BALL || kind == BRN_JOINT_FLOATING;
        const double *at = &q[tree->q_first[i]];
        const double *rate = &v[tree->v_first[i]];
        double *to = &out[tree->q_first[i]];
        const int plain = infos[kind].nv - (turns ? 3 : 0);
        for (int k = 0; k < plain; ++k) {
            to[k] = at[k] + h * rate[k];
        }
        if (turns) {
            const double w[3] = {h * rate[plain], h * rate[plain + 1], h * rate[plain + 2]};
            brn_rotation_turn(&at[plain], w, &to[plain]);
        }
    }
}
