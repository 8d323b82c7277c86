/* Kinematic trees: places, velocities, Jacobians, mass matrix and inverse dynamics of random trees of all kinds of joints against
   differences and sums over the links; errors; allocations that fail. */
#include "tree_fixture.h"

#include "faulty.h"

enum { LINKS_MOST = 30 };
static const double gravity[3] = {1.0, -2.0, -9.81};

/* A random tree in a random state. */
typedef struct subject {
    brn_tree *tree;
    brn_tree_motion *motion;
    double *q, *v;
} subject;

static subject open_subject(brn_ctx *ctx, brn_rng *rng, int nlink)
{
    subject s = {.tree = random_tree(ctx, rng, nlink)};
    assert_done(ctx, brn_tree_motion_create(s.tree, &s.motion));
    s.q = fresh(s.tree->nq);
    s.v = fresh(s.tree->nv);
    random_state(s.tree, rng, s.q, s.v);
    brn_tree_place(s.tree, s.q, s.motion);
    brn_tree_move(s.tree, s.v, s.motion);
    return s;
}

static void close_subject(subject *s)
{
    brn_tree_motion_destroy(s->motion);
    brn_tree_destroy(s->tree);
    free(s->q);
    free(s->v);
}

static void for_random_trees(void (*check)(subject *s, brn_rng *rng))
{
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {12};
    for (int nlink = 1; nlink <= LINKS_MOST; ++nlink) {
        for (int n = 0; n < 3; ++n) {
            subject s = open_subject(ctx, &rng, nlink);
            check(&s, &rng);
            close_subject(&s);
        }
    }
    brn_ctx_destroy(ctx);
}

/* ---- mass matrix -------------------------------------------------------------------------------------------------------------- */

/* M = sum over links of m Jc' Jc + Jw' (R I R') Jw, and armature. */
static void check_mass(subject *s, brn_rng *rng)
{
    (void)rng;
    const int nv = s->tree->nv;
    double *mass = fresh(nv * nv);
    double *want = fresh(nv * nv);
    double *jc = fresh(3 * nv);
    double *jw = fresh(3 * nv);
    double largest = 0.0;
    double energy = 0.0;
    brn_tree_mass(s->tree, s->motion, mass);
    for (int i = 0; i < s->tree->nlink; ++i) {
        const brn_link *link = &s->tree->link[i];
        const brn_inertia placed = brn_inertia_placed(&link->inertia, &s->motion->place[i]);
        brn_tree_jacobian(s->tree, s->motion, i, placed.centre, jc, jw);
        for (int a = 0; a < nv; ++a) {
            for (int b = 0; b < nv; ++b) {
                for (int k = 0; k < 3; ++k) {
                    want[a * nv + b] += placed.mass * jc[k * nv + a] * jc[k * nv + b];
                    for (int l = 0; l < 3; ++l) {
                        want[a * nv + b] += jw[k * nv + a] * placed.about[3 * k + l] * jw[l * nv + b];
                    }
                }
            }
        }
        for (int d = s->tree->v_first[i]; d < s->tree->v_first[i + 1]; ++d) {
            want[d * nv + d] += link->joint.armature;
        }
    }
    for (int k = 0; k < nv * nv; ++k) {
        largest = fmax(largest, fabs(want[k]));
        energy += 0.5 * s->v[k / nv] * want[k] * s->v[k % nv];
    }
    for (int k = 0; k < nv * nv; ++k) {
        assert_near(mass[k], want[k], 1e-13 * largest); /* sums of up to 30 links */
    }
    assert_near(brn_tree_kinetic(s->tree, s->motion, s->v), energy, 1e-12 * (energy + 1e-300));
    free(mass);
    free(want);
    free(jc);
    free(jw);
}

static void test_mass(void **state)
{
    (void)state;
    for_random_trees(check_mass);
}

/* ---- Jacobians ---------------------------------------------------------------------------------------------------------------- */

