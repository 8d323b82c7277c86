/* brn_view_...: recorded runs and live ones as packets, whole pages, read back from their description. */
#include "flow.h"
#include "no_fsync.h"
#include "packet_reader.h"

#include "output/trajectory/trajectory.h"

#include <pthread.h>
#include <sys/stat.h>

/* A soft block falls on a rigid one and on the floor; a name that would be markup. */
static const char scene_text[] =
    "brunt: 1\ntitle: '</script><script>alert(1)</script><!--'\nmethod: {type: ipc, dhat: 5e-3}\n"
    "time: {step: 1e-2, end: 0.2}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4, density: 1000}}\n"
    "meshes:\n  m: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}\n"
    "bodies:\n  - {name: '</script><img src=x onerror=alert(1)>', type: deformable, mesh: m, material: a, "
    "position: "
    "[0.01, 0.02, 0.165]}\n"
    "  - {name: '<!-- b', type: rigid, mesh: m, density: 1000, position: [0, 0, 0.056], angular_velocity: "
    "[0, 0, 1]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\n"
    "contact: {friction: 0.4}\n"
    "output: {every: 1e-2, fields: [stress, velocity, contact], report: 0, plot: {x: '<b>p.dz', y: "
    "floor.force_z, "
    "points: [[-1e-3, 2.5]]}, probes: [{name: '<b>p', body: "
    "'<!-- b', where: "
    "{nearest: [0, 0, 0]}}]}\n";

#define RUN "view_run"

static brn_status run_scene(brn_ctx *ctx, const char *out, const char *sets, double report_mb)
{
    brn_scene *scene = NULL;
    brn_summary summary;
    brn_run_options options = brn_run_options_default();
    options.out = out;
    options.overwrite = true;
    options.report_mb = report_mb;
    assert_done(ctx, flow_scene(ctx, scene_text, sets, &scene));
    const brn_status status = brn_run(ctx, scene, &options, &summary);
    brn_scene_destroy(scene);
    return status;
}

static char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("%s is not there", path);
    }
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long n = ftell(file);
    rewind(file);
    char *text = calloc((size_t)n + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)n, file), n);
    (void)fclose(file);
    if (size != NULL) {
        *size = (size_t)n;
    }
    return text;
}

static packet run_packet(brn_ctx *ctx, brn_view *view)
{
    const void *bytes = NULL;
    size_t size = 0;
    assert_done(ctx, brn_view_run(view, &bytes, &size));
    return packet_open(bytes, size);
}

static packet frame_packet(brn_ctx *ctx, brn_view *view, int index)
{
    const void *bytes = NULL;
    size_t size = 0;
    assert_done(ctx, brn_view_frame(view, index, &bytes, &size));
    return packet_open(bytes, size);
}

static int setup(void **state)
{
    (void)state;
    flow_clear_folder(RUN);
    brn_ctx *ctx = test_ctx(2);
    assert_done(ctx, run_scene(ctx, RUN, NULL, -1.0));
    struct stat info;
    assert_true(stat(RUN "/report.html", &info) != 0); /* report: 0 */
    brn_ctx_destroy(ctx);
    return 0;
}

/* ---- recorded ---------------------------------------------------------------------------------------------------------- */

