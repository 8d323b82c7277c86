/* Scenes as somebody might write them first, without any method settings: drawn at random, a seed each, so that one can be run
   again alone. `slow_sweep FIRST COUNT` runs some of them and prints their YAML.

   A scene is stopped after STEPS steps or ITERATIONS iterations, so that the sweep ends. One that fails with a message is
   counted; it has said so. */
#include "flow.h"
#include "rows.h"

#include "base/rng.h"
#include "step/sim.h"

#include <time.h>

enum { SCENES = 200, IMPACTS = 200, RULES = 5, STEPS = 100, ITERATIONS = 3000, MANY = 100 };
static const char *const rules[RULES] = {"turning_euler", "implicit_euler", "bdf2", "newmark", "midpoint"};
static const double SLOW = 5.0;     /* [s] of processor time that a person notices */
static const double RISE = 0.01;    /* of the largest energy: below what a person would call a gain */
static const double PUSH = 10.0;    /* weights */
static const double THICK = 0.01;   /* of the deflection */
static const double GRAVITY = 9.81; /* [m/s^2] */
enum { OWN_THICKNESS = 2 };         /* ipc.thickness */
static int first_scene, scene_count = SCENES, impact_count = IMPACTS;

/* ---- scenes ------------------------------------------------------------------------------------------------------------- */

typedef struct draw {
    brn_rng rng;
    int dim;
    bool falls, hits;   /* gravity; thrown at each other, not laid onto each other */
    double size, young; /* [m], [Pa] */
    double density, speed, h;
    double top; /* [m] height of what is there so far */
    char bodies[4000], meshes[2000];
} draw;

static double pick(draw *d, double lo, double hi)
{
    return brn_rng_uniform(&d->rng, lo, hi);
}

static double pick_decade(draw *d, double lo, double hi)
{
    return pow(10.0, pick(d, lo, hi));
}

static int pick_one(draw *d, int count)
{
    return (int)(brn_rng_next(&d->rng) % (uint64_t)count);
}

static void __attribute__((format(printf, 3, 4))) add(char *to, size_t size, const char *format, ...)
{
    va_list list;
    const size_t at = strlen(to);
    va_start(list, format);
    assert_true(vsnprintf(to + at, size - at, format, list) < (int)(size - at));
    va_end(list);
}

/* A point at a height, off the axis by x. */
static void add_place(draw *d, const char *key, double x, double height)
{
    if (d->dim == 2) {
        add(d->bodies, sizeof d->bodies, ", %s: [%.6g, %.9g]", key, x, height);
    } else {
        add(d->bodies, sizeof d->bodies, ", %s: [%.6g, %.6g, %.9g]", key, x, -0.3 * x, height);
    }
}

static void add_sizes(const draw *d, char *to, size_t size, const double box[3])
{
    if (d->dim == 2) {
        add(to, size, "[%.6g, %.6g]", box[0], box[2]);
    } else {
        add(to, size, "[%.6g, %.6g, %.6g]", box[0], box[1], box[2]);
    }
}

/* Half the height of a box. */
static double extent(const double up[3], const double box[3])
{
    return 0.5 * (fabs(up[0]) * box[0] + fabs(up[1]) * box[1] + fabs(up[2]) * box[2]);
}

/* A body's kind and shape; its half height, turned so that `up` is the vertical in its own axes. */
static double add_shape(draw *d, int number, const double up[3])
{
    static const char *const elements[2][3] = {{"tri3", "tri3", "tri6"}, {"tet4", "hex8", "tet10"}};
    const double r = 0.5 * d->size * pick(d, 0.5, 1.5);
    const double box[3] = {2.0 * r, 2.0 * r * pick(d, 0.5, 1.0), 2.0 * r * pick(d, 0.2, 1.0)};
    const int shape = pick_one(d, 3);
    const int kind = pick_one(d, d->dim == 3 ? 5 : 4); /* two of them rigid, two deformable, a shell */
    char *b = d->bodies;
    char *m = d->meshes;
    const size_t nb = sizeof d->bodies, nm = sizeof d->meshes;
    double half = shape == 0 ? r : extent(up, box);
    if (kind < 2) {
        add(b, nb, "type: rigid, density: %.4g, shape: ", d->density);
        if (shape == 0) {
            add(b, nb, "{sphere: {radius: %.6g}}", r);
        } else if (shape == 1) {
            add(b, nb, "{box: {size: ");
            add_sizes(d, b, nb, box);
            add(b, nb, "}}");
        } else {
            half = 0.5 * r + r * fabs(up[2]);
            add(b, nb, "{capsule: {radius: %.6g, height: %.6g}}", 0.5 * r, 2.0 * r);
        }
    } else if (kind < 4) {
        const int cells = 2 + pick_one(d, 3);
        const char *element = elements[d->dim - 2][pick_one(d, 3)];
        add(b, nb, "type: deformable, mesh: m%d, material: a", number);
        if (shape == 0) {
            add(m, nm, "  m%d: {%s: {radius: %.6g, resolution: %.6g}}\n", number,
                d->dim == 2 ? "disc" : "sphere", r, 2.0 * r / cells);
        } else {
            add(m, nm, "  m%d: {box: {size: ", number);
            add_sizes(d, m, nm, box);
            add(m, nm,
                d->dim == 2 ? ", cells: [%d, 2], element: %s}}\n" : ", cells: [%d, 2, 2], element: %s}}\n",
                cells, element);
        }
    } else {
        const double thickness = d->size * pick_decade(d, -3.0, -1.5);
        half = extent(up, (const double[3]){box[0], box[1], 0.0}) + 0.5 * thickness;
        add(b, nb, "type: shell, mesh: m%d, material: sheet, thickness: %.6g", number, thickness);
        add(m, nm, "  m%d: {grid: {size: [%.6g, %.6g], cells: [6, 5]}}\n", number, box[0], box[1]);
    }
    return half;
}

