/* The stages of a launch: when they begin and end, what is told of them, by closed forms; the same after a resume; what is refused. */
#include "flow.h"

#include "step/sim.h"
#include "step/stages.h"

#include <sys/wait.h>
#include <unistd.h>

#define FLOOR "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
#define GUM                                                                                          \
 "materials: {gum: {type: neo_hookean, young: 1.0e6, poisson: 0.45, density: 1205, damping: {beta: " \
 "1.0e-3}}}\n"                                                                                       \
 "meshes: {block: {box: {size: [0.03, 0.03, 0.03], cells: [2, 2, 2], element: hex8}}}\n"

/* Pressed down by a force that ends, it jumps. */
#define JUMP                                                                                                 \
 "brunt: 1\nmethod: {type: bbi}\ntime: {step: 1.0e-3, end: 1.0}\ncontact: {friction: 0.5}\n" GUM             \
 "bodies:\n  - {name: block, type: deformable, mesh: block, material: gum, position: [0, 0, 0.015]}\n" FLOOR \
 "loads: [{name: finger, body: block, where: {face: +z}, force: [0, 0, -60], ramp: {from: 0, to: 0.02}, "    \
 "until: 0.03}]\n"                                                                                           \
 "stages: {loading: {until: 0.03, integrator: implicit_euler, step: 5.0e-4}, launch: {step: 2.0e-4}, "       \
 "landing: {step: 5.0e-4}}\n"

/* Thrown from above the floor by a method without stages of its own. */
static const char *thrown(const char *method, const char *body, char text[1000])
{
    (void)snprintf(
        text, 1000,
        "brunt: 1\nmethod: {type: %s}\ntime: {step: 1.0e-3, end: 1.0}\n" GUM
        "bodies:\n  - {name: block, type: %s, position: [0, 0, 0.1], velocity: [0.5, 0, 2]}\n" FLOOR
        "stages: {}\n",
        method, body);
    return text;
}

static brn_stage_result stage(const flow *f, int which)
{
    brn_stage_result out;
    assert_done(f->ctx, brn_sim_stage(f->sim, which, &out));
    return out;
}

static brn_report run(flow *f)
{
    brn_report r = {0};
    while (!brn_sim_done(f->sim)) {
        assert_done(f->ctx, brn_sim_step(f->sim, &r));
    }
    return r;
}

/* What is thrown. */
static const struct {
    const char *method, *body;
    double exact; /* of times: the step, where contact is not met at its own time */
    const char *rule;
} throws[] = {
    {"bbi", "deformable, mesh: block, material: gum", 1e-6, "rigid (Moser-Veselov)"},
    {"bbi", "rigid, shape: {box: {size: [0.03, 0.03, 0.03]}}, density: 1205", 1e-6, "rigid (Moser-Veselov)"},
    {"sap", "rigid, shape: {box: {size: [0.03, 0.03, 0.03]}}, density: 1205", 2e-3, "turning_euler"},
    {"ipc", "deformable, mesh: block, material: gum", 2e-3, "turning_euler"}};

