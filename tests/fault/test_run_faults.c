/* A run whose folder gives trouble: a full disk in the middle, a folder that cannot be written, a file where the folder
   should be. The error is clear, what was computed stays readable, and with room again the run goes on to the result of
   an undisturbed one. */
#include "flow.h"
#include "unit/full_disk.h"
#include "unit/no_fsync.h"

#include "output/trajectory/trajectory.h"

#include <sys/stat.h>

static const char scene_text[] =
    "brunt: 1\ntime: {step: 2e-3, end: 0.06}\nintegrator: newmark\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4, density: 1000, damping: {beta: 1e-4}}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [3, 3, 3], element: hex8}}}\n"
    "bodies: [{name: a, type: deformable, mesh: m, material: a}]\n"
    "fixed: [{name: foot, body: a, where: {face: -z}}]\n"
    "output: {every: 2e-3, fields: [stress, velocity, force]}\n";

typedef struct attempt {
    const char *out;
    bool resume, overwrite;
    brn_status status;
    brn_summary summary;
    char message[512];
} attempt;

static void run_scene(attempt *a)
{
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = NULL;
    brn_run_options options = brn_run_options_default();
    options.out = a->out;
    options.resume = a->resume;
    options.overwrite = a->overwrite;
    options.checkpoint_every = 4;
    assert_done(ctx, flow_scene(ctx, scene_text, NULL, &scene));
    a->status = brn_run(ctx, scene, &options, &a->summary);
    (void)snprintf(a->message, sizeof a->message, "%s", brn_ctx_message(ctx));
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
}

/* In the child: 0 if the run ended with a clear error of files. */
static int run_into_full_disk(void *arg)
{
    attempt *a = arg;
    run_scene(a);
    if (a->status == BRN_OK) {
        return 1;
    }
    if (a->status != BRN_ERR_FULL) {
        print_error("%s: %s\n", brn_status_name(a->status), a->message);
        return 2;
    }
    /* which file, and why */
    if (strstr(a->message, a->out) == NULL || strstr(a->message, "File too large") == NULL) {
        print_error("not clear: %s\n", a->message);
        return 3;
    }
    return 0;
}

static long file_size(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

/* Every frame of the file can be read, and they are the first ones of the run. */
static int readable_frames(const char *path)
{
    brn_ctx *ctx = test_ctx(1);
    brn_playback *playback = NULL;
    const brn_status status = brn_playback_open(ctx, path, &playback);
    if (status < 0) { /* the disk was full before the first frame was whole */
        brn_ctx_destroy(ctx);
        return -1;
    }
    const brn_playback_info *info = brn_playback_get(playback);
    double *pos = malloc((size_t)info->nnode * 3 * sizeof *pos);
    assert_non_null(pos);
    for (int k = 0; k < info->nframe; ++k) {
        brn_frame frame = {.pos = pos};
        assert_done(ctx, brn_playback_read(playback, k, &frame));
        assert_int_equal(frame.step, k);
    }
    const int frames = info->nframe;
    free(pos);
    brn_playback_close(playback);
    brn_ctx_destroy(ctx);
    return frames;
}

static void test_full_disk(void **state)
{
    (void)state;
    flow_clear_folder("faults_whole");
    attempt whole = {.out = "faults_whole"};
    run_scene(&whole);
    assert_int_equal(whole.status, BRN_OK);
    assert_string_equal(whole.summary.status, "done");
    const long largest = file_size("faults_whole/trajectory.h5");
    const long series = file_size("faults_whole/series.csv");
    const long saved = file_size("faults_whole/checkpoint.h5");
    assert_true(largest > 0 && series > 0 && saved > 0);
    /* The limit is one for each file: it stops the series, the checkpoint or the trajectory, early and late. */
    const long limits[] = {0,           200,         series / 2,      series - 10,
                           saved - 100, largest / 3, 2 * largest / 3, largest - 100};
    int kept = 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        flow_clear_folder("faults_full");
        attempt full = {.out = "faults_full"};
        const int code = with_full_disk((size_t)limits[i], run_into_full_disk, &full);
        if (code != 0) {
            fail_msg("limit %ld: code %d", limits[i], code);
        }
        const int frames = readable_frames("faults_full/trajectory.h5");
        kept = frames > kept ? frames : kept;
        /* with room again */
        attempt again = {.out = "faults_full", .resume = true};
        run_scene(&again);
        if (again.status != BRN_OK) {
            fail_msg("limit %ld: resume: %s: %s", limits[i], brn_status_name(again.status), again.message);
        }
        assert_true(again.summary.state_hash == whole.summary.state_hash);
        assert_int_equal(again.summary.steps, whole.summary.steps);
        assert_int_equal(again.summary.iterations, whole.summary.iterations);
        assert_int_equal(readable_frames("faults_full/trajectory.h5"), 31);
        assert_true(file_size("faults_full/scene.yaml") == file_size("faults_whole/scene.yaml"));
    }
    assert_true(kept > 10 && kept < 31);
}

