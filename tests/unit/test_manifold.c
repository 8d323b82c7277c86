/* Contact manifolds: gap and normal against slow methods for random pairs, exact cases, symmetry, motion, torque, degenerate shapes. */
#include "manifold_slow.h"

static const brn_primitive_kind kinds[] = {BRN_PRIMITIVE_SPHERE, BRN_PRIMITIVE_BOX, BRN_PRIMITIVE_CAPSULE,
                                           BRN_PRIMITIVE_NONE, BRN_PRIMITIVE_PLANE};
enum { NKIND = sizeof kinds / sizeof *kinds, PAIRS = 20000 };

static double slow_gap(const solid *a, const solid *b)
{
    static features fa;
    static features fb;
    const int dim = a->shape.shape.dim;
    const solid *plane = a->shape.shape.kind == BRN_PRIMITIVE_PLANE   ? a
                         : b->shape.shape.kind == BRN_PRIMITIVE_PLANE ? b
                                                                      : NULL;
    if (plane != NULL) {
        const double *r = plane->frame.rotation;
        const double sign = plane == a ? -1.0 : 1.0;
        const double n[3] = {sign * r[dim - 1], sign * r[dim + 2], sign * r[dim + 5]};
        return separation(a, b, n);
    }
    collect(a, &fa);
    collect(b, &fb);
    return slow_polytopes(&fa, &fb, dim);
}

/* What holds of every manifold. Returns the error of the gap in sizes of the larger shape. */
static double check(const solid *a, const solid *b, double within, double gap)
{
    brn_manifold m;
    const double size = fmax(size_of(a), size_of(b));
    const double far = fabs(a->frame.origin[0]) + fabs(a->frame.origin[1]) + fabs(a->frame.origin[2]) + size;
    find(a, b, within, &m);
    if (m.count == 0) {
        assert_true(gap > within - 1e-9 * size - 1e-14 * far);
        return 0.0;
    }
    const brn_manifold_point *first = &m.point[nearest(&m)];
    /* The gap is the one along the normal. Of capsules along each other that is known to the root of rounding. */
    assert_near(separation(a, b, first->normal), first->gap, 1e-8 * size + 1e-13 * far);
    for (int i = 0; i < m.count; ++i) {
        const brn_manifold_point *p = &m.point[i];
        assert_near(brn_dense_dot3(p->normal, p->normal), 1.0, 1e-14 * 4);
        assert_true(p->gap <= within);
        assert_true(a->shape.shape.dim == 3 || (p->normal[2] == 0.0 && p->place[2] == 0.0));
        /* The place is at the surfaces: half a gap above b, half a gap below a. */
        for (int e = 0; e < 2; ++e) {
            const solid *s = e == 0 ? a : b;
            const double sign = e == 0 ? 1.0 : -1.0;
            double x[3];
            double normal[3];
            double closest[3];
            for (int k = 0; k < 3; ++k) {
                x[k] = p->place[k] + sign * 0.5 * p->gap * p->normal[k];
            }
            /* Of a capsule that is not level the other end's ball touches below its mantle. */
            if (s->shape.hull == NULL && (p == first || s->shape.shape.kind == BRN_PRIMITIVE_BOX)) {
                const double off = brn_primitive_distance_at(&s->shape.shape, &s->frame, x, normal, closest);
                assert_near(off, 0.0, 1e-9 * size + 1e-13 * far);
            }
        }
    }
    return fabs(first->gap - gap) / (size + 1e-4 * far);
}

static void test_random(void **state)
{
    (void)state;
    brn_rng rng = {1};
    double worst = 0.0;
    int met = 0;
    for (int n = 0; n < PAIRS; ++n) {
        const int dim = n % 3 == 0 ? 2 : 3;
        solid s[2];
        const double scale = random_pair(&rng, &pool, kinds, NKIND, dim, s);
        const double gap = slow_gap(&s[0], &s[1]);
        const double error = check(&s[0], &s[1], 0.3 * scale, gap);
        const double swapped = check(&s[1], &s[0], 0.3 * scale, gap);
        if (fmax(error, swapped) > 1e-8) {
            print_message("pair %d: %d %d dim %d gap %g error %g %g\n", n, s[0].shape.shape.kind,
                          s[1].shape.shape.kind, dim, gap, error, swapped);
        }
        worst = fmax(worst, fmax(error, swapped));
        met += gap < 0.3 * scale;
    }
    print_message("%d of %d pairs near, worst error of a gap %.2g sizes\n", met, PAIRS, worst);
    assert_true(met > PAIRS / 2);
    assert_true(worst < 1e-9);
}

