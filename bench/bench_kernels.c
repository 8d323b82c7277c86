/* Contact kernels on one thread: distances with derivatives, and collision detection on the synthetic queries of the tests.
   Times include the classification where a figure says "true". */
#include "bench.h"

#include "../tests/unit/ccd_queries.h"
#include "base/os.h"
#include "geom/volume_bound.h"

#include <stdlib.h>

enum { COUNT = 4096, REPEATS = 50, QUERIES = 9000 };

typedef struct kernel_job {
    double (*nodes)[4][3];
    const brn_stencil *stencil;
    double (*plain)(const double x[4][3]);
    double (*gradient)(const double x[4][3], double g[12]);
    int order;
    bool classify, edges;
    double sum; /* keeps the work alive */
} kernel_job;

static brn_status call_plain(void *arg)
{
    kernel_job *j = arg;
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
        for (int i = 0; i < COUNT; ++i) {
            j->sum += j->plain((const double(*)[3])j->nodes[i]);
        }
    }
    return BRN_OK;
}

static brn_status call_gradient(void *arg)
{
    kernel_job *j = arg;
    double g[12];
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
        for (int i = 0; i < COUNT; ++i) {
            j->sum += j->gradient((const double(*)[3])j->nodes[i], g) + g[0];
        }
    }
    return BRN_OK;
}

static brn_status call_derivatives(void *arg)
{
    kernel_job *j = arg;
    double g[12], h[144];
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
        for (int i = 0; i < COUNT; ++i) {
            const double(*x)[3] = (const double(*)[3])j->nodes[i];
            brn_stencil stencil = *j->stencil;
            if (j->classify) {
                stencil = j->edges ? brn_classify_edge_edge(x) : brn_classify_point_triangle(x);
            }
            j->sum += brn_stencil_distance2(stencil, x, j->order, g, h) + g[0];
        }
    }
    return BRN_OK;
}

static brn_status bench_distances(brn_bench *bench, bool edges, double (*nodes)[4][3])
{
    static const brn_stencil whole[2] = {{BRN_PAIR_PT, 4, {0, 1, 2, 3}}, {BRN_PAIR_EE, 4, {0, 1, 2, 3}}};
    static const char *const what[3] = {"distance", "gradient", "Hessian"};
    const char *name = edges ? "edge-edge" : "point-triangle";
    kernel_job j = {.nodes = nodes, .stencil = &whole[edges], .edges = edges};
    brn_bench_timing timing;
    j.plain = edges ? brn_distance_edge_edge2 : brn_distance_point_triangle2;
    BRN_TRY(brn_bench_measure(bench, call_plain, &j, &timing));
    BRN_TRY(brn_bench_add(bench, 1e9 * timing.wall_min / COUNT / REPEATS, "ns", "%s, true distance", name));
    j.gradient = edges ? brn_distance_edge_edge2_gradient : brn_distance_point_triangle2_gradient;
    BRN_TRY(brn_bench_measure(bench, call_gradient, &j, &timing));
    BRN_TRY(brn_bench_add(bench, 1e9 * timing.wall_min / COUNT / REPEATS, "ns", "%s, true gradient", name));
    j.order = 2;
    j.classify = true;
    BRN_TRY(brn_bench_measure(bench, call_derivatives, &j, &timing));
    BRN_TRY(brn_bench_add(bench, 1e9 * timing.wall_min / COUNT / REPEATS, "ns", "%s, true Hessian", name));
    j.plain = edges ? brn_distance_line_line2 : brn_distance_point_plane2;
    BRN_TRY(brn_bench_measure(bench, call_plain, &j, &timing));
    BRN_TRY(brn_bench_add(bench, 1e9 * timing.wall_min / COUNT / REPEATS, "ns", "%s, smooth distance", name));
    for (int order = 1; order < 3; ++order) {
        j.order = order;
        j.classify = false;
        BRN_TRY(brn_bench_measure(bench, call_derivatives, &j, &timing));
        BRN_TRY(brn_bench_add(bench, 1e9 * timing.wall_min / COUNT / REPEATS, "ns", "%s, smooth %s", name,
                              what[order]));
    }
    return BRN_OK;
}

