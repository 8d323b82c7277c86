/* Method ipc and the conservation laws: what contact between free bodies, bounces and sticking do to momentum and energy.

   A barrier acts along the line between the closest points with opposite forces, so that linear and angular momentum are
   kept by the forces themselves; what is left is the integrator's own error in angular momentum, h or h^2. Friction acts
   across that line, at points that are a gap d < dhat apart: a pair of opposite forces F with the torque d F, which no
   step removes and which vanishes with dhat. */
#include "flow.h"
#include "validate/rows.h"

#include "step/sim.h"

enum { STEPS = 4, SIZES = 3 };

static const char *const integrators[] = {"implicit_euler", "bdf2", "newmark"};

/* Two soft squares or cubes that meet out of line; the contact lasts some 0.07 s. */
static const char plane[] =
    "brunt: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: 1e-3, end: 0.16}\n"
    "method: {type: ipc, dhat: 8e-3, kappa: 2e3, friction_speed: 1e-2, tolerance: 1e-9}\n"
    "materials: {a: {type: neo_hookean, young: 2e4, poisson: 0.3, density: 1000}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1], cells: [3, 3], element: tri3}}}\n"
    "bodies:\n  - {name: a, type: deformable, mesh: m, material: a, velocity: [0.5, 0]}\n"
    "  - {name: b, type: deformable, mesh: m, material: a, position: [0.12, 0.04], velocity: [-0.5, 0],\n"
    "     rotation: {degrees: 10}}\n";

static const char space[] =
    "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: 1e-3, end: 0.16}\n"
    "method: {type: ipc, dhat: 8e-3, kappa: 2e3, friction_speed: 1e-2, tolerance: 1e-9}\n"
    "materials: {a: {type: neo_hookean, young: 2e4, poisson: 0.3, density: 1000}}\n"
    "meshes: {m: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}}\n"
    "bodies:\n  - {name: a, type: deformable, mesh: m, material: a, velocity: [0.5, 0, 0]}\n"
    "  - {name: b, type: deformable, mesh: m, material: a, position: [0.13, 0.04, 0.03], velocity: [-0.5, 0, "
    "0],\n     rotation: {axis: [1, 2, 3], degrees: 20}}\n";

static brn_report step_clean(flow *f)
{
    brn_report r;
    assert_done(f->ctx, brn_sim_step(f->sim, &r));
    assert_int_equal(r.intersections, 0);
    assert_int_equal(r.inversions, 0);
    assert_true(r.gap_min > 0.0);
    return r;
}

static double energy(const brn_report *r)
{
    return r->kinetic + r->elastic + r->gravity + r->contact;
}

static double distance(const double a[3], const double b[3])
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

typedef struct collision {
    double linear;  /* largest change of linear momentum, of one body's momentum */
    double angular; /* largest error of angular momentum beside the torque of friction, relative */
    double drift;   /* largest change of angular momentum, of the initial one */
    double rise;    /* largest rise of energy in a step, of the initial one */
    int contacts;   /* steps with any */
} collision;

static collision collide(const char *text, const char *sets)
{
    flow f = flow_open(1, text, sets);
    static const double zero[3] = {0};
    collision c = {0};
    brn_report start;
    assert_done(f.ctx, brn_sim_report(f.sim, &start));
    const double body = 0.5 * f.model->body[0].volume * 1000.0; /* [kg m/s] */
    double last = energy(&start);
    while (!brn_sim_done(f.sim)) {
        const brn_report r = step_clean(&f);
        c.linear = fmax(c.linear, distance(r.momentum, start.momentum) / body);
        c.angular = fmax(c.angular, r.angular_momentum_error);
        c.drift = fmax(c.drift, distance(r.angular_momentum, start.angular_momentum) /
                                    distance(start.angular_momentum, zero));
        c.rise = fmax(c.rise, (energy(&r) - last) / energy(&start));
        last = energy(&r);
        c.contacts += r.contacts > 0;
    }
    flow_close(&f);
    return c;
}

