/* Pairs of parts: weights and normals are the slope of the gap, places lie between the surfaces, lists are those of a slow search,
   levers move as the surfaces do; meetings are counted and named. */
#include "flow.h"

#include "base/rng.h"
#include "contact/lever.h"
#include "contact/meetings.h"
#include "linalg/dense.h"

static const char space[] =
    "brunt: 1\nmethod: {type: none}\ntime: {step: 0.01, end: 1}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}}\nbodies:\n"
    "  - {name: soft, type: deformable, mesh: m, material: a, position: [0, 0, 0.055]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\n"
    "  - {name: box, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0.107, 0.02, 0.06]}\n"
    "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.05}}, position: [0.01, 0.02, 0.162]}\n"
    "  - {name: rod, type: rigid, shape: {capsule: {radius: 0.02, height: 0.1}}, position: [0.01, 0.094, "
    "0.162]}\n"
    "  - {name: bar, type: static, shape: {capsule: {radius: 0.02, height: 0.2}}, position: [0.055, 0.094, "
    "0.162],\n"
    "     rotation: {axis: [1, 0.3, 0], degrees: 20}}\n"
    "  - {name: pea, type: rigid, shape: {sphere: {radius: 0.02}}, position: [0.01, -0.055, 0.162]}\n";
static const char flat[] =
    "brunt: 1\ndimension: 2\nmethod: {type: none}\ntime: {step: 0.01, end: 1}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1], cells: [2, 2], element: tri3}}}\nbodies:\n"
    "  - {name: soft, type: deformable, mesh: m, material: a, position: [0, 0.055]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\n"
    "  - {name: box, type: rigid, shape: {box: {size: [0.1, 0.1]}}, position: [0.107, 0.06]}\n"
    "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.05}}, position: [0.01, 0.162]}\n"
    "  - {name: rod, type: rigid, shape: {capsule: {radius: 0.02, height: 0.1}}, position: [0.087, 0.185]}\n";
static const char *const scenes[2] = {space, flat};
static const double WITHIN = 0.015;

typedef struct stage {
    flow f;
    const brn_model *model;
    brn_skin *skin;
    brn_candidates *candidates;
    brn_contact_pair *pair;
    int npair;
    double *x, *far;
} stage;

static stage stage_open(const char *text, int threads)
{
    stage s = {.f = flow_open(threads, text, NULL)};
    s.model = s.f.model;
    const size_t n = (size_t)s.model->nnode * 3;
    s.x = malloc(n * sizeof *s.x);
    s.far = malloc(n * sizeof *s.far);
    brn_rng rng = {3};
    for (size_t i = 0; i < n; ++i) {
        const bool in = (int)(i % 3) < s.model->dim;
        s.x[i] = s.model->rest[i / 3][i % 3] + (in ? brn_rng_uniform(&rng, -2e-4, 2e-4) : 0.0);
    }
    brn_model_follow_nodes(s.model, s.x);
    for (size_t i = 0; i < n; ++i) {
        const bool in = (int)(i % 3) < s.model->dim;
        s.far[i] = s.x[i] + (in ? brn_rng_uniform(&rng, -0.02, 0.02) : 0.0);
    }
    assert_done(s.f.ctx, brn_skin_create(s.f.ctx, s.model, &s.skin));
    assert_done(s.f.ctx, brn_candidates_create(s.f.ctx, s.skin, &s.candidates));
    assert_done(s.f.ctx, brn_candidates_find(s.candidates, s.x, s.far, WITHIN));
    s.pair = malloc((size_t)brn_candidates_count(s.candidates) * sizeof *s.pair);
    assert_done(s.f.ctx, brn_pairs_find(s.candidates, s.x, WITHIN, s.pair, &s.npair));
    return s;
}

static void stage_close(stage *s)
{
    free(s->pair);
    free(s->x);
    free(s->far);
    brn_candidates_destroy(s->candidates);
    brn_skin_destroy(s->skin);
    flow_close(&s->f);
}

/* Lists and the free step against looking at every candidate. */
static void test_lists(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        stage s = stage_open(scenes[k], 3);
        unsigned kinds = 0;
        int next = 0;
        double t = 1.0;
        double fraction = 1.0;
        for (int i = 0; i < brn_candidates_count(s.candidates); ++i) {
            const brn_candidate *c = &brn_candidates_get(s.candidates)[i];
            brn_contact_pair pair;
            if (brn_pair_measure(c, s.x, WITHIN, &pair)) {
                assert_true(next < s.npair);
                assert_memory_equal(pair.node, s.pair[next].node, sizeof pair.node);
                assert_true(pair.d2 == s.pair[next].d2 && pair.kind == s.pair[next].kind);
                kinds |= 1u << pair.kind;
                ++next;
            }
            t = fmin(t, brn_pair_impact_time(c, s.x, s.far, 0.1, 1.0));
        }
        assert_int_equal(next, s.npair);
        assert_int_equal(kinds, k == 0 ? 31 : 1 << BRN_TOUCH_POINT_EDGE | 1 << BRN_TOUCH_POINT_PLANE);
        assert_done(s.f.ctx, brn_pairs_free_step(s.candidates, s.x, s.far, WITHIN, &fraction));
        assert_true(t > 0.0 && t < 0.9);
        assert_near(fraction, t, 0.0);
        stage_close(&s);
    }
}

