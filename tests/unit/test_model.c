/* Scene -> model: masses, regions, holds, loads, motions, and the problems that only a model can find. */
#include "test.h"

#include "base/param.h"
#include "model/model.h"

static brn_ctx *ctx;

static int set_up(void **state)
{
    (void)state;
    ctx = test_ctx(2);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    brn_ctx_destroy(ctx);
    return 0;
}

/* Compiles a scene given as text; NULL with the problems printed if it is refused. */
static brn_model *compile(const char *text, brn_scene **scene)
{
    brn_model *model = NULL;
    *scene = NULL;
    brn_status status = brn_scene_parse(ctx, text, strlen(text), "test.yaml", scene);
    if (status >= 0) {
        status = brn_model_compile(ctx, *scene, &model);
    }
    for (int i = 0; status < 0 && i < brn_scene_problem_count(*scene); ++i) {
        print_message("%s\n", brn_scene_problem(*scene, i));
    }
    return model;
}

#define HEAD                                                                      \
 "brunt: 1\ntime: {step: 0.01, end: 1}\nmethod: none\n"                           \
 "materials: {m: {type: neo_hookean, young: 1e6, poisson: 0.3, density: 1000}}\n" \
 "meshes:\n  b: {box: {size: [2, 1, 1], cells: [4, 2, 2], element: tet4}}\n"      \
 "  q: {box: {size: [2, 1, 1], cells: [4, 2, 2], element: hex20}}\n"

static void test_mass_kinds(void **state)
{
    (void)state;
    static const char *const meshes[] = {"b", "q"};
    static const char *const kinds[] = {"consistent", "lumped", "uniform"};
    for (int m = 0; m < 2; ++m) {
        for (int k = 0; k < 3; ++k) {
            char text[1024];
            (void)snprintf(text, sizeof text,
                           HEAD "bodies: [{name: c, type: deformable, mesh: %s, material: m, mass: %s, "
                                "position: [1, 2, 3]}]\n",
                           meshes[m], kinds[k]);
            brn_scene *scene = NULL;
            brn_model *model = compile(text, &scene);
            assert_non_null(model);
            brn_body_info body;
            assert_done(ctx, brn_model_get_body(model, 0, &body));
            assert_near(body.volume, 2.0, 1e-13);
            assert_near(body.mass, 2000.0, 1e-10);
            for (int i = 0; i < 3; ++i) {
                /* A uniform mass knows nothing of volumes; the others put the centre exactly where it is. */
                assert_near(body.centre[i], 1.0 + i, k == 2 ? 0.05 : 1e-13);
            }
            assert_int_equal(model->mass_diagonal, k != 0);
            for (int a = 0; a < model->nnode && k > 0; ++a) {
                assert_true(model->mass->value[model->mass->start[a]] > 0.0);
            }
            brn_model_destroy(model);
            brn_scene_destroy(scene);
        }
    }
}

/* Every selector, with the number of nodes it must find in the 4x2x2-cell box (5x3x3 nodes, 2x1x1 m). */
static void test_regions(void **state)
{
    (void)state;
    static const struct {
        const char *where;
        int nodes;
    } cases[] = {
        {"{face: +x}", 9},
        {"{face: -z}", 15},
        {"{box: {min: [-1, -1, -1], max: [-0.4, 1, 1]}}", 18},
        {"{sphere: {centre: [1, 0.5, 0.5], radius: 0.5001}}", 4},
        {"{nodes: [0, 7, 3, 7]}", 3},
        {"{nearest: [-1.2, -0.6, -0.7]}", 1},
        {"{group: +y}", 15},
        {"{all: true}", 45},
    };
    for (int i = 0; i < BRN_COUNT(cases); ++i) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       HEAD "bodies: [{name: c, type: deformable, mesh: b, material: m}]\n"
                            "output: {probes: [{name: p, body: c, where: %s}]}\n",
                       cases[i].where);
        brn_scene *scene = NULL;
        brn_model *model = compile(text, &scene);
        assert_non_null(model);
        if (model->probe[0].nnode != cases[i].nodes) {
            fail_msg("%s: %d nodes, want %d", cases[i].where, model->probe[0].nnode, cases[i].nodes);
        }
        brn_model_destroy(model);
        brn_scene_destroy(scene);
    }
}

