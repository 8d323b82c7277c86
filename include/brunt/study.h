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

/* ---- coarsening: a cheap mesh that moves as the fine one does ------------------------------------------------------------- */

/* Dynamics-aware coarsening [Chen, Levin, Matusik & Kaufman 2017]. Coarse meshes are too stiff long before they are too coarse to take
   the shapes that matter. So:
     1. the mesh is refined, by 2, until the lowest frequencies of the free body change by less than `change`;
     2. the coarsest mesh is sought, by bisection, that takes the lowest shapes of that one within `shape`, and whose frequencies one
        factor brings within `spread`;
     3. one factor on the moduli of the body's materials makes its first frequency that of the fine mesh, or a measured one. */
typedef struct brn_coarsening brn_coarsening;

enum { BRN_COARSEN_MODES = 10, BRN_COARSEN_SHAPES = 4 };

/* A mesh that was looked at. */
typedef struct brn_coarsen_level {
    double size; /* edge of cells over that of the scene as it was */
    int cells, nodes, dofs;
    bool refining; /* it was to be the fine one; else a candidate for the coarse one */
    int modes;
    double frequency[BRN_COARSEN_MODES]; /* [Hz] of the free body, with the scene's moduli, elastic modes */
    double
        change; /* refining: largest change of the first BRN_COARSEN_SHAPES from the mesh before; NaN: the first */
    /* Candidate: relative Hausdorff distance of each shape: both surfaces moved by the mode (see brn_coarsen_shape), the largest distance
       from one to the other and back, over the largest displacement. NaN: not known, the mesh has too few modes. */
    double distance[BRN_COARSEN_SHAPES];
    double spread; /* candidate: mean error of the frequencies of BRN_COARSEN_MODES once the first is right */
    bool fits;     /* candidate: all of these are small enough */
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
    /* Called with every mesh; return true to give up with BRN_ERR_CANCELLED. May be NULL. */
    bool (*progress)(void *user, const brn_coarsen_level *level);
    void *progress_user;
} brn_coarsen_options;

typedef struct brn_coarsen_result {
    const char *body;
    int levels;       /* brn_coarsen_get_level */
    int modes;        /* brn_coarsen_get_mode */
    int changes;      /* brn_coarsen_change */
    int fine, coarse; /* levels */
    bool converged;   /* else refining was ended by the limit */
    double order;     /* of convergence of the first frequency; NaN: fewer than three fine meshes */
    double scale;     /* on the moduli */
    double lambda;    /* [rad^2/s^2] target of the first mode */
    double beta;      /* [s] damping from the measured decay; NaN: damping stays */
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
    const double
        *moved; /* [nodes][3] displacement; the largest of the fine one is a tenth of the body's diagonal */
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

#ifdef __cplusplus
}
#endif
#endif
