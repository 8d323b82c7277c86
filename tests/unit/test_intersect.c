#include "test.h"

#include "base/rng.h"
#include "exact.h"
#include "faulty.h"
#include "geom/intersect.h"
#include "mesh_fixture.h"

static int pick(brn_rng *rng, int lo, int hi)
{
    return lo + (int)(brn_rng_next(rng) % (uint64_t)(hi - lo + 1));
}

/* ---- by hand ------------------------------------------------------------------------------------------------------------ */

static void test_segments_in_the_plane(void **state)
{
    (void)state;
    static const struct {
        double a[2], b[2], c[2], d[2];
        bool meet;
    } cases[] = {
        {{0, 0}, {2, 2}, {0, 2}, {2, 0}, true},      /* cross */
        {{0, 0}, {2, 2}, {2, 2}, {3, 0}, true},      /* end on end */
        {{0, 0}, {4, 0}, {1, 0}, {1, 5}, true},      /* end in the middle */
        {{0, 0}, {4, 0}, {1, 1e-90}, {1, 5}, false}, /* just above */
        {{0, 0}, {4, 0}, {4, 0}, {9, 0}, true},      /* collinear, touching */
        {{0, 0}, {4, 0}, {2, 0}, {9, 0}, true},      /* collinear, overlapping */
        {{0, 0}, {4, 0}, {5, 0}, {9, 0}, false},     /* collinear, apart */
        {{0, 0}, {4, 4}, {1, 0}, {5, 4}, false},     /* parallel */
        {{0, 0}, {3, 3}, {4, 0}, {2, 1.9}, false},   /* boxes meet, segments do not */
        {{1, 1}, {1, 1}, {0, 0}, {2, 2}, true},      /* a point on a segment */
        {{3, 3}, {3, 3}, {0, 0}, {2, 2}, false},     /* a point beyond it */
        {{1, 1}, {1, 1}, {1, 1}, {1, 1}, true},      /* a point on a point */
        {{1, 1}, {1, 1}, {1, 2}, {1, 2}, false},     /* two points */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        if (brn_intersect_segments2d(cases[i].a, cases[i].b, cases[i].c, cases[i].d) != cases[i].meet ||
            brn_intersect_segments2d(cases[i].d, cases[i].c, cases[i].b, cases[i].a) != cases[i].meet) {
            fail_msg("case %zu", i);
        }
    }
}

static void test_segment_and_triangle(void **state)
{
    (void)state;
    /* The triangle (0, 0), (4, 0), (0, 4) at z = 1. */
    static const double a[3] = {0, 0, 1}, b[3] = {4, 0, 1}, c[3] = {0, 4, 1};
    const double above = nextafter(1.0, 2.0), outside = nextafter(2.0, 3.0);
    const struct {
        double p[3], q[3];
        bool meet;
    } cases[] = {
        {{1, 1, 0}, {1, 1, 2}, true},            /* through the face */
        {{1, 1, 0}, {1, 1, 1}, true},            /* ends on the face */
        {{1, 1, 2}, {1, 1, above}, false},       /* ends one unit in the last place above */
        {{2, 0, 0}, {2, 0, 2}, true},            /* through an edge */
        {{2, -1e-90, 0}, {2, -1e-90, 2}, false}, /* past an edge */
        {{2, 2, 0}, {2, 2, 2}, true},            /* through the sloping edge */
        {{2, outside, 0}, {2, 2, 2}, false},     /* misses it by a unit in the last place below */
        {{4, 0, 0}, {4, 0, 5}, true},            /* through a corner */
        {{4, 0, 1}, {9, 9, 9}, true},            /* begins at a corner */
        {{5, 5, 0}, {5, 5, 2}, false},           /* past everything */
        {{1, 1, 1}, {1.5, 1, 1}, true},          /* in the plane, inside */
        {{-1, 1, 1}, {9, 1, 1}, true},           /* in the plane, across */
        {{-1, 5, 1}, {9, 5, 1}, false},          /* in the plane, outside */
        {{4, 0, 1}, {9, 0, 1}, true},            /* in the plane, touches a corner */
        {{5, 0, 1}, {9, 0, 1}, false},           /* in the line of an edge, apart */
        {{0, 4, 1}, {4, 0, 1}, true},            /* an edge itself */
        {{1, 1, 1}, {1, 1, 1}, true},            /* a point inside */
        {{3, 3, 1}, {3, 3, 1}, false},           /* a point outside */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const double *p = cases[i].p, *q = cases[i].q;
        if (brn_intersect_segment_triangle(p, q, a, b, c) != cases[i].meet ||
            brn_intersect_segment_triangle(q, p, c, b, a) != cases[i].meet) {
            fail_msg("case %zu", i);
        }
    }
    /* Triangles that are segments or points. */
    const double m[3] = {2, 0, 1}, p[3] = {2, 0, 0}, q[3] = {2, 0, 2}, r[3] = {2, 1, 0}, s[3] = {2, 1, 2};
    assert_true(brn_intersect_segment_triangle(p, q, a, b, m));
    assert_false(brn_intersect_segment_triangle(r, s, a, b, m));
    assert_true(brn_intersect_segment_triangle(p, q, m, m, m));
    assert_false(brn_intersect_segment_triangle(r, s, m, m, m));
    assert_true(brn_intersect_point_triangle3d(m, a, b, c));
    assert_false(brn_intersect_point_triangle3d(q, a, b, c));
}

