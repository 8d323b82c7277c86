/* brn_vibration_write: its files hold the modes that were found, as readers see them that share nothing with what writes them. */
#define _GNU_SOURCE
#include "flow.h"
#include "unit/faulty.h"
#include "unit/full_disk.h"
#include "unit/no_fsync.h"
#include "unit/packet_reader.h"
#include "unit/vtu_reader.h"

#include <brunt/study.h>

#define DIR "vibration-files"

static const char text[] =
    "brunt: 1\n"
    "title: A post and a wall\n"
    "time: {step: 0.01, end: 0.01}\n"
    "method: {type: none}\n"
    "materials: {m: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000, damping: {beta: 1e-3}}}\n"
    "meshes: {a: {box: {size: [0.2, 0.2, 1], cells: [2, 2, 5], element: hex8}}, w: {box: {size: [0.1, 1, 1], "
    "cells: [1, 1, "
    "1]}}}\n"
    "bodies:\n"
    "  - {name: post, type: deformable, mesh: a, material: m}\n"
    "  - {name: wall, type: static, mesh: w, position: [-1, 0, 0]}\n"
    "fixed: [{name: foot, body: post, where: {face: -z}}]\n";

typedef struct found {
    flow f;
    brn_vibration *v;
    int count, nnode;
} found;

static found find(const brn_vibration_options *options)
{
    found it = {.f = flow_open(1, text, NULL)};
    assert_done(it.f.ctx, brn_vibration_find(it.f.ctx, it.f.model, options, &it.v));
    it.count = brn_vibration_count(it.v);
    it.nnode = flow_nodes(&it.f);
    flow_clear_folder(DIR);
    return it;
}

static void put_away(found *it)
{
    brn_vibration_destroy(it->v);
    flow_close(&it->f);
}

static brn_vibration_mode get(const found *it, int index)
{
    brn_vibration_mode mode;
    assert_int_equal(brn_vibration_get(it->v, index, &mode), BRN_OK);
    return mode;
}

static char *slurp(const char *name)
{
    char path[128];
    (void)snprintf(path, sizeof path, DIR "/%s", name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("%s is not there", path);
    }
    char *bytes = calloc(1 << 21, 1);
    assert_true(fread(bytes, 1, (1 << 21) - 1, file) < (1 << 21) - 1);
    (void)fclose(file);
    return bytes;
}

static bool is_there(const char *name)
{
    char path[128];
    (void)snprintf(path, sizeof path, DIR "/%s", name);
    return access(path, F_OK) == 0;
}

static void test_tables(void **state)
{
    (void)state;
    brn_vibration_options o = brn_vibration_options_default();
    o.modes = 5;
    o.body = "post";
    o.free = true;
    found it = find(&o);
    assert_int_equal(it.count, 11);
    assert_done(it.f.ctx, brn_vibration_write(it.f.ctx, it.f.model, it.v, text, DIR, 0.0));
    char *scene = slurp("scene.yaml");
    assert_string_equal(scene, text);
    assert_false(is_there("report.html"));

    char *json = slurp("modes.json");
    assert_true(json_is(json_get(json, "body"), "\"post\"") && json_is(json_get(json, "free"), "true"));
    assert_true(json_number(json_get(json, "rigid")) == 6 && json_number(json_get(json, "elastic")) == 5);
    assert_int_equal(json_count(json_get(json, "modes")), it.count);
    char *csv = slurp("modes.csv");
    const char *line = strchr(csv, '\n') + 1;
    for (int i = 0; i < it.count; ++i, line = strchr(line, '\n') + 1) {
        const brn_vibration_mode m = get(&it, i);
        /* Numbers come back to the same bits. */
        const char *entry = json_item(json_get(json, "modes"), i);
        assert_true(json_number(json_get(entry, "mode")) == i + 1);
        assert_true(json_is(json_get(entry, "rigid"), i < 6 ? "true" : "false"));
        assert_true(json_number(json_get(entry, "frequency")) == m.frequency);
        assert_true(json_number(json_get(entry, "damped")) == m.damped);
        assert_true(json_number(json_get(entry, "ratio")) == m.ratio);
        assert_true(json_number(json_get(entry, "lambda")) == m.lambda);
        assert_true(json_number(json_get(entry, "mass")) == m.mass);
        const double want[] = {i + 1,
                               i < 6,
                               m.frequency,
                               m.damped,
                               m.ratio,
                               m.lambda,
                               m.mass,
                               m.effective_mass[0],
                               m.effective_mass[1],
                               m.effective_mass[2]};
        char *at = (char *)line;
        for (size_t k = 0; k < sizeof want / sizeof *want; ++k) {
            assert_true(strtod(at, &at) == want[k]);
            assert_int_equal(*at++, k + 1 < sizeof want / sizeof *want ? ',' : '\n');
        }
    }
    assert_int_equal(*line, '\0');
    free(csv);
    free(json);
    free(scene);
    put_away(&it);
}

