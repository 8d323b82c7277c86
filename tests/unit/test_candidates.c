/* Lists of candidates that are kept: whatever was looked at before, near pairs and their order are those of a list that is
   found anew, and the lower bounds of distances hold. The same for the pairs that the intersection check keeps. */
#include "flow.h"

#include "base/rng.h"
#include "contact/candidates.h"
#include "geom/distance.h"
#include "geom/intersect.h"

enum { ROUNDS = 120 };

static const double DISTANCE = 4e-3;

static const char space[] =
    "brunt: 1\nmethod: {type: ipc, dhat: 4e-3}\ntime: {step: 0.01, end: 0.4}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1, 0.02], cells: [5, 5, 1], element: tet4}}}\n"
    "bodies:\n  - {name: low, type: deformable, mesh: m, material: a, position: [0, 0, 0.1]}\n"
    "  - {name: high, type: deformable, mesh: m, material: a, position: [0.01, 0.01, 0.13]}\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"
    "  - {name: ball, type: static, shape: {sphere: {radius: 0.03}}, position: [0.1, 0, 0.1]}\n"
    "  - {name: rod, type: static, shape: {capsule: {radius: 0.02, height: 0.1}}, position: [-0.1, 0, 0.1]}\n"
    "  - {name: pea, type: rigid, shape: {sphere: {radius: 0.02}}, density: 1000, position: [0, 0.1, 0.1]}\n";

static const char plane[] =
    "brunt: 1\ndimension: 2\nmethod: {type: ipc, dhat: 4e-3}\ntime: {step: 0.01, end: 0.4}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
    "meshes: {m: {box: {size: [0.1, 0.02], cells: [10, 2], element: tri3}}}\n"
    "bodies:\n  - {name: low, type: deformable, mesh: m, material: a, position: [0, 0.1]}\n"
    "  - {name: high, type: deformable, mesh: m, material: a, position: [0.01, 0.13]}\n"
    "  - {name: floor, type: static, shape: {plane: {normal: [0, 1]}}}\n";

/* Index of the next near candidate from i on. */
static int next_near(const brn_candidates *c, int i, const double *x0, const double *x1)
{
    const brn_candidate *item = brn_candidates_get(c);
    while (i < brn_candidates_count(c) && !brn_candidates_near(c, &item[i], x0, x1, DISTANCE)) {
        ++i;
    }
    return i;
}

static int compare(const brn_candidates *kept, const brn_candidates *anew, const double *x0, const double *x1)
{
    int i = next_near(kept, 0, x0, x1);
    int j = next_near(anew, 0, x0, x1);
    int near = 0;
    for (; i < brn_candidates_count(kept) && j < brn_candidates_count(anew); ++near) {
        const brn_candidate *a = &brn_candidates_get(kept)[i];
        const brn_candidate *b = &brn_candidates_get(anew)[j];
        assert_int_equal(a->kind, b->kind);
        assert_memory_equal(a->node, b->node, sizeof a->node);
        assert_true(a->area == b->area && a->offset == b->offset);
        i = next_near(kept, i + 1, x0, x1);
        j = next_near(anew, j + 1, x0, x1);
    }
    assert_true(i == brn_candidates_count(kept) && j == brn_candidates_count(anew));
    return near;
}

static double distance_of(const brn_candidate *c, const double *x)
{
    double at[4][3];
    (void)brn_candidate_gather(c->node, x, at);
    const double(*nodes)[3] = (const double(*)[3])at;
    return sqrt(c->kind == BRN_TOUCH_POINT_EDGE       ? brn_distance_point_edge2(nodes)
                : c->kind == BRN_TOUCH_POINT_TRIANGLE ? brn_distance_point_triangle2(nodes)
                : c->kind == BRN_TOUCH_EDGE_EDGE      ? brn_distance_edge_edge2(nodes)
                                                      : brn_distance_point_point2(nodes));
}

/* The bounds hold at both ends of a motion, and hold something. */
static int check_bounds(brn_candidates *c, const double *x0, const double *x1)
{
    brn_candidate_view view;
    int useful = 0;
    brn_candidates_view(c, x0, x1, &view);
    for (int i = 0; i < view.count; ++i) {
        const brn_candidate *of = &view.item[i];
        if (of->kind == BRN_TOUCH_POINT_PLANE) {
            assert_true(brn_candidate_least(&view, i) <= 0.0);
            continue;
        }
        const double least = brn_candidate_least(&view, i);
        const double end = least - brn_candidate_drift(of, view.step);
        /* Rounding of the distance itself. */
        assert_true(least <= distance_of(of, x0) * (1.0 + 1e-12) + 1e-15);
        assert_true(end <= distance_of(of, x1) * (1.0 + 1e-12) + 1e-15);
        useful += least > 0.0;
    }
    return useful;
}

