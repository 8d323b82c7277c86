/* 1e5 made-up queries against exact arithmetic; the quick part is test_ccd_exact.c. */
#include "test.h"

#include "ccd_exact_run.h"

static void test_conservative_against_exact(void **state)
{
    (void)state;
    run_against_exact(100000, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_conservative_against_exact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
