/* Copies of bodies: where they stand, what they are called, what a name of the scene means to holds, loads, probes and pairs. */
#include "faulty.h"
#include "flow.h"

#include "api/registry.h"
#include "api/series_row.h"
#include "base/param.h"
#include "model/model.h"
#include "model/repeat.h"

#include <math.h>

#define HEAD                                                                      \
 "brunt: 1\ntime: {step: 0.01, end: 0.02}\nmethod: ipc\ngravity: [0, 0, 0]\n"     \
 "materials: {m: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000}}\n" \
 "meshes: {b: {box: {size: [0.2, 0.1, 0.06], cells: [2, 1, 1], element: hex8}}}\n"
#define WALL                                                                                       \
 "{name: wall, type: deformable, mesh: b, material: m, position: [1, 2, 3], velocity: [0, 0, 1], " \
 "repeat: {count: [2, 3, 4], spacing: [0.3, -0.2, 0.1], stagger: [0.05, 0, 0]}}"

static double centre(const brn_model *model, const char *name, int axis)
{
    const int body = brn_model_find_body(model, name);
    assert_true(body >= 0);
    return model->body[body].centre[axis];
}

static void test_places_and_names(void **state)
{
    (void)state;
    flow f = flow_open(1, HEAD "bodies: [" WALL ", {name: one, type: static, mesh: b}]\n", NULL);
    const brn_model *model = f.model;
    assert_int_equal(model->nbody, 25);
    assert_int_equal(model->nsource, 2);
    assert_string_equal(model->body[0].name, "wall_0_0_0");
    assert_string_equal(model->body[1].name, "wall_1_0_0");
    assert_string_equal(model->body[2].name, "wall_0_1_0");
    assert_string_equal(model->body[23].name, "wall_1_2_3");
    for (int k = 0; k < 4; ++k) {
        for (int j = 0; j < 3; ++j) {
            for (int i = 0; i < 2; ++i) {
                char name[64];
                (void)snprintf(name, sizeof name, "wall_%d_%d_%d", i, j, k);
                assert_near(centre(model, name, 0), 1.0 + 0.3 * i + (k % 2 == 1 ? 0.05 : 0.0), 1e-14);
                assert_near(centre(model, name, 1), 2.0 - 0.2 * j, 1e-14);
                assert_near(centre(model, name, 2), 3.0 + 0.1 * k, 1e-14);
            }
        }
    }
    /* Every copy is a body like one written by hand. */
    brn_body_info info;
    assert_done(f.ctx, brn_model_get_body(model, 7, &info));
    assert_near(info.mass, 1.2, 1e-12);
    assert_string_equal(info.source, "wall");
    assert_int_equal(info.copies, 24);
    assert_true(model->vel0[info.node_first][2] == 1.0);
    assert_done(f.ctx, brn_model_get_body(model, 24, &info));
    assert_string_equal(info.source, "one");
    assert_int_equal(info.copies, 1);
    flow_close(&f);
}

/* The same bodies written out one by one give the same bits. */
static void test_same_as_written_out(void **state)
{
    (void)state;
    static const char *const texts[2] = {
        HEAD
        "contact: {friction: 0.3}\n"
        "bodies: [{name: c, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, angular_velocity: [0, 1, 0], "
        "repeat: {count: 3, spacing: [0, 0, 0.1002]}}]\n",
        HEAD "contact: {friction: 0.3}\n"
             "bodies: [{name: c_0, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, angular_velocity: [0, "
             "1, 0]},\n"
             "{name: c_1, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, angular_velocity: [0, 1, 0], "
             "position: [0, 0, 0.1002]},\n"
             "{name: c_2, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, angular_velocity: [0, 1, 0], "
             "position: [0, 0, 0.2004]}]\n"};
    uint64_t hash[2];
    for (int i = 0; i < 2; ++i) {
        flow f = flow_open(1, texts[i], "method.dhat=1e-3");
        brn_report report;
        int contacts = 0;
        (void)brn_sim_contacts(f.sim, &contacts);
        assert_true(contacts > 0);
        for (int step = 0; step < 2; ++step) {
            assert_done(f.ctx, brn_sim_step(f.sim, &report));
        }
        hash[i] = brn_sim_hash(f.sim);
        flow_close(&f);
    }
    assert_true(hash[0] == hash[1]);
}

