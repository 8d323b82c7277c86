/* Design studies with an evaluator that computes figures instead of simulating: points, deviations, logs, resumes. */
#include "test.h"

#include "base/os.h"
#include "base/param.h"
#include "faulty.h"
#include "full_disk.h"
#include "no_fsync.h"

#include <brunt/design.h>
#include <sys/stat.h>

/* Any scene: its values are read from the settings of a job. */
static const char scene_text[] =
    "brunt: 1\n"
    "time: {step: 0.1, end: 0.2}\n"
    "contact: {friction: 0.5}\n"
    "materials: {steel: {type: linear, young: 2e11, poisson: 0.3, density: 7800}}\n"
    "meshes: {cube: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\n"
    "bodies: [{name: cube, type: deformable, mesh: cube, material: steel}]\n"
    "fixed: [{name: foot, body: cube, where: {face: -z}}]\n";

static const char head[] = "brunt: 1\nscene: design-scene.yaml\n";

/* f = (x - 0.3)^2 + (y + 0.2)^2 + friction, with x, y and friction from the settings; reported as `kinetic` of series.csv. */
typedef struct fake {
    int slots, started, running;
    brn_design_job job[8]; /* under way: the last one is collected first */
    double value[8];
    int fail_at;   /* number of the job that fails; -1: none */
    int lose_at;   /* ... whose process is killed */
    int stop_at;   /* ... at which all is stopped */
    int full_at;   /* ... that finds a full disk */
    int simulated; /* all jobs so far, over several studies */
} fake;

static double setting(const brn_design_job *job, const char *path, double standard)
{
    double value = standard;
    for (int i = 0; i < job->nset; ++i) { /* the last one counts */
        const size_t n = strlen(path);
        if (strncmp(job->set[i], path, n) == 0 && job->set[i][n] == '=') {
            value = strtod(job->set[i] + n + 1, NULL);
        }
    }
    return value;
}

static brn_status fake_start(void *user, const brn_design_job *job)
{
    fake *f = user;
    assert_true(f->running < f->slots);
    const double x = setting(job, "meshes.cube.box.size[0]", 1.0);
    const double y = setting(job, "gravity_y", setting(job, "meshes.cube.box.size[1]", 1.0));
    const double mu = setting(job, "contact.friction", 0.5);
    f->job[f->running] = *job;
    f->value[f->running++] = (x - 0.3) * (x - 0.3) + (y - 0.7) * (y - 0.7) + mu;
    ++f->started;
    ++f->simulated;
    brn_ctx *ctx = test_ctx(1);
    assert_done(ctx, brn_dir_make(ctx, job->folder));
    brn_ctx_destroy(ctx);
    char path[512], text[512];
    (void)snprintf(path, sizeof path, "%s/summary.json", job->folder);
    test_write_file(path, "{\n  \"status\": \"done\",\n  \"reason\": \"\",\n  \"peak_mb\": null\n}\n");
    (void)snprintf(path, sizeof path, "%s/series.csv", job->folder);
    (void)snprintf(text, sizeof text, "time,kinetic\n0.0,1.0\n1.0,%.17g\n", f->value[f->running - 1]);
    test_write_file(path, text);
    return BRN_OK;
}

static brn_status fake_collect(void *user, brn_design_outcome *out)
{
    fake *f = user;
    assert_true(f->running > 0);
    const int64_t number = f->job[--f->running].number; /* out of order where there are several */
    *out = (brn_design_outcome){.number = number, .wall = 1.0, .cpu = 2.0};
    if (number == f->fail_at) {
        out->status = BRN_ERR_CONVERGENCE;
        (void)snprintf(out->reason, sizeof out->reason, "no convergence");
    } else if (number == f->lose_at) {
        out->status = BRN_ERR_CANCELLED;
        out->lost = true;
        (void)snprintf(out->reason, sizeof out->reason, "signal 9");
    } else if (number == f->stop_at) {
        out->status = BRN_REMARK_STOPPED;
    } else if (number == f->full_at) {
        out->status = BRN_ERR_FULL;
        (void)snprintf(out->reason, sizeof out->reason, "no room");
    }
    return BRN_OK;
}

