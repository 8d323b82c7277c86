/* Regions welded to other bodies: places in cells, ties and their transpose, condensed matrices against T' A T written out, what is
   refused; a weld of two meshes that match against one mesh; balances of what flies, forces of what hangs. */
#include "faulty.h"
#include "flow.h"

#include "base/rng.h"
#include "model/cell_place.h"
#include "model/model.h"
#include "state/state.h"
#include "step/condense.h"
#include "step/newton.h"
#include "step/sim.h"

#include <math.h>

#define SOFT "materials: {s: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}}\n"

/* ---- places in cells --------------------------------------------------------------------------------------------------- */

/* A place that the shape functions give is found again, inside and somewhat outside of distorted cells. */
static void test_places(void **state)
{
    (void)state;
    brn_rng rng = {3};
    for (int e = 0; e < brn_element_count(); ++e) {
        const brn_element *element = brn_element_get(e);
        double corner[20][3];
        double x[20][3];
        brn_cell_nodes(element->cell, corner);
        for (int trial = 0; trial < 20; ++trial) {
            double n[20];
            double p[3] = {0.0, 0.0, 0.0};
            double xi[3] = {0.0, 0.0, 0.0};
            for (int a = 0; a < element->nnode; ++a) {
                for (int i = 0; i < 3; ++i) {
                    const double shake = i < element->dim ? 0.05 * brn_rng_uniform(&rng, -1, 1) : 0.0;
                    x[a][i] = 2.0 * corner[a][i] + shake;
                }
            }
            for (int i = 0; i < element->dim; ++i) {
                xi[i] = brn_rng_uniform(&rng, -0.2, 1.0 / element->dim);
            }
            element->shape(xi, n);
            for (int a = 0; a < element->nnode; ++a) {
                for (int i = 0; i < 3; ++i) {
                    p[i] += n[a] * x[a][i];
                }
            }
            brn_cell_place place;
            brn_cell_place_find(element, (const double(*)[3])x, p, &place);
            double sum = 0.0;
            assert_near(place.residual, 0.0, 1e-14);
            for (int a = 0; a < element->nnode; ++a) {
                assert_near(place.weight[a], n[a], 1e-12); /* a rounding of xi, times the shape's slope */
                sum += place.weight[a];
            }
            assert_near(sum, 1.0, 1e-14);
            assert_true(place.distance < 1.0); /* xi is at most 0.2 outside of a cell of size 2 or 4 */
        }
    }
}

/* ---- ties -------------------------------------------------------------------------------------------------------------- */

/* A plate tied to a rigid ball, a block tied to the plate's cells, which are tied in part: a chain. */
static const char chain[] =
    "brunt: 1\nmethod: none\ngravity: [0, 0, -9.81]\ntime: {step: 0.002, end: 1}\n" SOFT "meshes:\n"
    "  plate: {box: {size: [0.4, 0.4, 0.1], cells: [4, 4, 1]}}\n"
    "  block: {box: {size: [0.2, 0.2, 0.2], cells: [3, 3, 3], element: tet4}}\n"
    "bodies:\n"
    "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.16],\n"
    "     velocity: [1, 0, 0], angular_velocity: [0, 2, 1]}\n"
    "  - {name: plate, type: deformable, mesh: plate, material: s, velocity: [1, 0, 0]}\n"
    "  - {name: block, type: deformable, mesh: block, material: s, position: [0.01, 0, -0.15],\n"
    "     angular_velocity: [3, 0, 1], mass: MASS}\n"
    "attach:\n"
    "  - {body: plate, where: {sphere: {centre: [0, 0, 0], radius: 0.12}}, to: ball}\n"
    "  - {name: under, body: block, where: {face: +z}, to: plate}\n";

static char *with_mass(const char *kind)
{
    static char text[2000];
    const char *at = strstr(chain, "MASS");
    (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(at - chain), chain, kind, at + 4);
    return text;
}

