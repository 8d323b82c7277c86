/* Asynchronous contact mechanics: every force has a step of its own, contact is a nest of penalty layers, and no motion is accepted unless it is
   certain that nothing has met [Harmon et al. 2009; Vouga, Harmon, Tamstorf, Grinspun 2011; Ainsley et al. 2012].

   Time is counted in ticks, a power of two of a second. A force acts at the multiples of its step of 2^level ticks, by the impulse of a whole step,

       v_i -= h M_i^-1 dV/dx_i(x(t))           (eq. 11)

   and between two impulses a node moves in a straight line. Nodes are advanced lazily: place[i] is where node i was at clock[i]. Forces of one
   tick see the same places, so that they may be evaluated in any order; their impulses are added in a fixed one.

   A layer that is not reached exerts no impulse and moves no node's clock. So which layers are looked at, how far ahead a window reaches, and
   when a state is written change no bit of the motion: there is nothing but nodes to remember, and a window can be run again with more layers.

   Velocities here are ahead of those of the state by what forces did beyond their share, half a step at the time of their impulse. The state's
   are synchronised (acm_sync.c), so that a run is the composition of half a kick, drifts and kicks, and half a kick back: symmetric, of second
   order. */
#ifndef BRN_STEP_ACM_ACM_H
#define BRN_STEP_ACM_ACM_H

#include "base/arena.h"
#include "contact/pair.h"
#include "geom/intersect.h"
#include "phys/shells/folds.h"
#include "step/acm/acm_layers.h"
#include "step/method.h"

#include <string.h>

typedef uint64_t brn_tick;

enum { BRN_ACM_LEVELS = 63 };

/* When forces act: at steps of powers of two, elements each at its own, or all elements at the shortest. */
enum { BRN_ACM_BY_LEVELS, BRN_ACM_EXACT, BRN_ACM_SYNCHRONOUS };

/* How contact is answered: by layers, or as what these are compared with (acm_dcr.c). */
enum { BRN_ACM_LAYERS, BRN_ACM_DCR };

/* How it is known that nothing has met. */
enum { BRN_ACM_WINDOW, BRN_ACM_KDS };

typedef struct brn_acm_params {
    brn_block block;
    int schedule;      /* BRN_ACM_BY_LEVELS, _EXACT, _SYNCHRONOUS */
    int detector;      /* BRN_ACM_WINDOW, _KDS */
    int response;      /* BRN_ACM_LAYERS, _DCR */
    int layers;        /* BRN_ACM_QUADRATIC, _CUBIC */
    double thickness;  /* [m] eta of the first layer; 0: by the meshes */
    double stiffness;  /* [N/m] r of the first layer; 0: by its step and the masses */
    double step;       /* [s] h of the first layer; 0: that of the elements beside it, or less */
    double power;      /* eta(l) = eta l^-power; 0: by the speed of approach */
    double safety;     /* step of an element over the longest that is stable */
    double resolution; /* h sqrt(r/m) of a layer */
    double events;     /* allowed in a step; 0: far more than foreseen */
} brn_acm_params;

/* The method's own figures. */
enum {
    BRN_ACM_EVENTS,
    BRN_ACM_CONTACT_EVENTS,
    BRN_ACM_DEEPEST,
    BRN_ACM_STEP_LEAST,
    BRN_ACM_WINDOWS,
    BRN_ACM_ROLLBACKS,
    BRN_ACM_FIGURES
};

/* ---- forces of elements (acm_forces.c) ---------------------------------------------------------------------------------- */

/* Elements that follow each other and act at the same ticks. */
typedef struct brn_acm_run {
    const brn_element_group *group;
    int first, count; /* elements, or patches where the group has them */
    int step;         /* which of the steps is theirs */
    int level;        /* of the longest power of two that is not above it */
    size_t gradient;  /* where theirs begin */
} brn_acm_run;

/* Bending whose elements are evaluated together (phys/shells/folds.h). Its gradients are of triangles, each with the steps of all elements that know it
   in it: they count with a share of 1. */
typedef struct brn_acm_sheet {
    brn_folds *folds;
    size_t gradient; /* where its triangles' begin */
    int start;       /* scratch: its first block in a pass */
} brn_acm_sheet;

/* A force on a node: where its gradient is, and which step it has; of a triangle of a sheet the shortest that may be in it. */
typedef struct brn_acm_pull {
    uint32_t gradient;
    unsigned step : 31;
    unsigned shared : 1; /* steps are in it already */
} brn_acm_pull;

