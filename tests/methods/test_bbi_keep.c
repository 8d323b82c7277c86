/* Method `bbi` with a factor that is kept from step to step: a matter of speed alone. Every step is compared with one from the same state that makes
   its own factors: without contact they agree within Newton's tolerance, and with contact to the last bit. */
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
    double place, speed; /* of what moves, relative to the way of a step and the largest velocity */
    int kept, touching;  /* steps */
    double momentum;     /* how much larger its error became in a step */
} differences;

/* One more step of `kept`, beside one of `own` from the same state. */
static void compare_step(flow *kept, flow *own, differences *d)
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
    if (r[1].contacts > 0) { /* the law of impact has the tangent in it */
        assert_true(off[0] == 0.0 && off[1] == 0.0);
    }
    d->place = fmax(d->place, off[0] / way);
    d->speed = fmax(d->speed, off[1] / speed);
    d->kept += had && r[1].contacts == 0;
    d->touching += r[1].contacts > 0;
    d->momentum = fmax(d->momentum, r[0].momentum_error - r[1].momentum_error);
    d->momentum = fmax(d->momentum, r[0].angular_momentum_error - r[1].angular_momentum_error);
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
    (void)state;
    for (int k = 0; k < BRN_COUNT(runs); ++k) {
        flow kept = flow_open(1, BAR, runs[k].sets);
        flow own = flow_open(1, BAR, runs[k].sets);
        differences d = {0};
        bbi_of(&kept)->kept.least = 0;
        bbi_of(&own)->kept.never = true;
        while (!brn_sim_done(kept.sim)) {
            compare_step(&kept, &own, &d);
        }
        print_message("%s: %d steps kept a factor, %d touched; places %.1e, velocities %.1e, momentum %.1e\n",
                      runs[k].sets, d.kept, d.touching, d.place, d.speed, d.momentum);
        assert_true(d.kept >= runs[k].least);
        assert_true(d.touching > 0);
        /* Newton's tolerance is 1e-8 of the largest force; measured 3e-9. */
        assert_near(d.place, 0.0, 1e-8);
        assert_near(d.speed, 0.0, 1e-8);
        assert_near(d.momentum, 0.0, 1e-12); /* rounding */
        flow_close(&kept);
        flow_close(&own);
    }
}

/* A state of another run with another past: the factor is made again, with the same bits. */
static void test_resumed(void **state)
{
    (void)state;
    flow whole = flow_open(2, BAR, NULL);
    flow other = flow_open(1, BAR, NULL);
    int resumed = 0;
    bbi_of(&whole)->kept.least = bbi_of(&other)->kept.least = 0;
    for (int i = 0; !brn_sim_done(whole.sim); ++i) {
        if (i % 7 == 3) {
            resumed += brn_state_recall(whole.sim->state, "bbi.factor") != NULL;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_steps),
        cmocka_unit_test(test_resumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
