/* The same bits for any number of threads: the state hash of every step, for every integrator, on scenes that are large
   enough for several slabs of assembly and several blocks of everything else. */
#include "flow.h"

typedef struct threads_case {
    const char *name, *text;
    const char *implicit, *explicit; /* steps that suit the integrators */
    int steps;
    int elements; /* at least */
} threads_case;

/* Loads of every kind, two materials, damping, a motion, a free body that turns. */
static const char blocks_tet4[] =
    "brunt: 1\ntime: {step: 2e-3, end: 1}\nmethod: {type: none}\n"
    "materials:\n"
    "  a: {type: neo_hookean, young: 1e5, poisson: 0.4, density: 1000, damping: {alpha: 1, beta: 1e-4}}\n"
    "  b: {type: stvk, young: 3e5, poisson: 0.2, density: 900}\n"
    "meshes:\n"
    "  m: {box: {size: [0.1, 0.1, 0.1], cells: [9, 9, 8], element: tet4}}\n"
    "  s: {sphere: {radius: 0.05, resolution: 0.02, element: tet4}}\n"
    "bodies:\n"
    "  - {name: a, type: deformable, mesh: m, material: a}\n"
    "  - {name: b, type: deformable, mesh: s, material: b, position: [1, 0, 0], velocity: [0, 1, 2], "
    "angular_velocity: [10, 0, 5]}\n"
    "fixed: [{body: a, where: {face: -z}, motion: {velocity: [0.3, 0, 0.1]}}, {body: b, where: {nodes: [0, "
    "1, 2, 3]}}]\n"
    "loads:\n"
    "  - {body: a, where: {face: +z}, pressure: 2e3, ramp: {from: 0, to: 0.01}}\n"
    "  - {body: a, where: {face: +x}, traction: [0, 500, 0]}\n"
    "  - {body: b, where: {nearest: [1, 0, 1]}, force: [0, 0, 0.1]}\n";

static const char block_hex8[] =
    "brunt: 1\ntime: {step: 5e-3, end: 1}\n"
    "materials: {a: {type: corotated, young: 2e5, poisson: 0.3, density: 1000, damping: {beta: 1e-4}}}\n"
    "meshes: {m: {box: {size: [0.2, 0.1, 0.1], cells: [16, 8, 8], element: hex8}}}\n"
    "bodies: [{name: a, type: deformable, mesh: m, material: a, mass: lumped}]\n"
    "fixed: [{body: a, where: {face: -x}, motion: {angular_velocity: 3, about: {axis: [1, 0, 0]}}}]\n"
    "loads: [{body: a, where: {face: +x}, force: [0, 0, -1]}]\n";

static const char block_tet10[] =
    "brunt: 1\ntime: {step: 2e-3, end: 1}\n"
    "materials: {a: {type: stable_neo_hookean, young: 1e5, poisson: 0.45, density: 1000}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [4, 4, 4], element: tet10}}}\n"
    "bodies: [{name: a, type: deformable, mesh: m, material: a}]\n"
    "fixed: [{body: a, where: {face: -z}, axes: xyz}]\n"
    "loads: [{body: a, where: {face: +z}, pressure: -3e3}]\n";

static const char plate_tri6[] = "brunt: 1\ndimension: 2\ntime: {step: 2e-3, end: 1}\n"
                                 "materials: {a: {type: mooney_rivlin, c10: 2e4, c01: 1e4, bulk: 1e5, "
                                 "density: 1000, damping: {beta: 1e-4}}}\n"
                                 "meshes: {m: {box: {size: [0.2, 0.1], cells: [50, 40], element: tri6}}}\n"
                                 "bodies: [{name: a, type: deformable, mesh: m, material: a}]\n"
                                 "fixed: [{body: a, where: {face: -x}, motion: {table: [[0, 0, 0], [0.01, "
                                 "0.001, 0], [1, 0.001, 0.01]]}}]\n"
                                 "loads: [{body: a, where: {face: +y}, pressure: 500}]\n";

static const threads_case cases[] = {
    {"tet4, two bodies, every load", blocks_tet4, "time.step=2e-3", "time.step=1e-5", 3, 3000},
    {"hex8 corotated, lumped", block_hex8, "time.step=5e-3", "time.step=1e-5", 3, 1000},
    {"tet10 stable neo-Hookean", block_tet10, "time.step=2e-3", "time.step=1e-5", 2, 300},
    {"tri6 in 2D", plate_tri6, "time.step=2e-3", "time.step=1e-6", 3, 3000},
};

enum { STEPS_MAX = 8 };

/* Hashes after creation and after each step. */
static void hashes(const threads_case *c, const char *sets, int threads, uint64_t out[STEPS_MAX + 1])
{
    flow f = flow_open(threads, c->text, sets);
    brn_model_info info;
    brn_model_get_info(f.model, &info);
    assert_true(info.elements >= c->elements);
    assert_int_equal(brn_ctx_threads(f.ctx), threads);
    out[0] = brn_sim_hash(f.sim);
    for (int i = 1; i <= c->steps; ++i) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
        out[i] = brn_sim_hash(f.sim);
        assert_true(out[i] != out[i - 1]);
    }
    flow_close(&f);
}

static void check_case(const threads_case *c, const char *more)
{
    static const int threads[] = {1, 2, 3, 4, 7};
    for (int i = 0; i < FLOW_INTEGRATORS; ++i) {
        char sets[200];
        (void)snprintf(sets, sizeof sets, "integrator=%s;%s%s%s", flow_integrators[i],
                       i == FLOW_SYMPLECTIC ? c->explicit : c->implicit, more[0] != '\0' ? ";" : "", more);
        uint64_t want[STEPS_MAX + 1];
        hashes(c, sets, 1, want);
        for (int t = 1; t < 5; ++t) {
            uint64_t got[STEPS_MAX + 1];
            hashes(c, sets, threads[t], got);
            for (int n = 0; n <= c->steps; ++n) {
                if (got[n] != want[n]) {
                    fail_msg("%s, %s: %d threads differ from 1 at step %d", c->name, sets, threads[t], n);
                }
            }
        }
    }
}

static void test_tet4(void **state)
{
    (void)state;
    check_case(&cases[0], "");
}

static void test_hex8(void **state)
{
    (void)state;
    check_case(&cases[1], "");
}

static void test_tet10(void **state)
{
    (void)state;
    check_case(&cases[2], "");
}

static void test_tri6(void **state)
{
    (void)state;
    check_case(&cases[3], "");
}

/* The iterative solver adds up dot products of its own. */
static void test_pcg(void **state)
{
    (void)state;
    check_case(&cases[1], "method={type: none, solver: pcg}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tet4), cmocka_unit_test(test_hex8), cmocka_unit_test(test_tet10),
        cmocka_unit_test(test_tri6), cmocka_unit_test(test_pcg),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
