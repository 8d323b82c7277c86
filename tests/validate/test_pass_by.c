/* Random bodies that rush past each other: a plane lies between them all the way, by how they are put and where they go, so that any force of contact
   would come from nowhere. From slow to a hundred sizes in a step, grazing or not, from 1 mm to 10 m, soft and stiff, by a motion or by themselves; with the
   methods that answer contact at points. */
#include "draw.h"
#include "flow.h"

#include "step/sim.h"

enum { SCENES = 150 };

typedef struct shape {
    int kind; /* box, box as a mesh, sphere, cylinder, capsule */
    double size[3];
    double axis[3], degrees;
} shape;

static void draw_unit(brn_rng *rng, double out[3])
{
    double square = 0.0;
    while (!(square > 1e-4 && square < 1.0)) {
        square = 0.0;
        for (int i = 0; i < 3; ++i) {
            out[i] = pick(rng, -1.0, 1.0);
            square += out[i] * out[i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        out[i] /= sqrt(square);
    }
}

/* Across a unit vector. */
static void draw_across(brn_rng *rng, const double n[3], double out[3])
{
    double along = 0.0;
    double square = 0.0;
    draw_unit(rng, out);
    for (int i = 0; i < 3; ++i) {
        along += n[i] * out[i];
    }
    for (int i = 0; i < 3; ++i) {
        out[i] -= along * n[i];
        square += out[i] * out[i];
    }
    for (int i = 0; i < 3; ++i) {
        out[i] /= sqrt(square);
    }
}

/* Rodrigues, backwards: n in the shape's own axes. */
static void turn_back(const shape *s, const double n[3], double out[3])
{
    const double a = -s->degrees * acos(-1.0) / 180.0;
    double dot = 0.0;
    for (int i = 0; i < 3; ++i) {
        dot += s->axis[i] * n[i];
    }
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        const double cross = s->axis[j] * n[k] - s->axis[k] * n[j];
        out[i] = n[i] * cos(a) + cross * sin(a) + s->axis[i] * dot * (1.0 - cos(a));
    }
}

/* How far the shape reaches along n. */
static double support(const shape *s, const double n[3])
{
    const double *p = s->size;
    double own[3];
    turn_back(s, n, own);
    switch (s->kind) {
    case 2:
        return p[0];
    case 3:
        return p[0] * hypot(own[0], own[1]) + 0.5 * p[1] * fabs(own[2]);
    case 4:
        return p[0] + 0.5 * p[1] * fabs(own[2]);
    default:
        return 0.5 * (p[0] * fabs(own[0]) + p[1] * fabs(own[1]) + p[2] * fabs(own[2]));
    }
}

static shape draw_shape(brn_rng *rng, int kind, double size, bool upright)
{
    shape s = {.kind = kind, .axis = {0.0, 0.0, 1.0}};
    for (int i = 0; i < 3; ++i) {
        s.size[i] = size * (kind < 2 ? pick(rng, 0.2, 1.0)
                            : i == 0 ? pick(rng, 0.1, 0.4)
                                     : pick(rng, 0.2, 1.0));
    }
    if (!upright) {
        draw_unit(rng, s.axis);
        s.degrees = pick(rng, 0.0, 180.0);
    }
    return s;
}

static void print_shape(FILE *to, const shape *s)
{
    static const char *const format[] = {"shape: {box: {size: [%.17g, %.17g, %.17g]}}", "mesh: other",
                                         "shape: {sphere: {radius: %.17g}}",
                                         "shape: {cylinder: {radius: %.17g, height: %.17g}}",
                                         "shape: {capsule: {radius: %.17g, height: %.17g}}"};
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    fprintf(to, format[s->kind], s->size[0], s->size[1], s->size[2]);
#pragma GCC diagnostic pop
    fprintf(to, ", rotation: {axis: [%.17g, %.17g, %.17g], degrees: %.17g}", s->axis[0], s->axis[1],
            s->axis[2], s->degrees);
}

static char *draw_pass(int number)
{
    static const char *const elements[] = {"hex8", "tet4", "tet10"};
    const double h = 1e-3;
    brn_rng rng = {77 + 7919 * (uint64_t)number};
    const double size = pick_decade(&rng, -3.0, 1.0);
    const double young = pick_decade(&rng, 4.0, 11.3);
    const bool upright = pick_one(&rng, 2) == 0;
    const int kind = pick_one(&rng, 4); /* the last is rigid */
    const shape cube = draw_shape(&rng, 0, size, upright);
    const shape other = draw_shape(&rng, pick_one(&rng, 5), size, upright);
    double n[3] = {0.0, 0.0, 1.0};
    double along[3];
    double aside[3];
    if (!upright) {
        draw_unit(&rng, n);
    }
    draw_across(&rng, n, along);
    draw_across(&rng, n, aside);
    const double gap = size * pick_decade(&rng, -6.0, -1.0);
    const double back[3] = {-n[0], -n[1], -n[2]};
    const double away = support(&cube, n) + support(&other, back) + gap;
    const double off = size * pick(&rng, -0.7, 0.7);
    const double climb = pick_one(&rng, 2) == 0 ? 0.0 : pick(&rng, 0.0, 1.5);
    const double way = size * pick_decade(&rng, -2.0, 2.0);
    const bool moved = pick_one(&rng, 2) == 0;
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    assert_non_null(to);
    fprintf(to,
            "brunt: 1\ntime: {step: %g, end: %g}\ngravity: [0, 0, 0]\ncontact: {friction: 0.5}\n"
            "materials: {a: {type: neo_hookean, young: %g, poisson: 0.3, density: 1000}}\nmeshes:\n",
            h, 4.0 * h, young);
    for (int m = 0; m < 2; ++m) {
        const double *s = m == 0 ? cube.size : other.size;
        fprintf(to, "  %s: {box: {size: [%.17g, %.17g, %.17g], cells: [%d, %d, %d], element: %s}}\n",
                m == 0 ? "cube" : "other", s[0], s[1], s[2], 1 + pick_one(&rng, 4), 1 + pick_one(&rng, 4),
                1 + pick_one(&rng, 4), elements[m == 0 ? kind % 3 : 0]);
    }
    fprintf(to, "bodies:\n  - {name: cube, %s, rotation: {axis: [%.17g, %.17g, %.17g], degrees: %.17g}}\n",
            kind == 3 ? "type: rigid, density: 1000, mesh: cube"
                      : "type: deformable, material: a, mesh: cube",
            cube.axis[0], cube.axis[1], cube.axis[2], cube.degrees);
    fprintf(to, "  - {name: other, %s, ", moved ? "type: static" : "type: rigid, density: 1000");
    print_shape(to, &other);
    double place[3];
    double go[3];
    for (int i = 0; i < 3; ++i) {
        place[i] = away * n[i] + off * aside[i];
        go[i] = way * (cos(climb) * along[i] + sin(climb) * n[i]);
    }
    fprintf(to, ", position: [%.17g, %.17g, %.17g], ", place[0], place[1], place[2]);
    if (moved) {
        fprintf(to, "motion: {table: [[0, 0, 0, 0], [%g, 0, 0, 0], [%g, %.17g, %.17g, %.17g]]}}\n", 2.0 * h,
                3.0 * h, go[0], go[1], go[2]);
    } else {
        fprintf(to, "velocity: [%.17g, %.17g, %.17g]}\n", go[0] / h, go[1] / h, go[2] / h);
    }
    fclose(to);
    return text;
}

static void sweep(const char *method)
{
    for (int k = 0; k < SCENES; ++k) {
        char *text = draw_pass(k);
        char sets[64];
        (void)snprintf(sets, sizeof sets, "method={type: %s}", method);
        flow f = flow_open(1, text, sets);
        brn_report r = {0};
        bool forced = false;
        while (!brn_sim_done(f.sim) && !forced) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            for (int i = 0; i < 3; ++i) {
                forced = forced || brn_sim_contact_forces(f.sim)[i] != 0.0;
            }
        }
        if (forced) {
            printf("scene %d:\n%s", k, text);
        }
        assert_false(forced);
        flow_close(&f);
        free(text);
    }
}

static void test_bbi(void **state)
{
    (void)state;
    sweep("bbi");
}

static void test_sap(void **state)
{
    (void)state;
    sweep("sap");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bbi), cmocka_unit_test(test_sap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