static void test_triangles(void **state)
{
    (void)state;
    static const double t[3][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const struct {
        double s[3][3];
        bool meet;
    } cases[] = {
        {{{1, 1, -1}, {1, 1, 1}, {2, 2, 5}}, true},      /* cross */
        {{{1, 1, 0}, {1, 1, 1}, {2, 2, 5}}, true},       /* a corner on the face */
        {{{1, 1, 1e-90}, {1, 1, 1}, {2, 2, 5}}, false},  /* a corner just above it */
        {{{0, 0, 0}, {-1, 0, 1}, {0, -1, 1}}, true},     /* corner on corner */
        {{{2, 0, 0}, {2, -1, 1}, {3, -1, 1}}, true},     /* corner on an edge */
        {{{0, 0, 0}, {4, 0, 0}, {0, 0, 3}}, true},       /* a common edge */
        {{{1, 1, 0}, {2, 1, 0}, {1, 2, 0}}, true},       /* in the same plane, inside */
        {{{-9, -9, 0}, {99, -9, 0}, {-9, 99, 0}}, true}, /* around */
        {{{2, -1, 0}, {3, -1, 0}, {2, 1, 0}}, true},     /* overlapping */
        {{{5, 0, 0}, {9, 0, 0}, {5, 4, 0}}, false},      /* apart */
        {{{4, 0, 0}, {9, 0, 0}, {5, 4, 0}}, true},       /* touching at a corner */
        {{{0, 0, 1}, {4, 0, 1}, {0, 4, 1}}, false},      /* parallel planes */
        {{{3, 3, -1}, {3, 3, 1}, {9, 9, 0}}, false},     /* planes cross, triangles do not */
        {{{1, 1, 0}, {1, 1, 0}, {1, 1, 0}}, true},       /* a point on the face */
        {{{1, 1, -1}, {1, 1, 1}, {1, 1, 3}}, true},      /* a segment through it */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        if (brn_intersect_triangles(cases[i].s, t) != cases[i].meet ||
            brn_intersect_triangles(t, cases[i].s) != cases[i].meet) {
            fail_msg("case %zu", i);
        }
    }
}

/* ---- against exact rationals ---------------------------------------------------------------------------------------------- */

/* Small lattices, where every degeneracy happens; random points; points combined from others and rounded. */
static void make_points(brn_rng *rng, int how, double p[6][3])
{
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 3; ++k) {
            p[i][k] = how % 4 == 0   ? pick(rng, 0, 2)
                      : how % 4 == 1 ? (k == 2 ? 0.1 : 0.1 * pick(rng, 0, 5))
                                     : brn_rng_uniform(rng, -1.0, 1.0);
        }
    }
    for (int i = 3; how % 4 == 3 && i < 6; ++i) {
        const double s = brn_rng_uniform(rng, 0.0, 1.0),
                     t = pick(rng, 0, 1) ? 0.0 : brn_rng_uniform(rng, 0.0, 1.0);
        for (int k = 0; k < 3 && i != 4; ++k) {
            p[i][k] = (1 - t) * ((1 - s) * p[0][k] + s * p[1][k]) + t * p[2][k];
            p[i][k] = pick(rng, 0, 2) == 0 ? nextafter(p[i][k], pick(rng, -2, 2)) : p[i][k];
        }
    }
}