static fake make_fake(int slots)
{
    return (fake){.slots = slots, .fail_at = -1, .lose_at = -1, .stop_at = -1, .full_at = -1};
}

static brn_design *open_design(brn_ctx *ctx, const char *text, brn_design_kind kind)
{
    char all[4000];
    (void)snprintf(all, sizeof all, "%s%s", head, text);
    test_write_file("design-scene.yaml", scene_text);
    brn_design *design = NULL;
    assert_done(ctx, brn_design_parse(ctx, all, strlen(all), "design.yaml", kind, &design));
    assert_done(ctx, brn_design_prepare(design));
    return design;
}

static brn_design_options options_of(fake *f, const char *out)
{
    brn_design_options options = brn_design_options_default();
    options.out = out;
    options.overwrite = true;
    options.no_rerun = true;
    options.evaluator = (brn_evaluator){f->slots, fake_start, fake_collect, f};
    return options;
}

static const char two[] = "parameters:\n"
                          "  - {name: x, path: \"meshes.cube.box.size[0]\", min: 0.1, max: 2}\n"
                          "  - {name: y, path: \"meshes.cube.box.size[1]\", min: 0.1, max: 2}\n"
                          "objective: kinetic - 0.5\n";

/* ---- searches -------------------------------------------------------------------------------------------------------------------- */

/* Every optimiser finds the lowest point; constraints hold; the log gives the same without a single simulation. */
static void test_search(void **state)
{
    (void)state;
    static const char *const types[] = {"cmaes", "cobyla", "bobyqa", "subplex", "gradient"};
    brn_ctx *ctx = test_ctx(1);
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        char text[1000];
        (void)snprintf(text, sizeof text, "%soptimizer: {type: %s, evaluations: 150}\n", two, types[i]);
        brn_design *design = open_design(ctx, text, BRN_DESIGN_SEARCH);
        fake f = make_fake(3);
        brn_design_options options = options_of(&f, "design-search");
        brn_design_result result;
        assert_done(ctx, brn_design_run(design, &options, &result));
        /* 1e-3 of the range, the tolerance, is 2e-3; the value is its square */
        assert_near(result.best.objective, 0.0, 2e-5);
        assert_near(result.best.x[0], 0.3, 5e-3);
        assert_near(result.best.x[1], 0.7, 5e-3);
        assert_near(result.start.objective, 0.49 + 0.09, 1e-12);
        assert_int_equal(f.started, result.evaluations);
        assert_near(result.cpu, 2.0 * (double)result.evaluations, 1e-9);
        const double best = result.best.objective;
        const int64_t count = result.evaluations;
        options.overwrite = false;
        options.resume = true;
        assert_done(ctx, brn_design_run(design, &options, &result));
        assert_int_equal(f.started, count);
        assert_int_equal(result.repeated, count);
        assert_true(result.best.objective == best);
        brn_design_destroy(design);
    }
    brn_ctx_destroy(ctx);
}

static void test_constraints(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    char text[1000];
    (void)snprintf(text, sizeof text,
                   "%sconstraints: [x + y > 2]\nsuccess: kinetic < 1.1\noptimizer: {type: cobyla, "
                   "evaluations: 200, tolerance: 1e-6}\n",
                   two);
    brn_design *design = open_design(ctx, text, BRN_DESIGN_SEARCH);
    fake f = make_fake(1);
    brn_design_options options = options_of(&f, "design-constraints");
    brn_design_result result;
    assert_done(ctx, brn_design_run(design, &options, &result));
    /* The foot of the perpendicular from (0.3, 0.7) to x + y = 2. */
    assert_near(result.best.x[0], 0.8, 1e-3);
    assert_near(result.best.x[1], 1.2, 1e-3);
    assert_true(result.best.violation <= 1e-6);
    assert_int_equal(result.best.samples, 1);
    assert_int_equal(result.best.succeeded, 1); /* 0.5 + 0.5 */
    brn_design_destroy(design);

    /* The highest instead: in a corner. */
    design = open_design(ctx,
                         "parameters: [{name: x, path: \"meshes.cube.box.size[0]\", min: 0.1, max: 2}]\n"
                         "maximise: kinetic\noptimizer: {type: cobyla, evaluations: 60}\n",
                         BRN_DESIGN_SEARCH);
    assert_done(ctx, brn_design_run(design, &options, &result));
    assert_near(result.best.x[0], 2.0, 1e-12);
    brn_design_destroy(design);
    brn_ctx_destroy(ctx);
}