/* Flight of a block whose lower side is 0.085 m above the floor: up to v^2/2g, down after (v + sqrt(v^2 + 2 g h))/g. */
static void test_thrown(void **state)
{
    const double g = 9.81;
    const double down = (2.0 + sqrt(4.0 + 2.0 * g * 0.085)) / g;
    (void)state;
    for (int k = 0; k < BRN_COUNT(throws); ++k) {
        char text[1000];
        flow f = flow_open(1, thrown(throws[k].method, throws[k].body, text), NULL);
        (void)run(&f);
        const brn_stage_result launch = stage(&f, BRN_STAGE_LAUNCH);
        const brn_stage_result flight = stage(&f, BRN_STAGE_FLIGHT);
        const brn_stage_result landing = stage(&f, BRN_STAGE_LANDING);
        assert_true(isnan(stage(&f, BRN_STAGE_LOADING).begin));
        assert_near(launch.end, 0.0, 0.0);
        assert_near(flight.begin, 0.0, 0.0);
        assert_near(flight.end, down, throws[k].exact);
        assert_near(flight.rise, 4.0 / (2.0 * g),
                    1e-3); /* the highest of the steps; Euler's falls short by h v/2 */
        assert_near(flight.range, 0.5 * down, 1e-6 + 0.5 * throws[k].exact);
        assert_near(flight.tilt, 0.0, 1e-6);
        assert_near(landing.begin, flight.end, 0.0);
        /* As a rigid body where the method has it fly so. */
        brn_stage_result told[BRN_STAGES];
        const char *rule[BRN_STAGES];
        brn_stages_tell(f.model, f.sim->state, told, rule);
        assert_string_equal(rule[BRN_STAGE_FLIGHT], throws[k].rule);
        assert_near(flight.rigid, throws[k].exact < 1e-3 ? flight.end - flight.begin : 0.0, 1e-9);
        flow_close(&f);
    }
}

static void test_jump(void **state)
{
    (void)state;
    flow f = flow_open(1, JUMP, NULL);
    (void)run(&f);
    const brn_stage_result loading = stage(&f, BRN_STAGE_LOADING);
    const brn_stage_result launch = stage(&f, BRN_STAGE_LAUNCH);
    const brn_stage_result flight = stage(&f, BRN_STAGE_FLIGHT);
    const brn_stage_result landing = stage(&f, BRN_STAGE_LANDING);
    const double mass = f.model->body[0].mass;
    assert_near(loading.end, 0.03, 1e-12);
    assert_near(launch.begin, 0.03, 1e-12);
    assert_true(launch.end > 0.03 && launch.end < 0.04);
    assert_true(flight.begin == launch.end && landing.begin == flight.end);
    /* What was stored becomes motion, and vibration that is damped; the flight keeps what it began with. */
    assert_true(loading.elastic > 0.02 && launch.velocity[2] > 0.5 && launch.velocity[2] < 3.0);
    const double v = launch.velocity[2];
    const double fall = 9.81 * 2e-4; /* in the part in which it is first seen in the air */
    assert_near(flight.rise, v * v / (2.0 * 9.81), v * fall / 9.81 + 1e-3 * flight.rise);
    assert_near(flight.velocity[2], -v, 0.02 * v); /* from and to about the same height */
    assert_near(launch.work, loading.work, 1e-9);  /* the load has ended */
    assert_true(launch.kinetic >= 0.5 * mass * v * v * (1.0 - 1e-9));
    /* All of the launch is told as it was at lift-off, in balance: within what the solver's tolerance leaves of a step. */
    const double stored = loading.kinetic + loading.elastic + loading.gravity + loading.dissipated;
    assert_near(launch.kinetic + launch.elastic + launch.gravity + launch.dissipated, stored, 1e-3 * stored);
    assert_near(launch.rise, launch.place[2] - loading.place[2], 1e-12); /* it only goes up */
    assert_near(launch.range, hypot(launch.place[0] - loading.place[0], launch.place[1] - loading.place[1]),
                1e-12);
    /* It is at rest before its time, on the side that it stood on. */
    assert_true(landing.end > landing.begin && brn_sim_time(f.sim) < 1.0 && brn_sim_done(f.sim));
    assert_true(landing.tilt < 0.01);
    assert_string_equal(brn_landing_verdict(&landing), "rest");
    flow_close(&f);
    f = flow_open(1, JUMP, "stages.stop=false;time.end=0.9");
    (void)run(&f);
    assert_near(brn_sim_time(f.sim), 0.9, 1e-12);
    assert_near(stage(&f, BRN_STAGE_LANDING).end, landing.end, 0.0);
    flow_close(&f);
}

