/* brunt: deformable and rigid solids in frictional contact.

   The whole flow in ten calls:

       brn_ctx *ctx;      brn_ctx_create(NULL, &ctx);
       brn_scene *scene;  brn_scene_load(ctx, "scene.yaml", &scene);
       brn_model *model;  brn_model_compile(ctx, scene, &model);
       brn_sim *sim;      brn_sim_create(ctx, model, &sim);
       while (!brn_sim_done(sim)) {
           brn_report report;
           brn_sim_step(sim, &report);
           const double *x = brn_sim_positions(sim);   // [nodes][3]
       }
       brn_sim_destroy(sim); brn_model_destroy(model); brn_scene_destroy(scene); brn_ctx_destroy(ctx);

   Every call that can fail returns a brn_status: negative = not done and nothing changed (brn_ctx_message says
   why), zero = done, positive = done with a remark that the report explains. SI units everywhere, right-handed axes.
   The library never prints, exits or aborts: NULL where something must be given is BRN_ERR_RANGE, and where a call returns no
   status it returns nothing (NULL, "", 0, NaN; a simulation that is NULL is done). A ctx and everything made from it belongs
   to one thread at a time. Its own threads take no signals. While a large matrix is ordered, METIS has a handler of its own for SIGTERM,
   which brunt holds back from the calling thread: other threads of a program that handles SIGTERM should block it. */
#ifndef BRUNT_BRUNT_H
#define BRUNT_BRUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
# define BRN_API __attribute__((visibility("default")))
#else
# define BRN_API
#endif

#define BRN_VERSION "0.1.0"

/* ---- status ---------------------------------------------------------------------------------------------- */

typedef enum brn_status {
    BRN_OK = 0,
    BRN_ERR_MEMORY = -1,      /* an allocation failed */
    BRN_ERR_RANGE = -2,       /* a value outside its range */
    BRN_ERR_SCENE = -3,       /* the scene is wrong: brn_scene_problem lists everything */
    BRN_ERR_FILE = -4,        /* a file cannot be read or written */
    BRN_ERR_FORMAT = -5,      /* a file's content is not what its format says */
    BRN_ERR_MESH = -6,        /* a mesh is invalid (inverted element, bad index, ...) */
    BRN_ERR_SINGULAR = -7,    /* a matrix cannot be factored */
    BRN_ERR_NOT_FINITE = -8,  /* a number became infinite or NaN */
    BRN_ERR_CONVERGENCE = -9, /* a solver did not converge, even with the smallest step */
    BRN_ERR_MISSING = -10,    /* built without an optional library, or a thing that does not exist */
    BRN_ERR_LIMIT = -11,      /* a stated limit was exceeded */
    BRN_ERR_CANCELLED = -12,  /* given up at the caller's request: brn_ctx_cancel */
    BRN_ERR_BUSY = -13,       /* another process or call is writing into the folder */
    BRN_ERR_FULL = -14, /* a file cannot be written for want of room: disk, quota or largest size of a file */
    BRN_REMARK_STOPPED = 1, /* stopped early at the caller's request; everything so far is kept */
} brn_status;

BRN_API const char *brn_status_name(brn_status status);

/* ---- context: allocator, log, workers, last error ---------------------------------------------------------- */

typedef struct brn_ctx brn_ctx;

typedef enum brn_log_level { BRN_LOG_DEBUG, BRN_LOG_INFO, BRN_LOG_WARNING } brn_log_level;
typedef void (*brn_log_fn)(void *user, brn_log_level level, const char *message);

/* size 0 frees (and returns NULL); otherwise as realloc, NULL on failure. Called from any worker. */
typedef void *(*brn_realloc_fn)(void *user, void *block, size_t size);

typedef struct brn_ctx_options {
    int threads;            /* 0: one per core; results do not depend on it */
    brn_realloc_fn realloc; /* NULL: the C library's */
    void *realloc_user;
    brn_log_fn log; /* NULL: silent */
    void *log_user;
} brn_ctx_options;

BRN_API brn_ctx_options brn_ctx_options_default(void);
BRN_API brn_status brn_ctx_create(const brn_ctx_options *options, brn_ctx **out); /* options NULL: defaults */
BRN_API void brn_ctx_destroy(brn_ctx *ctx);
BRN_API const char *brn_ctx_message(const brn_ctx *ctx); /* text of the last error, "" if none */
BRN_API int brn_ctx_threads(const brn_ctx *ctx);
/* While it is on, a step that is under way ends soon with BRN_ERR_CANCELLED and leaves the state as it was, the next one ends at
   once, brn_model_compile does not wait for a surface to be filled, and brn_run stops and keeps everything.
   What cannot be interrupted is the one ordering (METIS) before the first factorisation, 2 s for 98 000 tets. The only call that may come
   from another thread, or from a signal handler. */
BRN_API void brn_ctx_cancel(brn_ctx *ctx, bool on);
BRN_API void brn_ctx_free(brn_ctx *ctx, void *text); /* frees a text returned by a call below */

/* ---- JSON ------------------------------------------------------------------------------------------------------------- */

/* One JSON value, written piece by piece; the writer adds brackets, commas and keys. key: NULL in a list and for the value
   itself. NaN, infinities and NULL texts are written as null. Bytes that are not UTF-8 become U+FFFD; control characters and
   the line separators U+2028 and U+2029 are escaped. It uses its ctx only to allocate, so it may be used on another thread
   than the ctx. */
