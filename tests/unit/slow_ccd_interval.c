/* 1e7 made-up queries: what additive CCD promises, proved query by query by the interval reference. The count may be
   given as the first argument. */
#include "test.h"

#include "base/os.h"
#include "base/parallel.h"
#include "ccd_agree.h"

enum { BLOCKS = 1000 };

static long total = 10000000;

typedef struct job {
    agree_tally sum[BLOCKS];
} job;

static brn_status run_block(void *arg, int block, brn_arena *scratch)
{
    job *j = arg;
    brn_rng rng = {UINT64_C(1000003) * (uint64_t)(block + 1)};
    (void)scratch;
    for (long i = 0; i < total / BLOCKS; ++i) {
        ccd_query q;
        ccd_query_make(&rng, (int)(i % PAIR_COUNT), (int)(i / PAIR_COUNT % FAMILY_COUNT), &q);
        const double dmin = i % 5 == 0 ? 1e-2 * ccd_distance_at(&q, 0.0) : 0.0;
        ccd_agree(&q, dmin, i % 3 == 0 ? 0.5 : 0.1, &j->sum[block]);
    }
    return BRN_OK;
}

static void test_interval_proves_additive(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(0);
    job *j = calloc(1, sizeof *j);
    assert_non_null(j);
    const double start = brn_wall_time();
    assert_done(ctx, brn_parallel_for(ctx, BLOCKS, run_block, j));
    agree_tally sum = {0};
    for (int i = 0; i < BLOCKS; ++i) {
        const agree_tally *s = &j->sum[i];
        sum.queries += s->queries;
        sum.stopped += s->stopped;
        sum.proved += s->proved;
        sum.too_close += s->too_close;
        sum.exhausted += s->exhausted;
        sum.broken += s->broken;
        sum.stuck += s->stuck;
        sum.loose += s->loose;
    }
    print_message("%ld queries in %.0f s: %ld stopped early, %ld proved, %ld too close for a proof, %ld "
                  "exhausted the reference, "
                  "%ld stopped far from contact; promise broken %ld, stuck %ld\n",
                  sum.queries, brn_wall_time() - start, sum.stopped, sum.proved, sum.too_close, sum.exhausted,
                  sum.loose, sum.broken, sum.stuck);
    assert_int_equal(sum.broken, 0);
    assert_int_equal(sum.stuck, 0);
    /* The reference must decide nearly all that it can. */
    assert_true(sum.proved > sum.queries / 2);
    assert_true(sum.exhausted < sum.queries / 200);
    assert_true(sum.loose < sum.queries / 200);
    free(j);
    brn_ctx_destroy(ctx);
}

int main(int argc, char **argv)
{
    total = argc > 1 ? strtol(argv[1], NULL, 10) : total;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_interval_proves_additive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
