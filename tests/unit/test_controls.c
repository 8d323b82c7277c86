/* Hands on a simulation: gravity, friction, the speed of motions. Changes act at once and exactly, the books stay balanced, bad
   arguments change nothing, and a simulation that is told what holds anyway keeps its bits. */
#include "flow.h"
#include "unit/no_fsync.h"

#include "model/model.h"
#include "step/ledger.h"
#include "step/sim.h"

static const char *const dynamic_rules[] = {"integrator=implicit_euler", "integrator=bdf2",
                                            "integrator=newmark", "integrator=midpoint",
                                            "integrator=symplectic_euler"};
enum { DYNAMIC_RULES = 5 };

/* ---- motions ----------------------------------------------------------------------------------------------------------- */

/* Of every kind, of obstacles and of a body's ends; `still` has none. */
static const char motions[] =
    "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: 0.01, end: 10}\nmethod: {type: none}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.3}}\n"
    "meshes: {m: {box: {size: [0.2, 0.1, 0.1], cells: [2, 1, 1], element: hex8}}}\n"
    "bodies:\n  - {name: soft, type: deformable, mesh: m, material: a}\n"
    "  - {name: slider, type: static, mesh: m, position: [0, 1, 0], motion: {velocity: [0.3, 0, -0.1]}}\n"
    "  - {name: still, type: static, mesh: m, position: [0, 2, 0]}\n"
    "  - {name: wheel, type: static, mesh: m, position: [0, 3, 0], motion: {angular_velocity: 5, velocity: "
    "[0, 0, 1], "
    "until: 0.3,\n     about: {point: [0.1, 3, 0], axis: [1, 2, 3]}}}\n"
    "fixed:\n  - {name: foot, body: soft, where: {face: -x}}\n"
    "  - {name: head, body: soft, where: {face: +x}, motion: {table: [[0, 0, 0, 0], [0.1, 0.02, 0, 0], "
    "[0.25, 0.02, "
    "0.03, 0]]}}\n";
enum { SLIDER = 0, WHEEL = 1, HEAD = 2 };

/* Where node k of a motion's hold is by its own time tau, as the scene says. */
static void scene_place(const flow *f, int motion, int k, double tau, double pos[3], double vel[3])
{
    const brn_hold *hold = &f->model->hold[brn_model_motion_hold(f->model, motion)];
    brn_motion_place(&hold->motion, f->model->rest[hold->node[k]], tau, pos, vel);
}

static const double *node_of(const flow *f, int motion, int k, const double *array)
{
    return &array[3 * f->model->hold[brn_model_motion_hold(f->model, motion)].node[k]];
}

static void step_all(flow *f, int steps)
{
    for (int i = 0; i < steps; ++i) {
        assert_done(f->ctx, brn_sim_step(f->sim, NULL));
    }
}

/* All nodes of a motion stand where its own time tau puts them; velocities `rate` times the scene's. */
static void check_at(const flow *f, int motion, double tau, double rate)
{
    for (int k = 0; k < 4; ++k) {
        double pos[3];
        double vel[3];
        scene_place(f, motion, k, tau, pos, vel);
        for (int i = 0; i < 3; ++i) {
            /* times are sums here and products there, and the step adds a way to x^n: a few roundings of 1..3 m */
            assert_near(node_of(f, motion, k, brn_sim_positions(f->sim))[i], pos[i], 4e-15);
            assert_near(node_of(f, motion, k, brn_sim_velocities(f->sim))[i], rate * vel[i], 2e-12);
        }
    }
}

static void test_names(void **state)
{
    (void)state;
    flow f = flow_open(1, motions, NULL);
    assert_int_equal(brn_model_motion_count(f.model), 3);
    assert_string_equal(brn_model_motion_name(f.model, SLIDER), "slider");
    assert_string_equal(brn_model_motion_name(f.model, WHEEL), "wheel");
    assert_string_equal(brn_model_motion_name(f.model, HEAD), "head");
    assert_null(brn_model_motion_name(f.model, 3));
    assert_null(brn_model_motion_name(f.model, -1));
    static const bool movable[] = {false, true, true, true};
    for (int b = 0; b < 4; ++b) {
        assert_int_equal(brn_model_is_movable(f.model, b), movable[b]);
    }
    assert_false(brn_model_is_movable(f.model, -1) || brn_model_is_movable(f.model, 4));
    flow_close(&f);
}

