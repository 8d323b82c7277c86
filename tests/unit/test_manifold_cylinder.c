/* Manifolds of cylinders: gap and normal against a search over directions, exact cases, torque and rolling, degenerate shapes. */
#include "manifold_slow.h"

static const brn_primitive_kind kinds[] = {BRN_PRIMITIVE_CYLINDER, BRN_PRIMITIVE_SPHERE, BRN_PRIMITIVE_BOX,
                                           BRN_PRIMITIVE_CAPSULE,  BRN_PRIMITIVE_NONE,   BRN_PRIMITIVE_PLANE};
enum { NKIND = sizeof kinds / sizeof *kinds, PAIRS = 1200 };

static void test_random(void **state)
{
    (void)state;
    brn_rng rng = {11};
    double worst[NKIND] = {0.0};
    double off[NKIND] = {0.0};
    int met = 0;
    for (int n = 0; n < PAIRS; ++n) {
        solid s[2];
        brn_manifold m[2];
        const int kind = n % NKIND;
        double scale = pick_decade(&rng, -3, 1);
        random_primitive(&rng, kinds[kind], 3, scale * pick_decade(&rng, -1, 0), &s[1]);
        if (kinds[kind] == BRN_PRIMITIVE_NONE) {
            s[1].shape.hull = pool.hull[1][pick_one(&rng, HULLS)];
            scale = size_of(&s[1]);
        }
        random_primitive(&rng, BRN_PRIMITIVE_CYLINDER, 3, scale, &s[0]);
        random_pose(&rng, 3, &s[0], &s[1]);
        const double size = fmax(size_of(&s[0]), size_of(&s[1]));
        const double slow = kind < 5 ? slow_directions(&rng, &s[0], &s[1]) : 0.0;
        find(&s[0], &s[1], 10.0 * size, &m[0]);
        find(&s[1], &s[0], 10.0 * size, &m[1]);
        for (int k = 0; k < 2; ++k) {
            assert_true(m[k].count > 0);
            const brn_manifold_point *p = &m[k].point[nearest(&m[k])];
            off[kind] = fmax(off[kind], fabs(separation(&s[k], &s[1 - k], p->normal) - p->gap) / size);
            if (kind < 5) {
                if ((slow - p->gap) / size > 1e-7) {
                    print_message("pair %d kind %d slow %.12g found %.12g size %g\n", n, kind, slow, p->gap,
                                  size);
                }
                worst[kind] = fmax(worst[kind], (slow - p->gap) / size);
            }
            met += p->gap < 0.0;
            for (int i = 0; i < m[k].count; ++i) {
                const brn_manifold_point *q = &m[k].point[i];
                assert_near(brn_dense_dot3(q->normal, q->normal), 1.0, 1e-14);
                assert_true(isfinite(q->gap) && isfinite(q->place[0] + q->place[1] + q->place[2]));
            }
        }
    }
    for (int k = 0; k < NKIND; ++k) {
        print_message("kind %d: a direction is better by %.2g sizes, gap off its normal by %.2g\n",
                      (int)kinds[k], worst[k], off[k]);
    }
    assert_true(met > PAIRS / 2);
    for (int k = 0; k < NKIND;
         ++k) { /* the search over directions ends at 1e-9, and is a bound from one side */
        assert_true(worst[k] < 1e-9 && off[k] < 1e-8);
    }
}

static const double right = 1.5707963267948966;

static void test_plane(void **state)
{
    (void)state;
    brn_manifold m;
    const solid plane = made(BRN_PRIMITIVE_PLANE, 3, 0, 0, 0);
    const solid can = made(BRN_PRIMITIVE_CYLINDER, 3, 0.5, 2, 0);
    solid on = moved(can, 4, 8, 1.875);
    find(&on, &plane, 0.25, &m);
    assert_int_equal(m.count, 4);
    same_normal(&m, 0, 0, 1, 0);
    for (int i = 0; i < 4; ++i) {
        assert_true(m.point[i].gap == -0.125);
        has_place(&m, 4 + (i == 0) * 0.5 - (i == 1) * 0.5, 8 + (i == 2) * 0.5 - (i == 3) * 0.5, -0.0625,
                  1e-15);
    }
    /* Lying: the two ends of its line. */
    on = moved(turned(can, 0, 1, 0, right), 1, 2, 0.625);
    find(&on, &plane, 0.25, &m);
    assert_int_equal(m.count, 2);
    same_normal(&m, 0, 0, 1, 0);
    has_place(&m, -1, 2, 0.0625, 1e-15);
    has_place(&m, 3, 2, 0.0625, 1e-15);
    /* On its rim: the lowest point is exact, whatever the way it is turned about itself. */
    for (int k = 0; k < 20; ++k) {
        on = moved(turned(turned(can, 0, 0, 1, 0.1 * k), 0, 1, 0, 0.5), 0, 0, 2);
        find(&on, &plane, 0.125, &m);
        assert_int_equal(m.count, 1);
        assert_near(m.point[0].gap, 2 - 2 * cos(0.5) - 0.5 * sin(0.5), 1e-15 * 4);
        assert_near(m.point[0].place[0], 0.5 * cos(0.5) - 2 * sin(0.5), 1e-15 * 4);
    }
}