typedef struct brn_json brn_json;

/* lines: nesting levels whose members each get their own line; 0: all on one line; < 0: no blanks. */
BRN_API brn_status brn_json_create(brn_ctx *ctx, int lines, brn_json **out);
BRN_API void brn_json_destroy(brn_json *json);
BRN_API void brn_json_open(brn_json *json, const char *key, char bracket); /* '{' or '[' */
BRN_API void brn_json_close(brn_json *json);                               /* the innermost bracket */
BRN_API void brn_json_text(brn_json *json, const char *key, const char *value);
BRN_API void brn_json_real(brn_json *json, const char *key, double value);
BRN_API void brn_json_int(brn_json *json, const char *key, int64_t value);
BRN_API void brn_json_bool(brn_json *json, const char *key, bool value);
/* A view of the whole text, ended by '\0'. BRN_ERR_MEMORY: memory ran out; BRN_ERR_RANGE: a bracket is still open. */
BRN_API brn_status brn_json_get(const brn_json *json, const char **text, size_t *length);

/* ---- scene: what the user wrote ----------------------------------------------------------------------------- */

typedef struct brn_scene brn_scene;

/* Reads YAML (JSON is YAML). Relative file names inside are relative to the scene's folder. BRN_ERR_SCENE: *out is
   still created, so that its problems can be listed; destroy it. */
BRN_API brn_status brn_scene_load(brn_ctx *ctx, const char *path, brn_scene **out);
BRN_API brn_status brn_scene_parse(brn_ctx *ctx, const char *text, size_t length, const char *name,
                                   brn_scene **out);
/* "time.step=0.02", "materials.rubber.young=1e6", "bodies.ball.position=[0,0,1]", "bodies[2].velocity=[0,0,1]" */
BRN_API brn_status brn_scene_set(brn_scene *scene, const char *assignment);
/* The same on a scene's text: one value changes, or a key is added; comments and layout stay. *out is freed with brn_ctx_free.
   BRN_ERR_SCENE: not in place, because what would change is more than a value in one place (an alias, a text of several lines, a block
   without brackets). */
BRN_API brn_status brn_scene_edit(brn_ctx *ctx, const char *text, const char *assignment, char **out);
BRN_API int brn_scene_problem_count(const brn_scene *scene);
BRN_API const char *brn_scene_problem(const brn_scene *scene,
                                      int index); /* "stack.yaml:14: bodies[3]...: must be" */
/* The scene with every default made explicit; *text is freed with brn_ctx_free. */
BRN_API brn_status brn_scene_write(brn_scene *scene, char **text);
BRN_API void brn_scene_destroy(brn_scene *scene);

/* ---- model: what it means ------------------------------------------------------------------------------------ */

typedef struct brn_model brn_model;

typedef struct brn_model_info {
    const char *title;
    const char *method;
    const char *method_why; /* why it was chosen, "there are obstacles"; NULL: the scene names it */
    const char *integrator;
    int dimension;
    int bodies, nodes, elements, dofs; /* dofs: free scalar unknowns */
    double step, end;                  /* [s] */
    double mass, volume;               /* [kg], [m^3] (2D: per metre of depth) */
    int attachments;                   /* regions welded to other bodies */
    int connections;                   /* balls, hinges, welds and distances between bodies */
} brn_model_info;

typedef struct brn_body_info {
    const char *name;
    const char *type;
    const char *source;    /* the scene's body that it is, or is a copy of; copies are numbered in a row */
    const char *materials; /* of a deformable body, with element counts: "steel 96, rubber 12"; else NULL */
    int copies;            /* number of bodies made from `source`; 1: only this one, or a part of a robot */
    int node_first, node_count; /* its nodes are [node_first, node_first + node_count) */
    int element_count;
    double mass, volume;
    double centre[3];              /* [m], centre of mass at the start */
    double box_min[3], box_max[3]; /* [m] */
    double smallest_edge;          /* [m] */
    int worst_element;             /* number of the worst-shaped element, -1 if the body has none */
    double worst_quality;          /* 1 = equilateral / cube, 0 = degenerate */
} brn_body_info;

/* A region of a body that is welded to another body. */
typedef struct brn_attachment_info {
    const char *name;
    int body, to;
    int node_count;
    double gap; /* [m] largest distance of its nodes from the deformable body they are welded to */
} brn_attachment_info;

/* Two bodies that share a point, an axis or a frame, or whose points stay at a distance. */
typedef struct brn_connection_info {
    const char *name;
    const char *type;   /* "ball", "hinge", "weld", "distance" */
    int body[2];        /* of the second -1: the world */
    double place[2][3]; /* [m] at the start: its points on the two bodies */
    double length;      /* [m] of a distance; else 0 */
} brn_connection_info;

