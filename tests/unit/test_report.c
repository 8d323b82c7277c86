/* Pages with runs in them: the budget is kept, what is left out is told, nothing of a run becomes markup. */
#define _GNU_SOURCE
#include "faulty.h"
#include "flow.h"
#include "full_disk.h"
#include "no_fsync.h"
#include "output_model.h"
#include "packet_reader.h"

#include "base/os.h"
#include "output/trajectory/trajectory.h"

#include <dirent.h>
#include <sys/stat.h>

#define DIR_LONG "report_long"

/* ---- a run made by hand -------------------------------------------------------------------------------------------------- */

/* Nothing moves at first, so that frames are small, then everything does; in bursts, with very many contacts now and then. */
static void record(brn_ctx *ctx, const char *dir, int cells, int nframe, bool bursts)
{
    char path[256];
    brn_contact_point point[TEST_POINTS];
    brn_trajectory *trajectory = NULL;
    flow_clear_folder(dir);
    assert_done(ctx, brn_dir_make(ctx, dir));
    (void)snprintf(path, sizeof path, "%s/trajectory.h5", dir);
    brn_model *model = test_model_3d(ctx, cells);
    model->fields[BRN_FIELD_FORCE] = false;
    model->fields[BRN_FIELD_CONTACT] = true;
    brn_state *state = test_state(ctx, model);
    assert_done(ctx, brn_trajectory_open(ctx, path, model, -1, &trajectory));
    for (int f = 0; f < nframe; ++f) {
        const int moving = f - nframe / 3;
        test_pose(model, state, moving > 0 ? moving : 0);
        for (int n = 0; n < model->nnode && moving <= 0; ++n) {
            memcpy(state->node_pos + 3 * n, model->rest[n], 3 * sizeof(double));
            memset(state->node_vel + 3 * n, 0, 3 * sizeof(double));
        }
        state->step = 10 * f;
        const int npoint = moving > 0 ? test_points(model, f, point) : 0;
        assert_done(ctx, brn_trajectory_add(trajectory, state, 0.1 * f, NULL, point,
                                            bursts || npoint < 7 ? npoint : 7, state->node_pos));
    }
    assert_done(ctx, brn_trajectory_close(trajectory));
    brn_state_destroy(state);
    test_model_free(model);
}

static size_t file_size(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (size_t)info.st_size : 0;
}

static brn_status export_page(brn_ctx *ctx, const char *dir, const char *out, int every, double mb)
{
    int files = 0;
    brn_export_options options = brn_export_options_default();
    options.format = "html";
    options.out = out;
    options.every = every;
    options.size_mb = mb;
    const brn_status status = brn_export(ctx, dir, &options, &files);
    assert_int_equal(files, status >= 0);
    return status;
}

static char *slurp(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("%s is not there", path);
    }
    const size_t size = file_size(path);
    char *text = calloc(size + 1, 1);
    assert_int_equal(fread(text, 1, size, file), size);
    (void)fclose(file);
    return text;
}

/* No temporary file stays behind. */
static void check_clean(const char *dir)
{
    DIR *folder = opendir(dir);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strstr(entry->d_name, ".tmp") != NULL) {
            fail_msg("%s/%s is left", dir, entry->d_name);
        }
    }
    (void)closedir(folder);
}

/* The page with its data cut out, and nothing else, is the page of the library; data are base64 alone. Returns the number
   of runs. */
static int check_markup(const char *html)
{
    size_t size = 0;
    const char *page = brn_view_page(&size);
    const char *marker = strstr(page, "<!--brunt:data-->");
    const size_t before = (size_t)(marker - page);
    assert_memory_equal(html, page, before);
    const char *at = html + before;
    int runs = 0;
    for (; strncmp(at, PAGE_HEAD, strlen(PAGE_HEAD)) == 0; ++runs) {
        at += strlen(PAGE_HEAD);
        at += strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\n");
        assert_memory_equal(at, PAGE_TAIL, strlen(PAGE_TAIL));
        at += strlen(PAGE_TAIL);
    }
    assert_string_equal(at, marker + strlen("<!--brunt:data-->"));
    return runs;
}

static packet head_of(const char *html, int run)
{
    packet head = {0};
    const char *at = page_run(html, run);
    assert_true(page_next(&at, &head));
    return head;
}

