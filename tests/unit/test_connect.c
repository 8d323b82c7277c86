/* Connections as the scene writes them: places, copies, who touches whom, and what is refused. */
#include "flow.h"

#include "model/model.h"

#include <math.h>

#define SCENE                                                                                               \
 "brunt: 1\nmethod: {type: sap}\ntime: {step: 0.01, end: 0.02}\n"                                           \
 "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"                                          \
 "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: hex20}}}\n"                          \
 "bodies:\n"                                                                                                \
 "  - {name: soft, type: deformable, mesh: m, material: a, position: [0, 0, 1]}\n"                          \
 "  - {name: box, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0.5, 0, 1], rotation: "    \
 "{axis: "                                                                                                  \
 "[0, 0, 1], degrees: 30}, repeat: {count: 4, spacing: [0.2, 0, 0]}}\n"                                     \
 "  - {name: post, type: rigid, shape: {sphere: {radius: 0.02}}, position: [0.5, 0.5, 1], repeat: {count: " \
 "4, "                                                                                                      \
 "spacing: [0, 0.1, 0]}}\n"                                                                                 \
 "  - {name: wall, type: static, shape: {box: {size: [0.1, 1, 1]}}, position: [-1, 0, 1]}\n"                \
 "  - {name: floor, type: static, shape: {plane: {}}}\n"

static void assert_place(const brn_model *model, const brn_anchor *anchor, double x, double y, double z)
{
    const double want[3] = {x, y, z};
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        double place = anchor->count > 0 ? 0.0 : anchor->rest[i];
        for (int k = 0; k < anchor->count; ++k) {
            place += anchor->weight[k] * model->rest[anchor->node[k]][i];
            sum += anchor->weight[k];
        }
        assert_near(place, want[i], 1e-12);
    }
    assert_near(sum, anchor->count > 0 ? 3.0 : 0.0, 1e-12);
}

/* A combination of nodes gives the place, in a cell, on a rigid body and off it. */
static void test_places(void **state)
{
    (void)state;
    flow f = flow_open(
        1,
        SCENE "connect:\n  - {name: hook, type: ball, between: [soft, wall], at: [0.013, 0.027, 1.05]}\n"
              "  - {type: distance, between: [box_1, soft], from: [0.2, 0.3, 1.4], to: [0.05, 0.02, 0.99]}\n"
              "  - {type: distance, between: [post_0], from: [0.5, 0.5, 1], to: [0.5, 0.5, 2], length: 1.5, "
              "slack: true}\n",
        NULL);
    const brn_model *model = f.model;
    brn_model_info info;
    brn_connection_info about;
    brn_model_get_info(model, &info);
    assert_int_equal(info.connections, 3);
    assert_place(model, &model->connect[0].point[0][0], 0.013, 0.027, 1.05);
    assert_place(model, &model->connect[0].point[0][1], 0.013, 0.027, 1.05);
    assert_place(model, &model->connect[1].point[0][0], 0.2, 0.3, 1.4);
    assert_place(model, &model->connect[1].point[0][1], 0.05, 0.02, 0.99);
    assert_place(model, &model->connect[2].point[0][1], 0.5, 0.5, 2.0);
    assert_int_equal(model->connect[0].point[0][0].count, 20);
    assert_int_equal(model->connect[0].point[0][1].count, 0);
    assert_done(f.ctx, brn_model_get_connection(model, 1, &about));
    assert_string_equal(about.name, "connect1");
    assert_string_equal(about.type, "distance");
    assert_near(about.length, sqrt(0.15 * 0.15 + 0.28 * 0.28 + 0.41 * 0.41), 1e-12);
    assert_near(about.place[1][2], 0.99, 1e-12);
    assert_done(f.ctx, brn_model_get_connection(model, 2, &about));
    assert_int_equal(about.body[1], -1);
    assert_near(about.length, 1.5, 0.0);
    assert_true(brn_model_get_connection(model, 3, &about) < 0);
    assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    flow_close(&f);
}