BRN_API brn_status brn_model_compile(brn_ctx *ctx, brn_scene *scene, brn_model **out);
BRN_API void brn_model_destroy(brn_model *model);
BRN_API void brn_model_get_info(const brn_model *model, brn_model_info *out);
BRN_API brn_status brn_model_get_body(const brn_model *model, int body, brn_body_info *out);
/* -1 if there is none. Copies have names of their own: wall_2_0_1. */
BRN_API int brn_model_find_body(const brn_model *model, const char *name);
BRN_API brn_status brn_model_get_attachment(const brn_model *model, int attachment, brn_attachment_info *out);
BRN_API brn_status brn_model_get_connection(const brn_model *model, int connection, brn_connection_info *out);

/* Suggested steps, from the stiffness at rest: `stable`, the largest step of an explicit integrator (2/omega_max by
   power iteration), and `resolving`, a twentieth of the period of the slowest elastic mode. [s]; infinity: no limit. */
BRN_API brn_status brn_model_estimate_steps(brn_ctx *ctx, const brn_model *model, double *stable,
                                            double *resolving);

/* Most lines that a method may add to a prediction. */
enum { BRN_PREDICTED_LINES = 12 };

/* What a method predicts of its own. A figure of the run has the name of the one that it predicts (brn_figure_get). */
typedef struct brn_predicted {
    const char *name;    /* acm.deepest */
    const char *label;   /* deepest layer */
    const char *unit;    /* SI; "1" for a plain number */
    const char *meaning; /* one sentence */
    double lo, hi;       /* a range; equal: a number */
    char note[120];      /* what it is of, or what it rests on; "": nothing to add */
} brn_predicted;

/* The expected cost of the model's method, as far as it can be told beforehand. */
typedef struct brn_prediction {
    /* [s] its shortest step if nothing goes wrong: the scene's, or less if it chooses its own */
    double step_min;
    double steps;   /* number of them in the run */
    double flops;   /* floating-point operations of one linear solve without contact; 0: no linear solves */
    double bytes;   /* taken by the factor of its matrix */
    double seconds; /* that a run may take on one core; 0: not estimated */
    int line_count;
    brn_predicted line[BRN_PREDICTED_LINES]; /* the method's own */
} brn_prediction;

BRN_API brn_status brn_model_predict(brn_ctx *ctx, const brn_model *model, brn_prediction *out);

/* How a run starts. */
typedef struct brn_start {
    int contacts;   /* pairs in contact */
    double gap_min; /* [m] +infinity without any */
    int body;       /* the one that contact pushes hardest for its mass; -1: none */
    double force,
        weight; /* [N] that push (the sum on the body, or of the body against itself), and the body's weight */
    /* Without gravity: force is the sum of the normal forces on the body; an estimate of the strain that it makes, and of the
       speed [m/s] that it gives to a free body. Else 0. */
    double strain, speed;
    /* The push is above ten times the weight. Without gravity: it strains the body by more than 1 %, or it moves it by more than a
       tenth of its size within the run and makes it faster than a tenth of what is fastest at the start. */
    bool throws;
} brn_start;

/* A dry run: fails as brn_run does before its first step (parts that touch at the start, missing supports), logs what it warns
   of, and measures the contact of the start. *choices is the brief text of brn_sim_choices, freed with brn_ctx_free; NULL after
   a failure. */
BRN_API brn_status brn_model_rehearse(brn_ctx *ctx, const brn_model *model, brn_start *out, char **choices);

/* ---- simulation ------------------------------------------------------------------------------------------------ */

typedef struct brn_sim brn_sim;

/* Where the time of a step went: wall seconds of disjoint phases that add up to the step. */
typedef struct brn_phases {
    double assembly;     /* forces and tangents of elements, mass, damping and loads */
    double candidates;   /* finding parts near each other: broad phase and contact set */
    double ccd;          /* how far a step may go */
    double intersection; /* exact checks */
    double contact;      /* contact and friction terms: energies, forces, tangents */
    double symbolic;     /* patterns, orderings and symbolic analyses of matrices */
    double factor;       /* numeric factorisations */
    double solve;        /* with the factor, or by iterations */
    double search;       /* line search: energies, without those of contact */
    double other;
} brn_phases;

/* Most figures a method may add of its own. */
enum { BRN_OWN_FIGURES = 8 };

/* The quantities measured for every method (brn_figure_get describes each), then the method's own.
   Absent quantities (no contact) are 0, gaps +infinity. */