static void test_loads(void **state)
{
    (void)state;
    brn_scene *scene = NULL;
    brn_model *model =
        compile(HEAD "bodies: [{name: c, type: deformable, mesh: q, material: m}]\n"
                     "loads:\n"
                     "  - {body: c, where: {face: +x}, force: [1, 2, 3]}\n"
                     "  - {body: c, where: {face: +x}, traction: [1, 2, 3], ramp: {from: 1, to: 3}}\n"
                     "  - {body: c, where: {face: +z}, pressure: 5}\n",
                &scene);
    assert_non_null(model);
    for (int load = 0; load < 2; ++load) {
        for (int i = 0; i < 3; ++i) {
            double sum = 0.0;
            for (int a = 0; a < model->load[load].nnode; ++a) {
                sum += model->load[load].force[3 * a + i];
            }
            assert_near(sum, 1.0 + i, 1e-14); /* the +x face has area 1 */
        }
    }
    assert_near(brn_load_factor(&model->load[0], 0.0), 1.0, 0.0);
    assert_near(brn_load_factor(&model->load[1], 1.0), 0.0, 0.0);
    assert_near(brn_load_factor(&model->load[1], 1.5), 0.25, 0.0);
    assert_near(brn_load_factor(&model->load[1], 4.0), 1.0, 0.0);
    assert_int_equal(model->load[2].nface[BRN_QUAD8], 8);
    brn_model_destroy(model);
    brn_scene_destroy(scene);
}

static void test_motions(void **state)
{
    (void)state;
    double table[] = {0, 0, 0, 0, 1, 2, 0, 0, 3, 2, 4, 0};
    const brn_motion moved = {.velocity = {1, 0, 0}, .axis = {0, 0, 1}, .until = 2.0};
    const brn_motion turned = {
        .angular_velocity = 0.5, .point = {1, 0, 0}, .axis = {0, 0, 1}, .until = INFINITY};
    const brn_motion tabled = {.axis = {0, 0, 1}, .until = INFINITY, .rows = 3, .table = table};
    const double rest[3] = {3.0, 0.0, 1.0};
    double x[3];
    double v[3];
    brn_motion_place(&moved, rest, 1.5, x, v);
    assert_near(x[0], 4.5, 0.0);
    assert_near(v[0], 1.0, 0.0);
    brn_motion_place(&moved, rest, 2.0, x, v); /* the velocity is that of the time just passed */
    assert_near(v[0], 1.0, 0.0);
    brn_motion_place(&moved, rest, 3.0, x, v);
    assert_near(x[0], 5.0, 0.0);
    assert_near(v[0], 0.0, 0.0);
    brn_motion_place(&turned, rest, 1.0, x, v);
    assert_near(x[0], 1.0 + 2.0 * cos(0.5), 1e-15);
    assert_near(x[1], 2.0 * sin(0.5), 1e-15);
    assert_near(v[1], cos(0.5), 1e-15);
    brn_motion_place(&tabled, rest, 0.5, x, v);
    assert_near(x[0], 4.0, 0.0);
    assert_near(v[0], 2.0, 0.0);
    brn_motion_place(&tabled, rest, 2.0, x, v);
    assert_near(x[0], 5.0, 0.0);
    assert_near(x[1], 2.0, 0.0);
    brn_motion_place(&tabled, rest, 9.0, x, v);
    assert_near(x[1], 4.0, 0.0);
    assert_near(v[1], 0.0, 0.0);
    /* Position and velocity agree: central differences of a smooth motion, truncation h^2/6 |x'''| = 4e-12. */
    double a[3];
    double b[3];
    brn_motion_place(&turned, rest, 0.7 + 1e-5, b, NULL);
    brn_motion_place(&turned, rest, 0.7 - 1e-5, a, NULL);
    brn_motion_place(&turned, rest, 0.7, NULL, v);
    for (int i = 0; i < 3; ++i) {
        assert_near((b[i] - a[i]) / 2e-5, v[i], 1e-10);
    }
}

static void test_initial_spin(void **state)
{
    (void)state;
    brn_scene *scene = NULL;
    brn_model *model =
        compile(HEAD "bodies: [{name: c, type: deformable, mesh: b, material: m, position: [5, 0, 0], "
                     "velocity: [1, 0, 0], angular_velocity: [0, 0, 2], "
                     "rotation: [{axis: [0, 0, 1], degrees: 90}, {axis: [1, 0, 0], degrees: 90}]}]\n",
                &scene);
    assert_non_null(model);
    for (int a = 0; a < model->nnode; ++a) {
        assert_near(model->vel0[a][0], 1.0 - 2.0 * model->rest[a][1], 1e-13);
        assert_near(model->vel0[a][1], 2.0 * (model->rest[a][0] - 5.0), 1e-13);
        /* x -> y -> z: the long side now stands upright. */
        assert_true(fabs(model->rest[a][2]) <= 1.0 + 1e-12 && fabs(model->rest[a][1]) <= 0.5 + 1e-12);
    }
    brn_model_destroy(model);
    brn_scene_destroy(scene);
}

