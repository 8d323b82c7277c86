/* Random trees, their equations of motion solved densely, and a rule of fourth order for them. */
#ifndef BRN_TESTS_TREE_FIXTURE_H
#define BRN_TESTS_TREE_FIXTURE_H

#include "draw.h"

#include "linalg/dense.h"
#include "phys/rigid/tree.h"
#include "phys/rotation.h"

static inline void random_vector(brn_rng *rng, double size, double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = pick(rng, -size, size);
    }
}

static inline void random_rotation(brn_rng *rng, double out[9])
{
    double axis[3];
    random_vector(rng, 1.0, axis);
    (void)brn_dense_rotation(axis, pick(rng, -3.0, 3.0), out);
}

/* A box of random sides and density anywhere in the link's frame. */
static inline brn_inertia random_inertia(brn_rng *rng)
{
    const brn_primitive box = {
        BRN_PRIMITIVE_BOX, 3, {pick(rng, 0.02, 0.2), pick(rng, 0.02, 0.2), pick(rng, 0.02, 0.2)}};
    brn_rigid_map place;
    brn_inertia own;
    random_rotation(rng, place.rotation);
    random_vector(rng, 0.2, place.origin);
    assert_true(brn_inertia_of_primitive(&box, pick(rng, 200.0, 2000.0), &own));
    return brn_inertia_placed(&own, &place);
}

static inline brn_link random_link(brn_rng *rng, brn_joint_kind kind, int parent)
{
    brn_link link = {random_inertia(rng), brn_joint_default(kind, parent)};
    random_rotation(rng, link.joint.frame.rotation);
    random_vector(rng, 0.5, link.joint.frame.origin);
    random_vector(rng, 1.0, link.joint.axis);
    link.joint.armature = pick_one(rng, 3) == 0 ? pick(rng, 0.0, 0.1) : 0.0;
    return link;
}

/* A tree of all kinds of joints; now and then a second one on the world, and links without matter that carry others. */
static inline brn_tree *random_tree(brn_ctx *ctx, brn_rng *rng, int nlink)
{
    brn_link *link = calloc((size_t)nlink, sizeof *link);
    brn_tree *tree = NULL;
    assert_non_null(link);
    for (int i = 0; i < nlink; ++i) {
        const int parent = i == 0 || pick_one(rng, 10) == 0 ? -1 : pick_one(rng, i);
        link[i] = random_link(rng, (brn_joint_kind)pick_one(rng, BRN_JOINT_KINDS), parent);
    }
    for (int i = 0; i + 1 < nlink; ++i) {
        if (pick_one(rng, 6) == 0 && link[i + 1].joint.parent == i) {
            link[i].inertia = (brn_inertia){0};
        }
    }
    assert_done(ctx, brn_tree_create(ctx, link, nlink, &tree));
    free(link);
    return tree;
}

static inline double *fresh(int count)
{
    double *out = calloc((size_t)count + 1, sizeof *out);
    assert_non_null(out);
    return out;
}

/* Anywhere: from rest by a random velocity for 1 s. */
static inline void random_state(const brn_tree *tree, brn_rng *rng, double *q, double *v)
{
    brn_tree_rest(tree, q);
    for (int pass = 0; pass < 2; ++pass) {
        for (int d = 0; d < tree->nv; ++d) {
            v[d] = pick(rng, -2.0, 2.0);
        }
        if (pass == 0) {
            brn_tree_advance(tree, q, v, 1.0, q);
        }
    }
}

/* Solves A x = b, A [n][n] symmetric positive definite and destroyed, b becomes x. */
static inline void solve_dense(int n, double *a, double *b)
{
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j < k; ++j) {
            a[k * n + k] -= a[k * n + j] * a[k * n + j];
        }
        assert_true(a[k * n + k] > 0.0);
        a[k * n + k] = sqrt(a[k * n + k]);
        for (int i = k + 1; i < n; ++i) {
            for (int j = 0; j < k; ++j) {
                a[i * n + k] -= a[i * n + j] * a[k * n + j];
            }
            a[i * n + k] /= a[k * n + k];
        }
        for (int j = 0; j < k; ++j) {
            b[k] -= a[k * n + j] * b[j];
        }
        b[k] /= a[k * n + k];
    }
    for (int k = n - 1; k >= 0; --k) {
        for (int i = k + 1; i < n; ++i) {
            b[k] -= a[i * n + k] * b[i];
        }
        b[k] /= a[k * n + k];
    }
}