/* Many pairs of two sheets that approach each other meet at the same time but for rounding. A step must not depend on which of
   them are in a block with which, as that depends on the past. */
static void test_ties(void **state)
{
    (void)state;
    stage s = stage_open(
        "brunt: 1\nmethod: {type: none}\nmaterials: {a: {type: stvk}}\n"
        "meshes: {m: {grid: {size: [0.1, 0.1], cells: [6, 6]}, position: [0.123, 0.456, 0]}}\nbodies:\n"
        "  - {name: low, type: shell, mesh: m, material: a, thickness: 1e-4}\n"
        "  - {name: high, type: shell, mesh: m, material: a, thickness: 1e-4}\n",
        1);
    brn_rng rng = {5};
    for (int n = 0; n < 100; ++n) {
        const double gap = brn_rng_uniform(&rng, 2e-3, 4e-3), way = brn_rng_uniform(&rng, 5e-3, 7e-3);
        const double side = brn_rng_uniform(&rng, -1e-3, 1e-3);
        for (int i = 0; i < 3 * s.model->nnode; ++i) {
            const bool high = i / 3 >= s.model->nnode / 2;
            const double near = gap * (1.0 + brn_rng_uniform(&rng, 0.0, 4e-15));
            s.x[i] = s.model->rest[i / 3][i % 3] + (high ? i % 3 == 2 ? near : side : 0.0);
            s.far[i] = s.x[i] - (high && i % 3 == 2 ? way : 0.0);
        }
        assert_done(s.f.ctx, brn_candidates_find(s.candidates, s.x, s.far, WITHIN));
        double t = 1.0;
        double fraction = 1.0;
        for (int i = 0; i < brn_candidates_count(s.candidates); ++i) {
            const brn_candidate *c = &brn_candidates_get(s.candidates)[i];
            t = fmin(t, brn_pair_impact_time(c, s.x, s.far, 0.1, 1.0));
        }
        assert_done(s.f.ctx, brn_pairs_free_step(s.candidates, s.x, s.far, WITHIN, &fraction));
        assert_true(t > 0.0 && t < 0.9);
        assert_near(fraction, t, 0.0);
    }
    stage_close(&s);
}

static void test_frames(void **state)
{
    (void)state;
    const double h = 1e-7; /* gaps of about 5e-3: truncation (h / gap)^2, rounding 1e-16 / h */
    for (int n = 0; n < 2; ++n) {
        stage s = stage_open(scenes[n], 1);
        for (int i = 0; i < s.npair; ++i) {
            const brn_contact_pair *pair = &s.pair[i];
            const int count = brn_touch_count(pair->node);
            const int first = brn_pair_first_side(pair->kind);
            double at[4][3];
            double weight[4];
            double normal[3];
            double place[3];
            double side[2] = {0};
            (void)brn_candidate_gather(pair->node, s.x, at);
            assert_near(brn_pair_frame(pair, (const double(*)[3])at, weight, normal), pair->d2, 1e-15);
            assert_near(brn_dense_dot3(normal, normal), 1.0, 1e-14);
            brn_pair_place(s.skin, pair, s.x, weight, normal, place);
            double between[3] = {-place[0], -place[1], -place[2]};
            for (int k = 0; k < count; ++k) {
                side[k >= first] += weight[k];
                for (int c = 0; c < s.model->dim; ++c) {
                    double value[2];
                    between[c] += k < first ? weight[k] * at[k][c] : 0.0;
                    for (int e = 0; e < 2; ++e) {
                        const double kept = at[k][c];
                        at[k][c] += e == 0 ? -h : h;
                        value[e] =
                            sqrt(brn_stencil_distance2(pair->stencil, (const double(*)[3])at, 0, NULL, NULL));
                        at[k][c] = kept;
                    }
                    assert_near((value[1] - value[0]) / (2.0 * h), weight[k] * normal[c], 1e-7);
                }
            }
            assert_near(side[0], 1.0, 1e-12);
            assert_near(side[1], -1.0, 1e-12);
            /* The middle is half a gap from the first surface. */
            assert_near(brn_dense_dot3(between, normal) - s.skin->radius[pair->node[0]],
                        0.5 * brn_pair_gap(pair), 1e-13);
            assert_false(brn_pair_touches(pair, s.x));
        }
        stage_close(&s);
    }
}

