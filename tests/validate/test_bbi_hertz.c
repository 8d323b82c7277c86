/* Method `bbi` and no settings: elastic balls from 1 mm to 1 m, from jelly to steel, pressed onto a plane and thrown at it, against Hertz. Errors fall with the
   mesh and the step. */
#include "validate/hertz.h"

#include "draw.h"

typedef struct ball {
    double radius, young, density;
} ball;

static ball draw_ball(int seed)
{
    static const double densities[] = {1000.0, 1200.0, 7800.0};
    brn_rng rng = {(uint64_t)seed};
    ball out;
    out.radius = pick_decade(&rng, -3.0, 0.0);
    out.young = pick_decade(&rng, 5.0, 11.3);
    out.density = densities[pick_one(&rng, 3)];
    return out;
}

static double modulus_of(const ball *b)
{
    return b->young / (1.0 - hertz_poisson * hertz_poisson);
}

/* [N] of a half-space. */
static double force_of(const ball *b, double delta)
{
    return 4.0 / 3.0 * modulus_of(b) * sqrt(b->radius) * delta * sqrt(delta);
}

/* Force over that of a ball between two plates (validate/hertz.h) in one static step; cells along the contact radius. */
static double press(const ball *b, double delta, int cells)
{
    char text[1500];
    const double core = sqrt(b->radius * delta);
    (void)snprintf(
        text, sizeof text,
        "brunt: 1\ngravity: [0, 0, 0]\nintegrator: static\nmethod: bbi\ntime: {step: 1, end: 1}\n"
        "materials: {m: {type: linear, young: %.9g, poisson: %g, density: %g}}\n"
        "meshes: {b: {quarter_ball: {radius: %.12g, core: %.12g, cells: %d, element: hex8}}}\n"
        "bodies:\n  - {name: ball, type: deformable, mesh: b, material: m, position: [0, 0, %.12g]}\n"
        "  - {name: table, type: static, shape: {plane: {}}}\n"
        "contact: {friction: 0, self: false}\n"
        "fixed:\n  - {body: ball, where: {group: -x}, axes: x}\n  - {body: ball, where: {group: -y}, axes: "
        "y}\n  - {name: top, body: ball, where: {group: equator}, axes: z, motion: {table: [[0, 0, 0, 0], "
        "[1, "
        "0, 0, %.12g]]}}\n",
        b->young, hertz_poisson, b->density, b->radius, core, cells, b->radius, -delta);
    flow f = flow_open(1, text, NULL);
    assert_done(f.ctx, brn_sim_step(f.sim, NULL));
    const double force = -4.0 * brn_sim_contact_forces(f.sim)[3 * brn_model_find_body(f.model, "table") + 2];
    flow_close(&f);
    double factor = 1.0;
    for (int k = 0; k < 2; ++k) {
        factor = sphere_approach(sqrt(delta / factor / b->radius));
    }
    return force / force_of(b, delta / factor);
}

static void test_pressed(void **state)
{
    (void)state;
    for (int seed = 0; seed < 6; ++seed) {
        const ball b = draw_ball(seed);
        const double delta = b.radius * pow(10.0, -4.5 + 0.4 * seed);
        const double coarse = press(&b, delta, 3) - 1.0;
        const double fine = press(&b, delta, 6) - 1.0;
        print_message("R = %.2g m, E = %.2g Pa, %.1e R deep: force off by %+.4f and %+.4f\n", b.radius,
                      b.young, delta / b.radius, coarse, fine);
        assert_true(fabs(fine) < 0.01);
        assert_true(fabs(fine) < 0.5 * fabs(coarse));
    }
}

/* Errors of duration and largest force of an impact, relative to Hertz. */
typedef struct impact {
    double duration, force, speed;
} impact;

/* Cells within the largest contact radius; steps in the duration. */
static impact hit(const ball *b, double depth, double cells, double steps)
{
    char text[1500];
    const double volume = 4.0 / 3.0 * M_PI * b->radius * b->radius * b->radius;
    const double e = modulus_of(b);
    const double mass = b->density * volume;
    const double v = sqrt(16.0 / 15.0 * e * sqrt(b->radius) * pow(depth, 2.5) / mass);
    const double duration = 2.9432 * pow(mass * mass / (e * e * b->radius * v), 0.2);
    const double cell = sqrt(b->radius * depth) / cells;
    const double wide = fmin(8.0 * cell, 0.3 * b->radius);
    const double h = duration / steps;
    (void)snprintf(
        text, sizeof text,
        "brunt: 1\ngravity: [0, 0, 0]\nmethod: bbi\ntime: {step: %.12g, end: %.12g}\n"
        "materials: {m: {type: corotated, young: %.9g, poisson: %g, density: %g}}\n"
        "meshes: {b: {sphere: {radius: %.12g, resolution: %.12g, element: hex8, grading: {point: [0, 0, "
        "%.12g], ratio: %.6g}}}}\n"
        "bodies:\n  - {name: ball, type: deformable, mesh: b, material: m, position: [0, 0, %.12g], "
        "velocity: "
        "[0, 0, %.12g]}\n  - {name: table, type: static, shape: {plane: {}}}\n"
        "contact: {friction: 0, self: false}\n",
        h, ceil(1.3 * steps) * h, b->young, hertz_poisson, b->density, b->radius, wide, -b->radius,
        fmax(1.0, wide / cell), b->radius, -v);
    flow f = flow_open(1, text, NULL);
    const double share = f.model->body[0].mass / mass; /* facets cut some off */
    impact out = {0};
    while (!brn_sim_done(f.sim)) {
        brn_report r;
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        const double force = -brn_sim_contact_forces(f.sim)[3 * brn_model_find_body(f.model, "table") + 2];
        out.duration = force > 0.0 ? brn_sim_time(f.sim) : out.duration;
        out.force = fmax(out.force, force);
        out.speed = r.momentum[2] / (f.model->body[0].mass * v);
    }
    flow_close(&f);
    out.duration = out.duration / (duration * pow(share, 0.4)) - 1.0;
    out.force = out.force / (force_of(b, depth) * pow(share, 0.6)) - 1.0;
    return out;
}

/* 0.017 R deep, Hertz is 3 to 4 % too soft (see theory.md): that remains. */
static void test_hit(void **state)
{
    (void)state;
    for (int seed = 10; seed < 12; ++seed) {
        const ball b = draw_ball(seed);
        const impact coarse = hit(&b, 0.017 * b.radius, 2.0, 25.0);
        const impact fine = hit(&b, 0.017 * b.radius, 4.0, 50.0);
        print_message(
            "R = %.2g m, E = %.2g Pa: duration off by %+.3f and %+.3f, force by %+.3f and %+.3f, leaves "
            "with %.3f and %.3f\n",
            b.radius, b.young, coarse.duration, fine.duration, coarse.force, fine.force, coarse.speed,
            fine.speed);
        assert_true(fabs(fine.duration) < fmin(0.1, fabs(coarse.duration)));
        assert_true(fabs(fine.force) < fmin(0.12, fabs(coarse.force)));
        assert_near(fine.speed, 1.0, 0.05);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pressed), cmocka_unit_test(test_hit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
