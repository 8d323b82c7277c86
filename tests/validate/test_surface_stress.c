/* Stress at the surface, where it is largest and cells say least: the top fibre of a cantilever and the inner wall of a tube. */
#include "rows.h"
#include "stage.h"

#include "output/trajectory/fields.h"
#include "output/trajectory/outline.h"
#include "output/trajectory/recovery.h"

/* Stress at all nodes as a trajectory holds it, [nnode][6]. */
static double (*node_stress(stage *s))[6]
{
    brn_outline outline = {.ctx = s->ctx};
    brn_recovery recovery = {.ctx = s->ctx};
    assert_done(s->ctx, brn_outline_of_model(&outline, s->model));
    assert_done(s->ctx, brn_recovery_make(&recovery, &outline.info, NULL, 0));
    double *sample = calloc(recovery.nsample, 6 * sizeof *sample);
    double(*out)[6] = calloc((size_t)s->model->nnode, sizeof *out);
    assert_non_null(sample);
    assert_non_null(out);
    assert_done(s->ctx, brn_field_sample_stress(s->ctx, s->model, s->sim->state->node_pos, NULL, sample));
    assert_done(s->ctx, brn_recovery_apply(&recovery, sample, out[0]));
    free(sample);
    brn_recovery_clear(&recovery);
    brn_outline_clear(&outline);
    return out;
}

#define HEAD                                                                                         \
 "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: 1, end: 1}\nmethod: {type: none, tolerance: 1.0e-12}\n" \
 "integrator: static\n"                                                                              \
 "materials: {m: {type: linear, young: 1.0e9, poisson: 0.3, density: 1000}}\n"

/* Largest error of sigma_xx over the nodes of the upper side in the middle of the length, relative to M c / I. */
static double beam_error(const char *element, int n)
{
    static const double length = 0.05, side = 0.005, load = 1e-3;
    stage s;
    stage_open(&s,
               HEAD "meshes: {beam: {box: {size: [%g, %g, %g], cells: [%d, %d, %d], element: %s}}}\n"
                    "bodies: [{name: b, type: deformable, mesh: beam, material: m, position: [0, 0, 0]}]\n"
                    "fixed: [{body: b, where: {face: -x}}]\n"
                    "loads: [{body: b, where: {face: +x}, traction: [0, 0, %.17g]}]\n",
               length, side, side, 5 * n, n, n, element, -load / (side * side));
    stage_run(&s);
    double(*stress)[6] = node_stress(&s);
    const double exact = 6.0 * load * 0.5 * length / (side * side * side);
    double worst = 0.0, top = -INFINITY, middle = 0.0;
    for (int a = 0; a < s.model->nnode; ++a) {
        top = fmax(top, s.model->rest[a][2]);
        middle += s.model->rest[a][0] / s.model->nnode;
    }
    for (int a = 0; a < s.model->nnode; ++a) {
        const double *x = s.model->rest[a];
        if (fabs(x[0] - middle) < 1e-6 && x[2] > top - 1e-6) {
            worst = fmax(worst, fabs(stress[a][0] / exact - 1.0));
        }
    }
    assert_true(worst > 0.0);
    free(stress);
    stage_close(&s);
    return worst;
}