/* Where a point of a link is after moving by v for h, and the link's rotation. */
static void moved_point(subject *s, brn_tree_motion *other, const double *v, double h, int link,
                        const double own[3], brn_rigid_map *place, double out[3])
{
    double *q = fresh(s->tree->nq);
    brn_tree_advance(s->tree, s->q, v, h, q);
    brn_tree_place(s->tree, q, other);
    brn_rigid_map_apply(&other->place[link], own, out);
    *place = other->place[link];
    free(q);
}

/* Columns by differences along each velocity, and their sum with v against the velocities of the links. */
static void check_jacobian(subject *s, brn_rng *rng)
{
    const int nv = s->tree->nv;
    const int link = pick_one(rng, s->tree->nlink);
    const double h = 1e-4; /* two-sided: h^2 of lengths of 10 m, and rounding 1e-15/h */
    double own[3], point[3], speed[3];
    double *linear = fresh(3 * nv);
    double *angular = fresh(3 * nv);
    double *unit = fresh(nv);
    brn_tree_motion *other = NULL;
    random_vector(rng, 0.3, own);
    assert_done(s->tree->ctx, brn_tree_motion_create(s->tree, &other));
    brn_rigid_map_apply(&s->motion->place[link], own, point);
    brn_tree_jacobian(s->tree, s->motion, link, point, linear, angular);
    for (int d = 0; d < nv; ++d) {
        double x[2][3], turn[9];
        brn_rigid_map place[2];
        unit[d] = 1.0;
        for (int side = 0; side < 2; ++side) {
            moved_point(s, other, unit, side == 0 ? -h : h, link, own, &place[side], x[side]);
        }
        unit[d] = 0.0;
        /* R(h) R(-h)' = 1 + 2 h [w]x + ... */
        brn_dense_multiply3_nt(place[1].rotation, place[0].rotation, turn);
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 2) % 3, j = (k + 1) % 3;
            assert_near(linear[k * nv + d], (x[1][k] - x[0][k]) / (2.0 * h), 3e-7);
            assert_near(angular[k * nv + d], (turn[3 * i + j] - turn[3 * j + i]) / (4.0 * h), 3e-7);
        }
    }
    brn_tree_velocity_at(s->tree, s->motion, link, point, speed);
    for (int k = 0; k < 3; ++k) {
        double u = 0.0, w = 0.0;
        for (int d = 0; d < nv; ++d) {
            u += linear[k * nv + d] * s->v[d];
            w += angular[k * nv + d] * s->v[d];
        }
        assert_near(speed[k], u, 1e-11);
        assert_near(s->motion->velocity[link][k], w, 1e-11);
    }
    brn_tree_motion_destroy(other);
    free(linear);
    free(angular);
    free(unit);
}

static void test_jacobians(void **state)
{
    (void)state;
    for_random_trees(check_jacobian);
}

static void check_push(subject *s, brn_rng *rng)
{
    const int nv = s->tree->nv;
    const int link = pick_one(rng, s->tree->nlink);
    double point[3], force[3], torque[3];
    double *linear = fresh(3 * nv);
    double *angular = fresh(3 * nv);
    double *tau = fresh(nv);
    random_vector(rng, 2.0, point);
    random_vector(rng, 5.0, force);
    random_vector(rng, 5.0, torque);
    brn_tree_jacobian(s->tree, s->motion, link, point, linear, angular);
    brn_tree_push(s->tree, s->motion, link, point, force, torque, tau);
    brn_tree_push(s->tree, s->motion, link, point, force, NULL, tau);
    for (int d = 0; d < nv; ++d) {
        double want = 0.0;
        for (int k = 0; k < 3; ++k) {
            want += 2.0 * linear[k * nv + d] * force[k] + angular[k * nv + d] * torque[k];
        }
        assert_near(tau[d], want, 1e-11);
    }
    free(linear);
    free(angular);
    free(tau);
}

static void test_push(void **state)
{
    (void)state;
    for_random_trees(check_push);
}

