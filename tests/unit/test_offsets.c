/* Obstacles moved by hand: their way is straight, bounded in speed and without a jump; they push what is in it and are never inside of
   it; where something does not give way they stop. */
#include "flow.h"
#include "unit/no_fsync.h"

#include "step/sim.h"

#define SOFT                                                                      \
 "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}}\n" \
 "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}}\n"

/* ---- the way ----------------------------------------------------------------------------------------------------------- */

static const char turning[] = "brunt: 1\ntime: {step: 0.01, end: 10}\nmethod: {type: none}\n" SOFT
                              "bodies:\n  - {name: soft, type: deformable, mesh: m, material: a}\n"
                              "  - {name: arm, type: static, mesh: m, position: [1, 0, 0], motion: "
                              "{angular_velocity: 2, velocity: [0.1, 0, 0], "
                              "about: {point: [1, 0.2, 0], axis: [0, 0, 1]}}}\n"
                              "  - {name: floor, type: static, shape: {plane: {}}, position: [0, 0, -1]}\n";

/* The offset that a body has: where its first node is against where its motion puts it. */
static void measured_offset(const flow *f, int body, double offset[3])
{
    const brn_hold *hold = &f->model->hold[brn_model_body_hold(f->model, body)];
    double place[3];
    brn_motion_place(&hold->motion, f->model->rest[hold->node[0]], brn_sim_time(f->sim), place, NULL);
    for (int i = 0; i < 3; ++i) {
        offset[i] = brn_sim_positions(f->sim)[3 * hold->node[0] + i] - place[i];
    }
}

static void check_offset(const flow *f, int body, double x, double y, double z)
{
    double there[3];
    double told[3];
    measured_offset(f, body, there);
    assert_done(f->ctx, brn_sim_get_offset(f->sim, body, told));
    const double want[3] = {x, y, z};
    for (int i = 0; i < 3; ++i) {
        assert_near(there[i], want[i], 2e-15); /* roundings of positions of 1 m */
        assert_near(told[i], want[i], 1e-17);
    }
}

static void step_all(flow *f, int steps)
{
    for (int i = 0; i < steps; ++i) {
        assert_done(f->ctx, brn_sim_step(f->sim, NULL));
    }
}

/* In four equal parts on top of the motion, in a straight line; taken up again from the middle of its way; by every rule. */
static void test_way(void **state)
{
    (void)state;
    for (int rule = 0; rule < FLOW_INTEGRATORS; ++rule) {
        char sets[100];
        (void)snprintf(sets, sizeof sets, "integrator=%s;time.step=%g%s", flow_integrators[rule],
                       rule == FLOW_SYMPLECTIC ? 1e-3 : 0.01,
                       rule == FLOW_STATIC ? ";fixed=[{body: soft, where: {face: -z}}]" : "");
        flow f = flow_open(1, turning, sets);
        const double unit =
            rule == FLOW_SYMPLECTIC ? 1e-5 : 1e-4; /* within the bound of the speed, 0.35 m/s */
        step_all(&f, 3);
        assert_done(f.ctx, brn_sim_set_offset(f.sim, 1, (double[3]){4 * unit, -8 * unit, 12 * unit}));
        assert_done(f.ctx, brn_sim_set_offset(f.sim, 2, (double[3]){0, 0, 4 * unit}));
        check_offset(&f, 1, 0, 0, 0);
        for (int n = 1; n <= 2; ++n) {
            step_all(&f, 1);
            check_offset(&f, 1, n * unit, -2 * n * unit, 3 * n * unit);
            check_offset(&f, 2, 0, 0, n * unit);
        }
        assert_done(f.ctx,
                    brn_sim_set_offset(f.sim, 1, (double[3]){2 * unit, 0, 6 * unit})); /* another way */
        check_offset(&f, 1, 2 * unit, -4 * unit, 6 * unit);
        for (int n = 1; n <= 4; ++n) {
            step_all(&f, 1);
            check_offset(&f, 1, 2 * unit, (-4 + n) * unit, 6 * unit);
        }
        check_offset(&f, 2, 0, 0, 4 * unit);
        step_all(&f, 3);
        check_offset(&f, 1, 2 * unit, 0, 6 * unit); /* there, and goes on with its motion */
        flow_close(&f);
    }
}

