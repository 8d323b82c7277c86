/* The driver: owns the state, cuts a step into parts when a method fails, keeps the ledger, fills the report. */
#ifndef BRN_STEP_SIM_H
#define BRN_STEP_SIM_H

#include "step/method.h"

struct brn_sim {
    brn_ctx *ctx;
    const brn_model *model; /* the caller's, or its own copy of that with other held dofs */
    brn_model own;
    const brn_method *method;
    void *self;
    brn_system *system;
    brn_state *state;    /* the current one */
    brn_state *spare[2]; /* where attempts are written */
    double *force[2];    /* [nnode][3] views handed out by brn_sim_forces */
    /* Contacts of the current state, a copy: the method's own are lost when it tries again. */
    brn_step_info info; /* its point is the copy */
    brn_contact_point *point;
    size_t point_capacity;
    double (*contact_force)[3]; /* [nbody] on each body [N] */
};

/* The public brn_sim_create looks the method up. */
brn_status brn_sim_create_with(brn_ctx *ctx, const brn_model *model, const brn_method *method, brn_sim **out);
/* The report before anything has happened in a step. */
brn_report brn_sim_blank_report(const brn_sim *sim);
/* Energies, momenta, inversions, contacts of the present state; errors of contact are added to the report's. */
brn_status brn_sim_report(brn_sim *sim, brn_report *report);
/* A checkpoint and the caller's own numbers, see brn_state_load. */
brn_status brn_sim_save_with(brn_sim *sim, const char *path, const double *extra, int nextra);
brn_status brn_sim_load_with(brn_sim *sim, const char *path, double *extra, int nextra);
/* [m/s] Highest speed at which offsets of static bodies change. */
double brn_sim_shift_speed(const brn_sim *sim);
/* A loaded state continues under the present gravity, with motions and offsets from where they had got to. On failure
   nothing has changed. */
brn_status brn_sim_resume_controls(brn_sim *sim, brn_state *state, const char *path);

/* Its own set of held dofs, if holds are released in the run. */
brn_status brn_sim_own_holds(brn_sim *sim, const brn_model *model);
/* The present step is `done` in part: where its next hold ends, 1 if none does within it. */
double brn_sim_release_next(const brn_sim *sim, double done);
/* Those that are over by the time of so many steps let go, or, `within`, only those that were let go before it; *any: there were some, or some
   are held again. The method is told with the state. */
brn_status brn_sim_release(brn_sim *sim, double step, bool within, brn_state *state, bool *any);

/* All joints of robots, [brn_model_joint_count]. */
brn_status brn_sim_get_joints(const brn_sim *sim, brn_joint_state *out);

#endif
