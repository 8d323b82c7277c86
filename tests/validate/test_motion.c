/* Motion with the default integrator and no method settings: spin, rolling, sliding into rolling, bounces, a stack, and random
   impacts with every integrator. */
#include "flow.h"
#include "rows.h"
#include "sweep_scene.h"

#include "step/sim.h"

static double length3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static brn_report run(flow *f, double *gain)
{
    brn_report r = {0};
    *gain = 0.0;
    while (!brn_sim_done(f->sim)) {
        assert_done(f->ctx, brn_sim_step(f->sim, &r));
        *gain = fmax(*gain, r.energy_error);
    }
    return r;
}

/* ---- spin --------------------------------------------------------------------------------------------------------------- */

/* Ten turns of 36 steps about the middle axis, nearly: it tumbles. */
static const char block[] =
    "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: 8.726646e-3, end: 3.14159265}\nmethod: {type: none}\n"
    "materials: {a: {type: neo_hookean, young: %s, poisson: 0.3, density: 1000}}\n"
    "meshes: {m: {box: {size: [0.1, 0.2, 0.3], cells: [2, 3, 4], element: tet4}}}\n"
    "bodies: [{name: b, %s, angular_velocity: [0.1, 20, 0.1]}]\n";

static void test_spin(void **state)
{
    static const struct {
        const char *name, *young, *body;
    } blocks[] = {
        {"rigid", "1e6", "type: rigid, shape: {box: {size: [0.1, 0.2, 0.3]}}, density: 1000"},
        {"E = 1e5 Pa", "1e5", "type: deformable, mesh: m, material: a"},
        {"E = 1e8 Pa", "1e8", "type: deformable, mesh: m, material: a"},
    };
    for (int n = 0; n < 3; ++n) {
        char text[1000];
        char name[100];
        brn_report start;
        double gain = 0.0;
        (void)snprintf(text, sizeof text, block, blocks[n].young, blocks[n].body);
        flow f = flow_open(1, text, NULL);
        assert_done(f.ctx, brn_sim_report(f.sim, &start));
        const brn_report end = run(&f, &gain);
        const double kept = length3(end.angular_momentum) / length3(start.angular_momentum);
        (void)snprintf(name, sizeof name, "spinning block, %s: angular momentum after ten turns",
                       blocks[n].name);
        validation_row(*state, name, 1.0, kept, fabs(kept - 1.0), "of the first, 10 degrees a step");
        assert_near(kept, 1.0, 1e-6); /* Newton's tolerance */
        assert_true(gain < 1e-6);
        flow_close(&f);
    }
}

/* ---- balls on a floor --------------------------------------------------------------------------------------------------- */

static const char ball[] =
    "brunt: 1\ntime: {step: %s, end: %s}\nmethod: {type: ipc}\n"
    "bodies:\n  - {name: ball, type: rigid, shape: {sphere: {radius: 0.05}}, density: 1000,\n"
    "     position: [0, 0, 0.05001], velocity: [1, 0, 0], angular_velocity: [0, %s, 0]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\ncontact: {friction: 0.2}\n";

static const double ball_mass = 1000.0 * 4.0 / 3.0 * 3.14159265358979 * 0.05 * 0.05 * 0.05;

static void test_roll(void **state)
{
    static const char *const steps[] = {"1e-2", "1e-3"};
    for (int n = 0; n < 2; ++n) {
        char text[1000];
        char name[100];
        double gain = 0.0;
        (void)snprintf(text, sizeof text, ball, steps[n], "1", "20");
        flow f = flow_open(1, text, NULL);
        const double v = run(&f, &gain).momentum[0] / ball_mass;
        (void)snprintf(name, sizeof name, "rolling ball, h = %s s: speed after 1 s", steps[n]);
        validation_row(*state, name, 1.0, v, fabs(v - 1.0), "m/s; 11 and 1.1 degrees a step");
        assert_near(v, 1.0, 0.01);
        assert_true(gain < 0.01);
        flow_close(&f);
    }
}

/* Slides at mu g until v = 5/7 v0, at t = 2 v0 / (7 mu g). */
static void test_slide_to_roll(void **state)
{
    char text[1000];
    const double exact = 2.0 / (7.0 * 0.2 * 9.81);
    (void)snprintf(text, sizeof text, ball, "1e-3", "0.4", "0");
    flow f = flow_open(1, text, NULL);
    brn_report r = {0};
    double early = 0.0; /* speeds while it slides */
    double half = 0.0;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        early = brn_sim_step_count(f.sim) == 20 ? r.momentum[0] / ball_mass : early;
        half = brn_sim_step_count(f.sim) == 70 ? r.momentum[0] / ball_mass : half;
    }
    const double v = r.momentum[0] / ball_mass;
    const double time = 0.07 + 0.05 * (half - v) / (early - half);
    validation_row(*state, "sliding ball, h = 1 ms: speed when it rolls", 5.0 / 7.0, v,
                   fabs(v * 7.0 / 5.0 - 1.0), "m/s, error relative");
    validation_row(*state, "sliding ball, h = 1 ms: time until it rolls", exact, time,
                   fabs(time / exact - 1.0), "s, error relative");
    assert_near(v, 5.0 / 7.0, 0.01 * 5.0 / 7.0);
    assert_near(time, exact, 0.01 * exact);
    flow_close(&f);
}

