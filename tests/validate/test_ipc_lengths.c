/* Method ipc with no settings at all: lengths and stiffnesses of contact belong to the bodies that touch. A press against E A d/L,
   bodies far away, bodies of very different size, scenes in other units of length, and scenes at random. */
#include "stage.h"

#include "base/rng.h"
#include "step/ipc/ipc.h"

static double total_normal(const stage *s)
{
    int count = 0;
    const brn_contact_point *point = brn_sim_contacts(s->sim, &count);
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += point[i].normal_force;
    }
    return sum;
}

static double ipc_thickness(const brn_report *report)
{
    return report->own[2];
}

/* ---- a press -------------------------------------------------------------------------------------------------------------- */

/* A 20 mm block of steel (nu = 0) on a fixed face, pressed by a plane that starts 5 um above it to 20 um past touch. */
static void check_press(const char *integrator, double step, double *force, double *thickness)
{
    stage s;
    brn_report r = {0};
    stage_open(
        &s,
        "brunt: 1\nintegrator: %s\ntime: {step: %g, end: 1}\ngravity: [0, 0, 0]\nmethod: {type: ipc}\n"
        "materials: {steel: {type: neo_hookean, young: 2.0e11, poisson: 0, density: 7800}}\n"
        "meshes: {b: {box: {size: [0.02, 0.02, 0.02], cells: [4, 4, 4], element: hex8}}}\n"
        "bodies:\n  - {name: block, type: deformable, mesh: b, material: steel}\n"
        "  - {name: tool, type: static, shape: {plane: {normal: [0, 0, -1]}}, position: [0, 0, 0.010005],\n"
        "     motion: {velocity: [0, 0, -25.0e-6]}}\n"
        "fixed: [{name: foot, body: block, where: {face: -z}}]\n",
        integrator, step);
    assert_true(total_normal(&s) == 0.0);
    while (!brn_sim_done(s.sim)) {
        r = stage_step(&s);
    }
    *force = total_normal(&s);
    *thickness = ipc_thickness(&r);
    /* The foot carries what the tool presses with, to a thousandth (a step 1e-3 dhat long may have been the last). */
    double foot = 0.0;
    for (int n = 0; n < s.model->nnode; ++n) {
        foot += s.sim->state->node_react[3 * n + 2] * (s.model->rest[n][2] < -0.0099 ? 1.0 : 0.0);
    }
    assert_near(foot, *force, 1e-3 * *force);
    stage_close(&s);
}

static void test_press(void **unused)
{
    (void)unused;
    const double exact = 2.0e11 * 4e-4 * 20e-6 / 0.02;
    double force = 0.0;
    double thickness = 0.0;
    check_press("static", 0.1, &force, &thickness);
    /* The gap is left out of the way of the tool: at most dhat = 5e-6 of 35 mm, 0.9 % of 20 um. */
    assert_near(force, exact, 0.012 * exact);
    assert_true(force > exact);
    /* The report knows. */
    assert_near(thickness, (force - exact) / exact, 0.1 * thickness);
    check_press("implicit_euler", 0.02, &force, &thickness);
    assert_near(force, exact, 0.012 * exact);
}

/* ---- far bodies ------------------------------------------------------------------------------------------------------------ */

static void drop_crate(const char *type, const char *more, double height[2])
{
    stage s;
    stage_open(&s,
               "brunt: 1\ntime: {step: 0.005, end: 0.1}\nmethod: {type: ipc}\n"
               "materials: {wood: {type: neo_hookean, young: 1.0e9, poisson: 0.3, density: 600}}\n"
               "meshes: {c: {box: {size: [0.5, 0.5, 0.5], cells: [2, 2, 2], element: hex8}}}\n"
               "bodies:\n  - {name: crate, %s, position: [0, 0, 0.251]}\n"
               "  - {name: floor, type: static, shape: {plane: {}}}\n%scontact: {friction: 0.3}\n",
               type, more);
    assert_true(total_normal(&s) == 0.0);
    for (int n = 0; n < 20; ++n) {
        (void)stage_step(&s);
        const double *x = &brn_sim_positions(s.sim)[3 * s.model->body[0].node_first];
        height[n == 19] = n == 3 || n == 19 ? x[2] : height[n == 19];
    }
    stage_close(&s);
}

/* A crate 1 mm above the floor, alone and with a ball parked 8 m away: the same to what Newton's tolerance leaves, a hundredth
   of dhat (4 um). */
