/* The skeleton of the scene format as structs, in the order of docs/scene.md. Materials, meshes, bodies, shapes and
   methods are variants whose tables come from the layers that implement them. */
#ifndef BRN_SCENE_SCENE_DEF_H
#define BRN_SCENE_SCENE_DEF_H

#include "base/param.h"

typedef struct brn_time_def {
    brn_block block;
    double step, end; /* [s] */
} brn_time_def;

typedef struct brn_rotation_def {
    brn_block block;
    double axis[3];
    double degrees;
} brn_rotation_def;

typedef struct brn_about_def {
    brn_block block;
    double point[3], axis[3];
} brn_about_def;

/* How a fixed region or a static body moves. */
typedef struct brn_motion_def {
    brn_block block;
    double velocity[3];      /* [m/s] */
    double angular_velocity; /* [rad/s] about `about` */
    brn_about_def about;
    brn_rows table; /* [t, x, y(, z)]: displacement over time, linear between rows, held outside */
    double until;   /* [s]; motion stops here; +inf by default (not given: NaN) */
} brn_motion_def;

typedef struct brn_box_def {
    brn_block block;
    double min[3], max[3];
} brn_box_def;

typedef struct brn_ball_def {
    brn_block block;
    double centre[3];
    double radius;
} brn_ball_def;

/* A region of a body, at rest in the body's initial position; exactly one of these is given. */
typedef struct brn_where_def {
    brn_block block;
    brn_box_def box;
    brn_ball_def sphere;
    int face;          /* index into BRN_FACE_WORDS, 0 = not given */
    brn_ints nodes;    /* numbers inside the body */
    brn_reals nearest; /* a point: the nearest node */
    const char *group;
    bool all;
} brn_where_def;

/* A region of the elements of a mesh, in its coordinates; exactly one of these is given. */
typedef struct brn_zone_def {
    brn_block block;
    brn_box_def box;
    brn_ball_def sphere;
    const char *group;
} brn_zone_def;

/* A part of a body that is of another material. */
typedef struct brn_part_def {
    brn_block block;
    brn_zone_def where;
    const char *material; /* name in materials */
} brn_part_def;

enum {
    BRN_FACE_NONE,
    BRN_FACE_PLUS_X,
    BRN_FACE_MINUS_X,
    BRN_FACE_PLUS_Y,
    BRN_FACE_MINUS_Y,
    BRN_FACE_PLUS_Z,
    BRN_FACE_MINUS_Z
};
extern const char *const brn_face_words[]; /* "none", "+x", "-x", "+y", "-y", "+z", "-z" */

typedef struct brn_ramp_def {
    brn_block block;
    double from, to; /* [s]: 0 before, 1 after, linear between */
} brn_ramp_def;

/* How the scene is stepped while a stage lasts. */
typedef struct brn_stage_def {
    brn_block block;
    double until;   /* [s] of loading */
    int integrator; /* of brn_stage_integrator_words */
    double step;    /* [s] of what deforms, at most; NaN: time.step */
    bool slip;      /* of loading: by the friction of the scene; else nothing slips */
} brn_stage_def;
extern const char *const brn_stage_integrator_words[]; /* "scene", then those of brn_integrator_words */

/* Loading, launch, flight and landing of a body. */
typedef struct brn_stages_def {
    brn_block block;
    const char *body; /* NULL: the first that can move */
    brn_stage_def loading, launch, flight, landing;
    bool stop; /* the run ends when the body has come to rest */
} brn_stages_def;

typedef struct brn_jitter_def {
    brn_block block;
    brn_reals position; /* [m] at most so far off: 1 number, or one an axis */
    double rotation;    /* [degrees] at most */
} brn_jitter_def;

/* Copies of a body: along one line (one count), or on a grid (a count for each axis). */
typedef struct brn_repeat_def {
    brn_block block;
    brn_ints count;
    double spacing[3]; /* [m] */
    double stagger[3]; /* [m] of every second one along the last axis of count */
    brn_jitter_def jitter;
} brn_repeat_def;

