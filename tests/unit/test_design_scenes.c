/* The design problems of the gallery are whole: every path, name and expression of design.yaml and copies.yaml fits its scene, and copies.yaml
   compares the start of design.yaml with designed.yaml. */
#include "test.h"

#include "study/design_inner.h"

#include <math.h>
#include <stdio.h>

static const char *const scenes[] = {"flipper", "jump-over", "jump-onto", "catapult"};

static brn_design *prepared(brn_ctx *ctx, const char *scene, const char *file, brn_design_kind kind)
{
    char path[512];
    brn_design *design = NULL;
    (void)snprintf(path, sizeof path, BRN_SOURCE_DIR "/scenes/%s/%s", scene, file);
    brn_status status = brn_design_load(ctx, path, kind, &design);
    status = status < 0 ? status : brn_design_prepare(design);
    for (int i = 0; status < 0 && design != NULL && i < brn_design_problem_count(design); ++i) {
        print_error("%s: %s\n", path, brn_design_problem(design, i));
    }
    assert_int_equal(status, BRN_OK);
    return design;
}

static void test_searches(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    for (int i = 0; i < BRN_COUNT(scenes); ++i) {
        brn_design *design = prepared(ctx, scenes[i], "design.yaml", BRN_DESIGN_SEARCH);
        assert_non_null(brn_design_objective(design));
        assert_true(brn_design_parameter_count(design) >= 3);
        brn_design_destroy(design);
    }
    brn_ctx_destroy(ctx);
}

/* What settings give a path; NaN: nothing. */
static double setting(const brn_design_settings *s, const char *path)
{
    double value = NAN;
    const size_t n = strlen(path);
    for (int i = 0; i < s->count; ++i) {
        if (strncmp(s->item[i], path, n) == 0 && s->item[i][n] == '=') {
            value = strtod(s->item[i] + n + 1, NULL);
        }
    }
    return value;
}

static void compare(const char *scene, const char *path, double value, double wanted)
{
    if (!(fabs(value - wanted) <= 1e-9)) {
        fail_msg("%s/copies.yaml: %s = %.9g, wanted %.9g", scene, path, value, wanted);
    }
}

/* Shape 0 is the start of the search. */
static void check_start(brn_ctx *ctx, const char *scene, const brn_design_settings *copies)
{
    brn_design *search = prepared(ctx, scene, "design.yaml", BRN_DESIGN_SEARCH);
    double x[16] = {0.0};
    for (int i = 0; i < search->n; ++i) {
        x[i] = search->axis[i].info.start;
    }
    brn_design_settings start = {.ctx = ctx};
    assert_int_equal(brn_design_point_settings(search, x, 0, &start, NULL), BRN_OK);
    for (int i = 0; i < search->n; ++i) {
        const char *path = search->axis[i].path[0].path;
        compare(scene, path, setting(copies, path), setting(&start, path));
    }
    for (int i = 0; i < search->nassign; ++i) {
        const char *path = search->assign[i].to.path;
        compare(scene, path, setting(copies, path), setting(&start, path));
    }
    brn_design_settings_clear(&start);
    brn_design_destroy(search);
}

/* Shape 1 is designed.yaml as it is. */
static void check_designed(brn_design *design, const char *scene, const brn_design_settings *copies)
{
    brn_scene *designed = NULL;
    char *text = NULL;
    assert_int_equal(brn_scene_load(design->ctx, design->scene_path, &designed), BRN_OK);
    assert_int_equal(brn_scene_write(designed, &text), BRN_OK); /* resolves it */
    brn_ctx_free(design->ctx, text);
    for (int i = 0; i < design->nassign; ++i) {
        const char *path = design->assign[i].to.path;
        brn_scene_field field;
        double wanted = NAN;
        assert_int_equal(brn_scene_find_field(designed, &design->registry.schema, path, &field), BRN_OK);
        assert_true(brn_scene_field_number(&field, &wanted));
        compare(scene, path, setting(copies, path), wanted);
    }
    brn_scene_destroy(designed);
}

static void test_copies(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    for (int i = 0; i < BRN_COUNT(scenes); ++i) {
        brn_design *design = prepared(ctx, scenes[i], "copies.yaml", BRN_DESIGN_SWEEP);
        assert_string_equal(design->axis[0].info.name, "shape");
        assert_int_equal(design->samples, 11); /* as it is, and ten copies */
        for (int shape = 0; shape < 2; ++shape) {
            double x[16] = {shape};
            brn_design_settings settings = {.ctx = ctx};
            assert_int_equal(brn_design_point_settings(design, x, 0, &settings, NULL), BRN_OK);
            shape == 0 ? check_start(ctx, scenes[i], &settings)
                       : check_designed(design, scenes[i], &settings);
            brn_design_settings_clear(&settings);
        }
        brn_design_destroy(design);
    }
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_searches), cmocka_unit_test(test_copies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