/* ---- inverse dynamics --------------------------------------------------------------------------------------------------------- */

/* Momenta of all links, [nlink][6]: of the centre of mass, and of turning about it, after moving from q, v with accelerations a for
   a time t. Places are right to t^2, which two-sided differences need. */
static void momenta(subject *s, brn_tree_motion *other, const double *a, double t, double (*out)[6])
{
    double *q = fresh(s->tree->nq);
    double *v = fresh(s->tree->nv);
    for (int d = 0; d < s->tree->nv; ++d) {
        v[d] = s->v[d] + 0.5 * t * a[d];
    }
    brn_tree_advance(s->tree, s->q, v, t, q);
    for (int d = 0; d < s->tree->nv; ++d) {
        v[d] = s->v[d] + t * a[d];
    }
    brn_tree_place(s->tree, q, other);
    brn_tree_move(s->tree, v, other);
    for (int i = 0; i < s->tree->nlink; ++i) {
        const brn_inertia placed = brn_inertia_placed(&s->tree->link[i].inertia, &other->place[i]);
        double u[3];
        brn_tree_velocity_at(s->tree, other, i, placed.centre, u);
        brn_dense_apply3(placed.about, other->velocity[i], out[i]);
        for (int k = 0; k < 3; ++k) {
            out[i][3 + k] = placed.mass * u[k];
        }
    }
    free(q);
    free(v);
}

/* tau = sum over links of Jc' (d(m u)/dt - m g) + Jw' dL/dt [Jourdain's principle], rates of change by differences. */
static void check_inverse(subject *s, brn_rng *rng)
{
    const int nv = s->tree->nv, nlink = s->tree->nlink;
    const double h = 1e-5;
    double *a = fresh(nv), *tau = fresh(nv), *bias = fresh(nv), *want = fresh(nv), *mass = fresh(nv * nv);
    double(*before)[6] = calloc((size_t)nlink, sizeof *before);
    double(*after)[6] = calloc((size_t)nlink, sizeof *after);
    brn_tree_motion *other = NULL;
    double largest = 1.0;
    assert_done(s->tree->ctx, brn_tree_motion_create(s->tree, &other));
    for (int d = 0; d < nv; ++d) {
        a[d] = pick(rng, -3.0, 3.0);
    }
    brn_tree_inverse(s->tree, s->motion, NULL, gravity, bias);
    brn_tree_inverse(s->tree, s->motion, a, gravity, tau);
    momenta(s, other, a, -h, before);
    momenta(s, other, a, h, after);
    for (int i = 0; i < nlink; ++i) {
        const double mass_i = s->tree->link[i].inertia.mass;
        double centre[3], force[3], torque[3];
        for (int k = 0; k < 3; ++k) {
            force[k] = (after[i][3 + k] - before[i][3 + k]) / (2.0 * h) - mass_i * gravity[k];
            torque[k] = (after[i][k] - before[i][k]) / (2.0 * h);
        }
        brn_rigid_map_apply(&s->motion->place[i], s->tree->link[i].inertia.centre, centre);
        brn_tree_push(s->tree, s->motion, i, centre, force, torque, want);
        for (int d = s->tree->v_first[i]; d < s->tree->v_first[i + 1]; ++d) {
            want[d] += s->tree->link[i].joint.armature * a[d];
        }
    }
    brn_tree_mass(s->tree, s->motion, mass);
    for (int d = 0; d < nv; ++d) {
        largest = fmax(largest, fabs(tau[d]));
    }
    for (int d = 0; d < nv; ++d) {
        double sum = bias[d];
        for (int e = 0; e < nv; ++e) {
            sum += mass[d * nv + e] * a[e];
        }
        assert_near(tau[d], want[d], 1e-7 * largest); /* h^2 of fast chains, rounding over h */
        assert_near(tau[d], sum, 1e-11 * largest);
    }
    brn_tree_motion_destroy(other);
    free(a);
    free(tau);
    free(bias);
    free(want);
    free(mass);
    free(before);
    free(after);
}