/* Numbers that may be read, not used, behind the last of a gradient. */
enum { BRN_ACM_SPARE = 4 };

/* Runs and nodes are in the order of their levels, finest first: those that act at a tick come first. */
typedef struct brn_acm_forces {
    int nstep;       /* levels; with an exact schedule one of each element, its run */
    brn_tick *ticks; /* [nstep] */
    double *share;   /* [nstep] scratch */
    int nrun, nnode;
    brn_acm_run *run;
    int nsheet;
    brn_acm_sheet *sheet;
    int *node;                   /* [nnode] those with elements */
    int *start;                  /* [nnode + 1] of its pulls */
    brn_acm_pull *pull;          /* of a node: finest first */
    int run_end[BRN_ACM_LEVELS]; /* how many act at the multiples of 2^level */
    int node_end[BRN_ACM_LEVELS];
    double elements[BRN_ACM_LEVELS]; /* among them */
    size_t gradients;
    double *gradient;     /* [gradients + BRN_ACM_SPARE] */
    double *damping;      /* the same of damping, 0 where there is none; NULL: nowhere */
    int finest, coarsest; /* levels; finest > coarsest: there are none */
} brn_acm_forces;

/* ---- pairs (acm_pairs.c) ------------------------------------------------------------------------------------------------ */

/* A pair that may come into its layers within the window. */
typedef struct brn_acm_pair {
    const brn_candidate *candidate;
    int index;           /* of the candidate: impulses are added in this order */
    int level;           /* of the first layer */
    int fine;            /* layers with e <= fine are looked at */
    int layers;          /* their number */
    double offset;       /* [m] */
    double eta, r;       /* [m], [N/m] of the first layer */
    double mass;         /* [kg] of its lightest node */
    double mu, restored; /* friction; share of the impulse while the pair parts */
} brn_acm_pair;

/* What a pair does at a tick. */
typedef struct brn_acm_kick {
    int pair;
    double impulse; /* [N s] */
    double weight[4], normal[3];
    double distance; /* [m] of the closest points */
    int reached;     /* layer */
    double lost[3];  /* [N s] of friction, and what is not given back while the pair parts */
} brn_acm_kick;

/* ---- the method ---------------------------------------------------------------------------------------------------------- */

/* What a step has exchanged with the outside. */
typedef struct brn_acm_sums {
    double impulse[6]; /* [N s] of gravity and loads; then [N m s] about the origin */
    double work;       /* [J] of loads */
    double dissipated; /* [J] by friction, damping, and layers that give back less */
    double events, contact_events, windows, rollbacks;
    int deepest; /* layer */
    int finest;  /* level that acted */
} brn_acm_sums;

/* What a held node received: impulse [N s], its moment about the origin [N m s], its work [J]. */
enum { BRN_ACM_RECEIVED = 7 };

/* What a run comes to, as far as its start tells (acm_predict.c). */
typedef struct brn_acm_outlook {
    int body[2];                           /* that go deepest into their layers; -1: none are seen to meet */
    double meets, speed;                   /* [s], [m/s] when and how fast they do */
    double deepest;                        /* layer; 0: none */
    double step_least;                     /* [s] */
    double events, contact_events;         /* of a step of the scene, while bodies touch */
    double all_events, all_contact_events; /* of the run */
    double instants;                       /* of the run: times at which any force acts */
    double seconds;                        /* [s] that events of elements take on one core */
} brn_acm_outlook;

/* All that moves, as the events see it. */
typedef struct brn_acm_nodes {
    double *place, *velocity; /* [nnode][3] */
    double *before;           /* [nnode][3] velocity before the impulses at its clock */
    brn_tick *clock;          /* [nnode] */
    double *received;         /* [nheld][BRN_ACM_RECEIVED] since the state before */
} brn_acm_nodes;

/* A node of the skin: a point of it, or one that a half-space is given by. */
enum { BRN_ACM_POINT = 1, BRN_ACM_PLANE };

typedef struct brn_acm_queue brn_acm_queue;
typedef struct brn_acm_kds brn_acm_kds;
typedef struct brn_acm_dcr brn_acm_dcr;

