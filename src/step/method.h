/* The interface of a contact method: four functions and a parameter table. A method is one folder src/step/NAME/ plus
   one line in src/api/methods.def. */
#ifndef BRN_STEP_METHOD_H
#define BRN_STEP_METHOD_H

#include "contact/points.h"
#include "model/model.h"
#include "state/state.h"
#include "step/system.h"

/* What a method tells of one attempt; of a reset: all about contact. */
typedef struct brn_step_info {
    int64_t iterations; /* or events */
    int lags;           /* solves with friction's normal forces renewed between them; 0: none is lagged */
    double residual;    /* of its stopping test */
    const brn_contact_point *point; /* [npoint] at the end; the method's, valid until its next call */
    int npoint;
    int contacts;                  /* pairs in contact at the end */
    double gap_min;                /* [m] +inf without any */
    double complementarity;        /* [m] largest gap of a pair that carries force */
    double complementarity_offset; /* [m] what of it the method intends */
    double contact_energy;         /* [J] stored in the contact at the end */
    double
        stiffness_work; /* [J] gained by the stored energy when the stiffness was changed before this step */
    int intersections;  /* found by the exact test at the end */
    double own[BRN_OWN_FIGURES]; /* of the method's own figures, in the order of their table */
} brn_step_info;

/* A figure of a method's own (brn_figure_get): named NAME.figure, with its reduction over the run, and how those of the
   parts of a step become one: LAST, SUM, MAX or MIN. */
typedef struct brn_own_figure {
    brn_figure figure;
    brn_reduction parts;
} brn_own_figure;

typedef struct brn_method {
    const brn_table *table;        /* name, help, parameters; its struct starts with brn_block */
    unsigned integrators;          /* bit i set: leaves the choice of integrator i */
    bool contact;                  /* bodies may touch: forces on each are worth a column */
    const brn_own_figure *figures; /* [nfigures], at most BRN_OWN_FIGURES */
    int nfigures;

    /* The model and the system outlive the method. */
    brn_status (*create)(brn_ctx *ctx, const brn_model *model, brn_system *system, void **self);
    /* Advances from `in` at time t by at most h into `out` (same sizes, content undefined), sets *h_done <= h. Fills
       out's node_load, node_react, node_damp. Negative: not done, `in` untouched; BRN_ERR_CONVERGENCE, _SINGULAR and
       _NOT_FINITE are retried with a smaller step. */
    brn_status (*step)(void *self, const brn_state *in, double t, double h, brn_state *out, double *h_done,
                       brn_step_info *info);
    /* Makes the method's memory in the state fit positions and velocities that were set from outside at time t. */
    brn_status (*reset)(void *self, brn_state *state, double t, brn_step_info *info);
    void (*destroy)(void *self);
} brn_method;

#endif