static void test_against_rationals(void **state)
{
    (void)state;
    brn_rng rng = {7};
    int seen[2][4] = {{0}};
    for (int i = 0; i < 2000; ++i) {
        double p[6][3];
        make_points(&rng, i, p);
        const double *a[3] = {p[0], p[1], p[2]}, *b[3] = {p[3], p[4], p[5]};
        const bool got[4] = {brn_intersect_segments2d(p[0], p[1], p[3], p[4]),
                             brn_intersect_segments3d(p[0], p[1], p[3], p[4]),
                             brn_intersect_segment_triangle(p[3], p[4], p[0], p[1], p[2]),
                             brn_intersect_triangles((const double(*)[3])p, (const double(*)[3])(p + 3))};
        const bool want[4] = {exact_hulls_meet(2, 2, a, 2, b), exact_hulls_meet(3, 2, a, 2, b),
                              exact_hulls_meet(3, 3, a, 2, b), exact_hulls_meet(3, 3, a, 3, b)};
        for (int k = 0; k < 4; ++k) {
            if (got[k] != want[k]) {
                fail_msg("case %d, test %d: got %d", i, k, got[k]);
            }
            seen[want[k]][k]++;
        }
        const bool inside[2] = {brn_intersect_point_triangle2d(p[3], p[0], p[1], p[2]),
                                brn_intersect_point_triangle3d(p[3], p[0], p[1], p[2])};
        assert_int_equal(inside[0], exact_hulls_meet(2, 3, a, 1, b));
        assert_int_equal(inside[1], exact_hulls_meet(3, 3, a, 1, b));
    }
    for (int k = 0; k < 4; ++k) {
        assert_true(seen[0][k] > 100 && seen[1][k] > 100);
    }
}

/* ---- whole surfaces -------------------------------------------------------------------------------------------------------- */

typedef struct pieces {
    double pos[4000][3];
    int edge[12000][2], tri[8000][3];
    int nnode, nedge, ntri;
} pieces;

static brn_surface surface_of(const pieces *p, int dim)
{
    return (brn_surface){.dim = dim,
                         .nnode = p->nnode,
                         .pos = p->pos,
                         .nedge = p->nedge,
                         .edge = p->edge,
                         .ntri = p->ntri,
                         .tri = p->tri};
}

static void add_sphere(brn_ctx *ctx, pieces *p, int subdivisions, const double centre[3], double radius)
{
    const recipe ball = {.generator = "icosphere", .radius = radius, .subdivisions = subdivisions};
    brn_mesh *mesh = recipe_mesh(ctx, &ball);
    brn_boundary *boundary = NULL;
    assert_done(ctx, brn_boundary_create(mesh, &boundary));
    for (int i = 0; i < mesh->nnode; ++i) {
        for (int k = 0; k < 3; ++k) {
            p->pos[p->nnode + i][k] = mesh->pos[i][k] + centre[k];
        }
    }
    for (int i = 0; i < boundary->nedge; ++i, ++p->nedge) {
        for (int k = 0; k < 2; ++k) {
            p->edge[p->nedge][k] = boundary->edge[i][k] + p->nnode;
        }
    }
    for (int i = 0; i < boundary->ntri; ++i, ++p->ntri) {
        for (int k = 0; k < 3; ++k) {
            p->tri[p->ntri][k] = boundary->tri[i][k] + p->nnode;
        }
    }
    p->nnode += mesh->nnode;
    brn_boundary_destroy(boundary);
    brn_mesh_destroy(mesh);
}