/* The velocity of each step is its way over its length, also at the last one; then that of the motion alone. */
static void test_velocity(void **state)
{
    (void)state;
    flow f = flow_open(1, turning, NULL);
    const int node = f.model->body[2].node_first;
    assert_done(f.ctx, brn_sim_set_offset(f.sim, 2, (double[3]){0, 0, 4e-3}));
    for (int n = 1; n <= 6; ++n) {
        step_all(&f, 1);
        assert_near(brn_sim_velocities(f.sim)[3 * node + 2], n <= 4 ? 0.1 : 0.0, 1e-13);
    }
    flow_close(&f);
}

/* A long way takes as many steps as the bounds want: 0.02 sizes a step, 2 sizes a second. */
static void test_bounds(void **state)
{
    (void)state;
    static const double steps[] = {0.05, 0.01, 1e-3};
    static const double most[] = {0.02, 0.02, 2e-3}; /* [sizes] a step */
    for (int i = 0; i < 3; ++i) {
        char sets[40];
        (void)snprintf(sets, sizeof sets, "time.step=%g", steps[i]);
        flow f = flow_open(1, turning, sets);
        const double size = f.sim->system->size; /* of the soft cube: 0.17 m */
        const double far[3] = {10.5 * most[i] * size, 0.0, 0.0};
        double before = 0.0;
        assert_near(size, 0.1 * sqrt(3.0), 1e-12);
        assert_done(f.ctx, brn_sim_set_offset(f.sim, 1, far));
        for (int n = 1; n <= 11; ++n) {
            double now[3];
            step_all(&f, 1);
            assert_done(f.ctx, brn_sim_get_offset(f.sim, 1, now));
            assert_near(now[0] - before, far[0] / 11.0, 1e-12);
            before = now[0];
        }
        assert_near(before, far[0], 0.0);
        flow_close(&f);
    }
}

/* A checkpoint in the middle of the way: another simulation, which wants no offset, brings the obstacle home without a jump. */
static void test_checkpoint(void **state)
{
    (void)state;
    flow f = flow_open(1, turning, NULL);
    assert_done(f.ctx, brn_sim_set_offset(f.sim, 1, (double[3]){0, 4e-3, 0}));
    step_all(&f, 2);
    check_offset(&f, 1, 0, 2e-3, 0);
    assert_done(f.ctx, brn_sim_save(f.sim, "offsets.h5"));
    flow g = flow_open(1, turning, NULL);
    assert_done(g.ctx, brn_sim_load(g.sim, "offsets.h5"));
    assert_true(brn_sim_hash(g.sim) == brn_sim_hash(f.sim));
    check_offset(&g, 1, 0, 2e-3, 0);
    for (int n = 1; n <= 5; ++n) {
        step_all(&g, 1);
        check_offset(&g, 1, 0, fmax(0.0, 2e-3 - n * 0.5e-3), 0);
    }
    /* One that is on its way itself, and goes back to the start. */
    assert_done(g.ctx, brn_sim_set_offset(g.sim, 1, (double[3]){0, 0, 8e-3}));
    step_all(&g, 1);
    flow h = flow_open(1, turning, NULL);
    assert_done(h.ctx, brn_sim_save(h.sim, "offsets.h5"));
    assert_done(g.ctx, brn_sim_load(g.sim, "offsets.h5"));
    check_offset(&g, 1, 0, 0, 0);
    step_all(&g, 2);
    check_offset(&g, 1, 0, 0, 4e-3);
    flow_close(&f);
    flow_close(&g);
    flow_close(&h);
}

/* ---- pushing ------------------------------------------------------------------------------------------------------------- */

static const char table[] =
    "brunt: 1\ntime: {step: 0.01, end: 10}\nmethod: {type: ipc}\ncontact: {friction: 0.2}\n" SOFT
    "bodies:\n  - {name: soft, type: deformable, mesh: m, material: a, position: [0, 0, 0.0505]}\n"
    "  - {name: hard, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0.25, 0, 0.0505]}\n"
    "  - {name: pusher, type: static, shape: {box: {size: [0.05, 0.3, 0.05]}}, position: [-0.1, 0, 0.05]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\n";

