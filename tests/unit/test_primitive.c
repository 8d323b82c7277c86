/* Primitive shapes: signed distance, normal and closest point against sampled surfaces, a test of membership of its own and finite
   differences; exact on faces, edges, rims and corners; support against the samples; the same through a frame. */
#include "test.h"

#include "base/rng.h"
#include "geom/primitive.h"
#include "linalg/dense.h"

static const brn_primitive shapes[] = {
    {BRN_PRIMITIVE_SPHERE, 3, {0.7}},        {BRN_PRIMITIVE_BOX, 3, {0.5, 0.8, 0.3}},
    {BRN_PRIMITIVE_CYLINDER, 3, {0.6, 0.4}}, {BRN_PRIMITIVE_CYLINDER, 3, {0.3, 0.9}},
    {BRN_PRIMITIVE_CAPSULE, 3, {0.4, 0.5}},  {BRN_PRIMITIVE_PLANE, 3, {0}},
    {BRN_PRIMITIVE_SPHERE, 2, {0.7}},        {BRN_PRIMITIVE_BOX, 2, {0.5, 0.8}},
    {BRN_PRIMITIVE_CAPSULE, 2, {0.4, 0.5}},  {BRN_PRIMITIVE_PLANE, 2, {0}},
};
enum { NSHAPE = sizeof shapes / sizeof *shapes };

/* Membership by the words of the definition. */
static bool contains(const brn_primitive *s, const double p[3])
{
    const double *r = s->size;
    const double up = p[s->dim - 1];
    const double beyond = fmax(0.0, fabs(up) - r[1]);
    switch (s->kind) {
    case BRN_PRIMITIVE_PLANE:
        return up <= 0.0;
    case BRN_PRIMITIVE_SPHERE:
        return p[0] * p[0] + p[1] * p[1] + p[2] * p[2] <= r[0] * r[0];
    case BRN_PRIMITIVE_BOX:
        return fabs(p[0]) <= r[0] && fabs(p[1]) <= r[1] && (s->dim == 2 || fabs(p[2]) <= r[2]);
    case BRN_PRIMITIVE_CYLINDER:
        return p[0] * p[0] + p[1] * p[1] <= r[0] * r[0] && fabs(p[2]) <= r[1];
    default:
        return p[0] * p[0] + (s->dim == 3 ? p[1] * p[1] : 0.0) + beyond * beyond <= r[0] * r[0];
    }
}

static void random_point(brn_rng *rng, int dim, double most, double p[3])
{
    for (int i = 0; i < 3; ++i) {
        p[i] = i < dim ? brn_rng_uniform(rng, -most, most) : 0.0;
    }
}

/* A point of the surface: from the middle outwards until membership changes, by bisection. */
static void sample(const brn_primitive *s, brn_rng *rng, double out[3])
{
    double way[3];
    double lo = 0.0;
    double hi = 8.0;
    random_point(rng, s->dim, 1.0, way);
    if (s->kind == BRN_PRIMITIVE_PLANE) {
        memcpy(out, way, sizeof way);
        out[s->dim - 1] = 0.0;
        return;
    }
    const double length = sqrt(brn_dense_dot3(way, way));
    for (int n = 0; n < 60; ++n) {
        const double middle = 0.5 * (lo + hi);
        for (int i = 0; i < 3; ++i) {
            out[i] = middle * way[i] / length;
        }
        *(contains(s, out) ? &lo : &hi) = middle;
    }
}

enum { SAMPLES = 40000, POINTS = 100 };

/* No sample is nearer than the distance, and some is about as near: 4e4 samples of a surface below 15 m^2 leave holes of 0.1. */
static void test_samples(void **state)
{
    (void)state;
    double(*at)[3] = malloc(SAMPLES * sizeof *at);
    assert_non_null(at);
    for (int k = 0; k < NSHAPE; ++k) {
        const brn_primitive *s = &shapes[k];
        brn_rng rng = {3};
        for (int n = 0; n < SAMPLES; ++n) {
            sample(s, &rng, at[n]);
        }
        int inside = 0;
        for (int n = 0; n < POINTS; ++n) {
            double p[3];
            double normal[3];
            double closest[3];
            random_point(&rng, s->dim, s->kind == BRN_PRIMITIVE_PLANE ? 0.4 : 1.0, p);
            const double d = brn_primitive_distance(s, p, normal, closest);
            double nearest = INFINITY;
            for (int m = 0; m < SAMPLES; ++m) {
                const double r[3] = {at[m][0] - p[0], at[m][1] - p[1], at[m][2] - p[2]};
                nearest = fmin(nearest, sqrt(brn_dense_dot3(r, r)));
            }
            assert_true(fabs(d) <= nearest + 1e-12); /* the bisection's rounding */
            assert_true(nearest <= fabs(d) + 0.1);
            assert_int_equal(d <= 0.0, contains(s, p));
            inside += d < 0.0;
        }
        assert_true(inside > 3 && inside < POINTS - 3);
    }
    free(at);
}

