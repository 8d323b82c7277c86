/* A scene: one to five bodies in columns over an obstacle, laid or thrown, with holds, welds, loads and springs, and settings of
   every kind. Most are such as a person might mean; in a quarter of them ("wild") nothing need fit to anything else. */
#include "storm_scene.h"

static const double GRAVITY = 9.81; /* [m/s^2] */
static const double DEPTH = 0.05;   /* of the size: in tame scenes bodies of sap and bbi overlap by no more */
enum { DEFORMABLE, SHELL, RIGID };

typedef struct column {
    double x, top; /* [m] */
} column;

typedef struct body {
    int kind;
    double half; /* [m] of its box, the largest */
    bool upright, repeated, held;
    int below;               /* the body under it in its column; -1: the obstacle */
    double place[3], weight; /* [m], [N] */
} body;

typedef struct weather {
    storm_draft d;
    storm_scene *out;
    bool falls, hits;
    double gap; /* [m] smallest of the start */
    int nbody;
    body body[STORM_BODIES];
    column at;
    bool rests;       /* everything is in equilibrium for a time: a static run, or loading */
    bool floor_shape; /* the obstacle is there and not a half-space */
} weather;

static bool chance(storm_draft *d, int in)
{
    return pick_one(&d->rng, in) == 0;
}

/* ---- bodies ------------------------------------------------------------------------------------------------------------- */

static void add_vector(storm_draft *d, const char *key, double x, double y, double z)
{
    add(d->bodies, sizeof d->bodies, ", %s: ", key);
    storm_vector(d, d->bodies, sizeof d->bodies, x, y, z);
}

static storm_part add_deformable(storm_draft *d, int number, double r)
{
    static const char *const masses[] = {"", ", mass: lumped", ", mass: uniform"};
    const storm_part part = storm_solid(d, number, r);
    add(d->bodies, sizeof d->bodies, "type: deformable, mesh: m%d, material: %c%s%s", number,
        'a' + pick_one(&d->rng, 2), masses[pick_one(&d->rng, 3)],
        number % 3 == 1 ? ", dilatation: mean" : "");
    if (chance(d, 4)) {
        const double from = r * pick(&d->rng, 0.2, 1.0);
        add(d->bodies, sizeof d->bodies, ", materials: [{where: {box: {min: ");
        storm_vector(d, d->bodies, sizeof d->bodies, -from, -9.0 * r, -9.0 * r);
        add(d->bodies, sizeof d->bodies, ", max: ");
        storm_vector(d, d->bodies, sizeof d->bodies, 9.0 * r, 9.0 * r, 9.0 * r);
        add(d->bodies, sizeof d->bodies, "}}, material: %c}]", 'a' + pick_one(&d->rng, 2));
    }
    return part;
}

static storm_part add_shell(storm_draft *d, int number, double r)
{
    storm_part part = storm_sheet(d, number, r, false);
    const double thickness = r * pick_decade(&d->rng, -3.0, -1.3);
    add(d->bodies, sizeof d->bodies, "type: shell, mesh: m%d, material: sheet, thickness: %.6g", number,
        thickness);
    if (chance(d, 3)) {
        add(d->bodies, sizeof d->bodies, ", plate: hinge");
    }
    if (chance(d, 4)) {
        add(d->bodies, sizeof d->bodies, ", bending: %.3g",
            chance(d, 2) ? 0.0 : pick_decade(&d->rng, -2.0, 1.0));
    }
    if (chance(d, 6)) {
        add(d->bodies, sizeof d->bodies, ", rest: flat");
    }
    if (chance(d, 6)) {
        add(d->bodies, sizeof d->bodies, ", stretch_limit: %.3g", pick(&d->rng, 1.05, 2.0));
    }
    if (chance(d, 6)) {
        add(d->bodies, sizeof d->bodies, ", weave: {warp: %.4g, weft: %.4g, shear: %.4g}", d->young,
            d->young * pick(&d->rng, 0.1, 1.0), 0.1 * d->young);
    }
    for (int k = 0; k < 3; ++k) {
        part.box[k] += thickness;
    }
    return part;
}