static brn_report step_clean(flow *f, double *momentum)
{
    brn_report r;
    assert_done(f->ctx, brn_sim_step(f->sim, &r));
    assert_int_equal(r.intersections, 0);
    assert_int_equal(r.inversions, 0);
    assert_true(r.gap_min > 0.0);
    *momentum = fmax(*momentum, r.momentum_error);
    return r;
}

static double mean_of(const flow *f, int body, int axis)
{
    const brn_body *b = &f->model->body[body];
    double sum = 0.0;
    for (int a = b->node_first; a < b->node_first + b->node_count; ++a) {
        sum += brn_sim_positions(f->sim)[3 * a + axis];
    }
    return sum / b->node_count;
}

/* Dragged over a table it takes a soft and a rigid body along, in any direction that a hand may choose. */
static void test_pushes(void **state)
{
    (void)state;
    flow f = flow_open(1, table, NULL);
    double momentum = 0.0;
    for (int n = 0; n < 80; ++n) {
        /* a hand that goes on: a new place every other step, 0.6 m in all */
        if (n % 2 == 0) {
            const double offset[3] = {0.6 * (n + 2) / 80.0, 0.0, 0.0};
            assert_done(f.ctx, brn_sim_set_offset(f.sim, 2, offset));
        }
        const brn_report r = step_clean(&f, &momentum);
        assert_true(r.substeps == 1 && r.retries == 0);
    }
    for (int n = 0; n < 20; ++n) {
        (void)step_clean(&f, &momentum);
    }
    double offset[3];
    assert_done(f.ctx, brn_sim_get_offset(f.sim, 2, offset));
    assert_near(offset[0], 0.6, 0.0);
    /* its front is at 0.525: both are beyond it, one before the other */
    assert_true(mean_of(&f, 0, 0) > 0.57 && mean_of(&f, 1, 0) > mean_of(&f, 0, 0) + 0.09);
    assert_true(momentum < 5e-4); /* what the tolerance leaves: 1.4e-4 */
    flow_close(&f);
}

/* The floor itself is lifted, with all that is on it, and lowered again faster than they fall. */
static void test_lifts(void **state)
{
    (void)state;
    flow f = flow_open(1, table, NULL);
    double momentum = 0.0;
    for (int n = 0; n < 10; ++n) {
        (void)step_clean(&f, &momentum);
    }
    const double before = mean_of(&f, 1, 2);
    assert_done(f.ctx, brn_sim_set_offset(f.sim, 3, (double[3]){0, 0, 0.02}));
    assert_done(f.ctx, brn_sim_set_offset(f.sim, 2, (double[3]){0, 0, 0.1})); /* out of the way */
    for (int n = 0; n < 60; ++n) {
        (void)step_clean(&f, &momentum);
    }
    assert_near(mean_of(&f, 1, 2), before + 0.02, 2e-4); /* within dhat, 4e-4 */
    assert_done(f.ctx, brn_sim_set_offset(f.sim, 3, (double[3]){0, 0, -0.1}));
    for (int n = 0; n < 60; ++n) {
        (void)step_clean(&f, &momentum);
    }
    assert_near(mean_of(&f, 1, 2), before - 0.1, 2e-4);
    assert_true(momentum < 5e-4); /* what the tolerance leaves: 1.4e-4 */
    flow_close(&f);
}

/* ---- what does not give way ------------------------------------------------------------------------------------------------ */

typedef struct told {
    int warnings;
    char last[400];
} told;

static void listen(void *user, brn_log_level level, const char *message)
{
    told *t = user;
    if (level == BRN_LOG_WARNING) {
        t->warnings++;
        (void)snprintf(t->last, sizeof t->last, "%s", message);
    }
}

