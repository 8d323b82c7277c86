/* A step always ends or can be ended: cancelling it at any moment changes nothing, its work has a budget, and an iterative solver
   that gets nowhere leaves its system to the direct one. */
#include "flow.h"

#include "base/os.h"
#include "base/rng.h"

#include <brunt/study.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static const char stack[] =
    "brunt: 1\ntime: {step: 0.01, end: 1}\nmethod: {type: ipc}\ncontact: {friction: 0.4}\n"
    "materials: {a: {type: neo_hookean, young: 1.0e5, poisson: 0.3, density: 1000}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [3, 3, 3], element: tet4}}}\n"
    "bodies:\n  - {name: soft, type: deformable, mesh: m, material: a, position: [0, 0, 0.0502]}\n"
    "  - {name: upper, type: deformable, mesh: m, material: a, position: [0.02, 0, 0.1515], velocity: [0, 0, "
    "-1]}\n"
    "  - {name: hard, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0.13, 0, 0.07]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\n";

enum { STEPS = 12, CANCELS = 4 };

/* ---- cancelling ------------------------------------------------------------------------------------------------------------- */

typedef struct canceller {
    brn_ctx *ctx;
    atomic_bool stop;
    atomic_int
        left; /* how often this step may still be cancelled: on a busy machine none would come to its end otherwise */
    uint64_t seed;
    double longest; /* [s] of a pause */
} canceller;

/* Cancels after random times, from a moment to a few steps. */
static void *cancel_often(void *arg)
{
    canceller *c = arg;
    brn_rng rng = {c->seed};
    while (!atomic_load(&c->stop)) {
        const double seconds = c->longest * pow(10.0, brn_rng_uniform(&rng, -3.0, 0.0));
        const struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
        (void)nanosleep(&pause, NULL);
        if (atomic_fetch_sub(&c->left, 1) > 0) {
            brn_ctx_cancel(c->ctx, true);
        }
    }
    return NULL;
}

static uint64_t undisturbed(const char *sets)
{
    flow f = flow_open(1, stack, sets);
    for (int n = 0; n < STEPS; ++n) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    }
    const uint64_t hash = brn_sim_hash(f.sim);
    flow_close(&f);
    return hash;
}

static void test_any_moment(void **state)
{
    (void)state;
    static const char *const sets[] = {"", "integrator=newmark", "method.solver=pcg"};
    int cancelled = 0;
    for (int k = 0; k < 3; ++k) {
        const double start = brn_wall_time();
        const uint64_t wanted = undisturbed(sets[k]);
        const double longest = 4.0 * (brn_wall_time() - start) / STEPS;
        for (int threads = 1; threads <= 2; ++threads) {
            flow f = flow_open(threads, stack, sets[k]);
            canceller c = {.ctx = f.ctx, .seed = (uint64_t)(10 * k + threads), .longest = longest};
            pthread_t thread;
            assert_int_equal(pthread_create(&thread, NULL, cancel_often, &c), 0);
            int64_t step = -1;
            while (brn_sim_step_count(f.sim) < STEPS) {
                if (brn_sim_step_count(f.sim) > step) {
                    step = brn_sim_step_count(f.sim);
                    atomic_store(&c.left, CANCELS);
                }
                const uint64_t before = brn_sim_hash(f.sim);
                const brn_status status = brn_sim_step(f.sim, NULL);
                if (status == BRN_ERR_CANCELLED) {
                    cancelled++;
                    assert_true(brn_sim_hash(f.sim) == before);
                    assert_non_null(strstr(brn_ctx_message(f.ctx), "cancelled"));
                    brn_ctx_cancel(f.ctx, false);
                } else {
                    assert_done(f.ctx, status);
                }
            }
            atomic_store(&c.stop, true);
            assert_int_equal(pthread_join(thread, NULL), 0);
            assert_true(brn_sim_hash(f.sim) == wanted);
            flow_close(&f);
        }
    }
    assert_true(cancelled > 20);
}

/* While it is on nothing is done at all; a run stops and can go on. */
static void test_run_stops(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = NULL;
    brn_summary summary;
    brn_run_options options = brn_run_options_default();
    options.out = "cancelled";
    options.report_mb = 0.0;
    flow_clear_folder(options.out);
    assert_done(ctx, flow_scene(ctx, stack, "time.end=0.12", &scene));
    brn_ctx_cancel(ctx, true);
    assert_int_equal(brn_run(ctx, scene, &options, &summary), BRN_REMARK_STOPPED);
    assert_string_equal(summary.status, "stopped");
    assert_int_equal(summary.steps, 0);
    brn_ctx_cancel(ctx, false);
    options.resume = true;
    assert_int_equal(brn_run(ctx, scene, &options, &summary), BRN_OK);
    assert_true(summary.state_hash == undisturbed("time.end=0.12"));
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
    brn_ctx_cancel(NULL, true);
}