static void test_run_packet(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    brn_view *view = NULL;
    assert_done(ctx, brn_view_open(ctx, RUN "/", &view));
    assert_int_equal(brn_view_frames(view), 21);
    packet run = run_packet(ctx, view);
    assert_true(json_is(json_get(run.json, "kind"), "\"run\"") &&
                json_is(json_get(run.json, "version"), "1"));
    assert_true(json_is(json_get(run.json, "name"), "\"" RUN "\""));
    assert_true(json_is(json_get(run.json, "title"), "\"</script><script>alert(1)</script><!--\""));
    assert_true(json_is(json_get(run.json, "method"), "\"ipc\"") &&
                json_is(json_get(run.json, "live"), "false") &&
                json_is(json_get(run.json, "static"), "false"));
    assert_true(json_number(json_get(run.json, "end")) == 0.2 &&
                json_number(json_get(run.json, "step")) == 0.01);
    assert_true(json_is(json_get(run.json, "dimension"), "3") &&
                json_is(json_get(run.json, "recorded"), "21"));
    assert_true(json_is(json_get(run.json, "thinned"), "null") &&
                json_is(json_get(run.json, "contacts"), "true"));
    const char *frames = json_get(run.json, "frames");
    assert_int_equal(json_count(frames), 21);
    for (int f = 0; f < 21; ++f) {
        assert_near(json_number(json_get(json_item(frames, f), "time")), 0.01 * f, 1e-12);
        assert_true(json_number(json_get(json_item(frames, f), "step")) == f);
    }
    const char *bodies = json_get(run.json, "bodies");
    assert_int_equal(json_count(bodies), 3);
    assert_true(json_is(json_get(json_item(bodies, 1), "type"), "\"rigid\""));
    assert_true(json_is(json_get(json_item(bodies, 1), "plane"), "false"));
    assert_true(json_is(json_get(json_item(bodies, 2), "plane"), "true"));
    const char *fields = json_get(run.json, "fields");
    assert_int_equal(json_count(fields), 23);
    assert_int_equal(json_count(json_get(run.json, "notes")), 0);
    assert_true(json_is(json_get(json_get(run.json, "summary"), "status"), "\"done\""));
    char *yaml = slurp(RUN "/scene.yaml", NULL);
    assert_true(strlen(yaml) > 300);
    /* as a JSON text it is longer by what is escaped: line breaks by 5, quotation marks and backslashes by 1 */
    size_t longer = 2;
    for (const char *c = yaml; *c != '\0'; ++c) {
        longer += *c == '\n' ? 6 : *c == '"' || *c == '\\' ? 2 : 1;
    }
    const char *scene = json_get(run.json, "scene");
    assert_int_equal(json_skip(scene) - scene, longer);
    free(yaml);
    packet_close(&run);
    brn_view_close(view);
    brn_ctx_destroy(ctx);
}

/* The plot that the scene asks for, of a recorded run as of a live one. */
static void check_plots(const char *run)
{
    const char *plots = json_get(run, "plots");
    assert_int_equal(json_count(plots), 1);
    const char *plot = json_item(plots, 0);
    assert_true(json_is(json_get(plot, "y"), "\"floor.force_z\""));
    assert_true(json_is(json_get(plot, "source"), "\"reference\""));
    assert_int_equal(json_count(json_get(plot, "points")), 1);
    const char *point = json_item(json_get(plot, "points"), 0);
    assert_true(json_number(json_item(point, 0)) == -1e-3 && json_number(json_item(point, 1)) == 2.5);
}

/* The columns of series.csv, all rows of it where they are few. */
static void test_series(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_view *view = NULL;
    assert_done(ctx, brn_view_open(ctx, RUN, &view));
    packet run = run_packet(ctx, view);
    const char *series = json_get(run.json, "series");
    check_plots(run.json);
    const char *columns = json_get(series, "columns");
    assert_true(json_is(json_get(series, "rows"), "21") && json_is(json_get(series, "of"), "21"));
    size_t n = 0;
    double *value = packet_array(&run, "series", "f32", &n);
    assert_int_equal(n, 21 * json_count(columns));
    assert_true(json_is(json_item(columns, 1), "\"time\""));
    char *csv = slurp(RUN "/series.csv", NULL);
    char *line = strtok(csv, "\n");
    for (int row = 0; row < 21; ++row) {
        line = strtok(NULL, "\n");
        assert_true(value[21 * 1 + row] == (double)(float)strtod(strchr(line, ',') + 1, NULL));
    }
    free(csv);
    free(value);
    packet_close(&run);
    brn_view_close(view);
    brn_ctx_destroy(ctx);
}