static void test_folder_is_a_file(void **state)
{
    (void)state;
    flow_clear_folder("faults_file");
    FILE *file = fopen("faults_file", "w");
    assert_non_null(file);
    assert_true(fputs("mine", file) >= 0 && fclose(file) == 0);
    static const char *const outs[] = {"faults_file", "faults_file/below", "", "/proc/brunt"};
    for (size_t i = 0; i < sizeof outs / sizeof *outs; ++i) {
        attempt a = {.out = outs[i], .overwrite = true};
        run_scene(&a);
        assert_int_equal(a.status, BRN_ERR_FILE);
        assert_non_null(strstr(a.message, i < 2 ? "faults_file" : outs[i]));
        assert_string_equal(a.summary.status, "stopped");
        assert_string_equal(a.summary.reason, a.message);
    }
    assert_int_equal(file_size("faults_file"), 4);
    flow_clear_folder("faults_file");
}

static int run_as_nobody(void *arg)
{
    attempt *a = arg;
    if (geteuid() == 0 && seteuid(65534) != 0) {
        return 77;
    }
    run_scene(a);
    return a->status != BRN_ERR_FILE || strstr(a->message, "faults_closed") == NULL;
}

static void test_read_only_folder(void **state)
{
    (void)state;
    flow_clear_folder("faults_closed");
    assert_int_equal(mkdir("faults_closed", 0555), 0);
    attempt a = {.out = "faults_closed"};
    const int code = with_full_disk((size_t)1 << 30, run_as_nobody, &a);
    if (code == 77) {
        skip();
    }
    assert_int_equal(code, 0);
    assert_int_equal(file_size("faults_closed/scene.yaml"), -1);
    assert_int_equal(chmod("faults_closed", 0755), 0);
}

/* A run that stops for want of convergence says so in its summary, keeps its frames and its checkpoint. */
static void test_failed_run_keeps_everything(void **state)
{
    (void)state;
    flow_clear_folder("faults_failed");
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = NULL;
    brn_run_options options = brn_run_options_default();
    options.out = "faults_failed";
    /* the lid goes through the floor at t = 0.02 */
    assert_done(
        ctx,
        flow_scene(ctx, scene_text,
                   "integrator=implicit_euler;fixed=[{body: a, where: {face: -z}}, {body: a, where: {face: "
                   "+z}, motion: {table: [[0, 0, 0, 0], [0.02, 0, 0, 0], [0.021, 0, 0, -0.3]]}}]",
                   &scene));
    brn_summary summary;
    assert_int_equal(brn_run(ctx, scene, &options, &summary), BRN_ERR_CONVERGENCE);
    assert_non_null(strstr(brn_ctx_message(ctx), "try a smaller time.step"));
    assert_string_equal(summary.status, "stopped");
    assert_int_equal(summary.steps, 10);
    assert_int_equal(readable_frames("faults_failed/trajectory.h5"), 11);
    assert_true(file_size("faults_failed/checkpoint.h5") > 0);
    assert_true(file_size("faults_failed/summary.json") > 0);
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
}

/* Whoever holds the folder keeps it: a run into it is refused with a name and changes nothing, resumed or not. */
static void test_folder_in_use(void **state)
{
    (void)state;
    flow_clear_folder("faults_used");
    attempt first = {.out = "faults_used"};
    run_scene(&first);
    assert_int_equal(first.status, BRN_OK);
    const long before[] = {file_size("faults_used/trajectory.h5"), file_size("faults_used/summary.json")};
    brn_ctx *ctx = test_ctx(1);
    brn_lock *lock = NULL;
    assert_done(ctx, brn_lock_take(ctx, "faults_used", &lock));
    for (int k = 0; k < 3; ++k) {
        attempt a = {.out = "faults_used", .resume = k == 1, .overwrite = k == 2};
        run_scene(&a);
        assert_int_equal(a.status, BRN_ERR_BUSY);
        assert_non_null(strstr(a.message, "faults_used: process "));
    }
    assert_int_equal(file_size("faults_used/trajectory.h5"), before[0]);
    assert_int_equal(file_size("faults_used/summary.json"), before[1]);
    brn_lock_release(lock);
    brn_ctx_destroy(ctx);
    attempt again = {.out = "faults_used", .overwrite = true};
    run_scene(&again);
    assert_int_equal(again.status, BRN_OK);
    flow_clear_folder("faults_used");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_disk),        cmocka_unit_test(test_folder_is_a_file),
        cmocka_unit_test(test_read_only_folder), cmocka_unit_test(test_failed_run_keeps_everything),
        cmocka_unit_test(test_folder_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