/* ---- exact cases -------------------------------------------------------------------------------------------------------------- */

static void test_exact(void **state)
{
    (void)state;
    brn_manifold m;
    const solid plane = made(BRN_PRIMITIVE_PLANE, 3, 0, 0, 0);
    const solid box = made(BRN_PRIMITIVE_BOX, 3, 1, 2, 4);
    const solid rod = turned(made(BRN_PRIMITIVE_CAPSULE, 3, 0.5, 2, 0), 0, 1, 0, acos(0.0)); /* along x */
    const double eps = 1e-15 * 4;

    /* A box on a plane: four corners, exact. */
    solid on = moved(box, 8, 16, 4.25);
    find(&on, &plane, 0.5, &m);
    assert_int_equal(m.count, 4);
    same_normal(&m, 0, 0, 1, 0);
    for (int i = 0; i < 4; ++i) {
        assert_true(m.point[i].gap == 0.25);
        has_place(&m, i < 2 ? 7 : 9, i % 2 == 0 ? 14 : 18, 0.125, 0.0);
    }
    find(&on, &plane, 0.125, &m);
    assert_int_equal(m.count, 0);
    find(&plane, &on, 0.5, &m);
    assert_int_equal(m.count, 4);
    same_normal(&m, 0, 0, -1, 0);

    /* Stacked cubes, one turned by 45 degrees: the octagon. */
    const solid cube = made(BRN_PRIMITIVE_BOX, 3, 1, 1, 1);
    on = moved(turned(cube, 0, 0, 1, acos(0.0) / 2), 0, 0, 1.875);
    find(&on, &cube, 0.1, &m);
    assert_int_equal(m.count, 8);
    same_normal(&m, 0, 0, 1, eps);
    for (int i = 0; i < 8; ++i) {
        const double near = sqrt(2.0) - 1.0;
        const double u = i < 4 ? 1.0 : near;
        const double v = i < 4 ? near : 1.0;
        assert_near(m.point[i].gap, -0.125, eps);
        has_place(&m, i % 2 == 0 ? u : -u, i / 2 % 2 == 0 ? v : -v, 0.9375, eps);
    }

    /* Level capsule on a box: its ends; where it stands out over the border, the border. */
    on = moved(rod, 0, 0, 4.625);
    find(&on, &box, 0.25, &m);
    assert_int_equal(m.count, 2);
    same_normal(&m, 0, 0, 1, eps);
    has_place(&m, 1, 0, 4.0625, 1e-15 * 8);
    has_place(&m, -1, 0, 4.0625, 1e-15 * 8);
    assert_near(m.point[0].gap, 0.125, 1e-15);

    /* Along the edge of a box, outside of its corner: two points, normal across. */
    on = moved(turned(made(BRN_PRIMITIVE_CAPSULE, 3, 0.5, 1, 0), 1, 0, 0, acos(0.0)), 1.375, 0.5,
               4.5); /* along y */
    find(&on, &box, 0.25, &m);
    assert_int_equal(m.count, 2);
    same_normal(&m, 0.6, 0, 0.8, 1e-14);
    for (int i = 0; i < 2; ++i) {
        assert_near(m.point[i].gap, 0.125, 1e-14);
        has_place(&m, 1 + 0.0625 * 0.6, i == 0 ? 1.5 : -0.5, 4 + 0.0625 * 0.8, 1e-14);
    }

    /* Capsules along each other: the ends of the common stretch. Across: one point. */
    on = moved(rod, 1, 0, 1.25);
    find(&on, &rod, 0.5, &m);
    assert_int_equal(m.count, 2);
    has_place(&m, 2, 0, 0.625, 1e-15 * 4);
    has_place(&m, -1, 0, 0.625, 1e-15 * 4);
    on = moved(turned(rod, 0, 0, 1, acos(0.0)), 0.5, 0.25, 1.25);
    find(&on, &rod, 0.5, &m);
    assert_int_equal(m.count, 1);
    has_place(&m, 0.5, 0, 0.625, 1e-15 * 4);

    /* Edge over edge: one point. */
    const solid roof = turned(cube, 1, 0, 0, acos(0.0) / 2);
    on = moved(turned(cube, 0, 1, 0, acos(0.0) / 2), 0.25, -0.125, 2.0 * sqrt(2.0) - 0.0625);
    find(&on, &roof, 0.1, &m);
    assert_int_equal(m.count, 1);
    same_normal(&m, 0, 0, 1, 1e-14);
    assert_near(m.point[0].gap, -0.0625, 1e-14);
    has_place(&m, 0.25, 0, sqrt(2.0) - 0.03125, 1e-14);
}

