/* A hand that drags: its potential against finite differences, the stretch that holds a weight, balance of energy and momentum, and
   that it neither explodes nor tears, whatever it is asked. */
#include "flow.h"

#include "base/rng.h"
#include "linalg/dense.h"
#include "model/rigid_pose.h"
#include "step/drag.h"
#include "step/sim.h"

/* ---- the spring ---------------------------------------------------------------------------------------------------------- */

/* Force and stiffness in y, where x = y and v = c (y - origin). */
static void pull_of(const brn_drag *drag, const double y[3], double c, brn_pull *out)
{
    static const double point[3] = {0.1, -0.2, 0.3};
    static const double origin[3] = {0.02, 0.01, -0.05};
    double v[3];
    for (int i = 0; i < 3; ++i) {
        v[i] = c * (y[i] - origin[i]);
    }
    brn_drag_pull(drag, point, y, v, c, out);
}

static void test_derivatives(void **state)
{
    (void)state;
    brn_rng rng = {5};
    int within = 0;
    for (int n = 0; n < 400; ++n) {
        /* half of the places inside the bound, half beyond */
        const brn_drag drag = {.stiffness = 200.0, .lag = 0.03, .force = n % 2 ? 20.0 : 2000.0};
        const double c = n % 3 ? 40.0 : 0.0;
        double y[3];
        brn_pull here;
        for (int i = 0; i < 3; ++i) {
            y[i] = brn_rng_uniform(&rng, -1.0, 1.0);
        }
        pull_of(&drag, y, c, &here);
        const double size = sqrt(brn_dense_dot3(here.force, here.force));
        assert_true(size <= drag.force * (1.0 + 1e-14));
        within += size < 0.999 * drag.force;
        const double e = 1e-6; /* truncation (e/|r|)^2 = 1e-12, rounding 1e-10 of the values of order 1e3 */
        for (int i = 0; i < 3; ++i) {
            double there[3] = {y[0], y[1], y[2]};
            brn_pull up;
            brn_pull down;
            there[i] = y[i] + e;
            pull_of(&drag, there, c, &up);
            there[i] = y[i] - e;
            pull_of(&drag, there, c, &down);
            assert_near((up.energy - down.energy) / (2.0 * e), -here.force[i], 1e-5 * (1.0 + size));
            for (int j = 0; j < 3; ++j) {
                assert_near((up.force[j] - down.force[j]) / (2.0 * e), -here.stiffness[3 * j + i], 1e-3);
            }
        }
        /* symmetric, no negative eigenvalue: its quadratic form in random directions */
        for (int k = 0; k < 10; ++k) {
            const double d[3] = {brn_rng_uniform(&rng, -1, 1), brn_rng_uniform(&rng, -1, 1),
                                 brn_rng_uniform(&rng, -1, 1)};
            double sum = 0.0;
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    sum += d[i] * here.stiffness[3 * i + j] * d[j];
                    assert_true(here.stiffness[3 * i + j] == here.stiffness[3 * j + i]);
                }
            }
            assert_true(sum >= -1e-12 * drag.stiffness);
        }
    }
    assert_true(within > 150 && within < 250);
}

/* Value and force meet where the bound begins. */
static void test_bound_is_smooth(void **state)
{
    (void)state;
    const brn_drag drag = {.stiffness = 200.0, .force = 20.0}; /* begins at 0.1 m */
    static const double none[3] = {0.0, 0.0, 0.0};
    brn_pull in;
    brn_pull out;
    brn_drag_pull(&drag, none, (double[3]){0.1 * (1.0 - 1e-12), 0.0, 0.0}, none, 0.0, &in);
    brn_drag_pull(&drag, none, (double[3]){0.1 * (1.0 + 1e-12), 0.0, 0.0}, none, 0.0, &out);
    assert_near(in.energy, 1.0, 1e-11);
    assert_near(out.energy, 1.0, 1e-11);
    assert_near(in.force[0], -20.0, 1e-10);
    assert_near(out.force[0], -20.0, 1e-10);
    brn_drag_pull(&drag, none, none, none, 0.0, &in); /* no 0/0 */
    assert_true(in.energy == 0.0 && in.force[0] == 0.0 && in.stiffness[0] == 200.0);
}

/* ---- weights ------------------------------------------------------------------------------------------------------------- */