/* What the definition says, pair by pair. */
static size_t count_plainly(const brn_surface *s)
{
    size_t count = 0;
    for (int i = 0; i < s->nedge; ++i) {
        const int *e = s->edge[i];
        for (int j = s->dim == 2 ? i + 1 : 0; j < (s->dim == 2 ? s->nedge : s->ntri); ++j) {
            const int *f = s->dim == 2 ? s->edge[j] : s->tri[j];
            bool common = false;
            for (int k = 0; k < s->dim; ++k) {
                common |= e[0] == f[k] || e[1] == f[k];
            }
            if (!common) {
                const double *p = s->pos[e[0]], *q = s->pos[e[1]];
                count += s->dim == 2
                             ? brn_intersect_segments2d(p, q, s->pos[f[0]], s->pos[f[1]])
                             : brn_intersect_segment_triangle(p, q, s->pos[f[0]], s->pos[f[1]], s->pos[f[2]]);
            }
        }
    }
    return count;
}

static void test_spheres(void **state)
{
    (void)state;
    static pieces p;
    brn_ctx *ctx = test_ctx(2);
    brn_intersect *check = NULL;
    assert_done(ctx, brn_intersect_create(ctx, &check));
    brn_intersection found[10];
    static const struct {
        double centre[3], radius;
        bool meet;
    } second[] = {{{2.5, 0, 0}, 1.0, false}, /* apart */
                  {{0, 0, 0}, 0.7, false},   /* inside */
                  {{1.3, 0.2, 0.1}, 1.0, true},
                  {{0, 0, 0}, 1.0, true}}; /* the same */
    for (int i = 0; i < 4; ++i) {
        memset(&p, 0, sizeof p);
        add_sphere(ctx, &p, 2, (const double[]){0, 0, 0}, 1.0);
        add_sphere(ctx, &p, 2, second[i].centre, second[i].radius);
        const brn_surface s = surface_of(&p, 3);
        size_t count = 99;
        assert_done(ctx, brn_intersect_surface(check, &s, found, 10, &count));
        assert_int_equal(count > 0, second[i].meet);
        assert_int_equal(count, count_plainly(&s));
        /* The place is on both spheres: facets of edge 0.3 stay within 0.3^2 / 6 of it. */
        for (int k = 0; k < 10 && (size_t)k < count; ++k) {
            const double *x = found[k].point, *c = second[i].centre;
            assert_near(hypot(hypot(x[0], x[1]), x[2]), 1.0, 0.015);
            assert_near(hypot(hypot(x[0] - c[0], x[1] - c[1]), x[2] - c[2]), second[i].radius, 0.015);
            assert_true(k == 0 || found[k - 1].edge < found[k].edge ||
                        (found[k - 1].edge == found[k].edge && found[k - 1].other < found[k].other));
        }
    }
    brn_intersect_destroy(check);
    brn_ctx_destroy(ctx);
}

/* A curve of nu pieces in the xz plane (xy plane for 2D), extruded along y in nv strips of triangles. */
static void make_sheet(pieces *p, int nu, int nv, void (*curve)(double u, double out[2]), int dim)
{
    memset(p, 0, sizeof *p);
    p->nnode = (nu + 1) * (nv + 1);
    for (int i = 0; i <= nu; ++i) {
        for (int j = 0; j <= nv; ++j) {
            const int a = i * (nv + 1) + j, b = a + nv + 1;
            double *x = p->pos[a], at[2];
            curve((double)i / nu, at);
            x[0] = at[0];
            x[dim == 2 ? 1 : 2] = at[1];
            x[dim == 2 ? 2 : 1] = (double)j / nu;
            const int edges[3][2] = {{a, b}, {a, a + 1}, {a, b + 1}};
            for (int e = 0; e < 3; ++e) {
                if ((e == 1 || i < nu) && (e == 0 || j < nv)) {
                    memcpy(p->edge[p->nedge++], edges[e], sizeof edges[e]);
                }
            }
            if (i < nu && j < nv) {
                const int tri[2][3] = {{a, b, b + 1}, {a, b + 1, a + 1}};
                memcpy(p->tri[p->ntri], tri, sizeof tri);
                p->ntri += 2;
            }
        }
    }
}

