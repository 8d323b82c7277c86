/* How the energy of a run drifts: its total over the initial one, as a straight line and what swings about it. */
#ifndef BRN_TESTS_VALIDATE_DRIFT_H
#define BRN_TESTS_VALIDATE_DRIFT_H

#include "flow.h"

typedef struct drift {
    double slope;    /* of the line of least squares, times the duration */
    double swing;    /* about that line, from peak to peak */
    double end;      /* energy at the end less that at the start */
    double momentum; /* largest error, as the report has it */
    double turn;     /* the same of angular momentum */
    double gap;      /* [m] smallest */
    double deepest;  /* layer */
    double residual;
    int contacts, intersections;
} drift;

enum { DRIFT_STATES = 1000 };

/* Runs to the end. */
static inline drift drift_measure(flow *f)
{
    static double time[DRIFT_STATES], energy[DRIFT_STATES];
    drift d = {.gap = INFINITY};
    brn_report r = {0};
    double first = NAN;
    double mean[2] = {0};
    double sums[2] = {0};
    double off[2] = {0}; /* least and most above the line */
    int n = 0;
    while (!brn_sim_done(f->sim)) {
        assert_done(f->ctx, brn_sim_step(f->sim, &r));
        assert_true(n < DRIFT_STATES);
        time[n] = brn_sim_time(f->sim);
        energy[n] = r.kinetic + r.elastic + r.gravity + r.contact;
        first = n == 0 ? energy[0] / (1.0 + r.energy_error) : first; /* nothing has touched yet */
        energy[n] = energy[n] / first - 1.0;
        mean[0] += time[n];
        mean[1] += energy[n];
        d.momentum = fmax(d.momentum, r.momentum_error);
        d.turn = fmax(d.turn, r.angular_momentum_error);
        d.gap = fmin(d.gap, r.gap_min);
        d.deepest = fmax(d.deepest, r.own[2]);
        d.residual = fmax(d.residual, r.residual);
        d.contacts += r.contacts;
        d.intersections += r.intersections;
        ++n;
    }
    for (int i = 0; i < n; ++i) {
        const double dt = time[i] - mean[0] / n;
        sums[0] += dt * dt;
        sums[1] += dt * (energy[i] - mean[1] / n);
    }
    const double rate = sums[1] / sums[0];
    for (int i = 0; i < n; ++i) {
        const double above = energy[i] - mean[1] / n - rate * (time[i] - mean[0] / n);
        off[0] = fmin(off[0], above);
        off[1] = fmax(off[1], above);
    }
    d.swing = off[1] - off[0];
    d.slope = rate * time[n - 1];
    d.end = energy[n - 1];
    return d;
}

#endif