/* ---- bounce and rest ---------------------------------------------------------------------------------------------------- */

static const char soft_ball[] =
    "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: %s, end: 0.04}\nmethod: {type: ipc}\nintegrator: %s\n"
    "materials: {a: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000}}\n"
    "meshes: {m: {sphere: {radius: 0.05, resolution: 0.02}}}\n"
    "bodies:\n  - {name: ball, type: deformable, mesh: m, material: a, position: [0, 0, 0.06], velocity: [0, "
    "0, "
    "-2]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\n";

/* The ball keeps vibrating, so that it leaves slower than it came; that speed is what the steps converge to. */
static void test_bounce(void **state)
{
    static const char *const steps[] = {"2e-3", "1e-3", "5e-4", "2.5e-4", "1.25e-4"};
    static const char *const rules[] = {"turning_euler", "newmark"};
    double limit = 0.0;
    for (int k = 1; k >= 0; --k) {
        double speed[5];
        for (int n = 0; n < 5; ++n) {
            char text[1000];
            char name[100];
            brn_report start;
            double gain = 0.0;
            (void)snprintf(text, sizeof text, soft_ball, steps[n], rules[k]);
            flow f = flow_open(1, text, NULL);
            assert_done(f.ctx, brn_sim_report(f.sim, &start));
            const brn_report end = run(&f, &gain);
            speed[n] = -end.momentum[2] / start.momentum[2];
            (void)snprintf(name, sizeof name, "soft ball, %s, h = %s s: restitution", rules[k], steps[n]);
            (void)snprintf(text, sizeof text, "numerical loss %.2g of its energy",
                           end.numerical_loss / start.kinetic);
            validation_row(*state, name, NAN, speed[n], NAN, text);
            assert_true(gain < 0.01 && end.contacts == 0);
            flow_close(&f);
        }
        limit = k == 1 ? speed[4] : limit;
        /* halved with the step, roughly */
        assert_true(fabs(speed[4] - speed[3]) < 0.75 * fabs(speed[3] - speed[2]) + 0.005);
        assert_true(fabs(speed[4] - limit) < 0.1);
    }
}

static const char stack[] =
    "brunt: 1\ntime: {step: 0.01, end: 2}\nmethod: {type: ipc}\n"
    "materials: {a: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}}\n"
    "bodies:\n  - {name: c, %s, position: [0, 0, 0.051], repeat: {count: 4, spacing: [0, 0, 0.101]}}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\ncontact: {friction: 0.5}\n";

static void test_stack(void **state)
{
    static const char *const bodies[] = {"type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, density: 1000",
                                         "type: deformable, mesh: m, material: a"};
    for (int n = 0; n < 2; ++n) {
        char text[1000];
        double gain = 0.0;
        (void)snprintf(text, sizeof text, stack, bodies[n]);
        flow f = flow_open(1, text, NULL);
        const brn_report r = run(&f, &gain);
        const double speed = sqrt(2.0 * r.kinetic / 4.0); /* four kilograms */
        validation_row(*state, n == 0 ? "four rigid boxes in a stack: speed after 2 s" : "four soft ones",
                       0.0, speed, speed, "m/s");
        assert_true(speed < 1e-3 && gain < 0.01);
        flow_close(&f);
    }
}

/* ---- impacts ------------------------------------------------------------------------------------------------------------ */