static void test_problems(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"bodies: [{name: c, type: deformable, mesh: bb, material: m}]\n", "no such mesh; did you mean 'b'?"},
        {"bodies: [{name: c, type: deformable, mesh: b, material: rubber}]\n",
         "no such material; there is: m"},
        {"bodies: [{name: c, type: deformable, mesh: b, material: m}]\nfixed: [{body: d, where: {face: "
         "+x}}]\n",
         "no such body; there is: c"},
        {"bodies: [{name: c, type: deformable, mesh: b, material: m}]\n"
         "fixed: [{body: c, where: {box: {min: [5, 5, 5], max: [6, 6, 6]}}}]\n",
         "selects no node; body 'c' spans [-1, -0.5, -0.5] to [1, 0.5, 0.5]"},
        {"bodies: [{name: c, type: deformable, mesh: b, material: m}]\nfixed: [{body: c, where: {nodes: "
         "[45]}}]\n",
         "body 'c' has nodes 0 to 44"},
        {"bodies: [{name: c, type: deformable, mesh: b, material: m}]\nfixed: [{body: c, where: {group: "
         "top}}]\n",
         "has no group 'top'"},
        {"bodies: [{name: c, type: deformable, mesh: b, material: m}]\n"
         "fixed: [{body: c, where: {face: +x}}, {body: c, where: {face: +y}, motion: {velocity: [1, 0, "
         "0]}}]\n",
         "is held by 'fixed0' already"},
        {"bodies: [{name: c, type: deformable, mesh: b, material: m}]\n"
         "loads: [{body: c, where: {nearest: [0, 0, 0]}, pressure: 1}]\n",
         "no whole boundary face"},
        {"bodies: [{name: c, type: deformable, mesh: b, material: m}]\nloads: [{body: c, where: {face: "
         "+x}}]\n",
         "must have exactly one of force, traction, pressure; found 0"},
        {"bodies: [{name: c, type: deformable, mesh: b, material: m, angular_velocity: [1, 2]}]\n",
         "needs 3 numbers in 3D, found 2"},
        {"bodies: []\n", "at least one body"},
        {"bodies: [{name: c, type: deformable, mesh: b, material: m}]\noutput: {plot: {x: kinetik, y: "
         "elastic}}\n",
         "output.plot.x = kinetik: this run has no such column; did you mean 'kinetic'?"},
        {"bodies: [{name: c, type: deformable, mesh: b, material: m}]\n"
         "output: {plot: [{y: elastic}, {y: p.pressure}], probes: [{name: p, body: c, where: {all: "
         "true}}]}\n",
         "output.plot[1].y = p.pressure: this run has no such column; there is: p.x, p.y, p.z, p.dx, p.dy, "
         "p.dz, p.vx, p.vy, p.vz"},
        {"bodies: [{name: c, type: deformable, mesh: b, material: m}]\noutput: {plot: {y: c.force_x}}\n",
         "columns are figures of docs/output.md"},
    };
    for (int i = 0; i < BRN_COUNT(cases); ++i) {
        char text[2048];
        (void)snprintf(text, sizeof text, "%s%s", HEAD, cases[i].text);
        brn_scene *scene = NULL;
        brn_model *model = NULL;
        assert_done(ctx, brn_scene_parse(ctx, text, strlen(text), "test.yaml", &scene));
        assert_int_equal(brn_model_compile(ctx, scene, &model), BRN_ERR_SCENE);
        assert_null(model);
        assert_int_equal(brn_scene_problem_count(scene), 1);
        if (strstr(brn_scene_problem(scene, 0), cases[i].message) == NULL) {
            fail_msg("got  %s\nwant %s", brn_scene_problem(scene, 0), cases[i].message);
        }
        brn_scene_destroy(scene);
    }
}

/* A bad body does not hide a bad load: everything wrong is told at once. */
static void test_all_problems_at_once(void **state)
{
    (void)state;
    const char text[] = HEAD "bodies:\n  - {name: c, type: deformable, mesh: x1, material: m}\n"
                             "  - {name: d, type: deformable, mesh: b, material: y1}\n"
                             "  - {name: e, type: deformable, mesh: b, material: m}\n"
                             "fixed: [{body: e, where: {nodes: [99]}}]\n"
                             "loads: [{body: zz, where: {face: +x}, pressure: 1}]\n";
    brn_scene *scene = NULL;
    brn_model *model = NULL;
    assert_done(ctx, brn_scene_parse(ctx, text, strlen(text), "test.yaml", &scene));
    assert_int_equal(brn_model_compile(ctx, scene, &model), BRN_ERR_SCENE);
    assert_int_equal(brn_scene_problem_count(scene), 4);
    assert_non_null(strstr(brn_scene_problem(scene, 0), "test.yaml:9: bodies[0].mesh"));
    brn_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass_kinds),
        cmocka_unit_test(test_regions),
        cmocka_unit_test(test_loads),
        cmocka_unit_test(test_motions),
        cmocka_unit_test(test_initial_spin),
        cmocka_unit_test(test_problems),
        cmocka_unit_test(test_all_problems_at_once),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
