/* Reactions of the holds: weight of a hanging block, balance of forces and moments under everything at once, the
   force-displacement curve of a bar as series.csv has it, and Lame's thick ring under inner pressure. */
#include "inp_writer.h"
#include "rows.h"
#include "stage.h"
#include "stress.h"
#include "uniaxial.h"

#define RUN_DIR  BRN_BINARY_DIR "/validation/reactions_run"
#define RING_INP BRN_BINARY_DIR "/validation/ring.inp"

static void test_weight(void **state)
{
    static const char *const elements[] = {"hex8", "hex20", "tet4", "tet10"};
    for (int e = 0; e < 4; ++e) {
        stage s;
        double force[3];
        char quantity[96];
        stage_open(&s,
                   "brunt: 1\ngravity: [0, 0, -9.81]\ntime: {step: 0.5, end: 1}\n"
                   "method: {type: none, tolerance: 1.0e-12}\nintegrator: static\n"
                   "materials: {m: {type: neo_hookean, young: 1.0e5, poisson: 0.4, density: 1100}}\n"
                   "meshes: {block: {box: {size: [0.1, 0.2, 0.3], cells: [2, 3, 4], element: %s}}}\n"
                   "bodies: [{name: b, type: deformable, mesh: block, material: m}]\n"
                   "fixed: [{name: top, body: b, where: {face: +z}}]\n",
                   elements[e]);
        stage_run(&s);
        stage_hold_force(&s, "top", force);
        const double weight = 1100.0 * 0.1 * 0.2 * 0.3 * 9.81;
        (void)snprintf(quantity, sizeof quantity, "%s, hanging block: reaction", elements[e]);
        validation_row(*state, quantity, weight, force[2], fabs(force[2] / weight - 1.0),
                       "N, error relative");
        /* Newton stops at 1e-12 of the largest nodal force on each of up to 400 free nodes. */
        assert_near(force[2], weight, 1e-10 * weight);
        assert_near(hypot(force[0], force[1]), 0.0, 1e-10 * weight);
        stage_close(&s);
    }
}

/* At every point of a static run's ramp the elastic and the external forces that the library hands out balance at free nodes. */
static void test_forces_on_the_ramp(void **state)
{
    (void)state;
    stage s;
    stage_open(&s, "brunt: 1\ngravity: [1, 0, -9.81]\ntime: {step: 0.25, end: 1}\n"
                   "method: {type: none, tolerance: 1.0e-12}\nintegrator: static\n"
                   "materials: {m: {type: neo_hookean, young: 1.0e5, poisson: 0.4, density: 1100}}\n"
                   "meshes: {block: {box: {size: [0.1, 0.2, 0.3], cells: [2, 3, 4], element: hex8}}}\n"
                   "bodies: [{name: b, type: deformable, mesh: block, material: m}]\n"
                   "fixed: [{name: top, body: b, where: {face: +z}}]\n"
                   "loads: [{body: b, where: {face: -z}, traction: [0, 0, -300]}]\n");
    for (int step = 1; step <= 4; ++step) {
        const double *elastic = NULL;
        const double *external = NULL;
        double largest = 0.0;
        double off = 0.0;
        assert_done(s.ctx, brn_sim_step(s.sim, NULL));
        assert_done(s.ctx, brn_sim_forces(s.sim, &elastic, &external));
        for (int i = 0; i < 3 * s.model->nnode; ++i) {
            largest = fmax(largest, fabs(external[i]));
            off = fmax(off, s.model->fixed[i] == BRN_DOF_FREE ? fabs(elastic[i] + external[i]) : 0.0);
        }
        /* Newton stops at 1e-12 of the largest force in play, those of the holds included. */
        assert_true(largest > 0.0);
        assert_near(off, 0.0, 1e-9 * largest);
    }
    stage_close(&s);
}

/* Sum and moment about the origin of reactions, loads and weight of a bent, pressed and pulled block. */
static void test_balance(void **state)
{
    stage s;
    stage_open(&s,
               "brunt: 1\ngravity: [1, 2, -9.81]\ntime: {step: 0.25, end: 1}\n"
               "method: {type: none, tolerance: 1.0e-12}\nintegrator: static\n"
               "materials: {m: {type: neo_hookean, young: 2.0e5, poisson: 0.4, density: 1100}}\n"
               "meshes: {block: {box: {size: [0.3, 0.1, 0.1], cells: [6, 2, 2], element: tet10}}}\n"
               "bodies: [{name: b, type: deformable, mesh: block, material: m, position: [0.4, 0.1, -0.2]}]\n"
               "fixed: [{name: wall, body: b, where: {face: -x}},\n"
               "        {name: rail, body: b, where: {nearest: [0.55, 0.1, -0.2]}, axes: y}]\n"
               "loads: [{body: b, where: {face: +z}, pressure: 500},\n"
               "        {body: b, where: {face: +y}, traction: [100, 200, 300]},\n"
               "        {body: b, where: {nearest: [0.55, 0.15, -0.15]}, force: [0.5, 0.2, -0.7]}]\n");
    stage_run(&s);
    const brn_state *now = s.sim->state;
    double sum[3] = {0.0, 0.0, 0.0};
    double moment[3] = {0.0, 0.0, 0.0};
    double scale = 0.0;
    /* In a static run the weight is among the loads. */
    for (int a = 0; a < s.model->nnode; ++a) {
        double f[3];
        const double *x = &now->node_pos[3 * a];
        for (int i = 0; i < 3; ++i) {
            f[i] = now->node_react[3 * a + i] + now->node_load[3 * a + i];
            sum[i] += f[i];
            scale += fabs(now->node_react[3 * a + i]);
        }
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            moment[i] += x[j] * f[k] - x[k] * f[j];
        }
    }
    const double off = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / scale;
    const double off_moment =
        sqrt(moment[0] * moment[0] + moment[1] * moment[1] + moment[2] * moment[2]) / (0.3 * scale);
    validation_row(*state, "bent block: reactions + loads + weight", 0.0, off, off,
                   "relative to the reactions");
    validation_row(*state, "bent block: their moment", 0.0, off_moment, off_moment,
                   "relative to reactions times length");
    assert_true(off <= 1e-10 && off_moment <= 1e-10);
    stage_close(&s);
}