/* The own time of each motion goes on from where it is, half as fast, not at all, and back. */
static void test_speed(void **state)
{
    (void)state;
    for (int rule = 0; rule < FLOW_INTEGRATORS; ++rule) {
        char sets[80];
        (void)snprintf(sets, sizeof sets, "integrator=%s;time.step=%g", flow_integrators[rule],
                       rule == FLOW_SYMPLECTIC ? 1e-4 : 0.01);
        flow f = flow_open(1, motions, sets);
        const double h = f.model->step;
        const double shown = rule == FLOW_STATIC ? 0.0 : 1.0; /* a static run has no velocities */
        step_all(&f, 7);
        for (int m = 0; m < 3; ++m) {
            check_at(&f, m, 7 * h, shown);
            assert_done(f.ctx, brn_sim_set_motion_speed(f.sim, m, 0.5));
            assert_near(brn_sim_get_motion_speed(f.sim, m), 0.5, 0.0);
        }
        for (int n = 1; n <= 6; ++n) {
            step_all(&f, 1);
            for (int m = 0; m < 3; ++m) {
                check_at(&f, m, (7 + 0.5 * n) * h, 0.5 * shown);
            }
        }
        assert_done(f.ctx, brn_sim_set_motion_speed(f.sim, SLIDER, 0.0));
        assert_done(f.ctx, brn_sim_set_motion_speed(f.sim, WHEEL, 3.0));
        assert_done(f.ctx, brn_sim_set_motion_speed(f.sim, HEAD, -2.0));
        for (int n = 1; n <= 4; ++n) {
            step_all(&f, 1);
            check_at(&f, SLIDER, 10 * h, 0.0);
            check_at(&f, WHEEL, (10 + 3 * n) * h, 3.0 * shown);
            check_at(&f, HEAD, (10 - 2 * n) * h, -2.0 * shown);
        }
        /* back to the start and not beyond it */
        step_all(&f, 2);
        check_at(&f, HEAD, 0.0, 0.0);
        assert_done(f.ctx, brn_sim_set_motion_speed(f.sim, HEAD, 1.0));
        step_all(&f, 2);
        check_at(&f, HEAD, 2 * h, shown);
        flow_close(&f);
    }
}

/* `until` and the end of a table are times of the motion's own; whoever turns back after them need not wait. */
static void test_ends(void **state)
{
    (void)state;
    flow f = flow_open(1, motions, NULL);
    assert_done(f.ctx, brn_sim_set_motion_speed(f.sim, WHEEL, 2.0));
    assert_done(f.ctx, brn_sim_set_motion_speed(f.sim, HEAD, 0.5));
    step_all(&f, 14);
    check_at(&f, WHEEL, 0.28, 2.0);
    step_all(&f, 2);
    check_at(&f, WHEEL, 0.3 + 1e-9, 0.0); /* stopped, at 0.16 s */
    step_all(&f, 44);
    check_at(&f, HEAD, 0.3, 0.0); /* t = 0.6 s, its table ends at 0.25 */
    assert_done(f.ctx, brn_sim_set_motion_speed(f.sim, WHEEL, -1.0));
    assert_done(f.ctx, brn_sim_set_motion_speed(f.sim, HEAD, -1.0));
    step_all(&f, 5);
    check_at(&f, WHEEL, 0.25, -1.0);
    check_at(&f, HEAD, 0.2, -1.0);
    /* a table's corner, and `until`, are passed with the velocity of the side that it comes from */
    const brn_motion *head = &f.model->hold[brn_model_motion_hold(f.model, HEAD)].motion;
    const brn_motion *wheel = &f.model->hold[brn_model_motion_hold(f.model, WHEEL)].motion;
    const double rest[3] = {0.0, 0.0, 0.0};
    double pos[3];
    double vel[3];
    brn_motion_run(head, rest, 0.1, -2.0, pos, vel);
    assert_true(pos[0] == 0.02 && vel[0] == 0.0);
    assert_near(vel[1], -2.0 * 0.03 / 0.15, 1e-15);
    brn_motion_run(head, rest, 0.1, 2.0, pos, vel);
    assert_true(vel[1] == 0.0);
    assert_near(vel[0], 2.0 * 0.02 / 0.1, 1e-15);
    brn_motion_run(head, rest, -1.0, -2.0, pos, vel);
    assert_true(pos[0] == 0.0 && vel[0] == 0.0);
    brn_motion_run(wheel, rest, 0.3, -1.0, NULL, vel);
    assert_true(vel[0] == 0.0 && vel[2] == 0.0);
    brn_motion_run(wheel, rest, 0.3, 1.0, NULL, vel);
    assert_true(vel[2] != 0.0);
    flow_close(&f);
}

