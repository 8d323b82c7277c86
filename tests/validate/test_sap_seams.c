/* Method `sap`: what slides over seams is not braked by walls that it passes, and is by those that it runs into. */
#include "flow.h"

#include "base/param.h"

#define ROW ", position: [0, 0, -0.05], repeat: {count: [12, 1, 1], spacing: [0.2, 1, 1]}"

/* Momentum along x over the mass, at the end; it starts at `speed`. */
static double speed_after(const char *slider, const char *tiles, double step, double speed)
{
    char text[2000];
    brn_report r = {0};
    (void)snprintf(text, sizeof text,
                   "brunt: 1\ntime: {step: %g, end: %g}\nmethod: {type: sap}\n"
                   "materials: {rubber: {type: neo_hookean, young: 1.0e+6, poisson: 0.3, density: 1000}}\n"
                   "meshes:\n"
                   "  block: {box: {size: [0.15, 0.15, 0.1], cells: [3, 3, 2], element: hex8}}\n"
                   "  tile: {box: {size: [0.2, 0.4, 0.1], cells: [2, 3, 1], element: hex8}}\n"
                   "bodies:\n"
                   "  - {name: slider, %s, position: [0, 0, 0.05], velocity: [%g, 0, 0]}\n"
                   "  - {name: tile, %s}\n"
                   "contact: {friction: 0, self: false}\n",
                   step, 2.0 / speed, slider, speed, tiles);
    flow f = flow_open(1, text, NULL);
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
    }
    flow_close(&f);
    return r.momentum[0] / (1000.0 * 0.15 * 0.15 * 0.1);
}

static const char *const sliders[] = {
    "type: rigid, shape: {box: {size: [0.15, 0.15, 0.1]}}, density: 1000",
    "type: rigid, shape: {box: {size: [0.15, 0.15, 0.1]}}, density: 1000, rotation: {degrees: 25}",
    "type: rigid, mesh: block, density: 1000",
    "type: deformable, mesh: block, material: rubber",
    "type: deformable, mesh: block, material: rubber, rotation: {degrees: 25}",
};

/* Ten seams without friction: less than 0.1 % of the speed is lost, in long and short steps. */
static void test_seams(void **state)
{
    (void)state;
    static const char *const tiles[] = {"type: static, shape: {box: {size: [0.2, 0.4, 0.1]}}" ROW,
                                        "type: static, mesh: tile" ROW};
    for (int k = 0; k < 2 * BRN_COUNT(sliders); ++k) {
        const double speed = k % 3 == 0 ? 0.5 : 2.0;
        const double left = speed_after(sliders[k / 2], tiles[k % 2], 0.01, speed);
        print_message("slider %d, tiles %d: loses %.1e of its speed\n", k / 2, k % 2, 1.0 - left / speed);
        assert_near(left, speed, 1e-3 * speed);
    }
}

/* Steps in which a rigid slider crosses several tiles at once. */
static void test_fast(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        const double left =
            speed_after(sliders[k], "type: static, shape: {box: {size: [0.2, 0.4, 0.1]}}" ROW, 0.02, 20.0);
        assert_near(left, 20.0, 1e-3 * 20.0);
    }
}

/* A ledge of 2 mm is no seam: it stops them. */
static void test_ledge(void **state)
{
    (void)state;
    for (int k = 0; k < BRN_COUNT(sliders); ++k) {
        const double left =
            speed_after(sliders[k],
                        "type: static, shape: {box: {size: [4, 0.4, 0.1]}}, position: [0, 0, -0.05]}\n"
                        "  - {name: ledge, type: static, shape: {box: {size: [0.2, 0.4, 0.1]}}, position: "
                        "[0.6, 0, -0.048]",
                        0.01, 1.0);
        assert_true(fabs(left) < 0.5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_seams), cmocka_unit_test(test_fast),
                                       cmocka_unit_test(test_ledge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