static void test_shapes(void **state)
{
    (void)state;
    found it = find(NULL);
    assert_int_equal(it.count, 10);
    assert_done(it.f.ctx, brn_vibration_write(it.f.ctx, it.f.model, it.v, NULL, DIR, 0.0));
    assert_false(is_there("scene.yaml"));
    vtu_file file = vtu_open(it.f.ctx, DIR "/modes.vtu");
    const size_t n = 3 * (size_t)it.nnode;
    expect_reals(&file, "<Points>", "position", brn_sim_positions(it.f.sim), n);
    for (int i = 0; i < it.count; ++i) {
        const brn_vibration_mode m = get(&it, i);
        char name[64];
        (void)snprintf(name, sizeof name, "mode_%02d_%.4gHz", i + 1, m.frequency);
        expect_reals(&file, "<PointData>", name, m.shape, n);
    }
    /* 20 cells of the post, 12 triangles of the wall, which has no cells of its own. */
    assert_int_equal(attribute(strstr(file.bytes, "<Piece"), "NumberOfCells"), 32);
    brn_ctx_free(it.f.ctx, file.bytes);
    put_away(&it);
}

/* A shape at the vertices, within half a step of its 16 bits; exactly 0 where it is 0. */
static void check_shape(const found *it, const packet *run, const packet *shape, int index)
{
    size_t nvertex = 0, n = 0;
    double *node = packet_array(run, "node", "u32", &nvertex);
    double *q = packet_array(shape, "shape", "u16", &n);
    const brn_vibration_mode m = get(it, index);
    assert_true(json_is(json_get(shape->json, "kind"), "\"shape\""));
    assert_true(json_number(json_get(shape->json, "index")) == index);
    assert_int_equal(n, 3 * nvertex);
    for (size_t i = 0; i < n; ++i) {
        const double u = m.shape[3 * (size_t)node[i % nvertex] + i / nvertex];
        const double got = (q[i] - 32768.0) / 32767.0;
        assert_true(u == 0.0 ? got == 0.0 : fabs(got - u) <= 0.5001 / 32767.0);
    }
    free(node);
    free(q);
}

