/* What every method owes the driver and its user, for each integrator that it takes: the state that a step starts from is
   never written, a failed step changes nothing, parts make up a whole step, edits are taken, forces balance, reports are
   finite, time is n h and ends where the scene says. */
#include "flow.h"

#include "api/registry.h"
#include "step/sim.h"

static const char block[] =
    "brunt: 1\ntime: {step: 2e-3, end: 0.02}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.4, density: 1000, damping: {alpha: 1, beta: "
    "1e-4}}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: hex8}}}\n"
    "bodies: [{name: a, type: deformable, mesh: m, material: a, velocity: [0, 0, 0.1]}]\n"
    "fixed: [{name: foot, body: a, where: {face: -z}, motion: {velocity: [0.3, 0, 0.1]}}]\n"
    "loads:\n"
    "  - {body: a, where: {face: +z}, pressure: 2e3, ramp: {from: 0, to: 0.01}}\n"
    "  - {body: a, where: {face: +x}, traction: [0, 500, 0]}\n";

static const char plate[] =
    "brunt: 1\ndimension: 2\ntime: {step: 2e-3, end: 0.02}\n"
    "materials: {a: {type: corotated, young: 1e5, poisson: 0.4, density: 1000}}\n"
    "meshes: {m: {box: {size: [0.1, 0.2], cells: [3, 4], element: tri6}}}\n"
    "bodies: [{name: a, type: deformable, mesh: m, material: a, mass: lumped, angular_velocity: [4]}]\n"
    "fixed: [{name: foot, body: a, where: {face: -y}}]\n"
    "loads: [{body: a, where: {face: +y}, force: [3, 0]}]\n";

static const char tets[] =
    "brunt: 1\ntime: {step: 1e-3, end: 0.02}\n"
    "materials: {a: {type: stvk, young: 1e6, poisson: 0.3, density: 2000}}\n"
    "meshes: {m: {sphere: {radius: 0.1, resolution: 0.08, element: tet10}}}\n"
    "bodies: [{name: a, type: deformable, mesh: m, material: a}]\n"
    "fixed: [{name: foot, body: a, where: {face: -z}}, {body: a, where: {nodes: [0, 1, 2]}}]\n"
    "loads: [{body: a, where: {face: +z}, force: [0, 0, -3]}]\n";

/* Beside a soft body with a consistent mass, so that both kinds of node are in one system. */
static const char puck[] =
    "brunt: 1\ntime: {step: 2e-3, end: 0.02}\n"
    "materials: {a: {type: stvk, young: 1e6, poisson: 0.3, density: 2000}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [1, 1, 1]}}}\n"
    "bodies:\n"
    "  - {name: a, type: deformable, mesh: m, material: a, position: [0, 0, 1]}\n"
    "  - {name: b, type: rigid, shape: {box: {size: [0.1, 0.2, 0.3]}}, stiffness: 1e7,\n"
    "     angular_velocity: [1, 2, 3]}\n"
    "loads: [{body: b, where: {face: +z}, force: [3, 0, 0]}]\n";

static const char *const scenes[] = {block, plate, tets, puck};
static const unsigned bodies[] = {1u << BRN_BODY_DEFORMABLE, 1u << BRN_BODY_DEFORMABLE,
                                  1u << BRN_BODY_DEFORMABLE,
                                  1u << BRN_BODY_DEFORMABLE | 1u << BRN_BODY_RIGID};
enum { SCENES = 4 };

/* Runs `check` for every method, integrator and scene. */
static void for_all(void (*check)(const brn_method *method, int integrator, const char *text,
                                  const char *sets))
{
    assert_true(brn_method_count() >= 1);
    for (int m = 0; m < brn_method_count(); ++m) {
        const brn_method *method = brn_method_get(m);
        for (int i = 0; i < FLOW_INTEGRATORS; ++i) {
            for (int s = 0; s < SCENES && (method->integrators >> i & 1u); ++s) {
                if ((scenes[s] == puck && i == FLOW_STATIC) || (bodies[s] & ~method->bodies) != 0) {
                    continue; /* nothing can hold a rigid body in a static run */
                }
                char sets[200];
                (void)snprintf(sets, sizeof sets, "method.type=%s;method.tolerance=1e-9;integrator=%s%s",
                               method->table->name, flow_integrators[i],
                               i == FLOW_SYMPLECTIC ? ";time.step=5e-5;time.end=5e-4" : "");
                check(method, i, scenes[s], sets);
            }
        }
    }
}