typedef struct brn_report {
    int64_t step;       /* number of the step just done */
    double time;        /* [s] after it */
    int substeps;       /* accepted parts of this step; 1: no retry was needed */
    int retries;        /* refused attempts */
    int lags;           /* solves between renewals of lagged friction, over all parts; 0: none is lagged */
    int64_t iterations; /* Newton iterations (or events) in this step */
    double residual;    /* what the solver's stopping test measured at the end, in its own unit */
    int contacts;
    int sticking, slipping;          /* among contacts that carry force, see brn_contact_point */
    double gap_min, penetration_max; /* [m] */
    double cone_error;               /* [N] largest |friction| - mu normal_force, at least 0 */
    /* [W] largest mu normal_force |slip| + friction . slip: power that friction failed to take */
    double dissipation_error;
    double complementarity;        /* [m] largest gap of a contact that carries force */
    double complementarity_offset; /* [m] the part of it the method intends: dhat of a barrier, else 0 */
    int intersections, inversions;
    double kinetic, elastic, gravity, contact; /* [J] energies after the step */
    double work;           /* [J] done on the bodies since the start by loads, supports, obstacles, hands */
    double dissipated;     /* [J] since the start by damping and friction */
    double stiffness_work; /* [J] since the start, added by changes of a method's contact stiffness */
    double numerical_loss; /* [J] since the start, taken by the time integrator as its own identity says */
    /* (kinetic + elastic + gravity + contact - initial - work - stiffness_work + dissipated + numerical_loss) / largest energy
       so far; above 0: energy from nowhere */
    double energy_error;
    /* [J] from nowhere, at least 0; 0 in static runs and while a rule's energy only swings */
    double energy_gain;
    int fallbacks; /* linear systems left to the direct solver by the iterative one */
    int guarded;   /* parts of this step repeated with implicit Euler because they had gained energy */
    double momentum[3], angular_momentum[3]; /* [kg m/s], [kg m^2/s] about the origin */
    /* |change - impulse of all external forces| over (the largest sum of the nodes' |momentum| so far + the sum of the
       nodes' |impulse| from gravity, loads and holds so far); angular: the same with each node's |x| as lever arm. */
    double momentum_error, angular_momentum_error;
    brn_phases phases;           /* [s] of this step */
    double wall;                 /* [s] of this step */
    double own[BRN_OWN_FIGURES]; /* the method's own, in the order of brn_figure_get; 0 after the last */
} brn_report;

/* One contact: two parts of bodies that touch or repel each other. The forces act on body[0], their opposites on body[1];
   body[0] == body[1]: a body touches itself. A contact with normal_force > 0 and mu > 0 sticks if |slip| is below
   stick_speed or, where that is 0, |friction| below (1 - 1e-9) mu normal_force; else it slips. In 2D forces are per metre of depth. */
typedef struct brn_contact_point {
    int body[2];         /* numbers as in brn_model_get_body */
    double place[3];     /* [m] between the closest points */
    double normal[3];    /* unit, from body[1] to body[0] */
    double gap;          /* [m], negative: penetration */
    double normal_force; /* [N] along normal; below 0: corrects for what other contacts count twice */
    double friction[3];  /* [N] perpendicular to normal */
    double slip[3];      /* [m/s] of body[0] relative to body[1], perpendicular to normal */
    double mu;           /* coefficient of friction of the pair */
    double stick_speed; /* [m/s] slower slip is sticking; 0: the method knows exactly, and the cone decides */
} brn_contact_point;

/* The stages of a body that is launched (the scene's `stages`). */
enum { BRN_STAGE_LOADING, BRN_STAGE_LAUNCH, BRN_STAGE_FLIGHT, BRN_STAGE_LANDING, BRN_STAGES };

/* A stage, at its end or, while it lasts, now. */
typedef struct brn_stage_result {
    double begin, end;                /* [s]; NaN: not yet */
    double kinetic, elastic, gravity; /* [J] of the scene */
    double work, dissipated;          /* [J] since the start of the run */
    double place[3], velocity[3],
        spin[3];    /* of the body: centre of mass [m], [m/s], angular velocity [rad/s] */
    double turn[3]; /* [rad] integral of the angular velocity over the stage */
    double rise;    /* [m] that the centre went up, at most, against gravity */
    double range;   /* [m] between its places at begin and end, across gravity */
    double tilt;    /* [rad] of the body from how it stood at the start of the run, in [0, pi] */
    double rigid;   /* [s] of the stage in which it went on as a rigid one, whatever it is made of */
} brn_stage_result;

/* What one body does to another, summed over all their contacts. */
typedef struct brn_contact_total {
    int points;
    double normal_force;           /* [N] sum of the normal forces */
    double normal[3], friction[3]; /* [N] on the first body; 0 if a body touches itself */
    double centre[3]; /* [m] of pressure: mean place weighted by normal force; 0 if there is none */
} brn_contact_total;

BRN_API brn_status brn_sim_create(brn_ctx *ctx, const brn_model *model, brn_sim **out);
BRN_API void brn_sim_destroy(brn_sim *sim);
/* One step of the scene's length (internally in as many parts as it takes). A negative status leaves the state untouched. */
BRN_API brn_status brn_sim_step(brn_sim *sim, brn_report *report);
/* A stage of the body that the scene's `stages` follow. BRN_ERR_RANGE: there is no such stage, or the scene has none. */
BRN_API brn_status brn_sim_stage(const brn_sim *sim, int stage, brn_stage_result *out);
/* "loading", "launch", "flight", "landing"; NULL for other numbers. */
BRN_API const char *brn_stage_name(int stage);
/* How a landing ends: "rest"; "fell over", at rest with a tilt of more than 45 degrees; "moving", not at rest yet. NULL: there is none. */
BRN_API const char *brn_landing_verdict(const brn_stage_result *landing);
/* What the method chose where the scene leaves it open: a line a body, "block: dhat 1.7e-07 m, ..."; in brief a few lines, with
   bodies that are alike together and ranges; "": nothing. *text is freed with brn_ctx_free. */