/* Column of a CSV file's head; -1 if it is not there. */
static int find_column(const char *head, const char *name)
{
    int column = 0;
    for (const char *at = head; at != NULL; ++column) {
        const size_t n = strcspn(at, ",\r\n");
        if (n == strlen(name) && strncmp(at, name, n) == 0) {
            return column;
        }
        at = at[n] == ',' ? at + n + 1 : NULL;
    }
    return -1;
}

static double read_column(const char *line, int column)
{
    for (int i = 0; i < column; ++i) {
        line += strcspn(line, ",");
        line += *line == ',';
    }
    return strtod(line, NULL);
}

static void test_series(void **state)
{
    static const char text[] =
        "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: 0.1, end: 1}\n"
        "method: {type: none, tolerance: 1.0e-12}\nintegrator: static\n"
        "materials: {m: {type: mooney_rivlin, c10: 1.5e5, c01: 4.0e4, bulk: 8.0e5}}\n"
        "meshes: {bar: {box: {size: [0.1, 0.02, 0.02], cells: [4, 2, 2], element: tet10}}}\n"
        "bodies: [{name: b, type: deformable, mesh: bar, material: m}]\n"
        "fixed: [{body: b, where: {face: -x}, axes: x}, {body: b, where: {face: -y}, axes: y},\n"
        "        {body: b, where: {face: -z}, axes: z},\n"
        "        {name: grip, body: b, where: {face: +x}, axes: x, motion: {velocity: [0.1, 0, 0]}}]\n";
    brn_ctx *ctx = test_ctx(1);
    brn_scene *scene = NULL;
    brn_run_options options = brn_run_options_default();
    brn_summary summary;
    options.out = RUN_DIR;
    options.overwrite = true;
    assert_done(ctx, brn_scene_parse(ctx, text, strlen(text), "bar", &scene));
    assert_done(ctx, brn_run(ctx, scene, &options, &summary));
    brn_scene_destroy(scene);
    brn_ctx_destroy(ctx);
    FILE *file = fopen(RUN_DIR "/series.csv", "r");
    assert_non_null(file);
    static char line[65536];
    do {
        assert_non_null(fgets(line, sizeof line, file));
    } while (line[0] == '#');
    const int displacement = find_column(line, "grip.dx");
    const int force_x = find_column(line, "grip.force_x");
    const int force_y = find_column(line, "grip.force_y");
    const int force_z = find_column(line, "grip.force_z");
    assert_true(displacement >= 0 && force_x >= 0);
    double worst = 0.0;
    double exact = 0.0;
    double measured = 0.0;
    int count = 0;
    for (; fgets(line, sizeof line, file) != NULL; ++count) {
        uniaxial u = {.material = "mooney_rivlin", .dim = 3};
        exact = uniaxial_pull(&u, 1.0 + read_column(line, displacement) / 0.1) * 0.02 * 0.02;
        measured = read_column(line, force_x);
        worst = fmax(worst, fabs(measured - exact));
        /* The grip holds x only: what the rails at -y and -z carry at shared nodes is not its force. */
        assert_true(force_y < 0 || !(fabs(read_column(line, force_y)) > 0.0));
        assert_true(force_z < 0 || !(fabs(read_column(line, force_z)) > 0.0));
    }
    fclose(file);
    assert_true(count >= 10);
    validation_row(*state, "bar stretched to twice its length: force in series.csv", exact, measured, worst,
                   "N at the end; error: largest along the curve");
    assert_true(worst <= 1e-10 * exact);
}