/* ---- one step --------------------------------------------------------------------------------------------------------- */

static void check_input_kept(const brn_method *method, int integrator, const char *text, const char *sets)
{
    (void)integrator;
    flow f = flow_open(2, text, sets);
    assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    const brn_state_sizes sizes = f.sim->state->sizes;
    brn_state *in = NULL;
    brn_state *out = NULL;
    assert_done(f.ctx, brn_state_create(f.ctx, &sizes, &in));
    assert_done(f.ctx, brn_state_create(f.ctx, &sizes, &out));
    assert_done(f.ctx, brn_state_copy(f.sim->state, in));
    /* `out` holds rubbish to begin with, which must not matter. */
    for (int i = 0; i < 3 * sizes.nnode; ++i) {
        out->node_pos[i] = out->node_vel[i] = out->node_load[i] = out->node_react[i] = out->node_damp[i] =
            NAN;
    }
    const uint64_t before = brn_state_hash(in);
    const double h = f.model->step;
    double h_done = -1.0;
    brn_step_info info = {0};
    f.sim->system->effort =
        0.0; /* as at the start of a step of the driver, whose parts may know of each other */
    assert_done(f.ctx, method->step(f.sim->self, in, h, h, out, &h_done, &info));
    assert_true(brn_state_hash(in) == before);
    assert_true(h_done > 0.0 && h_done <= h);
    /* the driver's own step from the same state is the same */
    assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    const size_t bytes = (size_t)sizes.nnode * 3 * sizeof(double);
    if (h_done == h) {
        assert_memory_equal(out->node_pos, f.sim->state->node_pos, bytes);
        assert_memory_equal(out->node_vel, f.sim->state->node_vel, bytes);
        assert_memory_equal(out->node_load, f.sim->state->node_load, bytes);
        assert_memory_equal(out->node_react, f.sim->state->node_react, bytes);
        assert_memory_equal(out->node_damp, f.sim->state->node_damp, bytes);
    }
    brn_state_destroy(in);
    brn_state_destroy(out);
    flow_close(&f);
}

static void test_input_kept(void **state)
{
    (void)state;
    for_all(check_input_kept);
}

static void assert_finite_report(const brn_report *r)
{
    const double numbers[] = {r->time,
                              r->residual,
                              r->penetration_max,
                              r->cone_error,
                              r->dissipation_error,
                              r->complementarity,
                              r->kinetic,
                              r->elastic,
                              r->gravity,
                              r->contact,
                              r->work,
                              r->dissipated,
                              r->energy_error,
                              r->momentum[0],
                              r->momentum[1],
                              r->momentum[2],
                              r->angular_momentum[0],
                              r->angular_momentum[1],
                              r->angular_momentum[2],
                              r->momentum_error,
                              r->angular_momentum_error,
                              r->wall,
                              r->phases.assembly,
                              r->phases.candidates,
                              r->phases.ccd,
                              r->phases.intersection,
                              r->phases.contact,
                              r->phases.symbolic,
                              r->phases.factor,
                              r->phases.solve,
                              r->phases.search,
                              r->phases.other};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        if (!isfinite(numbers[i])) {
            fail_msg("number %zu of the report is %g", i, numbers[i]);
        }
    }
    double sum = 0.0;
    for (size_t i = 0; i < sizeof r->phases / sizeof sum; ++i) {
        sum += ((const double *)&r->phases)[i];
    }
    assert_near(sum, r->wall, 1e-9); /* rounding of a sum of clock readings: 1e-10 s each after ten days */
    assert_false(isnan(r->gap_min));
    assert_true(r->substeps >= 1 && r->retries >= 0 && r->iterations >= 0);
}

static void check_report(const brn_method *method, int integrator, const char *text, const char *sets)
{
    (void)method;
    flow f = flow_open(1, text, sets);
    const double h = f.model->step;
    for (int n = 1; !brn_sim_done(f.sim); ++n) {
        brn_report r;
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_finite_report(&r);
        assert_int_equal(r.step, n);
        assert_true(r.time == n * h && brn_sim_time(f.sim) == n * h);
        /* Momentum is booked to the solver's tolerance (1e-8 of the largest force, each step). */
        if (integrator != FLOW_STATIC) {
            assert_near(r.momentum_error, 0.0, 1e-6);
        }
        assert_int_equal(r.inversions, 0);
    }
    assert_int_equal(brn_sim_step_count(f.sim), 10 + 10 * (f.model->end > 0.019 && h == 1e-3));
    flow_close(&f);
}