/* Keys that every body type has; a body type's struct starts with this one. */
typedef struct brn_body_common {
    brn_block block;
    const char *name;
    const char *mesh; /* name in meshes */
    double position[3];
    brn_blocks rotation; /* of brn_rotation_def, applied in order */
    brn_repeat_def repeat;
} brn_body_common;

typedef struct brn_mesh_def {
    brn_block block;
    brn_variant generator; /* set BRN_SET_MESH, keyed here */
    const char *file;      /* volume or surface mesh file */
    const char *surface;   /* closed surface file -> tets */
    double resolution;     /* [m], target edge of a surface's tets */
    int element;           /* of a surface's tets: index into brn_surface_elements */
    brn_reals scale;       /* 1 or 3 numbers */
    brn_blocks rotation;
    double position[3];
    double merge; /* [m], nodes closer than this are merged after reading; NaN: not at all */
} brn_mesh_def;

extern const char *const brn_surface_elements[]; /* "tet4", "tet10" */

typedef struct brn_fixed_def {
    brn_block block;
    const char *name; /* for the columns of series.csv; NULL: fixed0, fixed1, ... */
    const char *body;
    brn_where_def where;
    const char *axes; /* some of "xyz" */
    brn_motion_def motion;
    double release; /* [s] */
} brn_fixed_def;

/* Springs from every node of a region to the nearest node of another. */
typedef struct brn_spring_def {
    brn_block block;
    const char *body;
    brn_where_def where;
    const char *to;   /* body; NULL: the same */
    brn_where_def at; /* region of `to`; not given: all of it */
    double stiffness; /* [N/m] of each spring */
    double length;    /* [m] at rest; NaN: as long as it is at the start */
    double damping;   /* [N s/m] of each spring */
    bool pull_only;   /* a thread: no force when it is shorter */
} brn_spring_def;

typedef struct brn_attach_def {
    brn_block block;
    const char *name; /* for the columns of series.csv; NULL: attach0, attach1, ... */
    const char *body;
    brn_where_def where;
    const char *to;
    double within; /* [m]; NaN: half the shortest edge of `to` */
} brn_attach_def;

enum { BRN_CONNECT_BALL, BRN_CONNECT_HINGE, BRN_CONNECT_WELD, BRN_CONNECT_DISTANCE };
extern const char *const brn_connect_words[]; /* "ball", "hinge", "weld", "distance" */

/* Two bodies that share a point, an axis or a frame, or whose points stay at a distance. */
typedef struct brn_connect_def {
    brn_block block;
    const char *name;   /* for the columns of series.csv; NULL: connect0, connect1, ... */
    int type;           /* BRN_CONNECT_... */
    brn_texts between;  /* two body names, or one: with the world */
    brn_reals at;       /* of ball, hinge and weld */
    brn_reals axis;     /* of a hinge */
    brn_reals from, to; /* of a distance: on the first and on the second body */
    double length;      /* [m] of a distance; NaN: what it is at the start */
    bool slack;         /* of a distance: a rope, which may be shorter */
    double stiffness;   /* [N/m]; NaN: as stiff as the step allows */
    double relaxation;  /* [s] damping over stiffness */
} brn_connect_def;

typedef struct brn_load_def {
    brn_block block;
    const char *name;
    const char *body;
    brn_where_def where;
    brn_reals force;    /* [N], total, shared by the region's nodes */
    brn_reals traction; /* [Pa], dead load per rest area of the region's faces */
    double pressure;    /* [Pa], follower, positive pushes into the body; NaN: not given */
    brn_ramp_def ramp;
    double until; /* [s] */
} brn_load_def;

/* Keys of contact that not every method has a use for; brn_method says which it takes. */
enum { BRN_CONTACT_RESTITUTION, BRN_CONTACT_STIFFNESS, BRN_CONTACT_RELAXATION, BRN_CONTACT_KEY_COUNT };
extern const char *const brn_contact_key_words[]; /* "restitution", "stiffness", "relaxation" */

typedef struct brn_pair_def {
    brn_block block;
    brn_texts between;                 /* two body names */
    double friction;                   /* NaN: as contact says */
    double key[BRN_CONTACT_KEY_COUNT]; /* [1], [Pa/m], [s]; NaN: as contact says */
    bool touch;
} brn_pair_def;

