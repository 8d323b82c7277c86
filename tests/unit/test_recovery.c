/* Values at nodes from samples of cells: polynomials are exact, materials do not mix, what is asked for changes no bit. */
#include "faulty.h"
#include "flow.h"

#include "output/trajectory/outline.h"
#include "output/trajectory/recovery.h"
#include "phys/solid.h"

/* A body of one mesh, oblique so that no cell is a brick. */
typedef struct mesh_case {
    const char *name, *mesh;
    int degree; /* of the polynomials that are exact */
    int dimension;
} mesh_case;

#define CORNERS                                                                             \
 "corners: [[0, 0, 0], [1, 0.1, 0], [1.2, 1, 0.1], [0.1, 1, 0], [0, 0.2, 1], [1, 0, 0.8], " \
 "[1.1, 1.1, 1], [0, 1, 1.2]]"
static const mesh_case cases[] = {
    {"tet4", "hexahedron: {" CORNERS ", cells: [3, 3, 3], element: tet4}", 1, 3},
    {"tet10", "hexahedron: {" CORNERS ", cells: [2, 3, 2], element: tet10}", 2, 3},
    {"hex8", "hexahedron: {" CORNERS ", cells: [3, 2, 2], element: hex8}", 1, 3},
    {"hex20", "hexahedron: {" CORNERS ", cells: [2, 3, 2], element: hex20}", 2, 3},
    {"a layer of hex8", "hexahedron: {" CORNERS ", cells: [3, 3, 1], element: hex8}", 1, 3},
    {"a layer of tet10", "hexahedron: {" CORNERS ", cells: [3, 3, 1], element: tet10}", 1, 3},
    {"a layer of hex20", "hexahedron: {" CORNERS ", cells: [3, 3, 1], element: hex20}", 1, 3},
    {"one hex8", "hexahedron: {" CORNERS ", cells: [1, 1, 1], element: hex8}", 1, 3},
    {"one hex20", "hexahedron: {" CORNERS ", cells: [1, 1, 1], element: hex20}", 1, 3},
    {"tri3", "box: {size: [1, 2], cells: [3, 4], element: tri3}", 1, 2},
    {"tri6", "box: {size: [1, 2], cells: [3, 4], element: tri6}", 2, 2},
    {"round tri6", "disc: {radius: 1, resolution: 0.3, element: tri6}", 2, 2},
};
enum { CASES = sizeof cases / sizeof *cases };

static flow open_case(int dimension, const char *mesh, const char *more)
{
    char text[2048];
    (void)snprintf(text, sizeof text,
                   "brunt: 1\ndimension: %d\ntime: {step: 1, end: 1}\nmethod: {type: none}\n"
                   "materials: {m: {type: linear, young: 1.0e6, poisson: 0.3, density: 1000}, "
                   "n: {type: linear, young: 2.0e6, poisson: 0.3, density: 1000}}\n"
                   "meshes: {g: {%s}}\nbodies: [{name: b, type: deformable, mesh: g, material: m%s}]\n",
                   dimension, mesh, more);
    return flow_open(1, text, NULL);
}

/* Six polynomials of a degree at a place. */
static void polynomials(int degree, const double x[3], double out[6])
{
    const double products[10] = {1.0,         x[0],        x[1],        x[2],        x[0] * x[0],
                                 x[1] * x[1], x[2] * x[2], x[0] * x[1], x[1] * x[2], x[0] * x[2]};
    for (int k = 0; k < 6; ++k) {
        out[k] = 0.0;
        for (int i = 0; i < (degree == 2 ? 10 : degree == 1 ? 4 : 1); ++i) {
            out[k] += sin(1.0 + 3.0 * i + 7.0 * k) * products[i];
        }
    }
}

static double *sample_places(const brn_playback_info *info, const brn_recovery *r)
{
    double *place = calloc(3 * r->nsample, sizeof *place);
    size_t at = 0;
    for (int kind = 0; kind < BRN_CELL_COUNT; ++kind) {
        const brn_element *element = brn_element_of_cell((brn_cell)kind);
        for (int c = 0; c < info->ncell[kind]; ++c) {
            for (int s = 0; s < element->nsample; ++s, ++at) {
                double n[20];
                element->shape(element->sample + 3 * s, n);
                for (int a = 0; a < element->nnode; ++a) {
                    for (int i = 0; i < 3; ++i) {
                        place[3 * at + (size_t)i] +=
                            n[a] * info->rest[info->cell[kind][c * element->nnode + a]][i];
                    }
                }
            }
        }
    }
    assert_int_equal(at, r->nsample);
    return place;
}

/* The recovery of a case at all nodes, and where its samples lie. */
typedef struct fixture {
    flow f;
    brn_outline outline;
    brn_recovery r;
    double *place, *sample, *node; /* [nsample][3], [nsample][6], [nnode][6] */
} fixture;

static void fixture_open(fixture *x, flow f)
{
    *x = (fixture){.f = f, .outline = {.ctx = f.ctx}, .r = {.ctx = f.ctx}};
    assert_done(f.ctx, brn_outline_of_model(&x->outline, f.model));
    assert_done(f.ctx, brn_recovery_make(&x->r, &x->outline.info, NULL, 0));
    x->place = sample_places(&x->outline.info, &x->r);
    x->sample = calloc(6 * x->r.nsample, sizeof *x->sample);
    x->node = calloc(6 * (size_t)f.model->nnode, sizeof *x->node);
}