static void test_frames(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    brn_view *view = NULL;
    brn_playback *playback = NULL;
    assert_done(ctx, brn_view_open(ctx, RUN, &view));
    assert_done(ctx, brn_playback_open(ctx, RUN "/trajectory.h5", &playback));
    const int nnode = brn_playback_get(playback)->nnode;
    double *pos = malloc(3 * (size_t)nnode * sizeof *pos);
    packet run = run_packet(ctx, view);
    size_t nvertex = 0;
    double *node = packet_array(&run, "node", "u32", &nvertex);
    double *half = malloc(3 * nvertex * sizeof *half);
    int seen[3] = {0};
    for (int k = 0; k < 21; ++k) {
        const int f = k * 8 % 21; /* in any order */
        packet frame = frame_packet(ctx, view, f);
        int motion[3];
        double *x = packet_positions(&run, &frame, motion, half);
        brn_frame want = {.pos = pos};
        assert_done(ctx, brn_playback_read(playback, f, &want));
        for (size_t i = 0; i < 3 * nvertex; ++i) {
            /* half a step; maps of the rigid body and the floor, which is 1.2 m wide: 12 numbers in f32 */
            assert_near(x[i], pos[3 * (size_t)node[i / 3] + i % 3], half[i] > 0.0 ? 1.001 * half[i] : 3e-7);
        }
        assert_true(json_number(json_get(frame.json, "time")) == want.time);
        assert_true(motion[1] != 2 && motion[2] == 0);
        seen[motion[0]]++;
        seen[1] += motion[1] == 1;
        free(x);
        packet_close(&frame);
    }
    assert_true(seen[1] > 10 && seen[2] > 5); /* the rigid body turns, the soft one deforms */
    free(node);
    free(half);
    free(pos);
    packet_close(&run);
    brn_playback_close(playback);
    brn_view_close(view);
    brn_ctx_destroy(ctx);
}

static void test_misuse(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_view *view = NULL;
    const void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(brn_view_open(ctx, "no_such_run", &view), BRN_ERR_FILE);
    assert_null(view);
    assert_non_null(strstr(brn_ctx_message(ctx), "no_such_run"));
    assert_done(ctx, brn_view_open(ctx, RUN, &view));
    assert_int_equal(brn_view_frame(view, 21, &bytes, &size), BRN_ERR_RANGE);
    assert_int_equal(brn_view_frame(view, -1, &bytes, &size), BRN_ERR_RANGE);
    assert_null(bytes);
    packet frame = frame_packet(ctx, view, 20); /* it still works */
    packet_close(&frame);
    brn_view_close(view);
    brn_view_close(NULL);
    brn_snapshot_destroy(NULL);
    brn_ctx_destroy(ctx);
}

/* A folder whose texts are gone or spoilt still shows its frames; one whose trajectory is spoilt does not. */
static void test_spoilt_folders(void **state)
{
    (void)state;
    static const char *const spoils[][3] = {
        {"rm view_spoilt/scene.yaml", "rm view_spoilt/summary.json", "rm view_spoilt/series.csv"},
        {"printf 'brunt: [\\n' > view_spoilt/scene.yaml",
         "echo '{\"a\": nan, \"</script>\"' > view_spoilt/summary.json",
         "printf 'a,\"b\\n1,2,3\\n' > view_spoilt/series.csv"},
        {"printf 'brunt: 99\\nmethod: telepathy\\n' > view_spoilt/scene.yaml", ": > view_spoilt/series.csv",
         ": > view_spoilt/summary.json"},
    };
    brn_ctx *ctx = test_ctx(1);
    brn_view *view = NULL;
    for (int i = 0; i < 3; ++i) {
        flow_clear_folder("view_spoilt");
        assert_int_equal(system("cp -r " RUN " view_spoilt"), 0);
        for (int k = 0; k < 3; ++k) {
            assert_int_equal(system(spoils[i][k]), 0);
        }
        assert_done(ctx, brn_view_open(ctx, "view_spoilt", &view));
        packet run = run_packet(ctx, view);
        assert_true(json_is(json_get(run.json, "summary"), "null"));
        assert_true(json_is(json_get(json_get(run.json, "series"), "rows"), "0"));
        packet_close(&run);
        packet frame = frame_packet(ctx, view, 3);
        packet_close(&frame);
        brn_view_close(view);
    }
    /* Cut, or with a byte changed in the middle of its frames: an error, never a crash. */
    size_t size = 0;
    char *good = slurp(RUN "/trajectory.h5", &size);
    long refused = 0;
    for (size_t at = 300; at < size; at += size / 40) {
        for (int cut = 0; cut < 2; ++cut) {
            FILE *file = fopen("view_spoilt/trajectory.h5", "wb");
            good[at] = (char)(good[at] ^ 0x55);
            assert_int_equal(fwrite(good, 1, cut ? at : size, file), cut ? at : size);
            good[at] = (char)(good[at] ^ 0x55);
            assert_int_equal(fclose(file), 0);
            const void *bytes = NULL;
            size_t n = 0;
            brn_status status = brn_view_open(ctx, "view_spoilt", &view);
            status = status >= 0 ? brn_view_run(view, &bytes, &n) : status;
            for (int f = 0; f < 21 && status >= 0; ++f) {
                status = brn_view_frame(view, f, &bytes, &n);
            }
            assert_true(status >= 0 || strlen(brn_ctx_message(ctx)) > 10);
            /* the end of the file may hold the stress of cells, which the page does not read */
            assert_true(!cut || status < 0 || at > size - size / 10);
            refused += status < 0;
            brn_view_close(view);
        }
    }
    assert_true(refused > 40);
    free(good);
    brn_ctx_destroy(ctx);
}

