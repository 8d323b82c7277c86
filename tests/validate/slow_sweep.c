/* Scenes as somebody might write them first, without any method settings: drawn at random, a seed each, so that one can be run
   again alone. `slow_sweep FIRST COUNT` runs some of them and prints their YAML.

   A scene is stopped after SWEEP_STEPS steps or ITERATIONS iterations, so that the sweep ends. One that fails with a message is
   counted; it has said so. */
#include "flow.h"
#include "rows.h"
#include "sweep_scene.h"

#include "step/sim.h"

#include <time.h>

enum { SCENES = 200, IMPACTS = 200, RULES = 5, ITERATIONS = 3000, MANY = 100 };
static const char *const rules[RULES] = {"turning_euler", "implicit_euler", "bdf2", "newmark", "midpoint"};
static const double SLOW = 5.0;     /* [s] of processor time that a person notices */
static const double RISE = 0.0101;  /* of the largest energy; steps are repeated from 1 % on */
static const double SUSPECT = 0.02; /* of energy from nowhere; more ends a run as suspect */
static const double PUSH = 10.0;    /* weights */
static const double THICK = 0.01;   /* of the deflection */
enum { OWN_THICKNESS = 2 };         /* ipc.thickness */
static int first_scene, scene_count = SCENES, impact_count = IMPACTS;

/* ---- runs --------------------------------------------------------------------------------------------------------------- */

typedef struct outcome {
    double push;      /* weights with which contact starts, of the body where that is most */
    bool told;        /* ... and it was said */
    double gain;      /* the report's energy from nowhere, over the largest energy */
    double rise;      /* of the sum of energies, over the largest of its parts so far */
    double stiffness; /* work of stiffness that changed, over the same */
    double thickness; /* when contact pressed a body hardest, of the body where that is most */
    bool warned;      /* by the run, at its end */
    double iterations, all_iterations, seconds;
    int steps, guarded, retries;
    bool failed;
    char why[300];
} outcome;

static double sum(const brn_report *r)
{
    return r->kinetic + r->elastic + r->gravity + r->contact;
}

typedef struct pressed {
    double force, thickness;
} pressed;

/* The largest change of a distance between two nodes of a body's surface [m]. */
static double deflection(const brn_sim *sim, const brn_boundary *b)
{
    double most = 0.0;
    for (int i = 0; i < b->nnode * b->nnode; ++i) {
        const int one = b->node[i / b->nnode], other = b->node[i % b->nnode];
        double square[2] = {0.0, 0.0};
        for (int k = 0; k < 3; ++k) {
            const double now = sim->state->node_pos[3 * one + k] - sim->state->node_pos[3 * other + k];
            const double rest = sim->model->rest[one][k] - sim->model->rest[other][k];
            square[0] += now * now;
            square[1] += rest * rest;
        }
        most = fmax(most, fabs(sqrt(square[0]) - sqrt(square[1])));
    }
    return most;
}

/* Gaps over the deflection of bodies that contact presses harder than ever before, and than weights explain. */
static void press(const flow *f, pressed *bodies)
{
    const brn_model *model = f->sim->model;
    double weight = 0.0;
    int count = 0;
    const brn_contact_point *p = brn_sim_contacts(f->sim, &count);
    for (int b = 0; b < model->nbody; ++b) {
        const double g = fabs(model->gravity[model->dim - 1]);
        weight += model->body[b].type != BRN_BODY_STATIC ? g * model->body[b].mass : 0.0;
    }
    for (int b = 0; b < model->nbody; ++b) {
        double sum_of = 0.0, largest = 0.0, gap = 0.0;
        for (int i = 0; i < 2 * count; ++i) {
            const double force = p[i / 2].body[i % 2] == b ? p[i / 2].normal_force : 0.0;
            sum_of += force;
            largest = fmax(largest, force);
        }
        for (int i = 0; i < 2 * count; ++i) {
            const bool carries = p[i / 2].body[i % 2] == b && p[i / 2].normal_force > 0.01 * largest;
            gap = carries ? fmax(gap, p[i / 2].gap) : gap;
        }
        /* Sheets bend without any change of distances to speak of: solids. */
        const bool deforms = model->body[b].type == BRN_BODY_DEFORMABLE;
        if (deforms && sum_of > fmax(4.0 * weight, bodies[b].force)) {
            const double change = deflection(f->sim, model->body[b].boundary);
            bodies[b] = (pressed){sum_of, change > 0.0 ? gap / change : INFINITY};
        }
    }
}

