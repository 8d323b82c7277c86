/* Decomposition contact response, the baseline of method `acm`: the jump of one pair against its closed form, of many against what it must keep, and what
   layers do better on the same mesh. */
#include "drift.h"
#include "validate/rows.h"

#include "base/ctx.h"
#include "linalg/dense.h"
#include "step/sim.h"

#define HEAD "brunt: 1\nmethod: {type: acm, response: dcr}\n"

/* ---- one pair --------------------------------------------------------------------------------------------------------------------- */

/* The corner of a body meets the side of another, both undeformed and not rotating: one step of the scene is one of the method, 2^-11 s. */
#define CORNER                                                                                       \
 HEAD "dimension: 2\ngravity: [0, 0]\ntime: {step: 0.00048828125, end: 0.5}\n"                       \
      "materials: {m: {type: stvk, young: 100, poisson: 0.3, density: 1}}\n"                         \
      "meshes: {chip: {box: {size: [1, 0.6], cells: [1, 1], element: tri3}}}\n"                      \
      "bodies:\n  - {name: low, type: deformable, mesh: chip, material: m}\n"                        \
      "  - {name: top, type: deformable, mesh: chip, material: m, position: [0.1, 0.87], rotation: " \
      "[{axis: [0, 0, 1], degrees: 40}], velocity: [0.4, -1]}\n"                                     \
      "contact: {friction: 0, restitution: 1}\n"

enum { SIDE = 4, NODES = 2 * SIDE };

static void low_momentum(const flow *f, double p[2])
{
    p[0] = p[1] = 0.0;
    for (int a = 0; a < SIDE; ++a) {
        p[0] += f->model->node_mass[a] * brn_sim_velocities(f->sim)[3 * a];
        p[1] += f->model->node_mass[a] * brn_sim_velocities(f->sim)[3 * a + 1];
    }
}

/* Impulse on the lower body, and what the pair loses along the normal and by friction, by Cirak and West's closed form for one pair at places x. */
static void closed_form(const flow *f, double e, double mu, double impulse[2], double lost[2])
{
    const double *x = brn_sim_positions(f->sim), *mass = f->model->node_mass;
    int low[2] = {-1, -1};
    int tip = SIDE;
    for (int a = 0; a < SIDE; ++a) { /* the upper side, from left to right */
        if (x[3 * a + 1] > 0.0) {
            low[x[3 * a] > 0.0] = a;
        }
        tip = x[3 * (SIDE + a) + 1] < x[3 * tip + 1] ? SIDE + a : tip;
    }
    assert_true(low[0] >= 0 && low[1] >= 0);
    const double along[2] = {x[3 * low[1]] - x[3 * low[0]], x[3 * low[1] + 1] - x[3 * low[0] + 1]};
    const double length = hypot(along[0], along[1]);
    const double t[2] = {along[0] / length, along[1] / length};
    const double n[2] = {-t[1], t[0]};
    const double s =
        ((x[3 * tip] - x[3 * low[0]]) * t[0] + (x[3 * tip + 1] - x[3 * low[0] + 1]) * t[1]) / length;
    const double inverse = 1.0 / mass[tip] + (1.0 - s) * (1.0 - s) / mass[low[0]] + s * s / mass[low[1]];
    const double u[2] = {0.4, -1.0};
    const double approach = -(u[0] * n[0] + u[1] * n[1]);
    const double slip = u[0] * t[0] + u[1] * t[1];
    const double p_norm = approach / inverse;
    const double p_slide = slip / inverse;
    const double c = fmax(0.0, 1.0 - mu * (1.0 + e) * p_norm / p_slide);
    assert_true(s > 0.2 && s < 0.8 && approach > 0.5 && slip > 0.2);
    for (int i = 0; i < 2; ++i) {
        impulse[i] = -(1.0 + e) * p_norm * n[i] + (1.0 - c) * p_slide * t[i];
    }
    lost[0] = 0.5 * (1.0 - e * e) * p_norm * approach;
    lost[1] = 0.5 * (1.0 - c * c) * p_slide * slip;
}

