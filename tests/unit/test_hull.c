/* Hulls of points: every point inside, every vertex a point, faces planar and closed (Euler), grids and rounded coordinates without facets
   in one plane, points in a plane refused; how far meshes are from their hull. */
#include "test.h"

#include "base/rng.h"
#include "geom/hull.h"
#include "linalg/dense.h"

enum { MOST = 2000 };

/* Neighbours, planes, order of corners; all points inside to `flat`. */
static void check(const brn_hull *hull, const double (*point)[3], int n, double flat)
{
    const double tight = 1e-14;
    for (int i = 0; i < n; ++i) {
        assert_true(brn_hull_depth(hull, point[i]) >= -flat);
    }
    if (hull->dim == 3) {
        assert_int_equal(hull->nvertex - hull->nedge + hull->nface, 2);
    } else {
        assert_int_equal(hull->nvertex, hull->nface);
    }
    for (int v = 0; v < hull->nvertex; ++v) {
        bool found = false;
        for (int i = 0; i < n && !found; ++i) {
            found = memcmp(point[i], hull->vertex[v], 3 * sizeof(double)) == 0;
        }
        assert_true(found);
        assert_true(hull->ring_start[v + 1] - hull->ring_start[v] >= hull->dim);
        for (int r = hull->ring_start[v]; r < hull->ring_start[v + 1]; ++r) {
            const int f = hull->ring[r];
            int at = hull->face_start[f];
            while (at < hull->face_start[f + 1] && hull->face_vertex[at] != v) {
                ++at;
            }
            assert_true(at < hull->face_start[f + 1]);
        }
    }
    for (int f = 0; f < hull->nface; ++f) {
        assert_near(brn_dense_dot3(hull->normal[f], hull->normal[f]), 1.0, tight);
        for (int i = hull->face_start[f]; i < hull->face_start[f + 1]; ++i) {
            const double *x = hull->vertex[hull->face_vertex[i]];
            assert_near(brn_dense_dot3(hull->normal[f], x), hull->offset[f], 2.0 * flat);
        }
    }
    for (int e = 0; e < hull->nedge; ++e) {
        const brn_hull_edge *edge = &hull->edge[e];
        double c[3];
        double way[3];
        for (int k = 0; k < 3; ++k) {
            way[k] = hull->vertex[edge->vertex[1]][k] - hull->vertex[edge->vertex[0]][k];
        }
        brn_dense_cross3(hull->normal[edge->face[0]], hull->normal[edge->face[1]], c);
        assert_true(edge->face[0] != edge->face[1]);
        assert_true(brn_dense_dot3(c, way) > 0.0); /* the first face has it as it is: convex */
    }
}

static brn_hull *made(brn_ctx *ctx, int dim, const double (*point)[3], int n)
{
    brn_hull *hull = NULL;
    assert_done(ctx, brn_hull_create(ctx, dim, point, n, &hull));
    return hull;
}

static void test_random(void **state)
{
    (void)state;
    static double x[MOST][3];
    brn_ctx *ctx = test_ctx(1);
    brn_rng rng = {1};
    for (int trial = 0; trial < 60; ++trial) {
        const int dim = trial % 4 == 0 ? 2 : 3;
        const int n = dim + 1 + (int)(brn_rng_next(&rng) % (trial % 3 == 0 ? 500 : 20));
        const double size = pow(10.0, brn_rng_uniform(&rng, -4.0, 2.0));
        for (int i = 0; i < n; ++i) {
            double length = 0.0;
            for (int k = 0; k < 3; ++k) {
                x[i][k] = k < dim ? brn_rng_uniform(&rng, -1.0, 1.0) : 0.0;
                length += x[i][k] * x[i][k];
            }
            for (int k = 0; k < dim; ++k) { /* in a ball, or on it */
                x[i][k] *= size / (trial % 2 == 0 ? sqrt(length) : 1.0);
            }
        }
        brn_hull *hull = made(ctx, dim, (const double(*)[3])x, n);
        check(hull, (const double(*)[3])x, n, BRN_HULL_FLAT * 4.0 * size);
        brn_hull_destroy(ctx, hull);
    }
    brn_ctx_destroy(ctx);
}