#define HEAD "brunt: 1\ntime: {step: 0.01, end: 10}\nmethod: {type: none}\n"
#define SOFT                                                                                             \
 "materials: {a: {type: neo_hookean, young: 2e5, poisson: 0.3, density: 1000, damping: {beta: 0.01}}}\n" \
 "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: hex8}}}\n"

static const char soft[] = HEAD SOFT "bodies: [{name: a, type: deformable, mesh: m, material: a}]\n";
static const char ball[] =
    HEAD "bodies: [{name: a, type: rigid, shape: {sphere: {radius: 0.05}}, density: 1000}]\n";
static const char disc[] =
    "dimension: 2\n" HEAD "bodies: [{name: a, type: rigid, shape: {sphere: {radius: 0.05}}, density: 10}]\n";
static const char box[] =
    HEAD "bodies: [{name: a, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, density: 1000}]\n";

static const char *const rules[] = {"implicit_euler", "bdf2", "newmark", "midpoint"};

/* The node nearest to a place at rest. */
static int node_at(const flow *f, double x, double y, double z)
{
    int best = 0;
    double least = INFINITY;
    for (int a = 0; a < f->model->nnode; ++a) {
        const double *at = f->model->rest[a];
        const double d = pow(at[0] - x, 2) + pow(at[1] - y, 2) + pow(at[2] - z, 2);
        if (d < least) {
            least = d;
            best = a;
        }
    }
    return best;
}

/* The worst errors of a balance so far. */
typedef struct worst {
    double energy, momentum, turn;
} worst;

static brn_report step_once(flow *f, worst *w)
{
    brn_report r;
    assert_done(f->ctx, brn_sim_step(f->sim, &r));
    w->energy = fmax(w->energy, fabs(r.energy_error));
    w->momentum = fmax(w->momentum, r.momentum_error);
    w->turn = fmax(w->turn, r.angular_momentum_error);
    return r;
}

/* Held above its centre, a body comes to rest m g / k below the hand: soft and rigid, in 3D and 2D, by every rule, with and without
   contact. What the hand does is booked. */
static void test_holds_a_weight(void **state)
{
    (void)state;
    static const char *const texts[] = {soft, ball, disc};
    for (int t = 0; t < 3; ++t) {
        for (int i = 0; i < 5; ++i) {
            char sets[100];
            (void)snprintf(sets, sizeof sets, "integrator=%s;method.type=%s", rules[i % 4],
                           i < 4 ? "none" : "ipc");
            flow f = flow_open(1, texts[t], sets);
            const int up = f.model->dim - 1;
            const int node = t == 0 ? node_at(&f, 0.0, 0.0, 0.05) : node_at(&f, 0.0, 0.0, 0.0);
            const double k = 500.0 * f.model->body[0].mass; /* 2 cm */
            double target[3];
            worst w = {0};
            memcpy(target, f.model->rest[node], sizeof target);
            assert_done(f.ctx, brn_sim_drag(f.sim, node, target, k));
            for (int n = 0; n < 300; ++n) {
                const brn_report r = step_once(&f, &w);
                assert_true(r.iterations <= (t == 0 ? 4 : 3)); /* its stiffness is part of the tangent */
            }
            /* omega = 22/s: critically damped, 3 s leave exp(-66) of it; the soft one's own modes die at beta omega^2 / 2. Newton
               is off by 1e-8 of the weight, and by the rounding of positions times the stiffness of a rigid body. */
            assert_near(target[up] - brn_sim_positions(f.sim)[3 * node + up], 9.81 / 500.0,
                        t == 0 ? 1e-9 : 1e-7);
            /* A ball on a spring is a linear problem, which trapezoidal rules solve without any error of energy; the soft body
               has that of its own swinging, 5e-3 without a hand. */
            if (i == 2 || i == 3) {
                assert_true(w.energy < (t == 0   ? 1e-2
                                        : t == 1 ? 1e-10
                                                 : 1e-6)); /* the disc is light: rounding as above */
            }
            assert_true(w.momentum < (t == 0 ? 2e-8 : 1e-6)); /* the same two */
            flow_close(&f);
        }
    }
}

