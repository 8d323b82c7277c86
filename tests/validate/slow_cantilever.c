/* The cantilever of test_cantilever.c on finer meshes, where the orders are closer to their limits. */
#include "beam.h"

static void test_convergence(void **unused)
{
    (void)unused;
    FILE *rows = validation_open(
        "cantilever_fine", "Cantilever, fine meshes",
        "As above with twice as many cells along each edge. Tolerances of the orders: 0.1 (linear), 2.7 "
        "to 4.1 (quadratic, clamped), 0.15 (quadratic, hinged).");
    static const beam_case cases[] = {{"hex8", 4, 2.0, 1.9, 2.1, 0.1},
                                      {"tet4", 4, 2.0, 1.9, 2.1, 0.1},
                                      {"hex20", 2, 4.0, 2.7, 4.1, 0.15},
                                      {"tet10", 2, 4.0, 2.7, 4.1, 0.15}};
    for (int i = 0; i < 4; ++i) {
        beam_converge(rows, &cases[i]);
    }
    validation_close(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_convergence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