/* A step that does not go through whole is cut: its parts see the same own time. */
static void test_parts(void **state)
{
    (void)state;
    flow f = flow_open(1, motions,
                       "time.step=0.1;method={type: none, iterations: 5};"
                       "fixed[1].motion={table: [[0, 0, 0, 0], [0.1, -0.17, 0, 0], [0.2, 0.3, 0, 0]]}");
    brn_report r;
    int parts = 0;
    assert_done(f.ctx, brn_sim_set_motion_speed(f.sim, HEAD, 0.5));
    assert_done(f.ctx, brn_sim_set_motion_speed(f.sim, WHEEL, 0.7));
    for (int n = 1; n <= 4; ++n) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        parts = r.substeps > parts ? r.substeps : parts;
        check_at(&f, HEAD, 0.05 * n, 0.5);
        check_at(&f, WHEEL, 0.07 * n, 0.7);
    }
    assert_true(parts > 1);
    flow_close(&f);
}

/* ---- gravity ----------------------------------------------------------------------------------------------------------- */

static const char falling[] =
    "brunt: 1\ntime: {step: 2e-3, end: 10}\nmethod: {type: none, tolerance: 1e-12}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}}\n"
    "meshes: {m: {box: {size: [0.2, 0.1, 0.1], cells: [2, 1, 1], element: hex8}}}\n"
    "bodies:\n  - {name: soft, type: deformable, mesh: m, material: a, velocity: [1, 0, 2]}\n"
    "  - {name: hard, type: rigid, shape: {sphere: {radius: 0.1}}, position: [0, 3, 5], velocity: [0, 1, "
    "0]}\n";

/* A flip in free flight: velocities are those of the closed form to rounding, whatever the rule remembers, and so is the balance. */
static void test_flip(void **state)
{
    (void)state;
    static const double flipped[3] = {1.0, -2.0, 9.0};
    for (int i = 0; i < DYNAMIC_RULES; ++i) {
        char sets[100];
        (void)snprintf(sets, sizeof sets, "%s;time.step=%g", dynamic_rules[i],
                       i == 4 ? 1e-5 : 2e-3); /* a rigid body is stiff */
        flow f = flow_open(1, falling, sets);
        const double h = f.model->step;
        brn_report r;
        double got[3];
        double worst = 0.0;
        for (int n = 0; n < 20; ++n) {
            if (n == 10) {
                assert_done(f.ctx, brn_sim_set_gravity(f.sim, flipped));
                brn_sim_get_gravity(f.sim, got);
                assert_memory_equal(got, flipped, sizeof got);
            }
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            assert_true(r.momentum_error < 1e-13);
            worst = fmax(worst, fabs(r.energy_error));
        }
        for (int a = 0; a < f.model->nnode; ++a) {
            const bool hard = a >= f.model->body[1].node_first;
            for (int k = 0; k < 3; ++k) {
                const double v0 = hard ? (k == 1 ? 1.0 : 0.0) : k == 0 ? 1.0 : k == 2 ? 2.0 : 0.0;
                const double g = k == 2 ? -9.81 : 0.0;
                assert_near(brn_sim_velocities(f.sim)[3 * a + k], v0 + 10 * h * g + 10 * h * flipped[k],
                            1e-11);
            }
        }
        /* Trapezoidal rules are exact for a constant force. The others lose or gain (g h)^2/2 of mass a step, 20 (2e-2)^2/2 in all,
           over a largest kinetic energy of 1 J a kg: 3.2e-3 measured. */
        assert_true(worst < (i == 2 || i == 3 ? 1e-13 : 4e-3));
        /* The potential jumped by 400 J, because the ball is 5 m up; the balance is measured by the 20 J that move. */
        assert_true(f.sim->state->ledger[BRN_LEDGER_ENERGY_SCALE] < 20.0);
        flow_close(&f);
    }
}