/* The vertical in the axes of a body turned about (1, 2, 3), in 2D about the axis of the plane: e, turned back. */
static void turn_up(const draw *d, double degrees, double up[3])
{
    const double a = -degrees * 3.14159265358979 / 180.0;
    const double n[3] = {1.0 / sqrt(14.0), 2.0 / sqrt(14.0), 3.0 / sqrt(14.0)};
    if (d->dim == 2) {
        up[0] = -sin(a);
        up[1] = 0.0;
        up[2] = cos(a);
        return;
    }
    const double cross[3] = {n[1], -n[0], 0.0};
    for (int i = 0; i < 3; ++i) {
        up[i] = cos(a) * (i == 2) + sin(a) * cross[i] + (1.0 - cos(a)) * n[2] * n[i];
    }
}

static void add_body(draw *d, int number)
{
    double up[3];
    const double degrees = d->hits ? pick(d, 0.0, 90.0) : 0.0;
    turn_up(d, degrees, up);
    add(d->bodies, sizeof d->bodies, "  - {name: b%d, ", number);
    const double half = add_shape(d, number, up);
    /* near enough to meet within the steps */
    const double gap = d->hits ? d->h * d->speed * pick(d, 0.1, 10.0) : d->size * pick_decade(d, -5.0, -2.0);
    add_place(d, "position", d->size * pick(d, -0.1, 0.1), d->top + gap + half);
    d->top += gap + 2.0 * half;
    if (d->hits) {
        const double spin = d->speed / d->size * pick(d, -3.0, 3.0);
        add(d->bodies, sizeof d->bodies, ", rotation: {%sdegrees: %.12g}",
            d->dim == 3 ? "axis: [1, 2, 3], " : "", degrees);
        /* the higher the faster: they all meet */
        add_place(d, "velocity", d->speed * pick(d, -0.3, 0.3), -d->speed * (0.5 + 0.5 * number));
        add(d->bodies, sizeof d->bodies,
            d->dim == 2 ? ", angular_velocity: [%.4g]" : ", angular_velocity: [0, %.4g, 0]", spin);
    }
    add(d->bodies, sizeof d->bodies, "}\n");
}

/* What is below: a plane, a box, a ball, or nothing if bodies are thrown and do not fall. */
static void add_obstacle(draw *d, int bodies)
{
    const int kind = pick_one(d, d->hits && !d->falls && bodies > 1 ? 4 : 3);
    const double width = d->size * pick(d, 2.0, 4.0);
    const double box[3] = {width, width, width};
    add(d->bodies, sizeof d->bodies, kind == 3 ? "" : "  - {name: floor, type: static, shape: {");
    if (kind == 0) {
        add(d->bodies, sizeof d->bodies, "plane: {}}}\n");
    } else if (kind == 1) {
        add(d->bodies, sizeof d->bodies, "box: {size: ");
        add_sizes(d, d->bodies, sizeof d->bodies, box);
        add(d->bodies, sizeof d->bodies, "}}");
        add_place(d, "position", 0.0, -0.5 * width);
        add(d->bodies, sizeof d->bodies, "}\n");
    } else if (kind == 2) {
        add(d->bodies, sizeof d->bodies, "sphere: {radius: %.6g}}", width);
        add_place(d, "position", 0.0, -width);
        add(d->bodies, sizeof d->bodies, "}\n");
    }
}