static void test_report(void **state)
{
    (void)state;
    for_all(check_report);
}

/* ---- failure ------------------------------------------------------------------------------------------------------------ */

/* The lid of a barrier material moves through the floor within a step: no part of it, however small, gets there. With
   tet4, whose determinant is the same everywhere: a hex8 can fold between its quadrature points. */
static void check_failure(const brn_method *method, int integrator, const char *text, const char *sets)
{
    (void)method;
    (void)text;
    if (integrator == FLOW_SYMPLECTIC) {
        return;
    }
    char more[1024];
    (void)snprintf(more, sizeof more, "%s;time.step=2e-3;loads=[]", sets);
    flow f = flow_open(1, block, more);
    assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    flow_close(&f);

    (void)snprintf(
        more, sizeof more,
        "%s;method.iterations=20;meshes.m.box.element=tet4;time.step=2e-3;time.end=0.02;loads=[];fixed=[{"
        "body: a, where: {face: "
        "-z}}, {body: a, where: "
        "{face: +z}, motion: {table: [[0, 0, 0, 0], [0.0045, 0, 0, -0.01], [0.005, 0, 0, -0.2]]}}]",
        sets);
    f = flow_open(1, block, more);
    brn_report r;
    assert_done(f.ctx, brn_sim_step(f.sim, &r));
    assert_done(f.ctx, brn_sim_step(f.sim, &r));
    const uint64_t before = brn_sim_hash(f.sim);
    for (int i = 0; i < 2; ++i) {
        const brn_status status = brn_sim_step(f.sim, &r);
        assert_true(status == BRN_ERR_CONVERGENCE || status == BRN_ERR_SINGULAR ||
                    status == BRN_ERR_NOT_FINITE);
        assert_non_null(strstr(brn_ctx_message(f.ctx), "try a smaller time.step"));
        assert_true(brn_sim_hash(f.sim) == before);
        assert_int_equal(brn_sim_step_count(f.sim), 2);
    }
    flow_close(&f);
}

static void test_failure_changes_nothing(void **state)
{
    (void)state;
    for_all(check_failure);
}

/* A step that needs parts of 1/2^k gives what steps of that length give, for integrators that remember nothing of the
   step before (BDF2 restarts where the length changes). */
static int parts_compared; /* counted, so that the test cannot pass without comparing anything */

static void check_parts(const brn_method *method, int integrator, const char *text, const char *sets)
{
    (void)method;
    if (integrator == FLOW_SYMPLECTIC) {
        return;
    }
    /* A violent start: the load is far beyond what a whole step can take in three iterations. */
    char few[300];
    (void)snprintf(few, sizeof few, "%s;method.iterations=%d;time.step=1.6e-2;time.end=0.16", sets,
                   integrator == FLOW_STATIC ? 4 : 3);
    flow f = flow_open(1, text, few);
    brn_report r;
    const brn_status status = brn_sim_step(f.sim, &r);
    if (status < 0) {
        flow_close(&f);
        return;
    }
    assert_finite_report(&r);
    if (r.substeps > 1) {
        assert_true(r.retries > 0);
        if (integrator != FLOW_STATIC) {
            assert_near(r.momentum_error, 0.0, 1e-6);
        }
    }
    /* all parts of one length, because a smaller limit than any whole step needs was not met */
    if (r.substeps == 2 || r.substeps == 4 || r.substeps == 8 || r.substeps == 16) {
        char small[300];
        (void)snprintf(small, sizeof small, "%s;time.step=%.17g;time.end=0.16;method.iterations=50", sets,
                       1.6e-2 / r.substeps);
        flow g = flow_open(1, text, small);
        int parts = 0;
        for (; parts < r.substeps; ++parts) {
            brn_report q;
            assert_done(g.ctx, brn_sim_step(g.sim, &q));
            if (q.substeps > 1) {
                break;
            }
        }
        const int n = 3 * flow_nodes(&f);
        parts_compared += parts == r.substeps;
        for (int i = 0; i < n && parts == r.substeps; ++i) {
            /* Times t + h are formed in another way, which rounding shows through the ramps. */
            assert_near(brn_sim_positions(f.sim)[i], brn_sim_positions(g.sim)[i], 1e-9);
        }
        flow_close(&g);
    }
    flow_close(&f);
}