/* p = closest + d normal, the closest point is on the surface, the normal is a unit vector and the slope of the distance. */
static void test_normals(void **state)
{
    (void)state;
    const double h =
        1e-6; /* truncation h^2 / radius, rounding 1e-16 / h: 1e-10 at points away from edges of the distance */
    for (int k = 0; k < NSHAPE; ++k) {
        const brn_primitive *s = &shapes[k];
        brn_rng rng = {4};
        int smooth = 0;
        for (int n = 0; n < 2000; ++n) {
            double p[3];
            double normal[3];
            double closest[3];
            double unused[3];
            double none[3];
            double slope[3];
            bool same = true;
            random_point(&rng, s->dim, 1.5, p);
            const double d = brn_primitive_distance(s, p, normal, closest);
            assert_near(brn_dense_dot3(normal, normal), 1.0, 1e-15 * 4);
            assert_near(brn_primitive_distance(s, closest, unused, none), 0.0, 1e-15 * 8);
            for (int i = 0; i < 3; ++i) {
                assert_near(closest[i] + d * normal[i], p[i], 1e-15 * 8);
            }
            for (int i = 0; i < s->dim; ++i) {
                double value[2];
                for (int e = 0; e < 2; ++e) {
                    double q[3] = {p[0], p[1], p[2]};
                    q[i] += e == 0 ? -h : h;
                    value[e] = brn_primitive_distance(s, q, unused, none);
                    same = same && brn_dense_dot3(unused, normal) > 1.0 - 1e-6;
                }
                slope[i] = (value[1] - value[0]) / (2.0 * h);
            }
            for (int i = 0; i < s->dim && same; ++i) {
                assert_near(slope[i], normal[i], 1e-8);
            }
            smooth += same;
        }
        assert_true(smooth > 1900);
    }
}

typedef struct exact_case {
    brn_primitive shape;
    double p[3], d, normal[3];
} exact_case;

/* Faces, edges, rims, corners, axes: numbers that are exact in binary, so that results are. */
static void test_exact(void **state)
{
    (void)state;
    const brn_primitive box = {BRN_PRIMITIVE_BOX, 3, {1, 2, 4}};
    const brn_primitive tube = {BRN_PRIMITIVE_CYLINDER, 3, {1, 2}};
    const brn_primitive rod = {BRN_PRIMITIVE_CAPSULE, 3, {1, 2}};
    const brn_primitive ball = {BRN_PRIMITIVE_SPHERE, 3, {1}};
    const brn_primitive plate = {BRN_PRIMITIVE_BOX, 2, {1, 2}};
    const exact_case cases[] = {
        {box, {1, 0, 0}, 0, {1, 0, 0}},
        {box, {-0.5, 0, 0}, -0.5, {-1, 0, 0}},
        {box, {4, 6, 0}, 5, {0.6, 0.8, 0}},
        {box, {1, 2, 0}, 0, {1, 0, 0}},
        {box, {1, 2, 4}, 0, {1, 0, 0}},
        {box, {0, 1.5, 3.75}, -0.25, {0, 0, 1}},
        {box, {2, 4, 6}, 3, {1. / 3, 2. / 3, 2. / 3}},
        {box, {0, -2.5, 0}, 0.5, {0, -1, 0}},
        {tube, {0, 0, 0}, -1, {1, 0, 0}},
        {tube, {0, 0, 1.5}, -0.5, {0, 0, 1}},
        {tube, {4, 0, 6}, 5, {0.6, 0, 0.8}},
        {tube, {0, -0.75, 0}, -0.25, {0, -1, 0}},
        {tube, {0, 1, -2}, 0, {0, 0, -1}},
        {tube, {0, 0, -3}, 1, {0, 0, -1}},
        {rod, {0, 0, 0}, -1, {1, 0, 0}},
        {rod, {0, 0, 5}, 2, {0, 0, 1}},
        {rod, {0, 3, -6}, 4, {0, 0.6, -0.8}},
        {rod, {0.5, 0, 1}, -0.5, {1, 0, 0}},
        {ball, {0, 0, 0}, -1, {1, 0, 0}},
        {ball, {0, 3, 4}, 4, {0, 0.6, 0.8}},
        {plate, {4, 6, 0}, 5, {0.6, 0.8, 0}},
        {plate, {0.75, -1.5, 0}, -0.25, {1, 0, 0}},
        {{BRN_PRIMITIVE_PLANE, 3, {0}}, {5, 6, -7}, -7, {0, 0, 1}},
        {{BRN_PRIMITIVE_PLANE, 2, {0}}, {5, 6, 0}, 6, {0, 1, 0}},
    };
    for (int k = 0; k < (int)(sizeof cases / sizeof *cases); ++k) {
        double normal[3];
        double closest[3];
        assert_true(brn_primitive_distance(&cases[k].shape, cases[k].p, normal, closest) == cases[k].d);
        for (int i = 0; i < 3; ++i) {
            assert_near(normal[i], cases[k].normal[i], 1e-15 / 4);
        }
    }
    /* A hair outside of an edge: the distance is not lost in a square. */
    const double hair[3] = {1.0 + 0x1p-52, 2.0 + 0x1p-51, 0.0};
    double normal[3];
    double closest[3];
    assert_near(brn_primitive_distance(&box, hair, normal, closest), 0x1p-52 * sqrt(5.0), 1e-30);
}

