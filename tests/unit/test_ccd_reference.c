/* Both CCDs against stored queries with rational ground truth (shared reference data, format in its README): eight
   rows a query, numerator and denominator of x, y, z, and 1 if the pair collides on [0, 1]. Conservative CCD may
   report a collision where there is none, never the reverse. */
#include "test.h"

#include "base/os.h"
#include "ccd_queries.h"

static const char *const folders[] = {"erleben-cube-cliff-edges", "erleben-sliding-spike", "erleben-wedges",
                                      "unit-tests"};
static const char *const kinds[] = {"vertex-face", "edge-edge"};

typedef struct tally {
    int queries, collisions, missed_additive, missed_interval, extra_additive, extra_interval, zero;
    double seconds_additive, seconds_interval, worst_additive, worst_interval;
} tally;

/* The folder of the queries, or NULL. */
static const char *reference(char *path, size_t size)
{
    const char *given = getenv("BRUNT_REFERENCE");
    (void)snprintf(path, size, "%s/ccd", given != NULL ? given : BRN_SOURCE_DIR "/../shared/reference");
    char probe[1024];
    (void)snprintf(probe, sizeof probe, "%s/%s/%s/data_0_0.csv", path, folders[0], kinds[0]);
    FILE *file = fopen(probe, "r");
    if (file == NULL) {
        return NULL;
    }
    (void)fclose(file);
    return path;
}

/* One point; false at the end of the file. */
static bool read_point(FILE *file, double x[3], int *truth)
{
    char line[1024];
    if (fgets(line, sizeof line, file) == NULL) {
        return false;
    }
    char *at = line;
    for (int i = 0; i < 3; ++i) {
        const double numerator = strtod(at, &at);
        assert_int_equal(*at++, ',');
        const double denominator = strtod(at, &at);
        assert_int_equal(*at++, ',');
        x[i] = numerator / denominator;
    }
    *truth = (int)strtol(at, NULL, 10);
    return true;
}

static void check(const ccd_query *q, int truth, tally *sum)
{
    const double d0 = ccd_distance_at(q, 0.0);
    double start = brn_wall_time();
    const double t = ccd_additive(q, 0.0, 0.1, 1.0);
    double spent = brn_wall_time() - start;
    sum->seconds_additive += spent;
    sum->worst_additive = fmax(sum->worst_additive, spent);
    start = brn_wall_time();
    const brn_interval_hit hit = ccd_interval(q, 0.0, 1e-6 * ccd_size(q), 1.0);
    spent = brn_wall_time() - start;
    sum->seconds_interval += spent;
    sum->worst_interval = fmax(sum->worst_interval, spent);
    sum->queries++;
    sum->collisions += truth;
    sum->missed_additive += truth && t >= 1.0;
    sum->missed_interval += truth && !hit.collides;
    sum->extra_additive += !truth && t < 1.0;
    sum->extra_interval += !truth && hit.collides;
    sum->zero += t == 0.0 && d0 > 1e-15 * ccd_size(q);
}

static void run_file(const char *path, int pair, tally *sum)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return; /* a folder need not have both files */
    }
    ccd_query q = {.pair = pair};
    int truth = 0;
    while (read_point(file, q.x0[0], &truth)) {
        for (int k = 1; k < 8; ++k) {
            assert_true(read_point(file, k < 4 ? q.x0[k] : q.x1[k - 4], &truth));
        }
        check(&q, truth, sum);
    }
    (void)fclose(file);
}

static void test_no_false_negative(void **state)
{
    char path[512], name[1024];
    const char *where = reference(path, sizeof path);
    tally all = {0};
    (void)state;
    for (int folder = 0; folder < 4; ++folder) {
        for (int kind = 0; kind < 2; ++kind) {
            tally sum = {0};
            for (int part = 0; part < 2; ++part) {
                (void)snprintf(name, sizeof name, "%s/%s/%s/data_0_%d.csv", where, folders[folder],
                               kinds[kind], part);
                run_file(name, kind == 0 ? PAIR_TRIANGLE : PAIR_EDGES, &sum);
            }
            print_message("%-25s %-12s %3d queries, %3d collide; false positives %3d additive, %3d interval; "
                          "mean %.2f and "
                          "%.1f us, worst %.1f and %.1f us\n",
                          folders[folder], kinds[kind], sum.queries, sum.collisions, sum.extra_additive,
                          sum.extra_interval, 1e6 * sum.seconds_additive / sum.queries,
                          1e6 * sum.seconds_interval / sum.queries, 1e6 * sum.worst_additive,
                          1e6 * sum.worst_interval);
            assert_int_equal(sum.missed_additive, 0);
            assert_int_equal(sum.missed_interval, 0);
            assert_int_equal(sum.zero, 0);
            all.queries += sum.queries;
            all.collisions += sum.collisions;
        }
    }
    /* The stored sample: 14 592 rows in all, some of either answer. */
    assert_int_equal(all.queries, 1824);
    assert_true(all.collisions > 100 && all.collisions < all.queries - 100);
}

int main(void)
{
    char path[512];
    if (reference(path, sizeof path) == NULL) {
        print_error("SKIPPED: no CCD queries in %s; set BRUNT_REFERENCE to the folder that holds ccd/\n",
                    path);
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_false_negative)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