/* ---- deviations ---------------------------------------------------------------------------------------------------------------------- */

static void run_robust(brn_ctx *ctx, const char *mode, double *objective, int slots)
{
    char text[1000];
    (void)snprintf(text, sizeof text,
                   "%srobustness: {samples: 9, mode: %s, seed: 3, tolerances: [{path: contact.friction, by: "
                   "0.1}, {parameter: x, percent: 10}]}\nsuccess: kinetic < 1.08\nsweep: {type: "
                   "latin_hypercube, samples: 2}\n",
                   two, mode);
    brn_design *design = open_design(ctx, text, BRN_DESIGN_SWEEP);
    fake f = make_fake(slots);
    brn_design_options options = options_of(&f, "design-robust");
    brn_design_result result;
    assert_done(ctx, brn_design_run(design, &options, &result));
    assert_int_equal(f.started, 18);
    brn_design_evaluation e;
    assert_done(ctx, brn_design_get_evaluation(design, 0, &e));
    *objective = e.objective;
    assert_int_equal(e.samples, 9);
    assert_true(e.succeeded >= 0 && e.succeeded <= 9);
    const double nominal = (e.x[0] - 0.3) * (e.x[0] - 0.3) + (e.x[1] - 0.7) * (e.x[1] - 0.7);
    /* x deviates by 10 %, friction by 0.1: the objective by no more than that */
    const double most = 0.1 + 0.1 * e.x[0] * (2.0 * fabs(e.x[0] - 0.3) + 0.1 * e.x[0]);
    assert_true(fabs(e.objective - nominal) <= most);
    assert_true(strcmp(mode, "worst") != 0 || e.objective > nominal + 0.05); /* a draw in the last eighth */
    brn_design_destroy(design);
}

static void test_robustness(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    double mean = 0.0, worst = 0.0, again = 0.0;
    run_robust(ctx, "mean", &mean, 4);
    run_robust(ctx, "worst", &worst, 4);
    run_robust(ctx, "worst", &again, 1);
    assert_true(worst > mean);
    assert_true(worst == again); /* whatever runs at once */
    brn_ctx_destroy(ctx);
}

/* ---- sweeps ---------------------------------------------------------------------------------------------------------------------------- */

static void test_sweeps(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_design *design = open_design(
        ctx,
        "parameters:\n  - {name: x, path: \"meshes.cube.box.size[0]\", values: [0.5, 1, 4]}\n"
        "  - {name: cells, path: \"meshes.cube.box.cells[0]\", min: 1, max: 5, points: 3}\n"
        "  - {name: young, path: materials.steel.young, min: 1e10, max: 1e12, scale: log, points: 3}\n"
        "assign: {\"meshes.cube.box.size[1]\": \"2*x\"}\nfigures: [kinetic, mean(kinetic), \"at(kinetic, "
        "0.25)\"]\n",
        BRN_DESIGN_SWEEP);
    fake f = make_fake(2);
    brn_design_options options = options_of(&f, "design-sweep");
    brn_design_result result;
    assert_done(ctx, brn_design_run(design, &options, &result));
    assert_int_equal(result.evaluations, 27);
    assert_int_equal(result.best.samples, 0); /* nothing is sought */
    brn_design_evaluation e;
    assert_done(ctx, brn_design_get_evaluation(design, 26, &e));
    assert_true(e.x[0] == 4.0 && e.x[1] == 5.0 && e.x[2] == 1e12);
    assert_done(ctx, brn_design_get_evaluation(design, 4, &e));
    assert_true(e.x[0] == 0.5 && e.x[1] == 3.0);
    assert_near(e.x[2], 1e11, 1e-3);
    brn_design_destroy(design);

    char *table = NULL;
    size_t length = 0;
    assert_done(ctx, brn_file_read(ctx, "design-sweep/table.csv", 1 << 20, &table, &length));
    /* x = 0.5, y = 1: 0.04 + 0.09 + 0.5; the mean of 1 and that, and a quarter of the way */
    assert_non_null(
        strstr(table, "index,x,cells,young,kinetic,mean(kinetic),\"at(kinetic, 0.25)\",objective,"));
    assert_non_null(strstr(table, "\n4,0.5,3.0,"));
    assert_non_null(strstr(table, ",0.63,0.815,0.9075,"));
    brn_ctx_free(ctx, table);
    brn_ctx_destroy(ctx);
}