/* Within its bounds, the same for the same seed whatever the number of copies, another for another seed or body. */
static void test_jitter(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "bodies:\n"
             "  - {name: a, type: deformable, mesh: b, material: m, repeat: {count: 50, spacing: [1, 0, 0], "
             "jitter: {position: [0.01, 0.02, 0], rotation: 5}}}\n"
             "  - {name: b, type: deformable, mesh: b, material: m, position: [0, 5, 0], repeat: {count: 50, "
             "spacing: [1, 0, 0], jitter: {position: [0.01, 0.02, 0], rotation: 5}}}\n";
    flow f = flow_open(1, text, NULL);
    flow same = flow_open(1, text, "bodies.a.repeat.count=60");
    flow other = flow_open(1, text, "seed=2");
    double most[2] = {0.0, 0.0};
    double turned = 0.0;
    int alike = 0;
    for (int i = 0; i < 50; ++i) {
        const double *c = f.model->body[i].centre;
        const double off[2] = {c[0] - i, c[1]};
        for (int k = 0; k < 2; ++k) {
            most[k] = fmax(most[k], fabs(off[k]));
            assert_true(fabs(off[k]) <= 0.01 * (k + 1) + 1e-12);
        }
        assert_near(c[2], 0.0, 1e-14);
        const int node = f.model->body[i].node_first;
        double edge[3];
        for (int k = 0; k < 3; ++k) {
            edge[k] = f.model->rest[node + 1][k] - f.model->rest[node][k];
        }
        const double angle = acos(fmin(1.0, fabs(edge[0]) / 0.1));
        turned = fmax(turned, angle);
        assert_true(angle <= 5.0 * 3.14159265358979 / 180.0 + 1e-7);
        assert_memory_equal(c, same.model->body[i].centre, 3 * sizeof *c);
        alike += c[0] == other.model->body[i].centre[0] || off[1] == f.model->body[50 + i].centre[1] - 5.0;
    }
    assert_int_equal(alike, 0);
    assert_true(most[0] > 0.008 && most[1] > 0.016 && turned > 0.05); /* 50 draws come near the bounds */
    flow_close(&f);
    flow_close(&same);
    flow_close(&other);
}

static void test_regions_of_copies(void **state)
{
    (void)state;
    flow f = flow_open(
        1,
        HEAD "bodies: [" WALL "]\n"
             "fixed:\n"
             "  - {body: wall, where: {face: -z}, axes: z}\n"
             "  - {name: top, body: wall_1_2_3, where: {face: +z}, axes: x}\n"
             "  - {name: half, body: wall, where: {box: {min: [0, 0, 3.15], max: [9, 9, 9]}}, axes: y}\n"
             "loads:\n"
             "  - {body: wall, where: {face: +x}, force: [24, 0, 0]}\n"
             "  - {body: wall, where: {face: +x}, traction: [1000, 0, 0]}\n"
             "  - {body: wall, where: {face: +x}, pressure: 5}\n"
             "output: {probes: [{name: p, body: wall, where: {all: true}},\n"
             "  {name: n, body: wall, where: {nearest: [1.4, 1.55, 3.3]}}]}\n",
        NULL);
    const brn_model *model = f.model;
    assert_int_equal(model->hold[0].nnode, 24 * 6); /* the lowest face of each, not of the pile */
    assert_int_equal(model->hold[1].nnode, 6);
    assert_int_equal(model->hold[2].nnode, 12 * 12); /* layers at 3.2 and 3.3 */
    assert_int_equal(model->load[0].nnode, 24 * 4);
    double sum = 0.0;
    for (int k = 0; k < model->load[0].nnode; ++k) {
        sum += model->load[0].force[3 * k];
    }
    assert_near(sum, 24.0, 1e-12); /* the total of all copies */
    sum = 0.0;
    for (int k = 0; k < model->load[1].nnode; ++k) {
        sum += model->load[1].force[3 * k];
    }
    assert_near(sum, 24 * 0.1 * 0.06 * 1000.0, 1e-10);
    assert_int_equal(model->load[2].nface[BRN_QUAD4], 24);
    assert_int_equal(model->probe[0].nnode, 24 * 12);
    /* The nearest node of all is a corner of copy (1, 2, 3): 1.35 + 0.05 .. 1.45, 1.6 - 0.05, 3.3 -+ 0.03. */
    assert_int_equal(model->probe[1].nnode, 1);
    const brn_body *last = &model->body[23];
    assert_true(model->probe[1].node[0] >= last->node_first);
    flow_close(&f);
}