/* Quarter ring of tri6 elements, curved: n cells through the wall, 3n along it. */
static void write_ring(int n, double inner, double outer)
{
    const int columns = 2 * n + 1, rows = 6 * n + 1;
    double(*pos)[3] = calloc((unsigned)(columns * rows), sizeof *pos);
    int *conn = calloc((unsigned)(6 * n * n) * 6, sizeof *conn);
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
            const double r = inner + (outer - inner) * i / (2.0 * n),
                         angle = 1.5707963267948966 * j / (6.0 * n);
            pos[j * columns + i][0] = j == rows - 1 ? 0.0 : r * cos(angle);
            pos[j * columns + i][1] = r * sin(angle);
        }
    }
    int *at = conn;
    for (int j = 0; j < 3 * n; ++j) {
        for (int i = 0; i < n; ++i) {
            const int o = 2 * j * columns + 2 * i, c = columns;
            const int cell[12] = {o, o + 2,         o + 2 + 2 * c, o + 1,     o + 2 + c,     o + 1 + c,
                                  o, o + 2 + 2 * c, o + 2 * c,     o + 1 + c, o + 1 + 2 * c, o + c};
            memcpy(at, cell, sizeof cell);
            at += 12;
        }
    }
    inp_write(RING_INP, BRN_TRI6, columns * rows, (const double(*)[3])pos, 6 * n * n, conn);
    free(pos);
    free(conn);
}

/* Lame: u_r(r) = p a^2/(E' (b^2 - a^2)) ((1 - nu') r + (1 + nu') b^2/r), plane strain E' = E/(1 - nu^2), nu' = nu/(1 - nu).
   The bore's mean displacement is twice the elastic energy over the pressure and the arc, and converges as energies do.
   The reaction of the symmetry plane at y = 0 is -p a on each unit of depth, whatever the mesh. */
static void test_ring(void **state)
{
    const double a = 1.0, b = 2.0, p = 1.0, young = 1e6, nu = 0.3;
    const double e_plane = young / (1.0 - nu * nu), nu_plane = nu / (1.0 - nu);
    const double exact =
        p * a * a / (e_plane * (b * b - a * a)) * ((1.0 - nu_plane) * a + (1.0 + nu_plane) * b * b / a);
    double bore[3];
    double force[3];
    for (int k = 0; k < 3; ++k) {
        stage s;
        write_ring(4 << k, a, b);
        stage_open(&s,
                   "brunt: 1\ndimension: 2\ngravity: [0, 0]\ntime: {step: 1, end: 1}\n"
                   "method: {type: none, tolerance: 1.0e-12}\nintegrator: static\n"
                   "materials: {m: {type: linear, young: %g, poisson: %g}}\nmeshes: {ring: {file: \"%s\"}}\n"
                   "bodies: [{name: b, type: deformable, mesh: ring, material: m}]\n"
                   "fixed: [{name: low, body: b, where: {face: -y}, axes: y}, {body: b, where: {face: -x}, "
                   "axes: x}]\n"
                   "loads: [{body: b, where: {sphere: {centre: [0, 0], radius: 1.00001}}, pressure: %g}]\n",
                   young, nu, RING_INP, p);
        stage_run(&s);
        stage_hold_force(&s, "low", force);
        bore[k] = 2.0 * stage_report(&s).elastic / (p * 1.5707963267948966 * a);
        stage_close(&s);
    }
    double limit = 0.0;
    const double order = richardson(bore[0], bore[1], bore[2], &limit);
    validation_row(*state, "thick ring (Lame), tri6: bore's mean displacement", exact, bore[2],
                   fabs(bore[2] / exact - 1.0), "m, 16 cells through the wall, error relative");
    validation_row(*state, "thick ring (Lame), tri6: limit", exact, limit, fabs(limit / exact - 1.0),
                   "m, error relative");
    validation_row(*state, "thick ring (Lame), tri6: order", 4.0, order, fabs(order - 4.0), "");
    validation_row(*state, "thick ring (Lame), tri6: reaction of the cut", -p * a, force[1],
                   fabs(force[1] + p * a), "N/m");
    /* The pressure follows the bore, which grows by p/E: 2e-6 of the result. */
    assert_near(limit, exact, 1e-5 * exact);
    assert_near(order, 4.0, 0.3);
    assert_near(force[1], -p * a, 1e-5 * p * a);
}

static int open_rows(void **state)
{
    *state = validation_open("reactions", "Reactions and loads",
                             "Static runs. The reaction of a hanging block is its weight; reactions, loads "
                             "(traction, follower pressure, nodal "
                             "force) and weight balance, and so do their moments (1e-10, Newton stops at "
                             "1e-12 of the largest force). A "
                             "Mooney-Rivlin bar is pulled to twice its length through `brn_run`; the force "
                             "column of its `series.csv` is "
                             "compared with the closed form at every row. Lame's thick ring in plane strain "
                             "under inner pressure, curved tri6, "
                             "converges with order 4 (tolerance 0.3) to the closed form within 1e-5 (the "
                             "pressure follows the bore, a relative "
                             "change of p/E = 1e-6).");
    return 0;
}

static int close_rows(void **state)
{
    validation_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weight), cmocka_unit_test(test_forces_on_the_ramp),
        cmocka_unit_test(test_balance), cmocka_unit_test(test_series), cmocka_unit_test(test_ring)};
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