/* The frames of a run of a page: evenly spaced, both ends kept. Returns the stride. */
static int check_frames(const char *html, int run, int recorded)
{
    packet head = {0};
    packet frame = {0};
    int numbers[4096];
    int n = 0;
    const char *at = page_run(html, run);
    assert_true(page_next(&at, &head));
    for (; page_next(&at, &frame); ++n) {
        numbers[n] = (int)json_number(json_get(frame.json, "index"));
        const char *entry = json_item(json_get(head.json, "frames"), n);
        assert_true(json_number(json_get(entry, "time")) == json_number(json_get(frame.json, "time")));
        free(packet_positions(&head, &frame, NULL, NULL));
        packet_close(&frame);
    }
    assert_int_equal(json_count(json_get(head.json, "frames")), n);
    assert_int_equal((int)json_number(json_get(head.json, "recorded")), recorded);
    assert_true(numbers[0] == 0 && numbers[n - 1] == recorded - 1);
    const int stride = n > 1 ? numbers[1] : 1;
    for (int i = 1; i < n; ++i) {
        assert_true(numbers[i] - numbers[i - 1] == stride || i == n - 1);
    }
    assert_true(n == 1 || numbers[n - 1] - numbers[n - 2] <= stride);
    packet_close(&head);
    return stride;
}

/* ---- the budget --------------------------------------------------------------------------------------------------------------- */

static int setup(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    record(ctx, DIR_LONG, 6, 301, false);
    brn_ctx_destroy(ctx);
    return 0;
}

static void test_budget(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    assert_done(ctx, export_page(ctx, DIR_LONG, NULL, 1, 1000.0));
    const size_t whole = file_size(DIR_LONG "/report.html");
    char *html = slurp(DIR_LONG "/report.html");
    assert_int_equal(check_markup(html), 1);
    assert_int_equal(check_frames(html, 0, 301), 1);
    packet run = {0};
    run = head_of(html, 0);
    assert_true(json_is(json_get(run.json, "thinned"), "null"));
    packet_close(&run);
    free(html);
    size_t page = 0;
    (void)brn_view_page(&page);
    /* from a little to most of what all frames take */
    static const double parts[] = {0.02, 0.1, 0.3, 0.55, 0.9, 0.999, 1.01};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        const double mb = 1e-6 * ((double)page + parts[i] * (double)(whole - page));
        assert_done(ctx, export_page(ctx, DIR_LONG, NULL, 1, mb));
        const size_t size = file_size(DIR_LONG "/report.html");
        assert_true((double)size <= 1e6 * mb);
        html = slurp(DIR_LONG "/report.html");
        assert_int_equal(check_markup(html), 1);
        const int stride = check_frames(html, 0, 301);
        run = head_of(html, 0);
        char want[100];
        (void)snprintf(want, sizeof want, "\"every %d%s of 301 frames: the budget is %g MB\"", stride,
                       stride == 2    ? "nd"
                       : stride == 3  ? "rd"
                       : stride == 21 ? "st"
                                      : "th",
                       mb);
        assert_true(json_is(json_get(run.json, "thinned"), stride == 1 ? "null" : want));
        /* Components of tensors go before a frame does. */
        const int fields = json_count(json_get(run.json, "fields"));
        assert_int_equal(fields, parts[i] > 1.0 ? 23 : 5);
        assert_int_equal(json_count(json_get(run.json, "notes")), fields == 5);
        packet_close(&run);
        free(html);
        /* half as many frames more would have been too much; some room is kept for the list of frames */
        if (stride > 1) {
            /* too little for components of these frames */
            const double more = 1e-6 * ((double)page + 0.9 * (double)(whole - page) / (2 * stride / 3));
            assert_done(ctx, export_page(ctx, DIR_LONG, "report_more.html", 2 * stride / 3, more));
            assert_true((double)file_size("report_more.html") > 1e6 * mb - 8192.0);
        }
    }
    check_clean(DIR_LONG);
    brn_ctx_destroy(ctx);
}

/* Frames that differ in size by a factor of ten: the budget holds all the same. */
static void test_bursts(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    record(ctx, "report_bursts", 6, 301, true);
    for (int k = 0; k < 6; ++k) {
        const double mb = 0.9 + 0.32 * k; /* the page itself is 0.84 */
        assert_done(ctx, export_page(ctx, "report_bursts", NULL, 1, mb));
        assert_true((double)file_size("report_bursts/report.html") <= 1e6 * mb);
        char *html = slurp("report_bursts/report.html");
        (void)check_frames(html, 0, 301);
        free(html);
    }
    check_clean("report_bursts");
    brn_ctx_destroy(ctx);
}