static void loop(double u, double out[2])
{
    /* Crosses itself once. */
    out[0] = sin(2.0 * M_PI * (u - 0.05));
    out[1] = sin(4.0 * M_PI * (u - 0.05) * 0.9);
}

static void spiral(double u, double out[2])
{
    out[0] = (1.0 + u) * cos(12.0 * u);
    out[1] = (1.0 + u) * sin(12.0 * u);
}

/* Folded over at u = 1/2 with a sharp bend, the second half `gap` above the first. */
static double gap;

static void folded(double u, double out[2])
{
    out[0] = u <= 0.5 ? u : 1.0 - u;
    out[1] = u <= 0.5 ? 0.0 : gap;
}

static size_t check_sheet(brn_ctx *ctx, void (*curve)(double, double[2]), int dim)
{
    static pieces p;
    make_sheet(&p, 64, dim == 2 ? 0 : 8, curve, dim);
    const brn_surface s = surface_of(&p, dim);
    brn_intersect *check = NULL;
    size_t count = 0;
    brn_intersection found[1];
    assert_done(ctx, brn_intersect_create(ctx, &check));
    assert_done(ctx, brn_intersect_surface(check, &s, found, 1, &count));
    assert_int_equal(count, count_plainly(&s));
    brn_intersect_destroy(check);
    return count;
}

static void test_sheets(void **state)
{
    (void)state;
    brn_ctx *ctx = test_ctx(2);
    for (int dim = 2; dim <= 3; ++dim) {
        assert_int_equal(check_sheet(ctx, spiral, dim), 0);
        assert_true(check_sheet(ctx, loop, dim) > 0);
        gap = 0x1p-300;
        assert_int_equal(check_sheet(ctx, folded, dim), 0);
        gap = 0.0;
        assert_true(check_sheet(ctx, folded, dim) > 20);
    }
    brn_ctx_destroy(ctx);
}

/* ---- interface -------------------------------------------------------------------------------------------------------------- */

static bool not_edge(const void *arg, int edge, int other)
{
    (void)other;
    return edge != *(const int *)arg;
}

static void test_options_and_errors(void **state)
{
    (void)state;
    static pieces p;
    brn_ctx *ctx = test_ctx(1);
    brn_intersect *check = NULL;
    assert_done(ctx, brn_intersect_create(ctx, &check));
    brn_intersection found[4];
    size_t count = 0;
    /* A triangle and a needle through it. */
    p = (pieces){.pos = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 3}},
                 .edge = {{3, 4}, {0, 1}},
                 .tri = {{0, 1, 2}},
                 .nnode = 5,
                 .nedge = 2,
                 .ntri = 1};
    brn_surface s = surface_of(&p, 3);
    assert_done(ctx, brn_intersect_surface(check, &s, found, 4, &count));
    assert_int_equal(count, 1);
    assert_int_equal(found[0].edge, 0);
    assert_int_equal(found[0].other, 0);
    assert_near(found[0].point[0], 1.0, 1e-15);
    assert_near(found[0].point[2], 0.0, 1e-15);
    /* The caller may leave pairs out, and may want no places. */
    assert_done(ctx, brn_intersect_surface(check, &s, NULL, 0, &count));
    assert_int_equal(count, 1);
    const int skipped = 0;
    s.keep = not_edge;
    s.keep_arg = &skipped;
    assert_done(ctx, brn_intersect_surface(check, &s, found, 4, &count));
    assert_int_equal(count, 0);
    /* Nothing at all. */
    const brn_surface none = {.dim = 3};
    assert_done(ctx, brn_intersect_surface(check, &none, found, 4, &count));
    assert_int_equal(count, 0);
    /* Errors. */
    s = surface_of(&p, 4);
    assert_int_equal(brn_intersect_surface(check, &s, found, 4, &count), BRN_ERR_RANGE);
    s.dim = 3;
    p.tri[0][1] = 5;
    assert_int_equal(brn_intersect_surface(check, &s, found, 4, &count), BRN_ERR_MESH);
    p.tri[0][1] = -1;
    assert_int_equal(brn_intersect_surface(check, &s, found, 4, &count), BRN_ERR_MESH);
    p.tri[0][1] = 1;
    p.pos[2][1] = NAN;
    assert_int_equal(brn_intersect_surface(check, &s, found, 4, &count), BRN_ERR_NOT_FINITE);
    p.pos[2][1] = 1e100;
    assert_int_equal(brn_intersect_surface(check, &s, found, 4, &count), BRN_ERR_RANGE);
    brn_intersect_destroy(check);
    brn_ctx_destroy(ctx);
}

