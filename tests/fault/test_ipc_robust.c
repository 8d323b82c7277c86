/* A few cases of the grid of fault/robust.h: the corners (3D with one cell a body, for speed), and the middle.
   slow_ipc_robust runs all of it. */
#include "fault/robust.h"

static void test_corners(void **state)
{
    (void)state;
    int stopped = 0;
    for (int i = 0; i < 32; ++i) {
        const robust_case c = {.dim = i & 16 ? 3 : 2,
                               .cells = i & 16 ? 1 : 2,
                               .young = robust_young[i & 1 ? 3 : 0],
                               .step = robust_step[i & 2 ? 3 : 0],
                               .dhat = robust_dhat[i & 4 ? 2 : 0],
                               .speed = robust_speed[i & 8 ? 3 : 1]};
        stopped += !robust_run(&c).finished;
    }
    print_message("%d of 32 corners stopped with a message\n", stopped);
}

static void test_middle(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; ++dim) {
        const robust_case c = {
            .dim = dim, .cells = 2, .young = 1e6, .step = 1e-3, .dhat = 1e-4, .speed = 1.0};
        assert_true(robust_run(&c).finished);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corners), cmocka_unit_test(test_middle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
