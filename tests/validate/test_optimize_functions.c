/* How many evaluations CMA-ES takes to known minima, over several seeds, beside what others report. */
#include "optimize_functions.h"
#include "rows.h"

enum { SEEDS = 15 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct kind {
    const char *name;
    test_function value;
    double reach, start, target;
    double reported; /* evaluations for each of 10 unknowns */
    double worst;    /* of the seeds, over the median: more where a first run may end in a side minimum */
} kind;

static void test_evaluations(void **state)
{
    brn_ctx *ctx = *state;
    /* sphere, ellipsoid, Rosenbrock: records of Hansen's purecmaes.m in 10 unknowns, [-10, 10], to 1e-10, in the repository
       os-popt/pop-lso: 2591, 6711, 5911. Rastrigin: IPOP-CMA-ES, CEC 2005, 1e5 evaluations for 10 unknowns were its budget. */
    static const kind kinds[] = {{"sphere", sphere, 10.0, 5.0, 1e-10, 259.1, 2.0},
                                 {"ellipsoid, axes 1 : 1000", ellipsoid, 10.0, 5.0, 1e-10, 671.1, 2.0},
                                 {"Rosenbrock", rosenbrock, 10.0, 5.0, 1e-10, 591.1, 4.0},
                                 {"Rastrigin", rastrigin, 5.0, 3.3, 1e-8, 10000.0, 8.0}};
    FILE *file = validation_open(
        "optimize_functions", "Optimisers: evaluations of CMA-ES",
        "Evaluations of CMA-ES with defaults (`spread` 0.25 of the range, restarts with twice the "
        "population) until the value is 1e-10 (Rastrigin: 1e-8), median of 15 seeds, "
        "and the worst of them in the note; all 15 must arrive. *exact* is what is reported for 10 unknowns: "
        "2591, 6711 and 5911 evaluations of Hansen's "
        "`purecmaes.m` on [-10, 10] (records in the repository os-popt/pop-lso), and for Rastrigin's "
        "function the 1e5 that runs of CEC 2005 were given; as many for each unknown in 2 and 5. "
        "*error* is the part above that, negative is better; 0.25 is allowed, as what is reported is of one "
        "run each. The worst seed may take 2 times the median, with Rosenbrock's side minimum 4 times, "
        "with Rastrigin's 10^n minima 8 times.");
    for (int k = 0; k < 4; ++k) {
        static const int sizes[] = {2, 5, 10};
        for (int i = 0; i < 3; ++i) {
            const int n = sizes[i];
            double count[SEEDS];
            for (int seed = 0; seed < SEEDS; ++seed) {
                test_problem t;
                brn_optimize_result r;
                test_problem_init(&t, kinds[k].value, n, -kinds[k].reach, kinds[k].reach, kinds[k].start);
                brn_optimize_options o = brn_optimize_options_default();
                o.seed = (uint64_t)seed + 1;
                o.evaluations = 1000000;
                o.tolerance = 1e-12;
                o.target = kinds[k].target;
                assert_done(ctx, test_problem_run(ctx, &t, &o, &r));
                assert_int_equal(r.end, BRN_OPTIMIZE_TARGET);
                count[seed] = (double)r.evaluations;
            }
            qsort(count, SEEDS, sizeof *count, compare);
            const double median = count[SEEDS / 2];
            const double reported = n * kinds[k].reported;
            char name[100], note[100];
            (void)snprintf(name, sizeof name, "%s, %d unknowns", kinds[k].name, n);
            (void)snprintf(note, sizeof note, "relative; worst seed %.0f", count[SEEDS - 1]);
            validation_row(file, name, reported, median, median / reported - 1.0, note);
            assert_true(median <= 1.25 * reported);
            assert_true(count[SEEDS - 1] <= kinds[k].worst * median);
        }
    }
    validation_close(file);
}

static int set_up(void **state)
{
    *state = test_ctx(1);
    return 0;
}

static int tear_down(void **state)
{
    brn_ctx_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_evaluations)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
