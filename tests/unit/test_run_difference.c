/* Differences of made-up runs whose figures are known exactly: times and places are multiples of powers of two. */
#include "faulty.h"
#include "no_fsync.h"
#include "output_model.h"

#include "base/os.h"
#include "output/compare/common_times.h"
#include "output/figures/series.h"
#include "output/trajectory/trajectory.h"

#define DIR "run-difference-files"

enum { PATCH_NODES = 9, FRAMES_MAX = 64 };

/* A run of the model: frames at the given times, all nodes of the patch at rest + move(t) along x; probes likewise. */
typedef struct made_up {
    const char *dir;
    const double *time;
    int nframe;
    double (*move)(double t);
} made_up;

static double at_rest(double t)
{
    (void)t;
    return 0.0;
}

static double linear(double t)
{
    return 2.0 * t;
}

static double quadratic(double t)
{
    return t * t;
}

static void join(const char *dir, const char *name, char path[256])
{
    (void)snprintf(path, 256, "%s/%s", dir, name);
}

static void write_series(brn_ctx *ctx, const made_up *run)
{
    static const char *const columns[] = {"step", "time", "odd, name.x", "odd, name.y", "hold.dx", "gap"};
    char path[256];
    join(run->dir, "series.csv", path);
    brn_series *series = NULL;
    assert_done(ctx, brn_series_open(ctx, path, columns, 6, -1, &series));
    for (int f = 0; f < run->nframe; ++f) {
        const double x = run->move(run->time[f]);
        const double row[6] = {f, run->time[f], 7.0 + x, -3.0, 100.0 * f, NAN};
        assert_done(ctx, brn_series_add(series, row));
    }
    assert_done(ctx, brn_series_close(series));
}

/* Position of a node of a body at a frame, added to what `run` says. NULL: none. */
typedef void (*nudge_fn)(int body, int node, int frame, double pos[3]);

static void record(brn_ctx *ctx, const brn_model *model, const made_up *run, nudge_fn nudge)
{
    char path[256];
    assert_done(ctx, brn_dir_make(ctx, run->dir));
    join(run->dir, "trajectory.h5", path);
    brn_trajectory *trajectory = NULL;
    assert_done(ctx, brn_trajectory_open(ctx, path, model, -1, &trajectory));
    brn_state *state = test_state(ctx, model);
    for (int f = 0; f < run->nframe; ++f) {
        state->step = f;
        memcpy(state->node_pos, model->rest, (size_t)model->nnode * sizeof *model->rest);
        for (int b = 0; b < model->nbody; ++b) {
            for (int i = 0; i < model->body[b].node_count; ++i) {
                double *pos = state->node_pos + 3 * (size_t)(model->body[b].node_first + i);
                pos[0] += model->body[b].type == BRN_BODY_STATIC ? 0.0 : run->move(run->time[f]);
                if (nudge != NULL) {
                    nudge(b, i, f, pos);
                }
            }
        }
        assert_done(ctx, brn_trajectory_add(trajectory, state, run->time[f], state->node_vel, NULL, 0,
                                            state->node_pos));
    }
    brn_state_destroy(state);
    assert_done(ctx, brn_trajectory_close(trajectory));
    write_series(ctx, run);
}

static const double quarters[] = {0.0, 0.25, 0.5, 0.75, 1.0};
static const double halves[] = {0.0, 0.5, 1.0};

/* One node by (3, 4) / 1024 in frame 2, three nodes by 1/64 at the end, and the floor by a lot. */
static void nudge_some(int body, int node, int frame, double pos[3])
{
    if (body == 0 && node == 5 && frame == 2) {
        pos[0] += 48.0 / 1024.0;
        pos[1] -= 64.0 / 1024.0;
    }
    if (body == 0 && node < 3 && frame == 4) {
        pos[1] += 1.0 / 64.0;
    }
    pos[1] += body == 1 ? 10.0 : 0.0;
}

