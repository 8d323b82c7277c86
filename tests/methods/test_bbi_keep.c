/* What makes steps of method `bbi` fast, and is a matter of speed alone. A factor that is kept from step to step, and where a step starts: every step
   is compared with one from the same state that makes its own factors and starts where it is; without contact they agree within Newton's tolerance,
   what comes from the air to contact to the last bit, and what stays in contact but for the tangent that the law of impact has in it. Iterations that
   learn, and forces to start with: within Newton's tolerance. */
#include "flow.h"

#include "step/bbi/bbi.h"
#include "step/sim.h"

/* A bent bar that is let go in the air: it rings, turns, lands on its edge and leaves the floor again. */
#define BAR                                                                                                  \
 "brunt: 1\nmethod: {type: bbi, flight: 0}\ntime: {step: 2.0e-4, end: 0.02}\n"                               \
 "materials: {gum: {type: neo_hookean, young: 2.0e6, poisson: 0.4, density: 1000, damping: {beta: 2e-5}}}\n" \
 "meshes: {bar: {box: {size: [0.1, 0.01, 0.01], cells: [20, 2, 2], element: hex8}}}\n"                       \
 "bodies:\n  - {name: bar, type: deformable, mesh: bar, material: gum, position: [0, 0, 0.02],\n"            \
 "     velocity: [0.3, 0, -1.5], angular_velocity: [5, 60, 20]}\n"                                           \
 "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"                                    \
 "loads: [{body: bar, where: {face: +x}, force: [0, 0.4, 0.2], ramp: {from: 0, to: 1.0e-4}}]\n"              \
 "contact: {friction: 0.4}\n"

static brn_bbi *bbi_of(const flow *f)
{
    return f->sim->self;
}

typedef struct differences {
    double place, speed;         /* of what moves, relative to the way of a step and the largest velocity */
    double rest[2];              /* the same of what touched before */
    bool touched;                /* in the last step */
    int kept, touching, staying; /* steps */
    int iterations[2];           /* of both */
    int around[2];               /* of those, of what touched before */
    double momentum;             /* how much larger its error became in a step */
} differences;

/* One more step of `kept`, beside one of `own` from the same state; same: with contact, to the last bit. */
static void compare_step(flow *kept, flow *own, bool same, differences *d)
{
    const int nnode = kept->model->nnode;
    brn_report r[2];
    double way = 0.0;
    double speed = 0.0;
    double off[2] = {0};
    assert_done(own->ctx, brn_state_copy(kept->sim->state, own->sim->state));
    own->sim->state->step = kept->sim->state->step;
    const bool had = brn_state_recall(kept->sim->state, "bbi.factor") != NULL;
    double *before = malloc(3 * (size_t)nnode * sizeof *before);
    assert_non_null(before);
    memcpy(before, kept->sim->state->node_pos, 3 * (size_t)nnode * sizeof *before);
    assert_done(kept->ctx, brn_sim_step(kept->sim, &r[0]));
    assert_done(own->ctx, brn_sim_step(own->sim, &r[1]));
    const brn_state *a = kept->sim->state;
    const brn_state *b = own->sim->state;
    for (int i = 0; i < 3 * nnode; ++i) {
        way = fmax(way, fabs(b->node_pos[i] - before[i]));
        speed = fmax(speed, fabs(b->node_vel[i]));
        off[0] = fmax(off[0], fabs(a->node_pos[i] - b->node_pos[i]));
        off[1] = fmax(off[1], fabs(a->node_vel[i] - b->node_vel[i]));
    }
    free(before);
    if (r[1].contacts > 0 && same && !d->touched) { /* the law of impact has the tangent in it */
        assert_true(off[0] == 0.0 && off[1] == 0.0);
    }
    if (r[1].contacts > 0 && d->touched) {
        d->rest[0] = fmax(d->rest[0], off[0] / way);
        d->rest[1] = fmax(d->rest[1], off[1] / speed);
        d->around[0] += r[0].iterations;
        d->around[1] += r[1].iterations;
        ++d->staying;
    } else {
        d->place = fmax(d->place, off[0] / way);
        d->speed = fmax(d->speed, off[1] / speed);
        d->momentum = fmax(d->momentum, r[0].momentum_error - r[1].momentum_error);
        d->momentum = fmax(d->momentum, r[0].angular_momentum_error - r[1].angular_momentum_error);
    }
    d->touched = r[1].contacts > 0;
    d->iterations[0] += r[0].iterations;
    d->iterations[1] += r[1].iterations;
    d->kept += had && r[1].contacts == 0;
    d->touching += r[1].contacts > 0;
}

