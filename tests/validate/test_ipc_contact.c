/* Method ipc against what is known exactly: sliding and sticking by Coulomb's law, and an impact between free bodies. */
#include "flow.h"
#include "validate/rows.h"

#include "step/sim.h"

static const char slope[] =
    "brunt: 1\ntime: {step: 0.01, end: 1}\n"
    "method: {type: ipc, dhat: 1e-3, kappa: 2e4, friction_speed: 1e-5, tolerance: 1e-8}\n"
    "materials: {a: {type: neo_hookean, young: 1e7, poisson: 0.3, density: 1000}}\n"
    "meshes:\n  block: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}\n"
    "  plate: {box: {size: [8, 0.4, 0.02], cells: [1, 1, 1], element: hex8}}\n"
    "bodies:\n  - {name: block, type: deformable, mesh: block, material: a, position: [0, 0, 0.06092]}\n"
    "  - {name: plate, type: static, mesh: plate}\n"
    "contact: {friction: 0.5, self: false}\n";

/* Mean velocity and way of the block along x. */
static void block_motion(const flow *f, double *v, double *way)
{
    const brn_body *block = &f->model->body[0];
    *v = 0.0;
    *way = 0.0;
    for (int a = block->node_first; a < block->node_first + block->node_count; ++a) {
        *v += brn_sim_velocities(f->sim)[3 * a] / block->node_count;
        *way += (brn_sim_positions(f->sim)[3 * a] - f->model->rest[a][0]) / block->node_count;
    }
}

static void step_clean(flow *f)
{
    brn_report r;
    assert_done(f->ctx, brn_sim_step(f->sim, &r));
    assert_int_equal(r.intersections, 0);
    assert_int_equal(r.inversions, 0);
    assert_true(r.gap_min > 0.0);
}

/* A slope of tan 0.5 is a flat plate under a turned gravity. */
static const char turned[] = "gravity=[4.387165371854576, 0, -8.774330743709153];contact.friction=%g";

static void test_slope(void **state)
{
    (void)state;
    FILE *rows = validation_open(
        "ipc_contact", "Method ipc: friction and impact",
        "A stiff block (E = 10 MPa, 0.1 m) on a plate, implicit Euler, h = 0.01 s, dhat = 1 mm, eps_v = 1e-5 "
        "m/s, one "
        "friction lag. *slope*: tan 0.5; sliding at g (sin - mu cos), measured between 0.4 and 1 s, after "
        "the block has "
        "settled; sticking is a speed below eps_v. So the threshold, mu = 0.5, is met within 1 %. *stop*: "
        "thrown at 1 m/s on the level with mu "
        "0.3, within 1 % "
        "of v^2/(2 mu g) and v/(mu g). *impact*: two free cubes, 1 m/s each, no gravity, no friction.");
    static const double mus[] = {0.3, 0.45, 0.495};
    for (int i = 0; i < 3; ++i) {
        char sets[200];
        double v[2] = {0};
        double way = 0.0;
        (void)snprintf(sets, sizeof sets, turned, mus[i]);
        flow f = flow_open(2, slope, sets);
        for (int n = 1; n <= 100; ++n) {
            step_clean(&f);
            if (n == 40 || n == 100) {
                block_motion(&f, &v[n == 100], &way);
            }
        }
        const double exact = 4.387165371854576 - mus[i] * 8.774330743709153;
        const double measured = (v[1] - v[0]) / 0.6;
        char name[80];
        (void)snprintf(name, sizeof name, "slope, mu %g: acceleration", mus[i]);
        validation_row(rows, name, exact, measured, fabs(measured / exact - 1.0), "m/s^2, error relative");
        assert_near(measured, exact, 0.01 * exact);
        flow_close(&f);
    }
    char sets[200];
    double v = 0.0;
    double way = 0.0;
    (void)snprintf(sets, sizeof sets, turned, 0.505);
    flow f = flow_open(2, slope, sets);
    for (int n = 1; n <= 100; ++n) {
        step_clean(&f);
    }
    block_motion(&f, &v, &way);
    validation_row(rows, "slope, mu 0.505: speed after 1 s", 0.0, fabs(v), fabs(v), "m/s, sticks below 1e-5");
    assert_true(fabs(v) < 1e-5);
    flow_close(&f);

    f = flow_open(2, slope, "contact.friction=0.3;bodies.block.velocity=[1, 0, 0];time.step=0.002");
    double stopped = NAN;
    while (!brn_sim_done(f.sim)) {
        step_clean(&f);
        block_motion(&f, &v, &way);
        stopped = isnan(stopped) && v < 1e-4 ? brn_sim_time(f.sim) : stopped;
    }
    validation_row(rows, "stop: distance", 0.169894665, way, fabs(way / 0.169894665 - 1.0),
                   "m, error relative");
    validation_row(rows, "stop: time", 0.339789331, stopped, fabs(stopped / 0.339789331 - 1.0),
                   "s, error relative");
    assert_near(way, 0.169894665, 0.01 * 0.169894665);
    assert_near(stopped, 0.339789331, 0.01 * 0.339789331);
    flow_close(&f);
    validation_close(rows);
}

