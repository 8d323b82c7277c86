/* What a user may try: materials from jelly to diamond, steps from a microsecond to a second, grains and mountains, bodies
   far from the origin or at a huge speed. Every run goes through, or stops with an error that says what to change. */
#include "flow.h"

static const char beam[] = "brunt: 1\ntime: {step: 0.01, end: 1000}\n"
                           "materials: {a: {type: neo_hookean, young: 1e6, poisson: 0.4, density: 1000}}\n"
                           "meshes: {m: {box: {size: [0.2, 0.1, 0.1], cells: [4, 2, 2], element: tet4}}}\n"
                           "bodies: [{name: a, type: deformable, mesh: m, material: a}]\n"
                           "fixed: [{name: foot, body: a, where: {face: -x}}]\n";

enum { STEPS = 3, IMPLICIT = 4 }; /* the first four integrators */

/* A few steps; the most iterations that one of them took. */
static int go(const char *integrator, const char *sets)
{
    char all[400];
    assert_true(snprintf(all, sizeof all, "integrator=%s;%s", integrator, sets) < (int)sizeof all);
    flow f = flow_open(1, beam, all);
    int most = 0;
    for (int i = 0; i < STEPS; ++i) {
        brn_report r;
        const brn_status status = brn_sim_step(f.sim, &r);
        if (status < 0) {
            fail_msg("%s: %s", all, brn_ctx_message(f.ctx));
        }
        if (r.substeps != 1 || !isfinite(r.elastic) || r.inversions != 0) {
            fail_msg("%s: step %d: %d parts, elastic %g J, %d inversions", all, i, r.substeps, r.elastic,
                     r.inversions);
        }
        most = r.iterations > most ? r.iterations : most;
    }
    flow_close(&f);
    return most;
}

static void assert_iterations(const char *sets, int limit, bool with_static)
{
    for (int i = 0; i < FLOW_INTEGRATORS; ++i) {
        if (i < IMPLICIT || (i == FLOW_STATIC && with_static)) {
            const int most = go(flow_integrators[i], sets);
            if (most > limit) {
                fail_msg("%s, %s: %d iterations", flow_integrators[i], sets, most);
            }
        }
    }
}

static void test_stiffness_and_step(void **state)
{
    (void)state;
    static const char *const young[] = {"1e3", "1e6", "1e9", "1e12"};
    static const char *const step[] = {"1e-6", "1e-4", "1e-2", "1"};
    for (int e = 0; e < 4; ++e) {
        for (int h = 0; h < 4; ++h) {
            if (e == 0 && h == 3) {
                continue; /* a beam that hangs straight down after one step: below */
            }
            char sets[100];
            (void)snprintf(sets, sizeof sets, "materials.a.young=%s;time.step=%s", young[e], step[h]);
            assert_iterations(sets, 12, true);
        }
    }
    for (int i = 0; i < 3;
         ++i) { /* without midpoint, which may end a step beyond the domain of the material */
        assert_true(go(flow_integrators[i], "materials.a.young=1e3;time.step=1") <= 50);
    }
}

static void test_poisson(void **state)
{
    (void)state;
    static const char *const ratios[] = {"0.499", "0.49999", "0", "-0.9"};
    for (int i = 0; i < 4; ++i) {
        char sets[100];
        (void)snprintf(sets, sizeof sets, "materials.a.poisson=%s", ratios[i]);
        assert_iterations(sets, 12, true);
    }
}

/* Positions have lost 5 to 7 of their digits there: the stopping test and the line search must know. */
static void test_far_away(void **state)
{
    (void)state;
    static const char *const places[] = {"[1e4,0,0]", "[1e4,-1e4,1e4]", "[0,0,1e6]"};
    static const char *const more[] = {"materials.a.young=1e5;time.step=1e-4", "materials.a.young=1e5",
                                       "materials.a.young=1e9;time.step=1e-4", "materials.a.young=1e9"};
    for (int p = 0; p < 3; ++p) {
        for (int m = 0; m < 4; ++m) {
            char sets[200];
            (void)snprintf(sets, sizeof sets, "bodies.a.position=%s;%s", places[p], more[m]);
            assert_iterations(sets, 12, true);
        }
    }
}