typedef struct brn_acm {
    brn_ctx *ctx;
    const brn_model *model;
    brn_system *system;
    const brn_acm_params *params;
    brn_skin *skin;
    brn_candidates *candidates;
    brn_intersect *intersect;

    double tick;                    /* [s] a power of two */
    double seconds[BRN_ACM_LEVELS]; /* of 2^level ticks */
    brn_acm_forces forces;
    brn_acm_layers layers;
    int outer;           /* level of gravity, loads and motions */
    double *eta;         /* [nbody] [m] of the first layer */
    double eta_least;    /* [m] */
    double speed;        /* [m/s] with which things may come together */
    bool loses;          /* restitution of some pair is below 1 */
    double distance;     /* [m] within which pairs are looked for */
    int *node_level;     /* [nnode] finest level of its elements; BRN_ACM_LEVELS: it has none */
    double *inverse;     /* [nnode] [1/kg] 0: it is held, or has no mass */
    unsigned char *axes; /* [nnode] bit i: axis i is held */
    int nheld, *held;    /* nodes with an axis that is held */
    int *held_of;        /* [nnode] -1: none */
    double *slowing;     /* [nnode] [1/s] alpha of Rayleigh damping; NULL: none */
    double lever; /* a half-space moves by at most this many times as much as the nodes that it is given by */
    unsigned char *touches; /* [nnode] it is on the skin: BRN_ACM_POINT, _PLANE; 0: it is not */
    int *damped;            /* [nnode] elements with beta at it; NULL: there are none */
    double *taken;          /* [3] of each of the forces' nodes: impulse of damping at the last event [N s] */

    brn_acm_outlook outlook;
    double limit; /* events that a step may take */

    brn_acm_nodes nodes, saved; /* saved: at the start of the window */
    brn_acm_sums sums, saved_sums;
    brn_tick now;         /* start of the window */
    int window;           /* its length is 2^window ticks, or what is left of the step */
    int good;             /* windows in a row that needed no second run */
    double *from, *ahead; /* [nnode][3] places at its start, and where velocities lead to its end */
    double *strayed;      /* [nnode] [m^2] farthest from the straight line between, squared */
    double stray;         /* [m] the largest of the last window */
    brn_acm_pair *pair;   /* [npair] in the order of candidates */
    int npair, pair_capacity;
    int *bucket,
        bucket_capacity; /* [npair] pairs, those of the finest level first, each level in their order */
    int bucket_end[BRN_ACM_LEVELS];
    int pair_finest;          /* level; BRN_ACM_LEVELS: no pair */
    int *fine, fine_capacity; /* of each candidate: what its pair looks at; -1: it is not a pair */
    brn_acm_kick *kick;
    int nkick, kick_capacity;
    brn_acm_queue *queue; /* of an exact schedule; NULL: levels */
    brn_acm_kds *kds;     /* NULL: windows */
    double *force;        /* [ndof] scratch */
    brn_contact_point *point;
    int npoint, point_capacity;
    brn_acm_dcr *dcr; /* NULL: layers */
} brn_acm;

/* The one that acts: what layers are compared with takes one step for all elements. */
static inline int brn_acm_schedule(const brn_acm *acm)
{
    return acm->params->response == BRN_ACM_DCR ? BRN_ACM_SYNCHRONOUS : acm->params->schedule;
}

/* ---- nodes --------------------------------------------------------------------------------------------------------------- */

/* Where node a is at tick t. */
static inline void brn_acm_at(const brn_acm *acm, int a, brn_tick t, double x[3])
{
    const double ahead = (double)(t - acm->nodes.clock[a]) * acm->tick;
    for (int i = 0; i < 3; ++i) {
        x[i] = acm->nodes.place[3 * a + i] + ahead * acm->nodes.velocity[3 * a + i];
    }
}

/* Brings a node to tick t, and notes how far it strays from the straight line of the window: farthest where it is kicked. */
static inline void brn_acm_advance(brn_acm *acm, int a, brn_tick t)
{
    if (acm->nodes.clock[a] == t) {
        return;
    }
    double *x = &acm->nodes.place[3 * a];
    brn_acm_at(acm, a, t, x);
    acm->nodes.clock[a] = t;
    memcpy(&acm->nodes.before[3 * a], &acm->nodes.velocity[3 * a], 3 * sizeof(double));
    if (acm->touches[a]) {
        const double *from = &acm->from[3 * a], *v = &acm->saved.velocity[3 * a];
        const double gone = (double)(t - acm->now) * acm->tick;
        double off = 0.0;
        for (int i = 0; i < 3; ++i) {
            const double d = x[i] - (from[i] + gone * v[i]);
            off += d * d;
        }
        acm->strayed[a] = off > acm->strayed[a] ? off : acm->strayed[a];
    }
}

