/* Nearly incompressible material: a bonded block against quadratic elements, and the coarsest mesh of the pressed cylinder with two methods. */
#include "cylinder_press.h"
#include "stage.h"

/* A bonded block of 1 x 1 x 1/2 m is pressed by a tenth; force of the plate [N]. */
static double press_block(const char *element, int cells, const char *dilatation)
{
    stage s;
    double force[3];
    stage_open(&s,
               "{brunt: 1, gravity: [0, 0, 0], time: {step: 0.1, end: 1}, method: none, integrator: static,\n"
               "materials: {m: {type: neo_hookean, young: 1.0e+6, poisson: 0.4999}},\n"
               "meshes: {box: {box: {size: [1, 1, 0.5], cells: [%d, %d, %d], element: %s}}},\n"
               "bodies: [{name: b, type: deformable, mesh: box, material: m, dilatation: %s}],\n"
               "fixed: [{name: low, body: b, where: {face: -z}},\n"
               "  {name: top, body: b, where: {face: +z}, motion: {velocity: [0, 0, -0.05]}}]}\n",
               2 * cells, 2 * cells, cells, element, dilatation);
    stage_run(&s);
    stage_hold_force(&s, "top", force);
    stage_close(&s);
    return -force[2];
}

static void test_block(void **state)
{
    (void)state;
    FILE *rows = validation_open(
        "incompressible", "Nearly incompressible: a bonded block",
        "A block of 1 x 1 x 0.5 m, Poisson's ratio 0.4999 (neo-Hookean, E = 1 MPa), bonded to two plates "
        "that "
        "press it by a tenth: force of the plate, 2 n x 2 n x n cells. *mean*: with averaged volume ratios. "
        "The "
        "exact force is not known; the edges of the bond are singular, and all elements approach it slowly. "
        "Taken "
        "as exact is the middle between hex8 at n = 8 and tet10 at n = 4 with means, which lie above and "
        "below "
        "it, 2.3 % away. With means all elements must be within 30 % at n = 2 and closer at n = 4; quadratic "
        "ones closer than without. Linear ones without means lock: off by a factor (hex8 does not even reach "
        "the end).");
    const double exact = 0.5 * (press_block("hex8", 8, "mean") + press_block("tet10", 4, "mean"));
    static const char *const elements[4] = {"tet4", "hex8", "tet10", "hex20"};
    double error[4][2];
    for (int e = 0; e < 4; ++e) {
        for (int n = 2; n <= 4; n += 2) {
            const double force = press_block(elements[e], n, "mean");
            char name[80];
            (void)snprintf(name, sizeof name, "%s mean, n = %d: force", elements[e], n);
            error[e][n / 4] = fabs(force / exact - 1.0);
            validation_row(rows, name, exact, force, error[e][n / 4], "N, error relative");
        }
        assert_true(error[e][0] < 0.3 && error[e][1] < error[e][0]);
    }
    for (int e = 0; e < 4; ++e) {
        const int n = e == 0 ? 2 : 4;
        if (e == 1) {
            continue;
        }
        const double force = press_block(elements[e], n, "point");
        char name[80];
        (void)snprintf(name, sizeof name, "%s, n = %d: force", elements[e], n);
        validation_row(rows, name, exact, force, fabs(force / exact - 1.0), "N, error relative");
        assert_true(force / exact - 1.0 > (e == 0 ? 100.0 : error[e][1]));
    }
    validation_close(rows);
}

/* 5 rings of triangles: 150 of them. */
static void test_cylinder(void **state)
{
    (void)state;
    double sap[PRESS_PLACES], ipc[PRESS_PLACES], locked[PRESS_PLACES];
    press_run("meshes.disc.disc.resolution=0.04", sap);
    press_run("meshes.disc.disc.resolution=0.04;method=ipc", ipc);
    press_run("meshes.disc.disc.resolution=0.04;bodies.cylinder.dilatation=point", locked);
    for (int i = 0; i < PRESS_PLACES; ++i) {
        /* the published curve is read off a plot; this mesh is 2 and 1 % below the limit */
        assert_near(sap[i] / press_published[i], 1.0, i == PRESS_HALF ? 0.06 : 0.03);
        /* penetration of the one and gaps of the other, below 1e-5 m of 0.1 m, times the stiffness of the curve */
        assert_near(ipc[i] / sap[i], 1.0, 2e-3);
    }
    assert_true(locked[PRESS_FULL] > 1.15 * press_published[PRESS_FULL]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_block), cmocka_unit_test(test_cylinder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
