/* A person who does everything at once and at random: no step fails, nothing intersects, the books balance, and the same hands give the
   same bits with any number of threads. */
#include "flow.h"

#include "base/rng.h"

static const char solids[] =
    "brunt: 1\ntime: {step: 0.01, end: 10}\nmethod: {type: ipc, tolerance: 1e-6}\ncontact: {friction: 0.3}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4, damping: {beta: 1e-3}}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}}\n"
    "bodies:\n  - {name: soft, type: deformable, mesh: m, material: a, position: [0, 0, 0.06]}\n"
    "  - {name: box, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0.12, 0, 0.06]}\n"
    "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.05}}, position: [0.05, 0.02, 0.18]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\n"
    "  - {name: roller, type: static, shape: {capsule: {radius: 0.03, height: 0.1}}, position: [-0.2, 0, "
    "0.1], motion:\n"
    "     {angular_velocity: -4, velocity: [0.05, 0, 0], about: {point: [-0.2, 0, 0.1], axis: [0, 1, 0]}}}\n"
    "  - {name: bar, type: static, shape: {box: {size: [0.05, 0.3, 0.05]}}, position: [0.3, 0, 0.1]}\n";

static const char plane[] =
    "brunt: 1\ndimension: 2\ntime: {step: 0.01, end: 10}\nmethod: {type: ipc, tolerance: 1e-6}\ncontact: "
    "{friction: 0.3}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1], cells: [3, 3], element: tri3}}}\n"
    "bodies:\n  - {name: soft, type: deformable, mesh: m, material: a, position: [0, 0.06]}\n"
    "  - {name: box, type: rigid, shape: {box: {size: [0.1, 0.1]}}, position: [0.12, 0.06]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\n"
    "  - {name: bar, type: static, shape: {box: {size: [0.05, 0.05]}}, position: [-0.2, 0.1], motion: "
    "{velocity: [0.1, "
    "0]}}\n";

static void random_vector(brn_rng *rng, double size, double v[3])
{
    for (int i = 0; i < 3; ++i) {
        v[i] = brn_rng_uniform(rng, -size, size);
    }
}

/* One moment's whims: each is rare enough that the last one has had its effect. */
static void lay_hands_on(flow *f, brn_rng *rng)
{
    brn_model_info info;
    double v[3];
    brn_model_get_info(f->model, &info);
    if (brn_rng_uniform(rng, 0.0, 1.0) < 0.15) {
        brn_body_info body;
        int which = 0;
        do {
            which = (int)brn_rng_uniform(rng, 0.0, info.bodies);
            assert_done(f->ctx, brn_model_get_body(f->model, which, &body));
        } while (brn_model_is_movable(f->model, which));
        random_vector(rng, 0.6, v);
        const int node = body.node_first + (int)brn_rng_uniform(rng, 0.0, body.node_count);
        assert_done(f->ctx, brn_sim_drag(f->sim, node, v, 0.0));
    }
    if (brn_rng_uniform(rng, 0.0, 1.0) < 0.05) {
        assert_done(f->ctx, brn_sim_drag(f->sim, -1, NULL, 0.0));
    }
    if (brn_rng_uniform(rng, 0.0, 1.0) < 0.05) {
        random_vector(rng, 15.0, v);
        assert_done(f->ctx, brn_sim_set_gravity(f->sim, v));
    }
    if (brn_rng_uniform(rng, 0.0, 1.0) < 0.1) {
        assert_done(f->ctx, brn_sim_set_friction(f->sim, -1, -1, brn_rng_uniform(rng, 0.0, 1.2)));
    }
    if (brn_rng_uniform(rng, 0.0, 1.0) < 0.1) {
        assert_done(f->ctx, brn_sim_set_motion_speed(f->sim, 0, brn_rng_uniform(rng, -2.0, 2.0)));
    }
    for (int b = 0; b < info.bodies; ++b) {
        if (brn_model_is_movable(f->model, b) && brn_rng_uniform(rng, 0.0, 1.0) < 0.1) {
            random_vector(rng, 0.15, v);
            assert_done(f->ctx, brn_sim_set_offset(f->sim, b, v));
        }
    }
}

static uint64_t whims(const char *text, const char *sets, int threads, uint64_t seed)
{
    flow f = flow_open(threads, text, sets);
    brn_rng rng = {seed};
    for (int n = 0; n < 60; ++n) {
        brn_report r;
        lay_hands_on(&f, &rng);
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_int_equal(r.intersections, 0);
        assert_int_equal(r.inversions, 0);
        assert_true(r.momentum_error < 1e-4); /* what the tolerance leaves: up to 2.6e-5 */
    }
    const uint64_t hash = brn_sim_hash(f.sim);
    flow_close(&f);
    return hash;
}

static void test_solids(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        (void)whims(solids, seed % 2 ? NULL : "integrator=bdf2", 1, seed);
    }
}

static void test_plane(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        (void)whims(plane, seed % 2 ? NULL : "integrator=bdf2", 1, seed);
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    const uint64_t one = whims(solids, NULL, 1, 5);
    assert_true(whims(solids, NULL, 3, 5) == one);
    assert_true(whims(solids, NULL, 1, 6) != one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_solids), cmocka_unit_test(test_plane),
                                       cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
