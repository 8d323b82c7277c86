/* A run of made-up queries of all pairs and families against exact arithmetic, with its figures. */
#ifndef BRN_TESTS_UNIT_CCD_EXACT_RUN_H
#define BRN_TESTS_UNIT_CCD_EXACT_RUN_H

#include "ccd_exact.h"

static inline void print_query(const ccd_query *q)
{
    print_error("pair %d, family %d\n", q->pair, q->family);
    for (int k = 0; k < ccd_nodes(q->pair); ++k) {
        print_error("  %a %a %a -> %a %a %a\n", q->x0[k][0], q->x0[k][1], q->x0[k][2], q->x1[k][0],
                    q->x1[k][1], q->x1[k][2]);
    }
}

static inline void run_against_exact(long count, uint64_t seed)
{
    brn_rng rng = {seed};
    exact_tally sum[FAMILY_COUNT] = {{0}};
    long wrong = 0;
    for (long i = 0; i < count; ++i) {
        const int family = (int)(i % FAMILY_COUNT), pair = (int)(i / FAMILY_COUNT % PAIR_COUNT);
        ccd_query q;
        ccd_query_make(&rng, pair, family, &q);
        const char *problem = ccd_exact_check(&q, &sum[family]);
        if (problem != NULL && ++wrong <= 5) {
            print_error("query %ld: %s\n", i, problem);
            print_query(&q);
        }
    }
    static const char *const names[FAMILY_COUNT] = {"random", "close", "parallel",   "grid",    "graze",
                                                    "fast",   "plane", "degenerate", "carried", "exact"};
    for (int family = 0; family < FAMILY_COUNT; ++family) {
        const exact_tally *s = &sum[family];
        print_message(
            "%-10s %6ld queries, %6ld touch at the start, %6ld collide; false positives %5ld additive, %5ld "
            "interval; %ld exhausted\n",
            names[family], s->queries, s->touching_start, s->collisions, s->extra_additive, s->extra_interval,
            s->exhausted);
    }
    assert_int_equal(wrong, 0);
}

#endif