typedef struct brn_contact_def {
    brn_block block;
    double friction;
    bool self;
    double key[BRN_CONTACT_KEY_COUNT]; /* NaN: the method's own value */
    brn_blocks pairs;                  /* of brn_pair_def */
} brn_contact_def;

typedef struct brn_probe_def {
    brn_block block;
    const char *name;
    const char *body;
    brn_where_def where;
} brn_probe_def;

typedef struct brn_plot_def {
    brn_block block;
    const char *x, *y; /* columns of the series */
    brn_rows points;
    const char *source;
} brn_plot_def;

typedef struct brn_output_def {
    brn_block block;
    double every;      /* [s] between frames; NaN: the larger of the step and 1/200 of the run */
    brn_texts fields;  /* of brn_field_words */
    bool vtu;          /* also write VTU files at the end of a run */
    double report;     /* [MB] of report.html at most; 0: none */
    int checkpoint;    /* steps between checkpoints; 0: a tenth of the run, at most 100 steps */
    brn_blocks probes; /* of brn_probe_def */
    brn_blocks plot;   /* of brn_plot_def */
} brn_output_def;

enum { BRN_FIELD_STRESS, BRN_FIELD_VELOCITY, BRN_FIELD_FORCE, BRN_FIELD_CONTACT, BRN_FIELD_COUNT };
extern const char *const brn_field_words[]; /* "stress", "velocity", "force", "contact" */

enum {
    BRN_TURNING_EULER,
    BRN_IMPLICIT_EULER,
    BRN_BDF2,
    BRN_NEWMARK,
    BRN_MIDPOINT,
    BRN_SYMPLECTIC_EULER,
    BRN_STATIC,
    BRN_VARIATIONAL, /* every force at steps of its own */
};
extern const char *const brn_integrator_words[];

typedef struct brn_scene_def {
    brn_block block;
    int version; /* key `brunt` */
    const char *title;
    int dimension;
    double gravity[3];
    brn_time_def time;
    int seed;
    brn_variant method;
    int integrator;
    brn_variants materials; /* named */
    brn_blocks meshes;      /* of brn_mesh_def, named */
    brn_variants bodies;
    brn_blocks fixed;   /* of brn_fixed_def */
    brn_blocks springs; /* of brn_spring_def */
    brn_blocks attach;  /* of brn_attach_def */
    brn_blocks connect; /* of brn_connect_def */
    brn_blocks loads;   /* of brn_load_def */
    brn_stages_def stages;
    brn_contact_def contact;
    brn_output_def output;
} brn_scene_def;

extern const brn_table brn_scene_table; /* the root */
extern const brn_table brn_rotation_table, brn_motion_table, brn_where_table, brn_repeat_table,
    brn_part_table;

/* The params of brn_body_common, to be pasted at the head of a body type's parameter list. */
#define BRN_BODY_COMMON_PARAMS(type)                                                                        \
 {.name = "name",                                                                                           \
  .kind = BRN_TEXT,                                                                                         \
  .offset = offsetof(type, common.name),                                                                    \
  .required = true,                                                                                         \
  .help = "unique name"},                                                                                   \
     {.name = "mesh", .kind = BRN_TEXT, .offset = offsetof(type, common.mesh), .help = "name of a mesh"},   \
     {.name = "position",                                                                                   \
      .kind = BRN_VECTOR,                                                                                   \
      .offset = offsetof(type, common.position),                                                            \
      .unit = "m",                                                                                          \
      .help = "where the mesh's origin goes"},                                                              \
     {.name = "rotation",                                                                                   \
      .kind = BRN_BLOCKS,                                                                                   \
      .offset = offsetof(type, common.rotation),                                                            \
      .table = &brn_rotation_table,                                                                         \
      .help = "about the mesh's origin; one, or a list applied in order"},                                  \
 {                                                                                                          \
  .name = "repeat", .kind = BRN_BLOCK, .offset = offsetof(type, common.repeat), .table = &brn_repeat_table, \
  .help = "copies of it, each a body of its own"                                                            \
 }

#endif