/* In the plane. */
static void test_flat(void **state)
{
    (void)state;
    brn_manifold m;
    const solid plane = made(BRN_PRIMITIVE_PLANE, 2, 0, 0, 0);
    const solid plate = made(BRN_PRIMITIVE_BOX, 2, 1, 2, 0);
    const solid rod = turned(made(BRN_PRIMITIVE_CAPSULE, 2, 0.5, 2, 0), 0, 0, 1, acos(0.0));
    solid on = moved(plate, 4, 1.75, 0);
    find(&on, &plane, 0.1, &m);
    assert_int_equal(m.count, 2);
    same_normal(&m, 0, 1, 0, 0);
    has_place(&m, 3, -0.125, 0, 0);
    has_place(&m, 5, -0.125, 0, 0);
    on = moved(plate, 0.5, 4.125, 0);
    find(&on, &plate, 0.25, &m);
    assert_int_equal(m.count, 2);
    has_place(&m, 1, 2.0625, 0, 1e-15);
    has_place(&m, -0.5, 2.0625, 0, 1e-15);
    on = moved(rod, 0, 2.625, 0);
    find(&on, &plate, 0.25, &m);
    assert_int_equal(m.count, 2);
    has_place(&m, 1, 2.0625, 0, 1e-15);
    has_place(&m, -1, 2.0625, 0, 1e-15);
    /* Corner to corner. */
    on = moved(plate, 2.3, 4.4, 0);
    find(&on, &plate, 1.0, &m);
    assert_int_equal(m.count, 1);
    assert_near(m.point[0].gap, 0.5, 1e-15 * 4);
    same_normal(&m, 0.6, 0.8, 0, 1e-15 * 8);
}

/* ---- what must hold of all ---------------------------------------------------------------------------------------------------- */

/* Points of one manifold in another one, each with its gap, normals with a sign. */
static void same_points(const brn_manifold *m, const brn_manifold *other, double sign, double tolerance)
{
    assert_int_equal(m->count, other->count);
    if (m->count == BRN_MANIFOLD_MOST) { /* which ones went, of a regular polygon, rounding decides */
        assert_near(m->point[nearest(m)].gap, other->point[nearest(other)].gap, tolerance);
        return;
    }
    for (int i = 0; i < m->count; ++i) {
        double best = INFINITY;
        for (int j = 0; j < m->count; ++j) {
            double off = fabs(m->point[i].gap - other->point[j].gap);
            for (int k = 0; k < 3; ++k) {
                off = fmax(off, fabs(m->point[i].place[k] - other->point[j].place[k]));
                off = fmax(off,
                           fabs(m->point[i].normal[k] - sign * other->point[j].normal[k]) * tolerance / 1e-6);
            }
            best = fmin(best, off);
        }
        assert_near(best, 0.0, tolerance);
    }
}

/* Exchanged, and moved together. Poses are drawn without ties, which rounding may decide either way. */
static void test_symmetry(void **state)
{
    (void)state;
    brn_rng rng = {2};
    for (int n = 0; n < 3000; ++n) {
        const int dim = n % 3 == 0 ? 2 : 3;
        solid s[2];
        const double scale = random_pair(&rng, &pool, kinds, NKIND, dim, s);
        brn_manifold m[3];
        brn_rigid_map motion = {.origin = {pick(&rng, -1, 1), pick(&rng, -1, 1), dim == 3 ? 0.5 : 0.0}};
        const double axis[3] = {dim == 3 ? 0.4 : 0.0, dim == 3 ? -0.2 : 0.0, 1.0};
        assert_true(brn_dense_rotation(axis, pick(&rng, -3, 3), motion.rotation));
        for (int k = 0; k < 2; ++k) {
            (void)brn_dense_rotation((const double[3]){dim == 3 ? pick(&rng, -1, 1) : 0.0,
                                                       dim == 3 ? pick(&rng, -1, 1) : 0.0,
                                                       pick(&rng, 0.1, 1)},
                                     pick(&rng, -3, 3), s[k].frame.rotation);
        }
        random_pose(&rng, dim, &s[0], &s[1]);
        find(&s[0], &s[1], 0.2 * scale, &m[0]);
        find(&s[1], &s[0], 0.2 * scale, &m[1]);
        same_points(&m[0], &m[1], -1.0, 1e-9 * scale + 1e-13);
        for (int k = 0; k < 2; ++k) {
            const brn_rigid_map old = s[k].frame;
            brn_dense_multiply3(motion.rotation, old.rotation, s[k].frame.rotation);
            brn_rigid_map_apply(&motion, old.origin, s[k].frame.origin);
        }
        find(&s[0], &s[1], 0.2 * scale, &m[2]);
        for (int i = 0; i < m[0].count; ++i) {
            const brn_manifold_point old = m[0].point[i];
            brn_rigid_map_apply(&motion, old.place, m[0].point[i].place);
            brn_dense_apply3(motion.rotation, old.normal, m[0].point[i].normal);
        }
        same_points(&m[0], &m[2], 1.0, 1e-8 * scale + 1e-12);
    }
}