/* Pressed by a finger that is there until 30 ms. */
#define PRESSED                                                                                              \
 "brunt: 1\nmethod: {type: bbi}\ntime: {step: 1.0e-3, end: 0.033}\ncontact: {friction: 0.5}\n" GUM           \
 "bodies:\n  - {name: block, type: deformable, mesh: block, material: gum, position: [0, 0, 0.015]}\n" FLOOR \
 "fixed: [{name: finger, body: block, where: {face: +z}, axes: z, motion: {table: [[0, 0, 0, 0], "           \
 "[0.02, 0, 0, -4.0e-3]]}, release: 0.03}]\n"                                                                \
 "stages: {loading: {until: 0.03}, launch: {step: 2.0e-5}}\n"

/* A hold ends when it says, wherever steps begin: a step is cut there. */
static void test_release_within(void **state)
{
    (void)state;
    static const char *const steps[] = {"time.step=1.0e-3", "time.step=7.0e-4", "time.step=8.0e-3",
                                        "time.step=9.99999999e-4"};
    brn_stage_result first = {0};
    for (int k = 0; k < BRN_COUNT(steps); ++k) {
        flow f = flow_open(1, PRESSED, steps[k]);
        const brn_report r = run(&f);
        const brn_stage_result launch = stage(&f, BRN_STAGE_LAUNCH);
        first = k == 0 ? launch : first;
        print_message("%s: off at %.9g s with %.6g m/s\n", steps[k], launch.end, launch.velocity[2]);
        assert_near(launch.begin, 0.03, 1e-8);
        assert_true(first.velocity[2] > 0.5);
        assert_near(launch.end, first.end, 4.0e-5);
        assert_near(launch.velocity[2], first.velocity[2], 0.01 * first.velocity[2]);
        assert_near(r.momentum_error, 0.0, 1e-9);
        assert_near(r.angular_momentum_error, 0.0, 1e-9);
        flow_close(&f);
    }
}

/* A step that fails after a hold ended within it leaves that as it was: again it fails in the same way. */
static void test_release_undone(void **state)
{
    (void)state;
    int failed = 0;
    for (int budget = 4; budget <= 32; budget += 4) {
        char sets[80];
        char said[400];
        (void)snprintf(sets, sizeof sets, "method.budget=%d;time.step=8.0e-3", budget);
        flow f = flow_open(1, PRESSED, sets);
        brn_status status = BRN_OK;
        while (status >= 0 && brn_sim_time(f.sim) < 0.04) {
            status = brn_sim_step(f.sim, NULL);
        }
        const bool within = status < 0 && brn_sim_time(f.sim) > 0.02;
        (void)snprintf(said, sizeof said, "%s", brn_ctx_message(f.ctx));
        if (within) {
            const uint64_t hash = brn_sim_hash(f.sim);
            assert_int_equal(brn_sim_step(f.sim, NULL), status);
            assert_string_equal(brn_ctx_message(f.ctx), said);
            assert_true(brn_sim_hash(f.sim) == hash);
        }
        failed += within;
        flow_close(&f);
    }
    assert_true(failed > 0);
}

static void test_verdict(void **state)
{
    (void)state;
    const brn_stage_result none = {.begin = NAN, .end = NAN};
    const brn_stage_result moving = {.begin = 1.0, .end = NAN, .tilt = 2.0};
    const brn_stage_result leaning = {.begin = 1.0, .end = 2.0, .tilt = 0.78};
    const brn_stage_result over = {.begin = 1.0, .end = 2.0, .tilt = 0.79};
    assert_null(brn_landing_verdict(&none));
    assert_string_equal(brn_landing_verdict(&moving), "moving");
    assert_string_equal(brn_landing_verdict(&leaning), "rest");
    assert_string_equal(brn_landing_verdict(&over), "fell over");
}

static bool die_in_flight(void *user, const brn_progress *progress)
{
    (void)user;
    if (progress->time > 0.2) {
        _exit(0);
    }
    return false;
}

