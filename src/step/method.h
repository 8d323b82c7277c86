/* The interface of a contact method: a parameter table and a few functions. A method is one folder src/step/NAME/ plus
   one line in src/api/methods.def. */
#ifndef BRN_STEP_METHOD_H
#define BRN_STEP_METHOD_H

#include "base/text.h"
#include "contact/points.h"
#include "model/model.h"
#include "state/state.h"
#include "step/books.h"
#include "step/system.h"

/* What a method reports about an attempt; about a reset: contact alone. */
typedef struct brn_step_info {
    int64_t iterations;             /* or events */
    int fallbacks;                  /* linear systems that conjugate gradients left to the direct solver */
    int lags;                       /* solves, friction's normal forces renewed in between; 0: not lagged */
    double residual;                /* of its stopping test */
    const brn_contact_point *point; /* [npoint] at the end; the method's, valid until its next call */
    int npoint;
    int contacts;                  /* pairs in contact at the end */
    double gap_min;                /* [m] +inf without any */
    double complementarity;        /* [m] largest gap of a pair that carries force */
    double complementarity_offset; /* [m] the part of it that the method intends */
    double contact_energy;         /* [J] stored in the contact at the end */
    double stiffness_work; /* [J] gained by the stored energy when the stiffness changed before this step */
    int intersections;     /* found by the exact test at the end */
    double own[BRN_OWN_FIGURES]; /* the method's own figures, in the order of their table */
    brn_books books;             /* how forces acted in this step, for the ledger */
    bool rigid;                  /* the body that the stages follow went on as a rigid one */
    /* the next step follows another rule: the driver resets the state and continues the ledger */
    bool ends_stage;
} brn_step_info;

/* A method's own figure (brn_figure_get): named NAME.figure, with its reduction over the run, and how the values of the
   parts of a step are combined: LAST, SUM, MAX or MIN. */
typedef struct brn_own_figure {
    brn_figure figure;
    brn_reduction parts;
} brn_own_figure;

/* How a method would continue from a state. */
typedef struct brn_stage {
    bool inertia; /* false: it seeks equilibrium */
    /* forces at the start of a step move it: stiff and strongly damped ones must be kept small */
    bool forward;
    double gravity; /* share of gravity that acts now: less than 1 while a static stage ramps it */
} brn_stage;

/* What was changed by hand; step/controls.h holds the new values. */
enum {
    BRN_CHANGED_GRAVITY = 1,
    BRN_CHANGED_FRICTION = 2,
    BRN_CHANGED_MOTION = 4, /* speed of a motion, offset of an obstacle */
    BRN_CHANGED_DRAG = 8,
    BRN_CHANGED_HOLDS = 16, /* some were released; not by hand */
};

typedef struct brn_change {
    unsigned what;     /* BRN_CHANGED_... */
    double gravity[3]; /* [m/s^2] new minus old */
} brn_change;

typedef struct brn_method {
    const brn_table *table; /* name, help, parameters; its struct starts with brn_block */
    unsigned integrators;   /* bit i set: integrator i may be chosen */
    int integrator;         /* taken if the scene names none */
    bool contact;           /* bodies may touch: the force on each gets a column */
    unsigned bodies;        /* bit BRN_BODY_... set: accepts bodies of this type */
    unsigned contact_keys;  /* bit BRN_CONTACT_... set: uses this key of `contact` and its pairs */
    const char *contact_instead[BRN_CONTACT_KEY_COUNT]; /* for an unused key: why, and what to write */
    bool releases;                                      /* holds may end */
    bool lumps;                    /* needs masses at nodes: a body whose `mass` is left open has them */
    bool connects;                 /* takes the scene's `connect` */
    bool stages;                   /* takes the rules of the scene's `stages`, loading too */
    bool dissipates;               /* it can repeat a step so that no energy is gained: system->guard */
    const brn_own_figure *figures; /* [nfigures], at most BRN_OWN_FIGURES */
    int nfigures;

    /* What a run will take, for `brunt check`. */
    brn_status (*predict)(const brn_model *model, brn_system *system, brn_prediction *out);
    /* Grows the sizes of the state, which start with a pose for every rigid body. NULL: that is enough. */
    void (*sizes)(const brn_model *model, brn_state_sizes *sizes);
    /* The model and the system outlive the method. */
    brn_status (*create)(brn_ctx *ctx, const brn_model *model, brn_system *system, void **self);
    /* Advances from `in` at time t by at most h into `out` (same sizes, content undefined), sets 0 < *h_done <= h. Fills all
       arrays of `out` and info->books. What it keeps from one part of a step of the driver to the next (system->effort > 0) may save work. Negative: not done, `in` untouched; BRN_ERR_CONVERGENCE, _SINGULAR and _NOT_FINITE are
       retried with a smaller step. */
    brn_status (*step)(void *self, const brn_state *in, double t, double h, brn_state *out, double *h_done,
                       brn_step_info *info);
    /* Makes poses, forces and the method's memory in the state fit node positions and velocities set from outside at time t. */
    brn_status (*reset)(void *self, brn_state *state, double t, brn_step_info *info);
    /* How it would continue from the state at time t. */
    brn_stage (*stage)(const void *self, const brn_state *state, double t);
    /* Makes its memory in the state fit what was changed by hand. NULL: nothing it remembers depends on that. */
    brn_status (*changed)(void *self, brn_state *state, const brn_change *change);
    /* Adds a line for every body of the scene, or in brief for bodies that are alike together, with the values that it chose
       because the scene leaves them open. NULL: none. */
    brn_status (*choices)(const void *self, bool brief, brn_text *to);
    /* What speaks against a run from the start, as a sentence; false: nothing. NULL: never. */
    bool (*warn)(const void *self, char *text, size_t size);
    /* What to doubt in the results of a run with these figures of its own, as a sentence; false: nothing. NULL: never. */
    bool (*doubt)(const double own[BRN_OWN_FIGURES], char *text, size_t size);
    /* Looks at the state in which a run with these figures is done, once, with more care than there is time for in a step: why it is not
       to be trusted, as a sentence, "": it may be. NULL: always. */
    brn_status (*conclude)(void *self, const brn_state *state, const double own[BRN_OWN_FIGURES], char *text,
                           size_t size);
    void (*destroy)(void *self);
} brn_method;

#endif