static const char clamped[] =
    "brunt: 1\ntime: {step: 1e-3, end: 10}\nmethod: {type: none, tolerance: 1e-12}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}}\n"
    "meshes: {m: {box: {size: [0.2, 0.1, 0.1], cells: [4, 2, 2], element: hex8}}}\n"
    "bodies: [{name: a, type: deformable, mesh: m, material: a}]\n"
    "fixed: [{body: a, where: {face: -x}}]\n";

/* A bar that swings under a gravity that turns every 20 steps. Its mass is consistent, so the clamp holds part of the weight of its
   neighbours. With a linear material trapezoidal rules keep the energy exactly, whatever happens. */
static void test_swing(void **state)
{
    (void)state;
    for (int i = 0; i < DYNAMIC_RULES - 1; ++i) {
        char sets[200];
        (void)snprintf(sets, sizeof sets,
                       "%s;materials.a={type: linear, young: 1e5, poisson: 0.3, density: 1000}",
                       dynamic_rules[i]);
        flow f = flow_open(1, clamped, sets);
        for (int n = 0; n < 100; ++n) {
            const double gravity[3] = {n / 20 % 2 ? 3.0 : 0.0, 0.0, n / 20 % 2 ? 4.0 : -9.81};
            brn_report r;
            if (n % 20 == 0) {
                assert_done(f.ctx, brn_sim_set_gravity(f.sim, gravity));
            }
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            assert_true(r.momentum_error < 1e-13);
            assert_true(i < 2 || fabs(r.energy_error) < 1e-11);
        }
        flow_close(&f);
    }
}

/* A static run takes the new gravity with its ramp, as a load: it ends where it ends with that gravity from the start. */
static void test_static_gravity(void **state)
{
    (void)state;
    static const double up[3] = {0.0, 0.0, 9.81};
    double bent[2];
    for (int flip = 0; flip < 2; ++flip) {
        flow f = flow_open(1, clamped,
                           flip ? "integrator=static;time.step=0.25;time.end=1"
                                : "integrator=static;time.step=0.25;time.end=1;gravity=[0,0,9.81]");
        brn_report r;
        step_all(&f, 2);
        if (flip) {
            assert_done(f.ctx, brn_sim_set_gravity(f.sim, up));
        }
        for (int n = 0; n < 2; ++n) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
        }
        const int last = flow_nodes(&f) - 1;
        bent[flip] = brn_sim_positions(f.sim)[3 * last + 2] - f.model->rest[last][2];
        /* the work of a load is the mean of its ends times the way: the jump of a nearly linear bar in one step */
        assert_true(fabs(r.energy_error) < 0.02);
        flow_close(&f);
    }
    assert_true(bent[0] > 1e-2);
    assert_near(bent[1], bent[0], 1e-9 * bent[0]);
}

/* ---- friction ---------------------------------------------------------------------------------------------------------- */

/* A slope of tan 0.5 is a level plane under a turned gravity. */
#define SIN_G 4.387165371854576
#define COS_G 8.774330743709153
static const char slope[] =
    "brunt: 1\ntime: {step: 0.01, end: 10}\ngravity: [4.387165371854576, 0, -8.774330743709153]\n"
    "method: {type: ipc, dhat: 1e-3, friction_speed: 1e-4, tolerance: 1e-6}\ncontact: {friction: 0.6}\n"
    "bodies:\n  - {name: box, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 0, 0.0509]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\n"
    "  - {name: other, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 1, 0.0509]}\n";

static double speed_of(const flow *f, int body)
{
    return brn_sim_velocities(f->sim)[3 * f->model->body[body].handle];
}

