#define _GNU_SOURCE
#include "faulty.h"
#include "full_disk.h"
#include "no_fsync.h"
#include "output_model.h"

#include "base/os.h"
#include "base/rng.h"
#include "linalg/dense.h"
#include "output/trajectory/fields.h"
#include "output/trajectory/recovery.h"
#include "output/trajectory/trajectory.h"
#include "state/hdf5_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>

#define DIR "trajectory-files"

static int cell_total(const brn_playback_info *info)
{
    int total = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        total += info->ncell[kind];
    }
    return total;
}

/* With every field there is. */
static brn_model *full_model(brn_ctx *ctx, int n)
{
    brn_model *model = test_model_3d(ctx, n);
    model->fields[BRN_FIELD_CONTACT] = true;
    return model;
}

/* The frame that belongs to this number. */
static brn_status add_frame(brn_trajectory *trajectory, const brn_model *model, brn_state *state, int f)
{
    brn_contact_point point[TEST_POINTS];
    test_pose(model, state, 10 * f);
    const int npoint = test_points(model, f, point);
    return brn_trajectory_add(trajectory, state, 0.1 * f, state->node_vel, point, npoint, state->node_pos);
}

static bool same_contacts(brn_playback *playback, const brn_model *model, int f)
{
    brn_contact_point want[TEST_POINTS];
    const int n = test_points(model, f, want);
    const brn_contact_point *got = NULL;
    int count = -1;
    return brn_playback_contacts(playback, f, &got, &count) >= 0 && count == n &&
           (n == 0 || memcmp(got, want, (size_t)n * sizeof *want) == 0);
}

static void add_frames(brn_ctx *ctx, const brn_model *model, brn_trajectory *trajectory, int from, int to)
{
    brn_state *state = test_state(ctx, model);
    for (int f = from; f < to; ++f) {
        assert_done(ctx, add_frame(trajectory, model, state, f));
    }
    brn_state_destroy(state);
}

static void record(brn_ctx *ctx, const brn_model *model, const char *path, int nframe)
{
    brn_trajectory *trajectory = NULL;
    assert_done(ctx, brn_dir_make(ctx, DIR));
    assert_done(ctx, brn_trajectory_open(ctx, path, model, -1, &trajectory));
    add_frames(ctx, model, trajectory, 0, nframe);
    assert_int_equal(brn_trajectory_frames(trajectory), nframe);
    assert_done(ctx, brn_trajectory_close(trajectory));
}

/* Every frame holds what test_pose makes; 0 if so, else a number that says what is wrong. */
static int check_frames(brn_ctx *ctx, const brn_model *model, const char *path, int at_least, int at_most)
{
    brn_playback *playback = NULL;
    if (brn_playback_open(ctx, path, &playback) < 0) {
        print_error("%s\n", brn_ctx_message(ctx));
        return 1;
    }
    const brn_playback_info *info = brn_playback_get(playback);
    const size_t n = 3 * (size_t)model->nnode;
    double *buffer = malloc(9 * n * sizeof *buffer);
    double *stress = malloc(6 * (size_t)cell_total(info) * sizeof *stress);
    double *want = malloc(6 * (size_t)cell_total(info) * sizeof *want);
    brn_state *state = test_state(ctx, model);
    int wrong = info->nframe < at_least || info->nframe > at_most ? 2 : 0;
    for (int f = 0; f < info->nframe && wrong == 0; ++f) {
        brn_frame frame = {.pos = buffer, .vel = buffer + n, .force = buffer + 2 * n, .cell_stress = stress};
        frame.pressure = info->has_pressure ? buffer + 3 * n : NULL;
        test_pose(model, state, 10 * f);
        if (brn_playback_read(playback, f, &frame) < 0 || frame.time != 0.1 * f || frame.step != 10 * f) {
            print_error("%s\n", brn_ctx_message(ctx));
            wrong = 3;
            break;
        }
        (void)brn_field_cell_stress(ctx, model, state->node_pos, want);
        for (int i = 0; i < 6 * cell_total(info); ++i) {
            want[i] = (double)(float)want[i];
        }
        bool pressed = info->has_pressure == info->has_contact;
        for (int i = 0; frame.pressure != NULL && i < model->nnode; ++i) {
            pressed = pressed && frame.pressure[i] == (double)(float)state->node_pos[i];
        }
        wrong = !pressed                                                   ? 9
                : info->has_contact && !same_contacts(playback, model, f)  ? 8
                : memcmp(frame.pos, state->node_pos, n * 8) != 0           ? 4
                : memcmp(frame.vel, state->node_vel, n * 8) != 0           ? 5
                : memcmp(frame.force, state->node_vel, n * 8) != 0         ? 6
                : memcmp(stress, want, 48 * (size_t)cell_total(info)) != 0 ? 7
                                                                           : 0;
    }
    brn_state_destroy(state);
    free(want);
    free(stress);
    free(buffer);
    brn_playback_close(playback);
    return wrong;
}

