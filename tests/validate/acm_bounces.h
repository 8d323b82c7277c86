/* Two elastic bodies that bounce off each other and the walls of a box around them: what becomes of their energy in the long run. */
#ifndef BRN_TESTS_VALIDATE_ACM_BOUNCES_H
#define BRN_TESTS_VALIDATE_ACM_BOUNCES_H

#include "flow.h"
#include "validate/rows.h"

#include "step/acm/acm.h"

#define BOUNCES                                                                                     \
 "brunt: 1\nmethod: {type: acm}\ndimension: 2\ngravity: [0, 0]\ntime: {step: 0.0625, end: 1.0e6}\n" \
 "materials: {m: {type: stvk, young: 100, poisson: 0.3, density: 1}}\n"                             \
 "meshes: {chip: {box: {size: [1, 0.6], cells: [1, 1], element: tri3}}}\n"                          \
 "bodies:\n  - {name: low, type: deformable, mesh: chip, material: m, velocity: [0, 0.5], "         \
 "angular_velocity: 0.5}\n"                                                                         \
 "  - {name: top, type: deformable, mesh: chip, material: m, position: [0.3, 0.9], rotation: "      \
 "[{axis: [0, 0, 1], degrees: 30}], velocity: [0, -1.5]}\n"                                         \
 "  - {name: west, type: static, shape: {plane: {normal: [1, 0]}}, position: [-1, 0]}\n"            \
 "  - {name: east, type: static, shape: {plane: {normal: [-1, 0]}}, position: [1.2, 0]}\n"          \
 "  - {name: south, type: static, shape: {plane: {normal: [0, 1]}}, position: [0, -0.6]}\n"         \
 "  - {name: north, type: static, shape: {plane: {normal: [0, -1]}}, position: [0, 1.7]}\n"         \
 "contact: {friction: 0}\n"

/* Runs for so many seconds with `layers`; writes rows and returns the largest deviation of the energy, over the initial one. Bounces: a layer is entered in a
   step of 1/16 s and none was in the step before. */
static inline double bounce(FILE *rows, const char *layers, double seconds, int *bounces,
                            double *shortest_steps)
{
    char sets[60];
    char note[120];
    (void)snprintf(sets, sizeof sets, "method.layers=%s", layers);
    flow f = flow_open(1, BOUNCES, sets);
    brn_report r = {0};
    double worst = 0.0;
    double least = INFINITY;
    double sum[2] = {0.0, 0.0}; /* of t - T/2, (t - T/2)^2: the slope of least squares */
    bool inside = false;
    *bounces = 0;
    while (brn_sim_time(f.sim) < seconds) {
        assert_done(f.ctx, brn_sim_step(f.sim, &r));
        const double t = brn_sim_time(f.sim) - 0.5 * seconds;
        const double energy = r.energy_error;
        const bool now = r.own[BRN_ACM_DEEPEST] >= 1.0;
        *bounces += now && !inside;
        inside = now;
        least = fmin(least, r.own[BRN_ACM_STEP_LEAST]);
        worst = fmax(worst, fabs(r.energy_error));
        sum[0] += t * energy;
        sum[1] += t * t;
        assert_int_equal(r.intersections, 0);
    }
    const double slope = sum[0] / sum[1] * seconds;
    *shortest_steps = seconds / least;
    (void)snprintf(note, sizeof note, "%s layers, %d bounces, %.2g of the shortest steps", layers, *bounces,
                   *shortest_steps);
    validation_row(rows, "energy in the long run, largest deviation", 0.0, worst, worst, note);
    validation_row(rows, "the same, slope over the run", 0.0, slope, fabs(slope), layers);
    flow_close(&f);
    return worst;
}

#endif