static storm_part add_rigid(storm_draft *d, int number, double r)
{
    storm_part part;
    add(d->bodies, sizeof d->bodies, "type: rigid, ");
    if (chance(d, 3)) {
        add(d->bodies, sizeof d->bodies, "mesh: m%d", number);
        part = d->dim == 3 && chance(d, 2) ? storm_sheet(d, number, r, true) : storm_solid(d, number, r);
    } else {
        part = storm_shape(d, r);
    }
    if (chance(d, 3)) {
        add(d->bodies, sizeof d->bodies, ", mass: %.4g", d->density * r * r * (d->dim == 3 ? r : 1.0));
    } else {
        add(d->bodies, sizeof d->bodies, ", density: %.4g", d->density);
    }
    if (chance(d, 4)) {
        add(d->bodies, sizeof d->bodies, ", stiffness: %.4g", pick_decade(&d->rng, 5.0, 10.0));
    }
    return part;
}

/* Copies in a line, upwards or across the columns; how many heights they take, with the gap between them. */
static int add_copies(storm_draft *d, double height, double width, double gap)
{
    const int count = 2 + pick_one(&d->rng, 2);
    const bool up = d->dim == 2 || chance(d, 2);
    add(d->bodies, sizeof d->bodies, ", repeat: {count: %d, spacing: ", count);
    storm_vector(d, d->bodies, sizeof d->bodies, 0.0, up ? 0.0 : 2.0 * width, up ? height + gap : 0.0);
    if (chance(d, 2)) {
        add(d->bodies, sizeof d->bodies, ", jitter: {position: %.4g}", 0.2 * gap);
    }
    add(d->bodies, sizeof d->bodies, "}");
    return up ? count : 1;
}

static void add_throw(weather *w, int number)
{
    storm_draft *d = &w->d;
    const double side = d->speed * pick(&d->rng, -0.3, 0.3);
    const double spin = d->speed / d->size * pick(&d->rng, -3.0, 3.0);
    /* the higher the faster: they all meet */
    add_vector(d, "velocity", side, -0.3 * side, -d->speed * (0.5 + 0.5 * number));
    add(d->bodies, sizeof d->bodies,
        d->dim == 2 ? ", angular_velocity: [%.4g]" : ", angular_velocity: [0, %.4g, 0]", spin);
}

static void add_body(weather *w, int number)
{
    storm_draft *d = &w->d;
    body *b = &w->body[number];
    double up[3];
    const double r = 0.5 * d->size * pick(&d->rng, 0.5, 1.5);
    b->upright = !w->hits || chance(d, 3);
    const double degrees = b->upright ? 0.0 : pick(&d->rng, 0.0, 90.0);
    turn_up(d->dim, degrees, up);
    /* Nothing holds a rigid body in a static run but what it leans on, which few piles do. */
    const bool soft = w->rests && (w->out->tame || w->out->method != STORM_IPC);
    const int kinds = soft || d->asynchronous ? 4 : 7;
    const int choice = pick_one(&d->rng, kinds);
    b->kind = choice < 3 ? DEFORMABLE : choice == 3 ? (d->dim == 3 ? SHELL : DEFORMABLE) : RIGID;
    add(d->bodies, sizeof d->bodies, "  - {name: b%d, ", number);
    const storm_part part = b->kind == DEFORMABLE ? add_deformable(d, number, r)
                            : b->kind == SHELL    ? add_shell(d, number, r)
                                                  : add_rigid(d, number, r);
    const double half = part.round ? 0.5 * part.box[2] : extent(up, part.box);
    /* near enough to meet within the steps */
    const double fall = fmax(0.1 * GRAVITY * d->end * d->end, 1e-6 * d->size);
    const double gap = w->hits ? d->h * d->speed * pick(&d->rng, 0.1, 10.0)
                               : fmin(d->size * pick_decade(&d->rng, -5.0, -2.0), fall);
    b->half = 0.5 * fmax(part.box[0], fmax(part.box[1], part.box[2]));
    b->weight = 8.0 * GRAVITY * d->density * r * r * (d->dim == 3 ? r : 1.0);
    /* beside the others, or on top of them */
    b->below = number - 1;
    if (number > 0 && chance(d, 4)) {
        w->at = (column){w->at.x + 6.0 * d->size, 0.0};
        b->below = -2;
    }
    /* no wider than the jitter of copies, and never exactly above each other */
    b->place[0] = w->at.x + d->size * pick(&d->rng, -0.1, 0.1);
    b->place[1] = d->size * pick(&d->rng, -0.1, 0.1);
    b->place[2] = w->at.top + gap + half - up[2] * part.centre;
    add_vector(d, "position", b->place[0], b->place[1], b->place[2]);
    if (!b->upright) {
        add(d->bodies, sizeof d->bodies, ", rotation: {%sdegrees: %.12g}",
            d->dim == 3 ? "axis: [1, 2, 3], " : "", degrees);
    }
    const double space = fmax(gap, 1e-5 * d->size);
    const bool copies = chance(d, 6);
    const int floors = copies ? add_copies(d, 2.0 * half, 2.0 * b->half, space) : 1;
    b->repeated = copies;
    w->gap = fmin(w->gap, copies ? 0.6 * space : gap);
    w->at.top += gap + 2.0 * half * floors + space * (floors - 1);
    if (w->hits) {
        add_throw(w, number);
    }
    add(d->bodies, sizeof d->bodies, "}\n");
}

