/* Inertia of shapes and surfaces: against each other, against pieces put together, and what is refused. */
#include "tree_fixture.h"

#include "geom/moments.h"

static void assert_same(const brn_inertia *a, const brn_inertia *b, double tolerance)
{
    assert_near(a->mass, b->mass, tolerance * b->mass);
    for (int k = 0; k < 3; ++k) {
        assert_near(a->centre[k], b->centre[k], tolerance);
    }
    for (int k = 0; k < 9; ++k) {
        assert_near(a->about[k], b->about[k], tolerance * (b->about[0] + b->about[4] + b->about[8]));
    }
}

/* Closed forms of textbooks; the capsule from its parts: a cylinder and two half balls, whose centres are 3/8 r from their faces and
   whose moments about the axes across are 83/320 m r^2. */
static void test_primitives(void **state)
{
    (void)state;
    const double r = 0.3, h = 0.7, rho = 500.0;
    const double cylinder = rho * M_PI * r * r * h, half = rho * 2.0 / 3.0 * M_PI * r * r * r;
    const double arm = 0.5 * h + 0.375 * r;
    const struct {
        brn_primitive shape;
        double mass, across, along;
    } cases[] = {
        {{BRN_PRIMITIVE_SPHERE, 3, {r}}, 2 * half, 0.8 * half * r * r, 0.8 * half * r * r},
        {{BRN_PRIMITIVE_CYLINDER, 3, {r, 0.5 * h}},
         cylinder,
         cylinder * (3 * r * r + h * h) / 12,
         cylinder * r * r / 2},
        {{BRN_PRIMITIVE_CAPSULE, 3, {r, 0.5 * h}},
         cylinder + 2 * half,
         cylinder * (3 * r * r + h * h) / 12 + 2 * half * (83.0 / 320.0 * r * r + arm * arm),
         cylinder * r * r / 2 + 0.8 * half * r * r},
        {{BRN_PRIMITIVE_BOX, 3, {0.5 * r, 0.5 * r, 0.5 * h}},
         rho * r * r * h,
         rho * r * r * h * (r * r + h * h) / 12,
         rho * r * r * h * r * r / 6},
        {{BRN_PRIMITIVE_SPHERE, 2, {r}},
         rho * M_PI * r * r,
         rho * M_PI * pow(r, 4) / 4,
         rho * M_PI * pow(r, 4) / 2},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        brn_inertia got;
        assert_true(brn_inertia_of_primitive(&cases[c].shape, rho, &got));
        const double x = cases[c].across;
        const brn_inertia want = {cases[c].mass, {0}, {x, 0, 0, 0, x, 0, 0, 0, cases[c].along}};
        assert_same(&got, &want, 1e-14);
    }
    brn_inertia unused;
    const brn_primitive plane = {.kind = BRN_PRIMITIVE_PLANE, .dim = 3};
    assert_false(brn_inertia_of_primitive(&plane, rho, &unused));
}

/* A box cut into eight at any place, turned and shifted: its parts together are the box. */
static void test_pieces(void **state)
{
    (void)state;
    brn_rng rng = {3};
    for (int n = 0; n < 20; ++n) {
        brn_primitive box = {
            BRN_PRIMITIVE_BOX, 3, {pick(&rng, 0.1, 1), pick(&rng, 0.1, 1), pick(&rng, 0.1, 1)}};
        brn_rigid_map place;
        brn_inertia whole, sum = {0};
        double cut[3];
        random_rotation(&rng, place.rotation);
        random_vector(&rng, 2.0, place.origin);
        assert_true(brn_inertia_of_primitive(&box, 700.0, &whole));
        for (int k = 0; k < 3; ++k) {
            cut[k] = pick(&rng, -0.9, 0.9) * box.size[k];
        }
        for (int piece = 0; piece < 8; ++piece) {
            brn_primitive part = box;
            brn_rigid_map at = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
            brn_inertia own;
            for (int k = 0; k < 3; ++k) {
                const double lo = piece >> k & 1 ? cut[k] : -box.size[k];
                const double hi = piece >> k & 1 ? box.size[k] : cut[k];
                part.size[k] = 0.5 * (hi - lo);
                at.origin[k] = 0.5 * (lo + hi);
            }
            assert_true(brn_inertia_of_primitive(&part, 700.0, &own));
            own = brn_inertia_placed(&own, &at);
            own = brn_inertia_placed(&own, &place);
            sum = brn_inertia_sum(&sum, &own);
        }
        whole = brn_inertia_placed(&whole, &place);
        assert_same(&sum, &whole, 1e-13);
    }
}