static void follow(flow *f, outcome *out)
{
    brn_report r = {0};
    assert_done(f->ctx, brn_sim_report(f->sim, &r));
    const double start = sum(&r);
    const double gravity = r.gravity;
    double scale = fmax(r.kinetic, r.contact);
    double gain = 0.0;
    pressed *bodies = calloc((size_t)f->sim->model->nbody, sizeof *bodies);
    assert_non_null(bodies);
    while (!brn_sim_done(f->sim) && out->all_iterations < ITERATIONS) {
        if (brn_sim_step(f->sim, &r) < 0) {
            out->failed = true;
            (void)snprintf(out->why, sizeof out->why, "%s", brn_ctx_message(f->ctx));
            break;
        }
        scale = fmax(scale, fmax(fmax(r.kinetic, r.elastic), fmax(r.contact, fabs(r.gravity - gravity))));
        out->steps++;
        out->guarded += r.guarded;
        out->retries += r.retries;
        gain = fmax(gain, r.energy_gain);
        out->rise = fmax(out->rise, (sum(&r) - start) / scale);
        out->stiffness = fmax(out->stiffness, r.stiffness_work / scale);
        out->iterations = fmax(out->iterations, (double)r.iterations);
        out->all_iterations += (double)r.iterations;
        press(f, bodies);
        out->warned = r.own[OWN_THICKNESS] > THICK;
    }
    for (int b = 0; b < f->sim->model->nbody; ++b) {
        out->thickness = fmax(out->thickness, bodies[b].thickness);
    }
    free(bodies);
    out->gain = scale > 0.0 ? gain / scale : gain;
}

static outcome run(const char *text, const char *sets)
{
    outcome out = {0};
    flow f;
    brn_start start = {0};
    const clock_t began = clock();
    const brn_status status = flow_try(1, text, sets, &f);
    if (status >= 0) {
        char *choices = NULL;
        assert_done(f.ctx, brn_model_rehearse(f.ctx, f.model, &start, &choices));
        brn_ctx_free(f.ctx, choices);
        /* Without gravity there is no weight to compare with, but contact must not throw bodies either. */
        out.push = start.weight > 0.0 ? start.force / start.weight : start.force > 0.0 ? INFINITY : 0.0;
        out.told = start.throws;
        follow(&f, &out);
    } else {
        out.failed = true;
        (void)snprintf(out.why, sizeof out.why, "%s", brn_ctx_message(f.ctx));
        for (int i = 0; f.scene != NULL && i < brn_scene_problem_count(f.scene); ++i) {
            print_error("%s\n", brn_scene_problem(f.scene, i));
        }
    }
    flow_close(&f);
    out.seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    return out;
}

static void print_outcome(const char *what, int number, const char *rule, const outcome *o)
{
    print_message("%s %d %s: push %.3g%s, gain %.2g, rise %.2g, stiffness %.2g, thickness %.2g%s, %d steps, "
                  "%g and %g iterations, "
                  "%d guarded, %d retries, %.2f s%s%s\n",
                  what, number, rule, o->push, o->told ? " told" : "", o->gain, o->rise, o->stiffness,
                  o->thickness, o->warned ? " warned" : "", o->steps, o->iterations, o->all_iterations,
                  o->guarded, o->retries, o->seconds, o->failed ? ": " : "", o->why);
}

/* Energy that appears, and too little of it to end the run as suspect. */
static bool rose_unnoticed(const outcome *o)
{
    return o->rise > RISE || (o->gain > RISE && o->gain <= SUSPECT);
}

/* ---- tests -------------------------------------------------------------------------------------------------------------- */