BRN_API brn_status brn_sim_choices(const brn_sim *sim, bool brief, char **text);
BRN_API bool brn_sim_done(const brn_sim *sim); /* the scene's end time is reached */
BRN_API double brn_sim_time(const brn_sim *sim);
BRN_API int64_t brn_sim_step_count(const brn_sim *sim);
/* Views, valid until the next call that changes the simulation. Shape [nodes][3]; in 2D the third entry is 0. */
BRN_API const double *brn_sim_positions(const brn_sim *sim);
BRN_API const double *brn_sim_velocities(const brn_sim *sim);
BRN_API brn_status brn_sim_forces(brn_sim *sim, const double **elastic,
                                  const double **external); /* [N] now */
/* The *count contacts at the end of the last step (or at the start); none from brn_sim_load until the next step. */
BRN_API const brn_contact_point *brn_sim_contacts(const brn_sim *sim, int *count);
BRN_API const double *brn_sim_contact_forces(const brn_sim *sim); /* [bodies][3], [N] total on each */
BRN_API brn_status brn_sim_contact_between(const brn_sim *sim, int body, int other, brn_contact_total *out);
/* Overwrites positions and velocities (either may be NULL), [nodes][3], and resets the method's memory. Links of robots stay where
   their joints put them. */
BRN_API brn_status brn_sim_edit(brn_sim *sim, const double *positions, const double *velocities);
BRN_API uint64_t brn_sim_hash(const brn_sim *sim);               /* of the whole state */
BRN_API brn_status brn_sim_save(brn_sim *sim, const char *path); /* checkpoint.h5, written atomically */
BRN_API brn_status brn_sim_load(brn_sim *sim, const char *path);

/* ---- robots ------------------------------------------------------------------------------------------------------------ */

/* A joint of a robot that moves. They are numbered over all robots, in the order of their links. */
typedef struct brn_joint_facts {
    const char *robot, *name, *link; /* of the robot, the joint, and the link that it moves */
    const char *kind;                /* "revolute", "prismatic", "planar", "ball", "floating" */
    const char *unit;                /* of its position: "rad" or "m"; "" if it has several */
    const char *drive;               /* "none", "torque", "position", "velocity": what its target means */
    int positions, velocities;
    double limit[2];  /* of its position, one of them; -inf, inf: none */
    double target[2]; /* of its drive's target, likewise */
} brn_joint_facts;

typedef struct brn_joint_state {
    double position[7], velocity[6]; /* as many as it has; the other entries are 0 */
    double target;                   /* of its drive; NaN: it has none */
    double effort;                   /* [N m] or [N] of its drive in the last step */
    double force[3],
        torque[3]; /* [N], [N m] on the link, through the joint and about it, in the world's axes */
} brn_joint_state;

typedef struct brn_link_state {
    double position[3], rotation[4]; /* [m] of its frame, and unit quaternion w, x, y, z */
    double velocity[3], angular_velocity[3];
} brn_link_state;

BRN_API int brn_model_joint_count(const brn_model *model);
BRN_API brn_status brn_model_get_joint(const brn_model *model, int joint, brn_joint_facts *out);
BRN_API int brn_model_find_joint(const brn_model *model, const char *name); /* "ROBOT/JOINT"; -1: none */
BRN_API int brn_model_link_count(const brn_model *model);                   /* all links, fixed ones too */
BRN_API const char *brn_model_link_name(const brn_model *model, int link);  /* NULL: no such link */
BRN_API int brn_model_find_link(const brn_model *model, const char *name);  /* "ROBOT/LINK"; -1: none */
BRN_API brn_status brn_sim_get_joint(const brn_sim *sim, int joint, brn_joint_state *out);
BRN_API brn_status brn_sim_get_link(const brn_sim *sim, int link, brn_link_state *out);
/* The target of a joint's drive from the next step on, [rad], [rad/s] or [N m], or of lengths; NaN: that of the scene again. An input
   like those below. */
BRN_API brn_status brn_sim_set_joint_target(brn_sim *sim, int joint, double target);

/* ---- hands on a simulation --------------------------------------------------------------------------------------------- */

/* What a person may change between two steps. The scene's values apply until one of these calls replaces them; a refused call
   (negative status) changes nothing. They are inputs: brn_sim_edit and brn_sim_load leave them alone, and checkpoints do not
   store them. A checkpoint does store how far motions and obstacles have moved, so that brn_sim_load continues from there.
   In 2D the third entry of a vector is ignored.
   
   Their work and impulses are booked, so the errors of the report keep their meaning. */

/* [m/s^2]. The change in potential energy is booked as work. Static runs ramp the new value as they did the old one. */
BRN_API brn_status brn_sim_set_gravity(brn_sim *sim, const double gravity[3]);
BRN_API void brn_sim_get_gravity(const brn_sim *sim, double gravity[3]);

/* Coefficient of friction, >= 0, of a pair of bodies (both the same: of a body with itself); both below 0: of every pair.
   Copies of a body share it, except those that a pair of the scene names individually. */
BRN_API brn_status brn_sim_set_friction(brn_sim *sim, int body, int other, double mu);
/* NaN: there is no such body, or (both below 0) pairs differ. */
BRN_API double brn_sim_get_friction(const brn_sim *sim, int body, int other);

/* The motions of the scene: those of static bodies, under their names, then those of `fixed` entries. */
BRN_API int brn_model_motion_count(const brn_model *model);
BRN_API const char *brn_model_motion_name(const brn_model *model, int motion); /* NULL: no such motion */
/* How fast a motion's own time runs from now on: 1 as in the scene, 0 stops it, below 0 runs it back, to its start at most.
   `until` and the times of a table are in its own time. |factor| <= 1e6. */
