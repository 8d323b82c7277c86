/* Shapes of bodies in the model: kind, size and frame at rest; the frame follows rigid bodies and motions; levers of places. */
#include "flow.h"

#include "base/rng.h"
#include "contact/lever.h"
#include "linalg/dense.h"
#include "model/body_shape.h"
#include "phys/rotation.h"

#define BODY(turn, name, type, shape, place)                                                \
 "  - {name: " name ", type: " type ", shape: {" shape "}, position: " place ", rotation: " \
 "{" turn "degrees: 40}}\n"
#define BODY3(...) BODY("axis: [1, 2, -0.5], ", __VA_ARGS__)
#define BODY2(...) BODY("", __VA_ARGS__)
static const char *const scene3 =
    "brunt: 1\nmethod: {type: none}\ntime: {step: 0.01, end: 1}\ncontact: {}\nbodies:\n" BODY3(
        "p", "static", "plane: {normal: [1, 0.5, 2]}",
        "[0, 0, -9]") BODY3("b", "static", "box: {size: [0.2, 0.4, 0.6]}", "[1, 0, 0]")
        BODY3("c", "static", "cylinder: {radius: 0.3, height: 0.5}",
              "[2, 0, 0]") BODY3("s", "static", "sphere: {radius: 0.3}", "[3, 0, 0]")
            BODY3("k", "static", "capsule: {radius: 0.1, height: 0.5}",
                  "[4, 0, 0]") BODY3("rb", "rigid", "box: {size: [0.2, 0.4, 0.6]}", "[1, 5, 0]")
                BODY3("rc", "rigid", "cylinder: {radius: 0.3, height: 0.5}",
                      "[2, 5, 0]") BODY3("rs", "rigid", "sphere: {radius: 0.3}", "[3, 5, 0]")
                    BODY3("rk", "rigid", "capsule: {radius: 0.1, height: 0.5}",
                          "[4, 5, 0]") "  - {name: wall, type: rigid, shape: {box: {size: [0.2, 0.4, 0.6]}}, "
                                       "position: [1, 9, 0], repeat: "
                                       "{count: [2, 1, 2], spacing: [0.5, 0, 0.9], jitter: {position: 0.1, "
                                       "rotation: 30}}}\n";
static const char *const scene2 =
    "brunt: 1\ndimension: 2\nmethod: {type: none}\ntime: {step: 0.01, end: 1}\nbodies:\n" BODY2(
        "p", "static", "plane: {normal: [1, 2]}", "[0, -9]")
        BODY2("b", "static", "box: {size: [0.2, 0.4]}", "[1, 0]")
            BODY2("s", "static", "sphere: {radius: 0.3}", "[3, 0]")
                BODY2("k", "static", "capsule: {radius: 0.1, height: 0.5}", "[4, 0]")
                    BODY2("rb", "rigid", "box: {size: [0.2, 0.4]}", "[1, 5]")
                        BODY2("rs", "rigid", "sphere: {radius: 0.3}", "[3, 5]")
                            BODY2("rk", "rigid", "capsule: {radius: 0.1, height: 0.5}", "[4, 5]");

static double distance(const brn_model *m, int body, const double *x, const double p[3])
{
    brn_rigid_map frame;
    double normal[3];
    double closest[3];
    brn_body_shape_frame(m, body, x, &frame);
    return brn_primitive_distance_at(&m->body[body].shape.primitive, &frame, p, normal, closest);
}

/* What is seen lies on the shape, or between it and a polygon of its many segments: 1 - cos(pi / 32) of the radius is 0.5 %. */
static void check_seen(const brn_model *m, const double *x)
{
    for (int b = 0; b < m->nbody; ++b) {
        const brn_body *body = &m->body[b];
        double least = INFINITY;
        for (int i = 0; i < body->boundary->nnode; ++i) {
            const double d = distance(m, b, x, &x[3 * body->boundary->node[i]]);
            assert_near(d, 0.0, 1e-13); /* coordinates up to 30 m, patch of the plane included */
            least = fmin(least, d);
        }
        assert_true(isfinite(least));
    }
}

/* All bodies turned and shifted; tied nodes follow. */
static void move(const brn_model *m, const brn_rigid_map *by, double *x)
{
    for (int a = 0; a < m->nnode; ++a) {
        brn_rigid_map_apply(by, m->rest[a], &x[3 * a]);
    }
}

static void run(const char *text)
{
    flow f = flow_open(1, text, NULL);
    const brn_model *m = f.model;
    double *x = malloc((size_t)m->nnode * 3 * sizeof *x);
    brn_rigid_map by = {.origin = {0.5, -2.0, m->dim == 3 ? 1.5 : 0.0}};
    const double axis[3] = {m->dim == 3 ? 1.0 : 0.0, 0.0, m->dim == 3 ? -0.5 : 1.0};
    assert_non_null(x);
    memcpy(x, m->rest, (size_t)m->nnode * 3 * sizeof *x);
    check_seen(m, x);
    for (double angle = 0.0; angle < 6.0; angle += 0.7) {
        assert_true(brn_dense_rotation(axis, angle, by.rotation));
        move(m, &by, x);
        check_seen(m, x);
        for (int b = 0; b < m->nbody; ++b) {
            const brn_rigid_map *rest = &m->body[b].shape.rest;
            brn_rigid_map frame;
            double want[9];
            double origin[3];
            brn_body_shape_frame(m, b, x, &frame);
            brn_dense_multiply3(by.rotation, rest->rotation, want);
            brn_rigid_map_apply(&by, rest->origin, origin);
            for (int i = 0; i < 9; ++i) {
                assert_near(frame.rotation[i], want[i], 1e-13);
            }
            for (int i = 0; i < 3; ++i) {
                assert_near(frame.origin[i], origin[i], 1e-13);
            }
        }
    }
    free(x);
    flow_close(&f);
}