/* Lowered it lets go at the right acceleration, of the pair that it was lowered for; raised it stops the slide. */
static void test_friction(void **state)
{
    (void)state;
    flow f = flow_open(1, slope, NULL);
    brn_report r = {0};
    double momentum = 0.0;
    step_all(&f, 20);
    assert_true(fabs(speed_of(&f, 0)) < 1e-4 &&
                fabs(speed_of(&f, 2)) < 1e-4); /* creeps below friction_speed */
    assert_done(f.ctx, brn_sim_set_friction(f.sim, 1, 0, 0.3));
    assert_near(brn_sim_get_friction(f.sim, 0, 1), 0.3, 0.0);
    assert_near(brn_sim_get_friction(f.sim, 2, 1), 0.6, 0.0);
    assert_true(isnan(brn_sim_get_friction(f.sim, -1, -1)));
    step_all(&f, 5);
    const double before = speed_of(&f, 0);
    for (int n = 0; n < 20; ++n) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        momentum = fmax(momentum, r.momentum_error);
    }
    /* one percent: what the same box measures with that friction from the start */
    assert_near((speed_of(&f, 0) - before) / 0.2, SIN_G - 0.3 * COS_G, 0.01 * (SIN_G - 0.3 * COS_G));
    assert_true(fabs(speed_of(&f, 2)) < 1e-4);
    assert_true(r.slipping > 0);
    assert_done(f.ctx, brn_sim_set_friction(f.sim, -1, -1, 0.8));
    assert_near(brn_sim_get_friction(f.sim, -1, -1), 0.8, 0.0);
    /* slows down by 0.8 cos - sin = 2.6 m/s^2 from 0.45 m/s, in 0.17 s */
    for (int n = 0; n < 25; ++n) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        momentum = fmax(momentum, r.momentum_error);
    }
    assert_true(fabs(speed_of(&f, 0)) < 1e-4);
    assert_true(r.slipping == 0 && r.sticking > 0);
    assert_true(momentum < 1e-5); /* of Newton's tolerance, as in any run of this scene */
    flow_close(&f);
}

/* ---- bits, checkpoints, arguments ---------------------------------------------------------------------------------------- */

/* What holds anyway, told again before every step. */
static void tell_again(flow *f)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    const brn_model *model = f->model;
    assert_done(f->ctx, brn_sim_set_gravity(f->sim, model->gravity));
    for (int a = 0; a < model->nbody; ++a) {
        for (int b = 0; b < model->nbody; ++b) {
            assert_done(f->ctx,
                        brn_sim_set_friction(f->sim, a, b, model->friction[brn_model_pair(model, a, b)]));
        }
        if (brn_model_is_movable(model, a)) {
            assert_done(f->ctx, brn_sim_set_offset(f->sim, a, none));
        } else {
            assert_done(f->ctx, brn_sim_drag(f->sim, model->body[a].node_first, none, 0.0));
            assert_done(f->ctx, brn_sim_drag(f->sim, -1, NULL, 0.0));
        }
    }
    for (int m = 0; m < brn_model_motion_count(model); ++m) {
        assert_done(f->ctx, brn_sim_set_motion_speed(f->sim, m, 1.0));
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    static const char *const texts[] = {motions, slope, falling, clamped};
    for (int i = 0; i < 4; ++i) {
        for (int rule = 0; rule < 3; ++rule) {
            flow f = flow_open(1, texts[i], dynamic_rules[rule]);
            flow g = flow_open(1, texts[i], dynamic_rules[rule]);
            for (int n = 0; n < 10; ++n) {
                tell_again(&g);
                step_all(&f, 1);
                step_all(&g, 1);
                assert_true(brn_sim_hash(f.sim) == brn_sim_hash(g.sim));
            }
            flow_close(&f);
            flow_close(&g);
        }
    }
}

/* A simulation whose motions ran at another speed is saved; another one goes on from there. Speeds and gravity are inputs of the
   one that goes on, but nothing jumps, and its books balance. */