static bool holds(const void *bytes, size_t size, const char *word)
{
    const char *at = bytes;
    const size_t length = strlen(word);
    bool any = false;
    for (size_t i = 0; i + length <= size && !any; ++i) {
        any = memcmp(at + i, word, length) == 0;
    }
    return any;
}

/* The folder of a run that died has no summary; its page still has the stages that it went through. */
static void test_killed(void **state)
{
    (void)state;
    char text[1000];
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = NULL;
    brn_run_options options = brn_run_options_default();
    options.out = "test_stages_killed";
    options.overwrite = true;
    options.progress = die_in_flight;
    assert_done(ctx, flow_scene(ctx, thrown("bbi", throws[0].body, text), NULL, &scene));
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        brn_summary summary;
        (void)brn_run(ctx, scene, &options, &summary);
        _exit(1);
    }
    int code = 1;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
    brn_view *view = NULL;
    const void *bytes = NULL;
    size_t size = 0;
    assert_done(ctx, brn_view_open(ctx, options.out, &view));
    assert_done(ctx, brn_view_run(view, &bytes, &size));
    assert_true(holds(bytes, size, "\"summary\":null") && holds(bytes, size, "\"flight.begin\":"));
    assert_false(holds(bytes, size, "\"landing.begin\":"));
    brn_view_close(view);
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
}

/* Thrown against a ceiling: right above it that belongs to the launch, which ends with the way down; further up it ends the flight. */
static void test_hop(void **state)
{
    static const double above[] = {0.005, 0.1};
    const double g = 9.81;
    (void)state;
    for (int k = 0; k < BRN_COUNT(above); ++k) {
        char text[1000];
        const double hit = (2.0 - sqrt(4.0 - 2.0 * g * above[k])) / g;
        (void)snprintf(text, sizeof text,
                       "brunt: 1\nmethod: {type: bbi}\ntime: {step: 1.0e-3, end: 0.15}\n" GUM
                       "bodies:\n  - {name: block, type: deformable, mesh: block, material: gum, position: "
                       "[0, 0, 0.1], velocity: [0, 0, 2]}\n" FLOOR
                       "  - {name: ceiling, type: static, shape: {box: {size: [0.2, 0.2, 0.02]}}, position: "
                       "[0, 0, %g]}\nstages: {launch: {step: 1.0e-4}}\n",
                       0.1 + 0.015 + above[k] + 0.01);
        flow f = flow_open(1, text, NULL);
        (void)run(&f);
        const brn_stage_result launch = stage(&f, BRN_STAGE_LAUNCH);
        const brn_stage_result flight = stage(&f, BRN_STAGE_FLIGHT);
        if (k == 0) {
            assert_true(launch.end > hit && launch.end < hit + 0.03 && launch.velocity[2] < 0.0);
            assert_near(launch.rise, above[k], 0.01); /* and what the block is squeezed by */
            assert_true(launch.rise >= above[k] && flight.rise <= 1e-12);
        } else {
            assert_near(launch.end, 0.0, 0.0);
            assert_near(flight.end, hit, 1e-6);
        }
        assert_true(flight.begin == launch.end);
        flow_close(&f);
    }
}

/* A block whose top is pressed down and dragged aside: what touches slips by the friction of the scene where loading says so, else it sticks. */
static void test_slip(void **state)
{
    static const char text[] =
        "brunt: 1\nmethod: {type: bbi}\ntime: {step: 1.0e-3, end: 0.02}\ncontact: {friction: 0.1}\n" GUM
        "bodies:\n  - {name: block, type: deformable, mesh: block, material: gum, position: [0, 0, "
        "0.015]}\n" FLOOR
        "fixed: [{name: top, body: block, where: {face: +z}, motion: {velocity: [0.1, 0, -0.05]}}]\n"
        "stages: {loading: {until: 0.02}}\n";
    (void)state;
    for (int slip = 0; slip < 2; ++slip) {
        flow f = flow_open(1, text, slip ? "stages.loading.slip=true" : NULL);
        const brn_report r = run(&f);
        assert_true(slip ? r.slipping > 0 : r.slipping == 0 && r.sticking > 0);
        flow_close(&f);
    }
}

