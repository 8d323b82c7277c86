/* Bodies of several materials against composite closed forms: a bar in series, a layered beam in bending and vibration. */
#include "rows.h"
#include "stage.h"

static const double PI = 3.14159265358979323846;

enum { CELLS = 20 }; /* along the beam */

/* Two halves one behind the other, pulled: u = F L/2 (1/E1 + 1/E2) / A. Poisson's ratio 0, so that the halves agree across. */
static void test_series(void **state)
{
    static const char *const elements[] = {"hex8", "hex20", "tet4", "tet10"};
    const double e[2] = {1e6, 4e6};
    const double exact = 1000.0 * 0.5 * (1.0 / e[0] + 1.0 / e[1]) / 0.01;
    for (int i = 0; i < 4; ++i) {
        stage s;
        stage_open(
            &s,
            "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: 1, end: 1}\nintegrator: static\n"
            "method: {type: none, tolerance: 1.0e-12}\n"
            "materials:\n  soft: {type: linear, young: %g, poisson: 0}\n"
            "  stiff: {type: linear, young: %g, poisson: 0}\n"
            "meshes: {bar: {box: {size: [1, 0.1, 0.1], cells: [10, 1, 1], element: %s}}}\n"
            "bodies: [{name: bar, type: deformable, mesh: bar, material: soft, materials: "
            "[{where: {box: {min: [0, -1, -1], max: [1, 1, 1]}}, material: stiff}]}]\n"
            "fixed: [{body: bar, where: {face: -x}, axes: x}, {body: bar, where: {nodes: [0]}, axes: yz}, "
            "{body: bar, where: {nearest: [-0.5, 0.05, -0.05]}, axes: z}]\n"
            "loads: [{body: bar, where: {face: +x}, traction: [1.0e5, 0, 0]}]\n"
            "output: {probes: [{name: end, body: bar, where: {face: +x}}]}\n",
            e[0], e[1], elements[i]);
        (void)stage_run(&s);
        double moved = 0.0;
        const brn_probe *probe = &s.model->probe[0];
        for (int k = 0; k < probe->nnode; ++k) {
            moved += (brn_sim_positions(s.sim)[3 * probe->node[k]] - s.model->rest[probe->node[k]][0]) /
                     probe->nnode;
        }
        char quantity[80];
        (void)snprintf(quantity, sizeof quantity, "bar in series, %s: elongation", elements[i]);
        validation_row(*state, quantity, exact, moved, fabs(moved / exact - 1.0), "m, error relative");
        assert_near(moved, exact,
                    1e-9 * exact); /* the field is in the elements' space: rounding and Newton's tolerance */
        stage_close(&s);
    }
}

/* Two layers of height h/2 and width b; neutral axis z0 and bending stiffness about it, mass per length. */
typedef struct layers {
    double length, width, height, young[2], density[2], stiffness, mass;
} layers;

static layers make_layers(void)
{
    layers l = {
        .length = 1.0, .width = 0.05, .height = 0.05, .young = {1e9, 4e9}, .density = {1000.0, 3000.0}};
    const double half = 0.5 * l.height;
    const double area = l.width * half;
    const double z[2] = {-0.5 * half, 0.5 * half};
    const double axis = (l.young[0] * z[0] + l.young[1] * z[1]) / (l.young[0] + l.young[1]);
    for (int i = 0; i < 2; ++i) {
        l.stiffness +=
            l.young[i] * (l.width * half * half * half / 12.0 + area * (z[i] - axis) * (z[i] - axis));
        l.mass += l.density[i] * area;
    }
    return l;
}

static void open_beam(stage *s, const layers *l, const char *more)
{
    stage_open(s,
               "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: 1, end: 1}\nintegrator: static\n"
               "method: {type: none, tolerance: 1.0e-11}\n"
               "materials:\n  low: {type: linear, young: %g, poisson: 0, density: %g}\n"
               "  high: {type: linear, young: %g, poisson: 0, density: %g}\n"
               "meshes: {beam: {box: {size: [%g, %g, %g], cells: [%d, 1, 2], element: hex20}}}\n"
               "bodies: [{name: beam, type: deformable, mesh: beam, material: low, materials: "
               "[{where: {box: {min: [-1, -1, 0], max: [1, 1, 1]}}, material: high}]}]\n"
               "fixed: [{body: beam, where: {face: -x}}]\n%s",
               l->young[0], l->density[0], l->young[1], l->density[1], l->length, l->width, l->height, CELLS,
               more);
}

/* Clamped, with a force at the free end: F L^3 / (3 EI). Shear adds about (h/L)^2 = 0.25 % of it. */
static void test_bending(void **state)
{
    const layers l = make_layers();
    const double exact = pow(l.length, 3) / (3.0 * l.stiffness);
    stage s;
    open_beam(&s, &l,
              "loads: [{body: beam, where: {face: +x}, traction: [0, 0, 400]}]\n" /* 1 N on 0.0025 m^2 */
              "output: {probes: [{name: end, body: beam, where: {face: +x}}]}\n");
    (void)stage_run(&s);
    double moved = 0.0;
    const brn_probe *probe = &s.model->probe[0];
    for (int k = 0; k < probe->nnode; ++k) {
        moved += (brn_sim_positions(s.sim)[3 * probe->node[k] + 2] - s.model->rest[probe->node[k]][2]) /
                 probe->nnode;
    }
    validation_row(*state, "layered cantilever, E 1 and 4 GPa: deflection at the end", exact, moved,
                   fabs(moved / exact - 1.0), "m for 1 N, error relative");
    assert_near(moved, exact, 4e-3 * exact);
    stage_close(&s);
}

/* Lowest frequency of the same beam: (1.87510 / L)^2 sqrt(EI / m) / 2 pi, m the mass per length of both layers. The square section
   vibrates across as well: there the layers stand side by side and EI = sum E b^3 h / 24. */
static void test_vibration(void **state)
{
    const layers l = make_layers();
    const double side = (l.young[0] + l.young[1]) * pow(l.width, 3) * 0.5 * l.height / 12.0;
    const double stiffness[2] = {fmin(l.stiffness, side), fmax(l.stiffness, side)};
    stage s;
    open_beam(&s, &l, "");
    brn_modes *modes = stage_modes(&s, 2);
    for (int i = 0; i < 2; ++i) {
        const double exact = pow(1.8751040687 / l.length, 2) * sqrt(stiffness[i] / l.mass) / (2.0 * PI);
        const double found = sqrt(modes->lambda[i]) / (2.0 * PI);
        validation_row(*state,
                       i == 0 ? "layered cantilever, densities 1000 and 3000: first frequency"
                              : "second, across",
                       exact, found, fabs(found / exact - 1.0), "Hz, error relative");
        assert_near(found, exact, 4e-3 * exact);
    }
    brn_modes_destroy(modes);
    stage_close(&s);
}

static int set_up(void **state)
{
    *state = validation_open("layered", "Several materials in one body",
                             "A bar of two halves of different stiffness one behind the other, pulled "
                             "(static, linear material, Poisson's ratio 0): the "
                             "elongations add. The field is in the space of every element, so the tolerance, "
                             "1e-9, is Newton's. A cantilever of two layers, "
                             "1 x 0.05 x 0.05 m, of hex20: neutral axis and EI of the composite section; "
                             "Euler and Bernoulli leave out shear and "
                             "rotary inertia, about (h/L)^2 = 0.25 %; tolerance 0.4 %.");
    return 0;
}

static int tear_down(void **state)
{
    validation_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_bending),
        cmocka_unit_test(test_vibration),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
