/* The scenes of slow_sweep.c with the methods that answer contact at points, `sap` and `bbi`, and no settings. Whatever is not right must be said: a run stops with a message, or it gains more
   energy than a run may and ends as suspect, or a warning tells of bodies deep in each other. Of all others the sum of energies does not rise,
   and nothing is deep in anything else at the end.
   Then as many impacts without gravity with `bbi`, from soft to stiff, over three decades of steps.
   `slow_point_sweep METHOD FIRST COUNT` runs some of them and prints their YAML; METHOD may be `impacts`. */
#include "flow.h"
#include "sweep_scene.h"

#include "step/bbi/bbi.h"
#include "step/sap/sap.h"
#include "step/sim.h"

#include <time.h>

enum { SCENES = 200, ITERATIONS = 20000 };
static const double SUSPECT = 0.02; /* of the largest energy from nowhere; more ends a run as suspect */
static const double DEEP = 0.05;    /* of the size of a body */
static int first_scene, scene_count = SCENES;
static const char *only; /* method */

typedef struct outcome {
    double gain, rise, depth; /* over the largest energy, over the smaller of two bodies */
    double iterations, seconds;
    int steps;
    double overlap; /* as the run has it */
    bool failed;
    char why[300];
} outcome;

static double size_of(const brn_body *body)
{
    return body->type == BRN_BODY_STATIC ? INFINITY : cbrt(body->volume);
}

/* The deepest contact, over the size of the smaller body. */
static double depth_of(const flow *f)
{
    int count = 0;
    const brn_contact_point *p = brn_sim_contacts(f->sim, &count);
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        const brn_body *body = f->model->body;
        most = fmax(most, -p[i].gap / fmin(size_of(&body[p[i].body[0]]), size_of(&body[p[i].body[1]])));
    }
    return most;
}

static outcome run(const char *text, const char *method)
{
    outcome out = {0};
    char sets[64];
    flow f;
    brn_report r = {0};
    const clock_t began = clock();
    (void)snprintf(sets, sizeof sets, "method={type: %s}", method);
    const brn_status status = flow_try(1, text, sets, &f);
    assert_done(f.ctx, status);
    assert_done(f.ctx, brn_sim_report(f.sim, &r));
    const double start = r.kinetic + r.elastic + r.gravity + r.contact;
    const double gravity = r.gravity;
    double scale = r.kinetic;
    while (!brn_sim_done(f.sim) && out.iterations < ITERATIONS && !out.failed) {
        out.failed = brn_sim_step(f.sim, &r) < 0;
        if (out.failed) {
            (void)snprintf(out.why, sizeof out.why, "%s", brn_ctx_message(f.ctx));
            break;
        }
        scale = fmax(scale, fmax(fmax(r.kinetic, r.elastic), fabs(r.gravity - gravity)));
        out.gain = fmax(out.gain, scale > 0.0 ? r.energy_gain / scale : 0.0);
        out.rise = fmax(out.rise,
                        scale > 0.0 ? (r.kinetic + r.elastic + r.gravity + r.contact - start) / scale : 0.0);
        out.iterations += (double)r.iterations;
        out.steps++;
    }
    out.depth = depth_of(&f);
    out.overlap = r.own[strcmp(method, "sap") == 0 ? (int)BRN_SAP_OVERLAP : (int)BRN_BBI_OVERLAP];
    out.seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    flow_close(&f);
    return out;
}

static void sweep(const char *name, const char *method, bool impacts)
{
    int failed = 0, suspect = 0, rose = 0, deep = 0, slow = 0;
    if (only != NULL && strcmp(name, only) != 0) {
        skip();
    }
    for (int n = first_scene; n < first_scene + scene_count; ++n) {
        char *text = draw_scene(n, impacts);
        const outcome o = run(text, method);
        const bool told = o.failed || o.gain > SUSPECT;
        failed += o.failed;
        suspect += !o.failed && o.gain > SUSPECT;
        rose += !told && o.rise > SUSPECT;
        deep += !told && o.depth > DEEP && !(o.overlap > 0.99 * DEEP); /* a warning tells */
        slow += o.seconds > 5.0;
        print_message("scene %d: gain %.2g, rise %.2g, depth %.2g, %d steps, %g iterations, %.2f s%s%s\n", n,
                      o.gain, o.rise, o.depth, o.steps, o.iterations, o.seconds, o.failed ? ": " : "", o.why);
        if (o.failed || o.gain > SUSPECT || o.rise > SUSPECT || o.depth > DEEP) {
            printf("%s", text); /* cmocka cuts long ones */
        }
        free(text);
    }
    print_message("%d scenes: %d stopped with a message, %d suspect, %d rose, %d deep, %d slow\n",
                  scene_count, failed, suspect, rose, deep, slow);
    assert_int_equal(rose, 0);
    assert_int_equal(deep, 0);
}

static void test_sap(void **state)
{
    (void)state;
    sweep("sap", "sap", false);
}

static void test_bbi(void **state)
{
    (void)state;
    sweep("bbi", "bbi", false);
}

static void test_impacts(void **state)
{
    (void)state;
    sweep("impacts", "bbi", true);
}

int main(int argc, char **argv)
{
    if (argc == 4) {
        only = argv[1];
        first_scene = atoi(argv[2]);
        scene_count = atoi(argv[3]);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sap), cmocka_unit_test(test_bbi),
                                       cmocka_unit_test(test_impacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