static void test_inverse(void **state)
{
    (void)state;
    for_random_trees(check_inverse);
}

/* d(energy)/dt = tau v: in particular no force of the bias does work. */
static void check_power(subject *s, brn_rng *rng)
{
    const int nv = s->tree->nv;
    double *a = fresh(nv), *tau = fresh(nv), *q = fresh(s->tree->nq), *v = fresh(nv);
    brn_tree_motion *other = NULL;
    double energy[2], power = 0.0, scale = 1.0;
    const double h = 1e-5;
    assert_done(s->tree->ctx, brn_tree_motion_create(s->tree, &other));
    for (int d = 0; d < nv; ++d) {
        a[d] = pick(rng, -3.0, 3.0);
    }
    brn_tree_inverse(s->tree, s->motion, a, gravity, tau);
    for (int side = 0; side < 2; ++side) {
        const double t = side == 0 ? -h : h;
        for (int d = 0; d < nv; ++d) {
            v[d] = s->v[d] + 0.5 * t * a[d];
        }
        brn_tree_advance(s->tree, s->q, v, t, q);
        for (int d = 0; d < nv; ++d) {
            v[d] = s->v[d] + t * a[d];
        }
        brn_tree_place(s->tree, q, other);
        brn_tree_move(s->tree, v, other);
        energy[side] = brn_tree_kinetic(s->tree, other, v) + brn_tree_potential(s->tree, other, gravity);
    }
    for (int d = 0; d < nv; ++d) {
        power += tau[d] * s->v[d];
        scale += fabs(tau[d] * s->v[d]);
    }
    assert_near((energy[1] - energy[0]) / (2.0 * h), power, 1e-6 * scale);
    brn_tree_motion_destroy(other);
    free(a);
    free(tau);
    free(q);
    free(v);
}

static void test_power(void **state)
{
    (void)state;
    for_random_trees(check_power);
}

/* A tree whose root floats has the momentum of the first six rows of M v, and far from the world's origin the mass matrix and bias
   that it has there. */
static void test_floating(void **state)
{
    (void)state;
    enum { LINKS = 12 };
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {5};
    brn_link link[LINKS];
    link[0] = (brn_link){random_inertia(&rng), brn_joint_default(BRN_JOINT_FLOATING, -1)};
    for (int i = 1; i < LINKS; ++i) {
        link[i] = random_link(&rng, (brn_joint_kind)pick_one(&rng, BRN_JOINT_KINDS), pick_one(&rng, i));
    }
    brn_tree *tree = NULL;
    brn_tree_motion *motion = NULL;
    assert_done(ctx, brn_tree_create(ctx, link, LINKS, &tree));
    assert_done(ctx, brn_tree_motion_create(tree, &motion));
    const int nv = tree->nv;
    double *q = fresh(tree->nq), *v = fresh(nv), *mass[2], *bias[2];
    random_state(tree, &rng, q, v);
    for (int far = 0; far < 2; ++far) {
        mass[far] = fresh(nv * nv);
        bias[far] = fresh(nv);
        for (int k = 0; k < 3 && far; ++k) {
            q[k] += 1e6;
        }
        brn_tree_place(tree, q, motion);
        brn_tree_move(tree, v, motion);
        brn_tree_mass(tree, motion, mass[far]);
        brn_tree_inverse(tree, motion, NULL, gravity, bias[far]);
    }
    for (int k = 0; k < nv * nv; ++k) {
        assert_true(mass[0][k] == mass[1][k]);
    }
    for (int d = 0; d < nv; ++d) {
        assert_true(bias[0][d] == bias[1][d]);
    }
    double linear[3], angular[3];
    brn_tree_momentum(tree, motion, motion->place[0].origin, linear, angular);
    for (int k = 0; k < 6; ++k) {
        double row = 0.0;
        for (int d = 0; d < nv; ++d) {
            row += mass[0][k * nv + d] * v[d];
        }
        assert_near(k < 3 ? linear[k] : angular[k - 3], row, 1e-8); /* roundings of 1e6 m */
    }
    for (int far = 0; far < 2; ++far) {
        free(mass[far]);
        free(bias[far]);
    }
    free(q);
    free(v);
    brn_tree_motion_destroy(motion);
    brn_tree_destroy(tree);
    brn_ctx_destroy(ctx);
}