BRN_API brn_status brn_sim_set_motion_speed(brn_sim *sim, int motion, double factor);
BRN_API double brn_sim_get_motion_speed(const brn_sim *sim, int motion); /* NaN: no such motion */

/* Whether brn_sim_set_offset can move a body: every static one, half-spaces included. */
BRN_API bool brn_model_is_movable(const brn_model *model, int body);
/* Moves a static body to an offset [m] from where the scene and its motion put it. It goes there in a straight line over the
   next steps, at least 4, by at most 0.02 model sizes a step and 2 a second, and pushes what is in its way. It stops at
   anything that withstands a thousand times the weight of all that can move; its offset is then the one it reached, and a
   warning is logged. */
BRN_API brn_status brn_sim_set_offset(brn_sim *sim, int body, const double offset[3]);
BRN_API brn_status brn_sim_get_offset(const brn_sim *sim, int body, double offset[3]); /* its current one */

/* Pulls a node of a deformable or rigid body towards a point [m] by a damped spring. Call again to move the point or take
   another node; node < 0 lets go (target may then be NULL). stiffness [N/m]; 0: chosen from the body's mass, for a period of a
   tenth of a second or ten steps. Damping is critical for the body's mass; the force is at most ten times its weight (plus 40
   model sizes a second squared), so that a hand cannot tear what it holds. */
BRN_API brn_status brn_sim_drag(brn_sim *sim, int node, const double target[3], double stiffness);

/* ---- a whole run, with its output folder -------------------------------------------------------------------------- */

typedef struct brn_progress {
    int64_t step, steps;
    double time, end; /* [s] simulated */
    double wall;      /* [s] since the start of this call */
    const brn_report *report;
} brn_progress;

typedef struct brn_run_options {
    const char *out;      /* folder, made if absent; NULL: write nothing */
    bool resume;          /* continue from out/checkpoint.h5 if it exists */
    bool overwrite;       /* allow an out folder that already holds a run */
    int checkpoint_every; /* steps; 0: never, -1: every tenth of the run, but at least every 100 */
    double report_mb;     /* [MB] largest report.html; 0: none, < 0: what the scene says (25) */
    /* write scene.yaml, series.csv and summary.json alone: nothing to look at or to resume */
    bool figures_only;
    /* Called after every step; return true to stop after it (everything is kept). May be NULL. To stop within a step, see
       brn_ctx_cancel. */
    bool (*progress)(void *user, const brn_progress *progress);
    void *progress_user;
} brn_run_options;

/* What summary.json holds. */
typedef struct brn_summary {
    /* "done" | "suspect" (done, but not to be trusted) | "stopped"; then the reason says why */
    const char *status;
    char reason[512];
    char warnings[512]; /* what a reader of the results should know; "": nothing */
    char choices[2048]; /* the brief text of brn_sim_choices, as many of its lines as fit */
    int64_t steps, iterations;
    double time_end, wall_s, cpu_s, realtime_rate;
    int threads, nodes, elements, dofs, contacts_max, inversions, intersections;
    int sticking, slipping; /* contacts at the end */
    double contacts_mean, iterations_per_step, gap_min, penetration_max, cone_error_max, complementarity_max;
    double dissipation_error_max, stiffness_work;
    double energy_initial, energy_final, numerical_loss;
    double energy_gain_max; /* [J] */
    double energy_error_max, momentum_error_max, angular_momentum_error_max;
    int64_t fallbacks; /* linear systems left to the direct solver by the iterative one */
    int64_t guarded;   /* parts of steps repeated with implicit Euler because they had gained energy */
    double peak_mb;
    double own[BRN_OWN_FIGURES]; /* the method's own, see brn_figure_get */
    const char *stage_rule
        [BRN_STAGES]; /* integrator of each stage; NULL: it was not reached, or the scene has none */
    brn_stage_result stage[BRN_STAGES]; /* of those that have one */
    uint64_t state_hash;
} brn_summary;

BRN_API brn_run_options brn_run_options_default(void);
/* Compiles and runs the scene, writes the folder. Negative: it could not continue; what was computed is kept.
   BRN_ERR_BUSY: another run writes there; the message says which process, and nothing was changed. */
BRN_API brn_status brn_run(brn_ctx *ctx, brn_scene *scene, const brn_run_options *options, brn_summary *out);

/* The lock of a folder, as brn_run and brn_export hold it while they write: one writer at a time, in this process or
   another; readers need none. The folder is made if absent. BRN_ERR_BUSY: it is held, and the message says by whom. The end of the process releases it
   too, however it comes. */
typedef struct brn_lock brn_lock;
BRN_API brn_status brn_lock_take(brn_ctx *ctx, const char *folder, brn_lock **out);
BRN_API void brn_lock_release(brn_lock *lock);

/* ---- figures: what the numbers of a report and of a summary mean ----------------------------------------------------- */

/* How a figure of all steps becomes one of the run. */
typedef enum brn_reduction {
    BRN_REDUCE_NONE, /* it does not */
    BRN_REDUCE_LAST,
    BRN_REDUCE_SUM,
    BRN_REDUCE_MEAN, /* over the steps */
    BRN_REDUCE_MAX,  /* the largest magnitude */
    BRN_REDUCE_MIN,
} brn_reduction;