static void test_one_pair(void **state)
{
    FILE *rows = *state;
    static const double e[] = {1.0, 0.5, 0.0}, mu[] = {0.0, 0.1, 5.0};
    double worst[2] = {0.0, 0.0};
    for (int k = 0; k < 9; ++k) {
        char sets[100];
        double before[2];
        double after[2];
        double impulse[2];
        double lost[2];
        brn_report r = {0};
        (void)snprintf(sets, sizeof sets, "contact.restitution=%g;contact.friction=%g", e[k % 3], mu[k / 3]);
        flow f = flow_open(1, CORNER, sets);
        assert_int_equal(flow_nodes(&f), NODES);
        low_momentum(&f, before);
        do {
            assert_false(brn_sim_done(f.sim));
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            low_momentum(&f, after);
        } while (!(after[1] < before[1] - 1e-6));
        closed_form(&f, e[k % 3], mu[k / 3], impulse, lost);
        const double size = hypot(impulse[0], impulse[1]);
        worst[0] = fmax(worst[0], hypot(after[0] - impulse[0], after[1] - impulse[1]) / size);
        /* The projection has deformed what was not: 2 W is what its forces f . dx are, strains of 1e-3 aside. */
        const double dissipated = fmax(0.0, lost[0] - 2.0 * r.elastic) + lost[1];
        worst[1] = fmax(worst[1], fabs(r.dissipated - dissipated) - 0.01 * (lost[0] > 0.0 ? r.elastic : 0.0));
        assert_true(r.elastic < 0.01 * r.kinetic);
        assert_int_equal(r.contacts, 1);
        assert_true(r.gap_min > 0.0 && r.intersections == 0);
        flow_close(&f);
    }
    validation_row(rows, "jump of one pair, relative error of its impulse", 0.0, worst[0], worst[0],
                   "restitution 0, 0.5, 1, friction 0, 0.1, 5");
    validation_row(rows, "the same, energy that it loses [J]", 0.0, worst[1], fmax(0.0, worst[1]),
                   "of 0.35 J; 1 % of what the projection stores aside");
    /* The normal leads over the clearance, 5e-5 of a side: places rounded to 1e-16 turn it by 2e-12. */
    assert_true(worst[0] < 2e-11 && worst[1] < 2e-12);
}

/* ---- many pairs ------------------------------------------------------------------------------------------------------------------- */

/* Shells, tets and hexes fly into each other; states are at steps of the method. */
#define CROWD                                                                                              \
 HEAD "gravity: [0, 0, 0]\ntime: {step: 0.00390625, end: 0.5}\n"                                           \
      "materials: {m: {type: stvk, young: 2.0e4, poisson: 0.3, density: 1000}}\n"                          \
      "meshes:\n  cube: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: hex8}}\n"                 \
      "  ball: {sphere: {radius: 0.06, resolution: 0.05}}\n  sheet: {grid: {size: [0.3, 0.3], cells: [6, " \
      "6]}}\n"                                                                                             \
      "bodies:\n  - {name: cube, type: deformable, mesh: cube, material: m, position: [0, 0.02, 0.07], "   \
      "velocity: [0, 0, -0.4], angular_velocity: [1, 2, 3]}\n"                                             \
      "  - {name: ball, type: deformable, mesh: ball, material: m, position: [0.02, 0, -0.08], velocity: " \
      "[0, 0, 0.5]}\n"                                                                                     \
      "  - {name: sheet, type: shell, mesh: sheet, material: m, thickness: 0.002}\ncontact: {friction: 0}\n"

