/* Depth of bodies in each other: closed forms, a search without trees, a run that must not say that it is done, and one that starts deep. */
#include "faulty.h"
#include "flow.h"

#include "base/rng.h"
#include "contact/meetings.h"
#include "contact/overlap.h"
#include "geom/distance.h"
#include "step/sim.h"

#define HEAD(dim)                                                                    \
 "brunt: 1\ndimension: " #dim "\nmethod: {type: none}\ntime: {step: 0.01, end: 1}\n" \
 "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\ncontact: {self: true}\n"

typedef struct stage {
    flow f;
    brn_skin *skin;
    const double *x;
    brn_overlap deepest;
} stage;

static stage stage_open(const char *text)
{
    stage s = {.f = flow_open(1, text, NULL)};
    s.x = s.f.model->rest[0];
    assert_done(s.f.ctx, brn_skin_create(s.f.ctx, s.f.model, &s.skin));
    assert_done(s.f.ctx, brn_overlap_find(s.skin, s.x, &s.deepest));
    return s;
}

static void stage_close(stage *s)
{
    brn_skin_destroy(s->skin);
    flow_close(&s->f);
}

/* Rounding of sums of coordinates of size 1. */
static const double ROUNDING = 1e-12;

static void expect(const char *text, double depth, double size)
{
    stage s = stage_open(text);
    assert_float_equal(s.deepest.depth, depth, ROUNDING);
    assert_float_equal(s.deepest.share, depth / size, ROUNDING / size);
    stage_close(&s);
}

#define BLOCKS(dim, mesh_a, at_a, mesh_b, type_b, at_b)                                              \
 HEAD(dim)                                                                                           \
 "meshes: {a: {box: {" mesh_a ", element: tet4}}, b: {box: {" mesh_b ", element: tet4}}}\nbodies:\n" \
 "  - {name: a, type: deformable, material: a, mesh: a, position: " at_a "}\n"                       \
 "  - {name: b, type: " type_b ", mesh: b, position: " at_b "}\n"
#define SOFT "deformable, material: a"
#define CUBE "size: [1, 1, 1], cells: [4, 4, 4]"
#define SLAB "size: [4, 4, 1], cells: [16, 16, 4]"

static void test_closed_forms(void **state)
{
    (void)state;
    /* A cube of 1 m 0.25 m deep in a slab; its size is the cube's. */
    expect(BLOCKS(3, CUBE, "[0.1, 0.05, 0.25]", SLAB, SOFT, "[0, 0, -0.5]"), 0.25, 1.0);
    /* An obstacle has no size: the body's counts. */
    expect(BLOCKS(3, CUBE, "[0.1, 0.05, 0.25]", SLAB, "static", "[0, 0, -0.5]"), 0.25, 1.0);
    /* Near each other: nothing. */
    expect(BLOCKS(3, CUBE, "[0.1, 0.05, 0.501]", SLAB, SOFT, "[0, 0, -0.5]"), 0.0, 1.0);
    /* Plane: a square of 0.5 m inside one of 2 m, without an edge that crosses another; its side at x = 0.25 is 0.75 m deep. */
    expect(HEAD(2) "meshes: {a: {box: {size: [0.5, 0.5], cells: [2, 2], element: tri3}}, "
                   "b: {box: {size: [2, 2], cells: [8, 8], element: tri3}}}\n"
                   "bodies:\n"
                   "  - {name: a, type: deformable, material: a, mesh: a, position: [0.5, 0]}\n"
                   "  - {name: b, type: deformable, material: a, mesh: b}\n",
           0.75, 0.5);
}

/* Bars of one cell across each other: no vertex of one is in the other, edges are 0.1 m deep. */
static void test_edges(void **state)
{
    (void)state;
    expect(BLOCKS(3, "size: [4, 1, 1], cells: [1, 1, 1]", "[0, 0, 0.9]", "size: [1, 4, 1], cells: [1, 1, 1]",
                  SOFT, "[0, 0, 0]"),
           0.1, cbrt(4.0));
}

/* Every vertex in every other body, by winding and by all its sides. */
static double slow_share(const stage *s)
{
    const brn_model *model = s->f.model;
    double share = 0.0;
    for (int b = 0; b < model->nbody; ++b) {
        const brn_boundary *surface = model->body[b].touch;
        for (int i = 0; i < s->skin->npoint; ++i) {
            const int node = s->skin->point[i];
            const int other = s->skin->node_body[node];
            double least = INFINITY;
            for (int t = 0; t < surface->ntri; ++t) {
                double at[4][3];
                memcpy(at[0], &s->x[3 * node], sizeof at[0]);
                for (int k = 0; k < 3; ++k) {
                    memcpy(at[k + 1], &s->x[3 * surface->tri[t][k]], sizeof at[0]);
                }
                least = fmin(least, sqrt(brn_distance_point_triangle2((const double(*)[3])at)));
            }
            if (other != b && brn_body_winding(&model->body[b], 3, s->x, &s->x[3 * node]) > 0.5) {
                const double size = fmin(brn_body_size(model, b), brn_body_size(model, other));
                share = fmax(share, least / size);
            }
        }
    }
    return share;
}