static void test_checkpoint(void **state)
{
    (void)state;
    static const double tilted[3] = {1.0, 0.0, -5.0};
    for (int rule = 0; rule < 4; ++rule) {
        flow f = flow_open(1, motions, dynamic_rules[rule]);
        flow g = flow_open(1, motions, dynamic_rules[rule]);
        brn_report r;
        brn_report again;
        assert_done(f.ctx, brn_sim_set_gravity(f.sim, tilted));
        for (int m = 0; m < 3; ++m) {
            assert_done(f.ctx, brn_sim_set_motion_speed(f.sim, m, 0.5));
        }
        step_all(&f, 8);
        const uint64_t hash = brn_sim_hash(f.sim);
        assert_done(f.ctx, brn_sim_save(f.sim, "controls.h5"));
        assert_true(brn_sim_hash(f.sim) == hash);
        for (int m = 0; m < 3; ++m) {
            assert_done(g.ctx, brn_sim_set_motion_speed(g.sim, m, 0.5));
        }
        assert_done(g.ctx, brn_sim_set_gravity(g.sim, tilted));
        assert_done(g.ctx, brn_sim_load(g.sim, "controls.h5"));
        assert_true(brn_sim_hash(g.sim) == hash);
        for (int n = 1; n <= 4; ++n) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            assert_done(g.ctx, brn_sim_step(g.sim, &again));
            check_at(&g, SLIDER, 0.04 + 0.005 * n, 0.5);
            check_at(&g, HEAD, 0.04 + 0.005 * n, 0.5);
            assert_near(again.energy_error, r.energy_error, 1e-9); /* own times are rounded anew */
        }
        /* One that knows of nothing goes on at the scene's speed and under its gravity, from where things are. */
        flow h = flow_open(1, motions, dynamic_rules[rule]);
        assert_done(h.ctx, brn_sim_load(h.sim, "controls.h5"));
        assert_done(h.ctx, brn_sim_step(h.sim, &again));
        check_at(&h, SLIDER, 0.05, 1.0);
        check_at(&h, WHEEL, 0.05, 1.0);
        assert_near(brn_sim_get_motion_speed(h.sim, WHEEL), 1.0, 0.0);
        assert_true(again.momentum_error < 1e-7 && fabs(again.energy_error) < 0.5);
        flow_close(&f);
        flow_close(&g);
        flow_close(&h);
    }
}

/* The ledger of a checkpoint was kept under its gravity; whoever goes on under another one books the difference. */
static void test_checkpoint_gravity(void **state)
{
    (void)state;
    static const double other[3] = {1.0, 0.0, -5.0};
    for (int way = 0; way < 2; ++way) {
        flow f = flow_open(1, falling, "integrator=newmark");
        flow g = flow_open(1, falling, "integrator=newmark");
        brn_report r;
        assert_done(f.ctx, brn_sim_set_gravity(way == 0 ? f.sim : g.sim, other));
        step_all(&f, 5);
        assert_done(f.ctx, brn_sim_save(f.sim, "controls.h5"));
        assert_done(g.ctx, brn_sim_load(g.sim, "controls.h5"));
        for (int n = 0; n < 5; ++n) {
            assert_done(g.ctx, brn_sim_step(g.sim, &r));
            assert_true(fabs(r.energy_error) < 1e-12 && r.momentum_error < 1e-13); /* exact, as in a flip */
        }
        flow_close(&f);
        flow_close(&g);
    }
}

/* Untouched simulations write the checkpoints that they always wrote, and an edit forgets nothing that was set. */
static void test_edit(void **state)
{
    (void)state;
    static const double tilted[3] = {1.0, 0.0, -5.0};
    flow f = flow_open(1, motions, NULL);
    brn_report r;
    assert_done(f.ctx, brn_sim_set_gravity(f.sim, tilted));
    assert_done(f.ctx, brn_sim_set_motion_speed(f.sim, SLIDER, 0.5));
    step_all(&f, 4);
    assert_done(f.ctx, brn_sim_edit(f.sim, brn_sim_positions(f.sim), NULL));
    assert_done(f.ctx, brn_sim_step(f.sim, &r));
    check_at(&f, SLIDER, 0.025, 0.5);
    double gravity[3];
    brn_sim_get_gravity(f.sim, gravity);
    assert_memory_equal(gravity, tilted, sizeof gravity);
    assert_true(r.momentum_error < 1e-7);
    assert_null(brn_state_recall(f.sim->state, "controls"));
    flow_close(&f);
}

#define assert_refused(expr, word)                              \
 do {                                                           \
  assert_int_equal((expr), BRN_ERR_RANGE);                      \
  if (strstr(brn_ctx_message(f.ctx), (word)) == NULL) {         \
   fail_msg("'%s' lacks '%s'", brn_ctx_message(f.ctx), (word)); \
  }                                                             \
  assert_true(brn_sim_hash(f.sim) == hash);                     \
 } while (0)