static void test_far_ball(void **unused)
{
    (void)unused;
    static const char *const types[] = {"type: deformable, mesh: c, material: wood",
                                        "type: rigid, shape: {box: {size: [0.5, 0.5, 0.5]}}, density: 600"};
    for (int i = 0; i < 2; ++i) {
        double alone[2];
        double far[2];
        drop_crate(types[i], "", alone);
        drop_crate(types[i],
                   "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.1}}, density: 500, position: "
                   "[8, 0, 3]}\n",
                   far);
        assert_near(alone[0], far[0], 4e-8);
        assert_near(alone[1], far[1], 4e-8);
    }
}

/* ---- bodies of very different size --------------------------------------------------------------------------------------- */

static void test_tiny_beside_large(void **unused)
{
    (void)unused;
    stage s;
    stage_open(&s,
               "brunt: 1\ntime: {step: 0.005, end: 0.1}\ngravity: [0, 0, 0]\nmethod: {type: ipc}\n"
               "materials: {jelly: {type: neo_hookean, young: 1.0e5, poisson: 0.4, density: 1000}}\n"
               "meshes:\n  small: {box: {size: [0.002, 0.002, 0.002], cells: [8, 8, 8], element: tet4}}\n"
               "  large: {box: {size: [2, 2, 2], cells: [3, 3, 3], element: hex8}}\n"
               "bodies:\n"
               "  - {name: small, type: deformable, mesh: small, material: jelly, position: [0, 0, 1.5]}\n"
               "  - {name: large, type: deformable, mesh: large, material: jelly}\n");
    for (int n = 0; n < 5; ++n) {
        const brn_report r = stage_step(&s);
        assert_true(r.contacts == 0 && r.contact == 0.0);
    }
    const brn_body *small = &s.model->body[0];
    for (int a = small->node_first; a < small->node_first + small->node_count; ++a) {
        for (int i = 0; i < 3; ++i) {
            assert_near(brn_sim_positions(s.sim)[3 * a + i], s.model->rest[a][i], 1e-9);
        }
    }
    /* The lists of the small one do not know how large the other is. */
    const brn_ipc *ipc = s.sim->self;
    assert_true(ipc->body[0].dhat < 1e-2 * ipc->body[1].dhat);
    assert_true(brn_candidates_count(ipc->candidates) < 40 * ipc->skin->npoint);
    stage_close(&s);
}

/* ---- pairs by reach ------------------------------------------------------------------------------------------------------ */

/* The pairs of a skin, each within the reach of its bodies. */
static brn_contact_pair *list_pairs(const stage *s, const double reach[3], int *count)
{
    const double *x = &s->model->rest[0][0];
    brn_skin *skin = NULL;
    brn_candidates *candidates = NULL;
    assert_done(s->ctx, brn_skin_create(s->ctx, s->model, &skin));
    memcpy(skin->reach, reach, 3 * sizeof *reach);
    assert_done(s->ctx, brn_candidates_create(s->ctx, skin, &candidates));
    assert_done(s->ctx, brn_candidates_find(candidates, x, x, 0.5));
    brn_contact_pair *pair = malloc((size_t)(brn_candidates_count(candidates) + 1) * sizeof *pair);
    assert_done(s->ctx, brn_pairs_find(candidates, x, 0.5, pair, count));
    brn_candidates_destroy(candidates);
    brn_skin_destroy(skin);
    return pair;
}

/* Bodies with reach of their own have the pairs that are left of all pairs within the largest. */
static void test_reach(void **unused)
{
    (void)unused;
    stage s;
    stage_open(
        &s,
        "brunt: 1\ntime: {step: 0.005, end: 0.1}\nmethod: {type: ipc}\n"
        "materials: {a: {type: neo_hookean, young: 1.0e5, poisson: 0.4, density: 1000}}\n"
        "meshes:\n  small: {box: {size: [0.2, 0.2, 0.2], cells: [3, 3, 3], element: tet4}}\n"
        "  large: {box: {size: [2, 2, 1], cells: [9, 9, 4], element: tet4}}\n"
        "bodies:\n  - {name: small, type: deformable, mesh: small, material: a, position: [0.1, 0, 0.63]}\n"
        "  - {name: large, type: deformable, mesh: large, material: a}\n"
        "  - {name: wall, type: static, mesh: small, position: [0.33, 0.04, 0.68]}\n");
    const double none[3] = {INFINITY, INFINITY, INFINITY};
    const double some[3] = {0.15, 0.3, INFINITY};
    int nall = 0;
    int nsome = 0;
    int at = 0;
    brn_contact_pair *all = list_pairs(&s, none, &nall);
    brn_contact_pair *found = list_pairs(&s, some, &nsome);
    const brn_ipc *ipc = s.sim->self;
    for (int i = 0; i < nall; ++i) {
        const int a = ipc->skin->node_body[all[i].node[0]];
        const int b = ipc->skin->node_body[all[i].node[brn_touch_count(all[i].node) - 1]];
        const double reach = fmin(0.5, fmin(some[a], some[b]));
        if (all[i].d2 < reach * reach) {
            assert_true(at < nsome && found[at].kind == all[i].kind &&
                        found[at].reach == fmin(some[a], some[b]));
            assert_memory_equal(found[at].node, all[i].node, sizeof all[i].node);
            ++at;
        }
    }
    assert_int_equal(at, nsome);
    assert_true(nsome > 100 && nsome < nall / 2);
    free(all);
    free(found);
    stage_close(&s);
}

