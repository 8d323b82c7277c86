/* Starts that method ipc must refuse, by the names of the bodies and the place. */
#include "flow.h"

#include "model/model.h"

static const char text[] =
    "brunt: 1\nmethod: ipc\ntime: {step: 0.01, end: 0.1}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
    "meshes: {cube: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}}\n"
    "bodies:\n  - {name: lower, type: deformable, mesh: cube, material: a}\n"
    "  - {name: upper, type: deformable, mesh: cube, material: a, position: [0, 0, 0.11]}\n"
    "  - {name: floor, type: static, mesh: cube, position: [0, 0, -0.2]}\n"
    "  - {name: wall, type: static, mesh: cube, position: [0.05, 0, -0.2]}\n";

static void test_start(void **state)
{
    (void)state;
    static const struct {
        const char *sets;
        const char *refused; /* names in the message; NULL: a good start */
    } cases[] = {
        {NULL, NULL}, /* the two obstacles overlap, which is nobody's harm */
        {"bodies.upper.position=[0.03, 0.02, 0.08]",
         "body 'lower' and body 'upper' touch or intersect at the start"},
        {"bodies.upper.position=[0, 0, 0.1]", "touch or intersect"},     /* faces that coincide */
        {"bodies.upper.position=[0.1, 0.1, 0.1]", "touch or intersect"}, /* corner on corner */
        {"bodies.lower.position=[0, 0, -0.15]", "body 'lower' and body 'floor'"},
    };
    for (int i = 0; i < 5; ++i) {
        flow f;
        const brn_status status = flow_try(1, text, cases[i].sets, &f);
        if (cases[i].refused == NULL) {
            assert_done(f.ctx, status);
        } else {
            assert_int_equal(status, BRN_ERR_SCENE);
            if (strstr(brn_ctx_message(f.ctx), cases[i].refused) == NULL) {
                fail_msg("got  %s\nwant %s", brn_ctx_message(f.ctx), cases[i].refused);
            }
        }
        flow_close(&f);
    }
}

/* Bodies at speed against a thin plate, with steps that carry them far past it: nothing gets through. */
static void test_speed(void **state)
{
    (void)state;
    static const char plate[] =
        "brunt: 1\ngravity: [0, 0, 0]\nmethod: {type: ipc, dhat: 1e-3}\ntime: {step: 0.02, end: 0.1}\n"
        "materials: {a: {type: neo_hookean, young: 1e6, poisson: 0.4}}\n"
        "meshes:\n  cube: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}\n"
        "  plate: {box: {size: [1, 1, 0.001], cells: [2, 2, 1], element: hex8}}\n"
        "bodies:\n  - {name: a, type: deformable, mesh: cube, material: a, position: [0.02, 0.01, 0.1]}\n"
        "  - {name: p, type: static, mesh: plate}\n";
    static const double speeds[] = {10.0, 100.0, 1000.0};
    for (int i = 0; i < 3; ++i) {
        char sets[80];
        (void)snprintf(sets, sizeof sets, "bodies.a.velocity=[0, 0, -%g]", speeds[i]);
        flow f = flow_open(1, plate, sets);
        brn_status status = BRN_OK;
        while (!brn_sim_done(f.sim) && status >= 0) {
            brn_report r;
            const uint64_t before = brn_sim_hash(f.sim);
            status = brn_sim_step(f.sim, &r);
            if (status >= 0) {
                assert_int_equal(r.intersections, 0);
                assert_int_equal(r.inversions, 0);
            } else { /* giving up is allowed, if nothing is lost and something is said */
                assert_true(brn_sim_hash(f.sim) == before);
                assert_non_null(strstr(brn_ctx_message(f.ctx), "try a smaller time.step"));
            }
        }
        for (int a = 0; a < f.model->body[0].node_count; ++a) {
            assert_true(brn_sim_positions(f.sim)[3 * a + 2] > 0.0);
        }
        print_message("%g m/s: %lld steps, %s\n", speeds[i], (long long)brn_sim_step_count(f.sim),
                      brn_status_name(status));
        flow_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_start), cmocka_unit_test(test_speed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