static void test_pairs_of_copies(void **state)
{
    (void)state;
    flow f = flow_open(1,
                       HEAD "bodies: [" WALL ", {name: floor, type: static, mesh: b}]\n"
                            "contact:\n"
                            "  friction: 0.5\n"
                            "  pairs:\n"
                            "    - {between: [wall, floor], friction: 0.1}\n"
                            "    - {between: [wall_1_0_0, wall], friction: 0.2}\n"
                            "    - {between: [floor, wall_0_1_0], friction: 0.3}\n",
                       NULL);
    const brn_model *model = f.model;
    assert_int_equal(model->nkind, 4); /* wall, floor and two copies named alone */
    for (int i = 0; i < 25; ++i) {
        for (int j = 0; j < 25; ++j) {
            const bool ground = i == 24 || j == 24;
            const bool first = i == 1 || j == 1;
            const bool second = i == 2 || j == 2;
            const double want = i == 24 && j == 24 ? 0.5 : ground ? (second ? 0.3 : 0.1) : first ? 0.2 : 0.5;
            assert_near(brn_sim_get_friction(f.sim, i, j), want, 0.0);
        }
    }
    /* A hand on one copy is a hand on all of its kind. */
    assert_done(f.ctx, brn_sim_set_friction(f.sim, 5, 24, 0.7));
    assert_near(brn_sim_get_friction(f.sim, 24, 9), 0.7, 0.0);
    assert_near(brn_sim_get_friction(f.sim, 24, 2), 0.3, 0.0);
    flow_close(&f);
}