/* ---- live ----------------------------------------------------------------------------------------------------------------- */

/* A frame of the running simulation is the frame that a run records of the same state. */
static void test_live_equals_recorded(void **state)
{
    (void)state;
    flow f = flow_open(2, scene_text, NULL);
    brn_ctx *other = test_ctx(1); /* encodes with its own workers */
    brn_view *live = NULL;
    brn_view *recorded = NULL;
    brn_snapshot *snapshot = NULL;
    char *text = NULL;
    assert_done(f.ctx, brn_scene_write(f.scene, &text));
    assert_done(other, brn_view_live(other, f.model, text, &live));
    assert_done(other, brn_view_open(other, RUN, &recorded));
    assert_done(f.ctx, brn_snapshot_create(f.ctx, f.model, &snapshot));
    packet run = run_packet(other, live);
    packet same = run_packet(other, recorded);
    assert_true(json_is(json_get(run.json, "live"), "true"));
    check_plots(run.json);
    assert_int_equal(json_count(json_get(run.json, "frames")), 0);
    const char *columns = json_get(json_get(run.json, "series"), "columns");
    const char *as_recorded = json_get(json_get(same.json, "series"), "columns");
    assert_int_equal(json_skip(columns) - columns, json_skip(as_recorded) - as_recorded);
    assert_memory_equal(columns, as_recorded, (size_t)(json_skip(columns) - columns));
    assert_int_equal(brn_view_frames(live), 0);
    /* one that was never taken cannot be shown; a live view has no recorded frames */
    const void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(brn_view_snapshot(live, snapshot, 0, &bytes, &size), BRN_ERR_RANGE);
    assert_int_equal(brn_view_frame(live, 0, &bytes, &size), BRN_ERR_RANGE);

    size_t nvertex = 0, nrow = 0;
    double *node = packet_array(&run, "node", "u32", &nvertex);
    double *rows = packet_array(&same, "series", "f32", &nrow);
    const int ncolumn = json_count(columns);
    for (int step = 0; step <= 20; ++step) {
        brn_report report;
        if (step > 0) {
            assert_done(f.ctx, brn_sim_step(f.sim, &report));
        }
        assert_done(f.ctx, brn_snapshot_take(snapshot, f.sim, step > 0 ? &report : NULL));
        assert_done(other, brn_view_snapshot(live, snapshot, step, &bytes, &size));
        packet now = packet_open(bytes, size);
        packet then = frame_packet(other, recorded, step);
        assert_true(json_number(json_get(now.json, "time")) == json_number(json_get(then.json, "time")));
        assert_true(json_number(json_get(now.json, "index")) == step &&
                    json_number(json_get(now.json, "step")) == step);
        static const char *const exact[][2] = {
            {"motion", "u8"},   {"affine", "f32"},         {"box", "f32"},          {"position", "u16"},
            {"speed", "u16"},   {"displacement", "u16"},   {"strain", "u16"},       {"pressure", "u16"},
            {"contact", "f32"}, {"contact_normal", "i16"}, {"contact_body", "u16"}, {"contact_stick", "u8"}};
        for (size_t i = 0; i < sizeof exact / sizeof *exact; ++i) {
            size_t na = 0, nb = 0;
            double *a = packet_array(&now, exact[i][0], exact[i][1], &na);
            double *b = packet_array(&then, exact[i][0], exact[i][1], &nb);
            assert_int_equal(na, nb);
            assert_memory_equal(a, b, na * sizeof *a);
            free(a);
            free(b);
        }
        /* stress is recorded in single precision: 6e-8 of the components, whose sum may be larger than the deviator */
        double *a = packet_field(&now, "von_mises", nvertex);
        double *b = packet_field(&then, "von_mises", nvertex);
        for (size_t v = 0; v < nvertex; ++v) {
            assert_near(a[v], b[v], 1e-3 * b[v] + 0.05);
        }
        free(a);
        free(b);
        /* the row is the one of series.csv, but for the times that it took */
        const char *row = json_get(now.json, "row");
        assert_int_equal(json_count(row), ncolumn);
        for (int c = 0; c < ncolumn; ++c) {
            const double want = rows[(size_t)c * 21 + (size_t)step];
            const char *got = json_item(row, c);
            if (strncmp(json_item(columns, c), "\"wall_s\"", 8) != 0) {
                assert_true(isnan(want) ? json_is(got, "null") : (double)(float)json_number(got) == want);
            }
        }
        packet_close(&now);
        packet_close(&then);
    }
    free(node);
    free(rows);
    packet_close(&run);
    packet_close(&same);
    brn_ctx_free(f.ctx, text);
    brn_snapshot_destroy(snapshot);
    brn_view_close(live);
    brn_view_close(recorded);
    brn_ctx_destroy(other);
    flow_close(&f);
}

