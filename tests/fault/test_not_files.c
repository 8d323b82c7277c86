/* Files that are not files: a folder, a pipe, a socket, a device and a file that is larger than any memory in the place of
   everything that brunt reads. Each is refused at once, with its name. */
#define _GNU_SOURCE /* truncate */
#include "flow.h"
#include "unit/no_fsync.h"

#include "base/os.h"
#include "output/trajectory/trajectory.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const char scene_text[] =
    "brunt: 1\ntime: {step: 1e-2, end: 0.04}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4, density: 1000}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}}\n"
    "bodies: [{name: a, type: deformable, mesh: m, material: a}]\n";

enum { FOLDER, PIPE, SOCKET, ZERO, RANDOM, HUGE_FILE, KINDS };
static const char *const said[KINDS] = {"is a folder", "is a pipe",   "is a socket",
                                        "is a device", "is a device", NULL};

/* Puts something that is not a file at `path`. */
static void put(int kind, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = -1;
    flow_clear_folder(path);
    switch (kind) {
    case FOLDER:
        assert_int_equal(mkdir(path, 0755), 0);
        break;
    case PIPE:
        assert_int_equal(mkfifo(path, 0600), 0);
        break;
    case SOCKET:
        (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
        fd = socket(AF_UNIX, SOCK_STREAM, 0);
        assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
        (void)close(fd);
        break;
    case HUGE_FILE:
        fd = creat(path, 0600);
        assert_true(fd >= 0 && close(fd) == 0);
        assert_int_equal(truncate(path, (off_t)1 << 42), 0); /* no bytes on the disk */
        break;
    default:
        assert_int_equal(symlink(kind == ZERO ? "/dev/zero" : "/dev/random", path), 0);
    }
}

/* Clear: what it is, and where. A file that is too large is told by its size. */
static void assert_refused(brn_ctx *ctx, int kind, const char *path, brn_status status)
{
    const char *message = brn_ctx_message(ctx);
    if (kind == HUGE_FILE) {
        assert_true(status == BRN_ERR_MEMORY || status == BRN_ERR_LIMIT);
        assert_true(strstr(message, "memory") != NULL || strstr(message, "limit") != NULL);
    } else {
        assert_true(status == BRN_ERR_FILE || status == BRN_ERR_SCENE);
        assert_non_null(strstr(message, said[kind]));
    }
    assert_non_null(strstr(message, path));
    (void)alarm(20); /* a read without end ends the test */
}

static void test_scene_and_meshes(void **state)
{
    (void)state;
    static const char *const meshes[] = {"not_file.msh", "not_file.inp",  "not_file.obj", "not_file.stl",
                                         "not_file.vtk", "not_file.node", "not_file.ele"};
    brn_ctx *ctx = test_ctx(1);
    for (int kind = 0; kind < KINDS; ++kind) {
        brn_scene *scene = NULL;
        put(kind, "not_file.yaml");
        const brn_status status = brn_scene_load(ctx, "not_file.yaml", &scene);
        assert_refused(ctx, kind, "not_file.yaml", status);
        assert_null(scene);
        flow_clear_folder("not_file.yaml");
        for (size_t i = 0; i < sizeof meshes / sizeof *meshes; ++i) {
            if (i == 6) { /* its first half is a file */
                FILE *half = fopen("not_file.node", "wb");
                assert_non_null(half);
                assert_true(fputs("0 3 0 0\n", half) >= 0 && fclose(half) == 0);
            }
            char set[64];
            brn_model *model = NULL;
            put(kind, meshes[i]);
            (void)snprintf(set, sizeof set, "meshes.m={file: %s}", meshes[i]);
            assert_done(ctx, flow_scene(ctx, scene_text, set, &scene));
            const brn_status compiled = brn_model_compile(ctx, scene, &model);
            assert_true(compiled < 0);
            const char *problem =
                brn_scene_problem_count(scene) > 0 ? brn_scene_problem(scene, 0) : brn_ctx_message(ctx);
            assert_non_null(strstr(problem, meshes[i]));
            if (said[kind] != NULL) {
                assert_non_null(strstr(problem, said[kind]));
            }
            brn_scene_destroy(scene);
            flow_clear_folder(meshes[i]);
            flow_clear_folder("not_file.node");
        }
    }
    brn_ctx_destroy(ctx);
}

static void run_into(const char *out, bool resume, brn_status *status, char message[512])
{
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = NULL;
    brn_summary summary;
    brn_run_options options = brn_run_options_default();
    options.out = out;
    options.resume = resume;
    options.overwrite = !resume;
    options.progress = NULL;
    assert_done(ctx, flow_scene(ctx, scene_text, resume ? "time.end=0.08" : NULL, &scene));
    *status = brn_run(ctx, scene, &options, &summary);
    (void)snprintf(message, 512, "%s", brn_ctx_message(ctx));
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
}

/* Every file of a run folder that is read when the run goes on or is shown. */
static void test_run_folder(void **state)
{
    (void)state;
    static const char *const files[] = {"not_run/checkpoint.h5", "not_run/series.csv",
                                        "not_run/trajectory.h5"};
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int i = 0; i < 3; ++i) {
            if (kind == HUGE_FILE && i > 0) {
                continue; /* these are read piece by piece */
            }
            brn_status status = BRN_OK;
            char message[512];
            flow_clear_folder("not_run");
            run_into("not_run", false, &status, message);
            assert_int_equal(status, BRN_OK);
            put(kind, files[i]);
            run_into("not_run", true, &status, message);
            assert_true(status == BRN_ERR_FILE || status == BRN_ERR_MEMORY || status == BRN_ERR_LIMIT);
            assert_non_null(strstr(message, files[i]));
            if (said[kind] != NULL) {
                assert_non_null(strstr(message, said[kind]));
            }
            brn_ctx *ctx = test_ctx(1);
            brn_view *view = NULL;
            if (i == 2) {
                assert_refused(ctx, kind, files[i], brn_view_open(ctx, "not_run", &view));
            } else if (i == 1) {
                (void)brn_view_open(ctx, "not_run", &view); /* shown without its plots, or refused: it ends */
                brn_view_close(view);
            }
            brn_ctx_destroy(ctx);
        }
    }
    flow_clear_folder("not_run");
}

static void test_checkpoint(void **state)
{
    (void)state;
    flow f = flow_open(1, scene_text, NULL);
    for (int kind = 0; kind < KINDS; ++kind) {
        put(kind, "not_checkpoint.h5");
        assert_refused(f.ctx, kind, "not_checkpoint.h5", brn_sim_load(f.sim, "not_checkpoint.h5"));
        flow_clear_folder("not_checkpoint.h5");
    }
    flow_close(&f);
}

int main(void)
{
    (void)alarm(20);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scene_and_meshes),
        cmocka_unit_test(test_run_folder),
        cmocka_unit_test(test_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