/* Held at a corner it swings until it hangs below it. */
static void test_swings_to_rest(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) {
        char sets[80];
        (void)snprintf(sets, sizeof sets, "integrator=%s", rules[i]);
        flow f = flow_open(1, box, sets);
        const int node = node_at(&f, 0.05, 0.05, 0.05);
        const double k = 500.0 * f.model->body[0].mass;
        worst w = {0};
        brn_rigid_pose pose;
        assert_done(f.ctx, brn_sim_drag(f.sim, node, f.model->rest[node], k));
        for (int n = 0; n < 900; ++n) {
            (void)step_once(&f, &w);
        }
        const double *x = &brn_sim_positions(f.sim)[3 * node];
        brn_rigid_pose_of(f.model, 0, brn_sim_positions(f.sim), brn_sim_velocities(f.sim), &pose);
        /* the rules' own damping of the pendulum (6 rad/s) is the slowest: a thousandth is left */
        assert_near(0.05 - x[2], 9.81 / 500.0, 1e-4);
        assert_near(pose.centre[0], x[0], 2e-3);
        assert_near(x[2] - pose.centre[2], sqrt(3.0) * 0.05, 1e-4);
        assert_true(w.momentum < 2e-8);
        flow_close(&f);
    }
}

/* A static run: a clamped bar is pulled at its tip, and the clamp feels what the spring pulls with. */
static void test_static(void **state)
{
    (void)state;
    flow f = flow_open(
        1, soft,
        "integrator=static;time.step=0.25;time.end=1;gravity=[0,0,0];fixed=[{body: a, where: {face: -z}}]");
    const int node = node_at(&f, 0.0, 0.0, 0.05);
    const double target[3] = {0.002, 0.0, 0.06};
    const double k = 400.0;
    assert_done(f.ctx, brn_sim_drag(f.sim, node, target, k));
    worst w = {0};
    for (int n = 0; n < 4; ++n) {
        (void)step_once(&f, &w);
    }
    const double *x = brn_sim_positions(f.sim);
    const double *elastic = NULL;
    const double *external = NULL;
    assert_done(f.ctx, brn_sim_forces(f.sim, &elastic, &external));
    for (int i = 0; i < 3; ++i) {
        const double pulled = k * (target[i] - x[3 * node + i]);
        double react = 0.0;
        for (int a = 0; a < f.model->nnode; ++a) {
            react += f.sim->state->node_react[3 * a + i];
        }
        assert_near(external[3 * node + i], pulled, 1e-12);
        assert_near(react, -pulled, 1e-6);
    }
    assert_true(k * (target[2] - x[3 * node + 2]) > 1.0);
    assert_true(x[3 * node + 2] > 0.05);
    flow_close(&f);
}

/* ---- whatever it is asked ------------------------------------------------------------------------------------------------ */

/* A hand far away pulls with a bounded force; the body comes along at a bounded speed, arrives, and stays whole. */
static void check_far(const char *text, const char *sets, int steps, bool arrives)
{
    flow f = flow_open(1, text, sets);
    const int node = node_at(&f, 0.05, 0.05, 0.05);
    const double target[3] = {1.0, -0.5, 0.5};
    const double mass = f.model->body[0].mass;
    const double size = f.sim->system->size;
    const bool rigid = f.model->ties.count > 0;
    double fastest = 0.0;
    worst w = {0};
    assert_done(f.ctx, brn_sim_drag(f.sim, node, target, 0.0));
    const brn_drag *drag = &f.sim->system->controls->drag;
    assert_near(drag->force, mass * (98.1 + 40.0 * size), 1e-9);
    for (int n = 0; n < steps; ++n) {
        const brn_report r = step_once(&f, &w);
        double pulled[3] = {0.0, 0.0, 0.0};
        for (int a = 0; a < 3 * f.model->nnode; ++a) {
            pulled[a % 3] += f.sim->state->node_load[a];
        }
        assert_true(sqrt(brn_dense_dot3(pulled, pulled)) <= drag->force * (1.0 + 1e-12));
        fastest = fmax(fastest, sqrt(brn_dense_dot3(r.momentum, r.momentum)) / mass);
        assert_int_equal(r.inversions, 0);
    }
    /* the node is pulled at reach/lag; the body behind it swings, by less than as much again */
    assert_true(fastest < 2.0 * drag->reach / drag->lag);
    assert_true(w.momentum < 2e-8);
    const double *x = &brn_sim_positions(f.sim)[3 * node];
    for (int i = 0; i < 3 && arrives; ++i) { /* but for the sag, and what is left of swinging */
        assert_near(x[i], target[i] - (i == 2 ? 9.81 * mass / drag->stiffness : 0.0), rigid ? 2e-3 : 1e-3);
    }
    assert_true(arrives || x[0] > 0.1);
    flow_close(&f);
}