/* Keys that only some methods use reach the model by pairs, whoever asks for them; what nobody gives is not even a table. */
static void test_contact_keys(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "bodies: [" WALL ", {name: floor, type: static, mesh: b}]\n"
             "contact:\n"
             "  restitution: 0.5\n"
             "  pairs:\n"
             "    - {between: [wall, floor], stiffness: 1e9}\n"
             "    - {between: [wall_1_0_0, floor], restitution: 0.25, stiffness: 2e9}\n";
    flow f = {.ctx = test_ctx(1)};
    brn_registry registry;
    brn_registry_fill(&registry);
    assert_done(f.ctx, flow_scene(f.ctx, text, NULL, &f.scene));
    assert_done(f.ctx, brn_scene_resolve(f.scene, &registry.schema));
    assert_done(f.ctx, brn_model_build(f.ctx, f.scene, &f.model));
    const brn_model *model = f.model;
    const double *restitution = model->contact_key[BRN_CONTACT_RESTITUTION];
    const double *stiffness = model->contact_key[BRN_CONTACT_STIFFNESS];
    assert_null(model->contact_key[BRN_CONTACT_RELAXATION]);
    assert_near(restitution[brn_model_pair(model, 0, 5)], 0.5, 0.0);
    assert_near(restitution[brn_model_pair(model, 0, 24)], 0.5, 0.0);
    assert_near(restitution[brn_model_pair(model, 24, 1)], 0.25, 0.0);
    assert_near(stiffness[brn_model_pair(model, 24, 0)], 1e9, 0.0);
    assert_near(stiffness[brn_model_pair(model, 1, 24)], 2e9, 0.0);
    assert_true(isnan(stiffness[brn_model_pair(model, 0, 1)]));
    flow_close(&f);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *sets, *want;
    } cases[] = {
        {"bodies.wall.repeat.count=[2, 3]", "repeat.count: must be 1 number, or 3 in 3D, found 2"},
        {"bodies.wall.repeat.count=[2, 0, 1]", "repeat.count[1] = 0: must be >= 1"},
        {"bodies.wall.repeat.spacing=[0.3, 0, 0.1]", "is 0 in y, where count is 3: copies would coincide"},
        {"bodies.wall.repeat={count: 3, spacing: [0, 0, 0]}", "must not be zero: copies would coincide"},
        {"bodies.wall.repeat.count=[100, 100, 100]", "makes 1000000 copies; at most 65535 bodies"},
        {"bodies.wall.repeat.count=[1, 1, 65535]", "bodies[1].repeat: more than 65535 bodies in all"},
        {"bodies.wall.repeat.jitter={position: [1, 2]}", "must be 1 or 3 numbers, found 2"},
        {"bodies.wall.repeat.jitter={rotation: 200}", "must be in [0, 180]"},
        {"bodies[1].name=wall_3", "reads like a copy of 'wall', which is repeated"},
        {"bodies[1].repeat={count: 2, spacing: [0, 0, 1]}", "a half-space is unbounded"},
        {"loads=[{body: wall_2_0_0, where: {all: true}, force: [1, 0, 0]}]",
         "no such body; copies of 'wall' are wall_0_0_0 to wall_1_2_3"},
        {"bodies.wall.angular_velocity=[1]", "angular_velocity: needs 3 numbers in 3D, found 1"},
        {"bodies.wall.material=x", "no such material"},
    };
    for (int i = 0; i < BRN_COUNT(cases); ++i) {
        flow f;
        assert_int_equal(
            flow_try(1, HEAD "bodies: [" WALL ", {name: floor, type: static, shape: {plane: {}}}]\n",
                     cases[i].sets, &f),
            BRN_ERR_SCENE);
        assert_int_equal(brn_scene_problem_count(f.scene), 1);
        if (strstr(brn_scene_problem(f.scene, 0), cases[i].want) == NULL) {
            fail_msg("%s: found '%s', want '%s'", cases[i].sets, brn_scene_problem(f.scene, 0),
                     cases[i].want);
        }
        flow_close(&f);
    }
}

static bool has_column(const brn_series_row *row, const char *name)
{
    bool found = false;
    for (int i = 0; i < row->count; ++i) {
        found = found || strcmp(row->name[i], name) == 0;
    }
    return found;
}

/* A few copies have columns like other bodies; of many only those that a probe looks at alone. */
static void test_columns(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "bodies:\n"
             "  - {name: a, type: rigid, mesh: b, repeat: {count: 3, spacing: [1, 0, 0]}}\n"
             "  - {name: peg, type: static, mesh: b, position: [0, 3, 0], repeat: {count: 2, spacing: [1, 0, "
             "0]}}\n"
             "  - {name: floor, type: static, mesh: b, position: [0, 6, 0]}\n"
             "output: {probes: [{name: all, body: a, where: {all: true}}, {name: one, body: a_2, where: "
             "{all: true}}]}\n";
    for (int many = 0; many < 2; ++many) {
        flow f = flow_open(1, text, many ? "bodies.a.repeat.count=70" : NULL);
        brn_series_row row = {.ctx = f.ctx};
        assert_done(f.ctx, brn_series_row_make(&row, f.model, brn_method_of_table(f.model->method)));
        assert_int_equal(has_column(&row, "a_0.x"), !many);
        assert_int_equal(has_column(&row, "a_0.contact_x"), !many);
        assert_int_equal(has_column(&row, "peg_1.force_x"), !many);
        assert_int_equal(has_column(&row, "peg_1.contact_x"), !many);
        static const char *const always[] = {"a_2.x",           "a_2.rz", "a_2.contact_y", "floor.force_z",
                                             "floor.contact_z", "all.x",  "one.vx"};
        for (int i = 0; i < BRN_COUNT(always); ++i) {
            assert_true(has_column(&row, always[i]));
        }
        brn_report report;
        assert_done(f.ctx, brn_sim_report(f.sim, &report));
        double *values = calloc((size_t)row.count, sizeof *values);
        assert_non_null(values);
        brn_series_row_fill(&row, f.sim, &report, values);
        for (int i = 0; i < row.count; ++i) {
            if (strcmp(row.name[i], "a_2.x") == 0 || strcmp(row.name[i], "one.x") == 0) {
                assert_near(values[i], 2.0, 1e-12);
            }
            if (strcmp(row.name[i], "all.x") == 0) {
                assert_near(values[i], many ? 34.5 : 1.0, 1e-12);
            }
        }
        free(values);
        brn_series_row_clear(&row);
        flow_close(&f);
    }
}