static void fixture_close(fixture *x)
{
    free(x->place);
    free(x->sample);
    free(x->node);
    brn_recovery_clear(&x->r);
    brn_outline_clear(&x->outline);
    flow_close(&x->f);
}

static void test_polynomials_are_exact(void **unused)
{
    (void)unused;
    for (int k = 0; k < CASES; ++k) {
        flow f = open_case(cases[k].dimension, cases[k].mesh, "");
        fixture x;
        fixture_open(&x, f);
        for (int degree = 0; degree <= cases[k].degree; ++degree) {
            double worst = 0.0;
            for (size_t s = 0; s < x.r.nsample; ++s) {
                polynomials(degree, x.place + 3 * s, x.sample + 6 * s);
            }
            assert_done(x.f.ctx, brn_recovery_apply(&x.r, x.sample, x.node));
            for (int n = 0; n < x.f.model->nnode; ++n) {
                double want[6];
                polynomials(degree, x.f.model->rest[n], want);
                for (int i = 0; i < 6; ++i) {
                    worst = fmax(worst, fabs(x.node[6 * n + i] - want[i]));
                }
            }
            /* Terms that are nearly left out magnify rounding a hundred times. */
            if (!(worst < 1e-11)) {
                fail_msg("%s, degree %d: %g", cases[k].name, degree, worst);
            }
        }
        fixture_close(&x);
    }
}

/* Samples are 1 in one material and 5 in the other: no node has anything between, and those between the two have 5. */
static void test_materials_do_not_mix(void **unused)
{
    (void)unused;
    static const char *const elements[] = {"tet4", "tet10", "hex8", "hex20"};
    for (int k = 0; k < 4; ++k) {
        char mesh[128];
        (void)snprintf(mesh, sizeof mesh, "box: {size: [1, 1, 2], cells: [2, 2, 4], element: %s}",
                       elements[k]);
        flow f = open_case(3, mesh,
                           ", materials: [{where: {box: {min: [-9, -9, 0], max: [9, 9, 9]}}, material: n}]");
        fixture x;
        fixture_open(&x, f);
        for (size_t s = 0; s < x.r.nsample; ++s) {
            x.sample[6 * s] = x.place[3 * s + 2] > 0.0 ? 5.0 : 1.0;
        }
        assert_done(x.f.ctx, brn_recovery_apply(&x.r, x.sample, x.node));
        for (int n = 0; n < x.f.model->nnode; ++n) {
            assert_near(x.node[6 * n], x.f.model->rest[n][2] > -1e-9 ? 5.0 : 1.0, 1e-12);
        }
        fixture_close(&x);
    }
}

/* Of some nodes: the bits that they have among all, and only cells near them are used. */
static void test_some_nodes(void **unused)
{
    (void)unused;
    flow f = open_case(3, "box: {size: [1, 1, 8], cells: [2, 2, 16], element: tet10}", "");
    brn_outline outline = {.ctx = f.ctx};
    brn_recovery all = {.ctx = f.ctx};
    brn_recovery some = {.ctx = f.ctx};
    int pick[64];
    int n = 0;
    assert_done(f.ctx, brn_outline_of_model(&outline, f.model));
    for (int a = f.model->nnode - 1; a >= 0 && n < 64; --a) {
        if (f.model->rest[a][2] > 3.5) {
            pick[n++] = a;
        }
    }
    assert_done(f.ctx, brn_recovery_make(&all, &outline.info, NULL, 0));
    assert_done(f.ctx, brn_recovery_make(&some, &outline.info, pick, n));
    double *sample = calloc(6 * all.nsample, sizeof *sample);
    double *node = calloc(6 * (size_t)f.model->nnode, sizeof *node);
    double value[6 * 64];
    for (size_t i = 0; i < 6 * all.nsample; ++i) {
        sample[i] = sin((double)i);
    }
    assert_done(f.ctx, brn_recovery_apply(&all, sample, node));
    assert_done(f.ctx, brn_recovery_apply(&some, sample, value));
    for (int i = 0; i < n; ++i) {
        assert_memory_equal(value + 6 * i, node + 6 * pick[i], 48);
    }
    int used = 0;
    for (int c = 0; c < f.model->nelem; ++c) {
        used += some.used[c];
        assert_true(all.used[c]);
    }
    assert_true(used > 0 && used < f.model->nelem / 3);
    free(sample);
    free(node);
    brn_recovery_clear(&all);
    brn_recovery_clear(&some);
    brn_outline_clear(&outline);
    flow_close(&f);
}

static brn_status make_once(brn_ctx *ctx, void *arg)
{
    brn_recovery r = {.ctx = ctx};
    const brn_status status = brn_recovery_make(&r, arg, NULL, 0);
    brn_recovery_clear(&r);
    return status;
}

static void test_no_memory(void **unused)
{
    (void)unused;
    flow f = open_case(3, "box: {size: [1, 1, 1], cells: [2, 2, 2], element: hex20}", "");
    brn_outline outline = {.ctx = f.ctx};
    assert_done(f.ctx, brn_outline_of_model(&outline, f.model));
    assert_true(faulty_run(make_once, &outline.info, 0) > 5);
    brn_outline_clear(&outline);
    flow_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polynomials_are_exact),
        cmocka_unit_test(test_materials_do_not_mix),
        cmocka_unit_test(test_some_nodes),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
