/* Scenes drawn at random, as somebody might write them first: no method, no settings. A number is a scene. */
#ifndef BRN_TESTS_VALIDATE_SWEEP_SCENE_H
#define BRN_TESTS_VALIDATE_SWEEP_SCENE_H

#include "draw.h"

enum { SWEEP_STEPS = 100 };
static const double SWEEP_GRAVITY = 9.81; /* [m/s^2] */

typedef struct draw {
    brn_rng rng;
    int dim;
    bool falls, hits;   /* gravity; thrown at each other, not laid onto each other */
    double size, young; /* [m], [Pa] */
    double density, speed, h;
    double top; /* [m] height of what is there so far */
    char bodies[4000], meshes[2000];
} draw;

/* A point at a height, off the axis by x. */
static inline void add_place(draw *d, const char *key, double x, double height)
{
    if (d->dim == 2) {
        add(d->bodies, sizeof d->bodies, ", %s: [%.6g, %.9g]", key, x, height);
    } else {
        add(d->bodies, sizeof d->bodies, ", %s: [%.6g, %.6g, %.9g]", key, x, -0.3 * x, height);
    }
}

static inline void add_sizes(const draw *d, char *to, size_t size, const double box[3])
{
    if (d->dim == 2) {
        add(to, size, "[%.6g, %.6g]", box[0], box[2]);
    } else {
        add(to, size, "[%.6g, %.6g, %.6g]", box[0], box[1], box[2]);
    }
}

/* A body's kind and shape; its half height, turned so that `up` is the vertical in its own axes. */
static inline double add_shape(draw *d, int number, const double up[3])
{
    static const char *const elements[2][3] = {{"tri3", "tri3", "tri6"}, {"tet4", "hex8", "tet10"}};
    const double r = 0.5 * d->size * pick(&d->rng, 0.5, 1.5);
    const double box[3] = {2.0 * r, 2.0 * r * pick(&d->rng, 0.5, 1.0), 2.0 * r * pick(&d->rng, 0.2, 1.0)};
    const int shape = pick_one(&d->rng, 3);
    const int kind = pick_one(&d->rng, d->dim == 3 ? 5 : 4); /* two of them rigid, two deformable, a shell */
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
        const int cells = 2 + pick_one(&d->rng, 3);
        const char *element = elements[d->dim - 2][pick_one(&d->rng, 3)];
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
        const double thickness = d->size * pick_decade(&d->rng, -3.0, -1.5);
        half = extent(up, (const double[3]){box[0], box[1], 0.0}) + 0.5 * thickness;
        add(b, nb, "type: shell, mesh: m%d, material: sheet, thickness: %.6g", number, thickness);
        add(m, nm, "  m%d: {grid: {size: [%.6g, %.6g], cells: [6, 5]}}\n", number, box[0], box[1]);
    }
    return half;
}

static inline void add_body(draw *d, int number)
{
    double up[3];
    const double degrees = d->hits ? pick(&d->rng, 0.0, 90.0) : 0.0;
    turn_up(d->dim, degrees, up);
    add(d->bodies, sizeof d->bodies, "  - {name: b%d, ", number);
    const double half = add_shape(d, number, up);
    /* near enough to meet within the steps */
    const double gap =
        d->hits ? d->h * d->speed * pick(&d->rng, 0.1, 10.0) : d->size * pick_decade(&d->rng, -5.0, -2.0);
    add_place(d, "position", d->size * pick(&d->rng, -0.1, 0.1), d->top + gap + half);
    d->top += gap + 2.0 * half;
    if (d->hits) {
        const double spin = d->speed / d->size * pick(&d->rng, -3.0, 3.0);
        add(d->bodies, sizeof d->bodies, ", rotation: {%sdegrees: %.12g}",
            d->dim == 3 ? "axis: [1, 2, 3], " : "", degrees);
        /* the higher the faster: they all meet */
        add_place(d, "velocity", d->speed * pick(&d->rng, -0.3, 0.3), -d->speed * (0.5 + 0.5 * number));
        add(d->bodies, sizeof d->bodies,
            d->dim == 2 ? ", angular_velocity: [%.4g]" : ", angular_velocity: [0, %.4g, 0]", spin);
    }
    add(d->bodies, sizeof d->bodies, "}\n");
}

/* What is below: a plane, a box, a ball, or nothing if bodies are thrown and do not fall. */
static inline void add_obstacle(draw *d, int bodies)
{
    const int kind = pick_one(&d->rng, d->hits && !d->falls && bodies > 1 ? 4 : 3);
    const double width = d->size * pick(&d->rng, 2.0, 4.0);
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
static inline char *draw_scene(int number, bool impact)
{
    static const char *const materials[] = {"neo_hookean", "neo_hookean", "stable_neo_hookean", "corotated"};
    draw d = {.rng = {(impact ? 20263 : 20262) + 7919 * (uint64_t)number}};
    d.dim = pick_one(&d.rng, 3) == 0 ? 2 : 3;
    d.falls = pick_one(&d.rng, 4) > 0 && !impact;
    d.hits = !d.falls || pick_one(&d.rng, 2) == 0;
    d.size = pick_decade(&d.rng, -3.0, 0.5);
    d.young = pick_decade(&d.rng, 4.0, 11.3);
    d.density = pick_decade(&d.rng, 2.0, 4.0);
    /* Faster than half the speed of sound nothing stays whole. */
    d.speed = fmin(pick_decade(&d.rng, -1.0, 1.0), 0.5 * sqrt(d.young / d.density));
    /* Nothing holds together that its own weight compresses by a tenth. */
    d.young = fmax(d.young, 10.0 * d.density * SWEEP_GRAVITY * d.size);
    const double lasts = d.hits ? d.size / d.speed : sqrt(d.size / SWEEP_GRAVITY);
    d.h = 0.01 * lasts * pick_decade(&d.rng, -1.5, 1.5);
    const int bodies = 1 + pick_one(&d.rng, impact ? 2 : 4);
    for (int n = 0; n < bodies; ++n) {
        add_body(&d, n);
    }
    add_obstacle(&d, bodies);
    const double friction = pick_one(&d.rng, 4) == 0 ? 0.0 : pick(&d.rng, 0.0, 1.0);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    fprintf(file, "brunt: 1\ndimension: %d\n%stime: {step: %.6g, end: %.6g}\n", d.dim,
            d.falls      ? ""
            : d.dim == 2 ? "gravity: [0, 0]\n"
                         : "gravity: [0, 0, 0]\n",
            d.h, d.h * fmin(SWEEP_STEPS, ceil(2.0 * lasts / d.h)));
    const double poisson = pick(&d.rng, 0.0, 0.45);
    fprintf(file,
            "materials:\n  a: {type: %s, young: %.4g, poisson: %.2g, density: %.4g}\n"
            "  sheet: {type: neo_hookean, young: %.4g, poisson: %.2g, density: %.4g}\n",
            materials[pick_one(&d.rng, 4)], d.young, poisson, d.density, d.young, poisson, d.density);
    fprintf(file, "%s%sbodies:\n%scontact: {friction: %.3g}\n", d.meshes[0] != '\0' ? "meshes:\n" : "",
            d.meshes, d.bodies, friction);
    fclose(file);
    return text;
}

#endif