/* An impulse on a node that is at its tick; along axes that are held the hold takes it. */
void brn_acm_push_held(brn_acm *acm, int a, const double impulse[3]);
static inline void brn_acm_push(brn_acm *acm, int a, const double impulse[3])
{
    if (acm->axes[a] != 0) {
        brn_acm_push_held(acm, a, impulse);
        return;
    }
    double *v = &acm->nodes.velocity[3 * a];
    const double inverse = acm->inverse[a];
    for (int i = 0; i < 3; ++i) {
        v[i] += inverse * impulse[i];
    }
}

/* Time goes to that phase from now on. */
static inline void brn_acm_time(brn_acm *acm, double *phase)
{
    if (acm->system->watch.phase != phase) {
        (void)brn_stopwatch_switch(&acm->system->watch, phase);
    }
}

/* The largest k with 2^k | t; of 0 the largest level. */
static inline int brn_acm_level_of(brn_tick t)
{
    return t == 0 ? BRN_ACM_LEVELS - 1 : __builtin_ctzll(t);
}

/* ---- parts --------------------------------------------------------------------------------------------------------------- */

/* Tick, levels, masses, layers: all that is chosen once (acm_sizes.c). */
brn_status brn_acm_sizes_create(brn_acm *acm);
/* Which nodes are held. */
brn_status brn_acm_hold(brn_acm *acm);
/* The level of a step of at most h. */
int brn_acm_level_below(const brn_acm *acm, double h);

/* Steps of elements: step [nunit] of every element (patch) of each part of the system, one after the other [s]. */
brn_status brn_acm_stable_steps(brn_acm *acm, double *step);
brn_status brn_acm_forces_create(brn_acm *acm, const double *step);
void brn_acm_forces_free(brn_ctx *ctx, brn_acm_forces *forces);
/* All elements that act at tick t, which is a multiple of 2^level. */
brn_status brn_acm_forces_act(brn_acm *acm, brn_tick t, int level);
/* force [nnode][3] = minus the gradient of all elements at x [nnode][3], times their excess of each at `rest` after tick now. */
brn_status brn_acm_forces_sum(brn_acm *acm, const double *x, brn_tick now, double rest, double *force);
/* [s] What a force that acts every so many ticks has done beyond its share, tau after its last impulse: h/2 - tau. */
static inline double brn_acm_excess(const brn_acm *acm, brn_tick ticks, brn_tick now, double rest)
{
    return 0.5 * (double)ticks * acm->tick - ((double)(now % ticks) * acm->tick + rest);
}

/* What damping took at a tick, when all impulses of it are done: along the mean of the velocities before and after them. */
void brn_acm_book_damping(brn_acm *acm, int level);

brn_status brn_acm_damping_create(brn_acm *acm);
/* The damping of a run at the nodes' places and velocities; scratch: the calling thread's. */
brn_status brn_acm_damp_run(const brn_acm *acm, int run, brn_arena *scratch);

/* Gravity, loads and what follows a motion at tick t (acm_outer.c). */
brn_status brn_acm_outer_act(brn_acm *acm, brn_tick t);
/* Whether there is anything of it but motions. */
bool brn_acm_outer_acts(const brn_acm *acm);
/* Velocities of held nodes that lead to where they should be at the next tick of the outer level. */
void brn_acm_steer(brn_acm *acm, brn_tick t);
/* [ndof] gravity and loads at places x and time t [s]. */
brn_status brn_acm_outer_force(brn_acm *acm, const double *x, const double *v, double t, double *force);

/* [N/m] Stiffness of the first layer of a pair, given its thickness, its lightest mass and the level of the elements beside it, which becomes its own. */
double brn_acm_first_layer(const brn_acm *acm, double eta, double mass, int *level);
/* Makes a pair of a candidate, with no layers yet. */
brn_acm_pair brn_acm_pair_of(const brn_acm *acm, const brn_candidate *candidate, int index);
/* The pairs of the window by `fine`. */
brn_status brn_acm_pairs_gather(brn_acm *acm);
/* All pairs that act at tick t, a multiple of 2^level. */
brn_status brn_acm_pairs_act(brn_acm *acm, brn_tick t, int level);
/* What a pair does at tick t by one layer: impulse 0 if it is not reached. */
void brn_acm_look_at_layer(const brn_acm *acm, int pair, int layer, brn_tick t, brn_acm_kick *kick);
/* Kicks [count] in the order of pairs at tick t: all that have an impulse. */
void brn_acm_pairs_strike(brn_acm *acm, brn_tick t, brn_acm_kick *kick, int count);
/* Ticks between impulses of a layer of a pair. */
brn_tick brn_acm_layer_ticks(const brn_acm *acm, const brn_acm_pair *pair, int layer);
/* An impulse of a pair, size along a vector, on nodes that are at their tick; and what friction, less the impulse on the first side, has as a couple. */
void brn_acm_push_pair(brn_acm *acm, const brn_acm_kick *kick, const int node[4], double size,
                       const double along[3]);
