/* Constraints of robots' joints, behind those of contact: limits, drives, friction, joints that follow others, links that are
   coupled. Drives are implicit: what they do at the end of the step limits the stiffness that they show, whatever their gains. */
#include "linalg/dense.h"
#include "phys/rotation.h"
#include "step/sap/sap.h"

#include <math.h>
#include <string.h>

/* Of constraints that hold: their period of oscillation over the step [Han, Masterjohn, Castro 2023]. */
static const double HELD_PERIOD = 0.1;

static double stiffest(double period, double w)
{
    return period * period / (4.0 * M_PI * M_PI) * w;
}

double brn_sap_held(double weight)
{
    return stiffest(HELD_PERIOD, weight);
}

double brn_sap_weight_of(const brn_sap *sap, const brn_sap_constraint *c, int row)
{
    const int dim = sap->model->dim;
    double sum = 0.0;
    for (int k = c->first; k < c->first + c->count; ++k) {
        const brn_sap_block *b = &sap->block[k];
        const double *diagonal = &sap->a->value[(size_t)sap->a->start[b->row] * (size_t)(dim * dim)];
        for (int s = 0; s < dim; ++s) {
            const double j = b->j[dim * row + s];
            sum += sap->fixed[dim * b->row + s] ? 0.0 : j * j / diagonal[(dim + 1) * s];
        }
    }
    return sum;
}

/* A constraint of one row on a joint velocity. */
static brn_sap_constraint *add_one(brn_sap *sap, const brn_sap_tree *t, brn_sap_kind kind, int dof,
                                   double factor)
{
    const int index = sap->nat + sap->njoint++;
    brn_sap_constraint *c = &sap->constraint[index];
    brn_sap_block *b = &sap->block[sap->nblock];
    *c = (brn_sap_constraint){.kind = kind, .rows = 1, .first = sap->nblock, .count = 1};
    *b = (brn_sap_block){.row = t->row + dof / 3};
    b->j[dof % 3] = factor;
    sap->nblock++;
    return c;
}

static void add_limits(brn_sap *sap, const brn_sap_tree *t)
{
    const brn_tree *tree = t->robot->tree;
    for (int link = 0; link < tree->nlink; ++link) {
        const brn_joint *joint = &tree->link[link].joint;
        const double q = t->q0[tree->q_first[link]];
        for (int side = 0; side < 2 && tree->v_first[link + 1] - tree->v_first[link] == 1; ++side) {
            if (isinf(joint->limit[side])) {
                continue;
            }
            const double gap = side == 0 ? q - joint->limit[0] : joint->limit[1] - q;
            brn_sap_constraint *c =
                add_one(sap, t, BRN_SAP_LIMIT, tree->v_first[link], side == 0 ? 1.0 : -1.0);
            c->target[0] = -gap / sap->h;
            c->r = stiffest(sap->params->near_rigid, brn_sap_weight_of(sap, c, 0));
        }
    }
}

static void add_friction(brn_sap *sap, const brn_sap_tree *t)
{
    const brn_tree *tree = t->robot->tree;
    for (int link = 0; link < tree->nlink; ++link) {
        for (int v = tree->v_first[link];
             v < tree->v_first[link + 1] && tree->link[link].joint.friction > 0.0; ++v) {
            brn_sap_constraint *c = add_one(sap, t, BRN_SAP_DRIVE, v, 1.0);
            c->most = sap->h * tree->link[link].joint.friction;
            c->r = sap->params->slip_regularisation * brn_sap_weight_of(sap, c, 0);
        }
    }
}

static double gain_of(const brn_sap *sap, const brn_drive *drive)
{
    return sap->h * sap->h * drive->stiffness + sap->h * drive->damping;
}

bool brn_sap_drive_constrains(const brn_sap *sap, const brn_drive *drive)
{
    return drive->kind != BRN_DRIVE_MOTOR && gain_of(sap, drive) > 0.0;
}

double brn_sap_drive_force(const brn_sap *sap, const brn_sap_tree *t, int index)
{
    const brn_drive *drive = &t->robot->drive[index];
    const double mean = 0.5 * (drive->effort[0] + drive->effort[1]);
    if (drive->kind != BRN_DRIVE_MOTOR) {
        return isfinite(mean) ? mean : 0.0;
    }
    const double f =
        drive->scale * brn_controls_drive(sap->system->controls, t->index, index, sap->t + sap->h);
    return fmin(fmax(f, drive->effort[0]), drive->effort[1]);
}

/* gamma = h clamp(kp (q* - q0 - h u) + kd (v* - u)) = clamp((target - u) / R). Bounds that differ in size are shifted to be equal: the
   mean of them is a force of its own (smooth_forces). */
static void add_drives(brn_sap *sap, brn_sap_tree *t)
{
    const brn_tree *tree = t->robot->tree;
    for (int k = 0; k < t->robot->ndrive; ++k) {
        const brn_drive *drive = &t->robot->drive[k];
        const double gain = gain_of(sap, drive);
        if (!brn_sap_drive_constrains(sap, drive)) {
            continue;
        }
        const double control = brn_controls_drive(sap->system->controls, t->index, k, sap->t + sap->h);
        const double aim = drive->scale * control + drive->shift;
        const double way = drive->kind == BRN_DRIVE_POSITION ? aim - t->q0[tree->q_first[drive->link]] : 0.0;
        const double speed = drive->kind == BRN_DRIVE_VELOCITY ? aim : 0.0;
        brn_sap_constraint *c = add_one(sap, t, BRN_SAP_DRIVE, tree->v_first[drive->link], 1.0);
        c->most = 0.5 * sap->h * (drive->effort[1] - drive->effort[0]);
        c->r = 1.0 / gain;
        c->target[0] = (sap->h * drive->stiffness * way + sap->h * drive->damping * speed -
                        sap->h * brn_sap_drive_force(sap, t, k)) /
                       gain;
    }
}

