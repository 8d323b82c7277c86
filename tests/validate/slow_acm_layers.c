/* Method `acm`: in no scene of the gallery anything meets, whatever first layer it is given: stiffness, thickness and step over four decades each. Scenes are
   coarser and shorter than they are in the gallery, but go on beyond the first contact. */
#include "flow.h"
#include "validate/acm_bounces.h"
#include "validate/rows.h"

#include "step/acm/acm.h"
#include "step/sim.h"

static const struct {
    const char *name, *set[4];
} scenes[] = {
    {"two-bars", {"meshes.bar.box.cells=[20, 1, 1]", "time.end=1"}},
    {"sphere-plate",
     {"meshes.sphere.icosphere.subdivisions=2", "meshes.plate.disc.resolution=0.07", "time.end=2.0e-4"}},
    {"bed-of-nails", {"meshes.cloth.grid.cells=[10, 10]", "time.end=0.12"}},
    {"drape", {"method=acm", "meshes.cloth.grid.cells=[10, 10]", "time.end=0.1"}},
    {"ball-pit", {"bodies.ball.repeat.count=[2, 2, 2]", "time.end=0.14"}},
    {"reef-knot", {"time.end=0.02"}},
    {"trash-compactor", {"meshes.rag.grid.cells=[3, 3]", "time.end=0.06"}},
};

/* A layer that is both stiffer and thicker than the gap at the start shoots bodies off, and ends a run with the limit of its layers: not among these.
   Factors of stiffness, thickness and step of what the method would choose. */
static const double factors[][3] = {{0.01, 1.0, 1.0},   {100.0, 1.0, 1.0},  {1.0, 1e-3, 1.0},
                                    {1.0, 10.0, 1.0},   {1.0, 1.0, 0.01},   {1.0, 1.0, 100.0},
                                    {0.01, 0.1, 100.0}, {100.0, 1.0, 100.0}};

static flow open_scene(int which, const double *first)
{
    char path[300];
    flow f = {.ctx = test_ctx(2)};
    (void)snprintf(path, sizeof path, BRN_SOURCE_DIR "/scenes/%s/scene.yaml", scenes[which].name);
    assert_done(f.ctx, brn_scene_load(f.ctx, path, &f.scene));
    for (int i = 0; i < BRN_COUNT(scenes[which].set) && scenes[which].set[i] != NULL; ++i) {
        assert_done(f.ctx, brn_scene_set(f.scene, scenes[which].set[i]));
    }
    for (int i = 0; first != NULL && i < 3; ++i) {
        static const char *const keys[] = {"stiffness", "thickness", "step"};
        char set[100];
        (void)snprintf(set, sizeof set, "method.%s=%.9g", keys[i], first[i]);
        assert_done(f.ctx, brn_scene_set(f.scene, set));
    }
    assert_done(f.ctx, brn_model_compile(f.ctx, f.scene, &f.model));
    assert_done(f.ctx, brn_sim_create(f.ctx, f.model, &f.sim));
    return f;
}

/* Stiffness, thickness and step that the thinnest layer on the lightest node has by default. */
static void chosen(int which, double first[3])
{
    flow f = open_scene(which, NULL);
    const brn_acm *acm = f.sim->self;
    double most = 0.0;
    int level = BRN_ACM_LEVELS - 1;
    for (int a = 0; a < f.model->nnode; ++a) {
        most = fmax(most, acm->inverse[a]);
        level = acm->node_level[a] < level ? acm->node_level[a] : level;
    }
    first[0] = brn_acm_first_layer(acm, acm->eta_least, 1.0 / most, &level);
    first[1] = acm->eta_least;
    first[2] = acm->seconds[level];
    flow_close(&f);
}

/* Runs to the end; the deepest layer. */
static double run_scene(int which, const double *first, double *gap)
{
    flow f = open_scene(which, first);
    brn_report r = {0};
    double deepest = 0.0;
    *gap = INFINITY;
    while (!brn_sim_done(f.sim)) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        assert_int_equal(r.intersections, 0);
        assert_true(r.gap_min > 0.0);
        *gap = fmin(*gap, r.gap_min);
        deepest = fmax(deepest, r.own[BRN_ACM_DEEPEST]);
    }
    flow_close(&f);
    return deepest;
}

static void test_any_layers(void **state)
{
    FILE *rows = *state;
    for (int which = 0; which < BRN_COUNT(scenes); ++which) {
        double base[3];
        double least = INFINITY;
        double deepest = 0.0;
        chosen(which, base);
        for (int k = 0; k < BRN_COUNT(factors); ++k) {
            double first[3];
            double gap;
            for (int i = 0; i < 3; ++i) {
                first[i] = base[i] * factors[k][i];
            }
            const double layer = run_scene(which, first, &gap);
            print_message("%s %d: layer %g, gap %g\n", scenes[which].name, k, layer, gap);
            deepest = fmax(deepest, layer);
            least = fmin(least, gap);
        }
        char note[60];
        (void)snprintf(note, sizeof note, "%s, layers down to %g", scenes[which].name, deepest);
        assert_true(deepest >= 1.0);
        validation_row(rows, "smallest gap of a state [m]", NAN, isinf(least) ? NAN : least, NAN, note);
    }
}

/* Errors of many bounces add up like those of chance; there is no trend. */
static void test_many_bounces(void **state)
{
    static const char *const layers[] = {"cubic", "quadratic"};
    for (int k = 0; k < BRN_COUNT(layers); ++k) {
        int bounces;
        double steps;
        const double worst = bounce(*state, layers[k], 1.0e4, &bounces, &steps);
        assert_true(bounces > 10000 && steps > 1e7);
        assert_true(worst <
                    (k == 0 ? 5e-3 : 2e-2)); /* the first as in the short run; layers with a kink walk */
    }
}

static int open_rows(void **state)
{
    *state = validation_open(
        "acm_layers", "Any layers, and many bounces",
        "Scenes of the gallery, coarser and shorter, with `acm` and first layers whose stiffness, "
        "thickness and step are a hundredth to a hundred times (thickness: a thousandth to ten "
        "times) what the method would choose: nothing meets in any. And two bodies that bounce off "
        "each other and the walls of a box for as long as 1e4 s.");
    return 0;
}

static int close_rows(void **state)
{
    validation_close(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_many_bounces),
                                       cmocka_unit_test(test_any_layers)};
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