void brn_acm_book_couple(brn_acm *acm, const brn_acm_kick *kick, const int node[4], const double friction[3]);
/* Gap of a pair whose nodes are at x: weights, normal as brn_pair_frame. */
double brn_acm_gap(const brn_candidate *candidate, const double x[4][3], double offset, double weight[4],
                   double normal[3]);

/* The queue of an exact schedule (acm_queue.c): filled with what acts after `now`; the next tick at which something does; all of that tick. */
brn_status brn_acm_queue_create(brn_acm *acm);
void brn_acm_queue_destroy(brn_ctx *ctx, brn_acm_queue *queue);
brn_status brn_acm_queue_fill(brn_acm_queue *queue);
brn_tick brn_acm_queue_next(const brn_acm_queue *queue);
brn_status brn_acm_queue_act(brn_acm_queue *queue);

/* Foresees the run, and sets the limit of a step; then the outlook and the first layers as text (acm_predict.c). */
brn_status brn_acm_look_ahead(brn_acm *acm);
void brn_acm_tell_outlook(const brn_acm *acm, brn_prediction *out);
brn_status brn_acm_tell_choices(const void *self, bool brief, brn_text *to);
bool brn_acm_warn(const void *self, char *text, size_t size);
/* Whether a step may go on: nobody wants it to end, and it has not taken far more events than foreseen. */
brn_status brn_acm_check(const brn_acm *acm);

/* Runs all events of (now, end] (acm_window.c). */
brn_status brn_acm_run_until(brn_acm *acm, brn_tick end);
/* The first tick after t at which something acts, by any schedule; all of it. */
brn_tick brn_acm_next_tick(const brn_acm *acm, brn_tick t);
brn_status brn_acm_act(brn_acm *acm, brn_tick t);
/* `from` and `ahead`: where nodes are at tick now, and where straight lines lead until tick `end`. */
void brn_acm_aim(brn_acm *acm, brn_tick end);
/* The candidates on straight lines for at least *time [s] from `from` on. A list that does not cover `ahead` is made for all of the time until nodes
   have moved as far as they may against each other in a window: windows are cut short where pairs are near, and lists should outlast them. */
brn_status brn_acm_find_candidates(brn_acm *acm, double *time);

/* The kinetic detector (acm_kds.c), in the place of windows. */
brn_status brn_acm_kds_create(brn_acm *acm);
void brn_acm_kds_destroy(brn_ctx *ctx, brn_acm_kds *kds);
brn_status brn_acm_kds_run(brn_acm *acm, brn_tick end);
/* Nodes whose velocities have changed; nothing without that detector. */
void brn_acm_kds_kicked(brn_acm *acm, const int *node, int count);

/* Decomposition contact response (acm_dcr.c), in the place of windows and layers: all events of (now, end], and the
   contact of the last step within them at places x and velocities v. */
brn_status brn_acm_dcr_create(brn_acm *acm);
void brn_acm_dcr_free(brn_ctx *ctx, brn_acm_dcr *dcr);
brn_status brn_acm_dcr_run(brn_acm *acm, brn_tick end);
brn_status brn_acm_dcr_report(brn_acm *acm, const double *x, const double *v, brn_step_info *info);

/* Between nodes and states (acm_sync.c): the state at time t [s], all events until then done. */
brn_status brn_acm_load(brn_acm *acm, const brn_state *in, double t);
brn_status brn_acm_start(brn_acm *acm, brn_state *state, double t, brn_step_info *info);
brn_status brn_acm_write(brn_acm *acm, const brn_state *in, double t, double h, brn_state *out,
                         brn_step_info *info);
brn_tick brn_acm_tick_at(const brn_acm *acm, double t);

#endif