static void add_mimics(brn_sap *sap, const brn_sap_tree *t)
{
    const brn_tree *tree = t->robot->tree;
    for (int k = 0; k < t->robot->nmimic; ++k) {
        const brn_mimic *m = &t->robot->mimic[k];
        brn_sap_constraint *c = add_one(sap, t, BRN_SAP_EQUALITY, tree->v_first[m->link], 1.0);
        double left = t->q0[tree->q_first[m->link]] - m->offset;
        if (m->leader >= 0) {
            const int dof = tree->v_first[m->leader];
            const int row = t->row + dof / 3;
            left -= m->factor * t->q0[tree->q_first[m->leader]];
            if (sap->block[c->first].row != row) {
                sap->block[sap->nblock++] = (brn_sap_block){.row = row};
                c->count = 2;
            }
            sap->block[c->first + c->count - 1].j[dof % 3] -= m->factor;
        }
        c->target[0] = -left / sap->h;
        c->r = brn_sap_held(brn_sap_weight_of(sap, c, 0));
    }
}

/* ---- couplings of links ----------------------------------------------------------------------------------------------------------- */

/* Adds sign J of a point (angular: of the turning) of a link to the blocks of a constraint of three rows. */
static void add_link(brn_sap *sap, const brn_sap_tree *t, brn_sap_constraint *c, int link,
                     const double point[3], bool angular, double sign)
{
    const brn_tree *tree = t->robot->tree;
    double *linear = t->row_of_j;
    double *turning = t->row_of_j2;
    brn_tree_jacobian(tree, t->start, link, point, linear, turning);
    for (int k = t->path_first[link]; k < t->path_first[link + 1]; ++k) {
        brn_sap_block *b = brn_sap_block_for(sap, c, t->row + t->path[k]);
        for (int i = 0; i < 9; ++i) {
            const int dof = 3 * t->path[k] + i % 3;
            b->j[i] += dof < tree->nv ? sign * (angular ? turning : linear)[i / 3 * tree->nv + dof] : 0.0;
        }
    }
}

/* Three rows: both places, or both frames, are brought together within the step. */
static void add_three(brn_sap *sap, brn_sap_tree *t, const brn_coupling *pair, bool angular)
{
    const int index = sap->nat + sap->njoint++;
    brn_sap_constraint *c = &sap->constraint[index];
    double place[2][3];
    double turn[2][9];
    double off[3];
    *c = (brn_sap_constraint){.kind = BRN_SAP_EQUALITY, .rows = 3, .first = sap->nblock};
    for (int k = 0; k < 2; ++k) {
        const brn_rigid_map here = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        const brn_rigid_map *link = pair->link[k] >= 0 ? &t->start->place[pair->link[k]] : &here;
        brn_rigid_map_apply(link, pair->frame[k].origin, place[k]);
        brn_dense_multiply3(link->rotation, pair->frame[k].rotation, turn[k]);
    }
    for (int i = 0; i < 3; ++i) {
        off[i] = place[0][i] - place[1][i];
    }
    if (angular) {
        double relative[9];
        brn_dense_multiply3_nt(turn[0], turn[1], relative);
        brn_rotation_vector(relative, off);
    }
    for (int k = 0; k < 2; ++k) {
        if (pair->link[k] >= 0) {
            add_link(sap, t, c, pair->link[k], place[k], angular, k == 0 ? 1.0 : -1.0);
        }
    }
    sap->nblock += c->count;
    double w = 0.0;
    for (int i = 0; i < 3; ++i) {
        c->target[i] = -off[i] / sap->h;
        w += brn_sap_weight_of(sap, c, i) / 3.0;
    }
    c->r = brn_sap_held(w);
}

/* At most so many constraints and blocks. */
static void count_of(const brn_sap_tree *t, size_t *constraints, size_t *blocks)
{
    const brn_robot_model *robot = t->robot;
    const size_t single = 3 * (size_t)robot->tree->nv + (size_t)robot->ndrive + (size_t)robot->nmimic;
    *constraints += single + 2 * (size_t)robot->ncoupling;
    *blocks += single + (size_t)robot->nmimic + 2 * (size_t)robot->ncoupling * (size_t)t->nrow;
}

void brn_sap_joint_room(const brn_sap *sap, size_t *constraints, size_t *blocks)
{
    for (int k = 0; k < sap->ntree; ++k) {
        count_of(&sap->tree[k], constraints, blocks);
    }
}

void brn_sap_constrain_joints(brn_sap *sap)
{
    sap->njoint = 0;
    for (int k = 0; k < sap->ntree; ++k) {
        brn_sap_tree *t = &sap->tree[k];
        t->drive_first = sap->nat + sap->njoint;
        add_drives(sap, t);
        t->ndrive = sap->nat + sap->njoint - t->drive_first;
        add_friction(sap, t);
        add_limits(sap, t);
        add_mimics(sap, t);
        for (int i = 0; i < t->robot->ncoupling; ++i) {
            const brn_coupling *pair = &t->robot->coupling[i];
            if (pair->link[0] < 0 && pair->link[1] < 0) {
                continue;
            }
            add_three(sap, t, pair, false);
            if (pair->weld) {
                add_three(sap, t, pair, true);
            }
        }
        t->joint_end = sap->nat + sap->njoint;
    }
}