static void test_positions(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_2d(ctx);
    record(ctx, model, &(made_up){DIR "/a", quarters, 5, linear}, NULL);
    record(ctx, model, &(made_up){DIR "/b", quarters, 5, linear}, nudge_some);
    brn_difference d;
    assert_done(ctx, brn_compare_runs(ctx, DIR "/a", DIR "/a", &d));
    assert_true(d.same_mesh);
    assert_int_equal(d.nodes, PATCH_NODES);
    assert_int_equal(d.moments, 5);
    assert_int_equal(d.interpolated, 0);
    assert_true(d.max == 0.0 && d.rms == 0.0 && d.end_max == 0.0 && d.end_rms == 0.0 && isnan(d.max_time));
    assert_true(d.time_end == 1.0);
    assert_int_equal(d.probes, 1);
    assert_true(d.probe_max == 0.0);

    /* Both ways round: a distance has no direction. */
    for (int turn = 0; turn < 2; ++turn) {
        assert_done(
            ctx, brn_compare_runs(ctx, turn == 0 ? DIR "/a" : DIR "/b", turn == 0 ? DIR "/b" : DIR "/a", &d));
        assert_true(d.max == 80.0 / 1024.0 && d.max_time == 0.5);
        assert_string_equal(d.max_body, "patch");
        const double sum = 80.0 * 80.0 / 1048576.0 + 3.0 / 4096.0;
        assert_near(d.rms, sqrt(sum / (5.0 * PATCH_NODES)), 1e-17); /* one rounding of 0.014 */
        assert_true(d.end_max == 1.0 / 64.0);
        assert_near(d.end_rms, sqrt(3.0 / 4096.0 / PATCH_NODES), 1e-17);
    }
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

static void test_other_frame_times(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_2d(ctx);
    brn_difference d;
    /* Every second frame: nothing to interpolate, whichever comes first. */
    record(ctx, model, &(made_up){DIR "/fine", quarters, 5, quadratic}, NULL);
    record(ctx, model, &(made_up){DIR "/coarse", halves, 3, quadratic}, NULL);
    for (int turn = 0; turn < 2; ++turn) {
        assert_done(ctx, brn_compare_runs(ctx, turn == 0 ? DIR "/fine" : DIR "/coarse",
                                          turn == 0 ? DIR "/coarse" : DIR "/fine", &d));
        assert_int_equal(d.moments, 3);
        assert_int_equal(d.interpolated, 0);
        assert_true(d.max == 0.0 && d.rms == 0.0 && d.probe_max == 0.0);
    }
    /* Times that only rounding tells apart are the same. */
    const double rounded[] = {0.0, 0.5 * (1.0 + 1e-15), 1.0 - 1e-15};
    record(ctx, model, &(made_up){DIR "/rounded", rounded, 3, at_rest}, NULL);
    record(ctx, model, &(made_up){DIR "/still", quarters, 5, at_rest}, NULL);
    assert_done(ctx, brn_compare_runs(ctx, DIR "/rounded", DIR "/still", &d));
    assert_int_equal(d.moments, 3);
    assert_int_equal(d.interpolated, 0);

    /* Between frames: exact for linear motion; of t^2 between a and b it is (t - a)(b - t) too large. */
    const double between[] = {0.0, 0.375, 1.0};
    record(ctx, model, &(made_up){DIR "/between", between, 3, quadratic}, NULL);
    assert_done(ctx, brn_compare_runs(ctx, DIR "/between", DIR "/fine", &d));
    assert_int_equal(d.moments, 3);
    assert_int_equal(d.interpolated, 1);
    assert_true(d.max == 0.125 * 0.125 && d.max_time == 0.375 && d.end_max == 0.0);
    assert_true(d.probe_max == 0.125 * 0.125 && d.probe_max_time == 0.375);
    assert_string_equal(d.probe_max_name, "odd, name");
    record(ctx, model, &(made_up){DIR "/line1", between, 3, linear}, NULL);
    record(ctx, model, &(made_up){DIR "/line2", quarters, 5, linear}, NULL);
    assert_done(ctx, brn_compare_runs(ctx, DIR "/line1", DIR "/line2", &d));
    assert_int_equal(d.interpolated, 1);
    assert_true(d.max == 0.0 && d.probe_max == 0.0);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

static void test_other_ends(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_2d(ctx);
    brn_difference d;
    /* The longer run has fewer frames; the end of the shorter one, 0.75, is between two of them. */
    record(ctx, model, &(made_up){DIR "/long", halves, 3, quadratic}, NULL);
    record(ctx, model, &(made_up){DIR "/short", quarters, 4, quadratic}, NULL);
    assert_done(ctx, brn_compare_runs(ctx, DIR "/long", DIR "/short", &d));
    assert_int_equal(d.moments, 3); /* 0, 0.5 and 0.75 */
    assert_int_equal(d.interpolated, 1);
    assert_true(d.time_end == 0.75 && d.end_max == 0.25 * 0.25 && d.max == d.end_max);
    /* One frame, and none at all. */
    record(ctx, model, &(made_up){DIR "/one", halves, 1, quadratic}, NULL);
    assert_done(ctx, brn_compare_runs(ctx, DIR "/long", DIR "/one", &d));
    assert_int_equal(d.moments, 1);
    assert_true(d.time_end == 0.0 && d.max == 0.0);
    record(ctx, model, &(made_up){DIR "/empty", halves, 0, quadratic}, NULL);
    assert_done(ctx, brn_compare_runs(ctx, DIR "/empty", DIR "/one", &d));
    assert_true(d.same_mesh && d.moments == 0 && isnan(d.max) && isnan(d.end_rms) && isnan(d.time_end));
    /* Ranges that do not meet. */
    const double later[] = {2.0, 3.0};
    record(ctx, model, &(made_up){DIR "/later", later, 2, quadratic}, NULL);
    assert_done(ctx, brn_compare_runs(ctx, DIR "/long", DIR "/later", &d));
    assert_true(d.moments == 0 && isnan(d.max) && isnan(d.probe_max));
    /* Times that go back are no recording. */
    const double back[] = {0.0, 0.5, 0.25};
    record(ctx, model, &(made_up){DIR "/back", back, 3, quadratic}, NULL);
    assert_int_equal(brn_compare_runs(ctx, DIR "/long", DIR "/back", &d), BRN_ERR_FORMAT);
    assert_non_null(strstr(brn_ctx_message(ctx), "back/trajectory.h5: time 2 is 0.25"));
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* The patch's first three nodes in another order: as many nodes, another mesh. */
static void swap_nodes(brn_model *model, bool boundary_too)
{
    double kept[3];
    memcpy(kept, model->rest[0], sizeof kept);
    memcpy(model->rest[0], model->rest[2], sizeof kept);
    memcpy(model->rest[2], kept, sizeof kept);
    brn_boundary *boundary = model->body[0].boundary;
    for (int e = 0; boundary_too && e < boundary->nedge; ++e) {
        for (int i = 0; i < 2; ++i) {
            int *node = &boundary->edge[e][i];
            *node = *node == 0 ? 2 : *node == 2 ? 0 : *node;
        }
    }
}

static void test_meshes(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_2d(ctx), *block = test_model_3d(ctx, 1), *fine = test_model_3d(ctx, 2);
    brn_difference d;
    const made_up in_2d = {DIR "/a", quarters, 5, linear};
    record(ctx, model, &in_2d, NULL);
    record(ctx, block, &(made_up){DIR "/block", quarters, 5, quadratic}, NULL);
    record(ctx, fine, &(made_up){DIR "/fine", quarters, 5, linear}, NULL);
    /* Other numbers of nodes: only the probe is left, |2t - t^2| is largest at the end. */
    assert_done(ctx, brn_compare_runs(ctx, DIR "/block", DIR "/fine", &d));
    assert_true(!d.same_mesh && d.nodes == 0 && isnan(d.max) && isnan(d.end_max));
    assert_true(d.probes == 1 && d.probe_max == 1.0 && d.probe_max_time == 1.0);
    assert_done(ctx, brn_compare_runs(ctx, DIR "/a", DIR "/block", &d));
    assert_false(d.same_mesh);
    /* Moved, or scaled: the boundary tells that it is the same mesh. */
    for (int i = 0; i < model->nnode; ++i) {
        model->rest[i][0] = 2.0 * model->rest[i][0] + 1.0;
    }
    record(ctx, model, &(made_up){DIR "/b", quarters, 5, linear}, NULL);
    assert_done(ctx, brn_compare_runs(ctx, DIR "/a", DIR "/b", &d));
    assert_true(d.same_mesh && d.max == 2.0 && d.probe_max == 0.0);
    /* Another boundary on the same nodes is the same points. On other nodes it is another mesh. */
    for (int i = 0; i < model->nnode; ++i) {
        model->rest[i][0] = 0.5 * (model->rest[i][0] - 1.0);
    }
    brn_boundary *boundary = model->body[0].boundary;
    const int kept = boundary->nedge;
    boundary->nedge = kept - 1;
    record(ctx, model, &(made_up){DIR "/b", quarters, 5, linear}, NULL);
    assert_done(ctx, brn_compare_runs(ctx, DIR "/a", DIR "/b", &d));
    assert_true(d.same_mesh && d.max == 0.0);
    boundary->nedge = kept;
    swap_nodes(model, true);
    record(ctx, model, &(made_up){DIR "/b", quarters, 5, linear}, NULL);
    assert_done(ctx, brn_compare_runs(ctx, DIR "/a", DIR "/b", &d));
    assert_false(d.same_mesh);
    swap_nodes(model, true);
    /* Another name is another body. */
    model->body[0].name[0] = 'P';
    record(ctx, model, &(made_up){DIR "/b", quarters, 5, linear}, NULL);
    assert_done(ctx, brn_compare_runs(ctx, DIR "/a", DIR "/b", &d));
    assert_false(d.same_mesh);
    test_model_free(fine);
    test_model_free(block);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* The first two bodies of the 3D model have as many nodes each: exchanging their names is another order of bodies. */
static void nudge_bar(int body, int node, int frame, double pos[3])
{
    (void)node;
    pos[2] += body == 0 && frame == 3 ? 0.25 : 0.0;
    /* this run's "tets" lie where the other's do */
    const double shift[3] = {2.0, 0.5, 0.25};
    for (int k = 0; k < 3 && body < 2; ++k) {
        pos[k] += body == 0 ? shift[k] : -shift[k];
    }
}

static void test_bodies_by_name(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_3d(ctx, 1);
    brn_difference d;
    record(ctx, model, &(made_up){DIR "/a", quarters, 5, linear}, NULL);
    char *name = model->body[0].name;
    model->body[0].name = model->body[1].name;
    model->body[1].name = name;
    /* The same boundary, so that they match. */
    brn_boundary *a = model->body[0].boundary, *b = model->body[1].boundary;
    assert_int_equal(a->ntri, b->ntri);
    for (int t = 0; t < a->ntri; ++t) {
        for (int i = 0; i < 3; ++i) {
            const int node = a->tri[t][i];
            a->tri[t][i] = b->tri[t][i] - 8;
            b->tri[t][i] = node + 8;
        }
    }
    record(ctx, model, &(made_up){DIR "/b", quarters, 5, linear}, nudge_bar);
    assert_done(ctx, brn_compare_runs(ctx, DIR "/a", DIR "/b", &d));
    assert_true(d.same_mesh);
    assert_int_equal(d.nodes, 16);
    assert_true(d.max == 0.25 && d.max_time == 0.75 && d.end_max == 0.0);
    assert_string_equal(d.max_body, "a \"bar\", odd");
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

static void test_what_is_missing(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_2d(ctx);
    brn_difference d;
    record(ctx, model, &(made_up){DIR "/a", quarters, 5, linear}, NULL);
    record(ctx, model, &(made_up){DIR "/b", quarters, 5, linear}, NULL);
    assert_true(brn_compare_runs(ctx, DIR "/a", DIR "/nowhere", &d) < 0);
    assert_non_null(strstr(brn_ctx_message(ctx), "nowhere"));
    assert_done(ctx, brn_file_write(ctx, DIR "/b/series.csv", "step,gap\n0,1\n", 13));
    assert_int_equal(brn_compare_runs(ctx, DIR "/a", DIR "/b", &d), BRN_ERR_FORMAT);
    assert_non_null(strstr(brn_ctx_message(ctx), "b/series.csv: no column 'time'"));
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* Positions that are no numbers do not pass for small ones. */
static void nudge_to_nan(int body, int node, int frame, double pos[3])
{
    pos[0] += body == 0 && node == 4 && frame == 1 ? NAN : 0.0;
    pos[1] += body == 0 && frame == 3 ? 1.0 : 0.0;
}

static void test_not_a_number(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_2d(ctx);
    brn_difference d;
    record(ctx, model, &(made_up){DIR "/a", quarters, 5, linear}, NULL);
    record(ctx, model, &(made_up){DIR "/b", quarters, 5, linear}, nudge_to_nan);
    assert_done(ctx, brn_compare_runs(ctx, DIR "/a", DIR "/b", &d));
    assert_true(isnan(d.max) && isnan(d.rms) && d.max_time == 0.25 && d.end_max == 0.0);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

static brn_status compare_once(brn_ctx *ctx, void *arg)
{
    (void)arg;
    brn_difference d;
    return brn_compare_runs(ctx, DIR "/a", DIR "/b", &d);
}

static void test_each_allocation_may_fail(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_2d(ctx);
    const double between[] = {0.0, 0.375, 1.0};
    record(ctx, model, &(made_up){DIR "/a", quarters, 5, linear}, NULL);
    record(ctx, model, &(made_up){DIR "/b", between, 3, linear}, NULL);
    test_model_free(model);
    brn_ctx_destroy(ctx);
    assert_true(faulty_run(compare_once, NULL, 0) >= 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions),      cmocka_unit_test(test_other_frame_times),
        cmocka_unit_test(test_other_ends),     cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_bodies_by_name), cmocka_unit_test(test_what_is_missing),
        cmocka_unit_test(test_not_a_number),   cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