static void test_arguments(void **state)
{
    (void)state;
    static const double bad[][3] = {{NAN, 0, 0}, {0, INFINITY, 0}, {0, 0, -INFINITY}, {1e101, 0, 0}};
    static const double good[3] = {1, 2, 3};
    flow f = flow_open(1, motions, NULL);
    flow g = flow_open(1, motions, NULL);
    step_all(&f, 2);
    step_all(&g, 2);
    const uint64_t hash = brn_sim_hash(f.sim);
    for (int i = 0; i < 4; ++i) {
        assert_refused(brn_sim_set_gravity(f.sim, bad[i]), "gravity[");
        assert_refused(brn_sim_set_offset(f.sim, 1, bad[i]), "offset[");
        assert_refused(brn_sim_drag(f.sim, 0, bad[i], 0.0), "target[");
    }
    const double mus[] = {-0.1, NAN, INFINITY};
    for (int i = 0; i < 3; ++i) {
        assert_refused(brn_sim_set_friction(f.sim, 0, 1, mus[i]), "must be in [0, 1e+100]");
        assert_refused(brn_sim_set_friction(f.sim, -1, -1, mus[i]), "friction = ");
        assert_refused(brn_sim_drag(f.sim, 0, good, mus[i]), "stiffness = ");
    }
    const int pairs[][2] = {{-1, 0}, {0, -1}, {4, 0}, {0, 4}};
    for (int i = 0; i < 4; ++i) {
        assert_refused(brn_sim_set_friction(f.sim, pairs[i][0], pairs[i][1], 0.1), "bodies 0 to 3");
        assert_true(isnan(brn_sim_get_friction(f.sim, pairs[i][0], pairs[i][1])));
    }
    assert_refused(brn_sim_set_motion_speed(f.sim, -1, 1.0), "the scene has 3");
    assert_refused(brn_sim_set_motion_speed(f.sim, 3, 1.0), "motion 3");
    assert_refused(brn_sim_set_motion_speed(f.sim, 0, NAN), "'slider'");
    assert_refused(brn_sim_set_motion_speed(f.sim, 0, -2e6), "-1e6");
    assert_true(isnan(brn_sim_get_motion_speed(f.sim, 3)));
    double offset[3];
    assert_refused(brn_sim_set_offset(f.sim, 4, good), "bodies 0 to 3");
    assert_refused(brn_sim_set_offset(f.sim, -1, good), "body -1");
    assert_refused(brn_sim_set_offset(f.sim, 0, good), "'soft' is not static");
    assert_refused(brn_sim_get_offset(f.sim, 9, offset), "body 9");
    assert_refused(brn_sim_drag(f.sim, flow_nodes(&f), good, 0.0), "the model has nodes 0 to");
    assert_refused(brn_sim_drag(f.sim, f.model->body[1].node_first, good, 0.0), "'slider', which is static");
    /* Nothing of it is left. */
    step_all(&f, 3);
    step_all(&g, 3);
    assert_true(brn_sim_hash(f.sim) == brn_sim_hash(g.sim));
    flow_close(&f);
    flow_close(&g);
}

/* In 2D a third entry does not count, whatever it is. */
static void test_plane(void **state)
{
    (void)state;
    static const char text[] = "brunt: 1\ndimension: 2\ntime: {step: 0.01, end: 1}\nmethod: {type: none}\n"
                               "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.3}}\n"
                               "meshes: {m: {box: {size: [0.2, 0.1], cells: [2, 1], element: tri3}}}\n"
                               "bodies:\n  - {name: a, type: deformable, mesh: m, material: a}\n"
                               "  - {name: b, type: static, mesh: m, position: [0, 1]}\n";
    static const double odd[3] = {0.1, -0.2, NAN};
    flow f = flow_open(1, text, NULL);
    brn_report r;
    double got[3];
    assert_done(f.ctx, brn_sim_set_gravity(f.sim, odd));
    assert_done(f.ctx, brn_sim_set_offset(f.sim, 1, odd));
    assert_done(f.ctx, brn_sim_drag(f.sim, 0, odd, 0.0));
    brn_sim_get_gravity(f.sim, got);
    assert_true(got[2] == 0.0 && got[1] == -0.2);
    for (int n = 0; n < 20; ++n) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_true(r.momentum_error < 1e-7);
    }
    for (int a = 0; a < flow_nodes(&f); ++a) {
        assert_true(brn_sim_positions(f.sim)[3 * a + 2] == 0.0);
    }
    flow_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_speed),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_flip),
        cmocka_unit_test(test_swing),
        cmocka_unit_test(test_static_gravity),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_checkpoint),
        cmocka_unit_test(test_checkpoint_gravity),
        cmocka_unit_test(test_edit),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
