/* Round bodies of coarse meshes weigh less than they should: who is told, and how much. */
#include "test.h"

#include "model/model.h"

typedef struct told {
    int count;
    char text[512];
} told;

static void on_log(void *user, brn_log_level level, const char *message)
{
    told *t = user;
    if (level >= BRN_LOG_WARNING) {
        t->count++;
        (void)snprintf(t->text, sizeof t->text, "%s", message);
    }
}

/* Compiles a scene with that mesh and body; the volume of the body. */
static double compile(int dimension, const char *mesh, const char *body, told *t)
{
    char text[1024];
    (void)snprintf(text, sizeof text,
                   "brunt: 1\ndimension: %d\ntime: {step: 1, end: 1}\nmethod: {type: none}\n"
                   "materials: {m: {type: stvk, young: 1.0e6, poisson: 0.3, density: 1000}}\n"
                   "meshes: {g: {%s}}\nbodies: [{name: b, mesh: g, %s}]\n",
                   dimension, mesh, body);
    *t = (told){0};
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    options.log = on_log;
    options.log_user = t;
    brn_ctx *ctx = NULL;
    brn_scene *scene = NULL;
    brn_model *model = NULL;
    assert_true(brn_ctx_create(&options, &ctx) >= 0);
    assert_done(ctx, brn_scene_parse(ctx, text, strlen(text), "round.yaml", &scene));
    assert_done(ctx, brn_model_compile(ctx, scene, &model));
    const double volume = model->body[0].volume;
    brn_model_destroy(model);
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
    return volume;
}

#define SOLID "type: deformable, material: m"

static void test_how_much(void **unused)
{
    (void)unused;
    static const struct {
        int dimension;
        const char *mesh, *body;
        double exact;
    } cases[] = {
        {3, "sphere: {radius: 0.5, resolution: 0.4}", SOLID, M_PI / 6.0},
        {3, "sphere: {radius: 0.5, resolution: 0.4}, scale: [2, 1, 3]", SOLID, M_PI},
        {3, "sphere: {radius: 0.5, resolution: 0.4}, scale: 2", SOLID, 8.0 * M_PI / 6.0},
        {3, "sphere: {radius: 0.5, resolution: 0.4}", "type: rigid, density: 500", M_PI / 6.0},
        {3, "icosphere: {radius: 0.5, subdivisions: 1}", "type: rigid", M_PI / 6.0},
        {3, "cylinder: {radius: 0.5, height: 2, resolution: 0.5}", SOLID, M_PI / 2.0},
        {3, "torus: {major_radius: 2, minor_radius: 0.5, straight: 1, around: 12, across: 2}", SOLID,
         M_PI * 0.25 * (4.0 * M_PI + 2.0)},
        {3, "quarter_ball: {radius: 0.5, core: 0.4, cells: 1}", SOLID, M_PI / 48.0},
        {3, "sector: {inner_radius: 1, outer_radius: 2, width: 3, from: 30, to: 120, cells: [1, 2, 1]}",
         SOLID, M_PI / 4.0 * 9.0},
        {2, "disc: {radius: 0.5, resolution: 0.4, element: tri3}", SOLID, M_PI / 4.0},
        {3, "lathe: {profile: [[0, 0], [1, 0], [1, 2], [0, 2]], segments: 8}", "type: rigid", 2.0 * M_PI},
        {3, "lathe: {profile: [[1, 0], [2, 0], [2, 1], [1, 0]], segments: 6, resolution: 0.3}", "type: rigid",
         5.0 / 3.0 * M_PI},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        told t;
        const double missing =
            1.0 - compile(cases[i].dimension, cases[i].mesh, cases[i].body, &t) / cases[i].exact;
        double percent = 0.0;
        if (t.count != 1 || sscanf(t.text, "meshes.g: facets cut %lf %%", &percent) != 1) {
            fail_msg("%s: %d warnings, missing %g: %s", cases[i].mesh, t.count, missing, t.text);
        }
        assert_true(missing > 0.03 && missing < 0.5);
        assert_near(percent, 100.0 * missing, 0.006 * percent); /* three digits are told */
        assert_non_null(strstr(t.text, "body 'b'"));
    }
}

static void test_who_is_not_told(void **unused)
{
    (void)unused;
    static const char coarse[] = "sphere: {radius: 0.5, resolution: 0.4}";
    told t;
    (void)compile(3, "sphere: {radius: 0.5, resolution: 0.1}", SOLID, &t);
    assert_int_equal(t.count, 0);
    (void)compile(3, "sphere: {radius: 0.5, resolution: 0.4, element: hex20}", SOLID, &t);
    assert_int_equal(t.count, 0);
    (void)compile(3, coarse, "type: rigid, mass: 3", &t);
    assert_int_equal(t.count, 0);
    (void)compile(3, coarse, "type: static", &t);
    assert_int_equal(t.count, 0);
    (void)compile(3, "box: {size: [1, 1, 1], cells: [1, 1, 1]}", SOLID, &t);
    assert_int_equal(t.count, 0);
    /* Four copies are one mesh. */
    (void)compile(3, coarse, SOLID ", repeat: {count: [2, 2, 1], spacing: [2, 2, 2]}", &t);
    assert_int_equal(t.count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_how_much),
                                       cmocka_unit_test(test_who_is_not_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