/* Slope of log e over log h by least squares, h halved from one to the next. */
static double order(const double *e, int n)
{
    double sum = 0.0;
    double weight = 0.0;
    for (int i = 0; i < n; ++i) {
        const double x = i - 0.5 * (n - 1);
        sum -= x * log2(e[i]);
        weight += x * x;
    }
    return sum / weight;
}

static void check_collision(const collision *c, bool euler)
{
    /* rounding of 160 to 1280 steps: 1e-15 each; the forces of a pair are opposite to the last bit or nearly so */
    assert_true(c->linear < 1e-8);
    assert_true(c->contacts > 5);
    /* implicit Euler dissipates whatever is a potential; measured: rounding, 1e-15 */
    assert_true(!euler || c->rise < 1e-6);
}

/* The first steps of a halving where orders show: implicit Euler's damping of the vibrations must be small. */
static double longest_step(int dim)
{
    return dim == 2 ? 2.5e-4 : 2e-3;
}

static void test_order(void **state)
{
    FILE *rows = *state;
    static const double theory[] = {1.0, 2.0, 1.0}; /* Newmark's contact is implicit */
    for (int k = 0; k < 12; ++k) {
        const int dim = 2 + k / 6;
        const double mu = k / 3 % 2 * 0.3;
        const char *integrator = integrators[k % 3];
        double e[STEPS] = {0};
        double linear = 0.0;
        double rise = 0.0;
        for (int n = 0; n < STEPS; ++n) {
            char sets[200];
            (void)snprintf(sets, sizeof sets, "integrator=%s;time.step=%g;contact.friction=%g", integrator,
                           ldexp(longest_step(dim), -n), mu);
            const collision c = collide(dim == 2 ? plane : space, sets);
            check_collision(&c, k % 3 == 0);
            e[n] = c.angular;
            linear = fmax(linear, c.linear);
            rise = fmax(rise, c.rise);
        }
        char name[120];
        (void)snprintf(name, sizeof name, "%dD, mu %g, %s: linear momentum", dim, mu, integrator);
        validation_row(rows, name, 0.0, linear, linear, "of one body's");
        (void)snprintf(name, sizeof name, "%dD, mu %g, %s: angular momentum, h = %g s", dim, mu, integrator,
                       ldexp(longest_step(dim), 1 - STEPS));
        validation_row(rows, name, 0.0, e[STEPS - 1], e[STEPS - 1], "relative");
        (void)snprintf(name, sizeof name, "%dD, mu %g, %s: its order in h", dim, mu, integrator);
        const double slope = order(e, STEPS);
        validation_row(rows, name, theory[k % 3], slope, fabs(slope - theory[k % 3]), "");
        assert_near(slope, theory[k % 3],
                    0.3); /* measured within 0.17: the coarsest step is not yet in the limit */
        if (k % 3 == 0) {
            (void)snprintf(name, sizeof name, "%dD, mu %g, %s: largest rise of energy", dim, mu, integrator);
            validation_row(rows, name, 0.0, rise, rise, "in a step, of the initial one");
        }
    }
}

/* The torque of friction across the gap: independent of the step, vanishing with dhat. */
static void test_friction_torque(void **state)
{
    FILE *rows = *state;
    for (int dim = 2; dim <= 3; ++dim) {
        double drift[SIZES] = {0};
        for (int n = 0; n < SIZES; ++n) {
            char sets[200];
            (void)snprintf(sets, sizeof sets,
                           "integrator=newmark;time.step=2.5e-4;contact.friction=0.3;method.dhat=%g",
                           ldexp(8e-3, -n));
            drift[n] = collide(dim == 2 ? plane : space, sets).drift;
            char name[120];
            (void)snprintf(name, sizeof name, "%dD, mu 0.3, newmark, dhat = %g m: change of angular momentum",
                           dim, ldexp(8e-3, -n));
            validation_row(rows, name, 0.0, drift[n], drift[n], "of the initial one");
        }
        char name[120];
        (void)snprintf(name, sizeof name, "%dD, mu 0.3: its order in dhat", dim);
        const double slope = order(drift, SIZES);
        validation_row(rows, name, 1.0, slope, NAN, "at least");
        assert_true(slope > 0.9);
    }
}