static const char impact[] =
    "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: 0.002, end: 0.3}\n"
    "method: {type: ipc, dhat: 1e-3, tolerance: 1e-9}\n"
    "materials: {a: {type: neo_hookean, young: 1e6, poisson: 0.4, density: 1000}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [3, 3, 3], element: tet4}}}\n"
    "bodies:\n  - {name: a, type: deformable, mesh: m, material: a, velocity: [1, 0, 0]}\n"
    "  - {name: b, type: deformable, mesh: m, material: a, position: [0.15, 0.02, 0.03], velocity: [-1, 0, "
    "0],\n"
    "     rotation: {axis: [1, 2, 3], degrees: 40}}\n";

/* Free bodies that collide: momentum is kept, implicit Euler's energy never rises (kappa is fixed). */
static void test_impact(void **state)
{
    (void)state;
    flow f = flow_open(2, impact, NULL);
    double energy = INFINITY;
    double first = NAN;
    double momentum = 0.0;
    int contacts = 0;
    while (!brn_sim_done(f.sim)) {
        brn_report r;
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_int_equal(r.intersections, 0);
        assert_int_equal(r.inversions, 0);
        const double total = r.kinetic + r.elastic + r.contact;
        first = isnan(first) ? total : first;
        assert_true(total <= energy + 1e-6 * first);
        energy = total;
        contacts = r.contacts > contacts ? r.contacts : contacts;
        momentum = fmax(momentum, r.momentum_error);
    }
    assert_true(contacts > 0);
    assert_true(momentum < 1e-8);
    assert_true(energy < 0.9 * first); /* an impact at this step dissipates */
    flow_close(&f);
}

/* The gallery's block at the limit: with friction 0.5 no faster than eps_v at any time, with 0.49 it goes by Coulomb's law. */
static void check_gallery_slope(FILE *rows, const char *friction, double mu)
{
    const double eps_v = 1e-5;
    const double angle = 26.565 * acos(-1.0) / 180.0;
    flow f = {.ctx = test_ctx(1)};
    assert_done(f.ctx, brn_scene_load(f.ctx, BRN_SOURCE_DIR "/scenes/block-on-slope/scene.yaml", &f.scene));
    assert_done(f.ctx, brn_scene_set(f.scene, friction));
    assert_done(f.ctx, brn_model_compile(f.ctx, f.scene, &f.model));
    assert_done(f.ctx, brn_sim_create(f.ctx, f.model, &f.sim));
    double fastest = 0.0;
    double v[2] = {0};
    double way = 0.0;
    for (int n = 1; n <= 300; ++n) {
        step_clean(&f);
        block_motion(&f, &v[1], &way);
        v[0] = n == 260 ? v[1] : v[0];
        fastest = fmax(fastest, fabs(v[1]));
    }
    if (mu >= 0.5) {
        validation_row(rows, "tilted table, mu 0.5: largest speed / eps_v", 1.0, fastest / eps_v, NAN,
                       "at most 1");
        assert_true(fastest <= eps_v);
    } else {
        const double exact = 9.81 * (sin(angle) - mu * cos(angle));
        const double measured = (v[1] - v[0]) / 0.4;
        validation_row(rows, "tilted table, mu 0.49: acceleration", exact, measured,
                       fabs(measured / exact - 1.0), "m/s^2, error relative");
        assert_near(measured, exact, 0.01 * exact);
    }
    flow_close(&f);
}

static void test_gallery_slope(void **state)
{
    (void)state;
    FILE *rows = validation_open("ipc_slope", "Method ipc: the limit of sticking",
                                 "Scene `block-on-slope`: a block on a table that is tilted to tan 0.5. With "
                                 "friction 0.5 it is never faster than eps_v; with 0.49 it accelerates by "
                                 "Coulomb's law, within 1 %.");
    check_gallery_slope(rows, "contact.friction=0.5", 0.5);
    check_gallery_slope(rows, "contact.friction=0.49", 0.49);
    validation_close(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slope),
        cmocka_unit_test(test_impact),
        cmocka_unit_test(test_gallery_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