/* Somebody's first scene: something of some size and stiffness, with some spin, hits a floor or another. */
static void test_impacts(void **state)
{
    static const char *const rules[] = {"turning_euler", "implicit_euler", "bdf2", "newmark", "midpoint"};
    brn_rng rng = {20261};
    double worst = 0.0;
    int guarded = 0;
    enum { IMPACTS = 60 };
    for (int n = 0; n < IMPACTS; ++n) {
        char text[2000];
        char body[500];
        const double size = pow(10.0, brn_rng_uniform(&rng, -3.0, 1.0));
        const double young = pow(10.0, brn_rng_uniform(&rng, 4.0, 11.0));
        const double speed = pow(10.0, brn_rng_uniform(&rng, -1.0, 1.0));
        const double h = size / speed * pow(10.0, brn_rng_uniform(&rng, -3.0, 0.0));
        const double spin = speed / size * brn_rng_uniform(&rng, -3.0, 3.0);
        const bool rigid = brn_rng_next(&rng) % 2 == 0;
        if (!rigid) {
            (void)snprintf(body, sizeof body, "type: deformable, mesh: m, material: a");
        } else if (n % 3 == 0) {
            (void)snprintf(body, sizeof body, "type: rigid, shape: {sphere: {radius: %.4g}}", 0.5 * size);
        } else if (n % 3 == 1) {
            (void)snprintf(body, sizeof body, "type: rigid, shape: {box: {size: [%.4g, %.4g, %.4g]}}", size,
                           0.7 * size, 0.4 * size);
        } else {
            (void)snprintf(body, sizeof body, "type: rigid, shape: {capsule: {radius: %.4g, height: %.4g}}",
                           0.3 * size, 0.6 * size);
        }
        const double steps = ceil(fmin(1.5 * size / speed / h, 200.0));
        (void)snprintf(
            text, sizeof text,
            "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: %.17g, end: %.17g}\nmethod: {type: ipc}\n"
            "integrator: %s\n"
            "materials: {a: {type: neo_hookean, young: %.4g, poisson: 0.3, density: 1000}}\n"
            "meshes: {m: {box: {size: [%.6g, %.6g, %.6g], cells: [3, 2, 2], element: tet4}}}\n"
            "bodies:\n  - {name: b, %s, position: [0, 0, %.6g], rotation: {axis: [1, 2, 3], degrees: 40},\n"
            "     velocity: [%.4g, 0, %.4g], angular_velocity: [0, %.4g, 0]}\n"
            "  - {name: floor, type: static, shape: {plane: {}}}\ncontact: {friction: 0.3}\n",
            h, steps * h, rules[n % 5], young, size, 0.7 * size, 0.4 * size, body, 0.9 * size, 0.3 * speed,
            -speed, spin);
        flow f = flow_open(1, text, NULL);
        brn_report start;
        assert_done(f.ctx, brn_sim_report(f.sim, &start));
        brn_report r = start;
        double most = 0.0;
        while (!brn_sim_done(f.sim)) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            guarded += r.guarded > 0;
            most = fmax(most, (r.kinetic + r.elastic + r.contact) / start.kinetic - 1.0);
        }
        if (most > worst) {
            worst = most;
            print_message("%s %s size %g E %g v %g h %g: %g\n", rules[n % 5], rigid ? "rigid" : "soft", size,
                          young, speed, h, most);
        }
        assert_true(most < 0.0101);
        flow_close(&f);
    }
    char note[100];
    (void)snprintf(note, sizeof note, "of the first; %d steps were repeated by the guard", guarded);
    validation_row(*state, "60 random impacts, every integrator: largest energy gained", 0.0, worst, worst,
                   note);
}

/* A block of 2 mm that turns by 20 degrees a step is caught between another and a ball: with implicit Euler, and with turning Euler
   instead, a whole step gains 1.9 % of the energy. It is cut until it does not. */
static void test_cut(void **state)
{
    double gain = 0.0;
    int retries = 0;
    char *text = draw_scene(30, true);
    flow f = flow_open(1, text, "integrator=implicit_euler");
    brn_report r;
    assert_done(f.ctx, brn_sim_report(f.sim, &r));
    const double kinetic = r.kinetic; /* the largest energy of the run */
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        gain = fmax(gain, r.energy_gain / kinetic);
        retries += r.retries;
    }
    validation_row(*state, "two blocks and a ball, implicit Euler: largest energy gained", 0.0, gain, gain,
                   "of the first; a step in which every rule gains is cut");
    assert_true(gain < 0.0101);
    assert_true(retries > 0);
    flow_close(&f);
    free(text);
}

/* ---- */

static int open_rows(void **state)
{
    *state = validation_open("motion", "Spin, rolling, bounces, stacks and impacts with defaults",
                             "The default integrator, `turning_euler`, unless a row names another, and no "
                             "method settings. Angular momentum of free "
                             "bodies that tumble at 10 degrees a step is kept to the solver's tolerance; "
                             "rolling speed, and the time in which sliding turns "
                             "into rolling, within 1 %. What contact takes falls with the step. No impact "
                             "gains more than 1 % of its energy: "
                             "sizes from 1 mm to 10 m, Young's moduli from 1e4 to 1e11 Pa, steps over three "
                             "decades, rigid and soft.");
    return 0;
}

static int close_rows(void **state)
{
    validation_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spin),   cmocka_unit_test(test_roll),  cmocka_unit_test(test_slide_to_roll),
        cmocka_unit_test(test_bounce), cmocka_unit_test(test_stack), cmocka_unit_test(test_impacts),
        cmocka_unit_test(test_cut),
    };
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