static void test_same_steps(void **state)
{
    /* least: steps that must have kept a factor; what turns far in a step, stiff, is left to factors of its own. */
    static const struct {
        const char *sets;
        int least;
    } runs[] = {{"", 10},
                {"integrator=midpoint", 10},
                {"integrator=implicit_euler", 10},
                {"time.step=4e-4;time.end=0.04", 5},
                {"materials.gum.young=2e9", 0}};
    int around[2] = {0};
    (void)state;
    for (int k = 0; k < BRN_COUNT(runs); ++k) {
        flow kept = flow_open(1, BAR, runs[k].sets);
        flow own = flow_open(1, BAR, runs[k].sets);
        differences d = {0};
        bbi_of(&kept)->kept.least = 0;
        bbi_of(&own)->kept.never = true;
        while (!brn_sim_done(kept.sim)) {
            compare_step(&kept, &own, true, &d);
        }
        print_message(
            "%s: %d steps kept a factor, %d touched; places %.1e, velocities %.1e, momentum %.1e; %d "
            "in contact: %.1e, %.1e; %d and %d iterations\n",
            runs[k].sets, d.kept, d.touching, d.place, d.speed, d.momentum, d.staying, d.rest[0], d.rest[1],
            d.around[0], d.around[1]);
        assert_true(d.kept >= runs[k].least);
        assert_true(d.touching > 0);
        /* Newton's tolerance is 1e-8 of the largest force; measured 3e-9. */
        assert_near(d.place, 0.0, 1e-8);
        assert_near(d.speed, 0.0, 1e-8);
        assert_near(d.momentum, 0.0, 1e-12); /* rounding */
        /* Measured 3e-8, and 2e-5 for velocities, by the tangent. */
        assert_near(d.rest[0], 0.0, 1e-7);
        assert_near(d.rest[1], 0.0, 1e-4);
        for (int i = 0; i < 2; ++i) {
            around[i] += d.around[i];
        }
        flow_close(&kept);
        flow_close(&own);
    }
    assert_true(around[0] < around[1]);
}

/* Iterations that keep a factor of the step's own learn from each other: with contact too it ends where it does
   without. The law of impact has the last tangent in it, so there is none here. */
static void test_same_iterations(void **state)
{
    static const char *const sets[] = {"method.impact=none", "method.impact=none;integrator=midpoint",
                                       "method.impact=none;time.step=4e-4;time.end=0.04"};
    (void)state;
    for (int k = 0; k < BRN_COUNT(sets); ++k) {
        flow learns = flow_open(1, BAR, sets[k]);
        flow plain = flow_open(1, BAR, sets[k]);
        differences d = {0};
        bbi_of(&learns)->kept.never = bbi_of(&plain)->kept.never = true;
        bbi_of(&learns)->kept.dear = 0;
        while (!brn_sim_done(learns.sim)) {
            compare_step(&learns, &plain, false, &d);
        }
        print_message("%s: %d touched; places %.1e, velocities %.1e; %d and %d iterations\n", sets[k],
                      d.touching, d.place, d.speed, d.iterations[0], d.iterations[1]);
        assert_true(d.touching > 0);
        assert_true(d.iterations[0] != d.iterations[1]); /* they did go other ways */
        /* Newton's tolerance is 1e-8 of the largest force; measured 2e-8. */
        assert_near(d.place, 0.0, 1e-7);
        assert_near(d.speed, 0.0, 1e-7);
        flow_close(&learns);
        flow_close(&plain);
    }
}

/* A slab with more points than BRN_BBI_LARGE slides on a floor: the state remembers their forces, and a step from it has the same bits in another run with
   another past and other threads. */
#define SLAB                                                                                         \
 "brunt: 1\nmethod: {type: bbi, flight: 0}\ntime: {step: 1.0e-3, end: 0.012}\n"                      \
 "materials: {gum: {type: neo_hookean, young: 2.0e6, poisson: 0.4, density: 1000}}\n"                \
 "meshes: {slab: {box: {size: [0.13, 0.13, 0.01], cells: [13, 13, 1], element: hex8}}}\n"            \
 "bodies:\n  - {name: slab, type: deformable, mesh: slab, material: gum, position: [0, 0, 0.005],\n" \
 "     velocity: [0.5, 0, 0]}\n"                                                                     \
 "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"                            \
 "contact: {friction: 0.3}\n"

static void test_forces(void **state)
{
    (void)state;
    flow whole = flow_open(2, SLAB, NULL);
    flow other = flow_open(1, SLAB, NULL);
    int resumed = 0;
    for (int i = 0; !brn_sim_done(whole.sim); ++i) {
        if (i % 4 == 2) {
            resumed += brn_state_recall(whole.sim->state, "bbi.forces") != NULL;
            assert_done(whole.ctx, brn_sim_save(whole.sim, "bbi_forces.h5"));
            assert_done(other.ctx, brn_sim_load(other.sim, "bbi_forces.h5"));
        }
        assert_done(whole.ctx, brn_sim_step(whole.sim, NULL));
        assert_done(other.ctx, brn_sim_step(other.sim, NULL));
        assert_true(brn_sim_hash(whole.sim) == brn_sim_hash(other.sim));
    }
    assert_true(resumed > 0);
    flow_close(&whole);
    flow_close(&other);
}

