/* Broad phase and intersection check of a closed surface, a wavy torus. The boxes are those of its edges, swept over a
   small motion and grown by a twentieth of an edge, as a barrier method would need; pairs of edges with a common node
   are left out. The tree's simplest rival is timed too: a sweep along one sorted axis. The intersection check is timed
   on the torus and on a sheet in an oblique plane, where every sign is a 0 that needs exact arithmetic. */
#include "bench.h"

#include "base/parallel.h"
#include "base/radix.h"
#include "geom/intersect.h"

#include <math.h>
#include <string.h>

typedef struct job {
    brn_ctx *ctx;
    int m;     /* nodes around the tube */
    bool flat; /* an oblique sheet, not a torus */
    int nnode, nedge, ntri;
    double (*x0)[3], (*x1)[3]; /* [nnode] [m] */
    int (*edge)[2], (*tri)[3];
    double length; /* [m], of an edge */
    brn_box *box;  /* [nedge] */
    uint64_t *key, *temp;
    brn_bvh *bvh;
    brn_bvh_pairs *pairs;
    size_t swept; /* pairs that the sweep found */
    brn_intersect *check;
    size_t meeting; /* intersections */
} job;

static void job_free(job *j)
{
    brn_free(j->ctx, j->x0);
    brn_free(j->ctx, j->x1);
    brn_free(j->ctx, j->edge);
    brn_free(j->ctx, j->tri);
    brn_free(j->ctx, j->box);
    brn_free(j->ctx, j->key);
    brn_free(j->ctx, j->temp);
    brn_bvh_destroy(j->bvh);
    brn_bvh_pairs_destroy(j->pairs);
    brn_intersect_destroy(j->check);
}

static brn_status job_alloc(job *j)
{
    BRN_ALLOC(j->ctx, j->x0, j->nnode);
    BRN_ALLOC(j->ctx, j->x1, j->nnode);
    BRN_ALLOC(j->ctx, j->edge, j->nedge);
    BRN_ALLOC(j->ctx, j->tri, j->ntri);
    BRN_ALLOC(j->ctx, j->box, j->nedge);
    BRN_ALLOC(j->ctx, j->key, j->nedge);
    BRN_ALLOC(j->ctx, j->temp, j->nedge);
    BRN_TRY(brn_bvh_create(j->ctx, &j->bvh));
    BRN_TRY(brn_bvh_pairs_create(j->ctx, &j->pairs));
    return brn_intersect_create(j->ctx, &j->check);
}

/* Node a of the torus, or of the sheet if it is flat. */
static void place(const job *j, int a, double x[3])
{
    const double u = 2.0 * M_PI * (a / j->m) / (2 * j->m), v = 2.0 * M_PI * (a % j->m) / j->m;
    const double radius = 0.5 + 0.05 * sin(7.0 * u) * cos(5.0 * v), ring = 1.0 + radius * cos(v);
    x[0] = j->flat ? 0.3 * u : ring * cos(u);
    x[1] = j->flat ? 0.1 * v : ring * sin(u);
    x[2] = j->flat ? x[0] + x[1] : radius * sin(v);
}

/* m by 2 m quads of two triangles each; those that close the torus are left out of the sheet. */
static void connect(job *j)
{
    const int m = j->m, around = 2 * m;
    j->nedge = j->ntri = 0;
    for (int a = 0; a < j->nnode; ++a) {
        const int right = (a / m + 1) % around * m, up = (a % m + 1) % m;
        const int b = right + a % m, c = a / m * m + up, d = right + up;
        const int to[3] = {b, c, d}, tri[2][3] = {{a, b, d}, {a, d, c}};
        for (int k = 0; k < 3; ++k) {
            if (!j->flat || to[k] > a + (k == 2 ? m : 0)) {
                j->edge[j->nedge][0] = a;
                j->edge[j->nedge++][1] = to[k];
            }
        }
        if (!j->flat || (b > a && c > a)) {
            memcpy(j->tri[j->ntri], tri, sizeof tri);
            j->ntri += 2;
        }
    }
}

static brn_status job_make(brn_ctx *ctx, int nedge, bool flat, job *j)
{
    const int m = (int)lround(sqrt(nedge / 6.0));
    *j = (job){.ctx = ctx, .m = m, .flat = flat, .nnode = 2 * m * m, .nedge = 6 * m * m, .ntri = 4 * m * m};
    j->length = 2.0 * M_PI * 0.5 / m;
    BRN_TRY(job_alloc(j));
    for (int a = 0; a < j->nnode; ++a) {
        place(j, a, j->x0[a]);
        for (int k = 0; k < 3; ++k) {
            j->x1[a][k] = j->x0[a][k] + 0.2 * j->length * sin(3.0 * j->x0[a][(k + 1) % 3]);
        }
    }
    connect(j);
    return BRN_OK;
}

static bool apart(const void *arg, int a, int b)
{
    const job *j = arg;
    const int *e = j->edge[a], *f = j->edge[b];
    return e[0] != f[0] && e[0] != f[1] && e[1] != f[0] && e[1] != f[1];
}

static brn_status boxes(void *arg)
{
    job *j = arg;
    const brn_box_sweep sweep = {.count = j->nedge,
                                 .width = 2,
                                 .node = &j->edge[0][0],
                                 .x0 = (const double(*)[3])j->x0,
                                 .x1 = (const double(*)[3])j->x1,
                                 .margin = 0.05 * j->length};
    return brn_box_sweep_all(j->ctx, &sweep, j->box);
}

