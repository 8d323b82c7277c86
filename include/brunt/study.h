/* brunt: studies of a scene beyond one simulation of it. The rules of brunt.h hold: statuses, units, who frees what. */
#ifndef BRUNT_STUDY_H
#define BRUNT_STUDY_H

#include <brunt/brunt.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- vibration: modes about rest --------------------------------------------------------------------------------------- */

/* K x = lambda M x with the stiffness of the unloaded shape: no gravity, no loads, no contact. Obstacles (static bodies) and robots do
   not vibrate; rigid bodies move as a whole; ball, hinge, weld and distance connections are left out, with a warning in the log. */
typedef struct brn_vibration brn_vibration;

typedef struct brn_vibration_options {
    int modes; /* elastic ones wanted, 10; there may be fewer */
    const char
        *body; /* NULL: the whole scene with its holds, attachments and springs; else that body alone */
    bool free; /* nothing is held by `fixed` */
} brn_vibration_options;

typedef struct brn_vibration_mode {
    double frequency; /* [Hz] undamped */
    double damped;    /* [Hz] with Rayleigh damping; 0: overdamped, it creeps back */
    double ratio;     /* of critical damping; below 1 it rings down as exp(-ratio 2 pi frequency t) */
    double lambda;    /* [rad^2/s^2] */
    bool
        rigid; /* nothing resists it: a rigid motion, or a mechanism. frequency, damped, ratio and lambda are 0 */
    double
        mass; /* [kg] modal mass of this shape: its kinetic energy is mass/2 times the squared speed where it is largest */
    double effective_mass
        [3]; /* [kg] that takes part when the supports move along x, y, z; over all modes they sum to what is free */
    const double *
        shape; /* [nodes][3] displacement, nodes as in brn_sim_positions; the largest is 1 long. Belongs to the vibration */
} brn_vibration_mode;

BRN_API brn_vibration_options brn_vibration_options_default(void);
/* options NULL: the defaults. Rigid modes first, then elastic ones by frequency. BRN_ERR_RANGE: no such body, or modes < 1;
   BRN_ERR_LIMIT: too many motions without stiffness to get past. The model may be destroyed before the result. */
BRN_API brn_status brn_vibration_find(brn_ctx *ctx, const brn_model *model,
                                      const brn_vibration_options *options, brn_vibration **out);
BRN_API void brn_vibration_destroy(brn_vibration *vibration);
BRN_API int brn_vibration_count(const brn_vibration *vibration); /* rigid and elastic ones */
BRN_API brn_status brn_vibration_get(const brn_vibration *vibration, int index, brn_vibration_mode *out);
/* Writes into a folder (made if absent, locked meanwhile) modes.csv, modes.vtu, modes.json and report.html, which holds the first
   modes if there is no room for all; docs/output.md has their contents. scene: its text, as from brn_scene_write, for scene.yaml and
   the page; NULL: neither. report_mb as in brn_run_options. model: the one that was searched. */
BRN_API brn_status brn_vibration_write(brn_ctx *ctx, const brn_model *model, const brn_vibration *vibration,
                                       const char *scene, const char *dir, double report_mb);

#ifdef __cplusplus
}
#endif
#endif