static void test_chain(void **state)
{
    (void)state;
    flow f = flow_open(1, with_mass("consistent"), NULL);
    const brn_model *m = f.model;
    assert_int_equal(m->nattach, 2);
    assert_string_equal(m->attach[0].name, "attach0");
    assert_true(m->attach[0].nnode > 0);
    assert_int_equal(m->attach[1].nnode, 16);
    assert_int_equal(m->ties.inner, m->attach[0].nnode + m->attach[1].nnode);
    int both = 0;
    for (int k = 0; k < m->nattach; ++k) {
        for (int n = 0; n < m->attach[k].nnode; ++n) {
            const int a = m->attach[k].node[n];
            const brn_masters on = brn_model_masters(m, a);
            double sum = 0.0;
            double x[3] = {0, 0, 0};
            double v[3] = {0, 0, 0};
            bool handle = false;
            bool plate = false;
            for (int j = 0; j < on.count; ++j) {
                assert_false(brn_ties_has(&m->ties, on.node[j]));
                sum += on.weight[j];
                handle = handle || on.node[j] < m->body[1].node_first;
                plate = plate || on.node[j] >= m->body[1].node_first;
                for (int i = 0; i < 3; ++i) {
                    x[i] += on.weight[j] * m->rest[on.node[j]][i];
                    v[i] += on.weight[j] * m->vel0[on.node[j]][i];
                }
            }
            both += handle && plate;
            assert_near(sum, 1.0, 1e-14);
            assert_true(m->node_row[a] >= 0 && m->fixed[3 * m->node_row[a]] == BRN_DOF_TIED);
            assert_int_equal(m->attached_to[a], k);
            for (int i = 0; i < 3; ++i) {
                assert_near(x[i], m->rest[a][i], 1e-13);
                assert_near(v[i], m->vel0[a][i], 1e-13);
            }
        }
    }
    assert_true(both > 0); /* nodes that hang on the ball by way of the plate, and on the plate itself */
    flow_close(&f);
}