static brn_status compile_once(brn_ctx *ctx, void *text)
{
    brn_scene *scene = NULL;
    brn_model *model = NULL;
    brn_status status = brn_scene_parse(ctx, text, strlen(text), "flow.yaml", &scene);
    status = status >= 0 ? brn_model_compile(ctx, scene, &model) : status;
    brn_model_destroy(model);
    brn_scene_destroy(scene);
    return status;
}

static void test_every_allocation_fails(void **state)
{
    (void)state;
    static char text[] = HEAD
        "bodies:\n"
        "  - {name: a, type: deformable, mesh: b, material: m, materials: [{where: {box: {min: [0, -1, -1], "
        "max: [1, 1, "
        "1]}}, material: m}], repeat: {count: 2, spacing: [1, 0, 0], jitter: {position: 0.1, rotation: 1}}}\n"
        "  - {name: r, type: rigid, shape: {sphere: {radius: 0.1}}, position: [0, 3, 0], repeat: {count: 2, "
        "spacing: "
        "[1, 0, 0]}}\n"
        "fixed: [{body: a, where: {face: -z}}]\n"
        "loads: [{body: a, where: {all: true}, pressure: 1}, {body: a_1, where: {all: true}, traction: [1, "
        "0, "
        "0]}]\n"
        "contact: {friction: 0.1, pairs: [{between: [a_1, r], friction: 0.3}]}\n";
    assert_true(faulty_run(compile_once, text, 0) > 100);
}

static void test_find(void **state)
{
    (void)state;
    int counts[3] = {2, 3, 12};
    const brn_body_common body = {.name = "a_b", .repeat = {.count = {3, counts}}};
    static const struct {
        const char *word;
        int copy;
    } cases[] = {{"a_b_0_0_0", 0},   {"a_b_1_0_0", 1},    {"a_b_0_1_0", 2},
                 {"a_b_1_2_11", 71}, {"a_b_1_2_12", -1},  {"a_b", -1},
                 {"a_b_1", -1},      {"a_b_1_2_3_0", -1}, {"a_b_01_0_0", -1},
                 {"a_b_-1_0_0", -1}, {"a_b_ 1_0_0", -1},  {"a_b_99999999999999999999_0_0", -1}};
    for (int i = 0; i < BRN_COUNT(cases); ++i) {
        assert_int_equal(brn_repeat_find(&body, cases[i].word), cases[i].copy);
    }
    for (int copy = 0; copy < 72; ++copy) {
        char name[32];
        brn_repeat_name(&body, copy, name, sizeof name);
        assert_int_equal(brn_repeat_find(&body, name), copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places_and_names),
        cmocka_unit_test(test_same_as_written_out),
        cmocka_unit_test(test_jitter),
        cmocka_unit_test(test_regions_of_copies),
        cmocka_unit_test(test_pairs_of_copies),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_contact_keys),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