/* ---- a ball that bounces -------------------------------------------------------------------------------------------- */

static const char disc[] =
    "brunt: 1\ndimension: 2\ntime: {step: 1e-3, end: 0.3}\nintegrator: newmark\n"
    "method: {type: ipc, dhat: 4e-3, kappa: 1e4, tolerance: 1e-9}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}}\n"
    "meshes:\n  ball: {disc: {radius: 0.05, resolution: 0.02, element: tri3}}\n"
    "  plate: {box: {size: [0.4, 0.02], cells: [2, 1], element: tri3}}\n"
    "bodies:\n  - {name: ball, type: deformable, mesh: ball, material: a, position: [0, 0.1]}\n"
    "  - {name: plate, type: static, mesh: plate}\n";

static const char ball[] =
    "brunt: 1\ntime: {step: 1e-3, end: 0.3}\nintegrator: newmark\n"
    "method: {type: ipc, dhat: 4e-3, kappa: 1e4, tolerance: 1e-9}\n"
    "materials: {a: {type: neo_hookean, young: 1e5, poisson: 0.3, density: 1000}}\n"
    "meshes:\n  ball: {sphere: {radius: 0.05, resolution: 0.03, element: tet4}}\n"
    "  plate: {box: {size: [0.4, 0.4, 0.02], cells: [2, 2, 1], element: hex8}}\n"
    "bodies:\n  - {name: ball, type: deformable, mesh: ball, material: a, position: [0, 0, 0.1]}\n"
    "  - {name: plate, type: static, mesh: plate}\n";

/* Largest change of energy, of the largest kinetic energy. */
static double bounce(int dim, double h)
{
    char sets[80];
    (void)snprintf(sets, sizeof sets, "time.step=%g", h);
    flow f = flow_open(1, dim == 2 ? disc : ball, sets);
    brn_report start;
    double change = 0.0;
    double kinetic = 0.0;
    int contacts = 0;
    assert_done(f.ctx, brn_sim_report(f.sim, &start));
    while (!brn_sim_done(f.sim)) {
        const brn_report r = step_clean(&f);
        change = fmax(change, fabs(energy(&r) - energy(&start)));
        kinetic = fmax(kinetic, r.kinetic);
        contacts += r.contacts > 0;
    }
    assert_true(contacts > 5);
    flow_close(&f);
    return change / kinetic;
}

static void test_bounce(void **state)
{
    FILE *rows = *state;
    for (int dim = 2; dim <= 3; ++dim) {
        double change[STEPS] = {0};
        char name[120];
        for (int n = 0; n < STEPS; ++n) {
            const double h = ldexp(2e-3, -n);
            change[n] = bounce(dim, h);
            (void)snprintf(name, sizeof name, "bounce, %dD, h = %g s: change of energy", dim, h);
            validation_row(rows, name, 0.0, change[n], change[n], "of the largest kinetic energy");
        }
        (void)snprintf(name, sizeof name, "bounce, %dD: its order in h", dim);
        const double slope = order(change, STEPS);
        validation_row(rows, name, 1.0, slope, fabs(slope - 1.0), "");
        /* measured 0.17 and 0.025 at the ends, order 0.93 */
        assert_true(change[0] < 0.3 && change[STEPS - 1] < 0.05);
        assert_near(slope, 1.0, 0.3);
    }
}

/* ---- sticking ------------------------------------------------------------------------------------------------------- */

/* A slope of tan 0.5 is a level plate under a turned gravity. */
static const char slope_plane[] =
    "brunt: 1\ndimension: 2\ngravity: [4.387165371854576, -8.774330743709153]\ntime: {step: 0.01, end: 1}\n"
    "method: {type: ipc, dhat: 1e-3, kappa: 2e4, tolerance: 1e-9}\n"
    "materials: {a: {type: neo_hookean, young: 1e7, poisson: 0.3, density: 1000}}\n"
    "meshes:\n  block: {box: {size: [0.1, 0.1], cells: [4, 4], element: tri3}}\n"
    "  plate: {box: {size: [8, 0.02], cells: [1, 1], element: tri3}}\n"
    "bodies:\n  - {name: block, type: deformable, mesh: block, material: a, position: [0, 0.06092]}\n"
    "  - {name: plate, type: static, mesh: plate}\n"
    "contact: {friction: 0.6, self: false}\n";

