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
    /* NULL: the whole scene with its holds, attachments and springs; else that body alone */
    const char *body;
    bool free; /* nothing is held by `fixed` */
} brn_vibration_options;

typedef struct brn_vibration_mode {
    double frequency; /* [Hz] undamped */
    double damped;    /* [Hz] with Rayleigh damping; 0: overdamped, it creeps back */
    double ratio;     /* of critical damping; below 1 it rings down as exp(-ratio 2 pi frequency t) */
    double lambda;    /* [rad^2/s^2] */
    /* nothing resists it: a rigid motion, or a mechanism. frequency, damped, ratio and lambda are 0 */
    bool rigid;
    /* [kg] modal mass of this shape: its kinetic energy is mass/2 times the squared speed where it is largest */
    double mass;
    double effective_mass
        [3]; /* [kg] that takes part when the supports move along x, y, z; over all modes they sum to what is free */
    /* [nodes][3] displacement, nodes as in brn_sim_positions; the largest is 1 long. Belongs to the vibration */
    const double *shape;
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

/* ---- coarsening: a cheap mesh that moves as the fine one does ------------------------------------------------------------- */

/* Dynamics-aware coarsening [Chen, Levin, Matusik & Kaufman 2017]. Coarse meshes are too stiff long before they are too coarse to take
   the shapes that matter. So:
     1. the mesh is refined, by 2, until the lowest frequencies of the free body change by less than `change`;
     2. the coarsest mesh is sought, by bisection, that takes the lowest shapes of that one within `shape`, and whose frequencies one
        factor brings within `spread`;
     3. one factor on the moduli of the body's materials makes its first frequency that of the fine mesh, or a measured one, or else
        the energy that the scene's load stores that of the fine mesh. */
typedef struct brn_coarsening brn_coarsening;

enum { BRN_COARSEN_MODES = 10, BRN_COARSEN_SHAPES = 4 };

/* A mesh that was looked at. */
typedef struct brn_coarsen_level {
    double size; /* edge of cells over that of the scene as it was */
    int cells, nodes, dofs;
    bool refining; /* it was to be the fine one; else a candidate for the coarse one */
    int modes;
    double frequency[BRN_COARSEN_MODES]; /* [Hz] of the free body, with the scene's moduli, elastic modes */
    /* refining: largest change of the first BRN_COARSEN_SHAPES from the mesh before; NaN: the first */
    double change;
    /* Candidate: relative Hausdorff distance of each shape: both surfaces moved by the mode (see brn_coarsen_shape), the largest distance
       from one to the other and back, over the largest displacement. NaN: not known, the mesh has too few modes. */
    double distance[BRN_COARSEN_SHAPES];
    double
        spread; /* candidate: mean error of the frequencies of BRN_COARSEN_MODES once the first is right, or the load */
    bool fits; /* candidate: all of these are small enough */
} brn_coarsen_level;

/* A mode of the fine mesh, and what became of it. */
typedef struct brn_coarsen_mode {
    double fine;         /* [Hz] */
    double extrapolated; /* [Hz] to cells of no size [Richardson]; NaN: there was one fine mesh only */
    double before,
        after; /* [Hz] of the coarse mesh, with the moduli as they were and as they are; NaN: it has no such shape */
    double error_before, error_after; /* over the fine one, with sign */
    double alike;                     /* 1: the same shape (modal assurance criterion, by mass) */
    double distance;                  /* as in a level; NaN beyond BRN_COARSEN_SHAPES */
} brn_coarsen_mode;

typedef struct brn_coarsen_options {
    const char *body; /* of the scene; NULL: its only deformable one */
    double change;    /* of frequencies that counts as converged, 0.01 */
    double shape;     /* largest relative Hausdorff distance, 0.05 */
    double spread;    /* largest mean error of frequencies after scaling, 0.05; infinity: any */
    double limit;     /* cells of a mesh at most, 1e5 */
    double frequency,
        decay; /* measured ring-down: [Hz] and [1/s]; frequency 0: the fine mesh says what is right */
    bool held; /* ... of the body as `fixed` holds it; else of the free one */
    /* Moduli by the scene's load: its stage `loading`, or all of a static run, which is simulated with the fine mesh and some times with the
       coarse one, stores the same elastic energy in both. BRN_ERR_SCENE: it has no such load. */
    bool load;
    /* Called with every mesh; return true to give up with BRN_ERR_CANCELLED. May be NULL. */
    bool (*progress)(void *user, const brn_coarsen_level *level);
    void *progress_user;
} brn_coarsen_options;

typedef struct brn_coarsen_result {
    const char *body;
    int levels;        /* brn_coarsen_get_level */
    int modes;         /* brn_coarsen_get_mode */
    int changes;       /* brn_coarsen_change */
    int fine, coarse;  /* levels */
    bool converged;    /* else refining was ended by the limit */
    bool loads;        /* the scene has a load in equilibrium: options.load can make its energy right */
    double order;      /* of convergence of the first frequency; NaN: fewer than three fine meshes */
    double scale;      /* on the moduli */
    double lambda;     /* [rad^2/s^2] target of the first mode */
    double beta;       /* [s] damping from the measured decay; NaN: damping stays */
    double load;       /* [J] of the scene's load with the fine mesh; NaN: it was not asked for */
    double load_error; /* of the coarse mesh, over that, if the first frequency decided */
    double error_before, error_after; /* mean of |errors| over the modes */
    double distance;                  /* largest of the shapes */
    double flops_fine, flops_coarse; /* predicted of one linear solve of the scene's method; 0: it has none */
} brn_coarsen_result;

/* The surface of the body in a mode: fine and coarse are in the same sense and of the same size, and where frequencies lie within a
   twentieth of each other the coarse modes are turned among themselves to the fine ones. Belongs to the coarsening. */
typedef struct brn_coarsen_shape {
    int nodes, triangles;
    const double *place; /* [nodes][3], [m] at rest */
    const int *triangle; /* [triangles][3] */
    /* [nodes][3] displacement; the largest of the fine one is a tenth of the body's diagonal */
    const double *moved;
} brn_coarsen_shape;

BRN_API brn_coarsen_options brn_coarsen_options_default(void);
/* The mesh must come from a generator with `resolution` or `cells`, or from a surface that is filled. On success the scene is the coarse
   one, as by brn_scene_set of the changes; on failure it is as it was. BRN_ERR_SCENE: it cannot be coarsened, and why;
   BRN_ERR_LIMIT: the scene's mesh is beyond the limit. options NULL: the defaults. */
BRN_API brn_status brn_coarsen(brn_ctx *ctx, brn_scene *scene, const brn_coarsen_options *options,
                               brn_coarsening **out);
BRN_API void brn_coarsening_destroy(brn_coarsening *coarsening);
BRN_API brn_status brn_coarsen_get(const brn_coarsening *coarsening, brn_coarsen_result *out);
BRN_API brn_status brn_coarsen_get_level(const brn_coarsening *coarsening, int index, brn_coarsen_level *out);
BRN_API brn_status brn_coarsen_get_mode(const brn_coarsening *coarsening, int index, brn_coarsen_mode *out);
BRN_API brn_status brn_coarsen_get_shape(const brn_coarsening *coarsening, int mode, bool coarse,
                                         brn_coarsen_shape *out);
/* "materials.rubber.young=6.5e8": what makes the scene the coarse one, for brn_scene_set and brn_scene_edit; "" if there is none. */
BRN_API const char *brn_coarsen_change(const brn_coarsening *coarsening, int index);

/* ---- a recorded trace: samples of one quantity over time ---------------------------------------------------------- */

typedef struct brn_trace brn_trace;

typedef struct brn_trace_options {
    /* column of the time, by name or by its number from 1; NULL: the first of time, t; else column 1 */
    const char *time;
    const char *value; /* column of the samples; NULL: the other one of two */
} brn_trace_options;

BRN_API brn_trace_options brn_trace_options_default(void);
/* Numbers in columns, between commas, semicolons, tabs or blanks (the first of these that the first line has); the first line may name the columns; `#`
   and `%` begin comments. Times are in s, or in ms, us or ns if the name of their column says so, "time [ms]", or a line of units below. Rows in which the time or the value is empty are left out. A folder is that of a run: its series.csv is read. Errors name the line. options
   NULL: defaults. */
BRN_API brn_status brn_trace_read(brn_ctx *ctx, const char *path, const brn_trace_options *options,
                                  brn_trace **out);
BRN_API brn_status brn_trace_parse(brn_ctx *ctx, const char *text, size_t length, const char *name,
                                   const brn_trace_options *options, brn_trace **out);
/* Number of samples; *time and *value [s], [unit of the trace] are views, times ascend. */
BRN_API int brn_trace_samples(const brn_trace *trace, const double **time, const double **value);
BRN_API const char *brn_trace_column(const brn_trace *trace); /* name of the column, "" if it has none */
BRN_API void brn_trace_close(brn_trace *trace);

/* ---- a ring-down: damped sinusoids in a trace ----------------------------------------------------------------------- */

/* Most damped sinusoids, and decays without oscillation beside them, that a fit may have. */
enum { BRN_RING_MODES = 6, BRN_RING_DECAYS = 2 };

typedef enum brn_ring_pick {
    BRN_RING_STRONGEST, /* most energy within the window */
    BRN_RING_LOWEST,
    BRN_RING_NEAREST, /* to `near` */
} brn_ring_pick;

typedef struct brn_ring_options {
    double from, to; /* [s] the window; NaN: from behind the largest displacement, to the last sample */
    int modes;       /* at most, 1 to BRN_RING_MODES */
    brn_ring_pick pick;
    double near; /* [Hz] */
} brn_ring_options;

/* exp(-decay t) (cosine cos(2 pi frequency t) + sine sin(2 pi frequency t)), t [s] since the start of the window. Errors are standard errors
   (one sigma), from the covariance of the residual. */
typedef struct brn_ring_mode {
    double frequency, decay;             /* [Hz] damped, [1/s] */
    double frequency_error, decay_error; /* [Hz], [1/s] */
    double covariance;                   /* [1/s^2] of the two */
    double cosine, sine;                 /* [unit of the trace] */
    double amplitude;                    /* [unit of the trace] at the start of the window */
    double energy;                       /* [unit^2 s] integral of its square over the window */
    double periods;                      /* that are seen: while its amplitude is above the noise */
} brn_ring_mode;

typedef struct brn_ring_down {
    int mode_count, chosen; /* modes ascend in frequency */
    brn_ring_mode mode[BRN_RING_MODES];
    int decay_count; /* exp(-decay t) without oscillation */
    double decay[BRN_RING_DECAYS], decay_size[BRN_RING_DECAYS];
    double offset, drift; /* [unit], [unit/s] */
    bool drifts;
    int first, samples;  /* the window: samples first to first + samples - 1 */
    double start, end;   /* [s] of its first and last sample */
    double spacing;      /* [s] median distance of samples */
    double noise;        /* [unit] root mean square of what the fit leaves */
    double signal_noise; /* [dB] root mean square of the oscillation over that of the rest */
    /* samples that the rest is correlated over, 1: white; errors are larger by its root */
    double correlation;
} brn_ring_down;

BRN_API brn_ring_options brn_ring_options_default(void);
/* Finds the damped sinusoids of the samples y at times t (ascending, any spacing; no sample is moved). options NULL: defaults. BRN_ERR_MISSING: there is no
   oscillation in it, or too little of one; the message says what there is instead, and *out is zeroed. */
BRN_API brn_status brn_ring_down_fit(brn_ctx *ctx, const double *t, const double *y, int count,
                                     const brn_ring_options *options, brn_ring_down *out);
/* Takes the shift out that steps [s] of Newmark's rule (average acceleration) put into a simulated ring-down: its poles are those of the rule,
   exp(s' h) = (1 + s h/2)/(1 - s h/2), lower in frequency by about (omega h)^2/12 of it. */
BRN_API void brn_ring_mode_unshift(brn_ring_mode *mode, double step);
/* The fitted curve at a time [s] of the trace; NaN without one. */
BRN_API double brn_ring_down_at(const brn_ring_down *fit, double time);

/* ---- calibration: a scene's materials from a ring-down ---------------------------------------------------------------- */

/* lambda_t = (2 pi f)^2 + d^2 and beta = 2 d/lambda_t of the measured mode, alpha = 0. Moduli are scaled until the mode of the scene's
   finite elements, as brn_vibration_find has it, has lambda_t: in one step where all stiffness is that of the materials. */
typedef struct brn_calibrate_options {
    int mode;             /* which elastic mode was measured, 1: the lowest */
    const char *material; /* the one to change; NULL: all of the scene, by one factor */
    const char *body;     /* as brn_vibration_options has them */
    bool free;
} brn_calibrate_options;

/* Errors are standard errors. */
typedef struct brn_calibration {
    double target;       /* [rad^2/s^2] lambda_t */
    double before;       /* [rad^2/s^2] the model's lambda as the scene was */
    double frequency;    /* [Hz] of the model now, with its damping */
    double decay;        /* [1/s] likewise */
    double factor;       /* moduli are multiplied by it */
    double factor_error; /* relative */
    double share;        /* of the mode's stiffness that the changed materials give: d ln lambda / d ln E */
    double beta;         /* [s] */
    double beta_error;   /* [s] */
    int solves;          /* models that were analysed */
    int materials;       /* changed */
} brn_calibration;

/* A value that the scene has now. */
typedef struct brn_calibrated {
    const char *path;     /* "materials.plastic.young" */
    const char *unit;     /* "Pa", "s", "1/s" */
    double before, after; /* before is NaN where the scene had no such value */
    double error;         /* standard error */
} brn_calibrated;
typedef struct brn_calibrated_list brn_calibrated_list;

BRN_API brn_calibrate_options brn_calibrate_options_default(void);
/* Changes the scene; after a failure it means what it did before. options NULL: defaults. *list, which may be NULL, is destroyed by the caller. */
BRN_API brn_status brn_calibrate(brn_ctx *ctx, brn_scene *scene, const brn_ring_mode *mode,
                                 const brn_calibrate_options *options, brn_calibration *out,
                                 brn_calibrated_list **list);
BRN_API int brn_calibrated_count(const brn_calibrated_list *list);
BRN_API brn_status brn_calibrated_get(const brn_calibrated_list *list, int index, brn_calibrated *out);
BRN_API void brn_calibrated_destroy(brn_calibrated_list *list);

#ifdef __cplusplus
}
#endif
#endif