static brn_status build(void *arg)
{
    job *j = arg;
    return brn_bvh_build(j->bvh, j->box, j->nedge);
}

static brn_status refit(void *arg)
{
    job *j = arg;
    return brn_bvh_refit(j->bvh, j->box);
}

static brn_status query(void *arg)
{
    job *j = arg;
    const brn_bvh_query q = {.keep = apart, .keep_arg = j};
    return brn_bvh_query_self(j->bvh, &q, j->pairs);
}

/* Sorts by the lower end along x and compares each box with those that begin before it ends. */
static brn_status sweep_axis(void *arg)
{
    job *j = arg;
    const int bits = brn_radix_bits((uint64_t)j->nedge);
    for (int i = 0; i < j->nedge; ++i) {
        const uint64_t place = (uint64_t)((j->box[i].lo[0] + 4.0) * 0x1p29);
        j->key[i] = place << bits | (uint64_t)i;
    }
    BRN_TRY(brn_radix_sort(j->ctx, j->key, j->temp, (size_t)j->nedge, bits, bits + 32));
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    j->swept = 0;
    for (int p = 0; p < j->nedge; ++p) {
        const int a = (int)(j->key[p] & mask);
        const uint64_t end = (uint64_t)((j->box[a].hi[0] + 4.0) * 0x1p29);
        for (int q = p + 1; q < j->nedge && j->key[q] >> bits <= end; ++q) {
            const int b = (int)(j->key[q] & mask);
            j->swept += brn_box_near(&j->box[a], &j->box[b], 0.0) && apart(j, a, b);
        }
    }
    return BRN_OK;
}

static brn_status measure(brn_bench *bench, job *j, const char *size)
{
    static const struct {
        const char *what;
        brn_bench_fn fn;
        int most; /* boxes; beyond, the sweep takes too long */
    } parts[] = {{"swept boxes", boxes, INT32_MAX},
                 {"build", build, INT32_MAX},
                 {"refit", refit, INT32_MAX},
                 {"self-query", query, INT32_MAX},
                 {"sweep along x", sweep_axis, 200000}};
    const int threads = brn_ctx_threads(j->ctx);
    for (int i = 0; i < 5; ++i) {
        if (j->nedge <= parts[i].most) {
            brn_bench_timing t;
            BRN_TRY(brn_bench_measure(bench, parts[i].fn, j, &t));
            BRN_TRY(brn_bench_add(bench, 1e3 * (threads == 1 ? t.cpu : t.wall), "ms",
                                  "%s boxes, %d thread%s, %s", size, threads, threads == 1 ? "" : "s",
                                  parts[i].what));
        }
    }
    if (j->swept > 0 && j->swept != j->pairs->count) {
        return brn_fail(brn_bench_ctx(bench), BRN_ERR_RANGE, "the tree finds %zu pairs, the sweep %zu",
                        j->pairs->count, j->swept);
    }
    return brn_bench_add(bench, (double)j->pairs->count, "pairs", "%s boxes, %d thread%s", size, threads,
                         threads == 1 ? "" : "s");
}

static brn_status check(void *arg)
{
    job *j = arg;
    const brn_surface surface = {.dim = 3,
                                 .nnode = j->nnode,
                                 .pos = (const double(*)[3])j->x0,
                                 .nedge = j->nedge,
                                 .edge = (const int(*)[2])j->edge,
                                 .ntri = j->ntri,
                                 .tri = (const int(*)[3])j->tri};
    return brn_intersect_surface(j->check, &surface, NULL, 0, &j->meeting);
}

/* 150k edges make 100k triangles. */
static brn_status measure_check(brn_bench *bench, brn_ctx *ctx, bool flat)
{
    job j;
    brn_bench_timing t;
    const int threads = brn_ctx_threads(ctx);
    brn_status status = job_make(ctx, 150000, flat, &j);
    if (status >= 0) {
        status = brn_bench_measure(bench, check, &j, &t);
    }
    if (status >= 0) {
        status = brn_bench_add(bench, 1e3 * (threads == 1 ? t.cpu : t.wall), "ms",
                               "check of 100k triangles, %s, %d thread%s", flat ? "flat" : "torus", threads,
                               threads == 1 ? "" : "s");
    }
    if (status >= 0 && j.meeting > 0) {
        status =
            brn_fail(brn_bench_ctx(bench), BRN_ERR_MESH, "the surface meets itself %zu times", j.meeting);
    }
    job_free(&j);
    return status;
}

static brn_status measure_all(brn_bench *bench, brn_ctx *ctx)
{
    static const int sizes[] = {10000, 100000, 1000000};
    static const char *const names[] = {"10k", "100k", "1M"};
    for (int k = 0; k < 3; ++k) {
        job j;
        brn_status status = job_make(ctx, sizes[k], false, &j);
        if (status >= 0) {
            status = measure(bench, &j, names[k]);
        }
        job_free(&j);
        BRN_TRY(status);
    }
    BRN_TRY(measure_check(bench, ctx, false));
    return measure_check(bench, ctx, true);
}

brn_status brn_bench_broad_phase(brn_bench *bench)
{
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = 1;
    brn_ctx *one = NULL;
    BRN_TRY(brn_ctx_create(&options, &one));
    brn_status status = measure_all(bench, one);
    brn_ctx_destroy(one);
    if (status >= 0 && brn_ctx_threads(brn_bench_ctx(bench)) > 1) {
        status = measure_all(bench, brn_bench_ctx(bench));
    }
    return status;
}