static const char slope_space[] =
    "brunt: 1\ngravity: [4.387165371854576, 0, -8.774330743709153]\ntime: {step: 0.01, end: 1}\n"
    "method: {type: ipc, dhat: 1e-3, kappa: 2e4, tolerance: 1e-9}\n"
    "materials: {a: {type: neo_hookean, young: 1e7, poisson: 0.3, density: 1000}}\n"
    "meshes:\n  block: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2], element: tet4}}\n"
    "  plate: {box: {size: [8, 0.4, 0.02], cells: [1, 1, 1], element: hex8}}\n"
    "bodies:\n  - {name: block, type: deformable, mesh: block, material: a, position: [0, 0, 0.06092]}\n"
    "  - {name: plate, type: static, mesh: plate}\n"
    "contact: {friction: 0.6, self: false}\n";

static void test_creep(void **state)
{
    FILE *rows = *state;
    /* mu f1(v/eps_v) = tan, f1(y) = 2 y - y^2 */
    const double exact = 1.0 - sqrt(1.0 - 0.5 / 0.6);
    for (int k = 0; k < 6; ++k) {
        const int dim = 2 + k / 3;
        const double speed = pow(10.0, -3 - k % 3);
        char sets[80];
        char name[120];
        (void)snprintf(sets, sizeof sets, "method.friction_speed=%g", speed);
        flow f = flow_open(1, dim == 2 ? slope_plane : slope_space, sets);
        while (!brn_sim_done(f.sim)) {
            (void)step_clean(&f);
        }
        double v = 0.0;
        for (int a = 0; a < f.model->body[0].node_count; ++a) {
            v += brn_sim_velocities(f.sim)[3 * a] / f.model->body[0].node_count;
        }
        (void)snprintf(name, sizeof name, "creep, %dD, eps_v = %g m/s", dim, speed);
        validation_row(rows, name, exact * speed, v, fabs(v / (exact * speed) - 1.0), "m/s, error relative");
        assert_near(v, exact * speed, 0.01 * exact * speed); /* measured 0.6 %: the block still settles */
        flow_close(&f);
    }
}

static int open_rows(void **state)
{
    *state = validation_open(
        "ipc_momentum", "Method ipc: momentum, energy and creep",
        "*2D*, *3D*: two soft free bodies (E = 20 kPa, 0.1 m, 0.5 m/s each) meet out of line, no gravity, "
        "fixed kappa = 2 "
        "kPa, dhat = 8 mm. Linear momentum is kept to rounding (tolerance 1e-8). The error of angular "
        "momentum beside the torque of friction is the "
        "integrator's; its order in h, by least squares over four halvings, must be within 0.3 of theory. "
        "Friction acts at "
        "two points that are a gap apart, so that its two forces have a torque: angular momentum changes by "
        "an amount "
        "that does not depend on h and vanishes at least in proportion to dhat. Implicit Euler's energy "
        "must not rise by 1e-6 of the initial one in any step. *bounce*: a soft ball falls 40 mm on a plate, "
        "Newmark. "
        "Over a step the kinetic energy changes by the mean of the forces at both ends times the way, so "
        "that energy is "
        "kept as well as the trapezoidal rule follows the barrier's force: the error is of second order and "
        "is a loss; "
        "tolerance 0.05 at 2 ms, 0.002 at 0.25 ms. *creep*: a block "
        "on a slope of tan 0.5 with mu 0.6 sticks, which for the smoothed law is a speed of (1 - sqrt(1 - "
        "0.5/0.6)) eps_v, "
        "within 1 %.");
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
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_friction_torque),
        cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_creep),
    };
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
