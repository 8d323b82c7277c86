/* Shapes: what is seen is closed, faces outwards and comes near the exact measures; what touches is where it should be;
   bodies made of them, and what the scene may not say. */
#include "test.h"

#include "geom/moments.h"
#include "model/model.h"
#include "model/shapes/shape.h"

static brn_ctx *ctx;

static int set_up(void **state)
{
    (void)state;
    ctx = test_ctx(1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    brn_ctx_destroy(ctx);
    return 0;
}

static brn_status compile(const char *text, brn_scene **scene, brn_model **model)
{
    *scene = NULL;
    *model = NULL;
    const brn_status status = brn_scene_parse(ctx, text, strlen(text), "shapes.yaml", scene);
    return status >= 0 ? brn_model_compile(ctx, *scene, model) : status;
}

static brn_model *open_model(const char *text, brn_scene **scene)
{
    brn_model *model = NULL;
    const brn_status status = compile(text, scene, &model);
    for (int i = 0; status < 0 && *scene != NULL && i < brn_scene_problem_count(*scene); ++i) {
        print_error("%s\n", brn_scene_problem(*scene, i));
    }
    assert_done(ctx, status);
    return model;
}

/* ---- the seen surface ------------------------------------------------------------------------------------------------ */

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Every directed edge has its opposite exactly once. */
static void assert_closed(const brn_boundary *b)
{
    for (int i = 0; i < 3 * b->ntri; ++i) {
        const int p = b->tri[i / 3][i % 3];
        const int q = b->tri[i / 3][(i + 1) % 3];
        int same = 0;
        int opposite = 0;
        for (int j = 0; j < 3 * b->ntri; ++j) {
            const int s = b->tri[j / 3][j % 3];
            const int t = b->tri[j / 3][(j + 1) % 3];
            same += s == p && t == q;
            opposite += s == q && t == p;
        }
        assert_int_equal(same, 1);
        assert_int_equal(opposite, 1);
    }
}

/* Volume and second moments of a closed surface about the origin by its tetrahedra with the origin. */
static void surface_moments(const brn_model *m, const brn_boundary *b, double *volume, double *area,
                            double second[3])
{
    *volume = *area = second[0] = second[1] = second[2] = 0.0;
    for (int t = 0; t < b->ntri; ++t) {
        const double *x = m->rest[b->tri[t][0]];
        const double *y = m->rest[b->tri[t][1]];
        const double *z = m->rest[b->tri[t][2]];
        const double u[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
        const double v[3] = {z[0] - x[0], z[1] - x[1], z[2] - x[2]};
        double n[3];
        double yz[3];
        cross(u, v, n);
        cross(y, z, yz);
        const double tet = dot(x, yz) / 6.0;
        assert_true(dot(n, x) > 0.0); /* all shapes are star-shaped about the origin */
        *volume += tet;
        *area += 0.5 * sqrt(dot(n, n));
        for (int i = 0; i < 3; ++i) {
            const double sum = x[i] + y[i] + z[i];
            second[i] += tet / 20.0 * (x[i] * x[i] + y[i] * y[i] + z[i] * z[i] + sum * sum);
        }
    }
}

#define HEAD3 "brunt: 1\nbodies:\n  - {name: s, type: static, shape: {"
#define HEAD2 "brunt: 1\ndimension: 2\nbodies:\n  - {name: s, type: static, shape: {"

typedef struct solid_case {
    const char *format; /* with %d for the segments, if there are any */
    double volume, area;
} solid_case;

/* The form that the builder would make, for its exact measures. */
static void form_of(const brn_scene *scene, int dim, brn_shape_form *form)
{
    const brn_variant *body = &brn_scene_get_def(scene)->bodies.items[0];
    const brn_table *table = body->table;
    const brn_param *param = brn_table_find(table, "shape");
    const brn_variant *shape = (const void *)((const char *)body->value + param->offset);
    assert_done(ctx, brn_shape_of_table(shape->table)->make(ctx, shape->value, dim, form));
}

static void test_solids_converge(void **state)
{
    (void)state;
    const double r = 0.3;
    const double h = 0.7;
    const solid_case cases[] = {
        {HEAD3 "box: {size: [0.5, 0.7, 1.1]}}}\n", 0.5 * 0.7 * 1.1, 2 * (0.5 * 0.7 + 0.5 * 1.1 + 0.7 * 1.1)},
        {HEAD3 "sphere: {radius: 0.3, segments: %d}}}\n", 4.0 / 3.0 * M_PI * r * r * r, 4 * M_PI * r * r},
        {HEAD3 "cylinder: {radius: 0.3, height: 0.7, segments: %d}}}\n", M_PI * r * r * h,
         2 * M_PI * r * (r + h)},
        {HEAD3 "capsule: {radius: 0.3, height: 0.7, segments: %d}}}\n",
         M_PI * r * r * h + 4.0 / 3.0 * M_PI * r * r * r, 2 * M_PI * r * h + 4 * M_PI * r * r},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        double error[2][5];
        for (int level = 0; level < 2; ++level) {
            char text[300];
            (void)snprintf(text, sizeof text, cases[c].format, 16 << level);
            brn_scene *scene = NULL;
            brn_model *model = open_model(text, &scene);
            const brn_boundary *seen = model->body[0].boundary;
            double volume;
            double area;
            double second[3];
            brn_shape_form form;
            assert_closed(seen);
            surface_moments(model, seen, &volume, &area, second);
            form_of(scene, 3, &form);
            brn_moments exact;
            assert_true(brn_moments_of_primitive(&form.primitive, &exact));
            assert_near(exact.volume, cases[c].volume, 1e-14);
            error[level][0] = exact.volume - volume;
            error[level][1] = cases[c].area - area;
            for (int i = 0; i < 3; ++i) {
                error[level][2 + i] = exact.second[4 * i] - second[i];
            }
            brn_mesh_destroy(form.mesh);
            brn_model_destroy(model);
            brn_scene_destroy(scene);
        }
        for (int i = 0; i < 5; ++i) {
            if (c == 0) {
                assert_near(error[0][i], 0.0, 1e-14);
                continue;
            }
            /* Inscribed: always below, and second order in the length of an edge: a factor 4, measured 3.8 to 4.0. */
            assert_true(error[1][i] > 0.0);
            assert_near(error[0][i] / error[1][i], 4.0, 0.3);
        }
    }
}

/* Area and second moments of a plane body by its triangles; its edges enclose it counter-clockwise. */
static void test_areas_converge(void **state)
{
    (void)state;
    static const char *const formats[] = {
        HEAD2 "box: {size: [0.5, 0.7]}}}\n",
        HEAD2 "sphere: {radius: 0.3, segments: %d}}}\n",
        HEAD2 "capsule: {radius: 0.3, height: 0.7, segments: %d}}}\n",
    };
    const double exact[] = {0.35, M_PI * 0.09, M_PI * 0.09 + 0.42};
    for (int c = 0; c < 3; ++c) {
        double error[2][3];
        for (int level = 0; level < 2; ++level) {
            char text[300];
            (void)snprintf(text, sizeof text, formats[c], 16 << level);
            brn_scene *scene = NULL;
            brn_model *model = open_model(text, &scene);
            const brn_boundary *seen = model->body[0].boundary;
            double area = 0.0;
            double enclosed = 0.0;
            double second[2] = {0.0, 0.0};
            for (int t = 0; t < seen->ntri; ++t) {
                const double *x = model->rest[seen->tri[t][0]];
                const double *y = model->rest[seen->tri[t][1]];
                const double *z = model->rest[seen->tri[t][2]];
                const double a = 0.5 * ((y[0] - x[0]) * (z[1] - x[1]) - (y[1] - x[1]) * (z[0] - x[0]));
                assert_true(a > 0.0);
                area += a;
                for (int i = 0; i < 2; ++i) {
                    const double sum = x[i] + y[i] + z[i];
                    second[i] += a / 12.0 * (x[i] * x[i] + y[i] * y[i] + z[i] * z[i] + sum * sum);
                }
            }
            for (int e = 0; e < seen->nedge; ++e) {
                const double *x = model->rest[seen->edge[e][0]];
                const double *y = model->rest[seen->edge[e][1]];
                enclosed += 0.5 * (x[0] * y[1] - x[1] * y[0]);
            }
            assert_near(enclosed, area, 1e-14);
            brn_shape_form form;
            form_of(scene, 2, &form);
            brn_moments whole;
            assert_true(brn_moments_of_primitive(&form.primitive, &whole));
            assert_near(whole.volume, exact[c], 1e-15);
            error[level][0] = whole.volume - area;
            error[level][1] = whole.second[0] - second[0];
            error[level][2] = whole.second[4] - second[1];
            brn_mesh_destroy(form.mesh);
            brn_model_destroy(model);
            brn_scene_destroy(scene);
        }
        for (int i = 0; i < 3; ++i) {
            if (c == 0) {
                assert_near(error[0][i], 0.0, 1e-15);
                continue;
            }
            assert_true(error[1][i] > 0.0);
            assert_near(error[0][i] / error[1][i], 4.0, 0.3);
        }
    }
}

/* ---- what touches ------------------------------------------------------------------------------------------------------ */

static bool in_list(const int *list, int n, int wanted)
{
    for (int i = 0; i < n; ++i) {
        if (list[i] == wanted) {
            return true;
        }
    }
    return false;
}

static void assert_core(const brn_model *m, const brn_body *body, int nnode, double radius)
{
    assert_ptr_not_equal(body->touch, body->boundary);
    assert_int_equal(body->touch->nnode, nnode);
    assert_int_equal(body->touch->nedge, nnode == 2);
    assert_int_equal(body->touch->ntri, 0);
    assert_near(body->radius, radius, 0.0);
    assert_int_equal(body->plane[0], -1);
    for (int i = 0; i < nnode; ++i) {
        const int a = body->touch->node[i];
        assert_true(a >= body->node_first && a < body->node_first + body->node_count);
        assert_false(in_list(body->boundary->node, body->boundary->nnode, a));
        for (int k = 0; k < m->dim; ++k) {
            assert_int_equal(m->fixed[m->node_row[a] * m->dim + k], BRN_DOF_HELD);
        }
    }
}

/* Every seen node is at the radius from the core, to rounding. */
static void assert_round(const brn_model *m, const brn_body *body)
{
    const double *p = m->rest[body->touch->node[0]];
    const double *q = m->rest[body->touch->node[body->touch->nnode - 1]];
    const double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    const double length = dot(d, d);
    for (int i = 0; i < body->boundary->nnode; ++i) {
        const double *x = m->rest[body->boundary->node[i]];
        const double r[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
        const double t = length > 0.0 ? fmin(fmax(dot(r, d) / length, 0.0), 1.0) : 0.0;
        const double off[3] = {r[0] - t * d[0], r[1] - t * d[1], r[2] - t * d[2]};
        assert_near(sqrt(dot(off, off)), body->radius, 1e-14);
    }
}

static void test_cores(void **state)
{
    (void)state;
    brn_scene *scene = NULL;
    brn_model *m = open_model(
        "brunt: 1\nbodies:\n"
        "  - {name: ball, type: static, shape: {sphere: {radius: 0.2}}, position: [1, 2, 3]}\n"
        "  - {name: rod, type: static, shape: {capsule: {radius: 0.1, height: 0.6}}, position: [0, 0, 1],\n"
        "     rotation: {axis: [0, 1, 0], degrees: 90}}\n"
        "  - {name: box, type: static, shape: {box: {size: [1, 2, 3]}}}\n"
        "  - {name: drum, type: static, shape: {cylinder: {radius: 0.5, height: 1}}}\n",
        &scene);
    const brn_body *ball = &m->body[0];
    const brn_body *rod = &m->body[1];
    assert_core(m, ball, 1, 0.2);
    assert_round(m, ball);
    for (int i = 0; i < 3; ++i) {
        assert_near(m->rest[ball->touch->node[0]][i], 1.0 + i, 0.0);
    }
    assert_core(m, rod, 2, 0.1);
    assert_round(m, rod);
    assert_int_equal(rod->touch->edge[0][0], rod->touch->node[0]);
    assert_int_equal(rod->touch->edge[0][1], rod->touch->node[1]);
    assert_near(m->rest[rod->touch->node[0]][0], -0.3, 1e-16);
    assert_near(m->rest[rod->touch->node[1]][0], 0.3, 1e-16);
    assert_near(m->rest[rod->touch->node[1]][2], 1.0, 1e-16);
    for (int i = 2; i < 4; ++i) {
        assert_ptr_equal(m->body[i].touch, m->body[i].boundary);
        assert_near(m->body[i].radius, 0.0, 0.0);
        assert_int_equal(m->body[i].plane[0], -1);
    }
    assert_int_equal(m->body[3].boundary->nnode, 2 * 48 + 2);
    brn_model_destroy(m);
    brn_scene_destroy(scene);

    m = open_model("brunt: 1\ndimension: 2\nbodies:\n"
                   "  - {name: disc, type: static, shape: {sphere: {radius: 0.2}}, position: [1, 2]}\n"
                   "  - {name: rod, type: static, shape: {capsule: {radius: 0.1, height: 0.6}}}\n",
                   &scene);
    assert_core(m, &m->body[0], 1, 0.2);
    assert_round(m, &m->body[0]);
    assert_core(m, &m->body[1], 2, 0.1);
    assert_round(m, &m->body[1]);
    assert_near(m->rest[m->body[1].touch->node[1]][1], 0.3, 0.0);
    brn_model_destroy(m);
    brn_scene_destroy(scene);
}

static void plane_normal(const brn_model *m, const int plane[3], double n[3])
{
    double u[3];
    double v[3] = {0.0, 0.0, -1.0}; /* 2D: the left of u is u x (-z) */
    for (int i = 0; i < 3; ++i) {
        u[i] = m->rest[plane[1]][i] - m->rest[plane[0]][i];
        v[i] = m->dim == 3 ? m->rest[plane[2]][i] - m->rest[plane[0]][i] : v[i];
    }
    cross(u, v, n);
    const double length = sqrt(dot(n, n));
    for (int i = 0; i < 3; ++i) {
        n[i] /= length;
    }
}

static void test_planes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double normal[3], point[3];
    } cases[] = {
        {HEAD3 "plane: {}}, position: [0, 0, 0.1]}\n", {0, 0, 1}, {0, 0, 0.1}},
        {HEAD3 "plane: {normal: [3, 0, 4], size: 7}}}\n", {0.6, 0, 0.8}, {0, 0, 0}},
        {HEAD3 "plane: {normal: [0, -1e-200, 0]}}, position: [1, 2, 3]}\n", {0, -1, 0}, {1, 2, 3}},
        {HEAD3 "plane: {}}, rotation: {axis: [1, 0, 0], degrees: -90}}\n", {0, 1, 0}, {0, 0, 0}},
        {HEAD2 "plane: {}}, position: [0, 0.1]}\n", {0, 1, 0}, {0, 0.1, 0}},
        {HEAD2 "plane: {normal: [-3, 4], size: 7}}}\n", {-0.6, 0.8, 0}, {0, 0, 0}},
        {HEAD2 "plane: {}}, rotation: 90}\n", {-1, 0, 0}, {0, 0, 0}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        brn_scene *scene = NULL;
        brn_model *m = open_model(cases[c].text, &scene);
        const brn_body *body = &m->body[0];
        double n[3];
        assert_int_equal(body->touch->nnode + body->touch->nedge + body->touch->ntri, 0);
        assert_int_equal(body->boundary->ntri, m->dim == 3 ? 2 : 0);
        plane_normal(m, body->plane, n);
        for (int i = 0; i < 3; ++i) {
            assert_near(n[i], cases[c].normal[i], 1e-15);
        }
        for (int a = 0; a < body->node_count; ++a) {
            double d[3];
            for (int i = 0; i < 3; ++i) {
                d[i] = m->rest[a][i] - cases[c].point[i];
            }
            assert_near(dot(d, n), 0.0, 2e-15);
        }
        for (int t = 0; t < body->boundary->ntri; ++t) {
            double seen[3];
            plane_normal(m, body->boundary->tri[t], seen);
            assert_near(dot(seen, n), 1.0, 1e-15);
        }
        if (m->dim == 2) { /* the seen edge has its solid on the left: it runs against 0 -> 1 */
            assert_int_equal(body->boundary->nedge, 1);
            assert_int_equal(body->boundary->edge[0][0], body->plane[1]);
            assert_int_equal(body->boundary->edge[0][1], body->plane[0]);
        }
        brn_model_destroy(m);
        brn_scene_destroy(scene);
    }
}

/* Not given, the patch is six times as wide as the others reach along it; an axis-parallel plane is exact. */
static void test_plane_size(void **state)
{
    (void)state;
    brn_scene *scene = NULL;
    brn_model *m = open_model("brunt: 1\nbodies:\n"
                              "  - {name: floor, type: static, shape: {plane: {}}, position: [0, 0, -0.3]}\n"
                              "  - {name: wall, type: static, shape: {plane: {normal: [1, 0, 0], size: 5}}}\n"
                              "  - {name: box, type: static, shape: {box: {size: [0.6, 0.8, 1]}},\n"
                              "     position: [0, 0, 50]}\n",
                              &scene);
    for (int a = 0; a < 4; ++a) {
        assert_near(fabs(m->rest[a][0]), 1.5, 1e-15);
        assert_near(fabs(m->rest[a][1]), 1.5, 1e-15);
        assert_near(m->rest[a][2], -0.3, 0.0);
        assert_near(m->rest[4 + a][0], 0.0, 0.0);
        assert_near(fabs(m->rest[4 + a][1]), 2.5, 0.0);
    }
    brn_model_destroy(m);
    brn_scene_destroy(scene);
}

/* Cores and planes follow the body's motion with everything else. */
static void test_motion(void **state)
{
    (void)state;
    brn_scene *scene = NULL;
    brn_model *m = open_model(
        "brunt: 1\nbodies:\n"
        "  - {name: rod, type: static, shape: {capsule: {radius: 0.1, height: 0.6}}, position: [1, 0, 0],\n"
        "     motion: {velocity: [0, 0, 2], angular_velocity: 1.5707963267948966, about: {axis: [1, 0, "
        "0]}}}\n"
        "  - {name: lid, type: static, shape: {plane: {normal: [0, 0, -1], size: 1}}, position: [0, 0, 1],\n"
        "     motion: {velocity: [0, 0, -0.5], until: 0.5}}\n",
        &scene);
    const brn_body *rod = &m->body[0];
    assert_int_equal(m->nhold, 2);
    assert_int_equal(m->hold[0].nnode, rod->node_count);
    double x[3];
    brn_motion_place(&m->hold[0].motion, m->rest[rod->touch->node[1]], 1.0, x, NULL);
    assert_near(x[0], 1.0, 1e-15);
    assert_near(x[1], -0.3, 1e-15); /* z -> -y by a quarter turn about x */
    assert_near(x[2], 2.0, 1e-15);
    brn_motion_place(&m->hold[1].motion, m->rest[m->body[1].plane[0]], 1.0, x, NULL);
    assert_near(x[2], 0.75, 1e-15);
    brn_model_destroy(m);
    brn_scene_destroy(scene);
}

static void test_thickness(void **state)
{
    (void)state;
    brn_scene *scene = NULL;
    brn_model *m = open_model("brunt: 1\nmeshes: {g: {grid: {size: [1, 1], cells: [2, 2]}}}\n"
                              "bodies: [{name: s, type: static, mesh: g, thickness: 0.02}]\n",
                              &scene);
    assert_near(m->body[0].radius, 0.01, 0.0);
    assert_ptr_equal(m->body[0].touch, m->body[0].boundary);
    brn_model_destroy(m);
    brn_scene_destroy(scene);
}

static void test_problems(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {HEAD3 "plane: {normal: [0, 0, 0]}}}\n", "normal: must not be zero"},
        {HEAD3 "plane: {normal: [0, 1]}}}\n", "normal: needs 3 numbers in 3D, found 2"},
        {HEAD3 "plane: {size: 0}}}\n", "must be > 0"},
        {HEAD3 "box: {}}}\n", "missing key 'size'"},
        {HEAD3 "box: {size: [1, 1]}}}\n", "size: needs 3 numbers in 3D, found 2"},
        {HEAD3 "sphere: {radius: -1}}}\n", "must be > 0"},
        {HEAD3 "sphere: {radius: .nan}}}\n", "radius"},
        {HEAD3 "sphere: {radius: 1, segments: 3}}}\n", "segments"},
        {HEAD3 "capsule: {radius: 1}}}\n", "missing key 'height'"},
        {HEAD3 "sphre: {radius: 1}}}\n", "sphere"},
        {HEAD3 "sphere: {radius: 1}}, mesh: b}\nmeshes: {b: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\n",
         "stands beside 'mesh'; keep one of the two"},
        {HEAD3 "sphere: {radius: 1}}, thickness: 0.1}\n", "is for sheets"},
        {HEAD2 "cylinder: {radius: 1, height: 1}}}\n", "a 2D scene has no cylinder"},
        {"brunt: 1\nbodies: [{name: s, type: static}]\n", "mesh: is needed, or a shape instead"},
        {"brunt: 1\nmeshes: {b: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}\n"
         "bodies: [{name: s, type: static, mesh: b, thickness: 0.1}]\n",
         "is for sheets: meshes of surface cells"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        brn_scene *scene = NULL;
        brn_model *model = NULL;
        const brn_status status = compile(cases[c][0], &scene, &model);
        assert_true(status < 0);
        assert_null(model);
        const char *first = scene != NULL && brn_scene_problem_count(scene) > 0 ? brn_scene_problem(scene, 0)
                                                                                : brn_ctx_message(ctx);
        if (strstr(first, cases[c][1]) == NULL) {
            fail_msg("case %zu: '%s' not in '%s'", c, cases[c][1], first);
        }
        brn_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solids_converge), cmocka_unit_test(test_areas_converge),
        cmocka_unit_test(test_cores),           cmocka_unit_test(test_planes),
        cmocka_unit_test(test_plane_size),      cmocka_unit_test(test_motion),
        cmocka_unit_test(test_thickness),       cmocka_unit_test(test_problems),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
