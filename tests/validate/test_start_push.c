/* What is said of contact forces at the start where there is no gravity, against what then happens: bodies at rest on a floor, on
   each other or between walls, with gaps and barriers of all sizes, drawn at random; a scene is numbered, so that it can be run
   again alone. */
#include "flow.h"

#include "base/rng.h"
#include "model/model.h"
#include "step/sim.h"

enum { SCENES = 120, STEPS = 60 };
/* Estimates are good to a factor: what is told moves by at least WAY_LEAST of its size (a tenth is the limit) or is strained
   by STRAIN_LEAST (limit 1 %), and what moves or is strained by more than the _MOST is told. */
static const double WAY_LEAST = 0.02, WAY_MOST = 0.5;
static const double STRAIN_LEAST = 0.001, STRAIN_MOST = 0.05;

typedef struct scene {
    char text[1500];
    double size, young;
    bool rigid, walled;
} scene;

static double decade(brn_rng *rng, double lo, double hi)
{
    return pow(10.0, brn_rng_uniform(rng, lo, hi));
}

/* One or two boxes above a floor, or one between two walls. */
static scene draw(int number)
{
    brn_rng rng = {977 + 7919 * (uint64_t)number};
    scene s = {.size = decade(&rng, -3.0, 0.0), .young = decade(&rng, 4.0, 10.0)};
    const double density = decade(&rng, 2.0, 4.0);
    const double dhat = s.size * decade(&rng, -5.0, -1.2);
    const double gap = dhat * brn_rng_uniform(&rng, 0.05, 1.0);
    const double kappa = s.young * decade(&rng, -3.0, 1.0);
    /* long enough for a stress wave to pass many times */
    const double end = s.size * sqrt(density / s.young) * decade(&rng, 1.5, 3.0);
    const int bodies = 1 + (int)(brn_rng_next(&rng) % 2);
    s.walled = bodies == 1 && brn_rng_next(&rng) % 2 == 0;
    s.rigid = brn_rng_next(&rng) % (s.walled ? 4 : 2) == 0;
    int n =
        snprintf(s.text, sizeof s.text,
                 "brunt: 1\ngravity: [0, 0, 0]\ntime: {step: %.6g, end: %.6g}\n"
                 "method: {type: ipc, dhat: %.9g, kappa: %.6g}\n"
                 "materials: {a: {type: neo_hookean, young: %.6g, poisson: 0.3, density: %.6g}}\n"
                 "meshes: {m: {box: {size: [%.9g, %.9g, %.9g], cells: [2, 2, 2], element: hex8}}}\nbodies:\n",
                 end / STEPS, end, dhat, kappa, s.young, density, s.size, s.size, s.size);
    for (int b = 0; b < bodies; ++b) {
        n += snprintf(s.text + n, sizeof s.text - (size_t)n,
                      "  - {name: b%d, position: [0, 0, %.12g], type: ", b,
                      gap + 0.5 * s.size + b * (gap + s.size));
        n += s.rigid ? snprintf(s.text + n, sizeof s.text - (size_t)n,
                                "rigid, density: %.6g, shape: {box: {size: [%.9g, %.9g, %.9g]}}}\n", density,
                                s.size, s.size, s.size)
                     : snprintf(s.text + n, sizeof s.text - (size_t)n, "deformable, mesh: m, material: a}\n");
    }
    n += snprintf(s.text + n, sizeof s.text - (size_t)n,
                  "  - {name: floor, type: static, shape: {plane: {}}}\n");
    if (s.walled) {
        n += snprintf(
            s.text + n, sizeof s.text - (size_t)n,
            "  - {name: lid, type: static, position: [0, 0, %.12g], shape: {plane: {normal: [0, 0, -1]}}}\n",
            2.0 * gap + s.size);
    }
    assert_true(n < (int)sizeof s.text);
    return s;
}

static void test_no_gravity(void **state)
{
    int told = 0, thrown = 0, strained = 0;
    for (int number = 0; number < SCENES; ++number) {
        const scene s = draw(number);
        flow f = flow_open(1, s.text, NULL);
        brn_start start;
        char *choices = NULL;
        assert_done(f.ctx, brn_model_rehearse(f.ctx, f.model, &start, &choices));
        brn_ctx_free(f.ctx, choices);
        const int nnode =
            f.model->body[0].node_count; /* the first is the floor's neighbour, and as many in the second */
        double *x0 = malloc((size_t)f.model->nnode * 3 * sizeof *x0);
        memcpy(x0, brn_sim_positions(f.sim), (size_t)f.model->nnode * 3 * sizeof *x0);
        double way = 0.0, strain = 0.0;
        while (!brn_sim_done(f.sim)) {
            brn_report r;
            assert_done(f.ctx, brn_sim_step(f.sim, &r));
            strain = fmax(strain, s.rigid ? 0.0 : sqrt(2.0 * r.elastic / (s.young * pow(s.size, 3))));
        }
        for (int b = 0; b < f.model->nbody; ++b) {
            double sum = 0.0;
            for (int a = 0; a < nnode && f.model->body[b].type != BRN_BODY_STATIC; ++a) {
                const int i = 3 * (f.model->body[b].node_first + a) + 2;
                sum += brn_sim_positions(f.sim)[i] - x0[i];
            }
            way = fmax(way, fabs(sum) / nnode / s.size);
        }
        free(x0);
        flow_close(&f);
        told += start.throws;
        thrown += start.throws && way > WAY_MOST;
        strained += start.throws && strain > 0.01;
        const bool wrong =
            start.throws ? way < WAY_LEAST && strain < STRAIN_LEAST : way > WAY_MOST || strain > STRAIN_MOST;
        if (wrong || state == NULL) {
            print_message(
                "scene %d%s%s: %s; estimated strain %.3g, speed %.3g m/s; moved %.3g sizes, strain %.3g\n",
                number, s.rigid ? " rigid" : "", s.walled ? " walled" : "",
                start.throws ? "told" : "not told", start.strain, start.speed, way, strain);
        }
        assert_false(wrong && state != NULL);
    }
    print_message("%d of %d told, %d thrown, %d strained\n", told, SCENES, thrown, strained);
    /* both kinds occur, and neither is rare */
    assert_in_range(told, SCENES / 4, 3 * SCENES / 4);
    assert_true(thrown > 0 && strained > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_gravity)};
    if (argc > 1 && argv[1] != NULL) {
        test_no_gravity(NULL);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
