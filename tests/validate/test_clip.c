/* A clip of two materials as it is refined: its mass is that of its sizes at any resolution, its first frequency converges. */
#include "flow.h"

#include <math.h>

static const char scene[] = "brunt: 1\n"
                            "method: none\n"
                            "gravity: [0, 0, 0]\n"
                            "materials:\n"
                            "  print: {type: neo_hookean, young: 0.65e9, poisson: 0.3, density: 1205}\n"
                            "  soft: {type: neo_hookean, young: 4.625e5, poisson: 0.3, density: 1205}\n"
                            "meshes:\n"
                            "  clip: {clip: {resolution: 0.006, feet: {type: corners}}}\n"
                            "bodies:\n"
                            "  - {name: clip, type: deformable, mesh: clip, material: print, materials: "
                            "[{where: {group: feet}, material: "
                            "soft}]}\n"
                            "fixed:\n"
                            "  - {body: clip, where: {group: frame}}\n";

static double first_frequency(const char *sets, double *mass)
{
    flow f = flow_open(1, scene, sets);
    double stable, resolving;
    brn_body_info info;
    assert_done(f.ctx, brn_model_get_body(f.model, 0, &info));
    *mass = info.mass;
    assert_done(f.ctx, brn_model_estimate_steps(f.ctx, f.model, &stable, &resolving));
    flow_close(&f);
    return 1.0 / (20.0 * resolving);
}

static void test_refinement(void **state)
{
    (void)state;
    double mass;
    const double exact_mass = 1205.0 * ((0.069 * 0.036 - 0.057 * 0.024) * 0.006 + 0.0225 * 0.024 * 0.006 +
                                        0.063 * 0.024 * 0.0045 + 4.0 * 0.024 * 0.006 * 0.003);
    const double truth =
        first_frequency("meshes.clip.clip.resolution=0.003;meshes.clip.clip.element=hex20", &mass);
    double error[3];
    for (int level = 0; level < 3; ++level) {
        char sets[64];
        (void)snprintf(sets, sizeof sets, "meshes.clip.clip.resolution=%g", 0.006 / (1 << level));
        const double frequency = first_frequency(sets, &mass);
        error[level] = frequency / truth - 1.0;
        print_message("resolution %g mm: mass %.6f g, %.2f Hz, %.2f %% from quadratic elements (%.2f Hz)\n",
                      6.0 / (1 << level), 1e3 * mass, frequency, 100.0 * error[level], truth);
        assert_near(mass, exact_mass, 1e-12 * exact_mass);
    }
    /* Linear elements are too stiff, by a part that falls with the square of their size where parts have 1, 2 and 3 cells across:
       factors of 4 and 2.25 times 1.78 along; the re-entrant corners of quadratic ones leave half a per cent. */
    assert_true(error[0] > 2.5 * error[1] && error[1] > 2.5 * error[2]);
    assert_true(error[2] > 0.0 && error[2] < 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refinement)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