static void test_ends(void **state)
{
    (void)state;
    brn_manifold m;
    const solid can = made(BRN_PRIMITIVE_CYLINDER, 3, 0.5, 2, 0);
    const solid box = moved(made(BRN_PRIMITIVE_BOX, 3, 2, 2, 1), 0, 0, -1);
    /* Within a face: four of its rim. */
    solid on = moved(can, 0.25, -0.5, 1.875);
    find(&on, &box, 0.25, &m);
    assert_int_equal(m.count, 4);
    same_normal(&m, 0, 0, 1, 0);
    for (int i = 0; i < 4; ++i) {
        assert_near(m.point[i].gap, -0.125, 1e-15);
        assert_near(hypot(m.point[i].place[0] - 0.25, m.point[i].place[1] + 0.5), 0.5, 1e-15 * 4);
    }
    /* Over a side, by 0.3: where that cuts the rim is among the points, and nothing is outside. */
    on = moved(can, 1.7, 0, 1.875);
    find(&on, &box, 0.25, &m);
    assert_int_equal(m.count, 5);
    has_place(&m, 2, 0.4, -0.0625, 1e-15 * 4);
    has_place(&m, 2, -0.4, -0.0625, 1e-15 * 4);
    has_place(&m, 1.2, 0, -0.0625, 1e-15 * 4);
    /* A small box on the end: its corners. */
    const solid brick = moved(made(BRN_PRIMITIVE_BOX, 3, 0.25, 0.125, 1), 0, 0, 3);
    find(&brick, &can, 0.25, &m);
    assert_int_equal(m.count, 4);
    has_place(&m, 0.25, -0.125, 2, 1e-15);
    /* Stacked, the same: four; beside each other by a radius: where the rims cross. */
    on = moved(can, 0, 0, 3.9375);
    find(&on, &can, 0.25, &m);
    assert_int_equal(m.count, 4);
    assert_near(m.point[0].gap, -0.0625, 1e-15);
    on = moved(can, 0.6, 0, 3.9375);
    find(&on, &can, 0.25, &m);
    assert_int_equal(m.count, 4);
    has_place(&m, 0.3, 0.4, 2 - 0.03125, 1e-11); /* a hair of the border counts as inside */
    has_place(&m, 0.3, -0.4, 2 - 0.03125, 1e-11);
    has_place(&m, 0.5, 0, 2 - 0.03125, 1e-14);
    has_place(&m, 0.1, 0, 2 - 0.03125, 1e-14);
    /* Lying across the end: where its line cuts the rim. */
    const solid pipe = moved(turned(can, 0, 1, 0, right), 0, 0.3, 2.4375);
    find(&pipe, &can, 0.25, &m);
    assert_int_equal(m.count, 2);
    has_place(&m, 0.4, 0.3, 2 - 0.03125, 1e-14);
    has_place(&m, -0.4, 0.3, 2 - 0.03125, 1e-14);
}