/* Motions of all sizes, of all nodes or of a few, rests, and jumps. */
static void move(brn_rng *rng, const brn_model *model, const double *x0, double *x1)
{
    const double size = pow(10.0, brn_rng_uniform(rng, -6.0, -1.7));
    const uint64_t one_in = brn_rng_next(rng) % 2 == 0 ? 1 : 30;
    const double common = brn_rng_next(rng) % 4 == 0 ? brn_rng_uniform(rng, -0.02, 0.02) : 0.0;
    for (int a = 0; a < model->nnode; ++a) {
        const bool moves = brn_rng_next(rng) % one_in == 0;
        for (int k = 0; k < model->dim; ++k) {
            const int row = model->node_row[a];
            const bool held = row >= 0 && model->fixed[row * model->dim + k] == BRN_DOF_HELD;
            const double by = moves ? brn_rng_uniform(rng, -size, size) : 0.0;
            x1[3 * a + k] = x0[3 * a + k] + (held ? 0.0 : by + common);
        }
    }
}

static void check_surface(brn_intersect *kept, const brn_skin *skin, const double *x)
{
    const brn_surface s = {.dim = skin->dim,
                           .nnode = skin->model->nnode,
                           .pos = (const double(*)[3])x,
                           .nedge = skin->nedge,
                           .edge = (const int(*)[2])skin->edge,
                           .ntri = skin->ntri,
                           .tri = (const int(*)[3])skin->tri};
    brn_intersect *anew = NULL;
    brn_intersection found[2][8];
    size_t count[2] = {0, 0};
    memset(found, 0, sizeof found);
    assert_done(skin->ctx, brn_intersect_create(skin->ctx, &anew));
    assert_done(skin->ctx, brn_intersect_surface(kept, &s, found[0], 8, &count[0]));
    assert_done(skin->ctx, brn_intersect_surface(anew, &s, found[1], 8, &count[1]));
    assert_int_equal(count[0], count[1]);
    assert_memory_equal(found[0], found[1], sizeof found[0]);
    brn_intersect_destroy(anew);
}

static void run(const char *text)
{
    flow f = flow_open(0, text, NULL);
    brn_skin *skin = NULL;
    brn_candidates *kept = NULL;
    brn_intersect *check = NULL;
    brn_rng rng = {11};
    const size_t length = (size_t)f.model->nnode * 3;
    double *x0 = calloc(2 * length, sizeof *x0);
    assert_non_null(x0);
    double *x1 = x0 + length;
    int near = 0;
    int useful = 0;
    memcpy(x0, f.model->rest, length * sizeof *x0);
    memcpy(x1, x0, length * sizeof *x0);
    assert_done(f.ctx, brn_skin_create(f.ctx, f.model, &skin));
    assert_done(f.ctx, brn_candidates_create(f.ctx, skin, &kept));
    assert_done(f.ctx, brn_intersect_create(f.ctx, &check));
    for (int round = 0; round < ROUNDS; ++round) {
        brn_candidates *anew = NULL;
        move(&rng, f.model, x0, x1);
        assert_done(f.ctx, brn_candidates_create(f.ctx, skin, &anew));
        assert_done(f.ctx, brn_candidates_find(kept, x0, x1, DISTANCE));
        assert_done(f.ctx, brn_candidates_find(anew, x0, x1, DISTANCE));
        assert_true(brn_candidates_cover(kept, x0) && brn_candidates_cover(kept, x1));
        near += compare(kept, anew, x0, x1);
        useful += check_bounds(kept, x0, x1);
        brn_candidates_destroy(anew);
        check_surface(check, skin, x1);
        /* A part of the way, as after a line search; now and then back to the start. */
        for (size_t i = 0; i < length; ++i) {
            x0[i] = round % 20 == 19 ? (&f.model->rest[0][0])[i] : x0[i] + 0.5 * (x1[i] - x0[i]);
        }
    }
    assert_true(near > ROUNDS && useful > ROUNDS);
    x1[0] = NAN;
    assert_int_equal(brn_candidates_find(kept, x0, x1, DISTANCE), BRN_ERR_NOT_FINITE);
    assert_false(brn_candidates_cover(kept, x0));
    assert_done(f.ctx, brn_candidates_find(kept, x0, x0, DISTANCE));
    brn_intersect_destroy(check);
    brn_candidates_destroy(kept);
    brn_skin_destroy(skin);
    free(x0);
    flow_close(&f);
}

static void test_space(void **state)
{
    (void)state;
    run(space);
}

static void test_plane(void **state)
{
    (void)state;
    run(plane);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_space), cmocka_unit_test(test_plane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