/* One thread steps and takes, another encodes what was taken before: two snapshots that change hands. */
typedef struct relay {
    brn_view *view;
    brn_snapshot *ready; /* NULL: the encoder has none */
    int encoded;
    bool done;
    pthread_mutex_t lock;
    pthread_cond_t changed;
} relay;

static void *encode_all(void *arg)
{
    relay *r = arg;
    (void)pthread_mutex_lock(&r->lock);
    for (;;) {
        while (r->ready == NULL && !r->done) {
            (void)pthread_cond_wait(&r->changed, &r->lock);
        }
        if (r->ready == NULL) {
            break;
        }
        (void)pthread_mutex_unlock(&r->lock);
        const void *bytes = NULL;
        size_t size = 0;
        const brn_status status = brn_view_snapshot(r->view, r->ready, r->encoded, &bytes, &size);
        (void)pthread_mutex_lock(&r->lock);
        r->encoded += status >= 0 && size > 0;
        r->ready = NULL;
        (void)pthread_cond_broadcast(&r->changed);
    }
    (void)pthread_mutex_unlock(&r->lock);
    return NULL;
}

static void test_two_threads(void **state)
{
    (void)state;
    flow f = flow_open(2, scene_text, NULL);
    brn_ctx *other = test_ctx(2);
    brn_snapshot *snapshot[2] = {NULL};
    relay r = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    pthread_t encoder;
    assert_done(other, brn_view_live(other, f.model, "", &r.view));
    assert_done(f.ctx, brn_snapshot_create(f.ctx, f.model, &snapshot[0]));
    assert_done(f.ctx, brn_snapshot_create(f.ctx, f.model, &snapshot[1]));
    assert_int_equal(pthread_create(&encoder, NULL, encode_all, &r), 0);
    for (int step = 0; step < 20; ++step) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
        assert_done(f.ctx, brn_snapshot_take(snapshot[step % 2], f.sim, NULL));
        (void)pthread_mutex_lock(&r.lock);
        while (r.ready != NULL) {
            (void)pthread_cond_wait(&r.changed, &r.lock);
        }
        r.ready = snapshot[step % 2];
        (void)pthread_cond_broadcast(&r.changed);
        (void)pthread_mutex_unlock(&r.lock);
    }
    (void)pthread_mutex_lock(&r.lock);
    r.done = true;
    (void)pthread_cond_broadcast(&r.changed);
    (void)pthread_mutex_unlock(&r.lock);
    assert_int_equal(pthread_join(encoder, NULL), 0);
    assert_int_equal(r.encoded, 20);
    brn_snapshot_destroy(snapshot[0]);
    brn_snapshot_destroy(snapshot[1]);
    brn_view_close(r.view);
    brn_ctx_destroy(other);
    flow_close(&f);
}