/* What a free tree needs while it moves. */
typedef struct free_tree {
    const brn_tree *tree;
    brn_tree_motion *motion;
    const double *gravity;
    double *mass, *q, *v, *q_at, *v_at, *a[4], *u[4];
} free_tree;

static inline free_tree free_open(const brn_tree *tree, const double *gravity)
{
    free_tree f = {.tree = tree, .gravity = gravity};
    assert_done(tree->ctx, brn_tree_motion_create(tree, &f.motion));
    f.mass = fresh(tree->nv * tree->nv);
    f.q = fresh(tree->nq);
    f.v = fresh(tree->nv);
    f.q_at = fresh(tree->nq);
    f.v_at = fresh(tree->nv);
    for (int k = 0; k < 4; ++k) {
        f.a[k] = fresh(tree->nv);
        f.u[k] = fresh(tree->nq);
    }
    brn_tree_rest(tree, f.q);
    return f;
}

static inline void free_close(free_tree *f)
{
    brn_tree_motion_destroy(f->motion);
    free(f->mass);
    free(f->q);
    free(f->v);
    free(f->q_at);
    free(f->v_at);
    for (int k = 0; k < 4; ++k) {
        free(f->a[k]);
        free(f->u[k]);
    }
}

static inline void free_acceleration(free_tree *f, const double *q, const double *v, double *a)
{
    brn_tree_place(f->tree, q, f->motion);
    brn_tree_move(f->tree, v, f->motion);
    brn_tree_mass(f->tree, f->motion, f->mass);
    brn_tree_inverse(f->tree, f->motion, NULL, f->gravity, a);
    for (int d = 0; d < f->tree->nv; ++d) {
        a[d] = -a[d];
    }
    solve_dense(f->tree->nv, f->mass, a);
}

/* dq/dt: velocities, of quaternions 1/2 (0, w) q. */
static inline void position_rate(const brn_tree *tree, const double *q, const double *v, double *rate)
{
    for (int i = 0; i < tree->nlink; ++i) {
        const int nq = tree->q_first[i + 1] - tree->q_first[i];
        const int nv = tree->v_first[i + 1] - tree->v_first[i];
        const int plain = nq == nv ? nv : nv - 3;
        const double *w = &v[tree->v_first[i] + plain];
        const double *turn = &q[tree->q_first[i] + plain];
        double *out = &rate[tree->q_first[i]];
        memcpy(out, &v[tree->v_first[i]], (size_t)plain * sizeof *out);
        if (nq > nv) {
            double cross[3];
            brn_dense_cross3(w, &turn[1], cross);
            out[plain] = -0.5 * brn_dense_dot3(w, &turn[1]);
            for (int k = 0; k < 3; ++k) {
                out[plain + 1 + k] = 0.5 * (turn[0] * w[k] + cross[k]);
            }
        }
    }
}

/* The classical Runge-Kutta rule in q and v; quaternions are brought back to length 1 after the step. */
static inline void free_runge_kutta(free_tree *f, double h)
{
    static const double ahead[4] = {0.0, 0.5, 0.5, 1.0};
    static const double share[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const brn_tree *tree = f->tree;
    for (int k = 0; k < 4; ++k) {
        const int before = k > 0 ? k - 1 : 0;
        for (int i = 0; i < tree->nq; ++i) {
            f->q_at[i] = f->q[i] + ahead[k] * h * f->u[before][i];
        }
        for (int d = 0; d < tree->nv; ++d) {
            f->v_at[d] = f->v[d] + ahead[k] * h * f->a[before][d];
        }
        position_rate(tree, f->q_at, f->v_at, f->u[k]);
        free_acceleration(f, f->q_at, f->v_at, f->a[k]);
    }
    for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < tree->nq; ++i) {
            f->q[i] += share[k] * h * f->u[k][i];
        }
        for (int d = 0; d < tree->nv; ++d) {
            f->v[d] += share[k] * h * f->a[k][d];
        }
    }
    memset(f->v_at, 0, (size_t)tree->nv * sizeof *f->v_at);
    brn_tree_advance(tree, f->q, f->v_at, 0.0, f->q);
}