/* ---- other units of length --------------------------------------------------------------------------------------------------- */

/* A soft block falls on a floor and slides; lengths times `scale`, stresses too (density as it is), so that times and strains
   are the same. */
static void drop_scaled(double scale, double place[2])
{
    stage s;
    stage_open(&s,
               "brunt: 1\ngravity: [0, 0, %.17g]\ntime: {step: 0.005, end: 0.25}\nmethod: {type: ipc}\n"
               "materials: {a: {type: neo_hookean, young: %.17g, poisson: 0.3, density: 1000}}\n"
               "meshes: {c: {box: {size: [%.17g, %.17g, %.17g], cells: [3, 3, 3], element: hex8}}}\n"
               "bodies:\n  - {name: block, type: deformable, mesh: c, material: a, position: [0, 0, %.17g],\n"
               "     velocity: [%.17g, 0, 0]}\n"
               "  - {name: floor, type: static, shape: {plane: {}}}\ncontact: {friction: 0.3}\n",
               -9.81 * scale, 1e5 * scale * scale, 0.1 * scale, 0.1 * scale, 0.1 * scale, 0.07 * scale,
               0.8 * scale);
    while (!brn_sim_done(s.sim)) {
        (void)stage_step(&s);
    }
    memset(place, 0, 2 * sizeof *place);
    for (int n = 0; n < s.model->nnode; ++n) {
        for (int i = 0; i < 2; ++i) {
            place[i] += brn_sim_positions(s.sim)[3 * n + 2 * i] / scale / s.model->nnode;
        }
    }
    stage_close(&s);
}

static void test_scaled(void **unused)
{
    (void)unused;
    double one[2];
    drop_scaled(1.0, one);
    assert_true(one[0] > 0.05); /* it did slide */
    for (int i = 0; i < 2; ++i) {
        double other[2];
        drop_scaled(i == 0 ? 1e-3 : 1e3, other);
        assert_near(other[0], one[0], 0.01 * one[0]);
        assert_near(other[1], one[1], 0.001 * one[1]);
    }
}

/* ---- scenes at random --------------------------------------------------------------------------------------------------------- */

/* Some bodies of size 1 mm to 10 m, jelly to steel, close to each other, and a floor: none starts with a force. */
static void test_random_starts(void **unused)
{
    (void)unused;
    brn_rng rng = {7};
    for (int n = 0; n < 40; ++n) {
        const double size = pow(10.0, brn_rng_uniform(&rng, -3.0, 1.0));
        const double young = pow(10.0, brn_rng_uniform(&rng, 4.0, 11.3));
        const double second = size * pow(10.0, brn_rng_uniform(&rng, -1.5, 0.0));
        const double lift = size * pow(10.0, brn_rng_uniform(&rng, -6.0, -0.5));
        const double above = second * pow(10.0, brn_rng_uniform(&rng, -6.0, -0.5));
        const int cells = 1 + (int)(brn_rng_next(&rng) % 5);
        static const char *const types[] = {"type: deformable, mesh: b, material: a",
                                            "type: rigid, shape: {sphere: {radius: %.17g}}, density: 800",
                                            "type: shell, mesh: g, material: a, thickness: %.17g"};
        const int type = (int)(brn_rng_next(&rng) % 3);
        char upper[256];
        /* In every case `above` the lower body's top: half the height of the upper one. */
        const double half = type == 0 ? 0.5 * second : type == 1 ? 0.5 * second : 0.005 * second;
        (void)snprintf(upper, sizeof upper, types[type], type == 1 ? half : 2.0 * half);
        stage s;
        stage_open(&s,
                   "brunt: 1\ntime: {step: 0.001, end: 1}\nmethod: {type: ipc}\n"
                   "materials: {a: {type: neo_hookean, young: %.17g, poisson: 0.3, density: 1000}}\n"
                   "meshes:\n  l: {box: {size: [%.17g, %.17g, %.17g], cells: [%d, %d, %d], element: tet4}}\n"
                   "  b: {box: {size: [%.17g, %.17g, %.17g], cells: [2, 2, 2], element: hex8}}\n"
                   "  g: {grid: {size: [%.17g, %.17g], cells: [6, 6]}}\n"
                   "bodies:\n"
                   "  - {name: lower, type: deformable, mesh: l, material: a, position: [0, 0, %.17g]}\n"
                   "  - {name: upper, %s, position: [0, 0, %.17g]}\n"
                   "  - {name: floor, type: static, shape: {plane: {}}}\ncontact: {friction: 0.3}\n",
                   young, size, size, size, cells, cells, cells, second, second, second, second, second,
                   0.5 * size + lift, upper, size + lift + half + above);
        int count = 0;
        (void)brn_sim_contacts(s.sim, &count);
        assert_int_equal(count, 0);
        const brn_report r = stage_step(&s);
        assert_true(r.intersections == 0 && isfinite(r.kinetic));
        stage_close(&s);
    }
}