/* A body that turns: the relative velocity of the two surfaces at the contact. */
static void test_levers(void **state)
{
    (void)state;
    for (int n = 0; n < 2; ++n) {
        stage s = stage_open(scenes[n], 1);
        const double w[3] = {n == 0 ? 0.3 : 0.0, n == 0 ? -0.7 : 0.0, 1.1};
        for (int i = 0; i < s.npair; ++i) {
            const brn_contact_pair *pair = &s.pair[i];
            const int count = brn_touch_count(pair->node);
            const int body = s.skin->node_body[pair->node[count - 1]];
            double at[4][3];
            double weight[4];
            double normal[3];
            double surface[3] = {0};
            double want[3];
            double got[3] = {0};
            brn_lever lever;
            (void)brn_candidate_gather(pair->node, s.x, at);
            (void)brn_pair_frame(pair, (const double(*)[3])at, weight, normal);
            brn_lever_of_pair(s.skin, pair, weight, normal, s.x, &lever);
            for (int k = brn_pair_first_side(pair->kind); k < count; ++k) {
                for (int c = 0; c < 3; ++c) {
                    surface[c] -= weight[k] * (at[k][c] + s.skin->radius[pair->node[k]] * normal[c]);
                }
            }
            brn_dense_cross3(w, surface, want);
            for (int k = 0; k < lever.count; ++k) {
                double v[3];
                brn_dense_cross3(w, &s.x[3 * lever.node[k]], v);
                for (int c = 0; c < 3 && s.skin->node_body[lever.node[k]] == body; ++c) {
                    got[c] -= lever.weight[k] * v[c];
                }
            }
            for (int c = 0; c < 3; ++c) {
                assert_near(got[c], want[c], 1e-12);
            }
        }
        stage_close(&s);
    }
}

/* ---- meetings ------------------------------------------------------------------------------------------------------------------- */

typedef struct meeting_case {
    const char *sets; /* of `space` */
    const char *names;
} meeting_case;

static void test_meetings(void **state)
{
    (void)state;
    const meeting_case cases[] = {
        {NULL, NULL},
        {"bodies[0].position=[0, 0, 0.049]", "body 'soft' and body 'floor'"},
        {"bodies[2].position=[0.098, 0.02, 0.06]", "'box'"},
        {"bodies[3].position=[0.01, 0.02, 0.154]", "'ball'"},
        {"bodies[4].position=[0.02, 0.094, 0.162]", "'rod'"},
        {"bodies[3].position=[0.004, 0.003, 0.055];bodies[3].shape.sphere.radius=0.01",
         "body 'ball' and body 'soft'"},
    };
    for (int k = 0; k < (int)(sizeof cases / sizeof *cases); ++k) {
        flow f = flow_open(1, space, cases[k].sets);
        const double *x = &f.model->rest[0][0];
        brn_skin *skin = NULL;
        brn_candidates *candidates = NULL;
        brn_intersect *check = NULL;
        brn_meetings meetings = {0};
        int npair = 0;
        assert_done(f.ctx, brn_skin_create(f.ctx, f.model, &skin));
        assert_done(f.ctx, brn_candidates_create(f.ctx, skin, &candidates));
        assert_done(f.ctx, brn_intersect_create(f.ctx, &check));
        assert_done(f.ctx, brn_candidates_find(candidates, x, x, 1e-3));
        brn_contact_pair *pair = malloc((size_t)(brn_candidates_count(candidates) + 1) * sizeof *pair);
        assert_done(f.ctx, brn_pairs_find(candidates, x, 1e-3, pair, &npair));
        assert_done(f.ctx, brn_meetings_add_surfaces(check, skin, x, pair, npair, &meetings));
        brn_meetings_add_inside(skin, x, &meetings);
        assert_int_equal(meetings.count > 0, cases[k].names != NULL);
        assert_int_equal(brn_meetings_refuse(skin, &meetings, ""),
                         cases[k].names != NULL ? BRN_ERR_SCENE : BRN_OK);
        if (cases[k].names != NULL && strstr(brn_ctx_message(f.ctx), cases[k].names) == NULL) {
            fail_msg("%s is not in: %s", cases[k].names, brn_ctx_message(f.ctx));
        }
        free(pair);
        brn_intersect_destroy(check);
        brn_candidates_destroy(candidates);
        brn_skin_destroy(skin);
        flow_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lists), cmocka_unit_test(test_ties),
                                       cmocka_unit_test(test_frames), cmocka_unit_test(test_levers),
                                       cmocka_unit_test(test_meetings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