/* A scene of its number, or an impact without gravity of one or two bodies; its text is the caller's to free. */
static char *draw_scene(int number, bool impact)
{
    static const char *const materials[] = {"neo_hookean", "neo_hookean", "stable_neo_hookean", "corotated"};
    draw d = {.rng = {(impact ? 20263 : 20262) + 7919 * (uint64_t)number}};
    d.dim = pick_one(&d, 3) == 0 ? 2 : 3;
    d.falls = pick_one(&d, 4) > 0 && !impact;
    d.hits = !d.falls || pick_one(&d, 2) == 0;
    d.size = pick_decade(&d, -3.0, 0.5);
    d.young = pick_decade(&d, 4.0, 11.3);
    d.density = pick_decade(&d, 2.0, 4.0);
    /* Faster than half the speed of sound nothing stays whole. */
    d.speed = fmin(pick_decade(&d, -1.0, 1.0), 0.5 * sqrt(d.young / d.density));
    /* Nothing holds together that its own weight compresses by a tenth. */
    d.young = fmax(d.young, 10.0 * d.density * GRAVITY * d.size);
    const double lasts = d.hits ? d.size / d.speed : sqrt(d.size / GRAVITY);
    d.h = 0.01 * lasts * pick_decade(&d, -1.5, 1.5);
    const int bodies = 1 + pick_one(&d, impact ? 2 : 4);
    for (int n = 0; n < bodies; ++n) {
        add_body(&d, n);
    }
    add_obstacle(&d, bodies);
    const double friction = pick_one(&d, 4) == 0 ? 0.0 : pick(&d, 0.0, 1.0);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    fprintf(file, "brunt: 1\ndimension: %d\n%stime: {step: %.6g, end: %.6g}\n", d.dim,
            d.falls      ? ""
            : d.dim == 2 ? "gravity: [0, 0]\n"
                         : "gravity: [0, 0, 0]\n",
            d.h, d.h * fmin(STEPS, ceil(2.0 * lasts / d.h)));
    const double poisson = pick(&d, 0.0, 0.45);
    fprintf(file,
            "materials:\n  a: {type: %s, young: %.4g, poisson: %.2g, density: %.4g}\n"
            "  sheet: {type: neo_hookean, young: %.4g, poisson: %.2g, density: %.4g}\n",
            materials[pick_one(&d, 4)], d.young, poisson, d.density, d.young, poisson, d.density);
    fprintf(file, "%s%sbodies:\n%scontact: {friction: %.3g}\n", d.meshes[0] != '\0' ? "meshes:\n" : "",
            d.meshes, d.bodies, friction);
    fclose(file);
    return text;
}

/* ---- runs --------------------------------------------------------------------------------------------------------------- */

typedef struct outcome {
    double push;      /* weights with which contact starts, of the body where that is most */
    bool told;        /* ... and it was said */
    double gain;      /* the report's energy from nowhere */
    double rise;      /* of the sum of energies, over the largest of its parts so far */
    double stiffness; /* work of stiffness that changed, over the same */
    double thickness; /* when contact stored most */
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

static void follow(flow *f, outcome *out)
{
    brn_report r = {0};
    assert_done(f->ctx, brn_sim_report(f->sim, &r));
    const double start = sum(&r);
    const double gravity = r.gravity;
    double scale = fmax(r.kinetic, r.contact);
    double most = 0.0;
    while (!brn_sim_done(f->sim) && out->all_iterations < ITERATIONS) {
        if (brn_sim_step(f->sim, &r) < 0) {
            out->failed = true;
            (void)snprintf(out->why, sizeof out->why, "%s", brn_ctx_message(f->ctx));
            return;
        }
        scale = fmax(scale, fmax(fmax(r.kinetic, r.elastic), fmax(r.contact, fabs(r.gravity - gravity))));
        out->steps++;
        out->guarded += r.guarded;
        out->retries += r.retries;
        out->gain = fmax(out->gain, r.energy_gain);
        out->rise = fmax(out->rise, (sum(&r) - start) / scale);
        out->stiffness = fmax(out->stiffness, r.stiffness_work / scale);
        out->iterations = fmax(out->iterations, (double)r.iterations);
        out->all_iterations += (double)r.iterations;
        if (r.contact > most) {
            most = r.contact;
            out->thickness = r.own[OWN_THICKNESS];
        }
        out->warned = r.own[OWN_THICKNESS] > THICK;
    }
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

/* ---- tests -------------------------------------------------------------------------------------------------------------- */

static void test_scenes(void **state)
{
    outcome worst = {0};
    int failed = 0, pushed = 0, rose = 0, thick = 0, many = 0, slow = 0, cut = 0;
    for (int n = first_scene; n < first_scene + scene_count; ++n) {
        char *text = draw_scene(n, false);
        const outcome o = run(text, NULL);
        const bool pushes = o.push > PUSH && !o.told;
        const bool rises = fmax(o.gain, o.rise) > RISE;
        const bool thicker = o.thickness > THICK && !o.warned;
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
    double worst[RULES] = {0};
    int rose = 0, guarded[RULES] = {0}, failed[RULES] = {0};
    for (int n = first_scene; n < first_scene + impact_count; ++n) {
        char *text = draw_scene(n, true);
        bool bad = false;
        for (int k = 0; k < RULES; ++k) {
            char set[40];
            (void)snprintf(set, sizeof set, "integrator=%s", rules[k]);
            const outcome o = run(text, set);
            const double rise = fmax(o.gain, o.rise);
            worst[k] = fmax(worst[k], rise);
            guarded[k] += o.guarded;
            failed[k] += o.failed;
            rose += rise > RISE;
            bad = bad || rise > RISE || o.failed;
            if (rise > RISE || o.failed || o.iterations > MANY || *state == NULL) {
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
                       "of the largest; %d steps repeated by the guard, %d impacts stopped with a message",
                       guarded[k], failed[k]);
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