static brn_status check_loop(brn_ctx *ctx, void *arg)
{
    const brn_surface *s = arg;
    brn_intersect *check = NULL;
    brn_intersection found[1];
    size_t count = 0;
    BRN_TRY(brn_intersect_create(ctx, &check));
    const brn_status status = brn_intersect_surface(check, s, found, 1, &count);
    brn_intersect_destroy(check);
    return status;
}

static void test_every_allocation_may_fail(void **state)
{
    (void)state;
    static pieces p;
    make_sheet(&p, 64, 8, loop, 3);
    brn_surface s = surface_of(&p, 3);
    assert_true(faulty_run(check_loop, &s, 0) > 10);
}

static void test_steady_state_allocates_nothing(void **state)
{
    (void)state;
    static pieces p;
    faulty memory;
    brn_ctx *ctx = faulty_ctx(&memory, 1);
    make_sheet(&p, 64, 8, loop, 3);
    const brn_surface s = surface_of(&p, 3);
    brn_intersect *check = NULL;
    size_t count = 0;
    assert_done(ctx, brn_intersect_create(ctx, &check));
    assert_done(ctx, brn_intersect_surface(check, &s, NULL, 0, &count));
    const long calls = memory.calls;
    assert_done(ctx, brn_intersect_surface(check, &s, NULL, 0, &count));
    assert_int_equal(memory.calls, calls);
    brn_intersect_destroy(check);
    brn_ctx_destroy(ctx);
}

static void test_same_for_any_thread_count(void **state)
{
    (void)state;
    static pieces p;
    brn_intersection first[50], found[50];
    size_t first_count = 0;
    for (int threads = 1; threads <= 7; threads += threads < 4 ? 1 : 3) {
        brn_ctx *ctx = test_ctx(threads);
        memset(&p, 0, sizeof p);
        add_sphere(ctx, &p, 3, (const double[]){0, 0, 0}, 1.0);
        add_sphere(ctx, &p, 3, (const double[]){1.0, 0.4, 0.1}, 1.1);
        const brn_surface s = surface_of(&p, 3);
        brn_intersect *check = NULL;
        size_t count = 0;
        memset(found, 0, sizeof found);
        assert_done(ctx, brn_intersect_create(ctx, &check));
        assert_done(ctx, brn_intersect_surface(check, &s, found, 50, &count));
        if (threads == 1) {
            memcpy(first, found, sizeof found);
            first_count = count;
        }
        assert_true(count >= 50);
        assert_int_equal(count, first_count);
        assert_memory_equal(found, first, sizeof found);
        brn_intersect_destroy(check);
        brn_ctx_destroy(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments_in_the_plane),
        cmocka_unit_test(test_segment_and_triangle),
        cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_against_rationals),
        cmocka_unit_test(test_spheres),
        cmocka_unit_test(test_sheets),
        cmocka_unit_test(test_options_and_errors),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_steady_state_allocates_nothing),
        cmocka_unit_test(test_same_for_any_thread_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