static void test_parts(void **state)
{
    (void)state;
    for_all(check_parts);
    print_message("%d steps compared with their parts\n", parts_compared);
    assert_true(parts_compared > 0);
}

/* ---- edits ---------------------------------------------------------------------------------------------------------------- */

static void check_edit(const brn_method *method, int integrator, const char *text, const char *sets)
{
    (void)method;
    flow f = flow_open(1, text, sets);
    assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    const int n = 3 * flow_nodes(&f);
    double *x = malloc((size_t)n * sizeof *x);
    double *v = malloc((size_t)n * sizeof *v);
    assert_true(x != NULL && v != NULL);
    for (int i = 0; i < n; ++i) {
        x[i] = 1.2 * brn_sim_positions(f.sim)[i]; /* stretched by a fifth */
        v[i] = -0.5 * brn_sim_velocities(f.sim)[i];
    }
    /* what is not finite is refused whole */
    const uint64_t before = brn_sim_hash(f.sim);
    const double kept = x[n / 2];
    x[n / 2] = NAN;
    assert_int_equal(brn_sim_edit(f.sim, x, v), BRN_ERR_NOT_FINITE);
    x[n / 2] = INFINITY;
    assert_int_equal(brn_sim_edit(f.sim, NULL, x), BRN_ERR_NOT_FINITE);
    assert_true(brn_sim_hash(f.sim) == before);
    x[n / 2] = kept;
    assert_done(f.ctx, brn_sim_edit(f.sim, x, v));
    for (int i = 0; i < n; ++i) { /* tied nodes follow their handles, to rounding where x says the same */
        const bool tied = brn_ties_has(&f.model->ties, i / 3);
        assert_near(brn_sim_positions(f.sim)[i], x[i], tied ? 1e-15 : 0.0);
    }
    assert_int_equal(brn_sim_step_count(f.sim), 2);
    /* the same edit made on another past gives the same future: nothing else is remembered */
    flow g = flow_open(1, text, sets);
    assert_done(g.ctx, brn_sim_step(g.sim, NULL));
    assert_done(g.ctx, brn_sim_edit(g.sim, NULL, v));
    assert_done(g.ctx, brn_sim_step(g.sim, NULL));
    assert_done(g.ctx, brn_sim_edit(g.sim, x, v));
    for (int i = 0; i < 4; ++i) {
        assert_true(brn_sim_hash(f.sim) == brn_sim_hash(g.sim));
        brn_report r;
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_done(g.ctx, brn_sim_step(g.sim, NULL));
        assert_finite_report(&r);
        if (integrator != FLOW_STATIC) {
            assert_near(r.momentum_error, 0.0, 1e-6); /* the balance starts anew with the edit */
        }
    }
    free(x);
    free(v);
    flow_close(&f);
    flow_close(&g);
}

static void test_edit(void **state)
{
    (void)state;
    for_all(check_edit);
}

/* A flat scene stays flat, whatever an edit says about z. */
static void test_edit_keeps_2d_flat(void **state)
{
    (void)state;
    flow f = flow_open(1, plate, NULL);
    const int n = flow_nodes(&f);
    double *x = malloc((size_t)n * 3 * sizeof *x);
    assert_non_null(x);
    memcpy(x, brn_sim_positions(f.sim), (size_t)n * 3 * sizeof *x);
    for (int a = 0; a < n; ++a) {
        x[3 * a + 2] = 1.0;
    }
    assert_done(f.ctx, brn_sim_edit(f.sim, x, x));
    assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    for (int a = 0; a < n; ++a) {
        assert_true(brn_sim_positions(f.sim)[3 * a + 2] == 0.0);
        assert_true(brn_sim_velocities(f.sim)[3 * a + 2] == 0.0);
    }
    free(x);
    flow_close(&f);
}

/* ---- balance of forces ------------------------------------------------------------------------------------------------------ */

