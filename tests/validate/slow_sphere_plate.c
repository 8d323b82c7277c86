/* The gallery's thin sphere on a thin plate at 100 m/s [Cirak & West 2005; Harmon et al. 2009], for 1 ms with layers and with decomposition contact response
   on the same mesh: energy, momenta, gaps. */
#include "drift.h"
#include "validate/rows.h"

static void test_drift(void **state)
{
    FILE *rows = validation_open("sphere_plate", "Sphere on plate",
                                 "The gallery's thin sphere that hits a thin plate of steel at 100 m/s, 4513 "
                                 "vertices, 1 ms, with default settings of `acm` and with `response: dcr`. "
                                 "Energies are over the initial one, as a line of least squares times the "
                                 "duration and the swing about it from peak to peak. Wanted: with layers a "
                                 "slope less than the swing and nothing that meets, with dcr a loss of a "
                                 "hundred swings or more, momentum to 1e-12 with both.");
    drift d[2];
    (void)state;
    for (int k = 0; k < 2; ++k) {
        flow f = {.ctx = test_ctx(2)};
        assert_done(f.ctx, brn_scene_load(f.ctx, BRN_SOURCE_DIR "/scenes/sphere-plate/scene.yaml", &f.scene));
        assert_done(f.ctx, brn_scene_set(f.scene, k == 0 ? "method.response=layers" : "method.response=dcr"));
        assert_done(f.ctx, brn_model_compile(f.ctx, f.scene, &f.model));
        assert_done(f.ctx, brn_sim_create(f.ctx, f.model, &f.sim));
        assert_int_equal(flow_nodes(&f), 4513);
        d[k] = drift_measure(&f);
        flow_close(&f);
        const char *note = k == 0 ? "layers" : "dcr";
        validation_row(rows, "slope of the energy", k == 0 ? 0.0 : NAN, d[k].slope,
                       k == 0 ? fabs(d[k].slope) : NAN, note);
        validation_row(rows, "swing about it", NAN, d[k].swing, NAN, note);
        validation_row(rows, "energy at the end", 0.0, d[k].end, fabs(d[k].end), note);
        validation_row(rows, "momentum", 0.0, d[k].momentum, d[k].momentum, note);
        validation_row(rows, "angular momentum", 0.0, d[k].turn, d[k].turn, note);
        validation_row(rows, "smallest gap [m]", NAN, d[k].gap, NAN, note);
        validation_row(rows, "deepest layer", NAN, d[k].deepest, NAN, note);
        assert_true(d[k].contacts > 50);
        assert_true(d[k].momentum < 1e-12);
    }
    validation_close(rows);
    assert_true(fabs(d[0].slope) < d[0].swing);
    assert_true(d[0].intersections == 0 && d[0].gap > 0.0);
    assert_true(d[0].turn < 1e-12);
    assert_true(d[1].end < -100.0 * d[0].swing); /* 7.9e-4 of 2.4e-6 */
    assert_true(d[1].slope < -100.0 * d[0].swing);
    assert_true(d[1].residual < 1e-11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drift)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