/* Largest error of the hoop stress over the inner wall, relative to Lame's: p (b^2 + a^2)/(b^2 - a^2), b = 2 a. */
static double tube_error(const char *element, int n)
{
    stage s;
    stage_open(&s,
               HEAD
               "meshes: {tube: {sector: {inner_radius: 1, outer_radius: 2, width: 0.5, from: 0, to: 90, "
               "cells: [%d, %d, 2], element: %s}}}\n"
               "bodies: [{name: b, type: deformable, mesh: tube, material: m}]\n"
               "fixed: [{body: b, where: {group: from}, axes: y}, {body: b, where: {group: to}, axes: x}, "
               "{body: b, where: {group: -z}, axes: z}, {body: b, where: {group: +z}, axes: z}]\n"
               "loads: [{body: b, where: {group: inner}, pressure: 1.0}]\n",
               n, 2 * n, element);
    stage_run(&s);
    double(*stress)[6] = node_stress(&s);
    const double exact = 5.0 / 3.0;
    double worst = 0.0;
    for (int a = 0; a < s.model->nnode; ++a) {
        const double *x = s.model->rest[a];
        const double r = hypot(x[0], x[1]);
        if (r < 1.0 + 1e-9 && r > 0.9) {
            const double c = x[0] / r, t = x[1] / r;
            const double hoop = t * t * stress[a][0] + c * c * stress[a][1] - 2.0 * c * t * stress[a][5];
            worst = fmax(worst, fabs(hoop / exact - 1.0));
        }
    }
    assert_true(worst > 0.0);
    free(stress);
    stage_close(&s);
    return worst;
}

typedef struct surface_case {
    const char *element;
    int cells;              /* across, of the coarser mesh; the other has twice as many */
    double beam, beam_fine; /* largest errors allowed */
    double tube, tube_fine;
    double order; /* of the tube, at least */
} surface_case;

static void check(FILE *rows, const surface_case *c)
{
    double error[2][2];
    char name[80];
    for (int k = 0; k < 2; ++k) {
        const int n = c->cells << k;
        error[0][k] = beam_error(c->element, n);
        (void)snprintf(name, sizeof name, "%s, %d across: top fibre of the cantilever", c->element, n);
        validation_row(rows, name, NAN, NAN, error[0][k], "of Mc/I");
        error[1][k] = tube_error(c->element, n);
        (void)snprintf(name, sizeof name, "%s, %d across: inner wall of the tube", c->element, n);
        validation_row(rows, name, NAN, NAN, error[1][k], "of Lame's hoop stress");
    }
    const double order = log2(error[1][0] / error[1][1]);
    (void)snprintf(name, sizeof name, "%s: order at the inner wall", c->element);
    validation_row(rows, name, c->order, order, NAN, "at least");
    assert_true(error[0][0] < c->beam);
    assert_true(error[0][1] < c->beam_fine);
    assert_true(error[1][0] < c->tube);
    assert_true(error[1][1] < c->tube_fine);
    assert_true(order > c->order);
}

static void test_surface_stress(void **unused)
{
    (void)unused;
    FILE *rows = validation_open(
        "surface_stress", "Stress at the surface",
        "Nodal stress as it is recorded, shown and exported (patch recovery, `docs/theory.md`), the worst "
        "node of "
        "each. *top fibre*: a cantilever of 50 x 5 x 5 mm with a force at its tip, Poisson's ratio 0.3, 5 n "
        "x n x n "
        "cells, half way along: Mc/I. *inner wall*: a quarter of a tube under inner pressure in plane "
        "strain, outer "
        "radius twice the inner one, n cells across and 2 n around, all nodes of the wall, the edges of the "
        "quarter included: Lame's hoop stress. Quadratic cells must be within 2 % with four across. The "
        "beam's stress is linear, which "
        "they have exactly (1e-4: the clamp's influence half way along). Means of the outermost "
        "cells would give 0.75 and 0.84 with four across, by the closed forms. Linear cells err mostly "
        "because their displacements do (shear locking of the beam: "
        "order 2). Tet4 is worst where the edges of the quarter have few cells: order 0.5 there; tet10 1.7. "
        "Tolerances of "
        "linear cells are a tenth above what is measured.");
    static const surface_case cases[] = {{"tet4", 4, 0.245, 0.068, 0.126, 0.086, 0.45},
                                         {"hex8", 4, 0.104, 0.028, 0.068, 0.018, 1.8},
                                         {"tet10", 2, 1e-4, 1e-4, 0.12, 0.02, 1.6},
                                         {"hex20", 2, 1e-4, 1e-4, 0.12, 0.02, 2.0}};
    for (int i = 0; i < 4; ++i) {
        check(rows, &cases[i]);
    }
    validation_close(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_surface_stress)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
