/* What may change between steps although the model cannot: gravity, friction, the speed of motions, offsets of static bodies,
   a dragging hand. Everything a step depends on is a function of time and these numbers, so parts of a step and repeated
   attempts see the same values. They start with the model's values; untouched, they give the same bits as the model. */
#ifndef BRN_STEP_CONTROLS_H
#define BRN_STEP_CONTROLS_H

#include "model/model.h"
#include "step/drag.h"

/* A motion's own time: tau + rate (t - since). */
typedef struct brn_clock {
    double since, tau; /* [s] */
    double rate;
} brn_clock;

/* The offset of a static body: in a straight line from `from` at `since` to `to` at `until`. */
typedef struct brn_shift {
    bool on;             /* has ever been moved */
    double since, until; /* [s] */
    double from[3], to[3];
} brn_shift;

typedef struct brn_controls {
    brn_ctx *ctx;
    const brn_model *model;
    double gravity[3]; /* [m/s^2] */
    double *friction;  /* laid out as the model's, see brn_model_pair */
    brn_clock *clock;  /* [nhold] */
    brn_shift *shift;  /* [nhold]; used for holds of static bodies */
    double *aim;       /* [ndrive] controls of robots' drives that replace those of their tables; NaN: none */
    brn_drag drag;
} brn_controls;

brn_status brn_controls_create(brn_ctx *ctx, const brn_model *model, brn_controls **out);
void brn_controls_destroy(brn_controls *controls);

/* Where a hold puts a node at time t, and its velocity just before: brn_motion_place plus changes by hand. Either may be NULL. */
void brn_controls_place(const brn_controls *controls, int hold, int node, double t, double pos[3],
                        double vel[3]);
/* The same for a place that was at `rest`. */
void brn_controls_carry(const brn_controls *controls, int hold, const double rest[3], double t, double pos[3],
                        double vel[3]);
/* Where an anchor is at time t if nodes are at x, [nnode][3]. */
void brn_controls_anchor(const brn_controls *controls, const brn_anchor *anchor, const double *x, double t,
                         double pos[3]);

/* The control of a drive of a robot at time t: its table's, or what was set by hand. */
double brn_controls_drive(const brn_controls *controls, int robot, int drive, double t);

/* From time t on a motion's own time runs `rate` times as fast; its position does not jump. */
void brn_controls_set_rate(brn_controls *controls, int hold, double t, double rate);
/* A motion's own time at time t. */
double brn_controls_tau(const brn_controls *controls, int hold, double t);

/* From time t on the hold's offset moves to `offset`, no faster than `speed` [m/s] and over at least 4 steps. */
void brn_controls_set_offset(brn_controls *controls, int hold, double t, const double offset[3],
                             double speed);
void brn_controls_offset(const brn_controls *controls, int hold, double t, double offset[3]);
/* Whether any offset changes after time t; freezes all offsets as they are at t. */
bool brn_controls_shifting(const brn_controls *controls, double t);
void brn_controls_halt(brn_controls *controls, double t);

/* A hold whose offset moved until time t against more than `limit` [N] along its path; -1: none. react [nnode][3]: forces of
   holds on their nodes. */
int brn_controls_resisted(const brn_controls *controls, double t, const double *react, double limit);

/* What a checkpoint must hold besides the state, [brn_controls_count]: the gravity that the ledger was kept with, own times and
   offsets at time t. Rates, friction and the hand are inputs and stay as they are. */
int brn_controls_count(const brn_controls *controls);
/* Whether these numbers differ from those of an untouched simulation. */
bool brn_controls_differ(const brn_controls *controls, double t);
void brn_controls_write(const brn_controls *controls, double t, double *to);
/* Own times and offsets (NULL: those of an untouched simulation) continue from there at time t, at the present rates and
   towards the present offsets. */
void brn_controls_resume(brn_controls *controls, double t, const double *from, double speed);

#endif