/* Each n-th frame was asked for, which the page says; out may be a folder. */
static void test_every(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    flow_clear_folder("report_out");
    assert_done(ctx, export_page(ctx, DIR_LONG, "report_out/deep", 7, 25.0));
    char *html = slurp("report_out/deep/report.html");
    packet run = {0};
    assert_int_equal(check_frames(html, 0, 301), 7);
    run = head_of(html, 0);
    assert_true(json_is(json_get(run.json, "thinned"), "\"every 7th of 301 frames, as requested\""));
    packet_close(&run);
    free(html);
    assert_done(ctx, export_page(ctx, DIR_LONG, "report_out/ends.html", 100000, 25.0));
    html = slurp("report_out/ends.html");
    assert_int_equal(check_frames(html, 0, 301), 300);
    free(html);
    assert_int_equal(export_page(ctx, DIR_LONG, "report_out/x.html", 0, 25.0), BRN_ERR_RANGE);
    assert_int_equal(export_page(ctx, DIR_LONG, "report_out/x.html", 1, 0.0), BRN_ERR_RANGE);
    assert_int_equal(export_page(ctx, DIR_LONG, "report_out/x.html", 1, NAN), BRN_ERR_RANGE);
    assert_int_equal(file_size("report_out/x.html"), 0);
    brn_ctx_destroy(ctx);
}

/* Fields go where two frames are too much, the ones that are missed least first; a page that cannot be is refused with the
   budget that would do, and the one that was there stays. */
static void test_too_small(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    record(ctx, "report_large", 20, 3, false);
    assert_int_equal(export_page(ctx, "report_large", NULL, 1, 0.5), BRN_ERR_LIMIT);
    assert_int_equal(file_size("report_large/report.html"), 0);
    check_clean("report_large");
    const char *would = strstr(brn_ctx_message(ctx), "; a budget of ");
    assert_non_null(would);
    const double least = strtod(would + strlen("; a budget of "), NULL);
    assert_true(least > 0.8 && least < 2.0);
    int fields = 0, contacts = 0, dropped = 0;
    for (int k = 0; k < 12; ++k) {
        const double mb = least + 0.01 * k;
        assert_done(ctx, export_page(ctx, "report_large", NULL, 1, mb));
        assert_true((double)file_size("report_large/report.html") <= 1e6 * mb);
        char *html = slurp("report_large/report.html");
        packet run = {0};
        assert_int_equal(check_markup(html), 1);
        run = head_of(html, 0);
        const int now = json_count(json_get(run.json, "fields"));
        const char *notes = json_get(run.json, "notes");
        assert_true(now >= fields);
        fields = now;
        contacts = json_is(json_get(run.json, "contacts"), "true");
        dropped += fields < 5;
        assert_int_equal(json_count(notes), fields < 23 || !contacts ? 1 : 0);
        if (fields < 5) {
            assert_int_equal(strncmp(json_item(notes, 0), "\"left out, as the budget is ", 28), 0);
            assert_non_null(strstr(json_item(notes, 0), "isplacement"));
        }
        packet_close(&run);
        free(html);
    }
    assert_true(dropped > 0 && fields == 5);
    /* refused again: the last one is still there */
    const size_t size = file_size("report_large/report.html");
    assert_int_equal(export_page(ctx, "report_large", NULL, 1, least - 0.3), BRN_ERR_LIMIT);
    assert_int_equal(file_size("report_large/report.html"), size);
    check_clean("report_large");
    brn_ctx_destroy(ctx);
}

/* The same bytes whoever packs. */
static void test_threads(void **state)
{
    (void)state;
    brn_ctx *one = test_ctx(1);
    brn_ctx *four = test_ctx(4);
    assert_done(one, export_page(one, DIR_LONG, "report_one.html", 1, 1.5));
    assert_done(four, export_page(four, DIR_LONG, "report_four.html", 1, 1.5));
    char *a = slurp("report_one.html");
    char *b = slurp("report_four.html");
    assert_string_equal(a, b);
    free(a);
    free(b);
    brn_ctx_destroy(one);
    brn_ctx_destroy(four);
}

/* ---- several runs --------------------------------------------------------------------------------------------------------------- */