/* The condensed matrix against T' A T of dense matrices, with random values. */
static void test_condense(void **state)
{
    (void)state;
    flow f = flow_open(1, with_mass("lumped"), NULL);
    const brn_model *m = f.model;
    brn_block_matrix *base = NULL;
    brn_block_matrix *joined = NULL;
    brn_condense *condense = NULL;
    assert_done(f.ctx, brn_block_matrix_copy(f.sim->system->matrix, &base));
    assert_done(f.ctx, brn_condense_create(m, base, &joined, &condense));
    const int n = 3 * m->nrow;
    double *v = calloc((size_t)n, sizeof *v);
    double *tv = calloc((size_t)n, sizeof *v);
    double *slow = calloc((size_t)n, sizeof *v);
    double *fast = calloc((size_t)n, sizeof *v);
    assert_true(v != NULL && tv != NULL && slow != NULL && fast != NULL);
    brn_rng rng = {11};
    for (int row = 0; row < m->nrow; ++row) {
        for (int k = joined->start[row]; k < joined->start[row + 1]; ++k) {
            for (int i = 0; i < 9; ++i) {
                joined->value[9 * k + i] = brn_rng_uniform(&rng, -1, 1);
            }
            for (int i = 0; i < 9 && joined->column[k] == row; ++i) { /* symmetric */
                joined->value[9 * k + i] = joined->value[9 * k + i % 3 * 3 + i / 3];
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        v[i] = m->fixed[i] == BRN_DOF_TIED ? 0.0 : brn_rng_uniform(&rng, -1, 1);
        tv[i] = v[i];
    }
    brn_model_follow(m, tv);
    assert_done(f.ctx, brn_block_matrix_multiply(joined, tv, slow));
    brn_model_lead(m, slow);
    brn_condense_apply(condense, joined);
    brn_condense_apply(condense, joined); /* again: nothing changes */
    assert_done(f.ctx, brn_block_matrix_multiply(joined, v, fast));
    for (int i = 0; i < n; ++i) {
        assert_near(fast[i], slow[i], 1e-12);
    }
    free(v);
    free(tv);
    free(slow);
    free(fast);
    brn_condense_destroy(condense);
    brn_block_matrix_destroy(joined);
    brn_block_matrix_destroy(base);
    flow_close(&f);
}

/* ---- what is refused --------------------------------------------------------------------------------------------------- */

static void test_problems(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"attach=[{body: plate, where: {all: true}, to: plate}]", "is the body itself"},
        {"attach=[{body: ball, where: {all: true}, to: plate}]",
         "is rigid: attach the deformable body to it"},
        {"attach=[{body: plate, where: {all: true}, to: bal}]", "did you mean 'ball'"},
        {"attach=[{body: plate, where: {all: true}}]", "to"},
        {"attach=[{body: block, where: {face: -z}, to: plate}]", "m from body 'plate', more than"},
        {"attach=[{body: block, where: {face: +z}, to: plate, within: -1}]", "within"},
        {"attach=[{name: one, body: plate, where: {face: +z}, to: ball}, "
         "{body: plate, where: {nodes: [49]}, to: block, within: 1}]",
         "is attached to 'ball' by 'one' already"},
        {"attach=[{name: one, body: plate, where: {face: -z}, to: block, within: 1}, "
         "{name: two, body: block, where: {face: +z}, to: plate}]",
         "tie the same nodes"},
        {"fixed=[{name: hold, body: block, where: {face: +z}}]", "it cannot be held too"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        flow f;
        assert_true(flow_try(1, with_mass("lumped"), cases[c][0], &f) < 0);
        bool found = false;
        for (int i = 0; i < brn_scene_problem_count(f.scene); ++i) {
            found = found || strstr(brn_scene_problem(f.scene, i), cases[c][1]) != NULL;
        }
        if (!found) {
            fail_msg("case %zu: '%s' not in '%s'", c, cases[c][1],
                     brn_scene_problem_count(f.scene) > 0 ? brn_scene_problem(f.scene, 0)
                                                          : brn_ctx_message(f.ctx));
        }
        flow_close(&f);
    }
}

static brn_status build_once(brn_ctx *ctx, void *arg)
{
    flow f = {.ctx = ctx};
    brn_status status = brn_scene_parse(ctx, arg, strlen(arg), "flow.yaml", &f.scene);
    status = status >= 0 ? brn_model_compile(ctx, f.scene, &f.model) : status;
    status = status >= 0 ? brn_sim_create(ctx, f.model, &f.sim) : status;
    status = status >= 0 ? brn_sim_step(f.sim, NULL) : status;
    brn_sim_destroy(f.sim);
    brn_model_destroy(f.model);
    brn_scene_destroy(f.scene);
    return status;
}

static void test_allocations(void **state)
{
    (void)state;
    static char text[2000];
    (void)snprintf(text, sizeof text, "%s", with_mass("lumped"));
    assert_true(faulty_run(build_once, text, 0) > 100);
}

/* ---- what it does ------------------------------------------------------------------------------------------------------ */

static const char whole2[] =
    "brunt: 1\nmethod: none\ndimension: 2\ntime: {step: 0.01, end: 0.1}\n" SOFT
    "meshes: {b: {grid: {size: [0.4, 0.1], cells: [8, 2]}}}\n"
    "bodies: [{name: right, type: deformable, mesh: b, material: s, position: [0.1, 0]}]\n"
    "fixed: [{name: wall, body: right, where: {face: -x}}]\n";
static const char halves2[] = "brunt: 1\nmethod: none\ndimension: 2\ntime: {step: 0.01, end: 0.1}\n" SOFT
                              "meshes: {b: {grid: {size: [0.2, 0.1], cells: [4, 2]}}}\n"
                              "bodies: [{name: left, type: deformable, mesh: b, material: s},\n"
                              "  {name: right, type: deformable, mesh: b, material: s, position: [0.2, 0]}]\n"
                              "fixed: [{name: wall, body: left, where: {face: -x}}]\n"
                              "attach: [{body: right, where: {face: -x}, to: left}]\n";
static const char whole3[] =
    "brunt: 1\nmethod: none\ntime: {step: 0.01, end: 0.1}\n" SOFT
    "meshes: {b: {box: {size: [0.4, 0.1, 0.1], cells: [8, 2, 2], element: hex8}}}\n"
    "bodies: [{name: right, type: deformable, mesh: b, material: s, position: [0.1, 0, 0]}]\n"
    "fixed: [{name: wall, body: right, where: {face: -x}}]\n";
static const char halves3[] =
    "brunt: 1\nmethod: none\ntime: {step: 0.01, end: 0.1}\n" SOFT
    "meshes: {b: {box: {size: [0.2, 0.1, 0.1], cells: [4, 2, 2], element: hex8}}}\n"
    "bodies: [{name: left, type: deformable, mesh: b, material: s},\n"
    "  {name: right, type: deformable, mesh: b, material: s, position: [0.2, 0, 0]}]\n"
    "fixed: [{name: wall, body: left, where: {face: -x}}]\n"
    "attach: [{body: right, where: {face: -x}, to: left}]\n";

static double lowest(const flow *f, int axis)
{
    double least = INFINITY;
    for (int a = 0; a < f->model->nnode; ++a) {
        least = fmin(least, f->sim->state->node_pos[3 * a + axis]);
    }
    return least;
}

/* Two meshes that match, welded, are one mesh: same places to the solver's tolerance, whatever the mass and the integrator. */
static void test_one_body(void **state)
{
    (void)state;
    static const char *const whole[] = {whole2, whole3};
    static const char *const halves[] = {halves2, halves3};
    for (int dim = 2; dim <= 3; ++dim) {
        for (int i = 0; i < FLOW_INTEGRATORS; ++i) {
            char sets[200];
            (void)snprintf(sets, sizeof sets,
                           "integrator=%s;time.step=%s;materials.s.damping={alpha: 1, beta: 0.001}",
                           flow_integrators[i], i == FLOW_SYMPLECTIC ? "1e-4" : "0.01");
            flow one = flow_open(1, whole[dim - 2], sets);
            flow two = flow_open(1, halves[dim - 2], sets);
            for (int n = 0; n < 10; ++n) {
                assert_done(one.ctx, brn_sim_step(one.sim, NULL));
                assert_done(two.ctx, brn_sim_step(two.sim, NULL));
            }
            /* 1e-8 of the largest force, the solver's tolerance, moves the tip by 1e-8 of its way or less */
            const double way = fabs(lowest(&one, dim - 1) + 0.05);
            assert_true(way > 1e-6);
            assert_near(lowest(&one, dim - 1), lowest(&two, dim - 1), 1e-8 * way + 1e-15);
            flow_close(&one);
            flow_close(&two);
        }
    }
}

/* Rigid and soft bodies welded together fly and turn: momentum is kept to rounding, angular momentum as far as the integrator
   keeps it (midpoint and symplectic Euler do; midpoint to the solver's tolerance). */
static void test_flight(void **state)
{
    (void)state;
    static const char *const masses[] = {"consistent", "lumped", "uniform"};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < FLOW_STATIC; ++i) {
            char sets[100];
            (void)snprintf(sets, sizeof sets, "integrator=%s;time.step=%s", flow_integrators[i],
                           i == FLOW_SYMPLECTIC ? "2e-5" : "0.002");
            flow f = flow_open(1, with_mass(masses[k]), sets);
            brn_report r;
            for (int n = 0; n < 10; ++n) {
                assert_done(f.ctx, brn_sim_step(f.sim, &r));
                assert_near(r.momentum_error, 0.0, 1e-13);
            }
            if (i == FLOW_SYMPLECTIC || strcmp(flow_integrators[i], "midpoint") == 0) {
                assert_near(r.angular_momentum_error, 0.0, i == FLOW_SYMPLECTIC ? 1e-13 : 1e-9);
            }
            flow_close(&f);
        }
    }
}

