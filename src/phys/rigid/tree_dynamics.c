/* Mass matrix, inverse dynamics, energy and momentum of a tree. Pairs and matter are those of tree_motion.c, about a point c that is
   fixed in space: the momentum of a link is I V with I its matter and V its velocity, and the force on it

       d(I V)/dt = I A + V x* I V,   A = dV/dt = A_parent + sum S dv/dt + sum dS/dt v.

   The axis e of a velocity turns with the parent (w_p), and the arm changes with the velocity u of the link's origin:

       d(e, arm x e)/dt = (w_p x e, u x e + arm x (w_p x e)),        d(0, e)/dt = (0, w_p x e). */
#include "linalg/dense.h"
#include "phys/rigid/tree.h"

#include <string.h>

/* Momentum of matter that moves: (about w + first x v, m v - first x w). */
static void apply(const brn_tree_matter *matter, const double motion[6], double out[6])
{
    double turned[3];
    double pushed[3];
    brn_dense_apply3(matter->about, motion, out);
    brn_dense_cross3(matter->first, &motion[3], turned);
    brn_dense_cross3(matter->first, motion, pushed);
    for (int k = 0; k < 3; ++k) {
        out[k] += turned[k];
        out[3 + k] = matter->mass * motion[3 + k] - pushed[k];
    }
}

static double dot6(const double a[6], const double b[6])
{
    return brn_dense_dot3(a, b) + brn_dense_dot3(&a[3], &b[3]);
}

static void join(brn_tree_matter *to, const brn_tree_matter *from)
{
    to->mass += from->mass;
    for (int k = 0; k < 3; ++k) {
        to->first[k] += from->first[k];
    }
    for (int k = 0; k < 9; ++k) {
        to->about[k] += from->about[k];
    }
}

void brn_tree_mass(const brn_tree *tree, brn_tree_motion *m, double *mass)
{
    const int nv = tree->nv;
    memset(mass, 0, (size_t)nv * (size_t)nv * sizeof *mass);
    memcpy(m->joined, m->matter, (size_t)tree->nlink * sizeof *m->joined);
    for (int i = tree->nlink - 1; i >= 0; --i) {
        const brn_joint *joint = &tree->link[i].joint;
        if (joint->parent >= 0) {
            join(&m->joined[joint->parent], &m->joined[i]);
        }
        for (int d = tree->v_first[i]; d < tree->v_first[i + 1]; ++d) {
            double momentum[6];
            apply(&m->joined[i], m->column[d], momentum);
            for (int j = i; j >= 0; j = tree->link[j].joint.parent) {
                for (int e = tree->v_first[j]; e < tree->v_first[j + 1] && e <= d; ++e) {
                    mass[d * nv + e] = mass[e * nv + d] = dot6(momentum, m->column[e]);
                }
            }
            mass[d * nv + d] += joint->armature;
        }
    }
}

/* dS/dt v of a link, from its own velocity and its parent's: w_r and u_r are turning and moving against the parent. */
static void velocity_change(const double parent[6], const double own[6], const double arm[3], double out[6])
{
    double turn[3];  /* w_r */
    double slide[3]; /* u_r = difference of linear parts - arm x w_r */
    double speed[3]; /* u */
    double term[3];
    for (int k = 0; k < 3; ++k) {
        turn[k] = own[k] - parent[k];
    }
    brn_dense_cross3(arm, turn, term);
    brn_dense_cross3(own, arm, speed);
    for (int k = 0; k < 3; ++k) {
        slide[k] = own[3 + k] - parent[3 + k] - term[k];
        speed[k] += own[3 + k];
    }
    brn_dense_cross3(parent, turn, out);
    brn_dense_cross3(speed, turn, &out[3]);
    brn_dense_cross3(arm, out, term);
    for (int k = 0; k < 3; ++k) {
        out[3 + k] += term[k];
    }
    brn_dense_cross3(parent, slide, term);
    for (int k = 0; k < 3; ++k) {
        out[3 + k] += term[k];
    }
}

/* out += V x* p = (w x n + v x f, w x f) of a momentum p = (n, f). */
static void add_transport(const double motion[6], const double momentum[6], double out[6])
{
    double a[3];
    double b[3];
    double c[3];
    brn_dense_cross3(motion, momentum, a);
    brn_dense_cross3(&motion[3], &momentum[3], b);
    brn_dense_cross3(motion, &momentum[3], c);
    for (int k = 0; k < 3; ++k) {
        out[k] += a[k] + b[k];
        out[3 + k] += c[k];
    }
}