/* With forces to start with a step ends where it ends without. */
static void test_forces_alone(void **state)
{
    (void)state;
    flow warm = flow_open(1, SLAB, "method.impact=none");
    flow cold = flow_open(1, SLAB, "method.impact=none");
    int compared = 0;
    while (!brn_sim_done(warm.sim)) {
        brn_report r[2];
        double way = 0.0;
        double off = 0.0;
        assert_done(cold.ctx, brn_state_copy(warm.sim->state, cold.sim->state));
        cold.sim->state->step = warm.sim->state->step;
        compared += brn_state_recall(cold.sim->state, "bbi.forces") != NULL;
        brn_bbi_warm_forget(cold.sim->state);
        assert_done(warm.ctx, brn_sim_step(warm.sim, &r[0]));
        assert_done(cold.ctx, brn_sim_step(cold.sim, &r[1]));
        for (int i = 0; i < 3 * warm.model->nnode; ++i) {
            way = fmax(way, 1e-3 * fabs(cold.sim->state->node_vel[i]));
            off = fmax(off, fabs(warm.sim->state->node_pos[i] - cold.sim->state->node_pos[i]));
        }
        assert_near(off, 0.0, 1e-7 * way); /* Newton's tolerance, as above */
    }
    assert_true(compared > 3);
    flow_close(&warm);
    flow_close(&cold);
}

/* A state of another run with another past, or with none: the factor is made again, with the same bits. */
static void resume(const char *scene, bool past)
{
    flow whole = flow_open(2, scene, NULL);
    flow other = flow_open(1, scene, NULL);
    int resumed = 0;
    bbi_of(&whole)->kept.least = bbi_of(&other)->kept.least = 0;
    for (int i = 0; !brn_sim_done(whole.sim); ++i) {
        if (i % 7 == 3) {
            resumed += brn_state_recall(whole.sim->state, "bbi.factor") != NULL;
            if (!past) {
                flow_close(&other);
                other = flow_open(1, scene, NULL);
                bbi_of(&other)->kept.least = 0;
            }
            assert_done(whole.ctx, brn_sim_save(whole.sim, "bbi_keep.h5"));
            assert_done(other.ctx, brn_sim_load(other.sim, "bbi_keep.h5"));
        }
        assert_done(whole.ctx, brn_sim_step(whole.sim, NULL));
        assert_done(other.ctx, brn_sim_step(other.sim, NULL));
        assert_true(i < 3 || brn_sim_hash(whole.sim) == brn_sim_hash(other.sim));
        if (i % 7 == 2) { /* a past of its own */
            assert_done(other.ctx, brn_sim_step(other.sim, NULL));
        }
    }
    assert_true(resumed > 2);
    flow_close(&whole);
    flow_close(&other);
}

static void test_resumed(void **state)
{
    (void)state;
    resume(BAR, true);
    /* What was let go before the checkpoint, which has the factor of after it. */
    resume(BAR "fixed: [{body: bar, where: {face: -x}, release: 1.0e-3}]\n", false);
}

/* The compliance of the mass along an axis, beside solutions for every column; a face is held along it. */
static void test_mass(void **state)
{
    enum { COUNT = 5 };
    static const int start[COUNT + 1] = {0, 1, 3, 5, 6, 8};
    static const int node[] = {10, 31, 60, 40, 43, 100, 100, 101};
    static const double value[] = {1.0, 0.5, -0.25, 2.0, 1.0, -1.0, 0.3, 0.7};
    (void)state;
    flow f = flow_open(1, BAR "fixed: [{body: bar, where: {face: +x}, axes: z}]\n", NULL);
    brn_system *system = bbi_of(&f)->system;
    const size_t ndof = (size_t)system->ndof;
    double *force = calloc(ndof, sizeof *force);
    double *a = calloc(ndof, sizeof *a);
    double w[COUNT * COUNT];
    assert_true(force != NULL && a != NULL);
    for (int axis = 0; axis < 3; ++axis) {
        const brn_columns columns = {COUNT, start, node, value};
        assert_done(f.ctx, brn_system_mass_compliance(system, axis, &columns, w));
        for (int j = 0; j < COUNT; ++j) {
            memset(force, 0, ndof * sizeof *force);
            memset(a, 0, ndof * sizeof *a);
            for (int k = start[j]; k < start[j + 1]; ++k) {
                assert_int_equal(f.model->fixed[3 * node[k] + axis], BRN_DOF_FREE);
                force[3 * node[k] + axis] += value[k];
            }
            assert_done(f.ctx, brn_system_mass_solve(system, force, a));
            for (int i = 0; i < COUNT; ++i) {
                double sum = 0.0;
                for (int k = start[i]; k < start[i + 1]; ++k) {
                    sum += value[k] * a[3 * node[k] + axis];
                }
                assert_near(w[i * COUNT + j], sum, 1e-12 * w[0]); /* rounding */
            }
        }
    }
    free(force);
    free(a);
    flow_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_steps), cmocka_unit_test(test_same_iterations),
        cmocka_unit_test(test_forces),     cmocka_unit_test(test_forces_alone),
        cmocka_unit_test(test_mass),       cmocka_unit_test(test_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
