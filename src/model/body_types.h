/* What the scene says about a body, by body type (set BRN_SET_BODY). */
#ifndef BRN_MODEL_BODY_TYPES_H
#define BRN_MODEL_BODY_TYPES_H

#include "scene/scene_def.h"

typedef struct brn_deformable_def {
    brn_body_common common;
    const char *material;       /* name in materials */
    brn_blocks materials;       /* of brn_part_def: exceptions to it; the last match counts */
    double velocity[3];         /* [m/s] */
    brn_reals angular_velocity; /* [rad/s] about the centre of mass: 3 numbers, or 1 in 2D */
    int mass;                   /* BRN_MASS_... */
    int dilatation;             /* BRN_DILATATION_... */
} brn_deformable_def;

enum { BRN_MASS_CONSISTENT, BRN_MASS_LUMPED, BRN_MASS_UNIFORM };
enum { BRN_DILATATION_POINT, BRN_DILATATION_MEAN };

/* Threads of a woven sheet along two directions: membrane stiffness that replaces the material's. */
typedef struct brn_weave_def {
    brn_block block;
    double warp, weft, shear; /* [Pa]; per thickness, as a Young's modulus is */
    double poisson;           /* of the weft under a pull along the warp */
    double direction[3];      /* of the warp in the mesh's coordinates, projected onto each triangle */
} brn_weave_def;

/* A sheet: the keys of a deformable body, and its own. */
typedef struct brn_shell_def {
    brn_deformable_def soft;
    double thickness;         /* [m] */
    double bending;           /* factor on the bending stiffness from thickness and material */
    double flexural_rigidity; /* [N m] instead of it; NaN: not given */
    int rest;                 /* BRN_REST_... */
    int plate;                /* BRN_PLATE_... */
    double stretch_limit;     /* principal stretches stay below it; NaN: no limit */
    brn_weave_def weave;
} brn_shell_def;

enum { BRN_REST_SHAPED, BRN_REST_FLAT };
enum { BRN_PLATE_SMOOTH, BRN_PLATE_HINGE };

typedef struct brn_static_def {
    brn_body_common common;
    brn_variant shape; /* instead of a mesh */
    double thickness;  /* [m] of a sheet */
    brn_motion_def motion;
} brn_static_def;

typedef struct brn_rigid_def {
    brn_body_common common;
    brn_variant shape;          /* instead of a mesh */
    double density, mass;       /* [kg/m^3], [kg]; NaN: not given */
    double velocity[3];         /* [m/s] */
    brn_reals angular_velocity; /* [rad/s] as above */
    double stiffness;           /* [Pa] */
} brn_rigid_def;

/* What the scene says about a joint of a robot, beyond its file. */
typedef struct brn_robot_joint_def {
    brn_block block;           /* its name: of the joint, or `all` */
    double position, velocity; /* at the start; NaN: not given */
    int drive;                 /* BRN_ROBOT_DRIVE_... */
    double kp, kd;             /* gains; NaN: not given */
    double effort;             /* [N] or [N m], largest; NaN: the file's */
    double target;             /* NaN: not given */
    brn_rows table;            /* [t, target] */
} brn_robot_joint_def;

enum {
    BRN_ROBOT_DRIVE_FILE,
    BRN_ROBOT_DRIVE_NONE,
    BRN_ROBOT_DRIVE_POSITION,
    BRN_ROBOT_DRIVE_VELOCITY,
    BRN_ROBOT_DRIVE_TORQUE
};

/* A tree of links from a file. Its bodies in the model are rigid, or static where they do not move. */
typedef struct brn_robot_def {
    brn_body_common common;
    const char *file;           /* URDF or MJCF */
    int base;                   /* BRN_ROBOT_BASE_... */
    double velocity[3];         /* [m/s] of a free base */
    brn_reals angular_velocity; /* [rad/s] likewise */
    bool self;                  /* its links touch each other */
    brn_blocks joints;          /* of brn_robot_joint_def, named */
} brn_robot_def;

enum { BRN_ROBOT_BASE_FILE, BRN_ROBOT_BASE_FREE };

/* Types of bodies in a scene; those of a model are never of type robot. */
enum {
    BRN_BODY_DEFORMABLE,
    BRN_BODY_STATIC,
    BRN_BODY_RIGID,
    BRN_BODY_SHELL,
    BRN_BODY_ROBOT,
    BRN_BODY_TYPE_COUNT
};
extern const brn_table brn_deformable_table, brn_static_table, brn_rigid_table, brn_shell_table,
    brn_robot_table;
extern const brn_table *const brn_body_tables[BRN_BODY_TYPE_COUNT]; /* by type */
/* BRN_BODY_... of a table; -1: of none. */
int brn_body_type_of_table(const brn_table *table);

#endif
