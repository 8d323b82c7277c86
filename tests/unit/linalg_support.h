/* Matrices for the tests of src/linalg: grids, random positive definite values, dense copies, failing allocators. */
#ifndef BRN_TESTS_LINALG_SUPPORT_H
#define BRN_TESTS_LINALG_SUPPORT_H

#include "test.h"

#include "base/rng.h"
#include "linalg/block_matrix.h"

/* Edges of a grid of nx x ny x nz nodes, [count][2]; the caller frees it. */
static inline int *grid_edges(int nx, int ny, int nz, int *count)
{
    int *edge = malloc((size_t)(3 * nx * ny * nz + 1) * 2 * sizeof *edge);
    assert_non_null(edge);
    int n = 0;
    for (int i = 0; i < nx * ny * nz; ++i) {
        const int at[3] = {i % nx, i / nx % ny, i / (nx * ny)};
        const int size[3] = {nx, ny, nz};
        const int step[3] = {1, nx, nx * ny};
        for (int d = 0; d < 3; ++d) {
            if (at[d] + 1 < size[d]) {
                edge[2 * n] = i;
                edge[2 * n + 1] = i + step[d];
                ++n;
            }
        }
    }
    *count = n;
    return edge;
}

/* Random stencils with node numbers in [0, n), nodes of a stencil distinct. */
static inline int *random_stencils(brn_rng *rng, int n, int count, int width)
{
    int *node = malloc((size_t)count * (size_t)width * sizeof *node + 1);
    assert_non_null(node);
    for (int e = 0; e < count; ++e) {
        for (int a = 0; a < width;) {
            const int pick = (int)(brn_rng_next(rng) % (uint64_t)n);
            bool fresh = true;
            for (int b = 0; b < a; ++b) {
                fresh = fresh && node[e * width + b] != pick;
            }
            if (fresh) {
                node[e * width + a++] = pick;
            }
        }
    }
    return node;
}

/* Symmetric random values, diagonally dominant: positive definite. */
static inline void fill_dominant(brn_block_matrix *a, brn_rng *rng)
{
    const int s = a->size;
    double *sum = calloc((size_t)(a->n * s) + 1, sizeof *sum);
    for (int i = 0; i < a->n; ++i) {
        for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
            for (int r = 0; r < s; ++r) {
                for (int c = 0; c < s; ++c) {
                    double *v = a->value + (size_t)k * (size_t)(s * s);
                    const bool diagonal = a->column[k] == i;
                    v[r * s + c] = diagonal && c < r ? v[c * s + r] : brn_rng_uniform(rng, -1.0, 1.0);
                    if (!diagonal || r != c) {
                        sum[i * s + r] += fabs(v[r * s + c]);
                        sum[a->column[k] * s + c] += diagonal ? 0.0 : fabs(v[r * s + c]);
                    }
                }
            }
        }
    }
    for (int i = 0; i < a->n; ++i) {
        for (int r = 0; r < s; ++r) {
            a->value[(size_t)a->start[i] * (size_t)(s * s) + (size_t)(r * s + r)] = sum[i * s + r] + 0.5;
        }
    }
    free(sum);
}

/* The whole matrix, [n*size][n*size]; the caller frees it. */
static inline double *to_dense(const brn_block_matrix *a)
{
    const int s = a->size;
    const size_t n = (size_t)(a->n * s);
    double *d = calloc(n * n + 1, sizeof *d);
    for (int i = 0; i < a->n; ++i) {
        for (int k = a->start[i]; k < a->start[i + 1]; ++k) {
            for (int r = 0; r < s; ++r) {
                for (int c = 0; c < s; ++c) {
                    const double v = a->value[(size_t)k * (size_t)(s * s) + (size_t)(r * s + c)];
                    const size_t p = (size_t)(i * s + r);
                    const size_t q = (size_t)(a->column[k] * s + c);
                    d[p * n + q] = v;
                    d[q * n + p] = v;
                }
            }
        }
    }
    return d;
}

/* An allocator whose k-th request fails once (k counts from 1; 0: never). */
typedef struct failing {
    long count, fail_at;
} failing;

static inline void *failing_realloc(void *user, void *block, size_t size)
{
    failing *f = user;
    if (size == 0) {
        free(block);
        return NULL;
    }
    if (__atomic_add_fetch(&f->count, 1, __ATOMIC_SEQ_CST) == f->fail_at) {
        return NULL;
    }
    return realloc(block, size);
}

/* A ctx that allocates through f; NULL when the ctx itself met the failure. */
static inline brn_ctx *failing_ctx(failing *f, int threads)
{
    brn_ctx_options options = brn_ctx_options_default();
    options.threads = threads;
    options.realloc = failing_realloc;
    options.realloc_user = f;
    brn_ctx *ctx = NULL;
    return brn_ctx_create(&options, &ctx) == BRN_OK ? ctx : NULL;
}

/* Runs fn with the k-th allocation failing, for k = 1, 2, ... until it succeeds; each failure must say BRN_ERR_MEMORY. */
static inline void fail_each_allocation(brn_status (*fn)(brn_ctx *ctx), int threads)
{
    for (long k = 1; k < 100000; ++k) {
        failing f = {0, k};
        brn_ctx *ctx = failing_ctx(&f, threads);
        if (ctx == NULL) {
            continue;
        }
        const brn_status status = fn(ctx);
        brn_ctx_destroy(ctx);
        if (f.count < k) {
            assert_int_equal(status, BRN_OK);
            return;
        }
        assert_int_equal(status, BRN_ERR_MEMORY);
    }
    fail_msg("still allocating after 100000 failures");
}

#endif