static void test_far_target(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i) {
        char sets[80];
        (void)snprintf(sets, sizeof sets, "integrator=%s", rules[i]);
        check_far(soft, sets, 700, true);
        if (i < 2) { /* trapezoidal rules and stiff rotations do not go together, with or without a hand */
            check_far(box, sets, 700, true);
        }
    }
    check_far(soft, "integrator=symplectic_euler;time.step=5e-5", 4000, false); /* 0.2 s */
}

/* A stiff spring of one's own in an explicit run: its damping is no more than the node can bear, and its force is bounded. */
static void test_stiff_explicit(void **state)
{
    (void)state;
    flow f = flow_open(1, soft, "integrator=symplectic_euler;time.step=5e-5");
    const int node = node_at(&f, 0.0, 0.0, 0.05);
    worst w = {0};
    brn_report r = {0};
    assert_done(f.ctx, brn_sim_drag(f.sim, node, f.model->rest[node], 1e4));
    for (int n = 0; n < 4000; ++n) {
        r = step_once(&f, &w);
    }
    assert_true(r.kinetic < 0.01 && w.momentum < 1e-12);
    flow_close(&f);
}

/* Through other bodies: pulled down through the floor, up against a ceiling and through its neighbour, a body stays where it fits, and every
   step succeeds. */
static const char room[] =
    "brunt: 1\ntime: {step: 0.01, end: 10}\nmethod: {type: ipc}\ncontact: {friction: 0.3}\n" SOFT
    "bodies:\n  - {name: soft, type: deformable, mesh: m, material: a, position: [0, 0, 0.052]}\n"
    "  - {name: hard, type: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0.15, 0, 0.052]}\n"
    "  - {name: floor, type: static, shape: {plane: {}}}\n"
    "  - {name: ceiling, type: static, shape: {box: {size: [1, 1, 0.02]}}, position: [0, 0, 0.3]}\n";

static void test_among_others(void **state)
{
    (void)state;
    static const double targets[][3] = {{0.0, 0.0, -5.0}, {0.0, 0.0, 5.0}, {3.0, 0.0, 0.1}};
    for (int body = 0; body < 2; ++body) {
        flow f = flow_open(1, room, NULL);
        const int node = f.model->body[body].node_first;
        const double away = body == 0 ? 1.0 : -1.0;
        worst w = {0};
        for (int k = 0; k < 3; ++k) {
            const double target[3] = {away * targets[k][0], targets[k][1], targets[k][2]};
            assert_done(f.ctx, brn_sim_drag(f.sim, node, target, 0.0));
            for (int n = 0; n < 60; ++n) {
                const brn_report r = step_once(&f, &w);
                assert_int_equal(r.intersections, 0);
                assert_int_equal(r.inversions, 0);
                assert_true(r.substeps < 5);
            }
            const double z = brn_sim_positions(f.sim)[3 * node + 2];
            assert_true(z > 0.0 && z < 0.29);
        }
        assert_true(w.momentum < 2e-3); /* what method ipc's tolerance leaves: 6.5e-4 */
        flow_close(&f);
    }
}

/* Let go, a body falls as if nobody had ever held it; a hand that holds it through an edit holds it still. */
static void test_let_go(void **state)
{
    (void)state;
    flow f = flow_open(1, ball, "integrator=newmark");
    const int node = node_at(&f, 0.0, 0.0, 0.0);
    const double target[3] = {0.0, 0.0, 0.0};
    worst w = {0};
    assert_done(f.ctx, brn_sim_drag(f.sim, node, target, 0.0));
    for (int n = 0; n < 100; ++n) {
        (void)step_once(&f, &w);
    }
    assert_done(f.ctx, brn_sim_edit(f.sim, NULL, brn_sim_velocities(f.sim)));
    (void)step_once(&f, &w);
    assert_near(brn_sim_velocities(f.sim)[3 * node + 2], 0.0, 1e-8); /* what the hand's damping leaves */
    assert_done(f.ctx, brn_sim_drag(f.sim, -1, NULL, NAN));
    (void)step_once(&f, &w);
    w = (worst){0}; /* the edit started the balance anew, of a body at rest */
    const double v = brn_sim_velocities(f.sim)[3 * node + 2];
    assert_near(v, -0.0981, 1e-6);
    for (int n = 0; n < 10; ++n) {
        (void)step_once(&f, &w);
    }
    assert_near(brn_sim_velocities(f.sim)[3 * node + 2], v - 10 * 0.0981, 1e-9);
    assert_true(w.energy < 1e-8 && w.momentum < 2e-8);
    flow_close(&f);
}