/* Grids, turned and in single precision: a cube has 6 faces, 12 edges and 8 corners. */
static void test_grid(void **state)
{
    (void)state;
    static double x[MOST][3];
    brn_ctx *ctx = test_ctx(1);
    for (int kind = 0; kind < 4; ++kind) {
        double r[9];
        int n = 0;
        (void)brn_dense_rotation((const double[3]){1, 2, 3}, kind % 2 == 0 ? 0.0 : 0.7, r);
        for (int i = 0; i < 343; ++i) {
            const double own[3] = {i % 7, i / 7 % 7, i / 49};
            brn_dense_apply3(r, own, x[n]);
            for (int k = 0; k < 3 && kind > 1; ++k) {
                x[n][k] = (float)(x[n][k] * 0.1);
            }
            ++n;
        }
        brn_hull *hull = made(ctx, 3, (const double(*)[3])x, n);
        check(hull, (const double(*)[3])x, n, BRN_HULL_FLAT * 12.0);
        assert_int_equal(hull->nvertex, 8);
        assert_int_equal(hull->nface, 6);
        assert_int_equal(hull->nedge, 12);
        brn_hull_destroy(ctx, hull);
    }
    /* A prism of 24 sides with centres, twice each point. */
    int n = 0;
    for (int i = 0; i < 100; ++i) {
        const int k = i / 2;
        const double a = k / 2 * acos(0.0) / 6.0;
        const double radius = k < 48 ? 1.0 : 0.0;
        x[n][0] = radius * cos(a);
        x[n][1] = radius * sin(a);
        x[n++][2] = k % 2 == 0 ? 0.0 : 0.5;
    }
    brn_hull *hull = made(ctx, 3, (const double(*)[3])x, n);
    check(hull, (const double(*)[3])x, n, BRN_HULL_FLAT * 4.0);
    assert_int_equal(hull->nface, 26);
    assert_int_equal(hull->nedge, 72);
    brn_hull_destroy(ctx, hull);
    /* A square of points in the plane. */
    for (int i = 0; i < 25; ++i) {
        x[i][0] = i % 5;
        x[i][1] = i / 5;
        x[i][2] = 0.0;
    }
    hull = made(ctx, 2, (const double(*)[3])x, 25);
    check(hull, (const double(*)[3])x, 25, 1e-15);
    assert_int_equal(hull->nvertex, 4);
    brn_hull_destroy(ctx, hull);
    brn_ctx_destroy(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    brn_hull *hull = NULL;
    double x[30][3];
    for (int i = 0; i < 30; ++i) {
        x[i][0] = i % 5;
        x[i][1] = i / 5;
        x[i][2] = x[i][0] + 2.0 * x[i][1];
    }
    assert_int_equal(brn_hull_create(ctx, 3, (const double(*)[3])x, 30, &hull), BRN_ERR_RANGE);
    assert_non_null(strstr(brn_ctx_message(ctx), "plane"));
    assert_int_equal(brn_hull_create(ctx, 3, (const double(*)[3])x, 3, &hull), BRN_ERR_RANGE);
    assert_int_equal(brn_hull_create(ctx, 3, (const double(*)[3])x, 0, &hull), BRN_ERR_RANGE);
    assert_int_equal(brn_hull_create(ctx, 2, (const double(*)[3])x, 4, &hull), BRN_ERR_RANGE);
    assert_non_null(strstr(brn_ctx_message(ctx), "line"));
    x[7][1] = NAN;
    assert_int_equal(brn_hull_create(ctx, 3, (const double(*)[3])x, 30, &hull), BRN_ERR_RANGE);
    assert_non_null(strstr(brn_ctx_message(ctx), "7"));
    assert_null(hull);
    brn_ctx_destroy(ctx);
}

/* A cube is its own hull; with its top pushed in by 1/4, not: the middles of the sloping sides are 1/4 / 3 deep, the corner 1/4. With one square
   folded along the other diagonal no vertex is inside, but the side is. */
static void test_departure(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(1);
    double x[9][3];
    int side[14][3] = {{0, 2, 3}, {0, 3, 1}, {0, 1, 5}, {0, 5, 4}, {1, 3, 7}, {1, 7, 5}, {3, 2, 6},
                       {3, 6, 7}, {2, 0, 4}, {2, 4, 6}, {4, 5, 8}, {5, 7, 8}, {7, 6, 8}, {6, 4, 8}};
    for (int i = 0; i < 9; ++i) {
        for (int k = 0; k < 3; ++k) {
            x[i][k] = i == 8 ? 0.5 : i >> k & 1;
        }
    }
    x[8][2] = 1.0;
    brn_hull *hull = made(ctx, 3, (const double(*)[3])x, 9);
    assert_near(brn_hull_departure(hull, (const double(*)[3])x, &side[0][0], 14), 0.0, 1e-15);
    x[8][2] = 0.75;
    assert_near(brn_hull_departure(hull, (const double(*)[3])x, &side[0][0], 14), 0.25, 1e-15);
    brn_hull_destroy(ctx, hull);
    double y[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    hull = made(ctx, 3, (const double(*)[3])y, 4);
    const double inner[3][3] = {{0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}};
    const int across[3] = {0, 1, 2};
    assert_near(brn_hull_departure(hull, inner, across, 1), 1.0 / 6.0, 1e-15);
    brn_hull_destroy(ctx, hull);
    brn_ctx_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_departure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