typedef enum brn_better { BRN_BETTER_NONE, BRN_BETTER_LOW, BRN_BETTER_HIGH } brn_better;

typedef struct brn_figure {
    char name[48];       /* column of series.csv, key of summary.json */
    char label[48];      /* a few words */
    const char *unit;    /* "": a count or a ratio; "1": relative */
    const char *meaning; /* a sentence, for reference texts */
    /* of a run: "run", "speed", "contact", "balance"; of a method's own: the method's name */
    const char *group;
    /* of a step: what it is plotted with; NULL: alone, or not at all (column false, step, time) */
    const char *chart;
    const char *of;          /* of a run: the step's figure it is made from; NULL: none */
    brn_reduction reduction; /* and how; of a method's own figure of a step: how it becomes the run's */
    brn_better better;       /* of a run: which way is better when runs are compared */
    bool whole;              /* a whole number */
    bool column;             /* of a step: it is in series.csv */
} brn_figure;

typedef enum brn_scope { BRN_OF_STEP, BRN_OF_RUN } brn_scope;

/* The figures that all methods have, then the method's own (none if method is NULL or unknown). */
BRN_API int brn_figure_count(brn_scope scope, const char *method);
BRN_API brn_status brn_figure_get(brn_scope scope, const char *method, int index, brn_figure *out);
/* The figures of a stage, "speed"; in summary.json they are keys with its name before them, "launch.speed". */
BRN_API int brn_stage_figure_count(void);
BRN_API brn_status brn_stage_figure_get(int index, brn_figure *out);
BRN_API double brn_stage_figure(const brn_stage_result *result,
                                int index); /* NaN: not known, or no such figure */
/* NaN: not known, or no such figure. A method's own figures come after those of all methods. */
BRN_API double brn_report_figure(const brn_report *report, int index);
BRN_API double brn_summary_figure(const brn_summary *summary, int index);

typedef struct brn_export_options {
    const char *format; /* "vtu" | "obj" | "csv" | "gltf" | "stl" | "html" */
    const char *out;    /* folder; NULL: DIR/FORMAT. html: the file; NULL: DIR/report.html */
    int every;          /* every n-th frame, 1 = all */
    double size_mb;     /* [MB] html: frames are dropped until the file fits */
} brn_export_options;

BRN_API brn_export_options brn_export_options_default(void);
/* Takes the lock of the folder that it writes into; a named html file needs none. */
BRN_API brn_status brn_export(brn_ctx *ctx, const char *run_dir, const brn_export_options *options,
                              int *files);

/* How far apart two runs are, at times that both cover: the frame times of the one with fewer frames, and the last common
   one. Where the other has no frame, its positions are interpolated linearly in time. NaN: not known. */
typedef struct brn_difference {
    bool same_mesh; /* same bodies with the same nodes; else only probes are compared */
    int nodes;      /* compared: those of deformable and rigid bodies in cells and on the boundary */
    int moments, interpolated; /* times compared; how many of them lie between frames of one run */
    double time_end;           /* [s] the last of them */
    double max, rms;           /* [m] distance between positions, over all times and nodes */
    double max_time;           /* [s] when it was largest, unless 0, and in which body */
    char max_body[64];
    double end_max, end_rms; /* [m] at time_end */
    int probes;              /* probes and rigid bodies that both have */
    double probe_max;        /* [m] largest difference of their displacements since the start */
    double probe_max_time;
    char probe_max_name[64];
} brn_difference;

BRN_API brn_status brn_compare_runs(brn_ctx *ctx, const char *run_dir, const char *other_dir,
                                    brn_difference *out);
/* As an object, under a key; null if it is NULL. */
BRN_API void brn_difference_write(brn_json *json, const char *key, const brn_difference *difference);

/* ---- the frictional contact problem, on its own ----------------------------------------------------------------------- */

/* Velocities u and impulses r of contacts in frames (normal, tangent, tangent):

       u = W r + q,    0 <= r_n  _|_  u_n >= 0,    |r_t| <= mu r_n,    u_t = -k r_t with k >= 0, and k = 0 where |r_t| < mu r_n

   (Signorini and Coulomb). Any units that fit together: u and q [m/s] and r [N s], say; messages and reports speak of these. W has blocks
   of dim x dim, by rows of contacts: a dense W simply has all of them. It need not be symmetric, and tangents may be singular; normal
   entries of its diagonal must be > 0. mu = infinity is the limit of Coulomb's law: nothing slides while r_n > 0. */
typedef struct brn_cone_problem {
    int dim; /* 2 or 3 */
    int contacts;
    const int *first;  /* [contacts + 1] blocks of row i are first[i] to first[i + 1] - 1; first[0] is 0 */
    const int *column; /* [blocks], ascending in a row, that of the diagonal among them */
    const double *w;   /* [blocks][dim][dim], a block row by row */
    const double *q;   /* [contacts][dim] */
    const double *mu;  /* [contacts] */
} brn_cone_problem;

typedef struct brn_cone_options {
    double tolerance; /* of brn_cone_report.relative, > 0 */
    int sweeps;       /* at most, of Gauss-Seidel */
    int newton;       /* at most, steps of Newton's method, each with a dense factorisation; 0: none */
    int path;         /* the same of the path that leads on where Newton's method fails; 0: none */
} brn_cone_options;

