/* The certified lower bound of a pair's distance: never above the distance of any two points of the parts, and close to
   the distance where shapes are not narrow. */
#include "test.h"

#include "base/rng.h"
#include "geom/distance.h"
#include "geom/separation.h"

#include <math.h>

enum { ROUNDS = 20000, GRID = 6 };

/* Least distance of points on a grid over the two parts: not below the distance. */
static double sampled(const double x[4][3], int count, bool edges)
{
    double least = INFINITY;
    for (int i = 0; i <= GRID; ++i) {
        for (int j = 0; j <= GRID; ++j) {
            const double u = (double)i / GRID;
            const double v = edges ? (double)j / GRID : (1.0 - u) * j / GRID;
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) {
                double a = x[0][k];
                double b = x[1][k];
                if (edges) {
                    a = (1.0 - u) * x[0][k] + u * x[1][k];
                    b = (1.0 - v) * x[2][k] + v * x[3][k];
                } else if (count == 3) {
                    b = (1.0 - u) * x[1][k] + u * x[2][k];
                } else if (count == 4) {
                    b = (1.0 - u - v) * x[1][k] + u * x[2][k] + v * x[3][k];
                }
                sum += (a - b) * (a - b);
            }
            least = fmin(least, sqrt(sum));
        }
    }
    return least;
}

static double distance(const double x[4][3], int count, bool edges)
{
    return sqrt(edges        ? brn_distance_edge_edge2(x)
                : count == 4 ? brn_distance_point_triangle2(x)
                : count == 3 ? brn_distance_point_edge2(x)
                             : brn_distance_point_point2(x));
}

static void test_random(void **state)
{
    (void)state;
    brn_rng rng = {7};
    for (int round = 0; round < ROUNDS; ++round) {
        const bool edges = round % 4 == 3;
        const int count = edges ? 4 : 2 + round % 4;
        const double scale = pow(10.0, brn_rng_uniform(&rng, -6.0, 6.0));
        const double shift = round % 3 == 0 ? 0.0 : scale * brn_rng_uniform(&rng, -100.0, 100.0);
        const int form = round / 4 % 4; /* free, flat, narrow, on a lattice with common places */
        double x[4][3];
        for (int a = 0; a < 4; ++a) {
            for (int k = 0; k < 3; ++k) {
                double at = brn_rng_uniform(&rng, -1.0, 1.0);
                at = form == 3 ? rint(at) : at;
                at *= form == 1 && k == 2 ? 0.0 : form == 2 && k > 0 ? 1e-9 : 1.0;
                x[a][k] = shift + scale * at;
            }
        }
        const double(*nodes)[3] = (const double(*)[3])x;
        const double bound = brn_separation(nodes, count, edges);
        /* Rounding of the sampled points: a few of the largest coordinate. */
        assert_true(bound >= 0.0);
        assert_true(bound <= sampled(nodes, count, edges) + 4e-15 * (fabs(shift) + scale));
        if (form == 0) {
            const double d = distance(nodes, count, edges);
            /* The slab along the closest points; sines of random sides are above 1e-6, the normal good to 1e-10. */
            assert_true(bound >= d - 1e-9 * scale);
        }
    }
}

static void test_nothing_certain(void **state)
{
    (void)state;
    const double same[4][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    const double huge[2][3] = {{1e300, 0, 0}, {-1e300, 0, 0}};
    const double bad[2][3] = {{NAN, 0, 0}, {1, 0, 0}};
    assert_true(brn_separation(same, 4, true) == 0.0);
    assert_true(brn_separation(same, 4, false) == 0.0);
    assert_true(brn_separation(same, 3, false) == 0.0);
    assert_true(brn_separation(same, 2, false) == 0.0);
    assert_true(brn_separation(huge, 2, false) == 0.0);
    assert_true(brn_separation(bad, 2, false) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_nothing_certain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
