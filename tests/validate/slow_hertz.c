/* Hertz on finer meshes than test_hertz.c affords: h = a/3, a/6, a/12, and two balls whose meshes do not match. */
#include "validate/hertz.h"
#include "validate/rows.h"

static const double dhat = 1e-7; /* [m] */

static void test_fine(void **state)
{
    (void)state;
    static const int cells[3] = {3, 6, 12};
    hertz_result r[3];
    FILE *rows = validation_open(
        "hertz_fine", "Method ipc: Hertz, fine",
        "As above. *ball on ball*: two balls whose meshes do not match; each side gives way by "
        "half of it, so the force is that on a half-space.");
    for (int k = 0; k < 3; ++k) {
        char name[80];
        r[k] = hertz_press(&(hertz_case){.cells = cells[k], .dhat = dhat});
        (void)snprintf(name, sizeof name, "half-space: force, h = a/%d", cells[k]);
        validation_row(rows, name, r[k].force / r[k].to_sphere, r[k].force, fabs(r[k].to_sphere - 1.0),
                       "N, error relative");
        assert_true(k == 0 || fabs(r[k].to_sphere - 1.0) < 0.5 * fabs(r[k - 1].to_sphere - 1.0));
        assert_true(k == 0 || r[k].pressure < r[k - 1].pressure);
        assert_true(r[k].unbalanced < 1e-5);
    }
    const double ratio = (r[0].to_sphere - r[1].to_sphere) / (r[1].to_sphere - r[2].to_sphere);
    const double limit = r[2].to_sphere - (r[1].to_sphere - r[2].to_sphere) / (ratio - 1.0);
    const double exact = r[2].force / r[2].to_sphere;
    validation_row(rows, "half-space: Richardson limit", exact, limit * exact, fabs(limit - 1.0),
                   "N, error relative");
    validation_row(rows, "half-space: order of the force", NAN, log2(ratio), NAN, "");
    validation_row(rows, "half-space: h = a/12 against Hertz", r[2].force / r[2].to_hertz, r[2].force,
                   fabs(r[2].to_hertz - 1.0), "N, error relative");
    validation_row(rows, "half-space: pressure, h = a/12", NAN, NAN, r[2].pressure,
                   "rms of p - p0 sqrt(1 - r^2/a^2), over p0");
    assert_true(fabs(limit - 1.0) < 0.005);
    assert_true(fabs(r[2].to_sphere / limit - 1.0) < 0.01);
    assert_true(fabs(r[2].to_hertz - 1.0) < 0.02);
    const hertz_result twin =
        hertz_press(&(hertz_case){.cells = 6, .dhat = dhat, .obstacle = "ball", .finer = 4.0 / 3.0});
    validation_row(rows, "ball on ball, h = a/6 on a/8: force", twin.force / twin.to_sphere, twin.force,
                   fabs(twin.to_sphere - 1.0), "N, error relative");
    assert_true(fabs(twin.to_sphere - 1.0) < fabs(r[1].to_sphere - 1.0));
    const hertz_result mesh =
        hertz_press(&(hertz_case){.cells = 6, .dhat = dhat, .obstacle = "cross", .finer = 1.3});
    validation_row(rows, "mesh, cross: force, h = a/6", mesh.force / mesh.to_sphere, mesh.force,
                   fabs(mesh.to_sphere - 1.0), "N, error relative");
    assert_near(mesh.to_sphere, r[1].to_sphere, 1e-3);
    validation_close(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