/* The implicit midpoint rule in velocities, which is reversible, iterated until it stands still: vm = v + h/2 a(qm, vm), qm = q advanced by h/2 with vm. */
static inline void free_midpoint(free_tree *f, double h)
{
    const brn_tree *tree = f->tree;
    double last = INFINITY;
    memcpy(f->v_at, f->v, (size_t)tree->nv * sizeof *f->v);
    for (int n = 0; n < 100; ++n) {
        double change = 0.0;
        brn_tree_advance(tree, f->q, f->v_at, 0.5 * h, f->q_at);
        free_acceleration(f, f->q_at, f->v_at, f->a[0]);
        for (int d = 0; d < tree->nv; ++d) {
            const double next = f->v[d] + 0.5 * h * f->a[0][d];
            change = fmax(change, fabs(next - f->v_at[d]));
            f->v_at[d] = next;
        }
        if (change <= 1e-15 || (change < 1e-12 && change >= last)) {
            break;
        }
        last = change;
        assert_true(n < 99);
    }
    brn_tree_advance(tree, f->q, f->v_at, h, f->q);
    for (int d = 0; d < tree->nv; ++d) {
        f->v[d] = 2.0 * f->v_at[d] - f->v[d];
    }
}

/* out = M(q advanced by t with v) v */
static inline void momentum_ahead(free_tree *f, const double *q, const double *v, double t, double *out)
{
    const int nv = f->tree->nv;
    brn_tree_advance(f->tree, q, v, t, f->u[0]);
    brn_tree_place(f->tree, f->u[0], f->motion);
    brn_tree_mass(f->tree, f->motion, f->mass);
    for (int d = 0; d < nv; ++d) {
        out[d] = 0.0;
        for (int e = 0; e < nv; ++e) {
            out[d] += f->mass[d * nv + e] * v[e];
        }
    }
}

/* The same rule in positions and momenta p = M v, in which it is symplectic; joints of one velocity. dp/dt = dM/dt v - bias, with
   dM/dt v from differences (1e-10 of it). */
static inline void free_symplectic(free_tree *f, double h)
{
    const brn_tree *tree = f->tree;
    const double e = 1e-5;
    double *p = f->a[0], *rate = f->a[1], *ahead = f->a[2], *behind = f->a[3];
    double last = INFINITY;
    momentum_ahead(f, f->q, f->v, 0.0, p);
    memcpy(f->v_at, f->v, (size_t)tree->nv * sizeof *f->v);
    for (int n = 0; n < 100; ++n) {
        double change = 0.0;
        brn_tree_advance(tree, f->q, f->v_at, 0.5 * h, f->q_at);
        momentum_ahead(f, f->q_at, f->v_at, e, ahead);
        momentum_ahead(f, f->q_at, f->v_at, -e, behind);
        brn_tree_place(tree, f->q_at, f->motion);
        brn_tree_move(tree, f->v_at, f->motion);
        brn_tree_inverse(tree, f->motion, NULL, f->gravity, rate);
        brn_tree_mass(tree, f->motion, f->mass);
        for (int d = 0; d < tree->nv; ++d) {
            rate[d] = (ahead[d] - behind[d]) / (2.0 * e) - rate[d];
            ahead[d] = p[d] + 0.5 * h * rate[d];
        }
        solve_dense(tree->nv, f->mass, ahead);
        for (int d = 0; d < tree->nv; ++d) {
            change = fmax(change, fabs(ahead[d] - f->v_at[d]));
            f->v_at[d] = ahead[d];
        }
        if (change <= 1e-13 || (change < 1e-9 && change >= last)) {
            break;
        }
        last = change;
        assert_true(n < 99);
    }
    brn_tree_advance(tree, f->q, f->v_at, h, f->q);
    for (int d = 0; d < tree->nv; ++d) {
        f->v[d] = p[d] + h * rate[d];
    }
    brn_tree_place(tree, f->q, f->motion);
    brn_tree_mass(tree, f->motion, f->mass);
    solve_dense(tree->nv, f->mass, f->v);
}

/* Energy of q, v; momentum about the world's origin if asked for. */
static inline double free_energy(free_tree *f, double linear[3], double angular[3])
{
    static const double origin[3] = {0};
    double p[3];
    double l[3];
    brn_tree_place(f->tree, f->q, f->motion);
    brn_tree_move(f->tree, f->v, f->motion);
    brn_tree_momentum(f->tree, f->motion, origin, linear != NULL ? linear : p, angular != NULL ? angular : l);
    return brn_tree_kinetic(f->tree, f->motion, f->v) + brn_tree_potential(f->tree, f->motion, f->gravity);
}

#endif