/* ---- positions ---------------------------------------------------------------------------------------------------------------- */

static void check_advance(subject *s, brn_rng *rng)
{
    (void)rng;
    double *q = fresh(s->tree->nq), *last = fresh(s->tree->nq);
    brn_tree_advance(s->tree, s->q, s->v, 0.3, q);
    brn_tree_advance(s->tree, q, s->v, -0.3, last);
    for (int i = 0; i < s->tree->nq; ++i) {
        assert_near(last[i], s->q[i], 1e-14 * (1.0 + fabs(s->q[i])));
    }
    for (int n = 0; n < 1000; ++n) {
        brn_tree_advance(s->tree, q, s->v, 0.01 * (1 + n % 7), q);
    }
    for (int i = 0; i < s->tree->nlink; ++i) {
        if (s->tree->q_first[i + 1] - s->tree->q_first[i] >= 4) {
            const double *turn = &q[s->tree->q_first[i + 1] - 4];
            assert_near(turn[0] * turn[0] + brn_dense_dot3(&turn[1], &turn[1]), 1.0, 1e-15);
        }
    }
    free(q);
    free(last);
}

static void test_advance(void **state)
{
    (void)state;
    for_random_trees(check_advance);
}

/* Each kind once, with known places. */
static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        brn_joint_kind kind;
        double axis[3], q[7], place[3]; /* where the link's point (1, 0, 0) is */
    } cases[] = {
        {BRN_JOINT_FIXED, {0, 0, 1}, {0}, {1, 0, 0}},
        {BRN_JOINT_REVOLUTE, {0, 0, 2}, {M_PI / 2}, {0, 1, 0}},
        {BRN_JOINT_REVOLUTE, {0, -3, 0}, {M_PI / 2}, {0, 0, 1}},
        {BRN_JOINT_PRISMATIC, {0, 4, 0}, {0.5}, {1, 0.5, 0}},
        {BRN_JOINT_PLANAR, {0, 0, 1}, {2, 3, M_PI / 2}, {2, 4, 0}},
        {BRN_JOINT_BALL, {0, 0, 1}, {M_SQRT1_2, 0, M_SQRT1_2, 0}, {0, 0, -1}},
        {BRN_JOINT_FLOATING, {0, 0, 1}, {1, 2, 3, M_SQRT1_2, 0, 0, M_SQRT1_2}, {1, 3, 3}},
    };
    brn_ctx *ctx = test_ctx(1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        brn_link link = {{1.0, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}, brn_joint_default(cases[c].kind, -1)};
        brn_tree *tree = NULL;
        brn_tree_motion *motion = NULL;
        const double own[3] = {1.0, 0.0, 0.0};
        double x[3];
        memcpy(link.joint.axis, cases[c].axis, sizeof link.joint.axis);
        assert_done(ctx, brn_tree_create(ctx, &link, 1, &tree));
        assert_int_equal(tree->nq, brn_joint_info_of(cases[c].kind)->nq);
        assert_int_equal(tree->nv, brn_joint_info_of(cases[c].kind)->nv);
        assert_done(ctx, brn_tree_motion_create(tree, &motion));
        brn_tree_place(tree, cases[c].q, motion);
        brn_rigid_map_apply(&motion->place[0], own, x);
        for (int k = 0; k < 3; ++k) {
            assert_near(x[k], cases[c].place[k], 1e-15);
        }
        brn_tree_motion_destroy(motion);
        brn_tree_destroy(tree);
    }
    brn_ctx_destroy(ctx);
}

/* ---- errors ------------------------------------------------------------------------------------------------------------------- */