/* With restitution 1 and no friction the jump takes nothing: p_norm and p_rest are orthogonal only where the problem of many pairs is solved. */
static void test_many_pairs(void **state)
{
    FILE *rows = *state;
    flow f = flow_open(1, CROWD, NULL);
    brn_report r = {0};
    double momentum = 0.0;
    double turn = 0.0;
    double residual = 0.0;
    double answered = 0.0;
    const double energy = 0.4; /* J, about */
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        momentum = fmax(momentum, r.momentum_error);
        turn = fmax(turn, r.angular_momentum_error);
        residual = fmax(residual, r.residual);
        answered += r.own[1];
        assert_int_equal(r.intersections, 0);
        assert_true(r.gap_min > 0.0);
    }
    assert_true(answered > 100.0);
    validation_row(rows, "momentum", 0.0, momentum, momentum, "shell, tets and hexes in contact");
    validation_row(rows, "angular momentum", 0.0, turn, turn, "lost where what slides is displaced");
    validation_row(rows, "approach that jumps leave", 0.0, residual, residual, "of the fastest before");
    validation_row(rows, "energy taken by jumps, restitution 1 [J]", 0.0, r.dissipated, fabs(r.dissipated),
                   "");
    validation_row(rows, "energy lost in all", NAN, r.energy_error, NAN, "of the initial one");
    assert_true(momentum < 1e-12 && residual < 1e-11);
    assert_true(fabs(r.dissipated) < 1e-10 * energy);
    assert_true(turn < 1e-2);
    flow_close(&f);
}

static void run_to(flow *f, double end, double *x, size_t count)
{
    brn_report r;
    while (brn_sim_time(f->sim) < end * (1.0 - 1e-9)) {
        assert_done(f->ctx, brn_sim_step(f->sim, &r));
    }
    memcpy(x, brn_sim_positions(f->sim), count * sizeof *x);
}

/* Threads, how often states are written, a checkpoint between two steps: not a bit changes. */
static void test_same_bits(void **state)
{
    (void)state;
    static const char *const sets[] = {"contact.friction=0.3", "contact.friction=0.3;time.step=0.001953125",
                                       "contact.friction=0.3;time.step=0.015625"};
    enum { MOST = 3 * 400 };
    static double x[3][MOST];
    size_t count = 0;
    for (int k = 0; k < 3; ++k) {
        flow f = flow_open(k == 1 ? 2 : k == 2 ? 3 : 1, CROWD, sets[k]);
        count = 3 * (size_t)flow_nodes(&f);
        assert_true(count <= MOST);
        run_to(&f, 0.1875, x[k], count);
        flow_close(&f);
        assert_memory_equal(x[k], x[0], count * sizeof *x[0]);
    }
    flow f = flow_open(1, CROWD, "time.step=0.003");
    run_to(&f, 0.06, x[1], count);
    assert_done(f.ctx, brn_sim_save(f.sim, "acm-dcr-checkpoint.h5"));
    run_to(&f, 0.15, x[1], count);
    const uint64_t hash = brn_sim_hash(f.sim);
    assert_done(f.ctx, brn_sim_load(f.sim, "acm-dcr-checkpoint.h5"));
    run_to(&f, 0.15, x[2], count);
    assert_memory_equal(x[1], x[2], count * sizeof *x[1]);
    assert_int_equal(hash, brn_sim_hash(f.sim));
    (void)remove("acm-dcr-checkpoint.h5");
    flow_close(&f);
}