static void test_compare(void **state)
{
    (void)state;
    static const char *const dirs[] = {DIR_LONG, "report_short", DIR_LONG};
    static const char *const names[] = {"</script><b>one", NULL, "three \xe2\x80\xa8"};
    static const brn_difference difference = {
        .same_mesh = true, .moments = 7, .max = 0.25, .max_body = "<b>"};
    static const brn_difference *const differences[] = {NULL, &difference, NULL};
    brn_ctx *ctx = test_ctx(2);
    record(ctx, "report_short", 6, 101, true);
    assert_done(ctx, brn_view_compare(ctx, dirs, names, differences, 3, "report_compare.html", 2.0));
    assert_true(file_size("report_compare.html") <= 2000000);
    char *html = slurp("report_compare.html");
    assert_int_equal(check_markup(html), 3);
    const int stride = check_frames(html, 0, 301);
    assert_true(stride > 2);
    /* equal runs keep equal times; a shorter one its share */
    assert_int_equal(check_frames(html, 2, 301), stride);
    assert_in_range(check_frames(html, 1, 101), stride / 3, stride / 3 + 1);
    packet run = {0};
    run = head_of(html, 0);
    assert_true(json_is(json_get(run.json, "name"), "\"</script><b>one\""));
    assert_true(json_is(json_get(run.json, "difference"), "null"));
    packet_close(&run);
    run = head_of(html, 1);
    assert_true(json_is(json_get(run.json, "name"), "\"report_short\""));
    const char *apart = json_get(run.json, "difference");
    assert_true(json_is(json_get(apart, "max"), "0.25"));
    assert_true(json_is(json_get(apart, "moments"), "7"));
    assert_true(json_is(json_get(apart, "max_body"), "\"<b>\""));
    packet_close(&run);
    run = head_of(html, 2);
    assert_true(json_is(json_get(run.json, "name"), "\"three \\u2028\""));
    packet_close(&run);
    free(html);
    /* names may be left out altogether; one run that is not there is told by its name */
    assert_done(ctx, brn_view_compare(ctx, dirs, NULL, NULL, 2, "report_compare.html", 25.0));
    assert_int_equal(brn_view_compare(ctx, dirs, NULL, NULL, 0, "report_compare.html", 25.0), BRN_ERR_RANGE);
    assert_int_equal(
        brn_view_compare(ctx, (const char *const[]){DIR_LONG, "nowhere"}, NULL, NULL, 2, "x.html", 25.0),
        BRN_ERR_FILE);
    assert_non_null(strstr(brn_ctx_message(ctx), "nowhere"));
    brn_ctx_destroy(ctx);
}

/* ---- runs write theirs ------------------------------------------------------------------------------------------------------------ */

static const char falling[] =
    "brunt: 1\ntitle: falls\ntime: {step: 1e-2, end: 0.1}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4, density: 1000}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1], element: hex8}}}\n"
    "bodies: [{name: a, type: deformable, mesh: m, material: a}]\noutput: {every: 1e-2}\n";

static bool stop_at_four(void *user, const brn_progress *progress)
{
    (void)user;
    return progress->step == 4;
}

static void keep_warning(void *user, brn_log_level level, const char *message)
{
    if (level == BRN_LOG_WARNING) {
        (void)snprintf(user, 1024, "%s", message);
    }
}

typedef struct run_case {
    const char *sets;
    bool resume, stop;
    double report_mb;
} run_case;

static brn_status run_falling(const run_case *c, char warning[1024], brn_summary *summary)
{
    brn_scene *scene = NULL;
    brn_ctx *ctx = NULL;
    brn_ctx_options made = brn_ctx_options_default();
    made.threads = 1;
    made.log = keep_warning;
    made.log_user = warning;
    warning[0] = '\0';
    assert_int_equal(brn_ctx_create(&made, &ctx), BRN_OK);
    brn_run_options options = brn_run_options_default();
    options.out = "report_run";
    options.resume = c->resume;
    options.overwrite = !c->resume;
    options.report_mb = c->report_mb;
    options.progress = c->stop ? stop_at_four : NULL;
    assert_done(ctx, flow_scene(ctx, falling, c->sets, &scene));
    const brn_status status = brn_run(ctx, scene, &options, summary);
    /* what the run says about itself is not what its report may have said */
    assert_true(status >= 0 ? strstr(brn_ctx_message(ctx), "report") == NULL
                            : strcmp(brn_ctx_message(ctx), summary->reason) == 0);
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
    return status;
}

