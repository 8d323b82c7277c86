/* The state: all that changes in time, and nothing else. Copy, hash, save and load expand one list of arrays, so that a
   new field cannot be forgotten. */
#ifndef BRN_STATE_STATE_H
#define BRN_STATE_STATE_H

#include "base/ctx.h"

/* X(name, count, width, what): double arrays [count][width], sizes fixed when the state is made. */
#define BRN_STATE_ARRAYS(X)                                                                                  \
 X(node_pos, nnode, 3, "[m], written by step")                                                               \
 X(node_vel, nnode, 3, "[m/s], written by step")                                                             \
 X(rigid_pose, nrigid, 7, "centre of mass [m], rotation since the start as unit quaternion w x y z, w >= 0") \
 X(rigid_vel, nrigid, 6, "velocity [m/s], angular velocity in world axes [rad/s]")                           \
 X(joint_pos, njoint, 1, "[m] or [rad]")                                                                     \
 X(joint_vel, njoint, 1, "[m/s] or [rad/s]")                                                                 \
 X(node_load, nnode, 3, "[N], loads (not gravity) at the method's last evaluation")                          \
 X(node_react, nnode, 3, "[N], force of the holds on their nodes, likewise")                                 \
 X(node_damp, nnode, 3, "[N], damping force, likewise")

typedef struct brn_state_sizes {
    int nnode, nrigid, njoint;
} brn_state_sizes;

/* What a method or integrator remembers between steps: named arrays that may change their length. */
typedef struct brn_memory {
    char name[48]; /* "bdf2.previous" */
    size_t count, capacity;
    double *value; /* [count] */
} brn_memory;

enum { BRN_LEDGER_COUNT = 37 };

/* The stages of the body that is followed (step/stages.h), all of it numbers. */
typedef struct brn_story {
    double stage;            /* BRN_STAGE_... now */
    double resting;          /* [s] since when the body rests; NaN: it does not */
    double lair[3], pose[9]; /* [m] its centre then, and its rotation from rest */
    double top;              /* [m] of the stage: highest place of the centre, against gravity */
    brn_stage_result lift;   /* when it left the ground, if it may have; begin is NaN: it has not */
    brn_stage_result result[BRN_STAGES];
} brn_story;

typedef struct brn_state {
    brn_ctx *ctx;
    brn_state_sizes sizes;
    int64_t step;                    /* t = step * model->step, never a sum */
    double ledger[BRN_LEDGER_COUNT]; /* running totals since the start, see step/ledger.h */
    brn_story story;
#define BRN_STATE_FIELD(name, count, width, what) double *name;
    BRN_STATE_ARRAYS(BRN_STATE_FIELD)
#undef BRN_STATE_FIELD
    int nmemory, memory_capacity;
    brn_memory *memory; /* sorted by name, so that the order of creation does not matter */
} brn_state;

brn_status brn_state_create(brn_ctx *ctx, const brn_state_sizes *sizes, brn_state **out);
void brn_state_destroy(brn_state *state);
/* Both must have the same sizes. On failure `to` may be partly written. */
brn_status brn_state_copy(const brn_state *from, brn_state *to);
uint64_t brn_state_hash(const brn_state *state);

/* The named array with exactly `count` entries, created (zeroed) or resized as needed (kept entries keep their values). */
brn_status brn_state_remember(brn_state *state, const char *name, size_t count, double **out);
/* NULL if it does not exist. */
const brn_memory *brn_state_recall(const brn_state *state, const char *name);
void brn_state_forget(brn_state *state, const char *name); /* nothing to do if it does not exist */
void brn_state_forget_all(brn_state *state);

/* checkpoint.h5: written to a temporary name, synced, renamed. `parts` ties it to its scene, one line per part: 16 hexadecimal
   digits, a blank, a name (model/model_parts.h); loading refuses other parts and names those that differ. Another
   step is accepted if it divides the time reached; state->step then counts in it. `extra` are numbers
   that the caller wants back (frames written, series rows, ...). */
brn_status brn_state_save(const brn_state *state, const char *path, const char *parts, const double *extra,
                          int nextra);
brn_status brn_state_load(brn_state *state, const char *path, const char *parts, double *extra, int nextra);

#endif