/* ---- what goes wrong ------------------------------------------------------------------------------------------------------------------- */

static const char search_text[] = "parameters:\n"
                                  "  - {name: x, path: \"meshes.cube.box.size[0]\", min: 0.1, max: 2}\n"
                                  "  - {name: y, path: \"meshes.cube.box.size[1]\", min: 0.1, max: 2}\n"
                                  "objective: kinetic\noptimizer: {evaluations: 40, seed: 5}\n";

static double run_study(brn_ctx *ctx, fake *f, bool resume, brn_status wanted, brn_design_result *result)
{
    brn_design *design = open_design(ctx, search_text, BRN_DESIGN_SEARCH);
    brn_design_options options = options_of(f, "design-wrong");
    options.resume = resume;
    options.overwrite = !resume;
    const brn_status status = brn_design_run(design, &options, result);
    assert_int_equal(status, wanted);
    const double best = result->best.objective;
    brn_design_destroy(design);
    return best;
}

/* No value, or an infinite one, has failed, however good it would be. */
static void test_no_value(void **state)
{
    (void)state;
    static const char *const objectives[] = {"-1/(kinetic*0)", "sqrt(-kinetic)", "log(kinetic*0)"};
    brn_ctx *ctx = test_ctx(1);
    for (int i = 0; i < BRN_COUNT(objectives); ++i) {
        char text[1000];
        (void)snprintf(text, sizeof text, "%.*sobjective: %s\noptimizer: {evaluations: 8}\n",
                       (int)(strstr(two, "objective") - two), two, objectives[i]);
        brn_design *design = open_design(ctx, text, BRN_DESIGN_SEARCH);
        fake f = make_fake(2);
        brn_design_options options = options_of(&f, "design-no-value");
        brn_design_result result;
        assert_done(ctx, brn_design_run(design, &options, &result));
        assert_int_equal(result.failed, result.evaluations);
        assert_int_equal(result.best.samples, 0);
        assert_non_null(strstr(result.start.reason, i == 1 ? "has no value" : "is infinite"));
        brn_design_destroy(design);
    }
    brn_ctx_destroy(ctx);
}

static void refused(brn_ctx *ctx, const char *text, const char *reason)
{
    char all[4000];
    brn_design *design = NULL;
    (void)snprintf(all, sizeof all, "%s%sobjective: kinetic\n", head, text);
    test_write_file("design-scene.yaml", scene_text);
    assert_done(ctx, brn_design_parse(ctx, all, strlen(all), "design.yaml", BRN_DESIGN_SEARCH, &design));
    assert_int_equal(brn_design_prepare(design), BRN_ERR_SCENE);
    if (strstr(brn_design_problem(design, 0), reason) == NULL) {
        fail_msg("wanted '%s', got '%s'", reason, brn_design_problem(design, 0));
    }
    brn_design_destroy(design);
}

