/* The scene cylinder-press on four meshes, with and without averaged volume ratios, and with quadratic triangles. */
#include "cylinder_press.h"

static void add_rows(FILE *rows, const char *name, const double force[PRESS_PLACES])
{
    for (int i = 0; i < PRESS_PLACES; ++i) {
        char quantity[96];
        (void)snprintf(quantity, sizeof quantity, "%s: force at %.1f m", name, press_way[i]);
        validation_row(rows, quantity, press_published[i], force[i], force[i] / press_published[i] - 1.0,
                       "N/m, error relative");
    }
}

static void test_meshes(void **state)
{
    (void)state;
    enum { MESHES = 4 };
    static const double size[MESHES] = {0.04, 0.02, 0.01, 0.005};
    FILE *rows = validation_open("cylinder_press", "Nearly incompressible: a pressed cylinder",
                                 "The scene `cylinder-press`: a cylinder 0.4 m across in plane strain, "
                                 "Mooney-Rivlin with a bulk modulus of 1500 times the shear "
                                 "modulus, between frictionless plates, method `sap`. *exact* is a published "
                                 "curve, read off a plot. Tolerance: 5 % at 0.1 m from "
                                 "h = 0.02 m on and 3 % at 0.2 m with means; "
                                 "each mesh nearer to quadratic triangles (h = 0.01 m) than the last, until "
                                 "within 0.1 % of them. Without means linear triangles lock.");
    double quadratic[PRESS_PLACES], off[PRESS_PLACES] = {INFINITY, INFINITY};
    press_run(
        "meshes.disc.disc.resolution=0.01;meshes.disc.disc.element=tri6;bodies.cylinder.dilatation=point",
        quadratic);
    for (int mean = 1; mean >= 0; --mean) {
        for (int m = 0; m < MESHES; ++m) {
            char sets[128], name[96];
            double force[PRESS_PLACES];
            (void)snprintf(sets, sizeof sets, "meshes.disc.disc.resolution=%g;bodies.cylinder.dilatation=%s",
                           size[m], mean ? "mean" : "point");
            (void)snprintf(name, sizeof name, "tri3%s, h = %g m", mean ? " mean" : "", size[m]);
            press_run(sets, force);
            add_rows(rows, name, force);
            for (int i = 0; i < PRESS_PLACES && mean; ++i) {
                const double far = fabs(force[i] / quadratic[i] - 1.0);
                assert_near(force[i] / press_published[i], 1.0, i == PRESS_FULL ? 0.03 : m > 0 ? 0.05 : 0.06);
                assert_true(far < fmax(0.7 * off[i], 1e-3));
                off[i] = far;
            }
            assert_true(mean || m == MESHES - 1 || force[PRESS_FULL] > 1.08 * quadratic[PRESS_FULL]);
        }
    }
    add_rows(rows, "tri6, h = 0.01 m", quadratic);
    validation_close(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_meshes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