static void test_what_is_recorded_reads_back(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(2);
    brn_model *model = full_model(ctx, 3);
    record(ctx, model, DIR "/a.h5", 5);
    assert_int_equal(check_frames(ctx, model, DIR "/a.h5", 5, 5), 0);
    brn_playback *playback = NULL;
    assert_done(ctx, brn_playback_open(ctx, DIR "/a.h5", &playback));
    const brn_playback_info *info = brn_playback_get(playback);
    assert_int_equal(info->dim, 3);
    assert_int_equal(info->nbody, 3);
    assert_int_equal(info->nnode, model->nnode);
    assert_string_equal(info->body_name[1], "a \"bar\", odd");
    assert_string_equal(info->body_name[2], "floor <&>");
    assert_int_equal(info->body_type[2], BRN_BODY_STATIC);
    assert_int_equal(info->body_first[1], 64);
    assert_int_equal(info->body_nnode[1], 64);
    assert_memory_equal(info->rest, model->rest, (size_t)model->nnode * sizeof *model->rest);
    assert_int_equal(info->ncell[BRN_TET4], 162);
    assert_int_equal(info->ncell[BRN_HEX8], 27);
    assert_memory_equal(info->cell[BRN_TET4], model->group[0]->conn, 162 * 4 * sizeof(int));
    assert_memory_equal(info->cell[BRN_HEX8], model->group[1]->conn, 27 * 8 * sizeof(int));
    assert_int_equal(info->cell_body[BRN_HEX8][26], 1);
    assert_near(info->cell_volume[BRN_HEX8][0], 1.0 / 27.0, 1e-15);
    /* 6 faces of 9 squares of 2 triangles each, twice, and the floor. */
    assert_int_equal(info->ntri, 108 + 108 + 2);
    assert_int_equal(info->tri_body[107], 0);
    assert_int_equal(info->tri_body[108], 1);
    assert_int_equal(info->tri_body[217], 2);
    assert_int_equal(info->nedge, 0);
    brn_frame frame = {0};
    assert_int_equal(brn_playback_read(playback, -1, &frame), BRN_ERR_RANGE);
    assert_int_equal(brn_playback_read(playback, 5, &frame), BRN_ERR_RANGE);
    assert_done(ctx, brn_playback_read(playback, 4, &frame));
    const brn_contact_point *point = NULL;
    int npoint = 0;
    assert_true(info->has_contact);
    assert_int_equal(brn_playback_contacts(playback, -1, &point, &npoint), BRN_ERR_RANGE);
    assert_int_equal(brn_playback_contacts(playback, 5, &point, &npoint), BRN_ERR_RANGE);
    assert_done(ctx, brn_playback_contacts(playback, 3, &point, &npoint));
    assert_int_equal(npoint, TEST_POINTS);
    brn_playback_close(playback);
    brn_playback_close(NULL);
    assert_done(ctx, brn_trajectory_close(NULL));
    char *xml = NULL;
    size_t length = 0;
    assert_done(ctx, brn_file_read(ctx, DIR "/a.xmf", 1 << 20, &xml, &length));
    assert_non_null(strstr(xml, "<Time Value=\"0.4\"/>"));
    assert_null(strstr(xml, "<Time Value=\"0.5\"/>"));
    /* At the surface the values at nodes are the ones to look at; both are there, each from its own dataset. */
    const char *node = strstr(xml, "<Attribute Name=\"stress_zz\" Center=\"Node\"");
    const char *cell = strstr(xml, "<Attribute Name=\"stress_zz\" Center=\"Cell\"");
    assert_true(node != NULL && cell != NULL);
    assert_memory_equal(strchr(strstr(node, "a.h5:"), ':'), ":/frames/node_stress", 20);
    assert_memory_equal(strchr(strstr(cell, "a.h5:"), ':'), ":/frames/cell_stress", 20);
    const char *pressure = strstr(xml, "<Attribute Name=\"pressure\" Center=\"Node\"");
    assert_non_null(pressure);
    assert_memory_equal(strchr(strstr(pressure, "a.h5:"), ':'), ":/frames/pressure<", 18);
    brn_free(ctx, xml);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* The writer holds a lock, a second one is refused, a reader is not; a journal of another file is not believed. */
static void test_writer_is_alone(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_3d(ctx, 1);
    brn_trajectory *first = NULL;
    brn_trajectory *second = NULL;
    assert_done(ctx, brn_dir_make(ctx, DIR));
    assert_done(ctx, brn_file_write(ctx, DIR "/alone.h5.journal", "old", 3));
    assert_done(ctx, brn_trajectory_open(ctx, DIR "/alone.h5", model, -1, &first));
    add_frames(ctx, model, first, 0, 2);
    const int fd = open(DIR "/alone.h5", O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), -1);
    assert_true(brn_trajectory_open(ctx, DIR "/alone.h5", model, 1, &second) < 0);
    assert_int_equal(check_frames(ctx, model, DIR "/alone.h5", 2, 2), 0);
    assert_done(ctx, brn_trajectory_close(first));
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(close(fd), 0);
    assert_false(brn_file_exists(DIR "/alone.h5.journal"));
    assert_int_equal(check_frames(ctx, model, DIR "/alone.h5", 2, 2), 0);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* Without optional fields, in 2D, and with nothing at all in it. */
static void test_fields_are_optional(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_2d(ctx);
    memset(model->fields, 0, sizeof model->fields);
    brn_trajectory *trajectory = NULL;
    brn_state *state = test_state(ctx, model);
    assert_done(ctx, brn_dir_make(ctx, DIR));
    assert_done(ctx, brn_trajectory_open(ctx, DIR "/bare.h5", model, -1, &trajectory));
    test_pose(model, state, 1);
    assert_done(ctx, brn_trajectory_add(trajectory, state, 0.5, NULL, NULL, 0, state->node_pos));
    assert_done(ctx, brn_trajectory_close(trajectory));
    brn_playback *playback = NULL;
    assert_done(ctx, brn_playback_open(ctx, DIR "/bare.h5", &playback));
    const brn_playback_info *info = brn_playback_get(playback);
    assert_false(info->has_velocity || info->has_stress || info->has_force);
    assert_int_equal(info->ncell[BRN_TRI6], 2);
    assert_int_equal(info->ntri, 8); /* tri6 in four parts */
    double area = 0.0;
    for (int t = 0; t < 8; ++t) {
        const double *a = info->rest[info->tri[t][0]];
        const double *b = info->rest[info->tri[t][1]];
        const double *c = info->rest[info->tri[t][2]];
        area += 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
    }
    assert_near(area, 1.0, 1e-15);
    assert_int_equal(info->edge_body[info->nedge - 1], 1);
    double pos[33];
    brn_frame frame = {.pos = pos};
    assert_done(ctx, brn_playback_read(playback, 0, &frame));
    assert_memory_equal(pos, state->node_pos, sizeof pos);
    frame.vel = pos;
    assert_int_equal(brn_playback_read(playback, 0, &frame), BRN_ERR_MISSING);
    assert_non_null(strstr(brn_ctx_message(ctx), "velocity"));
    const brn_contact_point *point = NULL;
    int npoint = 0;
    assert_false(info->has_contact);
    assert_int_equal(brn_playback_contacts(playback, 0, &point, &npoint), BRN_ERR_MISSING);
    assert_non_null(strstr(brn_ctx_message(ctx), "contact"));
    brn_playback_close(playback);
    /* Forces asked for must be given. */
    model->fields[BRN_FIELD_FORCE] = true;
    assert_done(ctx, brn_trajectory_open(ctx, DIR "/bare.h5", model, -1, &trajectory));
    assert_int_equal(brn_trajectory_add(trajectory, state, 0.5, NULL, NULL, 0, state->node_pos),
                     BRN_ERR_RANGE);
    assert_done(ctx, brn_trajectory_add(trajectory, state, 0.5, state->node_pos, NULL, 0, state->node_pos));
    assert_done(ctx, brn_trajectory_close(trajectory));
    brn_state_destroy(state);
    test_model_free(model);

    model = test_model_start(ctx, 3, 0, 0);
    state = test_state(ctx, model);
    assert_done(ctx, brn_trajectory_open(ctx, DIR "/void.h5", model, -1, &trajectory));
    assert_done(ctx, brn_trajectory_add(trajectory, state, 0.0, state->node_pos, NULL, 0, state->node_pos));
    assert_done(ctx, brn_trajectory_add(trajectory, state, 1.0, state->node_pos, NULL, 0, state->node_pos));
    assert_done(ctx, brn_trajectory_close(trajectory));
    assert_done(ctx, brn_playback_open(ctx, DIR "/void.h5", &playback));
    assert_int_equal(brn_playback_get(playback)->nframe, 2);
    assert_done(ctx, brn_playback_read(playback, 1, &(brn_frame){.pos = pos, .node_stress = pos}));
    brn_playback_close(playback);
    brn_state_destroy(state);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

static void test_resuming_cuts_back(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = full_model(ctx, 2);
    brn_trajectory *trajectory = NULL;
    record(ctx, model, DIR "/cut.h5", 7);
    const int keeps[] = {7, 4, 0};
    for (int k = 0; k < 3; ++k) {
        assert_done(ctx, brn_trajectory_open(ctx, DIR "/cut.h5", model, keeps[k], &trajectory));
        assert_int_equal(brn_trajectory_frames(trajectory), keeps[k]);
        assert_done(ctx, brn_trajectory_sync(trajectory));
        assert_int_equal(check_frames(ctx, model, DIR "/cut.h5", keeps[k], keeps[k]), 0);
        add_frames(ctx, model, trajectory, keeps[k], 9);
        assert_done(ctx, brn_trajectory_close(trajectory));
        assert_int_equal(check_frames(ctx, model, DIR "/cut.h5", 9, 9), 0);
    }
    assert_int_equal(brn_trajectory_open(ctx, DIR "/cut.h5", model, 10, &trajectory), BRN_ERR_FORMAT);
    assert_non_null(strstr(brn_ctx_message(ctx), "holds 9 frames, expected at least 10"));
    assert_int_equal(brn_trajectory_open(ctx, DIR "/none.h5", model, 0, &trajectory), BRN_ERR_FILE);
    assert_int_equal(brn_trajectory_open(ctx, DIR "/none/x.h5", model, -1, &trajectory), BRN_ERR_FILE);
    brn_model *other = full_model(ctx, 1);
    assert_int_equal(brn_trajectory_open(ctx, DIR "/cut.h5", other, 3, &trajectory), BRN_ERR_FORMAT);
    assert_int_equal(check_frames(ctx, model, DIR "/cut.h5", 9, 9), 0);
    test_model_free(other);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* Stress of a homogeneous strain is the same everywhere, so cells and nodes must all show the closed form:
   StVK with F = diag(a, 1, 1): E = (a^2 - 1)/2, S = lambda E 1 + 2 mu E e1 e1, sigma = F S F^T / a. */
static void test_stress_fields(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(2);
    brn_model *model = test_model_3d(ctx, 4);
    brn_state *state = test_state(ctx, model);
    const double a = 1.1;
    for (int n = 0; n < model->nnode; ++n) {
        memcpy(state->node_pos + 3 * n, model->rest[n], sizeof model->rest[n]);
        state->node_pos[3 * n] *= a;
    }
    const double strain = 0.5 * (a * a - 1.0);
    const double want[6] = {a * (test_moduli.lambda + 2.0 * test_moduli.mu) * strain,
                            test_moduli.lambda * strain / a, test_moduli.lambda * strain / a};
    assert_done(ctx, brn_dir_make(ctx, DIR));
    brn_trajectory *trajectory = NULL;
    assert_done(ctx, brn_trajectory_open(ctx, DIR "/stress.h5", model, -1, &trajectory));
    assert_done(ctx, brn_trajectory_add(trajectory, state, 0.0, state->node_vel, NULL, 0, state->node_pos));
    assert_done(ctx, brn_trajectory_close(trajectory));
    brn_playback *playback = NULL;
    assert_done(ctx, brn_playback_open(ctx, DIR "/stress.h5", &playback));
    const brn_playback_info *info = brn_playback_get(playback);
    double *cell = malloc(6 * (size_t)cell_total(info) * sizeof *cell);
    double *node = malloc(6 * (size_t)info->nnode * sizeof *node);
    brn_frame frame = {.node_stress = node};
    assert_done(ctx, brn_playback_read(playback, 0, &frame));
    frame.cell_stress = cell;
    assert_done(ctx, brn_playback_read(playback, 0, &frame));
    /* Stored in single precision: 2^-24 of 4.6e4 Pa is 3e-3 Pa. */
    for (int i = 0; i < 6 * cell_total(info); ++i) {
        assert_near(cell[i], want[i % 6], 5e-3);
    }
    for (int i = 0; i < 6 * (info->nnode - 4); ++i) {
        assert_near(node[i], want[i % 6], 5e-3);
    }
    for (int i = 6 * (info->nnode - 4); i < 6 * info->nnode; ++i) {
        assert_true(node[i] == 0.0); /* the floor */
    }
    assert_near(brn_von_mises(node), want[0] - want[1], 1e-2);
    const double shear[6] = {5.0, 5.0, 5.0, 1.0, -2.0, 3.0};
    assert_near(brn_von_mises(shear), sqrt(3.0 * 14.0), 1e-14);
    free(cell);
    free(node);
    brn_playback_close(playback);
    brn_state_destroy(state);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* What is recorded of nodes is what a recovery gives, in single precision; the same bits for any number of threads. */
static void test_nodal_stress(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_ctx *many = test_ctx(3);
    brn_model *model = test_model_3d(ctx, 3);
    record(ctx, model, DIR "/nodal.h5", 2);
    brn_playback *playback = NULL;
    assert_done(ctx, brn_playback_open(ctx, DIR "/nodal.h5", &playback));
    const brn_playback_info *info = brn_playback_get(playback);
    brn_recovery one = {.ctx = ctx};
    brn_recovery other = {.ctx = many};
    brn_state *state = test_state(ctx, model);
    double sample[6 * (162 + 8 * 27)], again[6 * (162 + 8 * 27)];
    double node[6 * 132], want[6 * 132], twice[6 * 132];
    test_pose(model, state, 10);
    assert_done(ctx, brn_recovery_make(&one, info, NULL, 0));
    assert_done(many, brn_recovery_make(&other, info, NULL, 0));
    assert_done(ctx, brn_field_sample_stress(ctx, model, state->node_pos, NULL, sample));
    assert_done(many, brn_field_sample_stress(many, model, state->node_pos, NULL, again));
    assert_memory_equal(sample, again, sizeof sample);
    assert_done(ctx, brn_recovery_apply(&one, sample, want));
    assert_done(many, brn_recovery_apply(&other, again, twice));
    assert_memory_equal(want, twice, sizeof want);
    assert_done(ctx, brn_playback_read(playback, 1, &(brn_frame){.node_stress = node}));
    for (int i = 0; i < 6 * 132; ++i) {
        assert_true(node[i] == (double)(float)want[i]);
    }
    brn_state_destroy(state);
    brn_recovery_clear(&one);
    brn_recovery_clear(&other);
    brn_playback_close(playback);
    test_model_free(model);
    brn_ctx_destroy(many);
    brn_ctx_destroy(ctx);
}

static void test_principals(void **unused)
{
    (void)unused;
    brn_rng rng = {7};
    for (int n = 0; n < 1000; ++n) {
        double s[6], got[3], matrix[9], want[3], vector[9];
        for (int k = 0; k < 6; ++k) {
            s[k] = n == 0 ? 0.0 : brn_rng_uniform(&rng, -1.0, 1.0);
            /* some with equal values: multiples of one, uniaxial ones */
            s[k] = n % 10 == 1 ? (k < 3 ? 0.7 : 0.0) : n % 10 == 2 && k > 0 ? 0.0 : s[k];
        }
        static const int at[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};
        for (int k = 0; k < 9; ++k) {
            matrix[k] = s[at[k]];
        }
        assert_true(brn_dense_eigen_sym(3, matrix, want, vector) >= 0);
        brn_principals(s, got);
        for (int k = 0; k < 3; ++k) {
            /* The angle of nearly equal values is known to half of the digits. */
            assert_near(got[k], want[2 - k], 5e-8);
        }
    }
}

/* ---- kills, full disks, damage ------------------------------------------------------------------------------------ */

static void write_until_killed(brn_ctx *ctx, const brn_model *model, int acknowledge)
{
    brn_trajectory *trajectory = NULL;
    brn_state *state = test_state(ctx, model);
    if (brn_trajectory_open(ctx, DIR "/killed.h5", model, -1, &trajectory) < 0) {
        _exit(1);
    }
    for (int f = 0; f < 100000; ++f) {
        if (add_frame(trajectory, model, state, f) < 0 || write(acknowledge, "x", 1) != 1) {
            _exit(2);
        }
    }
    _exit(3);
}

/* The child is killed at a random moment, however many frames it has written by then. */
static void test_a_killed_run_leaves_a_readable_file(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = full_model(ctx, 2);
    assert_done(ctx, brn_dir_make(ctx, DIR));
    brn_rng rng = {2024};
    for (int kill_number = 0; kill_number < 12; ++kill_number) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            write_until_killed(ctx, model, ends[1]);
        }
        (void)close(ends[1]);
        /* Let it get going, then wait a while that no frame's length divides. */
        char byte;
        int frames = 0;
        const int enough = 1 + (int)(brn_rng_next(&rng) % 80);
        while (frames < enough && read(ends[0], &byte, 1) == 1) {
            frames++;
        }
        assert_int_equal(frames, enough);
        (void)usleep((useconds_t)(brn_rng_next(&rng) % 3000));
        assert_int_equal(kill(child, SIGKILL), 0);
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        while (read(ends[0], &byte, 1) == 1) {
            frames++;
        }
        (void)close(ends[0]);
        /* All that was acknowledged, and at most the one that was under way. */
        assert_int_equal(check_frames(ctx, model, DIR "/killed.h5", frames, frames + 1), 0);
        /* The run can be resumed from any of its frames. */
        brn_trajectory *trajectory = NULL;
        assert_done(ctx, brn_trajectory_open(ctx, DIR "/killed.h5", model, frames / 2, &trajectory));
        add_frames(ctx, model, trajectory, frames / 2, frames / 2 + 3);
        assert_done(ctx, brn_trajectory_close(trajectory));
        assert_int_equal(check_frames(ctx, model, DIR "/killed.h5", frames / 2 + 3, frames / 2 + 3), 0);
    }
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* The library's pwrite and ftruncate come by here: the call that brings the count to 0 does half its work, and then the
   process is gone. */
static long calls_left = -1;

static void count_call(void)
{
    if (calls_left > 0 && --calls_left == 0) {
        (void)kill(getpid(), SIGKILL);
    }
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    const bool last = calls_left == 1;
    const ssize_t done = syscall(SYS_pwrite64, fd, bytes, last ? size / 2 : size, at);
    count_call();
    return done;
}

int ftruncate(int fd, off_t length)
{
    if (calls_left == 1) {
        count_call();
    }
    const int done = (int)syscall(SYS_ftruncate, fd, length);
    count_call();
    return done;
}

static void put_bytes(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* Goes on from `from` frames to `to`; dies at the given call. Returns whether it got through. */
static bool go_on_until(brn_ctx *ctx, const brn_model *model, int from, int to, long calls, int *acknowledged)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        brn_trajectory *trajectory = NULL;
        brn_state *state = test_state(ctx, model);
        calls_left = calls;
        if (brn_trajectory_open(ctx, DIR "/torn.h5", model, from, &trajectory) < 0) {
            _exit(1);
        }
        for (int f = from; f < to; ++f) {
            if (add_frame(trajectory, model, state, f) < 0 || write(ends[1], "x", 1) != 1) {
                _exit(2);
            }
        }
        _exit(brn_trajectory_close(trajectory) < 0 ? 3 : 0);
    }
    (void)close(ends[1]);
    char byte;
    *acknowledged = from;
    while (read(ends[0], &byte, 1) == 1) {
        ++*acknowledged;
    }
    (void)close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFEXITED(status);
}

/* Killed at every single write in turn, in the middle of it. The frames cross the 64 chunks of a B-tree node, where HDF5
   moves half of the earlier frames to another node. */
static void test_killed_at_every_write(void **unused)
{
    (void)unused;
    enum { FROM = 63, TO = 66 };
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = full_model(ctx, 1);
    record(ctx, model, DIR "/torn.h5", FROM + 1);
    char *whole = NULL;
    size_t length = 0;
    assert_done(ctx, brn_file_read(ctx, DIR "/torn.h5", 1 << 24, &whole, &length));
    long calls = 0;
    int acknowledged = 0;
    do {
        put_bytes(DIR "/torn.h5", whole, length);
        calls++;
        const bool through = go_on_until(ctx, model, FROM, TO, calls, &acknowledged);
        /* One frame more may be whole than was acknowledged; before the cut there was one more as well. */
        assert_int_equal(check_frames(ctx, model, DIR "/torn.h5", acknowledged, acknowledged + 1), 0);
        assert_false(brn_file_exists(DIR "/torn.h5.journal"));
        if (through) {
            break;
        }
    } while (calls < 1000);
    assert_int_equal(acknowledged, TO);
    assert_in_range(calls, 30, 999);
    brn_free(ctx, whole);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

typedef struct disk_job {
    brn_ctx *ctx;
    const brn_model *model;
} disk_job;

static int fill_disk(void *arg)
{
    disk_job *job = arg;
    brn_ctx *ctx = job->ctx;
    brn_trajectory *trajectory = NULL;
    brn_state *state = test_state(ctx, job->model);
    if (brn_trajectory_open(ctx, DIR "/full.h5", job->model, -1, &trajectory) < 0) {
        return 1;
    }
    int accepted = 0;
    brn_status status = BRN_OK;
    while (accepted < 10000) {
        status = add_frame(trajectory, job->model, state, accepted);
        if (status < 0) {
            break;
        }
        accepted++;
    }
    if (status != BRN_ERR_FULL || strstr(brn_ctx_message(ctx), "File too large") == NULL ||
        strstr(brn_ctx_message(ctx), "frames before it are kept") == NULL) {
        print_error("%s\n", brn_ctx_message(ctx));
        return 2;
    }
    if (brn_trajectory_add(trajectory, state, 1.0, state->node_vel, NULL, 0, state->node_pos) !=
            BRN_ERR_FILE ||
        brn_trajectory_sync(trajectory) != BRN_ERR_FILE) {
        return 3;
    }
    (void)brn_trajectory_close(trajectory);
    /* Few enough to fit a file that small. */
    char count[32];
    (void)snprintf(count, sizeof count, "%d", accepted);
    return brn_file_write(ctx, DIR "/full.txt", count, strlen(count)) < 0 ? 4 : 0;
}

static void test_full_disk_keeps_earlier_frames(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = full_model(ctx, 2);
    assert_done(ctx, brn_dir_make(ctx, DIR));
    disk_job job = {.ctx = ctx, .model = model};
    /* In small frames and in large ones. */
    for (size_t bytes = 110000; bytes < 460000; bytes += bytes < 130000 ? 4973 : 99973) {
        assert_int_equal(with_full_disk(bytes, fill_disk, &job), 0);
        char *text = NULL;
        size_t length = 0;
        assert_done(ctx, brn_file_read(ctx, DIR "/full.txt", 100, &text, &length));
        const int accepted = atoi(text);
        brn_free(ctx, text);
        assert_true(accepted > 2);
        assert_int_equal(check_frames(ctx, model, DIR "/full.h5", accepted, accepted), 0);
    }
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

static int make_on_full_disk(void *arg)
{
    disk_job *job = arg;
    brn_trajectory *trajectory = NULL;
    return brn_trajectory_open(job->ctx, DIR "/full2.h5", job->model, -1, &trajectory) == BRN_ERR_FULL ? 0
                                                                                                       : 1;
}

static void test_full_disk_at_the_start(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = test_model_3d(ctx, 2);
    assert_done(ctx, brn_dir_make(ctx, DIR));
    disk_job job = {.ctx = ctx, .model = model};
    for (size_t bytes = 0; bytes < 8000; bytes += 1999) {
        assert_int_equal(with_full_disk(bytes, make_on_full_disk, &job), 0);
    }
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* Changes one dataset of a good file by HDF5 itself, so that the file is sound and its content is not. */
static void spoil(brn_ctx *ctx, const char *name, int rank, const hsize_t *dims, hid_t type, const void *data)
{
    brn_h5 h5 = {.ctx = ctx, .path = DIR "/bad.h5"};
    brn_h5_begin(&h5);
    h5.file = H5Fopen(h5.path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(h5.file >= 0);
    assert_true(H5Ldelete(h5.file, name, H5P_DEFAULT) >= 0);
    if (data != NULL) {
        assert_done(ctx, brn_h5_put(&h5, name, type, rank, dims, type, data));
    }
    assert_true(H5Fclose(h5.file) >= 0);
    brn_h5_end(&h5);
}

static void test_hostile_content_is_refused(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = full_model(ctx, 1);
    record(ctx, model, DIR "/good.h5", 2);
    char *good = NULL;
    size_t length = 0;
    assert_done(ctx, brn_file_read(ctx, DIR "/good.h5", 1 << 24, &good, &length));
    const int high[12] = {0, 1, 2, 3, 4, 5, 6, 7, 1000000, 0, 0, 0};
    const int low[12] = {0, 1, 2, 3, -1};
    const double real[64] = {-1.0, NAN};
    const struct {
        const char *name;
        int rank;
        hsize_t dims[3];
        hid_t type;
        const void *data;
    } cases[] = {
        {"/model/cells/hex8", 2, {1, 8}, H5T_NATIVE_INT, low},
        {"/model/cells/hex8", 2, {1, 7}, H5T_NATIVE_INT, high},
        {"/model/cells/hex8", 2, {0, 8}, H5T_NATIVE_INT, high},
        {"/model/cells/hex8", 1, {8}, H5T_NATIVE_INT, high},
        {"/model/cells/hex8", 2, {1, 8}, H5T_NATIVE_DOUBLE, real},
        {"/model/cells/hex8_body", 1, {1}, H5T_NATIVE_INT, high + 8},
        {"/model/cells/hex8_volume", 1, {1}, H5T_NATIVE_DOUBLE, real},
        {"/model/cells/hex8_volume", 1, {1}, H5T_NATIVE_DOUBLE, real + 1},
        {"/model/cells/hex8_volume", 1, {1}, H5T_NATIVE_INT, NULL},
        {"/model/boundary/tri", 2, {3, 3}, H5T_NATIVE_INT, high},
        {"/model/boundary/tri_body", 1, {3}, H5T_NATIVE_INT, low},
        {"/model/bodies/name", 1, {3}, H5T_NATIVE_INT, low},
        {"/model/bodies/node_first", 1, {3}, H5T_NATIVE_INT, high + 7},
        {"/model/bodies/node_count", 1, {3}, H5T_NATIVE_INT, high + 7},
        {"/model/bodies/type", 1, {2}, H5T_NATIVE_INT, low},
        {"/model/bodies/plane", 1, {3}, H5T_NATIVE_INT, low + 2}, /* 0 or 1 */
        {"/model/bodies/plane", 1, {2}, H5T_NATIVE_INT, low},
        {"/model/rest", 2, {19, 3}, H5T_NATIVE_DOUBLE, real},
        {"/frames/position", 3, {2, 20, 3}, H5T_NATIVE_DOUBLE, NULL},
        {"/frames/time", 1, {2}, H5T_NATIVE_DOUBLE, real}, /* not chunked */
        {"/frames/step", 1, {2}, H5T_NATIVE_DOUBLE, real},
        {"/frames/contact/place", 2, {7, 3}, H5T_NATIVE_DOUBLE, NULL},
        {"/frames/contact/place", 2, {7, 3}, H5T_NATIVE_DOUBLE, real}, /* not chunked */
        {"/frames/contact/gap", 2, {7, 1}, H5T_NATIVE_DOUBLE, real},
        {"/frames/contact/body", 2, {2, 2}, H5T_NATIVE_DOUBLE, real},
        {"/frames/contact/end", 1, {2}, H5T_NATIVE_DOUBLE, real},
        {"/model", 0, {0}, H5T_NATIVE_INT, NULL},
        {"/frames", 0, {0}, H5T_NATIVE_INT, NULL},
    };
    brn_playback *playback = NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        put_bytes(DIR "/bad.h5", good, length);
        assert_done(ctx, brn_playback_open(ctx, DIR "/bad.h5", &playback));
        brn_playback_close(playback);
        spoil(ctx, cases[i].name, cases[i].rank, cases[i].dims, cases[i].type, cases[i].data);
        const brn_status status = brn_playback_open(ctx, DIR "/bad.h5", &playback);
        if (status != BRN_ERR_FORMAT || playback != NULL || strlen(brn_ctx_message(ctx)) < 10) {
            fail_msg("case %zu (%s): %s: %s", i, cases[i].name, brn_status_name(status),
                     brn_ctx_message(ctx));
        }
    }
    /* Which bodies are half-spaces is told by files from now on; those before it are read without. */
    put_bytes(DIR "/bad.h5", good, length);
    assert_done(ctx, brn_playback_open(ctx, DIR "/bad.h5", &playback));
    const int *plane = brn_playback_get(playback)->body_plane;
    assert_true(plane[0] == 0 && plane[1] == 0 && plane[2] == 1);
    brn_playback_close(playback);
    spoil(ctx, "/model/bodies/plane", 0, NULL, H5T_NATIVE_INT, NULL);
    assert_done(ctx, brn_playback_open(ctx, DIR "/bad.h5", &playback));
    assert_null(brn_playback_get(playback)->body_plane);
    brn_playback_close(playback);
    /* Cut anywhere, or not HDF5 at all. */
    for (size_t at = 0; at < length; at += 977) {
        put_bytes(DIR "/bad.h5", good, at);
        assert_int_equal(brn_playback_open(ctx, DIR "/bad.h5", &playback), BRN_ERR_FORMAT);
    }
    assert_int_equal(brn_playback_open(ctx, DIR "/none.h5", &playback), BRN_ERR_FILE);
    brn_free(ctx, good);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

/* Writes into a dataset of a good file, whose shape stays. */
static void overwrite(const char *name, hid_t type, const void *data)
{
    brn_h5 h5 = {.path = DIR "/bad.h5"};
    brn_h5_begin(&h5);
    h5.file = H5Fopen(h5.path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(h5.file >= 0);
    const hid_t set = H5Dopen2(h5.file, name, H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    assert_true(H5Dclose(set) >= 0 && H5Fclose(h5.file) >= 0);
    brn_h5_end(&h5);
}

/* Rows that are not there, or more than the file can hold, and bodies that do not exist. */
static void test_hostile_contacts_are_refused(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = full_model(ctx, 1);
    record(ctx, model, DIR "/good.h5", 3); /* 0 + 2 + 4 contacts */
    char *good = NULL;
    size_t length = 0;
    assert_done(ctx, brn_file_read(ctx, DIR "/good.h5", 1 << 24, &good, &length));
    static const int64_t ends[][3] = {{0, 2, 7},  {0, 2, -1}, {0, 3, 2},
                                      {-1, 2, 6}, {0, -5, 6}, {0, 2, INT64_MAX}};
    static const int bodies[][12] = {{0, 1, 2, 3}, {-1}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, INT32_MIN}};
    const int ncase = (int)(sizeof ends / sizeof *ends + sizeof bodies / sizeof *bodies);
    for (int i = 0; i < ncase; ++i) {
        put_bytes(DIR "/bad.h5", good, length);
        if (i < (int)(sizeof ends / sizeof *ends)) {
            overwrite("/frames/contact/end", H5T_NATIVE_INT64, ends[i]);
        } else {
            overwrite("/frames/contact/body", H5T_NATIVE_INT, bodies[i - (int)(sizeof ends / sizeof *ends)]);
        }
        brn_playback *playback = NULL;
        const brn_contact_point *point = NULL;
        int npoint = 0;
        int refused = 0;
        assert_done(ctx, brn_playback_open(ctx, DIR "/bad.h5", &playback));
        for (int f = 0; f < 3; ++f) {
            const brn_status status = brn_playback_contacts(playback, f, &point, &npoint);
            assert_true(status == BRN_OK || status == BRN_ERR_FORMAT);
            assert_true(status == BRN_OK || (point == NULL && npoint == 0));
            refused += status < 0;
        }
        assert_in_range(refused, 1, 2);
        brn_playback_close(playback);
    }
    /* A shape that claims more than the file can hold. */
    put_bytes(DIR "/bad.h5", good, length);
    brn_h5 h5 = {.path = DIR "/bad.h5"};
    brn_h5_begin(&h5);
    h5.file = H5Fopen(h5.path, H5F_ACC_RDWR, H5P_DEFAULT);
    static const char *const sets[] = {"body",     "place", "normal", "gap",        "normal_force",
                                       "friction", "slip",  "mu",     "stick_speed"};
    for (int i = 0; i < 9; ++i) {
        char name[64];
        (void)snprintf(name, sizeof name, "/frames/contact/%s", sets[i]);
        const hid_t set = H5Dopen2(h5.file, name, H5P_DEFAULT);
        const hsize_t width = i == 0 ? 2 : 3;
        assert_true(H5Dset_extent(set, (hsize_t[]){1000000000, width}) >= 0 && H5Dclose(set) >= 0);
    }
    assert_true(H5Fclose(h5.file) >= 0);
    brn_h5_end(&h5);
    overwrite("/frames/contact/end", H5T_NATIVE_INT64, (const int64_t[]){0, 2, 1000000000});
    brn_playback *playback = NULL;
    const brn_contact_point *point = NULL;
    int npoint = 0;
    assert_done(ctx, brn_playback_open(ctx, DIR "/bad.h5", &playback));
    assert_int_equal(brn_playback_contacts(playback, 2, &point, &npoint), BRN_ERR_FORMAT);
    brn_playback_close(playback);
    /* Resuming does not go on from rows that are not there. */
    put_bytes(DIR "/bad.h5", good, length);
    overwrite("/frames/contact/end", H5T_NATIVE_INT64, ends[0]);
    brn_trajectory *trajectory = NULL;
    assert_int_equal(brn_trajectory_open(ctx, DIR "/bad.h5", model, 3, &trajectory), BRN_ERR_FORMAT);
    brn_free(ctx, good);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

static brn_status whole_life(brn_ctx *ctx, void *arg)
{
    /* The model lives in a context of its own that never fails. */
    const brn_model *model = arg;
    brn_trajectory *trajectory = NULL;
    brn_playback *playback = NULL;
    brn_state *state = test_state(model->ctx, model);
    brn_status status = brn_trajectory_open(ctx, DIR "/life.h5", model, -1, &trajectory);
    if (status >= 0) {
        status = add_frame(trajectory, model, state, 3);
        const brn_status closed = brn_trajectory_close(trajectory);
        status = status < 0 ? status : closed;
    }
    status = status < 0 ? status : brn_playback_open(ctx, DIR "/life.h5", &playback);
    if (status >= 0) {
        double node[6 * 20];
        const brn_contact_point *point = NULL;
        int npoint = 0;
        status = brn_playback_read(playback, 0, &(brn_frame){.node_stress = node});
        status = status < 0 ? status : brn_playback_contacts(playback, 0, &point, &npoint);
        brn_playback_close(playback);
    }
    brn_state_destroy(state);
    return status;
}

static void test_each_allocation_may_fail(void **unused)
{
    (void)unused;
    brn_ctx *ctx = test_ctx(1);
    brn_model *model = full_model(ctx, 1);
    assert_done(ctx, brn_dir_make(ctx, DIR));
    /* HDF5 opens a file twice, first on trial: a failure there is none. */
    assert_true(faulty_run(whole_life, model, 1) > 30);
    test_model_free(model);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_recorded_reads_back),
        cmocka_unit_test(test_writer_is_alone),
        cmocka_unit_test(test_fields_are_optional),
        cmocka_unit_test(test_resuming_cuts_back),
        cmocka_unit_test(test_stress_fields),
        cmocka_unit_test(test_nodal_stress),
        cmocka_unit_test(test_principals),
        cmocka_unit_test(test_a_killed_run_leaves_a_readable_file),
        cmocka_unit_test(test_killed_at_every_write),
        cmocka_unit_test(test_full_disk_keeps_earlier_frames),
        cmocka_unit_test(test_full_disk_at_the_start),
        cmocka_unit_test(test_hostile_content_is_refused),
        cmocka_unit_test(test_hostile_contacts_are_refused),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