/* A rigid box between the pusher and a wall. */
static const char vice[] =
    "brunt: 1\ntime: {step: 0.01, end: 10}\nmethod: {type: ipc, iterations: 60}\n"
    "bodies:\n  - {name: hard, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 0, "
    "0.0505]}\n"
    "  - {name: pusher, type: static, shape: {box: {size: [0.05, 0.3, 0.3]}}, position: [-0.1, 0, 0.1]}\n"
    "  - {name: wall, type: static, shape: {box: {size: [0.05, 0.3, 0.3]}}, position: [0.1, 0, 0.1]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\n";

typedef struct vice_run {
    told t;
    flow f;
    double momentum;
} vice_run;

static void vice_open(vice_run *v, const char *sets)
{
    *v = (vice_run){0};
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    options.log = listen;
    options.log_user = &v->t;
    flow *f = &v->f;
    assert_int_equal(brn_ctx_create(&options, &f->ctx), BRN_OK);
    assert_done(f->ctx, flow_scene(f->ctx, vice, sets, &f->scene));
    assert_done(f->ctx, brn_model_compile(f->ctx, f->scene, &f->model));
    assert_done(f->ctx, brn_sim_create(f->ctx, f->model, &f->sim));
}

/* Sends the pusher somewhere; where it has got to. */
static double vice_send(vice_run *v, double where, int steps)
{
    double offset[3];
    assert_done(v->f.ctx, brn_sim_set_offset(v->f.sim, 1, (double[3]){where, 0.0, 0.0}));
    for (int n = 0; n < steps; ++n) {
        (void)step_clean(&v->f, &v->momentum);
    }
    assert_done(v->f.ctx, brn_sim_get_offset(v->f.sim, 1, offset));
    return offset[0];
}

static void test_stops(void **state)
{
    (void)state;
    vice_run v;
    vice_open(&v, NULL);
    /* Gaps of 0.025 on both sides are used up, but for less than the way of a step (0.0035); then it stops, once and for all. */
    const double end = vice_send(&v, 0.5, 60);
    assert_true(end > 0.0465 && end < 0.0501);
    assert_int_equal(v.t.warnings, 1);
    assert_non_null(strstr(v.t.last, "too much is in the way of pusher"));
    /* and can be drawn back */
    assert_near(vice_send(&v, 0.0, 30), 0.0, 0.0);
    assert_int_equal(v.t.warnings, 1);
    assert_true(v.momentum < 1e-4);
    flow_close(&v.f);
}

/* A soft body is squeezed, as far as that strength goes, and lets go again. */
static void test_squeezes(void **state)
{
    (void)state;
    vice_run v;
    vice_open(&v, "materials={a: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000}};"
                  "meshes={m: {box: {size: [0.1, 0.1, 0.1], cells: [3, 3, 3], element: tet4}}};"
                  "bodies[0]={name: soft, type: deformable, mesh: m, material: a, position: [0, 0, 0.0505]}");
    const double end = vice_send(&v, 0.5, 60);
    /* 1e4 N on 0.01 m^2 is a pressure of the size of its modulus */
    assert_true(end > 0.08 && end < 0.14);
    assert_int_equal(v.t.warnings, 1);
    assert_near(vice_send(&v, 0.0, 40), 0.0, 0.0);
    assert_true(v.momentum < 1e-4);
    flow_close(&v.f);
}

/* A step that fails while something is moved by hand goes through without it: so few iterations do not do for the blow on the box,
   or for the squeeze. */
static void test_fails_softly(void **state)
{
    (void)state;
    static const char *const few[] = {"method.iterations=8", "method.iterations=10"};
    for (int i = 0; i < 2; ++i) {
        vice_run v;
        vice_open(&v, few[i]);
        const double end = vice_send(&v, 0.5, 60);
        assert_true(end < 0.0501); /* where the box is */
        assert_int_equal(v.t.warnings, 1);
        assert_non_null(strstr(v.t.last, "did not converge"));
        flow_close(&v.f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_way),          cmocka_unit_test(test_velocity),
        cmocka_unit_test(test_bounds),       cmocka_unit_test(test_checkpoint),
        cmocka_unit_test(test_pushes),       cmocka_unit_test(test_lifts),
        cmocka_unit_test(test_stops),        cmocka_unit_test(test_squeezes),
        cmocka_unit_test(test_fails_softly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