/* Without contact, and in 2D: nothing is said to be missing that the method does not have. */
static void test_live_elastic(void **state)
{
    (void)state;
    static const char flat[] =
        "brunt: 1\ndimension: 2\ntime: {step: 1e-3, end: 3e-3}\n"
        "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4, density: 1000}}\n"
        "meshes: {m: {box: {size: [0.1, 0.1], cells: [2, 2], element: tri6}}}\n"
        "bodies: [{name: a, type: deformable, mesh: m, material: a}]\n"
        "fixed: [{name: foot, body: a, where: {face: -y}}]\n";
    flow f = flow_open(1, flat, NULL);
    brn_view *live = NULL;
    brn_snapshot *snapshot = NULL;
    const void *bytes = NULL;
    size_t size = 0;
    assert_done(f.ctx, brn_view_live(f.ctx, f.model, NULL, &live));
    assert_done(f.ctx, brn_snapshot_create(f.ctx, f.model, &snapshot));
    packet run = run_packet(f.ctx, live);
    assert_true(json_is(json_get(run.json, "dimension"), "2") &&
                json_is(json_get(run.json, "contacts"), "false"));
    assert_int_equal(json_count(json_get(run.json, "notes")), 0);
    assert_int_equal(json_count(json_get(run.json, "fields")), 17); /* no yz, xz, strain_zz */
    for (int step = 0; step < 3; ++step) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
        assert_done(f.ctx, brn_snapshot_take(snapshot, f.sim, NULL));
        assert_done(f.ctx, brn_view_snapshot(live, snapshot, step, &bytes, &size));
        packet now = packet_open(bytes, size);
        double *x = packet_positions(&run, &now, NULL, NULL);
        free(x);
        packet_close(&now);
    }
    /* another model's simulation is refused */
    flow g = flow_open(1, flat, NULL);
    assert_int_equal(brn_snapshot_take(snapshot, g.sim, NULL), BRN_ERR_RANGE);
    flow_close(&g);
    packet_close(&run);
    brn_snapshot_destroy(snapshot);
    brn_view_close(live);
    flow_close(&f);
}

