/* The whole grid of fault/robust.h, in 2D and 3D; prints what needed more than whole steps, and what stopped. Arguments: two
   numbers of cases, first and one past the last, 2D before 3D. */
#include "fault/robust.h"

static int first;
static int end = 2 * ROBUST_CASES;

static void test_grid(void **state)
{
    (void)state;
    int stopped = 0;
    int iterations = 0;
    double seconds = 0.0;
    for (int i = first; i < end; ++i) {
        const robust_case c = robust_numbered(2 + i / ROBUST_CASES, i % ROBUST_CASES);
        const robust_result r = robust_run(&c);
        stopped += !r.finished;
        iterations += r.iterations;
        seconds += r.seconds;
    }
    print_message("%d cases: %d stopped with a message, %d iterations, %.1f s\n", end - first, stopped,
                  iterations, seconds);
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        first = atoi(argv[1]);
        end = atoi(argv[2]);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_grid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