/* A block falls on a table that rises, and one on a fixed slope slides: holds take what the jumps give, with and without friction. */
static void test_holds(void **state)
{
    FILE *rows = *state;
    static const char *const sets[] = {
        "contact.friction=0;contact.restitution=1", "contact.friction=0.3;contact.restitution=0.2",
        "contact.friction=0.3;contact.restitution=0;bodies[1].rotation=[{axis: "
        "[0, 1, 0], degrees: 20}];bodies[0].rotation=[{axis: [0, 1, 0], "
        "degrees: 20}];bodies[0].position=[0.01231, 0, 0.03383]"};
    double worst[4] = {0};
    for (int k = 0; k < BRN_COUNT(sets); ++k) {
        flow f = flow_open(
            1,
            HEAD "time: {step: 0.00390625, end: 0.5}\n"
                 "materials: {m: {type: stvk, young: 1.0e5, poisson: 0.3, density: 1000}}\n"
                 "meshes: {cube: {box: {size: [0.1, 0.1, 0.05], cells: [3, 3, 2], element: hex8}}}\n"
                 "bodies:\n  - {name: cube, type: deformable, mesh: cube, material: m, position: [0, 0, "
                 "0.036], velocity: [0.2, 0.1, 0]}\n"
                 "  - {name: table, type: static, shape: {box: {size: [1, 1, 0.02]}}, motion: {velocity: "
                 "[0, 0, 0.05]}}\n",
            sets[k]);
        brn_report r = {0};
        double answered = 0.0;
        while (!brn_sim_done(f.sim)) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            worst[0] = fmax(worst[0], r.momentum_error);
            worst[1] = fmax(worst[1], r.angular_momentum_error);
            worst[2] = fmax(worst[2], r.energy_error);
            worst[3] = fmax(worst[3], -r.energy_error);
            answered += r.own[1];
            assert_int_equal(r.intersections, 0);
        }
        assert_true(answered > 100.0);
        flow_close(&f);
    }
    validation_row(rows, "momentum, with what moving and fixed obstacles give", 0.0, worst[0], worst[0], "");
    validation_row(rows, "angular momentum, the same", 0.0, worst[1], worst[1], "");
    validation_row(rows, "energy from nowhere, the same", 0.0, worst[2], worst[2], "of the largest");
    assert_true(worst[0] < 1e-12);
    assert_true(worst[1] < 1e-2 && worst[2] < 5e-3);
    assert_true(
        worst[3] <
        0.1); /* 4 % with restitution 1: what jumps and friction take is booked, the rest is the method's */
}

/* ---- beside layers ---------------------------------------------------------------------------------------------------------------- */

/* The gallery's sphere-plate with a sixteenth of its vertices; slow_sphere_plate.c has all of them. */
static void test_small_sphere_plate(void **state)
{
    FILE *rows = *state;
    drift d[2];
    for (int k = 0; k < 2; ++k) {
        flow f = {.ctx = test_ctx(1)};
        assert_done(f.ctx, brn_scene_load(f.ctx, BRN_SOURCE_DIR "/scenes/sphere-plate/scene.yaml", &f.scene));
        assert_done(f.ctx, brn_scene_set(f.scene, "meshes.sphere.icosphere.subdivisions=2"));
        assert_done(f.ctx, brn_scene_set(f.scene, "meshes.plate.disc.resolution=0.058"));
        assert_done(f.ctx, brn_scene_set(f.scene, k == 0 ? "time.end=4e-3" : "time.end=1e-3"));
        assert_done(f.ctx, brn_scene_set(f.scene, k == 0 ? "method.response=layers" : "method.response=dcr"));
        assert_done(f.ctx, brn_model_compile(f.ctx, f.scene, &f.model));
        assert_done(f.ctx, brn_sim_create(f.ctx, f.model, &f.sim));
        d[k] = drift_measure(&f);
        flow_close(&f);
        assert_true(d[k].contacts > 10);
        assert_true(d[k].momentum < 1e-12);
    }
    validation_row(rows, "small sphere on plate, layers: slope of the energy", 0.0, d[0].slope,
                   fabs(d[0].slope), "of the initial one, over 4 ms");
    validation_row(rows, "the same: swing about it", NAN, d[0].swing, NAN, "from peak to peak");
    validation_row(rows, "small sphere on plate, dcr: energy after 1 ms", NAN, d[1].end, NAN, "");
    assert_true(fabs(d[0].slope) < d[0].swing);
    assert_true(d[0].intersections == 0 && d[0].gap > 0.0);
    assert_true(d[1].end < -5.0 * d[0].swing); /* 3.8e-3 of 4.7e-4 */
}

static int open_rows(void **state)
{
    *state = validation_open(
        "acm_dcr", "Decomposition contact response (`acm`, `response: dcr`)",
        "The baseline of `acm`. The jump of one pair against its closed form, the books of "
        "many (to rounding; angular momentum is not "
        "kept), and the energy of the gallery's sphere on a plate with a sixteenth of its vertices, "
        "beside that of layers: their slope is less than their swing.");
    return 0;
}

static int close_rows(void **state)
{
    validation_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_pair),           cmocka_unit_test(test_many_pairs),
        cmocka_unit_test(test_same_bits),          cmocka_unit_test(test_holds),
        cmocka_unit_test(test_small_sphere_plate),
    };
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