static const char hung[] =
    "brunt: 1\nmethod: none\ntime: {step: 0.02, end: 3}\n" SOFT
    "meshes: {rope: {box: {size: [0.05, 0.05, 0.3], cells: [1, 1, 4], element: tet10}}}\n"
    "bodies:\n"
    "  - {name: hook, type: static, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 0, 0.2]}\n"
    "  - {name: rope, type: deformable, mesh: rope, material: s}\n"
    "  - {name: ball, type: rigid, shape: {sphere: {radius: 0.05}}, mass: 0.25, position: [0, 0, -0.2]}\n"
    "attach:\n"
    "  - {name: top, body: rope, where: {face: +z}, to: hook}\n"
    "  - {name: end, body: rope, where: {face: -z}, to: ball}\n";

/* A ball on a rope on a hook, without a gap between them: the welds carry the weights, and contact sees none of them. */
static void test_hung(void **state)
{
    (void)state;
    static const char *const methods[] = {"none", "ipc"};
    for (int k = 0; k < 2; ++k) {
        char sets[160];
        (void)snprintf(sets, sizeof sets, "method=%s;materials.s.damping={alpha: 6, beta: 0.02}", methods[k]);
        flow f = flow_open(1, hung, sets);
        brn_report r;
        for (int n = 0; n < 150; ++n) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            assert_int_equal(r.contacts, 0);
        }
        const double ball = 9.81 * 0.25;
        const double rope = 9.81 * 0.05 * 0.05 * 0.3 * 1000.0;
        const brn_memory *force = brn_state_recall(f.sim->state, BRN_ATTACH_FORCE);
        assert_int_equal(force->count, 6);
        assert_near(force->value[2], ball + rope, 1e-4); /* it still swings by as much */
        assert_near(force->value[5], -ball, 1e-4);
        assert_near(r.momentum_error, 0.0, 1e-6);
        flow_close(&f);
    }
}

/* Same bits for any number of threads, and after a checkpoint. */
static void test_bits(void **state)
{
    (void)state;
    static const char *const sets[] = {"method=ipc", "method=none;integrator=newmark",
                                       "method=none;integrator=bdf2"};
    for (int k = 0; k < 3; ++k) {
        flow whole = flow_open(1, with_mass("consistent"), sets[k]);
        flow other = flow_open(3, with_mass("consistent"), sets[k]);
        for (int i = 0; i < 3; ++i) {
            assert_done(whole.ctx, brn_sim_step(whole.sim, NULL));
        }
        assert_done(whole.ctx, brn_sim_save(whole.sim, "attach_resume.h5"));
        assert_done(other.ctx, brn_sim_load(other.sim, "attach_resume.h5"));
        for (int i = 0; i < 3; ++i) {
            assert_done(whole.ctx, brn_sim_step(whole.sim, NULL));
            assert_done(other.ctx, brn_sim_step(other.sim, NULL));
            assert_true(brn_sim_hash(whole.sim) == brn_sim_hash(other.sim));
        }
        flow_close(&whole);
        flow_close(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),   cmocka_unit_test(test_chain),    cmocka_unit_test(test_condense),
        cmocka_unit_test(test_problems), cmocka_unit_test(test_one_body), cmocka_unit_test(test_flight),
        cmocka_unit_test(test_hung),     cmocka_unit_test(test_bits),     cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
