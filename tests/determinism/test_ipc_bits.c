/* Method ipc: same bits for any number of threads, and after a save and load in the middle of a contact. */
#include "flow.h"

static const char solids[] =
    "brunt: 1\nmethod: {type: ipc, dhat: 2e-3}\ntime: {step: 0.01, end: 0.2}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4, damping: {beta: 1e-3}}}\n"
    "meshes:\n  cube: {box: {size: [0.1, 0.1, 0.1], cells: [4, 4, 4], element: tet4}}\n"
    "  plate: {box: {size: [0.4, 0.4, 0.02], cells: [2, 2, 1], element: hex8}}\n"
    "bodies:\n  - {name: a, type: deformable, mesh: cube, material: a, position: [0, 0, 0.062], velocity: "
    "[0.2, 0, -1]}\n"
    "  - {name: b, type: deformable, mesh: cube, material: a, position: [0.03, 0.02, 0.185], velocity: [0, "
    "0, "
    "-2],\n"
    "     rotation: {axis: [1, 1, 0], degrees: 10}}\n  - {name: floor, type: static, mesh: plate}\n"
    "contact: {friction: 0.4}\n";

static const char plane[] =
    "brunt: 1\ndimension: 2\nmethod: {type: ipc, dhat: 2e-3}\ntime: {step: 0.01, end: 0.2}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
    "meshes:\n  square: {box: {size: [0.1, 0.1], cells: [6, 6], element: tri3}}\n"
    "  bar: {box: {size: [0.6, 0.02], cells: [3, 1], element: tri3}}\n"
    "bodies:\n  - {name: a, type: deformable, mesh: square, material: a, position: [0, 0.062], velocity: "
    "[0.2, -1]}\n"
    "  - {name: b, type: deformable, mesh: square, material: a, position: [0.03, 0.17], velocity: [0, -2]}\n"
    "  - {name: floor, type: static, mesh: bar}\ncontact: {friction: 0.4}\n";

/* Rigid bodies and shapes of every kind of contact, among them and with a soft one. */
static const char rigid[] =
    "brunt: 1\nmethod: {type: ipc, dhat: 2e-3}\ntime: {step: 0.01, end: 0.2}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
    "meshes: {cube: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}}\n"
    "bodies:\n  - {name: floor, type: static, shape: {plane: {normal: [0.1, 0, 1]}}}\n"
    "  - {name: roller, type: static, shape: {capsule: {radius: 0.1, height: 0.2}}, position: [0.25, 0, "
    "0.1], rotation:\n"
    "     {axis: [1, 0, 0], degrees: 90}, motion: {angular_velocity: -4, about: {point: [0.25, 0, 0.1], "
    "axis: [0, 1, 0]}}}\n"
    "  - {name: box, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 0, 0.07], velocity: "
    "[0.5, 0, -1]}\n"
    "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.05}}, position: [0.02, 0.01, 0.18], velocity: "
    "[0, 0, -2]}\n"
    "  - {name: rod, type: rigid, shape: {capsule: {radius: 0.03, height: 0.1}}, position: [0.27, 0, 0.245], "
    "rotation:\n"
    "     {axis: [1, 0.2, 0], degrees: 90}}\n"
    "  - {name: soft, type: deformable, mesh: cube, material: a, position: [0.02, 0, 0.3], velocity: [0, 0, "
    "-3]}\n"
    "contact: {friction: 0.4}\n";

/* Sheets that fall on a ball and on each other, thicker than their cells are wide, on springs. */
static const char sheets[] =
    "brunt: 1\nmethod: {type: ipc, dhat: 2e-3}\ntime: {step: 0.01, end: 0.2}\n"
    "materials: {c: {type: stvk, young: 1e5, poisson: 0.3, density: 300, damping: {beta: 1e-3}}}\n"
    "meshes: {g: {grid: {size: [0.2, 0.2], cells: [8, 8]}}}\n"
    "bodies:\n  - {name: a, type: shell, mesh: g, material: c, thickness: 4e-3, plate: hinge, stretch_limit: "
    "1.3, "
    "position: [0.01, 0, 0.056], velocity: [0, 0, -1]}\n"
    "  - {name: b, type: shell, mesh: g, material: c, thickness: 0.03, position: [0, 0.02, 0.08], velocity: "
    "[0, "
    "0, -1]}\n  - {name: ball, type: static, shape: {sphere: {radius: 0.05}}}\n"
    "springs: [{body: a, where: {face: +x}, to: b, stiffness: 5}]\ncontact: {friction: 0.4}\n";

static const char *const rules[] = {"integrator=implicit_euler", "integrator=bdf2", "integrator=newmark"};

static void check_bits(const char *text, const char *rule)
{
    static const int threads[] = {1, 2, 3, 4, 7};
    uint64_t want[21] = {0};
    int contacts = 0;
    for (int t = 0; t < 5; ++t) {
        flow f = flow_open(threads[t], text, rule);
        for (int n = 1; n <= 20; ++n) {
            brn_report r;
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            assert_int_equal(r.intersections, 0);
            contacts = r.contacts > contacts ? r.contacts : contacts;
            want[n] = t == 0 ? brn_sim_hash(f.sim) : want[n];
            if (brn_sim_hash(f.sim) != want[n]) {
                fail_msg("%s: %d threads differ from 1 at step %d", rule, threads[t], n);
            }
            if (n == 10) {
                assert_done(f.ctx, brn_sim_save(f.sim, "ipc_bits.h5"));
            }
        }
        flow_close(&f);
    }
    assert_true(contacts > 5);
    /* A fresh simulation goes on from the middle. */
    flow f = flow_open(2, text, rule);
    assert_done(f.ctx, brn_sim_load(f.sim, "ipc_bits.h5"));
    for (int n = 11; n <= 20; ++n) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
        assert_true(brn_sim_hash(f.sim) == want[n]);
    }
    flow_close(&f);
}

static void test_solids(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        check_bits(solids, rules[i]);
    }
}

static void test_plane(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        check_bits(plane, rules[i]);
    }
}

static void test_rigid(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        check_bits(rigid, rules[i]);
    }
}

static void test_sheets(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i) {
        check_bits(sheets, rules[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_solids), cmocka_unit_test(test_plane),
                                       cmocka_unit_test(test_rigid), cmocka_unit_test(test_sheets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
