/* The columns of a run's series: the report's figures and the method's own, then force and displacement of every hold
   (obstacles included), then every probe, then the contact force on every body if the method has contact, then the poses of
   rigid bodies, then the joints of robots. */
#ifndef BRN_API_SERIES_ROW_H
#define BRN_API_SERIES_ROW_H

#include "step/sim.h"

/* Zeroed but for ctx. */
typedef struct brn_series_row {
    brn_ctx *ctx;
    int count;         /* columns */
    const char **name; /* [count] */
    char (*text)[160]; /* storage of most names */
    int *body;         /* [nbody] those with columns of contact force */
    int nbody;
    int *hold, nhold;       /* [nhold] holds that have columns */
    int *rigid, nrigid;     /* [nrigid] bodies whose pose has */
    int *joint, njoint;     /* [njoint] joints of robots that have */
    brn_joint_state *state; /* [joints] scratch */
} brn_series_row;

/* After a failure it can (and must) still be cleared. method: the one that simulates the model; NULL: without contact. */
brn_status brn_series_row_make(brn_series_row *columns, const brn_model *model, const brn_method *method);
void brn_series_row_clear(brn_series_row *columns);
/* row [count]: the present state of a simulation of that model; NaN: not known. */
void brn_series_row_fill(const brn_series_row *columns, const brn_sim *sim, const brn_report *report,
                         double *row);

#endif