static void test_sizes(void **state)
{
    (void)state;
    static const char *const scales[] = {"1e-6", "1e-5", "1e3", "1e4"}; /* of a beam of 0.2 m */
    static const char *const more[] = {"materials.a.young=1e10;time.step=1e-6", "materials.a.young=1e10"};
    for (int s = 0; s < 4; ++s) {
        for (int m = 0; m < 2; ++m) {
            char sets[200];
            (void)snprintf(sets, sizeof sets, "meshes.m.scale=%s;%s", scales[s], more[m]);
            assert_iterations(sets, 15, true);
        }
    }
}

/* Nothing to do is done in no iteration, wherever the body is. */
static void test_rest(void **state)
{
    (void)state;
    static const char *const places[] = {"[0,0,0]", "[0.1,3,7]", "[1e4,0,1e-3]", "[-1e6,1e6,1]"};
    for (int p = 0; p < 4; ++p) {
        char sets[200];
        (void)snprintf(sets, sizeof sets, "gravity=[0,0,0];bodies.a.position=%s", places[p]);
        assert_iterations(sets, 0, true);
        (void)snprintf(sets, sizeof sets, "gravity=[0,0,0];fixed=[];bodies.a.position=%s", places[p]);
        assert_iterations(sets, 0, false);
    }
}

/* So is free flight, at any speed. */
static void test_flight(void **state)
{
    (void)state;
    static const char *const speeds[] = {"[0,0,0]", "[1,2,3]", "[1e4,0,0]", "[0,0,1e6]"};
    for (int s = 0; s < 4; ++s) {
        char sets[200];
        (void)snprintf(sets, sizeof sets, "fixed=[];bodies.a.velocity=%s", speeds[s]);
        assert_iterations(sets, 1, false);
    }
}

/* Beyond all sense: the run may stop, soon and with advice, and keeps the state before. */
static void test_nonsense(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "bodies.a.velocity=[1e4,0,0]",
        "bodies.a.velocity=[0,0,1e6]",
        "gravity=[0,0,-1e6]",
        "gravity=[0,0,-1e300]",
        "gravity=[0,0,-1e14]",
        "bodies.a.velocity=[1e11,0,0]",
        "materials.a.young=1e3;time.step=1",
        "materials.a.young=1e300",
        "materials.a.young=1e19",
        "materials.a.young=1e-14",
        "materials.a.density=1e19",
        "materials.a.density=1e-11",
        "time.step=1e-300",
        "time.step=1e300;time.end=1e300",
        "fixed[0].motion.velocity=[1e100,0,0]",
        "loads=[{body: a, where: {face: +x}, force: [1e30, 0, 0]}]",
        "loads=[{body: a, where: {face: +x}, pressure: 1e12}]",
    };
    int stopped = 0;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        for (int i = 0; i < FLOW_INTEGRATORS; ++i) {
            char sets[300];
            (void)snprintf(sets, sizeof sets, "integrator=%s;%s", flow_integrators[i], cases[c]);
            flow f;
            brn_status status = flow_try(1, beam, sets, &f);
            for (int n = 0; n < STEPS && status >= 0; ++n) {
                const uint64_t before = brn_sim_hash(f.sim);
                brn_report r;
                status = brn_sim_step(f.sim, &r);
                if (status >= 0 && !(isfinite(r.elastic) && isfinite(r.kinetic))) {
                    fail_msg("%s: an energy that is not finite was accepted", sets);
                }
                assert_true(status >= 0 || brn_sim_hash(f.sim) == before);
            }
            if (status < 0) {
                ++stopped;
                const char *text = brn_ctx_message(f.ctx);
                /* what to change: the step, or the key of the scene that is out of range */
                if (strstr(text, "try a smaller") == NULL && strstr(text, "brunt check") == NULL &&
                    strstr(text, "must be") == NULL && strstr(text, "too many steps") == NULL) {
                    fail_msg("%s: %s: no advice in: %s", sets, brn_status_name(status), text);
                }
            }
            flow_close(&f);
        }
    }
    assert_true(stopped > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiffness_and_step),
        cmocka_unit_test(test_poisson),
        cmocka_unit_test(test_far_away),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_flight),
        cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