static void test_against_slow_search(void **state)
{
    (void)state;
    int same = 0;
    for (int n = 0; n < 20; ++n) {
        char text[2000];
        brn_rng rng = {(uint64_t)n};
        int length = snprintf(text, sizeof text, "%s",
                              HEAD(3) "meshes:\n  ball: {sphere: {radius: 0.5, resolution: 0.25}}\n"
                                      "  ring: {torus: {major_radius: 0.5, minor_radius: 0.2, around: 12, "
                                      "across: 2}}\nbodies:\n");
        for (int b = 0; b < 4; ++b) {
            double at[4];
            for (int i = 0; i < 4; ++i) {
                at[i] = brn_rng_uniform(&rng, 0.0, i < 3 ? 1.0 : 360.0);
            }
            length +=
                snprintf(text + length, sizeof text - (size_t)length,
                         "  - {name: b%d, type: deformable, material: a, mesh: %s, position: [%g, %g, %g], "
                         "rotation: {axis: [1, 2, 3], degrees: %g}}\n",
                         b, b % 2 == 0 ? "ball" : "ring", at[0], at[1], at[2], at[3]);
        }
        stage s = stage_open(text);
        const double slow = slow_share(&s);
        /* Edges in triangles may be deeper than any vertex, but no vertex is deeper than what is found. */
        assert_true(slow > 0.0 && s.deepest.share >= slow * (1.0 - ROUNDING));
        same += s.deepest.share <= slow * (1.0 + ROUNDING);
        stage_close(&s);
    }
    assert_true(same > 5);
}

static brn_status find_in(brn_ctx *ctx, void *model)
{
    brn_skin *skin = NULL;
    brn_overlap deepest;
    brn_status status = brn_skin_create(ctx, model, &skin);
    status = status >= 0 ? brn_overlap_find(skin, ((const brn_model *)model)->rest[0], &deepest) : status;
    brn_skin_destroy(skin);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    flow f = flow_open(1, BLOCKS(3, CUBE, "[0.1, 0.05, 0.25]", SLAB, SOFT, "[0, 0, -0.5]"), NULL);
    assert_true(faulty_run(find_in, f.model, 0) > 10);
    flow_close(&f);
}

/* Coarse rings that fall by more than their thickness in a step: the first is held, the second ends in it, where contact points do not
   look. With a step in which they fall by less the run is done. */
static const char rings[] =
    "brunt: 1\nmethod: {type: sap}\nintegrator: midpoint\ntime: {step: 0.72, end: 13}\n"
    "materials: {a: {type: linear, density: 1072, young: 1.46e7, poisson: 0.163}}\n"
    "meshes: {ring: {torus: {major_radius: 4.5, minor_radius: 2.4, around: 12, across: 2, element: tet4}}}\n"
    "bodies:\n"
    "  - {name: ring, type: deformable, mesh: ring, material: a, position: [-1.3, 1.8, 2.5], repeat: {count: "
    "3, "
    "spacing: [0, 0, 4.83]}}\n"
    "fixed: [{body: ring, where: {face: +y}}]\n"
    "contact: {friction: 0, self: true, stiffness: 4e7}\n";

static void test_run(void **state)
{
    (void)state;
    const struct {
        const char *sets, *status;
    } runs[] = {{NULL, "suspect"}, {"time.step=0.05;time.end=1", "done"}};
    for (int i = 0; i < BRN_COUNT(runs); ++i) {
        brn_ctx *ctx = test_ctx(1);
        brn_scene *scene = NULL;
        brn_summary summary;
        brn_run_options options = brn_run_options_default();
        assert_done(ctx, flow_scene(ctx, rings, runs[i].sets, &scene));
        options.out = NULL;
        assert_done(ctx, brn_run(ctx, scene, &options, &summary));
        print_message("%s: %s\n", summary.status, summary.reason);
        assert_string_equal(summary.status, runs[i].status);
        assert_true((strstr(summary.reason, "deep in each other") != NULL) == (i == 0));
        brn_scene_destroy(scene);
        brn_ctx_destroy(ctx);
    }
}

/* Who starts deep in something is named before the first step, with the way out where contact knows one; who only touches is not. */
static void test_start(void **state)
{
    (void)state;
#define STARTS(at, floor)                                                                            \
 "brunt: 1\ntime: {step: 1e-3, end: 0.01}\nmaterials: {a: {type: neo_hookean, young: 1e6, poisson: " \
 "0.4}}\nmeshes:\n  m: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: hex8}}\n"            \
 "  wide: {box: {size: [1, 1, 0.5], cells: [1, 1, 1], element: hex8}}\nbodies:\n"                    \
 "  - {name: block, type: deformable, mesh: m, material: a, position: [0, 0, " at "]}\n"             \
 "  - {name: floor, type: static, " floor "}\n"
    static const struct {
        const char *text, *says, *remedy;
    } cases[] = {
        {STARTS("0.04", "shape: {plane: {}}"), "'block' starts 0.01 m deep in 'floor'",
         "move it by [0, 0, 0.01]"},
        {STARTS("0.044", "mesh: wide, position: [0, 0, -0.25]"), "'block' starts 0.006 m deep in 'floor'",
         "move"},
        {STARTS("0.02", "mesh: wide, position: [0, 0, -0.25]"), "'block' starts 0.03 m deep in 'floor'",
         "move"},
        {STARTS("0.05", "shape: {plane: {}}"), NULL, NULL},
        {STARTS("0.049", "mesh: wide, position: [0, 0, -0.25]"), NULL, NULL},
        {STARTS("-0.25", "mesh: wide, position: [0, 0, -0.25]"), "deep in 'floor'", "move"},
    };
#undef STARTS
    for (int k = 0; k < 2 * BRN_COUNT(cases); ++k) {
        char text[400];
        flow f = flow_open(1, cases[k / 2].text, k % 2 == 0 ? "method={type: bbi}" : "method={type: sap}");
        const bool warns = f.sim->method->warn(f.sim->self, text, sizeof text);
        print_message("%s\n", text);
        assert_true(warns == (cases[k / 2].says != NULL));
        assert_true(!warns || strstr(text, cases[k / 2].says) != NULL);
        assert_true(!warns || strstr(text, cases[k / 2].remedy) != NULL);
        flow_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_against_slow_search),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
