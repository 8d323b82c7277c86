/* Uniaxial, simple-shear and volumetric response of every material: a cube of eight hex8 elements, scene text to static
   run to the reaction of the moved face, against the closed-form nominal stress. */
#include "rows.h"
#include "stage.h"
#include "stress.h"
#include "uniaxial.h"

static const double SIDE = 0.2; /* [m] */

/* A static run in two steps of a cube with the given `fixed` entries. */
static void run_cube(stage *s, const test_material *material, const char *fixed)
{
    stage_open(s,
               "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: 0.5, end: 1}\n"
               "method: {type: none, tolerance: 1.0e-13}\nintegrator: static\n"
               "materials: {m: {type: %s, %s}}\n"
               "meshes: {cube: {box: {size: [%g, %g, %g], cells: [2, 2, 2], element: hex8}}}\n"
               "bodies: [{name: b, type: deformable, mesh: cube, material: m}]\nfixed:\n%s",
               material->name, material->constants, SIDE, SIDE, SIDE, fixed);
    stage_run(s);
}

static void check(FILE *rows, const test_material *material, const char *what, double exact, double force)
{
    const double measured = force / (SIDE * SIDE);
    const double error = fabs(measured - exact) / fabs(exact);
    char quantity[128];
    (void)snprintf(quantity, sizeof quantity, "%s, %s", material->name, what);
    validation_row(rows, quantity, exact, measured, error, "Pa, error relative");
    /* Newton stops at 1e-13 of the largest force; the sum over the face and the strain's rounding take two digits. */
    assert_near(measured, exact, 1e-11 * fabs(exact));
}

static void uniaxial_response(FILE *rows, const test_material *material, double stretch)
{
    char fixed[512];
    char what[64];
    double force[3];
    stage s;
    (void)snprintf(
        fixed, sizeof fixed,
        "  - {body: b, where: {face: -x}, axes: x}\n  - {body: b, where: {face: -y}, axes: y}\n"
        "  - {body: b, where: {face: -z}, axes: z}\n"
        "  - {name: pull, body: b, where: {face: +x}, axes: x, motion: {velocity: [%.17g, 0, 0]}}\n",
        SIDE * (stretch - 1.0));
    run_cube(&s, material, fixed);
    stage_hold_force(&s, "pull", force);
    uniaxial u = {.material = material->name, .dim = 3};
    (void)snprintf(what, sizeof what, "uniaxial stretch %g", stretch);
    check(rows, material, what, uniaxial_pull(&u, stretch), force[0]);
    stage_close(&s);
}

/* F = 1 + shear e_x (x) e_y. The top moves; each of the sides is held so that the state is homogeneous. */
static void shear_response(FILE *rows, const test_material *material, double shear)
{
    const double f[3][3] = {{1.0, shear, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double p[3][3];
    double force[3];
    char what[64];
    stage s;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    /* Three layers of nodes along y: the outer two by face, the middle one by a box. */
    fprintf(file, "  - {body: b, where: {face: -y}}\n");
    fprintf(file, "  - {name: top, body: b, where: {face: +y}, motion: {velocity: [%.17g, 0, 0]}}\n",
            shear * SIDE);
    static const char *const sides[] = {"min: [-1, -0.01, -1], max: [-0.09, 0.01, 1]",
                                        "min: [0.09, -0.01, -1], max: [1, 0.01, 1]",
                                        "min: [-0.01, -0.01, -1], max: [0.01, 0.01, -0.09]",
                                        "min: [-0.01, -0.01, 0.09], max: [0.01, 0.01, 1]"};
    for (int i = 0; i < 4; ++i) {
        fprintf(file, "  - {body: b, where: {box: {%s}}, motion: {velocity: [%.17g, 0, 0]}}\n", sides[i],
                0.5 * shear * SIDE);
    }
    fclose(file);
    run_cube(&s, material, text);
    free(text);
    stage_hold_force(&s, "top", force);
    nominal_stress(material->name, f, p);
    (void)snprintf(what, sizeof what, "shear %g: shear stress", shear);
    check(rows, material, what, p[0][1], force[0]);
    if (p[1][1] != 0.0) {
        (void)snprintf(what, sizeof what, "shear %g: normal stress", shear);
        check(rows, material, what, p[1][1], force[1]);
    }
    stage_close(&s);
}

static void volumetric_response(FILE *rows, const test_material *material, double stretch)
{
    const double f[3][3] = {{stretch, 0.0, 0.0}, {0.0, stretch, 0.0}, {0.0, 0.0, stretch}};
    double p[3][3];
    double force[3];
    char what[64];
    stage s;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    for (int i = 0; i < 3; ++i) {
        const double v = SIDE * (stretch - 1.0);
        fprintf(file, "  - {body: b, where: {face: -%c}, axes: %c}\n", 'x' + i, 'x' + i);
        fprintf(file,
                "  - {name: move%d, body: b, where: {face: +%c}, axes: %c, motion: {velocity: [%.17g, %.17g, "
                "%.17g]}}\n",
                i, 'x' + i, 'x' + i, i == 0 ? v : 0.0, i == 1 ? v : 0.0, i == 2 ? v : 0.0);
    }
    fclose(file);
    run_cube(&s, material, text);
    free(text);
    nominal_stress(material->name, f, p);
    for (int i = 0; i < 3; ++i) {
        char name[16];
        (void)snprintf(name, sizeof name, "move%d", i);
        stage_hold_force(&s, name, force);
        assert_near(force[i], p[0][0] * SIDE * SIDE, 1e-11 * fabs(p[0][0]) * SIDE * SIDE);
    }
    (void)snprintf(what, sizeof what, "volumetric stretch %g", stretch);
    check(rows, material, what, p[0][0], force[2]);
    stage_close(&s);
}

static void test_response(void **unused)
{
    (void)unused;
    FILE *rows =
        validation_open("materials_response", "Response of the materials",
                        "A cube of eight hex8 elements, static, from scene text to the reaction force of the "
                        "moved face over its rest area "
                        "(nominal stress). E = 1 MPa, Poisson's ratio 0.3; Mooney-Rivlin c10 = 150, c01 = "
                        "40, bulk = 800 kPa. The closed "
                        "forms are the textbook formulas of P(F), written anew in the test; the stretch "
                        "across a uniaxial pull is solved "
                        "for to the last bit. Tolerance 1e-11 (Newton stops at 1e-13 of the largest force).");
    for (int m = 0; m < TEST_MATERIALS; ++m) {
        const test_material *material = &test_materials[m];
        uniaxial_response(rows, material, 0.8);
        uniaxial_response(rows, material, 1.5);
        shear_response(rows, material, 0.4);
        volumetric_response(rows, material, 0.9);
        volumetric_response(rows, material, 1.15);
    }
    validation_close(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_response)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
