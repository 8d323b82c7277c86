/* 1e5 random pairs of all kinds against the slow methods: the worst error of a gap. */
#include "manifold_slow.h"

static const brn_primitive_kind kinds[] = {BRN_PRIMITIVE_SPHERE, BRN_PRIMITIVE_BOX, BRN_PRIMITIVE_CAPSULE,
                                           BRN_PRIMITIVE_NONE, BRN_PRIMITIVE_PLANE};
enum { NKIND = sizeof kinds / sizeof *kinds, PAIRS = 90000, ROUND = 10000 };

static void test_polytopes(void **state)
{
    (void)state;
    brn_rng rng = {101};
    double worst = 0.0;
    for (int n = 0; n < PAIRS; ++n) {
        solid s[2];
        const double scale = random_pair(&rng, &pool, kinds, NKIND, n % 3 == 0 ? 2 : 3, s);
        const double gap = slow_gap(&s[0], &s[1]);
        worst = fmax(worst, check_pair(&s[0], &s[1], 0.3 * scale, gap));
        worst = fmax(worst, check_pair(&s[1], &s[0], 0.3 * scale, gap));
    }
    print_message("%d pairs, worst error of a gap %.2g sizes\n", PAIRS, worst);
    assert_true(worst < 1e-9);
}

/* Cylinders with all kinds but planes: no direction of a search is better. */
static void test_cylinders(void **state)
{
    (void)state;
    brn_rng rng = {102};
    double worst = 0.0;
    for (int n = 0; n < ROUND; ++n) {
        solid s[2];
        brn_manifold m;
        double scale = pick_decade(&rng, -3, 1);
        const brn_primitive_kind kind = n % NKIND == NKIND - 1 ? BRN_PRIMITIVE_CYLINDER : kinds[n % NKIND];
        random_primitive(&rng, kind, 3, scale * pick_decade(&rng, -1, 0), &s[1]);
        if (kind == BRN_PRIMITIVE_NONE) {
            s[1].shape.hull = pool.hull[1][pick_one(&rng, HULLS)];
            scale = size_of(&s[1]);
        }
        random_primitive(&rng, BRN_PRIMITIVE_CYLINDER, 3, scale, &s[0]);
        random_pose(&rng, 3, &s[0], &s[1]);
        const double size = fmax(size_of(&s[0]), size_of(&s[1]));
        find(&s[0], &s[1], 10.0 * size, &m);
        assert_true(m.count > 0);
        const brn_manifold_point *p = &m.point[nearest(&m)];
        assert_near(separation(&s[0], &s[1], p->normal), p->gap, 1e-8 * size);
        worst = fmax(worst, (slow_directions(&rng, &s[0], &s[1]) - p->gap) / size);
    }
    print_message("%d pairs of cylinders, a direction is better by %.2g sizes at most\n", ROUND, worst);
    assert_true(worst < 1e-7); /* deep in each other the search has more starts, but not all there are */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polytopes),
        cmocka_unit_test(test_cylinders),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
