/* Blocks of random size and material, pressed between two rough plates, by every method that takes a slow motion at large steps, without any settings: they are to agree on the force. Every
   method has another law of contact below its own limit of resolution (a layer, a stiffness, none; a speed of creep, another one, none), so that what they agree on is not of their making. */
#include "draw.h"
#include "flow.h"
#include "rows.h"

#include "base/param.h"

enum { SCENES = 12 };
static const char *const methods[] = {"ipc", "sap", "bbi"};

/* Pressed by 2 % in the first half of a hundred times the time that a wave takes across, then held. */
static void write_scene(brn_rng *rng, char *text, size_t size, char *note, size_t note_size)
{
    static const double poissons[] = {0.0, 0.3, 0.45};
    static const double frictions[] = {0.0, 0.3, 0.8};
    static const char *const elements[] = {"hex8", "tet4"};
    const double length = pick_decade(rng, -3.0, 0.7);
    const double young = pick_decade(rng, 4.0, 11.0);
    const double density = pick_decade(rng, 2.7, 3.9);
    const double poisson = poissons[pick_one(rng, 3)];
    const double friction = frictions[pick_one(rng, 3)];
    const int cells = 3 + pick_one(rng, 2);
    const double across = length / sqrt(young / density);
    const double end = 200.0 * across;
    text[0] = '\0';
    add(text, size, "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: %.6e, end: %.6e}\nmethod: ipc\n", end / 100.0,
        end);
    add(text, size,
        "materials: {m: {type: neo_hookean, young: %.6e, poisson: %g, density: %.6e, damping: {beta: "
        "%.6e}}}\n",
        young, poisson, density, 2.0 * across);
    add(text, size, "meshes: {b: {box: {size: [%.6e, %.6e, %.6e], cells: [%d, %d, %d], element: %s}}}\n",
        length, length, length, cells, cells, cells, elements[pick_one(rng, 2)]);
    add(text, size,
        "contact: {friction: %g}\nbodies:\n  - {name: block, type: deformable, mesh: b, material: m, "
        "position: [0, 0, "
        "%.9e]}\n  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}\n",
        friction, 0.501 * length);
    add(text, size,
        "  - {name: ram, type: static, shape: {box: {size: [%.6e, %.6e, %.6e]}}, position: [0, 0, %.9e],\n   "
        "  motion: "
        "{table: [[0, 0, 0, 0], [%.6e, 0, 0, %.6e], [%.6e, 0, 0, %.6e]]}}\n",
        2.0 * length, 2.0 * length, 0.2 * length, 1.104 * length, 0.5 * end, -0.024 * length, end,
        -0.024 * length);
    (void)snprintf(note, note_size, "%.1e m, %.1e Pa, nu %g, mu %g", length, young, poisson, friction);
}

/* [N] on the floor in the end. */
static double press(const char *text, const char *method)
{
    char sets[64];
    brn_report r;
    (void)snprintf(sets, sizeof sets, "method={type: %s}", method);
    flow f = flow_open(1, text, sets);
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
    }
    const double force = -brn_sim_contact_forces(f.sim)[3 * 1 + 2];
    flow_close(&f);
    return force;
}

static void test_forces(void **state)
{
    FILE *rows = *state;
    brn_rng rng = {7};
    for (int k = 0; k < SCENES; ++k) {
        char text[2000];
        char note[100];
        double force[BRN_COUNT(methods)];
        write_scene(&rng, text, sizeof text, note, sizeof note);
        for (int m = 0; m < BRN_COUNT(methods); ++m) {
            force[m] = press(text, methods[m]);
        }
        const double exact = force[2]; /* its law has no limit of resolution */
        for (int m = 0; m < 2; ++m) {
            char quantity[64];
            (void)snprintf(quantity, sizeof quantity, "force of block %d [N], %s", k, methods[m]);
            validation_row(rows, quantity, exact, force[m], force[m] / exact - 1.0, note);
            assert_true(exact > 0.0);
            /* ipc: a layer of 1e-3 of the way in, and creep at a thousandth of the ram's speed; sap: creep; worst of 40 scenes 0.9 and 0.5 % */
            assert_near(force[m], exact, 0.015 * exact);
        }
    }
}

static int open_rows(void **state)
{
    *state = validation_open("pressed_block", "Pressed blocks, without method settings",
                             "Cubes of random size and material (1 mm to 5 m, 1e4 to 1e11 Pa), pressed by 2 "
                             "% between two plates, rough or "
                             "smooth, in 100 steps: the force in the end with `ipc` and `sap`, beside `bbi` "
                             "as *exact*. Tolerance 1.5 %: the "
                             "layer and the creep of `ipc`, the creep of `sap`.");
    return 0;
}

static int close_rows(void **state)
{
    validation_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forces)};
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