static void test_support(void **state)
{
    (void)state;
    for (int k = 0; k < NSHAPE; ++k) {
        const brn_primitive *s = &shapes[k];
        brn_rng rng = {6};
        for (int n = 0; n < 50; ++n) {
            double way[3];
            double most[3];
            double normal[3];
            double closest[3];
            random_point(&rng, s->dim, 2.0, way);
            if (!brn_primitive_support(s, way, most)) {
                assert_int_equal(s->kind, BRN_PRIMITIVE_PLANE);
                continue;
            }
            assert_near(brn_primitive_distance(s, most, normal, closest), 0.0, 1e-15);
            for (int m = 0; m < 200; ++m) {
                double at[3];
                sample(s, &rng, at);
                assert_true(brn_dense_dot3(at, way) <= brn_dense_dot3(most, way) + 1e-12);
            }
        }
    }
}

/* Inside, the nearest face is the shape's nearest place. */
static void test_faces(void **state)
{
    (void)state;
    const brn_rigid_map frame = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int k = 0; k < NSHAPE; ++k) {
        brn_rng rng = {8};
        for (int n = 0; n < 300; ++n) {
            double p[3];
            double normal[3];
            double closest[3];
            double most = -INFINITY;
            random_point(&rng, shapes[k].dim, 1.0, p);
            const double d = brn_primitive_distance(&shapes[k], p, normal, closest);
            for (int i = 0; i < brn_primitive_face_count(&shapes[k]) && d < 0.0; ++i) {
                double of_face[3];
                const double at = brn_primitive_face_at(&shapes[k], &frame, i, p, of_face);
                assert_true(at <= 0.0);
                assert_true(at < d || brn_dense_dot3(normal, of_face) > 1.0 - 1e-15 * 4);
                most = fmax(most, at);
            }
            assert_true(d >= 0.0 || most == d);
        }
    }
}

/* A turned and shifted shape: the same numbers, turned and shifted. */
static void test_frame(void **state)
{
    (void)state;
    for (int k = 0; k < NSHAPE; ++k) {
        const brn_primitive *s = &shapes[k];
        const double axis[3] = {s->dim == 3 ? 0.3 : 0.0, s->dim == 3 ? -1.0 : 0.0, 0.8};
        brn_rigid_map frame = {.origin = {2.0, -1.0, s->dim == 3 ? 3.0 : 0.0}};
        brn_rng rng = {7};
        assert_true(brn_dense_rotation(axis, 0.9, frame.rotation));
        for (int n = 0; n < 100; ++n) {
            double own[3];
            double p[3];
            double a[2][3];
            double b[2][3];
            double want[2][3];
            random_point(&rng, s->dim, 1.2, own);
            brn_rigid_map_apply(&frame, own, p);
            const double d = brn_primitive_distance(s, own, a[0], a[1]);
            assert_near(brn_primitive_distance_at(s, &frame, p, b[0], b[1]), d, 4e-15);
            brn_dense_apply3(frame.rotation, a[0], want[0]);
            brn_rigid_map_apply(&frame, a[1], want[1]);
            for (int i = 0; i < 3; ++i) { /* normals near an edge turn by rounding / distance from it */
                assert_near(b[0][i], want[0][i], 1e-13);
                assert_near(b[1][i], want[1][i], 1e-13);
            }
            if (brn_primitive_support(s, own, a[0])) {
                double way[3];
                double far[3];
                brn_dense_apply3(frame.rotation, own, way);
                brn_rigid_map_apply(&frame, a[0], want[0]);
                assert_true(brn_primitive_support_at(s, &frame, way, far));
                for (int i = 0; i < 3; ++i) {
                    assert_near(far[i], want[0][i], 1e-14);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples), cmocka_unit_test(test_normals), cmocka_unit_test(test_exact),
        cmocka_unit_test(test_support), cmocka_unit_test(test_faces),   cmocka_unit_test(test_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