/* A held end that is bent in equilibrium and let go swings with the energy that it had, in a stage of its own or of the whole run. */
static void test_release(void **state)
{
    static const char *const cases[] = {
        "method={type: none};integrator=newmark", "method={type: none};integrator=midpoint",
        "method={type: none};integrator=symplectic_euler;time.step=5.0e-5",
        "method={type: ipc};integrator=newmark", "method={type: bbi};stages={loading: {until: 0.02}}"};
    static const char text[] =
        "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: 5.0e-4, end: 0.1}\n"
        "materials: {gum: {type: linear, young: 1.0e6, poisson: 0.3, density: 1000}}\n"
        "meshes: {bar: {box: {size: [0.1, 0.01, 0.01], cells: [10, 1, 1], element: hex8}}}\n"
        "bodies: [{name: bar, type: deformable, mesh: bar, material: gum}]\n"
        "fixed:\n  - {name: root, body: bar, where: {face: -x}}\n"
        "  - {name: tip, body: bar, where: {face: +x}, motion: {velocity: [0, 0, 0.1], until: 0.01}, "
        "release: 0.02}\n";
    (void)state;
    for (int k = 0; k < BRN_COUNT(cases); ++k) {
        flow f = flow_open(1, text, cases[k]);
        brn_report r;
        double held = 0.0;
        double work = 0.0;
        double lowest = INFINITY;
        double swing = 0.0;
        while (!brn_sim_done(f.sim)) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            if (brn_sim_time(f.sim) <= 0.02 + 1e-9) {
                held = r.kinetic + r.elastic;
                work = r.work;
                continue;
            }
            lowest = fmin(lowest, r.elastic);
            swing = fmax(swing, fabs(r.kinetic + r.elastic - held) / held);
            assert_near(r.work, work, 1e-9 * fabs(work));
            assert_near(r.energy_error, 0.0, k == 2 ? 0.05 : 1e-6);
            assert_near(r.momentum_error, 0.0, 1e-6);
        }
        print_message("%s: energy within %.3g, %g J, %g J\n", cases[k], swing, held, lowest);
        assert_true(held > 5e-6 && lowest < 0.3 * held); /* it did swing */
        /* Rounding; symplectic Euler swings about it by a part of step times the highest frequency that moves. */
        assert_true(swing < (k == 2 ? 0.05 : 1e-6));
        flow_close(&f);
    }
}

/* A box that falls on a floor without bouncing and slides on, at a two-hundredth of sqrt(g l), is not at rest; with friction it is. */
static void test_slides(void **state)
{
    static const char text[] =
        "brunt: 1\nmethod: {type: bbi}\ntime: {step: 1.0e-3, end: 0.4}\n"
        "bodies:\n  - {name: box, type: rigid, shape: {box: {size: [0.03, 0.03, 0.03]}}, density: 1205, "
        "position: [0, 0, 0.02], velocity: [3.6e-3, 0, 0]}\n" FLOOR "stages: {}\n";
    (void)state;
    for (int rough = 0; rough < 2; ++rough) {
        flow f = flow_open(1, text, rough ? "contact={friction: 0.5}" : NULL);
        (void)run(&f);
        const brn_stage_result landing = stage(&f, BRN_STAGE_LANDING);
        assert_near(landing.begin, sqrt(2.0 * 0.005 / 9.81), 1e-6);
        assert_true(isnan(landing.end) == !rough);
        flow_close(&f);
    }
}