/* How far something may be moved by the end: in a tame scene no faster than a tenth of the speed of sound. */
static double pick_way(weather *w)
{
    storm_draft *d = &w->d;
    const double sound = sqrt(d->young / d->density);
    return w->out->tame ? fmin(d->size * pick_decade(&d->rng, -4.0, -1.0), 0.1 * sound * d->end)
                        : d->size * pick(&d->rng, -1.0, 1.0);
}

/* What is below the first column: its top is at 0. */
static void add_obstacle(weather *w)
{
    storm_draft *d = &w->d;
    const int kind = pick_one(&d->rng, 6);
    const double r = d->size * pick(&d->rng, 1.0, 2.0);
    storm_part part = {0};
    w->floor_shape = kind > 2;
    if (kind == 0) {
        return;
    }
    add(d->bodies, sizeof d->bodies, "  - {name: floor, type: static, ");
    if (kind <= 2) {
        add(d->bodies, sizeof d->bodies, "shape: {plane: {}}");
    } else if (kind <= 4) {
        part = storm_shape(d, r);
    } else {
        part = d->dim == 2 || chance(d, 2) ? storm_solid(d, STORM_BODIES, r)
                                           : storm_sheet(d, STORM_BODIES, r, false);
        add(d->bodies, sizeof d->bodies, "mesh: m%d", STORM_BODIES);
    }
    add_vector(d, "position", 0.0, 0.0, -0.5 * part.box[2] - part.centre);
    if (chance(d, 4)) {
        const double way = pick_way(w);
        if (chance(d, 2)) {
            add(d->bodies, sizeof d->bodies, ", motion: {velocity: ");
            storm_vector(d, d->bodies, sizeof d->bodies, 0.3 * way / d->end, 0.0, way / d->end);
            add(d->bodies, sizeof d->bodies, ", until: %.6g}", d->end * pick(&d->rng, 0.1, 1.0));
        } else {
            add(d->bodies, sizeof d->bodies, ", motion: {angular_velocity: %.4g}", way / d->size / d->end);
        }
    }
    add(d->bodies, sizeof d->bodies, "}\n");
}

/* ---- holds, welds, loads, springs ------------------------------------------------------------------------------------- */

static const char *pick_face(storm_draft *d)
{
    static const char *const faces[] = {"-x", "+x", "-y", "+y", "-z", "+z"};
    return faces[pick_one(&d->rng, 2 * d->dim)];
}

static void add_motion(weather *w)
{
    storm_draft *d = &w->d;
    const double way = pick_way(w);
    const int kind = pick_one(&d->rng, 3);
    if (kind == 0) {
        add(d->holds, sizeof d->holds, ", motion: {velocity: ");
        storm_vector(d, d->holds, sizeof d->holds, way / d->end, 0.0, -way / d->end);
        add(d->holds, sizeof d->holds, "}");
    } else if (kind == 1) {
        add(d->holds, sizeof d->holds, ", motion: {angular_velocity: %.4g%s}", way / d->size / d->end,
            d->dim == 3 ? ", about: {axis: [1, 0, 0]}" : "");
    } else {
        add(d->holds, sizeof d->holds,
            d->dim == 3 ? ", motion: {table: [[0, 0, 0, 0], [%.6g, 0, 0, %.6g], [%.6g, %.6g, 0, 0]]}"
                        : ", motion: {table: [[0, 0, 0], [%.6g, 0, %.6g], [%.6g, %.6g, 0]]}",
            0.5 * d->end, way, d->end, way);
    }
}

