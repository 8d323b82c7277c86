/* What every method with contact owes, on small scenes in which bodies touch, slide, stand on each other, hang by a weld and
   drape; each method gets the scenes whose bodies it takes. A method added to the list is tested the moment it is there. */
#include "flow.h"

#include "api/registry.h"
#include "step/sim.h"

enum {
    SOFT = 1u << BRN_BODY_DEFORMABLE,
    FIRM = 1u << BRN_BODY_RIGID,
    STILL = 1u << BRN_BODY_STATIC,
    SHEET = 1u << BRN_BODY_SHELL,
};

typedef struct scene {
    const char *name, *text;
    unsigned bodies;
    double weight; /* [N] that the obstacle carries in the end; 0: not compared */
    const char *support;
} scene;

#define HEAD "brunt: 1\ntime: {step: 2e-3, end: 0.3}\ncontact: {friction: 0.4}\n"
#define GEL \
 "materials: {gel: {type: neo_hookean, young: 2e5, poisson: 0.4, density: 1000, damping: {beta: 5e-3}}}\n"
#define FLOOR "  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n"

static const scene scenes[] = {
    {"touching",
     HEAD GEL
     "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}}\n"
     "bodies:\n  - {name: cube, type: deformable, mesh: m, material: gel, position: [0, 0, 0.051]}\n" FLOOR,
     SOFT | STILL, 9.81, "floor"},
    {"sliding",
     HEAD "bodies:\n  - {name: brick, type: rigid, shape: {box: {size: [0.2, 0.1, 0.05]}}, density: 1000,\n"
          "     position: [0, 0, 0.0255], velocity: [0.5, 0, 0]}\n" FLOOR,
     FIRM | STILL, 9.81, "floor"},
    {"stacked",
     HEAD GEL
     "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: hex8}}}\n"
     "bodies:\n  - {name: low, type: deformable, mesh: m, material: gel, position: [0, 0, 0.051]}\n"
     "  - {name: lid, type: rigid, shape: {box: {size: [0.1, 0.1, 0.04]}}, density: 1000, position: [0, 0, "
     "0.122]}\n"
     "  - {name: high, type: deformable, mesh: m, material: gel, position: [0.01, 0, 0.193]}\n" FLOOR,
     SOFT | FIRM | STILL, 9.81 * 2.4, "floor"},
    {"hung",
     HEAD GEL
     "meshes: {m: {box: {size: [0.02, 0.02, 0.2], cells: [1, 1, 6], element: hex8}}}\n"
     "bodies:\n  - {name: cord, type: deformable, mesh: m, material: gel, position: [0, 0, 0.3]}\n"
     "  - {name: bob, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, density: 100, position: [0, 0, "
     "0.15]}\n"
     "  - {name: post, type: static, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0.104, 0, 0.15]}\n"
     "attach: [{body: cord, where: {face: -z}, to: bob}]\n"
     "fixed: [{body: cord, where: {face: +z}}]\n"
     "gravity: [4, 0, -9]\n",
     SOFT | FIRM | STILL, 0.0, NULL},
    {"draped",
     HEAD "materials: {cloth: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 300}}\n"
          "meshes: {m: {grid: {size: [0.3, 0.3], cells: [8, 8]}}}\n"
          "bodies:\n  - {name: cloth, type: shell, mesh: m, material: cloth, thickness: 1e-3, position: [0, "
          "0, 0.202]}\n"
          "  - {name: ball, type: static, shape: {sphere: {radius: 0.1}}, position: [0, 0, 0.1]}\n",
     SHEET | STILL, 0.0, NULL},
};

static double body_weight(const flow *f)
{
    double mass = 0.0;
    for (int b = 0; b < f->model->nbody; ++b) {
        mass += f->model->body[b].mass;
    }
    return 9.81 * mass;
}

/* A report of a step in contact: the laws of contact hold as far as the method claims. */
static void check_report(const flow *f, const brn_report *r)
{
    const double weight = body_weight(f);
    assert_true(isfinite(r->energy_error) && isfinite(r->residual));
    assert_int_equal(r->intersections, 0);
    assert_int_equal(r->inversions, 0);
    assert_true(r->penetration_max <= 1e-3 * f->sim->system->size);
    /* Friction may lag behind the normal forces by a step: measured 0.17 of the weight at most (sliding), 3x margin. */
    assert_true(r->cone_error <= 0.5 * weight);
    /* 1e-4 a step: what a solver's tolerance leaves of forces that all but balance. */
    assert_near(r->momentum_error, 0.0, 1e-4);
    /* The two forces of friction may act a gap apart, a thousandth of the size. */
    assert_near(r->angular_momentum_error, 0.0, 2e-3);
}

/* Runs all of a scene on some threads; from half of it on another simulation goes on from a checkpoint. */
static uint64_t run(const scene *s, const char *sets, int threads, bool resume)
{
    flow f = flow_open(threads, s->text, sets);
    bool touched = false;
    while (!brn_sim_done(f.sim)) {
        brn_report r;
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        check_report(&f, &r);
        touched = touched || r.contacts > 0;
        if (resume && brn_sim_step_count(f.sim) == f.model->nstep / 2) {
            assert_done(f.ctx, brn_sim_save(f.sim, "contact_contract.h5"));
            flow_close(&f);
            f = flow_open(threads, s->text, sets);
            assert_done(f.ctx, brn_sim_load(f.sim, "contact_contract.h5"));
        }
    }
    assert_true(touched);
    if (s->support != NULL) { /* at rest by now, to the ringing that is left */
        const double *force = brn_sim_contact_forces(f.sim);
        const int support = brn_model_find_body(f.model, s->support);
        assert_near(force[3 * support + 2], -s->weight, 0.1 * s->weight);
    }
    const uint64_t hash = brn_sim_hash(f.sim);
    flow_close(&f);
    return hash;
}

static void test_scenes_in_contact(void **state)
{
    (void)state;
    int runs = 0;
    for (int m = 0; m < brn_method_count(); ++m) {
        const brn_method *method = brn_method_get(m);
        for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
            const scene *s = &scenes[i];
            if (!method->contact || (s->bodies & ~method->bodies) != 0) {
                continue;
            }
            char sets[64];
            (void)snprintf(sets, sizeof sets, "method.type=%s", method->table->name);
            print_message("%s: %s\n", method->table->name, s->name);
            const uint64_t hash = run(s, sets, 1, false);
            assert_true(run(s, sets, 3, true) == hash);
            ++runs;
        }
    }
    assert_true(runs >= 5); /* ipc takes all of them */
}

/* A method without contact takes the welded scene too, and a body type that it does not take is refused by name. */
static void test_mask(void **state)
{
    (void)state;
    for (int m = 0; m < brn_method_count(); ++m) {
        const brn_method *method = brn_method_get(m);
        for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
            char sets[64];
            (void)snprintf(sets, sizeof sets, "method.type=%s", method->table->name);
            brn_ctx *ctx = test_ctx(1);
            brn_scene *given = NULL;
            brn_model *model = NULL;
            assert_done(ctx, flow_scene(ctx, scenes[i].text, sets, &given));
            const brn_status status = brn_model_compile(ctx, given, &model);
            const bool takes = (scenes[i].bodies & ~method->bodies) == 0 &&
                               (method->integrators >> method->integrator & 1u) != 0;
            if (takes) {
                assert_done(ctx, status);
            } else {
                assert_int_equal(status, BRN_ERR_SCENE);
            }
            brn_model_destroy(model);
            brn_scene_destroy(given);
            brn_ctx_destroy(ctx);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes_in_contact),
        cmocka_unit_test(test_mask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