static void test_scenes(void **state)
{
    outcome worst = {0};
    int failed = 0, pushed = 0, rose = 0, thick = 0, many = 0, slow = 0, cut = 0;
    for (int n = first_scene; n < first_scene + scene_count; ++n) {
        char *text = draw_scene(n, false);
        const outcome o = run(text, NULL);
        const bool pushes = o.push > PUSH && !o.told;
        const bool rises = rose_unnoticed(&o);
        /* The run fits a rotation and may find up to twice this deflection. */
        const bool thicker = o.thickness > 2.0 * THICK && !o.warned;
        failed += o.failed;
        pushed += pushes;
        rose += rises;
        thick += thicker;
        many += o.iterations > MANY;
        slow += o.seconds > SLOW;
        cut += o.all_iterations >= ITERATIONS;
        worst.push = fmax(worst.push, o.told ? 0.0 : o.push);
        worst.rise = fmax(worst.rise, fmax(o.gain, o.rise));
        worst.iterations = fmax(worst.iterations, o.iterations);
        print_outcome("scene", n, "", &o);
        if (pushes || rises || thicker || o.failed || o.iterations > MANY || o.seconds > SLOW ||
            *state == NULL) {
            printf("%s", text); /* cmocka cuts long ones */
        }
        free(text);
    }
    print_message("%d scenes: %d failed, %d pushed, %d rose, %d thick, %d of more than %d iterations in a "
                  "step, %d slow, %d cut\n",
                  scene_count, failed, pushed, rose, thick, many, MANY, slow, cut);
    if (*state != NULL) {
        char note[200];
        validation_row(*state, "200 scenes: largest force at the start that was not told", 0.0, worst.push,
                       NAN, "weights");
        validation_row(*state, "200 scenes: largest rise of energy", 0.0, worst.rise, worst.rise,
                       "of the largest energy");
        (void)snprintf(note, sizeof note, "in a step; %d of the scenes take more than %d", many, MANY);
        validation_row(*state, "200 scenes: most iterations", NAN, worst.iterations, NAN, note);
        validation_row(*state, "200 scenes: stopped with a message", 0.0, failed, NAN, "scenes");
    }
    assert_int_equal(pushed, 0);
    assert_int_equal(rose, 0);
    assert_int_equal(thick, 0);
}

static void test_impacts(void **state)
{
    double worst[RULES] = {0}, nowhere[RULES] = {0};
    int rose = 0, guarded[RULES] = {0}, failed[RULES] = {0};
    for (int n = first_scene; n < first_scene + impact_count; ++n) {
        char *text = draw_scene(n, true);
        bool bad = false;
        for (int k = 0; k < RULES; ++k) {
            char set[40];
            (void)snprintf(set, sizeof set, "integrator=%s", rules[k]);
            const outcome o = run(text, set);
            const bool rises = rose_unnoticed(&o);
            worst[k] = fmax(worst[k], o.rise);
            nowhere[k] = fmax(nowhere[k], o.gain);
            guarded[k] += o.guarded;
            failed[k] += o.failed;
            rose += rises;
            bad = bad || rises || o.failed;
            if (rises || o.failed || o.iterations > MANY || *state == NULL) {
                print_outcome("impact", n, rules[k], &o);
            }
        }
        if (bad || *state == NULL) {
            printf("%s", text); /* cmocka cuts long ones */
        }
        free(text);
    }
    for (int k = 0; k < RULES; ++k) {
        char name[100];
        char note[200];
        (void)snprintf(name, sizeof name, "200 impacts, %s: largest rise of energy", rules[k]);
        (void)snprintf(note, sizeof note,
                       "of the largest; at most %.2g appears from nowhere, %d steps were repeated by the "
                       "guard, %d impacts stopped with a message",
                       nowhere[k], guarded[k], failed[k]);
        if (*state != NULL) {
            validation_row(*state, name, 0.0, worst[k], worst[k], note);
        } else {
            print_message("%s: %g %s\n", name, worst[k], note);
        }
    }
    assert_int_equal(rose, 0);
}

/* ---- */

static int open_rows(void **state)
{
    if (scene_count == SCENES) {
        *state = validation_open("sweep", "First scenes, without method settings",
                                 "Scenes drawn at random, as somebody might write them first: two and three "
                                 "dimensions, 1 mm to 3 m, Young's moduli "
                                 "from 1e4 to 2e11 Pa, one to four bodies, rigid, deformable and shells, "
                                 "laid or thrown onto planes, boxes and balls, "
                                 "steps over three decades, at most 100 each. None starts with a contact "
                                 "force above ten weights without a "
                                 "warning, none gains more than 1 % of its energy, and contact is thinner "
                                 "than 1 % of the deflection, or the run warns. "
                                 "Impacts: one or two bodies without gravity, each with all integrators.");
    }
    return 0;
}

static int close_rows(void **state)
{
    if (*state != NULL) {
        validation_close(*state);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        first_scene = atoi(argv[1]);
        scene_count = impact_count = atoi(argv[2]);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes), cmocka_unit_test(test_impacts)};
    return cmocka_run_group_tests(tests, open_rows, close_rows);
}
