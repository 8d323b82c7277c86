#include "shell_support.h"

#include "phys/shells/spring.h"

static const double rest[4][3] = {{0, 0, 0}, {1, 0, 0}, {0.3, 0.9, 0.2}, {0.1, 0.2, 1.1}};
static const int conn[12] = {0, 1, 1, 2, 2, 3, 3, 0, 0, 2, 1, 3};
static const double stiffness[6] = {1.0, 2.0, 0.5, 1.0, 3.0, 1.5};

static brn_spring *make(brn_ctx *ctx, bool pull_only)
{
    brn_spring *s = NULL;
    assert_done(ctx, brn_spring_create(ctx, rest, conn, stiffness, NULL, pull_only, 6, &s));
    return s;
}

static void test_derivatives_and_invariance(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {3};
    for (int pull_only = 0; pull_only < 2; ++pull_only) {
        brn_spring *s = make(ctx, pull_only != 0);
        for (int k = 0; k < 4; ++k) {
            const double scale[4] = {1.001, 2.0, 0.3, 1.2};
            double x[4][3];
            for (int n = 0; n < 4; ++n) {
                for (int i = 0; i < 3; ++i) {
                    x[n][i] = scale[k] * rest[n][i] + brn_rng_uniform(&rng, -0.05, 0.05);
                }
            }
            const double(*at)[3] = (const double(*)[3])x;
            if (!pull_only || k == 1 ||
                k == 2) { /* elsewhere some spring is just going slack: the force has a kink */
                check_derivatives(&s->group, 4, at, 1e-4, 1e-9, &rng);
            }
            check_semi_definite(&s->group, at);
            check_balance(&s->group, at, 2.0);
            check_objective(&s->group, 4, at);
            check_bits(&s->group, at);
        }
        brn_spring_destroy(s);
    }
    brn_ctx_destroy(ctx);
}

static void test_closed_forms(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_spring *s = make(ctx, false), *rope = make(ctx, true);
    double x[4][3], energy[6], grad[36], hess[6 * 27];
    memcpy(x, rest, sizeof x);
    x[1][0] = 1.5;
    brn_spring_eval(s, (const double(*)[3])x, 0, 1, BRN_TANGENT_EXACT, energy, grad, hess);
    assert_near(energy[0], 0.125, 1e-16);
    assert_near(grad[3], 0.5, 1e-16);
    assert_near(grad[0], -0.5, 1e-16);
    assert_near(hess[0], 1.0, 1e-15);
    assert_near(hess[4], 0.5 / 1.5, 1e-15);
    x[1][0] = 0.5; /* pressed: across it pushes aside, which the projection leaves out */
    brn_spring_eval(s, (const double(*)[3])x, 0, 1, BRN_TANGENT_EXACT, energy, grad, hess);
    assert_near(hess[4], -1.0, 1e-15);
    brn_spring_eval(s, (const double(*)[3])x, 0, 1, BRN_TANGENT_PROJECTED, energy, grad, hess);
    assert_near(hess[4], 0.0, 0.0);
    assert_near(hess[0], 1.0, 0.0);
    brn_spring_eval(rope, (const double(*)[3])x, 0, 1, BRN_TANGENT_EXACT, energy, grad, hess);
    assert_near(energy[0], 0.0, 0.0);
    assert_near(largest_of(grad, 6), 0.0, 0.0);
    assert_near(largest_of(hess, 27), 0.0, 0.0);
    x[1][0] = 0.0; /* ends in one place */
    brn_spring_eval(s, (const double(*)[3])x, 0, 1, BRN_TANGENT_EXACT, energy, grad, hess);
    assert_near(energy[0], 0.5, 0.0);
    assert_true(isfinite(largest_of(grad, 6)) && isfinite(largest_of(hess, 27)));
    brn_spring_destroy(s);
    brn_spring_destroy(rope);
    /* rest length 0: linear and the same in all directions, in one place too */
    const double zero[1] = {0.0}, k[1] = {2.0};
    assert_done(ctx, brn_spring_create(ctx, rest, conn, k, zero, false, 1, &s));
    brn_spring_eval(s, (const double(*)[3])x, 0, 1, BRN_TANGENT_EXACT, energy, grad, hess);
    for (int i = 0; i < 9; ++i) {
        assert_near(hess[i], i % 4 == 0 ? 2.0 : 0.0, 0.0);
    }
    brn_spring_destroy(s);
    brn_ctx_destroy(ctx);
}

static void test_errors(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_spring *s = NULL;
    const int same[4] = {0, 1, 2, 2};
    assert_int_equal(brn_spring_create(ctx, rest, same, stiffness, NULL, false, 2, &s), BRN_ERR_RANGE);
    assert_non_null(strstr(brn_ctx_message(ctx), "spring 1"));
    const double bad[2] = {1.0, NAN};
    assert_int_equal(brn_spring_create(ctx, rest, conn, bad, NULL, false, 2, &s), BRN_ERR_RANGE);
    assert_int_equal(brn_spring_create(ctx, rest, conn, stiffness, bad, false, 2, &s), BRN_ERR_RANGE);
    assert_int_equal(brn_spring_create(ctx, rest, conn, stiffness, NULL, false, -1, &s), BRN_ERR_RANGE);
    assert_null(s);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives_and_invariance),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
