/* Convergence of the cantilever's deflection and frequencies. The finest meshes are in slow_cantilever.c. */
#include "beam.h"

static void test_convergence(void **unused)
{
    (void)unused;
    FILE *rows = validation_open(
        "cantilever", "Cantilever",
        "A beam of 50 x 5 x 5 mm, E = 1.66 GPa, Poisson's ratio 0, density 1205 kg/m^3, linear material, "
        "meshes of 10 n x n x "
        "n cells. Exact: Timoshenko's beam with shear factor 5/6. Each quantity is fitted by q + C h^p "
        "through three "
        "meshes; the limit q must lie within 0.5 % of Timoshenko's value (the beam theory's own error). "
        "Theory for p: "
        "the stiffness (a force at the tip over its deflection) and the frequencies converge as the energy "
        "does, with 2k for elements of degree k and a "
        "smooth solution: 2 for hex8 and tet4, 4 for hex20 and tet10. The clamped edge has a weak "
        "singularity (u ~ "
        "r^1.35 for Poisson's ratio 0, from sin^2(pi s/2) = (4 - s^2)/3 [Williams 1952]), which lowers 4 to "
        "2.7 in the "
        "end; with *hinged ends* the solution is smooth and the full order must show. Tolerances of the "
        "orders at these "
        "coarse meshes: 0.25 (linear), 2.7 to 4.1 (quadratic, clamped), 0.3 (quadratic, hinged).");
    static const beam_case cases[] = {{"hex8", 2, 2.0, 1.75, 2.25, 0.25},
                                      {"tet4", 2, 2.0, 1.75, 2.25, 0.25},
                                      {"hex20", 1, 4.0, 2.7, 4.1, 0.3},
                                      {"tet10", 1, 4.0, 2.7, 4.1, 0.3}};
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