/* A pendulum, whose link is one box or two halves of it. */
static void write_pendulum(const char *path, int parts)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fprintf(file,
                  "<robot name='p'><link name='base'/><link name='arm'><inertial><origin xyz='0 0 -0.5'/>"
                  "<mass value='2'/><inertia ixx='0.17' iyy='0.17' izz='0.01' ixy='0' ixz='0' iyz='0'/>"
                  "</inertial>");
    for (int i = 0; i < parts; ++i) {
        (void)fprintf(file,
                      "<collision><origin xyz='0 0 %g'/><geometry><box size='0.1 0.1 %g'/></geometry>"
                      "</collision>",
                      -(i + 0.5) / parts, 1.0 / parts);
    }
    (void)fprintf(file, "</link><joint name='j' type='continuous'><parent link='base'/><child link='arm'/>"
                        "<axis xyz='0 1 0'/></joint></robot>");
    assert_int_equal(fclose(file), 0);
}

/* A link of a robot is dragged along the way that its joint leaves it, whatever the number of its shapes. */
static void test_link(void **state)
{
    (void)state;
    const double angle = 0.7;
    double end[2][3];
    for (int k = 0; k < 2; ++k) {
        write_pendulum("drag_link.urdf", k + 1);
        flow f = flow_open(1,
                           "brunt: 1\ntime: {step: 0.01, end: 10}\nmethod: {type: sap}\nbodies:\n"
                           "  - {name: p, type: robot, file: drag_link.urdf}\n",
                           NULL);
        const int node = node_at(&f, 0.05, 0.05, -1.0);
        const double target[3] = {0.05 * cos(angle) - sin(angle), 0.05, -0.05 * sin(angle) - cos(angle)};
        worst w = {0};
        assert_done(f.ctx, brn_sim_drag(f.sim, node, target, 0.0));
        for (int n = 0; n < 300; ++n) {
            (void)step_once(&f, &w);
        }
        memcpy(end[k], &brn_sim_positions(f.sim)[3 * node], sizeof end[k]);
        brn_joint_state joint;
        assert_done(f.ctx, brn_sim_get_joint(f.sim, 0, &joint));
        /* The spring holds the weight: moments about the joint of k (target - x) and of m g at half the length. The stretch is
           along the way to its second order, 1e-5 of it. */
        const brn_drag *drag = &f.sim->system->controls->drag;
        const double way = joint.position[0] - angle, arm2 = 1.0 + 0.05 * 0.05;
        assert_near(drag->stiffness * arm2 * way, -2.0 * 9.81 * 0.5 * sin(joint.position[0]), 1e-3);
        assert_near(joint.velocity[0], 0.0, 1e-6);
        assert_true(w.energy < 1e-12 && w.momentum < 1e-12 &&
                    w.turn < 1e-12); /* all of it is booked, to rounding */
        assert_done(f.ctx, brn_sim_drag(f.sim, -1, NULL, NAN));
        flow_close(&f);
    }
    for (int i = 0; i < 3; ++i) {
        assert_near(end[0][i], end[1][i], 1e-9); /* rounding, and what the solver leaves */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_derivatives),    cmocka_unit_test(test_bound_is_smooth),
        cmocka_unit_test(test_holds_a_weight), cmocka_unit_test(test_swings_to_rest),
        cmocka_unit_test(test_static),         cmocka_unit_test(test_far_target),
        cmocka_unit_test(test_stiff_explicit), cmocka_unit_test(test_among_others),
        cmocka_unit_test(test_let_go),         cmocka_unit_test(test_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
