/* The penalty layers of method `acm`: running sums against a walk over all layers, derivatives, the depth law. */
#include "test.h"

#include "base/param.h"

#include "step/acm/acm_layers.h"

static brn_acm_layers make(brn_ctx *ctx, int kind, double power, int fine)
{
    brn_acm_layers layers;
    assert_done(ctx, brn_acm_layers_create(ctx, kind, power, &layers));
    assert_done(ctx, brn_acm_layers_grow(&layers, fine));
    return layers;
}

/* e(l) is the smallest with 4^e >= l^3, and the other way round. */
static void test_steps(void **state)
{
    (void)state;
    for (int l = 1; l < 3000; ++l) {
        const int fine = brn_acm_layers_fine(l);
        const double cube = (double)l * l * l;
        assert_true(pow(4.0, fine) >= cube);
        assert_true(fine == 0 || pow(4.0, fine - 1) < cube);
        assert_true(brn_acm_layers_within(fine) >= l);
        assert_true(fine == 0 || brn_acm_layers_within(fine - 1) < l);
    }
}

/* Impulses of some of the layers, each with its own step, by the walk. */
static double walk(const brn_acm_layers *layers, int first, int reached, double gap)
{
    double sum = 0.0;
    for (int l = first; l <= reached; ++l) {
        const double depth = pow(l, -layers->power) - gap;
        const double width = pow(l, -layers->power) - pow(l + 1, -layers->power);
        const double force = layers->kind == BRN_ACM_QUADRATIC ? depth
                             : depth < width                   ? 0.5 * depth * depth / width
                                                               : depth - 0.5 * width;
        sum += pow(l, 3) * exp2(-brn_acm_layers_fine(l)) * force;
    }
    return sum;
}

static void test_impulse(void **state)
{
    (void)state;
    static const double powers[] = {0.25, 0.5, 1.0, 2.0};
    brn_ctx *ctx = test_ctx(1);
    for (int kind = 0; kind < 2; ++kind) {
        for (int p = 0; p < BRN_COUNT(powers); ++p) {
            brn_acm_layers layers = make(ctx, kind, powers[p], 12);
            for (int i = 1; i < 400; ++i) {
                const double gap = pow(layers.eta[layers.count], i / 400.0) * 1.0001;
                int reached = 0;
                while (reached < layers.count && pow(reached + 1, -powers[p]) > gap) {
                    ++reached;
                }
                assert_int_equal(brn_acm_layers_reached(&layers, gap, layers.count), reached);
                for (int fine = 0; fine < 12; fine += 3) {
                    const int first = layers.first[fine];
                    const double exact = first <= reached ? walk(&layers, first, reached, gap) : 0.0;
                    const double all = walk(&layers, 1, reached, gap);
                    /* Differences of running sums: a rounding of all of them. */
                    assert_near(brn_acm_layers_impulse(&layers, first, reached, gap), exact,
                                1e-12 * all + 1e-15);
                }
            }
            brn_acm_layers_free(&layers);
        }
    }
    brn_ctx_destroy(ctx);
}

/* Force = - d energy / d gap, also where layers begin. */
static void test_derivative(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    for (int kind = 0; kind < 2; ++kind) {
        brn_acm_layers layers = make(ctx, kind, 1.0, 9);
        double worst = 0.0;
        for (int i = 1; i < 500; ++i) {
            const double gap = 0.05 + 0.95 * i / 500.0;
            const double h = 1e-5;
            double energy[2];
            for (int side = 0; side < 2; ++side) {
                const double at = gap + (side == 0 ? -h : h);
                energy[side] =
                    brn_acm_layers_energy(&layers, brn_acm_layers_reached(&layers, at, layers.count), at);
            }
            const int reached = brn_acm_layers_reached(&layers, gap, layers.count);
            double force = 0.0;
            for (int l = 1; l <= layers.count; ++l) {
                const double own = brn_acm_layers_force(&layers, l, gap);
                assert_true((own > 0.0) == (l <= reached));
                force += own;
            }
            worst = fmax(worst, fabs((energy[0] - energy[1]) / (2.0 * h) - force) / (1.0 + force));
        }
        print_message("layers %d: force against differences %.2g\n", kind, worst);
        assert_true(worst < (kind == BRN_ACM_CUBIC ? 1e-7 : 1e-5)); /* a kink costs h r */
        brn_acm_layers_free(&layers);
    }
    brn_ctx_destroy(ctx);
}

/* The depth law against the sum over quadratic layers: to one layer. */
static void test_depth(void **state)
{
    (void)state;
    static const double powers[] = {0.25, 1.0};
    brn_ctx *ctx = test_ctx(1);
    for (int p = 0; p < 2; ++p) {
        brn_acm_layers layers = make(ctx, BRN_ACM_QUADRATIC, powers[p], 12);
        for (int n = 3; n < 200; n += 7) {
            const double energy = brn_acm_layers_energy(&layers, n - 1, layers.eta[n]);
            assert_near(brn_acm_layers_depth(&layers, energy), n, 1.0);
        }
        brn_acm_layers_free(&layers);
    }
    brn_ctx_destroy(ctx);
}

/* More layers than can be built are refused. */
static void test_limit(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_acm_layers layers = make(ctx, BRN_ACM_CUBIC, 1.0, 3);
    assert_int_equal(brn_acm_layers_grow(&layers, BRN_ACM_FINEST + 1), BRN_ERR_LIMIT);
    assert_int_equal(brn_acm_layers_need(&layers, 1.0), 0);
    assert_int_equal(layers.eta[brn_acm_layers_within(brn_acm_layers_need(&layers, 0.26)) + 1] <= 0.26, true);
    brn_acm_layers_free(&layers);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps), cmocka_unit_test(test_impulse), cmocka_unit_test(test_derivative),
        cmocka_unit_test(test_depth), cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