/* Whole numbers stay within their bounds, and what two things set is refused. */
static void test_settings(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_design *design = open_design(ctx,
                                     "parameters: [{name: n, path: \"meshes.cube.box.cells[0]\", min: 1.4, "
                                     "max: 3.6}]\nobjective: kinetic\n",
                                     BRN_DESIGN_SEARCH);
    brn_design_parameter p;
    assert_done(ctx, brn_design_get_parameter(design, 0, &p));
    assert_true(p.min == 2.0 && p.max == 3.0 && p.whole);
    brn_design_destroy(design);
    refused(ctx, "parameters: [{name: n, path: \"meshes.cube.box.cells[0]\", min: 1.4, max: 2.6}]\n",
            "two whole numbers");
    refused(ctx,
            "parameters:\n  - {name: a, path: materials.steel.young, min: 1e9, max: 1e11}\n"
            "  - {name: b, path: materials.steel.young, min: 1e9, max: 1e11}\n",
            "parameters[1]: 'materials.steel.young' of the scene is set by another parameter");
    refused(ctx,
            "parameters: [{name: a, path: materials.steel.young, min: 1e9, max: 1e11}]\n"
            "assign: {materials.steel.young: 2*a}\n",
            "assign.materials.steel.young");
    refused(ctx,
            "parameters: [{name: a, paths: [materials.steel.young, materials.steel.young], min: 1e9, max: "
            "1e11}]\n",
            "is set by another");
    brn_ctx_destroy(ctx);
}

/* Stopped, killed or with a full disk at any job: a resume gives the same and repeats nothing. */
static void test_interruptions(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    fake whole = make_fake(2);
    brn_design_result result;
    const double best = run_study(ctx, &whole, false, BRN_OK, &result);
    assert_int_equal(whole.started, 40);
    for (int at = 0; at < 40; at += 7) {
        for (int kind = 0; kind < 2; ++kind) {
            fake f = make_fake(2);
            *(kind == 0 ? &f.stop_at : &f.full_at) = at;
            (void)run_study(ctx, &f, false, kind == 0 ? BRN_REMARK_STOPPED : BRN_ERR_FULL, &result);
            assert_true(result.evaluations < 40);
            const int64_t kept = result.evaluations;
            f.stop_at = f.full_at = -1;
            f.started = 0;
            assert_true(run_study(ctx, &f, true, BRN_OK, &result) == best);
            assert_int_equal(result.repeated, kept);
            assert_int_equal(f.started, 40 - kept);
        }
    }
    /* One that was lost counts as failed, and is repeated. */
    fake f = make_fake(2);
    f.lose_at = 4;
    (void)run_study(ctx, &f, false, BRN_OK, &result);
    assert_int_equal(result.failed, 1);
    f.lose_at = -1;
    assert_true(run_study(ctx, &f, true, BRN_OK, &result) == best);
    assert_int_equal(result.failed, 0);
    /* One that failed is not. */
    f = make_fake(2);
    f.fail_at = 4;
    (void)run_study(ctx, &f, false, BRN_OK, &result);
    f.fail_at = -1;
    f.started = 0;
    (void)run_study(ctx, &f, true, BRN_OK, &result);
    assert_int_equal(result.failed, 1);
    assert_int_equal(f.started, 0);
    brn_ctx_destroy(ctx);
}

/* A torn last line is as if it had never been begun. */
static void test_torn_log(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    fake f = make_fake(1);
    brn_design_result result;
    const double best = run_study(ctx, &f, false, BRN_OK, &result);
    struct stat info;
    assert_int_equal(stat("design-wrong/log.jsonl", &info), 0);
    for (int cut = 1; cut < 4000; cut += 501) {
        assert_done(ctx,
                    brn_file_truncate(ctx, "design-wrong/log.jsonl", (size_t)info.st_size - (size_t)cut));
        f.started = 0;
        assert_true(run_study(ctx, &f, true, BRN_OK, &result) == best);
        assert_true(f.started >= 1 && f.started < 12);
        assert_int_equal(result.evaluations, 40);
    }
    /* Not even a first line. */
    assert_done(ctx, brn_file_truncate(ctx, "design-wrong/log.jsonl", 10));
    assert_true(run_study(ctx, &f, true, BRN_OK, &result) == best);
    /* Something else. */
    test_write_file("design-wrong/log.jsonl", "{\"a\": 1}\n");
    (void)run_study(ctx, &f, true, BRN_ERR_FORMAT, &result);
    brn_ctx_destroy(ctx);
}

