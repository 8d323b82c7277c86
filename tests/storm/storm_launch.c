/* Launches: what is pressed and let go, flies and lands. Most are of bbi, with a rule for each stage; the others tell of the stages. */
#include "storm_scene.h"

static bool chance(storm_draft *d, int in)
{
    return pick_one(&d->rng, in) == 0;
}

/* A mechanism as long as 2 r, its parts up to a third thicker or thinner than by default, in cells that are coarse. */
storm_part storm_clip(storm_draft *d, int number, double r)
{
    static const char *const elements[] = {"tet4", "hex8", "hex8", "hex20"};
    char *m = d->meshes;
    const size_t nm = sizeof d->meshes;
    const double length = 2.0 * r, bar = 0.09 * length;
    const double frame = bar * pick(&d->rng, 0.7, 1.3), upright = length * pick(&d->rng, 0.2, 0.45);
    const double arm = bar * pick(&d->rng, 0.6, 1.2), width = length * pick(&d->rng, 0.4, 0.7);
    storm_part part = {.box = {length, width, frame + upright + arm}};
    add(m, nm,
        "  m%d: {clip: {resolution: %.6g, element: %s, frame: {length: %.9g, width: %.9g, bar: %.9g, "
        "thickness: "
        "%.9g}, upright: {height: %.9g, width: %.9g, thickness: %.9g}, arm: {length: %.9g, width: %.9g, "
        "thickness: %.9g}",
        number, bar * pick(&d->rng, 0.8, 1.1), elements[pick_one(&d->rng, 4)], length, width, bar, frame,
        upright, 0.6 * width, bar * pick(&d->rng, 0.7, 1.3), length * pick(&d->rng, 0.6, 1.0), 0.6 * width,
        arm);
    if (chance(d, 2)) {
        const double feet = bar * pick(&d->rng, 0.6, 1.5);
        const bool rocks = chance(d, 2);
        if (rocks) {
            /* at its ends, lower by the height of an arc, a runner is half a cell thick */
            const double radius = length * length / (7.2 * feet) * pick(&d->rng, 1.0, 3.0);
            add(m, nm, ", feet: {type: rocker, height: %.9g, width: %.9g, radius: %.9g}", feet + 0.5 * bar,
                bar, radius);
        } else {
            add(m, nm, ", feet: {height: %.9g, length: %.9g, width: %.9g}", feet, 0.3 * length, bar);
        }
        part.box[2] += feet + (rocks ? 0.5 * bar : 0.0);
    }
    if (chance(d, 4)) {
        add(m, nm, ", basket: {length: %.9g, width: %.9g, wall: %.9g, rim: %.9g}", 0.25 * length, 0.6 * width,
            0.6 * bar, 0.6 * bar);
        part.box[2] += 0.6 * bar;
    }
    add(m, nm, "}}\n");
    part.centre = 0.5 * part.box[2]; /* its lowest point is at 0 */
    return part;
}

const char *storm_launch_integrator(storm_draft *d, storm_scene *out)
{
    static const char *const integrators[] = {"newmark", "implicit_euler", "midpoint",     "static",
                                              "newmark", "bdf2",           "turning_euler"};
    const int kind = pick_one(&d->rng, 8);
    out->method = kind == 0 ? STORM_NONE : kind == 1 ? STORM_IPC : STORM_BBI;
    return integrators[pick_one(&d->rng, out->method == STORM_BBI ? 5 : 7)];
}

/* A stage's rule, each key now and then. */
static void add_rule(storm_draft *d, const char *integrator)
{
    static const char *const rules[] = {"newmark", "implicit_euler", "midpoint", "scene"};
    char *to = d->stages;
    const size_t size = sizeof d->stages;
    add(to, size, "integrator: %s", integrator != NULL ? integrator : rules[pick_one(&d->rng, 4)]);
    if (chance(d, 2)) {
        add(to, size, ", step: %.6g",
            d->h / (chance(d, 2) ? 1 + pick_one(&d->rng, 5) : pick(&d->rng, 1.0, 5.0)));
    }
}

void storm_launch_stages(storm_draft *d, storm_scene *out)
{
    char *to = d->stages;
    const size_t size = sizeof d->stages;
    if (out->still || chance(d, 3)) {
        return;
    }
    add(to, size, "stages: {body: b0, stop: %s", chance(d, 2) ? "true" : "false");
    if (out->method == STORM_BBI && !chance(d, 4)) {
        const bool rests = !chance(d, 3);
        const double until =
            chance(d, 2) ? d->h * (1 + pick_one(&d->rng, 3)) : d->end * pick(&d->rng, 0.05, 0.4);
        out->loading = rests ? until : 0.0;
        add(to, size, ", loading: {until: %.6g, slip: %s, ", until, chance(d, 3) ? "true" : "false");
        add_rule(d, rests ? "static" : NULL);
        add(to, size, "}");
    }
    static const char *const others[] = {"launch", "flight", "landing"};
    for (int i = 0; i < 3; ++i) {
        if (out->method == STORM_BBI && chance(d, 2)) {
            add(to, size, ", %s: {", others[i]);
            add_rule(d, NULL);
            add(to, size, "}");
        }
    }
    add(to, size, "}\n");
}

void storm_launch_method(storm_draft *d, char *to, size_t size)
{
    static const char *const impacts[] = {"none", "mass", "bbi"};
    add(to, size, "method: {type: bbi, impact: %s", impacts[pick_one(&d->rng, 3)]);
    if (!chance(d, 3)) {
        add(to, size, ", flight: %.3g", chance(d, 2) ? 0.0 : pick_decade(&d->rng, -4.0, 0.0));
    }
    if (chance(d, 6)) {
        add(to, size, ", tolerance: %.3g", pick_decade(&d->rng, -10.0, -5.0));
    }
    add(to, size, "}\n");
}

void storm_launch_ends(storm_draft *d, const storm_scene *scene, const char *key, char *to, size_t size)
{
    if (d->launches && !scene->still && !chance(d, 3)) {
        add(to, size, ", %s: %.6g", key,
            scene->loading > 0.0 ? scene->loading : d->end * pick(&d->rng, 0.2, 0.9));
    }
}