static void add_hold(weather *w, int number)
{
    storm_draft *d = &w->d;
    const body *b = &w->body[number];
    add(d->holds, sizeof d->holds, "  - {body: b%d, where: ", number);
    if (w->rests || chance(d, 2)) {
        /* all of it beyond a plane: of a round body the outermost face may be a node */
        add(d->holds, sizeof d->holds, "{box: {min: ");
        storm_vector(d, d->holds, sizeof d->holds, b->place[0] + 0.2 * b->half, -1e3 * d->size,
                     -1e3 * d->size);
        add(d->holds, sizeof d->holds, ", max: ");
        storm_vector(d, d->holds, sizeof d->holds, 1e3 * d->size, 1e3 * d->size, 1e3 * d->size);
        add(d->holds, sizeof d->holds, "}}");
    } else {
        add(d->holds, sizeof d->holds, "{face: %s}", pick_face(d));
    }
    if (chance(d, 6) && !w->rests) {
        add(d->holds, sizeof d->holds, ", axes: %s", chance(d, 2) ? "x" : "xy");
    }
    if (chance(d, 3)) {
        add_motion(w);
    }
    storm_launch_ends(d, w->out, "release", d->holds, sizeof d->holds);
    add(d->holds, sizeof d->holds, "}\n");
    w->body[number].held = true;
}

/* The lowest face of a body to what is below it. */
static void add_weld(weather *w, int number)
{
    storm_draft *d = &w->d;
    const body *b = &w->body[number];
    const int below = b->below;
    const bool floor = below == -1 && w->floor_shape;
    if (b->kind != DEFORMABLE || b->held || b->repeated || w->out->welded[0][0] != '\0' ||
        (!floor && (below < 0 || w->body[below].kind == SHELL || w->body[below].repeated))) {
        return;
    }
    (void)snprintf(w->out->welded[0], sizeof w->out->welded[0], "b%d", number);
    if (floor) {
        (void)snprintf(w->out->welded[1], sizeof w->out->welded[1], "floor");
    } else {
        (void)snprintf(w->out->welded[1], sizeof w->out->welded[1], "b%d", below);
    }
    add(d->welds, sizeof d->welds, "attach:\n  - {body: %s, where: {face: %s}, to: %s, within: %.4g}\n",
        w->out->welded[0], d->dim == 3 ? "-z" : "-y", w->out->welded[1], 10.0 * d->size);
}

static void add_load(weather *w, int number)
{
    storm_draft *d = &w->d;
    const body *b = &w->body[number];
    /* a sheet bears less than a block */
    const double bears = d->young * (b->kind == SHELL ? 1e-4 : 1.0);
    const double pressure = bears * pick_decade(&d->rng, -6.0, w->out->tame ? -2.0 : 0.0);
    const double most = 1e-3 * bears * d->size * (d->dim == 3 ? d->size : 1.0);
    double weights = b->weight * pick_decade(&d->rng, -2.0, w->out->tame ? 1.0 : 3.0);
    weights = w->out->tame ? fmin(weights, most) : weights;
    const int kind = pick_one(&d->rng, b->kind == RIGID ? 1 : 3);
    add(d->loads, sizeof d->loads, "  - {body: b%d, where: ", number);
    if (kind == 0) {
        add(d->loads, sizeof d->loads, "{all: true}, force: ");
        storm_vector(d, d->loads, sizeof d->loads, 0.3 * weights, -0.1 * weights, weights);
    } else if (kind == 1) {
        add(d->loads, sizeof d->loads, "{all: true}, traction: ");
        storm_vector(d, d->loads, sizeof d->loads, pressure, 0.0, -0.5 * pressure);
    } else {
        add(d->loads, sizeof d->loads, "{all: true}, pressure: %.4g", chance(d, 3) ? -pressure : pressure);
    }
    if (chance(d, 2)) {
        add(d->loads, sizeof d->loads, ", ramp: {from: %.6g, to: %.6g}", 0.1 * d->end, 0.6 * d->end);
    } else {
        storm_launch_ends(d, w->out, "until", d->loads, sizeof d->loads);
    }
    add(d->loads, sizeof d->loads, "}\n");
}