/* A tetrahedron with corners 0 and the axes' ends turned by any matrix; its moments by hand: m/20 (sum x x' + (sum x)(sum x)') about
   its corner. */
static void test_surface(void **state)
{
    (void)state;
    static const int tri[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    brn_rng rng = {4};
    for (int n = 0; n < 20; ++n) {
        double pos[4][3], sum[3] = {0}, second[9] = {0};
        brn_moment_sums sums = {.one = 0.0};
        brn_moments moments;
        for (int a = 0; a < 4; ++a) {
            random_vector(&rng, 1.0, pos[a]);
        }
        double edge[3][3], cross[3];
        for (int a = 0; a < 3; ++a) {
            for (int k = 0; k < 3; ++k) {
                edge[a][k] = pos[a + 1][k] - pos[0][k];
            }
        }
        brn_dense_cross3(edge[0], edge[1], cross);
        const double volume = brn_dense_dot3(cross, edge[2]) / 6.0;
        random_vector(&rng, 1.0, sums.origin); /* any */
        brn_moment_sums_add_surface(&sums, (const double(*)[3])pos, tri, 4);
        if (volume < 0.0) {
            assert_false(brn_moments_of_sums(&sums, &moments));
            continue;
        }
        assert_true(brn_moments_of_sums(&sums, &moments));
        for (int a = 0; a < 4; ++a) {
            for (int k = 0; k < 3; ++k) {
                sum[k] += pos[a][k];
            }
        }
        for (int k = 0; k < 9; ++k) {
            for (int a = 0; a < 4; ++a) {
                second[k] +=
                    volume / 20.0 * (pos[a][k / 3] - sum[k / 3] / 4) * (pos[a][k % 3] - sum[k % 3] / 4);
            }
        }
        assert_near(moments.volume, volume, 1e-14);
        const brn_inertia got = brn_inertia_of_moments(&moments, 3.0);
        for (int k = 0; k < 3; ++k) {
            assert_near(got.centre[k], sum[k] / 4, 1e-13 / fmin(1.0, volume));
        }
        for (int k = 0; k < 9; ++k) {
            const double want = 3.0 * ((k % 4 == 0 ? second[0] + second[4] + second[8] : 0.0) - second[k]);
            assert_near(got.about[k], want, 1e-13 / fmin(1.0, volume));
        }
    }
}

static void test_check(void **state)
{
    (void)state;
    static const struct {
        brn_inertia body;
        const char *words; /* NULL: good */
    } cases[] = {
        {{1.0, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}, NULL},
        {{1.0, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 2}}, NULL},              /* a thin plate */
        {{1.0, {0}, {0.333, 0, 0, 0, 0.333, 0, 0, 0, 0.6666}}, NULL}, /* with few digits */
        {{1.0, {0}, {2, 0.5, 0.1, 0.5, 2, 0.3, 0.1, 0.3, 2}}, NULL},
        {{0.0, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}, "mass is 0 kg"},
        {{-2.0, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}, "mass is -2 kg"},
        {{NAN, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}, "mass is nan kg"},
        {{INFINITY, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}, "mass is inf kg"},
        {{1.0, {NAN}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}, "finite"},
        {{1.0, {0}, {1, 0, 0, 0, INFINITY, 0, 0, 0, 1}}, "finite"},
        {{1.0, {0}, {1, 0.1, 0, 0, 1, 0, 0, 0, 1}}, "symmetric"},
        {{1.0, {0}, {0, 0, 0, 0, 1, 0, 0, 0, 1}}, "must be > 0"},
        {{1.0, {0}, {0}}, "must be > 0"},
        {{1.0, {0}, {1, 2, 0, 2, 1, 0, 0, 0, 1}}, "must be > 0"},
        {{1.0, {0}, {1, 0, 0, 0, 1, 0, 0, 0, 2.1}}, "exceeds the sum"},
        {{1.0, {0}, {2, 1, 0, 1, 2, 0, 0, 0, 0.1}}, "exceeds the sum"}, /* 1, 3 and 0.1 */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        char why[BRN_INERTIA_WHY];
        assert_int_equal(brn_inertia_check(&cases[c].body, why), cases[c].words == NULL);
        if (strstr(why, cases[c].words != NULL ? cases[c].words : "") == NULL) {
            fail_msg("'%s' is not in '%s'", cases[c].words, why);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_primitives), cmocka_unit_test(test_pieces),
                                       cmocka_unit_test(test_surface), cmocka_unit_test(test_check)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
