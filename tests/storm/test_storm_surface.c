/* The judge's eyes: what passes through something is seen, what stops before it is not. */
#include "storm_surface.h"

#include "flow.h"

static int meetings_of(const char *method, const char *text)
{
    char set[60];
    storm_met met;
    const storm_scene scene = {.self = true};
    brn_ctx *ctx = test_ctx(1);
    brn_scene *parsed = NULL;
    brn_summary summary;
    brn_run_options options = brn_run_options_default();
    options.out = "storm_surface";
    options.report_mb = 0.0;
    flow_clear_folder(options.out);
    (void)snprintf(set, sizeof set, "method=%s", method);
    assert_done(ctx, flow_scene(ctx, text, set, &parsed));
    assert_done(ctx, brn_run(ctx, parsed, &options, &summary));
    brn_scene_destroy(parsed);
    brn_ctx_destroy(ctx);
    assert_true(storm_meetings("storm_surface/trajectory.h5", &scene, &met));
    flow_clear_folder(options.out);
    return met.count;
}

#define THROWN "brunt: 1\ntime: {step: 0.01, end: 0.1}\nmaterials: {a: {type: neo_hookean}}\n"

static void test_solids(void **state)
{
    (void)state;
    static const char *const text =
        THROWN "meshes: {m: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\nbodies:\n"
               "  - {name: low, type: deformable, mesh: m, material: a}\n"
               "  - {name: high, type: deformable, mesh: m, material: a, position: [0.3, 0.2, "
               "1.1], velocity: [0, 0, -3]}\n";
    assert_true(meetings_of("none", text) > 0);
    assert_int_equal(meetings_of("ipc", text), 0);
}

static void test_plane(void **state)
{
    (void)state;
    static const char *const text =
        THROWN "bodies:\n  - {name: floor, type: static, shape: {plane: {normal: [0.1, 0, 1]}}}\n"
               "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.1, segments: 6}}, position: [0, 0, "
               "0.15], velocity: [0, 0, -5]}\n";
    assert_true(meetings_of("none", text) > 0);
    assert_int_equal(meetings_of("ipc", text), 0);
}

static void test_two_dimensions(void **state)
{
    (void)state;
    static const char *const text =
        THROWN "dimension: 2\nbodies:\n  - {name: floor, type: static, shape: {plane: {}}}\n"
               "  - {name: box, type: static, shape: {box: {size: [2, 1]}}, position: [9, -0.5]}\n"
               "  - {name: a, type: rigid, shape: {box: {size: [0.1, 0.1]}}, position: [9, 0.1], velocity: "
               "[0, -1]}\n";
    assert_true(meetings_of("none", text) > 0);
    assert_int_equal(meetings_of("ipc", text), 0);
}

/* A body of two cubes, the one pushed into the other. */
static void test_itself(void **state)
{
    (void)state;
    static const char *const text =
        THROWN "meshes: {m: {voxel: {cell: 1, layers: ['#.#']}}}\n"
               "bodies: [{name: two, type: deformable, mesh: m, material: a}]\n"
               "fixed:\n  - {body: two, where: {box: {min: [-9, -9, -9], max: [0, 9, 9]}}, motion: "
               "{velocity: [13, 2, 3]}}\n"
               "  - {body: two, where: {box: {min: [0, -9, -9], max: [9, 9, 9]}}}\n";
    assert_true(meetings_of("none", text) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_solids), cmocka_unit_test(test_plane),
                                       cmocka_unit_test(test_two_dimensions), cmocka_unit_test(test_itself)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