static void add_spring(weather *w, int number, int other)
{
    storm_draft *d = &w->d;
    const double *at = w->body[number].place;
    const double stiffness = d->young * d->size * pick_decade(&d->rng, -7.0, -2.0);
    add(d->springs, sizeof d->springs,
        "  - {body: b%d, where: {nearest: [%.6g, %.6g, %.6g]}, to: b%d, stiffness: %.4g", number,
        at[0] + d->size, at[1], at[2] + d->size, other, stiffness);
    if (chance(d, 2)) {
        add(d->springs, sizeof d->springs, ", damping: %.4g",
            stiffness * d->h * pick_decade(&d->rng, -1.0, 1.0));
    }
    if (chance(d, 3)) {
        add(d->springs, sizeof d->springs, ", length: %.4g, pull_only: true",
            d->size * pick(&d->rng, 0.0, 1.0));
    }
    add(d->springs, sizeof d->springs, "}\n");
}

/* ---- settings ----------------------------------------------------------------------------------------------------------- */

static void add_material(weather *w, const char *name, const char *type)
{
    storm_draft *d = &w->d;
    char *to = w->out->text;
    const size_t size = sizeof w->out->text;
    const double young =
        d->young * (w->out->tame ? pick_decade(&d->rng, 0.0, 1.0) : pick_decade(&d->rng, -2.0, 2.0));
    const double poisson = w->out->tame ? pick(&d->rng, 0.0, 0.45) : pick(&d->rng, -0.3, 0.495);
    add(to, size, "  %s: {type: %s, density: %.4g, ", name, type, d->density);
    if (strcmp(type, "mooney_rivlin") == 0) {
        add(to, size, "c10: %.4g, c01: %.4g, bulk: %.4g", young / 8.0, young / 24.0, 2.0 * young);
    } else {
        add(to, size, "young: %.4g, poisson: %.3g", young, poisson);
    }
    if (chance(d, 4)) {
        add(to, size, ", damping: {alpha: %.4g, beta: %.4g}", 0.1 / d->end,
            d->h * pick_decade(&d->rng, -3.0, 0.0));
    }
    add(to, size, "}\n");
}

static void add_method_ipc(weather *w)
{
    storm_draft *d = &w->d;
    char *to = w->out->text;
    const size_t size = sizeof w->out->text;
    if (chance(d, 4)) {
        const double dhat = d->size * pick_decade(&d->rng, -5.0, -2.5);
        add(to, size, ", dhat: %.4g", dhat);
        w->out->near = dhat > 0.5 * w->gap;
    }
    if (chance(d, 8)) {
        add(to, size, ", kappa: %.4g", d->young * pick_decade(&d->rng, -2.0, 1.0));
    }
    if (chance(d, 6)) {
        add(to, size, ", barrier: lecture");
    }
    if (chance(d, 6)) {
        add(to, size, ", convergent: true");
    }
    if (chance(d, 6)) {
        add(to, size, ", friction_speed: %.4g", d->size * pick_decade(&d->rng, -5.0, -1.0));
    }
    if (chance(d, 6)) {
        add(to, size, ", friction_iterations: %d", 2 * pick_one(&d->rng, 2));
    }
}

static void add_method_sap(weather *w)
{
    storm_draft *d = &w->d;
    char *to = w->out->text;
    const size_t size = sizeof w->out->text;
    add(to, size, "method: {type: sap");
    if (chance(d, 4)) {
        add(to, size, ", law: sap");
    }
    if (chance(d, 4)) {
        add(to, size, ", near_rigid: %.3g", pick_decade(&d->rng, -1.0, 0.0));
    }
    if (chance(d, 6)) {
        add(to, size, ", slip_regularisation: %.3g", pick_decade(&d->rng, -4.0, -2.0));
    }
    if (chance(d, 6)) {
        add(to, size, ", tolerance: %.3g", pick_decade(&d->rng, -8.0, -4.0));
    }
    if (chance(d, 8)) {
        add(to, size, ", linearisations: %d", 1 + pick_one(&d->rng, 5));
    }
    add(to, size, "}\n");
}