static void check_page(const found *it, int kept)
{
    char *html = slurp("report.html");
    packet run = {0}, shape = {0};
    const char *at = page_run(html, 0);
    assert_true(page_next(&at, &run));
    assert_true(json_is(json_get(run.json, "name"), "\"" DIR "\""));
    assert_true(json_is(json_get(run.json, "title"), "\"A post and a wall\""));
    assert_int_equal(json_count(json_get(run.json, "frames")), 0);
    assert_int_equal(json_count(json_get(run.json, "fields")), 0);
    assert_int_equal(json_count(json_get(run.json, "notes")), 0);
    assert_int_equal((int)json_number(json_get(run.json, "recorded")), it->count);
    assert_int_equal(json_count(json_get(run.json, "modes")), kept);
    assert_int_equal(json_is(json_get(run.json, "thinned"), "null"), kept == it->count);
    for (int i = 0; i < kept; ++i) {
        const brn_vibration_mode m = get(it, i);
        const char *entry = json_item(json_get(run.json, "modes"), i);
        assert_true(json_number(json_get(entry, "frequency")) == m.frequency);
        assert_true(json_number(json_item(json_get(entry, "effective_mass"), 1)) == m.effective_mass[1]);
        assert_true(page_next(&at, &shape));
        check_shape(it, &run, &shape, i);
        packet_close(&shape);
    }
    assert_false(page_next(&at, &shape));
    assert_null(page_run(html, 1));
    packet_close(&run);
    free(html);
}

static void test_page(void **state)
{
    (void)state;
    found it = find(NULL);
    assert_done(it.f.ctx, brn_vibration_write(it.f.ctx, it.f.model, it.v, text, DIR "/", -1.0));
    check_page(&it, it.count);
    /* A budget that the page alone is beyond: one mode is shown nevertheless. */
    assert_done(it.f.ctx, brn_vibration_write(it.f.ctx, it.f.model, it.v, text, DIR, 0.001));
    check_page(&it, 1);
    /* Without a page none of an earlier search stays. */
    assert_done(it.f.ctx, brn_vibration_write(it.f.ctx, it.f.model, it.v, text, DIR, 0.0));
    assert_true(is_there("modes.json") && !is_there("report.html"));
    put_away(&it);
}

static void test_wrong_model(void **state)
{
    (void)state;
    found it = find(NULL);
    flow other = flow_open(1, text, "meshes.a.box.cells=[1, 1, 2]");
    assert_int_equal(brn_vibration_write(it.f.ctx, other.model, it.v, text, DIR, 0.0), BRN_ERR_RANGE);
    assert_false(is_there("modes.json"));
    brn_lock *lock = NULL;
    assert_done(it.f.ctx, brn_lock_take(it.f.ctx, DIR, &lock));
    assert_int_equal(brn_vibration_write(it.f.ctx, it.f.model, it.v, text, DIR, 0.0), BRN_ERR_BUSY);
    brn_lock_release(lock);
    flow_close(&other);
    put_away(&it);
}

static int on_full_disk(void *arg)
{
    const found *it = arg;
    const brn_status status = brn_vibration_write(it->f.ctx, it->f.model, it->v, text, DIR, -1.0);
    return status == BRN_ERR_FULL && !is_there("modes.json") && !is_there("report.html.tmp") ? 0 : 1;
}

static void test_full_disk(void **state)
{
    (void)state;
    found it = find(NULL);
    /* No table, no shapes, no page. */
    static const size_t limits[] = {100, 3000, 100000};
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(with_full_disk(limits[i], on_full_disk, &it), 0);
    }
    put_away(&it);
}

static brn_status every_allocation(brn_ctx *ctx, void *arg)
{
    (void)arg;
    brn_scene *scene = NULL;
    brn_model *model = NULL;
    brn_vibration *v = NULL;
    brn_status status = flow_scene(ctx, text, "meshes.a.box.cells=[1, 1, 1]", &scene);
    status = status >= 0 ? brn_model_compile(ctx, scene, &model) : status;
    status = status >= 0 ? brn_vibration_find(ctx, model, NULL, &v) : status;
    status = status >= 0 ? brn_vibration_write(ctx, model, v, text, DIR, -1.0) : status;
    brn_vibration_destroy(v);
    brn_model_destroy(model);
    brn_scene_destroy(scene);
    return status;
}

static void test_allocations(void **state)
{
    (void)state;
    assert_true(faulty_run(every_allocation, NULL, 0) > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),    cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_page),      cmocka_unit_test(test_wrong_model),
        cmocka_unit_test(test_full_disk), cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
