/* Balls and capsules in meshes, with method `bbi` and no settings: what is round meets each face for itself, and a face that is met on the way, or seen again, is
   no other than it was. Scenes of slow_point_sweep that made up to 20 times their energy. */
#include "flow.h"
#include "sweep_scene.h"

#include "step/bbi/bbi.h"
#include "step/sim.h"

static void test_energy(void **state)
{
    static const struct {
        int number;
        bool impact;
    } scenes[] = {{49, false}, {52, false}, {83, true}};
    (void)state;
    for (int k = 0; k < BRN_COUNT(scenes); ++k) {
        char *text = draw_scene(scenes[k].number, scenes[k].impact);
        flow f = flow_open(1, text, "method={type: bbi}");
        brn_report r = {0};
        double most = 0.0;
        while (!brn_sim_done(f.sim)) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            most = fmax(most, r.kinetic + r.elastic);
            assert_true(r.energy_gain < 0.02 * most); /* more is suspect; measured 0.0097 */
        }
        flow_close(&f);
        free(text);
    }
}

/* What is deep in something while its surface faces the other way, and turns to face it in a step, has been there all the time: it is not thrown out within
   that step. A scene that did so was right or made twenty times its energy by what rounding decided; the modulus draws the lots. */
static void test_rounding(void **state)
{
    char *text = draw_scene(52, false);
    (void)state;
    for (int k = 6; k < 10; ++k) {
        char sets[100];
        (void)snprintf(sets, sizeof sets, "method={type: bbi};materials.a.young=154100.0000000%d", k);
        flow f = flow_open(1, text, sets);
        brn_report r = {0};
        double most = 0.0;
        while (!brn_sim_done(f.sim)) {
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            most = fmax(most, r.kinetic + r.elastic);
            assert_true(r.energy_gain < 0.02 * most);
        }
        flow_close(&f);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_energy), cmocka_unit_test(test_rounding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