static void add_method(weather *w)
{
    storm_draft *d = &w->d;
    char *to = w->out->text;
    const size_t size = sizeof w->out->text;
    const bool ipc = w->out->method == STORM_IPC;
    if (w->out->method == STORM_ACM) {
        storm_acm_method(d, w->out);
        return;
    }
    if (w->out->method == STORM_SAP) {
        add_method_sap(w);
        return;
    }
    if (w->out->method == STORM_BBI) {
        storm_launch_method(d, to, size);
        return;
    }
    if (ipc && chance(d, 4)) {
        return; /* the default, as there is a block `contact` */
    }
    add(to, size, "method: {type: %s", ipc ? "ipc" : "none");
    if (chance(d, 4)) {
        add(to, size, ", solver: pcg");
    }
    if (chance(d, 6)) {
        add(to, size, ", tolerance: %.3g", pick_decade(&d->rng, ipc ? -6.0 : -10.0, ipc ? -3.0 : -5.0));
    }
    if (ipc) {
        add_method_ipc(w);
    } else if (chance(d, 6)) {
        add(to, size, ", tangent: %s", chance(d, 2) ? "exact" : "projected");
    }
    add(to, size, "}\n");
}

/* How bodies of sap give way to each other. */
static void add_overlap(weather *w)
{
    storm_draft *d = &w->d;
    w->out->depth = w->out->tame ? DEPTH * d->size : INFINITY;
    if (d->asynchronous && chance(d, 3)) {
        add(w->out->text, sizeof w->out->text, ", restitution: %.3g", pick(&d->rng, 0.0, 1.0));
    }
    if (w->out->method != STORM_SAP) {
        return;
    }
    if (chance(d, 6)) {
        add(w->out->text, sizeof w->out->text, ", stiffness: %.4g",
            d->young / d->size * pick_decade(&d->rng, 1.0, 4.0));
    }
    if (chance(d, 6)) {
        add(w->out->text, sizeof w->out->text, ", relaxation: %.4g", d->h * pick_decade(&d->rng, -1.0, 1.0));
    }
}

static void choose_scales(weather *w)
{
    storm_draft *d = &w->d;
    const bool tame = w->out->tame;
    d->dim = chance(d, 4) ? 2 : 3;
    d->size = pick_decade(&d->rng, -3.0, d->asynchronous ? 1.0 : 2.0);
    d->young = pick_decade(&d->rng, d->asynchronous ? 4.0 : 3.0, 11.3);
    d->density = pick_decade(&d->rng, 1.3, 4.0);
    d->speed = pick_decade(&d->rng, -2.0, 1.5);
    w->falls = !chance(d, 4);
    w->hits = chance(d, 2);
    if (tame) {
        /* Nothing holds together that its own weight compresses by a tenth, or that is faster than half the speed of sound. */
        d->young = fmin(2e11, fmax(d->young, 10.0 * d->density * GRAVITY * d->size));
        d->speed = fmin(d->speed, 0.5 * sqrt(d->young / d->density));
    }
    const double rings = 2.0 * d->size * sqrt(d->density / d->young);
    double lasts = w->hits ? d->size / d->speed : w->falls ? sqrt(d->size / GRAVITY) : 10.0 * rings;
    /* What is thrown slowly falls faster. */
    lasts = d->launches && w->falls ? fmin(lasts, sqrt(d->size / GRAVITY)) : lasts;
    /* An explicit step must resolve the thinnest element: one that is refused costs nothing and shows little. */
    lasts = w->out->explicit_ ? 0.2 * rings : lasts;
    /* Every vibration is paid for. */
    lasts = d->asynchronous ? fmin(lasts, 2.0 * rings) : lasts;
    d->h = 0.01 * lasts * pick_decade(&d->rng, -1.5, w->out->explicit_ ? 0.0 : 1.5);
    d->end = d->h * (5 + pick_one(&d->rng, 36));
}