static void test_another_problem(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    fake f = make_fake(1);
    brn_design_result result;
    (void)run_study(ctx, &f, false, BRN_OK, &result);
    brn_design_options options = options_of(&f, "design-wrong");
    options.overwrite = false;
    brn_design *design = open_design(ctx, search_text, BRN_DESIGN_SEARCH);
    assert_int_equal(brn_design_run(design, &options, &result),
                     BRN_ERR_FILE); /* neither resume nor overwrite */
    options.resume = true;
    options.evaluations = 50; /* may change */
    assert_done(ctx, brn_design_run(design, &options, &result));
    assert_int_equal(result.evaluations, 50);
    options.seed = 6;
    assert_int_equal(brn_design_run(design, &options, &result), BRN_ERR_RANGE);
    assert_non_null(strstr(brn_ctx_message(ctx), "another seed"));
    brn_design_destroy(design);
    options.seed = -1;
    design = open_design(ctx,
                         "parameters: [{name: x, path: \"meshes.cube.box.size[0]\", min: 0.1, max: 2}]\n"
                         "objective: kinetic\n",
                         BRN_DESIGN_SEARCH);
    assert_int_equal(brn_design_run(design, &options, &result), BRN_ERR_RANGE);
    assert_non_null(strstr(brn_ctx_message(ctx), "another problem"));
    brn_design_destroy(design);
    brn_ctx_destroy(ctx);
}

/* The log itself meets the end of the disk. */
static int study_on_full_disk(void *arg)
{
    (void)arg;
    brn_ctx *ctx = test_ctx(1);
    brn_design *design = open_design(ctx, search_text, BRN_DESIGN_SEARCH);
    fake f = make_fake(1);
    brn_design_options options = options_of(&f, "design-wrong");
    brn_design_result result;
    const brn_status status = brn_design_run(design, &options, &result);
    const bool fine = status == BRN_ERR_FULL && result.evaluations > 2 && result.evaluations < 30;
    brn_design_destroy(design);
    brn_ctx_destroy(ctx);
    return fine ? 0 : 1;
}

static void test_full_disk(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    fake whole = make_fake(1);
    brn_design_result result;
    const double best = run_study(ctx, &whole, false, BRN_OK, &result);
    assert_int_equal(with_full_disk(8000, study_on_full_disk, NULL), 0);
    fake f = make_fake(1);
    assert_true(run_study(ctx, &f, true, BRN_OK, &result) == best);
    assert_true(f.started < 40 && f.started > 10);
    brn_ctx_destroy(ctx);
}

/* ---- memory ------------------------------------------------------------------------------------------------------------------------------ */

/* A whole study, with deviations and an expression of every kind. */
static brn_status study_once(brn_ctx *ctx, void *arg)
{
    (void)arg;
    const char text[] =
        "brunt: 1\nscene: design-scene.yaml\nset: {time.end: 0.1}\n"
        "parameters: [{name: x, path: \"meshes.cube.box.size[0]\", min: 0.1, max: 2}]\n"
        "assign: {\"meshes.cube.box.size[1]\": 2*x}\nobjective: kinetic\nconstraints: [x < 1]\n"
        "success: status == 'done'\nfigures: [mean(kinetic)]\n"
        "robustness: {samples: 2, tolerances: [{path: contact.friction, by: 0.1}]}\n"
        "optimizer: {type: cmaes, evaluations: 5}\n";
    brn_design *design = NULL;
    brn_design_result result;
    fake f = make_fake(1);
    const brn_design_options options = options_of(&f, "design-memory");
    brn_status status = brn_design_parse(ctx, text, strlen(text), "design.yaml", BRN_DESIGN_SEARCH, &design);
    status = status >= 0 ? brn_design_prepare(design) : status;
    status = status >= 0 ? brn_design_run(design, &options, &result) : status;
    brn_design_destroy(design);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    test_write_file("design-scene.yaml", scene_text);
    assert_true(faulty_run(study_once, NULL, 0) > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search),          cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_robustness),      cmocka_unit_test(test_sweeps),
        cmocka_unit_test(test_no_value),        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_interruptions),   cmocka_unit_test(test_torn_log),
        cmocka_unit_test(test_another_problem), cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
