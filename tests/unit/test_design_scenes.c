/* The design problems of the gallery are whole: every path, name and expression of design.yaml and copies.yaml fits its scene, and copies
   deviate to both sides of the shape that designed.yaml has. */
#include "test.h"

#include "base/param.h"

#include <brunt/design.h>

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

static void test_copies(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    for (int i = 0; i < BRN_COUNT(scenes); ++i) {
        brn_design *design = prepared(ctx, scenes[i], "copies.yaml", BRN_DESIGN_SWEEP);
        for (int k = 0; k < brn_design_parameter_count(design); ++k) {
            brn_design_parameter p;
            assert_int_equal(brn_design_get_parameter(design, k, &p), BRN_OK);
            const double middle = 0.5 * (p.min + p.max), half = 0.5 * (p.max - p.min);
            if (!(fabs(p.start - middle) <=
                  1e-6 * half)) { /* the start is the scene's value; both are written in decimals */
                fail_msg("%s: %s = %g is not the middle of %g and %g", scenes[i], p.name, p.start, p.min,
                         p.max);
            }
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
