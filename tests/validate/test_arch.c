/* A semicircular arch of loose blocks under its own weight, joints along the radii, against limit analysis (thickness t,
   radius R of the centre line). tests/reference/arch_limits.py computes, for very many blocks,

     t/R = 0.1075   thinner ones fall by hinges, whatever the friction [Milankovitch 1907];
     mu = 0.3092    below, any thickness falls by sliding;
     mu = 0.3953    above, sliding plays no part; between the two the least t/R falls from 0.198 to 0.1075.

   [Gilbert, Casapulla & Ahmed 2006] name the same three ranges. These 15 blocks have straight edges, which moves the
   limits little: hinges below t/R = 0.1061, and the least friction is 0.3090 at t/R = 0.2 and 0.380 at 0.12. Coulomb's
   sliding is not associated, so admissible forces are no proof of standing, and the blocks are elastic: the cases keep
   clear of the limits. */
#include "validate/rows.h"
#include "validate/stage.h"

enum { BLOCKS = 15 };

/* R = 1 m, on a slab; joints and feet start one dhat open. */
static char *arch_text(double thickness, double friction, int lags)
{
    const double dhat = 1e-4;
    const double half_gap = 0.5 * dhat * 180.0 / M_PI; /* degrees at R */
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    (void)fprintf(file,
                  "brunt: 1\ntime: {step: 0.01, end: 0.5}\n"
                  "method: {type: ipc, dhat: %g, kappa: 1e7, friction_speed: 1e-4, tolerance: 1e-6, "
                  "friction_iterations: %d}\n"
                  "materials: {stone: {type: neo_hookean, young: 1e9, poisson: 0.2, density: 2300}}\n"
                  "contact: {friction: %g, self: false}\nmeshes:\n"
                  "  slab: {box: {size: [4, 2, 0.1], cells: [1, 1, 1], element: hex8}}\n"
                  "  block: {sector: {inner_radius: %.17g, outer_radius: %.17g, width: 0.3, from: %.17g, to: "
                  "%.17g, cells: [1, 1, 1]}}\n"
                  "bodies:\n  - {name: slab, type: static, mesh: slab, position: [0, 0, %.17g]}\n",
                  dhat, lags, friction, 1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness, half_gap,
                  180.0 / BLOCKS - half_gap, -0.05 - 0.5 * dhat);
    for (int i = 0; i < BLOCKS; ++i) {
        (void)fprintf(file,
                      "  - {name: b%d, type: deformable, mesh: block, material: stone,\n"
                      "     rotation: [{axis: [0, 0, 1], degrees: %.17g}, {axis: [1, 0, 0], degrees: 90}]}\n",
                      i, 180.0 / BLOCKS * i);
    }
    (void)fclose(file);
    return text;
}

static const double fallen =
    0.02; /* [m] of the keystone: ten times what a standing arch settles, and growing */

/* How far the keystone sinks in half a second, and its speed at the end; seen to fall, it is not followed further. */
static double keystone_drop(double thickness, double friction, double *speed)
{
    stage s;
    stage_open_text(&s, arch_text(thickness, friction, 1));
    const brn_body *key = &s.model->body[1 + BLOCKS / 2];
    double drop = 0.0;
    while (!brn_sim_done(s.sim) && drop < fallen) {
        const brn_report r = stage_step(&s);
        assert_int_equal(r.intersections, 0);
        assert_int_equal(r.inversions, 0);
        drop = 0.0;
        *speed = 0.0;
        for (int a = key->node_first; a < key->node_first + key->node_count; ++a) {
            drop += (s.model->rest[a][2] - brn_sim_positions(s.sim)[3 * a + 2]) / key->node_count;
            *speed -= brn_sim_velocities(s.sim)[3 * a + 2] / key->node_count;
        }
    }
    stage_close(&s);
    return drop;
}

static void test_arch(void **state)
{
    (void)state;
    FILE *rows = validation_open(
        "arch", "Masonry arch",
        "A semicircular arch of 15 loose blocks (R = 1 m, E = 1 GPa), method ipc, 0.5 s under its own "
        "weight. "
        "Limit analysis (tests/reference/arch_limits.py): these blocks fall by hinges below t/R = 0.106, and "
        "by "
        "sliding below a friction of 0.309 (t/R 0.2) or 0.380 (0.12). *falls*: the keystone has sunk by 20 "
        "mm; standing ones sink by 0.25 "
        "mm at "
        "most.");
    static const struct {
        double thickness, friction;
        bool stands;
    } cases[] = {{0.2, 0.5, true},  {0.2, 0.41, true}, {0.2, 0.29, false},
                 {0.2, 0.2, false}, {0.12, 0.9, true}, {0.1, 0.9, false}};
    for (int i = 0; i < BRN_COUNT(cases); ++i) {
        double speed = 0.0;
        const double drop = keystone_drop(cases[i].thickness, cases[i].friction, &speed);
        const bool falls = drop >= fallen;
        char name[120];
        (void)snprintf(name, sizeof name, "t/R %g, mu %g", cases[i].thickness, cases[i].friction);
        print_message("%s: keystone %g m lower, sinking at %g m/s\n", name, drop, speed);
        validation_row(rows, name, !cases[i].stands, falls, fabs((double)!cases[i].stands - falls),
                       "1: falls, 0: stands");
        assert_int_equal(falls, !cases[i].stands);
        /* A standing arch settles by the closing of joints (1e-4 m) and strains of 1e-4, and then creeps at the friction's
           regularisation, a few times 1e-4 m/s. */
        assert_true(falls ? speed > 5e-2 : fabs(drop) < 2e-3 && fabs(speed) < 2e-3);
    }
    validation_close(rows);
}

/* Largest error of the cone [N] over the first steps but the very first, whose joints start open; most lags of a step. */
static double cone_error(double friction, int iterations, int *lags)
{
    stage s;
    stage_open_text(&s, arch_text(0.2, friction, iterations));
    double worst = 0.0;
    *lags = 0;
    for (int i = 0; i < 12; ++i) {
        const brn_report r = stage_step(&s);
        assert_int_equal(r.intersections, 0);
        assert_int_equal(r.substeps, 1);
        worst = i > 0 ? fmax(worst, r.cone_error) : 0.0;
        *lags = r.lags > *lags ? r.lags : *lags;
    }
    stage_close(&s);
    return worst;
}

/* Friction whose normal forces are renewed until they settle ends before its cap of 100 lags, standing or falling, and obeys
   Coulomb's law, which friction of the last step's forces does not. */
static void test_settled_friction(void **state)
{
    (void)state;
    const double weight = 2300 * 9.81 * 0.2 * 0.3 * M_PI; /* [N] */
    static const double friction[] = {0.5, 0.2};
    for (int i = 0; i < BRN_COUNT(friction); ++i) {
        int lags = 0;
        const double lagged = cone_error(friction[i], 1, &lags);
        assert_int_equal(lags, 1);
        const double settled = cone_error(friction[i], 0, &lags);
        print_message("mu %g: cone error %g N with one lag, %g N settled, in %d lags at most\n", friction[i],
                      lagged, settled, lags);
        assert_true(lags > 1 && lags < 100);
        /* a renewal changed no force by more than 1e-5 of the largest, and that is not above the weight */
        assert_true(settled < 1e-5 * weight && settled < 1e-2 * lagged);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arch), cmocka_unit_test(test_settled_friction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