static void refuse(brn_ctx *ctx, const brn_link *link, int nlink, const char *words)
{
    brn_tree *tree = NULL;
    assert_int_equal(brn_tree_create(ctx, link, nlink, &tree), BRN_ERR_RANGE);
    assert_null(tree);
    if (strstr(brn_ctx_message(ctx), words) == NULL) {
        fail_msg("'%s' is not in '%s'", words, brn_ctx_message(ctx));
    }
}

static void test_errors(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    const brn_inertia one = {1.0, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    const brn_link good = {one, brn_joint_default(BRN_JOINT_REVOLUTE, -1)};
    brn_link bad[2] = {good, good};
    refuse(ctx, bad, 0, "at least one");
    bad[0].joint.parent = 0;
    refuse(ctx, bad, 1, "link 0: its parent is 0");
    bad[0] = good;
    bad[1].joint.parent = -2;
    refuse(ctx, bad, 2, "link 1: its parent is -2");
    bad[0].joint.kind = (brn_joint_kind)17;
    refuse(ctx, bad, 1, "no such kind");
    bad[0] = good;
    bad[0].joint.axis[2] = 0.0;
    refuse(ctx, bad, 1, "axis");
    bad[0] = good;
    bad[0].joint.axis[2] = INFINITY;
    refuse(ctx, bad, 1, "axis");
    bad[0] = good;
    bad[0].joint.frame.rotation[0] = 1.1;
    refuse(ctx, bad, 1, "frame");
    bad[0] = good;
    bad[0].joint.frame.rotation[0] = -1.0;
    refuse(ctx, bad, 1, "frame");
    bad[0] = good;
    bad[0].joint.damping = -1.0;
    refuse(ctx, bad, 1, "damping");
    bad[0] = good;
    bad[0].joint.armature = NAN;
    refuse(ctx, bad, 1, "armature");
    bad[0] = good;
    bad[0].joint.effort = -1.0;
    refuse(ctx, bad, 1, "effort");
    bad[0] = good;
    bad[0].joint.limit[0] = 2.0;
    bad[0].joint.limit[1] = 1.0;
    refuse(ctx, bad, 1, "reversed");
    bad[0] = good;
    bad[0].inertia.mass = -1.0;
    refuse(ctx, bad, 1, "link 0: mass is -1 kg");
    bad[0].inertia = (brn_inertia){0};
    refuse(ctx, bad, 1, "nothing that its joint moves has mass");
    bad[0].joint.armature = 1.0; /* a drive alone */
    brn_tree *tree = NULL;
    assert_done(ctx, brn_tree_create(ctx, bad, 1, &tree));
    brn_tree_destroy(tree);
    brn_tree_destroy(NULL);
    brn_tree_motion_destroy(NULL);
    brn_ctx_destroy(ctx);
}

static brn_status make_tree(brn_ctx *ctx, void *arg)
{
    (void)arg;
    brn_link link[3];
    for (int i = 0; i < 3; ++i) {
        link[i] =
            (brn_link){{1.0, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}, brn_joint_default(BRN_JOINT_BALL, i - 1)};
    }
    brn_tree *tree = NULL;
    brn_tree_motion *motion = NULL;
    brn_status status = brn_tree_create(ctx, link, 3, &tree);
    status = status < 0 ? status : brn_tree_motion_create(tree, &motion);
    brn_tree_motion_destroy(motion);
    brn_tree_destroy(tree);
    return status;
}

static void test_allocations(void **state)
{
    (void)state;
    assert_true(faulty_run(make_tree, NULL, 0) >= 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mass),    cmocka_unit_test(test_jacobians),
                                       cmocka_unit_test(test_push),    cmocka_unit_test(test_inverse),
                                       cmocka_unit_test(test_power),   cmocka_unit_test(test_floating),
                                       cmocka_unit_test(test_advance), cmocka_unit_test(test_kinds),
                                       cmocka_unit_test(test_errors),  cmocka_unit_test(test_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