static void check_report(int recorded, const char *status)
{
    brn_ctx *ctx = test_ctx(1);
    char quoted[32];
    char *html = slurp("report_run/report.html");
    packet run = {0};
    assert_int_equal(check_markup(html), 1);
    (void)check_frames(html, 0, recorded);
    run = head_of(html, 0);
    (void)snprintf(quoted, sizeof quoted, "\"%s\"", status);
    assert_true(json_is(json_get(json_get(run.json, "summary"), "status"), quoted));
    packet_close(&run);
    free(html);
    brn_ctx_destroy(ctx);
}

static void test_run_writes_report(void **state)
{
    (void)state;
    char warning[1024];
    brn_summary summary;
    flow_clear_folder("report_run");
    run_case c = {.report_mb = -1.0};
    assert_int_equal(run_falling(&c, warning, &summary), BRN_OK);
    assert_string_equal(warning, "");
    check_report(11, "done");
    /* none where none is wanted, and the old one is not taken for the new one's */
    c.report_mb = 0.0;
    assert_int_equal(run_falling(&c, warning, &summary), BRN_OK);
    assert_int_equal(file_size("report_run/report.html"), 0);
    c = (run_case){.sets = "output.report=0", .report_mb = -1.0};
    assert_int_equal(run_falling(&c, warning, &summary), BRN_OK);
    assert_int_equal(file_size("report_run/report.html"), 0);
    /* stopped, then gone on */
    c = (run_case){.stop = true, .report_mb = -1.0};
    assert_int_equal(run_falling(&c, warning, &summary), BRN_REMARK_STOPPED);
    check_report(5, "stopped");
    c = (run_case){.resume = true, .report_mb = 30.0};
    assert_int_equal(run_falling(&c, warning, &summary), BRN_OK);
    check_report(11, "done");
}

/* A step that fails ends the run with its own message, and with a report of what there is. */
static void test_failed_run_has_report(void **state)
{
    (void)state;
    char warning[1024];
    brn_summary summary;
    flow_clear_folder("report_run");
    /* an explicit step far beyond what is stable: numbers grow until they are none */
    const run_case c = {
        .sets = "integrator=symplectic_euler;bodies[0].velocity=[0,0,0];time.step=0.05;time.end=10;"
                "bodies[0].angular_velocity=[0,0,50];output.every=0.05",
        .report_mb = -1.0};
    const brn_status status = run_falling(&c, warning, &summary);
    assert_true(status < 0);
    assert_true(strlen(summary.reason) > 10);
    assert_true(file_size("report_run/report.html") > 0);
    assert_string_equal(warning, "");
}

/* A report that cannot be written is a warning, never a failure of the run. */
static void test_report_cannot_be_written(void **state)
{
    (void)state;
    char warning[1024];
    brn_summary summary;
    flow_clear_folder("report_run");
    assert_int_equal(system("mkdir -p report_run/report.html/x"), 0);
    run_case c = {.report_mb = -1.0};
    assert_int_equal(run_falling(&c, warning, &summary), BRN_OK);
    assert_non_null(strstr(warning, "report.html was not written: report_run/report.html"));
    check_clean("report_run");
    flow_clear_folder("report_run");
    c.sets = "output.report=0.5";
    assert_int_equal(run_falling(&c, warning, &summary), BRN_OK);
    assert_non_null(strstr(warning, "would do"));
}

/* A disk that is full: an error that names the file, nothing left behind, what was there stays. */
static int export_to_full_disk(void *arg)
{
    brn_ctx *ctx = arg;
    const brn_status status = export_page(ctx, DIR_LONG, "report_out/full.html", 1, 25.0);
    return status == BRN_ERR_FULL && strstr(brn_ctx_message(ctx), "report_out/full.html") != NULL &&
                   strstr(brn_ctx_message(ctx), "File too large") != NULL &&
                   access("report_out/full.html.tmp", F_OK) != 0 &&
                   access("report_out/full.html.frames.tmp", F_OK) != 0
               ? 0
               : 1;
}

static void test_full_disk(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    assert_done(ctx, brn_dir_make(ctx, "report_out"));
    static const size_t limits[] = {0, 5000, 500000, 900000};
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(with_full_disk(limits[i], export_to_full_disk, ctx), 0);
    }
    assert_int_equal(file_size("report_out/full.html"), 0);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_every),
        cmocka_unit_test(test_too_small),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_run_writes_report),
        cmocka_unit_test(test_failed_run_has_report),
        cmocka_unit_test(test_report_cannot_be_written),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