/* In statics what the holds supply is what loads and weight ask for, and their torques balance too. */
static void test_static_balance(void **state)
{
    (void)state;
    for (int m = 0; m < brn_method_count(); ++m) {
        for (int s = 0; s < SCENES && (brn_method_get(m)->integrators >> BRN_STATIC & 1u); ++s) {
            if (scenes[s] == puck) {
                continue;
            }
            char sets[100];
            (void)snprintf(sets, sizeof sets, "method.type=%s;method.tolerance=1e-9;integrator=static",
                           brn_method_get(m)->table->name);
            flow f = flow_open(1, scenes[s], sets);
            while (!brn_sim_done(f.sim)) {
                assert_done(f.ctx, brn_sim_step(f.sim, NULL));
            }
            const brn_state *now = f.sim->state;
            double sum[3] = {0};
            double torque[3] = {0};
            double scale = 0.0;
            double arm = 0.0;
            for (int a = 0; a < f.model->nnode; ++a) {
                const double *x = &now->node_pos[3 * a];
                double force[3]; /* the last load step's includes the whole weight */
                for (int i = 0; i < 3; ++i) {
                    force[i] = now->node_load[3 * a + i] + now->node_react[3 * a + i];
                    sum[i] += force[i];
                    scale += fabs(now->node_load[3 * a + i]) + fabs(now->node_react[3 * a + i]);
                    arm = fmax(arm, fabs(x[i]));
                }
                for (int i = 0; i < 3; ++i) {
                    torque[i] += x[(i + 1) % 3] * force[(i + 2) % 3] - x[(i + 2) % 3] * force[(i + 1) % 3];
                }
            }
            assert_true(scale > 1.0);
            for (int i = 0; i < 3; ++i) {
                /* 1e-8 of the largest force at each of the nodes */
                assert_near(sum[i], 0.0, 1e-7 * scale);
                assert_near(torque[i], 0.0, 1e-7 * scale * arm);
            }
            /* without a load the weight alone */
            double weight = 0.0;
            for (int a = 0; a < f.model->nnode; ++a) {
                weight += f.model->node_mass[a] * 9.81;
            }
            assert_true(weight > 0.0);
            flow_close(&f);
        }
    }
}

static void test_static_weight(void **state)
{
    (void)state;
    flow f = flow_open(1, tets, "integrator=static;loads=[]");
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    }
    double react = 0.0;
    double mass = 0.0;
    for (int a = 0; a < f.model->nnode; ++a) {
        react += f.sim->state->node_react[3 * a + 2];
        mass += f.model->node_mass[a];
    }
    assert_near(react, 9.81 * mass, 1e-7 * 9.81 * mass);
    flow_close(&f);
}

/* ---- the end ---------------------------------------------------------------------------------------------------------------- */

static void test_end(void **state)
{
    (void)state;
    static const struct {
        const char *sets;
        int64_t steps;
    } ends[] = {
        {"time={step: 0.01, end: 0.1}", 10},   {"time={step: 0.1, end: 1}", 10},
        {"time={step: 0.3, end: 0.9}", 3},     {"time={step: 0.1, end: 0.3}", 3},
        {"time={step: 0.1, end: 0.7}", 7},     {"time={step: 0.3333333333333333, end: 1}", 3},
        {"time={step: 0.3, end: 1}", 4},       {"time={step: 0.06, end: 0.6}", 10},
        {"time={step: 2, end: 1}", 1},         {"time={step: 0.1, end: 0}", 0},
        {"time={step: 1e-3, end: 0.043}", 43}, {"time={step: 0.0499, end: 0.5}", 11},
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        flow f = flow_open(1,
                           "brunt: 1\ndimension: 2\ngravity: [0, 0]\n"
                           "materials: {a: {type: stvk, young: 1e5, poisson: 0.3, density: 1000}}\n"
                           "meshes: {m: {box: {size: [1, 1], cells: [1, 1], element: tri3}}}\n"
                           "bodies: [{name: a, type: deformable, mesh: m, material: a, velocity: [1, 0]}]\n",
                           ends[i].sets);
        int64_t n = 0;
        for (; !brn_sim_done(f.sim) && n < 1000; ++n) {
            assert_done(f.ctx, brn_sim_step(f.sim, NULL));
        }
        if (n != ends[i].steps) {
            fail_msg("%s: %d steps", ends[i].sets, (int)n);
        }
        flow_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_input_kept),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_failure_changes_nothing),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_edit),
        cmocka_unit_test(test_edit_keeps_2d_flat),
        cmocka_unit_test(test_static_balance),
        cmocka_unit_test(test_static_weight),
        cmocka_unit_test(test_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
