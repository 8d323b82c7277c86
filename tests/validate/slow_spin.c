/* The spinning cube of test_spin.c over 1e5 steps. */
#include "spin.h"

static void test_energy(void **unused)
{
    (void)unused;
    FILE *rows = validation_open("spin_long", "A free spinning and vibrating cube, long",
                                 "As above, over 1e5 steps, with the same tolerances.");
    spin_energy(rows, 100000);
    validation_close(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