static void test_frames(void **state)
{
    (void)state;
    run(scene3);
    run(scene2);
}

/* A stretched affine body: the frame takes the nearest rotation, and the origin its place. */
static void test_affine(void **state)
{
    (void)state;
    flow f = flow_open(1, scene3, NULL);
    const brn_model *m = f.model;
    const double stretch[9] = {1.01, 0.02, 0.0, 0.0, 0.99, 0.01, -0.01, 0.0, 1.0};
    double *x = malloc((size_t)m->nnode * 3 * sizeof *x);
    assert_non_null(x);
    for (int a = 0; a < m->nnode; ++a) {
        brn_dense_apply3(stretch, m->rest[a], &x[3 * a]);
    }
    for (int b = 0; b < m->nbody; ++b) {
        brn_rigid_map frame;
        double nearest[9];
        double want[9];
        double origin[3];
        if (m->body[b].type != BRN_BODY_RIGID) {
            continue;
        }
        brn_body_shape_frame(m, b, x, &frame);
        brn_rotation_nearest(stretch, nearest);
        brn_dense_multiply3(nearest, m->body[b].shape.rest.rotation, want);
        brn_dense_apply3(stretch, m->body[b].shape.rest.origin, origin);
        for (int i = 0; i < 9; ++i) {
            assert_near(frame.rotation[i], want[i], 1e-13);
        }
        for (int i = 0; i < 3; ++i) {
            assert_near(frame.origin[i], origin[i], 1e-13);
        }
    }
    free(x);
    flow_close(&f);
}

static void test_sizes(void **state)
{
    (void)state;
    flow f = flow_open(1, scene3, NULL);
    const brn_primitive want[5] = {
        {BRN_PRIMITIVE_PLANE, 3, {0}},
        {BRN_PRIMITIVE_BOX, 3, {0.1, 0.2, 0.3}},
        {BRN_PRIMITIVE_CYLINDER, 3, {0.3, 0.25}},
        {BRN_PRIMITIVE_SPHERE, 3, {0.3}},
        {BRN_PRIMITIVE_CAPSULE, 3, {0.1, 0.25}},
    };
    for (int b = 0; b < f.model->nbody; ++b) {
        const brn_primitive *got = &f.model->body[b].shape.primitive;
        const brn_primitive *is = &want[b < 5 ? b : b < 9 ? b - 4 : 1]; /* the wall's boxes come last */
        assert_int_equal(got->kind, is->kind);
        assert_int_equal(got->dim, 3);
        assert_memory_equal(got->size, is->size, sizeof is->size);
    }
    flow_close(&f);
}

/* A place that moves with a body is the lever's combination of nodes, before and after; on a plane only places of the plane. */
static void check_levers(const char *text)
{
    flow f = flow_open(1, text, NULL);
    const brn_model *m = f.model;
    double *x = malloc((size_t)m->nnode * 3 * sizeof *x);
    brn_rigid_map by = {.origin = {0.5, -2.0, m->dim == 3 ? 1.5 : 0.0}};
    const double z[3] = {0, 0, 1};
    brn_rng rng = {2};
    assert_non_null(x);
    assert_true(brn_dense_rotation(z, 0.8, by.rotation));
    move(m, &by, x);
    for (int b = 0; b < m->nbody; ++b) {
        const brn_body_shape *shape = &m->body[b].shape;
        double own[3] = {0};
        double rest[3];
        double place[3];
        double sum[3] = {0};
        double total = 0.0;
        brn_lever lever = {0};
        for (int i = 0; i < m->dim; ++i) {
            own[i] = shape->primitive.kind == BRN_PRIMITIVE_PLANE && i == m->dim - 1
                         ? 0.0
                         : brn_rng_uniform(&rng, -1.0, 1.0);
        }
        brn_rigid_map_apply(&shape->rest, own, rest);
        brn_rigid_map_apply(&by, rest, place);
        brn_lever_add_place(&lever, m, b, rest, -1.0, &m->rest[0][0]);
        for (int k = 0; k < lever.count; ++k) {
            total += lever.weight[k];
            for (int i = 0; i < 3; ++i) {
                sum[i] += lever.weight[k] * x[3 * lever.node[k] + i];
            }
        }
        assert_near(total, -1.0, 1e-13);
        for (int i = 0; i < 3; ++i) {
            assert_near(sum[i], -place[i], 1e-12); /* weights up to 20 */
        }
    }
    free(x);
    flow_close(&f);
}

static void test_levers(void **state)
{
    (void)state;
    check_levers(scene3);
    check_levers(scene2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes), cmocka_unit_test(test_frames),
                                       cmocka_unit_test(test_affine), cmocka_unit_test(test_levers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