/* From a checkpoint in the loading, the launch, the flight and the landing. */
static void test_resume(void **state)
{
    static const int64_t at[] = {10, 33, 150, 400};
    (void)state;
    flow f = flow_open(1, JUMP, NULL);
    int next = 0;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
        if (next < BRN_COUNT(at) && brn_sim_step_count(f.sim) == at[next]) {
            char path[64];
            (void)snprintf(path, sizeof path, "stages_%d.h5", next++);
            assert_done(f.ctx, brn_sim_save(f.sim, path));
        }
    }
    assert_true(next >= 3);
    for (int k = 0; k < next; ++k) {
        char path[64];
        (void)snprintf(path, sizeof path, "stages_%d.h5", k);
        flow again = flow_open(2, JUMP, NULL);
        assert_done(again.ctx, brn_sim_load(again.sim, path));
        (void)run(&again);
        assert_true(brn_sim_hash(again.sim) == brn_sim_hash(f.sim));
        flow_close(&again);
        (void)remove(path);
    }
    flow_close(&f);
}

/* A run that ends before the body has left the ground says so; one in which it leaves has nothing to say. */
static void test_no_launch(void **state)
{
    static const struct {
        const char *sets, *says;
    } cases[] = {
        {"time.end=0.032", "'block' has not left what it stands on"},
        {"time.end=0.032;bodies.block.position=[0, 0, 1];loads.finger.force=[0, 0, -0.1];gravity=[0, 0, 0]",
         "'block' touches nothing"},
        {"time.end=0.1", NULL}};
    (void)state;
    for (int k = 0; k < BRN_COUNT(cases); ++k) {
        brn_ctx *ctx = test_ctx(1);
        brn_scene *scene = NULL;
        brn_summary summary;
        assert_done(ctx, flow_scene(ctx, JUMP, cases[k].sets, &scene));
        assert_done(ctx, brn_run(ctx, scene, NULL, &summary));
        if (cases[k].says != NULL) {
            assert_non_null(strstr(summary.warnings, cases[k].says));
        } else {
            assert_string_equal(summary.warnings, "");
        }
        brn_scene_destroy(scene);
        brn_ctx_destroy(ctx);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *sets, *says;
    } cases[] = {
        {"stages.loading.until=2", "before that"},
        {"stages.launch.integrator=static", "only loading can be static"},
        {"integrator=static", "only loading can be static"},
        {"method={type: ipc}", "keeps one rule"},
        {"stages.body=floor", "is an obstacle"},
        {"stages.body=blok", "block"},
        {"stages.landing.integrator=bdf2", "does not support"},
        {"loads.finger.until=0.0", "until"},
        {"stages={};method={type: sap};fixed=[{name: tip, body: block, where: {face: +z}, release: 1}]",
         "for the whole run"},
    };
    (void)state;
    for (int k = 0; k < BRN_COUNT(cases); ++k) {
        flow f;
        bool said = false;
        const brn_status status = flow_try(1, JUMP, cases[k].sets, &f);
        for (int i = 0; f.scene != NULL && i < brn_scene_problem_count(f.scene); ++i) {
            said = said || strstr(brn_scene_problem(f.scene, i), cases[k].says) != NULL;
        }
        said = said || strstr(brn_ctx_message(f.ctx), cases[k].says) != NULL;
        if (status >= 0 || !said) {
            print_error("%s: not refused, or without '%s': %s\n", cases[k].sets, cases[k].says,
                        brn_ctx_message(f.ctx));
        }
        assert_true(status < 0 && said);
        flow_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slides),         cmocka_unit_test(test_thrown),
        cmocka_unit_test(test_verdict),        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_jump),           cmocka_unit_test(test_hop),
        cmocka_unit_test(test_slip),           cmocka_unit_test(test_release),
        cmocka_unit_test(test_resume),         cmocka_unit_test(test_refused),
        cmocka_unit_test(test_no_launch),      cmocka_unit_test(test_release_within),
        cmocka_unit_test(test_release_undone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