/* Mean and worst over the queries, each the fastest of a few calls: an interruption is not the query's fault. */
static brn_status bench_ccd(brn_bench *bench, int pair, bool interval)
{
    static const char *const names[PAIR_COUNT] = {"point-point", "point-edge", "point-triangle", "edge-edge"};
    brn_rng rng = {1};
    double mean = 0.0, worst = 0.0, kept = 0.0;
    for (int i = 0; i < (interval ? QUERIES / 9 : QUERIES); ++i) {
        ccd_query q;
        double best = INFINITY;
        ccd_query_make(&rng, pair, i % FAMILY_COUNT, &q);
        for (int repeat = 0; repeat < 3; ++repeat) {
            const double start = brn_wall_time();
            kept += interval ? ccd_interval(&q, 0.0, 1e-6 * ccd_size(&q), 1.0).time
                             : ccd_additive(&q, 0.0, 0.1, 1.0);
            best = fmin(best, brn_wall_time() - start);
        }
        mean += best / (interval ? QUERIES / 9 : QUERIES);
        worst = fmax(worst, best);
    }
    const char *name = interval ? "interval CCD" : "additive CCD";
    BRN_TRY(brn_bench_add(bench, 1e6 * mean, "us", "%s, %s, mean", name, names[pair]));
    /* a sum that is not finite would reveal a wrong answer */
    return brn_bench_add(bench, isfinite(kept) ? 1e6 * worst : NAN, "us", "%s, %s, worst", name, names[pair]);
}

/* Volumes of moving elements: `step` is the size of the motion relative to the element's. */
typedef struct volume_job {
    double (*nodes)[4][3], (*moved)[4][3];
    bool plane;
    double sum;
} volume_job;

static brn_status call_volume(void *arg)
{
    volume_job *j = arg;
    for (int repeat = 0; repeat < REPEATS; ++repeat) {
        for (int i = 0; i < COUNT; ++i) {
            const double(*x0)[3] = (const double(*)[3])j->nodes[i],
                  (*x1)[3] = (const double(*)[3])j->moved[i];
            j->sum +=
                j->plane ? brn_bound_plane(x0, x1, 0.0, 0.1, 1.0) : brn_bound_tet_volume(x0, x1, 0.1, 1.0);
        }
    }
    return BRN_OK;
}

static brn_status bench_volumes(brn_bench *bench, double (*nodes)[4][3], double (*moved)[4][3])
{
    static const double regular[4][3] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0.866, 0}, {0.5, 0.289, 0.816}};
    static const int order[2][4] = {{0, 1, 2, 3},
                                    {3, 0, 1, 2}}; /* as a tet; its last node above the others */
    static const double steps[2] = {0.05, 1.0};
    for (int plane = 0; plane < 2; ++plane) {
        for (int s = 0; s < 2; ++s) {
            brn_rng rng = {1};
            volume_job j = {.nodes = nodes, .moved = moved, .plane = plane};
            brn_bench_timing timing;
            for (int i = 0; i < COUNT; ++i) {
                for (int k = 0; k < 4; ++k) {
                    memcpy(nodes[i][k], regular[order[plane][k]], sizeof nodes[i][k]);
                }
                ccd_noise(&rng, 0.1, nodes[i]);
                memcpy(moved[i], nodes[i], sizeof moved[i]);
                ccd_noise(&rng, steps[s], moved[i]);
            }
            BRN_TRY(brn_bench_measure(bench, call_volume, &j, &timing));
            BRN_TRY(brn_bench_add(bench, isfinite(j.sum) ? 1e9 * timing.wall_min / COUNT / REPEATS : NAN,
                                  "ns", "bound of %s, motion of %g sizes",
                                  plane ? "point-plane" : "tet volume", steps[s]));
        }
    }
    return BRN_OK;
}

brn_status brn_bench_kernels(brn_bench *bench)
{
    double(*nodes)[4][3] = malloc(2 * COUNT * sizeof *nodes);
    if (nodes == NULL) {
        return brn_fail(brn_bench_ctx(bench), BRN_ERR_MEMORY, "out of memory");
    }
    brn_rng rng = {1};
    for (int i = 0; i < COUNT; ++i) {
        memset(nodes[i], 0, sizeof nodes[i]);
        ccd_noise(&rng, 1.0, nodes[i]);
    }
    brn_status status = bench_distances(bench, false, nodes);
    status = status < 0 ? status : bench_distances(bench, true, nodes);
    status = status < 0 ? status : bench_volumes(bench, nodes, nodes + COUNT);
    free(nodes);
    for (int pair = 0; pair < PAIR_COUNT && status >= 0; ++pair) {
        status = bench_ccd(bench, pair, false);
        status = status < 0 ? status : bench_ccd(bench, pair, true);
    }
    return status;
}