/* Copies with their number, with one, with the next. Those that share a point do not touch, those at a distance do. */
static void test_copies(void **state)
{
    (void)state;
    flow f = flow_open(
        1,
        SCENE
        "connect:\n"
        "  - {name: pairs, type: distance, between: [box, post], from: [0.5, 0, 1], to: [0.5, 0.5, 1]}\n"
        "  - {name: one, type: ball, between: [box, wall], at: [0.5, 0.05, 1]}\n"
        "  - {name: next, type: hinge, between: [post, post], at: [0.5, 0.55, 1], axis: [1, 0, 0]}\n",
        NULL);
    const brn_model *model = f.model;
    assert_int_equal(model->nconnect, 4 + 4 + 3);
    const int box = brn_model_find_body(model, "box_0");
    const int post = brn_model_find_body(model, "post_0");
    const int wall = brn_model_find_body(model, "wall");
    for (int i = 0; i < 4; ++i) {
        const brn_connection *pair = &model->connect[i];
        const brn_connection *one = &model->connect[4 + i];
        assert_int_equal(pair->point[0][0].body, box + i);
        assert_int_equal(pair->point[0][1].body, post + i);
        assert_place(model, &pair->point[0][0], 0.5 + 0.2 * i, 0.0, 1.0);
        assert_place(model, &pair->point[0][1], 0.5, 0.5 + 0.1 * i, 1.0);
        assert_int_equal(one->point[0][1].body, wall);
        assert_place(model, &one->point[0][0], 0.5 + 0.2 * i, 0.05, 1.0);
        assert_true(brn_model_apart(model, wall, box + i) && brn_model_apart(model, box + i, wall));
        assert_false(brn_model_apart(model, box + i, post + i));
    }
    for (int i = 0; i < 3; ++i) {
        const brn_connection *next = &model->connect[8 + i];
        assert_int_equal(next->npoint, 2);
        assert_int_equal(next->point[0][0].body, post + i);
        assert_int_equal(next->point[0][1].body, post + i + 1);
        for (int k = 0; k < 2;
             ++k) { /* both sides have the same two points, about the place along the axis */
            const double *a = next->point[k][0].rest;
            assert_place(model, &next->point[k][0], a[0], 0.55 + 0.1 * i, 1.0);
            assert_place(model, &next->point[k][1], a[0], 0.55 + 0.1 * i, 1.0);
        }
        assert_near(next->point[0][0].rest[0] + next->point[1][0].rest[0], 1.0, 1e-12);
        assert_true(fabs(next->point[0][0].rest[0] - 0.5) > 0.01);
        assert_true(brn_model_apart(model, post + i, post + i + 1));
    }
    assert_false(brn_model_apart(model, post, post + 2));
    assert_string_equal(model->connect[9].name, "next.1");
    flow_close(&f);
}