/* ---- the budget -------------------------------------------------------------------------------------------------------------- */

static void test_budget(void **state)
{
    (void)state;
    flow f = flow_open(1, stack, "method.budget=4");
    brn_status status = BRN_OK;
    uint64_t before = 0;
    while (status >= 0 && brn_sim_step_count(f.sim) < STEPS) {
        before = brn_sim_hash(f.sim);
        status = brn_sim_step(f.sim, NULL);
    }
    assert_int_equal(status, BRN_ERR_CONVERGENCE);
    assert_non_null(strstr(brn_ctx_message(f.ctx), "method.budget = 4"));
    assert_true(brn_sim_hash(f.sim) == before);
    flow_close(&f);
    /* a budget that suffices changes nothing */
    assert_true(undisturbed("method.budget=400") == undisturbed(""));
}

/* A static step that ends so says what it has trouble with: a bar, drawn to three times its length in one go. */
static void test_budget_static(void **state)
{
    (void)state;
    flow f = flow_open(
        1,
        "brunt: 1\ntime: {step: 1, end: 1}\nintegrator: static\nmethod: {type: none, budget: 3}\n"
        "materials: {a: {type: neo_hookean, young: 1.0e5, poisson: 0.3, density: 1000}}\n"
        "meshes: {m: {box: {size: [0.4, 0.1, 0.1], cells: [8, 2, 2]}}}\n"
        "bodies: [{name: bar, type: deformable, mesh: m, material: a}]\n"
        "fixed:\n  - {name: a, body: bar, where: {group: -x}}\n"
        "  - {name: b, body: bar, where: {group: +x}, motion: {table: [[0, 0, 0, 0], [1, 0.8, 0, 0]]}}\n",
        "");
    assert_int_equal(brn_sim_step(f.sim, NULL), BRN_ERR_CONVERGENCE);
    assert_non_null(strstr(brn_ctx_message(f.ctx), "method.budget = 3"));
    assert_non_null(strstr(brn_ctx_message(f.ctx), "'bar' is drawn to"));
    flow_close(&f);
}

/* Attempts that fail count: a motion into an obstacle, which no part of a step can follow, ends soon. */
static void test_attempts_count(void **state)
{
    (void)state;
    flow f = flow_open(1, stack, "method.iterations=10;method.budget=35;contact.friction=0.9;time.step=1.0");
    brn_report r;
    const brn_status status = brn_sim_step(f.sim, &r);
    assert_int_equal(status, BRN_ERR_CONVERGENCE);
    assert_true(r.retries >= 2 && r.iterations <= 36);
    flow_close(&f);
}

/* Equilibrium of two blocks that nothing holds up: it ends soon, and says which. On a floor they rest, with the same budget. */
#define BLOCKS                                                                             \
 "brunt: 1\ntime: {step: 0.1, end: 0.1}\nintegrator: static\nmethod: ipc\n"                \
 "materials: {m: {type: stable_neo_hookean, young: 1.0e6, poisson: 0.3, density: 1600}}\n" \
 "meshes: {b: {box: {size: [2, 2, 1], cells: [2, 2, 1], element: tet4}}}\n"                \
 "bodies:\n"                                                                               \
 "  - {name: low, type: deformable, mesh: b, material: m}\n"                               \
 "  - {name: top, type: deformable, mesh: b, material: m, position: [0.3, 0.2, 1.01]}\n"

static void test_unheld(void **state)
{
    (void)state;
    brn_report r;
    flow f = flow_open(1, BLOCKS, NULL);
    assert_int_equal(brn_sim_step(f.sim, &r), BRN_ERR_CONVERGENCE);
    assert_non_null(strstr(brn_ctx_message(f.ctx), "nothing holds '"));
    assert_true(r.iterations < 700); /* of a budget of 5000 */
    flow_close(&f);
    f = flow_open(1, BLOCKS "  - {name: floor, type: static, shape: {plane: {}}, position: [0, 0, -0.501]}\n",
                  NULL);
    assert_done(f.ctx, brn_sim_step(f.sim, &r));
    flow_close(&f);
}

