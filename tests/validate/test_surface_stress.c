#include "rows.h"
#include "stage.h"

#include "output/trajectory/fields.h"
#include "output/trajectory/outline.h"
#include "output/trajectory/recovery.h"

#define PI 3.14159265358979323846

/* Stress at all nodes as a trajectory would hold it, [nnode][6]. */
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

static double beam_error(const char *element, int n, double *low, double *high)
{
    stage s;
    const double length = 0.05, side = 0.005, load = 1e-3;
    stage_open(&s,
               "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: 1, end: 1}\nmethod: {type: none, tolerance: 1.0e-12}\n"
               "integrator: static\n"
               "materials: {m: {type: linear, young: 1.0e9, poisson: 0.3, density: 1000}}\n"
               "meshes: {beam: {box: {size: [%g, %g, %g], cells: [%d, %d, %d], element: %s}}}\n"
               "bodies: [{name: b, type: deformable, mesh: beam, material: m}]\n"
               "fixed: [{body: b, where: {face: -x}}]\n"
               "loads: [{body: b, where: {face: +x}, traction: [0, 0, %.17g]}]\n",
               length, side, side, 5 * n, n, n, element, -load / (side * side));
    stage_run(&s);
    double(*stress)[6] = node_stress(&s);
    const double exact = 6.0 * load * 0.5 * length / (side * side * side);
    double worst = 0.0;
    *low = INFINITY; *high = -INFINITY;
    double x0[3] = {1e9,1e9,1e9}, x1[3] = {-1e9,-1e9,-1e9};
    for (int a = 0; a < s.model->nnode; ++a) for (int i = 0; i < 3; ++i) { x0[i] = fmin(x0[i], s.model->rest[a][i]); x1[i] = fmax(x1[i], s.model->rest[a][i]); }
    for (int a = 0; a < s.model->nnode; ++a) {
        const double *x = s.model->rest[a];
        if (fabs(x[0] - 0.5*(x0[0]+x1[0])) < 1e-9 && fabs(x[2] - x1[2]) < 1e-9) {
            worst = fmax(worst, fabs(stress[a][0] / exact - 1.0));
            *low = fmin(*low, stress[a][0] / exact);
            *high = fmax(*high, stress[a][0] / exact);
        }
    }
    free(stress);
    stage_close(&s);
    return worst;
}

static double tube_error(const char *element, int n, int nz, double b, double *low, double *high)
{
    stage s;
    stage_open(&s,
               "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: 1, end: 1}\nmethod: {type: none, tolerance: 1.0e-12}\n"
               "integrator: static\n"
               "materials: {m: {type: linear, young: 1.0e9, poisson: 0.3, density: 1000}}\n"
               "meshes: {tube: {sector: {inner_radius: 1, outer_radius: %g, width: %g, from: 0, to: 90, cells: [%d, %d, %d], element: %s}}}\n"
               "bodies: [{name: b, type: deformable, mesh: tube, material: m}]\n"
               "fixed: [{body: b, where: {group: from}, axes: y}, {body: b, where: {group: to}, axes: x}, {body: b, where: {group: -z}, axes: z}, {body: b, where: {group: +z}, axes: z}]\n"
               "loads: [{body: b, where: {group: inner}, pressure: 1.0}]\n",
               b, 0.25 * nz, n, 2 * n, nz, element);
    stage_run(&s);
    double(*stress)[6] = node_stress(&s);
    const double exact = (b * b + 1.0) / (b * b - 1.0);
    double worst = 0.0;
    *low = INFINITY; *high = -INFINITY;
    for (int a = 0; a < s.model->nnode; ++a) {
        const double *x = s.model->rest[a];
        const double r = hypot(x[0], x[1]);
        if (r < 1.0 + 1e-9 && r > 0.5) {
            const double c = x[0] / r, t = x[1] / r;
            const double hoop = t * t * stress[a][0] + c * c * stress[a][1] - 2.0 * c * t * stress[a][5];
            worst = fmax(worst, fabs(hoop / exact - 1.0));
            if (0) printf("   %s %.3f z %.3f: %.4f\n", element, atan2(x[1],x[0])*180/PI, x[2], hoop/exact);
            *low = fmin(*low, hoop / exact);
            *high = fmax(*high, hoop / exact);
        }
    }
    free(stress);
    stage_close(&s);
    return worst;
}

static void test_all(void **unused)
{
    (void)unused;
    static const char *const names[] = {"hex8", "tet4", "hex20", "tet10"};
    for (int e = 0; e < 4; ++e) {
        for (int n = 2; n <= (e < 2 ? 8 : 4); n *= 2) {
            double lo, hi;
            if (n <= 8) { const double w = beam_error(names[e], n, &lo, &hi);
            printf("beam %s n=%d worst %.4f (%.4f..%.4f)\n", names[e], n, w, lo, hi); }
            for (int nz = 1; nz <= 2; ++nz) {
            const double v = tube_error(names[e], n, nz, 2.0, &lo, &hi);
            printf("tube %s n=%d nz=%d worst %.4f (%.4f..%.4f)\n", names[e], n, nz, v, lo, hi);
            }
            fflush(stdout);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