/* What was not recorded is not shown, and the page says why. */
/* The stages: a table in the packet of the run, values in its summary or, live, in the frames, the same ones. */
static void test_stages(void **state)
{
    static const char thrown[] =
        "brunt: 1\nmethod: {type: sap}\ntime: {step: 5e-3, end: 0.4}\n"
        "bodies:\n  - {name: a, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, density: 1000, position: "
        "[0, 0, 0.2], velocity: [0.5, 0, 0.5]}\n"
        "  - {name: floor, type: static, shape: {plane: {}}}\nstages: {stop: false}\noutput: {report: 0}\n";
    (void)state;
    flow f = flow_open(1, thrown, NULL);
    brn_run_options options = brn_run_options_default();
    options.out = "view_stages";
    options.overwrite = true;
    assert_done(f.ctx, brn_run(f.ctx, f.scene, &options, NULL));
    brn_view *recorded = NULL;
    brn_view *live = NULL;
    brn_snapshot *snapshot = NULL;
    assert_done(f.ctx, brn_view_open(f.ctx, "view_stages", &recorded));
    assert_done(f.ctx, brn_view_live(f.ctx, f.model, NULL, &live));
    assert_done(f.ctx, brn_snapshot_create(f.ctx, f.model, &snapshot));
    packet run = run_packet(f.ctx, recorded);
    const char *names = json_get(run.json, "stage_names");
    const char *figures = json_get(run.json, "stage_figures");
    const char *summary = json_get(run.json, "summary");
    assert_int_equal(json_count(names), BRN_STAGES);
    assert_int_equal(json_count(figures), brn_stage_figure_count());
    assert_true(json_is(json_item(names, BRN_STAGE_LANDING), "\"landing\""));
    assert_true(json_is(json_get(json_item(figures, 0), "name"), "\"begin\"") &&
                json_is(json_get(json_item(figures, 0), "unit"), "\"s\""));

    const void *bytes = NULL;
    size_t size = 0;
    brn_report report;
    for (int step = 0; step <= 80; ++step) {
        if (step > 0) {
            assert_done(f.ctx, brn_sim_step(f.sim, &report));
        }
        assert_done(f.ctx, brn_snapshot_take(snapshot, f.sim, step > 0 ? &report : NULL));
        assert_done(f.ctx, brn_view_snapshot(live, snapshot, step, &bytes, &size));
        if (step == 0 || step == 80) {
            packet now = packet_open(bytes, size);
            const char *stages = json_get(now.json, "stages");
            assert_non_null(stages);
            /* nothing was loaded; at the start it has not left, at the end it is back */
            assert_null(json_get(stages, "loading.begin"));
            assert_non_null(json_get(stages, "launch.begin"));
            assert_true((json_get(stages, "landing.begin") != NULL) == (step == 80));
            for (int k = 0; k < brn_stage_figure_count() && step == 80; ++k) {
                brn_figure figure;
                char key[96];
                assert_done(f.ctx, brn_stage_figure_get(k, &figure));
                (void)snprintf(key, sizeof key, "flight.%s", figure.name);
                assert_true(json_number(json_get(stages, key)) == json_number(json_get(summary, key)));
            }
            packet_close(&now);
        }
    }
    assert_true(json_number(json_get(summary, "flight.range")) > 0.05);
    packet_close(&run);
    brn_snapshot_destroy(snapshot);
    brn_view_close(live);
    brn_view_close(recorded);
    flow_close(&f);
}

static void test_notes(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_view *view = NULL;
    flow_clear_folder("view_bare");
    assert_done(ctx, run_scene(ctx, "view_bare", "output.fields=[];time.end=0.02", 0.0));
    assert_done(ctx, brn_view_open(ctx, "view_bare", &view));
    packet run = run_packet(ctx, view);
    assert_int_equal(json_count(json_get(run.json, "fields")), 11); /* strain and displacement need nothing */
    const char *notes = json_get(run.json, "notes");
    assert_int_equal(json_count(notes), 3);
    assert_true(json_is(json_item(notes, 1), "\"velocity was not recorded: no speed\""));
    assert_true(json_is(json_get(run.json, "contacts"), "false"));
    packet frame = frame_packet(ctx, view, 1);
    assert_false(packet_has(&frame, "speed"));
    assert_true(packet_has(&frame, "strain"));
    packet_close(&frame);
    packet_close(&run);
    brn_view_close(view);
    brn_ctx_destroy(ctx);
}

static void test_page(void **state)
{
    (void)state;
    size_t size = 0;
    const char *page = brn_view_page(&size);
    assert_int_equal(strlen(page), size);
    const char *marker = strstr(page, "<!--brunt:data-->");
    assert_non_null(marker);
    assert_null(strstr(marker + 1, "<!--brunt:data-->"));
    assert_int_equal(strncmp(page, "<!doctype html>", 15), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_packet),     cmocka_unit_test(test_series),
        cmocka_unit_test(test_frames),         cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_spoilt_folders), cmocka_unit_test(test_live_equals_recorded),
        cmocka_unit_test(test_two_threads),    cmocka_unit_test(test_live_elastic),
        cmocka_unit_test(test_notes),          cmocka_unit_test(test_page),
        cmocka_unit_test(test_stages),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