static void test_torque(void **state)
{
    (void)state;
    const double depth = 1e-3;
    const solid plane = made(BRN_PRIMITIVE_PLANE, 3, 0, 0, 0);
    const solid table = moved(made(BRN_PRIMITIVE_BOX, 3, 2, 2, 1), 0, 0, -1);
    const solid box = moved(made(BRN_PRIMITIVE_BOX, 3, 0.5, 0.25, 0.125), 0, 0, 0.125 - depth);
    double inertia[2];
    /* sum y^2 = 4 0.25^2 and sum x^2 = 4 0.5^2; the rest, depth times height, is below 1e-3 of it. */
    torque_of(&box, &plane, depth, inertia);
    assert_near(inertia[0], 0.25, 4e-3);
    assert_near(inertia[1], 1.0, 4e-3);
    torque_of(&box, &table, depth, inertia);
    assert_near(inertia[0], 0.25, 4e-3);
    assert_near(inertia[1], 1.0, 4e-3);
}

/* Needles and plates, coincident centres, same boxes: numbers, unit normals, and a gap that is the separation along the normal. */
static void test_degenerate(void **state)
{
    (void)state;
    brn_rng rng = {5};
    const double sizes[4][3] = {{1, 1, 1}, {1, 1e-4, 1e-4}, {1, 1, 1e-4}, {1e-4, 1, 1e-2}};
    for (int n = 0; n < 20000; ++n) {
        const int dim = n % 3 == 0 ? 2 : 3;
        solid s[2];
        brn_manifold m;
        for (int k = 0; k < 2; ++k) {
            const double *size = sizes[pick_one(&rng, 4)];
            s[k] = made(kinds[pick_one(&rng, NKIND - 2)], dim, size[0], size[1], dim == 3 ? size[2] : 0.0);
            random_rotation(&rng, dim, s[k].frame.rotation);
        }
        if (pick_one(&rng, 3) == 0) {
            s[1] = s[0];
        }
        const double far = pick_one(&rng, 3) == 0 ? 0.0 : pick_one(&rng, 2) == 0 ? 1.0 : 1e-4;
        for (int i = 0; i < dim; ++i) {
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

/* The cheap test never loses a pair, and boxes are tight. */
static void test_reach(void **state)
{
    (void)state;
    brn_rng rng = {6};
    int far = 0;
    for (int n = 0; n < 5000; ++n) {
        const int dim = n % 3 == 0 ? 2 : 3;
        solid s[2];
        brn_manifold m;
        brn_box box;
        const double within = 0.01 * random_pair(&rng, &pool, kinds, NKIND, dim, s);
        const solid a = s[0];
        const solid b = s[1];
        find(&a, &b, within, &m);
        const bool reach = brn_manifold_reach(&a.shape, &a.frame, &b.shape, &b.frame, within);
        assert_true(reach || m.count == 0);
        far += !reach;
        brn_convex_box(&a.shape, &a.frame, &box);
        for (int k = 0; k < 3; ++k) {
            double up[3] = {0, 0, 0};
            double down[3] = {0, 0, 0};
            up[k] = 1.0;
            down[k] = -1.0;
            assert_near(box.hi[k], height(&a, up), 1e-15 * 8);
            assert_near(box.lo[k], -height(&a, down), 1e-15 * 8);
        }
    }
    assert_true(far > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),   cmocka_unit_test(test_exact),  cmocka_unit_test(test_flat),
        cmocka_unit_test(test_symmetry), cmocka_unit_test(test_torque), cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_reach),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