/* How good a solution is. Errors are the largest of any contact, at least 0. */
typedef struct brn_cone_report {
    int open, sticking, sliding;
    int sweeps, newton, path; /* done */
    double penetration;       /* unit of u: -u_n */
    double pull;              /* unit of r: -r_n */
    double cone;              /* unit of r: |r_t| - mu r_n */
    double complementarity;   /* units of u and r multiplied: |r_n u_n| */
    /* unit of u: tangential velocity that friction should have stopped, or that it does not oppose */
    double slip;
    double scale; /* unit of u: the largest |q| of a contact */
    /* The stopping test: the largest change of u_n or u_t, with the compliance of its own contact alone, that the law asks for (see
       docs/theory.md), over scale. */
    double relative;
    double rounding; /* unit of u: what rounding alone may leave of u; no error can be much smaller */
} brn_cone_report;

BRN_API brn_cone_options brn_cone_options_default(void); /* 1e-8, 10000 sweeps, 1000 steps each */
/* r [contacts][dim]: a start (0 is fine), then the solution; u the same, may be NULL; so may options. BRN_ERR_CONVERGENCE: not to the
   tolerance, or there is no solution; the message says more. Then, and after BRN_ERR_CANCELLED, r, u and report are the best that was found. */
BRN_API brn_status brn_cone_solve(brn_ctx *ctx, const brn_cone_problem *problem,
                                  const brn_cone_options *options, double *r, double *u,
                                  brn_cone_report *report);

/* A problem in a text file, see docs/cone.md, perhaps with a solution. */
typedef struct brn_cone_file brn_cone_file;
BRN_API brn_status brn_cone_read(brn_ctx *ctx, const char *path, brn_cone_file **out);
BRN_API void brn_cone_close(brn_cone_file *file);
/* Views, valid until the file is closed. The second gives false, and leaves r and u alone, if there is no solution in the file. */
BRN_API const brn_cone_problem *brn_cone_file_problem(const brn_cone_file *file);
BRN_API bool brn_cone_file_solution(const brn_cone_file *file, const double **r, const double **u);
/* r and u: the solution to store with it; both NULL: none. */
BRN_API brn_status brn_cone_write(brn_ctx *ctx, const brn_cone_problem *problem, const double *r,
                                  const double *u, const char *path);

/* ---- view: packets for the viewer's page (docs/viewer.md) ------------------------------------------------------ */

typedef struct brn_view brn_view;
typedef struct brn_snapshot brn_snapshot;

/* The page, one HTML file without data: static, never freed, terminated by '\0'. */
BRN_API const char *brn_view_page(size_t *size);

/* A recorded run, which may still be in progress: the frames are those written so far. */
BRN_API brn_status brn_view_open(brn_ctx *ctx, const char *run_dir, brn_view **out);
/* A simulation in progress, shown by snapshots. ctx may differ from the simulation's, so that another thread can
   encode; the model must outlive the view. text: the scene's, as from brn_scene_write. */
BRN_API brn_status brn_view_live(brn_ctx *ctx, const brn_model *model, const char *text, brn_view **out);
BRN_API void brn_view_close(brn_view *view);
BRN_API int brn_view_frames(const brn_view *view);             /* recorded; 0 for a live view */
BRN_API double brn_view_time(const brn_view *view, int index); /* [s] of a frame; NaN if there is none */
/* Packets. The bytes belong to the view and are valid until the next call on it. */
BRN_API brn_status brn_view_run(brn_view *view, const void **bytes, size_t *size);
BRN_API brn_status brn_view_frame(brn_view *view, int index, const void **bytes, size_t *size); /* recorded */
BRN_API brn_status brn_view_snapshot(brn_view *view, const brn_snapshot *snapshot, int index,
                                     const void **bytes, size_t *size); /* live */

/* A copy of what a frame of a simulation needs. Taking one copies a few arrays; ctx and these calls belong to the
   simulation's thread, but another thread may show a snapshot while it is not being retaken. */
BRN_API brn_status brn_snapshot_create(brn_ctx *ctx, const brn_model *model, brn_snapshot **out);
BRN_API void brn_snapshot_destroy(brn_snapshot *snapshot);
/* report: that of the last step; NULL: measured now, as at the start. */
BRN_API brn_status brn_snapshot_take(brn_snapshot *snapshot, brn_sim *sim, const brn_report *report);

/* One page with several runs on one timeline, in `path`. names [count]: what to call each; NULL: its folder. difference
   [count]: how far each is from the first, to be shown; NULL, also for single ones: not known. They share the budget. */
BRN_API brn_status brn_view_compare(brn_ctx *ctx, const char *const *run_dirs, const char *const *names,
                                    const brn_difference *const *difference, int count, const char *path,
                                    double budget_mb);

/* Reference text from the tables that the parser uses. topic: NULL (overview), "methods", "materials", "elements",
   "scene", "figures", the name of any of them, or a key of the scene ("contact"). *text is freed with brn_ctx_free. */
BRN_API brn_status brn_info(brn_ctx *ctx, const char *topic, char **text);

#ifdef __cplusplus
}
#endif
#endif