static void test_problems(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"{type: ball, between: [box_0, sof], at: [0, 0, 1]}",
         "connect[0].between[1] = sof: no such body; did you mean 'soft'?"},
        {"{type: ball, between: [box_0, box_0], at: [0, 0, 1]}", "is the body itself"},
        {"{type: ball, between: [wall, floor], at: [0, 0, 1]}", "nothing of it can move"},
        {"{type: ball, between: [wall], at: [0, 0, 1]}", "nothing of it can move"},
        {"{type: ball, between: [wall, soft, box], at: [0, 0, 1]}",
         "must be two bodies, or one for the world, found 3"},
        {"{type: ball, between: [soft, wall], at: [0.5, 0, 1]}",
         "0.45 m from body 'soft', more than 0.025 m"},
        {"{type: ball, between: [box_0, wall], at: [500, 0, 1]}", "m from body 'box_0', which is 0.2"},
        {"{type: ball, between: [box_0, wall], at: [.nan, 0, 1]}", "connect[0].at"},
        {"{type: ball, between: [box_0, wall], at: [0, 1]}", "must be a list of 3 numbers, found 2"},
        {"{type: ball, between: [box_0, wall]}", "connect[0].at: is missing: a ball needs it"},
        {"{type: ball, between: [box_0, wall], at: [0, 0, 1], length: 1}", "belongs to type distance"},
        {"{type: ball, between: [box_0, wall], at: [0, 0, 1], slack: true}", "belongs to type distance"},
        {"{type: ball, between: [box_0, wall], at: [0, 0, 1], to: [0, 0, 0]}", "has no meaning for a ball"},
        {"{type: rope, between: [box_0, wall], at: [0, 0, 1]}", "connect[0].type"},
        {"{type: hinge, between: [box_0, wall], at: [0, 0, 1]}", "connect[0].axis: is missing"},
        {"{type: hinge, between: [box_0, wall], at: [0, 0, 1], axis: [0, 0, 0]}", "must not be zero"},
        {"{type: hinge, between: [box_0, soft], at: [0, 0, 1], axis: [0, 0, 1]}",
         "use two connections of type ball"},
        {"{type: weld, between: [soft, box_0], at: [0, 0, 1]}", "use `attach`"},
        {"{type: distance, between: [box_0, wall], from: [0, 0, 1], to: [0, 0, 1]}", "is where 'from' is"},
        {"{type: distance, between: [box_0, wall], from: [0, 0, 1], to: [0, 0, 2], length: 0}",
         "must be > 0"},
        {"{type: distance, between: [box_0, wall], from: [0, 0, 1], to: [0, 0, 2], length: 1.1}",
         "leave it out"},
        {"{type: distance, between: [box_0, wall], from: [0, 0, 1], to: [0, 0, 2], length: 0.9, slack: true}",
         "are 1 m apart at the start: it must not be shorter"},
        {"{type: distance, between: [box_0, wall], from: [0, 0, 1], to: [0, 0, 2], stiffness: 0}",
         "must be > 0"},
        {"{type: distance, between: [post_0, box], from: [0, 0, 1], to: [0, 0, 2]}",
         "names 4 bodies, but between[0] names 1"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        char text[3000];
        (void)snprintf(text, sizeof text, SCENE "connect:\n  - %s\n", cases[c][0]);
        flow f;
        assert_int_equal(flow_try(1, text, NULL, &f), BRN_ERR_SCENE);
        bool found = false;
        for (int i = 0; i < brn_scene_problem_count(f.scene); ++i) {
            found = found || (strstr(brn_scene_problem(f.scene, i), cases[c][1]) != NULL &&
                              strstr(brn_scene_problem(f.scene, i), "flow.yaml:13") != NULL);
        }
        if (!found) {
            fail_msg("case %zu: '%s' not in '%s'", c, cases[c][1],
                     brn_scene_problem_count(f.scene) > 0 ? brn_scene_problem(f.scene, 0)
                                                          : brn_ctx_message(f.ctx));
        }
        flow_close(&f);
    }
}

/* A hinge has no meaning in 2D; methods without connections name the one that has them. */
static void test_refused(void **state)
{
    (void)state;
    static const char flat[] = "brunt: 1\ndimension: 2\nmethod: {type: sap}\nbodies:\n"
                               "  - {name: box, type: rigid, shape: {box: {size: [0.1, 0.1]}}}\n"
                               "connect: [{type: ball, between: [box], at: [0, 0]}]\n";
    flow f;
    assert_int_equal(flow_try(1, flat, "connect[0].type=hinge", &f), BRN_ERR_SCENE);
    assert_non_null(strstr(brn_scene_problem(f.scene, 0), "in 2D a ball leaves the same freedom"));
    flow_close(&f);
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(flow_try(1, flat, k == 0 ? "method=ipc" : "method=none", &f), BRN_ERR_SCENE);
        assert_non_null(strstr(brn_scene_problem(f.scene, 0), "connect[0]: method '"));
        assert_non_null(strstr(brn_scene_problem(f.scene, 0), "connected by: sap"));
        flow_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_problems),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