/* ---- modes -------------------------------------------------------------------------------------------------------------------- */

static const char beam[] = "brunt: 1\ntime: {step: 1, end: 1}\nmethod: {type: none}\n"
                           "materials: {a: {type: neo_hookean, young: 1.0e5, poisson: 0.3, density: 1000}}\n"
                           "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [12, 12, 12], element: tet4}}}\n"
                           "bodies: [{name: beam, type: deformable, mesh: m, material: a}]\n";

typedef struct search {
    flow *flow;
    brn_status status;
    double cpu; /* [s] */
    atomic_bool over;
} search;

static void *find_modes(void *arg)
{
    search *s = arg;
    brn_vibration *found = NULL;
    brn_vibration_options options = brn_vibration_options_default();
    options.modes = 40;
    s->status = brn_vibration_find(s->flow->ctx, s->flow->model, &options, &found);
    brn_vibration_destroy(found);
    s->cpu = brn_thread_time();
    atomic_store(&s->over, true);
    return NULL;
}

/* Cancelled when it has taken so much processor time; returns how much it still took. */
static double find_until(search *s, double cancel_at)
{
    pthread_t thread;
    clockid_t clock;
    struct timespec now = {0};
    double at = 0.0;
    atomic_store(&s->over, false);
    assert_int_equal(pthread_create(&thread, NULL, find_modes, s), 0);
    assert_int_equal(pthread_getcpuclockid(thread, &clock), 0);
    while (!atomic_load(&s->over) && at < cancel_at) {
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        (void)clock_gettime(clock, &now);
        at = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    }
    brn_ctx_cancel(s->flow->ctx, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    brn_ctx_cancel(s->flow->ctx, false);
    return s->cpu - at;
}

/* The search ends soon wherever it is: half of it is no matter of a factor alone. */
static void test_modes(void **state)
{
    (void)state;
    flow f = flow_open(1, beam, NULL);
    search s = {.flow = &f};
    (void)find_until(&s, INFINITY);
    assert_int_equal(s.status, BRN_OK);
    const double whole = s.cpu;
    for (double part = 0.4; part < 0.7; part += 0.1) {
        const double left = find_until(&s, part * whole);
        assert_int_equal(s.status, BRN_ERR_CANCELLED);
        assert_true(left < 0.2 * whole);
    }
    flow_close(&f);
}

/* ---- conjugate gradients ------------------------------------------------------------------------------------------------------ */

/* A steel strip: slender, of a condition beyond what block-Jacobi can cope with; or so that it can, but takes more iterations than so few
   unknowns are worth. */
#define STRIP(size, cells)                                                                          \
 "brunt: 1\ntime: {step: 1, end: 1}\nintegrator: static\nmethod: {type: none, tolerance: 1.0e-6}\n" \
 "materials: {a: {type: neo_hookean, young: 2.0e11, poisson: 0.3, density: 7800}}\n"                \
 "meshes: {m: {box: {size: " size ", cells: " cells ", element: hex20}}}\n"                         \
 "bodies: [{name: strip, type: deformable, mesh: m, material: a}]\n"                                \
 "fixed: [{body: strip, where: {face: -x}}]\n"

static void fall_back(const char *strip, double bent)
{
    double tip[2];
    for (int k = 0; k < 2; ++k) {
        flow f = flow_open(2, strip, k == 0 ? "method.solver=direct" : "method.solver=pcg");
        brn_report r;
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_int_equal(r.fallbacks > 0, k);
        assert_int_equal(r.retries, 0);
        double least = 0.0;
        for (int a = 0; a < flow_nodes(&f); ++a) {
            least = fmin(least, brn_sim_positions(f.sim)[3 * a + 2]);
        }
        tip[k] = least;
        flow_close(&f);
    }
    assert_true(tip[0] < bent); /* it bends */
    assert_near(tip[1], tip[0], 1e-5);
}

static void test_fallback(void **state)
{
    (void)state;
    fall_back(STRIP("[2, 0.01, 0.01]", "[300, 1, 1]"), -0.05);
    fall_back(STRIP("[1, 0.1, 0.1]", "[20, 2, 2]"), -1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_moment),     cmocka_unit_test(test_run_stops),
        cmocka_unit_test(test_budget),         cmocka_unit_test(test_budget_static),
        cmocka_unit_test(test_attempts_count), cmocka_unit_test(test_fallback),
        cmocka_unit_test(test_unheld),         cmocka_unit_test(test_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