void brn_tree_inverse(const brn_tree *tree, brn_tree_motion *m, const double *a, const double gravity[3],
                      double *tau)
{
    static const double still[6] = {0};
    /* A world that falls upwards is one with gravity. */
    const double ground[6] = {0.0, 0.0, 0.0, -gravity[0], -gravity[1], -gravity[2]};
    for (int i = 0; i < tree->nlink; ++i) {
        const int parent = tree->link[i].joint.parent;
        const double *velocity = parent >= 0 ? m->velocity[parent] : still;
        const double *before = parent >= 0 ? m->change[parent] : ground;
        double *change = m->change[i];
        double momentum[6];
        velocity_change(velocity, m->velocity[i], m->arm[i], change);
        for (int k = 0; k < 6; ++k) {
            change[k] += before[k];
        }
        for (int d = tree->v_first[i]; a != NULL && d < tree->v_first[i + 1]; ++d) {
            for (int k = 0; k < 6; ++k) {
                change[k] += a[d] * m->column[d][k];
            }
        }
        apply(&m->matter[i], change, m->force[i]);
        apply(&m->matter[i], m->velocity[i], momentum);
        add_transport(m->velocity[i], momentum, m->force[i]);
    }
    for (int i = tree->nlink - 1; i >= 0; --i) {
        const brn_joint *joint = &tree->link[i].joint;
        for (int d = tree->v_first[i]; d < tree->v_first[i + 1]; ++d) {
            tau[d] = dot6(m->column[d], m->force[i]) + (a != NULL ? joint->armature * a[d] : 0.0);
        }
        for (int k = 0; k < 6 && joint->parent >= 0; ++k) {
            m->force[joint->parent][k] += m->force[i][k];
        }
    }
}

/* ---- energy and momentum -------------------------------------------------------------------------------------------------------- */

/* Centre of mass of a link in the world, and its velocity; the momentum of turning about it. */
static void link_motion(const brn_tree *tree, const brn_tree_motion *m, int i, double centre[3],
                        double velocity[3], double spin[3])
{
    const brn_inertia *inertia = &tree->link[i].inertia;
    double own[3];
    double turned[3];
    brn_rigid_map_apply(&m->place[i], inertia->centre, centre);
    brn_tree_velocity_at(tree, m, i, centre, velocity);
    brn_dense_apply3_t(m->place[i].rotation, m->velocity[i], own);
    brn_dense_apply3(inertia->about, own, turned);
    brn_dense_apply3(m->place[i].rotation, turned, spin);
}

double brn_tree_kinetic(const brn_tree *tree, const brn_tree_motion *m, const double *v)
{
    double sum = 0.0;
    for (int i = 0; i < tree->nlink; ++i) {
        double x[3];
        double u[3];
        double spin[3];
        link_motion(tree, m, i, x, u, spin);
        sum +=
            0.5 * (tree->link[i].inertia.mass * brn_dense_dot3(u, u) + brn_dense_dot3(m->velocity[i], spin));
        for (int d = tree->v_first[i]; d < tree->v_first[i + 1]; ++d) {
            sum += 0.5 * tree->link[i].joint.armature * v[d] * v[d];
        }
    }
    return sum;
}

double brn_tree_potential(const brn_tree *tree, const brn_tree_motion *m, const double gravity[3])
{
    double sum = 0.0;
    for (int i = 0; i < tree->nlink; ++i) {
        double x[3];
        brn_rigid_map_apply(&m->place[i], tree->link[i].inertia.centre, x);
        sum -= tree->link[i].inertia.mass * brn_dense_dot3(gravity, x);
    }
    return sum;
}

void brn_tree_momentum(const brn_tree *tree, const brn_tree_motion *m, const double about[3],
                       double linear[3], double angular[3])
{
    memset(linear, 0, 3 * sizeof *linear);
    memset(angular, 0, 3 * sizeof *angular);
    for (int i = 0; i < tree->nlink; ++i) {
        const double mass = tree->link[i].inertia.mass;
        double x[3];
        double u[3];
        double spin[3];
        double turn[3];
        link_motion(tree, m, i, x, u, spin);
        for (int k = 0; k < 3; ++k) {
            linear[k] += mass * u[k];
            x[k] -= about[k];
        }
        brn_dense_cross3(x, u, turn);
        for (int k = 0; k < 3; ++k) {
            angular[k] += mass * turn[k] + spin[k];
        }
    }
}