static void write_scene(weather *w, const char *integrator)
{
    static const char *const types[] = {
        "linear",          "stvk", "corotated", "neo_hookean", "stable_neo_hookean", "mooney_rivlin",
        "corotated_linear"};
    storm_draft *d = &w->d;
    const int ntype = w->out->method == STORM_SAP ? 7 : 6;
    char *to = w->out->text;
    const size_t size = sizeof w->out->text;
    add(to, size, "brunt: 1\ndimension: %d\ntime: {step: %.6g, end: %.6g}\nintegrator: %s\n", d->dim, d->h,
        d->end, integrator);
    if (!w->falls) {
        add(to, size, d->dim == 2 ? "gravity: [0, 0]\n" : "gravity: [0, 0, 0]\n");
    }
    add_method(w);
    add(to, size, "materials:\n");
    add_material(w, "a", types[pick_one(&d->rng, ntype)]);
    add_material(w, "b", types[pick_one(&d->rng, ntype)]);
    add_material(w, "sheet", types[chance(d, 2) ? 1 : 3]);
    add(to, size, "%s%sbodies:\n%s", d->meshes[0] != '\0' ? "meshes:\n" : "", d->meshes, d->bodies);
    add(to, size, "%s%s%s", d->holds[0] != '\0' ? "fixed:\n" : "", d->holds, d->welds);
    add(to, size, "%s%s", d->loads[0] != '\0' ? "loads:\n" : "", d->loads);
    add(to, size, "%s%s", d->springs[0] != '\0' ? "springs:\n" : "", d->springs);
    add(to, size, "%s", d->stages);
    w->out->self = !chance(d, 4);
    add(to, size, "contact: {friction: %.3g, self: %s", chance(d, 3) ? 0.0 : pick(&d->rng, 0.0, 1.2),
        w->out->self ? "true" : "false");
    add_overlap(w);
    add(to, size, "}\n");
    add(to, size, "output: {report: 0, checkpoint: %d}\n", pick_one(&d->rng, 4));
}

void storm_draw(int number, storm_scene *out)
{
    static const char *const integrators[] = {"turning_euler", "implicit_euler",   "bdf2",  "newmark",
                                              "midpoint",      "symplectic_euler", "static"};
    static const char *const sap_integrators[] = {"turning_euler", "implicit_euler", "midpoint"};
    weather w = {.out = out, .d = {.rng = {20264 + 7919 * (uint64_t)number}}, .gap = INFINITY};
    storm_draft *d = &w.d;
    const bool sap = number >= STORM_SAP_FROM && number < STORM_LAUNCH_FROM;
    d->asynchronous = number >= STORM_ACM_FROM;
    d->launches = number >= STORM_LAUNCH_FROM && !d->asynchronous;
    *out = (storm_scene){.tame = !chance(d, 4), .method = !chance(d, 3) ? STORM_IPC : STORM_NONE};
    const char *integrator = d->asynchronous ? "variational"
                             : d->launches   ? storm_launch_integrator(d, out)
                             : sap           ? sap_integrators[pick_one(&d->rng, 3)]
                                             : integrators[pick_one(&d->rng, 7)];
    out->explicit_ = strcmp(integrator, "symplectic_euler") == 0;
    out->still = strcmp(integrator, "static") == 0;
    out->method = d->asynchronous ? STORM_ACM : sap ? STORM_SAP : out->explicit_ ? STORM_NONE : out->method;
    choose_scales(&w);
    if (d->launches) {
        storm_launch_stages(d, out);
    }
    w.rests = out->still || out->loading > 0.0;
    out->noise = 1e-18 * d->young * pow(d->size, d->dim);
    const int bodies = 1 + pick_one(&d->rng, STORM_BODIES);
    for (int n = 0; n < bodies; ++n) {
        add_body(&w, n);
    }
    add_obstacle(&w);
    for (int n = 0; n < bodies; ++n) {
        const bool soft = w.body[n].kind != RIGID;
        if (soft && (chance(d, 3) || (w.rests && (out->tame || out->method != STORM_IPC)))) {
            add_hold(&w, n);
        }
        if (chance(d, 4) && !d->asynchronous) {
            add_weld(&w, n);
        }
        if (chance(d, 3)) {
            add_load(&w, n);
        }
        if (d->dim == 3 && n > 0 && chance(d, 6)) {
            add_spring(&w, n, n - 1);
        }
    }
    write_scene(&w, integrator);
    out->tame = out->tame && !(w.falls && !out->still && 0.5 * GRAVITY * d->h * d->h > d->size);
}