/* ---- stick and slip --------------------------------------------------------------------------------------------------------- */

/* A crate that slides at 0.75 m/s slips, whatever the lag of friction; at rest it sticks. */
static void test_sliding_crate(void **unused)
{
    (void)unused;
    for (int rigid = 0; rigid < 2; ++rigid) {
        stage s;
        stage_open(&s,
                   "brunt: 1\ntime: {step: 0.01, end: 1}\nmethod: {type: ipc}\n"
                   "materials: {a: {type: neo_hookean, young: 1.0e7, poisson: 0.3, density: 600}}\n"
                   "meshes: {c: {box: {size: [0.5, 0.5, 0.5], cells: [2, 2, 2], element: hex8}}}\n"
                   "bodies:\n  - {name: crate, %s, position: [0, 0, 0.25001], velocity: [1.2, 0, 0]}\n"
                   "  - {name: floor, type: static, shape: {plane: {}}}\ncontact: {friction: 0.3}\n",
                   rigid ? "type: rigid, shape: {box: {size: [0.5, 0.5, 0.5]}}, density: 600"
                         : "type: deformable, mesh: c, material: a");
        brn_report r = {0};
        for (int n = 0; n < 100; ++n) {
            r = stage_step(&s);
            if (n >= 5 && n <= 30) { /* from 1.2 m/s it takes 0.41 s to stop */
                assert_true(r.slipping > 0 && r.sticking == 0);
            }
        }
        assert_true(r.slipping == 0 && r.sticking > 0);
        stage_close(&s);
    }
}

/* ---- holds ----------------------------------------------------------------------------------------------------------------- */

static double guided_dhat(const char *left, const char *right)
{
    stage s;
    stage_open(&s,
               "brunt: 1\ntime: {step: 0.01, end: 1}\ngravity: [0, 0, 0]\nmethod: {type: ipc}\n"
               "materials: {a: {type: neo_hookean, young: 1.0e6, poisson: 0.3, density: 1000}}\n"
               "meshes: {m: {box: {size: [1, 0.1, 0.1], cells: [8, 1, 1], element: tet4}}}\n"
               "bodies: [{name: bar, type: deformable, mesh: m, material: a}]\n"
               "fixed:\n  - {body: bar, where: {face: -x}, motion: {%s}}\n"
               "  - {body: bar, where: {face: +x}, motion: {%s}}\ncontact: {friction: 0}\n",
               left, right);
    const double dhat = stage_step(&s).own[3]; /* ipc.dhat_min */
    stage_close(&s);
    return dhat;
}

/* A thousandth of the way by which two ends of a bar are moved together or apart; what carries it or turns it as a whole does not
   count, and what twists it is bounded by a thousandth of its size. */
static void test_guided(void **unused)
{
    (void)unused;
    const double size = sqrt(1.02);
    assert_near(guided_dhat("velocity: [0, 0, 0]", "velocity: [-0.2, 0, 0]"), 0.2e-3, 1e-9);
    assert_near(guided_dhat("velocity: [0.1, 0, 0]", "velocity: [0.1, 0, 0]"), 5e-6 * size, 1e-12);
    assert_near(guided_dhat("angular_velocity: 0.3", "angular_velocity: 0.3"), 5e-6 * size, 1e-12);
    assert_true(guided_dhat("velocity: [0, 0, 0]", "angular_velocity: 2, about: {axis: [1, 0, 0]}") > 5e-6);
    assert_near(guided_dhat("velocity: [0, 0, 0]", "velocity: [3, 0, 0]"), 1e-3 * size, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_press),         cmocka_unit_test(test_guided),
        cmocka_unit_test(test_far_ball),      cmocka_unit_test(test_tiny_beside_large),
        cmocka_unit_test(test_reach),         cmocka_unit_test(test_scaled),
        cmocka_unit_test(test_random_starts), cmocka_unit_test(test_sliding_crate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