static void test_mantles(void **state)
{
    (void)state;
    brn_manifold m;
    const solid pipe = turned(made(BRN_PRIMITIVE_CYLINDER, 3, 0.5, 2, 0), 0, 1, 0, right); /* along x */
    const solid rod = turned(made(BRN_PRIMITIVE_CAPSULE, 3, 0.25, 2, 0), 0, 1, 0, right);
    /* Beside each other: the ends of the common stretch. */
    solid on = moved(pipe, 1, 0.6, 0.8);
    find(&on, &pipe, 0.25, &m);
    assert_int_equal(m.count, 2);
    same_normal(&m, 0, 0.6, 0.8, 1e-8);
    assert_near(m.point[0].gap, 0.0, 1e-14);
    has_place(&m, 2, 0.3, 0.4, 1e-8);
    has_place(&m, -1, 0.3, 0.4, 1e-8);
    on = moved(rod, -1, 0, 0.625);
    find(&on, &pipe, 0.25, &m);
    assert_int_equal(m.count, 2);
    same_normal(&m, 0, 0, 1, 1e-8);
    assert_near(m.point[0].gap, -0.125, 1e-14);
    has_place(&m, 1, 0, 0.4375, 1e-8);
    has_place(&m, -2, 0, 0.4375, 1e-8);
    /* Across each other: one point. */
    on = moved(turned(pipe, 0, 0, 1, 1.0), 0.5, 0, 0.9375);
    find(&on, &pipe, 0.25, &m);
    assert_int_equal(m.count, 1);
    same_normal(&m, 0, 0, 1, 1e-14);
    assert_near(m.point[0].gap, -0.0625, 1e-14);
    has_place(&m, 0.5, 0, 0.46875, 1e-13);
    /* Lying on a box that is shorter: at its sides. */
    const solid box = moved(made(BRN_PRIMITIVE_BOX, 3, 1, 1, 1), 0, 0, -1);
    on = moved(pipe, 0.25, 0, 0.4375);
    find(&on, &box, 0.25, &m);
    assert_int_equal(m.count, 2);
    same_normal(&m, 0, 0, 1, 1e-15);
    has_place(&m, 1, 0, -0.03125, 1e-14);
    has_place(&m, -1, 0, -0.03125, 1e-14);
}

/* Springs under a standing cylinder resist a tilt in the same way in every direction: sum x^2 = 2 r^2. */
static void test_torque(void **state)
{
    (void)state;
    const double depth = 1e-3;
    const solid plane = made(BRN_PRIMITIVE_PLANE, 3, 0, 0, 0);
    const solid table = moved(made(BRN_PRIMITIVE_BOX, 3, 2, 2, 1), 0, 0, -1);
    const solid stump = moved(made(BRN_PRIMITIVE_CYLINDER, 3, 1.5, 1, 0), 0, 0, -1);
    const solid can = moved(made(BRN_PRIMITIVE_CYLINDER, 3, 0.5, 0.25, 0), 0, 0, 0.25 - depth);
    const solid *below[3] = {&plane, &table, &stump};
    for (int k = 0; k < 30; ++k) {
        double inertia[2];
        const solid on = turned(can, 0, 0, 1, 0.21 * k);
        torque_of(&on, below[k % 3], depth, inertia);
        assert_near(inertia[0], 0.5, 8e-3);
        assert_near(inertia[1], 0.5, 8e-3);
    }
}

/* Coins, needles, coincident ones. */
static void test_degenerate(void **state)
{
    (void)state;
    brn_rng rng = {15};
    const double sizes[3][2] = {{1, 1}, {1, 1e-4}, {1e-4, 1}};
    for (int n = 0; n < 4000; ++n) {
        solid s[2];
        brn_manifold m;
        for (int k = 0; k < 2; ++k) {
            const double *size = sizes[pick_one(&rng, 3)];
            s[k] =
                made(k == 0 ? BRN_PRIMITIVE_CYLINDER : kinds[pick_one(&rng, 4)], 3, size[0], size[1], 1e-2);
            random_rotation(&rng, 3, s[k].frame.rotation);
        }
        if (pick_one(&rng, 3) == 0) {
            s[1] = s[0];
        }
        const double far = pick_one(&rng, 3) == 0 ? 0.0 : pick_one(&rng, 2) == 0 ? 1.0 : 1e-4;
        for (int i = 0; i < 3; ++i) {
            s[0].frame.origin[i] +=
                far * (pick_one(&rng, 2) == 0 ? pick_one(&rng, 3) - 1 : pick(&rng, -1, 1));
        }
        find(&s[0], &s[1], 10.0, &m);
        assert_true(m.count > 0);
        const brn_manifold_point *first = &m.point[nearest(&m)];
        assert_near(separation(&s[0], &s[1], first->normal), first->gap, 1e-7);
        for (int i = 0; i < m.count; ++i) {
            const brn_manifold_point *p = &m.point[i];
            assert_near(brn_dense_dot3(p->normal, p->normal), 1.0, 1e-14);
            assert_true(isfinite(p->gap) && isfinite(p->place[0] + p->place[1] + p->place[2]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),  cmocka_unit_test(test_plane),  cmocka_unit_test(test_ends),
        cmocka_unit_test(test_mantles), cmocka_unit_test(test_torque), cmocka_unit_test(test_degenerate),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
